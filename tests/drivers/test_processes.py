"""Whole processes: their end while the server is frozen, forks, and the executor that is not ours."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from pymongo import ReplaceOne

from mongorecall.drivers import Driver, open_driver
from tests.drivers.faulty import frozen

if TYPE_CHECKING:
    from pymongo.collection import Collection

    from mongorecall.embedded import EmbeddedServer

PROGRAM = """
    import asyncio, atexit, sys, time
    from mongorecall.drivers import open_driver

    async def main():
        driver = open_driver(
            connection_string=sys.argv[1], driver=sys.argv[2], operation_timeout=float(sys.argv[3]),
            database_name="mongorecall_test_exit", collection_name="memories",
        )
        async def call():
            async with driver.operation("search") as op:
                await op.read({"find": "memories", "limit": 1})
        await asyncio.gather(*(call() for _ in range(30)))
        print("ready", flush=True)
        sys.stdin.readline()
        calls = [asyncio.create_task(call()) for _ in range(60)]
        await asyncio.sleep(0.2)

    atexit.register(lambda: print(time.monotonic(), flush=True))  # after the threads have ended
    asyncio.run(main())
"""


def start(uri: str, driver: str, timeout: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), uri, driver, str(timeout)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(("kind", "timeout", "longest"), [("pymongo", 10, 2), ("motor", 1, 2)])
def test_a_process_ends_although_the_server_is_frozen(
    faulty: EmbeddedServer, stored: Collection[Any], kind: str, timeout: float, longest: float
) -> None:
    """PyMongo Async: in 2 s. Motor: by ``operation_timeout`` + 1 s, since its threads cannot be cut."""
    with start(faulty.uri, kind, timeout) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        with frozen(faulty):
            began = time.monotonic()
            process.stdin.write("go\n")
            process.stdin.flush()
            took = float(process.stdout.readline()) - began - 0.2
            process.wait(20)
        assert process.stderr is not None
        complaints = process.stderr.read()

    assert process.returncode == 0
    assert complaints == ""
    assert took < longest


async def use(driver: Driver, number: int = 0) -> int:
    async with driver.operation("add", write=True) as op:
        await op.write([ReplaceOne({"_id": number}, {"x": number}, upsert=True)])
        return len(await op.read({"find": driver.collection_name}))


def opened(faulty: EmbeddedServer, stored: Collection[Any], kind: str) -> Driver:
    return open_driver(
        connection_string=faulty.uri,
        driver=kind,
        database_name=stored.database.name,
        collection_name=stored.name,
    )


@pytest.mark.filterwarnings("ignore:MongoClient opened before fork:UserWarning")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_works_and_so_does_its_parent(
    faulty: EmbeddedServer, stored: Collection[Any], driver: str
) -> None:
    made = opened(faulty, stored, driver)
    assert asyncio.run(use(made, 1)) == 1

    child = os.fork()
    if not child:
        status = 1
        try:
            if asyncio.run(asyncio.wait_for(use(made, 2), 10)) == 2:
                asyncio.run(asyncio.wait_for(made.close(), 5))
                status = 0
        finally:
            os._exit(status)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asyncio.run(use(made, 3)) == 3
    asyncio.run(made.close())


def test_one_that_was_used_can_be_pickled_into_another_process(
    faulty: EmbeddedServer, stored: Collection[Any], driver: str
) -> None:
    made = opened(faulty, stored, driver)
    asyncio.run(use(made, 1))
    program = """
        import asyncio, pickle, sys
        driver = pickle.load(sys.stdin.buffer)
        async def main():
            async with driver.operation("count") as op:
                print(await op.count({"count": driver.collection_name}))
            await driver.close()
        asyncio.run(main())
    """

    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        input=pickle.dumps(made),
        capture_output=True,
        check=False,
        timeout=30,
    )

    assert (ended.stdout, ended.stderr) == (b"1\n", b"")
    asyncio.run(made.close())


class NobodysExecutor(ThreadPoolExecutor):
    """Refuses work, and says whose it was."""

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError(f"the default executor was asked to run {work} {args}")


def test_the_default_executor_is_not_used(
    faulty: EmbeddedServer, stored: Collection[Any], driver: str
) -> None:
    """PyMongo Async has the loop look up host names there, when it connects; nothing else does."""
    made = opened(faulty, stored, driver)

    async def main() -> int:
        if driver == "pymongo":
            await use(made)
            await asyncio.sleep(0.5)  # the monitors have connected as well
        asyncio.get_running_loop().set_default_executor(NobodysExecutor())
        found = [await use(made, number) for number in range(10)]
        await made.close()
        return found[-1]

    assert asyncio.run(main()) == 10
