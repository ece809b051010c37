"""Every experiment of the five papers, and a table of what they claim beside what is measured.

`python -m benchmarks.papers` runs what has no result file yet and writes `docs/evidence/papers.md`. The other
benchmarks are programs that find each other by bare names, so their folder joins the path here.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
