"""Starts one server of the command zargo for all processes of a user that need the same one."""

from __future__ import annotations

import hashlib
import json
import os
import select
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# What the clients of object stores read from the environment. A process whose variables differ gets
# a server of its own.
VARIABLES = ("AWS_", "AZURE_", "BOTO_", "CLOUDSDK_", "GCE_", "GOOGLE_", "IDENTITY_", "MSI_", "SSL_CERT_", "STORAGE_EMULATOR_", "ZARGO_")
NAMES = ("HOME", "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "KUBERNETES_SERVICE_HOST")

# The endings of those that name files. The server has another working directory.
FILES = ("_BUNDLE", "_CONFIG", "_CREDENTIALS", "_DIR", "_FILE", "_PATH")

# The longest path of a Unix socket on any system, without the byte that ends it: 104 on macOS.
LONGEST = 103

# Seconds that a server may take to start, with the first requests to its store.
START = 120.0

# Not limits of a user's own data: one value of a chunk may be large, and all processes share a server.
FLAGS = ("--quiet", "--concurrent=1024", "--max-bytes=1099511627776", "--max-body=4294967296", "--timeout=5m")

# The exceptions for exit codes of the command, see docs/reference/cli.md.
ERRORS: dict[int, type[Exception]] = {2: ValueError, 3: FileNotFoundError, 6: NotImplementedError, 8: PermissionError, 9: TimeoutError, 12: PermissionError}


class Host:
    """A server of a URL on this host. It is found by its configuration, and started if none runs.

    The environment is that of the process that creates this object. Of it only a digest is stored,
    in the name of the socket.
    """

    def __init__(self, url: str, *, writable: bool, options: tuple[str, ...], idle: float, command: str | None) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise NotImplementedError("this system has no Unix sockets: run zargo serve, and open zargo.Store with its address")
        self._environment = dict(os.environ)
        program = os.path.realpath(command or binary())
        file = os.stat(program)
        self._line = [program, "serve", f"data={url}", f"--idle={max(1, round(idle * 1000))}ms", *FLAGS, *(["--writable"] if writable else []), *options]
        known = {name: value for name, value in self._environment.items() if name.upper().startswith(VARIABLES) or name.upper() in NAMES}
        known |= {name: os.path.abspath(value) for name, value in known.items() if value and name.endswith(FILES)}
        self._environment |= known
        key = json.dumps([self._line, file.st_size, file.st_mtime_ns, file.st_ino, sorted(known.items())])
        name = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self._folder = folder(len(name) + 2)
        self.socket = str(self._folder / name) + ".s"
        self._log = self._folder / f"{name}.log"

    def start(self, tries: int = 4) -> None:
        """Start the server, unless another process is faster. One that is killed is started again."""
        deadline = time.monotonic() + START
        with open(self._log, "ab") as lock:  # the server appends its messages with a file of its own
            self._lock(lock.fileno(), deadline)
            if self.listens():
                return
            os.ftruncate(lock.fileno(), 0)
            with open(self._log, "ab") as messages:
                line = [*self._line, f"--socket={self.socket}"]
                server = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages, env=self._environment, cwd="/", start_new_session=True)
            with server.stdout as out:  # type: ignore[union-attr]
                waiting = select.poll()
                waiting.register(out, select.POLLIN)
                if not waiting.poll(1000 * max(0.0, deadline - time.monotonic())):
                    server.kill()
                    server.wait()
                    raise TimeoutError(f"zargo serve did not start within {START:.0f} s")
                if out.readline().startswith(b"serving "):
                    _children[:] = [child for child in (*_children, server) if child.poll() is None]
                    return
            code = server.wait()
        if code < 0 and tries > 1:
            return self.start(tries - 1)
        text = self._log.read_text(errors="replace").strip().removeprefix("zargo: ")
        raise ERRORS.get(code, OSError)(text or f"zargo serve ended with {code}")

    def listens(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(10)
            try:
                s.connect(self.socket)
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            return True

    def _lock(self, file: int, deadline: float) -> None:
        import fcntl

        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise TimeoutError(f"another process has been starting zargo serve for {START:.0f} s") from None
                time.sleep(0.01)


# Servers that this process started and has not waited for. They outlive it.
_children: list[subprocess.Popen[bytes]] = []


def binary() -> str:
    """The path of the command: that of the wheel, or else the one on the PATH."""
    name = "zargo.exe" if sys.platform == "win32" else "zargo"
    own = Path(__file__).parent / "bin" / name
    path = str(own) if own.exists() else shutil.which(name)
    if path is None:
        raise FileNotFoundError("the command zargo is neither part of this package nor on the PATH")
    return path


def folder(name: int) -> Path:
    """A directory of this user alone, for sockets whose names have this length."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    own = f"zargo-{os.geteuid()}"
    places = [Path(runtime, "zargo")] if runtime and os.access(runtime, os.W_OK) else []
    for place in (*places, Path(tempfile.gettempdir(), own), Path("/tmp", own)):
        if len(os.fsencode(place.absolute())) + 1 + name > LONGEST:
            continue
        place.mkdir(0o700, exist_ok=True)
        info = place.lstat()
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
            raise PermissionError(f"{place}: must be a directory of this user with the mode 0700")
        return place.absolute()
    raise OSError("no directory has a path that is short enough for a Unix socket: set XDG_RUNTIME_DIR")
