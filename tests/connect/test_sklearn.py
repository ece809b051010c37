"""The step of scikit-learn learns a rule and applies it to others, in their order, judged."""

import pandas as pd
import polars as pl
import pytest

import shoal
from shoal.connect.sklearn import Anonymizer

ROLES = {"age": "quasi", "ill": "sensitive"}
RULES = {"age": {"ranges": [10, 20, 40]}}


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
def test_a_rule_is_learned_and_applied_in_order(kind):
    fitted = Anonymizer(ROLES, RULES, k=2).fit(kind({"age": [31, 64, 38, 61], "ill": list("abcd")}))
    assert fitted.recoding_["levels"] == {"age": 1}
    made = fitted.transform(kind({"age": [67, 33, 35, 62], "ill": list("wxyz")}))
    assert isinstance(made, kind)
    assert list(made["age"]) == ["[60, 70)", "[30, 40)", "[30, 40)", "[60, 70)"]
    assert list(made["ill"]) == list("wxyz")


def test_others_who_do_not_keep_it_are_refused():
    fitted = Anonymizer(ROLES, RULES, k=2).fit(pl.DataFrame({"age": [31, 64, 38, 61], "ill": list("abcd")}))
    with pytest.raises(shoal.UnkeptError):
        fitted.transform(pl.DataFrame({"age": [67, 33, 35], "ill": list("xyz")}))


def test_a_method_without_a_rule_is_refused():
    with pytest.raises(shoal.InputError, match=r"^Anonymizer: mondrian has no rule for other records"):
        Anonymizer(ROLES, RULES, k=2, method="mondrian").fit(
            pl.DataFrame({"age": [31, 38], "ill": ["a", "b"]})
        )


def test_it_is_a_step_of_a_pipeline_and_can_be_cloned():
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    step = clone(Anonymizer(ROLES, RULES, k=2))
    made = make_pipeline(step, FunctionTransformer()).fit_transform(
        pd.DataFrame({"age": [31, 64, 38, 61], "ill": list("abcd")})
    )
    assert list(made["age"]) == ["[30, 40)", "[60, 70)", "[30, 40)", "[60, 70)"]
