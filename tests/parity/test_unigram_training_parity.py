"""Training Unigram beside the live sentencepiece and tokenizers: the same round, and as good on text not trained on."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from pathlib import Path
from pydoc_data.topics import topics  # type: ignore[import-untyped, unused-ignore]
from typing import Any

import pytest
import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tokenlab import data
from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.seed import maximal_repeats
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.training_state import MaximizationDone, Pruned
from tokenlab.algorithms.unigram.viterbi import viterbi

UNKNOWN = -30.0


def lines_of(text: str) -> list[str]:
    """Words of letters only, so that sentencepiece's rules about scripts and digits change nothing."""
    lines = (" ".join(re.findall(r"[a-z]+", line.lower())) for line in text.split("\n"))
    return [line for line in lines if line]


def words_in(lines: list[str]) -> dict[str, int]:
    return dict(Counter(f"▁{word}" for line in lines for word in line.split()))


def sentencepiece_scores(lines: list[str], size: int, **options: Any) -> dict[str, float]:
    """The pieces of sentencepiece's trainer with their scores, without its three special ones."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size + 3, model_type="unigram",
        character_coverage=1.0, normalization_rule_name="identity", num_threads=1, minloglevel=2, **options,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return {processor.id_to_piece(id): processor.get_score(id) for id in range(3, processor.get_piece_size())}


def tokenizers_scores(words: dict[str, int], size: int) -> dict[str, float]:
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    options: dict[str, Any] = {"show_progress": False, "unk_token": "<unk>", "special_tokens": ["<unk>"]}
    trainer = trainers.UnigramTrainer(vocab_size=size + 1, **options)
    tokenizer.train_from_iterator((word for word, count in words.items() for _ in range(count)), trainer)
    return dict(json.loads(tokenizer.to_str())["model"]["vocab"][1:])


def pieces_per_word(vocabulary: dict[str, float], held_out: dict[str, int]) -> float:
    trie = Trie(vocabulary)
    pieces = sum(count * len(viterbi(word, trie, unknown=UNKNOWN)) for word, count in held_out.items())
    return pieces / sum(held_out.values())


@pytest.mark.parametrize("name", ["english", "german"])
def test_from_the_same_seed_the_first_round_and_its_pruning_are_sentencepieces(name: str, tmp_path: Path) -> None:
    lines = lines_of(data.text(name))
    words = words_in(lines)
    seed = maximal_repeats(words)
    file = tmp_path / "seed.tsv"
    file.write_text("".join(f"{piece}\t{count}\n" for piece, count in seed.items()), encoding="utf-8", newline="\n")
    own = {piece: count * len(piece) for piece, count in seed.items()}
    estimated = [step for step in train_arrays.record(words, 40, seed=own) if isinstance(step, MaximizationDone)]
    first_round = estimated[1].vocabulary
    # A size at which the trainer stops after one pruning; it counts its three special pieces, too.
    size = int(0.75 * len(first_round) / 1.1) + 1
    theirs = sentencepiece_scores(lines, size - 3, seed_sentencepieces_file=str(file))
    recording = train_arrays.record(words, size, seed=own)
    (pruned,) = (step for step in recording if isinstance(step, Pruned))
    kept = {piece: value for piece, value in first_round.items() if piece not in pruned.removed}
    longer = [piece for piece in theirs if len(piece) > 1]
    assert len(longer) > 200
    assert {piece: first_round[piece] for piece in longer} == pytest.approx({p: theirs[p] for p in longer}, abs=2e-3)
    cheapest = min(loss for piece, loss in pruned.losses.items() if piece in kept)
    for piece in set(longer) - set(kept):  # where losses tie, and at the limit: sentencepiece has fewer characters
        assert pruned.losses[piece] == pytest.approx(cheapest, rel=0.1)
    assert len(set(longer) - set(kept)) < 0.02 * len(longer)


@pytest.mark.slow
@pytest.mark.parametrize("size", [500, 1000])
def test_as_few_pieces_as_sentencepiece_within_one_percent_on_text_not_trained_on(size: int) -> None:
    lines = lines_of("\n".join(topics.values()))[:4000]
    training, held_out = [line for i, line in enumerate(lines) if i % 5], words_in(lines[::5])
    words = words_in(training)
    ours = pieces_per_word(train_arrays(words, size), held_out)
    theirs = pieces_per_word(sentencepiece_scores(training, size), held_out)
    assert ours <= 1.01 * theirs
    assert ours <= pieces_per_word(tokenizers_scores(words, size), held_out)


def test_sentencepiece_lets_go_of_rare_characters_and_puts_them_back_at_the_end_where_we_never_let_go() -> None:
    lines = lines_of(data.text("english"))
    theirs, ours = sentencepiece_scores(lines, 200), train_arrays(words_in(lines), 200)
    lowest = min(theirs.values())
    put_back = {piece: score - lowest for piece, score in theirs.items() if len(piece) == 1 and score < lowest + 0.001}
    # One such character gets the lowest score, and each that is more frequent 0.0001 more than the one before it.
    assert put_back == pytest.approx({"q": 0.0, "z": 0.0001}, abs=1e-5)
    assert abs(ours["q"] - ours["z"]) > 0.1
