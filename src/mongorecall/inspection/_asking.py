"""`explain_search`: one real search taken apart, keyword by keyword and hit by hit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from mongorecall.base import SearchOptions
from mongorecall.errors import DeadlineExceededError
from mongorecall.inspection._expecting import Expectation
from mongorecall.inspection._inquiry import Inquiry, open_inquiry
from mongorecall.inspection._near_keywords import near_keywords, wanted
from mongorecall.inspection._reports import Hit, KeywordCount, SearchExplanation
from mongorecall.inspection._sessions import SessionFacts, look_at_session

if TYPE_CHECKING:
    from mongorecall.base import BaseMemoryService
    from mongorecall.models import SearchMemoryResponse

_MOST_NEAR = 8
"""Keywords for which near ones are looked for."""
_MOST_NEIGHBOURS = 2


async def explain_search(
    service: BaseMemoryService,
    *,
    app_name: str,
    user_id: str,
    query: str,
    expect: str | None = None,
    session: Any = None,
    allow_key_listing: bool = False,
    **options: Unpack[SearchOptions],
) -> SearchExplanation:
    """Run the search for real, and say what each word of it did, and each part of a score. Reads only.

    Args:
        service: any service; df and near keywords need one that can be looked into, as ours can.
        app_name: as for the search.
        user_id: as for the search.
        query: as for the search.
        expect: id of the event that should be on the page; ``expected`` then says what lost it.
        session: the session of the expected event, to tell a skipped one from one never written.
        allow_key_listing: whether ``expected`` may name keys of other users and apps.
        options: filters of the search, such as ``session_id``.

    Raises:
        InvalidInputError: as the search itself.
        RecallError: as the search itself; `diagnose` turns an unreachable server into a verdict.

    Cost: the search and two reads; with ``expect`` up to four more and one larger search. Each read
    ends within two seconds.
    """
    inquiry = open_inquiry(service, app_name, user_id, query, options)
    response = await _search(inquiry)
    facts = await session_facts(inquiry, session)
    expected = None
    if expect is not None:
        expected = await Expectation(inquiry, response, expect, facts, allow_key_listing).fate()
    return SearchExplanation(
        key=inquiry.scope.key,
        query=inquiry.reading,
        keywords=await keyword_counts(inquiry),
        hits=_hits(response),
        more=response.more,
        skipped=response.skipped,
        reason=response.reason,
        cutoff=response.memories[-1].score if response.memories else None,
        expected=expected,
    )


async def _search(inquiry: Inquiry) -> SearchMemoryResponse:
    """The search, with its scores taken apart where the service can."""
    if "score_parts" in inquiry.service.capabilities:
        return await inquiry.search(score_parts=True)
    return await inquiry.search()


async def session_facts(inquiry: Inquiry, session: Any) -> SessionFacts | None:
    """The session beside the store; None when none is given, or the service cannot be looked into."""
    if session is None or inquiry.probe is None:
        return None
    return await look_at_session(
        inquiry.probe, inquiry.scope, session, inquiry.reading.keywords, inquiry.analyzer
    )


async def keyword_counts(inquiry: Inquiry) -> tuple[KeywordCount, ...]:
    """df of each keyword in the scope, and the stored keywords near those that nobody has."""
    words = inquiry.reading.keywords
    if inquiry.probe is None:
        return tuple(KeywordCount(word, None) for word in words)
    try:
        counts = await inquiry.probe.frequencies(inquiry.scope, words)
        stored = await _stored_near(inquiry, [word for word in words if counts.get(word) == 0])
    except DeadlineExceededError:
        return tuple(KeywordCount(word, None) for word in words)
    return tuple(
        KeywordCount(
            word,
            counts.get(word),
            near_keywords(word, stored, neighbours=_neighbours(inquiry, word)) if stored else (),
        )
        if counts.get(word) == 0
        else KeywordCount(word, counts.get(word))
        for word in words
    )


async def _stored_near(inquiry: Inquiry, missing: Sequence[str]) -> set[str]:
    prefixes: set[str] = set()
    exact: set[str] = set()
    for word in missing[:_MOST_NEAR]:
        more_prefixes, more_words = wanted(word, _neighbours(inquiry, word))
        prefixes.update(more_prefixes)
        exact.update(more_words)
    if inquiry.probe is None or not (prefixes or exact):
        return set()
    return await inquiry.probe.stored_keywords(inquiry.scope, sorted(prefixes), sorted(exact))


def _neighbours(inquiry: Inquiry, word: str) -> list[str]:
    """The keywords on either side of ``word`` in the query."""
    order = list(dict.fromkeys(word for token in inquiry.reading.tokens for word in token.keywords))
    if word not in order:
        return []
    at = order.index(word)
    return [other for other in order[max(0, at - 1) : at + _MOST_NEIGHBOURS] if other != word]


def _hits(response: SearchMemoryResponse) -> tuple[Hit, ...]:
    return tuple(
        Hit(
            rank,
            entry.id,
            entry.session_id,
            entry.score,
            tuple(entry.matched_keywords),
            score_parts=entry.score_parts,
        )
        for rank, entry in enumerate(response.memories, 1)
    )
