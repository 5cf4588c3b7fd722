"""Complex elementary functions: the error of each part, in units in its last place.

``python tests/webgpu/test_complex_functions.py`` prints the largest errors on the GPU at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

import numr_api as xp
from numr_api._dtypes import BY_NAME

Column = np.ndarray[Any, np.dtype[Any]]

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(mpmath, name) for name in
       "exp log log10 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh sqrt".split()},
    "expm1": lambda z: mpmath.exp(z) - 1,
    "log1p": lambda z: mpmath.log(1 + z),
    "log2": lambda z: mpmath.log(z) / mpmath.log(2),
    "reciprocal": lambda z: 1 / z,
    "sign": lambda z: z / abs(z),
}  # fmt: skip
MOST = 4.0
# expm1's real part is a difference; where it cancels, no error of parts can be small.
CANCELLING = {"expm1"}
COUNT = 40


@cache
def points(name: str, dtype: str) -> Column:
    """Numbers of all sizes, near the unit circle, and near the ends of branch cuts."""
    rng = np.random.default_rng(len(name))

    def both(size: float | Column) -> Column:
        return (rng.standard_normal(COUNT) + 1j * rng.standard_normal(COUNT)) * size

    parts = [both(size) for size in (1e-6, 1e-3, 0.1, 1, 3, 20, 1e3, 1e8)]
    mixed = 10.0 ** rng.uniform(-8, 8, (2, COUNT)) * rng.standard_normal((2, COUNT))
    circle = np.exp(1j * rng.uniform(-np.pi, np.pi, COUNT))
    near = both(10.0 ** rng.uniform(-7, -1, COUNT))
    ends = rng.choice(np.array([1, -1, 1j, -1j]), COUNT) + near
    z = np.concatenate(
        [*parts, mixed[0] + 1j * mixed[1], circle * (1 + near.real), ends, circle - 1]
    )
    limit = 85  # beyond, exp overflows in float32
    if name in ("exp", "expm1", "sinh", "cosh", "tanh"):
        z = z[np.abs(z.real) < limit]
    if name in ("sin", "cos", "tan"):
        z = z[np.abs(z.imag) < limit]
    return z.astype(dtype)


def errors(name: str, dtype: str, result: Column) -> dict[str, float]:
    """The largest error of the real and of the imaginary part.

    Of those that are normal numbers, and not so small beside the other part that they are what is
    left when everything else cancels.
    """
    real = result.real.dtype
    limits = np.finfo(real)
    worst = {"real": 0.0, "imag": 0.0}
    with mpmath.workprec(200):
        for z, found in zip(points(name, dtype).tolist(), result.tolist(), strict=True):
            true = FUNCTIONS[name](mpmath.mpc(z))
            least = max(float(limits.tiny), float(limits.eps * abs(true)))
            for part in worst:
                exact, value = getattr(true, part), getattr(found, part)
                size = float(abs(exact))
                if least < size < limits.max:
                    place = float(np.spacing(real.type(size)))
                    error = float(abs(value - exact)) / place if np.isfinite(value) else np.inf
                    worst[part] = max(worst[part], error)
    return worst


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_part_is_within_four_units(
    name: str, dtype: str, backend: Any, put: Any, get: Any
) -> None:
    if BY_NAME[dtype] not in backend.dtypes:
        pytest.skip(f"the device has no {dtype}")
    found = errors(name, dtype, get(getattr(xp, name)(put(points(name, dtype)))))
    assert found["imag"] <= MOST
    assert found["real"] <= MOST or name in CANCELLING


def main() -> None:
    for dtype in ("complex64", "complex128"):
        for name in FUNCTIONS:
            x = xp.asarray(points(name, dtype), device="webgpu:0")
            result = np.from_dlpack(getattr(xp, name)(x), device="cpu")
            found = errors(name, dtype, result)
            print(f"{dtype:11} {name:11} real {found['real']:8.2f}  imag {found['imag']:8.2f}")


if __name__ == "__main__":
    main()
