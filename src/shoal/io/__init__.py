"""Files and frames in and out; no other layer below `publish` knows a frame."""
