# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 6: build a tokenizer
#
# Ten tasks, {points} points. **Before this:** lessons `01_bpe_training` to `04_tiktoken` and `capstone_gpt2_tokenizer`.
#
# You build a complete byte-level tokenizer: pre-tokens, training, encoding, special tokens, decoding, streaming, and a file
# format. Each part resembles a step of the capstone, but one of its rules is different. Two of the rules depend on your id. Read
# the rules: your program is graded by them.
#
# - Write plain Python. You may use the standard library, for example `re` and `codecs`. A function that calls `tokenlab`,
#   `tiktoken` or `tokenizers` gets no points.
# - Where a list is expected, a tuple is accepted as well, and the other way round. Do not modify the arguments. No text contains
#   surrogates.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your function
#   fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save. If your course has no server for
#   submissions, write `from tokenlab.check.submission import hand_in` and `hand_in("assignment6.ipynb")` into a cell of your
#   own, save, and run it: it writes one file that you can submit.

# %% [markdown]
# ## Your id and your two rules
#
# Write the id under which you submit (on a hub, your login name), in quotes. Case and surrounding spaces make no difference. Then
# run the next three cells. The last one prints two rules that are **yours**: other students may have other rules. A function with
# the rules of another student gets no points for them. The task *With your own data* also takes its data from your id.
#
# *How it is checked:* the grader compares the id in this cell with the name under which the notebook was submitted. If they
# differ, your two rules and *With your own data* get no points until your instructor has looked at the notebook.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% locked="my_rules"
from tokenlab.check.student_id import variant_chooser

SENTENCES = {
    "smallest": "the smallest pair is merged (Python compares tuples of bytes)",
    "largest": "the largest pair is merged (Python compares tuples of bytes)",
    "shortest": "the pair with the shortest joined token is merged; if there is still a tie, the smallest pair",
    "longest": "the pair with the longest joined token is merged; if there is still a tie, the smallest pair",
    "after": "a special token absorbs one space directly after it",
    "before": "a special token absorbs one space directly before it",
}


def my_rules(student_id):
    """The names of two rules, derived from an id."""
    draw = variant_chooser(student_id)
    return {"ties": draw("smallest", "largest", "shortest", "longest"), "space": draw("after", "before")}


# %% locked="mine"
mine = my_rules(student_id)
print(f"Your rule for ties in training: of several pairs with the highest count, {SENTENCES[mine['ties']]}.")
print(f"Your rule for special tokens: {SENTENCES[mine['space']]}.")

# %% hidden="*"
import re
from math import inf
from course.course_seed import Random

from course.grading import grade, grade_answer, grade_class
from tokenlab.check.strategies import first_of
from tokenlab.check.student_id import check_same_student, variant_chooser
from tokenlab.check.trace_comparison import equal_values


def rules_of_the_student():
    """The two rules that belong to the id in the sheet."""
    student_id = sheet.get("student_id")
    check_same_student(student_id)
    draw = variant_chooser(student_id)
    return draw("smallest", "largest", "shortest", "longest"), draw("after", "before")


def as_letters(word):
    """A string with one character for each byte."""
    return word.decode("latin-1")


def right_words(text):
    word = r"[^\W\d_]+(?:'[^\W\d_]+)*"
    number = r"\d{1,3}(?=(?:\d{3})*(?!\d))"
    other = r"(?P<same>[^\w\s]|_)(?P=same)*"
    return [found[0] for found in re.finditer(rf"(?:{word}|{number}|{other}) ?|\s+", text)]


def rounds(word_counts, number, ties="smallest", overlaps=inf):
    """For each merge: the pair, and the pairs that have the highest count.

    Overlapping occurrences count if their joined token has at least `overlaps` bytes.
    """
    # Each symbol is one character of a string: `findall` counts without overlaps, and `replace` merges.
    words = [(as_letters(word), count) for word, count in word_counts.items()]
    names = {chr(byte): bytes([byte]) for byte in range(256)}
    for new in map(chr, range(256, 256 + number)):
        counts = {}
        for two in {word[place : place + 2] for word, _ in words for place in range(len(word) - 1)}:
            long = len(names[two[0]] + names[two[1]]) >= overlaps
            pattern = f"(?={re.escape(two)})" if long else re.escape(two)
            counts[two] = sum(len(re.findall(pattern, word)) * count for word, count in words)
        highest = max(counts.values(), default=0)
        if highest < 2:
            return
        tied = sorted((names[two[0]], names[two[1]], two) for two in counts if counts[two] == highest)
        lengths = [len(left + right) for left, right, _ in tied]
        place = {
            "smallest": 0,
            "largest": -1,
            "shortest": lengths.index(min(lengths)),
            "longest": lengths.index(max(lengths)),
        }[ties]
        left, right, two = tied[place]
        yield (left, right), len(tied)
        names[new] = left + right
        words = [(word.replace(two, new), count) for word, count in words]


def right_pairs(word_counts, number):
    return [pair for pair, _ in rounds(word_counts, number)]


def right_merges(word, pairs):
    # Each token is one character of the reversed word.
    names = {bytes([byte]): chr(byte) for byte in range(256)}
    backwards = as_letters(word)[::-1]
    for number, (left, right) in enumerate(pairs):
        names[left + right] = chr(256 + number)
        backwards = backwards.replace(names[right] + names[left], chr(256 + number))
    tokens = {letter: token for token, letter in names.items()}
    return [tokens[letter] for letter in reversed(backwards)]


def parts_by(space, text, special):
    if not special:
        return [(text, None)] if text else []
    tokens = "|".join(re.escape(token) for token in sorted(special, key=len, reverse=True))
    parts = re.split(f"((?:{tokens}) ?)" if space == "after" else f"( ?(?:{tokens}))", text)
    return [(part, part.strip(" ") if number % 2 else None) for number, part in enumerate(parts) if part]


def right_parts(text, special):
    return parts_by("after", text, special)


def absorbs_nothing(text, special):
    return parts_by("after", text, special) == parts_by("before", text, special)


def decoded(data):
    """The text of some bytes: at each place, the first 1 to 4 bytes that are a character."""
    parts, place = [], 0
    while place < len(data):
        ends = [end for end in range(place + 1, place + 5) if is_character(data[place:end])]
        if ends:
            parts.append(data[place : ends[0]].decode())
        elif parts[-1:] != [None]:
            parts.append(None)
        place = ends[0] if ends else place + 1
    return "".join("\N{REPLACEMENT CHARACTER}" if part is None else part for part in parts)


def is_character(data):
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


def id_lists(seed, tokens, unknown=0, most=7):
    """Ids and the bytes of their tokens, without end; some ids may be unknown."""
    random = Random(seed)
    while True:
        known = random.sample(range(100), len(tokens) + unknown)
        yield random.choices(known, k=random.randint(1, most)), dict(zip(known, tokens))


def learned_pairs(random, known, most):
    """At most some pairs, each of single bytes or of tokens of earlier pairs, no two with the same token."""
    known, pairs = list(known), []
    for _ in range(random.randint(0, most)):
        left, right = random.choice(known), random.choice(known)
        if left + right not in known:
            known.append(left + right)
            pairs.append((left, right))
    return pairs


def right_file(pairs):
    file = f"merges {len(pairs)}\n"
    for number in range(len(pairs), 0, -1):
        file += " ".join(part.hex() for part in pairs[number - 1]) + "\n"
    return file


def right_read(text):
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    rows = {number: line.split(" ") for number, line in enumerate(lines, 1) if line != "" and number > 1}
    wrong = [number for number, parts in rows.items() if len(parts) != 2 or not all(map(is_hexadecimal, parts))]
    if lines[0] != f"merges {len(rows)}" or wrong:
        return wrong[0] if lines[0] == f"merges {len(rows)}" else 1
    for number, parts in rows.items():
        made = {"".join(other) for below, other in rows.items() if below > number}
        if any(len(part) > 2 and part not in made for part in parts):
            return number
    return [tuple(map(bytes.fromhex, parts)) for parts in reversed(rows.values())]


def is_hexadecimal(part):
    return part != "" and len(part) % 2 == 0 and set(part) <= set("0123456789abcdef")


def complete(drawn):
    """Whether all bytes belong to complete characters."""
    ids, tokens = drawn
    return is_text(b"".join(tokens[id] for id in ids))


def is_text(data):
    return data.decode("utf-8", "ignore").encode() == data


# %% [markdown]
# ## 1. Another pattern ({points cut_words} points)
#
# Write `cut_words(text)`. It takes a `str` and returns the list of its pre-tokens (`str`). The joined pre-tokens are the text, and
# no pre-token is empty. The rules:
#
# - **Words.** A run of letters (`str.isalpha`) is one pre-token. A single apostrophe `'` **between two letters** belongs to the
#   word: `"don't"` is one pre-token. (GPT-2 splits it.) In `"a''b"` and `"'a'"`, the apostrophes are not between two letters.
# - **Numbers.** A run of digits (`str.isdecimal`) is divided into groups of three, counted **from the right**: `"12345"` gives
#   `["12", "345"]`.
# - **Other characters.** All characters that are not letters, digits or whitespace (`str.isspace`), and all other apostrophes. A run
#   of **the same** character is one pre-token: `"!!?"` gives `["!!", "?"]`.
# - **Spaces.** A space (`" "`) directly after a word, a number or other characters belongs to the pre-token **before** it. (In GPT-2, it
#   belongs to the next one.) Only one space does. Each run of whitespace that is left is one pre-token: `"a   b"` gives
#   `["a ", "  ", "b"]`, `" a"` gives `[" ", "a"]`, and `"a\nb"` gives `["a", "\n", "b"]`.
#
# <details><summary>Hint</summary>
#
# Either write one pattern for `re.finditer`, or give each character a kind and group neighbours with the same kind. The groups of a
# number: the first one has `len(run) % 3 or 3` digits.
#
# </details>


