# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # How BPE learns its vocabulary
#
# > **You will be able to** predict the next step of byte pair encoding (BPE) and give the reason; write its two parts,
# > counting pairs and merging a pair; say what a larger vocabulary gains and costs.
# >
# > **Time:** core 40 minutes, practice 45 minutes (and 28 in *Go further*). **Before this:** `00_start_here`.
#
# <details><summary>Two questions from the last lesson: what is a vocabulary? What is a token?</summary>
#
# A vocabulary is the list of all tokens of a tokenizer. A token is an entry of the vocabulary, here a piece of text.
# </details>
#
# Most providers of language models charge a price per [token](../docs/glossary.md#token). What does *I would like a
# cup of tea, please.* cost in other languages? Try Thai and Polish.

# %%
from tokenlab.laboratory.real_tokenizers import compare_real_tokenizers

names = ["GPT-2", "GPT-4o", "Llama 3", "Gemma 3"]
{one: compare_real_tokenizers(one, names) for one in ["English", "German", "Japanese", "Hindi", "Tamil"]}

# %% [markdown]
# All 4 need 10 tokens for English. For Tamil, Gemma 3 needs 8, but GPT-2 needs 83. To see why, we compare two
# [vocabularies](../docs/glossary.md#vocabulary) of about 1,000 entries. One was learned from English only, the other
# from English, German, Chinese and Japanese.

# %%
from tokenlab import data
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity
from tokenlab.libraries.tiktoken.registry import load_local_encoding

english, small = data.text("english"), load_local_encoding(data.FOLDER / "small.tiktoken")
sentences = ["The teacher gave the doctor a book", "Der Lehrer gab dem Arzt ein Buch"]
counts = [len(tokenize_at_each_granularity.record(text, english, 1000)[-1].tokens) for text in sentences]
{"learned from English": counts, "learned from 4 languages": [len(small.encode(text)) for text in sentences]}

# %% [markdown]
# With the second vocabulary, German needs 17 tokens instead of 20, but English needs 13 instead of 9, because fewer
# of the entries are English. **A text costs more if its language was rare in the training
# [corpus](../docs/glossary.md#corpus).**
#
# Most language models learn their vocabulary with [**byte pair encoding
# (BPE)**](../docs/glossary.md#byte-pair-encoding). Philip Gage published it in 1994 to compress files: it replaced
# the most frequent pair of *bytes* by an unused byte,
# hence the name. For tokens, BPE splits the words of a corpus into
# characters and joins the most frequent pair of neighbours, again and again. Each joined string becomes an entry of the
# vocabulary. (A rule, the [**tie-break**](../docs/glossary.md#tie-break), chooses among equally frequent pairs.)
#
# Step through the player, and guess.

# %%
from tokenlab.algorithms.bpe.train import train

word_counts = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
train.record(word_counts, vocab_size=20)

# %% [markdown]
# Each step except the last is a [**merge**](../docs/glossary.md#merge), which joins one pair wherever it occurs.
# Before the first merge, `p u` had the second highest count: 11 (*pup*) + 10 (*pun*) + 3 (*pug*). But the first merge
# made the `u` of *pun* a part of `un`, which leaves 14 for `p u`. So the second merge is `b un`, which occurs 15
# times. **Each merge changes the counts, so the pair that was second is not always merged next.**
#
# ## The algorithm, on three words
#
# During training, the parts of a word are called [**symbols**](../docs/glossary.md#symbol), and two adjacent symbols
# are a [**pair**](../docs/glossary.md#pair), written `p u`. At the start, every symbol is one character. The dictionary
# `splits` contains the symbols of each word.

# %%
from tokenlab.algorithms.bpe.train import count_pairs

counts = {"hug": 10, "pug": 5, "pun": 12}
splits = {"hug": ("h", "u", "g"), "pug": ("p", "u", "g"), "pun": ("p", "u", "n")}
count_pairs(splits, counts)

# %% [markdown]
# A word that occurs 12 times contributes 12 to each of its pairs. Overlapping pairs count as well: *aaa* contains `a a`
# twice. The pair `p u` is in *pug* (5 times) and in *pun* (12 times), so its count is 17, and no pair has more.
#
# Therefore `p u` is merged in every word, from left to right. The count of `u g` was 15. What is it now?

# %%
from tokenlab.algorithms.bpe.train import merge

splits = {word: merge(split, ("p", "u")) for word, split in splits.items()}
count_pairs(splits, counts)

