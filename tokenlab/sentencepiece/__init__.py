"""sentencepiece under its own names: swap `import sentencepiece` for `from tokenlab import sentencepiece`.

The reference is sentencepiece 0.2.3. Signatures, defaults, results and exception types are the library's; the
sentences of the exceptions are ours. What differs, and why:

- `encode.steps`, `encode.record`: the way from text to ids, one step at a time. The library has none.
- Sampling draws from the same distribution, by other random numbers; seeds do not make the two agree.
- In a unigram model a score above 0, and in any model one that is NaN, is refused: it is no log probability.
- `parallel_encode` encodes the text at once; the library's chunks, joined again, nearly always give the same.
- Threads (`num_threads`, `ThreadPool`) are checked and not started; they would not make Python faster.
- Bytes that are not UTF-8 stand as U+FFFD in the fields `text` and `surface` of messages, and each counts as one
  character where their places are asked for in characters; the library skips as many as the first of them announces.
- A unigram model that is trained here is as good and not the same: numbers have 64 bits, and a few pieces differ. Files
  of bpe models are the same, byte by byte, those of word and char models but for the last bit of a score.
  `input_sentence_size` draws other sentences.
- Training refuses by name what it has not: `auto_character_coverage`, `seed_sentencepieces_file`.
- Before a model is loaded, `normalize` and looking up an id are a RuntimeError and an IndexError.
- `SetNBestTimeout`, `SetMinLogLevel`, `SetDataDir` and `ConvertToFlatbuffer` are left out: nothing here runs for half a
  minute or writes a log, the tables of rules are those of the installed sentencepiece, and flat buffers are another
  program's format.
- What older releases had and 0.2.3 has not is not here either: `immutable_proto`, `set_vocabulary`,
  `calculate_entropy`, `sample_encode_and_score`, `override_normalizer_spec`.
- Model files are read and written by sentencepiece's own protobuf definition, which has to be installed beside this.
"""

from tokenlab.sentencepiece.core import SentencePieceProcessor
from tokenlab.sentencepiece.normalizer import SentencePieceNormalizer
from tokenlab.sentencepiece.settings import SetRandomGeneratorSeed, ThreadPool, set_random_generator_seed
from tokenlab.sentencepiece.trainer import SentencePieceTrainer

__version__ = "0.2.3"  # of sentencepiece, whose behaviour this is
__all__ = [
    "SentencePieceNormalizer",
    "SentencePieceProcessor",
    "SentencePieceTrainer",
    "SetRandomGeneratorSeed",
    "ThreadPool",
    "set_random_generator_seed",
]
