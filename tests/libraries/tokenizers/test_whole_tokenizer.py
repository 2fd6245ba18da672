"""A tokenizer and its parts together: pickling, copies, changes of parts, custom parts, subclasses and threads.

Each scenario runs with the installed library and with ours, and must give equal results.
"""

from __future__ import annotations

import copy
import json
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import tokenizers as library

from tokenlab.libraries import tokenizers as ours
from tokenlab.libraries.tokenizers.tools import EncodingVisualizer

TEXT = "Hello WORLDs, café new tok zz [MASK]!"
VOCAB = {
    word: id
    for id, word in enumerate(
        "[UNK] [CLS] [SEP] [PAD] [MASK] hello world ##s Hello caf ##e café the , ! A a b ##b WORLD".split()  # noqa: SIM905
    )
}

Change = Callable[[Any, Any], Any]  # of a tokenizer, with the parts of a package


def bert(package: Any) -> Any:
    tokenizer = package.Tokenizer(package.models.WordPiece(VOCAB, unk_token="[UNK]"))
    tokenizer.normalizer = package.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = package.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = package.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.decoder = package.decoders.WordPiece()
    tokenizer.add_special_tokens(["[MASK]", "[CLS]", "[SEP]"])
    tokenizer.add_tokens(["new tok"])
    return tokenizer


def columns(tokenizer: Any) -> tuple[Any, ...]:
    encoding = tokenizer.encode(TEXT)
    return encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids, tokenizer.decode(encoding.ids)


