"""BERT's tokenizer with the names of google-research/bert: change the import of `tokenization`, and the same cell runs.

The reference is `tokenization.py` at its last commit, with `unicodedata` of this Python. Differences:

- `FullTokenizer.tokenize.record` and its siblings record the steps from text to pieces. The original has no steps.
- `load_vocab` refuses a file that is empty or not UTF-8, has an empty line, whitespace inside a token, or a duplicate
  token: the original assigns ids that no text ever gets, and its ids have gaps.
- Python 2 and its `str` are not supported.
- A token or id that is not in the vocabulary raises a KeyError with an explanation.

tests/parity/test_bert_parity.py pins how tokenizers and transformers differ from google-research: lowercasing character
by character, private-use characters removed, words over 100 characters unknown instead of over 200.

>>> tokenization.BasicTokenizer().tokenize("Don't panic: Café 東京!")
['don', "'", 't', 'panic', ':', 'cafe', '東', '京', '!']
"""

from tokenlab.libraries.bert import tokenization

__all__ = ["tokenization"]
