"""A release beside the rules of its preset."""

from collections import Counter
from collections.abc import Mapping
from datetime import date
from typing import Any

import polars as pl

from shoal.base.errors import InfeasibleError
from shoal.data import Trees
from shoal.data.spelling import normalize_value
from shoal.io.formats import ABOUT
from shoal.io.read.cells import cell_texts
from shoal.io.write.groups import Groups
from shoal.privacy import claim_from_dict
from shoal.privacy.presets import NO, ReleasedCells, check_preset, find_preset, preset_as_dict

__all__ = ["describe_broken_rule", "judge_preset", "refuse_broken"]


def judge_preset(name: str, frame: Any, manifest: Mapping[str, Any], groups: Groups) -> dict[str, Any]:
    """The preset with what was found of each rule, as a manifest states it: of the released data and nothing else."""
    year = int(str(manifest.get("date", date.today().isoformat()))[:4])
    return preset_as_dict(name, check_preset(name, _count_released_cells(frame, manifest, groups, year)))


def _count_released_cells(
    frame: Any, manifest: Mapping[str, Any], groups: Groups, year: int
) -> ReleasedCells:
    roles: Mapping[str, str] = manifest["columns"]
    crowd = claim_from_dict(manifest["claim"]).crowd
    about = {key: manifest[key] for key in ABOUT if key in manifest}
    if isinstance(frame, Trees):
        cells: dict[str, Counter[str]] = {name: Counter() for name in frame.classes}
        occurrences = Counter(frame.items.tolist())
        for code, (value, kind) in enumerate(zip(frame.values, frame.kinds, strict=True)):
            if occurrences[code]:
                cells[frame.classes[kind]][value] += occurrences[code]
        return ReleasedCells(cells, {}, (), year, crowd=crowd, about=about)
    cells = {}
    for column in frame.columns:
        text_counts = cell_texts(frame[column]).alias("text").drop_nulls().value_counts(name="many")
        cells[column] = Counter(dict(zip(text_counts["text"], text_counts["many"], strict=True)))
        if roles.get(column) == "items":
            cells[column].update(str(item) for members in groups.values() for item in members)
    by_role = {role: [name for name in roles if roles[name] == role] for role in ("quasi", "sensitive")}
    quasi, secret = by_role["quasi"], by_role["sensitive"]
    if not quasi or manifest["shape"] != "table" or "counts" in manifest["claim"]:
        return ReleasedCells(cells, roles, (), year, crowd=crowd, about=about)
    unified = frame.with_columns(_unify_cell_spellings(frame[name]) for name in secret)
    classes = unified.group_by(quasi).agg(
        pl.len().alias("\0many"), *(pl.col(name).drop_nulls().n_unique() for name in secret)
    )
    secret_diversity = {name: int(classes[name].min() or 0) for name in secret}
    return ReleasedCells(cells, roles, classes["\0many"].to_list(), year, secret_diversity, crowd, about)


def _unify_cell_spellings(cells: pl.Series) -> pl.Series:
    """Sensitive cells as l counts them: one spelling of each value, and nothing where nothing is seen."""
    texts = cell_texts(cells)
    unified = {value: normalize_value(value) or None for value in texts.drop_nulls().unique()}
    return texts.replace_strict(
        list(unified), list(unified.values()), default=None, return_dtype=pl.String
    ).alias(cells.name)


def describe_broken_rule(stated: Mapping[str, Any]) -> str | None:
    """The first rule that is broken, in words; None where none is."""
    for rule in stated["rules"]:
        if rule["verdict"] == NO:
            return f"preset {stated['name']}, rule {rule['rule']} ({rule['source']}): {rule['found']}"
    return None


def refuse_broken(name: str, frame: Any, manifest: Mapping[str, Any], groups: Groups) -> dict[str, Any]:
    """The preset as a manifest states it.

    Raises
    ------
    InfeasibleError
        The release breaks a rule.
    """
    judged_preset = judge_preset(name, frame, manifest, groups)
    sentence = describe_broken_rule(judged_preset)
    if sentence is not None:
        failed_rule = next(
            judged_rule["rule"] for judged_rule in judged_preset["rules"] if judged_rule["verdict"] == NO
        )
        mend = next(rule.mend for rule in find_preset(name).rules if rule.name == failed_rule)
        raise InfeasibleError(f"{sentence}; nothing was written; {mend}")
    return judged_preset
