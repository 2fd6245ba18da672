"""Every processor and warper of transformers 4.26.1 under its name, in files by idea.

The numbers are those of 4.26.1. What differs, and why:

- Nothing that is given is changed: the scores are new ones, or the same where there is nothing to do. There many
  change the scores that they get, so that nobody can look at them before and after.
- ExponentialDecayLengthPenalty raises negative scores, too: score + |score| * (factor^n - 1), as releases since have
  it. There they are multiplied, so that an end with a negative score, as every log-probability is, became less likely.
- MinNewTokensLengthLogitsProcessor takes several end tokens; there one.
- EncoderRepetitionPenaltyLogitsProcessor rewards in each row the words of its own source. There, with more rows than
  sources (beams), the first rows get the words of the first sources, and the others get none.
- TopPLogitsWarper keeps the likeliest token whatever is asked for; there a very small top_p cuts off everything, if
  rounding has put the sum below. TypicalLogitsWarper keeps everything where rounding has put all sums below the mass;
  there it dies.
- LogitsProcessorList hands on to each change what it asks for, by name or by **kwargs; there all get
  everything, so that no change of one's own could ask for one of two things, or have a default.
- EtaLogitsWarper leaves a row where nothing is allowed any more as it is; there it dies.
- NoBadWordsLogitsProcessor passes over ids outside the vocabulary with a warning; there it passes over some, dies of
  others, and with the id vocab_size forbids the token 0 to the next row. Elsewhere such ids raise an IndexError.
- Refused where 4.26.1 accepts it: top_p=0, infinite temperatures and penalties, min_tokens_to_keep below 1, no end
  token, negative ids (there they count from the end of the vocabulary), beams that do not make equal groups, a decay
  that is no pair or not above 0.
- Left out: WhisperTimeStampLogitsProcessor, which is one speech model's own.

>>> LogitsProcessorList([MinLengthLogitsProcessor(5, eos_token_id=1), TopKLogitsWarper(3)])
[MinLengthLogitsProcessor(min_length=5, eos_token_id=[1]), TopKLogitsWarper(top_k=3, filter_value=-inf)]
"""

from tokenlab.transformers.generation.filters import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)
from tokenlab.transformers.generation.forbidding import (
    NoBadWordsLogitsProcessor,
    SuppressTokensAtBeginLogitsProcessor,
    SuppressTokensLogitsProcessor,
)
from tokenlab.transformers.generation.forcing import (
    ForcedBOSTokenLogitsProcessor,
    ForcedEOSTokenLogitsProcessor,
    ForceTokensLogitsProcessor,
    PrefixConstrainedLogitsProcessor,
)
from tokenlab.transformers.generation.lengths import (
    ExponentialDecayLengthPenalty,
    MinLengthLogitsProcessor,
    MinNewTokensLengthLogitsProcessor,
)
from tokenlab.transformers.generation.normalizing import InfNanRemoveLogitsProcessor, LogitNormalization
from tokenlab.transformers.generation.penalties import (
    EncoderRepetitionPenaltyLogitsProcessor,
    HammingDiversityLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
)
from tokenlab.transformers.generation.processors import LogitsProcessor, LogitsProcessorList, LogitsWarper
from tokenlab.transformers.generation.repetition import (
    EncoderNoRepeatNGramLogitsProcessor,
    NoRepeatNGramLogitsProcessor,
)

__all__ = [
    "EncoderNoRepeatNGramLogitsProcessor",
    "EncoderRepetitionPenaltyLogitsProcessor",
    "EpsilonLogitsWarper",
    "EtaLogitsWarper",
    "ExponentialDecayLengthPenalty",
    "ForceTokensLogitsProcessor",
    "ForcedBOSTokenLogitsProcessor",
    "ForcedEOSTokenLogitsProcessor",
    "HammingDiversityLogitsProcessor",
    "InfNanRemoveLogitsProcessor",
    "LogitNormalization",
    "LogitsProcessor",
    "LogitsProcessorList",
    "LogitsWarper",
    "MinLengthLogitsProcessor",
    "MinNewTokensLengthLogitsProcessor",
    "NoBadWordsLogitsProcessor",
    "NoRepeatNGramLogitsProcessor",
    "PrefixConstrainedLogitsProcessor",
    "RepetitionPenaltyLogitsProcessor",
    "SuppressTokensAtBeginLogitsProcessor",
    "SuppressTokensLogitsProcessor",
    "TemperatureLogitsWarper",
    "TopKLogitsWarper",
    "TopPLogitsWarper",
    "TypicalLogitsWarper",
]
