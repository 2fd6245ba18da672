# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # How BPE encodes
#
# > **You will be able to** encode a word by hand with a list of merges; say why the longest token need not win; tell three
# > encoders apart that give the same answer.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `01_bpe_training`.
#
# <details><summary>Two questions from before: what does a merge do? Why may the old runner-up lose?</summary>
#
# It joins one pair of neighbours into one symbol, everywhere. And it changes the counts, by taking symbols away from
# other pairs.
# </details>
#
# Run each cell as you reach it. Training left a list of merges, and its order is all that encoding needs. Click on the
# player, step through one word, and guess. The small number between two symbols is the place of their merge in the list,
# from zero; a dash means that there is none.

# %%
from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank, merge_ranks
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words

merges = train_indexed(count_words(data.text("english")), 650)
ranks = merge_ranks(merges)
encode_by_rank.record("lighthouses", ranks)

# %% [markdown]
# The place of a merge in the list is its **rank**: what was learned first has the lowest. **The lowest rank decides, not
# the length of the token, and not its place in the word.**
#
# ## The idea, on three letters
#
# Two merges were learned: first `b c`, then `a b`. How is *abc* encoded? The longest token from the left would be `ab`.
# But `b c` came first, and it takes the *b*.

# %%
encode_by_rank("abc", merge_ranks([("b", "c"), ("a", "b")]))

# %% [markdown]
# Why does the order of training matter? In training, `b c` was merged everywhere before `a b` was even counted. The
# encoder does to your word what training did to its words.
#
# ## One word, several cutters
#
# Write your own cut of the word, with blanks, and compare. The other rows are rules that people mistake for BPE. They sound
# plausible, some tutorials teach them, and they give other tokens.

# %%
from tokenlab.misconceptions.compare_segmentations import compare_segmentations

compare_segmentations.record("lighthouses", merges, mine="light houses")

# %% [markdown]
# `light` is a token of this vocabulary, and BPE does not use it here: `t h` has a lower rank, and takes the `t` away. The
# last row shows that BPE does not find the fewest tokens, either. It does not look for them.
#
# ## Your own word
#
# Type words that you make up, and step. Does a typing error cost one token, or many?

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_bpe_encoding

explore_bpe_encoding("unhappiness", ranks)

# %% [markdown]
# ## The function itself
#
# Look at every pair of neighbours, take the one with the lowest rank, join it, look again. If the lowest rank stands at
# two places, the left one is first.

# %%
from tokenlab import show

show.source(encode_by_rank)

# %% [markdown]
# ## The same call on a production library
#
# `tokenizers` takes the same merges and gives the same tokens. It looks up the pair; our `ranks`, like those of tiktoken, name only the
# token that the pair becomes. For merges that training produced, both lookups give the same tokens.

# %%
from tokenizers import Tokenizer, models

words = ["".join(word) for word in list(count_words(data.text("english")))[:300]]
alphabet = sorted({symbol for word in words for symbol in word} | set("".join(map("".join, merges))))
theirs = Tokenizer(models.BPE({token: id for id, token in enumerate([*alphabet, *ranks])}, merges))
[list(encode_by_rank(word, ranks)) == theirs.encode(word).tokens for word in words].count(False)

# %% [markdown]
# ## Where it breaks
#
# Many write it another way: go through the merge list once, and make each merge wherever it can be made. On a list in the
# order of training that is right. Shuffle the list, and other merges come first, and some are lost: one that comes before
# the merge which makes its part finds nothing to join. How many words come out wrong, each way?

# %%
from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.misconceptions.bpe_encoding import single_pass_shuffled_merges

wrong = [word for word in words if encode_in_order(word, merges) != encode_by_rank(word, ranks)]
shuffled = [word for word in words if single_pass_shuffled_merges(word, merges) != encode_by_rank(word, ranks)]
{"words": len(words), "wrong in order": len(wrong), "wrong when shuffled": len(shuffled)}

# %% [markdown]
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# The merges are, in this order: `e r`, `w er`, `l o`, `lo w`. Encode *lower*.

# %% tags=["practice"]
from tokenlab import check

my_tokens = ...  # for example ("l", "ower")

