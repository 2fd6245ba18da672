"""`tokenlab.libraries.sentencepiece`: models that are damaged, steps beside results, files, sentences of errors."""

from __future__ import annotations

import io
import math
import random
import subprocess
import sys
from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.parity.sentencepieces import KINDS, LINES, hostile, messages, of, pair, train, trained
from tests.strategies import SNIPPETS
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.token_ends import token_ends
from tokenlab.algorithms.text.alignment import apply_replacements
from tokenlab.libraries import sentencepiece as ours
from tokenlab.libraries.sentencepiece import (
    SentencePieceNormalizer,
    SentencePieceProcessor,
    SentencePieceTrainer,
    ThreadPool,
    set_random_generator_seed,
)
from tokenlab.libraries.sentencepiece import trainer_interface as corpus
from tokenlab.libraries.sentencepiece.builder import _fields, compile_charsmap
from tokenlab.libraries.sentencepiece.encode_steps import TextNormalized
from tokenlab.libraries.sentencepiece.loaded_model import align_surfaces, apply_byte_fallback
from tokenlab.libraries.sentencepiece.model_interface import Segmentation, split_words
from tokenlab.libraries.sentencepiece.normalizer import CharsMap, Normalized
from tokenlab.libraries.sentencepiece.trainer_interface import NAMES, script
from tokenlab.libraries.sentencepiece.unigram_model import Float32
from tokenlab.steps.recording import Recording

# --- models that cannot be ------------------------------------------------------------------------


def changed(change: Callable[[Any], Any], model_type: str = "unigram", other: str = "plain") -> bytes:
    """A model in which something was changed."""
    model = messages.ModelProto.FromString(trained(model_type, other))
    change(model)
    return bytes(model.SerializeToString())


def score(value: float, at: int = 20) -> Callable[[Any], None]:
    return lambda model: setattr(model.pieces[at], "score", value)


def piece(name: str, at: int = 20) -> Callable[[Any], None]:
    return lambda model: setattr(model.pieces[at], "piece", name)


def kind(value: int, at: int = 20) -> Callable[[Any], None]:
    return lambda model: setattr(model.pieces[at], "type", value)


DAMAGED: list[tuple[str, bytes]] = [
    ("no ModelProto", trained("bpe", "plain")[:-5]),
    ("no ModelProto", b"no model at all"),
    ("no unknown piece", b""),
    ("no unknown piece", changed(kind(1, at=0))),
    ("2 unknown pieces", changed(kind(2))),
    ("twice", changed(piece("a"))),
    ("twice", changed(piece("<s>"), "bpe")),
    ("is empty", changed(piece(""))),
    ("null character", changed(piece("a\0b"))),
    ("longer than 7999 bytes", changed(piece("x" * 8000))),
    ("the score nan", changed(score(math.nan))),
    ("the score nan", changed(score(math.nan), "bpe")),
    ("the score inf", changed(score(math.inf))),
    ("the score 0.5; a log probability is not above 0", changed(score(0.5))),
    ("in a model without byte_fallback", changed(kind(6), "bpe")),
    (
        "<0x07> is missing",
        changed(kind(1, at=[f"<0x{b:02X}>" for b in range(256)].index("<0x07>") + 3), "bpe", "bytes"),
    ),
    ("no pieces for segmenting", changed(lambda model: [kind(3, at)(model) for at in range(1, len(model.pieces))])),
    ("is damaged", changed(lambda model: setattr(model.normalizer_spec, "precompiled_charsmap", b"x" * 99))),
]


@pytest.mark.parametrize(("why", "model"), DAMAGED, ids=[f"{n} {why}" for n, (why, _) in enumerate(DAMAGED)])
def test_a_damaged_model_is_refused_with_a_reason(why: str, model: bytes) -> None:
    with pytest.raises(RuntimeError, match=why):
        SentencePieceProcessor().LoadFromSerializedProto(model)


def test_a_positive_score_is_no_harm_where_it_is_no_log_probability() -> None:
    assert SentencePieceProcessor(model_proto=changed(score(0.5), "bpe")).encode("a")
    symbols = changed(lambda model: None, "unigram", "symbols")
    assert SentencePieceProcessor(model_proto=symbols).encode("<sep>", out_type=str)[-1] == "<sep>"


