"""Where data come from: what was sent, a path, a database; what leads nowhere is refused."""

import asyncio
import json

import pytest

from page_cases import mixed, people, trees
from shoal.errors import InputError
from shoal.web.pages.project import DataSource, Projects, from_database, from_path, from_uploads
from shoal.web.server.workspace import Upload, start_server
from web_cases import Threaded, until

pytestmark = pytest.mark.usefixtures("untried", "bare")


@pytest.fixture(autouse=True)
def in_threads(monkeypatch):
    """Do jobs in threads: `tests/web/server/test_jobs.py` and `test_rest.py` start processes."""
    monkeypatch.setattr(asyncio, "create_subprocess_exec", Threaded.start)


def test_given_files_are_one_file_or_the_tables_of_one_data_set(tmp_path):
    one, other = (Upload(name, f"{name}.csv", 1, tmp_path / name) for name in ("a", "b"))
    assert from_uploads([one], folder=False).data == "a.csv"
    assert set(from_uploads([one, other], folder=True).files) == {"data/a.csv", "data/b.csv"}
    with pytest.raises(InputError, match="two files have the same name"):
        from_uploads([one, one], folder=True)
    with pytest.raises(InputError, match="nothing was sent"):
        from_uploads([], folder=False)
    settings = Upload("c", "Shoal.TOML", 1, tmp_path / "c")
    for uploads in ([settings], [one, settings]):
        with pytest.raises(InputError, match="is not data"):
            from_uploads(uploads, folder=len(uploads) > 1)


@pytest.mark.parametrize("text", ["", "people.csv", "/no/such/file", "/tmp/\0"])
def test_a_path_that_leads_nowhere_is_refused_without_repeating_it(text):
    with pytest.raises(InputError, match=r"^path: "):
        from_path(text)


def test_the_password_of_a_database_is_kept_apart():
    found = from_database("postgresql://user@host/people", "secret")
    assert (found.name, found.password, found.is_url) == ("people", "secret", True)
    assert "secret" not in repr(found)
    for url in ("postgresql://user:o%40her@host/people", "postgresql://user@host/people?password=o@her"):
        hidden = from_database(url)
        assert hidden.password == "o@her"
        assert hidden.data == "postgresql://user@host/people"
    for text in ("", "people", "://"):
        with pytest.raises(InputError, match=r"^database: "):
            from_database(text)


# A data set on its way: what it remembers, what makes its jobs stale, what it lets jobs read.


def walked(tmp_path, given, way):
    """Walk through a project in a server of its own."""

    async def whole():
        with start_server(where=tmp_path) as server:
            projects = Projects(server)
            project = projects.add(given)
            await until(lambda: project.job("propose").over)
            return await way(projects, project)

    return asyncio.run(whole())


@pytest.fixture
def table(tmp_path):
    path = people(tmp_path)
    return DataSource("people.csv", "people.csv", {"people.csv": path})


async def stated(project, **roles):
    project.roles |= roles
    job = project.propose()
    assert not project.ready
    await until(lambda: job.over)
    return job


def test_what_was_proposed_becomes_the_configuration(tmp_path, table):
    async def way(_, project):
        assert project.ready
        assert project.shape == "table"
        assert project.sample[0]["columns"] == ["name", "age", "sex", "zip", "diagnosis"]
        return project.configuration

    found = walked(tmp_path, table, way)
    assert found["data"]["path"] == "people.csv"
    assert found["guarantee"] == {"k": 11, "l": 3}


def test_decisions_outlive_another_look_at_the_data(tmp_path, table):
    async def way(_, project):
        assert project.ready
        project.decide("guarantee", "k", 7)
        project.decide("release", "title", "Patients")
        project.decide("data", "missing", ["", "?"])
        project.specify("age", "weight", 2.0)
        await stated(project, zip="drop")
        assert project.ready
        return project.configuration

    found = walked(tmp_path, table, way)
    assert found["guarantee"] == {"k": 7, "l": 3}
    assert found["release"]["title"] == "Patients"
    assert found["data"]["missing"] == ["", "?"]
    assert found["columns"]["age"]["weight"] == 2.0
    assert found["columns"]["zip"] == "drop"


def test_a_preset_is_followed_and_left(tmp_path, table):
    async def way(projects, project):
        await until(lambda: project.ready)
        found = []
        for preset in ("ema-health-canada", None):
            project.follow(preset)
            await until(lambda: project.ready)
            found.append((project.section("release").get("preset"), project.section("guarantee")["k"]))
        return found

    assert walked(tmp_path, table, way) == [("ema-health-canada", 12), (None, 11)]


def test_a_role_that_does_not_fit_is_told_and_the_ones_before_stand(tmp_path, table):
    async def way(_, project):
        await stated(project, zip="drop")
        assert project.ready
        job = await stated(project, age="items")
        assert job.state == "failed"
        assert "no sign separates items" in job.sentence
        assert project.ready
        assert project.roles == {"zip": "drop"}
        assert project.configuration["columns"]["zip"] == "drop"

    walked(tmp_path, table, way)


