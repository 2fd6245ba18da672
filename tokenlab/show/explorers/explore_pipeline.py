"""Explorers of a tokenizer's pipeline: all its stages, and the split of a text; and a small tokenizer to explore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS, split_text
from tokenlab.show.explorers.controls import Checkbox, Choice, TextBox
from tokenlab.show.explorers.explorer import Explorer
from tokenlab.show.explorers.typed_text import check_characters
from tokenlab.steps.recording import Recording

LONGEST_LINKED = 500  # characters of a text whose stages are shown


def explore_pipeline(text: str, tokenizer: Any, pair: str | None = None) -> Explorer:
    """Explore the stages of a tokenizer on a text, or on a pair of texts; click a character or a token to link it."""

    def record(text: str, pair: str | None = None) -> Recording[Any, Any]:
        second = None if pair is None else check_characters(pair, LONGEST_LINKED, "encode", "pair")
        recording: Recording[Any, Any] = tokenizer.encode.record(
            check_characters(text, LONGEST_LINKED, "encode"), second
        )
        return recording

    controls: dict[str, Any] = {"text": TextBox("text", text)}
    if pair is not None:
        controls["pair"] = TextBox("pair", pair)
    return Explorer(record, opened=-1, predict=False, **controls)


def explore_split(text: str, pattern: str, behavior: str = "merged_with_next") -> Explorer:
    """Explore how a text is split at the matches of a pattern, with each behaviour, and with `invert`."""

    def record(text: str, behavior: str, invert: bool) -> Recording[Any, Any]:
        return split_text.record(check_characters(text, LONGEST_LINKED, "split_text"), pattern, behavior, invert)

    box = TextBox("text", text)
    chosen = Choice("behavior", BEHAVIORS, value=behavior)
    invert = Checkbox("invert", False)
    return Explorer(record, opened=-1, text=box, behavior=chosen, invert=invert)


def train_bert_tokenizer(texts: Iterable[str], vocab_size: int = 800) -> Any:
    """Return a BERT-style tokenizer with a WordPiece vocabulary of these texts, NFKC normalization, and `[MASK]`."""
    from tokenlab.libraries.tokenizers import (
        AddedToken,
        Tokenizer,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    special: list[Any] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", AddedToken("[MASK]", lstrip=True)]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.BertNormalizer()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=vocab_size, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    ids = [("[CLS]", tokenizer.token_to_id("[CLS]")), ("[SEP]", tokenizer.token_to_id("[SEP]"))]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=ids
    )
    return tokenizer
