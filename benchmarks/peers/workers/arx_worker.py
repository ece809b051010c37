"""ARX as its API example has it: the loss metric, its own optimal search, the jar that was given."""

import json
import subprocess
import sys
from pathlib import Path

with open(sys.argv[1], encoding="utf-8") as file:
    job = json.load(file)
trees = [f"{name}={job['hierarchies'][name]}" for name in job["quasi"]]
program = str(Path(__file__).with_name("Arx.java"))
numbers = [str(job["k"]), str(job["suppress"])]
done = subprocess.run(
    ["java", "-Xmx4g", "-cp", job["maker"], program, job["small"], job["data"], job["out"], *numbers, *trees],
    stdout=subprocess.PIPE,
    text=True,
    check=True,
)
print(done.stdout.strip().splitlines()[-1])
