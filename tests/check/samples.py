"""For every exercise: three right programs in different styles, and wrong ones with the rule that each breaks."""

from __future__ import annotations

import base64
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import reduce
from typing import Any

import regex

from tests.check import (
    samples_auto_classes,
    samples_beam_search,
    samples_comparison,
    samples_constraints,
    samples_decoder_capstone,
    samples_decoder_only,
    samples_gpt2_capstone,
    samples_measuring,
    samples_pipeline,
    samples_sampling,
    samples_sentencepiece,
    samples_slow_and_fast,
    samples_span_corruption,
    samples_streaming,
    samples_subword_text,
    samples_t5_attention,
    samples_t5_capstone,
    samples_t5_map,
    samples_t5_model,
    samples_training_data,
    samples_unigram_segmenting,
    samples_unigram_training,
    samples_wordpiece,
)
from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.text.byte_symbols import GPT2_ORDER
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.check.exercises.bpe_encoding import merges_of_ranks
from tokenlab.libraries import tiktoken
from tokenlab.misconceptions import bpe_encoding as bpe_encode
from tokenlab.misconceptions import bpe_training as bpe
from tokenlab.misconceptions import byte_level_bpe as byte_level
from tokenlab.misconceptions.catalog import rule_of

Function = Callable[..., Any]

# Lesson 00.


def unknown_1(words: Any, vocabulary: Any) -> Any:
    unknown = []
    for word in words:
        if word not in vocabulary:
            unknown.append(word)
    return unknown


def unknown_2(words: Any, vocabulary: Any) -> Any:
    return tuple(filter(lambda word: vocabulary.count(word) == 0, words))


def unknown_3(words: Any, vocabulary: Any) -> Any:
    known = dict.fromkeys(vocabulary)
    return [word for word in words if word not in known]


def ids_1(tokens: Any, vocabulary: Any) -> Any:
    return [vocabulary.index(token) if token in vocabulary else -1 for token in tokens]


def ids_2(tokens: Any, vocabulary: Any) -> Any:
    table = {token: id for id, token in enumerate(vocabulary)}
    return tuple(table.get(token, -1) for token in tokens)


def ids_3(tokens: Any, vocabulary: Any) -> Any:
    ids = []
    for token in tokens:
        try:
            ids.append(vocabulary.index(token))
        except ValueError:
            ids.append(-1)
    return ids


def fall_1(words: Any, vocabulary: Any) -> Any:
    tokens: list[str] = []
    for word in words:
        if word in vocabulary:
            tokens.append(word)
        else:
            tokens.extend(word)
    return tokens


def fall_2(words: Any, vocabulary: Any) -> Any:
    start: list[str] = []
    return sum(([word] if word in vocabulary else list(word) for word in words), start)


def fall_3(words: Any, vocabulary: Any) -> Any:
    return (*itertools.chain.from_iterable((word,) if word in vocabulary else word for word in words),)


# Lesson 01.


def count_1(splits: Any, word_counts: Any) -> Any:
    counts: Counter[Any] = Counter()
    for word, split in splits.items():
        for pair in zip(split, split[1:], strict=False):
            counts[pair] += word_counts[word]
    return counts


def count_2(splits: Any, word_counts: Any) -> Any:
    counts: dict[Any, int] = {}
    for word in splits:
        for place in range(len(splits[word]) - 1):
            pair = splits[word][place], splits[word][place + 1]
            counts[pair] = counts.get(pair, 0) + word_counts[word]
    return counts


def count_3(splits: Any, word_counts: Any) -> Any:
    counts: defaultdict[Any, int] = defaultdict(int)
    for word, split in splits.items():
        for pair in itertools.pairwise(split):
            counts[pair] = counts[pair] + word_counts[word]
    return counts


def merge_1(split: Any, pair: Any) -> Any:
    merged, place = [], 0
    while place < len(split):
        if split[place : place + 2] == pair:
            merged.append(split[place] + split[place + 1])
            place += 2
        else:
            merged.append(split[place])
            place += 1
    return tuple(merged)


