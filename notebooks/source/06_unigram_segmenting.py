# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Unigram: segmenting a word
#
# > **You will be able to** draw all segmentations of a word as one graph; find the most probable segmentation without
# > listing all of them; explain why the fewest pieces do not always win.
# >
# > **Time:** core 30 minutes, practice 40 minutes. **Before this:** `05_wordpiece`.
#
# <details><summary>Two questions from earlier lessons: which rule does the encoder of BPE follow? Which rule does the encoder of WordPiece follow?</summary>
#
# BPE merges the pair with the lowest rank. WordPiece takes the longest token that fits, from the left.
# </details>
# <details><summary>Are you ready? What is the logarithm of a product?</summary>It is the sum of the logarithms: log(x·y) = log(x) + log(y).</details>
# <details><summary>Which is larger, 1/2 · 1/2 or 1/5?</summary>The product 1/2 · 1/2 = 1/4 is larger. Two probable events can be more probable together than one improbable event.</details>
#
# In *unfriendly*, the parts `un`, `friend` and `ly` have a meaning. A model can use this meaning only if the
# tokenizer splits the word there. The longest match from the left (lesson 05) can split a word at other positions.
# [**Unigram**](../docs/glossary.md#unigram-language-model) is another rule. The next cell compares the two rules on
# three words, with the same vocabulary. (Lesson `07_unigram_training` explains how it was learned.)

# %%
from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.viterbi import best_path, best_scores, viterbi
from tokenlab.misconceptions.bpe_encoding import greedy_longest_match

word_counts = count_words(data.text("english").lower())
english = train_arrays(word_counts, 1500)
difficult = ["unfriendly", "dishonesty", "nowhere"]
{word: (greedy_longest_match(word, english), viterbi(word, english)) for word in difficult}

# %% [markdown]
# The longest match starts with `unf`, `dish` and `now`. So it splits `friend`, `honest` and `where`.
# Unigram looks at the whole word.
#
# In Unigram, a token is called a [**piece**](../docs/glossary.md#piece). Each arc in the next figure is a piece. Each
# path from the left end to the right end is a [**segmentation**](../docs/glossary.md#segmentation) of the word. The
# graph of all segmentations is the [**lattice**](../docs/glossary.md#lattice). Position 0 is the start of the word,
# position 1 is after the first letter, and so on.
#
# The natural logarithm of a piece's probability is its [**log probability**](../docs/glossary.md#log-probability).
# The closer it is to 0, the more probable the piece is. The *score* of a position is the log probability of the best
# path to it. Step through the figure. Then type your own word.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_viterbi

explore_viterbi("soundings", english)

# %% [markdown]
# **A word has many segmentations. The segmentation with the largest product of probabilities is the best. A table
# with one entry per position is enough to find it.**
#
# ## The probability of a segmentation
#
# The next cell counts the substrings of five words. The probability $p(x)$ of a piece $x$ is its count, divided by
# the sum of all counts. The probability of a segmentation is the product of the probabilities of its pieces:
#
# $$P(x_1 \dots x_n) = p(x_1) \cdot p(x_2) \cdots p(x_n)$$
#
# A vocabulary with such probabilities is a **unigram language model**. In this model, the probability of a piece does
# not depend on the pieces before it. The cell prints the probability of each segmentation of *pug*. (A whole word is
# a piece only if a longer word contains it. So *hug* is a piece, because *hugs* contains it, but *pug* is not. All
# shorter substrings are pieces.)

# %%
from tokenlab.algorithms.unigram.lattice import build_lattice, path_pieces, segmentations
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.vocabulary import log_probabilities, log_probability, probability

