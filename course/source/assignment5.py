# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Assignment 5: the tokenizer pipeline
#
# Eight tasks, {points} points. **Before this:** lesson `11_tokenizer_pipeline`.
#
# Each task resembles a part of the library, but at least one rule is different. Your program is graded by the rules on
# this sheet.
#
# - Write plain Python. You may use the standard library, for example `re` and `unicodedata`. A function that calls
#   `tokenlab`, `tokenizers` or `transformers` gets no points.
# - Where a list is expected, a tuple is accepted as well, and the other way round. Do not modify the arguments.
# - A **span** is a pair `(start, end)` of positions in a text, counted in characters from 0; `end` is exclusive.
# - The cells below each function show a few examples. Hidden tests try more inputs, and report one on which your
#   function fails. An `assert` that passes prints nothing. Leave these cells unchanged: they are restored before
#   grading.
# - Before you submit, run all cells once more (*Restart Kernel and Run All Cells*), and save.
# - If your course has no server for submissions, write `from tokenlab.check.submission import hand_in` and
#   `hand_in("assignment5.ipynb")` into a new cell, save, and run the cell. It writes one file that you can submit.

# %% [markdown]
# ## Your id
#
# Write the id under which you submit (on a hub, your login name), in quotes. Task 7 takes its data and two of its
# rules from it. Case and surrounding spaces make no difference.
#
# *How it is checked:* the grader compares the id in this cell with the name under which the notebook was submitted. If
# they differ, task 7 gets no points until your instructor has looked at it.

# %% solution="student_id"
student_id = ...
### BEGIN SOLUTION
student_id = "model"
### END SOLUTION

# %% hidden="*"
import re
from course.course_seed import Random

from course.grading import grade, grade_answer
from tokenlab.check.strategies import first_of
from tokenlab.check.trace_comparison import equal_values


def spans_with_gaps(random, number, longest, gaps):
    """Return `number` spans in order, with random gaps between them."""
    spans, start = [], 0
    for _ in range(number):
        start += random.choice(gaps)
        end = start + random.randint(1, longest)
        spans.append((start, end))
        start = end
    return spans


# %% [markdown]
# ## 1. A normalizer with alignment ({points fold_text} points)
#
# Write `fold_text(text, replacements)`. It normalizes a string and returns a pair: the new text, and a list with one
# span for each character of the new text. The span says which characters of `text` the new character came from. The
# rules:
#
# - **Replacements.** `replacements` is a dictionary from single characters to strings of letters, such as `"ﬁ"` to
#   `"fi"`. Each new character has the span of the character that was replaced: `"ﬁt"` becomes `"fit"` with the spans
#   `(0, 1)`, `(0, 1)` and `(1, 2)`.
# - **Combining marks** are removed. These are the characters for which `unicodedata.combining` does not return 0. Do
#   not decompose other characters: `é` stays as it is. The mark **extends** the span of the character before it; if
#   that character was replaced, the mark extends the spans of all its new characters. (The library does not extend
#   them.) A mark never follows whitespace. A mark at the beginning of the text has no character before it, so no span
#   contains it. `"e\u0301a"` becomes `"ea"` with the spans `(0, 2)` and `(2, 3)`.
# - **Whitespace** (`str.isspace`). Each run becomes one space, whose span covers the whole run: `"a  b"` becomes
#   `"a b"`, and the span of the space is `(1, 3)`. A run at the beginning or the end of the text is removed.
#
# <details><summary>Hint</summary>
#
# In one loop over the text, collect lists of three entries, `[new, start, end]`. A mark or a further space changes the
# `end` of the last list. Split the lists into characters at the very end.
#
# </details>


# %% solution="fold_text"
def fold_text(text, replacements):
    """Normalize a text; return the new text, and the original span of each of its characters."""
    ### BEGIN SOLUTION
    from unicodedata import combining

    made = []
    for position, character in enumerate(text):
        if combining(character):
            if made:
                made[-1][2] = position + 1
        elif not character.isspace():
            made.append([replacements.get(character, character), position, position + 1])
        elif made and made[-1][0] == " ":
            made[-1][2] = position + 1
        else:
            made.append([" ", position, position + 1])
    if made and made[0][0] == " ":
        del made[0]
    if made and made[-1][0] == " ":
        del made[-1]
    return "".join(new for new, _, _ in made), [(start, end) for new, start, end in made for _ in new]
    ### END SOLUTION
    return ...


# %% hidden="fold_text"
from unicodedata import combining

REPLACED = {"ﬁ": "fi", "ﬃ": "ffi", "Æ": "AE"}
MARKS = "".join(filter(combining, map(chr, range(0x3100))))
SPACES = "".join(filter(str.isspace, map(chr, range(0x3100))))


def right_fold(text, replacements):
    normalized, spans = "", []
    for match in re.finditer(rf"\s+|([^{MARKS}])[{MARKS}]*|[{MARKS}]+", text):
        space = match[0].isspace()
        if (space and match.start() > 0 and match.end() < len(text)) or match[1]:
            folded = " " if space else replacements.get(match[1], match[1])
            normalized += folded
            spans += [match.span()] * len(folded)
    return normalized, spans


def folded_texts(seed, parts, before=("",), after=("",), most=8, keys=""):
    """Yield texts of a few parts, between a prefix and a suffix, and a table that replaces some keys, without end."""
    random = Random(seed)
    while True:
        middle = "".join(random.choices(parts, k=random.randint(1, most)))
        new = {key: "".join(random.choices("abxyz", k=random.randint(1, 3))) for key in keys if random.random() < 0.5}
        yield random.choice(before) + middle + random.choice(after), REPLACED | new


# %% tests="fold_text-replacements" points=2
### BEGIN HIDDEN TESTS
rule = "Each character of a replacement has the span of the one character that was replaced."
replaced = folded_texts(51, ["a", "B", "ﬁ", "ﬃ", "Æ", "🙂", "a b"], keys="abﬁ🙂")
sure = [("ﬃb", REPLACED), ("ﬁ", {}), ("ab", {"a": "b", "b": "ca"})]
grade(sheet.get("fold_text"), right_fold, first_of(replaced), rule, sure, tried=40)
### END HIDDEN TESTS
normalized, spans = fold_text("ﬁt", {"ﬁ": "fi"})
assert (normalized, [tuple(span) for span in spans]) == ("fit", [(0, 1), (0, 1), (1, 2)])

# %% tests="fold_text-marks" points=2
### BEGIN HIDDEN TESTS
rule = (
    "A combining mark is removed, and extends the span of every new character that came from the character before it."
)
marks = Random(520).choices(MARKS, k=8)
marked = folded_texts(52, ["a", "é", "ﬁ", "e\u0301", "\u034f", " a", *marks], before=["a", "é", "ﬁ"])
sure = [("e\u0301a", REPLACED), ("ﬁ\u0323", REPLACED), ("é", REPLACED), ("o\u0323\u0308", REPLACED)]
sure += [("n\u0303 a\u05b0", REPLACED), ("a\u034fb", REPLACED)]  # `combining` gives 0 for U+034F
grade(sheet.get("fold_text"), right_fold, first_of(marked), rule, sure, tried=40)
### END HIDDEN TESTS
normalized, spans = fold_text("e\u0301a", {})
assert (normalized, [tuple(span) for span in spans]) == ("ea", [(0, 2), (2, 3)])

# %% tests="fold_text-spaces" points=2
### BEGIN HIDDEN TESTS
rule = "A run of whitespace of any kind becomes one space, and its span covers the whole run."
spaces = Random(530).choices(SPACES, k=6)
spaced = folded_texts(53, ["a", "b", " ", "  ", "\t", "\n\u3000", *spaces], before="a", after="b")
sure = [("a  b", REPLACED), ("a\tb", REPLACED), ("a b", REPLACED), ("a\u3000b", REPLACED), ("a\xa0\rb", REPLACED)]
grade(sheet.get("fold_text"), right_fold, first_of(spaced), rule, sure, tried=40)
### END HIDDEN TESTS
normalized, spans = fold_text("a  b", {})
assert (normalized, [tuple(span) for span in spans]) == ("a b", [(0, 1), (1, 3), (3, 4)])