# %% [markdown]
# In *pug*, the `u` is now a part of `pu`, so the count of `u g` is 10. The new pair `pu n` has the highest
# count.
#
# ## The function itself
#
# BPE repeats this until no pair is left or the vocabulary (all characters, and one symbol per merge) has the
# requested size. Each `yield` hands one step to the player.

# %%
from tokenlab import show

show.source(train)

# %% [markdown]
# By default, the tie-break (here `policy`) is `first_seen`: it chooses the tied pair that comes first in the words.
# With another tie-break, such as `lexicographic_max` (the last in alphabetical order), training can learn other merges.
#
# ## Your own text
#
# Type `ab`, and move `vocab_size` to 1. `TrainingState` raises an error before the loop starts, because a vocabulary
# must contain all characters. What happens at 10?

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_bpe import explore_bpe_training

explore_bpe_training(data.text("english")[:2000], vocab_size=90)

# %% [markdown]
# ## How large?
#
# With more entries learned from the same corpus, a text has fewer tokens, so the model computes less. But for each entry,
# the model stores a row of numbers, its [embedding](../docs/glossary.md#embedding), and often a second row, with which
# it predicts the entry. All numbers that a model learns are its *parameters*. What share of the parameters belongs to
# these rows? (`sizes` contains the length of a row, the rows per entry and the parameters in millions. The tokens are
# those of one sentence in 20 languages.)

# %%
from tokenlab.laboratory.real_tokenizers import real_tokenizer, texts

sizes = {"GPT-2": (768, 1, 124), "Llama 2": (4096, 2, 6738), "Llama 3": (4096, 2, 8030), "Gemma 3": (1152, 1, 1000)}
for name, (dimension, rows, millions) in sizes.items():
    size, share = real_tokenizer(name).size, real_tokenizer(name).size * dimension * rows / (millions * 1e6)
    tokens = sum(compare_real_tokenizers(one, [name])[name] for one in texts()["one meaning in 20 languages"])
    print(f"{name}: {size:,} entries, {tokens} tokens, {share:.0%} of the parameters")

# %% [markdown]
# Llama 3's vocabulary is 4 times as large as Llama 2's. It saves 27 % of the tokens, but its rows are 13 % of the
# model instead of 4 %. Also, a row is trained only where its token occurs, and the tokens of the last merges are
# rare, so their rows have few examples. Therefore designers stop when another row costs more than it saves. The
# newest of these models, Llama 3 and Gemma 3, have the largest vocabularies, partly because a larger vocabulary saves
# more tokens in texts of many languages.
#
# <details><summary>Which models are these, and why such sizes?</summary>
#
# They are GPT-2 small, Llama 2 7B, Llama 3 8B and Gemma 3 1B. GPT-2 and Gemma use the same rows to read and to
# predict an entry. GPT-2's entries are 256 bytes (instead of characters), 50,000 merges and 1 mark for the end of a
# text. Llama 3 has 128,000 entries and 256 special tokens. Gemma 3 has 2<sup>18</sup> entries (and one for images):
# sizes divisible by a large power of 2 suit the hardware.
# </details>
#
# ## Where it breaks
#
# A common mistake is to merge by replacing text: write the symbols with spaces between them, then replace `a b` by
# `ab`. The symbols `xa` and `b` are not the pair `a b`, so they should not change. But the text `xa b` contains `a b`.

# %%
from tokenlab.misconceptions.bpe_training import string_replace_merge

pair = ("a", "b")
{"replacing text": string_replace_merge(("xa", "b"), pair), "merging symbols": merge(("xa", "b"), pair)}

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# The word counts are `{"aab": 3, "ab": 4, "ba": 2}`. Each word is split into characters. Which pair is merged first,
# and what is its count? Give the pair, a tuple of two strings, and the count, an integer.

# %% tags=["practice"]
from tokenlab import check

my_pair, my_count = ..., ...  # a pair is written like this: ("x", "y")

check.first_merge(my_pair, my_count)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pairs does <i>aab</i> contain, and how much does it add to the count of each?</details>
# <details><summary>Hint: a smaller example</summary>The word <i>aab</i> alone adds 3 to <code>a a</code> and 3 to <code>a b</code>.</details>
# <details><summary>Hint: the structure</summary>Draw a table with one row per word and one column per pair. Add the numbers of each column.</details>
#
# ### Find the bug · medium · 8 minutes · importance 5 of 5
#
# This wrong trainer counts the pairs only once for every two merges (`at_once=2`). `most_common` returns the pairs with
# the highest counts. Find word counts (a dictionary) for which its first two merges differ from those of `train`.

