"""How a table in parts is cut into fragments, what a method makes of each, and the release of all of them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal.algorithms.fragments import (
    BoxCuts,
    Fragment,
    cut_boxes,
    join_persons,
    make_one,
    options_of_whole,
    parts_of_one,
    run_on_all,
    unite_forms,
)
from shoal.base.discreet import SafeRepr
from shoal.base.errors import RefusedError
from shoal.base.progress import Progress, start_step
from shoal.data import Table
from shoal.data.arrays import I4, I8, U8
from shoal.engines import Mapper
from shoal.hierarchy import Hierarchies
from shoal.io.read.parts import save_arrays
from shoal.parts.draws import RecordHasher, RunKey, number_equals
from shoal.parts.judging import count_rows
from shoal.parts.persons import WIDTH, persons_of
from shoal.parts.records import Dictionary, Parts, RunParts, exchange, write_run
from shoal.publish.large.fragment_release import (
    StagedTableFragment,
    TableInFragments,
    columns_of_codes,
    sort_records,
    table_of_codes,
)
from shoal.publish.large.parts import TableOrigin
from shoal.release import Claim, ColumnTelling, Recoded
from shoal.risks.dependencies import ItemSources, Link, find_sums
from shoal.risks.matching import measure_telling
from shoal.shapes.guards import guard_released
from shoal.utility import class_ids

__all__ = [
    "FragmentTask",
    "Span",
    "count_group_sizes",
    "cut_fragments",
    "draw_sample",
    "join_empty_spans",
    "join_spans",
    "make_fragments",
    "unite_fragments",
]

_SAMPLED = 50_000  # records at least, by which fragments are cut, and
_SAMPLED_EACH = 1_000  # of each fragment
_MEASURED = 8  # fragments in which it is measured what published columns tell
_ROOM = 2  # crowds that a fragment has room for at least


class Span(NamedTuple):
    """A fragment: the boxes first .. last - 1, and how many records they hold."""

    first: int
    last: int
    records: int


@dataclass(frozen=True, slots=True, repr=False)
class FragmentTask(SafeRepr):
    """Makes a fragment: reads its records, has the method work on them, and writes what it made to a private file."""

    method: str
    claim: Claim
    options: Mapping[str, Any]
    fragments: Parts
    dictionary: Dictionary
    origin: TableOrigin
    hierarchies: Hierarchies
    hasher: RecordHasher
    folder: Path
    links: Sequence[Link]
    measured: frozenset[int]
    seed: int

    def __call__(self, sent: tuple[int, Span]) -> tuple[int, StagedTableFragment | str]:
        """Make the fragment of that number; say why where nothing could be made of it."""
        number, span = sent
        codes = self.fragments.read(span.first, span.last)
        codes = sort_records(self.hasher, self.origin, codes)
        table = table_of_codes(self.dictionary, self.origin, codes)
        inputs = {"table": table.in_one_spelling()}
        _, made = make_one(
            self.method,
            {"hierarchies": self.hierarchies},
            self.claim,
            self.options,
            Fragment(number, inputs, (self.seed, span.first, span.last)),
        )
        if isinstance(made, str):
            return number, made
        release: Recoded = made.release
        if len(release.rows) < len(codes):
            raise RefusedError(
                f"method {self.method}: it left out records that it must keep; nothing was written"
            )
        leaves = np.stack([self.hierarchies[column.name].encode(column) for column in table.quasi], axis=1)
        telling = self._guard(table, leaves, release, measured=span.first in self.measured)
        place = self.folder / f"{span.first:06}-{span.last:06}"
        place.mkdir(mode=0o700, exist_ok=True)
        released = np.concatenate([release.codes, codes[:, len(release.names) :]], axis=1)
        save_arrays(place, codes=released, originals=codes)
        staged = StagedTableFragment(
            number, place, len(codes), release.forms, count_group_sizes(leaves), telling, dict(made.trace)
        )
        return number, staged

    def _guard(
        self,
        table: Table,
        leaves: I4,
        release: Recoded,
        *,
        measured: bool,
        held: ItemSources | None = None,
    ) -> Sequence[ColumnTelling] | None:
        """Refuse columns that leave somebody too few look-alikes, and measure what they tell beyond k."""
        if self.links or held is not None:
            guard_released(table, leaves, release, self.origin.allow, self.claim, self.links, held)
        if not measured:
            return None
        columns = [
            column
            for column in table.columns
            if column.role in ("plain", "sensitive") and column.name not in self.origin.allow
        ]
        return measure_telling(table, leaves, release, self.claim, columns, find_sums(table, columns))


def count_group_sizes(leaves: I4) -> dict[int, int]:
    """How many groups of equal originals there are of each size; equal ones are in one fragment."""
    sizes, many = np.unique(np.bincount(class_ids(list(leaves.T))), return_counts=True)
    return dict(zip(sizes.tolist(), many.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Boxes:
    """Says the box of each record."""

    cuts: BoxCuts
    leaf_of_code: tuple[I4, ...]
    persons: bool

    def __call__(self, codes: I4) -> I8:
        """Return the box of each record, one for all of a person: int64[n]."""
        boxes = self.cuts.boxes_of(
            np.stack([leaf[codes[:, j]] for j, leaf in enumerate(self.leaf_of_code)], axis=1)
        )
        return join_persons(boxes, persons_of(codes)) if self.persons else boxes


def _draw_part(
    parts: Parts, hasher: RecordHasher, key: RunKey, limit: np.uint64, number: int
) -> tuple[I4, U8]:
    """The task: the records of one part whose draw is below a limit, and their draws."""
    records = parts.read_records(number)
    hashes = hasher(records.codes, records.start, records.items)
    draws = key.draw("sample", hashes, number_equals(hashes))
    rows = np.flatnonzero(draws <= limit)
    return records.codes[rows], draws[rows]


def draw_sample(parts: Parts, hasher: RecordHasher, key: RunKey, records: int, mapper: Mapper) -> I4:
    """Draw about so many records, the same ones wherever records lie: int32[m, columns]."""
    share = min(records / max(parts.n, 1), 1.0)
    limit = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
    found = list(mapper(partial(_draw_part, parts, hasher, key, limit), range(len(parts))))
    codes = np.concatenate([codes for codes, _ in found])
    return codes[np.argsort(np.concatenate([draws for _, draws in found]), kind="stable")]


def make_fragments(
    data: Any,
    method: str,
    claim: Claim,
    options: Mapping[str, Any],
    size: int,
    key: RunKey,
    mapper: Mapper,
    progress: Progress,
    kind: "Callable[..., FragmentTask] | None" = None,
) -> tuple[Any, ...]:
    """Cut a table into fragments of about `size` records, and have a method work on each; return what was staged.

    A fragment that cannot keep the claim is joined with the smaller one of its neighbours. `kind` is the task, by
    default that of a table alone.

    Raises
    ------
    InfeasibleError
        All records in one fragment do not keep the claim either.
    InputError
        A column that is published leaves somebody too few look-alikes.
    """
    hasher = data.dictionary.hasher(key.derive("record"))
    progress("cutting into fragments")
    fragments, spans = cut_fragments(
        data, method, hasher, key, max(size, _ROOM * claim.crowd), mapper, "fragments"
    )
    shared = options_of_whole(method, data.hierarchies, claim, data.table, data.dictionary.counts, options)
    task = (kind or FragmentTask)(
        method,
        claim,
        {**options, **shared, **parts_of_one(method, len(fragments), options)},
        fragments,
        data.dictionary,
        data.origin,
        data.hierarchies,
        hasher,
        data.room.make("made"),
        data.links,
        frozenset(range(0, len(fragments), max(len(fragments) // _MEASURED, 1))),
        int.from_bytes(key.derive("fragment")[:8], "little"),
    )
    found, _ = run_on_all(
        task,
        spans,
        lambda span: span.records,
        join_spans,
        lambda pieces, todo: [(at, pieces[at]) for at in todo],
        mapper,
        start_step(progress, f"{method}: fragments"),
    )
    return tuple(replace(made, number=number) for number, made in enumerate(found))


def cut_fragments(
    data: Any, method: str, hasher: RecordHasher, key: RunKey, size: int, mapper: Mapper, name: str
) -> tuple[Parts, list[Span]]:
    """Send every record to its box of the space that a sample was cut into, and say which boxes are a fragment.

    Runs lie in the folder `name` of the room.
    """
    records = data.parts.n
    asked = max(_SAMPLED, _SAMPLED_EACH * -(-records // size))
    sample = draw_sample(data.parts, hasher, key, asked, mapper)
    table = Table(columns_of_codes(data.dictionary, data.origin, sample))
    cuts = cut_boxes(method, table, data.hierarchies, size * table.n / max(records, 1))
    leaf_of_code = tuple(
        data.hierarchies[column.name]
        .encode(replace(column, codes=np.arange(len(column.values), dtype=np.int32)))
        .astype(np.int32)
        for column in table.quasi
    )
    boxes = exchange(
        data.parts,
        _Boxes(cuts, leaf_of_code, data.origin.person is not None),
        cuts.boxes,
        data.room.make(name),
        mapper,
    )
    spans = [Span(number, number + 1, records) for number, records in enumerate(boxes.sizes)]
    return boxes, join_empty_spans(spans)


def join_spans(spans: Sequence[Span]) -> Span:
    """Several neighbours as one fragment."""
    return Span(spans[0].first, spans[-1].last, sum(span.records for span in spans))


def join_empty_spans(spans: Sequence[Span]) -> list[Span]:
    """The same fragments, those without a record joined with the one before.

    >>> join_empty_spans([Span(0, 1, 0), Span(1, 2, 3), Span(2, 3, 0)])
    [Span(first=0, last=3, records=3)]
    """
    joined: list[Span] = []
    for span in spans:
        if joined and not (span.records and joined[-1].records):
            joined[-1] = join_spans([joined[-1], span])
        else:
            joined.append(span)
    return joined


def unite_fragments(data: Any, staged: tuple[StagedTableFragment, ...], mapper: Mapper) -> TableInFragments:
    """Make one release of all fragments, counted by class."""
    names = tuple(column.name for column in data.table.quasi)
    united = [unite_forms([part.forms[j] for part in staged]) for j in range(len(names))]
    forms = tuple(forms for forms, _ in united)
    places = tuple(zip(*(place for _, place in united), strict=True))
    none = np.empty(0, dtype=np.int64)
    release = TableInFragments(
        names, forms, np.empty((0, len(names)), dtype=np.int32), none, data.records, counts=none,
        staged=staged, places=places,
        sizes=data.whole_sizes or sum((Counter(part.sizes) for part in staged), Counter()),
    )  # fmt: skip
    folder = data.room.make("released")
    persons = data.origin.person is not None
    columns = [*range(len(names)), *data.sensitive_places.values(), *(range(-WIDTH, 0) if persons else ())]
    for _ in mapper(partial(_send_released, release, columns, folder), range(len(staged))):
        pass
    runs = tuple(folder / f"{number:06}" for number in range(len(staged)))
    parts = RunParts(runs, tuple(part.records for part in staged))
    labels = [form.texts() for form in forms]
    seen = count_rows(parts, labels, data.part_size, data.room.make("classes"), mapper, persons=persons)
    data.room.drop("released")
    data.room.drop("classes")
    classes = seen.by_class(len(names))
    return replace(
        release,
        codes=classes.codes,
        rows=np.arange(len(classes.codes)),
        counts=classes.counts,
        seen=seen,
    )


def _send_released(release: TableInFragments, columns: Sequence[int], folder: Path, number: int) -> I8:
    """The task: write some columns of a fragment's released records as a run of its own."""
    codes = np.ascontiguousarray(release.codes_of(number)[:, columns])
    return write_run(folder / f"{number:06}", codes, np.zeros(len(codes), dtype=np.int64), 1)
