"""Train a gated network to read handwritten digits: its gate is one kernel, and so its gradient.

The network is ``softmax((silu(x @ gate) * (x @ up)) @ down)``. ``silu_mul`` computes the gate and
``silu_mul_backward`` the gradients of both of its inputs, each in one pass over memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import numr_api as xp
from numr_api.extensions import log_softmax, silu_mul, silu_mul_backward, softmax

WIDTH, STEPS, RATE = 64, 60, 0.5


def step(x: Any, labels: Any, gate: Any, up: Any, down: Any) -> tuple[float, list[Any]]:
    """The mean loss of a batch, and the weights after a step of gradient descent.

    Arguments:
        x: pixels, of shape (batch, pixels).
        labels: 1 for the digit that is shown and 0 for the others, of shape (batch, 10).
        gate, up, down: weights, of shapes (pixels, width), (pixels, width) and (width, 10).
    """
    a, b = x @ gate, x @ up
    hidden = silu_mul(a, b)
    scores = hidden @ down
    loss = -xp.sum(labels * log_softmax(scores)) / x.shape[0]
    grad = (softmax(scores) - labels) / x.shape[0]
    grad_a, grad_b = silu_mul_backward(grad @ down.T, a, b)
    gradients = x.T @ grad_a, x.T @ grad_b, hidden.T @ grad
    weights = zip((gate, up, down), gradients, strict=True)
    return float(loss), [weight - RATE * gradient for weight, gradient in weights]


def main() -> None:
    """Print the loss on the way, and how many digits that were not trained with are read."""
    digits = load_digits()
    pixels = xp.asarray(digits.data / 16, dtype=xp.float32)
    labels = xp.asarray(np.eye(10)[digits.target], dtype=xp.float32)
    random = np.random.default_rng(0)
    shapes = (64, WIDTH), (64, WIDTH), (WIDTH, 10)
    weights: list[Any] = [
        xp.asarray(random.standard_normal(shape) / shape[0] ** 0.5, dtype=xp.float32)
        for shape in shapes
    ]
    trained = 1500
    for number in range(STEPS):
        loss, weights = step(pixels[:trained, :], labels[:trained, :], *weights)
        if number % 20 == 0:
            print(f"step {number}: loss {loss:.3f}")
    gate, up, down = weights
    scores = silu_mul(pixels[trained:, :] @ gate, pixels[trained:, :] @ up) @ down
    found = xp.argmax(scores, axis=1) == xp.argmax(labels[trained:, :], axis=1)
    print(f"digits read: {float(xp.mean(xp.astype(found, xp.float32))):.1%}")


if __name__ == "__main__":
    main()
