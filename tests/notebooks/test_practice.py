"""Every practice task can be solved where it stands, says so, and refuses what is wrong."""

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

ROOT = Path(__file__).parents[2]

# The lines of a task that a learner changes, what a solution makes of them, and what is wrong with a sentence.
SOLUTIONS: dict[str, list[tuple[str, str, str]]] = {
    "00_start_here": [
        ("my_words, my_characters = ..., ...", "my_words, my_characters = 3, 9", "my_words, my_characters = 3, 11"),
        ("my_text = ...", 'my_text = "to  be"', 'my_text = "to be"'),
        (
            "        if ...:\n            unknown.append(word)\n    return ...",
            "        if word not in vocabulary:\n            unknown.append(word)\n    return unknown",
            "        if word in vocabulary:\n            unknown.append(word)\n    return unknown",
        ),
        (
            "    return ...",
            "    return [vocabulary.index(t) if t in vocabulary else -1 for t in tokens]",
            "    return [vocabulary.index(t) for t in tokens]",
        ),
        (
            "    return ...",
            "    return sum(([w] if w in vocabulary else list(w) for w in words), [])",
            "    return [w for w in words if w in vocabulary]",
        ),
    ],
    "01_bpe_training": [
        ("my_pair, my_count = ..., ...", 'my_pair, my_count = ("a", "b"), 7', 'my_pair, my_count = ("a", "a"), 3'),
        ("my_words = ...", 'my_words = {"hug": 10, "pug": 5, "pun": 12}', 'my_words = {"ab": 3, "cd": 2}'),
        (
            "        for pair in ...:\n            pair_counts[pair] += ...",
            "        for pair in zip(split, split[1:]):\n            pair_counts[pair] += word_counts[word]",
            "        for pair in zip(split, split[1:]):\n            pair_counts[pair] += 1",
        ),
        (
            "    return ...",
            "    return merge(split, pair)",
            "    from tokenlab.misconceptions.bpe_training import string_replace_merge\n"
            "    return string_replace_merge(split, pair)",
        ),
        ("    return ...", "    return -len(tied.pair[0] + tied.pair[1]), tied.first", "    return tied.first"),
        (
            "    return ...",
            "    return len(split) - len(my_merge(split, pair))",
            "    return sum(two == pair for two in zip(split, split[1:]))",
        ),
        (
            "    return ...",
            "    return train(word_counts, vocab_size)",
            '    return train(word_counts, vocab_size, "lowest_id")',
        ),
    ],
    "02_bpe_encoding": [
        ("my_tokens = ...", 'my_tokens = ("lo", "wer")', 'my_tokens = ("low", "er")'),
        (
            "my_merges, my_word = ..., ...",
            'my_merges, my_word = [("b", "c"), ("a", "b")], "abcd"',
            'my_merges, my_word = [("a", "b"), ("ab", "c")], "abcd"',
        ),
        (
            "    found = [... for place in range(len(split) - 1) if split[place] + split[place + 1] in ranks]\n"
            "    return ... if found else -1",
            "    found = [(ranks[split[p] + split[p + 1]], p) for p in range(len(split) - 1)"
            " if split[p] + split[p + 1] in ranks]\n    return min(found)[1] if found else -1",
            "    found = [p for p in range(len(split) - 1) if split[p] + split[p + 1] in ranks]\n"
            "    return found[0] if found else -1",
        ),
        (
            "    return ...",
            "    split = list(word)\n    while (p := my_best(split, ranks)) >= 0:\n"
            "        split[p : p + 2] = [split[p] + split[p + 1]]\n    return tuple(split)",
            "    from tokenlab.misconceptions.bpe_encoding import greedy_longest_match\n"
            "    return greedy_longest_match(word, {*ranks, *word})",
        ),
        (
            "    return ...",
            "    return my_encode(word, {t: rank for t, rank in ranks.items() if len(t) <= longest})",
            "    return [part for token in my_encode(word, ranks)"
            " for part in ([token] if len(token) <= longest else token)]",
        ),
    ],
    "03_bytes_and_splitting": [
        ("my_number, my_second = ..., ...", 'my_number, my_second = 4, "\'ve"', 'my_number, my_second = 3, "2"'),
        (
            "my_failing, my_different = ..., ...",
            'my_failing, my_different = "日", "é"',
            'my_failing, my_different = "a", "b"',
        ),
        (
            "            ...\n        except ...:",
            "            token.decode()\n        except UnicodeDecodeError:",
            "            len(token)\n        except UnicodeDecodeError:",
        ),
        ("    return ...", "    return bytes_to_symbols(data)", '    return data.decode("latin-1")'),
        (
            "    return regex.findall(..., text)",
            r'    return regex.findall(r"\p{Lu}\P{Lu}*|\P{Lu}+", text)',
            r'    return regex.findall(r"\p{Lu}\P{Lu}*", text)',
        ),
        (
            "    return ...",
            "    order = sorted(range(256), key=lambda b: (ord(my_byte_symbols(bytes([b]))) > 255, b))\n"
            "    return [order.index(b) for b in text.encode()]",
            "    return list(text.encode())",
        ),
    ],
    "04_tiktoken": [
        ("my_tokens = ...", 'my_tokens = ["a", "bcb"]', 'my_tokens = ["ab", "c", "b"]'),
        (
            "my_special, my_text = ..., ...",
            'my_special, my_text = {"<a>": 0, "<a><b>": 1}, "<a><b>"',
            'my_special, my_text = {"<a>": 0, "<b>": 1}, "x<a>"',
        ),
        (
            "        encoded, rank = ...\n        loaded[...] = int(rank)",
            "        encoded, rank = line.split()\n        loaded[base64.b64decode(encoded)] = int(rank)",
            "        encoded, rank = line.split()\n        loaded[encoded] = int(rank)",
        ),
        (
            "    return ...",
            "    ids = []\n"
            "    for piece in map(str.encode, split_gpt2(text)):\n"
            "        tokens = [piece] if piece in ranks else encode_by_rank(piece, ranks)\n"
            "        ids += [ranks[token] for token in tokens]\n    return ids",
            "    piece = text.encode()\n"
            "    tokens = [piece] if piece in ranks else encode_by_rank(piece, ranks)\n"
            "    return [ranks[token] for token in tokens]",
        ),
        (
            "    return ...",
            '    return [*small.encode(user_text, disallowed_special=()), special["<|endoftext|>"]]',
            '    return small.encode(user_text + "<|endoftext|>", allowed_special="all")',
        ),
        (
            "    return ...",
            "    from tokenlab.check.exercises.special_tokens import split_at_special\n"
            "    return split_at_special(text, special_tokens, allowed)",
            "    from tokenlab.misconceptions.byte_level_bpe import always_special\n"
            "    return always_special(text, special_tokens)",
        ),
    ],
    "05_wordpiece": [
        (
            "my_pair, my_score = ..., ...",
            'my_pair, my_score = ("n", "##e"), 3 / (3 * 3)',
            'my_pair, my_score = ("l", "##o"), 8 / (8 * 8)',
        ),
        ("my_words = ...", 'my_words = {"ab": 2, "ad": 1, "cd": 1}', 'my_words = {"ab": 3, "ac": 2}'),
        (
            "    prefix_length = ...\n    return ...",
            '    prefix_length = len("##")\n    return left + right[prefix_length:]',
            '    prefix_length = len("##")\n    return left[prefix_length:] + right[prefix_length:]',
        ),
        (
            "    return ...",
            "    pieces, start = [], 0\n    while start < len(word):\n        end = len(word)\n"
            '        while end > start and "##" * (start > 0) + word[start:end] not in vocabulary:\n'
            '            end -= 1\n        if end == start:\n            return ("[UNK]",)\n'
            '        pieces.append("##" * (start > 0) + word[start:end])\n'
            "        start = end\n    return tuple(pieces)",
            "    from tokenlab.misconceptions.wordpiece import piecewise_unk\n"
            "    return piecewise_unk(word, vocabulary)",
        ),
        (
            "    return ...",
            "    frequent = {p: n for p, n in pair_counts.items() if n >= min_frequency}\n"
            "    scores = {p: n / (symbol_counts[p[0]] * symbol_counts[p[1]]) for p, n in frequent.items()}\n"
            "    return max(scores, key=scores.get) if scores else ()",
            "    return max(pair_counts, key=pair_counts.get, default=())",
        ),
    ],
    "06_unigram_segmenting": [
        ("my_number, my_best = ..., ...", 'my_number, my_best = 4, ("a", "ba")', 'my_number, my_best = 4, ("aba",)'),
        (
            "my_counts, my_word = ..., ...",
            'my_counts, my_word = {"a": 3, "b": 3, "ab": 1}, "ab"',
            'my_counts, my_word = {"a": 2, "b": 1, "ab": 2}, "ab"',
        ),
        (
            '    scores = [..., *[float("-inf")] * len(word)]\n'
            "    for end in range(1, len(word) + 1):\n        for start in range(end):\n"
            "            if word[start:end] in vocabulary:\n"
            "                scores[end] = max(scores[end], ...)",
            '    scores = [0, *[float("-inf")] * len(word)]\n'
            "    for end in range(1, len(word) + 1):\n        for start in range(end):\n"
            "            if word[start:end] in vocabulary:\n"
            "                scores[end] = max(scores[end], scores[start] + vocabulary[word[start:end]])",
            '    scores = [1, *[float("-inf")] * len(word)]\n'
            "    for end in range(1, len(word) + 1):\n        for start in range(end):\n"
            "            if word[start:end] in vocabulary:\n"
            "                scores[end] = max(scores[end], scores[start] + vocabulary[word[start:end]])",
        ),
        (
            "    return ...",
            "    best = [(0, ())]\n    for end in range(1, len(word) + 1):\n"
            "        best.append(max(\n"
            "            ((best[s][0] + vocabulary[word[s:end]], (*best[s][1], word[s:end]))\n"
            "             for s in range(end) if word[s:end] in vocabulary),\n"
            "            key=lambda way: way[0],\n        ))\n    return best[-1][1]",
            "    return min_tokens_viterbi(word, vocabulary)",
        ),
        (
            "    return ...",
            "    from math import exp\n    top = max(scores)\n"
            "    raised = [exp(alpha * (score - top)) for score in scores]\n"
            "    return [value / sum(raised) for value in raised]",
            "    from math import exp\n    raised = [exp(alpha * score) for score in scores]\n"
            "    return [value / sum(raised) for value in raised]",
        ),
    ],
    "08_sentencepiece": [
        ("my_text = ...", 'my_text = "▁1▁fish..."', 'my_text = "▁①▁ﬁsh…"'),
        ("my_text = ...", 'my_text = "ﬁe\\u0301x"', 'my_text = "a…bc"'),
        (
            ".get(number, ...)\n    return ...",
            ".get(number, number + 1)\n    return 32099 - number",
            ".get(number, number)\n    return 32000 + number",
        ),
        (
            "    return ...",
            "    new, place = '', 0\n"
            "    while place < len(text):\n"
            "        keys = [key for key in replacements if text.startswith(key, place)]\n"
            "        key = max(keys, key=len, default=text[place])\n"
            "        new, place = new + replacements.get(key, key), place + len(key)\n"
            "    return ''.join('▁' + word for word in new.split(' ') if word)",
            "    from tokenlab.misconceptions.sentencepiece import keep_spaces\n"
            "    return keep_spaces(text, replacements)",
        ),
        (
            "    return ...",
            "    result = []\n"
            "    for piece in pieces:\n"
            "        result += my_resegment(parts[piece], parts, unused) if piece in unused else [piece]\n"
            "    return result",
            "    from tokenlab.misconceptions.sentencepiece import no_resegment\n"
            "    return no_resegment(pieces, parts, unused)",
        ),
        (
            "    return ...",
            "    spans, place = [], 0\n"
            "    while place < len(text):\n"
            "        keys = [key for key in replacements if text.startswith(key, place)]\n"
            "        key = max(keys, key=len, default=text[place])\n"
            "        spans += [(place, place + len(key))] * len(replacements.get(key, key))\n"
            "        place += len(key)\n"
            "    return spans",
            "    from tokenlab.misconceptions.sentencepiece import normalized_offsets\n"
            "    return normalized_offsets(text, replacements)",
        ),
    ],
    "09_subword_text_encoder": [
        ("my_kept = ...", 'my_kept = {"them": 5, "th": 4}', 'my_kept = {"them": 5, "the": 7, "th": 9, "t": 9}'),
        ("my_token = ...", 'my_token = "a_b"', 'my_token = "snake"'),
        (
            '.replace("_", ...)\n    return "".join(c if ... else',
            '.replace("_", "\\\\u")\n    return "".join(c if c in alphabet else',
            '.replace("_", "_")\n    return "".join(c if c in alphabet else',
        ),
        (
            "    return ...",
            "    left, kept = dict(counts), set(alphabet)\n"
            "    for string in sorted(counts, key=len, reverse=True):\n"
            "        if left[string] >= min_count:\n"
            "            kept.add(string)\n"
            "            for end in range(1, len(string)):\n"
            "                left[string[:end]] -= left[string]\n"
            "    return kept",
            "    return {string for string, count in counts.items() if count >= min_count} | set(alphabet)",
        ),
        (
            "    return ...",
            "    cut = []\n    while escaped:\n"
            "        start = next(p for p in range(len(escaped)) if escaped[p:] in subtokens)\n"
            "        cut.insert(0, escaped[start:])\n        escaped = escaped[:start]\n    return cut",
            "    from tokenlab.algorithms.subword_text.build import segment_greedily\n"
            "    return segment_greedily(escaped, subtokens)",
        ),
        (
            "    return ...",
            "    from itertools import groupby\n"
            '    runs = ["".join(run) for _, run in groupby(text, str.isalnum)]\n'
            '    return [run for i, run in enumerate(runs) if run != " " or i in (0, len(runs) - 1)]',
            '    from itertools import groupby\n    return ["".join(run) for _, run in groupby(text, str.isalnum)]',
        ),
        (
            "    return ...",
            "    from collections import Counter\n    counts = Counter()\n"
            "    for token, count in token_counts.items():\n"
            '        token += "_"\n'
            "        for a in range(len(token)):\n"
            "            for b in range(a + 1, len(token) + 1):\n"
            "                counts[token[a:b]] += count\n"
            "    return {string for string in counts if counts[string] >= min_count}",
            "    return {token for token, count in token_counts.items() if count >= min_count}",
        ),
        (
            "    return ...",
            "    low, high, tried = 1, len(sizes), []\n    while True:\n"
            "        middle = (low + high) // 2\n        tried.append(middle)\n"
            "        if abs(sizes[middle] - target_size) * 100 < target_size or low >= high or middle < 2:\n"
            "            return tried\n"
            "        low, high = (middle + 1, high) if sizes[middle] > target_size else (low, middle - 1)",
            "    return [(1 + len(sizes)) // 2]",
        ),
    ],
    "10_making_training_data": [
        (
            "my_first, my_second = ..., ...",
            'my_first, my_second = "white", "peach"',
            'my_first, my_second = "black", "coral"',
        ),
        (
            "my_lines, my_budget = ..., ...",
            'my_lines, my_budget = ["茶", "饭", "鱼", "书"], 9',
            'my_lines, my_budget = ["tea", "milk"], 3',
        ),
        (
            "            budget -= ...\n            skipped = ...",
            "            budget -= len(line)\n            skipped = 0",
            "            budget -= len(line.encode())\n            skipped = 0",
        ),
        (
            "    return ...",
            "    made = [[] for _ in range(shards)]\n"
            "    for number, pair in enumerate(pairs):\n"
            "        inputs, targets = ([ids[c] for c in text] + [1] for text in pair)\n"
            '        made[number % shards].append({"inputs": inputs, "targets": targets})\n'
            "    return made",
            "    from tokenlab.misconceptions.training_data import eos_on_targets_only\n"
            "    made = [eos_on_targets_only(*pair, ids) for pair in pairs]\n"
            "    return [made[shard::shards] for shard in range(shards)]",
        ),
        (
            "    return ...",
            "    filled, packs = [0] * len(lengths), []\n"
            "    for length in lengths:\n"
            "        fits = (n for n, used in enumerate(filled) if not used or used + length <= packed_length)\n"
            "        packs.append(next(fits))\n"
            "        filled[packs[-1]] += length\n"
            "    return packs",
            "    from tokenlab.misconceptions.training_data import next_fit\n"
            "    return next_fit(lengths, packed_length)",
        ),
    ],
    "07_unigram_training": [
        ("my_ab, my_a = ..., ...", "my_ab, my_a = 6, 5", "my_ab, my_a = 8, 3"),
        (
            "my_words, my_pieces = ..., ...",
            'my_words, my_pieces = {"ab": 3}, {"a": 0.1, "b": 0.1, "x": 0.1, "ax": 0.4, "ab": 0.3}',
            'my_words, my_pieces = {"ab": 3}, {"a": 0.1, "b": 0.1, "x": 0.1, "ax": 0.3, "ab": 0.4}',
        ),
        (
            "        total = ...\n        for cut, probability in ways[word]:\n            for piece in cut:\n"
            "                counts[piece] = counts.get(piece, 0) + ...",
            "        total = sum(p for _, p in ways[word])\n        for cut, probability in ways[word]:\n"
            "            for piece in cut:\n"
            "                counts[piece] = counts.get(piece, 0) + count * probability / total",
            "        total = 1\n        for cut, probability in ways[word]:\n            for piece in cut:\n"
            "                counts[piece] = counts.get(piece, 0) + count * probability / total",
        ),
        (
            "    return ...",
            "    kept = {p: max(c, 0.5) for p, c in counts.items() if c >= 0.5 or len(p) == 1}\n"
            "    return {p: c / sum(kept.values()) for p, c in kept.items()}",
            "    return {p: c / sum(counts.values()) for p, c in counts.items() if c >= 0.5 or len(p) == 1}",
        ),
        (
            "    return ...",
            "    characters = [p for p in pieces if len(p) == 1]\n"
            "    longer = [p for p in pieces if len(p) > 1 and pieces[p][1] > 0]\n"
            "    longer.sort(key=lambda p: (-pieces[p][1] / len(p), p))\n"
            "    return sorted(characters + longer[: max(0, size - len(characters))])",
            "    return sorted(sorted(pieces, key=lambda p: (-pieces[p][1] / len(p), p))[:size])",
        ),
        (
            "    return ...",
            "    from tokenlab.algorithms.unigram.train_by_counting import count_substrings\n"
            "    return count_substrings(words, whole_words=True)",
            "    return {w[i:j]: c for w, c in words.items() for i in range(len(w)) for j in range(i + 1, len(w) + 1)}",
        ),
    ],
    "11_tokenizer_pipeline": [
        (
            "my_number, my_offsets = ..., ...",
            "my_number, my_offsets = 6, [(0, 1), (1, 2), (2, 3)]",
            "my_number, my_offsets = 6, [(1, 2), (2, 3), (3, 4)]",
        ),
        ("my_text = ...", 'my_text = "cats at sea"', 'my_text = "to be or not"'),
        (
            "    first, last = ..., ...\n    return ...",
            "    first, last = alignments[start], alignments[end - 1]\n    return first[0], last[1]",
            "    first, last = alignments[start], alignments[end - 1]\n    return start, end",
        ),
        (
            "    return ...",
            "    return [([one for one in labels[a:b] if one != 'O'] + ['O'])[0] for a, b in offsets]",
            "    return [labels[a] if a < b else 'O' for a, b in offsets]",
        ),
        (
            "    return ...",
            "    import re\n    return [part for part in re.split(r'(\\s*' + re.escape(content) + ')', text) if part]",
            "    from tokenlab.misconceptions.pipeline import ignore_lstrip\n    return ignore_lstrip(text, content)",
        ),
    ],
    "13_t5_in_one_picture": [
        (
            "my_queries, my_scores, my_activations, my_logits = ..., ..., ..., ...",
            "my_queries, my_scores, my_activations, my_logits = (7, 24), (5, 7), (5, 192), (5, 900)",
            "my_queries, my_scores, my_activations, my_logits = (7, 24), (5, 5), (5, 192), (5, 900)",
        ),
        (
            "my_scores, my_sums, my_key = ..., ..., ...",
            "my_scores, my_sums, my_key = [2, 3, 2], [2, 1, 3], 2",
            "my_scores, my_sums, my_key = [2, 3, 2], [2, 1, 3], 1",
        ),
        (
            "my_queries, my_keys = ..., ...",
            "my_queries, my_keys = [[1]], [[1], [2]]",
            "my_queries, my_keys = [[1]], [[2]]",
        ),
        (
            "    hidden = ...\n    return ...",
            "    hidden = [max(0, dot(normed, column)) for column in w_in]\n"
            "    return [x + dot(hidden, column) for x, column in zip(row, w_out)]",
            "    hidden = [max(0, dot(normed, column)) for column in w_in]\n"
            "    return [x + dot(hidden, column) for x, column in zip(normed, w_out)]",
        ),
        (
            "    return ...",
            "    from math import exp\n    rows = []\n"
            "    for query, biases in zip(queries, bias):\n"
            "        scores = [dot(query, key) + b for key, b in zip(keys, biases)]\n"
            "        powers = [exp(score - max(scores)) for score in scores]\n"
            "        weights = [power / sum(powers) for power in powers]\n"
            "        rows.append([dot(weights, column) for column in zip(*values)])\n    return rows",
            "    return [[dot(row, column) for column in zip(*values)]"
            " for row in softmax_over_queries(queries, keys, bias)]",
        ),
        (
            "    return ...",
            "    outputs = [my_head(queries, keys, values, [[0] * len(keys)] * len(queries)) for queries in heads]\n"
            "    return [sum(rows, []) for rows in zip(*outputs)]",
            "    outputs = [my_head(queries, keys, values, [[0] * len(keys)] * len(queries)) for queries in heads]\n"
            "    return sum(outputs, [])",
        ),
    ],
    "14_t5_attention": [
        (
            "my_tables, my_encoder_bucket, my_decoder_bucket = ..., ..., ...",
            "my_tables, my_encoder_bucket, my_decoder_bucket = 2, 8, 9",
            "my_tables, my_encoder_bucket, my_decoder_bucket = 4, 8, 8",
        ),
        (
            "my_query, my_keys = ..., ...",
            "my_query, my_keys = [1, 1], [[1, 1], [0, 0]]",
            "my_query, my_keys = [1], [[0], [1]]",
        ),
        (
            "    mean_square = ...\n    return [... for",
            "    mean_square = sum(x * x for x in vector) / len(vector)\n"
            "    return [x / (mean_square + 1e-6) ** 0.5 * weight for",
            "    mean = sum(vector) / len(vector)\n"
            "    mean_square = sum((x - mean) ** 2 for x in vector) / len(vector)\n"
            "    return [(x - mean) / (mean_square + 1e-6) ** 0.5 * weight for",
        ),
        (
            "    return ...",
            "    from math import log\n"
            "    n = num_buckets // 2 if bidirectional else num_buckets\n"
            "    first = n if bidirectional and relative_position > 0 else 0\n"
            "    distance = abs(relative_position) if bidirectional else max(0, -relative_position)\n"
            "    e = n // 2\n"
            "    if distance < e:\n        return first + distance\n"
            "    return first + min(n - 1, e + int((n - e) * log(distance / e) / log(max_distance / e)))",
            "    from tokenlab.algorithms.attention.relative_buckets import relative_bucket\n"
            "    return relative_bucket(relative_position, True, num_buckets, max_distance)",
        ),
        (
            "    return ...",
            "    from tokenlab.algorithms.attention.attention_weights import softmax\n"
            "    dots = [[sum(a * b for a, b in zip(q, k)) for k in keys] for q in queries]\n"
            "    return [list(softmax([x - slope * abs(i - j) for j, x in enumerate(r)])) for i, r in enumerate(dots)]",
            "    from tokenlab.algorithms.attention.attention_weights import softmax\n"
            "    return [list(softmax([sum(a * b for a, b in zip(q, k)) for k in keys])) for q in queries]",
        ),
    ],
    "15_t5_model": [
        (
            "my_inputs, my_number, my_rows = ..., ..., ...",
            "my_inputs, my_number, my_rows = (0, 8, 9, 1), 3, 0",
            "my_inputs, my_number, my_rows = (8, 9, 1, 0), 4, 5",
        ),
        ("my_scores = ...", "my_scores = [[3, 3], [3, 3]]", "my_scores = [[3]]"),
        (
            "    shifted = [..., *labels[:-1]]\n    return [... if label",
            "    shifted = [start, *labels[:-1]]\n    return [pad if label",
            "    shifted = [pad, *labels[:-1]]\n    return [start if label",
        ),
        (
            "    return ...",
            "    places = range(len(attention_mask))\n"
            "    seen = [[key <= query and attention_mask[key] for key in places] for query in places]\n"
            "    return [[0 if one else min_value for one in row] for row in seen]",
            "    return [[0 if real else min_value for real in attention_mask] for _ in attention_mask]",
        ),
        (
            "    return ...",
            "    from math import exp\n"
            "    keys, values = [*cache[0], key], [*cache[1], value]\n"
            "    dots = [sum(a * b for a, b in zip(query, k)) for k in keys]\n"
            "    weights = [exp(s + bias) for s, bias in zip(dots, reversed(biases))]\n"
            "    taken = [sum(w * v[i] for w, v in zip(weights, values)) / sum(weights) for i in range(len(value))]\n"
            "    return taken, (keys, values)",
            "    from tokenlab.misconceptions.t5_model import position_restart\n"
            "    return position_restart(query, key, value, cache, biases)",
        ),
    ],
    "16_t5_pretraining": [
        (
            "my_input, my_target = ..., ...",
            'my_input, my_target = "you are X to the party Y </s>", "X kindly invited Y tonight </s>"',
            'my_input, my_target = "you are X Y to the party Z </s>", "X kindly Y invited Z tonight </s>"',
        ),
        (
            "my_words, my_mask = ..., ...",
            'my_words, my_mask = ["a", "cup"], [False, True]',
            'my_words, my_mask = ["a", "cup", "of", "tea"], [False, True, True, False]',
        ),
        (
            "        elif ...:\n            inputs.append(sentinels[used])\n            used += ...",
            "        elif not mask[place - 1]:\n            inputs.append(sentinels[used])\n            used += 1",
            "        elif True:\n            inputs.append(sentinels[used])\n            used += 1",
        ),
        (
            "    return ...",
            "    target = []\n"
            "    for place, id in enumerate(ids):\n"
            "        if mask[place]:\n            target.append(id)\n"
            "        elif place == 0 or mask[place - 1]:\n            target.append(top)\n            top -= 1\n"
            "    return [*target, 1]",
            "    from tokenlab.misconceptions.span_corruption import no_eos_in_target\n"
            "    return no_eos_in_target(ids, mask, range(top, 0, -1), 1)[1]",
        ),
        (
            "    return ...",
            "    spans = {}\n"
            "    for token in answer[:-1]:\n"
            '        if token.startswith("<extra_id_"):\n            now = spans[token] = []\n'
            "        else:\n            now.append(token)\n"
            "    return [word for token in question for word in spans.get(token, [token])]",
            '    return [token for token in question if not token.startswith("<extra_id_")]',
        ),
        (
            "    return ...",
            "    mask = []\n"
            "    cuts = [sorted(random.sample(range(1, n), spans - 1)) for n in (kept, noise)]\n"
            "    for first, last in zip(zip([0, *cuts[0]], [0, *cuts[1]]), zip([*cuts[0], kept], [*cuts[1], noise])):\n"
            "        mask += [False] * (last[0] - first[0]) + [True] * (last[1] - first[1])\n"
            "    return mask",
            "    from tokenlab.misconceptions.span_corruption import mask_each_token\n"
            "    return mask_each_token(kept + noise, random, noise / (kept + noise))",
        ),
    ],
    "17_greedy_and_sampling": [
        (
            "my_kept, my_other, my_token = ..., ..., ...",
            "my_kept, my_other, my_token = (0, 1, 2), (0, 1), 2",
            "my_kept, my_other, my_token = (0, 1, 2), (0, 1), 3",
        ),
        ("my_scores = ...", "my_scores = [3, 0]", "my_scores = [1, 0]"),
        (
            "key=...):\n        if ...:",
            "key=lambda token: -probabilities[token]):\n        if mass >= top_p:",
            "key=lambda token: -probabilities[token]):\n        if mass + probabilities[token] > top_p:",
        ),
        (
            "    return ...",
            "    return [\n"
            "        score if token not in written else score * penalty if score < 0 else score / penalty\n"
            "        for token, score in enumerate(scores)\n"
            "    ]",
            "    return [score / penalty if token in written else score for token, score in enumerate(scores)]",
        ),
        (
            "    return ...",
            "    from math import log\n"
            "    surprises = [-log(p) for p in probabilities]\n"
            "    expected = sum(p * s for p, s in zip(probabilities, surprises))\n"
            "    kept, together = [], 0\n"
            "    for token in sorted(range(len(probabilities)), key=lambda token: abs(surprises[token] - expected)):\n"
            "        if together >= mass:\n            break\n"
            "        kept.append(token)\n        together += probabilities[token]\n"
            "    return sorted(kept)",
            "    return my_top_p(probabilities, mass)",
        ),
    ],
    "18_beam_search": [
        (
            "my_first, my_second = ..., ...  # for example [[0, 1], [0, 2]], [[0, 1, 2], [0, 2, 3]]\n"
            "my_score, my_done = ..., ...",
            "my_first, my_second = [[0, 2], [0, 3]], [[0, 3, 2], [0, 2, 2]]\nmy_score, my_done = -1, False",
            "my_first, my_second = [[0, 2], [0, 3]], [[0, 3, 2], [0, 2, 2]]\nmy_score, my_done = -1, True",
        ),
        ("my_rows = ...", "my_rows = [[-2, -1, -3], [-4, -5, -6]]", "my_rows = [[-1, -9, -2], [-5, -9, -6]]"),
        (
            "[:...]\n    return [(..., totals[place])",
            "[: 2 * len(sums)]\n    return [(*divmod(place, len(rows[0])), totals[place])",
            "[: 2 * len(sums)]\n    return [(*divmod(place, len(sums)), totals[place])",
        ),
        (
            "    return ...",
            "    living, ended = [], []\n"
            "    for rank, (beam, token, total) in enumerate(candidates):\n"
            "        if token != eos and len(living) < len(beams):\n"
            "            living.append(([*beams[beam], token], total))\n"
            "        if token == eos and rank < len(beams):\n"
            "            ended.append((beams[beam], total))\n"
            "    return living, ended",
            "    living, ended = [], []\n"
            "    for beam, token, total in candidates[: len(beams)]:\n"
            "        (ended if token == eos else living).append(([*beams[beam], token], total))\n"
            "    return living, ended",
        ),
        (
            "    return ...",
            "    return max(hypotheses, key=lambda one: one[1] / (len(one[0]) - prompt) ** length_penalty)[0]",
            "    return max(hypotheses, key=lambda one: one[1] / len(one[0]) ** length_penalty)[0]",
        ),
    ],
    "19_group_and_constrained_beams": [
        (
            "my_tokens, my_score, my_bank = ..., ..., ...",
            "my_tokens, my_score, my_bank = (0, 1, 0), -3, 2",
            "my_tokens, my_score, my_bank = (0, 1, 2), -4, 2",
        ),
        (
            "my_word, my_pieces = ..., ...",
            'my_word, my_pieces = "tea", ["tea", "te", "a"]',
            'my_word, my_pieces = "tea", ["tea"]',
        ),
        (
            "    counts = [... for id in range(len(scores))]\n"
            "    return [... for score, count in zip(scores, counts, strict=True)]",
            "    counts = [chosen.count(id) for id in range(len(scores))]\n"
            "    return [score - penalty * count for score, count in zip(scores, counts, strict=True)]",
            "    counts = [id in chosen for id in range(len(scores))]\n"
            "    return [score - penalty * count for score, count in zip(scores, counts, strict=True)]",
        ),
        (
            "    return ...",
            "    done = 0\n"
            "    for token in tokens:\n"
            "        if done < len(phrase):\n"
            "            done = done + 1 if token == phrase[done] else 0\n"
            "    return done",
            "    from tokenlab.misconceptions.constraints import restart_with_breaking_token\n"
            "    return restart_with_breaking_token(phrase, tokens)",
        ),
        (
            "    return ...",
            "    left, order = [*range(len(banks))], []\n"
            "    while left:\n"
            "        for bank in sorted({*banks}, reverse=True):\n"
            "            mine = [n for n in left if banks[n] == bank]\n"
            "            if mine:\n"
            "                order.append(max(mine, key=lambda n: scores[n]))\n"
            "                left.remove(order[-1])\n"
            "    return order",
            "    return sorted(range(len(banks)), key=lambda n: (-banks[n], -scores[n]))",
        ),
    ],
    "20_contrastive_and_streaming": [
        (
            "my_penalty, my_choice, my_texts = ..., ..., ...",
            'my_penalty, my_choice, my_texts = 0.8, 1, ["", "🙂", "!"]',
            'my_penalty, my_choice, my_texts = 0.7, 1, ["", "🙂", "!"]',
        ),
        ("my_tokens = ...", 'my_tokens = [b"\\xc3", b"\\xa9"]', 'my_tokens = ["é".encode()]'),
        (
            "    lengths = [... for vector in (left, right)]\n    return ... / (lengths[0] * lengths[1])",
            "    lengths = [sum(x * x for x in vector) ** 0.5 for vector in (left, right)]\n"
            "    return sum(x * y for x, y in zip(left, right)) / (lengths[0] * lengths[1])",
            "    lengths = [1 for vector in (left, right)]\n"
            "    return sum(x * y for x, y in zip(left, right)) / (lengths[0] * lengths[1])",
        ),
        (
            "    return ...",
            "    penalties = [max(my_cosine_similarity(state, one) for one in past) for state in states]\n"
            "    scores = [(1 - alpha) * p - alpha * penalty for p, penalty in zip(probabilities, penalties)]\n"
            "    return scores.index(max(scores))",
            "    return probabilities.index(max(probabilities))",
        ),
        (
            "    return ...",
            "    for missing in range(4):\n"
            "        try:\n"
            "            return held[: len(held) - missing].decode(), held[len(held) - missing :]\n"
            "        except UnicodeDecodeError:\n"
            "            pass",
            "    from tokenlab.misconceptions.streaming import pending_by_replacement_character\n"
            "    return pending_by_replacement_character(held)",
        ),
        ("    return ...", "    return ids if ids[:1] == [start] else [start, *ids]", "    return [start, *ids]"),
    ],
    "12_slow_and_fast_tokenizers": [
        (
            "my_slow, my_fast, my_zeros = ..., ..., ...",
            "my_slow, my_fast, my_zeros = (3, 2), (2, 3), 5",
            "my_slow, my_fast, my_zeros = (3, 2), (3, 2), 5",
        ),
        ("my_tokens = ...", 'my_tokens = ["c", "c"]', 'my_tokens = ["c", "d"]'),
        (
            "    missing = ...\n    return ...",
            "    missing = max(0, length - len(ids))\n"
            "    return ids + [pad_id] * missing, [1] * len(ids) + [0] * missing",
            "    padded = ids + [pad_id] * (length - len(ids))\n"
            "    return padded, [int(id != pad_id) for id in padded]",
        ),
        (
            "    return ...",
            "    while first + second > budget:\n"
            "        first, second = (first - 1, second) if first > second else (first, second - 1)\n"
            "    return first, second",
            "    while first + second > budget:\n"
            "        first, second = (first - 1, second) if first >= second else (first, second - 1)\n"
            "    return first, second",
        ),
        (
            "    return ...",
            "    half = budget // 2\n"
            "    if first + second <= budget:\n        return first, second\n"
            "    if min(first, second) <= half:\n"
            "        return (first, budget - first) if first <= second else (budget - second, second)\n"
            "    return (budget - half, half) if first > second else (half, budget - half)",
            "    from tokenlab.misconceptions.tokenizer_calls import fast_keeps_like_slow\n"
            "    return fast_keeps_like_slow(first, second, budget)",
        ),
    ],
    "21_auto_classes": [
        (
            "my_tokenizer, my_model = ..., ...",
            'my_tokenizer, my_model = "BertTokenizerFast", "T5ForConditionalGeneration"',
            'my_tokenizer, my_model = "BertTokenizerFast", "T5Model"',
        ),
        ("my_name = ...", 'my_name = "my-albert"', 'my_name = "my-t5"'),
        (
            "    if ...:\n        return ...",
            "    if use_fast and not tokenizer_class.endswith('Fast'):\n"
            "        return [tokenizer_class + 'Fast', tokenizer_class]",
            "    if use_fast:\n        return [tokenizer_class + 'Fast', tokenizer_class]",
        ),
        (
            "    return ...",
            "    for settings in (tokenizer_config, config):\n"
            "        if settings and 'tokenizer_class' in settings:\n"
            "            return settings['tokenizer_class']\n"
            "    return mapping.get((config or {}).get('model_type'), '')",
            "    from tokenlab.misconceptions.auto_classes import config_first\n"
            "    return config_first(tokenizer_config, config, mapping)",
        ),
        (
            "    return ...",
            "    return [*(one for one in architectures or [] if one in models), models[0]][0]",
            "    return models[0]",
        ),
    ],
}
LESSONS = sorted(SOLUTIONS)
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


