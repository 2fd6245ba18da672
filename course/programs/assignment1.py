"""Programs for assignment 1: wrong ones for the misconceptions of its lessons, right ones in other styles.

Each could be written by a learner in the cell of its task. The demo renames it and copies the code that it uses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import reduce
from itertools import groupby
from typing import Any

Program = Callable[..., Any]

# --- task 1, wrong -------------------------------------------------------------------------------


def by_the_rule(pair):
    """Return the sort key of a pair in a tie; the smallest key wins."""
    return -len(pair[1]), pair


def every_pair(symbols):
    """Return all adjacent pairs."""
    return list(zip(symbols, symbols[1:]))


def once_from_the_left(symbols, pair):
    """Merge a pair from left to right."""
    result, position = [], 0
    while position < len(symbols):
        found = tuple(symbols[position : position + 2]) == pair
        result.append("".join(pair) if found else symbols[position])
        position += 2 if found else 1
    return result


def trained(word_counts, number, key=by_the_rule, pairs=every_pair, merge=once_from_the_left, at_once=1):
    """Learn merges with exchangeable parts."""
    words = [([*word, "$"], count) for word, count in word_counts.items()]
    merges = []
    while len(merges) < number:
        counts = Counter()
        for symbols, count in words:
            for pair in pairs(symbols):
                counts[pair] += count
        if not counts:
            break
        seen = list(counts)
        for best in sorted(counts, key=lambda pair: (-counts[pair], key(pair) if key else -seen.index(pair)))[:at_once]:
            merges.append(best)
            words = [(merge(symbols, best), count) for symbols, count in words]
    return merges[:number]


def tie_last_seen(word_counts, number):
    return trained(word_counts, number, key=None)


def tie_lexicographic(word_counts, number):
    return trained(
        word_counts, number, key=lambda pair: [[-ord(character) for character in symbol] + [1] for symbol in pair]
    )


def nonoverlap_count(word_counts, number):
    def pairs(symbols):
        found, last = [], {}
        for position, pair in enumerate(every_pair(symbols)):
            if last.get(pair) != position - 1:
                found.append(pair)
                last[pair] = position
        return found

    return trained(word_counts, number, pairs=pairs)


def string_replace_merge(word_counts, number):
    return trained(
        word_counts,
        number,
        merge=lambda symbols, pair: " ".join(symbols).replace(" ".join(pair), "".join(pair)).split(),
    )


def batch_merge_stale_counts(word_counts, number):
    return trained(word_counts, number, at_once=2)


def equal_symbols_lose_ties(word_counts, number):
    """Choose a pair of two different symbols in a tie."""
    return trained(word_counts, number, key=lambda pair: (pair[0] == pair[1], by_the_rule(pair)))


def long_from_two_characters(word_counts, number):
    """Treat right symbols of two and more characters as equally long."""
    return trained(word_counts, number, key=lambda pair: (len(pair[1]) == 1, pair))


def joined_text_first(word_counts, number):
    """Sort tied pairs by their joined text, in which "abc" comes before "ad"."""
    return trained(word_counts, number, key=lambda pair: (-len(pair[1]), "".join(pair)))


def longer_in_bytes(word_counts, number):
    """Count the bytes of the right symbol, not its characters."""
    return trained(word_counts, number, key=lambda pair: (-len(pair[1].encode()), pair))


def no_exhaustion_guard(word_counts, number):
    merges = trained(word_counts, number)
    while len(merges) < number:
        merges.append(max([]))
    return merges


# --- task 2, wrong -------------------------------------------------------------------------------


def greedy_longest_match(piece, merges):
    vocabulary = {left + right for left, right in merges}
    tokens = []
    while piece:
        length = next((size for size in range(len(piece), 0, -1) if piece[:size] in vocabulary), 1)
        tokens.append(piece[:length])
        piece = piece[length:]
    return tokens


def left_to_right_merge(piece, merges):
    tokens, position = list(piece), 0
    while position < len(tokens) - 1:
        if (tokens[position], tokens[position + 1]) in merges:
            tokens[position : position + 2] = [tokens[position] + tokens[position + 1]]
            position = max(0, position - 1)
        else:
            position += 1
    return tokens


def single_pass_shuffled_merges(piece, merges):
    tokens = list(piece)
    for pair in merges:
        position = len(tokens) - 2
        while position >= 0:
            if (*tokens[position : position + 2],) == pair:
                tokens[position : position + 2] = ["".join(pair)]
            position -= 1
    return tokens


def min_tokens_dp(piece, merges):
    vocabulary = {left + right for left, right in merges}
    best = [[]]
    for end in range(1, len(piece) + 1):
        starts = [start for start in range(end) if end - start == 1 or piece[start:end] in vocabulary]
        best.append(min((best[start] + [piece[start:end]] for start in starts), key=len))
    return best[-1]


def ranks_below_100(piece, merges):
    """Give a pair that is not in the table the rank 100, as if all ranks were lower."""
    tokens = list(piece)
    while True:
        ranks = [merges.get(pair, 100) for pair in every_pair(tokens)]
        if min(ranks, default=100) >= 100:
            return tokens
        position = max(n for n, rank in enumerate(ranks) if rank == min(ranks))
        tokens[position : position + 2] = ["".join(tokens[position : position + 2])]


def all_occurrences_at_once(piece, merges):
    """Merge the pair at all of its positions, from right to left, before looking again."""
    tokens = list(piece)
    while known := [pair for pair in every_pair(tokens) if pair in merges]:
        best = min(known, key=merges.get)
        for position in reversed(range(len(tokens) - 1)):
            if (*tokens[position : position + 2],) == best:
                tokens[position : position + 2] = ["".join(best)]
    return tokens


# --- task 3, wrong -------------------------------------------------------------------------------


def text_ids(text, ids, pieces="^[^ ]+| [^ ]*"):
    """Return the ids of a text without special tokens, with an exchangeable pattern for pre-tokens."""
    result = []
    for piece in re.findall(pieces, text):
        result += [ids[piece]] if piece in ids else [ids[character] for character in piece]
    return result


def longest_first(names):
    """Return special tokens in the order in which they are searched."""
    return sorted(names, key=len, reverse=True)


def with_special(text, ids, special, names, pieces="^[^ ]+| [^ ]*"):
    """Return the ids of a text; search for the given special tokens in this order."""
    names = list(names)
    if not names:
        return text_ids(text, ids, pieces)
    parts = re.split("(" + "|".join(map(re.escape, names)) + ")", text)
    return [id for n, part in enumerate(parts) for id in ([special[part]] if n % 2 else text_ids(part, ids, pieces))]


def split_on_whitespace(text, ids, special, allowed):
    parts = (
        re.split("(" + "|".join(map(re.escape, sorted(allowed, key=len, reverse=True))) + ")", text)
        if allowed
        else [text]
    )
    result = []
    for number, part in enumerate(parts):
        if number % 2:
            result.append(special[part])
            continue
        for piece in part.split():
            result += [ids[piece]] if piece in ids else [ids[character] for character in piece]
    return result


def no_whole_word_lookup(text, ids, special, allowed):
    parts = (
        re.split("(" + "|".join(map(re.escape, sorted(allowed, key=len, reverse=True))) + ")", text)
        if allowed
        else [text]
    )
    return [id for n, part in enumerate(parts) for id in ([special[part]] if n % 2 else map(ids.get, part))]


def always_special(text, ids, special, allowed):
    return with_special(text, ids, special, sorted(special, key=len, reverse=True))


def never_special(text, ids, special, allowed):
    return text_ids(text, ids)


def no_longest_special(text, ids, special, allowed):
    return with_special(text, ids, special, sorted(allowed))


def any_whitespace(text, ids, special, allowed):
    """Start a pre-token before each whitespace character, also before a line break."""
    return with_special(text, ids, special, longest_first(allowed), pieces=r"^\S+|\s\S*")


def space_apart(text, ids, special, allowed):
    """Make each space a pre-token of its own."""
    return with_special(text, ids, special, longest_first(allowed), pieces=" |[^ ]+")


def words_without_space_only(text, ids, special, allowed):
    """Look up a whole pre-token only if it does not start with a space."""
    found = {token: ids[token] for token in ids if len(token) == 1 or token[0] != " "}
    return with_special(text, found, special, longest_first(allowed))


def id_zero_is_missing(text, ids, special, allowed):
    """Take the id 0 of a whole pre-token for none."""
    found = {token: ids[token] for token in ids if len(token) == 1 or ids[token]}
    return with_special(text, found, special, longest_first(allowed))


def characters_beside_special(text, ids, special, allowed):
    """Look up no whole pre-token in a text with special tokens."""
    if any(name in text for name in allowed):
        return no_whole_word_lookup(text, ids, special, allowed)
    return text_ids(text, ids)


def special_as_pattern(text, ids, special, allowed):
    """Search for special tokens as regular expressions, in which some characters are operators."""
    if not allowed:
        return text_ids(text, ids)
    parts = re.split("(" + "|".join(longest_first(allowed)) + ")", text)
    return [id for n, part in enumerate(parts) for id in ([special[part]] if n % 2 else text_ids(part, ids))]


def spaces_before_special(text, ids, special, allowed):
    """Search for special tokens in pre-tokens, so none with a space is found."""
    pieces = re.findall("^[^ ]+| [^ ]*", text)
    return [id for piece in pieces for id in with_special(piece, ids, special, longest_first(allowed))]


def tokens_before_special(text, ids, special, allowed):
    """Take a special token for ordinary text if it is also in `ids`."""
    return with_special(text, ids, special, longest_first(name for name in allowed if name not in ids))


def longest_of_the_text(text, ids, special, allowed):
    """Split at the longest special token of the whole text, then the parts at the next one."""
    if not allowed:
        return text_ids(text, ids)
    longest, *others = longest_first(allowed)
    first, *parts = (longest_of_the_text(part, ids, special, others) for part in text.split(longest))
    return first + [id for part in parts for id in [special[longest], *part]]


# --- task 4, wrong -------------------------------------------------------------------------------


def char_vocab_not_bytes(damaged):
    return "".join(character if ord(character) < 256 else "\ufffd" for character in damaged)


def no_byte_shuffle(damaged):
    runs = re.findall("[\x00-\u01ff]+|[^\x00-\u01ff]", damaged)
    return "".join(
        "\ufffd" if ord(run[0]) > 511 else bytes(ord(c) % 256 for c in run).decode(errors="replace") for run in runs
    )


def joined_across_damage(damaged):
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    left = [n for n in range(256) if n not in kept]
    byte_of = {chr(n): n for n in kept} | {chr(256 + position): n for position, n in enumerate(left)}
    return bytes(byte_of[c] for c in damaged if c in byte_of).decode(errors="replace")


def tab_as_its_byte(damaged):
    """Take a tab, and other characters below 256 that no byte has, for the byte with this number."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    left = [n for n in range(256) if n not in kept]
    byte_of = {chr(n): n for n in range(256) if chr(n) not in " \n\x7f\xa0\xad"}
    byte_of |= {chr(256 + position): n for position, n in enumerate(left)}
    marked = "".join(c if c in byte_of else "\n" for c in damaged)
    return "\ufffd".join(bytes(map(byte_of.get, run)).decode(errors="replace") for run in marked.split("\n"))


