"""`diagnose`: the four checks on one search, as one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from mongorecall.base import SearchOptions
from mongorecall.errors import DeadlineExceededError, PermissionDeniedError, RecallError, UnavailableError
from mongorecall.inspection._facts import Facts, gather
from mongorecall.inspection._inquiry import Inquiry, open_inquiry
from mongorecall.inspection._verdicts import judge, judge_unanswered

if TYPE_CHECKING:
    from mongorecall.base import BaseMemoryService
    from mongorecall.inspection._reports import Diagnosis
    from mongorecall.models import Health


async def diagnose(
    service: BaseMemoryService,
    *,
    app_name: str,
    user_id: str,
    query: str,
    session: Any = None,
    expect: str | None = None,
    allow_key_listing: bool = False,
    **options: Unpack[SearchOptions],
) -> Diagnosis:
    """Say why a search comes back empty, or without the event that was expected. Reads only.

    Args:
        service: any service; one that can be looked into, as ours can, is told apart to the end.
        app_name: as for the search.
        user_id: as for the search.
        query: as for the search.
        session: a session (any object with ``id`` and ``events``), to compare with what is stored of it.
        expect: id of an event that should be on the page.
        allow_key_listing: whether keys of other users and apps may be looked at and shown, with counts.
            Without it, nothing outside the key is read, and the answer is the same whatever others have.
        options: filters of the search.

    Returns:
        The diagnosis; an unreachable server or a missing privilege is a verdict of it, not an exception.

    Raises:
        InvalidInputError: an argument is out of bounds.
        RecallError: an error that speaks for itself, such as `ClosedError` or `IndexConflictError`.

    Cost: the search and about six reads, each capped at 5,000 documents or 100,000 ids and two seconds;
    with ``allow_key_listing`` also one seek for each key looked at.
    """
    inquiry = open_inquiry(service, app_name, user_id, query, options)
    try:
        facts = await gather(inquiry, session=session, expect=expect, allow_key_listing=allow_key_listing)
        return judge(facts, await _advice(inquiry, facts))
    except (UnavailableError, DeadlineExceededError):
        return _unanswered(inquiry, "unreachable")
    except PermissionDeniedError:
        return _unanswered(inquiry, "permission")


def _unanswered(inquiry: Inquiry, cause: Any) -> Diagnosis:
    verdict = {
        "unreachable": "the server did not answer in time",
        "permission": "the server refused: the database user may not read this collection",
    }[cause]
    return judge_unanswered(inquiry.scope.key, inquiry.reading, cause, verdict)


async def _advice(inquiry: Inquiry, facts: Facts) -> tuple[str, ...]:
    """What deserves attention although it is not the cause."""
    advice: list[str] = []
    census = facts.census
    if census is not None and census.other_rules:
        advice.append(
            f"{census.other_rules} memories were indexed by another analyzer or version than the query is "
            "read by: run `mongorecall reindex`"
        )
    if census is not None and census.live and census.forgotten:
        advice.append(f"{census.forgotten} events under this key were forgotten on request")
    if census is not None and census.live and census.expired:
        advice.append(f"{census.expired} memories under this key have expired")
    if facts.inquiry.reading.assumed:
        advice.append("the service does not tell its rules; the query was read by the classic ones")
    if census is not None and census.live:
        advice += await _index_advice(inquiry)
    return tuple(advice)


async def _index_advice(inquiry: Inquiry) -> tuple[str, ...]:
    """What the service says of its indexes. Asked only where the key itself holds memories: whether an
    index is there at all would otherwise tell that somebody else has written."""
    ask = getattr(inquiry.service, "health", None)
    if ask is None:
        return ()
    try:
        health: Health = await ask()
    except RecallError:
        return ()
    sentences = {
        "missing": "the search index is missing: run `mongorecall init-indexes`",
        "hidden": "the search index is hidden: every search reads the whole collection; unhide it",
        "conflict": "the name of the search index belongs to an index on other keys",
    }
    served = "present" in (health.index, health.recency_index)
    return () if served or health.index not in sentences else (sentences[health.index],)