def test_an_unknown_type_of_model_is_refused() -> None:
    serialized = changed(lambda model: model.trainer_spec.ClearField("model_type"))
    trainer = messages.TrainerSpec(model_type=1).SerializeToString()
    strange = serialized + b"\x12\x02" + trainer.replace(b"\x01", b"\x09")
    # A type that the definition does not know is read as the default one.
    assert SentencePieceProcessor(model_proto=strange).encode("a")


@pytest.mark.parametrize("cut", [3, 4, 500, 1027, 1028, 50_000])
def test_a_table_that_is_cut_off_is_refused(cut: int) -> None:
    table = compile_charsmap({"ﬁ": "fi", "①": "1"})
    with pytest.raises(RuntimeError, match="is damaged"):
        CharsMap(table[:cut] if cut < len(table) - 1 else table[:-1])


TABLE = compile_charsmap({"ﬁ": "fi", "①": "1", "a\u0301": "á"})


@examples(60)
@given(st.integers(4, len(TABLE) - 1), st.integers(0, 255))
@example(8, 255)  # refused when it is loaded
@example(len(TABLE) - 2, 255)  # a replacement that is not UTF-8 is refused when it is looked up
def test_a_table_with_a_wrong_byte_is_refused_or_ends(place: int, value: int) -> None:
    table = bytearray(TABLE)
    table[place] = value
    try:
        map = CharsMap(bytes(table))
        for text in ("ﬁ", "①", "a\u0301\0x", "\x01\x02"):
            map.longest_prefix(text, 0)
    except RuntimeError as error:
        assert "is damaged" in str(error)


def test_a_replacement_that_is_not_utf_8_is_refused_where_it_is_looked_up() -> None:
    map = CharsMap(TABLE[:-2] + b"\xff\0")
    assert map.longest_prefix("ﬁ", 0).replacement == "fi"
    with pytest.raises(RuntimeError, match=r"is damaged: .* is not UTF-8"):
        map.longest_prefix("a\u0301", 0)


def two_letters(states: int, last: int) -> bytes:
    """Return a table in which "a" and "b" lead from each state to the next, and from the last to the given one."""
    units = array("I", [0x80000000] * (256 * (states + 1)))
    units[0] = 256 << 10
    for state in range(1, states + 1):
        following = state + 1 if state < states else last
        for byte in b"ab":
            place = 256 * state ^ byte
            units[place] = byte | (place ^ 256 * following) << 10
    return (4 * len(units)).to_bytes(4, "little") + units.tobytes() + b"x\0"


@pytest.mark.parametrize(("states", "last", "why"), [(1, 1, "never ends"), (9, 3, "never ends")])
def test_a_table_with_a_cycle_is_refused(states: int, last: int, why: str) -> None:
    with pytest.raises(RuntimeError, match=why):
        list(CharsMap(two_letters(states, last)).items())


def test_a_table_with_too_many_keys_is_refused() -> None:
    table = array("I", two_letters(40, 40)[4:-2])
    place = 256 * 40 ^ ord("a")
    table[place] = table[place ^ 3] = 0x80000000  # no transition from the last state
    for byte in b"ab":  # a key ends at the second last, at the value 0
        place = 256 * 39 ^ byte
        table[place] |= 0x100
    blob = (4 * len(table)).to_bytes(4, "little") + table.tobytes() + b"x\0"
    with pytest.raises(RuntimeError, match=f"{2**39} keys"):
        list(CharsMap(blob).items())


def test_after_a_model_that_is_refused_none_is_loaded() -> None:
    processor = SentencePieceProcessor(model_proto=trained("bpe", "plain"))
    with pytest.raises(RuntimeError):
        processor.load(model_proto=b"x")
    with pytest.raises(RuntimeError, match="no model is loaded"):
        processor.encode("a")


# --- steps and results ----------------------------------------------------------------------------