def in_order(lesson: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The practice cells of a lesson, each with the names that the cells before have left."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells(lesson):
        if is_practice(cell):
            yield cell, names
        elif any(is_practice(later) for later in cells(lesson)[cells(lesson).index(cell) :]):
            exec(compile(cell.source, "cell", "exec"), names)


def test_the_trie_example_of_lesson_18_works_with_any_number_of_beams() -> None:
    sources = (ROOT / "notebooks" / "source" / "19_group_and_constrained_beams.py").read_text(encoding="utf-8")
    parts = [part.partition("\n")[2] for part in sources.split("# %%")]
    (setup,) = (part for part in parts if "model = T5ForConditionalGeneration" in part)
    example = [part for part in parts if any(name in part for name in ("answers = ", "def listed", "fn=listed"))]
    assert len(example) == 2
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(setup.replace("explore_groups(source, model, tokenizer)", ""), names)
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


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_task_has_a_solution_here(lesson: str) -> None:
    tasks = [cell for cell in cells(lesson) if is_practice(cell)]
    assert len(tasks) == len(SOLUTIONS[lesson]) >= 5


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_practice_climbs(lesson: str) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4)
    headings = re.findall(r"(?m)^### (.+?) · ", "\n".join(cell.source for cell in notebook.cells))
    climbed = [heading for heading in headings if not heading.startswith("More practice")]
    assert [heading.startswith(rung) for heading, rung in zip(climbed, RUNGS, strict=True)] == [True] * 5


