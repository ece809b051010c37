"""The screens of the way, one module each."""
