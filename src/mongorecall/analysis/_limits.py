"""Caps against abuse, the same for what is written and for what is asked; below them nothing changes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache
from typing import Literal

MAX_QUERY_KEYWORDS = 1_000
"""Most distinct keywords of a query."""

MAX_EVENT_KEYWORDS = 10_000
"""Most distinct keywords of an event."""

MAX_TOKEN = 1_024
"""Longest keyword in code points; a longer one is indexed as a prefix and a hash of this length."""

MAX_MARKS = 30
"""Longest run of combining marks (the bound of Stream-Safe Text, UAX #15). Unpatched CPython normalises a
run in quadratic time: 160 kB of marks would stop the event loop for 12 seconds."""

Form = Literal["NFC", "NFKC"]

_LAST_MARK = 0x1E94B
_STARTERS_THAT_DECOMPOSE_TO_MARKS = {"NFC": "\u0f73\u0f75\u0f81", "NFKC": "\u0f73\u0f75\u0f81\uff9e\uff9f"}
_DIGEST_BYTES = 16


@cache
def _long_run(form: Form) -> re.Pattern[str]:
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, _LAST_MARK))))
    marks += _STARTERS_THAT_DECOMPOSE_TO_MARKS[form]
    return re.compile(f"([{marks}]{{{MAX_MARKS}}})([{marks}]+)")


def normalise(text: str, form: Form) -> tuple[str, int]:
    """``text`` in ``form``, and how many marks were left out of runs longer than `MAX_MARKS`. Linear."""
    if text.isascii():
        return text, 0
    kept = _long_run(form).sub(r"\1", text) if len(text) > MAX_MARKS else text
    return unicodedata.normalize(form, kept), len(text) - len(kept)


def shorten(word: str) -> str:
    """``word``, or for one over `MAX_TOKEN` its beginning and a hash of the whole, `MAX_TOKEN` long."""
    if len(word) <= MAX_TOKEN:
        return word
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    return word[: MAX_TOKEN - len(digest)] + digest
