"""Mutants: small changes of the code that guards people, each of which some test must notice.

Run `python benchmarks/mutants.py privacy|door|guards|verify|labels [--number 300] [--seconds S] [--patience P]
[--again]`; it needs `pip install cosmic-ray coverage`. So many mutants are drawn from each package and tried one after
the other by the tests that run the changed line, those of the file's own tests first and then the fastest. They are
drawn in the same order every time. Changes that no test can see are not drawn: of annotations, docstrings, `__all__`,
and of whether a dataclass is frozen or has slots.

Results are added to `benchmarks/results/mutants.json`; what was tried is not tried again while its line is the same. Of
a mutant that a test notices are kept its file, its line, the code before and after, and that test; `--forget` drops
those whose code has changed since. A mutant that no test notices is kept with its change. Look at each: write a test
that notices it, and try it `--again`, or write beside it, as `explained`, a sentence that begins with `Equivalent:`,
where no input can show a difference, or with `Harmless:`, where nobody is less safe for it.
"""

import argparse
import ast
import difflib
import hashlib
import json
import random
import time
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mutant_tests import ROOT, measure, noticed, prepare

RESULTS = ROOT / "benchmarks" / "results" / "mutants.json"
DULL = ("core/RemoveDecorator", "core/VariableInserter", "core/VariableReplacer", "core/NoOp")
"""Operators that need arguments, change nothing, or break the import of a dataclass, which tells nothing of tests."""


class Package(NamedTuple):
    """Files of which mutants are drawn, the tests that look at them, and modules that import none of the files."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    below: tuple[str, ...]


PACKAGES = {
    "privacy": Package(
        ("src/shoal/privacy/*.py",),
        ("tests/privacy/*.py", "tests/laws/test_judges.py"),
        ("shoal.release", "shoal.hierarchy", "shoal.hierarchy.rules", "shoal.io.read.table", "shoal.utility"),
    ),
    "door": Package(
        (
            "src/shoal/publish/door.py",
            "src/shoal/publish/draft.py",
            "src/shoal/publish/writing.py",
            "src/shoal/publish/part_writing.py",
            "src/shoal/publish/notes.py",
            "src/shoal/publish/preset.py",
            "src/shoal/shapes/untold.py",
            "src/shoal/anonymization/several/judging.py",
        ),
        (
            "tests/anonymization/several/test_judging.py",
            "tests/publish/test_draft.py",
            "tests/publish/test_door.py",
            "tests/publish/test_judge.py",
            "tests/shapes/test_relabel.py",
            "tests/shapes/test_untold.py",
            "tests/publish/test_presets.py",
            "tests/publish/test_notes.py",
            "tests/publish/test_baskets.py",
            "tests/publish/test_guarantees.py",
        ),
        ("shoal.algorithms", "shoal.privacy", "shoal.report.pages", "shoal.io.config", "shoal.utility"),
    ),
    "guards": Package(
        (
            "src/shoal/risks/dependencies.py",
            "src/shoal/shapes/guards.py",
            "src/shoal/risks/matching.py",
        ),
        (
            "tests/risks/test_dependencies.py",
            "tests/risks/test_dependencies_items.py",
            "tests/shapes/test_guards.py",
            "tests/risks/test_dependencies_guesses.py",
            "tests/risks/test_matching.py",
        ),
        ("shoal.algorithms", "shoal.privacy", "shoal.report.pages", "shoal.io.config", "shoal.utility"),
    ),
    "verify": Package(
        (
            "src/shoal/publish/manifests.py",
            "src/shoal/publish/files.py",
            "src/shoal/publish/row_map.py",
            "src/shoal/publish/writing.py",
            "src/shoal/publish/verify.py",
            "src/shoal/shapes/*/verification.py",
        ),
        (
            "tests/anonymization/several/test_verifying.py",
            "tests/shapes/*/test_verification.py",
            "tests/publish/test_expected.py",
            "tests/publish/test_manifests.py",
            "tests/publish/test_writing.py",
            "tests/publish/test_verify_by_hand.py",
            "tests/jobs/test_configured.py",
            "tests/publish/test_judge.py",
            "tests/publish/test_verify.py",
            "tests/publish/test_verify_mutated.py",
        ),
        ("shoal.algorithms", "shoal.privacy", "shoal.report.pages", "shoal.io.config", "shoal.utility"),
    ),
    "labels": Package(
        (
            "src/shoal/hierarchy/labels.py",
            "src/shoal/algorithms/local/local_table.py",
            "src/shoal/algorithms/local/column_prices.py",
            "src/shoal/shapes/hierarchies.py",
        ),
        (
            "tests/hierarchy/test_rules.py",
            "tests/hierarchy/test_labels.py",
            "tests/hierarchy/test_labels.py",
            "tests/algorithms/local/*.py",
            "tests/shapes/test_coarsening.py",
            "tests/shapes/test_guards.py",
        ),
        ("shoal.data", "shoal.base.errors"),
    ),
}  # fmt: skip


class Mutant(NamedTuple):
    """One change of one file."""

    file: str
    operator: str
    before: str
    after: str

    @property
    def change(self) -> str:
        """The lines that change, before and after."""
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), lineterm="", n=0)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))

    @property
    def line(self) -> int:
        """The number of the first line that changes."""
        pairs = zip(self.before.splitlines(), self.after.splitlines(), strict=False)
        return next(line for line, (old, new) in enumerate(pairs, 1) if old != new)

    def told(self, test: str | None) -> dict[str, Any]:
        """What is kept of it, to be read by people."""
        old, new = self.before.splitlines(), self.after.splitlines()
        lines = [line for line in difflib.ndiff(old, new) if line[0] in "-+"]
        before, after = (" ".join(line[2:].strip() for line in lines if line[0] == sign) for sign in "-+")
        return {"file": self.file, "line": self.line, "before": before, "after": after, "test": test}

    @property
    def key(self) -> str:
        """What tells it from others."""
        return hashlib.sha256(f"{self.file}\n{self.change}".encode()).hexdigest()[:16]


def drawn(name: str, only: Container[str]) -> Iterator[Mutant]:
    """All mutants of some files in random order, the same order every time; first one of each place in the code."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    chance = random.Random(name)
    places = [(file, ways) for file in files_of(name) for ways in _places(file)]
    chance.shuffle(places)
    for _, ways in places:
        chance.shuffle(ways)
    for turn in range(max(len(ways) for _, ways in places)):
        for file, ways in places:
            if turn < len(ways) and file in only:
                before = (ROOT / file).read_text(encoding="utf-8")
                operator, occurrence = ways[turn]
                after = mutate_code(before, get_operator(operator)(), occurrence)
                if after is not None and _seen(after) not in (None, _seen(before)):
                    yield Mutant(file, operator, before, after)


