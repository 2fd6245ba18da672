# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 2: WordPiece, Unigram, and escaping
#
# Six tasks, {points} points. **Before this:** lessons `05_wordpiece`, `06_unigram_segmenting`, `07_unigram_training` and
# `09_subword_text_encoder`.
#
# The tasks look like the lessons, and each differs from them in a rule. Read the rules; they are what is graded.
#
# - Write functions with plain Python. A function that calls `tokenlab`, or a library that tokenizes, gets no points.
# - Where a list is asked for, a tuple will do, and the other way round. Do not modify the lists and tables that you are given.
# - **Numbers.** In tasks 1 and 2 everything is a whole number or a fraction, and is compared exactly. In tasks 3 and 4 you may give
#   floats or fractions; they are right if they are off by no more than a millionth.
# - Below each function stand a few examples, and it is graded on more inputs than these. An `assert` that passes prints
#   nothing. Please leave those cells as they are: they are put back before grading.
# - Before you hand in, run all cells once more (*Restart Kernel and Run All Cells*), and save. Where your course has no server
#   to hand in on, write `from tokenlab.check.submission import hand_in` and `hand_in("assignment2.ipynb")` into a cell of your own, save,
#   and run it: it writes one file to hand in.
#
# **Three terms** for tasks 2 to 6. A *piece* is a string that stands in a table. A *cut* of a word (a segmentation) divides it into pieces,
# from its first character to its last, with nothing left over: with the pieces `a`, `b` and `ab` the word `ab` has two cuts, `a b` and `ab`.
# The *probability of a cut* is the product of the probabilities of its pieces.

# %% [markdown]
# ## Your id
#
# Write the id under which you hand in (on a hub, your login name), in quotes. The questions *By hand* in task 3 take their data from it. Upper
# and lower case, and blanks around it, make no difference.
#
# *How it is checked:* the grader reads the id from this cell and compares it with the name under which your notebook came in.
# If they differ, *By hand* gets no points until your instructor has looked at it.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% hidden="*"
from collections import Counter
from fractions import Fraction
from math import prod
from random import Random

from hypothesis import strategies as st
from tokenlab.check.grading import grade, grade_answer
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values, nearly_equal


def all_cuts(text, pieces):
    """Every way to divide a text into pieces of the table."""
    if not text:
        return [[]]
    ends = [end for end in range(1, len(text) + 1) if text[:end] in pieces]
    return [[text[:end], *rest] for end in ends for rest in all_cuts(text[end:], pieces)]


# %% [markdown]
# ## 1. WordPiece with another score ({points score_merges} points)
#
# Write `score_merges(word_counts, number)`. It gets words with their counts, and gives the list of the first `number` merges, as pairs
# of pieces, in the order in which they are made, by these rules:
#
# - **Pieces.** Each word is split into its characters, and every character but the word's first has `##` in front of it: *hug* is `h ##u ##g`.
#   (No word is empty, and none has a `#` of its own.)
# - **Counting.** Each place where a piece stands adds its word's count to the count of the piece. Each place where two neighbours
#   stand adds it to the count of the pair.
# - **The score** of a pair is the *square* of its count, divided by the product of its two pieces' counts:
#   score = (count of the pair)² / (count of the left piece × count of the right piece).
# - **Merging.** The pair with the highest score becomes one piece in every word, from the left, and each piece is used once. The new
#   piece is the left one with the right one behind it, less the right one's `##`: `h` and `##u` make `hu`, and `##u` and `##g` make `##ug`.
#   Then everything is counted again.
# - **Ties.** Of pairs with the same score the one with the higher count wins. If there is still a tie, the pair that comes first when
#   they are sorted wins: by the left piece, then by the right one. Scores are the same if they are the same fraction: 2/6 and 1/3
#   are.
# - **The end.** When no pair is left, learning stops, and the list is shorter than was asked for.
#
# In the words *on* (9 times), *tot* (6), *not* (5) and *nut* (2) the pair `##o ##t` occurs 11 times and has the score 11² / (11 × 13), since `##t` occurs
# 13 times. The pair `o ##n` occurs only 9 times, but its score is 9² / (9 × 9), and that is more: it is merged first.
#
# <details><summary>Hint</summary>
#
# Two tables are counted anew in each round: one of pieces, one of pairs. For exact scores there is `Fraction` in the module
# `fractions`. And `min` and `max` take a `key`, which may be a tuple: what comes first in it decides first.
#
# </details>


