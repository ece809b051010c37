"""Run a method: choose it, run it, follow its front, hold what it gave; also beside earlier releases."""