@pytest.mark.parametrize(("model_type", "other"), KINDS)
@examples(12)
@given(hostile)
def test_the_steps_lead_to_the_result(model_type: str, other: str, text: str) -> None:
    processor = pair(model_type, other).ours
    text = text[:80]
    recording = processor.encode.record(text)
    assert recording.result == processor.encode(text) == list(recording[-1].ids)
    ready = next(step for step in recording if isinstance(step, TextNormalized))
    changes = recording.steps[: recording.steps.index(ready)]
    assert apply_replacements(text, changes) == ready.text == processor.normalize(text)
    assert Recording.from_json(recording.to_json()) == recording


@pytest.mark.parametrize("shape", [int, str, "offset_mapping", "serialized_proto"])
def test_every_shape_has_steps(shape: Any) -> None:
    for model_type in ("unigram", "bpe"):
        processor = pair(model_type, "bytes").ours
        for text in ("Ünü ☃", b"ab\xff", ["a", "b c"], []):
            run = processor.encode.record(text, out_type=shape)
            assert run.result == processor.encode(text, out_type=shape)


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_a_draw_has_steps_and_can_be_repeated(model_type: str) -> None:
    processor = pair(model_type, "plain").ours
    set_random_generator_seed(3)
    watched = processor.encode.record("the other", enable_sampling=True, alpha=0.3).result
    set_random_generator_seed(3)
    assert processor.encode("the other", enable_sampling=True, alpha=0.3) == watched


def test_the_names_of_a_method_are_one_method() -> None:
    processor = pair("bpe", "plain").ours
    for name in ("Encode", "encode", "Tokenize", "tokenize"):
        assert getattr(processor, name)("the other") == processor.encode_as_ids("the other")
        assert len(getattr(processor, name).record("the other")) > 5


def test_unused_pieces_are_taken_apart_step_by_step() -> None:
    def unused(model: Any) -> None:
        for entry in model.pieces:
            if entry.piece in ("▁the", "he"):
                entry.type = 5

    processor = SentencePieceProcessor(model_proto=changed(unused, "bpe"))
    recording = processor.encode.record("the", out_type=str)
    said = [str(step) for step in recording if "unused" in str(step)]
    assert said[0] == "▁the is unused and is split into the parts it was merged from: ▁t he"
    assert recording.result == ["▁t", "h", "e"] == processor.encode("the", out_type=str)


@examples(100)
@given(st.text("abc", max_size=30), st.dictionaries(st.text("abc", min_size=2, max_size=4), st.integers(0, 5)))
def test_merges_with_nobody_watching_are_those_of_the_agenda(text: str, ranks: dict[str, int]) -> None:
    ends = token_ends(text, ranks)
    start, found = 0, []
    while start < len(text):
        found.append(text[start : ends[start]])
        start = ends[start]
    assert tuple(found) == encode_with_priority_queue(text, ranks)


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("out_type", [int, str])
def test_chunks_that_were_met_are_remembered_and_forgotten_again(
    monkeypatch: pytest.MonkeyPatch, model_type: str, out_type: type
) -> None:
    processor: Any = SentencePieceProcessor(model_proto=trained(model_type, "plain"))
    loaded = processor._ready()
    chunks = (loaded.word_encoder if out_type is int else loaded.segmenter).chunks
    monkeypatch.setattr(type(chunks), "MAX_WORDS", 3)
    texts = ["one two three four five", "two " * 5, "x" * 200]
    expected = [pair(model_type, "plain").live.encode(text, out_type=out_type) for text in texts]
    assert [processor.encode(text, out_type=out_type) for text in texts] == expected
    assert 0 < len(chunks) <= 3 and all(len(chunk) <= chunks.MAX_WORD_LENGTH for chunk in chunks)


def test_numbers_of_thirty_two_bits_are_added_like_them() -> None:
    assert Float32(16777216.0) + 1.0 == 16777216.0
    assert 1 + Float32(0.1) == Float32(1.1)
    assert isinstance(sum([Float32(0.5)] * 2), Float32)


# --- small things ---------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_words_joined_are_the_text(suffix: bool, together: bool) -> None:
    chance = random.Random(1)
    for _ in range(300):
        text = "".join(chance.choices("a▁", k=chance.randrange(9)))
        words = split_words(text, suffix, together)
        assert "".join(words) == text and all(words)


