"""Text-to-text problems: samples, a vocabulary, encoded samples, and shards.

Leaves out: `QuestionAndContext2TextProblem` and `ChoppedTextProblem`, and members that only training needs (`hparams`,
`example_reading_spec`, `eval_metrics`).
Source: tensor2tensor/data_generators/text_problems.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tokenlab.libraries.tensor2tensor import text_encoder
from tokenlab.libraries.tensor2tensor.generator_utils import (
    generate_files,
    get_or_generate_vocab_inner,
    pack_examples,
    shuffle_dataset,
)
from tokenlab.libraries.tensor2tensor.problem import DatasetSplit, Problem
from tokenlab.libraries.tensor2tensor.text_iterators import (
    Sample,
    text2class_txt_iterator,
    text2real_txt_iterator,
    text2self_txt_iterator,
    text2text_distill_iterator,
    text2text_generate_encoded,
    text2text_txt_iterator,
    text2text_txt_iterator_with_index,
    text2text_txt_iterator_with_label,
    text2text_txt_sharded_iterator,
    text2text_txt_tab_iterator,
    txt_and_label_iterator,
    txt_line_iterator,
    txt_line_sharded_iterator,
)

__all__ = [
    "DistributedText2TextProblem", "Text2ClassProblem", "Text2RealProblem", "Text2SelfProblem", "Text2TextProblem",
    "Text2TextRemotedir", "Text2textTmpdir", "Text2textTmpdirTokens", "TextConcat2ClassProblem", "VocabType",
    "text2class_txt_iterator", "text2real_txt_iterator", "text2self_txt_iterator", "text2text_distill_iterator",
    "text2text_generate_encoded", "text2text_txt_iterator", "text2text_txt_iterator_with_index",
    "text2text_txt_iterator_with_label", "text2text_txt_sharded_iterator", "text2text_txt_tab_iterator",
    "txt_and_label_iterator", "txt_line_iterator", "txt_line_sharded_iterator",
]  # fmt: skip


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
            yield from self._texts_of(sample)
            if number == self.max_samples_for_vocab:
                break

    def _texts_of(self, sample: Sample) -> Iterable[str]:
        """Return the texts of one sample for building the vocabulary."""
        return [sample["inputs"], sample["targets"]] if self.has_inputs else [sample["targets"]]

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


class _TextToLabelProblem(Text2TextProblem):
    """A problem whose targets are no text: those of a subclass come from `_targets` and have `_targets_encoder`."""

    def generate_encoded_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """Yield the samples of a split, with ids for the inputs."""
        encoder = self.get_or_create_vocab(data_dir, tmp_dir)
        for sample in self.generate_samples(data_dir, tmp_dir, dataset_split):
            yield {"inputs": self._encoded_inputs(sample, encoder), "targets": self._targets(sample)}

    def feature_encoders(self, data_dir: str) -> dict[str, Any]:
        """Return the encoders of the inputs and of the targets."""
        encoder = self.get_or_create_vocab(data_dir, None, force_get=True)
        return {"inputs": encoder, "targets": self._targets_encoder(data_dir)}

    def _texts_of(self, sample: Sample) -> Iterable[str]:
        return [sample["inputs"]]

    def _encoded_inputs(self, sample: Sample, encoder: text_encoder.TextEncoder) -> list[int]:
        return [*encoder.encode(sample["inputs"]), text_encoder.EOS_ID]

    def _targets(self, sample: Sample) -> Any:
        raise NotImplementedError

    def _targets_encoder(self, data_dir: str) -> Any:
        raise NotImplementedError


class Text2ClassProblem(_TextToLabelProblem):
    """A classification problem: a sample has "inputs", a text, and "label", the id of its class."""

    @property
    def num_classes(self) -> int:
        """The number of classes."""
        raise NotImplementedError(f"{type(self).__name__} must define num_classes, the number of classes")

    def class_labels(self, data_dir: str) -> list[str]:
        """Return the names of the classes, in the order of their ids."""
        return [f"ID_{id}" for id in range(self.num_classes)]

    def _targets(self, sample: Sample) -> Any:
        return [sample["label"]]

    def _targets_encoder(self, data_dir: str) -> Any:
        return text_encoder.ClassLabelEncoder(self.class_labels(data_dir))


class TextConcat2ClassProblem(Text2ClassProblem):
    """A classification problem in which "inputs" is a list of texts, which are joined by `CONCAT_TOKEN`."""

    CONCAT_TOKEN = "$"

    def _texts_of(self, sample: Sample) -> Iterable[str]:
        return list(sample["inputs"])

    def _encoded_inputs(self, sample: Sample, encoder: text_encoder.TextEncoder) -> list[int]:
        inputs: list[int] = []
        for number, text in enumerate(sample["inputs"]):
            if number:
                inputs.append(encoder.encode(self.CONCAT_TOKEN)[0])
            inputs += encoder.encode(text)
        return [*inputs, text_encoder.EOS_ID]


class Text2RealProblem(_TextToLabelProblem):
    """A regression problem: a sample has "inputs", a text, and "targets", a list of `ntasks` numbers."""

    ntasks = 1

    def _targets(self, sample: Sample) -> Any:
        return sample["targets"]

    def _targets_encoder(self, data_dir: str) -> Any:
        return text_encoder.RealEncoder()


class Text2textTmpdir(Text2TextProblem):
    """A problem whose samples are the lines of files in `tmp_dir`, one file for each split and side."""

    TRAIN_FILES = ("inputs.train.txt", "targets.train.txt")
    EVAL_FILES = ("inputs.eval.txt", "targets.eval.txt")
    is_generate_per_split = True
    _tmp_dir_override: str | None = None

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """Yield the samples of a split."""
        names = self.TRAIN_FILES if dataset_split == DatasetSplit.TRAIN else self.EVAL_FILES
        inputs, targets = (os.path.join(self._tmp_dir_override or tmp_dir, name) for name in names)
        return text2text_txt_iterator(inputs, targets)


class Text2TextRemotedir(Text2textTmpdir):
    """A `Text2textTmpdir` whose files are in `SRC_REMOTE_DIR`, which a subclass defines; here it is a local folder."""

    SRC_REMOTE_DIR: str | None = None

    @property
    def _tmp_dir_override(self) -> str:  # type: ignore[override]
        if not self.SRC_REMOTE_DIR:
            raise AssertionError(f"{type(self).__name__} must define SRC_REMOTE_DIR, the folder of its files")
        return self.SRC_REMOTE_DIR


class Text2textTmpdirTokens(Text2textTmpdir):
    """A `Text2textTmpdir` with a vocabulary of whole words: the lines of the file `vocab.txt` in `tmp_dir`."""

    vocab_type = VocabType.TOKEN
    oov_token = "<UNK>"

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """Yield the samples of a split; the vocabulary file is written first, unless it exists."""
        if not os.path.exists(self._vocab_path(data_dir)):
            self._generate_vocab(tmp_dir).store_to_file(self._vocab_path(data_dir))
        return super().generate_samples(data_dir, tmp_dir, dataset_split)

    def _generate_vocab(self, tmp_dir: str) -> text_encoder.TokenTextEncoder:
        words = txt_line_iterator(os.path.join(tmp_dir, "vocab.txt"))
        return text_encoder.TokenTextEncoder(None, vocab_list=[self.oov_token, *words])


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
        files = self._task_id_to_input_files(task_id)
        generate_files(self.generate_encoded_samples(data_dir, tmp_dir, split, files), shard)
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
        files = self.split_to_input_filenames
        if not self.is_generate_per_split:
            return self._divide_equally(files[DatasetSplit.TRAIN], self.num_output_shards, task_id)
        split, shards, shard = self._task_id_to_output_split(task_id)
        return self._divide_equally(files[split], shards, shard)

    @staticmethod
    def _divide_equally(input_files: list[str], num_tasks: int, task_id: int) -> list[str]:
        """Return the files of one task; if they cannot be divided evenly, the first tasks get one more."""
        size, rest = divmod(len(input_files), num_tasks)
        start = task_id * size + min(task_id, rest)
        return input_files[start : start + size + (task_id < rest)]
