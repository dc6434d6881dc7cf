"""Under CI=true no test may skip (the data folder of a run: tests/settings.py)."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest
from asgiref.sync import SyncToAsync
from django.db import connections
from django.utils import translation
from hypothesis import HealthCheck, settings

from maia_web.lib import signals

# the machine may be busy: time is no property of what is tested
settings.register_profile("maia", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("maia")

signals.begin()  # as manage.py does: a suite begun in the background ignores SIGINT

pytest_plugins = ["tests.support.fixtures"]
MEASURED = ("tests/agents/domain/", "tests/agents/engine/")
IN_CI = os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """The thread that async code asks the database on lets go before the database is dropped."""
    yield
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()


@pytest.fixture(autouse=True)
def _no_language_is_left() -> Iterator[None]:
    """A page in French leaves its thread in French."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def _no_memory_is_left() -> Iterator[None]:
    """The next test's sessions have the numbers of this one's, and hold something else."""
    yield
    from agents.selectors.memory import MEMORIES  # once Django is set up

    MEMORIES.clear()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Coverage is what tests of domain and engine reach: others add nothing and lose no time."""
    plugin = item.config.pluginmanager.getplugin("_cov")
    if plugin is None or plugin.cov_controller is None or item.nodeid.startswith(MEASURED):
        return (yield)
    plugin.cov_controller.pause()
    try:
        return (yield)
    finally:
        plugin.cov_controller.resume()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} may not skip under CI: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} may not skip under CI: {report.longrepr}"
    return report
