"""The fate of each raw token, by whatever rule an analyzer has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall.analysis._limits import shorten
from mongorecall.analysis._protocol import Reason, TokenFate

if TYPE_CHECKING:
    from collections.abc import Callable

_SHOWN = 64


def fates_of(text: str, split: Callable[[str], tuple[list[str], bool]], cap: int) -> list[TokenFate]:
    """The fates of the runs between white space.

    ``split`` gives a run's keywords, and whether it has word characters at all.
    """
    seen: dict[str, None] = {}
    return [_fate(raw, *split(raw), seen, cap) for raw in text.split()]


def _fate(raw: str, words: list[str], has_words: bool, seen: dict[str, None], cap: int) -> TokenFate:
    kept = []
    for word in dict.fromkeys(map(shorten, words)):
        if word in seen or len(seen) < cap:
            seen[word] = None
            kept.append(word)
    return TokenFate(raw[:_SHOWN], tuple(kept), None if kept else _reason(words, has_words))


def _reason(words: list[str], has_words: bool) -> Reason:
    if not has_words:
        return "no_word_characters"
    return "over_cap" if words else "stop_word"
