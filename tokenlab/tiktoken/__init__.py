"""tiktoken under its own names: swap `import tiktoken` for `from tokenlab import tiktoken`, and the same cell runs.

The reference is tiktoken 0.14. Signatures, defaults, results and exception types are the library's; the sentences of
the exceptions are ours. What differs, and why:

- `encode.steps`, `encode.record`: the way from text to ids, one step at a time. The library has none.
- Where Rust panics (a BaseException that `except Exception` does not catch), a ValueError is raised: two tokens with
  one rank, a byte without a rank, a pattern that matches the empty string.
- Special tokens of which one begins another: the longest is found. tiktoken finds the one its hash map lists first.
- An empty special token is never found. tiktoken does not come back from it.
- Patterns are run by Python's `regex`, not by fancy-regex. For the encodings here the two cut alike, but for characters
  that are new in Unicode (see `algorithms.split`). In a pattern of your own, `$` matches before a last line end too.
- `encode_with_unstable` lists completions in the order in which they are found. tiktoken has no order.
- The batch methods check `num_threads` and do without threads, which would not make Python faster.
- Loading (`load`): a local file is read where it is and never copied to the cache folder; tiktoken goes on reading its
  copy after you change the file. A cached file with a wrong hash is neither used nor deleted: a ValueError names it.
  A file without a hash is checked (`load.load_tiktoken_bpe`). Only http(s) addresses are downloaded.
- Encodings from plug-ins (`tiktoken_ext`) are not looked for: put yours into `registry.ENCODING_CONSTRUCTORS`.

>>> encoding = Encoding("ab", pat_str=r"\\w+|\\W+", mergeable_ranks={b"a": 0, b"b": 1, b"ab": 2}, special_tokens={})
>>> encoding.encode("abaab")
[2, 0, 2]
>>> print(encoding.encode.record("aba"))
1. aba was cut off by the rule pat_str
2. a + b became ab, rank 2, at 0
3. aba has the ids 2 0
"""

from tokenlab.tiktoken.core import Encoding
from tokenlab.tiktoken.model import encoding_for_model, encoding_name_for_model
from tokenlab.tiktoken.registry import get_encoding, list_encoding_names

__version__ = "0.14.0"  # of tiktoken, whose behaviour this is
__all__ = ["Encoding", "encoding_for_model", "encoding_name_for_model", "get_encoding", "list_encoding_names"]
