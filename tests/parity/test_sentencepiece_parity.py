"""`tokenlab.libraries.sentencepiece` and the live library: the same pieces, ids, places, texts and exceptions."""

from __future__ import annotations

import array
import collections
import inspect
import math
import pickle
import random
from itertools import islice
from typing import Any

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.parity.sentencepieces import (
    KINDS,
    LINES,
    OTHER,
    TYPES,
    hostile,
    messages,
    of,
    outcome,
    pair,
    plain,
    train,
    trained,
)
from tests.strategies import SNIPPETS
from tokenlab import data
from tokenlab.libraries import sentencepiece as ours
from tokenlab.libraries.sentencepiece.builder import load_charsmap
from tokenlab.libraries.sentencepiece.normalizer import CharsMap
from tokenlab.libraries.sentencepiece.unigram_model import Float32

ModelProto = messages.ModelProto
kinds = pytest.mark.parametrize(("model_type", "other"), KINDS)
SHAPES = (int, str, bytes, "proto", "serialized_proto", "numpy", "offset_mapping")

# --- encoding -------------------------------------------------------------------------------------


@kinds
@examples(15)
@given(hostile)
def test_texts_have_the_same_pieces_ids_and_places(model_type: str, other: str, text: str) -> None:
    both = pair(model_type, other)
    pieces = both.same("encode", text, out_type=str)
    ids = both.same("encode", text)
    both.same("encode", text, out_type="proto")
    both.same("encode", text, out_type="offset_mapping")
    around = {"add_eos": True, "reverse": True, "emit_unk_piece": True, "add_bos": OTHER[other].get("bos_id") != -1}
    both.same("encode", text, out_type=str, **around)
    both.same("normalize", text)
    both.same("normalize", text, with_offsets=True)
    both.same("decode", pieces)
    both.same("decode", ids)
    both.same("decode", pieces[::-1], out_type="offset_mapping")


@pytest.mark.parametrize("other", OTHER)
@examples(15)
@given(text=hostile, cut=st.integers(0, 9))
def test_bytes_that_are_no_text_have_the_same_places(other: str, text: str, cut: int) -> None:
    for model_type in TYPES:
        both = pair(model_type, other)
        given = text.encode()[cut : -cut or None] + b"\xff\xed\xa0\x80"[:cut]
        both.same("encode", given, out_type="offset_mapping")
        both.same("encode", text.encode(), out_type="offset_mapping", return_bytes=False)
        both.same("encode", given, out_type=bytes)
        both.same("normalize", given)
        both.same("normalize", given, with_offsets=True)


@kinds
def test_shipped_texts_are_encoded_alike_and_come_back_alike(model_type: str, other: str) -> None:
    both = pair(model_type, other)
    for name in ("english", "german", "chinese", "japanese", "mixed"):
        text = data.text(name)[:6000]
        both.same("decode", both.same("encode", text))
        both.same("encode", text.splitlines(), out_type=str)
        both.same("encode", text[:500].splitlines(), out_type="offset_mapping")


@examples(60)
@given(st.text(st.sampled_from("ab▁the ☃"), max_size=18), st.integers(1, 60))
def test_the_n_best_come_in_the_same_order_with_the_same_scores(text: str, size: int) -> None:
    for other in OTHER:
        both = pair("unigram", other)
        both.same("nbest_encode", text, nbest_size=size)
        both.same("nbest_encode", text, nbest_size=size, out_type="proto")


def test_scores_have_thirty_two_bits_so_that_ways_tie_by_rounding() -> None:
    """In 64 bits the second way is better by 4e-9; the library, and so ours, keeps the longest last piece."""
    model = ModelProto()
    model.trainer_spec.model_type = 1
    model.normalizer_spec.add_dummy_prefix = False
    model.pieces.add(piece="<unk>", score=0.0, type=2)
    scores = {"a": -10.0, "b": -0.1, "ab": -10.1, "c": -3.0}
    for piece, score in scores.items():
        model.pieces.add(piece=piece, score=score)
    [one] = [entry.score for entry in model.pieces if entry.piece == "b"]
    [together] = [entry.score for entry in model.pieces if entry.piece == "ab"]
    assert -10.0 + one > together, "the two ways would not tie in 64 bits"
    both = of(model.SerializeToString())
    assert both.same("encode", "cab", out_type=str) == ["c", "ab"]


