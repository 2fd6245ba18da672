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
# > **Time:** core 40 minutes, practice 45 minutes. **Before this:** `01_bpe_training`.
#
# <details><summary>Two questions from the last lesson: what does a merge do? Why is the pair that was second not always merged next?</summary>
#
# A merge joins one pair of adjacent symbols into one symbol, in every word. It can remove occurrences of the pair that was
# second, so the count of this pair becomes smaller.
# </details>
#
# A model that has learned what *light* means may still not recognise it in *lighthouses*, because the model sees only
# tokens. The cell below learns [merges](../docs/glossary.md#merge) from the English corpus and encodes three words
# with them.

# %%
from tokenlab import data
from tokenlab.algorithms.bpe.encode import encode_by_rank, merge_ranks
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words

merges = train_indexed(count_words(data.text("english")), 650)
ranks = merge_ranks(merges)
[encode_by_rank(word, ranks) for word in ["light", "lights", "lighthouses"]]

# %% [markdown]
# The vocabulary contains the token `light`, but none of the 5 tokens of *lighthouses* is `light`. So for the model,
# the two words have no token in common. Why does BPE not use `light`?
#
# Click on the player, step through the word and make guesses. The small number between two tokens is the
# [**rank**](../docs/glossary.md#rank) of the merge that joins them. The rank is the position of the merge in the list, so
# the merge that was learned first has rank 0. A dash means that no merge joins the two tokens. In a caption, `at 4` means
# that the pair starts at index 4.

# %%
encode_by_rank.record("lighthouses", ranks)

# %% [markdown]
# A pair has the rank of its merge. The keys of `ranks` are the merged tokens. **The pair with the lowest rank is
# merged first**, even if another pair makes a longer token or is further left. Here are the merges of *light* alone.

# %%
print(encode_by_rank.record("light", ranks))

# %% [markdown]
# The token `light` needs the merge `gh t`, which has rank 63. In *lighthouses*, however, the same *t* is also in the pair
# `t h`, which has the lower rank 7. So `t h` is merged first, and then no `t` is left for `gh t`.
#
# ## The rule, on three letters
#
# Suppose that training learned two merges: first `b c` (rank 0), then `a b` (rank 1). How is *abc* encoded? From the
# left, `a b` would come first. But `b c` has the lower rank, so BPE merges `b c` first, and then `a b` no longer
# occurs.

# %%
encode_by_rank("abc", merge_ranks([("b", "c"), ("a", "b")]))

# %% [markdown]
# Why does BPE use this order? In training, `b c` was merged in every word before `a b` was. Because the encoder repeats
# the merges in the same order, a word of the corpus gets the same tokens as in training.
#
# ## Rules that are mistaken for BPE
#
# Three other rules look plausible, and each of them would find `light`:
#
# - [**Longest match**](../docs/glossary.md#longest-match): from the left, take the longest token that fits.
# - **Left to right**: merge the leftmost pair that has a rank.
# - **Fewest tokens**: find a [segmentation](../docs/glossary.md#segmentation) (a way to split the word into tokens) that
#   has as few tokens as possible.
#
# The argument `mine` is your own segmentation: the word with spaces between the tokens. Change it and run the cell
# again. A dashed border marks those of your tokens that the vocabulary lacks.

# %%
from tokenlab.misconceptions.bpe_encoding import compare_segmentations

compare_segmentations.record("lighthouses", merges, mine="light houses")

# %% [markdown]
# All 3 rules use the token `light`, but BPE does not. BPE returns 5 tokens although 4 are possible, because it does not
# search for the fewest tokens: it only repeats the merges of training.
#
# ## Your own word
#
# Type your own words. How many extra tokens does a typing error cost? The player below shows a faster program with
# the same steps. While `encode_by_rank` looks up all pairs again before every merge, the faster program keeps the
# possible merges in a [**priority queue**](../docs/glossary.md#priority-queue), which returns its smallest entry, here the
# lowest rank. For a word of $n$ characters, the time of the faster program grows as $n \log n$, and the time of
# `encode_by_rank` grows as $n^2$.

# %%
from tokenlab.show.explorers.explore_bpe import explore_bpe_encoding

explore_bpe_encoding("unhappiness", ranks)

# %% [markdown]
# ## The function itself
#
# `encode_by_rank` looks up every pair, merges the pair with the lowest rank, and repeats this until no pair has a
# rank. If the lowest rank occurs at two positions, the left one is merged first, because `min` compares the ranks and
# then the positions.
#
# (*Go further* has a table of the names in the code.)

