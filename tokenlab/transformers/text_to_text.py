"""Text to text: whatever a T5 is asked, a text is read and a text is written.

Adds: texts with gaps to learn from, and one model answering several questions, one after the other.
Leaves out: the loops that learn (`train`) and write (`greedy`), and who knows what is right.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from random import Random
from typing import Any, cast

from tokenlab.algorithms.span_corruption import corrupt_spans
from tokenlab.steps import step, stepwise
from tokenlab.transformers.greedy import greedy
from tokenlab.transformers.training import Pair, pad


def gaps(
    texts: Sequence[str], tokenizer: Any, noise_density: float = 0.15, mean_span_length: float = 3.0
) -> Callable[[Random], Pair]:
    """A source of pairs for `batches`: one of the texts, corrupted, and what was taken out of it."""
    ids = [tokenizer(text)["input_ids"][:-1] for text in texts]
    ends = tokenizer.get_sentinel_token_ids(), tokenizer.eos_token_id

    def draw(random: Random) -> Pair:
        read, written = corrupt_spans(random.choice(ids), random, noise_density, mean_span_length, *ends)
        return cast(Pair, (list(read), list(written)))

    return draw


@step
class Answered:
    """A text was read, and one was written."""

    reads: str
    writes: str
    accepted: bool | None  # None where nobody knows

    def __str__(self) -> str:
        """Say both, and what is known."""
        known = {True: ", which is accepted", False: ", which is not accepted", None: ""}[self.accepted]
        return f"it reads {self.reads!r} and writes {self.writes!r}{known}"


@stepwise
def text_to_text(
    questions: Sequence[Sequence[int]],
    model: Any,
    tokenizer: Any,
    accepts: Callable[[int, str], bool | None] = lambda number, answer: None,
) -> Generator[Answered, None, tuple[str, ...]]:
    """What the model writes for each question.

    Args:
        questions: the ids of each, which end in `</s>`.
        model: a T5ForConditionalGeneration.
        tokenizer: its T5Tokenizer.
        accepts: whether an answer will do, from the number of the question and the answer; None if nobody knows.
    """
    asked = pad([(list(ids), list(ids)) for ids in questions])
    written = greedy(model, asked["input_ids"], asked["attention_mask"])
    answers = tuple(text_of(ids, tokenizer) for ids in written)
    for number, (ids, answer) in enumerate(zip(questions, answers, strict=True)):
        yield Answered(text_of(ids[:-1], tokenizer), answer, accepts(number, answer))
    return answers


def text_of(ids: Sequence[int], tokenizer: Any) -> str:
    """The text of some ids, sentinels in it; `decode` would take away the blanks beside them."""
    return "".join(tokenizer.convert_ids_to_tokens(list(ids))).replace("▁", " ").strip()
