"""`Response`: what Django's test clients answer; its types have no public names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedASGIResponse, _MonkeyPatchedWSGIResponse

    Response = _MonkeyPatchedASGIResponse | _MonkeyPatchedWSGIResponse
else:
    from django.http import HttpResponse as Response

__all__ = ["Response"]
