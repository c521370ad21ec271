"""The seam to MongoDB: Motor and PyMongo Async behind one protocol, their errors translated in one table."""

from mongorecall.drivers._deadline import deadline
from mongorecall.drivers._driver import Driver, open_driver
from mongorecall.drivers._operation import Operation
from mongorecall.drivers._outcome import WriteOutcome

__all__ = ["Driver", "Operation", "WriteOutcome", "deadline", "open_driver"]