# %% tests="fold_text-ends" points=1
### BEGIN HIDDEN TESTS
rule = (
    "Whitespace at the beginning and at the end is removed, and so is a mark at the beginning; no span contains them."
)
ends = folded_texts(54, ["a", "b"], before=["", " ", "\t ", "\u0301", "\u0301\u0308"], after=["", " ", "  "])
sure = [(" a", REPLACED), ("a ", REPLACED), ("\u0301a", REPLACED), ("  ", REPLACED), ("", REPLACED)]
grade(sheet.get("fold_text"), right_fold, first_of(ends), rule, sure, tried=40)
### END HIDDEN TESTS
normalized, spans = fold_text(" a ", {})
assert (normalized, [tuple(span) for span in spans]) == ("a", [(1, 2)])

# %% [markdown]
# ## 2. Another behaviour of Split ({points split_beside} points)
#
# `pre_tokenizers.Split` has five behaviours for its delimiters: removed, isolated, merged with previous, merged with
# next and contiguous. Here is a sixth. Write `split_beside(text, delimiters)`, where `delimiters` is a string that
# contains all delimiters. Return a list of pairs `(part, span)`: the parts of the text in order, and the span of each
# part. The rules:
#
# - **Directly after another character**, a delimiter is merged with the part before it. In `"a-b"`, the parts are
#   `"a-"` and `"b"`.
# - **Otherwise, directly before another character**, it is merged with the part after it. In `"a--b"`, the parts are
#   `"a-"` and `"-b"`. In `"-a"`, there is one part.
# - **All other delimiters** are separate parts of one character each. In `"a---b"`, this is the middle one.
# - **Another character** is a character that is not a delimiter. All delimiters are treated alike, and no part is
#   empty.
# - **Spans** refer to the text. The same part may occur several times.
#
# <details><summary>Hint</summary>
#
# Between which two adjacent characters is there a boundary? If the right one is a delimiter, there is a boundary only
# if the left one is a delimiter as well. If only the left one is a delimiter, look at the character before it.
#
# </details>


# %% solution="split_beside"
def split_beside(text, delimiters):
    """Split a text at delimiters that belong to their neighbours; return pairs of a part and its span."""
    ### BEGIN SOLUTION
    bounds = [0]
    for position in range(1, len(text)):
        after_one = text[position - 1] in delimiters
        taken = position > 1 and text[position - 2] not in delimiters
        if after_one and (text[position] in delimiters or taken):
            bounds.append(position)
    bounds.append(len(text))
    return [(text[start:end], (start, end)) for start, end in zip(bounds, bounds[1:]) if start < end]
    ### END SOLUTION
    return ...


# %% hidden="split_beside"
def right_split(text, delimiters):
    one = f"[{re.escape(delimiters)}]"
    other = f"[^{re.escape(delimiters)}]"
    # A part is a run of other characters, with a delimiter on its left if no part before it takes this delimiter.
    pattern = f"(?:(?<!{other}){one})?{other}+{one}?|{one}"
    return [(found[0], found.span()) for found in re.finditer(pattern, text)]


def delimited(seed, parts, delimiters="-", before=("",), after=("",), most=8):
    """Yield texts of a few parts, between a prefix and a suffix, without end."""
    random = Random(seed)
    while True:
        middle = "".join(random.choices(parts, k=random.randint(1, most)))
        yield random.choice(before) + middle + random.choice(after), delimiters


def starts_at(counts):
    """Return a reference: the text, the positions that count, and those of them at which a part starts.

    The positions at a run of delimiters count if the condition holds for the run and for whether it is inside the text.
    """

    def right(text, delimiters):
        counted = {*range(len(text) + 1)}
        for run in re.finditer(f"[{re.escape(delimiters)}]+", text):
            if not counts(run[0], run.start() > 0 and run.end() < len(text)):
                counted -= {*range(run.start(), run.end() + 1)}
        return text, counted, counted & {start for _, (start, _) in right_split(text, delimiters)}

    return right


def same_starts(given, right):
    text, counted, starts = right
    parts = [part for part, _ in given]
    mine = {sum(map(len, parts[:number])) for number in range(len(parts))}
    return "".join(parts) == text and all(parts) and mine & counted == starts


def unchanged_text(text, delimiters):
    return text


def spans_fit(given, text):
    """Whether each span contains its part, and each character of the text is in exactly one span."""
    fitting = all(text[slice(*span)] == part for part, span in given)
    return fitting and [position for _, span in given for position in range(*span)] == list(range(len(text)))


# %% tests="split_beside-previous" points=1
### BEGIN HIDDEN TESTS
rule = "A single delimiter between two other characters is merged with the part before it."
single = starts_at(lambda run, inside: inside and len(run) == 1)
texts = delimited(81, ["a", "b", ".", "a-", "b-", "a--"], before=["", "-", "--"], after=["b", "-"])
sure = [("a-b", "-"), ("a-b.c", "-"), ("axb", "x")]
grade(sheet.get("split_beside"), single, first_of(texts), rule, sure, tried=40, same=same_starts)
### END HIDDEN TESTS
assert [part for part, _ in split_beside("a-b", "-")] == ["a-", "b"]

# %% tests="split_beside-runs" points=2
### BEGIN HIDDEN TESTS
rule = "Of several delimiters in a row, the first is merged with the part before it, the last with the part after it, and each other one is a separate part."
several = starts_at(lambda run, inside: inside and len(run) > 1)
texts = delimited(82, ["a-", "a--", "b---", "b----"], before=["", "-", "--"], after=["b", "-"])
grade(sheet.get("split_beside"), several, first_of(texts), rule, [("a--b", "-")], tried=40, same=same_starts)
mixed = delimited(83, ["a-", "a-.", "b.-", "b--.", "a-.-"], delimiters=".-", before=["", "-", ".-"], after=["b", "-"])
sure = [("a.-b", ".-"), ("a^-b", "^-"), ("a]-^b", "^-]")]
grade(sheet.get("split_beside"), several, first_of(mixed), rule, sure, tried=40, same=same_starts)
### END HIDDEN TESTS
assert [part for part, _ in split_beside("a---b", "-")] == ["a-", "-", "-b"]

# %% tests="split_beside-ends" points=1
### BEGIN HIDDEN TESTS
rule = "At the beginning, the last delimiter is merged with the part after it; at the end, the first one with the part before it; without other characters, each is a separate part."
outer = starts_at(lambda run, inside: not inside)
ends = delimited(84, ["a", "ab", "a-", "a--"], before=["", "-", "--", "---"], after=["b", "b-", "b--", "b---"], most=2)
sure = [("-a", "-"), ("--a", "-"), ("a--", "-"), ("--", "-"), ("", "-"), ("-", "-")]
grade(sheet.get("split_beside"), outer, first_of(ends), rule, sure, tried=40, same=same_starts)
### END HIDDEN TESTS
assert [part for part, _ in split_beside("-a--", "-")] == ["-a-", "-"]

# %% tests="split_beside-spans" points=1
### BEGIN HIDDEN TESTS
rule = (
    "Each part has the span from which it was taken, even if it occurs several times; the spans cover the whole text."
)
repeated = delimited(85, ["a-", "a--", "🙂-", "a---.", "é"], delimiters="-.", before=["", "--"], after=["a", "--"])
sure = [("a-a-a", "-"), ("é---a", "-")]
grade(sheet.get("split_beside"), unchanged_text, first_of(repeated), rule, sure, tried=40, same=spans_fit)
### END HIDDEN TESTS
assert [span[1] for _, span in split_beside("a-b", "-")][-1] == 3

