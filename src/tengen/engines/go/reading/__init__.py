"""Reading: whether strings can be captured, connected, killed or saved, for either side to move first."""
