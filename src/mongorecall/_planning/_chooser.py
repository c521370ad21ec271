"""Choose the plan that is expected to cost least; any choice gives the same rows."""

from __future__ import annotations

from mongorecall._planning._plans import Direct, Plan
from mongorecall._planning._request import SearchRequest
from mongorecall._planning._table import ScopeTable


def plan(request: SearchRequest, table: ScopeTable | None, *, has_recency_index: bool) -> Plan:
    """The plan for ``request``, given what is believed about its scope (None: nothing is known)."""
    return Direct(request)
