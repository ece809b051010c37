"""Attackers who hold a written release, its configuration and what they know of people; nothing here imports shoal.

They read the folder by `naive_reading`, the hierarchies by `naive_hierarchies`, and what they know from the originals
as a file has them: each plays against every person who was published. The chance of finding a person is one in as many
rows as what is known fits. `rows.parquet` of the private folder is the referee alone: it tells who was published, and
that the true row is among those that fit.

One attacker for each shape:

- table   : knows all quasi-identifiers
- baskets : knows any m items; of baskets by vote the whole basket, and everybody else's, too
- mixed   : knows all quasi-identifiers and any m items
- trees   : knows any m values and n relations among them
"""

import csv
import json
import tomllib
from collections import defaultdict
from itertools import chain, combinations

import naive_hierarchies
import naive_reading
import naive_written
from naive_written import Written, fits, possible


def played(folder, private, place, numbers):
    """For each person who was published, how many rows fit all that the attacker of the shape may know.

    Parameters
    ----------
    folder, private
        A release and its private sibling, with `rows.parquet`.
    place
        Its configuration.
    numbers
        What is known: m and n.
    """
    config = tomllib.loads(place.read_text(encoding="utf-8"))
    own = naive_reading.read_owners(private)
    (format,) = [format for format, file in naive_reading.FILES.items() if (folder / file).exists()]
    originals, paths, roles = _originals(config, place.parent)
    if "tree" in config:
        rows = naive_reading.read_trees(folder, format, config["tree"].get("heads", {}))
        hidden = config["tree"].get("sensitive")
        return _trees(
            [originals[record] for record in own], rows, paths, hidden, numbers["m"], numbers.get("n", 0)
        )
    (items, *_) = [*(name for name, role in roles.items() if role == "items"), "items"]
    rows = naive_reading.read_rows(folder, format, lists=("items", items, "uncertain"))
    rows = [{**row, "items": row[items] if items in row else row.get("items", ())} for row in rows]
    people = [originals[record] for record in own]
    if "uncertain" in rows[0]:
        ways = possible([[fits(person["items"], row) for row in rows] for person in people])
        return [len(some) if place in some else 0 for place, some in enumerate(ways)]
    paths = {("items" if name == items else name): found for name, found in paths.items()}
    written = Written(rows, tuple(name for name, role in roles.items() if role == "quasi"), paths=paths)
    secret = columns_of(config).get(items, {})
    hidden = set(secret.get("sensitive", ())) if isinstance(secret, dict) else set()
    return _rows(people, written, hidden, numbers.get("m", 0))


def columns_of(config):
    return config.get("columns", {})


def _rows(people, written, hidden, m):
    """Rows fit whose labels stand for all values of a person, and that have an item for each that is known."""
    having = {name: defaultdict(set) for name in (*written.quasi, "items")}
    for place, row in enumerate(written.rows):
        for name in written.quasi:
            for value in written.means(name, row[name]):
                having[name][value].add(place)
        for item in row["items"]:
            for value in item if isinstance(item, tuple) else written.means("items", item):
                having["items"][value].add(place)
    every = set(range(len(written.rows)))
    found = []
    for place, person in enumerate(people):
        alike = every.intersection(*(having[name][person[name]] for name in written.quasi))
        known = [
            having["items"][item] for item in {*person["items"]} - hidden if place in having["items"][item]
        ]
        left = (alike.intersection(*some) for size in range(m + 1) for some in combinations(known, size))
        found.append(min(len(rows) for rows in left) if place in alike else 0)
    return found


