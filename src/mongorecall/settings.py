"""Options of a service read from ``MONGORECALL_*`` environment variables.

For programs without code of their own, the command line and ``mongorecall serve``. The library itself
reads the environment only to see whether a feature is switched off.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self

from mongorecall.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "MONGORECALL_"

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_PASSWORD = re.compile(r"://.*@")  # to the last @: a password may hold anything


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the memories lie and how they are read. A field is set by ``MONGORECALL_`` and its name.

    Attributes:
        uri: connection string of the MongoDB; never in ``repr``.
        database: name of the database.
        collection: name of the collection.
        app: default app name of the command line.
        user: default user id of the command line.
        driver: ``"motor"`` or ``"pymongo"``.
        analyzer: ``"classic"`` or ``"multilingual"``.
        ranking: ``"overlap"``, ``"idf"`` or ``"context"``.
        stop_words: words that replace the analyzer's own list; comma-separated in the environment.
        max_results: most memories of one search.
        ensure_indexes: whether the index is created when it is missing.
        recency_index: whether the second index, for very common words, is kept.
        store_metadata: whether custom metadata is kept.
        direct_memories: whether ``add_memory`` is allowed.
        retention_days: days after which memories expire; never when None.
        timeout_seconds: the longest a call may take.
        key_policy: ``"exact"``, ``"strip"`` or ``"casefold"``.
    """

    uri: str | None = field(default=None, repr=False)
    database: str = "mongorecall"
    collection: str = "memories"
    app: str | None = None
    user: str | None = None
    driver: str = "motor"
    analyzer: str = "classic"
    ranking: str = "overlap"
    stop_words: frozenset[str] | None = None
    max_results: int = 50
    ensure_indexes: bool = True
    recency_index: bool = False
    store_metadata: bool = False
    direct_memories: bool = False
    retention_days: float | None = None
    timeout_seconds: float = 10.0
    key_policy: str = "exact"

    @classmethod
    def from_environ(cls, environ: Mapping[str, str] = os.environ, *, base: Self | None = None) -> Self:
        """``base`` (the defaults) with what the environment says in its place.

        An empty variable says nothing.

        Raises:
            InvalidInputError: a value cannot be read; the message names the variable, not the value.
        """
        given = {}
        for one in fields(cls):
            text = environ.get(PREFIX + one.name.upper())
            if text:
                given[one.name] = _read(one.name, str(one.type), text)
        return (base or cls()).with_changes(**given)

    def with_changes(self, **changes: Any) -> Self:
        """A copy; a change to None changes nothing, as for an option that was not given."""
        return replace(self, **{name: value for name, value in changes.items() if value is not None})

    def service_options(self) -> dict[str, Any]:
        """The keyword arguments of ``MongoDbMemoryService`` for these settings."""
        days = self.retention_days
        return {
            "database_name": self.database,
            "connection_string": self.uri,
            "memories_collection": self.collection,
            "stop_words": self.stop_words,
            "max_results": self.max_results,
            "ensure_indexes": self.ensure_indexes,
            "driver": self.driver,
            "analyzer": self.analyzer,
            "ranking": self.ranking,
            "recency_index": self.recency_index,
            "store_metadata": self.store_metadata,
            "direct_memories": self.direct_memories,
            "retention": None if days is None else timedelta(days=days),
            "operation_timeout": timedelta(seconds=self.timeout_seconds),
            "key_policy": self.key_policy,
        }


RECOMMENDED = Settings(analyzer="multilingual", ranking="context")
"""What new projects should take; the defaults are those of google-adk's service."""


def masked(uri: str) -> str:
    """A connection string fit to be shown: without user, password and options."""
    return _PASSWORD.sub("://", uri).partition("?")[0]


def _read(name: str, kind: str, text: str) -> Any:
    variable = PREFIX + name.upper()
    if kind.startswith("frozenset"):
        return frozenset(word.strip() for word in text.split(",") if word.strip())
    if kind.startswith("bool"):
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise InvalidInputError(f"{variable} must be true or false")
    if kind.startswith(("int", "float")):
        try:
            return int(text) if kind.startswith("int") else float(text)
        except ValueError:
            raise InvalidInputError(f"{variable} must be a number") from None
    return text
