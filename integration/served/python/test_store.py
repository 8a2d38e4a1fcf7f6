"""zarr-python's own tests of stores, on zargo.Store over a server that the Go test has started."""

import os
import urllib.request
import uuid

import pytest
from zarr.core.buffer import Buffer, cpu
from zarr.testing.store import StoreTests

import zargo

URL = os.environ["SERVED_URL"]
SOCKET = os.environ["SERVED_SOCKET"]


class Tests(StoreTests[zargo.Store, cpu.Buffer]):
    store_cls = zargo.Store
    buffer_cls = cpu.Buffer
    socket: str | None = None

    @pytest.fixture
    def store_kwargs(self):
        return {"url": f"{URL}/{uuid.uuid4()}", "socket": self.socket}

    async def get(self, store, key):
        with urllib.request.urlopen(f"{URL}/{str(store).rpartition('/')[2]}/{key}") as response:
            return self.buffer_cls.from_bytes(response.read())

    async def set(self, store, key, value: Buffer):
        url = f"{URL}/{str(store).rpartition('/')[2]}/{key}"
        request = urllib.request.Request(url, value.to_bytes(), {"If-None-Match": "*"}, method="PUT")
        with urllib.request.urlopen(request) as response:
            assert response.status == 201

    def test_store_repr(self, store):
        assert repr(store) == f"Store({str(store)!r})"

    def test_store_supports_writes(self, store):
        assert store.supports_writes

    def test_store_supports_listing(self, store):
        assert store.supports_listing


class TestHTTP(Tests):
    pass


class TestSocket(Tests):
    socket = SOCKET


del Tests, StoreTests  # pytest would run them too
