"""What a MongoDB memory service does, one verb a module; `mongodb.py` only puts them together."""
