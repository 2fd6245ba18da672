"""Files of models: weights, shards, configuration, and the hub."""
