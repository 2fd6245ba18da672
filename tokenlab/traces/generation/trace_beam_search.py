"""Trace beam search, in groups, or with constraints, for a text: the steps of the scorer, with the names of tokens.

Adds: a text and words instead of ids, and defaults for a demonstration; for groups, steps that show the diversity
penalty of each candidate; for constraints, the output without them, for comparison.
Leaves out: the search itself (`generate`).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from tokenlab.algorithms.decoding.stopping_rule import EarlyStopping, LengthCounts
from tokenlab.libraries.transformers.generation.argument_checks import check_integer
from tokenlab.libraries.transformers.generation.beam_scorer import eos_token_id_list
from tokenlab.libraries.transformers.generation.beam_steps import BeamStep, FinalHypotheses
from tokenlab.libraries.transformers.generation.phrase_constraints import prefix_pairs
from tokenlab.steps.recording import GeneratorRun, call_steps, stepwise
from tokenlab.traces.generation.constrained_beam_trace_steps import (
    ConstrainedSearchStep,
    ConstrainedStepBuilder,
    ConstraintsParsed,
    RankedConstrainedHypotheses,
    WordConstraint,
)
from tokenlab.traces.generation.group_beam_trace_steps import (
    GroupStep,
    GroupStepBuilder,
    RankedHypotheses,
    SearchComparison,
    SearchSummary,
)
from tokenlab.traces.generation.token_names import NamedOutputs, named_outputs, named_steps, token_names, tokens_to_text
from tokenlab.traces.generation.trace_inputs import (
    PLAIN_BEAM_SEARCH_MODES,
    check_generation_mode,
    encode_source,
    resolve_config,
)

LONGEST = 40  # maximum ids of an output, including its start


@stepwise
def trace_beam_search(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    early_stopping: EarlyStopping = False,
    num_return_sequences: int = 1,
    repetition_penalty: float = 1.0,
    length_counts: LengthCounts = "prompt",
    max_length: int = LONGEST,
    **settings: Any,
) -> Generator[BeamStep | FinalHypotheses, None, NamedOutputs]:
    """Run beam search for a text, and return its outputs.

    Args:
        text: the source text.
        num_beams: number of beams.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        early_stopping: True, False or "never"; see `BeamHypotheses`.
        num_return_sequences: number of hypotheses that are returned.
        repetition_penalty: above 1, tokens that were already generated become less probable.
        length_counts: "prompt" as in 4.26.1, "eos" as in transformers today.
        max_length: maximum number of ids of an output, including its start.
        settings: other arguments of `generate`.

    Raises:
        ValueError: settings that contradict each other, or select another generation mode.
    """
    settings |= {
        "num_beams": num_beams,
        "length_penalty": length_penalty,
        "early_stopping": early_stopping,
        "num_return_sequences": num_return_sequences,
        "repetition_penalty": repetition_penalty,
        "length_counts": length_counts,
        "max_length": max_length,
    }
    check_generation_mode(resolve_config(model, settings), ("beam_search",), PLAIN_BEAM_SEARCH_MODES)
    steps = call_steps(model.generate, encode_source(model, tokenizer, text), **settings)
    sequences = yield from named_steps(steps, tokenizer)
    return named_outputs(tokenizer, sequences)


@stepwise
def trace_group_beam_search(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
    max_length: int = LONGEST,
) -> Generator[GroupStep | RankedHypotheses, None, NamedOutputs]:
    """Run group beam search for a text, and return all hypotheses, best first.

    Args:
        text: the source text.
        num_beams: number of beams of all groups together.
        num_beam_groups: number of groups; 1 is beam search, with diversity_penalty=0.0.
        diversity_penalty: subtracted from the score of a token for each beam of an earlier group that has chosen it at
            this step.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        max_length: maximum number of ids of an output, including its start.

    Raises:
        ValueError: settings that contradict each other.
    """
    if check_integer("num_beams", num_beams, at_least=1) < 2:
        raise ValueError(f"num_beams={num_beams} is a single beam, which cannot be divided into groups; use 2 or more")
    names = NamedOutputs((), token_names(tokenizer))
    builder = GroupStepBuilder(
        names.name, {names.name(id) for id in eos_token_id_list(model.generation_config.eos_token_id)}
    )
    steps = GeneratorRun(
        call_steps(
            model.generate,
            encode_source(model, tokenizer, text),
            num_beams=num_beams,
            num_beam_groups=num_beam_groups,
            num_return_sequences=num_beams,
            diversity_penalty=diversity_penalty,
            length_penalty=length_penalty,
            max_length=max_length,
        )
    )
    for done in steps:
        yield from builder.add_step(done)
    return named_outputs(tokenizer, steps.result)


PLAIN, WITHOUT_PENALTY, WITH_PENALTY = (
    "beam search without groups",
    "groups without a penalty",
    "groups with the penalty",
)


@stepwise
def compare_group_beam_search(
    model: Any,
    tokenizer: Any,
    text: str,
    num_beams: int = 4,
    num_beam_groups: int = 4,
    diversity_penalty: float = 1.0,
    length_penalty: float = 1.0,
    max_length: int = LONGEST,
) -> Generator[GroupStep | RankedHypotheses | SearchComparison, None, NamedOutputs]:
    """Run `trace_group_beam_search`, and compare the diversity of its outputs with two searches without the penalty.

    The arguments are those of `trace_group_beam_search`; only the second and third search have groups, and only the
    third has the penalty.
    """

    def searching(groups: int, penalty: float) -> Generator[GroupStep | RankedHypotheses, None, NamedOutputs]:
        return trace_group_beam_search.steps(
            model, tokenizer, text, num_beams, groups, penalty, length_penalty, max_length=max_length
        )

    plain = SearchSummary.of(PLAIN, _last(searching(1, 0.0)))
    apart = SearchSummary.of(WITHOUT_PENALTY, _last(searching(num_beam_groups, 0.0)))
    steps = GeneratorRun(searching(num_beam_groups, diversity_penalty))
    for done in steps:
        yield done
        if isinstance(done, RankedHypotheses):
            yield SearchComparison((plain, apart, SearchSummary.of(WITH_PENALTY, done)))
    return steps.result


def _last(steps: Any) -> RankedHypotheses:
    """Return the final hypotheses of a search."""
    *_, ranked = steps
    assert isinstance(ranked, RankedHypotheses)
    return ranked


@stepwise
def trace_constrained_beam_search(
    model: Any,
    tokenizer: Any,
    text: str,
    words: str,
    num_beams: int = 4,
    length_penalty: float = 1.0,
    num_return_sequences: int = 1,
    max_length: int = LONGEST,
    **settings: Any,
) -> Generator[ConstraintsParsed | ConstrainedSearchStep | RankedConstrainedHypotheses, None, NamedOutputs]:
    """Run constrained beam search for a text, and return its outputs.

    Args:
        text: the source text.
        words: the constraints on the output, separated by commas; alternatives are separated by "|".
        num_beams: number of beams.
        length_penalty: the exponent of the length that divides a hypothesis' sum of log-probabilities.
        num_return_sequences: number of hypotheses that are returned.
        max_length: maximum number of ids of an output, including its start.
        settings: other arguments of `generate`.

    Raises:
        ValueError: a word that is empty, that has unknown tokens, or that is a prefix of another one; settings that
            contradict each other, or select another generation mode.
    """
    constraints = parse_word_constraints(words, tokenizer)
    ids = encode_source(model, tokenizer, text)
    search = {"num_beams": num_beams, "length_penalty": length_penalty, "max_length": max_length, **settings}
    check_generation_mode(resolve_config(model, search), ("beam_search",), PLAIN_BEAM_SEARCH_MODES)
    *_, free = call_steps(model.generate, ids, **search)
    names = NamedOutputs((), token_names(tokenizer))
    unconstrained = tokens_to_text(tuple(names.name(id) for id in free.ids[0][1:]))
    yield ConstraintsParsed(tuple(constraints), unconstrained, free.totals[0], free.scores[0])
    builder = ConstrainedStepBuilder(constraints, names.name)
    steps = GeneratorRun(
        call_steps(
            model.generate,
            ids,
            force_words_ids=[force_words_ids(constraint, tokenizer) for constraint in constraints],
            num_return_sequences=num_return_sequences,
            **search,
        )
    )
    for done in steps:
        yield from builder.add_step(done)
    return named_outputs(tokenizer, steps.result)


def parse_word_constraints(words: str, tokenizer: Any) -> list[WordConstraint]:
    """Parse typed words: commas separate constraints, and "|" separates the alternatives of one constraint.

    Raises:
        ValueError: an empty word, one with unknown tokens, or one that is a prefix of another.

    >>> from tokenlab import data
    >>> from tokenlab.libraries.transformers import T5Tokenizer
    >>> print(*parse_word_constraints("Hund, Katze | Maus", T5Tokenizer.from_pretrained(data.t5_tiny())), sep=", ")
    'Hund', 'Katze' or 'Maus'
    """
    constraints = []
    for part in words.split(","):
        alternatives = [word.strip() for word in part.split("|")]
        if not all(alternatives):
            raise ValueError(
                f"words={words!r} has an empty word; separate constraints by commas, and alternatives by |"
            )
        constraints.append(
            WordConstraint(tuple(alternatives), tuple(_tokens(word, tokenizer) for word in alternatives))
        )
    for constraint in constraints:
        _check_no_prefixes(list(zip(constraint.tokens, constraint.words, strict=True)), twice=True)
    single = [(constraint.tokens[0], constraint.words[0]) for constraint in constraints if len(constraint.words) == 1]
    _check_no_prefixes(single, twice=False)
    return constraints


def _tokens(word: str, tokenizer: Any) -> tuple[str, ...]:
    tokens = tuple(tokenizer.tokenize(word))
    if not tokens or tokenizer.unk_token_id in tokenizer.convert_tokens_to_ids(list(tokens)):
        raise ValueError(f"{word!r} has characters that the tokenizer has no tokens for; use another word")
    return tokens


def _check_no_prefixes(words: Sequence[tuple[tuple[str, ...], str]], twice: bool) -> None:
    names = dict(words)
    for short, long in prefix_pairs([list(tokens) for tokens, _ in words]):
        if short != long or twice:
            one, other = names[tuple(short)], names[tuple(long)]
            raise ValueError(
                f"{other!r} ({' '.join(long)}) starts with {one!r} ({' '.join(short)}), so an output with the "
                "longer one contains both; leave out one of them"
            )


def force_words_ids(constraint: WordConstraint, tokenizer: Any) -> list[Any]:
    """Return the element of `force_words_ids` for a constraint: the ids of a word, or of each of its alternatives.

    >>> from tokenlab import data
    >>> from tokenlab.libraries.transformers import T5Tokenizer
    >>> tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
    >>> constraints = parse_word_constraints("Hund, Katze | Maus", tokenizer)
    >>> [force_words_ids(constraint, tokenizer) for constraint in constraints]
    [[243], [[252], [316, 700, 648, 651, 481]]]
    """
    each = [tokenizer.convert_tokens_to_ids(list(tokens)) for tokens in constraint.tokens]
    return each[0] if len(each) == 1 else each
