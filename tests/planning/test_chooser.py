"""What is planned, from what is believed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mongorecall._planning import Plan, ScopeTable, SearchRequest, plan
from mongorecall._planning._plans import Banded, Streamed
from tests.planning.asking import ask, table

SKEWED = {"the_most": 0.9, "common": 0.5, "middling": 0.1, "rare": 0.01, "rarer": 0.005}
LARGE = table(100_000, SKEWED)
WORDS = tuple(SKEWED)


def planned(request: SearchRequest, known: ScopeTable | None = LARGE, *, recency: bool = False) -> Plan:
    return plan(request, known, has_recency_index=recency)


def test_a_scope_of_which_nothing_is_known_is_searched_directly() -> None:
    assert planned(ask(*WORDS), None).kind == "direct"


def test_a_small_scope_is_searched_directly_without_thinking() -> None:
    assert planned(ask(*WORDS), table(100, SKEWED)).kind == "direct"


def test_rare_words_alone_are_searched_directly() -> None:
    assert planned(ask("rare", "rarer"), table(5_000, SKEWED)).kind == "direct"


def test_common_words_are_left_for_last() -> None:
    found = planned(ask(*WORDS))
    assert isinstance(found, Banded)
    assert found.words == ("rarer", "rare", "middling", "common", "the_most")
    assert found.cuts[0] > 1


def test_a_single_word_is_read_newest_first_where_the_index_gives_that_order() -> None:
    assert planned(ask("common"), None).kind == "direct"
    assert planned(ask("common"), None, recency=True).kind == "streamed"
    assert planned(ask("common", min_score=2), None, recency=True).kind == "direct"


def test_the_recency_index_is_used_for_several_words_too() -> None:
    assert isinstance(planned(ask("common", "middling", "rare"), recency=True), Streamed)


def test_turns_of_one_time_are_not_read_in_the_order_of_time() -> None:
    tied = table(100_000, SKEWED, tied=True)
    for words in (WORDS, ("common",)):
        assert planned(ask(*words), tied, recency=True).kind != "streamed"


@pytest.mark.parametrize(
    "filters",
    [
        {"session_id": "s1"},
        {"since": datetime(2026, 1, 1, tzinfo=UTC)},
        {"until": datetime(2026, 1, 1, tzinfo=UTC)},
        {"min_score": 6.0},
    ],
)
def test_what_the_sample_says_nothing_about_is_searched_directly(filters: dict[str, Any]) -> None:
    assert planned(ask(*WORDS, **filters)).kind == "direct"


def test_the_current_session_may_be_left_out_of_a_plan() -> None:
    assert planned(ask(*WORDS, exclude_session_id="s1")).kind == "banded"


def test_cuts_stay_above_the_lowest_score_asked_for() -> None:
    found = planned(ask(*WORDS, min_score=2))
    assert isinstance(found, Banded)
    assert min(found.cuts) > 2


def test_weighted_searches_put_the_lightest_words_aside() -> None:
    weights = {"the_most": 0.125, "common": 0.5, "middling": 2.0, "rare": 4.0, "rarer": 5.0}
    found = planned(ask(*WORDS, weights=weights))
    assert isinstance(found, Banded)
    assert found.cuts[0] > weights["the_most"]


def test_a_description_counts_and_names_nothing() -> None:
    for request in (ask(*WORDS), ask("common"), ask("rare", "rarer")):
        shown = repr(planned(request, recency=True).describe())
        assert not any(word in shown for word in (*WORDS, "support", "u-42"))


def test_a_search_asks_for_something() -> None:
    with pytest.raises(ValueError, match="without keywords"):
        ask()
    with pytest.raises(ValueError, match="fetch"):
        ask("word", fetch=0)
