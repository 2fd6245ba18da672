# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 1: BPE and bytes
#
# Six tasks, {points} points. **Before this:** lessons `01_bpe_training` to `04_tiktoken`.
#
# Each task resembles a part of the lessons, but at least one rule is different. Your program is graded by the rules on
# this sheet.
#
# - Write plain Python. You may use the standard library. A function that calls `tokenlab` or a tokenizer library gets
#   no points.
# - Where a list is expected, a tuple is accepted as well, and the other way round. Do not modify the arguments.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your
#   function fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before
#   grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save.
# - If your course has no server for submissions, write `from tokenlab.check.submission import hand_in` and
#   `hand_in("assignment1.ipynb")` into a new cell, save, and run the cell. It writes one file that you can submit.

# %% [markdown]
# ## Your id
#
# Write the id under which you submit (on a hub, your login name), in quotes. Task 5 takes its data and two of its
# rules from it. Case and surrounding spaces make no difference.
#
# *How it is checked:* the grader compares the id in this cell with the name under which the notebook was submitted. If
# they differ, task 5 gets no points until your instructor has looked at it.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% [markdown]
# ## 1. Learn merges ({points learn_merges} points)
#
# Write `learn_merges(word_counts, number)`. `word_counts` is a dictionary from words (strings) to their counts
# (integers of at least 1). `number` is the number of merges to learn. Return a list of pairs `(left, right)` of
# symbols, in the order in which BPE learns them. The rules:
#
# - **End marker.** Each word is split into its characters, followed by one more symbol, `"$"`. The end marker is a
#   symbol like any other: it forms pairs, and it may be merged. No word contains `$`. The word `no` has the symbols
#   `n`, `o` and `$`.
# - **Counting.** Two adjacent symbols are a pair. Each occurrence of a pair adds the count of its word, even if two
#   occurrences overlap. If the word `aaa` has the count 3, the pair `a a` has the count 6.
# - **Merging.** The most frequent pair is merged in every word, from left to right. Occurrences that overlap are not
#   both merged: `a a a` becomes `aa a`. Then all pairs are counted again.
# - **Ties.** Of several pairs with the highest count, the pair with the longer *right* symbol (more characters) wins.
#   If this is also a tie, the first pair in sorted order wins: sorted by the left symbol, then by the right symbol.
#   With `{"xab": 1}`, the first merge is `a b`, because all right symbols have one character. The second one is `x ab`,
#   because `ab` is longer than `$`.
# - **End.** When no pair is left, learning stops, and the list is shorter than `number`. `learn_merges({"a": 5}, 3)`
#   returns `[("a", "$")]`.
#
# <details><summary>Hint</summary>
#
# `min` with a key can select the pair: a tuple of the negative count, the negative length of the right symbol, and the
# pair itself.
#
# </details>


# %% solution="learn_merges"
def learn_merges(word_counts, number):
    """Return the first merges that BPE learns from words with counts, as a list of pairs."""
    ### BEGIN SOLUTION
    words = [([*word, "$"], count) for word, count in word_counts.items()]
    merges = []
    while len(merges) < number:
        counts = {}
        for symbols, count in words:
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 0) + count
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], -len(pair[1]), pair))
        merges.append(best)
        for symbols, _ in words:
            position = 0
            while position < len(symbols) - 1:
                if (symbols[position], symbols[position + 1]) == best:
                    symbols[position : position + 2] = ["".join(best)]
                position += 1
    return merges
    ### END SOLUTION
    return ...


# %% hidden="learn_merges"
from course.course_seed import Random

from hypothesis import strategies as st
from course.grading import grade
from tokenlab.check.strategies import first_of


def joined(word, pair):
    """Return a word with the pair merged from left to right."""
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return (word[0] + word[1], *joined(word[2:], pair))
    return (word[0], *joined(word[1:], pair))


def merges_with_ties(word_counts, number):
    """Yield for each merge the pair, the number of tied pairs, and whether it needs care.

    It does if a word has three equal symbols in a row, or if the text of the pair is also in parts of symbols.
    """
    words = [((*word, "$"), count) for word, count in word_counts.items()]
    for _ in range(number):
        totals = {}
        for word, count in words:
            for pair in zip(word, word[1:]):
                totals[pair] = totals.get(pair, 0) + count
        if not totals:
            return
        tied = sorted(pair for pair in totals if totals[pair] == max(totals.values()))
        pair = max(tied, key=lambda pair: len(pair[1]))  # max returns the first of several equal values
        merged = [(joined(word, pair), count) for word, count in words]
        overlap = any(a == b == c for word, _ in words for a, b, c in zip(word, word[1:], word[2:]))
        replaced = [" ".join(word).replace(" ".join(pair), "".join(pair)) for word, _ in words]
        yield pair, len(tied), overlap or replaced != [" ".join(word) for word, _ in merged]
        words = merged


