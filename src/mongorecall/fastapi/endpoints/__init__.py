"""What a router does for a request that passed the guards, by kind of call."""
