"""MongoDB in a Docker container, through testcontainers, on the loopback interface only."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import docker
from docker.errors import APIError, DockerException, ImageNotFound
from pymongo.errors import PyMongoError
from testcontainers.core.config import ConnectionMode, testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import WaitStrategy

from mongorecall.embedded import server_version

if TYPE_CHECKING:
    from contextlib import ExitStack

DEFAULT_IMAGE = "mongo:8"
LABEL = "mongorecall.tests"
"""On every container of ours: ``docker rm -fv $(docker ps -aq --filter label=mongorecall.tests)``."""


class CannotRunError(RuntimeError):
    """No engine, no image, or a container that does not answer."""


class AnswersPing(WaitStrategy):
    """Ready when the mapped port answers ``ping``.

    The log line and the open port both lie: an image that sets up users logs the line for a first,
    short-lived server too, and Docker's proxy opens the port before a server is behind it.
    """

    def wait_until_ready(self, container: Any) -> None:
        uri = container_uri(container)

        def answers() -> bool:
            wrapped = container.get_wrapped_container()
            wrapped.reload()
            if wrapped.status in ("exited", "dead"):
                raise CannotRunError(f"it ended: {wrapped.logs(tail=15).decode(errors='replace')}")
            return bool(server_version(uri, timeout_ms=500))

        if not self.with_transient_exceptions(PyMongoError)._poll(answers):
            raise CannotRunError("it does not answer ping")


def start_container(stack: ExitStack, image: str, *, command: str | None = None) -> str:
    """Start a container that is removed with ``stack``; its connection string."""
    try:
        client = docker.from_env(timeout=30)
        stack.callback(client.close)
        _have(client, image)
        _settle_cleaner(client)
        container = _container(image, command)
        stack.callback(container.stop)  # also when the wait below fails
        container.start()
    except (DockerException, TimeoutError, OSError) as error:
        lines = str(error).splitlines() or [""]
        raise CannotRunError(f"{type(error).__name__}: {lines[0]}") from None
    return container_uri(container)


def _have(client: docker.DockerClient, image: str) -> None:
    try:
        client.images.get(image)
    except ImageNotFound:
        try:
            client.images.pull(image)
        except APIError:
            raise CannotRunError("the image is not here and cannot be pulled") from None


def _settle_cleaner(client: docker.DockerClient) -> None:
    """testcontainers' own cleaner is a second image; without it we only lose cleaning after SIGKILL."""
    if not testcontainers_config.ryuk_disabled:
        try:
            _have(client, testcontainers_config.ryuk_image)
        except CannotRunError:
            testcontainers_config.ryuk_disabled = True


def _container(image: str, command: str | None) -> DockerContainer:
    container = (
        DockerContainer(image)
        .with_exposed_ports(27017)
        .with_tmpfs_mount("/data/db")  # nothing to flush: the tests get quicker
        .with_kwargs(labels={LABEL: "1"})
        .waiting_for(AnswersPing().with_poll_interval(0.1).with_startup_timeout(60))
    )
    if command is not None:
        container.with_command(command)
    engine_is_here = os.environ.get("DOCKER_HOST", "unix://").startswith("unix://")
    if engine_is_here and testcontainers_config.connection_mode_override is None:
        # testcontainers takes a machine that has /.dockerenv for a container and would use the bridge's
        # address. The engine is on this machine: publish on loopback alone, and use that.
        testcontainers_config.connection_mode_override = ConnectionMode.docker_host
    if engine_is_here:
        container.ports["27017"] = ("127.0.0.1", None)  # type: ignore[assignment]
    return container


def container_uri(container: Any) -> str:
    """The connection string of the mapped port."""
    host = container.get_container_host_ip()
    host = "127.0.0.1" if host == "localhost" else host  # never ::1 first
    return f"mongodb://{host}:{container.get_exposed_port(27017)}/?directConnection=true"
