"""The page in a real browser, for its tests: a server of its own, windows that complain, data of every shape."""

import json
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from web_cases import WHERE

SERVE = Path(__file__).with_name("serve_child.py")
# The first draws the same pages in two thirds of the time: it has no window that nobody looks at.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)


@dataclass
class Listening:
    """A server that listens, and what the first browser that was let in keeps."""

    process: subprocess.Popen
    address: str
    bearer: str
    state: dict | None = None


@dataclass
class Site:
    """A server as a browser that was let in has it; its windows share what they have loaded before."""

    url: str
    bearer: str
    state: dict
    browser: object
    context: object


class serving:  # noqa: N801 (used as a context manager)
    """`shoal serve --no-browser` for as long as the block runs: its process, its address, its bearer token."""

    def __init__(self, folder, *options):
        self.folder, self.options = folder, options

    def __enter__(self):
        environment = {name: value for name, value in WHERE.items() if name != "SHOAL_TOKEN"}
        self.process = subprocess.Popen(
            [sys.executable, SERVE, "serve", "--no-browser", *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment, "TMPDIR": str(self.folder)},
        )
        address = self.process.stdout.readline().strip()
        told = self.process.stderr.readline()
        return self.process, address, re.search(r"token: (\S+)", told).group(1)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=20)


class visiting:  # noqa: N801 (used as a context manager)
    """A new window of the browser; whatever it asks of another machine, or its console complains of, is a failure."""

    def __init__(self, site, width=1280, colours="light"):
        self.site, self.width, self.colours = site, width, colours

    def __enter__(self):
        self.wrong = []
        self.page = page = self.site.context.new_page()
        page.set_viewport_size({"width": self.width, "height": 900})
        page.emulate_media(color_scheme=self.colours)
        page.set_default_timeout(60_000)
        page.on("request", self._look)
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.goto = _until_drawn(page, page.goto)
        page.reload = _until_drawn(page, page.reload)
        page.goto(self.site.url)
        return page

    def _hear(self, said):
        """Every screen begins with an answer that a key is needed, of which a browser complains."""
        asked = "status of 401" in said.text and "/api/" not in said.location["url"]
        if said.type == "error" and not asked:
            self.wrong.append(said.text)

    def _look(self, request):
        if not request.url.startswith((self.site.url, "data:", "blob:", self.site.url.replace("http", "ws"))):
            self.wrong.append(f"asked for {request.url}")

    def __exit__(self, failed, *_):
        self.page.close()
        if failed is None:
            assert not self.wrong, self.wrong


def _until_drawn(page, go):
    """Go somewhere, and wait for the screen: what is loaded first only lets the browser in."""

    def gone(*where):
        answer = go(*where)
        page.locator(".nicegui-content").first.wait_for(
            state="attached"
        )  # scripts that wait run where all may
        page.wait_for_load_state()
        return answer

    return gone


def give(page, path):
    """Send a file, and wait until it was looked at; return the address of its project without the step."""
    page.goto(page.url.split("/project/")[0])
    page.set_input_files("input[data-send=file]", path)
    page.get_by_text("taken for").wait_for()
    return page.url.rpartition("/")[0]


def has_axe_faults(page):
    """What axe finds serious on a page, each with where."""
    module = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = module.Axe().run(page).response["violations"]
    return [
        (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def people(folder, n=400):
    """A table as a hospital has it; give its path."""
    draw = random.Random(7)
    lines = ["name,age,sex,zip,diagnosis"]
    for number in range(n):
        facts = [f"Person {number}", draw.randint(18, 90), draw.choice("fm"), 10110 + draw.randint(0, 30)]
        lines.append(",".join(map(str, [*facts, draw.choice(["flu", "asthma", "hepatitis", "angina"])])))
    return _file(folder / "people.csv", "\n".join(lines))


def paid(folder, n=200):
    """A table with two columns about which somebody must decide; give its path."""
    draw = random.Random(11)
    rows = [
        f"{draw.randint(20, 69)},{draw.choice('fm')},{7919 * i % 400_000 - 9000},{draw.randint(1, 6)}"
        for i in range(n)
    ]
    return _file(folder / "paid.csv", "\n".join(["age,sex,company,income", *rows]))


def baskets(folder, n=400):
    """Baskets in FIMI's form; give their path."""
    draw = random.Random(8)
    rows = [sorted(draw.sample(range(1, 25), draw.randint(1, 5))) for _ in range(n)]
    return _file(folder / "baskets.dat", "\n".join(" ".join(map(str, row)) for row in rows))


def mixed(folder, n=300):
    """A table with a basket in each row; give its path."""
    draw = random.Random(9)
    goods = ["milk", "bread", "beer", "wine", "tea", "rice", "eggs", "soap"]
    lines = ["age,sex,bought"]
    for _ in range(n):
        bought = "|".join(draw.sample(goods, draw.randint(1, 3)))
        lines.append(f"{draw.randint(18, 80)},{draw.choice('fm')},{bought}")
    return _file(folder / "bought.csv", "\n".join(lines))


def trees(folder, n=300):
    """Patients with visits, as nested records; give their path."""
    draw = random.Random(10)
    found = ["flu", "asthma", "angina", "fracture"]
    rows = [
        {
            "id": f"p{number:04}",
            "nation": draw.choice(["France", "Spain", "Italy"]),
            "visits": [
                {"hospital": draw.choice(["North", "South", "West"]), "finding": draw.choice(found)}
                for _ in range(draw.randint(1, 2))
            ],
        }
        for number in range(n)
    ]
    return _file(folder / "patients.ndjson", "\n".join(map(json.dumps, rows)))


SHAPES = {"table": people, "baskets": baskets, "mixed": mixed, "trees": trees}
"""A file of every shape, by the function that writes it."""


def _file(path, text):
    path.write_text(text + "\n", encoding="utf-8")
    return path