# %% tags=["practice"]
from tokenlab.misconceptions.bpe_training import batch_merge_stale_counts

print(show.source(batch_merge_stale_counts))
my_words = ...  # words and counts, for example {"ab": 3, "cd": 2}

check.bug(batch_merge_stale_counts, my_words)

# %% [markdown]
# <details><summary>Hint: a question</summary>Are the counts still correct when the second pair is merged?</details>
# <details><summary>Hint: a smaller example</summary>Use two overlapping pairs, such as <code>a b</code> and <code>b c</code> in <i>abc</i>.</details>
# <details><summary>Hint: the structure</summary>Use one frequent pair and a second pair. Most occurrences of the second pair should share a symbol with the first pair.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 4 of 5
#
# `my_count_pairs` should return the count of each pair. Its arguments are the splits (a dictionary from words to tuples
# of symbols) and the word counts (a dictionary). Complete the loop and the number that is added. Example: `{"hi": ("h",
# "i")}` and `{"hi": 5}` give `{("h", "i"): 5}`.

# %% tags=["practice"]
from collections import Counter


def my_count_pairs(splits, word_counts):
    pair_counts = Counter()
    for word, split in splits.items():
        for pair in ...:
            pair_counts[pair] += ...
    return pair_counts


check.count_pairs(my_count_pairs)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many pairs does a word of 4 symbols contain?</details>
# <details><summary>Hint: a smaller example</summary><code>list(zip("hug", "ug"))</code> is <code>[("h", "u"), ("u", "g")]</code>.</details>
# <details><summary>Hint: the structure</summary>Use <code>zip</code> on the split and on the split without its first symbol. Add the count of the word.</details>
#
# ### Write it · medium · 10 minutes · importance 5 of 5
#
# Write `my_merge`. Its arguments are a split (a tuple of symbols) and a pair (a tuple of two symbols). It returns the
# new split as a tuple. Merge from left to right, and use each symbol only once. Example: `("p", "u", "n")` and `("p",
# "u")` give `("pu", "n")`.


# %% tags=["practice"]
def my_merge(split, pair):
    return ...


check.merge(my_merge)

# %% [markdown]
# <details><summary>Hint: a question</summary>You merged the pair at positions 0 and 1. Which position do you look at next?</details>
# <details><summary>Hint: a smaller example</summary>For <code>a a a</code>: merge the first two symbols, then continue with the third symbol.</details>
# <details><summary>Hint: the structure</summary>Use a loop and a variable for the position in the split. In one case the position grows by 2, otherwise by 1.</details>
#
# ### Another rule · medium · 10 minutes · importance 3 of 5
#
# A tie-break can be your own function. For each tied pair, training calls it with an object `tied`, and the function
# returns a *key*, a number or a tuple. The pair with the **smallest** key is merged. Two rules are one line each:
#
# | rule | key | for `a b`, which occurs first in word 0 at position 2 |
# |---|---|---|
# | the pair that occurs first | `tied.first` | `(0, 2)` |
# | the pair with the shorter left symbol; if they are equally long, the one that occurs first | `(len(tied.pair[0]), tied.first)` | `(1, (0, 2))` |
#
# Write the rule that prefers the **longest** merged symbol. If the merged symbols are equally long, it prefers the pair
# that occurs first. Example: for `tied.pair == ("ab", "c")`, your key must be smaller than for `("a", "b")`, because
# `abc` is longer than `ab`. You can try it: `my_policy(Tied(("ab", "c"), ids=(3, 2), first=(1, 0)))`.

# %% tags=["practice"]
from tokenlab.algorithms.bpe.tie_break import Tied


def my_policy(tied):
    return ...


check.tie_break(my_policy)