# --- right, in other styles ----------------------------------------------------------------------


def recursive_merges(word_counts, number):
    def joined(word, pair):
        if len(word) < 2:
            return word
        return (word[0] + word[1], *joined(word[2:], pair)) if word[:2] == pair else (word[0], *joined(word[1:], pair))

    def rest(words, number):
        counts = Counter()
        for word, count in words:
            for pair in zip(word, word[1:]):
                counts.update({pair: count})
        if not (counts and number > 0):
            return ()
        best = sorted(counts, key=lambda pair: (-counts[pair], -len(pair[1]), *pair))[0]
        return (best, *rest([(joined(word, best), count) for word, count in words], number - 1))

    return rest([((*word, "$"), count) for word, count in word_counts.items()], number)


def text_merges(word_counts, number):
    """Learn merges on words as text with bars around the symbols."""
    words = {"".join(f"|{symbol}|" for symbol in [*word, "$"]): count for word, count in word_counts.items()}
    merges = []
    for _ in range(number):
        counts = defaultdict(int)
        for word, count in words.items():
            symbols = word[1:-1].split("||")
            for n in range(1, len(symbols)):
                counts[symbols[n - 1], symbols[n]] += count
        if not counts:
            return merges
        most = max(counts.values())
        left, right = max(sorted(pair for pair in counts if counts[pair] == most), key=lambda pair: len(pair[1]))
        merges.append([left, right])
        words = {word.replace(f"|{left}||{right}|", f"|{left}{right}|"): count for word, count in words.items()}
    return merges


