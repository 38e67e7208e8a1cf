"""The two commands: set-up, ports, the browser, and what they say when something is missing."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.markers import Marker

import run
from tools import browser, environment, server
from tools.environment import ROOT, SetupError


def locked(lock: Path) -> dict[str, str]:
    """Return name to version of a lock file."""
    return {name: version for name, version, marker in pins(lock) if holds(marker)}


def pins(lock: Path) -> list[tuple[str, str, str]]:
    """Return name, version and marker of every entry; a package may have one for each platform."""
    text = lock.read_text(encoding="utf-8")
    return re.findall(r"^([a-z0-9-]+)==(\S+)(?: ; (.+?))? \\$", text, re.MULTILINE)


def holds(marker: str) -> bool:
    """Whether a marker is true where this runs."""
    return not marker or Marker(marker).evaluate()


def listed(requirements: Path) -> set[str]:
    lines = requirements.read_text(encoding="utf-8").splitlines()
    entries = [line.split("#")[0].strip() for line in lines]
    parts = [entry.partition(";") for entry in entries if entry and not entry.startswith("-r")]
    return {name.strip() for name, _, marker in parts if holds(marker.strip())}


# --- the lock files


@pytest.mark.parametrize("kind", ["app", "test"])
def test_lock_pins_everything_listed_with_hashes_and_names_no_place(kind: str) -> None:
    lock = environment.LOCKS[kind]
    text = lock.read_text(encoding="utf-8")
    assert listed(lock.with_suffix(".txt")) <= locked(lock).keys()
    assert not re.search(r"https?:|://|--index|--find-links| @ |/home|/root|/tmp", text)
    entries = re.split(r"\n(?=[a-z0-9-]+==)", text)[1:]
    assert len(entries) == len(pins(lock)) >= len(locked(lock))
    assert all("--hash=sha256:" in entry for entry in entries)


def test_test_lock_holds_the_very_versions_of_the_app_lock() -> None:
    assert locked(environment.LOCKS["app"]).items() <= locked(environment.LOCKS["test"]).items()


def test_locked_versions_are_the_ones_that_run_here() -> None:
    from importlib.metadata import version

    versions = locked(environment.LOCKS["test"])
    names = listed(ROOT / "requirements.txt") | listed(ROOT / "requirements-dev.txt")
    assert {name: version(name) for name in names} == {name: versions[name] for name in names}


def test_locked_entry_is_one_package_with_its_hashes() -> None:
    entry = environment.locked_entry(environment.LOCKS["app"], "uv")
    assert entry.startswith("uv==")
    assert entry.count("==") == 1
    assert "--hash=sha256:" in entry
    with pytest.raises(SetupError, match=r"requirements\.lock must list no-such-package"):
        environment.locked_entry(environment.LOCKS["app"], "no-such-package")


# --- set-up


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with lock files of its own and no .venv yet."""
    for name, value in {
        "ROOT": tmp_path,
        "VENV": tmp_path / ".venv",
        "VENV_PYTHON": tmp_path / ".venv/bin/python",
        "STAMP": tmp_path / ".venv/assay-installed.txt",
        "LOCKS": {"app": tmp_path / "app.lock", "test": tmp_path / "test.lock"},
    }.items():
        monkeypatch.setattr(environment, name, value)
    (tmp_path / "app.lock").write_text("uv==1\n")
    (tmp_path / "test.lock").write_text("uv==1\npytest==1\n")
    return tmp_path


def test_set_up_installs_once_for_a_lock_and_test_includes_app(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[str] = []

    def make_venv() -> None:
        environment.VENV_PYTHON.parent.mkdir(parents=True, exist_ok=True)
        environment.VENV_PYTHON.touch()

    monkeypatch.setattr(environment, "make_venv", make_venv)
    monkeypatch.setattr(environment, "install", lambda lock: installed.append(lock.name))
    for kind in ("app", "app", "test", "test", "app"):
        environment.set_up(kind)
    assert installed == ["app.lock", "test.lock"]
    (checkout / "app.lock").write_text("uv==2\n")
    environment.set_up("app")
    assert installed == ["app.lock", "test.lock", "app.lock"]
    environment.VENV_PYTHON.unlink()  # the Python behind it is gone
    environment.set_up("app")
    assert len(installed) == 4


def test_set_up_that_fails_is_done_again(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "make_venv", lambda: environment.VENV.mkdir(exist_ok=True))
    monkeypatch.setattr(environment, "pip_command", lambda: [sys.executable, "-c", "exit(1)"])
    with pytest.raises(SetupError, match="packages could not be installed"):
        environment.set_up("app")
    assert not environment.is_installed("app")


def test_check_python_names_the_version_and_a_newer_one_that_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environment.check_python((3, 11, 0))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(
        SetupError, match=r"needs Python 3\.11 or newer; this is 3\.10\.9\. Install"
    ):
        environment.check_python((3, 10, 9))
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "python3.12" else None)
    with pytest.raises(SetupError, match=r"run 'python3\.12 run\.py …'"):
        environment.check_python((3, 10, 9))


