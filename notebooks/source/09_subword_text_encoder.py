# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # SubwordTextEncoder
#
# > **You will be able to** escape a token by hand; explain why decoding returns every text exactly; decide by hand which
# > strings become subtokens.
# >
# > **Time:** core 40 minutes, practice 43 minutes (and 28 in *Go further*). **Before this:** `02_bpe_encoding` and `05_wordpiece`.
#
# <details><summary>Two questions from earlier lessons: how does WordPiece encode a word? How does it encode a word with an unknown character?</summary>
#
# From the left, WordPiece takes the longest token that matches, and repeats this for the rest of the word. A word with an
# unknown character becomes one unknown token.
# </details>
#
# A model reads and writes token ids, not characters, so it cannot distinguish two texts that have the same ids. A tokenizer
# like BERT's, trained on a text without `€` and `¥`, encodes two prices:

# %%
from tokenizers import BertWordPieceTokenizer

from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency

vocabulary = train_by_frequency(count_words(data.text("english"), "bert"), 600)
bert = BertWordPieceTokenizer({token: id for id, token in enumerate(["[UNK]", "[CLS]", "[SEP]", *vocabulary])})
ids = {text: bert.encode(text, add_special_tokens=False).ids for text in ("It costs 10 €", "It costs 10 ¥")}
{text: (ids[text], bert.decode(ids[text], skip_special_tokens=False)) for text in ids}

# %% [markdown]
# Both prices have the same ids, because `€` and `¥` became the unknown token.
#
# The library tensor2tensor contains the code of the paper *Attention Is All You Need*. Its tokenizer, `SubwordTextEncoder`,
# needs no [unknown token](../docs/glossary.md#unknown-token), and decoding returns every text exactly. The player
# shows the last step of an encoding. (␣ is a space.) Step back to the
# start. Then type an underscore, an emoji, or two spaces.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_subword_text import explore_subword_text
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder

# Learn about 600 entries from the same text.
encoder = SubwordTextEncoder.build_from_generator(data.text("english").splitlines(), 600)
explore_subword_text("It costs 10 € in snake_case", encoder)

# %% [markdown]
# How many lines with emoji, accents, tabs and other writing systems does each tokenizer decode exactly?

# %%
lines = data.text("mixed").splitlines()
by_bert = [bert.decode(bert.encode(line, add_special_tokens=False).ids) for line in lines]
by_subtokens = [encoder.decode(encoder.encode(line)) for line in lines]
same = [sum(map(str.__eq__, lines, decoded)) for decoded in (by_bert, by_subtokens)]
{"lines": len(lines), "exact, like BERT": same[0], "exact, SubwordTextEncoder": same[1]}

# %% [markdown]
# ## Splitting drops single spaces
#
# tensor2tensor has its own terms: a [pre-token](../docs/glossary.md#pre-token) is called a *token* here, and an entry
# of the vocabulary is a [**subtoken**](../docs/glossary.md#subtoken).
#
# The encoder first splits a text into runs of letters and digits, and runs of other characters. A *word* is a run of
# letters and digits. Every run is a token, so `snake_case` is 3 tokens: `snake`, `_` and `case`.
#
# A single space between two words is dropped. This loses nothing: without a space, two adjacent words would be one
# run, so the decoder inserts a space between them.
#
# ## An underscore ends a token
#
# Each token will be split further, so an underscore is appended to mark its end. But what if the text
# contains an underscore, or a character that the vocabulary lacks? The token is first
# [**escaped**](../docs/glossary.md#escaping): it is written with the characters of the
# [alphabet](../docs/glossary.md#alphabet) only. The alphabet contains all characters of the corpus, and the
# characters that escapes need: `\`, `_`, `u`, `;` and the digits. (Two special tokens, introduced below, add theirs.)
# The rules are:
#
# - An underscore in the text becomes `\u`.
# - A backslash in the text becomes `\\`, because otherwise a typed `\u` would be decoded as an underscore.
# - A character outside the alphabet becomes `\`, its [code point](../docs/glossary.md#code-point) (Unicode number) in
#   decimal digits, and `;`.
# - A line feed (the character that ends a line) becomes `\10;`, even if it is in the alphabet.
#
# Step through `snö_case` with an alphabet that lacks `ö`.

