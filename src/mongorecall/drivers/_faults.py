"""The one table that turns errors of the drivers into errors of this library.

Only the class, the error code and its name are read. The text of a driver's error can hold the document
it failed on, so none of it gets into a message; one code (8000, by which Atlas reports everything) has
its text looked at to tell a missing privilege from the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from bson.errors import BSONError
from pymongo import errors as mongo

from mongorecall import errors

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(Enum):
    """What went wrong, as far as a caller can act on it."""

    UNREACHABLE = auto()  # no server was found in time
    TRANSIENT = auto()  # a connection, a primary or a cursor was lost: sending again may work
    LATE = auto()  # the server, or the wait for a connection, passed the deadline
    UNCONFIRMED = auto()  # written, but the write concern was not met
    FORBIDDEN = auto()
    UNAUTHENTICATED = auto()
    UNSUITABLE = auto()
    INDEX = auto()
    CLOSED = auto()
    WRONG_LOOP = auto()
    NOT_ENCODABLE = auto()
    OTHER = auto()


REPEATED: Final = frozenset({Kind.UNREACHABLE, Kind.TRANSIENT})
"""Kinds after which the same request is sent again, while its deadline allows."""

DRIVER_FAULTS: Final = (
    mongo.PyMongoError,
    BSONError,
    OSError,
    EOFError,
    RuntimeError,  # another event loop, a pool of threads that is shut down
    ValueError,  # bson: a key with NUL, a surrogate, a date out of range
    TypeError,
    OverflowError,  # bson: an integer over 64 bits
    RecursionError,
)
"""Everything that a call of a driver is known to raise."""

_BY_CLASS: Final[tuple[tuple[type[Exception], Kind], ...]] = (
    # The first row that matches counts: subclasses stand above their bases.
    (mongo.ServerSelectionTimeoutError, Kind.UNREACHABLE),
    (mongo.WaitQueueTimeoutError, Kind.LATE),
    (mongo.NetworkTimeout, Kind.TRANSIENT),
    (mongo.ExecutionTimeout, Kind.LATE),
    (mongo.WTimeoutError, Kind.UNCONFIRMED),
    (mongo.WriteConcernError, Kind.UNCONFIRMED),
    (mongo.ConnectionFailure, Kind.TRANSIENT),  # AutoReconnect, NotPrimaryError
    (mongo.ProtocolError, Kind.TRANSIENT),
    (mongo.CursorNotFound, Kind.TRANSIENT),
    (mongo.DocumentTooLarge, Kind.NOT_ENCODABLE),
    (mongo.OperationFailure, Kind.OTHER),
    (mongo.InvalidOperation, Kind.CLOSED),
    (mongo.PyMongoError, Kind.OTHER),
    (BSONError, Kind.NOT_ENCODABLE),
    (EOFError, Kind.TRANSIENT),
    (OSError, Kind.TRANSIENT),
    (RecursionError, Kind.NOT_ENCODABLE),  # a subclass of RuntimeError
    (RuntimeError, Kind.WRONG_LOOP),
    (ValueError, Kind.NOT_ENCODABLE),
    (TypeError, Kind.NOT_ENCODABLE),
    (OverflowError, Kind.NOT_ENCODABLE),
)

_BY_CODE: Final[dict[int, Kind]] = {
    13: Kind.FORBIDDEN,  # Unauthorized
    18: Kind.UNAUTHENTICATED,  # AuthenticationFailed
    50: Kind.LATE,  # MaxTimeMSExpired
    85: Kind.INDEX,  # IndexOptionsConflict
    86: Kind.INDEX,  # IndexKeySpecsConflict
    64: Kind.UNCONFIRMED,  # WriteConcernTimeout
    79: Kind.UNCONFIRMED,  # UnknownReplWriteConcern
    100: Kind.UNCONFIRMED,  # UnsatisfiableWriteConcern
    166: Kind.UNSUITABLE,  # CommandNotSupportedOnView
    **dict.fromkeys(
        (
            6,  # HostUnreachable
            7,  # HostNotFound
            43,  # CursorNotFound
            63,  # StaleShardVersion
            89,  # NetworkTimeout
            91,  # ShutdownInProgress
            112,  # WriteConflict
            133,  # FailedToSatisfyReadPreference
            134,  # ReadConcernMajorityNotAvailableYet
            150,  # StaleEpoch
            175,  # QueryPlanKilled
            189,  # PrimarySteppedDown
            234,  # RetryChangeStream
            262,  # ExceededTimeLimit
            317,  # ConnectionPoolExpired
            358,  # InternalTransactionNotSupported, while a cluster is upgraded
            384,  # ConnectionError
            462,  # IngressRequestRateLimitExceeded
            9001,  # SocketException
            10107,  # NotWritablePrimary
            11600,  # InterruptedAtShutdown
            11602,  # InterruptedDueToReplStateChange
            13388,  # StaleConfig
            13435,  # NotPrimaryNoSecondaryOk
            13436,  # NotPrimaryOrSecondary
        ),
        Kind.TRANSIENT,
    ),
}

_REPEATABLE_LABELS: Final = ("RetryableWriteError", "RetryableError", "TransientTransactionError")

_ATLAS_ERROR: Final = 8000


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of a driver, reduced to what may be told about it."""

    kind: Kind
    name: str
    """Name of the driver's class, or of the server's code."""
    code: int | None = None
    timed_out: bool = False
    """Whether the driver blames a time limit."""

    @property
    def repeats(self) -> bool:
        """Whether sending the same request again may work."""
        return self.kind in REPEATED


