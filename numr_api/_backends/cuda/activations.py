"""The rows of activations, as in ``expressions``; those with two results are in ``paired``."""

from __future__ import annotations

from numr_api._dtypes import HALVES, DType

# The names of functions whose results are multiplied, and what computes them.
GATES = {
    "gelu": "gelu_tanh",
    "gelu_erf": "gelu_erf",
    "relu": "relu",
    "sigmoid": "sigmoid",
    "silu": "silu",
}

# For which less is computed where the result has 16 bits.
NEAR = ("sigmoid", "silu", "gelu_tanh", "gelu_erf")


def _rows(function: str, rest: str = "") -> dict[str, str]:
    whole = f"{function}(a){rest}"
    return {"h": f"near_{whole}", "f": whole} if function in NEAR else {"f": whole}


ACTIVATIONS = {
    **{
        name: _rows(name)
        for name in ("relu", "sigmoid", "silu", "softplus", "gelu_tanh", "gelu_erf")
    },
    "leaky_relu": {"f": "leaky_relu(a, b)"},
    "elu": {"f": "elu(a, b)"},
    **{f"{name}_mul": _rows(function, " * b") for name, function in GATES.items()},
}
WITH_OPTION = ("leaky_relu", "elu")  # which is not rounded to 16 bits
WITH_TWO_RESULTS = tuple(f"{name}_mul_backward" for name in GATES)


def slopes_of(name: str, dtype: DType) -> str:
    """The function of an operation with two results for numbers of a dtype."""
    gate = GATES[name.removesuffix("_mul_backward")]
    return f"near_{name}" if dtype in HALVES and gate in NEAR else name
