"""Programs for assignment 2: wrong ones for the misconceptions of its lessons, right ones in other styles.

Each could be written by a learner in the cell of its task. The demo renames it and copies the code that it uses.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cmp_to_key, lru_cache, reduce
from itertools import product
from math import inf, log2, prod
from typing import Any

Program = Callable[..., Any]

# --- task 1, wrong -------------------------------------------------------------------------------


def squared(count, left, right):
    """Return the score of the task."""
    return Fraction(count**2, left * right)


def without_inner_hashes(left, right):
    """Return the symbol that two symbols become."""
    return left + right[2:]


def scored(word_counts, number, score=squared, join=without_inner_hashes, **other):
    """Learn WordPiece merges with exchangeable parts."""
    later = other.get("later", score)
    count_decides = other.get("count_decides", lambda merges: True)
    symbol_counts = other.get("symbol_counts", lambda first, now: now)
    merge = other.get("merge", from_the_left)
    splits = {word: [letter if n == 0 else "##" + letter for n, letter in enumerate(word)] for word in word_counts}
    merges = []
    while len(merges) < number:
        single, double = Counter(), Counter()
        for word, split in splits.items():
            for piece in split:
                single[piece] += word_counts[word]
            for pair in zip(split, split[1:]):
                double[pair] += word_counts[word]
        if not double:
            break
        if not merges:
            first = single
        single = symbol_counts(first, single)
        best = min(
            double,
            key=lambda pair: (
                -(later if merges else score)(double[pair], single[pair[0]], single[pair[1]]),
                -double[pair] if count_decides(merges) else 0,
                pair,
            ),
        )
        merges.append(best)
        splits = {word: merge(split, best, join(*best)) for word, split in splits.items()}
    return merges


def from_the_left(split, pair, symbol):
    """Replace a pair of symbols by one symbol."""
    position, result = 0, []
    while position < len(split):
        found = tuple(split[position : position + 2]) == pair
        result.append(symbol if found else split[position])
        position += 2 if found else 1
    return result


def frequency_score(word_counts, number):
    return scored(word_counts, number, score=lambda count, left, right: count)


def lesson_score(word_counts, number):
    return scored(word_counts, number, score=lambda count, left, right: Fraction(count, left * right))


def rounded_score(word_counts, number):
    return scored(word_counts, number, score=lambda count, left, right: round(count**2 / (left * right), 2))


def float_score(word_counts, number):
    return scored(word_counts, number, score=lambda count, left, right: count / left / right * count)


def double_hash(word_counts, number):
    return scored(word_counts, number, join=lambda left, right: left + right)


def no_hash(word_counts, number):
    return scored(word_counts, number, join=lambda left, right: (left + right).replace("##", ""))


def tie_lexicographic(word_counts, number):
    return scored(word_counts, number, count_decides=lambda merges: False)


def later_tie_lexicographic(word_counts, number):
    """Forget the rule for ties after the first merge."""
    return scored(word_counts, number, count_decides=lambda merges: not merges)


def later_frequency_score(word_counts, number):
    """Use the score for the first merge only."""
    return scored(word_counts, number, later=lambda count, left, right: count)


def old_symbol_counts(word_counts, number):
    """Count the pairs again, but only the new symbols."""
    return scored(word_counts, number, symbol_counts=lambda first, now: {**now, **first})


def merged_from_the_right(word_counts, number):
    def merge(split, pair, symbol):
        return from_the_left(split[::-1], pair[::-1], symbol)[::-1]

    return scored(word_counts, number, merge=merge)


def merged_inside_symbols(word_counts, number):
    """Replace a pair in a text with spaces between the symbols, where it may begin inside a symbol."""

    def merge(split, pair, symbol):
        return " ".join(split).replace(" ".join(pair), symbol).split()

    return scored(word_counts, number, merge=merge)


def counted_once(word_counts, number):
    """Compute all scores before the first merge, and never again."""
    single, double = Counter(), Counter()
    for word, count in word_counts.items():
        split = [word[0], *("##" + letter for letter in word[1:])]
        for piece in split:
            single[piece] += count
        for pair in zip(split, split[1:]):
            double[pair] += count
    scores = {(left, right): squared(double[left, right], single[left], single[right]) for left, right in double}
    return sorted(double, key=lambda pair: (-scores[pair], -double[pair], pair))[:number]


def no_exhaustion_guard(word_counts, number):
    merges = scored(word_counts, number)
    while len(merges) < number:
        merges.append(max([]))
    return merges


# --- task 2, wrong -------------------------------------------------------------------------------


def viterbi_table(text, log_probs, fee, better, start=0):
    """Find the best segmentation with an exchangeable comparison of (score, pieces)."""
    best = {0: (start, [])}
    for end in range(1, len(text) + 1):
        for begin in range(end):
            piece = text[begin:end]
            if begin in best and piece in log_probs:
                new = best[begin][0] + log_probs[piece] - fee, best[begin][1] + [piece]
                if end not in best or better(new, best[end]):
                    best[end] = new
    return best.get(len(text), (-inf, []))


def by_the_rules(new, old):
    """Whether a segmentation is better than another."""
    rank_of_new, rank_of_old = (
        (score, -len(pieces), [-len(piece) for piece in pieces[::-1]]) for score, pieces in (new, old)
    )
    return rank_of_new > rank_of_old


def min_tokens_viterbi(text, log_probs, fee):
    return viterbi_table(text, log_probs, fee, lambda new, old: (-len(new[1]), new[0]) > (-len(old[1]), old[0]))


def init_score_one(text, log_probs, fee):
    return viterbi_table(text, log_probs, fee, by_the_rules, start=1)


def viterbi_ge_instead_of_gt(text, log_probs, fee):
    return viterbi_table(text, log_probs, fee, lambda new, old: new[0] >= old[0])


def piecewise_unk(text, log_probs, fee):
    score, pieces, position = 0, [], 0
    while position < len(text):
        score_here, here = max(
            (
                viterbi_table(text[position:end], log_probs, fee, by_the_rules)
                for end in range(position + 1, len(text) + 1)
            ),
            key=lambda cut: len("".join(cut[1])),
        )
        score, pieces = score + (score_here if here else 0), pieces + (here or ["[UNK]"])
        position += len("".join(here)) or 1
    return score, pieces


def rest_unk(text, log_probs, fee):
    for end in range(len(text), -1, -1):
        score, pieces = viterbi_table(text[:end], log_probs, fee, by_the_rules)
        if score > -inf:
            return score, pieces + ["[UNK]"] * (end < len(text))


def no_fee(text, log_probs, fee):
    return viterbi_table(text, log_probs, 0, by_the_rules)


def longest_first(text, log_probs, fee):
    pieces, rest = [], text
    while rest:
        fitting = [piece for piece in log_probs if rest.startswith(piece)]
        if not fitting:
            return -inf, []
        pieces.append(max(fitting, key=len))
        rest = rest[len(pieces[-1]) :]
    return sum(log_probs[piece] - fee for piece in pieces), pieces


def forward_score(text, log_probs, fee):
    """Compute the score from the sum of the probabilities of all segmentations."""
    _, pieces = viterbi_table(text, log_probs, fee, by_the_rules)
    scores = [sum(log_probs[piece] - fee for piece in cut) for cut in segmentations_of(text, log_probs)]
    return log2(sum(2.0**score for score in scores)) if scores else -inf, pieces


def more_pieces_with_a_fee(text, log_probs, fee):
    """Let more pieces win a tie if there is a fee, as if the fee had not been subtracted yet."""

    def better(new, old):
        more = len(new[1]) > len(old[1])
        return more if fee and new[0] == old[0] and len(new[1]) != len(old[1]) else by_the_rules(new, old)

    return viterbi_table(text, log_probs, fee, better)


def one_empty_piece(text, log_probs, fee):
    """Give the empty text a segmentation with one piece."""
    return viterbi_table(text, log_probs, fee, by_the_rules) if text else (0, [""])


# --- tasks 3 and 4, wrong ------------------------------------------------------------------------


def segmentations_of(word, table):
    """Return all segmentations of a word, as tuples of pieces."""
    if word == "":
        return [()]
    return [
        (word[:size], *rest)
        for size in range(1, len(word) + 1)
        if word[:size] in table
        for rest in segmentations_of(word[size:], table)
    ]


def averages(word, table, weigh):
    """Return expected counts; `weigh` maps the probabilities of the segmentations to their weights."""
    cuts = segmentations_of(word, table)
    weights = weigh([prod(table[piece] for piece in cut) for cut in cuts])
    total = sum(weights) or 1
    return {piece: sum(weight * cut.count(piece) for weight, cut in zip(weights, cuts)) / total for piece in table}


def best_weight_only(weights):
    """Return weight 1 for the best segmentation and 0 for the others."""
    return [1.0 if position == weights.index(max(weights)) else 0.0 for position in range(len(weights))]


def best_segmentation_only(word, probabilities, alpha):
    return averages(word, probabilities, best_weight_only)


def alpha_swapped(word, probabilities, alpha):
    if alpha == 0:
        return averages(word, probabilities, best_weight_only)
    return averages(word, probabilities, lambda weights: [weight ** (1 / alpha) for weight in weights])


def uniform_weights(word, probabilities, alpha):
    return averages(word, probabilities, lambda weights: [1 for _ in weights])


def once_per_segmentation(word, probabilities, alpha):
    cuts = segmentations_of(word, probabilities)
    weights = [prod(probabilities[piece] for piece in cut) ** alpha for cut in cuts]
    total = sum(weights) or 1
    return {piece: sum(weight for weight, cut in zip(weights, cuts) if piece in cut) / total for piece in probabilities}


def zero_to_the_zero(word, probabilities, alpha):
    x, y, z = word
    cuts = (x, y, z), (x + y, z), (x, y + z), (word,)
    weights = [prod(probabilities.get(piece, 0) ** alpha for piece in cut) for cut in cuts]
    total = sum(weights) or 1
    return {
        piece: sum(weight * cut.count(piece) for weight, cut in zip(weights, cuts)) / total for piece in probabilities
    }


def expected(word_counts, table, weigh=lambda weights: weights):
    """Return the expected counts in a corpus, with exchangeable weights."""
    counts = dict.fromkeys(table, 0)
    for word, count in word_counts.items():
        for piece, average in averages(word, table, weigh).items():
            counts[piece] += count * average
    return counts


def divided(counts):
    """Divide counts by their sum."""
    total = sum(counts.values())
    return {piece: count / total for piece, count in counts.items()}


def dropped(counts, least):
    """Drop rare pieces of two or more characters."""
    return {piece: count for piece, count in counts.items() if count >= least or len(piece) < 2}


def hard_em(word_counts, probabilities, least):
    return divided(dropped(expected(word_counts, probabilities, best_weight_only), least))


def word_count_not_occurrences(word_counts, probabilities, least):
    kept = dropped(expected(word_counts, probabilities), least)
    return {piece: count / sum(word_counts.values()) for piece, count in kept.items()}


def word_counts_ignored(word_counts, probabilities, least):
    return divided(dropped(expected(dict.fromkeys(word_counts, 1), probabilities), least))


def divided_before_dropping(word_counts, probabilities, least):
    counts = expected(word_counts, probabilities)
    probabilities_of_all = divided(counts)
    return {piece: probabilities_of_all[piece] for piece in dropped(counts, least)}


def prune_by_prob(word_counts, probabilities, least):
    counts = expected(word_counts, probabilities)
    longer = [piece for piece in counts if len(piece) > 1]
    number = sum(counts[piece] < least for piece in longer)
    least_probable = sorted(longer, key=lambda piece: probabilities[piece])[:number]
    return divided({piece: count for piece, count in counts.items() if piece not in least_probable})


def prune_characters(word_counts, probabilities, least):
    counts = expected(word_counts, probabilities)
    return divided({piece: count for piece, count in counts.items() if count >= least})


def dropped_by_words(word_counts, probabilities, least):
    """Compare the threshold with the expected counts in the list of words, where each word is there once."""
    in_the_list = dropped(expected(dict.fromkeys(word_counts, 1), probabilities), least)
    return divided({piece: n for piece, n in expected(word_counts, probabilities).items() if piece in in_the_list})


def threshold_dropped(word_counts, probabilities, least):
    """Drop a piece whose expected count is the threshold."""
    counts = expected(word_counts, probabilities)
    return divided({piece: count for piece, count in counts.items() if count > least or len(piece) < 2})


# --- task 5, wrong -------------------------------------------------------------------------------


def no_escape(text, alphabet):
    return "".join(word + "/" for word in text.split(" "))


def escaped(character, alphabet):
    """Return a character as it is written in a marked word."""
    if character == "^":
        return "^^"
    if character == "/":
        return "^s"
    if character in alphabet:
        return character
    return f"^{ord(character):x};"


def keep_space_token(text, alphabet):
    tokens = re.split("( )", text)
    return "".join("".join(escaped(character, alphabet) for character in token) + "/" for token in tokens)


def decimal_codes(text, alphabet):
    def written(character):
        code = escaped(character, alphabet)
        return f"^{ord(character)};" if code.endswith(";") and code != ";" else code

    return "".join("".join(map(written, word)) + "/" for word in text.split(" "))


def alphabet_first(text, alphabet):
    return "".join(
        "".join(character if character in alphabet else escaped(character, alphabet) for character in word) + "/"
        for word in text.split(" ")
    )


def slash_by_the_alphabet(text, alphabet):
    """Write / as a code point if it is not in the alphabet."""

    def written(character):
        return "^2f;" if character == "/" and character not in alphabet else escaped(character, alphabet)

    return "".join("".join(map(written, word)) + "/" for word in text.split(" "))


def space_of_the_alphabet(text, alphabet):
    """Keep a space that is in the alphabet as a character."""
    words = [text] if " " in alphabet else text.split(" ")
    return "".join("".join(escaped(character, alphabet) for character in word) + "/" for word in words)


def replaced_twice(text, alphabet):
    marked = text.replace("/", "^s").replace("^", "^^").replace(" ", "/") + "/"
    for character in sorted(set(text) - set(alphabet) - set("^/ "), reverse=True):
        marked = marked.replace(character, f"^{ord(character):x};")
    return marked


def no_unescape(marked):
    return marked[:-1].replace("/", " ")


def escapes_replaced_in_turn(marked):
    text = marked[:-1].replace("/", " ").replace("^s", "/")
    text = re.sub(r"\^([0-9a-f]+);", lambda code: chr(int(code[1], 16)), text)
    return text.replace("^^", "^")


def no_empty_words(marked):
    words = [word for word in marked.split("/") if word]
    return " ".join(
        re.sub(r"\^(?:(\^)|(s)|([0-9a-f]+);)", lambda m: m[1] or (m[2] and "/") or chr(int(m[3], 16)), word)
        for word in words
    )


# --- right, in other styles ----------------------------------------------------------------------


def recursive_scores(word_counts, number):
    def joined(split, pair):
        if split[:2] == pair:
            return (pair[0] + pair[1][2:], *joined(split[2:], pair))
        return (split[0], *joined(split[1:], pair)) if split else ()

    def rest(words, number):
        pieces = Counter(piece for split, count in words for piece in split * count)
        pairs = Counter(pair for split, count in words for pair in [*zip(split, split[1:])] * count)
        if number == 0 or not pairs:
            return []
        first = sorted(
            pairs, key=lambda p: (Fraction(-pairs[p] * pairs[p], pieces[p[0]] * pieces[p[1]]), -pairs[p], *p)
        )[0]
        return [first] + rest([(joined(split, first), count) for split, count in words], number - 1)

    return rest([(tuple(word[:1]) + tuple(f"##{c}" for c in word[1:]), n) for word, n in word_counts.items()], number)


def crosswise_scores(word_counts, number):
    """Compare fractions by cross-multiplication; store words as text with spaces between symbols."""
    words = {word: " ".join(word).replace(" ", " ##") for word in word_counts}
    merges = []
    for _ in range(number):
        pieces, pairs = defaultdict(int), defaultdict(int)
        for word, text in words.items():
            parts = text.split()
            for n, part in enumerate(parts):
                pieces[part] += word_counts[word]
                if n:
                    pairs[parts[n - 1], part] += word_counts[word]

        def compare(one, other):
            a = pairs[one] ** 2 * pieces[other[0]] * pieces[other[1]]
            b = pairs[other] ** 2 * pieces[one[0]] * pieces[one[1]]
            return (b - a) or (pairs[other] - pairs[one]) or (-1 if one < other else 1)

        if not pairs:
            return merges
        left, right = min(pairs, key=cmp_to_key(compare))
        merges.append([left, right])
        pattern = rf"(?<!\S){re.escape(left)} {re.escape(right)}(?!\S)"
        words = {word: re.sub(pattern, left + right[2:], text) for word, text in words.items()}
    return merges


class Split:
    """A word as a list of symbols."""

    def __init__(self, word, count):
        self.pieces, self.count = [word[0]] + ["##" + letter for letter in word[1:]], count

    def pairs(self):
        return [(self.pieces[n], self.pieces[n + 1]) for n in range(len(self.pieces) - 1)]

    def merge(self, pair):
        n = 0
        while n + 1 < len(self.pieces):
            if (self.pieces[n], self.pieces[n + 1]) == pair:
                self.pieces[n] = pair[0] + pair[1].lstrip("#")
                del self.pieces[n + 1]
            n += 1


def object_scores(word_counts, number):
    words, merges = [Split(word, count) for word, count in word_counts.items()], []
    while len(merges) < number and any(word.pairs() for word in words):
        best = None
        for pair in {pair for word in words for pair in word.pairs()}:
            count, left, right = (
                sum(word.count * things(word).count(wanted) for word in words)
                for things, wanted in (
                    (Split.pairs, pair),
                    (lambda word: word.pieces, pair[0]),
                    (lambda word: word.pieces, pair[1]),
                )
            )
            rank = Fraction(count, left) * Fraction(count, right), count
            if best is None or rank > best[0] or (rank == best[0] and pair < best[1]):
                best = rank, pair
        merges.append(best[1])
        for word in words:
            word.merge(best[1])
    return merges


def segmentation_by_listing(text, log_probs, fee):
    """List all segmentations by their boundaries."""
    if not text:
        return 0, []
    cuts = []
    for between in product(["", " "], repeat=len(text) - 1):
        cut = "".join(letter + blank for letter, blank in zip(text, [*between, ""])).split(" ")
        if all(piece in log_probs for piece in cut):
            cuts.append(
                (sum(map(log_probs.get, cut)) - fee * len(cut), -len(cut), [-len(p) for p in reversed(cut)], cut)
            )
    if not cuts:
        return [float("-inf"), []]
    score, _, _, cut = max(cuts)
    return [score, cut]


def segmentation_by_recursion(text, log_probs, fee):
    """Find the best segmentation with a memoized recursive function."""

    @lru_cache(maxsize=None)
    def best(end):
        if end == 0:
            return 0, 0, 0, ()
        result = (-inf, 0, 0, ())
        for start in range(end):
            score, count, _, pieces = best(start)
            if text[start:end] in log_probs and score > -inf:
                candidate = score + log_probs[text[start:end]] - fee, count - 1, start, (*pieces, text[start:end])
                result = max(result, candidate)
        return result

    return best(len(text))[0], best(len(text))[3]


def segmentation_by_forward_table(text, log_probs, fee):
    """Compute scores forward, store the start of each last piece, and backtrack."""
    score, count, came_from = [0] + [None] * len(text), [0] * (len(text) + 1), [0] * (len(text) + 1)
    for start in range(len(text)):
        if score[start] is None:
            continue
        for piece, log_prob in log_probs.items():
            end = start + len(piece)
            if text[start:end] != piece:
                continue
            new = score[start] + log_prob - fee
            if (
                score[end] is None
                or new > score[end]
                or (new == score[end] and (count[start] + 1, -start) < (count[end], -came_from[end]))
            ):
                score[end], count[end], came_from[end] = new, count[start] + 1, start
    if score[-1] is None:
        return (float("-inf"), [])
    pieces, end = [], len(text)
    while end:
        pieces.insert(0, text[came_from[end] : end])
        end = came_from[end]
    return (score[-1], pieces)


def averaged_by_fractions(word, probabilities, alpha):
    result, total = {piece: Fraction(0) for piece in probabilities}, Fraction(0)
    for sizes in ((1, 1, 1), (1, 2), (2, 1), (3,)):
        cut, rest = [], word
        for size in sizes:
            cut, rest = cut + [rest[:size]], rest[size:]
        if set(cut) <= set(probabilities):
            weight = Fraction(1)
            for piece in cut:
                weight *= Fraction(str(probabilities[piece])) ** alpha
            total += weight
            for piece in cut:
                result[piece] += weight
    return {piece: number / total for piece, number in result.items()} if total else result


def averaged_forward_backward(word, probabilities, alpha):
    size = len(word)
    edges = [
        (start, end, probabilities[word[start:end]] ** alpha)
        for end in range(1, size + 1)
        for start in range(end)
        if word[start:end] in probabilities
    ]
    forward, backward = [1] + [0] * size, [0] * size + [1]
    for start, end, weight in edges:
        forward[end] += forward[start] * weight
    for start, end, weight in sorted(edges, reverse=True):
        backward[start] += weight * backward[end]
    counts = {piece: 0 for piece in probabilities}
    if forward[size]:
        for start, end, weight in edges:
            counts[word[start:end]] += forward[start] * weight * backward[end] / forward[size]
    return counts


def averaged_in_turn(word, probabilities, alpha):
    def walk(rest):
        if not rest:
            return [(1, Counter())]
        ways = []
        for piece in probabilities:
            if rest.startswith(piece):
                ways += [
                    (probabilities[piece] ** alpha * weight, used + Counter([piece]))
                    for weight, used in walk(rest[len(piece) :])
                ]
        return ways

    ways = walk(word)
    total = sum(weight for weight, _ in ways)
    return {p: sum(weight / total * used[p] for weight, used in ways) for p in probabilities}


def next_by_forward_backward(word_counts, probabilities, least):
    expected_count = Counter({piece: 0.0 for piece in probabilities})
    for word, count in word_counts.items():
        forward = [1.0]
        for end in range(1, len(word) + 1):
            forward.append(sum(forward[start] * probabilities.get(word[start:end], 0) for start in range(end)))
        backward = [1.0]
        for start in range(len(word) - 1, -1, -1):
            backward.insert(
                0,
                sum(
                    probabilities.get(word[start : start + n], 0) * backward[n - 1]
                    for n in range(1, len(word) - start + 1)
                ),
            )
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1):
                piece = word[start:end]
                if piece in probabilities:
                    expected_count[piece] += count * forward[start] * probabilities[piece] * backward[end] / forward[-1]
    for piece in list(expected_count):
        if len(piece) > 1 and expected_count[piece] < least - 1e-12:
            del expected_count[piece]
    total = sum(expected_count.values())
    return {piece: number / total for piece, number in expected_count.items()}


def next_by_fractions(word_counts, probabilities, least):
    exact = {piece: Fraction(str(probability)) for piece, probability in probabilities.items()}

    def cuts(word):
        return [[]] if not word else [[p] + rest for p in exact if word.startswith(p) for rest in cuts(word[len(p) :])]

    counts = {piece: Fraction(0) for piece in exact}
    for word in word_counts:
        weights = [(reduce(lambda a, b: a * b, map(exact.get, cut)), cut) for cut in cuts(word)]
        for weight, cut in weights:
            for piece in cut:
                counts[piece] += word_counts[word] * weight / sum(w for w, _ in weights)
    stays = [piece for piece in counts if not (len(piece) >= 2 and counts[piece] < least)]
    return {piece: counts[piece] / sum(counts[one] for one in stays) for piece in stays}


def next_by_division_last(word_counts, probabilities, least):
    total = dict.fromkeys(probabilities, 0)

    def walk(word, position, weight, used, found):
        if position == len(word):
            found.append((weight, used))
        for end in range(position + 1, len(word) + 1):
            if word[position:end] in probabilities:
                walk(word, end, weight * probabilities[word[position:end]], used + (word[position:end],), found)

    for word, count in word_counts.items():
        found = []
        walk(word, 0, 1, (), found)
        every = sum(weight for weight, _ in found)
        for weight, used in found:
            for piece in used:
                total[piece] = total[piece] + weight * count / every
    for piece, number in list(total.items()):
        if len(piece) != 1 and number < least:
            total.pop(piece)
    norm = sum(total.values())
    for piece in total:
        total[piece] /= norm
    return total


def translated_marks(text, alphabet):
    table = {ord(c): f"^{ord(c):x};" for c in set(text) - set(alphabet)} | {
        ord("^"): "^^",
        ord("/"): "^s",
        ord(" "): "/",
    }
    return (text + " ").translate(table)


def looped_marks(text, alphabet):
    marked = ""
    for character in text:
        if character == " ":
            marked += "/"
        elif character == "/":
            marked += "^s"
        elif character == "^":
            marked += "^^"
        elif character not in alphabet:
            marked += "^" + hex(ord(character)).replace("0x", "") + ";"
        else:
            marked += character
    return marked + "/"


def replaced_marks(text, alphabet):
    foreign = set(text) - set(alphabet) - set(" ^/")
    characters = "|".join(re.escape(character) for character in ["^", "/", *foreign])
    return (
        re.sub(characters, lambda m: {"^": "^^", "/": "^s"}.get(m[0], f"^{ord(m[0]):x};"), text).replace(" ", "/") + "/"
    )


def read_by_pattern(marked):
    def decoded(found):
        inside = found.group(1)
        return inside if inside == "^" else "/" if inside == "s" else chr(int(inside[:-1], 16))

    return " ".join(re.sub(r"\^(\^|s|\w+;)", decoded, word) for word in marked[:-1].split("/"))


def read_by_iterator(marked):
    characters, text = iter(marked), []
    for character in characters:
        if character == "/":
            text.append(" ")
        elif character != "^":
            text.append(character)
        else:
            code = next(characters)
            if code in "^s":
                text.append({"^": "^", "s": "/"}[code])
            else:
                while not code.endswith(";"):
                    code += next(characters)
                text.append(chr(int(code[:-1], 16)))
    return "".join(text[:-1])


def read_by_states(marked):
    text, code = "", None
    for character in marked:
        if code is None:
            text, code = (text, "") if character == "^" else (text + (" " if character == "/" else character), None)
        elif code == "" and character in "^s":
            text, code = text + character.replace("s", "/"), None
        elif character == ";":
            text, code = text + chr(int(code, 16)), None
        else:
            code += character
    return text[: len(text) - 1]


WRONG: dict[str, dict[Program, list[str]]] = {
    "score_merges": {
        frequency_score: ["score"],
        lesson_score: ["score", "ties"],
        rounded_score: ["score"],
        float_score: ["ties"],
        double_hash: ["join"],
        no_hash: ["join"],
        tie_lexicographic: ["ties"],
        no_exhaustion_guard: ["end"],
        later_frequency_score: ["score"],
        later_tie_lexicographic: ["ties"],
        old_symbol_counts: ["join"],
        counted_once: ["join"],
        merged_from_the_right: ["join"],
        merged_inside_symbols: ["join"],
    },
    "best_cut": {
        min_tokens_viterbi: ["best", "fee", "ties"],
        init_score_one: ["score"],
        viterbi_ge_instead_of_gt: ["ties"],
        piecewise_unk: ["none"],
        rest_unk: ["none"],
        no_fee: ["fee", "score"],
        longest_first: ["best", "fee", "ties"],
        forward_score: ["score"],
        more_pieces_with_a_fee: ["ties"],
        one_empty_piece: ["none"],
    },
    "average_counts": {
        best_segmentation_only: ["shares", "twice", "alpha"],
        alpha_swapped: ["alpha"],
        uniform_weights: ["shares", "twice", "alpha"],
        once_per_segmentation: ["twice"],
        zero_to_the_zero: ["none"],
    },
    "next_probabilities": {
        hard_em: ["expect", "drop"],
        word_count_not_occurrences: ["sum", "drop"],
        divided_before_dropping: ["drop"],
        word_counts_ignored: ["counts"],
        prune_by_prob: ["drop"],
        prune_characters: ["drop"],
        dropped_by_words: ["drop"],
        threshold_dropped: ["drop"],
    },
    "mark_words": {
        no_escape: ["escapes", "others"],
        keep_space_token: ["words"],
        decimal_codes: ["others"],
        alphabet_first: ["escapes"],
        replaced_twice: ["escapes", "others"],
        slash_by_the_alphabet: ["escapes"],
        space_of_the_alphabet: ["words"],
    },
    "unmark_words": {
        no_unescape: ["escapes", "others"],
        escapes_replaced_in_turn: ["escapes", "others"],
        no_empty_words: ["words"],
    },
}

RIGHT: dict[str, list[Program]] = {
    "score_merges": [recursive_scores, crosswise_scores, object_scores],
    "best_cut": [segmentation_by_listing, segmentation_by_recursion, segmentation_by_forward_table],
    "average_counts": [averaged_by_fractions, averaged_forward_backward, averaged_in_turn],
    "next_probabilities": [next_by_forward_backward, next_by_fractions, next_by_division_last],
    "mark_words": [translated_marks, looped_marks, replaced_marks],
    "unmark_words": [read_by_pattern, read_by_iterator, read_by_states],
}
