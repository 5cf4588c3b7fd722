"""A backend in plain Python, to prove that the protocol asks for nothing of NumPy's.

An array is a list of cells and a list of places, which tells in which cell each element is; a view
has the cells of another array and places of its own. There are no strides, no dtype objects of
NumPy and no arithmetic but Python's. Only a few operations exist.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec
from itertools import product
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

import numr_api as xp
from numr_api import _devices
from numr_api.extensions.errors import Unsupported

KIND = "listy"

OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "less": operator.lt,
    "negative": operator.neg,
}

Shape = tuple[int, ...]


class Lists:
    """The backend's data."""

    def __init__(self, cells: list[Any], places: Sequence[int], shape: Shape, dtype: Any) -> None:
        self.cells = cells
        self.places = list(places)
        self.shape = shape
        self.dtype = dtype

    @property
    def size(self) -> int:
        return len(self.places)

    def place(self, position: Sequence[int]) -> int:
        """Where the element at a position is; an axis of length 1 has all positions."""
        number = 0
        for length, i in zip(self.shape, position[len(position) - len(self.shape) :], strict=True):
            number = number * length + (0 if length == 1 else i)
        return self.places[number]

    def values(self) -> list[Any]:
        return [self.cells[place] for place in self.places]


def new(values: Sequence[Any], shape: Shape, dtype: Any) -> Lists:
    return Lists(list(values), range(len(values)), shape, dtype)


def positions(shape: Shape) -> Iterator[Shape]:
    return product(*map(range, shape))


def broadcast(shapes: Sequence[Shape]) -> Shape:
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    result = tuple(max(lengths) if 0 not in lengths else 0 for lengths in zip(*padded, strict=True))
    if any(n not in (1, m) for shape in padded for n, m in zip(shape, result, strict=True)):
        raise ValueError("shapes differ")
    return result


