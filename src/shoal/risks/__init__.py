"""How exposed people are: who stands alone, what a column tells of them, what somebody could find."""
