"""Counts of a scope that the server answers from indexes alone, as parts of one aggregation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mongorecall._documents import fields
from mongorecall._documents.filters import id_range, scope_filter

if TYPE_CHECKING:
    from mongorecall.models import MemoryScope

Pipeline = list[dict[str, Any]]

COUNT: Final = "n"
"""The field of a row that holds its count."""

LABEL: Final = "of"
"""The field of a row that says what was counted."""


def count_keyword(scope: MemoryScope, keyword: str, *, label: int, most: int) -> Pipeline:
    """How many documents have ``keyword``, counted to ``most``. No row when none has."""
    return _counted({**scope_filter(scope), fields.KEYWORDS: {"$eq": keyword}}, label, most)


def count_documents(scope: MemoryScope, *, label: int, most: int) -> Pipeline:
    """How many documents stand in the scope's range of ``_id``, markers included, counted to ``most``."""
    return _counted(id_range(scope), label, most)


def count_markers(scope: MemoryScope, *, label: int, most: int) -> Pipeline:
    """How many documents have no keywords field, which only markers have not, counted to ``most``.

    Reads these documents: the index cannot tell null from missing.
    """
    return _counted({**scope_filter(scope), fields.KEYWORDS: {"$exists": False}}, label, most)


def joined(collection: str, parts: list[Pipeline]) -> Pipeline:
    """The rows of all parts, from one command on ``collection``."""
    first, *rest = parts
    return [*first, *({"$unionWith": {"coll": collection, "pipeline": part}} for part in rest)]


def _counted(where: dict[str, Any], label: int, most: int) -> Pipeline:
    return [
        {"$match": where},
        {"$limit": most},
        {"$count": COUNT},
        {"$addFields": {LABEL: {"$literal": label}}},
    ]
