"""Views of the Auto classes: the decisions that select a class."""
