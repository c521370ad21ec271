"""Words that were said where no text is read: tool calls and results, thoughts, state, streaming chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from mongorecall.analysis import MAX_EVENT_KEYWORDS

if TYPE_CHECKING:
    from mongorecall.analysis import Analyzer

_MOST_CHARACTERS = 200_000
_MOST_VALUES = 20_000


def words_outside_text(event: Any, analyzer: Analyzer) -> frozenset[str]:
    """Keywords of everything in an event that is not visible text; of all of it for a streaming chunk."""
    whole = bool(_field(event, "partial"))
    parts = _field(_field(event, "content"), "parts")
    values = parts if isinstance(parts, list | tuple) else ()
    return words_of([part if whole else _without_visible_text(part) for part in values], analyzer)


def words_of(values: Any, analyzer: Analyzer) -> frozenset[str]:
    """Keywords of the texts and numbers in nested values; the first 200,000 characters."""
    held: list[str] = []
    size = 0
    for text in _texts(values):
        held.append(text)
        size += len(text)
        if size > _MOST_CHARACTERS or len(held) > _MOST_VALUES:
            break
    return frozenset(analyzer.keywords(" ".join(held)[:_MOST_CHARACTERS], cap=MAX_EVENT_KEYWORDS).keywords)


def _without_visible_text(part: Any) -> Any:
    if _field(part, "thought"):
        return _values(part)
    values = _values(part)
    return {name: value for name, value in values.items() if name != "text"}


def _values(part: Any) -> dict[str, Any]:
    if isinstance(part, BaseModel):
        return part.model_dump(exclude_none=True)
    if isinstance(part, Mapping):
        return dict(part)
    return dict(getattr(part, "__dict__", {}))


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _texts(values: Any) -> Iterator[str]:
    """Texts and numbers, depth first; names of fields and binary data are left out."""
    pending = [values]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, bool) or value is None:
            continue
        elif isinstance(value, int | float):
            yield str(value)
        elif isinstance(value, Mapping):
            pending.extend(reversed(list(value.values())))
        elif isinstance(value, list | tuple | set | frozenset):
            pending.extend(reversed(list(value)))
        elif isinstance(value, BaseModel):
            pending.append(value.model_dump(exclude_none=True))
