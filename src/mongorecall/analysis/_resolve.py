"""The analyzer a service's options ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mongorecall._checks import type_name
from mongorecall.analysis._protocol import Analyzer
from mongorecall.analysis.classic import ClassicAnalyzer
from mongorecall.analysis.multilingual import MultilingualAnalyzer
from mongorecall.errors import InvalidInputError, InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_NAMED: dict[str, Callable[[Collection[str] | None], Analyzer]] = {
    "classic": ClassicAnalyzer,
    "multilingual": lambda stop_words: MultilingualAnalyzer(stop_words=stop_words),
}


def resolve_analyzer(analyzer: str | Analyzer, stop_words: Collection[str] | None = None) -> Analyzer:
    """The analyzer of this name with these stop words, or the object itself.

    Raises:
        InvalidInputError: unknown name, or stop words beside an object, which has its own.
        InvalidTypeError: neither a name nor an `Analyzer`; or stop words that are not words.
    """
    if isinstance(analyzer, str):
        if analyzer not in _NAMED:
            names = " or ".join(repr(name) for name in _NAMED)
            raise InvalidInputError(f"analyzer must be {names}, or an object; no analyzer has this name")
        return _NAMED[analyzer](stop_words)
    if isinstance(analyzer, type) or not isinstance(analyzer, Analyzer):
        raise InvalidTypeError(f"analyzer must be a name or an Analyzer, got {type_name(analyzer)}")
    if stop_words is not None:
        raise InvalidInputError("stop_words: give them to the analyzer object, which has its own list")
    return analyzer
