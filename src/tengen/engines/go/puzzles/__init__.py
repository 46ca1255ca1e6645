"""Go problems with proved answers: captures from games, and life and death in corners."""
