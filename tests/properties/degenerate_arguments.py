"""Degenerate but legal arguments of every public function of `tokenlab.algorithms`.

`BY_NAME` has the values of a parameter in all functions that have one of this name, `OWN` those in one function;
`TOGETHER`, in `degenerate_together`, has arguments that have to fit to each other.
"""

from __future__ import annotations

from collections import Counter
from math import inf, log

import numpy as np
from hypothesis import strategies as st

from tests.properties.degenerate_together import OPTIONS
from tests.properties.degenerate_values import (
    ALL_BYTES,
    ALPHABET,
    BYTES,
    CHARACTER,
    COUNT,
    DISTRIBUTION,
    FILE,
    FORM,
    HYPOTHESIS,
    IDS,
    LATTICE,
    LOGIT,
    MERGE_TABLE,
    MERGES,
    NUMBER,
    PAIR,
    PATTERN,
    PIECES,
    POOL,
    POSITIVE,
    PREFIX,
    PROBABILITIES,
    RANDOM,
    RANKS,
    SCORED,
    SENTINELS,
    SIDE,
    SIZE,
    SPLIT,
    SUBWORD_CORPUS,
    SYMBOLS,
    TEMPLATE,
    TEXT,
    TIE_BREAK,
    TOKENS,
    TRIE,
    UNKNOWN,
    VOCABULARY,
    WORD,
    WORDPIECES,
    WORDS,
    Strategy,
    among,
    optional,
    rows_of,
)
from tokenlab.algorithms.bpe.tie_break import POLICIES, Tied
from tokenlab.algorithms.bpe.train import TrainingState
from tokenlab.algorithms.corpus.corpus_files import TextBatch
from tokenlab.algorithms.corpus.count_chunks import InThisThread
from tokenlab.algorithms.decoding.beam_search import Candidate
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule
from tokenlab.algorithms.pipeline.split_behavior import BEHAVIORS
from tokenlab.algorithms.pipeline.template import SequencePiece, SpecialPiece
from tokenlab.algorithms.pipeline.truncate import STRATEGIES
from tokenlab.algorithms.text.alignment import Replacement
from tokenlab.algorithms.text.normalize import RULES
from tokenlab.algorithms.text.pre_tokenizers import SPLITTERS
from tokenlab.algorithms.training_data.ngram_model import count_ngrams
from tokenlab.algorithms.unigram.prune import PieceLoss
from tokenlab.libraries.tokenizers.trainers.train_bpe import SymbolTable

COUNTS = st.builds(count_ngrams, rows_of(IDS), POSITIVE)

