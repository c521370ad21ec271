"""`MemoryTracePlugin`: who asked memory for what, in two lines, without touching the run."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.agents.llm_agent import LlmAgent
from google.adk.memory import InMemoryMemoryService as AdkInMemoryMemoryService
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.load_memory_tool import load_memory as adk_load_memory_function
from google.adk.tools.load_memory_tool import load_memory_tool as adk_load_memory
from google.adk.tools.preload_memory_tool import preload_memory_tool as preload_memory

from mongorecall.adk import MemoryTracePlugin, MongoDbMemoryService, load_memory
from mongorecall.adk._trace import is_load_memory
from mongorecall.errors import ClosedError
from tests.adk.scripted import Conversation, ScriptedModel, answer_with_memory, call_load_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.adk.agents.callback_context import CallbackContext
    from google.adk.memory.base_memory_service import BaseMemoryService

    from tests.adk.scripted import Step

_FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\[.*?\]|\S+)')


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, dict[str, Any]]]:
    """The plugin's lines as (event, fields)."""
    told = [record.getMessage() for record in caplog.records if record.name == "mongorecall.adk"]
    mine = [line for line in told if line.startswith(("memory.query", "memory.tool"))]
    return [(line.split(" ")[0], fields_of(line)) for line in mine]


def fields_of(line: str) -> dict[str, Any]:
    """The fields of a line."""
    return {name: _value(value) for name, value in _FIELD.findall(line)}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@pytest.fixture(autouse=True)
def _at_info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="mongorecall")


def traced(
    memory: BaseMemoryService, steps: Sequence[Step], *, log_content: bool = False, **options: Any
) -> Conversation:
    """A conversation with the plugin."""
    return Conversation(memory, steps, plugins=[MemoryTracePlugin(log_content=log_content)], **options)


@pytest.mark.seed("I-041", "I-042", "I-072")
@pytest.mark.parametrize("tool", [adk_load_memory, load_memory], ids=["adk", "ours"])
async def test_a_call_logs_its_query_and_its_time(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture, tool: FunctionTool
) -> None:
    """Key, counts and dead tokens before the call; milliseconds and hits after it."""
    talk = traced(memory, [call_load_memory("the coffee ?!", id="call-1"), "Done."], tools=[tool])
    await talk.say("What coffee?")
    [(asked, query), (ended, outcome)] = lines(caplog)
    assert (asked, ended) == ("memory.query", "memory.tool")
    assert query == {
        "key": "support/u-42",
        "source": "load_memory",
        "call": "call-1",
        "tokens": 3,
        "keywords": 1,
        "dead": ["the", "?!"],
        "dead_count": 2,
    }
    assert outcome["call"] == "call-1"
    assert outcome["hits"] == 0
    assert 0 <= outcome["ms"] < 60_000


