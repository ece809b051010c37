"""False alarms of the guard: what it says of Adult in 21 role sets, each with two columns beside the quasi-identifiers.

Run `python benchmarks/guard_alarms.py [METHOD [K]]`; it makes 21 releases (2 minutes) and prints for each column the
mean chance of matching a row with its person, without the column and with it, the share of people who have more than
twice the chance that k allows, and the alarms. Adult lies beside the checkout.
"""

import sys
import time
import warnings
from itertools import combinations

import shoal
from common import DATA, need
from shoal.risks.matching import measure_telling

BESIDE = ("marital-status", "education", "workclass", "occupation", "salary-class", "race", "native-country")
COLUMNS = ("sex", "age", *BESIDE)


def main(method: str = "boxes", k: int = 5) -> int:
    """Print what is told in each role set; return the number of alarms."""
    need(DATA / "adult" / "adult.csv")
    warnings.simplefilter("ignore")
    alarms = 0
    for number, pair in enumerate(combinations(BESIDE, 2)):
        role = "sensitive" if number % 2 else "plain"
        roles = dict.fromkeys(COLUMNS, "quasi") | dict.fromkeys(pair, role)
        data = shoal.read(DATA / "adult" / "adult.csv", roles=roles, hierarchies=DATA / "adult")
        try:
            release = shoal.anonymize(data, k=k, method=method)
        except shoal.base.errors.InputError as error:
            alarms += 1
            print(f"ALARM {role} {' and '.join(pair)}: {error}", flush=True)
            continue
        columns = [data.table.column(name) for name in pair]
        begin = time.process_time()
        found = measure_telling(data.table, data.leaves, release.result.release, release.claim, columns)
        spent = time.process_time() - begin
        for one in found:
            print(
                f"{role:<9} {one.shown[0]:<15} with {' and '.join(one.known):<32} {one.alone:.3f} -> {one.mean:.3f}, "
                f"{one.above:.1%} of the people far above k ({spent:.2f} CPU s for both)",
                flush=True,
            )
    print(f"{alarms} alarms in 21 role sets")
    return alarms


if __name__ == "__main__":
    asked = sys.argv[1:]
    sys.exit(bool(main(*asked[:1], **({"k": int(asked[1])} if asked[1:] else {}))))
