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
# The tasks look like the lessons, and each differs from them in a rule. Read the rules; they are what is graded.
#
# - Write functions with plain Python. A function that calls `tokenlab`, or a library that tokenizes, gets no points.
# - Where a list is asked for, a tuple will do, and the other way round. Do not modify the lists and tables that you are given.
# - Below each function stand a few examples, and it is graded on more inputs than these. An `assert` that passes prints
#   nothing. Please leave those cells as they are: they are put back before grading.
# - Before you hand in, run all cells once more (*Restart Kernel and Run All Cells*), and save. Where your course has no server
#   to hand in on, write `from tokenlab.check.submission import hand_in` and `hand_in("assignment1.ipynb")` into a cell of your own, save, and run it: it
#   writes one file to hand in.

# %% [markdown]
# ## Your id
#
# Write the id under which you hand in (on a hub, your login name), in quotes. Task 5 takes its data from it. Upper and lower case, and blanks around it,
# make no difference.
#
# *How it is checked:* the grader reads the id from this cell and compares it with the name under which your notebook came in.
# If they differ, task 5 gets no points until your instructor has looked at it.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% [markdown]
# ## 1. Learn merges ({points learn_merges} points)
#
# Write `learn_merges(word_counts, number)`. It gets words with their counts, and gives the list of the first `number` merges,
# as pairs of symbols, in the order in which BPE learns them, by these rules:
#
# - **The end marker.** Each word is split into its characters, and behind them stands one more symbol, `"$"`. It is a symbol
#   like any other: it makes pairs, and it may be merged. (No word has a `$` of its own.)
# - **Counting.** Every two neighbours are a pair, also where two pairs share a symbol. Each place where a pair stands adds the
#   count of its word.
# - **Merging.** The most frequent pair becomes one symbol in every word, from the left, and each symbol is used once. Then everything
#   is counted again.
# - **Ties.** Of pairs that are equally frequent the one whose *right* symbol is longer wins (more characters). If there is
#   still a tie, the pair that comes first when they are sorted wins: by the left symbol, then by the right one.
# - **The end.** When no pair is left, learning stops, and the list is shorter than was asked for.


# %% solution="learn_merges"
def learn_merges(word_counts, number):
    """The first merges that BPE learns from words and their counts, as a list of pairs."""
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
            place = 0
            while place < len(symbols) - 1:
                if (symbols[place], symbols[place + 1]) == best:
                    symbols[place : place + 2] = ["".join(best)]
                place += 1
    return merges
    ### END SOLUTION
    return ...


# %% hidden="learn_merges"
from random import Random

from hypothesis import strategies as st
from tokenlab.check.grading import grade
from tokenlab.check.strategies import first_of


def joined(word, pair):
    """A word, with the pair merged from the left."""
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return (word[0] + word[1], *joined(word[2:], pair))
    return (word[0], *joined(word[1:], pair))


def story(word_counts, number):
    """For each merge: the pair, how many pairs tie with it, and whether any word has equal neighbours."""
    words = [((*word, "$"), count) for word, count in word_counts.items()]
    for _ in range(number):
        totals = {}
        for word, count in words:
            for pair in zip(word, word[1:]):
                totals[pair] = totals.get(pair, 0) + count
        if not totals:
            return
        tied = sorted(pair for pair in totals if totals[pair] == max(totals.values()))
        pair = max(tied, key=lambda pair: len(pair[1]))  # of equally long ones max gives the first
        yield pair, len(tied), any(left == right for left, right in totals)
        words = [(joined(word, pair), count) for word, count in words]


def right_merges(word_counts, number):
    return [pair for pair, _, _ in story(word_counts, number)]


def drawn(letters, longest):
    """Words with counts and a number of merges, one after another, for ever."""
    random = Random(1)
    while True:
        words = ["".join(random.choices(letters, k=random.randint(1, longest))) for _ in range(random.randint(1, 4))]
        yield {word: random.randint(1, 9) for word in words}, random.randint(1, 4)