def same(scenario: Callable[[Any], Any]) -> Any:
    """Run a scenario with both packages; return the common result."""
    result = scenario(ours)
    assert result == scenario(library)
    return result


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda tokenizer: pickle.loads(pickle.dumps(tokenizer)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "json": lambda tokenizer: type(tokenizer).from_str(tokenizer.to_str()),
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_encodes_as_the_original(copied: Callable[[Any], Any]) -> None:
    original = same(lambda package: columns(bert(package)))
    assert same(lambda package: columns(copied(bert(package)))) == original
    same(lambda package: json.loads(copied(bert(package)).to_str()))


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_change_of_a_copy_does_not_reach_the_original(copied: Callable[[Any], Any]) -> None:
    def scenario(package: Any) -> Any:
        tokenizer = bert(package)
        other = copied(tokenizer)
        other.add_tokens(["caf"])
        other.normalizer.lowercase = False
        other.model.unk_token = "a"
        return columns(tokenizer), columns(other)

    original, changed = same(scenario)
    assert original != changed


CHANGES: dict[str, Change] = {
    "lowercase": lambda tokenizer, _: setattr(tokenizer.normalizer, "lowercase", False),
    "strip_accents": lambda tokenizer, _: setattr(tokenizer.normalizer, "strip_accents", False),
    "unk_token": lambda tokenizer, _: setattr(tokenizer.model, "unk_token", "a"),
    "max_input_chars_per_word": lambda tokenizer, _: setattr(tokenizer.model, "max_input_chars_per_word", 4),
    "continuing_subword_prefix": lambda tokenizer, _: setattr(tokenizer.model, "continuing_subword_prefix", ""),
    "cleanup": lambda tokenizer, _: setattr(tokenizer.decoder, "cleanup", False),
    "prefix": lambda tokenizer, _: setattr(tokenizer.decoder, "prefix", "#"),
    "no normalizer": lambda tokenizer, _: setattr(tokenizer, "normalizer", None),
    "no pre-tokenizer": lambda tokenizer, _: setattr(tokenizer, "pre_tokenizer", None),
    "no post-processor": lambda tokenizer, _: setattr(tokenizer, "post_processor", None),
    "no decoder": lambda tokenizer, _: setattr(tokenizer, "decoder", None),
    "model": lambda tokenizer, package: setattr(
        tokenizer, "model", package.models.WordLevel({"hello": 0, "[UNK]": 1}, unk_token="[UNK]")
    ),
    "template": lambda tokenizer, package: setattr(
        tokenizer,
        "post_processor",
        package.processors.TemplateProcessing(single="$A [SEP]", pair="$A $B", special_tokens=[("[SEP]", 2)]),
    ),
    "encode_special_tokens": lambda tokenizer, _: setattr(tokenizer, "encode_special_tokens", True),
    "truncation": lambda tokenizer, _: tokenizer.enable_truncation(4),
    "added token": lambda tokenizer, _: tokenizer.add_tokens(["WORLD"]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_part_changes_the_next_encoding(change: Change) -> None:
    def scenario(package: Any) -> Any:
        tokenizer = bert(package)
        before = columns(tokenizer)
        change(tokenizer, package)
        return before, columns(tokenizer), json.loads(tokenizer.to_str())

    before, after, _ = same(scenario)
    assert before != after


def test_a_part_of_a_sequence_can_be_changed() -> None:
    def scenario(package: Any) -> Any:
        tokenizer = bert(package)
        parts = [package.normalizers.NFC(), package.normalizers.BertNormalizer(lowercase=False)]
        tokenizer.normalizer = package.normalizers.Sequence(parts)
        splits = [package.pre_tokenizers.Whitespace(), package.pre_tokenizers.Punctuation()]
        tokenizer.pre_tokenizer = package.pre_tokenizers.Sequence(splits)
        results = [columns(tokenizer)]
        tokenizer.normalizer[1].lowercase = True
        results.append(columns(tokenizer))
        tokenizer.pre_tokenizer[1].behavior = "removed"
        results.append(columns(tokenizer))
        tokenizer.normalizer[1] = package.normalizers.Strip()
        return [*results, columns(tokenizer), repr(tokenizer.normalizer), repr(tokenizer.pre_tokenizer)]

    results = same(scenario)
    assert len({repr(result) for result in results[:4]}) == 4


def test_a_part_of_two_tokenizers_is_shared() -> None:
    def scenario(package: Any) -> Any:
        normalizer = package.normalizers.BertNormalizer()
        first, second = bert(package), bert(package)
        first.normalizer = second.normalizer = normalizer
        before = columns(first)
        normalizer.lowercase = False
        return before, columns(first), columns(second)

    before, first, second = same(scenario)
    assert before != first == second


def test_options_of_metaspace_reach_the_encoding_and_the_text() -> None:
    def scenario(package: Any) -> Any:
        vocab = {"▁a": 0, "▁b": 1, "a": 2, "b": 3, "u": 4, "▁a▁b": 5, "a▁b": 6}
        tokenizer = package.Tokenizer(package.models.WordLevel(vocab, unk_token="u"))
        tokenizer.pre_tokenizer = package.pre_tokenizers.Metaspace()
        tokenizer.decoder = package.decoders.Metaspace()
        results = [tokenizer.encode("a b").ids, tokenizer.decode([0, 1])]
        for part, name, value in [
            ("pre_tokenizer", "prepend_scheme", "never"),
            ("pre_tokenizer", "split", False),
            ("pre_tokenizer", "prepend_scheme", "always"),
            ("decoder", "prepend_scheme", "never"),
            ("decoder", "replacement", "a"),
        ]:
            setattr(getattr(tokenizer, part), name, value)
            results += [tokenizer.encode("a b").ids, tokenizer.decode([0, 1])]
        return results

    same(scenario)


def test_options_of_a_model_reach_the_encoding() -> None:
    # subtle: the library keeps the cached tokens of a word when an option changes, so every option meets a new word.
    def scenario(package: Any) -> Any:
        vocab = {"a": 0, "b": 1, "ab": 2, "u": 3}
        tokenizer = package.Tokenizer(package.models.BPE(vocab, [("a", "b")], unk_token="u"))
        results = [tokenizer.encode("abxx").ids]
        for place, (name, value) in enumerate([("fuse_unk", True), ("unk_token", "a"), ("unk_token", None)]):
            setattr(tokenizer.model, name, value)
            results.append(tokenizer.encode("abxx" + "y" * (place + 1)).ids)
        for dropout in (1.0, None):
            tokenizer.model.dropout = dropout
            results.append(tokenizer.encode("ab").ids)
        return results

    same(scenario)


def test_our_models_forget_cached_words_when_an_option_changes() -> None:
    vocab = {"a": 0, "u": 1}
    tokenizer = ours.Tokenizer(ours.models.BPE(vocab, [], unk_token="u"))
    assert tokenizer.encode("axx").ids == [0, 1, 1]
    tokenizer.model.fuse_unk = True
    assert tokenizer.encode("axx").ids == [0, 1]


@pytest.mark.parametrize("part", ["normalizer", "pre_tokenizer", "post_processor", "decoder", "model"])
@pytest.mark.parametrize("wrong", [5, "text", object()])
def test_a_wrong_part_is_refused(part: str, wrong: Any) -> None:
    for package in (library, ours):
        tokenizer = bert(package)
        with pytest.raises(TypeError):
            setattr(tokenizer, part, wrong)
        assert columns(tokenizer) == columns(bert(package))


def test_a_part_of_another_kind_is_refused() -> None:
    for package in (library, ours):
        with pytest.raises(TypeError):
            bert(package).decoder = package.normalizers.NFC()


# --- custom parts ----------------------------------------------------------------------------------------------------


class Uppercase:
    def decode_chain(self, tokens: list[str]) -> list[str]:
        return [token.upper() for token in tokens]


class Replacing:
    def normalize(self, normalized: Any) -> None:
        normalized.replace("l", "L")
        normalized.lowercase()


class AtSpaces:
    def pre_tokenize(self, pretok: Any) -> None:
        pretok.split(lambda _, normalized: normalized.split(" ", "removed"))


CUSTOM: dict[str, Change] = {
    "decoder": lambda tokenizer, package: setattr(tokenizer, "decoder", package.decoders.Decoder.custom(Uppercase())),
    "normalizer": lambda tokenizer, package: setattr(
        tokenizer, "normalizer", package.normalizers.Normalizer.custom(Replacing())
    ),
    "pre_tokenizer": lambda tokenizer, package: setattr(
        tokenizer, "pre_tokenizer", package.pre_tokenizers.PreTokenizer.custom(AtSpaces())
    ),
}


@pytest.mark.parametrize("change", CUSTOM.values(), ids=CUSTOM)
def test_a_custom_part_works_and_cannot_be_saved(change: Change) -> None:
    def scenario(package: Any) -> Any:
        tokenizer = bert(package)
        change(tokenizer, package)
        for save in (pickle.dumps, lambda each: each.to_str()):
            with pytest.raises(Exception):  # noqa: B017
                save(tokenizer)
        return columns(tokenizer)

    assert same(scenario) != columns(bert(ours))


def test_an_error_in_a_custom_part_is_reported_and_the_tokenizer_stays_usable() -> None:
    class Failing:
        def decode_chain(self, tokens: list[str]) -> list[str]:
            raise KeyError("mine")

    for package in (library, ours):
        tokenizer = bert(package)
        tokenizer.decoder = package.decoders.Decoder.custom(Failing())
        with pytest.raises(Exception, match="mine"):
            tokenizer.decode([5])
        tokenizer.decoder = None
        assert tokenizer.decode([5]) == "hello"


# --- other packages' parts, subclasses, threads ----------------------------------------------------------------------


def test_a_stream_and_a_picture_work_with_both_tokenizers() -> None:
    tokenizers = bert(library), bert(ours)
    pages = [EncodingVisualizer(tokenizer, default_to_notebook=False)(TEXT) for tokenizer in tokenizers]
    assert pages[0] == pages[1]
    ids = tokenizers[0].encode(TEXT).ids
    for skip in (False, True):
        streams = [ours.decoders.DecodeStream(skip_special_tokens=skip) for _ in tokenizers]
        steps = [[stream.step(each, id) for id in ids] for stream, each in zip(streams, tokenizers, strict=True)]
        assert steps[0] == steps[1]
        assert "".join(filter(None, steps[1])) == tokenizers[1].decode(ids, skip)


def test_a_subclass_can_override_a_method() -> None:
    class Ids(ours.Tokenizer):
        def encode(self, *arguments: Any, **options: Any) -> Any:  # type: ignore[override]
            return super().encode(*arguments, **options).ids

    tokenizer = Ids(ours.models.WordLevel({"a": 0}, unk_token="a"))
    assert tokenizer.encode("a") == [0]
    assert type(copy.deepcopy(tokenizer)) is Ids


def test_threads_get_the_results_of_one_thread() -> None:
    tokenizer = bert(ours)
    texts = [f"{TEXT} word{number} {'café ' * (number % 5)}" for number in range(300)]
    expected = [bert(ours).encode(text).tokens for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: tokenizer.encode(text).tokens, texts)) == expected
        batches = pool.map(tokenizer.encode_batch, [texts] * 4)
        assert all([encoding.tokens for encoding in batch] == expected for batch in batches)


def test_an_encoding_in_a_thread_belongs_to_one_state_of_the_parts() -> None:
    tokenizer = bert(ours)
    valid = []
    for lowercase in (True, False):
        tokenizer.normalizer = ours.normalizers.BertNormalizer(lowercase=lowercase)
        valid.append(columns(tokenizer)[:3])
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for lowercase in (True, False):
                tokenizer.normalizer = ours.normalizers.BertNormalizer(lowercase=lowercase)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(300):
            encoding = tokenizer.encode(TEXT)
            assert (encoding.ids, encoding.tokens, encoding.offsets) in valid
    finally:
        stop.set()
        changer.join()


def test_details_asked_for_later_belong_to_the_encoding() -> None:
    tokenizer = bert(ours)
    expected = columns(bert(ours))
    encoding = tokenizer.encode(TEXT)
    tokenizer.normalizer = None
    tokenizer.model.continuing_subword_prefix = ""
    tokenizer.add_tokens(["caf"])
    assert (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids) == expected[:4]


def test_details_asked_for_after_a_change_of_a_part_belong_to_the_encoding() -> None:
    for change in CHANGES.values():
        tokenizer = bert(ours)
        encoding = tokenizer.encode(TEXT)
        change(tokenizer, ours)
        assert (encoding.ids, encoding.tokens, encoding.offsets, encoding.word_ids) == columns(bert(ours))[:4]


def test_the_steps_raise_where_encoding_raises() -> None:
    tokenizer = ours.Tokenizer(ours.models.WordLevel({"a": 0}, "a"))
    tokenizer.normalizer = ours.normalizers.Sequence([ours.normalizers.Prepend(""), ours.normalizers.NFKC()])
    for encode in (tokenizer.encode, tokenizer.encode.record):
        with pytest.raises(ValueError, match="more characters"):
            encode("½")


def test_the_steps_call_a_sequence_of_the_users_class() -> None:
    class Sequence(ours.normalizers.Sequence):  # the name of the library's class
        def normalize(self, normalized: ours.NormalizedString) -> None:
            normalized.append("!")

    tokenizer = ours.Tokenizer(ours.models.WordLevel({"a": 0, "!": 1}, "a"))
    tokenizer.normalizer = Sequence([])
    tokenizer.pre_tokenizer = ours.pre_tokenizers.Punctuation()
    assert tokenizer.encode.record("a").result.tokens == tokenizer.encode("a").tokens == ["a", "!"]
