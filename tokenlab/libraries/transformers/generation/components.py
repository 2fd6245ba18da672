"""Check a call of `generate` before the first step, and build its processors, warpers, criteria and beam scorer.

Processors and warpers are built in the order in which they are applied.
Leaves out: settings that are invalid for every model (`argument_checks`); the model's arguments (`decoding_state`);
constraints (`beam_constraints`); the processors and criteria themselves (`logits_process`, `stopping_criteria`).

Source: transformers 4.26.1, generation/utils.py (`generate`, `_get_logits_processor`, `_get_logits_warper`,
`_get_stopping_criteria`, `_merge_criteria_processor_list`). Where `generate` returns a result, so does this package,
with a warning. An error is raised where it raises, or where it fails later with an error that does not name the
argument. There exponential_decay_length_penalty fails, and prefix_allowed_tokens_fn gets a wrong batch index if several
outputs are sampled for each text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import compress
from typing import Any

from torch import Tensor

from tokenlab.algorithms.decoding.stopping_rule import LengthCounts, get_length_rule
from tokenlab.libraries.transformers.generation import logits_process as processors
from tokenlab.libraries.transformers.generation.argument_checks import (
    NO_TOKEN,
    check_forced_ids_by_position,
    check_token_ids,
    is_contrastive,
)
from tokenlab.libraries.transformers.generation.beam_loops import num_candidates_per_beam
from tokenlab.libraries.transformers.generation.beam_scorer import BeamSearchScorer, eos_token_id_list
from tokenlab.libraries.transformers.generation.beam_search import ConstrainedBeamSearchScorer
from tokenlab.libraries.transformers.generation.configuration_utils import DEFAULTS, GenerationConfig
from tokenlab.libraries.transformers.generation.stopping_criteria import (
    MaxLengthCriteria,
    MaxTimeCriteria,
    StoppingCriteriaList,
)
from tokenlab.printing.errors import warn

PrefixAllowedTokensFn = Callable[[int, Tensor], Iterable[int]]
LOOKED_UP_OR_FORCED = (
    *("decoder_start_token_id", "forced_bos_token_id", "forced_eos_token_id", "forced_decoder_ids"),
    *("suppress_tokens", "begin_suppress_tokens"),
)


def check_special_token_ids(config: GenerationConfig, vocab_size: int) -> None:
    """Raise a ValueError for an id outside the vocabulary that would be used, or that is one of several eos ids.

    >>> check_special_token_ids(GenerationConfig(eos_token_id=[1, 50]), vocab_size=9)
    Traceback (most recent call last):
    ...
    ValueError: eos_token_id=[1, 50] holds 50, and the model's ids go from 0 to 8; are the ids those of this model's \
