"""Overlapping pieces of runs in scripts that are written without spaces, or that glue particles to nouns."""

from __future__ import annotations

import re
from operator import add

_HIRAGANA = "\u3041-\u309f"
_HAN_KANA = (
    f"{_HIRAGANA}\u3005-\u3007\u30a1-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_THAI_LIKE = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17dd\ua9e0-\ua9fe\uaa60-\uaa7f"
_HANGUL = "\uac00-\ud7a3"
_ALL = _HAN_KANA + _THAI_LIKE + _HANGUL

GRAMMED = re.compile(f"[{_ALL}]")
"""A character whose runs are cut into grams."""

_RUNS = re.compile(f"[{_HAN_KANA}]+|[{_THAI_LIKE}]+|[{_HANGUL}]+|[^{_ALL}]+")
_IS_HAN_KANA = re.compile(f"[{_HAN_KANA}]")
_IS_HANGUL = re.compile(f"[{_HANGUL}]")
_HIRAGANA_ONLY = re.compile(f"[{_HIRAGANA}]")

_PARTICLES = re.compile(
    "(?:으로부터|로부터|에서부터|이라고|입니다|입니까|이에요|예요|이었|에서는|에게서|한테서|에서|에게|한테|까지|부터"
    "|처럼|보다|마다|조차|마저|이나|이랑|하고|으로|라고|라는|에는|에도|이다|은|는|이|가|을|를|의|에|와|과|도|만|로|나"
    "|랑|야|요)$"
)
"""Korean particles and endings of the copula, longer ones first."""


def runs(token: str) -> dict[str, None]:
    """The distinct runs of one way of writing, in order."""
    return dict.fromkeys(_RUNS.findall(token))


def written_without_spaces(word: str) -> bool:
    """Whether a word has characters of scripts that glue words together."""
    return GRAMMED.search(word) is not None


def grams(run: str) -> dict[str, None]:
    """The distinct keywords of a run that begins with a `GRAMMED` character, in order.

    Han and Kana: bigrams, and single characters but Hiragana. Thai and its like: bigrams and trigrams.
    Hangul: bigrams, and the word without its particle. A run of one character is kept whole.
    """
    if len(run) == 1:
        return {run: None}
    pairs = dict.fromkeys(map(add, run, run[1:]))
    if _IS_HAN_KANA.match(run):
        return pairs | dict.fromkeys(_HIRAGANA_ONLY.sub("", run))
    if _IS_HANGUL.match(run):
        bare = _PARTICLES.sub("", run[-_LONGEST_WORD:])
        return pairs | {bare: None} if bare and len(run) <= _LONGEST_WORD else pairs
    return pairs | dict.fromkeys(map(add, map(add, run, run[1:]), run[2:]))


_LONGEST_WORD = 32
"""Longer runs of Hangul are no words that could bear a particle."""
