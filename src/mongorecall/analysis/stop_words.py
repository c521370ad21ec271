"""Words that are never keywords: the lists, and how a caller's own list is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection

from mongorecall._checks import as_str, type_name
from mongorecall.errors import InvalidTypeError

CLASSIC_STOP_WORDS = frozenset(
    """
    a an and are as at be but by for from has have how i if in into is it its me my of on or our so that
    the their this to was we what when where which who will with you your
    """.split()  # noqa: SIM905 - reads better than 44 literals
)
"""The English list of google-adk's memory services, word for word: both must index the same keywords."""

ENGLISH_STOP_WORDS = CLASSIC_STOP_WORDS | frozenset(
    """
    about after again all also am any anything because been before being between both can cannot could d did
    didn do does doesn doing don done during each else every few get gets getting give go going gonna got had
    hadn hasn haven having he hello her here hers hey hi him his isn just let ll m maybe more most much must
    no nor not now off oh ok okay only other ours out over own please re really s same shall she should
    some something such sure t tell than thank thanks them then there these they those through too
    under until up us ve very want wanna wasn well were whether while whom whose why won would yeah yes
    yours
    """.split()  # noqa: SIM905 - as above
)
"""The classic list, and the auxiliaries, contraction pieces and chat filler that are missing from it."""


def read_stop_words(value: object, normalised: Callable[[str], str]) -> frozenset[str]:
    """A caller's stop words, each passed through ``normalised``.

    Raises:
        InvalidTypeError: not a collection of ``str``; one single ``str`` is refused as well, since it
            would count as a collection of its letters.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        raise InvalidTypeError(f"stop_words must be a collection of str, got {type_name(value)}")
    return frozenset(normalised(as_str("stop_words: each word", word)) for word in value)


def fingerprint(words: frozenset[str]) -> str:
    """Eight hex digits that stand for a list of words in an analyzer's version."""
    joined = "\0".join(sorted(words)).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=4).hexdigest()
