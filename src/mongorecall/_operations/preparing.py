"""Events → what is to be written, without holding the event loop for long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread

from mongorecall._checks import type_name
from mongorecall._documents import Failed, Prepared, Skipped, plain_event, prepare
from mongorecall._operations.store import Store
from mongorecall.analysis import MAX_QUERY_KEYWORDS, Extraction
from mongorecall.errors import InvalidTypeError
from mongorecall.models import MemoryScope, Metadata

Outcome = Prepared | Skipped | Failed

LONG_TEXT = 20_000
"""Characters beyond which a text is split in a worker thread: about 3 ms of work."""

_SLICE_SECONDS = 0.010
"""How long events are prepared before the event loop gets its turn."""


@dataclass(frozen=True, slots=True)
class Addition:
    """The arguments of one add, checked."""

    scope: MemoryScope
    session_id: str
    metadata: Metadata | None = None
    ttl: timedelta | None = None
    """How long these memories live; the service's retention when None."""


def as_list(events: Any) -> list[Any]:
    """The events of a call as a list of its own, so that nothing can change it meanwhile."""
    if isinstance(events, str | bytes) or not isinstance(events, Iterable):
        raise InvalidTypeError(f"events must be an iterable of events, got {type_name(events)}")
    return list(events)


def distinct_ids(events: Sequence[Any]) -> list[str] | None:
    """The id of each event, or None where one has none or two share one: then they depend on each other."""
    try:
        ids = [event.id for event in events]
    except Exception:  # noqa: BLE001 - runs code of the caller's objects; `prepare` tells what is wrong
        return None
    proper = all(type(event_id) is str and event_id for event_id in ids)
    return ids if proper and len(set(ids)) == len(ids) else None


async def prepare_all(
    store: Store, addition: Addition, events: Sequence[Any], *, expires_at: datetime | None, first: int = 0
) -> list[Outcome]:
    """Each event ready to be written, skipped or failed, in the order given; ``first`` is the place of the
    first one in the call."""
    prepared: list[Outcome] = []
    until = time.perf_counter() + _SLICE_SECONDS
    usual = expires_at is None and addition.metadata is None
    for index, event in enumerate(events, first):
        known = _prepare_usual(store, addition, index, event) if usual else None
        prepared.append(known or await _prepare_any(store, addition, index, event, expires_at))
        if time.perf_counter() > until:
            await anyio.lowlevel.checkpoint()
            until = time.perf_counter() + _SLICE_SECONDS
    return prepared


def _prepare_usual(store: Store, addition: Addition, index: int, event: Any) -> Outcome | None:
    """An event that is nothing but a short text, prepared here or before; None for any other."""
    plain = plain_event(event)
    if plain is None or sum(map(len, plain.texts)) > LONG_TEXT:
        return None
    return store.prepared.get(plain, index=index, scope=addition.scope, session_id=addition.session_id)


async def _prepare_any(
    store: Store, addition: Addition, index: int, event: Any, expires_at: datetime | None
) -> Outcome:
    job = _job(store, addition, index, event, expires_at)
    return await anyio.to_thread.run_sync(job) if _is_heavy(event) else job()


async def query_keywords(store: Store, query: str) -> Extraction:
    """The keywords of a query, at most `MAX_QUERY_KEYWORDS`."""
    if len(query) <= LONG_TEXT:
        return store.analyzer.keywords(query, cap=MAX_QUERY_KEYWORDS)
    return await anyio.to_thread.run_sync(lambda: store.analyzer.keywords(query, cap=MAX_QUERY_KEYWORDS))


def _job(
    store: Store, addition: Addition, index: int, event: Any, expires_at: datetime | None
) -> Callable[[], Outcome]:
    return lambda: prepare(
        event,
        index=index,
        scope=addition.scope,
        session_id=addition.session_id,
        analyzer=store.analyzer,
        metadata=addition.metadata,
        expires_at=expires_at,
        index_parts=store.options.index_parts,
    )


def _is_heavy(event: Any) -> bool:
    """Whether an event may take long: a long text, or parts that are no text and so of any size."""
    parts = getattr(getattr(event, "content", None), "parts", None)
    if not isinstance(parts, list | tuple):
        return False  # told by `prepare`
    lengths = [_length(getattr(part, "text", None)) for part in parts]
    return sum(lengths) > LONG_TEXT


def _length(text: Any) -> int:
    return len(text) if isinstance(text, str) else LONG_TEXT + 1
