"""Memory services by URI, for ``adk web --memory_service_uri=mongorecall://…`` and its sisters."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from google.adk.cli.service_registry import get_service_registry

from mongorecall.adk._mongodb import MongoDbMemoryService
from mongorecall.errors import InvalidInputError
from mongorecall.settings import PREFIX, Settings

if TYPE_CHECKING:
    from urllib.parse import SplitResult

SCHEME = "mongorecall"

_OPTIONS = frozenset(one.name for one in fields(Settings)) - {"uri", "database", "collection", "app", "user"}


class MemoryServiceFromUri(MongoDbMemoryService):
    """The drop-in service described by a URI: ``mongorecall://DATABASE/COLLECTION?OPTION=VALUE&…``.

    Everything may be left out. Options are those of `mongorecall.settings.Settings`, such as
    ``max_results=20`` or ``analyzer=multilingual``; what the URI does not say, the ``MONGORECALL_*``
    variables do. The connection string is read from ``MONGORECALL_URI``, or from the variable that
    ``uri_env=NAME`` names. It is never part of the URI: command lines can be read by others.

    For ADK's ``services.yaml``::

        services:
          - scheme: mongorecall
            type: memory
            class: mongorecall.adk.MemoryServiceFromUri

    Raises:
        InvalidInputError: the URI holds a host, password or unknown option, or the variable is not set.
    """

    def __init__(self, uri: str, **_: Any) -> None:
        # ADK also passes the folder of the agents, which says nothing about memory.
        super().__init__(**_options(uri))


def register(scheme: str = SCHEME) -> None:
    """Let ADK make memory services from ``mongorecall://`` URIs.

    ADK has no entry points. Put this into ``services.py`` in your agents' folder::

        import mongorecall.adk; mongorecall.adk.register()
    """
    get_service_registry().register_memory_service(scheme, MemoryServiceFromUri)


def _options(uri: str) -> dict[str, Any]:
    parts = urlsplit(uri)
    database, collection = _names(parts)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    uri_variable = options.pop("uri_env", f"{PREFIX}URI")
    unknown = sorted(options.keys() - _OPTIONS)
    if unknown:
        raise InvalidInputError(f"memory service URI: no such option: {', '.join(unknown)[:200]}")
    told = {PREFIX + name.upper(): value for name, value in options.items()}
    settings = Settings.from_environ({**os.environ, **told})
    settings = settings.with_changes(database=database, collection=collection)
    settings = settings.with_changes(uri=_connection_string(uri_variable))
    return settings.service_options()


def _names(parts: SplitResult) -> tuple[str | None, str | None]:
    if "@" in parts.netloc or ":" in parts.netloc:
        raise InvalidInputError(
            "memory service URI: it names a database, not a host",
            hint=f"mongorecall://DATABASE/COLLECTION, and the connection string in {PREFIX}URI",
        )
    database, collection = unquote(parts.netloc), unquote(parts.path.strip("/"))
    return database or None, collection or None


def _connection_string(variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise InvalidInputError(f"{variable} is not set: it must hold the connection string of the MongoDB")
    return value
