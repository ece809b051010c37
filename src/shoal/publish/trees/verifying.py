"""Released record trees judged from their folder, or beside the originals."""

from dataclasses import replace
from typing import Any

from shoal.data import Trees
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.privacy.kmn import KMNAnonymity
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.shape import Dataset
from shoal.publish.trees.covering import covered
from shoal.publish.trees.dataset import TreeData
from shoal.publish.trees.judging import alike
from shoal.release import Verdict

__all__ = ["judge_folder"]

_PROSE = ("attacker", "not_covered")


def judge_folder(
    manifest: dict[str, Any], frame: Trees, config: Config | None, originals: Dataset | None
) -> Verdict:
    """Judge the claim on labels, on leaf sets where hierarchies are known, and beside originals where given."""
    claim = _claim(manifest["claim"])
    if not isinstance(originals, TreeData):
        return claim.check(frame if config is None else alike(frame, hierarchies_in_files(config)))
    said = claim.check(alike(frame, originals.hierarchies))
    if not said:
        return said
    if manifest["records_in"] != originals.trees.n:
        return Verdict(
            False, f"the release speaks of {manifest['records_in']} originals, there are {originals.trees.n}"
        )
    over = covered(frame, originals.trees, originals.hierarchies)
    return replace(said, sentence=f"{said.sentence}; {over.sentence}") if over else over


def _claim(stated: dict[str, Any]) -> KMNAnonymity:
    """The claim as a manifest states it; its prose is not read."""
    said = {key: value for key, value in stated.items() if key not in _PROSE}
    try:
        claim = KMNAnonymity(**{key: value for key, value in said.items() if key != "model"})
        meant = {key: value for key, value in claim.as_dict().items() if key not in _PROSE}
    except TypeError:
        meant = {}
    if said != meant or not isinstance(claim.sensitive, str | None):
        raise InputError("claim: not one of record trees, with k, m and n; the manifest was changed")
    return claim
