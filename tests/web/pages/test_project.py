"""Where data come from: what was sent, a path, a database; what leads nowhere is refused."""

import asyncio
import json

import pytest

from page_cases import mixed, paid, people, trees
from shoal.base.errors import InputError
from shoal.web.pages.hierarchy_editor import COUNT, HierarchyEditors
from shoal.web.pages.project import (
    DataSource,
    Projects,
    source_from_database,
    source_from_path,
    source_from_uploads,
)
from shoal.web.pages.saved import read_saved
from shoal.web.server.workspace import Upload, start_server
from web_cases import Threaded, until

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("untried", "bare")]


@pytest.fixture(autouse=True)
def in_threads(monkeypatch):
    """Do jobs in threads: `tests/web/server/test_jobs.py` and `test_rest.py` start processes."""
    monkeypatch.setattr(asyncio, "create_subprocess_exec", Threaded.start)


def test_given_files_are_one_file_or_the_tables_of_one_data_set(tmp_path):
    one, other = (Upload(name, f"{name}.csv", 1, tmp_path / name) for name in ("a", "b"))
    assert source_from_uploads([one], folder=False).data == "a.csv"
    assert set(source_from_uploads([one, other], folder=True).files) == {"data/a.csv", "data/b.csv"}
    with pytest.raises(InputError, match="two files have the same name"):
        source_from_uploads([one, one], folder=True)
    with pytest.raises(InputError, match="nothing was sent"):
        source_from_uploads([], folder=False)
    settings = Upload("c", "Shoal.TOML", 1, tmp_path / "c")
    for uploads in ([settings], [one, settings]):
        with pytest.raises(InputError, match="is not data"):
            source_from_uploads(uploads, folder=len(uploads) > 1)


@pytest.mark.parametrize("text", ["", "people.csv", "/no/such/file", "/tmp/\0"])
def test_a_path_that_leads_nowhere_is_refused_without_repeating_it(text):
    with pytest.raises(InputError, match=r"^path: "):
        source_from_path(text)


def test_the_password_of_a_database_is_kept_apart():
    found = source_from_database("postgresql://user@host/people", "secret")
    assert (found.name, found.password, found.is_url) == ("people", "secret", True)
    assert "secret" not in repr(found)
    for url in ("postgresql://user:o%40her@host/people", "postgresql://user@host/people?password=o@her"):
        hidden = source_from_database(url)
        assert hidden.password == "o@her"
        assert hidden.data == "postgresql://user@host/people"
    for text in ("", "people", "://"):
        with pytest.raises(InputError, match=r"^database: "):
            source_from_database(text)


# A data set on its way: what it remembers, what makes its jobs stale, what it lets jobs read.


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
async def projects(tmp_path):
    """Those of a server of its own."""
    with start_server(where=tmp_path) as server:
        yield Projects(server)


@pytest.fixture
async def project(request, projects, tmp_path):
    """A project whose data were looked at: a table, unless a test asks for something else."""
    data = getattr(request, "param", people)(tmp_path)
    given = data if isinstance(data, DataSource) else DataSource(data.name, data.name, {data.name: data})
    project = projects.add(given)
    await until(lambda: project.ready)
    return project


async def stated(project, **roles):
    project.roles |= roles
    job = project.propose()
    assert not project.ready
    await until(lambda: project.ready)
    return job


async def test_what_was_proposed_becomes_the_configuration(project):
    assert project.shape == "table"
    assert project.sample[0]["columns"] == ["name", "age", "sex", "zip", "diagnosis"]
    assert project.configuration["data"]["path"] == "people.csv"
    assert project.configuration["guarantee"] == {"k": 11, "l": 3}


async def test_decisions_outlive_another_look_at_the_data(project):
    project.decide("guarantee", "k", 7)
    project.decide("release", "title", "Patients")
    project.decide("data", "missing", ["", "?"])
    project.specify("age", "weight", 2.0)
    await stated(project, zip="drop")
    found = project.configuration
    assert found["guarantee"] == {"k": 7, "l": 3}
    assert found["release"]["title"] == "Patients"
    assert found["data"]["missing"] == ["", "?"]
    assert found["columns"]["age"]["weight"] == 2.0
    assert found["columns"]["zip"] == "drop"


async def test_a_preset_is_followed_and_left(project):
    for preset, k in (("ema-health-canada", 12), (None, 11)):
        project.follow(preset)
        await until(lambda: project.ready)
        assert (project.section("release").get("preset"), project.section("guarantee")["k"]) == (preset, k)


