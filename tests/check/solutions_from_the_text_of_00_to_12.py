"""Solutions of lessons 00 to 12, each written from the text, the example and the hints of its task alone.

They follow the text as literally as possible. If one of them fails its check, the text or the check is wrong.
"""

from __future__ import annotations

import base64
import itertools
import math
from collections import Counter
from typing import Any

import regex

from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.libraries import tiktoken

# Lesson 00.


def unknown_words(words, vocabulary):  # type: ignore[no-untyped-def]
    unknown = []
    for word in words:
        if word not in vocabulary:
            unknown.append(word)
    return unknown


def token_ids(pieces, vocabulary):  # type: ignore[no-untyped-def]
    ids = []
    for piece in pieces:
        ids.append(vocabulary.index(piece) if piece in vocabulary else -1)
    return ids


def fall_back(words, vocabulary):  # type: ignore[no-untyped-def]
    tokens: list[str] = []
    for word in words:
        if word in vocabulary:
            tokens.append(word)
        else:
            tokens += list(word)
    return tokens


# Lesson 01.


def count_pairs(splits, word_counts):  # type: ignore[no-untyped-def]
    pair_counts: Counter[Any] = Counter()
    for word, split in splits.items():
        for pair in zip(split, split[1:]):  # noqa: B905
            pair_counts[pair] += word_counts[word]
    return pair_counts


def merge(split, pair):  # type: ignore[no-untyped-def]
    merged = []
    position = 0
    while position < len(split):
        if tuple(split[position : position + 2]) == tuple(pair):
            merged.append(pair[0] + pair[1])
            position += 2
        else:
            merged.append(split[position])
            position += 1
    return tuple(merged)


def tie_break(tied):  # type: ignore[no-untyped-def]
    return -len(tied.pair[0] + tied.pair[1]), tied.first


def merged_count(split, pair):  # type: ignore[no-untyped-def]
    return len(split) - len(merge(split, pair))


def training(word_counts, vocab_size):  # type: ignore[no-untyped-def]
    splits = {word: tuple(word) for word in word_counts}
    size = len(set("".join(word_counts)))
    merges: list[Any] = []
    while size + len(merges) < vocab_size:
        counts = count_pairs(splits, word_counts)
        if not counts:
            break
        best = max(counts, key=counts.get)  # the first of equal ones
        merges.append(best)
        splits = {word: merge(split, best) for word, split in splits.items()}
    return merges


# Lesson 02.


def lowest_rank_position(split, ranks):  # type: ignore[no-untyped-def]
    found = [
        (ranks[split[place] + split[place + 1]], place)
        for place in range(len(split) - 1)
        if split[place] + split[place + 1] in ranks
    ]
    return min(found)[1] if found else -1


def encode(word, ranks):  # type: ignore[no-untyped-def]
    symbols = tuple(word)
    while True:
        place = lowest_rank_position(symbols, ranks)
        if place == -1:
            return symbols
        symbols = (*symbols[:place], symbols[place] + symbols[place + 1], *symbols[place + 2 :])


def encode_with_limit(word, ranks, longest):  # type: ignore[no-untyped-def]
    return encode(word, {token: rank for token, rank in ranks.items() if len(token) <= longest})


# Lesson 03.


def split_characters(tokens):  # type: ignore[no-untyped-def]
    cut = 0
    for token in tokens:
        try:
            token.decode()
        except UnicodeDecodeError:
            cut += 1
    return cut


def byte_symbols(data):  # type: ignore[no-untyped-def]
    table = []
    others = 0
    for byte in range(256):
        if chr(byte).isprintable() and chr(byte) != " ":
            table.append(chr(byte))
        else:
            table.append(chr(256 + others))
            others += 1
    return "".join(table[byte] for byte in data)


def split_at_capitals(text):  # type: ignore[no-untyped-def]
    return regex.findall(r"\p{Lu}\P{Lu}*|\P{Lu}+", text)


def byte_ids(text):  # type: ignore[no-untyped-def]
    first = [*range(33, 127), *range(161, 173), *range(174, 256)]
    order = first + [byte for byte in range(256) if byte not in first]
    return [order.index(byte) for byte in text.encode()]


# Lesson 04.


def load_ranks(lines):  # type: ignore[no-untyped-def]
    loaded = {}
    for line in lines:
        encoded, rank = line.split(" ")
        loaded[base64.b64decode(encoded)] = int(rank)
    return loaded


def encode_ordinary(text, ranks):  # type: ignore[no-untyped-def]
    ids = []
    for piece in split_gpt2(text):
        data = piece.encode()
        if data in ranks:
            ids.append(ranks[data])
        else:
            for token in encode_by_rank(data, ranks):
                ids.append(ranks[token])
    return ids


