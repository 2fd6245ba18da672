"""`tokenlab.libraries.tiktoken` beside the live library: the same results, or exceptions of the same type."""

from __future__ import annotations

import collections
import copy
import functools
import inspect
import pickle
import random
import tempfile
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest
import regex
import tiktoken
import tiktoken.load
import tiktoken.model
import tiktoken.registry
import tiktoken_ext.openai_public  # type: ignore[import-untyped]
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.parity.live import BYTES, hostile, outcome
from tests.parity.long_texts import VOCABULARIES, vocabulary_files
from tests.strategies import SNIPPETS
from tokenlab import data
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.pretokenize import SPLITTERS
from tokenlab.libraries import tiktoken as ours
from tokenlab.libraries.tiktoken import load, model, registry
from tokenlab.libraries.tiktoken.pieces import byte_pair_merge

PUBLIC = tiktoken_ext.openai_public

# --- encodings, ours beside theirs ----------------------------------------------------------------


class Pair(NamedTuple):
    ours: Any
    live: Any

    def same(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method of both and compare; what came of it."""
        mine, theirs = (_plain(outcome(getattr(side, method), *args, **kwargs)) for side in self)
        assert mine == theirs, (method, args, kwargs)
        return mine


def _plain(result: Any) -> Any:
    if isinstance(result, np.ndarray):
        return result.dtype, result.flags.writeable, result.tolist()
    if isinstance(result, tuple) and isinstance(result[1], list) and result[1] and isinstance(result[1][0], list):
        assert len(set(map(tuple, result[1]))) == len(result[1])
        return result[0], sorted(result[1])
    return result


def make(name: str = "test", **arguments: Any) -> Pair:
    whole: dict[str, Any] = {"pat_str": r"\p{L}+|\s+|[^\s\p{L}]", "mergeable_ranks": BYTES, "special_tokens": SPECIAL}
    whole |= arguments
    return Pair(ours.Encoding(name, **whole), tiktoken.Encoding(name, **whole))


# None begins another; some stand among SNIPPETS; one is not ASCII; ids have holes.
SPECIAL = {"<|endoftext|>": 5000, "[UNK]": 5002, "日本語": 5003, "</script>": 5010, "  ": 5011, "don't": 5012}


@functools.cache
def trained(splitter: str) -> dict[bytes, int]:
    text = data.text("mixed") + "\n".join(SNIPPETS) * 9
    alphabet = list(BYTES)
    merges = train_indexed(count_words(text, splitter, "bytes"), 256 + 700, "first_seen", initial_alphabet=alphabet)
    tokens = dict.fromkeys([*alphabet, *(left + right for left, right in merges)])  # type: ignore[operator]
    return {token: rank for rank, token in enumerate(tokens)}  # type: ignore[misc]


@functools.cache
def small(splitter: str) -> Pair:
    return make(pat_str=SPLITTERS[splitter].pattern, mergeable_ranks=trained(splitter))


@functools.cache
def unruly() -> Pair:
    """Ranks that no training gives: shuffled, with tokens that no merge reaches, and no rank left where it was."""
    pieces = {piece.encode() for piece in SPLITTERS["cl100k"]("\n".join(SNIPPETS)) if len(piece) > 1}
    tokens = sorted(pieces | trained("cl100k").keys())
    random.Random(3).shuffle(tokens)
    return make(
        pat_str=SPLITTERS["cl100k"].pattern, mergeable_ranks={token: 3 * rank for rank, token in enumerate(tokens)}
    )


@functools.cache
def large(vocabulary: str) -> Pair:
    """The encoding `gpt2`, which both libraries load from one cache folder, without a network."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", folder)
        for address, name in ("vocab.bpe", "merges.txt"), ("encoder.json", "vocab.json"):
            place = load._cache_path(f"{registry.HOST}/gpt-2/encodings/main/{address}")
            assert place is not None and place.parent == Path(folder)
            place.write_text(vocabulary_files(vocabulary)[name], encoding="utf-8")
        if vocabulary != "GPT-2":  # another vocabulary has other hashes
            for side in load, tiktoken.load:
                patch.setattr(side, "check_hash", lambda data, expected_hash: True)
        patch.setattr("socket.socket.connect", None)
        patch.setattr(registry, "ENCODINGS", {})
        patch.setattr(tiktoken.registry, "ENCODINGS", {})
        return Pair(ours.get_encoding("gpt2"), tiktoken.get_encoding("gpt2"))


