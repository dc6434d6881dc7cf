"""What is answered when nothing else answers, to people and to programs."""

from __future__ import annotations

import logging

import pytest
from django.test import Client, RequestFactory
from pytest_django import Settings

from maia_web.lib.logs import SafeFilter
from maia_web.pages import failures

LIMIT = 1_000


@pytest.fixture
def small(settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = LIMIT


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded"])
def test_a_body_over_the_limit_is_refused_in_json_under_api(
    small: None, as_member: Client, kind: str
) -> None:
    answer = as_member.post("/api/workspaces", b'{"name": "' + b"x" * LIMIT, content_type=kind)

    assert answer.status_code == 413
    assert answer.json()["code"] == "too-large"
    assert answer.json()["message"]


def test_a_page_says_in_html_that_a_form_is_too_large(small: None, as_member: Client) -> None:
    answer = as_member.post("/w/new", {"name": "x" * LIMIT}, "application/x-www-form-urlencoded")

    assert answer.status_code in (413, 422)  # 422: the form never reads a body of this kind
    answer = as_member.post("/w/new", b"name=" + b"x" * LIMIT, "application/x-www-form-urlencoded")
    assert answer.status_code == 413
    assert answer["Content-Type"].startswith("text/html")


@pytest.mark.django_db
def test_an_operation_that_is_not_there_is_answered_in_json() -> None:
    answer = Client().get("/api/nothing")

    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


def test_what_breaks_is_told_in_json_under_api_and_as_a_page_elsewhere(rf: RequestFactory) -> None:
    answer = failures.broken(rf.get("/api/x"))
    assert (answer.status_code, answer["Content-Type"]) == (500, "application/json")
    answer = failures.broken(rf.get("/x"))
    assert (answer.status_code, answer["Content-Type"][:9]) == (500, "text/html")


def test_a_refusal_is_one_line_in_the_log(
    as_member: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.handler.addFilter(SafeFilter())

    assert as_member.get("/admin/people").status_code == 403

    [record] = [one for one in caplog.records if one.name == "django.request"]
    assert record.levelno == logging.WARNING
    assert "/admin/people" in record.getMessage()
    assert record.exc_info is None
    assert "Traceback" not in caplog.text


def test_the_log_names_the_setting_that_a_foreign_host_needs(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.handler.addFilter(SafeFilter())

    assert client.get("/sign-in", headers={"host": "maia.example.org"}).status_code == 400

    (line,) = [one.getMessage() for one in caplog.records if "maia.example.org" in one.getMessage()]
    assert line.endswith(" MAIA_ALLOWED_HOSTS.")


def test_the_stack_of_a_fault_of_the_program_stays_in_the_log() -> None:
    record = logging.LogRecord(
        "x", logging.ERROR, "", 0, "broke", (), (ValueError, ValueError(), None)
    )
    SafeFilter().filter(record)
    assert record.exc_info is not None
