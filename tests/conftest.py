"""Fixtures that every test may use."""

from __future__ import annotations

from types import ModuleType

import pytest

import numr_api


@pytest.fixture(scope="session")
def xp() -> ModuleType:
    """The namespace under test, by the name that the standard's users give it."""
    return numr_api
