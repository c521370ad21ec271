"""`AutoRemember`: store the turns of each run when it is over."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from google.adk.plugins.base_plugin import BasePlugin

if TYPE_CHECKING:
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.events.event import Event as AdkEvent

_log = logging.getLogger("mongorecall.adk")


class AutoRemember(BasePlugin):
    """Stores the settled events of each run once, after it. ADK itself never writes memory.

    Off unless you add it: ``Runner(..., plugins=[AutoRemember()])``. The session is read again from the
    session service first, because the copy a run holds may lack its last events. Events of other runs are
    left alone, partial (streaming) events never stored. A run that ends with an error is not remembered.

    A failure never breaks the run: it is logged as a warning with the class of the error and counted.

    Attributes:
        remembered: events handed to the memory service, those without text included.
        failures: runs whose events could not be stored.
    """

    def __init__(self, *, name: str = "auto_remember") -> None:
        super().__init__(name)
        self.remembered = 0
        self.failures = 0

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Read the session again and store the events of this run."""
        try:
            self.remembered += await _remember(invocation_context)
        except Exception as error:  # noqa: BLE001 - any service may stand behind it, and the run is over
            self.failures += 1
            _log.warning("memory.write failed plugin=%s error=%s", self.name, type(error).__name__)


async def _remember(run: InvocationContext) -> int:
    """Store the settled events of the run; how many there were."""
    if run.memory_service is None:
        raise ValueError("Memory service is not initialized.")
    session = await run.session_service.get_session(
        app_name=run.app_name, user_id=run.user_id, session_id=run.session.id
    )
    settled = [event for event in session.events if _is_settled(event, run)] if session else []
    if settled:
        await run.memory_service.add_events_to_memory(
            app_name=run.app_name, user_id=run.user_id, session_id=run.session.id, events=settled
        )
    return len(settled)


def _is_settled(event: AdkEvent, run: InvocationContext) -> bool:
    return event.invocation_id == run.invocation_id and not event.partial
