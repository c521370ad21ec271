"""One question to one service: everything that the parts of an answer share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

from mongorecall.analysis import ClassicAnalyzer
from mongorecall.base import SearchOptions
from mongorecall.errors import UnsupportedError
from mongorecall.inspection._explaining import explain_for
from mongorecall.inspection._service import InspectingMemoryService
from mongorecall.models import MemoryScope

if TYPE_CHECKING:
    from mongorecall._documents.probing import Probe
    from mongorecall.analysis import Analyzer
    from mongorecall.base import BaseMemoryService
    from mongorecall.inspection._journal import KeyJournal
    from mongorecall.inspection._reports import QueryExplanation
    from mongorecall.models import SearchMemoryResponse


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A search to be explained.

    Attributes:
        service: the service itself, out of its inspecting decorators: looking must leave no records.
        journal: what the outermost decorator saw; None without one.
        probe: the service's own reader; None for a service that has none.
        scope: the key, by the service's policy.
        query: the query.
        options: the filters of the search.
        reading: how the service reads the query.
        analyzer: the service's rules; the classic ones when it does not tell them.
    """

    service: BaseMemoryService
    journal: KeyJournal | None
    probe: Probe | None
    scope: MemoryScope
    query: str = field(repr=False)
    options: SearchOptions
    reading: QueryExplanation
    analyzer: Analyzer

    @property
    def key(self) -> tuple[str, str]:
        """App and user."""
        return self.scope.app_name, self.scope.user_id

    async def search(self, **more: Unpack[SearchOptions]) -> SearchMemoryResponse:
        """The real search, with ``more`` over its options."""
        return await self.service.search_memory(
            app_name=self.scope.app_name,
            user_id=self.scope.user_id,
            query=self.query,
            **(self.options | more),
        )


def open_inquiry(
    service: BaseMemoryService, app_name: str, user_id: str, query: str, options: SearchOptions
) -> Inquiry:
    """Check the arguments and read the query; no round trip."""
    journal = None
    while isinstance(service, InspectingMemoryService):
        journal = journal or service.journal
        service = service.delegate
    probe: Probe | None = getattr(service, "probe", None)
    scope = MemoryScope.of(app_name, user_id) if probe is None else probe.scope(app_name, user_id)
    given: SearchOptions = {name: value for name, value in options.items() if value is not None}  # type: ignore[assignment]  # the names stay those of SearchOptions
    return Inquiry(
        service, journal, probe, scope, query, given, explain_for(service, query), _analyzer_of(service)
    )


def _analyzer_of(service: BaseMemoryService) -> Analyzer:
    try:
        return service.analyzer
    except UnsupportedError:
        return ClassicAnalyzer()
