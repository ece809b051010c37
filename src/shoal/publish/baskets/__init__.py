"""Baskets at the door: read and bound, assembled, judged, told of."""