class ListBackend:
    """One device of nested lists."""

    storage = Lists
    dlpack_device = (12, 0)
    shortcuts: ClassVar[dict[str, Any]] = {}
    dtypes = frozenset({xp.bool, xp.int64, xp.float64})
    default_dtypes = {  # noqa: RUF012 - a constant
        "bool": xp.bool,
        "integral": xp.int64,
        "indexing": xp.int64,
        "real floating-point": xp.float64,
        "complex floating-point": xp.complex128,  # which it does not have
    }

    def __init__(self, number: int) -> None:
        self.device = _devices.device_name(KIND, number)
        self.compiled: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        raise Unsupported(f"{name} is not available on {self.device}")

    def describe(self) -> Mapping[str, str]:
        return {"driver": "Python"}

    def synchronize(self) -> None:
        pass

    # Exchange with the host

    def from_host(self, array: np.ndarray[Any, Any], copy: bool | None) -> Lists:
        if copy is False:
            raise ValueError(f"{self.device} cannot share memory with the host")
        dtype = next(d for d in self.dtypes if d.name == array.dtype.name)
        return new(array.reshape(-1).tolist(), array.shape, dtype)

    def to_host(self, data: Lists) -> np.ndarray[Any, Any]:
        return np.array(data.values(), dtype=data.dtype.name).reshape(data.shape)

    def copy(self, data: Lists) -> Lists:
        return new(data.values(), data.shape, data.dtype)

    def export(self, data: Lists, **_: Any) -> Any:
        raise BufferError(f"__dlpack__: not from {self.device}")

    # Element by element

    def elementwise(self, operation: str, operands: Any, dtype: Any, result: Any) -> Any:
        if operation not in OPERATIONS:
            raise Unsupported(f"{dtype} on {self.device}")
        self.compiled.append((operation, operands, dtype, result))
        function = OPERATIONS[operation]
        convert = {"b": bool, "i": int, "f": float}[dtype.kind]

        def read(x: Any, position: Shape) -> Any:
            return convert(x.cells[x.place(position)] if isinstance(x, Lists) else x)

        def kernel(*operands: Any) -> tuple[Any, ...]:
            for x in operands:
                if isinstance(x, int) and dtype is xp.int64 and not -(2**63) <= x < 2**63:
                    raise OverflowError
            shape = broadcast([x.shape for x in operands if isinstance(x, Lists)])
            values = [function(*(read(x, p) for x in operands)) for p in positions(shape)]
            return values, shape, result  # not yet data

        return kernel

    def launch(self, kernel: Any, /, *operands: Any, out: Lists | None = None) -> Any:
        raw = kernel(*operands)
        if out is None:
            return raw
        if raw[1] != out.shape:
            raise ValueError("shapes differ")
        for place, value in zip(out.places, raw[0], strict=True):
            out.cells[place] = value
        return out

    def launch_checked(self, kernel: Any, /, *operands: Any, out: Lists | None = None) -> Any:
        return self.launch(kernel, *operands, out=out)

    def adopt(self, raw: Any) -> Lists:
        return new(*raw)

    def writable(self, data: Lists) -> Lists:
        return data

    # Along axes

    def reduction(self, operation: str, dtype: Any, result: Any) -> Any:
        if operation != "sum":
            raise Unsupported(f"{dtype} on {self.device}")

        def kernel(data: Lists, axes: Shape, keepdims: bool) -> tuple[Any, ...]:
            kept = tuple(1 if i in axes else n for i, n in enumerate(data.shape))
            total = new([0] * len(list(positions(kept))), kept, result)
            for position in positions(data.shape):
                total.cells[total.place(position)] += data.cells[data.place(position)]
            dropped = tuple(n for i, n in enumerate(data.shape) if i not in axes)
            return total.cells, kept if keepdims else dropped, result

        return kernel

    # Views, movement, new data

    def index(self, data: Lists, key: tuple[Any, ...]) -> Lists:
        choices, shape, axis = [], [], 0
        for k in key:
            if k is None:
                shape.append(1)
                continue
            numbers = range(data.shape[axis])[k]
            if isinstance(k, slice):
                shape.append(len(numbers))
            choices.append(numbers if isinstance(k, slice) else [numbers])
            axis += 1
        places = [data.place(position) for position in product(*choices)]
        return Lists(data.cells, places, tuple(shape), data.dtype)

    def assign(self, data: Lists, key: tuple[Any, ...], value: Any) -> None:
        target = self.index(data, key)
        if not isinstance(value, Lists):
            value = new([value], (), data.dtype)
        for position in positions(target.shape):
            target.cells[target.place(position)] = value.cells[value.place(position)]

    def take(self, data: Lists, indices: Lists, axis: int) -> Lists:
        rows = [range(data.shape[axis])[i] for i in indices.values()]  # IndexError out of bounds
        shape = (*data.shape[:axis], len(rows), *data.shape[axis + 1 :])
        values = [
            data.cells[data.place((*p[:axis], rows[p[axis]], *p[axis + 1 :]))]
            for p in positions(shape)
        ]
        return new(values, shape, data.dtype)

    def gather(self, data: Lists, indices: tuple[Any, ...]) -> Lists:
        arrays = [i if isinstance(i, Lists) else new([i], (), xp.int64) for i in indices]
        shape = broadcast([i.shape for i in arrays])
        lengths = [range(n) for n in data.shape]
        values = []
        for position in positions(shape):
            numbers = [i.cells[i.place(position)] for i in arrays]
            found = [n[number] for n, number in zip(lengths, numbers, strict=True)]
            values.append(data.cells[data.place(found)])
        return new(values, shape, data.dtype)

    def full(self, shape: Shape, value: Any, dtype: Any) -> Lists:
        return new([value] * len(list(positions(shape))), shape, dtype)


def backend_module(devices: int = 2, reason: str = "") -> ModuleType:
    """What would be the module ``numr_api._backends.listy``."""
    module = ModuleType(f"numr_api._backends.{KIND}")
    module.__spec__ = ModuleSpec(module.__name__, None)
    module.count = lambda: devices  # type: ignore[attr-defined]
    module.obstacle = lambda: reason  # type: ignore[attr-defined]
    module.open_device = ListBackend  # type: ignore[attr-defined]
    return module
