# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 2: WordPiece, Unigram, and escaping
#
# Six tasks, {points} points. **Before this:** lessons `05_wordpiece`, `06_unigram_segmenting`, `07_unigram_training`
# and `09_subword_text_encoder`.
#
# Each task resembles a part of the lessons, but at least one rule is different. Your program is graded by the rules on
# this sheet.
#
# - Write plain Python. You may use the standard library. A function that calls `tokenlab` or a tokenizer library gets
#   no points.
# - Where a list is expected, a tuple is accepted as well, and the other way round. Do not modify the arguments.
# - **Numbers.** In tasks 1 and 2, all numbers are integers or fractions, and results are compared exactly. In tasks 3
#   and 4, floats and fractions are accepted, with a tolerance of 0.000001.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your
#   function fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before
#   grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save.
# - If your course has no server for submissions, write `from tokenlab.check.submission import hand_in` and
#   `hand_in("assignment2.ipynb")` into a new cell, save, and run the cell. It writes one file that you can submit.
#
# **Three terms** for tasks 2 to 6. A *piece* is a string in a given table. A *segmentation* of a word divides the whole
# word into pieces. With the pieces `a`, `b` and `ab`, the word `ab` has the two segmentations `a b` and `ab`. The
# *probability of a segmentation* is the product of the probabilities of its pieces.

# %% [markdown]
# ## Your id
#
# Write the id under which you submit (on a hub, your login name), in quotes. The section *With your own rule* in
# task 3 takes its data and a rule from it. Case and surrounding spaces make no difference.
#
# *How it is checked:* the grader compares the id in this cell with the name under which the notebook was submitted. If
# they differ, the section *With your own rule* in task 3 gets no points until your instructor has looked at it.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% hidden="*"
from collections import Counter
from fractions import Fraction
from math import prod
from course.course_seed import Random

from hypothesis import strategies as st
from course.grading import grade, grade_answer
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values, nearly_equal


def all_cuts(text, pieces):
    """Return all segmentations of a text into pieces of the table."""
    if not text:
        return [[]]
    ends = [end for end in range(1, len(text) + 1) if text[:end] in pieces]
    return [[text[:end], *rest] for end in ends for rest in all_cuts(text[end:], pieces)]


def one_of(same):
    """Compare with several results: the right one, and one that another rule already gives no points for."""
    return lambda given, accepted: any(same(given, one) for one in accepted)


# %% [markdown]
# ## 1. WordPiece with another score ({points score_merges} points)
#
# Write `score_merges(word_counts, number)`. `word_counts` is a dictionary from words (strings) to their counts
# (integers of at least 1). `number` is the number of merges to learn. Return a list of pairs `(left, right)` of
# symbols, in the order of the merges. The rules:
#
# - **Symbols.** Each word is split into its characters. Every character except the first has the prefix `##`: *hug* has
#   the symbols `h`, `##u` and `##g`. No word is empty, and no word contains `#`.
# - **Counting.** Each occurrence of a symbol adds the count of its word to the count of the symbol. Each occurrence of
#   a pair of adjacent symbols adds the count of its word to the count of the pair.
# - **Score.** The score of a pair is the *square* of its count, divided by the counts of its two symbols. In symbols:
#   score = (count of the pair)² / (count of the left symbol × count of the right symbol).
# - **Merging.** The pair with the highest score is merged in every word, from left to right, and each symbol is merged
#   at most once. The right symbol loses its `##`: `h` and `##u` become `hu`, and `##u` and `##g` become `##ug`. Then
#   symbols and pairs are counted again.
# - **Ties.** Of several pairs with the same score, the pair with the higher count wins. If this is also a tie, the
#   first pair in sorted order wins: sorted by the left symbol, then by the right symbol. Scores are compared as exact
#   fractions: 2/6 and 1/3 are equal.
# - **End.** When no pair is left, learning stops, and the list is shorter than `number`.
#
# An example: the words *on* (9 times), *tot* (6), *not* (5) and *nut* (2). The pair `##o ##t` occurs 11 times. Its
# score is 11² / (11 × 13), because `##o` occurs 11 times and `##t` 13 times. The pair `o ##n` occurs only 9 times, but
# its score is higher: 9² / (9 × 9) = 1. So `o ##n` is merged first.
#
# <details><summary>Hint</summary>
#
# In each round, count two tables again: symbols and pairs. `Fraction` in the module `fractions` gives exact scores. The
# functions `min` and `max` take a `key`, which may return a tuple: its first entry is compared first.
#
# </details>


# %% solution="score_merges"
def score_merges(word_counts, number):
    """Return the first merges that the score chooses, as a list of pairs of symbols."""
    ### BEGIN SOLUTION
    from fractions import Fraction

    words = [([word[0], *("##" + character for character in word[1:])], count) for word, count in word_counts.items()]
    merges = []
    while len(merges) < number:
        pieces, pairs = {}, {}
        for split, count in words:
            for piece in split:
                pieces[piece] = pieces.get(piece, 0) + count
            for pair in zip(split, split[1:]):
                pairs[pair] = pairs.get(pair, 0) + count
        if not pairs:
            break
        scores = {pair: Fraction(pairs[pair] ** 2, pieces[pair[0]] * pieces[pair[1]]) for pair in pairs}
        best = min(pairs, key=lambda pair: (-scores[pair], -pairs[pair], pair))
        merges.append(best)
        for split, _ in words:
            position = 0
            while position < len(split) - 1:
                if (split[position], split[position + 1]) == best:
                    split[position : position + 2] = [best[0] + best[1].removeprefix("##")]
                position += 1
    return merges
    ### END SOLUTION
    return ...


# %% hidden="score_merges"
def our_score(count, left, right):
    return Fraction(count * count, left * right)


def taught_score(count, left, right):
    return Fraction(count, left * right)


def frequency(count, left, right):
    return count


def joined(split, pair):
    """Return a split word with the pair merged from left to right."""
    if len(split) < 2:
        return split
    if split[:2] == pair:
        return (pair[0] + pair[1].removeprefix("##"), *joined(split[2:], pair))
    return (split[0], *joined(split[1:], pair))


