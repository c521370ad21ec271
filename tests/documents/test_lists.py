"""Cursors, and what one call's events come to before anything is stored."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mongorecall._documents import Failed, Prepared, Skipped, last_of_each_id, pack_cursor, unpack_cursor
from mongorecall.errors import InvalidInputError
from mongorecall.models import IngestReport
from tests.documents.events import prepared, said


@settings(max_examples=50, deadline=None)
@given(ids=st.lists(st.text(), min_size=2, max_size=2))
def test_a_cursor_gives_back_its_place(ids: list[str]) -> None:
    assert unpack_cursor(pack_cursor(*ids), 2) == tuple(ids)


def test_a_cursor_shows_no_id() -> None:
    assert "walnut" not in pack_cursor("walnut", "e-1")


@pytest.mark.parametrize(
    "cursor", ["", "x", "ж", "\ud800", "W10=", pack_cursor("a"), pack_cursor("a", "b", "c")]
)
def test_text_that_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInputError, match="cursor is not one that a page gave"):
        unpack_cursor(cursor, 2)


@pytest.mark.parametrize("inside", ['["\\ud800", "a"]', "[1, 2]", '{"a": 1}', "[" * 100_000, "5"])
def test_a_forged_cursor_is_refused(inside: str) -> None:
    with pytest.raises(InvalidInputError):
        unpack_cursor(base64.urlsafe_b64encode(inside.encode()).decode(), 2)
    assert json.dumps("a")


def test_the_last_event_of_an_id_is_meant() -> None:
    report = IngestReport(received=6)
    old, new = prepared(said("kiln")), prepared(said("oven"), index=4)
    outcomes: list[Prepared | Skipped | Failed] = [
        old,
        prepared(said("glaze", id="e-2"), index=1),
        Failed(2, "e-1", "too large"),
        Skipped(3, "e-1", "partial"),
        new,
        Skipped(5, "e-2", "no_text"),
    ]
    assert last_of_each_id(outcomes, report) == [new, outcomes[5]]
    assert report.unchanged == 2
    assert report.skipped == {"partial": 1}
    assert [(failed.index, failed.event_id) for failed in report.failed] == [(2, "e-1")]
