"""The checks of the exercises, one module per lesson topic."""
