"""Scores of a retrieval: recall, reciprocal rank and discounted gain of expected events in ranked lists."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mongorecall._checks import check_id, check_query
from mongorecall.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CUTS = (5, 10, 50)
"""The ``k`` of recall@k."""

GAIN_CUT = 10
"""The ``k`` of nDCG@k."""

Scores = dict[str, float]


@dataclass(frozen=True, slots=True)
class Question:
    """A query, whose memories it asks for, and the ids of the events that answer it."""

    query: str
    expected: frozenset[str]
    app_name: str
    user_id: str


def read_questions(path: Path | str, *, app_name: str | None, user_id: str | None) -> list[Question]:
    """The questions of a file of JSON Lines: ``{"query": …, "expected": [ids], "app": …, "user": …}``.

    Raises:
        InvalidInputError: a line is no question; the message has its number and no text.
    """
    questions = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            questions.append(_question(json.loads(line), app_name, user_id))
        except (InvalidInputError, ValueError, KeyError, TypeError, AttributeError):
            raise InvalidInputError(
                f"line {number}: a question is an object with query, expected (a list of event ids), and "
                "app and user unless they are options"
            ) from None
    if not questions:
        raise InvalidInputError("the file has no question")
    return questions


def _question(record: Mapping[str, Any], app_name: str | None, user_id: str | None) -> Question:
    expected = frozenset(check_id("expected", one) for one in record["expected"])
    if not expected or isinstance(record["expected"], str):
        raise InvalidInputError("expected is empty")
    return Question(
        query=check_query(record["query"]),
        expected=expected,
        app_name=check_id("app", record.get("app") or app_name),
        user_id=check_id("user", record.get("user") or user_id),
    )


def judge(found: Sequence[str | None], expected: frozenset[str]) -> Scores:
    """The scores of one ranked list. An event that comes twice takes its place and counts once."""
    seen: set[str | None] = set()
    gains = []
    for event_id in found:
        gains.append(float(event_id in expected and event_id not in seen))
        seen.add(event_id)
    scores = {f"R@{cut}": sum(gains[:cut]) / len(expected) for cut in CUTS}
    scores["MRR"] = next((1 / place for place, gain in enumerate(gains, 1) if gain), 0.0)
    ideal = _discounted([1.0] * min(GAIN_CUT, len(expected)))
    scores[f"nDCG@{GAIN_CUT}"] = _discounted(gains[:GAIN_CUT]) / ideal
    return scores


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(place + 1) for place, gain in enumerate(gains, 1))


def mean(scores: Sequence[Scores]) -> Scores:
    """The mean of each score, in percent with one digit."""
    return {name: round(100 * sum(one[name] for one in scores) / len(scores), 1) for name in scores[0]}
