"""Chromium and ChromeDriver of one version: those on PATH, else Debian's packages, unpacked into the cache."""
import functools
import os
import re
import shutil
import subprocess

import debian
from common import Missing

NAME = "browser"
PACKAGES = ["chromium", "chromium-driver"]


@functools.cache
def installed():
    """The browser and its driver on PATH, if they are of one version."""
    driver = shutil.which("chromedriver")
    browsers = [driver and shutil.which(name) for name in ("chromium", "google-chrome")]
    return next(((b, driver) for b in browsers if b and version(b) == version(driver)), None)


def programs():
    """The browser, its driver, and the environment of the driver."""
    root = debian.root(NAME)
    unpacked = str(root / "usr/lib/chromium/chromium"), str(root / "usr/bin/chromedriver")
    if installed():
        return *installed(), {}
    return (*unpacked, debian.libraries(NAME)) if all(map(os.path.exists, unpacked)) else None


def version(program):
    """The first number of a version, which a browser and its driver must have in common."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    return re.search(r" (\d+)\.", said + " 0.").group(1)


def up(_state):
    debian.get(NAME, PACKAGES, programs)
    if not programs():
        raise Missing("the packages have no chromium and chromedriver")


def env(_state):
    if not programs():
        return None
    browser, driver, libraries = programs()
    return {"ZARGO_TEST_BROWSER": browser, "ZARGO_TEST_CHROMEDRIVER": driver,
            "ZARGO_TEST_BROWSER_LIBRARIES": libraries.get("LD_LIBRARY_PATH")}


def down(_state):
    pass  # the packages are kept for the next time


def status(state):
    return "\n".join("browser  %s" % path for path in [(env(state) or {}).get("ZARGO_TEST_BROWSER")] if path) or None
