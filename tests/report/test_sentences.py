"""Every sentence of a certificate and of an audit is so: tied to the fact that makes it true, or true of any release.

`TIED` has a line for each sentence that is true of some releases only: its words, the fact, and a release of which it
is a fact and one of which it is not. A fact is found out here, from the released files, the configuration and the
originals, by nothing that writes pages. Whatever else stands on a page is in `sentences.txt`, where it was read as true
of any release, or is somebody's own words: those of the claim, of a loss, of a parameter, of an attacker, of a preset.

A new sentence goes into one of the two: what depends on something is a line of `TIED`.
"""

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from json import loads
from pathlib import Path
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from lxml import html

from certificate_cases import CASES, DRAWN, KEY, draw, make
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.jobs.configured import verify
from shoal.privacy import claim_from_dict
from shoal.report.words import PUBLISHED, ROLE_WORDS
from shoal.utility import LOSSES

BLOCKS = {"h1", "h2", "h3", "p", "li", "dt", "dd", "td", "th", "caption", "summary", "figcaption"}
WORDS = 4  # what has fewer is a name or a number
BOUNDS = ("l", "t", "beta", "disclosure", "alpha")


# --- a release, its configuration and its data, as anybody finds them in the folders


@dataclass(frozen=True)
class Made:
    """A release of a case, in `room`."""

    case: object
    room: Path

    @cached_property
    def manifest(self):
        return loads((self.room / "out/manifest.json").read_text())

    @cached_property
    def recoding(self):
        return loads((self.room / "out.private/recoding.json").read_text())

    @cached_property
    def cells(self):
        """Released rows, a dict of texts each; none of trees."""
        path = self.room / "out/data.csv"
        return pl.read_csv(path, infer_schema=False).to_dicts() if path.exists() else []

    @cached_property
    def originals(self):
        return pl.read_csv(self.room / self.case.data, infer_schema=False) if self.shape != "trees" else None

    @cached_property
    def trees(self):
        return [loads(line) for line in next((self.room / "out").glob("*.ndjson")).read_text().splitlines()]

    @property
    def shape(self):
        return self.manifest["shape"]

    @property
    def asked(self):
        return self.case.guarantee

    @property
    def roles(self):
        return self.manifest["columns"]

    def spec(self, name):
        """What the configuration says of a column."""
        said = self.case.columns.get(name, {})
        return said if isinstance(said, dict) else {"role": said}

    def holds(self, role):
        """The released columns of a role, but for those that baskets by vote have beside their items."""
        return [
            name for name, own in self.roles.items() if own == role and not (self.votes and name == "errors")
        ]

    @property
    def votes(self):
        return self.shape == "baskets" and "m" not in self.asked

    @property
    def quasi(self):
        return self.holds("quasi")

    def as_came(self, name):
        """Whether every released cell of a column is one of the originals'."""
        came = {*self.originals[name].to_list()}
        return all(row[name] in came for row in self.cells if row[name] is not None)

    def groups(self, names):
        """Released rows by what they hold in some columns."""
        found = {}
        for row in self.cells:
            found.setdefault(tuple(row[name] for name in names), []).append(row)
        return [*found.values()]

    @property
    def recoded(self):
        """The columns that a method recodes along a hierarchy, but for means of numbers."""
        means = ["age"] if self.case.method.get("recode") == "mean" else []
        return [name for name in [*self.quasi, *self.holds("items")] if name not in means]

    @property
    def declared(self):
        """Those whose hierarchy is a file of its owner's, or is made of a register, so that anybody may know it."""
        files = [
            name for name in self.recoded if isinstance(self.spec(self.came_as(name)).get("hierarchy"), str)
        ]
        return files if "path" not in self.case.population else self.recoded

    @property
    def narrow(self):
        """Whether labels of a table say that all they stand for is in use: not at fixed levels, nor where none is."""
        by_label = "levels" not in self.recoding and "subsets" not in self.asked
        return by_label and any(not self.as_came(name) for name in self.recoded)

    @property
    def undeclared(self):
        return [name for name in self.recoded if name not in self.declared]

    def came_as(self, name):
        """What a released column was called."""
        return "bought" if self.shape == "baskets" and name == "items" else name

    @cached_property
    def persons(self):
        """Whether several rows may be one person's."""
        return bool(self.case.person) or self.asked.get("of") == "households"

    def judged(self, *, config=False, against=False, rows=True):
        """What `verify` says of the folder, with or without what stands beside it."""
        folder, private = self.room / "out", self.room / "out.private/rows.parquet"
        aside = private.with_suffix(".aside")
        if private.exists() and not rows:
            shutil.move(private, aside)
        try:
            more = {"config": self.room / "shoal.toml"} if config else {}
            more |= {"against": self.room / self.case.data} if against else {}
            with patch.dict(os.environ, KEY):
                return bool(verify(folder, **more))
        finally:
            if aside.exists():
                shutil.move(aside, private)

    def page(self, name):
        """The sentences of a page, and its rows of tables, cells with bars between them."""
        path = {"report": "out/report.html", "audit": "out.private/audit.html"}[name]
        tree = html.fromstring((self.room / path).read_text())
        for gone in tree.xpath("//script | //style | //svg"):
            gone.drop_tree()
        blocks = [
            e
            for e in tree.iter()
            if e.tag in BLOCKS and not any(c.tag in BLOCKS for c in e.iterdescendants())
        ]
        texts = [" ".join("".join(block.itertext()).split()) for block in blocks]
        rows = [
            " | ".join(" ".join("".join(cell.itertext()).split()) for cell in row)
            for row in tree.xpath("//tr")
        ]
        return [line for text in texts for line in re.split(r"(?<=[.:!?]) +(?=[A-Z\"])", text) if line], rows


