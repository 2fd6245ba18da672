# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Seven tokenizers side by side, and a museum of errors
#
# > **You will be able to** compare tokenizers with five measures; compute fertility, precision and recall; say why no
# > tokenizer is the best one.
# >
# > **Time:** core 25 minutes, practice 42 minutes. **Before this:** `09_subword_text_encoder`.
#
# <details><summary>Two questions from earlier lessons: What does WordPiece do with an unknown character? What does SentencePiece do before it segments a text?</summary>
#
# WordPiece replaces the whole word by one unknown token. SentencePiece normalizes the text: it replaces some characters
# and removes extra spaces.
# </details>
#
# A user of T5 [reported](https://github.com/huggingface/transformers/issues/6150) that texts with different line breaks
# and spaces have the same tokens. For Python programs, line breaks and spaces matter. The next cell trains a tokenizer
# of each of seven families on the same English text, with 1,000 entries. Then each tokenizer encodes and decodes a
# program.

# %%
from tokenlab import data
from tokenlab.comparison.families import train_all

lines = data.text("english").splitlines()
training, new = "\n".join(line for n, line in enumerate(lines) if n % 5), "\n".join(lines[::5])
tokenizers = train_all(training, 1000)
program = "def double(x):\n    return 2 * x"
{family: one.decode(one.encode(program)) for family, one in tokenizers.items()}

# %% [markdown]
# Three families restore the program. The other four lose the line break, the spaces, or the `*`, which does not occur
# in the training text.
#
# The families are those of the earlier lessons:
#
# - `BPE` starts from characters. `</w>` marks the end of a word.
# - `byte-level BPE` starts from bytes, as in GPT-2.
# - `WordPiece` marks a token inside a word with `##`.
# - `Unigram` and `SentencePiece BPE` are SentencePiece models. `▁` represents a space.
# - `SubwordTextEncoder` marks the end of a token with `_`.
# - `bytes` has one token for each byte, and learns nothing.
#
# Step through the families. Then type a text of your own. (`read_corpus("my.txt")` of the module
# `tokenlab.comparison.families` reads your own training text.)

# %%
from tokenlab.show.explorers.explore_comparison import explore_families

explore_families("if ok:\n    print('The keeper wrote unhappily, 日本')", training)

# %% [markdown]
# The rows are aligned by the bytes of the text. The table below the rows has the measures of this lesson.
#
# `bytes` has 256 entries. `SubwordTextEncoder` only comes close to the requested size.
#
# ## Measure 1: length
#
# The [**fertility**](../docs/glossary.md#fertility) of a tokenizer is its number of tokens per word:
#
# $$\text{fertility}=\frac{\text{tokens}}{\text{words}}$$
#
# A low fertility makes the sequences of a model short. A model then needs less time. The text `new` is from the same
# source as the training text, but no tokenizer has seen it.

# %%
from tokenlab.comparison.fertility import bytes_per_token, fertility

{family: round(fertility(new, len(one.encode(new))), 2) for family, one in tokenizers.items()}

# %% [markdown]
# BPE has the lowest fertility. WordPiece and SentencePiece BPE are almost as good.
#
# Japanese has no spaces between words. Bytes per token measure the length of a text without words: more bytes per token
# mean fewer tokens. **Predict:** all of these tokenizers were trained on English. Which one has the most bytes per token
# on a Japanese paragraph?

# %%
japanese = data.text("japanese").splitlines()[2]
{family: round(bytes_per_token(japanese, len(one.encode(japanese))), 1) for family, one in tokenizers.items()}

# %% [markdown]
# Unigram and SentencePiece BPE have 102 bytes per token. This is no success.
#
# ## Measures 2 and 3: unknown bytes, and losslessness
#
# How much of the Japanese paragraph do unknown tokens cover?

# %%
from tokenlab.comparison.losslessness import unknown_bytes

{
    family: f"{unknown_bytes(one.encode(japanese))} of {len(japanese.encode())} bytes"
    for family, one in tokenizers.items()
}

# %% [markdown]
# SentencePiece joins neighbouring unknown characters to one unknown token. So the paragraph has only 2 tokens, but the
# model cannot see a single character. **Never compare lengths without the unknown tokens.**
#
# A tokenizer is [**lossless**](../docs/glossary.md#losslessness) if `decode(encode(text)) == text` for every text. The
# first loss is the index of the first character that decoding does not restore.
#
# ## Measure 4: morphemes
#
# A [**morpheme**](../docs/glossary.md#morpheme) is the smallest part of a word that has a meaning: *un*, *happi*, *ness*.
# A token that is a morpheme has a similar meaning in every word. Which family finds the morphemes of *friendliness*?

# %%
from tokenlab.comparison.morpheme_boundaries import boundary_scores, split_word

