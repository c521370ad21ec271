"""`AutoRemember`: each turn is stored once, after its run, and a failure never breaks the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from google.adk.tools.load_memory_tool import load_memory_tool as adk_load_memory

from mongorecall.adk import AutoRemember, MongoDbMemoryService
from tests.adk.events import warned
from tests.adk.scripted import Conversation, answer_with_memory, call_load_memory

if TYPE_CHECKING:
    from google.adk.agents.callback_context import CallbackContext
    from pymongo.collection import Collection

    from tests.adk.scripted import Step


@pytest.mark.seed("I-011", "I-070", "I-072")
async def test_each_turn_is_remembered_after_its_run(
    memory: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    """What was said is found from the next session, without a line of code in the agent."""
    plugin = AutoRemember()
    steps: list[Step] = ["Noted.", call_load_memory("coffee"), answer_with_memory]
    talk = Conversation(memory, steps, tools=[adk_load_memory], plugins=[plugin])
    await talk.say("My coffee is a flat white.")
    assert sorted(each["author"] for each in raw.find()) == ["assistant", "user"]
    assert await talk.answer("Which coffee?") == "You said: My coffee is a flat white."
    assert (plugin.remembered, plugin.failures) == (6, 0)


async def test_a_run_stores_its_own_events_only(
    memory: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    """The second turn of a session does not write the first one again."""
    plugin = AutoRemember()
    talk = Conversation(memory, ["One.", "Two."], plugins=[plugin])
    session_id = await talk.open()
    await talk.say("first", session_id=session_id)
    raw.delete_many({})
    await talk.say("second", session_id=session_id)
    assert sorted(each["content"]["parts"][0]["text"] for each in raw.find()) == ["Two.", "second"]


async def test_the_session_is_read_again(
    memory: MongoDbMemoryService, raw: Collection[dict[str, Any]]
) -> None:
    """A copy that a callback cut short is not what is stored."""

    def cut_short(callback_context: CallbackContext) -> None:
        callback_context.session.events.clear()

    talk = Conversation(memory, ["Noted."], plugins=[AutoRemember()], after_agent_callback=cut_short)
    await talk.say("My coffee is a flat white.")
    assert raw.count_documents({}) == 2


async def test_a_failure_is_logged_and_counted_and_the_run_goes_on(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """The user gets the answer whatever becomes of memory."""
    plugin = AutoRemember()
    await memory.close()
    talk = Conversation(memory, ["Noted."], plugins=[plugin])
    assert await talk.answer("My pin is walnut.") == "Noted."
    assert (plugin.remembered, plugin.failures) == (0, 1)
    assert warned(caplog) == ["memory.write failed plugin=auto_remember error=ClosedError"]
    assert "walnut" not in caplog.text


async def test_without_a_memory_service_each_run_counts_as_a_failure() -> None:
    """The plugin was added, so somebody expects memories."""
    plugin = AutoRemember()
    talk = Conversation(None, ["Noted."], plugins=[plugin])
    assert await talk.answer("Hello") == "Noted."
    assert plugin.failures == 1
