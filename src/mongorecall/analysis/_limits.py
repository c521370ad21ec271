"""Caps against abuse, the same for what is written and for what is asked; below them nothing changes."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
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

_SPACE = re.compile(r"\s")
_LAST_MARK = 0x1E94B
_STARTERS_THAT_DECOMPOSE_TO_MARKS = {"NFC": "\u0f73\u0f75\u0f81", "NFKC": "\u0f73\u0f75\u0f81\uff9e\uff9f"}
_DIGEST_BYTES = 16


@cache
def _long_run(form: Form) -> re.Pattern[str]:
    marks = _marks(form)
    # begins with a set and not with a repeat or group, so that the search skips other characters at once
    return re.compile(f"[{marks}][{marks}]{{{MAX_MARKS},}}")


@cache
def _maybe_long_run(form: Form) -> re.Pattern[str]:
    """Takes every character beyond the basic plane for a mark: the set is then one table and one range,
    and a text is looked through a hundred times as fast."""
    coarse = "".join(mark for mark in _marks(form) if mark <= "\uffff") + "\U00010000-\U0010ffff"
    return re.compile(f"[{coarse}][{coarse}]{{{MAX_MARKS},}}")


def _marks(form: Form) -> str:
    combining = filter(unicodedata.combining, map(chr, range(0x300, _LAST_MARK)))
    return "".join(combining) + _STARTERS_THAT_DECOMPOSE_TO_MARKS[form]


def _cut(run: re.Match[str]) -> str:
    return run.group()[:MAX_MARKS]


def normalise(text: str, form: Form) -> tuple[str, int]:
    """``text`` in ``form``, and how many marks were left out of runs longer than `MAX_MARKS`. Linear."""
    if text.isascii():
        return text, 0
    kept = text
    if len(text) > MAX_MARKS and _maybe_long_run(form).search(text):
        kept = _long_run(form).sub(_cut, text)
    return unicodedata.normalize(form, kept), len(text) - len(kept)


def pieces(text: str, size: int = 16_000) -> Iterator[str]:
    """``text`` in pieces of about ``size`` characters, cut where white space begins, so that no word is.

    One call of `re` or `unicodedata` holds the interpreter's lock to its end; over a piece that is a
    millisecond or two. A longer run without white space stays whole.
    """
    start = 0
    while len(text) - start > size:
        gap = _SPACE.search(text, start + size)
        if gap is None:
            break
        yield text[start : gap.start()]
        start = gap.start()
    yield text[start:] if start else text


def shorten(word: str) -> str:
    """``word``, or for one over `MAX_TOKEN` its beginning and a hash of the whole, `MAX_TOKEN` long."""
    if len(word) <= MAX_TOKEN:
        return word
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).hexdigest()
    return word[: MAX_TOKEN - len(digest)] + digest
