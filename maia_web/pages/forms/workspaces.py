"""Forms about workspaces and who is in them."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from maia_web.pages.forms.base import PageForm

ROLES = [("owner", _("Owner")), ("editor", _("Editor")), ("viewer", _("Viewer"))]
PEOPLE = "people-to-add"


class WorkspaceForm(PageForm):
    """The name of a workspace."""

    name = forms.CharField(
        label=_("Name"), max_length=64, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )


class MemberForm(PageForm):
    """Who comes in, and what they may do; the page offers the people of the site."""

    username = forms.CharField(
        label=_("Username"),
        max_length=150,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
                "list": PEOPLE,
            }
        ),
    )
    role = forms.ChoiceField(label=_("Role"), choices=ROLES, initial="editor")


class LeaveForm(PageForm):
    """Says that one really leaves."""

    sure = forms.BooleanField(label=_("Yes, take me out of this workspace"))


class DeleteWorkspaceForm(PageForm):
    """The name once more, before everything goes."""

    typed = forms.CharField(
        label=_("Type the name of the workspace"),
        max_length=64,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
