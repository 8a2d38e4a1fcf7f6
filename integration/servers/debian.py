"""Programs of Debian's packages, unpacked into the cache: nothing is installed, and no root is needed."""
import os
import shutil

from common import Missing, cache, command, locked, tool


def root(name):
    """Where the packages of a server are unpacked."""
    return cache() / (name + "-debs") / "root"


def get(name, packages, present):
    """Unless present() is true, unpack the packages and those libraries that they need and that are not installed."""
    with locked(name):
        if present():
            return
        apt, dpkg, debs = tool("apt-get"), tool("dpkg"), root(name).parent
        shutil.rmtree(debs, ignore_errors=True)
        debs.mkdir(parents=True)
        try:
            download([apt], packages, debs)
        except Missing:  # no lists of packages, or old ones: new ones, of our own
            (debs / "lists/partial").mkdir(parents=True)
            own = [apt, "-o", "Dir::State::Lists=%s/lists" % debs, "-o", "Dir::Cache=%s/cache" % debs, "-o", "APT::Sandbox::User="]
            command(own + ["update"])
            download(own, packages, debs)
        for path in debs.glob("*.deb"):
            command([dpkg, "-x", path, root(name)])


def download(apt, packages, debs):
    said = command(apt + ["-s", "install", "--no-install-recommends", *packages], env={**os.environ, "LC_ALL": "C"})
    command(apt + ["download", *(line.split()[1] for line in said.splitlines() if line.startswith("Inst "))], cwd=debs)


def libraries(name, more=()):
    """The environment in which the unpacked programs find their libraries."""
    paths = [str(p) for p in [*root(name).glob("usr/lib/*-linux-gnu"), *more]]
    paths += filter(None, [os.environ.get("LD_LIBRARY_PATH")])
    return {"LD_LIBRARY_PATH": ":".join(paths)} if paths else {}
