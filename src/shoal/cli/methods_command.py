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
        print_json(_describe_method(name)) if as_json else _print_method(name)
    elif as_json:
        from shoal.algorithms import METHODS

        print_json([_describe_method(method_name) for method_name in METHODS])
    else:
        _print_all_methods() if every else _print_usual_methods()


def _print_usual_methods() -> None:
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


def _print_all_methods() -> None:
    from shoal.algorithms import DEFAULTS, METHODS

    rows = [[m.name, m.shape, m.guarantee, m.about] for m in METHODS.values()]
    print_table("Methods", ["name", "data", "guarantee", "what it does"], rows)
    lines: list[list[object]] = [[line.shape, line.when, line.method] for line in DEFAULTS]
    print_table("Where none is named: the first line that fits", ["data", "when", "method"], lines)


def _describe_method(name: str) -> dict[str, Any]:
    from shoal.algorithms import find_method
    from shoal.algorithms.knobs import knobs

    entry = find_method(name)
    return {
        "name": entry.name,
        "shape": entry.shape,
        "guarantee": entry.guarantee,
        "about": entry.about,
        "parameters": [knob.as_dict() for knob in knobs(name)],
    }


def _print_method(name: str) -> None:
    from shoal.algorithms import find_method
    from shoal.algorithms.knobs import knobs

    entry = find_method(name)
    print_line(f"{entry.name} {entry.about}; for {entry.shape}, guarantees {entry.guarantee}")
    rows = [[knob.name, knob.takes, _format_default(knob.default), knob.about] for knob in knobs(name)]
    print_table("Parameters", ["name", "what it takes", "default", "what it does"], rows)


def _format_default(value: Any) -> str:
    """A default as a configuration has it."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _list_attackers(as_json: bool) -> None:
    from shoal.privacy.attackers import ATTACKERS

    if as_json:
        print_json(
            {shape: [attacker.as_dict() for attacker in attackers] for shape, attackers in ATTACKERS.items()}
        )
        return
    rows: list[list[object]] = []
    for shape, attackers in ATTACKERS.items():
        for attacker in attackers:
            keys = [number.key for number in attacker.numbers] + [
                f"{key} = {value}" for key, value in attacker.fixed
            ]
            rows.append([shape, f"{attacker.sentence}.", ", ".join(keys), attacker.claim])
            rows += [
                ["", f"  + {protection.sentence}.", protection.name, protection.claim]
                for protection in attacker.protections
            ]
    head = ["data", "what somebody may know, and what else can be promised", "[guarantee]", "claim"]
    print_table("Attackers", head, rows)
