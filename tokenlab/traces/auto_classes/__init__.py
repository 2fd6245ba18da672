"""Code of the Auto classes that exists only to be watched."""
