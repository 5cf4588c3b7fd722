"""How much workgroup memory kernels of linear algebra and transforms declare, on devices with less
of it than the one at hand: no driver here would refuse them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import numr_api as xp
from numr_api._backends.webgpu import fourier
from numr_api._backends.webgpu.linear_algebra import (
    cholesky,
    determinants,
    eigh,
    jacobi,
    lu,
    qr,
    status,
    svd,
)
from numr_api._backends.webgpu.products import Products

DTYPES = ("float32", "complex64", "float64", "complex128")
DEVICES = ((16 << 10, 256), (32 << 10, 1024), (48 << 10, 1024))  # bytes, threads
BYTES = {"f32": 4, "i32": 4, "u32": 4, "bool": 4, "f64": 8, "u64": 8}


def declared(text: str) -> int:
    """Bytes of a kernel's workgroup memory."""
    aliases = dict(re.findall(r"alias (\w+) = ([^;]+);", text))
    constants = dict(re.findall(r"const (\w+) = ([^;]+);", text))

    def number(expression: str) -> int:
        known = re.sub(r"[A-Z]\w+", lambda m: str(number(constants[m[0]])), expression)
        return int(eval(re.sub(r"(\d)u", r"\1", known).replace("/", "//")))

    def size(kind: str) -> int:
        if kind in aliases:
            return size(aliases[kind])
        if kind.startswith("array<"):
            element, count = kind[6:-1].rsplit(", ", 1)
            return size(element) * number(count)
        if kind.startswith("atomic<"):
            return size(kind[7:-1])
        if kind.startswith("vec"):
            return (2 if kind[3] == "2" else 4) * size(kind[5:-1])
        return BYTES[kind]

    return sum(map(size, re.findall(r"var<workgroup> \w+: ([^;]+);", text)))


def nothing(*_: object) -> None:
    pass


@pytest.fixture
def texts(backend: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int, str], list[str]]:
    """Prepare for a device of which kernels are only written, and return where they go."""

    def put(storage: int, threads: int, kind: str) -> list[str]:
        found: list[str] = []

        def program(label: str, text: str, _: int) -> Any:
            found.append(text)
            return SimpleNamespace(label=label)

        monkeypatch.setattr(backend.gpu, "adapter", replace(backend.gpu.adapter, type=kind))
        monkeypatch.setattr(backend.gpu, "most_storage", storage)
        monkeypatch.setattr(backend.gpu, "most_threads", threads)
        monkeypatch.setattr(backend.gpu, "dispatch", nothing)
        monkeypatch.setattr(status.Status, "check", nothing)
        monkeypatch.setattr(jacobi._Iteration, "_check", lambda *_: True)
        monkeypatch.setattr(backend, "program", program)
        for kept in ("_compiled", "_copies", "_fillings"):
            monkeypatch.setattr(backend, kept, {})
        monkeypatch.setattr(backend, "_remembered", {"subgroups": (0, 0)})
        monkeypatch.setattr(backend, "products", Products(backend))
        return found

    return put


@pytest.mark.parametrize("kind", ["CPU", "DiscreteGPU"])
@pytest.mark.parametrize("name", DTYPES)
def test_kernels_fit(
    backend: Any, texts: Callable[[int, int, str], list[str]], name: str, kind: str
) -> None:
    dtype = getattr(xp, name)
    if dtype not in backend.dtypes:
        pytest.skip(f"no {name}")
    for storage, threads in DEVICES:
        found = texts(storage, threads, kind)
        for n in (3, 40, 300):
            x = backend.empty((2, n, n), dtype)
            cholesky.cholesky(backend, x)
            determinants.slogdet(backend, x)
            lu.inv(backend, x)
            qr.qr(backend, x, mode="reduced")
            svd.svd(backend, x, full_matrices=True)
            eigh.eigh(backend, x)
            if dtype.kind == "c":
                for length in (n, 2 * n + 1, 4096):
                    fourier.fft_complex(
                        backend, x, lengths=(length,), axes=(1,), norm="ortho", inverse=False
                    )
        assert max(map(declared, found)) > 1024  # some were counted
        assert {text for text in found if declared(text) > storage} == set()
