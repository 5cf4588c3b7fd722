"""Element-wise operations on webgpu: values, layouts, shapes, scalars, in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from exact_elementwise import ARITY, COUNT, ELEMENTWISE, assert_exact, operands

import numr_api as xp
from numr_api._declare import wrap
from numr_api._devices import array_type
from numr_api._dtypes import ACCEPTED, BY_NAME, STANDARD, DType

SHAPE = (3, 4, 5)  # of COUNT elements
CASES = [
    pytest.param(name, dtype, id=f"{name}-{dtype}")
    for name, op in ELEMENTWISE.items()
    for dtype in STANDARD
    if dtype.kind in ACCEPTED[op.accepts]
]
DTYPES = [pytest.param(dtype, id=str(dtype)) for dtype in STANDARD]


def require(backend: Any, *dtypes: DType) -> None:
    missing = [dtype for dtype in dtypes if dtype not in backend.dtypes]
    if missing:
        pytest.skip(f"the device has no {missing[0]}")


# --- layouts: the same values, otherwise arranged in memory, by the device's own views ------------


def spaced(put: Any, x: Any) -> Any:
    wide = np.zeros((*SHAPE[:-1], 3 * SHAPE[-1] + 1), x.dtype)
    wide[..., 1::3] = x
    return put(wide)[..., 1::3]


def reversed_(put: Any, x: Any) -> Any:
    return put(x[::-1, :, ::-1].copy())[::-1, :, ::-1]


def transposed(put: Any, x: Any) -> Any:
    return xp.permute_dims(put(np.ascontiguousarray(x.transpose(2, 0, 1))), (1, 2, 0))


def unaligned(put: Any, x: Any) -> Any:
    return xp.reshape(put(np.concatenate([x.reshape(-1)[:1], x.reshape(-1)]))[1:], SHAPE)


LAYOUTS = [lambda put, x: put(x), spaced, reversed_, transposed, unaligned]
TRIED = (0, 2)  # each variant of a kernel takes long to compile on a software driver


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_values_are_within_the_bound_in_every_layout(
    name: str, dtype: DType, backend: Any, put: Any, get: Any
) -> None:
    require(backend, dtype)
    columns = [x.reshape(SHAPE) for x in operands(name, dtype)]
    for number in TRIED:
        # Operands of one operation lie in different ways, but for the first layout.
        chosen = [LAYOUTS[(number + i) % len(LAYOUTS) if number else 0]
                  for i in range(len(columns))]  # fmt: skip
        arrays = [make(put, x) for make, x in zip(chosen, columns, strict=True)]
        assert_exact(get(ELEMENTWISE[name].function(*arrays)), name, dtype)
        for array, x in zip(arrays, columns, strict=True):  # which are left as they were
            assert get(array).tobytes() == x.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 1023, 1024, 1025, 4099])
def test_any_size(dtype: DType, size: int, backend: Any, put: Any, get: Any) -> None:
    require(backend, dtype)
    host = (np.arange(size) * 7 % 5).astype(np.dtype(dtype))
    found = get(xp.equal(put(host), put(host[::-1].copy())))
    assert found.tolist() == (host == host[::-1]).tolist()
    assert get(xp.where(put(host > 1), put(host), put(host[::-1].copy()))).tolist() == \
        np.where(host > 1, host, host[::-1]).tolist()  # fmt: skip


def test_more_workgroups_than_an_axis_has(backend: Any, get: Any) -> None:
    count = 65_535 * 1024 + 4099
    x = wrap(backend.arange(0, 1, count, BY_NAME["int32"]), array_type(BY_NAME["int32"], backend))
    y = x + x
    assert get(y[-3:]).tolist() == [2 * (count - 3), 2 * (count - 2), 2 * (count - 1)]
    assert get(y[65_535 * 1024 :: 1024]).tolist() == [
        2 * 65_535 * 1024 + 2048 * i for i in range(5)
    ]


@pytest.mark.parametrize("name", ["add", "less", "where"])
def test_operands_broadcast(name: str, backend: Any, put: Any, get: Any) -> None:
    rng = np.random.default_rng(0)
    shapes = [((5, 1, 4), (3, 1)), ((7,), ()), ((2, 1, 3, 1), (4, 1, 6)), ((0, 3), (1, 3)),
              ((8, 12), (12,)), ((8, 12), (8, 1)), ((1,), (1, 1, 1))]  # fmt: skip
    for first, second in shapes:
        a, b = (rng.integers(-9, 9, shape).astype("int16") for shape in (first, second))
        given = [a, b] if name != "where" else [a > 0, a, b]
        expected = getattr(np, name)(*given)
        assert get(getattr(xp, name)(*map(put, given))).tolist() == expected.tolist()


MIXED = [("float32", "float64"), ("int8", "int32"), ("uint8", "int16"), ("uint32", "int8"),
         ("uint16", "uint64"), ("int16", "int64"), ("uint32", "int64"), ("float32", "complex64"),
         ("float32", "complex128"), ("complex64", "float64")]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), MIXED)
def test_mixed_dtypes_are_promoted_in_the_kernel(
    first: str, second: str, backend: Any, put: Any, get: Any
) -> None:
    require(backend, BY_NAME[first], BY_NAME[second])
    a = operands("add", BY_NAME[first])[0]
    b = operands("add", BY_NAME[second])[1]
    expected = np.add(a, b) if "float" in first + second else a + b
    found = get(put(a) + put(b))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_python_scalars_need_no_array(dtype: DType, backend: Any, put: Any, get: Any) -> None:
    require(backend, dtype)
    x = operands("add", dtype)[0]
    scalar: Any = {"b": True, "i": -3, "u": 3, "f": 0.25, "c": 0.5 - 2j}[dtype.kind]
    reads = backend.gpu.reads
    equal, chosen = xp.equal(put(x), scalar), xp.where(put(x == x[0]), put(x), scalar)
    assert backend.gpu.reads == reads
    assert get(equal).tolist() == (x == np.asarray(scalar, x.dtype)).tolist()
    assert get(chosen).tolist() == np.where(x == x[0], x, np.asarray(scalar, x.dtype)).tolist()


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.values[0].kind in "iufc"])
def test_in_place_changes_the_elements_of_a_view_and_no_others(
    dtype: Any, backend: Any, put: Any, get: Any
) -> None:
    require(backend, dtype)
    host = np.arange(1, 44).astype(np.dtype(dtype))
    keys = [slice(None), slice(1, 6), slice(0, 5), slice(3, 40, 3), slice(None, None, -1),
            slice(8, 16), slice(4, 4)]  # fmt: skip
    for key in keys:
        x, expected = put(host), host.copy()
        view = x[key]
        view += 2
        expected[key] += np.asarray(2, host.dtype)
        assert get(x).tolist() == expected.tolist()


def test_operands_that_overlap_the_result_are_read_before_it_is_written(put: Any, get: Any) -> None:
    for dtype in ("int8", "int32", "float32"):
        host = np.arange(1, 101).astype(dtype)
        for to, of in [(slice(1, None), slice(None, -1)), (slice(None), slice(None, None, -1))]:
            x, expected = put(host), host.copy()
            view = x[to]
            view += x[of]
            expected[to] = host[to] + host[of]
            assert get(x).tolist() == expected.tolist()


@pytest.mark.parametrize("source", DTYPES)
def test_astype_converts_as_numpy_does(source: Any, backend: Any, put: Any, get: Any) -> None:
    require(backend, source)
    for target in backend.dtypes:
        if source.kind == "c" and target.kind != "c":
            continue
        host = operands("add", source)[0]
        if source.kind == "f" and target.kind in "iu":  # beyond the range it is anything
            host = np.abs(host) if target.kind == "u" else host
        found = get(xp.astype(put(host), target))
        assert found.dtype == np.dtype(target)
        assert np.array_equal(found, host.astype(np.dtype(target)))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32"])
def test_clip_without_one_bound_or_both(dtype: str, put: Any, get: Any) -> None:
    x, low, high = np.arange(10).astype(dtype), np.asarray(3, dtype), np.asarray(7, dtype)
    for given in [(None, None), (low, None), (None, high), (low, high)]:
        expected = np.clip(x, *given) if any(b is not None for b in given) else x
        arrays = [None if bound is None else put(bound) for bound in given]
        assert get(xp.clip(put(x), *arrays)).tolist() == expected.tolist()
        scalars = [None if bound is None else bound.item() for bound in given]
        assert get(xp.clip(put(x), *scalars)).tolist() == expected.tolist()


def test_real_and_imag_are_views(put: Any, get: Any) -> None:
    z = put(np.asarray([1 + 2j, 3 + 4j], "complex64"))
    xp.real(z)[0] = 5
    xp.imag(z)[1] = 6
    assert get(z).tolist() == [5 + 2j, 3 + 6j]


def test_many_axes(put: Any, get: Any) -> None:
    host = np.arange(2**12, dtype="int32").reshape((2,) * 12)
    axes = tuple(range(0, 12, 2)) + tuple(range(1, 12, 2))
    found = get(put(host) + xp.permute_dims(put(host), axes))
    assert found.tolist() == (host + host.transpose(axes)).tolist()


def test_every_operation_has_a_row_for_every_kind(backend: Any) -> None:
    from numr_api._errors import Unsupported

    missing: list[str] = []
    for name, op in ELEMENTWISE.items():
        for dtype in backend.dtypes:
            if dtype.kind in ACCEPTED[op.accepts]:
                first = (BY_NAME["bool"],) if name == "where" else ()
                types = (*first, *(dtype,) * (ARITY[name] - len(first)))
                try:
                    backend.elementwise(name, types, dtype, op.result_dtype(dtype, backend))
                except Unsupported:
                    missing.append(f"{name} of {dtype}")
    assert not missing
    assert np.prod(SHAPE) == COUNT


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_squares_by_pow_are_rounded_once(name: str, backend: Any, put: Any, get: Any) -> None:
    dtype = BY_NAME[name]
    require(backend, dtype)
    given = np.random.default_rng(0).uniform(-40, 40, 4096).astype(name)
    given[:4] = [0, -0.0, np.inf, 1e18]
    x = put(given)
    for square in (x**2, xp.pow(x, 2), xp.pow(x, xp.full_like(x, 2))):
        assert np.array_equal(get(square), given * given)
    assert np.isnan(get(put(np.asarray([np.nan], name)) ** 2))
