"""An expectation of Great Expectations: these columns are k-anonymous. To import this module registers it."""

from typing import Any, ClassVar

from shoal.base.errors import ExtraError, InputError
from shoal.jobs.api import judge
from shoal.privacy import KAnonymity

try:
    from great_expectations.execution_engine import PandasExecutionEngine
    from great_expectations.expectations.expectation import BatchExpectation
    from great_expectations.expectations.metrics.metric_provider import metric_value
    from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
except ImportError:
    raise ExtraError.of("shoal.connect.expectations", "great_expectations", "gx") from None

__all__ = ["ExpectColumnsToBeKAnonymous"]

_METRIC = "shoal.k_anonymity"
_KEYS = ("columns", "k", "person")


class _Judged(TableMetricProvider):  # type: ignore[misc]  # Great Expectations may be missing where types are checked
    """The verdict as plain data, which a result may hold; its row numbers do not say what stands in a row."""

    metric_name = _METRIC
    value_keys = _KEYS

    @metric_value(engine=PandasExecutionEngine)  # type: ignore[untyped-decorator]
    def _pandas(  # they call it with a class
        cls,  # noqa: N805
        execution_engine: Any,
        metric_domain_kwargs: dict[str, Any],
        metric_value_kwargs: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        frame = execution_engine.get_domain_records(domain_kwargs=metric_domain_kwargs)
        columns, k, person = (metric_value_kwargs[key] for key in _KEYS)
        try:
            return judge(frame, KAnonymity(k), quasi=columns, person=person).as_dict()
        except InputError as error:  # such as a column that is gone: the expectation fails, and says why
            return {"holds": False, "sentence": str(error), "reached": {}}


class ExpectColumnsToBeKAnonymous(BatchExpectation):  # type: ignore[misc]
    """Expect that each combination of values in some columns belongs to at least k rows, or k persons.

    Parameters
    ----------
    columns
        The quasi-identifiers.
    k
        How many records at least share each combination.
    person
        The column that says whom a row belongs to; persons are then counted instead of rows.
    """

    columns: list[str]
    k: int = 5
    person: str | None = None

    metric_dependencies: ClassVar[tuple[str, ...]] = (_METRIC,)
    success_keys: ClassVar[tuple[str, ...]] = _KEYS

    def _validate(self, metrics: dict[str, Any], *_: Any, **__: Any) -> dict[str, Any]:
        verdict = metrics[_METRIC]
        observed = verdict["reached"].get("k")
        return {"success": verdict["holds"], "result": {"observed_value": observed, "details": verdict}}
