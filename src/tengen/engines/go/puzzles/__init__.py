"""Go problems with proved answers: captures from games; life and death, races and connections in corners."""
