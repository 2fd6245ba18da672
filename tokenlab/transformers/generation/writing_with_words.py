"""Constrained beam search for a text and typed words: the rounds over banks, with tokens by name.

Adds: words instead of ids, and what the model writes by itself, to compare with.
Leaves out: the search itself, which is `generate`'s.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from tokenlab.steps import Running, stepwise
from tokenlab.transformers.generation.constraint_rounds import Demand, Demanded, Outcome, Round, Rounds
from tokenlab.transformers.generation.disjunctive_constraint import beginnings
from tokenlab.transformers.generation.naming import Answered, answered, names_of
from tokenlab.transformers.generation.reading import PLAIN_BEAMS, refuse_other_modes, settled, source_ids
from tokenlab.transformers.generation.searching import LONGEST
from tokenlab.transformers.generation.spoken import spoken


@stepwise
def write_with_words(
    model: Any,
    tokenizer: Any,
    text: str,
    words: str,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    num_return_sequences: int = 1,
    max_length: int = LONGEST,
    **settings: Any,
) -> Generator[Demanded | Round | Outcome, None, Answered]:
    """What constrained beam search writes for a text.

    Args:
        model: in eval mode, or dropout is drawn.
        tokenizer: that of the model.
        text: what is read.
        words: what the output has to hold: demands parted by commas, and words of which one will do by "|".
        num_beams: how many beams are followed.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        num_return_sequences: how many hypotheses are answered.
        max_length: of an output, its start among it.
        settings: others of `generate`.

    Raises:
        ValueError: a word that is empty, that the tokenizer cannot write, or that another one begins with; settings
            that do not go together, or that ask for another way of writing.
    """
    demands = demands_of(words, tokenizer)
    ids = source_ids(model, tokenizer, text)
    search = {"num_beams": num_beams, "length_penalty": length_penalty, "max_length": max_length, **settings}
    refuse_other_modes(settled(model, search), ("beam_search",), PLAIN_BEAMS)
    *_, free = model.generate.steps(ids, **search)
    names = Answered((), names_of(tokenizer))
    alone = spoken(tuple(names.name(id) for id in free.ids[0][1:]))
    yield Demanded(tuple(demands), alone, free.totals[0], free.scores[0])
    rounds = Rounds(demands, names.name)
    steps = Running(
        model.generate.steps(
            ids,
            force_words_ids=[forced(demand, tokenizer) for demand in demands],
            num_return_sequences=num_return_sequences,
            **search,
        )
    )
    for done in steps:
        yield from rounds.take(done)
    return answered(tokenizer, steps.result)


def demands_of(words: str, tokenizer: Any) -> list[Demand]:
    """What typed words demand: one thing between two commas, one of several words between two bars.

    Raises:
        ValueError: there is no word, one that the tokenizer has no tokens for, or one that another begins with.

    >>> from tokenlab import data
    >>> from tokenlab.transformers import T5Tokenizer
    >>> print(*demands_of("Hund, Katze | Maus", T5Tokenizer.from_pretrained(data.t5_tiny())), sep=", ")
    'Hund', 'Katze' or 'Maus'
    """
    demands = []
    for part in words.split(","):
        alternatives = [word.strip() for word in part.split("|")]
        if not all(alternatives):
            raise ValueError(
                f"words={words!r} has an empty place; type words, with a comma between two demands, and | between "
                "words of which one will do"
            )
        demands.append(Demand(tuple(alternatives), tuple(_tokens(word, tokenizer) for word in alternatives)))
    for demand in demands:
        _refuse_beginnings(list(zip(demand.tokens, demand.words, strict=True)), twice=True)
    alone = [(demand.tokens[0], demand.words[0]) for demand in demands if len(demand.words) == 1]
    _refuse_beginnings(alone, twice=False)
    return demands


def _tokens(word: str, tokenizer: Any) -> tuple[str, ...]:
    tokens = tuple(tokenizer.tokenize(word))
    if not tokens or tokenizer.unk_token_id in tokenizer.convert_tokens_to_ids(list(tokens)):
        raise ValueError(f"{word!r} has characters that the tokenizer has no tokens for; take another word")
    return tokens


def _refuse_beginnings(words: Sequence[tuple[tuple[str, ...], str]], twice: bool) -> None:
    names = dict(words)
    for short, long in beginnings([list(tokens) for tokens, _ in words]):
        if short != long or twice:
            one, other = names[tuple(short)], names[tuple(long)]
            raise ValueError(
                f"{other!r} ({' '.join(long)}) begins with {one!r} ({' '.join(short)}): who writes the one has written "
                "the other; leave out one of them"
            )


def forced(demand: Demand, tokenizer: Any) -> list[Any]:
    """What `force_words_ids` holds for a demand: the ids of a word, or those of each of several.

    >>> from tokenlab import data
    >>> from tokenlab.transformers import T5Tokenizer
    >>> tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> [forced(demand, tokenizer) for demand in demands_of("Hund, Katze | Maus", tokenizer)]
    [[243], [[252], [316, 700, 648, 651, 481]]]
    """
    each = [tokenizer.convert_tokens_to_ids(list(tokens)) for tokens in demand.tokens]
    return each[0] if len(each) == 1 else each
