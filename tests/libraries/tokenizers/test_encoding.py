"""`Encoding` against the live library, after random sequences of changes."""

from __future__ import annotations

import math
import pickle
import warnings

import pytest
import tokenizers as live
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.libraries.tokenizers.encoding_parity import answers, live_tokenizer, ours
from tokenlab.libraries.tokenizers.encoding import Encoding
from tokenlab.libraries.tokenizers.encoding_columns import Lazy

DIRECTIONS = st.sampled_from(["left", "right"])
TEXTS = st.lists(st.sampled_from(["a", "aa", "ab", "b", "hug", "é", "x", "baa"]), max_size=9).map(" ".join)
PADS = st.tuples(
    st.just("pad"),
    st.integers(0, 14),
    st.fixed_dictionaries({}, optional={"direction": DIRECTIONS, "pad_id": st.just(7), "pad_token": st.just("<p>")}),
)
TRUNCATIONS = st.integers(0, 6).flatmap(
    lambda length: st.tuples(
        st.just("truncate"), st.just(length), st.integers(0, max(length - 1, 0)), st.none() | DIRECTIONS
    )
)
CHANGES = st.one_of(
    PADS,
    TRUNCATIONS,
    st.tuples(st.just("set_sequence_id"), st.integers(0, 2)),
    st.tuples(st.just("merge"), st.integers(0, 5), st.integers(0, 5), st.booleans()),
)


def change(encodings, step, cls):
    """Apply one change to a list of encodings of the library, or of ours."""
    first, *rest = step
    encoding = encodings[0]
    if first == "pad":
        encoding.pad(rest[0], **rest[1])
    elif first == "truncate":
        encoding.truncate(*rest[:2], *filter(None, rest[2:]))
    elif first == "set_sequence_id":
        encoding.set_sequence_id(rest[0])
    else:
        pair = [encodings[place % len(encodings)] for place in rest[:2]]
        encodings.insert(0, cls.merge(pair, rest[2]))
        return
    encodings.append(encodings.pop(0))


def windows_after(encodings, step):
    """Return the number of overflowing windows that a merge makes: every window with every window."""
    return math.prod(1 + len(encodings[place % len(encodings)].overflowing) for place in step[1:3])


@examples(60)
@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(CHANGES, max_size=6))
def test_all_attributes_and_methods_are_the_librarys_after_any_changes(texts, changes):
    tokenizer = live_tokenizer()
    theirs = [tokenizer.encode(text) for text in texts]
    mine = [ours(encoding) for encoding in theirs]
    for step in changes:
        if step[0] == "merge" and windows_after(theirs, step) > 100:
            break
        change(theirs, step, live.Encoding)
        change(mine, step, Encoding)
    assert [answers(encoding) for encoding in mine] == [answers(encoding) for encoding in theirs]


@examples(60)
@given(TEXTS, TEXTS, TRUNCATIONS)
def test_a_truncated_pair_of_the_library_is_read_by_both(first, second, truncation):
    _, length, stride, direction = truncation
    tokenizer = live_tokenizer({"max_length": length, "stride": stride, "direction": direction or "right"})
    try:
        theirs = tokenizer.encode(first, second)
    except BaseException:  # a panic: one of the two has at most stride tokens left
        return
    mine = pickle.loads(pickle.dumps(ours(theirs)))
    assert answers(mine) == answers(theirs)
    back = live.Encoding()
    back.__setstate__(mine.__getstate__())
    assert answers(back) == answers(mine)


def test_only_what_is_read_is_computed():
    computed = []

    def details():
        computed.append("details")
        return ["a", "b", "c"], [(0, 1), (1, 2), (2, 3)], [0, 0, 1]

    encoding = Encoding.lazy([7, 8, 9], details)
    encoding.truncate(2, stride=1)
    encoding.pad(4)
    both = Encoding.merge([encoding, encoding])
    assert both.ids == [7, 8, 0, 0, 7, 8, 0, 0]
    assert both.attention_mask == [1, 1, 0, 0] * 2
    assert [window.ids for window in both.overflowing] == [
        [8, 9, 0, 0, 7, 8, 0, 0],
        [8, 9, 0, 0, 8, 9, 0, 0],
        [7, 8, 0, 0, 8, 9, 0, 0],
    ]
    assert computed == []
    assert both.tokens == ["a", "b", "[PAD]", "[PAD]"] * 2
    assert both.overflowing[0].offsets[:2] == [(1, 2), (2, 3)]
    assert encoding.word_ids == [0, 0, None, None]
    assert computed == ["details"]


