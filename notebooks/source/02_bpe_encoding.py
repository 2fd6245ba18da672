# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # How BPE encodes
#
# > **You will be able to** encode a word by hand with a list of merges; explain why BPE does not always choose the longest
# > token; recognise three rules that are often mistaken for BPE.
# >
# > **Time:** core 25 minutes, practice 40 minutes. **Before this:** `01_bpe_training`.
#
# <details><summary>Two questions from the last lesson: what does a merge do? Why may the second most frequent pair not be merged next?</summary>
#
# A merge joins one pair of adjacent symbols into one symbol, in every word. It removes occurrences of other pairs, so their counts become smaller.
# </details>
#
# A model that knows *light* may not recognise it in *lighthouses*. The next cell learns merges from the English corpus and
# encodes three words.

# %%
from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank, merge_ranks
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words

merges = train_indexed(count_words(data.text("english")), 650)
ranks = merge_ranks(merges)
[encode_by_rank(word, ranks) for word in ["light", "lights", "lighthouses"]]

# %% [markdown]
# The vocabulary contains the token `light`, but the tokens of *lighthouses* do not include it. To the model, *light* and *lighthouses* have nothing in
# common. Why does BPE not use the longer token? Click on the player, step through the word and make guesses. The small number between two tokens
# is the position of their merge in the list of merges, starting at 0. A dash means that the list does not contain
# the pair.

# %%
encode_by_rank.record("lighthouses", ranks)

# %% [markdown]
# The position of a merge in the list is its **rank**. The merge that was learned first has rank 0. **The pair with the lowest rank is merged first.
# The length of the token and its position in the word do not matter.**
#
# ## The rule, on three letters
#
# Suppose that training learned two merges: first `b c` (rank 0), then `a b` (rank 1). How is *abc* encoded? Reading from
# the left, you might merge `a b`. But `b c` has the lower rank, so BPE merges it first. Then `a b` no longer occurs.

# %%
encode_by_rank("abc", merge_ranks([("b", "c"), ("a", "b")]))

# %% [markdown]
# Why does the order of training matter? In training, `b c` was merged in every word before `a b` was merged. The encoder applies
# the merges to a new word in the same order.
#
# ## Rules that are mistaken for BPE
#
# The next cell compares BPE with three other rules. The argument `mine` is your own segmentation: the word with spaces between the tokens. Change it and
# run the cell again.
#
# - **Longest match**: from the left, take the longest token that fits.
# - **Left to right**: merge the leftmost pair that has a rank.
# - **Fewest tokens**: find a segmentation with the smallest number of tokens.

# %%
from tokenlab.misconceptions.compare_segmentations import compare_segmentations

compare_segmentations.record("lighthouses", merges, mine="light houses")

# %% [markdown]
# All three rules use the token `light`. BPE does not, because the pair `t h` has a lower rank than the last merge of
# `light`. After the merge of `t h`, the letter *t* is a part of another token. BPE also does not find the fewest tokens. It does not search for
# them.
#
# ## Your own word
#
# Type words of your own and step through them. Does a typing error cost one extra token or several? This player shows a faster
# implementation of the same rule. It keeps the pairs that can be merged in a **priority queue**, lowest rank first.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_bpe_encoding

explore_bpe_encoding("unhappiness", ranks)

# %% [markdown]
# ## The function itself
#
# The function looks up every adjacent pair, merges the pair with the lowest rank, and repeats. If the lowest rank occurs
# at two positions, the left position is merged first.

# %%
from tokenlab import show

show.source(encode_by_rank)

# %% [markdown]
# ## The same call on a production library
#
# The next cell gives the same merges to `tokenizers`, encodes 300 words and counts the differences.

# %%
from tokenizers import Tokenizer, models

words = ["".join(word) for word in list(count_words(data.text("english")))[:300]]
alphabet = sorted({symbol for word in words for symbol in word} | set("".join(map("".join, merges))))
theirs = Tokenizer(models.BPE({token: id for id, token in enumerate([*alphabet, *ranks])}, merges))
[list(encode_by_rank(word, ranks)) == theirs.encode(word).tokens for word in words].count(False)

