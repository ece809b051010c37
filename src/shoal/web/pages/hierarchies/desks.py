"""All trees of a project: counted by a job, edited, and handed to the jobs that come after."""

import json
from copy import deepcopy
from typing import Any

from shoal.hierarchy import files
from shoal.hierarchy.editing import Editable
from shoal.stopping import in_one_piece
from shoal.web.names import harmless
from shoal.web.pages.hierarchies.desk import Desk
from shoal.web.pages.project import Project
from shoal.web.pages.settings import state_hierarchy
from shoal.web.uploads import Upload

__all__ = ["COUNT", "Desks"]

COUNT = "count"
_FOLDER = "hierarchies"


class Desks:
    """The trees of a project, by column or field.

    faults       : by column, what is wrong with its hierarchy; it has no tree then
    is_recounted : whether the last count is of the same columns as the one before, so that the trees stay
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.there: dict[str, Desk] = {}
        self.faults: dict[str, str] = {}
        self._counted: str | None = None  # what the last count was begun for
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
        """Have people counted for the trees as they are now."""
        self.is_recounted = bool(self.there) and not self.outdated
        self._counted = self._wanted()
        self.project.begin("count", step=COUNT)

    def read(self) -> None:
        """Take over what was counted, once; trees that were edited stay as they are."""
        job = self.project.job(COUNT)
        if job is self._read or job is None or job.state != "done":
            return
        self._read = job
        found = self.project.result(COUNT)["columns"]
        self.faults = {one["column"]: one["error"] for one in found if one["error"] is not None}
        earlier, self.there = self.there, {}
        for facts in found:
            if facts["nodes"] is not None:
                self.there[facts["column"]] = self._desk(facts, earlier.get(facts["column"]))

    def _desk(self, facts: dict[str, Any], earlier: Desk | None) -> Desk:
        edited = facts["column"] in self.project.edited
        if earlier is not None and (edited or earlier.is_proposed(facts)):
            earlier.count(facts)
            return earlier
        return Desk(facts, deepcopy(_spec_of(self.project.configuration or {}, facts["column"])))

    def write(self, desk: Desk) -> None:
        """Let the jobs that come after use a tree as it is now; one that is as it was proposed needs no file."""
        project, column = self.project, desk.column
        name = self._name(desk)
        if desk.is_edited:
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

    def take_file(self, desk: Desk, upload: Upload) -> None:
        """Take the tree of a file that was sent.

        Raises
        ------
        HierarchyError
            It is no hierarchy, or does not cover the values that people have.
        """
        desk.replace(Editable.of(files.read(upload.path)), upload.name)

    def _name(self, desk: Desk) -> str:
        """The path of a tree's file in a job's folder: the one it has, or one that no other tree has."""
        given = desk.facts["file"]
        if given is not None and given.startswith(f"{_FOLDER}/") and not given.endswith(".gz"):
            return str(given)
        name = _file_name(desk.column)
        others = [other for other in self.there.values() if other is not desk]
        taken = {_file_name(other.column) for other in others} | {other.facts["file"] for other in others}
        if name not in taken:
            return name
        return f"{name.removesuffix('.csv')}-{list(self.there).index(desk.column) + 1}.csv"

    def _wanted(self) -> str:
        """A short form of what a count depends on, without the edits that were made here."""
        whole = deepcopy(self.project.configuration or {})
        sections: dict[str, Any] = {
            name: whole[name] for name in ("data", "columns", "tree") if name in whole
        }
        for column in self.project.edited:
            state_hierarchy(sections, column, self.there[column].spec if column in self.there else None)
        return json.dumps(sections, sort_keys=True, default=str)


def _file_name(column: str) -> str:
    return f"{_FOLDER}/{harmless(column).replace(' ', '_')[:60].casefold()}.csv"


def _spec_of(configuration: dict[str, Any], column: str) -> Any:
    """The hierarchy that a configuration names for a column or field."""
    if "tree" in configuration:
        return configuration["tree"].get("hierarchies", {}).get(column)
    given = configuration.get("columns", {}).get(column)
    return given.get("hierarchy") if isinstance(given, dict) else None