def test_kana_counts_as_han_and_every_script_is_known() -> None:
    assert [script(c) for c in "日のノー1aяא☃"] == ["Han"] * 4 + ["Common", "Latin", "Cyrillic", "Hebrew", "Common"]
    assert len(NAMES.split()) == 136


def test_importing_the_package_is_light() -> None:
    heavy = "numpy", "sentencepiece", "google.protobuf", "torch", "ipywidgets", "matplotlib"
    code = f"import sys, tokenlab.libraries.sentencepiece; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


def test_a_pool_has_as_many_threads_as_it_says() -> None:
    assert ThreadPool(3).num_threads() == 3 and ThreadPool(-1).num_threads() > 0 and ThreadPool(0).num_threads() == 1
    assert pair("bpe", "plain").ours.encode(["a"], thread_pool=ThreadPool(2))
    with pytest.raises(TypeError, match="seed=-1"):
        set_random_generator_seed(-1)


def test_a_file_of_rules_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    rules = tmp_path / "rules.tsv"
    rules.write_text("FB01\t66 69\nU+2460\t\nzz\t1\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"rules\.tsv, line 3: 'zz' should be code points"):
        SentencePieceNormalizer(rule_tsv=str(rules))
    rules.write_text("FB01\t66 69\nU+2460\t\n", encoding="utf-8")
    assert SentencePieceNormalizer(rule_tsv=str(rules)).normalize("ﬁ①x") == "▁fix"


# --- training -------------------------------------------------------------------------------------


def test_files_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = tmp_path / "m"
    (tmp_path / "m.model").write_bytes(b"old")
    options: dict[str, Any] = {"model_prefix": str(prefix), "vocab_size": 300, "model_type": "bpe"}
    replaced: list[str] = []

    def fail(source: str, target: str) -> None:
        replaced.append(target)
        raise OSError("the disk is full")

    with monkeypatch.context() as context:
        context.setattr("os.replace", fail)
        with pytest.raises(OSError, match="full"):
            SentencePieceTrainer.train(sentence_iterator=iter(LINES), hard_vocab_limit=False, **options)
    assert replaced and [file.name for file in tmp_path.iterdir()] == ["m.model"]
    assert (tmp_path / "m.model").read_bytes() == b"old"
    with pytest.raises(RuntimeError, match="too small"):
        SentencePieceTrainer.train(sentence_iterator=iter(LINES), **{**options, "vocab_size": 20})
    assert (tmp_path / "m.model").read_bytes() == b"old"
    SentencePieceTrainer.train(sentence_iterator=iter(LINES), hard_vocab_limit=False, **options)
    assert SentencePieceProcessor(model_file=str(prefix) + ".model").vocab_size() == 300
    assert len((tmp_path / "m.vocab").read_text(encoding="utf-8").split("\n")) == 301
    options["model_prefix"] = str(tmp_path / "none" / "m")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        SentencePieceTrainer.train(sentence_iterator=iter(LINES), hard_vocab_limit=False, **options)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            {"vocab_size": 3},
            "vocab_size=3 is too small: your corpus has 6 characters, and 3 pieces are given; .* at least 9",
        ),
        ({"vocab_size": 900}, "vocab_size=900 is too high: your corpus gives 20 pieces; ask for at most 20"),
        ({"vocabsize": 3}, "option='vocabsize' is not known; did you mean 'vocab_size'"),
        ({"seed_sentencepieces_file": "x"}, "seed_sentencepieces_file is not supported here"),
        ({"auto_character_coverage": True}, "auto_character_coverage is not supported here"),
        ({"bos_id": 0}, "bos_id=0 is also that of <unk>"),
        ({"user_defined_symbols": ["<unk>"]}, "<unk> is the unknown piece"),
        ({"character_coverage": 0.2}, "character_coverage=0.2 should lie between 0.98 and 1.0"),
        ({"byte_fallback": "perhaps"}, "byte_fallback='perhaps' should be true or false"),
        ({"user_defined_symbols": ["hu"], "vocab_size": 9}, None),
    ],
)
def test_options_that_cannot_be_say_what_can(options: dict[str, Any], why: str | None) -> None:
    whole = {"vocab_size": 12, "model_type": "bpe", **options}
    if why is None:
        model = SentencePieceProcessor(
            model_proto=train(sys.modules["tokenlab.libraries.sentencepiece"], ["hug hugs hut"], **whole)
        )
        assert model.encode("hug", out_type=str) == ["▁", "hu", "g"]
        return
    with pytest.raises((RuntimeError, ValueError), match=why):
        SentencePieceTrainer.train(sentence_iterator=iter(["hug hugs hub"]), model_writer=io.BytesIO(), **whole)