def chat(user_text):  # type: ignore[no-untyped-def]
    ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
    special = {"<|endoftext|>": len(ranks), "<|endofprompt|>": len(ranks) + 1}
    small = tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
    return [*small.encode(user_text, disallowed_special=()), special["<|endoftext|>"]]


def split_special(text, special_tokens, allowed):  # type: ignore[no-untyped-def]
    tokens = sorted((token for token in special_tokens if token in allowed), key=len, reverse=True)
    if not tokens:
        return [text] if text else []
    parts = regex.split("(" + "|".join(regex.escape(token) for token in tokens) + ")", text)
    return [part for part in parts if part]


# Lesson 05.


def join_symbols(left, right):  # type: ignore[no-untyped-def]
    prefix_length = 2
    return left + right[prefix_length:]


def encode_wordpiece(word, vocabulary):  # type: ignore[no-untyped-def]
    tokens = []
    start = 0
    while start < len(word):
        end = len(word)
        while end > start:
            token = word[start:end] if start == 0 else "##" + word[start:end]
            if token in vocabulary:
                break
            end -= 1
        if end == start:
            return ("[UNK]",)
        tokens.append(token)
        start = end
    return tuple(tokens)


def best_pair(pair_counts, symbol_counts, min_frequency):  # type: ignore[no-untyped-def]
    scores = {}
    for (left, right), count in pair_counts.items():
        if count >= min_frequency:
            scores[(left, right)] = count / (symbol_counts[left] * symbol_counts[right])
    if not scores:
        return ()
    return max(scores, key=scores.get)  # type: ignore[arg-type]


# Lesson 06.


def best_score(word, vocabulary):  # type: ignore[no-untyped-def]
    scores = [0, *[float("-inf")] * len(word)]
    for end in range(1, len(word) + 1):
        for start in range(end):
            if word[start:end] in vocabulary:
                scores[end] = max(scores[end], scores[start] + vocabulary[word[start:end]])
    return scores[-1]


def segment(word, vocabulary):  # type: ignore[no-untyped-def]
    scores = [0.0, *[float("-inf")] * len(word)]
    starts = [0] * (len(word) + 1)
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if piece in vocabulary and scores[start] + vocabulary[piece] > scores[end]:
                scores[end] = scores[start] + vocabulary[piece]
                starts[end] = start
    pieces = []
    end = len(word)
    while end > 0:
        pieces.append(word[starts[end] : end])
        end = starts[end]
    return tuple(reversed(pieces))


def sampling_probabilities(scores, alpha):  # type: ignore[no-untyped-def]
    products = [alpha * score for score in scores]
    powers = [math.exp(product - max(products)) for product in products]
    return [power / sum(powers) for power in powers]


# Lesson 07.


def count_expected(words, ways):  # type: ignore[no-untyped-def]
    counts: dict[str, float] = {}
    for word, count in words.items():
        total = sum(probability for _, probability in ways[word])
        for cut, probability in ways[word]:
            for piece in cut:
                counts[piece] = counts.get(piece, 0) + count * probability / total
    return counts


def estimate(counts):  # type: ignore[no-untyped-def]
    remaining = {}
    for piece, count in counts.items():
        if len(piece) == 1:
            remaining[piece] = max(count, 0.5)
        elif count >= 0.5:
            remaining[piece] = count
    return {piece: count / sum(remaining.values()) for piece, count in remaining.items()}


def keep_pieces(pieces, size):  # type: ignore[no-untyped-def]
    characters = [piece for piece in pieces if len(piece) == 1]
    longer = [piece for piece in pieces if len(piece) > 1 and pieces[piece][1] > 0]
    longer.sort(key=lambda piece: (-pieces[piece][1] / len(piece), piece))
    return sorted(characters + longer[: max(size - len(characters), 0)])


def count_occurrences(words):  # type: ignore[no-untyped-def]
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                counts[word[start:end]] += count
    return counts


# Lesson 08.


def model_id(model, number):  # type: ignore[no-untyped-def]
    if model == "XLM-R":
        return {0: 3, 1: 0, 2: 2}.get(number, number + 1)
    return 32_000 + 99 - number


def replaced(text, replacements):  # type: ignore[no-untyped-def]
    """The loop over positions: at each, the longest key (the first hint of the task, and the rule of the lesson)."""
    position = 0
    while position < len(text):
        keys = [key for key in replacements if text.startswith(key, position)]
        key = max(keys, key=len) if keys else text[position]
        yield position, key, replacements.get(key, key)
        position += len(key)


def normalize_text(text, replacements):  # type: ignore[no-untyped-def]
    text = "".join(value for _, _, value in replaced(text, replacements))
    return "".join("▁" + part for part in text.split(" ") if part)


