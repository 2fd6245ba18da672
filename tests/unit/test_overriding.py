"""Methods that users override: called as the library calls them, in whichever way they are overridden."""

from __future__ import annotations

import copy
import functools
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch

from tests.libraries.transformers.test_generation import READ, SETTINGS, untrained
from tests.parity.generation_cases import MODES
from tokenlab import data
from tokenlab.libraries import sentencepiece, tiktoken
from tokenlab.libraries.bert.tokenization import BasicTokenizer, FullTokenizer
from tokenlab.libraries.tensor2tensor.text_encoder import ByteTextEncoder, SubwordTextEncoder, TokenTextEncoder
from tokenlab.libraries.tensor2tensor.text_problems import Text2TextProblem, VocabType
from tokenlab.libraries.transformers import (
    BeamScorer,
    BeamSearchScorer,
    ConstrainedBeamSearchScorer,
    DisjunctiveConstraint,
    LogitsProcessor,
    MaxLengthCriteria,
    PhrasalConstraint,
    StoppingCriteria,
    StoppingCriteriaList,
    T5Tokenizer,
    TextIteratorStreamer,
)
from tokenlab.libraries.transformers.generation import StablePrefixIteratorStreamer

Way = Callable[[Any, str, list[Any]], Any]


def in_a_subclass(thing: Any, name: str, calls: list[Any]) -> Any:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return getattr(super(kind, self), name)(*args, **kwargs)

    kind: Any = type(type(thing).__name__, (type(thing),), {name: method})
    thing.__class__ = kind
    return thing


