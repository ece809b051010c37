"""A check of a pandera schema: these columns keep a claim."""

from typing import Any

from shoal.errors import ExtraError
from shoal.publish.api import judge
from shoal.release import Claim

__all__ = ["keeps"]


def keeps(claim: Claim, **options: Any) -> Any:
    """The check that a frame of pandas or polars keeps a claim; `options` are those of `shoal.judge`."""
    try:
        from pandera import Check
    except ImportError:
        raise ExtraError.of("shoal.connect.pandera", "pandera", "pandera") from None

    def check(frame: Any) -> bool:
        return bool(judge(getattr(frame, "lazyframe", frame), claim, **options))

    return Check(check, name=f"keeps {claim.named}", error=f"the frame does not keep {claim.named}")
