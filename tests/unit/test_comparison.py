"""Seven tokenizers side by side: spans, decoding, measures, the scoreboard, the view and the explorer."""

from __future__ import annotations

from typing import Any

import pytest
import sentencepiece
import tiktoken
import tokenizers
from hypothesis import given

from tests.examples import examples
from tests.questions import frames, questions
from tests.strategies import texts
from tokenlab import data
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.laboratory.comparison import compare_families as comparing
from tokenlab.laboratory.comparison.families import (
    FAMILIES,
    ByteLevelBpe,
    CharacterBpe,
    SentencePiece,
    WordPiece,
    read_corpus,
    train,
    train_all,
)
from tokenlab.laboratory.comparison.measures import (
    boundaries,
    boundary_scores,
    changed_share,
    first_loss,
    overlap_matrix,
    read_morphemes,
    scoreboard,
    split_word,
    typo_changes,
    unknown_bytes,
    winners,
)
from tokenlab.laboratory.comparison.trained_tokenizer import without_surrogates
from tokenlab.show.explorers.explore_families import explore_families
from tokenlab.show.plots import plot_measures

LINES = data.text("english").splitlines()
TRAINING = "\n".join(line for number, line in enumerate(LINES) if number % 5)
NEW = "\n".join(LINES[::5])
LOSSLESS = ("byte-level BPE", "SubwordTextEncoder", "bytes")


def all_trained() -> dict[str, Any]:
    return train_all(TRAINING, 1000)


def test_the_vocabularies_have_the_requested_size_except_two() -> None:
    sizes = {family: len(one.vocabulary) for family, one in all_trained().items()}
    assert sizes.pop("bytes") == 256
    assert 800 <= sizes.pop("SubwordTextEncoder") <= 1100
    assert set(sizes.values()) == {1000}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_entry_is_the_text_of_its_span(family: str) -> None:
    tokenizer = all_trained()[family]
    encoded = NEW.encode()
    for token in tokenizer.encode(NEW):
        covered = encoded[token.start : token.end].decode(errors="backslashreplace").strip()
        # subtle: no training text has a K, so SubwordTextEncoder writes it as its code point.
        if not token.unknown and covered not in ("", "K"):
            assert tokenizer.plain(token.entry).strip() == covered, token


@pytest.mark.parametrize("family", FAMILIES)
@examples(8)
@given(text=texts())
def test_spans_are_in_the_text_and_in_order(family: str, text: str) -> None:
    tokens = all_trained()[family].encode(text)
    spans = [(token.start, token.end) for token in tokens]
    assert all(0 <= start <= end <= len(without_surrogates(text).encode()) for start, end in spans)
    assert spans == sorted(spans)


@pytest.mark.parametrize("family", LOSSLESS)
@given(text=texts())
def test_three_families_restore_every_text_without_an_unknown_token(family: str, text: str) -> None:
    tokenizer = all_trained()[family]
    tokens = tokenizer.encode(text)
    assert first_loss(without_surrogates(text), tokenizer.decode(tokens)) == -1
    assert unknown_bytes(tokens) == 0


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in LOSSLESS])
def test_the_others_lose_two_spaces_and_an_unknown_character(family: str) -> None:
    tokenizer = all_trained()[family]
    assert first_loss("the  sea", tokenizer.decode(tokenizer.encode("the  sea"))) == 4
    assert unknown_bytes(tokenizer.encode("the 日")) == 3
    assert tokenizer.decode(tokenizer.encode("the sea")) == "the sea"


def test_byte_level_bpe_has_the_tokens_of_tiktoken() -> None:
    tokenizer = ByteLevelBpe(TRAINING, 600)
    ranks = {bytes(entry): rank for rank, entry in enumerate(tokenizer.vocabulary) if isinstance(entry, bytes)}
    live = tiktoken.Encoding("x", pat_str=tokenizer.encoding._pat_str, mergeable_ranks=ranks, special_tokens={})
    assert [token.entry for token in tokenizer.encode(NEW)] == live.decode_tokens_bytes(live.encode_ordinary(NEW))


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_sentencepiece_models_have_the_tokens_of_the_library(kind: str) -> None:
    tokenizer = SentencePiece(TRAINING, 600, kind)
    live = sentencepiece.SentencePieceProcessor(model_proto=tokenizer.processor.serialized_model_proto())
    assert [token.entry for token in tokenizer.encode(NEW)] == live.encode(NEW, out_type=str)


def test_wordpiece_has_the_tokens_and_offsets_of_the_library() -> None:
    tokenizer = WordPiece(TRAINING, 600)
    vocabulary = {str(entry): id for id, entry in enumerate(tokenizer.vocabulary)}
    live = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    live.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=False)
    live.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    theirs = live.encode(NEW)
    mine = tokenizer.encode(NEW)
    assert [token.entry for token in mine] == theirs.tokens
    assert [(token.start, token.end) for token in mine] == theirs.offsets  # the text is ASCII


