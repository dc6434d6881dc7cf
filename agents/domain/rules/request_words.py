"""Request words: a request with its sentences in one person's language."""

from __future__ import annotations

from collections.abc import Callable

from agents.domain.rules.offers import COVERS
from agents.domain.rules.requests import PermissionRequest, Reason, RuleOffer
from agents.domain.rules.verdict import SENTENCES, reason_sentence

Translate = Callable[[str], str]


def in_words(request: PermissionRequest, translate: Translate) -> PermissionRequest:
    """Returns the request as `translate` (a person's gettext) says it; older ones as they are."""
    offers = tuple(offer_in_words(one, translate) for one in request.offers)
    reason = reason_in_words(request.reason, translate)
    return request.model_copy(update={"offers": offers, "reason": reason})


def offer_in_words(offer: RuleOffer, translate: Translate) -> RuleOffer:
    """Returns the offer with what it covers in words."""
    if offer.code not in COVERS:
        return offer
    covers = translate(COVERS[offer.code]) % {"names": offer.names}
    return offer.model_copy(update={"covers": covers})


def reason_in_words(reason: Reason, translate: Translate) -> Reason:
    """Returns the reason with its sentence."""
    if reason.code not in SENTENCES:
        return reason
    names = {"rule": reason.rule, "scope": reason.scope, "part": reason.part}
    sentence = reason_sentence(reason.code, names, reason.params, translate)
    return reason.model_copy(update={"sentence": sentence})
