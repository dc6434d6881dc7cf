"""Encodings: told by the bytes, written back as they were, or refused by name."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workspaces.domain.encodings import decode
from workspaces.domain.entries import FileError


@pytest.mark.parametrize(
    ("content", "text", "name"),
    [
        ("été".encode(), "été", "UTF-8"),
        (b"", "", "UTF-8"),
        (codecs.BOM_UTF8 + b"a\r\n", "a\r\n", "UTF-8 with a byte-order mark"),
        (b"caf\xe9 \x80\n", "café €\n", "windows-1252 (Latin-1)"),
        (codecs.BOM_UTF16_LE + "été 😀".encode("utf-16-le"), "été 😀", "UTF-16 LE"),
        (codecs.BOM_UTF16_BE + "日本".encode("utf-16-be"), "日本", "UTF-16 BE"),
        (codecs.BOM_UTF32_LE + "a".encode("utf-32-le"), "a", "UTF-32 LE"),
        ("key=1\r\n".encode("utf-16-le"), "key=1\r\n", "UTF-16 LE without a byte-order mark"),
        ("key=1\r\n".encode("utf-16-be"), "key=1\r\n", "UTF-16 BE without a byte-order mark"),
    ],
)
def test_a_text_is_read_and_written_back_byte_for_byte(
    content: bytes, text: str, name: str
) -> None:
    read, encoding = decode(content)
    assert (read, encoding.name) == (text, name)
    assert encoding.encode(read) == content


@pytest.mark.parametrize(
    "content",
    [
        b"a\0b",
        b"\x89PNG\r\n\x1a\n\xff",
        "ソート".encode("shift-jis"),  # of no encoding that is told
        codecs.BOM_UTF16_LE + b"\x00\xd8a\x00",  # half a character
        codecs.BOM_UTF16_LE,
        b"\x7fELF\xfe",
    ],
)
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(FileError) as caught:
        decode(content)
    assert caught.value.code == "binary"


def test_a_character_that_is_lacking_is_named_with_the_encoding() -> None:
    encoding = decode(b"caf\xe9")[1]
    with pytest.raises(FileError, match=r"windows-1252 \(Latin-1\) has no “→”"):
        encoding.encode("café → thé")


@given(st.binary(max_size=40) | st.text(max_size=20).map(lambda text: text.encode("utf-16")))
def test_whatever_is_read_is_written_back_the_same(content: bytes) -> None:
    try:
        text, encoding = decode(content)
    except FileError:
        return
    assert encoding.encode(text) == content
