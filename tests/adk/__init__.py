"""google-adk: the real Runner, the real services of google-adk, a scripted model."""
