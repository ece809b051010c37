"""ARX as a racer, where its jar is given: https://arx.deidentifier.org has it."""

from pathlib import Path

from benchmarks.peers.racing import Racer

__all__ = ["arx"]


def arx(jar: Path) -> dict[str, Racer]:
    """The racer; its worker starts Java with this jar."""
    return {"ARX": Racer("", "arx_worker.py", str(jar.resolve()), "one level per column, 5% may be left out")}