def test_character_bpe_has_the_tokens_of_the_library() -> None:
    tokenizer = CharacterBpe(TRAINING, 600)
    counts = count_words(TRAINING, lambda text: [f"{word} " for word in text.split()])
    merges = [(str(left), str(right)) for left, right in train_indexed(counts, 599)]
    entries = dict.fromkeys([*sorted(set(NEW) | set(TRAINING)), *map("".join, merges)])
    live = tokenizers.models.BPE({entry: id for id, entry in enumerate(entries)}, merges)
    theirs = [token.value for word in NEW.split() for token in live.tokenize(f"{word} ")]
    mine = [str(token.entry).replace("</w>", " ") for token in tokenizer.encode(NEW) if not token.unknown]
    assert mine == [entry for entry in theirs if entry in tokenizer.known]


def test_a_trained_tokenizer_is_kept_and_bad_arguments_are_explained() -> None:
    assert train("WordPiece", TRAINING, 1000) is train("WordPiece", TRAINING, 1000)
    with pytest.raises(ValueError, match="did you mean 'WordPiece'"):
        train("Wordpiece", TRAINING, 1000)
    with pytest.raises(ValueError, match="corpus has no word"):
        train("BPE", " \n", 1000)
    for family in FAMILIES:
        if family not in ("bytes", "byte-level BPE", "SubwordTextEncoder"):
            with pytest.raises(ValueError):
                train(family, TRAINING, 5)


def test_a_corpus_may_be_a_file(tmp_path: Any) -> None:
    path = tmp_path / "my.txt"
    path.write_text("día\n", encoding="utf-8")
    assert read_corpus(path) == "día\n"
    assert read_corpus("german", path) == data.text("german") + "\ndía\n"
    with pytest.raises(FileNotFoundError):
        read_corpus("no-such-corpus")


def test_the_list_of_morphemes_is_sorted_unique_and_lower_case() -> None:
    words = ["".join(morphemes) for morphemes in read_morphemes()]
    assert words == sorted(set(words)) and len(words) == 199
    assert all(part.isascii() and part.islower() for morphemes in read_morphemes() for part in morphemes)


def test_boundaries_leave_out_both_ends() -> None:
    assert boundaries(["hug"]) == set()
    assert boundary_scores(["un", "h", "appi", "ness"], ["un", "happi", "ness"]) == (2 / 3, 1.0)
    assert boundary_scores(["hug"], ["hug", "s"][:1]) == (1.0, 1.0)
    assert split_word(all_trained()["bytes"], "hug") == ["h", "u", "g"]


def test_the_tokens_after_an_inserted_token_have_not_changed() -> None:
    assert changed_share(["a", "b"], ["x", "a", "b"]) == 0
    assert changed_share(["a", "a"], ["a"]) == 0.5
    assert changed_share([], ["a"]) == 1 and changed_share([], []) == 0
    assert typo_changes(all_trained()["bytes"], ["hug", "aaaaaaa"]) == {"beginning": 0, "middle": 0, "end": 0}


def test_every_family_shares_all_entries_with_itself_alone() -> None:
    matrix = overlap_matrix(all_trained())
    for family, row in matrix.items():
        assert [other for other, value in row.items() if value == 1] == [family]
        assert all(matrix[other][family] == value for other, value in row.items())


@pytest.mark.slow
def test_no_family_wins_on_every_measure() -> None:
    hard = [line for line in data.text("mixed").splitlines() if line]
    table = scoreboard(all_trained(), NEW, hard, read_morphemes())
    best = winners(table)
    assert best["texts restored (%)"] == best["unknown bytes (%)"] == [*LOSSLESS]
    assert best["tokens per word"] == ["BPE"] and best["morpheme F1 (%)"] == ["Unigram"]
    assert best["changed by a typo (%)"] == ["bytes"]
    figure = plot_measures(table, best)
    assert [axes.get_title() for axes in figure.axes] == [*table]
    assert sum("★" in label.get_text() for axes in figure.axes for label in axes.texts) == 9


def test_the_rows_are_aligned_and_a_lossy_family_is_asked_about() -> None:
    recording = comparing.compare_families.record("if ok:\n    go 日", TRAINING, 1000)
    shown = frames(recording)
    assert len(shown) == 8 and len(shown[-1].panels[0].rows) == 8
    for row in shown[-1].panels[0].rows:
        columns = [tuple(map(int, part.split(";")[0].split("/"))) for part in row.split("grid-column:")[1:]]
        assert all(end <= start for (_, end), (start, _) in zip(columns, columns[1:], strict=False))
    assert [shown[place].moment for place in questions(recording)] == ["byte-level BPE", "WordPiece"]
    assert questions(comparing.compare_families.record("the sea", TRAINING, 1000)) == {}


@pytest.mark.slow
def test_the_explorer_shows_typed_text_and_refuses_a_very_long_one() -> None:
    explorer = explore_families("the sea", TRAINING)
    box, size = explorer.controls.values()
    box.value = "<img src=x>"
    assert "<img" not in explorer.player.html
    size.value = 500
    assert explorer.message == ""
    box.value = "x" * 501
    assert "at most 500" in explorer.message
