"""Compaction: when, with which words, and what shrinks in an emergency."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    join_user,
    user_text,
)
from agents.domain.memory.compaction import (
    beside_summary,
    is_full,
    request_of,
    resumed_request,
    shrink_texts,
    shrink_tool_results,
    summary_messages,
    summary_system,
    threshold,
)
from agents.domain.memory.history import history_text
from agents.domain.memory.tokens import count_context, count_text

PROMPT = """Faire un résumé compacté de nos échanges. Retourne le résultat sous le format suivant :
## Contexte du projet
- [Description brève du projet]
## Objectif actuel
- [Ce qu'on cherche à faire]
## Fichiers pertinents
- [Liste des fichiers importants]
## Décisions/Conclusions
- [Points clés établis]
## Prochaines étapes
- [Ce qui reste à faire]"""
SAID = ModelMessage(role="assistant", content=(TextBlock(text="ok"),))
RESULT = ModelMessage(role="user", content=(ToolResultBlock(tool_use_id="a", content="x" * 5_000),))


@pytest.mark.parametrize(
    ("used", "size", "full"),
    [
        (195_500, 200_000, False),
        (195_501, 200_000, True),
        (1, 4_500, False),
        (9_999, 4_500, False),
        (2, 4_501, True),
        (10**9, 0, False),
    ],
)
def test_a_context_is_full_strictly_above_the_threshold(used: int, size: int, full: bool) -> None:
    assert is_full(used, size) is full


def test_no_threshold_where_the_maximum_is_small_or_unknown() -> None:
    assert [threshold(size) for size in (0, 4_500, 4_501)] == [None, None, 1]


def test_the_prompt_is_the_seed_s_and_follows_the_pending_context() -> None:
    messages = summary_messages((user_text("go"), SAID), ("$ ls",), "fr")

    assert messages[-1] == user_text(f"$ ls\n\n{PROMPT}")
    assert [message.role for message in messages] == ["user", "assistant", "user"]


def test_the_prompt_joins_a_last_message_of_the_user() -> None:
    (message,) = summary_messages((user_text("go"),), (), "fr")

    assert [block.text for block in message.content if isinstance(block, TextBlock)] == [
        "go",
        PROMPT,
    ]


def test_the_model_is_told_to_call_no_tool_and_where_to_go_on() -> None:
    assert "n'appelle aucun outil" in summary_system("Tu es MAIA.", "fr")
    (block,) = resumed_request("write it", "en").content
    assert isinstance(block, TextBlock)
    assert block.text.startswith("write it\n\n(The conversation was compacted")


@given(st.integers(1, 3_000))
def test_shrinking_makes_a_context_smaller_and_keeps_every_result(limit: int) -> None:
    before = (user_text("go"), RESULT)
    after = shrink_tool_results(before, limit)

    (block,) = after[1].content
    assert isinstance(block, ToolResultBlock)
    assert (len(block.content), block.tool_use_id) == (limit, "a")
    assert count_context("", after) < count_context("", before)


def test_the_history_is_cut_as_the_seed_says_and_its_fences_hold() -> None:
    call = ToolUseBlock(id="a", name="Read", input={"path": "`a`"})
    result = ToolResultBlock(tool_use_id="a", content="```\n" + "x" * 700)
    text = history_text(
        [
            user_text("q" * 1_600),
            ModelMessage(role="assistant", content=(TextBlock(text="y" * 5_000), call)),
            ModelMessage(role="user", content=(result,)),
        ],
        person="You",
        agent="maia",
    )

    assert "q" * 1_500 + "…" in text
    assert "q" * 1_501 not in text
    assert "y" * 5_000 in text
    assert f"````\n```\n{'x' * 596}…\n````" in text
    assert text.count("**You**") == 1


@given(st.lists(st.sampled_from(["user", "assistant", "result"]), max_size=5), st.text(min_size=1))
def test_the_request_of_a_turn_is_found_wherever_it_joined(before: list[str], text: str) -> None:
    known = {"user": user_text("earlier"), "assistant": SAID, "result": RESULT}
    memory = tuple(known[role] for role in before)
    later = (*join_user(memory, text), SAID, RESULT)

    assert request_of(later, len(memory), memory[-1] if memory else None) == text
    assert request_of(memory, len(memory), memory[-1] if memory else None) is None


@given(st.text(max_size=300), st.integers(0, 60))
def test_a_request_that_is_made_again_leaves_room(text: str, size: int) -> None:
    (block,) = resumed_request(text, "en", size).content
    assert isinstance(block, TextBlock)
    kept = block.text.partition("\n\n(The conversation was compacted")[0]
    if not size or len(text) <= size * 2:
        assert kept == text
    else:
        assert len(kept) <= size * 2 + 50
        assert kept.endswith(text[-size:])


def test_texts_of_people_shrink_and_answers_stay() -> None:
    long = ModelMessage(role="assistant", content=(TextBlock(text="a" * 9_000),))
    shrunk, answer, result = shrink_texts((user_text("u" * 9_000), long, RESULT), "en")

    (block,) = shrunk.content
    assert isinstance(block, TextBlock)
    assert len(block.text) < 6_100
    assert (answer, result) == (long, RESULT)


@pytest.mark.parametrize("language", ["en", "fr"])
@given(
    text=st.text(alphabet=st.sampled_from("ab 1\n.é漢字ع🙂"), max_size=2_000),
    size=st.integers(0, 1_000),
)
def test_instructions_stand_whole_beside_a_summary_where_they_fit_in_half_the_context(
    language: str, text: str, size: int
) -> None:
    kept = beside_summary(text, size, language)
    if not size or count_text(text) <= size // 2:
        assert kept == text
    else:
        assert len(kept) < len(text) + 40
        assert count_text(kept) <= size // 2 + count_text("[… 2000 caractères omis …]") + 400


def test_a_megabyte_of_instructions_keeps_beginning_and_end() -> None:
    text = "first rule\n" + "many words " * 95_000 + "last rule"
    kept = beside_summary(text, 128_000, "en")
    assert kept.startswith("first rule")
    assert kept.endswith("last rule")
    assert count_text(kept) <= 64_100
    assert beside_summary(text, 0, "en") == text


def test_history_keeps_the_lines_of_requests() -> None:
    asked = user_text("one\n  two")
    said = ModelMessage(role="assistant", content=(TextBlock(text="three\nfour"),))
    text = history_text((asked, said), person="Request", agent="maia")
    assert text == "**Request**\n\none  \n  two\n\n**maia**\n\nthree\nfour"
