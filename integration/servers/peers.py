"""Virtual environments with the other Zarr libraries, as pinned in integration/peers/requirements*.txt."""
import concurrent.futures
import hashlib
import pathlib
import platform
import shutil
import sys

from common import Missing, cache, command, locked, say

NAME = "peers"
HERE = pathlib.Path(__file__).resolve().parent.parent / "peers"

# The variable that names the Python of each, which has what the file says.
REQUIREMENTS = {"ZARGO_PEERS_PYTHON": HERE / "requirements.txt", "ZARGO_PEERS_ZARR2": HERE / "requirements-zarr2.txt"}


def folder(requirements):
    """Named by what is in it, so that another version of the file gets an environment of its own."""
    what = "%s %s %s" % (sys.version_info[:3], platform.platform(), sys.executable)
    return cache() / ("venv-" + hashlib.sha256(requirements.read_bytes() + what.encode()).hexdigest()[:16])


def up(_state):
    with concurrent.futures.ThreadPoolExecutor() as pool:  # pip waits most of its time
        why = [w for w in pool.map(install, REQUIREMENTS.values()) if w]
    if why:
        raise Missing("; ".join(why))


def install(requirements):
    """Makes an environment, unless it is there; why it cannot be had, or None."""
    try:
        where = folder(requirements)
        with locked(where.name):
            if (where / "complete").exists():
                return None
            shutil.rmtree(where, ignore_errors=True)
            say("servers: installing %s, once" % requirements.name)
            try:
                command([sys.executable, "-m", "venv", where])
                command([where / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                         "--only-binary", ":all:", "-r", requirements])
            except (OSError, Missing):
                shutil.rmtree(where, ignore_errors=True)
                raise
            (where / "complete").touch()
    except (OSError, Missing) as why:
        return "%s: %s" % (requirements.name, why)


def env(_state):
    try:
        pythons = {name: folder(file) for name, file in REQUIREMENTS.items()}
    except OSError:
        return None
    return {name: str(where / "bin" / "python") for name, where in pythons.items() if (where / "complete").exists()} or None


def down(_state):
    pass  # it is kept for the next time


def status(state):
    return "\n".join("peers  %s" % python for python in (env(state) or {}).values()) or None