def test_a_tie_by_rounding_may_be_broken_by_the_words_before_it() -> None:
    """Two ways that differ by less than numbers of 32 bits can hold: the more was said, the more is rounded."""
    changed_its_mind = 0
    for seed in range(60):
        chance = random.Random(seed)
        a, b, blank = (Float32(-chance.uniform(1, 9)) for _ in range(3))
        together = Float32(float(a) + float(b) + chance.choice([0, 1e-7, -1e-7, 3e-7, -3e-7]))
        model = ModelProto()
        model.trainer_spec.model_type = 1
        model.pieces.add(piece="<unk>", score=0.0, type=2)
        for piece, score in {"▁": blank, "a": a, "b": b, "ab": together, "▁x": 3 * blank}.items():
            model.pieces.add(piece=piece, score=score)
        with pytest.warns(UserWarning, match="no normalizer_spec"):
            both = of(model.SerializeToString())
        last = {both.same("encode", "x " * before + "ab", out_type=str)[-1] for before in range(12)}
        changed_its_mind += len(last) > 1
    assert changed_its_mind > 10


@pytest.mark.parametrize("length", [3_000, 60_000])
def test_a_long_text_without_a_blank_is_cut_alike(length: int) -> None:
    letters = random.Random(length).choices("abehtr", k=length)
    for model_type in TYPES:
        pair(model_type, "plain").same("encode", "".join(letters))


def test_scores_far_from_zero_are_moved_nearer_as_there() -> None:
    for text in ("☃" * 9000, "☃a" * 9000 + "the the" * 50):
        pair("unigram", "plain").same("encode", text, out_type=str)


@pytest.mark.parametrize("other", ["plain", "bytes", "symbols"])
@examples(15)
@given(hostile, st.integers(0, 2**32))
def test_unused_pieces_are_taken_apart_as_there(other: str, text: str, seed: int) -> None:
    for model_type in TYPES:
        model = ModelProto.FromString(trained(model_type, other))
        chance = random.Random(seed)
        for entry in model.pieces:
            if entry.type == 1 and chance.random() < 0.4:
                entry.type = 5
        both = of(model.SerializeToString())
        both.same("encode", text[:80], out_type=str)
        both.same("encode", text[:80])


# --- sampling -------------------------------------------------------------------------------------

DRAWS = 3000


def counted(side: Any, text: str, **options: Any) -> collections.Counter[tuple[str, ...]]:
    drawn = side.encode([text] * DRAWS, out_type=str, enable_sampling=True, num_threads=1, **options)
    return collections.Counter(map(tuple, drawn))


def chi_square(mine: collections.Counter[Any], theirs: collections.Counter[Any]) -> tuple[float, int]:
    """The statistic for two samples of one size, and its degrees of freedom; rare outcomes are taken together."""
    table: dict[Any, list[int]] = {}
    for outcome_ in {*mine, *theirs}:
        key = outcome_ if mine[outcome_] + theirs[outcome_] >= 20 else "rare"
        row = table.setdefault(key, [0, 0])
        row[0] += mine[outcome_]
        row[1] += theirs[outcome_]
    return sum((a - b) ** 2 / (a + b) for a, b in table.values()), len(table) - 1


@pytest.mark.parametrize(
    ("model_type", "options"),
    [
        *[("unigram", {"nbest_size": -1, "alpha": alpha}) for alpha in (0.0, 0.1, 1.0)],
        *[("unigram", {"nbest_size": 6, "alpha": alpha}) for alpha in (0.0, 0.3)],
        *[("bpe", {"nbest_size": -1, "alpha": alpha}) for alpha in (0.1, 0.5)],
        ("bpe", {"nbest_size": 4, "alpha": 0.3}),
    ],
)
def test_segmentations_are_drawn_from_the_same_distribution(model_type: str, options: dict[str, Any]) -> None:
    both = pair(model_type, "plain")
    ours.set_random_generator_seed(5)
    sentencepiece.set_random_generator_seed(7)
    mine, theirs = (counted(side, "other the", **options) for side in both)
    statistic, freedom = chi_square(mine, theirs)
    assert len(mine) > 1
    # Five standard deviations above what is expected: it happens once in a million.
    assert statistic < freedom + 5 * math.sqrt(2 * freedom) + 5, (statistic, freedom)


