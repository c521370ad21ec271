"""Who is speaking, and whether it is a question: what a turn's form says about its use as an answer."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mongorecall._documents import fields, stored_text
from mongorecall.analysis import plain_words, written_without_spaces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mongorecall._ranking._protocol import Document


def asks(document: Document) -> bool:
    """Whether its text has a question mark."""
    text = stored_text(document)
    return "?" in text or "？" in text or "؟" in text  # in a third of the time that a pattern takes


def named_authors(query: str, documents: Iterable[Document]) -> frozenset[str]:
    """The authors of ``documents`` that the query names; none when it names every one of them.

    A name is named by one of its words, in any case; in scripts without spaces by standing in the query.
    """
    authors = {author for document in documents if isinstance(author := document.get(fields.AUTHOR), str)}
    words = plain_words(query)
    named = frozenset(author for author in authors if _is_named(author, words))
    return frozenset() if named == authors else named


def _is_named(author: str, words: frozenset[str]) -> bool:
    return any(
        name in words or (written_without_spaces(name) and any(name in word for word in words))
        for name in _names(author)
    )


@lru_cache(maxsize=1_024)
def _names(author: str) -> frozenset[str]:
    return plain_words(author)
