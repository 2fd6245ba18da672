"""Facts about published tokenizers: the stored file, its reader, and its view; with the files at hand, all again."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
import regex

from data import make_real_tokenizers, real_texts
from tests import skips
from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.laboratory import real_tokenizers as real
from tokenlab.libraries.tiktoken.load import load_tiktoken_bpe
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers
from tokenlab.show.player import PlayerTrack

NAMES_04 = ("Qwen 3", "Llama 3", "GPT-2")
NAMES = [name for named in real.texts().values() for name in named]
FOLDER = Path(os.environ.get("REAL_TOKENIZERS", ""))


def test_the_texts_are_those_of_the_source():
    assert real.texts() == real_texts.GROUPS
    assert len(NAMES) == len(set(NAMES)) == 120
    assert len(real.real_tokenizers()) == len(make_real_tokenizers.SOURCES) == 16
    assert (data.FOLDER / "real_tokenizers.json").stat().st_size < 1_000_000


@pytest.mark.parametrize("tokenizer", real.real_tokenizers().values(), ids=lambda one: one.name)
def test_tokens_fit_their_text(tokenizer):
    assert sum(tokenizer.counts["lengths"].values()) <= tokenizer.size
    assert tokenizer.special_count >= len(tokenizer.special_tokens)
    for name in NAMES:
        text, tokens = real.text(name), tokenizer.tokens(name)
        assert all(0 <= token.id < tokenizer.size for token in tokens)
        assert all(0 <= token.start <= token.end <= len(text) for token in tokens) or tokenizer.decoded(name) != text
        if tokens and isinstance(tokens[0].symbol, bytes):
            assert b"".join(token.symbol for token in tokens).decode() == tokenizer.decoded(name)
        if tokenizer.unknown in {token.id for token in tokens}:
            assert tokenizer.decoded(name) != text


@pytest.mark.parametrize(
    ("tokenizer", "name", "ids"),
    [  # known from the literature
        ("GPT-2", "SolidGoldMagikarp", [43453]),
        ("GPT-2", "petertodd", [37444]),
        ("GPT-4", "strawberry", [496, 675, 15717]),
        ("GPT-4o", "strawberry", [302, 1618, 19772]),
        ("GPT-2", "end of text", [27, 91, 437, 1659, 5239, 91, 29]),
        ("Llama 2", "Llama 2", [1, 518, 25580, 29962, 15043, 29991, 518, 29914, 25580, 29962]),
        ("BERT, uncased", "right", [5791, 3584]),
    ],
)
def test_known_ids(tokenizer, name, ids):
    assert [token.id for token in real.real_tokenizer(tokenizer).tokens(name)] == ids


def test_the_characters_of_partial_tokens():
    tokens = real.real_tokenizer("GPT-2").tokens("one emoji")
    assert [(token.symbol, token.start, token.end) for token in tokens] == [(b"\xf0\x9f\x98", 0, 1), (b"\x80", 0, 1)]


def test_names_are_checked():
    with pytest.raises(ValueError, match="GPT-5"):
        real.real_tokenizer("GPT-5")
    with pytest.raises(ValueError, match="no such text"):
        real.text("no such text")


@pytest.mark.parametrize("name", NAMES)
def test_the_remark_names_the_shortest_and_the_longest_row(name):
    recording = real.compare_real_tokenizers.record(name)
    (step,) = recording
    unknown = dict(zip(step.names, step.unknown, strict=True))
    lost = {"BERT, uncased": lambda token: token.symbol == "[UNK]", "T5": lambda token: token.id == 2}
    for one in step.names:
        is_lost = lost.get(one, lambda _: False)  # the others have an entry for every byte
        assert unknown[one] == sum(map(is_lost, real.real_tokenizer(one).tokens(name)))
    restoring = {n: len(ids) for n, ids, same in zip(step.names, step.ids, step.restored, strict=True) if same}
    before, after = PlayerTrack.of(recording, 0, 1).frames
    assert "Predict" in before.remark
    assert after.panels[0].rows[0].count("<tr") == len(real.TWELVE)
    largest = max(restoring, key=lambda one: real.real_tokenizer(one).size)
    assert (before.question is None) == (restoring[largest] == min(restoring.values()))
    if before.question:
        right, believed = ({o.misconception: o.label for o in before.question.options}[number] for number in (0, 134))
        assert believed == largest != right and restoring[right] == min(restoring.values())
    if len({*restoring.values()}) > 1:
        least = next(one for one in restoring if restoring[one] == min(restoring.values()))
        assert after.remark.startswith(f"{least} needs {restoring[least]:,} token")
        assert f" needs {max(restoring.values()):,}" in after.remark


def test_a_text_is_chosen_from_the_list():
    explorer = explore_real_tokenizers("English")
    before = explorer.data
    explorer.controls["name"].value = "Tamil"
    assert explorer.message == ""
    assert explorer.data != before


@pytest.mark.skipif(not FOLDER.name, reason=skips.REAL)
@pytest.mark.parametrize("source", make_real_tokenizers.SOURCES, ids=lambda source: source.name)
def test_the_live_libraries_and_ours_agree_with_the_file(source):
    from tokenlab.libraries import sentencepiece, tiktoken, tokenizers

    ours = SimpleNamespace(tiktoken=tiktoken, tokenizers=tokenizers, sentencepiece=sentencepiece)
    path = FOLDER / source.folder / source.file
    live = make_real_tokenizers.stored(source, source.load(make_real_tokenizers.live(), path))
    assert live == make_real_tokenizers.stored(source, source.load(ours, path))
    stored = next(one for one in real._stored()["tokenizers"] if one["name"] == source.name)
    assert {key: value for key, value in live.items() if key != "results"} == {
        key: value for key, value in stored.items() if key != "results"
    }
    assert [{**one, "spans": [*one.get("spans", [])]} for one in live["results"]] == [
        {**one, "spans": [*one.get("spans", [])]} for one in stored["results"]
    ]


def tokens_of_20_languages(name):
    return sum(len(real.real_tokenizer(name).tokens(text)) for text in real.texts()["one meaning in 20 languages"])


def test_what_lesson_01_says_of_sizes():
    small, large = "Llama 2", "Llama 3"
    sizes = {name: one.size for name, one in real.real_tokenizers().items()}
    assert round(sizes[large] / sizes[small]) == 4
    assert round(100 - 100 * tokens_of_20_languages(large) / tokens_of_20_languages(small)) == 27
    assert sizes["GPT-2"] == 256 + 50_000 + 1 and real.real_tokenizer("GPT-2").special_count == 1
    assert sizes[large] == 128_000 + 256 and real.real_tokenizer(large).special_count == 256
    assert sizes["Gemma 3"] == 2**18 + 1 == max(sizes.values())
    for name in ("GPT-4", "GPT-4o", "Llama 3", "Gemma 3", "Qwen 3", "DeepSeek V3", "Mistral NeMo", "mT5"):
        assert 100_000 < sizes[name] <= 2**18 + 1


def test_what_lesson_03_says_of_bytes_digits_spaces_and_contractions():
    shown = {
        (name, text): [token.shown for token in real.real_tokenizer(name).tokens(text)]
        for name in ("GPT-2", "GPT-4", "Llama 3", "Qwen 3")
        for text in ("Japanese", "a large number", "a product", "Python, 4 spaces", "contractions in capitals")
    }
    assert (len(shown["GPT-2", "Japanese"]), len(real.text("Japanese"))) == (19, 12)
    assert b"".join(token.symbol for token in real.real_tokenizer("GPT-2").tokens("Japanese")[:2]) == "お".encode()
    assert shown["GPT-2", "a large number"] == ["123", "45", "678", "90"]
    assert shown["Qwen 3", "a large number"] == [*"1234567890"]
    for name in ("GPT-4", "Llama 3"):
        assert shown[name, "a product"][:2] == ["123", "45"]
        assert regex.findall(real.real_tokenizer(name).splits, "1234") == ["123", "4"]
    spaces = {name: len(tokens) for (name, text), tokens in shown.items() if text == "Python, 4 spaces"}
    assert spaces == {"GPT-2": 31, "GPT-4": 20, "Llama 3": 20, "Qwen 3": 20}
    for name, apostrophes in {"GPT-2": 4, "GPT-4": 2, "Llama 3": 2, "Qwen 3": 2}.items():
        assert shown[name, "contractions in capitals"].count("'") == apostrophes


def test_what_lesson_04_says_of_spaces_chats_and_glitch_tokens():
    gpt2 = real.real_tokenizer("GPT-2")
    assert (gpt2.counts["leading space"], gpt2.size) == (33_090, 50_257)
    for name in ("GPT-2", "GPT-4", "Llama 3", "Qwen 3"):
        tokens = [token.shown for token in real.real_tokenizer(name).tokens("a space at the end")]
        assert tokens == ["Once", "␣upon", "␣a", "␣time", "␣"]
    marks = {"<|im_start|>", "<|im_end|>"}
    shown = {name: [token.shown for token in real.real_tokenizer(name).tokens("ChatML")] for name in NAMES_04}
    assert {name for name in NAMES_04 if marks <= {*shown[name]}} == {"Qwen 3"}
    assert {name for name in NAMES_04 if marks & {*shown[name]}} == {"Qwen 3"}
    for text in real.texts()["glitch tokens"]:
        assert len(gpt2.tokens(text)) == 1
        assert len(real.real_tokenizer("GPT-4o").tokens(text)) > 1
    one_token = {
        name for name in ("GPT-4", "GPT-4o", "Qwen 3") if len(real.real_tokenizer(name).tokens("davidjl")) == 1
    }
    assert one_token == {"GPT-4", "Qwen 3"} and len(real.texts()["glitch tokens"]) == 8


def test_what_lesson_04_says_of_the_small_vocabulary():
    small = load_local_encoding(data.FOLDER / "small.tiktoken")
    assert small.decode_tokens_bytes(small.encode("was")) == [b"w", b"as"]
    assert small.decode_tokens_bytes(small.encode("The player was")) == [b"The", b" play", b"er", b" was"]
    ranks = load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
    for token, rank in ranks.items():
        if rank >= 256:  # the pair behind a token is unique
            lower = {other: lower for other, lower in ranks.items() if lower < rank}
            assert len(encode_by_rank(token, lower)) == 2
    assert encode_by_rank(b" on", {token: rank for token, rank in ranks.items() if rank < 312}) == (b" o", b"n")
