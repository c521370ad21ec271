"""Loads the fixtures that every test may ask for, the ledger of promises, and the canary."""

pytest_plugins = ["tests.canary", "tests.promises", "tests.servers.fixtures"]