def merge_2(split: Any, pair: Any) -> Any:
    if len(split) < 2:
        return split
    if split[0] == pair[0] and split[1] == pair[1]:
        return (pair[0] + pair[1], *merge_2(split[2:], pair))
    return (split[0], *merge_2(split[1:], pair))


def merge_3(split: Any, pair: Any) -> Any:
    symbols = list(split)
    place = 0
    while place < len(symbols) - 1:
        if (symbols[place], symbols[place + 1]) == pair:
            symbols[place : place + 2] = ["".join(pair)]
        place += 1
    return symbols


def merged_count_1(split: Any, pair: Any) -> Any:
    return len(split) - len(merge_1(split, pair))


def merged_count_2(split: Any, pair: Any) -> Any:
    count, place = 0, 0
    while place + 1 < len(split):
        found = split[place : place + 2] == pair
        count += found
        place += 1 + found
    return count


def merged_count_3(split: Any, pair: Any) -> Any:
    if len(split) < 2:
        return 0
    return 1 + merged_count_3(split[2:], pair) if split[:2] == pair else merged_count_3(split[1:], pair)


def train_1(word_counts: Any, vocab_size: Any) -> Any:
    splits = {word: tuple(word) for word in word_counts}
    merges: list[Any] = []
    while len(set("".join(word_counts))) + len(merges) < vocab_size:
        counts = count_1(splits, word_counts)
        if not counts:
            break
        best = max(counts, key=counts.__getitem__)
        merges.append(best)
        splits = {word: merge_1(split, best) for word, split in splits.items()}
    return merges


def train_2(word_counts: Any, vocab_size: Any) -> Any:
    words = [([*word], count) for word, count in word_counts.items()]
    merges: list[Any] = []
    for _ in range(vocab_size - len({letter for word in word_counts for letter in word})):
        pairs = [(pair, count) for word, count in words for pair in itertools.pairwise(word)]
        if not pairs:
            return merges
        total = {pair: sum(count for other, count in pairs if other == pair) for pair, _ in pairs}
        best = next(pair for pair in total if total[pair] == max(total.values()))
        words = [(merge_3(word, best), count) for word, count in words]
        merges.append(best)
    return merges


def train_3(word_counts: Any, vocab_size: Any) -> Any:
    def more(words: Any, missing: int) -> Any:
        counts = Counter[Any]()
        for split, count in words:
            counts.update({})
            for pair in zip(split, split[1:], strict=False):
                counts[pair] += count
        if missing < 1 or not counts:
            return ()
        [(best, _)] = counts.most_common(1)
        return (best, *more([(merge_2(split, best), count) for split, count in words], missing - 1))

    letters = set(itertools.chain(*word_counts))
    return more([(tuple(word), count) for word, count in word_counts.items()], vocab_size - len(letters))


def tie_1(tied: Any) -> Any:
    return -len(tied.pair[0] + tied.pair[1]), tied.first


def tie_2(tied: Any) -> Any:
    left, right = tied.pair
    return [-len(left) - len(right), tied.first[0], tied.first[1]]


def tie_3(tied: Any) -> Any:
    return 1 / len("".join(tied.pair)), *tied.first


# Lesson 02.


def best_1(split: Any, ranks: Any) -> Any:
    places = range(len(split) - 1)
    found = [(ranks[split[p] + split[p + 1]], p) for p in places if split[p] + split[p + 1] in ranks]
    return min(found)[1] if found else -1


def best_2(split: Any, ranks: Any) -> Any:
    best, lowest = -1, float("inf")
    for place, (left, right) in enumerate(itertools.pairwise(split)):
        if ranks.get(left + right, lowest) < lowest:
            best, lowest = place, ranks[left + right]
    return best


def best_3(split: Any, ranks: Any) -> Any:
    made = [left + right for left, right in zip(split, split[1:], strict=False)]
    for token in sorted(ranks, key=ranks.get):
        if token in made:
            return made.index(token)
    return -1


def encode_1(word: Any, ranks: Any) -> Any:
    split = list(word)
    while (place := best_1(split, ranks)) >= 0:
        split[place : place + 2] = [split[place] + split[place + 1]]
    return tuple(split)


