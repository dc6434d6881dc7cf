"""The loop detector: three times the same, in a row."""

from __future__ import annotations

from agents.domain.content.model_messages import (
    ModelMessage,
    ToolResultBlock,
    ToolUseBlock,
    join_user,
    user_text,
)
from agents.domain.tools.loop_detector import LoopDetector, detector_after

CALL = ToolUseBlock(id="a", name="Bash", input={"command": "ls", "x": 1})


def test_the_third_equal_call_in_a_row_and_those_after_are_marked() -> None:
    detector = LoopDetector()
    outputs = [detector.checked(CALL, "same", "en") for _ in range(4)]
    assert outputs[:2] == ["same", "same"]
    assert outputs[2].startswith("same\n[LOOP_DETECTED: Bash was called 3 times")
    assert outputs[3].startswith("same\n[LOOP_DETECTED: Bash was called 4 times")
    assert all(output.endswith("]") for output in outputs[2:])


def test_another_output_input_or_tool_between_begins_anew() -> None:
    detector = LoopDetector()
    assert [
        detector.add("Bash", {"a": 1}, "x"),
        detector.add("Bash", {"a": 1}, "x"),
        detector.add("Bash", {"a": 1}, "y"),
        detector.add("Bash", {"a": 2}, "y"),
        detector.add("Read", {"a": 2}, "y"),
    ] == [1, 2, 1, 1, 1]


def test_the_order_of_parameters_does_not_matter() -> None:
    detector = LoopDetector()
    detector.add("Bash", {"a": 1, "b": 2}, "x")
    assert detector.add("Bash", {"b": 2, "a": 1}, "x") == 2


def history(count: int) -> tuple[ModelMessage, ...]:
    messages: tuple[ModelMessage, ...] = (user_text("go"),)
    for n in range(count):
        call = CALL.model_copy(update={"id": str(n)})
        result = ToolResultBlock(tool_use_id=str(n), content="same")
        messages += (
            ModelMessage(role="assistant", content=(call,)),
            ModelMessage(role="user", content=(result,)),
        )
    return messages


def test_a_turn_taken_up_remembers_its_calls() -> None:
    assert "[LOOP_DETECTED" in detector_after(history(2)).checked(CALL, "same", "fr")
    assert "[LOOP_DETECTED" not in detector_after(history(1)).checked(CALL, "same", "fr")


def test_words_of_a_person_begin_anew() -> None:
    messages = join_user(history(2), "again please")
    assert detector_after(messages).checked(CALL, "same", "en") == "same"
