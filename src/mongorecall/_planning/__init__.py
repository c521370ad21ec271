"""How a search is answered: pure decisions and the pipelines they send; any plan gives the exact rows."""

from mongorecall._planning._chooser import plan
from mongorecall._planning._plans import Plan
from mongorecall._planning._request import SearchRequest
from mongorecall._planning._table import ScopeTable

__all__ = ["Plan", "ScopeTable", "SearchRequest", "plan"]
