"""The cases that administrators keep: tried before a rule of the site changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.translation import gettext as _

from agents.domain.rules.cases import CaseError, CaseResult, read_cases, run_cases
from agents.models import PolicySettings
from agents.selectors.people import administrator
from agents.selectors.permissions.policies import site_policy
from agents.services import audit
from maia_web.lib.errors import Conflict, InvalidInput

MAX_CASES = 2_000
MAX_TEXT = 1_048_576


def kept_cases() -> str:
    """Returns the cases as they were saved, one JSON object a line."""
    return PolicySettings.objects.values_list("cases", flat=True).filter(pk=1).first() or ""


def save_cases(user_id: int, text: str) -> tuple[CaseResult, ...]:
    """Keeps the cases and returns how they go now; administrators only.

    Raises `InvalidInput` naming the line that is no case.
    """
    administrator(user_id)
    text = text.replace("\r\n", "\n")
    cases = _read(text)
    settings, _made = PolicySettings.objects.get_or_create(pk=1)
    settings.cases = text
    settings.save(update_fields=["cases"])
    audit.record("setting", "cases", user=user_id, input={"cases": len(cases)})
    return run_cases(cases, site_policy())


def run_kept_cases(user_id: int) -> tuple[CaseResult, ...]:
    """Returns how the kept cases go with the rules of the site; administrators only."""
    administrator(user_id)
    return run_cases(_read(kept_cases()), site_policy())


@contextmanager
def tried_first(scope: str, *, confirmed: bool) -> Iterator[None]:
    """Around a change, in its transaction: raises `Conflict` ("cases-differ") if a case worsens.

    `data["cases"]` lists those that come out as expected before the change and not after.
    """
    text = kept_cases() if scope == "site" and not confirmed else ""
    cases = [case for case in _read(text) if "rules" not in case]
    before = run_cases(cases, site_policy()) if cases else ()
    yield
    after = run_cases(cases, site_policy()) if cases else ()
    worse = [new for old, new in zip(before, after, strict=True) if new.differs and not old.differs]
    if worse:
        raise Conflict(
            _("Your cases would come out otherwise. Save the change anyway?"),
            code="cases-differ",
            cases=[case_wire(one) for one in worse],
        )


def case_wire(result: CaseResult) -> dict[str, object]:
    """Returns a result as programs read it."""
    return {
        "id": result.id,
        "tool": result.tool,
        "expect": result.expect,
        "verdict": result.verdict.family,
        "differs": result.differs,
        "rule": result.verdict.rule,
        "part": result.verdict.part,
        "sentence": result.verdict.sentence(_),
    }


def _read(text: str) -> list[dict[str, object]]:
    if len(text) > MAX_TEXT:
        raise InvalidInput(_("The cases have more than 1 MB."), field="cases")
    try:
        cases = list(read_cases(text))
    except CaseError as error:
        reasons = {
            "json": _("Line %(line)d is not JSON: %(details)s"),
            "shape": _("Line %(line)d is no case: an object with tool, input and expect."),
        }
        words = reasons[error.why] % {"line": error.line, "details": error.details}
        raise InvalidInput(words, field="cases", line=error.line) from None
    if len(cases) > MAX_CASES:
        raise InvalidInput(
            _("There is room for %(many)d cases.") % {"many": MAX_CASES}, field="cases"
        )
    return cases
