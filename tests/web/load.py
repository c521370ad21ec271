"""200 clients for 30 seconds against one worker: what they are answered, how soon, and the memory it takes.

Run by itself, with a MongoDB in MONGORECALL_URI or an embedded one::

    python -m tests.web.load [--clients 200] [--seconds 30] [--limited]

With ``--limited`` the default limits hold, so that most answers are 429 and 503; without, each client may
ask as often as it can, up to 32 requests in flight in all, and the rest is 503.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from statistics import quantiles

from starlette.requests import Request

from mongorecall import MongoDbMemoryService
from mongorecall.embedded import EmbeddedServer
from mongorecall.fastapi import Limits, Principal, memory_router, serving

CUT_OFF = 0
"""Stands for the status of a request whose connection was closed."""

BODY = {"query": "What coffee do I usually get?", "limit": 10, "content": True}


def by_header(request: Request) -> Principal | None:
    """One principal for each client."""
    return Principal("load", request.headers["x-user"])


async def worker(uri: str, limits: Limits) -> None:
    """The server process: prints its port, and answers until it is told to end."""
    from fastapi import FastAPI

    async with MongoDbMemoryService(connection_string=uri, database_name="mongorecall_load") as service:
        app = FastAPI()
        app.include_router(memory_router(service, authenticate=by_header, limits=limits), prefix="/memory")
        listener = serving.bind("127.0.0.1", 0)
        await serving.serve(app, listener, started=lambda: print(listener.getsockname()[1], flush=True))


class Client:
    """A client with one connection and next to no cost of its own: it shares the machine with the worker."""

    def __init__(self, port: int, user: str) -> None:
        self._port = port
        self._user = user
        self._line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: object) -> tuple[int, float]:
        """The status of an answer, and how long to wait before the next request."""
        if self._line is None:
            self._line = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._line
        raw = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nX-User: {self._user}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n\r\n"
        writer.write(head.encode() + raw)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:] if line)
        await reader.readexactly(int(headers["content-length"]))
        return int(lines[0].split()[1]), float(headers.get("retry-after", "0"))

    def close(self) -> None:
        """Give up the connection; the next request opens another."""
        if self._line is not None:
            self._line[1].close()
            self._line = None


async def keep_asking(client: Client, until: float, statuses: Counter[int], times: list[float]) -> None:
    """Ask again as soon as there is an answer; after a refusal wait a tenth of what it says."""
    while time.perf_counter() < until:
        began = time.perf_counter()
        try:
            status, wait = await client.post("/memory/search", BODY)
        except (OSError, asyncio.IncompleteReadError):  # too slow to send its headers, and cut off
            statuses[CUT_OFF] += 1
            client.close()
            continue
        statuses[status] += 1
        if status == 200:
            times.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(wait / 10)
    client.close()


async def clients(
    port: int, pid: int, count: int, seconds: float
) -> tuple[Counter[int], list[float], list[int]]:
    """Every client at once; memory of the worker each second, in MB."""
    statuses: Counter[int] = Counter()
    times: list[float] = []
    memory: list[int] = []
    crowd = [Client(port, f"u-{number % 20}") for number in range(count)]
    events = [{"id": f"e{n}", "text": f"coffee number {n} is a flat white"} for n in range(50)]
    for client in crowd[:20]:
        assert await client.post("/memory/events", {"session_id": "s", "events": events}) == (200, 0.0)
    until = time.perf_counter() + seconds
    work = [asyncio.create_task(keep_asking(client, until, statuses, times)) for client in crowd]
    while time.perf_counter() < until:
        memory.append(resident(pid))
        await asyncio.sleep(1)
    await asyncio.gather(*work)
    return statuses, times, memory


def resident(pid: int) -> int:
    """Memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1_000_000


async def run(uri: str, arguments: argparse.Namespace) -> bool:
    """Start a worker, load it, and print the figures; whether they are as they should be."""
    command = [sys.executable, "-m", "tests.web.load", "--worker", uri]
    command += ["--limited"] if arguments.limited else []
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        port = int(await process.stdout.readline())
        statuses, times, memory = await clients(port, process.pid, arguments.clients, arguments.seconds)
    finally:
        process.terminate()
        await process.wait()
    cuts = quantiles(times, n=100) if len(times) > 1 else [0.0] * 99
    settled = memory[len(memory) // 3 :] or [0]
    print(f"clients {arguments.clients}, {arguments.seconds:g} s, one worker")
    print("answers " + ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    print(f"answered per second {statuses[200] / arguments.seconds:.0f}")
    print(f"time of an answer p50 {cuts[49]:.0f} ms, p95 {cuts[94]:.0f} ms, p99 {cuts[98]:.0f} ms")
    print(f"memory of the worker {settled[0]} MB after a third of the time, {settled[-1]} MB at the end")
    bad = [status for status in statuses if status >= 500 and status != 503]
    few = statuses[CUT_OFF] * 1000 <= sum(statuses.values())
    return few and not bad and statuses[200] > 0 and settled[-1] <= settled[0] * 1.1 + 5


def main() -> int:
    """Read the arguments, and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--limited", action="store_true")
    parser.add_argument("--worker", metavar="URI", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        open_limits = Limits(rate=1e6, burst=1_000_000, in_flight=32, in_flight_total=32)
        asyncio.run(worker(arguments.worker, Limits() if arguments.limited else open_limits))
        return 0
    with ExitStack() as stack:
        uri = os.environ.get("MONGORECALL_URI") or stack.enter_context(EmbeddedServer()).uri
        return 0 if asyncio.run(run(uri, arguments)) else 1


if __name__ == "__main__":
    raise SystemExit(main())
