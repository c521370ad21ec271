"""What is believed about one scope: a sample of its turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from mongorecall._documents import fields, stored_keywords

TIED_SHARE = 0.2
"""Share of the sampled turns that have another's time, from which reading in the order of time is left be."""


@dataclass(frozen=True, slots=True)
class ScopeTable:
    """A sample of a scope: for each word the set of sampled turns that have it, as bits of an int.

    It decides what is read and never what is found. Memory: 270 to 630 KiB for 576 turns.

    Attributes:
        sampled: number of sampled turns.
        turns: number of turns in the scope when the sample was taken.
        having: word → the set of sampled turns that have it.
        tied: whether many turns have the same time, so that an order of time decides little.
    """

    sampled: int
    turns: int
    having: Mapping[str, int]
    tied: bool = False

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]], stored: int) -> Self | None:
        """The table of sampled documents; None when none of them has keywords.

        Args:
            rows: documents with their keywords and times; those without keywords are markers.
            stored: number of documents in the scope, markers included.
        """
        having: dict[str, int] = {}
        times: set[Any] = set()
        seen = sampled = 0
        for row in rows:
            seen += 1
            words = stored_keywords(row)
            if not words:
                continue
            turn = 1 << sampled
            sampled += 1
            times.add(repr(row.get(fields.TIMESTAMP)))
            for word in words:
                having[word] = having[word] | turn if word in having else turn
        if not sampled:
            return None
        turns = max(sampled, round(stored * sampled / seen))
        return cls(sampled, turns, having, tied=len(times) < (1 - TIED_SHARE) * sampled)

    @property
    def whole(self) -> bool:
        """Whether the sample is the scope: a word that is not in it is nowhere."""
        return self.sampled >= self.turns
