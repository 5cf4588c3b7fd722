"""The text of element-wise kernels; ``elementwise`` says which variants there are."""

from __future__ import annotations

from typing import NamedTuple

from numr_api._dtypes import DType

THREADS = 256  # of a block; THREADS of elementwise.cuh


class Signature(NamedTuple):
    """What a kernel computes, of what.

    Attributes:
        name: of the operation.
        body: C++ for ``operation``, whose parameters a, b, c are of the promoted dtypes.
        operands: the dtype of each array; None for a Python scalar.
        promoted: what each is converted to when it is loaded.
        result: the dtype of the outcome.
    """

    name: str
    body: str
    operands: tuple[DType | None, ...]
    promoted: tuple[DType, ...]
    result: DType

    @property
    def arrays(self) -> list[DType]:
        """The dtypes of all arrays, the output first."""
        return [self.result, *(x for x in self.operands if x is not None)]

    @property
    def sources(self) -> tuple[str, ...]:
        """The files of which the kernels need functions."""
        kinds = {dtype.kind for dtype in (*self.promoted, self.result)}
        library = "complex" if "c" in kinds else "functions" if "f" in kinds else "numbers"
        return (f"{library}.cuh", "elementwise.cuh")

    @property
    def vector(self) -> int:
        """How many elements a thread has where it reaches them in one access.

        16 bytes of the narrowest array, but of no array more than 32.
        """
        sizes = [dtype.itemsize for dtype in self.arrays]
        return max(1, min(16 // min(sizes), 32 // max(sizes)))

    @property
    def scattered(self) -> int:
        """How many elements a thread has where it reaches each by itself.

        Several, so that it need not wait for one after the other; but one where the operation is
        so long that copies of it would take seconds to compile.
        """
        return 1 if self.promoted[-1].kind == "c" and "(" in self.body else 4


class Variant(NamedTuple):
    """A way to run a kernel.

    Attributes:
        axes: how many there are after merging.
        modes: how each array is reached, the output first: "vector" or "constant" along the last
            axis; empty if each element is reached by itself.
        wide: whether elements are counted in 64 bits.
    """

    axes: int
    modes: tuple[str, ...]
    wide: bool

    def name(self, signature: Signature) -> str:
        """The kernel's name, unlike that of any other."""
        types = [x.name if x is not None else "scalar" for x in signature.operands]
        how = "".join(mode[0] for mode in self.modes) or "elements"
        count = "_wide" if self.wide else ""
        parts = [signature.name, *types, signature.promoted[-1].name, signature.result.name]
        return "_".join([*parts, f"{self.axes}{how}{count}"])


def stored(dtype: DType) -> str:
    """The C++ type of elements in memory; any byte but 0 is true."""
    return "uint8" if dtype.kind == "b" else dtype.name


def source_of(signature: Signature, variant: Variant) -> str:
    """The text of a variant of a kernel, without the files that it includes."""
    name = variant.name(signature)
    body = elements_body if not variant.modes else vectors_body
    lines = "\n".join(f"    {line}" for line in body(signature, variant, name))
    return (
        f"namespace numr {{\n\n{operation(signature, name)}\n"
        f"KERNEL void {name}({parameters(signature, variant)}) {{\n{lines}\n}}\n\n}}\n"
    )


def operation(signature: Signature, name: str) -> str:
    """The declaration of the function that is applied to each element."""
    given = ", ".join(
        f"{dtype.name} {letter}" for letter, dtype in zip("abc", signature.promoted, strict=False)
    )
    return (
        f"DEVICE {signature.result.name} of_{name}({given}) {{\n"
        f"    using T = {signature.promoted[-1].name};\n"
        f"    return {signature.result.name}({signature.body});\n}}\n"
    )


def parameters(signature: Signature, variant: Variant) -> str:
    """The kernel's parameters, in the order in which ``elementwise`` packs them."""
    given = [f"{stored(signature.result)}* out"]
    scalars: list[str] = []
    for letter, dtype, promoted in zip("abc", signature.operands, signature.promoted, strict=False):
        if dtype is not None:
            given.append(f"const {stored(dtype)}* {letter}")
        elif promoted.kind == "c":
            part = "float32" if promoted.itemsize == 8 else "float64"
            scalars += [f"{part} {letter}_real", f"{part} {letter}_imag"]
        else:
            scalars.append(f"{promoted.name} {letter}")
    given.append("int64 count")
    if variant.axes > 1 or not variant.modes:
        given.append(f"Layout<{variant.axes}, {len(signature.arrays)}> layout")
    return ", ".join([*given, *scalars])


def applied(signature: Signature, name: str, elements: dict[str, str]) -> str:
    """The expression of an element of the output, given those of the array operands."""
    values: list[str] = []
    for letter, dtype, promoted in zip("abc", signature.operands, signature.promoted, strict=False):
        if dtype is not None:
            value = elements[letter] + (" != 0" if dtype.kind == "b" else "")
            values.append(f"converted<{promoted.name}>({value})")
        elif promoted.kind == "c":
            values.append(f"{promoted.name}{{{letter}_real, {letter}_imag}}")
        else:
            values.append(letter)
    return f"of_{name}({', '.join(values)})"


def letters(signature: Signature) -> list[str]:
    """The letters of the operands that are arrays."""
    return [x for x, dtype in zip("abc", signature.operands, strict=False) if dtype is not None]


def vectors_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose threads have several elements next to each other.

    Where there are several axes, rows consist of whole vectors; ``count`` and the last axis count
    these. Where there is one, ``count`` counts elements, and some may be left over.
    """
    each = signature.vector
    index = "uint64" if variant.wide else "uint32"
    given = letters(signature)
    modes = dict(zip(given, variant.modes[1:], strict=True))
    rows = variant.axes > 1
    places = {letter: f" + places[{i}]" for i, letter in enumerate(given, 1)} if rows else {}
    lines = [f"const {index} threads = all_threads<{index}>();"]
    step = "" if rows else f" * {each}"
    lines += [
        f"for ({index} first = first_thread<{index}>(){step}; first < {index}(count); "
        f"first += threads{step}) {{"
    ]
    inner: list[str] = []
    if rows:
        inner += [f"int64 places[{len(given) + 1}];", "find_places(layout, first, places);"]
    parts: dict[str, str] = {}
    for letter in given:
        if modes[letter] == "constant":
            at = f"places[{given.index(letter) + 1}]" if rows else "0"
            inner.append(f"const auto {letter}_one = {letter}[{at}];")
            parts[letter] = f"{letter}_one"
        else:
            parts[letter] = f"{letter}_each.at[i]"
    whole = [
        f"const auto {letter}_each = loaded<{each}>({letter}{places.get(letter, ' + first')});"
        for letter in given
        if modes[letter] == "vector"
    ]
    out = "out + places[0]" if rows else "out + first"
    whole += [
        f"Vector<{stored(signature.result)}, {each}> results;",
        "UNROLLED",
        f"for (int i = 0; i < {each}; ++i) results.at[i] = {applied(signature, name, parts)};",
        f"store<{each}>({out}, results);",
    ]
    if rows or each == 1:
        inner += whole
    else:
        rest = {
            letter: parts[letter] if modes[letter] == "constant" else f"{letter}[i]"
            for letter in given
        }
        inner += [
            f"if ({index}(count) - first >= {each}) {{",
            *(f"    {line}" for line in whole),
            "} else {",
            "    ROLLED",
            f"    for ({index} i = first; i < {index}(count); ++i) "
            f"out[i] = {applied(signature, name, rest)};",
            "}",
        ]
    return [*lines, *(f"    {line}" for line in inner), "}"]


def elements_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose threads have elements a block's width apart, anywhere in memory.

    All are read before the first is written, so that the reads need not wait for each other.
    """
    index = "uint64" if variant.wide else "uint32"
    each = signature.scattered
    given = letters(signature)
    parts = {letter: f"{letter}[places[{i}]]" for i, letter in enumerate(given, 1)}
    return [
        f"const {index} step = {index}(gridDim.x) * {THREADS * each};",
        f"for ({index} first = {index}(blockIdx.x) * {THREADS * each} + threadIdx.x; "
        f"first < {index}(count); first += step) {{",
        f"    {stored(signature.result)} results[{each}];",
        f"    int64 to[{each}];",
        "    UNROLLED",
        f"    for (int i = 0; i < {each}; ++i) {{",
        f"        const {index} number = first + i * {THREADS};",
        f"        if (number >= {index}(count)) break;",
        f"        int64 places[{len(given) + 1}];",
        "        find_places(layout, number, places);",
        "        to[i] = places[0];",
        f"        results[i] = {applied(signature, name, parts)};",
        "    }",
        "    UNROLLED",
        f"    for (int i = 0; i < {each}; ++i) {{",
        f"        if (first + i * {THREADS} < {index}(count)) out[to[i]] = results[i];",
        "    }",
        "}",
    ]
