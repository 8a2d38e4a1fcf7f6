"""A virtual environment with the other Zarr libraries, as pinned in integration/peers/requirements.txt."""
import hashlib
import pathlib
import platform
import shutil
import sys

from common import Missing, cache, command, locked, say

NAME = "peers"
REQUIREMENTS = pathlib.Path(__file__).resolve().parent.parent / "peers" / "requirements.txt"


def folder():
    """Named by what is in it, so that another version of the file gets an environment of its own."""
    what = "%s %s %s" % (sys.version_info[:3], platform.platform(), sys.executable)
    return cache() / ("venv-" + hashlib.sha256(REQUIREMENTS.read_bytes() + what.encode()).hexdigest()[:16])


def up(_state):
    try:
        where = folder()
    except OSError as why:
        raise Missing(str(why))
    with locked("venv"):
        if (where / "complete").exists():
            return
        shutil.rmtree(where, ignore_errors=True)
        say("servers: installing the Python peers, once")
        try:
            command([sys.executable, "-m", "venv", where])
            command([where / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                     "--only-binary", ":all:", "-r", REQUIREMENTS])
        except (OSError, Missing) as why:
            shutil.rmtree(where, ignore_errors=True)
            raise Missing(str(why))
        (where / "complete").touch()


def env(_state):
    try:
        where = folder()
    except OSError:
        return None
    return {"ZARGO_PEERS_PYTHON": str(where / "bin" / "python")} if (where / "complete").exists() else None


def down(_state):
    pass  # it is kept for the next time


def status(state):
    e = env(state)
    return e and "peers  %s" % e["ZARGO_PEERS_PYTHON"]
