"""tokenlab: subword tokenization and T5's text generation, implemented so that every step can be watched."""

from typing import TYPE_CHECKING

from tokenlab.steps.stepwise_functions import Stepwise, stepwise

if TYPE_CHECKING:
    from tokenlab.steps.recording import Recording, step

__version__ = "0.2.0"
__all__ = ["Recording", "Stepwise", "step", "stepwise"]


def __getattr__(name: str) -> object:
    """Import `Recording` and `step` at their first use: a program that only encodes does not need them."""
    if name in ("Recording", "step"):
        from tokenlab.steps import recording

        return getattr(recording, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
