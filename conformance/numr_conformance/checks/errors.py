"""What a conforming library must refuse. Any exception counts unless the standard names one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from numr_conformance.checks._tools import Cases, assert_raises, distinct, indices
from numr_conformance.target import Target

cases = Cases("errors")
checks = cases.checks

Refused = Callable[[Any, Any], Any]  # of the namespace and of a 2 x 3 float32 array

# --- axes -----------------------------------------------------------------------------------------

AXIS = (
    "sum prod max min mean var std all any argmax argmin count_nonzero cumulative_sum "
    "cumulative_prod sort argsort flip unstack diff linalg.vector_norm"
).split()


@cases("*", rows=[(name, axis) for name in AXIS for axis in (2, -3, 5)])
def bad_axis(target: Target, name: str, axis: int) -> None:
    function, x = target.find(name), target.array(distinct("float32", (2, 3)))
    assert_raises(lambda: function(x, axis=axis), Exception, f"axis={axis} of 2 x 3")


@cases("*", rows=itertools.product(("sum", "max", "all", "mean"), ((0, 2), (-3,))))
def bad_axes(target: Target, name: str, axes: tuple[int, ...]) -> None:
    function, x = target.find(name), target.array(distinct("float32", (2, 3)))
    assert_raises(lambda: function(x, axis=axes), Exception, f"axis={axes} of 2 x 3")


MOVED: dict[str, list[tuple[str, Refused]]] = {
    "expand_dims": [("axis 3 of 2 axes", lambda xp, x: xp.expand_dims(x, axis=3)),
                    ("axis -4", lambda xp, x: xp.expand_dims(x, axis=-4)),
                    ("axes (0, 0)", lambda xp, x: xp.expand_dims(x, axis=(0, 0)))],
    "squeeze": [("axis 2", lambda xp, x: xp.squeeze(x, 2))],
    "permute_dims": [("axes (0, 2)", lambda xp, x: xp.permute_dims(x, (0, 2))),
                     ("axes (0, 0)", lambda xp, x: xp.permute_dims(x, (0, 0))),
                     ("too few", lambda xp, x: xp.permute_dims(x, (0,)))],
    "moveaxis": [("source 2", lambda xp, x: xp.moveaxis(x, 2, 0)),
                 ("destination -3", lambda xp, x: xp.moveaxis(x, 0, -3)),
                 ("source twice", lambda xp, x: xp.moveaxis(x, (0, 0), (0, 1)))],
    "roll": [("axis 2", lambda xp, x: xp.roll(x, 1, axis=2))],
    "repeat": [("axis 2", lambda xp, x: xp.repeat(x, 2, axis=2))],
    "concat": [("axis 2", lambda xp, x: xp.concat([x, x], axis=2)),
               ("other lengths", lambda xp, x: xp.concat([x, x[:, :2]], axis=0)),
               ("other rank", lambda xp, x: xp.concat([x, x[0, :]]))],
    "stack": [("axis 3", lambda xp, x: xp.stack([x, x], axis=3)),
              ("other shape", lambda xp, x: xp.stack([x, x[:, :2]]))],
    "reshape": [("2 x 3 to 4", lambda xp, x: xp.reshape(x, (4,))),
                ("to (4, -1)", lambda xp, x: xp.reshape(x, (4, -1))),
                ("two times -1", lambda xp, x: xp.reshape(x, (-1, -1)))],
    "broadcast_to": [("2 x 3 to 3 x 2", lambda xp, x: xp.broadcast_to(x, (3, 2))),
                     ("to fewer axes", lambda xp, x: xp.broadcast_to(x, (3,)))],
    "broadcast_arrays": [("2 x 3 with 2 x 2",
                          lambda xp, x: xp.broadcast_arrays(x, x[:, :2]))],
    "take": [("no axis", lambda xp, x: xp.take(x, xp.asarray([0]))),
             ("axis 2", lambda xp, x: xp.take(x, xp.asarray([0]), axis=2))],
    "cumulative_sum": [("no axis", lambda xp, x: xp.cumulative_sum(x))],
    "cumulative_prod": [("no axis", lambda xp, x: xp.cumulative_prod(x))],
    "nonzero": [("0-d", lambda xp, x: xp.nonzero(x[0, 0]))],
    "arange": [("step 0", lambda xp, x: xp.arange(0, 3, 0))],
    "result_type": [("nothing", lambda xp, x: xp.result_type())],
    "matmul": [("2 x 3 by 2 x 3", lambda xp, x: xp.matmul(x, x)),
               ("by 0-d", lambda xp, x: xp.matmul(x, x[0, 0])),
               ("of 0-d", lambda xp, x: xp.matmul(x[0, 0], x)),
               ("by a vector of 2", lambda xp, x: xp.matmul(x, x[:, 0]))],
    "__matmul__": [("2 x 3 by 2 x 3", lambda xp, x: x @ x), ("by 0-d", lambda xp, x: x @ x[0, 0])],
    "vecdot": [("3 by 2", lambda xp, x: xp.vecdot(x, x[:, :2])),
               ("axis -3", lambda xp, x: xp.vecdot(x, x, axis=-3))],
    "tensordot": [("axes of other lengths", lambda xp, x: xp.tensordot(x, x, axes=1))],
    "matrix_transpose": [("a vector", lambda xp, x: xp.matrix_transpose(x[0, :]))],
    "T": [("3 axes", lambda xp, x: xp.reshape(x, (1, 2, 3)).T),
          ("1 axis", lambda xp, x: x[0, :].T)],
    "mT": [("a vector", lambda xp, x: x[0, :].mT)],
    "linalg.cross": [("axis of 2", lambda xp, x: xp.linalg.cross(x[:, :2], x[:, :2]))],
    "linalg.det": [("2 x 3", lambda xp, x: xp.linalg.det(x))],
    "linalg.inv": [("2 x 3", lambda xp, x: xp.linalg.inv(x)),
                   ("a vector", lambda xp, x: xp.linalg.inv(x[0, :]))],
    "linalg.solve": [("2 x 3", lambda xp, x: xp.linalg.solve(x, x))],
    "linalg.cholesky": [("2 x 3", lambda xp, x: xp.linalg.cholesky(x))],
    "linalg.eigh": [("2 x 3", lambda xp, x: xp.linalg.eigh(x))],
    "linalg.matrix_power": [("2 x 3", lambda xp, x: xp.linalg.matrix_power(x, 2))],
    "fft.rfft": [("axis 2", lambda xp, x: xp.fft.rfft(x, axis=2))],
}  # fmt: skip


@cases("*", rows=[(name, text) for name, rows in MOVED.items() for text, _ in rows])
def refused(target: Target, name: str, text: str) -> None:
    if name not in ("T", "mT", "__matmul__"):
        target.find(name)  # else Unsupported would pass for a refusal
    call = dict(MOVED[name])[text]
    x = target.array(distinct("float32", (2, 3)))
    assert_raises(lambda: call(target.xp, x), Exception, text)


@cases("squeeze")
def squeeze_of_a_long_axis(target: Target) -> None:
    x = target.array(distinct("float32", (2, 3)))
    assert_raises(lambda: target.xp.squeeze(x, 0), ValueError, "axis 0 of 2 x 3")


@cases("broadcast_shapes", rows=[
    ((2, 3), (2, 2)), ((2,), (3,)), ((0,), (2,)), ((1, 2), (3, 3, 3))])  # fmt: skip
def shapes_that_do_not_broadcast(target: Target, *shapes: tuple[int, ...]) -> None:
    function = target.find("broadcast_shapes")
    assert_raises(lambda: function(*shapes), ValueError, shapes)


BINARY = ("add", "multiply", "less", "logaddexp", "atan2", "__add__", "__eq__", "__truediv__",
          "__iadd__", "__imul__")  # fmt: skip


@cases("*", rows=itertools.product(BINARY, (((2, 3), (2,)), ((3,), (4,)), ((0,), (2,)))))
def operands_that_do_not_broadcast(target: Target, name: str, shapes: Any) -> None:
    x, y = (target.array(distinct("float32", shape)) for shape in shapes)
    function = target.find(name)
    assert_raises(lambda: function(x, y), Exception, shapes)


@cases("*", rows=[(name,) for name in ("__iadd__", "__imul__", "__isub__", "__itruediv__")])
def in_place_cannot_grow(target: Target, name: str) -> None:
    """The shape of the first operand must stay."""
    x, y = target.array(distinct("float32", (3,))), target.array(distinct("float32", (2, 3)))
    function = target.find(name)
    assert_raises(lambda: function(x, y), Exception, "(3,) += (2, 3)")


# --- indexing -------------------------------------------------------------------------------------

KEYS: dict[str, Any] = {
    "too many": (0, 0, 0), "too many slices": (slice(None),) * 3, "two ellipses": (..., 0, ...),
    "too many with an ellipsis": (0, 0, ..., 0),
}  # fmt: skip


@cases("__getitem__", rows=[(name,) for name in KEYS])
def bad_key(target: Target, name: str) -> None:
    x = target.array(distinct("float32", (2, 3)))
    assert_raises(lambda: x[KEYS[name]], IndexError, name)


@cases("__setitem__", rows=[(name,) for name in KEYS])
def bad_key_assigned(target: Target, name: str) -> None:
    x = target.array(distinct("float32", (2, 3)))
    assert_raises(lambda: x.__setitem__(KEYS[name], 1.0), IndexError, name)


@cases("__getitem__", rows=[((2, 3, 1),), ((3,),), ((2, 2),)])
def bad_mask(target: Target, shape: tuple[int, ...]) -> None:
    x = target.array(distinct("float32", (2, 3)))
    mask = target.array(np.ones(shape, bool))
    assert_raises(lambda: x[mask], IndexError, f"2 x 3 by a mask {shape}")


@cases("__getitem__")
def index_arrays_that_do_not_broadcast(target: Target) -> None:
    x = target.array(distinct("float32", (2, 3)))
    key = indices(target, [0, 1]), indices(target, [0, 1, 2])
    assert_raises(lambda: x[key], Exception, "2 indices with 3")


@cases("__setitem__", rows=[((2, 2),), ((4,),), ((2,),), ((1, 2, 4),)])
def values_that_do_not_broadcast(target: Target, shape: tuple[int, ...]) -> None:
    x, y = target.array(distinct("float32", (2, 3))), target.array(distinct("float32", shape))
    assert_raises(lambda: x.__setitem__(..., y), Exception, shape)


# --- Python's numbers -----------------------------------------------------------------------------


@cases("*", rows=[(f"__{kind.__name__}__", kind.__name__, shape)
                  for kind in (bool, int, float, complex) for shape in ((2,), (2, 3))])  # fmt: skip
def number_of_several(target: Target, function: str, name: str, shape: tuple[int, ...]) -> None:
    """Only an array of one element is a number."""
    kind: Any = {"bool": bool, "int": int, "float": float, "complex": complex}[name]
    x = target.array(distinct("float32", shape))
    assert_raises(lambda: kind(x), Exception, shape)


@cases("*", rows=[(f"__{kind.__name__}__", kind.__name__) for kind in (int, float)])
def complex_is_not_real(target: Target, function: str, name: str) -> None:
    kind: Any = {"int": int, "float": float}[name]
    x = target.array(np.asarray(1 + 2j, "complex64"))
    assert_raises(lambda: kind(x), TypeError, "1 + 2j")


@cases("*", rows=[("__int__", v) for v in ("nan", "inf", "-inf")])
def not_an_integer(target: Target, function: str, value: str) -> None:
    error = ValueError if value == "nan" else OverflowError
    x = target.array(np.asarray(float(value), "float32"))
    assert_raises(lambda: int(x), error, value)


@cases("__index__", dtypes=("bool", "float32", "complex64"))
def only_integers_are_indices(target: Target, dtype: str) -> None:
    x = target.array(distinct(dtype, (2,)))[1]
    assert_raises(lambda: [0, 1, 2][x], TypeError, dtype)


@cases("__array_namespace__", rows=[("2019.01",), ("nonsense",)])
def unknown_version(target: Target, version: str) -> None:
    x = target.array(distinct("float32", (2,)))
    call = x.__array_namespace__
    assert_raises(lambda: call(api_version=version), ValueError, version)
