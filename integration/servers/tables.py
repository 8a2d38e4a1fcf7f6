"""A virtual environment with the judges of the module arrow, as pinned in arrow/testdata/requirements.txt."""
import pathlib

import peers
from common import Missing

NAME = "tables"
REQUIREMENTS = pathlib.Path(__file__).resolve().parent.parent.parent / "arrow" / "testdata" / "requirements.txt"


def up(_state):
    why = peers.install(REQUIREMENTS)
    if why:
        raise Missing(why)


def env(_state):
    where = peers.folder(REQUIREMENTS)
    return {"ZARGO_TABLES_PYTHON": str(where / "bin" / "python")} if (where / "complete").exists() else None


def down(_state):
    pass  # it is kept for the next time


def status(state):
    return "\n".join("tables  %s" % python for python in (env(state) or {}).values()) or None