def _trees(people, rows, paths, hidden, m, n):
    """Records fit that have a value for each that is known, one above the other where that is known."""
    has, over = defaultdict(set), defaultdict(set)
    meanings = {}

    def means(node):
        if node not in meanings:
            meanings[node] = naive_written.meaning(node[1], paths[node[0]]) - {None}
        return meanings[node]

    for place, row in enumerate(rows):
        for node, above in _nodes(row, hidden):
            for value in means(node):
                has[node[0], value].add(place)
                for high in above:
                    for top in means(high):
                        over[(high[0], top), (node[0], value)].add(place)
    found = []
    for place, person in enumerate(people):
        nodes = list(_nodes(person, hidden))
        values = sorted({node for node, _ in nodes if place in has[node]})
        links = sorted({(high, node) for node, above in nodes for high in above if place in over[high, node]})
        fewest = len(rows)
        for some in _some(values, m):
            left = set(range(len(rows))).intersection(*(has[value] for value in some))
            among = [link for link in links if set(link) <= set(some)]
            for known in _some(among, n):
                fewest = min(fewest, len(left.intersection(*(over[link] for link in known))))
        found.append(fewest)
    return found


def _some(things, most):
    return chain.from_iterable(combinations(things, size) for size in range(most + 1))


def _nodes(record, hidden, above=()):
    for kind, value, *children in record:
        if kind != hidden:
            yield (kind, value), above
        yield from _nodes(children, hidden, above if kind == hidden else (*above, (kind, value)))


def _originals(config, room):
    """The people as their file has them, the hierarchies by column or class, and the roles."""
    columns, data = columns_of(config), config["data"]
    missing = tuple(data.get("missing", ("",)))
    path = room / data["path"]
    if "tree" in config:
        tree = config["tree"]
        lines = path.read_text(encoding="utf-8").split("\n")
        drop = {*tree.get("drop", ()), tree.get("identifier")}
        people = [_pruned(json.loads(line), drop) for line in lines if line]
        rules, roles = tree["hierarchies"], {}
        people = [naive_reading.grown(person, tree.get("heads") or _first_heads(people)) for person in people]
        values = defaultdict(list)
        for person in people:
            for (kind, value), _ in _nodes(person, None):
                values[kind].append(value)
    else:
        roles = {name: spec if isinstance(spec, str) else spec["role"] for name, spec in columns.items()}
        people = _people(path, data, columns, roles, missing)
        rules = {
            name: spec.get("hierarchy") if isinstance(spec, dict) else None
            for name, spec in columns.items()
            if roles[name] in ("quasi", "items")
        }
        values = {
            name: [person[name] for person in people] for name, role in roles.items() if role == "quasi"
        }
        values |= {
            name: [i for p in people for i in p["items"]] for name, role in roles.items() if role == "items"
        }
    paths = {}
    for name, rule in rules.items():
        given = (room / rule).read_text(encoding="utf-8") if isinstance(rule, str) else rule
        paths[name] = naive_hierarchies.readings(given, values[name], values[name], missing)[0]
    return people, paths, roles


def _people(path, data, columns, roles, missing):
    """The rows of a csv file, or baskets of a file with one in each line."""
    if path.suffix == ".dat":
        return [{"items": tuple(line.split())} for line in path.read_text(encoding="utf-8").splitlines()]
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=data.get("delimiter", ",")))
    found = []
    for row in rows:
        person = {name: None if row[name] in missing else row[name] for name in roles if name in row}
        person["items"] = ()
        for name, role in roles.items():
            if role == "items":
                sign = columns[name].get("separator", " ") if isinstance(columns[name], dict) else " "
                person["items"] = tuple(item.strip() for item in row[name].split(sign) if item.strip())
        found.append(person)
    return found


def _pruned(record, drop, path=""):
    """A nested record without what is dropped."""
    found = {}
    for name, value in record.items():
        here = f"{path}.{name}" if path else name
        if here in drop:
            continue
        several = value if isinstance(value, list) else [value]
        kept = [_pruned(one, drop, here) if isinstance(one, dict) else one for one in several]
        found[name] = kept if isinstance(value, list) else kept[0]
    return found


def _first_heads(people):
    """For each object the first field of it that is seen and holds no other object."""
    heads = {}

    def look(found, path):
        for name, value in found.items():
            here = f"{path}.{name}" if path else name
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, dict):
                    scalars = [key for key, cell in one.items() if not isinstance(cell, dict | list)]
                    if scalars:
                        heads.setdefault(here, scalars[0])
                    look(one, here)

    for person in people:
        look(person, "")
    return heads
