"""What verifying costs: Adult at k = 5 by three methods, from the folder alone and against the originals.

Run `python benchmarks/bench_verify.py`. CPU time. Without rows.parquet every released record is matched with an
original of its own; with it each is compared with the one that it names.
"""

import tempfile
from pathlib import Path

from common import DATA, cpu, need, show
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.publish.verify import verify

QUASI = ["age", "sex", "race", "marital-status", "education", "native-country", "workclass"]


def configured(folder: Path, method: str, rows: bool) -> Path:
    """A configuration of Adult for one method."""
    columns = [
        f'{name} = {{ role = "quasi", hierarchy = "{DATA}/adult/adult_hierarchy_{name}.csv" }}'
        for name in QUASI
    ]
    path = folder / f"{method}.toml"
    path.write_text(
        f'[data]\npath = "{DATA}/adult/adult.csv"\n[columns]\n'
        + "\n".join([*columns, 'occupation = "sensitive"', '"*" = "drop"'])
        + f'\n[guarantee]\nk = 5\n[method]\nname = "{method}"\n[release]\nrows = {str(rows).lower()}\n',
        encoding="utf-8",
    )
    return path


def main() -> None:
    need(DATA / "adult")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for method in ("optimal", "mondrian", "mstk"):
            for rows in (False, True):
                path = configured(Path(folder), method, rows)
                out = Path(folder) / f"{method}-{rows}"
                run_config(path, out)
                alone, _ = cpu(lambda out=out: verify(out))
                config = load(path)
                whole, (_, verdict) = cpu(
                    lambda out=out, config=config: verify(
                        out, config=config, against=DATA / "adult/adult.csv"
                    )
                )
                how = "rows named" if rows else "matched"
                found.append(
                    (f"{method}, {how}: {'yes' if verdict else 'no'}", f"{alone:.1f} s, {whole:.1f} s", "")
                )
    show("verify: alone, against the originals", found)


if __name__ == "__main__":
    main()
