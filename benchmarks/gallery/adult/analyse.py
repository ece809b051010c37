"""Who earns more than 50,000 dollars, by schooling. A coarse label counts for all values that it covers, evenly."""

import csv
from collections import Counter, defaultdict
from pathlib import Path

covers = defaultdict(set)
group = {}
for line in Path("adult_hierarchy_education.csv").read_text().splitlines():
    value, *labels = line.split(";")
    group[value] = labels[0]
    for label in (value, *labels):
        covers[label].add(value)


def rich(path, delimiter):
    """The share of people with more than 50,000 dollars in each group, of those whose class is told."""
    people, above = Counter(), Counter()
    with open(path) as lines:
        for row in csv.DictReader(lines, delimiter=delimiter):
            values = covers[row["education"]]
            for value in values if row["salary-class"] != "*" else ():
                people[group[value]] += 1 / len(values)
                above[group[value]] += (row["salary-class"] == ">50K") / len(values)
    return {name: 100 * above[name] / people[name] for name in people}


before, after = rich("adult.csv", ";"), rich("release/data.csv", ",")
print("what,before,after")
for name in sorted(before, key=before.get):
    print(f"{name},{before[name]},{after[name]}")
