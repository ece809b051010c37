"""A proposal: what unknown data are, what each column is and why, how it can be made coarser; and its files."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import polars as pl

from shoal.base.discreet import SafeRepr, html_table
from shoal.base.errors import InputError
from shoal.base.former_names import FormerName
from shoal.base.naming import suggest_name
from shoal.base.stopping import atomic_write
from shoal.data import Role
from shoal.hierarchy import Hierarchy, files
from shoal.io.codebooks import CODEBOOKS
from shoal.io.config import ColumnSpec, Config, Data, TreeSpec
from shoal.io.formats import ABOUT, FORMATS, LABELLED, NUMBER_FORMS, ending_of
from shoal.io.read.source import Source
from shoal.io.settings import WHOLE_FILE, strip_password, toml_key, toml_text, toml_value
from shoal.privacy.attackers import AUDIENCES
from shoal.privacy.equivalence_class import least_k
from shoal.privacy.presets import PRESETS, find_preset
from shoal.report.words import ROLE_WORDS, SHAPE_WORDS, undecided_name

__all__ = ["ColumnProposal", "Proposal", "check_free", "summarize_proposal"]


# Files: shoal.toml, each line with its reason, and hierarchies/.
TOML, HIERARCHIES = "shoal.toml", "hierarchies"

_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])\.", re.I)  # Windows takes these for devices
_LETTERS = 50  # of a file name: no system takes more than 255 bytes, a letter may have four, a part has a longer name
_RANGED = 50_000  # records: of larger tables a method that writes nodes loses less than the fast one that writes ranges
_FIRST = (
    "identifier",
    "drop",
    "text",
    "household",
    "weight",
    "quasi",
    "known",
    "sensitive",
    "items",
)  # as roles are told


@dataclass(slots=True, repr=False)
class ColumnProposal(SafeRepr):
    """One column, or one field of record trees; change `role`, `hierarchy` or `level` as you like.

    why      : the reason for the role
    type     : what its values are: number, date, code, word or list
    missing  : in how many records it has no value
    distinct : how many different values there are
    meant    : of a few values, how many are no other spelling of another; of groups how many there are; else 0
    alone    : how many people it singles out by itself
    others   : with which others it singles out most, and what share of the people they single out together
    levels   : a value and what stands for it on each level
    shared   : of an identifier, whether different people have values in common
    advice   : why somebody should look at it before anything is published; empty where nothing calls for it
    undecided : why somebody must decide about it; empty where name and values agree
    severity : how bad it would be not to, 1 is worst
    stated   : whether somebody said what it is
    most     : how many people hold its most frequent value
    own_missing : texts that mean "no value" in this column alone
    file_label : what a file with labels says of it
    hidden   : of a sensitive column, the values that only a share of look-alikes may have; `others_to_hide`, those
               that may be meant in their place
    """

    name: str
    role: Role
    why: str
    type: str
    missing: int = 0
    distinct: int = 0
    alone: int = 0
    others: tuple[str, ...] = ()
    joint_share: float = 0.0
    hierarchy: Hierarchy | Mapping[str, Any] | None = None
    level: int | None = None
    separator: str | None = None
    levels: str = ""
    advice: str = ""
    shared: bool = False
    undecided: str = ""
    severity: int = 0
    stated: bool = False
    most: int = 0
    meant: int = 0
    own_missing: tuple[str, ...] = ()
    file_label: str = ""
    hidden: tuple[str, ...] = ()
    others_to_hide: tuple[str, ...] = ()

    look = FormerName("advice")
    together = FormerName("joint_share")
    said = FormerName("file_label")

    def ask(self, severity: int, why: str) -> None:
        """Have somebody decide about it."""
        self.severity, self.undecided = severity, why

    def decide(self, role: Role | None = None) -> None:
        """Take note that somebody has decided what it is: what was proposed, or another role."""
        self.role, self.stated = role or self.role, True
        self.ask(0, "")

    def facts(self) -> dict[str, object]:
        """What may be shown: no value."""
        return {
            key: value for key, value in self.as_dict().items() if key not in ("why", "look", "undecided")
        }

    def as_dict(self) -> dict[str, Any]:
        """The facts of the column; none of its values."""
        return {
            "name": self.name,
            "role": self.role,
            "why": self.why,
            "type": self.type,
            "missing": self.missing,
            "distinct": self.distinct,
            "alone": self.alone,
            "with": list(self.others),
            "together": self.joint_share,
            "levels": self._height(),
            "look": self.advice,
            "undecided": self.undecided,
        }

    def _height(self) -> int:
        return self.hierarchy.height if isinstance(self.hierarchy, Hierarchy) else 0


@dataclass(slots=True, repr=False)
class Proposal(SafeRepr):
    """Roles and hierarchies for data that nobody has described yet.

    `proposal["age"].role = "plain"` changes one; `read()` gives the data as `shoal.read` would, `save()` writes
    shoal.toml and hierarchies/.
    """

    data: Data
    records: int
    columns: dict[str, ColumnProposal]
    guarantee: dict[str, int]
    tree: TreeSpec | None = None
    source: Source | None = None
    nested: Sequence[Mapping[str, Any]] | None = None
    notes: tuple[str, ...] = ()
    name: str = "data"
    evidence: Mapping[str, str] = field(default_factory=dict)
    audience: str = "public"
    preset: str | None = None
    costs: tuple[str, ...] = ()
    known_candidates: tuple[str, ...] = ()
    doubt: str = ""
    """Why somebody must decide about the file as a whole; empty where nothing calls for it."""
    tables: bool = False
    """Whether people are to be counted by groups of columns, which then do not overlap."""

    def __getitem__(self, name: str) -> ColumnProposal:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def facts(self) -> dict[str, object]:
        """What may be shown: the shape, how many records and columns."""
        return {"shape": self.shape, "records": self.records, "columns": len(self.columns), **self.guarantee}

    @property
    def shape(self) -> str:
        """What the data are by their roles: table, baskets, mixed or trees."""
        return self.config().shape

    @property
    def format(self) -> str:
        """How a table is to be written: as it came where that is a file with labels, else the usual way."""
        came = "" if self.data.path is None else ending_of(self.data.path.name)[1:]
        baskets = any(column.role == "items" for column in self.columns.values())
        return came if came in LABELLED and not baskets else FORMATS[0]

    @property
    def undecided(self) -> dict[str, str]:
        """The columns that need a decision, the worst first, and why; before them "*", the file as a whole."""
        open_ones = sorted(
            (column for column in self.columns.values() if column.undecided), key=lambda one: one.severity
        )
        of_file = {WHOLE_FILE: self.doubt} if self.doubt else {}
        return of_file | {column.name: column.undecided for column in open_ones}

    def config(self, folder: Path | None = None) -> Config:
        """The proposal as a configuration; its hierarchies are at hand, so no file is needed."""
        base = folder or Path()
        if self.tree is not None:
            return Config(
                base,
                self.data,
                guarantee=dict(self.guarantee),
                tree=self._tree(self.tree),
                format=None,
                undecided=self.undecided,
            )
        specs = {
            name: ColumnSpec(
                column.role,
                column.hierarchy,
                separator=column.separator,
                level=column.level,
                shared=column.shared,
                missing=column.own_missing,
                hidden=column.hidden if column.role == "sensitive" else (),
            )
            for name, column in self.columns.items()
        }
        return Config(
            base,
            self.data,
            specs,
            dict(self.guarantee),
            format=self.format,
            numbers=self.numbers,
            undecided=self.undecided,
            tables=self.tables,
        )

    @property
    def numbers(self) -> str:
        """How numbers are written: as ranges, where there are some and the table is not large.

        Beyond that size a method that writes groups loses less than the one that would be taken for ranges.
        """
        roles = {column.role for column in self.columns.values()}
        numbers = any(column.role == "quasi" and column.type == "number" for column in self.columns.values())
        is_table = self.tree is None and "items" not in roles and self.data.person is None
        return NUMBER_FORMS[is_table and numbers and not self.tables and self.records <= _RANGED]

    def _tree(self, tree: TreeSpec) -> TreeSpec:
        by_role = {
            role: [name for name, column in self.columns.items() if column.role == role]
            for role in ("identifier", "drop", "text", "sensitive")
        }
        return replace(
            tree,
            identifier=next(iter(by_role["identifier"]), None),
            drop=(*by_role["identifier"][1:], *by_role["drop"]),
            text=tuple(by_role["text"]),
            sensitive=next(iter(by_role["sensitive"]), None),
            hierarchies={
                name: column.hierarchy
                for name, column in self.columns.items()
                if column.hierarchy is not None and column.role == "quasi"
            },
        )

    def decide(self, name: str, role: Role | None = None) -> None:
        """Decide about a column: keep what is proposed, or give it another role; "*" is the file as a whole.

        Raises
        ------
        InputError
            There is no such column or role.
        """
        if name == WHOLE_FILE and role is None:
            self.doubt = ""
            return
        if name not in self.columns:
            raise InputError(f"decide: there is no column '{name}'; {suggest_name(name, self.columns)}")
        if role is not None and role not in get_args(Role):
            raise InputError(f"decide: '{role}' is no role; {suggest_name(role, get_args(Role))}")
        self.columns[name].decide(role)

    def read(self, *, as_proposed: bool = False) -> Any:
        """The data with these roles and hierarchies, as `shoal.read` and `shoal.read_trees` give it.

        A release of them is saved when all is decided; see `undecided` and `decide`. With `as_proposed` it is saved as
        it was proposed, and its manifest lists what nobody decided.
        """
        from shoal.shapes.registry import bind_source, open_dataset

        config = self.config()
        read: Any
        if self.nested is not None and config.tree is not None:
            from shoal.io.read.trees import trees_of_records
            from shoal.shapes.trees.data import tree_data

            trees = trees_of_records(self.nested, config.tree, self.data.missing)
            read = tree_data("records", trees, config.tree.hierarchies, config.tree.negations)
        else:
            read = open_dataset(config) if self.source is None else bind_source(config, self.source)
        return replace(read, undecided=self.undecided, as_proposed=as_proposed)

    def save(self, folder: str | Path = ".", *, force: bool = False) -> Path:
        """Write shoal.toml and hierarchies/ into a folder, and return the path of the first.

        Raises
        ------
        InputError
            They are there already, and `force` is not given; or the data are a frame, which no file can name.
        """
        if self.data.path is None and self.data.url is None:
            raise InputError(
                "a frame has no path that shoal.toml could name; write it to a file first, or use read()"
            )
        target = Path(folder)
        check_free(target, force)
        toml, hierarchy_folder = target / TOML, target / HIERARCHIES
        built = {
            name: column.hierarchy
            for name, column in self.columns.items()
            if isinstance(column.hierarchy, Hierarchy)
        }
        names = _file_names(built)
        text = "".join(f"{line}\n" for line in _toml_lines(self, names, target))
        try:
            hierarchy_folder.mkdir(exist_ok=True)
            for name, hierarchy in built.items():
                with atomic_write(hierarchy_folder / names[name], private=False) as part:
                    files.write(hierarchy, part)
            with atomic_write(toml, private=False) as part:  # last: without it, nothing uses the files
                part.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"{target.resolve().name}: cannot be written to ({error.strerror}); work in another folder"
            ) from None
        return toml

    def as_dict(self) -> dict[str, Any]:
        """All facts, without a value."""
        return {
            "shape": self.shape,
            "records": self.records,
            "guarantee": dict(self.guarantee),
            "audience": self.audience,
            "preset": self.preset,
            "costs": list(self.costs),
            "person": self.data.person,
            "columns": [column.as_dict() for column in self.columns.values()],
            "notes": list(self.notes),
            "undecided": self.undecided,
        }

    def table(self) -> pl.DataFrame:
        """One row per column: its role and why, its type, and how many people it singles out."""
        rows = [{**column.as_dict(), "with": ", ".join(column.others)} for column in self.columns.values()]
        return pl.DataFrame(rows)

    def plot(self) -> Any:
        """The share of the people whom each quasi-identifier singles out, alone and with others."""
        from shoal.report.figures import series_figure, to_plotly_figure

        quasi = [column for column in self.columns.values() if column.role == "quasi"]
        shares = {
            "alone": [column.alone / max(self.records, 1) for column in quasi],
            "with one or two others": [
                max(column.joint_share, column.alone / max(self.records, 1)) for column in quasi
            ],
        }
        return to_plotly_figure(
            series_figure(shares, [column.name for column in quasi], "people singled out")
        )

    def _repr_html_(self) -> str:
        role_of_column = {column.name: f"{column.role}: {column.why}" for column in self.columns.values()}
        return html_table(f"{self.shape} of {self.records:,} records", role_of_column)


def check_free(folder: Path, force: bool) -> None:
    """Refuse a folder that has shoal.toml or hierarchies/ already, unless files in them are to be replaced.

    Files of hierarchies/ that have other names are somebody's own, and stay.
    """
    toml, hierarchy_folder = folder / TOML, folder / HIERARCHIES
    for path in (toml, hierarchy_folder):
        if os.path.lexists(path) and not force:
            raise InputError(
                f"{path.name}: it is there already, so nothing is written; give --force to replace it, or work in "
                "another folder"
            )
    if toml.is_symlink() or toml.is_dir() or hierarchy_folder.is_symlink() or hierarchy_folder.is_file():
        raise InputError(
            f"{TOML}, {HIERARCHIES}: one is a link, or a folder where a file is wanted; move it away, or work in "
            "another folder"
        )


def summarize_proposal(proposal: Proposal) -> list[str]:
    """What was taken for what, what to look at before `run`, the next command; last, what needs a decision."""
    roles: dict[str, list[str]] = {}
    for column in proposal.columns.values():
        roles.setdefault(column.role, []).append(column.name)
    looks = [column.name for column in proposal.columns.values() if column.advice and not column.undecided]
    numbers = ", ".join(f"{key} = {value}" for key, value in proposal.guarantee.items())
    items = [
        ("read as", _describe_data(proposal)),
        *((role, _list_names(names)) for role in _FIRST if (names := roles.get(role))),
        *(("note", note) for note in proposal.notes),
        *(("follows", f"{name}, {PRESETS[name][0]}") for name in [proposal.preset] if name),
        ("proposes", f"{numbers} for {_describe_audience(proposal)}"),
        *(("", cost) for cost in proposal.costs),
        ("look at", f"{_list_names(looks) if looks else 'the roles and levels'} in {TOML} before you run it"),
    ]
    following = f"decide in {TOML}, then: shoal run" if proposal.undecided else "shoal run"
    lines = [f"{label:<11}{text}" for label, text in (*items, ("next", following))]
    if not proposal.undecided:
        return lines
    count = len(proposal.undecided)
    return [
        *lines,
        f"{_decisions_in_words(count)}, and shoal run waits for {'it' if count == 1 else 'them'}:",
        *(
            f"  {undecided_name(name)}: {why}{_likely_role(proposal, name)}"
            for name, why in proposal.undecided.items()
        ),
        f"Each {SHAPE_WORDS[proposal.shape].holder} has its line in {TOML}, and other answers behind a # below it: "
        "change what is wrong, and delete its line in [undecided].",
        "To publish what is proposed without deciding: shoal run --as-proposed. The certificate will say so.",
    ]


def _decisions_in_words(many: int) -> str:
    return "1 decision is open" if many == 1 else f"{many} decisions are open"


def _likely_role(proposal: Proposal, name: str) -> str:
    """What was proposed of a column that needs a decision."""
    return "" if name == WHOLE_FILE else f" (most likely {proposal.columns[name].role}, as proposed)"


def _describe_audience(proposal: Proposal) -> str:
    return f"{AUDIENCES[proposal.audience].words} (--for {proposal.audience})"


def _describe_data(proposal: Proposal) -> str:
    return SHAPE_WORDS[proposal.shape].counted.format(many=f"{proposal.records:,}")


def _list_names(names: list[str], most: int = 6) -> str:
    listing = ", ".join(names[:most])
    return listing if len(names) <= most else f"{listing} and {len(names) - most} more"


def _toml_lines(proposal: Proposal, names: Mapping[str, str], folder: Path) -> Iterator[str]:
    yield f"# What `shoal init` proposes for {_one_line(proposal.name)}, taken for {_describe_data(proposal)}."
    yield "# Every line gives its reason. Change what is wrong, then: shoal run"
    if count := len(proposal.undecided):
        yield f"# {_decisions_in_words(count)}, as [undecided] says."
    if proposal.preset is not None:
        yield f"# It follows the preset {proposal.preset}: {PRESETS[proposal.preset][0]}."
        yield f"# {find_preset(proposal.preset).limits}"
    below = [*proposal.evidence.values(), *proposal.data.layout.why.values()]  # it stands above its key
    yield from (
        f"# Note: {_one_line(note)}."
        for note in proposal.notes
        if not any(why in note for why in below if why)
    )
    yield ""
    yield from _data_lines(proposal, folder)
    yield ""
    yield from _tree_lines(proposal, names) if proposal.tree is not None else _column_lines(proposal, names)
    yield ""
    if proposal.undecided:
        yield "# shoal run waits until these are decided; the riskiest come first. What is most likely stands above,"
        yield "# with other answers behind a # below it. Change what is wrong, then delete the column's line here."
        yield "[undecided]"
        for name, why in proposal.undecided.items():
            likely = "" if name == WHOLE_FILE else f"  # most likely {proposal.columns[name].role}, as above"
            yield f"{toml_key(name)} = {toml_text(why)}{likely}"
        yield ""
    yield "[guarantee]"
    k = proposal.guarantee.get("k", 2)
    yield f"# {SHAPE_WORDS[proposal.shape].guarantee.format(k=k, others=k - 1)}."
    yield f"# k as advised for {_describe_audience(proposal)}; docs/guarantee/numbers.md has the reasons."
    risk = None if proposal.preset is None else find_preset(proposal.preset).risk
    if risk is not None:
        yield f"# A highest risk of {risk:g} needs k = {least_k(risk)}; say in [release] reason why yours is small."
    yield from (f"# {_one_line(cost)}." for cost in proposal.costs)
    yield from (f"{key} = {value}" for key, value in proposal.guarantee.items())
    if any(column.role == "household" for column in proposal.columns.values()):
        yield "# k counts people, also of one household; remove the # in front, and it counts households."
        yield '# of = "households"'
    yield ""
    yield "[release]"
    if proposal.preset is not None:
        yield (
            "# Its rules are judged on the released data and printed in the report; if one is broken, the release "
            "is refused."
        )
        yield f"preset = {toml_text(proposal.preset)}"
    if proposal.format != FORMATS[0]:
        yield "# The format the data came in: codes with labels of what is released. csv would have the labels."
        yield f"format = {toml_text(proposal.format)}"
    if proposal.tables:
        yield "# No two groups of a column overlap, so people can be counted by them (column-cut)."
        yield "tables = true"
    if proposal.numbers != NUMBER_FORMS[0]:
        yield "# Each class writes its numbers as a range, such as [20, 35], and loses much less than with groups."
        yield "# Such ranges overlap; for groups that one can count by, write tables = true in place of it."
        yield f"numbers = {toml_text(proposal.numbers)}"
    yield "# What the certificate says about the release: fill in what you know, and remove the # in front."
    yield from (f'# {key} = ""  # {words}' for key, words in ABOUT.items())


def _data_lines(proposal: Proposal, folder: Path) -> Iterator[str]:
    data = proposal.data
    yield "[data]"
    if data.path is not None:
        yield f"path = {toml_text(_relative_path(data.path, folder))}"
    if data.url is not None:
        bare = strip_password(data.url)
        if bare != data.url:
            yield "# The password is not kept here: shoal asks for it, or takes it from SHOAL_PASSWORD."
        yield f"url = {toml_text(bare)}"
    if data.table is not None:
        yield f"table = {toml_text(data.table)}"
    if data.person is not None:
        yield "# Rows with the same value belong to one person: judges count persons, not rows."
        yield f"person = {toml_text(data.person)}"
    yield from data.layout.lines()
    if why := proposal.evidence.get("codebook"):
        yield f"# {_one_line(why)}:"
        yield f"# codebook = {toml_text(CODEBOOKS[0])}"
    if data.encoding is not None:
        yield f"encoding = {toml_text(data.encoding)}"
    notation = {
        "missing": None if data.missing == ("",) else list(data.missing),
        "decimal": None if data.decimal == "." else data.decimal,
        "thousands": data.thousands,
        "dates": data.dates,
    }
    for key, value in notation.items():
        if value is not None:
            yield from (f"# {_one_line(why)}." for why in [proposal.evidence.get(key)] if why)
            yield f"{key} = {toml_value(value)}"
    yield from _data_answer_lines(proposal)


def _column_lines(proposal: Proposal, names: Mapping[str, str]) -> Iterator[str]:
    yield "[columns]"
    for column in proposal.columns.values():
        yield from _comment_lines(
            column, proposal.records, "people" if proposal.data.person is None else "rows"
        )
        yield f"{toml_key(column.name)} = {_column_value(column, names.get(column.name))}"
        yield from _alternative_lines(column)


_OTHERS: Mapping[str, tuple[Role, ...]] = {
    "quasi": ("drop", "sensitive"),
    "known": ("quasi", "drop", "sensitive"),
    "sensitive": ("drop", "quasi"),
    "items": ("drop",),
    **dict.fromkeys(("identifier", "drop", "text", "household", "weight"), ("quasi", "sensitive")),
}
"""By the proposed role of a column that needs a decision, which others it may be given with one line."""
_IN_DATA: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "name it in person": [
        ("person", "{name}", "rows with the same {name} are one person's; make it an identifier")
    ],
    'decimal = ","': [("decimal", ",", "the numbers of {name} have a comma before their decimals")],
    'dates = "day first"': [
        ("dates", "day first", "the day stands first in the dates of {name}"),
        ("dates", "month first", "the month stands first in the dates of {name}"),
    ],
}
"""By what a question asks to be written into [data]: a key, its value, and what is the case then."""


def _alternative_lines(one: ColumnProposal) -> Iterator[str]:
    """Lines behind a # that may take the place of a column's line, where it needs a decision."""
    if one.undecided and one.hidden:
        if one.others_to_hide:
            instead = _column_value(replace(one, hidden=one.others_to_hide), None)
            yield f"# {toml_key(one.name)} = {instead}  # instead, if that is what nobody should learn"
        without = _column_value(replace(one, hidden=()), None)
        yield f"# {toml_key(one.name)} = {without}  # instead, if no value is worse: write l = 2 into [guarantee]"
    if one.undecided:
        of_persons: tuple[Role, ...] = ("identifier",) if "name it in person" in one.undecided else ()
        for role in (*of_persons, *_OTHERS.get(one.role, ("drop",))):
            yield f"# {toml_key(one.name)} = {toml_text(role)}  # instead, if this is right: {ROLE_WORDS[role].short}"


