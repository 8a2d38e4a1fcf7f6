"""The Redis server: redis-server on PATH, else Debian's package, unpacked into the cache. Values are kept in memory only."""
import os
import shutil

import debian
import process
from common import Missing

NAME = "redis"
VERSION = "7.0"  # of Debian's package


def program():
    """In Debian's package redis-server is a link to redis-check-rdb, which is in the package redis-tools."""
    return shutil.which("redis-server") or next((str(p) for p in debian.root(NAME).glob("usr/bin/redis-check-rdb")), None)


def up(state):
    if process.record(state, NAME):
        return
    debian.get(NAME, ["redis-server"], program)
    if not program():
        raise Missing("the packages have no redis-server")
    port = process.free_port(os.environ.get("ZARR_REDIS_PORT"))
    # The program takes its role from the name that it is started with.
    link = state / "redis-server"
    state.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(program())
    process.start(state, NAME, [link, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
                  debian.libraries(NAME), port, lambda: answers(port))


def answers(port):
    return process.listens(port, b"PING\r\n", b"+PONG")


def down(state):
    process.stop(state, NAME)


def env(state):
    r = process.record(state, NAME)
    return r and {"ZARR_TEST_REDIS_URL": "redis://127.0.0.1:%d" % r["port"]}


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    return "redis  127.0.0.1:%d  pid %d  %s" % (r["port"], r["pid"], "answers" if answers(r["port"]) else "DOES NOT ANSWER")
