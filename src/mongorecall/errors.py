"""Every exception of the library.

::

    RecallError
    ├── InvalidInputError (ValueError)            an argument is out of bounds; raised before any I/O
    │   └── InvalidTypeError (TypeError)          an argument has the wrong type
    ├── PartialWriteError                         some events are stored, some are not: see ``report``
    ├── DeadlineExceededError (TimeoutError)      the operation's deadline passed
    ├── UnavailableError (ConnectionError)        no server, connection lost, not primary, not confirmed
    ├── PermissionDeniedError                     the database user may not do this, or login failed
    ├── UnsuitableCollectionError                 collation, capped, time-series or view
    ├── IndexConflictError                        our index name is taken by an index on other keys
    ├── ClosedError (RuntimeError)                the service was used after ``close()``
    ├── WrongLoopError (RuntimeError)             a caller's AsyncMongoClient on a second event loop
    ├── UnsupportedError (NotImplementedError)    the service cannot do this; says which option turns it on
    ├── FeatureDisabledError (RuntimeError)       the experimental feature is switched off
    └── StoreError                                any other answer of the server

Messages name arguments, types, lengths, limits, codes and at most five event ids cut to 64
characters. They never hold memory text, query text or a URI, and the driver's own exception is not
chained, since its text holds the document it failed on. ``asyncio.CancelledError`` passes untouched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from mongorecall.models import IngestReport

Outcome = Literal["none", "partial", "unknown"]
"""What a failed call left in the store: nothing, a part, or nobody can know (repeating is safe)."""


class RecallError(Exception):
    """Base of every error of this library.

    Attributes:
        kind: stable machine-readable name, one per class, such as ``"deadline_exceeded"``.
        retryable: whether repeating the same call later may succeed.
        outcome: what the failed call left in the store.
        hint: what to do next, or None.
        code: the server's error code, or None.
        report: of a failed add, what is known of each event, or None.
    """

    kind: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        outcome: Outcome = "none",
        hint: str | None = None,
        code: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        self.outcome: Outcome = outcome
        self.hint = hint
        self.code = code
        self.report: IngestReport | None = None

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InvalidInputError(RecallError, ValueError):
    """An argument or option is out of its bounds. Nothing was sent."""

    kind = "invalid_input"


class InvalidTypeError(InvalidInputError, TypeError):
    """An argument has the wrong type: ``user_id must be str, got dict``. Nothing was sent."""

    kind = "invalid_type"


class PartialWriteError(RecallError):
    """Some events are stored and some are not.

    ``report`` is the whole `IngestReport`; ``report.failed`` names each failed event by index, id and
    reason. Repeating the call is safe.
    """

    kind = "partial_write"

    def __init__(self, message: str, *, report: IngestReport, retryable: bool = False) -> None:
        super().__init__(message, retryable=retryable, outcome="partial")
        self.report: IngestReport = report


class DeadlineExceededError(RecallError, TimeoutError):
    """No answer by the operation's deadline. ``outcome`` is "none" for reads, else "unknown"."""

    kind = "deadline_exceeded"


class UnavailableError(RecallError, ConnectionError):
    """The server cannot be reached, or did not confirm a write, after retries inside the deadline."""

    kind = "unavailable"


class PermissionDeniedError(RecallError):
    """The database user lacks the privilege, or authentication failed."""

    kind = "permission_denied"


class UnsuitableCollectionError(RecallError):
    """The collection cannot keep memories safely (collation, capped, time-series, view)."""

    kind = "unsuitable_collection"


class IndexConflictError(RecallError):
    """An index of our name exists on other keys or with other options."""

    kind = "index_conflict"


class ClosedError(RecallError, RuntimeError):
    """The service was closed."""

    kind = "closed"


class WrongLoopError(RecallError, RuntimeError):
    """A caller's ``AsyncMongoClient`` is bound to another event loop."""

    kind = "wrong_loop"


class UnsupportedError(RecallError, NotImplementedError):
    """The service does not do this. ``hint`` names the option that turns it on, where there is one."""

    kind = "unsupported"


class FeatureDisabledError(RecallError, RuntimeError):
    """The experimental feature is disabled."""

    kind = "feature_disabled"


class StoreError(RecallError):
    """Any other error of the server: its code and code name only, never its message."""

    kind = "store_error"
