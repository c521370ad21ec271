"""Names of stored fields; no other package spells them out.

A document is ``_id {app_name, user_id, session_id, event_id}``, then ``app_name user_id session_id author
keywords content timestamp`` as google-adk writes them, then ``mr``, which holds all that is ours. A marker
(an erased or forgotten event) has the ids and ``mr`` only.
"""

from __future__ import annotations

from typing import Final

ID: Final = "_id"
APP_NAME: Final = "app_name"
USER_ID: Final = "user_id"
SESSION_ID: Final = "session_id"
EVENT_ID: Final = "event_id"
AUTHOR: Final = "author"
KEYWORDS: Final = "keywords"
CONTENT: Final = "content"
TIMESTAMP: Final = "timestamp"

MR: Final = "mr"
"""The sub-document of this library."""

VERSION: Final = "v"
REVISION: Final = "rev"
ANALYZER: Final = "analyzer"
EXPIRES_AT: Final = "expires_at"
METADATA: Final = "metadata"
FORGOTTEN: Final = "forgotten"
ERASED: Final = "erased"
CONTENT_JSON: Final = "content_json"

MR_REVISION: Final = f"{MR}.{REVISION}"
MR_VERSION: Final = f"{MR}.{VERSION}"
MR_EXPIRES_AT: Final = f"{MR}.{EXPIRES_AT}"
MR_FORGOTTEN: Final = f"{MR}.{FORGOTTEN}"
MR_ERASED: Final = f"{MR}.{ERASED}"
ID_EVENT: Final = f"{ID}.{EVENT_ID}"

SCORE: Final = "score"
"""Not stored: the field of a row of a search that holds its score."""

FORMAT_VERSION: Final = 1
"""The format of ``mr``. Another one is read as google-adk's shape, and never rewritten."""
