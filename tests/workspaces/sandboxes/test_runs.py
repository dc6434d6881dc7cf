"""How a command runs: output, limits of time and size, and an end without survivors."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from workspaces.domain.commands import CommandResult, Run
from workspaces.domain.places import Place
from workspaces.sandboxes import open_sandbox
from workspaces.sandboxes.folders import folders_of

pytestmark = pytest.mark.usefixtures("sandboxed")


async def _bash(place: Place, script: str, **options: Any) -> CommandResult:
    heard = options.pop("on_output", None)
    options = {"timeout": 30, "max_output": 100_000, **options}
    return await open_sandbox(place).run(Run(("bash", "-c", script), **options), heard)


async def test_both_streams_come_in_the_order_of_arrival(place: Place) -> None:
    result = await _bash(place, "echo 1; echo 2 >&2; echo 3; exit 3")
    assert (result.output, result.status, result.exit_code) == ("1\n2\n3\n", "exited", 3)


async def test_output_is_told_while_it_comes(place: Place) -> None:
    heard: list[str] = []
    first = asyncio.Event()

    def on_output(text: str) -> None:
        heard.append(text)
        first.set()

    script = "echo early; until [ -e go ]; do sleep 0.02; done; echo late"
    task = asyncio.create_task(_bash(place, script, on_output=on_output))
    async with asyncio.timeout(10):
        await first.wait()
        assert "".join(heard) == "early\n"
        (folders_of(place).workspace / "go").touch()
        result = await task
    assert "".join(heard) == result.output == "early\nlate\n"


async def test_output_beyond_the_cap_is_counted_not_kept(place: Place) -> None:
    result = await _bash(place, "head -c 1000000 /dev/zero | tr '\\0' é; echo", max_output=1_000)
    assert len(result.output) == 1_000
    assert result.status == "exited"
    assert len(result.output) + result.dropped >= 1_000_000


async def test_a_character_split_between_two_writes_stays_whole(place: Place) -> None:
    result = await _bash(place, "printf '\\xc3'; sleep 0.1; printf '\\xa9'")
    assert result.output == "é"


async def test_what_is_no_utf8_is_spelled(place: Place) -> None:
    result = await _bash(place, "printf 'a\\xff\\xfeb\\xc3'")
    assert result.output == r"a\xff\xfeb\xc3"


async def test_stdin_is_empty(place: Place) -> None:
    assert (await _bash(place, "cat; echo end")).output == "end\n"


_BEAT = "(trap '' TERM; while :; do date +%s%N > beat; sleep 0.02; done)"


async def test_the_time_limit_ends_everything(place: Place) -> None:
    begin = time.monotonic()
    script = f'setsid nohup bash -c "{_BEAT}" & until [ -s beat ]; do sleep 0.02; done; sleep 300'
    result = await _bash(place, script, timeout=1)
    assert result.status == "timeout"
    assert time.monotonic() - begin < 100
    before = (folders_of(place).workspace / "beat").read_text()
    await _bash(place, "sleep 0.2")
    assert (folders_of(place).workspace / "beat").read_text() == before


async def test_a_command_may_tidy_up_when_it_is_stopped(place: Place) -> None:
    script = "trap 'echo tidy > done; exit' TERM; echo ready; while :; do sleep 0.05; done"
    assert (await _bash(place, script, timeout=0.5)).status == "timeout"
    assert (folders_of(place).workspace / "done").read_text() == "tidy\n"


async def test_cancelling_kills_the_command_and_its_children(place: Place) -> None:
    workspace = folders_of(place).workspace
    ready = asyncio.Event()
    script = (
        "setsid nohup bash -c 'while :; do date +%s%N > beat; sleep 0.02; done' &"
        " until [ -s beat ]; do sleep 0.02; done; echo ready; sleep 300"
    )
    task = asyncio.create_task(_bash(place, script, on_output=lambda _text: ready.set()))
    async with asyncio.timeout(10):
        await ready.wait()
    task.cancel()
    async with asyncio.timeout(60):
        with pytest.raises(asyncio.CancelledError):
            await task
    before = (workspace / "beat").read_text()
    await _bash(place, "sleep 0.2")
    assert (workspace / "beat").read_text() == before


async def test_children_end_with_the_command(place: Place) -> None:
    workspace = folders_of(place).workspace
    script = (
        "setsid nohup bash -c 'while :; do date +%s%N > beat; sleep 0.02; done' > /dev/null &"
        " until [ -s beat ]; do sleep 0.02; done"
    )
    assert (await _bash(place, script)).exit_code == 0
    before = (workspace / "beat").read_text()
    await _bash(place, "sleep 0.2")
    assert (workspace / "beat").read_text() == before


async def test_a_program_that_is_not_there_says_so(place: Place) -> None:
    result = await open_sandbox(place).run(Run(("no-such",), timeout=10, max_output=1_000))
    assert result.exit_code == 127
    assert "No such file" in result.output


@pytest.mark.parametrize("argv", [("a\0b",), ("bash", "-c", "x\0")])
async def test_a_nul_is_not_run(place: Place, argv: tuple[str, ...]) -> None:
    result = await open_sandbox(place).run(Run(argv, timeout=10, max_output=1_000))
    assert result.status == "not-started"
    assert result.error


async def test_an_endless_argument_is_not_run(place: Place) -> None:
    result = await _bash(place, "x" * 3_000_000)
    assert result.status == "not-started"


@pytest.mark.parametrize("cwd", ["..", "/etc", "missing", "a\0", "x" * 5_000])
async def test_a_bad_folder_is_not_run(place: Place, cwd: str) -> None:
    assert (await _bash(place, "pwd", cwd=cwd)).status == "not-started"


async def test_a_folder_inside_or_at_home_may_be_chosen(place: Place) -> None:
    (folders_of(place).workspace / "sub").mkdir(mode=0o777)
    assert (await _bash(place, "pwd", cwd="sub")).output == "/workspace/sub\n"
    assert (await _bash(place, "pwd", cwd="~")).output == "/home/agent\n"


async def test_variables_are_passed_and_nothing_else(place: Place) -> None:
    result = await _bash(place, 'echo "$GREETING"; env | wc -l', env={"GREETING": "a b=c\n$d"})
    assert result.output.startswith("a b=c\n$d\n")


async def test_a_full_search_is_stopped_early(place: Place) -> None:
    result = await _bash(place, "yes", max_output=1_000, stop_when_full=True, timeout=60)
    assert result.status == "exited"
    assert len(result.output) == 1_000


async def test_many_at_once(place: Place) -> None:
    results = await asyncio.gather(*(_bash(place, f"echo {number}") for number in range(8)))
    assert [result.output for result in results] == [f"{number}\n" for number in range(8)]
