"""The program: `shoal`, or `python -m shoal`."""

import os

from shoal.stopping import heed, left_at_once

__all__ = ["main"]


def main() -> None:
    """Run the command line; being told to stop is heeded before anything heavy is imported."""
    heed()
    if not os.environ.get("SHOAL_DEBUG"):
        os.environ["RUST_BACKTRACE"] = "0"  # polars waits for ever where memory runs out while it prints one
    with left_at_once():
        from shoal.cli import shoal

        shoal(prog_name="shoal")


if __name__ == "__main__":
    main()