@contextmanager
def registered(pair: Pair) -> Iterator[None]:
    """While it lasts, both libraries have these encodings by their name."""
    with (
        mock.patch.dict(registry.ENCODINGS, {pair.ours.name: pair.ours}),
        mock.patch.dict(tiktoken.registry.ENCODINGS, {pair.live.name: pair.live}),
    ):
        yield


LARGE = [pytest.param(name, marks=pytest.mark.slow, id=name) for name in VOCABULARIES]


@pytest.fixture(params=LARGE, scope="session")
def real(request: pytest.FixtureRequest) -> Pair:
    return large(request.param)


NAMES = ["gpt2", "r50k", "cl100k", "cl100k_0_7", "o200k", "bert", "unruly"]


@pytest.fixture(
    params=[*NAMES, *(pytest.param(f"large {name}", marks=pytest.mark.slow) for name in VOCABULARIES)], scope="session"
)
def pair(request: pytest.FixtureRequest) -> Pair:
    match request.param.split():
        case ["large", vocabulary]:
            return large(vocabulary)
        case ["unruly"]:
            return unruly()
        case _:
            return small(request.param)


# --- encoding -------------------------------------------------------------------------------------

SUBSETS = st.sets(st.sampled_from([*SPECIAL, "no special token", "a"]))
ALLOWED = st.sampled_from(["all", set(), frozenset({"<|endoftext|>"})]) | SUBSETS
DISALLOWED = st.sampled_from(["all", (), ["<|endoftext|>"], None]) | SUBSETS
many = settings(max_examples=80)


@many
@given(text=hostile, allowed=ALLOWED, disallowed=DISALLOWED)
def test_ids_are_the_same_whatever_is_allowed(pair: Pair, text: str, allowed: Any, disallowed: Any) -> None:
    policy = {"allowed_special": allowed, "disallowed_special": disallowed}
    ids = pair.same("encode", text, **policy)
    pair.same("encode_to_numpy", text, **policy)
    if isinstance(ids, list):
        assert pair.same("decode", ids) == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@many
@given(text=hostile, others=st.lists(hostile, max_size=3))
def test_ordinary_ids_and_batches_are_the_same(pair: Pair, text: str, others: list[str]) -> None:
    pair.same("encode_ordinary", text)
    pair.same("encode_ordinary_batch", [text, *others])
    pair.same("encode_batch", [text, *others], num_threads=2)
    pair.same("encode_batch", [text, *others], allowed_special="all")
    pair.same("encode_batch", [text, *others], disallowed_special=())


@many
@given(text=hostile, cut=st.integers(0, 30))
def test_pieces_and_bytes_that_are_no_text_are_encoded_alike(pair: Pair, text: str, cut: int) -> None:
    data = text.encode(errors="replace")
    pair.same("_encode_bytes", data[: len(data) - cut])
    pair.same("_encode_bytes", data[cut:])
    pair.same("_encode_bytes", data + b"\xff\x80" + data)
    pair.same("_encode_single_piece", data[:2000])
    pair.same("_encode_only_native_bpe", text)
    pair.same("encode_single_token", text)
    pair.same("encode_single_token", data[:3])


@many
@given(text=hostile)
def test_what_may_come_next_is_the_same(pair: Pair, text: str) -> None:
    # A rest that ends in a blank or a letter has thousands of continuations in GPT-2's vocabulary; tiktoken tries each.
    assume(len(text) < 100)
    for end in {text, text[:10]}:
        pair.same("encode_with_unstable", end, disallowed_special=())
        pair.same("encode_with_unstable", end, allowed_special="all")


