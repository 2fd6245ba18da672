"""Models against the live library: the same tokens, the same JSON, and the same kinds of exceptions."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.strategies import texts
from tokenlab.algorithms.bpe.encode_by_pairs import encode_by_pairs, merge_ids
from tokenlab.libraries.tokenizers import models
from tokenlab.libraries.tokenizers.models.model import Model

LIBRARY: Any = tokenizers.models
OURS: Any = models
NAN, INFINITY = float("nan"), float("inf")
MERGES = [("a", "b"), ("ab", "c"), ("b", "c"), ("a", "bc"), ("é", "a")]
VOCAB = {token: id for id, token in enumerate(["a", "b", "c", "é", "ab", "bc", "abc", "éa", "?", *"日xyz"])}
PIECES = [
    ("<unk>", 0.0),
    ("a", -1.0),
    ("b", -1.5),
    ("ab", -2.3),
    ("ba", -2.2),
    ("aab", -3.7),
    ("é", -2.0),
    ("ß日", -3.0),
]


def tokens(model: Any, text: str) -> list[tuple[int, str, tuple[int, int]]]:
    return [token.as_tuple() for token in model.tokenize(text)]


def outcome(run: Callable[[Any], Any], module: Any) -> Any:
    """Return the result of a call, or the type it raises; the library's Exception and panics are our ValueError."""
    try:
        result = run(module)
    except BaseException as error:
        kind = type(error)
        if kind.__name__ == "PanicException" or kind is Exception:
            return ValueError
        return ValueError if isinstance(error, FileNotFoundError) else kind
    if isinstance(result, list) and result and hasattr(result[0], "as_tuple"):
        return [token.as_tuple() for token in result]
    return repr(result)


