"""Speed against google-adk's ``MongoDbMemoryService``: both on one mongod, turn by turn in one run.

``python -m tests.benchmarks`` measures everything and writes ``docs/benchmarks``; ``--smoke`` is the part
that fits into three minutes and fails below 0.8 of a bar. Only ratios of medians are judged: both sides
meet the same neighbours on the machine.
"""
