"""Translation problems: compile many sources into two files with corresponding lines, one for each language.

Leaves out: TMX, and the cleaning of pairs.
Source: tensor2tensor/data_generators/translate.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from glob import glob
from typing import Any

from tokenlab.libraries.tensor2tensor.archives import atomic_files, gunzip_file, maybe_download, unpack
from tokenlab.libraries.tensor2tensor.generator_utils import generate_lines_for_vocab, source_file
from tokenlab.libraries.tensor2tensor.problem import DatasetSplit
from tokenlab.libraries.tensor2tensor.text_problems import Sample, Text2TextProblem, text2text_txt_iterator
from tokenlab.printing.printable import Parts, SymbolPart
from tokenlab.steps.recording import step, stepwise
from tokenlab.storage import files


@step
class SentencePair:
    """A line of a source and its two texts; `skip_reason` is empty unless the line is skipped."""

    file: str
    line: int
    source: str
    target: str
    skip_reason: str

    def sentence(self) -> Parts:
        """Name the line, and its two texts or the reason to skip it."""
        where: Parts = [f"{self.file}, line ", self.line]
        if self.skip_reason:
            return [*where, f" is skipped: {self.skip_reason}"]
        return [*where, ": ", SymbolPart(self.source), " | ", SymbolPart(self.target)]


@step
class DataCompiled:
    """Both files exist; `generated` is whether this run wrote them."""

    num_pairs: int
    num_skipped: int
    generated: bool

    def __str__(self) -> str:
        if not self.generated:
            return "both files already exist, so no source is read"
        return f"{self.num_pairs:,} pairs are written, {self.num_skipped:,} lines are skipped"


@stepwise
def compile_data(
    tmp_dir: str, datasets: Iterable[Sequence[Any]], filename: str, datatypes_to_clean: Sequence[str] | None = None
) -> Generator[SentencePair | DataCompiled, None, str]:
    """Write the pairs of all sources to `filename.lang1` and `filename.lang2` in `tmp_dir`.

    Args:
        tmp_dir: the folder for unpacked sources and for the two files.
        datasets: for each source, its URL or path, and its files: `("first.en", "first.zh")`, or `("tsv", 0, 1,
            "*.tsv")` with two columns, counted from 0, and a pattern. Files may be in tar or zip, and end in gz.
        filename: the name of the two files, without extension.
        datatypes_to_clean: not supported.

    Returns:
        The path of the two files, without extension.

    Raises:
        FileNotFoundError: a source does not exist, or does not contain a file.
        ValueError: a kind of source is not known, a line lacks a column, files have different numbers of lines, an
            archive is damaged or not safe, or a file is not UTF-8.
    """
    if datatypes_to_clean:
        raise ValueError(f"datatypes_to_clean={datatypes_to_clean!r} is not supported here; clean the files first")
    path = os.path.join(tmp_dir, filename)
    sides = [f"{path}.lang1", f"{path}.lang2"]
    if all(map(os.path.exists, sides)):
        yield DataCompiled(0, 0, generated=False)
        return path
    pairs = skipped = 0
    with atomic_files(sides) as (sources, targets):
        for url, content in datasets:
            for pair in _pairs(tmp_dir, url, content):
                if pair.skip_reason:
                    skipped += 1
                else:
                    pairs += 1
                    sources.write(f"{pair.source}\n")
                    targets.write(f"{pair.target}\n")
                yield pair
    yield DataCompiled(pairs, skipped, generated=True)
    return path


def _pairs(tmp_dir: str, url: str, content: Sequence[Any]) -> Iterator[SentencePair]:
    archive = maybe_download(tmp_dir, os.path.basename(url), url)
    if content[0] == "tmx":
        raise ValueError("sources of the kind 'tmx' are not supported; convert it to a file with tabs, and give 'tsv'")
    if content[0] == "tsv":
        _, source_column, target_column, pattern = content
        for path in _matching(tmp_dir, pattern, archive):
            yield from _tabbed(path, source_column, target_column)
    else:
        yield from _side_by_side(*(source_file(tmp_dir, name, archive) for name in content))


def _matching(tmp_dir: str, pattern: str, archive: str) -> list[str]:
    """Return the files that match a pattern, after unpacking them from their archive and from gz if necessary."""
    if not glob(pattern, root_dir=tmp_dir):
        unpack(archive, tmp_dir)
    found = [os.path.join(tmp_dir, name) for name in glob(pattern, root_dir=tmp_dir)]
    if not found:
        raise FileNotFoundError(
            f"no file in {archive!r} matches {pattern!r}; list its members, and correct the pattern"
        )
    for path in found:
        if path.endswith(".gz"):
            # subtle: the library calls strip(".gz"), which removes any of these three characters at both ends.
            gunzip_file(path, path.removesuffix(".gz"))
    return sorted({path.removesuffix(".gz") for path in found})


def _tabbed(path: str, source_column: int, target_column: int) -> Iterator[SentencePair]:
    name = os.path.basename(path)
    for number, line in enumerate(files.read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) == 1:
            yield SentencePair(name, number, "", "", "it contains no tab")
        elif max(source_column, target_column) >= len(columns):
            raise ValueError(
                f"{path}: line {number} has {len(columns)} columns, so there is no column "
                f"{max(source_column, target_column)}, counted from 0; correct the line, or the columns"
            )
        else:
            yield _pair(name, number, columns[source_column].strip(), columns[target_column].strip())


def _side_by_side(source_path: str, target_path: str) -> Iterator[SentencePair]:
    name = os.path.basename(source_path)
    tagged = source_path.endswith("sgm") and target_path.endswith("sgm")
    for number, sample in enumerate(text2text_txt_iterator(source_path, target_path), start=1):
        source, target = sample["inputs"], sample["targets"]
        yield _pair(name, number, *map(_without_tags, (source, target)) if tagged else (source, target))


def _pair(name: str, number: int, source: str, target: str) -> SentencePair:
    return SentencePair(name, number, source, target, "" if source and target else "one side is empty")


def _without_tags(line: str) -> str:
    """Return the sentence in a line of SGML, or an empty string.

    >>> _without_tags('<seg id="1">Good morning.</seg>'), _without_tags("<p>")
    ('Good morning.', '')
    """
    if line.startswith("<seg") and line.endswith("</seg>"):
        return line[line.index(">") + 1 : -len("</seg>")]
    return ""


class TranslateProblem(Text2TextProblem):
    """A translation problem; a subclass defines `source_data_files`."""

    is_generate_per_split = True
    datatypes_to_clean: Sequence[str] | None = None  # for training; not supported by `compile_data`

    def source_data_files(self, dataset_split: str) -> list[Any]:
        """Return the sources of a split, in the format of `compile_data`."""
        raise NotImplementedError(f"{type(self).__name__} must implement source_data_files")

    def vocab_data_files(self) -> list[Any]:
        """Return the sources for building the vocabulary, in the format of `generate_lines_for_vocab`."""
        return self.source_data_files(DatasetSplit.TRAIN)

    def generate_samples(
        self,
        data_dir: str,
        tmp_dir: str,
        dataset_split: str,
        custom_iterator: Callable[[str, str], Iterator[Sample]] = text2text_txt_iterator,
    ) -> Iterator[Sample]:
        """Yield the pairs of a split, read from its two files by `custom_iterator`."""
        train = dataset_split == DatasetSplit.TRAIN
        name = f"{self.name}-compiled-{'train' if train else 'dev'}"
        cleaned = self.datatypes_to_clean if train else None
        path = compile_data(tmp_dir, self.source_data_files(dataset_split), name, datatypes_to_clean=cleaned)
        return custom_iterator(f"{path}.lang1", f"{path}.lang2")

    def generate_text_for_vocab(self, data_dir: str, tmp_dir: str) -> Iterator[str]:
        """Yield a sample of the lines of all sources."""
        return generate_lines_for_vocab(tmp_dir, self.vocab_data_files())