def ties(merges):
    return sum(tied > 1 for _, tied, _ in merges)


def repeats(merges):
    return any(repeated for _, _, repeated in merges)


# %% tests="learn_merges-counting" points=2
### BEGIN HIDDEN TESTS
first_merges = (
    (words, 1)
    for words, _ in drawn("abcd", 5)
    if (merges := [*story(words, 1)]) and not ties(merges) and not repeats(merges)
)
rule = (
    "A pair counts as often as its word occurs, in all words together, and the end marker makes pairs like any symbol."
)
grade(sheet.get("learn_merges"), right_merges, first_of(first_merges), rule, tried=40)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"hug": 10, "pug": 5, "pun": 12}, 1))) == [("p", "u")]
assert list(map(tuple, learn_merges({"no": 4, "on": 9, "n": 1}, 1))) == [("n", "$")]

# %% tests="learn_merges-again" points=2
### BEGIN HIDDEN TESTS
later_merges = (
    (words, number)
    for words, number in drawn("abcd", 5)
    if len(merges := [*story(words, number)]) == number > 1 and not ties(merges) and not repeats(merges)
)
rule = "After each merge, which joins two whole symbols and no parts of symbols, everything is counted again."
parts_of_symbols = [({"cb": 12, "caba": 4, "dc": 41, "dcb": 7}, 5)]
grade(sheet.get("learn_merges"), right_merges, first_of(later_merges), rule, parts_of_symbols, tried=40)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"pun": 12, "hug": 10, "pug": 5}, 2))) == [("p", "u"), ("g", "$")]

# %% tests="learn_merges-ties" points=3
### BEGIN HIDDEN TESTS
tied_merges = (
    (words, number)
    for words, number in drawn("abcd", 5)
    if len(merges := [*story(words, number)]) == number and ties(merges) and not repeats(merges)
)
rule = (
    "Of pairs that are equally frequent the one with the longer right symbol wins, then the one that is sorted first."
)
grade(sheet.get("learn_merges"), right_merges, first_of(tied_merges, 60), rule, tried=60)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"xab": 1}, 3))) == [("a", "b"), ("x", "ab"), ("xab", "$")]

# %% tests="learn_merges-repeats" points=2
### BEGIN HIDDEN TESTS
repeated_merges = (
    (words, number)
    for words, number in drawn("aab", 6)
    if len(merges := [*story(words, number)]) == number and not ties(merges) and repeats(merges)
)
rule = "Pairs that share a symbol all count; merging goes from the left, and each symbol is used once."
grade(sheet.get("learn_merges"), right_merges, first_of(repeated_merges), rule, tried=40)
### END HIDDEN TESTS
assert list(map(tuple, learn_merges({"aaab": 3, "cb": 4}, 1))) == [("b", "$")]

# %% tests="learn_merges-end" points=1
### BEGIN HIDDEN TESTS
short = st.dictionaries(st.sampled_from(["", "a", "b", "c"]), st.integers(1, 9))
distinct = short.filter(lambda words: len(set(words.values())) == len(words))
rule = "When no pair is left, learning stops with the merges that it has."
grade(sheet.get("learn_merges"), right_merges, st.tuples(distinct, st.integers(4, 9)), rule, tried=30)
### END HIDDEN TESTS
assert list(learn_merges({}, 3)) == []

# %% [markdown]
# ## 2. Encode a piece ({points encode_piece} points)
#
# Write `encode_piece(piece, merges)`. `merges` is a table from pairs to ranks, such as `{("a", "b"): 3, ("ab", "c"): 8}`, in no
# particular order; no two pairs have the same rank. It gives the tokens of the piece, a list of strings, by these rules:
#
# - The piece is split into its characters. (There is no end marker in this task.)
# - Of all neighbours that stand in the table, the pair with the **lowest rank** is merged first, **at one place**. Then you look
#   again, until no neighbours stand in the table.
# - Where the lowest rank stands at several places, the **rightmost** is merged first.
# - What counts is the pair, not what it makes: with `("a", "bc")` in the table, `ab` and `c` are not merged.


