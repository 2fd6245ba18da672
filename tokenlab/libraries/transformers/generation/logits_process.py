"""Facade of transformers' `generation/logits_process.py`: every processor and warper of 4.26.1; see `logits`.

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

from tokenlab.libraries.transformers.generation.logits.force_tokens import (
    ForcedBOSTokenLogitsProcessor,
    ForcedEOSTokenLogitsProcessor,
    ForceTokensLogitsProcessor,
    PrefixConstrainedLogitsProcessor,
)
from tokenlab.libraries.transformers.generation.logits.length_processors import (
    ExponentialDecayLengthPenalty,
    MinLengthLogitsProcessor,
    MinNewTokensLengthLogitsProcessor,
)
from tokenlab.libraries.transformers.generation.logits.logit_normalization import (
    InfNanRemoveLogitsProcessor,
    LogitNormalization,
)
from tokenlab.libraries.transformers.generation.logits.logits_processor import (
    LogitsProcessor,
    LogitsProcessorList,
    LogitsWarper,
)
from tokenlab.libraries.transformers.generation.logits.logits_warpers import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)
from tokenlab.libraries.transformers.generation.logits.repetition_penalties import (
    EncoderNoRepeatNGramLogitsProcessor,
    EncoderRepetitionPenaltyLogitsProcessor,
    HammingDiversityLogitsProcessor,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
)
from tokenlab.libraries.transformers.generation.logits.suppress_tokens import (
    NoBadWordsLogitsProcessor,
    SuppressTokensAtBeginLogitsProcessor,
    SuppressTokensLogitsProcessor,
)

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