# --- facts


def never(made):
    return False


def names_of(found):
    """Names in a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(found[:-1]), found[-1]]) if len(found) > 1 else "".join(found)


def stated(made):
    return [name for name in BOUNDS if name in made.asked]


def limits_inference(made):
    """Whether the claim is one whose limits say what can be inferred of attributes."""
    of_classes = (
        made.shape == "table" and "subsets" not in made.asked and "pseudonym" not in made.roles.values()
    )
    return of_classes or made.shape == "trees"


def is_modelled(made):
    """Whether a model of the population can say how many are unique in it: each row is a person of known weight."""
    is_sample = "size" in made.case.population or made.spec("wt").get("role") == "weight"
    return is_sample and made.shape == "table" and len(made.quasi) > 1 and not made.persons


def weight_way(made):
    """How a sampling weight is published that is not published as it is."""
    return made.spec("wt").get("release") if "wt" in made.roles else None


def pairs_with(made, pattern):
    """Columns whose specification has a key."""
    return [name for name in made.roles if pattern in made.spec(name)]


def has_sensitive(made):
    return bool(made.holds("sensitive") or made.case.tree.get("sensitive"))


def one_value(made, name):
    """How many records have the same sensitive value as all of at least two that look like them."""
    alone = [
        rows for rows in made.groups(made.quasi) if len(rows) > 1 and len({row[name] for row in rows}) == 1
    ]
    return sum(map(len, alone))


def one_everywhere(made):
    """The first column or field that may be known and shows one value, and how many records have it."""
    if made.shape == "trees":
        held = {}
        for place, tree in enumerate(made.trees):
            for path, value in leaves(tree):
                if path != made.case.tree.get("sensitive"):
                    held.setdefault(path, []).append((place, value))
        columns = {
            path: ({value for _, value in some}, len({place for place, _ in some}))
            for path, some in held.items()
        }
    else:
        columns = {name: ({row[name] for row in made.cells}, len(made.cells)) for name in made.quasi}
    return next(((name, str(many)) for name, (values, many) in columns.items() if len(values) == 1), None)


def leaves(node, path=""):
    """The fields and values of a record."""
    if isinstance(node, list):
        return [found for one in node for found in leaves(one, path)]
    if isinstance(node, dict):
        return [found for name, one in node.items() for found in leaves(one, f"{path}.{name}".strip("."))]
    return [] if node is None else [(path, node)]


def size(made):
    """How many records look alike at least, by the numbers of the claim; 1 where it states none."""
    return made.asked.get("k") or (int(np.ceil(1 / made.asked["risk"])) if "risk" in made.asked else 1)


def crowd(made):
    """Among how many somebody hides by the claim."""
    return max(size(made), made.asked.get("l", 1) if made.shape == "table" else 1)


def bare(node, secret, path=""):
    """A record or a part of it without one field, as something that can be compared."""
    if path == secret:
        return ()
    if isinstance(node, list):
        inside = [bare(one, secret, path) for one in node]
        return tuple(sorted((one for one in inside if one != ()), key=repr))
    if isinstance(node, dict):
        fields = {name: bare(one, secret, f"{path}.{name}".strip(".")) for name, one in node.items()}
        return tuple(sorted(((name, one) for name, one in fields.items() if one not in (None, ())), key=repr))
    return node


def wholes(made):
    """What whoever knows all of a person knows of each released record."""
    if made.shape == "trees":
        return [bare(tree, made.case.tree.get("sensitive")) for tree in made.trees]
    items = [name for name, role in made.roles.items() if role == "items"]
    return [
        (*(row[name] for name in made.quasi), *(tuple(sorted(map(str, loads(row[name])))) for name in items))
        for row in made.cells
    ]


def equal_to(made, most):
    """How many records equal at most so many in all, themselves among them."""
    known = wholes(made)
    return sum(known.count(one) <= most for one in known)


def assumes_less(made):
    """Whether whoever knows all of a person knows more than the claim assumes, or classes may be small."""
    if made.shape == "table":
        return "subsets" in made.asked or not {"k", "l", "risk"} & {*made.asked}
    return not made.votes


@dataclass(frozen=True)
class Tied:
    """A sentence and its fact.

    page    : report or audit
    words   : a pattern; with groups, the numbers and names that the fact has to give
    fact    : whether it is so, or the tuple of what the groups hold; None where it is not
    yes, no : a case of which it is so, and one of which it is not; "" where there is none
    """

    page: str
    words: str
    fact: Callable
    yes: str
    no: str


TIED = [
    # what is checked again, and by whom
    Tied("report", "The judge needs nothing but the published files", lambda m: m.judged(), "plain table", "persons"),
    Tied(
        "report",
        "The judge also needs to know which items are sensitive",
        lambda m: not m.judged() and m.judged(config=True) and "population" not in m.case.sections,
        "secret items",
        "baskets",
    ),
    Tied(
        "report",
        "The judge of this claim also needs the population",
        lambda m: not m.judged() and m.judged(config=True) and "population" in m.case.sections,
        "k-map",
        "population",
    ),
    Tied(
        "report",
        r"The judge of this claim also needs the originals\.",
        lambda m: not m.judged(config=True) and m.judged(config=True, against=True, rows=False),
        "votes",
        "persons",
    ),
    Tied(
        "report",
        "The judge of this claim also needs the originals, the configuration, and the private file",
        lambda m: m.persons and not m.judged(config=True, against=True, rows=False),
        "persons",
        "plain table",
    ),
    Tied("report", "forms the classes again",
         lambda m: m.shape in ("table", "mixed") and m.judged() and "subsets" not in m.asked, "plain table", "baskets"),
    Tied("report", r"^(?:truth \| )?Every published value covers the original value that it stands for\.(?: \||$)",
         lambda m: not (m.votes or "mean" in m.case.method.values() or pairs_with(m, "shift") or m.holds("pseudonym")
                        or weight_way(m)),
         "plain table", "means"),
    Tied("report", "It reads the data as published and checks the claim",
         lambda m: m.judged() and (m.shape not in ("table", "mixed") or "subsets" in m.asked), "baskets", "votes"),
    Tied("report", "but for means", lambda m: m.case.method.get("recode") == "mean", "means", "plain table"),
    Tied("report", "but for sampling weights", lambda m: bool(weight_way(m)), "rounded weights", "weights"),
    Tied("report", r"Column wt: sampling weights are rounded, and each is that of at least (\d+) people",
         lambda m: (str(crowd(m)),) if weight_way(m) == "rounded" else None, "rounded weights", "weights in classes"),
    Tied("report", r"sampling weights are those of a few classes, and each is that of at least (\d+) people",
         lambda m: (str(crowd(m)),) if weight_way(m) == "classes" else None, "weights in classes", "rounded weights"),
    Tied("report", "sampling weights are calibrated, so they tell the weighted totals of published values and nothing",
         lambda m: weight_way(m) == "calibrated", "calibrated weights", "weights"),
    Tied("audit", "People alone here expected to be .*, by a log-linear model", is_modelled, "population",
         "plain table"),
    Tied("audit", "The first two figures use the original weights", lambda m: "wt" in m.roles, "weights",
         "hidden weights"),
    Tied("report", "but for shifted dates", lambda m: bool(pairs_with(m, "shift")), "shifted", "persons"),
    Tied("report", r"but for pseudonyms\.", lambda m: bool(m.holds("pseudonym")), "pseudonym", "persons"),
    # what the claim does not promise
    Tied("report", r"What can be inferred about a person's attributes beyond the stated ([^.]*)\.",
         lambda m: (names_of(stated(m)),) if limits_inference(m) and stated(m) else None, "l and t", "plain table"),
    Tied("report", "attributes: records that look the same may share a sensitive value",
         lambda m: limits_inference(m) and not stated(m), "plain table", "t"),
    Tied("report", "what is published of a person in sensitive or plain columns",
         lambda m: m.shape in ("table", "mixed", "trees") and bool(has_sensitive(m) or m.holds("plain")),
         "plain table", "no sensitive"),
    Tied("report", "all rows that fit a person may carry the same label",
         lambda m: m.votes and "l" not in m.asked and has_sensitive(m), "votes beside labels", "votes"),
    Tied("report", "among the records, that person may stand alone",
         lambda m: bool({"k_map", "presence"} & {*m.asked}), "k-map", "plain table"),
    Tied("report", r"It is bounded by .*, for the values that it covers", lambda m: bool(stated(m)), "t", "risk"),
    Tied("report", "people who look the same may share a value, and then it is known",
         lambda m: not stated(m), "plain table", "beta"),
    Tied("report", r"finds at least (\d+) rows that may be a person's; a guess among them",
         lambda m: (str(crowd(m)),) if crowd(m) > 1 and not m.persons and not m.holds("pseudonym") else None,
         "mixed secret", "k-map"),
    Tied("report", r"finds rows of at least (\d+) people that",
         lambda m: (str(crowd(m)),) if m.case.person or m.holds("pseudonym") else None, "persons", "households"),
    Tied("report", r"finds rows of at least (\d+) households that",
         lambda m: (str(crowd(m)),) if m.asked.get("of") else None, "households", "persons"),
    Tied("report", "The claim does not bound among how many rows", lambda m: crowd(m) == 1, "k-map", "l alone"),
    Tied("report", "[Aa]nyone who knows .*, can find|nobody alone|Anyone who knows .* can find",
         assumes_less, "trees", "votes"),
    Tied("report", r"can find ([\d,]+|none) of ([\d,]+)",
         lambda m: (f"{equal_to(m, 1) or 'none'}", f"{len(wholes(m))}")
         if assumes_less(m) and equal_to(m, max(crowd(m), 2) - 1) else None, "trees", "plain table"),
    Tied("report", r"; ([\d,]+) more share theirs with fewer than (\d+) others",
         lambda m: (f"{equal_to(m, crowd(m) - 1) - equal_to(m, 1)}", f"{crowd(m) - 1}")
         if assumes_less(m) and equal_to(m, crowd(m) - 1) > equal_to(m, 1) else None, "trees", "k-map"),
    # numbers at the top
    Tied("report", r"This report belongs to .*: ([\d,]+) records", lambda m: (f"{m.manifest['records_out']:,}",),
         "trees", ""),
    Tied("report", r"^none suppressed|; none suppressed", lambda m: len(m.cells or m.trees) == m.manifest["records_in"],
         "strict", "plain table"),
    # what is worth knowing
    Tied("report", "^Rehearsal: this was made with", lambda m: "seed" in m.case.options, "rehearsal", "t"),
    Tied("report", r"The owner of the data allowed column (\w+) to be published",
         lambda m: next(((name,) for name in m.roles if m.spec(name).get("allow")), None), "allowed", "t"),
    Tied("report", r"Column (\w+): each number is the mean of at least (\d+) people",
         lambda m: ("age", str(m.asked["k"])) if m.case.method.get("recode") == "mean" else None, "means", "t"),
    Tied("report", r"Column (\w+): dates are shifted", lambda m: next(((n,) for n in pairs_with(m, "shift")), None),
         "shifted", "persons"),
    Tied("report", r"(\d+) records have the same ill as everybody who looks like them, so",
         lambda m: (str(one_value(m, "ill")),)
         if m.shape == "table" and "ill" in m.holds("sensitive") and not m.holds("pseudonym") and one_value(m, "ill")
         else None, "plain table", "ranges and l"),
    Tied("report", r"Column ([\w.]+) shows the same in all (\d+) records that have it", one_everywhere,
         "trees with l", "t"),
    Tied("report", r"(\d+) records have the same (\w+) in the same row as everybody with the same rows",
         lambda m: (str(one_value(m, "ill")), "ill") if m.holds("pseudonym") and one_value(m, "ill") else None,
         "pseudonym", "plain table"),
    Tied("report", "and so finds the shift of column", lambda m: bool(pairs_with(m, "shift")), "shifted", "persons"),
    Tied("report", "At least this many different sensitive values are possible for a person",
         lambda m: "l" in m.asked and (m.shape == "table" or m.votes), "l alone", "mixed secret"),
    Tied("report", "At most one in this many of the records that fit holds any one sensitive value",
         lambda m: "l" in m.asked and m.shape != "table" and not m.votes, "trees with l", "l alone"),
    Tied("report", "Each rule was judged on what is published and on nothing else",
         lambda m: "preset" in m.case.release, "wp29", "plain table"),
    Tied("report", r"The hierarchies of (.+) were not declared as public",
         lambda m: (names_of(m.undeclared),) if m.undeclared and m.declared else None, "declared", "plain table"),
    Tied("report", "on behalf of A clinic", lambda m: "controller" in m.case.release, "owner", "plain table"),
    Tied("report", "^The rules of ", lambda m: "preset" in m.case.release, "wp29", "plain table"),
    Tied("report", "^Preset wp29: all [0-9]+ rules are kept",
         lambda m: "preset" in m.case.release
         and {rule["verdict"] for rule in m.manifest["preset"]["rules"]} == {"yes"}, "wp29", "plain table"),
    Tied("report", "How large the trees are", lambda m: m.shape == "trees", "trees", "baskets"),
    # the audit
    Tied("audit", "because the configuration asks for it", never, "", "ranges and l"),
    Tied("audit", r"rows\.parquet beside this page says", lambda m: (m.room / "out.private/rows.parquet").exists(),
         "plain table", "no sensitive"),
    Tied("audit", "Level 0 keeps a value as it is", lambda m: "levels" in m.recoding, "levels", "plain table"),
    Tied("audit", r"No relation was cut\.", lambda m: m.recoding.get("disassociations") == [], "trees", "plain table"),
    Tied("audit", "With k = .*, below 5, anyone who knows",
         lambda m: m.shape == "table" and 2 <= size(m) < 5 and m.narrow, "plain table", "expert"),
    Tied("audit", "Without a k anyone who knows", lambda m: m.shape == "table" and size(m) == 1 and m.narrow,
         "l alone", "plain table"),
    Tied("audit", "Ask for l of at least 2, and no class reveals",
         lambda m: m.shape == "table" and "subsets" not in m.asked and not m.holds("pseudonym")
         and any(one_value(m, name) for name in m.holds("sensitive") if "hidden" not in m.spec(name)),
         "plain table", "known subsets beside one value"),
    Tied("audit", "If nobody should learn ill at all, ask for l in place of hidden values",
         lambda m: "hidden" in m.spec("ill") and bool(one_value(m, "ill")), "hidden", "plain table"),
    Tied("audit", "With subsets there is no l, so leave",
         lambda m: "subsets" in m.asked and any(one_value(m, name) for name in m.holds("sensitive")),
         "known subsets beside one value", "several sensitive"),
    Tied("audit", "With a pseudonym that links rows there is no l, so leave",
         lambda m: bool(m.holds("pseudonym")) and any(one_value(m, name) for name in m.holds("sensitive")),
         "pseudonym", "plain table"),
    Tied("audit", "how much less depends on how many people the data were drawn from",
         lambda m: "size" not in m.case.population, "plain table", "population"),
    Tied("audit", "the chance shown is the expected one, as if the data were drawn at random",
         lambda m: "size" in m.case.population, "population", "plain table"),
    Tied("audit", "Each attacker was also tried on people who are not in the release",
         lambda m: "control" in m.case.audit, "control", "plain table"),
    Tied("audit", "The release gives every mean and quartile exactly",
         lambda m: m.shape in ("table", "mixed") and m.manifest["suppressed"] == 0 and "age" in m.quasi
         and m.as_came("age") and all(row["age"] for row in m.cells) and "recode" not in m.case.method,
         "presence", "plain table"),
]  # fmt: skip


def columns_of(made):
    """What a certificate lists: the columns with their roles, or the fields of record trees."""
    if made.shape != "trees":
        return made.roles
    fields = dict.fromkeys(path for tree in made.trees for path, _ in leaves(tree))
    return {path: "sensitive" if path == made.case.tree.get("sensitive") else "tree" for path in fields}


def is_published_so(made, name, role, said):
    """Whether a column is published as its certificate says, by its cells and its configuration."""
    if made.votes and name in BY_VOTE:
        return said == BY_VOTE[name]
    if role == "pseudonym":
        return said == "a keyed token, which links that person's rows"
    if "shift" in made.spec(name):
        return said.startswith("shifted dates")
    if role == "quasi" and name == "age" and made.case.method.get("recode") == "mean":
        return said == "the mean of each class"
    if "release" in made.spec(name):
        return said.startswith("sampling weights")
    if made.shape == "trees" and role == "sensitive":
        return said == "as it is"
    if role in ("sensitive", "plain"):
        return said == ("as it is" if made.as_came(name) else "ranges or groups of one fixed level")
    return are_labels_so(made, name, {*re.split(", | and ", said.partition(", such as ")[0])})


BY_VOTE = {
    "items": "what most of several baskets hold, so some items may be wrong",
    "uncertain": "items that may be wrong",
    "errors": "how many of the uncertain items are wrong at most",
}
LOOKS = {
    "* (no value)": lambda text: text == "*",
    "ranges": lambda text: text[0] in "[(" and "," in text and not text.startswith("(group"),
    "first characters": lambda text: text != "*" and text.endswith("*"),
}


def are_labels_so(made, name, said):
    """Whether the forms that are said of a recoded column are those of its labels."""
    if made.shape == "trees":
        labels = {str(value) for tree in made.trees for path, value in leaves(tree) if path == name}
    else:
        cells = [row[name] for row in made.cells if row[name] is not None]
        is_list = made.roles[name] == "items"
        items = [item for cell in cells for item in (loads(cell) if is_list else [cell])]
        labels = {f"{{{', '.join(item)}}}" if isinstance(item, list) else str(item) for item in items}
    if not labels:
        return said == {"blank cells"}
    words = {text for text in labels if not any(looks(text) for looks in LOOKS.values())}
    shown = {form for form, looks in LOOKS.items() if any(map(looks, labels))}
    rest = said - {*LOOKS}
    if (
        said & {*LOOKS} != shown
        or bool(rest) != bool(words)
        or rest - {"exact values", "groups", "values or groups"}
    ):
        return False
    if made.originals is None or made.roles.get(name) == "items":
        return True
    came = {str(value) for value in made.originals[name].to_list()}
    return not ("exact values" in rest and not words & came) and not ("groups" in rest and words <= came)


# --- the laws


def check(made, case):
    """Every line of the table, of one release; a list of what is wrong."""
    wrong = []
    pages = {name: made.page(name) for name in ("report", "audit")}
    for line in TIED:
        sentences, rows = pages[line.page]
        matches = [match for text in (*sentences, *rows) if (match := re.search(line.words, text))]
        fact = line.fact(made)
        if bool(matches) != bool(fact):
            wrong.append(
                f"{case}, {line.page}: {line.words!r} {'stands' if matches else 'is missing'}: {fact}"
            )
        elif isinstance(fact, tuple) and fact not in [match.groups() for match in matches]:
            wrong.append(f"{case}, {line.page}: {line.words!r} says {matches[0].groups()}, and it is {fact}")
        if (case == line.yes and not fact) or (case == line.no and fact):
            wrong.append(f"{case} does not show {line.words!r} as its line says: {fact}")
    for name, role in columns_of(made).items():
        start = f"{name} | {ROLE_WORDS[role].named}"
        (row,) = [row for row in pages["report"][1] if row.startswith(start) and row.count(" | ") == 2]
        if not is_published_so(made, name, role, row.rpartition(" | ")[2]):
            wrong.append(f"{case}: {row!r}")
    return wrong


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    return tmp_path_factory.mktemp("certificates")


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_stands_where_it_is_so(name, room):
    made = Made(CASES[name], room / re.sub(r"\W", "_", name))
    make(made.case, made.room, seed=1)
    assert check(made, name) == []
    assert unknown(made) == []


@pytest.mark.parametrize("seed", range(DRAWN))
def test_a_sentence_stands_where_it_is_so_of_drawn_releases(seed, room):
    case = draw(seed)
    made = Made(case, room / f"drawn_{seed}")
    make(case, made.room, seed)
    assert check(made, f"drawn {seed}: {case.sections}") == []
    assert unknown(made) == []


def test_every_line_has_a_release_of_which_it_is_not_so():
    """And but for what must never stand, one of which it is; the law above looks whether they are."""
    named = {name for line in TIED for name in (line.yes, line.no)} - {""}
    assert named <= {*CASES}
    assert all(line.no or line.yes for line in TIED)


# --- what else stands on a page

KNOWN = Path(__file__).with_name("sentences.txt")


def shape_of(text, made):
    """A sentence without its numbers and names."""
    came = (
        made.originals.columns if made.originals is not None else ["id", "age", "visits.ward", "visits.ill"]
    )
    names = sorted({*made.roles, *came} - {"items", "nodes"}, key=len, reverse=True)
    text = re.sub(r"^([Ww]hether somebody [^:]*): .*", r"\1:", text)  # figures of attackers
    text = re.sub(rf"(?<![\w.])({'|'.join(map(re.escape, names))})(?!\w)(?!\.\w)", "@", text)
    text = re.sub(r"@(, @)*( and @)?", "@", text)
    text = re.sub(r"((?<!\w)[<>-]*)?[0-9][0-9,.]*(e-[0-9]+)?(?<![.,])", "#", text)
    return re.sub(r"@ by #%(, @ by #%)*", "@ by #%", text)


def own_words(made):
    """What others say: the claim, losses, parameters, attackers, the preset, the search, the data, their owner."""
    audit, claim = (
        loads((made.room / "out.private/audit.json").read_text()),
        claim_from_dict(made.manifest["claim"]),
    )
    told = [claim.attacker, *claim.not_covered, audit["report"]["verdict"]["sentence"]]
    told += [
        claim.headline(made.quasi, made.holds("sensitive")),
        " and ".join(part.named for part in claim.parts),
    ]
    told += [part.attacker for part in claim.parts]
    told += [loss.words for loss in LOSSES.values()]
    told += [knob.about for name in METHODS for knob in knobs(name)]
    told += [text for rule in made.manifest.get("preset", {}).get("rules", []) for text in rule.values()]
    told += [made.manifest.get("preset", {}).get("limits", "")]
    told += [str(value) for name in ("title", "controller", "reason") if (value := made.manifest.get(name))]
    told += [str(part) for item in audit["trace"].items() for part in item] + [*audit["times"]]
    told += [one["sentence"] for one in audit["attack"]["attackers"]] + audit["attack"]["not_played"]
    return [text.strip().rstrip(".").lower() for text in told if text]


def is_value(text, made):
    """Whether a text is parameters of the method, values of the data, or the title with a day."""
    parameters = {*made.manifest["method"]["parameters"]}
    values = (
        "ale|rum|bun|pie|HIV|flu|drink|food|disease|group|[(\\[]?[0-9#]+[)\\]]?|of|[(\\[][0-9]+, [0-9]+\\)"
    )
    title = made.manifest.get("title", "\0")
    forms = "|".join(map(re.escape, PUBLISHED.values()))
    if re.fullmatch(f"({forms})((, | and )({forms}))*(, such as .*)?", text):  # the law above looks at these
        return True
    name, _, inside = text.partition(" (")
    if name == made.manifest["method"]["name"] and inside:
        text = inside.removesuffix(")")
    return (
        all(part.split()[0] in parameters for part in text.split(", ") if part)
        or text.startswith(title)
        or (re.fullmatch(rf"(({values})[;, ]*)+", text) is not None)
    )


def unknown(made):
    """Sentences that are neither tied, nor known, nor somebody's own words."""
    known, told, found = {*KNOWN.read_text().splitlines()}, own_words(made), set()
    for page in ("report", "audit"):
        for text in made.page(page)[0]:
            said = text.strip().rstrip(".").lower()
            own = any(said in words or words in said for words in told if len(words) > 9)
            tied = any(re.search(line.words, text) for line in TIED)
            if len(text.split()) < WORDS or own or tied or is_value(text, made):
                continue
            if (shape := shape_of(text, made)) not in known:
                found.add(shape)
    return sorted(found)


def test_known_sentences_are_in_order_and_once():
    lines = KNOWN.read_text().splitlines()
    assert all(one < other for one, other in pairwise(lines))
