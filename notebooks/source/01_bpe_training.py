# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # How BPE learns its vocabulary
#
# > **You will be able to** predict the next step of byte pair encoding (BPE) and say why; write its two halves, counting
# > and merging; name the rule that decides when two pairs are equally good.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `00_start_here`.
#
# <details><summary>Two questions from before: what is a vocabulary? What is a token?</summary>
#
# A vocabulary is a model's fixed list of pieces. A token is a piece of text from that list.
# </details>
#
# Run each cell as you reach it (Shift and Enter). Here, click on the player and step with → and ←. When it asks, guess.

# %%
from tokenlab.algorithms.bpe.train import train

word_counts = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
train.record(word_counts, vocab_size=20)

# %% [markdown]
# Which one did you guess first? `p u` had been second, close behind the winner, and still it lost: the merge took some of
# its places away. **Each merge changes the counts, so the next winner need not be the one that was second.**
#
# ## The idea, on three words
#
# BPE starts from the words of a corpus and how often each occurs. Each word is first split into characters. These pieces,
# and what becomes of them, are called *symbols*. Two symbols that are neighbours are a **pair**. How often does each pair
# occur?

# %%
from tokenlab.algorithms.bpe.train import count_pairs

counts = {"hug": 10, "pug": 5, "pun": 12}
splits = {"hug": ("h", "u", "g"), "pug": ("p", "u", "g"), "pun": ("p", "u", "n")}
count_pairs(splits, counts)

# %% [markdown]
# A pair counts as often as its word occurs. So `p u` takes its count from *pug* and from *pun*, and leads. Pairs may
# overlap: in `a a a` the pair `a a` counts twice.
#
# A **merge** joins the leading pair into one symbol, in every word, from the left. Then the pairs are counted again. Watch
# what is left of `u g`, which was second.

# %%
from tokenlab.algorithms.bpe.train import merge

splits = {word: merge(split, ("p", "u")) for word, split in splits.items()}
count_pairs(splits, counts)

# %% [markdown]
# The `u` of *pug* is inside `pu` now. It is nobody's neighbour any more, so `u g` keeps only its share from *hug*, and
# `pu n`, which did not exist a moment ago, leads.
#
# ## The function itself
#
# That is all there is: count, take the best, merge, repeat, until the vocabulary is as large as you asked for. It has the
# characters of the corpus, and one more entry for each merge. This is the package's own code. `Start` splits the words
# and checks what you ask for, `allowed` leaves out pairs that are too rare or too long (if you ask for that), and
# `yield` is where the player gets its steps.

# %%
from tokenlab import show

show.source(train)

# %% [markdown]
# `choose` is needed because several pairs can have the same count: they *tie*. The rule that it follows is the
# **tie-break**. `first_seen` takes the pair that comes first in the words.
#
# ## Your own text
#
# The box holds the start of a story. Step through it, then put in your own text, in any language. Move `vocab_size` to
# the left until something complains, and read what it says. Then type just `ab`, and move the slider far right.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_tokenizers import explore_bpe_training

explore_bpe_training(data.text("english")[:2000], vocab_size=90)

# %% [markdown]
# ## The same call on a production library
#
# Hugging Face's `tokenizers` trains in Rust. Are its merges ours? It breaks ties by *ids*, the numbers of the vocabulary's
# entries: first the characters in alphabetical order, then the merges as they are made. The pair with the lower ids wins.
# With that rule the two agree, merge for merge. With ours they part where pairs tie.

# %%
import json
from collections import Counter

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

theirs = Tokenizer(models.BPE())
theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
theirs.train_from_iterator(Counter(word_counts).elements(), trainers.BpeTrainer(vocab_size=16, show_progress=False))
library = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
{"lowest_id": train(word_counts, 16, "lowest_id") == library, "first_seen": train(word_counts, 16) == library}

# %% [markdown]
# ## Where it breaks
#
# Some programs merge by replacing text: they write the symbols with blanks between them, and replace `a b` by
# `ab`. Here is what that does to a word whose symbols are `xa` and `b`. The pair to merge is `a` and `b`, which this word
# does not even have.

