"""google-adk's own switch for the experimental feature ``MONGODB_MEMORY_SERVICE``."""

from __future__ import annotations

import warnings

from google.adk.features import FeatureName, is_feature_enabled

from mongorecall.errors import FeatureDisabledError


def check_adk_feature() -> None:
    """Raise `FeatureDisabledError` where ADK's switch is off; say nothing where it is on.

    The switch is ``ADK_DISABLE_MONGODB_MEMORY_SERVICE=1`` or ADK's ``override_feature_enabled``. ADK
    warns as it answers; our own switch, asked at the same construction, warns of the same, and one
    warning is enough.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        enabled = is_feature_enabled(FeatureName.MONGODB_MEMORY_SERVICE)
    if not enabled:
        name = FeatureName.MONGODB_MEMORY_SERVICE.value
        raise FeatureDisabledError(
            f"the experimental feature {name} is disabled in google-adk",
            hint=f"unset ADK_DISABLE_{name} or override the feature to enabled",
        )