@pytest.mark.seed("I-044")
@pytest.mark.shows_content
async def test_the_query_is_logged_only_when_asked_for(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """A query often holds personal data."""
    steps: list[Step] = [call_load_memory('my "walnut" pin'), "Done."]
    await traced(memory, steps, tools=[load_memory]).say("pin?")
    assert "walnut" not in caplog.text
    await traced(memory, steps, tools=[load_memory], log_content=True).say("pin?")
    assert lines(caplog)[2][1]["q"] == 'my "walnut" pin'


async def test_a_line_break_in_a_query_makes_no_line_of_its_own(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """Values are escaped, so that a query cannot forge a log line."""
    steps: list[Step] = [call_load_memory("kiln\nmemory.write key=support/u-1"), "Done."]
    await traced(memory, steps, tools=[load_memory], log_content=True).say("?")
    assert [fields["key"] for _, fields in lines(caplog)] == ["support/u-42", "support/u-42"]
    assert not re.search(r"^memory\.write", caplog.text, re.MULTILINE)


@pytest.mark.seed("I-043")
async def test_the_run_is_the_same_with_and_without_the_plugin(memory: MongoDbMemoryService) -> None:
    """Same events, same requests to the model."""
    runs = []
    for plugins in ([], [MemoryTracePlugin()]):
        steps: list[Step] = [call_load_memory("coffee", id="call-1"), answer_with_memory]
        talk = Conversation(memory, steps, tools=[load_memory, preload_memory], plugins=plugins)
        events = await talk.say("What coffee?")
        requests = [[content.model_dump() for content in each.contents] for each in talk.model.requests]
        runs.append(([event.content for event in events], requests))
    assert runs[0] == runs[1]


@pytest.mark.seed("I-045")
async def test_a_run_that_asks_nothing_logs_nothing(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """No line means that the agent lacks the tool or the model did not call it."""
    await traced(memory, ["Hello."], tools=[load_memory]).say("Hello")
    assert lines(caplog) == []


async def test_preload_memory_is_traced_too(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """It passes no tool callback; its search is seen all the same."""
    await traced(memory, ["Hello."], tools=[preload_memory]).say("the coffee")
    [(_, query), (_, outcome)] = lines(caplog)
    assert (query["source"], query["keywords"], query["dead"]) == ("preload_memory", 1, ["the"])
    assert (outcome["source"], outcome["hits"]) == ("preload_memory", 0)


async def test_a_search_by_a_callback_is_traced_as_one(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither the model nor preload_memory asked."""

    async def look(callback_context: CallbackContext) -> None:
        await callback_context.search_memory("kiln")

    await traced(memory, ["Hello."], before_agent_callback=look).say("Hello")
    assert [fields["source"] for _, fields in lines(caplog)] == ["context", "context"]


@pytest.mark.seed("I-040")
async def test_calls_of_every_agent_are_seen(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """The plugin belongs to the runner, so a sub-agent's calls are seen as well."""
    helper = LlmAgent(
        name="helper",
        description="Looks things up.",
        model=ScriptedModel([call_load_memory("kiln"), "Nothing."]),
        tools=[load_memory],
    )
    hand_over = call_load_memory("ignored")
    assert hand_over.function_call is not None
    hand_over.function_call.name = "transfer_to_agent"
    hand_over.function_call.args = {"agent_name": "helper"}
    await traced(memory, [hand_over], sub_agents=[helper]).say("kiln?")
    assert [event for event, _ in lines(caplog)] == ["memory.query", "memory.tool"]


def test_the_tool_is_recognised_by_what_it_is() -> None:
    """Not by its name: a tool of the same name is another tool, and a bare function is this one."""

    def load_memory(query: str) -> str:
        """Another tool of the same name."""
        return ""

    assert not is_load_memory(FunctionTool(load_memory))
    assert is_load_memory(FunctionTool(adk_load_memory_function))
    assert is_load_memory(adk_load_memory)


async def test_an_error_ends_the_timer_and_is_logged_by_its_class(
    memory: MongoDbMemoryService, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing stays behind of a call that failed."""
    plugin = MemoryTracePlugin()
    await memory.close()
    talk = Conversation(memory, [call_load_memory("walnut")], tools=[load_memory], plugins=[plugin])
    with pytest.raises(ClosedError):
        await talk.say("pin?")
    assert lines(caplog)[-1][1]["error"] == "ClosedError"
    assert "walnut" not in caplog.text
    assert plugin._open == {}


async def test_a_cancelled_call_ends_the_timer(caplog: pytest.LogCaptureFixture) -> None:
    """A run that is cancelled in the middle of a search leaves no timer."""
    began = asyncio.Event()

    class Slow(AdkInMemoryMemoryService):
        async def search_memory(self, *, app_name: str, user_id: str, query: str) -> Any:
            began.set()
            await asyncio.sleep(60)

    plugin = MemoryTracePlugin()
    talk = Conversation(Slow(), [call_load_memory("kiln")], tools=[load_memory], plugins=[plugin])
    run = asyncio.create_task(talk.say("kiln?"))
    await began.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert plugin._open == {}
    assert lines(caplog)[-1][1]["error"] == "CancelledError"


async def test_rules_that_a_service_does_not_tell_are_assumed_and_said_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """ADK's in-memory service names no analyzer; the counts are by the classic rules."""
    talk = traced(AdkInMemoryMemoryService(), [call_load_memory("coffee?"), "Done."], tools=[load_memory])
    await talk.say("coffee?")
    assert lines(caplog)[0][1]["assumed"] is True
