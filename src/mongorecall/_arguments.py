"""The arguments of a service's methods and constructor, checked before any I/O; the same for every store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from mongorecall import _checks as checks
from mongorecall.base import Capability
from mongorecall.errors import InvalidInputError, InvalidTypeError
from mongorecall.models import SearchFilters

SHORTEST = timedelta(milliseconds=1)
LONGEST = timedelta(days=36_500)
"""Bounds of ``ttl`` and ``retention``: BSON dates hold milliseconds; a hundred years is forever."""

_RESPONSE = "function_response"


def check_index_parts(value: object) -> frozenset[str]:
    """``index_parts``: ``"text"``, and ``"function_response"`` or ``"function_response:<tool name>"``."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidTypeError(f"index_parts must be a set of str, got {checks.type_name(value)}")
    parts = frozenset(checks.as_str("index_parts", part) for part in value)
    others = parts - {"text", _RESPONSE}
    if "text" not in parts or not all(part.startswith(f"{_RESPONSE}:") for part in others):
        raise InvalidInputError(
            "index_parts must hold 'text' and may hold 'function_response' or 'function_response:<tool name>'"
        )
    return parts


def capabilities_of(*, store_metadata: bool, direct_memories: bool) -> frozenset[Capability]:
    """What a service of ours can do with these options."""
    able: set[Capability] = {"delete", "filters", "list", "report", "score_parts", "ttl"}
    if store_metadata:
        able.add("metadata")
    if direct_memories:
        able.add("add_memory")
    return frozenset(able)


def check_lifetime(name: str, value: object) -> timedelta | None:
    """``ttl`` or ``retention``: a timedelta or seconds, or None."""
    if value is None:
        return None
    return checks.check_duration(name, value, low=SHORTEST, high=LONGEST)


@dataclass(frozen=True, slots=True)
class DirectEvent:
    """A memory entry in the shape of an event."""

    id: Any
    author: Any
    timestamp: Any
    content: Any
    custom_metadata: Mapping[str, Any]
    partial: bool = False


def direct_events(memories: object, *, now: datetime) -> list[DirectEvent]:
    """Memory entries (ours, google-adk's, or of their shape) as events.

    An entry without a time gets ``now``; one without an id gets one derived from its content.

    Raises:
        InvalidTypeError: ``memories`` is not an iterable of entries.
        InvalidInputError: an entry has no content, or a time that is not ISO 8601.
    """
    if isinstance(memories, str | bytes) or not isinstance(memories, Iterable):
        raise InvalidTypeError(f"memories must be an iterable of entries, got {checks.type_name(memories)}")
    return [_direct(index, entry, now) for index, entry in enumerate(memories)]


def _direct(index: int, entry: Any, now: datetime) -> DirectEvent:
    content = getattr(entry, "content", None)
    if content is None:
        raise InvalidInputError(f"memories[{index}] has no content")
    return DirectEvent(
        id=getattr(entry, "id", None) or "",
        author=getattr(entry, "author", None),
        timestamp=_seconds(index, getattr(entry, "timestamp", None), now),
        content=content,
        custom_metadata=getattr(entry, "custom_metadata", None) or {},
    )


def _seconds(index: int, written: object, now: datetime) -> float:
    if written is None:
        return now.timestamp()
    if isinstance(written, str):
        try:
            moment = datetime.fromisoformat(written)
        except ValueError:
            raise InvalidInputError(f"memories[{index}].timestamp is not ISO 8601") from None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return checks.check_number(f"memories[{index}].timestamp", written)


def check_filters(options: Mapping[str, Any]) -> SearchFilters:
    """The filters of a search.

    Raises:
        InvalidTypeError: an option has the wrong type, or there is no such option.
        InvalidInputError: an option is out of bounds, or a time has no offset.
    """
    if not options:
        return _NONE
    for name in options:
        if name not in SearchFilters.OPTIONS:
            raise InvalidTypeError(f"search_memory has no option {name[:64]!r}")
    checked = {name: _CHECKS[name](name, value) for name, value in options.items() if value is not None}
    filters = SearchFilters.model_construct(**checked)
    if filters.since is not None and filters.until is not None and filters.since > filters.until:
        raise InvalidInputError("since must not be after until")
    return filters


def _author(name: str, value: object) -> str:
    return checks.as_str(name, value)


def _moment(name: str, value: object) -> datetime:
    if not isinstance(value, datetime):
        raise InvalidTypeError(f"{name} must be a datetime, got {checks.type_name(value)}")
    if value.utcoffset() is None:
        raise InvalidInputError(f"{name} must have a UTC offset")
    return value


_NONE = SearchFilters()

_CHECKS: dict[str, Callable[[str, object], Any]] = {
    "limit": checks.check_int,
    "session_id": checks.check_id,
    "exclude_session_id": checks.check_id,
    "author": _author,
    "since": _moment,
    "until": _moment,
    "min_score": checks.check_number,
    "score_parts": checks.check_bool,
}
