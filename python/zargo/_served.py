"""A store of zarr-python with a server of its own on this host."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from zargo._host import Host
from zargo._store import Store

if TYPE_CHECKING:
    from collections.abc import Sequence


class ServedStore(Store):
    """The values below any URL that the command zargo accepts, as :func:`open_store` returns it."""

    def __init__(
        self, url: str | os.PathLike[str], *, read_only: bool = True, options: Sequence[str] = (), idle: float = 60.0, timeout: float = 360.0, command: str | None = None
    ) -> None:
        url = os.fspath(url)
        if "://" not in url:
            url = os.path.abspath(url)
        self._host = Host(url, writable=not read_only, options=tuple(options), idle=idle, command=command)
        super().__init__("http://localhost/datasets/data/zarr", socket=self._host.socket, read_only=read_only, timeout=timeout)
        self._client.start = self._host.start
        self._arguments: dict[str, Any] = {"url": url, "read_only": read_only, "options": tuple(options), "idle": idle, "timeout": timeout, "command": command}

    def with_read_only(self, read_only: bool = False) -> Self:
        return type(self)(**(self._arguments | {"read_only": read_only}))

    def __hash__(self) -> int:
        return hash(self._arguments["url"])

    def __str__(self) -> str:
        return self._arguments["url"]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __getstate__(self) -> dict[str, Any]:
        return dict(self._arguments)


def open_store(
    url: str | os.PathLike[str], *, read_only: bool = True, options: Sequence[str] = (), idle: float = 60.0, timeout: float = 360.0, command: str | None = None
) -> ServedStore:
    """Open the dataset at a URL or a path, such as ``s3://bucket/weather.zarr``, as a store.

    The first process of a user that opens a URL starts ``zargo serve`` at a private Unix socket. Other
    processes with the same arguments, binary and credentials use that server. It ends when no process
    has had a connection for ``idle`` seconds, and is started again when it is needed.

    ``options`` are flags of ``zargo serve``, with absolute paths. ``timeout`` is the longest time in
    seconds without progress of a request. ``command`` is the path of another binary.

    The store can be pickled, and may be used after a fork. Credentials are those of the environment
    of the process that creates or unpickles the store.

    Raises FileNotFoundError if the URL has no array or group, PermissionError if the store refuses
    access, and other exceptions with the message of the command.
    """
    store = ServedStore(url, read_only=read_only, options=options, idle=idle, timeout=timeout, command=command)
    if not store._host.listens():
        store._host.start()
    return store
