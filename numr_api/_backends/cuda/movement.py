"""Elements taken, repeated and put: CuPy's indexing, with indices that are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numr_api._backends.cuda import kernels
from numr_api._backends.cuda.faults import Access
from numr_api._backends.cuda.kernels import cupy

if TYPE_CHECKING:
    from numr_api._backends.cuda.faults import Faults

Data = Any
Key = tuple[int | slice | None, ...]

MOST_ELEMENTS = 2**53  # more than any memory holds, and float64 counts up to here exactly


def overlaps_itself(data: Data) -> bool:
    """Whether elements share memory, as those of a broadcast view do."""
    return data.size > 1 and any(  # without elements, CuPy's steps are 0
        step == 0 and length > 1 for step, length in zip(data.strides, data.shape, strict=True)
    )


def apart_from(data: Data, value: Data) -> Data:
    """The value, or a copy if it may share memory with data."""
    return value.copy() if cupy.may_share_memory(data, value) else value


# --- taking ---------------------------------------------------------------------------------------


def take(faults: Faults, data: Data, indices: Data, axis: int) -> Data:
    access = Access("take", axis, data.shape[axis])
    return data.take(faults.checked(indices, access), axis=axis)


def gather(faults: Faults, data: Data, indices: tuple[Data | int, ...]) -> Data:
    places = [
        index
        if isinstance(index, int)
        else faults.checked(index, Access("indexing", axis, data.shape[axis]))
        for axis, index in enumerate(indices)
    ]
    return data[tuple(places)]


def take_along_axis(faults: Faults, data: Data, indices: Data, axis: int) -> Data:
    places: list[Data] = []
    for number, length in enumerate(data.shape):
        if number == axis:
            places.append(faults.checked(indices, Access("take_along_axis", axis, length)))
        else:
            along = [1] * data.ndim
            along[number] = length
            places.append(cupy.arange(length).reshape(along))
    return data[tuple(places)]


def repeat(data: Data, repeats: Data | int, axis: int) -> Data:
    """Each slice repeated. How long the result is, is read from the device if repeats are data."""
    shape = data.shape
    if isinstance(repeats, int):
        wide = cupy.broadcast_to(
            cupy.expand_dims(data, axis + 1), (*shape[: axis + 1], repeats, *shape[axis + 1 :])
        )
        return wide.copy().reshape((*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]))
    if not repeats.size:
        return data.copy()
    least, total = cupy.stack([repeats.min().astype("float64"), repeats.sum(dtype="float64")]).get()
    if least < 0:
        raise ValueError("a count is negative")
    if total >= MOST_ELEMENTS:
        raise ValueError("the counts exceed any size")
    ends = repeats.astype("int64").cumsum()
    numbers = kernels.searchsorted(ends, cupy.arange(int(total)), side="right")
    return data.take(numbers, axis=axis)


# --- putting --------------------------------------------------------------------------------------


def assign(data: Data, key: Key, value: Any) -> None:
    """Write to a basic index in place; ValueError if elements of data share memory."""
    if overlaps_itself(data):
        raise ValueError("elements share memory")
    target = data[(*key, ...)]
    if isinstance(value, bool | int | float | complex):
        kernels.fill(target, value)
    elif target.size:
        target[...] = apart_from(target, value)
