"""`T5Tokenizer`: SentencePiece, sentinels at the top of the ids, and `</s>` at the end.

Adds: sentinels, which no model file has. `<extra_id_0>` is the last id, `<extra_id_1>` the one before.
Leaves out: everything that slow tokenizers share, which is `tokenization_utils`.

As in the library, a tokenizer made by its class cuts `</s>` and sentinels in texts to pieces; one that comes from
`from_pretrained` finds them. An id behind the sentinels, which a model with spare rows can return, is `<extra_id_-1>`
and so on downwards; an id below zero is an IndexError.

What differs: a name `<extra_id_` without a number is a ValueError, which says so, and no AttributeError.

Source: transformers 4.26.1, models/t5/tokenization_t5.py.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tokenlab.sentencepiece import SentencePieceProcessor
from tokenlab.transformers.padding import Ids
from tokenlab.transformers.special_tokens import Token
from tokenlab.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.transformers.tokenizer_files import write_all

VOCABULARY = "spiece.model"


class T5Tokenizer(PreTrainedTokenizer):
    """The tokenizer of T5, with the public interface of transformers 4.26.1."""

    vocab_files_names: ClassVar[Mapping[str, str]] = {"vocab_file": VOCABULARY}
    model_input_names = ("input_ids", "attention_mask")

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
        """Take a model file of SentencePiece.

        Args:
            vocab_file: its path.
            eos_token: stands at the end of each text.
            unk_token: stands for what the model does not know.
            pad_token: fills up the shorter texts of a batch.
            extra_ids: how many sentinels there are.
            additional_special_tokens: None for the sentinels alone; a list has to have all of them.
            sp_model_kwargs: for the SentencePieceProcessor, as in `{"enable_sampling": True}`.
            kwargs: those of every tokenizer, as `model_max_length`.

        Raises:
            FileNotFoundError: there is no such file.
            RuntimeError: the file is no model.
            ValueError: `additional_special_tokens` has more or fewer sentinels than `extra_ids`.
        """
        if extra_ids > 0 and additional_special_tokens is None:
            additional_special_tokens = [f"<extra_id_{number}>" for number in range(extra_ids)]
        elif extra_ids > 0 and additional_special_tokens is not None:
            _check_sentinels(extra_ids, additional_special_tokens)
        self.sp_model_kwargs = {} if sp_model_kwargs is None else sp_model_kwargs
        super().__init__(
            eos_token=eos_token,
            unk_token=unk_token,
            pad_token=pad_token,
            extra_ids=extra_ids,
            additional_special_tokens=additional_special_tokens,
            sp_model_kwargs=self.sp_model_kwargs,
            **kwargs,
        )
        self.vocab_file = _checked_file(vocab_file)
        self._extra_ids = extra_ids
        self.sp_model = SentencePieceProcessor(**self.sp_model_kwargs)
        self.sp_model.Load(self.vocab_file)

    @property
    def vocab_size(self) -> int:
        """The pieces of the model and the sentinels."""
        return self._pieces() + self._extra_ids

    def _pieces(self) -> int:
        return self.sp_model.GetPieceSize()

    def get_vocab(self) -> dict[str, int]:
        """The id of every token."""
        return {self.convert_ids_to_tokens(id): id for id in range(self.vocab_size)} | self.added_tokens_encoder

    # --- sentinels ----------------------------------------------------------------------------------

    def get_sentinel_tokens(self) -> list[str]:
        """The additional special tokens, each once, in their order; the library gives them in any order."""
        return list(dict.fromkeys(self.additional_special_tokens))

    def get_sentinel_token_ids(self) -> Ids:
        """Their ids."""
        return [self._convert_token_to_id(token) for token in self.get_sentinel_tokens()]

    def _convert_token_to_id(self, token: str) -> int:
        if token.startswith("<extra_id_"):
            return self.vocab_size - 1 - _sentinel_number(token)  # subtle: they count down
        return int(self.sp_model.PieceToId(token))

    def _convert_id_to_token(self, index: int) -> str:
        if index < 0:
            raise IndexError(f"id {index} is not in this vocabulary; its ids are 0 to {len(self) - 1}")
        if index < self._pieces():
            return str(self.sp_model.IdToPiece(index))
        return f"<extra_id_{self.vocab_size - 1 - index}>"

    # --- text ---------------------------------------------------------------------------------------

    def _tokenize(self, text: str) -> list[str]:
        return list(self.sp_model.Encode(text, out_type=str))

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        """The text that tokens stand for; special tokens stand in it as they are, a blank before the first of a run."""
        special = set(self.all_special_tokens)
        text, pieces, after_special = "", list[str](), False
        for token in tokens:
            if token in special:
                # subtle: the blank comes before the pieces that precede the special token, not between the two
                text += ("" if after_special else " ") + self._joined(pieces) + token
                pieces = []
            else:
                pieces.append(token)
            after_special = token in special
        return (text + self._joined(pieces)).strip()

    def _joined(self, pieces: list[str]) -> str:
        return str(self.sp_model.Decode(pieces)) if pieces else ""

    # --- the end of a text --------------------------------------------------------------------------

    def build_inputs_with_special_tokens(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """`A </s>`, or `A </s> B </s>`."""
        second = [] if token_ids_1 is None else self._add_eos_if_not_present(token_ids_1)
        return self._add_eos_if_not_present(token_ids_0) + second

    def _add_eos_if_not_present(self, token_ids: Ids) -> Ids:
        if not token_ids or token_ids[-1] != self.eos_token_id:
            return [*token_ids, self.eos_token_id]
        warnings.warn(f"the text ends with {self.eos_token} already; no second one is added", stacklevel=2)
        return token_ids

    def get_special_tokens_mask(
        self, token_ids_0: Ids, token_ids_1: Ids | None = None, already_has_special_tokens: bool = False
    ) -> Ids:
        """1 for a special token, 0 for one of the text."""
        if already_has_special_tokens:
            return super().get_special_tokens_mask(token_ids_0, token_ids_1, already_has_special_tokens=True)
        second = [] if token_ids_1 is None else [0] * len(token_ids_1) + [1]
        return [0] * len(token_ids_0) + [1] + second

    def create_token_type_ids_from_sequences(self, token_ids_0: Ids, token_ids_1: Ids | None = None) -> Ids:
        """Zeros: T5 does not tell two texts apart."""
        return [0] * len(self.get_special_tokens_mask(token_ids_0, token_ids_1))

    # --- files --------------------------------------------------------------------------------------

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str]:
        """Write the model file, without sentinels, into a folder; its path.

        Raises:
            FileNotFoundError: there is no such folder.
        """
        if not os.path.isdir(save_directory):
            raise FileNotFoundError(f"there is no folder {str(save_directory)!r} to write {VOCABULARY} into")
        name = f"{filename_prefix}-{VOCABULARY}" if filename_prefix else VOCABULARY
        write_all(save_directory, {name: self._vocabulary_files()[VOCABULARY]})
        return (os.path.join(save_directory, name),)

    def _vocabulary_files(self) -> dict[str, bytes]:
        if not os.path.isfile(self.vocab_file):
            return {VOCABULARY: self.sp_model.serialized_model_proto()}
        with open(self.vocab_file, "rb") as file:
            return {VOCABULARY: file.read()}


def _checked_file(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"vocab_file={path!r:.60} should be the path of a model file of SentencePiece")
    if not os.path.isfile(path):
        raise FileNotFoundError(f"vocab_file={str(path)!r} is not there; give the path of a model file")
    return os.fspath(path)


def _check_sentinels(extra_ids: int, tokens: Sequence[Token]) -> None:
    found = len({token for token in tokens if "extra_id" in str(token)})
    if found != extra_ids:
        raise ValueError(
            f"extra_ids={extra_ids}, but additional_special_tokens has {found} sentinels; "
            f"give both the same number, or leave additional_special_tokens out"
        )


def _sentinel_number(token: str) -> int:
    """The number in a sentinel's name.

    >>> _sentinel_number("<extra_id_17>")
    17
    """
    match = re.match(r"<extra_id_(\d+)>", token)
    if match is None:
        raise ValueError(f"{token!r} begins like a sentinel and has no number; write it as in <extra_id_0>")
    return int(match[1])
