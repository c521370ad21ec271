"""google-adk: mongorecall behind ADK's memory interface, and ADK's services behind ours.

A google-adk user changes one import::

    from mongorecall.adk import MongoDbMemoryService

and keeps everything else: the `Runner`, the ``load_memory`` and ``preload_memory`` tools and the memory
helpers of ADK's ``Context``. Needs ``pip install 'mongorecall[adk]'``.
"""

from __future__ import annotations

try:
    import google.adk  # noqa: F401 - imported first, so that its absence is told with the extra's name
except ImportError as error:
    raise ImportError("mongorecall.adk needs google-adk: pip install 'mongorecall[adk]'") from error

from mongorecall.adk._adopt import AdoptedMemoryService, from_adk
from mongorecall.adk._load_memory import LoadMemoryResponse, LoadMemoryTool, load_memory
from mongorecall.adk._mongodb import MongoDbMemoryService
from mongorecall.adk._registry import MemoryServiceFromUri, register
from mongorecall.adk._remember import AutoRemember
from mongorecall.adk._service import AdkMemoryService, AdkSearchMemoryResponse, to_adk
from mongorecall.adk._trace import MemoryTracePlugin

__all__ = [
    "AdkMemoryService",
    "AdkSearchMemoryResponse",
    "AdoptedMemoryService",
    "AutoRemember",
    "LoadMemoryResponse",
    "LoadMemoryTool",
    "MemoryServiceFromUri",
    "MemoryTracePlugin",
    "MongoDbMemoryService",
    "from_adk",
    "load_memory",
    "register",
    "to_adk",
]
