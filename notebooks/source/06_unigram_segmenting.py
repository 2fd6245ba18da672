# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # How Unigram cuts a word
#
# > **You will be able to** draw all segmentations of a word as one graph; find the most probable one without listing them;
# > say what alpha does when a segmentation is drawn by chance.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `05_wordpiece`.
#
# <details><summary>Two questions from before: what decides in BPE? What decides in WordPiece?</summary>
#
# In BPE the lowest rank, merge by merge. In WordPiece the longest piece that fits, from the left.
# </details>
# <details><summary>Are you ready? What is the logarithm of a product?</summary>The sum of the logarithms.</details>
# <details><summary>Which is more: one half times one half, or one fifth?</summary>One half times one half, which is one quarter: two likely things can beat one that is unlikely.</details>
# <details><summary>You know the cheapest ways to three towns, and the roads from each of them to yours. What is the cheapest way to you?</summary>The smallest of three sums: the way to a town, and its road. Nobody has to go through all the ways again. That is dynamic programming.</details>
#
# A Unigram vocabulary knows no merges. It knows how probable each piece is. Run the cell, click on the player, and step.
# Then type a word of your own.

# %%
from tokenlab import data
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.show.explorers.explore_tokenizers import explore_viterbi

word_counts = count_words(data.text("english").lower())
english = train_arrays(word_counts, 1500)
explore_viterbi("soundings", english)

# %% [markdown]
# Every arc is a piece. A path from the left end to the right end is a way to cut the word, a **segmentation**, and the graph that
# holds all of them is the **lattice**. A few dozen arcs can stand for thousands of paths; you looked only at arcs that end together. **There are many
# segmentations, a product of probabilities chooses, and a table avoids listing them.**
#
# ## The idea, on three letters
#
# Take five words, and count their substrings. (Whole words are left out,
# unless they stand inside longer ones, as *hug* in *hugs*.) A piece is as
# probable as its share of all that was counted. The probability of a segmentation is the product of its pieces'
# probabilities. Here are all ways to cut *pug*.

# %%
from tokenlab.algorithms.unigram.lattice import build_lattice, path_pieces, segmentations
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.vocabulary import log_probabilities, log_probability, probability