def merges_with_ties(word_counts, number, score=our_score):
    """Yield for each merge the pair and the number of tied pairs."""
    words = [((word[0], *("##" + letter for letter in word[1:])), count) for word, count in word_counts.items()]
    for _ in range(number):
        pieces, pairs = Counter(), Counter()
        for split, count in words:
            for piece in split:
                pieces[piece] += count
            for pair in zip(split, split[1:]):
                pairs[pair] += count
        if not pairs:
            return
        scores = {pair: score(pairs[pair], pieces[pair[0]], pieces[pair[1]]) for pair in pairs}
        tied = sorted(pair for pair in pairs if scores[pair] == max(scores.values()))
        best = max(tied, key=pairs.get)  # max returns the first of several equal values
        yield best, len(tied)
        words = [(joined(split, best), count) for split, count in words]


def right_merges(word_counts, number):
    return [pair for pair, _ in merges_with_ties(word_counts, number)]


def random_inputs(letters, longest):
    """Yield random words with counts and a number of merges, without end."""
    random = Random(1)
    while True:
        words = ["".join(random.choices(letters, k=random.randint(1, longest))) for _ in range(random.randint(1, 4))]
        yield {word: random.randint(1, 9) for word in words}, random.randint(1, 4)


def words_of_two():
    """Yield short words with counts, of which a few pairs share a symbol, and a number of merges, without end."""
    random = Random(5)
    while True:
        words = random.sample(["a", "c", "e", "ab", "cd", "ef", "gb", "gf"], random.randint(3, 6))
        yield {word: random.randint(1, 9) for word in words}, random.randint(2, 3)


def independent(merges, number):
    """Whether all merges exist, and no symbol is in two of them, so no merge changes the counts of another."""
    return len({symbol for pair, _ in merges for symbol in pair}) == 2 * number


def ties(merges):
    return any(tied > 1 for _, tied in merges)


def same_merges_by(score, words, number):
    """Whether another score chooses the same merges."""
    return [pair for pair, _ in merges_with_ties(words, number, score)] == right_merges(words, number)


