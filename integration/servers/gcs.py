"""The GCS server: fake-gcs-server, in memory, or in a folder for values that memory has no room for."""
import json
import os
import shutil
import urllib.error
import urllib.request

import process
from common import Missing, go_program

NAME = "gcs"
MODULE, VERSION = "github.com/fsouza/fake-gcs-server", "v1.56.1"
BUCKET = "zarr-test"


def up(state):
    if process.record(state, NAME):
        return
    program = go_program(MODULE, MODULE, VERSION)
    port = process.free_port(os.environ.get("ZARR_GCS_PORT"))
    host = "127.0.0.1:%d" % port
    # The public host must be the one that clients send; the external URL is where resumable uploads are sent to.
    argv = [program, "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-public-host", host,
            "-external-url", "http://" + host, "-log-level", "error"]
    if os.environ.get("ZARR_GCS_IN_FILES"):
        argv += ["-backend", "filesystem", "-filesystem-root", state / "gcs-data"]
    else:
        argv += ["-backend", "memory"]
    process.start(state, NAME, argv, {}, port, "http://%s/_internal/healthcheck" % host)
    try:
        make_bucket(host)
    except OSError as why:
        down(state)
        raise Missing("bucket %s cannot be made: %s" % (BUCKET, why))


def down(state):
    process.stop(state, NAME)
    shutil.rmtree(state / "gcs-data", ignore_errors=True)


def env(state):
    r = process.record(state, NAME)
    if not r:
        return None
    # Not STORAGE_EMULATOR_HOST: it would reach every client in the process.
    endpoint = "http://127.0.0.1:%d" % r["port"]
    return {"ZARR_TEST_GCS_URL": "gs://%s?endpoint=%s&anonymous=true" % (BUCKET, endpoint), "ZARR_TEST_GCS_ENDPOINT": endpoint,
            "ZARGO_TEST_GCS_ENDPOINT": endpoint, "ZARGO_TEST_GCS_BUCKET": BUCKET}  # of the package's own tests


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    ok = process.healthy("http://127.0.0.1:%d/_internal/healthcheck" % r["port"])
    return "gcs    127.0.0.1:%d  pid %d  %s" % (r["port"], r["pid"], "answers" if ok else "DOES NOT ANSWER")


def make_bucket(host, accept=(409,)):
    post = urllib.request.Request("http://%s/storage/v1/b?project=test" % host, method="POST",
                                  data=json.dumps({"name": BUCKET}).encode(), headers={"Content-Type": "application/json"})
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(post, timeout=10).read()
    except urllib.error.HTTPError as why:
        if why.code not in accept:
            raise
