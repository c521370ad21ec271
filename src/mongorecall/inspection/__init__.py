"""See inside a memory: how a query is read, why a search came back empty, and what each call did."""

from mongorecall.inspection._asking import explain_search
from mongorecall.inspection._census import Census, take_census
from mongorecall.inspection._diagnosing import diagnose
from mongorecall.inspection._explaining import explain
from mongorecall.inspection._hooks import Counters, LoggingHook, RingBuffer
from mongorecall.inspection._records import InspectionHook, Operation, OperationRecord, hash_id
from mongorecall.inspection._replaying import Replayed, ReplayReport, replay
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
    "Census",
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
    "Operation",
    "OperationRecord",
    "QueryExplanation",
    "ReplayReport",
    "Replayed",
    "RingBuffer",
    "SearchExplanation",
    "diagnose",
    "explain",
    "explain_search",
    "hash_id",
    "replay",
    "take_census",
]