def test_characters_that_are_required_and_never_used_have_the_lowest_scores_each_its_own() -> None:
    ours = sys.modules["tokenlab.libraries.sentencepiece"]
    options = {"model_type": "unigram", "vocab_size": 400, "hard_vocab_limit": False, "required_chars": "☃★"}
    processor = SentencePieceProcessor(model_proto=train(ours, **options))
    scores = [processor.get_score(processor.piece_to_id(character)) for character in "☃★"]
    lowest = min(processor.get_score(list(range(3, processor.vocab_size()))))
    assert scores == pytest.approx([lowest, lowest + 0.0001], abs=1e-5) and scores[0] < scores[1]
    assert processor.encode("☃★", out_type=str)[-2:] == ["☃", "★"]


def test_a_sample_of_sentences_has_the_size_that_was_asked_for() -> None:
    lines = [f"w{number}" for number in range(1000)]
    options = {"model_type": "word", "vocab_size": 2000, "hard_vocab_limit": False, "character_coverage": 1.0}
    ours = sys.modules["tokenlab.libraries.sentencepiece"]
    for shuffled, same in ((True, False), (False, True)):
        model = train(ours, lines, input_sentence_size=200, shuffle_input_sentence=shuffled, **options)
        pieces = SentencePieceProcessor(model_proto=model).id_to_piece(list(range(3, 203)))
        assert len(set(pieces)) == 200
        assert (set(pieces) == {f"▁w{number}" for number in range(200)}) is same


# --- the view -------------------------------------------------------------------------------------


def questions_of(recording: Recording[Any, Any]) -> dict[int, Any]:
    frames = recording.play().tracks[0].frames
    assert len(frames) == len(recording) + 1
    assert all(len([panel for panel in frame.panels if not panel.more]) <= 3 for frame in frames)
    return {number: frame.question for number, frame in enumerate(frames) if frame.question}


@pytest.mark.parametrize("text", ["The ﬁsh  ☃☃ sat", " ① the  other", "the other the", "abab ☃", *SNIPPETS[:30]])
@pytest.mark.parametrize(
    ("model_type", "other"), [("bpe", "plain"), ("unigram", "plain"), ("bpe", "bytes"), ("char", "symbols")]
)
def test_questions_are_right_about_the_text(model_type: str, other: str, text: str) -> None:
    processor = pair(model_type, other).ours
    recording = processor.encode.record(text)
    asked = questions_of(recording)
    assert len(asked) <= 4 and 0 not in asked
    for question in asked.values():
        assert [option.right for option in question.options].count(True) == 1
        assert len({option.label for option in question.options}) == len(question.options) > 1
        for option in question.options:
            assert option.why and bool(option.misconception) != option.right
            for what, subject, number in option.facts:
                if what == "replaced":
                    again = [c for c in recording if hasattr(c, "old") and c.old.strip(" ") and c.new]
                    assert subject == text and number == len(again) and any(c.old in text for c in again)
                if what == "gone":
                    assert number == sum(1 for c in recording if hasattr(c, "old") and (c.old, c.new) == (" ", ""))
                    assert subject == text and text.count(" ") >= number
    if 1 in asked and asked[1].prompt.startswith("Which text"):
        [right] = [option.label for option in asked[1].options if option.right]
        assert right == f"<b>{processor.normalize(text)}</b>"


