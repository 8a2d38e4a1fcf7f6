"""Reads and writes Zarr datasets through ``zargo serve``. See :func:`open_store`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zargo._served import ServedStore, open_store
    from zargo._store import ConflictError, Store

__all__ = ["ConflictError", "ServedStore", "Store", "open_store"]


def __getattr__(name: str) -> Any:
    # Imported when used, so that the command starts without zarr-python.
    if name in ("ConflictError", "Store"):
        import zargo._store as module
    elif name in ("ServedStore", "open_store"):
        import zargo._served as module
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)