# %% solution="encode_piece"
def encode_piece(piece, merges):
    """The tokens of a piece, by the ranks of pairs."""
    ### BEGIN SOLUTION
    tokens = list(piece)
    while True:
        places = [place for place in range(len(tokens) - 1) if (tokens[place], tokens[place + 1]) in merges]
        if not places:
            return tokens
        place = min(places, key=lambda place: (merges[tokens[place], tokens[place + 1]], -place))
        tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
    ### END SOLUTION
    return ...


# %% hidden="encode_piece"
from random import Random

from hypothesis import strategies as st
from tokenlab.check.grading import grade
from tokenlab.check.strategies import first_of


def merged(tokens, merges, side):
    """Merge the lowest rank at its last place (side -1) or its first (side 0), and again."""
    ranks = [merges.get(pair) for pair in zip(tokens, tokens[1:])]
    known = [rank for rank in ranks if rank is not None]
    if not known:
        return tokens
    place = [place for place, rank in enumerate(ranks) if rank == min(known)][side]
    return merged((*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :]), merges, side)


def right_tokens(piece, merges):
    return merged(tuple(piece), merges, -1)


def from_the_left(piece, merges):
    return merged(tuple(piece), merges, 0)


def learned(random, number):
    """Pairs in an order in which training could learn them: parts before what is made of them, no token twice."""
    known, pairs = ["a", "b", "c"], []
    while len(pairs) < number:
        pair = (random.choice(known), random.choice(known))
        if pair[0] + pair[1] not in known and len(pair[0] + pair[1]) < 5:
            pairs.append(pair)
            known.append(pair[0] + pair[1])
    return pairs


def drawn(shuffled):
    """Pieces and tables, one after another, for ever."""
    random = Random(2)
    while True:
        pairs = learned(random, random.randint(1, 5))
        ranks = sorted(random.sample(range(20), len(pairs)))
        if shuffled:
            random.shuffle(ranks)
        yield "".join(random.choices("abc", k=random.randint(2, 8))), dict(zip(pairs, ranks))


def one_way(piece, merges):
    """Whether it does not matter which of several places comes first."""
    return right_tokens(piece, merges) == from_the_left(piece, merges)


# %% tests="encode_piece-lowest" points=3
### BEGIN HIDDEN TESTS
in_order = ((piece, merges) for piece, merges in drawn(shuffled=False) if one_way(piece, merges))
rule = "The pair with the lowest rank is merged first, wherever it stands; neither the longest token nor the leftmost pair wins."
nasty = [("", {("a", "b"): 1}), ("abcd", {("b", "c"): 0, ("a", "b"): 1, ("c", "d"): 2})]
grade(sheet.get("encode_piece"), right_tokens, first_of(in_order, 80), rule, nasty, tried=50)
### END HIDDEN TESTS
assert list(encode_piece("abc", {("b", "c"): 2, ("a", "b"): 7})) == ["a", "bc"]
assert list(encode_piece("xyz", {})) == ["x", "y", "z"]

# %% tests="encode_piece-order" points=2
### BEGIN HIDDEN TESTS
in_no_order = ((piece, merges) for piece, merges in drawn(shuffled=True) if one_way(piece, merges))
rule = "The table has no order: after every merge look through all of it again, also for ranks that you have passed."
grade(
    sheet.get("encode_piece"),
    right_tokens,
    first_of(in_no_order, 50),
    rule,
    [("abc", {("ab", "c"): 0, ("a", "b"): 1})],
    tried=50,
)
### END HIDDEN TESTS
assert list(encode_piece("abc", {("ab", "c"): 8, ("a", "b"): 3})) == ["abc"]

