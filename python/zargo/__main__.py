"""Runs the command: ``python -m zargo``."""

import os
import subprocess
import sys

from zargo._host import binary


def main() -> None:
    line = [binary(), *sys.argv[1:]]
    if sys.platform == "win32":  # execv would return to the shell at once
        sys.exit(subprocess.run(line).returncode)
    os.execv(line[0], line)


if __name__ == "__main__":
    main()
