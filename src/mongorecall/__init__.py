"""Long-term recall for agents on any MongoDB."""