CALLS: dict[str, Callable[[Any], Any]] = {
    "vocab without merges": lambda m: m.BPE({"a": 0}),
    "merges without vocab": lambda m: m.BPE(None, []),
    "part of a merge not in vocab": lambda m: m.BPE({"a": 0}, [("a", "b")]),
    "result of a merge not in vocab": lambda m: m.BPE({"a": 0, "b": 1}, [("a", "b")]),
    "vocab and a file name": lambda m: m.BPE({"a": 0}, "x"),
    "no such files": lambda m: m.BPE("no", "no"),
    "negative id": lambda m: m.BPE({"a": -1}, []),
    "large id": lambda m: m.BPE({"a": 2**32}, []),
    "largest id": lambda m: m.BPE({"a": 2**32 - 1}, []).tokenize("a"),
    "fractional id": lambda m: m.BPE({"a": 1.5}, []),
    "id True": lambda m: m.BPE({"a": True}, []),
    "token 1": lambda m: m.BPE({1: 1}, []),
    "token with a surrogate": lambda m: m.BPE({"\ud800": 1}, []),
    "vocab True": lambda m: m.BPE(True, []),
    "merge of one": lambda m: m.BPE({"a": 0}, [("a",)]),
    "merge of three": lambda m: m.BPE({"a": 0}, [("a", "a", "a")]),
    "merge as a list": lambda m: m.BPE({"a": 0, "aa": 1}, [["a", "a"]]),
    "merges as a tuple": lambda m: m.BPE({"a": 0, "aa": 1}, (("a", "a"),)),
    "merges as a dict": lambda m: m.BPE({"a": 0, "aa": 1}, {("a", "a"): 0}),
    "merges as an iterator": lambda m: m.BPE({"a": 0, "aa": 1}, iter([("a", "a")])),
    "merge with a surrogate": lambda m: m.BPE({"a": 0}, [("a", "\ud800")]),
    "merge twice": lambda m: m.BPE({"a": 0, "aa": 1, "b": 2, "ab": 3}, [("a", "a"), ("a", "b"), ("a", "a")]),
    "dropout too large": lambda m: m.BPE(dropout=1.5),
    "dropout negative": lambda m: m.BPE(dropout=-0.5),
    "dropout NaN": lambda m: m.BPE(dropout=float("nan")),
    "dropout a text": lambda m: m.BPE(dropout="x"),
    "dropout in 32 bits": lambda m: m.BPE(dropout=0.1).dropout,
    "dropout an integer": lambda m: m.BPE(dropout=1).dropout,
    "dropout None": lambda m: m.BPE(dropout=None).dropout,
    "cache_capacity None": lambda m: m.BPE(cache_capacity=None),
    "cache_capacity negative": lambda m: m.BPE(cache_capacity=-1),
    "unk_token 3": lambda m: m.BPE(unk_token=3),
    "fuse_unk None": lambda m: m.BPE(fuse_unk=None),
    "fuse_unk 1": lambda m: m.BPE(fuse_unk=1),
    "byte_fallback None": lambda m: m.BPE(byte_fallback=None),
    "a third positional argument": lambda m: m.BPE({}, [], 3),
    "prefix longer than the right part": lambda m: m.BPE(
        {"a": 0, "##a": 1, "b": 3, "ab": 4}, [("a", "b")], continuing_subword_prefix="##"
    ),
    "prefix": lambda m: m.BPE(
        {"a": 0, "##a": 1, "aa": 2}, [("a", "##a")], continuing_subword_prefix="##", end_of_word_suffix="!"
    ),
    "empty BPE": lambda m: m.BPE().tokenize("abc"),
    "unk_token without an entry": lambda m: m.BPE(unk_token="u").tokenize("abc"),
    "lone surrogate": lambda m: m.BPE({"u": 0}, [], unk_token="u").tokenize("a\ud800bc"),
    "tokenize bytes": lambda m: m.BPE().tokenize(b"a"),
    "token_to_id of a surrogate": lambda m: m.BPE().token_to_id("\ud800"),
    "token_to_id of 3": lambda m: m.BPE().token_to_id(3),
    "id_to_token of -1": lambda m: m.BPE().id_to_token(-1),
    "id_to_token too large": lambda m: m.BPE().id_to_token(2**33),
    "id_to_token of a text": lambda m: m.BPE().id_to_token("a"),
    "id_to_token in a gap": lambda m: m.BPE({"a": 0, "b": 7}, []).id_to_token(3),
    "cache of -1": lambda m: m.BPE()._resize_cache(-1),
    "cache of 0": lambda m: m.BPE()._resize_cache(capacity=0),
    "clear the cache": lambda m: m.Unigram()._clear_cache(),
    "attribute that does not exist": lambda m: m.BPE().vocab,
    "pickled": lambda m: pickle.loads(pickle.dumps(m.BPE(VOCAB, MERGES, dropout=0.3, unk_token="?"))),
    "WordPiece": lambda m: m.WordPiece(),
    "WordPiece without unk": lambda m: m.WordPiece().tokenize("a"),
    "WordPiece of nothing": lambda m: m.WordPiece().tokenize(""),
    "max_input_chars_per_word negative": lambda m: m.WordPiece({"a": 0}, max_input_chars_per_word=-1),
    "max_input_chars_per_word a text": lambda m: m.WordPiece({"a": 0}, max_input_chars_per_word="a"),
    "max_input_chars_per_word large": lambda m: m.WordPiece({"a": 0}, max_input_chars_per_word=2**70),
    "max_input_chars_per_word 0": lambda m: m.WordPiece(VOCAB, max_input_chars_per_word=0, unk_token="a").tokenize("b"),
    "WordPiece unk_token None": lambda m: m.WordPiece({"a": 0}, unk_token=None),
    "WordPiece no such file": lambda m: m.WordPiece("no"),
    "WordPiece positional option": lambda m: m.WordPiece({"a": 0}, "a"),
    "WordPiece.from_file positional option": lambda m: m.WordPiece.from_file("no", "a"),
    "WordLevel": lambda m: m.WordLevel(),
    "WordLevel without unk": lambda m: m.WordLevel({"a": 0}).tokenize("b"),
    "WordLevel of nothing": lambda m: m.WordLevel({"a": 0}, unk_token="a").tokenize(""),
    "WordLevel unknown option": lambda m: m.WordLevel({"a": 0}, zork=3),
    "WordLevel no such file": lambda m: m.WordLevel.from_file("no"),
    "Unigram": lambda m: m.Unigram(),
    "Unigram of one piece": lambda m: m.Unigram().tokenize("a<unk>b"),
    "Unigram empty": lambda m: m.Unigram([]),
    "Unigram empty, unknown": lambda m: m.Unigram([]).tokenize("a"),
    "Unigram empty, of nothing": lambda m: m.Unigram([]).tokenize(""),
    "Unigram empty with unk_id": lambda m: m.Unigram([], unk_id=0),
    "unk_id too large": lambda m: m.Unigram([("a", 0.0)], 1),
    "unk_id negative": lambda m: m.Unigram([("a", 0.0)], -1),
    "unk_id without vocab": lambda m: m.Unigram(None, 0),
    "Unigram unknown": lambda m: m.Unigram([("a", 0.0)]).tokenize("b"),
    "Unigram unknown inside a piece": lambda m: m.Unigram([("ab", 0.0)]).tokenize("ab"),
    "score an integer": lambda m: m.Unigram([("a", 0)]).tokenize("a"),
    "score a text": lambda m: m.Unigram([("a", "0")]),
    "piece as a list": lambda m: m.Unigram([["a", 0.0]]),
    "piece of three": lambda m: m.Unigram([("a", 0.0, 1)]),
    "pieces as a dict": lambda m: m.Unigram({"a": 0.0}),
    "piece with a surrogate": lambda m: m.Unigram([("\ud800", 0.0)]),
    "empty piece": lambda m: m.Unigram([("a", -1.0), ("", 1.0)], 0).tokenize("aa"),
    "nbest_size negative": lambda m: m.Unigram(nbest_size=-2),
    "byte_fallback 1": lambda m: m.Unigram([("a", 0.0)], 0, 1),
    "alpha a text": lambda m: m.Unigram(alpha="x"),
    "floats": lambda m: m.Unigram([(str(x), x) for x in (1e16, 1e-5, 1e-7, 1e21, NAN, INFINITY, -INFINITY, -0.0, 0.1)]),
    "alpha is not saved": lambda m: pickle.loads(pickle.dumps(m.Unigram(PIECES, 0, alpha=0.5))).alpha,
    "alpha is not copied": lambda m: copy.copy(m.Unigram(PIECES, 0, alpha=0.5)).alpha,
    "save into no folder": lambda m: m.BPE().save("/no such folder"),
    "save into None": lambda m: m.BPE().save(None),
    "100 tokens": lambda m: m.WordLevel({str(id): id for id in range(100)}),
    "99 tokens": lambda m: m.WordLevel({str(id): id for id in range(99)}),
    "str": lambda m: repr(str(m.BPE({str(id): id for id in range(9)} | {"é" * 60: 3, "3": 9}, [], unk_token="é" * 60))),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:vocab")
def test_a_call_does_what_the_library_does(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    expected = outcome(CALLS[name], LIBRARY)
    assert outcome(CALLS[name], OURS) == expected


SETTERS = [
    *(("BPE", "fuse_unk", value) for value in (True, None, 1)),
    *(("BPE", "unk_token", value) for value in ("é", None, 3)),
    *(("BPE", "dropout", value) for value in (0.3, None, 2, "x", True)),
    *(("BPE", "continuing_subword_prefix", value) for value in ("#", None, 3)),
    *(("WordPiece", "max_input_chars_per_word", value) for value in (3, None, -1, 2.5)),
    *(("WordPiece", "unk_token", value) for value in ("é", None, "\ud800")),
    *(("WordLevel", "unk_token", value) for value in ("é", None)),
    *(("Unigram", "alpha", value) for value in (0.1, None, 3, "x")),
    *(("Unigram", "nbest_size", value) for value in (3, None, -3, 0.5)),
]


@pytest.mark.parametrize(("kind", "name", "value"), SETTERS)
def test_attributes_are_checked_when_they_are_set(kind: str, name: str, value: Any) -> None:
    def set_and_get(module: Any) -> Any:
        model = getattr(module, kind)()
        setattr(model, name, value)
        return getattr(model, name)

    assert outcome(set_and_get, OURS) == outcome(set_and_get, LIBRARY)


def test_a_changed_setting_changes_words_that_were_seen_before() -> None:
    model = models.BPE({"a": 0, "u": 1}, [], unk_token="u")
    assert model.ids("xx") == [1, 1]
    model.fuse_unk = True
    assert model.ids("xx") == [1]
    model.unk_token = None
    assert [token.value for token in model.tokenize("xxa")] == ["a"]


def test_an_unknown_option_is_named_and_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    models.BPE(fuse_unknown=True)
    assert "fuse_unknown" in capsys.readouterr().out


def test_two_tokens_with_one_id_are_accepted_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="'a' and 'b' both have the id 0"):
        model = models.WordLevel({"a": 0, "b": 0})
    assert (model.token_to_id("a"), model.id_to_token(0), model.get_vocab_size()) == (0, "b", 2)
    with pytest.warns(UserWarning, match="'a' occurs twice"):
        assert models.Unigram([("a", 0.0), ("a", 1.0)]).ids("a") == [1]


PARTS = st.sampled_from(["a", "b", "c", "ab", "abc", "é", "日", "x", "?", "ß", "\U0001f600", "<unk>", " "])
WORDS = st.lists(PARTS, max_size=14).map("".join) | texts(surrogates=False, repeated=3)


@st.composite
def bpe_arguments(draw: st.DrawFn) -> tuple[dict[str, int], list[tuple[str, str]], dict[str, Any]]:
    """A vocabulary over a tiny alphabet, merges that collide, and settings."""
    prefix, suffix = draw(st.sampled_from([None, "", "#", "##é"])), draw(st.sampled_from([None, "", "$"]))
    first = [*"abcé日", *((prefix or "") + character for character in "abcé日")]
    known = draw(st.lists(st.sampled_from(first), unique=True, min_size=2))
    known += [token + suffix for token in known if suffix]
    merges = []
    for _ in range(draw(st.integers(0, 12))):
        left, right = draw(st.sampled_from(known)), draw(st.sampled_from(known))
        if right.startswith(prefix or "") and len(left + right) < 12:
            merges.append((left, right))
            known.append(left + right[len(prefix or "") :])
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)] if draw(st.booleans()) else []
    vocab = {token: id for id, token in enumerate(dict.fromkeys([*known, "u", *byte_tokens]))}
    settings = {
        "unk_token": draw(st.sampled_from([None, "u"])),
        "fuse_unk": draw(st.booleans()),
        "byte_fallback": draw(st.booleans()),
        "ignore_merges": draw(st.booleans()),
    }
    settings |= {} if prefix is None else {"continuing_subword_prefix": prefix}
    settings |= {} if suffix is None else {"end_of_word_suffix": suffix}
    return vocab, draw(st.permutations(merges)), settings


