"""How fast running sums, masks and sorting are on a GPU, beside CuPy and PyTorch.

    python -m tests.benchmarks.cuda_scans

Times are medians of CUDA's events, of calls that take turns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numr_api as xp
from tests.benchmarks.cuda_timing import OURS, Call, compare

COUNT = 2**28
SORTED = 2**26
SIDE = 2**14
TURNS = 7

cupy: Any = import_module("cupy")
torch: Any = import_module("torch")

Calls = Mapping[str, Call]


def running_sums(x: Any, axis: int) -> Calls:
    ours, theirs = xp.asarray(x), torch.from_dlpack(x)
    return {
        OURS: lambda: xp.cumulative_sum(ours, axis=axis, dtype=ours.dtype),
        "torch": lambda: torch.cumsum(theirs, axis, dtype=theirs.dtype),
        "cupy": lambda: cupy.cumsum(x, axis=axis if x.ndim > 1 else None, dtype=x.dtype),
    }


def selection(x: Any) -> Calls:
    mask = x > 0.5
    ours, our_mask = xp.asarray(x), xp.asarray(mask)
    theirs, their_mask = torch.from_dlpack(x), torch.from_dlpack(mask)
    return {
        OURS: lambda: ours[our_mask],
        "torch": lambda: theirs[their_mask],
        "cupy": lambda: x[mask],
    }


def assignment(x: Any, each: bool) -> Calls:
    mask = x > 0.5
    ours, our_mask = xp.asarray(x), xp.asarray(mask)
    values = x[mask] if each else 0.75
    ours_values = xp.asarray(values) if each else values
    return {
        OURS: lambda: ours.__setitem__(our_mask, ours_values),
        "cupy": lambda: x.__setitem__(mask, values),
    }


def places(x: Any) -> Calls:
    mask = x > 0.5
    ours = xp.asarray(mask)
    return {OURS: lambda: xp.nonzero(ours), "cupy": lambda: mask.nonzero()}


def ordering(name: str, x: Any) -> Calls:
    ours = xp.asarray(x)
    their_name = {"unique_values": "unique"}.get(name, name)
    return {
        OURS: lambda: getattr(xp, name)(ours),
        "cupy": lambda: getattr(cupy, their_name)(x),
    }


def numbers(count: int, dtype: str = "float32") -> Any:
    return (cupy.random.random(count) * 1e6).astype(dtype) if dtype[0] == "i" else (
        cupy.random.random(count, dtype="float32").astype(dtype)
    )  # fmt: skip


ROWS: dict[str, Callable[[], Calls]] = {
    "cumulative_sum": lambda: running_sums(numbers(COUNT), 0),
    "cumulative_sum along rows": lambda: running_sums(numbers(COUNT).reshape(SIDE, SIDE), 1),
    "cumulative_sum along columns": lambda: running_sums(numbers(COUNT).reshape(SIDE, SIDE), 0),
    **{
        f"cumulative_sum of {dtype}": lambda dtype=dtype: running_sums(numbers(COUNT, dtype), 0)
        for dtype in ("int8", "int64", "float64", "complex64")
    },
    "x[mask]": lambda: selection(numbers(COUNT)),
    "x[mask] = number": lambda: assignment(numbers(COUNT), each=False),
    "x[mask] = values": lambda: assignment(numbers(COUNT), each=True),
    "nonzero": lambda: places(numbers(COUNT)),
    **{
        f"{name} of {dtype}": lambda name=name, dtype=dtype: ordering(name, numbers(SORTED, dtype))
        for name in ("sort", "argsort", "unique_values")
        for dtype in ("float32", "int64")
    },
}


def copying(x: Any) -> Callable[[], Any]:
    y = cupy.empty_like(x)
    kind = cupy.cuda.runtime.memcpyDeviceToDevice
    return lambda: cupy.cuda.runtime.memcpyAsync(y.data.ptr, x.data.ptr, x.nbytes, kind, 0)


def main() -> None:
    copy = copying(numbers(COUNT))
    print(f"copy of {COUNT} float32: {compare({'copy': copy}, TURNS)['copy']:.3f} ms")
    del copy
    for name, make in ROWS.items():
        found = compare(make(), TURNS)
        ratios = ", ".join(
            f"{value / found[OURS]:.2f} of {key}'s" for key, value in found.items() if key != OURS
        )
        print(f"{name}: {found[OURS]:.3f} ms; speed {ratios}")


if __name__ == "__main__":
    main()