@pytest.mark.slow
@pytest.mark.parametrize(
    "end", ["", " ", "\n", "\n\n", " \n", "\n ", "x\n \n", "x  ", "\u3000", "x\u2028", "x \x1c", "ab", "日本", "é "]
)
def test_white_space_at_the_end_may_still_be_cut(pair: Pair, end: str) -> None:
    for text in (end, f"hello{end}", f"hello fanta{end}", f"<|endoftext|>{end}", f"{end}[UNK]"):
        pair.same("encode_with_unstable", text, allowed_special="all")


@pytest.mark.parametrize("last", [" ", "\x1c", "\x85", "\u2028", "\u3000", "\u200b", "x"])
def test_white_space_is_what_it_is_to_rust_where_a_cut_may_come(last: str) -> None:
    # The rest is one token, so merges alone are a completion only where the last character is white space.
    ranks = BYTES | {f"!{last}".encode(): 256, **({last.encode(): 300} if len(last.encode()) > 1 else {})}
    pair = make(pat_str="(?s:.+)", mergeable_ranks=ranks)
    completions = pair.same("encode_with_unstable", f"!{last}")[1]
    assert ([33, *byte_pair_merge(last.encode(), ranks)] in completions) == (last not in ["\x1c", "\u200b", "x"])
    pair.same("encode_with_unstable", last)


def test_a_completion_that_is_no_text_is_merged_without_a_look_up() -> None:
    # No merge reaches either token, and the second does not end a character.
    pair = make(pat_str="(?s:.+)", mergeable_ranks=BYTES | {b"\xc3\xa9\xe6": 256, b"x\xc3\xa9\xe6": 257})
    assert [120, 195, 169] in pair.same("encode_with_unstable", "xé")[1]


def test_bytes_that_are_no_text_are_looked_up_as_a_whole() -> None:
    pair = make(mergeable_ranks=BYTES | {b"x\xff\xfe": 256})
    assert pair.same("_encode_bytes", b"! x\xff\xfe") == [33, 32, 256]
    assert pair.same("_encode_bytes", b"x\xff\xfe!") == [*b"x\xff\xfe!"]


def test_a_text_that_is_a_token_and_a_special_token_is_the_token() -> None:
    pair = make(mergeable_ranks=BYTES | {b"ab": 256}, special_tokens={"ab": 300, "<s>": 301})
    assert pair.same("encode_single_token", "ab") == 256
    assert pair.same("encode", "ab", allowed_special="all") == [300]
    assert pair.same("decode", [256, 300]) == "abab"


@pytest.mark.slow
@pytest.mark.cases(1)
def test_the_librarys_own_example_of_unstable_ids(real: Pair) -> None:
    stable, completions = real.same("encode_with_unstable", "hello fanta")
    assert len(completions) > 3
    assert all(real.ours.decode([*stable, *ids]).startswith("hello fanta") for ids in completions)
    if real is large("own"):
        assert len(stable) + min(map(len, completions)) < len("hello fanta")
    else:
        assert stable == [31373] and [277, 4910] in completions


def test_each_token_alone_is_the_same(pair: Pair) -> None:
    for token in pair.live.token_byte_values()[::7]:
        id = pair.same("encode_single_token", token)
        assert pair.same("decode_single_token_bytes", id) == token
        pair.same("_encode_bytes", token)


def test_long_pieces_without_a_blank_are_the_same(pair: Pair) -> None:
    letters = regex.sub(r"\P{L}+", "", data.text("english") + data.text("chinese"))
    for text in (letters, letters.lower(), "a" * 5000, "ab" * 2500, "日" * 999, "!" * 3000, " " * 3000, "\n " * 999):
        pair.same("encode", text)


@pytest.mark.parametrize("name", ["english", "chinese", "japanese", "german", "mixed"])
def test_whole_corpora_are_the_same(pair: Pair, name: str) -> None:
    pair.same("encode", data.text(name), disallowed_special=())