# %%
from tokenlab.misconceptions.bpe_training import string_replace_merge

pair = ("a", "b")
{"replacing text": string_replace_merge(("xa", "b"), pair), "merging symbols": merge(("xa", "b"), pair)}

# %% [markdown]
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. If you are wrong, it shows the smallest input it could
# find, and what you made of it. Run it again and it says the rule; once more, and you see your steps beside the right ones. Hints
# unfold, too.
#
# ### Trace one step · easy, five minutes
#
# Take the words `{"aab": 3, "ab": 4, "ba": 2}`, split into characters. Which pair is merged first, and what is its count?

# %% tags=["practice"]
from tokenlab import check

my_pair, my_count = ..., ...  # a pair is written like this: ("x", "y")

check.first_merge(my_pair, my_count)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pairs does <i>aab</i> have, and how much does each get from it?</details>
# <details><summary>Hint: a smaller example</summary>In <i>aab</i> alone, <code>a a</code> and <code>a b</code> get three each.</details>
# <details><summary>Hint: the shape</summary>Make a table: a row for each word, a column for each pair, and add up the columns.</details>
#
# ### Find the bug · medium, eight minutes
#
# Somebody wanted to save time, and wrote the trainer that this cell prints. It learns two merges of your words. Find words on which
# these are not the two that `train` learns.

# %% tags=["practice"]
from tokenlab.misconceptions.bpe_training import batch_merge_stale_counts

print(show.source(batch_merge_stale_counts))
my_words = ...  # words and counts, for example {"ab": 3, "cd": 2}

check.bug(batch_merge_stale_counts, my_words)

# %% [markdown]
# <details><summary>Hint: a question</summary>Are the counts still true when the second pair is merged?</details>
# <details><summary>Hint: a smaller example</summary>You need two pairs that share a symbol.</details>
# <details><summary>Hint: the shape</summary>A frequent pair, and a second one that mostly stands in the same words.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_count_pairs` gets the words as they are split, and their counts. Fill in what to loop over, and what to add.

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
# <details><summary>Hint: a question</summary>How many pairs of neighbours has a word of four symbols?</details>
# <details><summary>Hint: a smaller example</summary><code>zip("hug", "ug")</code> walks along both at once.</details>
# <details><summary>Hint: the shape</summary>Zip the split with itself, less its first symbol; add the word's count.</details>
#
# ### Write it · medium, ten minutes
#
# Write `merge` yourself. A split is a tuple of symbols: from `("p", "u", "n")` and the pair `("p", "u")` make `("pu", "n")`. Go
# from the left, and use each symbol once.


# %% tags=["practice"]
def my_merge(split, pair):
    return ...


check.merge(my_merge)

# %% [markdown]
# <details><summary>Hint: a question</summary>After a pair is merged at a place, at which place do you look next?</details>
# <details><summary>Hint: a smaller example</summary>For <code>a a a</code>: look at the first two, merge them, go on behind them.</details>
# <details><summary>Hint: the shape</summary>A position, a loop while it is inside the word, and two cases that move it by two or by one.</details>
#
# ### Another rule · harder, ten minutes
#
# A tie-break may be your own function. It gets a pair that ties: `tied.pair` is the pair, `tied.ids` the ids of its two symbols,
# `tied.first` the place where it comes first in the words. It returns a key, and the smallest key wins. Write the rule that
# prefers the pair whose merged symbol is **longest**, and among those the one that comes first.

# %% tags=["practice"]
from tokenlab.algorithms.bpe.tie_break import Tied


def my_policy(tied):
    return ...


check.tie_break(my_policy)

