"""Every claim judged on what was written, from its definition, by counting; nothing here may import shoal.

Rows and trees are those of `naive_reading`. `paths` holds by column, or by class of trees, one path per value as
`naive_hierarchies` reads them: the value first, None where it is the empty cell, the root last.

What can be known is counted once for each row that it is true of, so that a few hundred rows are judged in no time.
"""

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import exp, log
from unicodedata import category, normalize

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

import naive
import naive_claims
import naive_itemsets
import naive_trees

MISSING = "?"
GONE = "missing"  # what labels call empty cells
"""How lists of values name the empty cell, where a hierarchy has a leaf for it."""
_RANGE = re.compile(r"\[([^\s,]+), ([^\s,]+)([\])])")
_BEYOND = re.compile(r"(>=|<=|<) (\S+)")


class UnreadableError(AssertionError):
    """A published label that stands for nothing in a hierarchy."""


@dataclass(frozen=True)
class Written:
    """What was released, and whatever else the definitions speak of.

    rows      : the released rows, or record trees
    quasi     : the quasi-identifiers
    sensitive : the sensitive columns; the label of baskets that are published by vote
    plain     : the other columns that are published
    known     : those of the quasi-identifiers of which somebody may know a few
    paths     : the hierarchies
    persons   : whom each row belongs to; None where each is a person
    secrets   : the sensitive items
    secret    : the sensitive class of trees
    originals : the original baskets
    """

    rows: list
    quasi: tuple = ()
    sensitive: tuple = ()
    paths: dict = field(default_factory=dict)
    persons: list | None = None
    secrets: frozenset = frozenset()
    secret: str | None = None
    originals: list = field(default_factory=list)
    plain: tuple = ()
    known: tuple = ()

    def means(self, column, label):
        """The values that a label stands for."""
        found = self._meanings.get((column, label))
        if found is None:
            found = self._meanings[column, label] = meaning(label, self.paths.get(column))
        return found

    @cached_property
    def _meanings(self):
        return {}

    def classes(self):
        """The classes of rows whose quasi-identifiers stand for the same values."""
        return naive.classes(self.meant())

    def meant(self):
        return [tuple(self.means(name, row[name]) for name in self.quasi) for row in self.rows]

    def who(self):
        return list(range(len(self.rows))) if self.persons is None else self.persons

    def cells(self, column):
        """The sensitive values, equal where people read the same."""
        return [spelled(row[column]) for row in self.rows]

    def baskets(self):
        """The published items, each by what it stands for, in a form that can be sorted."""
        return [frozenset(self.item(item) for item in row["items"]) for row in self.rows]

    def item(self, item):
        found = frozenset(item) if isinstance(item, tuple) else self.means("items", item)
        if len(found) == 1:  # a sensitive item is one in every spelling
            found = {
                secret for secret in self.secrets if {spelled(secret)} == set(map(spelled, found))
            } or found
        return tuple(sorted(found - {None}))

    def hidden(self):
        return frozenset((item,) for item in self.secrets)


def meaning(label, paths):
    """The values that a label stands for: a node's leaves, a list of values, or the numbers of a range."""
    if label is None:
        return frozenset([None])
    if paths is None:
        return frozenset([label])
    below = {path[0] for path in paths if label in path}
    if below:
        return frozenset(below | {None}) if label == paths[0][-1] else frozenset(below)
    if label == GONE:
        return frozenset([None])
    if label.endswith(f" or {GONE}"):
        return meaning(label.removesuffix(f" or {GONE}"), paths) | {None}
    leaves = {path[0] for path in paths} - {None}
    if label.startswith('["'):
        return frozenset(None if value == MISSING else value for value in json.loads(label))
    inside = _inside(label)
    if inside is not None:
        return frozenset(leaf for leaf in leaves if _number(leaf) is not None and inside(_number(leaf)))
    if label.endswith("*"):
        shown = label.rstrip("*")
        return frozenset(leaf for leaf in leaves if len(leaf) > len(shown) and leaf.startswith(shown))
    if label.startswith("*"):
        shown = label.lstrip("*")
        return frozenset(leaf for leaf in leaves if len(leaf) > len(shown) and leaf.endswith(shown))
    raise UnreadableError("a label stands for nothing")