# %%
from tokenlab.algorithms.subword_text.escape import ESCAPE_CHARACTERS, escape

escape.record("snö_case", ESCAPE_CHARACTERS | set("snake c"))

# %% [markdown]
# **After escaping, every underscore marks the end of a token.** So the decoder finds all tokens, and because every
# character can be escaped, the encoder needs no unknown token. A subtoken that ends in an underscore is the *last*
# one of its
# token: `the_` can be the token *the* or the end of *bathe*. The encoder
# always takes the longest subtoken that matches, as WordPiece does.
#
# The first two subtokens are [special tokens](../docs/glossary.md#special-token), called *reserved tokens*: `<pad>_` (id 0)
# fills lists of ids up to a common length, and `<EOS>_` (id 1) ends a text.
#
# ## Training: a kept string reduces the counts of its prefixes
#
# If `the` is frequent, its *prefixes* (beginnings) `t` and `th` are at least as frequent. But once `the` is a
# subtoken, few tokens need them. So when training keeps a string, the count of the string is subtracted from
# those of its prefixes. At first, the subtokens are the characters of the alphabet. One *iteration*, a pass over the
# corpus, has 3 parts:
#
# 1. Segment each escaped token by [longest match](../docs/glossary.md#longest-match).
# 2. At each position where a subtoken starts, count every substring that starts there, even if it is
#    longer than the subtoken. If `the_` is segmented into `t` and `he_`, the counted strings are `t`, `th`, `the`,
#    `the_`, `h`, `he` and `he_`. If a token occurs 10 times, each of these strings
#    counts 10 times.
# 3. Go through the strings, the longest first. If the current count of a string is at least
#    [**min_count**](../docs/glossary.md#min-count), keep it as a subtoken of the
#    next iteration. Then subtract its count from that of each prefix.
#
# If `the_` is kept with the count 10, the counts of `t`, `th` and `the` fall by 10. Characters are always kept.

# %%
from tokenlab.algorithms.subword_text.build import build

build.record({"the": 10, "then": 4, "that": 3}, min_count=3, iterations=1)

# %% [markdown]
# The library runs 4 iterations. Set `iterations=2`: the second iteration segments *that* into the single subtoken
# `that_`. Then no subtoken starts at `hat_`, so this string is not counted and is dropped.
#
# ## The function itself
#
# `select_subtokens` does part 3 of an iteration.

# %%
from tokenlab import show
from tokenlab.algorithms.subword_text.build import select_subtokens

show.source(select_subtokens)

# %% [markdown]
# ## Where it breaks: small vocabularies
#
# The library searches for a `min_count` that gives about your target size (see *Go further*). But every character
# stays a subtoken, so no vocabulary is smaller than its alphabet. A user
# asked tensor2tensor for about 1,000 subtokens and [got about
# 5,000](https://github.com/tensorflow/tensor2tensor/issues/729). The library gives no warning; our encoder does.

# %%
import warnings

with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    chinese = SubwordTextEncoder.build_from_generator(data.text("chinese").splitlines(), 300)
chinese.vocab_size, str(warned[0].message)

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# Four strings have these counts: *t* 9, *th* 9, *the* 7, *them* 5. Let `min_count` be 3. Go through part 3 by hand.
# Which strings are kept, and with which current counts?

# %% tags=["practice"]
from tokenlab import check

# A dict from each kept string to its current count when it is kept. The form is: {"abc": 7}
my_kept = ...

check.subtokens_kept(my_kept)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which string comes first?</details>
# <details><summary>Hint: a smaller example</summary>The counts are: <i>ab</i> 5, <i>a</i> 6. First <i>ab</i> is kept with 5. Then <i>a</i> has 1 left.</details>
# <details><summary>Hint: the structure</summary>Write the four counts in a row. After each kept string, change the counts of its prefixes.</details>
#
# ### Find the bug · medium · 5 minutes · importance 4 of 5
#
# `no_escape` appends the underscore but does not escape the underscores of the text. Find a token that is not decoded
# correctly.

