"""Text → keywords."""

from mongorecall.analysis._folding import plain_words
from mongorecall.analysis._grams import written_without_spaces
from mongorecall.analysis._limits import MAX_EVENT_KEYWORDS, MAX_MARKS, MAX_QUERY_KEYWORDS, MAX_TOKEN
from mongorecall.analysis._protocol import Analyzer, Extraction, Reason, TokenFate
from mongorecall.analysis._resolve import resolve_analyzer
from mongorecall.analysis.classic import ClassicAnalyzer
from mongorecall.analysis.multilingual import MultilingualAnalyzer
from mongorecall.analysis.stop_words import CLASSIC_STOP_WORDS, ENGLISH_STOP_WORDS

__all__ = [
    "CLASSIC_STOP_WORDS",
    "ENGLISH_STOP_WORDS",
    "MAX_EVENT_KEYWORDS",
    "MAX_MARKS",
    "MAX_QUERY_KEYWORDS",
    "MAX_TOKEN",
    "Analyzer",
    "ClassicAnalyzer",
    "Extraction",
    "MultilingualAnalyzer",
    "Reason",
    "TokenFate",
    "plain_words",
    "resolve_analyzer",
    "written_without_spaces",
]