tokenizer?
    """
    for name in (*NO_TOKEN, *LOOKED_UP_OR_FORCED):
        given = getattr(config, name)
        outside = [] if given is None else [id for id in token_ids_in_setting(name, given) if id >= vocab_size]
        if outside and name in NO_TOKEN and isinstance(given, int):
            warn(f"{name}={given} is the id of no token; {NO_TOKEN[name]}")
        elif outside:
            raise ValueError(
                f"{name}={given} holds {outside[0]}, and the model's ids go from 0 to {vocab_size - 1}; are the ids "
                "those of this model's tokenizer?"
            )


def token_ids_in_setting(name: str, given: Any) -> list[int]:
    """Return the ids in a setting.

    >>> token_ids_in_setting("pad_token_id", 0), token_ids_in_setting("forced_decoder_ids", [[1, 7], [2, None]])
    ([0], [7])
    """
    if name in NO_TOKEN and isinstance(given, int):
        return [given]
    if name == "forced_decoder_ids":
        return [id for id in check_forced_ids_by_position(name, given).values() if id is not None]
    return check_token_ids(name, given, empty=True)


def check_generate_arguments(
    config: GenerationConfig,
    vocab_size: int,
    *,
    streamer: Any,
    length_counts: Any,
    logits_processor: Any,
    stopping_criteria: Any,
    prefix_allowed_tokens_fn: Any,
) -> None:
    """Raise a ValueError for an id outside the vocabulary, a streamer with beams, or an argument of the wrong type.

    >>> others = dict.fromkeys(("streamer", "stopping_criteria", "prefix_allowed_tokens_fn"))
    >>> check_generate_arguments(GenerationConfig(), 9, length_counts="prompt", logits_processor=[5], **others)
    Traceback (most recent call last):
    ...
    ValueError: logits_processor holds 5, which cannot be called at a step; leave it out
    """
    check_special_token_ids(config, vocab_size)
    if streamer is not None and config.num_beams > 1:
        raise ValueError(
            f"streamer with num_beams={config.num_beams}: with beams no token is certain until the end; "
            "leave out one of them"
        )
    if streamer is not None and not (hasattr(streamer, "put") and hasattr(streamer, "end")):
        raise ValueError(f"streamer={streamer!r} should have the methods put and end, as TextStreamer(tokenizer) has")
    get_length_rule(length_counts)
    for name, given in (("logits_processor", logits_processor), ("stopping_criteria", stopping_criteria)):
        if given is not None and not isinstance(given, Iterable):
            raise ValueError(
                f"{name}={given!r} should be a list of functions that are called at each step; [{name}] makes one"
            )
        # subtle: an iterator can be read only once, so it is left for the loop.
        broken = [] if given is None or isinstance(given, Iterator) else [one for one in given if not callable(one)]
        if broken:
            raise ValueError(f"{name} holds {broken[0]!r}, which cannot be called at a step; leave it out")
    allowed = prefix_allowed_tokens_fn
    if allowed is not None and not callable(allowed):
        raise ValueError(
            f"prefix_allowed_tokens_fn={allowed!r} should be a function of a text's index and its ids so far that "
            "returns the ids that may follow"
        )


def check_input_ids_given(config: GenerationConfig, inputs: Tensor) -> None:
    """Raise a ValueError if a setting needs input ids; `encoder_outputs` and `inputs_embeds` contain none.

    >>> import torch
    >>> check_input_ids_given(GenerationConfig(encoder_repetition_penalty=2.0), torch.full((1, 3), -100))
    Traceback (most recent call last):
    ...
    ValueError: encoder_repetition_penalty=2.0 needs the ids of the texts, which are not given; \
