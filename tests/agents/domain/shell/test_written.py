"""What a command writes, by the table of programs."""

from __future__ import annotations

import pytest

from agents.domain.shell.bash import read_script
from agents.domain.shell.written import written_words


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a b", set()),
        ("cp a b", {"b", "b/a"}),
        ("cp src/a src/b .git/", {".git/", ".git/a", ".git/b"}),
        ("cp -t .git x/config", {".git", ".git/config"}),
        ("cp --target-directory=.git x/config", {".git", ".git/config"}),
        ("mv a b", {"a", "b", "b/a"}),
        ("ln -s x .git/hooks/pre-commit", {".git/hooks/pre-commit", ".git/hooks/pre-commit/x"}),
        ("install -m 755 a .envrc", {".envrc", ".envrc/a"}),
        ("tee -a x y", {"x", "y", "y/x"}),
        ("rm -rf a", {"a"}),
        ("touch -d now a", {"a"}),
        ("chmod +x a b", {"a", "b"}),
        ("sed s/a/b/ f", set()),
        ("sed -i s/a/b/ .git/config", {".git/config"}),
        ("sed -i.bak -e s/a/b/ .git/config", {".git/config"}),
        ("sed -ne p --in-place f", {"f"}),
        ("dd if=a of=.git/config", {".git/config"}),
        ("tar -xf a.tar -C .git", {"a.tar", ".git"}),
        ("tar xfC a.tar .git", {"a.tar", ".git"}),
        ("unzip a.zip -d .git", {".git", ".git/a.zip"}),
        ("7z x a.7z -o.git", {".git", "a.7z", "x", "a.7z/x"}),
        ("curl -so .git/config u", {".git/config"}),
        ("curl -s u --output=.git/config", {".git/config"}),
        ("sort -o a b", {"a"}),
        ("rsync -a src/ .git/", {".git/", ".git/src"}),
        ("python x.py", set()),
    ],
)
def test_what_is_written_is_named(command: str, expected: set[str]) -> None:
    found = written_words(read_script(command).commands[0].words)
    assert {word.text for word in found} >= expected
    assert bool(found) is bool(expected)


@pytest.mark.parametrize(
    ("command", "known"),
    [('cp a "$x"', ""), ('cp a ".git/$x"', ".git/"), ("cp a .git/*", ".git/"), ("cp a $x", "")],
)
def test_what_only_bash_knows_is_named_as_far_as_known(command: str, known: str) -> None:
    found = written_words(read_script(command).commands[0].words)
    assert any(not word.is_static and word.known == known for word in found)