def right_merges(word_counts, number):
    return [pair for pair, _, _ in merges_with_ties(word_counts, number)]


def drawn(letters, longest, most=4):
    """Yield up to `most` random words with counts and a number of merges, without end."""
    random = Random(1)
    while True:
        words = ["".join(random.choices(letters, k=random.randint(1, longest))) for _ in range(random.randint(1, most))]
        yield {word: random.randint(1, 9) for word in words}, random.randint(1, most)


def ties(merges):
    return sum(tied > 1 for _, tied, _ in merges)


def repeats(merges):
    return any(repeated for _, _, repeated in merges)


# %% tests="learn_merges-counting" points=2
### BEGIN HIDDEN TESTS
first_merges = (
    (words, 1)
    for words, _ in drawn("abcd", 5)
    if (merges := [*merges_with_ties(words, 1)]) and not ties(merges) and not repeats(merges)
)
rule = "Each occurrence of a pair adds the count of its word, over all words, and the end marker forms pairs like any other symbol."
grade(sheet.get("learn_merges"), right_merges, first_of(first_merges), rule, tried=40)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"hug": 10, "pug": 5, "pun": 12}, 1))) == [("p", "u")]
assert list(map(tuple, learn_merges({"no": 4, "on": 9, "n": 1}, 1))) == [("n", "$")]

# %% tests="learn_merges-again" points=2
### BEGIN HIDDEN TESTS
later_merges = (
    (words, number)
    for words, number in drawn("abcd", 5)
    if len(merges := [*merges_with_ties(words, number)]) == number > 1 and not ties(merges) and not repeats(merges)
)
rule = "A merge joins two whole symbols, never parts of symbols, and after each merge all pairs are counted again."
parts_of_symbols = [({"cb": 12, "caba": 4, "dc": 41, "dcb": 7}, 5)]
grade(sheet.get("learn_merges"), right_merges, first_of(later_merges), rule, parts_of_symbols, tried=40)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"pun": 12, "hug": 10, "pug": 5}, 2))) == [("p", "u"), ("g", "$")]

# %% tests="learn_merges-ties" points=3
### BEGIN HIDDEN TESTS
tied_merges = (
    (words, number)
    for words, number in drawn("aBé!", 8, 8)
    if len(merges := [*merges_with_ties(words, number)]) == number and ties(merges) and not repeats(merges)
)
rule = "Of several pairs with the highest count, the pair with the longer right symbol wins, then the first pair in sorted order."
a, b, c, d = sorted(Random(3).sample("abcdefghij", 4))
left_begins_alike = ({a + b + c: 3, a + d: 3}, 2)  # (a, d) comes before (ab, c), but "abc" before "ad"
grade(sheet.get("learn_merges"), right_merges, first_of(tied_merges, 60), rule, [left_begins_alike], tried=60)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"xab": 1}, 3))) == [("a", "b"), ("x", "ab"), ("xab", "$")]

# %% tests="learn_merges-repeats" points=2
### BEGIN HIDDEN TESTS
repeated_merges = (
    (words, number)
    for words, number in drawn("aab", 6)
    if len(merges := [*merges_with_ties(words, number)]) == number and not ties(merges) and repeats(merges)
)
rule = "Overlapping occurrences of a pair all count, but a merge goes from left to right and uses each symbol once."
in_parts = ({"baaa": 8, "a": 5, "aabbaa": 2}, 3)  # `a a` is also in `baa a`, as a text
grade(sheet.get("learn_merges"), right_merges, first_of(repeated_merges), rule, [in_parts], tried=40)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"aaab": 3, "cb": 4}, 1))) == [("b", "$")]

# %% tests="learn_merges-end" points=1
### BEGIN HIDDEN TESTS
short = st.dictionaries(st.sampled_from(["", "a", "b", "c"]), st.integers(1, 9))
distinct = short.filter(lambda words: len(set(words.values())) == len(words))
rule = "When no pair is left, learning stops and returns the merges learned so far."
grade(sheet.get("learn_merges"), right_merges, st.tuples(distinct, st.integers(4, 9)), rule, tried=30)
### END HIDDEN TESTS
assert list(learn_merges({}, 3)) == []

# %% [markdown]
# ## 2. Encode a pre-token ({points encode_piece} points)
#
# Write `encode_piece(piece, merges)`. `piece` is a pre-token (a string). `merges` is a dictionary from pairs to ranks,
# such as `{("a", "b"): 3, ("ab", "c"): 8}`. Its order has no meaning, and no two pairs have the same rank. Return the
# tokens of the pre-token, a list of strings. The rules:
#
# - **Start.** The pre-token is split into its characters. There is no end marker in this task.
# - **Lowest rank.** Of all adjacent pairs that are in `merges`, the pair with the **lowest rank** is merged, **at one
#   position**. Then look again, until no adjacent pair is in `merges`. With `{("b", "c"): 2, ("a", "b"): 7}`, the
#   tokens of `abc` are `a` and `bc`.
# - **Rightmost first.** If the pair with the lowest rank occurs at several positions, its **rightmost** occurrence is
#   merged. With `{("a", "a"): 1}`, the tokens of `aaa` are `a` and `aa`.
# - **Pairs, not strings.** Two tokens are merged only if this exact pair is in `merges`. The pair `("a", "bc")` does
#   not merge `ab` and `c`, although the result would be the same string.
#
# <details><summary>Hint</summary>
#
# Look again after each merge. With `{("a", "a"): 1}`, `aaaa` becomes first `a a aa`, then `aa aa`.
#
# </details>


