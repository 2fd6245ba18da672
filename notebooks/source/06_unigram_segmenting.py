# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Unigram: segmenting a word
#
# > **You will be able to** draw all segmentations of a word as one graph; find the most probable one; explain why the
# > fewest pieces do not always win.
# >
# > **Time:** core 35 minutes, practice 45 minutes. **Before this:** `05_wordpiece`.
#
# <details><summary>Two questions from earlier lessons: which rule does the encoder of BPE follow? Which rule does the encoder of WordPiece follow?</summary>
#
# BPE merges the pair with the lowest rank. WordPiece takes the longest token that fits, from the left.
# </details>
# <details><summary>Are you ready? What is the logarithm of a product?</summary>It is the sum of the logarithms: log(x·y) = log(x) + log(y).</details>
# <details><summary>Which is larger, 1/2 · 1/2 or 1/5?</summary>The product 1/2 · 1/2 = 1/4 is larger. Two probable events can be more probable together than one improbable event.</details>
#
# [**Unigram**](../docs/glossary.md#unigram-language-model) is the tokenization algorithm of T5 and mT5. It looks at a
# whole word before it decides where to split it, while WordPiece (BERT) takes the longest token from the left
# (*longest match*). Predict which tokenizers split *unaffordability* into *un*, *afford* and *ability*: BERT (two
# versions), T5 or mT5. Then step once.

# %%
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers

explore_real_tokenizers("each family splits it differently", ["BERT, uncased", "BERT, cased", "T5", "mT5"])

# %% [markdown]
# These tokenizers have different vocabularies. To compare only the rules, we give longest match and Unigram the same
# vocabulary. We use 199 words whose meaningful parts ([**morphemes**](../docs/glossary.md#morpheme)) were marked by
# hand. How often do both rules agree, and how often does each find exactly the morphemes?

# %%
from operator import eq

from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.unigram.viterbi import viterbi
from tokenlab.laboratory.comparison.measures import read_morphemes
from tokenlab.misconceptions.bpe_encoding import greedy_longest_match

english = train_arrays(count_words(data.text("english").lower()), 1500)
morphemes = [tuple(parts) for parts in read_morphemes()]
longest, likely = ([rule("".join(m), english) for m in morphemes] for rule in (greedy_longest_match, viterbi))
same = [sum(map(eq, *both)) for both in ((longest, likely), (longest, morphemes), (likely, morphemes))]
dict(zip(("both rules agree", "longest match finds the morphemes", "Unigram finds them"), same, strict=True))

# %% [markdown]
# Unigram finds the morphemes of only a few more words. Here are the first words on which the rules differ: the longest
# match is on the left, Unigram on the right.

# %%
[f"{' '.join(a)} | {' '.join(b)}" for a, b in zip(longest, likely, strict=True) if a != b][:6]

# %% [markdown]
# Neither rule knows what a part means, so `c are fully` is possible. But Unigram assigns a *probability* to each way
# of splitting a word. So a program can compare all ways, or draw one at random.
#
# In Unigram, a token is called a [**piece**](../docs/glossary.md#piece), and a way to split a word is a
# [**segmentation**](../docs/glossary.md#segmentation). The graph of all segmentations is the
# [**lattice**](../docs/glossary.md#lattice). Its nodes are the positions of the word: 0 is the start, 1 is after the
# first letter. Each edge is a piece, so each path from the start to the end is a segmentation.
#
# The natural logarithm of a piece's probability is its [**log probability**](../docs/glossary.md#log-probability), a
# number below 0. We add the log probabilities along each path. The best path to a position has the largest sum, which
# is the *score* of the position. Step through the figure, then type your own word.

# %%
from tokenlab.show.explorers.explore_unigram import explore_viterbi

explore_viterbi("soundings", english)

# %% [markdown]
# **The path with the largest sum of log probabilities has the largest product of probabilities.**
#
# ## The probability of a segmentation
#
# We count the substrings of five words. The probability $p(x)$ of a piece $x$ is its count divided by the sum of all
# counts. The probability of a segmentation is the product of its pieces' probabilities:
#
# $$P(x_1 \dots x_n) = p(x_1) \cdot p(x_2) \cdots p(x_n)$$
#
# A vocabulary with such probabilities is a **unigram language model**: the probability of a piece does not depend on
# the pieces before it. Here are all segmentations of *pug*. (A whole word becomes a piece only if a longer word
# contains it: *hugs* contains *hug*, but no word contains *pug*.)

# %%
from tokenlab.algorithms.unigram.lattice import build_lattice, count_segmentations, path_pieces, segmentations
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.vocabulary import log_probabilities, log_probability, probability

