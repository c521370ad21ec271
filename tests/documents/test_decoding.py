"""A stored document → a memory: whatever is stored, only unreadable content makes it malformed."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

import bson
import pytest
from bson import Decimal128, Int64, ObjectId

from mongorecall._documents import (
    MalformedDocument,
    decode,
    duplicate_key,
    format_time,
    stored_keywords,
    stored_text,
)
from mongorecall.models import Part
from tests.documents.events import called, prepared, said


def stored(**values: Any) -> dict[str, Any]:
    """A document of google-adk's with some fields changed."""
    identity = {"app_name": "shop", "user_id": "u-42", "session_id": "s-1", "event_id": "e-1"}
    document = {
        "_id": identity,
        "app_name": "shop",
        "user_id": "u-42",
        "session_id": "s-1",
        "author": "user",
        "keywords": ["kiln"],
        "content": {"parts": [{"text": "kiln"}], "role": "user"},
        "timestamp": 1_772_443_800.0,
    }
    return document | values


def test_a_document_of_google_adk_is_read_as_it_is() -> None:
    memory = decode(stored())
    assert memory.model_dump(exclude_none=True) == {
        "content": {"parts": [{"text": "kiln"}], "role": "user"},
        "custom_metadata": {},
        "id": "e-1",
        "author": "user",
        "timestamp": "2026-03-02T09:30:00+00:00",
        "session_id": "s-1",
        "matched_keywords": [],
        "lent_keywords": [],
        "score_parts": (),
    }


def test_a_format_of_the_future_is_read_as_google_adks() -> None:
    memory = decode(stored(mr={"v": 2, "metadata": {"a": 1}, "content_json": "[]"}))
    assert memory.content.text == "kiln"
    assert memory.custom_metadata == {}


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (None, "content_missing"),
        ("kiln", "content_unreadable"),
        (5, "content_unreadable"),
        ([], "content_unreadable"),
        ({"parts": "kiln"}, "content_unreadable"),
        ({"parts": [{"text": 5}]}, "content_unreadable"),
        ({"parts": [5]}, "content_unreadable"),
        ({"parts": [{"text": "kiln", "data": ObjectId()}]}, "content_unreadable"),
        ({"parts": [{"text": "kiln"}], "when": datetime(2026, 3, 2, tzinfo=UTC)}, "content_unreadable"),
    ],
)
def test_unreadable_content_says_what_is_wrong_and_no_more(content: Any, kind: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        decode(stored(content=content))
    assert caught.value.kind == str(caught.value) == kind
    assert stored_text(stored(content=content)) in {"", "kiln"}


def test_missing_content_is_malformed() -> None:
    document = stored()
    del document["content"]
    with pytest.raises(MalformedDocument):
        decode(document)


@pytest.mark.parametrize("broken", ["{", "[]", "5"])
def test_exact_content_that_is_no_json_object_is_malformed(broken: str) -> None:
    with pytest.raises(MalformedDocument):
        decode(stored(mr={"v": 1, "content_json": broken}))


@pytest.mark.parametrize("field", ["author", "session_id", "_id", "timestamp"])
@pytest.mark.parametrize("value", [None, 5, ["x"], {"x": 1}, ObjectId(), b"x", True])
def test_any_other_field_of_the_wrong_type_is_none(field: str, value: Any) -> None:
    if field == "timestamp" and value == 5:
        return
    memory = decode(stored(**{field: value}))
    assert getattr(memory, {"_id": "id"}.get(field, field)) is None
    assert memory.content.text == "kiln"


def test_the_sentinel_is_no_session() -> None:
    assert decode(stored(session_id="__unknown_session_id__")).session_id is None


def test_an_id_that_is_a_text_is_the_event_id() -> None:
    assert decode(stored(_id="e-9")).id == "e-9"


def test_metadata_comes_back_when_it_is_asked_for() -> None:
    document = prepared(said("kiln"), metadata={"topic": "pottery"}).document(1)
    assert decode(document).custom_metadata == {"topic": "pottery"}
    assert decode(document, metadata=False).custom_metadata == {}


def test_numbers_come_back_as_plain_ints() -> None:
    document = bson.decode(prepared(called({"n": 2**40})).raw(1).raw)
    assert isinstance(document["content"]["parts"][1]["function_call"]["args"]["n"], Int64)
    [_, part] = decode(document).content.parts or [Part(), Part()]
    assert type((part.model_extra or {})["function_call"]["args"]["n"]) is int


class TestTimes:
    @pytest.mark.parametrize(
        ("value", "printed"),
        [
            (0, "1970-01-01T00:00:00+00:00"),
            (1_700_000_000.123456, "2023-11-14T22:13:20.123456+00:00"),
            (-62_135_596_800, "0001-01-01T00:00:00+00:00"),
            (253_402_300_799, "9999-12-31T23:59:59+00:00"),
            (Int64(5), "1970-01-01T00:00:05+00:00"),
            (datetime(2026, 3, 2), "2026-03-02T00:00:00+00:00"),  # noqa: DTZ001 - as the driver gives it
        ],
    )
    def test_are_printed_in_utc_with_offset(self, value: Any, printed: str) -> None:
        assert format_time(value) == printed

    @pytest.mark.parametrize(
        "value",
        [None, "noon", True, math.nan, math.inf, -math.inf, 1e20, -1e20, 1.7e12, -62_135_596_801,
         253_402_300_800, 10**400, Decimal128("1"), [1.0]],
    )  # fmt: skip
    def test_that_cannot_be_read_are_none_and_never_guessed(self, value: Any) -> None:
        assert format_time(value) is None


class TestDuplicates:
    def test_same_author_text_and_time_are_one_memory(self) -> None:
        first, second = decode(stored()), decode(stored(_id={"event_id": "e-2"}, session_id="s-2"))
        assert duplicate_key(first) == duplicate_key(second)

    @pytest.mark.parametrize(
        "values", [{"author": "bob"}, {"timestamp": 1.0}, {"content": {"parts": [{"text": "oven"}]}}]
    )
    def test_any_difference_keeps_both(self, values: dict[str, Any]) -> None:
        assert duplicate_key(decode(stored())) != duplicate_key(decode(stored(**values)))

    def test_without_text_the_whole_content_decides(self) -> None:
        one, other = (
            decode(stored(content={"parts": [{"function_response": {"response": {"code": code}}}]}))
            for code in (1, 2)
        )
        assert duplicate_key(one) != duplicate_key(other)
        assert duplicate_key(one) == duplicate_key(one.model_copy(deep=True))


@pytest.mark.parametrize(
    ("keywords", "read"),
    [
        (["a", "b", "a"], {"a", "b"}),
        ("ab", {"ab"}),
        (["a", 5, None], {"a"}),
        (None, set()),
        (5, set()),
        ({}, set()),
    ],
)
def test_keywords_of_any_shape_are_read(keywords: Any, read: set[str]) -> None:
    assert stored_keywords(stored(keywords=keywords)) == read
