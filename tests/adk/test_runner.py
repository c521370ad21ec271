"""The drop-in service in google-adk's own Runner: tools, callbacks, several event loops."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.agents.llm_agent import LlmAgent
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.tools.load_memory_tool import load_memory_tool as adk_load_memory
from google.adk.tools.preload_memory_tool import preload_memory_tool as preload_memory
from google.genai import types

from mongorecall.adk import MongoDbMemoryService, load_memory, to_adk
from mongorecall.inspection import InspectingMemoryService
from tests.adk.scripted import (
    Conversation,
    ScriptedModel,
    answer_with_memory,
    call_load_memory,
    text_of,
)

if TYPE_CHECKING:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.memory.base_memory_service import BaseMemoryService
    from google.adk.tools.base_tool import BaseTool
    from pymongo.collection import Collection

    from tests.adk.scripted import Step

FACT = "My favourite coffee is a flat white."


async def remember_session(callback_context: CallbackContext) -> None:
    """An agent callback that stores the whole session."""
    await callback_context.add_session_to_memory()


async def remember_latest(callback_context: CallbackContext) -> None:
    """An agent callback that stores the latest event, as the first steps of google-adk's guide do."""
    await callback_context.add_events_to_memory(events=callback_context.session.events[-1:])


async def tell(memory: BaseMemoryService, text: str, **options: Any) -> None:
    """One session in which the user says something, stored by a callback."""
    talk = Conversation(memory, ["Noted."], after_agent_callback=remember_session, **options)
    await talk.say(text)


@pytest.mark.seed("R-001", "R-002", "R-004", "R-006", "I-002", "I-061")
@pytest.mark.parametrize("tool", [adk_load_memory, load_memory], ids=["adk", "ours"])
async def test_a_second_session_answers_with_what_the_first_one_said(
    memory: MongoDbMemoryService, tool: BaseTool
) -> None:
    """Session one says a fact; in session two the model calls load_memory and answers with it."""
    await tell(memory, FACT)
    thursday = Conversation(memory, [call_load_memory("coffee"), answer_with_memory], tools=[tool])
    assert await thursday.answer("What coffee do I usually get?") == f"You said: {FACT}"


@pytest.mark.seed("R-002")
async def test_preload_puts_the_memory_into_the_request(memory: MongoDbMemoryService) -> None:
    """preload_memory searches with the user's message before the model is asked."""
    await tell(memory, FACT)
    thursday = Conversation(memory, ["A flat white."], tools=[preload_memory])
    await thursday.say("What coffee do I usually get?")
    assert f"user: {FACT}" in text_of(thursday.model.requests[0])


@pytest.mark.seed("R-002", "R-005")
async def test_a_callback_adds_only_the_latest_event(memory: MongoDbMemoryService) -> None:
    """``Context.add_events_to_memory(events=…[-1:])`` adds to what is stored, turn by turn."""
    talk = Conversation(memory, ["The kiln is on.", "The kiln is off."], after_agent_callback=remember_latest)
    session_id = await talk.open()
    for text in ("kiln on", "kiln off"):
        await talk.say(text, session_id=session_id)
    found = await memory.search_memory(app_name="support", user_id="u-42", query="kiln")
    said = [memory.content.parts[0].text for memory in found.memories if memory.content.parts]
    assert said == ["The kiln is off.", "The kiln is on."]


@pytest.mark.seed("R-002")
async def test_the_context_searches_and_deletes(memory: MongoDbMemoryService) -> None:
    """``Context.search_memory`` finds, and ``Context.delete_memory`` takes the id that it returned."""
    await tell(memory, FACT)

    async def forget(callback_context: CallbackContext) -> None:
        for each in (await callback_context.search_memory("coffee")).memories:
            await callback_context.delete_memory(each.id)

    talk = Conversation(memory, ["Forgotten."], after_agent_callback=forget)
    await talk.say("Forget that.")
    assert (await memory.search_memory(app_name="support", user_id="u-42", query="coffee")).memories == []


@pytest.mark.seed("I-004")
async def test_a_tool_searches_as_the_user_of_its_session(memory: MongoDbMemoryService) -> None:
    """Another user of the same app asks the same and gets nothing."""
    await tell(memory, FACT)
    steps: list[Step] = [call_load_memory("coffee"), answer_with_memory]
    other = Conversation(memory, steps, tools=[load_memory], user_id="u-43")
    assert await other.answer("What coffee do I usually get?") == "You said: "


@pytest.mark.seed("I-023", "I-052")
async def test_a_tool_result_is_found_once_the_agent_restates_it(memory: MongoDbMemoryService) -> None:
    """A number that stands only in a function response is not text; the agent's sentence about it is."""

    def order_status() -> dict[str, str]:
        """Look up the order."""
        return {"order": "4417", "status": "shipped"}

    call = types.Part(function_call=types.FunctionCall(name="order_status", args={}))
    scripts = (call, "Done."), (call, "Order 4417 has shipped.")
    hits = []
    for script in scripts:
        talk = Conversation(memory, script, tools=[order_status], after_agent_callback=remember_session)
        await talk.say("Where is my parcel?")
        found = await memory.search_memory(app_name="support", user_id="u-42", query="Where's order 4417?")
        hits.append(len(found.memories))
    assert hits == [0, 1]


async def test_an_inspecting_service_works_in_the_runner(memory: MongoDbMemoryService) -> None:
    """``to_adk(InspectingMemoryService(…))`` is a memory service like any other."""
    inspected = to_adk(InspectingMemoryService(memory.service))
    await tell(inspected, FACT)
    thursday = Conversation(inspected, [call_load_memory("coffee"), answer_with_memory], tools=[load_memory])
    assert await thursday.answer("What coffee?") == f"You said: {FACT}"


def test_synchronous_runs_share_one_service(
    uri: str, database: str, driver: str, raw: Collection[dict[str, Any]]
) -> None:
    """Each ``Runner.run()`` makes an event loop in a thread of its own; the service outlives them all."""
    memory = MongoDbMemoryService(database_name=database, connection_string=uri, driver=driver)
    sessions = InMemorySessionService()
    steps: list[Step] = ["Noted.", call_load_memory("coffee"), answer_with_memory]
    agent = LlmAgent(
        name="assistant",
        model=ScriptedModel(steps),
        tools=[load_memory],
        after_agent_callback=remember_session,
    )
    runner = Runner(app_name="support", agent=agent, session_service=sessions, memory_service=memory)
    answers = []
    for session_id, text in (("s-1", FACT), ("s-2", "What coffee do I usually get?")):
        asyncio.run(sessions.create_session(app_name="support", user_id="u-42", session_id=session_id))
        message = types.Content(role="user", parts=[types.Part(text=text)])
        events = list(runner.run(user_id="u-42", session_id=session_id, new_message=message))
        answers.append(events[-1].content)
    asyncio.run(memory.close())
    assert answers[-1] == types.Content(role="model", parts=[types.Part(text=f"You said: {FACT}")])
    assert raw.count_documents({}) == 4
