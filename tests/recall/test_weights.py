"""What a keyword is worth."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from mongorecall._ranking.weights import (
    COMMON_FLOOR,
    COUNTED_TURNS,
    counted_hits,
    exact,
    weigh,
)


def test_the_rarer_is_worth_more() -> None:
    weights = weigh({"kiln": 1, "glaze": 7, "clay": 90}, 1000)
    assert weights["kiln"] > weights["glaze"] > weights["clay"] > 0


def test_what_no_turn_has_is_left_out() -> None:
    assert weigh({"kiln": 0, "glaze": 1}, 10).keys() == {"glaze"}
    assert weigh({"kiln": 0}, 10) == {}


def test_what_most_turns_have_is_left_out() -> None:
    assert weigh({"kiln": 3, "hello": 300}, 1000).keys() == {"kiln"}


def test_unless_all_are_common() -> None:
    assert weigh({"hello": 300, "bye": 400}, 1000).keys() == {"hello", "bye"}


def test_small_scopes_have_no_common_keywords() -> None:
    assert weigh({"kiln": COMMON_FLOOR, "glaze": 1}, COMMON_FLOOR).keys() == {"kiln", "glaze"}


def test_a_scope_beyond_the_count_is_weighed_as_one_of_that_size() -> None:
    hits = {"kiln": 3, "glaze": 500}
    assert weigh(hits, COUNTED_TURNS) == weigh(hits, 10 * COUNTED_TURNS)


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 9000)), st.integers(0, 30_000))
def test_counting_as_far_as_is_asked_for_changes_no_weight(hits: dict[str, int], turns: int) -> None:
    counted = {word: min(count, counted_hits(turns)) for word, count in hits.items()}
    assert weigh(counted, turns) == weigh(hits, turns)


def test_a_count_that_outgrew_the_turns_does_no_harm() -> None:
    assert weigh({"kiln": 9}, 3)["kiln"] > 0


@given(st.lists(st.floats(min_value=0, max_value=30), max_size=5))
def test_sums_do_not_depend_on_their_order(weights: list[float]) -> None:
    rounded = [exact(weight) for weight in weights]
    assert len({sum(order) for order in permutations(rounded)}) == 1
