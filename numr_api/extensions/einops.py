"""einops on numr_api arrays: to import this module is all that there is to do.

Afterwards ``rearrange``, ``reduce``, ``repeat``, ``pack``, ``unpack``, ``einsum``, ``parse_shape``
and ``asnumpy`` of einops take numr_api arrays of every device, in strict mode, and return arrays of
that device; ``asnumpy`` returns a NumPy array, from any device.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

import numr_api
from numr_api._array import Array
from numr_api._einsum import einsum

try:
    AbstractBackend: Any = import_module("einops._backends").AbstractBackend
except ImportError as error:
    raise ImportError(
        "numr_api.extensions.einops needs einops: pip install einops", name=error.name
    ) from error

__all__: list[str] = []


class NumrApiBackend(AbstractBackend):
    """What einops does with numr_api arrays; it finds this class among the subclasses."""

    framework_name = "numr_api"

    def is_appropriate_type(self, tensor: object) -> bool:
        return isinstance(tensor, Array)

    def to_numpy(self, x: Array) -> np.ndarray[Any, Any]:
        return np.asarray(x.to_device("cpu"))

    def reshape(self, x: Array, shape: Sequence[int]) -> Array:
        return numr_api.reshape(x, tuple(shape))

    def transpose(self, x: Array, axes: Sequence[int]) -> Array:
        return numr_api.permute_dims(x, tuple(axes))

    def reduce(self, x: Array, operation: str, axes: tuple[int, ...]) -> Array:
        return getattr(numr_api, operation)(x, axis=axes)

    def stack_on_zeroth_dimension(self, tensors: list[Array]) -> Array:
        return numr_api.stack(tensors)

    def add_axis(self, x: Array, new_position: int) -> Array:
        return numr_api.expand_dims(x, new_position)

    def tile(self, x: Array, repeats: tuple[int, ...]) -> Array:
        return numr_api.tile(x, repeats)

    def concat(self, tensors: list[Array], axis: int) -> Array:
        return numr_api.concat(tensors, axis=axis)

    def is_float_type(self, x: Array) -> bool:
        return x.dtype.kind in "fc"  # the dtypes that have a mean

    def einsum(self, pattern: str, *x: Array) -> Array:
        return einsum(pattern, *x)
