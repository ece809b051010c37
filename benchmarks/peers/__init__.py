"""A race: shoal beside what else installs from PyPI, and ARX where a jar is given, by one measure."""
