import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from shoal.parts.folder import PrivateFolder


def test_nobody_else_can_look_into_it():
    folder = PrivateFolder()
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert folder.make("runs").stat().st_mode & 0o777 == 0o700
    assert repr(folder) == "<PrivateFolder>"


def test_it_goes_with_the_object():
    folder = PrivateFolder()
    path = folder.path
    (folder.make("runs") / "codes").write_text("x")
    del folder
    gc.collect()
    assert not path.exists()


def test_a_folder_inside_is_empty_again():
    folder = PrivateFolder()
    (folder.make("runs") / "codes").write_text("x")
    assert not any(folder.make("runs").iterdir())
    folder.drop("runs")
    folder.drop("runs")
    assert not any(folder.path.iterdir())


_CHILD = """
import time
from shoal.base.stopping import install_signal_handlers
from shoal.parts.folder import PrivateFolder
install_signal_handlers()
folder = PrivateFolder()
(folder.make("runs") / "codes").write_text("x")
print(folder.path, flush=True)
time.sleep(60)
"""


def test_it_goes_when_the_program_is_ended():
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    path = Path(child.stdout.readline().strip())
    assert path.is_dir()
    time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=30) == 128 + signal.SIGTERM
    child.stdout.close()
    assert not path.exists()
