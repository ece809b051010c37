"""The options of a job stand in one table: commands, pipelines and pages take the same, within the same bounds."""

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.cli import shoal
from shoal.jobs.options import JOBS, JobOption, job_option

pytest.importorskip("nicegui", reason="the extra web is not installed")

from pydantic import ValidationError

from shoal.web.server.rest import _options_model

BY_COMMAND = {kind: one.command.partition(" --")[0].split() for kind, one in JOBS.items()}
BOUNDED = [
    (kind, one.name)
    for kind, job in JOBS.items()
    for one in job.options
    if one.least is not None and one.takes in ("whole", "number", "seed")
]


def parameters(kind):
    """The options of the command that does a kind of job, by their names."""
    command = shoal
    for word in BY_COMMAND[kind]:
        command = command.commands[word]
    return {one.name: one for one in command.params if isinstance(one, click.Option)}


def required(kind):
    """Something for each option that must be given."""
    return {one.name: "people.csv" for one in JOBS[kind].options if one.required}


def sent(kind, name, value):
    """Whether a pipeline may send it."""
    try:
        _options_model(kind).model_validate({**required(kind), name: value})
    except ValidationError:
        return False
    return True


def typed(kind, name, value):
    """Whether the command line takes it."""
    option = parameters(kind)[name]
    try:
        option.type_cast_value(click.Context(click.Command("c")), str(value))
    except click.BadParameter:
        return False
    return True


@pytest.mark.parametrize("kind", JOBS)
def test_commands_and_pipelines_have_every_option_of_the_table(kind):
    there = parameters(kind)
    model = _options_model(kind)
    assert list(model.model_fields) == [one.name for one in JOBS[kind].options]
    for one in JOBS[kind].options:
        for part in one.parts or (one,):
            if part.typed and one.typed:
                assert there[part.name].help == part.help
                assert there[part.name].required == part.required
        assert model.model_fields[one.name].description == one.help
        assert model.model_fields[one.name].is_required() == one.required


@pytest.mark.parametrize(("kind", "name"), BOUNDED)
@settings(max_examples=40)
@given(data=st.data())
def test_what_a_command_takes_a_pipeline_may_send(kind, name, data):
    one = job_option(kind, name)
    near = [one.least - 1, one.least, one.least + 1, *([] if one.most is None else [one.most, one.most + 1])]
    numbers = st.integers(-5, 10_000) if one.takes != "number" else st.floats(-2, 3)
    value = data.draw(st.sampled_from(near) | numbers)
    value = float(value) if one.takes == "number" else int(value)
    fits = value > one.least if one.excluded else value >= one.least
    fits = fits and (one.most is None or value <= one.most)
    assert sent(kind, name, value) == fits
    if one.typed:
        assert typed(kind, name, value) == fits


def test_a_new_option_is_one_entry(monkeypatch):
    from shoal.cli.options import collect_options as taken
    from shoal.cli.options import job_options

    fresh = JobOption("depth", "whole", "How deep to look.", least=3)
    kind = JOBS["count"]
    monkeypatch.setitem(JOBS, "count", type(kind)(kind.command, kind.about, (*kind.options, fresh)))
    heard = {}

    @click.command()
    @job_options("count")
    def command(**values):
        heard.update(taken("count", values))

    command.main(["--depth", "4", "--column", "age"], standalone_mode=False)
    assert heard == {"depth": 4, "columns": ("age",)}
    assert _options_model("count").model_validate({"depth": 4}).depth == 4
    assert not sent("count", "depth", 2)
    with pytest.raises(click.BadParameter):
        command.main(["--depth", "2"], standalone_mode=False)
