"""The classic analyzer is the seed's rule, to the letter, and stays linear on hostile text."""

from __future__ import annotations

import pickle
import time
import unicodedata
import warnings
from typing import Any

import pytest
from hypothesis import given, settings

from mongorecall.analysis import (
    CLASSIC_STOP_WORDS,
    MAX_EVENT_KEYWORDS,
    MAX_MARKS,
    MAX_QUERY_KEYWORDS,
    MAX_TOKEN,
    ClassicAnalyzer,
)
from mongorecall.analysis.classic import _LATIN_BLOCKS
from mongorecall.errors import InvalidTypeError
from tests.analysis.texts import texts

CLASSIC = ClassicAnalyzer()


def keywords(text: str, analyzer: ClassicAnalyzer = CLASSIC, cap: int = MAX_EVENT_KEYWORDS) -> set[str]:
    return set(analyzer.keywords(text, cap=cap).keywords)


def peer_keywords(text: str, stop_words: set[str] | None = None) -> set[str]:
    """What google-adk's own service extracts; no server is asked for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from google.adk.integrations.mongodb import MongoDbMemoryService
        from google.adk.integrations.mongodb._memory_service import DEFAULT_STOP_WORDS

    class Peer:
        _stop_words = set(DEFAULT_STOP_WORDS) if stop_words is None else stop_words

    found: set[str] = MongoDbMemoryService._extract_keywords(Peer(), text)  # type: ignore[arg-type]
    return found


def test_stop_words_are_google_adks() -> None:
    from google.adk.integrations.mongodb._memory_service import DEFAULT_STOP_WORDS

    assert CLASSIC_STOP_WORDS == DEFAULT_STOP_WORDS


@given(texts)
@settings(max_examples=700, deadline=None)
def test_keywords_equal_google_adks(text: str) -> None:
    found = CLASSIC.keywords(text, cap=MAX_EVENT_KEYWORDS)
    assert set(found.keywords) == peer_keywords(text)
    assert (found.capped, found.shortened, found.cut_marks) == (False, 0, 0)


@given(texts)
@settings(max_examples=200, deadline=None)
def test_the_fates_of_the_tokens_add_up_to_the_keywords(text: str) -> None:
    fates = CLASSIC.fates(text)
    assert {word for fate in fates for word in fate.keywords} == keywords(text)
    assert [fate.raw for fate in fates] == [raw[:64] for raw in text.split()]
    assert all((fate.reason is None) == bool(fate.keywords) for fate in fates)


def test_keywords_come_in_ascending_order() -> None:
    assert CLASSIC.keywords("kiln glaze Anvil", cap=10).keywords == ("anvil", "glaze", "kiln")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("使用MongoDB存储", {"使用mongodb存储", "使用", "mongodb", "存储"}),
        ("私はRustで書いています", {"私はrustで書いています", "私は", "rust", "で書いています"}),
        ("Friday:\tkiln works great!\n", {"friday", "kiln", "works", "great"}),
        ("Order #4417 shipped.", {"order", "4417", "shipped"}),
        ("cafe\u0301", {"café"}),
        ("İ", {"i̇"}),
        ("the and IS", set()),
    ],
)
def test_examples(text: str, expected: set[str]) -> None:
    assert keywords(text) == expected


def test_each_dead_token_says_why() -> None:
    assert [(fate.raw, fate.reason) for fate in CLASSIC.fates("the kiln !!! my")] == [
        ("the", "stop_word"),
        ("kiln", None),
        ("!!!", "no_word_characters"),
        ("my", "stop_word"),
    ]


def test_tokens_beyond_the_cap_say_so() -> None:
    fates = CLASSIC.fates("one two three two", cap=2)
    assert [fate.reason for fate in fates] == [None, None, "over_cap", None]


class TestStopWords:
    def test_a_list_replaces_the_default(self) -> None:
        assert keywords("the ticket", ClassicAnalyzer({"ticket"})) == {"the"}

    def test_its_words_are_normalised_as_text_is(self) -> None:
        assert keywords("Café cafe\u0301 tea", ClassicAnalyzer(["CAFE\u0301"])) == {"tea"}

    @pytest.mark.parametrize("value", ["the", b"the", 5, ["the", 5], [None]])
    def test_one_str_and_anything_but_words_are_refused(self, value: Any) -> None:
        with pytest.raises(InvalidTypeError, match="stop_words"):
            ClassicAnalyzer(value)

    def test_the_version_tells_another_list(self) -> None:
        assert CLASSIC.version == ClassicAnalyzer(CLASSIC_STOP_WORDS).version == "1"
        assert ClassicAnalyzer({"x"}).version not in {"1", ClassicAnalyzer({"y"}).version}


class TestCaps:
    def test_the_first_keywords_are_kept(self) -> None:
        text = " ".join(f"w{number}" for number in range(3000, 0, -1))
        found = CLASSIC.keywords(text, cap=MAX_QUERY_KEYWORDS)
        assert found.capped
        assert set(found.keywords) == {f"w{number}" for number in range(2001, 3001)}

    def test_exactly_the_cap_is_not_capped(self) -> None:
        assert not CLASSIC.keywords(" ".join(f"w{number}" for number in range(50)), cap=50).capped

    def test_a_long_word_becomes_a_prefix_and_a_hash(self) -> None:
        found = CLASSIC.keywords("b" * 5000 + " " + "b" * 4999 + "c", cap=10)
        assert found.shortened == 2
        assert len(found.keywords) == 2
        assert {len(word) for word in found.keywords} == {MAX_TOKEN}
        assert CLASSIC.keywords("b" * MAX_TOKEN, cap=10).keywords == ("b" * MAX_TOKEN,)

    def test_marks_of_long_runs_are_left_out_and_counted(self) -> None:
        found = CLASSIC.keywords("kiln a" + "\u0301" * 100 + " glaze", cap=10)
        assert found.cut_marks == 100 - MAX_MARKS
        assert {"kiln", "glaze"} <= set(found.keywords)

    @pytest.mark.parametrize("form", ["NFC", "NFKC"])
    def test_whatever_decomposes_to_marks_counts_as_a_mark(self, form: Any) -> None:
        from mongorecall.analysis._limits import normalise

        decomposed: Any = {"NFC": "NFD", "NFKC": "NFKD"}[form]
        marks = [
            char
            for char in map(chr, range(0x110000))
            if (unicodedata.combining(char) or unicodedata.decomposition(char))
            and unicodedata.combining(unicodedata.normalize(decomposed, char)[0])
        ]
        assert len(marks) > 800
        for mark in marks:
            assert normalise(mark * 40, form)[1] == 10, hex(ord(mark))


@pytest.mark.parametrize(
    "unit",
    [
        "\u0315\u0300",
        "a\u0315\u0300",
        "a",
        "字",
        "字a",
        "é ",
        "\u0f73",
        "\ud800",
        "w\u0301 ",
        "İ",
        "_",
        "\u200b",
    ],
)
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    """Quadratic work takes sixteen times as long for four times the text."""

    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            CLASSIC.keywords(text, cap=MAX_EVENT_KEYWORDS)
            best = min(best, time.process_time() - start)
        return best

    seconds(1_000)
    assert seconds(160_000) < 10 * max(seconds(40_000), 0.002)


def test_latin_letters_are_all_found() -> None:
    latin = {ord(char) for char in map(chr, range(0x80, 0x110000)) if _is_latin_letter(char)}
    assert latin <= {code for block in _LATIN_BLOCKS for code in block}


def _is_latin_letter(char: str) -> bool:
    return (char.isalnum() or char == "_") and unicodedata.name(char, "").startswith("LATIN")


def test_analyzers_are_values() -> None:
    analyzer = ClassicAnalyzer({"b", "a"})
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer
    assert repr(analyzer) == "ClassicAnalyzer()"
    assert keywords("a b c", pickle.loads(pickle.dumps(analyzer))) == {"c"}
