"""What is visible if NUMR_API_MODE is relaxed at import, and that it does as NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import numr_api as xp
from numr_api import _relaxed_extras as extras, _relaxed_quantiles as quantiles

NAN, INF = np.nan, np.inf
VALUES: dict[str, Any] = {
    "floats": np.asarray([[3.0, NAN, 1.0], [0.5, 2.0, -4.0], [NAN, NAN, NAN]]),
    "single": np.asarray([[3.0, NAN, 1.0], [0.5, INF, INF]], dtype=np.float32),
    "integers": np.asarray([[3, 1, 2], [5, 5, 0]]),
}
REDUCTIONS = (
    "median",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
)


def test_names_depend_on_the_environment(run_python: Callable[..., str]) -> None:
    code = "import numr_api as xp; print([hasattr(xp, n) for n in ('nansum', 'diag', 'float16')])"
    assert run_python(code) == "[False, False, False]"
    assert run_python(code, NUMR_API_MODE="relaxed") == "[True, True, False]"
    inside = "from numr_api.extensions import mode\nwith mode.strict(): " + code
    assert run_python(inside, NUMR_API_MODE="relaxed") == "[True, True, False]"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("device", ["cpu", "fake:0"])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, values: str, device: str, fakes: tuple[str, ...]) -> None:
    host = VALUES[values]
    x = xp.asarray(host, device=device)
    for axis in (None, 0, -1, (0, 1)):
        for keepdims in (False, True):
            expected = getattr(np, name)(host, axis=axis, keepdims=keepdims)
            function = getattr(quantiles if "median" in name else extras, name)
            found = function(x, axis=axis, keepdims=keepdims).to_device("cpu")
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-6)


def test_degrees_of_freedom() -> None:
    host = VALUES["floats"][:2]
    x = xp.asarray(host)
    for name in ("nanvar", "nanstd"):
        expected = getattr(np, name)(host, axis=1, ddof=1)
        for keyword in ("ddof", "correction"):
            found = getattr(extras, name)(x, axis=1, **{keyword: 1})
            np.testing.assert_allclose(np.asarray(found), expected)


CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("bincount", (np.asarray([1, 1, 3, 0]),), {}),
    ("bincount", (np.asarray([1, 1]),), {"minlength": 4}),
    ("bincount", (np.asarray([], dtype=np.int64),), {"minlength": 2}),
    ("bincount", (np.asarray([1, 1, 3]), np.asarray([0.5, 1.5, 2.5])), {}),
    ("cross", (np.asarray([1.0, 2.0, 3.0]), np.asarray([3.0, 1.0, 1.0])), {}),
    ("cross", (np.ones((3, 2)), np.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])), {"axis": 0}),
    ("cumsum", (np.asarray([[1, 2], [3, 4]]),), {}),
    ("cumsum", (np.asarray([[True, False]]),), {"axis": 1}),
    ("nancumsum", (np.asarray([[1.0, np.nan], [3.0, 4.0]]),), {}),
    ("nancumprod", (np.asarray([[1.0, np.nan], [3.0, 4.0]]),), {"axis": 0}),
    ("cumprod", (np.asarray([[1.0, 2.0], [3.0, 4.0]]),), {"axis": 0}),
    ("diag", (np.asarray([1.0, 2.0]),), {}),
    ("nanargmax", (np.asarray([[np.nan, 1.0, 2.0], [np.inf, np.nan, 1.0]]),), {"axis": 1}),
    ("nanargmax", (np.asarray([np.nan, -np.inf]),), {"keepdims": True}),
    ("nanargmin", (np.asarray([[np.nan, 1.0, 0.5], [3.0, np.nan, 1.0]]),), {"axis": 0}),
    ("nanargmin", (np.asarray([3, 1]),), {}),
    ("diag", (np.asarray([1, 2]),), {"k": -1}),
    ("diag", (np.asarray([[1, 2, 3], [4, 5, 6]]),), {"k": 1}),
    ("transpose", (np.zeros((2, 3, 4)),), {}),
    ("transpose", (np.zeros((2, 3, 4)), (1, 0, 2)), {}),
    ("pad", (np.asarray([1, 2]), 1), {}),
    ("pad", (np.ones((2, 2)), ((1, 0), (0, 2))), {"constant_values": 5}),
    ("pad", (np.ones((2, 2)), (1, 2)), {"mode": "edge"}),
    ("pad", (np.ones(2), 1), {"constant_values": np.float32(3)}),
    ("pad", (np.ones(2), 1), {"constant_values": (3.0, 4.0)}),
]


@pytest.mark.parametrize(
    "number", range(len(CALLS)), ids=[f"{i}-{c[0]}" for i, c in enumerate(CALLS)]
)
def test_functions(number: int) -> None:
    name, arguments, keywords = CALLS[number]
    expected = np.asarray(getattr(np, name)(*arguments, **keywords))
    ours = [xp.asarray(x) if isinstance(x, np.ndarray) else x for x in arguments]
    found = np.asarray(getattr(extras, name)(*ours, **keywords))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("mode", extras.REPEATING)
def test_padding_with_elements(mode: Any) -> None:
    host, widths = np.arange(12.0).reshape(3, 4), [(1, 0), (2, 3)]
    found = extras.padded_with_elements(xp.asarray(host), widths, mode)
    assert np.array_equal(np.asarray(found), np.pad(host, widths, mode=mode))


def test_keywords_of_numpy(run_python: Callable[..., str]) -> None:
    code = """
