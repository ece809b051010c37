"""The pairs of pages that most visitors saw, and in how many released rows each pair may stand."""

import csv
import json
from collections import Counter
from itertools import combinations

with open("visits.dat") as lines:
    originals = [sorted(set(line.split())) for line in lines]
with open("release/groups.json") as file:
    group = {page: name for name, pages in json.load(file).items() for page in pages}
with open("release/data.csv") as lines:
    released = [set(json.loads(row["items"])) for row in csv.DictReader(lines)]

pairs = Counter(pair for basket in originals for pair in combinations(basket, 2))
print("what,before,after")
for pair, count in pairs.most_common(10):
    names = {group.get(page, page) for page in pair}
    print(f"{pair[0]} and {pair[1]},{count},{sum(names <= row for row in released)}")
