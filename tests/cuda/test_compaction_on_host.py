"""What masks choose, by the cuda device's kernels, compiled for the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from host_kernels import COMPILER, HostLibrary, on_host, twice

from numr_api._backends.cuda.compaction import TILE, Compaction
from numr_api._backends.cuda.copies import Copies
from numr_api._backends.cuda.scans import Scans

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

View = Callable[[Any], Any]


def same(x: Any) -> Any:
    return x


def numbers(*shape: int, dtype: str = "float32") -> Any:
    return (np.arange(int(np.prod(shape))) * 7919 % 251).astype(dtype).reshape(shape)


def mask_of(*shape: int) -> Any:
    """About half is true, and nothing of the second tile, nor of the third but for its end."""
    mask = np.arange(int(np.prod(shape))) * 7919 % 13 < 6
    mask[TILE : 3 * TILE - 2] = False
    return mask.reshape(shape)


class Case:
    """Data, and a mask over its first axes; each is made anew and changed to a view."""

    def __init__(self, shape: tuple[int, ...], axes: int = 1, dtype: str = "float32",
                 view: View = same, of_mask: View = same, at: int = 0) -> None:  # fmt: skip
        self.shape, self.axes, self.dtype = shape, axes, dtype
        self.view, self.of_mask, self.at = view, of_mask, at

    def data(self) -> Any:
        return self.view(on_host(numbers(*self.shape, dtype=self.dtype), self.at))

    def mask(self) -> Any:
        mask = on_host(mask_of(*self.shape[: self.axes]), self.at)
        mask.view("uint8")[...] *= 5  # any byte but 0 is true
        return self.of_mask(mask)

    def truth(self) -> Any:
        return np.asarray(self.mask()).view("uint8") != 0


CASES = {
    **{f"{n} elements": Case((n,)) for n in (0, 1, 33, 511, 513, TILE, TILE + 1)},
    "several tiles": Case((5 * TILE + 77,)),
    **{f"elements of {dtype}": Case((1000,), dtype=dtype)
       for dtype in ("bool", "int16", "int64", "complex64", "complex128")},
    "two axes": Case((30, 40), axes=2),
    "three axes": Case((3, 10, 40), axes=3),
    "rows": Case((300, 3)),
    "rows of 16 bytes": Case((300, 4)),
    "rows of 32 bytes": Case((300, 8)),
    "rows of bytes": Case((300, 3), dtype="uint8"),
    "rows below two axes": Case((30, 10, 7), axes=2),
    "rows of nothing": Case((30, 0)),
    "no axes": Case((), axes=0),
    "unaligned": Case((2 * TILE,), at=4),
    "unaligned rows": Case((300, 4), at=4),
    "transposed": Case((30, 40), axes=2, view=lambda x: x.T, of_mask=lambda x: x.T),
    "backwards": Case((500,), view=lambda x: x[::-1]),
    "mask backwards": Case((500,), of_mask=lambda x: x[::-1]),
    "columns cut": Case((50, 9), view=lambda x: x[:, 1:8:2]),
}  # fmt: skip

# Values to be written, given how many are chosen and the shape of a row.
VALUES: dict[str, Callable[[int, tuple[int, ...]], Any]] = {
    "a value for each": lambda n, rest: on_host(numbers(n, *rest)),
    "a value for each of another dtype": lambda n, rest: on_host(numbers(n, *rest, dtype="int8")),
    "a value for each row": lambda n, rest: on_host(numbers(n, *(1 for _ in rest))),
    "a value for each and an axis": lambda n, rest: on_host(numbers(1, n, *rest)),
    "every other value": lambda n, rest: on_host(numbers(2 * n, *rest))[::2],
    "one value": lambda n, rest: on_host(np.float32(7)),
    "one value with axes": lambda n, rest: on_host(numbers(1, *rest)),
    "a row": lambda n, rest: on_host(numbers(*rest)),
    "a number": lambda n, rest: 3.5,
    "an integer": lambda n, rest: 3,
}
WRITTEN = ["4097 elements", "two axes", "rows", "rows of 32 bytes", "rows of nothing", "no axes",
           "transposed", "backwards", "columns cut", "0 elements"]  # fmt: skip


def results(library: HostLibrary) -> dict[Any, Any]:
    """What is chosen, and where it is, and the data after each value was written."""
    given: Any = library
    copies = Copies(given)
    compaction = Compaction(Scans(copies, given), copies, lambda: None, given)
    found: dict[Any, Any] = {}
    for name, case in CASES.items():
        found[name] = compaction.compress(case.data(), case.mask())
        if case.axes:
            found["nonzero", name] = compaction.nonzero(case.mask())
    found["nonzero numbers"] = compaction.nonzero(on_host(SOME_ZERO))
    for name in WRITTEN:
        case = CASES[name]
        count = int(case.truth().sum())
        for kind, value in VALUES.items():
            data = case.data()
            compaction.assign(data, case.mask(), value(count, data.shape[case.axes :]))
            found[name, kind] = data
    data = on_host(numbers(1000))
    compaction.assign(data, on_host(mask_of(1000)), data[: mask_of(1000).sum()][::-1])
    found["values of the data"] = data
    flags = on_host(mask_of(1000))
    compaction.assign(flags, flags, on_host(mask_of(flags.sum())))
    found["the mask itself"] = flags
    return found


SOME_ZERO = np.asarray([[0.0, -0.0, np.nan], [1e-320, 0.0, 2.0]])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return twice(tmp_path_factory.mktemp("masks"), results)


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_what_is_chosen_agrees_with_numpy(name: str, found: dict[Any, Any]) -> None:
    case = CASES[name]
    expected = np.asarray(case.data())[case.truth()]
    assert found[name].dtype == expected.dtype
    assert found[name].shape == expected.shape
    assert np.array_equal(np.asarray(found[name]), expected)


@needs_compiler
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.axes])
def test_where_it_is_agrees_with_numpy(name: str, found: dict[Any, Any]) -> None:
    for indices, expected in zip(
        found["nonzero", name], np.nonzero(CASES[name].truth()), strict=True
    ):
        assert indices.dtype == "int64"
        assert np.array_equal(np.asarray(indices), expected)


@needs_compiler
def test_nan_and_the_smallest_number_are_not_zero(found: dict[Any, Any]) -> None:
    assert [list(x) for x in found["nonzero numbers"]] == [[0, 1, 1], [2, 0, 2]]


@needs_compiler
@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("kind", VALUES)
def test_what_is_written_agrees_with_numpy(name: str, kind: str, found: dict[Any, Any]) -> None:
    case = CASES[name]
    expected, truth = np.array(case.data()), case.truth()
    value = VALUES[kind](int(truth.sum()), expected.shape[case.axes :])
    if np.ndim(value) > expected.ndim - case.axes + 1:
        value = value[0]
    expected[truth] = np.asarray(value)
    assert np.array_equal(np.asarray(found[name, kind]), expected)


@needs_compiler
def test_values_and_masks_may_be_the_data_itself(found: dict[Any, Any]) -> None:
    expected, truth = numbers(1000), mask_of(1000)
    expected[truth] = expected[: truth.sum()][::-1].copy()
    assert np.array_equal(np.asarray(found["values of the data"]), expected)
    flags = mask_of(1000)
    flags[truth] = mask_of(truth.sum())
    assert np.array_equal(np.asarray(found["the mask itself"]), flags)


def test_a_wrong_index_is_told_once_the_number_is_read() -> None:
    told: list[str] = []

    class Library(HostLibrary):
        def last(self, data: Any) -> int:
            told.append("number")
            return super().last(data)

    def look() -> None:
        told.append("look")
        raise IndexError

    given: Any = Library()
    copies = Copies(given)
    compaction = Compaction(Scans(copies, given), copies, look, given)
    for call in (
        lambda: compaction.compress(on_host(numbers(9)), on_host(mask_of(9))),
        lambda: compaction.nonzero(on_host(numbers(9))),
    ):
        with pytest.raises(IndexError):
            call()
        assert told == ["number", "look"]
        told.clear()
