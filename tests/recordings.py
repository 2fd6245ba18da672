"""A small recording of each function that has a view, for tests of all views at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.libraries.transformers.test_generation import untrained
from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, TARGET, Letters, small_model
from tests.small_decoder import letters, small_decoder
from tokenlab import data
from tokenlab.algorithms.attention import attention_output as attend
from tokenlab.algorithms.attention import grouped_queries, left_padding, rotary_positions
from tokenlab.algorithms.attention import relative_buckets as bucket_map
from tokenlab.algorithms.bpe import encode as bpe_encode
from tokenlab.algorithms.bpe import encode_by_pairs as bpe_encode_pairs
from tokenlab.algorithms.bpe import encode_parts as bpe_encode_parts
from tokenlab.algorithms.bpe import encode_priority_queue as bpe_encode_agenda
from tokenlab.algorithms.bpe import train as bpe_train
from tokenlab.algorithms.bpe import train_indexed as bpe_train_indexed
from tokenlab.algorithms.decoding import contrastive
from tokenlab.algorithms.decoding import incremental_utf8 as held_bytes
from tokenlab.algorithms.decoding import sample_counts as draws
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens
from tokenlab.algorithms.pipeline.pad import pad_batch
from tokenlab.algorithms.pipeline.split_behavior import split_text
from tokenlab.algorithms.pipeline.template import apply_template, parse_template
from tokenlab.algorithms.pipeline.truncate import kept_lengths, overflow_windows
from tokenlab.algorithms.subword_text import build as subword_text
from tokenlab.algorithms.subword_text import build_cached as subword_text_fast
from tokenlab.algorithms.subword_text import build_to_size as subword_text_size
from tokenlab.algorithms.subword_text import escape as subword_text_escape
from tokenlab.algorithms.subword_text import split as subword_text_split
from tokenlab.algorithms.text import granularity as three_ways
from tokenlab.algorithms.text import id_mapping as id_layouts
from tokenlab.algorithms.text import normalize
from tokenlab.algorithms.text import pretokenize as split_by_rules
from tokenlab.algorithms.text import representation_levels as layers
from tokenlab.algorithms.training_data import pack, sample_lines, span_corruption, training_signal
from tokenlab.algorithms.unigram import expectation_maximization as unigram_em
from tokenlab.algorithms.unigram import forward_backward, n_best, viterbi
from tokenlab.algorithms.unigram import prune as unigram_prune
from tokenlab.algorithms.unigram import sample_segmentation as sampling
from tokenlab.algorithms.unigram import train as unigram_train
from tokenlab.algorithms.unigram import train_arrays as unigram_train_arrays
from tokenlab.algorithms.unigram import train_by_counting as unigram_count
from tokenlab.algorithms.wordpiece import encode as wordpiece_encode
from tokenlab.algorithms.wordpiece import train as wordpiece_train
from tokenlab.algorithms.wordpiece import train_by_frequency as wordpiece_train_by_count
from tokenlab.algorithms.wordpiece import train_indexed as wordpiece_train_indexed
from tokenlab.laboratory.comparison.compare_families import compare_families
from tokenlab.laboratory.comparison.measures import boundary_scores
from tokenlab.laboratory.real_tokenizers import compare_real_tokenizers
from tokenlab.libraries import tiktoken
from tokenlab.libraries.bert.tokenization import BasicTokenizer
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.encode_steps import round_trip
from tokenlab.libraries.tensor2tensor.generator_utils import generate_files
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder
from tokenlab.libraries.tiktoken.encode_steps import compare_special_token_policies
from tokenlab.libraries.transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForSeq2SeqLM,
    AutoModelWithLMHead,
    AutoTokenizer,
    T5Config,
)
from tokenlab.libraries.transformers.convert_slow_tokenizer import SLOW_TO_FAST_CONVERTERS
from tokenlab.libraries.transformers.models.auto.tokenization_auto import choose_tokenizer_class
from tokenlab.misconceptions import bpe_encoding as cuts
from tokenlab.misconceptions import bpe_training as bpe
from tokenlab.misconceptions import wordpiece
from tokenlab.show.explorers.explore_pipeline import train_bert_tokenizer
from tokenlab.show.explorers.explore_transformers import small_tokenizers
from tokenlab.steps.recording import Recording
from tokenlab.traces.generation.trace_beam_search import (
    compare_group_beam_search,
    trace_beam_search,
    trace_constrained_beam_search,
    trace_group_beam_search,
)
from tokenlab.traces.generation.trace_contrastive import trace_contrastive_search
from tokenlab.traces.generation.trace_decoder import trace_decoder
from tokenlab.traces.generation.trace_next_token import trace_next_token
from tokenlab.traces.generation.trace_sampling import trace_cross_attention, trace_sampling
from tokenlab.traces.t5.trace_decoding import trace_kv_cache, trace_token_losses
from tokenlab.traces.t5.trace_logit_difference import trace_logit_difference
from tokenlab.traces.t5.trace_model_map import trace_model_map
from tokenlab.traces.t5.trace_shapes import trace_shapes
from tokenlab.traces.t5.trace_text_to_text import trace_text_to_text
from tokenlab.traces.tokenization.trace_tokenizer_call import trace_tokenizer_call
from tokenlab.traces.tokenization.trace_tokenizer_choice import trace_tokenizer_choice

COUNTS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
PIECES = {"h": -2.6, "u": -1.8, "g": -2.4, "hu": -2.6, "ug": -2.3, "p": -2.5, "pu": -2.5, "n": -2.6, "un": -2.6}
PIECES |= {"b": -4.0, "bu": -4.0, "s": -3.7, "hug": -2.6}
MERGES = [("h", "e"), ("t", "he"), ("r", "e"), ("l", "o"), ("lo", "w")]
RANKS = {"he": 0, "the": 1, "re": 2, "lo": 3, "low": 4}
MERGE_TABLE = {pair: (rank, "".join(pair)) for rank, pair in enumerate(MERGES)}
SPECIAL = {"<a>": 256, "<a><b>": 257}
BYTES = tiktoken.Encoding(
    "bytes", pat_str=r"\w+|\W+", mergeable_ranks={bytes([n]): n for n in range(256)}, special_tokens=SPECIAL
)


class Known(Letters):
    """A tokenizer with the vocabulary size of the small model."""

    unk_token_id = 99

    def __len__(self) -> int:
        return 32

    def tokenize(self, text: str) -> list[str]:
        return [f"<{id}>" for id in self(text)["input_ids"][:-1]]

    def convert_tokens_to_ids(self, tokens: list[str]) -> list[int]:
        return [int(token[1:-1]) for token in tokens]


def _processor() -> SentencePieceProcessor:
    return SentencePieceProcessor(model_file=str(data.t5_tiny() / "spiece.model"))


def _pipeline() -> Any:
    tokenizer = train_bert_tokenizer(["low lower so he"], 60)
    tokenizer.add_tokens(["low"])
    tokenizer.enable_truncation(8, stride=1)
    tokenizer.enable_padding(pad_to_multiple_of=8)
    return tokenizer


def _subwords() -> SubwordTextEncoder:
    return SubwordTextEncoder.build_to_target_size(60, {"low": 9, "lower": 5, "so": 4}, 1, 20)


def recordings(folder: Path) -> dict[str, Recording[Any, Any]]:
    """Return a recording of each function by its qualified name; files are written to the folder."""
    made = [record() for record in (*_tokenizers(), *_auto(), *_data(folder), *models())]
    return {recording.function: recording for recording in made}


def _tokenizers() -> tuple[Callable[[], Recording[Any, Any]], ...]:
    return (
        lambda: bpe_train.train.record(COUNTS, 12),
        lambda: bpe_train_indexed.train_indexed.record(COUNTS, 12),
        lambda: bpe.tie_last_seen.record(COUNTS, 10),
        lambda: bpe.tie_lexicographic.record(COUNTS, 10),
        lambda: bpe.batch_merge_stale_counts.record(COUNTS, 10),
        lambda: bpe.no_exhaustion_guard.record(COUNTS, 10),
        lambda: bpe_encode.encode_in_order.record("there", MERGES),
        lambda: bpe_encode.encode_by_rank.record("there", RANKS),
        lambda: bpe_encode_parts.encode_with_parts.record("there", RANKS),
        lambda: bpe_encode_agenda.encode_with_priority_queue.record("there", RANKS),
        lambda: bpe_encode_pairs.encode_by_pairs.record("there", MERGE_TABLE),
        lambda: cuts.compare_segmentations.record("lower", MERGES),
        lambda: three_ways.tokenize_at_each_granularity.record("hug", "hug hugs pug", 3),
        lambda: split_by_rules.pretokenize.record("It's 3 o'clock", "gpt2"),
        lambda: layers.representation_levels.record("Hé \x85\xa0", lambda text: [text.encode()]),
        lambda: normalize.normalize.record("a  ﬁ", ["NFKC", "remove extra spaces"]),
        lambda: BasicTokenizer().tokenize.record("Hé, you"),
        lambda: BYTES.encode.record("so cool"),
        lambda: compare_special_token_policies.record("x<a><b>", BYTES),
        lambda: wordpiece_train.train.record(COUNTS, 12),
        lambda: wordpiece_train_indexed.train_indexed.record(COUNTS, 12),
        lambda: wordpiece_train_by_count.train_by_frequency.record(COUNTS, 12),
        lambda: wordpiece.frequency_score.record(COUNTS, 12),
        lambda: wordpiece_encode.encode_word.record("unwanted", {"un", "##want", "##ed", "##e", "u"}),
        lambda: viterbi.viterbi.record("hugs", PIECES),
        lambda: n_best.n_best.record("hug", PIECES, 3),
        lambda: forward_backward.forward_backward.record("pug", PIECES),
        lambda: sampling.sample_segmentation.record("hugs", PIECES, 0.5, Random(1)),
        lambda: unigram_train.train.record(COUNTS, 9),
        lambda: unigram_train_arrays.train_arrays.record(COUNTS, 9),
        lambda: unigram_count.train_by_counting.record(COUNTS, 8, removed=0.2),
        lambda: unigram_em.expectation_step.record({"hug": 2, "bun": 1}, PIECES),
        lambda: unigram_prune.piece_losses.record(COUNTS, PIECES),
        lambda: _processor().encode.record("the sea"),
        lambda: round_trip.record("the ☃ sea", _processor()),
        lambda: id_layouts.fairseq_id_mapping.record(["<unk>", "<s>", "</s>", "▁the", "s"]),
        lambda: id_layouts.t5_id_mapping.record(["<pad>", "</s>", "<unk>", "a"], sentinels=3, rows_multiple=16),
        lambda: held_bytes.stream_text.record([b"a\xc3", b"\xa9"]),
        lambda: subword_text_split.split_into_runs.record("a, b"),
        lambda: subword_text_escape.escape.record("s_n\\e", set("abcdenosu_\\;0123456789")),
        lambda: subword_text.segment_greedily.record("there_", {*"there_", "the", "re_", "ther"}),
        lambda: subword_text.select_subtokens.record(
            {"t": 9, "th": 9, "the": 7, "h": 9, "he": 7, "e": 7}, 3, set("the")
        ),
        lambda: subword_text.build.record({"the": 10, "then": 4}, 3, 2),
        lambda: subword_text_size.bisect_min_count.record(5, lambda least: ["x"] * (12 - int(least)), 1, 11),
        lambda: subword_text_fast.build_to_size_cached.record(30, subword_text_fast.Corpus({"the": 10, "then": 4})),
        lambda: _subwords().encode.record("so low"),
        lambda: apply_template.record(parse_template("[CLS] $A [SEP] $B:1"), ["so"], ["low"]),
        lambda: overflow_windows.record(7, 4, 1),
        lambda: kept_lengths.record(3, 9, 8),
        lambda: split_text.record("so, low", "[ ,]", "merged_with_next"),
        lambda: pad_batch.record([["so"], ["so", "low"]], multiple=3, direction="left"),
        lambda: boundary_scores.record(["un", "happ", "iness"], ["un", "happi", "ness"]),
        lambda: compare_families.record("hugs  é", "hug hugs hug hugs bug", 40),
        lambda: compare_real_tokenizers.record("Thai", ("GPT-2", "T5", "Llama 2")),
        lambda: compare_real_tokenizers.record("Hebrew", ("GPT-2", "Qwen 3", "Gemma 3")),
        lambda: split_added_tokens.record("so [M] b [M]", {"[M]": AddedTokenRule(4, lstrip=True)}),
        lambda: _pipeline().encode.record("Hé… [M] low", "so"),
    )


def _auto() -> tuple[Callable[[], Recording[Any, Any]], ...]:
    tiny, config = str(data.t5_tiny()), T5Config(32, 8, 4, 16, 1, num_heads=2)
    return (
        lambda: _both_tokenizers(),
        *(lambda kind=kind: _conversion(kind) for kind in ("BERT", "GPT-2", "RoBERTa", "T5")),
        lambda: choose_tokenizer_class.record(tiny),
        lambda: trace_tokenizer_choice.record("No", "", "t5"),
        lambda: AutoConfig.from_pretrained.record(tiny),
        lambda: AutoTokenizer.from_pretrained.record(tiny, use_fast=False),
        lambda: AutoModelForSeq2SeqLM.from_pretrained.record(tiny),
        lambda: AutoModel.from_config.record(config),
        lambda: ignoring_warnings(AutoModelWithLMHead.from_pretrained.record, tiny),
        lambda: ignoring_warnings(AutoModelWithLMHead.from_config.record, config),
    )


def _both_tokenizers() -> Recording[Any, Any]:
    options = {"truncation": True, "padding": "max_length", "max_length": 12}
    return trace_tokenizer_call.record(*small_tokenizers("BERT"), "Hello [MASK] wörld", "second text", options)


def _conversion(family: str) -> Recording[Any, Any]:
    slow, _ = small_tokenizers(family)
    recording: Recording[Any, Any] = SLOW_TO_FAST_CONVERTERS[type(slow).__name__](slow).converted.record()
    return recording


def ignoring_warnings(record: Callable[..., Recording[Any, Any]], *arguments: Any) -> Recording[Any, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return record(*arguments)


def _data(folder: Path) -> tuple[Callable[[], Recording[Any, Any]], ...]:
    examples = [{"inputs": [n, 1], "targets": [n + 1, 1]} for n in range(2, 6)]
    return (
        lambda: sample_lines.sample_lines.record(["a a", "b", "c c c"], 14, 10),
        lambda: pack.pack.record([([7] * n,) for n in (8, 6, 4, 5, 3)], 10, 0, 4),
        lambda: generate_files.record(iter(examples), [str(folder / f"train-{n}") for n in range(2)]),
        lambda: span_corruption.corrupt.record("abcd", [True, True, False, True], "XYZ", "."),
        lambda: span_corruption.corrupt_spans.record(list(range(5, 25)), Random(1)),
        lambda: span_corruption.source_length.record(20),
        lambda: training_signal.compare_objectives.record("abcd", [False, True, False, False], "XY", "."),
    )


def models() -> tuple[Callable[[], Recording[Any, Any]], ...]:
    known = Known()
    return (
        lambda: attend.attention_output.record([[2, -1]], [[1, 0], [3, 5]], [[1], [2]], None, None, ["a"], ["b", "c"]),
        lambda: bucket_map.buckets_by_distance.record(True, 8, 16),
        lambda: grouped_queries.group_heads.record(4, 2),
        lambda: left_padding.padded_keys.record([0, 1, 1]),
        lambda: rotary_positions.rotary_scores.record([1, 0.5], [0.8, 1], [(2, 0), (3, 1), (3, 3)], theta=100),
        lambda: trace_decoder.record(small_decoder(), letters(), "an owl", max_new=3),
        lambda: draws.count_samples.record({"a": 0.5, "b": 0.5}, 10),
        lambda: contrastive.contrastive_select.record([0.6, 0.4], [[1, 0], [0, 1]], [[1, 1]], 0.5),
        lambda: trace_token_losses.record(small_model(), LETTERS, SOURCE, TARGET, 5),
        lambda: trace_kv_cache.record(small_model(), LETTERS, SOURCE, length=2),
        lambda: trace_model_map.record(small_model(), None, [5, 6, 1], [7, 8, 1], source_position=1),
        lambda: trace_logit_difference.record(small_model(), OneByOne(), "ab", "c", 0, ("<5>", "<6>")),
        lambda: trace_shapes.record(T5Config(32, 8, 4, 16, 1, num_heads=2), 4, 5),
        lambda: trace_text_to_text.record([[5, 6, 1]], small_model(), known),
        lambda: trace_next_token.record(small_model(), known, SOURCE, top_k=3),
        lambda: trace_sampling.record(small_model(), known, SOURCE, max_new_tokens=3),
        lambda: trace_cross_attention.record(small_model(), known, SOURCE, max_new_tokens=3),
        lambda: trace_contrastive_search.record(untrained(7), Named(), "abc", 0.6, 4, 6),
        lambda: trace_beam_search.record(untrained(0), Named(), "abc", 3, max_length=6),
        lambda: trace_group_beam_search.record(small_model(), known, "a dog", 4, 2, 0.7, 1.0, 6),
        lambda: compare_group_beam_search.record(small_model(), known, "a dog", 4, 2, 0.7, 1.0, 6),
        lambda: trace_constrained_beam_search.record(small_model(), known, "a dog", "b", max_length=6),
    )


class OneByOne(Letters):
    """A tokenizer that returns the id of a token."""

    unk_token, unk_token_id = "<31>", 31

    def convert_tokens_to_ids(self, token: str) -> int:
        return int(token[1:-1])


class Named(Letters):
    """A tokenizer with the 9 ids of an untrained model."""

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [*(2 + ord(c) % 7 for c in text), 1]}

    def __len__(self) -> int:
        return 9