# %%
from tokenlab import show

show.source(encode_by_rank)

# %% [markdown]
# ## Where it breaks
#
# Another program goes through the list of merges only once and applies each merge everywhere in the word. If the list
# is in the order of training, the result is correct: a merge that uses a symbol comes after the merge that creates
# it, so one pass is enough. Is the result also correct if the list is shuffled? We encode 300 words.

# %%
from tokenlab.algorithms.bpe.encode import encode_in_order
from tokenlab.misconceptions.bpe_encoding import single_pass_shuffled_merges

words = ["".join(word) for word in list(count_words(data.text("english")))[:300]]
wrong = [word for word in words if encode_in_order(word, merges) != encode_by_rank(word, ranks)]
shuffled = [word for word in words if single_pass_shuffled_merges(word, merges) != encode_by_rank(word, ranks)]
{"words": len(words), "wrong in order": len(wrong), "wrong when shuffled": len(shuffled)}

# %% [markdown]
# A list in the order of training gives no wrong result, but a shuffled list fails for 2 reasons. If two merges need
# the same symbol, the wrong one may be applied; and a merge such as `t he` finds nothing if it comes before `h e`,
# because
# only `h e` creates the symbol `he`.
#
# The tie-break of training changes the order of the merges, so it may change the tokens as well.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# The merges are, in this order: `e r`, `w er`, `l o`, `lo w`. Encode *lower*. Give a tuple of strings.

# %% tags=["practice"]
from tokenlab import check

my_tokens = ...  # for example ("l", "ower")