# %% solution="encode_piece"
def encode_piece(piece, merges):
    """Return the tokens of a pre-token, by the ranks of pairs."""
    ### BEGIN SOLUTION
    tokens = list(piece)
    while True:
        positions = [
            position for position in range(len(tokens) - 1) if (tokens[position], tokens[position + 1]) in merges
        ]
        if not positions:
            return tokens
        position = min(positions, key=lambda position: (merges[tokens[position], tokens[position + 1]], -position))
        tokens[position : position + 2] = [tokens[position] + tokens[position + 1]]
    ### END SOLUTION
    return ...


# %% hidden="encode_piece"
from course.course_seed import Random

from hypothesis import strategies as st
from course.grading import grade
from tokenlab.check.strategies import first_of


def merged(tokens, merges, side):
    """Merge the lowest rank at its last position (side -1) or its first (side 0), until no pair is left."""
    ranks = [merges.get(pair) for pair in zip(tokens, tokens[1:])]
    known = [rank for rank in ranks if rank is not None]
    if not known:
        return tokens
    position = [position for position, rank in enumerate(ranks) if rank == min(known)][side]
    return merged((*tokens[:position], tokens[position] + tokens[position + 1], *tokens[position + 2 :]), merges, side)


def right_tokens(piece, merges):
    return merged(tuple(piece), merges, -1)


def from_the_left(piece, merges):
    return merged(tuple(piece), merges, 0)


def learned(random, number):
    """Return pairs in an order in which training could learn them: parts before merged tokens, and no token twice."""
    known, pairs = ["a", "b", "c"], []
    while len(pairs) < number:
        pair = (random.choice(known), random.choice(known))
        if pair[0] + pair[1] not in known and len(pair[0] + pair[1]) < 7:
            pairs.append(pair)
            known.append(pair[0] + pair[1])
    return pairs


def drawn(shuffled, most=20):
    """Yield random pre-tokens and tables of merges with ranks below `most`, without end."""
    random = Random(2)
    while True:
        pairs = learned(random, random.randint(1, 5))
        ranks = sorted(random.sample(range(most), len(pairs)))
        if shuffled:
            random.shuffle(ranks)
        parts = random.choices([*"abcabc", *map("".join, pairs)], k=random.randint(2, 6))
        yield "".join(parts), dict(zip(pairs, ranks))


def same_from_both_sides(piece, merges):
    """Whether the order of several occurrences makes no difference."""
    return right_tokens(piece, merges) == from_the_left(piece, merges)


# %% tests="encode_piece-lowest" points=3
### BEGIN HIDDEN TESTS
in_order = (one for one in drawn(shuffled=False, most=10**6) if same_from_both_sides(*one))
rule = "The pair with the lowest rank is merged first, at any position; neither the longest token nor the leftmost pair wins."
nasty = [("", {("a", "b"): 1}), ("abcd", {("b", "c"): 0, ("a", "b"): 1, ("c", "d"): 2})]
grade(sheet.get("encode_piece"), right_tokens, first_of(in_order, 80), rule, nasty, tried=50)
### END HIDDEN TESTS
assert list(encode_piece("abc", {("b", "c"): 2, ("a", "b"): 7})) == ["a", "bc"]
assert list(encode_piece("xyz", {})) == ["x", "y", "z"]

# %% tests="encode_piece-order" points=2
### BEGIN HIDDEN TESTS
in_no_order = ((piece, merges) for piece, merges in drawn(shuffled=True) if same_from_both_sides(piece, merges))
rule = "The order of the dictionary has no meaning: after each merge, search all of it again, also the ranks that you have passed."
grade(
    sheet.get("encode_piece"),
    right_tokens,
    first_of(in_no_order, 50),
    rule,
    [("abc", {("ab", "c"): 0, ("a", "b"): 1}), ("abca", {("b", "c"): 0, ("a", "b"): 1, ("c", "a"): 2})],
    tried=50,
)
### END HIDDEN TESTS
assert list(encode_piece("abc", {("ab", "c"): 8, ("a", "b"): 3})) == ["abc"]

