"""Every practice task accepts its worked solution where it stands, says so, and refuses what is wrong."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.notebooks import lines_of_decoder_capstone, lines_of_gpt2_capstone, lines_of_t5_capstone
from tests.notebooks.one_turn import one_turn
from tokenlab.check.feedback import FOLDER, read_solutions, solutions
from tokenlab.laboratory.speed import measure

ROOT = Path(__file__).parents[2]

# The lines of each task that a learner changes, in the order of the lesson, and a wrong version of them. The right
# versions are the worked solutions in tokenlab/check/solutions.
WRONG: dict[str, list[tuple[str, str]]] = {
    "00_start_here": [
        ("my_words, my_characters = ..., ...", "my_words, my_characters = 3, 11"),
        ("my_text = ...", 'my_text = "to be"'),
        (
            "        if ...:\n            unknown.append(word)\n    return ...",
            "        if word in vocabulary:\n            unknown.append(word)\n    return unknown",
        ),
        (
            "    return ...",
            "    return [vocabulary.index(p) for p in pieces]",
        ),
        (
            "    return ...",
            "    return [w for w in words if w in vocabulary]",
        ),
    ],
    "01_bpe_training": [
        ("my_pair, my_count = ..., ...", 'my_pair, my_count = ("a", "a"), 3'),
        ("my_words = ...", 'my_words = {"ab": 3, "cd": 2}'),
        (
            "        for pair in ...:\n            pair_counts[pair] += ...",
            "        for pair in zip(split, split[1:]):\n            pair_counts[pair] += 1",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.bpe_training import string_replace_merge\n"
            "    return string_replace_merge(split, pair)",
        ),
        ("    return ...", "    return tied.first"),
        (
            "    return ...",
            "    return sum(two == pair for two in zip(split, split[1:]))",
        ),
        (
            "    return ...",
            '    return train(word_counts, vocab_size, "lowest_id")',
        ),
    ],
    "02_bpe_encoding": [
        ("my_tokens = ...", 'my_tokens = ("low", "er")'),
        (
            "my_merges, my_word = ..., ...",
            'my_merges, my_word = [("a", "b"), ("ab", "c")], "abcd"',
        ),
        (
            "    found = [... for place in range(len(split) - 1) if split[place] + split[place + 1] in ranks]\n"
            "    return ... if found else -1",
            "    found = [p for p in range(len(split) - 1) if split[p] + split[p + 1] in ranks]\n"
            "    return found[0] if found else -1",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.bpe_encoding import greedy_longest_match\n"
            "    return greedy_longest_match(word, {*ranks, *word})",
        ),
        (
            "    return ...",
            "    return [part for token in my_encode(word, ranks)"
            " for part in ([token] if len(token) <= longest else token)]",
        ),
    ],
    "03_bytes_and_splitting": [
        ("my_number, my_second = ..., ...", 'my_number, my_second = 3, "2"'),
        (
            "my_failing, my_different = ..., ...",
            'my_failing, my_different = "a", "b"',
        ),
        (
            "            ...\n        except ...:",
            "            len(token)\n        except UnicodeDecodeError:",
        ),
        ("    return ...", '    return data.decode("latin-1")'),
        (
            "    return regex.findall(..., text)",
            r'    return regex.findall(r"\p{Lu}\P{Lu}*", text)',
        ),
        (
            "    return ...",
            "    return list(text.encode())",
        ),
    ],
    "04_tiktoken": [
        ("my_tokens = ...", 'my_tokens = ["ab", "c", "b"]'),
        (
            "my_special, my_text = ..., ...",
            'my_special, my_text = {"<a>": 0, "<b>": 1}, "x<a>"',
        ),
        (
            "        encoded, rank = ...\n        loaded[...] = int(rank)",
            "        encoded, rank = line.split()\n        loaded[encoded] = int(rank)",
        ),
        (
            "    return ...",
            "    piece = text.encode()\n"
            "    tokens = [piece] if piece in ranks else encode_by_rank(piece, ranks)\n"
            "    return [ranks[token] for token in tokens]",
        ),
        (
            "    return ...",
            '    return small.encode(user_text + "<|endoftext|>", allowed_special="all")',
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.byte_level_bpe import always_special\n"
            "    return always_special(text, special_tokens)",
        ),
    ],
    "05_wordpiece": [
        (
            "my_pair, my_score = ..., ...",
            'my_pair, my_score = ("l", "##o"), 8 / (8 * 8)',
        ),
        ("my_words = ...", 'my_words = {"ab": 3, "ac": 2}'),
        (
            "    prefix_length = ...\n    return ...",
            '    prefix_length = len("##")\n    return left[prefix_length:] + right[prefix_length:]',
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.wordpiece import piecewise_unk\n"
            "    return piecewise_unk(word, vocabulary)",
        ),
        (
            "    return ...",
            "    return max(pair_counts, key=pair_counts.get, default=())",
        ),
    ],
    "06_unigram_segmenting": [
        ("my_number, my_best = ..., ...", 'my_number, my_best = 4, ("aba",)'),
        (
            "my_counts, my_word = ..., ...",
            'my_counts, my_word = {"a": 2, "b": 1, "ab": 2}, "ab"',
        ),
        (
            '    scores = [..., *[float("-inf")] * len(word)]\n'
            "    for end in range(1, len(word) + 1):\n        for start in range(end):\n"
            "            if word[start:end] in vocabulary:\n"
            "                scores[end] = max(scores[end], ...)",
            '    scores = [1, *[float("-inf")] * len(word)]\n'
            "    for end in range(1, len(word) + 1):\n        for start in range(end):\n"
            "            if word[start:end] in vocabulary:\n"
            "                scores[end] = max(scores[end], scores[start] + vocabulary[word[start:end]])",
        ),
        (
            "    return ...",
            "    return min_tokens_viterbi(word, vocabulary)",
        ),
        (
            "    return ...",
            "    from math import exp\n    raised = [exp(alpha * score) for score in scores]\n"
            "    return [value / sum(raised) for value in raised]",
        ),
    ],
    "08_sentencepiece": [
        ("my_text = ...", 'my_text = "▁①▁ﬁsh…"'),
        ("my_text = ...", 'my_text = "a…bc"'),
        (
            ".get(number, ...)\n    return ...",
            ".get(number, number)\n    return 32000 + number",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.sentencepiece import keep_spaces\n"
            "    return keep_spaces(text, replacements)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.sentencepiece import no_resegment\n"
            "    return no_resegment(pieces, parts, unused)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.sentencepiece import normalized_offsets\n"
            "    return normalized_offsets(text, replacements)",
        ),
    ],
    "09_subword_text_encoder": [
        ("my_kept = ...", 'my_kept = {"them": 5, "the": 7, "th": 9, "t": 9}'),
        ("my_token = ...", 'my_token = "snake"'),
        (
            '.replace("_", ...)\n    return "".join(c if ... else',
            '.replace("_", "_")\n    return "".join(c if c in alphabet else',
        ),
        (
            "    return ...",
            "    return {string for string, count in counts.items() if count >= min_count} | set(alphabet)",
        ),
        (
            "    return ...",
            "    from tokenlab.algorithms.subword_text.build import segment_greedily\n"
            "    return segment_greedily(escaped, subtokens)",
        ),
        (
            "    return ...",
            '    from itertools import groupby\n    return ["".join(run) for _, run in groupby(text, str.isalnum)]',
        ),
        (
            "    return ...",
            "    return {token for token, count in token_counts.items() if count >= min_count}",
        ),
        (
            "    return ...",
            "    return [(1 + len(sizes)) // 2]",
        ),
    ],
    "10_making_training_data": [
        (
            "my_first, my_second = ..., ...",
            'my_first, my_second = "black", "coral"',
        ),
        (
            "my_lines, my_budget = ..., ...",
            'my_lines, my_budget = ["tea", "milk"], 3',
        ),
        (
            "            budget -= ...\n            skipped = ...",
            "            budget -= len(line.encode())\n            skipped = 0",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.training_data import eos_on_targets_only\n"
            "    made = [eos_on_targets_only(*pair, ids) for pair in pairs]\n"
            "    return [made[shard::shards] for shard in range(shards)]",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.training_data import next_fit\n"
            "    return next_fit(lengths, packed_length)",
        ),
    ],
    "07_unigram_training": [
        ("my_ab, my_a = ..., ...", "my_ab, my_a = 8, 3"),
        (
            "my_words, my_pieces = ..., ...",
            'my_words, my_pieces = {"ab": 3}, {"a": 0.1, "b": 0.1, "x": 0.1, "ax": 0.3, "ab": 0.4}',
        ),
        (
            "        total = ...\n        for cut, probability in ways[word]:\n            for piece in cut:\n"
            "                counts[piece] = counts.get(piece, 0) + ...",
            "        total = 1\n        for cut, probability in ways[word]:\n            for piece in cut:\n"
            "                counts[piece] = counts.get(piece, 0) + count * probability / total",
        ),
        (
            "    return ...",
            "    return {p: c / sum(counts.values()) for p, c in counts.items() if c >= 0.5 or len(p) == 1}",
        ),
        (
            "    return ...",
            "    return sorted(sorted(pieces, key=lambda p: (-pieces[p][1] / len(p), p))[:size])",
        ),
        (
            "    return ...",
            "    return {w[i:j]: c for w, c in words.items() for i in range(len(w)) for j in range(i + 1, len(w) + 1)}",
        ),
    ],
    "11_tokenizer_pipeline": [
        (
            "my_number, my_offsets = ..., ...",
            "my_number, my_offsets = 6, [(1, 2), (2, 3), (3, 4)]",
        ),
        ("my_text = ...", 'my_text = "to be or not"'),
        (
            "    first, last = ..., ...\n    return ...",
            "    first, last = alignments[start], alignments[end - 1]\n    return start, end",
        ),
        (
            "    return ...",
            "    return [labels[a] if a < b else 'O' for a, b in offsets]",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.pipeline import ignore_lstrip\n    return ignore_lstrip(text, content)",
        ),
    ],
    "13_t5_in_one_picture": [
        (
            "my_queries, my_scores, my_activations, my_logits = ..., ..., ..., ...",
            "my_queries, my_scores, my_activations, my_logits = (7, 24), (5, 5), (5, 192), (5, 900)",
        ),
        (
            "my_queries, my_keys = ..., ...",
            "my_queries, my_keys = [[1]], [[2]]",
        ),
        (
            "    hidden = ...\n    return ...",
            "    hidden = [max(0, dot(normed, column)) for column in w_in]\n"
            "    return [x + dot(hidden, column) for x, column in zip(normed, w_out)]",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.t5_map import effect_is_part\n"
            "    return effect_is_part(row, sublayers, direction, number)",
        ),
        (
            "my_scores, my_sums, my_key = ..., ..., ...",
            "my_scores, my_sums, my_key = [2, 3, 2], [2, 1, 3], 1",
        ),
        (
            "    return ...",
            "    return [[dot(row, column) for column in zip(*values)]"
            " for row in softmax_over_queries(queries, keys, bias)]",
        ),
        (
            "    return ...",
            "    outputs = [my_head(queries, keys, values, [[0] * len(keys)] * len(queries)) for queries in heads]\n"
            "    return sum(outputs, [])",
        ),
    ],
    "14_t5_attention": [
        (
            "my_tables, my_encoder_bucket, my_decoder_bucket = ..., ..., ...",
            "my_tables, my_encoder_bucket, my_decoder_bucket = 4, 8, 8",
        ),
        (
            "my_query, my_keys = ..., ...",
            "my_query, my_keys = [1], [[0], [1]]",
        ),
        (
            "    mean_square = ...\n    return [... for",
            "    mean = sum(vector) / len(vector)\n"
            "    mean_square = sum((x - mean) ** 2 for x in vector) / len(vector)\n"
            "    return [(x - mean) / (mean_square + 1e-6) ** 0.5 * weight for",
        ),
        (
            "    return ...",
            "    from tokenlab.algorithms.attention.relative_buckets import relative_bucket\n"
            "    return relative_bucket(relative_position, True, num_buckets, max_distance)",
        ),
        (
            "    return ...",
            "    from tokenlab.algorithms.attention.attention_weights import softmax\n"
            "    return [list(softmax([sum(a * b for a, b in zip(q, k)) for k in keys])) for q in queries]",
        ),
    ],
    "15_t5_model": [
        (
            "my_inputs, my_number, my_keys = ..., ..., ...",
            "my_inputs, my_number, my_keys = (8, 9, 1, 0), 4, 5",
        ),
        ("my_scores = ...", "my_scores = [[3]]"),
        (
            "    shifted = [..., *labels[:-1]]\n    return [... if label",
            "    shifted = [pad, *labels[:-1]]\n    return [start if label",
        ),
        (
            "    return ...",
            "    return [[0 if real else min_value for real in attention_mask] for _ in attention_mask]",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.t5_model import position_restart\n"
            "    return position_restart(query, key, value, cache, biases)",
        ),
    ],
    "16_t5_pretraining": [
        (
            "my_input, my_target = ..., ...",
            'my_input, my_target = "you are X Y to the party Z </s>", "X kindly Y invited Z tonight </s>"',
        ),
        (
            "my_words, my_mask = ..., ...",
            'my_words, my_mask = ["a", "cup", "of", "tea"], [False, True, True, False]',
        ),
        (
            "        elif ...:\n            inputs.append(sentinels[used])\n            used += ...",
            "        elif True:\n            inputs.append(sentinels[used])\n            used += 1",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.span_corruption import no_eos_in_target\n"
            "    return no_eos_in_target(ids, mask, range(top, 0, -1), 1)[1]",
        ),
        (
            "    return ...",
            '    return [token for token in question if not token.startswith("<extra_id_")]',
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.training_steps import no_zero_grad\n"
            "    return no_zero_grad(model, optimizer, batch, rate)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.span_corruption import mask_each_token\n"
            "    return mask_each_token(kept + noise, random, noise / (kept + noise))",
        ),
    ],
    "17_greedy_and_sampling": [
        (
            "my_probabilities, my_kept, my_token = ..., ..., ...",
            "my_probabilities, my_kept, my_token = [0.35, 0.25, 0.2, 0.15, 0.05], (0, 1), 2",
        ),
        ("my_probabilities = ...", "my_probabilities = [0.9, 0.1]"),
        (
            "key=...):\n        if ...:",
            "key=lambda token: -probabilities[token]):\n        if mass + probabilities[token] > top_p:",
        ),
        ("my_logits = ...", "my_logits = [1, 0]"),
        (
            "    return ...",
            "    return [logit / penalty if token in generated else logit for token, logit in enumerate(logits)]",
        ),
        (
            "    return ...",
            "    return my_top_p(probabilities, mass)",
        ),
    ],
    "18_beam_search": [
        (
            "my_first, my_second = ..., ...  # for example [[0, 4], [0, 5]], [[0, 4, 6], [0, 5, 6]]\n"
            "my_score, my_done = ..., ...",
            "my_first, my_second = [[0, 2], [0, 3]], [[0, 3, 2], [0, 2, 2]]\nmy_score, my_done = -1, True",
        ),
        ("my_rows = ...", "my_rows = [[-1, -9, -2], [-5, -9, -6]]"),
        (
            "[:...]\n    return [(..., totals[index])",
            "[: 2 * len(sums)]\n    return [(*divmod(index, len(sums)), totals[index])",
        ),
        (
            "    return ...",
            "    running, finished = [], []\n"
            "    for beam, token, total in candidates[: len(beams)]:\n"
            "        (finished if token == eos else running).append(([*beams[beam], token], total))\n"
            "    return running, finished",
        ),
        (
            "    return ...",
            "    return max(hypotheses, key=lambda one: one[1] / len(one[0]) ** length_penalty)[0]",
        ),
    ],
    "19_group_and_constrained_beams": [
        (
            "my_banks, my_order = ..., ...",
            "my_banks, my_order = (2, 5, 2, 0), (1, 2, 0, 3)",
        ),
        (
            "my_banks, my_sums = ..., ...",
            "my_banks, my_sums = [1, 0, 0], [-1, -2, -3]",
        ),
        (
            "    complete = ...\n"
            "    missing = [length - matched for length, matched in pairs if 0 < matched < length]\n"
            "    return ...",
            "    complete = sum(length == matched for length, matched in pairs)\n"
            "    return longest * complete + sum(matched for length, matched in pairs if matched < length)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.constraints import restart_with_breaking_token\n"
            "    return restart_with_breaking_token(phrase, tokens)",
        ),
        (
            "    return ...",
            "    return sorted(range(len(banks)), key=lambda n: (-banks[n], -scores[n]))",
        ),
        (
            "my_ids, my_score = ..., ...",
            "my_ids, my_score = (0, 1, 2), -4",
        ),
        (
            "    counts = [... for id in range(len(scores))]\n"
            "    return [... for score, count in zip(scores, counts, strict=True)]",
            "    counts = [id in chosen for id in range(len(scores))]\n"
            "    return [score - penalty * count for score, count in zip(scores, counts, strict=True)]",
        ),
        (
            "my_word, my_tokens = ..., ...",
            'my_word, my_tokens = "tea", ["tea"]',
        ),
        (
            "    return ...",
            "    return {word[0] for word in bad_words}",
        ),
    ],
    "20_contrastive_and_streaming": [
        ("my_texts = ...", 'my_texts = ["�", "🙂", "!"]'),
        ("my_tokens = ...", 'my_tokens = ["é".encode()]'),
        (
            "    norms = [... for vector in (left, right)]\n    return ... / (norms[0] * norms[1])",
            "    norms = [1 for vector in (left, right)]\n"
            "    return sum(x * y for x, y in zip(left, right)) / (norms[0] * norms[1])",
        ),
        (
            "    return ...",
            "    return probabilities.index(max(probabilities))",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.streaming import pending_by_replacement_character\n"
            "    return pending_by_replacement_character(received)",
        ),
        (
            "my_penalty, my_choice = ..., ...",
            "my_penalty, my_choice = 0.7, 1",
        ),
        ("my_past = ...", "my_past = [[1, 0], [0, 1]]"),
        ("    return ...", "    return [start, *ids]"),
    ],
    "12_slow_and_fast_tokenizers": [
        (
            "my_slow, my_fast, my_zeros = ..., ..., ...",
            "my_slow, my_fast, my_zeros = (3, 2), (3, 2), 5",
        ),
        ("my_tokens = ...", 'my_tokens = ["c", "d"]'),
        (
            "    missing = ...\n    return ...",
            "    padded = ids + [pad_id] * (length - len(ids))\n"
            "    return padded, [int(id != pad_id) for id in padded]",
        ),
        (
            "    return ...",
            "    while first + second > budget:\n"
            "        first, second = (first - 1, second) if first >= second else (first, second - 1)\n"
            "    return first, second",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.tokenizer_calls import fast_keeps_like_slow\n"
            "    return fast_keeps_like_slow(first, second, budget)",
        ),
    ],
    "21_auto_classes": [
        (
            "my_tokenizer, my_model = ..., ...",
            'my_tokenizer, my_model = "BertTokenizerFast", "T5Model"',
        ),
        ("my_name = ...", 'my_name = "my-t5"'),
        (
            "    if ...:\n        return ...",
            "    if use_fast:\n        return [tokenizer_class + 'Fast', tokenizer_class]",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.auto_classes import config_first\n"
            "    return config_first(tokenizer_config, config, mapping)",
        ),
        (
            "    return ...",
            "    return models[0]",
        ),
    ],
    "22_speed_laboratory": [
        ("my_offsets, my_cache, my_factor = ..., ..., ...", "my_offsets, my_cache, my_factor = 2 / 3, -0.2, 5 / 3"),
        ("my_words, my_repeats = ..., ...", 'my_words, my_repeats = ["the", "cat"], 1'),
        (
            "    size_factor, time_factor = ...\n    return ...",
            "    size_factor, time_factor = larger_size / size, longer_time / time\n"
            "    return time_factor / size_factor",
        ),
        ("    return ...", "    return [token for word in words for token in encode(word)]"),
        (
            "    return ...",
            "    from tokenlab.misconceptions.measuring import ratio_with_set_up\n"
            "    return ratio_with_set_up(first, second)",
        ),
    ],
    "23_seven_tokenizers": [
        ("my_precision, my_recall = ..., ...", "my_precision, my_recall = 0.25, 1 / 3"),
        ("my_text, my_decoded = ..., ...", 'my_text, my_decoded = "ab", "ac"'),
        (
            "    words = ...\n    return ...",
            '    words = text.split(" ")\n    return len(tokens) / len(words) if text.split() else 0',
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.comparison import end_is_a_boundary\n"
            "    return end_is_a_boundary(tokens, morphemes)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.comparison import positions_compared\n"
            "    return positions_compared(before, after)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.comparison import zip_stops_early as program\n"
            "    return program(text, decoded)",
        ),
    ],
    "24_decoder_only": [
        (
            "my_head, my_queries, my_rows, my_bytes = ..., ..., ..., ...",
            "my_head, my_queries, my_rows, my_bytes = 1, 4, 9, 1",
        ),
        ("my_heads, my_kv_heads = ..., ...", "my_heads, my_kv_heads = 4, 4"),
        (
            "        angle = ...\n        x, y = vector[i], vector[i + half]\n"
            "        rotated[i], rotated[i + half] = ...",
            "        angle = position * theta ** (-2 * i / len(vector))\n        x, y = vector[i], vector[i + half]\n"
            "        rotated[i], rotated[i + half] = x + cos(angle), y + sin(angle)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.decoder_only import no_mask_in_prefill\n"
            "    return no_mask_in_prefill(attention_mask)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.decoder_only import absolute_min_p\n"
            "    return absolute_min_p(probabilities, min_p)",
        ),
        (
            "    return ...",
            "    from tokenlab.misconceptions.decoder_only import unshifted_loss\n"
            "    return unshifted_loss(probabilities, ids)",
        ),
    ],
    "capstone_decoder": lines_of_decoder_capstone.LINES,
    "capstone_gpt2_tokenizer": lines_of_gpt2_capstone.LINES,
    "capstone_t5": lines_of_t5_capstone.LINES,
}
LESSONS = sorted(WRONG)
EXPLAIN = "Explain in three sentences"
RUNGS = ("Trace", "Find the bug", "Complete two lines", "Write it", "Another rule")


def cells(lesson: str) -> list[Any]:
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4)
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_practice(cell: Any) -> bool:
    return "practice" in cell.metadata.get("tags", [])


def run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as the notebook would; the value of its last line comes back."""
    *before, last = ast.parse(source).body
    assert isinstance(last, ast.Expr), source
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(ast.Module(before, []), "cell", "exec"), names)
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def exercise(cell: Any) -> str:
    """The name of a task: that of its check or, to find a bug, of the wrong program."""
    name, first = re.findall(r"check\.(\w+)\((\w+)", cell.source)[-1]
    return first if name == "bug" else name


