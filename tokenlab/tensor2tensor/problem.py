"""A problem: what data there is, and which files it is kept in.

Leaves out: training and evaluation, and reversed problems.
Source: tensor2tensor/data_generators/problem.py.
"""

from __future__ import annotations

import os
import re

from tokenlab.errors import by_name
from tokenlab.tensor2tensor.shards import UNSHUFFLED_SUFFIX, shard_filepath


class DatasetSplit:
    """The names of the splits."""

    TRAIN = "train"
    EVAL = "eval"
    TEST = "test"


# How the files of a split are called: those of eval are "dev".
_IN_FILE_NAMES = {DatasetSplit.TRAIN: "train", DatasetSplit.EVAL: "dev", DatasetSplit.TEST: "test"}


class Problem:
    """The files of a problem, named after it."""

    @property
    def name(self) -> str:
        """The name of the class in small letters.

        >>> class TranslateEnzhWmt8k(Problem): ...
        >>> TranslateEnzhWmt8k().name
        'translate_enzh_wmt8k'
        """
        words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", type(self).__name__)
        return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()

    def dataset_filename(self) -> str:
        """What the names of all files begin with."""
        return self.name

    def generate_data(self, data_dir: str, tmp_dir: str, task_id: int = -1) -> None:
        """Make the files of all splits in `data_dir`; `tmp_dir` is for what lies on the way."""
        raise NotImplementedError(f"{type(self).__name__} has to say how its data are made")

    def training_filepaths(self, data_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """The shards for training."""
        return self.data_filepaths(DatasetSplit.TRAIN, data_dir, num_shards, shuffled)

    def dev_filepaths(self, data_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """The shards for evaluation while training."""
        return self.data_filepaths(DatasetSplit.EVAL, data_dir, num_shards, shuffled)

    def test_filepaths(self, data_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """The shards for the test."""
        return self.data_filepaths(DatasetSplit.TEST, data_dir, num_shards, shuffled)

    def data_filepaths(self, split: str, output_dir: str, num_shards: int, shuffled: bool) -> list[str]:
        """The shards of a split, as they are called before or after shuffling.

        Raises:
            ValueError: no such split.

        >>> Problem().data_filepaths("eval", "", 1, shuffled=False)
        ['problem-unshuffled-dev-00000-of-00001']
        """
        suffix = "" if shuffled else UNSHUFFLED_SUFFIX
        base = f"{self.dataset_filename()}{suffix}-{by_name('split', split, _IN_FILE_NAMES)}"
        return [os.path.join(output_dir, name) for name in shard_filepath(base, num_shards)]

    def filepattern(self, data_dir: str, mode: str, shard: int | None = None) -> str:
        """A pattern that the finished files of a split match, for `glob` and for `datasets.load_dataset`.

        Raises:
            ValueError: no such split.

        >>> Problem().filepattern("", "train")
        'problem-train*'
        """
        only = "" if shard is None else f"-{shard:05d}"
        split = by_name("mode", mode, _IN_FILE_NAMES)
        return os.path.join(data_dir, f"{self.dataset_filename()}-{split}{only}*")
