"""HTTP requests to one server, over TCP or a Unix socket."""

from __future__ import annotations

import http.client
import os
import socket
import threading
import time
import urllib.parse

# Tries of a request to a busy server, and the longest wait between two of them in seconds.
TRIES = 8
LONGEST_WAIT = 10.0


class Response:
    """A response whose body has been read."""

    __slots__ = ("status", "headers", "body")

    def __init__(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class Server:
    """A pool of connections to a server. Threads may share it, and so may processes after a fork:
    a process never uses the connections of its parent."""

    def __init__(self, url: str, socket_path: str | None, timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"the URL must be http://HOST/PATH, is {url!r}")
        self.scheme = parts.scheme
        self.host = parts.hostname
        self.port = parts.port
        self.socket_path = socket_path
        self.timeout = timeout
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._idle: list[http.client.HTTPConnection] = []

    def request(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> Response:
        """Send a request, again if the server is busy or has closed an idle connection."""
        for left in reversed(range(TRIES)):
            response = self._send(method, path, headers, body)
            if response.status != 503 or not left:
                return response
            wait = response.headers.get("Retry-After", "1")
            time.sleep(min(float(wait) if wait.isdigit() else 1.0, LONGEST_WAIT))
        raise AssertionError("unreachable")

    def _send(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Response:
        while True:
            connection, used = self._take()
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                response = Response(answer.status, answer.headers, answer.read())
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                connection.close()
                if used:  # the server closed it while it was idle
                    continue
                raise
            except BaseException:
                connection.close()
                raise
            if answer.will_close:
                connection.close()
            else:
                self._give(connection)
            return response

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        if self._pid != os.getpid():  # after a fork
            self._lock, self._pid, self._idle = threading.Lock(), os.getpid(), []
        with self._lock:
            if self._idle:
                return self._idle.pop(), True
        if self.socket_path is not None:
            return _UnixConnection(self.socket_path, self.timeout), False
        if self.scheme == "https":
            return http.client.HTTPSConnection(self.host, self.port, timeout=self.timeout), False
        return http.client.HTTPConnection(self.host, self.port, timeout=self.timeout), False

    def _give(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._idle.append(connection)

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            idle, self._idle = self._idle, []
        if self._pid == os.getpid():
            for connection in idle:
                connection.close()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)
