"""Processors that force or forbid tokens, or control the length; and the names of all processors and warpers of 4.26.1.

Those against repetition are in `repetition_penalties`, base classes and warpers in `logits_warpers`.

The results are equal to 4.26.1's. What differs, and why:

- A processor never changes its arguments: it returns new scores, or the given ones if there is nothing to do. There
  many change the given scores in place, so that before and after cannot be compared.
- ExponentialDecayLengthPenalty also raises negative scores: score + |score| * (factor^n - 1), as later releases do.
  There they are multiplied, so that an end token with a negative score, such as a log-probability, gets less probable.
- MinNewTokensLengthLogitsProcessor takes several end tokens; there one.
- EncoderRepetitionPenaltyLogitsProcessor rewards in each row the tokens of the row's source. There, with more rows
  than sources (beams), the first rows get the tokens of the first sources, and the others get none.
- TopPLogitsWarper always keeps the most probable token; there a very small top_p removes all tokens if rounding makes
  the sum too small. TypicalLogitsWarper keeps all tokens if rounding leaves every sum below the mass; there it fails.
- LogitsProcessorList passes to each processor the arguments that it has, by name or by **kwargs; there each gets all
  arguments, so that a user's processor cannot have only one of two arguments, or a default.
- EtaLogitsWarper does not change a row in which every token is forbidden; there it fails.
- NoBadWordsLogitsProcessor skips ids outside the vocabulary with a warning; there it skips some, fails for others, and
  for the id vocab_size forbids token 0 in the next row. In other processors such ids raise an IndexError.
- Rejected although 4.26.1 accepts them: top_p=0, infinite temperatures and penalties, and min_tokens_to_keep below 1;
  an empty list of end tokens, and negative ids (there they count from the end of the vocabulary); beams that do not
  make equal groups; a decay that is not a pair or whose factor is not above 0.
- Left out: WhisperTimeStampLogitsProcessor, which is for one speech model.

>>> LogitsProcessorList([MinLengthLogitsProcessor(5, eos_token_id=1), TopKLogitsWarper(3)])
[MinLengthLogitsProcessor(min_length=5, eos_token_id=[1]), TopKLogitsWarper(top_k=3, filter_value=-inf)]
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from tokenlab.libraries.transformers.generation.argument_checks import (
    check_exponential_decay,
    check_forced_ids_by_position,
    check_integer,
    check_token_columns,
    check_token_ids,
    check_word_ids,
)
from tokenlab.libraries.transformers.generation.logits_warpers import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    LogitNormalization,
    LogitsProcessor,
    LogitsProcessorList,
    LogitsWarper,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)
from tokenlab.libraries.transformers.generation.repetition_penalties import (
    EncoderNoRepeatNGramLogitsProcessor,
    EncoderRepetitionPenaltyLogitsProcessor,
    HammingDiversityLogitsProcessor,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
)
from tokenlab.printing.errors import warn

__all__ = [
    "EncoderNoRepeatNGramLogitsProcessor", "EncoderRepetitionPenaltyLogitsProcessor", "EpsilonLogitsWarper",
    "EtaLogitsWarper", "ExponentialDecayLengthPenalty", "ForceTokensLogitsProcessor", "ForcedBOSTokenLogitsProcessor",
    "ForcedEOSTokenLogitsProcessor", "HammingDiversityLogitsProcessor", "InfNanRemoveLogitsProcessor",
    "LogitNormalization", "LogitsProcessor", "LogitsProcessorList", "LogitsWarper", "MinLengthLogitsProcessor",
    "MinNewTokensLengthLogitsProcessor", "NoBadWordsLogitsProcessor", "NoRepeatNGramLogitsProcessor",
    "PrefixConstrainedLogitsProcessor", "RepetitionPenaltyLogitsProcessor", "SuppressTokensAtBeginLogitsProcessor",
    "SuppressTokensLogitsProcessor", "TemperatureLogitsWarper", "TopKLogitsWarper", "TopPLogitsWarper",
    "TypicalLogitsWarper",
]  # fmt: skip
FORCED = "force_token_map (forced_decoder_ids)"


def force_tokens(argument: str, ids: list[int], scores: Tensor) -> Tensor:
    """Return 0 for these ids and -infinity for all others: (rows, vocab_size)."""
    return torch.full_like(scores, -math.inf).index_fill(1, check_token_columns(argument, ids, scores), 0.0)


def forbid_tokens(argument: str, ids: list[int], scores: Tensor) -> Tensor:
    """Return -infinity for these ids, and the scores of all others: (rows, vocab_size)."""
    return scores.index_fill(1, check_token_columns(argument, ids, scores), -math.inf)


class ForcedBOSTokenLogitsProcessor(LogitsProcessor):
    """Force the first token after the decoder start token, as multilingual translation models need it.

    Raises:
        ValueError: `bos_token_id` is not an id.

    >>> ForcedBOSTokenLogitsProcessor(2)(torch.tensor([[0]]), torch.ones(1, 3))
    tensor([[-inf, -inf, 0.]])
    """

    def __init__(self, bos_token_id: int) -> None:
        self.bos_token_id = check_integer("bos_token_id", bos_token_id, at_least=0)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return 0 for this token and -infinity for all others after one token: (rows, vocab_size)."""
        if input_ids.shape[-1] != 1:
            return scores
        return force_tokens("bos_token_id", [self.bos_token_id], scores)


