"""Read samples from text files, and encode their texts as ids.

Adds: a ValueError if one of several files with corresponding lines has more lines than another. The library drops the
rest, and with it the only evidence that the lines do not correspond.
Source: tensor2tensor/data_generators/text_problems.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from glob import glob
from itertools import zip_longest
from typing import Any, TypeAlias

from tokenlab.libraries.tensor2tensor.text_encoder import EOS_ID
from tokenlab.storage import files

Sample: TypeAlias = dict[str, Any]


def txt_line_iterator(txt_path: str) -> Iterator[str]:
    """Yield the lines of a file, without leading and trailing whitespace."""
    return map(str.strip, files.read_lines(txt_path))


def txt_line_sharded_iterator(txt_pattern: str) -> Iterator[str]:
    """Yield the stripped lines of all files that match a pattern, in the order of their names."""
    return map(str.strip, files.read_lines(*sorted(glob(txt_pattern))))


def txt_and_label_iterator(txt_path: str) -> Iterator[list[Any]]:
    """Yield the text and the integer label in each line of a file, which a tab and "Extra_Label: " separate.

    Raises:
        ValueError: a line without this separator, or without an integer at its end.
    """
    for number, line in enumerate(txt_line_iterator(txt_path), start=1):
        text, separator, label = line.rpartition("\tExtra_Label: ")
        if not separator:
            raise ValueError(f"{txt_path}: line {number} is {line!r:.60}; write the text, a tab, and 'Extra_Label: 1'")
        yield [text, int(label)]


def _side_by_side(names: Sequence[str], lines_of: Callable[[str], Iterator[str]] = txt_line_iterator) -> Iterator[Any]:
    """Yield the corresponding lines of several files."""
    for number, lines in enumerate(zip_longest(*map(lines_of, names)), start=1):
        if None in lines:
            ended = names[lines.index(None)]
            longer = next(name for name, line in zip(names, lines, strict=True) if line is not None)
            raise ValueError(
                f"{ended!r} ends before line {number}, but {longer!r} has this line: are these sides of one corpus?"
            )
        yield lines


def text2text_txt_iterator(source_txt_path: str, target_txt_path: str) -> Iterator[Sample]:
    """Yield samples from two files with corresponding lines."""
    for inputs, targets in _side_by_side((source_txt_path, target_txt_path)):
        yield {"inputs": inputs, "targets": targets}


def text2text_txt_iterator_with_label(source_txt_path: str, target_txt_path: str) -> Iterator[Sample]:
    """Yield samples from two files; each line of the second has a label, as for `txt_and_label_iterator`.

    Raises:
        ValueError: a line has no label.
    """
    both = zip(_side_by_side((source_txt_path, target_txt_path)), txt_and_label_iterator(target_txt_path), strict=True)
    for (inputs, _), (targets, label) in both:
        yield {"inputs": inputs, "targets": targets, "extra_label": [label]}


def text2text_txt_iterator_with_index(source_txt_path: str, target_txt_path: str) -> Iterator[Sample]:
    """Yield samples from two files, with the index of the line, from 0."""
    for index, sample in enumerate(text2text_txt_iterator(source_txt_path, target_txt_path)):
        yield {**sample, "idx": [index]}


def text2text_distill_iterator(source_txt_path: str, target_txt_path: str, distill_txt_path: str) -> Iterator[Sample]:
    """Yield samples from three files; the third has the targets of a teacher model."""
    for inputs, targets, dist_targets in _side_by_side((source_txt_path, target_txt_path, distill_txt_path)):
        yield {"inputs": inputs, "targets": targets, "dist_targets": dist_targets}


def text2text_txt_sharded_iterator(source_txt_pattern: str, target_txt_pattern: str) -> Iterator[Sample]:
    """Yield samples from the files that match two patterns."""
    for inputs, targets in _side_by_side((source_txt_pattern, target_txt_pattern), txt_line_sharded_iterator):
        yield {"inputs": inputs, "targets": targets}


def text2class_txt_iterator(
    source_txt_path: str, label_txt_path: str, class_strs: Sequence[str] | None = None
) -> Iterator[Sample]:
    """Yield samples from a file of texts and a file of labels.

    Args:
        source_txt_path: a text in each line.
        label_txt_path: the id or the name of a class in each line.
        class_strs: the names of the classes in the order of their ids, if the labels are names.

    Raises:
        KeyError: a label is not among the names.
        ValueError: there are no names and a label is not an integer.
    """
    ids = {name: id for id, name in enumerate(class_strs or ())}
    for inputs, label in _side_by_side((source_txt_path, label_txt_path)):
        if class_strs and label not in ids:
            raise KeyError(f"the label {label!r:.60} is not among class_strs={list(ids)!r:.200}")
        yield {"inputs": inputs, "label": ids[label] if class_strs else int(label)}


def text2real_txt_iterator(source_txt_path: str, target_txt_path: str) -> Iterator[Sample]:
    """Yield samples from a file of texts and a file with numbers, separated by spaces, in each line.

    Raises:
        ValueError: a word in the second file is not a number.
    """
    for inputs, targets in _side_by_side((source_txt_path, target_txt_path)):
        yield {"inputs": inputs, "targets": [float(number) for number in targets.split(" ")]}


def text2text_txt_tab_iterator(txt_path: str) -> Iterator[Sample]:
    """Yield samples from one file with a tab between the two texts; lines without a tab are skipped.

    A path that ends in ".tsv*" is a pattern for several files.
    """
    lines = txt_line_sharded_iterator(txt_path) if txt_path.endswith(".tsv*") else txt_line_iterator(txt_path)
    for line in lines:
        inputs, tab, targets = line.partition("\t")
        if tab:
            yield {"inputs": inputs.strip(), "targets": targets.strip()}


def text2self_txt_iterator(txt_path: str) -> Iterator[Sample]:
    """Yield samples with targets only, for language models."""
    for line in txt_line_iterator(txt_path):
        yield {"targets": line}


def text2text_generate_encoded(
    sample_generator: Iterable[Sample],
    vocab: Any,
    targets_vocab: Any = None,
    has_inputs: bool = True,
    inputs_prefix: str = "",
    targets_prefix: str = "",
) -> Iterator[Sample]:
    """Yield samples with ids in place of texts; each text ends in the id of EOS.

    Args:
        sample_generator: samples with "targets" and, if `has_inputs`, "inputs".
        vocab: the encoder of the inputs and, without `targets_vocab`, of the targets.
        targets_vocab: the encoder of the targets.
        has_inputs: whether there are inputs to encode.
        inputs_prefix, targets_prefix: a text to prepend to each input or target.

    >>> class Letters:
    ...     def encode(self, s):
    ...         return [ord(c) for c in s]
    >>> list(text2text_generate_encoded([{"inputs": "ab", "targets": "c"}], Letters()))
    [{'inputs': [97, 98, 1], 'targets': [99, 1]}]
    """
    for sample in sample_generator:
        encoded = dict(sample)
        if has_inputs:
            encoded["inputs"] = [*vocab.encode(inputs_prefix + sample["inputs"]), EOS_ID]
        encoded["targets"] = [*(targets_vocab or vocab).encode(targets_prefix + sample["targets"]), EOS_ID]
        yield encoded