{family: "|".join(split_word(one, "friendliness")) for family, one in tokenizers.items()}

# %% [markdown]
# A boundary is an index inside the word at which a part ends. Two numbers compare the boundaries of the tokens with
# those of the morphemes. [**Precision and recall**](../docs/glossary.md#precision-and-recall) are
#
# $$\text{precision}=\frac{\text{common boundaries}}{\text{token boundaries}}\qquad\text{recall}=\frac{\text{common boundaries}}{\text{morpheme boundaries}}$$
#
# Step through the boundaries of WordPiece's tokens.

# %%
wordpiece = split_word(tokenizers["WordPiece"], "friendliness")
recording = boundary_scores.record(wordpiece, ["friend", "li", "ness"])
print("precision, recall:", recording.result)
recording

# %% [markdown]
# `bytes` has a boundary at every index, so its recall is 1, and its precision is low. The F1 score combines both numbers
# in one: $2PR/(P+R)$.
#
# ## Measure 5: stability under a typo
#
# A user swaps two letters: *lighthosue*. How many tokens change?

# %%
words = ("lighthouse", "lighthosue")
{family: ["|".join(split_word(one, word)) for word in words] for family, one in tokenizers.items()}

# %% [markdown]
# Unigram has learned `house` as one token, and loses it. In `bytes`, 2 of 10 tokens change. This measure is the share of
# the tokens before the typo that change: all tokens except a common prefix and a common suffix.
#
# ## The scoreboard
#
# The next cell computes all five measures. The texts that are hard to restore have emoji, code, tabs and other scripts.
# The morphemes are those of 199 words. The typos are in the same words: near the beginning, in the middle, and near the
# end. A star marks the best value.

# %%
from tokenlab.comparison.morpheme_boundaries import read_morphemes
from tokenlab.comparison.scoreboard import scoreboard, winners
from tokenlab.show.plots import plot_measures

hard = [line for line in data.text("mixed").splitlines() if line]
table = scoreboard(tokenizers, new, hard, read_morphemes())
plot_measures(table, winners(table))

# %% [markdown]
# **No tokenizer is the best one.** BPE has the lowest fertility, but loses text. `bytes` is lossless and stable, but its
# sequences are more than twice as long. Unigram is best on morphemes. Choose the measures that matter for your task
# first, then the tokenizer.
#
# ## The same tokens from the production libraries
#
# Do these measures describe the libraries that people use? The cell gives the same vocabularies to `tiktoken` and
# `sentencepiece`, and compares the tokens of `new`.

# %%
import sentencepiece, tiktoken

ours, model = tokenizers["byte-level BPE"].encoding, tokenizers["Unigram"].processor.serialized_model_proto()
settings = {"pat_str": ours._pat_str, "mergeable_ranks": ours._mergeable_ranks, "special_tokens": {}}
live = {"tiktoken": tiktoken.Encoding("live", **settings).encode_ordinary(new) == ours.encode_ordinary(new)}
unigram = [token.entry for token in tokenizers["Unigram"].encode(new)]
live | {"sentencepiece": sentencepiece.SentencePieceProcessor(model_proto=model).encode(new, out_type=str) == unigram}

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. Run it again to see the rule, and a third time to see your steps
# next to the correct steps.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# A tokenizer splits *friendliness* into `f`, `riend`, `lin` and `ess`. The morphemes are `friend`, `li` and `ness`. What
# are the precision and the recall of its boundaries?

# %% tags=["practice"]
from tokenlab import check

# Two numbers; 2 decimal places are enough. Example: un|happ|iness and un|happi|ness give 0.5, 0.5
my_precision, my_recall = ..., ...

check.precision_and_recall(my_precision, my_recall)

# %% [markdown]
# <details><summary>Hint: a question</summary>At which indices does a token end? At which indices does a morpheme end?</details>
# <details><summary>Hint: a smaller example</summary>The parts <code>un</code>, <code>happ</code> and <code>iness</code> end at the indices 2, 6 and 11. The word has 11 characters, so 11 is no boundary.</details>
# <details><summary>Hint: the shape</summary>The tokens have 3 boundaries, and the morphemes have 2. Count the common ones.</details>
#
# ### Find the bug · easy · 5 minutes · importance 4 of 5
#
# `zip_stops_early` returns the index of the first loss, or −1 if the texts are equal. It compares the characters in
# pairs, with `zip`. Find a text and a decoded text for which its result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.comparison import zip_stops_early

# Two strings. ("ab", "ac") is no solution: both programs return 1.
my_text, my_decoded = ..., ...

