"""A server for MongoDB's protocol whose updates are atomic, as MongoDB's are: mongo-java-server, in memory, with the JDK on PATH.
MongoDB itself is in no registry of programs; docker-compose.yml has it."""
import os
import shutil

import process
from common import cache, command, locked, say, tool

NAME = "mongodb"
GROUP, ARTIFACT, VERSION = "de.bwaldvogel", "mongo-java-server", "1.47.0"
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>none</groupId><artifactId>none</artifactId><version>0</version><dependencies>
<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency></dependencies></project>
""" % (GROUP, ARTIFACT, VERSION)
# It says that it speaks version 8 of the protocol, which the driver for Go refuses; what the store sends is the same in 9.
MAIN = """import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.List;

public class Main implements MongoVersion {
    public List<Integer> getVersionArray() { return List.of(4, 4, 0); }
    public int getWireVersion() { return 9; }
    public static void main(String[] args) {
        new MongoServer(new MemoryBackend().version(new Main())).bind("127.0.0.1", Integer.parseInt(args[0]));
    }
}
"""


def jars():
    """The folder of the program and of its libraries."""
    folder = cache() / ("%s-%s" % (ARTIFACT, VERSION))
    with locked(ARTIFACT):
        if not (folder / "Main.class").exists():
            mvn, javac = tool("mvn"), tool("javac")
            say("servers: fetching %s %s, once" % (ARTIFACT, VERSION))
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (folder / "pom.xml").write_text(POM)
            (folder / "Main.java").write_text(MAIN)
            command([mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=."], cwd=folder)
            command([javac, "-cp", "*", "Main.java"], cwd=folder)
    return folder


def up(state):
    if process.record(state, NAME):
        return
    folder, java = jars(), tool("java")
    port = process.free_port(os.environ.get("ZARR_MONGODB_PORT"))
    argv = [java, "-Xmx512m", "-XX:+UseSerialGC", "-cp", "%s/*:%s" % (folder, folder), "Main", port]
    # A client of MongoDB sends the first message; so the server answers when it listens.
    process.start(state, NAME, argv, {}, port, lambda: process.listens(port))


def down(state):
    process.stop(state, NAME)


def env(state):
    r = process.record(state, NAME)
    return r and {"ZARR_TEST_MONGODB_URL": "mongodb://127.0.0.1:%d" % r["port"]}


def status(state):
    r = process.record(state, NAME)
    if not r:
        return None
    return "mongodb  127.0.0.1:%d  pid %d  %s" % (r["port"], r["pid"], "answers" if process.listens(r["port"]) else "DOES NOT ANSWER")
