"""Makers for tables: full-domain recodings over the lattice of levels."""
