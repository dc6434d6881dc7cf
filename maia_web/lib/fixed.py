"""Fixed statements: the text of a hot one is made once, by Django, and then only carried out.

To make the text takes Django several times as long as the database needs to answer it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar, cast

from django.db import DatabaseError, connection, models
from django.db.models.sql import DeleteQuery, InsertQuery, Query, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler, SQLInsertCompiler

Value = str | int
Row = tuple[Any, ...]
M = TypeVar("M", bound=models.Model)
_Kind = tuple[str, tuple[type, ...]]


class Fixed:
    """A question of `make(*values)`, a `values_list`; values are texts and whole numbers."""

    def __init__(self, make: Callable[..., models.QuerySet[Any, Any]]) -> None:
        self._make = make
        self._texts: dict[_Kind, _Question] = {}

    def rows(self, *values: Value) -> list[Row]:
        """Returns all rows, as tuples of what was asked for."""
        return self._question(values).rows(values)

    def each(self, *values: Value, size: int) -> Generator[Row, None, None]:
        """Yields row after row, and reads `size` of them at once: rows may be large, or many."""
        return self._question(values).each(values, size)

    def first(self, *values: Value) -> Row | None:
        """Returns the first row, None where there is none."""
        return next(iter(self.rows(*values)), None)

    def _question(self, values: Row) -> _Question:
        kind = _kind(values)
        question = self._texts.get(kind)
        if question is None:
            question = self._texts[kind] = _Question(self._make, values)
        return question


class _Change:
    """A statement that changes rows, of fixed text; values as of `Fixed`."""

    def __init__(self) -> None:
        self._texts: dict[_Kind, _Text] = {}

    def __call__(self, *values: Value) -> int:
        """Changes the rows; returns how many there were."""
        kind = _kind(values)
        text = self._texts.get(kind)
        if text is None:
            marks = _marks(values)
            text = self._texts[kind] = _Text(*self._compiled(*marks), marks)
        with connection.cursor() as cursor:
            cursor.execute(text.sql, text.filled(values))
            changed: int = cursor.rowcount
        return changed

    def _compiled(self, *marks: Value) -> tuple[str, Sequence[Any]]:
        raise NotImplementedError


class FixedUpdate(_Change):
    """A change: `make(*values)` gives the rows as a query, and what becomes of their columns.

    None and expressions are parts of the text.
    """

    def __init__(
        self, make: Callable[..., tuple[models.QuerySet[Any, Any], dict[str, Any]]]
    ) -> None:
        super().__init__()
        self._make = make

    def _compiled(self, *marks: Value) -> tuple[str, Sequence[Any]]:
        rows, columns = self._make(*marks)
        query = cast(UpdateQuery, rows.query.chain(UpdateQuery))
        query.add_update_values(columns)
        return _compiled(query)


class FixedDelete(_Change):
    """Deletes the rows that `make(*values)` asks for: of a table to which no other refers."""

    def __init__(self, make: Callable[..., models.QuerySet[Any, Any]]) -> None:
        super().__init__()
        self._make = make

    def _compiled(self, *marks: Value) -> tuple[str, Sequence[Any]]:
        return _compiled(self._make(*marks).query.chain(DeleteQuery))


class FixedInsertFrom(_Change):
    """Adds to `model` what a question answers: `make(*values)` is its `values_list` of `columns`.

    Whether a row may be added, and what it refers to, is then asked in the same statement.
    """

    def __init__(
        self,
        model: type[models.Model],
        columns: Sequence[str],
        make: Callable[..., models.QuerySet[Any, Any]],
    ) -> None:
        super().__init__()
        self._model = model
        self._columns = columns
        self._make = make

    def _compiled(self, *marks: Value) -> tuple[str, Sequence[Any]]:
        sql, constants = _compiled(self._make(*marks).query)
        meta: Any = self._model._meta
        quote = connection.ops.quote_name
        columns = ", ".join(quote(meta.get_field(name).column) for name in self._columns)
        return f"INSERT INTO {quote(meta.db_table)} ({columns}) {sql}", constants


class FixedSave:
    """Saves some columns of a row in hand, as `save(update_fields=…)` does, without its signals.

    Values are of any kind, as of `FixedInsert`; whether they are None is part of the text.
    """

    def __init__(self, model: type[models.Model], *columns: str) -> None:
        self._model = model
        self._columns = columns
        self._texts: dict[Row, str] = {}

    def __call__(self, row: models.Model) -> None:
        """Saves them; raises `DatabaseError` where the row is gone."""
        fields: list[Any] = [self._model._meta.get_field(name) for name in self._columns]
        given = [field.pre_save(row, add=False) for field in fields]
        wanted = [
            field.get_db_prep_save(value, connection)
            for field, value in zip(fields, given, strict=True)
        ]
        key = (connection.vendor, *(value is None for value in wanted))
        text = self._texts.get(key)
        if text is None:
            this = self._model._base_manager.filter(pk=row.pk)
            query = cast(UpdateQuery, this.query.chain(UpdateQuery))
            query.add_update_fields(
                [(field, None, value) for field, value in zip(fields, given, strict=True)]
            )
            text = self._texts[key] = _compiled(query)[0]
        with connection.cursor() as cursor:
            cursor.execute(text, [*(one for one in wanted if one is not None), row.pk])
            if not cursor.rowcount:
                raise DatabaseError(f"the {self._model.__name__} {row.pk} is gone")


class FixedInsert:
    """Adds rows of one model, as `bulk_create` does: no signals, an automatic key stays unknown.

    An expression among their values is part of the text.
    """

    def __init__(self, model: type[models.Model]) -> None:
        self._model = model
        self._texts: dict[Row, tuple[str, dict[int, list[Any]]]] = {}

    def __call__(self, *rows: models.Model) -> None:
        """Adds the rows."""
        if len(rows) > 1 and connection.vendor == "postgresql":  # takes columns, not rows, there
            for row in rows:
                self(row)
            return
        every = self._model._meta.local_concrete_fields
        fields = [one for one in every if not isinstance(one, models.AutoField)]
        values = [field.pre_save(row, add=True) for row in rows for field in fields]
        expressions = tuple((at, one) for at, one in enumerate(values) if _is_expression(one))
        key = (connection.vendor, len(rows), expressions)
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = self._text(fields, rows, expressions)
        sql, constants = text
        wanted: list[Any] = []
        for at, value in enumerate(values):
            prepare = fields[at % len(fields)].get_db_prep_save
            wanted += constants[at] if at in constants else [prepare(value, connection)]
        with connection.cursor() as cursor:
            cursor.execute(sql, wanted)
        for row in rows:
            row._state.adding, row._state.db = False, connection.alias

    def _text(
        self, fields: list[Any], rows: Sequence[models.Model], expressions: Row
    ) -> tuple[str, dict[int, list[Any]]]:
        query = InsertQuery(self._model)
        query.insert_values(fields, list(rows), raw=True)  # moments were given already
        compiler = cast(SQLInsertCompiler, query.get_compiler(connection=connection))
        constants = {}
        for at, expression in expressions:
            field = fields[at % len(fields)]
            value = compiler.prepare_value(field, expression)
            constants[at] = list(compiler.compile(value)[1])
        return compiler.as_sql()[0][0], constants


def instance(model: type[M], columns: Sequence[str], values: Sequence[Any]) -> M:
    """Returns what `only(*columns)` would: `values` in the order in which the model has them.

    Whatever else is asked of it, it reads when it is asked.
    """
    return model.from_db(connection.alias, columns, values)


class _Text:
    """A statement, and where the values stand among what it is carried out with."""

    def __init__(self, sql: str, constants: Sequence[Any], marks: Sequence[Any]) -> None:
        self.sql = sql
        self._places = [
            (marks.index(one), None) if one in marks else (-1, one) for one in constants
        ]
        if missing := set(range(len(marks))) - {at for at, _constant in self._places}:
            raise TypeError(f"values {missing} do not reach the database as they were given")

    def filled(self, values: Row) -> list[Any]:
        return [constant if at < 0 else values[at] for at, constant in self._places]


class _Question:
    """A statement whose answer is read."""

    def __init__(self, make: Callable[..., models.QuerySet[Any, Any]], values: Row) -> None:
        marks = _marks(values)
        compiler: SQLCompiler = make(*marks).query.get_compiler(connection=connection)
        self._text = _Text(*compiler.as_sql(), marks)
        self._compiler = compiler
        self._converters = compiler.get_converters([one[0] for one in compiler.select or ()])

    def rows(self, values: Row) -> list[Row]:
        with connection.cursor() as cursor:
            cursor.execute(self._text.sql, self._text.filled(values))
            return self._converted(cursor.fetchall())

    def each(self, values: Row, size: int) -> Generator[Row, None, None]:
        with connection.chunked_cursor() as cursor:
            cursor.execute(self._text.sql, self._text.filled(values))
            while found := cursor.fetchmany(size):
                yield from self._converted(found)

    def _converted(self, found: list[Row]) -> list[Row]:
        if not self._converters or not found:
            return found
        return [tuple(row) for row in self._compiler.apply_converters(found, self._converters)]


def _compiled(query: Query) -> tuple[str, Sequence[Any]]:
    sql, constants = query.get_compiler(connection=connection).as_sql()
    return sql, constants


def _kind(values: Row) -> _Kind:
    """Returns what a text depends on: the database, and what kinds of values it takes."""
    return connection.vendor, tuple(map(type, values))


def _marks(values: Row) -> list[Value]:
    """Returns values that no constant of a statement has, in the places of these."""
    return [_mark(at, type(value)) for at, value in enumerate(values)]


def _mark(at: int, kind: type) -> Value:
    return 1_907_040_000 + at if issubclass(kind, int) else f"\x02value {at}\x03"


def _is_expression(value: Any) -> bool:
    return hasattr(value, "resolve_expression")