def _data_answer_lines(proposal: Proposal) -> Iterator[str]:
    """Lines behind a # for what questions ask to be written into [data]."""
    for column in proposal.columns.values():
        for key, value, case in chain(
            *(_IN_DATA[question] for question in _IN_DATA if question in column.undecided)
        ):
            written = toml_text(value.format(name=column.name))
            yield f"# {key} = {written}  # if {case.format(name=_one_line(column.name))}: remove the # in front"


def _tree_lines(proposal: Proposal, names: Mapping[str, str]) -> Iterator[str]:
    tree = proposal.config().tree
    assert tree is not None
    yield "[tree]"
    if tree.person is not None:
        yield "# The table with one row per person; the other tables hang below it."
        yield f"person = {toml_text(tree.person)}"
    for one in proposal.columns.values():
        if one.name == tree.identifier:
            yield from _comment_lines(one, proposal.records)
            yield f"identifier = {toml_text(one.name)}"
        elif one.role == "sensitive":
            yield from _comment_lines(one, proposal.records)
            yield f"sensitive = {toml_text(one.name)}"
            yield from _drop_hint_lines(one)
    for key, left_out in (("drop", tree.drop), ("text", tree.text)):
        if left_out:
            yield f"{key} = ["
            yield from (
                f"  {toml_text(name)},  # {_one_line(proposal.columns[name].why)}" for name in left_out
            )
            yield "]"
    yield ""
    yield "[tree.hierarchies]"
    for one in proposal.columns.values():
        if one.role == "quasi":
            yield from _comment_lines(one, proposal.records)
            yield f"{toml_key(one.name)} = {_hierarchy_value(one.hierarchy, names.get(one.name))}"
            yield from _drop_hint_lines(one)
        elif one.undecided and one.role != "sensitive":
            yield f"# {toml_key(one.name)} = {{ fanout = 5 }}  # publishes it, if you take it out of the list above"
    if tree.keys:
        yield ""
        yield "# How tables refer to each other, by the names and contents of their columns."
        yield "[tree.keys]"
        yield from (f"{toml_text(low)} = {toml_text(high)}" for low, high in tree.keys.items())