# %% tags=["practice"]
from tokenlab.misconceptions.subword_text import no_escape

my_token = ...  # a nonempty string; "snake" is decoded correctly

check.bug(no_escape, my_token)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does an underscore mean to the decoder?</details>
# <details><summary>Hint: a smaller example</summary>The decoder splits <code>!_?_</code> into the tokens <code>!</code> and <code>?</code>.</details>
# <details><summary>Hint: the structure</summary>A token of 1 character is enough.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 3 of 5
#
# Write the escaping. Fill in what an underscore becomes, and the condition under which a character is unchanged. The
# alphabet contains the characters of the escapes. The tokens contain no line feed.


# %% tags=["practice"]
def my_escape(token: str, alphabet: str) -> str:
    r"""Example: my_escape("a_é", r"ab_u\;0123456789") returns r"a\u\233;_"."""
    token = token.replace("\\", "\\\\").replace("_", ...)
    return "".join(c if ... else f"\\{ord(c)};" for c in token) + "_"


check.escape(my_escape)

# %% [markdown]
# <details><summary>Hint: a question</summary>How do you write a string with a backslash in Python?</details>
# <details><summary>Hint: a smaller example</summary>The string <code>"\\u"</code> has 2 characters: a backslash and a <code>u</code>.</details>
# <details><summary>Hint: the structure</summary>The first line needs a string. The second line needs a comparison of <code>c</code> and <code>alphabet</code>.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# Write part 3 of an iteration. Return the set of all kept strings and all characters of `alphabet`. All prefixes of a
# string in `counts` are also in `counts`.


# %% tags=["practice"]
def my_keep(counts: dict[str, int], min_count: int, alphabet: str) -> set[str]:
    """Example: my_keep({"a": 3, "ab": 3, "abc": 1}, 2, "ac") returns {"a", "c", "ab"}."""
    return ...


check.choose_subtokens(my_keep)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which counts change when a string is kept?</details>
# <details><summary>Hint: a smaller example</summary>If <i>abc</i> is kept, the counts of <i>a</i> and <i>ab</i> change. The counts of <i>b</i>, <i>bc</i> and <i>c</i> do not change.</details>
# <details><summary>Hint: the structure</summary>Copy the counts. Sort the strings by length, the longest first. In a loop: compare, keep, subtract.</details>
#
# ### Another rule · hard · 8 minutes · importance 2 of 5
#
# Write longest match from the right. At each step, take the longest subtoken with which the string `escaped` ends, and
# remove it from the string. Return the subtokens in the order of the original string. Each character of `escaped` is a
# subtoken.


# %% tags=["practice"]
def my_segment_from_right(escaped: str, subtokens: list[str]) -> list[str]:
    """Example: my_segment_from_right("aab", ["a", "b", "aa", "ab"]) returns ["a", "ab"]."""
    return ...


check.segment_from_right(my_segment_from_right)

