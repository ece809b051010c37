"""What an import drags in, seen by a process of its own."""

import subprocess
import sys


def loaded_after(statement):
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    )