# %% solution="score_merges"
def score_merges(word_counts, number):
    """The first merges that the score chooses, as a list of pairs of pieces."""
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
            place = 0
            while place < len(split) - 1:
                if (split[place], split[place + 1]) == best:
                    split[place : place + 2] = [best[0] + best[1].removeprefix("##")]
                place += 1
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
    """A split word, with the pair merged from the left."""
    if len(split) < 2:
        return split
    if split[:2] == pair:
        return (pair[0] + pair[1].removeprefix("##"), *joined(split[2:], pair))
    return (split[0], *joined(split[1:], pair))


def story(word_counts, number, score=our_score):
    """For each merge: the pair, and how many pairs tie with it."""
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
        best = max(tied, key=pairs.get)  # of equally frequent ones max gives the first
        yield best, len(tied)
        words = [(joined(split, best), count) for split, count in words]


def right_merges(word_counts, number):
    return [pair for pair, _ in story(word_counts, number)]


def drawn(letters, longest):
    """Words with counts and a number of merges, one after another, for ever."""
    random = Random(1)
    while True:
        words = ["".join(random.choices(letters, k=random.randint(1, longest))) for _ in range(random.randint(1, 4))]
        yield {word: random.randint(1, 9) for word in words}, random.randint(1, 4)


def ties(merges):
    return any(tied > 1 for _, tied in merges)


def also_by(score, words, number):
    """Whether another score chooses the same merges."""
    return [pair for pair, _ in story(words, number, score)] == right_merges(words, number)


