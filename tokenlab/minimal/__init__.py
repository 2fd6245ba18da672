"""A whole algorithm on one page each: complete, without steps, readable without another file."""
