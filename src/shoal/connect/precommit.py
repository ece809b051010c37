"""A hook for pre-commit: each release folder whose manifest is given is judged from its files alone."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from shoal.errors import ShoalError, told
from shoal.publish.jobs import verify

__all__ = ["judge_folders"]


def judge_folders(manifests: Iterable[Path]) -> int:
    """Judge each folder that shoal wrote, say what is wrong with others, and give the worst exit code of `verify`."""
    worst = 0
    for manifest in manifests:
        said, code = _judged(manifest)
        if code:
            print(f"{manifest.parent}: {said}", file=sys.stderr)
        worst = max(worst, code)
    return worst


def _judged(manifest: Path) -> tuple[str, int]:
    try:
        if "shoal" not in json.loads(manifest.read_bytes()):
            return "", 0  # of something else
        verdict = verify(manifest.parent)
    except (ShoalError, OSError) as error:
        return told(error)
    except ValueError:
        return "manifest.json is no JSON; give the folder as shoal wrote it", 2
    return verdict.sentence, 0 if verdict else 1 if verdict.judged else 5


if __name__ == "__main__":
    sys.exit(judge_folders(map(Path, sys.argv[1:])))