def solved(cell: Any) -> str:
    """A cell with its worked solution: its imports, the solution, and the call of the check."""
    *lines, last = ast.parse(cell.source).body
    imports = [ast.unparse(line) for line in lines if isinstance(line, ast.Import | ast.ImportFrom)]
    return "\n".join([*imports, solutions()[exercise(cell)].code, ast.unparse(last)])


def in_order(lesson: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The practice cells of a lesson, each with the names that the cells before have left."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells(lesson):
        if is_practice(cell):
            yield cell, names
        elif any(is_practice(later) for later in cells(lesson)[cells(lesson).index(cell) :]):
            exec(compile(cell.source, "cell", "exec"), names)


def test_the_trie_example_of_lesson_19_works_with_any_number_of_beams() -> None:
    sources = (ROOT / "notebooks" / "source" / "19_group_and_constrained_beams.py").read_text(encoding="utf-8")
    parts = [part.partition("\n")[2] for part in sources.split("# %%") if not part.startswith(" [markdown]")]
    (setup,) = (part for part in parts if "model = T5ForConditionalGeneration" in part)
    example = [part for part in parts if any(name in part for name in ("answers = ", "def listed", "fn=listed"))]
    assert len(example) == 3
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(setup, names)
        exec("".join(example), names)
    answers, tokenizer, ids = names["answers"], names["tokenizer"], names["ids"]
    sums = [
        -len(tokenizer(one).input_ids) * names["trace_token_losses"](names["model"], tokenizer, names["source"], one)
        for one in answers
    ]
    best = answers[sums.index(max(sums))]
    for beams in (1, 2, 3, 5):
        found = names["model"].generate(ids, max_length=20, num_beams=beams, prefix_allowed_tokens_fn=names["listed"])
        text = tokenizer.decode(found[0], skip_special_tokens=True)
        assert text in answers
        assert (text == best) == (beams > 1)  # what the lesson says of greedy search


def test_every_lesson_with_practice_is_here_and_has_a_file_of_solutions() -> None:
    lessons = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert [lesson for lesson in lessons if any(map(is_practice, cells(lesson)))] == LESSONS
    assert sorted(path.stem for path in FOLDER.glob("*.md")) == LESSONS


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_task_has_a_worked_solution_and_a_wrong_one(lesson: str) -> None:
    tasks = [exercise(cell) for cell in cells(lesson) if is_practice(cell)]
    assert len(tasks) == len(WRONG[lesson]) >= 5
    written = read_solutions(FOLDER / f"{lesson}.md")
    assert [one.exercise for one in written] == tasks
    headings = re.findall(r"(?m)^## (.+)", (FOLDER / f"{lesson}.md").read_text(encoding="utf-8"))
    assert headings == tasks  # so each section was read


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_worked_solution_is_explained_in_words(lesson: str) -> None:
    for one in read_solutions(FOLDER / f"{lesson}.md"):
        assert 12 <= len(one.explanation.split()) <= 150, one.exercise
        assert not re.search(r"[<>$]|```|\]\(", re.sub("`[^`]*`", "", one.explanation)), one.exercise
        assert not re.search(r"(return|=|in|if) \.\.\.", one.code), one.exercise


def test_no_two_exercises_share_a_name() -> None:
    names = [one.exercise for path in FOLDER.glob("*.md") for one in read_solutions(path)]
    assert len(names) == len(set(names)) == len(solutions())


@pytest.mark.parametrize("lesson", [lesson for lesson in LESSONS if not lesson.startswith("capstone")])
def test_the_practice_climbs(lesson: str) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4)
    headings = re.findall(r"(?m)^### (.+?) · ", "\n".join(cell.source for cell in notebook.cells))
    climbed = [heading for heading in headings if not heading.startswith("More practice")]
    assert climbed.count(EXPLAIN) == 1
    climbed.remove(EXPLAIN)
    assert [heading.startswith(rung) for heading, rung in zip(climbed, RUNGS, strict=True)] == [True] * 5


