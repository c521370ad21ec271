"""The seed's rule: as many points as shared keywords, the newest first, then by id."""

from __future__ import annotations

from typing import Any

import pytest

from mongorecall._ranking import OverlapRanking, Ranked, Ranking, resolve_ranking
from mongorecall.errors import InvalidInputError, InvalidTypeError


def document(event_id: str, *keywords: str, time: Any = 0.0, **values: Any) -> dict[str, Any]:
    """A stored turn."""
    identity = {"app_name": "shop", "user_id": "u-42", "session_id": "s-1", "event_id": event_id}
    content = {"parts": [{"text": " ".join(keywords)}]}
    return {"_id": identity, "keywords": list(keywords), "content": content, "timestamp": time, **values}


def order(rows: list[Ranked]) -> list[tuple[str, float]]:
    """Event ids and scores."""
    return [(row.document["_id"]["event_id"], row.score) for row in rows]


def test_more_shared_keywords_come_first_then_newer_then_lower_ids() -> None:
    documents = [
        document("c", "kiln", time=1.0),
        document("b", "kiln", time=1.0),
        document("a", "kiln", time=2.0),
        document("z", "kiln", "glaze", time=0.0),
        document("none", "coffee", time=9.0),
    ]
    rows = OverlapRanking().rank(documents, ["glaze", "kiln"])
    assert order(rows) == [("z", 2), ("a", 1), ("b", 1), ("c", 1)]
    assert rows[0].matched == ("glaze", "kiln")


def test_a_keyword_counts_once_however_often_it_is_stored() -> None:
    twice = document("a", "kiln") | {"keywords": ["kiln", "kiln"]}
    assert order(OverlapRanking().rank([twice], ["kiln"])) == [("a", 1)]


def test_a_text_in_keywords_counts_as_a_list_of_one() -> None:
    odd = document("a") | {"keywords": "kiln"}
    assert order(OverlapRanking().rank([odd], ["kiln", "k"])) == [("a", 1)]


def test_only_what_is_admitted_is_returned() -> None:
    documents = [document("a", "kiln", author="ann"), document("b", "kiln", author="bob")]
    rows = OverlapRanking().rank(documents, ["kiln"], admits=lambda one: one["author"] == "bob")
    assert order(rows) == [("b", 1)]


@pytest.mark.parametrize("time", [None, "noon", float("nan"), 1e20])
def test_no_stored_time_breaks_the_order(time: Any) -> None:
    documents = [document("a", "kiln", time=time), document("b", "kiln", time=5.0)]
    assert {event for event, _ in order(OverlapRanking().rank(documents, ["kiln"]))} == {"a", "b"}


def test_a_ranking_is_named_or_given() -> None:
    assert resolve_ranking("overlap") == OverlapRanking()
    given = OverlapRanking()
    assert resolve_ranking(given) is given
    assert isinstance(given, Ranking)


def test_anything_else_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="ranking must be 'overlap'"):
        resolve_ranking("best")
    for wrong in (5, None, OverlapRanking):
        with pytest.raises(InvalidTypeError, match="ranking must be a name or a Ranking"):
            resolve_ranking(wrong)  # type: ignore[arg-type]
