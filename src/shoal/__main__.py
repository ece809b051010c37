"""The program: `shoal`, or `python -m shoal`."""

from shoal.stopping import heed, left_at_once

__all__ = ["main"]


def main() -> None:
    """Run the command line; being told to stop is heeded before anything heavy is imported."""
    heed()
    with left_at_once():
        from shoal.cli import shoal

        shoal(prog_name="shoal")


if __name__ == "__main__":
    main()
