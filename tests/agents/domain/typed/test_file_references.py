"""Files named in what a person typed (seeds M §11.4 and S)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.typed.file_references import parse_references, print_reference

AGENTS = ("maia", "forge")


def paths(text: str) -> list[str]:
    return [reference.candidates[-1] for reference in parse_references(text, AGENTS)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@README.md", ["README.md"]),
        ("read @src/a.py, please", ["src/a.py"]),
        ("(see @src/a.py).", ["src/a.py"]),
        ("@ src/a.py", ["src/a.py"]),
        ("@'with space/a b.txt' and", ["with space/a b.txt"]),
        (r"@'l\'ami.txt'", ["l'ami.txt"]),
        ("@ 'a b'", ["a b"]),
        ("@~/notes.md @/workspace/x", ["~/notes.md", "/workspace/x"]),
        ("@src/ @src/", ["src/"]),
        ("jean@exemple.fr", []),
        ("`@src/a.py` in code", []),
        ("```\n@src/a.py\n```", []),
        ("@maia look at @forge's @a.py", ["a.py"]),
        ("@maia/readme.md is a path", ["maia/readme.md"]),
        ("@Maia", []),
        ("@", []),
        ("@''", []),
        ("$src/a.py and ($b.md)", ["src/a.py", "b.md"]),
        ("$notes.md.", ["notes.md"]),
        ("it costs 5$ or $5, \\$a.md", []),
        ("`$a.md`", []),
        ("$./a $~/b", ["./a", "~/b"]),
    ],
)
def test_the_forms(text: str, found: list[str]) -> None:
    assert paths(text) == found


def test_a_word_is_tried_as_it_stands_and_without_its_punctuation() -> None:
    assert parse_references("@why?")[0].candidates == ("why?", "why")


@pytest.mark.parametrize(
    "text", ["@src/x.ts", "@a.py", "@~", "@'x'", "$a.md", "@src/", "@./x", "@app/(auth)/p.tsx"]
)
def test_what_looks_like_a_path(text: str) -> None:
    assert parse_references(text)[0].is_path


@pytest.mark.parametrize(
    "text",
    [
        "@mention",
        "@jean.dupont",
        "@ noon",
        "@v1.2",
        "@types/node",
        "bump @babel/preset-env@7.2 please",
        "import x from '@/lib/util.ts'",
        '"@scope/name.js": "1"',
        "$HOME",
        "cp $src/a.txt there",
        "$HOME/.cache",
        "the $event.target of it",
        "$env:USERPROFILE\\notes.txt",
        "@pytest.mark",
    ],
)
def test_what_does_not(text: str) -> None:
    assert not parse_references(text)[0].is_path


@pytest.mark.parametrize(
    "text", ['@app.route("/x")', "@field_validator('a.py')", "what is @router.get(/a.md)?"]
)
def test_a_decorator_names_no_file(text: str) -> None:
    assert parse_references(text) == ()


def test_at_most_200_are_tried() -> None:
    assert len(parse_references(" ".join(f"@w{n}" for n in range(500)))) == 200


NAMES = st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="`\u2028\u2029"),
    min_size=1,
).filter(lambda name: name.strip() and not name.endswith("\\"))


@given(NAMES)
def test_a_printed_path_is_read_as_itself(path: str) -> None:
    found = parse_references(f"before {print_reference(path)} after")

    assert [one.candidates[0] for one in found] == [path]


@given(st.text(alphabet=st.characters(exclude_characters="@$")))
def test_prose_stays_prose(text: str) -> None:
    assert parse_references(text, AGENTS) == ()


@pytest.mark.parametrize("text", ["@'a\\'", "see @'a\\'b and more", "@'\\'", "@'`'`\\'"])
def test_a_quote_that_only_closes_behind_a_backslash_never_closes(text: str) -> None:
    assert parse_references(text) == ()


@given(st.text(alphabet="@$ab'\\`/. ~\n§!"))
def test_no_text_breaks_the_reading(text: str) -> None:
    for reference in parse_references(text, AGENTS):
        assert all(reference.candidates)
