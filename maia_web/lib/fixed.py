"""Fixed questions: the text of a hot query is made once, by Django, and then only asked.

To make the text takes Django several times as long as the database needs to answer it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from django.db import connection, models
from django.db.models.sql.compiler import SQLCompiler

Value = str | int
Row = tuple[Any, ...]
M = TypeVar("M", bound=models.Model)


class Fixed:
    """A question of `make(*values)`, a `values_list`; values are texts and whole numbers."""

    def __init__(self, make: Callable[..., models.QuerySet[Any, Any]]) -> None:
        self._make = make
        self._texts: dict[tuple[str, tuple[type, ...]], _Text] = {}

    def rows(self, *values: Value) -> list[Row]:
        """Returns all rows, as tuples of what was asked for."""
        key = (connection.vendor, tuple(map(type, values)))
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = _Text(self._make, values)
        return text.rows(values)

    def first(self, *values: Value) -> Row | None:
        """Returns the first row, None where there is none."""
        return next(iter(self.rows(*values)), None)


def instance(model: type[M], columns: Sequence[str], values: Sequence[Any]) -> M:
    """Returns what `only(*columns)` would: `values` in the order in which the model has them.

    Whatever else is asked of it, it reads when it is asked.
    """
    return model.from_db(connection.alias, columns, values)


class _Text:
    """The text of a question for one kind of database, and where its values stand."""

    def __init__(self, make: Callable[..., models.QuerySet[Any, Any]], values: Row) -> None:
        marks = [_mark(at, type(value)) for at, value in enumerate(values)]
        compiler: SQLCompiler = make(*marks).query.get_compiler(connection=connection)
        sql, constants = compiler.as_sql()
        self._sql = sql
        self._places = [
            (marks.index(one), None) if one in marks else (-1, one) for one in constants
        ]
        if missing := set(range(len(marks))) - {at for at, _constant in self._places}:
            raise TypeError(f"values {missing} do not reach the database as they were given")
        self._compiler = compiler
        self._converters = compiler.get_converters([one[0] for one in compiler.select or ()])

    def rows(self, values: Row) -> list[Row]:
        wanted = [constant if at < 0 else values[at] for at, constant in self._places]
        with connection.cursor() as cursor:
            cursor.execute(self._sql, wanted)
            found = cursor.fetchall()
        if self._converters and found:
            found = [tuple(row) for row in self._compiler.apply_converters(found, self._converters)]
        return cast(list[Row], found)


def _mark(at: int, kind: type) -> Value:
    """Returns a value that no constant of a question has."""
    return 1_907_040_000 + at if issubclass(kind, int) else f"\x02value {at}\x03"
