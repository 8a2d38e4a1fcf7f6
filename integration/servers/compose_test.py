"""docker-compose.yml is not run where there is no Docker; what can be said without is that it agrees with servers.py."""
import json
import pathlib
import re
import shlex
import unittest
from unittest import mock

import azure
import ferretdb
import gcs
import minio
import mongodb
import process
import redis
import s3
import servers
import web

TEXT = (pathlib.Path(__file__).resolve().parent.parent.parent / "docker-compose.yml").read_text()


def parse(text):
    """The YAML that the file uses: mappings, lists, strings, and lists in JSON. Anything else is an error."""
    lines = []
    for raw in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", raw).rstrip()
        if "\t" in line:
            raise ValueError("a tab in %r" % raw)
        if line:
            lines.append((len(line) - len(line.lstrip()), line.strip()))
    value, rest = block(lines, 0)
    if rest:
        raise ValueError("%r is indented as nothing above" % (rest[0],))
    return value


def block(lines, indent):
    """What is indented by so much, and the lines after it."""
    out = [] if lines[0][1].startswith("- ") else {}
    while lines and lines[0][0] == indent:
        line, lines = lines[0][1], lines[1:]
        if line.startswith("- ") != isinstance(out, list):
            raise ValueError("%r in a %s" % (line, type(out).__name__))
        if isinstance(out, list):
            out.append(scalar(line[2:]))
            continue
        key, colon, text = line.partition(":")
        if not colon or key in out or text and not text.startswith(" "):
            raise ValueError("%r is no member, or there twice" % line)
        if text:
            out[key] = scalar(text.strip())
        elif lines and lines[0][0] > indent:
            out[key], lines = block(lines, lines[0][0])
        else:
            out[key] = None
    if lines and lines[0][0] > indent:
        raise ValueError("%r is indented as nothing above" % (lines[0],))
    return out, lines


def scalar(text):
    if text[0] in "[\"":
        return json.loads(text)
    if text[0] in "{&*!|>'%@`" or ": " in text:
        raise ValueError("%r is YAML that this does not read" % text)
    return text


class Compose(unittest.TestCase):
    def setUp(self):
        self.services = parse(TEXT)["services"]

    def test_every_server_is_there(self):
        makers = {name for name in self.services if name.endswith(("-bucket", "-container"))}
        self.assertEqual(set(self.services) - makers, set(servers.ALL) - {"browser", "peers", "slurm", "tables", "zarrita"})
        self.assertEqual({name.rsplit("-", 1)[0] for name in makers}, set(servers.ALL) - {"peers", "http", "slurm", "redis", "mongodb", "ferretdb", "tables", "zarrita", "browser"})
        for name, service in self.services.items():
            if name in makers:
                self.assertEqual(service["depends_on"], {name.rsplit("-", 1)[0]: {"condition": "service_healthy"}})
            else:
                self.assertTrue(service["healthcheck"]["test"], name)

    def test_versions(self):
        for name, version in (("s3", s3.VERSION), ("gcs", gcs.VERSION.removeprefix("v")), ("azure", azure.VERSION),
                              ("ferretdb", ferretdb.VERSION.removeprefix("v")), ("redis", redis.VERSION + "-alpine")):
            self.assertEqual(self.services[name]["image"].rsplit(":", 1)[1], version)

    def test_only_this_machine_is_served(self):
        for name, service in self.services.items():
            for port in service.get("ports", []):
                self.assertRegex(port, r"^127\.0\.0\.1:\d+:\d+$", name)

    def test_credentials(self):
        key = {"MINIO_ROOT_USER": s3.KEY, "MINIO_ROOT_PASSWORD": s3.SECRET, "MINIO_REGION": s3.REGION}
        self.assertEqual(self.services["minio"]["environment"], key)
        self.assertEqual(self.services["s3"]["environment"], {"ROOT_ACCESS_KEY": s3.KEY, "ROOT_SECRET_KEY": s3.SECRET})

    def test_the_commands_that_make_buckets_run(self):
        for name, module in (("s3-bucket", s3), ("minio-bucket", minio), ("gcs-bucket", gcs), ("azure-container", azure)):
            service, made = self.services[name], []
            host, port = name.rsplit("-", 1)[0], None
            for p in self.services[host]["ports"]:
                port = p.rsplit(":", 1)[1]
            maker = "make_container" if module is azure else "make_bucket"
            with mock.patch.object(module, maker, lambda *args: made.append(args)):
                exec(service["command"][2], {})
            self.assertEqual([args[0] for args in made], ["%s:%s" % (host, port)])

    def test_variables_are_those_of_servers(self):
        said = {}
        for line in TEXT.splitlines():
            if line.startswith("#   export "):
                said.update(word.split("=", 1) for word in shlex.split(line[len("#   export "):], comments=True))
        want = {}
        for module in (s3, gcs, azure, minio, web, redis, mongodb, ferretdb):
            port = int(self.services[module.NAME]["ports"][0].split(":")[1])
            with mock.patch.object(process, "record", lambda *_: {"port": port, "pid": 1}):
                env = module.env(pathlib.Path("/tmp"))
            want.update({k: v for k, v in env.items() if v is not None})
        want["ZARR_TEST_HTTP_DIR"] = "/tmp/zargo-http"
        self.assertEqual(said, want)
        self.assertIn("${ZARR_TEST_HTTP_DIR:-/tmp/zargo-http}:/data:ro", self.services["http"]["volumes"])

    def test_the_web_server_has_the_settings_of_servers(self):
        template = (web.HERE / "nginx.conf.template").read_text()
        self.assertEqual(set(re.findall(r"\$\{(\w+)\}", template)), set(self.services["http"]["environment"]))


class Parse(unittest.TestCase):
    def test_values(self):
        self.assertEqual(parse('a:\n  b: ["x", "y"] # z\n  c:\n    - "1:2"\n    - d\ne:\n'),
                         {"a": {"b": ["x", "y"], "c": ["1:2", "d"]}, "e": None})

    def test_what_it_does_not_read_is_an_error(self):
        for text in ("a: |\n  b\n", "a: {b: c}\n", "a:\n    b: c\n  d: e\n", "a: b\na: c\n", "a\n", "a: b: c\n", "a:\n\tb: c\n", "- a\nb: c\n"):
            with self.assertRaises(ValueError, msg=text):
                parse(text)


if __name__ == "__main__":
    unittest.main()
