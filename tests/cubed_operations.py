"""Operations of cubed, as expressions which mean the same with NumPy in the place of ``xp``.

``main`` prints what becomes of each on numr_api's arrays. It needs a process whose environment
names numr_api as the backend of cubed.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

UNARY = """abs acos asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan
    log log1p log2 log10 negative positive reciprocal round sign signbit sin sinh sqrt square tan
    tanh trunc""".split()
BINARY = """add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal
    logaddexp maximum minimum multiply nextafter not_equal pow remainder subtract""".split()
OF_INTEGERS = """bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
    floor_divide remainder""".split()
OF_BOOLS = "logical_and logical_or logical_xor".split()
ALONG_AXES = "all any argmax argmin count_nonzero max mean min prod std sum var".split()

NAMES = [
    *(f"xp.{name}(a)" for name in UNARY),
    *(f"xp.{name}(a, b)" for name in BINARY),
    *(f"xp.{name}(i, j)" for name in OF_INTEGERS),
    *(f"xp.{name}(a > b, i > j)" for name in OF_BOOLS),
    *(f"xp.{name}(a, axis=1)" for name in ALONG_AXES),
    "xp.acosh(1.0 + a)", "xp.bitwise_invert(i)", "xp.logical_not(a > b)", "xp.clip(a, 0.3, 0.6)",
    "1.0 - a * 2.0", "a @ xp.matrix_transpose(b)", "-a ** 2.0", "a + i",
    "xp.sum(i)", "xp.var(a)", "xp.mean(i, axis=0)", "xp.max(a, axis=(0, 1), keepdims=True)",
    "xp.cumulative_sum(a, axis=0)", "xp.cumulative_prod(a, axis=1)", "xp.diff(a, axis=1)",
    "xp.real(xp.astype(a, xp.complex128) * 1j)", "xp.imag(xp.astype(a, xp.complex128) * 1j)",
    "xp.conj(xp.astype(a, xp.complex64) * 1j)",
    "xp.matmul(a, xp.permute_dims(b, (1, 0)))", "xp.tensordot(a, b, axes=((1,), (1,)))",
    "xp.vecdot(a, b)", "xp.linalg.outer(a[0, :], b[1, :])",
    "xp.linalg.svdvals(tall)", "abs(xp.linalg.qr(tall)[1])",
    "xp.concat([a, b], axis=1)", "xp.stack([a, b])", "xp.unstack(a)[1]", "xp.reshape(a, (12,))",
    "xp.moveaxis(a, 0, 1)", "xp.flip(a)", "xp.roll(a, 1, axis=0)", "xp.repeat(a, 2, axis=0)",
    "xp.tile(a, (2, 1))", "xp.expand_dims(a, axis=1)", "xp.squeeze(a[:1, :], axis=0)",
    "xp.broadcast_to(a[:1, :], (3, 4))", "xp.broadcast_arrays(a[:1, :], b)[0]",
    "xp.meshgrid(a[0, :], b[1, :])[1]", "xp.tril(a)", "xp.triu(a, k=1)",
    "a[1, 2]", "a[1:, ::2]", "a[-1, ...]", "a[[0, 2], :]", "a[:, None, :]",
    "xp.where(a > b, a, b)", "xp.isin(i, j)", "xp.searchsorted(ordered, b[1, :])",
    "xp.take(a, k, axis=0)", "xp.astype(a, xp.float32)", "xp.astype(a > 0.5, xp.int64)",
    "xp.zeros_like(a)", "xp.ones_like(a)", "xp.full_like(i, 7)",
    "xp.arange(2, 20, 3)", "xp.linspace(0.0, 1.0, 6)", "xp.eye(3, 4, k=1)", "xp.ones((2, 3))",
]  # fmt: skip
BEYOND = {  # of cubed's own functions, with NumPy's expression
    "cubed.nansum(gaps, axis=0)": "xp.nansum(gaps, axis=0)",
    "cubed.nanmean(gaps, axis=0)": "xp.nanmean(gaps, axis=0)",
    "cubed.map_blocks(lambda block: block + 1, a, dtype=a.dtype)": "a + 1",
    "cubed.map_overlap(lambda block: block[1:-1, :], a, dtype=a.dtype, chunks=a.chunks,"
    " depth={0: 1, 1: 0}, boundary=0, trim=False)": "a",
    "cubed.pad(a, ((1, 0), (0, 0)), mode='symmetric')": "xp.pad(a, ((1, 0), (0, 0)), 'symmetric')",
    "cubed.rechunk(a, (1, 4))": "a",
    "cubed.from_array(numpy_array, chunks=(2, 2))": "numpy_array",
    "xp.floor(cubed.random.random((4, 4), chunks=2))": "xp.zeros((4, 4))",
    "saved(a)": "a",
}


def operands() -> dict[str, Any]:
    """NumPy arrays by the names that the expressions give them."""
    generator = np.random.default_rng(5)
    a, b, gaps = generator.uniform(0.1, 0.9, (3, 3, 4))
    gaps[0, 1] = gaps[2, 3] = np.nan
    i, j = generator.integers(1, 6, (2, 3, 4))
    return {
        "a": a, "b": b, "i": i, "j": j, "k": np.asarray([2, 0]), "gaps": gaps,
        "tall": generator.uniform(size=(8, 3)), "ordered": np.sort(a[0]),
    }  # fmt: skip


def main(folder: str) -> None:
    """Print JSON: for each expression nothing, or how it fails to be as NumPy's."""
    import cubed
    import cubed.array_api
    import cubed.random
    from cubed.runtime.create import create_executor

    # which cubed still names
    warnings.filterwarnings("ignore", "numpy.core", DeprecationWarning)

    def saved(x: Any) -> Any:
        cubed.to_zarr(x, f"{folder}/saved.zarr")
        return cubed.from_zarr(f"{folder}/saved.zarr")

    ours: dict[str, Any] = {"xp": cubed.array_api, "cubed": cubed, "saved": saved}
    numpys: dict[str, Any] = {"xp": np}
    outcomes: dict[str, str] = {}
    executor = create_executor("single-threaded")
    with cubed.config.set({"spec.work_dir": folder, "spec.allowed_mem": "200MB"}):
        for name, host in operands().items():
            numpys[name] = host
            chunks = (4, 3) if name == "tall" else (2,) * host.ndim
            ours[name] = cubed.array_api.asarray(host, chunks=chunks)
        numpys["numpy_array"] = ours["numpy_array"] = numpys["a"]
        for expression in (*NAMES, *BEYOND):
            expected = np.asarray(eval(BEYOND.get(expression, expression), numpys))
            try:
                found = eval(expression, ours).compute(executor=executor)
            except Exception as error:
                outcomes[expression] = f"{type(error).__name__}: {error}"
            else:
                outcomes[expression] = difference(found, expected)
    print(json.dumps(outcomes))


def difference(found: Any, expected: np.ndarray[Any, Any]) -> str:
    """How a result differs from NumPy's, as text that is empty if it does not."""
    if type(found).__module__ != "numr_api._array":
        return f"not an array of numr_api but {type(found)}"
    try:
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12, atol=1e-12, strict=True)
    except AssertionError as error:
        return str(error)
    return ""
