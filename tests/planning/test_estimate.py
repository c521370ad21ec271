"""What a sample says, and how it is taken."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from mongorecall._planning import ScopeTable, table_of
from mongorecall._planning._estimate import counts_reaching, reading, scores_in_sample
from mongorecall._planning._sampling import place_between
from tests.planning.asking import table


def test_words_are_read_by_rarity_and_unknown_ones_first() -> None:
    read = reading(table(10_000, {"often": 0.5, "seldom": 0.1}), ["often", "seldom", "unknown"])
    assert read.words == ("unknown", "seldom", "often")
    assert read.distinct[1] == pytest.approx(7)
    assert read.distinct[2] == pytest.approx(1_000, rel=0.4)
    assert read.distinct[3] <= read.entries[3]


def test_a_word_that_is_not_in_a_whole_sample_is_nowhere() -> None:
    assert reading(table(500, {"often": 0.5}), ["unknown"]).distinct[1] == 0


def test_expected_counts_fall_with_the_score_and_follow_what_is_seen_together() -> None:
    pair = (1 << 100) - 1
    together = ScopeTable(500, 50_000, {"left": pair, "right": pair})
    counts = counts_reaching(together, reading(together, ["left", "right"]))
    assert counts == sorted(counts, reverse=True)
    assert counts[2] == pytest.approx(10_000, rel=0.05), "five times what independent words would give"


def test_weights_add_up_in_each_sampled_turn() -> None:
    known = ScopeTable(3, 3, {"a": 0b011, "b": 0b110})
    assert scores_in_sample(known, {"a": 1.0, "b": 0.5, "unknown": 9.0}) == [1.5, 1.0, 0.5]


def test_a_table_counts_turns_and_not_markers() -> None:
    rows = [{"_id": number, "keywords": ["kiln"], "timestamp": 1.0 + number} for number in range(3)]
    markers = [{"_id": -1 - number} for number in range(3)]
    known = table_of([*rows, *rows[:1], *markers, {"n": 600}])
    assert known == ScopeTable(3, 300, {"kiln": 0b111})
    assert table_of([*markers, {"n": 3}]) is None
    assert table_of([]) is None


def test_many_turns_of_one_time_are_noticed() -> None:
    rows: list[dict[str, Any]] = [
        {"_id": number, "keywords": "kiln", "timestamp": 1.0} for number in range(9)
    ]
    known = ScopeTable.of(rows, 9)
    assert known is not None
    assert known.tied


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("session-0000001", "session-0002000"),
        ("0a1b2c3d-ffff", "fa1b2c3d-0000"),
        ("chat", "zebra"),
        ("same", "same"),
        ("日本", "日本語"),
    ],
)
def test_runs_begin_between_the_ends_in_their_order(first: str, last: str) -> None:
    places = [place_between(first, last, part / 10) for part in range(11)]
    assert places == sorted(places)
    assert all(isinstance(place, str) for place in places)
    if first.isascii() and first != last:
        assert len(set(places)) > 8
        assert all(first[:8] <= place[:8] <= last[:8] for place in places[:-1])


def test_no_end_breaks_the_sampling() -> None:
    random = Random(3)
    for _ in range(500):
        ends = sorted(
            "".join(chr(random.randrange(32, 0x3000)) for _ in range(random.randrange(1, 12))) for _ in "ab"
        )
        assert isinstance(place_between(ends[0], ends[1], random.random()), str)
