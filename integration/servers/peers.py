"""Virtual environments with the other Zarr libraries, as pinned in integration/peers/requirements*.txt."""
import concurrent.futures
import functools
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys

from common import Missing, cache, command, locked, say

NAME = "peers"
HERE = pathlib.Path(__file__).resolve().parent.parent / "peers"

# The variable that names the Python of each, which has what the file says.
REQUIREMENTS = {"ZARGO_PEERS_PYTHON": HERE / "requirements.txt", "ZARGO_PEERS_ZARR2": HERE / "requirements-zarr2.txt",
                "ZARGO_PEERS_PYTHON313": HERE / "requirements-py313.txt"}

# The version of Python of those that do not take the one that runs this.
VERSIONS = {"requirements-py313.txt": "3.13"}


@functools.lru_cache(maxsize=None)
def python(version):
    """The path of a Python of this version, or of the one that runs this where that is None. A fresh machine has one as
    pythonX.Y, among pyenv's versions, or among uv's."""
    if version in (None, "%d.%d" % sys.version_info[:2]):
        return sys.executable
    for path in candidates(version):
        # A shim of pyenv's is on PATH for versions too that it does not give.
        done = path and subprocess.run([path, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2], sys.executable)"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done and done.returncode == 0 and done.stdout.split()[:1] == [version]:
            return done.stdout.split(None, 1)[1].strip()
    raise Missing("there is no Python %s: not as python%s on PATH, not among pyenv's versions, not among uv's" % (version, version))


def candidates(version):
    """Where a Python of a version may be."""
    name = "python" + version
    yield shutil.which(name)
    roots = [os.environ.get("PYENV_ROOT"), output("pyenv", "root"), pathlib.Path.home() / ".pyenv"]
    for root in dict.fromkeys(str(r) for r in roots if r):
        found = pathlib.Path(root, "versions").glob(version + ".*/bin/" + name)
        yield from (str(p) for p in sorted(found, key=lambda p: numbers(p.parent.parent.name), reverse=True))
    yield output("uv", "python", "find", version)


def numbers(version):
    """For sorting: 3.13.10 is newer than 3.13.9."""
    return [int(n) if n.isdigit() else -1 for n in version.split(".")]


def output(name, *args):
    """What a program says, None where it is not there or fails."""
    path = shutil.which(name)
    if not path:
        return None
    done = subprocess.run([path, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def folder(requirements):
    """Named by what is in it, so that another version of the file, or of Python, gets an environment of its own."""
    version = VERSIONS.get(requirements.name)
    system = sys.platform, platform.machine(), platform.libc_ver()  # what wheels depend on; not the version of the kernel
    what = "%s %s %s" % (version or sys.version_info[:3], system, os.path.realpath(python(version)) if version else sys.executable)
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
                command([python(VERSIONS.get(requirements.name)), "-m", "venv", where])
                command([where / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                         "--only-binary", ":all:", "-r", requirements])
            except (OSError, Missing):
                shutil.rmtree(where, ignore_errors=True)
                raise
            (where / "complete").touch()
    except (OSError, Missing) as why:
        return "%s: %s" % (requirements.name, why)


def env(_state):
    pythons = {}
    for name, file in REQUIREMENTS.items():
        try:
            where = folder(file)
        except (OSError, Missing):
            continue
        if (where / "complete").exists():
            pythons[name] = str(where / "bin" / "python")
    return pythons or None


def down(_state):
    pass  # it is kept for the next time


def status(state):
    return "\n".join("peers  %s" % python for python in (env(state) or {}).values()) or None
