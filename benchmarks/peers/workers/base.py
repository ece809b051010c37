"""What every racer does alike: read the job, make the release, say what it took. Runs in the racer's own environment.

A job is a json file: data (csv), hierarchies (column to csv without head), quasi, numbers (columns that are numbers),
label, k, suppress (share of records), method, out (csv to write).
"""

import csv
import json
import resource
import sys
import time


def hierarchy(path):
    """The rows of a hierarchy file, from the value to the root."""
    with open(path, encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter=";") if row]


def run(prepare, make, again=True, said=()):
    """Prepare the data, make the release twice unless `again` is false, and time the last time.

    `prepare(job)` gives what `make(job, prepared)` takes; that returns a frame with a method `to_csv` or a function
    that writes to a path. The first time loads what is loaded lazily. `said` is told beside time and memory.
    """
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    if again and job["small"]:
        make(job, prepare(dict(job, data=job["small"])))
    prepared = prepare(job)
    start = time.process_time()
    made = make(job, prepared)
    took = time.process_time() - start
    made(job["out"])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": took, "peak": peak, **dict(said)}))
