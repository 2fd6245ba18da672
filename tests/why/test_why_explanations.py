"""The explanation names the right merges, lookups, pieces and stages, recomputed here or by the library."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
import sentencepiece

from tests.why.tokenizer_files import merges_of, write
from tokenlab import data
from tokenlab.libraries.tokenizers.models import BPE, Unigram, WordLevel, WordPiece
from tokenlab.printing.printable import printable
from tokenlab.why.compare import compare
from tokenlab.why.load import Options, load
from tokenlab.why.model_steps import model_lines
from tokenlab.why.report import choose_words, report

TEXT = "Why did the houses in Köln   disappear, 12345 times? 猫が好き"


def replayed(lines: list[str], merges: list[tuple[str, str]]) -> list[str]:
    """Return the symbols after the merges that the lines name; each must have the lowest rank of all pairs."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    symbols = lines[0].removeprefix("symbols: ").split(" ")
    for line in lines[1:]:
        if not (found := re.fullmatch(r"(\S+) \+ (\S+) became (\S+), rank (\d+), at symbol (\d+)", line)):
            continue
        possible = sorted((ranks[pair], place) for place, pair in enumerate(pairwise(symbols)) if pair in ranks)
        rank, place = possible[0]
        assert merges[rank] == (found[1], found[2]) == tuple(symbols[place : place + 2]) and int(found[4]) == rank
        symbols[place : place + 2] = [found[3]]
    assert not any(pair in ranks for pair in pairwise(symbols))
    return symbols


@pytest.mark.parametrize("name", ("byte_level", "byte_fallback"))
def test_the_merges_of_a_tokenizer_json_lead_to_the_tokens(name: str, tmp_path: Path) -> None:
    path = write(name, tmp_path)
    merges, explained = merges_of(path), 0
    for word in load(path).explain(TEXT).words:
        lines = list(word.explain())
        assert tuple(replayed(lines, merges)) == word.tokens
        explained += len(lines) > 1
    assert explained


def test_the_merges_of_ranks_lead_to_the_tokens(tmp_path: Path) -> None:
    encoding = load(write("ranks", tmp_path))
    for word in encoding.explain(TEXT).words:
        first, *lines = word.explain()
        assert first.startswith(f"{printable(word.text)} was split off by the rule ")
        merged = [line for line in lines if " became " in line]
        left = len(word.text.encode()) - len(merged)
        assert len(word.tokens) == (1 if "as a whole" in lines[-1] else left)
    [word] = encoding.explain("that").words
    assert list(word.explain())[1:] == [
        "symbols (bytes): t h a t",
        "h + a became ha, rank 271, at 1",
        "ha + t became hat, rank 317, at 1",
        "no two adjacent symbols together are a token",
        "that has the ids 83 317",
    ]


def test_byte_fallback_and_unknown_characters_are_named(tmp_path: Path) -> None:
    [word] = load(write("byte_fallback", tmp_path)).explain("the é").words
    lines = list(word.explain())
    assert "é is not in the vocabulary and becomes <0xC3> <0xA9> (byte fallback)" in lines
    assert lines[-1] == "no adjacent pair of ▁the ▁ <0xC3> <0xA9> is in the list of merges"
    model = BPE({"a": 0, "?": 1}, [], unk_token="?")
    assert model_lines(model, "ab")[1] == "b is not in the vocabulary and becomes ?"
    assert (
        model_lines(BPE({"a": 0}, []), "ab")[1]
        == "b is not in the vocabulary and is dropped: the model has no unk_token"
    )


def test_ignore_merges_is_named() -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [], ignore_merges=True)
    assert model_lines(model, "ab") == [
        "ab is in the vocabulary as a whole, and ignore_merges is set, so nothing is merged"
    ]


def test_the_lookups_of_wordpiece_are_the_longest_first() -> None:
    model = WordPiece({"[UNK]": 0, "hug": 1, "##s": 2, "##gi": 3}, unk_token="[UNK]")
    assert model_lines(model, "hugging") == [
        "not in the vocabulary: hugging huggin huggi hugg",
        "hug is in the vocabulary: a token starts at 0",
        "not in the vocabulary: ##ging ##gin",
        "##gi is in the vocabulary: a token starts at 3",
        "not in the vocabulary: ##ng ##n",
        "no token starts at 5, so the whole word is [UNK] instead of hug ##gi",
    ]
    assert model_lines(model, "h" * 200)[0].startswith("200 characters are more than 100")
    assert model_lines(model, "x" * 50)[0].endswith(" ... and 42 shorter ones")


