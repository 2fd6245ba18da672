"""A problem of texts: samples, a vocabulary, encoded samples, shards.

Leaves out: problems with classes or numbers for targets.
Source: tensor2tensor/data_generators/text_problems.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tokenlab.tensor2tensor import text_encoder
from tokenlab.tensor2tensor.packing import pack_examples
from tokenlab.tensor2tensor.problem import DatasetSplit, Problem
from tokenlab.tensor2tensor.shards import generate_files, shuffle_dataset
from tokenlab.tensor2tensor.text_iterators import (
    Sample,
    text2self_txt_iterator,
    text2text_generate_encoded,
    text2text_txt_iterator,
    text2text_txt_tab_iterator,
    txt_line_iterator,
)
from tokenlab.tensor2tensor.vocab_files import get_or_generate_vocab_inner

__all__ = [
    "Text2SelfProblem",
    "Text2TextProblem",
    "VocabType",
    "text2self_txt_iterator",
    "text2text_generate_encoded",
    "text2text_txt_iterator",
    "text2text_txt_tab_iterator",
    "txt_line_iterator",
]


class VocabType:
    """The kinds of vocabularies."""

    CHARACTER = "character"
    SUBWORD = "subwords"
    TOKEN = "tokens"


class Text2TextProblem(Problem):
    """From text to text. A subclass says what its samples are, and whether each split has its own."""

    vocab_type = VocabType.SUBWORD
    approx_vocab_size = 2**15  # for subwords
    additional_reserved_tokens: Sequence[str] = ()  # for subwords: they get the ids from 2 on
    max_subtoken_length: int | None = 200  # for subwords
    max_samples_for_vocab: int | None = None  # None: all of the training samples
    oov_token: str | None = None  # for whole tokens: what stands for one that is not known
    use_vocab_from_other_problem: Text2TextProblem | None = None
    packed_length: int | None = None  # None: nothing is packed
    packed_spacing = 0
    has_inputs = True
    inputs_prefix = ""
    targets_prefix = ""
    already_shuffled = False

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        """The splits, and how many shards each has."""
        return [{"split": DatasetSplit.TRAIN, "shards": 100}, {"split": DatasetSplit.EVAL, "shards": 1}]

    @property
    def is_generate_per_split(self) -> bool:
        """Whether `generate_samples` is called for each split; if not, one call's samples are dealt out to all."""
        raise NotImplementedError(f"{type(self).__name__} has to say is_generate_per_split: True or False")

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """The samples of a split as texts, such as `{"inputs": "tea", "targets": "茶"}`."""
        raise NotImplementedError(f"{type(self).__name__} has to say what its samples are")

    def generate_text_for_vocab(self, data_dir: str, tmp_dir: str) -> Iterator[str]:
        """The texts that the vocabulary is built from: those of the training samples."""
        samples = self.generate_samples(data_dir, tmp_dir, DatasetSplit.TRAIN)
        for number, sample in enumerate(samples, start=1):
            if self.has_inputs:
                yield sample["inputs"]
            yield sample["targets"]
            if number == self.max_samples_for_vocab:
                break

    @property
    def vocab_filename(self) -> str:
        """What the vocabulary's file is called."""
        if self.use_vocab_from_other_problem:
            return self.use_vocab_from_other_problem.vocab_filename
        size = f"{self.approx_vocab_size}." if self.vocab_type == VocabType.SUBWORD else ""
        kind = VocabType.SUBWORD if self.vocab_type == VocabType.SUBWORD else VocabType.TOKEN
        return f"vocab.{self.dataset_filename()}.{size}{kind}"

    def get_or_create_vocab(
        self, data_dir: str, tmp_dir: str | None, force_get: bool = False
    ) -> text_encoder.TextEncoder:
        """The vocabulary: from its file, or built and stored there, unless `force_get` wants the file alone.

        Raises:
            ValueError: a kind of vocabulary that is not known, or no file, where one is needed.
        """
        path = os.path.join(data_dir, self.vocab_filename)
        if self.vocab_type == VocabType.CHARACTER:
            return text_encoder.ByteTextEncoder()
        if self.vocab_type == VocabType.TOKEN:
            return text_encoder.TokenTextEncoder(path, replace_oov=self.oov_token)
        if self.vocab_type != VocabType.SUBWORD:
            raise ValueError(f"vocab_type={self.vocab_type!r} is not known; take one of VocabType")
        if force_get:
            return text_encoder.SubwordTextEncoder(path)
        return self._subwords(data_dir, tmp_dir or "")

    def _subwords(self, data_dir: str, tmp_dir: str) -> text_encoder.TextEncoder:
        if self.use_vocab_from_other_problem:
            return self.use_vocab_from_other_problem.get_or_create_vocab(data_dir, tmp_dir)
        return get_or_generate_vocab_inner(
            data_dir,
            self.vocab_filename,
            self.approx_vocab_size,
            self.generate_text_for_vocab(data_dir, tmp_dir),
            max_subtoken_length=self.max_subtoken_length,
            reserved_tokens=[*text_encoder.RESERVED_TOKENS, *self.additional_reserved_tokens],
        )

    def feature_encoders(self, data_dir: str) -> dict[str, text_encoder.TextEncoder]:
        """What encodes and decodes each field, from the files that were made."""
        encoder = self.get_or_create_vocab(data_dir, None, force_get=True)
        return {"inputs": encoder, "targets": encoder} if self.has_inputs else {"targets": encoder}

    def generate_encoded_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """The samples of a split as ids."""
        return text2text_generate_encoded(
            self.generate_samples(data_dir, tmp_dir, dataset_split),
            self.get_or_create_vocab(data_dir, tmp_dir),
            has_inputs=self.has_inputs,
            inputs_prefix=self.inputs_prefix,
            targets_prefix=self.targets_prefix,
        )

    def generate_data(self, data_dir: str, tmp_dir: str, task_id: int = -1) -> None:
        """Make the shards of all splits; what an earlier run finished stays, what it left half done is made again.

        Raises:
            ValueError: a split that is not known.
        """
        splits = [(split["split"], self._unshuffled(data_dir, **split)) for split in self.dataset_splits]
        everything = [path for _, paths in splits for path in paths]
        if not self.is_generate_per_split:
            splits = [(DatasetSplit.TRAIN, everything)]
        for split, paths in splits:
            generate_files(self._samples(data_dir, tmp_dir, split), paths)
        shuffle_dataset(everything, extra_fn=self._pack_fn())

    def _unshuffled(self, data_dir: str, split: str, shards: int) -> list[str]:
        return self.data_filepaths(split, data_dir, shards, shuffled=self.already_shuffled)

    def _samples(self, data_dir: str, tmp_dir: str, split: str) -> Iterator[Sample]:
        # subtle: a generator, so that neither files nor a vocabulary are touched when all shards are there.
        yield from self.generate_encoded_samples(data_dir, tmp_dir, split)

    def _pack_fn(self) -> Callable[[list[Sample]], Iterable[Sample]] | None:
        """What packs the examples of a shard, or nothing."""
        length = self.packed_length
        if not length:
            return None
        return lambda examples: pack_examples(
            examples, self.has_inputs, length, self.packed_spacing, chop_long_sequences=not self.has_inputs
        )


class Text2SelfProblem(Text2TextProblem):
    """A problem for language models: targets alone."""

    has_inputs = False
