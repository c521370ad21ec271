"""Memory entries as the turns of an answer: counted always, spelled out when content is shown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mongorecall.errors import UnsupportedError
from mongorecall.fastapi.replies import FoundTurn, Token, Turn

if TYPE_CHECKING:
    from mongorecall.analysis import Analyzer
    from mongorecall.base import BaseMemoryService
    from mongorecall.models import MemoryEntry

SHOWN = 20_000
"""Characters of one turn that are shown and counted; a page of turns must stay readable."""

_TOKEN = re.compile(r"\S+")


def analyzer_of(service: BaseMemoryService) -> Analyzer | None:
    """The rules of the service, or None when it does not tell them."""
    try:
        return service.analyzer
    except UnsupportedError:
        return None


def turn_of(entry: MemoryEntry, analyzer: Analyzer | None, *, content: bool) -> Turn:
    """A remembered turn."""
    return Turn(**_facts(entry, analyzer, content=content, query=()))


def found_turn_of(entry: MemoryEntry, rank: int, analyzer: Analyzer | None, *, content: bool) -> FoundTurn:
    """A turn that a search found, with the words that matched."""
    return FoundTurn(
        **_facts(entry, analyzer, content=content, query=entry.matched_keywords),
        rank=rank,
        score=entry.score,
        matched_keywords=entry.matched_keywords,
        lent_keywords=entry.lent_keywords,
        score_parts=list(entry.score_parts),
    )


def _facts(
    entry: MemoryEntry, analyzer: Analyzer | None, *, content: bool, query: Collection[str]
) -> dict[str, Any]:
    text = entry.content.text
    shown = text[:SHOWN]
    tokens = None if analyzer is None else _tokens(shown, analyzer, frozenset(query))
    return {
        "event_id": entry.id,
        "session_id": entry.session_id,
        "author": entry.author,
        "timestamp": entry.timestamp,
        "characters": len(text),
        **_counts(tokens),
        "text": shown if content else None,
        "tokens": tokens if content else None,
        "cut": content and len(text) > SHOWN,
    }


def _counts(tokens: list[Token] | None) -> dict[str, int | None]:
    if tokens is None:
        return {"words": None, "indexed": None, "stop_words": None}
    reasons = Counter(token.reason for token in tokens)
    return {"words": len(tokens), "indexed": reasons[None], "stop_words": reasons["stop_word"]}


def _tokens(text: str, analyzer: Analyzer, query: frozenset[str]) -> list[Token]:
    """The tokens with the white space before each, so that joining them gives the text again."""
    fates = analyzer.fates(text)
    # The analyzer splits as str.split() does, and so does \S+ but for a few separators; where the two
    # differ, the text is shown as the analyzer's own (shortened) tokens.
    ends = [0, *(match.end() for match in _TOKEN.finditer(text))]
    runs = [text[start:end] for start, end in pairwise(ends)]
    if len(runs) != len(fates):
        runs = [f" {fate.raw}" for fate in fates]
    return [
        Token(
            text=run,
            keywords=list(fate.keywords),
            reason=fate.reason,
            matched=not query.isdisjoint(fate.keywords),
        )
        for run, fate in zip(runs, fates, strict=True)
    ]
