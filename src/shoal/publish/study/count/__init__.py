"""How many people stand behind each node of a hierarchy."""