def test_word_level_is_a_lookup() -> None:
    assert model_lines(WordLevel({"a": 0, "?": 1}, unk_token="?"), "b") == ["b is not in the vocabulary"]


def test_the_segmentations_are_the_best_of_the_library(tmp_path: Path) -> None:
    path = write("sentencepiece_unigram", tmp_path)
    live = sentencepiece.SentencePieceProcessor(model_file=str(path))
    compared = 0
    for word in load(path).explain(TEXT).words:
        if any(live.is_unknown(live.piece_to_id(piece)) for piece in word.tokens):
            continue
        lines = [line for line in word.explain() if line.startswith(("best: ", "next: "))]
        mine = [re.findall(r"(\S+) \((?:unknown )?-[\d.]+\)", line) for line in lines]
        scores = [float(line.split()[1]) for line in lines]
        theirs = live.nbest_encode_as_pieces(word.text.replace("▁", " ").strip(), nbest_size=4)
        assert [*map(tuple, mine)] == [*map(tuple, theirs[: len(mine)])]
        assert scores == sorted(scores, reverse=True)
        for pieces, score in zip(mine, scores, strict=True):
            assert score == pytest.approx(sum(live.get_score(live.piece_to_id(piece)) for piece in pieces), abs=0.01)
        compared += len(mine)
    assert compared > 12


def test_ties_and_unknown_pieces_of_unigram_are_named() -> None:
    model = Unigram([("<unk>", 0.0), ("a", -1.0), ("b", -1.0), ("ab", -2.0)], unk_id=0)
    assert model_lines(model, "ab") == [
        "best:  -2.00  ab (-2.00)",
        "next:  -2.00  a (-1.00) + b (-1.00); an equal sum: the longest last piece decides",
    ]
    assert model_lines(model, "??")[1:] == [
        "there is no other segmentation",
        "adjacent unknown pieces become one piece: ??",
        "?? is not in the vocabulary and gets the id of the unknown piece",
    ]


def test_the_merges_of_a_sentencepiece_model_are_those_of_the_word(tmp_path: Path) -> None:
    for word in load(write("sentencepiece_bpe", tmp_path)).explain("the houses the 猫").words:
        merges = [line for line in word.explain() if " became " in line]
        made = [re.search(r"became (\S+),", line) for line in merges]
        assert all(one and one[1] in word.text for one in made)
        if "<0x" not in "".join(word.tokens):
            assert len(merges) == len(word.text) - len(word.tokens)


def test_stages_say_what_changed(tmp_path: Path) -> None:
    stages = {stage.name: stage for stage in load(write("bert", tmp_path)).explain("Häuser [MASK]").stages}
    assert stages["Normalizer BertNormalizer"].said == "Hä becomes ha."
    assert stages["Pre-tokenizer BertPreTokenizer"].parts == ("hauser", "[MASK]")
    found = "The original text was searched; later stages do not change the added tokens found so far."
    assert stages["Added tokens, first pass"].said == found
    assert stages["Post-processor TemplateProcessing"].parts[0] == "[CLS]"
    said = [stage.said for stage in load(write("sentencepiece_unigram", tmp_path)).explain("a  ﬁ").stages]
    assert "␣ was removed." in said and "ﬁ became f i." in said


def test_subtokens_name_the_escapes() -> None:
    [word] = load(data.FOLDER / "english.subwords").explain("_").words
    assert next(iter(word.explain())) == "_ becomes \\u, because an underscore marks the end of a token"


def test_a_special_token_and_a_dropped_text_are_named(tmp_path: Path) -> None:
    path = write("ranks", tmp_path)
    explanation = load(path).explain("a<|endoftext|>b")
    assert explanation.stages[0].said == "<|endoftext|> is a special token and allowed: id 1000."
    dropped = load(path, Options(pattern=r"\w+")).explain("the, cat")
    assert dropped.stages[-1].said == "The pattern does not match 2 characters, which have no token."
    assert [word.span for word in dropped.words] == [(0, 3), (5, 8)]


