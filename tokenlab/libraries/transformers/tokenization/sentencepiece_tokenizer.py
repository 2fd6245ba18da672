"""`SentencePieceTokenizer`: the common parts of slow tokenizers with a SentencePiece model file, and of the fast ones.

Adds: loading, tokenizing, the file, and pickling without the loaded model; for a batch, ids without the tokens; the
    file that a fast tokenizer was converted from.
Leaves out: ids of tokens, which each family derives from the file's ids in its own way.

Source: transformers 4.26.1, models/{t5,albert,xlm_roberta}/tokenization_*.py, which repeat this code.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.results import to_text
from tokenlab.libraries.transformers.tokenization.padding_and_truncation import Ids
from tokenlab.libraries.transformers.tokenization.save_and_load import check_path, save_vocabulary
from tokenlab.libraries.transformers.tokenization.tokenizer_call_options import TokenizerCallOptions
from tokenlab.libraries.transformers.tokenization.trie import Trie, lower_except
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer
from tokenlab.libraries.transformers.tokenization_utils_base import about_tokens
from tokenlab.libraries.transformers.tokenization_utils_fast import PreTrainedTokenizerFast
from tokenlab.libraries.transformers.utils import is_overridden

SPIECE_UNDERLINE = "▁"
STEPS_OF_PROCESSOR = ("Encode", "encode", "EncodeAsPieces", "PieceToId", "piece_to_id")


class SentencePieceTokenizer(PreTrainedTokenizer):
    """A slow tokenizer with the attributes `sp_model`, `sp_model_kwargs` and `vocab_file`."""

    sp_model_kwargs: dict[str, Any]
    _steps_to_ids: ClassVar[tuple[str, ...]] = (
        "prepare_for_tokenization", "tokenize", "_tokenize", "_lowers", "_text_of_model", "_tokens_of_pieces",
        "convert_tokens_to_ids", "_convert_token_to_id_with_added_voc", "_convert_token_to_id",
    )  # fmt: skip

    def __init__(self, sp_model_kwargs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Set the special tokens and the options; a subclass then calls `_load_sp_model`."""
        self.sp_model_kwargs = {} if sp_model_kwargs is None else sp_model_kwargs
        super().__init__(sp_model_kwargs=self.sp_model_kwargs, **kwargs)

    def _load_sp_model(self, vocab_file: Any) -> None:
        """Load a model file; errors as `check_path`, and a RuntimeError if it is no SentencePiece model."""
        self.vocab_file = check_path("vocab_file", vocab_file, "a SentencePiece model file")
        self.sp_model = SentencePieceProcessor(**self.sp_model_kwargs)
        self.sp_model.Load(self.vocab_file)

    def get_vocab(self) -> dict[str, int]:
        """Return the id of every token."""
        return {self.convert_ids_to_tokens(id): id for id in range(self.vocab_size)} | self.added_tokens_encoder

    # --- from text to ids ---------------------------------------------------------------------------

    def _tokenize(self, text: str) -> list[str]:
        return self._tokens_of_pieces(self.sp_model.encode(self._text_of_model(text), out_type=str))

    def _text_of_model(self, text: str) -> str:
        """Return the text that SentencePiece segments."""
        return text

    def _tokens_of_pieces(self, pieces: list[str]) -> list[str]:
        """Return the tokens of adjacent pieces."""
        return pieces

    def _encoder_for_a_batch(self, call: TokenizerCallOptions) -> Callable[[Any], Ids]:
        in_general = super()._encoder_for_a_batch(call)
        ids_of_text = None if call.others else self._encoder_by_words()
        if ids_of_text is None:
            return in_general

        def encode(given: Any) -> Ids:
            ids = ids_of_text(given) if isinstance(given, str) else None
            return in_general(given) if ids is None else ids

        return encode

    def _encoder_by_words(self) -> Callable[[str], Ids | None] | None:
        """Return a function from a text to its ids, which it looks up word by word.

        The function returns None for a text with added tokens, or one that has to be segmented as a whole. There is no
        such function if a subclass replaces a step, if segmentations are sampled, or if pieces may cross words.
        """
        if is_overridden(self, *self._steps_to_ids) or type(self.tokens_trie) is not Trie:
            return None
        model: Any = self.sp_model
        if not isinstance(model, SentencePieceProcessor) or is_overridden(model, *STEPS_OF_PROCESSOR):
            return None
        words = model._word_encoder()
        if words is None:
            return None
        ids_of_pieces = _IdsOfPieces(self)
        kept = (*self.unique_no_split_tokens, *self.all_special_tokens) if self._lowers() else None

        def encode(text: str) -> Ids | None:
            lowered = text if kept is None else lower_except(text, kept)
            if self.tokens_trie.occurs_in(lowered):
                return None
            found = words.encode(to_text(self._text_of_model(lowered)))
            ids: Any = None if found is None else [*map(ids_of_pieces.__getitem__, found)]
            return None if found is None or None in ids else ids

        return encode

    # --- from ids to text ---------------------------------------------------------------------------

    def _decode_around_special_tokens(self, tokens: list[str]) -> str:
        """Return the text of tokens; special tokens are kept, with a space before the first of a run."""
        try:
            return self._text_with_special_tokens(tokens)
        except TypeError as error:
            raise about_tokens(tokens, error) from None

    def _text_with_special_tokens(self, tokens: list[str]) -> str:
        special = set(self.all_special_tokens)
        text, pieces, after_special = "", list[str](), False
        for token in tokens:
            if token in special:
                # subtle: the space comes before the pieces that precede the special token, not between the two
                text += ("" if after_special else " ") + self._joined(pieces) + token
                pieces = []
            else:
                pieces.append(token)
            after_special = token in special
        return (text + self._joined(pieces)).strip()

    def _joined(self, pieces: list[str]) -> str:
        return str(self.sp_model.decode(pieces)) if pieces else ""

    # --- files and pickling -------------------------------------------------------------------------

    save_vocabulary = save_vocabulary

    def _vocabulary_files(self) -> dict[str, bytes]:
        name = self.vocab_files_names["vocab_file"]
        if not os.path.isfile(self.vocab_file):
            return {name: self.sp_model.serialized_model_proto()}
        with open(self.vocab_file, "rb") as file:
            return {name: file.read()}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "sp_model": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._load_sp_model(self.vocab_file)


