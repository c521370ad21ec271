"""The plain pipeline of a search, written down a second time and as simply as can be."""

from __future__ import annotations

from typing import Any

from mongorecall._planning import SearchRequest


def reference(request: SearchRequest) -> list[dict[str, Any]]:
    """Fetch every match, score it, sort all, cut."""
    words = list(request.keywords)
    filters = request.filters
    match: dict[str, Any] = {
        "app_name": request.scope.app_name,
        "user_id": request.scope.user_id,
        "keywords": {"$in": words},
        "$nor": [{"mr.expires_at": {"$lte": request.now}}],
    }
    clauses: list[dict[str, Any]] = []
    if filters.session_id is not None:
        clauses.append({"session_id": filters.session_id})
    if filters.exclude_session_id is not None:
        clauses.append({"session_id": {"$ne": filters.exclude_session_id}})
    if filters.author is not None:
        clauses.append({"author": filters.author})
    if filters.since is not None:
        clauses.append({"timestamp": {"$gte": filters.since.timestamp()}})
    if filters.until is not None:
        clauses.append({"timestamp": {"$lt": filters.until.timestamp()}})
    if clauses:
        match["$and"] = clauses
    stored = {"$cond": [{"$eq": [{"$type": "$keywords"}, "string"]}, ["$keywords"], "$keywords"]}
    weights = request.weights or dict.fromkeys(words, 1)
    has = [{"$cond": [{"$in": [word, stored]}, weights[word], 0]} for word in words]
    least = filters.min_score
    return [
        {"$match": match},
        {"$set": {"score": {"$add": has}}},
        *([] if least is None else [{"$match": {"score": {"$gte": least}}}]),
        {"$sort": {"score": -1, "timestamp": -1, "_id": 1}},
        {"$limit": request.fetch},
    ]
