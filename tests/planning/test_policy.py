"""When a scope is sampled, and what is kept of it."""

from __future__ import annotations

from mongorecall._planning import LearningPolicy
from mongorecall._planning import _policy as bounds
from mongorecall.models import MemoryScope
from tests.planning.asking import table

TABLE = table(10_000, {"word": 0.5})
ROUND_TRIP = 0.020


def scope(number: int = 0) -> MemoryScope:
    return MemoryScope(app_name="shop", user_id=f"u{number}")


def used(policy: LearningPolicy) -> LearningPolicy:
    """A policy that knows the round trip."""
    assert not policy.searched(scope(99), ROUND_TRIP, at_once=1, now=0)
    return policy


def search(
    policy: LearningPolicy, server_ms: float, *, now: float = 1, number: int = 0, at_once: int = 1
) -> bool:
    return policy.searched(scope(number), ROUND_TRIP + server_ms / 1e3, at_once=at_once, now=now)


def test_a_scope_with_fast_searches_is_never_sampled() -> None:
    policy = used(LearningPolicy())
    assert not any(search(policy, 2.9) for _ in range(1_000))


def test_slow_searches_earn_a_sample_whatever_the_round_trip() -> None:
    policy = used(LearningPolicy())
    assert [search(policy, 4) for _ in range(3)] == [False, False, True]
    assert not search(policy, 400), "one sample is under way"


def test_a_search_that_shared_the_server_counts_for_its_share() -> None:
    policy = used(LearningPolicy())
    assert not any(search(policy, 40, at_once=20) for _ in range(100))


def test_one_sample_of_a_process_is_taken_at_a_time() -> None:
    policy = used(LearningPolicy())
    assert search(policy, 50)
    assert not search(policy, 50, number=1)
    policy.learned(scope(), TABLE, now=2)
    assert search(policy, 50, number=1)


def test_a_sample_that_never_ends_blocks_the_others_for_seconds_only() -> None:
    policy = used(LearningPolicy())
    assert search(policy, 50)
    assert search(policy, 50, number=1, now=2 + bounds.LEARNING_SECONDS)


def test_what_was_learned_is_renewed_when_it_is_old_and_searches_still_are_slow() -> None:
    policy = used(LearningPolicy())
    policy.learned(scope(), TABLE, now=1)
    assert policy.table(scope()) is TABLE
    assert not search(policy, 50, now=1 + bounds.STALE_SECONDS - 1)
    assert search(policy, 50, now=1 + bounds.STALE_SECONDS)


def test_a_failed_sample_is_tried_again_after_a_while_and_keeps_what_is_known() -> None:
    policy = used(LearningPolicy())
    policy.learned(scope(), TABLE, now=1)
    policy.learned(scope(), None, now=1)
    assert policy.table(scope()) is TABLE
    assert not search(policy, 50, now=bounds.PAUSE_SECONDS)
    assert search(policy, 50, now=1 + bounds.PAUSE_SECONDS)


def test_a_scope_that_grew_by_half_is_learned_anew() -> None:
    policy = used(LearningPolicy())
    policy.learned(scope(), TABLE, now=1)
    policy.added(scope(), 5_000)
    assert not search(policy, 50, now=2)
    policy.added(scope(), 1)
    assert search(policy, 50, now=2)
    policy.added(scope(7), 1_000_000)
    assert policy.table(scope(7)) is None


def test_ties_are_remembered_until_the_next_sample() -> None:
    policy = LearningPolicy()
    policy.tied(scope())
    assert policy.is_tied(scope())
    assert not policy.is_tied(scope(1))
    policy.learned(scope(), TABLE, now=1)
    assert not policy.is_tied(scope())


def test_only_the_latest_tables_are_kept() -> None:
    policy = LearningPolicy()
    for number in range(bounds.MAX_TABLES + 1):
        policy.learned(scope(number), TABLE, now=1)
    assert policy.table(scope(0)) is None
    assert policy.table(scope(1)) is TABLE
    for number in range(1_000, 1_000 + bounds.MAX_SCOPES):
        policy.tied(scope(number))
    assert policy.table(scope(1)) is None
    assert policy.table(scope(bounds.MAX_TABLES)) is None


def test_the_round_trip_follows_a_slower_wire_within_two_minutes() -> None:
    policy = used(LearningPolicy())
    now = 0.0
    for _ in range(4):
        now += bounds.ROUND_TRIP_SECONDS + 1
        policy.searched(scope(5), 0.2, at_once=1, now=now)
    policy.learned(scope(), None, now=-1_000)
    assert not any(policy.searched(scope(), 0.202, at_once=1, now=now) for _ in range(100))
