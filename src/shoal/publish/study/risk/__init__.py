"""How exposed people are before anything is done, and by what."""
