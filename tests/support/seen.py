"""What a reader of a page sees."""

from lxml import html

__all__ = ["words"]


def words(page: str) -> str:
    """What a reader sees but for drawings, on one line."""
    tree = html.fromstring(page)
    for gone in tree.xpath("//style | //svg"):
        gone.drop_tree()
    return " ".join(" ".join(tree.itertext()).split())
