"""How two keys of the same user may come to differ. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from mongorecall._documents.probing import RawId, RawKey
from mongorecall.inspection._reports import KeyDifference

_SEGMENTS = re.compile(r"[^\W\d_]+|\d+")
_SEPARATORS = ("", "-", "_", " ", ":", ".")
_PREFIXES = ("u", "user", "usr", "uid", "id", "customer", "client", "account")
_SHORTEST_TYPO = 4
_LONGEST = 64


def key_difference(asked: tuple[str, str], other: RawKey) -> KeyDifference | None:
    """How ``other`` differs from the key asked for; None when it is the same or unlike."""
    if asked == other:
        return None
    if asked == (other[1], other[0]):
        return "swapped"
    app, user = _id_difference(asked[0], other[0]), _id_difference(asked[1], other[1])
    same_app, same_user = asked[0] == other[0], asked[1] == other[1]
    if same_app:
        return user
    if same_user:
        return app or "other_app"
    return user if app is not None else None


def is_near_app(asked: tuple[str, str], app_name: RawId) -> bool:
    """Whether the users of an app are worth a look: the same, a similar one, or the user's id as an app."""
    return app_name in asked or _id_difference(asked[0], app_name) is not None


def key_variants(value: str) -> Iterator[RawId]:
    """Likely other forms of one id, for stores with more keys than can be listed; most likely first."""
    seen: dict[RawId, None] = {value: None}
    segments = _SEGMENTS.findall(value)
    forms: list[RawId] = [value.strip(), value.lower(), value.upper(), value.capitalize(), value + " "]
    if value.isascii() and value.isdigit():
        forms += [int(value), value.lstrip("0") or "0"] if len(value) < 19 else []
        forms += [f"{prefix}{mark}{value}" for mark in ("-", "_", ":", "") for prefix in _PREFIXES]
    if len(segments) > 1:
        forms += [separator.join(segments) for separator in _SEPARATORS]
        forms += [segments[-1], segments[0], *_number(segments[-1])]
    for form in forms:
        if form != "" and form not in seen:
            seen[form] = None
            yield form


def _number(text: str) -> list[RawId]:
    return [int(text)] if text.isascii() and text.isdigit() and len(text) < 19 else []


def _id_difference(asked: str, other: RawId) -> KeyDifference | None:
    """None when equal or unlike."""
    if isinstance(other, int):
        return "number" if str(other) in (asked, _digits_of(asked)) else None
    if asked == other or not 0 < len(other) <= _LONGEST or len(asked) > _LONGEST:
        return None
    if asked.strip() == other.strip():
        return "space"
    one, two = (unicodedata.normalize("NFKC", value).strip().casefold() for value in (asked, other))
    if one == two:
        return "case"
    return _by_segments(one, two)


def _by_segments(one: str, two: str) -> KeyDifference | None:
    parts, other_parts = _SEGMENTS.findall(one), _SEGMENTS.findall(two)
    if not parts or not other_parts:
        return None
    if parts == other_parts:
        return "separator"
    if [part.lstrip("0") for part in parts] == [part.lstrip("0") for part in other_parts]:
        return "number"
    shorter, longer = sorted((parts, other_parts), key=len)
    if len(shorter) < len(longer) and shorter in (longer[: len(shorter)], longer[-len(shorter) :]):
        return "prefix"
    return "typo" if _is_typo(one, two) else None


def _is_typo(one: str, two: str) -> bool:
    """One letter more, less or other; ids whose digits differ are different users."""
    if min(len(one), len(two)) < _SHORTEST_TYPO or _digits_of(one) != _digits_of(two):
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    if start is None:
        return abs(len(one) - len(two)) == 1
    rest, other = one[start:], two[start:]
    return rest[1:] == other[1:] or rest[1:] == other or rest == other[1:]


def _digits_of(value: str) -> str:
    return "".join(character for character in value if character.isdigit())
