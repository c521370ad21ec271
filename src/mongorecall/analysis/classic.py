"""The seed's rule: NFC, runs of word characters, lower case, stop words, runs of one script."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from mongorecall.analysis._fates import fates_of
from mongorecall.analysis._limits import MAX_QUERY_KEYWORDS, MAX_TOKEN, normalise, pieces, shorten
from mongorecall.analysis._protocol import Extraction, TokenFate
from mongorecall.analysis.stop_words import CLASSIC_STOP_WORDS, fingerprint, read_stop_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_WORDS = re.compile(r"\w+")

_SHORT_TEXT = 16_000
"""Characters up to which a text is split at once."""

_LATIN_BLOCKS = (
    range(0xAA, 0x300),
    range(0x1D00, 0x1DC0),
    range(0x1E00, 0x1F00),
    range(0x2070, 0x20A0),
    range(0x2100, 0x2190),
    range(0x2C60, 0x2C80),
    range(0xA720, 0xA800),
    range(0xAB30, 0xAB70),
    range(0xFB00, 0xFB07),
    range(0xFF21, 0xFF5B),
    range(0x10780, 0x107C0),
    range(0x1DF00, 0x1E000),
)
"""Where letters whose Unicode name begins with LATIN lie; looking only there keeps the first use quick."""


@cache
def _script_runs() -> re.Pattern[str]:
    latin = "".join(
        character
        for block in _LATIN_BLOCKS
        for character in map(chr, block)
        if unicodedata.name(character, "").startswith("LATIN")
    )
    return re.compile(f"[A-Za-z0-9_{latin}]+|[^A-Za-z0-9_{latin}]+")


def _parts(word: str) -> Iterator[str]:
    """The word, then its single-script runs when it mixes Latin and other scripts; in lower case.

    Runs are cut before lower-casing: ``"İ".lower()`` holds a mark that is not Latin.
    """
    yield word.lower()
    if not word.isascii():
        runs = _script_runs().findall(word)
        if len(runs) > 1:
            yield from map(str.lower, dict.fromkeys(runs))


def _add_parts(parts: dict[str, None], normalised: str, enough: int) -> None:
    """Add the parts of all words, in order; no more when there are ``enough``."""
    for word in dict.fromkeys(_WORDS.findall(normalised)):
        parts.update(dict.fromkeys(_parts(word)))
        if len(parts) > enough:
            return


def _normalised(word: str) -> str:
    return normalise(word, "NFC")[0].lower()


@dataclass(frozen=True, slots=True)
class ClassicAnalyzer:
    """The default analyzer; below the caps its keywords equal google-adk's.

    Args:
        stop_words: replaces the English list; each word is normalised as text is.
    """

    stop_words: Collection[str] | None = field(default=None, repr=False)
    _stopped: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = self.stop_words
        words = CLASSIC_STOP_WORDS if given is None else read_stop_words(given, _normalised)
        object.__setattr__(self, "stop_words", words)
        object.__setattr__(self, "_stopped", words)

    @property
    def name(self) -> str:
        """``"classic"``."""
        return "classic"

    @property
    def version(self) -> str:
        """``"1"``, with a fingerprint of the stop words where they are not the default."""
        return "1" if self._stopped == CLASSIC_STOP_WORDS else f"1-{fingerprint(self._stopped)}"

    def keywords(self, text: str, *, cap: int) -> Extraction:
        """See `Analyzer.keywords`. Linear in the text; about 17 µs for 100 words."""
        if len(text) <= _SHORT_TEXT and text.isascii():
            words = set(_WORDS.findall(text.lower())) - self._stopped
            short = len(text) <= MAX_TOKEN or max(map(len, words), default=0) <= MAX_TOKEN
            if short and len(words) <= cap:
                return Extraction(tuple(sorted(words)))
        parts: dict[str, None] = {}
        cut_marks = 0
        enough = cap + len(self._stopped)
        for piece in pieces(text):
            if piece.isascii():
                parts.update(dict.fromkeys(_WORDS.findall(piece.lower())))
            else:
                normalised, cut = normalise(piece, "NFC")
                cut_marks += cut
                _add_parts(parts, normalised, enough)
            if len(parts) > enough:
                break
        return self._extraction(parts, cap, cut_marks)

    def fates(self, text: str, *, cap: int = MAX_QUERY_KEYWORDS) -> list[TokenFate]:
        """See `Analyzer.fates`."""
        return fates_of(text, self._split, cap)

    def _split(self, raw: str) -> tuple[list[str], bool]:
        words = _WORDS.findall(normalise(raw, "NFC")[0])
        parts = [part for word in words for part in _parts(word)]
        return [part for part in parts if part not in self._stopped], bool(words)

    def _extraction(self, parts: dict[str, None], cap: int, cut_marks: int) -> Extraction:
        for word in parts.keys() & self._stopped:
            del parts[word]
        shortened = 0
        if max(map(len, parts), default=0) > MAX_TOKEN:
            shortened = sum(len(word) > MAX_TOKEN for word in parts)
            parts = dict.fromkeys(map(shorten, parts))
        kept = sorted(list(parts)[:cap])
        return Extraction(tuple(kept), capped=len(parts) > cap, shortened=shortened, cut_marks=cut_marks)
