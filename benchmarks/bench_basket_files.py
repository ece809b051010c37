"""Baskets larger than memory by fragments: how time and memory grow, from a .dat file to judged fragments.

Run `python benchmarks/bench_basket_files.py [nonreciprocal] [lra] [1000000] [3000000] [10000000]`; without words, both
makers on one and three million baskets. Each figure comes from a process of its own, and all cores are used. Each
fragment is judged as it lies: of `nonreciprocal` by its proof, of `lra` by counting its combinations.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shoal.algorithms.fragments.basket_files import in_basket_files
from shoal.engines.parts import cores, in_threads
from shoal.hierarchy.build import fanout
from shoal.io.basket_parts import read_basket_parts
from shoal.privacy import claim_of
from shoal.release import PublishedBaskets, PublishedBits

SIZE = 100_000
ITEMS, HELD = 2_000, 6
ASKED = {"nonreciprocal": {"k": 5}, "lra": {"k": 5, "m": 2}}


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


def verdict(originals, result):
    """What the judge says of a fragment."""
    release = result.release
    if result.proof is None:
        return result.claim.check(PublishedBaskets(release.start, release.forms.sets()[release.items]))
    rows = (release.start, release.items, release.maybe_start, release.maybe, release.errors)
    baskets = originals["baskets"]
    arrays = [np.asarray(part, dtype=np.int64) for part in (*rows, baskets.start, baskets.items)]
    seen = PublishedBits(*arrays[:5], original_start=arrays[5], original_items=arrays[6])
    return result.claim.prove(seen, np.asarray(result.proof))


def one(maker, n):
    """Seconds of reading, of making and of judging, CPU seconds of all, MB, and fragments."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        subprocess.run([sys.executable, __file__, "write", str(folder / "a.dat"), str(n)], check=True)
        before, used, times = peak(), time.process_time(), [time.perf_counter()]
        raw = read_basket_parts(folder / "a.dat", folder / "parts")
        times.append(time.perf_counter())
        shared = {"hierarchy": fanout("items", 5, raw.values)} if maker == "lra" else {}
        claim = claim_of("baskets", **ASKED[maker])
        made = in_basket_files(
            maker, raw, shared, claim, {}, size=SIZE, folder=folder, mapper=in_threads(cores())
        )
        times.append(time.perf_counter())
        for at in range(len(made.lots)):
            assert verdict(*made.open(at))
        times.append(time.perf_counter())
        return *np.diff(times).tolist(), time.process_time() - used, peak(), before, len(made.lots)


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
        print(f"\n{maker}: baskets, fragments, s reading, s making, s judging, CPU s, peak MB (before)")
        for n in sizes:
            command = [sys.executable, __file__, "one", maker, str(n)]
            said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            reading, making, judging, used, most, before, fragments = json.loads(said.splitlines()[-1])
            print(
                f"  {n:>10,} {fragments:>5} {reading:>8.1f} {making:>8.1f} {judging:>8.1f} {used:>8.1f} {most:>7.0f} "
                f"({before:.0f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
