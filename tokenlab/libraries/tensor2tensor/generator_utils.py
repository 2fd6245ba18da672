"""Vocabularies from samples of files, and packed examples, with the names of the library's module.

Adds: a vocabulary is built once, from a sample of the lines of each file; the vocabulary file is the cache. The public
names that are defined elsewhere are those of `archives` (files of a source) and `shards` (examples in files).
Leaves out: TFRecord files and `tf.data` (`to_example`, `tfrecord_iterator`, `pack_dataset`, `SequenceDatasetPacker`),
downloads from Google Drive, and the writer for several machines (`generate_files_distributed`).
Source: tensor2tensor/data_generators/generator_utils.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from typing import Any, TypeAlias

from tokenlab.algorithms.training_data.pack import PackClosed, pack
from tokenlab.algorithms.training_data.sample_lines import LineSampled, sample_lines
from tokenlab.libraries.tensor2tensor import text_encoder
from tokenlab.libraries.tensor2tensor.archives import gunzip_file, maybe_download, unpack
from tokenlab.libraries.tensor2tensor.shards import (
    UNSHUFFLED_SUFFIX,
    combined_data_filenames,
    dev_data_filenames,
    generate_dataset_and_shuffle,
    generate_files,
    outputs_exist,
    read_records,
    shard_filepath,
    sharded_name,
    shuffle_dataset,
    test_data_filenames,
    train_data_filenames,
    write_records,
)
from tokenlab.storage import files

__all__ = [
    "UNSHUFFLED_SUFFIX", "combined_data_filenames", "dev_data_filenames", "generate_dataset_and_shuffle",
    "generate_files", "generate_lines_for_vocab", "get_or_generate_tabbed_vocab", "get_or_generate_txt_vocab",
    "get_or_generate_vocab", "get_or_generate_vocab_inner", "gunzip_file", "maybe_download", "outputs_exist",
    "pack_examples", "read_records", "shard_filepath", "sharded_name", "shuffle_dataset", "test_data_filenames",
    "train_data_filenames", "write_records",
]  # fmt: skip

Source: TypeAlias = Sequence[Any]  # [URL or path, [file, file, ...]]


def generate_lines_for_vocab(tmp_dir: str, sources: Iterable[Source], file_byte_budget: float = 1e6) -> Iterator[str]:
    """Yield the lines for building a vocabulary: a sample of each file.

    Args:
        tmp_dir: the folder for unpacked files.
        sources: for each source, its URL or path, and a list of the files in it.
        file_byte_budget: the size of the sample of each file, not of all files together.

    Raises:
        FileNotFoundError: a source does not exist, or does not contain a file.
        ValueError: the budget is not positive, an archive is damaged or not safe, or a file is not UTF-8.
    """
    for url, names in sources:
        archive = maybe_download(tmp_dir, os.path.basename(url), url)
        for name in names:
            path = source_file(tmp_dir, name, archive)
            for step in sample_lines.steps(files.read_lines(path), os.path.getsize(path), file_byte_budget):
                if isinstance(step, LineSampled):
                    yield step.line


def source_file(tmp_dir: str, name: str, archive: str) -> str:
    """Return the path of a file of a source, after unpacking it from its archive and from gz if necessary.

    Raises:
        FileNotFoundError: the archive does not contain the file.
        ValueError: the archive is damaged or not safe.
    """
    path = os.path.join(tmp_dir, name)
    if not os.path.exists(path):
        unpack(archive, tmp_dir)
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {name!r} in {archive!r}; list its members, and name one of them")
    if not path.endswith(".gz"):
        return path
    gunzip_file(path, path.removesuffix(".gz"))
    return path.removesuffix(".gz")


def get_or_generate_vocab(
    data_dir: str | None,
    tmp_dir: str,
    vocab_filename: str | None,
    vocab_size: int,
    sources: Iterable[Source],
    file_byte_budget: float = 1e6,
    max_subtoken_length: int | None = None,
) -> text_encoder.SubwordTextEncoder:
    """Return the vocabulary in the file; if the file does not exist, build it from the sources and store it."""
    lines = generate_lines_for_vocab(tmp_dir, sources, file_byte_budget)
    return get_or_generate_vocab_inner(data_dir, vocab_filename, vocab_size, lines, max_subtoken_length)


def get_or_generate_vocab_inner(
    data_dir: str | None,
    vocab_filename: str | None,
    vocab_size: int,
    generator: Iterable[str],
    max_subtoken_length: int | None = None,
    reserved_tokens: list[str] | None = None,
) -> text_encoder.SubwordTextEncoder:
    """Return the vocabulary in the file; if the file does not exist, build it from the texts and store it.

    An existing file is used without comparing it with `vocab_size` or with the texts.

    Args:
        data_dir: the folder of the file; without it nothing is stored.
        vocab_filename: the name of the file; without it nothing is stored.
        vocab_size: the approximate number of subtokens.
        generator: texts; they are read only if the file does not exist.
        max_subtoken_length: subtokens are shorter than this; without it, long words take quadratic time.
        reserved_tokens: the first tokens, which begin with `RESERVED_TOKENS`.
    """
    path = os.path.join(data_dir, vocab_filename) if data_dir and vocab_filename else None
    if path and os.path.exists(path):
        return text_encoder.SubwordTextEncoder(path)
    vocabulary = text_encoder.SubwordTextEncoder.build_from_generator(
        generator, vocab_size, max_subtoken_length=max_subtoken_length, reserved_tokens=reserved_tokens
    )
    if path and data_dir:
        os.makedirs(data_dir, exist_ok=True)
        vocabulary.store_to_file(path)
    return vocabulary


def get_or_generate_tabbed_vocab(
    data_dir: str, tmp_dir: str, source_filename: str, index: int, vocab_filename: str, vocab_size: int
) -> text_encoder.SubwordTextEncoder:
    """Return a vocabulary from a file, or built from column 0 or 1 of a file with tabs; skip lines without a tab."""
    lines = map(str.strip, files.read_lines(os.path.join(tmp_dir, source_filename)))
    column = (line.split("\t", 1)[index].strip() for line in lines if "\t" in line)
    return get_or_generate_vocab_inner(data_dir, vocab_filename, vocab_size, column)


def get_or_generate_txt_vocab(
    data_dir: str, vocab_filename: str, vocab_size: int, filepatterns: str | Sequence[str]
) -> text_encoder.SubwordTextEncoder:
    """Return a vocabulary from a file, or built from all lines of the text files that match one of the patterns."""
    patterns = [filepatterns] if isinstance(filepatterns, str) else filepatterns
    paths = [path for pattern in patterns for path in sorted(glob(pattern))]
    return get_or_generate_vocab_inner(data_dir, vocab_filename, vocab_size, map(str.strip, files.read_lines(*paths)))


def pack_examples(
    examples: Iterable[dict[str, Any]],
    has_inputs: bool,
    packed_length: int = 256,
    spacing: int = 2,
    queue_size: int = 10,
    chop_long_sequences: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield packed examples of several short ones each, with the segment and the position of each id.

    Args:
        examples: examples with the field "targets" and, if `has_inputs`, "inputs".
        has_inputs: whether both sides are packed; otherwise "inputs" is a single zero.
        packed_length, spacing, queue_size: as in `pack`.
        chop_long_sequences: whether to split targets that are too long; otherwise each gets its own pack.

    >>> next(pack_examples([{"targets": [5, 1]}, {"targets": [6, 1]}], False, packed_length=6))
    {'inputs': [0], 'targets': [5, 1, 0, 0, 6, 1], 'targets_segmentation': [1, 1, 0, 0, 2, 2], \
'targets_position': [0, 1, 0, 0, 0, 1]}
    """
    names = ("inputs", "targets") if has_inputs else ("targets",)
    sides = (tuple(example[name] for name in names) for example in examples)
    for step in pack.steps(sides, packed_length, spacing, queue_size, chop_long_sequences):
        if isinstance(step, PackClosed):
            packed: dict[str, Any] = {} if has_inputs else {"inputs": [0]}
            for name, (ids, segmentation, position) in zip(names, step.sides, strict=True):
                packed |= {name: ids, f"{name}_segmentation": segmentation, f"{name}_position": position}
            yield packed
