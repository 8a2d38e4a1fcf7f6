"""zargo.open_store in processes that fork, spawn, race and die. The values are those of zarr-python's own
LocalStore, and of NumPy for S3."""

import glob
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import zarr
from zarr.storage import LocalStore

import zargo

CHUNKS, ROW = 500, 256
WORKERS, READS = 16, 10_000
IDLE = 3.0

# Where the sockets of the tests are.
RUNTIME = Path(os.environ["XDG_RUNTIME_DIR"], "zargo")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """An array with one chunk for each row, and its values."""
    path = tmp_path_factory.mktemp("data") / "a.zarr"
    values = np.random.default_rng(1).random((CHUNKS, ROW), "f4")
    a = zarr.create_array(LocalStore(path), shape=values.shape, chunks=(1, ROW), dtype="f4")
    a[:] = values
    return str(path), values


def servers(text=""):
    """The IDs of the processes that serve, of those with this text in their line."""
    found = []
    for line in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            args = Path(line).read_bytes().decode(errors="replace").split("\0")
            state = Path(line).with_name("stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if "serve" in args[1:2] and any(str(RUNTIME) in arg for arg in args) and any(text in arg for arg in args) and state != "Z":
            found.append(int(line.split("/")[2]))
    return found


def load(array, values, seed, reads, results):
    """What a worker of a data loader does."""
    try:
        rng = np.random.default_rng(seed)
        for i in rng.integers(0, CHUNKS, reads):
            assert np.array_equal(array[int(i)], values[int(i)])
        results.put(reads)
    except BaseException as error:  # noqa: BLE001 -- the parent raises it
        results.put(f"{type(error).__name__}: {error}")


def loader(context, array, values):
    """The number of chunks that the workers have read. A worker that hangs fails the test."""
    results = context.Queue()
    workers = [context.Process(target=load, args=(array, values, seed, READS // WORKERS, results)) for seed in range(WORKERS)]
    for w in workers:
        w.start()
    got = [results.get(timeout=120) for _ in workers]
    for w in workers:
        w.join(60)
        assert w.exitcode == 0
    assert all(isinstance(n, int) for n in got), got
    return sum(got)


@pytest.mark.parametrize("place", ["local", "s3"])
def test_fork(data, place):
    """Forked workers, after reads of the parent, read equal values through one server."""
    url, values = data
    if place == "s3":
        bucket, _, query = os.environ["ZARR_TEST_S3_URL"].partition("?")
        url = f"{bucket}/loader-{os.getpid()}.zarr?{query}"
        with_writes = zargo.open_store(url, read_only=False, idle=IDLE)
        zarr.create_array(with_writes, shape=values.shape, chunks=(1, ROW), dtype="f4")[:] = values
    array = zarr.open_array(zargo.open_store(url, idle=IDLE), mode="r")
    assert np.array_equal(array[:], values)  # by the parent's event loop and connections
    assert loader(multiprocessing.get_context("fork"), array, values) == READS // WORKERS * WORKERS
    assert np.array_equal(array[:], values)  # the children left the parent's connections alone
    url = url.partition("?")[0]
    assert len([p for p in servers(f"data={url}") if p not in servers("--writable")]) == 1


def load_sync(store, seed, results):
    """What a worker does without an event loop."""
    try:
        rng = np.random.default_rng(seed)
        for i in rng.integers(0, CHUNKS, 200):
            assert store.get_sync(f"c/{i}/0").to_bytes() == Path(str(store), f"c/{i}/0").read_bytes()
        results.put(200)
    except BaseException as error:  # noqa: BLE001 -- the parent compares it
        results.put(repr(error))


def test_fork_sync(data):
    """Forked workers do not use the blocking connections of their parent either."""
    store = zargo.open_store(data[0], idle=IDLE)
    assert store.get_sync("none") is None
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=load_sync, args=(store, seed, results), daemon=True) for seed in range(WORKERS)]
    for w in workers:
        w.start()
    assert [results.get(timeout=60) for _ in workers] == [200] * WORKERS
    for w in workers:
        w.join(60)


def test_local_store(data):
    """zarr-python's own store in the same loader, which the page of the loader compares with."""
    url, values = data
    array = zarr.open_array(LocalStore(url, read_only=True), mode="r")
    assert np.array_equal(array[:], values)
    assert loader(multiprocessing.get_context("fork"), array, values) == READS // WORKERS * WORKERS


def test_spawn(data):
    """A store is pickled to spawned workers, which use the same server."""
    url, values = data
    array = zarr.open_array(zargo.open_store(url, idle=IDLE), mode="r")
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    workers = [context.Process(target=load, args=(array, values, seed, 50, results)) for seed in range(2)]
    for w in workers:
        w.start()
    assert [results.get(timeout=120) for _ in workers] == [50, 50]
    for w in workers:
        w.join(60)
    assert len(servers(f"data={url}")) == 1


OPEN = "import sys, zargo, zarr; zargo.open_store; print(flush=True); sys.stdin.readline(); print(float(zarr.open_array(zargo.open_store(sys.argv[1], idle=3), mode='r')[3].sum()), flush=True); sys.stdin.read()"


def test_race(data, tmp_path):
    """Processes that open a store at the same time start one server. Other credentials and another
    binary have servers of their own."""
    url, values = data
    link = tmp_path / "raced.zarr"  # a URL without a server
    link.symlink_to(url)
    opening = [subprocess.Popen([sys.executable, "-c", OPEN, str(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(8)]
    for p in opening:
        p.stdout.readline()
    for p in opening:  # they have imported what they need, and open the store at once
        p.stdin.write(b"\n")
        p.stdin.flush()
    for p in opening:
        assert float(p.stdout.readline()) == float(values[3].sum())
    assert len(servers(f"data={link}")) == 1
    other = subprocess.Popen([sys.executable, "-c", OPEN, str(link)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"AWS_ACCESS_KEY_ID": "other"})
    other.stdin.write(b"\n")
    other.stdin.flush()
    assert [other.stdout.readline() for _ in range(2)][1]
    assert len(servers(f"data={link}")) == 2
    for p in (*opening, other):
        p.communicate(timeout=60)


def test_killed(data):
    """A server that is killed is replaced, during requests of several workers."""
    url, values = data
    array = zarr.open_array(zargo.open_store(url, idle=IDLE), mode="r")
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    workers = [context.Process(target=load, args=(array, values, seed, 1500, results)) for seed in range(4)]
    for w in workers:
        w.start()
    killed = set()
    while any(w.is_alive() for w in workers) and len(killed) < 3:
        for pid in servers(f"data={url}"):
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.3)
    assert [results.get(timeout=120) for _ in workers] == [1500] * 4
    for w in workers:
        w.join(60)
    assert len(killed) == 3
    assert np.array_equal(array[:], values)
    assert len(servers(f"data={url}")) == 1


def test_errors(tmp_path, data, monkeypatch):
    """Errors of the command are exceptions with its text, and a refused request is not a missing chunk."""
    with pytest.raises(FileNotFoundError, match="none.zarr"):
        zargo.open_store(tmp_path / "none.zarr")
    with pytest.raises(NotImplementedError, match="scheme"):
        zargo.open_store("nothing://x/y")
    with pytest.raises(PermissionError, match="zarr-test"):
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        zargo.open_store(os.environ["ZARR_TEST_S3_URL"].replace("?", "/x.zarr?"))
    with pytest.raises(ValueError, match="flag"):
        zargo.open_store(data[0], options=["--no-such-flag"])
    path = tmp_path / "links.zarr"
    a = zarr.create_array(LocalStore(path), shape=(2,), chunks=(1,), dtype="i4")
    (path / "c").mkdir()
    (path / "c/1").symlink_to("/etc/hostname")
    a = zarr.open_array(zargo.open_store(path, idle=IDLE), mode="r")
    assert a[0] == 0
    with pytest.raises(PermissionError, match="status 403"):
        a[1]


def test_credentials(tmp_path, data, monkeypatch):
    """Credentials may be in a file whose name is relative."""
    (tmp_path / "mine").write_text(f"[default]\naws_access_key_id={os.environ['AWS_ACCESS_KEY_ID']}\naws_secret_access_key={os.environ['AWS_SECRET_ACCESS_KEY']}\n")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "mine")
    with pytest.raises(FileNotFoundError, match="not found"):
        zargo.open_store(os.environ["ZARR_TEST_S3_URL"].replace("?", "/none.zarr?"))


def test_private(data, monkeypatch, tmp_path):
    """The directory and the socket are of this user alone. One that others can write is refused, and
    so is a path that is too long."""
    zargo.open_store(data[0], idle=IDLE)
    assert RUNTIME.stat().st_mode & 0o777 == 0o700
    assert all(s.stat().st_mode & 0o777 == 0o600 for s in RUNTIME.glob("*.s"))
    secret = os.environ["AWS_SECRET_ACCESS_KEY"].encode()
    assert not any(secret in f.read_bytes() for f in RUNTIME.glob("*.log"))
    (tmp_path / "zargo").mkdir(mode=0o755)
    (tmp_path / "zargo").chmod(0o755)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    if len(str(tmp_path)) < 60:
        with pytest.raises(PermissionError, match="0700"):
            zargo.open_store(data[0])
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    assert len(zargo.open_store(data[0], idle=IDLE)._host.socket) <= 103


def test_command(data):
    """python -m zargo and the script run the command."""
    for line in ([sys.executable, "-m", "zargo"], [str(Path(sys.executable).with_name("zargo"))]):
        done = subprocess.run([*line, "info", data[0]], capture_output=True, text=True)
        assert done.returncode == 0 and "float32" in done.stdout, done
        assert subprocess.run([*line, "info", data[0] + "/none"], capture_output=True).returncode == 3
