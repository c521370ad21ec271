"""Records as spans and metrics, by the real SDK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from mongorecall import InMemoryMemoryService
from mongorecall.errors import InvalidInputError
from mongorecall.inspection import InspectingMemoryService
from mongorecall.otel import OpenTelemetryHook
from mongorecall.testing.factories import make_session
from tests.inspection.world import APP, COFFEE, USER

SECRET = b"sixteen bytes or more"


class Telemetry:
    """The SDK with everything kept in memory."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.tracer = TracerProvider()
        self.tracer.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.reader = InMemoryMetricReader()
        self.meter = MeterProvider([self.reader])

    def hook(self, **options: Any) -> OpenTelemetryHook:
        return OpenTelemetryHook(tracer_provider=self.tracer, meter_provider=self.meter, **options)

    def spans(self) -> list[ReadableSpan]:
        return list(self.exporter.get_finished_spans())

    def metrics(self) -> dict[str, Any]:
        """The data points of each metric."""
        data = self.reader.get_metrics_data()
        assert data is not None
        scopes = [scope for resource in data.resource_metrics for scope in resource.scope_metrics]
        return {metric.name: list(metric.data.data_points) for scope in scopes for metric in scope.metrics}


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    """Shut down after the test."""
    found = Telemetry()
    yield found
    found.tracer.shutdown()
    found.meter.shutdown()


async def run(hook: OpenTelemetryHook, **options: Any) -> None:
    """A write, a hit, a refusal and a deletion."""
    memory = InspectingMemoryService(InMemoryMemoryService(), hooks=[hook], **options)
    await memory.add_session(make_session(COFFEE))
    await memory.search_memory(app_name=APP, user_id=USER, query="coffee please")
    with pytest.raises(InvalidInputError):
        await memory.search_memory(app_name="", user_id=USER, query="coffee")
    await memory.delete_user_memory(app_name=APP, user_id=USER)


async def test_operations_are_spans_of_the_convention(telemetry: Telemetry) -> None:
    """Named for the operation, of kind CLIENT, with counts and a time; no id and no content."""
    await run(telemetry.hook(store_id="memories"))

    assert [(span.name, span.kind) for span in telemetry.spans()] == [
        ("upsert_memory", SpanKind.CLIENT),
        ("search_memory", SpanKind.CLIENT),
        ("search_memory", SpanKind.CLIENT),
        ("delete_memory", SpanKind.CLIENT),
    ]
    write, hit, refused, _ = telemetry.spans()
    assert dict(write.attributes or {}) == {
        "gen_ai.operation.name": "upsert_memory",
        "gen_ai.memory.store.id": "memories",
        "gen_ai.memory.record.count": 1,
        "mongorecall.events": 1,
        "mongorecall.text_events": 1,
    }
    assert (hit.attributes or {})["gen_ai.memory.record.count"] == 1
    assert (refused.attributes or {})["error.type"] == "invalid_input"
    assert refused.status.status_code is StatusCode.ERROR
    assert all((span.end_time or 0) >= (span.start_time or 0) > 10**18 for span in telemetry.spans())
    assert not any(word in span.to_json() for span in telemetry.spans() for word in (USER, "s-1", "coffee"))


async def test_ids_are_exported_under_a_keyed_hash_only(telemetry: Telemetry) -> None:
    """The same key has the same hash under one secret, and another under another."""
    await run(telemetry.hook(key_hash=SECRET))
    await run(telemetry.hook(key_hash=SECRET[::-1]))

    hashes = [(span.attributes or {}).get("mongorecall.key.hash") for span in telemetry.spans()]
    assert hashes[0] == hashes[1] == hashes[3] != hashes[4]
    assert not any(USER in span.to_json() for span in telemetry.spans())
    with pytest.raises(InvalidInputError, match="at least 16 bytes"):
        telemetry.hook(key_hash=b"short")


@pytest.mark.parametrize("log_content", [False, True])
@pytest.mark.parametrize("capture_content", [False, True])
async def test_content_needs_both_switches(
    telemetry: Telemetry, log_content: bool, capture_content: bool
) -> None:
    """One at the inspecting service and one at the exporter."""
    await run(telemetry.hook(capture_content=capture_content), log_content=log_content)

    hit = telemetry.spans()[1].attributes or {}
    assert ("gen_ai.memory.query.text" in hit) == (log_content and capture_content)
    assert ("gen_ai.memory.records" in hit) == (log_content and capture_content)


async def test_operations_are_measured(telemetry: Telemetry) -> None:
    """Durations by operation and error, hits of searches, events written."""
    await run(telemetry.hook())

    metrics = telemetry.metrics()
    assert sum(point.count for point in metrics["gen_ai.client.operation.duration"]) == 4
    assert [point.sum for point in metrics["mongorecall.search.hits"]] == [1]
    assert [point.value for point in metrics["mongorecall.write.events"]] == [1]