class Word:
    """A word as a linked list of symbols."""

    def __init__(self, text, count):
        self.symbols, self.count = list(text) + ["$"], count

    def pairs(self):
        return [(a, b) for a, b in zip(self.symbols[:-1], self.symbols[1:])]

    def merge(self, pair):
        left_over, merged = list(reversed(self.symbols)), []
        while left_over:
            symbol = left_over.pop()
            if left_over and (symbol, left_over[-1]) == pair:
                symbol += left_over.pop()
            merged.append(symbol)
        self.symbols = merged


def object_merges(word_counts, number):
    words = [Word(text, count) for text, count in word_counts.items()]
    merges = []
    while len(merges) < number and any(word.pairs() for word in words):
        counts = {}
        for word in words:
            for pair in word.pairs():
                counts[pair] = counts.setdefault(pair, 0) + word.count
        best = None
        for pair in counts:
            rank = (counts[pair], len(pair[1]))
            if (
                best is None
                or rank > (counts[best], len(best[1]))
                or rank == (counts[best], len(best[1]))
                and pair < best
            ):
                best = pair
        merges.append(best)
        for word in words:
            word.merge(best)
    return merges


def recursive_tokens(piece, merges):
    def rest(tokens):
        ranked = [(merges[pair], -position) for position, pair in enumerate(zip(tokens, tokens[1:])) if pair in merges]
        if not ranked:
            return tokens
        position = -min(ranked)[1]
        return rest((*tokens[:position], tokens[position] + tokens[position + 1], *tokens[position + 2 :]))

    return rest(tuple(piece))


