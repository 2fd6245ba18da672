"""`T5Tokenizer`: SentencePiece, sentinels at the top of the ids, and `</s>` at the end.

Adds: sentinels, which are not in the model file. `<extra_id_0>` is the last id, `<extra_id_1>` the one before.
Leaves out: everything that slow tokenizers share, which is in `tokenization_utils`.

As in the library, a tokenizer created by its class splits `</s>` and sentinels in texts into pieces; a tokenizer from
`from_pretrained` recognizes them. An id after the sentinels, which a model with unused embedding rows can return, is
`<extra_id_-1>` and so on downwards; a negative id is an IndexError.

Difference: a token `<extra_id_` without a number is a ValueError with an explanation, not an AttributeError.

Source: transformers 4.26.1, models/t5/tokenization_t5.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from tokenlab.libraries.transformers.hub import vocab_file_urls
from tokenlab.libraries.transformers.models.t5.configuration_t5 import REPOSITORIES
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.sentencepiece_tokenizer import SentencePieceTokenizer
from tokenlab.libraries.transformers.tokenization.special_tokens_mixin import SpecialTokensMixin, Token
from tokenlab.libraries.transformers.utils import call_settings
from tokenlab.printing.errors import warn

VOCAB_FILES_NAMES = {"vocab_file": "spiece.model"}
PRETRAINED_VOCAB_FILES_MAP = vocab_file_urls(REPOSITORIES, VOCAB_FILES_NAMES)
PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES = dict.fromkeys(REPOSITORIES, 512)


class SentinelMethods(SpecialTokensMixin):
    """The method of T5's slow and fast tokenizer."""

    def get_sentinel_tokens(self) -> list[str]:
        """Return the additional special tokens, each once, in order; the library's order is undefined."""
        return list(dict.fromkeys(self.additional_special_tokens))


def default_special_tokens(extra_ids: int, additional_special_tokens: Sequence[Any] | None) -> Sequence[Any] | None:
    """Return the additional special tokens; if none are given, the sentinels.

    >>> default_special_tokens(2, None), default_special_tokens(2, ["<a>"])
    (['<extra_id_0>', '<extra_id_1>'], ['<a>'])
    """
    if extra_ids <= 0 or additional_special_tokens is not None:
        return additional_special_tokens
    return [f"<extra_id_{number}>" for number in range(extra_ids)]


def check_sentinels(extra_ids: int, additional_special_tokens: Iterable[Any], prefix: str) -> None:
    """Raise a ValueError if there are more or fewer sentinels than `extra_ids`.

    Args:
        extra_ids: the number of sentinels; with 0, any number is accepted.
        additional_special_tokens: the tokens; each different one counts once.
        prefix: the text in every sentinel: in the library, "extra_id" in slow and "extra_id_" in fast tokenizers.

    >>> check_sentinels(2, ["<extra_id_0>"], "extra_id")
    Traceback (most recent call last):
    ...
    ValueError: extra_ids=2, but additional_special_tokens has 1 sentinels; make the numbers equal, or omit ...
    """
    found = len({token for token in additional_special_tokens if prefix in str(token)})
    if extra_ids > 0 and found != extra_ids:
        raise ValueError(
            f"extra_ids={extra_ids}, but additional_special_tokens has {found} sentinels; "
            "make the numbers equal, or omit additional_special_tokens"
        )


