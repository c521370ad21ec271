"""Notice turns that another analyzer wrote: they may stay unfound, and reindexing mends it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from mongorecall._documents import analyzer_stamp, stored_analyzer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mongorecall.analysis import Analyzer

_log = logging.getLogger("mongorecall")


class Strangers:
    """Warns once that a search met documents of another analyzer than the service's."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._own = analyzer_stamp(analyzer)
        self._warned = False

    def look(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Look at the rows of a search; names of analyzers are no secret."""
        if self._warned:
            return
        own = self._own
        for row in rows:
            stamp = stored_analyzer(row)
            if stamp != own:
                self._warned = True
                _log.warning(
                    "memory.search met turns that analyzer %s wrote, and this service uses %s: turns may "
                    "stay unfound until they are reindexed (MongoDbMemoryService.reindex, or "
                    "`mongorecall reindex`)",
                    stamp or "classic",
                    own or "classic",
                )
                return
