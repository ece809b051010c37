"""Local recodings of many records by fragments: each holds similar records and is anonymized on its own."""
