"""What a result on degenerate arguments has to be: the definition of each function, as far as it is cheap to check.

`MEANINGS` maps the name of a function to its condition on the arguments and the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from math import exp, hypot, inf, isclose
from typing import Any, TypeAlias

from tokenlab.algorithms.subword_text.escape import ESCAPE_CHARACTERS, unescape
from tokenlab.algorithms.subword_text.split import join_runs
from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes
from tokenlab.algorithms.training_data.span_corruption import reconstruct

Meaning: TypeAlias = Callable[[Mapping[str, Any], Any], bool]


def sums_to_1(row: Any) -> bool:
    return all(0 <= p <= 1 + 1e-9 for p in row) and (not len(row) or isclose(sum(row), 1.0, abs_tol=1e-6))


def are_kept_ids(given: Mapping[str, Any], kept: Any) -> bool:
    """Ids in ascending order, at least one of them if there are any."""
    number = len(given["probabilities"] if "probabilities" in given else given["scores"])
    return sorted({*kept} & {*range(number)}) == list(kept) and bool(kept) == bool(number)


def joined(pieces: Any, like: Any) -> Any:
    """The pieces as one text: str, bytes, or the concatenated symbols of a tuple."""
    return (b"" if isinstance(like, bytes) or any(isinstance(p, bytes) for p in pieces) else "").join(pieces)


def spell(argument: str) -> Meaning:
    """The result spells the argument."""
    return lambda given, pieces: (
        joined(pieces, given[argument])
        == (given[argument] if isinstance(given[argument], str | bytes) else joined(given[argument], pieces))
    )


def are_hypotheses(given: Mapping[str, Any], found: Any) -> bool:
    """Distinct texts that continue the start, best first, with ids of the vocabulary and finite scores."""
    texts, scores = [ids for ids, _ in found], [score for _, score in found]
    vocabulary = range(len(given["next_log_probs"](given["start"])))
    return (
        len({*texts}) == len(texts) <= given["beams"]
        and sorted(scores, reverse=True) == scores
        and all(-1e8 < score <= 0 for score in scores)
        and all(ids[: len(given["start"])] == given["start"] for ids in texts)
        and all(id in vocabulary for ids in texts for id in ids[len(given["start"]) :])
    )


def are_log_probabilities(vocabulary: Mapping[Any, float]) -> bool:
    return all(-inf < value <= 1e-9 for value in vocabulary.values())


def is_trained(given: Mapping[str, Any], vocabulary: Any) -> bool:
    """No entry occurs twice, none is empty, and there are at most as many as requested."""
    return len({*vocabulary}) == len(vocabulary) <= given["vocab_size"] and all(vocabulary)


def are_marginals(given: Mapping[str, Any], result: Any) -> bool:
    """Posterior probabilities, and expected counts that cover the text once."""
    covered = sum(len(piece) * count for piece, count in result.expected.items())
    text = given["text"] if "text" in given else given["lattice"].text
    return all(0 <= p <= 1 + 1e-6 for p in result.probabilities.values()) and isclose(covered, len(text), abs_tol=1e-6)


def are_expected(given: Mapping[str, Any], result: Any) -> bool:
    covered = sum(len(piece) * count for piece, count in result.counts.items())
    characters = sum(len(word) * count for word, count in given["words"].items())
    is_distribution = sum(map(exp, given["vocabulary"].values())) <= 1
    return (
        isclose(covered, characters, abs_tol=1e-6)
        and min(result.counts.values()) >= 0
        and (result.objective >= -1e-9 or not is_distribution)
    )


def covers(given: Mapping[str, Any], windows: Any) -> bool:
    return {*chain.from_iterable(range(*window) for window in windows)} == {*range(given["length"])}


def is_escaped(given: Mapping[str, Any], escaped: str) -> bool:
    return not {*given["alphabet"]} >= ESCAPE_CHARACTERS or unescape(escaped) == given["token"]


def is_noise_mask(given: Mapping[str, Any], mask: Any) -> bool:
    return len(mask) == given["length"] and (len(mask) < 2 or (any(mask) and not all(mask)))


def is_corrupted(given: Mapping[str, Any], sides: Any) -> bool:
    sentinels = {"sentinels": given["sentinels"]} if "sentinels" in given else {}
    return reconstruct(*sides, eos=given.get("eos", 1), **sentinels) == tuple(given["tokens"])


MEANINGS: dict[str, Meaning] = {
    **dict.fromkeys(
        (
            "attention.attention_weights.softmax",
            "decoding.next_token.softmax_with_temperature",
            "decoding.next_token.renormalized",
            "unigram.sample_segmentation.sharpened",
        ),
        lambda given, row: sums_to_1(row),
    ),
    "attention.attention_weights.attention_weights": lambda given, rows: all(map(sums_to_1, rows)),
    "attention.decoder.decoder_mask": lambda given, rows: all(len(row) == len(rows) for row in rows),
    "attention.grouped_queries.group_heads": lambda given, read: {*read} == {*range(given["num_kv_heads"])},
    "attention.left_padding.padded_keys": lambda given, rows: list(map(bool, rows)) == [*given["attention_mask"]],
    "attention.rotary_positions.rotate": lambda given, row: isclose(hypot(*row), hypot(*given["vector"]), abs_tol=1e-9),
    "training_data.next_token_loss.next_token_loss": lambda given, loss: loss >= 0,
    "training_data.training_signal.compare_objectives": lambda given, shares: all(
        0 <= one < 1 or all(given["noise"]) for one in shares.values()
    ),
    "attention.relative_buckets.relative_bucket": lambda given, bucket: 0 <= bucket < given.get("num_buckets", 32),
    **dict.fromkeys(
        (
            *(
                "bpe.encode.encode_in_order",
                "bpe.encode.encode_by_rank",
                "libraries.transformers.models.gpt2.tokenization_gpt2.encode_by_rounds",
            ),
            *("bpe.encode_parts.encode_with_parts", "bpe.encode_priority_queue.encode_with_priority_queue"),
        ),
        spell("piece"),
    ),
    **dict.fromkeys(
        (
            *("unigram.viterbi.viterbi", "unigram.sample_segmentation.sample_segmentation"),
            *(f"text.pre_tokenizers.split_{name}" for name in ("gpt2", "r50k", "cl100k", "o200k")),
        ),
        spell("text"),
    ),
    "bpe.encode_by_pairs.encode_by_pairs": lambda given, found: sum(found.sizes) == len(given["symbols"]),
    "bpe.encode_by_pairs.merge_ids": lambda given, found: sum(found.sizes) == len(given["ids"]),
    "bpe.resegment.resegment": lambda given, pieces: "".join(pieces) == "".join(given["pieces"]),
    "decoding.beam_search.beam_search": are_hypotheses,
    "decoding.constraints.order_by_banks": lambda given, order: sorted(order) == [*range(len(given["banks"]))],
    "decoding.contrastive.contrastive_select": lambda given, best: best in range(len(given["probabilities"])),
    "decoding.contrastive.cosine_similarity": lambda given, cosine: abs(cosine) <= 1 + 1e-9,
    "decoding.contrastive.degeneration_penalty": lambda given, cosine: abs(cosine) <= 1 + 1e-9,
    "decoding.diversity.distinct_n": lambda given, ratio: 0 < ratio <= 1,
    "decoding.diversity.select_per_group": lambda given, ids: all(id < len(given["scores"]) for id in ids),
    "decoding.filters.by_probability": lambda given, ids: sorted(ids) == [*range(len(given["probabilities"]))],
    "decoding.filters.entropy": lambda given, nats: 0 <= nats < inf,
    "decoding.filters.min_p_filter": are_kept_ids,
    "decoding.filters.top_k_filter": are_kept_ids,
    "decoding.filters.top_p_filter": are_kept_ids,
    "decoding.filters.typical_filter": are_kept_ids,
    "decoding.stopping_rule.add_hypothesis": lambda given, pool: (
        len(pool) <= max(given["num_beams"], len(given["pool"]))
    ),
    "decoding.incremental_utf8.stream_text": lambda given, texts: (
        "".join(texts) == b"".join(given["tokens"]).decode(errors="replace")
    ),
    "decoding.next_token.sample_next_token": lambda given, id: given["scores"][id] > -inf,
    "decoding.sample_counts.count_samples": lambda given, counts: sum(counts.values()) == given.get("draws", 1000),
    "decoding.next_token.sample_token": lambda given, id: given["probabilities"][id] > 0,
    "pipeline.added_tokens.split_added_tokens": lambda given, parts: (
        "".join(given["text"][part.start : part.end] for part in parts) == given["text"]
    ),
    "pipeline.pad.pad": lambda given, values: len(values) == max(given["length"], len(given["values"])),
    "pipeline.pad.padded_length": lambda given, length: not given.get("multiple") or length % given["multiple"] == 0,
    "pipeline.truncate.kept_lengths": lambda given, kept: sum(n or 0 for n in kept) <= given["max_length"],
    "pipeline.truncate.overflow_windows": covers,
    "subword_text.build.build": lambda given, subtokens: all(subtokens),
    "subword_text.build.segment_greedily": spell("escaped"),
    "subword_text.escape.escape": is_escaped,
    "subword_text.escape.escape_with_replace": is_escaped,
    "subword_text.split.split_into_runs": lambda given, runs: join_runs(runs) == given["text"],
    "subword_text.split.split_with_regex": lambda given, runs: join_runs(runs) == given["text"],
    "text.byte_symbols.bytes_to_symbols": lambda given, symbols: symbols_to_bytes(symbols) == given["data"],
    "text.normalize.normalize": lambda given, aligned: len(aligned.spans) == len(aligned.text),
    "text.tokenizations.tokenizations": lambda given, found: all("".join(one) == given["word"] for one in found),
    "training_data.document_batch.document_batch": lambda given, both: (
        {len(row) for rows in both for row in rows} <= {given["width"]} and len(both[0]) == len(given["documents"])
    ),
    "training_data.ngram_model.count_ngrams": lambda given, counts: (
        sum(counts.get((), {}).values()) == sum(max(0, len(document) - 1) for document in given["documents"])
    ),
    "training_data.ngram_model.ngram_nats": lambda given, nats: 0 <= nats < inf,
    "training_data.ngram_model.probability": lambda given, p: 0 < p <= 1,
    "training_data.span_corruption.corrupt": is_corrupted,
    "training_data.span_corruption.corrupt_spans": is_corrupted,
    "training_data.span_corruption.noise_mask": is_noise_mask,
    "training_data.span_corruption.random_segmentation": lambda given, lengths: (
        sum(lengths) == given["items"] and len(lengths) == given["segments"] and 0 not in lengths
    ),
    "unigram.expectation_maximization.expectation_step": are_expected,
    "unigram.forward_backward.edge_posteriors": are_marginals,
    "unigram.forward_backward.forward_backward": are_marginals,
    "unigram.n_best.n_best": lambda given, found: (
        len({pieces for pieces, _ in found}) == len(found) <= given["k"] or bool(given.get("fuse_unknown"))
    ),
    "unigram.vocabulary.log_probabilities": lambda given, found: sums_to_1([exp(value) for value in found.values()]),
    **dict.fromkeys(
        ("unigram.train.train", "unigram.train_arrays.train_arrays", "unigram.train_by_counting.train_by_counting"),
        lambda given, found: is_trained(given, found) and are_log_probabilities(found),
    ),
    **dict.fromkeys(("wordpiece.train.train", "wordpiece.train_by_frequency.train_by_frequency"), is_trained),
    "wordpiece.train_indexed.train_indexed": is_trained,
    "wordpiece.encode.encode_word": lambda given, tokens: (
        tokens == (given.get("unknown", "[UNK]"),)
        or "".join(t.removeprefix(given.get("prefix", "##")) if place else t for place, t in enumerate(tokens))
        == given["word"]
    ),
}
