"""Scores, the order of a search, and the page made of it; each rule stands here once."""

from mongorecall._ranking._order import in_order
from mongorecall._ranking._protocol import Admits, Document, Ranked, Ranking, TellsParts
from mongorecall._ranking._resolve import resolve_ranking
from mongorecall._ranking.context import ContextRanking
from mongorecall._ranking.idf import IdfRanking
from mongorecall._ranking.overlap import OverlapRanking
from mongorecall._ranking.page import PageBuilder

__all__ = [
    "Admits",
    "ContextRanking",
    "Document",
    "IdfRanking",
    "OverlapRanking",
    "PageBuilder",
    "Ranked",
    "Ranking",
    "TellsParts",
    "in_order",
    "resolve_ranking",
]
