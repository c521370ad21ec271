"""An event → its document: what is stored, what is skipped, what fails, and that nothing is raised."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, ClassVar

import bson
import pytest
from google.genai import types
from hypothesis import given, settings
from hypothesis import strategies as st

from mongorecall._documents import Failed, Prepared, Skipped, check_metadata, decode
from mongorecall.analysis import ClassicAnalyzer, MultilingualAnalyzer
from mongorecall.errors import InvalidInputError
from mongorecall.models import Content, Event, Part
from tests.documents.events import SCOPE, adk, called, nested, outcome_of, prepared, said

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class TestTheDocument:
    def test_has_the_fields_of_google_adk_in_its_order_and_ours_at_the_end(self) -> None:
        document = prepared(said("My favourite coffee")).document(rev=7)
        assert list(document) == [
            "_id", "app_name", "user_id", "session_id", "author", "keywords", "content", "timestamp", "mr",
        ]  # fmt: skip
        assert list(document["_id"].items()) == [
            ("app_name", "shop"), ("user_id", "u-42"), ("session_id", "s-1"), ("event_id", "e-1"),
        ]  # fmt: skip
        assert document["keywords"] == ["coffee", "favourite"]
        assert document["content"] == {"parts": [{"text": "My favourite coffee"}]}
        assert document["timestamp"] == 1.5
        assert document["mr"] == {"v": 1, "rev": 7}

    def test_names_options_in_mr_in_a_fixed_order(self) -> None:
        document = prepared(
            said("kiln"),
            analyzer=ClassicAnalyzer(stop_words={"der"}),
            metadata={"topic": "pottery"},
            expires_at=NOON,
        ).document(rev=7)
        assert list(document["mr"]) == ["v", "rev", "analyzer", "expires_at", "metadata"]
        assert document["mr"]["analyzer"].startswith("classic 1-")

    def test_names_every_analyzer_but_the_classic_default(self) -> None:
        assert "analyzer" not in prepared(said("kiln")).body["mr"]
        other = MultilingualAnalyzer()
        written = prepared(said("kiln"), analyzer=other).body["mr"]["analyzer"]
        assert written == f"multilingual {other.version}"

    def test_encoded_once_takes_any_revision(self) -> None:
        event = prepared(said("kiln"), metadata={"mr": "\x03mr\x00", "rev": 1})
        for rev in (0, 7, 2**62):
            assert bson.decode(event.raw(rev).raw) == event.document(rev)
            assert bson.decode(event.raw(rev).raw)["mr"]["rev"] == rev

    def test_its_repr_shows_no_text(self) -> None:
        assert "walnut" not in repr(prepared(said("walnut pin")))


class TestContent:
    def test_thoughts_are_dropped_and_the_rest_is_kept(self) -> None:
        event = adk(
            types.Part(text="secret plan", thought=True),
            types.Part(text="Order shipped."),
            types.Part(function_call=types.FunctionCall(name="track", args={"n": None, "x": 2**40})),
            types.Part(inline_data=types.Blob(data=b"\xff\x00", mime_type="image/png")),
        )
        assert event.content is not None
        assert event.content.parts is not None
        seen = event.content.model_copy(update={"parts": event.content.parts[1:]})
        document = prepared(event)
        assert document.body["content"] == seen.model_dump(exclude_none=True, mode="json")
        assert document.keywords == ("order", "shipped")

    @pytest.mark.parametrize("role", [None, "user"])
    def test_the_quick_way_for_text_stores_what_the_usual_way_stores(self, role: str | None) -> None:
        quick = Content(parts=[Part(text="hello kiln"), Part(text="")], role=role)
        assert prepared(said("", content=quick)).body["content"] == quick.model_dump(exclude_none=True)

    def test_plain_objects_and_dicts_are_stored_like_models(self) -> None:
        model = called({"a": 1})
        assert model.content is not None
        assert model.content.parts is not None
        call = {"name": "fire", "args": {"a": 1}}
        plain = SimpleNamespace(role="model", parts=[SimpleNamespace(text="kiln"), {"function_call": call}])
        event = SimpleNamespace(id="e-1", author="agent", timestamp=1.5, content=plain)
        assert prepared(event).body == prepared(model).body

    def test_unknown_fields_survive_in_both_spellings(self) -> None:
        part = {"text": "kiln", "functionCall": {"name": "f"}, "video_metadata": {"fps": 3.5}}
        stored = prepared(said("", content={"parts": [part]})).document(1)
        back = decode(bson.decode(bson.encode(stored))).content
        assert back.model_dump(exclude_none=True) == {"parts": [part]}

    def test_function_responses_are_searchable_when_asked_for(self) -> None:
        answer = {"status": "delivered", "codes": ["ZX81", 4417], "ok": True, "none": None}
        event = adk(types.Part(function_response=types.FunctionResponse(name="track", response=answer)))
        assert outcome_of(event) == Skipped(0, "e-1", "no_text")
        for parts in ({"text", "function_response"}, {"text", "function_response:track"}):
            found = prepared(event, index_parts=frozenset(parts))
            assert found.keywords == ("4417", "delivered", "zx81")
        other = frozenset({"text", "function_response:fire"})
        assert outcome_of(event, index_parts=other) == Skipped(0, "e-1", "no_text")

    def test_a_long_function_response_is_indexed_up_to_16_kilobytes(self) -> None:
        answer = {"lines": [f"line{number:05}" for number in range(10_000)]}
        event = adk(types.Part(function_response=types.FunctionResponse(name="log", response=answer)))
        found = prepared(event, index_parts=frozenset({"text", "function_response"}))
        assert found.keywords == tuple(f"line{number:05}" for number in range(16_384 // 10))


class TestSkipped:
    CASES: ClassVar[dict[str, Any]] = {
        "no_content": [
            Event(id="e-1"),
            Event(id="e-1", content=Content()),
            said("", content=Content(parts=[])),
        ],
        "no_text": [said(""), adk(types.Part(function_call=types.FunctionCall(name="f")))],
        "thought_only": [adk(types.Part(text="hm", thought=True))],
        "partial": [said("kiln", partial=True)],
        "stop_words_only": [said("the and"), said("…!")],
    }

    @pytest.mark.parametrize("reason", CASES)
    def test_says_why(self, reason: str) -> None:
        for event in self.CASES[reason]:
            assert outcome_of(event) == Skipped(0, "e-1", reason)  # type: ignore[arg-type]


class TestRepaired:
    def test_lone_surrogates_become_replacement_characters_everywhere(self) -> None:
        event = called({"a": "x\ud800", "b\udfff": ["\udcff"]}, text="kiln \ud800 hot")
        event.author = "ann\ud800"
        found = prepared(event)
        assert found.repaired
        parts = found.body["content"]["parts"]
        assert parts[0] == {"text": "kiln \ufffd hot"}
        assert parts[1]["function_call"]["args"] == {"a": "x\ufffd", "b\ufffd": ["\ufffd"]}
        assert found.body["author"] == "ann\ufffd"

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_numbers_that_json_lacks_become_null(self, value: float) -> None:
        for event in (
            called({"a": value, "b": [value]}),
            adk(
                types.Part(text="kiln"),
                types.Part(function_call=types.FunctionCall(name="fire", args={"a": value, "b": [value]})),
            ),
        ):
            found = prepared(event)
            assert found.repaired
            call = found.body["content"]["parts"][1]["function_call"]
            assert call == {"name": "fire", "args": {"a": None, "b": [None]}}

    @pytest.mark.parametrize("values", [[2**63], [-(2**63) - 1], [0, 2**64]])
    def test_a_list_of_numbers_is_looked_at_to_the_last(self, values: list[int]) -> None:
        assert isinstance(outcome_of(called({"a": values})), Failed)
        assert prepared(called({"a": [0.5, math.nan]})).repaired

    def test_what_is_in_order_is_not_counted(self) -> None:
        assert not prepared(said("kiln 🏺 café")).repaired
        assert not prepared(called({"a": [1.5, None, True, "ß"]})).repaired


class TestExact:
    """What BSON would change is kept as JSON beside it, and comes back as it went in."""

    @pytest.mark.parametrize(
        "args",
        [
            {"$ref": "orders", "$id": 5},
            {"deep": nested(120)},
            {"keys": {"$set": 1, "a.b": 2, "": 3}},
            {"numbers": [2**63 - 1, -(2**63), 0.1, 1e300, -0.0]},
        ],
        ids=["reference", "deep", "odd keys", "numbers"],
    )
    def test_comes_back(self, args: dict[str, Any]) -> None:
        document = bson.decode(prepared(called(args)).raw(1).raw)
        [_, part] = decode(document).content.model_dump(exclude_none=True)["parts"]
        assert part == {"function_call": {"name": "fire", "args": args}}

    def test_the_stored_content_has_null_where_bson_would_differ(self) -> None:
        body = prepared(called({"a": {"$ref": "orders", "$id": 5}, "b": 1})).body
        assert body["content"]["parts"][1]["function_call"]["args"] == {"a": None, "b": 1}

    def test_a_nul_character_in_a_text_is_kept(self) -> None:
        assert decode(bson.decode(prepared(said("kiln\0hot")).raw(1).raw)).content.text == "kiln\0hot"


class TestFailed:
    @pytest.mark.parametrize(
        ("event", "reason"),
        [
            (5, "event must have id, got int without it"),
            (None, "event must have id, got NoneType without it"),
            ({"id": "e-1"}, "event must have id, got dict without it"),
            (SimpleNamespace(id="e-1"), "event must have content, got SimpleNamespace without it"),
            (SimpleNamespace(id=5, content=Content.of("kiln")), "event id must be str, got int"),
            (said("kiln", id="a\nb"), "event id: control character U+000A at 1"),
            (said("kiln", id="x" * 513), "event id: 513 characters, limit 512 bytes"),
            (SimpleNamespace(id="e-1", content=Content.of("kiln"), author=5), "author must be str, got int"),
            (
                SimpleNamespace(id="e-1", content=Content.of("kiln"), timestamp="noon"),
                "timestamp must be a number, got str",
            ),
            (
                SimpleNamespace(id="e-1", content=SimpleNamespace(parts="kiln")),
                "parts must be a list, got str",
            ),
            (called({"a": 2**63}), "an integer over 64 bits cannot be stored"),
            (called({"a\0b": 1}), "a key with a NUL character cannot be stored"),
            (called({"a": object()}), "content cannot be serialised (PydanticSerializationError)"),
            (said("kiln " + "!" * 16_000_000), "text is 16000005 characters, limit 16000000"),
            (said("kiln " + "¡" * 8_000_000), "document is 160002"),
        ],
    )
    def test_says_why_without_content(self, event: Any, reason: str) -> None:
        outcome = outcome_of(event)
        assert isinstance(outcome, Failed)
        assert outcome.reason.startswith(reason)
        assert "kiln" not in outcome.reason

    def test_nesting_of_a_thousand_levels_fails(self) -> None:
        assert isinstance(outcome_of(called(nested(1_000))), Failed)
        outcome = outcome_of(adk(types.Part(function_call=types.FunctionCall(name="f", args=nested(1_000)))))
        assert isinstance(outcome, Failed)

    def test_an_object_that_raises_whatever_it_likes_fails_alone(self) -> None:
        class Hostile:
            id = "e-1"

            @property
            def content(self) -> Any:
                raise ZeroDivisionError("walnut")

        assert outcome_of(Hostile()) == Failed(0, "e-1", "cannot be read (ZeroDivisionError)")

    def test_an_id_that_is_no_proper_one_is_shown_cut_and_escaped(self) -> None:
        outcome = outcome_of(said("kiln", id="\ud800" + "x" * 600))
        assert isinstance(outcome, Failed)
        assert outcome.event_id == "\\ud800" + "x" * 63


class TestIds:
    def test_an_empty_id_is_derived_and_the_same_every_time(self) -> None:
        first, again = prepared(said("kiln", id="")), prepared(said("kiln", id=""))
        assert first.event_id == again.event_id != ""
        others = [said("oven", id=""), said("kiln", id="", author="bob"), said("kiln", id="", timestamp=2.0)]
        assert len({first.event_id, *(prepared(other).event_id for other in others)}) == 4

    def test_ours_and_google_adks_events_derive_the_same(self) -> None:
        ours = called({"b": 1, "a": 2})
        ours.id = ""
        theirs = adk(
            types.Part(text="kiln"),
            types.Part(function_call=types.FunctionCall(name="fire", args={"a": 2, "b": 1})),
            id="x",
        )
        theirs.id = ""
        assert prepared(ours).event_id == prepared(theirs).event_id

    def test_skipped_events_without_an_id_do_not_stand_for_one_another(self) -> None:
        first, second = outcome_of(said("", id=""), index=0), outcome_of(said("", id=""), index=1)
        assert first.event_id != second.event_id

    def test_a_subclass_of_str_is_copied(self) -> None:
        class Name(str):
            __slots__ = ()

        found = prepared(SimpleNamespace(id=Name("e-1"), author=Name("ann"), content=Content.of("kiln")))
        assert type(found.event_id) is str
        assert type(found.body["author"]) is str


class TestMetadata:
    def test_is_copied_deeply(self) -> None:
        given = {"tags": ["a"]}
        kept = check_metadata(given)
        given["tags"].append("b")
        assert kept == {"tags": ["a"]}

    @pytest.mark.parametrize(
        "metadata", [5, "ab", [("a", 1)], {"a": object()}, {"a": 2**64}, {"a\0": 1}, {"$ref": 1}, nested(90)]
    )
    def test_that_cannot_be_stored_is_refused(self, metadata: object) -> None:
        with pytest.raises(InvalidInputError, match=r"^custom_metadata"):
            check_metadata(metadata)

    def test_of_the_event_is_added_to_that_of_the_call_when_the_service_keeps_any(self) -> None:
        event = adk(types.Part(text="kiln"), custom_metadata={"topic": "glaze", "own": 1})
        kept = prepared(event, metadata={"topic": "pottery", "call": 2})
        assert kept.body["mr"]["metadata"] == {"topic": "glaze", "own": 1, "call": 2}
        assert prepared(event, metadata={}).body["mr"]["metadata"] == {"topic": "glaze", "own": 1}
        assert "metadata" not in prepared(event).body["mr"]

    def test_of_one_event_that_cannot_be_stored_fails_it_alone(self) -> None:
        outcome = outcome_of(adk(types.Part(text="kiln"), custom_metadata={"n": 2**64}), metadata={})
        assert outcome == Failed(0, "e-1", "custom_metadata: an integer over 64 bits cannot be stored")

    def test_empty_metadata_is_none(self) -> None:
        assert check_metadata(None) is check_metadata({}) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.characters(categories=["Cs"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=50, deadline=None)
@given(args=st.dictionaries(st.text(max_size=3), JSON, max_size=3), text=st.text(max_size=20))
def test_any_json_is_stored_exactly_repaired_or_refused_with_a_reason(
    args: dict[str, Any], text: str
) -> None:
    outcome = outcome_of(called(args, text="kiln " + text))
    if isinstance(outcome, Failed):
        assert "64 bits" in outcome.reason or "NUL" in outcome.reason
        return
    assert isinstance(outcome, Prepared)
    back = decode(bson.decode(outcome.raw(1).raw)).content.model_dump(exclude_none=True)
    if not outcome.repaired:
        assert back["parts"][1]["function_call"]["args"] == args
        assert back["parts"][0]["text"] == "kiln " + text


@settings(max_examples=50, deadline=None)
@given(
    event=st.builds(
        SimpleNamespace,
        id=st.text(max_size=3) | st.integers() | st.none(),
        author=st.text(max_size=3) | st.integers() | st.none(),
        timestamp=st.floats() | st.integers() | st.text(max_size=3) | st.none(),
        partial=st.sampled_from([None, False, True, "x"]),
        content=st.none()
        | st.integers()
        | st.builds(SimpleNamespace, parts=st.none() | st.text() | st.lists(JSON, max_size=2), role=JSON),
    )
)
def test_whatever_an_event_is_something_becomes_of_it(event: Any) -> None:
    outcome = outcome_of(event)
    assert isinstance(outcome, Prepared | Skipped | Failed)
    assert outcome.index == 0
    if isinstance(outcome, Prepared):
        assert outcome.identity["app_name"] == SCOPE.app_name
