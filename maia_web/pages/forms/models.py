"""The form of the model server; the key goes in and never comes out."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.domain.model_servers.server import (
    CHAT_PATH,
    MODELS_PATH,
    ModelServerInfo,
    ModelServerSettings,
)
from maia_web.pages.forms.base import PageForm

_MONO = {"class": "mono", "autocomplete": "off", "spellcheck": "false"}
_NUMBER = {"class": "num", "inputmode": "numeric"}


class KnownModelForm(PageForm):
    """What administrators say of one model of the site's server."""

    model = forms.CharField(
        label=_("Model"), max_length=200, widget=forms.TextInput(attrs={**_MONO, "list": "listed"})
    )
    context_size = forms.IntegerField(
        label=_("Context window"),
        required=False,
        help_text=_("In tokens. Empty: what the server says."),
        widget=forms.TextInput(attrs=_NUMBER),
    )
    written_calls = forms.BooleanField(
        label=_("It writes its tool calls as text, and they count"), required=False
    )


class ModelServerForm(PageForm):
    """Where the models run. An empty key keeps the present one; `forget_key` removes it."""

    kind = forms.ChoiceField(
        choices=[("litellm", "LiteLLM"), ("openai", "OpenAI"), ("demo", "demo")],
        initial="litellm",
        widget=forms.RadioSelect,
    )
    url = forms.CharField(
        label=_("Server address"),
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs={**_MONO, "inputmode": "url", "placeholder": "http://…"}),
    )
    key = forms.CharField(
        label=_("API key"),
        max_length=2000,
        required=False,
        widget=forms.PasswordInput(attrs={"class": "mono", "autocomplete": "off"}),
    )
    forget_key = forms.BooleanField(label=_("Remove the key"), required=False)
    chat_path = forms.CharField(
        label=_("Chat path"),
        max_length=200,
        required=False,
        initial=CHAT_PATH,
        widget=forms.TextInput(attrs=_MONO),
    )
    models_path = forms.CharField(
        label=_("Models path"),
        max_length=200,
        required=False,
        initial=MODELS_PATH,
        widget=forms.TextInput(attrs=_MONO),
    )
    model = forms.CharField(
        label=_("Model"), max_length=200, required=False, widget=forms.TextInput(attrs=_MONO)
    )
    context_size = forms.IntegerField(
        label=_("Context window"),
        required=False,
        help_text=_("In tokens. Empty: what the server says."),
        localize=False,
        widget=forms.TextInput(attrs=_NUMBER),
    )
    max_steps = forms.IntegerField(
        label=_("Steps per answer"),
        required=False,
        initial=50,
        widget=forms.TextInput(attrs=_NUMBER),
    )
    max_output_tokens = forms.IntegerField(
        label=_("Tokens per step"),
        required=False,
        help_text=_("Empty: the server’s own limit."),
        widget=forms.TextInput(attrs=_NUMBER),
    )

    @classmethod
    def of(cls, server: ModelServerInfo | None) -> ModelServerForm:
        """Returns the form filled with the settings in force."""
        return cls(initial=server.model_dump(by_alias=False) if server else None)

    def settings(self) -> ModelServerSettings:
        """Returns the settings that were typed; call it after `is_valid()`."""
        data: dict[str, Any] = self.cleaned_data
        if data["kind"] == "demo":
            return ModelServerSettings(kind="demo")
        return ModelServerSettings(
            kind=data["kind"],
            url=data["url"].rstrip("/"),
            chat_path=data["chat_path"] or CHAT_PATH,
            models_path=data["models_path"] or MODELS_PATH,
            model=data["model"],
            context_size=data["context_size"],
            max_steps=data["max_steps"] or 50,
            max_output_tokens=data["max_output_tokens"],
        )

    def new_key(self) -> str | None:
        """Returns the typed key, "" to forget it, None to keep the present one."""
        if self.cleaned_data["forget_key"]:
            return ""
        return self.cleaned_data["key"] or None
