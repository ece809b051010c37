"""The command `methods`: which methods there are, what each can be told, and which attackers can be chosen."""

from typing import Any

import click

from shoal.base.errors import InputError
from shoal.cli.options import as_json
from shoal.cli.show import print_json, print_line, print_table

__all__ = ["methods"]


@click.command()
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="List every method, and which is taken when.")
@click.option("--attackers", is_flag=True, help="List the attackers instead, and what each of them asks for.")
@as_json
def methods(name: str | None, every: bool, attackers: bool, as_json: bool) -> None:
    """List the usual method for each kind of data; --all lists every method.

    With the NAME of a method, list its parameters.
    """
    if attackers:
        if name is not None:
            raise InputError(
                "methods: attackers belong to a shape of data, not to a method; leave out the name"
            )
        _list_attackers(as_json)
    elif name is not None:
        print_json(_method(name)) if as_json else _print_method(name)
    elif as_json:
        from shoal.algorithms import METHODS

        print_json([_method(one) for one in METHODS])
    else:
        _every() if every else _usual()


def _usual() -> None:
    """One line for each kind of data: most people need no other method."""
    from shoal.algorithms import DEFAULTS, METHODS
    from shoal.report.words import SHAPE_WORDS

    rows = [
        [
            SHAPE_WORDS[line.shape].name,
            line.method,
            METHODS[line.method].guarantee,
            METHODS[line.method].about,
        ]
        for line in DEFAULTS
        if line.usual
    ]
    print_table("The usual method", ["data", "method", "guarantee", "what it does"], rows)
    print_line(
        "shoal chooses the method by itself; `shoal methods --all` lists every method, and which is taken when"
    )


def _every() -> None:
    from shoal.algorithms import DEFAULTS, METHODS

    rows = [[m.name, m.shape, m.guarantee, m.about] for m in METHODS.values()]
    print_table("Methods", ["name", "data", "guarantee", "what it does"], rows)
    lines: list[list[object]] = [[line.shape, line.when, line.method] for line in DEFAULTS]
    print_table("Where none is named: the first line that fits", ["data", "when", "method"], lines)


def _method(name: str) -> dict[str, Any]:
    from shoal.algorithms import method
    from shoal.algorithms.knobs import knobs

    found = method(name)
    return {
        "name": found.name,
        "shape": found.shape,
        "guarantee": found.guarantee,
        "about": found.about,
        "parameters": [knob.as_dict() for knob in knobs(name)],
    }


def _print_method(name: str) -> None:
    from shoal.algorithms import method
    from shoal.algorithms.knobs import knobs

    found = method(name)
    print_line(f"{found.name} {found.about}; for {found.shape}, guarantees {found.guarantee}")
    rows = [[knob.name, knob.takes, _default(knob.default), knob.about] for knob in knobs(name)]
    print_table("Parameters", ["name", "what it takes", "default", "what it does"], rows)


def _default(value: Any) -> str:
    """A default as a configuration has it."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _list_attackers(as_json: bool) -> None:
    from shoal.privacy.attackers import ATTACKERS

    if as_json:
        print_json({shape: [one.as_dict() for one in several] for shape, several in ATTACKERS.items()})
        return
    rows: list[list[object]] = []
    for shape, several in ATTACKERS.items():
        for one in several:
            keys = [number.key for number in one.numbers] + [f"{key} = {value}" for key, value in one.fixed]
            rows.append([shape, f"{one.sentence}.", ", ".join(keys), one.claim])
            rows += [["", f"  + {more.sentence}.", more.name, more.claim] for more in one.protections]
    head = ["data", "what somebody may know, and what else can be promised", "[guarantee]", "claim"]
    print_table("Attackers", head, rows)
