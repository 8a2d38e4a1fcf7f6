"""Parses a response of HTTP/1.1 from bytes that a caller receives."""

from __future__ import annotations


class Response:
    """A response. The caller receives bytes into ``buffer()`` and reports their number to ``advance``
    until ``done``. The body is received into its place, without a copy."""

    __slots__ = ("status", "headers", "body", "done", "keep", "_method", "_scratch", "_have", "_view", "_raw")

    def __init__(self, method: str, scratch: bytearray) -> None:
        """``scratch`` has the length of the longest header, and is free again when the response is done."""
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = bytearray()
        self.done = False
        self.keep = False  # the connection may send another request
        self._method = method
        self._scratch = scratch
        self._have = 0  # received bytes of the header, or of a body with a length
        self._view: memoryview | None = None  # of a body with a length
        self._raw: bytearray | None = None  # received bytes of a body without a length

    def buffer(self) -> memoryview:
        if self._view is not None:
            return self._view[self._have :]
        return memoryview(self._scratch)[0 if self._raw is not None else self._have :]

    def advance(self, n: int) -> None:
        if self._raw is not None:
            self._raw += self._scratch[:n]
            self._chunks()
            return
        self._have += n
        if self._view is None:
            self._head()
        elif self._have == len(self._view):
            self._end()

    def end_of_file(self) -> None:
        """The server has closed the connection."""
        if self._raw is None or "transfer-encoding" in self.headers:
            raise ConnectionResetError("the server closed the connection before the end of a response")
        self.body = self._raw
        self._end()

    def _head(self) -> None:
        end = self._scratch.find(b"\r\n\r\n", 0, self._have)
        if end < 0:
            if self._have == len(self._scratch):
                raise OSError(f"the header of a response has more than {self._have} bytes")
            return
        rest = self._scratch[end + 4 : self._have]
        version, *lines = self._scratch[:end].decode("latin-1").split("\r\n")
        if not version.startswith("HTTP/1.") or not version[9:12].isdigit():
            raise OSError("the server does not speak HTTP/1.1")
        self.status = int(version[9:12])
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if self.status < 200:  # another header follows
            self._scratch[: len(rest)] = rest
            self._have = len(rest)
            self._head()
            return
        self.keep = version.startswith("HTTP/1.1") and self.headers.get("connection", "").lower() != "close"
        length = self.headers.get("content-length", "")
        if self._method == "HEAD" or self.status in (204, 304):
            self._end()
        elif "transfer-encoding" in self.headers or not length.isdigit():
            self._raw = rest
            self._chunks()
        else:
            self.body = bytearray(int(length))
            if len(rest) > len(self.body):
                raise OSError("the server sent more than a response")
            self.body[: len(rest)] = rest
            self._view, self._have = memoryview(self.body), len(rest)
            if self._have == len(self.body):
                self._end()

    def _chunks(self) -> None:
        """Move the chunks that are complete from ``_raw`` to the body."""
        if self._raw is None or "transfer-encoding" not in self.headers:
            return
        at = 0
        while (end := self._raw.find(b"\r\n", at)) >= 0:
            size = int(self._raw[at:end].partition(b";")[0], 16)
            if size < 0:
                raise OSError("the length of a chunk is negative")
            if len(self._raw) < end + 4 + size:
                break
            self.body += self._raw[end + 2 : end + 2 + size]
            at = end + 4 + size
            if size == 0:
                self._end()
                return
        del self._raw[:at]

    def _end(self) -> None:
        self.keep = self.keep and (self._raw is None or "transfer-encoding" in self.headers)
        self._view, self._raw, self.done = None, None, True
