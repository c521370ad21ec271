"""Loads the fixtures that every test may ask for, and the ledger of promises."""

pytest_plugins = ["tests.promises", "tests.servers.fixtures"]
