"""Record what every method compiles, the largest first, for the process that compiles ahead in a first run.

Run `python benchmarks/record_kernels.py` after a kernel's arguments or a method's calls have changed: it runs
every method on the demo's data and writes `src/shoal/algorithms/precompile.json`.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench_first_run import configured, timed
from shoal.algorithms import METHODS

NEEDED = Path(__file__).parents[1] / "src" / "shoal" / "algorithms" / "precompile.json"

LISTEN = """
import json, sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from shoal.algorithms.precompile import spell_type
calls, depth, real = [], [0], Dispatcher.compile
def heard(kernel, types):
    depth[0] += 1
    try:
        return real(kernel, types)
    finally:
        depth[0] -= 1
        module, name = kernel.py_func.__module__, kernel.py_func.__name__
        if not depth[0] and "_kernels" in module.split("."):
            kept = Path(kernel.stats.cache_path).glob(f"*{name}-*.nbc")
            size = max(path.stat().st_size for path in kept)
            calls.append((f"{module.removeprefix('shoal.')}.{name}", [spell_type(type) for type in types], size))
Dispatcher.compile = heard
from shoal.anonymization import choices
choices.is_compiled = lambda method: False  # a first run leaves out what other methods would have to compile for
from shoal.cli import shoal
shoal(sys.argv[2:], standalone_mode=False)
Path(sys.argv[1]).write_text(json.dumps(calls))
"""


def record(arguments: list[str], work: Path) -> list[tuple[str, list, int]]:
    """What Python asked numba to compile, or to load, in one command."""
    told = work / "calls.json"
    command = [sys.executable, "-c", LISTEN, str(told), *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(told.read_text())


def main() -> None:
    kernels: dict[str, list] = {}
    methods: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        demo = work / "demo"
        timed(["demo", "--out", str(demo)], work / "cache")
        for name in METHODS:
            calls = record(["run", str(configured(name, demo)), "--out", str(work / name)], work)
            largest = sorted(calls, key=lambda call: -call[2])
            methods[name] = list(dict.fromkeys(kernel for kernel, _, _ in largest))
            for kernel, signature, _ in calls:
                known = kernels.setdefault(kernel, [])
                if signature not in known:
                    known.append(signature)
            print(f"{name:<14} {len(methods[name]):3} kernels", flush=True)
    lines = [
        f"    {json.dumps(name)}: {json.dumps(signatures)}" for name, signatures in sorted(kernels.items())
    ]
    lists = [f"    {json.dumps(name)}: {json.dumps(methods[name])}" for name in METHODS]
    whole = (
        '{\n  "methods": {\n'
        + ",\n".join(lists)
        + '\n  },\n  "kernels": {\n'
        + ",\n".join(lines)
        + "\n  }\n}\n"
    )
    NEEDED.write_text(whole, encoding="utf-8")


if __name__ == "__main__":
    main()
