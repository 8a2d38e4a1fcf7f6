"""zarrita, a Zarr library for JavaScript, in a folder of its own."""
import shutil

from common import Missing, cache, command, locked, say, tool

NAME = "zarrita"
VERSION = "0.7.5"


def folder():
    return cache() / ("zarrita-" + VERSION)


def up(_state):
    tool("node")
    with locked(NAME):
        if (folder() / "complete").exists():
            return
        shutil.rmtree(folder(), ignore_errors=True)
        folder().mkdir(parents=True)
        say("servers: installing zarrita %s, once" % VERSION)
        try:
            command([tool("npm"), "install", "--prefix", folder(), "--no-save", "--no-audit", "--no-fund", "--loglevel=error",
                     "zarrita@" + VERSION])
        except OSError as why:
            raise Missing("zarrita: %s" % why)
        (folder() / "complete").touch()


def env(_state):
    return {"ZARGO_PEERS_ZARRITA": str(folder())} if (folder() / "complete").exists() else None


def down(_state):
    pass  # it is kept for the next time


def status(state):
    return "\n".join("zarrita  %s" % where for where in (env(state) or {}).values()) or None
