"""The switch of the experimental feature: a warning while it is enabled, an error when it is disabled."""

from __future__ import annotations

import os
import warnings

from mongorecall.errors import FeatureDisabledError, InvalidInputError

MONGODB_MEMORY_SERVICE = "MONGODB_MEMORY_SERVICE"
_NAMES = frozenset({MONGODB_MEMORY_SERVICE})
_TRUE = frozenset({"1", "true", "yes", "on"})

_set: dict[str, bool] = {}
_warned: set[str] = set()


class ExperimentalWarning(UserWarning):
    """The feature works, and its interface may still change between releases."""


def set_feature(name: str, enabled: bool) -> None:
    """Enable or disable an experimental feature for this process; it wins over the environment.

    Args:
        name: ``"MONGODB_MEMORY_SERVICE"``, the only one.
        enabled: False makes constructing `MongoDbMemoryService` raise `FeatureDisabledError`.

    Raises:
        InvalidInputError: there is no such feature.
    """
    if name not in _NAMES:
        raise InvalidInputError(f"no such feature; there is {MONGODB_MEMORY_SERVICE}")
    _set[name] = enabled


def reset_features() -> None:
    """Back to the environment, and warn again: for tests."""
    _set.clear()
    _warned.clear()


def is_enabled(name: str) -> bool:
    """Whether the feature is on: `set_feature`, else ``MONGORECALL_DISABLE_<name>``, else on."""
    if name in _set:
        return _set[name]
    return os.environ.get(f"MONGORECALL_DISABLE_{name}", "").strip().lower() not in _TRUE


def check_feature(name: str, *, stacklevel: int) -> None:
    """Warn once per process while the feature is enabled; raise `FeatureDisabledError` when it is not."""
    if not is_enabled(name):
        raise FeatureDisabledError(
            f"the experimental feature {name} is disabled",
            hint=f"unset MONGORECALL_DISABLE_{name} or call mongorecall.set_feature({name!r}, True)",
        )
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            f"{name} is experimental: its interface may change between releases",
            ExperimentalWarning,
            stacklevel=stacklevel + 1,
        )
