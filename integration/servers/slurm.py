#!/usr/bin/env python3
"""A Slurm cluster on 127.0.0.1 for tests of index jobs: a controller and the nodes n1 and n2, each with eight slots.

    slurm.py PROGRAM ARGUMENT...   a program of Slurm, such as sbatch or squeue, that talks to the cluster
    slurm.py kill NODE             lose a node: its daemon, and what it runs
    slurm.py cut NODE              lose its daemon only: what it runs goes on, while Slurm starts it again elsewhere
    slurm.py start NODE            bring it back

ZARR_SLURM is the folder of the cluster's state; servers.py sets it. The programs are those on PATH, else Debian's packages, unpacked
into the cache: nothing is installed, and no root is needed. What is lost is noticed after ten seconds and starts again six later.
"""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import debian
import process
from common import Missing

NAME = "slurm"
NODES = ("n1", "n2")
SLOTS = 8
PACKAGES = ["munge", "slurm-client", "slurmctld", "slurmd", "slurm-wlm-basic-plugins"]
PROGRAMS = ["munged", "munge", "slurmctld", "slurmd", "slurmstepd", "sbatch", "squeue", "scontrol", "scancel", "sinfo"]
TAG = "ZARR_SLURM_NODE"  # in the environment of a node's daemon, and so of all that it starts

# cred_expire is also how long a task waits before it starts again.
CONF = """ClusterName=zarrtest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={me}
SlurmdUser={me}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={socket},cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool-%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/%n.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
PropagateResourceLimits=NONE
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdTimeout=5
MessageTimeout=2
TCPTimeout=1
KillWait=2
MinJobAge=3600
JobRequeue=1
RequeueExit=75
"""


def folder(state):
    return state / "slurm"


def program(name):
    """Debian's alternatives, which only an installation sets up, give the daemons their names without -wlm."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    for part in ("usr/bin", "usr/sbin"):
        for end in ("", "-wlm"):
            p = debian.root(NAME) / part / (name + end)
            if not path and p.exists():
                path = str(p)
    return path


def get():
    """Find the programs, or unpack Debian's packages of them and of the libraries that are not installed."""
    debian.get(NAME, PACKAGES, lambda: all(program(name) for name in PROGRAMS))
    lost = [name for name in PROGRAMS if not program(name)]
    if lost:
        raise Missing("the packages have no " + ", ".join(lost))


def environment(state):
    return {**debian.libraries(NAME, plugins()), "SLURM_CONF": str(folder(state) / "slurm.conf")}


def plugins():
    return list(debian.root(NAME).glob("usr/lib/*-linux-gnu/slurm-wlm"))


def ask(state, name, *args):
    """What a program prints, "" when it fails."""
    try:
        done = subprocess.run([program(name), *args], capture_output=True, text=True, timeout=20, env={**os.environ, **environment(state)})
    except subprocess.TimeoutExpired:
        return ""
    return done.stdout if done.returncode == 0 else ""


def write_conf(state):
    own = folder(state)
    if len(str(own)) > 90:
        raise Missing("the path %s is too long for a socket" % own)
    for name in ("state", *("spool-" + n for n in NODES)):
        (own / name).mkdir(parents=True, exist_ok=True)
    own.chmod(0o755)
    host = socket.gethostname().split(".")[0]
    text = CONF.format(host=host, port=process.free_port(), me=pwd.getpwuid(os.geteuid()).pw_name, socket=own / "munge.sock", dir=own)
    if plugins():
        text += "PluginDir=%s\n" % plugins()[0]
    for n in NODES:
        text += "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d State=UNKNOWN\n" % (n, host, process.free_port(), SLOTS)
    (own / "slurm.conf").write_text(text + "PartitionName=test Nodes=ALL Default=YES LLN=YES MaxTime=INFINITE State=UP\n")
    with open(own / "munge.key", "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as key:
        key.write(os.urandom(128))


def daemon(state, name, argv, health):
    env = {**environment(state), TAG: "%s:%s" % (state, name)}
    process.start(state, "slurm-" + name, [program(argv[0]), *argv[1:]], env, 0, health)


def node(state, name):
    if process.record(state, "slurm-" + name):
        return
    conf = folder(state) / "slurm.conf"
    argv = ["slurmd", "-D", "-N", name, "-f", conf, "-d", program("slurmstepd")]
    daemon(state, name, argv, lambda: name in usable(state))


def usable(state):
    lines = [line.split() for line in ask(state, "sinfo", "-h", "-N", "-o", "%N %T").splitlines()]
    return {name for name, how in lines if how in ("idle", "mixed", "allocated")}


def up(state):
    if env(state):
        return
    if sys.platform != "linux":
        raise Missing("it is for Linux")
    get()
    own = folder(state)
    write_conf(state)
    try:
        daemon(state, "munged", ["munged", "--foreground", "--force", "--key-file", own / "munge.key", "--socket", own / "munge.sock",
               "--num-threads", "2", "--pid-file", own / "munged.pid", "--seed-file", own / "munge.seed", "--log-file", own / "munged.log"],
               lambda: ask(state, "munge", "-n", "-S", str(own / "munge.sock")))
        daemon(state, "slurmctld", ["slurmctld", "-D", "-f", own / "slurm.conf"], lambda: "is UP" in ask(state, "scontrol", "ping"))
        for n in NODES:
            node(state, n)
    except BaseException:
        down(state)
        raise


def env(state):
    return {"ZARR_SLURM": str(state)} if process.record(state, "slurm-slurmctld") else None


def status(state):
    if env(state):
        return "slurm  nodes that take tasks: %s" % (" ".join(sorted(usable(state))) or "none")
    return None


def down(state):
    for n in NODES:
        lose(state, n)
    for name in ("slurmctld", "munged"):
        process.stop(state, "slurm-" + name)
    shutil.rmtree(folder(state), ignore_errors=True)


def lose(state, name):
    """Kill a node and what it runs. All are stopped first, or one sees another one die and reports a result."""
    pids = family("%s:%s" % (state, name))
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
    cut(state, name)


def cut(state, name):
    r = process.record(state, "slurm-" + name)
    if r:
        os.kill(r["pid"], signal.SIGKILL)
    process.stop(state, "slurm-" + name)


def family(value):
    """The processes with this tag, and all that they have started."""
    mark, parent, found = ("%s=%s" % (TAG, value)).encode(), {}, set()
    for p in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent[int(p.name)] = int((p / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if mark in (p / "environ").read_bytes().split(b"\0"):
                found.add(int(p.name))
        except OSError:
            pass
    more = found
    while more:
        more = {child for child, up in parent.items() if up in found} - found
        found |= more
    return found


def main(argv):
    place = os.environ.get("ZARR_SLURM")
    if not place or not argv or argv[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if argv and place else 2
    state = pathlib.Path(place)
    verbs = {"kill": lose, "cut": cut, "start": node}
    if argv[0] in verbs and len(argv) == 2 and argv[1] in NODES:
        verbs[argv[0]](state, argv[1])
        return 0
    path = program(argv[0]) or sys.exit("slurm: no program " + argv[0])
    os.execve(path, argv, {**os.environ, **environment(state)})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