# %% tests="encode_piece-pairs" points=1
### BEGIN HIDDEN TESTS
two_ways = [{("a", "b"): 1, ("a", "bc"): low, ("b", "c"): 5} for low in (0, 2, 9)]
two_ways += [{("a", "b"): 4, ("b", "c"): 3, ("ab", "c"): low} for low in (0, 2, 9)]
pieces = st.lists(st.sampled_from(["abc", "a", "c", "ab"]), max_size=3).map("".join)
apart = st.tuples(pieces, st.sampled_from(two_ways)).filter(lambda drawn: same_from_both_sides(*drawn))
rule = "Two adjacent tokens are merged only if this exact pair is in the table; the string that they form together does not matter."
grade(sheet.get("encode_piece"), right_tokens, apart, rule, tried=40)
### END HIDDEN TESTS
assert list(encode_piece("abc", {("a", "b"): 0, ("a", "bc"): 1})) == ["ab", "c"]

# %% tests="encode_piece-rightmost" points=2
### BEGIN HIDDEN TESTS
several = [("aaaaa", {("a", "a"): 1}), ("abab", {("a", "b"): 1, ("b", "ab"): 0})]
other_ways = ((piece, merges) for piece, merges in drawn(shuffled=True) if not same_from_both_sides(piece, merges))
rule = "If the pair with the lowest rank occurs at several positions, only the rightmost occurrence is merged; then look again."
grade(sheet.get("encode_piece"), right_tokens, first_of(other_ways, 50), rule, several, tried=50)
### END HIDDEN TESTS
assert list(encode_piece("aaa", {("a", "a"): 1})) == ["a", "aa"]

# %% [markdown]
# ## 3. Encode a text ({points encode_text} points)
#
# Write `encode_text(text, ids, special, allowed)`. It returns the ids of a text, a list of integers. `ids` is a
# dictionary from tokens to ids, and contains every character that you need. `special` is a dictionary from special
# tokens to their ids. `allowed` is the set of the special tokens that the caller allows in this text. The rules:
#
# - **Special tokens.** Search the text from left to right. An allowed special token is split off and becomes its id. If
#   several of them start at the same position, the **longest** one is used. A special token that is *not* allowed is
#   ordinary text. If `<a>` and `<a><b>` are allowed, the text `<a><b>` becomes the single id of `<a><b>`.
# - **Pre-tokens.** The text between special tokens is split into pre-tokens: a new pre-token starts **before each
#   space** (`" "`). So a space is the first character of its pre-token, and no character is lost. The pre-tokens of
#   `"a  b"` are `"a"`, `" "` and `" b"`.
# - **Tokens.** A pre-token that is in `ids` *as a whole* becomes its id. Any other pre-token becomes the ids of its
#   characters, one by one. There is no merging in this task. If `ids` contains `ab` and `abc`, the pre-token `abc`
#   becomes one id, but `abcc` becomes the ids of 4 characters.
#
# <details><summary>Hint</summary>
#
# Write a helper that converts one pre-token to ids. Call it before each space, before each special token, and at the
# end.
#
# </details>


# %% solution="encode_text"
def encode_text(text, ids, special, allowed):
    """Return the ids of a text: allowed special tokens, whole pre-tokens, characters."""
    ### BEGIN SOLUTION
    result, piece, position = [], "", 0

    def end_of_piece():
        result.extend([ids[piece]] if piece in ids else [ids[character] for character in piece])

    while position < len(text):
        here = [token for token in allowed if text.startswith(token, position)]
        if here:
            longest = max(here, key=len)
            end_of_piece()
            result.append(special[longest])
            piece, position = "", position + len(longest)
            continue
        if text[position] == " ":
            end_of_piece()
            piece = ""
        piece, position = piece + text[position], position + 1
    end_of_piece()
    return result
    ### END SOLUTION
    return ...


# %% hidden="encode_text"
import re

from hypothesis import strategies as st
from course.grading import grade
from tokenlab.check.trace_comparison import equal_values


def right_ids(text, ids, special, allowed):
    pattern = "|".join(map(re.escape, sorted(allowed, key=len, reverse=True)))
    parts = re.split(f"({pattern})", text) if allowed else [text]
    found = []
    for position, part in enumerate(parts):
        if position % 2:
            found.append(special[part])
            continue
        for piece in re.findall("^[^ ]+| [^ ]*", part):
            found += [ids[piece]] if piece in ids else [ids[character] for character in piece]
    return found


def by_characters(text, ids, special, allowed):
    """Return the ids if no whole pre-token is looked up."""
    return right_ids(text, {token: id for token, id in ids.items() if len(token) == 1}, special, allowed)


def right_or_by_characters(text, ids, special, allowed):
    """Return the results that pass if it does not matter whether whole pre-tokens are looked up."""
    return [right_ids(text, ids, special, allowed), by_characters(text, ids, special, allowed)]


def right_or_ordinary(text, ids, special, allowed):
    """Return the results that pass if it does not matter whether special tokens are found."""
    return [right_ids(text, ids, special, allowed), right_ids(text, ids, {}, set())]


