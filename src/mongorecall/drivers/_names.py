"""Names of databases and collections that the server takes, checked before any I/O."""

from __future__ import annotations

from mongorecall._checks import as_str
from mongorecall.errors import InvalidInputError

_MAX_DATABASE_BYTES = 63
_MAX_NAMESPACE_BYTES = 235  # of "database.collection"; the limit that also holds for sharded collections
_FORBIDDEN_IN_DATABASE = '/\\. "$\0'


def check_database_name(value: object) -> str:
    """A database name: not empty, at most 63 bytes, none of ``/ \\ . " $``, space and NUL."""
    name = as_str("database_name", value)
    _check_encodes("database_name", name)
    if not name:
        raise InvalidInputError("database_name must not be empty")
    if any(character in _FORBIDDEN_IN_DATABASE for character in name):
        raise InvalidInputError('database_name must not contain any of / \\ . " $, space and NUL')
    if len(name.encode()) > _MAX_DATABASE_BYTES:
        raise InvalidInputError(f"database_name: {len(name.encode())} bytes, limit {_MAX_DATABASE_BYTES}")
    return name


def check_collection_name(database_name: str, value: object) -> str:
    """A collection name that can be written: not empty, not ``system.…``, no ``$``, NUL or stray dot."""
    name = as_str("memories_collection", value)
    _check_encodes("memories_collection", name)
    if not name:
        raise InvalidInputError("memories_collection must not be empty")
    if "$" in name or "\0" in name or ".." in name or name.startswith((".", "system.")) or name.endswith("."):
        raise InvalidInputError(
            "memories_collection must not contain $, NUL or an empty part, nor begin with system."
        )
    size = len(database_name.encode()) + 1 + len(name.encode())
    if size > _MAX_NAMESPACE_BYTES:
        raise InvalidInputError(
            f"memories_collection: {size} bytes with its database, limit {_MAX_NAMESPACE_BYTES}"
        )
    return name


def _check_encodes(option: str, name: str) -> None:
    if any(0xD800 <= ord(character) <= 0xDFFF for character in name):
        raise InvalidInputError(f"{option} must not contain surrogates")