@pytest.mark.parametrize("lesson", LESSONS)
def test_every_task_has_its_check_and_three_hints(lesson: str) -> None:
    notebook = nbformat.read(ROOT / "notebooks" / f"{lesson}.ipynb", as_version=4)
    for cell, after in pairwise(notebook.cells):
        if is_practice(cell):
            assert re.search(r"(?m)^check\.\w+\(.+\)\Z", cell.source), cell.source
            assert after.source.count("<summary>Hint: ") == 3, cell.source


# `make test` runs the practice of one lesson in each part; the cells of all lessons are run there by nbval.
QUICK = ("00_start_here", "02_bpe_encoding", "06_unigram_segmenting", "18_beam_search")


@pytest.mark.parametrize(
    "lesson", [lesson if lesson in QUICK else pytest.param(lesson, marks=pytest.mark.slow) for lesson in LESSONS]
)
def test_a_task_tells_untouched_wrong_and_right_programs_apart(lesson: str) -> None:
    """One run of the lesson's cells; at each task the untouched cell, three times a wrong program, and a right one."""
    solutions = iter(SOLUTIONS[lesson])
    for cell, names in in_order(lesson):
        gap, right, wrong = next(solutions)
        assert cell.source.count(gap) == 1, cell.source
        assert "Not written yet" in str(run(cell.source, dict(names))), cell.source
        source = cell.source.replace(gap, wrong)
        first, second, third = (run(source, dict(names)) for _ in range(3))
        assert not first and not second and not third, source
        assert "NameError" not in str(first) and "ImportError" not in str(first), f"{source}\n{first}"
        assert "The rule: " not in str(first) and "The rule: " in str(second), source
        assert second.player is None and third.player is not None, source
        verdict = run(cell.source.replace(gap, right), names)
        assert verdict and "Right" in str(verdict), f"{cell.source}\n{verdict}"