def denies(label, value):
    """Whether whoever reads a label as a range, a list or a mask, with no hierarchy, would leave this value out."""
    if label is None or value is None or label == value:
        return False
    label = label.removesuffix(f" or {GONE}")
    if label.startswith('["'):
        return value not in json.loads(label)
    inside, number = _inside(label), _number(value)
    if inside is not None and number is not None:
        return not inside(number)
    shown = label.rstrip("*")
    return label[-1] == "*" and shown.isdigit() and not value.startswith(shown)


def _inside(label):
    if (found := _RANGE.fullmatch(label)) is not None:
        low, high = Decimal(found[1]), Decimal(found[2])
        return lambda value: low <= value <= high and not (found[3] == ")" and value == high)
    if (found := _BEYOND.fullmatch(label)) is not None:
        end, sign = Decimal(found[2]), found[1]
        return lambda value: value >= end if sign == ">=" else value <= end if sign == "<=" else value < end
    return None


def _number(text):
    try:
        found = Decimal(text)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def unseen(sign):
    """Whether nothing is drawn for a character: Unicode's default-ignorable ones, controls and marks of annotations."""
    code = ord(sign)
    if category(sign) in ("Cc", "Cf"):
        return sign not in "\t\n\v\f\r\x85" and not 0x600 <= code <= 0x605 and code not in _DRAWN
    selector = 0xFE00 <= code <= 0xFE0F or 0x180B <= code <= 0x180F or 0xE0000 <= code <= 0xE0FFF
    filler = code in (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0)
    return selector or filler or 0x2060 <= code <= 0x206F or 0xFFF0 <= code <= 0xFFF8


_DRAWN = {0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440)}
"""Format characters that are drawn."""


def spelled(text):
    """One text for all spellings of a sensitive value: whoever reads them learns the same."""
    if text is None:
        return None
    plain = text
    for _ in range(2):
        plain = "".join(" " if sign == "\u2800" else sign for sign in plain if not unseen(sign))
        plain = normalize("NFKC", normalize("NFKC", plain).casefold())
    plain = " ".join(plain.split())
    if re.fullmatch(r"[+-]?(0|[1-9][0-9]*)?(\.[0-9]*)?(e[+-]?[0-9]+)?", plain) and any(
        map(str.isdigit, plain)
    ):
        plain = str(Fraction(plain.rstrip(".") if "e" not in plain else plain))
    return plain or None


def k_anonymity(written, k, **_):
    return naive.under(written.meant(), k, written.who())


def average_risk(written, average_risk, **_):
    met = naive_claims.average_risk(naive.classes(written.meant()), written.who())
    return list(range(1, len(written.rows) + 1)) if met > Fraction(str(average_risk)) else []


def known_subsets(written, k, subsets, **_):
    rows = [tuple(row[name] for name in written.quasi) for row in written.rows]
    names = list(written.quasi)
    if isinstance(subsets, int):
        sets = list(combinations(range(len(names)), min(subsets, len(names))))
    else:
        sets = [[names.index(name) for name in one] for one in subsets]
    return naive.unfit(rows, k, sets, written.who())


def seen_by_knowledge(written, known_at_once, follows=()):
    """The release as somebody sees it who knows the core, some known columns, and what follows from them."""
    core = tuple(name for name in written.quasi if name not in written.known)
    for some in combinations(written.known, min(known_at_once, len(written.known))):
        known = set(some)
        while told := {name for source, name in follows if known >= set(source)} - known:
            known |= told
        yield replace(written, quasi=(*core, *sorted(known)), known=())


def known_columns(written, k, known_at_once, follows=(), **_):
    return [
        row for view in seen_by_knowledge(written, known_at_once, follows) for row in k_anonymity(view, k)
    ]


def l_diversity(written, l, diversity="distinct", c=3.0, k=1, **_):
    who = written.who()
    return k_anonymity(written, k) + _wrong_classes(
        written,
        lambda cells, members: (
            not naive.diverse(
                [cells[place] for place in members], l, diversity, c, [who[place] for place in members]
            )
        ),
    )