@pytest.mark.parametrize("lesson", [lesson for lesson in LESSONS if not lesson.startswith("capstone")])
def test_the_task_in_words_has_a_rubric_and_two_sample_answers(lesson: str) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    task = re.split(r"(?m)^#{2,3} ", text[text.index(f"### {EXPLAIN}") + 4 :])[0]
    assert "three sentences" in " ".join(task.split("\n", 1)[1].split())
    rubric, answers = re.findall(r"<details>(.*?)</details>", task, re.DOTALL)
    assert rubric.startswith("<summary>What a good answer contains</summary>")
    assert re.findall(r"(?m)^(\d)\. ", rubric) == ["1", "2", "3"]
    found = re.fullmatch(
        r"<summary>Two sample answers</summary> (?:<b>|\*\*)Good:(?:</b>|\*\*) “([^”]+)”.* "
        r"(?:<b>|\*\*)Wrong:(?:</b>|\*\*) “([^”]+)” \S.+",
        " ".join(answers.split()),
    )
    assert found
    assert all(len(re.findall(r"[.?!](?= |$)", answer)) == 3 for answer in found.groups()), answers


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_task_has_its_check_and_three_hints(lesson: str) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4)
    for cell, after in pairwise(notebook.cells):
        if is_practice(cell):
            assert re.search(r"(?m)^check\.\w+\(.+\)\Z", cell.source), cell.source
            assert after.source.count("<summary>Hint: ") == 3, cell.source