def test_a_long_chain_of_unread_changes_is_no_problem():
    encoding = Encoding.lazy([7], lambda: (["a"], [(0, 1)], [0]))
    for length in range(2, 5_000):
        encoding.pad(length)
    assert encoding.tokens[:2] == ["a", "[PAD]"]
    assert Lazy(lambda: 1).read() == 1


def test_a_returned_list_is_a_copy():
    encoding = Encoding.special([7], ["a"], 0)
    for name in ("ids", "type_ids", "tokens", "offsets", "word_ids", "special_tokens_mask", "attention_mask"):
        before = getattr(encoding, name)
        getattr(encoding, name).append(None)
        assert getattr(encoding, name) == before
    encoding.pad(3)
    encoding.truncate(2)
    encoding.overflowing[0].pad(9)
    assert len(encoding.overflowing[0]) == 1


def test_a_merged_encoding_keeps_what_its_parts_were():
    parts = [Encoding.special([7, 8], ["a", "b"], 0), Encoding.special([9], ["c"], 0)]
    merged, single = Encoding.merge(parts), Encoding.merge(parts[:1])
    for part in parts:
        part.pad(5)
    single.truncate(1)
    assert merged.tokens == ["a", "b", "c"]
    assert parts[0].tokens == ["a", "b", "[PAD]", "[PAD]", "[PAD]"]


def test_special_tokens_come_from_no_character_and_no_word():
    text = Encoding.lazy([7, 8, 9], lambda: (["a", "b", "c"], [(2, 3), (4, 5), (5, 6)], [0, 1, 1]), type_id=5)
    text.truncate(2)
    both = text.surrounded([("<s>", 1), ("<t>", 2)], [("</s>", 3)], type_id=4, sequence_id=1)
    assert both.ids == [1, 2, 7, 8, 3] and both.tokens == ["<s>", "<t>", "a", "b", "</s>"]
    assert both.type_ids == [4, 4, 5, 5, 4]
    assert both.offsets == [(0, 0), (0, 0), (2, 3), (4, 5), (0, 0)]
    assert both.word_ids == [None, None, 0, 1, None]
    assert [both.token_to_sequence(token) for token in range(5)] == [None, None, 1, 1, None]
    assert both.special_tokens_mask == [1, 1, 0, 0, 1] and both.attention_mask == [1] * 5
    assert [window.tokens for window in both.overflowing] == [["<s>", "<t>", "c", "</s>"]]
    special = Encoding.special([1, 2], ["<s>", "<t>"], 3)
    assert special.offsets == [(0, 0), (0, 0)] and special.word_ids == [None, None]
    assert (special.type_ids, special.special_tokens_mask, special.attention_mask) == ([3, 3], [1, 1], [1, 1])
    assert Encoding.special([1, 2], ["<s>", "<t>"], 3).truncated(1).tokens == ["<s>"]


def test_a_sequence_of_a_pair_has_its_type_id():
    text = Encoding.lazy([7, 8, 9], lambda: (["a", "b", "c"], [(0, 1)] * 3, [0, 1, 2]), type_id=5)
    text.truncate(2)
    for made, type_id, sequences in (
        (text.as_sequence(1), 1, (1, 1)),
        (text.as_piece(1, 3), 3, (1, 0)),
        (text.with_type_id(2), 2, (0, 0)),
        (text.with_sequence_id(1), 5, (1, 0)),
    ):
        (window,) = made.overflowing
        assert made.type_ids == [type_id] * 2 and window.type_ids == [5]
        assert made.special_tokens_mask == [0, 0] and made.attention_mask == [1, 1]
        assert (made.token_to_sequence(0), window.token_to_sequence(0)) == sequences


