"""Gate: decides each tool call by rule, else asks people and waits for as long as they need."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from datetime import UTC, datetime

from agents.domain.content.model_messages import ToolUseBlock
from agents.domain.content.parts import ToolPart
from agents.domain.content.turns import ClaimedTurn
from agents.domain.rules.call_digest import call_digest
from agents.domain.rules.decisions import decision_text
from agents.domain.rules.requests import PermissionRequest
from agents.domain.rules.verdict import Verdict
from agents.engine.ports.permissions import Allowed, Decision, Refused, StopAsked
from agents.engine.ports.sink import Sink
from agents.engine.ports.tools import ToolOutput
from agents.runtime.answering.asked_call import asked_call, release_of
from agents.runtime.answering.policies import rules_of
from agents.selectors.permissions.path_checks import CallCheck
from agents.selectors.permissions.policies import Judged, Rules, request_state
from agents.services.permissions import requests
from maia_web.lib.db import in_db
from workspaces.files.real_paths import RealPaths

LOOK_AGAIN = 5.0


class Waiters:
    """Wakes the turns that wait for an answer; the rows are the truth, this is only a hint."""

    def __init__(self) -> None:
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    def wake(self, request_id: str) -> None:
        """The request changed."""
        event = self._events.get(request_id)
        if event is not None:
            event.set()

    async def settled(self, request: PermissionRequest) -> PermissionRequest:
        """Returns the request once it is no longer pending."""
        event = self._events[request.id]
        try:
            while request.state == "pending":
                event.clear()
                latest = await in_db(request_state)(request.id)
                if latest is None:
                    return request.model_copy(update={"state": "cancelled"})
                request = latest
                if request.state == "pending":
                    await self._next(event, request)
        finally:
            self._events.pop(request.id, None)
        return request

    async def _next(self, event: asyncio.Event, request: PermissionRequest) -> None:
        if request.expires_at and datetime.fromisoformat(request.expires_at) <= datetime.now(UTC):
            await in_db(requests.expire_request)(request.id)
            return
        try:
            async with asyncio.timeout(LOOK_AGAIN):
                await event.wait()
        except TimeoutError:
            pass


class PeopleGate:
    """The gate of one turn."""

    def __init__(
        self,
        turn: ClaimedTurn,
        waiters: Waiters,
        sink: Sink,
        language: str,
    ) -> None:
        self._turn = turn
        self._waiters = waiters
        self._sink = sink
        self._language = language
        self._judged: dict[str, Judged] = {}

    async def decide(
        self,
        call: ToolUseBlock,
        part_index: int,
        preview: ToolOutput,
        recorded: ToolUseBlock | None = None,
    ) -> Decision:
        """Returns what the rules or the people say, about the files that the call really names."""
        definition = preview.definition
        rules = await rules_of(self._turn, definition)
        judged = await self._judge(rules, call)
        if judged.verdict.family != "ask":
            self._judged[call.id] = judged
            return await self._by_rule(call, judged.verdict)
        part = self._sink.parts[part_index]
        if not isinstance(part, ToolPart):
            raise TypeError(f"part {part_index} is no tool call")
        release = await asyncio.to_thread(release_of, call, rules)
        asked = await in_db(asked_call)(call, part, judged, release, definition)
        request = await in_db(requests.open_request)(self._turn.lease, asked)
        calls = (call, recorded or call)
        if not self._is_about(request, calls, definition, judged):
            return Refused(decision_text("other-call", self._language))
        return await self._answered_now(calls, await self._waiters.settled(request), definition)

    async def path_check(self, call: ToolUseBlock) -> CallCheck:
        """Returns what judges the files a call really opens, by the rules as of now."""
        rules = await rules_of(self._turn)
        return CallCheck.of(rules.policy, call.name, self._judged.get(call.id))

    async def _answered_now(
        self,
        calls: tuple[ToolUseBlock, ToolUseBlock],
        request: PermissionRequest,
        definition: str,
    ) -> Decision:
        """Returns what was answered, unless links lead elsewhere by now or a rule forbids it."""
        decision = self._answered(request)
        if not isinstance(decision, Allowed) or decision.input is not None:
            return decision
        call, rules = calls[0], await rules_of(self._turn, definition)
        judged = await self._judge(rules, call)
        if judged.verdict.family == "deny":
            return await self._by_rule(call, judged.verdict)
        if not self._is_about(request, calls, definition, judged):
            return Refused(decision_text("leads-elsewhere", self._language))
        self._judged[call.id] = judged
        return decision

    async def _judge(self, rules: Rules, call: ToolUseBlock) -> Judged:
        real = RealPaths(self._turn.place)
        return await asyncio.to_thread(rules.judge, call.name, call.input, real)

    def _is_about(
        self,
        request: PermissionRequest,
        calls: tuple[ToolUseBlock, ToolUseBlock],
        definition: str,
        judged: Judged,
    ) -> bool:
        """Says whether a request is about this call, as it is or was kept, and the files it names.

        An earlier version of MAIA kept calls as they were received, and asked about them so.
        """
        turn, leads = self._turn.id, judged.leads
        return request.digest in {
            call_digest(turn, one.name, one.input, definition, leads) for one in calls
        }

    async def _by_rule(self, call: ToolUseBlock, verdict: Verdict) -> Decision:
        await in_db(requests.record_decision)(self._turn.lease, call.name, call.input, verdict)
        if verdict.family == "allow":
            return Allowed()
        return Refused(decision_text("denied", self._language, rule=verdict.rule or ""))

    def _answered(self, request: PermissionRequest) -> Decision:
        option = request.answer.option if request.answer else ""
        if option in ("allow_once", "allow_always", "rule"):
            return self._allowed(request)
        if option == "stop":
            return StopAsked()
        if request.state == "expired":
            return Refused(decision_text("expired", self._language))
        word = request.answer.instruction if request.answer else ""
        if word:
            return Refused(decision_text("refused-with-word", self._language, word=word))
        return Refused(decision_text("refused", self._language))

    def _allowed(self, request: PermissionRequest) -> Decision:
        edited = request.answer.input if request.answer else None
        if edited is None:
            return Allowed()
        input = json.loads(edited)
        note = decision_text("edited", self._language, command=input.get("command", ""))
        return Allowed(input, note)