def encode_2(word: Any, ranks: Any) -> Any:
    def step(split: Any) -> Any:
        pairs = [left + right for left, right in itertools.pairwise(split) if left + right in ranks]
        if not pairs:
            return split
        best = min(pairs, key=ranks.get)
        for place in range(len(split) - 1):
            if split[place] + split[place + 1] == best:
                return step((*split[:place], best, *split[place + 2 :]))

    return step(tuple(word))


def encode_3(word: Any, ranks: Any) -> Any:
    """Every place of the best token at once, from the left, which comes to the same."""
    split = [*word]
    while known := [a + b for a, b in zip(split, split[1:], strict=False) if a + b in ranks]:
        best, merged = min(known, key=ranks.__getitem__), [""]
        for symbol in split:
            joins = merged[-1] and merged[-1] + symbol == best
            merged[-1:] = [best, ""] if joins else [merged[-1], symbol]
        split = [symbol for symbol in merged if symbol]
    return split


def limit_1(word: Any, ranks: Any, longest: Any) -> Any:
    return encode_1(word, {token: rank for token, rank in ranks.items() if len(token) <= longest})


def limit_2(word: Any, ranks: Any, longest: Any) -> Any:
    split = list(word)
    while True:
        found = [
            (ranks[left + right], place)
            for place, (left, right) in enumerate(itertools.pairwise(split))
            if left + right in ranks and len(left) + len(right) <= longest
        ]
        if not found:
            return split
        place = min(found)[1]
        split = [*split[:place], split[place] + split[place + 1], *split[place + 2 :]]


def limit_3(word: Any, ranks: Any, longest: Any) -> Any:
    allowed = dict(filter(lambda item: len(item[0]) < longest + 1, ranks.items()))
    return encode_2(word, allowed)


# Lesson 03.


def cut_1(tokens: Any) -> Any:
    cut = 0
    for token in tokens:
        try:
            token.decode()
        except UnicodeDecodeError:
            cut += 1
    return cut


def cut_2(tokens: Any) -> Any:
    return sum(token.decode("utf-8", errors="ignore").encode() != token for token in tokens)


def cut_3(tokens: Any) -> Any:
    def whole(token: bytes) -> bool:
        try:
            return bool(str(token, "utf-8")) or True
        except ValueError:
            return False

    return len([token for token in tokens if not whole(token)])


def visible(byte: int) -> bool:
    return chr(byte).isprintable() and byte != 32


def byte_symbols_1(data: Any) -> Any:
    table, borrowed = {}, 0
    for byte in range(256):
        table[byte] = chr(byte) if visible(byte) else chr(256 + borrowed)
        borrowed += not visible(byte)
    return "".join(table[byte] for byte in data)


def byte_symbols_2(data: Any) -> Any:
    """The slow one: for each byte it counts again how many invisible ones come before."""
    text = ""
    for byte in data:
        text += chr(byte) if visible(byte) else chr(256 + sum(not visible(smaller) for smaller in range(byte)))
    return text


def byte_symbols_3(data: Any) -> Any:
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    return data.decode("latin-1").translate({byte: 256 + place for place, byte in enumerate(others)})


def byte_ids_1(text: Any) -> Any:
    order = sorted(range(256), key=lambda byte: (ord(byte_symbols_1(bytes([byte]))) > 255, byte))
    return [order.index(byte) for byte in text.encode()]


def byte_ids_2(text: Any) -> Any:
    first = [byte for byte in range(256) if visible(byte)]
    order = {byte: id for id, byte in enumerate([*first, *(set(range(256)) - {*first})])}
    ids = []
    for byte in bytes(text, "utf-8"):
        ids.append(order[byte] if byte in first else len(first) + sum(not visible(smaller) for smaller in range(byte)))
    return ids


def byte_ids_3(text: Any) -> Any:
    shown = "".join(chr(byte) for byte in range(256) if visible(byte))
    both = shown + "".join(chr(256 + number) for number in range(256 - len(shown)))
    return tuple(map(both.index, byte_symbols_3(text.encode("utf-8"))))


def capitals_1(text: Any) -> Any:
    return regex.findall(r"\p{Lu}\P{Lu}*|\P{Lu}+", text)


