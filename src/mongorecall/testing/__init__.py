"""Tools to test code that remembers: a pytest plugin, factories and assertions."""
