"""The page that describes the WebSocket, read off its types."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from agents.protocol.description import describe_commands, describe_frames, describe_values


@login_required
def websocket(request: HttpRequest) -> HttpResponse:
    """Shows every command, frame and value with its fields."""
    sections = (
        ("commands", describe_commands()),
        ("frames", describe_frames()),
        ("values", describe_values()),
    )
    return render(request, "pages/protocol.html", {"sections": sections})
