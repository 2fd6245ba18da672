"""`BertTokenizer`: words and punctuation marks, and the WordPiece pieces of each word.

Adds: `BasicTokenizer`, google-research/bert's with words that are never split, Chinese characters kept inside words,
    accents removed or kept independently of the case, and a cache of words; it removes private-use, unassigned and
    surrogate code points. The file vocab.txt, with one token per line; `WordpieceTokenizer` with a cache of words.
Leaves out: the splitting itself, which is inherited from `tokenlab.libraries.bert`, and everything that slow tokenizers
    share.

A vocabulary file that is empty, has a token twice, or does not end with a line feed gives a warning; the library is
silent. Of a token that occurs twice, the later id counts.

Source: transformers 4.26.1, models/bert/tokenization_bert.py.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Collection, Generator, Iterable, Mapping
from functools import cache, partial
from typing import Any, ClassVar

from tokenlab.algorithms.pipeline.unicode_versions import CharacterTable
from tokenlab.algorithms.text.normalization_rules import cleaned_others, spaced_cjk
from tokenlab.algorithms.text.normalize import RuleApplied, normalize
from tokenlab.algorithms.text.word_cache import WordCache
from tokenlab.algorithms.wordpiece.encode import MAX_INPUT_CHARS_PER_WORD, Step
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder
from tokenlab.libraries.bert.tokenization import BasicTokenizer as OriginalBasicTokenizer
from tokenlab.libraries.bert.tokenization import WordpieceTokenizer as OriginalWordpieceTokenizer
from tokenlab.libraries.bert.tokenization import WordsSplit, whitespace_tokenize
from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.bert.configuration_bert import REPOSITORIES
from tokenlab.libraries.transformers.tokenization.save_and_load import (
    check_consecutive,
    read_token_lines,
    save_vocabulary,
)
from tokenlab.libraries.transformers.tokenization.sequence_layouts import ClsSepLayout
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import Token
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.libraries.transformers.tokenization_utils_base import join_tokens
from tokenlab.libraries.transformers.utils import call_settings, is_overridden
from tokenlab.printing.errors import warn
from tokenlab.steps.traced_method import traced_method
from tokenlab.storage import files

VOCAB_FILES_NAMES = {"vocab_file": "vocab.txt"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)
PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES = dict.fromkeys(REPOSITORIES, 512)
LOWERCASED = ("bert-base-german-dbmdz-uncased", "TurkuNLP/bert-base-finnish-uncased-v1")
PRETRAINED_INIT_CONFIGURATION = {
    name: {"do_lower_case": name in LOWERCASED or (name.startswith("bert-") and "uncased" in name)}
    for name in REPOSITORIES
}
CLEANED, SPACED_CJK = CharacterTable(cleaned_others), CharacterTable(spaced_cjk)


class BasicTokenizer(OriginalBasicTokenizer):
    """Splits a text into words and punctuation marks. A subclass may override each of its methods.

    >>> BasicTokenizer(never_split=["[X]"]).tokenize("Café [X] [Y]")
    ['cafe', '[X]', '[', 'y', ']']
    """

    def __init__(
        self,
        do_lower_case: bool = True,
        never_split: Iterable[str] | None = None,
        tokenize_chinese_chars: bool = True,
        strip_accents: bool | None = None,
    ) -> None:
        """Take the options.

        Args:
            do_lower_case: lowercase the words.
            never_split: words that are neither changed nor split, if they have whitespace around them.
            tokenize_chinese_chars: split before and after every Chinese character.
            strip_accents: remove accents; None for the value of `do_lower_case`.
        """
        super().__init__(do_lower_case)
        self.never_split = set(never_split or ())
        self.tokenize_chinese_chars = tokenize_chinese_chars
        self.strip_accents = strip_accents

    def _rules(self) -> list[str]:
        """Return the names of the normalization rules, as in `algorithms.text.normalize`."""
        return [
            "clean others",
            *(["space CJK"] if self.tokenize_chinese_chars else []),
            *(["lowercase words"] if self.do_lower_case else []),
            *(["NFD", "strip accents"] if self._strips_accents() else []),
        ]

    def _steps_of_tokenize(
        self, text: str, never_split: Collection[str] | None = None
    ) -> Generator[RuleApplied | WordsSplit, None, list[str]]:
        words = self.tokenize(text, never_split)
        whole = self.never_split.union(never_split or ())
        # The rules describe neither an overridden method nor words that are kept unchanged.
        if not is_overridden(self, *_METHODS) and whole.isdisjoint(words):
            yield from normalize.steps(text, self._rules())
        yield WordsSplit(tuple(words))
        return words

    @traced_method(_steps_of_tokenize)
    def tokenize(  # type: ignore[override]
        self, text: str, never_split: Collection[str] | None = None
    ) -> list[str]:
        """Return the words and punctuation marks of a text; `tokenize.record` records what each rule changed.

        Args:
            text: any text.
            never_split: more words that are neither changed nor split.
        """
        whole = self.never_split.union(never_split) if never_split else self.never_split
        text = self._clean_text(text)
        if self.tokenize_chinese_chars:
            text = self._tokenize_chinese_chars(text)
        known = None if is_overridden(self, *_WORD_METHODS) else word_cache(self.do_lower_case, self._strips_accents())
        words: list[str] = []
        for word in whitespace_tokenize(text):
            if word in whole:
                words.append(word)
                continue
            changed, parts = known[word] if known is not None else self._split_word(word, whole)
            words += [changed] if changed in whole else parts
        return words

    def _strips_accents(self) -> bool:
        return self.strip_accents is not False if self.do_lower_case else bool(self.strip_accents)

    def _split_word(self, word: str, never_split: Collection[str] | None = None) -> tuple[str, list[str]]:
        """Return a word without case and accents, and its parts."""
        changed = word.lower() if self.do_lower_case else word
        if self._strips_accents():
            changed = self._run_strip_accents(changed)
        return changed, whitespace_tokenize(" ".join(self._run_split_on_punc(changed, never_split)))

    def _run_split_on_punc(self, text: str, never_split: Collection[str] | None = None) -> list[str]:
        if never_split is not None and text in never_split:
            return [text]
        return super()._run_split_on_punc(text)

    def _tokenize_chinese_chars(self, text: str) -> str:
        if is_overridden(self, "_is_chinese_char"):
            return super()._tokenize_chinese_chars(text)
        return text.translate(SPACED_CJK)

    def _clean_text(self, text: str) -> str:
        return text.translate(CLEANED)


_WORD_METHODS = ("_run_strip_accents", "_run_split_on_punc", "_split_word", "_strips_accents")
_METHODS = (*_WORD_METHODS, "tokenize", "_tokenize_chinese_chars", "_is_chinese_char", "_clean_text")


@cache
def word_cache(lower: bool, strips_accents: bool) -> WordCache[tuple[str, list[str]]]:
    """Return the cache of changed words and their parts for two options; all tokenizers share it."""
    return WordCache(partial(BasicTokenizer._split_word, BasicTokenizer(lower, strip_accents=strips_accents)))


def load_vocab(vocab_file: Any) -> OrderedDict[str, int]:
    r"""Return the tokens of a vocabulary file with their ids, which are the line numbers from 0 on.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is not UTF-8.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = files.write_atomically(f"{folder}/vocab.txt", "[UNK]\nthe\n")
    ...     dict(load_vocab(f"{folder}/vocab.txt"))
    {'[UNK]': 0, 'the': 1}
    """
    lines = read_token_lines(vocab_file)
    vocab = OrderedDict((token, id) for id, token in enumerate(lines))
    if not lines:
        warn(f"{vocab_file} is empty; a vocabulary file has one token per line")
    if len(vocab) < len(lines):
        again = next(token for id, token in enumerate(lines) if vocab[token] != id)
        first, last = lines.index(again) + 1, vocab[again] + 1
        warn(f"{vocab_file} has {again!r:.60} in line {first} and again in line {last}; only the later id is used")
    return vocab


class WordpieceTokenizer(OriginalWordpieceTokenizer):
    """Splits words into pieces by greedy longest match, from the left.

    >>> WordpieceTokenizer({"un", "##aff", "##able"}, unk_token="[UNK]").tokenize("unaffable affable")
    ['un', '##aff', '##able', '[UNK]']
    """

    def __init__(
        self, vocab: Collection[str], unk_token: str, max_input_chars_per_word: int = MAX_INPUT_CHARS_PER_WORD
    ) -> None:
        """Take the vocabulary, which may change later, and the token of words that are too long or not covered."""
        super().__init__(vocab, unk_token, max_input_chars_per_word)
        self._encoder: tuple[Any, WordPieceEncoder] | None = None

    def _tokenize_in_steps(self, text: str) -> Generator[Step, None, list[str]]:
        return (yield from OriginalWordpieceTokenizer.tokenize.steps(self, text))

    @traced_method(_tokenize_in_steps)
    def tokenize(self, text: str) -> list[str]:  # type: ignore[override]
        """Return the pieces of the whitespace-separated words of a text; `tokenize.record` records the steps."""
        pieces_of = self._current_encoder().word
        return [piece for word in whitespace_tokenize(text) for piece in pieces_of(word)]

    def _current_encoder(self) -> WordPieceEncoder:
        """Return an encoder, built again if a token was added, removed or replaced, or an option has changed."""
        vocab = self.vocab
        last = next(reversed(vocab), None) if isinstance(vocab, dict) else None  # a new token is the last one
        state = (id(vocab), len(vocab), last, self.unk_token, self.max_input_chars_per_word)
        if self._encoder is None or self._encoder[0] != state:
            options = {"unknown": self.unk_token, "max_input_chars_per_word": self.max_input_chars_per_word}
            self._encoder = state, WordPieceEncoder(vocab, **options)  # type: ignore[arg-type]
        return self._encoder[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_encoder": None}


class BertTokenizer(ClsSepLayout, PreTrainedTokenizer):
    """The slow tokenizer of BERT."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    pretrained_init_configuration: ClassVar[Mapping[str, Mapping[str, Any]]] = PRETRAINED_INIT_CONFIGURATION
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES

    def __init__(
        self,
        vocab_file: Any,
        do_lower_case: bool = True,
        do_basic_tokenize: bool = True,
        never_split: Iterable[str] | None = None,
        unk_token: Token = "[UNK]",
        sep_token: Token = "[SEP]",
        pad_token: Token = "[PAD]",
        cls_token: Token = "[CLS]",
        mask_token: Token = "[MASK]",
        tokenize_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Load a vocabulary file.

        Args:
            vocab_file: its path.
            do_lower_case, never_split, tokenize_chinese_chars, strip_accents: as in `BasicTokenizer`.
            do_basic_tokenize: split into words and punctuation marks before WordPiece; otherwise only at whitespace.
            unk_token: the token of a word that the vocabulary does not cover.
            sep_token: the token after each text.
            pad_token: the padding token of shorter texts in a batch.
            cls_token: the token at the beginning.
            mask_token: the token of a word that the model should predict.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            ValueError: there is no such file, or it is not UTF-8.
        """
        super().__init__(**call_settings(locals(), "vocab_file"))
        if not os.path.isfile(vocab_file):
            raise ValueError(f"vocab_file={str(vocab_file)!r} does not exist; give the path of a vocab.txt")
        self.vocab = load_vocab(vocab_file)
        self.ids_to_tokens = OrderedDict((id, token) for token, id in self.vocab.items())
        self.do_basic_tokenize = do_basic_tokenize
        if do_basic_tokenize:
            self.basic_tokenizer = BasicTokenizer(do_lower_case, never_split, tokenize_chinese_chars, strip_accents)
        self.wordpiece_tokenizer = WordpieceTokenizer(vocab=self.vocab, unk_token=self.unk_token)

    @property
    def do_lower_case(self) -> bool:
        """True if texts are lowercased."""
        return self.basic_tokenizer.do_lower_case

    @property
    def vocab_size(self) -> int:
        """The number of different tokens in the vocabulary file."""
        return len(self.vocab)

    def get_vocab(self) -> dict[str, int]:
        """Return the id of every token."""
        return dict(self.vocab, **self.added_tokens_encoder)

    def _tokenize(self, text: str) -> list[str]:
        pieces_of = self.wordpiece_tokenizer.tokenize
        if not self.do_basic_tokenize:
            return pieces_of(text)
        whole = self.basic_tokenizer.never_split
        pieces: list[str] = []
        for word in self.basic_tokenizer.tokenize(text, never_split=self.all_special_tokens):
            pieces += [word] if word in whole else pieces_of(word)
        return pieces

    def _convert_token_to_id(self, token: str) -> Any:
        id = self.vocab.get(token)
        return self.vocab.get(self.unk_token) if id is None else id

    def _convert_id_to_token(self, index: int) -> Any:  # None if the id is unknown and there is no unknown token
        return self.ids_to_tokens.get(index, self.unk_token)

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens: pieces joined into words, and a space between two words.

        >>> BertTokenizer.convert_tokens_to_string(None, ["un", "##able", "!"])
        'unable !'
        """
        return join_tokens(tokens, " ").replace(" ##", "").strip()

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Write vocab.txt into a folder, and return its path.

        Args:
            save_directory: a folder, or as in the library the path of the file.
            filename_prefix: is put before the file's name, or before the whole path.

        Raises:
            FileNotFoundError: the folder of the file does not exist.
        """
        if os.path.isdir(save_directory):
            return save_vocabulary(self, save_directory, filename_prefix)
        path = f"{filename_prefix}-{save_directory}" if filename_prefix else str(save_directory)
        files.write_atomically(path, self._vocabulary_files()["vocab.txt"].decode())
        return (path,)

    def _vocabulary_files(self) -> dict[str, bytes]:
        by_id = sorted(self.vocab.items(), key=lambda entry: entry[1])
        check_consecutive("vocab.txt", "tokens", [id for _, id in by_id])
        return {"vocab.txt": "".join(f"{token}\n" for token, _ in by_id).encode()}