@given(bpe_arguments(), st.lists(WORDS, min_size=1, max_size=8))
@examples(60)
def test_bpe_gives_the_tokens_of_the_library(
    arguments: tuple[dict[str, int], list[tuple[str, str]], dict[str, Any]], words: list[str]
) -> None:
    vocab, merges, settings = arguments
    library, ours = LIBRARY.BPE(vocab, merges, **settings), models.BPE(vocab, merges, **settings)
    for word in words:
        assert tokens(ours, word) == tokens(library, word)
        assert ours.ids(word) == [id for id, _, _ in tokens(library, word)]
    assert json.loads(library.__getstate__()) == ours.to_json()
    assert repr(ours) == repr(library)


SYMBOLS = st.integers(0, 4)


@given(
    st.lists(SYMBOLS, max_size=40),
    st.dictionaries(st.tuples(SYMBOLS, SYMBOLS), st.tuples(st.integers(0, 9), SYMBOLS), max_size=12),
)
@examples(75)
def test_both_ways_to_merge_agree(ids: list[int], merges: dict[tuple[int, int], tuple[int, int]]) -> None:
    assert merge_ids(ids, merges) == encode_by_pairs(ids, merges)


def test_a_long_word_is_merged_in_n_log_n() -> None:
    ours, library = models.BPE(VOCAB, MERGES), LIBRARY.BPE(VOCAB, MERGES)
    word = "abcéaab" * 5000
    assert tokens(ours, word) == tokens(library, word)