# `make test` runs the practice of one lesson in each part; the cells of all lessons are run there by nbval.
QUICK = ("00_start_here", "02_bpe_encoding", "06_unigram_segmenting", "18_beam_search")


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "lesson", [lesson if lesson in QUICK else pytest.param(lesson, marks=pytest.mark.slow) for lesson in LESSONS]
)
def test_a_task_tells_untouched_wrong_and_right_programs_apart(lesson: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run of the lesson's cells; at each task the untouched cell, three times a wrong program, and a right one."""
    monkeypatch.setattr(measure, "times", one_turn)
    alternatives = iter(WRONG[lesson])
    for cell, names in in_order(lesson):
        gap, wrong = next(alternatives)
        assert cell.source.count(gap) == 1, cell.source
        untouched = run(cell.source, dict(names))
        assert "Not written yet" in str(untouched) and untouched.solution is None, cell.source
        source = cell.source.replace(gap, wrong)
        first, second, third = (run(source, dict(names)) for _ in range(3))
        assert not first and not second and not third, source
        assert "NameError" not in str(first) and "ImportError" not in str(first), f"{source}\n{first}"
        assert "The rule: " not in str(first) and "The rule: " in str(second), source
        assert second.player is None and third.player is not None, source
        verdict = run(solved(cell), names)
        assert verdict and "Right" in str(verdict), f"{solved(cell)}\n{verdict}"
        assert first.solution is None and second.solution is None
        assert third.solution == verdict.solution == solutions()[exercise(cell)]
