"""Samples from text files, and samples with ids in place of their texts.

Source: tensor2tensor/data_generators/text_problems.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, Protocol, TypeAlias

from tokenlab import files
from tokenlab.tensor2tensor.text_encoder import EOS_ID

Sample: TypeAlias = dict[str, Any]


class Encoder(Protocol):
    """What turns a text into ids."""

    def encode(self, s: str) -> list[int]:
        """The ids of a text."""


def txt_line_iterator(txt_path: str) -> Iterator[str]:
    """The lines of a file, without white space at their ends."""
    return map(str.strip, files.read_lines(txt_path))


def text2text_txt_iterator(source_txt_path: str, target_txt_path: str) -> Iterator[Sample]:
    """Samples from two files, whose lines belong together.

    Raises:
        ValueError: one file has more lines than the other. (The library drops the rest, and with it the only sign that
            the lines do not belong together.)
    """
    both = zip_longest(txt_line_iterator(source_txt_path), txt_line_iterator(target_txt_path))
    for number, (inputs, targets) in enumerate(both, start=1):
        if inputs is None or targets is None:
            ended, longer = (source_txt_path, target_txt_path) if inputs is None else (target_txt_path, source_txt_path)
            raise ValueError(
                f"{ended!r} ends before line {number}, which {longer!r} still has: are these two sides of one corpus?"
            )
        yield {"inputs": inputs, "targets": targets}


def text2text_txt_tab_iterator(txt_path: str) -> Iterator[Sample]:
    """Samples from one file with a tab between the two texts; lines without a tab are passed over."""
    for line in txt_line_iterator(txt_path):
        inputs, tab, targets = line.partition("\t")
        if tab:
            yield {"inputs": inputs.strip(), "targets": targets.strip()}


def text2self_txt_iterator(txt_path: str) -> Iterator[Sample]:
    """Samples that have targets alone, for language models."""
    for line in txt_line_iterator(txt_path):
        yield {"targets": line}


def text2text_generate_encoded(
    sample_generator: Iterable[Sample],
    vocab: Encoder,
    targets_vocab: Encoder | None = None,
    has_inputs: bool = True,
    inputs_prefix: str = "",
    targets_prefix: str = "",
) -> Iterator[Sample]:
    """Samples with ids in place of texts; each text ends in the id of EOS.

    Args:
        sample_generator: samples with "targets" and, if `has_inputs`, "inputs".
        vocab: what encodes the inputs, and the targets too unless they have their own.
        targets_vocab: what encodes the targets.
        has_inputs: whether there are inputs to encode.
        inputs_prefix, targets_prefix: a text that is put before each.

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