def classify(error: Exception) -> Fault:
    """Look an error up in the table."""
    code = _code_of(error)
    kind = _kind_of(error, code)
    name = _code_name(error) or type(error).__name__
    timed_out = isinstance(error, mongo.PyMongoError) and error.timeout
    return Fault(kind, name, code, timed_out)


def classify_code(code: int, *, name: str = "") -> Fault:
    """The row of a code that arrived inside a reply instead of as an error."""
    return Fault(_BY_CODE.get(code, Kind.OTHER), name or "write error", code)


def _kind_of(error: Exception, code: int | None) -> Kind:
    if code is not None and code in _BY_CODE:
        return _BY_CODE[code]
    if code == _ATLAS_ERROR and _says_not_allowed(error):
        return Kind.FORBIDDEN
    if isinstance(error, mongo.PyMongoError) and any(map(error.has_error_label, _REPEATABLE_LABELS)):
        return Kind.TRANSIENT
    for row, kind in _BY_CLASS:
        if isinstance(error, row):
            return kind
    return Kind.OTHER


def _code_of(error: Exception) -> int | None:
    code = error.code if isinstance(error, mongo.OperationFailure) else _details(error).get("code")
    return code if isinstance(code, int) else None


def _code_name(error: Exception) -> str | None:
    name = _details(error).get("codeName")
    return name[:64] if isinstance(name, str) and name.isalnum() else None


def _details(error: Exception) -> Mapping[str, Any]:
    details = getattr(error, "details", None)
    return details if isinstance(details, dict) else {}


def _says_not_allowed(error: Exception) -> bool:
    text = str(_details(error).get("errmsg", ""))
    return "not allowed" in text or "bad auth" in text


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a fault happened; every part may be shown."""

    operation: str
    namespace: str
    servers: str
    seconds: float
    """Since the call began."""
    attempts: int
    writes: bool
    repeated: bool = False
    """Whether the request that failed had been sent before, and its answer was lost."""

    @property
    def outcome(self) -> errors.Outcome:
        """What is known about the store after a fault on the way."""
        return "unknown" if self.writes and self.attempts else "none"

    @property
    def outcome_of_refusal(self) -> errors.Outcome:
        """What is known about the store after the server refused the request: an earlier sending of it may
        have been applied all the same."""
        return self.outcome if self.repeated else "none"


def to_error(fault: Fault, scene: Scene) -> errors.RecallError:
    """The library's error for a fault."""
    return _MAKERS[fault.kind](fault, scene)


def _unreachable(fault: Fault, scene: Scene) -> errors.RecallError:
    tries = "1 attempt" if scene.attempts <= 1 else f"{scene.attempts} attempts"
    return errors.UnavailableError(
        f"{scene.operation}: cannot reach MongoDB at {scene.servers} "
        f"({fault.name}), {tries} in {scene.seconds:.1f} s",
        retryable=True,
        outcome=scene.outcome,
        code=fault.code,
    )


def _late(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.DeadlineExceededError(
        f"{scene.operation}: no answer in {scene.seconds:.1f} s ({scene.servers})",
        retryable=True,
        outcome=scene.outcome,
        code=fault.code,
        hint="repeating the call is safe" if scene.writes else None,
    )


def _unconfirmed(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.UnavailableError(
        f"{scene.operation}: written but not confirmed by the write concern ({fault.name})",
        retryable=True,
        outcome="unknown",
        code=fault.code,
        hint="repeating the call is safe",
    )


def _forbidden(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.PermissionDeniedError(
        f"{scene.operation}: the database user may not do this on {scene.namespace}",
        outcome=scene.outcome_of_refusal,
        code=fault.code,
    )


def _unauthenticated(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.PermissionDeniedError(
        f"{scene.operation}: authentication failed at {scene.servers}",
        outcome=scene.outcome_of_refusal,
        code=fault.code,
    )


def _unsuitable(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.UnsuitableCollectionError(
        f"{scene.operation}: {scene.namespace} is a view or a kind of collection that refuses this",
        outcome=scene.outcome_of_refusal,
        code=fault.code,
    )


def _index(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.IndexConflictError(
        f"{scene.operation}: an index of {scene.namespace} clashes with the one asked for ({fault.name})",
        code=fault.code,
    )


def _closed(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.ClosedError(
        f"{scene.operation}: the MongoDB client was closed ({fault.name})", outcome=scene.outcome
    )


def _wrong_loop(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.WrongLoopError(
        f"{scene.operation}: the MongoDB client cannot work on this event loop ({fault.name})",
        outcome=scene.outcome,
    )


def _not_encodable(fault: Fault, scene: Scene) -> errors.RecallError:
    return errors.StoreError(f"{scene.operation}: BSON cannot hold a value of this call ({fault.name})")


def _other(fault: Fault, scene: Scene) -> errors.RecallError:
    label = fault.name if fault.code is None else f"error {fault.code} ({fault.name})"
    return errors.StoreError(
        f"{scene.operation}: MongoDB answered {label}", outcome=scene.outcome, code=fault.code
    )


_MAKERS: Final = {
    Kind.UNREACHABLE: _unreachable,
    Kind.TRANSIENT: _unreachable,
    Kind.LATE: _late,
    Kind.UNCONFIRMED: _unconfirmed,
    Kind.FORBIDDEN: _forbidden,
    Kind.UNAUTHENTICATED: _unauthenticated,
    Kind.UNSUITABLE: _unsuitable,
    Kind.INDEX: _index,
    Kind.CLOSED: _closed,
    Kind.WRONG_LOOP: _wrong_loop,
    Kind.NOT_ENCODABLE: _not_encodable,
    Kind.OTHER: _other,
}
