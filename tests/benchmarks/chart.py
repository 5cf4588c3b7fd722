"""A bar chart as SVG, which needs no library and follows the reader's light or dark theme."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#3f51b5", "#ef8a3c", "#7a9e3a")  # by library, in the order in which they appear
BAR, GAP, LEFT, WIDTH, TOP = 9, 8, 210, 760, 54

STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #333 }
.line { stroke: #8888; stroke-width: 1 }
.even { stroke: #888; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } }
</style>"""


def bars(title: str, rows: Sequence[tuple[str, Mapping[str, float]]]) -> str:
    """Horizontal bars on a logarithmic scale, a group for each row and a bar for each library.

    Arguments:
        title: what a bar tells.
        rows: a name and, by library, a number above 0.
    """
    names = list(dict.fromkeys(name for _, values in rows for name in values))
    numbers = [value for _, values in rows for value in values.values()] or [1.0]
    low = math.floor(math.log2(min(1.0, *numbers)))
    high = math.ceil(math.log2(max(2.0, *numbers)))
    group = BAR * len(names) + GAP
    height = TOP + group * len(rows) + 24

    def place(value: float) -> float:
        return LEFT + (math.log2(value) - low) / (high - low) * (WIDTH - LEFT - 50)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>{STYLE}",
        f'<text x="{LEFT}" y="16">{escape(title)}</text>',
    ]
    for number, name in enumerate(names):
        x = LEFT + 110 * number
        parts.append(f'<rect x="{x}" y="26" width="10" height="10" fill="{COLOURS[number]}"/>')
        parts.append(f'<text x="{x + 15}" y="35">{escape(name)}</text>')
    for exponent in range(low, high + 1):
        x, kind = place(2.0**exponent), "line" if exponent else "even"
        parts.append(f'<path class="{kind}" d="M{x:.1f} {TOP - 6}V{height - 18}"/>')
        label = str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"
        parts.append(f'<text x="{x:.1f}" y="{height - 4}" text-anchor="middle">{label}</text>')
    for index, (row, values) in enumerate(rows):
        y = TOP + group * index
        middle = y + BAR * len(names) / 2 + 4
        parts.append(f'<text x="{LEFT - 8}" y="{middle}" text-anchor="end">{escape(row)}</text>')
        for number, name in enumerate(names):
            if name in values:
                ends = sorted((place(1.0), place(values[name])))
                parts.append(
                    f'<rect x="{ends[0]:.1f}" y="{y + BAR * number}" '
                    f'width="{max(1.0, ends[1] - ends[0]):.1f}" height="{BAR - 1}" '
                    f'fill="{COLOURS[number]}"><title>{escape(f"{row}, {name}")}: '
                    f"{values[name]:.2f}</title></rect>"
                )
    return "\n".join([*parts, "</svg>"]) + "\n"