# %% [markdown]
# <details><summary>Hint: a question</summary>You just removed a subtoken. Where does the remaining string end?</details>
# <details><summary>Hint: a smaller example</summary>For <i>aab</i>, look up <code>aab</code> and then <code>ab</code>. Remove <code>ab</code>. Now <code>a</code> remains.</details>
# <details><summary>Hint: the structure</summary>Try the starts from 0 upwards. The first start that gives a subtoken gives the longest subtoken.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# The encoder writes `_` at the end of each token, although the text itself may contain underscores. Say in three
# sentences what the mark is for, why an underscore of the text causes no confusion, and why decoding therefore
# returns every text.
#
# <details><summary>What a good answer contains</summary>
# 1. The underscore marks the end of a token, so the decoder knows where one token ends and the next begins.<br>
# 2. Underscores in the text become <code>\u</code> and backslashes become <code>\\</code> before the mark is added.<br>
# 3. So each escaped token has one underscore, at its end; the decoder splits there, undoes the escaping, and inserts
#    the dropped spaces between words.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The decoder needs to know where a token ends, and the underscore says it. Underscores of the text are escaped first, so that the only underscore left in a token is the mark. Hence the decoder can split at the marks, undo the escapes and put back single spaces between words.”<br>
# <b>Wrong:</b> “The underscore stands for a space, as ▁ does in SentencePiece. An underscore of the text is replaced by a space too. So decoding replaces the marks by spaces, and every text comes back.” The mark is the end of a token, not a space: single spaces between two words are dropped, and an underscore of the text is escaped, so it comes back.
# </details>
#
# ## Exit questions
#
# <details><summary>What does an unseen Chinese character cost here, and what would it cost with byte fallback?</summary>
# It is written as a backslash, its code point in decimal digits (5 digits for most Chinese characters) and a
# semicolon, so up to 7 subtokens. In UTF-8 it has 3 bytes, so byte fallback needs 3 tokens.
# </details>
# <details><summary>Why does training count only strings that start where a subtoken starts?</summary>
# The encoder takes the longest match from the left, so a subtoken is used only where the one before it ends. A string
# that starts in the middle of a subtoken would not be used, so its count says nothing.
# </details>
# <details><summary>Why does decoding return every text exactly?</summary>
# Each escaped token has one underscore, at its end, so the decoder finds the tokens. Every character can be escaped. A
# dropped space is inserted again between two words.
# </details>
# <details><summary>Both "ing" and "ing_" are frequent. Is "ing" kept?</summary>
# It depends. The counts of <code>ing_</code> and of other kept strings that start with <code>ing</code> are subtracted
# first. If at least min_count is left, <code>ing</code> is kept.
# </details>
# <details><summary>You ask for fewer subtokens than the alphabet has characters. What happens?</summary>
# Every character stays a subtoken, so the vocabulary is larger than you asked for. The library gives no warning.
# </details>
#
# **Summary.** An underscore marks the end of each token, and escaping makes this mark unambiguous. Training keeps the
# longest
# frequent strings first and subtracts their counts from their prefixes. Every character stays a subtoken.
#
# **References.** Ashish Vaswani and others, *Attention Is All You Need* (2017). Ashish Vaswani and others,
# *Tensor2Tensor for
# Neural Machine Translation* (2018). **Next lesson:** `10_making_training_data`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
#
# ## Go further

# %% [markdown]
# ### The same call on the production library
#
# tensor2tensor needs the library TensorFlow and is not installed here. The kit stores two results of tensor2tensor: the
# vocabulary that it learned from the same English text, and the ids that it gave to 5 texts. Does our encoder agree?

# %%
import json

theirs = SubwordTextEncoder(data.FOLDER / "english.subwords")
stored = (data.FOLDER / "english.subwords.tsv").read_text(encoding="utf-8").splitlines()
ids = {json.loads(t): [*map(int, i.split())] for t, i in (line.split("\t") for line in stored)}
agree = all(encoder.encode(t) == ids[t] for t in ids), all(encoder.decode(ids[t]) == t for t in ids)
{"same vocabulary": encoder.all_subtoken_strings == theirs.all_subtoken_strings, "ids, texts": agree}

# %% [markdown]
# ### Which vocabularies did the first Transformer models use?
#
# *Attention Is All You Need* introduced the Transformer, a kind of model. The paper describes two vocabularies. The
# English-German models used byte pair encoding with about 37,000 entries. The English-French models used 32,000 word
# pieces. The paper does not mention `SubwordTextEncoder`.
#
# ### The search for a vocabulary size
#
# A higher `min_count` keeps fewer strings. So the library uses **binary search** (bisection). The first interval has the
# values 1 to 1000 of `min_count`. The search tries the middle value and continues in one half of the interval.
#
# The search stops after a try if the size differs from the target by less than 1 % of the target. It also stops if the
# tried value is 1, or if the interval has no other value to try.

# %%
from collections import Counter
from tokenlab.algorithms.subword_text.build_cached import Corpus, build_to_size_cached
from tokenlab.algorithms.subword_text.split import split_into_runs

