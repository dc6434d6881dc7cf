"""What programs say to a terminal, made up: whole sequences in any order, and cuts anywhere."""

from __future__ import annotations

from hypothesis import strategies as st

_NUMBERS = st.integers(0, 12)
_MODES = st.sampled_from([1, 6, 7, 25, 47, 1000, 1002, 1003, 1004, 1006, 1047, 1049, 2004])
_COLOURS = st.sampled_from([0, 1, 4, 7, 31, 32, 42, 91])


def _one(final: str) -> st.SearchStrategy[str]:
    return st.builds(lambda number: f"\x1b[{number}{final}", _NUMBERS)


WORDS = st.text(st.sampled_from("abc xyz-é漢"), min_size=1, max_size=12)
LINE_ENDS = st.sampled_from(["\r\n", "\n", "\r"])
MOVES = st.one_of(
    *(_one(final) for final in "ABCDEFGd"),
    st.builds("\x1b[{};{}H".format, _NUMBERS, _NUMBERS),
)
DRAWN = st.one_of(
    WORDS,
    LINE_ENDS,
    MOVES,
    st.builds("\x1b[{}m".format, _COLOURS),
    *(_one(final) for final in "@LMPX"),
    st.sampled_from(["\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J"]),
    st.builds("\x1b[{};{}r".format, st.integers(1, 3), st.integers(4, 6)),
    st.sampled_from(["\x1b[r", "\x1b7", "\x1b8", "\x1bM", "\x1bD"]),
)
SWITCHED = st.one_of(
    st.builds("\x1b[?{}{}".format, _MODES, st.sampled_from("hl")),
    st.builds("\x1b]{};{}\x07".format, st.sampled_from([0, 2, 10, 11, 12]), st.just("red")),
    st.sampled_from(["\x1b=", "\x1b>", "\x1bc", "\x1b[!p", "\x1b[3 q", "\x1b]2;tit", "\x1b[?10"]),
    st.sampled_from(["\x1bP1$q", "\x1b\\", "\x18", "\x1b", "\x1b(0", "\x1b(B"]),
)


def _together(sequences: list[str]) -> bytes:
    return "".join(sequences).encode()


def pieces() -> st.SearchStrategy[bytes]:
    """Sequences of every kind, some without an end."""
    return st.lists(st.one_of(DRAWN, SWITCHED), max_size=60).map(_together)


def drawn() -> st.SearchStrategy[bytes]:
    """Programs that draw, and end each sequence."""
    return st.lists(DRAWN, max_size=80).map(_together)


def cut(data: st.DataObject, said: bytes) -> list[bytes]:
    """Cuts at any places."""
    places = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=8)))
    return [said[a:b] for a, b in zip([0, *places], [*places, len(said)], strict=True)]
