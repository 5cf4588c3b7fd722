"""The text of element-wise kernels, for each variant."""

from __future__ import annotations

from numr_api._backends.cuda.elementwise_texts import (
    applied,
    find_places_lines,
    indented,
    letters,
    operation,
    parameters,
)
from numr_api._backends.cuda.elementwise_tiles import tiles_body
from numr_api._backends.cuda.elementwise_variants import THREADS, Signature, Variant, stored, words
from numr_api._backends.cuda.texts import index_type


def source_of(signature: Signature, variant: Variant) -> str:
    """The text of a variant of a kernel, without the files that it includes."""
    name = variant.name(signature)
    if not variant.modes:
        body = elements_body
    elif variant.tile:
        body = tiles_body
    else:
        body = vectors_body if variant.modes[0] == "vector" else chunks_body
    lines = "\n".join(f"    {line}" for line in body(signature, variant, name))
    return (
        f"namespace numr {{\n\n{operation(signature, name)}\n"
        f"KERNEL void {name}({parameters(signature, variant)}) {{\n{lines}\n}}\n\n}}\n"
    )


def vectors_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose threads have several elements next to each other.

    Where there are several axes, rows consist of whole vectors; ``count`` and the last axis count
    these. Where there is one, ``count`` counts elements, and some may be left over.
    """
    each = signature.vector
    index = index_type(variant.wide)
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
    inner = find_places_lines(signature, variant, "layout", "first") if rows else []
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
            *indented(whole),
            "} else {",
            "    ROLLED",
            f"    for ({index} i = first; i < {index}(count); ++i) "
            f"out[i] = {applied(signature, name, rest)};",
            "}",
        ]
    return [*lines, *indented(inner), "}"]


def elements_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose threads have elements a block's width apart, anywhere in memory.

    All are read before the first is written, so that the reads need not wait for each other.
    """
    index = index_type(variant.wide)
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
        f"        if (number < {index}(count)) {{",
        *indented(indented(indented(find_places_lines(signature, variant, "layout", "number")))),
        "            to[i] = places[0];",
        f"            results[i] = {applied(signature, name, parts)};",
        "        }",
        "    }",
        "    UNROLLED",
        f"    for (int i = 0; i < {each}; ++i) {{",
        f"        if (first + i * {THREADS} < {index}(count)) out[to[i]] = results[i];",
        "    }",
        "}",
    ]


def chunks_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose blocks have chunks of rows, which may begin anywhere.

    ``count`` and the last axis count chunks. Each thread has words of the output a block's width
    apart; the first chunk of a row begins ahead of it, where a word does. Elements that are not in
    a whole word of the row are reached by themselves.
    """
    index = index_type(variant.wide)
    each, word = variant.each, words(signature.result)
    given = letters(signature)
    modes = dict(zip(given, variant.modes[1:], strict=True))
    if variant.modes[0] != "run":
        word = 1
    size = signature.result.itemsize
    along = {letter: f"along.steps[{i}]" for i, letter in enumerate(given, 1)}
    single: dict[str, str] = {}
    whole: list[str] = []
    parts: dict[str, str] = {}
    for i, letter in enumerate(given, 1):
        at = f"{letter}[places[{i}]"
        if modes[letter] == "constant":
            single[letter] = parts[letter] = at + "]"
        elif modes[letter] == "strided":
            single[letter] = f"{at} + at * {along[letter]}]"
            parts[letter] = f"{at} + (at + i) * {along[letter]}]"
        else:
            single[letter] = f"{at} + at]"
            parts[letter] = f"{letter}_each.at[i]"
            whole.append(
                f"const auto {letter}_each = shifted<{word}>({letter} + places[{i}] + at);"
            )
    out = "places[0] + at" if variant.modes[0] == "run" else "places[0] + at * along.steps[0]"
    lead = f"int64((reinterpret_cast<uint64>(out + places[0]) / {size}) % {word})"
    setup = [
        f"for ({index} chunk = blockIdx.x; chunk < {index}(count); chunk += gridDim.x) {{",
        *indented(find_places_lines(signature, variant, "layout", "chunk")),
        f"    const int64 ahead = {lead if word > 1 else '0'};",
        f"    const int64 first = int64(indexes[{variant.axes - 1}]) * {THREADS * each * word} "
        f"- ahead + threadIdx.x * {word};",
        f"    Vector<{stored(signature.result)}, {word}> results[{each}];",
        "    UNROLLED",
        f"    for (int k = 0; k < {each}; ++k) {{",
        f"        const int64 at = first + k * {THREADS * word};",
    ]
    return [
        *setup,
        f"        if (at >= 0 && at + {word} <= along.length) {{",
        *indented(indented(indented(whole))),
        "            UNROLLED",
        f"            for (int i = 0; i < {word}; ++i) "
        f"results[k].at[i] = {applied(signature, name, parts)};",
        "        }",
        "    }",
        "    UNROLLED",
        f"    for (int k = 0; k < {each}; ++k) {{",
        f"        const int64 at = first + k * {THREADS * word};",
        f"        if (at >= 0 && at + {word} <= along.length) {{",
        f"            store<{word}>(out + {out}, results[k]);"
        if word > 1
        else f"            out[{out}] = results[k].at[0];",
        *(
            [
                "        } else {",
                "            ROLLED",
                f"            for (int64 i = at < 0 ? 0 : at; i < at + {word} && i < along.length; "
                "++i) {",
                "                const int64 at = i;",
                f"                out[{out}] = {applied(signature, name, single)};",
                "            }",
            ]
            if word > 1
            else []
        ),
        "        }",
        "    }",
        "}",
    ]
