"""Distribute examples to shards: files of JSON lines, of which either all exist and are complete, or none exists.

Adds, compared with the library: an incomplete set of shards is generated again, whereas the library checks only that
one file exists. The order of the examples in a shard depends only on its name, so an interrupted run gives the same
result when it is repeated.
Leaves out: TFRecord. An example is a line of JSON, and `datasets` loads the files with
`load_dataset("json", data_files="folder/name-train-*")`.
Source: tensor2tensor/data_generators/generator_utils.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

from tokenlab.libraries.tensor2tensor.atomic_files import atomic_files
from tokenlab.printing.errors import check_integer
from tokenlab.steps.recording import step, stepwise
from tokenlab.storage import files

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


def dev_data_filenames(problem: str, output_dir: str, num_shards: int) -> list[str]:
    """Return the paths of the shards of a problem for evaluation during training."""
    return data_filenames(f"{problem}-{DEV}", output_dir, num_shards)


def test_data_filenames(problem: str, output_dir: str, num_shards: int) -> list[str]:
    """Return the paths of the test shards of a problem."""
    return data_filenames(f"{problem}-{TEST}", output_dir, num_shards)


def combined_data_filenames(problem: str, output_dir: str, num_training_shards: int) -> list[str]:
    """Return the paths of all shards of a problem: those for training, one for evaluation, and one for the test.

    >>> combined_data_filenames("enzh", "", 1)
    ['enzh-train-00000-of-00001', 'enzh-dev-00000-of-00001', 'enzh-test-00000-of-00001']
    """
    return [
        *train_data_filenames(problem, output_dir, num_training_shards),
        *dev_data_filenames(problem, output_dir, 1),
        *test_data_filenames(problem, output_dir, 1),
    ]


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

    def __str__(self) -> str:
        return f"example {self.number:,} went to shard {self.shard}"


@step
class ShardsComplete:
    """All shards exist; `generated` is whether this run wrote them, with `num_examples` examples."""

    shards: int
    num_examples: int
    generated: bool

    def __str__(self) -> str:
        if not self.generated:
            return f"all {self.shards} shards already exist, so none is generated"
        return f"{self.num_examples:,} examples are written, and only now all {self.shards} shards get their names"


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


def generate_dataset_and_shuffle(
    train_gen: Iterable[Example | None],
    train_paths: Sequence[str],
    dev_gen: Iterable[Example | None],
    dev_paths: Sequence[str],
    shuffle: bool = True,
) -> None:
    """Distribute the examples of both splits to shards, and shuffle those whose names mark them as unshuffled."""
    generate_files(train_gen, train_paths)
    generate_files(dev_gen, dev_paths)
    if shuffle:
        shuffle_dataset([*train_paths, *dev_paths])


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