@pytest.mark.parametrize(("model_type", "alpha"), [("bpe", 0.0), ("bpe", 1.0), ("bpe", 7.0), ("unigram", 1e6)])
def test_an_alpha_at_its_end_leaves_nothing_to_chance(model_type: str, alpha: float) -> None:
    both = pair(model_type, "plain")
    for line in LINES[:20]:
        both.same("encode", line[:60], out_type=str, enable_sampling=True, alpha=alpha)


# --- every argument -------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [*SHAPES, "immutable_proto", float, "x"])
@pytest.mark.parametrize("model_type", TYPES)
def test_every_shape_of_result_is_the_same(model_type: str, shape: Any) -> None:
    both = pair(model_type, "bytes")
    for texts in ("Ünü ☃", b"ab", "", [], ["a", ""], ["☃", b"b"], [b"b", "☃"]):
        both.same("encode", texts, out_type=shape)
        both.same("encode", texts, return_type=shape)
        both.same("nbest_encode", texts, out_type=shape, nbest_size=3)
        both.same("encode", texts, out_type=shape, add_bos=True)
        both.same("parallel_encode", texts, out_type=shape, chunk_len=100)
        both.same("decode", both.live.encode(texts) if texts else [], out_type=shape)
        both.same("decode", both.live.encode(texts, out_type=str) if texts else [], out_type=shape)


class Outside:
    """Arguments that no type checker would let pass."""

    text = (5, None, ("a", "b"), "\ud800", ["a", "\ud800"], ["a", 5], [["a"]], {"a"}, 1.5, bytearray(b"a"))
    ids: tuple[Any, ...] = (
        *([5, 6], (5, 6), range(5, 7), np.array([5, 6]), np.array([[5, 6]]), np.array([5.0]), array.array("i", [5])),
        *([True], [np.int64(5)], [2**40], [-1], 2**40, -1, 5, True, [[]], [[], [5]], [None], [1.5], 1.5, {5, 6}),
        *(b"abc", ["a", 5], [5, "a"], [b"a", "b"], ["\ud800"], [[5], ["a"]], 99999, [99999], "ab", "", b"", None, []),
        *([["a"], ["b"]], [["a"], []], [[b"a"], [b"b"]], ("▁a",), np.int64(5), [[5], [6]], [[[5]]]),
    )
    id: tuple[Any, ...] = (
        0,
        5,
        True,
        -1,
        99999,
        2**40,
        1.5,
        None,
        "a",
        [1, 2],
        (1,),
        [],
        [99999],
        [1.5],
        np.array([1, 2]),
        range(2),
    )
    piece: tuple[Any, ...] = (
        "a",
        b"a",
        "",
        "nope",
        "<s>",
        "\ud800",
        ["a", b"a"],
        ("a",),
        [5],
        None,
        5,
        [],
        {"a"},
        ["\ud800"],
        [""],
    )


@pytest.mark.parametrize("given", Outside.text, ids=repr)
def test_whatever_is_given_as_text_has_the_same_outcome(given: Any) -> None:
    both = pair("unigram", "plain")
    for method in ("encode", "encode_as_pieces", "nbest_encode", "normalize", "encode_as_offset_mapping"):
        both.same(method, given)


@pytest.mark.parametrize("ids", Outside.ids, ids=repr)
def test_whatever_is_given_to_decode_has_the_same_outcome(ids: Any) -> None:
    both = pair("bpe", "bytes")
    for options in ({}, {"out_type": bytes}, {"out_type": "offset_mapping"}, {"out_type": "proto"}):
        both.same("decode", ids, **options)