def test_a_guarantee_of_another_shape_is_not_kept(tmp_path):
    given = DataSource("bought.csv", "bought.csv", {"bought.csv": mixed(tmp_path)})

    async def way(_, project):
        assert project.ready
        assert project.configuration["guarantee"] == {"k": 11, "m": 2}
        await stated(project, bought="drop")
        assert project.ready
        assert project.configuration["guarantee"] == {"k": 11}

    walked(tmp_path, given, way)


def test_a_result_is_stale_once_something_is_decided_otherwise(tmp_path, table):
    async def way(_, project):
        assert project.ready
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

    walked(tmp_path, table, way)


def test_a_path_of_this_machine_is_read_where_it_is(tmp_path):
    place = tmp_path / "elsewhere"
    place.mkdir()
    given = from_path(str(people(place)))

    async def way(_, project):
        assert project.ready
        assert project.configuration["data"]["path"] == str(place / "people.csv")
        job = project.begin("run", {"k": 3})
        await until(lambda: job.over)
        assert job.state == "done", job.sentence
        order = json.loads((job.folder / "order.json").read_text())
        assert order["allowed"]["folders"] == [str(place / "people.csv")]

    walked(tmp_path, given, way)


def test_trees_keep_the_fields_whose_absence_may_be_known(tmp_path):
    path = trees(tmp_path)
    given = DataSource("patients.ndjson", "patients.ndjson", {"patients.ndjson": path})

    async def way(_, project):
        assert project.ready
        project.decide("tree", "negations", ["nation"])
        await stated(project, **{"visits.finding": "sensitive"})
        assert project.ready
        assert project.configuration["tree"]["negations"] == ["nation"]
        assert project.configuration["tree"]["sensitive"] == "visits.finding"

    walked(tmp_path, given, way)


def test_what_is_tried_is_not_decided(tmp_path, table):
    async def way(_, project):
        assert project.ready
        trying = {("guarantee", "k"): 9, ("method", "name"): "mondrian", ("release", "format"): None}
        job = project.begin("preview", step="a preview", trying=trying)
        asked = json.loads((job.folder / "order.json").read_text())["configuration"]
        assert (asked["guarantee"]["k"], asked["method"]) == (9, {"name": "mondrian"})
        assert "release" not in asked
        assert project.configuration["guarantee"] == {"k": 11, "l": 3}
        assert "method" not in project.configuration

    walked(tmp_path, table, way)


def test_a_job_may_not_depend_on_all_that_is_decided(tmp_path, table):
    async def way(_, project):
        assert project.ready
        project.begin("pareto", step="tradeoff", apart={("guarantee", "*"), ("method", "name")})
        project.decide("guarantee", "k", 7)
        project.decide("method", "name", "optimal")
        assert not project.is_stale("tradeoff")
        project.decide("method", "suppress", 0.01)
        assert project.is_stale("tradeoff")

    walked(tmp_path, table, way)


def test_what_was_allowed_under_one_role_is_not_under_another(tmp_path, table):
    async def way(_, project):
        await stated(project, name="sensitive")
        assert project.ready
        project.specify("name", "allow", True)
        await stated(project, name="plain")
        assert project.ready
        assert project.configuration["columns"]["name"] == "plain"
        await stated(project, name="sensitive")
        assert project.ready
        assert project.configuration["columns"]["name"]["allow"] is True

    walked(tmp_path, table, way)


def test_what_fits_no_longer_is_taken_back_and_told(tmp_path, table):
    async def way(_, project):
        assert project.ready
        project.decide("guarantee", "l", 2)
        project.decide("audit", "target", "diagnosis")
        await stated(project, diagnosis="drop")
        assert project.ready
        assert project.configuration["guarantee"] == {"k": 11}
        assert "audit" not in project.configuration
        assert project.taken_back == [
            "l-diversity: nothing is sensitive any more",
            "the column to predict: diagnosis is not published",
        ]
        job = project.begin("run")
        await until(lambda: job.over)
        assert job.state == "done", job.sentence

    walked(tmp_path, table, way)


def test_nothing_begins_while_the_data_are_looked_at_or_after_they_are_gone(tmp_path, table):
    async def way(projects, project):
        assert project.ready
        job = project.propose()
        with pytest.raises(InputError, match="the data are being looked at again"):
            project.begin("run")
        await until(lambda: job.over)
        await projects.remove(project)
        with pytest.raises(InputError, match="this data set was removed"):
            project.begin("run")

    walked(tmp_path, table, way)


def test_removing_a_project_removes_what_was_sent_and_what_its_jobs_wrote(tmp_path):
    async def sent():
        yield people(tmp_path).read_bytes()

    async def whole():
        with start_server(where=tmp_path) as server:
            upload = await server.uploads.store("people.csv", sent())
            projects = Projects(server)
            project = projects.add(from_uploads([upload], folder=False))
            await until(lambda: project.job("propose").over)
            folders = project.folder, project.job("propose").folder
            assert all(folder.exists() for folder in folders)
            await projects.remove(project)
            assert list(server.uploads) == []
            assert not any(path.exists() for path in (upload.path, *folders))
            assert (list(projects), projects.get(project.id)) == ([], None)

    asyncio.run(whole())
