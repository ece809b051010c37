"""The screens, in the order of the way. Each is a module with `show(project)`."""

from dataclasses import dataclass

__all__ = ["STEPS", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """One screen: what it is called in the way, its heading, and a sentence under it.

    aside : whether it stands beside the way, so that nobody has to pass it
    """

    name: str
    title: str
    lead: str
    aside: bool = False


STEPS: dict[str, Step] = {
    "data": Step("Data", "Your data", "What shoal found in them. Nothing of it leaves this machine."),
    "roles": Step(
        "Roles",
        "What is each column?",
        "What others may know about somebody is made coarser; what names people is never published.",
    ),
    "hierarchies": Step(
        "Hierarchies",
        "How may values become coarser?",
        "A value stands in a group, and a group in a larger one. What is published of somebody is the value, or a "
        "group that hides it.",
    ),
    "attacker": Step(
        "Attacker",
        "Who might look for somebody?",
        "Say what others may know about a person in the data. From that follows what the release promises.",
    ),
    "risk": Step(
        "Risk",
        "How exposed are these people now?",
        "Before anything is done: who could be found in the data as they are, and by what.",
    ),
    "tradeoff": Step(
        "Trade-off",
        "What does each choice cost?",
        "More protection costs more detail. See how much, and what your data would look like.",
    ),
    "run": Step(
        "Run", "Make the release", "It is made, judged as it was written, and only then handed to you."
    ),
    "result": Step("Result", "Your release", "What was promised, what it cost, and what you may hand on."),
    "compare": Step(
        "Compare",
        "Which maker loses least?",
        "Several makers can promise the same. Try them on these data, side by side; nothing of it is published.",
        aside=True,
    ),
}
"""The screens by their names in addresses, in the order of the way."""
