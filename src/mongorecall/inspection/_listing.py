"""Keys close to the one asked for, and what they hold: ids and counts, never content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from mongorecall.errors import DeadlineExceededError
from mongorecall.inspection._near_keys import is_near_app, key_difference, key_variants
from mongorecall.inspection._reports import KeyDifference, NearKey

if TYPE_CHECKING:
    from mongorecall._documents.probing import Probe, RawId, RawKey

_VARIANTS = 24
_LOOKED_AT = 20
_SHOWN_APPS = 20
_CLOSEST: tuple[KeyDifference, ...] = (
    "space",
    "case",
    "separator",
    "number",
    "swapped",
    "prefix",
    "typo",
    "other_app",
)


@dataclass(frozen=True, slots=True)
class KeyListing:
    """What a look over the keys of the collection found.

    Attributes:
        near: keys that hold memories and look like the one asked for; the likeliest first.
        apps: apps that have documents, at most 20.
        complete: False when there are more keys than were looked at.
    """

    near: tuple[NearKey, ...]
    apps: tuple[RawId, ...]
    complete: bool

    @property
    def anything(self) -> bool:
        """Whether the collection holds anything at all."""
        return bool(self.apps)

    def matching(self) -> tuple[NearKey, ...]:
        """The near keys with memories that share a keyword with the query."""
        return tuple(key for key in self.near if key.matching)

    def alike(self) -> tuple[NearKey, ...]:
        """The near keys that differ in form only, or hold what was asked for.

        A key of another app, or an id one letter off, may as well be somebody else's.
        """
        unsure = ("other_app", "typo")
        return tuple(key for key in self.near if key.difference not in unsure or key.matching)

    def evidence(self) -> dict[str, Any]:
        """The near keys with their counts, and the apps."""
        return {
            "near_keys": [
                {
                    "key": key.key,
                    "difference": key.difference,
                    "memories": key.memories,
                    "matching": key.matching,
                }
                for key in self.near
            ],
            "apps": [str(app) for app in self.apps],
            "all_keys_seen": self.complete,
        }


async def list_near_keys(probe: Probe, asked: tuple[str, str], keywords: Sequence[str]) -> KeyListing:
    """Look for keys close to ``asked``. Walks the keys of near apps, then tries likely forms of the ids."""
    try:
        apps, complete = await probe.apps()
        candidates, all_seen = await _walk(probe, asked, apps)
        if not (complete and all_seen):
            candidates |= await _guess(probe, asked)
    except DeadlineExceededError:
        return KeyListing((), (), complete=False)
    closest = sorted(candidates.items(), key=lambda pair: _CLOSEST.index(pair[1]))[:_LOOKED_AT]
    near = [await _look(probe, key, difference, keywords) for key, difference in closest]
    held = sorted(
        (key for key in near if key.memories),
        key=lambda key: (not key.matching, _CLOSEST.index(key.difference), -key.memories),
    )
    return KeyListing(tuple(held), tuple(apps[:_SHOWN_APPS]), complete and all_seen)


async def _walk(
    probe: Probe, asked: tuple[str, str], apps: Sequence[RawId]
) -> tuple[dict[RawKey, KeyDifference], bool]:
    """Near keys among all users of near apps, and the asked user in every other app."""
    found: dict[RawKey, KeyDifference] = {}
    complete = True
    for app in apps:
        if not is_near_app(asked, app):
            _keep(found, asked, (app, asked[1]))
            continue
        users, all_seen = await probe.users(app)
        complete = complete and all_seen
        for user in users:
            _keep(found, asked, (app, user))
    return found, complete


async def _guess(probe: Probe, asked: tuple[str, str]) -> dict[RawKey, KeyDifference]:
    """Likely forms of either id that hold memories."""
    app, user = asked
    keys: list[RawKey] = [(app, variant) for variant in islice(key_variants(user), _VARIANTS)]
    keys += [(variant, user) for variant in islice(key_variants(app), _VARIANTS)]
    keys.append((user, app))
    found: dict[RawKey, KeyDifference] = {}
    for key in keys:
        if await probe.count(key):
            _keep(found, asked, key)
    return found


def _keep(found: dict[RawKey, KeyDifference], asked: tuple[str, str], key: RawKey) -> None:
    difference = key_difference(asked, key)
    if difference is not None:
        found[key] = difference


async def _look(probe: Probe, key: RawKey, difference: KeyDifference, keywords: Sequence[str]) -> NearKey:
    memories = await probe.count(key)
    matching = await probe.count(key, keywords) if memories and keywords else 0
    return NearKey(key[0], key[1], difference, memories, matching)
