"""Sentences: what people are told when a model server fails; each names what to do."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from maia_web.lib.languages import translated

_SENTENCES = {
    "bad-address": _(
        "The address or the key of the model server is not valid. Correct it in the settings."
    ),
    "bad-certificate": _(
        "The certificate of the model server at {url} is not trusted. Check the address."
    ),
    "bad-path": _(
        "The model server at {url} has nothing at this path. Check the paths in the settings."
    ),
    "busy": _("The model server has too much to do at the moment. Wait a little, then send again."),
    "cut-off": _("The model server stopped in the middle of the answer. Send the message again."),
    "did-not-start": _(
        "The local model at {url} did not start. Choose another model, or install it anew."
    ),
    "empty": _(
        "The model server gave an empty answer. Check its log, and the chat path in the settings."
    ),
    "left-out": _("The model server does not take “{field}”. From now on it is asked without it."),
    "mute": _(
        "The model server at {url} did not answer within {seconds} seconds. Check that it works."
    ),
    "no-credit": _("The account of the model server has no credit left. Tell an administrator."),
    "no-model": _("The model server does not know the model “{model}”. Choose another model."),
    "no-models": _(
        "The model server at {url} lists no model. Check the models path in the settings."
    ),
    "no-tools": _(
        "This model takes no tools here: it answers, but reads and changes nothing. Choose another "
        "model, or tell an administrator. Its server says: “{reason}”."
    ),
    "not-allowed": _(
        "The model server at {url} may not be reached from here. "
        "An administrator can allow its host (MAIA_INTERNAL_HOSTS)."
    ),
    "not-a-model": _(
        "What answers at {url} is not a chat model. "
        "Check the address and the chat path in the settings."
    ),
    "refused": _("The model server refused the request (HTTP {status}). It says: “{reason}”."),
    "refused-mute": _("The model server refused the request (HTTP {status}). It does not say why."),
    "refused-key": _(
        "The model server refused the key. An administrator can correct it in the settings."
    ),
    "renamed-limit": _(
        "The model server does not take “max_tokens”. From now on it gets its limit as "
        "“max_completion_tokens”."
    ),
    "server-error": _(
        "The model server has a problem (HTTP {status}). Try again later, or tell an administrator."
    ),
    "silent": _(
        "The model server said nothing more for {seconds} seconds. Send the message again."
    ),
    "stream-error": _(
        "The model server reported an error while it answered. Send the message again."
    ),
    "too-large": _("The model server sent more than can be read. Choose another model."),
    "too-long": _(
        "The conversation is too long for this model. Compact it (/compact), or start a new one."
    ),
    "unfit-key": _(
        "The key of the model server contains characters that no key has. Enter it again."
    ),
    "unreachable": _(
        "The model server at {url} cannot be reached. "
        "Check that it runs and that the address is right."
    ),
}


def sentence(name: str, **data: object) -> str:
    """Returns the sentence in the active language, with `data` filled in; it knows the others."""
    return translated(lambda: gettext(_SENTENCES[name]).format(**data))
