"""What a diagnosis reads of a collection, as filters and small rows; each is bounded by the reader.

Keys are walked on the index of ``_id``, which every collection has: ``_id`` begins with app and user, so
that the next key is one seek away however many memories lie between.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from bson.max_key import MaxKey
from bson.min_key import MinKey

from mongorecall._documents import Failed, Prepared, Skipped, fields
from mongorecall.models import MemoryScope

Document = Mapping[str, Any]
RawId = str | int
"""An id as it is stored: other programs may have written numbers."""
RawKey = tuple[RawId, RawId]
"""App and user as they are stored."""

CENSUS_ROWS = 5000
"""Documents of a scope that a census looks at."""
COUNTED = 1000
"""Counting stops here."""
SAMPLED = 500
"""Whole documents read to look at what was indexed of them."""
LISTED_APPS = 100
"""Apps that a walk over the keys visits."""
LISTED_USERS = 1000
"""Users of one app that a walk visits."""
LOCATED_IDS = 100_000
"""Ids looked through for an event that lies under an unknown key."""

_HIGHEST = "\U0010ffff"
_STORED_KEYWORDS = f"${fields.KEYWORDS}"


class Probe(Protocol):
    """Reads what a diagnosis needs of one store. Every answer is bounded in size and time.

    What is read of keys other than the one asked for is ids and counts only. A read that takes too long
    raises `DeadlineExceededError`.
    """

    def scope(self, app_name: str, user_id: str) -> MemoryScope:
        """The scope by the service's own key policy."""

    def now(self) -> datetime:
        """The present by the store's clock, aware."""

    def prepare(self, event: Any, scope: MemoryScope, session_id: str) -> Prepared | Skipped | Failed:
        """What an add would make of an event, by the service's own rules."""

    async def census(self, scope: MemoryScope) -> list[Document]:
        """Up to `CENSUS_ROWS` documents of a scope, markers included, cut to ``_id timestamp mr keywords``,
        the keywords cut to the first."""

    async def frequencies(self, scope: MemoryScope, keywords: Sequence[str]) -> dict[str, int]:
        """How many live memories have each keyword, up to `COUNTED`."""

    async def under(self, scope: MemoryScope, session_id: str, event_ids: Sequence[str]) -> list[Document]:
        """The documents of these events, whole, markers included."""

    async def find(self, scope: MemoryScope, event_id: str) -> list[Document]:
        """The documents with this event id in any session, whole, markers included; at most five."""

    async def matching(
        self, scope: MemoryScope, keywords: Sequence[str], limit: int = SAMPLED
    ) -> list[Document]:
        """Documents that have one of the keywords, whole, expired ones included."""

    async def sample(self, scope: MemoryScope, limit: int = SAMPLED) -> list[Document]:
        """Documents of a scope, whole, in no particular order."""

    async def stored_keywords(
        self, scope: MemoryScope, prefixes: Sequence[str], words: Sequence[str]
    ) -> set[str]:
        """Stored keywords that begin with one of ``prefixes`` or are one of ``words``."""

    async def apps(self) -> tuple[list[RawId], bool]:
        """The apps that have documents, at most `LISTED_APPS`, and whether these are all."""

    async def users(self, app_name: RawId) -> tuple[list[RawId], bool]:
        """The users of an app that have documents, at most `LISTED_USERS`, and whether these are all."""

    async def count(self, key: RawKey, keywords: Sequence[str] = ()) -> int:
        """Live memories under a key, those that have one of ``keywords`` if given, up to `COUNTED`."""

    async def locate(self, event_id: str, app_name: str) -> list[RawKey]:
        """Keys under which this event id lies, those of the app first; at most five, among `LOCATED_IDS`."""


def key_filter(key: RawKey) -> dict[str, Any]:
    """The documents of a key as it is stored."""
    return {fields.APP_NAME: {"$eq": key[0]}, fields.USER_ID: {"$eq": key[1]}}


def beyond_app(app_name: RawId | None) -> dict[str, Any]:
    """The ids after the last of an app; every id of ours when None."""
    return {fields.ID: {"$gt": {fields.APP_NAME: MinKey()} if app_name is None else _app_end(app_name)}}


def beyond_user(app_name: RawId, user_id: RawId | None) -> dict[str, Any]:
    """The ids of an app after the last of a user; all of the app when None."""
    low = (
        {fields.APP_NAME: app_name, fields.USER_ID: MinKey()}
        if user_id is None
        else {fields.APP_NAME: app_name, fields.USER_ID: user_id, fields.SESSION_ID: MaxKey()}
    )
    return {fields.ID: {"$gt": low, "$lt": _app_end(app_name)}}


def all_ids() -> dict[str, Any]:
    """The documents whose ``_id`` has the form of ours."""
    return {fields.ID: {"$gt": {fields.APP_NAME: MinKey()}, "$lt": {fields.APP_NAME: MaxKey()}}}


def id_of_event(event_id: str) -> dict[str, Any]:
    """The ids of one event."""
    return {fields.ID_EVENT: {"$eq": event_id}}


def key_of(identity: object) -> RawKey | None:
    """App and user of a stored ``_id``; None when it has another form."""
    if not isinstance(identity, Mapping):
        return None
    app_name, user_id = identity.get(fields.APP_NAME), identity.get(fields.USER_ID)
    if not isinstance(app_name, str | int) or not isinstance(user_id, str | int):
        return None
    return app_name, user_id


def keyword_range(prefix: str) -> dict[str, Any]:
    """Documents with a keyword that begins with ``prefix``: a range of the index."""
    return {fields.KEYWORDS: {"$elemMatch": {"$gte": prefix, "$lt": prefix + _HIGHEST}}}


def census_row() -> dict[str, Any]:
    """The projection of a census."""
    first = {"$cond": [{"$isArray": _STORED_KEYWORDS}, {"$slice": [_STORED_KEYWORDS, 1]}, _STORED_KEYWORDS]}
    return {fields.ID: 1, fields.TIMESTAMP: 1, fields.MR: 1, fields.KEYWORDS: first}


def only_near(stored: Iterable[str], prefixes: Sequence[str], words: Sequence[str]) -> set[str]:
    """Of stored keywords, those that `Probe.stored_keywords` asks for."""
    starts, exact = tuple(prefixes), frozenset(words)
    return {word for word in stored if word in exact or word.startswith(starts)}


def _app_end(app_name: RawId) -> dict[str, Any]:
    return {fields.APP_NAME: app_name, fields.USER_ID: MaxKey()}
