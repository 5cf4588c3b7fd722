"""Whether numpy.asarray may copy arrays from devices other than the cpu."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
import pytest

import numr_api as xp
from numr_api.extensions.device import host_conversion


def test_it_is_refused_by_default(fakes: tuple[str, ...]) -> None:
    x = xp.ones(2, device="fake:0")
    assert not host_conversion.get()
    with pytest.raises(TypeError, match=r"copy it with to_device\('cpu'\).*host_conversion"):
        np.asarray(x)


def test_it_copies_inside_a_block(fakes: tuple[str, ...]) -> None:
    x = xp.ones(2, dtype=xp.float32, device="fake:0")
    with host_conversion(True):
        host = np.asarray(x)
        assert (host.dtype, host.tolist()) == (np.float32, [1.0, 1.0])
        assert np.asarray(x, dtype="float64").dtype == np.float64
        host[0] = 7
        assert float(x[0]) == 1.0
        assert np.asarray(x, copy=True).tolist() == [1.0, 1.0]
        with pytest.raises(ValueError, match="copy"):
            np.asarray(x, copy=False)
        with host_conversion(False), pytest.raises(TypeError):
            np.asarray(x)
        assert host_conversion.get()
    with pytest.raises(TypeError):
        np.asarray(x)


def test_it_changes_nothing_on_the_cpu() -> None:
    x = xp.ones(2)
    for allowed in (False, True):
        with host_conversion(allowed):
            np.asarray(x, copy=False)[0] = 5
    assert float(x[0]) == 5.0


def test_it_ends_with_an_exception_and_at_the_thread() -> None:
    seen: list[bool] = []
    with host_conversion(True):
        thread = threading.Thread(target=lambda: seen.append(host_conversion.get()))
        thread.start()
        thread.join()
    assert seen == [False]
    with pytest.raises(ZeroDivisionError), host_conversion(True):
        raise ZeroDivisionError
    assert not host_conversion.get()


def test_only_bools_are_accepted() -> None:
    with pytest.raises(TypeError, match="True or False"):
        host_conversion(1)  # type: ignore[arg-type]


def test_environment(run_python: Callable[..., str]) -> None:
    code = "from numr_api.extensions.device import host_conversion as h; print(h.get())"
    assert run_python(code) == "False"
    assert run_python(code, NUMR_API_HOST_CONVERSION="0") == "False"
    assert run_python(code, NUMR_API_HOST_CONVERSION="1") == "True"
    last = run_python(code, NUMR_API_HOST_CONVERSION="yes").splitlines()[-1]
    assert last == "ValueError: NUMR_API_HOST_CONVERSION must be '0' or '1', got 'yes'"
