"""HTTP requests to one server, over TCP or a Unix socket, in an event loop or without one."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
import urllib.parse
from typing import TYPE_CHECKING, Any, Protocol

from zargo._response import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

# Tries of a request to a busy server, and the longest wait between two of them in seconds.
TRIES = 8
LONGEST_WAIT = 10.0

# Connections of an event loop. Further requests wait.
MOST = 64

# The longest header of a response. Bodies shorter than that mostly arrive with their header.
HEADER = 1 << 16


class Client:
    """Connections to a server. Threads and event loops may share a client, and so may processes after
    a fork: it has no lock and no thread, and a process never uses the connections of its parent.

    ``start`` starts the server. It is called if no server listens at the socket. Requests whose
    connection is lost are then sent again, so each of them must have the same effect twice.
    """

    def __init__(self, url: str, socket_path: str | None, timeout: float, start: Callable[[], None] | None = None) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"the URL must be http://HOST/PATH, is {url!r}")
        self.tls = ssl.create_default_context() if parts.scheme == "https" and socket_path is None else None
        self.host, self.port = parts.hostname, parts.port or (443 if self.tls else 80)
        self.name = parts.netloc.rpartition("@")[2]
        self.path = urllib.parse.quote(parts.path, safe="/%~:@!$&'()*+,;=")
        self.socket_path = socket_path
        self.timeout = timeout
        self.start = start
        self._process = _Process(None)

    def request(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> Response:
        """Send a request and wait for the response."""
        return run(self._request(self._here().blocking, method, path, headers, body))

    async def arequest(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> Response:
        """Send a request in the running event loop."""
        pool = self._here().of(asyncio.get_running_loop())
        async with pool.slots:
            return await self._request(pool, method, path, headers, body)

    def close(self) -> None:
        """Close the idle connections of this process."""
        self._here().close()

    def _here(self) -> _Process:
        if self._process.pid != os.getpid():  # after a fork
            self._process = _Process(self._process)
        return self._process

    async def _request(self, pool: _Pool, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Response:
        lines = [f"{method} {self.path}{path} HTTP/1.1", f"Host: {self.name}"]
        lines += (f"{name}: {value}" for name, value in headers.items())
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
        for left in reversed(range(TRIES)):
            try:
                connection, used = pool.idle.pop(), True
            except IndexError:
                connection, used = await self._connect(pool), False
            response = Response(method, connection.scratch)
            try:
                await connection.exchange(head, body, response)
            except (ConnectionError, ssl.SSLEOFError):
                connection.close()
                pool.idle.clear()  # a server that is gone has closed them too
                if left and (used or self.start is not None):
                    continue
                raise
            except BaseException:
                connection.close()
                raise
            if response.keep:
                pool.idle.append(connection)
            else:
                connection.close()
            if response.status != 503 or not left:
                return response
            wait = response.headers.get("retry-after", "1")
            await pool.sleep(min(float(wait) if wait.isdigit() else 1.0, LONGEST_WAIT))
        raise AssertionError("unreachable")

    async def _connect(self, pool: _Pool) -> _Connection:
        try:
            return await pool.connect(self)
        except (FileNotFoundError, ConnectionRefusedError):
            if self.start is None:
                raise
        self.start()
        return await pool.connect(self)


def run(request: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that never waits for an event loop."""
    try:
        request.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("a blocking request waits for an event loop")


class _Connection(Protocol):
    scratch: bytearray

    async def exchange(self, head: bytes, body: bytes | None, response: Response) -> None: ...
    def close(self) -> None: ...


class _Pool(Protocol):
    idle: list[_Connection]  # append and pop are atomic

    async def connect(self, client: Client) -> _Connection: ...
    async def sleep(self, seconds: float) -> None: ...


