"""Runs one command and ends it when the process that started the guard is gone, however it went.

Run as a script, by path: ``python -I -S _guard.py [--remove DIR] -- COMMAND...``. The parent holds the
other end of the guard's standard input; the pipe closes when the parent exits, is killed, or says so.
The command then gets SIGTERM, ten seconds, and SIGKILL, and DIR is removed; DIR stays when the command
ends by itself. The first line on standard output is the command's process id. It imports nothing of the
library, so that it starts in milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading

GRACE_SECONDS = 10


def _end_with_parent(command: subprocess.Popen[bytes], parent_gone: threading.Event) -> None:
    """Wait for the pipe to close, then end the command."""
    sys.stdin.buffer.read()
    parent_gone.set()
    with contextlib.suppress(ProcessLookupError):
        command.terminate()
    try:
        command.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        command.kill()


def main(arguments: list[str]) -> int:
    """Guard the command after ``--``; its exit code, or 127 when it cannot be started."""
    split = arguments.index("--")
    options, argv = arguments[:split], arguments[split + 1 :]
    try:
        command = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # noqa: S603
    except OSError as error:
        sys.stdout.write(f"error {error.strerror}\n")
        return 127
    sys.stdout.write(f"{command.pid}\n")
    sys.stdout.flush()
    parent_gone = threading.Event()
    threading.Thread(target=_end_with_parent, args=(command, parent_gone), daemon=True).start()
    code = command.wait()
    if parent_gone.is_set() and options[:1] == ["--remove"]:
        shutil.rmtree(options[1], ignore_errors=True)
    # The thread may sit in a read of standard input, whose lock an orderly interpreter exit would wait for.
    sys.stdout.flush()
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