# %% [markdown]
# <details><summary>Hint: a question</summary>The smallest key wins. How can a long symbol have a small key?</details>
# <details><summary>Hint: a smaller example</summary>Python compares tuples by their first elements, and then by their second elements: <code>(1, 9) &lt; (2, 0)</code>.</details>
# <details><summary>Hint: the structure</summary>Return a tuple: the negative length of the merged symbol, then <code>tied.first</code>.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A model for English gets a new vocabulary with 128,000 instead of 32,000 entries. Say in three sentences what becomes
# cheaper, what becomes more expensive, and what happens to the rarest entries.
#
# <details><summary>What a good answer contains</summary>
# 1. A text has fewer tokens, because more strings are entries, so the model processes shorter sequences.<br>
# 2. The model has more parameters: each new entry needs a row in the embedding, and usually a second row at the output.<br>
# 3. The rarest entries occur seldom in the training texts, and a row learns its meaning only where its token occurs.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The same text becomes fewer tokens, so there are fewer steps to compute. The embedding and the output need a row for each of the 96,000 new entries. The last merges are the rarest, so their rows are trained on few examples.”<br>
# <b>Wrong:</b> “Every text becomes a quarter as long, because the vocabulary is four times as large. Nothing becomes more expensive, because a list of strings is small. The rarest entries gain most, because each now has a row of its own that means only this string.” The number of tokens falls much less than the size grows, because later entries are rarer; the costs are in the model's rows, and a row learns its meaning only where its token occurs.
# </details>
#
# ## Exit questions
#
# <details><summary>Why is the pair that was second before a merge not always merged next?</summary>
# The merge may remove some of its occurrences, and it may create a new pair with a higher count.
# </details>
# <details><summary>What does the word aaaa, with count 1, add to the count of the pair a a? How many symbols does it have after the merge of a a?</summary>
# It adds 3, because overlapping pairs count, too. After the merge from left to right, the word has 2 symbols.
# </details>
# <details><summary>Why is it called “byte pair” encoding?</summary>
# Philip Gage compressed files with it in 1994: he replaced the most frequent pair of bytes by a byte that the file did
# not use.
# </details>
# <details><summary>32,000 or 128,000 entries: what changes in the model?</summary>
# A text has fewer tokens. The embedding (and the output) has four times as many rows, and the rows of the rarest
# entries are trained on few examples.
# </details>
# <details><summary>Two libraries without bugs learn different merges from the same text. How can this happen?</summary>
# Some pairs were tied, and the libraries use different tie-breaks. After the first different merge, the counts differ
# as well.
# </details>
#
# **Summary.** BPE counts all adjacent pairs, merges the most frequent pair in every word, and counts again. Each merge
# changes the counts. A tie-break decides between pairs with equal counts. A larger vocabulary makes texts shorter and
# the model larger.
#
# **References.** Rico Sennrich, Barry Haddow and Alexandra Birch, *Neural Machine Translation of Rare Words with
# Subword Units* (2016), introduced BPE for translation. Philip Gage, *A New Algorithm for Data Compression*, The C
# Users Journal (1994), introduced BPE. Gemma Team, *Gemma 3 Technical Report* (2025), gives the parameters of the
# embedding. **Next lesson:** `02_bpe_encoding`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The names in the source of `train`
#
# | name | meaning |
# |---|---|
# | `TrainingState` | splits the words into characters, and raises an error if `vocab_size` is too small for them |
# | `get_policy(tie_break)` | returns the rule with this name |
# | `start.size` | the number of characters; `start.size + len(merges)` is the current size of the vocabulary |
# | `start.allowed(...)` | can remove pairs that are too rare or too long; no cell of this lesson sets such a limit |
# | `tied` | all pairs with the highest count |
# | `vocabulary(start, merges)` | the characters and the merged symbols, in the order of their ids |
# | `choose(...)` | applies the rule to the tied pairs and returns one pair |
# | `Merged`, `Stopped` | the two kinds of steps: a merge, and the end without any pair left |
#
# A Python function with `yield` usually does not run when you call it. The kit changes this for its algorithms: the
# call `train(...)` runs all steps and returns the list `merges`.

# %% [markdown]
# ### The tie-break of a production library
#
# Does Hugging Face's library `tokenizers` learn the same merges? Its tie-break uses the [ids](../docs/glossary.md#id)
# of the symbols: the characters get the first ids, in alphabetical order, and each merged symbol gets the next id. The
# library merges the tied pair whose left symbol has the lowest id. If the left symbols are the same, the ids of the
# right symbols decide.
#
# The kit calls this rule `lowest_id`. The cell learns 9 merges with each rule, and `True` means that a merge is the
# same as the library's. (`elements()` repeats each word by its count.)

# %%
import json
from collections import Counter

from tokenizers import Tokenizer, models, trainers

theirs = Tokenizer(models.BPE())
theirs.train_from_iterator(Counter(word_counts).elements(), trainers.BpeTrainer(vocab_size=16, show_progress=False))
library = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
learned = {rule: train(word_counts, 16, rule) for rule in ["lowest_id", "first_seen"]}
{rule: [mine == right for mine, right in zip(merges, library, strict=True)] for rule, merges in learned.items()}

