"""How many words of the documentation are written by hand: `python docs/_scripts/count_words.py`.

What a program writes does not count: everything below the mark of a page. Neither do blocks of code, which are
commands, files and what is printed, and run in tests; nor addresses, pictures, figures and signs.
"""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1]
MARK = re.compile(r"^<!-- Below this line everything is written by .* -->$", re.MULTILINE)
APART = re.compile(
    r"^---\n.*?^---$|^```.*?^```$|^<figure[^\n]*>$|^--8<--[^\n]*$|^\[[\w-]+\]: \S+$", re.MULTILINE | re.DOTALL
)
ADDRESS = re.compile(r"(?<=\])\([^)\s]+\)|(?<=\])\[[\w-]+\]|<[^>\n]+>")


def words(page: Path) -> int:
    """How many words of a page somebody wrote."""
    text = MARK.split(page.read_text(encoding="utf-8"))[0]
    text = ADDRESS.sub("", APART.sub("", text))
    return sum(any(sign.isalpha() for sign in word) for word in text.split())


def by_page(docs: Path = DOCS) -> dict[str, int]:
    """The words of every page."""
    return {str(page.relative_to(docs)): words(page) for page in sorted(docs.rglob("*.md"))}


if __name__ == "__main__":
    counted = by_page()
    for name, count in sorted(counted.items(), key=lambda one: one[1]):
        print(f"{count:7,}  {name}")
    print(f"{sum(counted.values()):7,}  words by hand on {len(counted)} pages")
