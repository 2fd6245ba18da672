"""sentencepiece under its own names: swap `import sentencepiece` for `from tokenlab.libraries import sentencepiece`.

The reference is sentencepiece 0.2.3. Signatures, defaults, results and exception types are the library's; the
sentences of the exceptions are ours. What differs, and why:

- `encode.steps` and `encode.record` report the steps from text to ids. The library does not have them.
- Sampling draws from the same distribution with different random numbers; equal seeds do not give equal samples.
- In a unigram model a score above 0, and in any model a NaN score, is refused: it is not a log probability.
- `parallel_encode` encodes the text at once; the library's chunks, joined again, nearly always give the same.
- Threads (`num_threads`, `ThreadPool`) are checked and not started; they would not make Python faster.
- Bytes that are not UTF-8 become U+FFFD in the fields `text` and `surface` of messages, and each counts as one
  character in offsets; the library skips the number of bytes that the first of them announces.
- A unigram model trained here is as good as the library's but not identical: numbers have 64 bits, and a few pieces
  differ. Files of bpe models are identical, byte by byte; those of word and char models differ at most in the last bit
  of a score. `input_sentence_size` samples other sentences.
- Training refuses two options by name: `auto_character_coverage` and `seed_sentencepieces_file`.
- Before a model is loaded, `normalize` raises a RuntimeError, and looking up an id an IndexError.
- `SetMinLogLevel` and `SetNBestTimeout` check their argument and have no other effect: there is no log here, and
  `nbest_encode` has no time limit.
- `SetDataDir` and `ConvertToFlatbuffer` are left out: the normalization tables are those of the installed
  sentencepiece, and FlatBuffers are a format of another program.
- A piece that is not UTF-8, such as half a character, never matches half of a character of the text. The library does
  match it in `nbest_encode`, in sampling, and if the piece is a user-defined symbol, and so splits the character.
- Features of older releases that 0.2.3 does not have are not here either: `immutable_proto`, `set_vocabulary`,
  `calculate_entropy`, `sample_encode_and_score`, `override_normalizer_spec`.
- Loading and using a `.model` file needs protobuf, not sentencepiece. Messages are of the library's classes if it is
  installed, otherwise of equal ones with the same bytes. The tables of `nfkc`, `nmt_nfkc`, `nfkc_cf` and `nmt_nfkc_cf`
  are read from the installed sentencepiece, so training and `SentencePieceNormalizer(rule_name=...)` need it for them.
"""

from tokenlab.libraries.sentencepiece.processor import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.results import (
    SetMinLogLevel,
    SetNBestTimeout,
    SetRandomGeneratorSeed,
    ThreadPool,
    set_min_log_level,
    set_nbest_timeout,
    set_random_generator_seed,
)
from tokenlab.libraries.sentencepiece.trainer import SentencePieceNormalizer, SentencePieceTrainer

__version__ = "0.2.3"  # of sentencepiece, whose behaviour this is
__all__ = [
    "SentencePieceNormalizer", "SentencePieceProcessor", "SentencePieceTrainer", "SetMinLogLevel", "SetNBestTimeout",
    "SetRandomGeneratorSeed", "ThreadPool", "set_min_log_level", "set_nbest_timeout", "set_random_generator_seed",
]  # fmt: skip
