"""Which paths fit what is typed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.domain.typed.completion import best_paths
from maia_web.lib.names.folding import fold

PATHS = (
    "docs/",
    "src/",
    "src/api/",
    "README.md",
    "src/api/read.py",
    "src/Reader.py",
    "x/thread.txt",
)


def best(typed: str, paths: tuple[str, ...] = PATHS, most: int = 12) -> tuple[str, ...]:
    return best_paths(typed, paths, [fold(path) for path in paths], most)


def test_names_that_begin_so_come_first_then_paths_then_what_holds_it() -> None:
    assert best("read") == ("README.md", "src/Reader.py", "src/api/read.py", "x/thread.txt")
    assert best("src/")[0] == "src/"
    assert best("src/r") == ("src/Reader.py", "src/api/read.py")


def test_a_path_is_found_however_its_letters_are_composed() -> None:
    decomposed = "e\u0301te\u0301/Stra\u00dfe.md"
    assert best("ÉTÉ/stras", (decomposed, "ete/strasse.md")) == (decomposed,)


def test_nothing_typed_shows_the_top_first() -> None:
    assert best("", most=3) == ("src/", "docs/", "README.md")


def test_what_is_hidden_comes_last() -> None:
    assert best("", (".maia/", "a/b/c.py", "a/b/.env")) == ("a/b/c.py", ".maia/", "a/b/.env")


def test_letters_in_order_are_the_last_resort() -> None:
    assert best("sapird") == ("src/api/read.py",)
    assert best("zzz") == ()


@given(st.text(max_size=5), st.lists(st.text(min_size=1), unique=True))
def test_each_path_comes_once_and_at_most_so_many(typed: str, paths: list[str]) -> None:
    found = best(typed, tuple(paths), most=4)

    assert len(found) == len(set(found)) <= 4
    assert set(found) <= set(paths)
