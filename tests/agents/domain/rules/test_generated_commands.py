"""Generated commands under random rules, run by the real bash and the real programs.

Nothing that was allowed ran or wrote what no rule covers. More of them, with a seed of one's own:
`python -m tests.agents.domain.rules.generated_commands 20000 7`.
"""

from __future__ import annotations

import sys

import pytest

from tests.agents.domain.rules.generated_commands import BOX, Made, is_wrong, run

COUNT = 250
SEED = 2_600


@pytest.mark.parametrize("part", range(4))
def test_nothing_runs_or_writes_what_no_rule_covers(part: int) -> None:
    tally = run(COUNT, SEED + part)
    sys.stdout.write(f"{tally}\n")
    assert tally.wrong == []


WRONG = [
    Made("find . -exec evil ';'", ("Bash(find *)",)),
    Made("for v in utput=OUT2; do sort --o$v a.txt; done", ("Bash(sort *)",)),
    Made("cd /usr/bin && ./touch /mnt/work/OUT2", ("Bash",), ("Bash(touch *)",)),
    Made("choom -n 5 evil", ("Bash",), ("Bash(evil *)",)),
    Made("git -C . push -q origin main", ("Bash",), ("Bash(git push *)",)),
    Made("cd links/sub; . ./env.sh", ("Bash(cd *)", "Bash(. ./env.sh)")),
    Made("git -C nest status", ("Bash(git *)",)),
    Made("sort --o* a.txt", ("Bash(sort *)",)),
    Made("xxd a.txt -x", ("Bash(xxd *)",)),
]


def test_what_is_wrong_is_seen_when_it_runs() -> None:
    """The judge of the test above: each of these does what its rules do not cover."""
    found = BOX.run([made.line for made in WRONG])
    assert [
        made.line for made, ran in zip(WRONG, found, strict=True) if not is_wrong(made, ran)
    ] == []
