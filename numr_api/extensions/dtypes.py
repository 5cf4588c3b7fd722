"""Floating-point numbers that are narrower than the standard's, as dtypes.

| dtype | bits of exponent, of significand | largest | smallest normal |
| --- | --- | --- | --- |
| ``float16`` | 5, 10 | 65504 | 2**-14 |
| ``bfloat16`` | 8, 7 | 3.39e38 | 2**-126 |
| ``float8_e4m3fn`` | 4, 3 | 448 | 2**-6 |
| ``float8_e5m2`` | 5, 2 | 57344 | 2**-14 |

float16 and bfloat16 serve in the standard's functions on elements, reductions, sorting, searching,
sets, movement and matrix products, but not in ``linalg``'s and ``fft``'s others. Whatever is
computed is computed in float32 and rounded once to the result. They promote to float32 and to
wider dtypes, but not to each other. float8_e4m3fn, which has no infinity (NaN stands for numbers
out of range), and float8_e5m2 can be kept, moved, compared for equality and converted by
``astype``; they promote to nothing else. Conversions are rounded correctly, ties to even.

``from_dlpack`` and ``__dlpack__`` exchange all four with PyTorch and others.

On the cpu ``numpy.asarray`` gives arrays of NumPy's float16 and of ml_dtypes' dtypes of these
names, and ``asarray`` takes those.
"""

from numr_api._dtypes import (
    bfloat16 as bfloat16,
    float8_e4m3fn as float8_e4m3fn,
    float8_e5m2 as float8_e5m2,
    float16 as float16,
)

__all__ = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16"]