class _Process:
    """The connections of one process. Those of the parent are kept open and are not touched: an event
    loop would change the parent's selector, which a fork shares."""

    def __init__(self, parent: _Process | None) -> None:
        self.parent = parent
        self.pid = os.getpid()
        self.blocking = _BlockingPool()
        self.loops: dict[asyncio.AbstractEventLoop, _LoopPool] = {}

    def of(self, loop: asyncio.AbstractEventLoop) -> _LoopPool:
        pool = self.loops.get(loop)
        if pool is None:
            for other in [other for other in self.loops if other.is_closed()]:
                self.loops.pop(other).close()
            pool = self.loops[loop] = _LoopPool(loop)
        return pool

    def close(self) -> None:
        while self.blocking.idle:
            self.blocking.idle.pop().close()
        for pool in list(self.loops.values()):
            pool.close()


class _BlockingPool:
    def __init__(self) -> None:
        self.idle: list[_Connection] = []

    async def connect(self, client: Client) -> _Connection:
        return _Blocking(client)

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class _Blocking:
    def __init__(self, client: Client) -> None:
        self.scratch = bytearray(HEADER)
        if client.socket_path is None:
            self._socket = socket.create_connection((client.host, client.port), client.timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if client.tls is not None:
                self._socket = client.tls.wrap_socket(self._socket, server_hostname=client.host)
            return
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(client.timeout)
        try:
            self._socket.connect(client.socket_path)
        except BaseException:
            self._socket.close()
            raise

    async def exchange(self, head: bytes, body: bytes | None, response: Response) -> None:
        self._socket.sendall(head)
        if body:
            self._socket.sendall(body)
        while not response.done:
            n = self._socket.recv_into(response.buffer())
            response.advance(n) if n else response.end_of_file()

    def close(self) -> None:
        self._socket.close()


class _LoopPool:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.idle: list[_Connection] = []
        self.slots = asyncio.Semaphore(MOST)

    async def connect(self, client: Client) -> _Connection:
        async with asyncio.timeout(client.timeout):
            if client.socket_path is not None:
                _, c = await self.loop.create_unix_connection(lambda: _Looped(self, client.timeout), client.socket_path)
            else:
                _, c = await self.loop.create_connection(lambda: _Looped(self, client.timeout), client.host, client.port, ssl=client.tls)
        return c

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def close(self) -> None:
        while self.idle:
            connection = self.idle.pop()
            if not self.loop.is_closed():
                self.loop.call_soon_threadsafe(connection.close)


class _Looped(asyncio.BufferedProtocol):
    def __init__(self, pool: _LoopPool, timeout: float) -> None:
        self.scratch = bytearray(HEADER)
        self._pool = pool
        self._timeout = timeout
        self._limit: asyncio.Timeout | None = None
        self._response: Response | None = None
        self._done: asyncio.Future[None] | None = None

    async def exchange(self, head: bytes, body: bytes | None, response: Response) -> None:
        if self._transport.is_closing():
            raise ConnectionResetError("the server closed the connection")
        self._response, self._done = response, self._pool.loop.create_future()
        self._transport.write(head)
        if body:
            self._transport.write(body)
        try:
            async with asyncio.timeout(self._timeout) as self._limit:
                await self._done
        finally:
            self._response = self._done = self._limit = None

    def close(self) -> None:
        self._transport.abort()

    # Calls of the event loop.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(self.scratch) if self._response is None else self._response.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        if self._response is None or self._done is None or self._done.done():
            self._transport.abort()  # nothing was requested
            return
        try:
            self._response.advance(nbytes)
        except Exception as error:  # noqa: BLE001 -- exchange raises it
            self._done.set_exception(error)
            return
        if self._response.done:
            self._done.set_result(None)
        elif self._limit is not None and not self._limit.expired():
            self._limit.reschedule(self._pool.loop.time() + self._timeout)

    def eof_received(self) -> None:
        if self._response is not None and self._done is not None and not self._done.done():
            try:
                self._response.end_of_file()
                self._done.set_result(None)
            except ConnectionError as error:
                self._done.set_exception(error)

    def connection_lost(self, exc: Exception | None) -> None:
        if self in self._pool.idle:
            self._pool.idle.remove(self)
        if self._done is not None and not self._done.done():
            self._done.set_exception(ConnectionResetError(str(exc or "the server closed the connection")))