def t_closeness(written, t, distance="equal", k=1, **_):
    limit = Fraction(str(t)) + Fraction(1, 10**9)
    found, measure = k_anonymity(written, k), _by_share if distance == "equal" else _by_order
    for column in written.sensitive:
        found += _wrong_classes(
            written, lambda cells, members: measure(written, cells, members) > limit, (column,)
        )
    return found


def _by_share(written, cells, members):
    part, whole = _shares(written, cells, members), _shares(written, cells, range(len(cells)))
    return sum(abs(part.get(value, 0) - share) for value, share in whole.items()) / 2


def _by_order(written, cells, members):
    """The earth mover's distance along an order: by number where all are numbers, else as text."""
    numbers = {cell: _as_number(cell) for cell in cells if cell is not None}
    place = {cell: _as_text(cell) for cell in numbers} if None in numbers.values() else numbers
    known = sorted(place, key=lambda cell: place[cell])
    orders = [[None, *known], [*known, None]] if None in cells else [known]
    part, whole = _shares(written, cells, members), _shares(written, cells, range(len(cells)))
    return max(_work(part, whole, order) for order in orders)


def _as_number(cell):
    """The number behind a value in one spelling, which is a fraction there."""
    try:
        return Fraction(cell)
    except ValueError:
        found = _number(cell)
        return None if found is None else Fraction(found)


def _as_text(cell):
    """A value in one spelling as people write it: numbers with their decimals."""
    try:
        number = Fraction(cell)
    except ValueError:
        return cell
    return format((Decimal(number.numerator) / Decimal(number.denominator)).normalize(), "f")


def _work(part, whole, order):
    carried = work = Fraction(0)
    for value in order[:-1]:
        carried += part.get(value, 0) - whole.get(value, 0)
        work += abs(carried)
    return work / max(len(order) - 1, 1)


def _shares(written, cells, places):
    who = written.who()
    having = Counter(value for _, value in {(who[place], cells[place]) for place in places})
    return {value: Fraction(count, having.total()) for value, count in having.items()}


def _holders(written, cells, places):
    """By value, the share of persons in some rows who have it in any of them."""
    who = written.who()
    people = len({who[place] for place in places})
    having = Counter(value for _, value in {(who[place], cells[place]) for place in places})
    return {value: Fraction(count, people) for value, count in having.items()}


def beta_likeness(written, beta, likeness="basic", k=1, **_):
    """No value is likelier in a class than it may become: by beta, and where it is enhanced, by -ln of its share."""
    limit = Fraction(str(beta)) + Fraction(1, 10**9)

    def unlike(cells, members, whole):
        part = _holders(written, cells, members)
        gains = {value: (share - whole[value]) / whole[value] for value, share in part.items()}
        return any(
            gain > limit or (likeness == "enhanced" and gain > max(0, -log(whole[value])))
            for value, gain in gains.items()
        )

    return k_anonymity(written, k) + _beside_all(written, unlike)


def delta_disclosure(written, disclosure, k=1, **_):
    """No value, not even one that is absent, is e^delta times likelier or less likely in a class than in all rows."""
    factor = Fraction(exp(disclosure))

    def telling(cells, members, whole):
        part = _holders(written, cells, members)
        return any(not 1 / factor < part.get(value, 0) / share < factor for value, share in whole.items())

    return k_anonymity(written, k) + _beside_all(written, telling)


def _beside_all(written, wrong):
    """The rows of the classes that are wrong in some sensitive column beside what all rows hold."""
    found = []
    for column in written.sensitive:
        whole = _holders(written, written.cells(column), range(len(written.rows)))
        found += _wrong_classes(
            written, lambda cells, members, whole=whole: wrong(cells, members, whole), (column,)
        )
    return found


def alpha_k_anonymity(written, alpha, k, **_):
    """No value has more than a share alpha of a class, if all its empty cells hide that value."""
    who, limit = written.who(), Fraction(str(alpha)) + Fraction(1, 10**9)

    def frequent(cells, members):
        people = {who[place] for place in members}
        hiding = {who[place] for place in members if cells[place] is None}
        having = defaultdict(set)
        for place in members:
            having[cells[place]].add(who[place])
        return any(Fraction(len(some | hiding), len(people)) > limit for some in having.values())

    return k_anonymity(written, k) + _wrong_classes(written, frequent)


