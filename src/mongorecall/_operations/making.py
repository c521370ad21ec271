"""Make the indexes now, by somebody who may: for services that run without the privilege."""

from __future__ import annotations

from mongorecall._operations.store import Store


async def make_indexes(store: Store) -> list[str]:
    """The names of the indexes that are there now. One command for each; the one of expiry included.

    Raises:
        PermissionDeniedError: the database user lacks the privilege createIndex.
        IndexConflictError: a name of ours belongs to an index on other keys.
    """
    specs = store.index_specs(expiring=True)
    async with store.driver.operation("create_indexes", write=True) as operation:
        for spec in specs:
            await store.indexes.make_now(operation, spec)
    return [spec.name for spec in specs]
