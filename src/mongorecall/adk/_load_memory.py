"""The ``load_memory`` tool: ADK's own, which also tells the model why it found nothing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Literal, get_args

from google.adk.tools.load_memory_tool import LoadMemoryResponse as AdkLoadMemoryResponse
from google.adk.tools.load_memory_tool import LoadMemoryTool as AdkLoadMemoryTool

from mongorecall.adk._service import AdkSearchMemoryResponse
from mongorecall.errors import InvalidInputError

if TYPE_CHECKING:
    from google.adk.memory.base_memory_service import SearchMemoryResponse as AdkResponse
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.tool_context import ToolContext

    from mongorecall.models import EmptyReason

_log = logging.getLogger("mongorecall.adk")

OnError = Literal["raise", "report"]

INSTRUCTION = (
    "You have a memory of earlier conversations with this user. When a question may need something said"
    " earlier, call load_memory with the words you expect in the answer or in what was said about it. It"
    " matches words, so names and things find more than whole sentences. When nothing comes back, read the"
    " reason in the response."
)

_REASONS: dict[EmptyReason, str] = {
    "no_searchable_words": "The query had no searchable words. Call again with names or things in it.",
    "nothing_stored": "Nothing is stored in memory yet for this user. Calling again will not help.",
    "no_shared_keyword": "No memory shares a word with the query. Call again with other words for it.",
    "malformed": "Memories match, but none of them can be read.",
    "filtered": "Memories match, but all are left out by the filters of this search.",
}
_NOTHING_FOUND = "No memory matches the query. Call again with other words for it."
_FAILED = "Memory cannot be searched at the moment. Answer without it, and say so where it matters."


class LoadMemoryResponse(AdkLoadMemoryResponse):
    """What the model gets: the memories, or the reason why there is none.

    Attributes:
        reason: a sentence that the model can act on; None when there are memories.
    """

    reason: str | None = None


class LoadMemoryTool(AdkLoadMemoryTool):
    """ADK's ``load_memory`` with the same name and declaration, a reason, and a choice for failures.

    Args:
        on_error: ``"raise"`` lets the error of the memory service end the run, as ADK's own tool does.
            ``"report"`` tells the model that memory cannot be searched, logs a warning with the class of
            the error, and counts it in `failures`; the run goes on.
    """

    def __init__(self, *, on_error: OnError = "raise") -> None:
        if on_error not in get_args(OnError):
            raise InvalidInputError('on_error must be "raise" or "report"')
        super().__init__()
        self.on_error = on_error
        self.failures = 0
        """Searches that failed and were reported to the model."""

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """Search the memory of the session's own user.

        Raises:
            ValueError: the runner has no memory service.
        """
        if tool_context.get_invocation_context().memory_service is None:
            raise ValueError("Memory service is not initialized.")
        query = args.get("query")
        if not isinstance(query, str):
            return LoadMemoryResponse(reason="load_memory needs a query, which is a text. Call it again.")
        try:
            found = await tool_context.search_memory(query)
        except Exception as error:  # any service may stand behind the context, so any error may come
            if self.on_error == "raise":
                raise
            self.failures += 1
            _log.warning("memory.tool failed error=%s", type(error).__name__)
            return LoadMemoryResponse(reason=_FAILED)
        return LoadMemoryResponse(memories=found.memories, reason=_reason(found))

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        """Offer the tool to the model, and tell it that it has a memory."""
        await super(AdkLoadMemoryTool, self).process_llm_request(
            tool_context=tool_context, llm_request=llm_request
        )
        llm_request.append_instructions([INSTRUCTION])


def _reason(found: AdkResponse) -> str | None:
    if found.memories:
        return None
    reason = found.reason if isinstance(found, AdkSearchMemoryResponse) else None
    return _REASONS[reason] if reason else _NOTHING_FOUND


load_memory = LoadMemoryTool()
"""The tool with ``on_error="raise"``: ``LlmAgent(tools=[load_memory])``."""