def _drop_hint_lines(one: ColumnProposal) -> Iterator[str]:
    """What to do where a field that needs a decision is not to be published."""
    if one.undecided:
        yield f"# To leave it out: remove the line above, and write {toml_text(one.name)} into drop."


def _comment_lines(one: ColumnProposal, records: int, counted: str = "people") -> Iterator[str]:
    if one.file_label:
        yield f"# {_one_line(one.file_label)}."
    yield f"# {one.role}: {_one_line(one.why)}."
    if one.role in ("quasi", "known", "sensitive", "items"):
        noun = "items" if one.role == "items" else "values"
        missing = f", missing in {one.missing:,}" if one.missing else ""
        alone = (
            f"; alone it singles out {one.alone:,} of {records:,} {counted}" if one.role != "items" else ""
        )
        joint = f", {one.joint_share:.0%} with {_one_line(' and '.join(one.others))}" if one.others else ""
        yield f"# {one.type}, {one.distinct:,} different {noun}{missing}{alone}{joint}."
    if one.levels:
        yield f"# levels: {_one_line(one.levels)}"
    if one.undecided:
        yield f"# To be decided: {_one_line(one.undecided)}."
    elif one.advice:
        yield f"# Look here first: {_one_line(one.advice)}."


def _column_value(one: ColumnProposal, file: str | None) -> str:
    keys: dict[str, str] = {"role": toml_text(one.role)}
    if one.separator is not None:
        keys["separator"] = toml_text(one.separator)
    if one.hierarchy is not None and one.role in ("quasi", "known", "items", "sensitive"):
        keys["hierarchy"] = _hierarchy_value(one.hierarchy, file)
    if one.level is not None:
        keys["level"] = str(one.level)
    if one.own_missing:
        keys["missing"] = toml_value(list(one.own_missing))
    if one.hidden and one.role == "sensitive":
        keys["hidden"] = toml_value(list(one.hidden))
    if one.shared:
        keys["shared"] = "true"
    if list(keys) == ["role"]:
        return keys["role"]
    return f"{{ {', '.join(f'{key} = {value}' for key, value in keys.items())} }}"


def _hierarchy_value(hierarchy: Hierarchy | Mapping[str, Any] | None, file: str | None) -> str:
    if file is not None:
        return f"{{ file = {toml_text(f'{HIERARCHIES}/{file}')}, built = true }}"
    return toml_value(hierarchy)


def _file_names(built: Mapping[str, Hierarchy]) -> dict[str, str]:
    """A file name for each column, made of letters that every system takes."""
    used: set[str] = set()
    numbers: dict[str, int] = {}  # for each name that several would have, the next number behind it
    names = {}
    for column in built:
        stem = re.sub(r"[^\w.-]+", "_", column).strip("._")[:_LETTERS] or "column"
        if _DEVICE.match(stem):
            stem = stem.replace(".", "_")  # nul.txt is the device too, and nul.txt_2
        name, number = stem, numbers.get(stem.casefold(), 2)
        while name.casefold() in used or _DEVICE.match(f"{name}."):
            name, number = f"{stem}_{number}", number + 1
        used.add(name.casefold())
        numbers[stem.casefold()] = number
        names[column] = f"{name}.csv"
    return names


def _relative_path(path: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


def _one_line(text: str) -> str:
    """Text that stays within its comment."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
