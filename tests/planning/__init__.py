"""Plans: pure decisions, and the same rows as the plain pipeline whatever is planned."""
