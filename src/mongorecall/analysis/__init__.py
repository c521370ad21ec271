"""Text → keywords."""

from mongorecall.analysis._protocol import Analyzer, Extraction, Reason, TokenFate

__all__ = ["Analyzer", "Extraction", "Reason", "TokenFate"]
