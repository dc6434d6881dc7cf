"""Addresses of model servers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.domain.model_servers.server import same_origin, url_problem


@pytest.mark.parametrize(
    "url",
    ["http://localhost:4000", "https://models.example/v1", "http://[::1]:8080", "http://10.0.0.1/"],
)
def test_addresses_of_servers_are_fine(url: str) -> None:
    assert url_problem(url) is None


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("", "scheme"),
        ("localhost:4000", "scheme"),
        ("ftp://host", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("http://", "host"),
        ("http://:4000", "host"),
        ("http://host:99999", "host"),
        ("http://host:port", "host"),
        ("http://[::1", "host"),
        ("http://ho st/", "host"),
        ("http://host/\x7f", "host"),
        ("http://name:secret@host", "credentials"),
        ("http://@host", "credentials"),
        ("http://host/?key=1", "extra"),
        ("http://host/#part", "extra"),
        ("http://host/" + "x" * 500, "long"),
    ],
)
def test_other_addresses_have_a_named_problem(url: str, problem: str) -> None:
    assert url_problem(url) == problem


@given(st.text(max_size=60) | st.from_regex(r"https?://.{0,40}", fullmatch=True))
def test_any_text_is_judged(url: str) -> None:
    assert url_problem(url) in {None, "scheme", "host", "credentials", "extra", "long"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a:80", "http://a/v1", True),
        ("https://a:443/x", "https://A", True),
        ("http://a", "https://a", False),
        ("http://a:4000", "http://a:4001", False),
        ("http://a", "http://b", False),
        ("http://a", "http://a.evil.example", False),
    ],
)
def test_a_key_is_for_one_origin(one: str, other: str, same: bool) -> None:
    assert same_origin(one, other) is same
