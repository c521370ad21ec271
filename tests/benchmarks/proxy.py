"""A wire with delay: a proxy on loopback that holds every byte back for a while, both ways."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

BLOCK = 1 << 18


async def _carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    held: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def release() -> None:
        while True:
            due, block = await held.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not block:
                sink.close()
                return
            sink.write(block)
            await sink.drain()

    async with asyncio.TaskGroup() as group:
        group.create_task(release())
        block = b"-"
        while block:
            block = await source.read(BLOCK)
            held.put_nowait((loop.time() + seconds, block))


async def _serve(port: int, seconds: float, listening: Any) -> None:
    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_carry(reader, far_writer, seconds), _carry(far_reader, writer, seconds))
        except* OSError:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    listening.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def _run(port: int, seconds: float, listening: Any) -> None:
    asyncio.run(_serve(port, seconds, listening))


@contextmanager
def delayed(port: int, round_trip_ms: float) -> Iterator[int]:
    """A port that leads to ``port`` of this machine, later; the proxy is a process of its own."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_run, args=(port, round_trip_ms / 2e3, there), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.terminate()
        process.join()