def test_an_entry_for_another_pair_that_makes_the_same_symbol_is_still_valid() -> None:
    """a + b waits with rank 5; when its turn comes, the pair is a + d, which makes the same symbol with rank 9."""
    merges = {("a", "b"): (5, "m"), ("b", "c"): (1, "d"), ("a", "d"): (9, "m"), ("d", "e"): (7, "f")}
    assert encode_by_pairs("abce", merges).symbols == ["m", "e"]


def test_an_unknown_token_comes_after_the_bytes_of_the_next_character() -> None:
    vocab = {"u": 0, "<0xC3>": 1, "<0xA9>": 2}
    settings: dict[str, Any] = {"unk_token": "u", "byte_fallback": True}
    for word in ("xé", "éx", "xxéé", "xéx"):
        assert tokens(models.BPE(vocab, [], **settings), word) == tokens(LIBRARY.BPE(vocab, [], **settings), word)
    assert models.BPE(vocab, [], **settings).ids("xé") == [1, 2, 0]


@pytest.mark.parametrize("unk_id", [0, None])
@pytest.mark.parametrize("score", [-1.0, 1.0, 5.0, 9.5, 10.5, 12.0, 20.0])
def test_an_unknown_character_costs_10_more_than_the_rarest_piece(score: float, unk_id: int | None) -> None:
    pieces = [("<unk>", 0.0), ("ax", -1.0), ("a", score), ("aa", 2.0), ("aax", -1.5), ("bb", score), ("bbx", -1.0)]
    pieces.append(("xy", 1.0))  # covers an unknown character, which was on the best path to its end
    library, ours = LIBRARY.Unigram(pieces, unk_id), models.Unigram(pieces, unk_id)
    for word in ("ax", "aax", "aaax", "bbx", "abbx", "axy", "aaxy", "bbxy"):
        expected = outcome(lambda _: library.tokenize(word), LIBRARY)  # noqa: B023
        assert outcome(lambda _: ours.tokenize(word), OURS) == expected  # noqa: B023


