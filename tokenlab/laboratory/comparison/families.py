"""The seven families by name, each with the common interface; and trained tokenizers, which stay in memory.

Adds: spans in bytes of UTF-8, and the decoding of each family. BPE is on characters, with the marker `</w>` at the end
of each word (Sennrich et al. 2016), and on bytes; WordPiece is the cased BERT, so that all families see the same text,
trained by count as in Hugging Face's `tokenizers`; bytes as tokens are those of ByT5 (Xue et al. 2022).
Leaves out: training and encoding, which are in `algorithms`, `libraries.tiktoken`, `libraries.sentencepiece` and
`libraries.tensor2tensor`.

>>> [*FAMILIES]
['BPE', 'byte-level BPE', 'WordPiece', 'Unigram', 'SentencePiece BPE', 'SubwordTextEncoder', 'bytes']
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from pathlib import Path

from tokenlab import data
from tokenlab.algorithms.bpe.encode import merge_ranks
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train import merged_symbol
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.subword_text.build import RESERVED_TOKENS
from tokenlab.algorithms.subword_text.escape import END_MARKER, escape
from tokenlab.algorithms.subword_text.split import split_into_runs
from tokenlab.algorithms.text.alignment import AlignedText
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.normalize import BERT_CASED, normalize
from tokenlab.algorithms.text.pretokenize import split_bert, split_gpt2
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.laboratory.comparison.trained_tokenizer import Token, TrainedTokenizer, byte_offsets, without_surrogates
from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.tiktoken import Encoding
from tokenlab.printing.errors import check_integer, lookup
from tokenlab.storage import files

END = "</w>"
UNKNOWN_CHARACTER = "<unk>"


class CharacterBpe(TrainedTokenizer):
    """BPE that starts from the characters of each word; a word ends with `</w>`, which represents the space after it.

    >>> bpe = CharacterBpe("hug hugs hug", 8)
    >>> [token.entry for token in bpe.encode("hugs huge")]
    ['hug', 's', '</w>', 'hug', '<unk>', '</w>']
    """

    special = frozenset({UNKNOWN_CHARACTER})

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on a corpus. Inside, a space represents `</w>`: no word contains one."""
        counts = count_words(corpus, lambda text: [f"{word} " for word in text.split()])
        merges = train_indexed(counts, vocab_size - 1)
        alphabet = sorted({str(symbol) for word in counts for symbol in word})
        entries = dict.fromkeys([*alphabet, *map(str, map(merged_symbol, merges))])
        self.ranks = {str(entry): rank for entry, rank in merge_ranks(merges).items()}
        self.known = {UNKNOWN_CHARACTER, *entries}
        self.vocabulary = [UNKNOWN_CHARACTER, *(_marked(entry) for entry in entries)]

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; each character that is not in the alphabet is one unknown token."""
        text = without_surrogates(text)
        offsets, tokens = byte_offsets(text), []
        for word in re.finditer(r"\S+", text):
            start = word.start()
            for part in encode_with_priority_queue(f"{word.group()} ", self.ranks):
                end = min(start + len(part), word.end())
                known = part in self.known
                entry = _marked(part) if known else UNKNOWN_CHARACTER
                tokens.append(Token(entry, offsets[start], offsets[end], not known))
                start = end
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the entries; each `</w>` becomes a space, except the last one."""
        return "".join(str(token.entry) for token in tokens).replace(END, " ").removesuffix(" ")

    def without_marker(self, text: str) -> str:
        """Return an entry without `</w>`."""
        return text.removesuffix(END)


def _marked(entry: str) -> str:
    return f"{entry[:-1]}{END}" if entry.endswith(" ") else entry


