"""Chromium and ChromeDriver of one version: those on PATH, else Debian's packages, unpacked into the cache."""
import os
import shutil

import debian
from common import Missing

NAME = "browser"
PACKAGES = ["chromium", "chromium-driver"]


def programs():
    """The browser and its driver. Debian's chromium on PATH is a script that sets up the program."""
    for browser, driver in (("chromium", "chromedriver"), ("google-chrome", "chromedriver")):
        found = shutil.which(browser), shutil.which(driver)
        if all(found):
            return found, {}
    root = debian.root(NAME)
    found = str(root / "usr/lib/chromium/chromium"), str(root / "usr/bin/chromedriver")
    return (found, debian.libraries(NAME)) if all(map(os.path.exists, found)) else None


def up(_state):
    debian.get(NAME, PACKAGES, programs)
    if not programs():
        raise Missing("the packages have no chromium and chromedriver")


def env(_state):
    if not programs():
        return None
    (browser, driver), libraries = programs()
    return {"ZARGO_TEST_BROWSER": browser, "ZARGO_TEST_CHROMEDRIVER": driver,
            "ZARGO_TEST_BROWSER_LIBRARIES": libraries.get("LD_LIBRARY_PATH")}


def down(_state):
    pass  # the packages are kept for the next time


def status(state):
    return "\n".join("browser  %s" % path for path in [(env(state) or {}).get("ZARGO_TEST_BROWSER")] if path) or None
