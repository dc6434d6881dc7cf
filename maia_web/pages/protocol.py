"""The page that describes the WebSocket, read off its types."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from agents.protocol.description import (
    TypeText,
    describe_commands,
    describe_frames,
    describe_values,
)


@login_required
def websocket(request: HttpRequest) -> HttpResponse:
    """Shows every command, frame and value with its fields."""
    sections = (
        _section("commands", _("Commands"), describe_commands()),
        _section("frames", _("Frames"), describe_frames()),
        _section("values", _("Values"), describe_values()),
    )
    return render(request, "pages/protocol.html", {"sections": sections})


def _section(name: str, title: str, entries: tuple[TypeText, ...]) -> dict[str, object]:
    plain = [
        {"name": e.name, "wire": e.wire, "fields": e.fields, "text": e.text.replace("`", "")}
        for e in entries
    ]
    return {"id": name, "title": title, "entries": plain}
