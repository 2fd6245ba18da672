"""Generation: how a model writes one token after another."""

from tokenlab.transformers.generation.configuration_utils import GenerationConfig

__all__ = ["GenerationConfig"]