def capitals_2(text: Any) -> Any:
    return [piece for piece in regex.split(r"(?=\p{Lu})", text, flags=regex.V1) if piece]


def capitals_3(text: Any) -> Any:
    pieces: list[str] = []
    for character in text:
        if pieces and not regex.match(r"\p{Lu}", character):
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


# Lesson 04.

RANKS = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
SPECIAL = {"<|endoftext|>": len(RANKS), "<|endofprompt|>": len(RANKS) + 1}
SMALL = tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=RANKS, special_tokens=SPECIAL)


def load_1(lines: Any) -> Any:
    loaded = {}
    for line in lines:
        encoded, rank = line.split()
        loaded[base64.b64decode(encoded)] = int(rank)
    return loaded


def load_2(lines: Any) -> Any:
    return dict((base64.b64decode(line.split(" ")[0]), int(line.split(" ")[1])) for line in lines)  # noqa: C402


def load_3(lines: Any) -> Any:
    both = [line.partition(" ") for line in reversed(lines)]
    return {base64.decodebytes(token.encode()): int(rank) for token, _, rank in both}


def ordinary_1(text: Any, ranks: Any) -> Any:
    ids = []
    for piece in split_gpt2(text):
        whole = piece.encode()
        if whole in ranks:
            ids.append(ranks[whole])
        else:
            ids.extend(ranks[token] for token in encode_by_rank(whole, ranks))
    return ids


def ordinary_2(text: Any, ranks: Any) -> Any:
    pieces = [bytes(piece, "utf-8") for piece in split_gpt2(text)]
    return [ranks[t] for piece in pieces for t in ((piece,) if piece in ranks else encode_by_rank(piece, ranks))]


def ordinary_3(text: Any, ranks: Any) -> Any:
    def of(piece: bytes) -> tuple[int, ...]:
        found = ranks.get(piece)
        return (found,) if found is not None else tuple(map(ranks.get, encode_by_rank(piece, ranks)))

    nothing: tuple[int, ...] = ()
    return reduce(lambda ids, piece: ids + of(piece.encode()), split_gpt2(text), nothing)


def chat_1(user_text: Any) -> Any:
    return [*SMALL.encode(user_text, disallowed_special=()), SPECIAL["<|endoftext|>"]]


def chat_2(user_text: Any) -> Any:
    ids = SMALL.encode_ordinary(user_text)
    ids.append(SMALL.eot_token)
    return ids


def chat_3(user_text: Any) -> Any:
    end = SMALL.encode("<|endoftext|>", allowed_special={"<|endoftext|>"})
    return SMALL.encode(user_text, allowed_special=set(), disallowed_special=set()) + end


def special_1(text: Any, special_tokens: Any, allowed: Any) -> Any:
    obeyed = sorted((token for token in special_tokens if token in allowed), key=len, reverse=True)
    if not obeyed:
        return [text] if text else []
    return [part for part in regex.split(f"({'|'.join(map(regex.escape, obeyed))})", text) if part]


def special_2(text: Any, special_tokens: Any, allowed: Any) -> Any:
    parts, plain = [], ""
    while text:
        here = [token for token in special_tokens if token in allowed and text.startswith(token)]
        if here:
            parts += [plain, max(here, key=len)]
            plain, text = "", text[len(parts[-1]) :]
        else:
            plain, text = plain + text[0], text[1:]
    return [part for part in [*parts, plain] if part]


def special_3(text: Any, special_tokens: Any, allowed: Any) -> Any:
    """Only what is allowed counts, as the third hint has it."""
    if not allowed:
        return list(filter(None, [text]))
    pattern = re.compile("|".join(re.escape(token) for token in sorted(allowed, key=lambda token: -len(token))))
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [text[end : match.start()], match.group()]
        end = match.end()
    return tuple(part for part in (*parts, text[end:]) if part)