@pytest.mark.parametrize("id", Outside.id, ids=repr)
def test_whatever_is_given_as_id_has_the_same_outcome(id: Any) -> None:
    for method in ("id_to_piece", "get_score", "is_unknown", "is_control", "is_unused", "is_byte"):
        pair("bpe", "bytes").same(method, id)


@pytest.mark.parametrize("piece", Outside.piece, ids=repr)
def test_whatever_is_given_as_piece_has_the_same_outcome(piece: Any) -> None:
    for model_type in TYPES:
        pair(model_type, "symbols").same("piece_to_id", piece)


@pytest.mark.parametrize(
    "options",
    [
        *({"enable_sampling": True, "alpha": alpha} for alpha in (-1, math.nan, math.inf)),
        *({"enable_sampling": True, "nbest_size": size} for size in (0, 1, 513, "x")),
        *({"alpha": "x"}, {"num_threads": "x"}, {"add_bos": "yes"}, {"return_bytes": True}, {"thread_pool": 5}),
        *({"out_type": int, "return_type": int}, {"out_type": "proto", "reverse": True}, {"unheard_of": 1}),
        *({"add_bos": True}, {"add_eos": True}, {"emit_unk_piece": True, "out_type": str}),
    ],
    ids=repr,
)
def test_whatever_is_asked_for_has_the_same_outcome(options: dict[str, Any]) -> None:
    for model_type in TYPES:
        for other in ("plain", "identity"):
            result = pair(model_type, other)
            drawn = options.get("enable_sampling") and model_type in ("unigram", "bpe")
            mine, theirs = (outcome(side.encode, ["ab the"], **options) for side in result)
            assert mine == theirs or (drawn and isinstance(mine, list) and isinstance(theirs, list)), options


def test_the_n_best_are_as_many_as_the_library_gives() -> None:
    for size in (-1, 0, 1, 2, 512, 513):
        pair("unigram", "plain").same("nbest_encode", "the other", nbest_size=size)
        pair("unigram", "plain").same("nbest_encode", "", nbest_size=size, out_type="proto")


@kinds
def test_a_processor_says_the_same_of_its_pieces(model_type: str, other: str) -> None:
    both = pair(model_type, other)
    ids = list(range(both.same("vocab_size")))
    for method in ("id_to_piece", "get_score", "is_unknown", "is_control", "is_unused", "is_byte"):
        both.same(method, ids)
    both.same("piece_to_id", both.same("id_to_piece", ids))
    for method in ("unk_id", "bos_id", "eos_id", "pad_id", "serialized_model_proto", "get_piece_size", "__len__"):
        both.same(method)


def test_without_a_model_most_is_refused_alike() -> None:
    both = [side.SentencePieceProcessor() for side in (ours, sentencepiece)]
    for method, *args in (
        *(("encode", "a"), ("encode", ["a"]), ("encode", []), ("decode", []), ("decode", [0]), ("vocab_size",)),
        ("normalize", "a", True),
        *(("id_to_piece", 0), ("piece_to_id", "a"), ("bos_id",), ("serialized_model_proto",), ("load",)),
        *(("load", "no such file"), ("load", "", b"no model"), ("load", "a", b"a"), ("load_from_serialized_proto", 5)),
        *(("load", 5), ("load_from_serialized_proto", b""), ("load_from_serialized_proto", "x")),
    ):
        mine, theirs = (outcome(getattr(side, method), *args) for side in both)
        assert mine == theirs, (method, args)


def names_of(side: Any) -> dict[str, list[Any]]:
    return {
        name: [(p.name, p.kind, p.default) for p in inspect.signature(value).parameters.values()]
        for name, value in inspect.getmembers(side, callable)
        if not name.startswith("_")
    }


@pytest.mark.parametrize("name", ["SentencePieceProcessor", "SentencePieceTrainer", "SentencePieceNormalizer"])
def test_every_public_name_is_there_with_the_same_signature(name: str) -> None:
    mine, theirs = (names_of(getattr(side, name)) for side in (ours, sentencepiece))
    for method, parameters in theirs.items():
        assert [p[0] for p in mine[method]] == [p[0] for p in parameters], method
        assert mine[method] == parameters, method
    parameters = [inspect.signature(getattr(side, name)).parameters.values() for side in (ours, sentencepiece)]
    mine_has, live_has = ([(p.name, p.kind, p.default) for p in side] for side in parameters)
    assert mine_has == live_has
    assert ours.__version__ == sentencepiece.__version__


