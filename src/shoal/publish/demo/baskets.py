"""The demo's baskets: invented purchases, safe from whoever knows two items, and from whoever knows whole baskets."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from shoal.hierarchy import files
from shoal.hierarchy.rules import build
from shoal.io.config import load
from shoal.progress import Progress
from shoal.publish.jobs import run_config
from shoal.publish.verify import verify
from shoal.report.words import lost

__all__ = ["show_baskets"]

_RECORDS = 1_500

_ITEMS = {
    "bakery": ["bread", "rolls", "bagel", "cake"],
    "dairy": ["milk", "butter", "cheese", "yoghurt"],
    "fruit": ["apples", "pears", "plums", "grapes"],
    "drinks": {"soft": ["cola", "juice", "water"], "alcohol": ["beer", "wine", "gin"]},
    "pharmacy": ["aspirin", "insulin", "nicotine patch", "pregnancy test"],
}

_SOME = """\
# Whoever knows two items of a basket must find it in at least five records.
[data]
path = "purchases.csv"

[columns]
items = { role = "items", separator = ";", hierarchy = "items.csv" }

[guarantee]
k = 5
m = 2

[release]
format = "ndjson"
"""

_WHOLE = """\
# Whoever knows a whole basket must find five rows that may be it. No hierarchy is used.
[data]
path = "purchases.csv"

[columns]
items = { role = "items", separator = ";" }

[guarantee]
k = 5

[release]
format = "ndjson"
"""


def show_baskets(room: Path, progress: Progress) -> Iterator[str]:
    """Invent data, release it both ways and verify it; yield the lines to print."""
    _write_purchases(room / "purchases.csv")
    files.write(build("items", _ITEMS, []), room / "items.csv")
    yield f"Baskets   {_RECORDS:,} invented purchases in {room}"
    for name, text in (("some", _SOME), ("whole", _WHOLE)):
        config, out = room / f"{name}.toml", room / f"release-{name}"
        config.write_text(text, encoding="utf-8")
        release = run_config(config, out, force=True, progress=progress)
        facts = release.manifest
        yield f"  {name:<7} {facts['claim']['model']}: {facts['records_out']:,} records; {lost(release.loss)}"
        _, verdict = verify(out, config=load(config), against=room / "purchases.csv")
        yield f"  verify  {'yes' if verdict else 'no'}: {verdict.sentence}"


def _write_purchases(path: Path) -> None:
    """Invent people, each with a taste; the seed only makes every demo the same, it protects nobody."""
    random = np.random.default_rng(11)
    items = np.array(sorted(_leaves(_ITEMS)))
    common = random.permutation(1 / np.arange(1, len(items) + 1))
    lines = ["items"]
    for _ in range(_RECORDS):
        taste = common * random.gamma(0.5, 1, len(items))
        size = min(1 + random.poisson(2), 8)
        lines.append(";".join(random.choice(items, size, replace=False, p=taste / taste.sum())))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _leaves(groups: dict[str, object] | list[str] | object) -> Iterator[str]:
    if isinstance(groups, dict):
        for group in groups.values():
            yield from _leaves(group)
    elif isinstance(groups, list):
        yield from groups
