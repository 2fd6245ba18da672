"""The page of `--html`: a player for the text and, for a pipeline, one for each pre-token with its model's steps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import models

from tests.libraries.tokenizers.parity import texts as random_texts
from tests.libraries.tokenizers.pipelines import PIPELINES
from tests.parity.long_texts import VOCABULARIES, vocabulary_files
from tests.why.tokenizer_files import FILES, HOSTILE, write
from tokenlab.__main__ import main
from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes
from tokenlab.libraries.tiktoken.load import dump_tiktoken_bpe
from tokenlab.libraries.tokenizers import Tokenizer
from tokenlab.libraries.tokenizers.models import BPE, Unigram, WordLevel, WordPiece
from tokenlab.show.frames import chip
from tokenlab.show.plain_text import plain_text
from tokenlab.show.player import SHORT_FORMS
from tokenlab.steps.recording import Recording
from tokenlab.why.explanation import Explanation
from tokenlab.why.load import load
from tokenlab.why.model_steps import model_recording
from tokenlab.why.report import MOST_PLAYED, choose_words, page

TEXT = "Why did the houses in Köln disappear? 猫"
LARGEST = 500_000  # characters of a page with four pre-tokens


def tracks(html: str) -> list[dict[str, Any]]:
    """Return the data of each player on a page."""
    found = re.findall(r"<script type=application/json data-tokenlab=frames>(.*?)</script>", html, flags=re.DOTALL)
    return [json.loads(data)["tracks"][0] for data in found]


def captions(track: dict[str, Any]) -> list[str]:
    """Return the captions of a player as plain text."""
    whole = [
        re.sub("[\ue000-\ue0ff]", lambda m: SHORT_FORMS[ord(m[0]) - 0xE000], frame[1]) for frame in track["frames"]
    ]
    return [plain_text(caption) for caption in whole]


def explained(path: Path, text: str) -> tuple[Explanation, str]:
    """Return the explanation of a text, and its page with all pre-tokens."""
    explanation = load(path).explain(text)
    return explanation, page(explanation, choose_words(explanation, 0, None), "why")


def wordpiece() -> models.Model:
    return models.WordPiece({"[UNK]": 0, "Why": 1, "did": 2, "the": 3, "house": 4, "##s": 5}, unk_token="[UNK]")


def unigram() -> models.Model:
    pieces = ["▁Why", "▁did", "▁the", "▁house", "s", "▁", "d", "i", "▁h", "o", "u", "se"]
    return models.Unigram([("<unk>", 0.0), *((piece, -1.5 - n / 4) for n, piece in enumerate(pieces))], 0)


def prefixed() -> models.Model:
    """A BPE model whose merges are not the concatenation of their parts."""
    vocab = {token: id for id, token in enumerate(["t", "##h", "##e", "th", "the", "[UNK]"])}
    return models.BPE(vocab, [("t", "##h"), ("th", "##e")], continuing_subword_prefix="##", unk_token="[UNK]")


def saved(model: models.Model, folder: Path) -> Path:
    tokenizer = tokenizers.Tokenizer(model)
    is_unigram = isinstance(model, models.Unigram)
    pre_tokenizers = tokenizers.pre_tokenizers
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace() if is_unigram else pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder / "tokenizer.json"


@pytest.mark.parametrize(
    "model, said",
    [
        (wordpiece, "##s is in the vocabulary: a token starts at 5."),
        (unigram, "The best path to position 7 ends with s, which starts at 6."),
        (prefixed, "th + ##e became the, rank 1, at symbol 0."),
    ],
)
def test_the_page_of_a_pipeline_plays_the_model_on_each_pre_token(
    model: Callable[[], models.Model], said: str, tmp_path: Path
) -> None:
    explanation, html = explained(saved(model(), tmp_path), "Why did the houses the")
    words = choose_words(explanation, 0, None)
    first, *others = tracks(html)
    assert len(first["frames"]) == len(explanation.recording) + 1
    recordings = [recording for word in words if word.record and (recording := word.record())]
    assert [len(track["frames"]) for track in others] == [len(recording) + 1 for recording in recordings]
    assert html.count("<h2>") == html.count("In sentences") == len(words) == 4
    for word in words:
        assert f"<h2>Pre-token {word.text}, offsets {word.span[0]}-{word.span[1]}</h2>" in html
    assert said in [caption for track in others for caption in captions(track)]


def test_the_players_of_a_page_share_one_style_and_one_script(tmp_path: Path) -> None:
    _, html = explained(write("byte_level", tmp_path), TEXT)
    players = len(tracks(html))
    assert players > 4
    assert html.count("function playHere") == html.count("<style data-tokenlab=player>") == 1
    assert html.count("tokenlabPlay()</script>") == players
    assert not re.search(r"https?://|<link|@import|url\(|src=", html)


@pytest.mark.parametrize("name", [name for name in FILES if name not in ("byte_level", "byte_fallback", "vocab")])
def test_a_recording_that_contains_the_model_has_one_player(name: str, tmp_path: Path) -> None:
    explanation, html = explained(write(name, tmp_path), TEXT)
    assert len(tracks(html)) == 1 and all(word.record is None for word in explanation.words)


def tokens_of(recording: Recording[Any, Any]) -> list[str]:
    result = recording.result
    return list(result.symbols if hasattr(result, "symbols") else result)


@pytest.mark.parametrize("name", PIPELINES)
def test_the_recording_of_a_pre_token_has_the_tokens_of_the_model(name: str) -> None:
    model = Tokenizer.from_str(PIPELINES[name]().to_str()).model
    words = {word for text in (*random_texts(40, seed=7), *HOSTILE, TEXT) for word in (text, *text.split()) if word}
    for word in sorted(words):
        recording = model_recording(model, word)
        if recording is None:
            continue
        expected = model._segmented(word) if isinstance(model, Unigram) else [t.value for t in model.tokenize(word)]
        assert tokens_of(recording) == expected, word


@pytest.mark.parametrize(
    "model, word, tokens",
    [
        (Unigram([("<unk>", 0.0), ("ab", -5.0)], 0), "ab", ["ab"]),  # two unknown characters are less probable
        (WordPiece({"a": 0, "##a": 1, "[UNK]": 2}, max_input_chars_per_word=3), "aaaa", ["[UNK]"]),
        (WordPiece({"a": 0, "_a": 1, "x": 2}, unk_token="x", continuing_subword_prefix="_"), "aab", ["x"]),
        (WordPiece({"a": 0, "_a": 1, "x": 2}, unk_token="x", continuing_subword_prefix="_"), "aa", ["a", "_a"]),
    ],
)
def test_the_recording_has_the_settings_of_the_model(model: Any, word: str, tokens: list[str]) -> None:
    recording = model_recording(model, word)
    assert recording is not None and tokens_of(recording) == tokens == [token.value for token in model.tokenize(word)]


def test_a_model_or_a_word_without_steps_has_sentences_only(tmp_path: Path) -> None:
    assert model_recording(WordLevel({"a": 0, "[UNK]": 1}, "[UNK]"), "a") is None
    merges = [("a", "b")]
    assert model_recording(BPE({"a": 0, "b": 1, "ab": 2}, merges, ignore_merges=True), "ab") is None
    assert model_recording(Unigram([("<unk>", 0.0), ("a", 1.5)], 0), "a") is None  # no log probability
    path = saved(models.WordLevel({"a": 0, "[UNK]": 1}, "[UNK]"), tmp_path)
    _, html = explained(path, "a <b>")
    assert len(tracks(html)) == 1
    assert html.count("<details open><summary>In sentences</summary>") == 4
    assert "&lt; is not in the vocabulary" in html


def test_dropout_is_not_played_but_named() -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")], dropout=1.0)
    recording = model_recording(model, "ab")
    assert recording is not None and tokens_of(recording) == ["ab"] and recording.arguments["dropout"] is None


def test_a_recording_has_only_the_merges_that_were_looked_up(tmp_path: Path) -> None:
    path = write("byte_level", tmp_path)
    model = load(path).explain("unhappiness").words[0].record
    recording = model() if model else None
    assert recording is not None
    merges = [tuple(merge) for merge in json.loads(path.read_bytes())["model"]["merges"]]
    assert len(recording) <= len(recording.arguments["merges"]) < 40 < len(merges)
    for pair, (rank, made) in recording.arguments["merges"].items():
        assert merges[rank] == pair and made == "".join(pair)


def test_a_page_has_at_most_so_many_pre_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(f"w{number}" for number in range(MOST_PLAYED + 5))
    out = tmp_path / "out.html"
    arguments = ["--tokenizer", str(saved(wordpiece(), tmp_path)), "--text", text, "--html", str(out)]
    assert main(["why", *arguments, "--max-words", "0"]) == 0
    assert f"and the model's steps for {MOST_PLAYED} pre-tokens" in capsys.readouterr().out
    assert len(tracks(out.read_text(encoding="utf-8"))) == MOST_PLAYED + 1
    assert main(["why", *arguments, "--word", "w7"]) == 0
    assert "and the model's steps for 1 pre-token." in capsys.readouterr().out


@pytest.mark.slow
def test_long_words_have_a_page_of_limited_size(tmp_path: Path) -> None:
    for model in (wordpiece, unigram, prefixed):
        _, html = explained(saved(model(), tmp_path), "the" * 3000)
        assert len(html) < LARGEST, model


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:'ranks' is not a known file")
@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_vocabulary_of_50_000_tokens_has_a_page_of_limited_size(name: str, tmp_path: Path) -> None:
    for file, content in vocabulary_files(name).items():
        (tmp_path / file).write_text(content, encoding="utf-8", newline="\n")
    files = str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")
    library = tokenizers.Tokenizer(models.BPE.from_file(*files))
    library.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = tokenizers.decoders.ByteLevel()
    library.save(str(tmp_path / "tokenizer.json"))
    vocab = {token: id for token, id in library.get_vocab().items() if token != "<|endoftext|>"}
    ranks = {symbols_to_bytes(token): id for token, id in vocab.items()}
    dump_tiktoken_bpe(ranks, str(tmp_path / "ranks"))
    text = "Why is unbelievably long tokenization interesting?"
    for path in (tmp_path / "tokenizer.json", tmp_path / "ranks"):
        explanation, html = explained(path, text)
        assert [row.id for row in explanation.tokens] == library.encode(text).ids
        assert len(html) < LARGEST
        recordings = [recording for word in explanation.words if word.record and (recording := word.record())]
        assert len(tracks(html)) == 1 + len(recordings) and bool(recordings) == bool(path.suffix)
        assert all(len(recording.arguments["merges"]) < 100 for recording in recordings)


# --- the view of merges with a table ----------------------------------------------------------------


def test_the_question_of_a_merge_is_the_pair_with_the_lowest_rank() -> None:
    merges = [("s", "s"), ("e", "ss"), ("p", "i"), ("h", "a"), ("p", "p"), ("ha", "p"), ("n", "ess")]
    tokens = sorted(set("happiness") | {"".join(pair) for pair in merges})
    recording = model_recording(BPE({token: id for id, token in enumerate(tokens)}, merges), "happiness")
    assert recording is not None and tokens_of(recording) == ["hap", "pi", "ness"]
    frames = recording.play().tracks[0].frames
    asked = {number: frame.question for number, frame in enumerate(frames) if frame.question}
    assert asked
    for number, question in asked.items():
        [right] = [option for option in question.options if option.right]
        step = recording[number]
        assert right.label == f"{chip(step.left)} + {chip(step.right)}"
        assert {option.misconception for option in question.options} & {6, 7}


def test_a_merge_that_is_no_concatenation_has_no_question_and_the_right_tokens() -> None:
    merges = [("##e", "##f"), ("##c", "##d"), ("a", "##b"), ("##cd", "##ef"), ("ab", "##cdef")]
    tokens = ["a", *(f"##{letter}" for letter in "bcdef"), "##ef", "##cd", "ab", "##cdef", "abcdef"]
    model = BPE({token: id for id, token in enumerate(tokens)}, merges, continuing_subword_prefix="##")
    recording = model_recording(model, "abcdef")
    assert recording is not None
    frames = recording.play().tracks[0].frames
    assert not any(frame.question for frame in frames)
    shown = [re.findall(r"<b[^>]*>(.*?)</b>", frame.panels[0].rows[0]) for frame in frames]
    assert shown == [
        ["a", "##b", "##c", "##d", "##e", "##f"],
        ["a", "##b", "##c", "##d", "##ef"],
        ["a", "##b", "##cd", "##ef"],
        ["ab", "##cd", "##ef"],
        ["ab", "##cdef"],
        ["abcdef"],
    ]
