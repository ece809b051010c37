"""Whether a folder that anybody may have changed keeps its claim, from the definitions; nothing here may import shoal.

The configuration and its hierarchy files are read here, the data by `naive_reading`, and `naive_written` judges. From
the folder alone equal labels are equal; with the configuration labels stand for values of its hierarchies.
"""

import json
import tomllib

import naive_hierarchies
import naive_reading
import naive_written
from naive_written import Written

_MODELS = {
    "table": {frozenset("k"): "k-anonymity", frozenset("kl"): "l-diversity"},
    "baskets": {frozenset("km"): "k^m-anonymity", frozenset("kml"): "l^m-diversity"},
    "mixed": {frozenset("km"): "(k,k^m)-anonymity"},
    "trees": {frozenset("kmn"): "k^(m,n)-anonymity"},
}
"""The model of a guarantee, by shape and its numbers."""


def keeps_claim(folder, place, *, known):
    """Whether what a folder holds keeps the guarantee of a configuration; what cannot be read or judged does not.

    Parameters
    ----------
    folder
        A release.
    place
        The configuration that it was made by.
    known
        Whether whoever judges has the configuration, so that labels stand for values.
    """
    config = tomllib.loads(place.read_text(encoding="utf-8"))
    columns, asked = config.get("columns", {}), config["guarantee"]
    roles = {name: spec if isinstance(spec, str) else spec["role"] for name, spec in columns.items()}
    try:
        written = _written(folder, place.parent, config, columns, roles, known)
        model = _MODELS[_shape(config, roles)].get(frozenset(asked))
        if model is None or not written.rows:  # by vote: nobody can judge it without originals
            return False
        return not naive_written.JUDGES[model](written, **asked)
    except (ValueError, LookupError, TypeError, AttributeError, OSError, SyntaxError, RecursionError):
        return False


def _shape(config, roles):
    if "tree" in config:
        return "trees"
    given = set(roles.values())
    return "table" if "items" not in given else "mixed" if "quasi" in given else "baskets"


def _written(folder, room, config, columns, roles, known):
    rules = config.get("tree", {}).get("hierarchies") or {
        name: spec["hierarchy"] for name, spec in columns.items() if "hierarchy" in spec
    }
    paths = {}
    for name, file in rules.items() if known else ():
        text = (room / file).read_text(encoding="utf-8")
        paths[name] = naive_hierarchies.readings(text, [], [])[0]
    (format,) = [
        format for format, file in naive_reading.FILES.items() if (folder / file).exists()
    ]  # of several data files nobody knows which is meant
    if "tree" in config:
        rows = naive_reading.read_trees(folder, format, {})
        return _Labelled(rows, paths=paths, secret=config["tree"].get("sensitive"))
    (items, *_) = [*(name for name, role in roles.items() if role == "items"), None]
    shown = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["columns"]
    there = items if items in shown else "items"
    rows = naive_reading.read_rows(folder, format, lists=(there, "uncertain"))
    if items is not None:
        rows = [{**row, "items": row[there]} for row in rows]
        paths = {("items" if name == items else name): found for name, found in paths.items()}
    named = {
        role: tuple(name for name, own in roles.items() if own == role) for role in ("quasi", "sensitive")
    }
    secrets = frozenset(columns[items].get("sensitive", ())) if items is not None else frozenset()
    return _Labelled(rows, named["quasi"], named["sensitive"], paths, secrets=secrets)


class _Labelled(Written):
    """A release whose labels may be anything: one that stands for nothing is nobody else's."""

    def means(self, column, label):
        try:
            return super().means(column, label)
        except naive_written.UnreadableError:
            return frozenset([label])
