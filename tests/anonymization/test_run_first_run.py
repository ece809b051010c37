import json
import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from shoal.algorithms import precompile
from shoal.anonymization.compiling import first_run, is_compiled
from shoal.jobs import demo

pytestmark = pytest.mark.process

LISTS = json.loads(Path(precompile.__file__).with_suffix(".json").read_text(encoding="utf-8"))["methods"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_a_first_run_says_that_it_compiles_and_then_what_it_does(monkeypatch):
    monkeypatch.setattr(precompile, "_can_help", lambda: False)
    heard = []
    with first_run("mstk", lambda what, share=None: heard.append((what, share))) as tell:
        tell("merging", 0.5)
        assert numba.njit(lambda x: x + 1)(1) == 2
        tell("writing")
    assert heard == [("merging", 0.5), ("compiling, once", None), ("merging", 0.5), ("writing", None)]


def test_a_cold_demo_is_interpreted_and_a_warm_one_is_not(tmp_path):
    code = (
        "from shoal.anonymization.compiling import spare_compiling\n"
        "spare_compiling('mstk', 'gcs')\n"
        "import numba\n"
        "print(numba.config.DISABLE_JIT)\n"
    )
    clean = {key: value for key, value in os.environ.items() if key != "NUMBA_DISABLE_JIT"}
    paths = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}

    def switched_off():
        done = subprocess.run(
            [sys.executable, "-c", code], env=clean | paths, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert switched_off() == "1"
    for method, answer in (("mstk", "1"), ("gcs", "0")):
        as_if_compiled(method, tmp_path)
        assert switched_off() == answer


def test_each_shape_of_the_demo_asks_for_its_own_methods_alone(tmp_path, monkeypatch, capfdbinary):
    asked = []
    monkeypatch.setattr(
        "shoal.anonymization.compiling.spare_compiling", lambda *methods: asked.append(methods)
    )
    monkeypatch.setattr(demo, "install_signal_handlers", lambda: None)
    monkeypatch.setattr(demo, "end_with_input", lambda: None)
    monkeypatch.setattr(demo, "_show_room", lambda room: [room.name])
    for shape in ("trees", "table"):
        demo.tell(str(tmp_path / shape))
    assert asked == [("gcs",), ("pareto", "optimal", "boxes")]
    assert capfdbinary.readouterr().out == b'{"lines": ["trees"]}{"lines": ["table"]}'


def as_if_compiled(method, cache):
    """Put a file for each kernel of a method where numba keeps it."""
    for name in LISTS[method]:
        folder, module, kernel = f"shoal.{name}".split(".")[-3:]
        place = cache / f"{folder}_0123abcd"
        place.mkdir(exist_ok=True)
        (place / f"{module}.{kernel}-1.py311.nbi").touch()


@pytest.mark.parametrize("method", [name for name in LISTS if LISTS[name]])
def test_what_was_compiled_is_found_in_the_cache(method, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not is_compiled(method)
    as_if_compiled(method, tmp_path)
    assert is_compiled(method)
