"""Use cases that all front ends share. They know no front end: progress and questions go through callbacks."""
