"""Evenly spaced numbers, made on the device.

Real ones are computed as the cpu does, in float64 and rounded once. A device without float64
computes with pairs of float32, which hold 45 bits of the 53.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from numr_api import _dtypes
from numr_api._backends.webgpu.data import Strided
from numr_api._backends.webgpu.kernels import EACH, WORKGROUP, Words, pieces, window_of
from numr_api._backends.webgpu.movement import main_text, output_binding
from numr_api._backends.webgpu.types import WORD, Type
from numr_api._errors import Unsupported

if TYPE_CHECKING:
    from numr_api._backends import Scalar
    from numr_api._backends.webgpu.device import WebgpuBackend
    from numr_api._dtypes import DType

NO_INDEX = WORD


class Line(NamedTuple):
    """The numbers ``scale * (i / divisor * factor + start)``."""

    start: float
    factor: float
    divisor: float = 1.0
    scale: float = 1.0


# --- the text: number i of a line whose words are w -----------------------------------------------

INTEGERS = {
    "i32": "bitcast<i32>(i * {1} + {0})",
    "u32": "i * {1} + {0}",
    "i64": "bitcast<i64>(u64(i) * {1} + {0})",
    "u64": "u64(i) * {1} + {0}",
    "vec2<u32>": "add_pair(multiply_pair(vec2<u32>(i, 0u), {1}), {0})",
}

# The product is opaque, as the sum would be rounded differently if it were fused with it.
DOUBLE = """
fn number_of_line(i: u32, start: f64, factor: f64, divisor: f64, scale: f64) -> f64 {
    let product = f64(i) / divisor * factor;
    return scale * (bitcast<f64>(bitcast<u64>(product) ^ u64(opaque_zero)) + start);
}
"""

# Start and step are divided by a power of two, so that nothing overflows but the result.
SINGLES = """
fn number_of_line(i: u32, start: Double_f32, step: Double_f32, exponent: i32, first: f32) -> f32 {
    if i == 0u {
        return first;
    }
    let index = fast_two_sum_f32(f32(i & 0xffff0000u), f32(i & 0xffffu));
    let sum = add_double_f32(multiply_double_f32(index, step), start);
    return scale_by_power_of_two_f32(sum.high, exponent);
}
"""

# For what is infinite or NaN.
SINGLE = """
fn number_of_line(i: u32, start: Double_f32, step: Double_f32, exponent: i32, first: f32) -> f32 {
    return f32(i) * step.high + start.high;
}
"""
LINES = {"double": DOUBLE, "singles": SINGLES, "single": SINGLE}


def _source_text(kind: Type, how: str, lines: int) -> str:
    words = Words(2)
    place, base, last_index = words.take(3)
    last = kind.scalar_from(words.take(kind.words))
    if how == "integers":
        start, step = (_unsigned(kind, words.take(kind.words)) for _ in range(2))
        value = INTEGERS[kind.compute].format(start, step)
    else:
        parts = [_number_of_line(how, words, kind) for _ in range(lines)]
        value = f"{kind.compute}({', '.join(parts)})"
    return "\n".join([
        words.declaration(),
        output_binding(kind, True),
        _line_text(how, kind),
        f"fn number(i: u32) -> {kind.compute} {{",
        f"    if i == {last_index} {{ return {last}; }}",
        f"    return {value};\n}}",
        main_text([], [f"number({base} + first + {i}u)" for i in range(EACH)], kind, place, True,
                  is_opaque=True),
    ])  # fmt: skip


def _line_text(how: str, kind: Type) -> str:
    text = LINES.get(how, "")
    return text.replace("sum.high", "odd_f32_from_double(sum)") if kind.is_narrow else text


def _unsigned(kind: Type, words: Sequence[str]) -> str:
    if kind.words == 1:
        return words[0]
    if kind.compute == "vec2<u32>":
        return f"vec2<u32>({words[0]}, {words[1]})"
    return f"((u64({words[1]}) << 32u) | u64({words[0]}))"


def _number_of_line(how: str, words: Words, kind: Type) -> str:
    if how == "double":
        values: list[str] = []
        for _ in range(4):
            low, high = words.take(2)
            values.append(f"bitcast<f64>((u64({high}) << 32u) | u64({low}))")
        number = f"number_of_line(i, {', '.join(values)})"
        if kind.is_narrow:
            return f"odd_f32_from_f64({number})"
        return f"f32({number})" if kind.name in ("float32", "complex64") else number
    start, start_low, step, step_low, exponent, first = words.take(6)
    pairs = [f"Double_f32(bitcast<f32>({high}), bitcast<f32>({low}))"
             for high, low in ((start, start_low), (step, step_low))]  # fmt: skip
    return f"number_of_line(i, {', '.join(pairs)}, bitcast<i32>({exponent}), bitcast<f32>({first}))"


# --- parameters -----------------------------------------------------------------------------------


def _words_of_double(line: Line) -> list[int]:
    return list(struct.unpack("8I", struct.pack("4d", *line)))


def _words_of_singles(line: Line, kind: Type) -> list[int]:
    """Start, step, exponent and the first number, for SINGLES and SINGLE."""
    step = line.factor / line.divisor
    first = kind.scalar_words(line.scale * (0.0 * line.factor + line.start))[0]
    if not _is_finite(line):
        return [_single(line.start), 0, _single(step), 0, 0, first]
    # Above all of the numbers.
    exponent = max(math.frexp(line.start)[1], math.frexp(step)[1] + 33 if step else -1100)
    halves: list[int] = []
    for value in (line.start, step):
        scaled = math.ldexp(value, -exponent)
        high = struct.unpack("f", struct.pack("f", scaled))[0]
        halves += [_single(high), _single(scaled - high)]
    exponent += math.frexp(line.scale)[1] - 1
    return [*halves, exponent & WORD, first]


def _is_finite(line: Line) -> bool:
    return math.isfinite(line.start) and math.isfinite(line.factor)


def _single(value: float) -> int:
    try:
        return struct.unpack("I", struct.pack("f", value))[0]
    except OverflowError:  # what rounds to infinity
        return 0x7F80_0000 if value > 0 else 0xFF80_0000


# --- the methods of the backend -------------------------------------------------------------------


def arange(
    backend: WebgpuBackend, start: Scalar, step: Scalar, count: int, dtype: DType
) -> Strided:
    """``start + i * step`` for i below count."""
    kind = backend.types[dtype]
    if dtype.kind not in "iu":
        lines = [Line(float(start), float(step))]  # type: ignore[arg-type]
        return _spaced(backend, "arange", lines, count, dtype, None)
    words = [int(x) >> 32 * i & WORD for x in (start, step) for i in range(kind.words)]  # type: ignore[arg-type]
    end = [NO_INDEX, *(0,) * kind.words]
    return _create(backend, "arange", "integers", [*end, *words], count, dtype, 1)


def linspace(
    backend: WebgpuBackend,
    *,
    start: complex,
    stop: complex,
    count: int,
    endpoint: bool,
    dtype: DType,
) -> Strided:
    """Evenly spaced numbers, of which the last is ``stop`` itself with ``endpoint``."""
    parts = [(float(start.real), float(stop.real))]
    if dtype.kind == "c":
        parts.append((float(start.imag), float(stop.imag)))
    steps = count - 1 if endpoint else count
    lines = [_line(first, last, steps) for first, last in parts]
    return _spaced(backend, "linspace", lines, count, dtype,
                   stop if endpoint and count > 1 else None)  # fmt: skip


def _line(first: float, last: float, steps: int) -> Line:
    if math.isinf(last - first) and math.isfinite(first) and math.isfinite(last):
        return _line(first / 2, last / 2, steps)._replace(scale=2.0)  # the distance overflows
    distance = last - first
    if steps <= 0:
        return Line(first, distance)
    if distance / steps == 0:  # it is too small to be divided
        return Line(first, distance, float(steps))
    return Line(first, distance / steps)


def _spaced(
    backend: WebgpuBackend,
    label: str,
    lines: Sequence[Line],
    count: int,
    dtype: DType,
    last: complex | None,
) -> Strided:
    """Numbers of a line, or of one for the real and one for the imaginary part."""
    kind = backend.types[dtype]
    words = [NO_INDEX if last is None else count - 1]
    words += kind.scalar_words(0 if last is None else last)
    if _dtypes.float64 in backend.types:
        how = "double"
    else:
        how = "singles" if all(map(_is_finite, lines)) else "single"
    for line in lines:
        words += _words_of_double(line) if how == "double" else _words_of_singles(line, kind)
    return _create(backend, label, how, words, count, dtype, len(lines))


def _create(
    backend: WebgpuBackend,
    label: str,
    how: str,
    words: Sequence[int],
    count: int,
    dtype: DType,
    lines: int,
) -> Strided:
    out = backend.empty((count,), dtype)
    if count >= WORD:
        raise Unsupported(f"{label} of {WORD} elements or more on {backend.device}")
    if not count:
        return out
    kind = backend.types[dtype]
    with backend.gpu.lock:
        program = backend.compiled(
            ("numbers", kind.name, how), label, 1, lambda: _source_text(kind, how, lines)
        )
        for (part,), (place,) in pieces((out,), (count,), ((1,),), (out.offset,)):
            window = window_of(out, (part,), (1,), place)
            assert window is not None
            here = place - window.offset // dtype.itemsize
            first = [0, part, here, place - out.offset]
            groups = -(-part // (EACH * WORKGROUP))
            backend.gpu.dispatch(program, (window,), [*first, *words], groups)
    return out


ROUTINES: dict[str, Callable[..., Any]] = {"linspace": linspace}
