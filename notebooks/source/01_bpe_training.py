# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # How BPE learns its vocabulary
#
# > **You will be able to** predict the next merge of byte pair encoding (BPE) and say why; write its training loop; name
# > the rule that decides when two pairs are equally good.
# >
# > **Time:** forty-five minutes. **Before this:** `00_start_here`.
#
# <details><summary>Two questions from before: what is a vocabulary? What is a token?</summary>
#
# A vocabulary is a model's fixed list of pieces. A token is a piece of text that stands in that list.
# </details>
#
# Step through this training with → and ←. When the player asks, guess.

# %%
from tokenlab.algorithms.bpe_train import train

word_counts = {"bun": 15, "pup": 11, "pun": 10, "bug": 6, "ten": 5, "pug": 3}
train.record(word_counts, vocab_size=20)

# %% [markdown]
# Did you guess the old runner-up? It was well ahead of the rest, and still it lost. **Each merge changes the counts, so
# the next winner need not be the old runner-up.** Everything else in this lesson is detail.
#
# ## The idea, on three words
#
# A corpus comes in as words and how often each occurs. Each word starts as its characters, its first *symbols*. Two
# symbols that are neighbours are a **pair**. How often does each pair occur?

# %%
from tokenlab.algorithms.bpe_train import count_pairs

counts = {"hug": 10, "pug": 5, "pun": 12}
splits = {"hug": ("h", "u", "g"), "pug": ("p", "u", "g"), "pun": ("p", "u", "n")}
count_pairs(splits, counts)

# %% [markdown]
# A pair in a word counts as often as the word does. So `p u` takes its count from *pug* and from *pun*, and leads.
#
# A **merge** makes the leading pair one symbol, in every word where it stands. Then the pairs are counted again.
# Before you run the cell: what will be left of `u g`, the runner-up?

# %%
from tokenlab.algorithms.bpe_train import merge

splits = {word: merge(split, ("p", "u")) for word, split in splits.items()}
count_pairs(splits, counts)

# %% [markdown]
# The `u` of *pug* is inside `pu` now. It is nobody's neighbour any more, so `u g` keeps only its share from *hug*, and
# `pu n`, which did not exist a moment ago, leads.
#
# ## The function itself
#
# That is all there is: count, take the best, merge, again, until the vocabulary is as large as you asked for. A
# vocabulary has the characters of the corpus and one more entry for each merge. This is the package's own code; `yield`
# is where the player gets its steps.

# %%
from tokenlab import show

show.source(train)

# %% [markdown]
# `min(...)` looks puzzling: if several pairs have the same count, somebody has to choose. The rule is the **tie-break**.
# Here it takes the pair seen first.
#
# ## Your own text
#
# The box holds the start of a story. Step through it, then put in your own text, in any language. Move `vocab_size` to
# the left until something complains, and read what it says. Then type just `ab`, and ask for much.

# %%
from tokenlab import data
from tokenlab.show.explore import explore_bpe_training

explore_bpe_training(data.text("english")[:2000], vocab_size=90)

# %% [markdown]
# ## The same call on a production library
#
# Hugging Face's `tokenizers` trains in Rust. Are its merges ours? It breaks ties in its own way: it takes the pair whose
# symbols have the lower ids, that is, came into the vocabulary earlier. With that rule the two agree, merge for merge.

# %%
import json
from collections import Counter

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

theirs = Tokenizer(models.BPE())
theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
theirs.train_from_iterator(Counter(word_counts).elements(), trainers.BpeTrainer(vocab_size=16, show_progress=False))
merges = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
merges, merges == train(word_counts, 16, tie_break="lowest_id")

# %% [markdown]
# ## Where it breaks
#
# Some famous tutorials merge by replacing text: they write the symbols with blanks between them, and replace `a b` by
# `ab`. Here is what that does to a word whose symbols are `xa` and `b`. The pair to merge is `a` and `b`, which this word
# does not even have.

# %%
from tokenlab.misconceptions.bpe import string_replace_merge

pair = ("a", "b")
{"replacing text": string_replace_merge(("xa", "b"), pair), "merging symbols": merge(("xa", "b"), pair)}

# %% [markdown]
# ## Practice
#
# Each task checks itself when you run its cell. Write in place of the three dots. Help unfolds in layers: a question, a
# smaller example, the shape of the code.
#
# ### Trace one step · easy, five minutes
#
# Take the words `{"aab": 3, "ab": 4, "ba": 2}`, split into characters. Which pair is merged first, and what is its count?
#
# <details><summary>Hint: a question</summary>Which pairs does <i>aab</i> have, and how much does each get from it?</details>
# <details><summary>Hint: a smaller example</summary>In <i>aab</i> alone, <code>a a</code> and <code>a b</code> get three each.</details>
# <details><summary>Hint: the shape</summary>Make a table: a row for each word, a column for each pair, and add up the columns.</details>

# %% tags=["practice"]
my_pair, my_count = ..., ...