class ForcedEOSTokenLogitsProcessor(LogitsProcessor):
    """Force an end token at the last position.

    Args:
        max_length: the maximum length including the prompt.
        eos_token_id: the end token, or several, one of which is forced.

    Raises:
        ValueError: the length is not an integer of at least 1, or an id is invalid.

    >>> ForcedEOSTokenLogitsProcessor(3, 1)(torch.tensor([[0, 2]]), torch.ones(1, 3))
    tensor([[-inf, 0., -inf]])
    """

    def __init__(self, max_length: int, eos_token_id: int | list[int]) -> None:
        self.max_length = check_integer("max_length", max_length, at_least=1)
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return 0 for end tokens and -infinity for all others at the last position: (rows, vocab_size)."""
        if input_ids.shape[-1] != self.max_length - 1:
            return scores
        return force_tokens("eos_token_id", self.eos_token_id, scores)


class ForceTokensLogitsProcessor(LogitsProcessor):
    """Force given tokens at given positions.

    Args:
        force_token_map: pairs of a position, from 0, and an id; None as id forces nothing, and the last pair for a
            position counts.

    Raises:
        ValueError: the argument does not consist of such pairs.

    >>> ForceTokensLogitsProcessor([[1, 2]])(torch.tensor([[0]]), torch.ones(1, 3))
    tensor([[-inf, -inf, 0.]])
    """

    def __init__(self, force_token_map: Iterable[Sequence[int | None]]) -> None:
        self.force_token_map = check_forced_ids_by_position(FORCED, force_token_map)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return 0 for the token of this position and -infinity for all others: (rows, vocab_size)."""
        token = self.force_token_map.get(input_ids.shape[-1])
        return scores if token is None else force_tokens(FORCED, [token], scores)


