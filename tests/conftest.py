"""Every test run has a data folder of its own; under CI=true no test may skip."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_DATA = tempfile.mkdtemp(prefix="maia-tests-")
Path(_DATA).chmod(0o711)
os.environ["MAIA_DATA"] = _DATA
os.environ.setdefault("MAIA_LOG", "WARNING")

# the machine may be busy: time is no property of what is tested
settings.register_profile("maia", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("maia")

pytest_plugins = ["tests.support.fixtures"]
IN_CI = os.environ.get("CI") == "true"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} may not skip under CI: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} may not skip under CI: {report.longrepr}"
    return report
