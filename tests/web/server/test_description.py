"""Whatever fits the description, and much that does not, is answered as it says, and never with 500."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from web_cases import running

pytest.importorskip("nicegui", reason="the extra web is not installed")
schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")

CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
]
OPERATIONS = (
    ("PUT", "/uploads/{name}"),
    ("GET", "/uploads"),
    ("DELETE", "/uploads/{number}"),
    ("POST", "/jobs"),
    ("GET", "/jobs"),
    ("GET", "/jobs/{number}"),
    ("GET", "/jobs/{number}/events"),
    ("POST", "/jobs/{number}/cancel"),
    ("DELETE", "/jobs/{number}"),
    ("GET", "/jobs/{number}/result"),
    ("GET", "/jobs/{number}/release"),
    ("GET", "/jobs/{number}/private"),
    ("GET", "/jobs/{number}/configuration"),
)


@pytest.fixture(scope="module")
def dull(tmp_path_factory):
    """A server whose jobs do nothing, so that hundreds of them take no time."""
    with running(tmp_path_factory.mktemp("rooms"), limit=10_000, command=("true",)) as found:
        yield found


@pytest.fixture(scope="module")
def schema(dull):
    return schemathesis.openapi.from_dict(dull.client.get("/openapi.json").json())


def test_every_operation_is_tried(dull):
    paths = dull.client.get("/openapi.json").json()["paths"]
    there = {(method.upper(), path) for path, operations in paths.items() for method in operations}
    assert there == set(OPERATIONS)


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_answers_are_as_described(dull, schema, method, path, mode):
    operation = schema[path][method]
    many = 30 if (method, path) == ("POST", "/jobs") else 6

    @settings(max_examples=many, suppress_health_check=list(HealthCheck), database=None)
    @given(st.data())
    def answered(data):
        case = data.draw(operation.as_strategy(generation_mode=mode))
        headers = {"Authorization": f"Bearer {dull.server.keys.bearer}"}
        answer = case.call(base_url=f"{dull.url}/api/v1", headers=headers)
        assert answer.status_code < 500, answer.text
        case.validate_response(answer, checks=CHECKS)

    answered()
