"""The tests: one directory for each part, and `servers`, which gives them a real MongoDB."""
