"""zarr-python's own tests of stores, on a store of open_store. The files of the directory are the judge."""

import shutil
from pathlib import Path

import pytest
import zarr
from zarr.core.buffer import Buffer, cpu
from zarr.testing.store import StoreTests

import zargo


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """One directory for all tests, so that they share a server."""
    path = tmp_path_factory.mktemp("root")
    zarr.open_group(path, mode="w")
    return path


class TestOpenStore(StoreTests[zargo.ServedStore, cpu.Buffer]):
    store_cls = zargo.ServedStore
    buffer_cls = cpu.Buffer

    @pytest.fixture
    def store_kwargs(self, root):
        for path in root.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return {"url": str(root), "read_only": False, "idle": 5}

    async def get(self, store, key):
        return self.buffer_cls.from_bytes(Path(str(store), key).read_bytes())

    async def set(self, store, key, value: Buffer):
        path = Path(str(store), key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value.to_bytes())

    def test_store_repr(self, store):
        assert repr(store) == f"ServedStore({str(store)!r})"

    def test_store_supports_writes(self, store):
        assert store.supports_writes

    def test_store_supports_listing(self, store):
        assert store.supports_listing


del StoreTests  # pytest would run it too
