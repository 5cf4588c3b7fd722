"""Parts of the text of element-wise kernels that all variants have."""

from __future__ import annotations

from numr_api._backends.cuda.elementwise_variants import Signature, Variant, stored
from numr_api._backends.cuda.texts import index_type
from numr_api._dtypes import EXTENSIONS, computed


def operation(signature: Signature, name: str) -> str:
    """The declaration of the function that is applied to each element."""
    types = [signature.type_of(dtype).name for dtype in signature.promoted]
    given = ", ".join(f"{dtype} {letter}" for letter, dtype in zip("abc", types, strict=False))
    result = signature.result.name
    to = f"converted<{result}>" if signature.result in EXTENSIONS else result
    return (
        f"DEVICE {result} of_{name}({given}) {{\n"
        f"    using T = {types[-1]};\n"
        f"    return {to}({signature.body});\n}}\n"
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
            scalars.append(f"{computed(promoted).name} {letter}")
    given.append("int64 count")
    arrays = len(signature.arrays)
    kind = f"{'WideLayout' if variant.wide else 'Layout'}<{variant.axes}, {arrays}>"
    if variant.tile:
        given.append(f"Tiles<{kind}, {arrays}> tiles")
    elif variant.layout:
        given.append(f"{kind} layout")
        if variant.modes and variant.modes[0] != "vector":
            given.append(f"Steps<{arrays}> along")
    return ", ".join([*given, *scalars])


def applied(signature: Signature, name: str, elements: dict[str, str]) -> str:
    """The expression of an element of the output, given those of the array operands."""
    values: list[str] = []
    for letter, dtype, promoted in zip("abc", signature.operands, signature.promoted, strict=False):
        given = signature.type_of(promoted)
        if dtype is not None:
            value = elements[letter] + (" != 0" if dtype.kind == "b" else "")
            values.append(f"converted<{given.name}>({value})")
        elif promoted.kind == "c":
            values.append(f"{promoted.name}{{{letter}_real, {letter}_imag}}")
        elif given in EXTENSIONS:
            values.append(f"converted<{given.name}>({letter})")
        else:
            values.append(letter)
    return f"of_{name}({', '.join(values)})"


def letters(signature: Signature) -> list[str]:
    """The letters of the operands that are arrays."""
    return [x for x, dtype in zip("abc", signature.operands, strict=False) if dtype is not None]


def find_places_lines(
    signature: Signature, variant: Variant, layout: str, number: str
) -> list[str]:
    """The lines that find the place in each array, the output first."""
    return [
        f"{index_type(variant.wide)} indexes[{variant.axes}];",
        f"int64 places[{len(signature.arrays)}];",
        f"find_places({layout}, {number}, indexes, places);",
    ]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