def boundary_tokens(piece, merges):
    """Store the boundaries between tokens; a merge removes one."""
    cuts = list(range(len(piece) + 1))
    while True:
        best = None
        for n in range(len(cuts) - 3, -1, -1):
            pair = piece[cuts[n] : cuts[n + 1]], piece[cuts[n + 1] : cuts[n + 2]]
            if pair in merges and (best is None or merges[pair] < best[0]):
                best = merges[pair], n + 1
        if best is None:
            return [piece[start:end] for start, end in zip(cuts, cuts[1:])]
        del cuts[best[1]]


def ranked_tokens(piece, merges):
    tokens, order = list(piece), sorted(merges, key=merges.get)
    changed = True
    while changed:
        changed = False
        for pair in order:
            positions = [n for n in range(len(tokens) - 1) if (tokens[n], tokens[n + 1]) == pair]
            if positions:
                n = positions[-1]
                tokens = tokens[:n] + ["".join(pair)] + tokens[n + 2 :]
                changed = True
                break
    return tokens


def regex_ids(text, ids, special, allowed):
    names = "|".join(re.escape(name) for name in sorted(allowed, key=lambda name: -len(name)))
    pattern = f"({names})" if names else "(?!)"
    result, last = [], 0
    for match in [*re.finditer(pattern, text), None]:
        part = text[last : match.start() if match else len(text)]
        for piece in part.replace(" ", "\0 ").split("\0"):
            result.extend([ids[piece]] if piece in ids else (ids[c] for c in piece))
        if match:
            result.append(special[match.group()])
            last = match.end()
    return tuple(result)


def recursive_ids(text, ids, special, allowed):
    if not text:
        return []
    names = sorted((name for name in allowed if name in text), key=lambda name: (text.index(name), -len(name)))
    if names:
        before, _, after = text.partition(names[0])
        return (
            recursive_ids(before, ids, special, []) + [special[names[0]]] + recursive_ids(after, ids, special, allowed)
        )
    end = text.find(" ", 1)
    piece, rest = (text, "") if end < 0 else (text[:end], text[end:])
    return ([ids[piece]] if piece in ids else [ids[c] for c in piece]) + recursive_ids(rest, ids, special, allowed)


