"""An analyzer is asked for by name, or brought along."""

from __future__ import annotations

from typing import Any

import pytest

from mongorecall.analysis import (
    MAX_QUERY_KEYWORDS,
    Analyzer,
    ClassicAnalyzer,
    Extraction,
    MultilingualAnalyzer,
    TokenFate,
    resolve_analyzer,
)
from mongorecall.errors import InvalidInputError, InvalidTypeError


class Letters:
    """The letters of a text."""

    name = "letters"
    version = "1"

    def keywords(self, text: str, *, cap: int) -> Extraction:
        return Extraction(tuple(sorted(set(text)))[:cap])

    def fates(self, text: str, *, cap: int = MAX_QUERY_KEYWORDS) -> list[TokenFate]:
        return [TokenFate(raw, tuple(sorted(set(raw)))[:cap], None) for raw in text.split()]


def test_names() -> None:
    assert resolve_analyzer("classic") == ClassicAnalyzer()
    assert resolve_analyzer("multilingual") == MultilingualAnalyzer()


def test_stop_words_go_to_the_named_analyzer() -> None:
    assert resolve_analyzer("classic", {"kiln"}) == ClassicAnalyzer({"kiln"})
    assert resolve_analyzer("multilingual", {"kiln"}) == MultilingualAnalyzer(stop_words={"kiln"})


def test_an_object_is_taken_as_it_is() -> None:
    own = Letters()
    assert isinstance(own, Analyzer)
    assert resolve_analyzer(own) is own


def test_stop_words_beside_an_object_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="stop_words"):
        resolve_analyzer(MultilingualAnalyzer(), {"kiln"})


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInputError, match="'classic' or 'multilingual'"):
        resolve_analyzer("english")


@pytest.mark.parametrize("value", [None, 5, ClassicAnalyzer, object(), len])
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(InvalidTypeError, match="analyzer"):
        resolve_analyzer(value)
