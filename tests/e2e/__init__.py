"""The inspector in a real browser, against a real server and a real MongoDB."""