import numr_api as xp
x = xp.asarray([[1.0, 2.0, 4.0]])
print(xp.mean(x, dtype="float32").dtype, xp.var(x, ddof=1))
print(xp.std(x, ddof=1, axis=1, dtype=xp.float32))
print(xp.full_like(x, 2, shape=(2,)), xp.full_like(x, 3), xp.squeeze(x).shape)
"""
    found = run_python(code, NUMR_API_MODE="relaxed").splitlines()
    assert found == ["float32 2.333333333333333", "[1.5275253]", "[2. 2.] [[3. 3. 3.]] (3,)"]
    assert "unexpected keyword argument 'dtype'" in run_python(code)


def test_what_extras_refuse(fakes: tuple[str, ...]) -> None:
    x = xp.ones((2, 2), device="fake:0")
    assert extras.pad(x, 1).shape == (4, 4)
    with pytest.raises(ValueError, match="negative"):
        extras.bincount(xp.asarray([-1]))
    with pytest.raises(TypeError):
        extras.bincount(xp.asarray([0.5]))
    for function in (extras.nanargmin, extras.nanargmax):
        with pytest.raises(ValueError, match="nothing but NaN"):
            function(xp.asarray([[NAN, 1.0], [NAN, NAN]]), axis=1)


@pytest.mark.parametrize("device", ["cpu", "fake:0"])
@pytest.mark.parametrize(
    ("arguments", "keywords", "error", "words"),
    [
        ((1,), {"end_values": 2}, TypeError, "mode 'constant' has no keyword 'end_values'"),
        ((1, "edge"), {"constant_values": 2}, TypeError, "mode 'edge' has no keyword"),
        ((1, "edge"), {"nonsense": 2}, TypeError, "'nonsense'"),
        ((1, "nonsense"), {}, ValueError, "unknown mode 'nonsense'"),
        ((1.5,), {}, TypeError, "pad_width must be an integer"),
        ((((1, 2), (0, -1)),), {}, ValueError, "pad_width cannot be negative"),
        ((-1, "edge"), {}, ValueError, "pad_width cannot be negative"),
    ],
)
def test_what_pad_refuses(
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    error: Any,
    words: str,
    device: str,
    fakes: tuple[str, ...],
) -> None:
    with pytest.raises(error, match=f"^pad: .*{words}"):
        extras.pad(xp.ones((2, 2), device=device), *arguments, **keywords)


def test_pad_has_the_keywords_of_numpys_other_modes() -> None:
    host = np.asarray([[1.0, 5.0, 2.0]])
    for mode, keywords in {
        "linear_ramp": {"end_values": 3},
        "mean": {"stat_length": 2},
        "reflect": {"reflect_type": "odd"},
    }.items():
        found = extras.pad(xp.asarray(host), ((0, 0), (1, 2)), mode, **keywords)
        expected = np.pad(host, ((0, 0), (1, 2)), mode, **keywords)  # type: ignore[call-overload]
        assert np.array_equal(np.asarray(found), expected)
    assert extras.pad(xp.asarray(1.0), 1, "edge").shape == ()
