"""What a keyword is worth: the rarer in the scope, the more."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from mongorecall._documents import stored_keywords

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mongorecall._ranking._protocol import Document

COUNTED_TURNS: Final = 20_000
"""Turns of a scope are counted no further; a larger scope is weighed as one of this size. Weights hardly move
with it, and it bounds what counting costs."""

COMMON_SHARE: Final = 0.2
"""Keywords in more than this share of the turns are dropped from the query. R@10 on long chats: 74.8 at 0.1,
75.1 at 0.2, 75.3 at 0.3: it is there for the cost."""

COMMON_FLOOR: Final = 20
"""Keywords in this many turns or fewer are never dropped."""

_STEP: Final = 2.0**-20


def exact(weight: float) -> float:
    """``weight`` as a multiple of 2⁻²⁰: such numbers have one sum in any order, here and in MongoDB."""
    return round(weight / _STEP) * _STEP


def counted_hits(turns: int) -> int:
    """Turns of a keyword are counted to this number in a scope of ``turns``: it is common then."""
    return int(max(COMMON_SHARE * min(turns, COUNTED_TURNS), COMMON_FLOOR)) + 1


def weigh(hits: Mapping[str, int], turns: int) -> dict[str, float]:
    """The weights of a query's keywords, by falling weight, then by keyword.

    Keywords without a turn are left out, and so are common ones, unless all are: then all weigh the same.

    Args:
        hits: keyword → turns that have it, counted to `counted_hits` or further.
        turns: turns in the scope, counted to `COUNTED_TURNS`.
    """
    size = min(turns, COUNTED_TURNS)
    most = counted_hits(size)
    found = {word: min(count, most) for word, count in hits.items() if count}
    rare = {word: count for word, count in found.items() if count < most}
    weights = {word: exact(_idf(count, size)) for word, count in (rare or found).items()}
    return dict(sorted(weights.items(), key=lambda pair: (-pair[1], pair[0])))


def _idf(hits: int, turns: int) -> float:
    return math.log(1 + (max(turns - hits, 0) + 0.5) / (hits + 0.5))


def weigh_scope(documents: Sequence[Document], query_keywords: Iterable[str]) -> dict[str, float]:
    """The weights by the documents themselves: every live one of a scope."""
    wanted = frozenset(query_keywords)
    hits = Counter(word for document in documents for word in wanted & stored_keywords(document))
    return weigh(hits, len(documents))
