"""What a job is asked for, as one file in its folder: the server writes it, the worker reads it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "FIGURES",
    "ORDER",
    "PREVIEW",
    "PREVIEWS",
    "RESULT",
    "SAMPLE",
    "TOLD",
    "WORK",
    "Allowed",
    "Order",
]

ORDER, RESULT, WORK = "order.json", "result.json", "work"
"""Of a job's folder: what is asked, the facts that were found, and the folder with the data."""

SAMPLE, FIGURES, TOLD, PREVIEW, PREVIEWS = (
    "sample.json",
    "figures.json",
    "told.json",
    "preview.json",
    "previews.json",
)
"""What a job leaves for the page, see `shoal.web.shown`.

sample.json   : of `propose`, the first records: parts with name, columns, rows, more
figures.json  : of `risk`, `pareto`, `compare` and `run`, by their ids: section, title, sentence, words, figure, table
told.json     : of `run` and a picked point, what its report says: headline, attacker, judges, verdict, limits, notes,
                tiles, tables
preview.json  : of the same, some records before and after, as `shoal run --preview --json` prints them
previews.json : of `pareto`, `points`: the same by the place of a point, where of very many points some have none; and
                `start`: the place of the point that a run takes, where that is not told by k
"""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What jobs may read beside what was sent to the server: whoever starts it decides.

    databases : whether a configuration may name a database
    folders   : directories of this machine whose files a configuration may name
    """

    databases: bool = False
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """One job: its kind, its configuration in the shape of shoal.toml (None: the file that was sent), its options.

    `shown` is whether a page will show it: then it leaves more than its result.
    """

    kind: str
    configuration: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    allowed: Allowed = field(default_factory=Allowed)
    shown: bool = True

    def write(self, folder: Path) -> None:
        """Write it into the job's folder."""
        (folder / ORDER).write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Order":
        """Read it from the job's folder."""
        said = json.loads((folder / ORDER).read_text(encoding="utf-8"))
        allowed = Allowed(said["allowed"]["databases"], tuple(said["allowed"]["folders"]))
        return cls(said["kind"], said["configuration"], said["options"], allowed, said["shown"])
