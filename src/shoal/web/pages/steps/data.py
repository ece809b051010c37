"""What the data are: what they were taken for, and their first records."""

from shoal.web.pages.frame import onward
from shoal.web.pages.parts.said import said
from shoal.web.pages.parts.tiles import tiles
from shoal.web.pages.parts.working import watched
from shoal.web.pages.project import Project

__all__ = ["SHAPES", "show"]

SHAPES = {
    "table": ("a table", "one record per person, a value in each column"),
    "baskets": ("baskets", "a set of items per person"),
    "mixed": ("a table with baskets", "values in columns, and a set of items, per person"),
    "trees": ("record trees", "values that hang below each other, such as visits and what was found in them"),
}
"""The shapes of data as people call them."""


def show(project: Project) -> None:
    """Draw the screen."""

    def done() -> None:
        found = project.proposal
        words, meaning = SHAPES[found["shape"]]
        columns = found["columns"]
        tiles(
            [
                ("taken for", words, meaning),
                ("records", f"{found['records']:,}", "rows, baskets or trees that were read"),
                (
                    "columns" if found["shape"] != "trees" else "fields",
                    f"{len(columns):,}",
                    f"{sum(one['role'] == 'quasi' for one in columns)} of them others may know",
                ),
            ]
        )
        if found["notes"]:
            said("care", "Look at this first:", found["notes"])
        onward(project, "data")

    watched(project, "propose", begin=project.propose, again="Look at the data again", done=done)
