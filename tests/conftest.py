"""Fixtures that every test may use."""

from __future__ import annotations

from types import ModuleType

import pytest

import numr_api


@pytest.fixture(scope="session")
def xp() -> ModuleType:
    """The namespace under test, by the name that the standard's users give it."""
    return numr_api


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The three fake devices, listed beside cpu: all dtypes, no float64, nothing of 64 bits."""
    monkeypatch.setenv("NUMR_API_DEVICES", "cpu,fake")
    return "fake:0", "fake:1", "fake:2"
