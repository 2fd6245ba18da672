"""Text-to-text problems: samples from text files, a vocabulary, encoded samples, and shards.

Adds: a ValueError if one of several files with corresponding lines has more lines than another. The library drops the
rest, and with it the only evidence that the lines do not correspond.
Leaves out: problems whose targets are classes or numbers, `QuestionAndContext2TextProblem`, `ChoppedTextProblem`,
`Text2TextRemotedir` and `Text2textTmpdirTokens`; samples with an index, a label or the targets of a teacher; and
members that only training needs (`hparams`, `example_reading_spec`, `eval_metrics`).
Source: tensor2tensor/data_generators/text_problems.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from glob import glob
from itertools import zip_longest
from typing import Any, TypeAlias

from tokenlab.libraries.tensor2tensor import text_encoder
from tokenlab.libraries.tensor2tensor.generator_utils import (
    generate_files,
    get_or_generate_vocab_inner,
    pack_examples,
    shuffle_dataset,
)
from tokenlab.libraries.tensor2tensor.problem import DatasetSplit, Problem
from tokenlab.libraries.tensor2tensor.text_encoder import EOS_ID
from tokenlab.storage import files

Sample: TypeAlias = dict[str, Any]


def txt_line_iterator(txt_path: str) -> Iterator[str]:
    """Yield the lines of a file, without leading and trailing whitespace."""
    return map(str.strip, files.read_lines(txt_path))


def txt_line_sharded_iterator(txt_pattern: str) -> Iterator[str]:
    """Yield the stripped lines of all files that match a pattern, in the order of their names."""
    return map(str.strip, files.read_lines(*sorted(glob(txt_pattern))))


def _side_by_side(*names: str) -> Iterator[Any]:
    """Yield the corresponding lines of several files."""
    for number, lines in enumerate(zip_longest(*map(txt_line_iterator, names)), start=1):
        if None in lines:
            ended = names[lines.index(None)]
            longer = next(name for name, line in zip(names, lines, strict=True) if line is not None)
            raise ValueError(
                f"{ended!r} ends before line {number}, but {longer!r} has this line: are these sides of one corpus?"
            )
        yield lines


def text2text_txt_iterator(source_txt_path: str, target_txt_path: str) -> Iterator[Sample]:
    """Yield samples from two files with corresponding lines."""
    for inputs, targets in _side_by_side(source_txt_path, target_txt_path):
        yield {"inputs": inputs, "targets": targets}


def text2class_txt_iterator(
    source_txt_path: str, label_txt_path: str, class_strs: Sequence[str] | None = None
) -> Iterator[Sample]:
    """Yield samples from a file of texts and a file of labels.

    Args:
        source_txt_path: a text in each line.
        label_txt_path: the id or the name of a class in each line.
        class_strs: the names of the classes in the order of their ids, if the labels are names.

    Raises:
        KeyError: a label is not among the names.
        ValueError: there are no names and a label is not an integer.
    """
    ids = {name: id for id, name in enumerate(class_strs or ())}
    for inputs, label in _side_by_side(source_txt_path, label_txt_path):
        if class_strs and label not in ids:
            raise KeyError(f"the label {label!r:.60} is not among class_strs={list(ids)!r:.200}")
        yield {"inputs": inputs, "label": ids[label] if class_strs else int(label)}


def text2real_txt_iterator(source_txt_path: str, target_txt_path: str) -> Iterator[Sample]:
    """Yield samples from a file of texts and a file with numbers, separated by spaces, in each line.

    Raises:
        ValueError: a word in the second file is not a number.
    """
    for inputs, targets in _side_by_side(source_txt_path, target_txt_path):
        yield {"inputs": inputs, "targets": [float(number) for number in targets.split(" ")]}


def text2text_txt_tab_iterator(txt_path: str) -> Iterator[Sample]:
    """Yield samples from one file with a tab between the two texts; lines without a tab are skipped.

    A path that ends in ".tsv*" is a pattern for several files.
    """
    lines = txt_line_sharded_iterator(txt_path) if txt_path.endswith(".tsv*") else txt_line_iterator(txt_path)
    for line in lines:
        inputs, tab, targets = line.partition("\t")
        if tab:
            yield {"inputs": inputs.strip(), "targets": targets.strip()}


def text2self_txt_iterator(txt_path: str) -> Iterator[Sample]:
    """Yield samples with targets only, for language models."""
    for line in txt_line_iterator(txt_path):
        yield {"targets": line}


def text2text_generate_encoded(
    sample_generator: Iterable[Sample],
    vocab: Any,
    targets_vocab: Any = None,
    has_inputs: bool = True,
    inputs_prefix: str = "",
    targets_prefix: str = "",
) -> Iterator[Sample]:
    """Yield samples with ids in place of texts; each text ends in the id of EOS.

    Args:
        sample_generator: samples with "targets" and, if `has_inputs`, "inputs".
        vocab: the encoder of the inputs and, without `targets_vocab`, of the targets.
        targets_vocab: the encoder of the targets.
        has_inputs: whether there are inputs to encode.
        inputs_prefix, targets_prefix: a text to prepend to each input or target.

    >>> class Letters:
    ...     def encode(self, s):
    ...         return [ord(c) for c in s]
    >>> list(text2text_generate_encoded([{"inputs": "ab", "targets": "c"}], Letters()))
    [{'inputs': [97, 98, 1], 'targets': [99, 1]}]
    """
    for sample in sample_generator:
        encoded = dict(sample)
        if has_inputs:
            encoded["inputs"] = [*vocab.encode(inputs_prefix + sample["inputs"]), EOS_ID]
        encoded["targets"] = [*(targets_vocab or vocab).encode(targets_prefix + sample["targets"]), EOS_ID]
        yield encoded


class VocabType:
    """The kinds of vocabularies."""

    CHARACTER = "character"
    SUBWORD = "subwords"
    TOKEN = "tokens"


class Text2TextProblem(Problem):
    """A text-to-text problem. A subclass defines `generate_samples` and `is_generate_per_split`."""

    vocab_type = VocabType.SUBWORD
    approx_vocab_size = 2**15  # for subwords
    additional_reserved_tokens: Sequence[str] = ()  # for subwords: their ids start at 2
    max_subtoken_length: int | None = 200  # for subwords
    max_samples_for_vocab: int | None = None  # None: all training samples
    oov_token: str | None = None  # for whole words: the replacement of out-of-vocabulary words
    use_vocab_from_other_problem: Text2TextProblem | None = None
    packed_length: int | None = None  # None: no packing
    packed_spacing = 0
    has_inputs = True
    inputs_prefix = ""
    targets_prefix = ""
    already_shuffled = False

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        """The splits, and the number of shards of each."""
        return [{"split": DatasetSplit.TRAIN, "shards": 100}, {"split": DatasetSplit.EVAL, "shards": 1}]

    @property
    def is_generate_per_split(self) -> bool:
        """Whether `generate_samples` is called for each split; otherwise one call's samples are distributed to all."""
        raise NotImplementedError(f"{type(self).__name__} must define is_generate_per_split: True or False")

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """Yield the samples of a split as texts, such as `{"inputs": "tea", "targets": "茶"}`."""
        raise NotImplementedError(f"{type(self).__name__} must implement generate_samples")

    def generate_text_for_vocab(self, data_dir: str, tmp_dir: str) -> Iterator[str]:
        """Yield the texts for building the vocabulary: those of the training samples."""
        return self._texts_for_vocab(self.generate_samples(data_dir, tmp_dir, DatasetSplit.TRAIN))

    def _texts_for_vocab(self, samples: Iterable[Sample]) -> Iterator[str]:
        """Yield the texts of the samples, or of the first `max_samples_for_vocab`."""
        for number, sample in enumerate(samples, start=1):
            if self.has_inputs:
                yield sample["inputs"]
            yield sample["targets"]
            if number == self.max_samples_for_vocab:
                break

    @property
    def vocab_filename(self) -> str:
        """The name of the vocabulary file."""
        if self.use_vocab_from_other_problem:
            return self.use_vocab_from_other_problem.vocab_filename
        size = f"{self.approx_vocab_size}." if self.vocab_type == VocabType.SUBWORD else ""
        kind = VocabType.SUBWORD if self.vocab_type == VocabType.SUBWORD else VocabType.TOKEN
        return f"vocab.{self.dataset_filename()}.{size}{kind}"

    def get_or_create_vocab(
        self, data_dir: str, tmp_dir: str | None, force_get: bool = False
    ) -> text_encoder.TextEncoder:
        """Return the vocabulary from its file; if there is no file, build and store it, unless `force_get` is True.

        Raises:
            ValueError: the kind of vocabulary is not known, or a required file does not exist.
        """
        if self.vocab_type == VocabType.CHARACTER:
            return text_encoder.ByteTextEncoder()
        if self.vocab_type == VocabType.TOKEN:
            return text_encoder.TokenTextEncoder(self._vocab_path(data_dir), replace_oov=self.oov_token)
        if self.vocab_type != VocabType.SUBWORD:
            raise ValueError(f"vocab_type={self.vocab_type!r} is not known; choose one of VocabType")
        if force_get:
            return text_encoder.SubwordTextEncoder(self._vocab_path(data_dir))
        if self.use_vocab_from_other_problem:
            return self.use_vocab_from_other_problem.get_or_create_vocab(data_dir, tmp_dir)
        return get_or_generate_vocab_inner(
            data_dir,
            self.vocab_filename,
            self.approx_vocab_size,
            self.generate_text_for_vocab(data_dir, tmp_dir or ""),
            max_subtoken_length=self.max_subtoken_length,
            reserved_tokens=[*text_encoder.RESERVED_TOKENS, *self.additional_reserved_tokens],
        )

    def _vocab_path(self, data_dir: str) -> str:
        return os.path.join(data_dir, self.vocab_filename)

    def feature_encoders(self, data_dir: str) -> dict[str, text_encoder.TextEncoder]:
        """Return the encoder of each field, from the vocabulary file."""
        encoder = self.get_or_create_vocab(data_dir, None, force_get=True)
        return {"inputs": encoder, "targets": encoder} if self.has_inputs else {"targets": encoder}

    def generate_encoded_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """Yield the samples of a split as ids."""
        samples = self.generate_samples(data_dir, tmp_dir, dataset_split)
        return self._encoded(samples, self.get_or_create_vocab(data_dir, tmp_dir))

    def _encoded(self, samples: Iterable[Sample], encoder: text_encoder.TextEncoder) -> Iterator[Sample]:
        return text2text_generate_encoded(
            samples,
            encoder,
            has_inputs=self.has_inputs,
            inputs_prefix=self.inputs_prefix,
            targets_prefix=self.targets_prefix,
        )

    def generate_data(self, data_dir: str, tmp_dir: str, task_id: int = -1) -> None:
        """Generate the shards of all splits; complete sets of an earlier run are kept, incomplete ones are regenerated.

        Raises:
            ValueError: a split is not known.
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
        # subtle: a generator, so that neither files nor a vocabulary are read if all shards exist.
        yield from self.generate_encoded_samples(data_dir, tmp_dir, split)

    def _pack_fn(self) -> Callable[[list[Sample]], Iterable[Sample]] | None:
        """Return the function that packs the examples of a shard, or None."""
        return (lambda examples: self._maybe_pack_examples(examples)) if self.packed_length else None

    def _maybe_pack_examples(self, generator: Iterable[Sample]) -> Iterable[Sample]:
        if not self.packed_length:
            return generator
        return pack_examples(
            generator, self.has_inputs, self.packed_length, self.packed_spacing, chop_long_sequences=not self.has_inputs
        )


class Text2SelfProblem(Text2TextProblem):
    """A language modelling problem: targets only."""

    has_inputs = False


class Text2textTmpdir(Text2TextProblem):
    """A problem whose samples are the lines of files in `tmp_dir`, one file for each split and side."""

    TRAIN_FILES = ("inputs.train.txt", "targets.train.txt")
    EVAL_FILES = ("inputs.eval.txt", "targets.eval.txt")
    is_generate_per_split = True

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """Yield the samples of a split."""
        names = self.TRAIN_FILES if dataset_split == DatasetSplit.TRAIN else self.EVAL_FILES
        inputs, targets = (os.path.join(tmp_dir, name) for name in names)
        return text2text_txt_iterator(inputs, targets)


class DistributedText2TextProblem(Text2TextProblem):
    """A problem with many input files: each task reads its part of them and writes one shard.

    A subclass defines `input_files`, and a `generate_samples` that reads only the given files. The vocabulary is built
    before the first task, with `generate_text_for_vocab`.
    """

    def generate_samples(  # type: ignore[override]
        self, data_dir: str, tmp_dir: str, dataset_split: str, input_files: list[str]
    ) -> Iterator[Sample]:
        """Yield the samples of a split, only from these input files."""
        raise NotImplementedError(f"{type(self).__name__} must implement generate_samples for input_files")

    def input_files(self, dataset_split: str = DatasetSplit.TRAIN) -> list[str]:
        """Return the input files of a split."""
        raise NotImplementedError(f"{type(self).__name__} must implement input_files, the files of a split")

    @property
    def num_output_shards(self) -> int:
        """The number of shards of all splits, which is the number of tasks."""
        return sum(split["shards"] for split in self.dataset_splits)

    @property
    def split_to_input_filenames(self) -> dict[str, list[str]]:
        """The input files of each split; only of the training split, if one call generates all splits.

        Raises:
            AssertionError: there are fewer input files than shards, so a task would have no file to read.
        """
        per_split = self.is_generate_per_split
        splits = [split["split"] for split in self.dataset_splits] if per_split else [DatasetSplit.TRAIN]
        found = {split: self.input_files(split) for split in splits}
        number = sum(map(len, found.values()))
        if number < self.num_output_shards:
            raise AssertionError(f"{number} input files are too few for {self.num_output_shards} shards")
        return found

    def generate_text_for_vocab(self, data_dir: str, tmp_dir: str) -> Iterator[str]:
        """Yield the texts for building the vocabulary: those of the input files for training."""
        if self.is_generate_per_split:
            input_files = self.split_to_input_filenames[DatasetSplit.TRAIN]
        else:
            tasks = range(self.num_output_shards)
            training = [task for task in tasks if self._task_id_to_output_split(task)[0] == DatasetSplit.TRAIN]
            input_files = [name for task in training for name in self._task_id_to_input_files(task)]
        return self._texts_for_vocab(self.generate_samples(data_dir, tmp_dir, DatasetSplit.TRAIN, input_files))

    def generate_encoded_samples(  # type: ignore[override]
        self, data_dir: str, tmp_dir: str, dataset_split: str, input_files: list[str]
    ) -> Iterator[Sample]:
        """Yield the samples of these input files as ids.

        Raises:
            ValueError: the vocabulary file does not exist yet.
        """
        samples = self.generate_samples(data_dir, tmp_dir, dataset_split, input_files)
        return self._encoded(samples, self.get_or_create_vocab(data_dir, tmp_dir, force_get=True))

    def generate_data(self, data_dir: str, tmp_dir: str, task_id: int = -1) -> None:
        """Generate the shard of one task.

        Raises:
            AssertionError: the task id is out of range.
        """
        split, _, _ = self._task_id_to_output_split(task_id)
        shard = [self._task_id_to_output_file(data_dir, task_id)]
        input_files = self._task_id_to_input_files(task_id)
        generate_files(self.generate_encoded_samples(data_dir, tmp_dir, split, input_files), shard)
        shuffle_dataset(shard, extra_fn=self._pack_fn())

    def _task_id_to_output_split(self, task_id: int) -> tuple[str, int, int]:
        """Return the split of a task, the number of its shards, and the index of the shard that the task writes."""
        if not 0 <= task_id < self.num_output_shards:
            raise AssertionError(f"task_id={task_id} should be from 0 to {self.num_output_shards - 1}")
        shard = task_id
        for split in self.dataset_splits:
            if shard < split["shards"]:
                break
            shard -= split["shards"]
        return split["split"], split["shards"], shard

    def _task_id_to_output_file(self, data_dir: str, task_id: int) -> str:
        split, shards, shard = self._task_id_to_output_split(task_id)
        return self.data_filepaths(split, data_dir, shards, shuffled=False)[shard]

    def _task_id_to_input_files(self, task_id: int) -> list[str]:
        of_split = self.split_to_input_filenames
        if not self.is_generate_per_split:
            return self._divide_equally(of_split[DatasetSplit.TRAIN], self.num_output_shards, task_id)
        split, shards, shard = self._task_id_to_output_split(task_id)
        return self._divide_equally(of_split[split], shards, shard)

    @staticmethod
    def _divide_equally(input_files: list[str], num_tasks: int, task_id: int) -> list[str]:
        """Return the files of one task; if they cannot be divided evenly, the first tasks get one more."""
        size, rest = divmod(len(input_files), num_tasks)
        start = task_id * size + min(task_id, rest)
        return input_files[start : start + size + (task_id < rest)]
