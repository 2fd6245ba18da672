"""The growth of the time that each encoder needs: about that of n log n at most, or what its documentation says."""

from __future__ import annotations

import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz.component import Finding
from tests.parity import test_tiktoken_parity as tiktoken
from tests.parity.sentencepieces import trained
from tokenlab import data
from tokenlab.algorithms.bpe import encode, encode_by_pairs, encode_parts, encode_priority_queue
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder
from tokenlab.algorithms.wordpiece.train_indexed import train_indexed as train_wordpiece
from tokenlab.libraries import sentencepiece, tokenizers
from tokenlab.libraries.bert.tokenization import FullTokenizer
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.transformers.models.gpt2.tokenization_gpt2 import encode_by_rounds

STEP = 4  # the sizes are n, 4n and 16n
SECONDS = 0.004  # of processor time for the smallest text, so that the clock sees it
HIGHEST = 1.5  # n log n from 1,000 to 16,000 characters is n to the power of 1.12; n squared has 2
DOCUMENTED = "O(n²)"  # what the docstring of a slower encoder says


@dataclass(frozen=True)
class Encoder:
    """An encoder: a function from a text to anything, and what documents its cost."""

    name: str
    encode: Callable[[str], Any]
    documentation: str = ""


def _letters(size: int) -> str:
    draw = random.Random(size)
    words = data.text("english").split()
    return "".join(draw.choices(words, k=size // 3))[:size]


def _repeated(text: str) -> Callable[[int], str]:
    return lambda size: (text * (size // len(text) + 1))[:size]


TEXTS: dict[str, Callable[[int], str]] = {
    "words": lambda size: _repeated(data.text("english"))(size),
    "letters without spaces": _letters,
    "one letter": _repeated("a"),
    "spaces": _repeated(" "),
    "Japanese": lambda size: _repeated(data.text("japanese"))(size),
    "combining marks": _repeated("e\u0301\u0323"),
    "joined emoji": _repeated("👩\u200d"),
    "special tokens": _repeated("<s></s>"),
}


@cache
def encoders() -> list[Encoder]:
    """Return the encoders of all families, with trained vocabularies."""
    text = data.text("english")
    counts = count_words(text)
    merges = train_indexed(counts, 1000)
    ranks = encode.merge_ranks(merges)
    of_pairs = {pair: rank for rank, pair in enumerate(merges)}
    table: dict[Any, Any] = {pair: (rank, "".join(map(str, pair))) for pair, rank in of_pairs.items()}
    pieces = train_arrays({"".join(map(str, word)): count for word, count in counts.items()}, 500)
    wordpieces = train_wordpiece(counts, 600, special_tokens=["[UNK]"])
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = Path(folder) / "vocab.txt"
        vocabulary.write_text("\n".join(map(str, wordpieces)) + "\n", encoding="utf-8")
        bert = FullTokenizer(vocabulary)
    subwords = SubwordTextEncoder(str(data.FOLDER / "english.subwords"))
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    bpe.decoder = tokenizers.decoders.ByteLevel()
    bpe.train_from_iterator(text.splitlines(), tokenizers.trainers.BpeTrainer(vocab_size=800, show_progress=False))
    bpe.add_special_tokens(["<s>", "</s>"])
    special = tiktoken.small("cl100k").ours
    made = [
        Encoder("tiktoken", lambda given: special.encode(given, disallowed_special=())),
        Encoder("tokenizers, byte-level BPE", lambda given: bpe.decode(bpe.encode(given).ids)),
        Encoder("BPE, priority queue", lambda given: encode_priority_queue.encode_with_priority_queue(given, ranks)),
        Encoder("BPE, pairs", lambda given: encode_by_pairs.encode_by_pairs(given, table)),
        *(
            Encoder(name, lambda given, of=textbook, rules=rules: of(given, rules), textbook.__doc__ or "")
            for name, textbook, rules in (
                ("BPE, by rank", encode.encode_by_rank, ranks),
                ("BPE, in order", encode.encode_in_order, merges),
                ("BPE, by rounds", encode_by_rounds, of_pairs),
                ("BPE, parts", encode_parts.encode_with_parts, ranks),
            )
        ),
        Encoder("WordPiece", WordPieceEncoder(wordpieces).encode),
        Encoder("BERT", bert.tokenize),
        Encoder("Unigram", UnigramEncoder(pieces).encode),
        Encoder("SubwordTextEncoder", lambda given: subwords.decode(subwords.encode(given))),
    ]
    for kind in ("bpe", "unigram"):
        processor = sentencepiece.SentencePieceProcessor(model_proto=trained(kind, "plain"))
        made.append(Encoder(f"SentencePiece, {kind}", lambda given, of=processor: of.decode(of.encode(given))))
    from tokenlab.libraries.transformers import T5Tokenizer

    t5 = T5Tokenizer.from_pretrained(data.t5_tiny())
    return [*made, Encoder("T5Tokenizer", lambda given: t5(given, truncation=True, max_length=10**9).input_ids)]


def seconds(encoder: Encoder, text: str, repeats: int = 3) -> float:
    """Return the least processor time of some runs."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        encoder.encode(text)
        taken.append(time.process_time() - start)
    return min(taken)


def exponent(encoder: Encoder, kind: str) -> float:
    """Return k if the time grows like size to the power of k, from a size that the clock can measure."""
    size = 500
    while (first := seconds(encoder, TEXTS[kind](size))) < SECONDS and size < 500_000:
        size *= 2
    last = seconds(encoder, TEXTS[kind](size * STEP * STEP), repeats=2)
    return math.log(last / max(first, 1e-9)) / math.log(STEP * STEP)


def check(drawn: tuple[str, str]) -> None:
    """Measure an encoder on a kind of text, several times if it seems slow.

    Raises:
        AssertionError: it is slower than it should be, each time.
    """
    (encoder,) = (one for one in encoders() if one.name == drawn[0])
    if DOCUMENTED in encoder.documentation:
        return
    found = exponent(encoder, drawn[1])
    for _ in range(2):
        if found > HIGHEST:
            found = min(found, exponent(encoder, drawn[1]))
    assert found <= HIGHEST, f"the time grows like n to the power of {found:.2f}; the documentation does not say so"


def search_costs(seconds: float, seed: int) -> Iterator[tuple[str, Finding]]:
    """Measure encoders on kinds of text, in random order until the time is over; yield a finding for each encoder."""
    pairs = [(encoder.name, kind) for encoder in encoders() for kind in TEXTS]
    random.Random(seed).shuffle(pairs)
    end, findings = time.monotonic() + seconds, {encoder.name: Finding(0) for encoder in encoders()}
    for name, kind in pairs:
        before = findings[name]
        if before.error or time.monotonic() > end:
            continue
        try:
            check((name, kind))
            findings[name] = Finding(before.tried + 1)
        except AssertionError as error:
            findings[name] = Finding(before.tried + 1, (name, kind), f"AssertionError: {error}")
    for name, finding in findings.items():
        yield f"cost: {name}", finding