# %% [markdown]
# There is one difference in the code. `tokenizers` looks up the rank of a *pair*. Our `ranks` and the ranks of tiktoken belong to the *token* that the pair
# becomes. For merges from training, both give the same tokens.
#
# ## Where it breaks
#
# Another implementation goes through the list of merges once and applies each merge wherever it fits. For a
# list in the order of training, the result is correct. What happens if the list was shuffled?

# %%
from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.misconceptions.bpe_encoding import single_pass_shuffled_merges

wrong = [word for word in words if encode_in_order(word, merges) != encode_by_rank(word, ranks)]
shuffled = [word for word in words if single_pass_shuffled_merges(word, merges) != encode_by_rank(word, ranks)]
{"words": len(words), "wrong in order": len(wrong), "wrong when shuffled": len(shuffled)}

# %% [markdown]
# A shuffled list fails for two reasons. Merges are applied in another order. And a merge such as `th e` finds nothing if it comes before
# `t h`, which creates its first symbol.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. Run it again to see the rule, and a third time to see your steps next
# to the correct steps.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# The merges are, in this order: `e r`, `w er`, `l o`, `lo w`. Encode *lower*. Give a tuple of strings.

# %% tags=["practice"]
from tokenlab import check

my_tokens = ...  # for example ("l", "ower")

