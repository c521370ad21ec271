"""Which stored keywords nearly met one of the query, and how they differ. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from string import ascii_lowercase

from mongorecall.inspection._reports import NearKeyword, NearKind

_ORDER: tuple[NearKind, ...] = ("case", "accent", "plural", "separator", "typo")
_SHORTEST_TYPO = 4
"""Letters: between shorter words one letter is a difference of meaning, not a slip."""
_SHORTEST_STEM = 3
_SHORTEST_HALF = 2
_LONGEST = 64
"""Letters: nearness of longer words is not looked for."""
_SHOWN = 5
_ACCENTED = {
    "a": "àáâäãåą",
    "c": "çćč",
    "e": "èéêëę",
    "i": "ìíîï",
    "n": "ñń",
    "o": "òóôöõø",
    "s": "śš",
    "u": "ùúûüů",
    "y": "ýÿ",
    "z": "źżž",
}
"""Where a prefix does not find the accented form: one accent among the first letters."""


def near_keywords(
    word: str, stored: Collection[str], *, neighbours: Sequence[str] = ()
) -> tuple[NearKeyword, ...]:
    """The stored keywords close to ``word``, closest kind first, at most five.

    Args:
        word: a keyword of the query that is not stored.
        stored: keywords to compare with.
        neighbours: the keywords beside it in the query, which may be stored run together with it.
    """
    if len(word) > _LONGEST:
        return ()
    found = [
        NearKeyword(other, kind)
        for other in sorted(stored)
        if len(other) <= _LONGEST and (kind := _difference(word, other, neighbours)) is not None
    ]
    found += [
        NearKeyword(f"{left} {right}", "separator")
        for left, right in _halves(word)
        if left in stored and right in stored
    ]
    return tuple(sorted(found, key=lambda near: _ORDER.index(near.kind))[:_SHOWN])


def wanted(word: str, neighbours: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """What to look for in a store to find all of `near_keywords`: prefixes, and whole words."""
    if len(word) > _LONGEST:
        return [], []
    bare = _unaccented(word)
    prefixes = {form[:3] for form in (word, bare) if len(form) > _SHORTEST_STEM}
    words = {
        bare,
        word.upper(),
        word.capitalize(),
        *_numbers(word),
        *_first_letter_slips(word),
        *_accented(word),
    }
    words.update(joined for other in neighbours for joined in _joined(word, other))
    for pair in _halves(word):
        words.update(pair)
    words.discard(word)
    return sorted(prefixes), sorted(words)


def _difference(word: str, other: str, neighbours: Sequence[str]) -> NearKind | None:
    if word.casefold() == other.casefold():
        return None if word == other else "case"
    bare, other_bare = _unaccented(word.casefold()), _unaccented(other.casefold())
    if bare == other_bare:
        return "accent"
    if other_bare in _numbers(bare) or bare in _numbers(other_bare):
        return "plural"
    same_letters = bare.replace("_", "") == other_bare.replace("_", "")
    if same_letters or any(other in _joined(word, neighbour) for neighbour in neighbours):
        return "separator"
    return "typo" if _one_slip(bare, other_bare) else None


def _accented(word: str) -> Iterator[str]:
    for at, letter in enumerate(word[:_SHORTEST_STEM]):
        for accented in _ACCENTED.get(letter, ""):
            yield word[:at] + accented + word[at + 1 :]


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    plain = (c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", "".join(plain))


def _numbers(word: str) -> set[str]:
    """English singulars and plurals of a word."""
    if len(word) < _SHORTEST_STEM:
        return set()
    forms = {word + "s", word + "es"}
    if word.endswith("y"):
        forms.add(word[:-1] + "ies")
    for ending, singular in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) + len(singular) >= _SHORTEST_STEM:
            forms.add(word[: -len(ending)] + singular)
    return forms


def _joined(word: str, other: str) -> Iterator[str]:
    for separator in ("", "_"):
        yield f"{word}{separator}{other}"
        yield f"{other}{separator}{word}"


def _halves(word: str) -> Iterator[tuple[str, str]]:
    for cut in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1):
        yield word[:cut], word[cut:].removeprefix("_")


def _first_letter_slips(word: str) -> Iterable[str]:
    """Slips in the first letters, which no prefix finds."""
    if len(word) < _SHORTEST_TYPO or word.isdigit():
        return ()
    slips = {word[1:], word[1] + word[0] + word[2:]}
    slips.update(letter + rest for letter in ascii_lowercase for rest in (word, word[1:]))
    slips.update(word[0] + letter + word[1:] for letter in ascii_lowercase)
    slips.update(word[0] + letter + word[2:] for letter in ascii_lowercase)
    slips.add(word[0] + word[2:])
    slips.add(word[0] + word[2] + word[1] + word[3:])
    return slips


def _one_slip(word: str, other: str) -> bool:
    """One letter more, less or other, or two neighbours swapped; never a digit."""
    if min(len(word), len(other)) < _SHORTEST_TYPO or abs(len(word) - len(other)) > 1:
        return False
    if _digits(word) != _digits(other):
        return False
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    if start is None:
        return True
    rest, other_rest = word[start:], other[start:]
    return (
        rest[1:] == other_rest[1:]
        or rest[1:] == other_rest
        or rest == other_rest[1:]
        or (rest[:2] == other_rest[1::-1] and rest[2:] == other_rest[2:])
    )


def _digits(word: str) -> list[str]:
    return [character for character in word if character.isdigit()]
