"""Fourier transforms of any length along any axes.

What to run is planned once for a layout, and recorded again for other arrays of the same layout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

from numr_api._backends.webgpu.data import index
from numr_api._backends.webgpu.fourier_flags import Flags
from numr_api._backends.webgpu.fourier_lengths import Limits
from numr_api._backends.webgpu.fourier_passes import (
    INPUT_PLACE,
    OUTPUT_PLACE,
    Axis,
    Operand,
    Planner,
)
from numr_api._backends.webgpu.kernels import window_of
from numr_api._dtypes import COMPLEX_OF, REAL_PART, DType
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Axes, Shape
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.memory import Binding

MOST_PLANS = 256

__all__ = ["ROUTINES"]


def fft_complex(
    backend: WebgpuBackend, x: Strided, *, lengths: Axes, axes: Axes, norm: str, inverse: bool
) -> Strided:
    """Complex to complex."""
    kind = "inverse" if inverse else "forward"
    return _transform(backend, x, kind, x.dtype, lengths, axes, norm)


def fft_real(
    backend: WebgpuBackend, x: Strided, *, lengths: Axes, axes: Axes, norm: str
) -> Strided:
    """Real to the first half, along the last of the axes, of a Hermitian spectrum."""
    return _transform(backend, x, "from real", COMPLEX_OF[x.dtype], lengths, axes, norm)


def ifft_real(
    backend: WebgpuBackend, x: Strided, *, lengths: Axes, axes: Axes, norm: str
) -> Strided:
    """The inverse of fft_real; the lengths are those of the result."""
    return _transform(backend, x, "to real", REAL_PART[x.dtype], lengths, axes, norm)


def _transform(
    backend: WebgpuBackend,
    x: Strided,
    kind: str,
    dtype: DType,
    lengths: Axes,
    axes: Axes,
    norm: str,
) -> Strided:
    how = (kind, lengths, axes, norm)
    shape = list(x.shape)
    for length, axis in zip(lengths, axes, strict=True):
        shape[axis] = length
    if kind == "from real":
        shape[axes[-1]] = lengths[-1] // 2 + 1
    with backend.gpu.lock:
        out = backend.empty(tuple(shape), dtype)
        if out.size:
            out.block.version += 1
            _record(backend, x, out, how)
    return out


def _record(
    backend: WebgpuBackend, x: Strided, out: Strided, how: tuple[str, Axes, Axes, str]
) -> None:
    """Transform x to out, by halves of the batch if it is too large for bindings."""
    plans: dict[Any, _Plan] = backend.remembered("fourier plans", dict)
    key = (x.dtype, x.shape, x.strides, out.strides, how)
    plan = plans.get(key)
    if plan is None:
        if len(plans) >= MOST_PLANS:
            plans.clear()
        plan = plans[key] = _Plan(backend, x, out, axis_transforms(x.shape, *how))
    if plan.record(x, out):
        return
    small = all(array.size * array.dtype.itemsize <= backend.gpu.most // 2 for array in (x, out))
    if small and (_bound(x) is None or _bound(out) is None):
        # A small part of large arrays, whose elements are far from each other.
        target = backend.empty(out.shape, out.dtype)
        _record(backend, backend.copy(x), target, how)
        backend.copy_to(target, out)
        return
    length, axis = max((n, a) for a, n in enumerate((*x.shape, 1)) if a not in how[2])
    if length == 1:
        raise Unsupported(
            f"transforms of {out.dtype} on {backend.device} that reach over more than the "
            f"{backend.gpu.most:,} bytes that it can bind at once"
        )
    for part in (slice(length // 2), slice(length // 2, None)):
        selected = (*[slice(None)] * axis, part)
        _record(backend, index(x, selected), index(out, selected), how)


class _Plan:
    """The passes of transforms along some axes."""

    def __init__(
        self, backend: WebgpuBackend, x: Strided, out: Strided, steps: Sequence[Axis]
    ) -> None:
        is_complex = out.dtype.kind == "c"
        dtype = out.dtype if is_complex else COMPLEX_OF[out.dtype]
        planner = Planner(backend, dtype, REAL_PART[dtype], limits_of(backend, dtype))
        self._backend, self._dtype, self._most = backend, dtype, backend.gpu.most // dtype.itemsize
        source = Operand(1, x.shape, x.strides)
        result = Operand(0, out.shape, out.strides)
        shape = list(x.shape)
        for step in steps:
            shape[step.axis] = step.wanted
            target = result
            # What lies between has the memory of the result if it has its layout.
            if step is not steps[-1] and (tuple(shape) != out.shape or not is_complex):
                target = planner.add_partial(tuple(shape))
            planner.add(source, target, step)
            source = target
        self._passes, self._partial = planner.passes, planner.partial

    def record(self, x: Strided, out: Strided) -> bool:
        """Record the passes; False, and nothing is done, if an array is too large for a binding."""
        if max(self._partial, default=0) > self._most:
            return False
        arrays: list[tuple[Binding, int]] = []
        for array in (out, x, *[self._backend.empty((n,), self._dtype) for n in self._partial]):
            found = _bound(array)
            if found is None:
                return False
            arrays.append(found)
        for program, words, groups, taken, given, _, table in self._passes:
            (first, words[OUTPUT_PLACE]), (second, words[INPUT_PLACE]) = (
                arrays[taken],
                arrays[given],
            )
            self._backend.gpu.dispatch(program, (first, second, table), words, groups)
        return True


def _bound(x: Strided) -> tuple[Binding, int] | None:
    """The binding that holds an array, and where it begins there; None if it is too large."""
    binding = x.block.buffer.whole
    if binding is None and x.size:
        binding = window_of(x, x.shape, x.strides, x.offset)
    if binding is None:
        return None
    return binding, x.offset - binding.offset // x.dtype.itemsize


def axis_transforms(
    shape: Shape, kind: str, lengths: Axes, axes: Axes, norm: str
) -> Sequence[Axis]:
    """The transforms along axes, in the order in which they are done."""
    inverse = kind in ("inverse", "to real")
    signs = Flags.CONJUGATE_FIRST | Flags.CONJUGATE_LAST if inverse else Flags(0)
    steps: list[Axis] = []
    for axis, length in reversed(list(zip(axes, lengths, strict=True))):
        available = min(shape[axis], length)
        scale = 1.0
        if norm == "ortho":
            scale = 1 / sqrt(length)
        elif (norm == "backward") is inverse:
            scale = 1 / length
        steps.append(Axis(axis, length, available, length, scale, signs))
    half, flags = lengths[-1] // 2 + 1, steps[0].flags
    if kind == "from real":
        flags |= Flags.REAL_INPUT | Flags.HALF
        steps[0] = steps[0]._replace(wanted=half, flags=flags)
    elif kind == "to real":
        flags |= Flags.MIRRORED | Flags.REAL_OUTPUT
        available = min(shape[axes[-1]], half)
        steps = [*steps[1:], steps[0]._replace(available=available, flags=flags)]
    return steps


def limits_of(backend: WebgpuBackend, dtype: DType) -> Limits:
    """What the workgroups of a device can have, for transforms of a complex dtype."""
    gpu = backend.gpu
    return Limits(
        gpu.most_storage,
        min(gpu.most_threads, 1024),
        dtype.itemsize // 2,
        gpu.adapter.in_software,
    )


ROUTINES: dict[str, Callable[..., Any]] = {
    routine.__name__: routine for routine in (fft_complex, fft_real, ifft_real)
}
