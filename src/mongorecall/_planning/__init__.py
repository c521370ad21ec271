"""How a search is answered: pure decisions and the pipelines they send; any plan gives the exact rows."""

from mongorecall._planning._chooser import plan
from mongorecall._planning._plans import Direct, Plan, Row
from mongorecall._planning._policy import LEARNING_SECONDS, LearningPolicy
from mongorecall._planning._request import SearchRequest
from mongorecall._planning._sampling import ends_pipeline, sample_pipeline, session_ids, table_of
from mongorecall._planning._table import ScopeTable

__all__ = [
    "LEARNING_SECONDS",
    "Direct",
    "LearningPolicy",
    "Plan",
    "Row",
    "ScopeTable",
    "SearchRequest",
    "ends_pipeline",
    "plan",
    "sample_pipeline",
    "session_ids",
    "table_of",
]
