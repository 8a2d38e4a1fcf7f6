"""A store of zarr-python whose values a server of zargo serves."""

from __future__ import annotations

import asyncio
import json
import urllib.parse
from typing import TYPE_CHECKING, Any, Self

from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, Store as _Store, SuffixByteRequest
from zarr.core.buffer import Buffer, BufferPrototype, default_buffer_prototype

from zargo._http import Client, Response, run

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable

    # A request: the method, the key, headers, the body, and the statuses that are not errors.
    Send = Callable[..., Awaitable[Response]]


class ConflictError(OSError):
    """Other writers changed a value again and again while this one tried to."""


# Tries of a change without a condition. A try fails only if another writer changed the value between
# two requests of this one.
TRIES = 100


class Store(_Store):
    """The values below a URL such as ``http://127.0.0.1:8080/datasets/demo/zarr``.

    ``socket`` is the path of the Unix socket of the server, if it has one; the host of the URL is then
    not used. ``timeout`` is the longest time in seconds without progress of a request.

    The server accepts changes only on the condition of a value's version. ``set`` and ``delete``
    request the version first, and try again if another writer was faster. So no change is lost, and
    the last of several writers wins, as in other stores.

    A store has no threads and no locks, and may be used by forked processes, also after reads of the
    parent.
    """

    supports_writes: bool = True
    supports_deletes: bool = True
    supports_listing: bool = True

    def __init__(self, url: str, *, socket: str | None = None, read_only: bool = False, timeout: float = 60.0) -> None:
        super().__init__(read_only=read_only)
        self._url = url.rstrip("/")
        self._socket = socket
        self._timeout = timeout
        self._client = Client(self._url, socket, timeout)

    def with_read_only(self, read_only: bool = False) -> Self:
        return type(self)(self._url, socket=self._socket, read_only=read_only, timeout=self._timeout)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash((self._url, self._socket))

    def __str__(self) -> str:
        return self._url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self._url, "socket": self._socket, "read_only": self.read_only, "timeout": self._timeout}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state.pop("url"), **state)  # type: ignore[misc]

    def close(self) -> None:
        self._client.close()
        super().close()

    # Reads.

    def get_sync(
        self, key: str, *, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        return run(self._get(self._send_sync, key, prototype, byte_range))

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        return await self._get(self._send, key, prototype, byte_range)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        return list(await asyncio.gather(*(self.get(key, prototype, byte_range) for key, byte_range in key_ranges)))

    async def _get_many(
        self, requests: Iterable[tuple[str, BufferPrototype, ByteRequest | None]]
    ) -> AsyncGenerator[tuple[str, Buffer | None]]:
        async def one(key: str, prototype: BufferPrototype, byte_range: ByteRequest | None) -> tuple[str, Buffer | None]:
            return key, await self.get(key, prototype, byte_range)

        for done in asyncio.as_completed([one(*request) for request in requests]):
            yield await done

    async def exists(self, key: str) -> bool:
        return await _head(self._send, key) is not None

    async def getsize(self, key: str) -> int:
        response = await _head(self._send, key)
        if response is None:
            raise FileNotFoundError(key)
        return int(response.headers["content-length"])

    async def _get(
        self, send: Send, key: str, prototype: BufferPrototype | None, byte_range: ByteRequest | None
    ) -> Buffer | None:
        buffer = (prototype or default_buffer_prototype()).buffer
        headers = {}
        if byte_range is not None:
            text = _range(byte_range)
            if text is None:
                return buffer.from_bytes(b"") if await _head(send, key) else None
            headers["Range"] = text
        response = await send("GET", key, headers, ok=(200, 206, 404, 307, 416))
        if response.status in (404, 307):  # 307: keys are stored below this one
            return None
        if response.status == 416:  # the range is behind the end of the value
            return buffer.from_bytes(b"")
        return buffer.from_bytes(response.body)

    # Listings.

    async def list(self) -> AsyncIterator[str]:
        for row in await self._list("", ""):
            yield row["key"]

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        for row in await self._list(prefix.rpartition("/")[0], ""):
            if row["key"].startswith(prefix):
                yield row["key"]

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        for row in await self._list(prefix.rstrip("/"), "level"):
            yield (row.get("key") or row["prefix"]).rstrip("/").rpartition("/")[2]

    async def _list(self, prefix: str, depth: str) -> list[dict[str, Any]]:
        query = urllib.parse.urlencode({"list": depth, "prefix": prefix})
        return json.loads((await self._send("GET", f"?{query}", {}, ok=(200,))).body)

    # Changes.

    def set_sync(self, key: str, value: Buffer) -> None:
        self._check_writable()
        run(_change(self._send_sync, "PUT", key, _bytes(value)))

    async def set(self, key: str, value: Buffer) -> None:
        self._check_writable()
        await self._ensure_open()
        await _change(self._send, "PUT", key, _bytes(value))

    async def set_if_not_exists(self, key: str, value: Buffer) -> None:
        self._check_writable()
        await self._send("PUT", key, {"If-None-Match": "*"}, _bytes(value), ok=(201, 412))

    def delete_sync(self, key: str) -> None:
        self._check_writable()
        run(_change(self._send_sync, "DELETE", key, None))

    async def delete(self, key: str) -> None:
        self._check_writable()
        await _change(self._send, "DELETE", key, None)

    # Requests.

    async def _send(self, method: str, key: str, headers: dict[str, str], body: bytes | None = None, *, ok: tuple[int, ...]) -> Response:
        return _checked(method, key, ok, await self._client.arequest(method, _path(key), headers, body))

    async def _send_sync(self, method: str, key: str, headers: dict[str, str], body: bytes | None = None, *, ok: tuple[int, ...]) -> Response:
        return _checked(method, key, ok, self._client.request(method, _path(key), headers, body))


async def _head(send: Send, key: str) -> Response | None:
    response = await send("HEAD", key, {}, ok=(200, 404))
    return response if response.status == 200 else None


async def _change(send: Send, method: str, key: str, body: bytes | None) -> None:
    """Put or delete a value, on the condition that it is the value of the moment before."""
    for _ in range(TRIES):
        head = await _head(send, key)
        if head is None and method == "DELETE":
            return
        condition = {"If-None-Match": "*"} if head is None else {"If-Match": _tag(key, head)}
        if (await send(method, key, condition, body, ok=(201, 204, 412))).status != 412:
            return
    raise ConflictError(f"{key}: other writers changed the value {TRIES} times")


def _path(key: str) -> str:
    return f"/{key}" if key.startswith("?") else f"/{urllib.parse.quote(key)}"


def _checked(method: str, key: str, ok: tuple[int, ...], response: Response) -> Response:
    if response.status not in ok:
        raise _error(method, key, response)
    return response


def _bytes(value: Buffer) -> bytes:
    if not isinstance(value, Buffer):
        raise TypeError(f"the value must be a Buffer, is {type(value).__name__}")
    return value.to_bytes()


def _tag(key: str, response: Response) -> str:
    tag = response.headers.get("etag")
    if not tag:
        raise OSError(f"{key}: the source of the server has no versions, so the value cannot be changed safely")
    return tag


def _range(request: ByteRequest) -> str | None:
    """The header Range, or None for a range without bytes, which HTTP cannot express."""
    if isinstance(request, RangeByteRequest):
        return f"bytes={request.start}-{request.end - 1}" if request.start < request.end else None
    if isinstance(request, OffsetByteRequest):
        return f"bytes={request.offset}-"
    if isinstance(request, SuffixByteRequest):
        return f"bytes=-{request.suffix}" if request.suffix > 0 else None
    raise ValueError(f"Unexpected byte_range, got {request}.")


def _error(method: str, key: str, response: Response) -> Exception:
    try:
        why = json.loads(response.body)["error"]
    except (ValueError, KeyError, TypeError):
        why = "no message"
    text = f"{method} {key}: status {response.status}: {why}"
    if response.status == 400:
        return ValueError(text)
    if response.status in (403, 405):
        return PermissionError(text)
    if response.status == 504:
        return TimeoutError(text)
    return OSError(text)
