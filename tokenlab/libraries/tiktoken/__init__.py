"""tiktoken's public interface: `from tokenlab.libraries import tiktoken` in place of `import tiktoken`.

The reference is tiktoken 0.14. Signatures, defaults, results and exception types are the library's; the exception
messages are ours. Differences, and their reasons:

- `encode` runs a fast implementation (`core.Encoding._encode_text`, a cache and `bpe.encode_priority_queue`).
  `encode.steps` and `encode.record` run the stepwise one (`encode_steps`), which the library does not have.
  `test_the_steps_give_the_same_ids` in tests/unit/test_tiktoken.py shows that both return the same ids.
- Where Rust panics (a BaseException that `except Exception` does not catch), a ValueError is raised: two tokens with
  one rank, a byte without a rank, a pattern that matches the empty string.
- Special tokens where one is a prefix of another: the longest is found. tiktoken finds the first in its hash map.
- An empty special token is never found. tiktoken does not terminate.
- Patterns are run by Python's `regex`, not by fancy-regex. For the encodings here the two split alike, except for
  characters that are new in Unicode (see `algorithms.text.pre_tokenizers`). In your own pattern, `$` also matches
  before a final line end.
- `encode_with_unstable` lists completions in the order in which they are found. tiktoken has no order.
- The batch methods check `num_threads` but use no threads, which would not make Python faster.
- Loading (`load`): a local file is read in place and never copied to the cache folder; tiktoken keeps reading its
  copy after you change the file. A cached file with a wrong hash is neither used nor deleted: a ValueError names it.
  A file without a hash is checked (`load.load_tiktoken_bpe`). Only http(s) addresses are downloaded.
- Encodings from plug-ins (`tiktoken_ext`) are not searched: add yours to `registry.ENCODING_CONSTRUCTORS`.

>>> encoding = Encoding("ab", pat_str=r"\\w+|\\W+", mergeable_ranks={b"a": 0, b"b": 1, b"ab": 2}, special_tokens={})
>>> encoding.encode("abaab")
[2, 0, 2]
>>> print(encoding.encode.record("aba"))
1. aba was split off by the pattern
2. a + b became ab, rank 2, at 0
3. aba has the ids 2 0
"""

from tokenlab.libraries.tiktoken.core import Encoding
from tokenlab.libraries.tiktoken.model import encoding_for_model, encoding_name_for_model
from tokenlab.libraries.tiktoken.registry import get_encoding, list_encoding_names

__version__ = "0.14.0"  # the tiktoken version whose behavior this package has
__all__ = ["Encoding", "encoding_for_model", "encoding_name_for_model", "get_encoding", "list_encoding_names"]
