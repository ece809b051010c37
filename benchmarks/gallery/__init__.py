"""A gallery of six public data sets, each from its first rows to what an analyst can still do with its release.

`python -m benchmarks.gallery [NAME ...]` follows each data set as its reader would, in a folder of its own, keeps what
came out in `benchmarks/results/gallery`, and writes `docs/gallery.md` and its pictures from that alone. What was kept
is not run again, unless it is named.
"""
