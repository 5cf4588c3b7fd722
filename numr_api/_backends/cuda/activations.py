"""The rows of activations, as in ``expressions``; those with two results are in ``paired``."""

from __future__ import annotations

# The names of functions whose results are multiplied, and what computes them.
GATES = {
    "gelu": "gelu_tanh",
    "gelu_erf": "gelu_erf",
    "relu": "relu",
    "sigmoid": "sigmoid",
    "silu": "silu",
}

ACTIVATIONS = {
    **{
        name: {"f": f"{name}(a)"}
        for name in ("relu", "sigmoid", "silu", "softplus", "gelu_tanh", "gelu_erf")
    },
    "leaky_relu": {"f": "leaky_relu(a, b)"},
    "elu": {"f": "elu(a, b)"},
    **{f"{name}_mul": {"f": f"{function}(a) * b"} for name, function in GATES.items()},
}
WITH_OPTION = ("leaky_relu", "elu")  # which is not rounded to 16 bits
WITH_TWO_RESULTS = tuple(f"{name}_mul_backward" for name in GATES)