BAD_CALLS = [
    lambda encoding: encoding.pad(7, "left"),
    lambda encoding: encoding.pad(),
    lambda encoding: encoding.pad(7, direction="up"),
    lambda encoding: encoding.pad(-1),
    lambda encoding: encoding.pad(2.5),
    lambda encoding: encoding.pad(7, pad_id=-1),
    lambda encoding: encoding.pad(7, pad_id=2**32),
    lambda encoding: encoding.pad(7, pad_type_id=-1),
    lambda encoding: encoding.pad(7, pad_type_id=2**32),
    lambda encoding: encoding.pad(7, pad_token=3),
    lambda encoding: encoding.pad(7, pad_token="\ud800"),
    lambda encoding: encoding.pad(2**64),
    lambda encoding: encoding.truncate(-1),
    lambda encoding: encoding.truncate(2, direction="up"),
    lambda encoding: encoding.truncate(2, direction=None),
    lambda encoding: encoding.truncate("2"),
    lambda encoding: encoding.truncate(9, -1),
    lambda encoding: encoding.truncate(9, 1.0),
    lambda encoding: encoding.set_sequence_id(-1),
    lambda encoding: encoding.char_to_token(-1),
    lambda encoding: encoding.char_to_token("a"),
    lambda encoding: encoding.char_to_token(0, -1),
    lambda encoding: encoding.char_to_word(0, 0.0),
    lambda encoding: encoding.word_to_tokens(-1),
    lambda encoding: encoding.word_to_tokens(2**33),
    lambda encoding: encoding.word_to_tokens(0, -1),
    lambda encoding: encoding.word_to_chars(0, "a"),
    lambda encoding: encoding.token_to_sequence(-1),
    lambda encoding: encoding.token_to_chars(0.5),
    lambda encoding: encoding.token_to_word("a"),
    lambda encoding: type(encoding).merge(encoding),
    lambda encoding: type(encoding).merge([1]),
    lambda encoding: type(encoding).merge([encoding, None]),
    lambda encoding: type(encoding).merge(""),
    lambda encoding: type(encoding).merge(iter([encoding])),
    lambda encoding: type(encoding).merge({encoding}),
    lambda encoding: type(encoding).merge({encoding, type(encoding)()}),
    lambda encoding: type(encoding).merge([encoding], growing_offsets=1),
    lambda encoding: type(encoding)(1),
    lambda encoding: setattr(encoding, "ids", [1]),
    lambda encoding: encoding[0],
    lambda encoding: list(encoding),
]


@pytest.mark.parametrize("call", BAD_CALLS)
def test_wrong_calls_raise_the_librarys_exceptions(call):
    theirs = live_tokenizer().encode("a b")
    with pytest.raises(Exception) as expected:
        call(theirs)
    with pytest.raises(expected.type):
        call(ours(theirs))


@pytest.mark.parametrize("stride", [2, 3])
def test_a_stride_that_is_not_less_than_the_length_is_an_error(stride):
    encoding = ours(live_tokenizer().encode("a b a b"))
    with pytest.raises(ValueError, match="max_length=2"):
        encoding.truncate(2, stride)
    encoding.truncate(100, 200)  # nothing to truncate
    assert len(encoding) == 4


def test_words_is_deprecated_and_other_attributes_may_be_set():
    encoding = ours(live_tokenizer().encode("a b"))
    with pytest.warns(DeprecationWarning, match="word_ids"):
        assert encoding.words == [0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert encoding.word_ids == [0, 1]
    encoding.source = "page 3"
    assert encoding.source == "page 3"
    assert not Encoding()
    assert encoding != ours(live_tokenizer().encode("a b"))


def test_an_unknown_option_of_pad_is_reported(capsys):
    encoding = ours(live_tokenizer().encode("a b"))
    encoding.pad(3, colour="red")
    assert "Ignored unknown kwarg option colour" in capsys.readouterr().out
    assert len(encoding) == 3


def test_the_state_has_the_librarys_bytes():
    theirs = live_tokenizer().encode("a é hug")
    assert "é".encode() in theirs.__getstate__()
    assert ours(theirs).__getstate__() == theirs.__getstate__()


def test_a_broken_state_is_refused():
    with pytest.raises(ValueError, match="type_ids"):
        Encoding().__setstate__(b'{"ids": []}')
    with pytest.raises(TypeError):
        Encoding().__setstate__("{}")


def test_defaults_are_the_first_sequence_growing_offsets_and_the_right_side():
    theirs = live_tokenizer().encode("a hug", "b")
    for encoding in (theirs, ours(theirs)):
        assert encoding.char_to_token(2) == encoding.char_to_token(2, 0) == 1
        assert encoding.char_to_word(2) == encoding.char_to_word(2, 0) == 1
        assert encoding.word_to_tokens(1) == encoding.word_to_tokens(1, 0) == (1, 2)
        assert encoding.word_to_chars(1) == encoding.word_to_chars(1, 0) == (2, 5)
        assert encoding.char_to_token(2, 1) is encoding.word_to_chars(1, 1) is None
        merged = type(encoding).merge([encoding, encoding])
        assert merged.offsets == [(0, 1), (2, 5), (0, 1), (1, 2), (3, 6), (1, 2)]
        encoding.truncate(2)
        assert [window.tokens for window in (encoding, *encoding.overflowing)] == [["a", "hug"], ["b"]]
        encoding.pad(3)
        assert (encoding.ids[2], encoding.type_ids[2], encoding.tokens[2]) == (0, 0, "[PAD]")


def test_padding_on_the_left_moves_the_sequences():
    theirs = live_tokenizer().encode("a b", "hug")
    mine = ours(theirs)
    for encoding in (theirs, mine):
        encoding.pad(6, direction="left")
    assert mine.sequence_ids == [None, None, None, 0, 0, 1]
    assert answers(mine) == answers(theirs)
