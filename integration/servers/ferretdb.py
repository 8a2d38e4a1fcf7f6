"""A second server for MongoDB's protocol: FerretDB, which keeps documents in SQLite."""
import json
import os
import shutil

import process
from common import cache, command, locked, say, tool

NAME = "ferretdb"
MODULE, VERSION = "github.com/FerretDB/FerretDB", "v1.24.2"


def program():
    """Built from a copy of the module, to which the file with its version is added: without it the program does not start."""
    path, go = cache() / "bin" / ("ferretdb@" + VERSION) / "ferretdb", tool("go")
    with locked("ferretdb"):
        if not path.exists():
            say("servers: building ferretdb %s, once; this can take minutes" % VERSION)
            env = {**os.environ, "GOFLAGS": "", "GOWORK": "off", "CGO_ENABLED": "0"}
            source = cache() / "ferretdb-source"
            shutil.rmtree(source, ignore_errors=True)
            source.mkdir()
            said = command([go, "mod", "download", "-json", "%s@%s" % (MODULE, VERSION)], cwd=source, env=env)
            module = json.loads(said[said.index("{"):])["Dir"]
            shutil.copytree(module, source / "module", copy_function=shutil.copyfile)
            for folder, _, _ in os.walk(source / "module"):
                os.chmod(folder, 0o755)
            (source / "module" / "build" / "version" / "version.txt").write_text(VERSION + "\n")
            command([go, "build", "-trimpath", "-o", path, "./cmd/ferretdb"], cwd=source / "module", env=env)
            shutil.rmtree(source)
    return path


def up(state):
    if process.record(state, NAME):
        return
    path = program()
    data = state / "ferretdb-data"
    data.mkdir(parents=True, exist_ok=True)
    port = process.free_port(os.environ.get("ZARR_FERRETDB_PORT"))
    argv = [path, "--handler=sqlite", "--sqlite-url=file:%s/" % data, "--listen-addr=127.0.0.1:%d" % port, "--debug-addr=-",
            "--state-dir=%s" % data, "--telemetry=disable", "--log-level=ERROR"]
    process.start(state, NAME, argv, {}, port, lambda: process.listens(port))


def down(state):
    process.stop(state, NAME)
    shutil.rmtree(state / "ferretdb-data", ignore_errors=True)


def env(state):
    r = process.record(state, NAME)
    return r and {"ZARR_TEST_FERRETDB_URL": "mongodb://127.0.0.1:%d" % r["port"]}


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    return "ferretdb  127.0.0.1:%d  pid %d  %s" % (r["port"], r["pid"], "answers" if process.listens(r["port"]) else "DOES NOT ANSWER")
