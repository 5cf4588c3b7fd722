"""How elements are ordered: by a key, words without sign that are made of an element's bits.

Kernels make the key wherever they need it, and move the elements themselves, so that NaNs and zeros
keep their bits. Here is also what the kernels of sorting and searching share.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from numr_api import _dtypes
from numr_api._backends.webgpu.kernels import Words, binding
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends.webgpu.data import Strided
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._backends.webgpu.memory import Binding
    from numr_api._dtypes import DType

KERNELS = Path(__file__).parent / "shaders" / "kernels"

_COMMENT = re.compile(r"[ \t]*//.*")


@dataclass(frozen=True)
class Order:
    """How elements of a dtype are ordered.

    Attributes:
        stored: the dtype that they are cast to before, so that each has whole words.
        words: of an element.
        digits: those digits of the key, of eight bits, that differ; the least significant first.
        key: WGSL for the words of the key of a ``value`` by their number ``word``.
        nan: WGSL that tells whether a ``value`` is NaN.
    """

    stored: DType
    words: int
    digits: tuple[int, ...]
    key: str
    nan: str = "false"

    @property
    def key_words(self) -> int:
        return self.digits[-1] // 4 + 1

    @property
    def text(self) -> str:
        """The declarations of an element and of its key that kernels build upon."""
        if self.words == 1:
            element = "alias V = u32;"
            word, with_word = "return value;", "return bits;"
        else:
            element = f"alias V = vec{self.words}<u32>;"
            word = "return value[w];"
            with_word = "var changed = value; changed[w] = bits; return changed;"
        return f"""{element}
const WORDS = {self.words}u;
const KEY_WORDS = {self.key_words}u;
fn key_word(value: V, word: u32) -> u32 {{ return {self.key}; }}
fn is_nan(value: V) -> bool {{ return {self.nan}; }}
fn word(value: V, w: u32) -> u32 {{ {word} }}
fn with_word(value: V, w: u32, bits: u32) -> V {{ {with_word} }}"""


ONE, TWO, FOUR, EIGHT = ((*range(n),) for n in (1, 2, 4, 8))
ORDERS = {
    _dtypes.bool: Order(_dtypes.uint32, 1, ONE, "value"),
    _dtypes.uint8: Order(_dtypes.uint32, 1, ONE, "value"),
    _dtypes.uint16: Order(_dtypes.uint32, 1, TWO, "value"),
    _dtypes.uint32: Order(_dtypes.uint32, 1, FOUR, "value"),
    _dtypes.uint64: Order(_dtypes.uint64, 2, EIGHT, "value[word]"),
    # The sign is extended, so that bits above those of the dtype's own say nothing new.
    _dtypes.int8: Order(_dtypes.int32, 1, ONE, "(value & 0xffu) ^ 0x80u"),
    _dtypes.int16: Order(_dtypes.int32, 1, TWO, "(value & 0xffffu) ^ 0x8000u"),
    _dtypes.int32: Order(_dtypes.int32, 1, FOUR, "value ^ 0x80000000u"),
    _dtypes.int64: Order(_dtypes.int64, 2, EIGHT, "sort_key_i64(value)[word]"),
    _dtypes.float32: Order(
        _dtypes.float32, 1, FOUR, "sort_key_f32(value)", "sort_key_f32(value) == 0xffffffffu"
    ),
    # Of a float32 made of fewer bits, the low ones only repeat the sign.
    _dtypes.float16: Order(
        _dtypes.float32, 1, (1, 2, 3), "sort_key_f32(value)", "sort_key_f32(value) == 0xffffffffu"
    ),
    _dtypes.bfloat16: Order(
        _dtypes.float32, 1, (2, 3), "sort_key_f32(value)", "sort_key_f32(value) == 0xffffffffu"
    ),
    _dtypes.float64: Order(
        _dtypes.float64, 2, EIGHT, "sort_key_f64(value)[word]",
        "sort_key_f64(value).y == 0xffffffffu",
    ),
    _dtypes.complex64: Order(
        _dtypes.complex64, 2, (*range(9),), "sort_key_c64(value, word)",
        "sort_key_c64(value, 2u) != 0u",
    ),
    _dtypes.complex128: Order(
        _dtypes.complex128, 4, (*range(17),), "sort_key_c128(value, word)",
        "sort_key_c128(value, 4u) != 0u",
    ),
}  # fmt: skip


@cache
def kernel_text(*names: str) -> str:
    """Kernels' files, without comments."""
    files = ((KERNELS / f"{name}.wgsl").read_text(encoding="utf-8") for name in names)
    return "\n".join(_COMMENT.sub("", text) for text in files)


def header(words: int, arrays: Sequence[tuple[str, str]]) -> str:
    """The declarations of so many words of parameters, and of bindings by name and element."""
    lines = [binding(number, name, kind) for number, (name, kind) in enumerate(arrays, 1)]
    return "\n".join([Words(words).declaration(), *lines])


def whole(backend: WebgpuBackend, label: str, x: Strided) -> Binding:
    """The binding that holds all of an array, which kernels need that read it in any order."""
    found = x.block.buffer.whole
    if found is None:
        raise Unsupported(
            f"{label} of {x.size:,} elements of {x.dtype} on {backend.device}, "
            f"which can reach {backend.gpu.most:,} bytes of an array at once"
        )
    return found


def contiguous(backend: WebgpuBackend, x: Strided, dtype: DType) -> Strided:
    """x itself if it is contiguous and of a dtype, else such a copy."""
    if x.dtype is not dtype:
        return backend.cast(x, dtype)
    return x if x.is_contiguous else backend.copy(x)
