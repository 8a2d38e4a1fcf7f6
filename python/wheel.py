#!/usr/bin/env python3
"""Builds a wheel of the package zargo with the command, without other programs than go.

    python/wheel.py --version 0.1.0 --out dist [--platform linux/amd64]... [--binary PATH]

The default is the platform of this machine. Two builds of one commit are equal, byte for byte.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The binary is static, so it runs with each C library. Go 1.26 needs macOS 12.
TAGS = {
    "linux/amd64": ("manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"),
    "linux/arm64": ("manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"),
    "darwin/amd64": ("macosx_12_0_x86_64",),
    "darwin/arm64": ("macosx_12_0_arm64",),
    "windows/amd64": ("win_amd64",),
}

METADATA = """\
Metadata-Version: 2.4
Name: zargo
Version: {version}
Summary: Zarr arrays in cloud object stores for zarr-python, safe after fork, and the command zargo
License-Expression: Apache-2.0
License-File: LICENSE
Project-URL: Source, https://github.com/zargo-io/zargo
Requires-Python: >=3.12
Requires-Dist: zarr>=3.1
Description-Content-Type: text/markdown

"""


def build(platform: str, to: str) -> None:
    """Build the command as .goreleaser.yaml does."""
    system, processor = platform.split("/")
    env = os.environ | {"CGO_ENABLED": "0", "GOOS": system, "GOARCH": processor, "GOFLAGS": ""}
    tags = "grpcnotrace,disable_grpc_modules,nethttpomithttp2"
    subprocess.run(["go", "build", "-trimpath", "-tags", tags, "-ldflags=-s -w", "-o", to, "./cmd/zargo"], cwd=HERE.parent, env=env, check=True)


def wheel(version: str, platform: str, binary: Path, out: Path) -> Path:
    """Write the wheel of a platform. Its entries have fixed times, modes and order."""
    info = f"zargo-{version}.dist-info"
    tags = [f"py3-none-{tag}" for tag in TAGS[platform]]
    name = "zargo.exe" if platform.startswith("windows/") else "zargo"
    files = {f"zargo/{p.name}": p.read_bytes() for p in (HERE / "zargo").iterdir() if p.suffix in (".py", ".typed")}
    files[f"zargo/bin/{name}"] = binary.read_bytes()
    files[f"{info}/METADATA"] = (METADATA.format(version=version) + (HERE / "README.md").read_text("utf-8")).encode()
    files[f"{info}/WHEEL"] = "".join(
        ["Wheel-Version: 1.0\nGenerator: zargo\nRoot-Is-Purelib: false\n", *(f"Tag: {tag}\n" for tag in tags)]
    ).encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nzargo = zargo.__main__:main\n"
    files[f"{info}/licenses/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    record = []
    for path, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}\n")
    record.append(f"{info}/RECORD,,\n")
    files[f"{info}/RECORD"] = "".join(record).encode()

    out.mkdir(parents=True, exist_ok=True)
    target = out / f"zargo-{version}-py3-none-{'.'.join(TAGS[platform])}.whl"
    with zipfile.ZipFile(target, "w") as z:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # Unix, for the modes
            entry.external_attr = (0o100755 if "/bin/" in path else 0o100644) << 16
            z.writestr(entry, content, zipfile.ZIP_DEFLATED, 6)
    return target


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--version", default="0.0.0.dev0")
    p.add_argument("--platform", action="append", choices=TAGS)
    p.add_argument("--binary", type=Path, help="an existing command of the one platform")
    p.add_argument("--out", type=Path, default=Path("dist"))
    a = p.parse_args()
    here = subprocess.run(["go", "env", "GOOS", "GOARCH"], capture_output=True, text=True, check=True).stdout.split()
    platforms = a.platform or ["/".join(here)]
    if a.binary and len(platforms) > 1:
        p.error("--binary is for one platform")
    for platform in platforms:
        with tempfile.TemporaryDirectory() as folder:
            binary = a.binary or Path(folder, "zargo")
            if not a.binary:
                build(platform, str(binary))
            print(wheel(a.version, platform, binary, a.out))


if __name__ == "__main__":
    main()
