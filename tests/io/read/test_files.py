"""What native threads print about a broken file does not reach a terminal; what Python says does."""

import subprocess
import sys

import polars as pl


def test_a_broken_parquet_file_is_one_sentence(tmp_path):
    path = tmp_path / "data.parquet"
    pl.DataFrame({"age": ["1"] * 500, "zip": [str(i) for i in range(500)]}).write_parquet(path)
    code = (
        "import sys, pathlib\nfrom shoal.io.read.table import read\nfrom shoal.base.errors import InputError\n"
        "path = pathlib.Path(sys.argv[1])\nwhole = path.read_bytes()\n"
        "for at in range(8, len(whole), max(len(whole) // 60, 1)):\n"
        "    path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :])\n"
        "    try:\n        read(path)\n    except InputError as error:\n        said = error\n"
        "print(said, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stderr == "data.parquet: not a parquet file, or a broken one; write it again\n"