def test_a_processor_survives_a_pickle_with_its_options() -> None:
    model = trained("bpe", "plain")
    both = [
        side.SentencePieceProcessor(model_proto=model, out_type=str, add_eos=True) for side in (ours, sentencepiece)
    ]
    both[0].encode("warm")
    mine, theirs = (pickle.loads(pickle.dumps(side)).encode("the other") for side in both)
    assert mine == theirs and mine[-1] == "</s>"


# --- normalizers ----------------------------------------------------------------------------------

RULES = ("identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf")


@pytest.mark.parametrize("rule", RULES)
@examples(60)
@given(
    text=hostile | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    switches=st.fixed_dictionaries(
        dict.fromkeys(("add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces"), st.none() | st.booleans())
    ),
)
def test_normalizers_by_name_do_the_same(rule: str, text: str, switches: dict[str, Any]) -> None:
    both = [side.SentencePieceNormalizer(rule_name=rule, **switches) for side in (ours, sentencepiece)]
    for one in (text, text.encode()[1:]):
        for offsets in (False, True):
            mine, theirs = (side.normalize(one, with_offsets=offsets) for side in both)
            assert mine == theirs


@pytest.mark.parametrize("rule", RULES)
def test_normalizers_are_the_same_message(rule: str) -> None:
    mine, theirs = (side.SentencePieceNormalizer(rule_name=rule) for side in (ours, sentencepiece))
    assert mine.serialized_normalizer_spec() == theirs.serialized_normalizer_spec()
    assert mine.serialized_model_proto() == theirs.serialized_model_proto()
    again = pickle.loads(pickle.dumps(mine))
    assert again.normalize("ﬁ  x") == theirs.normalize("ﬁ  x")


@pytest.mark.slow
def test_a_built_in_table_is_listed_alike() -> None:
    theirs = sentencepiece.SentencePieceNormalizer(rule_name="nmt_nfkc")
    mine = CharsMap(load_charsmap("nmt_nfkc")).items()
    assert list(islice(mine, 30_000)) == theirs.decompile()[:30_000]


keys = st.text(st.sampled_from("abcé日👍 \u0301"), min_size=1, max_size=4)
tables = st.dictionaries(keys, st.text(st.sampled_from("xyza é日"), max_size=3), min_size=1, max_size=40)


@examples(60)
@given(
    tables, st.lists(st.text("abcé日👍 \u0301\0▁", max_size=12) | st.text("abc ", max_size=9), min_size=1, max_size=8)
)
def test_a_table_of_ones_own_is_read_alike_by_both(table: dict[str, str], given: list[str]) -> None:
    rules = [(key, new) for key, new in table.items() if key != new]
    if not rules:
        return
    mine = ours.SentencePieceNormalizer(norm_map=rules)
    built = sentencepiece.SentencePieceNormalizer(norm_map=rules)
    read = sentencepiece.SentencePieceNormalizer(normalizer_spec=mine.serialized_normalizer_spec())
    assert mine.decompile() == built.decompile() == read.decompile()
    for text in given:
        assert mine.normalize(text) == built.normalize(text) == read.normalize(text)
        assert mine.normalize(text, True) == built.normalize(text, True) == read.normalize(text, True)


@pytest.mark.parametrize(
    "options",
    [
        *({"rule_name": name} for name in ("nope", "NFKC", "../x", "")),
        *({"norm_map": rules} for rules in ([("a", "a")], [("", "b")], [("a", "b"), ("a", "c")], [], "ab", [("a",)])),
        *({"model_proto": b"x"}, {"normalizer_spec": b"\xff"}, {"model_file": "no such"}, {"rule_tsv": "no such"}, {}),
    ],
    ids=repr,
)
def test_normalizers_that_cannot_be_are_refused_alike(options: dict[str, Any]) -> None:
    assert outcome(ours.SentencePieceNormalizer, **options) is outcome(sentencepiece.SentencePieceNormalizer, **options)


