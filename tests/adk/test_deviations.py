"""Where our service, with default options, does otherwise than google-adk's: this list and no other."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from mongorecall.errors import InvalidInputError, InvalidTypeError
from tests.adk.events import MONDAY, event, texts

if TYPE_CHECKING:
    from google.adk.integrations.mongodb import MongoDbMemoryService as PeerService
    from pymongo.collection import Collection

    from mongorecall.adk import MongoDbMemoryService
    from tests.adk.conftest import MakeDropIn, MakePeer

    Documents = Collection[dict[str, Any]]

USER: dict[str, Any] = {"app_name": "support", "user_id": "u-42"}


async def add(service: Any, *events: Any, session_id: str = "s-1") -> None:
    """Add events to a session of the user."""
    await service.add_events_to_memory(**USER, session_id=session_id, events=list(events))


async def find(service: Any, query: str) -> list[str]:
    """The texts found."""
    return texts(await service.search_memory(**USER, query=query))


@pytest.mark.seed("R-038")
async def test_times_carry_the_offset(memory: MongoDbMemoryService, peer: PeerService) -> None:
    """The peer's time is local and does not say so; ours is UTC and does."""
    await add(memory, event("kiln"))
    ours, peers = [(await each.search_memory(**USER, query="kiln")).memories[0] for each in (memory, peer)]
    assert ours.timestamp == datetime.fromtimestamp(MONDAY, UTC).isoformat() == "2026-03-02T09:30:00+00:00"
    assert datetime.fromisoformat(peers.timestamp or "").utcoffset() is None


async def test_the_id_is_the_last_tie_break(memory: MongoDbMemoryService, peer: PeerService) -> None:
    """Equal score and time: the peer answers in an order of its own, ours by session and event id."""
    for session_id in ("s-2", "s-1"):
        turns = [event(f"kiln {session_id} {each}", id=each) for each in ("c", "a", "b")]
        await add(memory, *turns, session_id=session_id)
    ours = await find(memory, "kiln")
    assert ours == [f"kiln {session} {each}" for session in ("s-1", "s-2") for each in ("a", "b", "c")]
    assert await find(peer, "kiln") != ours


@pytest.mark.seed("R-039")
async def test_duplicates_are_removed_before_the_limit(make_drop_in: MakeDropIn, make_peer: MakePeer) -> None:
    """Equal turns use up the peer's page; ours is still filled."""
    memory, peer = await make_drop_in(max_results=2), make_peer(max_results=2)
    for number in range(3):
        await add(memory, event("kiln", id=f"e-{number}", minute=2))
    await add(memory, event("kiln two", minute=1))
    assert await find(memory, "kiln") == ["kiln", "kiln two"]
    assert await find(peer, "kiln") == ["kiln"]


@pytest.mark.parametrize(
    "broken",
    [
        {"timestamp": None},
        {"timestamp": "yesterday"},
        {"timestamp": MONDAY * 1000},
        {"timestamp": float("nan")},
        {"author": 42},
        {"keywords": "kiln"},
        {"content": {"parts": "kiln"}},
        {"content": None},
    ],
    ids=str,
)
@pytest.mark.seed("R-040")
async def test_a_malformed_document_fails_no_search(
    memory: MongoDbMemoryService, raw: Documents, broken: dict[str, Any]
) -> None:
    """Whatever is stored beside it, the good memory is found."""
    await add(memory, event("kiln good", id="good"), event("kiln broken", id="broken"))
    raw.update_one({"_id.event_id": "broken"}, {"$set": broken})
    assert "kiln good" in await find(memory, "kiln")


async def test_the_peer_fails_on_some_of_them(peer: PeerService, raw: Documents) -> None:
    """One stored time in milliseconds ends every search that meets it."""
    await add(peer, event("kiln good"), event("kiln broken", id="broken"))
    raw.update_one({"_id.event_id": "broken"}, {"$set": {"timestamp": MONDAY * 1000}})
    with pytest.raises(ValueError, match="year"):
        await find(peer, "kiln")


async def test_a_memory_whose_time_cannot_be_read_is_returned_without_one(
    memory: MongoDbMemoryService, raw: Documents
) -> None:
    """The text is worth having; the time is not guessed."""
    await add(memory, event("kiln"))
    raw.update_one({}, {"$set": {"timestamp": MONDAY * 1000}})
    [entry] = (await memory.search_memory(**USER, query="kiln")).memories
    assert entry.timestamp is None


async def test_partial_events_are_not_stored(memory: MongoDbMemoryService, peer: PeerService) -> None:
    """Streaming chunks stand in the peer's memory beside the final turn."""
    turns = [event("kiln is", id="e-1", partial=True), event("kiln is hot", id="e-2")]
    await add(memory, *turns)
    assert await find(memory, "kiln") == ["kiln is hot"]
    await add(peer, *turns)
    assert len(await find(peer, "kiln")) == 2


