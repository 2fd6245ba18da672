"""Training data: span corruption, packing and line sampling."""
