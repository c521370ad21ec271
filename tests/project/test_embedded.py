"""The embedded server: found, started, and gone with its parent."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from pymongo import MongoClient

from mongorecall import UnavailableError
from mongorecall.embedded import EmbeddedServer, find_mongod, server_version


def test_mongod_is_the_one_that_is_named() -> None:
    found = find_mongod({"MONGOD": sys.executable, "PATH": ""})

    assert (found.path, found.found_by) == (sys.executable, "MONGOD")


def test_a_named_mongod_that_cannot_run_is_not_replaced() -> None:
    with pytest.raises(UnavailableError, match="MONGOD=/nowhere is not an executable file"):
        find_mongod({"MONGOD": "/nowhere", "PATH": ""})


def test_a_mongod_on_the_path_comes_before_the_wheel(tmp_path: Path) -> None:
    program = tmp_path / "mongod"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert find_mongod({"PATH": str(tmp_path)}).found_by == "PATH"
    assert find_mongod({"PATH": ""}).found_by == "wheel"


def test_without_any_mongod_the_error_lists_what_was_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))

    with pytest.raises(UnavailableError, match=r"tried MONGOD .* PATH, .*mongorecall\[embedded\]"):
        find_mongod({"PATH": ""})


def test_it_keeps_a_given_directory_and_removes_a_temporary_one(tmp_path: Path) -> None:
    with EmbeddedServer(data_dir=tmp_path) as server:
        write(server.uri)
        assert server.uri.startswith("mongodb://127.0.0.1:")
        assert server.version == server_version(server.uri)
    assert not server.running

    with EmbeddedServer(data_dir=tmp_path) as again:
        assert read(again.uri) == 1

    with EmbeddedServer() as temporary:
        directory = temporary.data_dir
        write(temporary.uri)
        temporary.kill()
        temporary.start()  # a crash keeps the data
        assert read(temporary.uri) == 1
    assert directory is not None
    assert not directory.exists()


def test_it_ends_with_its_parent_even_when_that_is_killed() -> None:
    code = (
        "import time; from mongorecall.embedded import EmbeddedServer\n"
        "with EmbeddedServer() as server:\n"
        "    print(server.pid, server.data_dir, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid, directory = parent.stdout.readline().split()
        os.kill(parent.pid, signal.SIGKILL)

    assert gone_within(10, int(pid), Path(directory))


def test_a_server_that_does_not_start_shows_the_end_of_its_log(tmp_path: Path) -> None:
    (tmp_path / "storage.bson").write_bytes(b"not what mongod wrote")

    with pytest.raises(UnavailableError, match=r"ended while it was starting; its last lines:\n  .+"):
        EmbeddedServer(data_dir=tmp_path).start()


def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(UnavailableError, match=f"port {port} is in use"):
            EmbeddedServer(port=port).start()


def test_a_binary_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot be started"):
        EmbeddedServer(data_dir=tmp_path, mongod=str(tmp_path / "mongod")).start()


def write(uri: str) -> None:
    """One document, on disk."""
    client: MongoClient[dict[str, Any]] = MongoClient(uri, journal=True)
    with client:
        client.kept.things.insert_one({})


def read(uri: str) -> int:
    """How many documents there are."""
    client: MongoClient[dict[str, Any]] = MongoClient(uri)
    with client:
        return client.kept.things.count_documents({})


def gone_within(seconds: float, pid: int, directory: Path) -> bool:
    """Whether the process and its directory are gone in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            if not directory.exists():
                return True
        time.sleep(0.02)
    return False
