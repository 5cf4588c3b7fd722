"""How the cuda device's element-wise kernels reach arrays, whatever lies where; without a GPU.

Kernels are compiled for the host; what they compute of arrays is compared with NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_kernels import COMPILER, HostArray, HostLibrary, on_host, twice, twice_as_if_many

from numr_api._backends.cuda.elementwise import Kernel, find_kernel
from numr_api._backends.cuda.layouts import common_shape, loop_of
from numr_api._dtypes import BY_NAME
from numr_api._errors import Unsupported

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")

Column = np.ndarray[Any, np.dtype[Any]]
I64, C128 = "int64", "complex128"
FUNCTIONS = {"add": np.add, "less": np.less, "where": np.where}


def numbers(*shape: int, dtype: str = "float32") -> Column:
    count = int(np.prod(shape))
    values = (np.arange(count) * 7919 % 101 - 50 * (dtype[0] != "u")).astype(dtype)
    return values.reshape(shape)


def matrix(dtype: str = "float32") -> Column:
    return numbers(6, 40, dtype=dtype)


# Operands, as functions that make them: an array made twice must lie alike.
Operands = tuple[Callable[[], Any] | float, ...]


def of(make: Callable[[], Column], change: Callable[[Any], Any] = lambda x: x, at: int = 0) -> Any:
    """What makes a host's array of a column, changed to a view, at an address."""
    return lambda: change(on_host(make(), at))


CASES: dict[str, Operands] = {
    **{
        f"{n} in a row": (of(lambda n=n: numbers(n)), of(lambda n=n: 2 * numbers(n) + 1))
        for n in (0, 1, 3, 4, 5, 1023, 1024, 1025, 5000)
    },
    "no axes": (of(lambda: numbers()), of(lambda: numbers())),
    "no axes and many": (of(lambda: numbers()), of(matrix)),
    "one element and many": (of(matrix), of(lambda: numbers(1, 1))),
    "int8": (of(lambda: numbers(100, dtype="int8")), of(lambda: numbers(100, dtype="int8"))),
    "int8 and int64": (of(lambda: numbers(99, dtype="int8")), of(lambda: numbers(99, dtype=I64))),
    "uint8 and int32": (of(lambda: matrix("uint8")), of(lambda: matrix("int32"))),
    "float32 and complex128": (of(matrix), of(lambda: matrix("complex128"))),
    "row": (of(matrix), of(lambda: numbers(40))),
    "row of another dtype": (of(matrix), of(lambda: numbers(40, dtype="float64"))),
    "row of uneven length": (of(lambda: numbers(6, 41)), of(lambda: numbers(41))),
    "column": (of(matrix), of(lambda: numbers(6, 1))),
    "column and row": (of(lambda: numbers(6, 1)), of(lambda: numbers(40))),
    "row of complex128": (of(lambda: matrix(C128)), of(lambda: numbers(40, dtype=C128))),
    "plane": (of(lambda: numbers(3, 4, 8)), of(lambda: numbers(3, 1, 8))),
    "unaligned": (of(lambda: numbers(100), at=4), of(lambda: numbers(100))),
    "unaligned row": (of(matrix), of(lambda: numbers(40), at=8)),
    "every other": (of(lambda: numbers(201), lambda x: x[::2]), of(lambda: numbers(101))),
    "every other of many": (of(lambda: numbers(6001), lambda x: x[::2]), of(lambda: numbers(3001))),
    "backwards": (of(matrix, lambda x: x[:, ::-1]), of(matrix, lambda x: x[::-1])),
    "transposed": (of(lambda: numbers(40, 6), lambda x: x.T), of(matrix)),
    "both transposed": (of(matrix, lambda x: x.T), of(matrix, lambda x: x.T)),
    "axes moved": (of(lambda: numbers(3, 4, 5), lambda x: x.transpose(1, 2, 0)),
                   of(lambda: numbers(3))),
    "repeated": (of(lambda: numbers(40), lambda x: np.broadcast_to(x, (6, 40), subok=True)),
                 of(matrix)),
    "repeated and a scalar": (of(lambda: numbers(40), lambda x: np.broadcast_to(x, (6, 40),
                                                                                subok=True)), 3),
    "columns cut": (of(matrix, lambda x: x[:, 4:36]), of(matrix, lambda x: x[:, 8:])),
    "columns cut unevenly": (of(matrix, lambda x: x[:, 3:]), of(lambda: numbers(37))),
    "empty": (of(lambda: numbers(3, 0)), of(lambda: numbers(1))),
    "scalar": (of(matrix), 2.5),
    "scalar first": (2.5, of(matrix, lambda x: x[::2])),
    "integer scalar": (of(lambda: matrix("int16")), -7),
    "complex scalar": (of(lambda: matrix("complex64")), 1 - 2j),
    "scalar too large": (of(matrix), 1e60),
}  # fmt: skip