# %% [markdown]
# With `first_seen`, only the first 7 merges are the same. Then `t e` and `e n` are tied, and the library chooses `e n`,
# because *e* has a lower id than *t*.

# %% [markdown]
# ### The tie-break laboratory
#
# This cell trains twice on the same words, with `first_seen` and with `lexicographic_max`, which chooses the tied pair
# that is last in alphabetical order. The player opens at the first step where the two trainings differ.

# %%
words = {"newest": 6, "widest": 3, "lowest": 5, "lower": 2, "low": 5, "newer": 4}
first_seen = train.record(words, 26)
first_seen.diff(train.record(words, 26, tie_break="lexicographic_max"))

# %% [markdown]
# How many of the 929 merges from the English corpus does the tie-break decide? And how often does the merged pair occur
# at the first, at the 100th and at the last merge? The function `train_indexed` learns the same merges as `train`, in
# less time.

# %%
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words

story_words = count_words(data.text("english"))
recordings = {name: train_indexed.record(story_words, 1000, tie_break=name) for name in ["first_seen", "lowest_id"]}
print([recordings["first_seen"][number].count for number in (0, 99, -1)])
{name: f"{sum(step.ties > 1 for step in steps)} of {len(steps)} merges were ties" for name, steps in recordings.items()}

# %% [markdown]
# ### The whole corpus, step by step
#
# The training above has 929 steps. The next player shows only 100 of these steps, from step 41 on.

# %%
recordings["first_seen"].play(start=40)

# %% [markdown]
# ### The effect of a larger vocabulary
#
# With a larger vocabulary, a text has fewer tokens. Late merges reduce the number of tokens less than early merges. The
# figure shows this for two texts of the same length, in two languages. Each vocabulary was learned from its own text.

# %%
from tokenlab.show.plots import plot_tokens_by_vocab_size

texts = {name: data.text(name)[:4500] for name in ["english", "german"]}
plot_tokens_by_vocab_size({name: train_indexed.record(count_words(text), 600) for name, text in texts.items()})

# %% [markdown]
# ### The same merges in less time
#
# The function `train` counts all pairs again before each merge. The function `train_indexed` stores, for each pair, the
# words that contain it. After a merge, it counts only in the words that changed. The next cell compares the steps of
# both functions. `None` means that no step differs.

# %%
small = count_words(data.text("english")[:4000])
print(train.record(small, 200).diff(train_indexed.record(small, 200)))

# %% tags=["nbval-ignore-output"]
from timeit import timeit

textbook = timeit(lambda: train(small, 200), number=1)
indexed = timeit(lambda: train_indexed(small, 200), number=1)
f"train_indexed was {textbook / indexed:.0f} times as fast"

# %% [markdown]
# ### More practice: how many symbols does a merge save? · medium · 8 minutes · importance 3 of 5
#
# Write `my_merged_count`. It takes a split and a pair. It returns how many symbols the split loses when the pair is
# merged (an integer). You may use your `my_merge`. Example: `("p", "u", "n")` and `("p", "u")` give 1.


# %% tags=["practice"]
def my_merged_count(split, pair):
    return ...


check.merged_count(my_merged_count)

# %% [markdown]
# <details><summary>Hint: a question</summary>Is the result always the number of occurrences of the pair?</details>
# <details><summary>Hint: a smaller example</summary><code>a a a</code> contains the pair <code>a a</code> twice, but only one merge is possible.</details>
# <details><summary>Hint: the structure</summary>The length before the merge minus the length after it.</details>
#
# ### More practice: the whole trainer · hard · 20 minutes · importance 4 of 5
#
# Write `my_train`. It takes the word counts (a dictionary) and `vocab_size` (an integer). It returns the list of merges
# (pairs of symbols) in the order in which `train` learns them, with the tie-break `first_seen`. You may use your
# `my_count_pairs` and `my_merge`. Example: `{"hug": 10, "pug": 5, "pun": 12}` and 7 give `[("p", "u"), ("pu", "n")]`.


# %% tags=["practice"]
def my_train(word_counts, vocab_size):
    return ...


check.training(my_train)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many entries does the vocabulary have before the first merge? What happens when no pair is left?</details>
# <details><summary>Hint: a smaller example</summary>If several counts are equal, <code>max(counts, key=counts.get)</code> returns the pair that was inserted first.</details>
# <details><summary>Hint: the structure</summary>Repeat while the vocabulary is too small: count the pairs, stop if there are none, choose a pair, merge it in every word, append it to the list.</details>
