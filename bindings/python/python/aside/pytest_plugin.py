"""The pytest plugin: the fixture ``aside_api``, ``--aside-bless``, and a matcher for VCR.py."""

from __future__ import annotations

import re

import pytest

from . import _golden
from .api import Api


def pytest_addoption(parser) -> None:
    group = parser.getgroup("aside")
    group.addoption(
        "--aside-bless", action="store_true", help="write the golden files of assert_golden"
    )


def pytest_configure(config) -> None:
    _golden.BLESS = config.getoption("--aside-bless")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Repeats what the matcher for VCR.py found, below the error that an SDK raises for it."""
    report = (yield).get_result()
    error = call.excinfo and call.excinfo.value
    while error is not None:
        found = re.search(r"the request differs from .*?(?=\n\s*record it again)", str(error), re.S)
        if found:
            lines = [line.strip() for line in found[0].splitlines()]
            report.sections.append(("Stale cassette", "\n  ".join(lines)))
            return
        error = error.__cause__ or error.__context__


@pytest.fixture
def aside_api():
    """The strict Messages API in process."""
    api = Api()
    yield api
    api.close()


# First, so that a conftest.py can register its own.
@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_recording_configure(config, vcr) -> None:
    """Registers the matcher ``aside`` with pytest-recording."""
    from .vcr import matcher

    vcr.register_matcher("aside", matcher())
