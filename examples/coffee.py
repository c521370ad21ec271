"""The forgotten coffee order: a support agent that does not know on Thursday what it was told on Monday.

    MONGORECALL_URI=mongodb://localhost:27017 python examples/coffee.py

docs/examples/coffee.md shows what it prints. It works in a database of its own and drops it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import uuid
import warnings
from typing import Any

from pymongo import MongoClient

from mongorecall import MongoDbMemoryService
from mongorecall.inspection import InspectingMemoryService, diagnose, explain
from mongorecall.testing import make_event, make_session, make_tool_event

APP = "support"
COFFEE = make_event("My favourite coffee is a flat white.", event_id="e-1")
ORDER = make_tool_event({"order": "4417", "status": "shipped"}, name="order_status", event_id="e-2")
RESTATED = make_event("Your order 4417 has shipped.", event_id="e-3", author="agent")


async def monday(memory: InspectingMemoryService) -> None:
    """The writing job builds the user id from the number in its database."""
    session = make_session(COFFEE, ORDER, app_name=APP, user_id="42", session_id="monday")
    await memory.add_session_to_memory(session)


async def thursday(memory: InspectingMemoryService) -> None:
    """The chat endpoint calls the same user u-42."""
    query = "coffee preference?"
    print("\n# 1. Did the query have a chance?")
    for token in explain(query).tokens:
        print(f"{token.raw!r} is looked for as {', '.join(token.keywords)}")

    print("\n# 2. What did the store do?")
    await memory.search_memory(app_name=APP, user_id="u-42", query=query)

    print("\n# 3. Why?")
    print(await diagnose(memory, app_name=APP, user_id="u-42", query=query, allow_key_listing=True))


def user_id_of(user: str) -> str:
    """The one shared function: a user is the number, whoever asks."""
    return user.removeprefix("u-")


async def fixed(memory: InspectingMemoryService) -> None:
    """Writer and reader use one key policy."""
    print("\n# 4. With one shared function")
    await memory.search_memory(app_name=APP, user_id="u-42", query="coffee preference?")


async def order(memory: InspectingMemoryService) -> None:
    """The order number stood only in the result of a tool."""
    query, monday_session = "Where's order 4417?", make_session(COFFEE, ORDER, session_id="monday")
    print("\n# 5. And the order?")
    await memory.search_memory(app_name=APP, user_id="u-42", query=query)
    print(await diagnose(memory, app_name=APP, user_id="u-42", query=query, session=monday_session))

    print("\n# 6. With the status restated in text")
    session = make_session(COFFEE, ORDER, RESTATED, app_name=APP, user_id="u-42", session_id="monday")
    await memory.add_session_to_memory(session)
    await memory.search_memory(app_name=APP, user_id="u-42", query=query)


async def main(uri: str, database: str) -> None:
    """Monday, Thursday, and what was done about it."""
    async with MongoDbMemoryService(connection_string=uri, database_name=database) as service:
        memory = InspectingMemoryService(service)
        print("# Monday")
        await monday(memory)
        await thursday(memory)
    async with MongoDbMemoryService(
        connection_string=uri, database_name=database, key_policy=user_id_of
    ) as service:
        memory = InspectingMemoryService(service)
        await fixed(memory)
        await order(memory)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.basicConfig(stream=sys.stdout, format="%(message)s")
    logging.getLogger("mongorecall.inspection").setLevel(logging.INFO)
    server, name = os.environ["MONGORECALL_URI"], f"mongorecall_test_coffee_{uuid.uuid4().hex[:8]}"
    try:
        asyncio.run(main(server, name))
    finally:
        client: MongoClient[dict[str, Any]] = MongoClient(server)
        with client:
            client.drop_database(name)
