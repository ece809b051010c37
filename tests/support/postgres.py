"""A PostgreSQL cluster of its own on the loopback, for tests that need a real server."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def running() -> Iterator[str]:
    """Start a cluster and give its URL; skip, saying why, where there can be none."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install shoal-privacy[sql]")
    tools = _tools()
    if tools is None:
        pytest.skip("PostgreSQL is not installed")
    if os.getuid() == 0 and subprocess.run(["id", "postgres"], capture_output=True, check=False).returncode:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    folder = Path(
        subprocess.check_output([*_as_postgres(), "mktemp", "-d", "/tmp/shoal-pg-XXXXXX"], text=True).strip()
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = str(folder / "data")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    subprocess.run(
        [*_as_postgres(), tools / "initdb", "-D", data, "-U", "shoal", "-A", "trust", "--no-sync"], **quiet
    )
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [*_as_postgres(), tools / "pg_ctl", "-D", data, "-w", "-l", str(folder / "log")]
    subprocess.run([*control, "-o", options, "start"], **quiet)
    try:
        yield f"postgresql://shoal:hunter2@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(folder, ignore_errors=True)


def execute(url: str, script: str) -> None:
    """Run statements."""
    import sqlalchemy

    engine = sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        for statement in script.split(";"):
            if statement.strip():
                connection.execute(sqlalchemy.text(statement))
    engine.dispose()


def _tools() -> Path | None:
    found = shutil.which("initdb")
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) if found is None else [Path(found)]
    return installed[-1].parent if installed else None


def _as_postgres() -> list[str]:
    return ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
