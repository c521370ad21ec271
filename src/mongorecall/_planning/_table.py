"""What is believed about one scope: a sample of its turns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScopeTable:
    """A sample of a scope: for each word the set of sampled turns that have it, as bits of an int.

    Attributes:
        sampled: number of sampled turns.
        turns: number of turns in the scope when the sample was taken.
        having: word to the set of sampled turns that have it.
    """

    sampled: int
    turns: int
    having: dict[str, int]
