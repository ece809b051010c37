"""What a reader of a page sees."""

from lxml import html
from plotly.offline import get_plotlyjs

__all__ = ["words"]


def words(page: str) -> str:
    """What a reader sees, on one line."""
    tree = html.fromstring(page.replace(get_plotlyjs(), ""))
    for gone in tree.xpath("//script | //style"):
        gone.drop_tree()
    return " ".join(" ".join(tree.itertext()).split())
