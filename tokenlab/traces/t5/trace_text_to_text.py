"""Text to text: for every task, a T5 reads a text and generates a text.

Adds: training pairs from span corruption, and one model that solves several tasks one after another.
Leaves out: the training loop (`train_model`), greedy decoding (`greedy_decode`), and the correct answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from random import Random
from typing import Any, cast

from tokenlab.algorithms.training_data.span_corruption import corrupt, corrupt_spans, noise_mask
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode
from tokenlab.libraries.transformers.training_loop import Pair, pad_batch
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise


def span_corruption_pairs(
    texts: Sequence[str],
    tokenizer: Any,
    noise_density: float = 0.15,
    mean_span_length: float = 3.0,
    random_roll: bool = False,
) -> Callable[[Random], Pair]:
    """Return a function that draws a pair for `bucketed_batches`: a corrupted text, and the removed spans.

    Args:
        texts: the texts; the same one may be drawn several times.
        tokenizer: a T5 tokenizer.
        noise_density: the share of noise tokens.
        mean_span_length: the mean length of a span.
        random_roll: move the mask by a random number of positions, so that the last token may be kept.
    """
    ids = [tokenizer(text)["input_ids"][:-1] for text in texts]
    ends = tokenizer.get_sentinel_token_ids(), tokenizer.eos_token_id

    def draw(random: Random) -> Pair:
        text = random.choice(ids)
        if random_roll:
            mask = noise_mask(len(text), random, noise_density, mean_span_length)
            first = random.randrange(len(text))
            source, target = corrupt(text, mask[first:] + mask[:first], *ends)
        else:
            source, target = corrupt_spans(text, random, noise_density, mean_span_length, *ends)
        return cast(Pair, (list(source), list(target)))

    return draw


@step
class TaskOutput:
    """The input and output text of one task."""

    source: str
    generated: str
    accepted: bool | None  # None if unknown

    def sentence(self) -> Parts:
        """Name both texts."""
        known = {True: ", which is accepted", False: ", which is not accepted", None: ""}[self.accepted]
        return ["it reads ", SymbolPart(self.source), " and generates ", SymbolPart(self.generated, "new"), known]


@stepwise
def trace_text_to_text(
    questions: Sequence[Sequence[int]],
    model: Any,
    tokenizer: Any,
    accepts: Callable[[int, str], bool | None] = lambda number, answer: None,
) -> Generator[TaskOutput, None, tuple[str, ...]]:
    """Generate the output for each question.

    Args:
        questions: the ids of each input, ending in `</s>`.
        accepts: called with the number of the question and the answer; returns whether it is accepted, or None.
    """
    asked = pad_batch([(list(ids), list(ids)) for ids in questions])
    generated = greedy_decode(model, asked["input_ids"], asked["attention_mask"])
    answers = tuple(ids_to_text(ids, tokenizer) for ids in generated)
    for number, (ids, answer) in enumerate(zip(questions, answers, strict=True)):
        yield TaskOutput(ids_to_text(ids[:-1], tokenizer), answer, accepts(number, answer))
    return answers


def ids_to_text(ids: Sequence[int], tokenizer: Any) -> str:
    """Return the text of ids, with sentinels; `decode` would remove the spaces next to them."""
    return "".join(tokenizer.convert_ids_to_tokens(list(ids))).replace("▁", " ").strip()
