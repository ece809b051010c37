"""Methods for tables that publish each column at one level: full-domain recoding."""
