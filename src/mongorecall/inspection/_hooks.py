"""Where records go: a log, a ring of the latest, counters for Prometheus."""

from __future__ import annotations

import logging
import threading
from bisect import bisect_left
from collections import Counter, deque
from itertools import accumulate
from typing import TYPE_CHECKING

from mongorecall._checks import check_int

if TYPE_CHECKING:
    from mongorecall.inspection._records import Operation, OperationRecord


class LoggingHook:
    """One line a record: INFO, or WARNING when the operation failed."""

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logging.getLogger("mongorecall.inspection") if logger is None else logger

    def __call__(self, record: OperationRecord, /) -> None:
        """Write the line; costs nothing when nobody listens."""
        level = logging.INFO if record.error is None else logging.WARNING
        logger = self._logger
        if logger.isEnabledFor(level):
            # made by hand: the place in the source is this one, and need not be searched for on the stack
            logger.handle(logger.makeRecord(logger.name, level, __file__, 0, record.line(), (), None))


class RingBuffer:
    """The latest records, oldest dropped first. Safe between threads."""

    def __init__(self, capacity: int = 256) -> None:
        self._records: deque[OperationRecord] = deque(maxlen=check_int("capacity", capacity, high=1_000_000))

    def __call__(self, record: OperationRecord, /) -> None:
        """Keep the record."""
        self._records.append(record)

    def __len__(self) -> int:
        return len(self._records)

    def records(self, *, operation: Operation | None = None, key: str | None = None) -> list[OperationRecord]:
        """The records kept, oldest first; only those of one operation or key when asked."""
        return [
            record
            for record in tuple(self._records)
            if operation in (None, record.operation) and key in (None, record.key)
        ]

    def clear(self) -> None:
        """Drop every record."""
        self._records.clear()


_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histogram of durations, in seconds."""


class Counters:
    """Totals since the start, in Prometheus' text format. No key, id or word becomes a label."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._operations: Counter[tuple[str, str]] = Counter()
        self._events: Counter[str] = Counter()
        self._hits = 0
        self._empty = 0
        self._seconds: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}

    def __call__(self, record: OperationRecord, /) -> None:
        """Count the record."""
        seconds = record.ms / 1000
        with self._lock:
            self._operations[record.operation, record.error or "ok"] += 1
            self._seconds[record.operation] += seconds  # type: ignore[assignment]  # a Counter adds floats too
            buckets = self._buckets.setdefault(record.operation, [0] * (len(_BUCKETS) + 1))
            buckets[bisect_left(_BUCKETS, seconds)] += 1
            if record.hits is not None:
                self._hits += record.hits
                self._empty += record.hits == 0
            for name in ("events", "text_events", "stored"):
                self._events[name] += getattr(record, name) or 0

    def text(self) -> str:
        """The totals, one metric a line; ends with a newline."""
        with self._lock:
            lines = [
                "# TYPE mongorecall_operations_total counter",
                *(
                    f'mongorecall_operations_total{{operation="{operation}",outcome="{outcome}"}} {count}'
                    for (operation, outcome), count in sorted(self._operations.items())
                ),
                "# TYPE mongorecall_events_total counter",
                *(f'mongorecall_events_total{{kind="{k}"}} {n}' for k, n in sorted(self._events.items())),
                "# TYPE mongorecall_hits_total counter",
                f"mongorecall_hits_total {self._hits}",
                "# TYPE mongorecall_empty_searches_total counter",
                f"mongorecall_empty_searches_total {self._empty}",
                "# TYPE mongorecall_operation_seconds histogram",
                *(line for operation in sorted(self._buckets) for line in self._histogram(operation)),
            ]
        return "\n".join(lines) + "\n"

    def _histogram(self, operation: str) -> list[str]:
        name, label = "mongorecall_operation_seconds", f'operation="{operation}"'
        sums = list(accumulate(self._buckets[operation]))
        bounds = [*map(str, _BUCKETS), "+Inf"]
        return [
            *(f'{name}_bucket{{{label},le="{bound}"}} {n}' for bound, n in zip(bounds, sums, strict=True)),
            f"{name}_sum{{{label}}} {self._seconds[operation]:.6f}",
            f"{name}_count{{{label}}} {sums[-1]}",
        ]
