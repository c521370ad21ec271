"""How many turns a scope has, and how many have each keyword: counted on indexes, kept for seconds."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mongorecall._documents.counts import (
    COUNT,
    LABEL,
    Pipeline,
    count_documents,
    count_keyword,
    count_markers,
    joined,
)
from mongorecall._ranking.weights import COUNTED_TURNS, counted_hits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mongorecall.drivers import Operation
    from mongorecall.models import MemoryScope

KEPT_SECONDS: Final = 10.0
"""How long a count is believed while other processes may write. Own writes drop it at once."""

MAX_SCOPES: Final = 256
"""Scopes whose counts are kept; the longest unused is dropped."""

MAX_KEYWORDS: Final = 10_000
"""Keywords of one scope whose counts are kept."""

BATCH: Final = 48
"""Counts joined in one command; the commands of a search run side by side."""


@dataclass(slots=True)
class _Counts:
    """What was counted in one scope, and until when it is believed."""

    until: float
    turns: int | None = None
    hits: dict[str, int] = field(default_factory=dict)


class ScopeCounts:
    """Counts of scopes, believed for `KEPT_SECONDS` from the first of them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._scopes: OrderedDict[MemoryScope, _Counts] = OrderedDict()

    def of(self, scope: MemoryScope) -> _Counts:
        """The counts of a scope, to be read and filled.

        What a search fills in after the scope was dropped goes with the object it holds.
        """
        known = self._scopes.get(scope)
        now = self._clock()
        if known is None or known.until < now or len(known.hits) > MAX_KEYWORDS:
            known = self._scopes[scope] = _Counts(now + KEPT_SECONDS)
        self._scopes.move_to_end(scope)
        if len(self._scopes) > MAX_SCOPES:
            self._scopes.popitem(last=False)
        return known

    @contextmanager
    def changing(self, scope: MemoryScope) -> Iterator[None]:
        """Around a write of this service: what was counted before or meanwhile is believed no more."""
        self._scopes.pop(scope, None)
        try:
            yield
        finally:
            self._scopes.pop(scope, None)


async def count_scope(
    known: _Counts, operation: Operation, collection: str, scope: MemoryScope, keywords: Sequence[str]
) -> tuple[Mapping[str, int], int]:
    """Turns that have each keyword, and turns in all; capped as `weigh` takes them.

    Cost: none when everything is known; else one round trip, of several commands side by side for more
    than `BATCH` keywords.
    """
    wanted = [word for word in keywords if word not in known.hits]
    most = counted_hits(COUNTED_TURNS if known.turns is None else known.turns)
    parts = [count_keyword(scope, word, label=label, most=most) for label, word in enumerate(wanted)]
    if known.turns is None:
        parts.append(count_documents(scope, label=_DOCUMENTS, most=COUNTED_TURNS))
        parts.append(count_markers(scope, label=_MARKERS, most=COUNTED_TURNS))
    counted = await _count(operation, collection, parts)
    known.hits |= {word: counted.get(label, 0) for label, word in enumerate(wanted)}
    if known.turns is None:
        known.turns = max(0, counted.get(_DOCUMENTS, 0) - counted.get(_MARKERS, 0))
    return {word: known.hits[word] for word in keywords}, known.turns


_DOCUMENTS: Final = -1
_MARKERS: Final = -2


async def _count(operation: Operation, collection: str, parts: list[Pipeline]) -> dict[int, int]:
    batches = [parts[at : at + BATCH] for at in range(0, len(parts), BATCH)]
    commands = [{"aggregate": collection, "pipeline": joined(collection, batch)} for batch in batches]
    if len(commands) == 1:
        replies = [await operation.read(commands[0])]
    else:
        replies = await asyncio.gather(*map(operation.read, commands))
    return {row[LABEL]: row[COUNT] for reply in replies for row in reply}
