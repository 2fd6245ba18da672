"""A vocabulary that is built once: from a sample of the lines of each file, with its own file as the cache.

Source: tensor2tensor/data_generators/generator_utils.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from typing import Any, TypeAlias

from tokenlab import files
from tokenlab.algorithms.sample_lines import Taken, sample_lines
from tokenlab.tensor2tensor import text_encoder
from tokenlab.tensor2tensor.archives import gunzip_file, unpack
from tokenlab.tensor2tensor.download import maybe_download

Source: TypeAlias = Sequence[Any]  # [where from, [file, file, ...]]


def generate_lines_for_vocab(tmp_dir: str, sources: Iterable[Source], file_byte_budget: float = 1e6) -> Iterator[str]:
    """The lines that a vocabulary is built from: a sample of each file.

    Args:
        tmp_dir: where files are unpacked.
        sources: of each source, where it comes from, and a list of the files in it.
        file_byte_budget: how much is taken of each file, not of all together.

    Raises:
        FileNotFoundError: a source is not there, or has no such file in it.
        ValueError: a budget that is not above 0, an archive that is torn or not safe, a file that is not UTF-8.
    """
    for url, names in sources:
        archive = maybe_download(tmp_dir, os.path.basename(url), url)
        for name in names:
            path = source_file(tmp_dir, name, archive)
            for step in sample_lines.steps(files.read_lines(path), os.path.getsize(path), file_byte_budget):
                if isinstance(step, Taken):
                    yield step.line


def source_file(tmp_dir: str, name: str, archive: str) -> str:
    """The path of a file of a source, unpacked from its archive, and from gz, unless it is there already.

    Raises:
        FileNotFoundError: the archive has no such file.
        ValueError: the archive is torn or not safe.
    """
    path = os.path.join(tmp_dir, name)
    if not os.path.exists(path):
        unpack(archive, tmp_dir)
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no file {name!r} in {archive!r}; list what is in it, and name one of them")
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
    """The vocabulary in that file; if there is none, one that is built from the sources and stored there."""
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
    """The vocabulary in that file; if there is none, one that is built from the texts and stored there.

    A file that is there is taken for the right one: neither its size nor its texts are compared with what is asked.

    Args:
        data_dir: the folder of the file; without it nothing is stored.
        vocab_filename: the name of the file; without it nothing is stored.
        vocab_size: about how many subtokens.
        generator: texts; they are read only if there is no file.
        max_subtoken_length: how long a subtoken may be; without it, long words take long.
        reserved_tokens: what stands first, and begins with the usual two.
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
    """The same from one column (0 or 1) of a file with a tab in each line; lines without one are passed over."""
    lines = map(str.strip, files.read_lines(os.path.join(tmp_dir, source_filename)))
    column = (line.split("\t", 1)[index].strip() for line in lines if "\t" in line)
    return get_or_generate_vocab_inner(data_dir, vocab_filename, vocab_size, column)


def get_or_generate_txt_vocab(
    data_dir: str, vocab_filename: str, vocab_size: int, filepatterns: str | Sequence[str]
) -> text_encoder.SubwordTextEncoder:
    """The same from all lines of the text files that match one of the patterns."""
    patterns = [filepatterns] if isinstance(filepatterns, str) else filepatterns
    paths = [path for pattern in patterns for path in sorted(glob(pattern))]
    return get_or_generate_vocab_inner(data_dir, vocab_filename, vocab_size, map(str.strip, files.read_lines(*paths)))