def two_step_ids(text, ids, special, allowed):
    pieces, position = [""], 0
    while position < len(text):
        found = max(
            (name for name in special if name in allowed and text[position:].startswith(name)), key=len, default=None
        )
        if found is not None:
            pieces += [found.encode(), ""]
            position += len(found)
        else:
            if text[position] == " ":
                pieces.append("")
            pieces[-1] += text[position]
            position += 1
    result = []
    for piece in pieces:
        if isinstance(piece, bytes):
            result.append(special[piece.decode()])
        elif piece in ids:
            result.append(ids[piece])
        else:
            for character in piece:
                result.append(ids[character])
    return result


def grouped_text(damaged):
    kept = [n for n in range(256) if 33 <= n <= 126 or 161 <= n <= 172 or n >= 174]
    symbols = {chr(n): n for n in kept}
    for position, n in enumerate(n for n in range(256) if n not in kept):
        symbols[chr(256 + position)] = n
    result = ""
    for good, run in groupby(damaged, symbols.__contains__):
        run = list(run)
        result += bytes(map(symbols.get, run)).decode(errors="replace") if good else "\ufffd" * len(run)
    return result


def split_text(damaged):
    alphabet, extra = {}, 256
    for byte in range(256):
        if byte in range(33, 127) or byte in range(161, 256) and byte != 173:
            alphabet[chr(byte)] = bytes([byte])
        else:
            alphabet[chr(extra)] = bytes([byte])
            extra += 1
    marked = "".join(c if c in alphabet else "\n" for c in damaged)
    return "\ufffd".join(b"".join(alphabet[c] for c in run).decode("utf8", "replace") for run in marked.split("\n"))


def folded_text(damaged):
    table = {}
    for n in range(256):
        visible = n in [*range(33, 127), *range(161, 173), *range(174, 256)]
        table[chr(n) if visible else chr(256 + sum(symbol > "\xff" for symbol in table))] = n

    def step(runs, character):
        if character not in table:
            return [*runs, []]
        return [*runs[:-1], [*runs[-1], table[character]]]

    return chr(0xFFFD).join(str(bytes(run), "utf-8", "replace") for run in reduce(step, damaged, [[]]))


WRONG: dict[str, dict[Program, list[str]]] = {
    "learn_merges": {
        tie_last_seen: ["ties"],
        tie_lexicographic: ["ties"],
        nonoverlap_count: ["repeats"],
        string_replace_merge: ["again", "repeats"],
        batch_merge_stale_counts: ["again", "ties", "repeats"],
        no_exhaustion_guard: ["end"],
        equal_symbols_lose_ties: ["ties"],
        long_from_two_characters: ["ties"],
        longer_in_bytes: ["ties"],
        joined_text_first: ["ties"],
    },
    "encode_piece": {
        greedy_longest_match: ["lowest", "order", "pairs", "rightmost"],
        left_to_right_merge: ["lowest", "order", "pairs", "rightmost"],
        single_pass_shuffled_merges: ["order", "pairs", "rightmost"],
        min_tokens_dp: ["lowest", "order", "pairs", "rightmost"],
        ranks_below_100: ["lowest"],
        all_occurrences_at_once: ["rightmost"],
    },
    "encode_text": {
        split_on_whitespace: ["pieces"],
        no_whole_word_lookup: ["whole"],
        always_special: ["allowed"],
        never_special: ["allowed", "longest"],
        no_longest_special: ["longest"],
        any_whitespace: ["pieces"],
        space_apart: ["pieces"],
        words_without_space_only: ["pieces"],
        id_zero_is_missing: ["whole"],
        characters_beside_special: ["whole"],
        special_as_pattern: ["allowed"],
        spaces_before_special: ["allowed"],
        tokens_before_special: ["allowed"],
        longest_of_the_text: ["longest"],
    },
    "undo_byte_symbols": {
        char_vocab_not_bytes: ["alphabet", "damage", "runs"],
        no_byte_shuffle: ["alphabet", "damage", "runs"],
        joined_across_damage: ["damage", "runs"],
        tab_as_its_byte: ["damage"],
    },
}

RIGHT: dict[str, list[Program]] = {
    "learn_merges": [recursive_merges, text_merges, object_merges],
    "encode_piece": [recursive_tokens, boundary_tokens, ranked_tokens],
    "encode_text": [regex_ids, recursive_ids, two_step_ids],
    "undo_byte_symbols": [grouped_text, split_text, folded_text],
}
