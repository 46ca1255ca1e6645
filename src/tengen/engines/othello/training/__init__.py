"""How the weights of the evaluation are made, from nothing but games against itself."""
