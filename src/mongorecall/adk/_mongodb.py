"""The drop-in for google-adk's ``MongoDbMemoryService``: the same constructor, the same collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mongorecall.adk._features import check_adk_feature
from mongorecall.adk._service import AdkMemoryService
from mongorecall.mongodb import MongoDbMemoryService as _MongoDbMemoryService

if TYPE_CHECKING:
    from collections.abc import Collection

    from motor.motor_asyncio import AsyncIOMotorClient
    from pymongo import AsyncMongoClient, MongoClient


class MongoDbMemoryService(AdkMemoryService):
    """Long-term memory for ADK agents on any MongoDB, without embeddings.

    Takes the place of ``google.adk.integrations.mongodb.MongoDbMemoryService``: the options are the same,
    a collection written by either is read by the other, and ADK's feature switch is honoured.

    Args:
        database_name: the database that holds the memories.
        connection_string: MongoDB URI of a client that the service opens and closes.
        mongo_client: a ``MongoClient``, ``AsyncIOMotorClient`` or ``AsyncMongoClient`` of yours, which
            stays open. Exactly one of the two is needed, else ``ValueError``.
        memories_collection: the collection.
        stop_words: words left out of keywords, in place of the English list.
        max_results: most memories that one search returns, at least 1.
        ensure_indexes: make the index ``app_user_keywords`` on first use.
        include_details: see `mongorecall.adk.to_adk`.
        options: every further option of `mongorecall.MongoDbMemoryService`, such as
            ``analyzer="multilingual"``, ``store_metadata=True`` or ``driver="pymongo"``.
    """

    service: _MongoDbMemoryService

    def __init__(
        self,
        *,
        database_name: str,
        connection_string: str | None = None,
        mongo_client: MongoClient[Any] | AsyncIOMotorClient[Any] | AsyncMongoClient[Any] | None = None,
        memories_collection: str = "memories",
        stop_words: Collection[str] | None = None,
        max_results: int = 50,
        ensure_indexes: bool = True,
        include_details: bool = False,
        **options: Any,
    ) -> None:
        check_adk_feature()
        service = _MongoDbMemoryService(
            database_name=database_name,
            connection_string=connection_string,
            mongo_client=mongo_client,
            memories_collection=memories_collection,
            stop_words=stop_words,
            max_results=max_results,
            ensure_indexes=ensure_indexes,
            **options,
        )
        super().__init__(service, include_details=include_details)