check.encoded(my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the four pairs does the word contain before any merge?</details>
# <details><summary>Hint: a smaller example</summary>For <i>wer</i>, first <code>e r</code> is merged, then <code>w er</code>.</details>
# <details><summary>Hint: the structure</summary>Write the word with spaces between the symbols. Write it again after each merge. Two merges need the <i>w</i>.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `left_to_right_merge` always merges the leftmost pair that is in the list of merges. Find a list of merges and a word
# of at least 4 letters for which the function returns a wrong result. As in training, each symbol in a merge must be a
# letter or the result of an earlier merge, and two merges must not create the same token.

# %% tags=["practice"]
from tokenlab.misconceptions.bpe_encoding import left_to_right_merge

my_merges, my_word = ..., ...  # for example [("a", "b"), ("ab", "c")], "abcd"

check.bug(left_to_right_merge, my_merges, my_word)

# %% [markdown]
# <details><summary>Hint: a question</summary>When does the order of two merges change the result?</details>
# <details><summary>Hint: a smaller example</summary>Use two merges that need the same letter.</details>
# <details><summary>Hint: the structure</summary>The merge with the lower rank must occur further right in the word.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 4 of 5
#
# `my_best` should return the position of the pair with the lowest rank, or -1 if no pair has a rank. The position of a
# pair is the index of its left symbol. If the lowest rank occurs twice, return the left position. `split` is a tuple of
# symbols. `ranks` is a dictionary from tokens to ranks. The first `...` is the entry of the list for each `place`. The
# second `...` is the value to return. Example: for `("a", "b")` and `{"ab": 0}`, the result is 0.


# %% tags=["practice"]
def my_best(split, ranks):
    found = [... for place in range(len(split) - 1) if split[place] + split[place + 1] in ranks]
    return ... if found else -1


check.lowest_rank_position(my_best)

# %% [markdown]
# <details><summary>Hint: a question</summary>How does <code>min</code> compare tuples?</details>
# <details><summary>Hint: a smaller example</summary><code>min([(3, 0), (1, 5), (1, 2)])</code> is <code>(1, 2)</code>.</details>
# <details><summary>Hint: the structure</summary>Collect tuples of rank and position. Return the position of the smallest tuple.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# Write `my_encode`. It takes a word (a string) and the ranks (a dictionary from tokens to ranks). It returns a tuple of
# tokens. It may call your `my_best`. Example: for `"abc"` and `{"bc": 0, "ab": 1}`, the result is `("a", "bc")`.


# %% tags=["practice"]
def my_encode(word, ranks):
    return ...


check.encode(my_encode)

# %% [markdown]
# <details><summary>Hint: a question</summary>When is the encoder finished?</details>
# <details><summary>Hint: a smaller example</summary>After a merge, the new list is: the symbols on the left, the merged symbol, the symbols on the right.</details>
# <details><summary>Hint: the structure</summary>Use a loop: find the position with <code>my_best</code>; if it is -1, stop; otherwise build the new list.</details>
#
# ### Another rule · hard · 8 minutes · importance 3 of 5
#
# Write `my_encode_short`, an encoder that never creates a token of more than `longest` characters. The other arguments
# and the result are as in `my_encode`. `my_encode_short` may call `my_encode`. Example: `my_encode_short("abc",
# {"ab": 0, "abc": 1}, 2)` returns `("ab", "c")`.


# %% tags=["practice"]
def my_encode_short(word, ranks, longest):
    return ...


check.encode_with_limit(my_encode_short)

# %% [markdown]
# <details><summary>Hint: a question</summary>If one merge is not allowed, which pair is merged instead?</details>
# <details><summary>Hint: a smaller example</summary>For <i>abc</i>, the tokens <i>ab</i> and <i>abc</i>, and the limit 2, the result is <code>ab c</code>.</details>
# <details><summary>Hint: the structure</summary>Remove the tokens that are too long from the ranks. Encode with the remaining ranks.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A colleague says: “The vocabulary has the token `light`, so every word with *light* in it contains this token.” Say in
# three sentences what the encoder really does, why it does this, and what follows for *lighthouses*.
#
# <details><summary>What a good answer contains</summary>
# 1. The encoder merges the pair with the lowest rank, whatever the length of the token that it makes.<br>
# 2. It repeats the merges of training in their order, so that a word gets the tokens it had in training.<br>
# 3. In <i>lighthouses</i>, <code>t h</code> has a lower rank than <code>gh t</code> and takes the <i>t</i>, so
#    <code>light</code> is never made.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The encoder starts with characters and always merges the pair that was learned earliest. It does so because training merged the pairs in this order. In lighthouses the pair t h was learned before gh t, so the t is used up and light cannot appear.”<br>
# <b>Wrong:</b> “BPE reads the word from the left and takes the longest token that it knows. It does so to get few tokens. So in lighthouses it takes light first and then splits the rest.” This describes longest match: it would find <code>light</code>, and BPE does not look at lengths.
# </details>
#
# ## Exit questions
# <details><summary>Why does BPE not always take the longest token from the left?</summary>
# Another pair may have a lower rank, and it is merged first. In lighthouses, <code>t h</code> is merged before
# <code>gh t</code>, so the token <code>light</code> cannot be created.
# </details>
# <details><summary>When does one pass through the list of merges give a wrong result?</summary>
# It can give a wrong result if the list is not in the order of training. For example, a merge may come before the
# merge that creates one of its symbols.
# </details>
# <details><summary>Does BPE find the fewest tokens?</summary>No. It applies the merges in the order of training. A segmentation with fewer tokens may exist.</details>
#
# **Summary.** The encoder applies the merges of training to one word. It merges the pair with the lowest rank, and
# repeats this until no pair has a rank. BPE does not look at the length of a token or at the number of tokens.
#
# **References.** Rico Sennrich, Barry Haddow and Alexandra Birch, *Neural Machine Translation of Rare Words with Subword
# Units* (2016). **Next lesson:** `03_bytes_and_splitting`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
#
# ## Go further

# %% [markdown]
# ### The names in the source of `encode_by_rank`
#
# | name in the code | meaning |
# |---|---|
# | `piece` | the word |
# | `to_symbols` | splits the word into characters |
# | `pairwise` | returns the pairs of neighbours |
# | `place` | the index of the left symbol of a pair in `split`; `sum(...)` converts it to an index in the word |
# | `merged_symbol` | joins a pair |
# | `dropout` | leaves out merges at random, if it is not 0, and then changes the result (see below) |

# %% [markdown]
# ### The same call on a production library
#
# The cell gives the same merges to `tokenizers`, encodes 300 words and counts the differences.

# %%
from tokenizers import Tokenizer, models

alphabet = sorted({symbol for word in words for symbol in word} | set("".join(map("".join, merges))))
theirs = Tokenizer(models.BPE({token: id for id, token in enumerate([*alphabet, *ranks])}, merges))
[list(encode_by_rank(word, ranks)) == theirs.encode(word).tokens for word in words].count(False)

# %% [markdown]
# All 300 results are the same, although the ranks are stored differently. In this kit, the keys of `ranks` are the joined
# tokens, as in `{"bc": 0}`, whereas in `tokenizers` the keys are the pairs, as in `{("b", "c"): 0}`. For a list that was
# *learned*, both say the same, because training creates no token twice. A list written by hand may contain both `a bc` and
# `ab c`, which create the same token; then the keys of this kit have only one rank for both.

# %% [markdown]
# ### A faster encoder: the array of tiktoken
#
# While it merges, OpenAI's library tiktoken does not cut the word into strings. It only stores where each token
# starts. Its array is a list with one entry per token, and one more for the end of the word. An entry consists of two
# numbers: the index at which the token starts, and the rank of its merge with the next token. If no merge joins the
# two tokens, this rank is `NONE`, a number larger than every rank. A merge removes one entry of the array. Then only
# two entries get a new rank: the entry of the merged token, and the entry before it.

# %%
from tokenlab.algorithms.bpe.encode_parts import encode_with_parts

encode_with_parts.record("understanding", ranks)

# %% [markdown]
# An example for the comment in the next cell: the word *abcd* has 4 tokens, which start at 0, 1, 2 and 3. If `a b` is
# merged (`i` is 0), the merged token needs the rank of its pair with the token `c`. The joined token is `abc`. It ends
# where token 3, `d`, starts.

# %%
show.source(encode_with_parts)

# %% [markdown]
# ### Another faster encoder: the priority queue of SentencePiece
#
# Google's library SentencePiece keeps the possible merges in a priority queue (*agenda* in its source code). The
# encoder takes out the merge with the lowest rank. The merged symbol forms new pairs with its two neighbours, so the
# encoder adds at most two entries. Some old entries of the queue become invalid, because one of their symbols no longer
# exists. The encoder does not search for these entries. Each entry also stores two numbers: the index in the word at
# which the merged symbol starts, and the length of the merged symbol. When the encoder takes out an entry, it looks at
# the symbol that starts at this index now, and at the next symbol. If these two symbols together have another length,
# the entry is invalid, and the encoder ignores the entry. The encoder also ignores the entry if no symbol starts at
# this index.

# %%
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue

encode_with_priority_queue.record("understanding", ranks)

# %% [markdown]
# Do the encoders have the same steps, not only the same result? We compare the steps. `None` means that no step
# differs.

# %%
print(encode_by_rank.record("understanding", ranks).diff(encode_with_priority_queue.record("understanding", ranks)))

# %% [markdown]
# How much time does a very long word take? A word of n characters has up to n - 1 merges, and before each merge
# `encode_by_rank` looks up all pairs again. So its time grows with the square of n.

# %% tags=["nbval-ignore-output"]
from timeit import timeit

long = "".join(words)[:1500]
slow = timeit(lambda: encode_by_rank(long, ranks), number=1)
quick = timeit(lambda: encode_with_priority_queue(long, ranks), number=1)
f"for {len(long)} characters the priority queue was {slow / quick:.0f} times as fast"

# %% [markdown]
# ### A common mistake: a worked example with a wrong step
#
# Suppose that a textbook encodes *hugihu* with the merges `p u`, `h u`, `hu g`, step by step. After the merge `h u`,
# it writes the tokens `hu`, `g`, `g`, `i`, `hu`. After the merge `hu g`, it writes `hug`, `g`, `i`, `hu`. Run the
# cell. Which token in the textbook is wrong?

# %%
print(encode_in_order.record("hugihu", [("p", "u"), ("h", "u"), ("hu", "g")]))
encode_in_order("hugihu", [("p", "u"), ("h", "u"), ("hu", "g")])

# %% [markdown]
# The second `g` after `hu` is wrong, because the word contains only one *g*. A merge never adds a character. The correct
# tokens are `hu`, `g`, `i`, `hu` and then `hug`, `i`, `hu`.
#
# ### BPE-dropout
#
# In [**BPE-dropout**](../docs/glossary.md#bpe-dropout) (Provilkov, Emelianenko and Voita, 2020), the encoder ignores
# each possible merge with probability $p$. The encoder of the next cell does not try an ignored merge again in the
# same word. So a model that is trained on many texts sees the same word with different tokens. The argument `dropout`
# is $p$. Which $p$ gives single characters, and which $p$ gives plain BPE? Change `dropout` and run the cell.

# %%
from random import Random

chance = Random(1)
[" ".join(encode_with_priority_queue("happiness", ranks, dropout=0.3, random=chance)) for _ in range(5)]

# %% [markdown]
# ### The whole algorithm on one page
#
# The file `tokenlab/minimal/bpe.py` contains training, encoding and decoding without the steps. It breaks ties as the
# library `tokenizers`
# does, so it learns the same merges, unless two merges make the same token: then the library counts some pairs too
# often. It is short rather than fast: each round counts all pairs again.

# %%
from tokenlab import show
from tokenlab.minimal import bpe

show.source(bpe)
