"""How tests call the command line, what they ask of its answer, and how they compare methods without processes."""

from click.testing import CliRunner

from shoal.cli import shoal
from shoal.comparison.measures import measure_point


def command(*words):
    """What the command line answers."""
    return CliRunner().invoke(shoal, [str(word) for word in words], catch_exceptions=False)


def failed(result, code, *parts):
    """One sentence on standard error, the right exit code, no traceback."""
    assert result.exit_code == code, result.output
    assert result.stderr.startswith("shoal: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr
    return True


def point_by_point(monkeypatch):
    """Let comparisons make their points in this process, one after the other."""
    monkeypatch.setattr(
        "shoal.comparison.comparison.measure_points",
        lambda dataset, points, **ways: (measure_point(dataset, point) for point in points),
    )
