"""Tests of servers.py with a server that is always at hand, Python's own."""
import http.server
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import urllib.error
import urllib.request
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import common
import debian
import minio
import peers
import process
import redis
import servers
import web


class Fake:
    """Something to start: Python's file server, or something that cannot be had."""
    NAME = "fake"

    def __init__(self, why=None):
        self.why = why

    def up(self, state):
        if self.why:
            raise common.Missing(self.why)
        if process.record(state, self.NAME):
            return
        port = process.free_port()
        argv = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]
        process.start(state, self.NAME, argv, {}, port, "http://127.0.0.1:%d/" % port)

    def env(self, state):
        r = process.record(state, self.NAME)
        return r and {"FAKE_PID": str(r["pid"]), "AWS_PROFILE": None}

    def down(self, state):
        process.stop(state, self.NAME)

    def status(self, state):
        r = process.record(state, self.NAME)
        return r and "fake %d" % r["port"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = pathlib.Path(folder.name) / "up"
        self.before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(self.before)))
        os.environ["ZARGO_CACHE"] = folder.name
        os.environ.pop("ZARGO_SERVERS_STATE", None)
        os.environ.pop("CI", None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        self.all(Fake())

    def all(self, *entries):
        servers.ALL = {e.NAME: e for e in entries}
        servers.ASKED = set()

    def main(self, *argv):
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = servers.main(list(argv))
        said = [line for line in err.getvalue().splitlines(True) if line.startswith("servers: ")]  # Python warns in between
        return code, out.getvalue(), "".join(said)


class Commands(Case):
    def test_up_twice_and_down(self):
        self.assertEqual(self.main("up")[0], 0)
        first = process.record(self.state, "fake")
        self.main("up")
        self.assertEqual(process.record(self.state, "fake"), first)
        self.assertEqual(self.main("status")[1], "fake %d\n" % first["port"])
        self.assertEqual(self.main("env")[1], "export FAKE_PID=%d\nunset AWS_PROFILE\n" % first["pid"])
        self.main("down")
        self.assertIsNone(process.start_time(first["pid"]))
        self.assertEqual(self.main("env")[1], "")
        self.assertEqual(self.main("down")[0], 0)

    def test_missing_is_one_loud_line(self):
        self.all(Fake("no such thing"))
        line = "servers: fake skipped because no such thing\n"
        self.assertEqual(self.main("up"), (0, "", line))
        self.assertEqual(self.main("run", "--", "true"), (0, "", line))
        os.environ["CI"] = "true"
        self.assertEqual(self.main("up"), (1, "", line))
        self.assertEqual(self.main("run", "--", "true"), (1, "", line))

    def test_what_must_be_asked_for(self):
        slow = Fake("it takes minutes")
        slow.NAME = "slow"
        self.all(Fake(), slow)
        servers.ASKED = {"slow"}
        self.assertEqual(self.main("up"), (0, "", ""))
        self.assertEqual(self.main("up", "fake", "slow")[2], "servers: slow skipped because it takes minutes\n")
        self.main("down")

    def test_usage(self):
        for argv in (["start"], ["up", "other"], ["run", "fake"], ["up", "--", "true"]):
            code, _, err = self.main(*argv)
            self.assertEqual((code, err.count("\n")), (2, 1), argv)


class Run(Case):
    def test_exit_code_and_environment(self):
        note = self.state.parent / "note"
        os.environ["AWS_PROFILE"] = "mine"
        code, _, _ = self.main("run", "--", "sh", "-c", "echo $FAKE_PID-$AWS_PROFILE > %s; exit 7" % note)
        self.assertEqual(code, 7)
        pid, profile = note.read_text().strip().split("-")
        self.assertEqual(profile, "")
        self.assertIsNone(process.start_time(int(pid)))
        self.assertEqual(list((self.state.parent / "run").iterdir()), [])

    def test_the_command_knows_what_was_asked_for(self):
        note = self.state.parent / "note"
        self.main("run", "fake", "--", "sh", "-c", "echo $ZARR_TEST_SERVERS > %s" % note)
        self.assertEqual(note.read_text(), "fake\n")

    def test_no_such_command(self):
        code, _, err = self.main("run", "--", "/no/such/command")
        self.assertEqual(code, 127)
        self.assertIn("/no/such/command", err)
        self.assertEqual(list((self.state.parent / "run").iterdir()), [])

    def other(self, body):
        """Another process runs servers.py, with fakes."""
        text = "import sys; sys.path.insert(0, %r); sys.dont_write_bytecode = True; import servers_test as t, servers\n" % str(HERE)
        return subprocess.Popen([sys.executable, "-c", text + textwrap.dedent(body)])

    def wait_for(self, path):
        while not path.exists() or not path.read_text().endswith("\n"):
            time.sleep(0.01)
        return int(path.read_text())

    def test_signals_reach_the_command_and_the_server_stops(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            note = self.state.parent / ("note%d" % number)
            p = self.other("""
                servers.ALL = {"fake": t.Fake()}
                sys.exit(servers.main(["run", "--", "sh", "-c", "echo $FAKE_PID > %s; exec sleep 1000"]))
            """ % note)
            pid = self.wait_for(note)
            p.send_signal(number)
            self.assertEqual(p.wait(60), 128 + number)
            self.assertIsNone(process.start_time(pid))

    def test_what_a_killed_run_left_is_swept(self):
        note = self.state.parent / "note"
        p = self.other("""
            import os, signal
            servers.ALL = {"fake": t.Fake()}
            servers.down = lambda *a: os.kill(os.getpid(), signal.SIGKILL)
            servers.main(["run", "--", "sh", "-c", "echo $FAKE_PID > %s"])
        """ % note)
        p.wait(60)
        pid = self.wait_for(note)
        self.assertIsNotNone(process.start_time(pid))
        self.assertEqual(self.main("run", "--", "true")[0], 0)
        self.assertIsNone(process.start_time(pid))
        self.assertEqual(list((self.state.parent / "run").iterdir()), [])


class Processes(Case):
    def test_another_process_with_the_pid_is_left_alone(self):
        self.state.mkdir()
        (self.state / "fake.json").write_text(json.dumps({"pid": os.getpid(), "start": "1", "port": 1}))
        self.assertIsNone(process.record(self.state, "fake"))
        process.stop(self.state, "fake")  # would end this test
        self.assertFalse((self.state / "fake.json").exists())

    def test_a_process_that_had_ended_when_it_was_noted(self):
        child = subprocess.Popen(["true"])
        child.wait()
        self.state.mkdir()
        (self.state / "fake.json").write_text(json.dumps({"pid": child.pid, "start": None, "port": 1}))
        self.assertIsNone(process.record(self.state, "fake"))
        process.stop(self.state, "fake")

    def test_deaf_to_sigterm(self):
        port = process.free_port()
        code = ("import http.server, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
                "http.server.HTTPServer(('127.0.0.1', %d), http.server.SimpleHTTPRequestHandler).serve_forever()" % port)
        note = process.start(self.state, "deaf", [sys.executable, "-c", code], {}, port, "http://127.0.0.1:%d/" % port)
        process.stop(self.state, "deaf", patience=0.1)
        self.assertIsNone(process.start_time(note["pid"]))

    def test_a_server_that_ends_at_once(self):
        argv = [sys.executable, "-c", "import sys; sys.exit('the disk is full')"]
        with self.assertRaisesRegex(common.Missing, "ended with code 1: the disk is full"):
            process.start(self.state, "fake", argv, {}, 1, "http://127.0.0.1:1/")

    def test_bad_port(self):
        for port in ("http", "70000"):
            with self.assertRaisesRegex(common.Missing, port):
                process.free_port(port)


class Web(Case):
    def served(self):
        """Start the web server, read a file through it, stop it; what it said of itself."""
        self.all(web)
        code, _, err = self.main("up")
        self.addCleanup(web.down, self.state)
        self.assertEqual(code, 0)
        env = web.env(self.state)
        (pathlib.Path(env["ZARR_TEST_HTTP_DIR"]) / "a b").write_text("0123456789")
        get = urllib.request.Request(env["ZARR_TEST_HTTP_URL"] + "/a%20b", headers={"Range": "bytes=2-4"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(get) as answer:
            self.assertEqual((answer.status, answer.read()), (206, b"234"))
            self.assertTrue(answer.headers["ETag"])
            self.assertEqual(answer.headers["Content-Type"], "application/octet-stream")
        self.assertRegex(self.main("status")[1], r"^http +127\.0\.0\.1:\d+ .* answers  ")
        self.assertTrue(self.main("status")[1].endswith(err[len("servers: http is "):]))
        self.main("down")
        self.assertFalse((self.state / "http-data").exists())
        return err

    def test_nginx_or_our_own(self):
        os.environ["ZARGO_SERVERS_STATE"] = str(self.state)
        os.environ.pop("ZARGO_CACHE")  # what is there already is not fetched again
        os.environ.update({k: v for k, v in self.before.items() if k == "ZARGO_CACHE"})
        self.assertRegex(self.served(), r"^servers: http is (nginx \d[\w.]+|our own file server because nginx .*)\n$")

    def test_our_own(self):
        with mock.patch.object(web, "nginx", side_effect=common.Missing("nginx is not here")):
            self.assertEqual(self.served(), "servers: http is our own file server because nginx is not here\n")

    def test_an_nginx_that_does_not_start(self):
        bad = self.state.parent / "nginx"
        bad.write_text("#!/bin/sh\n[ $1 = -v ] && { echo nginx version: nginx/9.9 >&2; exit; }\necho no such directive; exit 1\n")
        bad.chmod(0o755)
        with mock.patch.object(web, "nginx", return_value=(bad, web.version_of(bad))):
            self.assertIn("our own file server because it ended with code 1: no such directive", self.served())

    def test_what_is_no_nginx(self):
        for path in ("/no/such/nginx", "/bin/false", sys.executable):
            with self.assertRaisesRegex(common.Missing, "nginx does not run"):
                web.version_of(path)

    def archive(self, *files):
        """Stands for apt-get and dpkg: each package holds one of the files."""
        waiting = list(files)

        def run(argv, cwd=None, **_):
            if argv[1] == "download":
                (cwd / "p.deb").touch()
            else:
                file = argv[3] / waiting.pop(0)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("#!/bin/sh\necho nginx version: nginx/9.9\n")
                file.chmod(0o755)
        return mock.patch.multiple(web, command=run, tool=lambda name: name)

    def test_archive(self):
        with self.archive("usr/share/doc/nginx", "usr/sbin/nginx"):
            self.assertEqual(web.from_archive()[1], "9.9")
        with mock.patch.object(web, "command", side_effect=AssertionError):
            self.assertEqual(web.from_archive()[1], "9.9")  # it is kept

    def test_archive_without_a_program(self):
        with self.archive("a", "b", "c"), self.assertRaisesRegex(common.Missing, "no program is in"):
            web.from_archive()
        with mock.patch.object(web, "tool", side_effect=common.Missing("apt-get is not on PATH")):
            with self.assertRaisesRegex(common.Missing, "nginx is not here, and apt-get is not on PATH"):
                web.from_archive()


class Debian(Case):
    """Stands for apt-get and dpkg: the first lists of packages are old, and one package holds a program."""
    def setUp(self):
        super().setUp()
        self.said = []

    def run_(self, argv, **_):
        self.said.append([str(a) for a in argv])
        if "-s" in argv:
            return "Inst liblzf1 (3.6)\nInst redis-tools (7)\nConf redis-tools\n"
        if argv[1] == "download" and "update" not in [a[-1] for a in self.said]:
            raise common.Missing("apt-get download: 404")
        if "download" in argv:
            (debian.root("redis").parent / "redis-tools.deb").touch()
        if argv[0] == "dpkg":
            path = debian.root("redis") / "usr/bin/redis-check-rdb"
            path.parent.mkdir(parents=True)
            path.touch()
        return ""

    def test_old_lists_are_renewed_and_the_program_is_kept(self):
        with mock.patch.multiple(debian, command=self.run_, tool=lambda name: name), mock.patch.object(redis.shutil, "which", lambda _: None):
            for _ in range(2):
                debian.get("redis", ["redis-server"], redis.program)
            self.assertEqual(redis.program(), str(debian.root("redis") / "usr/bin/redis-check-rdb"))
        self.assertEqual([a[-1] for a in self.said if "-s" not in a], ["redis-tools", "update", "redis-tools", str(debian.root("redis"))])


class Peers(Case):
    def test_one_that_cannot_be_had_is_named(self):
        def make(argv, **_):
            if "venv" in argv:
                argv[-1].mkdir()

        def fail(argv, **_):
            make(argv)
            if "pip" in argv and "zarr2" in str(argv[-1]):
                raise common.Missing("pip: out of luck")
        self.all(peers)
        python = mock.patch.object(peers, "python", lambda _version: sys.executable)
        python.start()
        self.addCleanup(python.stop)
        with mock.patch.object(peers, "command", fail):
            os.environ["CI"] = "true"
            code, _, err = self.main("up")
            self.assertEqual(code, 1)
            self.assertIn("servers: peers skipped because requirements-zarr2.txt: pip: out of luck\n", err)
            self.assertEqual(list(peers.env(self.state)), ["ZARGO_PEERS_PYTHON", "ZARGO_PEERS_PYTHON313"])
        with mock.patch.object(peers, "command", side_effect=make) as again:
            self.assertEqual(self.main("up")[0], 0)
            self.assertEqual(again.call_count, 2)  # only the one that is not there
        self.assertEqual(list(peers.env(self.state)), ["ZARGO_PEERS_PYTHON", "ZARGO_PEERS_ZARR2", "ZARGO_PEERS_PYTHON313"])

    def test_each_file_has_an_environment_of_its_own(self):
        with self.pythons("path/python3.13"):
            self.assertEqual(len({peers.folder(f) for f in peers.REQUIREMENTS.values()}), 3)

    def pythons(self, *found, broken=()):
        """Stands for a machine on which a Python of a version is at these paths; the broken ones fail."""
        def run(argv, **_):
            path = str(argv[0])
            if path in broken or not any(path.endswith(f) for f in found):
                return mock.Mock(returncode=127, stdout="")
            return mock.Mock(returncode=0, stdout="3.13 %s\n" % path)
        peers.python.cache_clear()
        self.addCleanup(peers.python.cache_clear)
        return mock.patch.multiple(peers, subprocess=mock.Mock(run=run, PIPE=None, DEVNULL=None),
                                   shutil=mock.Mock(which=lambda name: "path/" + name), sys=mock.Mock(version_info=(3, 11, 7), executable="own/python3"))

    def test_the_python_that_runs_this(self):
        with self.pythons():
            self.assertEqual(peers.python(None), "own/python3")
            self.assertEqual(peers.python("3.11"), "own/python3")

    def test_a_python_of_another_version(self):
        with self.pythons("path/python3.13"):
            self.assertEqual(peers.python("3.13"), "path/python3.13")

    def test_a_shim_that_gives_none(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        for version in ("3.13.9", "3.13.10", "3.12.1"):
            (root / "versions" / version / "bin").mkdir(parents=True)
            (root / "versions" / version / "bin" / ("python" + version[:4])).touch()
        os.environ["PYENV_ROOT"] = str(root)
        with self.pythons("bin/python3.13", broken=["path/python3.13"]):
            self.assertEqual(peers.python("3.13"), str(root / "versions/3.13.10/bin/python3.13"))

    def test_no_python_of_a_version(self):
        os.environ["PYENV_ROOT"] = "/nowhere"
        with self.pythons():
            with self.assertRaisesRegex(common.Missing, "there is no Python 3.13: not as python3.13 on PATH"):
                peers.python("3.13")
            self.assertIn("requirements-py313.txt: there is no Python 3.13", peers.install(peers.REQUIREMENTS["ZARGO_PEERS_PYTHON313"]))


class Minio(unittest.TestCase):
    def answers(self, *codes):
        """Stands for s3.make_bucket: it raises these codes, then makes the bucket."""
        left = list(codes)

        def make(*_):
            if left:
                raise urllib.error.HTTPError("http://minio", left.pop(0), "", {}, None)
            return "made"
        return mock.patch.object(minio.s3, "make_bucket", make)

    def test_it_is_not_ready_when_it_says_so(self):
        with self.answers(503, 503), mock.patch.object(minio.time, "sleep"):
            self.assertEqual(minio.make_bucket("host"), "made")

    def test_it_never_is(self):
        with self.answers(503), self.assertRaises(urllib.error.HTTPError):
            minio.make_bucket("host", patience=-1)

    def test_another_answer(self):
        with self.answers(403), self.assertRaises(urllib.error.HTTPError):
            minio.make_bucket("host")


class Programs(Case):
    def test_wrong_version_is_not_used(self):
        self.assertFalse(common.is_version("go", "/no/such/file", "m", "v1"))

    def test_what_a_command_says_is_told(self):
        with self.assertRaisesRegex(common.Missing, "sh -c .*out of luck"):
            common.command(["sh", "-c", "echo out of luck; exit 3"])

    def test_tool(self):
        with self.assertRaisesRegex(common.Missing, "no-such-tool is not on PATH"):
            common.tool("no-such-tool")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