class _IdsOfPieces(dict[int, int | None]):
    """The id of the token for each id of the model file; None for unknown pieces, and pieces that are split again."""

    def __init__(self, tokenizer: SentencePieceTokenizer) -> None:
        self.tokenizer = tokenizer

    def __missing__(self, id: int) -> int | None:
        model = self.tokenizer.sp_model
        piece = model.id_to_piece(id)
        is_token = not model.is_unknown(id) and self.tokenizer._tokens_of_pieces([piece]) == [piece]
        self[id] = self.tokenizer.convert_tokens_to_ids(piece) if is_token else None
        return self[id]


class SentencePieceTokenizerFast(PreTrainedTokenizerFast):
    """A tokenizer that can save the SentencePiece file that it was converted from."""

    vocab_file: Any

    def _keep_vocab_file(self, vocab_file: Any) -> None:
        self.vocab_file = vocab_file
        self.can_save_slow_tokenizer = bool(vocab_file)

    def save_vocabulary(self, save_directory: str, filename_prefix: str | None = None) -> tuple[str, ...]:
        """Copy the SentencePiece file into a folder, and return its path.

        Raises:
            ValueError: the tokenizer was not made from such a file.
            FileNotFoundError: the folder does not exist.
        """
        if not self.can_save_slow_tokenizer:
            raise ValueError(
                f"this {type(self).__name__} has no vocab_file, so the file of a slow tokenizer cannot be saved; "
                "use save_pretrained, which writes tokenizer.json"
            )
        return save_vocabulary(self, save_directory, filename_prefix)

    def _vocabulary_files(self) -> dict[str, bytes]:
        with open(self.vocab_file, "rb") as file:
            return {self.vocab_files_names["vocab_file"]: file.read()}
