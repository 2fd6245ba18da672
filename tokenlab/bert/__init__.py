"""BERT's tokenizer under the names of google-research/bert: swap the import of `tokenization`, and the same cell runs.

The reference is `tokenization.py` at its last commit, with `unicodedata` of this Python. What differs, and why:

- `FullTokenizer.tokenize.record` and its like show the way from text to pieces. The original has none.
- `load_vocab` refuses a file that is empty or not UTF-8, or has an empty line, white space inside a token, or a token
  twice: the original gives out ids that no text ever has, and its ids have gaps.
- Python 2 is gone, and with it what it made of `str`.
- A token or id that the vocabulary does not have is a KeyError with a sentence.

How tokenizers and transformers differ from google-research is pinned in tests/parity/test_bert_parity.py: lower case
letter by letter, private-use characters removed, words of more than 100 characters unknown, and not of more than 200.

>>> tokenization.BasicTokenizer().tokenize("Don't panic: Café 東京!")
['don', "'", 't', 'panic', ':', 'cafe', '東', '京', '!']
"""

from tokenlab.bert import tokenization

__all__ = ["tokenization"]