def hidden_values(written, hidden, alpha=0.5, k=1, **_):
    """Of no class has more than a share alpha a hidden value in a column, an empty cell being one."""
    who, limit = written.who(), Fraction(str(alpha)) + Fraction(1, 10**9)
    found = k_anonymity(written, k)
    for column, values in hidden.items():
        secret = {None, *map(spelled, values)}

        def exposing(cells, members, secret=secret):
            exposed = {who[place] for place in members if cells[place] in secret}
            return Fraction(len(exposed), len({who[place] for place in members})) > limit

        found += _wrong_classes(written, exposing, (column,))
    return found


def _wrong_classes(written, wrong, columns=None):
    """The rows of the classes that are wrong in some sensitive column."""
    found = []
    for column in written.sensitive if columns is None else columns:
        cells = written.cells(column)
        found += [place + 1 for members in written.classes() if wrong(cells, members) for place in members]
    return found


def _known(baskets, m, hidden=frozenset()):
    """By what can be known, up to m items that are not hidden, the places of the baskets that hold it."""
    found = defaultdict(list)
    for place, basket in enumerate(baskets):
        seen = sorted(basket - hidden)
        for size in range(min(m, len(seen)) + 1):
            for some in combinations(seen, size):
                found[some].append(place)
    return found


def _all_of(pieces):
    return sorted({place + 1 for places in pieces for place in places})


def _tells(places, baskets, hidden, l):
    """Whether a sensitive item is in more than one in l of some baskets; of several together it is in no more."""
    most = Counter(item for place in places for item in baskets[place] & hidden)
    return any(l * count > len(places) for count in most.values())


def km_anonymity(written, k, m, **_):
    known = _known(written.baskets(), m)
    return _all_of(places for some, places in known.items() if some and len(places) < k)


def lm_diversity(written, l, m, k=1, **_):
    baskets, hidden = written.baskets(), written.hidden()
    known = _known(baskets, m, hidden)
    known[()] = list(range(len(baskets)))
    return _all_of(
        places for places in known.values() if len(places) < k or _tells(places, baskets, hidden, l)
    )


def listed_itemsets(written, k, privacy, **_):
    baskets = written.baskets()
    stands_for = {item: set(item) for basket in baskets for item in basket}
    return [row for listed in privacy for row in naive_itemsets.unprotected(baskets, k, listed, stands_for)]


def kkm_anonymity(written, k, m, **_):
    return klm_diversity(written, k, 0, m, hidden=frozenset())


def klm_diversity(written, k, l, m, hidden=None, **_):
    baskets, hidden = written.baskets(), written.hidden() if hidden is None else hidden
    found = []
    for members in written.classes():
        mine = [baskets[place] for place in members]
        for places in _known(mine, m, hidden).values():
            if len(places) < k or _tells(places, mine, hidden, l):
                found += [members[place] + 1 for place in places]
    return found


def nonreciprocal(written, k=None, l=None, insiders=0, **_):
    """Originals and rows that are left with too little, also once the true row of an insider is known.

    With one insider every truth that can be is tried, of few records: there are many.
    """
    fit = [[fits(basket, row) for row in written.rows] for basket in written.originals]
    labels = written.cells(written.sensitive[0]) if l is not None else [None] * len(fit)
    k, l = l if k is None else k, l or 0
    ways = possible(fit)
    found = _left(ways, labels, k, l)
    if insiders and len(fit) <= 8:
        for i, rows in enumerate(ways):
            for j in rows:
                rest = [
                    [cell for at, cell in enumerate(row) if at != j] for at, row in enumerate(fit) if at != i
                ]
                found += _left(possible(rest), labels[:j] + labels[j + 1 :], k, l)
    return found


def _left(ways, labels, k, l):
    """The originals with fewer than k rows or l labels, the rows with fewer than k originals."""
    poor = [
        i + 1 for i, rows in enumerate(ways) if len(rows) < k or len({labels[j] for j in rows} - {None}) < l
    ]
    return poor + [row + 1 for row in range(len(ways)) if sum(row in rows for rows in ways) < k]


def fits(basket, row):
    """Whether a basket is a possible world of a row: items that are not uncertain are as published."""
    wrong = set(row["items"]) ^ set(basket)
    return wrong <= set(row["uncertain"]) and len(wrong) <= int(row["errors"])