class PrefixConstrainedLogitsProcessor(LogitsProcessor):
    """Forbid all tokens but those that a function allows after the ids so far.

    Source: De Cao et al., Autoregressive Entity Retrieval, arXiv:2010.00904, section 3.2.

    Args:
        prefix_allowed_tokens_fn: a function of the sentence's index in the batch and its ids so far, (length,), that
            returns the ids that may come next.
        num_beams: the number of rows of each sentence, or of each sentence and group.

    Raises:
        ValueError: num_beams is below 1; at the call: the number of rows is not divisible by num_beams.

    >>> after = {0: [1, 2], 1: [2], 2: [0]}
    >>> by_table = PrefixConstrainedLogitsProcessor(lambda batch, ids: after[int(ids[-1])], num_beams=2)
    >>> by_table(torch.tensor([[0], [1]]), torch.zeros(2, 3))
    tensor([[-inf, 0., 0.],
            [-inf, -inf, 0.]])
    """

    def __init__(self, prefix_allowed_tokens_fn: Callable[[int, Tensor], Iterable[int]], num_beams: int) -> None:
        self.prefix_allowed_tokens_fn = prefix_allowed_tokens_fn
        self.num_beams = check_integer("num_beams", num_beams, at_least=1)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for tokens that are not allowed: (rows, vocab_size)."""
        if len(input_ids) % self.num_beams:
            raise ValueError(
                f"{len(input_ids)} rows cannot be divided into sentences of num_beams={self.num_beams} rows"
            )
        forbidden = torch.ones_like(scores, dtype=torch.bool)
        for row, ids in enumerate(input_ids):
            allowed = self.prefix_allowed_tokens_fn(row // self.num_beams, ids)
            # subtle: an empty result is valid for finished rows, which are processed as well; loops check the others.
            after = check_token_ids("prefix_allowed_tokens_fn's result", allowed, empty=True)
            forbidden[row, check_token_columns("prefix_allowed_tokens_fn's result", after, scores)] = False
        return scores.masked_fill(forbidden, -math.inf)


class NoBadWordsLogitsProcessor(LogitsProcessor):
    """Forbid words: a single token always, the last of several tokens if the others precede it.

    Args:
        bad_words_ids: the ids of each word. Ids outside the vocabulary cause a warning; they are never generated.
        eos_token_id: the end token, or several, or None; a word of only an end token is not forbidden.

    Raises:
        ValueError: `bad_words_ids` is not a list of lists of ids, or a list is empty.

    >>> polite = NoBadWordsLogitsProcessor([[2], [0, 3]], eos_token_id=1)
    >>> polite(torch.tensor([[4, 0], [0, 4]]), torch.zeros(2, 5))
    tensor([[0., 0., -inf, -inf, 0.],
            [0., 0., -inf, 0., 0.]])
    """

    def __init__(self, bad_words_ids: list[list[int]], eos_token_id: int | list[int] | None) -> None:
        self.bad_words_ids = check_word_ids("bad_words_ids", bad_words_ids)
        self.eos_token_id = [] if eos_token_id is None else check_token_ids("eos_token_id", eos_token_id, empty=True)
        # subtle: a word of one token has the start (), which matches everywhere.
        self._endings: dict[tuple[int, ...], list[int]] = defaultdict(list)  # start of a word -> last tokens
        for *start, last in self.bad_words_ids:
            if start or last not in self.eos_token_id:
                self._endings[tuple(start)].append(last)
        self._start_lengths = set(map(len, self._endings))

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for tokens that would complete a bad word: (rows, vocab_size)."""
        forbidden = torch.zeros_like(scores, dtype=torch.bool)
        for row, tokens in enumerate(input_ids.tolist()):
            forbidden[row, self._in_vocabulary(self._last_tokens(tokens), scores.shape[1])] = True
        return scores.masked_fill(forbidden, -math.inf)

    def _last_tokens(self, tokens: list[int]) -> list[int]:
        """Return the tokens that would complete a bad word after these tokens."""
        starts = (tokens[len(tokens) - length :] for length in self._start_lengths if length <= len(tokens))
        return [last for start in starts for last in self._endings.get(tuple(start), ())]

    def _in_vocabulary(self, ids: list[int], vocab_size: int) -> list[int]:
        outside = [id for id in ids if id >= vocab_size]
        if outside:
            warn(
                f"bad_words_ids holds {outside[0]}, and ids go from 0 to {vocab_size - 1}, so it is never generated; "
                "are the ids those of this model's tokenizer?",
                UserWarning,
            )
        return [id for id in ids if id < vocab_size]


class SuppressTokensLogitsProcessor(LogitsProcessor):
    """Forbid tokens at every step.

    Raises:
        ValueError: an element is not an id.

    >>> SuppressTokensLogitsProcessor([0, 2])(torch.tensor([[1]]), torch.zeros(1, 3))
    tensor([[-inf, 0., -inf]])
    """

    def __init__(self, suppress_tokens: Iterable[int]) -> None:
        self.suppress_tokens = check_token_ids("suppress_tokens", suppress_tokens, empty=True)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for each of them: (rows, vocab_size)."""
        return forbid_tokens("suppress_tokens", self.suppress_tokens, scores)


class SuppressTokensAtBeginLogitsProcessor(LogitsProcessor):
    """Forbid tokens at the first generated position.

    Args:
        begin_index: the number of tokens before it.

    Raises:
        ValueError: an element is not an id, or `begin_index` is below 0.

    >>> not_first = SuppressTokensAtBeginLogitsProcessor([2], begin_index=1)
    >>> [not_first(ids, torch.zeros(1, 3)).tolist() for ids in (torch.tensor([[0]]), torch.tensor([[0, 1]]))]
    [[[0.0, 0.0, -inf]], [[0.0, 0.0, 0.0]]]
    """

    def __init__(self, begin_suppress_tokens: Iterable[int], begin_index: int) -> None:
        self.begin_suppress_tokens = check_token_ids("begin_suppress_tokens", begin_suppress_tokens, empty=True)
        self.begin_index = check_integer("begin_index", begin_index, at_least=0)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for each of them at the first step: (rows, vocab_size)."""
        if input_ids.shape[1] != self.begin_index:
            return scores
        return forbid_tokens("begin_suppress_tokens", self.begin_suppress_tokens, scores)