def kernel_for(operation: str, operands: list[Any], library: HostLibrary) -> Any:
    """The kernel of an operation on such operands."""
    types = [BY_NAME[x.dtype.name] if isinstance(x, np.ndarray) else type(x) for x in operands]
    promoted = operands[1:] if operation == "where" else operands
    with np.errstate(over="ignore"):
        dtype = BY_NAME[np.result_type(*(x for x in promoted if isinstance(x, np.ndarray))).name]
    result = BY_NAME["bool"] if operation == "less" else dtype
    library_: Any = library
    return find_kernel(operation, tuple(types), dtype, result, library_)


def expected(operation: str, operands: list[Any]) -> Column:
    with np.errstate(over="ignore"):
        cast = [x if isinstance(x, np.ndarray) else np.result_type(*operands).type(x)
                for x in operands]  # fmt: skip
        return FUNCTIONS[operation](*(np.asarray(x) for x in cast))


def results(library: HostLibrary) -> dict[str, tuple[list[Any], Any]]:
    """The operands and the sum of each case."""
    found: dict[str, tuple[list[Any], Any]] = {}
    for name, makers in CASES.items():
        operands = [make() if callable(make) else make for make in makers]
        found[name] = (operands, kernel_for("add", operands, library)(*operands))
    return found


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return twice(tmp_path_factory.mktemp("sums"), results)


