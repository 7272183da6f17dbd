"""The pytest plugin: the fixture ``aside_api``, ``--aside-bless``, and a matcher for VCR.py."""

from __future__ import annotations

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


@pytest.fixture
def aside_api() -> Api:
    """The strict Messages API in process."""
    return Api()


@pytest.hookimpl(optionalhook=True)
def pytest_recording_configure(config, vcr) -> None:
    """Registers the matcher ``aside`` with pytest-recording."""
    from .vcr import matcher

    vcr.register_matcher("aside", matcher())
