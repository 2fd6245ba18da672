"""Which processors, warpers, criteria and scorer a configuration asks for, in the order in which they are applied.

Leaves out: what each of them does (`logits_process`, `stopping_criteria`).

Source: transformers 4.26.1, generation/utils.py (`_get_logits_processor`, `_get_logits_warper`,
`_get_stopping_criteria`, `_merge_criteria_processor_list`). What differs there: exponential_decay_length_penalty dies;
and prefix_allowed_tokens_fn is told a wrong text's number where several outputs are drawn for each text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor

from tokenlab.transformers.generation import logits_process as changes
from tokenlab.transformers.generation.beam_hypotheses import LengthCounts
from tokenlab.transformers.generation.beam_scorer import BeamSearchScorer, Eos, eos_ids, tokens_for_each_beam
from tokenlab.transformers.generation.configuration_utils import GenerationConfig
from tokenlab.transformers.generation.constrained_beam_scorer import ConstrainedBeamSearchScorer
from tokenlab.transformers.generation.stopping_criteria import MaxLengthCriteria, MaxTimeCriteria, StoppingCriteriaList

Allowed = Callable[[int, Tensor], Iterable[int]]


def processors_for(
    config: GenerationConfig,
    prompt_length: int,
    encoder_input_ids: Tensor,
    prefix_allowed_tokens_fn: Allowed | None = None,
    given: Iterable[Any] = (),
) -> changes.LogitsProcessorList:
    """What changes the scores before a token is chosen.

    Args:
        config: the settings of the call.
        prompt_length: how many ids stand there before the first is written.
        encoder_input_ids: what the encoder reads: (texts, length).
        prefix_allowed_tokens_fn: which ids may follow, of a text's number and of what was written.
        given: the caller's own, which come last.

    Raises:
        ValueError: one of the caller's own is of a kind that a setting asks for, too, or a setting is impossible.

    >>> from torch import tensor
    >>> processors_for(GenerationConfig(min_length=5, repetition_penalty=2.0, eos_token_id=1), 1, tensor([[3, 1]]))
    [RepetitionPenaltyLogitsProcessor(penalty=2.0), MinLengthLogitsProcessor(min_length=5, eos_token_id=[1])]
    """
    c, eos = config, config.eos_token_id
    found: list[Any] = []
    if c.diversity_penalty:
        found += [changes.HammingDiversityLogitsProcessor(c.diversity_penalty, c.num_beams, c.num_beam_groups)]
    if c.encoder_repetition_penalty not in (None, 1.0):
        found += [changes.EncoderRepetitionPenaltyLogitsProcessor(c.encoder_repetition_penalty, encoder_input_ids)]
    if c.repetition_penalty not in (None, 1.0):
        found += [changes.RepetitionPenaltyLogitsProcessor(c.repetition_penalty)]
    if c.no_repeat_ngram_size:
        found += [changes.NoRepeatNGramLogitsProcessor(c.no_repeat_ngram_size)]
    if c.encoder_no_repeat_ngram_size:
        found += [changes.EncoderNoRepeatNGramLogitsProcessor(c.encoder_no_repeat_ngram_size, encoder_input_ids)]
    if c.bad_words_ids is not None:
        found += [changes.NoBadWordsLogitsProcessor(c.bad_words_ids, eos)]
    if c.min_length and eos is not None:
        found += [changes.MinLengthLogitsProcessor(c.min_length, eos)]
    if c.min_new_tokens and eos is not None:
        found += [changes.MinNewTokensLengthLogitsProcessor(prompt_length, c.min_new_tokens, eos)]
    if prefix_allowed_tokens_fn is not None:
        # subtle: a group's rows alone come to it; and of draws a text has several, each with beams of its own.
        rows = c.num_beams // c.num_beam_groups * (c.num_return_sequences if c.do_sample else 1)
        found += [changes.PrefixConstrainedLogitsProcessor(prefix_allowed_tokens_fn, rows)]
    if c.forced_bos_token_id is not None:
        found += [changes.ForcedBOSTokenLogitsProcessor(c.forced_bos_token_id)]
    if c.forced_eos_token_id is not None:
        found += [changes.ForcedEOSTokenLogitsProcessor(c.max_length, c.forced_eos_token_id)]
    if c.remove_invalid_values:
        found += [changes.InfNanRemoveLogitsProcessor()]
    if c.exponential_decay_length_penalty is not None:
        found += [changes.ExponentialDecayLengthPenalty(c.exponential_decay_length_penalty, eos, prompt_length)]
    if c.suppress_tokens is not None:
        found += [changes.SuppressTokensLogitsProcessor(c.suppress_tokens)]
    if c.begin_suppress_tokens is not None:
        found += [changes.SuppressTokensAtBeginLogitsProcessor(c.begin_suppress_tokens, first_free(c, prompt_length))]
    if c.forced_decoder_ids is not None:
        found += [changes.ForceTokensLogitsProcessor(c.forced_decoder_ids)]
    found = merged(found, given)
    if c.renormalize_logits:
        found += [changes.LogitNormalization()]
    return changes.LogitsProcessorList(found)


def first_free(config: GenerationConfig, prompt_length: int) -> int:
    """The first position whose token is not forced.

    >>> first_free(GenerationConfig(), 1), first_free(GenerationConfig(forced_bos_token_id=3), 1)
    (1, 2)
    >>> first_free(GenerationConfig(forced_decoder_ids={1: 5, 2: 6}), 1)
    3
    """
    bos_is_forced = prompt_length == 1 and config.forced_bos_token_id is not None
    forced = config.forced_decoder_ids or ()
    places = [place for place, _ in (forced.items() if isinstance(forced, dict) else forced)]
    return prompt_length + bos_is_forced + int(places[-1] if places else 0)


def warpers_for(config: GenerationConfig, eos_token_id: Eos = None) -> changes.LogitsProcessorList:
    """What changes the scores before a draw.

    Args:
        config: the settings of the call.
        eos_token_id: what ends an output where these do not say it.

    >>> warpers_for(GenerationConfig(temperature=0.5))
    [TemperatureLogitsWarper(temperature=0.5), TopKLogitsWarper(top_k=50, filter_value=-inf)]
    """
    c = config
    ends = eos_ids(eos_token_id if c.eos_token_id is None else c.eos_token_id)
    at_least = tokens_for_each_beam(ends) if c.num_beams > 1 else 1
    found: list[Any] = []
    if c.temperature not in (None, 1.0):
        found += [changes.TemperatureLogitsWarper(c.temperature)]
    if c.top_k:
        found += [changes.TopKLogitsWarper(c.top_k, min_tokens_to_keep=at_least)]
    if c.top_p is not None and c.top_p < 1:
        found += [changes.TopPLogitsWarper(c.top_p, min_tokens_to_keep=at_least)]
    if c.typical_p is not None and c.typical_p < 1:
        found += [changes.TypicalLogitsWarper(c.typical_p, min_tokens_to_keep=at_least)]
    if c.epsilon_cutoff:
        found += [changes.EpsilonLogitsWarper(c.epsilon_cutoff, min_tokens_to_keep=at_least)]
    if c.eta_cutoff:
        found += [changes.EtaLogitsWarper(c.eta_cutoff, min_tokens_to_keep=at_least)]
    if c.renormalize_logits:
        found += [changes.LogitNormalization()]
    return changes.LogitsProcessorList(found)


def criteria_for(config: GenerationConfig, given: Iterable[Any] = ()) -> StoppingCriteriaList:
    """When to stop, whether an output has ended or not.

    Args:
        config: the settings of the call.
        given: the caller's own, which come last.

    Raises:
        ValueError: nothing says when, or one of the caller's own is of a kind that a setting asks for, too.

    >>> [type(each).__name__ for each in criteria_for(GenerationConfig(max_length=5, max_time=2.0))]
    ['MaxLengthCriteria', 'MaxTimeCriteria']
    """
    found: list[Any] = []
    if config.max_length is not None:
        found += [MaxLengthCriteria(config.max_length)]
    if config.max_time is not None:
        found += [MaxTimeCriteria(config.max_time)]
    criteria = StoppingCriteriaList(merged(found, given))
    if not criteria:
        raise ValueError(
            "max_length=None: a text that never ends would be written for ever; give max_length, max_new_tokens, "
            "max_time or a stopping criterion of your own"
        )
    return criteria


def scorer_for(
    config: GenerationConfig,
    texts: int,
    input_ids: Tensor,
    criteria: StoppingCriteriaList,
    length_counts: LengthCounts,
    demands: list[Any],
) -> BeamSearchScorer:
    """What keeps the books of beams.

    Args:
        config: the settings of the call.
        texts: how many are read.
        input_ids: what stands there before the first token is written: (texts, length).
        criteria: those of the call, of which one has to be a length.
        length_counts: see `BeamHypotheses`.
        demands: constraints; without any it is no constrained search.

    Raises:
        ValueError: nothing says how long outputs may get.
    """
    if criteria.max_length is None:
        raise ValueError("max_length=None with beams: hypotheses have to be cut off somewhere; give max_length")
    each = config.num_return_sequences if config.do_sample else 1  # draws have beams of their own
    books: dict[str, Any] = {
        "batch_size": texts * each,
        "num_beams": config.num_beams,
        "device": input_ids.device,
        "length_penalty": config.length_penalty,
        "do_early_stopping": config.early_stopping,
        "num_beam_hyps_to_keep": config.num_return_sequences // each,
        "num_beam_groups": config.num_beam_groups,
        "max_length": criteria.max_length,
        "length_counts": length_counts,
        "prompt_length": input_ids.shape[-1],
    }
    return ConstrainedBeamSearchScorer(constraints=demands, **books) if demands else BeamSearchScorer(**books)


def merged(own: list[Any], given: Iterable[Any]) -> list[Any]:
    """Those that settings ask for, then the caller's.

    Raises:
        ValueError: there is one of the same kind among both.

    >>> merged([changes.LogitNormalization()], [changes.LogitNormalization()])
    Traceback (most recent call last):
    ...
    ValueError: a LogitNormalization is given, and a setting asks for one, too; leave out one of them: the argument \
of generate, the model's generation_config, or your own
    """
    given = list(given)
    for each in given:
        if type(each) in map(type, own):
            raise ValueError(
                f"a {type(each).__name__} is given, and a setting asks for one, too; leave out one of them: the "
                "argument of generate, the model's generation_config, or your own"
            )
    return own + given
