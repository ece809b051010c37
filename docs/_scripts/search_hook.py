"""Makes the index of the search know k^m: a search takes "^" for the weight of a word, and then finds nothing."""

import json
from pathlib import Path
from typing import Any

_WRITTEN = {"k^(m,n)": "kᵐⁿ", "k^m": "kᵐ", "l^m": "lᵐ"}  # search.js writes queries in the same way


def on_post_build(config: dict[str, Any]) -> None:
    """Write the names of claims in the index as they are printed."""
    index = Path(config["site_dir"], "search", "search_index.json")
    found = json.loads(index.read_text(encoding="utf-8"))
    for page in found["docs"]:
        for typed, printed in _WRITTEN.items():
            page |= {key: page[key].replace(typed, printed) for key in ("title", "text")}
    index.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