def files_of(name: str) -> list[str]:
    return sorted(
        {str(path.relative_to(ROOT)) for files in PACKAGES[name].files for path in ROOT.glob(files)}
    )


def _places(file: str) -> Iterator[list[tuple[str, int]]]:
    """For each place of a file that operators can change, the operators and the number of the place among theirs."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast((ROOT / file).read_text(encoding="utf-8"))))
    kinds: dict[str, list[Any]] = {}
    found: dict[Any, list[tuple[str, int]]] = {}
    for name in operator_names():
        if not name.startswith(DULL):
            kind = (
                name if "Unary" in name else name.rsplit("_", 1)[0]
            )  # a + b becomes others in the same places
            if kind not in kinds:
                operator = get_operator(name)()
                kinds[kind] = [place for node in nodes for place in operator.mutation_positions(node)]
            for occurrence, place in enumerate(kinds[kind]):
                found.setdefault(place, []).append((name, occurrence))
    yield from found.values()


def _seen(code: str) -> str | None:
    """The code without what no test can see; None where it is no program."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # operators take the star of arguments for a product
        return None
    for node in ast.walk(tree):
        for name in ("returns", "annotation"):
            if hasattr(node, name):
                setattr(node, name, ast.Constant(None))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "dataclass":
            node.keywords = [word for word in node.keywords if word.arg not in ("frozen", "slots")]
        if isinstance(getattr(node, "body", None), list):
            node.body = [line for line in node.body if not _unseen(line)] or [ast.Pass()]
    return ast.dump(tree)


