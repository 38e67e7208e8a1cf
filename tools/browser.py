"""The Chromium or Chrome that the browser tests drive. Standard library only."""

from __future__ import annotations

import shutil
from pathlib import Path

from tools.environment import SetupError, apt_install

COMMANDS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
MAC_PATHS = [
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]
DEBIAN_PACKAGES = ["chromium", "fonts-dejavu-core"]
MISSING = (
    "The browser tests need Chromium or Chrome, and there is none in PATH. "
    f"On Debian run 'sudo apt-get install {' '.join(DEBIAN_PACKAGES)}'; "
    "elsewhere install Google Chrome. Then run the same command again."
)


def find_browser() -> str | None:
    paths = [*map(shutil.which, COMMANDS), *MAC_PATHS]
    return next((path for path in paths if path and Path(path).exists()), None)


def require_browser() -> str:
    """Return the browser's path; installs it first where this user may, else says what to do."""
    found = find_browser()
    if found is None and apt_install(DEBIAN_PACKAGES):
        found = find_browser()
    if found is None:
        raise SetupError(MISSING)
    return found
