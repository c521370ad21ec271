"""A stored document as JSON, whole: what an export yields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bson import json_util


def as_json_ready(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as it is stored, in MongoDB's relaxed extended JSON: dates are ``{"$date": …}``."""
    text = json_util.dumps(document, json_options=json_util.RELAXED_JSON_OPTIONS)
    exported: dict[str, Any] = json.loads(text)
    return exported
