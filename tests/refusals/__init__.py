"""What numr_api refuses: rows of code, the exception, and words that its message must have.

Code runs with the names of ``prepare``. Words are parts of the message, in order, between " ... ".
"""

from __future__ import annotations

import array
import copy
import pickle
from typing import Any, NamedTuple

import numpy as np

import numr_api as xp

Kinds = type[Exception] | tuple[type[Exception], ...]


class Row(NamedTuple):
    """A refusal."""

    code: str
    error: Kinds
    words: str


def prepare() -> dict[str, Any]:
    """Arrays of all kinds and devices by short names, and the modules that code may use."""
    asarray = xp.asarray
    return {
        "b": asarray([True, False, True]),
        "i8": asarray([1, 2, 3], dtype=xp.int8),
        "i32": asarray([1, 2, 3], dtype=xp.int32),
        "i64": asarray([1, 2, 3]),
        "u8": asarray([1, 2, 3], dtype=xp.uint8),
        "u64": asarray([1, 2, 3], dtype=xp.uint64),
        "f32": asarray([1.0, 2, 3], dtype=xp.float32),
        "f64": asarray([1.0, 2, 3]),
        "c64": asarray([1j, 2, 3], dtype=xp.complex64),
        "c128": asarray([1j, 2, 3]),
        "two": asarray([1.0, 2.0]),
        "exponents": asarray([2, 0, -1]),
        # matrices, and three axes
        "m": asarray([[1.0, 2, 3], [4, 5, 6]]),
        "mi": asarray([[0, 1, 0], [1, 0, 1]]),
        "mask": asarray([True, False]),
        "square": asarray([[2.0, 1, 0], [1, 2, 1], [0, 1, 2]]),
        "singular": xp.zeros((2, 2)),
        "cube": xp.ones((2, 2, 2)),
        # no axes, no elements, a view of repeated elements
        "zb": asarray(True),
        "zi": asarray(2),
        "zf": asarray(2.5),
        "zc": asarray(1j),
        "nan": asarray(xp.nan),
        "inf": asarray(xp.inf),
        "none": xp.zeros(0),
        "none2": xp.zeros((0, 3)),
        "wide": xp.broadcast_to(asarray(1.0), (3,)),
        # on fake devices: g has every dtype, h no float64, n nothing of 64 bits
        "g": asarray([1.0, 2, 3], device="fake:0"),
        "gi": asarray([0, 1, 2], device="fake:0"),
        "gb": asarray([True, False, True], device="fake:0"),
        "gz": asarray(1, device="fake:0"),
        "h": asarray([1.0, 2, 3], device="fake:1"),
        "hi": asarray([1, 2, 3], device="fake:1"),
        "ni": asarray([1, 2, 3], device="fake:2"),
        "nu": asarray([1, 2, 3], dtype=xp.uint32, device="fake:2"),
        "xp": xp,
        "np": np,
        "array": array,
        "copy": copy,
        "pickle": pickle,
        "info": xp.__array_namespace_info__(),
    }
