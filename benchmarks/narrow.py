"""What narrow labels tell, beside what is lost: `lowest-labels` on Adult by method and k; and `blind`, moved about.

Run `python benchmarks/narrow.py`; it writes `results/narrow.json`. The people are Adult's first records, 7 columns. For
`in-register` the register is all of Adult and the data are a random half of it; `replays-cells` is played on 40 people.
For `singling-out` a third of Adult is released; of the rest, who are public, as many are kept apart as a control.
`worlds` plays `in-register` on small registers beside a twin that tries every way to give rows to people.
Names of sections measure these alone: `python benchmarks/narrow.py register replayed singled worlds`.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import shoal
from bench_local import SEVEN
from common import DATA, adult, need
from shoal.algorithms.local.blind import blind
from shoal.anonymization.methods import make_result
from shoal.assess.attack_scene import scene_of, table_view
from shoal.attacks.method import play_cell_replay
from shoal.attacks.players_register import play_in_register
from shoal.attacks.players_singling_out import play_singling_out
from shoal.base.progress import no_progress
from shoal.data import Table
from shoal.jobs.attack import _cell_replay_of
from shoal.privacy import KAnonymity

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "attacks"))

import test_players_register as registers

import naive_register

RESULT = Path(__file__).with_name("results") / "narrow.json"
RECORDS = 6_000
KS = (2, 5, 25)
METHODS = ("boxes", "mstk", "mondrian", "kmember", "blind")
MOVES = 40


def measured(data, name, k):
    """The loss of a release, and the figures of whoever knows that labels are narrow; None where that is not so."""
    release = shoal.anonymize(data, k=k, method=name, **({"suppress": 0.2} if name == "blind" else {}))
    played = {one.name: one for one in shoal.attack(release).attackers}
    told = played.get("lowest-labels")
    told = told and {**told.figures, "alone": told.certain, "people": told.people}
    singled = played["singling-out"].figures if "singling-out" in played else None
    left_out = 1 - release.manifest["records_out"] / release.manifest["records_in"]
    return {
        "method": name,
        "k": k,
        "ncp": release.loss["ncp"],
        "left out": left_out,
        "told": told,
        "singled": singled,
    }


def moved(data, seed, k=5):
    """Whether a release by `blind` stays the same when every record moves anywhere inside its label."""
    random = np.random.default_rng(seed)
    trees = data.hierarchies
    first = make_result("blind", data, KAnonymity(k), {"suppress": 0.5}, no_progress, 1).release
    columns = list(data.table.columns)
    for j, column in enumerate(data.table.quasi):
        form, tree = first.forms[j], trees[column.name]
        cells = column.cells()
        for row, code in zip(first.rows.tolist(), first.codes[:, j].tolist(), strict=True):
            inside = form.leaves[form.start[code] : form.start[code + 1]]
            inside = inside[inside < tree.size]
            cells[row] = tree.leaves[random.choice(inside)]
        columns[data.table.columns.index(column)] = type(column).of(column.name, "quasi", cells)
    second = blind(Table(tuple(columns)), trees, KAnonymity(k), suppress=0.5).release
    labels = [[[f.labels[c] for c in r.codes[:, j]] for j, f in enumerate(r.forms)] for r in (first, second)]
    return bool(np.array_equal(first.rows, second.rows) and labels[0] == labels[1])


LOCAL = (("mstk", {}), ("mondrian", {}), ("boxes", {}), ("kmember", {}), ("mstk", {"recode": "span"}))
PEOPLE, TRIES, GAMES = 40, 600, 3_000


def registered():
    """Who is certainly in the data, where the register is all of Adult and a random half of it is released."""
    frame = adult(SEVEN, DATA / "adult").source.frame
    half = np.sort(np.random.default_rng(1).permutation(frame.height)[: frame.height // 2])
    quasi = {"roles": dict.fromkeys(SEVEN, "quasi"), "hierarchies": DATA / "adult", "population": frame}
    data = shoal.read(frame[half], **quasi)
    found = []
    for k in KS:
        for name, more in (*LOCAL, ("blind", {"suppress": 0.2}), ("optimal", {})):
            scene = scene_of(shoal.anonymize(data, method=name, k=k, seed=1, **more))
            view = table_view(scene.dataset, scene.frame, scene.row_of, scene.method, rules=False)
            told = play_in_register(view, view.register, np.arange(len(view.own)))
            line = {"method": name, **more, "k": k, **told.figures, "on average": float(told.chances.mean())}
            print(line, flush=True)
            found.append(line)
    return found


def replayed():
    """What whoever knows every cell but one learns of it, on the first people of Adult with three columns."""
    names = ["age", "education", "marital-status"]
    frame = adult(names, DATA / "adult").source.frame
    data = shoal.read(
        frame[:PEOPLE],
        roles=dict.fromkeys(names, "quasi"),
        hierarchies=DATA / "adult",
        population=frame[PEOPLE:],
    )
    found = []
    for k in KS[:2]:
        for name, more in (*LOCAL, ("blind", {"suppress": 0.5}), ("optimal", {})):
            cells = _cell_replay_of(scene_of(shoal.anonymize(data, method=name, k=k, seed=1, **more)))
            told = play_cell_replay(cells, TRIES, rng=np.random.default_rng(1))
            line = {"method": name, **more, "k": k, **told.figures, "success": told.success}
            line |= {"certain": told.certain, "played": told.played}
            print(line, flush=True)
            found.append(line)
    return found


def singled():
    """How many descriptions fit exactly one person, of whoever sees the release alone, and public people as well."""
    frame = adult(SEVEN, DATA / "adult").source.frame
    order = np.random.default_rng(0).permutation(frame.height)
    mine, others = frame[order[: frame.height // 3]], frame[order[frame.height // 3 :]]
    quasi = {"roles": dict.fromkeys(SEVEN, "quasi"), "hierarchies": DATA / "adult"}
    data = shoal.read(mine, **quasi, population=others)
    found = []
    for k in KS:
        for name in METHODS:
            made = shoal.anonymize(data, method=name, k=k)
            scene = scene_of(made)
            view = table_view(scene.dataset, scene.frame, scene.row_of, scene.method, rules=False)
            line = {"method": name, "k": k, "ncp": made.loss["ncp"]}
            line["release alone"] = dict(play_singling_out(replace(view, public=None)).figures)
            line["public people"] = dict(play_singling_out(view).figures)
            print(line, flush=True)
            found.append(line)
    return found


def worlds():
    """How far `in-register` goes, on drawn registers, beside every way to give rows to people."""
    chance, paths = np.random.default_rng(1), registers.PATHS
    told = dict.fromkeys(("games", "by labels", "by narrow labels", "told", "wrong", "missed"), 0)
    while told["games"] < GAMES:
        columns, many = int(chance.integers(1, 3)), int(chance.integers(4, 9))
        people = [tuple(row) for row in chance.integers(0, len(paths), (many, columns)).tolist()]
        of = chance.integers(-1, 3, many).tolist()
        if max(of) < 0:
            continue
        view, register, classes = registers.game(people, of)
        held = [place for place, own in enumerate(of) if own >= 0]
        labels, narrow = (naive_register.certain(people, classes, paths, one) for one in (False, True))
        by_labels = registers.told(view, replace(register, parts=()), held)[0]
        found = registers.told(view, register, held)[0]
        told["games"] += 1
        told["by labels"] += len(labels)
        told["by narrow labels"] += len(narrow - labels)
        told["told"] += len(found - labels)
        told["wrong"] += by_labels != labels or not found <= narrow
        told["missed"] += found < narrow
    print(told, flush=True)
    return told


def main() -> None:
    need(DATA / "adult")
    there = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    sections = {"register": registered, "replayed": replayed, "singled": singled, "worlds": worlds}
    for name in sys.argv[1:] or sections:
        there[name] = sections[name]()
    if not sys.argv[1:]:
        there |= labels_and_moves()
    RESULT.write_text(json.dumps(there, indent=1) + "\n", encoding="utf-8")


def labels_and_moves():
    """What labels tell by method and k, and whether `blind` publishes the same when people move inside labels."""
    whole = adult(SEVEN, DATA / "adult")
    data = shoal.read(
        whole.source.frame[:RECORDS], roles=dict.fromkeys(SEVEN, "quasi"), hierarchies=DATA / "adult"
    )
    figures = [measured(data, name, k) for k in KS for name in METHODS]
    few = shoal.read(
        whole.source.frame[:400], roles=dict.fromkeys(SEVEN, "quasi"), hierarchies=DATA / "adult"
    )
    same = sum(moved(few, seed) for seed in range(MOVES))
    found = {"records": RECORDS, "columns": len(SEVEN), "figures": figures, "moves": MOVES, "same": same}
    for one in figures:
        print(one)
    print(f"blind, moved inside its labels {MOVES} times: the same {same} times")
    return found


if __name__ == "__main__":
    main()
