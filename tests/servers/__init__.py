"""A real MongoDB for the tests: which server, started how, and a clean database for each test."""