def by_attribute(thing: Any, name: str, calls: list[Any]) -> Any:
    before = getattr(thing, name)

    def function(*args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return before(*args, **kwargs)

    object.__setattr__(thing, name, function)
    return thing


def by_a_partial(thing: Any, name: str, calls: list[Any]) -> Any:
    def function(before: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(name)
        return before(*args, **kwargs)

    object.__setattr__(thing, name, functools.partial(function, getattr(thing, name)))
    return thing


def by_a_mock(thing: Any, name: str, calls: list[Any]) -> Any:
    before = getattr(thing, name)
    double = mock.Mock(side_effect=lambda *args, **kwargs: (calls.append(name), before(*args, **kwargs))[1])
    object.__setattr__(thing, name, double)
    return thing


WAYS: list[Way] = [in_a_subclass, by_attribute, by_a_partial, by_a_mock]
EVERY_WAY = pytest.mark.parametrize("way", WAYS)


# --- models ---------------------------------------------------------------------------------------------

OF_EVERY_MODE = (
    "_validate_model_kwargs", "_prepare_model_inputs", "_prepare_attention_mask_for_generation",
    "_prepare_encoder_decoder_kwargs_for_generation", "_prepare_decoder_input_ids_for_generation",
    "_get_decoder_start_token_id", "_get_logits_processor", "_get_stopping_criteria", "_merge_criteria_processor_list",
    "prepare_inputs_for_generation", "forward", "get_encoder", "_update_model_kwargs_for_generation",
    "_extract_past_from_model_output",
)  # fmt: skip
OF_BEAMS = ("adjust_logits_during_generation", "_reorder_cache", "_expand_inputs_for_generation")
HOOKS = [
    *(("greedy_search", name) for name in OF_EVERY_MODE),
    *((mode, mode) for mode in MODES),
    *((mode, name) for mode in MODES if "beam" in mode for name in OF_BEAMS),
    *((mode, "_get_logits_warper") for mode in MODES if "sample" in mode),
    ("contrastive_search", "_expand_inputs_for_generation"),
]


@EVERY_WAY
@pytest.mark.parametrize(("mode", "name"), HOOKS)
def test_a_model_s_method_may_be_any_callable(mode: str, name: str, way: Way) -> None:
    asked = {"max_length": 7, **SETTINGS[mode]}
    calls: list[Any] = []
    original, model = untrained(), way(untrained(), name, calls)
    torch.manual_seed(0)
    plain = original.generate(READ, **asked)
    torch.manual_seed(0)
    assert torch.equal(model.generate(READ, **asked), plain)
    assert calls and set(calls) == {name}


@pytest.mark.parametrize("mode", MODES)
def test_a_mock_s_return_value_is_the_result(mode: str) -> None:
    model, answer = untrained(), torch.tensor([[42]])
    with mock.patch.object(model, mode, return_value=answer) as double:
        assert model.generate(READ, max_length=7, **SETTINGS[mode]) is answer
    assert "streamer" not in double.call_args.kwargs  # which 4.26.1 does not have
    with mock.patch.object(model, mode, autospec=True, return_value=answer):
        assert model.generate(READ, max_length=7, **SETTINGS[mode]) is answer


def test_an_override_runs_without_gradients_and_may_be_watched() -> None:
    model = untrained()
    before = model.greedy_search
    model.greedy_search = lambda *args, **kwargs: (torch.is_grad_enabled(), before(*args, **kwargs))
    with_gradients, _ = model.generate(READ, max_length=5)
    assert not with_gradients and torch.is_grad_enabled()
    assert not model.generate.record(READ, max_length=5).steps
    model.greedy_search = before
    assert model.generate.record(READ, max_length=5).steps


def test_a_missing_argument_of_a_loop_is_named() -> None:
    with pytest.raises(TypeError, match=r"^beam_search\(\) missing 1 required positional argument: 'beam_scorer'"):
        untrained().beam_search(torch.zeros(1, 1, dtype=torch.long))


# --- scorers --------------------------------------------------------------------------------------------

SCORERS = {
    "beam_search": BeamSearchScorer,
    "beam_sample": BeamSearchScorer,
    "group_beam_search": BeamSearchScorer,
    "constrained_beam_search": ConstrainedBeamSearchScorer,
}


def searched(mode: str, change: Callable[[Any], Any], **options: Any) -> Any:
    """Return what a loop makes of one text, with a scorer that was changed before."""
    model, kind = untrained(), SCORERS[mode]
    more: dict[str, Any] = {"num_beam_groups": 2} if mode == "group_beam_search" else {}
    if mode == "constrained_beam_search":
        more = {"constraints": [PhrasalConstraint([5])]}
    scorer = change(kind(batch_size=1, num_beams=4, device="cpu", **more))
    given = {"encoder_outputs": model.get_encoder()(READ[:1].repeat(4, 1)), "pad_token_id": 0, "eos_token_id": 1}
    given["stopping_criteria"] = StoppingCriteriaList([MaxLengthCriteria(7)])
    torch.manual_seed(0)
    return getattr(model, mode)(torch.zeros(4, 1, dtype=torch.long), scorer, **given, **options)


@EVERY_WAY
@pytest.mark.parametrize("name", ["process", "finalize"])
@pytest.mark.parametrize("mode", SCORERS)
def test_a_scorer_s_method_may_be_any_callable(mode: str, name: str, way: Way) -> None:
    calls: list[Any] = []
    assert torch.equal(searched(mode, lambda scorer: way(scorer, name, calls)), searched(mode, lambda scorer: scorer))
    assert calls


@EVERY_WAY
@pytest.mark.parametrize("name", ["step_sentence_constraint", "check_completes_constraints", "make_constraint_states"])
def test_what_a_constrained_scorer_asks_itself(name: str, way: Way) -> None:
    calls: list[Any] = []
    mode = "constrained_beam_search"
    assert torch.equal(searched(mode, lambda scorer: way(scorer, name, calls)), searched(mode, lambda scorer: scorer))
    assert calls


class Own(BeamScorer):
    """A scorer with the library's arguments and nothing else, which writes what `inner` says."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.num_beams, self.num_beam_groups = inner, inner.num_beams, inner.num_beam_groups
        self._beam_hyps = inner._beam_hyps

    @property
    def is_done(self) -> bool:
        return bool(self.inner.is_done)

    def process(  # the arguments of 4.26.1
        self, input_ids: Any, next_scores: Any, next_tokens: Any, next_indices: Any, *more: Any,
        pad_token_id: Any = None, eos_token_id: Any = None, **rest: Any,
    ) -> Any:  # fmt: skip
        given = (input_ids, next_scores, next_tokens, next_indices, *more)
        return self.inner.process(*given, pad_token_id=pad_token_id, eos_token_id=eos_token_id)

    def finalize(self, input_ids: Any, scores: Any, tokens: Any, indices: Any, max_length: Any, **rest: Any) -> Any:
        found = self.inner.finalize(input_ids, scores, tokens, indices, max_length, **rest)
        return {name: found[name] for name in ("sequences", "sequence_scores")}


@pytest.mark.parametrize("mode", SCORERS)
def test_a_scorer_of_one_s_own(mode: str) -> None:
    assert torch.equal(searched(mode, Own), searched(mode, lambda scorer: scorer))


# --- processors, criteria, constraints and streamers ------------------------------------------------------


def forbids_seven(input_ids: Any, scores: Any) -> Any:
    return scores.index_fill(1, torch.tensor([7]), -float("inf"))


def stops_at_five(input_ids: Any, scores: Any) -> bool:
    return bool(input_ids.shape[-1] >= 5)


class Callee:
    def __init__(self, function: Any) -> None:
        self.__call__ = function  # Python calls the method of the class, which transformers does as well
        self.function = function

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def as_a_subclass(base: Any, function: Any) -> Any:
    return type("Own", (base,), {"__call__": lambda self, input_ids, scores, **kwargs: function(input_ids, scores)})()


CALLABLES: list[Callable[[Any, Any], Any]] = [
    as_a_subclass,
    lambda base, function: functools.partial(function),
    lambda base, function: Callee(function),
    lambda base, function: mock.Mock(side_effect=lambda input_ids, scores, **kwargs: function(input_ids, scores)),
]


@pytest.mark.parametrize("made", CALLABLES)
@pytest.mark.parametrize("mode", MODES)
def test_a_processor_and_a_criterion_may_be_any_callable(mode: str, made: Callable[[Any, Any], Any]) -> None:
    calls: list[str] = []

    def processor(input_ids: Any, scores: Any) -> Any:
        calls.append("processor")
        return forbids_seven(input_ids, scores)

    def criterion(input_ids: Any, scores: Any) -> bool:
        calls.append("criterion")
        return stops_at_five(input_ids, scores)

    asked = {"max_length": 7, **SETTINGS[mode]}
    torch.manual_seed(0)
    expected = untrained().generate(READ, suppress_tokens=[7], **{**asked, "max_length": 5})
    torch.manual_seed(0)
    given = {
        "logits_processor": [made(LogitsProcessor, processor)],
        "stopping_criteria": [made(StoppingCriteria, criterion)],
    }
    if "beam" in mode:  # hypotheses may be longer where the criteria stop only the loop
        untrained().generate(READ, **given, **asked)
    else:
        assert torch.equal(untrained().generate(READ, **given, **asked), expected)
    assert {*calls} == {"processor", "criterion"}


@EVERY_WAY
@pytest.mark.parametrize("name", ["advance", "does_advance", "update", "remaining", "reset", "copy"])
@pytest.mark.parametrize("kind", ["phrase", "phrases"])
def test_a_constraint_s_method_may_be_any_callable(kind: str, name: str, way: Way) -> None:
    def constraint() -> Any:
        return PhrasalConstraint([5, 6]) if kind == "phrase" else DisjunctiveConstraint([[5, 6], [7]])

    calls: list[Any] = []
    asked = {"num_beams": 3, "max_length": 8}
    expected = untrained().generate(READ, constraints=[constraint()], **asked)
    assert torch.equal(untrained().generate(READ, constraints=[way(constraint(), name, calls)], **asked), expected)
    assert calls or way is not in_a_subclass  # copies do not have what was set on one object, as in 4.26.1


@EVERY_WAY
@pytest.mark.parametrize("name", ["put", "end", "on_finalized_text"])
@pytest.mark.parametrize("kind", [TextIteratorStreamer, StablePrefixIteratorStreamer])
def test_a_streamer_s_method_may_be_any_callable(kind: Any, name: str, way: Way) -> None:
    tokenizer, calls = T5Tokenizer.from_pretrained(data.t5_tiny()), list[Any]()
    plain, changed = kind(tokenizer), way(kind(tokenizer), name, calls)
    for streamer in (plain, changed):
        untrained().generate(READ[:1], max_length=6, streamer=streamer)
    assert list(changed) == list(plain) and calls


@EVERY_WAY
@pytest.mark.parametrize("name", ["get_extended_attention_mask", "invert_attention_mask", "get_head_mask"])
def test_the_masks_of_a_stack_may_be_own(name: str, way: Way) -> None:
    model, calls = untrained(), list[Any]()
    masks = {"attention_mask": torch.ones_like(READ), "decoder_attention_mask": torch.ones_like(READ)}
    plain = model(READ, labels=READ, **masks).logits
    way(model.decoder, name, calls)
    assert torch.equal(model(READ, labels=READ, **masks).logits, plain) and calls


@EVERY_WAY
def test_an_own_switch_of_gradient_checkpointing_is_used(way: Way) -> None:
    model, calls = untrained(), list[Any]()
    way(model, "_set_gradient_checkpointing", calls).gradient_checkpointing_enable()
    assert set(calls) == {"_set_gradient_checkpointing"} and model.is_gradient_checkpointing


def test_a_mask_of_ones_own_counts_from_the_first_token_to_the_last() -> None:
    model = untrained()
    hidden, invert = torch.ones_like(READ).index_fill(1, torch.tensor([0]), 0), model.decoder.invert_attention_mask
    model.decoder.invert_attention_mask = lambda mask: invert(hidden[: len(mask)].expand_as(mask))
    wanted = {"max_length": 12, "min_length": 12, "attention_mask": torch.ones_like(READ)}
    assert torch.equal(model.generate(READ, **wanted), model.generate(READ, use_cache=False, **wanted))
    assert not torch.equal(model.generate(READ, **wanted), untrained().generate(READ, **wanted))


# --- tokenizers -----------------------------------------------------------------------------------------

OF_ONE = ("encode_plus", "_encode_plus")
OF_SEVERAL = ("batch_encode_plus", "_batch_encode_plus", "_batch_prepare_for_model")
OF_BOTH = (
    "_call_one", "_switch_to_input_mode", "_get_padding_truncation_strategies", "tokenize", "prepare_for_tokenization",
    "_tokenize", "convert_tokens_to_ids", "_convert_token_to_id_with_added_voc", "_convert_token_to_id",
    "prepare_for_model", "num_special_tokens_to_add", "truncate_sequences", "build_inputs_with_special_tokens",
    "create_token_type_ids_from_sequences", "_eventual_warn_about_too_long_sequence", "pad", "_pad",
)  # fmt: skip
TEXTS = ["He has a dog.", "Dog."]


@pytest.fixture
def tokenizer() -> Iterator[Any]:
    yield T5Tokenizer.from_pretrained(data.t5_tiny())


@EVERY_WAY
@pytest.mark.parametrize("name", [*OF_ONE, *OF_SEVERAL, *OF_BOTH])
def test_a_tokenizer_s_method_may_be_any_callable(tokenizer: Any, name: str, way: Way) -> None:
    given = TEXTS[0] if name in OF_ONE else TEXTS
    asked = {"padding": True, "truncation": True, "max_length": 4}
    plain, calls = dict(tokenizer(given, **asked)), list[Any]()
    assert dict(way(tokenizer, name, calls)(given, **asked)) == plain
    assert calls


@EVERY_WAY
@pytest.mark.parametrize("name", ["decode", "_decode", "convert_ids_to_tokens", "convert_tokens_to_string"])
def test_the_way_back_may_be_overridden(tokenizer: Any, name: str, way: Way) -> None:
    ids, calls = tokenizer(TEXTS).input_ids, list[Any]()
    assert way(tokenizer, name, calls).batch_decode(ids, skip_special_tokens=True) == TEXTS
    assert calls


@EVERY_WAY
@pytest.mark.parametrize("name", ["save_vocabulary", "_save_pretrained"])
def test_an_own_way_to_save_is_taken(tokenizer: Any, name: str, way: Way, tmp_path: Path) -> None:
    tokenizer.add_tokens(["abc"])
    plain = tokenizer.save_pretrained(tmp_path / "plain", filename_prefix="my")
    calls: list[Any] = []
    paths = way(tokenizer, name, calls).save_pretrained(tmp_path / "own", filename_prefix="my")
    assert calls == [name] and [Path(path).name for path in paths] == [Path(path).name for path in plain]
    assert [Path(path).read_bytes() for path in paths] == [Path(path).read_bytes() for path in plain]
    tokenizer.save_pretrained(tmp_path)
    assert T5Tokenizer.from_pretrained(tmp_path)(["abc"]).input_ids == tokenizer(["abc"]).input_ids


def test_an_own_way_to_save_gets_the_library_s_arguments(tokenizer: Any, tmp_path: Path) -> None:
    tokenizer._save_pretrained = mock.Mock(return_value=("mine",))
    assert tokenizer.save_pretrained(tmp_path) == ("mine",)
    names = tuple(str(tmp_path / name) for name in ("tokenizer_config.json", "special_tokens_map.json"))
    tokenizer._save_pretrained.assert_called_once_with(
        save_directory=tmp_path, file_names=names, legacy_format=None, filename_prefix=None
    )
    assert sorted(os.listdir(tmp_path)) == ["special_tokens_map.json", "tokenizer_config.json"]
    del tokenizer._save_pretrained
    with pytest.raises(ValueError, match="legacy_format=False needs a fast tokenizer"):
        tokenizer.save_pretrained(tmp_path, False)


@EVERY_WAY
def test_an_own_way_to_split_off_added_tokens_is_taken(tokenizer: Any, way: Way) -> None:
    calls: list[Any] = []
    assert way(tokenizer, "_create_trie", calls).add_tokens(["abc"]) == 1
    assert calls == ["_create_trie"] and tokenizer.tokenize("an abc") == ["▁an", "abc"]


class Splitter:
    def split(self, text: str) -> list[str]:
        return [text[:2], text[2:]]


def test_an_own_splitter_is_asked(tokenizer: Any) -> None:
    def create(unique_no_split_tokens: list[str]) -> None:
        assert "abc" in unique_no_split_tokens
        tokenizer.tokens_trie = Splitter()

    tokenizer._create_trie = create
    tokenizer.add_tokens(["abc"])
    assert tokenizer.tokenize("ananas") == [*tokenizer._tokenize("an"), *tokenizer._tokenize("anas")]


def loaded_by_a_subclass(load: Callable[..., Any]) -> Any:
    def method(cls: type[Any], *args: Any, **kwargs: Any) -> Any:
        return load(*args, **kwargs)

    return type("T5Tokenizer", (T5Tokenizer,), {"_from_pretrained": classmethod(method)})


def loaded_by_an_attribute(load: Callable[..., Any]) -> Any:
    return type("T5Tokenizer", (T5Tokenizer,), {"_from_pretrained": staticmethod(load)})


def loaded_by_a_partial(load: Callable[..., Any]) -> Any:
    return type("T5Tokenizer", (T5Tokenizer,), {"_from_pretrained": functools.partial(load)})


def loaded_by_a_mock(load: Callable[..., Any]) -> Any:
    return type("T5Tokenizer", (T5Tokenizer,), {"_from_pretrained": mock.Mock(side_effect=load)})


@pytest.mark.parametrize("way", [loaded_by_a_subclass, loaded_by_an_attribute, loaded_by_a_partial, loaded_by_a_mock])
def test_an_own_way_to_load_is_taken(way: Callable[..., Any]) -> None:
    calls: list[Any] = []

    def load(files: dict[str, Any], name: str, config: dict[str, Any], *inputs: Any, **kwargs: Any) -> Any:
        calls.append((sorted(files), name, config, inputs, sorted(kwargs)))
        return T5Tokenizer._from_pretrained(files, name, config, *inputs, **kwargs)

    loaded = way(load).from_pretrained(data.t5_tiny(), model_max_length=7)
    names = ["added_tokens_file", "special_tokens_map_file", "tokenizer_config_file", "vocab_file"]
    options = ["_commit_hash", "cache_dir", "local_files_only", "model_max_length", "use_auth_token"]
    assert calls == [(names, str(data.t5_tiny()), {}, (), options)]
    assert loaded(TEXTS).input_ids == T5Tokenizer.from_pretrained(data.t5_tiny())(TEXTS).input_ids
    assert loaded.model_max_length == 7


# --- the other packages ---------------------------------------------------------------------------------


@EVERY_WAY
@pytest.mark.parametrize("name", ["basic_tokenizer", "wordpiece_tokenizer"])
def test_bert_s_parts_may_be_any_callables(name: str, way: Way, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\nhug\n##s\n", encoding="utf-8")
    full, calls = FullTokenizer(tmp_path / "vocab.txt"), list[Any]()
    way(getattr(full, name), "tokenize", calls)
    assert full.tokenize("Hugs") == ["hug", "##s"] and calls == ["tokenize"]
    assert full.tokenize.record("Hugs").result == ["hug", "##s"] and len(calls) == 2
    full.tokenize("Hugs hug")  # all words at once, or one word at a time, as in the original
    assert len(calls) == (3 if name == "basic_tokenizer" else 4)


BASIC_METHODS = (
    "_clean_text", "_tokenize_chinese_chars", "_is_chinese_char", "_run_strip_accents", "_run_split_on_punc",
)  # fmt: skip


@EVERY_WAY
@pytest.mark.parametrize("name", BASIC_METHODS)
def test_bert_s_basic_tokenizer_calls_its_own_methods(name: str, way: Way) -> None:
    basic, calls, words = BasicTokenizer(), list[Any](), ["so", "-", "cafe", "東", "京"]
    assert len(basic.tokenize.record("So-Café東京").steps) == 6
    way(basic, name, calls)
    assert basic.tokenize("So-Café東京") == words and set(calls) == {name}
    recording = basic.tokenize.record("So-Café東京")
    assert recording.result == words and len(recording.steps) == 1  # the rules do not describe an override


def test_a_language_with_other_rules_for_words() -> None:
    class Kana(BasicTokenizer):
        def _is_chinese_char(self, cp: int) -> bool:
            return 0x3040 <= cp <= 0x30FF or super()._is_chinese_char(cp)

    assert Kana().tokenize("ひの") == ["ひ", "の"] and BasicTokenizer().tokenize("ひの") == ["ひの"]


def test_a_method_belongs_to_its_class_also_after_a_call() -> None:
    basic = BasicTokenizer()
    assert basic.tokenize("A") == ["a"]
    cased = copy.copy(basic)
    cased.do_lower_case = False
    assert cased.tokenize("A") == ["A"]  # the method of the copy, not of the original
    with mock.patch.object(BasicTokenizer, "tokenize", return_value=["mine"]):
        assert basic.tokenize("A") == ["mine"]
    assert basic.tokenize("A") == ["a"]


@EVERY_WAY
def test_an_encoding_s_batch_calls_encode(way: Way) -> None:
    encoding = tiktoken.Encoding(
        "toy", pat_str=r".+", mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
    )
    calls: list[Any] = []
    assert way(encoding, "encode", calls).encode_batch(["ab"]) == [[97, 98]] and calls
    assert way(encoding, "encode_ordinary", calls).encode_ordinary_batch(["ab"]) == [[97, 98]] and len(calls) == 2


SUBWORD_METHODS = {
    "encode": ("_tokens_to_subtoken_ids", "_token_to_subtoken_ids", "_escaped_token_to_subtoken_ids",
               "_escaped_token_to_subtoken_strings"),
    "decode": ("_subtoken_ids_to_tokens", "_subtoken_id_to_subtoken_string"),
}  # fmt: skip


@EVERY_WAY
@pytest.mark.parametrize("name", [name for names in SUBWORD_METHODS.values() for name in names])
def test_a_subword_encoder_calls_its_own_methods(name: str, way: Way) -> None:
    calls: list[Any] = []
    encoder = SubwordTextEncoder.build_from_generator(["so cool"], 30)
    ids = encoder.encode("so so cool")
    encoder._cache.clear()
    way(encoder, name, calls)
    assert encoder.encode("so so cool") == encoder.encode.record("so so cool").result == ids
    assert encoder.decode(ids) == "so so cool"
    assert set(calls) == {name}


def test_an_override_also_counts_for_tokens_seen_before() -> None:
    class Shifted(SubwordTextEncoder):
        def _token_to_subtoken_ids(self, token: str) -> list[int]:
            return [id + 1 for id in super()._token_to_subtoken_ids(token)]

    plain, shifted = (kind.build_from_generator(["so cool"], 30) for kind in (SubwordTextEncoder, Shifted))
    assert shifted.encode("so so") == shifted.encode("so so") == [id + 1 for id in plain.encode("so so")]


def test_building_and_loading_call_what_a_subclass_overrides(tmp_path: Path) -> None:
    calls: list[str] = []

    class Loud(SubwordTextEncoder):
        def build_from_token_counts(self, *args: Any, **kwargs: Any) -> None:
            calls.append("build_from_token_counts")
            super().build_from_token_counts(*args, **kwargs)

        def _init_alphabet_from_tokens(self, tokens: Any) -> None:
            super()._init_alphabet_from_tokens([*tokens, "é"])

        def _init_subtokens_from_list(self, *args: Any, **kwargs: Any) -> None:
            calls.append("_init_subtokens_from_list")
            super()._init_subtokens_from_list(*args, **kwargs)

        def _load_from_file_object(self, f: Any) -> None:
            calls.append("_load_from_file_object")
            super()._load_from_file_object(f)

    encoder = Loud.build_from_generator(["so cool"], 30)
    assert {*calls} == {"build_from_token_counts", "_init_subtokens_from_list"}
    assert "é" in encoder.all_subtoken_strings and encoder.decode(encoder.encode("é")) == "é"
    encoder.store_to_file(tmp_path / "v")
    assert Loud(tmp_path / "v").encode("so é") == encoder.encode("so é")
    assert calls[-2:] == ["_load_from_file_object", "_init_subtokens_from_list"]


@EVERY_WAY
@pytest.mark.parametrize("name", ["decode_list", "_safe_id_to_token"])
def test_a_token_encoder_calls_its_own_methods(name: str, way: Way) -> None:
    calls: list[Any] = []
    encoder = way(TokenTextEncoder(None, vocab_list=["so"]), name, calls)
    assert encoder.decode([2, 9]) == "so ID_9" and set(calls) == {name}


def test_a_list_of_bytes_may_be_shown_as_text() -> None:
    class Shown(ByteTextEncoder):
        def decode_list(self, ids: Any) -> Any:
            return [byte.decode("latin-1") for byte in super().decode_list(ids)]

    assert Shown().decode(Shown().encode("é")) == "é"  # which does not call decode_list
    assert Shown().decode_list([99]) == ["a"]


class Tea(Text2TextProblem):
    """A problem with one pair in each split."""

    vocab_type = VocabType.CHARACTER
    is_generate_per_split = True
    packed_length = 8

    @property
    def dataset_splits(self) -> list[dict[str, Any]]:
        return [{"split": split, "shards": 1} for split in ("train", "eval", "test")]

    def generate_samples(self, data_dir: str, tmp_dir: str, dataset_split: str) -> Iterator[Any]:
        yield {"inputs": "a", "targets": "b"}


@EVERY_WAY
@pytest.mark.parametrize(
    "name",
    [
        *("training_filepaths", "dev_filepaths", "test_filepaths", "dataset_filename", "_pack_fn", "generate_samples"),
        *("_maybe_pack_examples", "generate_encoded_samples", "get_or_create_vocab"),
    ],
)
def test_a_problem_calls_its_own_methods(name: str, way: Way, tmp_path: Path) -> None:
    calls: list[Any] = []
    way(Tea(), name, calls).generate_data(str(tmp_path), str(tmp_path))
    assert sorted(path.name.rpartition("-0000")[0] for path in tmp_path.iterdir()) == sorted(
        f"tea-{split}-00000-of" for split in ("train", "dev", "test")
    )
    assert set(calls) == {name}


def test_a_problem_with_characters_needs_no_vocabulary_file() -> None:
    class Unnamed(Tea):
        @property
        def vocab_filename(self) -> str:
            raise AssertionError("there is no file")

    assert Unnamed().feature_encoders("")["inputs"].encode("a") == [99]


PROCESSOR_CALLS = {
    "Encode": "EncodeAsIds", "Decode": "DecodeIds", "NBestEncode": "NBestEncodeAsIds",
    "ParallelEncode": "ParallelEncodeAsIds", "PieceToId": "__getitem__", "GetPieceSize": "__len__",
    "LoadFromSerializedProto": "Load",
}  # fmt: skip
ARGUMENTS: dict[str, dict[str, Any]] = {
    "DecodeIds": {"input": [4]},
    "ParallelEncodeAsIds": {"input": "hug", "chunk_len": 9},
    "__getitem__": {"piece": "a"},
    "__len__": {},
}


@EVERY_WAY
@pytest.mark.parametrize("name", PROCESSOR_CALLS)
def test_a_processor_s_method_may_be_any_callable(name: str, way: Way) -> None:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["hug hugs pug"]), model_writer=written, vocab_size=12, hard_vocab_limit=False
    )
    calls: list[Any] = []
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    given = {"model_proto": written.getvalue()} if PROCESSOR_CALLS[name] == "Load" else {"input": "hug"}
    given = ARGUMENTS.get(PROCESSOR_CALLS[name], given)
    plain = getattr(processor, PROCESSOR_CALLS[name])(**given)
    assert getattr(way(processor, name, calls), PROCESSOR_CALLS[name])(**given) == plain
    assert calls == [name]


@EVERY_WAY
@pytest.mark.parametrize(
    ("name", "caller"),
    [
        *(("decode", "decode_batch"), ("decode_bytes", "decode_bytes_batch")),
        *(("decode_tokens_bytes", "decode_with_offsets"), ("decode_single_token_bytes", "decode_tokens_bytes")),
    ],
)
def test_an_encoding_s_way_back_may_be_overridden(name: str, caller: str, way: Way) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    encoding, calls = tiktoken.Encoding("toy", pat_str=r".+", mergeable_ranks=ranks, special_tokens={}), list[Any]()
    given: Any = [[97], [98]] if "batch" in caller else [97, 98]
    plain = getattr(encoding, caller)(given)
    assert getattr(way(encoding, name, calls), caller)(given) == plain and set(calls) == {name}