def either(given, right):
    return any(equal_values(given, one) for one in right)


def ids_of(*tokens):
    """Return ids for the given tokens, from 0 on in no particular order, and for some characters."""
    return {token: 7 * position % 101 for position, token in enumerate([*tokens, *"<>|abcde \n"])}


def texts(*parts):
    return st.lists(st.sampled_from(parts), max_size=6).map("".join)


nothing = (st.just({}), st.just(set()))

# %% tests="encode_text-pieces" points=2
### BEGIN HIDDEN TESTS
crossing = ids_of("a b", "ab c", "  ", "a ", "b  c", "ab", " ab", "\nb")
rule = "A new pre-token starts before each space, no token crosses a boundary between pre-tokens, and no character is lost."
grade(
    sheet.get("encode_text"),
    right_or_by_characters,
    st.tuples(texts("a", "b", " ", "ab", " ab", "ab c", "b  c", "a\nb"), st.just(crossing), *nothing),
    rule,
    [("ab ab", crossing, {}, set())],
    tried=50,
    same=either,
)
### END HIDDEN TESTS
assert list(encode_text("a b", {"a": 5, "b": 6, " ": 7, "a b": 8}, {}, set())) == [5, 7, 6]

# %% tests="encode_text-whole" points=2
### BEGIN HIDDEN TESTS
whole = st.sampled_from([ids_of("abc"), ids_of("ab", "abcd"), ids_of("bc", "cab", "abcab"), ids_of("abcde", "de")])
words = st.sampled_from(["", "a", "ab", "bc", "abc", "cab", "abcd", "abcab", "abcde", "abab", "deab", "de", "bcd"])
rule = "A pre-token that is a token as a whole becomes its id; any other pre-token becomes the ids of its characters, not of longer tokens."
around = st.lists(words, min_size=1, max_size=3).map("<a>".join)
one_allowed = (st.just({"<a>": 900}), st.just({"<a>"}))
inputs = st.tuples(around, whole, *one_allowed)
grade(sheet.get("encode_text"), right_or_ordinary, inputs, rule, tried=60, same=either)
### END HIDDEN TESTS
assert list(encode_text("abc", {"a": 1, "b": 2, "c": 3, "ab": 4, "abc": 5}, {}, set())) == [5]
assert list(encode_text("abcc", {"a": 1, "b": 2, "c": 3, "ab": 4, "abc": 5}, {}, set())) == [1, 2, 3, 3]

# %% tests="encode_text-allowed" points=2
### BEGIN HIDDEN TESTS
known = {"<a>": 900, "<b>": 901, "ee": 902, "<|>": 903, "< >": 904}
some_allowed = st.sets(st.sampled_from(["<a>", "<b>", "ee", "<|>"])).map({"< >"}.union)
rule = "Only the special tokens that the caller allows become their ids; any other special token is ordinary text."
spelled = texts("a", "<a>", "<b>", "ee", "<|>", "<", "e", "b>", "< >")
inputs = st.tuples(spelled, st.just(ids_of("<a>", "<b>")), st.just(known), some_allowed)
apart = inputs.filter(lambda drawn: right_ids(*drawn) == by_characters(*drawn))
grade(sheet.get("encode_text"), right_ids, apart, rule, tried=50)
### END HIDDEN TESTS
assert list(encode_text("e<e>", {"<": 1, "e": 2, ">": 3}, {"<e>": 9}, {"<e>"})) == [2, 9]
assert list(encode_text("e<e>", {"<": 1, "e": 2, ">": 3}, {"<e>": 9}, set())) == [2, 1, 2, 3]

# %% tests="encode_text-longest" points=2
### BEGIN HIDDEN TESTS
short_first = {"<a>": 900, "<a><b>": 901, "aa": 902, "aaa": 903, "a<a": 904}
orders = st.sampled_from([short_first, dict(reversed(short_first.items()))])
all_allowed = orders.flatmap(
    lambda known: st.tuples(texts("<a>", "<b>", "aa", "a"), st.just(ids_of()), st.just(known), st.just(set(known)))
)
rule = "Search from left to right; if several allowed special tokens start at the same position, the longest is used; their order does not matter."
grade(sheet.get("encode_text"), right_ids, all_allowed, rule, tried=50)
### END HIDDEN TESTS
assert list(encode_text("<a><b>", {}, {"<a>": 1, "<a><b>": 2}, {"<a>", "<a><b>"})) == [2]