if my_pair is not ...:
    first = train.record({"aab": 3, "ab": 4, "ba": 2}, vocab_size=3)[0]
    assert my_pair == first.pair, f"{my_pair} does not occur most often; did you weight by the words' counts?"
    assert my_count == first.count, "The pair is right. Its count: add what each word with the pair contributes."
    print("Right.")

# %% [markdown]
# ### Find the bug · medium, eight minutes
#
# This trainer merges two pairs at a time to save time. Find words on which its merges differ from `train`'s.

# %% tags=["practice"]
from tokenlab.misconceptions.bpe import batch_merge_stale_counts

my_words = ...  # for example {"hug": 10, "pug": 5}

if my_words is not ...:
    size = len(set("".join(my_words))) + 2
    wrong, right = batch_merge_stale_counts(my_words, size), train(my_words, size)
    assert wrong != right, f"Both learn {right}; is there a pair that loses by the first merge?"
    print(f"Found: it learns {wrong} where {right} is right.")

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pair of the three words above was second, and what did the first merge do to it?</details>
# <details><summary>Hint: a smaller example</summary>You need two pairs that share a symbol.</details>
# <details><summary>Hint: the shape</summary>Take a frequent pair, and a runner-up that mostly stands in the same words.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_count_pairs` gets the words as they are split, and their counts. Fill in what to loop over, and what to add.

# %% tags=["practice"]
from collections import Counter


def my_count_pairs(splits, word_counts):
    counts = Counter()
    for word, split in splits.items():
        for pair in ...:
            counts[pair] += ...
    return counts


try:
    mine = my_count_pairs(splits, counts)
except TypeError:
    print("Fill in both places first.")
else:
    assert mine == count_pairs(splits, counts), f"You get {mine}"
    assert my_count_pairs({"aaa": ("a", "a", "a")}, {"aaa": 1}) == {("a", "a"): 2}, "Overlapping pairs count too."
    print("Right.")

# %% [markdown]
# <details><summary>Hint: a question</summary>How many neighbours does a word of four symbols have?</details>
# <details><summary>Hint: a smaller example</summary><code>zip("hug", "ug")</code> walks along both at once.</details>
# <details><summary>Hint: the shape</summary>Zip the split with itself, less its first symbol; add the word's count.</details>
#
# ### Write it · harder, ten minutes
#
# Write `merge` yourself. From the left, and no symbol is used twice.


# %% tags=["practice"]
def my_merge(split, pair):
    return ...


if my_merge(("a",), ("a", "b")) is not ...:
    for split in [("p", "u", "n"), ("a", "a", "a"), ("a", "a", "a", "a"), ("xa", "b"), ("p", "u"), ()]:
        for pair in [("p", "u"), ("a", "a"), ("a", "b")]:
            mine, right = tuple(my_merge(split, pair)), merge(split, pair)
            assert mine == right, f"merge({split}, {pair}): you get {mine}, it should be {right}"
    print("Right.")

# %% [markdown]
# <details><summary>Hint: a question</summary>After a pair is merged at a place, at which place do you look next?</details>
# <details><summary>Hint: a smaller example</summary>For <code>a a a</code>: look at the first two, merge them, go on behind them.</details>
# <details><summary>Hint: the shape</summary>A position, a loop while it is inside the word, and two cases that move it by two or by one.</details>
#
# ### Another rule · harder, ten minutes
#
# A tie-break may be your own function. It gets a pair that ties, with `pair`, `ids` and `first`, and returns a key; the
# smallest key wins. Write the rule that prefers the pair whose merged symbol is **longest**, and among those the one seen
# first.

# %% tags=["practice"]
from tokenlab.algorithms.tie_break import Tied


def my_policy(tied):
    return ...


if my_policy(Tied(("a", "b"), ids=(0, 1), first=(0, 0))) is not ...:
    learned = train({"abcd": 2, "xy": 2}, vocab_size=9, tie_break=my_policy)
    assert learned[:2] == [("a", "b"), ("ab", "c")], f"You learn {learned}; after the first merge, abc is the longest."
    print("Right.")

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
from tokenlab.algorithms.bpe_train_indexed import train_indexed
from tokenlab.algorithms.words import count_words

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
# The more entries a vocabulary has, the fewer tokens the text makes. But each merge saves less than the one before.

# %%
from tokenlab.show.plots import tokens_against_vocabulary

german = train_indexed.record(count_words(data.text("german")), 1000)
tokens_against_vocabulary({"english": recordings["first_seen"], "german": german})

# %% [markdown]
# ### The same merges, sooner
#
# `train` counts every pair anew before every merge. `train_indexed` remembers which words have which pair, and visits only
# those that change. Same arguments, same steps.

# %%
small = count_words(data.text("english")[:4000])
print(train.record(small, 200).diff(train_indexed.record(small, 200)))

# %% tags=["nbval-ignore-output"]
from timeit import timeit

textbook = timeit(lambda: train(small, 200), number=1)
indexed = timeit(lambda: train_indexed(small, 200), number=1)
f"train_indexed was {textbook / indexed:.0f} times as quick"
