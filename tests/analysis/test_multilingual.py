"""The multilingual analyzer: what a person would call the same word is the same keyword."""

from __future__ import annotations

import pickle
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings

from mongorecall.analysis import ENGLISH_STOP_WORDS, MAX_EVENT_KEYWORDS, MAX_TOKEN, MultilingualAnalyzer
from mongorecall.errors import InvalidInputError, InvalidTypeError
from tests.analysis.texts import texts

PREFIX = MultilingualAnalyzer()
WHOLE = MultilingualAnalyzer(stemmer="none")


def keywords(text: str, analyzer: MultilingualAnalyzer = PREFIX) -> set[str]:
    return set(analyzer.keywords(text, cap=MAX_EVENT_KEYWORDS).keywords)


def meets(stored: str, query: str, analyzer: MultilingualAnalyzer = PREFIX) -> bool:
    return bool(keywords(stored, analyzer) & keywords(query, analyzer))


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("My café is shut", "cafe"),
        ("My cafe is shut", "CAFÉ"),
        ("El niño", "nino"),
        ("Straße", "STRASSE"),
        ("Øresund", "oresund"),
        ("Ёлка", "елка"),
        ("Ἀθῆναι", "αθηναι"),
        ("كِتَابٌ جديد", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full"),
        ("ﾊﾝｶｸ", "ハンカク"),
        ("soft\u00adhyphen", "softhyphen"),
        ("می\u200cخواهم", "میخواهم"),
        ("timestamps are stored in UTC", "timestamp"),
    ],
)
def test_spellings_of_one_word_meet(stored: str, query: str) -> None:
    assert meets(stored, query)


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("私は紅茶が好きです", "紅茶"),
        ("我叫小林，我住在青岛", "小林"),
        ("我叫小林，我住在青岛", "你知道我住在哪里吗"),
        ("ฉันชอบดื่มกาแฟทุกเช้า", "กาแฟ"),
        ("제 이름은 지훈입니다", "지훈"),
        ("제 이름은 지훈입니다", "이름"),
        ("우리는 집에 갔다", "집"),
        ("मेरी बिल्ली का नाम मोती है", "बिल्ली"),
        ("எனக்கு காப்பி பிடிக்கும்", "காப்பி"),
        ("私はRustで書いています", "Rust"),
        ("使用MongoDB存储", "mongodb"),
    ],
)
def test_words_inside_unspaced_or_inflected_text_are_found(stored: str, query: str) -> None:
    assert meets(stored, query)


def test_marks_are_kept_inside_words() -> None:
    assert keywords("बिल्ली", WHOLE) == {"बिल्ली"}
    assert keywords("காப்பி", WHOLE) == {"காப்பி"}
    assert not meets("कल", "काल", WHOLE)


def test_grams_by_script() -> None:
    assert keywords("東京都") == {"東京", "京都", "東", "京", "都"}
    assert keywords("すし") == {"すし"}
    assert keywords("す") == {"す"}
    assert keywords("กขค") == {"กข", "ขค", "กขค"}
    assert keywords("한국어") == {"한국", "국어", "한국어"}
    assert keywords("학교에서") == {"학교", "교에", "에서"}


def test_the_breve_of_short_i_is_kept() -> None:
    assert not meets("йод", "иод")


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("stored", "query"),
        [
            ("deploy kiln-cloud-dev, see ADR-0005", "kiln-cloud-dev"),
            ("deploy kiln-cloud-dev, see ADR-0005", "ADR-0005"),
            ("deploy kiln-cloud-dev, see ADR-0005", "cloud"),
            ("ColdResume rollout", "cold resume"),
            ("ColdResume rollout", "cold-resume"),
            ("ColdResume rollout", "coldresume"),
            ("export GLAZE_API_KEY=1", "glaze-api-key"),
            ("export GLAZE_API_KEY=1", "glazeApiKey"),
            ("export GLAZE_API_KEY=1", "glaze"),
            ("we run v2.13.0 now", "2.13.0"),
            ("mail anna.b@example.com", "anna.b@example.com"),
            ("mail anna.b@example.com", "anna"),
            ("HTTPServer", "server"),
            ("we write C++ here", "c++"),
            ("we write C# here", "C#"),
            ("order 4417 shipped", "where's order #4417?"),
        ],
    )
    def test_they_are_found_whole_and_by_their_pieces(self, stored: str, query: str) -> None:
        assert meets(stored, query)

    @pytest.mark.parametrize(
        ("one", "other"),
        [("C++", "C#"), ("C++", "C"), ("1234567", "1234568"), ("v2.13.0", "v2-13"), ("Rust", "ust")],
    )
    def test_different_ones_have_different_names(self, one: str, other: str) -> None:
        assert keywords(one) != keywords(other)

    def test_c_plus_plus_does_not_meet_c_sharp(self) -> None:
        assert not meets("C++", "C#")

    def test_the_whole_outranks_a_piece(self) -> None:
        asked = keywords("kiln-cloud-dev")
        assert len(asked & keywords("deploy kiln-cloud-dev")) > len(asked & keywords("kiln dev cloud"))

    def test_numbers_are_never_cut(self) -> None:
        assert keywords("1234567") == {"1234567"}


