"""What counts as unchanged when an event is added again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import bson
import pytest
from bson.raw_bson import RawBSONDocument

from mongorecall._documents import expiry, revision_of, same_but_revision
from mongorecall._documents.markers import FOREVER
from mongorecall.models import Content, Event
from tests.documents.events import prepared, said

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def raw(document: dict[str, Any]) -> RawBSONDocument:
    """As the driver reads it."""
    return RawBSONDocument(bson.encode(document))


def test_only_the_revision_differs() -> None:
    event = prepared(said("kiln"))
    assert same_but_revision(event.raw(9), event.raw(1))


@pytest.mark.parametrize(
    "changed",
    [
        said("oven"),
        said("kiln", author="bob"),
        said("kiln", timestamp=1.25),
        said("", content=Content.of("kiln", role="user")),
    ],
)
def test_any_other_difference_counts(changed: Event) -> None:
    assert not same_but_revision(prepared(said("kiln")).raw(9), prepared(changed).raw(1))


def test_a_document_of_google_adk_is_the_same_unless_an_option_adds_to_it() -> None:
    document = prepared(said("kiln")).document(1)
    del document["mr"]
    assert same_but_revision(prepared(said("kiln")).raw(9), raw(document))
    with_metadata = prepared(said("kiln"), metadata={"topic": "pottery"})
    assert not same_but_revision(with_metadata.raw(9), raw(document))


def test_fields_in_another_order_are_merely_written_again() -> None:
    document = dict(reversed(prepared(said("kiln")).document(1).items()))
    assert not same_but_revision(prepared(said("kiln")).raw(9), raw(document))


@pytest.mark.parametrize(
    ("new", "kept"), [(NOON, True), (NOON + HOUR, True), (NOON - HOUR, False), (None, False)]
)
def test_an_earlier_deadline_is_kept_and_never_put_off(new: datetime | None, kept: bool) -> None:
    there = prepared(said("kiln"), expires_at=NOON).raw(1)
    again = prepared(said("kiln"), expires_at=new).raw(9)
    assert same_but_revision(again, there, keep_deadline=True) is kept
    assert same_but_revision(again, there) is (new == NOON)


def test_a_document_without_deadline_gets_one() -> None:
    there = prepared(said("kiln")).raw(1)
    assert not same_but_revision(prepared(said("kiln"), expires_at=NOON).raw(9), there, keep_deadline=True)


@pytest.mark.parametrize(
    ("mr", "revision"),
    [
        (None, None),
        ({}, None),
        ({"v": 1, "rev": 7}, 7),
        ({"v": 1}, None),
        ({"v": 2, "rev": 7}, FOREVER),
        ("x", None),
    ],
)
def test_a_format_of_the_future_is_newer_than_everything(mr: Any, revision: int | None) -> None:
    assert revision_of({"mr": mr}) == revision


@pytest.mark.parametrize(
    ("ttl", "retention", "deadline"),
    [
        (None, None, None),
        (HOUR, None, NOON + HOUR),
        (None, HOUR, NOON + HOUR),
        (2 * HOUR, HOUR, NOON + HOUR),
        (HOUR, 2 * HOUR, NOON + HOUR),
        (timedelta(days=4_000_000), None, None),
        (timedelta(microseconds=1_999), None, NOON + timedelta(milliseconds=1)),
    ],
)
def test_a_ttl_never_outlasts_the_retention(
    ttl: timedelta | None, retention: timedelta | None, deadline: datetime | None
) -> None:
    assert expiry(NOON, ttl=ttl, retention=retention) == deadline
