"""How fast numbers of 16 bits are on a GPU, beside PyTorch and a copy of as many bytes.

    python -m tests.benchmarks.cuda_halves

Times are medians of CUDA's events, of calls that take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numr_api as xp
from numr_api.extensions import dtypes
from tests.benchmarks.cuda_timing import OURS, compare

SIDE = 2**14
TURNS = 7
PRODUCT = 2**13  # the sides of matrices that are multiplied

Row = tuple[Callable[..., Any], Callable[..., Any]]  # ours and PyTorch's, of x, y and float32


def rows(torch: Any, dtype: Any, theirs: Any) -> dict[str, Row]:
    return {
        "x + y": (lambda x, y, _: x + y, lambda x, y, _: x + y),
        "exp(x)": (lambda x, y, _: xp.exp(x), lambda x, y, _: torch.exp(x)),
        "to float32": (lambda x, y, _: xp.astype(x, xp.float32), lambda x, y, _: x.float()),
        "from float32": (lambda x, y, z: xp.astype(z, dtype), lambda x, y, z: z.to(theirs)),
        "sum(x)": (lambda x, y, _: xp.sum(x), lambda x, y, _: torch.sum(x)),
        "sum(x, axis=0)": (lambda x, y, _: xp.sum(x, axis=0), lambda x, y, _: torch.sum(x, 0)),
        "max(x)": (lambda x, y, _: xp.max(x), lambda x, y, _: torch.max(x)),
        "var(x, axis=1)": (lambda x, y, _: xp.var(x, axis=1), lambda x, y, _: torch.var(x, 1)),
        "cumulative_sum(x)": (
            lambda x, y, _: xp.cumulative_sum(xp.reshape(x, (-1,))),
            lambda x, y, _: torch.cumsum(x.reshape(-1), 0),
        ),
        "cumulative_sum(x, axis=1)": (
            lambda x, y, _: xp.cumulative_sum(x, axis=1),
            lambda x, y, _: torch.cumsum(x, 1),
        ),
        "copy of x.T": (
            lambda x, y, _: xp.asarray(x.T, copy=True),
            lambda x, y, _: x.T.contiguous(),
        ),
        "x @ x": (
            lambda x, y, _: xp.matmul(x[:PRODUCT, :PRODUCT], x[:PRODUCT, :PRODUCT]),
            lambda x, y, _: x[:PRODUCT, :PRODUCT] @ x[:PRODUCT, :PRODUCT],
        ),
    }


def main() -> None:
    cupy: Any = import_module("cupy")
    torch: Any = import_module("torch")
    wide = cupy.random.standard_normal((SIDE, SIDE), dtype="float32")
    z, their_z = xp.asarray(wide), torch.from_dlpack(wide)
    print("| operation | dtype | ms | of PyTorch's speed | of a copy's of x |")
    print("| --- | --- | --- | --- | --- |")
    for dtype in (dtypes.float16, dtypes.bfloat16):
        x = xp.astype(z, dtype)
        y = x * 0.5
        theirs = [torch.from_dlpack(a) for a in (x, y)]
        copied = cupy.empty(4 * x.size, "uint8")  # as many bytes as are read and written of x
        half = copied.nbytes // 2

        def copy(copied: Any = copied, half: int = half) -> None:
            copied[half:] = copied[:half]

        for name, (ours, other) in rows(torch, dtype, theirs[0].dtype).items():
            found = compare(
                {
                    OURS: lambda ours=ours, x=x, y=y: ours(x, y, z),
                    "torch": lambda other=other, theirs=theirs: other(*theirs, their_z),
                    "copy": copy,
                },
                TURNS,
            )
            mine = found[OURS]
            print(
                f"| {name} | {dtype} | {mine:.3f} | {found['torch'] / mine:.2f} | "
                f"{found['copy'] / mine:.2f} |"
            )


if __name__ == "__main__":
    main()
