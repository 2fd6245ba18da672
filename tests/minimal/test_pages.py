"""Each page is short, needs no other file of the kit, is a script, and agrees with the library that it explains."""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
import tiktoken.load
import tokenizers
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken_ext.openai_public import r50k_pat_str

from tests.strategies import texts
from tests.tolerance import are_close, near
from tokenlab import data
from tokenlab.algorithms.decoding import beam_search as stepwise_beam_search
from tokenlab.algorithms.subword_text import escape
from tokenlab.algorithms.unigram import expectation_maximization
from tokenlab.algorithms.unigram import prune as stepwise_prune
from tokenlab.algorithms.unigram import train as stepwise_unigram
from tokenlab.algorithms.unigram import viterbi as stepwise_viterbi
from tokenlab.algorithms.wordpiece import train as stepwise_wordpiece
from tokenlab.libraries.tensor2tensor import text_encoder
from tokenlab.libraries.tensor2tensor import tokenizer as runs
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.minimal import beam_search, bpe, gpt2_tokenizer, subword_text, t5, unigram, wordpiece

FOLDER = Path(bpe.__file__).parent
PAGES = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))
MOST_LINES = {"t5": 260, "decoder": 260}  # 120 for the others
NEEDED = {"t5": {"torch"}, "decoder": {"torch", "safetensors"}, "gpt2_tokenizer": {"regex"}}
ENGLISH = data.text("english")
WORDS = st.lists(st.text("abcd", min_size=1, max_size=8), min_size=1, max_size=30)


@pytest.mark.cases(20)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_short_and_needs_no_other_file(name: str) -> None:
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) <= MOST_LINES.get(name, 120)
    imported = {
        part
        for line in ast.parse(source).body
        for part in ([line.module] if isinstance(line, ast.ImportFrom) else [])
        + ([each.name for each in line.names] if isinstance(line, ast.Import) else [])
    }
    assert {str(part).partition(".")[0] for part in imported} <= sys.stdlib_module_names | NEEDED.get(name, set())


@pytest.mark.cases(20)
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("beam_search", "", "a small tree grows"),
        ("bpe", "that cat", "['▁that', '▁cat'] that cat"),
        ("decoder", "The keeper;2", "The keeper"),
        ("gpt2_tokenizer", "a<|endoftext|>", "a<|endoftext|>"),
        ("subword_text", "the rat", "the_ rat_  the rat"),
        ("t5", "translate English to German: I drew two trees.", "Ich habe zwei Bäume."),
        ("unigram", "pugs hugs", "▁pug s ▁hugs"),
        ("wordpiece", "hugs for", "['hugs', 'for'] hugs for"),
    ],
)
def test_a_page_is_a_script(name: str, text: str, said: str) -> None:
    command = [sys.executable, "-X", "utf8", "-m", f"tokenlab.minimal.{name}", *filter(None, text.split(";"))]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", cwd=FOLDER.parents[1])
    assert said in done.stdout


# BPE.


def in_tokenizers(text: str, vocab_size: int) -> tuple[list[str], list[tuple[str, str]], Any]:
    """The vocabulary and merges that tokenizers learns, and its tokenizer."""
    live = tokenizers.Tokenizer(tokenizers.models.BPE())
    live.pre_tokenizer = tokenizers.pre_tokenizers.Split("▁", "merged_with_next")
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False)
    live.train_from_iterator(["".join(bpe.words_of(text))], trainer)
    by_id = sorted(live.get_vocab(), key=live.token_to_id)
    merges = [(left, right) for left, right in json.loads(live.to_str())["model"]["merges"]]
    return by_id, merges, live


def test_bpe_learns_what_tokenizers_learns_and_encodes_alike() -> None:
    vocabulary, merges = bpe.train(ENGLISH, 600)
    theirs = in_tokenizers(ENGLISH, 600)
    assert (vocabulary, merges) == theirs[:2]
    text = " ".join(ENGLISH.split()[::-1])
    assert bpe.encode(text, merges) == theirs[2].encode("".join(bpe.words_of(text))).tokens
    assert bpe.decode(bpe.encode(text, merges)) == text


