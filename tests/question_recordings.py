"""Recordings whose players together ask every question: the small ones of all views, and those of the views' tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from tests.libraries.sentencepiece.test_sentencepiece import changed
from tests.libraries.transformers.test_sampling_steps import asked as next_token
from tests.libraries.transformers.test_t5_seen import LETTERS, SOURCE, TARGET, small_model
from tests.recordings import recordings
from tests.unit.test_beam_views import recorded as beam_search
from tests.unit.test_constraint_views import CASES
from tests.unit.test_constraint_views import written as constrained
from tests.unit.test_contrastive_views import PLAIN, TEXT, in_circles, streamed
from tests.unit.test_encoding_questions import MERGES, RANKS, SMALL
from tests.unit.test_group_views import searched
from tests.unit.test_pipeline_views import CORPUS, byte_level
from tests.unit.test_span_corruption_questions import recorded as corrupted
from tests.unit.test_subword_text_questions import COUNTS, ENCODER
from tests.unit.test_t5_attention_views import head
from tests.unit.test_training_data_questions import CHINESE, ENGLISH, sampled
from tests.unit.test_unigram_lattice import HUG
from tests.unit.test_unigram_segmenting_views import ENGLISH as PIECES
from tests.unit.test_unigram_segmenting_views import UNKNOWN
from tests.unit.test_unigram_training_views import PIECES as THESE
from tests.unit.test_unigram_training_views import THIS, TRAINED
from tokenlab import data
from tokenlab.algorithms.attention.relative_buckets import buckets_by_distance
from tokenlab.algorithms.bpe import train as bpe
from tokenlab.algorithms.bpe import train_indexed as bpe_indexed
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.decoding.contrastive import contrastive_select
from tokenlab.algorithms.subword_text.build import segment_greedily, select_subtokens
from tokenlab.algorithms.subword_text.split import split_into_runs
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.algorithms.training_data.pack import pack
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.sample_segmentation import sample_segmentation
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.algorithms.wordpiece import train as wordpiece
from tokenlab.algorithms.wordpiece import train_indexed as wordpiece_indexed
from tokenlab.algorithms.wordpiece.encode import encode_word
from tokenlab.libraries import tiktoken
from tokenlab.libraries.sentencepiece import SentencePieceProcessor
from tokenlab.libraries.sentencepiece.encode_steps import round_trip
from tokenlab.libraries.tokenizers import AddedToken
from tokenlab.misconceptions.bpe_encoding import compare_segmentations
from tokenlab.show.explorers.explore_pipeline import train_bert_tokenizer
from tokenlab.steps.recording import Recording
from tokenlab.traces.t5.trace_decoding import trace_kv_cache, trace_token_losses
from tokenlab.traces.t5.trace_model_map import trace_model_map

FIVE = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
LINE = "The ﬁsh…  ① cafe\u0301 <b>龘</b>"


def question_recordings(folder: Path) -> Iterator[Recording[Any, Any]]:
    """Yield the recordings; files are written to the folder."""
    yield from recordings(folder).values()
    yield from _subwords()
    yield from _sentencepiece()
    yield from _pipelines()
    yield from _training_data()
    yield from (make() for make in models())


def _subwords() -> Iterator[Recording[Any, Any]]:
    words = count_words(data.text("english"))
    yield bpe.train.record(FIVE, 99)
    yield bpe_indexed.train_indexed.record(words, 300, min_frequency=100)
    yield wordpiece.train.record(FIVE, 14)
    yield wordpiece_indexed.train_indexed.record(words, 300, min_frequency=5)
    yield encode_by_rank.record("understanding", RANKS)
    yield compare_segmentations.record("unhappiness", MERGES, mine="unh appiness")
    yield representation_levels.record("Hi 日本", lambda text: [text.encode()])
    yield SMALL.encode.record("unhappy!")  # asks about a byte
    yield SMALL.encode.record("The player")  # and about the first merge
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256}
    whole = tiktoken.Encoding("whole", pat_str=r"\w+|\W+", mergeable_ranks=ranks, special_tokens={})
    yield whole.encode.record("a abc")
    yield encode_word.record("unhappiest", {"un", "##hap", "##p", "u"})
    yield viterbi.record("soundings", PIECES, UNKNOWN)
    yield expectation_step.record(THIS, THESE)
    yield TRAINED
    yield sample_segmentation.record("hugs", HUG, 0.3, Random(1))
    yield split_into_runs.record("Don't stop - it's so cool ")
    yield segment_greedily.record("xabcde_", {*"xabcde_", "ab", "abc", "cde_", "e_"})
    yield select_subtokens.record(COUNTS, 3, set("them"))
    yield ENCODER.encode.record("a snake_case")


def _sentencepiece() -> Iterator[Recording[Any, Any]]:
    processor = SentencePieceProcessor(model_file=str(data.t5_tiny() / "spiece.model"))
    yield processor.encode.record(LINE)
    yield round_trip.record(LINE, processor)

    def unused(model: Any) -> None:
        next(entry for entry in model.pieces if entry.piece == "▁the").type = 5

    bpe_processor = SentencePieceProcessor(model_proto=changed(unused, "bpe"))
    yield bpe_processor.encode.record("the")
    yield bpe_processor.encode.record("The other ﬁsh")


def _pipelines() -> Iterator[Recording[Any, Any]]:
    tokenizer = train_bert_tokenizer([CORPUS] * 5, vocab_size=120)
    yield tokenizer.encode.record("Wait… ﬁsh", None)
    yield tokenizer.encode.record("the fish", None)
    tokenizer.add_tokens([AddedToken("new sea", lstrip=True)])
    yield tokenizer.encode.record("the ＮＥＷ sea", None)
    yield byte_level().encode.record("i ⭢ j", None)


def _training_data() -> Iterator[Recording[Any, Any]]:
    yield sampled(ENGLISH, 250)
    yield sampled(CHINESE, 250)
    for spacing in (0, 2):
        yield pack.record([([7] * n,) for n in (5, 8, 3, 9, 2, 4, 1)], 12, spacing, 4)
    yield from (corrupted(seed) for seed in range(3))


def models() -> tuple[Callable[[], Recording[Any, Any]], ...]:
    """Functions that make the recordings of models and of generation."""
    parts = ("encoder.block.1.self", "decoder.block.1.self", "decoder.block.1.cross")
    return (
        *(partial(head, f"{part}_attention", length) for part in parts for length in (6, 1)),
        lambda: buckets_by_distance.record(False),
        lambda: trace_token_losses.record(small_model(), LETTERS, SOURCE, TARGET, 20),
        lambda: trace_kv_cache.record(small_model(), LETTERS, SOURCE, TARGET, 10),
        lambda: trace_model_map.record(small_model(), None, [5, 6, 9, 1], [7, 8, 1], source_position=1),
        lambda: next_token(temperature=2.0, top_k=0, top_p=0.5),
        *(partial(beam_search, 0, 3, 1.0, early_stopping, "eos") for early_stopping in (False, "never")),
        *(partial(beam_search, 1, 3, 2.0, early_stopping, "eos") for early_stopping in (False, "never")),
        *(partial(searched, 4, 4, 0.3, seed) for seed in range(3)),
        *(partial(constrained, *case) for case in CASES),
        in_circles,
        lambda: contrastive_select.record(*PLAIN),
        partial(streamed, TEXT),
    )
