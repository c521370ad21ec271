"""See inside a memory: how a query is read, why a search came back empty, and what each call did."""

from mongorecall.inspection._asking import explain_search
from mongorecall.inspection._diagnosing import diagnose
from mongorecall.inspection._explaining import explain
from mongorecall.inspection._hooks import Counters, LoggingHook, RingBuffer
from mongorecall.inspection._records import InspectionHook, OperationRecord
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
from mongorecall.inspection._service import InspectingMemoryService

__all__ = [
    "Cause",
    "Check",
    "Counters",
    "Diagnosis",
    "ExpectedFate",
    "Hit",
    "InspectingMemoryService",
    "InspectionHook",
    "KeywordCount",
    "LoggingHook",
    "NearKey",
    "NearKeyword",
    "OperationRecord",
    "QueryExplanation",
    "RingBuffer",
    "SearchExplanation",
    "diagnose",
    "explain",
    "explain_search",
]
