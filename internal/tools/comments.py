#!/usr/bin/env python3
"""Count habits of phrasing in Go comments, per 1,000 comment lines.

make check prints the table. It is a pointer to sentences that are worth rewriting, not a gate: the
exit code does not depend on the counts.

  comments.py [PATH ...]            table for the Go files below each PATH (default: .), without
                                    tests and testdata
  comments.py --tests [PATH ...]    with tests
  comments.py --list N [PATH ...]   also print N matching lines of each habit
  comments.py --added BASE [N]      the comment lines that "git diff BASE" adds and that match; prints
                                    at most N (default: 40)
  comments.py --sample SEED [N]     N comment blocks (default: 40) drawn at random, for a reader
"""
import os
import random
import re
import subprocess
import sys

HABITS = [
    ("tells / told", r"\b(tells?|told)\b", "reports, returns, records, documents"),
    ("what is / what there is", r"\bwhat (is|was|are|were|it|they|there)\b", "name the thing: the stored bytes, the remaining chunks"),
    ("of which / of whom / in which", r"\b(of|in|for|from|by|with) (which|whom)\b", "two sentences, or a participle"),
    ("gives / given", r"\b(gives?|gave)\b", "returns, yields, produces"),
    ("is no / has no … of", r"\b(is|are|was|has|have) no (?!longer\b)", "is not a, lacks, without"),
    ("asks / answers", r"\b(asks?|asked|answers?|answered)\b", "requests, queries, calls; returns, responds"),
    ("lies / lay / stands", r"\b(lies|lay|stands?|stood)\b", "is, is stored, is at, remains"),
    ("again / anew", r"\b(once more|anew)\b", "retried, re-read, reloaded"),
    ("under way / at hand / in vain", r"\b(under way|at hand|in vain|for nothing|as a whole|by itself)\b", "in flight, in memory, unused, whole"),
    ("nobody / whoever", r"\b(nobody|somebody|whoever|those who|who (wants?|counts?|asks?|reads?))\b", "no caller, the caller"),
    ("way / room / place / word", r"\b(the way|on its way|has room|room for|in place of|the word)\b", "path, space, instead of"),
    ("begins / ends / goes on", r"\b(goes on|go on|went on|begun|is begun)\b", "continues, started"),
]
WIDTH = 100


def comments(path):
    """(line number, text) of each comment line; directives, build tags and URLs alone are left out."""
    for n, line in enumerate(open(path, encoding="utf8", errors="replace"), 1):
        m = re.match(r"^\s*// ?(?!go:|nolint|\+build|line |export )(.*)$", line)
        if m and m[1].strip() and not re.match(r"^\S+://\S+$", m[1].strip()):
            yield n, m[1], len(line.expandtabs(4).rstrip("\n"))


def files(paths, tests):
    for p in paths:
        if os.path.isfile(p):
            yield p
            continue
        for d, sub, names in os.walk(p):
            sub[:] = sorted(s for s in sub if s not in ("testdata", "vendor") and not s.startswith("."))
            for f in sorted(names):
                if f.endswith(".go") and (tests or not f.endswith("_test.go")):
                    yield os.path.join(d, f)


def added(base):
    """Comment lines that the diff from base adds, as (place, text, width)."""
    out = subprocess.run(["git", "diff", "--unified=0", base, "--", "*.go"], capture_output=True, text=True).stdout
    name, n = "", 0
    for line in out.splitlines():
        if line.startswith("+++ b/"):
            name = line[6:]
        elif m := re.match(r"@@ -\S+ \+(\d+)", line):
            n = int(m[1])
        elif line.startswith("+"):
            if (m := re.match(r"^\+\s*// ?(.*)$", line)) and "/testdata/" not in name:
                yield "%s:%d" % (name, n), m[1], len(line.expandtabs(4)) - 1
            n += 1


def main(args):
    show, tests = 0, False
    if args[:1] == ["--added"]:
        rows, total = [], 0
        for place, text, width in added(args[1] if len(args) > 1 else "HEAD"):
            total += 1
            hit = [name for name, pattern, _ in HABITS if re.search(pattern, text, re.I)]
            if hit or width > WIDTH:
                rows.append((place, text, hit + (["%d columns" % width] if width > WIDTH else [])))
        print("%d of %d added comment lines" % (len(rows), total))
        for place, text, hit in rows[:int(args[2]) if len(args) > 2 else 40]:
            print("%s: %s   [%s]" % (place, text.strip(), ", ".join(hit)))
        return
    if args[:1] == ["--sample"]:
        seed, n = args[1], int(args[2]) if len(args) > 2 else 40
        blocks = []
        for f in files(["."], False):
            last, block = -9, []
            for i, text, _ in comments(f):
                if i != last + 1 and block:
                    blocks.append((f, block))
                    block = []
                block.append((i, text))
                last = i
            if block:
                blocks.append((f, block))
        for f, block in random.Random(seed).sample(blocks, min(n, len(blocks))):
            print("%s:%d" % (f, block[0][0]))
            for _, text in block:
                print("    " + text)
        return
    while args and args[0].startswith("--"):
        if args[0] == "--tests":
            tests, args = True, args[1:]
        elif args[0] == "--list":
            show, args = int(args[1]), args[2:]
        else:
            sys.exit(__doc__)
    total, wide, hits = 0, 0, {name: [] for name, _, _ in HABITS}
    for f in files(args or ["."], tests):
        for n, text, width in comments(f):
            total += 1
            wide += width > WIDTH
            for name, pattern, _ in HABITS:
                if re.search(pattern, text, re.I):
                    hits[name].append("%s:%d: %s" % (f, n, text.strip()))
    if not total:
        sys.exit("no comments found")
    print("%d comment lines; per 1,000:" % total)
    print("%6.1f  all habits" % (1000 * sum(map(len, hits.values())) / total))
    for name, _, instead in HABITS:
        print("%6.1f  %-32s %s" % (1000 * len(hits[name]) / total, name, instead))
        for line in hits[name][:show]:
            print("        " + line)
    print("%6.1f  wider than %d columns" % (1000 * wide / total, WIDTH))


main(sys.argv[1:])
