#!/bin/sh
# Builds what peers.py needs below this directory: _venv (pinned Python peers), _bin (latencystore, and zargo as a candidate) and,
# with ZARRS=1 (about 15 minutes of compiling), the Rust tools of zarrs_tools. Then: ./setup.sh && _venv/bin/python peers.py gen
set -eu
cd "$(dirname "$0")"
# zarr-python 3.4 wants Python 3.12 or newer; PYTHON names another one
for PY in ${PYTHON:-} python3.13 python3.12 "$(ls -d "$HOME"/.pyenv/versions/3.1[23]*/bin/python3 2>/dev/null | tail -n 1)" python3; do
  [ -n "$PY" ] && "$PY" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && break
done
[ -x _venv/bin/python ] || "$PY" -m venv _venv
# requirements.txt names every version: boto3 beside s3fs without a matching version makes pip backtrace for minutes
_venv/bin/pip install -q -r requirements.txt
mkdir -p _bin
go build -o _bin/latencystore ./latencystore
CGO_ENABLED=0 go build -o _bin/peerbench ./peerbench
if [ "${ZARRS:-0}" = 1 ]; then
  cargo install zarrs_tools --version 0.8.1 --locked --root _zarrs --features benchmark,async --bins
fi
_venv/bin/pip freeze > _venv/versions.txt
