"""Views of span corruption, packing, line sampling and shards."""
