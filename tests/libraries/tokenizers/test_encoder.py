"""Encodings whose ids are computed at once, and everything else when it is first read."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import tokenizers as live

from tests.libraries.tokenizers.parity import columns
from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.tokenizers.models import BPE
from tokenlab.libraries.tokenizers.pipeline import Pipeline

TOKENS = ["[UNK]", "[CLS]", "[SEP]", "Ġa", "Ġb", "a", "b", "Ġ"]
VOCAB = {token: id for id, token in enumerate(TOKENS)}
SPECIAL = [("[CLS]", 1), ("[SEP]", 2)]
PAIRS = ["a b", ("a", "b a"), ("", "a"), "", ("a b", "")]


def tokenizer(library: Any, processor: Any = None, add_prefix_space: bool = True) -> Any:
    """Return a byte-level tokenizer of the library or of tokenlab."""
    made = library.Tokenizer(library.models.BPE(VOCAB, [("Ġ", "a"), ("Ġ", "b")]))
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=add_prefix_space)
    if processor is not None:
        made.post_processor = processor(library.processors)
    return made


PROCESSORS = {
    "none": lambda library: None,
    "template": lambda library: library.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", SPECIAL),
    "second first": lambda library: library.TemplateProcessing("$A [SEP] $A:3", "$B:2 [CLS] $A", SPECIAL),
    "no sequence": lambda library: library.TemplateProcessing("[CLS]", "$B:2 $A", SPECIAL),
    "bert": lambda library: library.BertProcessing(SPECIAL[1], SPECIAL[0]),
    "roberta": lambda library: library.RobertaProcessing(SPECIAL[1], SPECIAL[0]),
    "both": lambda library: library.Sequence(
        [library.ByteLevel(trim_offsets=True), library.BertProcessing(SPECIAL[1], SPECIAL[0])]
    ),
}


@pytest.mark.parametrize("length", [None, 5])
@pytest.mark.parametrize("name", PROCESSORS)
def test_the_ids_and_the_rest_are_the_librarys(name: str, length: int | None) -> None:
    theirs, mine = (tokenizer(library, PROCESSORS[name]) for library in (live, ours))
    for one in (theirs, mine):
        one.enable_padding(direction="left", pad_id=9)
        if length is not None:
            one.enable_truncation(length)
    cases = itertools.product((PAIRS, PAIRS[:1], PAIRS[1:2]), ("encode_batch", "encode_batch_fast"), (True, False))
    for batch, method, special in cases:
        found, expected = (getattr(one, method)(batch, add_special_tokens=special) for one in (mine, theirs))
        assert list(map(columns, found)) == list(map(columns, expected))


@pytest.mark.parametrize("name", ["template", "both"])
def test_an_encoding_is_of_the_moment_when_it_was_made(name: str) -> None:
    expected = columns(tokenizer(ours, PROCESSORS[name]).encode("a b", "a"))
    made = tokenizer(ours, PROCESSORS[name])
    encodings = [made.encode("a b", "a") for _ in range(4)]
    if name == "both":
        made.post_processor[0].trim_offsets = False
    else:
        made.post_processor.single = "$A"
    made.enable_truncation(2)
    made.enable_padding(length=50)
    assert columns(encodings[0]) == expected
    made.post_processor = None
    assert columns(encodings[1]) == expected
    made.model = BPE()
    assert columns(encodings[2]) == expected
    assert made.encode("a").ids == [0] * 50


@pytest.mark.parametrize("length", [None, 4])
def test_ids_and_masks_need_no_tokens(monkeypatch: pytest.MonkeyPatch, length: int | None) -> None:
    made = tokenizer(ours, PROCESSORS["template"])
    made.enable_padding(length=6)
    if length is not None:
        made.enable_truncation(length)
    monkeypatch.setattr(Pipeline, "_details", lambda *_: pytest.fail("tokens and offsets were computed"))
    first, second = made.encode_batch(["a b", ("a", "b a")])
    assert first.ids == [1, 3, 4, 2, 0, 0]
    assert first.attention_mask == [1, 1, 1, 1, 0, 0]
    assert second.special_tokens_mask[:3] == [1, 0, 1] if length is None else second.n_sequences == 2
    with pytest.raises(pytest.fail.Exception):
        _ = first.offsets


def test_a_processor_that_refuses_does_so_at_once() -> None:
    made = tokenizer(ours, lambda library: library.TemplateProcessing("$B", "$A $B"))
    for _ in range(2):
        with pytest.raises(ValueError, match="uses the second sequence"):
            made.encode_batch(["a"])


def test_a_processor_of_the_user_sees_the_tokens_of_every_encoding() -> None:
    class Lengths(ours.processors.TemplateProcessing):
        def process(self, encoding: Any, pair: Any = None, add_special_tokens: bool = True) -> Any:
            seen.append(encoding.tokens)
            return super().process(encoding, pair, add_special_tokens)

    seen: list[list[str]] = []
    made = tokenizer(ours)
    made.post_processor = Lengths("$A")
    assert [encoding.ids for encoding in made.encode_batch(["a", "b"])] == [[3], [4]]
    assert seen == [["Ġa"], ["Ġb"]]


@pytest.mark.parametrize("add_prefix_space", [True, False])
def test_offsets_of_given_words_count_from_each_word(add_prefix_space: bool) -> None:
    found, expected = (
        tokenizer(library, PROCESSORS["both"], add_prefix_space).encode(["a b", "é", "", "ab a"], is_pretokenized=True)
        for library in (ours, live)
    )
    assert columns(found) == columns(expected)


@pytest.mark.parametrize("text", ["aX", "Xa", "aX b", "aXb"])
def test_a_token_need_not_cover_its_pre_token(text: str) -> None:
    found, expected = (
        columns(library.Tokenizer(library.models.BPE({"a": 0, "b": 1, " ": 2}, [])).encode(text))
        for library in (ours, live)
    )
    assert found == expected


@pytest.mark.parametrize(
    "options",
    [{}, {"unk_token": "u"}, {"unk_token": "u", "fuse_unk": True}, {"byte_fallback": True}, {"ignore_merges": True}],
)
@pytest.mark.parametrize("word", ["ab", "aXb", "XX", "abab", "#a", "uXa"])
@pytest.mark.parametrize("affix", [{}, {"continuing_subword_prefix": "#"}])
def test_offsets_of_words_with_unknown_characters(options: dict[str, Any], affix: dict[str, Any], word: str) -> None:
    vocab = {token: id for id, token in enumerate(["a", "b", "u", "#a", "#b", "ab", "#u", "<0x58>"])}
    found, expected = (library.models.BPE(vocab, [], **affix, **options).tokenize(word) for library in (ours, live))
    assert [token.as_tuple() for token in found] == [token.as_tuple() for token in expected]


@pytest.mark.filterwarnings("ignore:vocab")
def test_tokens_that_share_an_id_keep_their_places() -> None:
    model = BPE({"a": 0, "ab": 0, "bc": 1, "c": 2, "b": 3}, [("b", "c")])
    assert [token.offsets for token in model.tokenize("abc")] == [(0, 1), (1, 3)]