# %% tests="encode_piece-pairs" points=1
### BEGIN HIDDEN TESTS
two_ways = [{("a", "b"): 1, ("a", "bc"): low, ("b", "c"): 5} for low in (0, 2, 9)]
two_ways += [{("a", "b"): 4, ("b", "c"): 3, ("ab", "c"): low} for low in (0, 2, 9)]
pieces = st.lists(st.sampled_from(["abc", "a", "c", "ab"]), max_size=3).map("".join)
apart = st.tuples(pieces, st.sampled_from(two_ways)).filter(lambda drawn: one_way(*drawn))
rule = (
    "Two neighbours are merged if this very pair stands in the table; what they make together may be made another way."
)
grade(sheet.get("encode_piece"), right_tokens, apart, rule, tried=40)
### END HIDDEN TESTS
assert list(encode_piece("abc", {("a", "b"): 0, ("a", "bc"): 1})) == ["ab", "c"]

# %% tests="encode_piece-rightmost" points=2
### BEGIN HIDDEN TESTS
other_ways = ((piece, merges) for piece, merges in drawn(shuffled=True) if not one_way(piece, merges))
rule = "Where the lowest rank stands at several places the rightmost is merged, at this one place; then look again."
grade(sheet.get("encode_piece"), right_tokens, first_of(other_ways, 50), rule, [("aaaaa", {("a", "a"): 1})], tried=50)
### END HIDDEN TESTS
assert list(encode_piece("aaa", {("a", "a"): 1})) == ["a", "aa"]

# %% [markdown]
# ## 3. Encode a text ({points encode_text} points)
#
# Write `encode_text(text, ids, special, allowed)`. `ids` is a table from tokens to ids, and every character that can occur has an
# id. `special` is a table from special tokens to their ids, and `allowed` is the set of those that the caller allows in this
# text. It gives the list of ids, by these rules:
#
# - **Special tokens.** From the left, wherever an allowed special token begins, it is cut out and becomes its id. If several begin
#   at the same place, it is the **longest**. A special token that is *not* allowed is text like any other.
# - **Pieces.** What stands between them is cut into pieces: **before each blank** (`" "`) a new piece begins. So a blank belongs
#   to the piece behind it, two blanks make two pieces, and nothing is lost.
# - **Tokens.** A piece that is a token *as a whole* becomes its id. Any other piece becomes the ids of its characters, one by one.
#   (No merging in this task.)


# %% solution="encode_text"
def encode_text(text, ids, special, allowed):
    """The ids of a text: special tokens that are allowed, whole pieces, characters."""
    ### BEGIN SOLUTION
    result, piece, place = [], "", 0

    def end_of_piece():
        result.extend([ids[piece]] if piece in ids else [ids[character] for character in piece])

    while place < len(text):
        here = [token for token in allowed if text.startswith(token, place)]
        if here:
            longest = max(here, key=len)
            end_of_piece()
            result.append(special[longest])
            piece, place = "", place + len(longest)
            continue
        if text[place] == " ":
            end_of_piece()
            piece = ""
        piece, place = piece + text[place], place + 1
    end_of_piece()
    return result
    ### END SOLUTION
    return ...


# %% hidden="encode_text"
import re

from hypothesis import strategies as st
from tokenlab.check.grading import grade


def right_ids(text, ids, special, allowed):
    pattern = "|".join(map(re.escape, sorted(allowed, key=len, reverse=True)))
    parts = re.split(f"({pattern})", text) if allowed else [text]
    found = []
    for place, part in enumerate(parts):
        if place % 2:
            found.append(special[part])
            continue
        for piece in re.findall("^[^ ]+| [^ ]*", part):
            found += [ids[piece]] if piece in ids else [ids[character] for character in piece]
    return found


def ids_of(*tokens):
    """Ids for some characters and for these tokens; they are not in the order of anything."""
    return {token: 7 * place % 101 for place, token in enumerate([*"<>abcde ", *tokens], start=1)}


def texts(*parts):
    return st.lists(st.sampled_from(parts), max_size=6).map("".join)


nothing = (st.just({}), st.just(set()))

