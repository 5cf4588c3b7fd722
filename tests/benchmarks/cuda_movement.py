"""Copies, transposes, elements taken, and unaligned rows, on cuda, next to CuPy and torch.

Run with ``python -m tests.benchmarks.cuda_movement``. Times are of CUDA's events; rounds of the
rivals are interleaved. Speeds are in GB/s of what must be read and written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tests.benchmarks.cuda_timing import OURS, Call, compare

ROUNDS = 7
SIDE = 16384


class Row(NamedTuple):
    """An operation.

    Attributes:
        moved: bytes that must be read and written.
        make: what gives the calls by library, made just before they are timed.
    """

    name: str
    moved: int
    make: Callable[[], dict[str, Call]]


def rows() -> list[Row]:
    """The table; arrays are 1 GiB."""
    import cupy
    import torch

    import numr_api as xp

    memory = cupy.random.random(SIDE * SIDE, dtype=cupy.float32)
    target = cupy.empty_like(memory)
    size = memory.nbytes

    def cut(dtype: str, *shape: int) -> Any:
        count = 1
        for length in shape:
            count *= length
        return memory.view(dtype)[:count].reshape(shape)

    def of_all(x: Any, *calls: Callable[[Any, Any], Any]) -> dict[str, Call]:
        """Calls with a library's array; the same call for all, or one for each."""
        arrays = xp.asarray(x), x, torch.as_tensor(x, device="cuda")
        libraries = xp, cupy, torch
        names = OURS, "cupy", "torch"
        calls = calls * 3 if len(calls) == 1 else calls
        return {
            name: lambda call=call, library=library, array=array: call(library, array)
            for name, call, library, array in zip(names, calls, libraries, arrays, strict=False)
        }

    def transposed(dtype: str, *shape: int) -> Row:
        def make() -> dict[str, Call]:
            order = tuple(range(len(shape)))[::-1]
            return of_all(
                cut(dtype, *shape),
                lambda m, x: xp.asarray(xp.permute_dims(x, order), copy=True),
                lambda m, x: x.transpose(order).copy(),
                *([] if "complex128" in dtype else [lambda m, x: x.permute(order).contiguous()]),
            )

        item = cupy.dtype(dtype).itemsize
        count = 1
        for length in shape:
            count *= length
        return Row(f"transpose copy of {dtype} {shape}", 2 * count * item, make)

    def taken(width: int, dtype: str) -> Row:
        rows, count = 2**27 // width, min(2**24, 2**26 // width)

        def make() -> dict[str, Call]:
            x, places = cut("float32", rows, width), cupy.random.randint(0, rows, count)
            places = places.astype(dtype)
            ours, theirs = xp.asarray(places), torch.as_tensor(places, device="cuda")
            return of_all(
                x,
                lambda m, x: xp.take(x, ours, axis=0),
                lambda m, x: x.take(places, axis=0),
                lambda m, x: torch.index_select(x, 0, theirs),
            )

        moved = count * (8 * width + cupy.dtype(dtype).itemsize)
        return Row(f"take rows of {width} by {dtype}", moved, make)

    def along(axis: int) -> Row:
        side = 8192

        def make() -> dict[str, Call]:
            places = cupy.random.randint(0, side, (side, side))
            ours, theirs = xp.asarray(places), torch.as_tensor(places, device="cuda")
            return of_all(
                cut("float32", side, side),
                lambda m, x: xp.take_along_axis(x, ours, axis=axis),
                lambda m, x: cupy.take_along_axis(x, places, axis),
                lambda m, x: torch.gather(x, axis, theirs),
            )

        return Row(f"take_along_axis {axis}", 16 * side * side, make)

    def added(name: str, dtype: str, shape: tuple[int, ...], first: int, second: int) -> Row:
        """The sum of two views of an array, along its last axis from different elements on."""
        item = cupy.dtype(dtype).itemsize
        length = shape[-1] - 4
        count = length * (shape[0] if len(shape) > 1 else 1)

        def make() -> dict[str, Call]:
            return of_all(
                cut(dtype, *shape),
                lambda m, x: x[..., first : first + length] + x[..., second : second + length],
            )

        return Row(f"{name} of {dtype}", 3 * count * item, make)

    def assign(call: Callable[[Any, Any], None]) -> Callable[[], dict[str, Call]]:
        y = target.reshape(SIDE, SIDE)
        others = {OURS: xp.asarray(y), "cupy": y, "torch": torch.as_tensor(y, device="cuda")}

        def make() -> dict[str, Call]:
            x = cut("float32", SIDE, SIDE)
            given = {
                OURS: xp.asarray(x), "cupy": x, "torch": torch.as_tensor(x, device="cuda"),
            }  # fmt: skip
            return {name: lambda name=name: call(others[name], given[name]) for name in given}

        return make

    def set_columns(y: Any, x: Any) -> None:
        y[:, 1:] = x[:, :-1]

    def set_rows(y: Any, x: Any) -> None:
        y[...] = x[0, :]

    half = SIDE // 2 - 1
    square = lambda: cut("float32", SIDE, SIDE)  # noqa: E731 - a row's array
    return [
        transposed("float32", SIDE, SIDE),
        transposed("float32", SIDE - 1, SIDE - 1),
        transposed("float32", 256, 64, SIDE),
        transposed("int8", 2 * SIDE, 2 * SIDE),
        transposed("int16", 23168, 23168),
        transposed("float64", 11584, 11584),
        transposed("complex128", 8192, 8192),
        Row("x + x.T", 3 * size, lambda: of_all(square(), lambda m, x: x + x.T)),
        Row(
            "concat of uneven columns", 2 * size,
            lambda: of_all(
                square(),
                lambda m, x: xp.concat([x[:, :half], x[:, half:]], axis=1),
                lambda m, x: cupy.concatenate([x[:, :half], x[:, half:]], axis=1),
                lambda m, x: torch.cat([x[:, :half], x[:, half:]], dim=1),
            ),
        ),
        Row("y[:, 1:] = x[:, :-1]", 2 * size, assign(set_columns)),
        Row("y[...] = row", size, assign(set_rows)),
        Row(
            "flip, copied", 2 * size,
            lambda: of_all(
                square(),
                lambda m, x: xp.asarray(xp.flip(x, axis=1), copy=True),
                lambda m, x: x[:, ::-1].copy(),
                lambda m, x: torch.flip(x, (1,)),
            ),
        ),
        Row(
            "full", size,
            lambda: {
                OURS: lambda: xp.full(SIDE**2, 3.0, dtype=xp.float32, device="cuda"),
                "cupy": lambda: cupy.full(SIDE**2, 3.0, cupy.float32),
                "torch": lambda: torch.full((SIDE**2,), 3.0, device="cuda"),
            },
        ),
        Row(
            "arange", 2**30,
            lambda: {
                OURS: lambda: xp.arange(2**27, device="cuda"),
                "cupy": lambda: cupy.arange(2**27),
                "torch": lambda: torch.arange(2**27, device="cuda"),
            },
        ),
        *(taken(width, "int64") for width in (1, 4, 32, 256)),
        along(0),
        along(1),
        *(
            row
            for dtype, item in (("float32", 4), ("float64", 8), ("int8", 1))
            for row in (
                added("whole, not aligned: sum", dtype, (2**29 // item,), 1, 2),
                added("rows of 16383: sum", dtype, (2**29 // item // 16387, 16387), 0, 1),
                added("rows of 1001: sum", dtype, (2**29 // item // 1005, 1005), 0, 1),
                added("rows of 33: sum", dtype, (2**29 // item // 37, 37), 0, 1),
            )
        ),
    ]  # fmt: skip


def copy_speed() -> float:
    """How fast the device copies memory, in GB/s."""
    import cupy

    x = cupy.ones(SIDE * SIDE, cupy.float32)
    y = cupy.empty_like(x)
    stream = cupy.cuda.get_current_stream()
    times = compare({"": lambda: y.data.copy_from_device_async(x.data, x.nbytes, stream)}, ROUNDS)
    return 2 * x.nbytes / times[""] / 1e6


def main() -> None:
    copy = copy_speed()
    print(f"copy on the device: {copy:.0f} GB/s\n")
    print("| operation | GB/s | of the copy's | of CuPy's | of PyTorch's |")
    print("| --- | --- | --- | --- | --- |")
    for row in rows():
        times = compare(row.make(), ROUNDS)
        ours = times[OURS]
        speed = row.moved / ours / 1e6
        ratios = [
            f"{times[name] / ours:.2f}" if name in times else "" for name in ("cupy", "torch")
        ]
        print(
            f"| {row.name} | {speed:.0f} | {speed / copy:.2f} | {' | '.join(ratios)} |", flush=True
        )


if __name__ == "__main__":
    main()
