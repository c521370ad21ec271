"""The contract that every memory service keeps."""

from __future__ import annotations

import abc
import logging
from collections.abc import AsyncIterator, Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypedDict, Unpack

from mongorecall.errors import InvalidInputError, PartialWriteError, UnsupportedError

if TYPE_CHECKING:
    from types import TracebackType

    from mongorecall.analysis import Analyzer
    from mongorecall.models import (
        ForgetReceipt,
        IngestReport,
        MemoryPage,
        Metadata,
        SearchMemoryResponse,
        SessionPage,
    )

_log = logging.getLogger("mongorecall")

Capability = Literal[
    "add_memory",  # add_memory stores
    "delete",  # delete_memory, delete_session_memory, delete_user_memory, remember_again
    "filters",  # search_memory takes SearchOptions
    "list",  # list_memories, list_sessions, count_memories, export_user
    "metadata",  # custom_metadata is kept and returned
    "score_parts",  # search_memory takes score_parts, and returns each score taken apart
    "report",  # add_events and add_session return an IngestReport that names every event
    "ttl",  # add_events takes ttl
]


class SearchOptions(TypedDict, total=False):
    """Keyword arguments of `BaseMemoryService.search_memory`; see `mongorecall.models.SearchFilters`."""

    limit: int | None
    session_id: str | None
    exclude_session_id: str | None
    author: str | None
    since: datetime | None
    until: datetime | None
    min_score: float | None
    score_parts: bool | None


class AddOptions(TypedDict, total=False):
    """Keyword arguments of the adding methods.

    ``custom_metadata`` is ignored unless the service stores metadata (seed behaviour); ``ttl`` (a
    ``timedelta`` or seconds) makes these memories expire, and needs the capability ``"ttl"``.
    """

    custom_metadata: Metadata | None
    ttl: timedelta | float | None


