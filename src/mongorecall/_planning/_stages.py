"""The stages that plans are made of: scores, the order, the page. Exactness lives here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Stage = dict[str, Any]
Pipeline = list[Stage]

SCORE = "score"
"""The field of a row that holds its score."""

PAGE_FIELDS = {"_id": 1, "author": 1, "content": 1, "timestamp": 1, "mr": 1, "session_id": 1, SCORE: 1}


def matched(keywords: Sequence[str]) -> Stage:
    """The query keywords that a document has. A string in ``keywords`` counts as a list of one."""
    stored = {"$cond": [{"$isArray": "$keywords"}, "$keywords", ["$keywords"]]}
    return {"$setIntersection": [stored, list(keywords)]}


def score(keywords: Sequence[str], weights: Mapping[str, float] | None) -> Stage:
    """How many query keywords a document has, or the sum of their weights."""
    if weights is None:
        return {"$size": matched(keywords)}
    of_keyword = {"$arrayElemAt": [[weights[word] for word in keywords], {"$indexOfArray": [keywords, "$$w"]}]}
    return {"$sum": {"$map": {"input": matched(keywords), "as": "w", "in": of_keyword}}}


def best(count: int) -> Pipeline:
    """The best ``count`` rows in the order of every search: score, then time, both falling, then ``_id``."""
    return [{"$sort": {SCORE: -1, "timestamp": -1, "_id": 1}}, {"$limit": count}]


def page(keywords: Sequence[str]) -> Stage:
    """What travels to the client of each row: its keywords are cut to those of the query."""
    return {"$project": {**PAGE_FIELDS, "keywords": matched(keywords)}}
