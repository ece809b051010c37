"""Which share of tax units has wages of 60,000 dollars or more, by age. A range of ages counts evenly for its years."""

import csv
import re
from collections import Counter


def years(label):
    """The ages that a label stands for."""
    numbers = [int(number) for number in re.findall(r"\d+", label)]
    if label.startswith("["):
        return range(*numbers)
    return range(numbers[0], 86) if label.startswith(">=") else numbers or range(15, 86)


def well_paid(path):
    """The share with such wages in each ten years of age."""
    units, above = Counter(), Counter()
    with open(path) as lines:
        for row in csv.DictReader(lines):
            ages = years(row["age"])
            wage = float(re.search(r"\d+", row["wages"])[0])
            for age in ages:
                units[age // 10] += 1 / len(ages)
                above[age // 10] += (wage >= 60_000) / len(ages)
    return {ten: 100 * above[ten] / units[ten] for ten in units}


before, after = well_paid("survey.csv"), well_paid("release/data.csv")
print("what,before,after")
for ten in range(2, 8):
    print(f"age {ten}0 to {ten}9,{before[ten]},{after[ten]}")
