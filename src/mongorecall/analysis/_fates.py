"""The fate of each raw token, by whatever rule an analyzer has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall.analysis._limits import shorten
from mongorecall.analysis._protocol import Reason, TokenFate

if TYPE_CHECKING:
    from collections.abc import Callable

_SHOWN = 64


def fates_of(
    text: str, candidates: Callable[[str], list[str]], stopped: frozenset[str], cap: int
) -> list[TokenFate]:
    """The fates of the runs between white space; ``candidates`` yields a run's words before stop words."""
    seen: dict[str, None] = {}
    return [_fate(raw, candidates(raw), stopped, seen, cap) for raw in text.split()]


def _fate(raw: str, words: list[str], stopped: frozenset[str], seen: dict[str, None], cap: int) -> TokenFate:
    wanted = dict.fromkeys(shorten(word) for word in words if word not in stopped)
    kept = []
    for word in wanted:
        if word in seen or len(seen) < cap:
            seen[word] = None
            kept.append(word)
    return TokenFate(raw[:_SHOWN], tuple(kept), None if kept else _reason(words, wanted))


def _reason(words: list[str], wanted: dict[str, None]) -> Reason:
    if not words:
        return "no_word_characters"
    return "over_cap" if wanted else "stop_word"
