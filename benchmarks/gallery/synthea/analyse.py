"""Which groups of conditions most often meet in one patient."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

group = {}
for line in Path("conditions.csv").read_text().splitlines():
    value, label, _ = line.split(";")
    group[value] = group[label] = label


def met(path):
    """How many patients have conditions of two groups."""
    pairs = Counter()
    for line in Path(path).read_text().splitlines():
        visits = json.loads(line).get("visits", ())
        there = {group.get(name, name) for visit in visits for name in visit["conditions"]}
        pairs.update(combinations(sorted(there), 2))
    return pairs


before, after = met("patients.ndjson"), met("release/data.rows.ndjson")
print("what,before,after")
for pair, count in before.most_common(8):
    print(f"{pair[0]} and {pair[1]},{count},{after[pair]}")
