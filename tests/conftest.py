"""Hypothesis, set so that a run says the same twice and takes seconds: `--hypothesis-profile=long` looks further."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

CHECKS = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("kit", max_examples=60, deadline=None, derandomize=True, suppress_health_check=CHECKS)
settings.register_profile("long", max_examples=2000, deadline=None, suppress_health_check=CHECKS)
settings.load_profile("kit")
