"""The router and the inspector over ASGI, in one process."""
