"""WordPiece's encoder: the longest piece first, and one bad letter loses the whole word."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import pytest

from tokenlab.algorithms.wordpiece.encode import LongestMatch, NotInVocabulary, UnknownWord, WordTooLong, encode_word
from tokenlab.algorithms.wordpiece.encode_cached import LongestMatchTrie, WordPieceEncoder

HUGS = {"hug", "hu", "h", "##g", "##gs", "##s", "b", "##u"}


def test_the_longest_piece_is_taken_even_if_shorter_ones_fit() -> None:
    assert encode_word("hugs", HUGS) == ("hug", "##s")
    assert encode_word("hugs", HUGS - {"hug"}) == ("hu", "##gs")


def test_the_longest_piece_may_lead_to_a_dead_end_and_nobody_goes_back() -> None:
    assert encode_word("abc", {"ab", "a", "##bc"}) == ("[UNK]",)


def test_one_bad_letter_loses_the_whole_word() -> None:
    assert encode_word("hugx", HUGS) == ("[UNK]",)
    assert encode_word("xhug", HUGS) == ("[UNK]",)


def test_a_piece_without_prefix_does_not_stand_inside_a_word() -> None:
    assert encode_word("bug", {"b", "ug"}) == ("[UNK]",)
    assert encode_word("bug", {"b", "##ug"}) == ("b", "##ug")


def test_a_word_that_begins_with_the_prefix_may_begin_with_such_a_piece() -> None:
    # It is so in google-research/bert and in tokenizers as well.
    assert encode_word("##gs", HUGS) == ("##gs",)


def test_a_word_of_nothing_has_no_pieces() -> None:
    assert encode_word("", HUGS) == () == WordPieceEncoder(HUGS).word("")


def test_a_word_that_is_too_long_is_unknown_although_it_could_be_cut() -> None:
    assert encode_word("b" + "u" * 99, HUGS) == ("b", *["##u"] * 99)
    assert encode_word("b" + "u" * 100, HUGS) == ("[UNK]",)
    assert encode_word("hug", HUGS, max_input_chars_per_word=2, unknown="?") == ("?",)


def test_length_is_counted_in_characters_not_in_bytes() -> None:
    assert encode_word("日本", {"日", "##本"}, max_input_chars_per_word=2) == ("日", "##本")


def test_the_steps_say_what_was_tried_and_found() -> None:
    assert list(encode_word.steps("bugs", HUGS)) == [
        NotInVocabulary(0, 4, "bugs"),
        NotInVocabulary(0, 3, "bug"),
        NotInVocabulary(0, 2, "bu"),
        LongestMatch(0, 1, "b"),
        NotInVocabulary(1, 4, "##ugs"),
        NotInVocabulary(1, 3, "##ug"),
        LongestMatch(1, 2, "##u"),
        LongestMatch(2, 4, "##gs"),
    ]
    assert list(encode_word.steps("bx", HUGS, unknown="?"))[-1] == UnknownWord(1, ("b",), "?")
    assert list(encode_word.steps("bx", HUGS, max_input_chars_per_word=1)) == [WordTooLong(2, 1, "[UNK]")]


def test_every_step_is_a_sentence() -> None:
    assert str(encode_word.record("b x", HUGS)) == (
        "1. b␣x is not in the vocabulary\n"
        "2. b␣ is not in the vocabulary\n"
        "3. b is in the vocabulary: a token starts at 0\n"
        "4. ##␣x is not in the vocabulary\n"
        "5. ##␣ is not in the vocabulary\n"
        "6. no token starts at 1, so the whole word is [UNK] instead of b"
    )
    assert str(UnknownWord(0, (), "[UNK]")) == "no token starts at 0, so the whole word is [UNK]"
    assert str(WordTooLong(101, 100, "[UNK]")) == "101 characters are more than 100, so the whole word is [UNK]"


def test_the_trie_goes_back_over_characters_that_several_pieces_share() -> None:
    trie = LongestMatchTrie({"a", "abcdef", "##b", "##bcdx", "##c", "##dex", "##d", "##e"})
    assert trie.tokens("abcd") == ("a", "##b", "##c", "##d")
    assert trie.tokens("abcdex") == ("a", "##b", "##c", "##dex")
    assert trie.tokens("abcdx") == ("a", "##bcdx")
    assert trie.tokens("abcdefe") == ("abcdef", "##e")
    assert trie.tokens("abcdexx") is None is trie.tokens("x")


def test_a_piece_of_nothing_is_never_taken() -> None:
    assert LongestMatchTrie({"", "##", "a"}).tokens("aa") is None
    assert LongestMatchTrie({"", "##", "a", "##a"}).tokens("aa") == ("a", "##a")
    assert LongestMatchTrie({"", "##"}).tokens("##") == ("##",)


@pytest.mark.slow
def test_an_encoder_can_be_copied_with_its_trie() -> None:
    long = {"a" * length for length in range(1, 3000)}
    for model in (pickle.loads(pickle.dumps(WordPieceEncoder(HUGS | long))), deepcopy(WordPieceEncoder(HUGS | long))):
        assert model.word("hugs") == ("hug", "##s")


def test_a_window_is_as_wide_as_the_longest_piece() -> None:
    assert WordPieceEncoder({"hugs", "h"}).word("hugs") == ("hugs",)
    assert WordPieceEncoder({"h", "##ugs"}).word("hugs") == ("h", "##ugs")


def test_a_vocabulary_may_be_a_dict_a_list_or_a_set() -> None:
    for vocabulary in (HUGS, sorted(HUGS), dict.fromkeys(HUGS), frozenset(HUGS)):
        assert encode_word("hugs", vocabulary) == ("hug", "##s") == WordPieceEncoder(vocabulary).word("hugs")


@pytest.mark.parametrize(
    ("arguments", "error", "way_out"),
    [
        ((b"hugs", HUGS), TypeError, "give a string"),
        (("hugs", "hug ##s"), TypeError, "give a set or dict of tokens"),
        (("hugs", 5), TypeError, "give a set or dict of tokens"),
        (("hugs", HUGS, "[UNK]", "##", -1), ValueError, "give 0 or more"),
        (("hugs", HUGS, "[UNK]", "##", 2.5), TypeError, "give a whole number"),
    ],
)
def test_an_argument_that_cannot_be_right_gets_a_sentence(arguments: Any, error: type[Exception], way_out: str) -> None:
    with pytest.raises(error, match=way_out):
        encode_word(*arguments)
    if isinstance(arguments[0], str):
        with pytest.raises(error, match=way_out):
            WordPieceEncoder(*arguments[1:])


def test_a_splitter_that_is_not_known_is_named() -> None:
    with pytest.raises(ValueError, match="split='berd' is not known; did you mean 'bert'"):
        WordPieceEncoder(HUGS, split="berd")


def test_a_text_is_cut_into_words_first() -> None:
    assert WordPieceEncoder(HUGS).encode(" hugs\thug\n bux ") == ["hug", "##s", "hug", "[UNK]"]
    assert WordPieceEncoder(HUGS, split="bert").encode("hug,hug") == ["hug", "[UNK]", "hug"]
    assert WordPieceEncoder(HUGS).encode("") == []


def test_the_cache_of_words_is_bounded_and_without_words_that_are_too_long() -> None:
    model = WordPieceEncoder({"a", "##a"}, max_input_chars_per_word=3)
    model._words.MAX_WORDS, model._words.MAX_WORD_LENGTH = 2, 3
    assert model.encode("a aa aaa aaaa a aaaaa") == ["a", "a", "##a", "a", "##a", "##a", "[UNK]", "a", "[UNK]"]
    assert len(model._words) <= 2
    assert "aaaa" not in model._words
