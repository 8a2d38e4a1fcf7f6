"""Server processes: started in the background, remembered by pid and kernel start time, stopped by nothing less."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

from common import Missing


class Interrupts:
    """The signals that end a run. They become KeyboardInterrupt, or go to the child once there is one. They wait while a
    process is being started and noted: an exception in there would leave it behind."""

    def __init__(self):
        self.caught, self.child, self.held = [], None, 0

    def handle(self, number, _frame):
        self.caught.append(number)
        if self.child:
            signal_group(self.child.pid, number)
        elif not self.held:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def hold(self):
        self.held += 1
        try:
            yield
        finally:
            self.held -= 1
        if self.caught and not self.held and not self.child:
            raise KeyboardInterrupt


interrupts = Interrupts()


def free_port(wanted=None):
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", int(wanted or 0)))
        except (OSError, OverflowError, ValueError) as why:
            raise Missing("port %s cannot be used: %s" % (wanted, why))
        return s.getsockname()[1]


def start_time(pid):
    """When the kernel started pid, or None when it does not run: a pid that was given anew is another process."""
    try:
        fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()
        return None if fields[0] in "ZX" else fields[19]
    except OSError:
        if pathlib.Path("/proc/self/stat").exists():
            return None
    done = subprocess.run(["ps", "-o", "state=,lstart=", "-p", str(pid)], capture_output=True, text=True)  # macOS
    text = done.stdout.strip()
    return None if not text or text.startswith("Z") else text.split(None, 1)[1]


def record(state, name):
    """What start noted, if that process is still running."""
    try:
        r = json.loads((state / (name + ".json")).read_text())
        return r if r["start"] is not None and start_time(r["pid"]) == r["start"] else None  # None: it had ended already
    except (OSError, ValueError, KeyError):
        return None


def start(state, name, argv, env, port, health, answers=()):
    """Start a server and wait until health, a URL, answers with success or one of the codes, or health, a function, is true."""
    state.mkdir(parents=True, exist_ok=True)
    log = state / (name + ".log")
    with interrupts.hold():
        with open(log, "wb") as out:
            child = subprocess.Popen([str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                     start_new_session=True, cwd=state, env={**os.environ, **env})
        note = {"pid": child.pid, "start": start_time(child.pid), "port": port}
        (state / (name + ".json")).write_text(json.dumps(note))
    end = time.monotonic() + 30
    while not (health() if callable(health) else healthy(health, answers)):
        if child.poll() is not None or time.monotonic() > end:
            what = "ended with code %s" % child.returncode if child.returncode is not None else "did not answer in 30 s"
            said = " ".join(log.read_text(errors="replace").split())[-300:]
            stop(state, name)
            raise Missing("it %s: %s" % (what, said))
        time.sleep(0.02)
    return note


def healthy(url, answers=()):
    try:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=2).read()
        return True
    except urllib.error.HTTPError as answer:
        return answer.code in answers
    except (OSError, urllib.error.URLError):
        return False


def listens(port, ask=b"", reply=b""):
    """Whether a server listens on the port and, if it is asked something, begins its answer with reply."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as s:
            s.sendall(ask)
            return not ask or s.recv(100).startswith(reply)
    except OSError:
        return False


def stop(state, name, patience=5.0):
    """Stop the recorded process, if it is still the one that was started."""
    r = record(state, name)
    if r:
        os.kill(r["pid"], signal.SIGTERM)
        end = time.monotonic() + patience
        while record(state, name):
            try:
                os.waitpid(r["pid"], os.WNOHANG)  # when it is our own child
            except ChildProcessError:
                pass
            if time.monotonic() > end:
                os.kill(r["pid"], signal.SIGKILL)
                end += 3600
            time.sleep(0.02)
    (state / (name + ".json")).unlink(missing_ok=True)


def signal_group(pid, number):
    """Signal a child that leads its own group, and its children."""
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        pass