english = data.text("english").splitlines()
tokens = Counter(token for line in english for token in split_into_runs(line))
corpus = Corpus(tokens)
build_to_size_cached.record(600, corpus)

# %% [markdown]
# The sizes change in jumps, so the result may be far from the target. Of all tries, the search returns
# the vocabulary with the size nearest to the target.
#
# ### A common mistake: the search stops at a size that is almost 10 % off
#
# `ten_percent` stops at the first size that is less than 10 % off. The next cell shows the last try of this program,
# and the
# sizes of all tries of the correct search.

# %%
from tokenlab.misconceptions.subword_text import ten_percent

min_count, size = ten_percent(600, corpus.build)[-1]
{"ten_percent": size, "correct search": [tried.size for tried in build_to_size_cached.steps(600, corpus)]}

# %% [markdown]
# ### A common mistake: the underscore is not counted
#
# In the kit's English text, the token `that` occurs 56 times. In the first iteration, every subtoken is one character. A
# common mistake is to forget the strings that end in the underscore, such as `t_`. Here is the count of the
# token, and the counts of all its strings.

# %%
from tokenlab.algorithms.subword_text.build import segment_greedily, substrings_at_boundaries

counts = Counter(substrings_at_boundaries(segment_greedily("that_", set("that_"))))
tokens["that"], {string: tokens["that"] * times for string, times in counts.items()}

# %% [markdown]
# The character `t` occurs twice in the token, so its count is 112.
#
# ### A common mistake: `min_count` removes rare tokens
#
# `min_count` is compared with the counts of strings, not of tokens. Each of these 5 tokens occurs once. Together they
# give a
# subtoken of 2 characters.

# %%
rare = build({"abx": 1, "aby": 1, "abz": 1, "abv": 1, "abw": 1}, min_count=5)
[subtoken for subtoken in rare[2:] if len(subtoken) > 1]

# %% [markdown]
# ### Which spaces are dropped?
#
# Only a single space between two words is dropped. A space at the start or the end of a text, a tab, and a pair of
# spaces are kept. They are tokens or parts of tokens. The player calls letters and digits *alphanumeric*, and writes a
# tab as ⇥.

# %%
split_into_runs.record("It's  so\tcool, so so ")

# %% [markdown]
# Unicode classifies Chinese characters as letters, so a whole clause is one token. In Hindi, some vowels and the
# mark `्` are separate characters that Unicode does not classify as letters. They split a word into several tokens.
# Nothing is lost in either case.

# %%
[split_into_runs(text) for text in ("1929年还是1989年?", "नमस्ते दुनिया")]

# %% [markdown]
# ### The longest match is not always the best
#
# The encoder takes the longest subtoken and never goes back. Which 3 subtokens would be enough here?

# %%
segment_greedily.record("xthere_", {*"xthere_", "the", "re_", "ther"})

# %% [markdown]
# ### Four iterations
#
# How does the size change from one iteration to the next?

# %%
from tokenlab.algorithms.subword_text.build_cached import build_cached

print(build_cached.record(corpus, min_count=6))

# %% [markdown]
# `build_cached` is a faster version with the same result. In the first iteration, every subtoken is one character for any
# `min_count`. So the counts of the first iteration do not depend on `min_count`. `Corpus` computes them once and uses
# them for all tries of the search.

# %%
show.source(Corpus)

# %% [markdown]
# ### The vocabulary file
#
# Each line of a vocabulary file of tensor2tensor contains one subtoken, in quotation marks. This is possible because
# every line feed is escaped. The line number, counted from 0, is the id. Here are the first 5 lines.

# %%
print(*(data.FOLDER / "english.subwords").read_text(encoding="utf-8").splitlines()[:5], sep="\n")

# %% [markdown]
# ### The longest subtoken
#
# Counting all strings of a token takes time proportional to the square of its length. The argument
# `max_subtoken_length` of `build_from_generator` limits this time.
# The longest string that tensor2tensor counts has `max_subtoken_length` - 1 characters. The next cell sets the limits 3, 5
# and `None` (no limit).

