"""call_digest: binds an answer to exactly the call that was shown."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def call_digest(
    turn: str,
    tool: str,
    input: dict[str, Any],
    definition: str = "",
    leads: tuple[str, ...] = (),
) -> str:
    """Returns a SHA-256 of turn, tool and input, the same whatever the order of the keys.

    `definition`: of a tool whose definition may be another when the call runs; `leads`: where
    links lead that it names.
    """
    bound = [turn, tool, input, *([definition] if definition else [])]
    bound += [list(leads)] if leads else []
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