def test_dropout_of_all_merges_and_of_none() -> None:
    model = models.BPE(VOCAB, MERGES, dropout=1.0, ignore_merges=True)
    assert [token.value for token in model.tokenize("abc")] == ["a", "b", "c"]
    model.dropout = 0.0
    assert [token.value for token in model.tokenize("abc")] == ["abc"]


def frequencies(model: Any, word: str, draws: int) -> dict[str, float]:
    drawn = [" ".join(token.value for token in model.tokenize(word)) for _ in range(draws)]
    return {text: drawn.count(text) / draws for text in set(drawn)}


def distance(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(abs(one.get(text, 0) - other.get(text, 0)) for text in one.keys() | other.keys()) / 2


@pytest.mark.parametrize("dropout", [0.2, 0.7])
def test_dropout_has_the_distribution_of_the_library(dropout: float) -> None:
    ours, library = models.BPE(VOCAB, MERGES, dropout=dropout), LIBRARY.BPE(VOCAB, MERGES, dropout=dropout)
    ours._random.seed(1)
    assert distance(frequencies(ours, "abcéab", 6000), frequencies(library, "abcéab", 6000)) < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"alpha": 0.3}, {"alpha": 1.0}, {"alpha": 4.0, "nbest_size": 3}])
def test_sampling_has_the_distribution_of_the_library(settings: dict[str, Any]) -> None:
    ours, library = models.Unigram(PIECES, 0, **settings), LIBRARY.Unigram(PIECES, 0, **settings)
    ours._random.seed(1)
    assert distance(frequencies(ours, "aabba?", 6000), frequencies(library, "aabba?", 6000)) < 0.06