check.encoded(my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the four pairs stand in the word at the start?</details>
# <details><summary>Hint: a smaller example</summary>In <i>wer</i> alone, <code>e r</code> comes first, then <code>w er</code>.</details>
# <details><summary>Hint: the shape</summary>Write the word with blanks; after each merge write it again. Two merges want the <i>w</i>.</details>
#
# ### Find the bug · medium, eight minutes
#
# `left_to_right_merge` makes the first merge that it finds from the left. Find merges and a word of at least four letters on
# which it is wrong. Each part of a merge is a letter, or was made by a merge before it, and no two merges make the same token.

# %% tags=["practice"]
from tokenlab.misconceptions.bpe_encoding import left_to_right_merge

my_merges, my_word = ..., ...  # for example [("a", "b"), ("ab", "c")], "abcd"

check.bug(left_to_right_merge, my_merges, my_word)

# %% [markdown]
# <details><summary>Hint: a question</summary>When does it matter which of two merges comes first?</details>
# <details><summary>Hint: a smaller example</summary>Two merges that want the same letter.</details>
# <details><summary>Hint: the shape</summary>The merge that stands further right was learned before the one on its left.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_best` finds the place of the pair with the lowest rank; minus one says that there is none. `ranks` maps
# the token that a merge makes to its rank, as in `{"ab": 0}`. Fill in what to collect, and what to return.


# %% tags=["practice"]
def my_best(split, ranks):
    found = [... for place in range(len(split) - 1) if split[place] + split[place + 1] in ranks]
    return ... if found else -1


check.lowest_rank_position(my_best)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does <code>min</code> compare in a list of tuples?</details>
# <details><summary>Hint: a smaller example</summary><code>min([(3, 0), (1, 5), (1, 2)])</code> is <code>(1, 2)</code>.</details>
# <details><summary>Hint: the shape</summary>Collect tuples of rank and place; return the place of the smallest.</details>
#
# ### Write it · harder, twelve minutes
#
# Write the encoder: a tuple of the tokens of a word, by rank. It may use your `my_best`.


# %% tags=["practice"]
def my_encode(word, ranks):
    return ...


check.encode(my_encode)

# %% [markdown]
# <details><summary>Hint: a question</summary>What tells you that you are done?</details>
# <details><summary>Hint: a smaller example</summary>With one merge to make, the new list is: what stands before, the joined pair, what stands behind.</details>
# <details><summary>Hint: the shape</summary>A loop: find the best place with <code>my_best</code>; if there is none, stop; else rebuild the list.</details>
#
# ### Another rule · harder, eight minutes
#
# Some vocabularies forbid long tokens. Write an encoder that makes no token longer than `longest` characters. It may use your
# `my_encode`.


# %% tags=["practice"]
def my_encode_short(word, ranks, longest):
    return ...


check.encode_with_limit(my_encode_short)

# %% [markdown]
# <details><summary>Hint: a question</summary>If a merge may not be made, which pair is next?</details>
# <details><summary>Hint: a smaller example</summary>With the tokens <i>ab</i> and <i>abc</i>, and two characters allowed, <i>abc</i> stays <code>ab c</code>.</details>
# <details><summary>Hint: the shape</summary>Leave out of the ranks what is too long, and encode with the rest.</details>
#
# ## Before you leave
#
# <details><summary>Why is the longest token from the left not always taken?</summary>
# A pair inside it, or across its end, may have a lower rank and takes a symbol away.
# </details>
# <details><summary>When do going through the list once and looking for the lowest rank differ?</summary>
# When a merge stands in the list before the merge that makes one of its parts, as in a list that was shuffled.
# </details>
# <details><summary>Does BPE give the fewest tokens?</summary>No. It repeats what training did; a shorter cut may exist.</details>
#
# **What stays.** Encoding repeats training on one word: the lowest rank first, wherever it stands, until no neighbours have
# a rank.
#
# **Read on.** Ivan Provilkov, Dmitrii Emelianenko and Elena Voita, *BPE-Dropout: Simple and Effective Subword
# Regularization*. Next lesson: `03_bytes_and_splitting`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The array of parts
#
# tiktoken's core, written in Rust, builds no token while it merges. It keeps an array: where each token starts, and the rank
# that it and the next would have together. Joining two removes one entry, and only two ranks are looked up anew.

# %%
from tokenlab.algorithms.bpe.encode_parts import encode_with_parts

encode_with_parts.record("understanding", ranks)

# %%
show.source(encode_with_parts)

# %% [markdown]
# ### The agenda
#
# SentencePiece keeps an agenda: a heap of all merges that are possible now, the best on top. A merge adds at most two new
# entries. Old ones that are no longer true are recognised by their length when they come up.

# %%
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue

encode_with_priority_queue.record("understanding", ranks)

# %% [markdown]
# Do the encoders agree step by step, not only in the end? And what does a long piece cost? Looking for the lowest rank among
# all neighbours, again and again, grows with the square of the length.

# %%
print(encode_by_rank.record("understanding", ranks).diff(encode_with_priority_queue.record("understanding", ranks)))

# %% tags=["nbval-ignore-output"]
from timeit import timeit

long = "".join(words)[:1500]
slow = timeit(lambda: encode_by_rank(long, ranks), number=1)
quick = timeit(lambda: encode_with_priority_queue(long, ranks), number=1)
f"for {len(long)} characters the agenda was {slow / quick:.0f} times as fast"

# %% [markdown]
# ### Find the step where a note goes wrong
#
# One of the notes that this kit grew out of encodes *hugihu* with the merges `p u`, `h u`, `hu g`. It writes `hu g g i hu` after the
# second merge, and `hug g i hu` after the third. Run it: where does the note go wrong?

# %%
print(encode_in_order.record("hugihu", [("p", "u"), ("h", "u"), ("hu", "g")]))
encode_in_order("hugihu", [("p", "u"), ("h", "u"), ("hu", "g")])

# %% [markdown]
# A second `g` comes from nowhere. (And the note's alphabet has no `i`: a real tokenizer gives an unknown token for it, or drops it.)
#
# ### Chance
#
# In *BPE-dropout* each merge is left out by chance, so that a model sees a word cut in many ways. Which probability would give
# single characters, and which plain BPE? Try.

# %%
from random import Random

chance = Random(1)
[" ".join(encode_with_priority_queue("happiness", ranks, dropout=0.3, random=chance)) for _ in range(5)]
