"""Examples dealt out to shards: files of JSON lines, all of them whole, or none of them there.

Adds, beside the library: a set of shards that is not complete is made again, where the library takes one file for all;
the order of a shard depends on its name alone, so that a run which was interrupted ends as one that was not.
Leaves out: TFRecord; an example is a line that people can read, and `datasets` loads the files by
`load_dataset("json", data_files="folder/name-train-*")`.
Source: tensor2tensor/data_generators/generator_utils.py.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from random import Random
from typing import Any, TypeAlias

from tokenlab import files
from tokenlab.errors import whole_number
from tokenlab.steps import step, stepwise
from tokenlab.tensor2tensor.whole import whole_files

Example: TypeAlias = dict[str, Any]

UNSHUFFLED_SUFFIX = "-unshuffled"


def sharded_name(base_name: str, shard: int, total_shards: int) -> str:
    """The name of one shard.

    >>> sharded_name("enzh-train", 0, 10)
    'enzh-train-00000-of-00010'
    """
    return f"{base_name}-{shard:05d}-of-{total_shards:05d}"


def shard_filepath(fname: str, num_shards: int) -> list[str]:
    """The names of all shards.

    >>> shard_filepath("enzh-dev", 1)
    ['enzh-dev-00000-of-00001']
    """
    return [sharded_name(fname, shard, num_shards) for shard in range(num_shards)]


def outputs_exist(filenames: Iterable[str]) -> str | None:
    """The first of these files (shuffled) that is there; that one is says nothing about the others."""
    return next((name for name in map(shuffled_name, filenames) if os.path.exists(name)), None)


def shuffled_name(filename: str) -> str:
    """The name of a shard once it is shuffled.

    >>> shuffled_name("enzh-unshuffled-train-00000-of-00010")
    'enzh-train-00000-of-00010'
    """
    folder, name = os.path.split(filename)
    return os.path.join(folder, name.replace(UNSHUFFLED_SUFFIX, ""))


def to_line(example: Mapping[str, Any]) -> str:
    """An example as one line of JSON.

    Raises:
        ValueError: a field is empty.

    >>> to_line({"inputs": [5, 1], "targets": [7, 1]})
    '{"inputs": [5, 1], "targets": [7, 1]}\\n'
    """
    for name, value in example.items():
        if not value:
            raise ValueError(f"the field {name!r} of an example is empty: {dict(example)!r:.80}; leave the example out")
    return json.dumps(example) + "\n"


@step
class Written:
    """An example went to a shard; both are counted, the shard from zero as in its name."""

    number: int
    shard: int

    def __str__(self) -> str:
        """Say which went where."""
        return f"example {self.number:,} went to shard {self.shard}"


@step
class Complete:
    """All shards are in their places; `made` is whether this run made them, `number` how many examples they got."""

    shards: int
    number: int
    made: bool

    def __str__(self) -> str:
        """Say that they are there."""
        if not self.made:
            return f"all {self.shards} shards are there already, and nothing is made"
        return f"{self.number:,} examples, and only now all {self.shards} shards get their names"


@stepwise
def generate_files(
    generator: Iterable[Example | None],
    output_filenames: Sequence[str],
    max_cases: int | None = None,
    cycle_every_n: int = 1,
) -> Generator[Written | Complete, None, list[str]]:
    """Deal examples out to shards in turn; the files get their names when the last example is written.

    Args:
        generator: the examples; None is passed over.
        output_filenames: a file for each shard.
        max_cases: how many examples at the most.
        cycle_every_n: how many examples go to a shard before it is the next one's turn.

    Raises:
        ValueError: no file, a file named twice, or an example with an empty field.
    """
    whole_number("cycle_every_n", cycle_every_n, at_least=1)
    _check_names(output_filenames)
    if _complete(output_filenames):
        yield Complete(len(output_filenames), 0, made=False)
        return list(output_filenames)
    number = shard = 0
    # What is left of an earlier set, unshuffled or shuffled, goes when the new one comes.
    with whole_files(output_filenames, replaced=list(map(shuffled_name, output_filenames))) as shards:
        for example in generator:
            if max_cases and number == max_cases:
                break
            if example is not None:
                shards[shard].write(to_line(example))
                number += 1
                yield Written(number, shard)
                shard = number // cycle_every_n % len(output_filenames)
    yield Complete(len(output_filenames), number, made=True)
    return list(output_filenames)


def shuffle_dataset(
    filenames: Iterable[str], extra_fn: Callable[[list[Example]], Iterable[Example]] | None = None
) -> None:
    """Shuffle each shard for itself, in an order that its name decides, and remove the unshuffled file.

    Args:
        filenames: the unshuffled shards; one that is done already is passed over.
        extra_fn: from the examples of a shard, shuffled, to those that are written, such as packed ones.

    Raises:
        FileNotFoundError: a shard is there neither unshuffled nor shuffled.
    """
    for filename in filenames:
        done = shuffled_name(filename)
        if filename != done and os.path.exists(filename):
            records = read_records(filename)
            Random(os.path.basename(done)).shuffle(records)
            write_records(extra_fn(records) if extra_fn else records, done)
            os.remove(filename)
        elif not os.path.exists(done):
            raise FileNotFoundError(f"there is no shard {filename!r} to shuffle; generate_files makes it")


def generate_dataset_and_shuffle(
    train_gen: Iterable[Example | None],
    train_paths: Sequence[str],
    dev_gen: Iterable[Example | None],
    dev_paths: Sequence[str],
    shuffle: bool = True,
) -> None:
    """Both splits: dealt out, and, if their names say that they are unshuffled, shuffled."""
    generate_files(train_gen, train_paths)
    generate_files(dev_gen, dev_paths)
    if shuffle:
        shuffle_dataset([*train_paths, *dev_paths])


def read_records(filename: str) -> list[Example]:
    """The examples of a shard.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is no JSON object; file and line are named.
    """
    records = []
    for number, line in enumerate(files.read_lines(filename), start=1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise ValueError(f"{filename}: line {number} is no example, which would be a JSON object; make it again")
        records.append(record)
    return records


def write_records(records: Iterable[Mapping[str, Any]], out_filename: str) -> None:
    """Write examples as a shard, whole or not at all."""
    files.write_whole(out_filename, map(to_line, records))


def _check_names(names: Sequence[str]) -> None:
    if not names or len({*names}) < len(names) or isinstance(names, str):
        raise ValueError(f"output_filenames={names!r:.80}: give a list of files, one for each shard, and each once")


def _complete(names: Iterable[str]) -> bool:
    """Whether each shard is there, shuffled or not yet."""
    return all(os.path.exists(name) or os.path.exists(shuffled_name(name)) for name in names)