THETA = among((100.0, 1.0, 0.0))
BY_NAME: dict[str, Strategy] = {
    **dict.fromkeys(("text", "sentence", "corpus", "token", "segment", "name", "plain"), TEXT),
    **dict.fromkeys(("character", "first", "second"), CHARACTER),
    **dict.fromkeys(("scores", "logarithms"), rows_of(LOGIT)),
    **dict.fromkeys(("source", "target", "d_model", "d_kv", "d_ff", "source_length", "steps"), COUNT),
    **dict.fromkeys(
        ("encoder_blocks", "decoder_blocks", "spacing", "sentinels", "pieces", "iterations", "size"), COUNT
    ),
    **dict.fromkeys(("packed_length", "queue_size", "rows_multiple", "segments", "items", "chunk_bytes"), COUNT),
    **dict.fromkeys(("longest", "k", "groups", "beams", "num_beams", "draws", "top_k", "seed_size", "merges"), COUNT),
    **dict.fromkeys(("length", "max_length", "stride", "num_merges", "min_frequency", "seed", "processes"), COUNT),
    **dict.fromkeys(("bidirectional", "early_stopping", "fuse_unknown", "invert", "whole_words"), st.booleans()),
    **dict.fromkeys(("exact", "chop", "ends", "add_special_tokens", "total_symbols"), st.booleans()),
    **dict.fromkeys(("written", "chosen", "ids", "labels", "phrase", "relative_positions"), IDS),
    **dict.fromkeys(("words", "word_counts", "token_counts"), WORDS),
    "probabilities": PROBABILITIES,
    "random": RANDOM,
    "tied": st.builds(Tied, PAIR, st.just((0, 1)), st.just((0, 0))),
    "progress": st.just(False),
    "penalty": among((0.0, 1.0, 2.0)),
    "temperature": optional(among((1.0, 1e-9, 1e9, 0.0))),
    "repetition_penalty": optional(among((1.0, 2.0))),
    "top_p": among((1.0, 0.5, 1e-9)),
    "typical_p": among((0.5, 1e-9)),
    "mass": among((0.5, 1e-9, 1.0)),
    "alpha": among((0.0, 0.5, 1.0, inf)),
    "number": among((0.0, 0.5, 1 - 2**-53)),
    "dropout": among((0.0, 0.5, 1.0)),
    "unknown": UNKNOWN,
    "vocabulary": VOCABULARY,
    "lattice": LATTICE,
    "trie": TRIE,
    "ties": among(("longest_last", "shortest_last")),
    "pair": PAIR,
    "split": SPLIT,
    "prefix": PREFIX,
    "vocab_size": SIZE,
    "tie_break": TIE_BREAK,
    "form": FORM,
    "eos": among((0, 1)),
    "noise_density": among((0.15, 0.5, 1e-9, 1 - 1e-9)),
    "mean_span_length": among((1.0, 3.0, 1e6)),
    "budget": among((1e-9, 1.0, 1e9)),
    "executor": st.none(),
    "behavior": among(BEHAVIORS),
    "direction": among(("left", "right")),
    "min_count": among((0, 1, 2, 0.5)),
    "reserved_tokens": optional(among(([], ["<pad>"], ["<pad>", "<EOS>", "a"]))),
    "num_buckets": SIZE,
    "max_distance": SIZE,
    "relative_position": among((0, 1, -1, -1000)),
    "window": optional(POSITIVE),
    **dict.fromkeys(("limit", "max_token_length", "fixed", "multiple"), optional(COUNT)),
}
OWN: dict[str, dict[str, Strategy]] = {
    "attention.attention_output.value_range": {"rows": rows_of(rows_of(LOGIT))},
    "attention.grouped_queries.group_heads": {"num_heads": COUNT, "num_kv_heads": COUNT},
    "attention.grouped_queries.kv_cache_bytes": dict.fromkeys(
        ("layers", "num_kv_heads", "head_dim", "tokens", "sequences", "bytes_per_number"), COUNT
    ),
    "attention.left_padding.padded_keys": {"attention_mask": rows_of(among((0, 1)))},
    "attention.rotary_positions.rotate": {"vector": rows_of(NUMBER), "position": COUNT, "theta": THETA},
    "attention.rotary_positions.pair_angle": {"pair": COUNT, "size": COUNT, "position": COUNT, "theta": POSITIVE},
    "attention.rotary_positions.check_vector": {"vector": rows_of(NUMBER), "theta": THETA},
    "attention.decoder.shift_right": {"labels": rows_of(among((0, 1, -100))), "start": COUNT, "pad": COUNT},
    "attention.decoder.with_decoder_start": {"start": COUNT},
    "attention.decoder.decoder_mask": {"attention_mask": rows_of(among((0, 1))), "min_value": among((-9.0, -inf))},
    "libraries.tiktoken.load.check_ranks": {
        "ranks": among(({}, {b"a": 0}, {b"a": 0, b"b": 0}, ALL_BYTES, ALL_BYTES | {b"ab": 256}))
    },
    "bpe.encode.merge_ranks": {"merges": MERGES, "first": COUNT},
    "bpe.encode.encode_in_order": {"merges": MERGES, "piece": WORD | BYTES | SPLIT},
    "bpe.encode.encode_by_rank": {"piece": WORD | SPLIT, "ranks": RANKS},
    "bpe.encode_by_pairs.encode_by_pairs": {"symbols": SPLIT, "merges": MERGE_TABLE},
    "bpe.encode_by_pairs.shown": {"symbol": WORD | COUNT},
    "bpe.encode_by_pairs.merge_ids": {
        "merges": among(({}, {(1, 1): (0, 2)}, {(1, 1): (0, 1)}, {(0, 1): (0, 2), (2, 1): (0, 2)}))
    },
    "libraries.transformers.models.gpt2.tokenization_gpt2.encode_by_rounds": {
        "piece": WORD | SPLIT,
        "ranks": st.dictionaries(PAIR, COUNT, max_size=3),
    },
    "bpe.encode_parts.encode_with_parts": {"piece": WORD, "ranks": RANKS},
    "bpe.encode_priority_queue.encode_with_priority_queue": {"piece": WORD, "ranks": RANKS},
    "bpe.resegment.resegment": {
        "pieces": TOKENS,
        "parts": among(
            ({}, {"ab": ("a", "b")}, {"aba": ("ab", "a"), "ab": ("a", "b")}, {"a": ("a", "")}, {"ab": ("ab", "ab")})
        ),
        "unused": st.sets(SCORED),
    },
    "bpe.tie_break.checked_policy": {"policy": among(tuple(POLICIES.values()))},
    "bpe.token_ends.token_ends": {"piece": WORD, "ranks": RANKS},
    "bpe.train.replace_pair": {"symbol": WORD.filter(bool)},
    "libraries.tokenizers.trainers.train_bpe.train_huggingface": {
        "special_tokens": TOKENS,
        "characters": optional(ALPHABET.map(sorted)),
        "suffix": WORD,
    },
    "libraries.tokenizers.trainers.train_bpe.limited_alphabet": {"initial": ALPHABET},
    "libraries.tokenizers.trainers.train_bpe.last_occurrences": {"merges": MERGES},
    "bpe.train_indexed.merge_in_words": {
        "words": st.builds(list, rows_of(WORD)),
        "numbers": st.just([]),
        "pair": among(("ab", "aa")),
        "new": st.just("c"),
    },
    "libraries.tokenizers.trainers.train_parity_bpe.train_parity": {
        "languages": st.lists(WORDS, max_size=2),
        "dev": st.lists(WORDS, max_size=2),
        "ratio": optional(among(([1.0], [1.0, 1.0], []))),
        "global_merges": COUNT,
        "special_tokens": TOKENS,
        "initial_alphabet": ALPHABET,
        "limit_alphabet": optional(COUNT),
        "suffix": WORD,
        "on_merge": st.just(lambda: None),
        "alpha": among((0.5, 1.0, 2.0)),
    },
    "libraries.tokenizers.trainers.train_parity_bpe.dev_index": {
        "table": st.builds(SymbolTable, TOKENS, ALPHABET.map(sorted), PREFIX, WORD)
    },
    "bpe.train.check_options": {"options": OPTIONS},
    "bpe.train.vocabulary": {
        "start": st.builds(TrainingState, st.just({"ab": 1}), st.just(2)),
        "merges": MERGES,
    },
    "bpe.train.check_vocab_size": {"alphabet": ALPHABET, "special": TOKENS},
    "corpus.corpus_files.count_texts": {"texts": rows_of(TEXT), "words_of": st.just(str.split)},
    "corpus.corpus_files.count_all": {"texts": rows_of(TEXT), "words_of": st.just(str.split)},
    "corpus.corpus_files.count_lines": {"count": st.just(Counter), "names": rows_of(FILE), "errors": st.just("strict")},
    "corpus.count_chunks.count_chunks": {
        "count": st.just(Counter),
        "chunks": st.lists(st.builds(TextBatch, rows_of(TEXT), COUNT), max_size=2),
        "advance": st.just(lambda size: None),
    },
    "corpus.count_chunks.most_in_flight": {"executor": st.builds(InThisThread)},
    "corpus.count_chunks.check_executor": {"executor": st.builds(InThisThread)},
    "corpus.read_chunks.find_files": {"paths": rows_of(FILE)},
    "corpus.read_chunks.is_url": {"path": FILE | TEXT},
    "corpus.read_chunks.size_of": {"path": FILE},
    "corpus.read_chunks.open_file": {"path": FILE},
    "corpus.read_chunks.divide_text": {"path": FILE, "chunk_bytes": POSITIVE, "errors": st.just("strict")},
    "corpus.read_chunks.divide": {"path": FILE, "chunk_bytes": POSITIVE, "field": TEXT},
    "decoding.next_token.penalized_logit": {"score": LOGIT, "penalty": among((1.0, 2.0))},
    "decoding.next_token.softmax_with_temperature": {"temperature": among((1.0, 1e-9, 1e9, 0.0))},
    "decoding.constraints.banned_tokens": {"bad_words": rows_of(IDS)},
    "decoding.constraints.ends_with": {"start": IDS},
    "decoding.beam_search.select_beams": {
        "beams": rows_of(IDS).filter(bool),
        "candidates": rows_of(st.builds(Candidate, st.just(0), COUNT, among((-1.0, -1.0, -inf)))),
    },
    "decoding.beam_search.candidate_status": {"rank": COUNT, "num_running": COUNT},
    "decoding.diversity.distinct_n": {"rows": rows_of(TEXT)},
    "decoding.filters.min_p_filter": {"min_p": among((0.0, 1.0, 0.5, 1.5))},
    "decoding.filters.surprisal": {"probability": among((0.0, 1.0, 0.5, 1e-300))},
    "decoding.stopping_rule.hypothesis_score": {
        "total": among((0.0, -1.0, -inf)),
        "length_penalty": among((0.0, 1.0, -1.0)),
    },
    "decoding.stopping_rule.add_hypothesis": {"pool": POOL, "hypothesis": HYPOTHESIS},
    "decoding.stopping_rule.sorted_hypotheses": {"pool": POOL},
    "decoding.incremental_utf8.stream_text": {"tokens": rows_of(BYTES)},
    "decoding.incremental_utf8.split_complete": {"received": BYTES},
    "decoding.incremental_utf8.is_incomplete": {"tail": BYTES},
    "decoding.next_token.sample_next_token": {"top_k": optional(COUNT), "top_p": optional(among((1.0, 1e-9)))},
    "decoding.constraints.constraint_progress": {"tokens": IDS},
    "decoding.sample_counts.count_samples": {"distribution": DISTRIBUTION},
    "decoding.sample_counts.cumulative_intervals": {"distribution": DISTRIBUTION},
    "decoding.sample_counts.mean_and_std": {"probability": among((0.0, 0.5, 1.0))},
    "decoding.stopping_rule.get_length_rule": {"length_counts": among(("prompt", "eos", "", None))},
    "decoding.stopping_rule.stopping_reason": {"best_attainable_score": LOGIT},
    "pipeline.added_tokens.split_added_tokens": {
        "tokens": st.dictionaries(TEXT, st.builds(AddedTokenRule, COUNT, *[st.booleans()] * 3), max_size=3),
        "as_text": st.sets(TEXT, max_size=1),
    },
    "pipeline.added_tokens.matcher": {"contents": rows_of(TEXT).map(tuple)},
    "pipeline.unicode_versions.code_points": {"ranges": among(("", "61", "61-62 0"))},
    "pipeline.unicode_versions.compile_words": {"pattern": among(("", "a", "[{L}]+"))},
    "pipeline.pad.padded_length": {"lengths": rows_of(COUNT)},
    "pipeline.pad.pad": {"values": IDS, "padding": COUNT},
    "pipeline.pad.pad_batch": {"rows": rows_of(IDS), "padding": COUNT},
    "pipeline.split_behavior.split_by_behavior": {
        "matches": among(
            (
                [],
                [((0, 0), True)],
                [((0, 1), True)],
                [((0, 1), True), ((1, 2), True)],
                [((0, 1), False), ((1, 1), True)],
            )
        )
    },
    "pipeline.split_behavior.split_text": {"pattern": PATTERN},
    "pipeline.template.parse_template": {"template": TEMPLATE | rows_of(TEMPLATE)},
    "pipeline.template.parse_piece": {"text": TEMPLATE},
    "pipeline.template.apply_template": {
        "template": rows_of(st.builds(SpecialPiece, TEXT, COUNT) | st.builds(SequencePiece, among("AB"), COUNT)),
        "first": TOKENS,
        "second": optional(TOKENS),
        "special_tokens": optional(st.dictionaries(TEXT, TOKENS, max_size=2)),
    },
    "pipeline.template.require_second": {"second": optional(TOKENS)},
    "pipeline.truncate.kept_lengths": {"first": COUNT, "second": optional(COUNT), "strategy": among(tuple(STRATEGIES))},
    "subword_text.build.build": {"max_length": optional(COUNT)},
    "subword_text.build.segment_greedily": {"escaped": WORD, "subtokens": st.sets(WORD)},
    "subword_text.build.not_encodable_error": {"escaped": st.just("ab"), "start": among((0, 1))},
    "subword_text.build.substrings_at_boundaries": {"segmentation": rows_of(WORD), "max_length": optional(COUNT)},
    "subword_text.build.select_subtokens": {"counts": WORDS, "alphabet": ALPHABET},
    "subword_text.build.collect_alphabet": {"tokens": rows_of(TEXT), "escape_characters": TEXT},
    "subword_text.build.check_reserved_tokens": {"tokens": optional(among(([], ["<pad>"], ["<pad>", "<EOS>"], ["a"])))},
    "subword_text.build_cached.build_cached": {"corpus": SUBWORD_CORPUS},
    "subword_text.build_cached.build_to_size_cached": {
        "target_size": SIZE,
        "corpus": SUBWORD_CORPUS,
        "low": POSITIVE,
        "high": POSITIVE,
    },
    "subword_text.build_to_size.bisect_min_count": {
        "target_size": SIZE,
        "build_with": st.just(lambda least: ["x"] * int(9 / (least + 1))),
        "low": COUNT,
        "high": COUNT,
    },
    "subword_text.build_to_size.check_search": {"target_size": SIZE, "low": COUNT, "high": COUNT},
    "subword_text.build_to_size.too_small": {"target_size": SIZE, "alphabet": ALPHABET, "reserved": TOKENS},
    "subword_text.escape.escape": {"alphabet": ALPHABET},
    "subword_text.escape.escape_with_replace": {"alphabet": ALPHABET},
    "subword_text.escape.unescape": {"escaped": TEXT | among(("\\\\", "\\u", "\\;", "\\99999999999;", "\\0;"))},
    "subword_text.split.join_runs": {"tokens": rows_of(TEXT)},
    "text.alignment.apply_replacements": {
        "text": st.just("ab"),
        "changes": among(([], [Replacement(0, "", "")], [Replacement(1, "b", "")])),
    },
    "text.byte_symbols.bytes_to_symbols": {"data": BYTES},
    "text.byte_symbols.symbols_to_bytes": {"symbols": TEXT},
    "text.count_words.count_words": {
        "texts": TEXT | rows_of(TEXT),
        "split": among(tuple(SPLITTERS)),
        "symbols": SYMBOLS,
        "processes": st.just(1),
    },
    "text.count_words.count_words_in_files": {
        "paths": st.lists(FILE, max_size=2),
        "split": among(tuple(SPLITTERS)),
        "symbols": SYMBOLS,
        "processes": st.just(1),
        "field": st.just("text"),
    },
    "text.count_words.characters": {"word": TEXT},
    "text.count_words.to_symbols": {"word": TEXT | BYTES | SPLIT},
    "text.count_words.words_to_symbols": {
        "words": st.lists(TEXT | BYTES | SPLIT, max_size=3),
        "end_of_word": among(("", "</w>")),
    },
    "text.count_words.utf8": {"word": TEXT | st.just("\ud83d")},
    "text.granularity.tokenize_at_each_granularity": {"merges": COUNT},
    "text.id_mapping.fairseq_id_mapping": {
        "pieces": among(([], ["<unk>"], ["<unk>", "<s>", "</s>"], ["<unk>", "<s>", "</s>", "a", "a"]))
    },
    "text.id_mapping.fairseq_id": {"id": COUNT},
    "text.id_mapping.sentinel_id": {"number": COUNT},
    "text.id_mapping.t5_id_mapping": {"pieces": TOKENS},
    "text.normalize.normalize": {"rules": rows_of(among(tuple(RULES)))},
    "text.normalize.named_rules": {"rules": rows_of(among(tuple(RULES)))},
    "text.normalization_rules.per_character": {"rule": among((str.upper, lambda character: ""))},
    "libraries.tokenizers.text.oniguruma.translate": {"pattern": PATTERN},
    "libraries.tokenizers.text.oniguruma_classes.plain_name": {"name": WORD},
    "libraries.tokenizers.text.oniguruma_classes.property_query": {"plain": WORD},
    "libraries.tokenizers.text.oniguruma_classes.hexadecimal": {"digits": among(("0", "41", "10FFFF"))},
    "text.pretokenize.pretokenize": {"pattern": among(tuple(SPLITTERS))},
    "text.representation_levels.representation_levels": {
        "tokens_of": among((lambda text: [text.encode()], lambda text: [bytes([b]) for b in text.encode()]))
    },
    "text.tokenizations.tokenizations": {"word": WORD, "pieces": st.sets(WORD)},
    "text.tokenizations.segmentations": {"text": WORD, "pieces": st.sets(WORD)},
    "training_data.document_batch.document_batch": {"documents": rows_of(IDS), "width": COUNT, "end": st.just(0)},
    "training_data.ngram_model.count_ngrams": {"documents": rows_of(IDS), "order": COUNT},
    "training_data.ngram_model.probability": {"id": COUNT, "context": IDS.map(tuple), "counts": COUNTS},
    "training_data.ngram_model.ngram_nats": {"document": IDS, "counts": COUNTS, "order": COUNT},
    "training_data.pack.pack": {"examples": rows_of(IDS.map(lambda ids: (ids,))) | rows_of(st.tuples(IDS, IDS))},
    "training_data.pack.split_long_example": {"example": IDS.map(lambda ids: (ids,)) | st.tuples(IDS, IDS)},
    "training_data.sample_lines.sample_lines": {"lines": rows_of(TEXT)},
    "training_data.span_corruption.source_length": {"inputs_length": COUNT, "noise_density": among((0.15, 0.5))},
    "training_data.span_corruption.corrupt_spans": {
        "tokens": rows_of(among((10, 11)), 5),
        "sentinels": SENTINELS,
        "eos": st.just(1),
    },
    "training_data.span_corruption.reconstruct": {
        "inputs": SIDE,
        "targets": SIDE,
        "sentinels": SENTINELS,
        "eos": st.just(1),
    },
    "unigram.encode.best_piece_starts": {"word": WORD, "unknown": among((-10.0, 0.0))},
    "unigram.lattice_arrays.digammas": {"x": rows_of(among((0.5, 1.0, 1e9))).map(lambda given: np.array(given, float))},
    "unigram.expectation_maximization.maximization_step": {
        "counts": st.dictionaries(SCORED, among((0.0, 0.5, 1.0, 1e9)), max_size=3),
        "estimate": among((None, log)),
        "threshold": among((0.5, 1.0, 0.0)),
    },
    "unigram.expectation_maximization.digamma": {"x": among((0.5, 1.0, 1e9, 1e-9))},
    "unigram.lattice.path_pieces": {"path": LATTICE.map(lambda lattice: list(lattice.edges))},
    "unigram.lattice.segmentations": {"start": st.just(0)},
    "unigram.prune.best_alternative": {"piece": SCORED},
    "unigram.prune.removal_loss": {
        "piece": st.just("ab"),
        "alternative": PIECES,
        "used": st.dictionaries(SCORED, COUNT, max_size=3).map(Counter),
        "words": COUNT,
    },
    "unigram.prune.prune": {
        "losses": rows_of(
            st.builds(PieceLoss, st.just("ab"), COUNT, PIECES.map(tuple), st.booleans(), among((0.0, inf, 1.0)))
        )
    },
    "libraries.tokenizers.models.unigram.check_pieces": {"vocab": among(([], [("a", -1)], [("", 0.0)], "a", [("a",)]))},
    "libraries.tokenizers.models.unigram.power": {"exponent": among((0.0, -inf, inf, 1e9))},
    "unigram.sample_segmentation.sharpened": {
        "log_probs": rows_of(among((0.0, -1.0, -inf))),
        "alpha": among((0.0, 0.5, 1.0)),
    },
    "unigram.vocabulary.log_probability": {"pieces": PIECES},
    "unigram.vocabulary.probability": {"pieces": PIECES},
    "unigram.train_by_counting.train_by_counting": {"removed": among((0.1, 0.9))},
    "unigram.train_by_counting.loss_increase": {"piece": SCORED},
    "libraries.tokenizers.trainers.train_unigram.train_huggingface": {
        "initial_alphabet": ALPHABET,
        "shrinking_factor": among((0.1, 0.75)),
        "max_piece_length": COUNT,
        "sub_iterations": POSITIVE,
        "on_update": st.just(lambda: None),
    },
    "unigram.training_state.check_fraction": {"argument": st.just("removed"), "given": among((0.0, 0.5, 1.0))},
    "unigram.vocabulary.log_probabilities": {
        "counts": st.dictionaries(SCORED, among((0.0, 1.0, 1.0, 1e-300)), max_size=3)
    },
    "wordpiece.encode.encode_word": {
        "word": WORD,
        "vocabulary": WORDPIECES,
        "unknown": TEXT,
        "max_input_chars_per_word": COUNT,
    },
    "wordpiece.encode.check": {"word": WORD, "vocabulary": WORDPIECES, "max_input_chars_per_word": COUNT},
    "wordpiece.pieces.characters_with_prefix": {"word": TEXT | SPLIT},
    "wordpiece.train.score": {"pair_count": COUNT, "left_count": COUNT, "right_count": COUNT},
}
