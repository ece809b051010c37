"""Hierarchies while they are edited: one column's tree, and all trees of a project.

A tree remembers what was done and undone, and the people of each node. All of a project are counted by a job, edited,
and handed to the jobs that come after.
"""

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from shoal.base.errors import HierarchyError
from shoal.base.stopping import atomic_write
from shoal.data.arrays import I8, U8, prefix_sums
from shoal.hierarchy import files
from shoal.hierarchy.edit import Editable
from shoal.io.settings import set_hierarchy
from shoal.web.pages.grouping import Grouping
from shoal.web.pages.project import Project
from shoal.web.pages.saved import EDITED_FOLDER
from shoal.web.server.job_folder import sanitize_name
from shoal.web.server.workspace import Upload

__all__ = ["COUNT", "HierarchyEditor", "HierarchyEditors"]


_MOST = 200  # edits that can be undone


class HierarchyEditor:
    """A tree and its earlier forms.

    Parameters
    ----------
    facts
        A column as the job `count` tells of it.
    spec
        Its hierarchy as the configuration names it, None where it names none.
    source
        The job that proposed it: in the folder of another one the same name may stand for another tree.

    Attributes
    ----------
    changes
        Goes up with every edit, so that a second page sees it.
    """

    def __init__(self, facts: Mapping[str, Any], spec: Any = None, source: object = None) -> None:
        self.facts = facts
        self.column: str = facts["column"]
        self.proposed = _tree_from_facts(facts)
        self.tree = self.proposed
        self.changes = 0
        self._before: list[Editable] = []
        self._after: list[Editable] = []
        self._known: dict[int, int] = {}
        self._groupings: dict[Editable, Grouping] = {}
        self.propose(facts, spec, source)

    def propose(self, facts: Mapping[str, Any], spec: Any, source: object) -> None:
        """Take what was proposed and counted; where that is another tree than before, nothing is left of the edits."""
        if not self.is_proposed(facts):
            self.proposed = self.tree = _tree_from_facts(facts)
            self._before, self._after = [], []
        self.facts, self.spec, self.source = facts, spec, source
        self._held: dict[str, int] = {}
        self.count(facts)

    def count(self, facts: Mapping[str, Any]) -> None:
        """Take note of counted people; they hold for every node of the same values, wherever it stands."""
        leaves = zip(facts["nodes"]["label"], facts["nodes"]["level"], facts["nodes"]["people"], strict=True)
        self._held |= {label: people for label, level, people in leaves if level == 0}
        if not facts["adds_up"]:
            tree = _tree_from_facts(facts)
            self._known |= dict(zip(_hash_value_sets(tree).tolist(), facts["nodes"]["people"], strict=True))
        self.changes += 1

    def is_proposed(self, facts: Mapping[str, Any]) -> bool:
        """Whether counted facts are of the tree that was proposed."""
        return all(facts["nodes"][key] == self.facts["nodes"][key] for key in ("label", "level", "depth"))

    @property
    def is_edited(self) -> bool:
        """Whether it differs from what was proposed."""
        return self.tree is not self.proposed

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to undo."""
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        """Whether an edit was undone."""
        return bool(self._after)

    @property
    def holders(self) -> dict[str, int]:
        """How many people hold each value that occurs; of those that no leaf covers it is not known, and 0."""
        uncovered = self.facts.get("uncovered_values") or ()
        held = {label: people for label, people in self._held.items() if people and label}
        return dict.fromkeys(uncovered, 0) | held

    @property
    def grouping(self) -> Grouping | None:
        """The rule that made the tree as it is now; None where it was proposed, sent or edited by hand."""
        return self._groupings.get(self.tree)

    def do(self, edit: Callable[[Editable], Editable]) -> bool:
        """Edit the tree; tell whether that changed something."""
        tree = edit(self.tree)
        if tree is self.tree:
            return False
        grouping = self.grouping
        if grouping is not None and tree is not self.proposed:  # what is edited comes from the data as before
            self._groupings[tree] = Grouping(tree, public=grouping.public)
        self._before = [*self._before[1 - _MOST :], self.tree]
        self._after = []
        self._take(tree)
        return True

    def undo(self) -> None:
        """Go back by one edit."""
        if self._before:
            self._after.append(self.tree)
            self._take(self._before.pop())

    def redo(self) -> None:
        """Do again what was undone."""
        if self._after:
            self._before.append(self.tree)
            self._take(self._after.pop())

    def replace(self, tree: Editable, name: str) -> None:
        """Take another tree, which somebody sent as a file of that name.

        Raises
        ------
        HierarchyError
            It does not cover the values that people have.
        """
        labels = {tree.labels[node] for node in tree.up[:, 0].tolist()}
        missing_count = sum(
            1 for label, people in self._held.items() if people and label and label not in labels
        )
        if missing_count:
            raise HierarchyError(
                f"hierarchy '{name}': {missing_count:,} value(s) of '{self.column}' are not in it; add a row for each"
            )
        self.do(lambda before: _keep_node_numbers(before, tree))
        self._groupings.pop(self.tree, None)

    def regroup(self, grouping: Grouping) -> None:
        """Take the tree that a rule made of the values."""
        self.do(lambda before: _keep_node_numbers(before, grouping.tree))
        self._groupings[self.tree] = grouping

    @property
    def is_rough(self) -> bool:
        """Whether of some nodes it is only known that they have at most so many people."""
        return not self.facts["adds_up"] and bool((self.people() < 0).any())

    def people(self) -> I8:
        """The people of each node, in the order of `tree.nodes`; negative where they are at most so many."""
        nodes = self.tree.nodes
        labels = self.tree.labels
        values = np.array([self._held.get(labels[node], 0) for node in self.tree.up[:, 0].tolist()])
        prefix = prefix_sums(values)
        sums: I8 = np.minimum(prefix[nodes.high] - prefix[nodes.low], self.facts["people"])
        sums[0] = self.facts["nodes"]["people"][0]
        if self.facts["adds_up"]:
            return sums
        known_counts = [self._known.get(mark, -1) for mark in _hash_value_sets(self.tree).tolist()]
        counts = np.array(known_counts, dtype=np.int64)
        counts[0] = sums[0]
        return np.asarray(np.where(counts < 0, -sums, counts))

    def listed(self) -> dict[str, Any]:
        """All nodes for the list on the page."""
        nodes = self.tree.nodes
        return {
            "id": nodes.ids.tolist(),
            "label": [self.tree.labels[node] for node in nodes.ids.tolist()],
            "depth": nodes.depths.tolist(),
            "level": nodes.levels.tolist(),
            "leaves": (nodes.high - nodes.low).tolist(),
            "people": self.people().tolist(),
        }

    def levels(self) -> Any:
        """How many nodes stand on each level, values first."""
        ancestors = self.tree.up  # the values of a node stand together
        return (np.count_nonzero(ancestors[1:] != ancestors[:-1], axis=0) + 1).tolist()

    def _take(self, tree: Editable) -> None:
        self.tree = tree
        self.changes += 1


def _tree_from_facts(facts: Mapping[str, Any]) -> Editable:
    nodes = facts["nodes"]
    return Editable.from_nodes(
        facts["column"], nodes["label"], nodes["level"], nodes["depth"], facts["height"]
    )


def _keep_node_numbers(before: Editable, tree: Editable) -> Editable:
    """A tree in which nodes have the numbers that nodes of their labels had before: what was open stays open."""
    nodes = before.nodes.ids.tolist()
    number_of_label = {before.labels[node]: node for node in nodes}
    labels = list(before.labels)
    numbers = []
    for label in tree.labels:
        if label not in number_of_label:
            number_of_label[label] = len(labels)
            labels.append(label)
        numbers.append(number_of_label[label])
    return Editable(before.name, tuple(labels), np.array(numbers, dtype=np.int32)[tree.up])


def _hash_value_sets(tree: Editable) -> U8:
    """A number for each node's set of values, the same in every tree of this process."""
    marks = np.array([hash(tree.labels[node]) for node in tree.up[:, 0].tolist()], dtype=np.int64)
    prefix = np.r_[np.zeros(1, dtype=np.uint64), np.cumsum(marks.view(np.uint64), dtype=np.uint64)]
    return np.asarray(prefix[tree.nodes.high] - prefix[tree.nodes.low], dtype=np.uint64)


