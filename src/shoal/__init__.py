"""shoal: publish data about people so that nobody can be told apart, with the evidence."""

__version__ = "0.1.0.dev0"
