"""Every special case of the standard, of functions, operators and in-place operators.

The cases are data, in ``numr_conformance.special_cases``. A check is one case with all special
values that it is about; and one for each rule that ties operands together, such as
``f(conj(z)) = conj(f(z))``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import numpy as np

from numr_conformance import special_cases as cases
from numr_conformance.check import Check, Failed
from numr_conformance.special_values import (
    Column,
    complex_of,
    grid_of,
    holds,
    is_subnormal,
    meets,
    parts,
    same,
)
from numr_conformance.standard import (
    COMPARISONS,
    IN_PLACE_OPERATORS,
    KINDS,
    OPERATORS,
    REAL_PART,
    chapter_of,
)
from numr_conformance.target import Target

COMPLEX_FUNCTIONS = sorted({*cases.COMPLEX, *cases.ROTATED, *cases.SCALED})

# The rules f(before(z)) = after(f(z)).
Rule = Callable[[Column], Column]
LAWS: dict[str, tuple[Sequence[str], Rule, Rule]] = {
    "conjugate": (cases.CONJUGATE, np.conj, np.conj),
    "odd": (cases.ODD, np.negative, np.negative),
    "even": (cases.EVEN, np.negative, np.positive),
}


def checks(target: Target) -> Iterator[Check]:
    for function in sorted(cases.REAL):
        for dtype in KINDS["real floating"]:
            yield from _rows(target, function, dtype, cases.REAL[function])
    for function in COMPLEX_FUNCTIONS:
        for dtype in KINDS["complex floating"]:
            yield from _rows(target, function, dtype, _complex_text(function))
    for law, (functions, before, after) in LAWS.items():
        for function in functions:
            for dtype in KINDS["complex floating"]:
                if dtype in target.dtypes:
                    name = f"special_cases/{function}/{dtype}/{law}"
                    run = partial(_law, function, dtype, before, after)
                    yield Check(name, chapter_of(function), function, dtype, run)


def _forms(function: str) -> list[str]:
    """A function and the operators that equal it."""
    tables = (OPERATORS, IN_PLACE_OPERATORS)
    operators = [name for table in tables for name, equal in table.items() if equal == function]
    return [function, *operators]


def _rows(target: Target, function: str, dtype: str, text: str) -> Iterator[Check]:
    if dtype not in target.dtypes:
        return
    for form in _forms(function):
        for row in cases.rows(text):
            name = f"special_cases/{form}/{dtype}/{row}"
            run = partial(_row, function, form, dtype, row)
            yield Check(name, chapter_of(form), form, dtype, run)


# --- operands -------------------------------------------------------------------------------------


def _complex_text(function: str) -> str:
    """The cases of a complex function, or of the one that it is a turn or a multiple of."""
    other = "log" if function in cases.SCALED else cases.ROTATED.get(function, function)
    return cases.COMPLEX[other]


def _columns(count: int, dtype: str, target: Target) -> list[Column]:
    """The real operands, or the parts of complex ones, that the conditions choose from.

    Subnormal ones only where they are not taken for zeros, which the standard leaves open.
    """
    real = REAL_PART.get(dtype, dtype)
    return _grid(count, real, target.flushes_subnormals(real))


@cache
def _grid(count: int, dtype: str, without_subnormals: bool) -> list[Column]:
    columns = grid_of(count, dtype)
    if not without_subnormals:
        return columns
    kept = ~np.any([is_subnormal(column) for column in columns], axis=0)
    return [column[kept] for column in columns]


def _operands(columns: Sequence[Column], dtype: str) -> list[Column]:
    if dtype not in REAL_PART:
        return list(columns)
    return [complex_of(*columns[i : i + 2]) for i in range(0, len(columns), 2)]


def _call(target: Target, form: str, operands: Sequence[Column]) -> Column:
    with np.errstate(all="ignore"):  # NumPy's own namespace may be the one under test
        found = target.find(form)(*map(target.array, operands))
    return target.host(found)


# --- the checks -----------------------------------------------------------------------------------


def _row(function: str, form: str, dtype: str, row: cases.Row, target: Target) -> None:
    columns = _columns(len(row.conditions), dtype, target)
    is_complex = dtype in REAL_PART
    # The cases of f(z) = -j g(jz) are those of g, whose operand is z turned by a right angle.
    rotated = is_complex and function in cases.ROTATED
    with np.errstate(all="ignore"):
        chosen = meets(row, [-columns[1], columns[0]] if rotated else columns)
    columns = [column[chosen] for column in columns]
    operands = _operands(columns, dtype)
    result = _call(target, form, operands)
    if result.shape != operands[0].shape:
        raise Failed("another shape", expected=operands[0].shape, actual=result.shape)
    if result.dtype.kind not in ("b" if form in COMPARISONS else "bfc"):
        raise Failed("another dtype", actual=result.dtype)
    results = parts(result)
    if is_complex and function in cases.SCALED:
        results = [x * x.dtype.type(cases.SCALED[function]) for x in results]
    given = columns
    if rotated:
        given = [-columns[1], columns[0]]
        results = results if function == "cos" else [-results[1], results[0]]
    with np.errstate(all="ignore"):
        wrong = np.flatnonzero(~holds(row, given, results))
    if wrong.size:
        first = wrong[0]
        raise Failed(
            f"{wrong.size} of {chosen.sum()} do not hold: {row}{_turned(rotated, function)}",
            given=", ".join(str(x[first]) for x in operands),
            expected=" ".join(row.expectations),
            actual=str(result[first]),
        )


def _turned(rotated: bool, function: str) -> str:
    """How a case that is stated for another function has to be read."""
    if not rotated:
        return ""
    factor = "" if function == "cos" else "-j "
    return f", where {function}(z) = {factor}{cases.ROTATED[function]}(jz)"


def _law(function: str, dtype: str, before: Rule, after: Rule, target: Target) -> None:
    z = complex_of(*_columns(2, dtype, target))
    found = _call(target, function, [before(z)])
    expected = after(_call(target, function, [z]))
    # Where a part is NaN, nothing is said of the other part's sign.
    compared = ~np.isnan(found) | ~np.isnan(expected)
    pairs = zip(parts(found), parts(expected), strict=True)
    wrong = np.flatnonzero(compared & ~np.all([_alike(x, y) for x, y in pairs], axis=0))
    if wrong.size:
        first = wrong[0]
        raise Failed(
            f"{wrong.size} of {z.size} do not follow the rule",
            given=str(before(z)[first]),
            expected=str(expected[first]),
            actual=str(found[first]),
        )


def _alike(x: Column, y: Column) -> Column:
    """The same zero, infinity or NaN, or two numbers of one sign: rules bind no last digit."""
    both = np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0)
    return same(x, y) | (both & (np.sign(x) == np.sign(y)))
