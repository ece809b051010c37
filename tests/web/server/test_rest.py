"""The REST interface as a pipeline uses it: a real server, real processes."""

import io
import json
import time
from zipfile import ZipFile

import pytest

from shoal.publish.verify import verify
from shoal.web.server.worker import _HANDLERS

pytest.importorskip("nicegui", reason="the extra web is not installed")

CONFIGURATION = {
    "data": {"path": "people.csv", "missing": ["", "?"]},
    "columns": {
        "name": "identifier",
        "age": {"role": "quasi", "hierarchy": {"ranges": [10, 20, 40]}},
        "sex": "quasi",
        "job": {"role": "quasi", "hierarchy": "hierarchies/job.csv"},
        "disease": "sensitive",
        "ward": "plain",
    },
    "guarantee": {"k": 3},
    "method": {"suppress": 0.1},
}
NOBODY = "0" * 32


def send(served, path, name=None):
    got = served.client.put(f"/uploads/{name or path.name}", content=path.read_bytes())
    assert got.status_code == 201, got.text
    return got.json()["id"]


def begin(served, kind, **asked):
    got = served.client.post("/jobs", json={"kind": kind, **asked})
    assert got.status_code == 202, got.text
    assert got.headers["location"] == f"/api/v1/jobs/{got.json()['id']}"
    return got.json()["id"]


def finish(served, number):
    for _ in range(3000):
        facts = served.client.get(f"/jobs/{number}").json()
        if facts["state"] not in ("waiting", "running"):
            return facts
        time.sleep(0.02)
    raise AssertionError("it took too long")


def sentence(answer):
    shape = answer.json()
    assert list(shape) == ["error"]
    assert list(shape["error"]) == ["sentence", "exit"]
    assert answer.headers["content-type"] == "application/json"
    return shape["error"]["sentence"]


@pytest.fixture
def files(served, people):
    return {
        "people.csv": send(served, people / "people.csv"),
        "hierarchies/job.csv": send(served, people / "hierarchies" / "job.csv"),
    }


def test_from_files_to_a_release_that_passes_its_judge(served, files, tmp_path):
    number = begin(served, "run", configuration=CONFIGURATION, files=files)
    with served.client.stream("GET", f"/jobs/{number}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in stream.iter_lines() if line.startswith("data: ")]
    heard = [json.loads(line.removeprefix("data: ")) for line in lines]
    assert heard[-1]["state"] == "done", heard[-1]
    assert "reading" in {facts["what"] for facts in heard}
    release = served.client.get(f"/jobs/{number}/release")
    assert release.headers["content-type"] == "application/zip"
    assert "shoal-release.zip" in release.headers["content-disposition"]
    with ZipFile(io.BytesIO(release.content)) as parcel:
        assert sorted(parcel.namelist()) == [
            "release/data.csv",
            "release/manifest.json",
            "release/report.html",
        ]
        parcel.extractall(tmp_path)
    assert verify(tmp_path / "release")[1]
    private = served.client.get(f"/jobs/{number}/private")
    with ZipFile(io.BytesIO(private.content)) as parcel:
        assert {name.split("/")[0] for name in parcel.namelist()} == {"release.private"}
    assert served.client.get(f"/jobs/{number}/result").json()["claim"]["k"] == 3
    with ZipFile(io.BytesIO(served.client.get(f"/jobs/{number}/configuration").content)) as parcel:
        assert sorted(parcel.namelist()) == ["hierarchies/job.csv", "shoal.toml"]
    assert served.client.delete(f"/jobs/{number}").status_code == 204
    assert served.client.get(f"/jobs/{number}").status_code == 404


def test_a_job_that_fails_tells_the_sentence_of_the_command(served):
    hostile = {**CONFIGURATION, "data": {"path": "/etc/passwd"}}
    facts = finish(served, begin(served, "run", configuration=hostile))
    assert (facts["state"], facts["exit"]) == ("failed", 2)
    assert "leads out of" in facts["error"]["sentence"]
    got = served.client.get(f"/jobs/{facts['id']}/release")
    assert got.status_code == 409
    assert "failed" in sentence(got)


def test_a_job_is_cancelled(served, files):
    number = begin(served, "run", configuration=CONFIGURATION, files=files)
    got = served.client.post(f"/jobs/{number}/cancel")
    assert got.json()["state"] == "cancelled"
    assert finish(served, number)["state"] == "cancelled"
    assert number in [job["id"] for job in served.client.get("/jobs").json()]
    assert not served.server.jobs.get(number).folder.exists()


def test_files_that_are_too_long_leave_nothing(served):
    before = sorted(served.server.workspace.part("uploads").iterdir())
    got = served.client.put("/uploads/a.csv", content=b"x" * 100_001)
    assert got.status_code == 413
    assert "100,000 bytes" in sentence(got)

    def chunks():
        for _ in range(11):
            yield b"x" * 10_000

    got = served.client.put("/uploads/a.csv", content=chunks())
    assert got.status_code == 413
    assert sorted(served.server.workspace.part("uploads").iterdir()) == before
    got = served.client.put("/uploads/a.csv", content=b"x" * 100_000)
    assert got.status_code == 201


def test_files_that_are_too_much_together_are_refused(served, monkeypatch):
    monkeypatch.setattr(served.server.uploads, "whole", sum(upload.bytes for upload in served.server.uploads))
    got = served.client.put("/uploads/b.csv", content=b"x" * 90_000)
    assert got.status_code == 413
    assert "remove some of them first" in sentence(got)


def test_files_are_listed_and_removed(served):
    got = served.client.put("/uploads/..%2F..%2Fpeople%E2%80%AE.csv", content=b"a,b\n")
    assert got.json()["name"] == "people.csv"
    assert got.json() in served.client.get("/uploads").json()
    assert served.client.delete(f"/uploads/{got.json()['id']}").status_code == 204
    gone = served.client.delete(f"/uploads/{got.json()['id']}")
    assert gone.status_code == 404
    assert "there is no file" in sentence(gone)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "", 404),
        ("GET", "/jobs/", 404),
        ("GET", f"/jobs/{NOBODY}", 404),
        ("GET", f"/jobs/{NOBODY}/release", 404),
        ("GET", f"/jobs/{NOBODY}/events", 404),
        ("POST", f"/jobs/{NOBODY}/cancel", 404),
        ("DELETE", f"/jobs/{NOBODY}", 404),
        ("GET", "/jobs/..%2f..%2fetc", 404),
        ("GET", "/jobs/x", 422),
        ("PUT", "/jobs", 405),
        ("TRACE", "/jobs", 405),
        ("PATCH", f"/jobs/{NOBODY}", 405),
        ("PUT", "/uploads/", 422),
    ],
)
def test_every_refusal_has_one_shape_and_none_is_a_redirect(served, method, path, status):
    got = served.client.request(method, path)
    assert got.status_code == status
    assert sentence(got)
    assert "location" not in got.headers


