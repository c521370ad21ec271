"""Memory in FastAPI: a lifespan and a dependency for handlers, a router, and the inspector page.

Needs the extra ``fastapi``: ``pip install 'mongorecall[fastapi]'``.
"""

from mongorecall.fastapi.inspector import inspector_app
from mongorecall.fastapi.lifespan import MemoryDep, get_memory, memory_lifespan
from mongorecall.fastapi.limits import Limits
from mongorecall.fastapi.principal import Authenticate, Principal
from mongorecall.fastapi.router import memory_router
from mongorecall.fastapi.token import TokenLogin, new_token

__all__ = [
    "Authenticate",
    "Limits",
    "MemoryDep",
    "Principal",
    "TokenLogin",
    "get_memory",
    "inspector_app",
    "memory_lifespan",
    "memory_router",
    "new_token",
]