check.encoded(my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the four pairs does the word contain at the start?</details>
# <details><summary>Hint: a smaller example</summary>For <i>wer</i>, first <code>e r</code> is merged, then <code>w er</code>.</details>
# <details><summary>Hint: the shape</summary>Write the word with spaces between the symbols. Write it again after each merge. Two merges need the <i>w</i>.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `left_to_right_merge` merges the leftmost pair that has a rank. Find a list of merges and a word of at least 4 letters
# for which its result is wrong. Each symbol in a merge must be a letter or the result of an earlier merge. No two merges
# may create the same token.

# %% tags=["practice"]
from tokenlab.misconceptions.bpe_encoding import left_to_right_merge

my_merges, my_word = ..., ...  # for example [("a", "b"), ("ab", "c")], "abcd"

check.bug(left_to_right_merge, my_merges, my_word)

# %% [markdown]
# <details><summary>Hint: a question</summary>When does the order of two merges change the result?</details>
# <details><summary>Hint: a smaller example</summary>Use two merges that need the same letter.</details>
# <details><summary>Hint: the shape</summary>The merge with the lower rank must occur further right in the word.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 4 of 5
#
# `my_best` returns the position of the pair with the lowest rank, or -1 if no pair has a rank. `split` is a tuple of symbols. `ranks`
# is a dictionary from tokens to ranks. Complete the collected values and the return value. Example: for `("a", "b")` and
# `{"ab": 0}`, the result is 0.


# %% tags=["practice"]
def my_best(split, ranks):
    found = [... for place in range(len(split) - 1) if split[place] + split[place + 1] in ranks]
    return ... if found else -1


check.lowest_rank_position(my_best)

# %% [markdown]
# <details><summary>Hint: a question</summary>How does <code>min</code> compare tuples?</details>
# <details><summary>Hint: a smaller example</summary><code>min([(3, 0), (1, 5), (1, 2)])</code> is <code>(1, 2)</code>.</details>
# <details><summary>Hint: the shape</summary>Collect tuples of rank and position. Return the position of the smallest tuple.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# Write the encoder. It takes a word (a string) and the ranks of tokens, and returns a tuple of tokens. It may call your
# `my_best`. Example: for `"abc"` and `{"bc": 0, "ab": 1}`, the result is `("a", "bc")`.


# %% tags=["practice"]
def my_encode(word, ranks):
    return ...


check.encode(my_encode)

# %% [markdown]
# <details><summary>Hint: a question</summary>When is the encoder finished?</details>
# <details><summary>Hint: a smaller example</summary>After a merge, the new list is: the symbols on the left, the merged symbol, the symbols on the right.</details>
# <details><summary>Hint: the shape</summary>Use a loop: find the position with <code>my_best</code>; if it is -1, stop; otherwise build the new list.</details>
#
# ### Another rule · hard · 8 minutes · importance 3 of 5
#
# Some vocabularies must not contain long tokens. Write an encoder that never creates a token longer than `longest`
# characters. It may call your `my_encode`. Example: for `"abc"`, `{"ab": 0, "abc": 1}` and 2, the result is `("ab", "c")`.


# %% tags=["practice"]
def my_encode_short(word, ranks, longest):
    return ...


check.encode_with_limit(my_encode_short)

# %% [markdown]
# <details><summary>Hint: a question</summary>If one merge is not allowed, which pair is merged instead?</details>
# <details><summary>Hint: a smaller example</summary>For <i>abc</i>, the tokens <i>ab</i> and <i>abc</i>, and the limit 2, the result is <code>ab c</code>.</details>
# <details><summary>Hint: the shape</summary>Remove the tokens that are too long from the ranks. Encode with the remaining ranks.</details>
#
# ## Exit questions
#
# <details><summary>Why does BPE not always take the longest token from the left?</summary>
# Another pair has a lower rank. It may lie inside the long token or cross its end, and it is merged first.
# </details>
# <details><summary>When does one pass through the list of merges give a wrong result?</summary>
# When the list is not in the order of training. For example, a merge may come before the merge that creates one of its symbols.
# </details>
# <details><summary>Does BPE find the fewest tokens?</summary>No. It applies the merges in the order of training. A shorter segmentation may exist.</details>
#
# **Summary.** Encoding applies the merges of training to one word. The pair with the lowest rank is merged first, at any position in the word, until no
# pair has a rank.
#
# **References.** Rico Sennrich, Barry Haddow and Alexandra Birch, *Neural Machine Translation of Rare Words with Subword
# Units* (2016). **Next lesson:** `03_bytes_and_splitting`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A faster encoder: the array of tiktoken
#
# The core of tiktoken is written in Rust. It builds no tokens while it merges. It keeps an array with two numbers per token: the start of the token, and
# the rank that it would have together with the next token. A merge removes one entry, and only two ranks are looked up again.

# %%
from tokenlab.algorithms.bpe.encode_parts import encode_with_parts

encode_with_parts.record("understanding", ranks)

# %%
show.source(encode_with_parts)

# %% [markdown]
# ### Another faster encoder: the priority queue of SentencePiece
#
# SentencePiece keeps a **priority queue** (*agenda* in its source code) of all merges that are possible now, with the best merge on top. A merge adds at
# most two entries. Some entries become invalid, because one of their symbols was merged with another symbol. The encoder notices this when such an entry is on top:
# the lengths of its symbols no longer fit.

# %%
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue

encode_with_priority_queue.record("understanding", ranks)

# %% [markdown]
# Do the encoders have the same steps, not only the same result? `None` means that no step differs.

# %%
print(encode_by_rank.record("understanding", ranks).diff(encode_with_priority_queue.record("understanding", ranks)))

# %% [markdown]
# What does a long word without spaces cost? `encode_by_rank` looks up all pairs again before each merge, so its time grows
# with the square of the length.

# %% tags=["nbval-ignore-output"]
from timeit import timeit

long = "".join(words)[:1500]
slow = timeit(lambda: encode_by_rank(long, ranks), number=1)
quick = timeit(lambda: encode_with_priority_queue(long, ranks), number=1)
f"for {len(long)} characters the priority queue was {slow / quick:.0f} times as fast"

# %% [markdown]
# ### A common mistake: a worked example with a wrong step
#
# A worked example encodes *hugihu* with the merges `p u`, `h u`, `hu g`. It writes `hu g g i hu` after the
# second merge, and `hug g i hu` after the third. Run the cell: which step of the example is wrong?

# %%
print(encode_in_order.record("hugihu", [("p", "u"), ("h", "u"), ("hu", "g")]))
encode_in_order("hugihu", [("p", "u"), ("h", "u"), ("hu", "g")])

# %% [markdown]
# The second `g` in the example is wrong: the word contains only one. A merge never adds a character.
#
# ### BPE-dropout
#
# In **BPE-dropout** (Provilkov, Emelianenko and Voita, 2020), each possible merge is skipped with a probability $p$. During training, a model then sees the
# same word with different tokens. Which $p$ gives single characters, and which gives plain BPE? Change `dropout` and run the cell.

# %%
from random import Random

chance = Random(1)
[" ".join(encode_with_priority_queue("happiness", ranks, dropout=0.3, random=chance)) for _ in range(5)]
