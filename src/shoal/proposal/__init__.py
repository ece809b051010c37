"""Data that nobody has described yet: what each column is, which questions are open, and the files of a proposal."""
