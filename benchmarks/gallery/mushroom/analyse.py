"""Which share of the mushrooms of each habitat is poisonous."""

import csv
import json

habitats = {
    "113": "towns",
    "114": "grass",
    "115": "meadows",
    "116": "woods",
    "117": "paths",
    "118": "waste",
    "119": "leaves",
}
poisonous = "1"
with open("mushroom.dat") as lines:
    originals = [set(line.split()) for line in lines]
with open("release/data.csv") as lines:
    released = [set(json.loads(row["items"])) for row in csv.DictReader(lines)]

print("what,before,after")
for item, name in habitats.items():
    shares = []
    for rows in (originals, released):
        there = [row for row in rows if item in row]
        shares.append(100 * sum(poisonous in row for row in there) / len(there))
    print(f"{name},{shares[0]},{shares[1]}")