# %% tests="score_merges-score" points=3
### BEGIN HIDDEN TESTS
first_merges = (
    (words, 1)
    for words, _ in random_inputs("abcd", 4)
    if (merges := [*merges_with_ties(words, 1)]) and not ties(merges)
)
several_merges = (
    (words, number)
    for words, number in words_of_two()
    if independent(merges := [*merges_with_ties(words, number)], number) and not ties(merges)
)
rule = "The score is the square of the pair's count, divided by the counts of both symbols; every occurrence of a symbol counts, also outside the pair."
alone = [({"ab": 2, "ac": 1, "d": 5, "dc": 3}, 1), ({"ab": 3, "cd": 2, "c": 1, "b": 1}, 1)]
nearly_the_same = [({"cdb": 10, "cb": 16}, 1), ({"cda": 10, "cd": 28, "cad": 29}, 1)]
grade(sheet.get("score_merges"), right_merges, first_of(first_merges), rule, alone + nearly_the_same, tried=40)
grade(sheet.get("score_merges"), right_merges, first_of(several_merges), rule, tried=40)
### END HIDDEN TESTS
merges = score_merges({"on": 9, "tot": 6, "not": 5, "nut": 2}, 1)
assert list(map(tuple, merges)) == [("o", "##n")]
merges = score_merges({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 1)
assert list(map(tuple, merges)) == [("##u", "##g")]

# %% tests="score_merges-join" points=2
### BEGIN HIDDEN TESTS
later_merges = (
    (words, number)
    for words, number in random_inputs("abcd", 4)
    if len(merges := [*merges_with_ties(words, number)]) == number > 1
    and not ties(merges)
    and same_merges_by(frequency, words, number)
    and same_merges_by(taught_score, words, number)
)
rule = "A merged symbol keeps the ## of its left symbol and has no ## inside; after each merge, everything is counted again."
repeated = [({"a": 2, "aaaa": 1}, 3), ({"aa": 3, "aaaa": 1}, 3), ({"aa": 1, "aaba": 2}, 3)]
grade(sheet.get("score_merges"), right_merges, first_of(later_merges), rule, repeated, tried=40)
### END HIDDEN TESTS
merges = score_merges({"pun": 12, "bun": 9, "p": 1, "b": 2}, 2)
assert list(map(tuple, merges)) == [("##u", "##n"), ("p", "##un")]

# %% tests="score_merges-ties" points=2
### BEGIN HIDDEN TESTS
tied_merges = (
    (words, 1)
    for words, _ in random_inputs("abcd", 4)
    if ties(merges_with_ties(words, 1)) and same_merges_by(frequency, words, 1)
)
later_ties = (
    (words, number)
    for words, number in words_of_two()
    if independent(merges := [*merges_with_ties(words, number)], number)
    and ties(merges)
    and same_merges_by(frequency, words, number)
)
same_as_fractions = [({"cc": 2, "acd": 3}, 1), ({"aab": 19, "ca": 1}, 1)]
rule = "Of several pairs with the same score, the pair with the higher count wins, then the first pair in sorted order."
grade(sheet.get("score_merges"), right_merges, first_of(tied_merges, 60), rule, same_as_fractions, tried=60)
grade(sheet.get("score_merges"), right_merges, first_of(later_ties), rule, tried=40)
### END HIDDEN TESTS
merges = score_merges({"no": 2, "my": 5, "at": 5}, 3)
assert list(map(tuple, merges)) == [("a", "##t"), ("m", "##y"), ("n", "##o")]

# %% tests="score_merges-end" points=1
### BEGIN HIDDEN TESTS
short = st.dictionaries(st.sampled_from(["a", "b", "c", "de"]), st.integers(1, 9))
rule = "When no pair is left, learning stops and returns the merges learned so far."
grade(sheet.get("score_merges"), right_merges, st.tuples(short, st.integers(4, 9)), rule, tried=30)
### END HIDDEN TESTS
assert list(score_merges({}, 3)) == []

# %% [markdown]
# ## 2. The best segmentation, with a fee ({points best_cut} points)
#
# Write `best_cut(text, log_probs, fee)`. `text` is a string. `log_probs` is a dictionary from pieces to the logarithms
# of their probabilities, to base 2. In this task all logarithms are integers, so all sums are exact: a piece with the
# probability 1/8 has -3. `fee` is an integer, 0 or more. Return a pair: the score of the best segmentation, and the
# list of its pieces. The rules:
#
# - **Score.** The score of a segmentation is the sum of the logarithms of its pieces, minus the `fee` **for each
#   piece**. With `fee = 1`, three pieces with -2 each have the score -9.
# - **Best segmentation.** The segmentation with the highest score wins. With `a` -2, `b` -2 and `ab` -7, the result for
#   *ab* is `(-4, ["a", "b"])` if the fee is 0, and `(-11, ["ab"])` if the fee is 4.
# - **Ties.** Of several segmentations with the same score, the one with fewer pieces wins. If this is also a tie, the
#   one with the shorter *last* piece wins. If the last pieces are equally long, compare the pieces before them, and so
#   on. With `a` -1 and `aa` -2 and no fee, the result for *aaa* is `aa a`.
# - **No segmentation.** The empty text has one segmentation, without any pieces, and its score is 0. For a text that
#   has no segmentation, return `float("-inf")` and an empty list.
#
# <details><summary>Hint</summary>
#
# Suppose that you know the best segmentations of the first 2 characters, of the first one, and of the empty text. What
# is the best segmentation of the first 3 characters? Store with each best segmentation the values that decide ties.
# Tuples are compared from left to right.
#
# </details>


# %% solution="best_cut"
def best_cut(text, log_probs, fee):
    """Return the score and the pieces of the best segmentation of a text."""
    ### BEGIN SOLUTION
    best = [(0, 0, 0, [])]  # for each end: score, negative number of pieces, start of the last piece, pieces
    for end in range(1, len(text) + 1):
        candidates = []
        for start in range(end):
            piece = text[start:end]
            if piece in log_probs and best[start]:
                score, minus_pieces, _, pieces = best[start]
                candidates.append((score + log_probs[piece] - fee, minus_pieces - 1, start, [*pieces, piece]))
        best.append(max(candidates, default=None))
    if best[-1] is None:
        return float("-inf"), []
    return best[-1][0], best[-1][3]
    ### END SOLUTION
    return ...


# %% hidden="best_cut"
def right_cut(text, log_probs, fee):
    def rank(cut):
        shorter_last_pieces_first = [-len(piece) for piece in reversed(cut)]
        return score_of(cut, log_probs, fee), -len(cut), shorter_last_pieces_first

    cuts = all_cuts(text, log_probs)
    if not cuts:
        return float("-inf"), []
    best = max(cuts, key=rank)
    return score_of(best, log_probs, fee), best


def score_of(cut, log_probs, fee):
    return sum(log_probs[piece] - fee for piece in cut)


def losers(text, log_probs, fee):
    """Return the segmentations that have the highest score and lose the tie."""
    highest, best = right_cut(text, log_probs, fee)
    return [cut for cut in all_cuts(text, log_probs) if cut != best and score_of(cut, log_probs, fee) == highest]


def chosen_anyway(text, log_probs, fee):
    """Whether the best segmentation also has the fewest pieces and takes the longest piece at each position."""
    cuts, (_, best) = all_cuts(text, log_probs), right_cut(text, log_probs, fee)
    return len(best) == min(map(len, cuts)) and best == max(cuts, key=lambda cut: [len(piece) for piece in cut])


def with_and_without_fee(text, log_probs, fee):
    return right_cut(text, log_probs, fee), right_cut(text, log_probs, 0)


def random_inputs(fees, characters=True):
    """Yield random texts, tables and fees, without end; with all characters in the table, every text has a segmentation."""
    random = Random(2)
    longer = ["ab", "ba", "aa", "bb", "abb", "bab", "aab", "abab", "baa"]
    while True:
        text = "".join(random.choices("ab", k=random.randint(1, 6)))
        pieces = [*"ab", *random.sample(longer, random.randint(1, 5))] if characters else random.sample(longer, 4)
        yield text, {piece: -random.randint(1, 7) for piece in pieces}, random.choice(fees)


def evened_by_the_fee():
    """Yield random texts, tables and fees, without end; with the fee, a longer piece is about as good as its characters."""
    random = Random(6)
    while True:
        text = "".join(random.choices("ab", k=random.randint(3, 6)))
        table, fee = {"a": -random.randint(1, 3), "b": -random.randint(1, 3)}, random.randint(1, 3)
        for piece in random.sample(["ab", "ba", "aa", "bb", "aba", "bab"], 4):
            table[piece] = score_of(piece, table, fee) + fee + random.randint(0, 1)
        yield text, table, fee


def same_score(given, right):
    return equal_values(given[0], right[0])


def same_pieces(given, right):
    return equal_values(given[1], right[1])


# %% tests="best_cut-best" points=2
### BEGIN HIDDEN TESTS
without_fee = (one for one in random_inputs([0]) if not losers(*one))
rule = "The segmentation with the highest sum wins; the number of its pieces and the length of its first piece do not matter."
grade(sheet.get("best_cut"), right_cut, first_of(without_fee, 60), rule, tried=60, same=same_pieces)
### END HIDDEN TESTS
assert list(best_cut("ab", {"a": -2, "b": -2, "ab": -7}, 0)[1]) == ["a", "b"]

# %% tests="best_cut-fee" points=2
### BEGIN HIDDEN TESTS
with_fee = (
    one for one in random_inputs([1, 2, 3]) if not losers(*one) and right_cut(*one)[1] != right_cut(*one[:2], 0)[1]
)
rule = "Each piece costs the fee, so with a fee another segmentation may be the best one."
not_fewest = (one for one in with_fee if len(right_cut(*one)[1]) > min(map(len, all_cuts(*one[:2]))))
sure = [next(not_fewest) for _ in range(3)]
grade(sheet.get("best_cut"), right_cut, first_of(with_fee, 60), rule, sure, tried=60, same=same_pieces)
### END HIDDEN TESTS
assert list(best_cut("ab", {"a": -2, "b": -2, "ab": -7}, 4)[1]) == ["ab"]

# %% tests="best_cut-score" points=1
### BEGIN HIDDEN TESTS
clear_choice = (one for one in random_inputs([0, 1, 2]) if chosen_anyway(*one))
rule = "The score starts at 0; each piece of the best segmentation adds its logarithm and subtracts the fee."
grade(
    sheet.get("best_cut"), right_cut, first_of(clear_choice, 60), rule, [("", {"a": -1}, 1)], tried=60, same=same_score
)
### END HIDDEN TESTS
assert best_cut("aba", {"a": -2, "b": -3}, 1)[0] == -10
assert best_cut("", {"a": -2}, 1)[0] == 0

# %% tests="best_cut-ties" points=2
### BEGIN HIDDEN TESTS
tied = (one for one in random_inputs([0]) if losers(*one))
tied_with_fee = (one for one in evened_by_the_fee() if (lost := losers(*one)) and right_cut(*one[:2], 0)[1] not in lost)
rule = "Of several segmentations with the same score, the one with fewer pieces wins, then the one with the shorter last piece, and so on."
grade(sheet.get("best_cut"), right_cut, first_of(tied, 60), rule, tried=60, same=same_pieces)
either = one_of(same_pieces)
grade(sheet.get("best_cut"), with_and_without_fee, first_of(tied_with_fee), rule, tried=40, same=either)
### END HIDDEN TESTS
assert list(best_cut("aaa", {"a": -1, "aa": -2}, 0)[1]) == ["aa", "a"]

# %% tests="best_cut-none" points=1
### BEGIN HIDDEN TESTS
impossible = (one for one in random_inputs([0, 1], characters=False) if not all_cuts(*one[:2]))
rule = "If any character is left over, the whole text has no segmentation: the score is minus infinity, and the list is empty."
grade(sheet.get("best_cut"), right_cut, first_of(impossible, 60), rule, tried=60)
rule = "The empty text has one segmentation, without any pieces."
empty = [("", {"a": -1}, 0)]
grade(sheet.get("best_cut"), right_cut, first_of(empty), rule, empty, tried=1, same=same_pieces)
### END HIDDEN TESTS
score, pieces = best_cut("ax", {"a": -2}, 0)
assert score == float("-inf") and list(pieces) == []

# %% [markdown]
# ## 3. All segmentations at once ({points average_counts} points)
#
# Write `average_counts(word, probabilities, alpha)`. `word` is a string of **three** characters. `probabilities` is a
# dictionary from pieces to probabilities, which need not sum to 1. `alpha` is an integer, 0 or more. Return a
# dictionary from pieces to their expected counts in the word. The rules:
#
# - **Weight.** The weight of a segmentation is its probability to the power of `alpha`.
# - **Posterior probability.** The posterior probability of a segmentation is its weight, divided by the sum of the
#   weights of all segmentations.
# - **Expected count.** The expected count of a piece is a sum over all segmentations. Each one adds its posterior
#   probability, times the number of occurrences of the piece in *this segmentation*.
# - **Result.** The dictionary contains **every** piece of `probabilities`. A piece that is in no segmentation has 0. If
#   the word has no segmentation, every piece has 0.
#
# With `alpha = 0`, all segmentations have the same weight. The higher `alpha` is, the more weight the best segmentation
# has.
#
# An example: *aab*, with the probabilities `a` 0.5, `b` 0.2 and `aa` 0.5. The segmentations `a a b` (0.05) and `aa b`
# (0.1) have the posterior probabilities 1/3 and 2/3 if `alpha = 1`. `a` occurs twice in the first and not in the
# second, so its expected count is 2 × 1/3.
#
# <details><summary>Hint</summary>
#
# A word of three characters can be divided in 4 ways, because each of 2 positions may or may not be a boundary. The
# table decides which of the 4 are segmentations. And `x ** 0` is 1 for every number.
#
# </details>


# %% solution="average_counts"
def average_counts(word, probabilities, alpha):
    """Return the expected count of each piece over all segmentations of a word with three characters."""
    ### BEGIN SOLUTION
    x, y, z = word
    weights = []
    for cut in ([x, y, z], [x + y, z], [x, y + z], [word]):
        if all(piece in probabilities for piece in cut):
            weight = 1
            for piece in cut:
                weight *= probabilities[piece] ** alpha
            weights.append((cut, weight))
    total = sum(weight for _, weight in weights)
    counts = dict.fromkeys(probabilities, 0)
    for cut, weight in weights:
        for piece in cut:
            counts[piece] += weight / total
    return counts
    ### END SOLUTION
    return ...


# %% hidden="average_counts"
def right_counts(word, probabilities, alpha):
    cuts = all_cuts(word, probabilities)
    weights = [prod(probabilities[piece] for piece in cut) ** alpha for cut in cuts]
    used = {piece: sum(weight * cut.count(piece) for cut, weight in zip(cuts, weights)) for piece in probabilities}
    return {piece: number / (sum(weights) or 1) for piece, number in used.items()}


def random_inputs(words, alphas, least=1):
    """Yield random words, tables and alphas, without end; the tables contain every letter and some longer pieces."""
    random = Random(3)
    while True:
        word = random.choice(words)
        longer = {word[:2], word[1:], word}
        pieces = sorted({*word, *random.sample(sorted(longer), random.randint(min(least, len(longer)), len(longer)))})
        yield word, {piece: random.choice([0.1, 0.2, 0.25, 0.5]) for piece in pieces}, random.choice(alphas)


# %% tests="average_counts-shares" points=2
### BEGIN HIDDEN TESTS
rule = "Every segmentation counts with its posterior probability: its weight, divided by the sum over all segmentations. The best one does not count alone."
grade(
    sheet.get("average_counts"),
    right_counts,
    first_of(random_inputs(["abc", "xyz"], [1])),
    rule,
    tried=40,
    same=nearly_equal,
)
### END HIDDEN TESTS
counts = average_counts("aab", {"a": 0.5, "b": 0.2, "aa": 0.5}, 1)
assert abs(counts["aa"] - 2 / 3) < 1e-6 and abs(counts["b"] - 1) < 1e-6

# %% tests="average_counts-twice" points=1
### BEGIN HIDDEN TESTS
rule = "A piece that occurs twice in a segmentation counts twice, each time with the posterior probability of this segmentation."
grade(
    sheet.get("average_counts"),
    right_counts,
    first_of(random_inputs(["aab", "baa", "aba", "aaa"], [1])),
    rule,
    tried=40,
    same=nearly_equal,
)
### END HIDDEN TESTS
assert abs(average_counts("aab", {"a": 0.5, "b": 0.2}, 1)["a"] - 2) < 1e-6

# %% tests="average_counts-alpha" points=2
### BEGIN HIDDEN TESTS
rule = "The weight of a segmentation is its probability to the power of alpha: with alpha 0 all weights are equal, and a high alpha favours the best segmentation."
grade(
    sheet.get("average_counts"),
    right_counts,
    first_of(random_inputs(["abc", "xyz"], [0, 2, 3], least=3)),
    rule,
    tried=40,
    same=nearly_equal,
)
### END HIDDEN TESTS
counts = average_counts("hug", {"h": 0.1, "u": 0.2, "g": 0.1, "hu": 0.2, "ug": 0.5, "hug": 0.1}, 0)
assert abs(counts["hug"] - 1 / 4) < 1e-6 and abs(counts["h"] - 1 / 2) < 1e-6

# %% tests="average_counts-none" points=1
### BEGIN HIDDEN TESTS
tables = st.dictionaries(st.sampled_from(["a", "ab", "bc", "c", "abc", "d"]), st.sampled_from([0.1, 0.5]), min_size=1)
at_most_one_segmentation = tables.filter(lambda table: len(all_cuts("abc", table)) < 2)
rule = "All pieces of a segmentation must be in the table, also if alpha is 0; the result contains every piece of the table, used or not."
grade(
    sheet.get("average_counts"),
    right_counts,
    st.tuples(st.just("abc"), at_most_one_segmentation, st.just(0)),
    rule,
    tried=60,
    same=nearly_equal,
)
### END HIDDEN TESTS
assert average_counts("abc", {"a": 0.5, "b": 0.5}, 1) == {"a": 0, "b": 0}

# %% [markdown]
# ### With your own rule ({points trace} points)
#
# Your data and one rule depend on your id. Run the next two cells, and read the rule in the output. Other students have
# other rules, and your `average_counts` does not follow yours. Use pencil and paper, or write a small program.
#
# The word is `my.word`, and the table of probabilities is `my.pieces`. The rules are those of task 3, with one change:
# the *weight* of a segmentation is the product of the probabilities of its pieces, to the power of `alpha`, **times the
# factor that your rule gives**. The posterior probability is the weight, divided by the sum of all weights.
#
# - `total`: the sum of the weights of all segmentations of the word, with `alpha = 1`.
# - `average`: the expected count of the piece `my.piece`, with `alpha = 1`.
# - `average_alike`: the expected count of the same piece, with `alpha = 0`.
#
# Write numbers or fractions, such as `5 / 12`.

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


FACTORS = {
    "halved": "the factor of a segmentation is 1/2 for each piece after the first, so three pieces have the factor 1/4",
    "number": "the factor of a segmentation is the number of its pieces",
    "whole": "the factor of the word as a single piece is 2, and the factor of every other segmentation is 1",
    "characters": "the factor of the segmentation into single characters is 3, and the factor of every other one is 1",
}


def my_data(student_id):
    """Return the name of a rule, a word, probabilities of pieces, and one of the pieces, all derived from an id."""
    draw = variant_chooser(student_id)
    letters = list("abdeghiklmnoprstu")
    p, q = (letters.pop(draw(*range(len(letters)))) for _ in range(2))
    word, pair = draw((p + p + q, p + q), (q + p + p, q + p))
    single, other = draw(0.3, 0.4), draw(0.2, 0.3, 0.4, 0.5)
    doubled, mixed, whole = draw(0.5, 0.6, 0.7, 0.8), draw(0.1, 0.2), draw(0.01, 0.02, 0.03, 0.04)
    return SimpleNamespace(
        factor=draw(*FACTORS),
        word=word,
        pieces={p: single, q: other, p + p: doubled, pair: mixed, word: whole},
        piece=p,
    )


# %% locked="my"
my = my_data(student_id)
for name, value in vars(my).items():
    print(f"my.{name} = {value}")
print(f"Your rule: {FACTORS[my.factor]}.")

# %% solution="trace"
total = ...
average = ...
average_alike = ...
### BEGIN SOLUTION
all_of_them = [*my.word], [my.word[:2], my.word[2]], [my.word[0], my.word[1:]], [my.word]
found = []
for alpha in (1, 0):
    weight_sum, count_sum = 0, 0
    for cut in all_of_them:
        weight = 1
        for piece in cut:
            weight *= my.pieces[piece] ** alpha
        if my.factor == "halved":
            weight /= 2 ** (len(cut) - 1)
        elif my.factor == "number":
            weight *= len(cut)
        elif my.factor == "whole" and len(cut) == 1:
            weight *= 2
        elif my.factor == "characters" and len(cut) == 3:
            weight *= 3
        weight_sum += weight
        count_sum += weight * cut.count(my.piece)
    found.append((weight_sum, count_sum / weight_sum))
(total, average), (_, average_alike) = found
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)
cuts = all_cuts(my.word, my.pieces)
by_length = {"halved": (1, 1 / 2, 1 / 4), "number": (1, 2, 3), "whole": (2, 1, 1), "characters": (1, 1, 3)}[my.factor]
factors = [by_length[len(cut) - 1] for cut in cuts]  # a word of three characters: one to three pieces
weights = [prod(map(my.pieces.get, cut)) * factor for cut, factor in zip(cuts, factors)]
used = [cut.count(my.piece) for cut in cuts]
average = sum(weight * times for weight, times in zip(weights, used)) / sum(weights)
average_alike = sum(factor * times for factor, times in zip(factors, used)) / sum(factors)


