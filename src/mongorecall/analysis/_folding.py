"""One spelling for what readers take as the same word: compatibility forms, case, accents, vowel points."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from mongorecall.analysis._limits import normalise

_IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Default_Ignorable_Code_Point: characters without a shape, such as soft hyphens and joiners."""

_WORD = re.compile(r"\w+")

_LETTERS = str.maketrans(
    {
        "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d",
        "\u0640": "", "ى": "ي", "ة": "ه", "ی": "ي", "ک": "ك",
    }
)  # fmt: skip
"""Letters that are variants of others without a decomposition; the last row is Arabic and Persian."""

_KEPT_MARKS = "\u0306"
"""й keeps its breve: in Russian it is a letter of its own, unlike the dots of ё."""

_POINTED = re.compile(
    # a letter of a script whose marks are optional in writing (Latin, Greek, Cyrillic, Hebrew, Arabic),
    # then its marks
    "([A-Za-zª-ʯͰ-ϿЀ-ԯ֐-ۿݐ-ݿ])([\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]+)"
)
"""Scripts outside it (Devanagari, Thai, Tamil, …) keep their marks, which are vowels."""


def prepare(text: str) -> tuple[str, int]:
    """NFKC without ignorable characters, case kept; and how many marks of over-long runs were left out."""
    if text.isascii():
        return text, 0
    return normalise(_IGNORABLE.sub("", text), "NFKC")


def fold(word: str) -> str:
    """A case-folded word without accents, vowel points and letter variants."""
    if word.isascii():
        return word
    bare = _POINTED.sub(_bare, unicodedata.normalize("NFD", word.translate(_LETTERS)))
    return unicodedata.normalize("NFC", bare)


def _bare(match: re.Match[str]) -> str:
    letter, marks = match.groups()
    return letter + _KEPT_MARKS if letter in "иИ" and _KEPT_MARKS in marks else letter


def plain_words(text: str) -> frozenset[str]:
    """The words of a text in lower case, NFKC, not stemmed: for comparing names."""
    return frozenset(_WORD.findall(prepare(text)[0].casefold()))


@cache
def marks_class() -> str:
    """Every combining mark, for use inside a character class of a pattern."""
    return "".join(
        character
        for character in map(chr, range(0x300, 0x1E94B))
        if unicodedata.category(character)[0] == "M"
    )
