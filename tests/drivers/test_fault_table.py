"""The table that turns the drivers' errors into ours: it is complete, and tells nothing it must not."""

from __future__ import annotations

import inspect
from typing import Any

import bson.errors
import pymongo.errors
import pytest

from mongorecall import errors
from mongorecall.drivers._faults import DRIVER_FAULTS, Kind, Scene, classify, classify_code, to_error

SCENE = Scene("search", "p.memories", "127.0.0.1:27017", 10.0, attempts=2, writes=True)
CANARY = "canary text of a memory"


def _classes(module: Any) -> list[type[Exception]]:
    return [
        found
        for _, found in inspect.getmembers(module, inspect.isclass)
        if issubclass(found, Exception) and found.__module__ == module.__name__
    ]


def _make(kind: type[Exception]) -> Exception:
    details = {"errmsg": CANARY, "writeErrors": [{"op": {"content": CANARY}}]}
    if kind is pymongo.errors.ClientBulkWriteException:
        return kind({"error": None, "writeErrors": [], "text": CANARY}, True)
    for arguments in ((CANARY, 8, details), (CANARY, details), (details,), (CANARY,)):
        try:
            return kind(*arguments)
        except (TypeError, AttributeError):
            continue
    raise AssertionError(f"{kind.__name__} could not be made")


@pytest.mark.parametrize(
    "kind", [*_classes(pymongo.errors), *_classes(bson.errors)], ids=lambda k: k.__name__
)
def test_every_error_of_the_drivers_has_a_row_and_none_tells_its_text(kind: type[Exception]) -> None:
    if issubclass(kind, Warning):
        pytest.fail(f"{kind} is not raised")
    error = _make(kind)

    ours = to_error(classify(error), SCENE)

    assert isinstance(error, DRIVER_FAULTS)
    assert isinstance(ours, errors.RecallError)
    assert CANARY not in f"{ours} {ours!r} {ours.args} {ours.hint} {vars(ours)}"


@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError(CANARY),
        EOFError(CANARY),
        RuntimeError(CANARY),
        ValueError(CANARY),
        UnicodeEncodeError("utf-8", CANARY, 0, 1, CANARY),
        OverflowError(CANARY),
        TypeError(CANARY),
        RecursionError(CANARY),
    ],
    ids=lambda error: type(error).__name__,
)
def test_built_in_errors_of_the_drivers_have_a_row(error: Exception) -> None:
    ours = to_error(classify(error), SCENE)

    assert isinstance(error, DRIVER_FAULTS)
    assert isinstance(ours, errors.RecallError)
    assert CANARY not in f"{ours} {ours!r} {vars(ours)}"


@pytest.mark.parametrize(
    ("code", "ours", "repeats"),
    [
        (13, errors.PermissionDeniedError, False),
        (18, errors.PermissionDeniedError, False),
        (50, errors.DeadlineExceededError, False),
        (64, errors.UnavailableError, False),
        (100, errors.UnavailableError, False),
        (91, errors.UnavailableError, True),
        (189, errors.UnavailableError, True),
        (10107, errors.UnavailableError, True),
        (11600, errors.UnavailableError, True),
        (11602, errors.UnavailableError, True),
        (13435, errors.UnavailableError, True),
        (13436, errors.UnavailableError, True),
        (43, errors.UnavailableError, True),
        (85, errors.IndexConflictError, False),
        (86, errors.IndexConflictError, False),
        (166, errors.UnsuitableCollectionError, False),
        (11000, errors.StoreError, False),
        (424242, errors.StoreError, False),
    ],
)
def test_codes_of_the_server(code: int, ours: type[errors.RecallError], repeats: bool) -> None:
    error = pymongo.errors.OperationFailure(CANARY, code, {"codeName": "NameOfCode", "errmsg": CANARY})

    assert type(to_error(classify(error), SCENE)) is ours
    assert classify(error).repeats is classify_code(code).repeats is repeats


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("user is not allowed to do action [createIndex] on [p.memories]", Kind.FORBIDDEN),
        ("bad auth : authentication failed", Kind.FORBIDDEN),
        ("you are over your space quota, using 513 MB of 512 MB", Kind.OTHER),
    ],
)
def test_atlas_reports_everything_by_one_code(text: str, kind: Kind) -> None:
    details = {"codeName": "AtlasError", "errmsg": text}

    assert classify(pymongo.errors.OperationFailure(text, 8000, details)).kind is kind


def test_a_label_makes_an_unknown_code_repeatable() -> None:
    details = {"errorLabels": ["RetryableWriteError"], "codeName": "NewInServer9"}

    assert classify(pymongo.errors.OperationFailure(CANARY, 424242, details)).repeats


def test_a_name_of_a_code_that_is_no_name_is_not_shown() -> None:
    error = pymongo.errors.OperationFailure(CANARY, 424242, {"codeName": f"Bad {CANARY}"})

    assert CANARY not in str(to_error(classify(error), SCENE))


def test_messages_say_what_and_where() -> None:
    refused = classify(pymongo.errors.AutoReconnect(CANARY))
    late = classify(pymongo.errors.ExecutionTimeout(CANARY, 50))

    assert str(to_error(refused, SCENE)) == (
        "search: cannot reach MongoDB at 127.0.0.1:27017 (AutoReconnect), 2 attempts in 10.0 s"
    )
    assert str(to_error(late, SCENE)) == (
        "search: no answer in 10.0 s (127.0.0.1:27017) (repeating the call is safe)"
    )


@pytest.mark.parametrize(
    ("attempts", "writes", "outcome"), [(0, True, "none"), (1, True, "unknown"), (1, False, "none")]
)
def test_an_outcome_is_unknown_only_once_a_write_was_sent(attempts: int, writes: bool, outcome: str) -> None:
    scene = Scene("add", "p.memories", "h:1", 1.0, attempts, writes)

    assert to_error(classify(pymongo.errors.AutoReconnect()), scene).outcome == outcome
