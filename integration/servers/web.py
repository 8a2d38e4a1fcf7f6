"""A web server over a folder: nginx that is installed, nginx from Debian's or Ubuntu's archive, or else our own."""
import os
import pathlib
import re
import shutil
import string
import subprocess

import process
from common import Missing, cache, command, locked, say, tool

NAME = "http"
HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("nginx", "nginx-core", "nginx-light")  # which of them holds the program depends on the release


def up(state):
    if process.record(state, NAME):
        return
    data = state / "http-data"
    data.mkdir(parents=True, exist_ok=True)
    try:
        what = start_nginx(state, data)
    except Missing as why:
        what = start_own(state, data) + " because " + str(why)
    (state / "http-is").write_text(what)
    say("servers: http is " + what)


def start_nginx(state, data):
    program, version = nginx()
    port = process.free_port(os.environ.get("ZARR_HTTP_PORT"))
    site = string.Template((HERE / "nginx.conf.template").read_text()).safe_substitute(
        ZARR_HTTP_LISTEN="127.0.0.1:%d" % port, ZARR_HTTP_ROOT=data)
    scratch = state / "nginx"
    scratch.mkdir(exist_ok=True)
    temporary = "".join("%s_temp_path %s;\n" % (kind, scratch / kind)
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    # Root's workers stay root: nobody may not look into root's cache.
    user = "user root;\n" if os.geteuid() == 0 else ""
    conf = scratch / "nginx.conf"
    conf.write_text("daemon off;\nworker_processes 1;\npid %s;\nerror_log stderr;\n%sevents { worker_connections 1024; }\n"
                    "http {\naccess_log off;\n%s%s}\n" % (scratch / "nginx.pid", user, temporary, site))
    process.start(state, NAME, [program, "-p", scratch, "-c", conf], {}, port, "http://127.0.0.1:%d/" % port, answers=(404,))
    return "nginx " + version


def nginx():
    """Path and version of an nginx that runs."""
    path = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
    return (path, version_of(path)) if path else from_archive()


def version_of(path):
    try:
        done = subprocess.run([path, "-v"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as why:
        raise Missing("nginx does not run: %s" % why)
    found = re.search(r"nginx/(\S+)", done.stdout)
    if done.returncode or not found:
        raise Missing("nginx does not run: %s" % " ".join(done.stdout.split())[-200:])
    return found[1]


def from_archive():
    """Unpacked into the cache, not installed: that takes neither root nor questions."""
    folder = cache() / "nginx"
    path = folder / "usr" / "sbin" / "nginx"
    with locked("nginx"):
        if not path.exists():
            apt, dpkg = nginx_tool("apt-get"), nginx_tool("dpkg-deb")
            new = cache() / "nginx.new"
            shutil.rmtree(new, ignore_errors=True)
            new.mkdir()
            download(apt, dpkg, new)
            version_of(new / "usr" / "sbin" / "nginx")
            new.rename(folder)
    return path, version_of(path)


def nginx_tool(name):
    try:
        return tool(name)
    except Missing as why:
        raise Missing("nginx is not here, and %s" % why)


def download(apt, dpkg, folder):
    for package in PACKAGES:
        try:
            command([apt, "download", "-q", package], cwd=folder, timeout=120)
            for deb in folder.glob("*.deb"):
                command([dpkg, "-x", deb, folder])
                deb.unlink()
        except (Missing, OSError, subprocess.SubprocessError) as why:
            raise Missing("nginx is not here: %s" % why)
        if (folder / "usr" / "sbin" / "nginx").exists():
            return
    raise Missing("nginx is not here, and no program is in the packages %s" % ", ".join(PACKAGES))


def start_own(state, data):
    port = process.free_port(os.environ.get("ZARR_HTTP_PORT"))
    program = state / "files"
    command([tool("go"), "build", "-o", program, "./integration/servers/files"], cwd=HERE.parent.parent)
    process.start(state, NAME, [program, "-listen", "127.0.0.1:%d" % port, "-root", data], {}, port,
                  "http://127.0.0.1:%d/" % port, answers=(404,))
    return "our own file server"


def down(state):
    process.stop(state, NAME)
    shutil.rmtree(state / "http-data", ignore_errors=True)
    shutil.rmtree(state / "nginx", ignore_errors=True)


def env(state):
    r = process.record(state, NAME)
    return r and {"ZARR_TEST_HTTP_URL": "http://127.0.0.1:%d" % r["port"], "ZARR_TEST_HTTP_DIR": str(state / "http-data")}


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    ok = process.healthy("http://127.0.0.1:%d/" % r["port"], (404,))
    return "http   127.0.0.1:%d  pid %d  %s  %s" % (r["port"], r["pid"], "answers" if ok else "DOES NOT ANSWER",
                                                    (state / "http-is").read_text())