counts = count_substrings({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
small = log_probabilities(counts)
cuts = [path_pieces(path) for path in segmentations(build_lattice("pug", small))]
print("sum of all counts:", sum(counts.values()), "| p:", counts["p"], "| ug:", counts["ug"])
{" ".join(cut): round(probability(cut, small), 5) for cut in cuts}

# %% [markdown]
# For example, $P(\texttt{p ug}) = 17/210 \cdot 20/210$. The product of many small numbers can become too small for a
# floating-point number, so programs add log probabilities: $\log P = \log p(x_1) + \dots + \log p(x_n)$.
#
# ## The fewest pieces do not always win
#
# Each piece adds a factor below 1, so a segmentation with fewer pieces is usually more probable. For how many of
# the 199 words does the most probable segmentation have more pieces than necessary?

# %%
from tokenlab.misconceptions.unigram_segmenting import min_tokens_viterbi

fewest = [min_tokens_viterbi("".join(m), english) for m in morphemes]
more = [(cut, few) for cut, few in zip(likely, fewest, strict=True) if len(cut) > len(few)]
print(len(more), "words, the first one:")
{" ".join(cut): f"{probability(cut, english):.1e}" for cut in more[0]}

# %% [markdown]
# In *downstairs*, four factors have a larger product than three.
#
# ## The Viterbi algorithm
#
# A word of $n$ letters can have $2^{n-1}$ segmentations, too many to list. The [**Viterbi
# algorithm**](../docs/glossary.md#viterbi-algorithm) uses [**dynamic
# programming**](../docs/glossary.md#dynamic-programming): from left to right, it stores the best path to each position.
# Why is this enough? Take two paths to one position. The rest of the word adds the same number to both scores, so the
# worse path stays worse, and we can forget it.

# %%
lattice = build_lattice("soundings", english)
print(count_segmentations(lattice), "segmentations,", len([*lattice.edges]), "edges")
for step in viterbi.steps("soundings", english):
    print(step)

# %% [markdown]
# The `position` lines are the algorithm's table. Row 9 names only the last piece, `s`. To find the others, go back
# ([**backtracking**](../docs/glossary.md#backtracking)): `s` starts at 8, so look up row 8. Its piece `ing` starts at
# 5, so look up row 5. Its piece `sound` starts at 0, so we stop. The pieces were found from right to left, so reverse
# them.
#
# **Cost.** If the longest piece has $m$ letters, at most $m$ edges end at each position. So a word of $n$ letters needs
# at most $n \cdot m$ additions.
#
# **The sum.** Training needs the probability of a *word*, the sum of the probabilities of its segmentations. In a
# similar table, each row stores the sum of the probabilities of all paths to its position (the [**forward
# sum**](../docs/glossary.md#forward-sum)) instead of the best path.
#
# **A letter without a piece.** A word with an unknown character would have no path. Therefore the character gets an
# edge. Its log probability is the lowest of the vocabulary minus 10:

# %%
from tokenlab.algorithms.unigram.vocabulary import unknown_log_probability

print(viterbi("pug😊", small, unknown=unknown_log_probability(small)))
round(unknown_log_probability(small), 2), round(min(small.values()), 2)

# %% [markdown]
# So the rest of the word keeps its pieces, unlike in WordPiece.
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
# <details><summary>Hint: the structure</summary>Draw four positions, and an edge for each occurrence of a piece. Multiply the probabilities along each path.</details>
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
# <details><summary>Hint: the structure</summary>Make the long piece rare and the letters frequent.</details>
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
# <details><summary>Hint: the structure</summary>Add the score at the start of the piece and the log probability of the piece.</details>
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
# <details><summary>Hint: a question</summary>You store the best score for each position. At the end of the word, how do you find out where its last piece starts?</details>
# <details><summary>Hint: a smaller example</summary>Suppose that the best last pieces of <i>hugs</i> start at 0, 0, 1 and 3 for the positions 1 to 4. Position 4: the piece from 3 to 4 is <code>s</code>. Position 3: the piece from 1 to 3 is <code>ug</code>. Position 1: the piece from 0 to 1 is <code>h</code>. Reversed: <code>h ug s</code>.</details>
# <details><summary>Hint: the structure</summary>Use the loops of the previous task, and a second list <code>starts</code>. Whenever a score becomes larger, store in it where the last piece starts. Then let <code>end</code> be the length of the word. While <code>end</code> is above 0, note the piece <code>word[starts[end]:end]</code> and continue with <code>end = starts[end]</code>. Reverse the notes.</details>
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
# <details><summary>Hint: the structure</summary>Multiply the scores by alpha. Subtract the largest of these products from all of them. All powers are then divided by the same number, so the quotients stay the same. Apply <code>math.exp</code>, and divide by the sum.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A colleague says: "Unigram always returns the segmentation with the fewest pieces." The first sentence says what
# Unigram maximizes. The second one says why fewer pieces often win. The third one says when more pieces win. Write
# three sentences.
#
# <details><summary>What a good answer contains</summary>
#
# 1. Unigram maximizes the product of the probabilities of the pieces.
# 2. Every further piece is a factor below 1, so it makes the product smaller.
# 3. More pieces win if they are frequent and the shorter segmentation contains a rare piece.
# </details>
# <details><summary>Two sample answers</summary>
#
# **Good:** “Unigram returns the segmentation whose product of probabilities is largest. Each further piece multiplies
# the product by a number below 1, so segmentations with few pieces often win. But with P(a) = P(b) = 0.3 and P(ab) =
# 0.01, `a b` has 0.09 and beats `ab`, because `ab` is rare.”
#
# **Wrong:** “Unigram maximizes the probability. Each piece multiplies it by a number below 1. So one piece is always
# more probable than two.” The last sentence compares only the number of factors, not their sizes. One small factor
# can be smaller than the product of two large ones.
# </details>
#
# ## Exit questions
#
# <details><summary>Why is it enough to store the best path to each position?</summary>
# Take two paths to the same position. The rest of the word adds the same number to both scores. So the worse path
# remains worse.
# </details>
# <details><summary>When does a segmentation with more pieces win?</summary>
# It wins when its product of probabilities is larger. This happens if its pieces are frequent and the other
# segmentation has a rare piece.
# </details>
# <details><summary>When do the longest match and Viterbi agree, and is the more probable segmentation the better one?</summary>
# They agree if the longest-match path has the largest product. This is common, because long pieces give few factors.
# "More probable" only means a larger product: neither rule knows the morphemes.
# </details>
# <details><summary>What is a lattice?</summary>
# It is a graph with one edge per piece. Each path from the start to the end of the word is a segmentation.
# </details>
#
# **Summary.** The lattice contains all segmentations of a word, and the segmentation with the largest product of
# probabilities is the best. The Viterbi algorithm finds it with one table entry per position, because only the best path
# to each position matters.
#
# **References.** Taku Kudo, *Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
# Candidates* (2018). **Next lesson:** `07_unigram_training`, which learns the probabilities.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The function, line by line
#
# The algorithm consists of two functions. `best_scores` goes forward and fills the table: `scores[...]` is the best
# score of a position, and `last[...]` is the last piece on the best path to it. `best_path` is the backtracking. It
# begins with the last piece of the word and then always continues at the start of the piece that it has just found. At
# the start of the word, `last` contains `None`, so the `while` loop stops. (`yield` reports a step to the figure, and
# `yield from` runs `best_scores` and passes its steps on.)

# %%
from tokenlab import show
from tokenlab.algorithms.unigram.viterbi import best_path, best_scores

show.source(best_scores, best_path)

# %% [markdown]
# ### The same call on a production library
#
# We give the same pieces and log probabilities to the library `tokenizers`, segment 500 words with both programs, and
# count the results that differ. (The library requires `<unk>`, the unknown piece.)

# %%
from tokenizers import Tokenizer, models

word_counts = count_words(data.text("english").lower())
words = ["".join(word) for word in list(word_counts)[:500]]
theirs = Tokenizer(models.Unigram([("<unk>", 0.0), *english.items()], unk_id=0))
[list(viterbi(word, english)) == theirs.encode(word).tokens for word in words].count(False)

# %% [markdown]
# ### Two common mistakes in tutorials
#
# The *cost* of a segmentation is its negative log probability, so the best segmentation has the smallest cost. However,
# one explanation takes the segmentation with the *largest* cost. Another mistake is to start the sum of the costs with 1
# instead of 0; the program of a widely read course does this. What are the two results for *pug*?

# %%
from tokenlab.misconceptions.unigram_segmenting import init_score_one

costs = {" ".join(cut): round(-log_probability(cut, small), 3) for cut in cuts}
print(costs)
print("largest cost:", max(costs, key=costs.get), "| start with 1:", round(init_score_one("pug", small), 3))

# %% [markdown]
# The largest cost belongs to the worst segmentation. In the second program, every cost is too large by 1, because a sum
# of logarithms must start with $\log 1 = 0$. The segmentation is still correct, so the error is easy to miss.
#
# ### Sampling, and two meanings of alpha
#
# If a model sees a word in several segmentations, it can learn more about the parts of the word. Therefore [**subword
# regularization**](../docs/glossary.md#subword-regularization) draws a random segmentation each time a word is used
# in training. The probability of drawing a segmentation $s$ is proportional to $P(s)^\alpha$.
#
# The library `sentencepiece` (lesson `08_sentencepiece`) uses the name alpha also for BPE. For BPE, alpha is the
# probability of skipping a merge ([**BPE-dropout**](../docs/glossary.md#bpe-dropout)). We segment *soundings* 100 times
# with each algorithm, for three values of alpha, and print the three most frequent results and their counts. Which rows
# will contain only one result?

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
# | model | alpha = 0 | alpha = 1 | alpha → ∞ |
# |---|---|---|---|
# | Unigram | all segmentations equally probable | the probabilities of the model | the result of Viterbi |
# | BPE | ordinary encoding | single characters | not defined |
#
# **The two alphas work in opposite directions.** A larger alpha moves Unigram towards its best segmentation, but it
# moves BPE away from its ordinary encoding, towards single characters. With alpha = 1, BPE skips every merge, so its
# result never varies, while Unigram still has two results here.
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
# ### Forward and backward sums
#
# The forward sum at the end of the word is the probability of the word. In the same way, the *backward sum* of a
# position adds up all paths from the position to the end of the word.
#
# Suppose that a segmentation is drawn at random (alpha = 1). How probable is it that this segmentation contains a
# certain edge? Multiply three numbers: the forward sum at the start of the edge, the probability of its piece, and the
# backward sum at the end of the edge. This is the sum over all paths through the edge, so divide it by the probability
# of the word. Lesson `07_unigram_training` uses these probabilities.

# %%
from tokenlab.algorithms.unigram.forward_backward import forward_backward

forward_backward.record("hugs", small)

# %% [markdown]
# ### How a segmentation is drawn
#
# First, the probability of each piece is raised to the power alpha, and the forward sums are computed from these
# numbers, from left to right. Then the pieces are drawn from right to left, as in backtracking: the first draw takes one
# of the edges that end at the end of the word, and the next draw is at the start of this edge. To compute the
# probability of drawing an edge, multiply the forward sum at its start by its raised probability. Then divide by the
# forward sum at its end.

# %%
sample_segmentation.record("hugs", small, alpha=0.3, random=Random(2))

# %% [markdown]
# ### The same alpha in two libraries
#
# `sentencepiece` draws segmentations as this kit does: it raises the probability of each piece to the power alpha
# once. `tokenizers`, in contrast, raises the whole forward sum to the power alpha at every position. Since each forward
# sum contains earlier forward sums, which were already raised, the probability of an early piece is raised several
# times. If alpha is 1, there is no difference. With alpha 2, the best segmentation should be drawn more often than
# with alpha 1.
# Is this true for `tokenizers` and for our function?

# %% tags=["nbval-ignore-output"]
theirs = Tokenizer(models.Unigram([("<unk>", 0.0), *english.items()], unk_id=0, alpha=2))
drawn = {"tokenizers, 2": [" ".join(theirs.encode("soundings").tokens) for _ in range(200)]}
for alpha in (1, 2):
    drawn[f"ours, {alpha}"] = [" ".join(sample_segmentation("soundings", english, alpha, chance)) for _ in range(200)]
{name: Counter(results).most_common(2) for name, results in drawn.items()}

# %% [markdown]
# With alpha = 2, our function draws the best segmentation more often than with alpha = 1. `tokenizers` does the
# opposite: it nearly always draws the second-best segmentation. In `sound ings`, the probability of `sound` is raised
# once, but in `sound ing s` it is raised twice.
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
# ### Adjacent unknown characters
#
# An unknown character gets an edge of its own. Adjacent unknown characters can be joined into one piece afterwards.

# %%
viterbi("hug日本", small, unknown=unknown_log_probability(small), fuse_unknown=True)

# %% [markdown]
# ### Time and length
#
# `viterbi` builds the lattice for the figures. The encoder for real texts builds no lattice. It uses a
# [**trie**](../docs/glossary.md#trie), a tree of letters in which each piece is a path. The encoder's time grows
# about linearly with the length of the text, even if the whole text is one long word. The next cell doubles the
# length of such a word three times. It prints the shortest time of 5 runs in milliseconds (ms), and the factor by
# which this time is longer than the first one. Since the times depend on the other programs on your computer, look only
# at the last factor. The last word is 8 times as long as the first, so a time that grows with the square of the length
# would give a factor near 64. Is it nearer to 8 or to 64?

# %% tags=["nbval-ignore-output"]
from time import process_time
from timeit import repeat

from tokenlab.algorithms.unigram.encode import UnigramEncoder

encoder, long = UnigramEncoder(english), "".join(words) * 128
lengths = [len(long) // 2**n for n in (3, 2, 1, 0)]
run = {n: lambda n=n: encoder.encode_word(long[:n]) for n in lengths}
times = {n: min(repeat(run[n], process_time, number=1, repeat=5)) for n in lengths}
{f"{n:,} letters": f"{1e3 * t:.0f} ms, factor {t / times[lengths[0]]:.1f}" for n, t in times.items()}
