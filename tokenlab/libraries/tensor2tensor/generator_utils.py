"""Examples in shards, vocabularies from samples of files, and packed examples, with the names of the library's module.

Shards are files of JSON lines, of which either all exist and are complete, or none exists.

Adds, compared with the library: an incomplete set of shards is generated again, whereas the library checks only that
one file exists. The order of the examples in a shard depends only on its name, so an interrupted run gives the same
result when it is repeated. A vocabulary is built once, from a sample of the lines of each file; the vocabulary file is
the cache. The public names that get the files of a source are in `archives`.
Leaves out: TFRecord files and `tf.data` (`to_example`, `tfrecord_iterator`, `pack_dataset`, `SequenceDatasetPacker`),
downloads from Google Drive, the writer for several machines (`generate_files_distributed`), vocabularies from a file
with tabs (`get_or_generate_tabbed_vocab`), and calls that combine others. An example is a line of JSON, and `datasets`
loads the files with `load_dataset("json", data_files="folder/name-train-*")`.
Source: tensor2tensor/data_generators/generator_utils.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from glob import glob
from random import Random
from typing import Any, TypeAlias

from tokenlab.algorithms.training_data.pack import PackClosed, pack
from tokenlab.algorithms.training_data.sample_lines import LineSampled, sample_lines
from tokenlab.libraries.tensor2tensor import text_encoder
from tokenlab.libraries.tensor2tensor.archives import atomic_files, gunzip_file, maybe_download, unpack
from tokenlab.printing.errors import check_integer
from tokenlab.printing.printable import Parts, count_noun
from tokenlab.steps.recording import step, stepwise
from tokenlab.storage import files

__all__ = [
    "UNSHUFFLED_SUFFIX", "generate_files", "generate_lines_for_vocab", "get_or_generate_txt_vocab",
    "get_or_generate_vocab", "get_or_generate_vocab_inner", "gunzip_file", "maybe_download", "outputs_exist",
    "pack_examples", "read_records", "shard_filepath", "sharded_name", "shuffle_dataset", "train_data_filenames",
    "write_records",
]  # fmt: skip

Example: TypeAlias = dict[str, Any]

UNSHUFFLED_SUFFIX = "-unshuffled"
TRAIN, DEV, TEST = "train", "dev", "test"  # the splits in file names


def sharded_name(base_name: str, shard: int, total_shards: int) -> str:
    """Return the name of one shard.

    >>> sharded_name("enzh-train", 0, 10)
    'enzh-train-00000-of-00010'
    """
    return f"{base_name}-{shard:05d}-of-{total_shards:05d}"


def shard_filepath(fname: str, num_shards: int) -> list[str]:
    """Return the names of all shards.

    >>> shard_filepath("enzh-dev", 1)
    ['enzh-dev-00000-of-00001']
    """
    return [sharded_name(fname, shard, num_shards) for shard in range(num_shards)]


def data_filenames(output_name: str, output_dir: str, num_shards: int) -> list[str]:
    """Return the paths of all shards in a folder."""
    return [os.path.join(output_dir, name) for name in shard_filepath(output_name, num_shards)]


def train_data_filenames(problem: str, output_dir: str, num_shards: int) -> list[str]:
    """Return the paths of the training shards of a problem."""
    return data_filenames(f"{problem}-{TRAIN}", output_dir, num_shards)


def outputs_exist(filenames: Iterable[str]) -> str | None:
    """Return the first of these files (shuffled) that exists, or None; the others need not exist."""
    return next((name for name in map(shuffled_name, filenames) if os.path.exists(name)), None)


def shuffled_name(filename: str) -> str:
    """Return the name of a shard after shuffling.

    >>> shuffled_name("enzh-unshuffled-train-00000-of-00010")
    'enzh-train-00000-of-00010'
    """
    folder, name = os.path.split(filename)
    return os.path.join(folder, name.replace(UNSHUFFLED_SUFFIX, ""))


def to_line(example: Mapping[str, Any]) -> str:
    """Return an example as one line of JSON.

    Raises:
        ValueError: a field is empty.

    >>> to_line({"inputs": [5, 1], "targets": [7, 1]})
    '{"inputs": [5, 1], "targets": [7, 1]}\\n'
    """
    for name, value in example.items():
        if not value:
            raise ValueError(f"the field {name!r} of an example is empty: {dict(example)!r:.80}; remove the example")
    return json.dumps(example) + "\n"


@step
class ExampleWritten:
    """An example was written to a shard; examples are numbered from 1, shards from 0 as in their names."""

    number: int
    shard: int

    def sentence(self) -> Parts:
        """Name the example and the shard."""
        return ["example ", self.number, f" went to shard {self.shard}"]


@step
class ShardsComplete:
    """All shards exist; `generated` is whether this run wrote them, with `num_examples` examples."""

    shards: int
    num_examples: int
    generated: bool

    def sentence(self) -> Parts:
        """Say whether the shards were written."""
        one = self.shards == 1
        if not self.generated:
            there = "the shard already exists" if one else f"all {self.shards} shards already exist"
            return [f"{there}, so none is generated"]
        shards = "the shard gets its name" if one else f"the {self.shards} shards get their names"
        were = "was" if self.num_examples == 1 else "were"
        return [f"{count_noun(self.num_examples, 'example')} {were} written, and only now {shards}"]


@stepwise
def generate_files(
    generator: Iterable[Example | None],
    output_filenames: Sequence[str],
    max_cases: int | None = None,
    cycle_every_n: int = 1,
) -> Generator[ExampleWritten | ShardsComplete, None, list[str]]:
    """Distribute examples round-robin to shards; the files get their names when the last example is written.

    Args:
        generator: the examples; None is skipped.
        output_filenames: a file for each shard.
        max_cases: the maximum number of examples.
        cycle_every_n: the number of consecutive examples that go to a shard before the next shard.

    Raises:
        ValueError: there is no file, a duplicate file, or an example with an empty field.
    """
    check_integer("cycle_every_n", cycle_every_n, at_least=1)
    _check_names(output_filenames)
    if _complete(output_filenames):
        yield ShardsComplete(len(output_filenames), 0, generated=False)
        return list(output_filenames)
    number = shard = 0
    # The files of an earlier incomplete set, unshuffled or shuffled, are removed when the new ones appear.
    with atomic_files(output_filenames, replaced=list(map(shuffled_name, output_filenames))) as shards:
        for example in generator:
            if max_cases and number == max_cases:
                break
            if example is not None:
                shards[shard].write(to_line(example))
                number += 1
                yield ExampleWritten(number, shard)
                shard = number // cycle_every_n % len(output_filenames)
    yield ShardsComplete(len(output_filenames), number, generated=True)
    return list(output_filenames)


def shuffle_dataset(
    filenames: Iterable[str], extra_fn: Callable[[list[Example]], Iterable[Example]] | None = None
) -> None:
    """Shuffle each shard separately, with its name as the seed, and remove the unshuffled file.

    Args:
        filenames: the unshuffled shards; a shard that is already shuffled is skipped.
        extra_fn: a function from the shuffled examples of a shard to the examples to write, such as packed ones.

    Raises:
        FileNotFoundError: neither the unshuffled nor the shuffled file of a shard exists.
    """
    for filename in filenames:
        done = shuffled_name(filename)
        if filename != done and os.path.exists(filename):
            records = read_records(filename)
            Random(os.path.basename(done)).shuffle(records)
            write_records(extra_fn(records) if extra_fn else records, done)
            os.remove(filename)
        elif not os.path.exists(done):
            raise FileNotFoundError(f"there is no shard {filename!r} to shuffle; generate it with generate_files")


def read_records(filename: str) -> list[Example]:
    """Return the examples of a shard.

    Raises:
        FileNotFoundError: the file does not exist.
        ValueError: a line is not a JSON object; the message names the file and the line.
    """
    records = []
    for number, line in enumerate(files.read_lines(filename), start=1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise ValueError(
                f"{filename}: line {number} is not an example, which is a JSON object; generate the file again"
            )
        records.append(record)
    return records


def write_records(records: Iterable[Mapping[str, Any]], out_filename: str) -> None:
    """Write examples as a shard, atomically."""
    files.write_atomically(out_filename, map(to_line, records))


def _check_names(names: Sequence[str]) -> None:
    if not names or len({*names}) < len(names) or isinstance(names, str):
        raise ValueError(f"output_filenames={names!r:.80}: give a list of different files, one for each shard")


def _complete(names: Iterable[str]) -> bool:
    """Whether each shard exists, shuffled or unshuffled."""
    return all(os.path.exists(name) or os.path.exists(shuffled_name(name)) for name in names)


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
            for seen in sample_lines.steps(files.read_lines(path), os.path.getsize(path), file_byte_budget):
                if isinstance(seen, LineSampled):
                    yield seen.line


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
    for seen in pack.steps(sides, packed_length, spacing, queue_size, chop_long_sequences):
        if isinstance(seen, PackClosed):
            packed: dict[str, Any] = {} if has_inputs else {"inputs": [0]}
            for name, (ids, segmentation, position) in zip(names, seen.sides, strict=True):
                packed |= {name: ids, f"{name}_segmentation": segmentation, f"{name}_position": position}
            yield packed
