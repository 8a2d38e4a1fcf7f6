"""The parser of responses, compared with that of http.client."""

import http.client
import io

import pytest
from zargo._response import Response

BODY = bytes(range(256)) * 3


def chunked(*chunks):
    return b"".join(b"%x;a=b\r\n%s\r\n" % (len(c), c) for c in (*chunks, b""))


def parsed(raw, method, piece):
    response = Response(method, bytearray(512))
    at = 0
    while not response.done:
        into = response.buffer()
        n = min(piece, len(into), len(raw) - at)
        into[:n] = raw[at : at + n]
        at += n
        response.advance(n) if n else response.end_of_file()
    return response


class Socket:
    def __init__(self, raw):
        self.raw = raw

    def makefile(self, mode):
        return io.BytesIO(self.raw)


@pytest.mark.parametrize("piece", [1, 2, 7, 100, 512])
@pytest.mark.parametrize(
    ("method", "raw"),
    [
        ("GET", b"HTTP/1.1 200 OK\r\nContent-Length: 768\r\nETag: \"x: y\"\r\n\r\n" + BODY),
        ("GET", b"HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n"),
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 768\r\n\r\n"),
        ("PUT", b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
        ("GET", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 206 Partial Content\r\nContent-Length: 3\r\n\r\nabc"),
        ("GET", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"a", BODY, b"\r\n0\r\n")),
        ("GET", b"HTTP/1.1 200 OK\r\n\r\n" + BODY),
        ("GET", b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"),
    ],
)
def test_parse(method, raw, piece):
    want = http.client.HTTPResponse(Socket(raw), method=method)
    want.begin()
    got = parsed(raw, method, piece)
    assert (got.status, bytes(got.body), got.keep) == (want.status, want.read(), not want.will_close)
    assert got.headers == {name.lower(): value for name, value in want.getheaders()}


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", "before the end"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"abc")[:-2], "before the end"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n", "negative"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nabc", "more than a response"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 600, "512 bytes"),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "does not speak"),
        (b"", "before the end"),
    ],
)
def test_hostile(raw, says):
    with pytest.raises(OSError, match=says):
        parsed(raw, "GET", 512)