# %% [markdown]
# <details><summary>Hint: a question</summary>Small keys win: how do you make a long symbol small?</details>
# <details><summary>Hint: a smaller example</summary>Tuples compare by their first place, then by their second.</details>
# <details><summary>Hint: the shape</summary>A tuple: the negative length of both symbols together, then <code>tied.first</code>.</details>
#
# ## Before you leave
#
# <details><summary>Why may the second most frequent pair not be the next to merge?</summary>
# Its symbols may stand where the merged pair stood; those places are gone, and new pairs have come.
# </details>
# <details><summary>How often does a pair of a and a count in the word aaaa, and how many symbols does its merge make?</summary>
# It counts at each of the three places where two neighbours are equal. The merge, from the left, makes two symbols.
# </details>
# <details><summary>Two libraries learn different merges from the same text, and neither has a bug. How?</summary>
# Pairs tied, and their tie-breaks differ; from there on the counts differ as well.
# </details>
#
# **What stays.** BPE counts pairs of neighbours, merges the most frequent everywhere, and counts again. Every merge
# changes the counts. Ties are broken by a rule that belongs to the algorithm.
#
# **Read on.** Rico Sennrich, Barry Haddow and Alexandra Birch, *Neural Machine Translation of Rare Words with Subword
# Units* (the paper that brought BPE to language). Next lesson: `02_bpe_encoding`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The tie-break laboratory
#
# The same words, and two rules for ties. The player opens at the first step where the two part. How often does a rule
# decide at all?

# %%
words = {"newest": 6, "widest": 3, "lowest": 5, "lower": 2, "low": 5, "newer": 4}
first_seen = train.record(words, 26)
first_seen.diff(train.record(words, 26, tie_break="lexicographic_max"))

# %%
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words

story_words = count_words(data.text("english"))
recordings = {name: train_indexed.record(story_words, 1000, tie_break=name) for name in ["first_seen", "lowest_id"]}
{name: f"{sum(step.ties > 1 for step in steps)} of {len(steps)} merges were ties" for name, steps in recordings.items()}

# %% [markdown]
# ### The whole corpus, step by step
#
# A real run is long. The player shows a window of it, and says which.

# %%
recordings["first_seen"].play(start=40)

# %% [markdown]
# ### What a larger vocabulary buys
#
# The more entries a vocabulary has, the fewer tokens the text makes; but later merges save less. Two texts of the same
# length, in two languages.

# %%
from tokenlab.show.plots import plot_tokens_by_vocab_size

texts = {name: data.text(name)[:4500] for name in ["english", "german"]}
plot_tokens_by_vocab_size({name: train_indexed.record(count_words(text), 600) for name, text in texts.items()})

# %% [markdown]
# ### The same merges, sooner
#
# `train` counts every pair anew before every merge. `train_indexed` remembers which words have which pair, and visits only
# those that change. Same arguments, same steps: `None` says that no step differs.

# %%
small = count_words(data.text("english")[:4000])
print(train.record(small, 200).diff(train_indexed.record(small, 200)))

# %% tags=["nbval-ignore-output"]
from timeit import timeit

textbook = timeit(lambda: train(small, 200), number=1)
indexed = timeit(lambda: train_indexed(small, 200), number=1)
f"train_indexed was {textbook / indexed:.0f} times as fast"

# %% [markdown]
# ### More practice: how many does it save? · medium, eight minutes
#
# A merge makes a word shorter. Write by how many symbols, for a split and a pair. You may use your `my_merge`.


# %% tags=["practice"]
def my_merged_count(split, pair):
    return ...


check.merged_count(my_merged_count)

# %% [markdown]
# <details><summary>Hint: a question</summary>Is it the number of times that the pair stands in the word?</details>
# <details><summary>Hint: a smaller example</summary><code>a a a</code> has the pair <code>a a</code> at two places.</details>
# <details><summary>Hint: the shape</summary>The length before, less the length after.</details>
#
# ### More practice: the whole trainer · harder, twenty minutes
#
# Write the trainer: from words and counts, the list of merges that makes a vocabulary of `vocab_size` entries, as `train` does
# with `first_seen`. You may use your `my_count_pairs` and `my_merge`.


# %% tags=["practice"]
def my_train(word_counts, vocab_size):
    return ...


check.training(my_train)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many entries are there before the first merge, and what if no pair is left?</details>
# <details><summary>Hint: a smaller example</summary><code>max(counts, key=counts.get)</code> takes, of equal ones, the one that came first.</details>
# <details><summary>Hint: the shape</summary>A loop while the vocabulary is too small: count, stop if there is nothing, choose, merge in every word, remember.</details>