def test_sampling_draws_again_at_each_call() -> None:
    model = models.Unigram(PIECES, 0, alpha=0.5)
    assert len({tuple(model.ids("aababba")) for _ in range(100)}) > 3


WORD_PIECES = st.lists(st.tuples(st.sampled_from(["", "##", "a"]), WORDS), max_size=12).map(
    lambda parts: list(dict.fromkeys(prefix + word for prefix, word in parts))
)


@given(WORD_PIECES, st.sampled_from(["##", "", "a"]), st.integers(0, 12), st.lists(WORDS, min_size=1, max_size=8))
@examples(60)
def test_word_piece_gives_the_tokens_of_the_library(
    pieces: list[str], prefix: str, longest: int, words: list[str]
) -> None:
    vocab = {piece: id for id, piece in enumerate(dict.fromkeys([*pieces, "a", "##b", "[UNK]"]))}
    settings: dict[str, Any] = {"continuing_subword_prefix": prefix, "max_input_chars_per_word": longest}
    library, ours = LIBRARY.WordPiece(vocab, **settings), models.WordPiece(vocab, **settings)
    for word in words:
        assert tokens(ours, word) == tokens(library, word)
        assert ours.ids(word) == [id for id, _, _ in tokens(library, word)]
    assert json.loads(library.__getstate__()) == ours.to_json()


SCORES = st.sampled_from([0.0, -1.0, -1.5, -2.0, 3.0, -20.0]) | st.floats(-10, 1)
UNIGRAM = st.lists(
    st.tuples(WORDS.filter(lambda word: len(word) < 9), SCORES), max_size=12, unique_by=lambda item: item[0]
)


@given(UNIGRAM, st.booleans(), st.booleans(), st.lists(WORDS, min_size=1, max_size=8))
@examples(60)
def test_unigram_gives_the_tokens_of_the_library(
    pieces: list[tuple[str, float]], has_bytes: bool, has_unknown: bool, words: list[str]
) -> None:
    texts_seen = {piece for piece, _ in pieces}
    pieces = [*pieces, *((f"<0x{byte:02X}>", -3.0) for byte in range(256) if has_bytes)]
    if "<unk>" not in texts_seen:
        pieces.insert(0, ("<unk>", 0.0))
    unk_id = 0 if has_unknown else None
    library, ours = LIBRARY.Unigram(pieces, unk_id, has_bytes), models.Unigram(pieces, unk_id, has_bytes)
    for word in words:
        expected = outcome(lambda module: library.tokenize(word), LIBRARY)  # noqa: B023
        assert outcome(lambda module: ours.tokenize(word), OURS) == expected  # noqa: B023
    assert json.loads(library.__getstate__()) == ours.to_json()
    assert repr(ours) == repr(library)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_finite_is_accepted(score: float) -> None:
    pieces = [("<unk>", 0.0), ("a", score), ("ab", -1.0), ("b", -1.0)]
    library, ours = LIBRARY.Unigram(pieces, 0), models.Unigram(pieces, 0)
    for word in ("a", "ab", "aab", "baxa"):
        assert tokens(ours, word) == tokens(library, word)
    assert json.loads(library.__getstate__()) == ours.to_json()


@given(WORDS)
@examples(60)
def test_word_level_gives_the_tokens_of_the_library(word: str) -> None:
    vocab = {"a": 0, "é": 1, "u": 5, "": 3}
    library, ours = LIBRARY.WordLevel(vocab, "u"), models.WordLevel(vocab, "u")
    assert tokens(ours, word) == tokens(library, word)
    assert ours.to_json() == json.loads(library.__getstate__())


def test_the_base_class_has_no_tokens() -> None:
    assert Model().tokenize("a") == []
    assert isinstance(models.BPE(), Model)
