"""The promised ratios, in one place: by section, size and kind, for the default and the recency index."""

from __future__ import annotations

from tests.benchmarks.corpus import MULTI
from tests.benchmarks.measuring import DEFAULT, MOTOR, RECENCY

Pair = tuple[float, float]

_WARM: dict[str, dict[str, Pair]] = {
    "100": {"*": (1.3, 1.3)},
    MULTI: {"*": (1.3, 1.3)},
    "1000": {"skewed 6": (1.7, 2.2), "*": (1.15, 1.15)},
    "10000": {
        "skewed 6": (6, 10),
        "six common": (2.2, 2.7),
        "30-word": (2.5, 2.5),
        "stop-filtered 30": (1.3, 1.3),
        "stop-filtered 6": (1.1, 1.5),
        "flat 6": (1.05, 1.3),
        "*": (1.05, 1.1),
    },
    "100000": {
        "skewed 6": (14, 35),
        "six common": (3.5, 6),
        "30-word": (2.7, 3),
        "stop-filtered 30": (1.8, 1.8),
        "stop-filtered 6": (1.5, 2.5),
        "flat 6": (1.25, 1.6),
        "one": (1.9, 15),
        "*": (1.05, 1.1),
    },
}
_WARM["1000000"] = _WARM["100000"]

_DELAY: dict[str, dict[str, Pair]] = {
    "100000": {"skewed 6": (7, 10), "six common": (2.7, 3.7), "stop-filtered 6": (1.35, 1.6), "*": (1, 1)},
    "*": {"*": (1, 1)},
}

_OTHERS: dict[tuple[str, str, str], Pair] = {
    ("real text", "10000", "total"): (1.8, 2.2),
    ("real text", "100000", "total"): (2.8, 4),
    ("real text", "*", "10th percentile"): (0.9, 0.9),
    ("real text", "*", "worst"): (0.7, 0.7),
    ("ingestion", "1", "new"): (1.1, 1.1),
    ("ingestion", "*", "new"): (1.4, 1.4),
    ("ingestion", "200", "re-added"): (3, 3),
    ("ingestion", "200", "growing"): (4, 4),
    ("order of writes", "*", "new"): (0.9, 0.9),
    ("order of writes", "*", "changed"): (0.9, 0.9),
    ("concurrency", "*", "throughput"): (1.7, 1.7),
    ("concurrency", "*", "p99"): (2, 2),
    ("concurrency", "*", "loop lag p99"): (5, 5),
    ("concurrency +20 ms", "*", "throughput"): (2.3, 2.3),
    ("concurrency +20 ms", "*", "p99"): (2, 2),
}
_MOTOR: dict[tuple[str, str], float] = {
    ("concurrency", "throughput"): 1.4,
    ("concurrency", "p99"): 1.3,
    ("concurrency +20 ms", "throughput"): 1.4,
    ("concurrency +20 ms", "p99"): 1.3,
}
_NOT_BELOW = 0.95
"""Motor everywhere, a cold scope everywhere, and queries that match nothing."""


def bar(section: str, size: str, kind: str, variant: str) -> float | None:
    """The ratio that is promised; None where nothing is."""
    if variant == MOTOR:
        return _MOTOR.get((section, kind), _NOT_BELOW if section in {"warm", "ingestion"} else None)
    if section == "cold" or (section == "warm" and kind == "none"):
        return _NOT_BELOW
    if section in {"warm", "delay"}:
        table = _WARM if section == "warm" else _DELAY
        kinds = table.get(size) or table.get("*", {})
        pair = kinds.get(kind) or kinds.get("*")
    else:
        pair = _OTHERS.get((section, size, kind)) or _OTHERS.get((section, "*", kind))
    if pair is None:
        return None
    return pair[{DEFAULT: 0, RECENCY: 1}[variant]]
