"""The parts of T5 on plain numbers: relative positions, attention, masks, normalization and loss."""