def resegment_pieces(pieces, parts, unused):  # type: ignore[no-untyped-def]
    result = []
    for piece in pieces:
        if piece in unused:
            result += resegment_pieces(parts[piece], parts, unused)
        else:
            result.append(piece)
    return result


def spans(text, replacements):  # type: ignore[no-untyped-def]
    found = []
    for position, key, value in replaced(text, replacements):
        for _ in value:
            found.append((position, position + len(key)))
    return found


# Lesson 09.


def escape(token, alphabet):  # type: ignore[no-untyped-def]
    token = token.replace("\\", "\\\\").replace("_", "\\u")
    return "".join(c if c in alphabet else f"\\{ord(c)};" for c in token) + "_"


def choose_subtokens(counts, min_count, alphabet):  # type: ignore[no-untyped-def]
    counts = dict(counts)
    kept = set(alphabet)
    for string in sorted(counts, key=len, reverse=True):
        if counts[string] >= min_count:
            kept.add(string)
            for end in range(1, len(string)):
                counts[string[:end]] -= counts[string]
    return kept


def segment_from_right(escaped, subtokens):  # type: ignore[no-untyped-def]
    result: list[str] = []
    while escaped:
        for start in range(len(escaped)):
            if escaped[start:] in subtokens:
                result.insert(0, escaped[start:])
                escaped = escaped[:start]
                break
    return result


def split_runs(text):  # type: ignore[no-untyped-def]
    runs = ["".join(group) for _, group in itertools.groupby(text, str.isalnum)]
    last = len(runs) - 1
    return [run for place, run in enumerate(runs) if run != " " or place in (0, last)]


def frequent_substrings(token_counts, min_count):  # type: ignore[no-untyped-def]
    counts: Counter[str] = Counter()
    for token, count in token_counts.items():
        string = token + "_"
        for start in range(len(string)):
            for end in range(start + 1, len(string) + 1):
                counts[string[start:end]] += count
    return {string for string, count in counts.items() if count >= min_count}


def search_size(target_size, sizes):  # type: ignore[no-untyped-def]
    low, high = min(sizes), max(sizes)
    tried = []
    while True:
        middle = (low + high) // 2
        tried.append(middle)
        if abs(sizes[middle] - target_size) < 0.01 * target_size or low >= high or middle == 1:
            return tried
        if sizes[middle] > target_size:
            low = middle + 1
        else:
            high = middle - 1


# Lesson 10.


def sampled_lines(lines, skip, budget):  # type: ignore[no-untyped-def]
    taken, skipped = [], 0
    for line in lines:
        if skipped < skip:
            skipped += 1
        elif budget > 0:
            taken.append(line)
            budget -= len(line)
            skipped = 0
    return taken


def shards_of(pairs, ids, shards):  # type: ignore[no-untyped-def]
    examples = []
    for source, target in pairs:
        inputs = [ids[character] for character in source] + [1]
        targets = [ids[character] for character in target] + [1]
        examples.append({"inputs": inputs, "targets": targets})
    return [examples[shard::shards] for shard in range(shards)]


def packs_of(lengths, packed_length):  # type: ignore[no-untyped-def]
    filled: list[int] = []
    numbers = []
    for length in lengths:
        for number, used in enumerate(filled):
            if used + length <= packed_length:
                filled[number] += length
                numbers.append(number)
                break
        else:
            filled.append(length)
            numbers.append(len(filled) - 1)
    return numbers


# Lesson 11.


def original_span(alignments, start, end):  # type: ignore[no-untyped-def]
    first, last = alignments[start], alignments[end - 1]
    return first[0], last[1]


def token_labels(labels, offsets):  # type: ignore[no-untyped-def]
    result = []
    for start, end in offsets:
        found = "O"
        for label in labels[start:end]:
            if label != "O":
                found = label
                break
        result.append(found)
    return result


def split_added(text, content):  # type: ignore[no-untyped-def]
    return [part for part in regex.split(r"([ \t]*" + regex.escape(content) + ")", text) if part]


# Lesson 12.


def padded_ids(ids, length, pad_id):  # type: ignore[no-untyped-def]
    missing = max(0, length - len(ids))
    return ids + [pad_id] * missing, [1] * len(ids) + [0] * missing


def slow_truncation(first, second, budget):  # type: ignore[no-untyped-def]
    while first + second > budget:
        if first > second:
            first -= 1
        else:
            second -= 1
    return first, second


def fast_truncation(first, second, budget):  # type: ignore[no-untyped-def]
    if first + second <= budget:
        return first, second
    half = budget // 2
    if min(first, second) <= half:
        return (first, budget - first) if first < second else (budget - second, second)
    return (budget - half, half) if first > second else (half, budget - half)
