"""The text of element-wise kernels whose operands lie along different axes: tiles."""

from __future__ import annotations

from numr_api._backends.cuda.elementwise_texts import (
    applied,
    find_places_lines,
    indented,
    letters,
)
from numr_api._backends.cuda.elementwise_variants import THREADS, Signature, Variant, stored, words
from numr_api._backends.cuda.texts import index_type


def tiles_body(signature: Signature, variant: Variant, name: str) -> list[str]:
    """The lines of a kernel whose blocks have tiles of two axes.

    Operands whose elements lie next to each other along another axis than the output's are read in
    that order to shared memory, and from there in the output's order. ``count`` counts tiles.
    """
    assert variant.tile is not None
    down, across = variant.tile
    index, axes = index_type(variant.wide), variant.axes
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
            *indented(lines),
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
        *find_places_lines(signature, variant, "tiles.layout", "number"),
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
                *indented(indented(write)),
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
        *indented(inner),
        "}",
    ]
