"""The trainer's options: keyword arguments or one string of flags, converted to the messages in a model file.

Adds: each option is a field of `TrainerSpec` or `NormalizerSpec`, and is parsed as that field's type.

Source: google/sentencepiece, src/spec_parser.h; src/sentencepiece_trainer.cc, MergeSpecsFromArgs.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tokenlab.libraries.sentencepiece.model_proto import TYPES, parse_message, protobuf_messages
from tokenlab.libraries.sentencepiece.normalization.builder import (
    DEFAULT_RULE_NAME,
    compile_charsmap,
    load_charsmap,
    read_rule_file,
)
from tokenlab.printing.errors import lookup

UNSUPPORTED_FLAGS = {"auto_character_coverage", "seed_sentencepieces_file"}
IGNORED_FLAGS = {  # accepted without effect
    *("accept_language", "self_test_sample_size", "mining_sentence_size", "training_sentence_size"),
    *("train_extremely_large_corpus", "enable_differential_privacy", "differential_privacy_noise_level"),
    *("differential_privacy_clipping_threshold", "minloglevel"),
}
# A value in quotes, where two quotes mean one and what follows the closing quote is dropped; or one without quotes.
_FIELD = re.compile(r'"(?P<quoted>(?:[^"]|"")*)"?[^,]*|(?P<plain>[^,]*)')
TRUE, FALSE = {"", "true", "t", "yes", "y", "1"}, {"false", "f", "no", "n", "0"}


class TrainingSpecs(NamedTuple):
    """The specs of the trainer, of the normalizer (before encoding) and of the denormalizer (after decoding)."""

    trainer: Any
    normalizer: Any
    denormalizer: Any


def parse_flags(line: str) -> dict[str, str]:
    """Parse a line of flags; a flag without a value is true.

    >>> parse_flags("--input=a.txt --byte_fallback")
    {'input': 'a.txt', 'byte_fallback': ''}
    """
    pairs = (flag.removeprefix("--").partition("=") for flag in line.split(" "))
    options: dict[str, str] = {}
    for name, _, value in pairs:
        options.setdefault(name, value)
    return options


def format_flag(value: object) -> str:
    """Format the value of a keyword argument as a flag; a list becomes a line of comma-separated values.

    >>> format_flag(["<sep>", "a,b"])
    '<sep>,"a,b"'
    """
    if not isinstance(value, list):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(map(str, value))
    return line.getvalue()


def build_specs(options: Mapping[str, str], normalizer: Any = None) -> TrainingSpecs:
    """Return the specs for options; normalization options are refused if a normalizer's own spec is given.

    Raises:
        RuntimeError: an unknown option or normalization rule.
        ValueError: a value of the wrong type, incompatible options, or an option that is not supported here.
    """
    kit = protobuf_messages()
    specs = TrainingSpecs(kit.TrainerSpec(), kit.NormalizerSpec(), kit.NormalizerSpec())
    if normalizer is not None:
        specs.normalizer.CopyFrom(parse_message("NormalizerSpec", normalizer))
    for name, value in options.items():
        if name not in IGNORED_FLAGS:
            _set(specs, name, value, normalizer is not None)
    _populate(specs)
    return specs


def _set(specs: TrainingSpecs, name: str, value: str, has_normalizer: bool) -> None:
    if name in UNSUPPORTED_FLAGS:
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
            raise ValueError(f"{name} and normalizer= both define the normalization; give one of them")
        _set_field(specs.normalizer, field, value)


def _unknown(name: str, specs: TrainingSpecs) -> str:
    known = {*specs.trainer.DESCRIPTOR.fields_by_name, *specs.normalizer.DESCRIPTOR.fields_by_name}
    try:
        return str(lookup("option", name, dict.fromkeys(sorted({*known, "normalization_rule_name"}))))
    except ValueError as error:
        return str(error)


def _set_field(spec: Any, name: str, value: str) -> None:
    now = getattr(spec, name)
    if name == "model_type":
        spec.model_type = lookup("model_type", value.lower(), TYPES)
    elif isinstance(now, str | bytes):
        setattr(spec, name, value if isinstance(now, str) else value.encode())
    elif isinstance(now, bool):
        setattr(spec, name, _parse_bool(name, value))
    elif isinstance(now, int | float):
        setattr(spec, name, _parse_number(name, value, type(now)))
    else:
        now.extend(_fields(value))


def _fields(line: str) -> Iterable[str]:
    """Yield the values of a comma-separated line; a value may have line breaks, and a quoted value may have commas.

    Source: google/sentencepiece, src/util.cc, StrSplitAsCSV.

    >>> list(_fields('a,"b,c",\\n'))
    ['a', 'b,c', '\\n']
    """
    start = 0
    # subtle: nothing follows a comma at the end, not even an empty value.
    while start < len(line):
        field = _FIELD.match(line, start)
        assert field is not None  # an empty value matches
        yield field["plain"] if field["quoted"] is None else field["quoted"].replace('""', '"')
        start = field.end() + 1


def _parse_bool(name: str, value: str) -> bool:
    if value.lower() not in TRUE | FALSE:
        raise ValueError(f"{name}={value!r} should be true or false")
    return value.lower() in TRUE


def _parse_number(name: str, value: str, kind: type) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise ValueError(f"{name}={value!r} should be a {'whole number' if kind is int else 'number'}") from None


def _populate(specs: TrainingSpecs) -> None:
    """Load the tables of replacements into the specs."""
    for spec in (specs.normalizer, specs.denormalizer):
        if spec.normalization_rule_tsv:
            if spec.precompiled_charsmap:
                raise RuntimeError("normalization_rule_tsv and precompiled_charsmap both give a table; give one")
            spec.precompiled_charsmap = compile_charsmap(read_rule_file(spec.normalization_rule_tsv))
            spec.name = "user_defined"
    if not specs.normalizer.name:
        specs.normalizer.name = DEFAULT_RULE_NAME
    if not specs.normalizer.precompiled_charsmap:
        table = load_charsmap(specs.normalizer.name)
        specs.normalizer.precompiled_charsmap = table


LIMITS = {
    "character_coverage": (0.98, 1.0),
    "max_sentencepiece_length": (1, 512),
    "num_sub_iterations": (1, 10),
    "num_threads": (1, 1024),
    "shrinking_factor": (0.5, 0.95),
    "max_sentence_length": (10, 1073741824),
}


def check_trainer_spec(spec: Any) -> None:
    """Check that numbers are in range and options compatible.

    Raises:
        RuntimeError: they are not, as in the library.
    """
    if spec.vocab_size <= 0:
        raise RuntimeError(f"vocab_size={spec.vocab_size} should be above 0")
    for name, (least, most) in LIMITS.items():
        value = getattr(spec, name)
        # subtle: a 32-bit number differs slightly from what was written; the library compares it in the same way.
        if not least <= value <= most:
            raise RuntimeError(f"{name}={value:g} should lie between {least} and {most}")
    if 0 < spec.input_sentence_size <= 100:
        raise RuntimeError(f"input_sentence_size={spec.input_sentence_size} should be 0 (all) or above 100")
    for role in ("unk_piece", "bos_piece", "eos_piece", "pad_piece"):
        if not getattr(spec, role):
            raise RuntimeError(f"{role} is empty; give it a name, or disable it with {role[:3]}_id=-1")
    subword = spec.model_type in (TYPES["unigram"], TYPES["bpe"])
    if subword and spec.use_all_vocab:
        raise RuntimeError("use_all_vocab=True is for word and char models; a subword model needs a vocab_size")
    if not subword and spec.pretokenization_delimiter:
        raise RuntimeError("pretokenization_delimiter is for unigram and bpe models; leave it out")
