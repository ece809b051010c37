"""Propose what each column is: by its name, by the form of its values."""
