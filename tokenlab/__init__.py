"""tokenlab: subword tokenization and T5's text generation, implemented so that every step can be watched."""

from tokenlab.steps import Recording, Stepwise, step, stepwise

__version__ = "0.2.0"
__all__ = ["Recording", "Stepwise", "step", "stepwise"]