def same(name, right, rule):
    """Compare an answer with the right one, without revealing it."""
    grade_answer(sheet, name, right, rule, same=nearly_equal)


# %% tests="trace-total" points=1
### BEGIN HIDDEN TESTS
same(
    "total",
    sum(weights),
    "The weight of a segmentation is a product, times the factor of your rule; the total is the sum of all weights.",
)
### END HIDDEN TESTS
assert total is not ..., "Write the sum of the weights of all segmentations."

# %% tests="trace-average" points=2
### BEGIN HIDDEN TESTS
same(
    "average",
    average,
    "Each segmentation adds its weight by your rule, divided by the total, once for each occurrence of the piece in it.",
)
### END HIDDEN TESTS
assert average is not ..., "Write the expected count of the piece with alpha = 1."

# %% tests="trace-alike" points=1
### BEGIN HIDDEN TESTS
same("average_alike", average_alike, "With alpha 0, only the factor of your rule makes the weights different.")
### END HIDDEN TESTS
assert average_alike is not ..., "Write the expected count of the piece with alpha = 0."

# %% [markdown]
# ## 4. One round of training ({points next_probabilities} points)
#
# Write `next_probabilities(word_counts, probabilities, least)`. `word_counts` is a dictionary from the words of a tiny
# corpus to their counts. `probabilities` is a dictionary from pieces to probabilities. `least` is a number. Return the
# table after one round of training, a dictionary from pieces to probabilities. The rules:
#
# - **E-step.** For each word, compute the expected count of each piece as in task 3, with `alpha = 1`. Multiply it by
#   the count of the word. The sum over all words is the *expected count* of the piece in the corpus. Words have 1 to 5
#   characters, and every word has a segmentation.
# - **Dropping.** Pieces of **two or more** characters whose expected count is **less than** `least` are dropped: they
#   are not in the result. Pieces of one character always stay, even if their expected count is 0.
# - **M-step.** The new probability of a piece is its expected count, divided by the sum of the expected counts of all
#   pieces that remain. So the new probabilities sum to 1.
#
# An example: the word *ab* (3 times), with `a` 0.5, `b` 0.5 and `ab` 0.25. Its two segmentations have the same
# posterior probability. So the expected counts are 1.5, 1.5 and 1.5, and the new probabilities are 1/3 each. With
# `least = 2`, the piece `ab` is dropped, and `a` and `b` have 1/2 each.
#
# <details><summary>Hint</summary>
#
# List all segmentations of a word with a recursive function. It combines each piece at the start of the word with each
# segmentation of the rest. A word of 5 characters has at most 16 segmentations.
#
# </details>