def _unseen(line: ast.stmt) -> bool:
    if isinstance(line, ast.Assign):
        return getattr(line.targets[0], "id", None) == "__all__"
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant)


def results() -> dict[str, Any]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def keep(name: str, mutant: Mutant, test: str | None) -> None:
    """Add what became of a mutant to the results, where somebody may have explained others in the meantime.

    `test` is the one that noticed it, None where none did.
    """
    kept = results()
    found = kept.setdefault(name, {"killed": {}, "noticed_since": {}, "survived": {}})
    told = found["survived"].pop(mutant.key, None)
    if test is not None:
        found["killed"][mutant.key] = mutant.told(test)
        if told is not None:
            found["noticed_since"][mutant.key] = told
    else:
        found["survived"][mutant.key] = told or {"file": mutant.file, "change": mutant.change}
        print(f"  survived: {mutant.file} ({mutant.operator})\n{mutant.change}", flush=True)
    _store(kept)


def note_size(name: str) -> None:
    """Keep how much code the mutants were drawn from."""
    files = files_of(name)
    places = sum(1 for file in files for _ in _places(file))
    kept = results()
    kept[name] |= {"files": len(files), "places": places}
    _store(kept)


def forget(name: str) -> None:
    """Drop what was tried on code that has changed since: it says nothing of the code as it is."""
    kept = results()
    found = kept[name]
    before = {key: told["before"] for key, told in found["killed"].items()}
    before |= {key: _removed(told["change"]) for key, told in found["survived"].items()}
    files = {key: told["file"] for part in ("killed", "survived") for key, told in found[part].items()}
    code = {file: _flat(ROOT / file) for file in set(files.values())}
    gone = {key for key, lines in before.items() if f" {lines} " not in code[files[key]]}
    for part in ("killed", "survived"):
        found[part] = {key: told for key, told in found[part].items() if key not in gone}
    found["noticed_since"] = {
        key: told for key, told in found["noticed_since"].items() if key in found["killed"]
    }
    _store(kept)
    print(f"  {name}: the code of {len(gone)} of {len(before)} has changed since; they are forgotten")


def _removed(change: str) -> str:
    return " ".join(line[1:].strip() for line in change.splitlines() if line.startswith("-"))


def _flat(path: Path) -> str:
    """The code of a file in one line; nothing where there is no such file any more."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return f" {' '.join(line.strip() for line in lines)} "


def _store(kept: dict[str, Any]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(kept, indent=2) + "\n")


def to_try(name: str, number: int, again: bool) -> Iterator[Mutant]:
    """Mutants that are to be tried: new ones until there are so many, or those that survived and are not explained."""
    found = results().get(name, {"killed": {}, "survived": {}})
    left = {key for key, told in found["survived"].items() if "explained" not in told}
    tried = {*found["killed"], *found["survived"]}
    only = {found["survived"][key]["file"] for key in left} if again else files_of(name)
    for mutant in drawn(name, only):
        if (again and not left) or (not again and len(tried) >= number):
            return
        if mutant.key in left if again else mutant.key not in tried:
            left.discard(mutant.key)
            tried.add(mutant.key)
            yield mutant


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("package", choices=PACKAGES)
    parser.add_argument("--number", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--patience", type=float, default=40, help="seconds of tests that a mutant is worth")
    parser.add_argument(
        "--again", action="store_true", help="try what survived and is not explained once more"
    )
    parser.add_argument(
        "--forget",
        action="store_true",
        help="drop what was tried on code that has changed since, and try none",
    )
    asked = parser.parse_args()
    end = time.monotonic() + asked.seconds
    name = asked.package
    if asked.forget:
        forget(name)
        return note_size(name)
    prepare(PACKAGES[name].below)
    lines = measure(files_of(name), PACKAGES[name].tests)
    for mutant in to_try(name, asked.number, asked.again):
        if time.monotonic() > end:
            break
        keep(name, mutant, noticed(mutant.file, mutant.before, mutant.after, lines, asked.patience))
    note_size(name)
    found = results()[name]
    killed, lived = len(found["killed"]), len(found["survived"])
    print(f"  {name}: {killed} of {killed + lived} killed", flush=True)


if __name__ == "__main__":
    main()
