"""Baskets at the door: how they are read, released, judged and reported on."""