# %% tests="encode_text-pieces" points=2
### BEGIN HIDDEN TESTS
crossing = st.just(ids_of("a b", "ab c", "  ", "a ", "b  c"))
rule = "A new piece begins before each blank, no token crosses a cut, and nothing is lost."
grade(
    sheet.get("encode_text"),
    right_ids,
    st.tuples(texts("a", "b", " ", "ab c", "b  c"), crossing, *nothing),
    rule,
    tried=50,
)
### END HIDDEN TESTS
assert list(encode_text("a b", {"a": 5, "b": 6, " ": 7, "a b": 8}, {}, set())) == [5, 7, 6]

# %% tests="encode_text-whole" points=2
### BEGIN HIDDEN TESTS
whole = st.sampled_from([ids_of("abc"), ids_of("ab", "abcd"), ids_of("bc", "cab", "abcab"), ids_of("abcde", "de")])
words = st.sampled_from(["", "a", "ab", "bc", "abc", "cab", "abcd", "abcab", "abcde", "abab", "deab", "de", "bcd"])
rule = "A piece that is a token as a whole is that token; no other piece is made of longer tokens."
grade(sheet.get("encode_text"), right_ids, st.tuples(words, whole, *nothing), rule, tried=50)
### END HIDDEN TESTS
assert list(encode_text("abc", {"a": 1, "b": 2, "c": 3, "ab": 4, "abc": 5}, {}, set())) == [5]
assert list(encode_text("abcc", {"a": 1, "b": 2, "c": 3, "ab": 4, "abc": 5}, {}, set())) == [1, 2, 3, 3]

# %% tests="encode_text-allowed" points=2
### BEGIN HIDDEN TESTS
known = {"<a>": 900, "<b>": 901, "ee": 902}
some_allowed = st.sets(st.sampled_from(sorted(known)))
rule = "Only special tokens that the caller allows become ids of their own; any other is text."
spelled = texts("a", "<a>", "<b>", "ee", "<", "e", "b>")
grade(
    sheet.get("encode_text"),
    right_ids,
    st.tuples(spelled, st.just(ids_of()), st.just(known), some_allowed),
    rule,
    tried=50,
)
### END HIDDEN TESTS
assert list(encode_text("e<e>", {"<": 1, "e": 2, ">": 3}, {"<e>": 9}, {"<e>"})) == [2, 9]
assert list(encode_text("e<e>", {"<": 1, "e": 2, ">": 3}, {"<e>": 9}, set())) == [2, 1, 2, 3]

# %% tests="encode_text-longest" points=2
### BEGIN HIDDEN TESTS
short_first = {"<a>": 900, "<a><b>": 901, "aa": 902, "aaa": 903}
orders = st.sampled_from([short_first, dict(reversed(short_first.items()))])
all_allowed = orders.flatmap(
    lambda known: st.tuples(texts("<a>", "<b>", "aa", "a"), st.just(ids_of()), st.just(known), st.just(set(known)))
)
rule = (
    "If several allowed special tokens begin at the same place, the longest is meant, in whatever order they are given."
)
grade(sheet.get("encode_text"), right_ids, all_allowed, rule, tried=50)
### END HIDDEN TESTS
assert list(encode_text("<a><b>", {}, {"<a>": 1, "<a><b>": 2}, {"<a>", "<a><b>"})) == [2]

# %% [markdown]
# ## 4. Undo the byte symbols ({points undo_byte_symbols} points)
#
# A program has written the byte symbols of GPT-2's byte alphabet into a file, and the file was damaged on its way. Write
# `undo_byte_symbols(damaged)`, which gives the text again, as far as it can be read. The alphabet:
#
# - The bytes 33 to 126, 161 to 172 and 174 to 255 keep the character with that code: `chr(33)` is the symbol of byte 33.
# - The bytes that are left get, in their order, the characters from `chr(256)` on.
#
# And the rules:
#
# - Each character that is no byte symbol becomes one `"\ufffd"`, the sign for "unreadable".
# - Each run of byte symbols between such characters is decoded **by itself**, so that damage never joins bytes across it. Bytes that
#   are no UTF-8 become `"\ufffd"`, as `bytes.decode("utf-8", errors="replace")` does it.


