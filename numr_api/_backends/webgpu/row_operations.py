"""What operations on rows compute; their functions are in ``rows.generic.wgsl``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Row(NamedTuple):
    """An operation on rows, as expressions of the elements x and y, and of ``top`` and ``total``.

    Attributes:
        inputs: how many arrays there are.
        measure: of an element, whose largest value is ``top``; empty if that is not needed.
        lowest: the least of these.
        term: of an element, as a pair.
        keeps_term: whether that is all the result needs to know of an element, then called x.
        merged: the sum of a part of the row, ``sum``, whose own top is ``part_top``.
        closed: the pair that ``total`` is, made of ``sum``.
        result: of an element, or of the row.
        of_row: whether it is of the row.
    """

    inputs: int
    measure: str
    lowest: str
    term: str
    merged: str
    closed: str
    result: str
    keeps_term: bool = False
    of_row: bool = False

    def with_suffix(self, suffix: str) -> Row:
        """The same with the names of a type's functions."""
        texts = {name: getattr(self, name).replace("{t}", suffix) for name in EXPRESSIONS}
        return self._replace(**texts)


EXPRESSIONS = ("measure", "lowest", "term", "merged", "closed", "result")

SOFTMAX = Row(
    inputs=1,
    measure="x",
    lowest="-infinity_{t}()",
    term="Double_{t}(exp_below_{t}(x, top), T(0))",
    merged="multiply_double_{t}(sum, Double_{t}(exp_below_{t}(part_top, top), T(0)))",
    closed="sum",
    result="softmax_share_{t}(x, top, total)",
    keeps_term=True,
)
LOG_SOFTMAX = SOFTMAX._replace(
    closed="log_of_total_{t}(top, sum)",
    result="log_softmax_share_{t}(x, top, total)",
    keeps_term=False,
)
ROWS: Mapping[str, Row] = {
    "softmax": SOFTMAX,
    "log_softmax": LOG_SOFTMAX,
    "logsumexp": LOG_SOFTMAX._replace(result="logsumexp_of_{t}(top, total)", of_row=True),
    "softmax_backward": Row(
        inputs=2,
        measure="",
        lowest="T(0)",
        term="product_term_{t}(x, y)",
        merged="sum",
        closed="sum",
        result="softmax_gradient_{t}(x, y, total)",
    ),
    "l2_normalize": Row(
        inputs=1,
        measure="abs(x)",
        lowest="T(0)",
        term="square_term_{t}(x, top)",
        merged="squares_of_part_{t}(sum, part_top, top)",
        closed="sqrt_double_{t}(sum)",
        result="normalized_{t}(x, top, total, eps)",
    ),
}
