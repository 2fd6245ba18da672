"""A problem: a data set and the files that store it.

Leaves out: training and evaluation, and reversed problems.
Source: tensor2tensor/data_generators/problem.py.
"""

from __future__ import annotations

import os
import re

from tokenlab.libraries.tensor2tensor.generator_utils import DEV, TEST, TRAIN, UNSHUFFLED_SUFFIX, data_filenames
from tokenlab.printing.errors import lookup


class DatasetSplit:
    """The names of the splits."""

    TRAIN = "train"
    EVAL = "eval"
    TEST = "test"


# The splits in file names: "eval" is called "dev".
_IN_FILE_NAMES = {DatasetSplit.TRAIN: TRAIN, DatasetSplit.EVAL: DEV, DatasetSplit.TEST: TEST}


class Problem:
    """The files of a problem, named after it."""

    _name: str | None = None

    @property
    def name(self) -> str:
        """The name that was set, or the name of the class in snake_case.

        >>> class TranslateEnzhWmt8k(Problem): ...
        >>> TranslateEnzhWmt8k().name
        'translate_enzh_wmt8k'
        """
        if self._name is not None:
            return self._name
        words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", type(self).__name__)
        return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    def dataset_filename(self) -> str:
        """Return the prefix of all file names."""
        return self.name

    def generate_data(self, data_dir: str, tmp_dir: str, task_id: int = -1) -> None:
        """Generate the files of all splits in `data_dir`; `tmp_dir` is for intermediate files."""
        raise NotImplementedError(f"{type(self).__name__} must implement generate_data")

    def training_filepaths(self, data_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """Return the paths of the shards for training."""
        return self._filepaths(DatasetSplit.TRAIN, data_dir, num_shards, shuffled)

    def dev_filepaths(self, data_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """Return the paths of the shards for evaluation during training."""
        return self._filepaths(DatasetSplit.EVAL, data_dir, num_shards, shuffled)

    def test_filepaths(self, data_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """Return the paths of the shards for the test."""
        return self._filepaths(DatasetSplit.TEST, data_dir, num_shards, shuffled)

    def _filepaths(self, split: str, data_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        suffix = "" if shuffled else UNSHUFFLED_SUFFIX
        return data_filenames(f"{self.dataset_filename()}{suffix}-{_IN_FILE_NAMES[split]}", data_dir, num_shards)

    def data_filepaths(self, split: str, output_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """Return the paths of the shards of a split, before or after shuffling.

        Raises:
            ValueError: the split is not known.

        >>> Problem().data_filepaths("eval", "", 1, shuffled=False)
        ['problem-unshuffled-dev-00000-of-00001']
        """
        methods = (self.training_filepaths, self.dev_filepaths, self.test_filepaths)
        method = lookup("split", split, dict(zip(_IN_FILE_NAMES, methods, strict=True)))
        return method(output_dir, num_shards, shuffled)

    def filepattern(self, data_dir: str, mode: str, shard: int | None = None) -> str:
        """Return a pattern for the finished files of a split, for `glob` and for `datasets.load_dataset`.

        Raises:
            ValueError: the split is not known.

        >>> Problem().filepattern("", "train")
        'problem-train*'
        """
        only = "" if shard is None else f"-{shard:05d}"
        split = lookup("mode", mode, _IN_FILE_NAMES)
        return os.path.join(data_dir, f"{self.dataset_filename()}-{split}{only}*")