# %% solution="undo_byte_symbols"
def undo_byte_symbols(damaged):
    """The text of a damaged string of byte symbols."""
    ### BEGIN SOLUTION
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    byte_of = {chr(byte): byte for byte in kept}
    byte_of |= {chr(256 + place): byte for place, byte in enumerate(sorted(set(range(256)) - set(kept)))}
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
from tokenlab.check.grading import grade

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
every_short_sign = [(byte_symbols("".join(map(chr, range(start, start + 64)))),) for start in range(0, 2048, 64)]
rule = "A byte symbol represents a byte: some keep the character with their code, the others borrow, in their order, from 256 on."
grade(sheet.get("undo_byte_symbols"), right_text, st.tuples(written), rule, every_short_sign, tried=40)
### END HIDDEN TESTS
assert undo_byte_symbols("HiĠyou!") == "Hi you!"
assert undo_byte_symbols("æĹ¥") == "日"

# %% tests="undo_byte_symbols-damage" points=2
### BEGIN HIDDEN TESTS
between = st.lists(written | foreign, max_size=5).map("".join)
rule = "Each character that is no byte symbol becomes one unreadable sign, and whole characters around it stay as they are."
grade(sheet.get("undo_byte_symbols"), right_text, st.tuples(between), rule, [(" ",), ("日本",)], tried=50)
### END HIDDEN TESTS
assert undo_byte_symbols("a\nb") == "a\ufffdb"

# %% tests="undo_byte_symbols-runs" points=2
### BEGIN HIDDEN TESTS
halves = st.tuples(st.sampled_from([byte_symbols(sign) for sign in "é日👩"]), st.integers(1, 3), foreign | st.just(""))
torn = halves.map(lambda half: half[0][: half[1]] + half[2] + half[0][half[1] :])
rule = "Each run of byte symbols is decoded by itself: damage never joins bytes across it, and half a character is unreadable."
grade(sheet.get("undo_byte_symbols"), right_text, st.tuples(st.lists(torn, max_size=3).map("".join)), rule, tried=50)
### END HIDDEN TESTS
assert undo_byte_symbols("Ã") == "\ufffd"

# %% [markdown]
# ## 5. A trace by hand ({points trace} points)
#
# Your id gives you data of your own. Run the next cell, and the one below it, and take pencil and paper. By the rules of **task 1**:
# which two pairs does BPE merge first in `my.words`, and how often does each occur at that moment? How many symbols does
# the first merge leave in `my.word`, its end marker included? By the rules of **task 2**: what are the tokens of `my.piece` with
# the table `my.table`?

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


def my_data(student_id):
    """Words with counts, a word, a piece and a table, all derived from an id."""
    draw = variant_chooser(student_id)
    letters = list("abdeghiklmnoprstu")
    p, q, r, s = (letters.pop(draw(*range(len(letters)))) for _ in range(4))
    more, less = draw(6, 7, 8, 9), draw(2, 3, 4, 5)
    words = {p * 4 + q: more, p + q + s: less, r + p + q: draw(4, 5, 6), s + p * draw(3, 5): draw(1, 2, 3)}
    piece, pairs = draw(
        ("300020300", "0+0 3+0 0+1 01+2 30+0"),
        ("230003000", "00+1 0+0 0+3 1+2 2+3"),
        ("320000200", "1+3 2+0 0+0 3+2 2+1"),
        ("200000100", "12+0 2+00 0+0 1+2 3+1"),
        ("000001123", "3+0 00+0 3+00 00+1 0+0"),
    )
    table, rank = {}, 0
    for pair in pairs.split():
        rank += draw(1, 2, 3, 4, 5)
        left, right = pair.translate(str.maketrans("0123", p + q + r + s)).split("+")
        table[left, right] = rank
    return SimpleNamespace(
        words=words,
        word=r + p * draw(5, 6, 7, 8) + q,
        piece=piece.translate(str.maketrans("0123", p + q + r + s)),
        table=dict(sorted(table.items())),
    )


# %% locked="my"
my = my_data(student_id)
for name, value in vars(my).items():
    print(f"my.{name} = {value}")