VARIANTS: dict[str, tuple[Function, Function, Function]] = {
    "unknown_words": (unknown_1, unknown_2, unknown_3),
    "token_ids": (ids_1, ids_2, ids_3),
    "fall_back": (fall_1, fall_2, fall_3),
    "count_pairs": (count_1, count_2, count_3),
    "merge": (merge_1, merge_2, merge_3),
    "merged_count": (merged_count_1, merged_count_2, merged_count_3),
    "training": (train_1, train_2, train_3),
    "tie_break": (tie_1, tie_2, tie_3),
    "lowest_rank_position": (best_1, best_2, best_3),
    "encode": (encode_1, encode_2, encode_3),
    "encode_with_limit": (limit_1, limit_2, limit_3),
    "split_characters": (cut_1, cut_2, cut_3),
    "byte_symbols": (byte_symbols_1, byte_symbols_2, byte_symbols_3),
    "byte_ids": (byte_ids_1, byte_ids_2, byte_ids_3),
    "split_at_capitals": (capitals_1, capitals_2, capitals_3),
    "load_ranks": (load_1, load_2, load_3),
    "encode_ordinary": (ordinary_1, ordinary_2, ordinary_3),
    "chat": (chat_1, chat_2, chat_3),
    "split_special": (special_1, special_2, special_3),
}

# Wrong programs: each with a part of the rule on level two, and how long its arguments may be, as Python writes them.


def of_kit(program: Function, called: Function | None = None, most: int = 30) -> tuple[Function, str, int]:
    """A wrong program of the kit, called as the task calls it, with its own rule."""
    return called or program, rule_of(program), most


def _permitted(program: Function) -> Function:
    def called(text: Any, special_tokens: Any, allowed: Any) -> Any:
        obeyed = {token: id for token, id in special_tokens.items() if token in allowed}
        return program(text, obeyed) if obeyed else [text] if text else []

    return called


def _by_code(text: str) -> list[int]:
    """Characters instead of bytes, in the order of GPT-2."""
    return [GPT2_ORDER.index(code) for code in byte_level.char_vocab_not_bytes(text)]


def _as_it_comes(user_text: str) -> list[int]:
    return [*SMALL.encode(user_text), SMALL.eot_token]


def _first_place(split: Any, ranks: Any) -> int:
    return next((place for place in range(len(split) - 1) if split[place] + split[place + 1] in ranks), -1)


def _rightmost(split: Any, ranks: Any) -> int:
    made = [left + right for left, right in itertools.pairwise(split)]
    known = [ranks[token] for token in made if token in ranks]
    return max(place for place, token in enumerate(made) if ranks.get(token) == min(known)) if known else -1


