"""Each wrong program about SentencePiece is wrong on the input that its rule speaks of, and right where it seems so."""

from __future__ import annotations

from typing import Any

import pytest

from tokenlab.algorithms.bpe.resegment import resegment
from tokenlab.algorithms.text.id_mapping import fairseq_id, sentinel_id
from tokenlab.algorithms.text.normalization_rules import CharMap
from tokenlab.algorithms.text.normalize import SENTENCEPIECE, normalize
from tokenlab.misconceptions import sentencepiece as wrong
from tokenlab.misconceptions.catalog import MISCONCEPTIONS, rule_of

TABLE = {"…": "...", "ﬁ": "fi", "\u3000": " "}


def normalized(text: str, replacements: dict[str, str]) -> str:
    return normalize(text, [CharMap(replacements), *SENTENCEPIECE]).text


def spans(text: str, replacements: dict[str, str]) -> list[tuple[int, int]]:
    return list(CharMap(replacements).aligned(text).spans)


@pytest.mark.parametrize(
    ("program", "right", "shows", "hides"),
    [
        (wrong.no_nfkc, normalized, ("ﬁn", TABLE), ("fin", TABLE)),
        (wrong.keep_spaces, normalized, ("a  b", TABLE), ("a b", TABLE)),
        (wrong.keep_spaces, normalized, ("a\u3000", TABLE), ("a\u3000b", TABLE)),
        (wrong.no_resegment, resegment, (["ab"], {"ab": ("a", "b")}, {"ab"}), (["ab"], {"ab": ("a", "b")}, set())),
        (wrong.sentinel_ascending, sentinel_id, (0,), None),
        (wrong.no_offset, fairseq_id, (3,), (2,)),
        (wrong.normalized_offsets, spans, ("…", TABLE), ("abc", TABLE)),
    ],
)
def test_the_program_is_wrong_where_its_rule_says_and_not_everywhere(
    program: Any, right: Any, shows: tuple[Any, ...], hides: tuple[Any, ...] | None
) -> None:
    assert program(*shows) != right(*shows)
    assert hides is None or program(*hides) == right(*hides)


def test_the_programs_give_what_a_learner_would_expect() -> None:
    assert wrong.no_nfkc(" ﬁn  …", TABLE) == "▁ﬁn▁…"
    assert wrong.keep_spaces(" ﬁn  …", TABLE) == "▁▁fin▁▁..."
    assert normalized(" ﬁn  …", TABLE) == "▁fin▁..."
    assert wrong.normalized_offsets("a…", TABLE) == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert spans("a…", TABLE) == [(0, 1), (1, 2), (1, 2), (1, 2)]
    assert [wrong.sentinel_ascending(number) for number in (0, 99)] == [32_000, 32_099]
    assert wrong.no_offset(3) == 3


def test_each_has_its_number_and_its_rule() -> None:
    programs = {
        27: {wrong.no_nfkc, wrong.keep_spaces},
        28: {wrong.no_resegment},
        29: {wrong.sentinel_ascending},
        30: {wrong.no_offset},
        34: {wrong.normalized_offsets},
    }
    known_here = [known for known in MISCONCEPTIONS if any(one in vars(wrong).values() for one in known.programs)]
    found = {known.number: {*known.programs} for known in known_here if known.number in programs}
    assert found == programs
    assert "counted from the end" in rule_of(wrong.sentinel_ascending)