# %% [markdown]
# ## 3. Windows that are full ({points full_windows} + {points best_window} points)
#
# Write `full_windows(length, size, stride)`. It returns a list of windows that cover a sequence of `length` tokens. A
# window is a pair: the index of its first token, and the index after its last one. All arguments are integers: `size`
# is at least 1, and `stride` is from 0 to `size - 1`. The rules:
#
# - **Short sequences.** A sequence of at most `size` tokens has one window. Even a sequence of 0 tokens has the window
#   `(0, 0)`.
# - **Stride.** Otherwise each window has exactly `size` tokens. The first window starts at 0, and each window except
#   perhaps the last one shares exactly `stride` tokens with the window before it: `full_windows(8, 5, 2)` returns
#   `[(0, 5), (3, 8)]`.
# - **The last window** ends at the end of the sequence and also has `size` tokens. If too few new tokens are left to
#   fill it, it shares **more** than `stride` tokens with the window before it: `full_windows(6, 4, 1)` returns
#   `[(0, 4), (2, 6)]`. (The library's last window is shorter.)
# - **No superfluous windows.** No window is inside another one.
#
# The second function is `best_window(windows, position)`. A token may occur in several windows, and its prediction is
# best in the window with the most **context**. `windows` is a list of windows, and `position` is the index of the token
# in the sequence. Return the index of the best window, an integer. The rules:
#
# - **Context.** Count the tokens to the left of the token in a window, and the tokens to its right. The context is the
#   **smaller** of the two numbers.
# - **Most context.** The window with the most context wins. Of several with the same context, the first one in the list
#   wins. For the token 4 in `[(0, 4), (2, 6), (4, 8)]`, it is the window with index 1.
# - **Other windows.** The windows may have different sizes. At least one of them contains the token. A window that does
#   not contain it never wins.
#
# <details><summary>Hint</summary>
#
# Two adjacent windows start `size - stride` tokens apart. Where does the last one start?
#
# </details>


# %% solution="full_windows"
def full_windows(length, size, stride):
    """Return the full windows that cover a sequence."""
    ### BEGIN SOLUTION
    if length <= size:
        return [(0, length)]
    starts = [*range(0, length - size, size - stride), length - size]
    return [(start, start + size) for start in starts]
    ### END SOLUTION
    return ...


# %% hidden="full_windows"
def right_windows(length, size, stride):
    windows = [(0, min(size, length))]
    while windows[-1][1] < length:
        stop = min(windows[-1][1] + size - stride, length)
        windows.append((stop - size, stop))
    return windows


def sequences(seed, fits):
    """Yield lengths, sizes and strides whose last window fulfils a condition, without end."""
    random = Random(seed)
    while True:
        size = random.randint(1, random.choice([6, 40]))
        stride = random.randint(0, size - 1)
        length = size + random.randint(1, random.choice([12, 120]))
        if stride * 2 != size and fits((length - size) % (size - stride)):
            yield length, size, stride


def different(windows):
    """Return the windows without repetitions."""
    return [*dict.fromkeys(map(tuple, windows))]


def all_windows(given, right):
    return equal_values(different(given), right)


def last_windows(given, right):
    return bool(given) and equal_values(list(given)[-1], right[-1])


def before_the_last(given, right):
    return equal_values(different(given)[:-1], right[:-1])


def none_inside_another(given, right):
    """Whether no window is inside another one, and all tokens are in a window."""
    spans = [(start, stop) for start, stop in given]
    tokens = {token for span in spans for token in range(*span)}
    inside = [one for n, one in enumerate(spans) for m, other in enumerate(spans) if n != m and within(one, other)]
    return bool(spans) and not inside and tokens == set(range(right[-1][1]))


def within(one, other):
    return other[0] <= one[0] and one[1] <= other[1]


# %% tests="full_windows-short" points=1
### BEGIN HIDDEN TESTS
rule = "A sequence of at most `size` tokens has one window, from 0 to its end, even if it has 0 tokens."
random = Random(540)
sizes = [random.randint(1, most) for most in (4, 60) for _ in range(30)]
short = ((random.randint(0, size), size, random.randrange(size)) for size in sizes)
grade(sheet.get("full_windows"), right_windows, first_of(short, 60), rule, [(0, 2, 1), (3, 3, 1)], tried=60)
### END HIDDEN TESTS
assert [tuple(window) for window in full_windows(2, 3, 1)] == [(0, 2)]

# %% tests="full_windows-stride" points=2
### BEGIN HIDDEN TESTS
rule = "Adjacent windows share `stride` tokens, so they start `size - stride` tokens apart."
exact = sequences(55, lambda rest: rest == 0)
grade(sheet.get("full_windows"), right_windows, first_of(exact), rule, [(3, 1, 0)], tried=40, same=all_windows)
### END HIDDEN TESTS
assert [tuple(window) for window in full_windows(8, 4, 0)][:2] == [(0, 4), (4, 8)]
assert [tuple(window) for window in full_windows(8, 5, 2)][:2] == [(0, 5), (3, 8)]

# %% tests="full_windows-last" points=2
### BEGIN HIDDEN TESTS
rule = (
    "The last window ends at the end of the sequence and has `size` tokens like the others, so it starts further left."
)
every = sequences(56, lambda rest: True)
grade(sheet.get("full_windows"), right_windows, first_of(every), rule, tried=40, same=last_windows)
rule = "Only the last window shares more tokens than `stride` with the window before it."
uneven = sequences(57, lambda rest: rest > 0)
sure = [(10, 4, 0), (12, 5, 2)]
grade(sheet.get("full_windows"), right_windows, first_of(uneven), rule, sure, tried=40, same=before_the_last)
### END HIDDEN TESTS
assert [tuple(window) for window in full_windows(6, 4, 1)] == [(0, 4), (2, 6)]

# %% tests="full_windows-needed" points=1
### BEGIN HIDDEN TESTS
rule = "The windows contain all tokens, and no window is inside another one."
every = sequences(58, lambda rest: True)
grade(sheet.get("full_windows"), right_windows, first_of(every), rule, tried=40, same=none_inside_another)
### END HIDDEN TESTS
assert len(full_windows(8, 6, 3)) == 2


# %% solution="best_window"
def best_window(windows, position):
    """Return the index of the window in which a token has the most context."""
    ### BEGIN SOLUTION
    contexts = [min(position - start, stop - 1 - position) for start, stop in windows]
    return contexts.index(max(contexts))
    ### END SOLUTION
    return ...


# %% hidden="best_window"
def right_best(windows, position):
    best, most = None, -1
    for number, (start, stop) in enumerate(windows):
        left, right = position - start, stop - position - 1
        if left >= 0 and right >= 0 and min(left, right) > most:
            best, most = number, min(left, right)
    return best


def overlapping(seed, tied):
    """Yield windows of different sizes and a position in at least one of them, with or without a tie, without end."""
    random = Random(seed)
    while True:
        scale = random.choice([1, 1, 10])
        starts = [random.randint(0, 5 * scale) for _ in range(random.randint(1, 6))]
        windows = [(start, start + random.randint(1, 8 * scale)) for start in starts]
        position = random.choice(range(*random.choice(windows)))
        contexts = [min(position - start, stop - 1 - position) for start, stop in windows]
        if len(set(windows)) == len(windows) and (contexts.count(max(contexts)) > 1) == tied:
            yield windows, position


