"""Any script: NFKC, folding, stems, grams for scripts without spaces, identifiers whole and in pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from mongorecall.analysis._fates import fates_of
from mongorecall.analysis._folding import fold, marks_class, prepare
from mongorecall.analysis._grams import GRAMMED, grams, runs
from mongorecall.analysis._identifiers import CONNECTORS, MAX_NAME, pieces, spelling, unsigned
from mongorecall.analysis._limits import MAX_QUERY_KEYWORDS, MAX_TOKEN, shorten
from mongorecall.analysis._protocol import Extraction, TokenFate
from mongorecall.analysis.stemming import Stemmer, resolve_stemmer
from mongorecall.analysis.stop_words import ENGLISH_STOP_WORDS, fingerprint, read_stop_words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

_DIGIT = re.compile(r"\d")


_ASCII_TOKENS = re.compile(r"\w+(?:[-.@]\w+)*(?:(?:\+\+?|#)(?!\w))?", re.ASCII)


@cache
def _tokens() -> re.Pattern[str]:
    """Runs of letters, digits, underscores and marks, held together by connectors; a trailing ++ or #."""
    inside = rf"\w[\w{marks_class()}]*"
    return re.compile(rf"{inside}(?:[{CONNECTORS}]{inside})*(?:(?:\+\+?|#)(?!\w))?")


def _tokens_of(prepared: str) -> dict[str, None]:
    """The distinct tokens, in order."""
    pattern = _ASCII_TOKENS if prepared.isascii() else _tokens()
    return dict.fromkeys(pattern.findall(prepared))


@dataclass(frozen=True, slots=True)
class MultilingualAnalyzer:
    """The recommended analyzer for new projects; texts and queries in any mixture of languages.

    Args:
        stemmer: see `Stemmer`. Words with a digit and whole identifiers are never stemmed.
        stop_words: replaces the English list; each word is folded as text is.
    """

    stemmer: Stemmer = "prefix"
    stop_words: Collection[str] | None = field(default=None, repr=False)
    _stopped: frozenset[str] = field(init=False, repr=False, compare=False)
    _stem: Callable[[str], str] = field(init=False, repr=False, compare=False)
    _label: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = self.stop_words
        words = ENGLISH_STOP_WORDS if given is None else read_stop_words(given, _normalised)
        stem, label = resolve_stemmer(self.stemmer)
        object.__setattr__(self, "stop_words", words)
        object.__setattr__(self, "_stopped", words)
        object.__setattr__(self, "_stem", stem)
        object.__setattr__(self, "_label", label)

    @property
    def name(self) -> str:
        """``"multilingual"``."""
        return "multilingual"

    @property
    def version(self) -> str:
        """Version of the rule and the stemmer, with a fingerprint of stop words that are not the default."""
        own = "" if self._stopped == ENGLISH_STOP_WORDS else f"-{fingerprint(self._stopped)}"
        return f"1-{self._label}{own}"

    def keywords(self, text: str, *, cap: int) -> Extraction:
        """See `Analyzer.keywords`. Linear in the text; about 60 µs for 100 words."""
        prepared, cut_marks = prepare(text)
        found: dict[str, None] = {}
        for token in _tokens_of(prepared):
            found.update(dict.fromkeys(self._keywords_of(token)))
            if len(found) > cap:
                break
        shortened = sum(len(word) > MAX_TOKEN for word in found) if len(prepared) > MAX_TOKEN else 0
        if shortened:
            found = dict.fromkeys(map(shorten, found))
        kept = sorted(list(found)[:cap])
        return Extraction(tuple(kept), capped=len(found) > cap, shortened=shortened, cut_marks=cut_marks)

    def fates(self, text: str, *, cap: int = MAX_QUERY_KEYWORDS) -> list[TokenFate]:
        """See `Analyzer.fates`."""
        return fates_of(text, self._split, cap)

    def _split(self, raw: str) -> tuple[list[str], bool]:
        tokens = _tokens_of(prepare(raw)[0])
        return [word for token in tokens for word in self._keywords_of(token)], bool(tokens)

    def _keywords_of(self, token: str) -> Iterable[str]:
        if token.isascii():
            if not (token.isalpha() and (token[1:].islower() or token.isupper())):
                return self._keywords_of_name(token)
            plain = token.lower()
            return () if plain in self._stopped else (self._stem(plain),)
        if not GRAMMED.search(token):
            return self._keywords_of_name(token)
        return (
            word
            for run in runs(token)
            for word in (
                grams(run).keys() - self._stopped if GRAMMED.match(run) else self._keywords_of_name(run)
            )
        )

    def _keywords_of_name(self, token: str) -> list[str]:
        """An identifier whole, in pieces, and as the plain word it is when written run together."""
        name = unsigned(token)
        found = pieces(name)
        if len(found) == 1:
            own = [token.casefold()] if name != token else []
            return own if own and len(name) == 1 else own + self._keywords_of_word(found[0])
        words = [word for piece in dict.fromkeys(found) for word in self._keywords_of_word(piece)]
        if not found or len(name) > MAX_NAME:
            return words
        whole = fold(spelling(name, found))
        return [*words, whole, self._stem(whole)] if whole.isalpha() else [*words, whole]

    def _keywords_of_word(self, word: str) -> list[str]:
        plain = word.casefold()
        folded = fold(plain)
        if not folded or folded in self._stopped:
            return []
        return [folded if _DIGIT.search(folded) else self._stem(plain)]


def _normalised(word: str) -> str:
    return fold(prepare(word)[0].casefold())
