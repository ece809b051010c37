"""Checks where data teams already have some: a frame keeps a claim (pandera), each release folder its own (pre-commit).

As a program it is the hook of pre-commit: it judges each folder whose manifest is given, from its files alone.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shoal.base.errors import ExtraError, ShoalError, message_and_exit_code
from shoal.jobs.api import judge
from shoal.jobs.configured import verify
from shoal.release import Claim

__all__ = ["_judge_folders", "keeps"]


def keeps(claim: Claim, **options: Any) -> Any:
    """The check that a frame of pandas or polars keeps a claim; `options` are those of `shoal.judge`."""
    try:
        from pandera import Check
    except ImportError:
        raise ExtraError.of("shoal.connect.checks", "pandera", "pandera") from None

    def check(frame: Any) -> bool:
        return bool(judge(getattr(frame, "lazyframe", frame), claim, **options))

    return Check(check, name=f"keeps {claim.named}", error=f"the frame does not keep {claim.named}")


def _judge_folders(manifests: Iterable[Path]) -> int:
    """Judge each folder that shoal wrote, say what is wrong with others, and give the worst exit code of `verify`."""
    worst = 0
    for manifest in manifests:
        sentence, code = _judge_folder(manifest)
        if code:
            print(f"{manifest.parent}: {sentence}", file=sys.stderr)
        worst = max(worst, code)
    return worst


def _judge_folder(manifest: Path) -> tuple[str, int]:
    try:
        if "shoal" not in json.loads(manifest.read_bytes()):
            return "", 0  # of something else
        verdict = verify(manifest.parent)
    except (ShoalError, OSError) as error:
        return message_and_exit_code(error)
    except ValueError:
        return "manifest.json is not JSON; give the folder as shoal wrote it", 2
    return verdict.sentence, verdict.exit_code


if __name__ == "__main__":
    sys.exit(_judge_folders(map(Path, sys.argv[1:])))