# %% [markdown]
# ## 4. Undo the byte symbols ({points undo_byte_symbols} points)
#
# A file contains text as byte symbols, in GPT-2's byte alphabet. Some characters of the file were damaged. Write
# `undo_byte_symbols(damaged)`, where `damaged` is a string. It returns the original text as far as it can be decoded,
# also a string. The alphabet:
#
# - For the bytes 33 to 126, 161 to 172 and 174 to 255, the byte symbol is the character with this code point. So
#   `chr(33)` is the symbol of byte 33.
# - The remaining bytes get the characters from `chr(256)` on, in ascending order: `chr(256)` is the symbol of byte 0.
#
# The rules:
#
# - **Damage.** Each character that is not a byte symbol becomes one replacement character, `"\ufffd"`. `"a\nb"` becomes
#   `"a\ufffdb"`, because `"\n"` is not a byte symbol.
# - **Runs.** Each run of byte symbols between damaged characters is decoded **separately**, so bytes are never joined
#   across the damage. The two bytes of `é` have the symbols `Ã` and `©`. `"Ã©"` becomes `"é"`, but `"Ã\n©"` becomes
#   three replacement characters.
# - **Invalid UTF-8.** Bytes that are not valid UTF-8 become `"\ufffd"`, as in
#   `bytes.decode("utf-8", errors="replace")`. `"Ã"` alone becomes `"\ufffd"`.
#
# <details><summary>Hint</summary>
#
# Collect bytes in a `bytearray`. Decode it at each damaged character and at the end.
#
# </details>


# %% solution="undo_byte_symbols"
def undo_byte_symbols(damaged):
    """Return the text of a damaged string of byte symbols."""
    ### BEGIN SOLUTION
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    byte_of = {chr(byte): byte for byte in kept}
    byte_of |= {chr(256 + position): byte for position, byte in enumerate(sorted(set(range(256)) - set(kept)))}
    text, run = "", bytearray()
    for character in damaged:
        if character in byte_of:
            run.append(byte_of[character])
        else:
            text += run.decode("utf-8", errors="replace") + "\ufffd"
            run.clear()
    return text + run.decode("utf-8", errors="replace")
    ### END SOLUTION
    return ...


# %% hidden="undo_byte_symbols"
from itertools import groupby

from hypothesis import strategies as st
from course.grading import grade

KEPT = {*range(33, 127), *range(161, 173), *range(174, 256)}
LEFT = [byte for byte in range(256) if byte not in KEPT]
BYTE_SYMBOLS = [chr(byte) if byte in KEPT else chr(256 + LEFT.index(byte)) for byte in range(256)]


BYTES = {symbol: byte for byte, symbol in enumerate(BYTE_SYMBOLS)}


def right_text(damaged):
    runs = groupby(damaged, key=BYTES.__contains__)
    texts = [
        bytes(map(BYTES.get, run)).decode("utf-8", "replace") if good else "\ufffd" * len([*run]) for good, run in runs
    ]
    return "".join(texts)


def byte_symbols(text):
    return "".join(BYTE_SYMBOLS[byte] for byte in text.encode())


LETTERS = [*"ab! ~", "\n", "\x00", "\xad", "é", "ÿ", "Ġ", "日", "本", "👩"]
written = st.lists(st.sampled_from(LETTERS), max_size=5).map("".join).map(byte_symbols)
foreign = st.sampled_from([" ", "\n", "\xad", "日", "\x7f", "\xa0", chr(256 + len(LEFT)), "\ufffd", "👩"])

# %% tests="undo_byte_symbols-alphabet" points=2
### BEGIN HIDDEN TESTS
all_short_characters = [(byte_symbols("".join(map(chr, range(start, start + 64)))),) for start in range(0, 2048, 64)]
rule = "Each byte symbol represents one byte: some bytes have the character with the same code point, the others get characters from chr(256) on, in order."
grade(sheet.get("undo_byte_symbols"), right_text, st.tuples(written), rule, all_short_characters, tried=40)
### END HIDDEN TESTS
assert undo_byte_symbols("HiĠyou!") == "Hi you!"
assert undo_byte_symbols("æĹ¥") == "日"

# %% tests="undo_byte_symbols-damage" points=2
### BEGIN HIDDEN TESTS
FOREIGN = [*map(chr, LEFT), "日", chr(256 + len(LEFT)), "\ufffd", "👩"]
between = st.lists(written | st.sampled_from(FOREIGN), max_size=5).map("".join)
first_tried = [(" ",), ("日本",), ("a".join(FOREIGN),)]
rule = "Each character that is not a byte symbol becomes one replacement character, and complete characters around it are kept."
grade(sheet.get("undo_byte_symbols"), right_text, st.tuples(between), rule, first_tried, tried=50)
### END HIDDEN TESTS
assert undo_byte_symbols("a\nb") == "a\ufffdb"

# %% tests="undo_byte_symbols-runs" points=2
### BEGIN HIDDEN TESTS
halves = st.tuples(
    st.sampled_from([byte_symbols(character) for character in "é日👩"]), st.integers(1, 3), foreign | st.just("")
)
torn = halves.map(lambda half: half[0][: half[1]] + half[2] + half[0][half[1] :])
rule = "Each run of byte symbols is decoded separately: bytes are never joined across damage, and an incomplete character is replaced."
grade(sheet.get("undo_byte_symbols"), right_text, st.tuples(st.lists(torn, max_size=3).map("".join)), rule, tried=50)
### END HIDDEN TESTS
assert undo_byte_symbols("Ã") == "\ufffd"