@given(WORDS, st.integers(5, 40))
def test_bpe_agrees_on_random_words_unless_two_merges_make_one_token(words: list[str], size: int) -> None:
    text = " ".join(words)
    vocabulary, merges = bpe.train(text, size)
    if len(vocabulary) == len(merges) + len(set("".join(bpe.words_of(text)))):  # else the library miscounts a pair
        assert (vocabulary, merges) == in_tokenizers(text, size)[:2]
    assert bpe.decode(bpe.encode(text, merges)) == text


# The GPT-2 tokenizer.

RANKS = gpt2_tokenizer.load(data.FOLDER / "small.tiktoken")
SPECIAL = {"<|endoftext|>": len(RANKS), "<|endoftext|><|x|>": len(RANKS) + 1}


@given(texts(repeated=3))
@example("two  spaces and\n\n  lines, 12 don't HE'S   ")
def test_the_gpt2_page_has_tiktokens_ids_and_texts(text: str) -> None:
    mine = gpt2_tokenizer.Tokenizer(RANKS, SPECIAL)
    live = tiktoken.Encoding("x", pat_str=r50k_pat_str, mergeable_ranks=RANKS, special_tokens=SPECIAL)
    ids = mine.encode_ordinary(text)
    assert ids == live.encode_ordinary(text)
    assert mine.decode(ids) == live.decode(ids)
    one = {"<|endoftext|>": len(RANKS)}
    mine = gpt2_tokenizer.Tokenizer(RANKS, one)
    live = tiktoken.Encoding("x", pat_str=r50k_pat_str, mergeable_ranks=RANKS, special_tokens=one)
    assert mine.encode(text) == live.encode(text, allowed_special="all")


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=5).map("".join), st.text("abc", max_size=9))
def test_a_piece_that_is_a_token_is_one_id_even_if_no_merge_leads_to_it(token: str, text: str) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {token.encode(): 256}
    mine = gpt2_tokenizer.Tokenizer(ranks, {})
    live = tiktoken.Encoding("x", pat_str=r50k_pat_str, mergeable_ranks=ranks, special_tokens={})
    for one in (token, text):
        assert mine.encode(one) == live.encode(one)
    assert mine.encode(token) == [256]


def test_special_tokens_are_refused_or_text_and_the_longest_is_cut() -> None:
    mine = gpt2_tokenizer.Tokenizer(RANKS, SPECIAL)
    assert mine.encode("a<|endoftext|><|x|>") == [*mine.encode_ordinary("a"), len(RANKS) + 1]
    assert mine.decode(mine.encode_ordinary("<|endoftext|>")) == "<|endoftext|>"
    with pytest.raises(ValueError, match=r"special token '<\|endoftext\|>'; allow it, or use encode_ordinary"):
        mine.encode("<|endoftext|>", allowed=())


def test_files_are_those_of_tiktoken(tmp_path: Path) -> None:
    gpt2_tokenizer.save(RANKS, tmp_path / "x.tiktoken")
    assert gpt2_tokenizer.load(tmp_path / "x.tiktoken") == tiktoken.load.load_tiktoken_bpe(str(tmp_path / "x.tiktoken"))
    assert (tmp_path / "x.tiktoken").read_bytes() == (data.FOLDER / "small.tiktoken").read_bytes()


# WordPiece.


@given(st.lists(st.sampled_from([*"abc", "##a", "##b", "ab", "##bc", "abc", "##ca", "日", "##é"])), texts(repeated=2))
def test_wordpiece_cuts_words_as_tokenizers_does(pieces: list[str], text: str) -> None:
    vocabulary = {piece: id for id, piece in enumerate(dict.fromkeys(["[UNK]", *pieces]))}
    live = tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]")
    for word in ["abcab", "日é", "a" * 100, "a" * 101, *wordpiece.words_of(text.encode(errors="replace").decode())]:
        assert wordpiece.encode_word(word, vocabulary) == [token.value for token in live.tokenize(word)]


@given(WORDS, st.integers(5, 40))
def test_wordpiece_learns_by_likelihood(words: list[str], size: int) -> None:
    counts = Counter(words)
    first = len({piece for word in counts for piece in wordpiece.pieces_of(word)})
    learned = stepwise_wordpiece.train(dict(counts), max(size, first))
    assert wordpiece.train(counts, max(size, first)) == list(learned)


# Unigram.


def scores_of(random: Random) -> dict[str, float]:
    pieces = {"".join(random.choices("abcé", k=random.randint(2, 4))) for _ in range(12)} | {*"abc"}
    return {piece: -random.randint(2, 40) / 8 for piece in sorted(pieces)}