def possible(fit):
    """By original, the rows that it has in some matching of all originals with all rows.

    One matching is found. Let each original point to those whose rows it may take: a pair is in another matching where
    both ends of such an arrow lie on a circle of arrows.
    """
    n = len(fit)
    may = np.array(fit, dtype=bool).reshape(n, n)
    row_of = maximum_bipartite_matching(csr_array(may), perm_type="column") if n else np.empty(0, dtype=int)
    if (row_of < 0).any():
        return [set() for _ in range(n)]
    circle = connected_components(csr_array(may[:, row_of]), connection="strong")[1]
    return [
        {int(row_of[j]) for j in range(n) if may[i, row_of[j]] and circle[i] == circle[j]} for i in range(n)
    ]


def kmn_anonymity(written, k, m, n, l=None, negations=(), **_):
    records = [tuple(_meant(written, node) for node in record) for record in written.rows]
    return naive_trees.broken(records, k, m, n, written.secret, negations, l)


def _meant(written, node):
    kind, value, *children = node
    same = spelled(value) if kind == written.secret else tuple(sorted(written.means(kind, value) - {None}))
    return (kind, same, *(_meant(written, child) for child in children))


JUDGES = {
    "k-anonymity": k_anonymity,
    "average risk": average_risk,
    "k-anonymity of known subsets": known_subsets,
    "k-anonymity with known columns": known_columns,
    "l-diversity": l_diversity,
    "t-closeness": t_closeness,
    "beta-likeness": beta_likeness,
    "delta-disclosure privacy": delta_disclosure,
    "(alpha,k)-anonymity": alpha_k_anonymity,
    "hidden values": hidden_values,
    "k^m-anonymity": km_anonymity,
    "l^m-diversity": lm_diversity,
    "k-anonymity of listed itemsets": listed_itemsets,
    "nonreciprocal k-anonymity": nonreciprocal,
    "nonreciprocal k-anonymity and label diversity": nonreciprocal,
    "(k,k^m)-anonymity": kkm_anonymity,
    "(k,l^m)-diversity": klm_diversity,
    "k^(m,n)-anonymity": kmn_anonymity,
    "k^(m,n)-anonymity and l-diversity": kmn_anonymity,
}
"""For each claim whoever finds the rows, from 1, that break it."""


def untrue_rows(written, originals, *, complete, blanks=False):
    """The rows, from 1, that tell something else than their original: one per row, a dict like a row.

    `complete` says that no item was left out, `blanks` that an empty cell says nothing of its original.
    """
    wrong = []
    for place, (row, own) in enumerate(zip(written.rows, originals, strict=True), 1):
        shown = [name for name in written.quasi if not (blanks and row[name] is None)]
        true = all(own[name] in written.means(name, row[name]) for name in shown)
        true &= not any(denies(row[name], own[name]) for name in shown)
        true &= all(_is_as_told(written, name, row, own) for name in (*written.sensitive, *written.plain))
        if "uncertain" in row:
            true &= fits(own["items"], row)
        elif "items" in row:
            true &= _covered(written, row["items"], set(own["items"]), complete)
        if not true:
            wrong.append(place)
    return wrong


def _is_as_told(written, name, row, own):
    """A published column holds the original value, or, at a fixed level, a label that stands for it."""
    if name not in written.paths or own[name] is None:
        return row[name] == own[name]
    return row[name] is not None and own[name] in written.means(name, row[name])


def _covered(written, published, own, complete):
    """Whether each published item stands for one of the original, and each of the original is in a published one."""
    forms = [set(written.item(item)) for item in published]
    return all(form & own for form in forms) and (not complete or own <= set().union(*forms))


def untrue_trees(written, originals):
    """The same of record trees: each published path can be laid over a path of the original."""

    def covers(shown, leaf):
        return shown[0] == leaf[0] and (
            shown[1] == leaf[1] if leaf[0] == written.secret else leaf[1] in written.means(*shown)
        )

    pairs = zip(written.rows, originals, strict=True)
    return [place for place, (row, own) in enumerate(pairs, 1) if not naive_trees.is_true(row, own, covers)]
