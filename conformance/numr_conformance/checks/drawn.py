"""Inputs that hypothesis draws: shapes, layouts, keys, axes, values, in any combination.

The other topics have fixed rows, which reach every special rule; this one reaches combinations
that nobody thought of, such as a negative step on the third of four axes. What fails is told with
the smallest input that fails.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

try:
    import hypothesis as hypothesis
except ModuleNotFoundError as error:
    # An error and no verdict: it is not the namespace that lacks something, and a run that left
    # the topic out would look as if it had passed.
    raise ModuleNotFoundError(
        "the topic 'drawn' needs hypothesis; install it (pip install hypothesis), or choose the "
        "other topics with --topics"
    ) from error

from numr_conformance.check import Check
from numr_conformance.checks import (
    _drawn_arrays,
    _drawn_elementwise,
    _drawn_keys,
    _drawn_searching,
    _drawn_values,
)
from numr_conformance.target import Target

PARTS = (_drawn_elementwise, _drawn_keys, _drawn_arrays, _drawn_values, _drawn_searching)


def checks(target: Target) -> Iterator[Check]:
    """Those of all parts."""
    return itertools.chain(*(part.cases.checks(target) for part in PARTS))
