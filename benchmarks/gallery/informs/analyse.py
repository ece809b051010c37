"""How many diagnoses people have on average, by sex and year of birth; of the release, how many at least."""

import csv
import json
import re
from collections import Counter


def diagnoses(path, codes):
    """The mean number of diagnoses, by sex and twenty years of birth."""
    people, found = Counter(), Counter()
    with open(path) as lines:
        for row in csv.DictReader(lines):
            years = [int(year) for year in re.findall(r"\d{4}", row["born"])]
            if years:  # of a range, its middle
                begin = sum(years) // len(years) // 20 * 20
                kind = f"{row['sex']}, born {begin} to {begin + 19}"
                people[kind] += 1
                found[kind] += len(codes(row["codes"]))
    return {kind: found[kind] / people[kind] for kind in people}


before = diagnoses("patients.csv", str.split)
after = diagnoses("release/data.csv", lambda cell: json.loads(cell or "[]"))
print("what,before,after")
for kind in sorted(before):
    print(f'"{kind}",{before[kind]},{after[kind]}')
