"""The seven generation loops and the state they share."""
