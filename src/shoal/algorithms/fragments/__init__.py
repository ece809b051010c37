"""Local recodings of many records by fragments: each holds similar records and is anonymized on its own."""

__all__ = ["FRAGMENTED"]

FRAGMENTED: dict[str, str] = {
    "mstk": "the first splits of a Mondrian, along the hierarchies of the quasi-identifiers",
    "mondrian": "the first splits of a Mondrian, along the hierarchies of the quasi-identifiers",
    "kmember": "the first splits of a Mondrian, along the hierarchies of the quasi-identifiers",
    "boxes": "the first splits of a Mondrian, along the hierarchies of the quasi-identifiers",
    "bound": "the first splits of a Mondrian, along the hierarchies of the quasi-identifiers",
    "nonreciprocal": "runs of the Gray order of all baskets, the items that divide them most evenly first",
    "lra": "runs of the Gray order of all baskets, the rarest items first",
}
"""The methods that can work on fragments, and how each cuts the records; `cuts.CUTS` does it."""