give inputs, together with encoder_outputs or instead of inputs_embeds
    """
    if inputs.dim() == 2 and not (inputs == -100).all():
        return
    needed = (config.encoder_repetition_penalty not in (None, 1.0), (config.encoder_no_repeat_ngram_size or 0) > 0)
    for name in compress(("encoder_repetition_penalty", "encoder_no_repeat_ngram_size"), needed):
        message = (
            f"{name}={getattr(config, name)} needs the ids of the texts, which are not given; give inputs, together "
            "with encoder_outputs or instead of inputs_embeds"
        )
        if name == "encoder_repetition_penalty" or inputs.dim() != 2 or config.encoder_no_repeat_ngram_size == 1:
            raise ValueError(message)
        warn(f"{message}. It is ignored here")


def set_max_length(config: Any, kwargs: dict[str, Any], prompt_length: int) -> None:
    """Set max_length from max_new_tokens, and check the limits; a warning if neither is given, a ValueError if both."""
    given = kwargs.get("max_length") is not None
    if config.max_new_tokens is None:
        if not given and config.max_length == DEFAULTS["max_length"]:
            warn(f"neither max_length nor max_new_tokens is given: outputs are truncated at {config.max_length} ids")
    elif given:
        raise ValueError(
            f"max_length={config.max_length} and max_new_tokens={config.max_new_tokens} set the same limit; "
            "give one of them"
        )
    else:
        config.max_length = config.max_new_tokens + prompt_length
    check_lengths(config, prompt_length)


def check_lengths(config: GenerationConfig, prompt_length: int) -> None:
    """Raise a ValueError if min_length is above max_length, or beams have no room for a new token.

    >>> check_lengths(GenerationConfig(max_length=5, min_length=6), prompt_length=1)
    Traceback (most recent call last):
    ...
    ValueError: min_length=6 is more than max_length=5 allows
    """
    longest = config.max_length
    if longest is None:
        if config.forced_eos_token_id is not None:
            raise ValueError(
                "forced_eos_token_id is written at position max_length, which is None; give max_new_tokens"
            )
        return
    if (config.min_length if config.min_length is not None else -math.inf) > longest:
        raise ValueError(f"min_length={config.min_length} is more than max_length={longest} allows")
    if longest <= prompt_length:
        message = (
            f"max_length={longest} leaves no room: {prompt_length} ids come before the first new one; "
            "give a larger max_length, or max_new_tokens, which does not count them"
        )
        if config.num_beams > 1 and not is_contrastive(config):
            raise ValueError(message)
        warn(f"{message}. One new id is written here, because lengths are compared after each step")
    elif prompt_length + (config.min_new_tokens or 0) > longest:
        warn(
            f"min_new_tokens={config.min_new_tokens} after {prompt_length} ids is more than max_length={longest} "
            "allows; outputs have fewer"
        )


def get_logits_processor(
    self: Any,
    generation_config: GenerationConfig,
    input_ids_seq_length: int,
    encoder_input_ids: Tensor,
    prefix_allowed_tokens_fn: PrefixAllowedTokensFn | None,
    logits_processor: Iterable[Any],
) -> processors.LogitsProcessorList:
    """Build the processors, which change the logits before a token is selected.

    Args:
        self: the model.
        generation_config: the settings of the call.
        input_ids_seq_length: the length of the decoder's prompt.
        encoder_input_ids: the source ids: (texts, length).
        prefix_allowed_tokens_fn: a function of a text's index and its ids so far that returns the ids that may follow.
        logits_processor: the caller's processors, which come last.

    Raises:
        ValueError: a processor of the caller has the same type as one from the settings, or a setting is invalid.

    >>> from torch import tensor
    >>> from tokenlab.libraries.transformers.generation import GenerationMixin
    >>> config = GenerationConfig(min_length=5, repetition_penalty=2.0, eos_token_id=1)
    >>> GenerationMixin()._get_logits_processor(config, 1, tensor([[3, 1]]), None, [])
    [RepetitionPenaltyLogitsProcessor(penalty=2.0), MinLengthLogitsProcessor(min_length=5, eos_token_id=[1])]
    """
    c, eos, prompt_length = generation_config, generation_config.eos_token_id, input_ids_seq_length
    found: list[Any] = []
    if (c.diversity_penalty or 0) > 0:
        found += [processors.HammingDiversityLogitsProcessor(c.diversity_penalty, c.num_beams, c.num_beam_groups)]
    if c.encoder_repetition_penalty not in (None, 1.0):
        found += [processors.EncoderRepetitionPenaltyLogitsProcessor(c.encoder_repetition_penalty, encoder_input_ids)]
    if c.repetition_penalty not in (None, 1.0):
        found += [processors.RepetitionPenaltyLogitsProcessor(c.repetition_penalty)]
    if (c.no_repeat_ngram_size or 0) > 0:
        found += [processors.NoRepeatNGramLogitsProcessor(c.no_repeat_ngram_size)]
    if (c.encoder_no_repeat_ngram_size or 0) > 0:
        found += [processors.EncoderNoRepeatNGramLogitsProcessor(c.encoder_no_repeat_ngram_size, encoder_input_ids)]
    if c.bad_words_ids is not None:
        found += [processors.NoBadWordsLogitsProcessor(c.bad_words_ids, eos)]
    if (c.min_length or 0) > 0 and eos is not None:
        found += [processors.MinLengthLogitsProcessor(c.min_length, eos)]
    if (c.min_new_tokens or 0) > 0 and eos is not None:
        found += [processors.MinNewTokensLengthLogitsProcessor(prompt_length, c.min_new_tokens, eos)]
    if prefix_allowed_tokens_fn is not None:
        # subtle: it gets the rows of one group; and each of a text's samples has separate beams.
        rows = c.num_beams // c.num_beam_groups * (c.num_return_sequences if c.do_sample else 1)
        found += [processors.PrefixConstrainedLogitsProcessor(prefix_allowed_tokens_fn, rows)]
    if c.forced_bos_token_id is not None:
        found += [processors.ForcedBOSTokenLogitsProcessor(c.forced_bos_token_id)]
    if c.forced_eos_token_id is not None:
        found += [processors.ForcedEOSTokenLogitsProcessor(c.max_length, c.forced_eos_token_id)]
    if c.remove_invalid_values:
        found += [processors.InfNanRemoveLogitsProcessor()]
    if c.exponential_decay_length_penalty is not None:
        found += [processors.ExponentialDecayLengthPenalty(c.exponential_decay_length_penalty, eos, prompt_length)]
    if c.suppress_tokens is not None:
        found += [processors.SuppressTokensLogitsProcessor(c.suppress_tokens)]
    if c.begin_suppress_tokens is not None:
        first = first_unforced_position(c, prompt_length)
        found += [processors.SuppressTokensAtBeginLogitsProcessor(c.begin_suppress_tokens, first)]
    if c.forced_decoder_ids is not None:
        found += [processors.ForceTokensLogitsProcessor(c.forced_decoder_ids)]
    found = list(self._merge_criteria_processor_list(processors.LogitsProcessorList(found), logits_processor))
    if c.renormalize_logits:
        found += [processors.LogitNormalization()]
    return processors.LogitsProcessorList(found)


def first_unforced_position(config: GenerationConfig, prompt_length: int) -> int:
    """Return the first position whose token is not forced.

    >>> [first_unforced_position(GenerationConfig(forced_bos_token_id=id), 1) for id in (None, 3)]
    [1, 2]
    >>> first_unforced_position(GenerationConfig(forced_decoder_ids={1: 5, 2: 6}), 1)
    3
    """
    bos_is_forced = prompt_length == 1 and config.forced_bos_token_id is not None
    forced = config.forced_decoder_ids or ()
    positions = [position for position, _ in (forced.items() if isinstance(forced, dict) else forced)]
    return prompt_length + bos_is_forced + int(positions[-1] if positions else 0)


def get_logits_warper(self: Any, generation_config: GenerationConfig) -> processors.LogitsProcessorList:
    """Build the warpers, which change the logits before sampling; end tokens that the settings lack are the model's.

    >>> from tokenlab.libraries.transformers import T5Config, T5ForConditionalGeneration
    >>> untrained = T5ForConditionalGeneration(T5Config(10, 4, 2, 4, 1))
    >>> untrained._get_logits_warper(GenerationConfig(temperature=0.5))
    [TemperatureLogitsWarper(temperature=0.5), TopKLogitsWarper(top_k=50, filter_value=-inf)]
    """
    c = generation_config
    ends = eos_token_id_list(self.generation_config.eos_token_id if c.eos_token_id is None else c.eos_token_id)
    at_least = num_candidates_per_beam(ends) if c.num_beams > 1 else 1
    found: list[Any] = []
    if c.temperature not in (None, 1.0):
        found += [processors.TemperatureLogitsWarper(c.temperature)]
    if c.top_k:
        found += [processors.TopKLogitsWarper(c.top_k, min_tokens_to_keep=at_least)]
    if c.top_p is not None and c.top_p < 1:
        found += [processors.TopPLogitsWarper(c.top_p, min_tokens_to_keep=at_least)]
    if c.typical_p is not None and c.typical_p < 1:
        found += [processors.TypicalLogitsWarper(c.typical_p, min_tokens_to_keep=at_least)]
    if 0 < (c.epsilon_cutoff or 0) < 1:
        found += [processors.EpsilonLogitsWarper(c.epsilon_cutoff, min_tokens_to_keep=at_least)]
    if 0 < (c.eta_cutoff or 0) < 1:
        found += [processors.EtaLogitsWarper(c.eta_cutoff, min_tokens_to_keep=at_least)]
    if c.renormalize_logits:
        found += [processors.LogitNormalization()]
    return processors.LogitsProcessorList(found)


def get_stopping_criteria(
    self: Any, generation_config: GenerationConfig, stopping_criteria: Iterable[Any]
) -> StoppingCriteriaList:
    """Build the stopping criteria, which end generation before all outputs have ended; the caller's come last.

    Raises:
        ValueError: there is no criterion, or one of the caller has the same type as one from the settings.

    >>> from tokenlab.libraries.transformers.generation import GenerationMixin
    >>> criteria = GenerationMixin()._get_stopping_criteria(GenerationConfig(max_length=5, max_time=2.0), [])
    >>> [type(each).__name__ for each in criteria]
    ['MaxLengthCriteria', 'MaxTimeCriteria']
    """
    config = generation_config
    found: list[Any] = []
    if config.max_length is not None:
        found += [MaxLengthCriteria(config.max_length)]
    if config.max_time is not None:
        found += [MaxTimeCriteria(config.max_time)]
    criteria = StoppingCriteriaList(self._merge_criteria_processor_list(StoppingCriteriaList(found), stopping_criteria))
    if not criteria:
        raise ValueError(
            "max_length=None: generation might never stop; give max_length, max_new_tokens, "
            "max_time or a stopping criterion of your own"
        )
    return criteria


def get_beam_scorer(
    config: GenerationConfig,
    texts: int,
    input_ids: Tensor,
    criteria: StoppingCriteriaList,
    length_counts: LengthCounts,
    constraints: list[Any],
) -> BeamSearchScorer:
    """Build the beam scorer, which tracks hypotheses, with constraints if there are any."""
    if criteria.max_length is None:
        raise ValueError("max_length=None with beams: hypotheses need a maximum length; give max_length")
    each = config.num_return_sequences if config.do_sample else 1  # each sample has separate beams
    scorer = partial(ConstrainedBeamSearchScorer, constraints=constraints) if constraints else BeamSearchScorer
    return scorer(
        batch_size=texts * each,
        num_beams=config.num_beams,
        device=input_ids.device,
        length_penalty=config.length_penalty,
        do_early_stopping=config.early_stopping,
        num_beam_hyps_to_keep=config.num_return_sequences // each,
        num_beam_groups=config.num_beam_groups,
        max_length=criteria.max_length,
        length_counts=length_counts,
        prompt_length=input_ids.shape[-1],
    )


def merge_criteria_processor_list(self: Any, default_list: list[Any], custom_list: Iterable[Any]) -> list[Any]:
    """Return the elements from the settings, then the caller's.

    Raises:
        ValueError: both lists have an element of the same type.

    >>> merge_criteria_processor_list(None, [processors.LogitNormalization()], [processors.LogitNormalization()])
    Traceback (most recent call last):
    ...
    ValueError: a LogitNormalization is given, and a setting asks for one as well; leave out one of them: the \
argument of generate, the model's generation_config, or your own
    """
    custom_list = list(custom_list)
    for each in custom_list:
        if type(each) in map(type, default_list):
            raise ValueError(
                f"a {type(each).__name__} is given, and a setting asks for one as well; leave out one of them: the "
                "argument of generate, the model's generation_config, or your own"
            )
    return [*default_list, *custom_list]
