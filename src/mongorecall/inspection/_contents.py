"""A look into the stored documents of the asked scope, when a living query found nothing in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mongorecall._documents import fields, is_expired, is_live, stored_keywords, stored_text
from mongorecall._documents.probing import SAMPLED
from mongorecall.analysis import MAX_EVENT_KEYWORDS
from mongorecall.errors import DeadlineExceededError
from mongorecall.inspection._outside_text import words_outside_text

if TYPE_CHECKING:
    from mongorecall._documents.probing import Document, Probe
    from mongorecall.inspection._inquiry import Inquiry

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Contents:
    """Memories of the scope that would have been found, had something been otherwise: their event ids.

    Attributes:
        expired: they match, and their time is over.
        other_rules: their text matches by the query's rules, their stored keywords do not.
        damaged: their text matches, and their keywords are missing or unreadable.
        outside: they have a keyword of the query only where no text is read.
        looked_at: memories that were looked into.
    """

    expired: tuple[str, ...] = ()
    other_rules: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    looked_at: int = 0

    def evidence(self) -> dict[str, Any]:
        """What there is, cut to 20 ids each."""
        found = {
            name: list(getattr(self, name)[:_SHOWN])
            for name in ("expired", "other_rules", "damaged", "outside")
            if getattr(self, name)
        }
        return {"looked_at": self.looked_at, **found}


async def look_into(inquiry: Inquiry, probe: Probe) -> Contents:
    """Two reads: documents that match whatever their state, and up to 500 of the scope."""
    words = inquiry.reading.keywords
    try:
        matching = await probe.matching(inquiry.scope, words)
        sample = await probe.sample(inquiry.scope)
    except DeadlineExceededError:
        return Contents()
    now = probe.now()
    live = [document for document in sample if is_live(document, now)]
    unread = [document for document in live if stored_keywords(document).isdisjoint(words)]
    by_text = [document for document in unread if _text_matches(inquiry, document)]
    return Contents(
        expired=_ids(document for document in matching if is_expired(document, now)),
        other_rules=_ids(document for document in by_text if stored_keywords(document)),
        damaged=_ids(document for document in by_text if not stored_keywords(document)),
        outside=_ids(document for document in unread if _outside(inquiry, document, words)),
        looked_at=min(len(sample), SAMPLED),
    )


def _text_matches(inquiry: Inquiry, document: Document) -> bool:
    found = inquiry.analyzer.keywords(stored_text(document), cap=MAX_EVENT_KEYWORDS)
    return not frozenset(inquiry.reading.keywords).isdisjoint(found.keywords)


def _outside(inquiry: Inquiry, document: Document, words: Sequence[str]) -> bool:
    return not words_outside_text(document, inquiry.analyzer).isdisjoint(words)


def _ids(documents: Iterable[Document]) -> tuple[str, ...]:
    identities = (document.get(fields.ID) for document in documents)
    return tuple(
        str(identity.get(fields.EVENT_ID, "")) if isinstance(identity, dict) else str(identity)
        for identity in identities
    )
