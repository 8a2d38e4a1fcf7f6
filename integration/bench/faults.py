"""Reads one array from a server that fails, and from the same server that does not, in turns. See README.md.

    faults.py --runs 20 --candidate zargo=_bin/peerbench [--peer tensorstore-c128] [--case preset] [--set small]

One JSON line for each run on stdout; on stderr a table: seconds beside the clean run before it (median and quartiles), and requests beyond those of
the clean run for each fault that the server made. A run whose values differ from the clean run's, or that fails, is counted as such.
"""
import argparse, json, os, statistics, subprocess, sys
import peers

CLOUD = peers.CLOUD
FAULTS = {
    "fail-first=2": {"fail_first": 2},
    "p503=0.05": {"rates": {"slow_down": 0.05}},
    "preset=0.02": {"rates": {"reset": 0.02}},
    "ptruncate=0.02": {"rates": {"truncate": 0.02}},
    "phang=0.005": {"rates": {"hang": 0.005}},
    "all but hangs": {"fail_first": 2, "rates": {"slow_down": 0.05, "reset": 0.02, "truncate": 0.02}},
    "all": {"fail_first": 2, "rates": {"slow_down": 0.05, "reset": 0.02, "truncate": 0.02, "hang": 0.005}},
    "rps=500": {"rps": 500}, # a set of thousands of chunks shows it: 500 may go at once
}

def once(command, endpoint, task, profile, timeout):
    peers.configure(endpoint, profile)
    try:
        r = subprocess.run(command + [json.dumps(task)], capture_output=True, text=True, timeout=timeout)
        lines = r.stdout.strip().splitlines()
        m = json.loads(lines[-1]) if lines else {"error": r.stderr.strip()[-300:]}
    except subprocess.TimeoutExpired:
        m = {"error": "timeout"}
    s = peers.http(endpoint + "/__stats")
    m["requests"], m["faults"], m["max_concurrent"] = s["requests"], s["faults"], s["max_concurrent"]
    return m

def summary(rows):
    out = ["| faults | who | median ratio | quartiles | most | requests more | faults | per fault | wrong | failed | of |", "|" + "---|" * 11]
    for key in dict.fromkeys((r["case"], r["who"]) for r in rows):
        of = [r for r in rows if (r["case"], r["who"]) == key]
        q = sorted(r["ratio"] for r in of if "ratio" in r) or [float("nan")]
        extra, faults = sum(r["extra"] for r in of), sum(sum(r["faults"].values()) for r in of)
        out.append(f"| {key[0]} | {key[1]} | {statistics.median(q):.2f} | {q[len(q) // 4]:.2f}–{q[3 * len(q) // 4]:.2f} | {q[-1]:.2f} | {extra} | {faults} | {extra / faults if faults else 0:.3f} "
                   f"| {sum(r.get('wrong', False) for r in of)} | {sum('error' in r for r in of)} | {len(of)} |")
    return "\n".join(out)

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--candidate", action="append", default=[], metavar="NAME=COMMAND"); ap.add_argument("--peer", action="append", default=[])
    ap.add_argument("--case", action="append", default=[], help="only cases containing this text"); ap.add_argument("--runs", type=int, default=20)
    ap.add_argument("--set", default="blosc64"); ap.add_argument("--format", type=int, default=3); ap.add_argument("--timeout", type=float, default=300)
    ap.add_argument("--store", default=os.path.join(peers.HERE, "_bin", "latencystore"))
    a = ap.parse_args()
    who = {n: c.split() for n, c in (x.split("=", 1) for x in a.candidate)}
    who |= {p: [sys.executable, os.path.join(peers.HERE, "peers.py"), "_child", p] for p in a.peer}
    server, endpoint = peers.start_store(a.store)
    task = dict(do="read", where="s3", path=a.set, case=a.set, format=a.format, workload="W2", root=peers.DATA, bench=peers.BENCH, bucket="bench", endpoint=endpoint)
    rows = []
    try:
        for run in range(a.runs):
            for name, command in who.items():
                for case, faults in FAULTS.items():
                    if a.case and not any(c in case for c in a.case):
                        continue
                    clean = once(command, endpoint, task, CLOUD, a.timeout)
                    m = once(command, endpoint, task, dict(CLOUD, seed=run + 1, **faults), a.timeout)
                    m.update(case=case, who=name, run=run, extra=m["requests"] - clean["requests"])
                    if "seconds" in m:
                        m.update(ratio=m["seconds"] / clean["seconds"], wrong=m["crc"] != clean["crc"])
                    rows.append(m)
                    print(json.dumps(m), flush=True)
    finally:
        server.terminate(); server.wait()
    print(summary(rows), file=sys.stderr)

if __name__ == "__main__":
    main()
