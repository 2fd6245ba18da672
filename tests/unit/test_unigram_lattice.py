"""The trie, what no vocabulary may have, the lattice, and the small functions around it."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

from tokenlab.algorithms.text.trie import Trie
from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.forward_backward import forward_backward, log_sum_exp
from tokenlab.algorithms.unigram.lattice import (
    Edge,
    build_lattice,
    build_trie,
    count_segmentations,
    path_pieces,
    segmentations,
)
from tokenlab.algorithms.unigram.n_best import AgendaPopped, n_best
from tokenlab.algorithms.unigram.sample_segmentation import (
    PieceSampled,
    sample_from_best,
    sample_segmentation,
    sharpened,
)
from tokenlab.algorithms.unigram.viterbi import Backtracked, BestPathFound, viterbi
from tokenlab.algorithms.unigram.vocabulary import (
    check_vocabulary,
    log_probabilities,
    log_probability,
    probability,
    unknown_log_probability,
)
from tokenlab.steps.recording import Recording

# The corpus of the course: hug 10, pug 5, pun 12, bun 4, hugs 5, and every substring that two words have, or that is
# one character.
COURSE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COUNTS = {"h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20, "p": 17, "pu": 17, "n": 16, "un": 16, "b": 4, "bu": 4, "s": 5}
COUNTS |= {"hug": 15, "gs": 5, "ugs": 5}
HUG = log_probabilities(COUNTS)

FAMILY = "👩‍👩‍👧‍👦"

# --- trie -----------------------------------------------------------------------------------------


def test_a_trie_finds_all_keys_at_a_place_shortest_first() -> None:
    trie = Trie({"a": 0, "ab": 1, "abcd": 2, "b": 3})
    assert list(trie.prefixes_of("xabce", 1)) == [(2, 0), (3, 1)]
    assert list(trie.prefixes_of("xabcd", 1)) == [(2, 0), (3, 1), (5, 2)]
    assert list(trie.prefixes_of("xabcd", 0)) == []
    assert list(trie.prefixes_of("xabcd", 5)) == []
    assert list(trie.prefixes_of("")) == []


def test_a_key_that_is_put_in_again_has_the_new_value() -> None:
    trie = Trie([("ab", 1), ("ab", 2)])
    trie.add("abc", 3)
    assert list(trie.prefixes_of("abc")) == [(2, 2), (3, 3)]


def test_a_trie_has_any_characters_and_takes_values_that_are_false() -> None:
    trie = Trie({FAMILY: 0.0, "\ud83d": "", "\0": False, "e\u0301": 0})
    assert [end for end, _ in trie.prefixes_of(FAMILY)] == [len(FAMILY)]
    assert list(trie.prefixes_of("\ud83d\ude00")) == [(1, "")]
    assert list(trie.prefixes_of("a\0", 1)) == [(2, False)]
    assert list(trie.prefixes_of("é")) == []


@pytest.mark.parametrize(("key", "value"), [("", 1), ("a", None)])
def test_a_trie_refuses_what_it_could_not_find(key: str, value: Any) -> None:
    with pytest.raises(ValueError, match="a key has one character at least, and a value is not None"):
        Trie({key: value})


# --- vocabulary -----------------------------------------------------------------------------------


def test_log_probabilities_are_shares() -> None:
    made = log_probabilities({"a": 1, "b": 2, "c": 5})
    assert list(made) == ["a", "b", "c"]
    assert made == pytest.approx({"a": math.log(1 / 8), "b": math.log(1 / 4), "c": math.log(5 / 8)}, rel=1e-15)
    assert sum(map(math.exp, HUG.values())) == pytest.approx(1)


@pytest.mark.parametrize("count", [0, -1, math.inf, math.nan])
def test_a_count_without_a_logarithm_is_refused_by_name(count: float) -> None:
    with pytest.raises(ValueError, match=r"counts\['b'\]=.* has no logarithm"):
        log_probabilities({"a": 1, "b": count})
    with pytest.raises(ValueError, match="counts is empty"):
        log_probabilities({})


@pytest.mark.parametrize(
    ("vocabulary", "error", "message"),
    [
        (["a"], TypeError, "vocabulary is list; give a dict"),
        ({}, ValueError, "vocabulary has no pieces"),
        ({"": -1.0}, ValueError, "the empty piece"),
        ({"a": math.nan}, ValueError, "nan cannot be compared"),
        ({"a": math.inf}, ValueError, "is infinite"),
        ({"a": -math.inf}, ValueError, "is infinite"),
        ({"a": 0.1}, ValueError, "is above 0"),
        ({"a": "-1"}, TypeError, "is no number"),
        ({"a": True}, TypeError, "is no number"),
        ({"a": -1.0, b"b": -1.0}, TypeError, "a piece is a str"),
    ],
    ids=["list", "none", "empty", "nan", "inf", "minus-inf", "positive", "text", "bool", "bytes"],
)
def test_what_is_no_vocabulary_is_refused(vocabulary: Any, error: type[Exception], message: str) -> None:
    for use in (check_vocabulary, lambda v: viterbi("a", v), lambda v: build_lattice("a", v), UnigramEncoder):
        with pytest.raises(error, match=message):
            use(vocabulary)


def test_a_probability_of_one_may_be_rounded_up() -> None:
    check_vocabulary({"a": 1e-12, "b": 0})


def test_the_probability_of_a_segmentation_is_the_product() -> None:
    assert probability(["p", "ug"], HUG) == pytest.approx(17 / 210 * 20 / 210)
    assert log_probability([], HUG) == 0
    assert log_probability(["x", "u"], {"u": -1.0}, unknown=-9.0) == -10
    with pytest.raises(ValueError, match="'x' is not in the vocabulary"):
        log_probability(["x"], HUG)


def test_an_unknown_character_is_ten_below_the_least_probable_piece() -> None:
    assert unknown_log_probability({"a": -2.0, "b": -5.0, "c": -3.0}) == -15


# --- lattice --------------------------------------------------------------------------------------


def test_the_counts_of_the_course_add_up_to_210() -> None:
    found = {piece: sum(n * _occurrences(piece, word) for word, n in COURSE.items()) for piece in COUNTS}
    assert found == COUNTS
    assert sum(COUNTS.values()) == 210


def _occurrences(piece: str, word: str) -> int:
    return sum(word.startswith(piece, at) for at in range(len(word)))


def test_a_lattice_has_an_edge_for_each_piece_at_each_place() -> None:
    lattice = build_lattice("pug", HUG)
    assert [(edge.start, edge.end, edge.piece) for edge in lattice.edges] == [
        (0, 1, "p"),
        (0, 2, "pu"),
        (1, 2, "u"),
        (1, 3, "ug"),
        (2, 3, "g"),
    ]
    assert [edge.piece for edge in lattice.edges_to[3]] == ["ug", "g"]
    assert lattice.edges_to[0] == lattice.edges_from[3] == []
    assert all(edge.known and edge.log_prob == HUG[edge.piece] for edge in lattice.edges)


def test_an_edge_for_a_character_that_no_piece_covers_needs_unknown() -> None:
    with pytest.raises(ValueError, match="continues with 'x', character 2 of 'hxg'"):
        build_lattice("hxg", HUG)
    [edge] = [edge for edge in build_lattice("hxg", HUG, unknown=-20).edges if not edge.known]
    assert edge == Edge(1, 2, "x", -20, known=False)


def test_a_character_inside_a_longer_piece_has_an_unknown_edge_too() -> None:
    """As in sentencepiece, so that no position is a dead end."""
    edges = list(build_lattice("ab", {"ab": -1.0}, unknown=-9.0).edges)
    assert [(edge.piece, edge.known) for edge in edges] == [("a", False), ("ab", True), ("b", False)]
    assert viterbi("ab", {"ab": -1.0}, unknown=-9.0) == ("ab",)


def test_without_unknown_every_edge_lies_on_a_segmentation() -> None:
    vocabulary = {"ab": -1.0, "a": -1.0, "bc": -1.0, "c": -1.0, "bcd": -1.0}
    assert [edge.piece for edge in build_lattice("abc", vocabulary).edges] == ["a", "ab", "bc", "c"]
    assert [edge.piece for edge in build_lattice("ab", vocabulary).edges] == ["ab"]
    assert [edge.piece for edge in build_lattice("abcd", vocabulary).edges] == ["a", "bcd"]


def test_the_error_names_the_character_behind_the_furthest_segmentation() -> None:
    with pytest.raises(ValueError, match=r"continues with '\\ud83d', character 4 of"):
        build_lattice("pun\ud83dx", HUG)
    with pytest.raises(ValueError, match="continues with 'b', character 1"):
        build_lattice("bd", {"bcd": -1.0, "d": -1.0})
    with pytest.raises(TypeError, match="text is bytes, and the pieces of the vocabulary are str"):
        build_lattice(b"pug", HUG)  # type: ignore[arg-type]


def test_segmentations_are_counted_without_listing_them() -> None:
    vocabulary = {"a" * length: -1.0 for length in range(1, 200)}
    assert count_segmentations(build_lattice("a" * 100, vocabulary)) == 2**99
    assert len(list(segmentations(build_lattice("a" * 8, vocabulary)))) == 2**7
    assert list(segmentations(build_lattice("", HUG))) == [()]


def test_edges_grow_with_length_times_the_longest_piece() -> None:
    vocabulary = {"a" * length: -1.0 for length in range(1, 9)}
    assert sum(1 for _ in build_lattice("a" * 5000, vocabulary).edges) == 5000 * 8 - 28


def test_a_trie_is_taken_for_the_vocabulary_it_holds() -> None:
    trie = build_trie(HUG)
    assert build_trie(trie) is trie
    assert viterbi("hugs", trie) == viterbi("hugs", HUG) == ("h", "ugs")


def test_unknown_neighbours_are_joined_where_asked() -> None:
    edges = list(build_lattice("?!a?", {"a": -1.0}, unknown=-11.0).edges)
    assert path_pieces(edges) == ("?", "!", "a", "?")
    assert path_pieces(edges, fuse_unknown=True) == ("?!", "a", "?")
    for cut in (viterbi, sample_segmentation):
        assert cut("??a", {"a": -1.0}, unknown=-11.0, fuse_unknown=True) == ("??", "a")
    assert n_best("??a", {"a": -1.0}, 1, unknown=-11.0, fuse_unknown=True) == ((("??", "a"), -23.0),)


# --- Viterbi --------------------------------------------------------------------------------------


def test_the_most_probable_split_need_not_be_the_shortest() -> None:
    vocabulary = {"a": math.log(0.3), "b": math.log(0.3), "ab": math.log(0.01)}
    assert viterbi("ab", vocabulary) == ("a", "b")


def test_viterbi_says_what_it_reached_and_goes_back() -> None:
    steps = viterbi.record("pug", HUG).steps
    assert steps[2] == BestPathFound(3, "ug", log_probability(["p", "ug"], HUG), 2, 2)  # pu + g is as good
    assert steps[3:] == (Backtracked(1, 3, "ug"), Backtracked(0, 1, "p"))
    assert str(steps[2]) == "position 3: ug is the best of 2 pieces that end here (2 are equally good), score -4.87"


def test_ties_go_to_the_longest_last_piece_or_to_the_shortest() -> None:
    vocabulary = {"n": -1.0, "o": -2.0, "oo": -3.0}
    assert viterbi("nooo", vocabulary) == ("n", "o", "oo")
    assert viterbi("nooo", vocabulary, ties="shortest_last") == ("n", "oo", "o")
    with pytest.raises(ValueError, match="ties='first' is no rule for ties; there are: longest_last, shortest_last"):
        viterbi("nooo", vocabulary, ties="first")  # type: ignore[arg-type]


@pytest.mark.parametrize("cut", [viterbi, sample_segmentation], ids=["viterbi", "sample"])
def test_an_empty_text_has_one_segmentation_without_pieces(cut: Any) -> None:
    assert cut("", HUG) == ()
    assert n_best("", HUG, 3) == (((), 0.0),)
    marginals = forward_backward("", HUG)
    assert (marginals.log_likelihood, marginals.expected) == (0.0, {})


# --- forward and backward -------------------------------------------------------------------------


def test_expected_counts_are_fractions_of_all_paths() -> None:
    marginals = forward_backward("pug", HUG)
    paths = {cut: probability(cut, HUG) for cut in (("p", "ug"), ("pu", "g"), ("p", "u", "g"))}
    total = sum(paths.values())
    assert math.exp(marginals.log_likelihood) == pytest.approx(total)
    assert marginals.expected["p"] == pytest.approx((paths["p", "ug"] + paths["p", "u", "g"]) / total)
    assert marginals.expected["pu"] == pytest.approx(paths["pu", "g"] / total)
    assert marginals.forward[0] == marginals.backward[-1] == 0
    assert marginals.forward[-1] == pytest.approx(marginals.backward[0])


def test_a_sum_of_tiny_probabilities_does_not_vanish() -> None:
    assert math.exp(-1000) == 0
    assert log_sum_exp([-1000, -1000, -1001]) == pytest.approx(-1000 + math.log(2 + math.exp(-1)))
    assert log_sum_exp([]) == -math.inf
    assert forward_backward("a" * 3000, {"a": -5.0}).log_likelihood == -15000


def test_a_recording_of_all_of_it_can_be_saved_and_loaded() -> None:
    for recording in (forward_backward.record("pug", HUG), n_best.record("pug", HUG, 2), viterbi.record("pug", HUG)):
        assert Recording.from_json(recording.to_json()) == recording


# --- k best ---------------------------------------------------------------------------------------


def test_the_agenda_says_what_it_pops() -> None:
    recording = n_best.record("ab", {"a": -1.0, "b": -1.0, "ab": -2.5}, 2)
    popped = [step for step in recording if isinstance(step, AgendaPopped)]
    assert popped == [
        AgendaPopped(2, 1, "b", -1.0, -2.0, 1),
        AgendaPopped(3, 0, "a", -2.0, -2.0, 1),
        AgendaPopped(1, 0, "ab", -2.5, -2.5, 0),
    ]
    assert str(popped[0]) == (
        "path 2, which begins with b at 1, is extended: its log probability is -1.00, "
        "and -2.00 with its best completion; the agenda has 1 other path"
    )
    assert str(recording[-1]) == "segmentation number 2 is ab, with the log probability -2.50"


@pytest.mark.parametrize("k", [0, -1, 1.5, "2"])
def test_a_k_below_one_is_refused(k: Any) -> None:
    with pytest.raises(ValueError, match="is no number of segmentations"):
        n_best("hug", HUG, k)


# --- sampling -------------------------------------------------------------------------------------


def test_what_was_drawn_multiplies_to_the_probability_of_the_sample() -> None:
    lattice = build_lattice("hugs", HUG)
    paths = list(segmentations(lattice))
    shares = sharpened([log_probability(path_pieces(path), HUG) for path in paths], 0.3)
    expected = {path_pieces(path): share for path, share in zip(paths, shares, strict=True)}
    for seed in range(20):
        recording = sample_segmentation.record("hugs", HUG, 0.3, Random(seed))
        drawn = math.prod(step.probability for step in recording if isinstance(step, PieceSampled))
        assert drawn == pytest.approx(expected[recording.result], rel=1e-12)


@pytest.mark.parametrize("alpha", [math.inf, 1e308, 1e6])
def test_a_large_alpha_leaves_the_best(alpha: float) -> None:
    vocabulary = {"a": -1.0, "b": -1.0, "ab": -2.5}
    assert {sample_segmentation("ab", vocabulary, alpha, Random(seed)) for seed in range(50)} == {("a", "b")}
    lattice = build_lattice("ab", vocabulary)
    assert {path_pieces(sample_from_best(lattice, 2, alpha, Random(seed))) for seed in range(50)} == {("a", "b")}


@pytest.mark.parametrize("alpha", [-0.1, -math.inf, math.nan])
def test_an_alpha_below_zero_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="is no exponent for sampling"):
        sample_segmentation("hug", HUG, alpha)
    with pytest.raises(ValueError, match="is no exponent for sampling"):
        sample_from_best(build_lattice("hug", HUG), 2, alpha)


def test_the_same_seed_draws_the_same() -> None:
    assert [sample_segmentation("hugs", HUG, 1, Random(4)) for _ in range(3)] == [
        sample_segmentation("hugs", HUG, 1, Random(4))
    ] * 3
    assert len({sample_segmentation("hugs", HUG, 0, Random(seed)) for seed in range(60)}) == 7


# --- whole texts ----------------------------------------------------------------------------------


def test_a_text_is_cut_at_its_blanks_and_each_word_has_a_mark() -> None:
    encoder = UnigramEncoder({"▁a": -1.0, "▁": -2.0, "b": -1.0})
    assert encoder.encode("a ab") == ["▁a", "▁a", "b"]
    assert encoder.encode("") == []
    assert encoder.encode("a  a") == ["▁a", "▁", "▁a"]
    assert encoder.encode(" a") == encoder.encode("▁a") == ["▁a"]
    assert encoder.encode(" ") == ["▁"]
    assert encoder.encode("a▁a") == ["▁a", "▁a"]
    assert encoder.encode("a\r\n\tb") == ["▁a", "\r\n\t", "b"]


def test_unknown_characters_stay_apart_where_asked() -> None:
    assert UnigramEncoder({"a": -1.0}, fuse_unknown=False).encode_word("a??") == ("a", "?", "?")
    assert UnigramEncoder({"a": -1.0}).encode_word("??a?") == ("??", "a", "?")


def test_the_cache_is_bounded_and_has_no_long_words() -> None:
    encoder = UnigramEncoder({"▁": -1.0, "a": -1.0})
    encoder._cache.MAX_WORDS = 3  # type: ignore[misc]
    encoder.encode("a aa aaa aaaa " + "a" * 200)
    assert sorted(encoder._cache) == ["aaaa"]


@pytest.mark.slow
def test_a_hundred_thousand_letters_without_a_blank() -> None:
    letters = "".join(Random(1).choices("abcd", k=100_000))
    vocabulary = {letters[at : at + size]: -1.0 - size for size in (1, 3, 8, 16) for at in range(0, 4000, 3)}
    assert "".join(UnigramEncoder(vocabulary).encode_word(letters)) == letters
    short = letters[:4_000]
    assert "".join(viterbi(short, vocabulary)) == "".join(sample_segmentation(short, vocabulary)) == short
    assert "".join(n_best(short, vocabulary, 2)[1][0]) == short
