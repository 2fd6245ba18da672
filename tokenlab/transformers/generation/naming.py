"""What the ids in the steps of `generate` are called: the library's steps have ids, and a learner reads tokens.

Adds: the answer of a recording, with the outputs as text and the token of each id. Nothing here loads PyTorch.
"""

from __future__ import annotations

from typing import Any

from tokenlab.steps import step


@step
class Answered:
    """The outputs as text, and the token of each id."""

    texts: tuple[str, ...]
    names: tuple[str, ...]  # of all ids, in their order

    def name(self, token: int) -> str:
        """The token of an id; a model may have ids beyond its tokenizer's.

        >>> Answered((), ("<pad>", "</s>")).name(1), Answered((), ("<pad>", "</s>")).name(2)
        ('</s>', '<2>')
        """
        return self.names[token] if token < len(self.names) else f"<{token}>"

    def __str__(self) -> str:
        """The outputs."""
        return " | ".join(self.texts)


def answered(tokenizer: Any, sequences: Any) -> Answered:
    """What a recording of `generate` answers.

    Args:
        tokenizer: that of the model.
        sequences: the ids of the outputs: (outputs, length).
    """
    texts = (tokenizer.decode(ids, skip_special_tokens=True) for ids in sequences.tolist())
    return Answered(tuple(texts), names_of(tokenizer))


def names_of(tokenizer: Any) -> tuple[str, ...]:
    """The tokens of all ids, in their order."""
    return tuple(tokenizer.convert_ids_to_tokens(list(range(len(tokenizer)))))
