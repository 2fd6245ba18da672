"""The specs in a model file: from options or flags, from the name of a rule, a rule file or a list of pairs.

Each option is a field of `TrainerSpec` or `NormalizerSpec`, and is parsed as that field's type. The four named tables
(`nfkc`, `nmt_nfkc` and their case-folding variants) are sentencepiece's own data, under the Apache License 2.0, and are
read from the installed sentencepiece. `identity` has no table, and a `.model` file contains its own.

Adds: a table as the double-array trie that `normalizer` reads. All transitions of a state are in one block of 256
units, so a state is placed in the first block whose units for its bytes are free.
Leaves out: sharing common suffixes, which makes sentencepiece's own tables a quarter of the size; both can be read.

Source: google/sentencepiece, src/builder.cc, GetPrecompiledCharsMap, LoadCharsMap and CompileCharsMap;
src/spec_parser.h; src/sentencepiece_trainer.cc, MergeSpecsFromArgs; Darts-clone by Susumu Yata, darts.h.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from array import array
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from tokenlab.libraries.sentencepiece.model_proto import TYPES, parse_message, protobuf_messages
from tokenlab.libraries.sentencepiece.normalizer import HEADER, LEAF
from tokenlab.printing.errors import lookup
from tokenlab.storage.files import read_lines

Node: TypeAlias = dict[int, Any]  # a byte leads to the next node; END to the offset of the replacement
END = 0
EMPTY = 0x80000000  # marked as a value, so that no byte matches
MAX_OFFSET = 1 << 21  # exclusive; the range of a transition's bits
SEARCH_WINDOW = 4 * 256  # units at the end that are searched for free ones; earlier free units are not used
MAX_NESTED_KEYS = 32  # exclusive; keys that are prefixes of one another; src/normalizer.h, kMaxTrieResultsSize


def compile_charsmap(replacements: Mapping[str, str]) -> bytes:
    """Return the field `precompiled_charsmap` for a table.

    Raises:
        ValueError: a key is empty, or replaced by itself.
        RuntimeError: there are no keys, or too many that are prefixes of one another.

    >>> from tokenlab.libraries.sentencepiece.normalizer import CharsMap
    >>> list(CharsMap(compile_charsmap({"ﬁ": "fi"})).items())
    [('ﬁ', 'fi')]
    """
    _check(replacements)
    places: dict[str, int] = {}
    texts = bytearray()
    for replacement in sorted(set(replacements.values())):
        places[replacement] = len(texts)
        texts += replacement.encode() + b"\0"
    root: Node = {}
    for key, replacement in replacements.items():
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[END] = places[replacement]
    units = _DoubleArray().build(root)
    if sys.byteorder == "big":
        units.byteswap()
    array_of_units = units.tobytes()
    return len(array_of_units).to_bytes(HEADER, "little") + array_of_units + bytes(texts)


def _check(replacements: Mapping[str, str]) -> None:
    if not replacements:
        raise RuntimeError("the table of replacements is empty; for no replacements use the rule name 'identity'")
    for key, replacement in replacements.items():
        if not key or "\0" in key or "\0" in replacement:
            raise ValueError(f"{key!r} to {replacement!r}: a key must not be empty, and neither may have a null in it")
        if key == replacement:
            raise ValueError(f"{key!r} is replaced by itself; leave it out")
        if sum(key[:end] in replacements for end in range(1, len(key) + 1)) >= MAX_NESTED_KEYS:
            raise RuntimeError(
                f"{key!r:.60} begins with {MAX_NESTED_KEYS - 1} other keys or more; leave some of them out"
            )


class _DoubleArray:
    """The array while it is filled, and which of its units are taken."""

    def __init__(self) -> None:
        self.units = array("I")
        self.taken = bytearray()
        self.states: set[int] = set()
        self.first_free = 0

    def build(self, root: Node) -> array[int]:
        """Return the array for a trie; its root is the first unit."""
        self._grow()
        self.units[0] = 0
        self.taken[0] = 1
        waiting = [(0, root)]
        while waiting:
            place, node = waiting.pop()
            state = self._state_for(sorted(node))
            self.units[place] |= self._step(place ^ state) | (LEAF if END in node else 0)
            for byte, child in node.items():
                self.taken[state ^ byte] = 1
                self.units[state ^ byte] = EMPTY | child if byte == END else byte
                if byte != END:
                    waiting.append((state ^ byte, child))
        return self.units

    def _state_for(self, children: Iterable[int]) -> int:
        """Return an unused state whose units for these bytes are free."""
        while self.first_free < len(self.taken) and self.taken[self.first_free]:
            self.first_free += 1
        for state in range(max(1, self.first_free - 255, len(self.taken) - SEARCH_WINDOW), len(self.taken)):
            if state not in self.states and not any(self.taken[state ^ byte] for byte in children):
                self.states.add(state)
                return state
        self._grow()
        return self._state_for(children)

    def _grow(self) -> None:
        self.units.extend([EMPTY] * 256)
        self.taken.extend(bytes(256))

    @staticmethod
    def _step(offset: int) -> int:
        if offset >= MAX_OFFSET:
            raise RuntimeError("the table of replacements is too large for a model file; leave some keys out")
        return offset << 10


DEFAULT_RULE_NAME = "nmt_nfkc"


def load_charsmap(name: str) -> bytes:
    """Return the table of a named rule.

    Raises:
        ValueError: the string cannot be a rule name.
        RuntimeError: there is no such rule.
        ImportError: sentencepiece is not installed.
    """
    if name == "identity":
        return b""
    if not re.fullmatch("[a-z_-]*", name):
        raise ValueError(f"normalization_rule_name={name!r} has characters that no name has; try 'nmt_nfkc'")
    try:
        folder = resources.files("sentencepiece") / "package_data"
    except ImportError as error:
        raise ImportError(
            f"the normalization table {name!r} is read from sentencepiece, which is not installed; install it with: "
            "pip install sentencepiece; or give the rule name 'identity', or your own rules"
        ) from error
    file = folder / f"{name}.bin"
    if not file.is_file():
        names = sorted(Path(str(one)).stem for one in folder.iterdir() if str(one).endswith(".bin"))
        raise RuntimeError(f"normalization_rule_name={name!r} is not known; there are: identity, {', '.join(names)}")
    return file.read_bytes()


def normalizer_spec_for_name(name: str) -> Any:
    """Return the NormalizerSpec of a named rule."""
    return protobuf_messages().NormalizerSpec(name=name, precompiled_charsmap=load_charsmap(name))


def normalizer_spec_from_file(path: str) -> Any:
    """Return the NormalizerSpec of a rule file: each line has code points in hexadecimal, a tab, and replacements."""
    table = compile_charsmap(read_rule_file(path))
    return protobuf_messages().NormalizerSpec(
        name="user_defined", precompiled_charsmap=table, normalization_rule_tsv=path
    )


def read_rule_file(path: str) -> dict[str, str]:
    """Return the replacements in a rule file; of several with the same key, the last one is used.

    Raises:
        RuntimeError: the file cannot be read, or a line is not a rule; the message has the file and the line.
    """
    rules: dict[str, str] = {}
    try:
        for number, line in enumerate(read_lines(path), start=1):
            fields = [*line.rstrip("\r\n").split("\t"), ""]
            rules[_characters(fields[0], path, number)] = _characters(fields[1], path, number)
    except OSError as error:
        raise RuntimeError(str(error)) from None
    if "" in rules:
        raise RuntimeError(f"{path} has a line without a code point before its tab; put one there, such as 'FB01'")
    return rules


def _characters(points: str, path: str, number: int) -> str:
    try:
        return "".join(chr(int(point.removeprefix("U+"), 16)) for point in points.split(" ") if point)
    except ValueError:
        raise RuntimeError(
            f"{path}, line {number}: {points!r:.60} should be code points in hexadecimal, such as '41 30A'"
        ) from None


def normalizer_spec_from_map(norm_map: Iterable[tuple[str, str]]) -> Any:
    """Return the NormalizerSpec of pairs of a string and its replacement.

    Raises:
        ValueError: two pairs have the same key, or `compile_charsmap` refuses one.
        TypeError: an element is not a pair of str.
    """
    rules: dict[str, str] = {}
    for pair in norm_map:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)):
            raise TypeError(f"norm_map has {pair!r:.60}; give pairs of str, such as ('ﬁ', 'fi')")
        if pair[0] in rules:
            raise ValueError(f"norm_map replaces {pair[0]!r} twice; give it once")
        rules[pair[0]] = pair[1]
    return protobuf_messages().NormalizerSpec(precompiled_charsmap=compile_charsmap(rules))


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
    """Raise a RuntimeError, as the library does, if a number is out of range or options are not compatible."""
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