@examples(300)
@given(piece=st.binary(max_size=8) | st.lists(st.sampled_from(b"ab"), max_size=300).map(bytes), seed=st.integers())
def test_merges_are_the_same_under_any_ranks(piece: bytes, seed: int) -> None:
    tokens = {bytes(token) for n in range(2, 6) for token in zip(*(piece[i:] for i in range(n)), strict=False)}
    chosen = sorted(tokens)
    random.Random(seed).shuffle(chosen)
    ranks = BYTES | {token: rank for rank, token in enumerate(chosen[: len(chosen) * 2 // 3], start=256)}
    live = tiktoken.Encoding("any", pat_str="(?s:.)", mergeable_ranks=ranks, special_tokens={})
    if piece and piece not in ranks:
        assert byte_pair_merge(piece, ranks) == live._encode_single_piece(piece)


# --- decoding -------------------------------------------------------------------------------------

IDS = st.lists(st.integers(0, 960) | st.sampled_from([5000, 5002, 5003, 50256]), max_size=12)


@many
@given(ids=IDS | st.lists(st.integers(), max_size=2), more=st.lists(IDS, max_size=3))
def test_ids_are_decoded_alike(pair: Pair, ids: list[int], more: list[list[int]]) -> None:
    for method in ("decode_bytes", "decode", "decode_tokens_bytes", "decode_with_offsets"):
        pair.same(method, ids)
    pair.same("decode", ids, errors="strict")
    pair.same("decode", ids, "ignore")
    pair.same("decode_batch", [ids, *more], errors="backslashreplace", num_threads=3)
    pair.same("decode_bytes_batch", [ids, *more])
    for id in ids:
        pair.same("is_special_token", id)


@many
@given(text=hostile)
def test_offsets_are_the_same(pair: Pair, text: str) -> None:
    ids = pair.same("encode", text, allowed_special="all")
    assert pair.same("decode_with_offsets", ids)[0] == pair.same("decode", ids)


def test_what_there_is_is_the_same(pair: Pair) -> None:
    for name in ("n_vocab", "max_token_value", "eot_token", "special_tokens_set", "name", "_pat_str"):
        assert getattr(pair.ours, name) == getattr(pair.live, name)
    for name in ("_special_tokens", "_mergeable_ranks", "_special_token_values"):
        assert getattr(pair.ours, name) == getattr(pair.live, name)
    assert pair.same("token_byte_values") and repr(pair.ours) == repr(pair.live)


# --- wrong arguments ------------------------------------------------------------------------------


class Index:
    def __index__(self) -> int:
        return 97


class Outside:
    """Arguments that no type checker would let pass."""

    ids: tuple[Any, ...] = (
        *([97, 98], (97,), range(97, 99), np.array([97, 98]), np.array([97], dtype=np.uint8), np.array([97.0])),
        *([1.0], ["a"], [None], "ab", b"ab", bytearray(b"ab"), memoryview(b"ab"), {97}, {97: 1}, None, 5, []),
        *(collections.deque([97]), array("I", [97]), array("d", [97.0]), [True], [np.int64(97)], [Index()], [[97]]),
        *(
            [-1],
            [2**32],
            [2**32 - 1],
            [4999],
            [2**100],
            [97, -1],
            [4999, -1],
            [4999, "a"],
            collections.UserString("ab"),
        ),
    )
    id = (97, True, Index(), np.int64(97), 1.0, "a", None, -1, 2**32, 2**100, 4999, 5000, [97], b"a")
    text = ("a", b"a", bytearray(b"a"), None, 5, ["a"], ("a", "b"), "\ud800", "\ud83d\ude00", "", {"a": 1}, 1.5)
    token = ("a", b"a", bytearray(b"a"), memoryview(b"a"), [97], "xx", b"xx", "\ud800", None, 5, "[UNK]", b"[UNK]", "")
    allowed: tuple[Any, ...] = (
        "all",
        set(),
        {"[UNK]"},
        frozenset({"[UNK]"}),
        ["[UNK]"],
        ("[UNK]",),
        {"[UNK]": 1}.keys(),
        "[UNK]",
    )
    disallowed = ("all", (), {"[UNK]"}, ["[UNK]"], "ab", None, {1}, 5, {"\ud800"}, {""})
    threads = (8, 1, 0, -1, None, "x", 1.5, True)


@pytest.mark.parametrize("ids", Outside.ids)
def test_whatever_is_given_as_ids_has_the_same_outcome(ids: Any) -> None:
    for method in ("decode", "decode_bytes", "decode_tokens_bytes", "decode_with_offsets"):
        small("gpt2").same(method, ids)
    small("gpt2").same("decode_batch", [ids])


def test_ids_may_come_from_an_iterator_where_they_may_there() -> None:
    for side in small("gpt2"):
        assert side.decode_tokens_bytes(iter([97, 98])) == [b"a", b"b"]
        assert outcome(side.decode_bytes, iter([97, 98])) is TypeError


@pytest.mark.parametrize("id", Outside.id)
def test_whatever_is_given_as_one_id_has_the_same_outcome(id: Any) -> None:
    small("gpt2").same("decode_single_token_bytes", id)
    small("gpt2").same("is_special_token", id)


@pytest.mark.parametrize("text", Outside.text)
def test_whatever_is_given_as_text_has_the_same_outcome(text: Any) -> None:
    for method in ("encode", "encode_ordinary", "encode_batch", "encode_ordinary_batch", "encode_to_numpy"):
        small("gpt2").same(method, text)
    for method in ("encode", "encode_batch", "encode_to_numpy", "encode_with_unstable"):
        small("gpt2").same(method, text, disallowed_special=())
    small("gpt2").same("_encode_only_native_bpe", text)


@pytest.mark.parametrize("token", Outside.token)
def test_whatever_is_given_as_one_token_has_the_same_outcome(token: Any) -> None:
    small("gpt2").same("encode_single_token", token)
    small("gpt2").same("_encode_single_piece", token)
    small("gpt2").same("_encode_bytes", token)


@pytest.mark.parametrize("disallowed", Outside.disallowed)
@pytest.mark.parametrize("allowed", [*Outside.allowed, None, {1}, {"no token"}, {"\ud800"}, 5])
def test_whatever_is_given_as_policy_has_the_same_outcome(allowed: Any, disallowed: Any) -> None:
    for method, text in (("encode", "xab[UNK]"), ("encode_to_numpy", "c"), ("encode_batch", ["[UNK]", "c"])):
        small("gpt2").same(method, text, allowed_special=allowed, disallowed_special=disallowed)


@pytest.mark.parametrize("threads", Outside.threads)
def test_whatever_is_given_as_threads_has_the_same_outcome(threads: Any) -> None:
    for method, batch in (("encode_batch", ["a"]), ("encode_ordinary_batch", []), ("decode_batch", [[97]])):
        small("gpt2").same(method, batch, num_threads=threads)
    small("gpt2").same("decode_bytes_batch", [], num_threads=threads)


@pytest.mark.parametrize("errors", ["strict", "ignore", "no such handler", 5, None])
def test_whatever_is_given_as_errors_has_the_same_outcome(errors: Any) -> None:
    for ids in ([0xE6], [97]):
        small("gpt2").same("decode", ids, errors=errors)


NEARLY = (
    *({"pat_str": "("}, {"pat_str": None}, {"pat_str": 5}, {"pat_str": r"(?<=a)b|(a)\1"}, {"pat_str": r"(a)b|c"}),
    *({"mergeable_ranks": ranks} for ranks in ({}, None, [(b"a", 1)], {b"a": 0, b"b": 0}, {b"a": -1}, {b"a": 1.5})),
    *({"mergeable_ranks": ranks} for ranks in ({b"a": 2**32}, {"a": 1}, {5: 1}, {(97, 98): 1, b"c": 2}, {b"a": "x"})),
    *({"mergeable_ranks": ranks} for ranks in ({b"a": True}, {b"a": np.int64(4)}, collections.UserDict({b"a": 1}))),
    *(
        {"special_tokens": ids}
        for ids in (None, {b"a": 1}, {"a": -1}, {"a": "b"}, {"a": 1.5}, {"\ud800": 1}, {"q": 97})
    ),
    *({"explicit_n_vocab": size} for size in (5, 256, 0, None, "a")),
    *({"special_tokens": {"a": 256, "b": at}, "explicit_n_vocab": 258} for at in (257, 258)),
    {"special_tokens": {}, "explicit_n_vocab": 256},
)


@pytest.mark.parametrize("arguments", NEARLY)
def test_whatever_an_encoding_is_made_of_has_the_same_outcome(arguments: dict[str, Any]) -> None:
    whole = {"pat_str": r"(?s:.)", "mergeable_ranks": BYTES, "special_tokens": {"<s>": 300}} | arguments
    made = [outcome(side.Encoding, "x", **whole) for side in (ours, tiktoken)]
    if isinstance(made[0], type):
        assert made[0] is made[1]
    else:
        Pair(*made).same("encode", "cabaab<s>q", disallowed_special=())
        Pair(*made).same("decode", [97])
        Pair(*made).same("encode", "")


@pytest.mark.parametrize("method", ["encode", "encode_ordinary", "encode_to_numpy", "encode_with_unstable"])
def test_a_byte_without_a_rank_is_an_error_where_rust_panics(method: str) -> None:
    pair = make(mergeable_ranks={b"a": 0, b"b": 1, b"bd": 2})
    assert pair.same(method, "ac") is ValueError
    assert pair.same("encode", "ab") == [0, 1]
    assert pair.same("_encode_single_piece", "bdd") is ValueError
    assert pair.same("_encode_single_piece", "bda") == [2, 0]
    assert pair.same("_encode_single_piece", "") is ValueError
    assert make(pat_str="a*").same("encode", "ba") is ValueError


# --- signatures, pickles, names -------------------------------------------------------------------

PUBLIC_NAMES = [name for name, value in vars(tiktoken.Encoding).items() if callable(value) and name != "__getstate__"]


@pytest.mark.parametrize("name", [name for name in PUBLIC_NAMES if name != "__setstate__"])
def test_signatures_are_the_same(name: str) -> None:
    mine, theirs = (inspect.signature(getattr(side.Encoding, name)).parameters for side in (ours, tiktoken))
    assert [(p.name, p.kind, p.default) for p in mine.values()] == [
        (p.name, p.kind, p.default) for p in theirs.values()
    ]


@pytest.mark.parametrize("module", ["core", "load", "model", "registry", ""])
def test_functions_have_the_same_signatures(module: str) -> None:
    live = getattr(tiktoken, module) if module else tiktoken
    mine = getattr(ours, module) if module else ours
    names = {name for name, value in vars(live).items() if inspect.isfunction(value) and not name.startswith("_")}
    for name in names - {"raise_disallowed_special_token"}:
        sides = [inspect.signature(getattr(side, name)).parameters.values() for side in (mine, live)]
        mine_has, live_has = ([(p.name, p.kind, p.default) for p in side] for side in sides)
        assert mine_has == live_has, name


def test_every_public_name_is_there() -> None:
    public = {name for name in dir(small("gpt2").live) if not name.startswith("_")}
    assert public <= set(dir(small("gpt2").ours))
    assert set(ours.__all__) <= set(dir(tiktoken)) and ours.__version__ == tiktoken.__version__


@pytest.mark.slow
def test_a_pickle_holds_a_registered_encoding_by_name_and_another_as_a_whole(real: Pair) -> None:
    with registered(real):
        assert len(pickle.dumps(real.ours)) < 200 and len(pickle.dumps(real.live)) < 200
        assert pickle.loads(pickle.dumps(real.ours))._ranks is real.ours._ranks
    assert len(pickle.dumps(real.ours)) > 200_000 and len(pickle.dumps(real.live)) > 200_000
    pair = small("cl100k")
    assert pair.ours.__getstate__() == pair.live.__getstate__()
    for made in (pickle.loads(pickle.dumps(pair.ours)), copy.copy(pair.ours), copy.deepcopy(pair.ours)):
        assert Pair(made, pair.live).same("encode", "don't  [UNK]", allowed_special="all")


NAMES_OF_MODELS = [
    *tiktoken.model.MODEL_TO_ENCODING,
    *tiktoken.model.MODEL_PREFIX_TO_ENCODING,
    "gpt-4-x",
    "ft:gpt-4o:x",
]


def test_tables_of_models_are_the_same() -> None:
    assert model.MODEL_TO_ENCODING == tiktoken.model.MODEL_TO_ENCODING
    assert list(model.MODEL_PREFIX_TO_ENCODING.items()) == list(tiktoken.model.MODEL_PREFIX_TO_ENCODING.items())
    for name in (*NAMES_OF_MODELS, "nope", "", "gpt3", "GPT2", 5, None):
        mine, theirs = (outcome(side.encoding_name_for_model, name) for side in (ours, tiktoken))
        assert mine == theirs, name
        if isinstance(theirs, type):
            assert outcome(ours.encoding_for_model, name) == theirs


@pytest.mark.parametrize("name", ["nope", "", "GPT2", 5, None, b"gpt2"])
def test_an_unknown_encoding_is_the_same_error(name: Any) -> None:
    assert outcome(ours.get_encoding, name) is outcome(tiktoken.get_encoding, name) is ValueError


def test_tables_of_encodings_are_the_same() -> None:
    assert ours.list_encoding_names() == tiktoken.list_encoding_names()
    for name in ours.list_encoding_names():
        calls = [mock.Mock(return_value=BYTES), mock.Mock(return_value=BYTES)]
        with mock.patch.multiple(registry, load_tiktoken_bpe=calls[0], data_gym_to_mergeable_bpe_ranks=calls[0]):
            mine = registry.ENCODING_CONSTRUCTORS[name]()
        with mock.patch.multiple(PUBLIC, load_tiktoken_bpe=calls[1], data_gym_to_mergeable_bpe_ranks=calls[1]):
            theirs = PUBLIC.ENCODING_CONSTRUCTORS[name]()
        assert mine == theirs and calls[0].call_args == calls[1].call_args, name


def test_a_model_gets_the_encoding_of_its_table(real: Pair) -> None:
    with registered(real):
        assert ours.encoding_for_model("gpt2") is real.ours is ours.get_encoding("gpt2")
        assert tiktoken.encoding_for_model("gpt2") is real.live


# --- files ----------------------------------------------------------------------------------------


def test_ranks_are_written_as_the_library_writes_them_and_read_by_it(tmp_path: Path) -> None:
    file = tmp_path / "ranks.tiktoken"
    ranks = trained("cl100k")
    load.dump_tiktoken_bpe(dict(reversed(ranks.items())), str(file))
    with mock.patch.dict("os.environ", {"TIKTOKEN_CACHE_DIR": ""}):
        assert tiktoken.load.load_tiktoken_bpe(str(file)) == ranks == load.load_tiktoken_bpe(str(file))
    blobs = mock.Mock(BlobFile=open)
    with mock.patch.dict("sys.modules", blobfile=blobs):
        tiktoken.load.dump_tiktoken_bpe(ranks, str(tmp_path / "theirs"))
    assert file.read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.fixture(params=["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", "TMPDIR"])
def address(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address, while the cache folder is an empty one, named in each way in which it can be."""
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(request.param, str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return f"https://example.com/{request.param}"


def test_a_file_that_the_library_cached_is_found(address: str) -> None:
    with mock.patch("tiktoken.load.read_file", return_value=b"contents"):
        tiktoken.load.read_file_cached(address)
    with mock.patch("tokenlab.libraries.tiktoken.load.read_file", side_effect=AssertionError):
        assert load.read_file_cached(address) == b"contents"


def test_a_file_that_we_cached_is_found_by_the_library(address: str) -> None:
    with mock.patch("tokenlab.libraries.tiktoken.load.read_file", return_value=b"contents"):
        load.read_file_cached(address)
    with mock.patch("tiktoken.load.read_file", side_effect=AssertionError):
        assert tiktoken.load.read_file_cached(address) == b"contents"


def test_neighbours_in_a_vocabulary_do_not_hide_a_difference(real: Pair) -> None:
    text = data.text("mixed")
    words = text.split()[:300]
    for left, right in pairwise(words):
        real.same("encode", f"{left}{right}  {right}\n {left}")