# %% solution="next_probabilities"
def next_probabilities(word_counts, probabilities, least):
    """Return the probabilities after one round of training: E-step, dropping, M-step."""

    ### BEGIN SOLUTION
    def cuts(word):
        if not word:
            yield [], 1
        for end in range(1, len(word) + 1):
            piece = word[:end]
            if piece in probabilities:
                for rest, probability in cuts(word[end:]):
                    yield [piece, *rest], probabilities[piece] * probability

    expected = dict.fromkeys(probabilities, 0)
    for word, count in word_counts.items():
        listed = list(cuts(word))
        total = sum(probability for _, probability in listed)
        for cut, probability in listed:
            for piece in cut:
                expected[piece] += count * probability / total
    kept = {piece: number for piece, number in expected.items() if len(piece) == 1 or number >= least}
    return {piece: number / sum(kept.values()) for piece, number in kept.items()}
    ### END SOLUTION
    return ...


# %% hidden="next_probabilities"
def expected_counts(word_counts, probabilities):
    expected = Counter(dict.fromkeys(probabilities, 0))
    for word, count in word_counts.items():
        cuts = all_cuts(word, probabilities)
        weights = [prod(probabilities[piece] for piece in cut) for cut in cuts]
        for cut, weight in zip(cuts, weights):
            for piece in cut:
                expected[piece] += count * weight / sum(weights)
    return expected


