"""What an import drags in: a newcomer's first command must answer at once."""

import pytest

import shoal
from import_cases import loaded_after

HEAVY = ("numpy", "numba", "polars", "plotly", "pandas", "pyarrow", "rich", "scipy")


def test_the_command_line_starts_light():
    assert not loaded_after("import shoal.cli") & set(HEAVY)


def test_judging_listing_and_opening_a_job_need_no_kernels():
    found = loaded_after(
        "import shoal.algorithms, shoal.hierarchy, shoal.privacy.attackers, shoal.jobs.configured, "
        "shoal.publish.verify, shoal.report"
    )
    assert not found & {"numba", "scipy.sparse", "pyspark"}


def test_parameters_of_makers_are_listed_without_any_maker():
    assert not loaded_after("from shoal.algorithms.knobs import knobs; knobs('bound')") & set(HEAVY)


def test_the_server_and_all_its_pages_leave_data_and_figures_to_workers():
    pytest.importorskip("nicegui", reason="the extra web is not installed")
    pages = (
        "import pkgutil, importlib, shoal.web.serve, shoal.web.server.rest, shoal.web.pages as pages; "
        + (
            "[importlib.import_module(one.name) for one in pkgutil.walk_packages(pages.__path__, 'shoal.web.pages.')]"
        )
    )
    found = loaded_after(pages)
    assert "shoal.web.pages.steps.tradeoff" in found
    assert not found & {"polars", "numba", "plotly", "pandas", "pyarrow"}
    heavy = ("jobs", "proposal", "comparison", "anonymization", "assess", "publish", "shapes", "risks")
    rooms = {name for name in found if name.split(".")[1:2] and name.split(".")[1] in heavy}
    assert rooms == {"shoal.jobs", "shoal.jobs.options"}


def test_what_a_table_run_measures_needs_no_statistics_package():
    """`scipy.stats` alone takes longer to import than a small release to make."""
    found = loaded_after(
        "import shoal.assess.auditors, shoal.assess.table_facts, shoal.anonymization.release"
    )
    assert not found & {"scipy.stats", "scipy.optimize", "scipy.spatial", "numba", "plotly"}


def test_no_optional_package_is_imported_unasked():
    assert not loaded_after("import shoal.jobs.api") & {
        "pandas",
        "pyarrow",
        "fastexcel",
        "pyreadstat",
        "sklearn",
    }


def test_every_public_name_is_there():
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    with pytest.raises(AttributeError):
        getattr(shoal, "nothing_" + "here")
    assert set(shoal.__all__) <= set(dir(shoal))
