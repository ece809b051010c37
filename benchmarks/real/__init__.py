"""Public tables on their way through `init` and `run`: what the releases lose, and what analyses survive."""