@pytest.mark.parametrize("redacted", ["the", "***", ""])
async def test_an_event_that_lost_its_words_is_erased(
    memory: MongoDbMemoryService, make_peer: MakePeer, raw: Documents, redacted: str
) -> None:
    """The peer skips the redacted event and keeps the old text."""
    peer = make_peer(memories_collection="peers")
    for service in (memory, peer):
        await add(service, event("my pin is walnut", id="e-1"))
        await add(service, event(redacted, id="e-1"))
    assert await find(memory, "walnut") == []
    assert "walnut" not in str(list(raw.find()))
    assert await find(peer, "walnut") == ["my pin is walnut"]


async def test_an_older_add_never_overwrites_a_newer_one(
    memory: MongoDbMemoryService, peer: PeerService, raw: Documents
) -> None:
    """An add that began earlier and lands later changes nothing; the peer writes what comes last."""
    await add(memory, event("the newer text", id="e-1"))
    begun_later = 2**62
    raw.update_one({}, {"$set": {"mr.rev": begun_later}})
    await add(memory, event("the older text", id="e-1"))
    assert await find(memory, "text") == ["the newer text"]
    await add(peer, event("the older text", id="e-1"))
    assert await find(peer, "text") == ["the older text"]


async def test_a_forgotten_event_stays_forgotten(memory: MongoDbMemoryService, peer: PeerService) -> None:
    """Adding its session again does not bring it back; the peer has no way to forget."""
    turn = event("my pin is walnut", id="e-1")
    await add(memory, turn)
    await memory.delete_memory(**USER, memory_id="e-1")
    await add(memory, turn)
    assert await find(memory, "walnut") == []
    assert await find(peer, "walnut") == []
    with pytest.raises(NotImplementedError):
        await peer.delete_memory(**USER, memory_id="e-1")


@pytest.mark.parametrize("user_id", [{"$ne": None}, None, 42, "", "a\x00b", "x" * 513], ids=repr)
async def test_ids_are_checked(memory: MongoDbMemoryService, peer: PeerService, user_id: Any) -> None:
    """Refused before anything is sent; the peer takes whatever comes."""
    with pytest.raises(InvalidInputError):
        await memory.search_memory(app_name="support", user_id=user_id, query="kiln")
    await peer.search_memory(app_name="support", user_id=user_id, query="kiln")


async def test_an_operator_reads_nobodys_memories(memory: MongoDbMemoryService, peer: PeerService) -> None:
    """With the peer, ``{"$ne": null}`` for a user id reads everybody's."""
    await add(memory, event("my pin is walnut"))
    everybody: Any = {"$ne": None}
    assert texts(await peer.search_memory(app_name="support", user_id=everybody, query="walnut"))
    with pytest.raises(InvalidTypeError, match="user_id must be str, got dict"):
        await memory.search_memory(app_name="support", user_id=everybody, query="walnut")


async def test_the_session_id_of_no_session_is_reserved(memory: MongoDbMemoryService) -> None:
    """With the peer, three conversations without a proper session id overwrite one another."""
    for session_id in ("", "__unknown_session_id__"):
        with pytest.raises(InvalidInputError, match="session_id"):
            await add(memory, event("kiln"), session_id=session_id)


async def test_a_query_has_at_most_a_thousand_keywords(
    memory: MongoDbMemoryService, peer: PeerService
) -> None:
    """The work of one question is bounded; the words that count are the first ones."""
    await add(memory, event("word0", id="first"), event("word1000", id="last"))
    query = " ".join(f"word{number}" for number in range(1001))
    assert await find(memory, query) == ["word0"]
    assert sorted(await find(peer, query)) == ["word0", "word1000"]


async def test_an_event_has_at_most_ten_thousand_keywords(
    memory: MongoDbMemoryService, make_peer: MakePeer, raw: Documents
) -> None:
    """A longer one is found by the first of its words, and comes back whole."""
    peer = make_peer(memories_collection="peers")
    text = " ".join(f"word{number}" for number in range(10_001))
    for service in (memory, peer):
        await add(service, event(text))
    [document] = raw.find()
    assert len(document["keywords"]) == 10_000
    assert await find(memory, "word0") == await find(peer, "word10000") == [text]
    assert await find(memory, "word10000") == []


async def test_a_word_over_1024_characters_is_indexed_shortened(
    memory: MongoDbMemoryService, make_peer: MakePeer, raw: Documents
) -> None:
    """It still finds itself, and no other word that begins alike."""
    peer, long = make_peer(memories_collection="peers"), "k" * 2000
    for service in (memory, peer):
        await add(service, event(long))
        assert await find(service, long) == [long]
        assert await find(service, long + "k") == []
    [document] = raw.find()
    assert max(len(keyword) for keyword in document["keywords"]) <= 1024
