"""Recorded steps of a decoder-only model: its prompt, and each pass with the token that it selects.

The steps do not need PyTorch, so that a recording can be loaded and displayed without it.
"""

from __future__ import annotations

from tokenlab.printing.printable import Parts, SymbolPart, count_noun
from tokenlab.printing.printed_numbers import format_probability
from tokenlab.steps.recording import step


@step
class PromptEncoded:
    """The tokens of the prompt, which the first pass will read."""

    tokens: tuple[str, ...]

    def __str__(self) -> str:
        return f"the prompt has {count_noun(len(self.tokens), 'token')}"


@step
class DecoderPass:
    """One pass of the model: prefill, or a single step; and the token that was selected after it."""

    read: tuple[str, ...]  # the prompt, or the token before
    num_keys: int  # rows of keys in the cache of each head after this pass
    token: str
    drawn: bool  # False at temperature 0, where the most probable token is taken
    tokens: tuple[str, ...]  # the most probable ones that are shown, and the selected one
    before: tuple[float, ...]  # the model's probabilities of these tokens
    after: tuple[float, ...]  # their probabilities after temperature and filters; 0 for a removed one
    num_possible: int  # tokens with a probability above 0 after the filters

    @property
    def prefill(self) -> bool:
        """Whether this pass has read the prompt."""
        return self.num_keys == len(self.read)

    @property
    def probability(self) -> float:
        """The probability with which the token was selected."""
        return self.after[self.tokens.index(self.token)]

    def sentence(self) -> Parts:
        """Say what was read, and which token was selected."""
        chosen: Parts = [SymbolPart(self.token, "new")]
        probability = format_probability(self.probability)
        chosen += [f" is drawn with probability {probability}" if self.drawn else " is the most probable token"]
        if self.prefill:
            return [f"prefill reads all {count_noun(len(self.read), 'token')} in one pass; ", *chosen]
        return ["a single step reads ", SymbolPart(self.read[0]), "; ", *chosen]
