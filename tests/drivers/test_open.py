"""What a driver can be opened from, and what is refused before anything is sent."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from motor.motor_asyncio import AsyncIOMotorClient
from pymongo import AsyncMongoClient, MongoClient

from mongorecall.drivers import open_driver
from mongorecall.errors import InvalidInputError, InvalidTypeError, RecallError

NOWHERE = "mongodb://ann:s3cret%40canary@127.0.0.1:1/?serverSelectionTimeoutMS=100"
NAMES: dict[str, Any] = {"database_name": "p", "collection_name": "memories"}


def open_nowhere(**options: Any) -> Any:
    return open_driver(**{"connection_string": NOWHERE, **NAMES, **options})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"connection_string": None}, InvalidInputError),
        ({"mongo_client": object()}, InvalidInputError),
        ({"connection_string": 7}, InvalidTypeError),
        ({"connection_string": "http://127.0.0.1"}, InvalidInputError),
        ({"connection_string": "mongodb://ann:canary@127.0.0.1:port"}, InvalidInputError),
        ({"connection_string": "mongodb://ann:can/ary@127.0.0.1"}, InvalidInputError),
        ({"connection_string": "mongodb://127.0.0.1/?w=0"}, InvalidInputError),
        ({"driver": "asyncpg"}, InvalidInputError),
        ({"database_name": ""}, InvalidInputError),
        ({"database_name": "a b"}, InvalidInputError),
        ({"database_name": "a.b"}, InvalidInputError),
        ({"database_name": "\ud800"}, InvalidInputError),
        ({"database_name": "é" * 32}, InvalidInputError),
        ({"database_name": None}, InvalidTypeError),
        ({"collection_name": ""}, InvalidInputError),
        ({"collection_name": "system.users"}, InvalidInputError),
        ({"collection_name": "a$b"}, InvalidInputError),
        ({"collection_name": "a..b"}, InvalidInputError),
        ({"collection_name": "a."}, InvalidInputError),
        ({"collection_name": "c" * 234}, InvalidInputError),
        ({"operation_timeout": 0}, InvalidInputError),
        ({"operation_timeout": "10"}, InvalidTypeError),
        ({"max_concurrency": 0}, InvalidInputError),
        ({"max_concurrency": True}, InvalidTypeError),
    ],
)
@pytest.mark.parametrize("driver", ["motor", "pymongo"])
def test_bad_options_are_refused_before_io(
    driver: str, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error) as caught:
        open_nowhere(**({"driver": driver} | options))

    assert "ary" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert isinstance(caught.value.__context__, RecallError | None)  # none of a driver's


@pytest.mark.parametrize("driver", ["motor", "pymongo"])
def test_the_longest_names_are_taken(driver: str) -> None:
    with_longest = open_nowhere(driver=driver, database_name="d" * 63, collection_name="c" * 171)

    assert with_longest.namespace == f"{'d' * 63}.{'c' * 171}"


@pytest.mark.parametrize("wrong", [object(), "mongodb://h", 7, [], MongoClient])
def test_a_client_of_another_kind_is_refused_and_the_right_ones_are_named(wrong: object) -> None:
    with pytest.raises(InvalidTypeError, match=r"pymongo\.MongoClient.*AsyncIOMotorClient.*AsyncMongoClient"):
        open_driver(mongo_client=wrong, **NAMES)


def test_a_collection_in_place_of_a_client_is_refused() -> None:
    with (
        MongoClient[dict[str, Any]](NOWHERE, connect=False) as client,
        pytest.raises(InvalidTypeError, match="got Collection"),
    ):
        open_driver(mongo_client=client.p.memories, **NAMES)


def test_a_client_that_does_not_wait_for_answers_is_refused() -> None:
    with (
        MongoClient[dict[str, Any]](NOWHERE, connect=False, w=0) as client,
        pytest.raises(InvalidInputError, match="w=0"),
    ):
        open_driver(mongo_client=client, **NAMES)


def test_a_synchronous_client_cannot_be_asked_to_work_as_pymongo_async() -> None:
    with (
        MongoClient[dict[str, Any]](NOWHERE, connect=False) as client,
        pytest.raises(InvalidInputError, match="AsyncMongoClient"),
    ):
        open_driver(mongo_client=client, driver="pymongo", **NAMES)


def test_each_kind_of_client_says_what_it_runs_on() -> None:
    with MongoClient[dict[str, Any]](NOWHERE, connect=False) as synchronous:
        motor: AsyncIOMotorClient[dict[str, Any]] = AsyncIOMotorClient(NOWHERE)
        asynchronous: AsyncMongoClient[dict[str, Any]] = AsyncMongoClient(NOWHERE)
        found = [
            (made.description.partition(" ")[0], made.owns_client)
            for made in (
                open_nowhere(),
                open_nowhere(driver="pymongo"),
                open_driver(mongo_client=synchronous, **NAMES),
                open_driver(mongo_client=motor, **NAMES),
                open_driver(mongo_client=asynchronous, **NAMES),
            )
        ]
        motor.close()

    assert found == [
        ("motor", True),
        ("pymongo", True),
        ("motor", False),
        ("motor", False),
        ("pymongo", False),
    ]


@pytest.mark.parametrize("driver", ["motor", "pymongo"])
def test_no_password_in_repr(driver: str) -> None:
    shown = repr(open_nowhere(driver=driver))

    assert "127.0.0.1:1" in shown
    assert "p.memories" in shown
    assert "canary" not in shown
    assert "ann" not in shown


@pytest.mark.parametrize("driver", ["motor", "pymongo"])
def test_one_made_from_a_connection_string_can_be_pickled_and_copied(driver: str) -> None:
    made = open_nowhere(driver=driver, operation_timeout=3)

    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert other is not made
        assert (other.namespace, other.operation_timeout) == ("p.memories", 3)
        assert other.description == made.description


def test_one_with_a_callers_client_cannot_be_pickled() -> None:
    with MongoClient[dict[str, Any]](NOWHERE, connect=False) as client:
        made = open_driver(mongo_client=client, **NAMES)

        with pytest.raises(TypeError, match="connection_string"):
            pickle.dumps(made)