def test_a_refused_method_is_told_all_that_are_taken(served):
    assert served.client.put("/jobs").headers["allow"] == "GET, POST"
    assert served.client.patch(f"/jobs/{NOBODY}").headers["allow"] == "DELETE, GET"


WRONG_BODIES = [
    b"",
    b"no json",
    b"[]",
    b"null",
    b'{"kind": "attack"}',
    b'{"kind": "run", "strange": 1}',
    b'{"kind": "run", "options": {"k": "many"}}',
    b'{"kind": "run", "configuration": {"data": 5}}',
    b'{"kind": "run", "configuration": {"\\ud800": 5}}',
    b'{"kind": "run", "options": {"t": NaN}}',
    b'{"kind": "run", "files": {"../x": "' + NOBODY.encode() + b'"}}',
    b'{"kind": "propose"}',
    b'{"kind": "run", "configuration": {"a": {"b": ' + b"[" * 20_000 + b"]" * 20_000 + b"}}}",
    b'{"kind": "run", "options": {"k": ' + b"9" * 5_000 + b"}}",
    b"\xff\xfe",
]


@pytest.mark.parametrize("body", WRONG_BODIES, ids=lambda body: repr(body[:40]))
def test_orders_that_mean_nothing_are_one_sentence(served, body):
    before = len(served.client.get("/jobs").json())
    got = served.client.post("/jobs", content=body, headers={"Content-Type": "application/json"})
    assert 400 <= got.status_code < 500
    assert sentence(got)
    assert len(served.client.get("/jobs").json()) == before


def test_a_job_goes_on_only_with_one_that_is_done(served, files):
    number = begin(served, "run", configuration=CONFIGURATION, files=files)
    served.client.post(f"/jobs/{number}/cancel")
    got = served.client.post("/jobs", json={"kind": "verify", "after": number})
    assert got.status_code == 409
    assert "cancelled" in sentence(got)
    got = served.client.post("/jobs", json={"kind": "run", "files": {"a.csv": NOBODY}})
    assert got.status_code == 404


def test_the_guard_is_before_everything(served):
    import httpx

    for path in ("/", "/api/v1/jobs", "/api/v1/openapi.json", "/nothing"):
        assert httpx.get(f"{served.url}{path}").status_code == 401
    assert served.client.get("/jobs", headers={"Host": "evil.example"}).status_code == 403
    assert served.client.post("/jobs", headers={"Origin": "null"}).status_code == 403


def test_the_description_is_complete(served):
    told = served.client.get("/openapi.json").json()
    assert told["security"] == [{"token": []}]
    assert told["servers"] == [{"url": "/api/v1"}]
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            assert operation.get("description"), (method, path)
            assert {"401", "403", "404", "413", "422"} <= set(operation["responses"])
            assert operation["responses"]["404"]["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/Problems"
            }
    assert "HTTPValidationError" not in json.dumps(told)
    kinds = told["paths"]["/jobs"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(kinds["discriminator"]["mapping"]) == set(_HANDLERS)
