"""What a trainer is asked for: keywords, or one string of flags, as the messages that a model file keeps.

Adds: each option is a field of `TrainerSpec` or `NormalizerSpec`, and is read as what that field holds.

Source: google/sentencepiece, src/spec_parser.h; src/sentencepiece_trainer.cc, MergeSpecsFromArgs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tokenlab.errors import by_name
from tokenlab.sentencepiece.charsmap_build import compile_charsmap
from tokenlab.sentencepiece.model import TYPES, messages, parsed
from tokenlab.sentencepiece.rules import DEFAULT, charsmap_named, read_rules

REFUSED = {"auto_character_coverage", "seed_sentencepieces_file"}
FORGOTTEN = {  # the library takes these, and does nothing with them
    *("accept_language", "self_test_sample_size", "mining_sentence_size", "training_sentence_size"),
    *("train_extremely_large_corpus", "enable_differential_privacy", "differential_privacy_noise_level"),
    *("differential_privacy_clipping_threshold", "minloglevel"),
}
TRUE, FALSE = {"", "true", "t", "yes", "y", "1"}, {"false", "f", "no", "n", "0"}


class Specs(NamedTuple):
    """What the pieces are learned by, and what texts go through before and after."""

    trainer: Any
    normalizer: Any
    denormalizer: Any


def flags_of(line: str) -> dict[str, str]:
    """The options in a line of flags; a flag without a value is true.

    >>> flags_of("--input=a.txt --byte_fallback")
    {'input': 'a.txt', 'byte_fallback': ''}
    """
    pairs = (flag.removeprefix("--").partition("=") for flag in line.split(" "))
    options: dict[str, str] = {}
    for name, _, value in pairs:
        options.setdefault(name, value)
    return options


def as_text(value: object) -> str:
    """A keyword's value as a flag has it; a list becomes a line of comma-separated values.

    >>> as_text(["<sep>", "a,b"])
    '<sep>,"a,b"'
    """
    if not isinstance(value, list):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(map(str, value))
    return line.getvalue()


def specs_of(options: Mapping[str, str], normalizer: Any = None) -> Specs:
    """The specs for options; a normalizer's own spec leaves no room for options of normalizing.

    Raises:
        RuntimeError: an option that is not known, or a rule that is not there.
        ValueError: a value of the wrong kind, options that do not go together, or one that is not supported here.
    """
    kit = messages()
    specs = Specs(kit.TrainerSpec(), kit.NormalizerSpec(), kit.NormalizerSpec())
    if normalizer is not None:
        specs.normalizer.CopyFrom(parsed("NormalizerSpec", normalizer))
    for name, value in options.items():
        if name not in FORGOTTEN:
            _set(specs, name, value, normalizer is not None)
    _populate(specs)
    return specs


def _set(specs: Specs, name: str, value: str, has_normalizer: bool) -> None:
    if name in REFUSED:
        raise ValueError(f"{name} is not supported here; leave it out, or train with the library")
    if name == "denormalization_rule_tsv":
        specs.denormalizer.normalization_rule_tsv = value
        for switch in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"):
            setattr(specs.denormalizer, switch, False)
    elif name in specs.trainer.DESCRIPTOR.fields_by_name:
        _set_field(specs.trainer, name, value)
    else:
        field = "name" if name == "normalization_rule_name" else name
        if field not in specs.normalizer.DESCRIPTOR.fields_by_name:
            raise RuntimeError(_unknown(name, specs))
        if has_normalizer:
            raise ValueError(f"{name} and normalizer= both say how texts are normalized; give one of them")
        _set_field(specs.normalizer, field, value)


def _unknown(name: str, specs: Specs) -> str:
    known = {*specs.trainer.DESCRIPTOR.fields_by_name, *specs.normalizer.DESCRIPTOR.fields_by_name}
    try:
        return str(by_name("option", name, dict.fromkeys(sorted({*known, "normalization_rule_name"}))))
    except ValueError as error:
        return str(error)


def _set_field(spec: Any, name: str, value: str) -> None:
    now = getattr(spec, name)
    if name == "model_type":
        spec.model_type = by_name("model_type", value.lower(), TYPES)
    elif isinstance(now, str | bytes):
        setattr(spec, name, value if isinstance(now, str) else value.encode())
    elif isinstance(now, bool):
        setattr(spec, name, _truth(name, value))
    elif isinstance(now, int | float):
        setattr(spec, name, _number(name, value, type(now)))
    else:
        now.extend(_fields(value))


def _fields(line: str) -> Iterable[str]:
    return next(csv.reader([line], strict=False), []) if line else []


def _truth(name: str, value: str) -> bool:
    if value.lower() not in TRUE | FALSE:
        raise ValueError(f"{name}={value!r} should be true or false")
    return value.lower() in TRUE


def _number(name: str, value: str, kind: type) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name}={value!r} should be a {'whole number' if kind is int else 'number'}") from None


def _populate(specs: Specs) -> None:
    """Put the tables of replacements in."""
    for spec in (specs.normalizer, specs.denormalizer):
        if spec.normalization_rule_tsv:
            if spec.precompiled_charsmap:
                raise RuntimeError("normalization_rule_tsv and precompiled_charsmap both give a table; give one")
            spec.precompiled_charsmap = compile_charsmap(read_rules(spec.normalization_rule_tsv))
            spec.name = "user_defined"
    if not specs.normalizer.name:
        specs.normalizer.name = DEFAULT
    if not specs.normalizer.precompiled_charsmap:
        table = charsmap_named(specs.normalizer.name)
        specs.normalizer.precompiled_charsmap = table


LIMITS = {
    "character_coverage": (0.98, 1.0),
    "max_sentencepiece_length": (1, 512),
    "num_sub_iterations": (1, 10),
    "num_threads": (1, 1024),
    "shrinking_factor": (0.5, 0.95),
    "max_sentence_length": (10, 1073741824),
}


def check(spec: Any) -> None:
    """Refuse numbers that are out of range, and options that do not go together.

    Raises:
        RuntimeError: as the library has it.
    """
    if spec.vocab_size <= 0:
        raise RuntimeError(f"vocab_size={spec.vocab_size} should be above 0")
    for name, (least, most) in LIMITS.items():
        value = getattr(spec, name)
        # subtle: a number of 32 bits is a little off what was written; the library compares it like this.
        if not least <= value <= most:
            raise RuntimeError(f"{name}={value:g} should lie between {least} and {most}")
    if 0 < spec.input_sentence_size <= 100:
        raise RuntimeError(f"input_sentence_size={spec.input_sentence_size} should be 0 (all) or above 100")
    for role in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
        if not getattr(spec, role):
            raise RuntimeError(f"{role} is empty; give it a name, and switch it off with {role[:3]}_id=-1")
    subword = spec.model_type in (TYPES["unigram"], TYPES["bpe"])
    if subword and spec.use_all_vocab:
        raise RuntimeError("use_all_vocab=True is for word and char models; a subword model needs a vocab_size")
    if not subword and spec.pretokenization_delimiter:
        raise RuntimeError("pretokenization_delimiter is for unigram and bpe models; leave it out")
