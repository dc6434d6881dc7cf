"""PermissionRequest: a tool call that waits for a person's answer."""

from __future__ import annotations

from typing import Literal

from agents.domain.content.messages import Person
from agents.domain.content.parts import ToolPart
from maia_web.lib.values import Value

OptionKind = Literal["allow_once", "allow_always", "reject_once", "stop"]
RequestState = Literal["pending", "answered", "cancelled", "expired"]
RuleScope = Literal["person", "workspace"]


class Option(Value):
    """One answer a person may choose."""

    id: str
    kind: OptionKind


class RuleOffer(Value):
    """A rule that "allow always" may write, and in words what else it would cover.

    `also`: further rules the call needs, written together with `rule` (one for each part). `code`
    (of `offers.COVERS`) and `names` say in every language what else it covers, "" for nothing;
    `covers` says it in English, for programs. `runs`: the programs it allows that can run others
    (`rule_powers`), so that it allows whatever they can.
    """

    rule: str
    also: tuple[str, ...] = ()
    covers: str = ""
    code: str = ""
    names: str = ""
    runs: tuple[str, ...] = ()


class Reason(Value):
    """Why it is asked: the deciding rule and its scope, if any; the part that decided.

    `code` (of `rule_verdict.SENTENCES`) and `params` say it in every language; `sentence` says it
    in English, for programs. `by` added the rule, or `file` holds it. `untrusted`: the workspace's
    settings file would allow the call, but the person has not trusted it. `links`: where links
    lead that the call names besides `part`, as "docs/x → .env".
    """

    rule: str | None = None
    scope: str | None = None
    part: str = ""
    code: str = ""
    params: dict[str, str] = {}
    sentence: str = ""
    by: str | None = None
    file: str | None = None
    untrusted: bool = False
    links: tuple[str, ...] = ()


class Answer(Value):
    """What was answered, by whom, when; `rule` is the rule that was written, if one was.

    The option "rule" means that a rule `by` wrote elsewhere now allows the call. `input` is the
    JSON of the input that the starter allowed instead of the one asked for, `proposed_by` who had
    proposed it, if they did not write it themselves.
    """

    option: str
    by: Person
    at: str
    rule: str | None = None
    scope: RuleScope | None = None
    instruction: str = ""
    input: str | None = None
    proposed_by: Person | None = None


class Proposal(Value):
    """What somebody who may answer would have run instead; only the starter can accept it.

    `input` is its JSON, `id` its digest: who accepts or declines names the one that was shown.
    """

    id: str
    by: Person
    at: str
    input: str


class PermissionRequest(Value):
    """Everything a card shows. `starter` and the workspace's owners may answer, `starter` edits.

    `digest` stands for turn, tool and input: an answer may name the one it was given for.
    `definition` is the digest of a TOOL.json's tool: a rule for it holds for this one alone.
    """

    id: str
    channel: str
    workspace: str = ""
    agent: str
    message_id: str
    tool_call: ToolPart
    folder: str
    options: tuple[Option, ...]
    offers: tuple[RuleOffer, ...] = ()
    reason: Reason = Reason()
    rejections: int = 0
    starter: Person
    created_at: str
    expires_at: str | None = None
    digest: str = ""
    definition: str = ""
    state: RequestState = "pending"
    answer: Answer | None = None
    proposal: Proposal | None = None


OPTIONS = (
    Option(id="allow_once", kind="allow_once"),
    Option(id="allow_always", kind="allow_always"),
    Option(id="deny", kind="reject_once"),
    Option(id="stop", kind="stop"),
)
