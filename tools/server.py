"""The app's server: a free port, its command, its first visitor, its end. Standard library only."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tools.environment import ROOT, VENV_PYTHON, SetupError, child_environment, say, succeeds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

LOOPBACK = "127.0.0.1"


def free_port(wanted: int, host: str = LOOPBACK) -> int:
    """Return the first port from ``wanted`` on that nobody uses."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    reason: OSError | None = None
    for port in range(wanted, min(wanted + 100, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if os.name != "nt":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError as error:
                reason = error
                if isinstance(error, socket.gaierror):
                    break
            else:
                return port
    raise SetupError(
        f"No port from {wanted} to {port} can be used at {host} ({reason}). "
        "Choose another with --port, or another address of this machine with --host."
    )


def address(port: int, host: str = LOOPBACK) -> str:
    if host in {"0.0.0.0", "::"}:
        host = LOOPBACK
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def server_command(port: int, host: str = LOOPBACK) -> list[str]:
    """Return the command that starts the server, without a browser and without its own banner."""
    return [
        *[str(VENV_PYTHON), "-m", "streamlit", "run", str(ROOT / "app.py")],
        *["--server.port", str(port), "--server.address", host],
        *["--server.headless", "true", "--logger.hideWelcomeMessage", "true"],
        *["--logger.level", "warning", "--browser.gatherUsageStats", "false"],
        *["--server.fileWatcherType", "none"],  # nobody edits the program that they use
    ]


def wait_until_up(server: subprocess.Popen[bytes], url: str, *, seconds: float = 90) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if server.poll() is not None:
            raise SetupError(
                f"The server stopped with exit code {server.returncode}; what it said is above."
            )
        try:
            with direct.open(f"{url}/_stcore/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SetupError(f"The server did not answer at {url} within {seconds:.0f} s.")


def stop(server: subprocess.Popen[bytes], *, seconds: float = 10) -> None:
    """End the server gently, since it may be writing records; after that by force."""
    for end in (server.terminate, server.kill):
        if server.poll() is None:
            end()
            try:
                server.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                continue


@contextmanager
def running(
    port: int,
    host: str = LOOPBACK,
    *,
    settings: dict[str, str] | None = None,
    log: IO[bytes] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server, wait until it answers, and end it on the way out.

    ``settings`` are environment variables; ``log`` takes what the server prints. The server has a
    session of its own: Ctrl-C reaches the caller alone, and the server ends once.
    """
    server = subprocess.Popen(
        server_command(port, host),
        cwd=ROOT,
        env={**child_environment(), **(settings or {})},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    try:
        wait_until_up(server, address(port, host))
        yield server
    finally:
        stop(server)


def open_browser(url: str) -> bool:
    on_a_screen = os.name == "nt" or sys.platform == "darwin"
    if not (on_a_screen or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False  # a text browser would take this terminal
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False


def serve(port: int, host: str, *, browser: bool) -> int:
    """Serve the app until Ctrl-C; the address is shown once the first page is ready."""
    chosen = free_port(port, host)
    if chosen != port:
        say(f"Port {port} is taken; using {chosen}.")
    if not is_loopback(host):
        say(f"Anyone who reaches {host} can read and change the records: Assay has no log-in.")
    url = address(chosen, host)
    say("Starting the server and preparing the first page …")
    try:
        with running(chosen, host) as server:
            visit = [str(VENV_PYTHON), "-m", "tools.first_visit", url]
            if not succeeds(visit, quiet=True):
                say("The first page could not be prepared ahead; it may be slow to open.")
            say(f"Assay is at {url} (Ctrl-C stops it).")
            if browser and not open_browser(url):
                say("There is no browser to open here: open that address yourself.")
            code = server.wait()
            say(f"The server stopped with exit code {code}.")
            return code or 1
    except KeyboardInterrupt:
        say("\nAssay has stopped.")
        return 0


def stop_like_ctrl_c() -> None:
    """Let a service manager's stop or a closed terminal end the server as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Under nohup a closed terminal is to be ignored.
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, signal.default_int_handler)
