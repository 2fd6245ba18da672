"""`Tokenizer`: components, arguments, lazy encodings and training, compared with the library."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy
import pytest
import tokenizers as live

from tests import event_loops
from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.tokenizers.components.component import is_unchanged, snapshot

BOTH = pytest.mark.parametrize("library", [live, ours], ids=["library", "tokenlab"])


def words(library: Any) -> Any:
    tokenizer = library.Tokenizer(library.models.WordLevel({"<unk>": 0, "a": 1, "b": 2, "é": 3}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = library.pre_tokenizers.Whitespace()
    return tokenizer


def outcome(run: Any) -> Any:
    """Return the encodings' columns, another result, or the type of the exception."""
    try:
        result = run()
    except Exception as error:
        return (
            TypeError if isinstance(error, TypeError) else type(error) if isinstance(error, OverflowError) else "error"
        )
    if isinstance(result, list) and result and hasattr(result[0], "ids"):
        return [(one.ids, one.tokens, one.offsets, one.word_ids, one.type_ids) for one in result]
    return result


# --- arguments ------------------------------------------------------------------------------------

INPUTS = [
    *("a", ["a"], ("a", "b"), [["a", "b"]], [("a", "b")], ["a", ["b", "a"]], [["a", "b", "c"]], [[["a"], ["b"]]]),
    *([(["a"], ("b",))], [3], [None], iter, [], [[]], [["a", 3]], [["a", "\ud800"]], ["\ud800"], None),
    *({"a": 1}, [("a", ["b"])], [["a", ["b"]]], b"ab", [b"a"]),
]


@pytest.mark.parametrize("is_pretokenized", [False, True])
@pytest.mark.parametrize("given", INPUTS, ids=repr)
def test_batches_are_accepted_and_refused_as_in_the_library(given: Any, is_pretokenized: bool) -> None:
    theirs, mine = words(live), words(ours)
    given, again = (iter(["a"]), iter(["a"])) if given is iter else (given, given)
    expected = outcome(lambda: theirs.encode_batch(given, is_pretokenized))
    assert outcome(lambda: mine.encode_batch(again, is_pretokenized)) == expected


