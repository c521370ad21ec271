"""What a plan sends, and what it makes of the answer."""

from __future__ import annotations

from typing import Any

import pytest

from mongorecall._planning._bands import leading
from mongorecall._planning._plans import TIES, Banded, Direct, Streamed
from mongorecall._planning._stages import Pipeline
from tests.planning.asking import ask

WORDS = ("rarest", "rarer", "rare", "common", "commoner", "commonest")


def row(name: str, score: int = 2, time: Any = 1.0) -> dict[str, Any]:
    return {"_id": {"app_name": "a", "event_id": name}, "score": score, "timestamp": time}


@pytest.mark.parametrize(("low", "count"), [(1, 6), (2, 5), (3, 4), (6, 1), (9, 1)])
def test_a_higher_score_needs_fewer_words_to_be_read(low: int, count: int) -> None:
    assert leading(WORDS, low, None) == count
    assert leading(WORDS, low, dict.fromkeys(WORDS, 1.0)) == count


def test_words_that_together_weigh_too_little_are_put_aside() -> None:
    weights = dict(zip(WORDS, (8.0, 4.0, 2.0, 1.0, 0.5, 0.25), strict=True))
    assert leading(WORDS, 1.75, weights) == 4
    assert leading(WORDS, 1.8, weights) == 3


def test_the_commonest_words_are_not_in_the_first_band() -> None:
    pipeline = Banded(ask(*WORDS), WORDS, (4.0,), (False,)).pipeline()
    assert pipeline[0]["$match"]["keywords"] == {"$in": list(WORDS[:3])}
    assert len(unions(pipeline)) == 1


def test_a_stream_is_read_without_a_sort_but_by_time() -> None:
    pipeline = Streamed(ask("word"), ("word",), 1).pipeline()
    assert [stage["$sort"] for stage in pipeline if "$sort" in stage] == [{"timestamp": -1}]


def test_every_part_of_every_plan_stays_in_its_scope() -> None:
    asked = ask(*WORDS, author="user")
    plans = (
        Direct(asked),
        Banded(asked, WORDS, (4.0, 2.0), (True, True)),
        Streamed(asked, WORDS, 3),
    )
    for plan in plans:
        pipeline = plan.pipeline()
        for part in (pipeline, *(union["pipeline"] for union in unions(pipeline))):
            clause = part[0]["$match"]
            for branch in clause.get("$or", [clause]):
                assert branch["app_name"] == {"$eq": "support"}
                assert branch["user_id"] == {"$eq": "u-42"}
                assert branch["author"] == {"$eq": "user"}


def test_rows_of_one_score_and_time_come_in_the_order_of_their_id() -> None:
    plan = Streamed(ask("word", fetch=3), ("word",), 1)
    rows = [row("c", 2), row("a", 2), row("b", 1, None), row("a", 1)]
    assert plan.settle(rows) == [rows[1], rows[0], rows[2]]


def test_a_page_that_ends_among_too_many_equals_is_asked_for_again() -> None:
    plan = Streamed(ask("word", fetch=2), ("word",), 1)
    assert plan.settle([row(f"{number}") for number in range(2 + TIES)]) is None
    assert plan.settle([row(f"{number}") for number in range(1 + TIES)]) is not None
    nan = [row(f"{number}", time=float("nan")) for number in range(2 + TIES)]
    assert plan.settle(nan) is None


def test_a_document_that_moved_between_two_bands_comes_once() -> None:
    plan = Banded(ask(*WORDS), WORDS, (3.0,), (False,))
    rows = [row("a", 3), row("b", 3), row("a", 2)]
    assert plan.settle(rows) == rows[:2]


def unions(pipeline: Pipeline) -> list[dict[str, Any]]:
    return [stage["$unionWith"] for stage in pipeline if "$unionWith" in stage]