# --- training -------------------------------------------------------------------------------------

TRAININGS: list[dict[str, Any]] = [
    *({}, {"character_coverage": 0.98}, {"split_digits": True}, {"treat_whitespace_as_suffix": True}),
    *({"split_by_whitespace": False}, {"split_by_unicode_script": False, "split_by_number": False}),
    *({"max_sentencepiece_length": 3}, {"normalization_rule_name": "nfkc_cf"}, {"required_chars": "☃é"}),
    {"user_defined_symbols": ["<sep>", "th", "▁the"], "control_symbols": ["<mask>", "</s>"]},
    {"pad_id": 3, "unk_id": 1, "bos_id": 0, "eos_id": -1, "unk_piece": "[UNK]", "unk_surface": "?"},
    {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False, "add_dummy_prefix": False},
    {"byte_fallback": True, "vocab_size": 900},
    {"input_sentence_size": 120, "shuffle_input_sentence": False},
    {"max_sentence_length": 60},
]


@pytest.mark.parametrize("options", TRAININGS, ids=repr)
@pytest.mark.parametrize("model_type", ["bpe", "word", "char"])
def test_training_gives_the_same_file(model_type: str, options: dict[str, Any]) -> None:
    """But for the last bit of a logarithm, which C takes of a number of 32 bits."""
    whole = {"vocab_size": 700, "hard_vocab_limit": False, "model_type": model_type, **options}
    mine, theirs = (ModelProto.FromString(train(side, **whole)) for side in (ours, sentencepiece))
    if model_type != "bpe":
        scores = [[entry.score for entry in side.pieces] for side in (mine, theirs)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-6)
        for entry in (*mine.pieces, *theirs.pieces):
            entry.score = 0.0
    assert mine == theirs


@examples(60)
@given(st.lists(st.text("ab ", min_size=1, max_size=20), min_size=1, max_size=4), st.integers(5, 60))
def test_bpe_training_ends_alike_when_little_is_left(lines: list[str], size: int) -> None:
    """Pieces of one text by two ways have no order there, so only as many are asked for as have one."""
    for limit in (True, False):
        options = {"model_type": "bpe", "vocab_size": size, "hard_vocab_limit": limit, "max_sentencepiece_length": 2}
        mine, theirs = (outcome(train, side, lines, **options) for side in (ours, sentencepiece))
        assert mine == theirs


@pytest.mark.slow
@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("other", ["plain", "symbols", "bytes"])
def test_a_model_of_ours_is_loaded_and_encodes_the_same_there(model_type: str, other: str) -> None:
    model = train(ours, **{"vocab_size": 500, "hard_vocab_limit": False, "model_type": model_type, **OTHER[other]})
    both = of(model)
    for text in (*LINES[:40], *SNIPPETS, "the other<sep>☃"):
        both.same("encode", text, out_type="offset_mapping")
        both.same("decode", both.same("encode", text))


def test_unigram_training_is_as_good_on_text_that_it_has_not_seen() -> None:
    lines = [line for line in data.text("english").splitlines() if line]
    seen, unseen = lines[::2], " ".join(lines[1::2])
    options = {"vocab_size": 600, "model_type": "unigram"}
    both = [of(train(side, seen, **options)) for side in (ours, sentencepiece)]
    mine, theirs = (len(one.same("encode", unseen)) for one in both)
    assert abs(mine / theirs - 1) < 0.01
    pieces = [set(one.ours.id_to_piece(list(range(600)))) for one in both]
    assert len(pieces[0] & pieces[1]) > 0.85 * 600


