"""The pytest plugin of mongorecall: a server and a clean scope for tests."""