counts = count_substrings({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
small = log_probabilities(counts)
cuts = [path_pieces(path) for path in segmentations(build_lattice("pug", small))]
print("sum of all counts:", sum(counts.values()), "| p:", counts["p"], "| ug:", counts["ug"])
{" ".join(cut): round(probability(cut, small), 5) for cut in cuts}

# %% [markdown]
# For example, $P(\texttt{p ug}) = 17/210 \cdot 20/210$. `p u g` has three factors and is the least probable. The other
# two segmentations are tied. A library needs a rule for ties ("Go further").
#
# The product of many small numbers can become too small for a floating-point number. So programs add log
# probabilities: $\log P = \log p(x_1) + \dots + \log p(x_n)$.
#
# ## The fewest pieces do not always win
#
# Each piece adds a factor below 1, so a segmentation with fewer pieces is often more probable. But the product
# decides. The next cell prints the most probable segmentation, then the segmentation with the fewest pieces.

# %%
from tokenlab.misconceptions.unigram_segmenting import min_tokens_viterbi

for cut in viterbi("soundings", english), min_tokens_viterbi("soundings", english):
    print(f"{' '.join(cut):<16}{probability(cut, english):.2e}")

# %% [markdown]
# The piece `ings` is rare. The pieces `ing` and `s` are frequent: the product of their probabilities is larger than
# the probability of `ings`.
#
# ## The function itself
#
# Each additional letter can double the number of segmentations. The [**Viterbi
# algorithm**](../docs/glossary.md#viterbi-algorithm) finds the best segmentation without listing all of them. It uses
# [**dynamic programming**](../docs/glossary.md#dynamic-programming): it solves one small problem per position, from
# left to right, and stores the results. Each problem is to find the best path from the start of the word to one
# position.
#
# Why does this work? In *soundings*, the best path to position 9 ends with the piece `s`, which starts at position 8.
# The rest of the path must be the best path to position 8. Suppose that it is a worse path. Replace it by the best
# path to position 8. Then the path to position 9 becomes better. But it was already the best. So the algorithm stores
# only the score and the last piece for each position.
#
# The code calls an arc an edge. `best_scores` goes forward, and `best_path` goes back from the end of the word. Each
# `yield` reports one step to the figure. `yield from` runs `best_scores` and reports its steps. `last[...]` is the
# last piece of the best path to a position. The `while` loop starts at the end of the word and takes the piece that
# `last` contains there. Then it continues at the start of this piece. At the start of the word, `last` contains
# `None`, and the loop stops.

# %%
from tokenlab import show

show.source(best_scores, best_path)

# %% [markdown]
# ## The same call on a production library
#
# The next cell gives the same pieces and log probabilities to the library `tokenizers`. It segments 500 words with
# both programs and counts the different results. (The library requires `<unk>`, the unknown piece.)

# %%
from tokenizers import Tokenizer, models

words = ["".join(word) for word in list(word_counts)[:500]]
theirs = Tokenizer(models.Unigram([("<unk>", 0.0), *english.items()], unk_id=0))
[list(viterbi(word, english)) == theirs.encode(word).tokens for word in words].count(False)

# %% [markdown]
# No result differs.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# How many segmentations does *aba* have with the five pieces of the next cell? Which segmentation is the most
# probable? Give an integer and a tuple of strings.

# %% tags=["practice"]
from tokenlab import check

probabilities = {"a": 0.3, "b": 0.2, "ab": 0.1, "ba": 0.2, "aba": 0.05}
my_number, my_best = ..., ...  # for example 2, ("ab", "a")

check.segmented(my_number, my_best)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pieces can be first? Which pieces can follow each of them?</details>
# <details><summary>Hint: a smaller example</summary><i>ab</i> has two segmentations: <code>a b</code> with the probability 0.3 · 0.2, and <code>ab</code> with 0.1.</details>
# <details><summary>Hint: the shape</summary>Draw four positions, and an arc for each occurrence of a piece. Multiply the probabilities along each path.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `min_tokens_viterbi` returns the segmentation with the fewest pieces. Find a word and counts of pieces (a
# dictionary) for which this segmentation is not the most probable. Each letter of the word must be a piece.

# %% tags=["practice"]
my_counts, my_word = ..., ...  # for example {"a": 2, "b": 1, "ab": 2}, "ab"

check.bug(min_tokens_viterbi, my_counts, my_word)

# %% [markdown]
# <details><summary>Hint: a question</summary>When is the product of two probabilities larger than a third probability?</details>
# <details><summary>Hint: a smaller example</summary>Three pieces are enough: two letters, and the two letters together.</details>
# <details><summary>Hint: the shape</summary>Make the long piece rare and the letters frequent.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 5 of 5
#
# `my_best_score` takes a word and a dictionary from pieces to log probabilities. It returns the log probability of
# the best segmentation, a float (tolerance 0.000001). Replace the first dots by the score of position 0. Replace the
# second dots by the log probability of the best path to position `end` that ends with the piece `word[start:end]`.
# Example: `"ab"` and `{"a": -1.0, "b": -1.0, "ab": -2.5}` give -2.0.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_best_score(word, vocabulary):
    scores = [..., *[float("-inf")] * len(word)]
    for end in range(1, len(word) + 1):
        for start in range(end):
            if word[start:end] in vocabulary:
                scores[end] = max(scores[end], ...)
    return scores[-1]


check.best_score(my_best_score)

# %% [markdown]
# <details><summary>Hint: a question</summary>At position 0, no piece has been multiplied yet. What is the value of a product without factors, and what is its logarithm?</details>
# <details><summary>Hint: a smaller example</summary>For a word of one letter, the result is the log probability of this letter.</details>
# <details><summary>Hint: the shape</summary>Add the score at the start of the piece and the log probability of the piece.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# `my_segment` takes a word and a dictionary from pieces to log probabilities. It returns the most probable
# segmentation, a tuple of pieces. If two paths to a position have the same score, keep the path with the longer last
# piece. (The libraries do the same.) Example: `"ab"` and `{"a": -1.0, "b": -1.0, "ab": -2.5}` give `("a", "b")`.


# %% tags=["practice"]
def my_segment(word, vocabulary):
    return ...


check.segment(my_segment)

# %% [markdown]
# <details><summary>Hint: a question</summary>You store the best score for each position. What else do you need to find the pieces?</details>
# <details><summary>Hint: a smaller example</summary>If the last piece of <i>hugs</i> starts at position 3, continue with the last piece of <i>hug</i>.</details>
# <details><summary>Hint: the shape</summary>Store a second list with the start of the last piece. Change it only if the new score is larger. Then go back from the end, and reverse the list of pieces.</details>
#
# ### Another rule · hard · 8 minutes · importance 3 of 5
#
# A program can also draw a segmentation at random ("Go further"). `scores` is a list: the log probability of each
# segmentation of a word. Raise each probability to the power `alpha`. Divide each result by the sum of the results.
# Return the list of the quotients (floats, tolerance 0.000001). The function must also work for scores around -1000.
# Example: for `[-1.0, -1.0]` and any `alpha`, the result is `[0.5, 0.5]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_shares(scores, alpha):
    return ...


check.sampling_probabilities(my_shares)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the logarithm of a probability raised to the power alpha?</details>
# <details><summary>Hint: a smaller example</summary>If alpha is 0, every power is 1. Two segmentations then have the probability 1/2 each.</details>
# <details><summary>Hint: the shape</summary>Multiply the scores by alpha. Subtract the largest of these products from all of them. All powers are then divided by the same number, so the quotients stay the same. Apply <code>math.exp</code>, and divide by the sum.</details>
#
# ## Exit questions
#
# <details><summary>Why is it enough to store the best path to each position?</summary>
# Take two paths to the same position. The rest of the word adds the same number to both scores. So the worse path
# remains worse.
# </details>
# <details><summary>When does a segmentation with more pieces win?</summary>
# It wins when its product of probabilities is larger. This happens if its pieces are frequent and the other segmentation has a rare piece.
# </details>
# <details><summary>What is a lattice?</summary>
# It is a graph with one arc per piece. Each path from the start to the end of the word is a segmentation.
# </details>
#
# **Summary.** The lattice contains all segmentations of a word. The segmentation with the largest product of
# probabilities is the best. The Viterbi algorithm finds it with one table entry per position.
#
# **References.** Taku Kudo, *Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
# Candidates* (2018). **Next lesson:** `07_unigram_training`, which learns the probabilities.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Two common mistakes in tutorials
#
# The *cost* of a segmentation is its negative log probability, so the best segmentation has the smallest cost. One
# explanation takes the segmentation with the *largest* cost. A program in a widely read course adds the costs of the
# pieces, but it starts the sum with 1 instead of 0. What are the two results for *pug*?

# %%
from tokenlab.misconceptions.unigram_segmenting import init_score_one

costs = {" ".join(cut): round(-log_probability(cut, small), 3) for cut in cuts}
print(costs)
print("largest cost:", max(costs, key=costs.get), "| start with 1:", round(init_score_one("pug", small), 3))

# %% [markdown]
# The largest cost belongs to the worst segmentation. In the second program, every cost is too large by 1: a sum of
# logarithms must start with $\log 1 = 0$. The segmentation is still correct, so the error is easy to miss.
#
# ### Sampling, and two meanings of alpha
#
# A model that sees a word in several segmentations learns more about the parts of the word. So [**subword
# regularization**](../docs/glossary.md#subword-regularization) draws a random segmentation each time a word is used
# in training. The probability of drawing a segmentation $s$ is proportional to $P(s)^\alpha$.
#
# The library `sentencepiece` (lesson `08_sentencepiece`) uses the name alpha also for BPE. For BPE, alpha is the
# probability of skipping a merge ([**BPE-dropout**](../docs/glossary.md#bpe-dropout)). The next cell segments
# *soundings* 100 times with each algorithm, for three values of alpha. It prints the three most frequent results and
# their counts. Which rows will contain only one result?

# %%
from collections import Counter
from random import Random

from tokenlab.algorithms.bpe.encode import merge_ranks
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.unigram.sample_segmentation import sample_segmentation

ranks, chance = merge_ranks(train_indexed(word_counts, 1500)), Random(1)
for alpha in (0, 0.2, 1):
    unigram = Counter(" ".join(sample_segmentation("soundings", english, alpha, chance)) for _ in range(100))
    bpe = Counter(" ".join(encode_with_priority_queue("soundings", ranks, alpha, chance)) for _ in range(100))
    print(f"alpha {alpha}", f"Unigram: {unigram.most_common(3)}", f"BPE:     {bpe.most_common(3)}", sep="\n  ")

# %% [markdown]
# | | alpha = 0 | alpha = 1 | alpha → ∞ |
# |---|---|---|---|
# | Unigram | all segmentations equally probable | the probabilities of the model | the result of Viterbi |
# | BPE | ordinary encoding | single characters | not defined |
#
# **The two alphas work in opposite directions.** A larger alpha moves Unigram towards its best segmentation. A larger
# alpha moves BPE away from its ordinary encoding, towards single characters. With alpha = 1, BPE skips every merge,
# so its result never varies. Unigram still has two results here.
#
# ### The k best segmentations
#
# After Viterbi, a second search finds the [**k best segmentations**](../docs/glossary.md#k-best-segmentations). Its
# paths grow from the end of the word to the left. The search keeps unfinished paths in a [**priority
# queue**](../docs/glossary.md#priority-queue), the *agenda*. It always extends the path with the highest total. The
# total is the log probability of the path, plus the score of the position at the left end of the path. Viterbi has
# already computed this score.

# %%
from tokenlab.algorithms.unigram.n_best import n_best

n_best.record("hugs", small, k=3)

# %% [markdown]
# The three results have the same log probability, -6.38. In such a tie, Viterbi keeps the longest last piece, so its
# result is `h ugs`. The second search found `hu gs` first.
#
# ### The sum over all segmentations
#
# The probability of a word is the sum of the probabilities of all its segmentations. A variant of the Viterbi
# algorithm computes this sum. It multiplies probabilities instead of adding log probabilities. At each position, it
# adds up the probabilities of all paths to this position. (Viterbi would keep only the best path.) The result is the
# *forward sum* of the position. The forward sum at the end of the word is the probability of the word. The *backward
# sum* of a position is the sum over all paths from the position to the end of the word.
#
# Suppose that a segmentation is drawn at random (alpha = 1). How probable is it that this segmentation contains a
# certain arc? Multiply three numbers: the forward sum at the start of the arc, the probability of its piece, and the
# backward sum at the end of the arc. Then divide by the probability of the word. Lesson `07_unigram_training` uses
# these probabilities.

# %%
from tokenlab.algorithms.unigram.forward_backward import forward_backward

forward_backward.record("hugs", small)

# %% [markdown]
# ### How a segmentation is drawn
#
# First, the probability of each piece is raised to the power alpha. The forward sums are computed from these numbers,
# from left to right. Then the pieces are drawn from right to left. The first draw is at the end of the word: it takes
# one of the arcs that end there. The next draw is at the start of this arc. To compute the probability of drawing an
# arc, multiply the forward sum at the start of the arc by the raised probability of the arc. Then divide by the
# forward sum at the end of the arc.

# %%
sample_segmentation.record("hugs", small, alpha=0.3, random=Random(2))

# %% [markdown]
# ### The same alpha in two libraries
#
# `sentencepiece` draws segmentations as this kit does: it raises the probability of each piece to the power alpha
# once. `tokenizers` raises the whole forward sum to the power alpha at every position. But each forward sum contains
# earlier forward sums, which were already raised. So the probability of an early piece is raised several times. If
# alpha is 1, there is no difference. With alpha 2, the best segmentation should be drawn more often than with alpha 1.
# Is this true for `tokenizers` and for our function?

# %% tags=["nbval-ignore-output"]
theirs = Tokenizer(models.Unigram([("<unk>", 0.0), *english.items()], unk_id=0, alpha=2))
drawn = {"tokenizers, 2": [" ".join(theirs.encode("soundings").tokens) for _ in range(1000)]}
for alpha in (1, 2):
    drawn[f"ours, {alpha}"] = [" ".join(sample_segmentation("soundings", english, alpha, chance)) for _ in range(1000)]
{name: Counter(results).most_common(2) for name, results in drawn.items()}

# %% [markdown]
# With alpha = 2, our function draws the best segmentation more often than with alpha = 1. `tokenizers` does the
# opposite: it nearly always draws the second-best segmentation. In `sound ings`, the probability of `sound` is raised
# once. In `sound ing s`, it is raised twice.
#
# ### Ties
#
# If two paths to a position have the same score, `sentencepiece` and `tokenizers` keep the path that they find first.
# They try the longest last piece first, so this piece wins the tie. They replace a stored path only if the new score
# is larger (`>`). A program that compares with `>=` keeps the shortest last piece.

# %%
tied = {"n": -1.0, "o": -2.0, "oo": -3.0}
{rule: " ".join(viterbi("nooooo", tied, ties=rule)) for rule in ("longest_last", "shortest_last")}

# %% [markdown]
# ### A character that is not in the vocabulary
#
# A character that is not in the vocabulary gets an arc of its own. To get its log probability, take the smallest log
# probability of the vocabulary and subtract 10. Adjacent unknown characters are joined into one piece.

# %%
from tokenlab.algorithms.unigram.vocabulary import unknown_log_probability

viterbi("hug日本", small, unknown=unknown_log_probability(small), fuse_unknown=True)

# %% [markdown]
# ### Time and length
#
# `viterbi` builds the lattice for the figures. The encoder for real texts builds no lattice. It uses a
# [**trie**](../docs/glossary.md#trie), a tree of letters in which each piece is a path. The encoder's time grows
# about linearly with the length of the text, even if the whole text is one long word. The next cell doubles the
# length of such a word three times. It prints the shortest time of 15 runs in milliseconds (ms), and the factor by
# which this time is longer than the first one. The times depend on the other programs on your computer. So look only
# at the last factor. The last word is 8 times as long as the first. If the time grew with the square of the length,
# the last factor would be near 64. Is it nearer to 8 or to 64?

# %% tags=["nbval-ignore-output"]
from time import process_time
from timeit import repeat

from tokenlab.algorithms.unigram.encode import UnigramEncoder

encoder, long = UnigramEncoder(english), "".join(words) * 128
lengths = [len(long) // 2**n for n in (3, 2, 1, 0)]
run = {n: lambda n=n: encoder.encode_word(long[:n]) for n in lengths}
times = {n: min(repeat(run[n], process_time, number=1, repeat=15)) for n in lengths}
{f"{n:,} letters": f"{1e3 * t:.0f} ms, factor {t / times[lengths[0]]:.1f}" for n, t in times.items()}