# %% tests="best_window-context" points=2
### BEGIN HIDDEN TESTS
rule = "The context is the smaller of two numbers: the tokens to the left in the window, and the tokens to the right."
sure = [([(0, 4), (2, 6)], 3), ([(0, 4)], 3)]
grade(sheet.get("best_window"), right_best, first_of(overlapping(59, False), 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert best_window([(0, 4), (2, 6), (4, 8)], 4) == 1

# %% tests="best_window-ties" points=1
### BEGIN HIDDEN TESTS
rule = "Of several windows with the same context, the first one in the list wins."
grade(sheet.get("best_window"), right_best, first_of(overlapping(60, True), 60), rule, tried=60)
### END HIDDEN TESTS
assert best_window([(2, 5), (1, 4)], 3) == 0

# %% [markdown]
# ## 4. Spans of byte-level tokens ({points owned_spans} points)
#
# In byte-level BPE, a token may contain only some of the bytes of a character. The library then gives all of these
# tokens the span of the whole character, so spans overlap. Here every character belongs to **one** token. Write
# `owned_spans(text, merges, add_space)`, which returns a list of pairs `(token, span)`; a token is a `bytes` object.
# `merges` is a list of pairs of `bytes` objects, and `add_space` is a Boolean. The rules:
#
# - **Bytes.** At first, each byte of the UTF-8 encoding of `text` is a token.
# - **Merges.** For each pair `(left, right)`, in the order of the list, adjacent tokens `left` and `right` are merged
#   wherever they occur, from left to right. A merged token is not merged again with the same pair. The parts of a pair
#   are single bytes, or results of earlier pairs. With `(b"a", b"a")`, the tokens of `"aaa"` are `b"aa"` and `b"a"`.
# - **Spans.** A character belongs to the token that contains its **first byte**. The span of a token covers all
#   characters that belong to it. A token to which no character belongs has an empty span, at the end of the character
#   before it. So the two tokens of `"é"` have the spans `(0, 1)` and `(1, 1)`.
# - **An inserted space.** If `add_space` is `True`, the byte `b" "` is inserted before all other bytes and takes part
#   in merges. It comes from no character: alone, it has the span `(0, 0)`, and it never changes the span of a token
#   into which it is merged.
#
# <details><summary>Hint</summary>
#
# Store a number with each token: how many characters begin in it. A merge adds two numbers. The spans follow from these
# numbers.
#
# </details>


# %% solution="owned_spans"
def owned_spans(text, merges, add_space):
    """Return the byte-level tokens of a text, and the span of the characters that belong to each."""
    ### BEGIN SOLUTION
    tokens = [(b" ", 0)] if add_space else []
    for character in text:
        tokens += [(bytes([byte]), int(number == 0)) for number, byte in enumerate(character.encode())]
    for pair in merges:
        merged = []
        for token, begun in tokens:
            if merged and (merged[-1][0], token) == tuple(pair):
                before, count = merged.pop()
                token, begun = before + token, count + begun
            merged.append((token, begun))
        tokens = merged
    spans, start = [], 0
    for token, begun in tokens:
        spans.append((token, (start, start + begun)))
        start += begun
    return spans
    ### END SOLUTION
    return ...


# %% hidden="owned_spans"
def tokens_of(text, merges, add_space):
    tokens = [bytes([byte]) for byte in b" " * add_space + text.encode()]
    for left, right in merges:
        position = 0
        while position < len(tokens) - 1:
            if tokens[position : position + 2] == [left, right]:
                tokens[position : position + 2] = [left + right]
            position += 1
    return tokens


def with_spans(tokens, text, add_space):
    first = [position + add_space for position, byte in enumerate(text.encode()) if byte & 0xC0 != 0x80]
    spans, start = [], 0
    for token in tokens:
        inside = range(start, start + len(token))
        spans.append((token, (sum(one < inside[0] for one in first), sum(one <= inside[-1] for one in first))))
        start += len(token)
    return spans


def right_spans(text, merges, add_space):
    return with_spans(tokens_of(text, merges, add_space), text, add_space)


def merged_texts(seed, letters, most_merges=3, add_space=False, repeated=False, whole=False, most=5):
    """Yield texts of a few characters, and merges that training could learn from them, without end.

    `whole` merges the bytes of each character first.
    """
    random = Random(seed)
    while True:
        number = random.randint(1, most)
        text = "".join(random.choices(letters, k=number) if repeated else random.sample(letters, number))
        merges = []
        for data in map(str.encode, text if whole else ""):
            merges += [(data[:end], data[end : end + 1]) for end in range(1, len(data))]
        for _ in range(random.randint(min(most_merges, 1), most_merges)):
            tokens = tokens_of(text, merges, add_space)
            if len(tokens) > 1:
                position = random.randrange(len(tokens) - 1)
                merges.append((tokens[position], tokens[position + 1]))
        yield text, merges, add_space


def tokens_only(given, right):
    return equal_values([token for token, _ in given], [token for token, _ in right])


def text_only(text, merges, add_space):
    return text


def spans_of_its_tokens(given, text):
    """Whether the tokens join to the text and have the right spans, whatever was merged."""
    tokens = [token for token, _ in given]
    return b"".join(tokens) == text.encode() and equal_values(given, with_spans(tokens, text, False))


# %% tests="owned_spans-merges" points=1
### BEGIN HIDDEN TESTS
rule = (
    "For each pair in turn, all adjacent tokens that are this pair are merged, from left to right and without overlaps."
)
sure = [
    ("aaa", [(b"a", b"a")], False),
    ("abab", [(b"a", b"b"), (b"ab", b"ab")], False),
    ("abc", [(b"b", b"c"), (b"a", b"b")], False),
]
repeated = merged_texts(91, "ab", most_merges=5, repeated=True, most=10)
grade(sheet.get("owned_spans"), right_spans, first_of(repeated), rule, sure, tried=40, same=tokens_only)
### END HIDDEN TESTS
assert [token for token, _ in owned_spans("aaa", [(b"a", b"a")], False)] == [b"aa", b"a"]

# %% tests="owned_spans-bytes" points=2
### BEGIN HIDDEN TESTS
rule = (
    "A character belongs to the token with its first byte; the tokens of its other bytes have an empty span at its end."
)
single = merged_texts(92, "aé日🙂", 0, repeated=True, most=10)
grade(sheet.get("owned_spans"), right_spans, first_of(single), rule, [("éa", [], False)], tried=40)
### END HIDDEN TESTS
assert [tuple(span) for _, span in owned_spans("éa", [], False)] == [(0, 1), (1, 1), (1, 2)]

# %% tests="owned_spans-merged" points=1
### BEGIN HIDDEN TESTS
rule = "A merged token has the characters whose first bytes it contains, whether it contains their other bytes or not."
merged = merged_texts(93, "aéb日🙂", most_merges=5, most=4)
sure = [("aé", [(b"a", b"\xc3")], False), ("éa", [(b"\xa9", b"a")], False), ("é", [(b"\xc3", b"\xa9")], False)]
grade(sheet.get("owned_spans"), right_spans, first_of(merged, 60), rule, sure, tried=60)
repeated = merged_texts(930, "aé日🙂", repeated=True, most=8)
sure = [("éaéa", [(b"\xa9", b"a")], False)]
grade(sheet.get("owned_spans"), text_only, first_of(repeated), rule, sure, tried=40, same=spans_of_its_tokens)
### END HIDDEN TESTS
assert [tuple(span) for _, span in owned_spans("aé", [(b"a", b"\xc3")], False)] == [(0, 2), (2, 2)]

# %% tests="owned_spans-space" points=1
### BEGIN HIDDEN TESTS
rule = "The inserted space is an ordinary token, and comes from no character of the text."
inserted = merged_texts(94, "ab é日", add_space=True, whole=True, most=4)
sure = [("", [], True), ("", [], False), ("a", [], True), ("ab", [(b" ", b"a")], True), (" a", [(b" ", b" ")], True)]
sure += [("éa", [(b"\xc3", b"\xa9")], True)]
grade(sheet.get("owned_spans"), right_spans, first_of(inserted), rule, sure, tried=40)
### END HIDDEN TESTS
assert [tuple(span) for _, span in owned_spans("a", [], True)] == [(0, 0), (0, 1)]

# %% [markdown]
# ## 5. Added tokens that take whitespace ({points split_tokens} points)
#
# Write `split_tokens(text, tokens)`. `tokens` is a dictionary from the content of each added token to a pair of
# Booleans `(lstrip, rstrip)`. There is at least one token, and no content contains whitespace. The function splits the
# text at these tokens, and returns a list of pairs `(part, token)`. `token` is the content of the added token, or
# `None` for the text between two added tokens. The parts join to the original text, and no part is empty. The rules:
#
# - **Matching.** The search goes from left to right. The match that starts furthest to the left wins. Of several
#   matches that start at the same position, the longest one wins. The search continues after the match. A content is
#   not a pattern: `[M]` matches these three characters.
# - **lstrip**: the part of the token also contains all spaces and tabs directly on its left. In `"a [M] b"`, the part
#   is `" [M]"`.
# - **rstrip**: the part of the token also contains all spaces and tabs directly on its right. In `"a [M] b"`, the part
#   is `"[M] "`.
# - **Once.** Whitespace between two tokens belongs to at most one of them. The left one takes it if it has `rstrip`;
#   otherwise the right one takes it if it has `lstrip`.
# - **Line breaks** (`\n`) are never taken: a token takes only the spaces and tabs between itself and the line break.
#   (The library also takes line breaks.)
#
# <details><summary>Hint</summary>
#
# `"|".join(map(re.escape, contents))` is a pattern that matches any of the contents. It uses the first alternative that
# matches, so sort the contents by length. Store the end of the previous part: a token must not take anything to the
# left of it.
#
# </details>


# %% solution="split_tokens"
def split_tokens(text, tokens):
    """Split a text at added tokens; return pairs of a part and its token or None."""
    ### BEGIN SOLUTION
    import re

    contents = sorted(tokens, key=len, reverse=True)
    parts, done = [], 0
    for match in re.finditer("|".join(map(re.escape, contents)), text):
        (start, end), (lstrip, rstrip) = match.span(), tokens[match.group()]
        while lstrip and start > done and text[start - 1] in " \t":
            start -= 1
        while rstrip and end < len(text) and text[end] in " \t":
            end += 1
        parts += [(text[done:start], None), (text[start:end], match.group())]
        done = end
    parts.append((text[done:], None))
    return [(part, token) for part, token in parts if part]
    ### END SOLUTION
    return ...


# %% hidden="split_tokens"
def right_parts(text, tokens):
    parts, position, between = [], 0, ""
    while position < len(text):
        matches = [content for content in tokens if text.startswith(content, position)]
        if not matches:
            between += text[position]
            position += 1
            continue
        token = max(matches, key=len)
        lstrip, rstrip = tokens[token]
        kept = between.rstrip(" \t") if lstrip else between
        after = text[position + len(token) :]
        taken = after[: len(after) - len(after.lstrip(" \t"))] if rstrip else ""
        parts += [(kept, None)] * bool(kept) + [(between[len(kept) :] + token + taken, token)]
        position, between = position + len(token) + len(taken), ""
    return parts + [(between, None)] * bool(between)


def marked_texts(seed, parts, tables, most=8):
    """Yield texts of a few parts and a table of added tokens, without end."""
    random = Random(seed)
    while True:
        yield "".join(random.choices(parts, k=random.randint(1, most))), random.choice(tables)


PLAIN, LEFT, RIGHT, BOTH = (False, False), (True, False), (False, True), (True, True)


# %% tests="split_tokens-matching" points=2
### BEGIN HIDDEN TESTS
rule = "The match that starts furthest to the left wins; of several matches that start there, the longest wins. The order of the dictionary does not matter."
random = Random(610)
contents = ["ab", "abc", "b", "bc", "bcd", "cd", "d.", "(c"]
tables = [dict.fromkeys(random.sample(contents, random.randint(1, 4)), PLAIN) for _ in range(20)]
overlaps = marked_texts(61, ["a", "b", "c", "d", "abc", ".", "(", "AB"], tables)
sure = [
    ("abcd", {"bcd": PLAIN, "ab": PLAIN}),
    ("abc", {"ab": PLAIN, "abc": PLAIN}),
    ("abc", {"abc": PLAIN, "ab": PLAIN}),
]
sure += [("a.b", {"a.": PLAIN}), ("ab", {"a.": PLAIN}), ("AB", {"ab": PLAIN}), ("", {"ab": PLAIN})]
grade(sheet.get("split_tokens"), right_parts, first_of(overlaps, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert [tuple(part) for part in split_tokens("xabc", {"ab": (False, False), "abc": (False, False)})] == [
    ("x", None),
    ("abc", "abc"),
]

# %% tests="split_tokens-left" points=1
### BEGIN HIDDEN TESTS
rule = "A token with `lstrip` takes all spaces and tabs directly on its left, and none on its right."
sure = [("a  [M] b", {"[M]": LEFT}), ("a\xa0[M]", {"[M]": LEFT})]
left = marked_texts(62, ["a", "[M]", " ", "  ", "\t", "\xa0"], [{"[M]": LEFT}])
grade(sheet.get("split_tokens"), right_parts, first_of(left), rule, sure, tried=40)
### END HIDDEN TESTS
assert [tuple(part) for part in split_tokens("a [M] b", {"[M]": (True, False)})] == [
    ("a", None),
    (" [M]", "[M]"),
    (" b", None),
]

# %% tests="split_tokens-right" points=1
### BEGIN HIDDEN TESTS
rule = "A token with `rstrip` takes all spaces and tabs directly on its right, and none on its left."
sure = [("a [M]  b", {"[M]": RIGHT}), ("[M]\xa0b", {"[M]": RIGHT})]
right = marked_texts(63, ["a", "[M]", " ", "  ", "\t", "\xa0"], [{"[M]": RIGHT}])
grade(sheet.get("split_tokens"), right_parts, first_of(right), rule, sure, tried=40)
### END HIDDEN TESTS
assert [tuple(part) for part in split_tokens("a [M] b", {"[M]": (False, True)})] == [
    ("a ", None),
    ("[M] ", "[M]"),
    ("b", None),
]

# %% tests="split_tokens-once" points=2
### BEGIN HIDDEN TESTS
rule = "Whitespace between two tokens is taken once: by the left one if it has `rstrip`, otherwise by the right one if it has `lstrip`."
tables = [{"[M]": one, "<s>": other} for one in (PLAIN, LEFT, RIGHT, BOTH) for other in (PLAIN, LEFT, RIGHT, BOTH)]
between = marked_texts(64, ["[M] ", "<s>", " ", "\t", "[M]", "<s> ", "a"], tables)
sure = [("[M] [M]", {"[M]": BOTH}), ("[M] <s>", {"[M]": RIGHT, "<s>": LEFT}), ("[M] <s>", {"[M]": PLAIN, "<s>": PLAIN})]
grade(sheet.get("split_tokens"), right_parts, first_of(between), rule, sure, tried=40)
### END HIDDEN TESTS
assert [part for part, _ in split_tokens("[M] [M]", {"[M]": (True, True)})] == ["[M] ", "[M]"]

# %% tests="split_tokens-breaks" points=1
### BEGIN HIDDEN TESTS
rule = "A line break is never taken, nor is the whitespace beyond it."
texts = marked_texts(65, ["a", "[M]", " \n ", "\n", " "], [{"[M]": BOTH}, {"[M]": LEFT}, {"[M]": RIGHT}])
breaks = ((text, tokens) for text, tokens in texts if text.count("[M]") == 1)
examples = [(f"{before}[M]{after}", {"[M]": BOTH}) for before, after in ((" \n ", " \n "), ("\n  ", "  \n"))]
grade(sheet.get("split_tokens"), right_parts, first_of(breaks), rule, examples, tried=40)
### END HIDDEN TESTS
assert [part for part, _ in split_tokens("a\n [M]", {"[M]": (True, False)})] == ["a\n", " [M]"]

# %% [markdown]
# ## 6. Labels: onto tokens and back ({points entity_tags} + {points tagged_entities} points)
#
# An entity is a triple `(start, end, label)`: a span of the text, and a label such as `"PER"`. A model labels tokens
# with **BIO tags**: `B-PER` for the first token of an entity, `I-PER` for its other tokens, and `O` for tokens outside
# all entities. `offsets` is the list of the spans of all tokens, in the order of the text.
#
# Write `entity_tags(entities, offsets)`, which returns the list of tags. `entities` is a list of entities in any order.
# They do not overlap, and each has at least one character. The rules:
#
# - **Shared characters.** A token belongs to an entity if they share at least one character. A token with an empty
#   span, such as a special token, shares no character: its tag is `O`, wherever it is.
# - **Most characters.** If a token shares characters with several entities, it belongs to the entity with which it
#   shares the most. If the numbers are equal, it belongs to the entity that starts further left. (The lesson uses the
#   first label.)
# - **B and I.** The first token that belongs to an entity has `B-`, and the others have `I-`. Each entity starts again
#   with `B-`, also directly after another entity with the same label. Several tokens may have the same span. With the
#   entity `(0, 2, "PER")`, the spans `(0, 1)`, `(1, 2)` and `(2, 3)` have the tags `B-PER`, `I-PER` and `O`.
#
# Now the other direction. Write `tagged_entities(tags, offsets)`, which returns the list of entities, as triples in the
# order of the text. A model predicts `tags`, so they may be inconsistent. Labels contain no hyphen. The rules:
#
# - **B** begins an entity. An **I** with the same label directly after it continues the entity, and so does each
#   further `I` with this label. The span of an entity goes from the start of its first token to the end of its last
#   token, including everything between them. The tags `B-PER` and `I-PER` with the spans `(3, 5)` and `(6, 8)` give
#   `(3, 8, "PER")`.
# - **Stray I.** An `I` cannot continue an entity if it follows `O` or another label, or is the first tag. It then
#   begins a new entity.
# - **Empty spans.** Tokens with an empty span are skipped, and their tags do not matter: they neither begin nor end an
#   entity.
#
# <details><summary>Hint</summary>
#
# The spans `(a, b)` and `(c, d)` share `min(b, d) - max(a, c)` characters, if this number is more than 0. For the other
# direction, store the label of the entity that may still be continued.
#
# </details>


# %% solution="entity_tags"
def entity_tags(entities, offsets):
    """Return the BIO tag of each token."""
    ### BEGIN SOLUTION
    tags, begun = [], set()
    for start, end in offsets:
        tag, most = "O", 0
        for entity in sorted(entities):
            shared = min(end, entity[1]) - max(start, entity[0])
            if shared > most:
                most, owner = shared, entity
        if most:
            tag = ("I-" if owner in begun else "B-") + owner[2]
            begun.add(owner)
        tags.append(tag)
    return tags
    ### END SOLUTION
    return ...


# %% hidden="entity_tags"
from itertools import product


def right_tags(entities, offsets):
    owners = []
    for span in offsets:
        shared = {entity: len({*range(*span)} & {*range(*entity[:2])}) for entity in sorted(entities)}
        owners.append(max(shared, key=shared.get) if any(shared.values()) else None)
    return tags_of(owners)


def tags_of(owners):
    return ["O" if one is None else "IB"[owners.index(one) == n] + "-" + one[2] for n, one in enumerate(owners)]


def tags_for_any_owner(entities, offsets):
    """Return all lists of tags in which a token that is not inside an entity belongs to any that it touches, or to none."""
    choices = {}
    for start, end in offsets:
        touched = [one for one in entities if min(end, one[1]) > max(start, one[0])]
        inside = any(one[0] <= start and end <= one[1] for one in touched)
        choices[start, end] = touched if inside else [*touched, None]
    chosen = [dict(zip(choices, owners)) for owners in product(*choices.values())]
    return [tags_of([owner_of[span] for span in offsets]) for owner_of in chosen]


def one_of(given, right):
    return any(equal_values(given, tags) for tags in right)


def labelled(seed, fits=lambda *_: True, longest=3, labels=("PER", "LOC"), spaces=(0,), copies=(1,), special=False):
    """Yield entities and the offsets of tokens for which a condition holds, without end."""
    random = Random(seed)
    while True:
        spans = spans_with_gaps(random, random.randint(1, 3), 4, [0, 1])
        entities = [(*span, random.choice(labels)) for span in spans]
        tokens = spans_with_gaps(random, random.randint(1, 6), longest, spaces)
        offsets = [span for span in tokens for _ in range(random.choice(copies))]
        if special:
            positions = [0, random.randint(0, len(offsets))]
            for position in positions:
                offsets.insert(position, random.choice([(0, 0), (tokens[-1][0],) * 2]))
        random.shuffle(entities)
        if fits(entities, offsets):
            yield entities, offsets


def numbers_shared(entities, span):
    """Return the numbers of characters that a token shares with the entities, without zeros, the largest first."""
    shared = [len({*range(*span)} & {*range(*entity[:2])}) for entity in entities]
    return sorted(filter(None, shared), reverse=True)


def none_shared_by_two(entities, offsets):
    return all(len(numbers_shared(entities, span)) < 2 for span in offsets)


def one_shared_by_two(entities, offsets):
    return any(len(numbers_shared(entities, span)) > 1 for span in offsets)


def starts_with_a_token(entities, offsets):
    """Whether each entity that a token touches starts where the token starts, or before it."""
    return not any(start < entity[0] < end for start, end in offsets for entity in entities)


def labels_only(given, right):
    return equal_values([tag.rpartition("-")[2] for tag in given], [tag.rpartition("-")[2] for tag in right])


# %% tests="entity_tags-shared" points=1
### BEGIN HIDDEN TESTS
rule = "A token has the label of an entity if they share at least one character, and O if it shares no character with any entity."
apart = labelled(71, none_shared_by_two, spaces=[0, 1])
sure = [
    ([], [(0, 1)]),
    ([(0, 1, "PER")], []),
    ([(0, 3, "PER")], [(0, 1), (1, 2), (2, 5)]),
    ([(2, 4, "PER")], [(0, 2), (2, 4), (4, 5)]),
    ([(2, 3, "PER")], [(0, 2), (3, 5)]),
]
grade(sheet.get("entity_tags"), right_tags, first_of(apart, 60), rule, sure, tried=60, same=labels_only)
### END HIDDEN TESTS
assert [tag[-3:] for tag in entity_tags([(1, 3, "PER")], [(0, 2), (2, 4), (4, 5)])] == ["PER", "PER", "O"]

# %% tests="entity_tags-most" points=1
### BEGIN HIDDEN TESTS
rule = "A token belongs to the entity with which it shares the most characters; if the numbers are equal, to the one further left."
crossing = labelled(72, one_shared_by_two, longest=6)
sure = [([(3, 5, "LOC"), (0, 1, "PER")], [(0, 5)]), ([(1, 2, "LOC"), (0, 1, "PER")], [(0, 2)])]
sure += [([(0, 2, "PER"), (2, 5, "LOC"), (5, 7, "PER")], [(0, 7)])]
grade(sheet.get("entity_tags"), right_tags, first_of(crossing, 60), rule, sure, tried=60, same=labels_only)
### END HIDDEN TESTS
assert [tag[-3:] for tag in entity_tags([(0, 1, "PER"), (1, 4, "LOC")], [(0, 3)])] == ["LOC"]

# %% tests="entity_tags-begin" points=2
### BEGIN HIDDEN TESTS
rule = "The first token of each entity has B, and all others have I, also if entities with the same label are adjacent or tokens have the same span."
neighbours = labelled(73, longest=3, copies=[1, 1, 2])
sure = [
    ([(0, 2, "PER"), (2, 4, "PER")], [(0, 1), (1, 2), (2, 3), (3, 4)]),
    ([(0, 1, "PER")], [(0, 1), (0, 1)]),
    ([(0, 2, "PER"), (2, 5, "LOC")], [(0, 3), (3, 5)]),
]
grade(sheet.get("entity_tags"), tags_for_any_owner, first_of(neighbours, 60), rule, sure, tried=60, same=one_of)
### END HIDDEN TESTS
assert list(entity_tags([(0, 2, "PER")], [(0, 1), (1, 2), (2, 3)])) == ["B-PER", "I-PER", "O"]

# %% tests="entity_tags-empty" points=1
### BEGIN HIDDEN TESTS
rule = "A token with an empty span belongs to no entity, wherever it is, and the next token of the entity still has I."
empty = labelled(74, starts_with_a_token, longest=2, special=True)
sure = [([(0, 2, "PER")], [(0, 0), (0, 1), (1, 1), (1, 2)]), ([(0, 1, "PER")], [(0, 1), (1, 1)])]
grade(sheet.get("entity_tags"), tags_for_any_owner, first_of(empty, 60), rule, sure, tried=60, same=one_of)
### END HIDDEN TESTS
assert entity_tags([(0, 2, "PER")], [(0, 0), (0, 2)])[0] == "O"


# %% solution="tagged_entities"
def tagged_entities(tags, offsets):
    """Return the entities that BIO tags describe."""
    ### BEGIN SOLUTION
    entities, current = [], None
    for tag, (start, end) in zip(tags, offsets):
        if start == end:
            continue
        kind, _, label = tag.partition("-")
        if kind == "I" and label == current:
            entities[-1] = (entities[-1][0], end, label)
        elif kind != "O":
            entities.append((start, end, label))
        current = None if kind == "O" else label
    return entities
    ### END SOLUTION
    return ...


# %% hidden="tagged_entities"
def right_entities(tags, offsets):
    marks = [(tag[0], tag[2:], span) for tag, span in zip(tags, offsets) if span[0] < span[1]]
    runs = []
    for position, (kind, label, span) in enumerate(marks):
        continues = kind == "I" and position > 0 and marks[position - 1][0] != "O" and marks[position - 1][1] == label
        if continues:
            runs[-1].append((span, label))
        elif kind != "O":
            runs.append([(span, label)])
    return [(run[0][0][0], run[-1][0][1], run[0][1]) for run in runs]


def tagged(seed, kinds, fits=lambda tags: True, empty=False, gaps=(0, 1), copies=(1,)):
    """Yield tags and the offsets of tokens, with gaps between them, without end."""
    random = Random(seed)
    while True:
        spans = spans_with_gaps(random, random.randint(1, random.choice([4, 10])), 3, gaps)
        offsets = [span for span in spans for _ in range(random.choice(copies))]
        if empty:
            for position in (0, random.randint(0, len(offsets))):
                offsets.insert(position, random.choice([(0, 0), (2, 2)]))
        tags = [random.choice(kinds) for _ in offsets]
        if fits(tags):
            yield tags, offsets


def consistent(tags):
    """Whether each I follows a B or an I with its label."""
    return all(after[0] != "I" or before[2:] == after[2:] for before, after in zip(["O", *tags], tags))


def stray(tags):
    return not consistent(tags)


# %% tests="tagged_entities-spans" points=2
### BEGIN HIDDEN TESTS
rule = "An entity goes from the start of its B to the end of the last I that follows; each B begins another entity."
sound = tagged(75, ["B-PER", "I-PER", "O", "B-MISC", "I-MISC"], consistent, gaps=[0, 1, 4], copies=[1, 1, 2])
sure = [([], []), (["B-PER", "I-PER"], [(0, 2), (5, 7)]), (["B-PER", "B-PER"], [(0, 2), (2, 5)])]
sure += [(["B-MISC", "B-MISC"], [(0, 1), (1, 2)]), (["B-PER", "B-MISC"], [(0, 1), (0, 1)])]
grade(sheet.get("tagged_entities"), right_entities, first_of(sound, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert [tuple(one) for one in tagged_entities(["O", "B-PER", "I-PER"], [(0, 2), (3, 5), (6, 8)])] == [(3, 8, "PER")]

# %% tests="tagged_entities-stray" points=1
### BEGIN HIDDEN TESTS
rule = "An I that follows O or another label, or is the first tag, begins a new entity with its own label."
strays = tagged(76, ["B-PER", "I-PER", "O", "B-LOC", "I-LOC"], stray)
sure = [
    (["I-PER"], [(0, 1)]),
    (["B-PER", "I-LOC"], [(0, 1), (1, 2)]),
    (["B-PER", "O", "I-PER"], [(0, 1), (1, 2), (2, 3)]),
]
grade(sheet.get("tagged_entities"), right_entities, first_of(strays, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert [tuple(one) for one in tagged_entities(["O", "I-PER"], [(0, 2), (2, 4)])] == [(2, 4, "PER")]

# %% tests="tagged_entities-empty" points=1
### BEGIN HIDDEN TESTS
rule = "Tokens with an empty span are skipped: they neither begin nor end an entity."
skipped = tagged(77, ["B-PER", "I-PER", "O", "B-LOC", "I-LOC"], empty=True)
skipped = ((tags, offsets) for tags, offsets in skipped if consistent([t for t, (a, b) in zip(tags, offsets) if a < b]))
sure = [(["B-PER", "O", "I-PER"], [(0, 1), (0, 0), (1, 2)]), (["B-PER", "B-PER"], [(0, 0), (1, 2)])]
sure += [(["B-PER", "B-LOC", "I-PER"], [(0, 1), (0, 0), (1, 2)])]
grade(sheet.get("tagged_entities"), right_entities, first_of(skipped, 60), rule, sure, tried=60)
### END HIDDEN TESTS
assert [tuple(one) for one in tagged_entities(["B-PER", "O"], [(0, 2), (0, 0)])] == [(0, 2, "PER")]

# %% [markdown]
# ## 7. With your own rules ({points trace} points)
#
# Your data and two rules depend on your id. Run the next two cells, and read the two rules in the output. Other students
# have other rules. Use pencil and paper, or write a small program. Here the rules of **lesson 11** apply, not those of
# the tasks above. Your two rules replace them in `windows` and `parts`.
#
# - `offsets`: a byte-level tokenizer knows only single bytes and encodes `my.text` without special tokens. Write the
#   offsets of all tokens, a list of pairs.
# - `span`: `my.alignments` has the original span of each normalized character. A token covers the normalized characters
#   from `my.covered[0]` up to, but not including, `my.covered[1]`. Write its offsets, a pair.
# - `windows`: a sequence of `my.length` tokens is truncated to `my.size` tokens with the stride `my.stride`, without
#   special tokens. In the lesson, each window starts `my.stride` tokens before the end of the window before it, and the
#   last one may be shorter. Apply *your rule for windows*. Write a list of pairs: the index of the first token, and the
#   index after the last one.
# - `parts`: `my.marked` is split at the added token `[M]`. Which spaces it takes is *your rule for spaces*. Write all
#   parts, a list of strings, none of them empty.
# - `types`: `my.first` tokens and `my.second` tokens are encoded as a pair with the template
#   `[CLS] $A [SEP] $B:1 [SEP]:1`. Write the type ids, a list of integers.
# - `tags`: `my.labels` has a label for each character, and `my.spans` has the offsets of each token. Project the labels
#   onto the tokens as in the exercise *Write it* of the lesson. Write a list of labels.

# %% locked="my_data"
from types import SimpleNamespace

from tokenlab.check.student_id import variant_chooser


WINDOWS = {
    "from the end": "the first window ends at the end of the sequence, and each next one ends `my.stride` tokens after the "
    "start of the window before it; the last one starts at 0 and may be shorter",
    "extended": "a last window that would be shorter is not written; the window before it is extended to the end",
    "longer": "each window is one token longer than the window before it; the first has `my.size` tokens, the last may "
    "be shorter",
}
SPACES = {
    "one left": "[M] takes one space on its left, if there is one, and none on its right",
    "one right": "[M] takes one space on its right, if there is one, and none on its left",
    "one each": "[M] takes one space on each side, if there is one",
}


def my_data(student_id):
    """Return the names of two rules, texts, alignments, window sizes and labels, all derived from an id."""
    draw = variant_chooser(student_id)
    letter, other = draw("a", "b", "c", "d"), draw("x", "y", "z")
    text = draw(letter + " ", letter) + draw("é", "日", "€", "🙂", "語", "🍵", "ß") + draw(" " + other, other)
    wide, copies, length = draw(1, 2), draw(2, 3), draw(5, 6)
    alignments = [
        (position, position + 1) for position in range(length) for _ in range(copies if position == wide else 1)
    ]
    size, stride = draw((5, 1), (6, 1), (6, 2), (7, 2), (7, 3), (8, 3))
    word, next_word = draw("at", "by", "in", "on"), draw("sea", "home", "work")
    marked = draw(f"{word}  [M]  {next_word}", f"{word}  [M]   [M]  {next_word}", f"  [M]  {next_word}  [M]{word}")
    entity, label = draw(2, 3), draw("PER", "LOC", "ORG")
    after = draw("PER", "LOC", "ORG")
    labels = ["O"] * draw(1, 2) + [label] * entity + ["O"] + [after] * 2
    middle = labels.index(label)
    return SimpleNamespace(
        window_rule=draw(*WINDOWS),
        space_rule=draw(*SPACES),
        text=text,
        alignments=alignments,
        covered=(draw(wide, wide + 1), wide + copies + draw(0, 1)),
        length=size + 2 * (size - stride) - draw(1, 2),
        size=size,
        stride=stride,
        marked=marked,
        first=draw(1, 2, 3, 4),
        second=draw(2, 3, 4, 5),
        labels=labels,
        spans=[(0, 0), (0, middle + 1), (middle + 1, middle + entity), (middle + entity, len(labels)), (0, 0)],
    )


# %% locked="my"
my = my_data(student_id)
for name, value in vars(my).items():
    print(f"my.{name} = {value!r}")
print(f"Your rule for windows: {WINDOWS[my.window_rule]}.")
print(f"Your rule for spaces: {SPACES[my.space_rule]}.")

# %% solution="trace"
offsets = ...
span = ...
windows = ...
parts = ...
types = ...
tags = ...
### BEGIN SOLUTION
offsets = [(position, position + 1) for position, character in enumerate(my.text) for _ in character.encode()]
span = (my.alignments[my.covered[0]][0], my.alignments[my.covered[1] - 1][1])
windows = [(0, my.size)]
while windows[-1][1] < my.length:
    begin = windows[-1][1] - my.stride
    size = my.size + len(windows) if my.window_rule == "longer" else my.size
    windows.append((begin, min(begin + size, my.length)))
if my.window_rule == "from the end":
    windows = [(my.length - end, my.length - begin) for begin, end in windows]
elif my.window_rule == "extended" and windows[-1][1] - windows[-1][0] < my.size:
    windows[-2:] = [(windows[-2][0], my.length)]
parts, left = [], my.marked
while "[M]" in left:
    before, _, left = left.partition("[M]")
    token = "[M]"
    if my.space_rule != "one right" and before.endswith(" "):
        before, token = before[:-1], " " + token
    if my.space_rule != "one left" and left.startswith(" "):
        token, left = token + " ", left[1:]
    parts += [before, token] if before else [token]
parts += [left] if left else []
types = [0] * (my.first + 2) + [1] * (my.second + 1)
tags = []
for start, end in my.spans:
    labelled = [label for label in my.labels[start:end] if label != "O"]
    tags.append(labelled[0] if labelled else "O")
### END SOLUTION

# %% hidden="trace"
from tokenlab.check.student_id import check_same_student

student_id = sheet.get("student_id")
check_same_student(student_id)
my = sheet["my_data"](student_id)


def same(name, right, rule):
    """Compare an answer with the right one, without revealing it."""
    grade_answer(sheet, name, right, rule, same=equal_values)


# %% tests="trace-offsets" points=1
### BEGIN HIDDEN TESTS
positions = [position for position, character in enumerate(my.text) for byte in character.encode("utf-8")]
rule = "There is one token for each byte, and all bytes of a character have the span of that character."
same("offsets", [(position, position + 1) for position in positions], rule)
### END HIDDEN TESTS
assert offsets is not ..., "Write a list of pairs."

# %% tests="trace-span" points=1
### BEGIN HIDDEN TESTS
covered = my.alignments[slice(*my.covered)]
rule = "Offsets refer to the original text: from the start of the first alignment to the end of the last one."
same("span", (min(covered)[0], max(covered)[1]), rule)
### END HIDDEN TESTS
assert span is not ..., "Write a pair."

# %% tests="trace-windows" points=1
### BEGIN HIDDEN TESTS
more = my.window_rule == "longer"
starts = [0]
while starts[-1] + my.size + more * (len(starts) - 1) < my.length:
    starts.append(starts[-1] + my.size + more * (len(starts) - 1) - my.stride)
right = [(start, min(start + my.size + more * number, my.length)) for number, start in enumerate(starts)]
if my.window_rule == "from the end":
    right = [(my.length - end, my.length - start) for start, end in right]
if my.window_rule == "extended":
    right = [*right[:-2], (right[-2][0], my.length)]  # the last window is shorter for all data
rule = "Adjacent windows share `stride` tokens, and your rule for windows says where they start and how long they are."
same("windows", right, rule)
### END HIDDEN TESTS
assert windows is not ..., "Write a list of pairs."

# %% tests="trace-parts" points=1
### BEGIN HIDDEN TESTS
token = {"one left": r"( ?\[M\])", "one right": r"(\[M\] ?)", "one each": r"( ?\[M\] ?)"}[my.space_rule]
cut = [part for part in re.split(token, my.marked) if part]
rule = "Your rule for spaces says which spaces the added token takes; all others stay, and the parts join to the text."
same("parts", cut, rule)
### END HIDDEN TESTS
assert parts is not ..., "Write a list of strings."

# %% tests="trace-types" points=1
### BEGIN HIDDEN TESTS
rule = "Every token has a type id, also the special tokens: [CLS] and the first [SEP] have 0, the last [SEP] has 1."
same("types", [0, *[0] * my.first, 0, *[1] * my.second, 1], rule)
### END HIDDEN TESTS
assert types is not ..., "Write a list of integers."

# %% tests="trace-tags" points=1
### BEGIN HIDDEN TESTS
found = [next((label for label in my.labels[start:end] if label != "O"), "O") for start, end in my.spans]
rule = "A token has the first label in its span that is not O, or O if all labels are O; special tokens have an empty span."
same("tags", found, rule)
### END HIDDEN TESTS
assert tags is not ..., "Write a list of labels."

# %% [markdown]
# ## 8. In words ({points words} points)
#
# A colleague trains a model that finds names in text. "My tokenizer normalizes with NFKC, lower-cases and removes
# accents. I get the span of each token with `text.find(token)`, and if that returns `-1`, I search in the normalized
# text instead. The model's tokens are correct, but the highlighted characters are often wrong." Explain:
#
# - the mistakes in **both** ways to get a span, each with your own example (a text of at most 20 characters, with
#   positions, not from the lessons or this sheet);
# - how to get the correct span;
# - which tokens have no characters in the text, and how to treat them.
#
# A person reads and grades this.

# %% [markdown] solution="words" points=4
# `find` returns the first occurrence, not the one that the token came from. In *Annan, an*, the second word is *an* at
# (7, 9). A search for *an* returns 3, inside *Annan*, so the end of the name is highlighted. If the tokenizer changed
# the characters, the search returns -1: *Tōkyō* becomes *tokyo*. A position in the normalized text is not a position in
# the original text: *㎏ Bob* becomes *kg bob*, where *bob* is at (3, 6), but in the original text *Bob* is at (2, 5).
# Each character that becomes several characters shifts all positions after it to the right, and each removed mark
# shifts them to the left. The correct way: the normalizer keeps an alignment, the original span of each normalized
# character. A token goes from the start of its first character to the end of its last one. The fast tokenizer returns
# these spans as `encoding.offsets`. Special tokens such as `[CLS]`, and padding, have the span (0, 0), which contains
# no character: give them the label O (or leave them out of the loss), and highlight nothing.
#
# **Points.** 1: `find` returns the first occurrence (or -1), with an example whose positions are correct. 1: positions
# in the normalized text are not positions in the original text, with an example in which a character becomes several or
# is removed, and both spans. 1: the alignment (offsets), and how to compute the span of a token from it. 1: special
# tokens have an empty span and must be skipped; and all examples are the student's own. No point for an example from
# the lessons or from the sheet.