def test_the_words_to_explain(tmp_path: Path) -> None:
    explanation = load(write("byte_level", tmp_path)).explain("the cat and the dog and the bird")
    assert [word.text for word in choose_words(explanation, None, None)] == ["the", "Ġcat", "Ġand", "Ġthe"]
    assert len(choose_words(explanation, 0, None)) == 6  # "the" at the start, and with a space
    assert [word.text for word in choose_words(explanation, None, "dog")] == ["Ġdog"]
    assert [word.text for word in choose_words(explanation, None, " dog")] == ["Ġdog"]
    assert [word.text for word in choose_words(explanation, None, "the")] == ["the"]
    with pytest.raises(ValueError, match=r"--word 'dogs' is not one of the 6 different pre-tokens.*Ġdog"):
        choose_words(explanation, None, "dogs")
    lines = list(report(explanation, choose_words(explanation, 1, None), rows=2, width=80))
    assert "  ... 8 more tokens; --max-tokens N (0: all) shows others" in lines or any(
        "more tokens" in x for x in lines
    )
    assert any("1 of 6 different pre-tokens" in line for line in lines)
    assert json.dumps(explanation.to_json(choose_words(explanation, 1, None)))


def compared(left: Path, right: Path, text: str, **options: str) -> list[str]:
    """Return the lines of a comparison of two files."""
    explained = load(left).explain(text), load(right, Options(**options)).explain(text)  # type: ignore[arg-type]
    return list(compare(*explained, ("A", "B")))


@pytest.mark.filterwarnings("ignore:that .* case and accents is a guess")
def test_equal_tokens_have_no_difference(tmp_path: Path) -> None:
    ranks, bert, vocab = (write(name, tmp_path) for name in ("ranks", "bert", "vocab"))
    same = "Both split this text in the same places, with equal ids."
    assert compared(ranks, ranks, "Why did it?") == [same]
    assert compared(bert, vocab, "") == compared(bert, vocab, "Why did it?") == [same]


@pytest.mark.filterwarnings("ignore:that .* case and accents is a guess")
def test_the_first_difference_is_where_a_token_ends_elsewhere(tmp_path: Path) -> None:
    bpe, vocab = write("byte_level", tmp_path), write("vocab", tmp_path)
    text = "the Houses disappear"
    lines = compared(bpe, vocab, text)
    at = int(re.fullmatch(r"The first difference is at (\d+):", lines[0])[1])  # type: ignore[index]
    spans = [[row.span for row in load(path).explain(text).tokens if row.span] for path in (bpe, vocab)]
    words = [[(start + (text[start] == " "), end) for start, end in one] for one in spans]
    before = [[span for span in one if span[1] <= at] for one in words]
    after = [next(span for span in one if span[0] <= at < span[1]) for one in words]
    assert before[0] == before[1] and after[0] != after[1]
    assert lines[3].startswith("Both models split the pre-token with the text")
    assert any(line.startswith("    symbols: ") for line in lines)
    assert any(" is in the vocabulary: a token starts at " in line for line in lines)


@pytest.mark.filterwarnings("ignore:that .* case and accents is a guess")
def test_unknown_tokens_and_pre_tokens_are_differences(tmp_path: Path) -> None:
    vocab, ranks = write("vocab", tmp_path), write("ranks", tmp_path)
    (tmp_path / "two").write_text("[UNK]\n[CLS]\n[SEP]\nthe\n##x\n", encoding="utf-8")
    assert "[UNK]" in compared(vocab, tmp_path / "two", "cat")[2]
    lines = compared(ranks, ranks, "12345", pattern=r"\d")
    assert lines == ["Both split this text in the same places, with equal ids."]
    lines = compared(ranks, ranks, "the", pattern=r"t|.+")
    assert lines == ["Both split this text in the same places, with equal ids."]
    lines = compared(ranks, ranks, "hat", pattern=r".")
    assert lines[3:] == [
        "The models do not receive the same pre-token:",
        "  A: hat, offsets 0-3",
        "  B: h, offsets 0-1",
    ]


def test_spaces_count_last(tmp_path: Path) -> None:
    ranks = write("ranks", tmp_path)
    lines = compared(ranks, ranks, "a b", pattern=r"\w+|\s")
    assert lines[0] == "The first difference is at 1, and only in how spaces belong to tokens:"
    assert [line.split(" (")[0] for line in lines[1:3]] == ["  A: ␣b", "  B: ␣"]
    assert lines[3:] == [
        "The models do not receive the same pre-token:",
        "  A: ␣b, offsets 1-3",
        "  B: ␣, offsets 1-2",
    ]
