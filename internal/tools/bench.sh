#!/usr/bin/env bash
# Compares the benchmarks of two commits: bench.sh OLD NEW, called by make bench.
#
# It builds the benchmarks of both in temporary worktrees and runs them in turn, so that a change in
# the load of the machine affects both. It prints benchstat's table. A commit without
# integration/bench runs the benchmarks of the current checkout.
#
#   COUNT      runs of each commit (default: 6, the fewest that benchstat compares)
#   BENCHTIME  time of each benchmark (default: 200ms)
#   BENCH      pattern of the names (default: .)
set -euo pipefail
old=$1 new=$2 go=${GO:-go}
top=$(git rev-parse --show-toplevel)
tmp=$(mktemp -d)
trap 'for s in old new; do git -C "$top" worktree remove --force "$tmp/$s" 2>/dev/null || true; done; rm -rf "$tmp"' EXIT
for side in old new; do
  git -C "$top" worktree add --quiet --detach "$tmp/$side" "${!side}"
  if ! ls "$tmp/$side"/integration/bench/*_test.go >/dev/null 2>&1; then
    mkdir -p "$tmp/$side/integration/bench"
    cp "$top"/integration/bench/*.go "$tmp/$side/integration/bench/"
  fi
  (cd "$tmp/$side" && CGO_ENABLED=0 $go test -c -o "$tmp/$side.test" ./integration/bench)
done
for ((i = 0; i < ${COUNT:-6}; i++)); do
  for side in old new; do
    "$tmp/$side.test" -test.run='^$' -test.bench="${BENCH:-.}" -test.benchtime="${BENCHTIME:-200ms}" >>"$tmp/$side.txt"
  done
done
cd "$top"
$go tool -modfile=go.tools.mod benchstat "old:$old=$tmp/old.txt" "new:$new=$tmp/new.txt"
