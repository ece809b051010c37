"""A gallery of six public data sets, each from its first rows to what an analyst can still do with its release.

`python -m benchmarks.gallery [NAME ...]` follows each data set as its reader would, in a folder of its own, keeps the
results in `benchmarks/results/gallery`, and writes `docs/evidence/gallery.md` and its pictures from them alone. A data
set whose results are kept is run again only if it is named.
"""
