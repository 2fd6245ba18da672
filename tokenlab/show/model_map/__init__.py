"""A map of a whole T5 in three strips: the model, one layer, and the blocks inside one part of the layer."""