@pytest.mark.parametrize("seed", range(20))
def test_viterbi_finds_the_pieces_of_tokenizers(seed: int) -> None:
    random = Random(seed)
    scores = scores_of(random)
    live = tokenizers.models.Unigram([("<unk>", 0.0), *scores.items()], 0, False)
    for _ in range(40):
        word = "".join(random.choices("abcabcabcé", k=random.randint(1, 30)))
        mine, theirs = unigram.viterbi(word, scores), [token.value for token in live.tokenize(word)]
        assert tuple(mine) == stepwise_viterbi.viterbi(word, scores, min(scores.values()) - 10.0)
        # Equally good segmentations have equal sums, and an unknown run is one piece over there.
        unknown = min(scores.values()) - 10.0
        best, other = (sum(scores.get(each, len(each) * unknown) for each in found) for found in (mine, theirs))
        assert best == pytest.approx(other)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_expected_counts_and_training_are_those_of_the_steps(seed: int) -> None:
    random = Random(seed)
    words = Counter("".join(random.choices("abcd", k=random.randint(1, 9))) for _ in range(200))
    scores = {piece: -float(len(piece)) for word in words for piece in (word[:2], word[-3:], *word)}
    expected = expectation_maximization.expectation_step(words, scores)
    found = Counter[str]()
    for word, count in words.items():
        for piece, number in unigram.expected_counts(word, scores).items():
            found[piece] += count * number  # type: ignore[assignment]
    assert {piece: found[piece] for piece in scores} == pytest.approx(dict(expected.counts))
    substrings = {word[a:b] for word in words for a in range(len(word)) for b in range(a + 2, len(word) + 1)}
    counted = {piece: sum(count * starts(word, piece) for word, count in words.items()) for piece in substrings}
    seed_scores = {piece: len(piece) * count for piece, count in counted.items() if count > 1}
    theirs = stepwise_unigram.train(dict(words), 40, seed=seed_scores)
    mine = unigram.train(words, 40)
    assert mine.keys() == theirs.keys()
    assert mine == pytest.approx(dict(theirs))


@pytest.mark.parametrize("seed", range(20))
def test_pruning_keeps_the_pieces_of_the_steps(seed: int) -> None:
    random = Random(seed)
    scores = {piece: random.uniform(-9, -1) for piece in scores_of(random)} | {"é": -9.5}
    words = Counter("".join(random.choices("abcé", k=random.randint(1, 8))) for _ in range(60))
    losses = stepwise_prune.piece_losses(words, scores)
    for size in range(4, len(scores) + 1):
        assert unigram.prune(words, scores, size).keys() == stepwise_prune.prune(losses, scores, size).keys()


def test_a_long_word_has_expected_counts_and_a_vocabulary_has_room_for_the_alphabet() -> None:
    counts = unigram.expected_counts("ab" * 2000, {"a": -9.0, "b": -9.0, "ab": -18.0})
    assert counts == pytest.approx({"a": 1000.0, "b": 1000.0, "ab": 1000.0})
    with pytest.raises(
        ValueError, match=r"vocab_size=5 is smaller than the alphabet: \['a', 'b', 'c', 'd', 'e', 'f'\]"
    ):
        unigram.train({"abcdef": 1}, 5)
    assert len(unigram.train({"abcdef": 2}, 6)) == 6


def starts(word: str, piece: str) -> int:
    """The number of places at which a piece starts in a word."""
    return sum(word.startswith(piece, place) for place in range(len(word)))


# SubwordTextEncoder.


@given(texts(surrogates=False, repeated=2))
def test_subword_text_splits_and_restores_as_tensor2tensor(text: str) -> None:
    assert subword_text.split(text) == runs.encode(text)
    assert subword_text.join(runs.encode(text)) == text
    vocabulary = {*subword_text.build(Counter(subword_text.split(ENGLISH[:2000])), 3)}
    assert subword_text.decode(subword_text.encode(text, vocabulary)) == text


@given(st.lists(st.sampled_from(["a", "\\u", "\\23", "3;", "_", "b_", " _", "\\\\", "日_", "!_"]), max_size=8))
def test_subword_text_decodes_as_tensor2tensor_also_what_is_cut(pieces: list[str]) -> None:
    assert subword_text.decode(pieces) == runs.decode(
        [token for part in "".join(pieces).split("_") if part and (token := escape.unescape(f"{part}_"))]
    )


