"""Views of lesson 23: the families side by side."""
