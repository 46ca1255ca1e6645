"""Reading: what becomes of a string if one side, or the other, plays first."""