# %% solution="cut_words"
def cut_words(text):
    """Return the pre-tokens of a text."""
    ### BEGIN SOLUTION
    from itertools import groupby

    kinds = []
    for character in text:
        names = ("letter", character.isalpha()), ("digit", character.isdecimal()), ("space", character.isspace())
        kinds.append(next((name for name, fits in names if fits), character))
    for place in range(1, len(text) - 1):
        if kinds[place] == "'" and kinds[place - 1] == kinds[place + 1] == "letter":
            kinds[place] = "letter"
    pieces = []
    for kind, group in groupby(zip(kinds, text), key=lambda one: one[0]):
        run = "".join(character for _, character in group)
        if kind == "digit":
            first = len(run) % 3 or 3
            pieces += [run[:first], *(run[start : start + 3] for start in range(first, len(run), 3))]
            continue
        if kind == "space" and pieces and run[0] == " ":
            pieces[-1] += " "
            run = run[1:]
        pieces += [run] if run else []
    return pieces
    ### END SOLUTION
    return ...


# %% hidden="cut_words"
def texts_of(seed, *parts, most=8):
    """Texts of a few parts, without end."""
    random = Random(seed)
    while True:
        yield ("".join(random.choices(parts, k=random.randint(1, most))),)


def rule_between(two):
    """The rule that decides whether a pre-token ends between two characters."""
    if any(map(str.isspace, two)):
        return "spaces"
    if any(map(str.isdecimal, two)):
        return "numbers"
    return "words" if two.replace("'", "").isalpha() else "others"


def cuts_by(rule):
    """A reference: the text, the places at which a rule decides, and those of them at which a pre-token ends."""

    def right(text):
        places = {place for place in range(1, len(text)) if rule_between(text[place - 1 : place + 1]) == rule}
        return text, places, places & cuts_of(right_words(text))

    return right


def cuts_of(words):
    return {sum(map(len, words[:number])) for number in range(len(words))}


def same_cuts(given, right):
    text, places, cuts = right
    return "".join(given) == text and all(given) and places & cuts_of(given) == cuts


# %% tests="cut_words-words" points=1
### BEGIN HIDDEN TESTS
rule = "A run of letters is one pre-token, and a single apostrophe between two letters belongs to it."
sure = [("don't",), ("we'll",), ("'a'",), ("a'b'c",), ("été",), ("日本",), ("a''b",), ("a' b'!",)]
texts = texts_of(61, "a", "B", "é", "日", "'", "'s", " ", "!")
grade(sheet.get("cut_words"), cuts_by("words"), first_of(texts, 60), rule, sure, tried=60, same=same_cuts)
### END HIDDEN TESTS
assert list(cut_words("don't")) == ["don't"]
assert list(cut_words("'a'")) == ["'", "a", "'"]

# %% tests="cut_words-numbers" points=1
### BEGIN HIDDEN TESTS
rule = "A run of digits is divided into groups of three, counted from the right."
sure = [("12345",), ("123456",), ("1",), ("a1b",), ("1234",), ("12345678901234",), ("1.5",)]
texts = texts_of(62, "1", "23", "456", "٣", "a", " ", ".", "'")
grade(sheet.get("cut_words"), cuts_by("numbers"), first_of(texts), rule, sure, tried=40, same=same_cuts)
### END HIDDEN TESTS
assert list(cut_words("a12345")) == ["a", "12", "345"]

# %% tests="cut_words-others" points=1
### BEGIN HIDDEN TESTS
rule = "A run of the same other character is one pre-token, and a different character begins another one."
sure = [("!!?",), ("a_b",), ("__",), ("a...",), ("?!",), ("a''b",), ("a-b",), ("a’b",)]
texts = texts_of(63, "a", "!", "?", "..", "_", "🙂", " ", "1", "'", "-", "’")
grade(sheet.get("cut_words"), cuts_by("others"), first_of(texts), rule, sure, tried=40, same=same_cuts)
### END HIDDEN TESTS
assert list(cut_words("a!!?")) == ["a", "!!", "?"]

# %% tests="cut_words-spaces" points=2
### BEGIN HIDDEN TESTS
rule = "One space belongs to the pre-token before it; each run of whitespace that is left is one pre-token."
sure = [
    ("a b",),
    ("a  b",),
    ("a   b",),
    (" a",),
    ("  ",),
    ("a\nb",),
    ("a \n b",),
    ("a\n b",),
    ("! 1 a ",),
    ("1234 a",),
    ("",),
]
texts = texts_of(64, "a", "don't", "1", "12345", "!", "..", " ", " ", "  ", "\n", "\t", "\u3000")
grade(sheet.get("cut_words"), cuts_by("spaces"), first_of(texts, 60), rule, sure, tried=60, same=same_cuts)
### END HIDDEN TESTS
assert list(cut_words("go to  1")) == ["go ", "to ", " ", "1"]

# %% [markdown]
# ## 2. Training ({points learn_pairs} points)
#
# Write `learn_pairs(word_counts, number)`. `word_counts` is a dictionary from words (`bytes`) to their counts (positive
# integers). It returns the list of the first `number` pairs that training merges, in order. A pair is a tuple of two `bytes` objects.
# At first, each word is split into single bytes. The rules:
#
# - **Counting.** The count of a pair is the number of its occurrences in all words; each occurrence counts as often as its word.
#   Occurrences that **overlap** count only once: count from left to right, as a merge would. In the word `b"aaa"`, the pair
#   `(b"a", b"a")` occurs once, and in `b"aaaa"` twice. (In the capstone, it occurs twice and three times.)
# - **Merging.** The pair with the highest count is joined in all words, from left to right. Then everything is counted again.
# - **Ties.** If several pairs have the highest count, **your** rule decides. It is printed at the top. For example, of `(b"a", b"bc")`,
#   `(b"b", b"a")` and `(b"c", b"a")`, the first is the smallest, the last is the largest, the first has the longest
#   joined token, `b"abc"`, and the second is the smallest of those with the shortest joined token.
# - **The end.** A pair that occurs only once is never merged: training stops if the highest count is below 2, or if no pair is left.
#   Then the list is shorter than `number`.
#
# Example: `{b"abab": 1, b"ab": 1}` and 5 give `[(b"a", b"b")]`.
#
# <details><summary>Hint</summary>
#
# While you count in a word, remember for each pair where its last counted occurrence ends. An occurrence that starts before that end
# does not count.
#
# </details>


# %% solution="learn_pairs"
def learn_pairs(word_counts, number):
    """Return the first pairs that training merges."""
    ### BEGIN SOLUTION
    words = [([bytes([byte]) for byte in word], count) for word, count in word_counts.items()]
    pairs = []
    while len(pairs) < number:
        counts = {}
        for symbols, count in words:
            free = {}
            for place, pair in enumerate(zip(symbols, symbols[1:])):
                if place >= free.get(pair, 0):
                    counts[pair] = counts.get(pair, 0) + count
                    free[pair] = place + 2
        highest = max(counts.values(), default=0)
        if highest < 2:
            break
        tied = sorted(pair for pair in counts if counts[pair] == highest)
        best = tied[-1] if mine["ties"] == "largest" else tied[0]
        if mine["ties"] == "longest":
            best = max(tied, key=lambda pair: len(pair[0] + pair[1]))
        if mine["ties"] == "shortest":
            best = min(tied, key=lambda pair: len(pair[0] + pair[1]))
        pairs.append(best)
        for symbols, _ in words:
            place = 0
            while place < len(symbols) - 1:
                if (symbols[place], symbols[place + 1]) == best:
                    symbols[place : place + 2] = [best[0] + best[1]]
                place += 1
    return pairs
    ### END SOLUTION
    return ...


# %% hidden="learn_pairs"
import re


def learnable(seed, letters, fits, most_words=3, longest=6, most=4, counts=(1, 2, 3)):
    """Words with counts, and a number of pairs, for which a condition holds, without end."""
    random = Random(seed)
    while True:
        words = [
            "".join(random.choices(letters, k=random.randint(1, longest))) for _ in range(random.randint(1, most_words))
        ]
        drawn = {word.encode(): random.choice(counts) for word in words}, random.randint(1, most)
        if fits(*drawn):
            yield drawn


def tied(word_counts, number):
    return any(tied > 1 for _, tied in rounds(word_counts, number))


def overlapping(word_counts, number):
    """Whether it matters that overlapping occurrences count once."""
    right = [*rounds(word_counts, number)]
    return any([*rounds(word_counts, number, overlaps=least)] != right for least in (0, 3))


def overcounted(word_counts, number):
    """The pairs if overlapping occurrences of single bytes count once, but those of longer tokens each time."""
    return [pair for pair, _ in rounds(word_counts, number, overlaps=3)]


def first_overcounted(word_counts, number):
    """Whether the last pair is the first one for which that matters, and neither ties nor directions of merging do."""
    right, wrong = ([*rounds(word_counts, number, overlaps=least)] for least in (inf, 3))
    clear = len(right) == number and all(tied == 1 for _, tied in [*right, *wrong])
    clear = clear and all(first != second for (first, second), _ in right[:-1])
    return clear and right[:-1] == wrong[:-1] and right[-1] != wrong[-1]


def differs(given, wrong):
    return not equal_values(given, wrong)


def stops(word_counts, number):
    return len(right_pairs(word_counts, number)) < number


def three_times(word_counts):
    """Whether a word has something three times in a row, so that merging from the right gives other tokens."""
    return any(re.search(rb"(.+)\1\1", word) for word in word_counts)