check.bug(zip_stops_early, my_text, my_decoded)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does <code>zip</code> do if one text is longer than the other?</details>
# <details><summary>Hint: a smaller example</summary><code>list(zip("ab", "a"))</code> has one pair.</details>
# <details><summary>Hint: the shape</summary>Use a text with a space at its end, which a tokenizer removes.</details>
#
# ### Complete two lines · easy · 4 minutes · importance 4 of 5
#
# Return the fertility. Words are separated by whitespace. If the text has no word, return 0.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_fertility(text: str, tokens: list[str]) -> float:
    """Example: my_fertility("the lighthouse", ["the", "light", "house"]) returns 1.5."""
    words = ...
    return ...


check.tokens_per_word(my_fertility)

# %% [markdown]
# <details><summary>Hint: a question</summary>How do you split a text at several spaces and at line breaks?</details>
# <details><summary>Hint: a smaller example</summary><code>"a  b".split()</code> is <code>["a", "b"]</code>.</details>
# <details><summary>Hint: the shape</summary>Divide two lengths, if the list of words is not empty: <code>... if words else 0</code>.</details>
#
# ### Write it · medium · 12 minutes · importance 5 of 5
#
# Return the precision and the recall of the boundaries. If the tokens have no boundary, the precision is 1. If the
# morphemes have no boundary, the recall is 1.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_scores(tokens: list[str], morphemes: list[str]) -> tuple[float, float]:
    """Example: my_scores(["un", "happ", "iness"], ["un", "happi", "ness"]) returns (0.5, 0.5)."""
    return ...


check.boundary_scores(my_scores)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which data type makes it easy to count what two collections have in common?</details>
# <details><summary>Hint: a smaller example</summary>The boundaries of <code>["un", "happi", "ness"]</code> are <code>{2, 7}</code>.</details>
# <details><summary>Hint: the shape</summary>Write a helper that returns the set of boundaries of a list of parts. Add up the lengths of all parts except the last one.</details>
#
# ### Another rule · medium · 10 minutes · importance 3 of 5
#
# Return the share of the tokens that change. First remove the equal tokens at the start of both lists. Then remove the
# equal tokens at the end of what is left. Divide the number of the remaining tokens of `before` by the length of
# `before`. If `before` is empty, return 0 if `after` is also empty, and otherwise 1.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_share(before: list[str], after: list[str]) -> float:
    """Example: my_share(["light", "house", "s"], ["lig", "th", "house", "s"]) returns 1/3."""
    return ...


check.changed_share(my_share)

# %% [markdown]
# <details><summary>Hint: a question</summary>Why must a token not count both at the start and at the end?</details>
# <details><summary>Hint: a smaller example</summary><code>["a", "a"]</code> and <code>["a"]</code> have one equal token at the start. Then nothing is left of the second list. The result is 1/2.</details>
# <details><summary>Hint: the shape</summary>Copy both lists. Use one loop that removes first tokens, and one loop that removes last tokens.</details>
#
# ### More practice: the first loss · medium · 6 minutes · importance 3 of 5
#
# Return the index of the first character that decoding does not restore. If one of the texts ends earlier, and all
# characters before its end are equal, return its length. If the texts are equal, return −1.


# %% tags=["practice"]
def my_loss(text: str, decoded: str) -> int:
    """Example: my_loss("a  b", "a b") returns 2."""
    return ...


check.first_loss(my_loss)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many indices must the loop visit?</details>
# <details><summary>Hint: a smaller example</summary><code>my_loss("ab", "a")</code> and <code>my_loss("a", "ab")</code> return 1.</details>
# <details><summary>Hint: the shape</summary>A slice such as <code>text[index:index + 1]</code> is empty after the end of the text, and raises no error.</details>
#
# ## Before you leave
#
# <details><summary>A tokenizer needs 2 tokens for a paragraph of 204 bytes. Is it a good tokenizer for this text?</summary>
# Look at the unknown tokens first. If one unknown token covers the paragraph, the model sees nothing of it.
# </details>
# <details><summary>Which three families are lossless, and why?</summary>
# Byte-level BPE and bytes can represent every byte. SubwordTextEncoder writes a rare character as its code point.
# </details>
# <details><summary>Why is the recall of bytes 1, and the precision low?</summary>
# Bytes have a boundary at every index. So they find every morpheme boundary, and most of their boundaries are wrong.
# </details>
#
# **Summary.** Five measures have four different sets of winners. Fertility and bytes per token are only meaningful
# together with the unknown tokens. A lossless tokenizer has longer sequences. The task decides which measure matters.
#
# **References.** Judit Ács, *Exploring BERT's Vocabulary*, 2019 (fertility). Linting Xue and others, *ByT5*, 2022
# (bytes). This is the last lesson. To practise more, open `capstone_t5`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A museum of errors
#
# Well-known courses and libraries contain errors, or contained them in earlier versions. The museum has 15 exhibits.
# Each exhibit has a claim, a public source, and an input that refutes the claim. Tests compare the actual results with
# the libraries.

