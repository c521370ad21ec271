"""Our ``load_memory`` tool: google-adk's, with a reason for an empty result and a choice for failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from google.adk.memory import InMemoryMemoryService as AdkInMemoryMemoryService
from google.adk.tools.load_memory_tool import LoadMemoryResponse as AdkLoadMemoryResponse
from google.adk.tools.load_memory_tool import LoadMemoryTool as AdkLoadMemoryTool

from mongorecall.adk import LoadMemoryResponse, LoadMemoryTool, MongoDbMemoryService, load_memory
from mongorecall.errors import ClosedError, InvalidInputError
from tests.adk.events import warned
from tests.adk.scripted import Conversation, call_load_memory, tool_answers

if TYPE_CHECKING:
    from google.adk.memory.base_memory_service import BaseMemoryService


async def ask(
    memory: BaseMemoryService | None, query: Any, *, tool: LoadMemoryTool = load_memory
) -> LoadMemoryResponse:
    """Let the model call the tool once; what the tool answered."""
    talk = Conversation(memory, [call_load_memory(query), "Done."], tools=[tool])
    await talk.say("What did I say?")
    [answer] = tool_answers(talk.model.requests[-1])
    assert isinstance(answer, LoadMemoryResponse)
    return answer


async def test_an_empty_store_is_told(memory: MongoDbMemoryService) -> None:
    """The model learns that nothing is stored, so that it does not ask again."""
    answer = await ask(memory, "coffee")
    assert answer.memories == []
    assert answer.reason == "Nothing is stored in memory yet for this user. Calling again will not help."


async def test_a_query_without_searchable_words_is_told(memory: MongoDbMemoryService) -> None:
    """The model learns that its words can match nothing, so that it asks with others."""
    answer = await ask(memory, "what is it?")
    assert answer.reason == "The query had no searchable words. Call again with names or things in it."


async def test_a_query_that_shares_no_word_is_told(memory: MongoDbMemoryService) -> None:
    """Memory is there, and other words may find it."""
    talk = Conversation(memory, ["Noted."])
    session_id = await talk.open()
    events = await talk.say("My coffee is a flat white.", session_id=session_id)
    await memory.add_events_to_memory(app_name="support", user_id="u-42", events=events)
    answer = await ask(memory, "parrot")
    assert answer.reason == "No memory shares a word with the query. Call again with other words for it."
    assert (await ask(memory, "noted")).reason is None


async def test_a_service_that_gives_no_reason_gets_a_plain_one() -> None:
    """Any ADK memory service may stand behind the tool."""
    answer = await ask(AdkInMemoryMemoryService(), "coffee")
    assert answer.reason == "No memory matches the query. Call again with other words for it."


async def test_a_call_without_a_query_is_told(memory: MongoDbMemoryService) -> None:
    """Models do forget arguments; the run goes on."""
    assert (await ask(memory, None)).reason == "load_memory needs a query, which is a text. Call it again."


@pytest.mark.seed("I-005")
async def test_without_a_memory_service_it_raises() -> None:
    """A runner without a memory service is a mistake of the application, not of the model."""
    with pytest.raises(ValueError, match=r"^Memory service is not initialized\.$"):
        await ask(None, "coffee")
    with pytest.raises(ValueError, match=r"^Memory service is not initialized\.$"):
        await ask(None, "coffee", tool=LoadMemoryTool(on_error="report"))


@pytest.mark.seed("I-003")
async def test_the_request_says_that_there_is_a_memory(memory: MongoDbMemoryService) -> None:
    """The instruction names the tool; the declaration is ADK's own."""
    talk = Conversation(memory, ["Hello."], tools=[load_memory], instruction="Be kind.")
    await talk.say("Hello")
    config = talk.model.requests[0].config
    assert isinstance(config.system_instruction, str)
    assert "You have a memory" in config.system_instruction
    assert "call load_memory" in config.system_instruction
    assert load_memory._get_declaration() == AdkLoadMemoryTool()._get_declaration()


def test_it_is_adks_tool_and_its_response_adks_response() -> None:
    """Code that asks for ADK's classes gets them."""
    assert isinstance(load_memory, AdkLoadMemoryTool)
    assert load_memory.name == "load_memory"
    assert issubclass(LoadMemoryResponse, AdkLoadMemoryResponse)


async def test_by_default_an_error_of_the_service_ends_the_run(memory: MongoDbMemoryService) -> None:
    """As with ADK's own tool."""
    await memory.close()
    with pytest.raises(ClosedError):
        await ask(memory, "coffee")


async def test_an_error_can_be_reported_to_the_model_instead(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """The run goes on, the failure is counted and logged by its class, and nothing of the query shows."""
    tool = LoadMemoryTool(on_error="report")
    await memory.close()
    answer = await ask(memory, "walnut", tool=tool)
    assert answer.memories == []
    assert (answer.reason or "").startswith("Memory cannot be searched at the moment.")
    assert tool.failures == 1
    assert warned(caplog) == ["memory.tool failed error=ClosedError"]
    assert "walnut" not in caplog.text


def test_another_choice_for_errors_is_refused() -> None:
    """There are two."""
    with pytest.raises(InvalidInputError, match="on_error"):
        LoadMemoryTool(on_error="ignore")  # type: ignore[arg-type]
