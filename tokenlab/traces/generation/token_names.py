"""Names for the ids in recorded steps of `generate`, which contain ids only.

Adds: the result of a recording, with the outputs as text and the token of each id; the tokens of the candidates of a
beam search. Does not load PyTorch.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

from tokenlab.algorithms.unigram.encode import SPACE
from tokenlab.libraries.transformers.generation.beam_steps import BeamsSelected
from tokenlab.steps.recording import GeneratorRun, step


@step
class NamedOutputs:
    """The outputs as text, and the token of each id."""

    texts: tuple[str, ...]
    names: tuple[str, ...]  # token of each id

    def name(self, token: int) -> str:
        """Return the token of an id; a model may have more ids than its tokenizer.

        >>> NamedOutputs((), ("<pad>", "</s>")).name(1), NamedOutputs((), ("<pad>", "</s>")).name(2)
        ('</s>', '<2>')
        """
        return self.names[token] if token < len(self.names) else f"<{token}>"

    def __str__(self) -> str:
        return " | ".join(self.texts)


def named_outputs(tokenizer: Any, sequences: Any) -> NamedOutputs:
    """Return the outputs of `generate` with the names of all tokens.

    Args:
        tokenizer: the model's tokenizer.
        sequences: the ids of the outputs: (outputs, length).
    """
    texts = (tokenizer.decode(ids, skip_special_tokens=True) for ids in sequences.tolist())
    return NamedOutputs(tuple(texts), token_names(tokenizer))


def named_steps(steps: Generator[Any, None, Any], tokenizer: Any) -> Generator[Any, None, Any]:
    """Yield the steps of a beam search, with the token of each candidate's id, and return its result."""
    names, run = NamedOutputs((), token_names(tokenizer)), GeneratorRun(steps)
    for done in run:
        if isinstance(done, BeamsSelected):
            named = (replace(candidate, name=names.name(candidate.token)) for candidate in done.candidates)
            done = replace(done, candidates=tuple(named))
        yield done
    return run.result


def token_names(tokenizer: Any) -> tuple[str, ...]:
    """Return the tokens of all ids, ordered by id."""
    return tuple(tokenizer.convert_ids_to_tokens(list(range(len(tokenizer)))))


def tokens_to_text(tokens: Iterable[str]) -> str:
    """Return SentencePiece tokens as text.

    >>> tokens_to_text(["▁Die", "▁Kat", "ze", "."])
    'Die Katze.'
    """
    return "".join(tokens).replace(SPACE, " ").strip()
