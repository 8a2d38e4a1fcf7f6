"""The S3 server: versitygw, a real one that checks signatures, checksums and conditions."""
import datetime
import hashlib
import hmac
import os
import shutil
import urllib.error
import urllib.request

import process
from common import Missing, go_program

NAME = "s3"
MODULE, VERSION = "github.com/versity/versitygw", "v1.8.0"
KEY, SECRET, REGION, BUCKET = "zarrtest", "zarrtest-secret", "us-east-1", "zarr-test"  # for tests only

# One set of credentials serves every S3 server, since a process has but one AWS_ACCESS_KEY_ID.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_SESSION_TOKEN": None, "AWS_PROFILE": None,  # would win over, or contradict, the above
    "AWS_CA_BUNDLE": None,  # every store that is opened would read all its certificates, and nothing here speaks TLS
}


def up(state):
    if process.record(state, NAME):
        return
    program = go_program(MODULE + "/cmd/versitygw", MODULE, VERSION)
    data = state / "s3-data"
    data.mkdir(parents=True, exist_ok=True)
    port = process.free_port(os.environ.get("ZARR_S3_PORT"))
    # Without --keep-alive every request would open a connection.
    argv = [program, "--port", "127.0.0.1:%d" % port, "--region", REGION, "--keep-alive", "--quiet",
            "--health", "/healthz", "posix", data]
    process.start(state, NAME, argv, {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}, port,
                  "http://127.0.0.1:%d/healthz" % port)
    try:
        make_bucket("127.0.0.1:%d" % port, BUCKET)
    except OSError as why:
        text = why.read().decode(errors="replace")[:300] if isinstance(why, urllib.error.HTTPError) else ""
        down(state)
        raise Missing("bucket %s cannot be made: %s %s" % (BUCKET, why, " ".join(text.split())))


def down(state):
    process.stop(state, NAME)
    shutil.rmtree(state / "s3-data", ignore_errors=True)


def env(state):
    r = process.record(state, NAME)
    return r and {**CREDENTIALS, **place("S3", r["port"])}


def place(name, port):
    """Where a server is, in the variables of that name."""
    endpoint = "http://127.0.0.1:%d" % port
    return {"ZARR_TEST_%s_URL" % name: "s3://%s?endpoint=%s&use_path_style=true&region=%s" % (BUCKET, endpoint, REGION),
            "ZARR_TEST_%s_ENDPOINT" % name: endpoint}


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    ok = process.healthy("http://127.0.0.1:%d/healthz" % r["port"])
    return "s3     127.0.0.1:%d  pid %d  %s" % (r["port"], r["pid"], "answers" if ok else "DOES NOT ANSWER")


def make_bucket(host, bucket, accept=(409,)):
    """PUT a bucket, signed with signature version 4; one that is there is fine."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    empty = hashlib.sha256(b"").hexdigest()
    names = "host;x-amz-content-sha256;x-amz-date"
    request = "PUT\n/%s\n\nhost:%s\nx-amz-content-sha256:%s\nx-amz-date:%s\n\n%s\n%s" % (
        bucket, host, empty, now, names, empty)
    scope = "%s/%s/s3/aws4_request" % (now[:8], REGION)
    text = "AWS4-HMAC-SHA256\n%s\n%s\n%s" % (now, scope, hashlib.sha256(request.encode()).hexdigest())
    key = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    put = urllib.request.Request("http://%s/%s" % (host, bucket), method="PUT", headers={
        "x-amz-date": now, "x-amz-content-sha256": empty,
        "Authorization": "AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s" % (
            KEY, scope, names, hmac.new(key, text.encode(), hashlib.sha256).hexdigest())})
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(put, timeout=10).read()
    except urllib.error.HTTPError as why:
        if why.code not in accept:
            raise
