"""The command line: a command parses, calls one function, prints."""


def main() -> None:
    """Run the command line."""
