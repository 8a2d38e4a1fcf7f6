#!/usr/bin/env python3
"""Start, stop and describe what the integration tests need: object-store servers, and a Python with other Zarr libraries.

    servers.py run NAME... -- COMMAND...   start, run COMMAND with the environment set, stop; exits as COMMAND does
    servers.py up [NAME...]                start and leave running, until down
    servers.py env [NAME...]               shell exports for what is up: eval "$(servers.py env)"
    servers.py status                      what is up, where, and whether it answers
    servers.py down [NAME...]              stop; stored objects are removed

NAME: s3 (versitygw), gcs (fake-gcs-server), azure (Azurite), http (nginx, else a file server of our own), peers (a
virtual environment), zarrita (a library for Node), browser (Chromium and ChromeDriver), minio (a second S3, which takes minutes to build), slurm (two nodes; Debian's packages, unpacked into the
cache), redis (of Debian too), mongodb (mongo-java-server), ferretdb (a second one for MongoDB's protocol), tables (a virtual environment with DuckDB and pyarrow). Default: for up, those
before minio; for the others, all.
Everything listens on 127.0.0.1 only, on a free port unless ZARR_S3_PORT, ZARR_GCS_PORT, ZARR_AZURE_PORT, ZARR_HTTP_PORT,
ZARR_MINIO_PORT, ZARR_REDIS_PORT, ZARR_MONGODB_PORT or ZARR_FERRETDB_PORT say otherwise. No containers, no root. ZARR_GCS_IN_FILES=1 keeps the objects of gcs in files instead of memory.
COMMAND finds the NAMEs of its run in ZARR_TEST_SERVERS.

Programs are built once into $ZARGO_CACHE, else $XDG_CACHE_HOME/zargo, else ~/.cache/zargo. What cannot be had is one
line "servers: NAME skipped because ..." on standard error, and a failure when CI=true.
"""
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the source tree

import azure
import browser
import ferretdb
import gcs
import minio
import mongodb
import peers
import process
import redis
import s3
import slurm
import tables
import web
import zarrita
from common import Missing, cache, say

# Each entry has: NAME; up(state) starts it or finds it running, or raises Missing; env(state) is its variables when it
# is up, else None; down(state) stops it; status(state) is a line, or None when it is not up.
ALL = {m.NAME: m for m in (s3, gcs, azure, web, minio, slurm, peers, zarrita, browser, redis, mongodb, ferretdb, tables)}
ASKED = {minio.NAME, slurm.NAME, redis.NAME, mongodb.NAME, ferretdb.NAME, tables.NAME}  # those that are started only when they are named


def up(names, state):
    """Bring all of the names up; those that cannot be had are said and counted."""
    missing = 0
    for name in names:
        try:
            ALL[name].up(state)
        except Missing as why:
            say("servers: %s skipped because %s" % (name, why))
            missing += 1
    return missing


def down(names, state):
    for name in reversed(names):
        ALL[name].down(state)


def environment(names, state):
    env = {}
    for name in names:
        env.update(ALL[name].env(state) or {})
    return env


def exports(env):
    lines = ["unset " + k if v is None else "export %s=%s" % (k, shlex.quote(v)) for k, v in env.items()]
    return "".join(line + "\n" for line in lines)


def status(state):
    lines = [line for line in (m.status(state) for m in ALL.values()) if line]
    print("\n".join(lines) or "nothing is up")


def run(names, command):
    """Servers of its own for one command, so that runs side by side do not share or stop each other's."""
    sweep()
    state = cache() / "run" / str(os.getpid())
    state.mkdir(parents=True)
    signals = process.interrupts = process.Interrupts()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signals.handle)
    try:
        if up(names, state) and ci():
            return 1
        env = {**os.environ, **environment(names, state), "ZARR_TEST_SERVERS": " ".join(names)}
        with signals.hold():
            signals.child = subprocess.Popen(command, start_new_session=True,
                                             env={k: v for k, v in env.items() if v is not None})
            if signals.caught:
                process.signal_group(signals.child.pid, signals.caught[-1])
        code = wait(signals.child)
        return 128 + signals.caught[0] if signals.caught else 128 - code if code < 0 else code
    except KeyboardInterrupt:
        return 128 + signals.caught[0]
    except OSError as why:
        say("servers: %s: %s" % (command[0], why))
        return 127
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        down(names, state)
        shutil.rmtree(state, ignore_errors=True)


def wait(child):
    """Wait for a child, in steps: Python hears a signal between two of them, but not one that comes just before it begins to
    wait without end."""
    while True:
        try:
            return child.wait(0.5)
        except subprocess.TimeoutExpired:
            pass


def sweep():
    """Stop and remove what runs that were killed have left."""
    for state in (cache() / "run").glob("[0-9]*"):
        if process.start_time(int(state.name)) is None:
            down(list(ALL), state)
            shutil.rmtree(state, ignore_errors=True)


def ci():
    return os.environ.get("CI") == "true"


def main(argv):
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    verb, names, command = argv[0], argv[1:], []
    if "--" in names:
        at = names.index("--")
        names, command = names[:at], names[at + 1:]
    unknown = [n for n in names if n not in ALL]
    if unknown or verb not in ("run", "up", "env", "status", "down") or (verb == "run") != bool(command):
        say("servers: cannot %s; see servers.py --help" % shlex.join(argv))
        return 2
    names = names or [n for n in ALL if n not in ASKED or verb not in ("run", "up")]
    state = pathlib.Path(os.environ.get("ZARGO_SERVERS_STATE") or cache() / "up").absolute()
    if verb == "run":
        return run(names, command)
    if verb == "up":
        return 1 if up(names, state) and ci() else 0
    if verb == "env":
        sys.stdout.write(exports(environment(names, state)))
    elif verb == "status":
        status(state)
    else:
        down(names, state)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