def right_probabilities(word_counts, probabilities, least):
    expected = expected_counts(word_counts, probabilities)
    kept = {piece: number for piece, number in expected.items() if len(piece) == 1 or number >= least}
    return normalized(kept)


def with_and_without_counts(word_counts, probabilities, least):
    return [
        right_probabilities(counts, probabilities, least) for counts in (word_counts, dict.fromkeys(word_counts, 1))
    ]


def normalized(table):
    return {piece: number / sum(table.values()) for piece, number in table.items()}


def same_proportions(given, right):
    """Compare the proportions of the probabilities, independently of the divisor."""
    return nearly_equal(normalized(given), right)


def random_inputs(words, longer, leasts=(-1,), number=1, most=9):
    """Yield up to `number` words with counts up to `most`, tables and thresholds, without end.

    The tables spell every word. By default, nothing is dropped, even if the threshold itself is taken for too little.
    """
    random = Random(4)
    while True:
        corpus = {word: random.randint(1, most) for word in random.sample(words, random.randint(1, number))}
        pieces = [*sorted(set("".join(words))), *random.sample(longer, min(len(longer), random.randint(1, 3)))]
        yield corpus, {piece: random.choice([0.1, 0.2, 0.25, 0.5]) for piece in pieces}, random.choice(leasts)


