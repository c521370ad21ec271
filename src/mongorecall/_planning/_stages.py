"""The stages that every plan is made of: what matches, its score, the order, and what travels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mongorecall._documents import fields, search_filter
from mongorecall._planning._request import SearchRequest

Stage = dict[str, Any]
Pipeline = list[Stage]

_STORED: Final = {
    "$cond": [{"$isArray": f"${fields.KEYWORDS}"}, f"${fields.KEYWORDS}", [f"${fields.KEYWORDS}"]]
}
"""The keywords of a document; a string counts as a list of one. Only these two can match a keyword."""

_ORDER: Final = {fields.SCORE: -1, fields.TIMESTAMP: -1, fields.ID: 1}


def matches(request: SearchRequest, clause: Stage) -> Stage:
    """The filter of a search with ``clause`` in place of its keywords. `clause` must not name its fields."""
    return {**search_filter(request.scope, None, request.filters, request.now), **clause}


def having(words: Sequence[str]) -> Stage:
    """Documents with at least one of ``words``."""
    return {fields.KEYWORDS: {"$eq": words[0]} if len(words) == 1 else {"$in": list(words)}}


def matched(words: Sequence[str]) -> Stage:
    """An expression: which of ``words`` a document has."""
    return {"$setIntersection": [_STORED, {"$literal": list(words)}]}


def scored(request: SearchRequest) -> Pipeline:
    """Set ``score``, and cut ``keywords`` to those of the query, which also are what travels."""
    words = request.keywords
    return [
        {"$addFields": {fields.KEYWORDS: matched(words)}},
        {"$addFields": {fields.SCORE: _score(words, request.weights)}},
    ]


def _score(words: Sequence[str], weights: Mapping[str, float] | None) -> Stage:
    """The score from keywords that are cut to ``words``."""
    if weights is None:
        return {"$size": f"${fields.KEYWORDS}"}
    if len(distinct := {weights[word] for word in words}) == 1:
        return {"$multiply": [{"$size": f"${fields.KEYWORDS}"}, distinct.pop()]}
    place = {"$indexOfArray": [{"$literal": list(words)}, "$$word"]}
    of_word = {"$arrayElemAt": [{"$literal": [weights[word] for word in words]}, place]}
    return {"$sum": {"$map": {"input": f"${fields.KEYWORDS}", "as": "word", "in": of_word}}}


def scored_alike(request: SearchRequest, value: float) -> Pipeline:
    """`scored` for rows that are known to score ``value``."""
    words = request.keywords
    kept: Any = {"$literal": list(words)} if len(words) == 1 else matched(words)
    return [{"$addFields": {fields.KEYWORDS: kept, fields.SCORE: {"$literal": value}}}]


def between(low: float, high: float | None) -> Pipeline:
    """Keep the rows with ``low <= score < high``; nothing to do for a ``low`` of 0 without ``high``."""
    bounds: Stage = {} if low <= 0 else {"$gte": low}
    if high is not None:
        bounds["$lt"] = high
    return [{"$match": {fields.SCORE: bounds}}] if bounds else []


def best(count: int) -> Pipeline:
    """The best ``count`` rows in the order of every search: score, then time, both falling, then ``_id``."""
    return [{"$sort": _ORDER}, {"$limit": count}]


def newest(count: int, *, by_id: bool) -> Pipeline:
    """The newest ``count`` rows of one score; without ``by_id``, rows of one time come in any order."""
    order = {fields.TIMESTAMP: -1, fields.ID: 1} if by_id else {fields.TIMESTAMP: -1}
    return [{"$sort": order}, {"$limit": count}]


def chained(collection: str, parts: Sequence[Pipeline], count: int) -> Pipeline:
    """``count`` rows of ``parts``, one after the other. The server reads a part only when it is reached."""
    first, *rest = parts
    unions = [{"$unionWith": {"coll": collection, "pipeline": part}} for part in rest]
    return [*first, *unions, {"$limit": count}] if rest else first
