"""Measuring programs in one process: time ratios, growth of time, shares of parts, and profiles."""
