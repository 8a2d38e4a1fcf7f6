"""What every server shares: where things are kept, how programs are built, what to say."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys


class Missing(Exception):
    """Something cannot be had; the text says why, in one line."""


def say(line):
    print(line, file=sys.stderr, flush=True)


def cache():
    base = os.environ.get("ZARGO_CACHE")
    if not base:
        base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "zargo"
    path = pathlib.Path(base).absolute()
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(name):
    """One builder of a thing at a time; the others wait and then find it built."""
    with open(cache() / (name + ".lock"), "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def tool(name):
    path = shutil.which(name)
    if not path:
        raise Missing("%s is not on PATH" % name)
    return path


def command(argv, **kw):
    """Run a command quietly; what it says is told when it fails."""
    done = subprocess.run([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
    if done.returncode:
        text = " ".join(done.stdout.split())
        raise Missing("%s: %s" % (" ".join(map(str, argv[:3])), text[-300:] or "exit code %d" % done.returncode))
    return done.stdout


def go_program(package, module, version):
    """A Go program of exactly this version: found on the machine, or built once (minutes when Go's cache is cold)."""
    name = package.rsplit("/", 1)[1]
    go = tool("go")
    folder = cache() / "bin" / ("%s@%s" % (name, version))
    with locked(name):
        places = [folder / name, shutil.which(name)]
        for place in command([go, "env", "GOBIN", "GOPATH"]).splitlines():
            places.append(place and pathlib.Path(place) / name)
            places.append(place and pathlib.Path(place) / "bin" / name)
        for path in filter(None, places):
            if is_version(go, path, module, version):
                return path
        folder.mkdir(parents=True, exist_ok=True)
        say("servers: building %s %s, once; this can take minutes" % (name, version))
        # Without cgo, as the packages of this module are built before: Go's cache has the modules that both use.
        command([go, "install", "%s@%s" % (package, version)], cwd=folder,
                env={**os.environ, "GOBIN": str(folder), "GOFLAGS": "", "GOWORK": "off", "CGO_ENABLED": "0"})
        return folder / name


def is_version(go, path, module, version):
    if not os.access(path, os.X_OK):
        return False
    done = subprocess.run([go, "version", "-m", str(path)], capture_output=True, text=True)
    return any(line.split()[:3] == ["mod", module, version] for line in done.stdout.splitlines())
