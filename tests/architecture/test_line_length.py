"""Templates, style sheets and modules keep to 100 columns, as Python does.

No formatter sees to it: Biome leaves the text of a template as it is, djade never breaks a line.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST = 100
OURS = (
    "templates/**/*.html",
    "static/css/*.css",
    "static/maia/**/*.js",
    "tests/js/**/*.js",
    "vendor/build.mjs",
    "vendor/src/*.js",
)
GENERATED = {"static/maia/frames.js"}
WHOLE = re.compile(r"\s*/\S.*/[dgimsuvy]*[;,]?$|test\(\"[^\"]*\", (async )?\(\) => \{$")
"""What cannot be broken: a regular expression, the name of a test."""


def _too_long() -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {len(line)}"
        for pattern in OURS
        for path in sorted(ROOT.glob(pattern))
        if path.relative_to(ROOT).as_posix() not in GENERATED
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > MOST and not WHOLE.match(line)
    ]


def test_no_line_is_longer_than_a_hundred_columns() -> None:
    assert _too_long() == []
