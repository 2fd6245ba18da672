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
# > counting pairs and merging a pair; name the rule that decides when two pairs have the same count.
# >
# > **Time:** core 30 minutes, practice 68 minutes. **Before this:** `00_start_here`.
#
# <details><summary>Two questions from the last lesson: what is a vocabulary? What is a token?</summary>
#
# A vocabulary is the list of all tokens that a tokenizer knows. A token is a piece of text from that list.
# </details>
#
# Many services charge for a language model per token. The next cell splits two sentences with the same meaning, using a vocabulary that
# was learned from English text. It prints the number of tokens.

# %%
from tokenlab import data
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity

sentences = ["The teacher gave the doctor a book", "Der Lehrer gab dem Arzt ein Buch"]
english = data.text("english")
{text: len(tokenize_at_each_granularity.record(text, english, 1000)[-1].tokens) for text in sentences}

# %% [markdown]
# The German sentence costs more than twice as much. The reason is how the vocabulary was learned: it contains only what
# is frequent in its corpus. **Byte pair encoding (BPE)** is the algorithm that most models use for this.
#
# Run the next cell, click on the player and step with → and ←. When the player asks, make a guess.

# %%
from tokenlab.algorithms.bpe.train import train

word_counts = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
train.record(word_counts, vocab_size=20)

# %% [markdown]
# Before the first merge, `p u` had the second highest count. It was not merged next, because the first merge removed
# some of its occurrences. **Each merge changes the counts. The next merge need not be the pair that was second.**
#
# ## The algorithm, on three words
#
# BPE starts from the words of a corpus and their counts. Each word is split into characters. During training, the pieces of a word
# are called **symbols**; at the start, every symbol is one character. Two adjacent symbols are a **pair**. The next cell
# counts the pairs of three words.

# %%
from tokenlab.algorithms.bpe.train import count_pairs

counts = {"hug": 10, "pug": 5, "pun": 12}
splits = {"hug": ("h", "u", "g"), "pug": ("p", "u", "g"), "pun": ("p", "u", "n")}
count_pairs(splits, counts)

# %% [markdown]
# Each occurrence of a pair in a word adds the count of that word. The pair `p u` occurs in *pug* (5) and in *pun* (12), so its count is 17,
# the highest. Overlapping pairs all count: the word *aaa* contains the pair `a a` twice.
#
# A **merge** joins the two symbols of a pair into one symbol. It applies to every word, from left to right. Then the pairs are counted
# again. What is the count of `u g` after the merge of `p u`? It was 15.

# %%
from tokenlab.algorithms.bpe.train import merge

splits = {word: merge(split, ("p", "u")) for word, split in splits.items()}
count_pairs(splits, counts)

# %% [markdown]
# In *pug*, the symbol `u` is now a part of the symbol `pu`. So `u g` occurs only in *hug*, and its count is 10. The new pair `pu n` has the highest count.
#
# ## The function itself
#
# The algorithm repeats three actions until the vocabulary has the size that you asked for: count the pairs, choose the
# most frequent pair, merge it. The vocabulary contains the characters of the corpus and one new symbol per merge. This is
# the code of the package. The class `TrainingState` splits the words into characters. The method `allowed` leaves out pairs
# that are too rare or too long, if you set such a limit. Each `yield` gives the player one step.

# %%
from tokenlab import show

show.source(train)

# %% [markdown]
# Several pairs can have the same highest count. They are **tied**, and a rule called the **tie-break** chooses one of them. The
# tie-break `first_seen` chooses the pair that occurs first in the words.
#
# ## Your own text
#
# The box contains the start of a story. Step through its training. Then type a text of your own, in any language. Move `vocab_size` to
# the left until an error message appears, and read it. Finally, type `ab` and move the slider to the right.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_bpe_training

explore_bpe_training(data.text("english")[:2000], vocab_size=90)

# %% [markdown]
# ## The same call on a production library
#
# Hugging Face's library `tokenizers` trains BPE in Rust. Does it learn the same merges? Its tie-break uses **ids**, the
# numbers of the symbols in the vocabulary. The characters get the first ids, in the order of their code points. Each merged symbol gets the next id.
# Among tied pairs, the pair with the lowest ids is merged. The next cell compares this rule, `lowest_id`, and `first_seen`
# with the library.

# %%
import json
from collections import Counter

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

theirs = Tokenizer(models.BPE())
theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
theirs.train_from_iterator(Counter(word_counts).elements(), trainers.BpeTrainer(vocab_size=16, show_progress=False))
library = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
{rule: train(word_counts, 16, rule) == library for rule in ["lowest_id", "first_seen"]}

