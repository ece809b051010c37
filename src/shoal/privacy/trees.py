"""k^(m,n)-anonymity of record trees, and what they give away to whoever also knows the recoding, for small data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from math import comb, inf, prod
from typing import Any, ClassVar

import numpy as np

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.data.arrays import B1, I4, I8
from shoal.privacy.background_knowledge import (
    Facts,
    KnowledgeBatch,
    KnowledgeTable,
    count_knowledge,
    count_sets,
    empty_batch,
    facts,
    largest_batch,
    list_batches,
    pairs_of_values,
    weigh_node_sets,
)
from shoal.privacy.claim import (
    LEAST_SHARE,
    NOT_COVERED,
    BaseClaim,
    Breaches,
    check_choice,
    check_names,
    describe_inferable,
    verdict_from_rows,
)
from shoal.privacy.equivalence_class import number_groups
from shoal.privacy.itemsets import itemset_budget
from shoal.release import RecodedTrees, Verdict

__all__ = ["MOST_SETS", "REPEATS", "KMNAnonymity", "KnowledgeScales", "judge_known_recoding", "refuse_size"]

Mask = tuple[int, ...]

REPEATS = ("keep", "merge")
"""Whether equal siblings stay apart, and knowledge counts them, or are one, as in the paper."""

MOST_SETS = 1 << 36
_MOST_CELLS = 1 << 32
_MOST_RELATION_SETS = 1 << 16
_MOST_HELD = 1 << 27  # numbers of sets that are held at once
_ALWAYS, _EACH = 1 << 27, 1 << 10  # pairs of values that are looked at in any case, and for each node
_TO_SAY_NO = 1 << 22  # sets that are looked at although not all can be: one of them may break the claim
_LOOKS = 64  # at sets of relations, for each set of values that may be looked at


@dataclass(frozen=True, slots=True)
class KMNAnonymity(BaseClaim):
    """Whatever an attacker knows of a record, up to `m` values and `n` ancestor relations among them, fits `k` records.

    Every set of at most m values that some record holds, with every set of at most n relations "a stands above b"
    among these values that the record shows, is held by at least k records. The values outside the relations count
    as well. A relation is one of values: a record may show it anywhere. Two nodes are equal when they have one class
    and stand for the same leaves; a generalized value, the root of a hierarchy too, is a value like any other.

    Parameters
    ----------
    k, m : int
        At least 1.
    n : int
        At least 0.
    l : int, optional
        In addition, of the records that fit the knowledge no more than 1 in l holds any one value of the
        sensitive class; that includes an attacker who knows nothing.
    sensitive : str, optional
        A class whose values the attacker does not know; needed for `l`.
    negations : tuple of str
        Classes whose published values the attacker may know to be absent, each absence in place of one of m values.
    repeats : {"merge", "keep"}
        Whether nodes can be counted. With "keep", the attacker may also know up to m *nodes* of a record, of which
        several may have one value, and up to n relations among them; a record fits where its nodes can be found
        among the record's own, each another one, with the same values and these relations. Both claims are made:
        for n of at least 2 neither follows from the other.

    Notes
    -----
    Sets of fewer than m values and n relations are judged too: a small record has no larger ones. A release
    without any value does not pass: nothing in it could break the claim, so the claim says nothing.

    References
    ----------
    .. [1] Gkountouna, Terrovitis. Anonymizing collections of tree-structured data. TKDE 27(8), 2015, Def. 1.

    Examples
    --------
    >>> ward, clinic = ("hospital", "H1", ("ill", "flu")), ("hospital", "H1")
    >>> released = Trees.of([[ward], [ward], [clinic, ("ill", "flu")]])
    >>> bool(KMNAnonymity(3, 2, 0).check(released)), KMNAnonymity(3, 2, 1).check(released).witnesses
    (True, (1, 2))
    >>> twice = Trees.of([[ward, ward], [ward], [ward]], repeats=True)
    >>> bool(KMNAnonymity(2, 2, 1).check(twice.merged())), KMNAnonymity(2, 2, 1, repeats="keep").check(twice).witnesses
    (True, (1,))
    """

    model: ClassVar[str] = "k^(m,n)-anonymity"
    shape: ClassVar[str] = "trees"
    roles: ClassVar[tuple[str, ...]] = ("tree",)
    keys: ClassVar[tuple[str, ...]] = ("k", "m", "n", "l")
    rises: ClassVar[tuple[str, ...]] = ("k", "m", "n", "l")
    widens: ClassVar[tuple[str, ...]] = ("negations",)
    meanings: ClassVar[Mapping[str, str]] = {"l": LEAST_SHARE}

    k: int
    m: int
    n: int
    l: int | None = None
    sensitive: str | None = None
    negations: tuple[str, ...] = ()
    repeats: str = "merge"

    def __post_init__(self) -> None:
        self._set_whole("k", "m")
        if not (isinstance(self.n, int) and not isinstance(self.n, bool) and self.n == 0):
            self._set_whole("n")
        self._set(negations=check_names("negations", self.negations))
        if not isinstance(self.sensitive, str | None):
            raise InputError("claim: the sensitive field is not a text; give the name of a field")
        if self.l is not None:
            self._set_whole("l")
            if self.sensitive is None:
                raise InputError(f"l={self.l}: diversity needs a sensitive field; name one in tree.sensitive")
        check_choice("repeats", self.repeats, REPEATS)
        if self.sensitive in self.negations:
            raise InputError(
                f"negations: '{self.sensitive}' is the sensitive field, which the attacker does not know; leave it out"
            )

    @property
    def named(self) -> str:
        """The model's name, with what these numbers add to it."""
        return self.model if self.l is None else f"{self.model} and l-diversity"

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; only what is asked for."""
        return {
            "k": self.k,
            "m": self.m,
            "n": self.n,
            **({} if self.l is None else {"l": self.l}),
            **({} if self.sensitive is None else {"sensitive": self.sensitive}),
            **({"negations": list(self.negations)} if self.negations else {}),
            **({} if self.repeats == "merge" else {"repeats": self.repeats}),
        }

    @property
    def counts_nodes(self) -> bool:
        """Whether the attacker may know how often a record holds a value, up to m."""
        return self.repeats == "keep"

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number of this claim promises as much as that of another; who counts nodes knows more."""
        return (
            (own == "keep" or asked == "merge")
            if name == "repeats"
            else BaseClaim._as_much(self, name, own, asked)
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        common_lines = (*NOT_COVERED, describe_inferable(() if self.l is None else ("l",)))
        if self.counts_nodes:
            return (
                f"an attacker who knows more than m={self.m} nodes of a person, or more than n={self.n} relations",
                f"an attacker who counts further than m={self.m}: how many rows, nodes or branches a person has",
                *common_lines,
            )
        return (
            f"an attacker who knows more than m={self.m} values of a person, or more than n={self.n} relations",
            "an attacker who counts: how many nodes or branches a person's tree has, or how often it holds a value",
            *common_lines,
        )

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        values = "value" if self.m == 1 else "values"
        relations = "relation" if self.n == 1 else "relations"
        words = f"anyone who knows up to {self.m} {values} of a person"
        if self.negations:
            words += f", among them values of {', '.join(self.negations)} that the person does not have,"
        if self.counts_nodes:
            words += ", each as often as the person has it,"
            kind = (
                "relation of one row or of rows below it"
                if self.n == 1
                else "relations of one row or below it"
            )
        else:
            kind = f"ancestor {relations}"
        words += f" and up to {self.n} {kind} among these values finds at least {self.k} records that fit"
        if self.sensitive is not None:
            words += f"; values of {self.sensitive} are not among what the attacker knows"
        if self.l is not None:
            words += f", and no more than 1 in {self.l} of the records that fit holds any one of them"
        return words

    def check(self, published: Trees) -> Verdict:
        """Judge a release: count the records that every knowledge of a record fits."""
        refusal = self._refuse_large_records(published)
        if refusal is not None:
            return refusal
        known_facts = facts(published, self.sensitive, self.negations, self.n > 0)
        broken = np.zeros(len(known_facts.weight), dtype=bool)
        scales = KnowledgeScales(
            self, int(known_facts.weight.sum()), _LOOKS * itemset_budget(len(known_facts.items), MOST_SETS)
        )
        for batch in self._batches(known_facts, scales):
            table, row = count_knowledge(known_facts, batch, secrets=self.l is not None)
            broken[batch.record[scales.find_broken_rows(table)[row]]] = True
        is_broken, least, unseen = broken[known_facts.of], scales.least, scales.unseen
        if self.counts_nodes:
            by_node = facts(published, self.sensitive, self.negations, self.n > 0, nodes=True)
            limit = itemset_budget(len(by_node.items), MOST_SETS)
            wrong, nodes = weigh_node_sets(by_node, self.k, self.m, self.n, self.l, limit)
            is_broken, least, unseen = (
                is_broken | wrong[by_node.of],
                min(least, nodes.least),
                unseen or nodes.unseen,
            )
        if unseen and not is_broken.any():
            return refuse_size(unseen)
        return self.verdict(Breaches.of(is_broken), least)

    def _batches(self, told: Facts, scales: "KnowledgeScales") -> Iterator[KnowledgeBatch]:
        """Everything that can be known, in batches: first of an attacker who knows nothing, if that matters."""
        if self.l is not None:
            yield empty_batch(told)
        limit = itemset_budget(len(told.items), MOST_SETS)
        sizes = range(1, min(self.m, int(np.diff(told.start).max(initial=0))) + 1)
        remaining = limit if self._fits(told, sizes, limit) else min(limit, _TO_SAY_NO)
        for size in sizes:
            remaining -= count_sets(told, size)
            columns = size + comb(size, 2) // 31 if self.n else size  # of 32 bits
            if remaining < 0 or largest_batch(told, size) * columns > _MOST_HELD:
                scales.unseen = f"the records hold more than {limit} sets of up to {self.m} values"
                return
            yield from list_batches(told, size, self.n > 0)
            if scales.unseen:
                return

    def _fits(self, told: Facts, sizes: range, most: int) -> bool:
        """Whether all sets of these sizes may be looked at."""
        total = 0
        for size in sizes:
            total += count_sets(told, size)
            if total > most:  # those that are left may be too many to be added up
                return False
        return True

    def _refuse_large_records(self, published: Trees) -> Verdict | None:
        cells = pairs_of_values(published) if self.n and len(published.items) else 0
        if self.counts_nodes and self.n:
            cells = max(cells, int((np.diff(published.start) ** 2).sum()))
        absences = sum(published.classes[kind] in self.negations for kind in published.kinds.tolist())
        limit = _ALWAYS + _EACH * len(published.items)
        refusal = self.refusal(published, len(published.items), cells)
        if refusal is None and max(cells, absences * published.n) > limit:
            return refuse_size(f"the records hold more than {limit} pairs of values")
        return refusal

    def refusal(self, outline: Trees, nodes: int, cells: int) -> Verdict | None:
        """Say no to a claim about nothing, or to more pairs of values (`cells`) than can be looked at."""
        if outline.repeats and not self.counts_nodes:
            return Verdict(
                False, "equal siblings stand apart, and the claim says nothing of anyone who counts them"
            )
        if self.sensitive is not None and self.sensitive not in outline.classes and self.l is not None:
            return Verdict(
                False, f"the release holds no value of '{self.sensitive}', so the claim promises nothing"
            )
        if all(name == self.sensitive for name in outline.classes) or not nodes:
            return Verdict(
                False, "the release holds no value that could be known, so the claim promises nothing"
            )
        return refuse_size(f"the records hold {cells} pairs of values") if cells > _MOST_CELLS else None

    def verdict(self, ruled: Breaches, least: int) -> Verdict:
        """Say what was found, and how many records fit the rarest knowledge."""
        fewer, enough = f"fewer than k={self.k} records", f"at least k={self.k} records"
        if self.l is not None:
            fewer += f", or of whose records more than one in l={self.l} share a secret"
            enough += f", of which at most one in l={self.l} share a secret"
        if ruled.broken:
            sentence = f"{ruled.broken} of {ruled.records} records fit knowledge that fits {fewer}"
        else:
            kind = "values or nodes" if self.counts_nodes else "values"
            sentence = f"all knowledge of up to m={self.m} {kind} and n={self.n} relations fits {enough}"
        return ruled.verdict(f"{sentence}; the rarest knowledge fits {least}", {"k": least})


class KnowledgeScales:
    """Weighs tables of knowledge: which rows break a claim, and how many records fit the rarest knowledge."""

    def __init__(self, claim: KMNAnonymity, records: int, looks: float = inf) -> None:
        self.claim, self.least, self.looks = claim, records, looks
        self.unseen = ""  # what was too much to look at

    def find_broken_rows(self, table: KnowledgeTable) -> B1:
        """Which rows of a table that holds all records hold knowledge that too few records fit, or too similar ones."""
        sets = table.sets
        wrong = np.zeros(len(table.fits), dtype=bool)
        # Who knows nothing finds everybody.
        relation_sets = self._relation_sets(table.masks) if table.values else ()
        for relations in relation_sets:
            shows = _is_superset(table.masks, relations, len(table.fits))
            support = np.bincount(sets, weights=table.fits * shows).astype(np.int64)
            self.least = min(self.least, int(support[support > 0].min()))
            wrong |= shows & (support < self.claim.k)[sets]
        if self.claim.l is not None:
            wrong |= self._find_risky(table, sets)
        return wrong

    def _find_risky(self, table: KnowledgeTable, sets: I8) -> B1:
        """Which rows hold knowledge of which too many records share a secret."""
        assert self.claim.l is not None
        wrong = np.zeros(len(table.fits), dtype=bool)
        if not len(table.row):
            return wrong
        pair, head = number_groups((sets[table.row], table.secret))
        set_of_pair = sets[table.row[head]]
        for relations in self._all_relation_sets(table.masks):
            shows = _is_superset(table.masks, relations, len(table.fits))
            support = np.bincount(sets, weights=table.fits * shows)
            having = np.bincount(pair, weights=table.having * shows[table.row], minlength=len(head))
            risky = np.zeros(len(support), dtype=bool)
            risky[set_of_pair[having * self.claim.l > support[set_of_pair]]] = True
            wrong |= risky[sets] & shows
        return wrong

    def _relation_sets(self, masks: tuple[I8, ...]) -> Iterator[Mask]:
        """The largest allowed sets of relations that occur: smaller ones fit no fewer records."""
        relation_sets: set[Mask] = {(0,) * len(masks)} if not masks else set()
        return self._add_relation_sets(masks, relation_sets, lambda bits: [min(self.claim.n, bits)])

    def _all_relation_sets(self, masks: tuple[I8, ...]) -> Iterator[Mask]:
        """Every allowed set of relations that occurs: a share may rise or fall with each."""
        return self._add_relation_sets(
            masks, {(0,) * len(masks)}, lambda bits: range(1, min(self.claim.n, bits) + 1)
        )

    def _add_relation_sets(
        self, masks: tuple[I8, ...], found: set[Mask], sizes: Callable[[int], Iterable[int]]
    ) -> Iterator[Mask]:
        """Add to `found` the sets of relations that rows show, of the sizes that so many relations allow.

        None where they are too many, or too many looks at rows would be needed for them.
        """
        for mask in _list_distinct_masks(masks):
            for size in sizes(_count_bits(mask)):
                if comb(_count_bits(mask), size) > _MOST_RELATION_SETS:
                    return self._refuse_relations()
                found.update(_list_subsets(mask, size))
                if len(found) > _MOST_RELATION_SETS:
                    return self._refuse_relations()
        self.looks -= len(found) * (len(masks[0]) if masks else 0)
        return self._refuse_relations() if self.looks < 0 else iter(found)

    def _refuse_relations(self) -> Iterator[Mask]:
        self.unseen = f"records show sets of up to {self.claim.n} relations"
        return iter(())


def _list_distinct_masks(masks: tuple[I8, ...]) -> list[Mask]:
    if not masks:
        return []
    _, heads = number_groups(masks)
    return list(zip(*(mask[heads].tolist() for mask in masks), strict=True))


def _count_bits(mask: Mask) -> int:
    return sum(word.bit_count() for word in mask)


def _list_subsets(mask: Mask, size: int) -> Iterator[Mask]:
    """Every choice of `size` bits of a mask."""
    bits = [
        (position, 1 << bit)
        for position, word in enumerate(mask)
        for bit in range(word.bit_length())
        if word >> bit & 1
    ]
    for chosen_bits in combinations(bits, size):
        yield tuple(
            sum(bit for index, bit in chosen_bits if index == position) for position in range(len(mask))
        )


def _is_superset(masks: tuple[I8, ...], some: Mask, rows: int) -> B1:
    """For each row, whether its mask holds all bits of `some`."""
    shows = np.ones(rows, dtype=bool)
    for mask, bits in zip(masks, some, strict=True):
        shows &= (mask & bits) == bits
    return shows


def refuse_size(why: str) -> Verdict:
    """Say that there was too much to look at."""
    return Verdict(False, f"{why}, too many to check; lower m or n to judge a weaker claim", judged=False)


# --- whoever also knows the recoding ------------------------------------------------------------------------


Label = tuple[str, str]
Path = tuple[Label, ...]
Pair = tuple[Label, Label]
_Ends = Sequence[Any]

_DEEPEST = 10
_MOST_NODES = 1 << 17
_MOST_PATHS = 1 << 14
_MOST_LOOKS = 1 << 24


def judge_known_recoding(original: Trees, leaves: I4, release: RecodedTrees, claim: KMNAnonymity) -> Verdict:
    """Judge whether every knowledge of an original, in published values, may be that of k published records.

    Knowledge is up to m values and up to n relations among them. A published record may come from an original that
    has it when it holds the values and, for each relation a ~> b, a path with a above b could have been there: one
    that the recoding turns into paths that are all published in the record. Then the record with these paths added is
    an original that is published as this record, so the count is exact.

    Paths that could have been there go along the classes of a path of the original, some of which may be missing,
    with any value that is published.

    Parameters
    ----------
    original, leaves
        The records, and the leaf code of each of their values; -1 for a sensitive one.
    release
        A release by one recoding for all records, its `rule` with it.
    claim
        k, m and n; sensitive values are not known, and absences are not looked at.

    Returns
    -------
    Verdict
        Witnesses are originals, by their number, of whom something can be known that fewer than k records fit.
        "Not judged" where data are too large to be looked at this way, or there is no one recoding.

    Examples
    --------
    Whoever knows "gout in ward B" knows that its gout was detached, and only one record has one that is:

    >>> people = Trees.of([[("ward", "B", ("ill", "gout"))], *[[("ward", "A", ("ill", "gout")), ("ward", "B")]] * 2])
    >>> rule = {"disassociations": [[["ward", "B"], ["ill", "gout"]]]}
    >>> shown = Trees.of([[("ward", "B"), ("ill", "gout")], *list(people.nested())[1:]])
    >>> spans = np.array([[0, 1], [1, 2], [0, 1]], dtype=np.int32)
    >>> release = RecodedTrees(shown, spans, np.arange(3), 3, 0, rule)
    >>> judge_known_recoding(people, spans[:, 0], release, KMNAnonymity(2, 2, 1)).witnesses
    (1,)
    """
    if "disassociations" not in release.rule:
        return _refuse_large("the release has no single recoding for all records")
    if len(original.items) > _MOST_NODES:
        return _refuse_large(f"the records hold {len(original.items)} values")
    published = [_list_paths(tree, claim.sensitive) for tree in release.trees.nested()]
    label = _map_labels(original, leaves, release)
    originals = [_relabel_paths(tree, label, original.sensitive) for tree in original.nested()]
    possible = _list_possible_paths(originals, published)
    if possible is None:
        return _refuse_large("the trees are too deep, or their values too many, to list every path")
    looks = original.n * len(possible) + sum(_count_looks(paths, claim.m) for paths in originals)
    if looks > _MOST_LOOKS:
        return _refuse_large(f"it would take {looks} comparisons")
    ways = _possible_relations(published, possible, release.rule["disassociations"])
    values = [{label for path in paths for label in path} for paths in published]
    record_counts: dict[tuple[frozenset[Label], frozenset[Pair]], int] = {}
    broken = np.zeros(original.n, dtype=bool)
    for record, paths in enumerate(originals):
        for items, relations in _list_knowledge(paths, claim.m, claim.n):
            if (items, relations) not in record_counts:
                if len(record_counts) * original.n > _MOST_LOOKS:
                    return _refuse_large(f"there are more than {len(record_counts)} pieces of knowledge")
                matches = [
                    items <= record_values and relations <= way
                    for record_values, way in zip(values, ways, strict=True)
                ]
                record_counts[items, relations] = sum(matches)
            broken[record] |= record_counts[items, relations] < claim.k
    least = min(record_counts.values(), default=0)
    frequency = "not always" if broken.any() else "always"
    return verdict_from_rows(
        broken,
        f"anyone who knows the recoding too {frequency} finds k={claim.k} records that may be the person's; "
        f"the least found is {least}",
        {"k": least},
    )


def _refuse_large(why: str) -> Verdict:
    return Verdict(False, f"{why}; this is judged on small data only", judged=False)


def _map_labels(original: Trees, leaves: I4, release: RecodedTrees) -> dict[Label, Label | None]:
    """For each label of the original, the published one over it; None: it is left out."""
    labels = [(*pair, *span) for pair, span in zip(release.trees.pairs, release.spans.tolist(), strict=True)]
    label_over: dict[Label, Label | None] = {}
    for (name, value), leaf in zip(original.pairs, leaves.tolist(), strict=True):
        over = [
            (released_name, text)
            for released_name, text, lo, hi in labels
            if released_name == name and lo <= leaf < hi
        ]
        label_over[name, value] = over[0] if over else None
    return label_over


def _list_paths(tree: Iterable[Any], sensitive: str | None) -> set[Path]:
    """Every path from the root, sensitive values left out."""
    paths: set[Path] = set()
    stack: list[tuple[Any, Path]] = [(node, ()) for node in tree]
    while stack:
        (kind, value, *children), before = stack.pop()
        path = before if kind == sensitive else (*before, (kind, value))
        paths.add(path)
        stack += [(child, path) for child in children]
    return paths - {()}


def _relabel_paths(
    tree: Iterable[Any], label: Mapping[Label, Label | None], sensitive: str | None
) -> set[Path]:
    """The paths of an original with published values, nothing disassociated."""
    paths = {
        tuple(over for pair in path if (over := label[pair]) is not None)
        for path in _list_paths(tree, sensitive)
    }
    return paths - {()}


def _list_possible_paths(known: Sequence[set[Path]], published: Sequence[set[Path]]) -> set[Path] | None:
    """Every path that could have been in an original; None: too many."""
    by_class: dict[str, set[str]] = {}
    for kind, value in {label for paths in (*known, *published) for path in paths for label in path}:
        by_class.setdefault(kind, set()).add(value)
    chains = {tuple(kind for kind, _ in path) for paths in known for path in paths}
    if max(map(len, chains), default=0) > _DEEPEST:
        return None
    chains = {
        part for chain in chains for size in range(1, len(chain) + 1) for part in combinations(chain, size)
    }
    if sum(prod(len(by_class[kind]) for kind in chain) for chain in chains) > _MOST_PATHS:
        return None
    return {
        path
        for chain in chains
        for path in product(*([(kind, value) for value in by_class[kind]] for kind in chain))
    }


def _possible_relations(
    published: Sequence[set[Path]], possible: set[Path], rules: Sequence[_Ends]
) -> list[set[Pair]]:
    """For each published record, the relations that an original of it could have had."""
    after = {path: _disassociate_path(path, rules) for path in possible}
    pairs = {path: set(combinations(path, 2)) for path in possible}
    return [
        {pair for path, remainders in after.items() if remainders <= paths for pair in pairs[path]}
        | {pair for path in paths for pair in combinations(path, 2)}
        for paths in published
    ]


def _disassociate_path(path: Path, rules: Sequence[_Ends]) -> set[Path]:
    """What the disassociations, one after the other, leave of a path (Definition 2), with all beginnings."""
    todo = {path}
    for high, low in rules:
        finished: set[Path] = set()
        while todo:
            shortened = todo.pop()
            hit = [
                (i, j)
                for j in range(len(shortened))
                for i in range(j)
                if _matches_end(high, shortened[i]) and _matches_end(low, shortened[j])
            ]
            if hit:
                i, j = hit[0]
                todo |= {shortened[:j] + shortened[j + 1 :], (*shortened[:i], shortened[j])}
            else:
                finished.add(shortened)
        todo = finished
    return {shortened[:size] for shortened in todo for size in range(1, len(shortened) + 1)}


def _matches_end(end: Any, label: Label) -> bool:
    """Whether a label is what an end of a disassociation names: a class, or a value [class, label]."""
    return label[0] == end if isinstance(end, str) else label == tuple(end)


def _count_looks(paths: set[Path], m: int) -> int:
    """How many relations are looked at to list the knowledge of a record."""
    labels = len({label for path in paths for label in path})
    related = len({pair for path in paths for pair in combinations(path, 2)})
    return sum(comb(labels, size) for size in range(1, m + 1)) * (1 + related)


def _list_knowledge(paths: set[Path], m: int, n: int) -> Iterable[tuple[frozenset[Label], frozenset[Pair]]]:
    """Every set of at most m values of a record with every set of at most n relations among them."""
    labels = sorted({label for path in paths for label in path})
    related = {pair for path in paths for pair in combinations(path, 2)}
    for size in range(1, min(m, len(labels)) + 1):
        for items in map(frozenset, combinations(labels, size)):
            among = sorted(pair for pair in related if items.issuperset(pair))
            relation_sets = chain.from_iterable(
                combinations(among, number) for number in range(min(n, len(among)) + 1)
            )
            yield from ((items, frozenset(relations)) for relations in relation_sets)