class ByteLevelBpe(TrainedTokenizer):
    """GPT-2's BPE: it starts from the 256 bytes, and a space belongs to the word after it.

    >>> bpe = ByteLevelBpe("hug hugs hug", 259)
    >>> [token.entry for token in bpe.encode("hugs hugé")]
    [b'hug', b's', b' hug', b'\\xc3', b'\\xa9']
    """

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on a corpus."""
        alphabet = [bytes([byte]) for byte in GPT2_ORDER]
        counts = count_words(without_surrogates(corpus), split_gpt2, symbols="bytes")
        merges = train_indexed(counts, max(vocab_size, 256), initial_alphabet=alphabet)
        entries = dict.fromkeys([*alphabet, *map(merged_symbol, merges)])
        ranks = {entry: rank for rank, entry in enumerate(entries) if isinstance(entry, bytes)}
        self.encoding = Encoding("compared", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens={})
        self.vocabulary = [*ranks]

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; no token is unknown."""
        encoding, tokens, start = self.encoding, [], 0
        for entry in encoding.decode_tokens_bytes(encoding.encode_ordinary(text)):
            tokens.append(Token(entry, start, start + len(entry)))
            start += len(entry)
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the bytes of the entries and decode them."""
        return b"".join(entry for token in tokens if isinstance(entry := token.entry, bytes)).decode(errors="replace")

    def without_marker(self, text: str) -> str:
        """Return an entry without the space before a word."""
        return text.removeprefix(" ")


UNKNOWN_WORD, PREFIX = "[UNK]", "##"


class WordPiece(TrainedTokenizer):
    """WordPiece: longest match first; a word with an unknown part is one `[UNK]`.

    >>> wordpiece = WordPiece("hug hugs hug", 10)
    >>> [token.entry for token in wordpiece.encode("hugs, huge")]
    ['hug', '##s', '[UNK]', '[UNK]']
    """

    special = frozenset({UNKNOWN_WORD})

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on a corpus."""
        counts = count_words(corpus, lambda text: [word for word, _, _ in _words(normalize(text, BERT_CASED))])
        entries = [*map(str, train_by_frequency(counts, vocab_size - 1))]
        self.vocabulary = [UNKNOWN_WORD, *entries]
        self.encoder = WordPieceEncoder(set(entries), UNKNOWN_WORD)

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; spaces are in no token."""
        text = without_surrogates(text)
        aligned, offsets, tokens = normalize(text, BERT_CASED), byte_offsets(text), []
        for word, start, end in _words(aligned):
            for entry in self.encoder.encode(word):
                unknown = entry == UNKNOWN_WORD
                stop = end if unknown else start + len(entry.removeprefix(PREFIX) if entry != PREFIX else entry)
                first, last = aligned.span(start, stop)
                tokens.append(Token(entry, offsets[first], offsets[last], unknown))
                start = stop
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the entries with spaces; no space comes before `##`."""
        return " ".join(str(token.entry) for token in tokens).replace(f" {PREFIX}", "")

    def without_marker(self, text: str) -> str:
        """Return an entry without `##`."""
        return text.removeprefix(PREFIX)


def _words(aligned: AlignedText) -> Iterator[tuple[str, int, int]]:
    """Yield the words and punctuation marks of a normalized text, each with its start and end."""
    start = 0
    for piece, rule in split_bert.explain(aligned.text):
        end = start + len(piece)
        if rule != split_bert.separator:
            yield piece, start, end
        start = end


SPACE = "▁"


class SentencePiece(TrainedTokenizer):
    """A SentencePiece model: the text is normalized (NFKC, single spaces), and `▁` represents a space.

    >>> unigram = SentencePiece("hug hugs hug", 9, "unigram")
    >>> [token.entry for token in unigram.encode("hugs")][0]
    '▁hug'
    """

    special = frozenset({"<unk>", "<s>", "</s>"})

    def __init__(self, corpus: str, vocab_size: int, model_type: str) -> None:
        """Train on the lines of a corpus; the alphabet contains every character of the corpus."""
        model = io.BytesIO()
        SentencePieceTrainer.train(
            sentence_iterator=iter(without_surrogates(corpus).splitlines()),
            model_writer=model,
            vocab_size=vocab_size,
            model_type=model_type,
            character_coverage=1.0,
            hard_vocab_limit=False,
        )
        self.processor = SentencePieceProcessor(model_proto=model.getvalue())
        self.vocabulary = [self.processor.id_to_piece(id) for id in range(self.processor.get_piece_size())]

    def encode(self, text: str) -> list[Token]:
        """Return the tokens of a text; a run of unknown characters is one unknown token."""
        unknown = self.processor.unk_id()
        # subtle: offsets in a proto count bytes; those of other return types count characters.
        pieces = self.processor.encode(without_surrogates(text), return_type="proto").pieces
        return [Token(one.piece, one.begin, one.end, one.id == unknown) for one in pieces]

    def decode(self, tokens: Iterable[Token]) -> str:
        """Return the text of the ids; an unknown token becomes ⁇."""
        ids = [self.processor.unk_id() if one.unknown else self.processor.piece_to_id(str(one.entry)) for one in tokens]
        return str(self.processor.decode(ids))

    def without_marker(self, text: str) -> str:
        """Return an entry without the `▁` before a word."""
        return text.removeprefix(SPACE)


