"""Data in parts: private files of coded records beside one dictionary, which are read, mapped and exchanged.

A *part* is a file of records as integer codes; a *dictionary* has the distinct cells of every column, so codes mean the
same in all parts. `reading` makes both of a source; `records` reads parts and exchanges their records by a key; a map
over parts is what `shoal.engines` calls a mapper; `judging` counts classes. Nothing here knows a method.
"""
