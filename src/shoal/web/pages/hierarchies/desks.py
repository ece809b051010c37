"""All trees of a project: counted by a job, edited, and handed to the jobs that come after."""

import asyncio
import json
from copy import deepcopy
from itertools import chain, count
from typing import Any

from shoal.io.settings import set_hierarchy
from shoal.stopping import in_one_piece
from shoal.web.names import harmless
from shoal.web.pages.hierarchies.desk import Desk
from shoal.web.pages.hierarchies.sent import read_sent
from shoal.web.pages.project import Project
from shoal.web.uploads import Upload

__all__ = ["COUNT", "Desks"]

COUNT = "count"
_FOLDER = "hierarchies/edited"  # no proposal writes there, so that no column gets another one's tree
_LONGEST = 80  # bytes of a column's name in the name of its file


class Desks:
    """The trees of a project, by column or field.

    A column has one desk as long as the project lives: its edits are there again when its role comes back.

    faults       : by column, what is wrong with its hierarchy; it has no tree then
    is_recounted : whether the last count is of the same columns as the one before, so that the trees stay
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.there: dict[str, Desk] = {}
        self.faults: dict[str, str] = {}
        self._all: dict[str, Desk] = {}  # those of columns that have no hierarchy at present as well
        self._names: dict[str, str] = {}
        self._counted: tuple[object, str] | None = None  # what the last count was begun for
        self._given: dict[str, Any] = {}  # the configuration that it was begun with
        self._edited: set[str] = set()  # the columns whose edited trees it counts
        self._read: object = None  # the job whose counts were read
        self.is_recounted = False

    @classmethod
    def of(cls, project: Project) -> "Desks":
        """Those of a project; they stay from visit to visit."""
        found: Desks = project.kept.setdefault("hierarchies", cls(project))
        return found

    @property
    def outdated(self) -> bool:
        """Whether columns or roles are other ones than those that were counted; edits do not matter."""
        return self._counted != self._wanted()

    @property
    def is_counting(self) -> bool:
        """Whether people are being counted."""
        job = self.project.job(COUNT)
        return job is not None and not job.over

    def begin(self) -> None:
        """Have people counted for the trees as they are now.

        Raises
        ------
        InputError
            That cannot be begun now; what was counted before stands.
        """
        is_shown = self.is_recounted or self._read is self.project.job(
            COUNT
        )  # else the last count is still to be read
        self.project.begin("count", step=COUNT)
        self.is_recounted = bool(self.there) and not self.outdated and is_shown
        self._counted = self._wanted()
        self._given = deepcopy(self.project.configuration or {})
        self._edited = set(self.project.edited)

    def read(self) -> None:
        """Take over what was counted, once; trees that were edited stay as they are."""
        job = self.project.job(COUNT)
        if job is self._read or job is None or job.state != "done":
            return
        self._read = job
        found = self.project.result(COUNT)["columns"]
        self.faults = {one["column"]: one["error"] for one in found if one["error"] is not None}
        self.there = {one["column"]: self._desk(one) for one in found if one["nodes"] is not None}

    def _desk(self, facts: dict[str, Any]) -> Desk:
        """The desk of a column; what was counted is of the tree as it was when the count was begun."""
        assert self._counted is not None
        column, source = facts["column"], self._counted[0]
        desk = self._all.get(column)
        if desk is None:
            desk = self._all[column] = Desk(facts, _spec_of(self._given, column), source)
        elif column not in self._edited and (desk.is_proposed(facts) or column not in self.project.edited):
            desk.propose(facts, _spec_of(self._given, column), source)
        else:
            desk.count(facts)
        return desk

    def write(self, desk: Desk) -> None:
        """Let the jobs that come after use a tree as it is now.

        One that is as it was proposed needs no file, unless the data were looked at again: then what was proposed is
        no longer sure to be in the folders of jobs.
        """
        project, column = self.project, desk.column
        name = self._name(column)
        if desk.is_edited or desk.source is not project.job("propose"):
            path = project.folder / name.replace("/", "-")
            with in_one_piece(path) as part:  # an earlier job may have a link to the file
                part.write_text(desk.tree.text(), encoding="utf-8", newline="\n")
            spec: Any = name if desk.facts["public"] else {"file": name, "built": True}
            project.hierarchies[name] = path
            project.edited[column] = spec
            project.state_hierarchy(column, deepcopy(spec))
        else:
            project.hierarchies.pop(name, None)
            project.edited.pop(column, None)
            project.state_hierarchy(column, deepcopy(desk.spec))

    async def take_file(self, desk: Desk, upload: Upload) -> None:
        """Take the tree of a file that was sent; while it is read, other pages go on.

        Raises
        ------
        HierarchyError
            It is no hierarchy, has too much for a page, or does not cover the values that people have.
        """
        desk.replace(await asyncio.to_thread(read_sent, upload), upload.name)

    def _name(self, column: str) -> str:
        """The path of a tree's file in a job's folder; no other tree has it, now or later."""
        if column not in self._names:
            stem, taken = _stem(column), set(self._names.values())
            names = (f"{_FOLDER}/{harmless(f'{stem}{end}.csv')}" for end in chain([""], count(-2, -1)))
            self._names[column] = next(name for name in names if name not in taken)
        return self._names[column]

    def _wanted(self) -> tuple[object, str]:
        """The job that looked at the data, and a short form of the configuration without the edits made here."""
        whole = deepcopy(self.project.configuration or {})
        sections: dict[str, Any] = {
            name: whole[name] for name in ("data", "columns", "tree") if name in whole
        }
        for column in self.project.edited:
            set_hierarchy(sections, column, self._all[column].spec)
        return self.project.job("propose"), json.dumps(sections, sort_keys=True, default=str)


def _stem(column: str) -> str:
    """A column's name as a file's, the same in small and large letters."""
    return harmless(column).replace(" ", "_").casefold().encode()[:_LONGEST].decode(errors="ignore")


def _spec_of(configuration: dict[str, Any], column: str) -> Any:
    """The hierarchy that a configuration names for a column or field."""
    if "tree" in configuration:
        return configuration["tree"].get("hierarchies", {}).get(column)
    given = configuration.get("columns", {}).get(column)
    return given.get("hierarchy") if isinstance(given, dict) else None