COUNT = "count"
_LONGEST = 80  # bytes of a column's name in the name of its file


class HierarchyEditors:
    """The trees of a project, by column or field.

    A column has one editor as long as the project lives: its edits are there again when its role comes back.

    faults       : by column, what is wrong with its hierarchy; it has no tree then
    is_recounted : whether the last count is of the same columns as the one before, so that the trees stay
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.there: dict[str, HierarchyEditor] = {}
        self.faults: dict[str, str] = {}
        self._all: dict[
            str, HierarchyEditor
        ] = {}  # those of columns that have no hierarchy at present as well
        self._names = {  # of a project that was opened, edited trees have their files already
            column: name for column, spec in project.edited.items() if (name := _file_of(spec)) is not None
        }
        self._counted: tuple[object, str] | None = None  # what the last count was begun for
        self._given: dict[str, Any] = {}  # the configuration that it was begun with
        self._edited: set[str] = set()  # the columns whose edited trees it counts
        self._read: object = None  # the job whose counts were read
        self.is_recounted = False

    @classmethod
    def of(cls, project: Project) -> "HierarchyEditors":
        """Those of a project; they stay from visit to visit."""
        editors: HierarchyEditors = project.kept.setdefault("hierarchies", cls(project))
        return editors

    @property
    def outdated(self) -> bool:
        """Whether columns or roles are other ones than those that were counted; edits do not matter."""
        return self._counted != self._count_key()

    @property
    def is_counting(self) -> bool:
        """Whether people are being counted."""
        job, is_over = self.project.job_state(COUNT)
        return job is not None and not is_over

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
        self._counted = self._count_key()
        self._given = deepcopy(self.project.configuration or {})
        self._edited = set(self.project.edited)

    def read(self) -> None:
        """Take over what was counted, once; trees that were edited stay as they are."""
        job = self.project.job(COUNT)
        if job is self._read or job is None or job.state != "done":
            return
        self._read = job
        columns = self.project.result(COUNT)["columns"]
        self.faults = {facts["column"]: facts["error"] for facts in columns if facts["error"] is not None}
        self.there = {
            facts["column"]: self._update_editor(facts) for facts in columns if facts["nodes"] is not None
        }

    def _update_editor(self, facts: dict[str, Any]) -> HierarchyEditor:
        """The editor of a column; what was counted is of the tree as it was when the count was begun."""
        assert self._counted is not None
        column, source = facts["column"], self._counted[0]
        editor = self._all.get(column)
        if editor is None:
            editor = self._all[column] = HierarchyEditor(facts, _find_spec(self._given, column), source)
        elif column not in self._edited and (editor.is_proposed(facts) or column not in self.project.edited):
            editor.propose(facts, _find_spec(self._given, column), source)
        else:
            editor.count(facts)
        return editor

    def write(self, editor: HierarchyEditor) -> None:
        """Let the jobs that come after use a tree as it is now.

        One that is as it was proposed needs no file, unless the data were looked at again: then what was proposed is
        no longer sure to be in the folders of jobs.
        """
        project, column, grouping = self.project, editor.column, editor.grouping
        name = self._name(column)
        if grouping is not None and grouping.rule is not None:
            project.hierarchies.pop(name, None)
            project.edited[column] = deepcopy(dict(grouping.rule))
            project.state_hierarchy(column, deepcopy(dict(grouping.rule)))
        elif (
            editor.is_edited
            or editor.source is not project.job("propose")
            or _file_of(editor.spec) == name  # of a project that was opened: no proposal has this file
        ):
            path = project.folder / name.replace("/", "-")
            with atomic_write(path) as part:  # an earlier job may have a link to the file
                part.write_text(editor.tree.text(), encoding="utf-8", newline="\n")
            is_public = editor.facts["public"] if grouping is None else grouping.public
            spec: Any = name if is_public else {"file": name, "built": True}
            project.hierarchies[name] = path
            project.edited[column] = spec
            project.state_hierarchy(column, deepcopy(spec))
        else:
            project.hierarchies.pop(name, None)
            project.edited.pop(column, None)
            project.state_hierarchy(column, deepcopy(editor.spec))

    def holders(self, editor: HierarchyEditor) -> dict[str, int]:
        """How many people hold each value of a column; what stands for no value is none."""
        missing = set(self.project.section("data").get("missing", ()))
        return {value: people for value, people in editor.holders.items() if value not in missing}

    async def take_file(self, editor: HierarchyEditor, upload: Upload) -> None:
        """Take the tree of a file that was sent; while it is read, other pages go on.

        Raises
        ------
        HierarchyError
            It is no hierarchy, has too much for a page, or does not cover the values that people have.
        """
        editor.replace(await asyncio.to_thread(_read_upload, upload), upload.name)

    def _name(self, column: str) -> str:
        """The path of a tree's file in a job's folder; no other tree has it, now or later."""
        if column not in self._names:
            stem, used_names = _file_stem(column), set(self._names.values())
            names = (
                f"{EDITED_FOLDER}/{sanitize_name(f'{stem}{end}.csv')}" for end in chain([""], count(-2, -1))
            )
            self._names[column] = next(name for name in names if name not in used_names)
        return self._names[column]

    def _count_key(self) -> tuple[object, str]:
        """The job that looked at the data, and a short form of the configuration without the edits made here."""
        configuration = deepcopy(self.project.configuration or {})
        sections: dict[str, Any] = {
            name: configuration[name] for name in ("data", "columns", "tree") if name in configuration
        }
        for column in self.project.edited:
            if column in self._all:
                set_hierarchy(sections, column, self._all[column].spec)
        return self.project.job("propose"), json.dumps(sections, sort_keys=True, default=str)


def _file_of(spec: Any) -> str | None:
    """The file that a configuration names for an edited hierarchy; None where it is another, or a rule."""
    name = spec.get("file") if isinstance(spec, dict) else spec
    return name if isinstance(name, str) and name.startswith(f"{EDITED_FOLDER}/") else None


def _file_stem(column: str) -> str:
    """A column's name as a file's, the same in small and large letters."""
    return sanitize_name(column).replace(" ", "_").casefold().encode()[:_LONGEST].decode(errors="ignore")


def _find_spec(configuration: dict[str, Any], column: str) -> Any:
    """The hierarchy that a configuration names for a column or field."""
    if "tree" in configuration:
        return configuration["tree"].get("hierarchies", {}).get(column)
    column_spec = configuration.get("columns", {}).get(column)
    return column_spec.get("hierarchy") if isinstance(column_spec, dict) else None


_MOST_BYTES = 20 * 10**6  # bytes; a browser draws no larger tree in good time


def _read_upload(upload: Upload) -> Editable:
    """Read it; that may take seconds.

    Raises
    ------
    HierarchyError
        It is no hierarchy, or has too much for a page.
    """
    if _is_large(upload.path):
        raise HierarchyError(
            f"hierarchy '{upload.name}': it has more than {_MOST_BYTES // 10**6} MB, too much to be edited on a page; "
            "put it beside shoal.toml, name it there and use the command line"
        )
    return Editable.of(files.read(upload.path))


def _is_large(path: Path) -> bool:
    """Whether it has too many bytes, when it is unpacked."""
    with (
        suppress(OSError, EOFError, zlib.error),  # whoever reads it says what is wrong
        gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream,
    ):
        return len(stream.read(_MOST_BYTES + 1)) > _MOST_BYTES
    return False
