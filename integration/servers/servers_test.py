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
from contextlib import redirect_stderr, redirect_stdout

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import common
import process
import servers


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

    def main(self, *argv):
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = servers.main(list(argv))
        return code, out.getvalue(), err.getvalue()


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