class MinLengthLogitsProcessor(LogitsProcessor):
    """Forbid end tokens until the text has `min_length` tokens, including the prompt.

    Args:
        eos_token_id: the end token, or several.

    Raises:
        ValueError: a length or an id is not an integer of at least 0, or there is no id.

    >>> MinLengthLogitsProcessor(3, eos_token_id=1)(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., -inf, 0.]])
    """

    def __init__(self, min_length: int, eos_token_id: int | list[int]) -> None:
        self.min_length = check_integer("min_length", min_length, at_least=0)
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for end tokens: (rows, vocab_size)."""
        if input_ids.shape[-1] >= self.min_length:
            return scores
        return forbid_tokens("eos_token_id", self.eos_token_id, scores)


class MinNewTokensLengthLogitsProcessor(LogitsProcessor):
    """Forbid end tokens until `min_new_tokens` tokens follow the prompt.

    Args:
        prompt_length_to_skip: the length of the prompt; with T5 the decoder starts with one token.
        eos_token_id: the end token, or several.

    Raises:
        ValueError: a length or an id is not an integer of at least 0, or there is no id.

    >>> at_least_one = MinNewTokensLengthLogitsProcessor(2, min_new_tokens=1, eos_token_id=1)
    >>> at_least_one(torch.tensor([[0, 2]]), torch.zeros(1, 3))
    tensor([[0., -inf, 0.]])
    """

    def __init__(self, prompt_length_to_skip: int, min_new_tokens: int, eos_token_id: int | list[int]) -> None:
        self.prompt_length_to_skip = check_integer("prompt_length_to_skip", prompt_length_to_skip, at_least=0)
        self.min_new_tokens = check_integer("min_new_tokens", min_new_tokens, at_least=0)
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return -infinity for end tokens: (rows, vocab_size)."""
        if input_ids.shape[-1] - self.prompt_length_to_skip >= self.min_new_tokens:
            return scores
        return forbid_tokens("eos_token_id", self.eos_token_id, scores)


class ExponentialDecayLengthPenalty(LogitsProcessor):
    """Raise the logit of end tokens more with every token after a given length.

    Args:
        exponential_decay_length_penalty: the number of new tokens after which it starts, and the factor by which it
            grows with each further token.
        eos_token_id: the end token, or several.
        input_ids_seq_length: the length of the prompt.

    Raises:
        ValueError: the first argument is not such a pair, the length is below 0, or the factor is not above 0.

    >>> hurry = ExponentialDecayLengthPenalty((1, 2.0), eos_token_id=0, input_ids_seq_length=1)
    >>> [hurry(torch.zeros(1, length, dtype=torch.long), torch.tensor([[-1.0, 3.0]])).tolist() for length in (2, 3, 4)]
    [[[-1.0, 3.0]], [[0.0, 3.0]], [[2.0, 3.0]]]
    """

    def __init__(
        self,
        exponential_decay_length_penalty: tuple[int, float],
        eos_token_id: int | list[int],
        input_ids_seq_length: int,
    ) -> None:
        start, factor = check_exponential_decay("exponential_decay_length_penalty", exponential_decay_length_penalty)
        self.regulation_start = start + check_integer("input_ids_seq_length", input_ids_seq_length, at_least=0)
        self.regulation_factor = factor
        self.eos_token_id = check_token_ids("eos_token_id", eos_token_id)

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores with raised end tokens: (rows, vocab_size)."""
        excess = input_ids.shape[-1] - self.regulation_start
        if excess <= 0:
            return scores
        ends = check_token_columns("eos_token_id", self.eos_token_id, scores)
        score = scores[:, ends]
        # subtle: score * factor would lower a negative score, such as a log-probability.
        raised = score + score.abs() * (self.regulation_factor**excess - 1)
        return scores.index_copy(1, ends, torch.where(score.isneginf(), score, raised))


class InfNanRemoveLogitsProcessor(LogitsProcessor):
    """Replace nan by 0 and infinity by the largest number of the dtype, since sampling fails for them.

    >>> InfNanRemoveLogitsProcessor()(torch.tensor([[0]]), torch.tensor([[float("nan"), float("inf"), -float("inf")]]))
    tensor([[0.0000e+00, 3.4028e+38,       -inf]])
    """

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return finite scores, except for -infinity: (rows, vocab_size)."""
        return scores.nan_to_num(nan=0.0, posinf=torch.finfo(scores.dtype).max, neginf=-math.inf)
