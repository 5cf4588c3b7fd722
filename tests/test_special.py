"""Special functions: SciPy's values and dtypes, found by SciPy itself, on the cpu only."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import numr_api as xp
from numr_api.extensions import mode, special
from numr_api.extensions._special_table import TABLE
from numr_api.extensions.device import host_conversion
from numr_api.extensions.errors import Unsupported

# What SciPy 1.17 looks up in a namespace of its own choice.
LOOKED_UP = """
bdtr bdtrc bdtri betainc betaincc betaincinv betaln binom boxcox boxcox1p cbrt chdtr chdtrc chdtri
cosdg cosm1 cotdg ellipk ellipkm1 entr erf erfc erfcx erfinv exp1 exp10 exp2 exprel expi expit expn
fdtr fdtrc fdtri gamma gammainc gammaincc gammainccinv gammaincinv gammaln gammasgn gdtr gdtrc huber
hyp1f1 inv_boxcox inv_boxcox1p i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e kl_div log_ndtr loggamma logit lpmv
multigammaln nbdtr nbdtrc nbdtri ndtr ndtri pdtr pdtrc pdtri poch polygamma pseudo_huber psi radian
rel_entr rgamma sinc sindg spence stdtr stdtrit tandg xlog1py xlogy y0 y1 yn zeta zetac
""".split()
INTEGERS = {
    "multigammaln": {1}, "polygamma": {0}, "yn": {0}, "expn": {0}, "lpmv": {0}, "pdtri": {0},
    "bdtr": {1}, "bdtrc": {1}, "bdtri": {1}, "nbdtr": {0, 1}, "nbdtrc": {0, 1}, "nbdtri": {0, 1},
}  # fmt: skip
LOWEST = {"multigammaln": 1.6, "zeta": 1.0}  # of what has a value


def arguments(name: str, dtype: str) -> list[Any]:
    """Numbers for each parameter, along an axis of its own; integers where they must be."""
    names = list(inspect.signature(getattr(special, name)).parameters)
    values: list[Any] = []
    for position, _ in enumerate(names):
        if position in INTEGERS.get(name, ()):
            values.append(
                np.int64(2) if name in ("multigammaln", "polygamma") else np.asarray([1, 2])
            )
        else:
            spread = np.linspace(0.2, 0.9, 2) + LOWEST.get(name, 0.0)
            shape = (2,) + (1,) * (len(names) - 1 - position)
            values.append(spread.reshape(shape).astype(dtype))
    return values


def test_the_table_is_what_scipy_looks_up() -> None:
    assert sorted(name for name, _, _ in TABLE) == sorted(LOOKED_UP)
    assert sorted(dir(special)) == sorted(LOOKED_UP)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LOOKED_UP)
def test_values_and_dtypes_are_scipys(name: str, dtype: str) -> None:
    hosts = arguments(name, dtype)
    expected = np.asarray(getattr(scipy.special, name)(*hosts))
    ours = [xp.asarray(x) if x.shape else x.item() for x in hosts]
    found = getattr(special, name)(*ours)
    assert type(found).__name__ == "Array"
    assert np.array_equal(np.asarray(found), expected, equal_nan=True)
    assert found.dtype == expected.dtype
    assert not np.isnan(expected).all()
    if not any(x.dtype.kind == "i" for x in hosts):
        assert found.dtype.name == dtype


@pytest.mark.parametrize("name", LOOKED_UP)
def test_it_is_documented_and_picklable(name: str) -> None:
    function = getattr(special, name)
    assert function.__name__ == function.__qualname__ == name
    assert function.__module__ == "numr_api.extensions.special"
    assert function.__doc__
    assert pickle.loads(pickle.dumps(function)) is function


def test_python_scalars_and_integers() -> None:
    single = xp.asarray([0.5, 1.5], dtype=xp.float32)
    assert special.betainc(1, 2.0, single / 2).dtype == xp.float32
    assert special.xlogy(2, single).dtype == xp.float32
    assert special.erf(xp.asarray([1, 2])).dtype == xp.float64
    assert special.zeta(single + 1).dtype == xp.float32
    assert special.zeta(single + 1, q=2.0).shape == (2,)
    assert special.erf(xp.asarray(1j)).dtype == xp.complex128
    assert special.erf(xp.asarray(0.5)).shape == ()


def test_what_is_refused(fakes: tuple[str, ...]) -> None:
    x = xp.asarray([0.5])
    with pytest.raises(TypeError, match=r"special\.erf: at least one"):
        special.erf(0.5)
    with pytest.raises(TypeError, match=r"special\.erf: expected a numr_api array"):
        special.erf(np.asarray([0.5]))
    with pytest.raises(TypeError):
        special.erf(x, x)
    with pytest.raises(TypeError):
        special.betainc(x, x)
    with pytest.raises(ValueError, match="different devices"):
        special.xlogy(x, xp.asarray([0.5], device="fake:0"))
    with pytest.raises(ValueError, match="broadcast"):
        special.xlogy(xp.ones(2), xp.ones(3))


def test_other_devices(fakes: tuple[str, ...]) -> None:
    x = xp.asarray([0.5], dtype=xp.float32, device="fake:1")
    with pytest.raises(Unsupported, match=r"special\.erf on fake:1: .*host_conversion"):
        special.erf(x)
    with host_conversion(True):
        result = special.erf(x)
        assert (result.device, result.dtype) == ("fake:1", xp.float32)
        integers = special.erf(xp.asarray([1], device="fake:1"))
        assert integers.dtype == xp.float32  # the device has no float64


def test_it_is_found_in_the_namespace_whatever_the_mode(run_python: Callable[..., str]) -> None:
    assert xp.special is special
    assert "special" not in dir(xp)
    for switch in (mode.strict, mode.relaxed):
        with switch():
            assert xp.special is special
    code = "import sys, numr_api as xp; print('scipy.special' in sys.modules, xp.special.__name__)"
    assert run_python(code) == "False numr_api.extensions.special"
    with pytest.raises(AttributeError, match=r"^module 'numr_api' has no attribute 'specials'$"):
        xp.specials  # noqa: B018


def test_scipy_calls_it(run_python: Callable[..., str]) -> None:
    code = """
import scipy.special, scipy.stats, numr_api as xp
from numr_api.extensions import special
called = []
original = special.entr
def entr(x):
    called.append(x.dtype)
    return original(x)
special.entr = entr
x = xp.asarray([0.25, 0.75], dtype=xp.float32)
print(type(scipy.special.erf(x)).__name__, scipy.special.erf(x).dtype)
print(scipy.stats.entropy(x).dtype, *called)
"""
    found = run_python(code, SCIPY_ARRAY_API="1")
    assert found.splitlines() == ["Array float32", "float32 float32"]