def clear(word_counts, probabilities, least):
    """Whether no expected count is so close to the threshold that rounding could decide."""
    tables = [expected_counts(counts, probabilities) for counts in (word_counts, dict.fromkeys(word_counts, 1))]
    return all(abs(number - least) > 0.01 for table in tables for number in table.values())


# %% tests="next_probabilities-expect" points=2
### BEGIN HIDDEN TESTS
several_segmentations = random_inputs(["ab", "abc", "bcab", "cabcb"], ["ab", "bc", "ca", "abc"])
rule = "Every segmentation of a word counts with its posterior probability; the best one does not count alone."
grade(
    sheet.get("next_probabilities"),
    right_probabilities,
    first_of(several_segmentations),
    rule,
    tried=40,
    same=same_proportions,
)
### END HIDDEN TESTS
table = next_probabilities({"ab": 3}, {"a": 0.5, "b": 0.5, "ab": 0.25}, 0)
assert abs(table["a"] - table["b"]) < 1e-6 and abs(table["a"] - table["ab"]) < 1e-6

# %% tests="next_probabilities-counts" points=1
### BEGIN HIDDEN TESTS
rule = "The expected counts of a word are multiplied by the count of the word."
several_words = random_inputs(["ab", "cd", "dd", "ba", "c"], ["bb"], number=4)
grade(
    sheet.get("next_probabilities"), right_probabilities, first_of(several_words), rule, tried=40, same=same_proportions
)
### END HIDDEN TESTS
table = next_probabilities({"a": 3, "b": 1}, {"a": 0.5, "b": 0.5}, 0)
assert abs(table["a"] / table["b"] - 3) < 1e-6

# %% tests="next_probabilities-sum" points=2
### BEGIN HIDDEN TESTS
one_segmentation = random_inputs(["ab", "aab", "bba", "abbbb"], ["cc"])
rule = "The divisor is the sum of the expected counts of all pieces, and a piece counts each time that it occurs in a word."
grade(
    sheet.get("next_probabilities"), right_probabilities, first_of(one_segmentation), rule, tried=40, same=nearly_equal
)
### END HIDDEN TESTS
assert abs(next_probabilities({"aab": 5}, {"a": 0.2, "b": 0.1}, 0)["a"] - 2 / 3) < 1e-6

# %% tests="next_probabilities-drop" points=2
### BEGIN HIDDEN TESTS
dropping = (
    one
    for one in random_inputs(
        ["ab", "abc", "bcab", "d"], ["ab", "bc", "ca", "abc"], [0.2, 0.4, 0.6, 1.1, 2.3], number=3, most=4
    )
    if clear(*one) and set(right_probabilities(*one)) != set(one[1])
)
rule = "Pieces of two or more characters are dropped if their expected count is less than the threshold; single characters stay."
just_enough = [({"ab": 1}, {"ab": 0.5, "cd": 0.5}, 1)]
grade(
    sheet.get("next_probabilities"),
    with_and_without_counts,
    first_of(dropping),
    rule,
    just_enough,
    tried=40,
    same=one_of(nearly_equal),
)
### END HIDDEN TESTS
assert set(next_probabilities({"ab": 1}, {"a": 0.5, "b": 0.5, "c": 0.5, "ab": 0.25}, 1)) == {"a", "b", "c"}

# %% [markdown]
# ## 5. Marked words ({points mark_words} + {points unmark_words} points)
#
# A text is written as marked words, and the same text must be decoded from them exactly. Write
# `mark_words(text, alphabet)`, which returns a string. `text` is a string, and `alphabet` is a set of characters. Write
# also `unmark_words(marked)`, which takes such a string and returns the text. The rules for marking:
#
# - **Words.** The text is split at **each** space (`" "`), as `text.split(" ")` does, and the spaces are not written.
#   So there is an empty word between two spaces, before a space at the beginning, and after a space at the end.
# - **End marker.** Each word is followed by `/`, also the last word and each empty word. So *no way* becomes `no/way/`,
#   and *no* with a space after it becomes `no//`.
# - **Escapes.** Inside a word, `^` is written as `^^`, and `/` as `^s`, whether they are in the alphabet or not: *1/2*
#   becomes `1^s2/`.
# - **Other characters.** Every other character that is **not in the alphabet** is written as `^`, its code point in
#   hexadecimal, and `;`. The digits are those of `hex`, without `0x`: `é` becomes `^e9;`. Characters of the alphabet
#   stay unchanged.
#
# `unmark_words` receives only results of `mark_words`. It does not get the alphabet, and does not need it.
#
# <details><summary>Hint</summary>
#
# Is there a `/` in `^^s`? Replacing one escape after another in the whole word gives a wrong result. Go through the
# word once, from left to right. `hex(ord("é"))` is `'0xe9'`, and `int("e9", 16)` converts it back.
#
# </details>


# %% solution="mark_words"
def mark_words(text, alphabet):
    """Return a text as escaped words with end markers."""

    ### BEGIN SOLUTION
    def written(character):
        if character == "^":
            return "^^"
        if character == "/":
            return "^s"
        return character if character in alphabet else f"^{ord(character):x};"

    return "".join("".join(map(written, word)) + "/" for word in text.split(" "))
    ### END SOLUTION
    return ...


# %% hidden="mark_words"
def right_marks(text, alphabet):
    def written(character):
        if character in "^/":
            return "^^" if character == "^" else "^s"
        return character if character in alphabet else "^" + hex(ord(character))[2:] + ";"

    words = ["".join(written(character) for character in word) for word in text.split(" ")]
    return "/".join(words) + "/"


def texts(parts):
    return st.lists(st.sampled_from(parts), max_size=6).map("".join)


with_or_without_space = st.sampled_from([set("abc"), set("abc ")])
with_or_without_signs = st.sampled_from([set("ase9;^/"), set("ase9;"), set("ase9;^"), set("ase9;/")])
some_letters = st.sampled_from([set("ab"), set("abs^"), set("ab/; "), set("é日a"), set()])

