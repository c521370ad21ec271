"""See inside a memory: how a query is read, why a search came back empty, and what each call did."""

from mongorecall.inspection._explaining import explain
from mongorecall.inspection._reports import (
    Cause,
    Check,
    Diagnosis,
    ExpectedFate,
    Hit,
    KeywordCount,
    NearKey,
    NearKeyword,
    QueryExplanation,
    SearchExplanation,
)

__all__ = [
    "Cause",
    "Check",
    "Diagnosis",
    "ExpectedFate",
    "Hit",
    "KeywordCount",
    "NearKey",
    "NearKeyword",
    "QueryExplanation",
    "SearchExplanation",
    "explain",
]
