"""``python -m mongorecall.cli`` is the command ``mongorecall``."""

from mongorecall.cli import main

main()