# %% [markdown]
# With `lowest_id`, all merges are equal. With `first_seen`, the merges differ from the first tie that the two rules break differently.
#
# ## Where it breaks
#
# A common mistake is to merge by replacing text: write the symbols with spaces between them, then replace `a b` by
# `ab`. The next cell applies both ways to a word with the symbols `xa` and `b`. The word does not contain the pair
# `a b`, so nothing may change.

# %%
from tokenlab.misconceptions.bpe_training import string_replace_merge

pair = ("a", "b")
{"replacing text": string_replace_merge(("xa", "b"), pair), "merging symbols": merge(("xa", "b"), pair)}

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. If the answer is wrong, the check shows the smallest input that it
# found, with your result. Run the cell again to see the rule, and a third time to see your steps next to the correct
# steps.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# The word counts are `{"aab": 3, "ab": 4, "ba": 2}`. Each word is split into characters. Which pair is merged first, and what is
# its count? Give a tuple of two strings and an integer.

# %% tags=["practice"]
from tokenlab import check

my_pair, my_count = ..., ...  # a pair is written like this: ("x", "y")

check.first_merge(my_pair, my_count)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pairs does <i>aab</i> contain, and how much does it add to the count of each?</details>
# <details><summary>Hint: a smaller example</summary>The word <i>aab</i> alone adds 3 to <code>a a</code> and 3 to <code>a b</code>.</details>
# <details><summary>Hint: the shape</summary>Draw a table with one row per word and one column per pair. Add the numbers of each column.</details>
#
# ### Find the bug · medium · 8 minutes · importance 5 of 5
#
# The next cell prints a trainer that learns two merges but counts the pairs only once. Find word counts (a dictionary) for which these two
# merges differ from the two merges that `train` learns.

# %% tags=["practice"]
from tokenlab.misconceptions.bpe_training import batch_merge_stale_counts

print(show.source(batch_merge_stale_counts))
my_words = ...  # words and counts, for example {"ab": 3, "cd": 2}

check.bug(batch_merge_stale_counts, my_words)

# %% [markdown]
# <details><summary>Hint: a question</summary>Are the counts still correct when the second pair is merged?</details>
# <details><summary>Hint: a smaller example</summary>Use two pairs that share a symbol.</details>
# <details><summary>Hint: the shape</summary>Use one frequent pair, and a second pair that occurs mostly in the same words.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 4 of 5
#
# `my_count_pairs` takes the splits (a dictionary from words to tuples of symbols) and the word counts. It returns the count of each pair. Complete
# the loop and the added number.

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
# <details><summary>Hint: the shape</summary>Use <code>zip</code> on the split and on the split without its first symbol. Add the count of the word.</details>
#
# ### Write it · medium · 10 minutes · importance 5 of 5
#
# Write `merge`. Its arguments are a split (a tuple of symbols) and a pair (a tuple of two symbols). It returns the new split as a tuple. Merge
# from left to right, and use each symbol only once. Example: `("p", "u", "n")` and `("p", "u")` give `("pu", "n")`.


# %% tags=["practice"]
def my_merge(split, pair):
    return ...


check.merge(my_merge)

# %% [markdown]
# <details><summary>Hint: a question</summary>You merged the pair at positions 0 and 1. Which position do you look at next?</details>
# <details><summary>Hint: a smaller example</summary>For <code>a a a</code>: merge the first two symbols, then continue with the third symbol.</details>
# <details><summary>Hint: the shape</summary>Use a position and a loop. In one case the position grows by 2, otherwise by 1.</details>
#
# ### Another rule · hard · 10 minutes · importance 3 of 5
#
# A tie-break can be a function of your own. It takes one tied pair: `tied.pair` is the pair, `tied.ids` are the ids of its
# two symbols, and `tied.first` is the position of its first occurrence in the words. The function returns a sorting key. The pair with
# the smallest key is merged. Write the tie-break that prefers the **longest** merged symbol. Among equally long symbols, it
# prefers the pair that occurs first.

# %% tags=["practice"]
from tokenlab.algorithms.bpe.tie_break import Tied


def my_policy(tied):
    return ...


check.tie_break(my_policy)

