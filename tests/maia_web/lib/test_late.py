"""Parts that are loaded late: the first page needs none of them, and each of them is there."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from maia_web.lib import late
from tests.support.processes import ROOT

FIRST_PAGE = """
import sys
import maia_web.asgi
from django.urls import resolve, reverse
from maia_web.lib import late

found = resolve(reverse("sign-in"))
assert found.func.__module__ == "maia_web.pages.accounts.sign_in"
early = sorted({"ninja", *late.names()} & set(sys.modules))
print(*early)
"""


@pytest.mark.promise("I10-late")
def test_the_first_page_waits_for_no_other_part() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAGE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


@pytest.mark.promise("I10-late")
def test_every_late_module_loads() -> None:
    import maia_web.asgi
    import maia_web.urls  # noqa: F401

    names = late.names()
    assert {"maia_web.api", "maia_web.sockets", "agents.runtime.host"} <= names
    late.load_all()
    assert names <= set(sys.modules)


@pytest.mark.promise("I10-late")
def test_every_address_names_a_view() -> None:
    views = list(_views(get_resolver("maia_web.urls")))
    assert len(views) > 50
    for view in views:
        assert callable(getattr(import_module(view.__module__), view.__name__)), view


def _views(resolver: URLResolver) -> list[late.View]:
    found: list[late.View] = []
    for one in resolver.url_patterns:
        if isinstance(one, URLPattern):
            assert one.callback.__module__ != late.__name__, one
            if one.callback.__module__.startswith("maia_web.pages."):
                found.append(one.callback)
        elif not isinstance(one, late.Addresses):
            found += _views(one)
    return found


@pytest.mark.promise("I10-late")
def test_names_below_a_late_route_are_found() -> None:
    from maia_web.api import api

    assert reverse(f"{api.urls_namespace}:openapi-json") == "/api/openapi.json"
    assert reverse(f"{api.urls_namespace}:me") == "/api/me"