class T5Tokenizer(SentencePieceTokenizer, SentinelMethods):
    """The slow tokenizer of T5."""

    vocab_files_names: ClassVar[Mapping[str, str]] = VOCAB_FILES_NAMES
    pretrained_vocab_files_map: ClassVar[Mapping[str, Mapping[str, str]]] = PRETRAINED_VOCAB_FILES_MAP
    max_model_input_sizes: ClassVar[Mapping[str, int | None]] = PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES
    model_input_names: Sequence[str] = ["input_ids", "attention_mask"]

    def __init__(
        self,
        vocab_file: Any,
        eos_token: Token = "</s>",
        unk_token: Token = "<unk>",
        pad_token: Token = "<pad>",
        extra_ids: int = 100,
        additional_special_tokens: Sequence[Token] | None = None,
        sp_model_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Load a SentencePiece model file.

        Args:
            vocab_file: its path.
            eos_token: the token at the end of each text.
            unk_token: the token for unknown characters.
            pad_token: the padding token of shorter texts in a batch.
            extra_ids: the number of sentinels.
            additional_special_tokens: None for the sentinels only; a list must contain all of them.
            sp_model_kwargs: for the SentencePieceProcessor, as in `{"enable_sampling": True}`.
            kwargs: the arguments of every tokenizer, such as `model_max_length`.

        Raises:
            FileNotFoundError: the file does not exist.
            RuntimeError: the file is no SentencePiece model.
            ValueError: `additional_special_tokens` has more or fewer sentinels than `extra_ids`.
        """
        additional_special_tokens = default_special_tokens(extra_ids, additional_special_tokens)
        super().__init__(**call_settings(locals(), "vocab_file"))
        check_sentinels(extra_ids, self.additional_special_tokens, "extra_id")
        self._extra_ids = extra_ids
        self._load_sp_model(vocab_file)

    @staticmethod
    def _eventually_correct_t5_max_length(
        pretrained_model_name_or_path: Any, max_model_length: int, init_max_model_length: int | None
    ) -> int:
        """Return the maximum length of a released model: the given one, or 512, which is not a limit of T5.

        Args:
            pretrained_model_name_or_path: a folder or repository; only the names of released models matter.
            max_model_length: the length in `max_model_input_sizes`.
            init_max_model_length: the given length, or None.
        """
        if pretrained_model_name_or_path not in PRETRAINED_POSITIONAL_EMBEDDINGS_SIZES:
            return max_model_length
        if init_max_model_length is not None and init_max_model_length != max_model_length:
            return init_max_model_length
        if init_max_model_length is None:
            warn(
                f"{pretrained_model_name_or_path} gets model_max_length={max_model_length}, but T5 has no maximum; "
                "give model_max_length, or max_length in each call",
                FutureWarning,
            )
        return max_model_length

    @property
    def vocab_size(self) -> int:
        """The number of pieces of the model and sentinels."""
        return self.sp_model.get_piece_size() + self._extra_ids

    # --- sentinels ----------------------------------------------------------------------------------

    def get_sentinel_token_ids(self) -> Ids:
        """Return the ids of the sentinels."""
        return [self._convert_token_to_id(token) for token in self.get_sentinel_tokens()]

    def _convert_token_to_id(self, token: str) -> int:
        if not token.startswith("<extra_id_"):
            return int(self.sp_model.piece_to_id(token))
        if (match := re.match(r"<extra_id_(\d+)>", token)) is None:
            raise ValueError(
                f"{token!r} starts like a sentinel but has no number from 0 on; write it like <extra_id_0>"
            )
        return self.vocab_size - 1 - int(match[1])  # subtle: sentinel ids count down

    def _convert_id_to_token(self, index: int) -> str:
        if index < 0:
            raise IndexError(f"id {index} is not in this vocabulary; its ids are 0 to {len(self) - 1}")
        if index < self.sp_model.get_piece_size():
            return str(self.sp_model.IdToPiece(index))
        return f"<extra_id_{self.vocab_size - 1 - index}>"

    # --- text ---------------------------------------------------------------------------------------

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """Return the text of tokens; special tokens are kept, with a space before the first of a run."""
        return self._decode_around_special_tokens(tokens)

    # --- the end of a text --------------------------------------------------------------------------

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return the ids of `A </s>`, or of `A </s> B </s>`."""
        second = [] if token_ids_1 is None else self._add_eos_if_not_present(token_ids_1)
        return self._add_eos_if_not_present(token_ids_0) + second

    def _add_eos_if_not_present(self, token_ids: Ids) -> Ids:
        end = [self.eos_token_id]
        if not token_ids or token_ids[-1] != end[0]:
            return token_ids + end
        warn(f"the text already ends with {self.eos_token}; no second one is added")
        return token_ids

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """Return 1 for special tokens and 0 for tokens of the text."""
        if already_has_special_tokens:
            return super().get_special_tokens_mask(token_ids_0, token_ids_1, already_has_special_tokens=True)
        second = [] if token_ids_1 is None else [0] * len(token_ids_1) + [1]
        return [0] * len(token_ids_0) + [1] + second

    def create_token_type_ids_from_sequences(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Return zeros: T5 does not distinguish two texts."""
        return [0] * (len(token_ids_0) + 1 + (0 if token_ids_1 is None else len(token_ids_1) + 1))