# %% [markdown]
# <details><summary>Hint: a question</summary>The smallest key wins. How can a long symbol have a small key?</details>
# <details><summary>Hint: a smaller example</summary>Python compares tuples by their first elements, and then by their second elements: <code>(1, 9) &lt; (2, 0)</code>.</details>
# <details><summary>Hint: the shape</summary>Return a tuple: the negative length of the merged symbol, then <code>tied.first</code>.</details>
#
# ## Exit questions
#
# <details><summary>Why is the second most frequent pair not always the next merge?</summary>
# The merge may have removed some of its occurrences, and it has created new pairs.
# </details>
# <details><summary>What does the word aaaa, with count 1, add to the count of the pair a a? How many symbols does it have after the merge?</summary>
# It adds 3, because three adjacent pairs are equal. After the merge from left to right, the word has 2 symbols.
# </details>
# <details><summary>Two libraries without bugs learn different merges from the same text. How can this happen?</summary>
# Some pairs were tied, and the libraries use different tie-breaks. After the first different merge, the counts differ as well.
# </details>
#
# **Summary.** BPE counts all adjacent pairs, merges the most frequent pair in every word, and counts again. Each merge changes the
# counts. A tie-break decides between pairs with equal counts.
#
# **References.** Rico Sennrich, Barry Haddow and Alexandra Birch, *Neural Machine Translation of Rare Words with Subword
# Units* (2016), introduced BPE for translation. **Next lesson:** `02_bpe_encoding`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The tie-break laboratory
#
# The next cell trains twice on the same words, with two different tie-breaks. The player opens at the first step where
# the two trainings differ.

# %%
words = {"newest": 6, "widest": 3, "lowest": 5, "lower": 2, "low": 5, "newer": 4}
first_seen = train.record(words, 26)
first_seen.diff(train.record(words, 26, tie_break="lexicographic_max"))

# %% [markdown]
# How many merges of a larger training are decided by the tie-break?

# %%
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words

story_words = count_words(data.text("english"))
recordings = {name: train_indexed.record(story_words, 1000, tie_break=name) for name in ["first_seen", "lowest_id"]}
{name: f"{sum(step.ties > 1 for step in steps)} of {len(steps)} merges were ties" for name, steps in recordings.items()}

# %% [markdown]
# ### The whole corpus, step by step
#
# A real training has many steps. The player shows a range of them and names the range.

# %%
recordings["first_seen"].play(start=40)

# %% [markdown]
# ### What a larger vocabulary buys
#
# With a larger vocabulary, a text has fewer tokens. Later merges reduce the number of tokens less than early merges. The
# figure shows two texts of the same length, in two languages.

# %%
from tokenlab.show.plots import plot_tokens_by_vocab_size

texts = {name: data.text(name)[:4500] for name in ["english", "german"]}
plot_tokens_by_vocab_size({name: train_indexed.record(count_words(text), 600) for name, text in texts.items()})

# %% [markdown]
# ### The same merges in less time
#
# The function `train` counts all pairs again before each merge. The function `train_indexed` stores which words contain which pair. After a merge,
# it updates only the words that changed. Both take the same arguments. The next cell compares their steps; `None` means that no
# step differs.

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
# A merge makes a word shorter. Write a function that takes a split and a pair and returns the difference in length, an integer. You
# may use your `my_merge`. Example: `("p", "u", "n")` and `("p", "u")` give 1.


# %% tags=["practice"]
def my_merged_count(split, pair):
    return ...


check.merged_count(my_merged_count)

# %% [markdown]
# <details><summary>Hint: a question</summary>Is it the number of occurrences of the pair in the word?</details>
# <details><summary>Hint: a smaller example</summary><code>a a a</code> contains the pair <code>a a</code> twice, but only one merge is possible.</details>
# <details><summary>Hint: the shape</summary>The length before the merge minus the length after it.</details>
#
# ### More practice: the whole trainer · hard · 20 minutes · importance 4 of 5
#
# Write the trainer. It takes the word counts (a dictionary) and `vocab_size` (an integer). It returns the list of merges (pairs) in the order in
# which `train` learns them, with the tie-break `first_seen`. You may use your `my_count_pairs` and `my_merge`.


# %% tags=["practice"]
def my_train(word_counts, vocab_size):
    return ...


check.training(my_train)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many entries does the vocabulary have before the first merge? What happens when no pair is left?</details>
# <details><summary>Hint: a smaller example</summary>Among equal counts, <code>max(counts, key=counts.get)</code> returns the pair that was inserted first.</details>
# <details><summary>Hint: the shape</summary>Use a loop while the vocabulary is too small: count the pairs, stop if there are none, choose one, merge it in every word, and append it to the list.</details>
