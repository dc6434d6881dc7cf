"""One's own settings files: the text of each, what is wrong line by line, saving."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from agents.domain.library.own_files import BASHRC, CONFIG, INPUTRC, NAMES, SETTINGS, LineProblem
from agents.services.permissions.own_files import OwnFile, own_file, save_own_file
from maia_web.lib.errors import Conflict, InvalidInput
from maia_web.pages.guards import signed_in
from maia_web.pages.workspaces.page import for_members
from workspaces.api.failures import as_failure
from workspaces.domain.entries import FileError
from workspaces.services import personal_workspace


@never_cache
@sensitive_post_parameters("text")
@for_members
@require_http_methods(["GET", "POST"])
def own_files(request: HttpRequest, name: str = SETTINGS) -> HttpResponse:
    """Shows a file of ~/.maia; POST saves it, unless something is wrong or it changed meanwhile."""
    user = signed_in(request)
    place = personal_workspace(user).place
    try:
        if request.method != "POST":
            return _page(request, own_file(place, name))
        text = request.POST.get("text", "").replace("\r\n", "\n")
        version = request.POST.get("version", "")
        try:
            save_own_file(user.pk, place, name, text, version)
        except InvalidInput as error:
            typed = OwnFile(name, text, version, error.data.get("problems", ()))
            return _page(request, typed, error=error.message, status=422)
        except Conflict as error:
            return _changed(request, own_file(place, name), text, error.message)
    except FileError as error:
        failure = as_failure(error)
        return _page(request, OwnFile(name), error=failure.message, status=failure.status)
    messages.success(request, _("Saved."))
    return redirect("own-file", name)


def _changed(request: HttpRequest, now: OwnFile, text: str, message: str) -> HttpResponse:
    """Shows what was typed, and the file as it is now; saving again replaces it."""
    typed = OwnFile(now.name, text, now.version)
    return _page(request, typed, error=message, now=now.text, status=409)


def _page(request: HttpRequest, file: OwnFile, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "file": file,
        "names": NAMES,
        "purpose": _purposes()[file.name],
        "problems": [_shown(problem) for problem in file.problems],
        "invalid": any(problem.blocks for problem in file.problems),
        "rows": min(max(file.text.count("\n") + 3, 14), 40),
        "here": request.path,
        **more,
    }
    return render(request, "pages/own_files.html", context, status=status)


def _shown(problem: LineProblem) -> dict[str, Any]:
    where = _("Line %(n)d") % {"n": problem.line} if problem.line else _("The file")
    look = "fail" if problem.blocks else "warn"
    return {"where": where, "look": look, "entry": problem.entry, "message": problem.message}


def _purposes() -> dict[str, str]:
    return {
        SETTINGS: _(
            "Rules for your own turns, in every workspace, and a model server of your own where "
            "that is allowed. They count as soon as they are saved."
        ),
        CONFIG: _("The model your new conversations begin with, unless the workspace names one."),
        BASHRC: _("What each of your terminals runs when it opens."),
        INPUTRC: _("The keys of your terminals."),
    }
