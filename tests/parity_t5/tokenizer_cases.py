"""Random setups of tokenizers and random calls, as JSON that `tokenizer_answers` reads.

A case depends on nothing but the seed and its number.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.parity_t5 import tokenizer_texts as texts
from tests.parity_t5.tokenizer_setups import BOOLEANS, SPECIAL_NAMES, addition, setup, token

Json = Any
CALLS = 10  # of each case


def case(seed: int, number: int, kinds: tuple[tuple[str, bool], ...]) -> Json:
    """Return a case.

    Args:
        seed: another seed, other cases.
        number: the case's number.
        kinds: families and whether the tokenizer is fast; the case has one of them.
    """
    draw = Random(f"{seed} {number}")
    family, fast = kinds[number % len(kinds)]
    return {"setup": setup(draw, family, fast), "calls": [call(draw, fast) for _ in range(CALLS)]}


def call(draw: Random, fast: bool) -> Json:
    """Return a call of a method."""
    makers, weights = zip(*MAKERS, strict=True)
    return draw.choices(makers, weights)[0](draw, fast)


def encoding_call(draw: Random, fast: bool) -> Json:
    """Return a call of `__call__`, or of the methods behind it."""
    method = draw.choices(("__call__", "encode", "encode_plus", "batch_encode_plus"), (8, 1, 1, 1))[0]
    options = call_options(draw, fast)
    split = bool(options.get("is_split_into_words"))
    if method == "batch_encode_plus":
        return [method, [batch(draw, split)], options]
    if method != "__call__":
        pair = [one(draw, split)] if draw.random() < 0.4 else []
        return [method, [one(draw, split), *pair], options]
    return ["__call__", *inputs(draw, split, options)]


def inputs(draw: Random, split: bool, options: Json) -> tuple[list[Json], Json]:
    """Return the arguments of `__call__`: a single text, a pair, a batch, with or without targets."""
    kinds = ("single", "pair", "batch", "pairs", "target", "ids")
    kind = draw.choices(kinds, (5, 5, 5, 4, 3, 1))[0]
    if kind == "single":
        return [one(draw, split)], options
    if kind == "pair":
        return [one(draw, split), one(draw, split)], options
    if kind == "batch":
        return [batch(draw, split)], options
    if kind == "pairs":
        first = [one(draw, split) for _ in range(draw.randint(1, 3))]
        count = len(first) if draw.random() < 0.95 else 1
        return [first, [one(draw, split) for _ in range(count)]], options
    if kind == "ids":
        return [draw.choice((texts.ids(draw), texts.tokens(draw), [texts.ids(draw)], None, 5, [], [[]]))], options
    target = {"text_target": one(draw, split)} | ({"text_pair_target": one(draw, split)} if draw.random() < 0.3 else {})
    return [one(draw, split)] if draw.random() < 0.7 else [], options | target


def one(draw: Random, split: bool) -> Json:
    """Return a text, or the words of one."""
    if draw.random() < 0.01:
        lone = "".join((texts.word(draw), draw.choice(texts.SURROGATES), texts.word(draw)))
        return draw.choice((None, 7, {"!": "bytes", "of": [97, 98]}, [None], lone, [lone, "a"], lone))
    return texts.words(draw) if split else texts.text(draw)


def batch(draw: Random, split: bool) -> list[Json]:
    """Return texts, or pairs of them."""
    pairs = draw.random() < 0.3
    rows = [(one(draw, split), one(draw, split)) for _ in range(draw.choice((0, 1, 2, 2, 3, 4)))]
    if not pairs:
        return [first for first, _ in rows]
    return [{"!": "tuple", "of": list(row)} if draw.random() < 0.8 else list(row) for row in rows]


def call_options(draw: Random, fast: bool) -> Json:
    """Return options of `__call__`, of which some do not go together."""
    found = {name: draw.choice(values) for name, (share, values) in OPTIONS.items() if draw.random() < share}
    if draw.random() < 0.12:
        found["is_split_into_words"] = True
    if draw.random() < (0.4 if fast else 0.02):
        found["return_offsets_mapping"] = True
    if draw.random() < 0.02:
        found |= draw.choice(OLD_OPTIONS)
    return found


LENGTHS = (0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 40)
STRATEGY = {"!": "strategy", "class": "TruncationStrategy", "of": "only_first"}
SELDOM_TRUNCATION = ("only_second", "only_second", "only_second", "only_second", "do_not_truncate", "bad")
OPTIONS: dict[str, tuple[float, tuple[Json, ...]]] = {
    "padding": (0.5, (*(True, False, "longest", "max_length", "max_length", "do_not_pad") * 8, "bad")),
    "truncation": (0.55, (*(True, True, False, "longest_first", "only_first", STRATEGY) * 6, *SELDOM_TRUNCATION)),
    "max_length": (0.55, (*LENGTHS * 4, None, -1)),
    "stride": (0.2, (0, 1, 1, 1, 2, 2, 3, 5)),
    "add_special_tokens": (0.2, BOOLEANS),
    "pad_to_multiple_of": (0.1, (2, 4, 8)),
    "return_tensors": (0.1, (*("pt", "np") * 10, "tf", "bad")),
    "return_token_type_ids": (0.2, BOOLEANS),
    "return_attention_mask": (0.2, BOOLEANS),
    "return_overflowing_tokens": (0.25, (True, True, False)),
    "return_special_tokens_mask": (0.2, BOOLEANS),
    "return_length": (0.15, BOOLEANS),
    "verbose": (0.05, BOOLEANS),
}
OLD_OPTIONS = (
    {"pad_to_max_length": True},
    {"truncation_strategy": "only_second"},
    {"truncation_strategy": "longest_first", "pad_to_max_length": True},
    {"unknown": 1},
)


def tokenize(draw: Random, fast: bool) -> Json:
    options = {} if draw.random() < 0.6 else {"add_special_tokens": True} if draw.random() < 0.5 else {"pair": "the"}
    if draw.random() < 0.1:
        options["is_split_into_words"] = True
    return ["tokenize", [texts.text(draw)], options]


def decode(draw: Random, fast: bool) -> Json:
    """Return a call of decode or batch_decode, of any ids or of those of a text."""
    names = ("skip_special_tokens", "clean_up_tokenization_spaces", "spaces_between_special_tokens")
    options = {name: draw.choice(BOOLEANS) for name in names if draw.random() < 0.4}
    if fast:
        options.pop(names[2], None)
    if draw.random() < 0.3:
        return ["batch_decode", [[texts.ids(draw) for _ in range(draw.randint(0, 3))]], options]
    encoded = {"!": "result", "of": [["encode", [texts.text(draw)], {}]]}
    given = draw.choice((encoded, encoded, texts.ids(draw), draw.randrange(500), tensor(draw), [-1, 3], [10**6]))
    return ["decode", [given], options]


def tensor(draw: Random) -> Json:
    return {"!": "tensor", "module": draw.choice(("numpy", "torch")), "of": [draw.randrange(300) for _ in range(4)]}


def convert(draw: Random, fast: bool) -> Json:
    """Return a call that converts tokens, ids or strings."""
    kind = draw.choice(("ids", "tokens", "string", "clean"))
    if kind == "ids":
        skip = {"skip_special_tokens": True} if draw.random() < 0.3 else {}
        return ["convert_ids_to_tokens", [draw.choice((texts.ids(draw), draw.randrange(400), [-2], 10**7))], skip]
    if kind == "tokens":
        given = texts.tokens(draw)
        return ["convert_tokens_to_ids", [draw.choice((given, given, given[0] if given else None))], {}]
    if kind == "string":
        return ["convert_tokens_to_string", [texts.tokens(draw)], {}]
    return ["clean_up_tokenization", [texts.text(draw)], {}]


def pad(draw: Random, fast: bool) -> Json:
    """Return a call of `pad` with what a data loader collects, or with a result."""
    options = {name: call_options(draw, fast).get(name) for name in ("padding", "max_length", "return_tensors")}
    options |= {"pad_to_multiple_of": draw.choice((None, None, 4)), "return_attention_mask": draw.choice((None, True))}
    options = {name: value for name, value in options.items() if value is not None or draw.random() < 0.1}
    rows = [texts.ids(draw) for _ in range(draw.choice((0, 1, 2, 3)))]
    kind = draw.choice(("rows", "one", "features", "tensors", "result", "bad"))
    if kind == "rows":
        extra = {"token_type_ids": [[0] * len(row) for row in rows]} if draw.random() < 0.4 else {}
        extra |= {"special_tokens_mask": [[1] * len(row) for row in rows]} if draw.random() < 0.3 else {}
        extra |= {"labels": [[0, 1] for _ in rows]} if draw.random() < 0.2 else {}
        return ["pad", [{"input_ids": rows, **extra}], options]
    if kind == "one":
        return ["pad", [{"input_ids": texts.ids(draw)}], options]
    if kind == "features":
        features = [{"input_ids": row, "attention_mask": [1] * len(row), "label": 1} for row in rows]
        return ["pad", [features], options]
    if kind == "tensors":
        return ["pad", [[{"input_ids": tensor(draw)} for _ in range(2)]], options]
    if kind == "result":
        several = [[texts.text(draw) for _ in range(draw.randint(1, 3))]]
        return ["pad", [{"!": "result", "of": [["__call__", several, {}]]}], options]
    return [
        "pad",
        [draw.choice(({"labels": [1]}, {"input_ids": []}, [], {"input_ids": 5}, {"input_ids": ["a"]}))],
        options,
    ]


def prepare(draw: Random, fast: bool) -> Json:
    """Return a call of `prepare_for_model`."""
    options = call_options(draw, fast)
    options.pop("is_split_into_words", None)
    if draw.random() < 0.2:
        options["prepend_batch_axis"] = True
    pair = draw.choice(([], [texts.ids(draw)], [None]))
    return ["prepare_for_model", [texts.ids(draw), *pair], options]


def truncate(draw: Random, fast: bool) -> Json:
    """Return a call of `truncate_sequences`."""
    strategies = ("longest_first", "only_first", "only_second", "do_not_truncate", STRATEGY, "bad")
    options = {
        "num_tokens_to_remove": draw.choice((0, 1, 2, 3, 5, 9, -1)),
        "truncation_strategy": draw.choice(strategies),
        "stride": draw.choice((0, 1, 2, 5)),
    }
    kept = {name: value for name, value in options.items() if draw.random() < 0.8}
    return ["truncate_sequences", [texts.ids(draw), *draw.choice(([], [texts.ids(draw)], [None]))], kept]


def special(draw: Random, fast: bool) -> Json:
    """Return a call about special tokens around ids."""
    pair = draw.choice(([], [texts.ids(draw)], [None]))
    kind = draw.choice(("mask", "build", "types", "count"))
    if kind == "mask":
        flag = {"already_has_special_tokens": draw.choice(BOOLEANS)} if draw.random() < 0.6 else {}
        return ["get_special_tokens_mask", [texts.ids(draw), *pair], flag]
    if kind == "build":
        return ["build_inputs_with_special_tokens", [texts.ids(draw), *pair], {}]
    if kind == "types":
        return ["create_token_type_ids_from_sequences", [texts.ids(draw), *pair], {}]
    return ["num_special_tokens_to_add", [draw.choice(BOOLEANS)] if draw.random() < 0.8 else [], {}]


def attribute(draw: Random, fast: bool) -> Json:
    """Return an attribute to read, or a method without arguments."""
    return [draw.choice(ATTRIBUTES), [], {}]


ATTRIBUTES = (
    *("len", "vocab_size", "is_fast", "get_added_vocab", "get_vocab", "all_special_tokens", "all_special_ids"),
    *("all_special_tokens_extended", "special_tokens_map", "special_tokens_map_extended", "pad_token_type_id"),
    *("max_len_single_sentence", "max_len_sentences_pair", "model_max_length", "padding_side", "truncation_side"),
    *("additional_special_tokens", "additional_special_tokens_ids", "model_input_names", "sanitize_special_tokens"),
    *("__repr__", "can_save_slow_tokenizer", "missing", *SPECIAL_NAMES, *(f"{name}_id" for name in SPECIAL_NAMES)),
    *("vocab_files_names", "slow_tokenizer_class.__name__", "max_model_input_sizes", "padding", "init_kwargs"),
    *("backend_tokenizer.to_str", "backend_tokenizer.truncation", "backend_tokenizer.padding", "vocab"),
)


def change(draw: Random, fast: bool) -> Json:
    """Return a call that changes the tokenizer: later calls of the case depend on it."""
    kind = draw.choice(("add", "set", "set", "side", "strategies"))
    if kind == "add":
        name, given = addition(draw)
        return [name, given, {}]
    if kind == "strategies":
        pads = {"!": "strategy", "class": "PaddingStrategy", "of": draw.choice(("longest", "max_length", "do_not_pad"))}
        sizes = [draw.choice((4, 9)), draw.choice((0, 2)), draw.choice((None, 4))]
        return ["set_truncation_and_padding", [pads, STRATEGY, *sizes], {}]
    if kind == "side":
        return [
            f"={draw.choice(('padding_side', 'truncation_side'))}",
            [draw.choice(("left", "right", "left", "up"))],
            {},
        ]
    name = draw.choice((*SPECIAL_NAMES, "additional_special_tokens", "pad_token_id", "model_max_length"))
    values: dict[str, Callable[[], Json]] = {
        "additional_special_tokens": lambda: [token(draw) for _ in range(2)],
        "pad_token_id": lambda: draw.choice((0, 3, 7)),
        "model_max_length": lambda: draw.choice((4, 10)),
    }
    return [f"={name}", [values[name]() if name in values else draw.choice((token(draw), token(draw), None))], {}]


def alignment(draw: Random, fast: bool) -> Json:
    """Return a call of a method of BatchEncoding on the result of a call."""
    options = call_options(draw, fast)
    batched = draw.random() < 0.5
    split = bool(options.get("is_split_into_words"))
    first = [one(draw, split) for _ in range(draw.randint(1, 3))] if batched else one(draw, split)
    made = ["__call__", [first], options]
    if not batched and draw.random() < 0.5:
        made[1].append(one(draw, split))
    name, counts, extra = draw.choices(ALIGNMENTS, [1 + max(counts) for _, counts, _ in ALIGNMENTS])[0]
    given = [draw.choice((0, 0, 1, 2, 3, 5, 8, 30, -1, -1)) for _ in range(draw.choice(counts))]
    if name == "to":
        given = ["cpu"]
    elif batched and given:
        given[0] = draw.choice((0, 0, 1, 2, -1, 7))
    named = {key: draw.choice((0, 1)) for key in extra if draw.random() < 0.3}
    steps = [["[]", draw.choice((0, 0, 1, -1, "input_ids", "missing"))]] if name == "[]" else [[name, given, named]]
    return result([made, *steps])


ALIGNMENTS: tuple[tuple[str, tuple[int, ...], tuple[str, ...]], ...] = (
    ("tokens", (0, 0, 1), ()),
    ("word_ids", (0, 0, 1), ()),
    ("words", (0, 1), ()),
    ("sequence_ids", (0, 0, 1), ()),
    ("token_to_sequence", (1, 2), ()),
    ("token_to_word", (1, 2), ()),
    ("word_to_tokens", (1, 2), ("sequence_index",)),
    ("token_to_chars", (1, 2), ()),
    ("char_to_token", (1, 2), ("sequence_index",)),
    ("word_to_chars", (1, 2), ("sequence_index",)),
    ("char_to_word", (1, 2), ("sequence_index",)),
    ("is_fast", (0,), ()),
    ("n_sequences", (0,), ()),
    ("input_ids", (0,), ()),
    ("missing", (0,), ()),
    ("[]", (0,), ()),
    ("keys", (0,), ()),
    ("to", (0,), ()),
    ("convert_to_tensors", (0,), ()),
)


def result(calls: list[Json]) -> Json:
    """Return a call whose answer is the result of calls in a row."""
    return ["result", [{"!": "result", "of": calls}], {}]


def target(draw: Random, fast: bool) -> Json:
    """Return a call with targets by the older methods."""
    if draw.random() < 0.5:
        return ["as_target_tokenizer", [texts.text(draw)], call_options(draw, fast)]
    rows = [texts.text(draw) for _ in range(2)]
    return ["prepare_seq2seq_batch", [rows, *draw.choice(([], [rows]))], {"max_length": 8, "padding": "longest"}]


MAKERS: tuple[tuple[Callable[[Random, bool], Json], float], ...] = (
    (encoding_call, 45),
    (tokenize, 8),
    (decode, 8),
    (convert, 7),
    (pad, 6),
    (prepare, 6),
    (truncate, 4),
    (special, 4),
    (attribute, 5),
    (change, 3),
    (alignment, 11),
    (target, 1.5),
)
