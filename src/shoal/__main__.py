"""The program: `shoal`, or `python -m shoal`."""

import gc
import os

from shoal.base.stopping import exit_immediately, install_signal_handlers

__all__ = ["main"]

_NEW_OBJECTS = 200_000
"""Between two looks for garbage; by Python's 700, importing alone looks a thousand times."""

_MEMORY_OF_POLARS = f"narenas:{os.cpu_count() or 1},dirty_decay_ms:100,muzzy_decay_ms:0"
"""As many stores of free memory as cores, not four times as many, each given back to the system soon: a million rows
need 50 MB less, and no more time."""


def main() -> None:
    """Run the command line; being told to stop is heeded before anything heavy is imported."""
    install_signal_handlers()
    if not os.environ.get("SHOAL_DEBUG"):
        os.environ["RUST_BACKTRACE"] = "0"  # polars waits for ever where memory runs out while it prints one
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait for small matrices by spinning
    os.environ.setdefault("_RJEM_MALLOC_CONF", _MEMORY_OF_POLARS)  # read once, when polars is imported
    gc.set_threshold(_NEW_OBJECTS)
    with exit_immediately():
        from shoal.cli import shoal

        shoal(prog_name="shoal")


if __name__ == "__main__":
    main()
