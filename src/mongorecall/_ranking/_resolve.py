"""The ranking a service's options ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall._checks import type_name
from mongorecall._ranking._protocol import Ranking
from mongorecall._ranking.context import ContextRanking
from mongorecall._ranking.idf import IdfRanking
from mongorecall._ranking.overlap import OverlapRanking
from mongorecall.errors import InvalidInputError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMED: dict[str, Callable[[], Ranking]] = {
    "overlap": OverlapRanking,
    "idf": IdfRanking,
    "context": ContextRanking,
}


def resolve_ranking(ranking: str | Ranking) -> Ranking:
    """The ranking of this name, or the object itself.

    Raises:
        InvalidInputError: no ranking has this name.
        InvalidTypeError: neither a name nor a `Ranking`.
    """
    if isinstance(ranking, str):
        if ranking not in _NAMED:
            names = ", ".join(repr(name) for name in _NAMED)
            raise InvalidInputError(f"ranking must be {names} or an object; no ranking has this name")
        return _NAMED[ranking]()
    if isinstance(ranking, type) or not isinstance(ranking, Ranking):
        raise InvalidTypeError(f"ranking must be a name or a Ranking, got {type_name(ranking)}")
    return ranking
