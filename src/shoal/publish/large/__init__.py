"""Data that do not fit in memory: counted, mapped and judged by an engine, from the source to the door."""