async def test_a_role_that_does_not_fit_is_told_and_the_ones_before_stand(project):
    await stated(project, zip="drop")
    job = await stated(project, age="items")
    assert job.state == "failed"
    assert "no sign separates items" in job.sentence
    assert project.roles == {"zip": "drop"}
    assert project.configuration["columns"]["zip"] == "drop"


@pytest.mark.parametrize("project", [mixed], indirect=True)
async def test_a_guarantee_of_another_shape_is_not_kept(project):
    assert project.configuration["guarantee"] == {"k": 11, "m": 2}
    await stated(project, bought="drop")
    assert project.configuration["guarantee"] == {"k": 11}


async def test_a_result_is_stale_once_something_is_decided_otherwise(project):
    job = project.begin("risk")
    await until(lambda: job.over)
    assert not project.is_stale("risk")
    k = project.configuration["guarantee"]["k"]
    project.decide("guarantee", "k", k + 1)
    assert project.is_stale("risk")
    project.decide("guarantee", "k", k)
    assert not project.is_stale("risk")
    edited = project.folder / "age.csv"
    edited.write_text("1;*\n")
    project.hierarchies["hierarchies/age.csv"] = edited
    assert project.is_stale("risk")
    assert project.result("risk") == project.result("risk")
    with pytest.raises(LookupError):
        project.result("run")


@pytest.mark.parametrize("project", [lambda folder: source_from_path(str(people(folder)))], indirect=True)
async def test_a_path_of_this_machine_is_read_where_it_is(project, tmp_path):
    assert project.configuration["data"]["path"] == str(tmp_path / "people.csv")
    job = project.begin("run", {"k": 3})
    await until(lambda: job.over)
    assert job.state == "done", job.sentence
    order = json.loads((job.folder / "order.json").read_text())
    assert order["allowed"]["folders"] == [str(tmp_path / "people.csv")]


@pytest.mark.parametrize("project", [trees], indirect=True)
async def test_trees_keep_the_fields_whose_absence_may_be_known(project):
    project.decide("tree", "negations", ["nation"])
    await stated(project, **{"visits.finding": "sensitive"})
    assert project.configuration["tree"]["negations"] == ["nation"]
    assert project.configuration["tree"]["sensitive"] == "visits.finding"


async def test_what_is_tried_is_not_decided(project):
    trying = {("guarantee", "k"): 9, ("method", "name"): "mondrian", ("release", "format"): None}
    job = project.begin("preview", step="a preview", trying=trying)
    asked = json.loads((job.folder / "order.json").read_text())["configuration"]
    assert (asked["guarantee"]["k"], asked["method"]) == (9, {"name": "mondrian"})
    assert "format" not in asked.get("release", {})
    assert project.configuration["guarantee"] == {"k": 11, "l": 3}
    assert "method" not in project.configuration


async def test_a_job_may_not_depend_on_all_that_is_decided(project):
    project.begin("pareto", step="tradeoff", apart={("guarantee", "*"), ("method", "name")})
    project.decide("guarantee", "k", 7)
    project.decide("method", "name", "optimal")
    assert not project.is_stale("tradeoff")
    project.decide("method", "suppress", 0.01)
    assert project.is_stale("tradeoff")


# What somebody must decide about, and what becomes of it: a role, a hierarchy or a key given to a column is a decision.


@pytest.mark.parametrize("project", [paid], indirect=True)
async def test_nothing_goes_out_before_all_is_decided_or_let_go(project):
    assert list(project.undecided) == list(project.configuration["undecided"]) == ["company", "income"]
    assert not project.may_publish
    job = project.publish()  # as from a page that was drawn before
    await until(lambda: job.over)
    assert (job.state, job.exit) == ("failed", 2)
    assert "nobody has decided about 'company', 'income'" in job.sentence
    project.accepted = dict(project.undecided)
    job = project.publish()
    await until(lambda: job.over)
    assert job.state == "done", job.sentence
    assert project.result("run")["as_proposed"] == ["company", "income"]


@pytest.mark.parametrize("project", [paid], indirect=True)
async def test_a_role_a_hierarchy_and_a_key_are_decisions(project):
    project.edited["company"] = {"ranges": [1000]}
    project.state_hierarchy("company", {"ranges": [1000]})
    assert list(project.configuration["undecided"]) == ["income"]
    await stated(project, income="sensitive")
    assert project.undecided == {}
    assert "undecided" not in project.configuration
    project.edited.pop("company")  # it is as it was proposed again
    project.state_hierarchy("company", None)
    assert list(project.configuration["undecided"]) == ["company"]
    project.specify("company", "weight", 2.0)
    assert "undecided" not in project.configuration
    job = project.publish()
    await until(lambda: job.over)
    assert job.state == "done", job.sentence
    assert "as_proposed" not in project.result("run")


