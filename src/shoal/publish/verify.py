"""Judge a release from its folder alone, or against the originals it claims to come from. Nobody is believed."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal import __version__
from shoal.base.errors import InputError
from shoal.base.naming import RECODED
from shoal.data.arrays import I8
from shoal.io.codebooks import codebooks_of
from shoal.io.config import Config
from shoal.io.formats import GROUPS, LABELLED
from shoal.io.write.folders import private_folder
from shoal.io.write.groups import has_groups
from shoal.privacy import HiddenValues, KAnonymity, LinkedAnonymity, Nonreciprocal
from shoal.privacy.core import close_set, core_claim
from shoal.privacy.presets import PRESETS, describe_rules
from shoal.publish.files import (
    FormerFormatError,
    data_file,
    frame_shape,
    noncanonical_data,
    read_data,
    read_missing_codes,
    read_release_groups,
)
from shoal.publish.full_knowledge import full_knowledge, full_knowledge_of_parts
from shoal.publish.large.reading import ReleaseCounts, ReleaseParts, count_release, parts_of_release, too_much
from shoal.publish.manifests import (
    PAGES,
    ChangedError,
    centres_in,
    check_claim_text,
    claim_stated_in,
    covers_report,
    describe_changed_file,
    read_manifest,
    redirect_config,
    weights_in,
)
from shoal.publish.notes import COUNTED, notes_of
from shoal.publish.preset import describe_broken_rule, judge_preset
from shoal.publish.row_map import ROWS, read_rows
from shoal.publish.undecided import check_as_proposed
from shoal.release import Claim, Verdict
from shoal.report.facts import FullKnowledge
from shoal.report.words import full_knowledge_sentence, names_in_words, proposed_sentences
from shoal.shapes.configured_claim import claim_of_config
from shoal.shapes.dataset import Dataset, JudgingContext
from shoal.shapes.hierarchies import collect_hidden_labels
from shoal.shapes.registry import open_dataset, shape_of_claim
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import insert_missing_codes

__all__ = ["VerificationCase", "case_of", "verify"]


def verify(
    folder: Path, *, config: Config | None = None, against: str | Path | None = None
) -> tuple[dict[str, Any], Verdict]:
    """Judge what a release folder claims; return the claim, in our own words, and the verdict.

    From the folder alone, equal labels are equal. With a configuration, roles, persons and sensitive items are what it
    says, labels are read through its hierarchies, and a release that says anything else is a no. Against the originals
    (a file, a folder or a database's URL), the release must also be one that they can have given.

    Raises
    ------
    InputError
        The folder is no release at all, or the configuration or the originals cannot be read. A release that was
        tampered with is no error but a no.
    """
    if against is not None and config is None:
        raise InputError("verify: --against needs --config, for the roles and hierarchies of the originals")
    folder = Path(folder)
    if config is not None:
        claim_of_config(config)  # a guarantee that makes no sense is a fault of the configuration
    try:
        manifest = read_manifest(folder)
    except ChangedError as error:
        return {}, Verdict(False, str(error))
    originals = None if config is None or against is None else _open_originals(config, against, folder)
    try:
        claim = claim_stated_in(manifest, config)
    except InputError as error:
        return {}, Verdict(False, str(error))
    case = case_of(folder, manifest, claim, config, originals)
    return case.told, case.verdict()


def _open_originals(config: Config, against: str | Path, folder: Path) -> Dataset:
    """The originals; of a large table its different rows with their counts, unless rows tell which record is which."""
    redirected, counted_data = redirect_config(config, against, folder), None
    if config.shape == "table" and not (private_folder(folder.resolve()) / ROWS).is_file():
        from shoal.publish.large.opening import counted_originals  # engines are heavy

        counted_data = counted_originals(redirected)
    return open_dataset(redirected) if counted_data is None else counted_data


def case_of(
    folder: Path, manifest: Mapping[str, Any], claim: Claim, config: Config | None, originals: Dataset | None
) -> "VerificationCase":
    """A release whose manifest makes sense, with what is known of it; beside originals, whose row is whose."""
    rows = None if originals is None else read_rows(private_folder(folder.resolve()))
    if rows is not None and originals is not None and _are_distinct_originals(rows, originals.records):
        originals = originals.made_of(np.sort(rows))  # labels that are built are made of who is released
    judging_context = shape_of_claim(claim).verification.make_context(manifest["columns"], config, originals)
    return VerificationCase(
        folder,
        manifest,
        claim,
        replace(
            judging_context,
            rows=rows,
            blanks=claim.blanks,
            gone=manifest["suppressed"],
            centres=centres_in(manifest),
        ),
        config,
    )


def _are_distinct_originals(rows: I8, records: int) -> bool:
    """Whether rows name different originals, of which there are so many."""
    return len(np.unique(rows)) == len(rows) and bool(((rows >= 0) & (rows < records)).all())


@dataclass(frozen=True, slots=True)
class VerificationCase:
    """A release whose manifest makes sense, and what is known of it."""

    folder: Path
    manifest: Mapping[str, Any]
    claim: Claim
    known: JudgingContext
    config: Config | None

    @property
    def told(self) -> dict[str, Any]:
        """The claim, in our own words, and whom it counts."""
        counts = self.manifest["claim"].get("counts")
        return self.claim.as_dict() | ({} if counts is None else {"counts": counts})

    def verdict(self) -> Verdict:
        """Judge the manifest, then the data, then both against the originals; say what was not looked at."""
        try:
            return self._judge_manifest()
        except FormerFormatError as error:
            return Verdict(False, str(error), judged=False)
        except InputError as error:  # of the folder's own files: the others were read before
            return Verdict(False, str(error))

    def _judge_manifest(self) -> Verdict:
        manifest = self.manifest
        mismatch = check_claim_text(manifest, self.claim)
        if mismatch is not None:
            return Verdict(False, mismatch)
        file = data_file(self.folder, shape_of_claim(self.claim).files)
        change = describe_changed_file(manifest, self.folder, file)
        groups = read_release_groups(self.folder, manifest["columns"])
        return replace(self, known=replace(self.known, groups=groups))._judge_file(file, change)

    def _judge_file(self, file: str, changed: str | None) -> Verdict:
        """Judge the data, counted or part by part where they are large."""
        shape, manifest = shape_of_claim(self.claim), self.manifest
        # the rules of a preset and weights look at all cells, and linked rows at all rows of a person
        needs_memory = bool(
            "preset" in manifest or isinstance(self.claim, LinkedAnonymity) or weights_in(manifest)
        )
        row_counts = None if needs_memory else self._counted(file)
        if row_counts is not None:
            case = replace(self, known=replace(self.known, counts=row_counts.counts))
            data = _ReleaseInMemory(case, row_counts.frame, row_counts.columns, int(row_counts.counts.sum()))
            return case._judge_data(file, changed, data)
        parts = None
        if self.known.originals is None and not needs_memory:
            old = not covers_report(manifest)
            parts = parts_of_release(self.folder / file, self.known, self.claim, self.config, old=old)
        if parts is not None:
            return self._judge_data(file, changed, parts)
        beyond = too_much(self.folder / file)
        if beyond is not None:
            return _unjudged_verdict(beyond) if changed is None else Verdict(False, f"{changed}; {beyond}")
        frame = read_data(self.folder, shape.files, manifest["columns"], codebooks_of(manifest))
        columns, records = frame_shape(frame)
        return self._judge_data(file, changed, _ReleaseInMemory(self, frame, columns, records))

    def _counted(self, file: str) -> ReleaseCounts | None:
        """The data's different rows, where they are many and nobody must know which record is which."""
        originals = self.known.originals
        if self.claim.shape != "table" or (originals is not None and originals.table.counts is None):
            return None
        column_specs = {} if self.config is None else self.config.columns
        compared_columns = frozenset(
            name for name, spec in column_specs.items() if spec.level is not None or originals is not None
        )
        return count_release(self.folder / file, self.manifest["columns"], compared_columns)

    def _judge_data(self, file: str, changed: str | None, data: "_ReleaseInMemory | ReleaseParts") -> Verdict:
        if isinstance(data, _ReleaseInMemory) and data.columns != list(self.manifest["columns"]):
            return Verdict(False, "the data's columns are not those of manifest.json")
        if not self._has_distinct_originals(data.records):
            return Verdict(False, f"{ROWS} does not name one original record for each released row")
        wrongs = [
            sentence
            for sentence in (changed, self._misplaced_codebook(file), data.odd())
            if sentence is not None
        ]
        preset = self._judge_preset(data)
        wrongs += self._find_contradictions(data, preset)
        verdict = self._judge_with_originals(data)
        if wrongs:  # the judge's witnesses may still show what was done
            return replace(verdict, holds=False, judged=True, sentence="; ".join([*wrongs, verdict.sentence]))
        if verdict.judged and (knowledge := full_knowledge_sentence(self._full_knowledge(data))):
            verdict = replace(verdict, sentence=f"{verdict.sentence}; {knowledge}")
        return replace(verdict, sentence="; ".join([verdict.sentence, *self._remarks(file, preset)]))

    def _misplaced_codebook(self, file: str) -> str | None:
        """A sentence where there is a codebook without codes."""
        if "codebook" not in self.manifest or file.rpartition(".")[2] in LABELLED:
            return None
        return "manifest.json holds a codebook, but the data have no codes"

    def _full_knowledge(self, data: "_ReleaseInMemory | ReleaseParts") -> FullKnowledge | None:
        """How many are left alone for whoever knows all of a person; None where the claim assumes that all is known."""
        if not isinstance(data, _ReleaseInMemory):
            return full_knowledge_of_parts(self.claim, data.records, data.classes)
        columns, judging_context = self.manifest["columns"], self.known
        return full_knowledge(self.claim, data.frame, columns, judging_context.groups, judging_context.counts)

    def _has_distinct_originals(self, records: int) -> bool:
        """Whether rows that are kept name different originals, one for each released record."""
        rows = self.known.rows
        return rows is None or (
            len(rows) == records and _are_distinct_originals(rows, self.known.originals.records)
        )

    def _judge_preset(self, data: "_ReleaseInMemory | ReleaseParts") -> dict[str, Any] | None:
        """The preset with what is found of its rules in the data; None where there is none, or it is not known."""
        stated_preset = self.manifest.get("preset")
        if (
            stated_preset is None
            or stated_preset["name"] not in PRESETS
            or not isinstance(data, _ReleaseInMemory)
        ):
            return None
        return judge_preset(stated_preset["name"], data.frame, self.manifest, self.known.groups)

    def _find_contradictions(
        self, data: "_ReleaseInMemory | ReleaseParts", preset: Mapping[str, Any] | None
    ) -> Iterator[str]:
        """What the data have otherwise than the manifest states, or the configuration publishes."""
        manifest = self.manifest
        if manifest["records_out"] != data.records:
            yield f"manifest.json states {manifest['records_out']} records, but the data has {data.records}"
        if manifest["classes"] != data.classes:
            yield f"manifest.json states {manifest['classes']} classes, but the data has {data.classes}"
        if isinstance(data, _ReleaseInMemory) and manifest["shoal"] == __version__:
            notes = notes_of(data.frame, manifest["columns"], counts=self.known.counts)
            stated_notes = [note for note in manifest.get("notes", []) if note["kind"] in COUNTED]
            if any(note not in notes for note in stated_notes):
                yield "manifest.json notes other things than the data show"
        if "preset" in manifest and isinstance(data, _ReleaseInMemory):
            yield from self._find_broken_rules(preset)
        if (
            self.claim.shape == "trees" and "as_proposed" in manifest
        ):  # of other data the manifest has the columns
            parts: Any = data
            trees = parts.frame if isinstance(data, _ReleaseInMemory) else parts.trees.outline
            if not check_as_proposed(manifest["as_proposed"], trees.classes):
                yield "manifest.json lists fields about which nobody decided that the data do not have"
        sentence = data.unexpected()
        if sentence is not None:
            yield sentence
        if isinstance(data, _ReleaseInMemory):
            yield from self._find_unlisted_values(data)
        if isinstance(data, _ReleaseInMemory) and isinstance(self.known.originals, TableData):
            yield from self._find_other_codes(data, self.known.originals)
        if isinstance(self.known.originals, TableData):
            yield from self._find_unstated_rules(self.known.originals)

    def _find_unstated_rules(self, originals: TableData) -> Iterator[str]:
        """What follows from known columns in the originals of those who are released, though the claim does not say so.

        Where nobody knows whose records were left out, all originals are looked at: rules hold in them and in the rest.
        """
        core = core_claim(self.claim)
        if core is None or not originals.in_memory or originals.table.counts is not None:
            return
        rows = self.known.rows
        released = (
            originals if rows is None or len(rows) == originals.records else originals.only(np.sort(rows))
        )
        for source, column in released.closures:
            if column not in close_set(source, core.follows):
                known = names_in_words(source) if source else "the quasi-identifiers"
                yield f"column '{column}' follows from {known} in the originals, and manifest.json does not say so"

    def _find_unlisted_values(self, data: "_ReleaseInMemory") -> Iterator[str]:
        """Hidden values that the manifest lists otherwise than the data and the configuration have them."""
        claims = [part for part in self.claim.parts if isinstance(part, HiddenValues)]
        named = {} if self.config is None else collect_hidden_labels(self.config)
        for claim in claims:
            if any(name not in data.seen.sensitive for name in claim.columns):
                continue  # the judge says so
            occurring = dict(claim.restrict_to(data.seen).hidden)
            for name, values in claim.hidden:
                if set(values) != set(occurring[name]):
                    yield f"column '{name}': manifest.json lists hidden values in other words than the data"
                elif named.get(name):
                    expected = HiddenValues(claim.alpha, ((name, named[name]),)).restrict_to(data.seen).hidden
                    if not set(expected[0][1]) <= set(values):
                        yield (
                            f"column '{name}': the data have hidden values of the configuration that manifest.json "
                            "does not list"
                        )

    def _find_other_codes(self, data: "_ReleaseInMemory", originals: TableData) -> Iterator[str]:
        """What of codes and missing codes the file of the originals says otherwise, if that is one with labels."""
        books = codebooks_of(self.manifest)
        if books is None or not originals.source.variables:
            return
        if originals.codebooks(data.columns) != books:
            yield "manifest.json holds another codebook than the originals' file, or one that is not public"
        for name, codes in data.missing_codes.items():
            variable = originals.source.variables.get(name)
            original_codes = None if variable is None else variable.missing_codes
            is_exact = (
                self.manifest["columns"][name] not in RECODED
            )  # of a quasi-identifier classes that share one have it
            if not _are_missing_codes(codes, original_codes, self.known.rows, whole=is_exact):
                yield f"column '{name}': missing codes are not those of the originals"

    def _find_broken_rules(self, found: Mapping[str, Any] | None) -> Iterator[str]:
        """What the rules of the preset say of the data, where that is a no or another thing than is stated."""
        stated_preset = self.manifest["preset"]
        if found is None:
            yield "manifest.json names a preset that this version does not know"
            return
        sentence = describe_broken_rule(found)
        if sentence is not None:
            yield sentence
        elif (
            found != stated_preset
            if self.manifest["shoal"] == __version__
            else _verdicts(found) != _verdicts(stated_preset)
        ):
            yield "manifest.json says other things about the rules of its preset than the data show"

    def _judge_with_originals(self, data: "_ReleaseInMemory | ReleaseParts") -> Verdict:
        """Judge the claim, and that the originals can have given these data."""
        shape, suppressed_items = shape_of_claim(self.claim), self.manifest["suppressed_items"]
        verdict = self._judge_claim(data)
        if self.known.originals is None or (verdict.judged and not verdict):
            return verdict
        assert isinstance(data, _ReleaseInMemory)
        stated_count, original_count = self.manifest["records_in"], self.known.originals.records
        if stated_count != original_count:
            return Verdict(
                False, f"the release states {stated_count} originals, but there are {original_count}"
            )
        if self.known.rows is None:
            truth = shape.verification.judge_provenance(data.frame, self.known, suppressed_items)
        else:
            truth = shape.verification.judge_rows(data.frame, self.known, self.claim, suppressed_items)
            truth = replace(truth, sentence=_TRUE) if truth else truth
        return replace(verdict, sentence=f"{verdict.sentence}; {truth.sentence}") if truth else truth

    def _judge_claim(self, data: "_ReleaseInMemory | ReleaseParts") -> Verdict:
        """Judge the claim itself; without the originals, a claim about persons only by what holds of rows."""
        context = self.known
        if self.claim.exempts and context.secrets is None:
            return _unjudged_verdict("it is not known which items are sensitive; give the configuration")
        if isinstance(self.claim, Nonreciprocal) and isinstance(data, _ReleaseInMemory):
            if context.rows is not None:
                return self.claim.check_known(data.seen, context.rows)
        if "counts" not in self.manifest["claim"] or context.rows is not None:
            return data.check(self.claim)
        row_verdicts = [
            data.check(KAnonymity(part.k)) for part in self.claim.parts if isinstance(part, KAnonymity)
        ]
        for verdict in row_verdicts:
            if not verdict:
                return verdict  # persons and households are never more than rows
        unit = self.manifest["claim"]["counts"]
        row_sentences = [_row_sentence(verdict, unit) for verdict in row_verdicts[:1]]
        return _unjudged_verdict(" ".join([*row_sentences, _explain_unjudged_persons(unit)]))

    def _remarks(self, file: str, preset: Mapping[str, Any] | None) -> list[str]:
        """What the reader of a verdict should also know; of a preset what was found, not what is stated."""
        remarks = [] if preset is None else [describe_rules(preset)]
        if "sha256" not in self.manifest:
            remarks.append(
                "the folder is of version 0.1 and has no sha256, so nobody can tell whether a file was changed"
            )
        elif not covers_report(self.manifest) and any((self.folder / page).exists() for page in PAGES):
            remarks.append(
                "the folder is of version 0.2 and has no sha256 of its report, which anybody may have changed"
            )
        remarks += proposed_sentences(self.manifest.get("as_proposed", []))
        if self.manifest["shoal"] != __version__:
            remarks.append(
                "the folder is of another version, so its words were not compared, but for the numbers in them"
            )
        if self.manifest.get("rehearsal"):
            remarks.append("it is a rehearsal, made with a fixed seed, and must not be published")
        ours = (file, *_OURS, *([GROUPS] if has_groups(self.manifest["columns"]) else []))
        strange = sum(path.name not in ours for path in self.folder.iterdir())
        if strange:
            remarks.append(f"the folder holds {strange} more files or folders, which were not judged")
        return remarks


@dataclass(frozen=True)
class _ReleaseInMemory:
    """A release that was read at once: cells, trees, or the different rows of a table."""

    case: VerificationCase
    frame: Any
    columns: list[str]
    records: int

    def odd(self) -> str | None:
        """A sentence where the data are not written as shoal writes them."""
        case = self.case
        files, old = shape_of_claim(case.claim).files, not covers_report(case.manifest)
        return noncanonical_data(
            case.folder,
            files,
            case.manifest["columns"],
            self.frame,
            groups=case.known.groups,
            old=old,
            books=codebooks_of(case.manifest),
        )

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return shape_of_claim(self.case.claim).verification.count_classes(self.frame, self.case.known)

    def unexpected(self) -> str | None:
        """A sentence where the data hold what the configuration does not publish."""
        shape, config = shape_of_claim(self.case.claim), self.case.config
        return (
            None
            if config is None
            else shape.verification.find_unexpected(self.frame, self.case.known, config)
        )

    @cached_property
    def seen(self) -> Any:
        """The data as the claim's judge sees them."""
        return shape_of_claim(self.case.claim).verification.view_for_judge(
            self.frame, self.case.known, self.case.claim
        )

    @cached_property
    def missing_codes(self) -> dict[str, pl.Series]:
        """By column of a file with labels the codes that mean no value."""
        case = self.case
        return read_missing_codes(case.folder, shape_of_claim(case.claim).files, codebooks_of(case.manifest))

    def check(self, claim: Claim) -> Verdict:
        """Judge a claim, the whole or one of its parts; also as if missing codes that its columns have were values.

        A sampling weight that is said to tell no look-alikes apart is judged as a quasi-identifier, too.
        """
        verdict = claim.check(self.seen)
        roles = self.case.manifest["columns"]
        if verdict and (weights := weights_in(self.case.manifest)):
            known = replace(self.case.known, columns={**roles, **dict.fromkeys(weights, "quasi")})
            by_weight = claim.check(
                shape_of_claim(self.case.claim).verification.view_for_judge(self.frame, known, claim)
            )
            if not by_weight:
                return replace(
                    by_weight,
                    sentence=f"column '{next(iter(weights))}' tells records apart: {by_weight.sentence}",
                )
        judged_codes = {name: codes for name, codes in self.missing_codes.items() if roles[name] in _JUDGED}
        if not verdict or not judged_codes:
            return verdict
        revealed = insert_missing_codes(self.frame, judged_codes)
        stricter_verdict = claim.check(
            shape_of_claim(self.case.claim).verification.view_for_judge(revealed, self.case.known, claim)
        )
        return verdict if stricter_verdict else stricter_verdict


def _are_missing_codes(codes: pl.Series, own: pl.Series | None, rows: I8 | None, *, whole: bool) -> bool:
    """Whether missing codes are those of the records of these rows, or of as many of them where nobody knows these.

    `whole` says that no code may be left out of which there are others.
    """
    if own is None:
        return False
    if rows is not None:
        theirs = own.gather(pl.Series(rows))
        if not whole:
            return theirs.set(codes.is_null(), None).equals(codes)
        return theirs.set(~theirs.is_in(codes.drop_nulls().unique().implode()), None).equals(codes)
    code_counts, original_counts = (Counter(series.drop_nulls().to_list()) for series in (codes, own))
    return code_counts <= original_counts


def _verdicts(preset: Mapping[str, Any]) -> dict[str, str]:
    """What was found of each rule, in a word."""
    return {rule["rule"]: rule["verdict"] for rule in preset["rules"]}


_JUDGED = (*RECODED, "sensitive")  # roles of columns of which a claim speaks
_OURS = ("manifest.json", *PAGES)
_TRUE = f"every released row is true of the original that {ROWS} names"


def _explain_unjudged_persons(word: str) -> str:
    """Why a claim that counts persons or households cannot be judged, and what that needs."""
    return (
        f"The claim counts {word}, and the release does not say whom a row belongs to; to judge it, give --config and "
        f"--against, and keep beside the release its private folder with {ROWS}"
    )


def _row_sentence(said: Verdict, word: str) -> str:
    """What rows show of a claim that counts persons or households, as a sentence of its own."""
    return f"Counting rows instead of {word}, {said.sentence}."


def _unjudged_verdict(why: str) -> Verdict:
    return Verdict(False, why, judged=False)
