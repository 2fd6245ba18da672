"""Each wrong program about WordPiece is wrong: the smallest input that shows it."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from tokenlab.algorithms.bpe.train import Stopped
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.algorithms.wordpiece.pieces import join
from tokenlab.algorithms.wordpiece.train import train
from tokenlab.misconceptions import wordpiece
from tokenlab.misconceptions.catalog import rule_of

FIVE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
WANTED = {"un", "##want", "##ed"}


def test_the_misconceptions_are_numbered_from_seventeen_to_nineteen() -> None:
    assert [m.number for m in wordpiece.MISCONCEPTIONS] == [17, 18, 19]
    assert all(m.claim and m.rule and m.programs for m in wordpiece.MISCONCEPTIONS)


def test_every_wrong_program_is_shown_wrong_here_and_has_its_rule() -> None:
    shown = {name.removeprefix("test_").removesuffix("_is_wrong") for name in globals() if name.endswith("_is_wrong")}
    programs = [program for m in wordpiece.MISCONCEPTIONS for program in m.programs]
    assert {program.__name__ for program in programs} == shown
    assert all(rule_of(program) for program in programs)


def test_piecewise_unk_is_wrong() -> None:
    assert wordpiece.piecewise_unk("unxwanted", WANTED) == ("un", "[UNK]", "##want", "##ed")
    assert encode_word("unxwanted", WANTED) == ("[UNK]",)
    assert wordpiece.piecewise_unk("unwanted", WANTED) == encode_word("unwanted", WANTED)


def test_rest_unk_is_wrong() -> None:
    assert wordpiece.rest_unk("unxwanted", WANTED) == ("un", "[UNK]")
    assert wordpiece.rest_unk("xwanted", WANTED) == ("[UNK]",)
    assert wordpiece.rest_unk("unwanted", WANTED) == encode_word("unwanted", WANTED)


def test_frequency_score_is_wrong() -> None:
    assert wordpiece.frequency_score.record(FIVE, 8)[0].pair == ("##u", "##g")
    assert train.record(FIVE, 8)[0].pair == ("##g", "##s")
    assert isinstance(wordpiece.frequency_score.record({"ab": 1}, 9)[-1], Stopped)
    assert "highest" not in str(wordpiece.frequency_score.record(FIVE, 8))  # its steps claim nothing about scores


def test_double_hash_is_wrong() -> None:
    assert wordpiece.double_hash(("h", "##u")) == "h##u" != join(("h", "##u")) == "hu"
    assert wordpiece.double_hash(("##g", "##s")) == "##g##s" != join(("##g", "##s")) == "##gs"


def test_no_hash_is_wrong() -> None:
    assert wordpiece.no_hash("hugs", {"hug", "s"}) == ("hug", "s")
    assert encode_word("hugs", {"hug", "s"}) == ("[UNK]",)
    assert encode_word("hugs", {"hug", "##s"}) == ("hug", "##s")


def test_a_guess_is_made_only_where_one_pair_is_the_most_frequent() -> None:
    assert wordpiece.guess_most_frequent(Counter({("a", "##b"): 2, ("c", "##d"): 1})) == ("a", "##b")
    assert wordpiece.guess_most_frequent(Counter({("a", "##b"): 2, ("c", "##d"): 2})) is None
    assert wordpiece.guess_most_frequent(Counter()) is None


def test_the_encoder_of_a_note_comes_to_no_end() -> None:
    assert list(islice(wordpiece.windows_of_common_code("hugs", {"hug", "##s"}), 50)) == ["hugs"] * 50
    assert list(islice(wordpiece.windows_of_common_code("hug", {"hug"}), 50)) == ["hug"] + [""] * 49
    assert list(wordpiece.windows_of_common_code("", {"hug"})) == []