@pytest.mark.slow
@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize(
    "options",
    [
        *({"unheard_of": 1}, {"vocab_size": "x"}, {"model_type": "zz"}, {"character_coverage": 0.5}, {"vocab_size": 3}),
        *({"control_symbols": ["<unk>"]}, {"unk_id": -1}, {"bos_id": 0}, {"bos_id": 10**6}, {"byte_fallback": "maybe"}),
        *({"normalization_rule_name": "zz"}, {"max_sentencepiece_length": 0}, {"use_all_vocab": True}),
        *({"vocab_size": 10**5}, {"user_defined_symbols": ["a", "a"]}, {"unk_piece": ""}, {"input_format": "csv"}),
        *(
            {"escape_whitespaces": False},
            {"shrinking_factor": 2},
            {"num_sub_iterations": 0},
            {"input_sentence_size": 50},
        ),
        *(
            {"input_format": "tsv"},
            {"input": "no such file"},
            {"model_prefix": "x"},
            {"pretokenization_delimiter": "|"},
        ),
    ],
    ids=repr,
)
def test_training_that_cannot_be_is_refused_alike(model_type: str, options: dict[str, Any]) -> None:
    whole = {"vocab_size": 600, "model_type": model_type, "hard_vocab_limit": True, **options}
    mine, theirs = (outcome(train, side, **whole) for side in (ours, sentencepiece))
    assert isinstance(mine, type) == isinstance(theirs, type)
    if isinstance(theirs, type):
        assert mine is theirs


def test_a_line_of_flags_trains_the_same_files(tmp_path: Any) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(LINES), encoding="utf-8")
    for name, side in (("mine", ours), ("theirs", sentencepiece)):
        flags = f"--input={corpus} --model_prefix={tmp_path}/m --vocab_size=600 --model_type=bpe --split_digits"
        side.SentencePieceTrainer.train(flags)
        for ending in ("model", "vocab"):
            (tmp_path / f"m.{ending}").rename(tmp_path / f"{name}.{ending}")
    for ending in ("model", "vocab"):
        assert (tmp_path / f"mine.{ending}").read_bytes() == (tmp_path / f"theirs.{ending}").read_bytes()


def test_a_file_with_counts_and_a_normalizer_of_ones_own_train_alike(tmp_path: Any) -> None:
    corpus = tmp_path / "words.tsv"
    corpus.write_text("ﬁsh\t5\nfish\t2\nshoe\t9\n", encoding="utf-8")
    models = []
    for side in (ours, sentencepiece):
        normalizer = side.SentencePieceNormalizer(rule_name="nfkc", add_dummy_prefix=False)
        prefix = str(tmp_path / "n")
        options: dict[str, Any] = {
            "input_format": "tsv",
            "vocab_size": 12,
            "model_type": "bpe",
            "normalizer": normalizer,
        }
        side.SentencePieceTrainer.train(input=str(corpus), model_prefix=prefix, **options)
        models.append((tmp_path / "n.model").read_bytes())
    assert models[0] == models[1]
    conflict = {"normalizer": normalizer, "normalization_rule_name": "nfkc"}
    assert (
        outcome(train, ours, **{**conflict, "normalizer": ours.SentencePieceNormalizer(rule_name="nfkc")}) is ValueError
    )
    assert outcome(train, sentencepiece, **conflict) is ValueError


def test_a_pretokenizer_cuts_alike() -> None:
    def halves(text: str) -> list[str]:
        return [text[: len(text) // 2], text[len(text) // 2 :]]

    options = {"vocab_size": 500, "model_type": "bpe", "hard_vocab_limit": False, "pretokenizer": halves}
    assert train(ours, **options) == train(sentencepiece, **options)
    losing = {**options, "pretokenizer": lambda text: [text[1:]]}
    assert outcome(train, ours, **losing) is outcome(train, sentencepiece, **losing) is ValueError
    losing["allow_inconsistent_pretokenization"] = True
    assert train(ours, **losing) == train(sentencepiece, **losing)


def test_a_denormalizer_is_used_alike(tmp_path: Any) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text("61\t41 42\nU+62 63\t\n", encoding="utf-8")
    options = {
        "vocab_size": 500,
        "model_type": "bpe",
        "hard_vocab_limit": False,
        "denormalization_rule_tsv": str(rules),
    }
    both = [of(train(side, **options)) for side in (ours, sentencepiece)]
    for one in both:
        assert "AB" in one.same("decode", one.same("encode", "a bcb a"))
    assert plain(both[0].live.encode("a bcb a")) == plain(both[1].live.encode("a bcb a"))
