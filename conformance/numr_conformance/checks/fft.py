"""Fourier transforms: against the defining sum in long double."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from numr_conformance.checks._tools import (
    LAYOUTS,
    Cases,
    Host,
    assert_equal,
    continuous,
    default_dtype,
    device_keyword,
    distinct,
    numbers,
    of_kinds,
)
from numr_conformance.target import Target

cases = Cases("fft")
checks = cases.checks

COMPLEX, REAL = of_kinds("c"), of_kinds("f")
NORMS = ("backward", "ortho", "forward")
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 30)


# --- the reference --------------------------------------------------------------------------------


def resized(x: Host, n: int, axis: int) -> Host:
    """Trimmed or padded with zeros."""
    moved = np.moveaxis(x, axis, -1)[..., :n]
    missing = np.zeros((*moved.shape[:-1], n - moved.shape[-1]), x.dtype)
    return np.moveaxis(np.concatenate([moved, missing], -1), -1, axis)


def dft(x: Host, n: int, axis: int, sign: int) -> Host:
    """The sum itself; the angles are reduced as integers first."""
    moved = np.moveaxis(resized(x, n, axis), axis, -1).astype(np.clongdouble)
    turns = np.outer(np.arange(n), np.arange(n)) % n
    pi = np.arctan(np.longdouble(1)) * 4
    matrix = np.exp(sign * 2j * pi * turns.astype(np.longdouble) / n)
    return np.moveaxis(moved @ matrix, -1, axis)


def scaled(x: Host, n: int, norm: str, forward: bool) -> Host:
    whole = {"backward": not forward, "forward": forward}.get(norm)
    return x / np.sqrt(np.longdouble(n)) if whole is None else x / n if whole else x


def mirrored(x: Host, n: int, axis: int) -> Host:
    """All frequencies from those that are not negative; of the ends only the real parts count."""
    half = np.moveaxis(resized(x, n // 2 + 1, axis), axis, -1).astype(np.clongdouble)
    half[..., 0] = half[..., 0].real
    if n % 2 == 0:
        half[..., -1] = half[..., -1].real
    rest = np.conj(half[..., 1 : n - n // 2])[..., ::-1]
    return np.moveaxis(np.concatenate([half, rest], -1), -1, axis)


def transform(name: str, x: Host, n: int, axis: int, norm: str) -> Host:
    match name:
        case "fft":
            return scaled(dft(x, n, axis, -1), n, norm, True)
        case "ifft":
            return scaled(dft(x, n, axis, 1), n, norm, False)
        case "rfft" | "ihfft":
            forward = name == "rfft"
            full = scaled(dft(x, n, axis, -1 if forward else 1), n, norm, forward)
            return resized(full, n // 2 + 1, axis)
        case "irfft":
            return scaled(dft(mirrored(x, n, axis), n, axis, 1), n, norm, False).real
        case _:
            return scaled(dft(mirrored(x, n, axis), n, axis, -1), n, norm, True).real


ONE_DIMENSIONAL = {"fft": "c", "ifft": "c", "rfft": "f", "irfft": "c", "hfft": "c", "ihfft": "f"}


def result_dtype(name: str, dtype: str) -> str:
    pairs = {"float32": "complex64", "float64": "complex128"}
    if name in ("irfft", "irfftn", "hfft"):
        return {v: k for k, v in pairs.items()}[dtype]
    return pairs.get(dtype, dtype)


def default_length(name: str, m: int) -> int:
    return 2 * (m - 1) if name in ("irfft", "hfft") else m


def assert_near(
    target: Target, result: Any, true: Host, name: str, dtype: str, given: Any = ""
) -> None:
    size = float(np.max(np.abs(true), initial=0.25))
    slack = 32 * float(np.finfo(dtype).eps) * size
    wanted = result_dtype(name, dtype)
    assert_equal(target, result, true, dtype=wanted, atol=slack, given=given)


def each(*rows: tuple[Any, ...]) -> Any:
    def enter(body: Any) -> Any:
        for name, kinds in ONE_DIMENSIONAL.items():
            cases("*", dtypes=of_kinds(kinds), rows=[(f"fft.{name}", *row) for row in rows])(body)
        return body

    return enter


# --- one dimension --------------------------------------------------------------------------------


@each(*itertools.product(LENGTHS, NORMS))
def every_length(target: Target, dtype: str, function: str, length: int, norm: str) -> None:
    name = function[4:]
    host = continuous(dtype, (2, length), name)
    n = default_length(name, length)
    if n == 0:
        return
    more = {} if norm == "backward" else {"norm": norm}
    result = target.find(function)(target.array(host), **more)
    assert_near(target, result, transform(name, host, n, 1, norm), name, dtype, (host, norm))


@each(*itertools.product((1, 2, 4, 5, 6, 9, 10), NORMS))
def trimmed_and_padded(target: Target, dtype: str, function: str, n: int, norm: str) -> None:
    name = function[4:]
    host = continuous(dtype, (5, 3), name)
    for axis in (0, -2, 1, -1):
        result = target.find(function)(target.array(host), n=n, axis=axis, norm=norm)
        true = transform(name, host, n, axis, norm)
        assert_near(target, result, true, name, dtype, (host, n, axis, norm))


@each(*((layout,) for layout in LAYOUTS))
def layouts(target: Target, dtype: str, function: str, layout: str) -> None:
    name = function[4:]
    host = continuous(dtype, (3, 4, 5), name)
    for axis in range(3):
        n = default_length(name, host.shape[axis])
        result = target.find(function)(LAYOUTS[layout](target, host), axis=axis)
        assert_near(target, result, transform(name, host, n, axis, "backward"), name, dtype, axis)


@each(((0, 4),), ((2, 0, 3),))
def no_rows(target: Target, dtype: str, function: str, shape: tuple[int, ...]) -> None:
    name = function[4:]
    n = default_length(name, shape[-1])
    result = target.find(function)(target.array(np.zeros(shape, dtype)))
    true = transform(name, np.zeros(shape, dtype), n, -1, "backward")
    assert_near(target, result, true, name, dtype, shape)


# --- several dimensions ---------------------------------------------------------------------------

SEVERAL = {"fftn": "c", "ifftn": "c", "rfftn": "f", "irfftn": "c"}
AXES: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((4,), {}), ((3, 4), {}), ((2, 3, 4), {}), ((2, 3, 4), {"axes": (0, 2)}),
    ((2, 3, 4), {"axes": (-1, 0)}), ((3, 4), {"axes": (1,)}),
    ((3, 4), {"s": (2, 6), "axes": (0, 1)}),
    ((2, 3, 4), {"s": (5, 3), "axes": (2, 1)}), ((3, 4), {"s": (4, 5), "axes": (-1, -2)}),
    ((2, 1, 3, 2, 2), {"axes": (1, 2, 4)}),
]  # fmt: skip


def transform_axes(name: str, x: Host, keywords: dict[str, Any], norm: str) -> Host:
    """One axis after the other; the real side of a real transform is the last of them."""
    axes = keywords.get("axes", tuple(range(x.ndim)))
    sizes = keywords.get("s") or tuple(x.shape[a] for a in axes)
    one = name[:-1]
    last_size = sizes[-1]
    if name == "irfftn" and "s" not in keywords:
        last_size = default_length("irfft", x.shape[axes[-1]])
    steps = list(zip(axes[:-1], sizes[:-1], strict=True))
    if one == "rfft":
        x = transform("rfft", x, last_size, axes[-1], norm)
    for axis, n in steps:
        x = transform("fft" if one in ("fft", "rfft") else "ifft", x, n, axis, norm)
    return x if one == "rfft" else transform(one, x, last_size, axes[-1], norm)


def each_several(body: Any) -> Any:
    for name, kinds in SEVERAL.items():
        rows = [(f"fft.{name}", *row, norm) for row in AXES for norm in NORMS]
        cases("*", dtypes=of_kinds(kinds), rows=rows)(body)
    return body


@each_several
def over_axes(
    target: Target, dtype: str, function: str, shape: Any, keywords: dict[str, Any], norm: str
) -> None:
    name = function[4:]
    host = continuous(dtype, shape, name)
    result = target.find(function)(target.array(host), norm=norm, **keywords)
    true = transform_axes(name, host, keywords, norm)
    assert_near(target, result, true, name, dtype, (host, keywords, norm))


# --- frequencies and shifts -----------------------------------------------------------------------


@cases("*", dtypes=("", *REAL), rows=itertools.product(
    ("fft.fftfreq", "fft.rfftfreq"), (1, 2, 5, 8), (1.0, 0.25)))  # fmt: skip
def frequencies(target: Target, *row: Any) -> None:
    dtype, function, n, d = row if len(row) == 4 else ("", *row)
    k = np.arange(n // 2 + 1) if "rfft" in function else (np.arange(n) + n // 2) % n - n // 2
    more = {"dtype": target.dtype(dtype)} if dtype else {}
    result = target.find(function)(n, d=d, **more, **device_keyword(target))
    wanted = dtype or default_dtype(target, "real floating")
    assert_equal(target, result, k / (n * d), dtype=wanted, ulp=2, given=(n, d))


@cases("*", dtypes=of_kinds("fc"), rows=itertools.product(
    ("fft.fftshift", "fft.ifftshift"), ((4,), (5,), (2, 3), (3, 4, 5), (0,), (2, 0)),
    (None, 0, -1, (0,), (0, -1))))  # fmt: skip
def shifts(target: Target, dtype: str, function: str, shape: tuple[int, ...], axes: Any) -> None:
    if isinstance(axes, tuple) and len(axes) > len(shape):
        return
    host = distinct(dtype, shape)
    more = {} if axes is None else {"axes": axes}
    result = target.find(function)(target.array(host), **more)
    for axis in range(len(shape)) if axes is None else axes if isinstance(axes, tuple) else (axes,):
        n = shape[axis]
        first = n - n // 2 if function == "fft.fftshift" else n // 2
        order = [*range(first, n), *range(first)]
        host = np.take(host, order, axis)
    assert_equal(target, result, host, given=(shape, axes))


@cases("*", dtypes=COMPLEX, rows=[(f,) for f in ("fft.fft", "fft.fftn")])
def inverse_restores(target: Target, dtype: str, function: str) -> None:
    host = numbers(dtype, (4, 30))
    back = target.find(function.replace(".", ".i"))
    result = back(target.find(function)(target.array(host)))
    assert_equal(target, result, host, atol=64 * float(np.finfo(dtype).eps) * 8)
