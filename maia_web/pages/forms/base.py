"""What all forms share: the product's classes, and errors that come from services."""

from __future__ import annotations

from typing import Any, Self

from django import forms
from django.http import HttpRequest

from maia_web.lib.errors import MaiaError


class PageForm(forms.Form):
    """A form whose fields look like the product's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        for field in self.fields.values():
            if isinstance(field.widget, (forms.TextInput, forms.Textarea)):
                field.widget.attrs.setdefault("dir", "auto")  # runs the way its text does
            look = _look(field.widget)
            if look:
                field.widget.attrs["class"] = (
                    f"{look} {field.widget.attrs.get('class', '')}".strip()
                )

    @classmethod
    def posted(cls, request: HttpRequest) -> Self:
        """Returns the form with what was sent, or empty if nothing was (a GET)."""
        return cls(request.POST if request.method == "POST" else None)

    def add_service_error(self, error: MaiaError) -> None:
        """Shows what a service refused at the field it names, else above the form."""
        field = error.data.get("field")
        reasons = error.data.get("reasons") or [error.message]
        self.add_error(field if field in self.fields else None, list(reasons))


def _look(widget: forms.Widget) -> str:
    if isinstance(widget, forms.CheckboxInput):
        return "check"
    if isinstance(widget, forms.RadioSelect | forms.HiddenInput):
        return ""
    return "select" if isinstance(widget, forms.Select) else "input"