# %%
[max(map(len, substrings_at_boundaries(["abcdefgh_"], limit))) for limit in (3, 5, None)]

# %% [markdown]
# ### More practice: splitting · medium · 10 minutes · importance 2 of 5
#
# There are two kinds of characters: letters and digits (`str.isalnum` is true), and other characters. A *run* consists of
# adjacent characters of one kind. It ends only at a character of the other kind or at the end of the text. Split a
# text into its runs. Leave out every run that is a single space, unless it is
# the first or the last run.


# %% tags=["practice"]
def my_split(text: str) -> list[str]:
    """Example: my_split("so cool! ") returns ["so", "cool", "! "]."""
    return ...


check.split_runs(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two runs can be a single space and still be tokens?</details>
# <details><summary>Hint: a smaller example</summary><code>itertools.groupby("ab ", str.isalnum)</code> gives 2 groups: the characters of <code>ab</code>, and the space.</details>
# <details><summary>Hint: the structure</summary>First make a list of all runs. Then filter the runs between the first and the last one.</details>
#
# ### More practice: counting · medium · 8 minutes · importance 3 of 5
#
# Write part 2 of the first iteration, in which every subtoken is one character. Append an underscore to each token.
# Return the set of strings with a count of at least
# `min_count`.


# %% tags=["practice"]
def my_often_enough(token_counts: dict[str, int], min_count: int) -> set[str]:
    """Example: my_often_enough({"a": 2, "ab": 1}, 2) returns {"a", "a_", "_"}."""
    return ...


check.frequent_substrings(my_often_enough)

# %% [markdown]
# <details><summary>Hint: a question</summary>A token occurs 5 times. By which number does it increase the count of each of its strings?</details>
# <details><summary>Hint: a smaller example</summary>The token <i>a</i> has the strings <code>a</code>, <code>a_</code> and <code>_</code>.</details>
# <details><summary>Hint: the structure</summary>Use 3 nested loops: tokens, starts, ends. Increase a count in the inner loop. Filter at the end.</details>
#
# ### More practice: the search · hard · 10 minutes · importance 2 of 5
#
# Write the binary search. Return the list of the values of `min_count` that are tried, in order. `sizes` is a dict. It
# maps each `min_count` (1, 2, 3 and so on, without a gap) to the size of the vocabulary. The first interval has all
# keys: `low` is the smallest key and `high` is the greatest.
#
# - Try the middle of the interval, `(low + high) // 2`. Then check whether to stop.
# - Stop if the size differs from the target by less than 1 % of the target, if `low >= high`, or if the tried
#   `min_count` is 1.
# - If the size is greater than the target, continue above the middle. Otherwise, continue below the middle.
#
# An interval can become empty, for example with `low` 3 and `high` 2. Even then, as in tensor2tensor, the middle
# `(3 + 2) // 2` is tried. It is 2. Then the search stops.


# %% tags=["practice"]
def my_search(target_size: int, sizes: dict[int, int]) -> list[int]:
    """Example: my_search(20, {1: 90, 2: 40, 3: 21, 4: 12}) returns [2, 3, 4]."""
    return ...


check.search_size(my_search)

# %% [markdown]
# <details><summary>Hint: a question</summary>The size is exactly 1 % off. Does the search stop?</details>
# <details><summary>Hint: a smaller example</summary>The keys are 1 to 4, so the middle is 2. If its size is too large, 3 and 4 are left. The next middle is <code>(3 + 4) // 2</code>, which is 3.</details>
# <details><summary>Hint: the structure</summary>Use <code>while True</code> with <code>low</code> and <code>high</code>: compute the middle, append it, return or change one end.</details>

# %% [markdown]
# ### The whole algorithm on one page
#
# The file `tokenlab/minimal/subword_text.py` contains all of this lesson without the steps. It builds the same
# vocabularies as
# `tensor2tensor`, but it needs more time, because it counts all substrings again for each `min_count`.

# %%
from tokenlab import show
from tokenlab.minimal import subword_text

show.source(subword_text)
