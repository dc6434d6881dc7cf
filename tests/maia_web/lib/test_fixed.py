"""Fixed statements: what they answer and write is what Django's own do, for every value."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import DatabaseError, DataError, connection
from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet, TextField, Value
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from maia_web.accounts.models import User
from maia_web.lib import storage
from maia_web.lib.fixed import (
    Fixed,
    FixedDelete,
    FixedInsert,
    FixedInsertFrom,
    FixedSave,
    FixedUpdate,
    Row,
    instance,
)
from workspaces.models import Workspace

pytestmark = pytest.mark.django_db
NAMES = ("ada", "brice", "cœur", "o'neil", "100%", "\x02value 0\x03")


def accounts(name: str, least: int) -> QuerySet[User, Row]:
    named = Q(username=name) | Q(display_name=name, is_active=True)
    rows = User.objects.filter(named, id__gte=least).order_by("-id")
    return rows.values_list("id", "username", "is_active", "date_joined", "preferences", "language")


@pytest.fixture
def people() -> list[User]:
    made = [
        User.objects.create(username=name, display_name=NAMES[at - 1], preferences={"at": at})
        for at, name in enumerate(NAMES)
    ]
    User.objects.filter(pk=made[1].pk).update(is_active=False)
    return made


def test_the_answers_are_those_of_the_question_itself(people: list[User]) -> None:
    fixed = Fixed(accounts)
    for name in (*NAMES, "nobody", ""):
        for least in (0, people[2].pk, 1_907_040_001, 10**12):
            wanted = list(accounts(name, least))
            assert fixed.rows(name, least) == wanted
            assert fixed.first(name, least) == (wanted[0] if wanted else None)
            for size in (1, 2, 100):
                assert list(fixed.each(name, least, size=size)) == wanted


def test_moments_and_texts_come_as_django_gives_them() -> None:
    ends = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
    Session.objects.create(session_key="k", session_data="data", expire_date=ends)
    fixed = Fixed(
        lambda key: Session.objects.filter(pk=key).values_list("session_data", "expire_date")
    )
    assert fixed.first("k") == ("data", ends)
    assert fixed.first("other") is None


def test_a_question_is_made_once_and_asked_each_time(people: list[User]) -> None:
    made = []

    def make(name: str, least: int) -> QuerySet[User, Row]:
        made.append(name)
        return accounts(name, least)

    fixed = Fixed(make)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        for name in NAMES:
            fixed.first(name, 0)
    assert len(asked) == len(NAMES)
    assert len(made) == 1


def test_a_value_that_would_be_lost_is_an_error() -> None:
    fixed = Fixed(lambda name, at: User.objects.filter(username=name).values_list("id")[:at])
    with pytest.raises(TypeError, match="do not reach the database"):
        fixed.first("ada", 3)


def test_a_nul_is_nowhere_or_refused_with_a_sentence() -> None:
    try:
        assert Fixed(accounts).first("\0", 0) is None
    except DataError as error:  # PostgreSQL's
        told = storage.explain(error)
        assert told is not None
        assert (told.code, told.status) == ("unfit-text", 422)


def test_a_change_is_that_of_the_update_itself(people: list[User]) -> None:
    def make(name: str, least: int, language: str) -> tuple[QuerySet[User], dict[str, object]]:
        rows = User.objects.filter(username=name, id__gte=least)
        return rows, {
            "language": language,
            "last_login": None,
            "is_staff": True,
            "date_joined": Now(),
        }

    change = FixedUpdate(make)
    for name in (*NAMES, "nobody"):
        wanted = int(name != "nobody")
        assert change(name, 0, "fr") == wanted
        assert change(name, 10**12, "en") == 0
        kept = User.objects.filter(username=name).values_list("language", "is_staff")
        assert list(kept) == [("fr", True)] * wanted


def test_a_value_that_would_not_reach_a_change_is_an_error() -> None:
    change = FixedUpdate(lambda name, age: (User.objects.filter(username=name), {"language": ""}))
    with pytest.raises(TypeError, match="do not reach the database"):
        change("ada", 3)


def test_columns_are_saved_as_django_saves_them(people: list[User]) -> None:
    save = FixedSave(User, "language", "preferences", "last_login", "is_active")
    moment = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
    for at, row in enumerate(people):  # with and without None: of each a text
        row.language, row.preferences = "fr", {"at": [row.username, None]}
        row.last_login = moment if at % 2 else None
        row.is_active, row.display_name = bool(at % 3), "not among them"
        with CaptureQueriesContext(connection) as asked:
            save(row)
        assert len(asked) == 1
        kept = User.objects.get(pk=row.pk)
        assert (kept.language, kept.preferences) == ("fr", row.preferences)
        assert (kept.last_login, kept.is_active) == (row.last_login, row.is_active)
        assert kept.display_name == NAMES[at - 1]
    User.objects.filter(pk=people[0].pk).delete()
    with pytest.raises(DatabaseError, match="is gone"):
        save(people[0])


def test_rows_are_deleted_as_django_deletes_them() -> None:
    delete = FixedDelete(lambda key: Session.objects.filter(session_data=key))
    ends = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
    for number in range(4):
        data = f"data{number % 2}"
        Session.objects.create(session_key=f"k{number}", session_data=data, expire_date=ends)
    assert [delete("data0"), delete("data0"), delete("")] == [2, 0, 0]
    assert set(Session.objects.values_list("session_key", flat=True)) == {"k1", "k3"}


def test_rows_are_added_as_django_adds_them() -> None:
    add = FixedInsert(User)
    joined = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
    for number in range(2):  # made, then carried out again
        made = [
            User(username=f"{name}{number}", display_name=name, preferences={"at": [name, None]})
            for name in NAMES[:3]
        ]
        made[1].date_joined = joined
        add(*made)
        assert all(not row._state.adding for row in made)
        kept = User.objects.filter(username__in=[row.username for row in made]).order_by("id")
        assert [row.preferences for row in kept] == [row.preferences for row in made]
        assert [row.date_joined for row in kept] == [row.date_joined for row in made]
        assert kept[1].date_joined == joined
        assert kept[0].last_login is None


def test_a_row_in_hand_has_the_moment_that_is_kept() -> None:
    add = FixedInsert(Workspace)
    for number in range(2):  # also where the text is made
        row = Workspace(number=number, name="atelier")
        add(row)
        assert Workspace.objects.get(pk=row.pk).created_at == row.created_at


def test_an_expression_among_the_values_is_the_databases() -> None:
    add = FixedInsert(Session)
    for number in range(2):
        row = Session(session_key=f"k{number}", session_data="data")
        later = ExpressionWrapper(Now() + timedelta(days=1 + number), output_field=DateTimeField())
        row.expire_date = later
        add(row)
    first, second = Session.objects.order_by("session_key")
    assert timedelta(hours=23) < second.expire_date - first.expire_date < timedelta(hours=25)


def test_rows_are_added_from_what_is_asked(people: list[User]) -> None:
    def asked(name: str, least: int, data: str) -> QuerySet[User, Row]:
        key, end = F("username"), F("date_joined")
        given = Value(data, output_field=TextField())
        found = User.objects.filter(username=name, id__gte=least)
        return found.annotate(data=given).values_list(key, "data", end)

    add = FixedInsertFrom(Session, ("session_key", "session_data", "expire_date"), asked)
    for name in NAMES:
        assert add(name, 0, f"data of {name}") == 1
        assert add(name, people[-1].pk + 1, "") == 0
    kept = Session.objects.values_list("session_key", "session_data")
    assert dict(kept) == {name: f"data of {name}" for name in NAMES}


def test_an_instance_reads_what_it_was_not_given(people: list[User]) -> None:
    row = instance(User, ("id", "username"), (people[0].pk, "ada"))
    with CaptureQueriesContext(connection) as asked:
        assert (row.pk, row.username) == (people[0].pk, "ada")
        assert not asked.captured_queries
        assert row.display_name == people[0].display_name
    assert len(asked) == 1
