"""The Azure server: Azurite."""
import base64
import datetime
import hashlib
import hmac
import os
import shutil
import urllib.error
import urllib.request

import process
from common import Missing, cache, command, locked, say, tool

NAME = "azure"
VERSION = "3.35.0"  # the last that runs on Node 20
BUCKET = "zarr-test"
# The account that Azurite is published with.
ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


def program():
    root = cache() / ("azurite-" + VERSION)
    entry = root / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    with locked("azurite"):
        if not (root / "complete").exists():
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir(parents=True)
            say("servers: installing azurite %s, once" % VERSION)
            command([tool("npm"), "install", "--prefix", root, "--no-save", "--no-audit", "--no-fund", "--loglevel=error",
                     "azurite@" + VERSION])
            (root / "complete").touch()
    return entry


def up(state):
    if process.record(state, NAME):
        return
    node, entry = tool("node"), program()
    data = state / "azure-data"
    data.mkdir(parents=True, exist_ok=True)
    port = process.free_port(os.environ.get("ZARR_AZURE_PORT"))
    # Every SDK sends a version of the API that is newer than any emulator knows.
    argv = [node, entry, "--blobHost", "127.0.0.1", "--blobPort", port, "--location", data, "--silent",
            "--skipApiVersionCheck", "--disableTelemetry"]
    process.start(state, NAME, argv, {}, port, "http://127.0.0.1:%d/" % port, answers=(400,))
    try:
        make_container("127.0.0.1:%d" % port)
    except OSError as why:
        down(state)
        raise Missing("container %s cannot be made: %s" % (BUCKET, why))


def down(state):
    process.stop(state, NAME)
    shutil.rmtree(state / "azure-data", ignore_errors=True)


def env(state):
    r = process.record(state, NAME)
    if not r:
        return None
    return {
        "AZURE_STORAGE_ACCOUNT": ACCOUNT, "AZURE_STORAGE_KEY": KEY,
        "AZURE_STORAGE_SAS_TOKEN": None, "AZURE_STORAGE_CONNECTION_STRING": None,  # would contradict the above
        "ZARR_TEST_AZURE_URL": "azblob://%s?protocol=http&domain=127.0.0.1:%d&localemu=true" % (BUCKET, r["port"]),
        "ZARR_TEST_AZURE_ENDPOINT": "http://127.0.0.1:%d" % r["port"],
        "ZARGO_TEST_AZURITE": "127.0.0.1:%d" % r["port"], "ZARGO_TEST_AZURITE_KEY": KEY,  # of the package's own tests
    }


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    ok = process.healthy("http://127.0.0.1:%d/" % r["port"], (400,))
    return "azure  127.0.0.1:%d  pid %d  %s" % (r["port"], r["pid"], "answers" if ok else "DOES NOT ANSWER")


def make_container(host, accept=(409,)):
    """PUT a container, signed with the account's shared key; one that is there is fine."""
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
    kind, version = "application/octet-stream", "2021-12-02"
    text = "PUT\n\n\n\n\n%s\n\n\n\n\n\n\nx-ms-date:%s\nx-ms-version:%s\n/%s/%s/%s\nrestype:container" % (
        kind, date, version, ACCOUNT, ACCOUNT, BUCKET)
    sign = base64.b64encode(hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()).decode()
    put = urllib.request.Request("http://%s/%s/%s?restype=container" % (host, ACCOUNT, BUCKET), method="PUT", data=b"",
                                 headers={"x-ms-date": date, "x-ms-version": version, "Content-Type": kind,
                                          "Authorization": "SharedKey %s:%s" % (ACCOUNT, sign)})
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(put, timeout=10).read()
    except urllib.error.HTTPError as why:
        if why.code not in accept:
            raise
