"""The layer "extensions": checks of what ``numr_api.extensions`` promises, a module a topic.

They are what is the same on every device: values within units in the last place of exact
references, values at special points, shapes, refusals, that a row alone gives the bits that it
gives among others. Another namespace passes if it offers the same functions under ``extensions``.
"""

from __future__ import annotations

PREFIX = "extensions."  # of the names of checks
TOPICS = (
    "half_types",
    "activation",
    "rows",
    "padding",
    "transform",
    "destination",
    "device",
)
PATHS = {topic: f"{__name__}.{topic}" for topic in TOPICS}
