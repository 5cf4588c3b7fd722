"""The text of element-wise kernels, for each variant."""

from __future__ import annotations

from numr_api._backends.cuda.elementwise_variants import (
    THREADS,
    Signature,
    Variant,
    stored,
    words,
)


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


def _index(variant: Variant) -> str:
    return "uint64" if variant.wide else "uint32"


def _find_places(signature: Signature, variant: Variant, layout: str, number: str) -> list[str]:
    """The lines that find the place in each array, the output first."""
    return [
        f"{_index(variant)} indexes[{variant.axes}];",
        f"int64 places[{len(signature.arrays)}];",
        f"find_places({layout}, {number}, indexes, places);",
    ]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def vectors_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose threads have several elements next to each other.

    Where there are several axes, rows consist of whole vectors; ``count`` and the last axis count
    these. Where there is one, ``count`` counts elements, and some may be left over.
    """
    each = signature.vector
    index = _index(variant)
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
    inner = _find_places(signature, variant, "layout", "first") if rows else []
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
            *_indented(whole),
            "} else {",
            "    ROLLED",
            f"    for ({index} i = first; i < {index}(count); ++i) "
            f"out[i] = {applied(signature, name, rest)};",
            "}",
        ]
    return [*lines, *_indented(inner), "}"]


def elements_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose threads have elements a block's width apart, anywhere in memory.

    All are read before the first is written, so that the reads need not wait for each other.
    """
    index = _index(variant)
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
        *_indented(_indented(_indented(_find_places(signature, variant, "layout", "number")))),
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
    index = _index(variant)
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
        *_indented(_find_places(signature, variant, "layout", "chunk")),
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
        *_indented(_indented(_indented(whole))),
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


def tiles_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose blocks have tiles of two axes.

    Operands whose elements lie next to each other along another axis than the output's are read in
    that order to shared memory, and from there in the output's order. ``count`` counts tiles.
    """
    assert variant.tile is not None
    down, across = variant.tile
    index, axes = _index(variant), variant.axes
    given = letters(signature)
    modes = dict(zip(given, variant.modes[1:], strict=True))
    word = int(variant.modes[0])
    numbers = {letter: i for i, letter in enumerate(given, 1)}
    types = dict(zip(given, signature.arrays[1:], strict=True))
    tiled = [letter for letter in given if modes[letter] != "direct"]
    direct = [letter for letter in given if letter not in tiled]
    # A thread has blocks of some elements down and a word across, so that it reads words, too.
    deep = max(words(types[letter]) for letter in tiled)
    while deep * word * THREADS > down * across:
        deep //= 2
    rows = deep * THREADS * word // across  # that all threads have at a time
    each = down // rows
    last, before = axes - 1, axes - 2
    parts: dict[str, str] = {}
    read: list[str] = []
    for letter in given:
        if letter in direct:
            parts[letter] = f"{letter}_held[k][j][i]"
        elif words(types[letter]) == deep:
            parts[letter] = f"{letter}_words[i].at[j]"
            read += [
                f"Vector<{stored(types[letter])}, {deep}> {letter}_words[{word}];",
                "UNROLLED",
                f"for (int i = 0; i < {word}; ++i) "
                f"{letter}_words[i] = loaded<{deep}>({letter}_tile[l + i].at + d);",
            ]
        else:
            parts[letter] = f"{letter}_tile[l + i].at[d + j]"
    start = "places[{0}] + first * tiles.steps_down[{0}] + l * tiles.steps_across[{0}]"

    def loop(lines: list[str]) -> list[str]:
        return [
            "UNROLLED",
            f"for (int k = 0; k < {each}; ++k) {{",
            f"    const int d = first + k * {rows};",
            *_indented(lines),
            "}",
        ]

    def block(line: str) -> list[str]:
        return [
            "UNROLLED",
            f"for (int j = 0; j < {deep}; ++j) {{",
            "    UNROLLED",
            f"    for (int i = 0; i < {word}; ++i) {{",
            f"        {line}",
            "    }",
            "}",
        ]

    def hold(letter: str) -> list[str]:
        number = numbers[letter]
        at = f"{letter}_at[j * tiles.steps_down[{number}] + i * tiles.steps_across[{number}]]"
        return [
            f"{stored(types[letter])} {letter}_held[{each}][{deep}][{word}];",
            f"auto {letter}_at = {letter} + {start.format(number)};",
            *loop(
                [
                    *block(f"if (d + j < high && l + i < wide) {letter}_held[k][j][i] = {at};"),
                    f"{letter}_at += {rows} * tiles.steps_down[{number}];",
                ]
            ),
        ]

    write = ["if (l < wide) *at = results[k][j].at[0];"]
    if word > 1:
        write = [
            f"if (l + {word} <= wide) {{",
            f"    store<{word}>(at, results[k][j]);",
            "} else {",
            "    UNROLLED",
            f"    for (int i = 0; i < {word}; ++i) if (l + i < wide) at[i] = results[k][j].at[i];",
            "}",
        ]
    inner = [
        *_find_places(signature, variant, "tiles.layout", "number"),
        f"const int high = int(smaller_of(int64({down}), "
        f"tiles.down - int64(indexes[{before}]) * {down}));",
        f"const int wide = int(smaller_of(int64({across}), "
        f"tiles.across - int64(indexes[{last}]) * {across}));",
        f"const int first = int(threadIdx.x) / {across // word} * {deep};",
        f"const int l = int(threadIdx.x) % {across // word} * {word};",
        *(line for letter in direct for line in hold(letter)),
        *(
            f"read_tile<{modes[letter]}, {across}, {down}>({letter}_tile, "
            f"{letter} + places[{numbers[letter]}], tiles.steps_across[{numbers[letter]}], "
            f"tiles.steps_down[{numbers[letter]}], wide, high);"
            for letter in tiled
        ),
        "__syncthreads();",
        f"Vector<{stored(signature.result)}, {word}> results[{each}][{deep}];",
        *loop([*read, *block(f"results[k][j].at[i] = {applied(signature, name, parts)};")]),
        f"auto to = out + {start.format(0)};",
        *loop(
            [
                "UNROLLED",
                f"for (int j = 0; j < {deep}; ++j) {{",
                "    if (d + j < high) {",
                "        auto at = to + j * tiles.steps_down[0];",
                *_indented(_indented(write)),
                "    }",
                "}",
                f"to += {rows} * tiles.steps_down[0];",
            ]
        ),
        "__syncthreads();",
    ]
    return [
        *(
            f"SHARED Line<{stored(types[letter])}, {across}, {down}> {letter}_tile[{across}];"
            for letter in tiled
        ),
        f"for ({index} number = blockIdx.x; number < {index}(count); number += gridDim.x) {{",
        *_indented(inner),
        "}",
    ]
