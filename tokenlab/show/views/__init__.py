"""Which view shows the recordings of a function: a table of the functions and the functions that make their frames.

A view's module is imported when a recording of its function is shown. The caption of a step is its sentence
(`show.frames.sentence`); a question is in the module's `_question` or in a file `*_questions.py` beside it.
`show.view` registers views of other functions.
"""

from __future__ import annotations

from importlib import import_module

from tokenlab.show.frames import View, registry
from tokenlab.show.views.elements.step_list_view import step_list_view

FUNCTIONS = {  # of each view; both names without "tokenlab." and "tokenlab.show.views."
    "attention.attention_head_view.attention_head_view": ("algorithms.attention.attention_output.attention_output",),
    "attention.attention_head_view.cross_attention_view": ("traces.generation.trace_sampling.trace_cross_attention",),
    "attention.grouped_heads_view.grouped_heads_view": ("algorithms.attention.grouped_queries.group_heads",),
    "attention.kv_cache_view.kv_cache_view": ("traces.t5.trace_decoding.trace_kv_cache",),
    "attention.logit_difference_view.logit_difference_view": (
        "traces.t5.trace_logit_difference.trace_logit_difference",
    ),
    "attention.model_map_view.model_map_view": ("traces.t5.trace_model_map.trace_model_map",),
    "attention.padded_keys_view.padded_keys_view": ("algorithms.attention.left_padding.padded_keys",),
    "attention.relative_buckets_view.relative_buckets_view": (
        "algorithms.attention.relative_buckets.buckets_by_distance",
    ),
    "attention.rotary_positions_view.rotary_positions_view": ("algorithms.attention.rotary_positions.rotary_scores",),
    "attention.tensor_shapes_view.tensor_shapes_view": ("traces.t5.trace_shapes.trace_shapes",),
    "attention.token_losses_view.token_losses_view": ("traces.t5.trace_decoding.trace_token_losses",),
    "auto_classes.decisions_view.decisions_view": (
        "libraries.transformers.models.auto.auto_factory._BaseAutoModelClass.from_config",
        "libraries.transformers.models.auto.auto_factory._BaseAutoModelClass.from_pretrained",
        "libraries.transformers.models.auto.configuration_auto.AutoConfig.from_pretrained",
        "libraries.transformers.models.auto.modeling_auto.AutoModelWithLMHead.from_config",
        "libraries.transformers.models.auto.modeling_auto.AutoModelWithLMHead.from_pretrained",
        "libraries.transformers.models.auto.tokenization_auto.AutoTokenizer.from_pretrained",
        "libraries.transformers.models.auto.tokenization_auto.choose_tokenizer_class",
        "traces.tokenization.trace_tokenizer_choice.trace_tokenizer_choice",
    ),
    "bpe.encoding_view.bpe_encoding": (
        "algorithms.bpe.encode.encode_by_rank",
        "algorithms.bpe.encode.encode_in_order",
        "algorithms.bpe.encode_parts.encode_with_parts",
        "algorithms.bpe.encode_priority_queue.encode_with_priority_queue",
    ),
    "bpe.encoding_view.pair_encoding": ("algorithms.bpe.encode_by_pairs.encode_by_pairs",),
    "bpe.segmentation_comparison_view.segmentation_comparison_view": (
        "algorithms.text.granularity.tokenize_at_each_granularity",
        "misconceptions.bpe_encoding.compare_segmentations",
    ),
    "bpe.tiktoken_view.special_token_policy_view": ("libraries.tiktoken.encode_steps.compare_special_token_policies",),
    "bpe.tiktoken_view.tiktoken_encoding": ("libraries.tiktoken.core.Encoding.encode",),
    "bpe.training_view.bpe_training": (
        "algorithms.bpe.train.train",
        "algorithms.bpe.train_indexed.train_indexed",
        "misconceptions.bpe_training.batch_merge_stale_counts",
        "misconceptions.bpe_training.no_exhaustion_guard",
        "misconceptions.bpe_training.tie_last_seen",
        "misconceptions.bpe_training.tie_lexicographic",
    ),
    "comparison.families_view.boundaries_view": ("laboratory.comparison.measures.boundary_scores",),
    "comparison.families_view.families_view": ("laboratory.comparison.compare_families.compare_families",),
    "comparison.real_tokenizers_view.real_tokenizers_view": ("laboratory.real_tokenizers.compare_real_tokenizers",),
    "decoding.beam_search_view.beam_search_view": ("traces.generation.trace_beam_search.trace_beam_search",),
    "decoding.constrained_beam_view.constrained_beam_view": (
        "traces.generation.trace_beam_search.trace_constrained_beam_search",
    ),
    "decoding.contrastive_view.contrastive_choice": ("algorithms.decoding.contrastive.contrastive_select",),
    "decoding.contrastive_view.contrastive_search": ("traces.generation.trace_contrastive.trace_contrastive_search",),
    "decoding.decoder_view.decoder_view": ("traces.generation.trace_decoder.trace_decoder",),
    "decoding.group_beam_view.group_beam_view": (
        "traces.generation.trace_beam_search.compare_group_beam_search",
        "traces.generation.trace_beam_search.trace_group_beam_search",
    ),
    "decoding.incremental_utf8_view.incremental_utf8_view": ("algorithms.decoding.incremental_utf8.stream_text",),
    "decoding.next_token_view.next_token_view": ("traces.generation.trace_next_token.trace_next_token",),
    "decoding.next_token_view.token_by_token_view": ("traces.generation.trace_sampling.trace_sampling",),
    "decoding.sampling_frequencies_view.sampling_frequencies_view": (
        "algorithms.decoding.sample_counts.count_samples",
    ),
    "pipeline.sequences_view.kept_lengths_view": ("algorithms.pipeline.truncate.kept_lengths",),
    "pipeline.sequences_view.padding_view": ("algorithms.pipeline.pad.pad_batch",),
    "pipeline.sequences_view.template_view": ("algorithms.pipeline.template.apply_template",),
    "pipeline.sequences_view.windows_view": ("algorithms.pipeline.truncate.overflow_windows",),
    "pipeline.splitting_view.added_tokens_view": ("algorithms.pipeline.added_tokens.split_added_tokens",),
    "pipeline.splitting_view.split_view": ("algorithms.pipeline.split_behavior.split_text",),
    "pipeline.stages_view.stages_view": ("libraries.tokenizers.tokenizer.Tokenizer.encode",),
    "subword_text.encoding_view.encoding_view": ("libraries.tensor2tensor.text_encoder.SubwordTextEncoder.encode",),
    "subword_text.encoding_view.escaping_view": ("algorithms.subword_text.escape.escape",),
    "subword_text.encoding_view.greedy_matching_view": ("algorithms.subword_text.build.segment_greedily",),
    "subword_text.encoding_view.run_splitting_view": ("algorithms.subword_text.split.split_into_runs",),
    "subword_text.training_view.subword_text_building": (
        "algorithms.subword_text.build.build",
        "algorithms.subword_text.build.select_subtokens",
    ),
    "subword_text.vocab_size_search_view.subword_text_size": (
        "algorithms.subword_text.build_cached.build_to_size_cached",
        "algorithms.subword_text.build_to_size.bisect_min_count",
    ),
    "text.id_mapping_view.id_mapping_view": (
        "algorithms.text.id_mapping.fairseq_id_mapping",
        "algorithms.text.id_mapping.t5_id_mapping",
    ),
    "text.normalization_view.normalization_view": (
        "algorithms.text.normalize.normalize",
        "libraries.bert.tokenization.BasicTokenizer.tokenize",
        "libraries.sentencepiece.encode_steps.round_trip",
    ),
    "text.pre_tokenization_view.pre_tokenization_view": ("algorithms.text.pretokenize.pretokenize",),
    "text.sentencepiece_view.sentencepiece_encoding": (
        "libraries.sentencepiece.processor.SentencePieceProcessor.Encode",
    ),
    "text.text_levels_view.text_levels_view": ("algorithms.text.representation_levels.representation_levels",),
    "tokenizer_calls.slow_and_fast_view.converter_view": (
        "libraries.transformers.tokenization.converter.BertConverter.converted",
        "libraries.transformers.tokenization.converter.ByteLevelConverter.converted",
        "libraries.transformers.convert_slow_tokenizer.SpmConverter.converted",
    ),
    "tokenizer_calls.slow_and_fast_view.slow_and_fast_view": (
        "traces.tokenization.trace_tokenizer_call.trace_tokenizer_call",
    ),
    "training_data.line_sampling_and_shards_view.line_sampling_view": (
        "algorithms.training_data.sample_lines.sample_lines",
    ),
    "training_data.line_sampling_and_shards_view.sharding_view": (
        "libraries.tensor2tensor.generator_utils.generate_files",
    ),
    "training_data.packing_view.packing_view": ("algorithms.training_data.pack.pack",),
    "training_data.span_corruption_view.span_corruption": (
        "algorithms.training_data.span_corruption.corrupt",
        "algorithms.training_data.span_corruption.corrupt_spans",
    ),
    "training_data.span_corruption_view.span_corruption_lengths_view": (
        "algorithms.training_data.span_corruption.source_length",
    ),
    "training_data.text_to_text_view.text_to_text_view": ("traces.t5.trace_text_to_text.trace_text_to_text",),
    "training_data.training_signal_view.training_signal_view": (
        "algorithms.training_data.training_signal.compare_objectives",
    ),
    "unigram.em_and_pruning_view.expected_counts_view": (
        "algorithms.unigram.expectation_maximization.expectation_step",
    ),
    "unigram.em_and_pruning_view.pruning_view": ("algorithms.unigram.prune.piece_losses",),
    "unigram.forward_backward_view.forward_backward_view": ("algorithms.unigram.forward_backward.forward_backward",),
    "unigram.forward_backward_view.lattice_sampling_view": (
        "algorithms.unigram.sample_segmentation.sample_segmentation",
    ),
    "unigram.training_view.unigram_counting_view": ("algorithms.unigram.train_by_counting.train_by_counting",),
    "unigram.training_view.unigram_training_view": (
        "algorithms.unigram.train.train",
        "algorithms.unigram.train_arrays.train_arrays",
    ),
    "unigram.viterbi_view.n_best_view": ("algorithms.unigram.n_best.n_best",),
    "unigram.viterbi_view.viterbi_view": ("algorithms.unigram.viterbi.viterbi",),
    "wordpiece.encoding_view.wordpiece_encoding": ("algorithms.wordpiece.encode.encode_word",),
    "wordpiece.training_view.wordpiece_training": (
        "algorithms.wordpiece.train.train",
        "algorithms.wordpiece.train_by_frequency.train_by_frequency",
        "algorithms.wordpiece.train_indexed.train_indexed",
        "misconceptions.wordpiece.frequency_score",
    ),
}
VIEWS = {f"tokenlab.{function}": view for view, functions in FUNCTIONS.items() for function in functions}


def view_of(function: str) -> View:
    """Return the view of a recorded function by its qualified name; without a view, the list of its sentences.

    >>> view_of("tokenlab.algorithms.bpe.train.train").__name__, view_of("__main__.my_function").__name__
    ('bpe_training', 'step_list_view')
    """
    if function in registry.views:
        return registry.views[function]
    module, _, name = VIEWS.get(function, "").rpartition(".")
    found: View = getattr(import_module(f"{__name__}.{module}"), name) if name else step_list_view
    return found
