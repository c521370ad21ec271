"""The rules between a request and the service: one small ASGI piece each."""