@pytest.fixture(scope="module")
def wide_sums(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return twice_as_if_many(tmp_path_factory.mktemp("wide_sums"), results)


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_sums_are_numpys(name: str, sums: Any) -> None:
    operands, result = sums[name]
    assert type(result) is HostArray
    true = expected("add", operands)
    assert result.shape == true.shape
    assert result.dtype == np.result_type(*(x for x in operands if isinstance(x, np.ndarray)))
    np.testing.assert_array_equal(result, true)


@needs_compiler
@pytest.mark.parametrize("name", CASES)
def test_counting_in_64_bits_and_in_several_steps_gives_the_same(
    name: str, sums: Any, wide_sums: Any
) -> None:
    np.testing.assert_array_equal(wide_sums[name][1], sums[name][1])


@needs_compiler
def test_results_have_their_axes_in_the_order_of_the_operands(sums: Any) -> None:
    assert sums["both transposed"][1].strides == sums["both transposed"][0][0].strides
    assert sums["transposed"][1].flags.c_contiguous
    assert sums["repeated and a scalar"][1].flags.c_contiguous


@needs_compiler
def test_three_operands_and_results_of_other_sizes(tmp_path: Path) -> None:
    def run(library: HostLibrary) -> list[tuple[str, list[Any], Any]]:
        condition = on_host(numbers(6, 40) > 0)
        x, y = on_host(matrix()), on_host(-matrix("float64"))
        row, flag = on_host(numbers(40)), on_host(numbers(6, 1) > 0)
        cases: list[tuple[str, list[Any]]] = [
            ("where", [condition, x, y]), ("where", [condition, x, row]),
            ("where", [flag, x, 1.5]), ("where", [condition.T, x.T, y.T]),
            ("less", [x, y]), ("less", [x, row]), ("less", [on_host(numbers(7)), 3.0]),
        ]  # fmt: skip
        return [(name, xs, kernel_for(name, xs, library)(*xs)) for name, xs in cases]

    for name, operands, result in twice(tmp_path, run):
        np.testing.assert_array_equal(result, expected(name, operands))


def square(x: Any) -> Any:
    return x.reshape(10, 10)


def cut(x: Any) -> Any:
    """Rows that begin on even addresses and do not consist of whole vectors."""
    return x.reshape(5, 20)[:, :18]


@needs_compiler
def test_writing_to_an_operand_or_over_a_part_of_one(tmp_path: Path) -> None:
    def run(library: HostLibrary) -> list[tuple[Any, Column]]:
        f32 = BY_NAME["float32"]
        add: Any = find_kernel("add", (f32, f32), f32, f32, library)  # type: ignore[arg-type]
        found: list[tuple[Any, Column]] = []
        for views in (
            lambda x: (x, x, x),
            lambda x: (x[1:], x[:-1], x[1:]),
            lambda x: (x[:-1], x[:-1], x[1:]),
            lambda x: (x[::-1], x, x),
            lambda x: (x, x[3:4], x),
            lambda x: (x[::2], x[::2], x[:50]),
            lambda x: (square(x), square(x).T, square(x)),
            lambda x: (cut(x), cut(x), cut(x)[0]),
            lambda x: (square(x).T, square(x)[0], square(x).T),
            lambda x: (square(x)[:, 2:4], square(x)[:, 2:4], square(x)[:, :2]),
        ):
            x = on_host(numbers(100))
            truth = np.asarray(x).copy()
            target, *rest = views(truth)
            target[...] = rest[0] + rest[1]
            out, *operands = views(x)
            assert add(*operands, out=out) is out
            found.append((x, truth))
        return found

    for x, truth in twice(tmp_path, run):
        np.testing.assert_array_equal(x, truth)


def kernel(operation: str, *types: Any) -> Any:
    dtype = next(x for x in types if not isinstance(x, type))
    library: Any = HostLibrary()
    return find_kernel(operation, types, dtype, dtype, library)


def test_what_does_not_fit_is_refused() -> None:
    add = kernel("add", BY_NAME["int8"], BY_NAME["int8"])
    x = on_host(numbers(3, dtype="int8"))
    with pytest.raises(ValueError, match="do not broadcast"):
        add(x, on_host(numbers(4, dtype="int8")))
    with pytest.raises(ValueError, match="does not fit"):
        add(x, on_host(numbers(2, 3, dtype="int8")), out=x)
    with pytest.raises(OverflowError, match="128 is out of range"):
        kernel("add", BY_NAME["int8"], int)(x, 128)
    with pytest.raises(Unsupported, match="bool"):
        kernel("add", BY_NAME["bool"], BY_NAME["bool"])


def test_real_and_imag_are_views() -> None:
    z = on_host(numbers(4, dtype="complex64") * 1j)
    imag = kernel("imag", BY_NAME["complex64"])(z)
    assert np.shares_memory(imag, z)
    assert imag.tolist() == z.imag.tolist()
    assert kernel("real", BY_NAME["float32"])(z) is z


@pytest.mark.parametrize(
    ("shapes", "shape"),
    [([(2, 3), (3,)], (2, 3)), ([(2, 1), (1, 0)], (2, 0)), ([(), (4,)], (4,)), ([()], ())],
)
def test_shapes_broadcast(shapes: list[Any], shape: tuple[int, ...]) -> None:
    assert common_shape(shapes) == shape


def test_axes_that_are_stepped_through_as_one_are_merged() -> None:
    x, row = on_host(numbers(2, 3, 4, 5)), on_host(numbers(4, 5))
    assert loop_of([x, x]) == ((120,), [(1,), (1,)])
    assert loop_of([x, row]) == ((6, 20), [(20, 1), (0, 1)])
    assert loop_of([x.transpose(3, 2, 1, 0), x.transpose(3, 2, 1, 0)]) == ((120,), [(1,), (1,)])
    assert loop_of([x[:, :, ::2]]) == ((12, 5), [(10, 1)])


def variants_of(*arrays: Any) -> list[Any]:
    """The kernels that a sum of arrays has made."""
    types = [BY_NAME[x.dtype.name] for x in arrays]
    library: Any = HostLibrary()
    add = find_kernel("add", tuple(types), types[0], types[0], library)
    add(*arrays)
    assert isinstance(add, Kernel)
    return list(add._functions)


def test_wide_accesses_serve_whatever_is_aligned_along_the_last_axis() -> None:
    x, row, column = on_host(matrix()), on_host(numbers(40)), on_host(numbers(6, 1))
    vector, constant = "vector", "constant"
    assert [v.modes for v in variants_of(x, x)] == [(vector,) * 3]
    assert [v.modes for v in variants_of(x, row)] == [(vector,) * 3]
    assert [v.modes for v in variants_of(x, column)] == [(vector, vector, constant)]
    assert [v.modes for v in variants_of(x, x[:, 3:4])] == [(vector, vector, constant)]
    assert [v.modes for v in variants_of(x[:, 4:36], x[:, :32])] == [(vector,) * 3]
    assert [v.modes for v in variants_of(x[:, 3:], x[:, 3:])] == [()]
    assert [v.modes for v in variants_of(x, on_host(matrix(), 4))] == [("run",) * 3]
