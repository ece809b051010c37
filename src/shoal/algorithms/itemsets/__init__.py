"""Methods for baskets, against whoever knows up to m items of a person."""