@BOTH
def test_arguments_of_a_wrong_type_are_refused(library: Any) -> None:
    made = words(library)
    calls = [
        *(
            lambda: made.encode(3),
            lambda: made.encode(["a"]),
            lambda: made.encode("a", 3),
            lambda: made.encode("\ud800"),
        ),
        *(lambda: made.encode("a", is_pretokenized=True), lambda: made.encode(["a", 3], is_pretokenized=True)),
        *(lambda: made.encode("a", is_pretokenized=1), lambda: made.encode("a", add_special_tokens=None)),
        *(lambda: made.decode(1), lambda: made.decode("a"), lambda: made.decode(["a"]), lambda: made.decode([1.0])),
        *(lambda: made.decode({1}), lambda: made.decode([1], skip_special_tokens=1), lambda: made.decode_batch([1])),
        *(lambda: made.token_to_id(3), lambda: made.id_to_token("a"), lambda: made.num_special_tokens_to_add(1)),
        *(lambda: made.get_vocab(1), lambda: made.get_vocab_size("a"), lambda: made.enable_truncation("a")),
        *(
            lambda: made.enable_truncation(3, 1),
            lambda: made.enable_padding(5),
            lambda: made.enable_padding(pad_token=3),
        ),
        *(lambda: made.post_process(3), lambda: made.train("abc"), lambda: made.train([3]), lambda: made.save(3)),
        *(lambda: made.train_from_iterator(3), lambda: made.train_from_iterator(["a"], trainer=3)),
        *(lambda: made.train_from_iterator([["a", 3]]), lambda: made.to_str(1), lambda: library.Tokenizer(None)),
        *(lambda: library.Tokenizer(), lambda: library.Tokenizer.from_str(b""), lambda: library.Tokenizer.from_file(3)),
        *(lambda: library.Tokenizer.from_buffer("x"), lambda: made.add_tokens(("a",))),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(TypeError):
            pytest.fail(f"call {number} returned {call()!r}")
    for call in (lambda: made.decode([-1]), lambda: made.decode([2**32]), lambda: made.id_to_token(-1)):
        with pytest.raises(OverflowError):
            call()
    for name in ("model", "normalizer", "pre_tokenizer", "post_processor", "decoder", "encode_special_tokens"):
        with pytest.raises(TypeError):
            setattr(made, name, 3)
    for name in ("truncation", "padding"):
        with pytest.raises(AttributeError):
            setattr(made, name, None)
    for options in ({"strategy": "x"}, {"direction": "x"}, {"stride": 4}):
        with pytest.raises(ValueError, match=r"stride|direction|strategy"):
            made.enable_truncation(3, **options)


def test_an_array_of_numpy_has_its_strings() -> None:
    for kind in (None, object):
        array = numpy.array(["a", "b"], dtype=kind)
        assert words(ours).encode(array, is_pretokenized=True).tokens == ["a", "b"]
    assert [one.tokens for one in words(ours).encode_batch(numpy.array(["a", "b"]))] == [["a"], ["b"]]


# --- components -----------------------------------------------------------------------------------


@BOTH
def test_a_change_of_a_component_changes_later_encodings(library: Any) -> None:
    made = words(library)
    assert made.encode("A a").ids == [0, 1]
    made.normalizer = library.normalizers.Sequence([library.normalizers.Lowercase()])
    assert made.encode("A a").ids == [1, 1]
    made.normalizer[0] = library.normalizers.Replace("A", "b")
    assert made.encode("A a").ids == [2, 1]
    split = library.pre_tokenizers.Split("a", "isolated")
    made.pre_tokenizer = split
    assert made.encode("aa").ids == [1, 1]
    split.behavior = "contiguous"
    assert made.encode("aa").ids == [0]
    made.model.unk_token = "b"
    assert made.encode("aa").ids == [2]
    made.model = library.models.WordLevel({"aa": 7}, unk_token="aa")
    assert made.encode("aa").ids == [7]


@pytest.mark.parametrize("normalizer", [None, "Lowercase", "Strip"])
def test_an_encoding_keeps_the_tokenizer_it_was_made_with(normalizer: str | None) -> None:
    made = words(ours)
    if normalizer:
        made.normalizer = getattr(ours.normalizers, normalizer)()
    split = ours.pre_tokenizers.Split(" ", "removed")
    made.pre_tokenizer = split
    made.add_tokens(["[X]"])
    expected = ["a", "<unk>", "[X]" if normalizer != "Lowercase" else "[x]", "b"]
    encodings = [made.encode("a q[X] b") for _ in range(4)]
    split.behavior = "isolated"
    assert encodings[0].tokens == expected
    made.model.unk_token = "b"
    assert encodings[1].tokens == expected
    made.add_tokens(["q", "a"])
    made.normalizer = ours.normalizers.Replace("a", "zz")
    assert encodings[2].tokens == expected
    made.train_from_iterator(["x y"], ours.trainers.WordLevelTrainer(special_tokens=["<unk>"], show_progress=False))
    assert encodings[3].offsets == [(0, 1), (2, 3), (3, 6), (7, 8)]
    assert encodings[3].tokens == expected


def test_a_new_component_elsewhere_does_not_compile_the_pipeline_again() -> None:
    made = words(ours)
    first = made._pipeline()
    ours.normalizers.Strip(left=False)
    assert made._pipeline() is first
    made.model.unk_token = "a"
    assert made._pipeline() is not first


def test_a_snapshot_is_unchanged_until_the_component_changes() -> None:
    model = ours.models.WordLevel({"a": 0, "b": 1}, unk_token="a")
    frozen = snapshot(model)
    assert is_unchanged(model, frozen)
    model.ids("b")
    assert is_unchanged(model, frozen)
    model.unk_token = "b"
    assert not is_unchanged(model, frozen)
    assert frozen.ids("?") == [0]


@BOTH
def test_a_component_of_the_user_runs_once_for_each_text(library: Any) -> None:
    calls = []

    class Custom:
        def normalize(self, text: Any) -> None:
            calls.append("normalize")
            text.lowercase()

        def pre_tokenize(self, text: Any) -> None:
            calls.append("pre_tokenize")
            text.split(lambda number, part: part.split(" ", "removed"))

    made = words(library)
    made.normalizer = library.normalizers.Normalizer.custom(Custom())
    made.pre_tokenizer = library.pre_tokenizers.PreTokenizer.custom(Custom())
    encoding = made.encode("A b")
    assert (encoding.ids, encoding.tokens, encoding.offsets) == ([1, 2], ["a", "b"], [(0, 1), (2, 3)])
    assert calls == ["normalize", "pre_tokenize"]
    with pytest.raises(Exception, match=r"[Cc]ustom"):
        made.to_str()


@BOTH
def test_an_exception_of_a_normalizer_ends_the_normalization_without_an_error(library: Any) -> None:
    class Custom:
        def normalize(self, text: Any) -> None:
            text.lowercase()
            raise RuntimeError("stop")

    made = words(library)
    made.normalizer = library.normalizers.Normalizer.custom(Custom())
    assert made.encode("A").ids == [1]


def test_random_models_have_tokens_that_fit_their_ids() -> None:
    vocab = {"a": 0, "b": 1, "ab": 2, "abab": 3}
    made = ours.Tokenizer(ours.models.BPE(vocab, [("a", "b"), ("ab", "ab")], dropout=0.5))
    for _ in range(50):
        encoding = made.encode("abababab")
        assert [vocab[token] for token in encoding.tokens] == encoding.ids


# --- the rest -------------------------------------------------------------------------------------


@BOTH
def test_asyncio_methods(library: Any) -> None:
    made = words(library)

    async def run() -> list[Any]:
        encoding = await made.async_encode("é a", "b")
        batch = await made.async_encode_batch(["é a", ("a", "b")])
        fast = await made.async_encode_batch_fast(["é a"])
        with pytest.raises(TypeError):
            made.async_encode(3)
        texts = await made.async_decode_batch([[1, 2]])
        return [encoding.tokens, encoding.offsets, [one.offsets for one in batch], fast[0].ids, fast[0].tokens, texts]

    offsets = [(0, 2), (3, 4), (0, 1)]  # in bytes
    batch = [[(0, 1), (2, 3)], [(0, 1), (0, 1)]]
    assert event_loops.run(run()) == [["é", "a", "b"], offsets, batch, [3, 1], ["", ""], ["a b"]]
    with pytest.raises(RuntimeError, match="no running event loop"):
        event_loops.in_new_thread(made.async_encode, "a")


@BOTH
def test_truncation_and_padding_are_shown_as_options(library: Any) -> None:
    made = words(library)
    assert (made.truncation, made.padding) == (None, None)
    made.enable_truncation(4, strategy="only_first", direction="left")
    made.enable_padding(length=5, pad_id=3, pad_token="P", pad_type_id=1, direction="left", pad_to_multiple_of=4)
    assert list(made.truncation.items()) == [
        *(("max_length", 4), ("stride", 0), ("strategy", "only_first"), ("direction", "left"))
    ]
    assert list(made.padding.items()) == [
        *(("length", 5), ("pad_to_multiple_of", 4), ("pad_id", 3), ("pad_token", "P"), ("pad_type_id", 1)),
        ("direction", "left"),
    ]
    assert made.encode("a b a b a").tokens == ["P"] * 4 + ["b", "a", "b", "a"]
    made.no_truncation()
    made.no_padding()
    assert made.encode("a b a b a").tokens == ["a", "b", "a", "b", "a"]


def test_a_truncation_shorter_than_the_special_tokens_is_refused() -> None:
    made = words(ours)
    made.post_processor = ours.processors.BertProcessing(("b", 2), ("a", 1))
    made.enable_truncation(1)
    with pytest.raises(ValueError, match="2 special tokens"):
        made.encode("a b")
    assert made.encode("a b", add_special_tokens=False).ids == [1]


@BOTH
def test_post_process_does_not_change_its_arguments(library: Any) -> None:
    made = words(library)
    made.enable_truncation(2)
    made.enable_padding(length=4)
    plain = words(library).encode("a b a")
    pair = words(library).encode("b")
    assert made.post_process(plain, pair).tokens == ["a", "b", "[PAD]", "[PAD]"]
    assert (plain.tokens, pair.type_ids) == (["a", "b", "a"], [0])


@BOTH
def test_training(library: Any, tmp_path: Path) -> None:
    made = words(library)
    trainer = library.trainers.WordLevelTrainer(special_tokens=["[S]"], show_progress=False)
    file = tmp_path / "text.txt"
    file.write_text("x y\nx", encoding="utf-8")
    made.train([str(file)], trainer)
    assert made.get_vocab() == {"[S]": 0, "x": 1, "y": 2}
    made.train_from_iterator((batch for batch in (["p q", "p"], "p")), trainer, length=3)
    assert made.get_vocab() == {"[S]": 0, "p": 1, "q": 2}
    made.train_from_iterator([], None)
    with pytest.raises(Exception, match=r"o such file|no file"):
        made.train(["no such file"])


@BOTH
def test_copies(library: Any) -> None:
    made = words(library)
    made.enable_truncation(3)
    made.add_special_tokens(["[S]"])
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert other.to_str() == made.to_str()
        other.add_tokens(["new"])
    assert "new" not in made.get_vocab()


def test_representations_are_those_of_the_library() -> None:
    pair = [words(library) for library in (live, ours)]
    for made in pair:
        made.add_tokens([f"t{number}" for number in range(8)])
    assert repr(pair[1]) == repr(pair[0])
    assert str(pair[1]) == str(pair[0])


def test_public_names_are_those_of_the_library() -> None:
    for name in ("Tokenizer", "AddedToken"):
        mine = {method for method in dir(getattr(ours, name)) if not method.startswith("_")}
        theirs = {method for method in dir(getattr(live, name)) if not method.startswith("_")}
        assert theirs - mine == set()
        assert mine - theirs <= {"to_json", "copy"}
    public = {name for name in dir(live) if not name.startswith("_")}
    assert public - set(dir(ours)) == {"tokenizers", "List", "Tuple", "Union"}
    assert ours.__version__ == live.__version__


def test_recorded_stages_have_places_in_both_texts() -> None:
    made = words(ours)
    made.normalizer = ours.normalizers.Sequence([ours.normalizers.NFKC(), ours.normalizers.Lowercase()])
    made.add_special_tokens(["[S]"])
    recording = made.encode.record("A ﬁ[S] b")
    steps = {type(step).__name__: step for step in recording}
    normalized = [step for step in recording if type(step).__name__ == "Normalized"]
    assert [step.rule for step in normalized] == ["NFKC", "Lowercase"]
    parts = steps["PreTokenized"].parts
    assert [(part.text, part.normalized_span, part.original_span, part.added_id) for part in parts] == [
        *(("a", (0, 1), (0, 1), None), ("fi", (2, 4), (2, 3), None), ("[S]", (4, 7), (3, 6), 4)),
        ("b", (8, 9), (7, 8), None),
    ]
    assert parts[1].spans == ((2, 3), (2, 3))
    tokens = [(part.id, part.normalized_span, part.original_span) for part in steps["Tokenized"].parts]
    assert tokens == [(1, (0, 1), (0, 1)), (0, (2, 4), (2, 3)), (4, (4, 7), (3, 6)), (2, (8, 9), (7, 8))]
    assert type(recording).from_json(recording.to_json()).steps == recording.steps


def test_the_bytes_of_one_character_share_its_span() -> None:
    made = ours.Tokenizer(ours.models.BPE({"æ": 0, "Ĺ": 1, "¥": 2}, []))
    made.pre_tokenizer = ours.pre_tokenizers.ByteLevel(add_prefix_space=False)
    step = next(step for step in made.encode.record("日") if type(step).__name__ == "Tokenized")
    assert {(part.normalized_span, part.original_span) for part in step.parts} == {((0, 1), (0, 1))}
    assert made.encode("日").offsets == [(0, 1)] * 3