@pytest.mark.slow
@pytest.mark.parametrize(("size", "characters"), [*((size, 2000) for size in range(90, 300, 23)), (250, 6000)])
def test_subword_text_builds_the_vocabulary_of_tensor2tensor(size: int, characters: int) -> None:
    counts = Counter(subword_text.split(ENGLISH[:characters] + " 日本_\\ é"))
    theirs = text_encoder.SubwordTextEncoder.build_to_target_size(size, counts, 1, 1000)
    mine = subword_text.build_to_size(counts, size)
    assert mine == list(theirs.all_subtoken_strings)
    text = ENGLISH[-500:] + " 東é\n"
    assert subword_text.encode(text, {*mine}) == [mine[id] for id in theirs.encode(text)]


# T5.


@pytest.fixture(scope="module")
def tiny() -> tuple[t5.T5, Any, Any]:
    folder = Path(data.t5_tiny())
    library = T5ForConditionalGeneration.from_pretrained(folder).eval()
    return t5.T5.from_folder(folder), library, T5Tokenizer.from_pretrained(folder)


def test_t5_has_the_librarys_logits_loss_and_texts(tiny: tuple[t5.T5, Any, Any]) -> None:
    mine, library, tokenizer = tiny
    grammar = data.grammar()
    sources = [grammar.TO_GERMAN + text for text in Random(3).sample(sorted(grammar.sentences()), 12)]
    batch = tokenizer(sources, return_tensors="pt", padding=True)
    labels = tokenizer(sources[::-1], return_tensors="pt", padding=True).input_ids
    labels = labels.masked_fill(labels == 0, -100)
    with torch.no_grad():
        right = library(**batch, labels=labels)
        assert mine.loss(*batch.values(), labels).item() == near(right.loss.item())
        encoded = t5.encoder(*batch.values(), mine.weights, mine.config)
        assert are_close(encoded, right.encoder_last_hidden_state)
    for ids in (tokenizer(source).input_ids for source in sources):
        assert mine.generate(ids) == library.generate(torch.tensor([ids]), max_length=40)[0].tolist()


def test_the_cache_of_t5_gives_the_logits_of_the_whole_target(tiny: tuple[t5.T5, Any, Any]) -> None:
    mine, _, tokenizer = tiny
    ids, target = (tokenizer(text, return_tensors="pt").input_ids for text in ("We sell it.", "a b c d e f"))
    mask = torch.ones_like(ids)
    encoded = t5.encoder(ids, mask, mine.weights, mine.config)
    whole = t5.tied_logits(t5.decoder(target, encoded, mask, mine.weights, mine.config), mine.weights["shared.weight"])
    cache: Any = t5.empty_cache(1, mine.config)
    for place in range(target.shape[1]):
        logits, cache = t5.cached_logits(target[:, place : place + 1], cache, encoded, mask, mine.weights, mine.config)
        assert are_close(logits, whole[:, place])


# Beam search.


@pytest.mark.parametrize("seed", range(60))
def test_beam_search_finds_the_hypotheses_of_the_steps(seed: int) -> None:
    """`tests/parity_t5/test_plain_generation_live.py` compares those with transformers 4.26.1."""
    random = Random(seed)
    size, beams, longest = random.randint(3, 8), random.randint(1, 4), random.randint(2, 7)
    penalty, early = random.choice([-1.0, 0.0, 0.6, 1.0, 2.0]), random.random() < 0.3
    rows: dict[tuple[int, ...], list[float]] = {}

    def next_log_probs(ids: tuple[int, ...]) -> list[float]:
        if ids not in rows:
            numbers = [random.choice((0.25, 0.5)) if seed % 2 else random.uniform(0.05, 1) for _ in range(size)]
            rows[ids] = [math.log(number / sum(numbers)) for number in numbers]
        return rows[ids]

    mine = beam_search.beam_search(next_log_probs, (0,), beams, 1, longest, penalty, early)
    theirs = stepwise_beam_search.beam_search(next_log_probs, (0,), beams, 1, longest, penalty, early)
    assert [(ids, score) for score, ids in mine] == list(theirs)
