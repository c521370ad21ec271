"""A model that follows a script, and a runner to talk to it; everything else is google-adk's own."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING, Any

from google.adk.agents.llm_agent import LlmAgent
from google.adk.apps.app import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types
from pydantic import PrivateAttr

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService
    from google.adk.plugins.base_plugin import BasePlugin

Step = str | types.Part | Callable[[LlmRequest], str]
"""What the model says next: a text, a function call, or a text made from the request."""


class ScriptedModel(BaseLlm):
    """Says the steps of its script, one a request, and keeps the requests."""

    _steps: list[Step] = PrivateAttr()
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__(model="scripted")
        self._steps = list(steps)

    @property
    def requests(self) -> list[LlmRequest]:
        """What the model was asked, in order."""
        return self._requests

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next step."""
        self._requests.append(llm_request)
        step = self._steps.pop(0)
        said = step(llm_request) if callable(step) else step
        part = types.Part(text=said) if isinstance(said, str) else said
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=1, candidates_token_count=1)
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


def call_load_memory(query: Any, *, id: str | None = None) -> types.Part:  # noqa: A002
    """The model calls ``load_memory``."""
    arguments = {} if query is None else {"query": query}
    return types.Part(function_call=types.FunctionCall(id=id, name="load_memory", args=arguments))


def tool_answers(request: LlmRequest) -> list[Any]:
    """What the tools answered, as the model sees it, oldest first."""
    parts = [part for content in request.contents for part in content.parts or ()]
    answers = [part.function_response.response for part in parts if part.function_response]
    return [answer.get("result", answer) for answer in answers if answer is not None]


def answer_with_memory(request: LlmRequest) -> str:
    """Answer with the texts that the last tool call found."""
    memories = tool_answers(request)[-1].memories
    return "You said: " + " | ".join(part.text or "" for each in memories for part in each.content.parts)


def text_of(request: LlmRequest) -> str:
    """Everything the model can read in a request's contents."""
    return "\n".join(part.text for content in request.contents for part in content.parts or () if part.text)


class Conversation:
    """A runner of one app with a scripted agent."""

    def __init__(
        self,
        memory: BaseMemoryService | None,
        steps: Sequence[Step],
        *,
        tools: Sequence[Any] = (),
        plugins: Sequence[BasePlugin] = (),
        app_name: str = "support",
        user_id: str = "u-42",
        **agent_options: Any,
    ) -> None:
        self.model = ScriptedModel(steps)
        self.user_id = user_id
        self.sessions = InMemorySessionService()
        agent = LlmAgent(name="assistant", model=self.model, tools=list(tools), **agent_options)
        app = App(name=app_name, root_agent=agent, plugins=list(plugins))
        self.runner = Runner(app=app, session_service=self.sessions, memory_service=memory)

    async def open(self) -> str:
        """A new session; its id."""
        session_id = f"s-{uuid.uuid4().hex[:8]}"
        await self.sessions.create_session(
            app_name=self.runner.app_name, user_id=self.user_id, session_id=session_id
        )
        return session_id

    async def say(self, text: str, *, session_id: str | None = None) -> list[Event]:
        """Say something in a session, a new one by default; the events of the run."""
        message = types.Content(role="user", parts=[types.Part(text=text)])
        run = self.runner.run_async(
            user_id=self.user_id, session_id=session_id or await self.open(), new_message=message
        )
        return [event async for event in run]

    async def answer(self, text: str, *, session_id: str | None = None) -> str:
        """The last text of the run."""
        last = (await self.say(text, session_id=session_id))[-1]
        assert last.content is not None
        assert last.content.parts is not None
        return last.content.parts[0].text or ""