WRONG: dict[str, list[tuple[Function, str, int]]] = {
    "unknown_words": [
        (lambda words, vocabulary: [word for word in words if word in vocabulary], "A word is unknown if", 20),
        (lambda words, vocabulary: list(dict.fromkeys(unknown_1(words, vocabulary))), "every occurrence of it", 20),
        (lambda words, vocabulary: [w for w in words if not {*w} & {*vocabulary}], "even if its letters are", 20),
    ],
    "token_ids": [
        (lambda tokens, vocabulary: [vocabulary.index(token) for token in tokens], "the vocabulary lacks gets -1", 20),
        (
            lambda tokens, vocabulary: [vocabulary.index(t) + 1 if t in vocabulary else -1 for t in tokens],
            "counted from 0",
            20,
        ),
        (lambda tokens, vocabulary: ids_1(tokens, sorted(vocabulary)), "its index in the vocabulary", 30),
        (lambda tokens, vocabulary: [vocabulary.index(t) for t in tokens if t in vocabulary], "lacks gets -1", 20),
    ],
    "fall_back": [
        (lambda words, vocabulary: [word for word in words if word in vocabulary], "Any other word is replaced", 20),
        (lambda words, vocabulary: list("".join(words)), "stays whole", 30),
        (lambda words, vocabulary: [w if w in vocabulary else list(w) for w in words], "by all of its char", 20),
        (
            lambda words, vocabulary: [t for w in words for t in ([w] if w in vocabulary else w[:1])],
            "replaced by all of its characters",
            20,
        ),
    ],
    "count_pairs": [
        of_kit(bpe.nonoverlap_count, most=40),
        (lambda splits, counts: count_1(splits, dict.fromkeys(counts, 1)), "the count of its word", 50),
        (lambda splits, counts: count_1({w: tuple(w) for w in splits}, counts), "Every two adjacent symbols are a", 50),
    ],
    "merge": [
        of_kit(bpe.string_replace_merge),
        (lambda split, pair: [*split[:-2], *merge_1(split[-2:], pair)], "Go from the left", 30),
        (lambda split, pair: merge_1(split[::-1], pair[::-1])[::-1], "Go from the left", 40),
        (lambda split, pair: [a + b for a, b in itertools.pairwise(split) if (a, b) == pair], "symbols that equal", 30),
    ],
    "merged_count": [
        of_kit(bpe.overlap_count),
        (lambda split, pair: min(map(split.count, pair)), "A merge goes from the left", 30),
    ],
    "training": [
        of_kit(bpe.tie_last_seen),
        of_kit(bpe.tie_lexicographic),
        of_kit(bpe.batch_merge_stale_counts),
        of_kit(bpe.no_exhaustion_guard),
        (lambda word_counts, vocab_size: train_1(word_counts, vocab_size - 1), "Before each merge", 20),
        (lambda word_counts, vocab_size: train_1(dict.fromkeys(word_counts, 1), vocab_size), "with the highest", 40),
    ],
    "tie_break": [
        (lambda tied: tied.first, "The smallest key wins", 150),
        (lambda tied: (len(tied.pair[0] + tied.pair[1]), tied.first), "The smallest key wins", 150),
        (lambda tied: -len(tied.pair[0] + tied.pair[1]), "Tuples are compared", 150),
        (lambda tied: (-len(tied.pair[0] + tied.pair[1]), tied.ids), "Tuples are compared", 150),
        (lambda tied: None, "The smallest key wins", 150),
    ],
    "lowest_rank_position": [
        (_first_place, "lowest rank", 50),
        (_rightmost, "If the lowest rank occurs twice", 50),
        (lambda split, ranks: -1, "lowest rank", 30),
    ],
    "encode": [
        of_kit(bpe_encode.greedy_longest_match, lambda w, r: bpe_encode.greedy_longest_match(w, {*r, *w}), 40),
        of_kit(bpe_encode.left_to_right_merge, lambda w, r: bpe_encode.left_to_right_merge(w, merges_of_ranks(r)), 40),
        of_kit(
            bpe_encode.single_pass_shuffled_merges,
            lambda w, r: bpe_encode.single_pass_shuffled_merges(w, merges_of_ranks(r)),
            50,
        ),
        of_kit(bpe_encode.min_tokens_dp, lambda w, r: bpe_encode.min_tokens_dp(w, {*r, *w}), 40),
        (lambda word, ranks: tuple(word), "Repeat this until no adjacent pair has a rank", 20),
    ],
    "encode_with_limit": [
        (
            lambda word, ranks, longest: [
                part for token in encode_1(word, ranks) for part in ([token] if len(token) <= longest else token)
            ],
            "The limit holds at every merge",
            40,
        ),
        (lambda word, ranks, longest: encode_1(word, ranks), "No token may be longer than the limit", 30),
        (lambda word, ranks, longest: limit_1(word, ranks, longest - 1), "Skip a merge whose token is too long", 30),
        (lambda word, ranks, longest: [t[:longest] for t in encode_1(word, ranks)], "its symbols instead", 40),
    ],
    "split_characters": [
        (lambda tokens: sum(any(byte > 127 for byte in token) for token in tokens), "A byte above 127 belongs", 20),
        (lambda tokens: 0, "Python raises UnicodeDecodeError", 20),
        (lambda tokens: [token.decode() for token in tokens] and 0, "Python raises UnicodeDecodeError", 20),
    ],
    "byte_symbols": [
        (lambda data: data.decode("latin-1"), "Spaces and control characters are invisible", 10),
        (lambda data: "".join(chr(b) if visible(b) else chr(256 + b) for b in data), "consecutive", 10),
        (lambda data: byte_symbols_1(data).replace("Ġ", " "), "Each gets a visible", 10),
        (lambda data: data.decode("utf-8", "replace"), "A byte keeps its character", 20),
    ],
    "byte_ids": [
        of_kit(byte_level.no_byte_shuffle, lambda text: [*map(byte_level.no_byte_shuffle, text.encode())], 10),
        of_kit(byte_level.char_vocab_not_bytes, _by_code, 10),
        (lambda text: list(text), "First come the bytes that keep", 10),
    ],
    "split_at_capitals": [
        of_kit(byte_level.split_on_whitespace, most=10),
        (lambda text: regex.findall(r"\p{Lu}\P{Lu}*", text), "Nothing is lost", 10),
        (lambda text: regex.findall(r"[A-Z][^A-Z]*|[^A-Z]+", text), "A part extends from a capital", 20),
        (lambda text: regex.findall(r"\p{Lu}+\P{Lu}*|\P{Lu}+", text), "from a capital letter to the next one", 20),
        (lambda text: regex.split(r"(?=\p{Lu})", text, flags=regex.V1), "A part extends from a capital", 10),
    ],
    "load_ranks": [
        (lambda lines: {line.split()[0]: int(line.split()[1]) for line in lines}, "bytes in base64", 20),
        (lambda lines: {base64.b64decode(line.split()[0]): line.split()[1] for line in lines}, "and the rank", 20),
        (lambda lines: {int(r): base64.b64decode(t) for t, r in map(str.split, lines)}, "maps bytes to ranks", 20),
        (lambda lines: {base64.b64decode(t).decode(): int(r) for t, r in map(str.split, lines)}, "token's bytes", 20),
    ],
    "encode_ordinary": [
        of_kit(
            byte_level.no_whole_word_lookup,
            lambda text, ranks: [
                id for piece in split_gpt2(text) for id in byte_level.no_whole_word_lookup(piece.encode(), ranks)
            ],
            50,
        ),
        of_kit(
            byte_level.split_on_whitespace,
            lambda text, ranks: [id for word in byte_level.split_on_whitespace(text) for id in ordinary_1(word, ranks)],
        ),
        (
            lambda text, ranks: [ranks[t] for t in encode_by_rank(text.encode(), ranks)],
            "as a whole becomes that token",
            50,
        ),
        (lambda text, ranks: list(text.encode()), "look up the whole pre-token", 50),
    ],
    "chat": [
        of_kit(
            byte_level.always_special,
            lambda user_text: [*SMALL.encode(user_text, allowed_special="all"), SMALL.eot_token],
        ),
        (_as_it_comes, "user's input is ordinary", 30),
        (lambda user_text: SMALL.encode_ordinary(user_text), "is yours, at the end", 10),
        (lambda user_text: SMALL.encode_ordinary(user_text + "<|endoftext|>"), "The only special token is yours", 10),
    ],
    "split_special": [
        of_kit(byte_level.always_special, lambda text, special, allowed: byte_level.always_special(text, special), 40),
        of_kit(byte_level.never_special, lambda text, special, allowed: byte_level.never_special(text, special), 50),
        of_kit(byte_level.no_longest_special, _permitted(byte_level.no_longest_special), 70),
        (
            lambda text, special, allowed: byte_level.always_special(text, {t: 0 for t in special if t in allowed}),
            "an empty pattern matches between any two characters",
            40,
        ),
        (lambda text, special, allowed: [p for p in special_1(text, special, allowed) if p in special], "lost", 40),
    ],
}  # fmt: skip

# The lessons and capstones whose programs are in separate files.
LESSONS: tuple[Any, ...] = (
    samples_auto_classes,
    samples_beam_search,
    samples_comparison,
    samples_constraints,
    samples_decoder_capstone,
    samples_decoder_only,
    samples_gpt2_capstone,
    samples_measuring,
    samples_pipeline,
    samples_sampling,
    samples_sentencepiece,
    samples_slow_and_fast,
    samples_span_corruption,
    samples_streaming,
    samples_subword_text,
    samples_t5_attention,
    samples_t5_capstone,
    samples_t5_map,
    samples_t5_model,
    samples_training_data,
    samples_unigram_segmenting,
    samples_unigram_training,
    samples_wordpiece,
)
for _lesson in LESSONS:
    VARIANTS |= _lesson.VARIANTS
    WRONG |= _lesson.WRONG
