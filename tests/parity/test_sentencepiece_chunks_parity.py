"""Chunks of texts with random models: ids, pieces and offsets as in the library, which segments whole texts."""

from __future__ import annotations

import random

import pytest

from tests.parity.sentencepieces import Pair, messages, of
from tokenlab.libraries.sentencepiece.unigram_model import Float32

LETTERS = "abcxy12#(),.é日本"
TEXT = LETTERS + "▁  ?☃ﬁ"
BPE = 2


def random_model(model_type: int, seed: int, byte_fallback: bool) -> Pair:
    """Return both processors of a model with random pieces; some letters are no pieces, and many scores are equal."""
    chance = random.Random(seed)
    model = messages.ModelProto()
    model.trainer_spec.model_type = model_type
    model.trainer_spec.byte_fallback = byte_fallback
    model.normalizer_spec.remove_extra_whitespaces = chance.random() < 0.7
    model.pieces.add(piece="<unk>", score=0.0, type=2)
    for byte in range(256) if byte_fallback else ():
        model.pieces.add(piece=f"<0x{byte:02X}>", score=-20.0, type=6)
    single = [letter for letter in ["▁", *LETTERS] if chance.random() < 0.8]
    longer = ["".join(chance.choices(LETTERS[at : at + 4], k=chance.randint(2, 4))) for at in range(len(LETTERS))]
    longer += [f"▁{chance.choice(longer)}" for _ in range(8)] + ["##", "##" + "#" * chance.randrange(4)]
    for piece in dict.fromkeys([*single, *chance.sample(longer, chance.randrange(len(longer)))]):
        model.pieces.add(piece=piece, score=chance.choice([-2.0, -3.5, -chance.uniform(1, 9)]))
    return of(model.SerializeToString())


@pytest.mark.slow
@pytest.mark.parametrize("model_type", [1, BPE])
@pytest.mark.parametrize("byte_fallback", [False, True])
def test_random_models_segment_random_texts_alike(model_type: int, byte_fallback: bool) -> None:
    for seed in range(60):
        both, chance = random_model(model_type, seed, byte_fallback), random.Random(seed)
        for _ in range(12):
            text = "".join(chance.choices(TEXT, k=chance.randrange(24)))
            for returned in (int, str, "proto", "offset_mapping"):
                both.same("encode", text, out_type=returned)


def near_tie(seed: int) -> Pair:
    """Return both processors of a model in which `ab` and `a` `b` differ by less than large 32-bit sums can hold."""
    chance = random.Random(seed)
    a, b, space = (Float32(-chance.uniform(1, 9)) for _ in range(3))
    together = Float32(float(a) + float(b) + chance.choice([0, 1e-7, -1e-7, 3e-7, -3e-7]))
    model = messages.ModelProto()
    model.trainer_spec.model_type = 1
    model.normalizer_spec.name = "identity"
    model.pieces.add(piece="<unk>", score=0.0, type=2)
    for piece, score in {"▁": space, "a": a, "b": b, "ab": together, "▁x": 7 * space}.items():
        model.pieces.add(piece=piece, score=score)
    return of(model.SerializeToString())


@pytest.mark.slow
@pytest.mark.parametrize("times", [3, 40, 3000])
def test_ties_by_rounding_are_broken_by_the_whole_text_before_them(times: int) -> None:
    """The last number makes the scores so large that the library moves them nearer to 0."""
    found = set()
    for seed in range(20):
        pieces = near_tie(seed).same("encode", "x ab ab x " * times, out_type=str)
        found |= {*zip(pieces, pieces[1:], strict=False)}
    assert {("▁", "ab"), ("a", "b")} <= found


def overlapping_symbols(seed: int) -> Pair:
    """Return both processors of a model with user-defined symbols that overlap, of 2 to 9 bytes."""
    chance = random.Random(seed)
    model = messages.ModelProto()
    model.trainer_spec.model_type = 1
    model.normalizer_spec.name = "identity"
    model.pieces.add(piece="<unk>", score=0.0, type=2)
    for piece in ("▁", "a", "b", "日", "本", "é"):
        model.pieces.add(piece=piece, score=-3.0 - chance.uniform(0, 0.5))
    for symbol in ("ab", "b日", "日本", "é日本", "本b", "ba"):
        model.pieces.add(piece=symbol, score=0.0, type=4)
    return of(model.SerializeToString())


def test_a_bonus_of_a_symbol_counts_bytes_in_encoding_and_characters_in_the_lattice() -> None:
    ways = set()
    for seed in range(40):
        both, chance = overlapping_symbols(seed), random.Random(seed)
        ways.add(tuple(both.same("encode", "ab日", out_type=str)))
        for _ in range(12):
            text = "".join(chance.choices("ab日本é ", k=chance.randrange(2, 12)))
            both.same("encode", text, out_type=str)
            both.same("nbest_encode", text, nbest_size=4, out_type=str)
    assert ways == {("▁", "a", "b日"), ("▁", "ab", "日")}
