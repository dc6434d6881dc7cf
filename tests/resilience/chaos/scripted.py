"""What people say in a storm, and the model that answers: it talks, runs a command, or has to ask.

A message is `chaos-ID talk`, `chaos-ID run` or `chaos-ID ask`. The command of the latter two
appends the ID to a file: a line that is there twice was run twice, whoever asked for it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.openai_behaviours import Answer, Pause, answer, call, text

KINDS = ("talk", "run", "ask")
RAN = "ran.txt"
_SAID = re.compile(r"chaos-([\w-]+) (talk|run|ask)")
_WORDS = 12
_PAUSE = Pause(0.03)


def words(identity: str, kind: str) -> str:
    """What a person says."""
    return f"chaos-{identity} {kind}"


def command(identity: str, kind: str) -> str:
    """The command that the model wants; a rule of everybody's asks about `true`."""
    return f"{'true; ' if kind == 'ask' else ''}echo {identity} >> {RAN}; sleep 0.2"


def choose(body: dict[str, Any]) -> Answer:
    """Answers what was said since the model spoke last."""
    asked = [found for one in _news(body["messages"]) for found in _SAID.findall(one)]
    wanted = [command(identity, kind) for identity, kind in asked if kind != "talk"]
    if not wanted:
        return answer(*_spoken([identity for identity, _kind in asked]))
    fragments = [
        call(number, f"call_{number}", "Bash", json.dumps({"command": each}))
        for number, each in enumerate(wanted)
    ]
    return answer(text("Let me see. "), _PAUSE, *fragments, reason="tool_calls")


def _news(messages: list[dict[str, Any]]) -> list[str]:
    news: list[str] = []
    for message in reversed(messages):
        if message["role"] != "user":
            break
        news.insert(0, json.dumps(message["content"]))
    return news


def _spoken(identities: list[str]) -> list[bytes | Pause]:
    steps: list[bytes | Pause] = [text(f"About {', '.join(identities) or 'that'}:")]
    for number in range(_WORDS):
        steps += [text(f" word-{number}"), _PAUSE]
    return steps
