"""Records of inspection as OpenTelemetry spans and metrics, by the GenAI memory convention.

Needs the extra ``otel``. Content is never exported unless asked for twice: here and at the inspecting
service. Ids are exported only under a keyed hash.

>>> memory = InspectingMemoryService(service, hooks=[OpenTelemetryHook(key_hash=secret)])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from mongorecall.errors import InvalidInputError
from mongorecall.inspection import Operation, hash_id

try:
    from opentelemetry import metrics, trace
    from opentelemetry.trace import SpanKind, Status, StatusCode
except ModuleNotFoundError as error:  # pragma: no cover - told apart by the message
    raise ModuleNotFoundError(
        "mongorecall.otel needs OpenTelemetry: pip install 'mongorecall[otel]'", name=error.name
    ) from None

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from mongorecall.inspection import OperationRecord

OPERATION_NAME: Final[Mapping[Operation, str]] = {
    "write": "upsert_memory",
    "search": "search_memory",
    "delete": "delete_memory",
    "restore": "update_memory",
    "list": "list_memory",
    "count": "count_memory",
    "export": "export_memory",
}
"""The convention's name of each operation; it has none for the last three."""

_SHORTEST_SECRET = 16


class OpenTelemetryHook:
    """An `InspectionHook` that ends one span for each operation and counts it.

    The span is named for the operation, has the kind CLIENT, begins and ends with the operation and is a
    child of the span that is current at its end. Metrics: ``gen_ai.client.operation.duration`` in
    seconds, ``mongorecall.search.hits``, ``mongorecall.write.events``.

    Args:
        store_id: a name for the store, such as ``"memories"``; exported as ``gen_ai.memory.store.id``.
        key_hash: a secret of at least 16 bytes; with it the key and the session are exported under its
            hash. Without it no id is exported.
        capture_content: export the query and texts that the records hold; they hold some only when the
            inspecting service was made with ``log_content=True``.
        tracer_provider: the global one when None.
        meter_provider: the global one when None.
    """

    def __init__(
        self,
        *,
        store_id: str | None = None,
        key_hash: bytes | None = None,
        capture_content: bool = False,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        if key_hash is not None and len(key_hash) < _SHORTEST_SECRET:
            raise InvalidInputError(f"key_hash must be at least {_SHORTEST_SECRET} bytes")
        self._store_id = store_id
        self._key_hash = key_hash
        self._capture_content = capture_content
        self._tracer = trace.get_tracer("mongorecall", tracer_provider=tracer_provider)
        meter = metrics.get_meter("mongorecall", meter_provider=meter_provider)
        self._duration = meter.create_histogram(
            "gen_ai.client.operation.duration", unit="s", description="Duration of memory operations."
        )
        self._hits = meter.create_histogram(
            "mongorecall.search.hits", unit="{memory}", description="Memories returned by a search."
        )
        self._events = meter.create_counter(
            "mongorecall.write.events", unit="{event}", description="Events given to be remembered."
        )

    def __call__(self, record: OperationRecord, /) -> None:
        """Export the record."""
        name = OPERATION_NAME[record.operation]
        labels: dict[str, Any] = {"gen_ai.operation.name": name}
        if record.error is not None:
            labels["error.type"] = record.error
        started_ns = int(record.started * 1e9)
        span = self._tracer.start_span(
            name,
            kind=SpanKind.CLIENT,
            attributes=labels | self._attributes(record),
            start_time=started_ns,
        )
        if record.error is not None:
            span.set_status(Status(StatusCode.ERROR))
        span.end(started_ns + int(record.ms * 1e6))
        self._measure(record, labels)

    def _attributes(self, record: OperationRecord) -> dict[str, Any]:
        counts = {
            "gen_ai.memory.store.id": self._store_id,
            "gen_ai.memory.record.count": _first(record.hits, record.stored, record.memories),
            "mongorecall.events": record.events,
            "mongorecall.text_events": record.text_events,
            "mongorecall.query.tokens": record.tokens,
            "mongorecall.query.keywords": record.keywords,
        }
        found = {**counts, **self._ids(record), **self._content(record)}
        return {name: value for name, value in found.items() if value is not None}

    def _ids(self, record: OperationRecord) -> dict[str, Any]:
        if self._key_hash is None:
            return {}
        session = record.session
        return {
            "mongorecall.key.hash": hash_id(self._key_hash, record.key),
            "mongorecall.session.hash": None if session is None else hash_id(self._key_hash, session),
        }

    def _content(self, record: OperationRecord) -> dict[str, Any]:
        if not self._capture_content:
            return {}
        return {"gen_ai.memory.query.text": record.query, "gen_ai.memory.records": record.texts}

    def _measure(self, record: OperationRecord, labels: Mapping[str, Any]) -> None:
        self._duration.record(record.ms / 1000, labels)
        if record.hits is not None:
            self._hits.record(record.hits)
        if record.events:
            self._events.add(record.events)


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
