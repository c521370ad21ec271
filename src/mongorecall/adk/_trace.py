"""`MemoryTracePlugin`: log what was asked of memory in a run, by the model and by the runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.load_memory_tool import LoadMemoryResponse as AdkLoadMemoryResponse
from google.adk.tools.load_memory_tool import LoadMemoryTool as AdkLoadMemoryTool
from google.adk.tools.load_memory_tool import load_memory as adk_load_memory

from mongorecall.adk._trace_lines import Question, TraceLines
from mongorecall.adk._watch import WatchedMemoryService

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.memory.base_memory_service import BaseMemoryService as AdkBaseMemoryService
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext


class MemoryTracePlugin(BasePlugin):
    """Logs two lines for each question to memory in a run, and changes nothing in it.

    ``memory.query`` tells who asked (``source``), under which key, how many tokens and keywords the query
    has, and which tokens are dead: they can match nothing. ``memory.tool`` tells milliseconds and hits, or
    the class of the error. The sources are ``load_memory`` (the model called the tool), ``preload_memory``
    (the runtime searched with the user's message) and ``context`` (a callback or tool of yours searched
    through ADK's ``Context``).

    No line at all means that nobody asked: the agent lacks the tool, or the model did not call it.

    Args:
        name: the plugin's name in the runner.
        log_content: log the query text too. It often holds personal data.
    """

    def __init__(self, *, name: str = "memory_trace", log_content: bool = False) -> None:
        super().__init__(name)
        self._lines = TraceLines(log_content=log_content)
        self._open: dict[tuple[str, str | None], Question] = {}

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """Log the query of a ``load_memory`` call and start its timer."""
        if is_load_memory(tool):
            run = tool_context.get_invocation_context()
            call = tool_context.function_call_id
            question = self._lines.ask(run, tool_args.get("query"), source="load_memory", call=call)
            self._open[run.invocation_id, call] = question

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> None:
        """Log how long the call took and how much it found."""
        question = self._close(tool_context)
        if question is not None:
            hits = len(result.memories) if isinstance(result, AdkLoadMemoryResponse) else None
            self._lines.tell(question, hits=hits)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> None:
        """Log the class of the error, also of a cancellation, and clear the timer."""
        question = self._close(tool_context)
        if question is not None:
            self._lines.tell(question, error=error)

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Watch the searches of this run that pass no tool callback: ``preload_memory``'s and callbacks'."""
        service = invocation_context.memory_service
        if service is not None and not isinstance(service, _TracedMemoryService):
            invocation_context.memory_service = _TracedMemoryService(
                service, run=invocation_context, lines=self._lines, is_open=self._is_open
            )

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Clear what is left of the run."""
        self._clear(invocation_context.invocation_id)

    async def on_run_error_callback(
        self, *, invocation_context: InvocationContext, error: BaseException
    ) -> None:
        """Clear what is left of a run that failed."""
        self._clear(invocation_context.invocation_id)

    def _close(self, context: ToolContext) -> Question | None:
        return self._open.pop((context.invocation_id, context.function_call_id), None)

    def _is_open(self, invocation_id: str, query: str) -> bool:
        """Whether a ``load_memory`` call with this query is under way in the run."""
        return any(key[0] == invocation_id and asked.query == query for key, asked in self._open.items())

    def _clear(self, invocation_id: str) -> None:
        for key in [key for key in self._open if key[0] == invocation_id]:
            del self._open[key]


def is_load_memory(tool: BaseTool) -> bool:
    """Whether the tool is ADK's ``load_memory``, a subclass of it such as ours, or its bare function.

    The tool object is asked, not its name: a tool of yours may have the same name, and a toolset may
    prefix the name of this one.
    """
    return isinstance(tool, AdkLoadMemoryTool) or getattr(tool, "func", None) is adk_load_memory


class _TracedMemoryService(WatchedMemoryService):
    """Traces the searches of one run that no ``load_memory`` call stands behind."""

    def __init__(
        self,
        watched: AdkBaseMemoryService,
        *,
        run: InvocationContext,
        lines: TraceLines,
        is_open: Callable[[str, str], bool],
    ) -> None:
        super().__init__(watched)
        self._run = run
        self._lines = lines
        self._is_open = is_open

    async def search_memory(self, **arguments: Any) -> Any:
        query = arguments.get("query")
        if isinstance(query, str) and self._is_open(self._run.invocation_id, query):
            return await super().search_memory(**arguments)
        source = "preload_memory" if query == _message_text(self._run) else "context"
        question = self._lines.ask(self._run, query, source=source)
        try:
            found = await super().search_memory(**arguments)
        except BaseException as error:
            self._lines.tell(question, error=error)
            raise
        self._lines.tell(question, hits=len(found.memories))
        return found


def _message_text(run: InvocationContext) -> str:
    """The user's message as ``preload_memory`` takes it for its query."""
    parts = run.user_content.parts if run.user_content else None
    return " ".join(part.text for part in parts or () if part.text and not part.thought)