# %% [markdown]
# ## 5. A trace with your own rules ({points trace} points)
#
# Your data and two rules depend on your id. Run the next two cells, and read the two rules in the output. Other students
# have other rules, and your functions of tasks 1 and 2 do not follow yours. Use pencil and paper, or write a small program.
#
# By the rules of **task 1**, on `my.words`, but with *your rule for counting*:
#
# - `first_pair` and `first_count`: the pair that BPE merges first, and its count at that moment.
# - `second_pair` and `second_count`: the pair that BPE merges second, and its count at that moment.
# - `symbols_left`: the number of symbols of `my.word` after the first merge, including the end marker.
#
# By the rules of **task 2**, but with *your rule for merging* instead of *Lowest rank* and *Rightmost first*:
#
# - `tokens`: the tokens of `my.piece` with the merges `my.table`, a list of strings. One pair is merged at one position;
#   then look again, until no adjacent pair is in `my.table`.

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser

COUNTING = {
    "start": "a pair of the first two symbols of a word counts twice there: it adds the count of its word two times",
    "squares": "each occurrence of a pair adds the square of the count of its word (a word with the count 3 adds 9)",
    "long": "in words of five or more letters, each occurrence of a pair counts twice",
}
MERGING = {
    "leftmost": "the pair with the lowest rank is merged, at its leftmost position",
    "highest": "the pair with the highest rank is merged, at its rightmost position",
    "longest": "the pair with the longest merged token is merged; in a tie, the lowest rank wins, then the rightmost position",
}


def my_data(student_id):
    """Return the names of two rules, words with counts, a word, a pre-token and a table of merges, derived from an id."""
    draw = variant_chooser(student_id)
    letters = list("abdeghiklmnoprstu")
    p, q, r, s = (letters.pop(draw(*range(len(letters)))) for _ in range(4))
    more, less = draw(8, 9, 10), draw(2, 3)
    words = {p * 4 + q: more, p + q + s: less, r + p + q: draw(5, 6, 7), s + p * draw(4, 5): draw(1, 2)}
    piece, pairs = draw(
        ("002100003", "2+1 00+0 0+0 21+0 1+00"),
        ("102002000", "0+0 0+2 02+0 2+00 2+0"),
        ("000001103", "0+3 0+0 1+0 0+1 0+00"),
        ("300000202", "0+0 2+0 00+0 00+2 0+2"),
        ("010000013", "00+0 0+1 0+0 1+3 01+0"),
    )
    table, rank = {}, 0
    for pair in pairs.split():
        rank += draw(1, 2, 3, 4, 5)
        left, right = pair.translate(str.maketrans("0123", p + q + r + s)).split("+")
        table[left, right] = rank
    return SimpleNamespace(
        counting=draw(*COUNTING),
        merging=draw(*MERGING),
        words=words,
        word=r + p * draw(5, 6, 7, 8) + q,
        piece=piece.translate(str.maketrans("0123", p + q + r + s)),
        table=dict(sorted(table.items())),
    )


# %% locked="my"
my = my_data(student_id)
for name, value in vars(my).items():
    print(f"my.{name} = {value}")
print(f"Your rule for counting: {COUNTING[my.counting]}.")
print(f"Your rule for merging: {MERGING[my.merging]}.")

# %% solution="trace"
first_pair, first_count = ..., ...  # a pair, for example ("x", "y")
second_pair, second_count = ..., ...
symbols_left = ...
tokens = ...  # for example ["x", "yz"]
### BEGIN SOLUTION
split = {word: [*word, "$"] for word in my.words}
found = []
for _ in range(2):
    counts = {}
    for word, symbols in split.items():
        for position, pair in enumerate(zip(symbols, symbols[1:])):
            number = my.words[word] ** 2 if my.counting == "squares" else my.words[word]
            if (my.counting == "start" and position == 0) or (my.counting == "long" and len(word) >= 5):
                number *= 2
            counts[pair] = counts.get(pair, 0) + number
    best = max(counts, key=counts.get)
    found.append((best, counts[best]))
    for symbols in split.values():
        for position in range(len(symbols) - 1):
            if tuple(symbols[position : position + 2]) == best:
                symbols[position : position + 2] = ["".join(best)]
(first_pair, first_count), (second_pair, second_count) = found
symbols_left = len(my.word.replace("".join(first_pair), "!")) + 1