counts = count_substrings({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
small = log_probabilities(counts)
cuts = [path_pieces(path) for path in segmentations(build_lattice("pug", small))]
print("counted in all:", sum(counts.values()), "| p:", counts["p"], "| ug:", counts["ug"])
{" ".join(cut): round(probability(cut, small), 5) for cut in cuts}

# %% [markdown]
# Three letters cost three factors, each far below one. And two ways are equally good: a library needs a rule for ties.
#
# Products of many small numbers become too small for a computer. So everybody adds natural logarithms instead:
# $\log p(x\,y) = \log p(x) + \log p(y)$. A **log probability** is never above zero, and the nearer to zero, the more
# probable the piece. Those are the numbers under the arcs.
#
# ## Fewest pieces need not win
#
# You may have read that Unigram prefers few pieces. Often it does: each piece is one more factor below one. But the product
# decides. Which of these two is more probable?

# %%
from tokenlab.algorithms.unigram.viterbi import best_path, best_scores, viterbi
from tokenlab.misconceptions.unigram_segmenting import min_tokens_viterbi

for cut in viterbi("soundings", english), min_tokens_viterbi("soundings", english):
    print(f"{' '.join(cut):<16}{probability(cut, english):.2e}")

# %% [markdown]
# `ings` is a piece, but a rare one. `ing` and `s` are so frequent that together they win.
#
# ## The function itself
#
# The number of segmentations can double with every letter. **Viterbi** never lists them. The best way to a position ends in
# some piece, and the way before that piece must be the best one to where it starts; otherwise it could be made better. So
# one number and one piece for each position are enough. In the code an arc is an `Edge`; `best_scores` goes forward, `best_path` back.
#
# <details><summary>What are edges_to and ties?</summary>For each position, the arcs that end there; and what to do if two ways are
# equally good: see "Ties" at the end.</details>

# %%
from tokenlab import show

show.source(best_scores, best_path)

# %% [markdown]
# ## The same call on a production library
#
# `tokenizers` takes the same pieces and log probabilities. How many of five hundred words does it cut differently?

# %%
from tokenizers import Tokenizer, models

words = ["".join(word) for word in list(word_counts)[:500]]
theirs = Tokenizer(models.Unigram([("<unk>", 0.0), *english.items()], unk_id=0))
[list(viterbi(word, english)) == theirs.encode(word).tokens for word in words].count(False)

# %% [markdown]
# ## Where it breaks
#
# Below, each way to cut *pug* has a cost, its log probability without the minus sign. One of the notes that this kit grew
# out of defines the cost of a word by the *maximum* of these. And a well-known course begins its sum at one and not
# at zero. Which cut would the note choose? What does the course print for the best?

# %%
from tokenlab.misconceptions.unigram_segmenting import init_score_one

costs = {" ".join(cut): round(-log_probability(cut, small), 3) for cut in cuts}
print(costs)
print("the note:", max(costs, key=costs.get), "| the course:", round(init_score_one("pug", small), 3))

# %% [markdown]
# The maximum is the worst way of all: three single letters. And an empty product is one, but its *logarithm* is zero; so
# every cost in that course is too high by one. The cut is still right, so nobody notices.
#
# ## Two alphas
#
# A model that sees a word cut in many ways learns more about its parts. So segmentations are also drawn by chance. In
# Unigram, alpha is an exponent: each probability is taken to the power alpha, then all are divided by their sum. For BPE,
# SentencePiece gives the same argument another meaning: the probability to leave a merge out. Which rows will be the most
# disorderly, Unigram's and BPE's?

# %%
from random import Random
from tokenlab.algorithms.bpe.encode import merge_ranks
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.unigram.sample_segmentation import sample_segmentation

ranks, chance = merge_ranks(train_indexed(word_counts, 1500)), Random(1)
for alpha in (0, 0.2, 1):
    unigram = [" ".join(sample_segmentation("soundings", english, alpha, chance)) for _ in range(3)]
    bpe = [" ".join(encode_with_priority_queue("soundings", ranks, alpha, chance)) for _ in range(3)]
    print(f"alpha {alpha}", "  Unigram: " + " | ".join(unigram), "  BPE:     " + " | ".join(bpe), sep="\n")

# %% [markdown]
# For Unigram, zero makes all segmentations equally likely, one leaves the model's own probabilities, and infinity would be
# Viterbi. For BPE, zero is the ordinary encoding and one leaves single letters. **The two alphas run in opposite
# directions.**
#
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# With these probabilities, how many ways are there to cut *aba*, and which is the most probable?

# %% tags=["practice"]
from tokenlab import check

probabilities = {"a": 0.3, "b": 0.2, "ab": 0.1, "ba": 0.2, "aba": 0.05}
my_number, my_best = ..., ...  # for example 2, ("ab", "a")

check.segmented(my_number, my_best)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pieces can come first? Which can come after each of them?</details>
# <details><summary>Hint: a smaller example</summary><i>ab</i> can be cut in two ways: <code>a b</code>, with the product of both probabilities, and <code>ab</code>.</details>
# <details><summary>Hint: the shape</summary>Draw four positions and an arc for each piece. Multiply along each path.</details>
#
# ### Find the bug · medium, eight minutes
#
# `min_tokens_viterbi` takes as few pieces as possible. Find counts of pieces, and a word, on which it is wrong. Each letter
# of the word is a piece, too.

# %% tags=["practice"]
my_counts, my_word = ..., ...  # for example {"a": 2, "b": 1, "ab": 2}, "ab"

check.bug(min_tokens_viterbi, my_counts, my_word)

# %% [markdown]
# <details><summary>Hint: a question</summary>What must be true of a piece so that two others beat it together?</details>
# <details><summary>Hint: a smaller example</summary>Three pieces are enough: two letters, and both in one.</details>
# <details><summary>Hint: the shape</summary>Make the long piece rare and the letters frequent.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_best_score` gives the log probability of the best segmentation. Fill in the score of the empty beginning, and what a
# piece adds up to.


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
# <details><summary>Hint: a question</summary>How probable is it to have cut nothing so far? What is the logarithm of that?</details>
# <details><summary>Hint: a smaller example</summary>For a word of one letter the result is the log probability of that letter.</details>
# <details><summary>Hint: the shape</summary>The score where the piece starts, and the piece's own.</details>
#
# ### Write it · harder, twelve minutes
#
# Write the segmentation itself: a tuple of pieces. Where two ways are equally good, keep the one whose last piece is the
# longest, as the libraries do.


# %% tags=["practice"]
def my_segment(word, vocabulary):
    return ...


check.segment(my_segment)

# %% [markdown]
# <details><summary>Hint: a question</summary>Besides the best score, what must you remember for each position?</details>
# <details><summary>Hint: a smaller example</summary>If the last piece of <i>hugs</i> starts at three, go on with the last piece of <i>hug</i>.</details>
# <details><summary>Hint: the shape</summary>A second list, of starts, changed only where a score is beaten; then a loop from the end, and a turn round.</details>
#
# ### Another rule · harder, eight minutes
#
# `scores` are the log probabilities of all segmentations. Return a list of the chances that each is drawn with this alpha;
# together they make one. Does it survive scores of minus one thousand?


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_shares(scores, alpha):
    return ...


check.sampling_probabilities(my_shares)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the logarithm of a probability to the power alpha?</details>
# <details><summary>Hint: a smaller example</summary>With alpha zero every power is one, so two segmentations have one half each.</details>
# <details><summary>Hint: the shape</summary>Multiply by alpha; take the largest away from all, which divides every power by the same number, so that the shares stay the same; <code>exp</code> from <code>math</code>; divide by the sum.</details>
#
# ## Before you leave
#
# <details><summary>Why is it enough to remember the best way to each position?</summary>
# Whatever comes after is added to each of them alike. A way that is worse now stays worse.
# </details>
# <details><summary>When does a cut with more pieces win?</summary>
# When the product of their probabilities is higher: frequent pieces against a rare one.
# </details>
# <details><summary>You want more disorder. Where does alpha go, in Unigram and in BPE?</summary>
# Down in Unigram, towards zero, where all segmentations are alike. Up in BPE, where it is the chance to lose a merge; at one
# every merge is lost, and chance has no part in it any more.
# </details>
#
# **What stays.** The lattice holds all segmentations, a product of probabilities chooses, and a table of the best way to
# each position finds it.
#
# **Read on.** Taku Kudo, *Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
# Candidates*. Next lesson: `07_unigram_training`, where the probabilities come from.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The k best
#
# Viterbi forward, then a search backward with an agenda: the way that promises most goes on first. Viterbi has already found the
# best score of everything to the left, so the promise is not a guess.

# %%
from tokenlab.algorithms.unigram.n_best import n_best

n_best.record("hugs", small, k=3)

# %% [markdown]
# ### All of them at once
#
# Put a sum where Viterbi has a maximum, and you get the probability of the word, all its segmentations together. From
# both ends, it gives the share of each arc. Training needs that: `07_unigram_training`.

# %%
from tokenlab.algorithms.unigram.forward_backward import forward_backward

forward_backward.record("hugs", small)

# %% [markdown]
# ### A segmentation being drawn
#
# Sum forward, then draw backward: at each position one of the arcs that end there, by its share.

# %%
sample_segmentation.record("hugs", small, alpha=0.3, random=Random(2))

# %% [markdown]
# ### One alpha, two libraries
#
# `sentencepiece` draws as we do. `tokenizers` takes all that arrives at a position to the power alpha anew, at every piece
# that goes before; so what stands far left is counted again and again. With alpha one nobody sees it. With alpha two, the
# best segmentation should come even more often. Which one comes there?

# %% tags=["nbval-ignore-output"]
from collections import Counter

theirs = Tokenizer(models.Unigram([("<unk>", 0.0), *english.items()], unk_id=0, alpha=2))
ours = Counter(" ".join(sample_segmentation("soundings", english, 2, chance)) for _ in range(1000))
drawn = Counter(" ".join(theirs.encode("soundings").tokens) for _ in range(1000))
{"ours": ours.most_common(2), "tokenizers": drawn.most_common(2)}

# %% [markdown]
# ### Ties
#
# `sentencepiece` and `tokenizers` keep the first of equal ways, and the first has the longest last piece. One `>=` in place
# of `>` turns that round. Where does the odd letter go?

# %%
tied = {"n": -1.0, "o": -2.0, "oo": -3.0}
{rule: " ".join(viterbi("nooooo", tied, ties=rule)) for rule in ("longest_last", "shortest_last")}

# %% [markdown]
# ### A letter that is no piece
#
# It gets an arc of its own, ten below the least probable piece. Neighbours of that kind become one.

# %%
from tokenlab.algorithms.unigram.vocabulary import unknown_log_probability

viterbi("hug日本", small, unknown=unknown_log_probability(small), fuse_unknown=True)

# %% [markdown]
# ### Speed
#
# The lattice is made for looking. The encoder pushes scores along a trie (a tree of letters, one way down for each
# piece) and remembers words; it needs a time
# that grows with the length alone, even without a single blank.

# %% tags=["nbval-ignore-output"]
from timeit import repeat

from tokenlab.algorithms.unigram.encode import UnigramEncoder

encoder, letters = UnigramEncoder(english), "".join(words) * 8
half = min(repeat(lambda: encoder.encode_word(letters), number=1))
whole = min(repeat(lambda: encoder.encode_word(letters * 2), number=1))
f"{len(letters):,} letters: {half:.3f} s, twice as many: {whole:.3f} s"