@pytest.mark.parametrize("project", [paid], indirect=True)
async def test_what_is_let_go_is_what_was_asked_then(project):
    project.accepted = dict.fromkeys(project.undecided, "another reason")
    assert not project.may_publish
    project.accepted = dict(project.undecided)
    project.settle("income")  # one of them is decided since
    assert project.may_publish


@pytest.mark.parametrize("project", [paid], indirect=True)
async def test_only_a_release_depends_on_what_is_decided(project):
    project.accepted = dict(project.undecided)
    for job in (project.begin("risk"), project.publish()):
        await until(lambda job=job: job.over)
    project.settle("income")
    assert (project.is_stale("risk"), project.is_stale("run")) == (False, True)


async def test_what_was_allowed_under_one_role_is_not_under_another(project):
    await stated(project, name="sensitive")
    project.specify("name", "allow", True)
    await stated(project, name="plain")
    assert project.configuration["columns"]["name"] == "plain"
    await stated(project, name="sensitive")
    assert project.configuration["columns"]["name"]["allow"] is True


async def test_what_fits_no_longer_is_taken_back_and_told(project):
    project.decide("guarantee", "l", 2)
    project.decide("audit", "target", "diagnosis")
    await stated(project, diagnosis="drop")
    assert project.configuration["guarantee"] == {"k": 11}
    assert "audit" not in project.configuration
    assert project.taken_back == [
        "l-diversity: nothing is sensitive any more",
        "the column to predict: diagnosis is not published",
    ]
    job = project.begin("run")
    await until(lambda: job.over)
    assert job.state == "done", job.sentence


async def test_nothing_begins_while_the_data_are_looked_at_or_after_they_are_gone(projects, project):
    job = project.propose()
    with pytest.raises(InputError, match="the data are being looked at again"):
        project.begin("run")
    await until(lambda: job.over)
    await projects.remove(project)
    with pytest.raises(InputError, match="this data set was removed"):
        project.begin("run")


async def test_removing_a_project_removes_what_was_sent_and_what_its_jobs_wrote(projects, tmp_path):
    async def sent():
        yield people(tmp_path).read_bytes()

    uploads = projects.server.uploads
    upload = await uploads.store("people.csv", sent())
    project = projects.add(source_from_uploads([upload], folder=False))
    await until(lambda: project.ready)
    folders = project.folder, project.job("propose").folder
    assert all(folder.exists() for folder in folders)
    await projects.remove(project)
    assert list(uploads) == []
    assert not any(path.exists() for path in (upload.path, *folders))
    assert (list(projects), projects.get(project.id)) == ([], None)


async def test_a_project_is_saved_and_goes_on_elsewhere(project, tmp_path):
    project.decide("guarantee", "k", 7)
    project.decide("release", "title", "Patients")
    project.decide("data", "missing", ["", "?"])
    project.specify("age", "weight", 2.0)
    name = "hierarchies/edited/sex.csv"
    project.hierarchies[name] = tmp_path / "sex.csv"
    project.hierarchies[name].write_text("f;*\nm;*\n")
    project.edited = {"age": {"ranges": [10, 20]}, "sex": {"file": name, "built": True}}
    await stated(project, zip="drop")
    saved = project.collect_decisions()
    assert "Person" not in saved.text()
    without = project.collect_decisions(values=False)
    assert (without.hierarchies, set(without.edited)) == ({}, {"age"})
    (tmp_path / "saved.shoal").write_text(saved.text(), encoding="utf-8")
    with start_server(where=tmp_path) as server:
        other = Projects(server).add(project.source, read_saved(tmp_path / "saved.shoal"))
        await until(lambda: other.ready)
        assert other.configuration == project.configuration
        assert other.collect_decisions() == saved
        editors = HierarchyEditors.of(other)
        editors.begin()
        await until(lambda: other.job(COUNT).over)
        editors.read()
        assert editors.faults == {}
        editors.write(editors.there["sex"])  # nothing was edited here: its file stays
        assert other.configuration == project.configuration
        assert set(other.hierarchies) == {name}


async def test_two_columns_of_one_name_are_told_apart(projects, tmp_path):
    (tmp_path / "twins.csv").write_text(
        "age,sex,age,age\n" + "".join(f"{20 + n % 40},f,1,{n % 3}\n" for n in range(60))
    )
    source = DataSource("twins.csv", "twins.csv", {"twins.csv": tmp_path / "twins.csv"})
    project = projects.add(source)
    await until(lambda: project.ready)
    assert [column["name"] for column in project.proposal["columns"]] == ["age", "sex", "age (2)", "age (3)"]
    assert len(project.renamed) == 2
    assert not project.is_refused
