"""A call of each public function and method, for tests of what all of them do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
from kernel_rows import accepted, arity
from numr_conformance.standard import ENTRIES

import numr_api as xp
from numr_api._declare import OPS

# What is about no array's elements.
ELSEWHERE = {"info", "data_types"}

# Calls in arrays of a device d: f, i, b, c of float64, int64, bool and complex128, of shape (3, 3);
# v and k, float64 and int64 ones of shape (3,); s is symmetric and positive definite. Functions are
# those of xp, or of the chapter that is named before a dot.
CALLS = {
    "arange": "xp.arange(5, device=d)",
    "asarray": "xp.asarray(f), xp.asarray(f, copy=True), xp.asarray([1.0, 2.0], device=d)",
    "empty": "xp.empty((2, 2), device=d)",
    "empty_like": "xp.empty_like(f)",
    "eye": "xp.eye(3, device=d)",
    "from_dlpack": "xp.from_dlpack(f)",
    "full": "xp.full((2, 2), -0.0, device=d)",
    "full_like": "xp.full_like(f, 2.0)",
    "linspace": "xp.linspace(0, 1, 5, device=d)",
    "meshgrid": "xp.meshgrid(v, v)",
    "ones": "xp.ones((2, 2), device=d)",
    "ones_like": "xp.ones_like(f)",
    "tril": "xp.tril(f)",
    "triu": "xp.triu(f, k=1)",
    "zeros": "xp.zeros((2, 2), device=d)",
    "zeros_like": "xp.zeros_like(f)",
    "astype": "xp.astype(f, xp.int32), xp.astype(i, xp.bool), xp.astype(f, xp.float64)",
    "can_cast": "xp.can_cast(f, xp.float32)",
    "finfo": "xp.finfo(f)",
    "iinfo": "xp.iinfo(i)",
    "isdtype": "xp.isdtype(f.dtype, 'integral')",
    "result_type": "xp.result_type(f, 1.0)",
    "fft.fft": "xp.fft.fft(c)",
    "fft.ifft": "xp.fft.ifft(c)",
    "fft.fftn": "xp.fft.fftn(c)",
    "fft.ifftn": "xp.fft.ifftn(c)",
    "fft.rfft": "xp.fft.rfft(f)",
    "fft.irfft": "xp.fft.irfft(c)",
    "fft.rfftn": "xp.fft.rfftn(f)",
    "fft.irfftn": "xp.fft.irfftn(c)",
    "fft.hfft": "xp.fft.hfft(c)",
    "fft.ihfft": "xp.fft.ihfft(f)",
    "fft.fftfreq": "xp.fft.fftfreq(5, device=d)",
    "fft.rfftfreq": "xp.fft.rfftfreq(5, device=d)",
    "fft.fftshift": "xp.fft.fftshift(f)",
    "fft.ifftshift": "xp.fft.ifftshift(f)",
    "take": "xp.take(f, k, axis=1)",
    "take_along_axis": "xp.take_along_axis(f, i, axis=1)",
    "linalg.cholesky": "xp.linalg.cholesky(s)",
    "linalg.cross": "xp.linalg.cross(v, v)",
    "linalg.det": "xp.linalg.det(s)",
    "linalg.diagonal": "xp.linalg.diagonal(s)",
    "linalg.eig": "xp.linalg.eig(f)",
    "linalg.eigh": "xp.linalg.eigh(s)",
    "linalg.eigvalsh": "xp.linalg.eigvalsh(s)",
    "linalg.eigvals": "xp.linalg.eigvals(f)",
    "linalg.inv": "xp.linalg.inv(s)",
    "linalg.matmul": "xp.linalg.matmul(f, f)",
    "linalg.matrix_norm": "xp.linalg.matrix_norm(f), xp.linalg.matrix_norm(f, ord=1)",
    "linalg.matrix_power": "xp.linalg.matrix_power(f, 3)",
    "linalg.matrix_rank": "xp.linalg.matrix_rank(f)",
    "linalg.matrix_transpose": "xp.linalg.matrix_transpose(f)",
    "linalg.outer": "xp.linalg.outer(v, v)",
    "linalg.pinv": "xp.linalg.pinv(f)",
    "linalg.qr": "xp.linalg.qr(f)",
    "linalg.slogdet": "xp.linalg.slogdet(s)",
    "linalg.solve": "xp.linalg.solve(s, v)",
    "linalg.svd": "xp.linalg.svd(f)",
    "linalg.svdvals": "xp.linalg.svdvals(f)",
    "linalg.tensordot": "xp.linalg.tensordot(f, f)",
    "linalg.trace": "xp.linalg.trace(f)",
    "linalg.vecdot": "xp.linalg.vecdot(f, v)",
    "linalg.vector_norm": "xp.linalg.vector_norm(f), xp.linalg.vector_norm(f, ord=3)",
    "matmul": "xp.matmul(f, f), xp.matmul(i, i)",
    "matrix_transpose": "xp.matrix_transpose(f)",
    "tensordot": "xp.tensordot(f, f, axes=1)",
    "vecdot": "xp.vecdot(c, c)",
    "broadcast_arrays": "xp.broadcast_arrays(f, v)",
    "broadcast_shapes": "xp.broadcast_shapes((3, 1), (3,))",
    "broadcast_to": "xp.broadcast_to(f, (2, 3, 3))",
    "concat": "xp.concat([f, f], axis=1)",
    "expand_dims": "xp.expand_dims(f, axis=0)",
    "flip": "xp.flip(f)",
    "moveaxis": "xp.moveaxis(f, 0, 1)",
    "permute_dims": "xp.permute_dims(f, (1, 0))",
    "repeat": "xp.repeat(f, 2, axis=0)",
    "reshape": "xp.reshape(f.T, (9,))",
    "roll": "xp.roll(f, 1)",
    "squeeze": "xp.squeeze(f[:1, :], axis=0)",
    "stack": "xp.stack([f, f])",
    "tile": "xp.tile(f, (2, 1))",
    "unstack": "xp.unstack(f)",
    "argmax": "xp.argmax(f), xp.argmax(f, axis=1)",
    "argmin": "xp.argmin(f), xp.argmin(i, axis=0)",
    "count_nonzero": "xp.count_nonzero(f, axis=0), xp.count_nonzero(b)",
    "nonzero": "xp.nonzero(f)",
    "searchsorted": "xp.searchsorted(v, f)",
    "isin": "xp.isin(i, k)",
    "unique_all": "xp.unique_all(f)",
    "unique_counts": "xp.unique_counts(f)",
    "unique_inverse": "xp.unique_inverse(f)",
    "unique_values": "xp.unique_values(f)",
    "argsort": "xp.argsort(f), xp.argsort(f, axis=0, descending=True)",
    "sort": "xp.sort(f), xp.sort(f, axis=0, descending=True)",
    "cumulative_prod": "xp.cumulative_prod(f, axis=0), xp.cumulative_prod(v)",
    "cumulative_sum": "xp.cumulative_sum(f, axis=1), xp.cumulative_sum(v, include_initial=True)",
    "max": "xp.max(f), xp.max(i, axis=0)",
    "mean": "xp.mean(f), xp.mean(c, axis=(0, 1), keepdims=True)",
    "min": "xp.min(f), xp.min(f, axis=1)",
    "prod": "xp.prod(f), xp.prod(i, axis=0)",
    "std": "xp.std(f), xp.std(f, axis=0, correction=1)",
    "sum": "xp.sum(f), xp.sum(i, axis=0), xp.sum(c, axis=1)",
    "var": "xp.var(f), xp.var(f, axis=0, correction=1)",
    "all": "xp.all(b), xp.all(f, axis=1)",
    "any": "xp.any(b), xp.any(f, axis=1)",
    "diff": "xp.diff(f), xp.diff(f, axis=0, prepend=f)",
    "__array_namespace__": "f.__array_namespace__()",
    "__bool__": "bool(v[0])",
    "__complex__": "complex(v[0])",
    "__float__": "float(v[0])",
    "__index__": "(5).__add__(k[0].__index__())",
    "__int__": "int(v[0])",
    "__dlpack__": "f.__dlpack__(stream=1, max_version=(1, 0))",
    "__dlpack_device__": "f.__dlpack_device__()",
    "__getitem__": "f[0, :], f[:, ::-1], f[1, 2], f[..., None], v[k], f[k, k]",
    "to_device": "f.to_device(d), f.to_device('cpu')",
    # Others that users meet
    "copy": "copy.copy(f), copy.deepcopy(f)",
    "pickle": "pickle.dumps(f)",
    "repr": "repr(f)",
    "to the host by DLPack": "np.from_dlpack(f, device='cpu')",
    "a mask": "f[f > 0]",
    "an index without axes": "v[k[0]]",
    "repeat by an array": "xp.repeat(f, xp.abs(k), axis=0)",
    "clip with one bound": "xp.clip(f, 0.0), xp.clip(f, None, v)",
    "where with scalars": "xp.where(b, f, 0.0), xp.where(b, 1.0, f)",
    "with scalars": "f + 1.5, 1 - f, f ** 2, i // 2, f > 0",
    "two dtypes": "f * c, xp.astype(f, xp.float32) + f",
    "max of no axis": "xp.max(f, axis=())",
}  # fmt: skip

# What changes an array w, a copy of f.
CHANGES = {
    "__setitem__": "w[0, :] = 2.0; w[:, 1] = v; w[1, 1] = 3; w[...] = w[::-1, :]; w[b] = 0.0",
    "in place": "w += 1; w *= w; w -= v; w @= s; w /= 2.0",
    "a mask, by an array": "w[w > 0] = xp.ones(8, device=d)",
}

OPERATORS = {
    "__abs__": "abs(f)", "__neg__": "-f", "__pos__": "+f", "__invert__": "~i",
    "__add__": "f + f", "__sub__": "f - f", "__mul__": "f * f", "__truediv__": "f / f",
    "__floordiv__": "f // f", "__mod__": "f % f", "__pow__": "f ** f", "__matmul__": "f @ f",
    "__and__": "i & i", "__or__": "i | i", "__xor__": "i ^ i",
    "__lshift__": "i << i", "__rshift__": "i >> i",
    "__eq__": "f == f", "__ne__": "f != f", "__lt__": "f < f", "__le__": "f <= f",
    "__gt__": "f > f", "__ge__": "f >= f",
}  # fmt: skip


def _elementwise(name: str) -> str:
    """A call for one dtype of each kind that an operation accepts."""
    letters = {"f": "f", "i": "i", "c": "c", "b": "b"}
    kinds = {dtype.kind for dtype in accepted(name)} & set(letters)
    if name == "where":
        return "xp.where(b, f, f), xp.where(b, i, i)"
    return ", ".join(
        f"xp.{name}({', '.join([letters[kind]] * arity(name))})" for kind in sorted(kinds)
    )


ELEMENTWISE = {name: _elementwise(name) for name, op in OPS.items() if op.family == "elementwise"}
EVERY = {**ELEMENTWISE, **CALLS, **OPERATORS, **CHANGES}


def standard_names() -> Iterator[str]:
    """The keys of EVERY that the standard's functions and methods must have."""
    for entry in ENTRIES:
        if entry.parameters is not None and entry.chapter not in ELSEWHERE:
            inside = entry.chapter in ("linalg", "fft")
            yield f"{entry.chapter}.{entry.name}" if inside else entry.name


def arrays(device: str) -> dict[str, Any]:
    """What the calls name."""

    def on(values: Any, dtype: Any = None) -> Any:
        return xp.asarray(np.asarray(values, dtype), device=device)

    f = on([[4.0, 1.0, -2.0], [1.0, 3.0, 1.0], [0.5, 1.0, 2.0]])
    return {
        "f": f,
        "i": on([[0, 2, 1], [2, 0, 1], [1, 1, 2]], "int64"),
        "b": on([[True, False, True], [False, False, True], [True, True, False]]),
        "c": on([[1 + 2j, 1j, 3], [2, 2 - 1j, 1], [0, 1, 1j]]),
        "v": on([1.0, 2.0, 3.0]),
        "k": on([0, 2, 1], "int64"),
        "s": on([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]]),
        "w": copy.copy(f),
        "d": device,
        "xp": xp,
        "np": np,
        "copy": copy,
        "pickle": pickle,
    }


def call(name: str, names: dict[str, Any]) -> Any:
    """Do what a name of EVERY stands for, with arrays that ``arrays`` made."""
    if name in CHANGES:
        return exec(EVERY[name], names)
    return eval(f"({EVERY[name]},)", names)