def test_an_unused_piece_is_asked_about_before_it_is_taken_apart() -> None:
    def unused(model: Any) -> None:
        next(entry for entry in model.pieces if entry.piece == "▁the").type = 5

    processor = SentencePieceProcessor(model_proto=changed(unused, "bpe"))
    recording = processor.encode.record("the")
    [question] = [q for q in questions_of(recording).values() if "unused" in q.prompt]
    labels = {option.misconception: option.label for option in question.options}
    assert labels == {0: "<b>▁t</b> <b>he</b>", 28: "<b>▁the</b>"}
    assert all(option.facts == (("parts", "▁the", 2),) for option in question.options)


def test_text_is_shown_as_text() -> None:
    for model_type in ("bpe", "unigram"):
        for text in ("<script>alert(1)</script>", "\ue000<b>", '" onclick="'):
            html = pair(model_type, "plain").ours.encode.record(text).play().html
            assert "<script>alert" not in html


def test_lists_and_bytes_are_shown_as_sentences() -> None:
    processor = pair("bpe", "plain").ours
    for given_ in (["a", "b"], b"a"):
        assert len(processor.encode.record(given_).play().tracks[0].frames) > 1


def test_an_explorer_follows_what_is_typed() -> None:
    from tokenlab.show.explorers.explore_sentencepiece import explore_sentencepiece

    explorer = explore_sentencepiece("the", pair("bpe", "plain").ours)
    before = explorer.data
    explorer.controls["text"].value = "other"
    assert explorer.data != before and "other" in explorer.data
    explorer.controls["text"].value = "x" * 300
    assert "300 characters" in explorer.message


# --- the work that a text takes -------------------------------------------------------------------


class Copied(str):
    """A text that counts the characters which slicing and adding copy."""

    characters = 0

    def __add__(self, other: str) -> Copied:
        Copied.characters += len(self) + len(other)
        return Copied(str(self) + str(other))

    def __radd__(self, other: str) -> Copied:
        Copied.characters += len(self) + len(other)
        return Copied(str(other) + str(self))

    def __getitem__(self, place: Any) -> Copied:
        part = str.__getitem__(self, place)
        Copied.characters += len(part)
        return Copied(part)


@pytest.mark.parametrize("fallback", [False, True])
def test_a_run_of_unknown_characters_is_copied_once(fallback: bool) -> None:
    loaded = SentencePieceProcessor(model_proto=trained("unigram", "bytes" if fallback else "plain"))._loaded
    assert loaded is not None

    def copied(length: int) -> int:
        text = Copied("🦜" * length)
        cut = Segmentation([text[at] for at in range(length)], [loaded.model.unknown] * length)
        Copied.characters = 0
        apply_byte_fallback(cut, loaded.model)
        align_surfaces(text, Normalized(text, list(range(length + 1))), cut, loaded.model)
        return Copied.characters

    assert copied(2000) <= 2 * copied(1000) <= 4000


# --- pieces that are not UTF-8 ----------------------------------------------------------------------


def with_bytes(model_type: str, *pieces: bytes) -> bytes:
    """A model whose pieces from 20 on are not UTF-8; they replace other bytes, as the protobuf classes want text."""
    names = [bytes([14 + number]) * len(piece) for number, piece in enumerate(pieces)]

    def rename(model: Any) -> None:
        for id, name in enumerate(names, start=20):
            model.pieces[id].piece = name.decode()

    model = changed(rename, model_type, "identity")
    for name, piece in zip(names, pieces, strict=True):
        field = b"\n" + bytes([len(name)])
        assert model.count(field + name) == 1
        model = model.replace(field + name, field + piece)
    return model


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "word", "char"])
def test_a_piece_that_is_not_utf8_has_an_id_but_no_text(model_type: str) -> None:
    processor = SentencePieceProcessor(model_proto=with_bytes(model_type, b"a\xff"))
    assert processor.piece_to_id(b"a\xff") == 20
    assert processor.decode([20], out_type=bytes) == b"a\xff"
    assert processor.encode("a text", out_type=str)
    for call in (processor.id_to_piece, processor.decode):
        with pytest.raises(UnicodeDecodeError):
            call([20])


