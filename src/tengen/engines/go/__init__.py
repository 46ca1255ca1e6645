"""The Go player: board, playouts and tree are compiled (`kernels`); `engine` is what others call."""
