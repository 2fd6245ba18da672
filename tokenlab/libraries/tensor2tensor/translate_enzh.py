"""English to Chinese: a vocabulary for each language.

Adds: a problem with the small corpus of the kit, which needs no network.
Source: tensor2tensor/data_generators/translate_enzh.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tokenlab import data
from tokenlab.libraries.tensor2tensor.generator_utils import get_or_generate_vocab
from tokenlab.libraries.tensor2tensor.problem import DatasetSplit
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder, TextEncoder
from tokenlab.libraries.tensor2tensor.text_problems import Sample, text2text_generate_encoded, text2text_txt_iterator
from tokenlab.libraries.tensor2tensor.translate import TranslateProblem, compile_data

_WMT18 = "http://data.statmt.org/wmt18/translation-task/"
_NEWS = "training-parallel-nc-v13/news-commentary-v13.zh-en"


class TranslateEnzhWmt8k(TranslateProblem):
    """News commentary of WMT 2018, about 250,000 lines, which are downloaded."""

    approx_vocab_size = 2**13
    file_byte_budget: float = 1e8

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        """10 shards for training, 1 for evaluation."""
        return [{"split": DatasetSplit.TRAIN, "shards": 10}, {"split": DatasetSplit.EVAL, "shards": 1}]

    @property
    def source_vocab_name(self) -> str:
        """The name of the English vocabulary file."""
        return f"{self.vocab_filename}.en"

    @property
    def target_vocab_name(self) -> str:
        """The name of the Chinese vocabulary file."""
        return f"{self.vocab_filename}.zh"

    def get_training_dataset(self, tmp_dir: str) -> list[Any]:
        """Return the sources for training: the URL of each, and the names of its English and its Chinese file."""
        return [[f"{_WMT18}training-parallel-nc-v13.tgz", [f"{_NEWS}.en", f"{_NEWS}.zh"]]]

    def get_dev_dataset(self, tmp_dir: str) -> list[Any]:
        """Return the sources for evaluation."""
        return [[f"{_WMT18}dev.tgz", ("dev/newsdev2017-enzh-src.en.sgm", "dev/newsdev2017-enzh-ref.zh.sgm")]]

    def generate_encoded_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """Yield the pairs of a split as ids, each side encoded with its own vocabulary."""
        training = self.get_training_dataset(tmp_dir)
        source_vocab = self._vocabulary(data_dir, tmp_dir, self.source_vocab_name, training, side=0)
        target_vocab = self._vocabulary(data_dir, tmp_dir, self.target_vocab_name, training, side=1)
        train = dataset_split == DatasetSplit.TRAIN
        datasets = training if train else self.get_dev_dataset(tmp_dir)
        path = compile_data(tmp_dir, datasets, f"{self.name}-compiled-{'train' if train else 'dev'}")
        pairs = text2text_txt_iterator(f"{path}.lang1", f"{path}.lang2")
        return text2text_generate_encoded(pairs, source_vocab, target_vocab)

    def _vocabulary(self, data_dir: str, tmp_dir: str, name: str, training: list[Any], side: int) -> SubwordTextEncoder:
        sources = [[url, [sides[side]]] for url, sides in training]
        return get_or_generate_vocab(
            data_dir, tmp_dir, name, self.approx_vocab_size, sources, self.file_byte_budget, self.max_subtoken_length
        )

    def feature_encoders(self, data_dir: str) -> dict[str, TextEncoder]:
        """Return the encoder of each side, from its vocabulary file."""
        names = {"inputs": self.source_vocab_name, "targets": self.target_vocab_name}
        return {side: SubwordTextEncoder(os.path.join(data_dir, name)) for side, name in names.items()}


class TranslateEnzhSmall(TranslateEnzhWmt8k):
    """The small corpus of the kit, with a budget that samples a part of it for the vocabulary."""

    approx_vocab_size = 500
    file_byte_budget = 10_000

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        """4 shards for training, 1 for evaluation."""
        return [{"split": DatasetSplit.TRAIN, "shards": 4}, {"split": DatasetSplit.EVAL, "shards": 1}]

    def get_training_dataset(self, tmp_dir: str) -> list[Any]:
        """Write the two columns of english_chinese.tsv to files, and return these as the source for training."""
        return _columns(tmp_dir, "english_chinese")

    def get_dev_dataset(self, tmp_dir: str) -> list[Any]:
        """Write the two columns of english_chinese_dev.tsv to files, and return these as the source for evaluation."""
        return _columns(tmp_dir, "english_chinese_dev")


def _columns(tmp_dir: str, name: str) -> list[Any]:
    """Split a corpus of the kit into two files, because vocabularies are built from files of one language."""
    compile_data(tmp_dir, [[str(data.FOLDER / f"{name}.tsv"), ("tsv", 0, 1, f"{name}.tsv")]], name)
    return [["", [f"{name}.lang1", f"{name}.lang2"]]]