def test_two_halves_of_a_character_are_decoded_to_it() -> None:
    processor = SentencePieceProcessor(model_proto=with_bytes("unigram", b"\xc3", b"\xa9"))
    assert processor.decode([20, 21]) == "é"
    assert processor.encode("é") != [20, 21]


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "word", "char"])
def test_a_model_with_pieces_that_are_not_utf8_does_what_the_library_does(model_type: str) -> None:
    both = of(with_bytes(model_type, b"a\xff", b"\xff", b"\xe4\xb8", b"\xc3"))
    for id in range(18, 26):
        both.same("id_to_piece", id)
        for shape in (str, bytes, "offset_mapping"):
            both.same("decode", [id], out_type=shape)
            both.same("decode", [5, id, 6], out_type=shape)
    for text in ("a", "é", "中", "the \ufffd", b"a\xff the", b"\xff", b"a\xe4\xb8"):
        for kind_of_result in (int, str, bytes, "offset_mapping"):
            both.same("encode", text, out_type=kind_of_result)
        both.same("piece_to_id", text)
    both.same("piece_to_id", [b"a\xff", b"\xff", b"\xe4\xb8", b"\xc3", b"\xfe"])
    both.same("serialized_model_proto")


# --- options with line breaks -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("a,b", ["a", "b"]),
        ("a\nb,\r", ["a\nb", "\r"]),
        ('"a\n,b","say ""so""",c', ["a\n,b", 'say "so"', "c"]),
        ('"a"b,c', ["a", "c"]),
        ('"open,\n', ["open,\n"]),
        ('a"b', ['a"b']),
        (",a", ["", "a"]),
        ("a,", ["a"]),
        ("", []),
    ],
)
def test_values_between_commas_may_have_line_breaks_and_quotes(line: str, values: list[str]) -> None:
    assert list(_fields(line)) == values


def test_symbols_with_line_breaks_are_learned_and_come_back() -> None:
    symbols = ["\n", "\r\n", "\t", ",", '"', "a\nb"]
    model = train(ours, ["a hug, a pug"] * 3, vocab_size=40, hard_vocab_limit=False, user_defined_symbols=symbols)
    processor = SentencePieceProcessor(model_proto=model)
    assert [processor.id_to_piece(processor.piece_to_id(symbol)) for symbol in symbols] == symbols
    assert processor.decode(processor.encode("a\nb,\r\n\n")) == "a\nb,\r\n\n"


def test_an_empty_symbol_is_refused() -> None:
    with pytest.raises(RuntimeError, match="empty value"):
        train(ours, ["a hug"], vocab_size=30, user_defined_symbols=["", "a"])


# --- settings of the whole program ------------------------------------------------------------------


@pytest.mark.parametrize("name", ["SetMinLogLevel", "set_min_log_level", "SetNBestTimeout", "set_nbest_timeout"])
def test_settings_without_effect_check_their_argument(name: str) -> None:
    for value in (0, 3, -1, True):
        assert getattr(ours, name)(value) is None
    for wrong in ("1", 1.5, None, 2**31):
        with pytest.raises(TypeError):
            getattr(ours, name)(wrong)


def test_each_sample_of_sentences_is_as_likely_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SimpleNamespace(input_sentence_size=2, shuffle_input_sentence=True)
    seen: Counter[frozenset[str]] = Counter()
    for seed in range(3000):
        monkeypatch.setattr(corpus, "Random", lambda _, seed=seed: random.Random(seed))
        sample = [sentence for sentence, _ in corpus._selected(iter([(one, 1) for one in "abcd"]), spec)]
        assert len(sample) == 2
        seen[frozenset(sample)] += 1
    assert len(seen) == 6
    assert all(400 < count < 600 for count in seen.values()), seen  # 500 are expected, with a deviation of 20


def test_a_model_truncated_after_its_pieces_is_warned_about() -> None:
    from tokenlab.libraries.sentencepiece.model_interface import read_model
    from tokenlab.libraries.sentencepiece.model_proto import parse_message

    proto = parse_message("ModelProto", trained("unigram", "plain"))
    for lost, said in (
        (("normalizer_spec",), "no normalizer_spec"),
        (("trainer_spec",), "no trainer_spec and no norm"),
    ):
        for name in lost:
            proto.ClearField(name)
        with pytest.warns(UserWarning, match=f"this model has {said}.*may be truncated"):
            read_model(proto.SerializeToString())
