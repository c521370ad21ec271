"""What a log of memory lines says by itself: who wrote where, and who searched where. Pure.

Reads the lines of `InspectingMemoryService` and of google-adk's trace plugin, whatever stands before
``memory.write``, ``memory.search``, ``memory.query`` or ``memory.tool`` on a line.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mongorecall.inspection._near_keys import key_difference

_LINE = re.compile(r"\bmemory\.(write|search|query|tool)\s+(\S.*)$")
_DECODER = json.JSONDecoder()
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class TracedSearch:
    """A search or question of the log; ``query`` is None where the log holds no content."""

    key: str
    hits: int | None
    query: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class TraceLog:
    """The story of a log.

    Attributes:
        written: text events written, by key.
        searches: the searches in order.
        asked: how often the model or the runtime asked memory (``memory.query``).
    """

    written: Mapping[str, int]
    searches: tuple[TracedSearch, ...]
    asked: int

    def missed_keys(self) -> dict[str, int]:
        """Keys that were searched without a hit, and how often."""
        return dict(Counter(search.key for search in self.searches if search.hits == 0))

    def findings(self) -> tuple[str, ...]:
        """What the lines prove on their own; the likeliest cause of each key first."""
        found = [self._of_key(key, count) for key, count in list(self.missed_keys().items())[:_SHOWN]]
        if not self.searches and not self.asked:
            found.append(
                "no search and no question in the log: the agent has no memory tool, or the model did not "
                "call it; that is a matter of its tools and instruction, not of memory"
            )
        return tuple(found)

    def _of_key(self, key: str, count: int) -> str:
        if not any(self.written.values()):
            return f"{key}: {count} searches without a hit, and no write line at all: memory is never written"
        if self.written.get(key):
            return f"{key}: {count} searches without a hit although {self.written[key]} events were written"
        near = [other for other, events in self.written.items() if events and _alike(key, other)]
        others = ", ".join((near or [other for other, events in self.written.items() if events])[:5])
        return f"{key}: {count} searches without a hit, and no write line names this key; written: {others}"


def read_trace(lines: Iterable[str]) -> TraceLog:
    """Take the memory lines out of a log; other lines are left alone."""
    written: Counter[str] = Counter()
    searches: list[TracedSearch] = []
    asked = 0
    for line in lines:
        found = _LINE.search(line.rstrip("\n"))
        if found is None:
            continue
        values = _values(found[2])
        key, event = str(values.get("key", "")), found[1]
        if event == "write":
            written[key] += _count(values.get("text_events"))
        elif event == "search":
            searches.append(TracedSearch(key, _count(values.get("hits")), values.get("query")))
        elif event == "query":
            asked += 1
            if "q" in values:
                searches.append(TracedSearch(key, None, str(values["q"])))
    return TraceLog(dict(written), tuple(searches), asked)


def _values(text: str) -> dict[str, Any]:
    """``name=value`` pairs; a value is a JSON value or a bare word."""
    values: dict[str, Any] = {}
    rest = text.strip()
    while "=" in rest:
        name, _, rest = rest.partition("=")
        try:
            value, end = _DECODER.raw_decode(rest)
        except ValueError:
            value, end = None, 0
        if not end or rest[end : end + 1].strip():  # a bare word, or one that begins like JSON: 42/app
            value = rest.split(" ", 1)[0]
            end = len(value)
        values[name.strip()] = value
        rest = rest[end:].lstrip()
    return values


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | str) and str(value).isdigit() else 0


def _alike(key: str, other: str) -> bool:
    asked, _, user = key.partition("/")
    app, _, other_user = other.partition("/")
    return key_difference((asked, user), (app, other_user)) is not None