class TestStemmers:
    def test_prefix_is_the_default(self) -> None:
        assert keywords("painting painted") == {"paint"}

    def test_none_keeps_words(self) -> None:
        assert keywords("painting painted", WHOLE) == {"painting", "painted"}

    def test_snowball_by_language(self) -> None:
        english = MultilingualAnalyzer(stemmer="english")
        assert keywords("running runs", english) == {"run"}
        assert keywords("Katzen Katze", MultilingualAnalyzer(stemmer="german")) == {"katz"}

    def test_a_function_of_ones_own(self) -> None:
        assert keywords("Kiln Glaze", MultilingualAnalyzer(stemmer=_first)) == {"k", "g"}

    def test_a_stem_that_is_a_stop_word_stays(self) -> None:
        assert keywords("understand the afternoon") == {"under", "after"}

    def test_unknown_languages_and_types_are_refused(self) -> None:
        with pytest.raises(InvalidInputError, match="Snowball"):
            MultilingualAnalyzer(stemmer="klingon")
        with pytest.raises(InvalidTypeError, match="stemmer"):
            MultilingualAnalyzer(stemmer=5)  # type: ignore[arg-type]

    def test_what_a_function_gives_must_be_text(self) -> None:
        broken: Any = len
        with pytest.raises(InvalidTypeError, match="stemmer"):
            keywords("kiln", MultilingualAnalyzer(stemmer=broken))

    @pytest.mark.parametrize("stemmer", ["none", "prefix", "english", "russian"])
    def test_each_has_its_version_and_survives_pickling(self, stemmer: str) -> None:
        analyzer = MultilingualAnalyzer(stemmer=stemmer)
        copy = pickle.loads(pickle.dumps(analyzer))
        assert copy == analyzer
        assert copy.version == analyzer.version
        assert keywords("Painting картины", copy) == keywords("Painting картины", analyzer)

    def test_versions_differ(self) -> None:
        analyzers = [MultilingualAnalyzer(stemmer=name) for name in ("none", "prefix", "english", _first)]
        analyzers.append(MultilingualAnalyzer(stop_words={"x"}))
        assert len({analyzer.version for analyzer in analyzers}) == 5

    def test_a_snowball_stemmer_serves_many_threads(self) -> None:
        english = MultilingualAnalyzer(stemmer="english")
        text = " ".join(f"running{number} painted houses" for number in range(50))
        expected, found = keywords(text, english), []
        threads = [threading.Thread(target=lambda: found.append(keywords(text, english))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [expected] * 8


def _first(word: str) -> str:
    return word[0]


class TestStopWords:
    def test_chat_filler_is_none_of_the_keywords(self) -> None:
        assert keywords("ok can you please tell me, did she do it?") == set()
        assert keywords("don't they've") == set()

    def test_the_list_has_its_size(self) -> None:
        assert 130 <= len(ENGLISH_STOP_WORDS) <= 180

    def test_ones_own_list_is_folded_as_text_is(self) -> None:
        assert keywords("Où est le café", MultilingualAnalyzer(stop_words=["ou", "EST", "le"])) == {"cafe"}


@given(texts)
@settings(max_examples=250, deadline=None)
def test_the_fates_of_the_tokens_add_up_to_the_keywords(text: str) -> None:
    assert {word for fate in PREFIX.fates(text) for word in fate.keywords} == keywords(text)


@given(texts)
@settings(max_examples=150, deadline=None)
def test_keywords_are_plain_text_without_white_space(text: str) -> None:
    for word in keywords(text):
        assert word
        assert not word.startswith("$")
        assert word.split() == [word]


def test_caps() -> None:
    found = PREFIX.keywords(" ".join(f"w{number}" for number in range(30)), cap=10)
    assert found.capped
    assert set(found.keywords) == {f"w{number}" for number in range(10)}
    long = WHOLE.keywords("x" * 5000, cap=10)
    assert long.shortened == 1
    assert len(long.keywords[0]) == MAX_TOKEN


@pytest.mark.parametrize(
    "unit", ["\u0315\u0300", "字", "字a", "ไ", "가", "a-", "aB", "a+", "+#", "a.", "@", "é ", "\u0e33", "_"]
)
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = (unit * length)[:length]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            PREFIX.keywords(text, cap=MAX_EVENT_KEYWORDS)
            best = min(best, time.process_time() - start)
        return best

    seconds(1_000)
    assert seconds(160_000) < 10 * max(seconds(40_000), 0.002)
