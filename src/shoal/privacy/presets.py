"""Presets: rules of laws and offices, each judged on what is released, and on nothing else.

A rule is kept, broken, or cannot be told from the released data alone. No preset is a claim: the claim stands beside
it, with a judge of its own.

References
----------
.. [1] 45 CFR 164.514(b). HHS, Guidance regarding methods for de-identification of protected health information, 2012.
.. [2] European Medicines Agency. External guidance on the implementation of policy 0070. EMA/90915/2016, chapter 3.
.. [3] Health Canada. Guidance document on public release of clinical information, 2019.
.. [4] Article 29 Data Protection Working Party. Opinion 05/2014 on anonymisation techniques. WP216, section 3.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.privacy.preset_rules import NO, UNTOLD, YES, Answer, Finding, Preset, ReleasedCells, Rule
from shoal.privacy.safe_harbor import OUT, contact_forms, direct_identifiers, safe_harbor

__all__ = [
    "NO",
    "PRESETS",
    "UNTOLD",
    "YES",
    "Finding",
    "Preset",
    "ReleasedCells",
    "Rule",
    "check_preset",
    "contact_forms",
    "describe_rules",
    "find_preset",
    "preset_as_dict",
    "safe_harbor",
]

# --- presets ------------------------------------------------------------------------------------------------


_OFFICES = 0.09
_SLACK = 1e-12  # quotients of whole numbers: exactly the threshold must pass


def find_preset(name: str) -> Preset:
    """The preset of a name.

    Raises
    ------
    InputError
        There is none.
    """
    if name not in PRESETS:
        raise InputError(f"release: there is no preset '{name}'; {suggest_name(name, PRESETS)}")
    return _make_preset(name)


@cache
def _make_preset(name: str) -> Preset:
    return PRESETS[name][1]()


def check_preset(name: str, released: ReleasedCells) -> list[Finding]:
    """Judge every rule of a preset on a release.

    >>> ages = ReleasedCells({"age": {"89": 7, "90": 5}}, {"age": "quasi"}, (7, 5), 2026)
    >>> [one.rule.name for one in check_preset("hipaa-safe-harbor", ages) if one.verdict == "no"]
    ['ages']
    >>> [one.rule.name for one in check_preset("ema-health-canada", ages) if one.verdict == "no"]
    ['highest risk', 'average risk', 'share above']
    """
    return [Finding(rule, *rule.check(released)) for rule in find_preset(name).rules]


def preset_as_dict(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """A preset and what was found of it, as the manifest holds it."""
    preset = find_preset(name)
    return {
        "name": name,
        "title": preset.title,
        "limits": preset.limits,
        "rules": [finding.as_dict() for finding in findings],
    }


def describe_rules(stated: Mapping[str, Any]) -> str:
    """What a manifest states of a preset, in a clause for people that begins with what cannot be told.

    >>> ages = ReleasedCells({"age": {"89": 7}}, {"age": "quasi"}, (7,), 2026, {"ill": 2}, 7)
    >>> describe_rules(preset_as_dict("wp29", check_preset("wp29", ages)))
    'wp29: all 3 rules are kept'
    """
    rules = stated["rules"]
    untold = [f"{rule['rule']} ({rule['found']})" for rule in rules if rule["verdict"] == UNTOLD]
    broken = [f"{rule['rule']} ({rule['found']})" for rule in rules if rule["verdict"] == NO]
    kept_count = len(rules) - len(untold) - len(broken)
    if not untold and not broken:
        return f"{stated['name']}: all {len(rules)} rules are kept"
    parts = [
        f"of {len(rules)} rules {len(clauses)} {words}: {', '.join(clauses)}"
        for clauses, words in ((broken, "are broken"), (untold, "cannot be told from the data"))
        if clauses
    ]
    return f"{stated['name']}: {'; '.join(parts)}; {kept_count} are kept"


# --- figures of risk: of the classes of a table, elsewhere by the claim that is judged beside the preset

_Threshold = Callable[[ReleasedCells], float]


def _judge_highest_risk(threshold: _Threshold, released: ReleasedCells) -> Answer:
    limit = threshold(released)
    if released.sizes:
        risk, words = 1 / min(released.sizes), f"the smallest class has {min(released.sizes)} records"
    elif released.crowd > 1:
        risk = 1 / released.crowd
        words = f"the claim asks for {released.crowd}, for the attacker whom it names"
    else:
        return NO, "the claim does not bound it, and there are no classes to count"
    verdict = YES if risk <= limit + _SLACK else NO
    return verdict, f"{risk:.4f}, {'at most' if verdict == YES else 'more than'} {limit:.4g}: {words}"


def _judge_average_risk(threshold: _Threshold, released: ReleasedCells) -> Answer:
    if not released.sizes:
        return UNTOLD, "there are no classes to count; it is no higher than the highest"
    classes, records = len(released.sizes), sum(released.sizes)
    verdict = YES if classes / records <= threshold(released) + _SLACK else NO
    return verdict, f"{classes / records:.4f}: {classes:,} classes of {records:,} records"


def _judge_share_above(threshold: _Threshold, released: ReleasedCells) -> Answer:
    limit = threshold(released)
    if not released.sizes:
        return UNTOLD, "there are no classes to count; none is, where the highest risk is kept"
    above = sum(size for size in released.sizes if 1 / size > limit + _SLACK)
    share = above / sum(released.sizes)
    return (NO if above else YES), f"{above:,} of {sum(released.sizes):,} records ({share:.2%})"


def _risk_rules(threshold: _Threshold, words: str, source: str) -> tuple[Rule, ...]:
    questions: dict[str, tuple[str, Callable[[_Threshold, ReleasedCells], Answer]]] = {
        "highest risk": (
            f"Nobody is found with a chance above {words} by all quasi-identifiers",
            _judge_highest_risk,
        ),
        "average risk": (
            f"Somebody who matches everybody is right for no larger share than {words}",
            _judge_average_risk,
        ),
        "share above": (f"No record has a risk above {words}", _judge_share_above),
    }
    advice = "ask for a larger k, or for risk in [guarantee]"
    return tuple(
        Rule(name, asks, source, partial(check, threshold), advice, "risk")
        for name, (asks, check) in questions.items()
    )


def _owner_statement(key: str, words: str) -> Callable[[ReleasedCells], Answer]:
    """The rule that the owner says something, which nobody can judge but everybody can read."""
    return lambda released: (
        (YES, "the publisher says so above; nobody has checked it")
        if key in released.about
        else (UNTOLD, f"{words}; give {key} in [release]")
    )


def _cannot_tell(why: str) -> Callable[[ReleasedCells], Answer]:
    return lambda released: (UNTOLD, why)


# --- HIPAA expert determination


def _risk_threshold(released: ReleasedCells) -> float:
    """The threshold of an expert is the one that the claim states: 1 / k."""
    return 1 / released.crowd


def _judge_threshold(released: ReleasedCells) -> Answer:
    if released.crowd < 2:
        return NO, "the claim bounds nobody's risk"
    stated = f"1 / {released.crowd} = {1 / released.crowd:.4f}"
    if "reason" in released.about:
        return YES, f"{stated}; the reason is given above"
    return UNTOLD, f"{stated}; no reason is given why it is very small: give reason in [release]"


def _expert_preset() -> Preset:
    paragraph = "45 CFR 164.514(b)(1)({})".format
    return Preset(
        "HIPAA expert determination",
        "It is evidence for an expert, who alone can determine that the risk is very small; the law names no number.",
        (
            Rule("threshold", "A highest risk is stated, with a reason", paragraph("i"), _judge_threshold,
                 "give k, or risk, in [guarantee]"),
            *_risk_rules(_risk_threshold, "the one that is stated", paragraph("i")),
            Rule("direct identifiers", "No names, numbers and addresses of Safe Harbor's list", paragraph("i"),
                 direct_identifiers, OUT),
            Rule("recipient", "It is known who will get the "
"data", paragraph("i"), _owner_statement("recipient", "this is not stated")),
            Rule("other information", "What else recipients can reasonably get hold of does not help them",
                 paragraph("i"), _cannot_tell("the private audit simulates attackers who know more than the "
"claim allows; an "
                                  "expert weighs the results"), figures="linkability"),
            Rule("methods and results", "Methods and results of the analysis are documented", paragraph("ii"),
                 lambda released: (YES, "claim, method, parameters and losses stand in this report, figures of risk "
                                        "before and after in the private audit")),
            Rule("expert", "A person with knowledge and experience of such methods has determined it", paragraph("i"),
                 _cannot_tell("only that person can say so, and signs")),
        ),
        risk=_OFFICES,
    )  # fmt: skip


# --- EMA and Health Canada


def _clinical_preset() -> Preset:
    source = "EMA/90915/2016, chapter 3; Health Canada, PRCI guidance"
    return Preset(
        "EMA policy 0070 and Health Canada's public release of clinical information",
        "It counts people of this release alone, not of all who could have been in it, and judges data, not documents.",
        (
            Rule("direct identifiers", "No names, numbers and addresses of patients", source, direct_identifiers, OUT),
            *_risk_rules(lambda released: _OFFICES, "0.09", source),
            Rule("attacks", "Plausible adversaries and attacks are considered", source,
                 _cannot_tell("the private audit simulates attackers and shows their success"), figures="linkability"),
            Rule("rationale", "The anonymisation report says why it was done so", source,
                 _owner_statement("reason", "this is not stated")),
        ),
        risk=_OFFICES,
    )  # fmt: skip


# --- the three criteria of the Article 29 Working Party


def _judge_singling_out(released: ReleasedCells) -> Answer:
    if released.sizes:
        alone = sum(size == 1 for size in released.sizes)
        if alone:
            return NO, f"{alone:,} records are alone in their class"
        return YES, f"the smallest class has {min(released.sizes)} records"
    if released.crowd > 1:
        return YES, f"at least {released.crowd} fit anyone who is known as far as the claim says"
    return NO, "the claim asks for no look-alikes, and there are no classes to count"


def _judge_linkability(released: ReleasedCells) -> Answer:
    verdict, sentence = direct_identifiers(released)
    if verdict != YES:
        return verdict, sentence
    crowd = min(released.sizes, default=released.crowd)
    if crowd < 2:
        return NO, "a record of one person alone can be linked with what others hold of that person"
    return (
        YES,
        f"no identifier and no code of anybody's own; by the rest at most one guess in {crowd} is right",
    )


def _judge_inference(released: ReleasedCells) -> Answer:
    for name, fewest in released.told.items():
        if fewest < 2:
            return NO, f"in some class everybody has the same value of column '{name}'"
    if released.told:
        return YES, f"each class has at least {min(released.told.values())} values of each sensitive column"
    return (
        UNTOLD,
        "no class has a sensitive column to count; the private audit simulates attackers who infer values",
    )


def _opinion_preset() -> Preset:
    source = "WP216, section 3"
    return Preset(
        "the three criteria of the Article 29 Working Party",
        "These rules cover attackers who know the quasi-identifiers; the private audit simulates attackers who "
        "know more, with figures for each criterion. Whether data are anonymous is decided by recital 26 of the GDPR.",
        (
            Rule("singling out", "No record is alone with its quasi-identifiers", source, _judge_singling_out,
                 "ask for k = 2 or more on all quasi-identifiers", "singling out"),
            Rule("linkability", "No record holds what joins it with another record of the same person", source,
                 _judge_linkability, OUT, "linkability"),
            Rule("inference", "No class reveals a sensitive value of everybody in it", source, _judge_inference,
                 "ask for l = 2 or more in [guarantee]", "inference"),
        ),
    )  # fmt: skip


PRESETS: Mapping[str, tuple[str, Callable[[], Preset]]] = {
    "hipaa-safe-harbor": ("a list of what must go, for health data in the US", lambda: safe_harbor("2020")),
    "hipaa-safe-harbor-2000": (
        "the same, with the 17 zip codes of HHS's guidance",
        lambda: safe_harbor("2000"),
    ),
    "hipaa-expert": ("evidence for an expert's determination, for health data in the US", _expert_preset),
    "ema-health-canada": ("a highest risk of 0.09, for data of clinical trials", _clinical_preset),
    "wp29": ("singling out, linkability and inference, for personal data in the EU", _opinion_preset),
}
"""Every preset by its name: what it is for, and how it is made."""