# %% tests="score_merges-score" points=3
### BEGIN HIDDEN TESTS
first_merges = ((words, 1) for words, _ in drawn("abcd", 4) if (merges := [*story(words, 1)]) and not ties(merges))
rule = "The score is the square of the pair's count, divided by the counts of both pieces; a piece counts wherever it stands."
alone = [({"ab": 2, "ac": 1, "d": 5, "dc": 3}, 1), ({"ab": 3, "cd": 2, "c": 1, "b": 1}, 1)]
nearly_the_same = [({"cdb": 10, "cb": 16}, 1), ({"cda": 10, "cd": 28, "cad": 29}, 1)]
grade(sheet.get("score_merges"), right_merges, first_of(first_merges), rule, alone + nearly_the_same, tried=40)
### END HIDDEN TESTS
merges = score_merges({"on": 9, "tot": 6, "not": 5, "nut": 2}, 1)
assert list(map(tuple, merges)) == [("o", "##n")]
merges = score_merges({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 1)
assert list(map(tuple, merges)) == [("##u", "##g")]

# %% tests="score_merges-join" points=2
### BEGIN HIDDEN TESTS
later_merges = (
    (words, number)
    for words, number in drawn("abcd", 4)
    if len(merges := [*story(words, number)]) == number > 1
    and not ties(merges)
    and also_by(frequency, words, number)
    and also_by(taught_score, words, number)
)
rule = (
    "A merge makes one piece: ## stays in front of it if it stood there, and nowhere inside; then all is counted again."
)
grade(sheet.get("score_merges"), right_merges, first_of(later_merges), rule, tried=40)
### END HIDDEN TESTS
merges = score_merges({"pun": 12, "bun": 9, "p": 1, "b": 2}, 2)
assert list(map(tuple, merges)) == [("##u", "##n"), ("p", "##un")]

# %% tests="score_merges-ties" points=2
### BEGIN HIDDEN TESTS
tied_merges = ((words, 1) for words, _ in drawn("abcd", 4) if ties(story(words, 1)) and also_by(frequency, words, 1))
same_as_fractions = [({"cc": 2, "acd": 3}, 1), ({"aab": 19, "ca": 1}, 1)]
rule = "Of pairs with the same score the one with the higher count wins, then the one that is sorted first."
grade(sheet.get("score_merges"), right_merges, first_of(tied_merges, 60), rule, same_as_fractions, tried=60)
### END HIDDEN TESTS
merges = score_merges({"no": 2, "my": 5, "at": 5}, 3)
assert list(map(tuple, merges)) == [("a", "##t"), ("m", "##y"), ("n", "##o")]

# %% tests="score_merges-end" points=1
### BEGIN HIDDEN TESTS
short = st.dictionaries(st.sampled_from(["a", "b", "c", "de"]), st.integers(1, 9))
rule = "When no pair is left, learning stops with the merges that it has."
grade(sheet.get("score_merges"), right_merges, st.tuples(short, st.integers(4, 9)), rule, tried=30)
### END HIDDEN TESTS
assert list(score_merges({}, 3)) == []

# %% [markdown]
# ## 2. The best cut, with a fee ({points best_cut} points)
#
# Write `best_cut(text, log_probs, fee)`. `log_probs` is a table from pieces to the logarithms of their probabilities. They are
# logarithms to base two, and in this task all of them are whole numbers: a piece with the probability 1/8 has -3. So all sums
# are exact. The function gives two things, a score and a list of pieces, by these rules:
#
# - **The score** of a cut is the sum of its pieces' logarithms, less the `fee` **for each piece**. The fee is a whole number, zero or
#   more. With `fee = 1`, three pieces with -2 each have the score -9.
# - **The best cut** is the one with the highest score. The function gives this score and the cut's pieces.
# - **Ties.** Of cuts with the same score the one with fewer pieces wins. If there is still a tie, the one whose *last* piece is shorter
#   wins; if these are equally long, the last but one decides by the same rule, and so on.
# - **Nothing to cut.** The empty text has one cut, without any pieces; its score is zero. A text that has no cut at all has the score
#   `float("-inf")`, and the list is empty.
#
# <details><summary>Hint</summary>
#
# What is the best cut of the first three characters, if you know the best cuts of the first two, of the first, and of none? Keep beside
# each best cut what ties are decided by. Tuples are compared from left to right.
#
# </details>


# %% solution="best_cut"
def best_cut(text, log_probs, fee):
    """The score and the pieces of the best cut of a text."""
    ### BEGIN SOLUTION
    best = [(0, 0, 0, [])]  # for each end: score, minus the number of pieces, start of the last piece, pieces
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


def ways(text, log_probs, fee):
    """How many cuts share the highest score."""
    scores = [score_of(cut, log_probs, fee) for cut in all_cuts(text, log_probs)]
    return scores.count(max(scores, default=0))


def drawn(fees, characters=True):
    """Texts, tables and fees, one after another, for ever; with all characters every text has a cut."""
    random = Random(2)
    longer = ["ab", "ba", "aa", "bb", "abb", "bab", "aab", "abab", "baa"]
    while True:
        text = "".join(random.choices("ab", k=random.randint(1, 6)))
        pieces = [*"ab", *random.sample(longer, random.randint(1, 5))] if characters else random.sample(longer, 4)
        yield text, {piece: -random.randint(1, 7) for piece in pieces}, random.choice(fees)


def same_score(given, right):
    return equal_values(given[0], right[0])


def same_pieces(given, right):
    return equal_values(given[1], right[1])


# %% tests="best_cut-best" points=2
### BEGIN HIDDEN TESTS
free_of_charge = (one for one in drawn([0]) if ways(*one) == 1)
rule = "Of all cuts the one with the highest sum wins, however many pieces it has, and however long its first piece is."
grade(sheet.get("best_cut"), right_cut, first_of(free_of_charge, 60), rule, tried=60, same=same_pieces)
### END HIDDEN TESTS
assert list(best_cut("ab", {"a": -2, "b": -2, "ab": -7}, 0)[1]) == ["a", "b"]

# %% tests="best_cut-fee" points=2
### BEGIN HIDDEN TESTS
dear = (one for one in drawn([1, 2, 3]) if ways(*one) == 1 and right_cut(*one)[1] != right_cut(*one[:2], 0)[1])
rule = "Each piece costs the fee, so that with a fee another cut may be the best one."
grade(sheet.get("best_cut"), right_cut, first_of(dear, 60), rule, tried=60, same=same_pieces)
### END HIDDEN TESTS
assert list(best_cut("ab", {"a": -2, "b": -2, "ab": -7}, 4)[1]) == ["ab"]

# %% tests="best_cut-score" points=1
### BEGIN HIDDEN TESTS
only_one = (one for one in drawn([0, 1, 2]) if len(all_cuts(*one[:2])) == 1)
rule = "The score starts at zero; each piece adds its logarithm, and takes the fee away."
grade(sheet.get("best_cut"), right_cut, first_of(only_one, 60), rule, [("", {"a": -1}, 1)], tried=60, same=same_score)
### END HIDDEN TESTS
assert best_cut("aba", {"a": -2, "b": -3}, 1)[0] == -10
assert best_cut("", {"a": -2}, 1)[0] == 0

# %% tests="best_cut-ties" points=2
### BEGIN HIDDEN TESTS
tied = (one for one in drawn([0]) if ways(*one) > 1)
rule = (
    "Of cuts with the same score the one with fewer pieces wins, then the one whose last piece is shorter, and so on."
)
grade(sheet.get("best_cut"), right_cut, first_of(tied, 60), rule, tried=60, same=same_pieces)
### END HIDDEN TESTS
assert list(best_cut("aaa", {"a": -1, "aa": -2}, 0)[1]) == ["aa", "a"]

# %% tests="best_cut-none" points=1
### BEGIN HIDDEN TESTS
impossible = (one for one in drawn([0, 1], characters=False) if not all_cuts(*one[:2]))
rule = "If one character is left over, the whole text has no cut: the score is minus infinity, and the list is empty."
grade(sheet.get("best_cut"), right_cut, first_of(impossible, 60), rule, tried=60)
### END HIDDEN TESTS
score, pieces = best_cut("ax", {"a": -2}, 0)
assert score == float("-inf") and list(pieces) == []

# %% [markdown]
# ## 3. All cuts at once ({points average_counts} points)
#
# Write `average_counts(word, probabilities, alpha)`. The word has **three** characters. `probabilities` is a table from pieces to their
# probabilities (they need not add up to one: there are other words, too). The function says how often each piece is used on average
# over all cuts of the word, by these rules:
#
# - **The weight** of a cut is its probability to the power of `alpha`, which is a whole number, zero or more.
# - **The share** of a cut is its weight, divided by the sum of the weights of all cuts.
# - **The average count** of a piece is a sum over all cuts: the share of the cut, times how often the piece stands *in this cut*.
# - The result is a table with **every** piece of `probabilities`. One that stands in no cut has zero; if the word has no cut at all,
#   every piece has.
#
# So with `alpha = 1` cuts count as they are probable, with `alpha = 0` all cuts count alike, and the higher `alpha` is, the more the best
# cut decides. For *aab* with the probabilities `a` 0.5, `b` 0.2 and `aa` 0.5 the cuts `a a b` (0.05) and `aa b` (0.1) have the shares
# 1/3 and 2/3 at `alpha = 1`. `a` stands twice in the first and not in the second, so its average count is 2 × 1/3.
#
# <details><summary>Hint</summary>
#
# A word of three characters can be divided in four ways: there are two places where a cut may or may not be. Which of the four are cuts
# depends on the table. And `x ** 0` is one for every number.
#
# </details>


# %% solution="average_counts"
def average_counts(word, probabilities, alpha):
    """How often each piece is used on average over all cuts of a word with three characters."""
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


def drawn(words, alphas, least=1):
    """Words, tables and alphas, one after another, for ever; the tables spell every letter, and some longer pieces."""
    random = Random(3)
    while True:
        word = random.choice(words)
        longer = {word[:2], word[1:], word}
        pieces = sorted({*word, *random.sample(sorted(longer), random.randint(min(least, len(longer)), len(longer)))})
        yield word, {piece: random.choice([0.1, 0.2, 0.25, 0.5]) for piece in pieces}, random.choice(alphas)


# %% tests="average_counts-shares" points=2
### BEGIN HIDDEN TESTS
rule = (
    "Every cut takes part with its share: its probability, divided by the sum over all cuts. The best one is not alone."
)
grade(
    sheet.get("average_counts"), right_counts, first_of(drawn(["abc", "xyz"], [1])), rule, tried=40, same=nearly_equal
)
### END HIDDEN TESTS
counts = average_counts("aab", {"a": 0.5, "b": 0.2, "aa": 0.5}, 1)
assert abs(counts["aa"] - 2 / 3) < 1e-6 and abs(counts["b"] - 1) < 1e-6

# %% tests="average_counts-twice" points=1
### BEGIN HIDDEN TESTS
rule = "A piece that stands twice in a cut counts twice with this cut's share."
grade(
    sheet.get("average_counts"),
    right_counts,
    first_of(drawn(["aab", "baa", "aba", "aaa"], [1])),
    rule,
    tried=40,
    same=nearly_equal,
)
### END HIDDEN TESTS
assert abs(average_counts("aab", {"a": 0.5, "b": 0.2}, 1)["a"] - 2) < 1e-6

# %% tests="average_counts-alpha" points=2
### BEGIN HIDDEN TESTS
rule = "A cut's weight is its probability to the power of alpha: at zero all cuts count alike, and a high alpha favours the best one."
grade(
    sheet.get("average_counts"),
    right_counts,
    first_of(drawn(["abc", "xyz"], [0, 2, 3], least=3)),
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
one_cut_or_none = tables.filter(lambda table: len(all_cuts("abc", table)) < 2)
rule = "A cut needs all of its pieces in the table, also at alpha zero; the result has every piece of the table, used or not."
grade(
    sheet.get("average_counts"),
    right_counts,
    st.tuples(st.just("abc"), one_cut_or_none, st.just(0)),
    rule,
    tried=60,
    same=nearly_equal,
)
### END HIDDEN TESTS
assert average_counts("abc", {"a": 0.5, "b": 0.5}, 1) == {"a": 0, "b": 0}

# %% [markdown]
# ### By hand ({points trace} points)
#
# Your id gives you data of your own. Run the next cell, and the one below it, and take pencil and paper. The word is `my.word`, and the table
# of probabilities is `my.pieces`.
#
# - `total`: add up the probabilities of all cuts of the word.
# - `average`: how often is the piece `my.piece` used on average, with `alpha = 1`?
# - `average_alike`: and how often with `alpha = 0`?
#
# Write numbers or fractions, such as `5 / 12`.

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


def my_data(student_id):
    """A word, probabilities of pieces, and one of the pieces, all derived from an id."""
    draw = variant_chooser(student_id)
    letters = list("abdeghiklmnoprstu")
    p, q = (letters.pop(draw(*range(len(letters)))) for _ in range(2))
    word, pair = draw((p + p + q, p + q), (q + p + p, q + p))
    single, other = draw(0.3, 0.4), draw(0.2, 0.3, 0.4, 0.5)
    doubled, mixed, whole = draw(0.5, 0.6, 0.7, 0.8), draw(0.1, 0.2), draw(0.01, 0.02, 0.03, 0.04)
    return SimpleNamespace(
        word=word,
        pieces={p: single, q: other, p + p: doubled, pair: mixed, word: whole},
        piece=p,
    )


# %% locked="my"
my = my_data(student_id)
for name, value in vars(my).items():
    print(f"my.{name} = {value}")

# %% solution="trace"
total = ...
average = ...
average_alike = ...
### BEGIN SOLUTION
all_of_them = [*my.word], [my.word[:2], my.word[2]], [my.word[0], my.word[1:]], [my.word]
total = 0
for cut in all_of_them:
    probability = 1
    for piece in cut:
        probability *= my.pieces[piece]
    total += probability
average = average_counts(my.word, my.pieces, 1)[my.piece]
average_alike = average_counts(my.word, my.pieces, 0)[my.piece]
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)
cuts = all_cuts(my.word, my.pieces)
weights = [prod(map(my.pieces.get, cut)) for cut in cuts]
used = [cut.count(my.piece) for cut in cuts]
average = sum(weight * times for weight, times in zip(weights, used)) / sum(weights)


def same(name, right, rule):
    """Compare an answer with the right one, which is not told."""
    grade_answer(sheet, name, right, rule, same=nearly_equal)


# %% tests="trace-total" points=1
### BEGIN HIDDEN TESTS
same("total", sum(weights), "A cut's probability is a product, and the total is the sum over all cuts.")
### END HIDDEN TESTS
assert total is not ..., "Write the sum of the probabilities of all cuts."

# %% tests="trace-average" points=2
### BEGIN HIDDEN TESTS
same("average", average, "Each cut adds its share of the total, as often as the piece stands in it.")
### END HIDDEN TESTS
assert average is not ..., "Write how often the piece is used on average."

# %% tests="trace-alike" points=1
### BEGIN HIDDEN TESTS
same("average_alike", sum(used) / len(cuts), "With alpha zero every cut has the same share.")
### END HIDDEN TESTS
assert average_alike is not ..., "Write how often it is used where all cuts count alike."

# %% [markdown]
# ## 4. One round of training ({points next_probabilities} points)
#
# Write `next_probabilities(word_counts, probabilities, least)`. It gets the words of a tiny corpus with their counts, and a table from pieces to
# their probabilities, and gives the next table, by these rules:
#
# - **Expect.** For each word, the average count of each piece over all cuts is taken as in task 3 with `alpha = 1`, and multiplied by the
#   word's count. The sum over all words is the *expected count* of the piece. Words have one to five characters, and every word
#   has a cut.
# - **Drop.** Pieces of **two or more** characters whose expected count is **less than** `least` are dropped: they do not stand in the next
#   table. Pieces of one character always stay, also with an expected count of zero.
# - **Maximize.** The next probability of a piece is its expected count, divided by the sum of the expected counts of all pieces that
#   are still there. So the next probabilities add up to one.
#
# The word *ab*, three times, with `a` 0.5, `b` 0.5 and `ab` 0.25 has two cuts with the same share. So the expected counts are 1.5, 1.5 and 1.5,
# and the next probabilities are 1/3 each. With `least = 2` the piece `ab` is dropped, and `a` and `b` have 1/2 each.
#
# <details><summary>Hint</summary>
#
# The cuts of a word are: for each piece that the word begins with, this piece and then each cut of the rest. A function that calls itself
# says that in three lines. (A word of five characters has at most sixteen cuts, so that you may list them all.)
#
# </details>


# %% solution="next_probabilities"
def next_probabilities(word_counts, probabilities, least):
    """The probabilities after one round of expecting, dropping and maximizing."""

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
    return shares(kept)


def shares(table):
    return {piece: number / sum(table.values()) for piece, number in table.items()}


def same_shares(given, right):
    """Compare how the probabilities are to each other, whatever they were divided by."""
    return nearly_equal(shares(given), right)


def drawn(words, longer, leasts=(0,), number=1, most=9):
    """So many words, counts up to `most`, tables and thresholds, for ever; the tables spell every word."""
    random = Random(4)
    while True:
        corpus = {word: random.randint(1, most) for word in random.sample(words, random.randint(1, number))}
        pieces = [*sorted(set("".join(words))), *random.sample(longer, min(len(longer), random.randint(1, 3)))]
        yield corpus, {piece: random.choice([0.1, 0.2, 0.25, 0.5]) for piece in pieces}, random.choice(leasts)


def clear(word_counts, probabilities, least):
    """Whether no expected count is so near to the threshold that rounding might decide."""
    return all(abs(number - least) > 0.01 for number in expected_counts(word_counts, probabilities).values())


# %% tests="next_probabilities-expect" points=2
### BEGIN HIDDEN TESTS
several_cuts = drawn(["ab", "abc", "bcab", "cabcb"], ["ab", "bc", "ca", "abc"])
rule = "Every cut of a word takes part with its share; the best one is not alone."
grade(sheet.get("next_probabilities"), right_probabilities, first_of(several_cuts), rule, tried=40, same=same_shares)
### END HIDDEN TESTS
table = next_probabilities({"ab": 3}, {"a": 0.5, "b": 0.5, "ab": 0.25}, 0)
assert abs(table["a"] - table["b"]) < 1e-6 and abs(table["a"] - table["ab"]) < 1e-6

# %% tests="next_probabilities-counts" points=1
### BEGIN HIDDEN TESTS
rule = "A word takes part as often as its count says."
several_words = drawn(["ab", "cd", "dd", "ba", "c"], ["bb"], number=4)
grade(sheet.get("next_probabilities"), right_probabilities, first_of(several_words), rule, tried=40, same=same_shares)
### END HIDDEN TESTS
table = next_probabilities({"a": 3, "b": 1}, {"a": 0.5, "b": 0.5}, 0)
assert abs(table["a"] / table["b"] - 3) < 1e-6

# %% tests="next_probabilities-sum" points=2
### BEGIN HIDDEN TESTS
one_cut = drawn(["ab", "aab", "bba", "abbbb"], ["cc"])
rule = "What is divided by is the sum of all pieces' expected counts, and a piece counts each time that it stands in a word."
grade(sheet.get("next_probabilities"), right_probabilities, first_of(one_cut), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert abs(next_probabilities({"aab": 5}, {"a": 0.2, "b": 0.1}, 0)["a"] - 2 / 3) < 1e-6

# %% tests="next_probabilities-drop" points=2
### BEGIN HIDDEN TESTS
dropping = (
    one
    for one in drawn(["ab", "abc", "bcab", "d"], ["ab", "bc", "ca", "abc"], [0.2, 0.4, 0.6, 1.1], number=3, most=1)
    if clear(*one) and set(right_probabilities(*one)) != set(one[1])
)
rule = "Dropped are pieces of two or more characters whose expected count is less than the threshold; single characters stay."
grade(sheet.get("next_probabilities"), right_probabilities, first_of(dropping), rule, tried=40, same=nearly_equal)
### END HIDDEN TESTS
assert set(next_probabilities({"ab": 1}, {"a": 0.5, "b": 0.5, "c": 0.5, "ab": 0.25}, 1)) == {"a", "b", "c"}

# %% [markdown]
# ## 5. Words that can be told apart again ({points mark_words} + {points unmark_words} points)
#
# A text is to be written as marked words, so that the very same text can be read from them again, whatever it holds. Write
# `mark_words(text, alphabet)`, which gives one string, and `unmark_words(marked)`, which undoes it. `alphabet` is a set of characters.
# The rules for marking:
#
# - **Words.** The text is cut at **each** blank (`" "`), and the blanks are not written. Between two blanks stands an empty word, and so
#   does before a blank at the beginning, or behind one at the end. (That is what `text.split(" ")` gives.)
# - **The end marker.** Behind each word stands `/`, also behind the last one and behind empty ones: *no way* becomes `no/way/`.
# - **Escapes.** In a word, `^` is written as `^^`, and `/` as `^s`; both whether they are in the alphabet or not. Every other character
#   that is **not in the alphabet** is written as `^`, its code point as Python's `hex` writes it but without the `0x`, and `;`. For
#   example `é` becomes `^e9;`. All other characters stay as they are.
#
# `unmark_words` gets what `mark_words` gives, and nothing else; it does not know the alphabet, and needs none.
#
# <details><summary>Hint</summary>
#
# Look at `^^s`. Is that a `/`? Replacing one escape after another in the whole word cannot tell; going through the word once, from the
# left, can. `hex(ord("é"))` is `'0xe9'`, and `int("e9", 16)` goes back.
#
# </details>


# %% solution="mark_words"
def mark_words(text, alphabet):
    """A text as words with end markers, in which nothing can be mistaken."""

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


letters = st.just(set("abcs^/;0123456789"))
some_letters = st.sampled_from([set("ab"), set("abs^"), set("ab/; "), set("é日a"), set()])

# %% tests="mark_words-words" points=1
### BEGIN HIDDEN TESTS
rule = "The text is cut at each blank, no blank is written, and behind each word, also an empty one, stands the end marker."
grade(sheet.get("mark_words"), right_marks, st.tuples(texts(["a", "b", " ", "  ", "ab c"]), letters), rule, tried=60)
### END HIDDEN TESTS
assert mark_words("no  way", {"n", "o", "w", "a", "y"}) == "no//way/"

# %% tests="mark_words-escapes" points=2
### BEGIN HIDDEN TESTS
rule = "Both signs that mean something are escaped, whether they are in the alphabet or not, so that they can be told apart."
grade(
    sheet.get("mark_words"),
    right_marks,
    st.tuples(texts(["a", "/", "^", "s", "^s", "^^", "e9;"]), st.just(set("ae9;s^/"))),
    rule,
    tried=60,
)
### END HIDDEN TESTS
assert mark_words("1/2", {"1", "2", "/"}) == "1^s2/"
assert mark_words("2^8", {"2", "8"}) == "2^^8/"

# %% tests="mark_words-others" points=1
### BEGIN HIDDEN TESTS
rule = "A character that is not in the alphabet is written as its code point, in lower-case hexadecimal digits, with a semicolon."
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
    """The text that was marked."""
    ### BEGIN SOLUTION
    words = []
    for word in marked.split("/")[:-1]:
        text, place = "", 0
        while place < len(word):
            if word[place] != "^":
                text, place = text + word[place], place + 1
            elif word[place + 1] == "^":
                text, place = text + "^", place + 2
            elif word[place + 1] == "s":
                text, place = text + "/", place + 2
            else:
                end = word.index(";", place)
                text, place = text + chr(int(word[place + 1 : end], 16)), end + 1
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
    """What marking may give: words of these parts, each with its end marker."""
    words = st.lists(st.sampled_from(parts), min_size=least, max_size=4).map("".join)
    return st.tuples(st.lists(words, min_size=1, max_size=3).map(lambda words: "/".join(words) + "/"))


# %% tests="unmark_words-words" points=1
### BEGIN HIDDEN TESTS
rule = "Between two words stands one blank; an empty word is a word."
grade(sheet.get("unmark_words"), right_text, marked(["a", "b", "日"], least=0), rule, tried=60)
### END HIDDEN TESTS
assert unmark_words("no//way/") == "no  way"

# %% tests="unmark_words-escapes" points=2
### BEGIN HIDDEN TESTS
rule = "Escapes are read from the left, and each sign belongs to one escape only."
grade(sheet.get("unmark_words"), right_text, marked(["^^", "^s", "s", "a", ";"]), rule, tried=60)
### END HIDDEN TESTS
assert unmark_words("1^s2/") == "1/2"
assert unmark_words("^^s/") == "^s"

# %% tests="unmark_words-others" points=1
### BEGIN HIDDEN TESTS
rule = "A code point is read up to its semicolon, and is hexadecimal; nothing that it stands for is read again."
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
# A Unigram vocabulary is to become smaller. A colleague says: "That is simple. Throw out the piece with the lowest probability; we need the ones
# that are probable." Give an example of your own, not one of the lessons: a table of pieces with probabilities, and one or two words,
# in which a piece can go without any loss although another piece that must stay is *less* probable. Show the numbers: for
# both pieces, the probability of the words' best cuts (those with the highest probability; there is no fee) with the piece and without it. Say in a few sentences what decides, and which
# pieces never go, however little they are used. A person reads and grades this.

# %% [markdown] solution="words" points=4
# Words *ab* and *xy*; probabilities `a` 0.3, `b` 0.3, `ab` 0.05, `x` 0.01, `y` 0.01, `xy` 0.02. The best cut of *ab* is `a b` with 0.09,
# and `ab` with 0.05 is never used: without it the best cut is the same, and nothing is lost. The best cut of *xy* is `xy` with 0.02; without it
# `x y` with 0.0001 is left, so a word becomes two hundred times less probable. So `xy` must stay although 0.02 is less than
# 0.05. What decides is what its removal costs: how much less probable the corpus becomes when the words are cut by the pieces
# that are left. Single characters never go, because then some words would have no cut at all.
#
# **Points.** 1: an example of their own with probabilities and words, and cuts whose products are right. 1: a piece that is on no best
# cut goes and costs nothing, and a less probable one stays; both shown with and without the piece. 1: what decides is the loss
# (how much less probable the words become), not the probability or the frequency. 1: single characters stay, because otherwise a
# word could not be spelled. Who compares sums over all cuts in place of best cuts gets the points, too, if the loss is small
# and the comparison is right.
