"""Faults put into a real MongoDB on purpose: slower than the other tests, run by ``make test-faults``."""
