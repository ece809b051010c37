"""Baskets larger than memory by fragments: how time and memory grow, from a .dat file to two judged folders.

Run `python benchmarks/bench_basket_files.py [nonreciprocal] [lra] [1000000] [3000000] [10000000]`; without words, both
methods on one and three million baskets. Each figure comes from a process of its own, and all cores are used.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shoal.jobs.configured import run_config
from shoal.publish.large import opening

SIZE = 100_000
ITEMS, HELD = 2_000, 6
ASKED = {"nonreciprocal": "k = 5", "lra": "k = 5\nm = 2"}
CONFIG = """
[data]
path = "a.dat"
[columns.items]
role = "items"
hierarchy = "items.csv"
[guarantee]
{asked}
[method]
name = "{maker}"
[release]
format = "ndjson"
"""


def write(path, n):
    """A .dat file of baskets of up to six items, few of which are frequent; some items go together."""
    random = np.random.default_rng(0)
    with path.open("w") as file:
        for begin in range(0, n, SIZE):
            rows = min(SIZE, n - begin)
            kind = random.integers(0, 40, rows)[:, None] * 50
            usual = kind + random.zipf(1.5, (rows, HELD)) % 50
            cells = np.where(random.random((rows, HELD)) < 0.7, usual, random.zipf(1.3, (rows, HELD)) % ITEMS)
            sizes = random.integers(1, HELD + 1, rows)
            file.writelines(
                " ".join(map(str, row[:size])) + "\n"
                for row, size in zip(cells.tolist(), sizes.tolist(), strict=True)
            )


def peak():
    """The most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def one(maker, n):
    """Wall and CPU seconds, MB, MB before, fragments, and the headline loss."""
    opening._MANY_ITEMS = 0
    with TemporaryDirectory() as place:
        folder = Path(place)
        subprocess.run([sys.executable, __file__, "write", str(folder / "a.dat"), str(n)], check=True)
        steps = [[item // width for width in (5, 25, 125, 625)] for item in range(ITEMS)]
        rows = [
            f"{at};{';'.join(f'{step}/{up}' for step, up in enumerate(ups))};*"
            for at, ups in enumerate(steps)
        ]
        (folder / "items.csv").write_text("\n".join(rows))
        (folder / "shoal.toml").write_text(CONFIG.format(asked=ASKED[maker], maker=maker))
        before, used, wall = peak(), time.process_time(), time.perf_counter()
        made = run_config(folder / "shoal.toml", folder / "out")
        times = time.perf_counter() - wall, time.process_time() - used
        return *times, peak(), before, len(made.result.release.parts), next(iter(made.loss.values()))


def main():
    if sys.argv[1:2] == ["write"]:
        write(Path(sys.argv[2]), int(sys.argv[3]))
        return
    if sys.argv[1:2] == ["one"]:
        print(json.dumps(one(sys.argv[2], int(sys.argv[3]))))
        return
    makers = [word for word in sys.argv[1:] if word in ASKED] or list(ASKED)
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()] or [1_000_000, 3_000_000]
    for maker in makers:
        print(f"\n{maker}: baskets, fragments, wall s, CPU s, peak MB (before), loss")
        for n in sizes:
            command = [sys.executable, __file__, "one", maker, str(n)]
            said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            wall, used, most, before, fragments, lost = json.loads(said.splitlines()[-1])
            print(
                f"  {n:>10,} {fragments:>5} {wall:>8.1f} {used:>8.1f} {most:>7.0f} ({before:.0f}) {lost:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
