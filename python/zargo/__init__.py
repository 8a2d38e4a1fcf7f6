"""Reads and writes Zarr datasets that ``zargo serve`` serves."""

from zargo._store import ConflictError, Store

__all__ = ["ConflictError", "Store"]
