"""The trainers against the live library: vocabularies, merges, scores, settings, pickling, progress and errors."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tokenizers as live
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.examples import examples
from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.tokenizers import trainers
from tokenlab.libraries.tokenizers.trainers import train_unigram as unigram

MODELS = {"BpeTrainer": "BPE", "WordPieceTrainer": "WordPiece", "WordLevelTrainer": "WordLevel"}
MODELS["UnigramTrainer"] = "Unigram"
ENGLISH = (Path(__file__).parents[3] / "data" / "english.txt").read_text(encoding="utf-8").splitlines()
WORDS = st.lists(st.text("ab#é字😀", min_size=1, max_size=10), min_size=1, max_size=20)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Let the library add up in one thread, which rounds in one order."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKENIZERS_PARALLELISM", "false")
        yield


def train_live(name: str, texts: list[str], options: dict[str, Any]) -> tuple[dict[str, int], dict[str, Any], Any]:
    """Train with the library; return the words in the order of its hash map, the model, and the tokenizer."""
    tokenizer = live.Tokenizer(getattr(live.models, MODELS[name])())
    tokenizer.pre_tokenizer = live.pre_tokenizers.WhitespaceSplit()
    trainer = getattr(live.trainers, name)(show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    state = json.loads(trainer.__getstate__())[name]
    return state.get("bpe_trainer", state)["words"], json.loads(tokenizer.to_str())["model"], tokenizer


def train_ours(name: str, words: dict[str, int], options: dict[str, Any]) -> dict[str, Any]:
    """Train on the same words in the same order."""
    trainer = getattr(trainers, name)(show_progress=False, **options)
    trainer.feed(words, lambda word: [word] * words[word])
    model = getattr(ours.models, MODELS[name])()
    assert [token.content for token in trainer.train_model(model)] == options.get("special_tokens", [])
    return dict(model.to_json())


def alphabet_is_certain(words: dict[str, int], options: dict[str, Any]) -> bool:
    """Whether no tie decides which characters `limit_alphabet` keeps."""
    counts: Counter[str] = Counter()
    for word, count in words.items():
        counts.update({character: times * count for character, times in Counter(word).items()})
    counts |= dict.fromkeys((text[0] for text in options.get("initial_alphabet", ())), 10**9)
    limit, best = options.get("limit_alphabet", 0), sorted(counts.values(), reverse=True)
    return not 0 < limit < len(best) or best[limit - 1] > best[limit]


def some(**options: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=options)


MERGE_OPTIONS = some(
    vocab_size=st.integers(0, 60),
    min_frequency=st.integers(0, 4),
    special_tokens=st.lists(st.sampled_from(["<s>", "a", "ab", "##a", "aa"]), max_size=3),
    limit_alphabet=st.integers(0, 5),
    initial_alphabet=st.lists(st.sampled_from(["q", "zz", "字"]), max_size=2),
)


@given(WORDS, MERGE_OPTIONS)
@examples(60)
def test_wordpiece_has_the_same_ids(words: list[str], options: dict[str, Any]) -> None:
    counts, theirs, _ = train_live("WordPieceTrainer", [" ".join(words * 2)], options)
    assume(alphabet_is_certain(counts, options))
    assert train_ours("WordPieceTrainer", counts, options) == theirs


@given(WORDS, some(vocab_size=st.integers(0, 9), min_frequency=st.integers(0, 3)), st.booleans())
@examples(60)
def test_word_level_has_the_same_ids(words: list[str], options: dict[str, Any], special: bool) -> None:
    options |= {"special_tokens": ["<s>", words[0], "<s>"]} if special else {}
    counts, _, tokenizer = train_live("WordLevelTrainer", [" ".join(words)], options)
    assert train_ours("WordLevelTrainer", counts, options)["vocab"].items() <= tokenizer.get_vocab().items()


@pytest.mark.parametrize("name", list(MODELS))
def test_real_text(name: str) -> None:
    options = {"vocab_size": 800, "special_tokens": ["<unk>"]}
    counts, theirs, _ = train_live(name, ENGLISH[:300], options)
    mine = train_ours(name, counts, options)
    if name != "UnigramTrainer":
        assert json.loads(json.dumps(mine)) == theirs
        return
    scores, expected = dict(mine["vocab"]), dict(map(tuple, theirs["vocab"]))
    assert scores.keys() == expected.keys()
    # Characters that were lost during training return in any order, 0.0001 apart.
    assert sorted(scores.values()) == pytest.approx(sorted(expected.values()), abs=1e-6)


UNIGRAM_WORDS = {
    "few letters": {"aaababab": 1, "ba": 1, "ab": 1, "baba": 1, "bbbaabaa": 1, "bbbaaabbbabb": 1, "aaabbbba": 1},
    "frequent words": {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5},
    "a boundary": {"a\0b": 3, "ab": 2, "abc": 2, "abd": 1},
    "lost characters": {"日本語": 3, "日本": 2, "本日": 1, "語学": 1, "a": 1},
}


@pytest.mark.parametrize("words", list(UNIGRAM_WORDS))
@pytest.mark.parametrize(
    "options",
    [
        {"vocab_size": 9},
        {"vocab_size": 20},
        {"vocab_size": 12, "special_tokens": ["<s>", "x"], "unk_token": "x"},
        {"vocab_size": 12, "unk_token": "<unk>", "initial_alphabet": ["q"]},
        {"vocab_size": 12, "max_piece_length": 2, "seed_size": 3},
        {"vocab_size": 9, "shrinking_factor": 0.5, "n_sub_iterations": 1},
        {"vocab_size": 9, "n_sub_iterations": 0},
    ],
)
def test_unigram_has_the_same_pieces_and_scores(words: str, options: dict[str, Any]) -> None:
    texts = [word for word, count in UNIGRAM_WORDS[words].items() for _ in range(count)]
    counts, theirs, _ = train_live("UnigramTrainer", texts, options)
    mine = train_ours("UnigramTrainer", counts, options)
    assert mine["unk_id"] == theirs["unk_id"]
    assert {piece for piece, _ in mine["vocab"]} == {piece for piece, _ in theirs["vocab"]}
    assert [score for _, score in mine["vocab"]] == pytest.approx([score for _, score in theirs["vocab"]], abs=1e-9)


@pytest.mark.parametrize(
    ("words", "options", "pieces"),
    [  # two segmentations of the long word are equally good but for rounding
        ({"d": 3, "éacéaéacbabé": 5, "dd": 1, "aba": 1, "bcd": 5}, {"vocab_size": 9}, {"éac", "ba", "éa"}),
        ({"bc": 1, "aébcbébb": 1}, {"vocab_size": 6}, {"bc"}),
    ],
)
def test_the_rounding_of_the_c_library_decides_as_in_the_library(
    words: dict[str, int], options: dict[str, Any], pieces: set[str]
) -> None:
    counts, theirs, _ = train_live("UnigramTrainer", [word for word in words for _ in range(words[word])], options)
    mine = train_ours("UnigramTrainer", counts, options)
    for model in (mine, theirs):
        assert {piece for piece, _ in model["vocab"] if len(piece) > 1} == pieces


@pytest.mark.parametrize("name", [*MODELS, "ParityBpeTrainer"])
def test_settings_representation_and_pickles_are_those_of_the_library(name: str) -> None:
    given: list[dict[str, Any]] = [{}, {"special_tokens": ["a", "<s>"], "show_progress": False}]
    if name == "BpeTrainer":
        given.append({"progress_format": "json", "max_token_length": 3, "initial_alphabet": ["a"]})
    if name == "UnigramTrainer":
        given.append({"shrinking_factor": 1.0, "unk_token": "é", "seed_size": 3})
    if name == "ParityBpeTrainer":
        given.append({"ratio": [1, 2.5], "variant": "window", "alpha": 1e-7, "total_symbols": True})
    for options in given:
        mine, theirs = getattr(trainers, name)(**options), getattr(live.trainers, name)(**options)
        for one in (mine, pickle.loads(pickle.dumps(mine)), copy.deepcopy(mine)):
            assert (repr(one), str(one)) == (repr(theirs), str(theirs))
            assert one.__getstate__() == theirs.__getstate__()
        public = {one for one in dir(theirs) if not one.startswith("_")}
        assert public <= set(dir(mine))
        for setting in public - {"special_tokens", "get_word_count", "train_from_iterator"}:
            assert getattr(mine, setting) == getattr(theirs, setting)


def test_words_are_pickled() -> None:
    trainer = trainers.BpeTrainer()
    trainer.feed(["b a", "b"], str.split)
    assert trainer.__getstate__().endswith(b'"words":{"b":2,"a":1}}}')
    assert pickle.loads(pickle.dumps(trainer)).get_word_count() == 2


def test_a_given_added_token_becomes_special_and_is_copied() -> None:
    token = ours.AddedToken("<mask>", lstrip=True)
    trainer = trainers.WordLevelTrainer(special_tokens=[token])
    assert token.special
    trainer.special_tokens[0].content = "other"
    assert [(one.content, one.lstrip) for one in trainer.special_tokens] == [("<mask>", True)]


CALLS: dict[str, Callable[[Any], Any]] = {
    "positional": lambda library: library.trainers.BpeTrainer(100),
    "base class": lambda library: library.trainers.Trainer(),
    "negative": lambda library: library.trainers.BpeTrainer(vocab_size=-1),
    "too large": lambda library: library.trainers.UnigramTrainer(vocab_size=2**32),
    "float": lambda library: library.trainers.WordPieceTrainer(min_frequency=1.5),
    "not a bool": lambda library: library.trainers.WordLevelTrainer(show_progress=1),
    "tuple of tokens": lambda library: library.trainers.BpeTrainer(special_tokens=("a",)),
    "number as token": lambda library: library.trainers.BpeTrainer(special_tokens=[3]),
    "surrogate": lambda library: library.trainers.BpeTrainer(special_tokens=["\ud800"]),
    "str as alphabet": lambda library: library.trainers.BpeTrainer(initial_alphabet="abc"),
    "set as alphabet": lambda library: library.trainers.UnigramTrainer(initial_alphabet={"a"}),
    "long character": lambda library: setattr(library.trainers.BpeTrainer(), "initial_alphabet", ["ab"]),
    "number as format": lambda library: library.trainers.BpeTrainer(progress_format=3),
    "text as factor": lambda library: library.trainers.UnigramTrainer(shrinking_factor="x"),
    "unknown attribute": lambda library: setattr(library.trainers.BpeTrainer(), "vocab", 3),
    "state": lambda library: library.trainers.BpeTrainer().__setstate__("{}"),
    "variant": lambda library: library.trainers.ParityBpeTrainer(variant="x"),
    "change of variant": lambda library: setattr(library.trainers.ParityBpeTrainer(), "variant", "window"),
    "ratio": lambda library: library.trainers.ParityBpeTrainer(ratio=["x"]),
    "no languages": lambda library: train_parity(library, [], {}),
    "ratio of another length": lambda library: train_parity(library, [["a"]], {"ratio": [1.0, 2.0]}),
    "zero ratio": lambda library: train_parity(library, [["a"]], {"ratio": [0.0]}),
    "empty window": lambda library: train_parity(library, [["a"]], {"variant": "window", "window_size": 0}),
    "number as text": lambda library: train_parity(library, [[1]], {}),
}


@pytest.mark.parametrize("call", list(CALLS))
def test_bad_arguments_raise_what_the_library_raises(call: str) -> None:
    with pytest.raises(Exception) as theirs:
        CALLS[call](live)
    with pytest.raises(theirs.type):
        CALLS[call](ours)


def test_unknown_options_are_printed(capfd: pytest.CaptureFixture[str]) -> None:
    trainers.WordPieceTrainer(max_token_length=3)
    live.trainers.WordPieceTrainer(max_token_length=3)  # type: ignore[call-arg]  # not in the stubs
    mine, theirs = capfd.readouterr().out.splitlines()
    assert mine == theirs == "Ignored unknown kwargs option max_token_length"


def test_a_trainer_trains_only_its_model() -> None:
    with pytest.raises(Exception, match="UnigramTrainer can only train a Unigram"):
        trainers.UnigramTrainer().train_model(ours.models.BPE())


def test_json_progress_is_that_of_the_library(capfd: pytest.CaptureFixture[str]) -> None:
    lines = []
    for library in (live, ours):
        tokenizer = library.Tokenizer(library.models.BPE())
        tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
        tokenizer.train_from_iterator(["ab abc"] * 3, library.trainers.BpeTrainer(progress_format="json", vocab_size=9))
        lines.append(capfd.readouterr().err.splitlines())
    assert lines[0] == lines[1]
    assert len(lines[0]) == 8


@pytest.mark.parametrize("format", ["indicatif", "silent"])
def test_no_bar_without_a_terminal(format: str, capfd: pytest.CaptureFixture[str]) -> None:
    trainer = trainers.BpeTrainer(progress_format=format)
    trainer.feed(["ab abc"], str.split)
    trainer.train_model(ours.models.BPE())
    assert capfd.readouterr() == ("", "")


def test_errors_instead_of_a_panic_or_a_loop_without_end() -> None:
    with pytest.raises(ValueError, match="not large enough to contain all chars: there are 3"):
        unigram.train_huggingface({"abc": 1}, 2)
    with pytest.raises(ValueError, match="<UNK>"):
        unigram.train_huggingface({"a<UNK>": 1}, 99)
    words = {"".join(pair): 9 for pair in zip("abcdefgh" * 8, "abcdefgh" * 7 + "bcdefgha", strict=True)}
    with pytest.raises(ValueError, match="smaller shrinking_factor"):
        unigram.train_huggingface(words | {word + "x": 9 for word in words}, 9, shrinking_factor=1.0)
    with pytest.raises(RuntimeError, match="have no words"):
        train_parity(ours, [["ab"], []], {"ratio": [1.0, 1.0]})


def train_parity(library: Any, train: Any, options: dict[str, Any], dev: Any = None) -> dict[str, Any]:
    tokenizer = library.Tokenizer(library.models.WordLevel())
    tokenizer.pre_tokenizer = library.pre_tokenizers.WhitespaceSplit()
    trainer = library.trainers.ParityBpeTrainer(show_progress=False, **options)
    trainer.train_from_iterator(tokenizer, train, dev)
    return dict(json.loads(tokenizer.to_str()))


CORPORA = st.lists(st.lists(st.text("ab# ", max_size=20), min_size=1, max_size=4), min_size=1, max_size=3)
PARITY_OPTIONS = some(
    num_merges=st.integers(0, 25),
    min_frequency=st.integers(0, 3),
    global_merges=st.integers(0, 5),
    total_symbols=st.booleans(),
    special_tokens=st.just(["<s>", "ab"]),
    max_token_length=st.integers(0, 5),
    initial_alphabet=st.just(["q"]),
)
PARITY_MARKERS = some(continuing_subword_prefix=st.sampled_from(["", "#", "a"]), end_of_word_suffix=st.just("b"))


def windows(languages: int) -> st.SearchStrategy[dict[str, Any]]:
    # With a smaller alpha, the library may loop without end when languages are exhausted.
    alpha = st.sampled_from([float(languages), languages + 0.5])
    return st.fixed_dictionaries({"variant": st.just("window"), "window_size": st.integers(1, 5), "alpha": alpha})


@given(st.data(), CORPORA, PARITY_OPTIONS, PARITY_MARKERS)
@examples(90)
def test_parity_aware_bpe_is_that_of_the_library(
    data: st.DataObject, corpora: list[list[str]], options: dict[str, Any], markers: dict[str, Any]
) -> None:
    if markers:  # all symbols are special tokens: otherwise a hash map gives them ids
        prefix, suffix = markers.get("continuing_subword_prefix", ""), markers.get("end_of_word_suffix", "")
        symbols = [start + character + end for start in ("", prefix) for character in "abc#q" for end in ("", suffix)]
        options |= markers | {"special_tokens": list(dict.fromkeys(symbols))}
    if data.draw(st.booleans()):
        options |= data.draw(windows(len(corpora)))
    kind = data.draw(st.sampled_from(["train", "dev", "ratio"]))
    dev = data.draw(st.lists(st.lists(st.text("ab#c ", max_size=9)), min_size=len(corpora), max_size=len(corpora)))
    if kind == "ratio":
        assume(all(any(text.strip() for text in corpus) for corpus in corpora))
        options["ratio"] = [1.0 + number for number in range(len(corpora))]
    arguments = corpora, options, dev if kind == "dev" else None
    assert train_parity(ours, *arguments) == train_parity(live, *arguments)


def test_parity_iterators_yield_texts_or_lists() -> None:
    def texts() -> Iterator[Any]:
        yield "ab ab"
        yield ["cd", "cd cd"]

    mine, theirs = (train_parity(library, [texts()], {"num_merges": 2}) for library in (ours, live))
    assert mine == theirs
