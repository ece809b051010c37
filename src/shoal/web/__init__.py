"""The base of the local page and its REST interface: who may come in, where files lie, and how jobs run."""
