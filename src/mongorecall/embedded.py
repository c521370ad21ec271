"""A real mongod as a child process: found, started on a free loopback port, and gone with its parent.

For demos, tests and single machines. The binary comes from the environment variable ``MONGOD``, from
``PATH``, or from the wheel of the extra ``mongorecall[embedded]``; nothing is downloaded here.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from mongorecall.errors import UnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

HOST = "127.0.0.1"
START_SECONDS = 30.0
"""Longest wait for a mongod to answer; a start takes about half a second."""

_GUARD = Path(__file__).with_name("_guard.py")
_PORT_TRIES = 3
_POLL_SECONDS = 0.01

_SERVER_OPTIONS = (
    "--logappend",
    "--nounixsocket",
    "--wiredTigerCacheSizeGB=0.25",
    "--setParameter=diagnosticDataCollectionEnabled=false",
    # A member of a replica set lingers for 15 s after SIGTERM otherwise.
    "--setParameter=shutdownTimeoutMillisForSignaledShutdown=100",
    # Not zlib: old servers leak memory through it (CVE-2025-14847).
    "--networkMessageCompressors=snappy,zstd",
)


@dataclass(frozen=True, slots=True)
class Mongod:
    """A mongod on this machine, and how it was found."""

    path: str
    found_by: str


def find_mongod(environ: Mapping[str, str] = os.environ) -> Mongod:
    """The mongod of ``MONGOD``, else of ``PATH``, else of the installed wheel.

    Raises:
        UnavailableError: there is none; the message lists what was tried. A ``MONGOD`` that cannot be
            run is an error too: what was asked for is not replaced.
    """
    given = environ.get("MONGOD")
    if given:
        if os.access(given, os.X_OK) and Path(given).is_file():
            return Mongod(given, "MONGOD")
        raise UnavailableError(f"MONGOD={given} is not an executable file")
    on_path = shutil.which("mongod", path=environ.get("PATH", ""))
    if on_path:
        return Mongod(on_path, "PATH")
    packed = _packed_mongod()
    if os.access(packed, os.X_OK):
        return Mongod(str(packed), "wheel")
    raise UnavailableError(
        f"no mongod was found; tried MONGOD (not set), mongod on PATH, {packed}",
        hint="pip install 'mongorecall[embedded]', or install MongoDB, or start it in Docker",
    )


def _packed_mongod() -> Path:
    name = "mongod.exe" if os.name == "nt" else "mongod"
    return Path(sysconfig.get_path("purelib"), "fiftyone", "db", "bin", name)


class EmbeddedServer:
    """One mongod on the loopback interface; ``with EmbeddedServer() as server: server.uri``.

    It ends with `stop`, at the end of the ``with`` block, and in any case when this process ends, also
    by SIGKILL. `start` and `stop` block for about half a second: call them from a thread in async code.

    Args:
        data_dir: where the data lives on; a temporary directory, removed afterwards, when None.
        port: a fixed loopback port; a free one when None.
        mongod: path of the binary; `find_mongod` when None.
        arguments: further arguments for mongod, such as ``("--replSet", "rs0")``.
    """

    def __init__(
        self,
        *,
        data_dir: str | os.PathLike[str] | None = None,
        port: int | None = None,
        mongod: str | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        self._temporary = data_dir is None
        self.data_dir = Path(data_dir) if data_dir is not None else None
        self.arguments = tuple(arguments)
        self._mongod = mongod
        self._fixed_port = port is not None
        self._port = port
        self._guard: subprocess.Popen[bytes] | None = None
        self.pid: int | None = None
        self.version: str | None = None

    def __repr__(self) -> str:
        state = f"port={self._port}" if self.running else "stopped"
        return f"EmbeddedServer({state}, data_dir={str(self.data_dir) if self.data_dir else 'temporary'})"

    @property
    def port(self) -> int:
        """The port; `UnavailableError` before the first start."""
        if self._port is None:
            raise UnavailableError("the embedded server was not started")
        return self._port

    @property
    def uri(self) -> str:
        """Its connection string, for this one server whatever its role in a replica set."""
        return f"mongodb://{HOST}:{self.port}/?directConnection=true"

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        return self._guard is not None and self._guard.poll() is None

    # --- life --------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it and wait until it answers; harmless when it runs.

        After `kill` it comes back on the same port and data; after `stop` on a given ``data_dir`` only.

        Raises:
            UnavailableError: there is no mongod, or it ended or did not answer within `START_SECONDS`;
                the message ends with the last lines of its log.
        """
        if self.running:
            return
        for tries_left in reversed(range(_PORT_TRIES)):
            port = self._port if self._port is not None else free_port()
            try:
                self._start_on(port)
            except _PortTakenError:
                if self._port is not None or not tries_left:
                    raise
            else:
                self._port = port
                return

    def _start_on(self, port: int) -> None:
        if _accepts(port):  # or the other server would be taken for ours
            raise _PortTakenError(f"port {port} is in use")
        binary = self._mongod or find_mongod().path
        try:
            self._guard, self.pid = self._spawn(binary, port, self._make_data_dir())
            self.version = self._wait(port)
        except BaseException:
            self.stop()
            raise

    def _make_data_dir(self) -> Path:
        if self.data_dir is None:
            self.data_dir = Path(tempfile.mkdtemp(prefix="mongorecall-"))
        self.data_dir.mkdir(parents=True, exist_ok=True)
        return self.data_dir

    def _spawn(self, binary: str, port: int, data_dir: Path) -> tuple[subprocess.Popen[bytes], int]:
        remove = ["--remove", str(data_dir)] if self._temporary else []
        guard = subprocess.Popen(  # noqa: S603 - the binary is the caller's or the one we found
            [
                *(sys.executable, "-I", "-S", str(_GUARD), *remove, "--"),
                *(binary, f"--dbpath={data_dir}", f"--logpath={self._log}"),
                *(f"--port={port}", f"--bind_ip={HOST}", *_SERVER_OPTIONS, *self.arguments),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the parent, which then stops this in order
        )
        assert guard.stdout is not None  # noqa: S101 - asked for above
        answer = guard.stdout.readline().decode().strip()
        guard.stdout.close()
        if not answer.isdigit():
            _end(guard)
            raise UnavailableError(f"{binary} cannot be started: {answer.removeprefix('error ')}")
        return guard, int(answer)

    def _wait(self, port: int) -> str:
        deadline = time.monotonic() + START_SECONDS
        while not _accepts(port):
            if not self.running:
                raise self._failure("mongod ended while it was starting")
            if time.monotonic() > deadline:
                raise self._failure(f"mongod does not answer after {START_SECONDS:.0f} s")
            time.sleep(_POLL_SECONDS)
        try:
            return server_version(f"mongodb://{HOST}:{port}/?directConnection=true")
        except PyMongoError as error:
            raise self._failure(f"mongod does not answer: {type(error).__name__}") from None

    def _failure(self, what: str) -> UnavailableError:
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        # 48 is mongod's own exit code for "the address is in use".
        taken = self._guard is not None and self._guard.poll() == 48
        kind = _PortTakenError if taken else UnavailableError
        return kind("\n  ".join([f"{what}; its last lines:", *lines[-6:]]))

    @property
    def _log(self) -> Path:
        return Path(self.data_dir or "", "mongod.log")

    def kill(self) -> None:
        """End it as a crash would: SIGKILL, nothing flushed. `start` brings it back on its data."""
        if self._guard is not None and self.pid is not None and self.running:
            os.kill(self.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            self._guard.wait()  # before its pipe closes, at which it would remove a temporary directory
            self._reap()

    def stop(self) -> None:
        """Stop it in order and remove a temporary directory. Stopping twice is harmless."""
        self._reap()
        if self._temporary and self.data_dir is not None:
            shutil.rmtree(self.data_dir, ignore_errors=True)
            self.data_dir = None
        if not self._fixed_port:
            self._port = None

    def _reap(self) -> None:
        """Wait for the guard, which ends when its mongod has ended."""
        if self._guard is not None:
            _end(self._guard)
        self._guard, self.pid = None, None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _PortTakenError(UnavailableError):
    """Somebody took the free port in the moment between choosing and using it."""


def _end(guard: subprocess.Popen[bytes]) -> None:
    """Close the pipe, which ends the guarded command, and wait for both."""
    assert guard.stdin is not None  # noqa: S101 - every guard is started with a pipe
    guard.stdin.close()
    guard.wait()


def free_port() -> int:
    """A loopback port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _accepts(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex((HOST, port)) == 0


def server_version(uri: str, *, timeout_ms: int = 5000) -> str:
    """Ping a server; its version. PyMongo's error when it does not answer."""
    client: MongoClient[dict[str, Any]] = MongoClient(
        uri, serverSelectionTimeoutMS=timeout_ms, connectTimeoutMS=timeout_ms
    )
    with client:
        client.admin.command("ping")
        return str(client.server_info()["version"])
