"""A chat endpoint that remembers and recalls, the memory API beside it, and the inspector for admins.

Start it, with a MongoDB on this machine or in MONGORECALL_URI::

    uvicorn examples.fastapi_app:app --workers 2

    curl -s localhost:8000/chat -H 'Authorization: Bearer ann-secret' -H 'Content-Type: application/json' \\
         -d '{"session": "monday", "text": "My favourite coffee is a flat white."}'
    curl -s localhost:8000/chat -H 'Authorization: Bearer ann-secret' -H 'Content-Type: application/json' \\
         -d '{"session": "thursday", "text": "What coffee do I usually get?"}'

The tokens stand for a real log-in. There is no model here: the reply quotes what was recalled.
"""

from __future__ import annotations

import hmac
import os
import time
import uuid
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel, Field
from starlette.requests import Request

from mongorecall import Content, Event, MongoDbMemoryService
from mongorecall.fastapi import (
    MemoryDep,
    Principal,
    get_memory,
    inspector_app,
    memory_lifespan,
    memory_router,
)

TOKENS = {
    "ann-secret": Principal("support", "ann"),
    "bob-secret": Principal("support", "bob"),
    "root-secret": Principal("support", "root", admin=True),
}


def authenticate(request: Request) -> Principal | None:
    """Who sent a request: the memory router, the inspector and the chat all ask here."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    known = (who for secret, who in TOKENS.items() if hmac.compare_digest(secret.encode(), token.encode()))
    return next(known, None)


def signed_in(request: Request) -> Principal:
    """The principal of a request to a handler of ours."""
    who = authenticate(request)
    if who is None:
        raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
    return who


def make_memory() -> MongoDbMemoryService:
    """The service of one worker process; it connects at the first request."""
    return MongoDbMemoryService(
        connection_string=os.environ.get("MONGORECALL_URI", "mongodb://localhost:27017"),
        database_name=os.environ.get("MONGORECALL_DATABASE", "mongorecall"),
    )


app = FastAPI(lifespan=memory_lifespan(make_memory))
app.include_router(memory_router(get_memory, authenticate=authenticate), prefix="/memory")
app.mount("/inspector", inspector_app(get_memory, authenticate=authenticate))


class Message(BaseModel):
    """What somebody says in a conversation."""

    session: str = Field(min_length=1, max_length=100)
    text: str = Field(min_length=1, max_length=10_000)


class Answer(BaseModel):
    """What the agent says, and the memories that it had before it."""

    text: str
    recalled: list[str]


@app.post("/chat")
async def chat(message: Message, who: Annotated[Principal, Depends(signed_in)], memory: MemoryDep) -> Answer:
    """Recall what other conversations said, answer, and remember this turn and the answer."""
    found = await memory.search_memory(
        app_name=who.app_name,
        user_id=who.user_id,
        query=message.text,
        limit=3,
        author="user",
        exclude_session_id=message.session,
    )
    recalled = [f"{entry.author}: {entry.content.text}" for entry in found.memories]
    reply = f"You once said: {recalled[0]}" if recalled else "That is new to me."
    turns = [("user", message.text), ("support", reply)]
    await memory.add_events(
        app_name=who.app_name,
        user_id=who.user_id,
        session_id=message.session,
        events=[
            Event(id=uuid.uuid4().hex, author=author, timestamp=time.time(), content=Content.of(text))
            for author, text in turns
        ],
    )
    return Answer(text=reply, recalled=recalled)