# %% tests="learn_pairs-counting" points=2
### BEGIN HIDDEN TESTS
rule = "Each occurrence counts as often as its word, but of overlapping occurrences, counted from the left, only one counts."
counted = learnable(
    65, "abc", lambda *drawn: not tied(*drawn) and not stops(*drawn) and overlapping(*drawn), counts=(2, 3, 5), most=1
)
sure = [({b"aaa": 2, b"ab": 3}, 1), ({b"aaaa": 2, b"bc": 3}, 1), ({b"ab": 9, b"bcd": 5, b"bce": 6}, 1)]
grade(sheet.get("learn_pairs"), right_pairs, first_of(counted, 60), rule, sure, tried=60)
longer = learnable(650, ["ab", "abab", "abcabc", "c", "d"], first_overcounted, longest=4)
sure = [({b"ababab": 2, b"xy": 3}, 2), ({b"abcabcabc": 2, b"ab": 1, b"xy": 3}, 3)]
grade(sheet.get("learn_pairs"), overcounted, first_of(longer, 20), rule, sure, tried=20, same=differs)
### END HIDDEN TESTS
assert [tuple(pair) for pair in learn_pairs({b"aaa": 2, b"ab": 3}, 1)] == [(b"a", b"b")]

# %% tests="learn_pairs-merging" points=1
### BEGIN HIDDEN TESTS
rule = "A pair is joined wherever it occurs, from left to right, and then everything is counted again."
merging = learnable(
    66,
    "aabé",
    lambda *drawn: not tied(*drawn) and not stops(*drawn) and not overlapping(*drawn),
    counts=(2, 3, 5),
    longest=8,
    most=7,
)
sure = [({b"aaab": 2, b"aad": 3}, 2), ({b"abab": 2, b"cab": 3}, 2), ({b"aaa": 3}, 2), ({b"ab": 2}, 0)]
sure += [({"éé".encode(): 2, b"ab": 3}, 2), ({b"ab": 7, b"cd": 6, b"ef": 5, b"gh": 4, b"ij": 3, b"kl": 2}, 6)]
grade(sheet.get("learn_pairs"), right_pairs, first_of(merging, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert [tuple(pair) for pair in learn_pairs({b"abc": 3, b"ab": 1}, 2)] == [(b"a", b"b"), (b"ab", b"c")]

# %% tests="learn_pairs-ties" points=2
### BEGIN HIDDEN TESTS
ties, _ = rules_of_the_student()
rule = f"Of several pairs with the highest count, {sheet.get('SENTENCES')[ties]}."


def right_ties(word_counts, number):
    return [pair for pair, _ in rounds(word_counts, number, ties)]


def decided(word_counts, number):
    """Whether all four rules for ties stop at the same place, and three of them give other pairs."""
    four = [
        [pair for pair, _ in rounds(word_counts, number, name)]
        for name in ("smallest", "largest", "shortest", "longest")
    ]
    others = [pairs for pairs in four if pairs != right_ties(word_counts, number)]
    simple = not overlapping(word_counts, number) and not three_times(word_counts)
    return {*map(len, four)} == {number} and len(others) >= 2 and simple


decisive = learnable(67, "abcd", decided, counts=(2, 3), most=3)
sure = [({b"ab": 2, b"dc": 2}, 1), ({b"dc": 2, b"ab": 2}, 1), ({b"bc": 3, b"abc": 2, b"db": 2}, 2)]
sure += [({b"bc": 10, b"ab": 6, b"abc": 3, b"aba": 3}, 3)]
grade(sheet.get("learn_pairs"), right_ties, first_of(decisive, 60), rule, sure, tried=60)
### END HIDDEN TESTS
learned = [tuple(pair) for pair in learn_pairs({b"ab": 2, b"dc": 2}, 1)]
assert learned == [(b"d", b"c") if mine["ties"] == "largest" else (b"a", b"b")]

# %% tests="learn_pairs-end" points=1
### BEGIN HIDDEN TESTS
rule = "A pair that occurs only once is not merged; training stops there, or when no pair is left."
few = learnable(
    68,
    "abc",
    lambda *drawn: not tied(*drawn) and stops(*drawn) and not overlapping(*drawn) and not three_times(drawn[0]),
    counts=(1, 1, 2),
    longest=4,
)
sure = [({}, 3), ({b"ab": 1}, 1), ({b"ab": 2}, 3), ({b"a": 5}, 2), ({b"ab": 2, b"abc": 1}, 3), ({b"abab": 1}, 3)]
sure += [({b"abab": 2}, 3), ({b"acac": 2}, 4)]
grade(sheet.get("learn_pairs"), right_pairs, first_of(few), rule, sure, tried=40)
### END HIDDEN TESTS
assert [tuple(pair) for pair in learn_pairs({b"abab": 1, b"ab": 1}, 5)] == [(b"a", b"b")]

# %% [markdown]
# ## 3. Encode from the right ({points merge_word} points)
#
# Write `merge_word(word, pairs)`. It takes a word (`bytes`) and a list of pairs, as `learn_pairs` returns them, and returns the list
# of its tokens (`bytes`). At first, each byte is a separate token. The rules:
#
# - **Rank.** Of all pairs in the list that occur among neighbours, the one that comes **first in the list** is merged. Then the search starts
#   again, until no pair in the list occurs.
# - **From the right.** A pair is merged at all its occurrences, **from right to left**, and each token is used once. With the pair
#   `(b"a", b"a")`, the word `b"aaa"` gives `[b"a", b"aa"]`. (In the capstone, it gives `[b"aa", b"a"]`.)
# - **Only pairs.** Only a pair in the list makes a token. With the pairs `(b"b", b"c")`, `(b"a", b"b")` and `(b"ab", b"c")`, the word
#   `b"abc"` gives `[b"a", b"bc"]`: the pair `(b"a", b"bc")` is not in the list, although `b"abc"` is the token of another pair.
#
# The parts of each pair are single bytes or were made by earlier pairs, and no two pairs make the same token. The word may be empty.
#
# <details><summary>Hint</summary>
#
# A loop whose index starts at `len(tokens) - 2` and decreases. After a merge, `tokens[place : place + 2]` is one token.
#
# </details>


# %% solution="merge_word"
def merge_word(word, pairs):
    """Return the tokens of a word."""
    ### BEGIN SOLUTION
    tokens = [bytes([byte]) for byte in word]
    while True:
        neighbours = set(zip(tokens, tokens[1:]))
        first = next((tuple(pair) for pair in pairs if tuple(pair) in neighbours), None)
        if first is None:
            return tokens
        for place in range(len(tokens) - 2, -1, -1):
            if tuple(tokens[place : place + 2]) == first:
                tokens[place : place + 2] = [first[0] + first[1]]
    ### END SOLUTION
    return ...


# %% hidden="merge_word"
def from_the_left(word, pairs):
    tokens = [bytes([byte]) for byte in word]
    for left, right in pairs:
        place = 0
        while place < len(tokens) - 1:
            if tokens[place : place + 2] == [left, right]:
                tokens[place : place + 2] = [left + right]
            place += 1
    return tokens


def mergeable(seed, letters, fits, most=8, longest=12):
    """Words, and pairs of which each could have been learned after the ones before, without end."""
    random = Random(seed)
    while True:
        pairs = learned_pairs(random, map(str.encode, letters), most)
        known = [*map(str.encode, letters), *(left + right for left, right in pairs)]
        word = b""
        while len(word) < 2 or random.random() < 0.6:
            word += random.choice(known)
        if len(word) <= longest and fits(word, pairs):
            yield word, pairs


def one_direction(word, pairs):
    """Whether merging from the left gives the same, and something is merged."""
    return right_merges(word, pairs) == from_the_left(word, pairs) and len(right_merges(word, pairs)) < len(word)


# %% tests="merge_word-rank" points=2
### BEGIN HIDDEN TESTS
rule = "Of all pairs that occur, the one that comes first in the list is merged, wherever it is; only pairs in the list make a token."
ranked = mergeable(69, "abc", one_direction)
sure = [
    (b"abc", [(b"b", b"c"), (b"a", b"b")]),
    (b"abc", [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")]),
    (b"abcd", [(b"a", b"b"), (b"c", b"d"), (b"b", b"c"), (b"ab", b"cd")]),
    (b"abc", [(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")]),
]
grade(sheet.get("merge_word"), right_merges, first_of(ranked, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert list(merge_word(b"abc", [(b"b", b"c"), (b"a", b"b")])) == [b"a", b"bc"]

# %% tests="merge_word-right" points=2
### BEGIN HIDDEN TESTS
rule = "A pair is merged at all its occurrences, from right to left, and each token is used once."
repeated = mergeable(70, "ab", lambda *drawn: not one_direction(*drawn) and len(right_merges(*drawn)) < len(drawn[0]))
sure = [(b"aaa", [(b"a", b"a")]), (b"aaaaa", [(b"a", b"a"), (b"aa", b"aa")]), (b"abab", [(b"a", b"b")])]
sure += [(b"aaab", [(b"a", b"a"), (b"a", b"b")]), (b"bbba", [(b"b", b"b"), (b"b", b"a")])]
grade(sheet.get("merge_word"), right_merges, first_of(repeated, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert list(merge_word(b"aaa", [(b"a", b"a")])) == [b"a", b"aa"]

# %% tests="merge_word-alone" points=1
### BEGIN HIDDEN TESTS
rule = "A byte that is in no pair stays a separate token; an empty word has no tokens."
alone = mergeable(71, "abc", lambda word, pairs: len(right_merges(word, pairs)) == len(word))
sure = [(b"", []), (b"", [(b"a", b"b")]), (b"a", []), (b"ba", [(b"a", b"b")]), ("é".encode(), [(b"a", b"b")])]
grade(sheet.get("merge_word"), right_merges, first_of(alone), rule, sure, tried=40)
### END HIDDEN TESTS
assert list(merge_word(b"ba", [(b"a", b"b")])) == [b"b", b"a"]

# %% [markdown]
# ## 4. Special tokens that absorb a space ({points cut_special} points)
#
# Write `cut_special(text, special)`. `special` is a list of special tokens (`str`), possibly empty; a special token is not empty and contains no whitespace.
# It returns a list of pairs `(part, token)`: the parts of the text in order, and for each part the special token, or `None` for a part
# without one. The joined parts are the text, and no part is empty. The rules:
#
# - **Matching.** The special token that starts furthest to the left is a separate part. If several start at the same position, the
#   longest is used. Matches do not overlap. With `["<a>", "<a><b>"]`, the text `"x<a><b>"` gives `[("x", None), ("<a><b>", "<a><b>")]`.
# - **Spaces.** A special token absorbs **one** space (`" "`), if there is one directly on one side. **Your** rule at the top says on which
#   side: directly **after** the token or directly **before** it. The space belongs to the part, but not to the token: the part is `"<a> "` or
#   `" <a>"`, and the token is `"<a>"`. In `"x  <a>  y"`, one of the four spaces is absorbed. A tab or a line feed is never absorbed.
# - **Ordinary text.** All the text between special tokens is one part, with `None`. A special token is compared as text: a `|` in it is just
#   a character. Without special tokens, the whole text is one part; an empty text has no parts.
#
# <details><summary>Hint</summary>
#
# `re.split` with a group in the pattern also returns the matched text. `re.escape` converts a token to a pattern.
#
# </details>


# %% solution="cut_special"
def cut_special(text, special):
    """Split a text at special tokens; return pairs of a part and its special token, or None."""
    ### BEGIN SOLUTION
    parts, start, place = [], 0, 0
    while place < len(text):
        token = max((token for token in special if text.startswith(token, place)), key=len, default=None)
        if token is None:
            place += 1
            continue
        first, place = place, place + len(token)
        if mine["space"] == "after" and text[place : place + 1] == " ":
            place += 1
        if mine["space"] == "before" and first > start and text[first - 1] == " ":
            first -= 1
        parts += [(text[start:first], None), (text[first:place], token)]
        start = place
    return [(part, token) for part, token in [*parts, (text[start:], None)] if part]
    ### END SOLUTION
    return ...


# %% hidden="cut_special"
def with_specials(seed, parts, specials, most=8):
    """Texts of a few parts, and some special tokens in any order, without end."""
    random = Random(seed)
    while True:
        yield (
            "".join(random.choices(parts, k=random.randint(1, most))),
            random.sample(specials, random.randint(1, len(specials))),
        )


# %% tests="cut_special-matching" points=2
### BEGIN HIDDEN TESTS
rule = "The special token that starts furthest to the left is used, and of several at the same position, the longest; matches do not overlap."
matched = with_specials(
    72, ["<a>", "<a><b>", "<A>", "x", "b>", "<", "ab", "bc"], ["<a>", "<a><b>", "<b>", "ab", "bcx", "abc"]
)
sure = [("x<a><b>", ["<a>", "<a><b>"]), ("x<a><b>", ["<a><b>", "<a>"]), ("abcx", ["bcx", "ab"]), ("<a>", ["<a>"])]
sure += [("<A>", ["<a>"])]
grade(sheet.get("cut_special"), right_parts, first_of(matched, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert [tuple(one) for one in cut_special("x<a><b>", ["<a>", "<a><b>"])] == [("x", None), ("<a><b>", "<a><b>")]

# %% tests="cut_special-space" points=2
### BEGIN HIDDEN TESTS
_, space = rules_of_the_student()
rule = f"One space and no other whitespace is absorbed, and it belongs to the part: {sheet.get('SENTENCES')[space]}."


def right_spaces(text, special):
    return parts_by(space, text, special)


spaced = with_specials(73, ["<a>", "<b>", "x", " ", " ", "  ", "\t", "\n", "\xa0"], ["<a>", "<b>"])
sure = [
    ("x <a> y", ["<a>"]),
    ("x  <a>  y", ["<a>"]),
    ("<a> <a>", ["<a>"]),
    (" <a> ", ["<a>"]),
    ("x\t<a>\ty", ["<a>"]),
    ("x\n<a>\ny", ["<a>"]),
    ("x\xa0<a>\xa0y", ["<a>"]),
]
grade(sheet.get("cut_special"), right_spaces, first_of(spaced, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert [part for part, _ in cut_special("x <a> y", ["<a>"])] == (
    ["x ", "<a> ", "y"] if mine["space"] == "after" else ["x", " <a>", " y"]
)

# %% tests="cut_special-text" points=1
### BEGIN HIDDEN TESTS
rule = "All ordinary text between special tokens is one part with None; no part is empty, and special tokens are no patterns."
ordinary = with_specials(74, ["x", "y", "<|e|>", "e", "(", ".", "a.b"], ["<|e|>", "(", "a.b", "["])
sure = [("xy", []), ("", []), ("", ["<a>"]), ("x e y", ["<|e|>"]), ("axb", ["a.b"]), ("((", ["("]), ("x", ["<a>"])]
grade(sheet.get("cut_special"), right_parts, first_of(ordinary), rule, sure, tried=40)
### END HIDDEN TESTS
assert [tuple(one) for one in cut_special("one e two", ["<|e|>"])] == [("one e two", None)]

# %% [markdown]
# ## 5. Decode with one U+FFFD per run ({points ids_to_text} points)
#
# Write `ids_to_text(ids, tokens)`. It takes a list of ids (integers) and `tokens`, a dictionary from ids to `bytes`. It returns the text
# (`str`). The rules:
#
# - **Characters.** The bytes of all tokens are joined, and UTF-8 characters are decoded. One character may be divided between several
#   tokens: `[0, 1]` and `{0: b"\xc3", 1: b"\xa9"}` give `"é"`.
# - **Runs.** A byte is **undecodable** if it belongs to no complete UTF-8 character. Each run of undecodable bytes, however long, becomes
#   **one** U+FFFD (`"\ufffd"`, �): `b"a\xff\xe6\x97b"` becomes `"a\ufffdb"`. (`bytes.decode` with `replace` makes two of them.)
# - **The character � itself.** The bytes `b"\xef\xbf\xbd"` are a complete character, `"\ufffd"`. It stays as it is: two of them are two
#   characters.
# - **Unknown ids.** An id that is not in `tokens` counts as one undecodable byte, such as `b"\xff"`, which occurs in no character. With `{0: b"a", 1: b"\xff"}`, the ids
#   `[0, 7, 1, 0]` give `"a\ufffda"`.
#
# <details><summary>Hint</summary>
#
# The error handler `surrogateescape` decodes each undecodable byte to one surrogate, a character from U+DC80 to U+DCFF.
#
# </details>


# %% solution="ids_to_text"
def ids_to_text(ids, tokens):
    """Return the text of some ids, with one U+FFFD for each run of undecodable bytes."""
    ### BEGIN SOLUTION
    import re

    data = b"".join(tokens.get(id, b"\xff") for id in ids)
    return re.sub(r"[\udc80-\udcff]+", "\ufffd", data.decode("utf-8", "surrogateescape"))
    ### END SOLUTION
    return ...


# %% hidden="ids_to_text"
def right_text(ids, tokens):
    return decoded(b"".join(tokens.get(id, b"\xff") for id in ids))


# %% tests="ids_to_text-characters" points=1
### BEGIN HIDDEN TESTS
rule = "The bytes of all tokens are joined before they are decoded."
whole = filter(complete, id_lists(75, [b"a", b"\xc3", b"\xa9", b"\xe6\x97", b"\xa5", b"b\xf0\x9f", b"\x99\x82"]))
sure = [([0, 1], {0: b"\xc3", 1: b"\xa9"}), ([], {}), ([2, 1], {1: b"b", 2: b"a"})]
grade(sheet.get("ids_to_text"), right_text, first_of(whole), rule, sure, tried=40)
### END HIDDEN TESTS
assert ids_to_text([0, 1], {0: b"\xc3", 1: b"\xa9"}) == "é"

# %% tests="ids_to_text-runs" points=2
### BEGIN HIDDEN TESTS
rule = "Each run of undecodable bytes becomes one U+FFFD; complete characters next to it are kept."
torn = [
    b"a",
    b"\xff",
    b"\xe6\x97",
    b"\xa5",
    b"\xc3\xa9",
    b"\xf0\x9f",
    b"\xed\xa0\x80",
    b"\xc1\xa1",
    b"\xf4\x90\x80\x80",
]
sure = [([0], {0: b"a\xff\xe6\x97b"}), ([0, 0], {0: b"\xff"}), ([0, 1], {0: b"\xe6\x97", 1: b"\xe6\x97\xa5"})]
sure += [([0], {0: b"\xc1\xa1"})]
grade(sheet.get("ids_to_text"), right_text, first_of(id_lists(76, torn), 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert ids_to_text([0], {0: b"a\xff\xe6\x97b"}) == "a\ufffdb"

# %% tests="ids_to_text-own" points=1
### BEGIN HIDDEN TESTS
rule = (
    "The bytes EF BF BD are a complete character, so each of them stays, next to others and next to undecodable bytes."
)
own = filter(complete, id_lists(77, [b"a", b"\xef\xbf\xbd", b"\xef", b"\xbf\xbd", b"\xef\xbf\xbd\xef\xbf\xbd"]))
sure = [([0, 0], {0: b"\xef\xbf\xbd"}), ([0, 1, 0], {0: b"\xef\xbf\xbd", 1: b"\xff"})]
grade(sheet.get("ids_to_text"), right_text, first_of(own), rule, sure, tried=40)
### END HIDDEN TESTS
assert ids_to_text([0, 0], {0: b"\xef\xbf\xbd"}) == "\ufffd\ufffd"

# %% tests="ids_to_text-unknown" points=1
### BEGIN HIDDEN TESTS
rule = "An id that is not in the table counts as one undecodable byte, and belongs to the run next to it."
texts = id_lists(78, [b"a", b"\xff", b"\xc3", b"\xa9"], unknown=2)
unknown = ((ids, tokens) for ids, tokens in texts if not {*ids} <= {*tokens})
sure = [
    ([2], {1: b"a", 3: b"b"}),
    ([0, 7, 1, 0], {0: b"a", 1: b"\xff"}),
    ([7], {}),
    ([0, 7, 1], {0: b"\xc3", 1: b"\xa9"}),
]
grade(sheet.get("ids_to_text"), right_text, first_of(unknown), rule, sure, tried=40)
### END HIDDEN TESTS
assert ids_to_text([0, 7, 0], {0: b"a"}) == "a\ufffda"

# %% [markdown]
# ## 6. A stream of whole words ({points shown_words} points)
#
# A chat program receives one id after another. Here it shows only **whole words**. Write `shown_words(ids, tokens)`, with ids and tokens as
# in task 5; each id is in `tokens`. It returns a list with one text for each id, the text that is shown when this id arrives, and one more text
# for the end. The rules:
#
# - **Words.** The bytes that arrive are held. Everything up to and including the **last** space or line feed (`b" "` or `b"\n"`) is shown; the
#   bytes after it wait. Other whitespace, such as a tab, does not end a word. With `{0: b"an", 1: b" old c", 2: b"at"}`, the ids `[0, 1, 2]`
#   give `["", "an old ", "", "cat"]`.
# - **Characters.** What is shown is decoded as in task 5. A character may be divided between several tokens.
# - **Runs.** A run of undecodable bytes becomes one `"\ufffd"`, even if its bytes arrived with different ids.
# - **The end.** The last text of the list is all that is still held, or `""`. Without ids, the list is `[""]`.
#
# <details><summary>Hint</summary>
#
# In UTF-8, the bytes of a space and a line feed occur in no other character. `bytes.rfind` finds the last one, and returns `-1` if there is
# none.
#
# </details>


# %% solution="shown_words"
def shown_words(ids, tokens):
    """Return the text that is shown for each id, and at the end."""
    ### BEGIN SOLUTION
    import re

    shown, held = [], b""
    for id in [*ids, None]:
        held += b"" if id is None else tokens[id]
        end = len(held) if id is None else max(held.rfind(b" "), held.rfind(b"\n")) + 1
        text = held[:end].decode("utf-8", "surrogateescape")
        shown.append(re.sub(r"[\udc80-\udcff]+", "\ufffd", text))
        held = held[end:]
    return shown
    ### END SOLUTION
    return ...


# %% hidden="shown_words"
def right_shown(ids, tokens):
    shown, before = [], 0
    for number in range(1, len(ids) + 1):
        data = b"".join(tokens[id] for id in ids[:number])
        words = [found.end() for found in re.finditer(rb"[ \n]", data)]
        now = max(words, default=0)
        shown.append(decoded(data[before:now]))
        before = now
    return [*shown, decoded(b"".join(tokens[id] for id in ids)[before:])]


def ends_with_a_space(drawn):
    ids, tokens = drawn
    return tokens[ids[-1]].endswith(b" ")


def same_rest(given, right):
    """Whether the last text is right, if there is one."""
    return given[-1] in ("", right[-1])


# %% tests="shown_words-words" points=2
### BEGIN HIDDEN TESTS
rule = "Everything up to and including the last space or line feed is shown; the bytes after it wait."
words = filter(ends_with_a_space, id_lists(79, [b"a", b"b ", b" c", b"\n", b"a b c", b"a b\nc", b"\t", b"\r", b" "]))
sure = [([0, 1], {0: b"a", 1: b" b c "}), ([0, 1], {0: b"a\nb", 1: b" "}), ([0, 1], {0: b"a\tb", 1: b" "})]
sure += [([0, 1], {0: b"a\rb", 1: b" "}), ([0, 1], {0: b"a b\nc", 1: b" "})]
grade(sheet.get("shown_words"), right_shown, first_of(words, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert list(shown_words([0, 1], {0: b"an", 1: b" old c"}))[:2] == ["", "an old "]

# %% tests="shown_words-characters" points=1
### BEGIN HIDDEN TESTS
rule = "The bytes of a character may arrive with different ids; the word is decoded when it is shown."
parts = [b"a", b"\xc3", b"\xa9", b"\xe6\x97", b"\xa5", b"\xa5 ", b" "]
split = (one for one in id_lists(80, parts) if complete(one) and ends_with_a_space(one))
sure = [([0, 1, 2], {0: b"\xc3", 1: b"\xa9", 2: b" "}), ([0, 1], {0: b"\xe6\x97", 1: b"\xa5 "})]
grade(sheet.get("shown_words"), right_shown, first_of(split), rule, sure, tried=40)
### END HIDDEN TESTS
assert list(shown_words([0, 1], {0: b"\xc3", 1: b"\xa9 "})) == ["", "é ", ""]

# %% tests="shown_words-runs" points=1
### BEGIN HIDDEN TESTS
rule = "A run of undecodable bytes becomes one U+FFFD, even if its bytes arrived with different ids."
parts = [b"a", b"\xff", b"\xff\xfe", b"\xe6\x97", b"\xef\xbf\xbd", b" "]
torn = filter(ends_with_a_space, id_lists(81, parts))
sure = [([0, 0, 1], {0: b"\xff", 1: b" "}), ([0, 1], {0: b"\xff\xe6\x97", 1: b"a "})]
grade(sheet.get("shown_words"), right_shown, first_of(torn), rule, sure, tried=40)
held = (one for one in id_lists(810, parts) if not ends_with_a_space(one))
sure = [([0, 0], {0: b"\xff"})]
grade(sheet.get("shown_words"), right_shown, first_of(held), rule, sure, tried=40, same=same_rest)
### END HIDDEN TESTS
assert list(shown_words([0, 0, 1], {0: b"\xff", 1: b" "})) == ["", "", "\ufffd ", ""]

# %% tests="shown_words-end" points=1
### BEGIN HIDDEN TESTS
rule = "The list has one text more than there are ids: all that is still held at the end, or an empty text."
held = (one for one in id_lists(82, [b"a", b"b c", b" "]) if not ends_with_a_space(one))
sure = [([], {}), ([0], {0: b"a"}), ([0], {0: b"a "}), ([0], {0: b"a\xc3"})]
grade(sheet.get("shown_words"), right_shown, first_of(held), rule, sure, tried=40)
### END HIDDEN TESTS
assert list(shown_words([0], {0: b"cat"})) == ["", "cat"]
assert list(shown_words([], {})) == [""]

# %% [markdown]
# ## 7. A file of merges ({points pairs_to_file} + {points file_to_pairs} points)
#
# Write `pairs_to_file(pairs)`. It takes a list of pairs, as `learn_pairs` returns them, and returns the text of a file (`str`). The rules:
#
# - **Header.** The first line is `merges`, a space, and the number of pairs in decimal digits.
# - **Order.** Then there is one line for each pair, the **last** pair first. (The file of the capstone begins with the first token.)
# - **Lines.** A line has the bytes of the left part in hexadecimal digits (`bytes.hex`), one space, and the bytes of the right part. Each line
#   of the file ends with `"\n"`.
#
# Example: `[(b"h", b"i"), (b"hi", b"!")]` gives `"merges 2\n6869 21\n68 69\n"`.
#
# The second function is `file_to_pairs(text)`. It takes the text of a file. If the file is correct, it returns the list of pairs in the original order.
# If the file has a mistake, it returns the **number of the wrong line** (an integer, counted from 1) instead of a list. The rules:
#
# - **Lines** end with `"\n"` or `"\r\n"`, and the last one may have no line end. Empty lines are skipped, except the first line of the file,
#   but they count in the numbers of the lines.
# - **Header.** The first line must be exactly `merges`, a space, and the number of lines after it that are not empty. Otherwise line 1 is wrong.
# - **Pairs.** Every other line must have two parts with exactly one space between them. Each part has an even number of hexadecimal digits, at
#   least two: `0` to `9` and `a` to `f`.
# - **Known parts.** A part of one byte is always known. A longer part must be the joined token of an earlier pair, which is a line **further down**. If a
#   part is not known, its line is wrong.
#
# No file has more than one mistake.
#
# <details><summary>Hint</summary>
#
# Read the lines from the last to the first, and collect the known tokens in a set. `bytes.fromhex` also accepts spaces, so check the digits first.
#
# </details>


# %% solution="pairs_to_file"
def pairs_to_file(pairs):
    """Return the text of a file with these pairs."""
    ### BEGIN SOLUTION
    lines = [f"merges {len(pairs)}", *(f"{left.hex()} {right.hex()}" for left, right in reversed(pairs))]
    return "".join(f"{line}\n" for line in lines)
    ### END SOLUTION
    return ...


# %% hidden="pairs_to_file"
def lists_of_pairs(seed, most, least=0):
    """Lists of pairs, each of which could have been learned after the ones before, without end."""
    random = Random(seed)
    while True:
        pairs = learned_pairs(random, [b"a", b"b", b"\x00", b"\xff"], most)
        if len(pairs) >= least:
            yield (pairs,)


def same_lines(given, right):
    """Whether the file has the same header and, in any order, the same other lines."""
    (given, *lines), (right, *others) = (file.splitlines(keepends=True) for file in (given, right))
    return given == right and sorted(lines) == sorted(others)


def same_order(given, right):
    """Whether the lines of the pairs have the same order."""
    given, right = ([line for line in file.lower().splitlines() if "merges" not in line] for file in (given, right))
    return given == right


# %% tests="pairs_to_file-lines" points=1
### BEGIN HIDDEN TESTS
rule = "The first line is the header with the number of pairs; a pair is a line with two parts in hexadecimal digits and one space between them; each line ends with a line feed."
sure = [([],), ([(b"a", b"b")],), ([(b"\x00", b"\xff")],)]
pairs = lists_of_pairs(83, 12)
grade(sheet.get("pairs_to_file"), right_file, first_of(pairs), rule, sure, tried=40, same=same_lines)
### END HIDDEN TESTS
assert pairs_to_file([(b"h", b"i")]) == "merges 1\n68 69\n"

# %% tests="pairs_to_file-order" points=1
### BEGIN HIDDEN TESTS
rule = "The last pair comes first, directly after the header, and the first pair comes last."
sure = [([(b"h", b"i"), (b"hi", b"!")],)]
grade(
    sheet.get("pairs_to_file"), right_file, first_of(lists_of_pairs(84, 12, 2)), rule, sure, tried=40, same=same_order
)
### END HIDDEN TESTS
file = pairs_to_file([(b"h", b"i"), (b"hi", b"!")])
assert file.index("6869 21") < file.index("68 69")


# %% solution="file_to_pairs"
def file_to_pairs(text):
    """Return the pairs of a file, or the number of its wrong line."""
    ### BEGIN SOLUTION
    import re

    lines = text.replace("\r\n", "\n").split("\n")
    rows = [(number, line) for number, line in enumerate(lines, 1) if line and number > 1]
    if lines[0] != f"merges {len(rows)}":
        return 1
    pairs, known = [], set()
    for number, line in reversed(rows):
        if not re.fullmatch("([0-9a-f]{2})+ ([0-9a-f]{2})+", line):
            return number
        left, right = (bytes.fromhex(part) for part in line.split(" "))
        if any(len(part) > 1 and part not in known for part in (left, right)):
            return number
        known.add(left + right)
        pairs.append((left, right))
    return pairs
    ### END SOLUTION
    return ...


# %% hidden="file_to_pairs"
def files_of(seed, most=6, ends=("\n",), empty=(0,)):
    """Files without a mistake, without end."""
    random = Random(seed)
    while True:
        lines = right_file(learned_pairs(random, [b"a", b"b", b"\xff"], most)).splitlines()
        for place in sorted(random.choices(range(1, len(lines) + 1), k=random.choice(empty)), reverse=True):
            lines.insert(place, "")
        file = "".join(random.choice(ends) + line for line in lines).lstrip()
        yield (file + random.choice([*ends, ""] if len(ends) > 1 else ends),)


def damaged(seed, mistakes):
    """Files with one mistake: a list of lines, changed at one place, without end."""
    random = Random(seed)
    while True:
        pairs = learned_pairs(random, [b"a", b"b"], 4)
        lines = right_file(pairs).splitlines()
        if pairs and random.choice(mistakes)(random, lines) and isinstance(right_read("\n".join(lines)), int):
            for _ in range(random.randint(0, 2)):
                lines.insert(random.randint(1, len(lines)), "")
            yield ("\n".join(lines) + "\n",)


def wrong_header(random, lines):
    number = len(lines) - 1
    wrong = [f"merge {number}", f"merges {number + 1}", f"{number}", "merges", f"merges {number} ", ""]
    lines[0] = random.choice([*wrong, f"merges 0{number}", f"Merges {number}"])
    return True


def wrong_digits(random, lines):
    """Damage a pair whose token no other pair needs."""
    needed = {part for line in lines for part in line.split()}
    place = random.choice([n for n in range(1, len(lines)) if "".join(lines[n].split()) not in needed])
    left, right = lines[place].split()
    wrong = [
        left,
        f"{left}{right}",
        f"{left} {right[1:]}",
        f"{left}  {right}",
        f"{left} {right} {right}",
        f" {right}",
        " ",
    ]
    lines[place] = random.choice([*wrong, f"{left} zz", f"{left},{right}", f"{left} FF", f"{left} {right} "])
    return True


def missing_line(random, lines):
    """Remove the last pair, or repeat a line, so that the header has another number."""
    lines[1:2] = random.choice([[], lines[1:2] * 2])
    return True


def unknown_part(random, lines):
    """Remove a pair whose token another pair needs, or replace a part by a token that no pair makes."""
    place = random.randrange(1, len(lines))
    parts = lines[place].split()
    parts[random.randrange(2)] = random.choice(["6363", "6162", "6261", "616161"])
    lines[place] = " ".join(parts)
    needed = {part for line in lines[1:place] for part in line.split()}
    return "".join(lines[place].split()) not in needed and one_mistake(lines)


def one_mistake(lines):
    """Whether exactly one line has a part that no line further down makes."""
    rows = [line.split() for line in lines[1:]]
    made = ["".join(row) for row in rows]
    return sum(any(len(part) > 2 and part not in made[n + 1 :] for part in row) for n, row in enumerate(rows)) == 1


# %% tests="file_to_pairs-lines" points=1
### BEGIN HIDDEN TESTS
rule = "The pairs are returned as bytes, and in the original order: the last line of the file has the first pair."
sure = [("merges 0\n",), ("merges 1\n61 62\n",), ("merges 2\n6162 63\n61 62\n",)]
grade(sheet.get("file_to_pairs"), right_read, first_of(files_of(85)), rule, sure, tried=40)
### END HIDDEN TESTS
assert [tuple(pair) for pair in file_to_pairs("merges 2\n6869 21\n68 69\n")] == [(b"h", b"i"), (b"hi", b"!")]

# %% tests="file_to_pairs-ends" points=1
### BEGIN HIDDEN TESTS
rule = "Lines may end with \\r\\n, the last one may have no line end, and empty lines after the first line are skipped."
sure = [("merges 1\r\n61 62\r\n",), ("merges 1\n61 62",), ("merges 1\n\n61 62\n\n",), ("merges 0",)]
sure += [("merges 2\r\n6162 63\n61 62\r\n",)]
ends = files_of(86, ends=["\n", "\r\n"], empty=[0, 1, 2])
grade(sheet.get("file_to_pairs"), right_read, first_of(ends), rule, sure, tried=40)
### END HIDDEN TESTS
assert [tuple(pair) for pair in file_to_pairs("merges 1\r\n\r\n68 69")] == [(b"h", b"i")]

# %% tests="file_to_pairs-errors" points=2
### BEGIN HIDDEN TESTS
rule = "If the header is wrong or has another number of pairs, the result is 1; if a line has not two parts of hexadecimal digits, it is the number of this line; empty lines count."
wrong = damaged(87, [wrong_header, wrong_digits, wrong_digits, missing_line])
sure = [
    ("",),
    ("merges 2\n61 62\n",),
    ("merges 1\n61\n",),
    ("merges 1\n\n61 6\n",),
    ("merges 2\n61 zz\n61 62\n",),
    ("merges 2\n61 62 63\n61 62\n",),
    ("merges 2\n61 62\n61 6\n",),
    ("merges 1\n61 FF\n",),
    ("merges 2\n \n61 62\n",),
    ("merges 01\n61 62\n",),
    ("merges 1\n61  62\n",),
    ("61 62\n",),
    ("\nmerges 1\n61 62\n",),
]
grade(sheet.get("file_to_pairs"), right_read, first_of(wrong, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert file_to_pairs("merges 2\n68 69\n") == 1
assert file_to_pairs("merges 1\n\n68 6\n") == 3

# %% tests="file_to_pairs-known" points=1
### BEGIN HIDDEN TESTS
rule = "A part of several bytes must be the joined token of a pair further down; the result is the number of the line with a part that is not known."
unknown = damaged(88, [unknown_part])
sure = [
    ("merges 1\n6162 63\n",),
    ("merges 2\n61 62\n6162 63\n",),
    ("merges 2\n6163 63\n61 62\n",),
    ("merges 1\n61 6162\n",),
]
grade(sheet.get("file_to_pairs"), right_read, first_of(unknown, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert file_to_pairs("merges 2\n6161 21\n68 69\n") == 2

# %% [markdown]
# ## 8. The whole tokenizer ({points OwnTokenizer} points)
#
# Join your functions in a class, `OwnTokenizer`. Its methods may call the functions of tasks 1 to 7. A mistake in one of these functions can cost
# points here as well, so correct it first. The rules:
#
# - `OwnTokenizer(special)` takes a list of special tokens (`str`). A new tokenizer has no pairs.
# - **Ids.** Byte `b` has the id `b`. The first pair has the id 256, the next one 257, and so on. The special tokens follow the pairs, in the order of the list:
#   with 3 pairs, the first special token has the id 259. In the tests, no two pairs make the same token.
# - `encode(text)` returns a list of ids. First the text is split at special tokens (task 4); a part with a special token gives the id of this token, and its
#   absorbed space gives no id. The other parts are split into pre-tokens (task 1), and the UTF-8 bytes of each pre-token into tokens (task 3).
# - `decode(ids)` returns the text of the ids, as in task 5. The bytes of a special token are those of its text. An id that does not exist is an undecodable
#   byte.
# - `learn(text, number)` splits a text like `encode`, counts its pre-tokens (their UTF-8 bytes) without the special tokens, and learns at most `number`
#   pairs (task 2). They **replace** the pairs that the tokenizer had. It returns the number of pairs that it learned.
# - `save()` returns the text of a file with the pairs (task 7). `load(file)` takes such a text. If the file is correct, its pairs replace those of the tokenizer,
#   and the result is `True`. Otherwise the tokenizer keeps its pairs, and the result is `False`.
#
# Example: `OwnTokenizer(["<end>"])` learns 2 pairs from `"go go go"`. Then `encode("go go<end>")` returns `[257, 256, 258]`.
#
# <details><summary>Hint</summary>
#
# Keep only the list of pairs and the list of special tokens. The dictionary from tokens to ids, and the one from ids to bytes, follow from them.
#
# </details>


# %% solution="OwnTokenizer"
class OwnTokenizer:
    """A byte-level tokenizer."""

    def __init__(self, special):
        self.special = list(special)
        self.pairs = []

    def learn(self, text, number):
        ### BEGIN SOLUTION
        counts = {}
        for part, token in cut_special(text, self.special):
            for word in cut_words(part) if token is None else []:
                counts[word.encode()] = counts.get(word.encode(), 0) + 1
        self.pairs = learn_pairs(counts, number)
        return len(self.pairs)
        ### END SOLUTION
        return ...

    def encode(self, text):
        ### BEGIN SOLUTION
        numbers = {left + right: 256 + number for number, (left, right) in enumerate(self.pairs)}
        ids = []
        for part, token in cut_special(text, self.special):
            if token is not None:
                ids.append(256 + len(self.pairs) + self.special.index(token))
                continue
            for word in cut_words(part):
                merged = merge_word(word.encode(), self.pairs)
                ids += [one[0] if len(one) == 1 else numbers[one] for one in merged]
        return ids
        ### END SOLUTION
        return ...

    def decode(self, ids):
        ### BEGIN SOLUTION
        tokens = [bytes([byte]) for byte in range(256)]
        tokens += [left + right for left, right in self.pairs]
        tokens += [token.encode() for token in self.special]
        return ids_to_text(ids, dict(enumerate(tokens)))
        ### END SOLUTION
        return ...

    def save(self):
        ### BEGIN SOLUTION
        return pairs_to_file(self.pairs)
        ### END SOLUTION
        return ...

    def load(self, file):
        ### BEGIN SOLUTION
        pairs = file_to_pairs(file)
        if isinstance(pairs, int):
            return False
        self.pairs = pairs
        return True
        ### END SOLUTION
        return ...


# %% hidden="OwnTokenizer"
class RightTokenizer:
    def __init__(self, special):
        self.special, self.merges = special, []

    def learn(self, text, number):
        parts = [part for part, token in right_parts(text, self.special) if token is None]
        words = [word.encode() for part in parts for word in right_words(part)]
        self.merges = right_pairs({word: words.count(word) for word in words}, number)
        return len(self.merges)

    def encode(self, text):
        ids = {token: id for id, token in all_tokens(self.merges, []).items()}
        parts = [
            [256 + len(self.merges) + self.special.index(token)]
            if token
            else [ids[one] for word in right_words(part) for one in right_merges(word.encode(), self.merges)]
            for part, token in right_parts(text, self.special)
        ]
        return [id for part in parts for id in part]

    def decode(self, ids):
        table = all_tokens(self.merges, self.special)
        return decoded(b"".join(table.get(id, b"\xff") for id in ids))

    def save(self):
        return right_file(self.merges)

    def load(self, file):
        read = right_read(file)
        self.merges = self.merges if isinstance(read, int) else read
        return read is self.merges


def all_tokens(pairs, special):
    """The bytes of each id."""
    single = [bytes([byte]) for byte in range(256)]
    return dict(enumerate([*single, *(left + right for left, right in pairs), *map(str.encode, special)]))


def with_pairs(cls, special, pairs):
    theirs = cls(list(special))
    theirs.load(right_file(pairs))
    return theirs


def encoded(cls, special, pairs, text):
    return with_pairs(cls, special, pairs).encode(text)


def encode_written(name, special, pairs, text):
    return f"{name}({special}), after load of a file with the pairs {pairs}: encode({text!r})"


def text_of(cls, special, pairs, ids):
    return with_pairs(cls, special, pairs).decode(ids)


def decode_written(name, special, pairs, ids):
    return f"{name}({special}), after load of a file with the pairs {pairs}: decode({ids})"


def given_by(method, *arguments):
    """The result of a method, or None if it raises an error."""
    try:
        return method(*arguments)
    except Exception:
        return None


def like_a_new_one(cls, special, theirs, text):
    """Whether a tokenizer encodes and decodes like a new one that loads its file, right or wrong."""
    new = cls(list(special))
    new.load(theirs.save())
    ids = given_by(theirs.encode, text)
    return given_by(new.encode, text) == ids and given_by(new.decode, ids) == given_by(theirs.decode, ids)


def learned(cls, special, text, number):
    """The results of learn and then of save, for a tokenizer that had other pairs before, and whether it uses the new ones."""
    theirs = with_pairs(cls, special, [(b"q", b"q")])
    given_by(theirs.encode, text)
    return [theirs.learn(text, number), theirs.save(), like_a_new_one(cls, special, theirs, text)]


def learn_written(name, special, text, number):
    return f"{name}({special}): [learn({text!r}, {number}), save(), {LIKE_A_NEW_ONE}], with other pairs before,"


def reloaded(cls, special, pairs, file):
    """The results of load and then of save, and whether the tokenizer uses the new pairs."""
    theirs = with_pairs(cls, special, pairs)
    given_by(theirs.encode, "abab caca")
    return [theirs.load(file), theirs.save(), like_a_new_one(cls, special, theirs, "abab caca")]


def load_written(name, special, pairs, file):
    before = f"{name}({special}), after load of a file with the pairs {pairs}"
    return f"{before}: [load({file!r}), save(), {LIKE_A_NEW_ONE}]"


LIKE_A_NEW_ONE = "whether it now encodes and decodes like a new tokenizer that loads its file"


def drawn_pairs(random, letters):
    """Pairs of which no token can be merged in two ways."""
    while True:
        pairs = learned_pairs(random, letters, 3)
        if not any(left == right for left, right in pairs):
            return pairs


def encodable(seed, parts, special, most=4):
    """Special tokens, pairs and texts, without end; a text in which a token repeats has only one way to merge."""
    random = Random(seed)
    while True:
        pairs = drawn_pairs(random, [b"a", b"b", b" "])
        text = "".join(random.choices(parts, k=random.randint(1, most)))
        if absorbs_nothing(text, special):
            yield special, pairs, text


def decodable(seed):
    random = Random(seed)
    while True:
        pairs = drawn_pairs(random, [b"a", b"\xc3", b"\xa9"])
        ids = [97, 195, 169, *range(256, 256 + len(pairs) + 3)]
        yield ["<s>", "é"], pairs, random.choices(ids, k=random.randint(1, 5))


def clear_texts(seed, parts, special):
    """Texts from which training learns without ties and overlaps, without end."""
    random = Random(seed)
    while True:
        text, number = "".join(random.choices(parts, k=random.randint(2, 6))), random.randint(1, 3)
        words = [word.encode() for part, token in right_parts(text, special) if not token for word in right_words(part)]
        counts = {word: words.count(word) for word in words}
        merges = [*rounds(counts, number)]
        if (
            absorbs_nothing(text, special)
            and merges
            and all(tied == 1 for _, tied in merges)
            and merges == [*rounds(counts, number, overlaps=0)]
        ):
            yield special, text, number


def other_files(seed):
    random = Random(seed)
    while True:
        pairs, others = drawn_pairs(random, [b"a", b"b"]), drawn_pairs(random, [b"a", b"c"])
        file = right_file(others)
        yield [], pairs, random.choice([file, file, "merges\n" + file, "merges 1\n6162 63\n"])


# %% tests="OwnTokenizer-ids" points=1
### BEGIN HIDDEN TESTS
rule = "Byte b has the id b, the pairs have the ids from 256 in their order, and the special tokens have the next ids in theirs."
words = encodable(91, ["ab", "ba", "é", "<s>", "<e>"], ["<s>", "<e>"], most=1)
sure = [
    (["<s>", "<e>"], [(b"a", b"b")], "<e>"),
    (["<s>"], [], "<s>"),
    ([], [(b"a", b"b"), (b"b", b"a")], "ba"),
    (["<s>", "<e>"], [(b"a", b"b")], "ab"),
]
grade_class(sheet.get("OwnTokenizer"), RightTokenizer, encoded, encode_written, first_of(words), rule, sure, tried=40)
### END HIDDEN TESTS
tokenizer = OwnTokenizer(["<s>"])
assert list(tokenizer.encode("hi<s>")) == [104, 105, 256]

# %% tests="OwnTokenizer-order" points=2
### BEGIN HIDDEN TESTS
rule = "A text is split at special tokens first, then into pre-tokens, and then into tokens: no merge crosses the border of a pre-token or of a special token."
mixed = encodable(92, ["ab", "ba ", "b", "!", "<ab>", "a a", "b"], ["<ab>", "<ab>!"])
sure = [
    (["<ab>"], [(b"a", b"b")], "ab<ab>ab"),
    ([], [(b" ", b"a"), (b"a", b" ")], "a a a"),
    ([], [(b"a", b"!")], "a!a"),
    (["<ab>"], [(b"a", b"b")], "a<ab>b"),
]
grade_class(
    sheet.get("OwnTokenizer"), RightTokenizer, encoded, encode_written, first_of(mixed, 60), rule, sure, tried=60
)
### END HIDDEN TESTS
tokenizer = OwnTokenizer(["<a>"])
tokenizer.load("merges 1\n61 20\n")
assert list(tokenizer.encode("a a<a>a")) == [256, 97, 257, 97]

# %% tests="OwnTokenizer-decode" points=1
### BEGIN HIDDEN TESTS
rule = "The bytes of all tokens are joined, also those of special tokens, and decoded together; an id that does not exist is an undecodable byte."
sure = [(["<s>"], [], [195, 169, 256]), (["<s>"], [(b"a", b"b")], [256, 257, 258]), ([], [], [300]), ([], [], [])]
grade_class(
    sheet.get("OwnTokenizer"),
    RightTokenizer,
    text_of,
    decode_written,
    first_of(decodable(93), 60),
    rule,
    sure,
    tried=60,
)
### END HIDDEN TESTS
tokenizer = OwnTokenizer(["<s>"])
assert tokenizer.decode([104, 195, 169, 256]) == "hé<s>"

# %% tests="OwnTokenizer-learn" points=2
### BEGIN HIDDEN TESTS
rule = "The pre-tokens of all parts that are no special tokens are counted, the pairs that are learned replace the earlier ones, and the result is their number."
clear = clear_texts(94, ["ab ", "abc ", "b", "<ab>", "cab ", "é "], ["<ab>"])
sure = [([], "go go go", 2), (["<ab>"], "<ab>go<ab>go<ab>", 4), ([], "go go go", 9), ([], "a b", 2), ([], "", 2)]
grade_class(
    sheet.get("OwnTokenizer"), RightTokenizer, learned, learn_written, first_of(clear, 60), rule, sure, tried=60
)
### END HIDDEN TESTS
tokenizer = OwnTokenizer(["<end>"])
assert tokenizer.learn("go go go", 2) == 2
assert tokenizer.save() == "merges 2\n676f 20\n67 6f\n"

# %% tests="OwnTokenizer-load" points=1
### BEGIN HIDDEN TESTS
rule = "The pairs of a correct file replace the earlier ones; a file with a mistake leaves the tokenizer unchanged, and load returns False."
sure = [
    ([], [(b"a", b"b")], "merges 2\n61 62\n"),
    ([], [(b"a", b"b")], "merges 1\n62 61\n"),
    ([], [(b"a", b"b")], "merges 0\n"),
]
grade_class(
    sheet.get("OwnTokenizer"), RightTokenizer, reloaded, load_written, first_of(other_files(95)), rule, sure, tried=40
)
### END HIDDEN TESTS
tokenizer = OwnTokenizer([])
assert tokenizer.load("merges 1\n61 62\n") is True
assert tokenizer.load("merges 2\n61 62\n") is False
assert tokenizer.save() == "merges 1\n61 62\n"

# %% [markdown]
# ## 9. With your own data ({points trace} points)
#
# Your id gives you data of your own. Run the next two cells. Use pencil and paper, or run functions. Here the rules of the **capstone** apply, not
# those of the tasks above.
#
# - `pieces`: the pre-tokens of `my["text"]` with GPT-2's pattern (step 2). A list of strings.
# - `new_tokens`: training starts with the words and counts in `my["words"]` (step 5). The first three new tokens, as a list of `bytes`.
# - `encoded`: `my["word"]` is encoded (step 7). Single bytes have the lowest ranks, followed by the tokens of `my["tokens"]` in the
#   order of the list. The tokens of the word, as a list of `bytes`.
# - `shown`: the bytes of a text arrive as `my["stream"]` (step 9b). The text that is shown for each part, as a list of three strings; `""` is nothing.
# - `size`: the number of ids of `my["greeting"]` if the tokenizer has only the 256 single bytes. An integer.

# %% locked="my_data"
from tokenlab.check.student_id import variant_chooser


def my_data(student_id):
    """Texts, words with counts, tokens and bytes, all derived from an id."""
    draw = variant_chooser(student_id)
    verb = draw("we've", "they'll", "it's", "I'm", "you'd", "she'll", "don't")
    text = (
        verb + draw("  ", "   ") + draw("seen", "cats", "tea") + draw(" 42", " 7", "12") + draw("!", "...", "?!", "  ")
    )
    first, second = draw("ab", "ac", "bd", "be", "cd", "ce", "de"), draw("xy", "wz", "vt", "tu", "yx", "zv")
    count = draw(3, 4, 5)
    words = {second[0] + first[1] + second[1]: count - 1, second[0] + first[1]: 1, first[0] + second[1]: count}
    p, q, r = draw("nop", "rst", "kml", "fgh", "tus", "gde")
    word, tokens = draw(
        (p + q + r + p + q, [q + r, p + q, q + r + p]),
        (p + q + p + r + q, [q + p, p + q, r + q, q + p + r]),
        (q + p + q + r + p, [p + q, q + p, r + p, p + q + r]),
    )
    data = (draw("a", "b", "x", "y") + draw("🙂", "日", "€", "🍵", "語") + draw("!", "?", ".")).encode()
    cut = draw(*range(2, len(data) - 2))
    return {
        "text": text,
        "words": {word.encode(): number for word, number in words.items()},
        "word": word.encode(),
        "tokens": [token.encode() for token in tokens],
        "stream": [data[:cut], data[cut:-2], data[-2:]],
        "greeting": draw("né", "日本", "où", "für") + draw(" ", "") + draw("🙂", "ß", "€", "語") + draw("!", "ab", ""),
    }


# %% locked="my"
my = my_data(student_id)
for name, value in my.items():
    print(f"my[{name!r}] = {value!r}")

# %% solution="trace"
pieces = ...
new_tokens = ...
encoded = ...
shown = ...
size = ...
### BEGIN SOLUTION
import codecs
import re

pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
pieces = re.findall(pattern, my["text"])
words = [([bytes([byte]) for byte in word], count) for word, count in my["words"].items()]
new_tokens = []
while len(new_tokens) < 3:
    neighbours = {}
    for symbols, count in words:
        for pair in zip(symbols, symbols[1:]):
            neighbours[pair] = neighbours.get(pair, 0) + count
    best = min(neighbours, key=lambda pair: (-neighbours[pair], pair))
    new_tokens.append(b"".join(best))
    for symbols, _ in words:
        for place in range(len(symbols) - 1):
            if tuple(symbols[place : place + 2]) == best:
                symbols[place : place + 2] = [b"".join(best)]
encoded = [bytes([byte]) for byte in my["word"]]
for token in my["tokens"]:
    for place in range(len(encoded) - 1):
        if b"".join(encoded[place : place + 2]) == token:
            encoded[place : place + 2] = [token]
decoder = codecs.getincrementaldecoder("utf-8")("replace")
shown = [decoder.decode(part) for part in my["stream"]]
size = len(my["greeting"].encode())
### END SOLUTION

# %% hidden="trace"
from tokenlab.algorithms.text.pretokenize import split_gpt2

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet.get("my_data")(student_id)


def same(name, right, rule):
    """Compare an answer with the right one, without revealing it."""
    grade_answer(sheet, name, right, rule, same=equal_values)


def joined(word, pair):
    """The bytes of a word, with a pair merged from the left."""
    done = []
    for symbol in word:
        if done and (done[-1], symbol) == pair:
            done[-1] += symbol
        else:
            done.append(symbol)
    return done


# %% tests="trace-pieces" points=1
### BEGIN HIDDEN TESTS
rule = "A contraction is a separate piece, a single space belongs to the piece after it, and other whitespace is a piece without its last space."
same("pieces", list(split_gpt2(my["text"])), rule)
### END HIDDEN TESTS
assert pieces is not ..., "Write a list of strings."

# %% tests="trace-new_tokens" points=1
### BEGIN HIDDEN TESTS
words, right = {word: [bytes([byte]) for byte in word] for word in my["words"]}, []
for _ in range(3):
    places = [(pair, my["words"][word]) for word, split in words.items() for pair in zip(split, split[1:])]
    totals = {pair: sum(count for other, count in places if other == pair) for pair, _ in places}
    chosen = sorted(pair for pair in totals if totals[pair] == max(totals.values()))[0]
    right.append(chosen[0] + chosen[1])
    words = {word: joined(split, chosen) for word, split in words.items()}
rule = "The pair with the highest count is merged; in a tie, the smallest pair; then everything is counted again."
same("new_tokens", right, rule)
### END HIDDEN TESTS
assert new_tokens is not ..., "Write a list of bytes objects."

# %% tests="trace-encoded" points=1
### BEGIN HIDDEN TESTS
right = [bytes([byte]) for byte in my["word"]]
while ranks := [
    (my["tokens"].index(two), n) for n, two in enumerate(map(b"".join, zip(right, right[1:]))) if two in my["tokens"]
]:
    _, place = min(ranks)
    right[place : place + 2] = [right[place] + right[place + 1]]
rule = "The neighbours whose joined bytes have the lowest rank are joined first, wherever they are."
same("encoded", right, rule)
### END HIDDEN TESTS
assert encoded is not ..., "Write a list of bytes objects."

# %% tests="trace-shown" points=1
### BEGIN HIDDEN TESTS
complete_parts, seen = [], b""
for part in my["stream"]:
    before, seen = seen.decode("utf-8", "ignore"), seen + part
    complete_parts.append(seen.decode("utf-8", "ignore")[len(before) :])
rule = "A character is shown as soon as all its bytes have arrived, and not before."
same("shown", complete_parts, rule)
### END HIDDEN TESTS
assert shown is not ..., "Write a list of strings."

# %% tests="trace-size" points=1
### BEGIN HIDDEN TESTS
rule = "Each byte of the text in UTF-8 is one id."
same("size", len(my["greeting"].encode("utf-8")), rule)
### END HIDDEN TESTS
assert size is not ..., "Write an integer."

# %% [markdown]
# ## 10. In words ({points words} points)
#
# A colleague also builds a byte-level tokenizer. "Training is fast: I count all pairs once, and merge the 1,000 most frequent ones. The
# pattern only makes encoding slower, so I merge in the whole text at once. And my chat program decodes every token as soon as it arrives,
# with `errors="ignore"`, so nobody ever sees a �." Explain what goes wrong in each of the three parts, and say how to correct it. Use an example of
# your own for each part, with the pairs and counts, the tokens, or the bytes (and none from the lessons or from this sheet). A person reads and
# grades this.

# %% [markdown] solution="words" points=4
# Counting once: after a merge, some occurrences of other pairs are gone, and new pairs exist. In 5 times *nut* and 2 times *up*, the pairs
# (n, u) and (u, t) both have the count 5. After the merge of (n, u), the pair (u, t) no longer occurs, but it would be merged next, and its token is useless.
# The pair (nu, t), which now has the count 5, was never counted, so *nut* never becomes one token. The colleague has to count again after
# each merge (or update the counts that change). Without a pattern, merges cross the borders of words: in *tea. tea! tea?* the tokens *a.*, *a!* and *a?* can be learned, or *a* with a
# space after it, and the same word gets other tokens before another punctuation mark. The vocabulary fills up with such combinations, and encoding is slower, not
# faster, because one long word has more pairs than many short ones. Split with the same pattern in training and in encoding. Decoding each token alone: one character
# may be divided between tokens. *ø* has the bytes C3 B8. If they are two tokens, `ignore` shows nothing for both, and the
# letter is lost, so *Søren* becomes *Sren*. Hold the bytes until the character is complete (an incremental decoder), and use `replace` at the end, so that damage
# is visible.
#
# **Points.** 1: counts change after a merge, shown with pairs and counts of a small example; count again. 1: without pre-tokens, tokens cross the borders of words
# (or training and encoding differ), with an example; use the same pattern in both. 1: a character divided between two tokens is lost, with its bytes;
# hold the bytes. 1: all examples are the student's own and correct, and each part has a correction. No point for an example from the lessons or from the
# sheet.
