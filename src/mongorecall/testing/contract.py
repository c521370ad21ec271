"""`MemoryServiceContract`: what every memory service promises, as a pytest class for any backend.

Subclass it, give it a ``service`` fixture, and run pytest (with pytest-asyncio)::

    class TestMyService(MemoryServiceContract):
        @pytest_asyncio.fixture
        async def service(self):
            async with MyMemoryService() as service:
                yield service

Each test writes under names of its own, so the store may be shared and need not be empty. What a service
can do beyond the basic promises it declares in ``capabilities``; methods outside them must refuse with
``NotImplementedError``, and that is tested too. A google-adk service is tested through
`mongorecall.adk.from_adk`.
"""

# ruff: noqa: S101 - a contract is made of assertions

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, ClassVar

import pytest

from mongorecall.models import Content, Event, Part
from mongorecall.testing._corner import MONDAY, Corner, said
from mongorecall.testing._declared import DeclaredCapabilities


class MemoryServiceContract(DeclaredCapabilities):
    """The promises; see the module for how to run them.

    Attributes:
        deviations: test name → reason, for promises that the service is known to break. These tests
            become strict expected failures: the run also fails when one of them begins to pass.
        punctuation_hides_words: True for a service that splits queries at white space only, so that
            ``coffee?`` does not find "coffee", as ADK Java's in-memory service does.
    """

    deviations: ClassVar[Mapping[str, str]] = {}
    punctuation_hides_words: ClassVar[bool] = False

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        for name, reason in cls.deviations.items():
            setattr(cls, name, _expected_to_fail(getattr(cls, name), reason))

    # --- recall ------------------------------------------------------------------------------------

    async def test_a_later_session_recalls_an_earlier_one(self, corner: Corner) -> None:
        """Monday's session is over and stored; Thursday's, under the same key, finds what it said."""
        await corner.add_session(said("My favourite coffee is a flat white."), session_id="monday")
        await corner.add_session(said("Good morning!", minute=4320), session_id="thursday")
        assert await corner.finds("What coffee do I usually get?") == ["My favourite coffee is a flat white."]

    async def test_recalls_under_the_same_key_only(self, corner: Corner) -> None:
        """The same user by another form of the id is another user."""
        await corner.add_session(said("My favourite coffee is a flat white."))
        assert await corner.finds("coffee") == ["My favourite coffee is a flat white."]
        other_form = corner.beside(user_id=corner.scope.user_id.removeprefix("user-"))
        assert await other_form.finds("coffee") == []

    async def test_punctuation_does_not_hide_a_word(self, corner: Corner) -> None:
        """``coffee?`` finds what ``coffee`` finds."""
        await corner.add_session(said("My favourite coffee is a flat white."))
        assert len(await corner.finds("coffee?")) == (0 if self.punctuation_hides_words else 1)

    async def test_numbers_are_words(self, corner: Corner) -> None:
        """An order number is found, with its ``#`` and without."""
        await corner.add(said("Order #4417 shipped."))
        assert await corner.finds("4417") == await corner.finds("where's #4417?") == ["Order #4417 shipped."]

    async def test_letter_case_and_composition_do_not_matter(self, corner: Corner) -> None:
        """``CAFÉ`` finds ``cafe`` + combining acute, which is the same word in Unicode."""
        await corner.add(said("The cafe\u0301 opens late."))
        assert len(await corner.finds("CAFÉ")) == 1

    async def test_a_latin_word_inside_another_script_is_found(self, corner: Corner) -> None:
        """A product name inside unspaced text is a word; a piece of it is not."""
        await corner.add(said("使用MongoDB存储"))
        assert await corner.finds("mongodb") == ["使用MongoDB存储"]
        assert await corner.finds("mongo") == []

    async def test_any_shared_word_is_enough(self, corner: Corner) -> None:
        """A whole question finds a turn that shares one word with it."""
        await corner.add(said("The kiln code is 7781."))
        assert await corner.finds("why can't I remember the kiln temperature?") == ["The kiln code is 7781."]

    async def test_a_query_without_words_finds_nothing(self, corner: Corner) -> None:
        """Empty, blank and punctuation-only queries are normal queries."""
        await corner.add(said("kiln"))
        assert [await corner.finds(query) for query in ("", "  ", "?!")] == [[], [], []]

    async def test_an_empty_store_finds_nothing(self, corner: Corner) -> None:
        """A scope that nobody wrote to answers with an empty list."""
        assert await corner.finds("kiln") == []

    # --- order -------------------------------------------------------------------------------------

    async def test_more_shared_words_come_first(self, corner: Corner) -> None:
        """Order by the number of query words in the turn, not by their repetition, nor by time."""
        await corner.add(
            said("blue glaze recipe", minute=1),
            said("blue blue blue blue", minute=3),
            said("blue glaze", minute=2),
        )
        assert await corner.finds("blue glaze recipe") == [
            "blue glaze recipe",
            "blue glaze",
            "blue blue blue blue",
        ]

    async def test_among_equals_the_newest_comes_first(self, corner: Corner) -> None:
        """Equal scores are ordered by time, newest first, whatever the order of writing."""
        await corner.add(*[said(f"kiln {minute}", minute=minute) for minute in (2, 0, 3, 1)])
        assert await corner.finds("kiln") == ["kiln 3", "kiln 2", "kiln 1", "kiln 0"]

    async def test_the_order_is_total(self, corner: Corner) -> None:
        """Equal in score and time: by session id, then event id. Nothing is left to chance."""
        for session_id in ("s-2", "s-1"):
            await corner.add(
                *[said(f"kiln {session_id} {event}", id=event) for event in ("c", "a", "b")],
                session_id=session_id,
            )
        expected = [
            f"kiln {session_id} {event}" for session_id in ("s-1", "s-2") for event in ("a", "b", "c")
        ]
        assert await corner.finds("kiln") == expected

    async def test_equal_turns_are_returned_once(self, corner: Corner) -> None:
        """The same author, text and time in two sessions is one memory to a reader."""
        await corner.add(said("kiln", id="a"), session_id="s-1")
        await corner.add(said("kiln", id="b"), session_id="s-2")
        assert await corner.finds("kiln") == ["kiln"]

    # --- what comes back ---------------------------------------------------------------------------

    async def test_an_entry_tells_what_was_said_by_whom_and_when(self, corner: Corner) -> None:
        """Content, author, event id, and the time as ISO 8601 with an offset from UTC."""
        await corner.add(said("The kiln is hot.", id="e-1", author="helper"))
        [memory] = (await corner.search("kiln")).memories
        assert (memory.id, memory.author, memory.content.role) == ("e-1", "helper", "model")
        moment = datetime.fromisoformat(memory.timestamp or "")
        assert moment.utcoffset() == timedelta(0)
        assert moment == MONDAY

    async def test_other_parts_come_back_as_they_went_in(self, corner: Corner) -> None:
        """A function call beside text is kept, with its arguments."""
        call = {"name": "order_status", "args": {"order": 4417, "deep": [{"flag": True, "none": [1.5]}]}}
        event = said("Looking up the kiln order.")
        assert event.content is not None
        event.content.parts = [*(event.content.parts or ()), Part.model_validate({"function_call": call})]
        await corner.add(event)
        [memory] = (await corner.search("kiln")).memories
        dumped = memory.content.model_dump(exclude_none=True)
        assert [part.get("function_call") for part in dumped["parts"]] == [None, call]

    async def test_thoughts_are_never_returned(self, corner: Corner) -> None:
        """A model's thoughts are neither searched nor shown."""
        event = said("visible kiln")
        assert event.content is not None
        event.content.parts = [Part(text="secret walnut", thought=True), *(event.content.parts or ())]
        await corner.add(event)
        assert await corner.finds("walnut") == []
        [memory] = (await corner.search("kiln")).memories
        assert [part.text for part in memory.content.parts or ()] == ["visible kiln"]

    async def test_a_caller_who_changes_an_event_or_an_answer_changes_no_memory(self, corner: Corner) -> None:
        """What is stored is a copy, and what is returned is another."""
        event = said("kiln")
        await corner.add(event)
        assert event.content is not None
        event.content.parts = [Part(text="changed")]
        answer = await corner.search("kiln")
        answer.memories[0].content.parts = []
        assert await corner.finds("kiln") == ["kiln"]

    # --- writing -----------------------------------------------------------------------------------

    async def test_adding_again_adds_nothing(self, corner: Corner) -> None:
        """A session may be added after every turn, whole or in part."""
        first, second = said("kiln one", minute=1), said("kiln two", minute=2)
        await corner.add_session(first)
        await corner.add_session(first, second)
        await corner.add(second)
        assert sorted(await corner.finds("kiln")) == ["kiln one", "kiln two"]

    async def test_a_part_of_a_session_leaves_the_rest_alone(self, corner: Corner) -> None:
        """Adding an older copy of a session does not remove the turns it lacks."""
        first, second = said("kiln one", minute=1), said("kiln two", minute=2)
        await corner.add(first, second)
        await corner.add_session(first)
        assert sorted(await corner.finds("kiln")) == ["kiln one", "kiln two"]

    async def test_twenty_adds_of_one_event_at_once_make_one_memory(self, corner: Corner) -> None:
        """Writers may race; none fails, and one memory is there."""
        event = said("kiln")
        await asyncio.gather(*[corner.add(event) for _ in range(20)])
        assert await corner.finds("kiln") == ["kiln"]

    async def test_events_without_text_do_no_harm(self, corner: Corner) -> None:
        """No content, no parts, only a function call: not found, and in nobody's way."""
        call = Part.model_validate({"function_call": {"name": "kiln", "args": {}}})
        empty = [Event(author="user"), Event(author="user", content=Content(parts=[]))]
        await corner.add(*empty, Event(author="agent", content=Content(parts=[call])), said("kiln"))
        assert await corner.finds("kiln") == ["kiln"]

    async def test_streaming_chunks_are_not_stored(self, corner: Corner) -> None:
        """Partial events are on the way to the final one, which is stored."""
        chunk = said("The kiln")
        chunk.partial = True
        await corner.add(chunk, said("The kiln is hot."))
        assert await corner.finds("kiln") == ["The kiln is hot."]

    async def test_events_without_a_session_are_found(self, corner: Corner) -> None:
        """The session id may be left out."""
        await corner.service.add_events_to_memory(**corner.names, events=[said("kiln")])
        assert await corner.finds("kiln") == ["kiln"]

    # --- redaction ---------------------------------------------------------------------------------

    async def test_adding_an_event_with_new_text_replaces_the_old(self, corner: Corner) -> None:
        """The id names the memory: its old text is gone."""
        await corner.add(said("my pin is walnut", id="e-1"))
        await corner.add(said("my pin is secret", id="e-1"))
        assert await corner.finds("walnut") == []
        assert await corner.finds("pin") == ["my pin is secret"]

    async def test_adding_an_event_without_words_erases_it(self, corner: Corner) -> None:
        """Redaction erases, also when nothing searchable is left."""
        await corner.add(said("my pin is walnut", id="e-1"))
        await corner.add(said("***", id="e-1"))
        assert await corner.finds("walnut pin") == []

    async def test_adding_an_event_without_text_erases_it(self, corner: Corner) -> None:
        """Redaction erases, also when nothing at all is left."""
        await corner.add(said("my pin is walnut", id="e-1"))
        await corner.add(said("", id="e-1"))
        assert await corner.finds("walnut pin") == []

    # --- isolation ---------------------------------------------------------------------------------

    async def test_users_and_apps_never_meet(self, corner: Corner) -> None:
        """Equal session and event ids under another user or app are other memories."""
        other_user = corner.beside(user_id=corner.scope.user_id + "-b")
        other_app = corner.beside(app_name=corner.scope.app_name + "-b")
        for place, text in ((corner, "kiln one"), (other_user, "kiln two"), (other_app, "kiln three")):
            await place.add(said(text, id="e-1"))
        assert await corner.finds("kiln") == ["kiln one"]
        assert await other_user.finds("kiln") == ["kiln two"]
        assert await other_app.finds("kiln") == ["kiln three"]

    async def test_ids_are_compared_exactly(self, corner: Corner) -> None:
        """Case, white space and a slash in another place make another user."""
        await corner.add(said("kiln"))
        app, user = corner.scope.app_name, corner.scope.user_id
        near = [(app, user.upper()), (app, user + " "), (f"{app}/{user[:4]}", user[4:]), (user, app)]
        for app_name, user_id in near:
            assert await corner.beside(app_name=app_name, user_id=user_id).finds("kiln") == []

    @pytest.mark.parametrize("hostile", [{"$ne": None}, {"$gt": ""}, None, 42, ["a"], ""])
    async def test_an_id_that_is_not_a_proper_text_is_refused(self, corner: Corner, hostile: Any) -> None:
        """An operator in place of a user id reads nobody's memories."""
        await corner.add(said("kiln"))
        with pytest.raises((ValueError, TypeError)):
            await corner.service.search_memory(app_name=corner.scope.app_name, user_id=hostile, query="kiln")

    @pytest.mark.parametrize("hostile", [None, 5, ["kiln"], {"$ne": 1}])
    async def test_a_query_that_is_not_a_text_is_refused(self, corner: Corner, hostile: Any) -> None:
        """A query is a ``str``."""
        with pytest.raises(TypeError):
            await corner.search(hostile)

    async def test_closing_twice_is_harmless(self, corner: Corner) -> None:
        """Whoever cleans up need not know who else did."""
        await corner.service.close()
        await corner.service.close()


def _expected_to_fail(test: Callable[..., Coroutine[Any, Any, None]], reason: str) -> Any:
    """A copy of the test that must fail its assertions; the inherited one stays as it is."""

    @wraps(test)
    async def deviating(*arguments: Any, **named: Any) -> None:
        await test(*arguments, **named)

    raises = (AssertionError, NotImplementedError, pytest.fail.Exception)
    return pytest.mark.xfail(reason=reason, strict=True, raises=raises)(deviating)
