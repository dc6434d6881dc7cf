"""The file of a session: the command-line MAIA's shape, read tolerantly, written exactly."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.content.model_messages import (
    ModelMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
)
from agents.domain.memory.saved_sessions import (
    BrokenSession,
    SavedSession,
    read_session,
    write_session,
)

NOW = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
FROM_MAIA = """{
  "version": 1,
  "name": "another name than the file's",
  "createdAt": "2026-11-24T10:38:00.123Z",
  "updatedAt": "2026-11-24T11:40:00.000Z",
  "model": "litellm:gpt-4o",
  "cwd": "/home/zoé/projet",
  "messages": [
    {"role": "user", "content": [{"type": "text", "text": "lis a.py"}]},
    {"role": "assistant", "content": [
      {"type": "text", "text": "Voilà."},
      {"type": "tool_use", "id": "call_1", "name": "Read", "input": {"path": "a.py"}}]},
    {"role": "user", "content": [
      {"type": "tool_result", "toolUseId": "call_1", "content": "1\\tprint()", "isError": false},
      {"type": "tool_result", "toolUseId": "call_2", "content": "non", "isError": true}]}
  ],
  "pendingContext": ["$ ls\\na.py"],
  "startContext": "## Contexte du projet",
  "agent": "argus",
  "parentSession": "release"
}
"""

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)
BLOCKS = st.one_of(
    st.builds(TextBlock, text=TEXT),
    st.builds(ToolUseBlock, id=TEXT, name=TEXT, input=st.dictionaries(TEXT, TEXT | st.integers())),
    st.builds(
        lambda id, content, failed: ToolResultBlock(
            tool_use_id=id, content=content, is_error=failed
        ),
        TEXT,
        TEXT,
        st.sampled_from([None, True, False]),
    ),
)
MESSAGES = st.builds(
    ModelMessage,
    role=st.sampled_from(["user", "assistant"]),
    content=st.lists(BLOCKS, max_size=3).map(tuple),
)
SESSIONS = st.builds(
    SavedSession,
    name=st.just("here"),
    created_at=st.just("2026-11-24T10:38:00Z"),
    updated_at=st.just("2026-11-24T10:38:01.5Z"),
    model=TEXT,
    cwd=TEXT,
    messages=st.lists(MESSAGES, max_size=4).map(tuple),
    pending_context=st.lists(TEXT, max_size=2).map(tuple),
    start_context=TEXT,
    agent=TEXT,
    parent_session=TEXT,
)


def test_a_file_of_the_command_line_opens_under_the_name_of_the_file() -> None:
    session = read_session(FROM_MAIA, "webhook", NOW)

    assert (session.name, session.model, session.cwd) == (
        "webhook",
        "litellm:gpt-4o",
        "/home/zoé/projet",
    )
    assert session.messages[2].content[1] == ToolResultBlock(
        tool_use_id="call_2", content="non", is_error=True
    )
    assert json.loads(write_session(session)) == {**json.loads(FROM_MAIA), "name": "webhook"}


@given(SESSIONS)
def test_what_is_written_is_read_again(session: SavedSession) -> None:
    assert read_session(write_session(session), session.name, NOW) == session


def test_missing_fields_get_defaults_and_unknown_ones_are_left_out() -> None:
    session = read_session('{"future": 1}', "x", NOW)

    assert session == SavedSession("x", "2026-11-30T14:05:00Z", "2026-11-30T14:05:00Z")
    assert set(json.loads(write_session(session))) == {
        "version",
        "name",
        "createdAt",
        "updatedAt",
        "model",
        "cwd",
        "messages",
        "pendingContext",
    }


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "JSON"),
        ("{", "JSON"),
        ("null", "JSON"),
        ("[" * 100_000, "JSON"),
        ('{"a": NaN}', "JSON"),
        ('{"version": 2}', "version"),
        ('{"messages": {}}', "messages"),
        ('{"messages": [1]}', "messages[0].role"),
        ('{"messages": [{"role": "system", "content": []}]}', "messages[0].role"),
        ('{"messages": [{"role": "user", "content": 3}]}', "messages[0].content"),
        (
            '{"messages": [{"role": "user", "content": [{"type": "image"}]}]}',
            "messages[0].content[0].type",
        ),
        (
            '{"messages": [{"role": "user", "content": [{"type": "tool_result"}]}]}',
            "messages[0].content[0].toolUseId",
        ),
    ],
)
def test_a_broken_file_is_refused_with_the_place(text: str, where: str) -> None:
    with pytest.raises(BrokenSession) as broken:
        read_session(text, "x", NOW)
    assert where in str(broken.value)


JSON = st.recursive(st.none() | st.integers() | TEXT, st.lists).map(json.dumps)


@given(st.text(max_size=60) | JSON)
def test_nothing_but_broken_session_is_ever_raised(text: str) -> None:
    with contextlib.suppress(BrokenSession):
        read_session(text, "x", NOW)


def test_what_no_database_keeps_is_made_harmless() -> None:
    message = '{"role": "user", "content": "a\\u0000b\\ud800"}'

    session = read_session(f'{{"messages": [{message}], "pendingContext": ["\\u0000"]}}', "x", NOW)

    assert session.messages[0].content == (TextBlock(text="a\ufffdb\ufffd"),)
    assert session.pending_context == ("\ufffd",)
