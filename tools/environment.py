"""The environment in .venv, made with what any Python 3.11 has: the standard library alone."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "assay-installed.txt"
LOCKS = {"app": ROOT / "requirements.lock", "test": ROOT / "requirements-dev.lock"}
OLDEST_PYTHON = (3, 11)


class SetupError(RuntimeError):
    """Something outside this project is missing; the text says what to do."""


def say(text: str) -> None:
    print(text, flush=True)


def child_environment() -> dict[str, str]:
    """Return the environment of every process that is started here.

    One OpenMP thread: on a busy machine two take seconds for a fit that one does in milliseconds.
    Compiled modules are kept, whatever this process was told: without them a start takes 4 s more.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {"OMP_NUM_THREADS": "1", **kept}


def succeeds(command: list[str], *, quiet: bool = False) -> bool:
    out = subprocess.DEVNULL if quiet else None
    try:
        done = subprocess.run(
            command, check=False, cwd=ROOT, env=child_environment(), stdout=out, stderr=out
        )
    except OSError:
        return False
    return done.returncode == 0


def set_up(kind: str) -> None:
    """Make .venv and install the locked packages, unless that was done for these very locks.

    ``kind`` is "app" or "test"; the packages of "test" include those of "app".
    """
    check_python()
    if is_installed(kind):
        return
    start = time.monotonic()
    make_venv()
    STAMP.unlink(missing_ok=True)
    say(f"Installing the packages of {LOCKS[kind].name} into .venv …")
    install(LOCKS[kind])
    STAMP.write_text(stamp(kind) + "\n", encoding="utf-8")
    say(f"Set-up done in {time.monotonic() - start:.0f} s.")


def check_python(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> None:
    if version >= OLDEST_PYTHON:
        return
    newer = [f"python3.{minor}" for minor in range(20, 10, -1) if shutil.which(f"python3.{minor}")]
    advice = (
        f"This machine has {newer[0]}: run '{newer[0]} run.py …'."
        if newer
        else "Install a newer Python and run the same command with it."
    )
    raise SetupError(
        f"Assay needs Python 3.11 or newer; this is {'.'.join(map(str, version))}. {advice}"
    )


def stamp(kind: str) -> str:
    digest = hashlib.sha256()
    for lock in LOCKS.values():
        digest.update(lock.read_bytes())
    return f"{digest.hexdigest()} {kind}"


def is_installed(kind: str) -> bool:
    if not (VENV_PYTHON.exists() and STAMP.exists()):
        return False
    return STAMP.read_text(encoding="utf-8").strip() in {stamp(kind), stamp("test")}


def make_venv() -> None:
    check = f"import sys; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    if VENV_PYTHON.exists() and succeeds([str(VENV_PYTHON), "-c", check], quiet=True):
        return
    say("Making .venv …")
    create = [sys.executable, "-m", "venv", "--clear"]
    if succeeds([*create, str(VENV)], quiet=True):
        return
    # Debian splits ensurepip off its Python: the environment works, but comes without pip.
    if succeeds([*create, "--without-pip", str(VENV)], quiet=True) and pip_command():
        return
    if apt_install(["python3-venv"]) and succeeds([*create, str(VENV)], quiet=True):
        return
    shutil.rmtree(VENV, ignore_errors=True)
    raise SetupError(
        f"{sys.executable} can't make an environment with pip, and has no pip of its own. "
        "On Debian or Ubuntu run 'sudo apt-get install python3-venv', then this command again."
    )


def pip_command() -> list[str]:
    """Return the pip of .venv, else this Python's pip aimed at .venv, else nothing."""
    inner = [str(VENV_PYTHON), "-m", "pip"]
    outer = [sys.executable, "-m", "pip", "--python", str(VENV_PYTHON)]
    for command in (inner, outer):
        if succeeds([*command, "--version"], quiet=True):
            return command
    return []


def install(lock: Path) -> None:
    """Install with uv, itself locked, in seconds; with pip where uv does not run."""
    pip = [*pip_command(), "--disable-pip-version-check", "--no-input", "--quiet"]
    from_hashed_list = ["--require-hashes", "-r"]
    uv_alone = VENV / "assay-uv.txt"
    uv_alone.write_text(locked_entry(lock, "uv"), encoding="utf-8")
    if succeeds([*pip, "install", *from_hashed_list, str(uv_alone)], quiet=True):
        uv = [str(VENV_PYTHON), "-m", "uv", "pip", "install", "--quiet"]
        if succeeds([*uv, "--python", str(VENV_PYTHON), *from_hashed_list, str(lock)]):
            return
        say("uv could not install them; trying pip, which takes about a minute …")
    if not succeeds([*pip, "install", *from_hashed_list, str(lock)]):
        raise SetupError(
            "The packages could not be installed; pip says why above. With the cause mended "
            "(often the network or a proxy), run the same command again."
        )


def locked_entry(lock: Path, name: str) -> str:
    """Return the lines of one package, hashes included."""
    text = lock.read_text(encoding="utf-8")
    found = re.search(rf"^{name}==.*(?:\n[ \t]+.*)*", text, re.MULTILINE)
    if found is None:
        raise SetupError(f"{lock.name} must list {name}; check the file out again.")
    return found.group() + "\n"


def apt_install(packages: list[str]) -> bool:
    """Install Debian packages where this user may; elsewhere return False."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return False
    say(f"Installing {' and '.join(packages)} with apt-get …")
    env = {**child_environment(), "DEBIAN_FRONTEND": "noninteractive"}
    update = ["apt-get", "update"]  # where this fails, an old list may still do
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    for command in (update, install):
        done = subprocess.run(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    if done.returncode != 0:
        say(done.stdout)
    return done.returncode == 0
