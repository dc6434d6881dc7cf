"""A tool call that waits for an answer, without a host that runs it."""

from __future__ import annotations

import json
from typing import Any

from agents.domain.content.leases import Lease
from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.content.parts import ToolPart
from agents.domain.rules.requests import PermissionRequest
from agents.models import Turn
from agents.runtime.answering.asked_call import asked_call, release_of
from agents.services.permissions.requests import open_request
from agents.services.turns.hosts import claim_turn
from tests.cast import Cast
from tests.support.known import known
from tests.support.rules import rules_for
from tests.support.typed import post_message
from workspaces.files.real_paths import RealPaths

HOST = "machine:1:a"


def start_turn(user: int, channel: str) -> str:
    """Says something; returns the id of the turn that answers."""
    post_message(user, channel, "hello")
    turn = claim_turn(channel, HOST)
    assert turn is not None
    return turn.id


def ask(cast: Cast, turn: str, command: str = "make", **more: Any) -> PermissionRequest:
    """Asks whether a command may run in a turn."""
    row = Turn.objects.select_related("channel__workspace", "agent").get(id=turn)
    input = {"command": command, **more}
    call = ToolUseBlock(id=f"call-{command}", name="Bash", input=input)
    part = ToolPart(id=call.id, name="Bash", kind="execute", input=_json(input))
    place = cast.access(known(row.starter)).place
    rules = rules_for(place, row.agent.name)
    judged = rules.judge("Bash", input, RealPaths(place))
    assert judged.verdict.family == "ask", judged.verdict
    asked = asked_call(call, part, judged, release_of(call, rules))
    return open_request(Lease(row.id, row.lease), asked)


def _json(value: object) -> str:
    return json.dumps(value)