# %% tests="mark_words-words" points=1
### BEGIN HIDDEN TESTS
rule = "The text is split at each space, no space is written, and the end marker follows each word, also an empty one."
grade(
    sheet.get("mark_words"),
    right_marks,
    st.tuples(texts(["a", "b", " ", "  ", "ab c"]), with_or_without_space),
    rule,
    tried=60,
)
### END HIDDEN TESTS
assert mark_words("no  way", {"n", "o", "w", "a", "y"}) == "no//way/"

# %% tests="mark_words-escapes" points=2
### BEGIN HIDDEN TESTS
rule = "Both characters with a meaning, / and ^, are escaped, whether they are in the alphabet or not."
grade(
    sheet.get("mark_words"),
    right_marks,
    st.tuples(texts(["a", "/", "^", "s", "^s", "^^", "e9;"]), with_or_without_signs),
    rule,
    tried=60,
)
### END HIDDEN TESTS
assert mark_words("1/2", {"1", "2", "/"}) == "1^s2/"
assert mark_words("2^8", {"2", "8"}) == "2^^8/"

# %% tests="mark_words-others" points=1
### BEGIN HIDDEN TESTS
rule = "A character that is not in the alphabet is written as ^, its code point in lower-case hexadecimal digits, and a semicolon."
grade(
    sheet.get("mark_words"),
    right_marks,
    st.tuples(texts(["a", "b", "S", "é", "日", "👩‍👧", "\n", "\x00", "e\u0301", ";", "\U0010ffff"]), some_letters),
    rule,
    tried=60,
)
### END HIDDEN TESTS
assert mark_words("né\n", {"n"}) == "n^e9;^a;/"


# %% solution="unmark_words"
def unmark_words(marked):
    """Return the text of marked words."""
    ### BEGIN SOLUTION
    words = []
    for word in marked.split("/")[:-1]:
        text, position = "", 0
        while position < len(word):
            if word[position] != "^":
                text, position = text + word[position], position + 1
            elif word[position + 1] == "^":
                text, position = text + "^", position + 2
            elif word[position + 1] == "s":
                text, position = text + "/", position + 2
            else:
                end = word.index(";", position)
                text, position = text + chr(int(word[position + 1 : end], 16)), end + 1
        words.append(text)
    return " ".join(words)
    ### END SOLUTION
    return ...


# %% hidden="unmark_words"
import re


def right_text(marked):
    def read(escape):
        code = escape[1]
        return {"^": "^", "s": "/"}.get(code) or chr(int(code.rstrip(";"), 16))

    words = marked.removesuffix("/").split("/")
    return " ".join(re.sub(r"\^(\^|s|[0-9a-f]+;)", read, word) for word in words)


def marked(parts, least=1):
    """Possible results of marking: words of the given parts, each with its end marker."""
    words = st.lists(st.sampled_from(parts), min_size=least, max_size=4).map("".join)
    return st.tuples(st.lists(words, min_size=1, max_size=3).map(lambda words: "/".join(words) + "/"))


# %% tests="unmark_words-words" points=1
### BEGIN HIDDEN TESTS
rule = "There is one space between two words; an empty word is a word."
grade(sheet.get("unmark_words"), right_text, marked(["a", "b", "日"], least=0), rule, tried=60)
### END HIDDEN TESTS
assert unmark_words("no//way/") == "no  way"

# %% tests="unmark_words-escapes" points=2
### BEGIN HIDDEN TESTS
rule = "Escapes are decoded from left to right, and each character belongs to one escape only."
grade(sheet.get("unmark_words"), right_text, marked(["^^", "^s", "s", "a", ";"]), rule, tried=60)
### END HIDDEN TESTS
assert unmark_words("1^s2/") == "1/2"
assert unmark_words("^^s/") == "^s"

# %% tests="unmark_words-others" points=1
### BEGIN HIDDEN TESTS
rule = "A code point ends at its semicolon and is hexadecimal; the decoded character is not decoded again."
grade(
    sheet.get("unmark_words"),
    right_text,
    marked(["^e9;", "^1f600;", "^73;", "^a;", "^^", "e9;", "a", "^0;"]),
    rule,
    [("^^e9;/",), ("^^^73;/",)],
    tried=60,
)
### END HIDDEN TESTS
assert unmark_words("n^e9;^a;/") == "né\n"

# %% [markdown]
# ## 6. In words ({points words} points)
#
# A Unigram vocabulary must become smaller. A colleague says: "That is simple. Remove the piece with the lowest
# probability; we need the probable ones." Show with an example that this is wrong. Your example must not come from the
# lessons. Give:
#
# - a table of pieces with probabilities, and one or two words;
# - a piece that can be removed without any loss, and a *less* probable piece that must stay;
# - for both pieces, the probability of the best segmentation of each word, with the piece and without it (the best
#   segmentation has the highest probability, without a fee);
# - in a few sentences, what decides which piece is removed, and which pieces are never removed, however rare they are.
#
# A person reads and grades this.

# %% [markdown] solution="words" points=4
# The words are *ab* and *xy*. The probabilities are `a` 0.3, `b` 0.3, `ab` 0.05, `x` 0.01, `y` 0.01 and `xy` 0.02. The
# best segmentation of *ab* is `a b` with 0.09, and `ab` with 0.05 is not used: without this piece, the best
# segmentation is the same, and nothing is lost. The best segmentation of *xy* is `xy` with 0.02. Without it, only `x y`
# with 0.0001 is left, so the word becomes 200 times less probable. So `xy` must stay although 0.02 is less than 0.05.
# The loss decides: how much less probable the corpus becomes when the words are segmented without the piece. Single
# characters are never removed, because then some words would have no segmentation.
#
# **Points.** 1: the student's own example with probabilities and words, and segmentations whose products are correct.
# 1: a piece that is in no best segmentation is removed at no cost, and a less probable piece stays; both are shown with
# and without the piece. 1: the loss decides (how much less probable the words become), not the probability or the
# frequency. 1: single characters stay, because otherwise a word could not be spelled. Comparing sums over all
# segmentations instead of best segmentations also earns the points, if the loss is small and the comparison is correct.
