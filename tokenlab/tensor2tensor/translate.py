"""Problems of translation: many sources become two files, one language each, whose lines belong together.

Leaves out: TMX, and the cleaning of pairs.
Source: tensor2tensor/data_generators/translate.py.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from glob import glob
from typing import Any

from tokenlab import files
from tokenlab.steps import step, stepwise
from tokenlab.tensor2tensor.archives import gunzip_file, unpack
from tokenlab.tensor2tensor.download import maybe_download
from tokenlab.tensor2tensor.problem import DatasetSplit
from tokenlab.tensor2tensor.text_iterators import Sample, text2text_txt_iterator
from tokenlab.tensor2tensor.text_problems import Text2TextProblem
from tokenlab.tensor2tensor.vocab_files import generate_lines_for_vocab, source_file
from tokenlab.tensor2tensor.whole import whole_files
from tokenlab.visible import visible


@step
class Pair:
    """A line of a source, and the two texts in it; `missing` says what keeps it out, if anything does."""

    file: str
    line: int
    source: str
    target: str
    missing: str

    def __str__(self) -> str:
        """Say what the line has, or lacks."""
        where = f"{self.file}, line {self.line:,}"
        if self.missing:
            return f"{where} was left out: {self.missing}"
        return f"{where}: {visible(self.source)} | {visible(self.target)}"


@step
class Compiled:
    """Both files are in their places; `made` is whether this run made them."""

    pairs: int
    left_out: int
    made: bool

    def __str__(self) -> str:
        """Say that they are there."""
        if not self.made:
            return "both files are there already, and nothing is read"
        return f"{self.pairs:,} pairs are written, {self.left_out:,} lines were left out"


@stepwise
def compile_data(
    tmp_dir: str, datasets: Iterable[Sequence[Any]], filename: str, datatypes_to_clean: Sequence[str] | None = None
) -> Generator[Pair | Compiled, None, str]:
    """Write the pairs of all sources to `filename.lang1` and `filename.lang2`, in `tmp_dir`; the path without ending.

    Args:
        tmp_dir: where sources are unpacked, and the two files are written.
        datasets: of each source, where it comes from, and what is in it: `("first.en", "first.zh")`, or `("tsv", 0, 1,
            "*.tsv")` with two columns, counted from 0, and a pattern. Files may be in tar or zip, and end in gz.
        filename: what the two files are called.
        datatypes_to_clean: is not supported.

    Raises:
        FileNotFoundError: a source is not there, or has no such file in it.
        ValueError: a kind of source that is not known, a column that a line lacks, files of unequal length, an archive
            that is torn or not safe, a file that is not UTF-8.
    """
    if datatypes_to_clean:
        raise ValueError(f"datatypes_to_clean={datatypes_to_clean!r} is not supported here; clean the files before")
    path = os.path.join(tmp_dir, filename)
    sides = [f"{path}.lang1", f"{path}.lang2"]
    if all(map(os.path.exists, sides)):
        yield Compiled(0, 0, made=False)
        return path
    pairs = left_out = 0
    with whole_files(sides) as (sources, targets):
        for url, content in datasets:
            for pair in _pairs(tmp_dir, url, content):
                if pair.missing:
                    left_out += 1
                else:
                    pairs += 1
                    sources.write(f"{pair.source}\n")
                    targets.write(f"{pair.target}\n")
                yield pair
    yield Compiled(pairs, left_out, made=True)
    return path


def _pairs(tmp_dir: str, url: str, content: Sequence[Any]) -> Iterator[Pair]:
    archive = maybe_download(tmp_dir, os.path.basename(url), url)
    if content[0] == "tmx":
        raise ValueError("sources of the kind 'tmx' are not supported; make a file with tabs of it, and give 'tsv'")
    if content[0] == "tsv":
        _, source_column, target_column, pattern = content
        for path in _matching(tmp_dir, pattern, archive):
            yield from _tabbed(path, source_column, target_column)
    else:
        yield from _side_by_side(*(source_file(tmp_dir, name, archive) for name in content))


def _matching(tmp_dir: str, pattern: str, archive: str) -> list[str]:
    """The files that match a pattern, unpacked from their archive, and from gz."""
    if not glob(pattern, root_dir=tmp_dir):
        unpack(archive, tmp_dir)
    found = [os.path.join(tmp_dir, name) for name in glob(pattern, root_dir=tmp_dir)]
    if not found:
        raise FileNotFoundError(
            f"no file in {archive!r} matches {pattern!r}; list what is in it, and correct the pattern"
        )
    for path in found:
        if path.endswith(".gz"):
            # subtle: the library calls strip(".gz"), which takes away any of these three characters, at both ends.
            gunzip_file(path, path.removesuffix(".gz"))
    return sorted({path.removesuffix(".gz") for path in found})


def _tabbed(path: str, source_column: int, target_column: int) -> Iterator[Pair]:
    name = os.path.basename(path)
    for number, line in enumerate(files.read_lines(path), start=1):
        columns = line.split("\t")
        if len(columns) == 1:
            yield Pair(name, number, "", "", "there is no tab in it")
        elif max(source_column, target_column) >= len(columns):
            raise ValueError(
                f"{path}: line {number} has {len(columns)} columns, and column {max(source_column, target_column)}, "
                "counted from 0, is asked for; correct the line, or the columns"
            )
        else:
            yield _pair(name, number, columns[source_column].strip(), columns[target_column].strip())


def _side_by_side(source_path: str, target_path: str) -> Iterator[Pair]:
    name = os.path.basename(source_path)
    tagged = source_path.endswith("sgm") and target_path.endswith("sgm")
    for number, sample in enumerate(text2text_txt_iterator(source_path, target_path), start=1):
        source, target = sample["inputs"], sample["targets"]
        yield _pair(name, number, *map(_without_tags, (source, target)) if tagged else (source, target))


def _pair(name: str, number: int, source: str, target: str) -> Pair:
    return Pair(name, number, source, target, "" if source and target else "one side is empty")


def _without_tags(line: str) -> str:
    """The sentence of a line of SGML; nothing, if the line has none.

    >>> _without_tags('<seg id="1">Good morning.</seg>'), _without_tags("<p>")
    ('Good morning.', '')
    """
    if line.startswith("<seg") and line.endswith("</seg>"):
        return line[line.index(">") + 1 : -len("</seg>")]
    return ""


class TranslateProblem(Text2TextProblem):
    """A problem of translation: a subclass says what its sources are."""

    is_generate_per_split = True

    def source_data_files(self, dataset_split: str) -> list[Any]:
        """The sources of a split, as `compile_data` takes them."""
        raise NotImplementedError(f"{type(self).__name__} has to say what its sources are")

    def vocab_data_files(self) -> list[Any]:
        """The sources that the vocabulary sees, as `generate_lines_for_vocab` takes them."""
        return self.source_data_files(DatasetSplit.TRAIN)

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Sample]:
        """The pairs of a split."""
        tag = "train" if dataset_split == DatasetSplit.TRAIN else "dev"
        path = compile_data(tmp_dir, self.source_data_files(dataset_split), f"{self.name}-compiled-{tag}")
        return text2text_txt_iterator(f"{path}.lang1", f"{path}.lang2")

    def generate_text_for_vocab(self, data_dir: str, tmp_dir: str) -> Iterator[str]:
        """A sample of the lines of all sources."""
        return generate_lines_for_vocab(tmp_dir, self.vocab_data_files())
