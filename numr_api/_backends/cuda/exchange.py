"""Exchange with other libraries of the same GPU, by DLPack and ``__cuda_array_interface__``."""

from __future__ import annotations

from typing import Any

from numr_api._backends.cuda.arrays import bits_of, empty, of_bits
from numr_api._backends.cuda.kernels import cupy
from numr_api._dlpack import CODES, Known, named
from numr_api._dtypes import BY_NUMPY

Data = Any

CPU = (1, 0)  # DLPack's kDLCPU
CUDA = 2  # DLPack's kDLCUDA


def check_stream(stream: Any) -> None:
    """ValueError unless a consumer may name this stream.

    None and 1 mean the default stream, 2 the one of each thread, -1 that the consumer needs no
    order; a larger number is the address of a stream. 0 could mean either default, so that the
    standard rules it out.
    """
    if stream is None:
        return
    if not isinstance(stream, int) or isinstance(stream, bool) or stream < -1 or stream == 0:
        raise ValueError(
            "__dlpack__: stream must be None, 1, 2, -1 or the address of a CUDA stream, "
            f"got {stream!r}"
        )


def capsule(data: Data, stream: Any, max_version: Any) -> Any:
    """A DLPack capsule of the memory itself; work on it comes before the stream's next."""
    check_stream(stream)
    version = None if max_version is None else tuple(max_version)
    dtype = BY_NUMPY[data.dtype]
    if dtype not in CODES:
        return data.__dlpack__(stream=stream, max_version=version)
    return named(bits_of(data).__dlpack__(stream=stream, max_version=version), dtype)


def imported(x: Any) -> Data:
    """Another library's array of this device as CuPy's, sharing its memory.

    The producer is told the stream that we work on, so that its work comes first. BufferError if
    there is no way, or if elements are not whole elements apart, as kernels take them to be.
    """
    try:
        if hasattr(x, "__dlpack__"):
            known = Known(x)
            data = cupy.from_dlpack(known)
            return data if known.dtype is None else of_bits(data, known.dtype)
        found = cupy.asarray(x)  # by __cuda_array_interface__, which gives steps in bytes
    except (BufferError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        raise BufferError(str(error)) from None
    if found.size and any(step % found.itemsize for step in found.strides):
        raise BufferError(f"steps of {found.strides} bytes are not whole elements")
    return found


def event() -> Any:
    """An event after all work that the current device's stream has been given."""
    made = cupy.cuda.Event(disable_timing=True)
    made.record(cupy.cuda.get_current_stream())
    return made


def wait_for(event: Any) -> None:
    """Let the current device's stream wait for an event, perhaps of another device."""
    cupy.cuda.get_current_stream().wait_event(event)


def copied_after(data: Data, ready: Any) -> tuple[Data, Any]:
    """A copy of another GPU's row-major data on the current one, and an event that comes after it.

    The driver copies from GPU to GPU where these reach each other.
    """
    result = empty(data.shape, data.dtype)
    wait_for(ready)
    result.data.copy_from_device_async(data.data, data.nbytes, cupy.cuda.get_current_stream())
    return result, event()
