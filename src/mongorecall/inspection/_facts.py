"""Everything a diagnosis knows before it judges: gathered by reads, judged without any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mongorecall.errors import DeadlineExceededError, UnsupportedError
from mongorecall.inspection._asking import keyword_counts, session_facts
from mongorecall.inspection._census import Census, census_of
from mongorecall.inspection._contents import Contents, look_into
from mongorecall.inspection._expecting import Expectation
from mongorecall.inspection._listing import KeyListing, list_near_keys
from mongorecall.inspection._near_keys import key_difference
from mongorecall.inspection._reports import NearKey

if TYPE_CHECKING:
    from mongorecall.inspection._inquiry import Inquiry
    from mongorecall.inspection._reports import ExpectedFate, KeywordCount
    from mongorecall.inspection._sessions import SessionFacts
    from mongorecall.models import SearchMemoryResponse


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found out.

    Attributes:
        inquiry: the search.
        response: its page.
        census: what lies under the key; None when the service cannot tell.
        keywords: the query's keywords inside the scope.
        listing: near keys; None without ``allow_key_listing``.
        session: the session beside the store; None when none was given.
        contents: a look into the scope's documents; None when it was not needed or is not possible.
        expected: what became of the expected event; None when none was named.
    """

    inquiry: Inquiry
    response: SearchMemoryResponse
    census: Census | None
    keywords: tuple[KeywordCount, ...]
    listing: KeyListing | None
    session: SessionFacts | None
    contents: Contents | None
    expected: ExpectedFate | None

    @property
    def hits(self) -> int:
        """Memories on the page."""
        return len(self.response.memories)

    @property
    def asked_words(self) -> bool:
        """Whether the query has a keyword."""
        return bool(self.inquiry.reading.keywords)

    @property
    def other_session_key(self) -> tuple[str, str] | None:
        """The key that the given session names, when it is not the one asked for."""
        own = None if self.session is None else self.session.own_key
        return own if own is not None and own != self.inquiry.key else None


async def gather(inquiry: Inquiry, *, session: Any, expect: str | None, allow_key_listing: bool) -> Facts:
    """Search, then read. Reads beside the search that take too long leave their fact unknown.

    Raises:
        RecallError: the search failed, or the server went away meanwhile.
    """
    response = await inquiry.search()
    census = await _census(inquiry)
    seen_session = await session_facts(inquiry, session)
    listing = await _listing(inquiry) if allow_key_listing else None
    contents = None
    if inquiry.probe is not None and inquiry.reading.keywords and not response.memories:
        contents = await look_into(inquiry, inquiry.probe)
    expected = None
    if expect is not None:
        expected = await Expectation(inquiry, response, expect, seen_session, allow_key_listing).fate()
    return Facts(
        inquiry=inquiry,
        response=response,
        census=census,
        keywords=await keyword_counts(inquiry),
        listing=listing,
        session=seen_session,
        contents=contents,
        expected=expected,
    )


async def _census(inquiry: Inquiry) -> Census | None:
    """From the documents; from the service's own count; from what its decorator saw; else unknown."""
    if inquiry.probe is not None:
        try:
            return await census_of(inquiry.probe, inquiry.scope, inquiry.analyzer)
        except DeadlineExceededError:
            return None
    try:
        return Census(
            live=await inquiry.service.count_memories(
                app_name=inquiry.scope.app_name, user_id=inquiry.scope.user_id
            )
        )
    except UnsupportedError:
        pass
    if inquiry.journal is None:
        return None
    return Census(live=inquiry.journal.of(inquiry.key).text_events)


async def _listing(inquiry: Inquiry) -> KeyListing | None:
    if inquiry.probe is not None:
        return await list_near_keys(inquiry.probe, inquiry.key, inquiry.reading.keywords)
    if inquiry.journal is None:
        return None
    written = inquiry.journal.written()
    near = [
        NearKey(*key, difference, memories=count, matching=0)
        for key, count in written.items()
        if (difference := key_difference(inquiry.key, key)) is not None
    ]
    apps = tuple(dict.fromkeys(app for app, _ in written))
    return KeyListing(tuple(near), apps, complete=False)