class BaseMemoryService(abc.ABC):
    """Stores finished conversation turns and finds them again, apart for each app and user.

    The first five methods are google-adk's, by name and by argument. What a service can do beyond
    ``add_session_to_memory``, ``add_events_to_memory`` and ``search_memory`` is in `capabilities`; a
    method outside them raises `UnsupportedError`, which also is a ``NotImplementedError``.
    """

    capabilities: frozenset[Capability] = frozenset()

    RESERVED: ClassVar[str] = "__unknown_session_id__"
    """The session id of events added without one."""

    @property
    def analyzer(self) -> Analyzer:
        """The analyzer that splits text and queries. `UnsupportedError` when the service tells none."""
        raise UnsupportedError(f"{type(self).__name__} does not tell its analyzer")

    # --- writing ---------------------------------------------------------------------------------

    async def add_session_to_memory(self, session: Any) -> None:
        """Store the text turns of a session (any object with ``app_name user_id id events``).

        Repeating it is safe. One command per slice of at most 500 events.

        Raises:
            InvalidInputError: an id is bad; nothing was sent.
            PartialWriteError: some events are stored and some are not.
            RecallError: as `mongorecall.errors` lists; ``outcome`` says what is known.
        """
        settle(await self.add_session(session))

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Iterable[Any],
        session_id: str | None = None,
        **options: Unpack[AddOptions],
    ) -> None:
        """Store the text turns among ``events``; as `add_session_to_memory`, for a part of a session."""
        settle(
            await self.add_events(
                app_name=app_name, user_id=user_id, events=events, session_id=session_id, **options
            )
        )

    @abc.abstractmethod
    async def add_events(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Iterable[Any],
        session_id: str | None = None,
        **options: Unpack[AddOptions],
    ) -> IngestReport:
        """Store the text turns among ``events`` and say what became of each event.

        An event that cannot be stored is named in ``failed`` and stops no other; only what concerns the
        whole call is raised: a bad id, a server that does not answer, a missing privilege.
        """

    async def add_session(self, session: Any, **options: Unpack[AddOptions]) -> IngestReport:
        """As `add_events`, with the session's own ids."""
        return await self.add_events(
            app_name=read_field("session", session, "app_name"),
            user_id=read_field("session", session, "user_id"),
            events=read_field("session", session, "events"),
            session_id=read_field("session", session, "id"),
            **options,
        )

    async def add_memory(
        self, *, app_name: str, user_id: str, memories: Iterable[Any], custom_metadata: Metadata | None = None
    ) -> None:
        """Store memory entries that no event stands behind."""
        raise UnsupportedError(
            f"{type(self).__name__} does not implement add_memory", hint="needs direct_memories=True"
        )

    # --- reading -----------------------------------------------------------------------------------

    @abc.abstractmethod
    async def search_memory(
        self, *, app_name: str, user_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> SearchMemoryResponse:
        """The turns of this app and user that share keywords with ``query``, best first."""

    async def list_memories(
        self,
        *,
        app_name: str,
        user_id: str,
        session_id: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> MemoryPage:
        """One page of the memories of a scope, in the order of ``(session_id, event_id)``."""
        raise self._unsupported("list_memories")

    async def list_sessions(
        self, *, app_name: str, user_id: str, limit: int = 100, cursor: str | None = None
    ) -> SessionPage:
        """One page of the sessions of a scope, in the order of their id."""
        raise self._unsupported("list_sessions")

    async def count_memories(self, *, app_name: str, user_id: str, session_id: str | None = None) -> int:
        """How many memories a scope, or one session of it, holds. Expired and forgotten ones do not count."""
        raise self._unsupported("count_memories")

    def export_user(self, *, app_name: str, user_id: str) -> AsyncIterator[dict[str, Any]]:
        """Everything held about one user, as JSON-ready dicts, markers of forgotten events included."""
        raise self._unsupported("export_user")

    # --- forgetting --------------------------------------------------------------------------------

    async def delete_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memory_id: str | None = None,
        session_id: str | None = None,
        dry_run: bool = False,
    ) -> ForgetReceipt:
        """Forget one event for good: re-adding its session does not bring it back."""
        raise self._unsupported("delete_memory")

    async def delete_session_memory(
        self, *, app_name: str, user_id: str, session_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """Forget every memory of a session for good."""
        raise self._unsupported("delete_session_memory")

    async def delete_user_memory(
        self, *, app_name: str, user_id: str, dry_run: bool = False
    ) -> ForgetReceipt:
        """Forget every memory of an app and user for good."""
        raise self._unsupported("delete_user_memory")

    async def remember_again(
        self, *, app_name: str, user_id: str, memory_id: str | None = None, session_id: str | None = None
    ) -> int:
        """Lift the markers of forgotten events, so that adding stores them again; how many were lifted."""
        raise self._unsupported("remember_again")

    # --- life --------------------------------------------------------------------------------------

    async def close(self) -> None:  # noqa: B027 - a service that holds nothing has nothing to close
        """Give back what the service opened. Closing twice is harmless."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _unsupported(self, method: str) -> UnsupportedError:
        return UnsupportedError(f"{type(self).__name__} does not implement {method}")


_LISTED = 5
_SHOWN_CHARACTERS = 64


def settle(report: IngestReport) -> None:
    """Log the counts of a report, and raise `PartialWriteError` when it names failed events."""
    skipped = sum(report.skipped.values())
    _log.info(
        "memory.add received=%d stored=%d replaced=%d unchanged=%d erased=%d skipped=%d failed=%d",
        report.received,
        report.stored,
        report.replaced,
        report.unchanged,
        report.erased,
        skipped,
        len(report.failed),
    )
    if not report.failed:
        return
    named = "; ".join(
        f"[{failed.index}] {(failed.event_id or '')[:_SHOWN_CHARACTERS]!r}: {failed.reason}"
        for failed in report.failed[:_LISTED]
    )
    rest = len(report.failed) - _LISTED
    raise PartialWriteError(
        f"stored {report.received - len(report.failed)} of {report.received} events, "
        f"{len(report.failed)} failed: {named}" + (f" and {rest} more" if rest > 0 else ""),
        report=report,
    )


def read_field(owner: str, value: object, field: str) -> Any:
    """An attribute of a duck-typed argument; `InvalidInputError` names it when it is missing."""
    try:
        return getattr(value, field)
    except AttributeError:
        kind = type(value).__name__[:64]
        raise InvalidInputError(f"{owner} must have {field}, got {kind} without it") from None
