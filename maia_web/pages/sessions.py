"""The sessions of a conversation: found, loaded, renamed, deleted, sent out and taken in."""

from __future__ import annotations

from dataclasses import dataclass

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from agents.api.sessions import as_download
from agents.domain.memory.context_bar import ContextBar, context_bar
from agents.domain.memory.token_numbers import format_tokens
from agents.runtime.answering.context_meter import measure
from agents.selectors.conversation.channels import ChannelAccess, channel_for
from agents.selectors.conversation.opened_channels import channel_info
from agents.selectors.sessions import SessionInfo, session_file, session_row, sessions_of
from agents.services.memory import named_sessions
from agents.services.memory.named_sessions import LARGEST_FILE, Switched
from maia_web.lib.errors import Conflict, InvalidInput, MaiaError, NotFound
from maia_web.lib.names.isolate import isolated, isolated_list
from maia_web.pages.forms.numbers import typed_number
from maia_web.pages.guards import signed_in
from maia_web.pages.workspaces.page import for_members
from workspaces.domain.places import Role


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    info: SessionInfo
    bar: ContextBar | None
    squares: tuple[bool, ...]
    tokens: str
    renamed: bool
    chosen: bool


@for_members
@require_GET
def sessions(request: HttpRequest, workspace: str, channel: str) -> HttpResponse:
    """Shows the table, the sessions that hold something, with a search."""
    return _show(request, _access(request, workspace, channel))


@for_members
@require_POST
def new(request: HttpRequest, workspace: str, channel: str) -> HttpResponse:
    """Begins a session and goes to the conversation."""
    access = _access(request, workspace, channel, "editor")
    try:
        made = named_sessions.new_session(access.user, channel)
    except Conflict as error:
        return _refused(request, access, error)
    return _to_conversation(access, made)


@for_members
@require_POST
def load(request: HttpRequest, workspace: str, channel: str, session: int) -> HttpResponse:
    """Loads a session and goes to the conversation."""
    access = _access(request, workspace, channel, "editor")
    try:
        made = named_sessions.load_by_id(access.user, channel, session)
    except Conflict as error:
        return _refused(request, access, error)
    return _to_conversation(access, made)


@for_members
@require_POST
def rename(request: HttpRequest, workspace: str, channel: str, session: int) -> HttpResponse:
    """Renames one; the name it got is shown."""
    access = _access(request, workspace, channel, "editor")
    wanted = request.POST.get("name", "")
    try:
        name = named_sessions.rename_session(access.user, channel, wanted, session=session)
    except (Conflict, InvalidInput) as error:
        return _refused(request, access, error)
    return _back(
        request, access, _("The session is called “%(name)s” now.") % {"name": isolated(name)}
    )


@for_members
@require_POST
def delete(request: HttpRequest, workspace: str, channel: str) -> HttpResponse:
    """Asks whether the ticked sessions shall go; they go once that is answered."""
    access = _access(request, workspace, channel, "editor")
    ids = {typed_number(one) for one in request.POST.getlist("session")} - {0}
    if not ids:
        return _back(request, access)
    if "sure" not in request.POST:
        return _show(request, access, chosen=ids)
    try:
        gone = named_sessions.delete_sessions(access.user, channel, ids)
    except Conflict as error:
        return _refused(request, access, error)
    text = ngettext("Deleted: %(names)s.", "Deleted %(n)d sessions: %(names)s.", len(gone))
    return _back(request, access, text % {"n": len(gone), "names": isolated_list(gone)})


@for_members
@require_GET
def export(request: HttpRequest, workspace: str, channel: str, session: int) -> HttpResponse:
    """Gives the file of the command-line MAIA."""
    return as_download(*session_file(session_row(_access(request, workspace, channel), session)))


@for_members
@require_POST
def take_in(request: HttpRequest, workspace: str, channel: str) -> HttpResponse:
    """Takes such a file in."""
    access = _access(request, workspace, channel, "editor")
    file = request.FILES.get("file")
    if file is None:
        return _refused(request, access, InvalidInput(_("Choose a file first."), field="file"))
    try:
        made = named_sessions.import_session(
            access.user, channel, file.name or "", file.read(LARGEST_FILE + 1)
        )
    except InvalidInput as error:
        return _refused(request, access, error)
    text = _("“%(name)s” is saved here now. Load it to go on with it.") % {
        "name": isolated(made.name)
    }
    return _back(request, access, text)


def _access(
    request: HttpRequest, workspace: str, channel: str, at_least: Role = "viewer"
) -> ChannelAccess:
    access = channel_for(signed_in(request).pk, channel, at_least=at_least)
    if access.workspace.id != workspace:
        raise NotFound(_("There is no such conversation."))
    return access


def _show(
    request: HttpRequest,
    access: ChannelAccess,
    *,
    chosen: frozenset[int] | set[int] = frozenset(),
    status: int = 200,
) -> HttpResponse:
    search = request.GET.get("q", "")
    editing = request.GET.get("rename", "")
    found = sessions_of(access, search=search)
    rows = [_row(info, str(info.id) == editing, info.id in chosen) for info in found]
    info = channel_info(access.user, access.id)
    return render(
        request,
        "pages/sessions.html",
        {
            "workspace": access.workspace,
            "channel": info,
            "title": info.direct or f"#{info.name}",
            "rows": rows,
            "search": search,
            "editor": access.role != "viewer",
            "chosen": [row.info for row in rows if row.chosen],
            "several_agents": len({row.info.agent for row in rows}) > 1,
        },
        status=status,
    )


def _row(info: SessionInfo, renamed: bool, chosen: bool) -> Row:
    bar = context_bar(info.used, info.size)
    return Row(
        info=info,
        bar=bar,
        squares=tuple(place < bar.on for place in range(bar.total)) if bar else (),
        tokens=format_tokens(info.used),
        renamed=renamed,
        chosen=chosen and not info.current,
    )


def _to_conversation(access: ChannelAccess, made: Switched) -> HttpResponse:
    async_to_sync(measure)(access.user, access.id, made.agent.name)
    return redirect("app-channel", access.workspace.id, access.id)


def _back(request: HttpRequest, access: ChannelAccess, text: str = "") -> HttpResponse:
    if text:
        messages.success(request, text)
    return redirect("sessions", access.workspace.id, access.id)


def _refused(request: HttpRequest, access: ChannelAccess, error: MaiaError) -> HttpResponse:
    messages.error(request, error.message)
    return _show(request, access, status=error.status)