# %%
from tokenlab import museum

for name, exhibit in museum.EXHIBITS.items():
    print(f"{exhibit.group:11} {name}")

# %% [markdown]
# Choose five exhibits. **Predict** both results from the claim and the input, before you run a cell. The first
# exhibit is about the encoding of BPE.

# %%
museum.visit("the longest match")

# %% [markdown]
# In the next exhibit, every formula is right. But `load` does not compile the new pattern.

# %%
museum.visit("the pattern that is not loaded")

# %% [markdown]
# A summary in the documentation of `transformers` describes WordPiece's likelihood. `WordPieceTrainer` does not compute it.

# %%
museum.visit("the score that the trainer does not use")

# %% [markdown]
# The next error passed its test, because the test had only one token.

# %%
museum.visit("the test with one token")

# %% [markdown]
# The name `length_penalty` suggests the opposite of its effect.

# %%
museum.visit("the penalty that rewards")

# %% [markdown]
# The next cell visits the other ten. In JupyterLab, its stored output is folded: click on the three dots below the
# cell, or run the cell.

# %% jupyter={"outputs_hidden": true}
visited = ("the longest match", "the pattern that is not loaded", "the test with one token", "the penalty that rewards")
for name in museum.EXHIBITS:
    if name not in (*visited, "the score that the trainer does not use"):
        print(museum.visit(name), "\n")

# %% [markdown]
# **Add an exhibit.** An `Exhibit` of `tokenlab.museum` needs a claim, a source, an input, and two functions: one follows
# the claim, and the other is right. Choose an input on which their results differ, as small as possible.
#
# ### The price of a language
#
# The seven tokenizers learn again, from English, German, Chinese and Japanese texts, with 2,000 entries. The cell prints
# the bytes per token on lines that they have not seen.

# %%
from tokenlab.comparison.fertility import bytes_per_token_by_language

texts = {name: data.text(name).splitlines() for name in ("english", "german", "chinese", "japanese")}
four = train_all("\n".join(line for text in texts.values() for n, line in enumerate(text) if n % 5), 2000)
unseen = {name: "\n".join(text[::5]) for name, text in texts.items()}
for family, row in bytes_per_token_by_language(four, unseen).items():
    print(f"{family:20}", {name: round(value, 2) for name, value in row.items()})

# %% [markdown]
# A Chinese or Japanese character has 3 bytes in UTF-8, and a letter has 1. So bytes per token do not compare languages
# fairly. Translations do: 100 Chinese sentences and their English originals say the same. Users of a model often pay
# for each token, so the ratio of the token counts is the price of the language. Which families have a ratio above 1 in
# both columns?

# %%
english, chinese = ("\n".join(side) for side in zip(*data.pairs("english_chinese_dev"), strict=True))
for family in four:
    ratios = (len(one[family].encode(chinese)) / len(one[family].encode(english)) for one in (tokenizers, four))
    print(f"{family:20}", "trained on English: {:.2f}, on four languages: {:.2f}".format(*ratios))

# %% [markdown]
# Read the first column together with the unknown tokens: Unigram and SentencePiece BPE know no Chinese character.
#
# ### The overlap of the vocabularies
#
# Do the families learn the same tokens? The
# [**Jaccard index**](../docs/glossary.md#jaccard-index) of two sets is the number of common elements, divided by the number
# of all elements. The cell removes the markers of each family first, such as `##` and `▁`.

# %%
from tokenlab.comparison.vocabulary_overlap import overlap_matrix

for family, row in overlap_matrix(tokenizers).items():
    print(f"{family:20}", "  ".join(f"{value:.2f}" for value in row.values()))

# %% [markdown]
# WordPiece and SentencePiece BPE share the most entries: both merge the pair with the highest count. Unigram learns in
# another way, and its entries differ more.
#
# ### Precision, recall and typos in detail

# %%
from tokenlab.comparison.morpheme_boundaries import score_boundaries
from tokenlab.comparison.typo_stability import typo_changes

for family, one in tokenizers.items():
    numbers = score_boundaries(one, read_morphemes()) | typo_changes(one, map("".join, read_morphemes()))
    print(f"{family:20}", {name: round(value, 2) for name, value in numbers.items()})

# %% [markdown]
# The list of morphemes is in the file `data/english.morphemes`. It is small, and written by hand: change it, or write a
# list for another language.
#
# ### How a family is adapted
#
# Every family has the same interface: `encode` returns tokens with spans, and `decode` returns a text. The code of a
# family wraps the functions of the earlier lessons.

# %%
from tokenlab import show
from tokenlab.comparison.wordpiece_family import WordPiece

show.source(WordPiece)
