"""The second opinion: tree-sitter-bash must see the same commands, or nothing is allowed."""

from __future__ import annotations

import tree_sitter
import tree_sitter_bash

_LANGUAGE = tree_sitter.Language(tree_sitter_bash.language())
_QUERY = tree_sitter.Query(
    _LANGUAGE,
    "(command (command_name) @name) (declaration_command) @name (unset_command) @name "
    "(test_command) @name (command_substitution) @nested (process_substitution) @nested",
)
_COMMANDS = tree_sitter.Query(_LANGUAGE, "(command) @command")
_ONLY_ASCII = bytes.maketrans(bytes(range(128, 256)), b"." * 128)
"""To bash, bytes beyond ASCII are letters of a word; the grammar takes some for blanks, and reads
beyond its tables where one of four bytes stands behind `{` (tree-sitter-bash#337): the end of the
process."""


def commands_by_tree_sitter(source: bytes) -> list[tuple[int, int]]:
    """Returns the spans, in bytes, of what tree-sitter takes for commands; never raises."""
    root = _root(source)
    captures = tree_sitter.QueryCursor(_COMMANDS).captures(root)
    return [(node.start_byte, node.end_byte) for node in captures.get("command", ())]


def seen_by_tree_sitter(source: bytes) -> tuple[frozenset[int], bool]:
    """Parses `source`; never raises.

    Returns the byte offsets where commands begin, and whether the tree is sound: no error,
    nothing missing, no substitution.
    """
    root = _root(source)
    captures = tree_sitter.QueryCursor(_QUERY).captures(root)
    starts = frozenset([node.start_byte for node in captures.get("name", ())])
    return starts, not root.has_error and "nested" not in captures


def _root(source: bytes) -> tree_sitter.Node:
    return tree_sitter.Parser(_LANGUAGE).parse(source.translate(_ONLY_ASCII)).root_node
