"""`import shoal` is enough for `frame.shoal`, whichever is imported first, and it imports neither library."""

import subprocess
import sys

import pytest

from import_cases import loaded_after

SHOWN = "type(lib.DataFrame({'a': [1]}).shoal).__name__, 'shoal' in dir(lib.DataFrame)"


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    "order",
    [
        "import shoal, {library} as lib",
        "import {library} as lib, shoal",
        "import shoal; from importlib.util import find_spec; find_spec('{library}'); import {library} as lib",
    ],
)
def test_frames_have_their_methods_in_either_order(library, order):
    program = f"{order.format(library=library)}; print({SHOWN})"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "('FrameMethods', True)" or done.stdout.strip() == "FrameMethods True", (
        done.stderr
    )


def test_shoal_alone_imports_no_library_and_watches_for_both():
    assert not loaded_after("import shoal") & {"pandas", "polars", "numpy", "narwhals"}


def test_a_library_that_is_not_there_is_not_found_as_before():
    program = (
        "import sys; sys.modules['pandas'] = None; import shoal\n"
        "try:\n    import pandas\nexcept ImportError:\n    print('none')\n"
        "import polars; print(hasattr(polars.LazyFrame, 'shoal'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["none", "True"], done.stderr