def test_python_without_ensurepip_uses_its_own_pip_or_says_what_to_install(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[list[str]] = []
    works = {"--without-pip"}

    def succeeds(command: list[str], *, quiet: bool = False) -> bool:
        tried.append(command)
        return any(word in works for word in command)

    monkeypatch.setattr(environment, "succeeds", succeeds)
    monkeypatch.setattr(environment, "apt_install", lambda packages: False)
    with pytest.raises(SetupError, match="sudo apt-get install python3-venv"):
        environment.make_venv()
    works.add("--python")  # the pip of the Python outside
    environment.make_venv()
    assert environment.pip_command()[:3] == [sys.executable, "-m", "pip"]
    assert tried[-1][-3:] == ["--python", str(environment.VENV_PYTHON), "--version"]


def test_apt_install_leaves_other_users_and_systems_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(command: list[str], **_: object) -> None:
        raise AssertionError(command)

    monkeypatch.setattr(subprocess, "run", never)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert environment.apt_install(["chromium"]) is False
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert environment.apt_install(["chromium"]) is False


def test_browser_missing_is_a_sentence_and_never_a_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "find_browser", lambda: None)
    monkeypatch.setattr(browser, "apt_install", lambda packages: False)
    with pytest.raises(SetupError, match="need Chromium or Chrome, and there is none in PATH"):
        browser.require_browser()


# --- the server


def test_free_port_passes_over_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert server.free_port(port) > port


def test_free_port_refuses_an_address_of_another_machine() -> None:
    with pytest.raises(SetupError, match=r"can be used at 192\.0\.2\.1 .*Choose another"):
        server.free_port(8501, "192.0.2.1")


@pytest.mark.parametrize(
    ("host", "private", "url"),
    [
        ("127.0.0.1", True, "http://127.0.0.1:8501"),
        ("localhost", True, "http://localhost:8501"),
        ("::1", True, "http://[::1]:8501"),
        ("0.0.0.0", False, "http://127.0.0.1:8501"),
    ],
)
def test_address_is_one_that_a_browser_can_open(host: str, private: bool, url: str) -> None:
    assert server.is_loopback(host) is private
    assert server.address(8501, host) == url


def test_server_listens_on_this_machine_alone_unless_told() -> None:
    command = server.server_command(8501)
    assert command[command.index("--server.address") + 1] == "127.0.0.1"


def test_wait_until_up_tells_when_the_server_has_died() -> None:
    dead = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(SetupError, match="stopped with exit code 3"):
        server.wait_until_up(dead, "http://127.0.0.1:9")


def test_stop_ends_a_server_that_ignores_the_gentle_signal() -> None:
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print('up', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as stubborn:
        assert stubborn.stdout is not None
        stubborn.stdout.readline()
        server.stop(stubborn, seconds=0.2)
        assert stubborn.returncode == -9


# --- the commands


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["app", "--port", "0"], "'--port' must be between 1 and 65535; got 0."),
        (["app", "--prot", "8600"], "unknown arguments: --prot 8600"),
        ([], "app|test|bench"),
    ],
)
def test_parse_refuses(argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        run.parse(argv)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("failing", [None, "ruff", "mypy", "pytest"])
def test_test_command_runs_every_step_and_fails_when_one_does(
    failing: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands: list[list[str]] = []

    def succeeds(command: list[str]) -> bool:
        commands.append(command[2:])
        return command[2] != failing

    monkeypatch.setattr(run, "set_up", lambda kind: None)
    monkeypatch.setattr(run, "require_browser", lambda: "chromium")
    monkeypatch.setattr(run, "succeeds", succeeds)
    assert run.main(["test", "-k", "bounds"]) == (0 if failing is None else 1)
    assert [command[0] for command in commands] == ["ruff", "ruff", "mypy", "pytest"]
    assert commands[-1][-2:] == ["-k", "bounds"]
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("=")
    assert ("all steps passed" in last) is (failing is None)


def test_missing_browser_fails_the_test_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "set_up", lambda kind: None)
    monkeypatch.setattr(browser, "find_browser", lambda: None)
    monkeypatch.setattr(browser, "apt_install", lambda packages: False)
    assert run.main(["test"]) == 2
    assert browser.MISSING in capsys.readouterr().out
