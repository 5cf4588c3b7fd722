"""The rows of activations, as in ``expressions``; all are of real floating-point types.

Their Python scalars are numbers of the computed type: float32 for types of 16 bits.
"""

from __future__ import annotations

from collections.abc import Mapping

GATED = ("gelu_erf", "gelu", "relu", "sigmoid", "silu")
# What gelu_mul multiplies is the form with tanh.
_NAMES = {name: "gelu_tanh" if name == "gelu" else name for name in GATED}

ACTIVATIONS: Mapping[str, Mapping[str, str]] = {
    **{
        name: {"f": f"{name}_{{t}}(a)"}
        for name in ("gelu_erf", "gelu_tanh", "relu", "sigmoid", "silu", "softplus")
    },
    "leaky_relu": {"f": "select(b * a, a, a >= T(0))"},
    "elu": {"f": "elu_{t}(a, b)"},
    **{f"{name}_mul": {"f": f"{function}_{{t}}(a) * b"} for name, function in _NAMES.items()},
    # The gradient, then the operands; two results, as the components of a vector.
    **{f"{name}_mul_backward": {"f": f"{name}_mul_backward_{{t}}(a, b, c)"} for name in GATED},
    # x, alpha, beta and eps
    "snake_beta": {"f": "snake_beta_{t}(a, b, c, d)"},
}

WITH_TWO_RESULTS = frozenset(name for name in ACTIVATIONS if name.endswith("_backward"))