# %% solution="trace"
first_pair, first_count = ..., ...  # a pair is written like this: ("x", "y")
second_pair, second_count = ..., ...
symbols_left = ...
tokens = ...  # for example ["x", "yz"]
### BEGIN SOLUTION
first_pair, second_pair = learn_merges(my.words, 2)
first_count = sum(count * sum(pair == first_pair for pair in zip(word, word[1:])) for word, count in my.words.items())
second_count = sum(count for word, count in my.words.items() if word[-1] == second_pair[0])
symbols_left = len(my.word.replace("".join(first_pair), "!")) + 1
tokens = encode_piece(my.piece, my.table)
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.grading import grade_answer
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)
words = [((*word, "$"), count) for word, count in my.words.items()]


def counts_of(words):
    counts = {}
    for word, count in words:
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def joined(word, pair):
    if len(word) < 2:
        return word
    if word[:2] == pair:
        return (word[0] + word[1], *joined(word[2:], pair))
    return (word[0], *joined(word[1:], pair))


def right_tokens(tokens):
    ranks = [my.table.get(pair, 99) for pair in zip(tokens, tokens[1:])]
    if min(ranks, default=99) == 99:
        return tokens
    place = max(place for place, rank in enumerate(ranks) if rank == min(ranks))
    return right_tokens((*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :]))


first = max(counts_of(words), key=counts_of(words).get)
then = counts_of([(joined(word, first), count) for word, count in words])
second = max(then, key=then.get)


def same(name, right, rule):
    """Compare an answer with the right one, which is not told."""
    grade_answer(sheet, name, right, rule)


# %% tests="trace-first" points=1
### BEGIN HIDDEN TESTS
rule = "Each pair of neighbours adds its word's count, and overlapping pairs add it each time."
same("first_pair", first, rule)
same("first_count", counts_of(words)[first], rule)
### END HIDDEN TESTS
assert first_pair is not ... and first_count is not ..., "Write the first pair and its count."

# %% tests="trace-second" points=1
### BEGIN HIDDEN TESTS
rule = "After the first merge everything is counted again, the end marker included."
same("second_pair", second, rule)
same("second_count", then[second], rule)
### END HIDDEN TESTS
assert second_pair is not ... and second_count is not ..., "Write the second pair and its count."

# %% tests="trace-left" points=1
### BEGIN HIDDEN TESTS
rule = "A merge goes from the left and uses each symbol once, however often the pair was counted."
same("symbols_left", len(joined((*my.word, "$"), first)), rule)
### END HIDDEN TESTS
assert symbols_left is not ..., "Write how many symbols are left."

# %% tests="trace-tokens" points=1
### BEGIN HIDDEN TESTS
same("tokens", right_tokens(tuple(my.piece)), "The lowest rank first, at its rightmost place; then look again.")
### END HIDDEN TESTS
assert tokens is not ..., "Write the tokens of my.piece."

# %% [markdown]
# ## 6. In words ({points words} points)
#
# A colleague says: "BPE is simple. Of all tokens that fit, the longest one always wins." Give an example of your own, not one of the
# lessons: merges in their order, a word, its tokens by BPE, and what the longest match would give. Say in a few sentences what decides,
# and why it is done this way. A person reads and grades this.

# %% [markdown] solution="words" points=4
# With the merges `o n` (rank 0) and `t o` (rank 1), *ton* becomes `t` and `on`. A longest match from the left would take `to` first and
# give `to` and `n`. What decides is the rank, that is, the order in which training learned the merges, and not the length.
# Encoding repeats on a word what training did to the corpus, where `o n` was merged before `t o` was counted; so words are
# cut as those of the corpus were.
#
# **Points.** 1: an example with merges and their order, a word, and its tokens by BPE, all right. 1: says what the longest match would give,
# and that it differs. 1: the rank decides (the order of training), not the length or the place. 1: why: encoding repeats training. Take
# one off where the tokens do not join to the word. An example from the lessons (*abc*, *lighthouses*) counts as none of their own.
