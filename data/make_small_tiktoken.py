"""Make small.tiktoken: a byte-level vocabulary of 1000 tokens, learned from the corpora in this folder.

Run it with the kit's Python; the same corpora give the same file. The lessons use it instead of OpenAI's
vocabularies, which we may not distribute and which are too large to look at.
"""

from __future__ import annotations

import base64

from tokenlab import data
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.storage import files

SIZE = 1000
CORPORA = ("english", "german", "chinese", "japanese")


def main() -> None:
    """Train, give the first ranks to single bytes as GPT-2 does, and write one token a line."""
    alphabet = [bytes([byte]) for byte in GPT2_ORDER]
    counts = count_words(map(data.text, CORPORA), split="gpt2", symbols="bytes")
    merges = train_indexed(counts, SIZE, tie_break="lowest_id", initial_alphabet=alphabet)
    tokens = [*alphabet, *(left + right for left, right in merges)]
    lines = (f"{base64.b64encode(token).decode()} {rank}\n" for rank, token in enumerate(tokens))
    files.write_atomically(data.FOLDER / "small.tiktoken", lines)


if __name__ == "__main__":
    main()
