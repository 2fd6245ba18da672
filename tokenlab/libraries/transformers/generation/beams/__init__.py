"""Beam scorers: hypotheses, candidate selection and the steps they report."""
