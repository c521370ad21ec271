"""Long-term recall for agents on any MongoDB: asynchronous, without embeddings, and it can say why not.

>>> async with MongoDbMemoryService(connection_string="mongodb://localhost", database_name="app") as memory:
...     await memory.add_session_to_memory(session)
...     found = await memory.search_memory(app_name="support", user_id="u-42", query="coffee")

Optional dependencies are loaded only by the packages named for them: `mongorecall.adk`,
`mongorecall.fastapi`, `mongorecall.otel`, `mongorecall.cli`.
"""

from mongorecall._features import ExperimentalWarning, set_feature
from mongorecall._ranking import ContextRanking, IdfRanking, OverlapRanking, Ranking
from mongorecall.analysis import Analyzer, ClassicAnalyzer, MultilingualAnalyzer
from mongorecall.base import BaseMemoryService
from mongorecall.drivers import deadline
from mongorecall.errors import (
    ClosedError,
    DeadlineExceededError,
    FeatureDisabledError,
    IndexConflictError,
    InvalidInputError,
    InvalidTypeError,
    PartialWriteError,
    PermissionDeniedError,
    RecallError,
    StoreError,
    UnavailableError,
    UnsuitableCollectionError,
    UnsupportedError,
    WrongLoopError,
)
from mongorecall.in_memory import InMemoryMemoryService
from mongorecall.models import (
    Content,
    Event,
    FailedEvent,
    ForgetReceipt,
    Health,
    IngestReport,
    LentKeyword,
    MemoryEntry,
    MemoryPage,
    MemoryScope,
    Part,
    SearchFilters,
    SearchMemoryResponse,
    Session,
    SessionPage,
    SessionSummary,
)
from mongorecall.mongodb import MongoDbMemoryService

__version__ = "0.1.0"

__all__ = [
    "Analyzer",
    "BaseMemoryService",
    "ClassicAnalyzer",
    "ClosedError",
    "Content",
    "ContextRanking",
    "DeadlineExceededError",
    "Event",
    "ExperimentalWarning",
    "FailedEvent",
    "FeatureDisabledError",
    "ForgetReceipt",
    "Health",
    "IdfRanking",
    "InMemoryMemoryService",
    "IndexConflictError",
    "IngestReport",
    "InvalidInputError",
    "InvalidTypeError",
    "LentKeyword",
    "MemoryEntry",
    "MemoryPage",
    "MemoryScope",
    "MongoDbMemoryService",
    "MultilingualAnalyzer",
    "OverlapRanking",
    "Part",
    "PartialWriteError",
    "PermissionDeniedError",
    "Ranking",
    "RecallError",
    "SearchFilters",
    "SearchMemoryResponse",
    "Session",
    "SessionPage",
    "SessionSummary",
    "StoreError",
    "UnavailableError",
    "UnsuitableCollectionError",
    "UnsupportedError",
    "WrongLoopError",
    "__version__",
    "deadline",
    "set_feature",
]
