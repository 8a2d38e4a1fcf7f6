"""A second opinion on S3: MinIO, built from source as there are no programs or images of it any more. Never linked."""
import os
import shutil
import time
import urllib.error

import process
import s3
from common import Missing, go_program

NAME = "minio"
MODULE, VERSION = "github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c"
HEALTH = "/minio/health/ready"


def up(state):
    if process.record(state, NAME):
        return
    program = go_program(MODULE, MODULE, VERSION)
    data = state / "minio-data"
    data.mkdir(parents=True, exist_ok=True)
    port = process.free_port(os.environ.get("ZARR_MINIO_PORT"))
    host = "127.0.0.1:%d" % port
    argv = [program, "server", data, "--address", host, "--console-address", "127.0.0.1:0", "--quiet"]
    process.start(state, NAME, argv, {
        "MINIO_ROOT_USER": s3.KEY, "MINIO_ROOT_PASSWORD": s3.SECRET, "MINIO_REGION": s3.REGION,
        "MINIO_BROWSER": "off", "MINIO_UPDATE": "off", "MINIO_CALLHOME_ENABLE": "off",
    }, port, "http://%s%s" % (host, HEALTH))
    try:
        make_bucket(host)
    except OSError as why:
        text = why.read().decode(errors="replace")[:300] if isinstance(why, urllib.error.HTTPError) else ""
        down(state)
        raise Missing("bucket %s cannot be made: %s %s" % (s3.BUCKET, why, " ".join(text.split())))


def down(state):
    process.stop(state, NAME)
    shutil.rmtree(state / "minio-data", ignore_errors=True)


def env(state):
    r = process.record(state, NAME)
    return r and {**s3.CREDENTIALS, **s3.place("MINIO", r["port"])}


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    ok = process.healthy("http://127.0.0.1:%d%s" % (r["port"], HEALTH))
    return "minio  127.0.0.1:%d  pid %d  %s" % (r["port"], r["pid"], "answers" if ok else "DOES NOT ANSWER")


def make_bucket(host, patience=30.0):
    """As s3.make_bucket. Ready is what it says before it is: until then it answers 503, "try again"."""
    end = time.monotonic() + patience
    while True:
        try:
            return s3.make_bucket(host, s3.BUCKET)
        except urllib.error.HTTPError as why:
            if why.code != 503 or time.monotonic() > end:
                raise
        time.sleep(0.1)
