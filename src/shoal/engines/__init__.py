"""Where the work is done: on this machine, in memory or beyond it, or on others."""