class SubwordText(TrainedTokenizer):
    """SubwordTextEncoder: a trailing `_` marks the end of a token, and a rare character is written as its code point.

    >>> encoder = SubwordText("hug hugs hug hugs", 28)
    >>> encoder.decode(encoder.encode("hugs_é  hug"))
    'hugs_é  hug'
    """

    special = frozenset(f"{name}_" for name in RESERVED_TOKENS)

    def __init__(self, corpus: str, vocab_size: int) -> None:
        """Train on the lines of a corpus; the size of the vocabulary is close to `vocab_size`, but may differ."""
        lines = without_surrogates(corpus).splitlines()
        self.encoder = SubwordTextEncoder.build_from_generator(lines, vocab_size)
        self.vocabulary = self.encoder.all_subtoken_strings
        self._ids = {entry: id for id, entry in enumerate(self.vocabulary)}
        self._alphabet = self.encoder._alphabet

    def encode(self, text: str) -> list[Token]:
        """Return the subtokens of a text; no token is unknown."""
        text = without_surrogates(text)
        offsets, tokens = byte_offsets(text), []
        for run in split_into_runs.steps(text):
            if run.kept:
                tokens += self._encode_run(run.text, run.start, offsets)
        return tokens

    def _encode_run(self, token: str, start: int, offsets: list[int]) -> list[Token]:
        # For each character of the escaped form, the character of the token that it belongs to.
        owners = [at for at, one in enumerate(escape.steps(token, self._alphabet)) for _ in one.escaped]
        tokens, place = [], 0
        for entry in self.encoder.decode_list(self.encoder.encode_without_tokenizing(token)):
            first, last = owners[place], owners[place + len(entry) - 1]
            end = min(last + 1, len(token))
            tokens.append(Token(entry, offsets[start + first], offsets[start + end]))
            place += len(entry)
        return tokens

    def decode(self, tokens: Iterable[Token]) -> str:
        """Return the text of the ids."""
        return self.encoder.decode(self._ids[str(token.entry)] for token in tokens)

    def without_marker(self, text: str) -> str:
        """Return an entry without the `_` that ends a token."""
        return text.removesuffix(END_MARKER)


class Bytes(TrainedTokenizer):
    """Each byte of the text, in UTF-8, is a token.

    >>> [token.entry for token in Bytes().encode("é")]
    [b'\\xc3', b'\\xa9']
    """

    def __init__(self, corpus: str = "", vocab_size: int = 256) -> None:
        """Take the arguments of the other families; they change nothing."""
        self.vocabulary = [bytes([byte]) for byte in range(256)]

    def encode(self, text: str) -> list[Token]:
        """Return a token for each byte."""
        data = without_surrogates(text).encode()
        return [Token(data[at : at + 1], at, at + 1) for at in range(len(data))]

    def decode(self, tokens: Iterable[Token]) -> str:
        """Join the bytes and decode them."""
        return b"".join(entry for token in tokens if isinstance(entry := token.entry, bytes)).decode(errors="replace")


FAMILIES: dict[str, Callable[[str, int], TrainedTokenizer]] = {
    "BPE": CharacterBpe,
    "byte-level BPE": ByteLevelBpe,
    "WordPiece": WordPiece,
    "Unigram": partial(SentencePiece, model_type="unigram"),
    "SentencePiece BPE": partial(SentencePiece, model_type="bpe"),
    "SubwordTextEncoder": SubwordText,
    "bytes": Bytes,
}


def train(family: str, corpus: str, vocab_size: int) -> TrainedTokenizer:
    """Return a tokenizer of a family, trained on a corpus; the same call returns the same object.

    Args:
        family: a name of `FAMILIES`.
        corpus: the training text.
        vocab_size: the number of entries. `bytes` always has 256, and byte-level BPE has at least 256.

    Raises:
        ValueError: an unknown family, a corpus without words, or a vocabulary smaller than the alphabet of the corpus.

    >>> train("bytes", "hug", 1) is train("bytes", "hug", 1)
    True
    """
    lookup("family", family, FAMILIES)
    check_integer("vocab_size", vocab_size, at_least=1)
    if not corpus.split():
        raise ValueError("corpus has no word; give a text with at least one word")
    return _train(family, corpus, vocab_size)


@lru_cache(maxsize=64)
def _train(family: str, corpus: str, vocab_size: int) -> TrainedTokenizer:
    try:
        return FAMILIES[family](corpus, vocab_size)
    except RuntimeError as error:  # sentencepiece's
        raise ValueError(f"{family}: {error}") from None


def train_all(corpus: str, vocab_size: int) -> dict[str, TrainedTokenizer]:
    """Return a trained tokenizer of each family; arguments and errors as in `train`.

    >>> len(train_all("hug hugs hug hugs", 40))
    7
    """
    return {family: train(family, corpus, vocab_size) for family in FAMILIES}


def read_corpus(corpus: str | Path, *more: str | Path) -> str:
    """Return the text of corpora: names of shipped corpora, such as "english", or paths of UTF-8 files.

    Raises:
        FileNotFoundError, PermissionError: a file cannot be read.
        ValueError: a file is not UTF-8.

    >>> read_corpus("english") == data.text("english")
    True
    """
    shipped = {file.stem for file in data.FOLDER.glob("*.txt")}
    return "\n".join(
        data.text(str(one)) if str(one) in shipped else files.read_text(Path(one)) for one in (corpus, *more)
    )