tokens = list(my.piece)
while True:
    known = [position for position in range(len(tokens) - 1) if tuple(tokens[position : position + 2]) in my.table]
    if not known:
        break
    if my.merging == "leftmost":
        position = min(known, key=lambda position: my.table[tuple(tokens[position : position + 2])])
    elif my.merging == "highest":
        position = max(known, key=lambda position: (my.table[tuple(tokens[position : position + 2])], position))
    else:
        lengths = {position: len("".join(tokens[position : position + 2])) for position in known}
        ranks = {position: my.table[tuple(tokens[position : position + 2])] for position in known}
        position = max(known, key=lambda position: (lengths[position], -ranks[position], position))
    tokens[position : position + 2] = ["".join(tokens[position : position + 2])]
### END SOLUTION

# %% hidden="trace"
from course.grading import grade_answer
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)
words = [((*word, "$"), count) for word, count in my.words.items()]


def counts_of(words, rule=my.counting):
    """Return the counts of all pairs by the student's rule for counting."""
    counts = {}
    for word, count in words:
        times = 2 if rule == "long" and len("".join(word)) > 5 else 1  # the end marker is not a letter
        added = [times * (count * count if rule == "squares" else count)] * (len(word) - 1)
        if rule == "start":
            added[:1] = [2 * count] * len(added[:1])
        for pair, number in zip(zip(word, word[1:]), added):
            counts[pair] = counts.get(pair, 0) + number
    return counts


def joined(word, pair):
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return (word[0] + word[1], *joined(word[2:], pair))
    return (word[0], *joined(word[1:], pair))


def right_tokens(tokens, rule=my.merging):
    """Return the tokens by the student's rule for merging."""
    known = [(my.table[pair], place, pair) for place, pair in enumerate(zip(tokens, tokens[1:])) if pair in my.table]
    if not known:
        return tokens
    if rule == "longest":
        longest = max(len(left + right) for _, _, (left, right) in known)
        known = [one for one in known if len("".join(one[2])) == longest]
    wanted = max(known)[0] if rule == "highest" else min(known)[0]
    positions = [place for rank, place, _ in known if rank == wanted]
    place = positions[0] if rule == "leftmost" else positions[-1]
    return right_tokens((*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :]), rule)


first = max(counts_of(words), key=counts_of(words).get)
then = counts_of([(joined(word, first), count) for word, count in words])
second = max(then, key=then.get)


def same(name, right, rule):
    """Compare an answer with the right one, without revealing it."""
    grade_answer(sheet, name, right, rule)


# %% tests="trace-first" points=1
### BEGIN HIDDEN TESTS
rule = "Each occurrence of a pair counts by your rule for counting, even if two occurrences overlap."
same("first_pair", first, rule)
same("first_count", counts_of(words)[first], rule)
### END HIDDEN TESTS
assert first_pair is not ... and first_count is not ..., "Write the first pair and its count."

# %% tests="trace-second" points=1
### BEGIN HIDDEN TESTS
rule = "After the first merge, all pairs are counted again by your rule, including those with the end marker."
same("second_pair", second, rule)
same("second_count", then[second], rule)
### END HIDDEN TESTS
assert second_pair is not ... and second_count is not ..., "Write the second pair and its count."

# %% tests="trace-left" points=1
### BEGIN HIDDEN TESTS
rule = "A merge goes from left to right and uses each symbol once, so overlapping occurrences are not all merged."
same("symbols_left", len(joined((*my.word, "$"), first)), rule)
### END HIDDEN TESTS
assert symbols_left is not ..., "Write the number of symbols that are left."

# %% tests="trace-tokens" points=1
### BEGIN HIDDEN TESTS
same(
    "tokens",
    right_tokens(tuple(my.piece)),
    "Your rule for merging chooses one pair and one position; then look again, until no adjacent pair is in the table.",
)
### END HIDDEN TESTS
assert tokens is not ..., "Write the tokens of my.piece."

# %% [markdown]
# ## 6. In words ({points words} points)
#
# A colleague says: "BPE is simple. Of all tokens that fit, the longest one always wins." Show with an example that this
# is wrong. Your example must not come from the lessons. Give:
#
# - merges in their order, a word, and its tokens by BPE;
# - the tokens that a longest match would give;
# - in a few sentences, what decides which pair is merged, and why BPE works this way.
#
# A person reads and grades this.

# %% [markdown] solution="words" points=4
# Take the merges `o n` (rank 0) and `t o` (rank 1). BPE encodes *ton* as `t` and `on`. A longest match from the left
# takes `to` first and gives `to` and `n`. The rank decides, that is, the order in which training learned the merges;
# the length of a token does not. Encoding repeats the merges of training: there, `o n` was merged before `t o` was
# counted. So a word of the corpus gets the same tokens as in training.
#
# **Points.** 1: an example with merges in their order, a word, and its tokens by BPE, all correct. 1: the tokens of the
# longest match, which must differ from those of BPE. 1: the rank (the order of training) decides, not the length or the
# position. 1: the reason: encoding repeats training. Subtract 1 point if the tokens, joined, are not the word. An
# example from the lessons (*abc*, *lighthouses*) does not count as an example.
