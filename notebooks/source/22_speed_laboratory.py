# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Speed laboratory
#
# > **You will be able to** measure what one part of a program costs; compare two programs fairly; compute how fast the time of a
# > program grows with its input.
# >
# > **Time:** core 30 minutes, practice 34 minutes. **Before this:** `04_tiktoken` and `11_tokenizer_pipeline`.
#
# <details><summary>Two questions from earlier lessons: What are the offsets of a token? Why does tiktoken look up a whole pre-token first?</summary>
#
# The offsets of a token are the span of the original text that the token comes from. If the vocabulary contains the whole
# pre-token, no merge is needed.
# </details>
#
# Before a language model is trained, its training texts are converted to ids. Suppose that OpenAI's library `tiktoken`
# needs 2 hours for 100 GB. How long does Hugging Face's library `tokenizers` need? The next cell trains BPE on Python's
# documentation, loads the vocabulary into both libraries, and checks that their ids are equal.

# %% tags=["nbval-ignore-output"]
from pydoc_data.topics import topics
from tokenlab.laboratory.speed.libraries import train_both

text = "\n".join(topics.values())
openai, hf = train_both(text)  # an Encoding of tiktoken, and a Tokenizer of tokenizers
assert openai.encode_ordinary(text) == hf.encode(text).ids
f"{len(text):,} characters"

# %% [markdown]
# The next cell measures both libraries.

# %% tags=["nbval-ignore-output"]
from tokenlab.laboratory.speed.libraries import fresh
from tokenlab.laboratory.speed.measure import measure

whole = (lambda: fresh(hf), lambda new: new.encode(text))  # not timed: a new tokenizer; timed: encode
ratio = measure({"tiktoken": lambda: openai.encode_ordinary(text), "tokenizers": whole})["tokenizers"]
f"If tiktoken needs 2 hours, tokenizers needs {2 * ratio:.0f} hours."

# %% [markdown]
# The ids are the same, so where does the time go? The next player shows what `tokenizers` does. Click a token.
# Then type your own text.

# %% tags=["nbval-ignore-output"]
from tokenlab.show.explorers.explore_tokenizers import explore_pipeline
from tokenlab.libraries.tokenizers import Tokenizer

explore_pipeline("Why is it slow? Größe", Tokenizer.from_str(hf.to_str()))

# %% [markdown]
# `tokenizers` returns a string, an id and offsets for each token. `tiktoken` returns only ids. But the programs also differ
# in other ways. Which difference costs the time?
#
# **Remove one part, and measure again. The difference is its cost, if nothing else has changed.** This is a
# [**knock-out experiment**](../docs/glossary.md#knock-out-experiment), or *ablation*.
#
# ## Five suspects
#
# | suspect | knock-out in `tokenizers` |
# |---|---|
# | the cache, which stores the tokens of pre-tokens | `cache_capacity=0` stores nothing |
# | the merges | the model `WordLevel` looks up each whole pre-token in a vocabulary: no merges and no cache |
# | the offsets | `encode_batch_fast` does not compute offsets |
# | the pattern, which splits the text | a short pattern, `\s*\S+` |
# | the long text | `encode_batch` gets lines, not one text |
#
# In each figure, the time of the first program is 1. So a bar of 0.75 saves 25 % of the time. Differences of 0.05 can be chance. **Predict each bar
# before you open a box.**
#
# ### The cache and the merges
#
# A cache is empty at first. A run with an empty cache is [**cold**](../docs/glossary.md#cold-run). A later run on the same
# text is **warm**: the cache already contains most pre-tokens of the text. Each run of the first program gets a new
# tokenizer, so it is cold. The second program is warm.
#
# <details><summary>Predict: is the bar of the warm cache much shorter than 1?</summary>
# No. Most of this long text consists of a few frequent pre-tokens. A cold run merges each of them once, and then finds it in
# its cache.
# </details>
# <details><summary>Predict: tiktoken has no cache, but tokenizers has one. Is tokenizers slower because of its cache?</summary>
# No. Without a cache, the tokenizer must merge each pre-token again. So the bar is longer than 1: the cache saves time.
# </details>
# <details><summary>Predict: is the bar without merges much shorter than 1?</summary>
# No. A frequent pre-token is merged only once. Then the cache contains its tokens.
# </details>

# %% tags=["nbval-ignore-output"]
import os
from tokenlab.show.plots import plot_ratios
from tokenlab.laboratory.speed.libraries import every_word_a_token, without_cache

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # tokenizers does not divide its work
uncached, (openai_words, hf_words) = without_cache(hf), every_word_a_token(text)
bars = {"tokenizers": whole, "warm cache": lambda: hf.encode(text)}
bars |= {"without the cache": lambda: uncached.encode(text), "without merges": lambda: hf_words.encode(text)}
plot_ratios(measure(bars, repeats=9))

# %% [markdown]
# No bar is much shorter than 1. So neither the cache nor the merges are the main reason.
#
# ### The offsets and the pattern
#
# <details><summary>Predict: do the offsets, two numbers for each token, cost much time?</summary>
# Yes. The tokenizer works with bytes, but offsets count characters. So it must convert each position.
# </details>
# <details><summary>Predict: the third program has the short pattern, and no offsets. Does the pattern save more than the offsets?</summary>
# No. The short pattern is simpler, and it makes fewer pre-tokens. But to leave out the offsets saves more.
# </details>

# %% tags=["nbval-ignore-output"]
from tokenlab.laboratory.speed.libraries import simple_pattern

fast = (lambda: fresh(hf), lambda new: new.encode_batch_fast([text]))
short = (lambda: simple_pattern(hf), lambda new: new.encode_batch_fast([text]))
plot_ratios(measure({"tokenizers": whole, "without offsets": fast, "without offsets, short pattern": short}))

# %% [markdown]
# The offsets cost most so far. The last two bars give only an estimate for the pattern, because the short pattern makes
# other pre-tokens.
#
# ### One long text
#
# <details><summary>Predict: is it faster to encode many lines than one long text?</summary>
# Yes. Lines save much time if the tokenizer computes offsets, and less if it does not. To convert positions, it builds one
# table for each text: the character position of each byte. A position is probably found faster in the small table of a line.
# </details>

# %% tags=["nbval-ignore-output"]
lines = text.splitlines(keepends=True)
bars = {"tokenizers": whole, "lines": (lambda: fresh(hf), lambda new: new.encode_batch(lines))}
bars |= {"without offsets": fast}
bars |= {"lines, without offsets": (lambda: fresh(hf), lambda new: new.encode_batch_fast(lines))}
plot_ratios(measure(bars))

# %% [markdown]
# The first two bars have offsets, the last two bars do not. Lines save more time with offsets. So lines mostly make the
# offsets cheaper.
#
# ## What remains
#
# The second program of the next figure is `tiktoken` with a vocabulary of whole pre-tokens.
#
# <details><summary>Predict: is the bar of <code>tiktoken</code> without merges much shorter than 1?</summary>
# Yes. <code>tiktoken</code> does little other work, so the merges are a large share of its time.
# </details>

# %% tags=["nbval-ignore-output"]
bars = {"tiktoken": lambda: openai.encode_ordinary(text)}
bars |= {"tiktoken without merges": lambda: openai_words.encode_ordinary(text)}
plot_ratios(measure(bars | {"tokenizers": whole, "tokenizers without offsets": fast}))

# %% [markdown]
# Merges are a large part of the short time of `tiktoken`. But without offsets, `tokenizers` is still several times slower
# than `tiktoken`, and no other knock-out saved much more. **A knock-out shows the cost of one part. It does not explain the time that remains.**
# Another measurement in "Go further" shows that much of the time is spent on
# [**allocations**](../docs/glossary.md#allocation), requests for memory.
#
# ## The function itself
#
# A fair comparison has 4 rules:
#
# - The programs take turns. Then other work slows down all of them.
# - The *set-up*, the work before a run, is not timed. For example, creating a new tokenizer is not timed.
# - Each turn gives a ratio. Seconds depend on the machine, but ratios much less. Compare only bars of one figure.
# - The result is the median, the middle one of the sorted ratios. One bad turn hardly changes a median.
#
# `measure` follows these rules. Its clock measures **CPU time**: how long the processor works.

# %%
from tokenlab import show
from tokenlab.laboratory.speed.measure import run_time, times

show.source(measure, times, run_time)

# %% [markdown]
# ## Where it breaks
#
# A knock-out can also add a cost. The next cell removes the Python loop over the texts. `encode_ordinary_batch` gets all
# texts at once, and hands them to a **thread**, a part of a program that can run at the same time as other parts. Predict a
# bar for the lines, and a bar for parts of 500 lines. Each bar is compared with a loop over the same texts.


# %% tags=["nbval-ignore-output"]
def time_of_batch(texts):
    bars = {"loop": lambda: [openai.encode_ordinary(text) for text in texts]}
    return measure(bars | {"batch": lambda: openai.encode_ordinary_batch(texts, num_threads=1)})["batch"]


parts = ["".join(lines[start : start + 500]) for start in range(0, len(lines), 500)]
plot_ratios({"a loop": 1.0, "a batch of lines": time_of_batch(lines), "a batch of long parts": time_of_batch(parts)})

# %% [markdown]
# The batch is much slower than the loop for lines, but only a little slower for long parts. So most of its cost is paid once
# for each text. Measure with texts of the size that you use.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# A tokenizer needs 50 ms for a text. Without offsets, it needs 30 ms. Without its cache, it needs 60 ms. Which share of
# the 50 ms does each knock-out save? A share is negative if the program becomes slower. By which factor is the tokenizer
# faster without offsets?

# %% tags=["practice"]
from tokenlab import check

# Three numbers; 2 decimal places are enough. Example: 0.1, -0.1, 1.11
my_offsets, my_cache, my_factor = ..., ..., ...

check.knock_out_shares(my_offsets, my_cache, my_factor)

# %% [markdown]
# <details><summary>Hint: a question</summary>Each share is a part of one time. Which time?</details>
# <details><summary>Hint: a smaller example</summary>If 10 ms become 9 ms, the share is 0.1, and the factor is 10 / 9.</details>
# <details><summary>Hint: the shape</summary>For each of the two shares, divide a difference by 50. For the factor, divide one time by another.</details>
#
# ### Find the bug · easy · 5 minutes · importance 5 of 5
#
# An encoder with a cache encodes only words that its cache does not contain. A *benchmark*, a program that measures
# another program, runs the encoder several times on the same words. In each run, the benchmark should create a new encoder
# and count the words that it encodes. The result is the median of these counts. But `warm_cache_cost` uses the same encoder for all runs. Find a
# list of words and a number of runs for which the result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.measuring import warm_cache_cost

my_words, my_repeats = ..., ...  # for example ["the", "cat"], 1: no solution, because the first run is correct

check.bug(warm_cache_cost, my_words, my_repeats)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does the cache contain after the first run?</details>
# <details><summary>An even number of runs</summary>Two counts are in the middle. The result is the smaller one.</details>
# <details><summary>Hint: a smaller example</summary>For 1 run and the words <code>["the", "cat"]</code>, the result 2 is correct.</details>
# <details><summary>Hint: the shape</summary>Use at least one word and more than one run.</details>
#
# ### Complete two lines · medium · 6 minutes · importance 4 of 5
#
# The time of a program often grows as a power of the size of its input: $t=c\cdot n^k$. Here $t$ is the time, $n$ is the
# size, and $c$ is a constant. The number $k$ is the [**growth exponent**](../docs/glossary.md#growth-exponent). If twice
# the size takes 4 times the time, $k=2$. Compute $k$ from two measurements: `size` and `time`, `larger_size` and
# `longer_time`. Let $f$ be the larger size divided by the smaller size, and let $g$ be the longer time divided by the
# shorter time. Then $f^k=g$, so $k=\ln g/\ln f$. Example: `10`, `1.0`, `20` and `4.0` give `2.0`.

# %% tags=["practice"]
# Floats may be off by a millionth.
from math import log


def my_exponent(size, time, larger_size, longer_time):
    size_factor, time_factor = ...
    return ...


check.growth_exponent(my_exponent)

# %% [markdown]
# <details><summary>Hint: a question</summary>By which number do you multiply <code>size</code> to get <code>larger_size</code>?</details>
# <details><summary>Hint: a smaller example</summary>For 10 times the size and the same time, the exponent is 0, because <code>log(1)</code> is 0.</details>
# <details><summary>Hint: the shape</summary>First divide the sizes, and divide the times. Then divide one logarithm by the other.</details>
#
# ### Write it · medium · 8 minutes · importance 4 of 5
#
# Write an encoder with a cache. `words` is a list of strings. `encode` is a function: it takes a word and returns the
# list of its tokens. Return one list with the tokens of all words, in order. Call `encode` only once for each distinct
# word. Example: for `["the", "cat", "the"]`, and an `encode` that returns pieces of 2 characters, the result is
# `["th", "e", "ca", "t", "th", "e"]`.


# %% tags=["practice"]
def my_encode_all(words, encode):
    return ...


check.cached_tokens(my_encode_all)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which collection finds the tokens of a word quickly?</details>
# <details><summary>Hint: a smaller example</summary>For <code>["a", "a"]</code>, <code>encode</code> is called once, and the result has the tokens of both words.</details>
# <details><summary>Hint: the shape</summary>Use a dictionary, a loop with one <code>if</code>, and <code>extend</code>.</details>
#
# ### Another rule · hard · 10 minutes · importance 4 of 5
#
# Two programs took turns. `first` and `second` contain one pair for each turn: the time of the set-up and the time of
# the run. Divide the run time of the second program by the run time of the first program, in each turn. Return the
# median of these ratios. The number of turns is odd. Example: `[(9, 2), (0, 4), (0, 2)]` and `[(0, 4), (0, 4), (0, 6)]`
# have the ratios 2, 1 and 3, so the result is `2.0`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_ratio(first, second):
    return ...


check.median_ratio(my_ratio)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two times in a pair do you use?</details>
# <details><summary>Hint: a smaller example</summary><code>[(0, 1)]</code> and <code>[(9, 2)]</code> give <code>2.0</code>.</details>
# <details><summary>Hint: the shape</summary>Make a list with one ratio for each turn. The median of an odd number of ratios is in the middle of the sorted list.</details>
#
# ## A real task: how does the time grow?
#
# A text can have very long words, for example a line of letters without spaces. The cache of `tokenizers` does not store
# such long words. The next cell defines four encoders:
#
# - `textbook` is `encode_by_rank` of lesson 02. It looks at all pairs again after each merge.
# - `priority queue` is `encode_with_priority_queue` ("Go further" in lesson 02). A priority queue
#   contains the possible merges and always returns the merge with the lowest rank.
# - `tokenizers` and `tiktoken` are the libraries.
#
# Later cells measure them on longer and longer words. Predict the growth exponent of each encoder.

# %% tags=["nbval-ignore-output"]
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.show.plots import plot_growth
from tokenlab.laboratory.speed.measure import measure_growth

ranks = {openai.decode_single_token_bytes(id): id for id in range(openai.n_vocab)}
queue, letters = encode_with_priority_queue, "".join(filter(str.isalpha, text))
encoders = {"textbook": lambda word: encode_by_rank(word.encode(), ranks), "tokenizers": hf.encode}
encoders |= {"priority queue": lambda word: queue(word.encode(), ranks), "tiktoken": openai.encode_ordinary}
f"{len(letters):,} letters without spaces: {letters[:60]} ..."

# %% [markdown]
# Each time is the shortest of 3 runs, because other work can only make a run longer. In the next figure, the shortest time
# of all is 1. Both axes are logarithmic: from each mark, such as $10^3$, to the next one, the value becomes 10 times as large. If a
# line rises by $k$ marks for one mark to the right, its growth exponent is $k$. On the horizontal axis, the marks are farther
# apart, so a line with the exponent 1 rises slowly.

# %% tags=["nbval-ignore-output"]
sizes = dict.fromkeys(encoders, (2000, 8000, 32000)) | {"textbook": (500, 1000, 2000)}
points = measure_growth(encoders, letters, sizes)
plot_growth(points)

# %% tags=["nbval-ignore-output"]
from tokenlab.laboratory.speed.measure import growth_exponent

{name: round(growth_exponent(*curve[0], *curve[-1]), 2) for name, curve in points.items()}

# %% [markdown]
# The output contains the growth exponents, from the smallest and the largest size. For `textbook`, twice the length takes about 4 times the time. The exponent of
# the priority queue is close to 1. The exponents of the libraries are about 1 or less. An exponent below 1 is possible if a
# part of the time does not depend on the length. Then twice the length takes less than twice the time. Compare `textbook` and
# `priority queue` at the length 2000. Both are written in Python, but their algorithms differ.
#
# ## A real task: find the slow function
#
# The next cell defines a simple encoder in Python. A [**profiler**](../docs/glossary.md#profiler) measures the time in
# each function of a program. The function `hot_functions` runs Python's profiler `cProfile`. It returns a table of the
# functions with the largest shares of the time. The share of a function does not include the time of the functions that
# it calls. Predict a function near the top of the table.

# %% tags=["nbval-ignore-output"]
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.laboratory.speed.measure import hot_functions

part = text[:50_000]


def encode_text(text):
    return [ranks[token] for word in split_gpt2(text) for token in encode_by_rank(word.encode(), ranks)]


print(hot_functions(lambda: encode_text(part)))

# %% [markdown]
# Did you predict `Random.seed`? It sets the first state of a *random number generator*, an object that draws random numbers.
# `encode_by_rank` has an option for [BPE-dropout](../docs/glossary.md#bpe-dropout), which leaves out merges at random. So
# it creates a generator for each word, and each new generator calls `Random.seed`. Without dropout, `encode_by_rank` never
# uses the generator.
#
# `Random.seed` is called once for each word. The number of calls of `encode_by_rank` is larger, because `encode_by_rank`
# pauses after each merge to report a step. Each time the function continues, the profiler counts one more call. `<listcomp>` stands for
# the list comprehension inside `encode_by_rank`; since Python 3.12, it has no row of its own. `merged_symbol` joins the two symbols of a pair.
#
# The next cell changes one thing: it creates one random number generator for all words. The argument `0.0` is the probability
# that a merge is left out.

# %% tags=["nbval-ignore-output"]
from random import Random

chance = Random(0)


def encode_with_one_generator(text):
    return [ranks[token] for word in split_gpt2(text) for token in encode_by_rank(word.encode(), ranks, 0.0, chance)]


print(hot_functions(lambda: encode_with_one_generator(part)))

# %% [markdown]
# Now `Random.seed` is no longer near the top. The same words occur again and again in the text. So the next change
# is a cache for the tokens of each word. The cache is empty at the start of each call.

# %% tags=["nbval-ignore-output"]
from functools import cache


def encode_cached(text):
    encode = cache(lambda word: encode_by_rank(word.encode(), ranks, 0.0, chance))
    return [ranks[token] for word in split_gpt2(text) for token in encode(word)]


assert encode_cached(part) == encode_with_one_generator(part) == encode_text(part)
plot_ratios(measure({f.__name__: lambda f=f: f(part) for f in (encode_text, encode_with_one_generator, encode_cached)}))

# %% [markdown]
# The `assert` is important: these three programs should do the same work, so their results must be equal. The difference
# between the first two bars is the cost of the generators. It can be larger than the share of `Random.seed` in the table,
# because a new generator costs more than this call. A profiler also makes calls of Python functions slower, so its shares
# are only a guide. Measure again after each change.
#
# The next cell compares the cached encoder with this kit's `tiktoken` and with OpenAI's. The set-up creates a new `Encoding`
# of this kit for each run, so each run is cold.

# %% tags=["nbval-ignore-output"]
from tokenlab.libraries.tiktoken import Encoding

options = {"pat_str": split_gpt2.pattern, "mergeable_ranks": ranks, "special_tokens": {}}
bars = {"OpenAI's tiktoken": lambda: openai.encode_ordinary(part), "encode_cached": lambda: encode_cached(part)}
bars |= {"this kit": (lambda: Encoding("new", **options), lambda encoding: encoding.encode_ordinary(part))}
plot_ratios(measure(bars))

# %% [markdown]
# `encode_cached` and this kit's `tiktoken` are written in Python, and both have a cache. But the kit's program is several
# times faster. To find the reason, run `print(hot_functions(lambda: encode_cached(part)))` in a new cell.
#
# <details><summary>Which function of <code>encode_cached</code> would you change next?</summary>
# <code>encode_by_rank</code> and its list comprehension: after each merge, they look at all pairs of the word again. With a
# priority queue, only the pairs next to the merge are looked at. This kit's <code>tiktoken</code> does this.
# </details>
#
# ## Before you leave
#
# <details><summary>A program is not faster without a part. What do you conclude?</summary>
# The part costs little time, so removing it does not help. But first check that the knock-out added no other cost. For
# example, without the cache, more merges are needed.
# </details>
# <details><summary>A benchmark encodes the same text 100 times with one tokenizer. What does it measure?</summary>
# If the tokenizer has a cache, all runs after the first run are warm. They look up most pre-tokens in the cache, so they
# need few merges. The benchmark measures the other parts of the tokenizer, but almost no merges.
# </details>
# <details><summary>Why does this lesson report ratios and no seconds?</summary>
# Seconds depend on the machine and on the other programs that run on it. Both programs of a ratio share these conditions.
# </details>
#
# **Summary.** A knock-out experiment removes one part of a program and measures again. Of the suspects in `tokenizers`,
# the offsets cost most, but they do not explain the whole difference to `tiktoken`. In a fair comparison, the programs take
# turns, the set-up is not timed, and the result is a median of ratios.
#
# **References.** Brendan Gregg, *Systems Performance*, 2020. Python documentation, *The Python Profilers*.
# **Next lesson:** `23_seven_tokenizers`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### What a profiler of the processor counts
#
# `cProfile` measures only calls from Python. It does not see the functions inside `tokenizers`, which is written in Rust.
# On Linux, the profiler `perf` can measure them. On the machine where this lesson was written, with GPT-2's vocabulary and
# 1 MB of English, `perf` measured these shares of the time of `encode`:
#
# | part of `tokenizers` | share |
# |---|---|
# | conversion of byte positions to character positions | 32 % |
# | allocation of memory, and giving it back | 27 % |
# | copying and comparing memory | 13 % |
# | merges and the cache | 6 % |
# | storing a position in the original text for each byte of a normalized string | 6 % |
# | the result: ids, tokens, offsets and other lists | 5 % |
# | the pattern | 5 % |
#
# The remaining 6 % are smaller parts. The shares differ from what the bars above saved: the text and the vocabulary are
# different, and a knock-out can also save work in other parts. `encode` spends most of its time on positions and memory. The largest share, the
# conversion of positions, is needed only for offsets. Even without offsets, `tokenizers` needs many allocations. Its source
# code shows why. It creates an object for each pre-token, with the position of each byte. It also creates a string for
# each token. For each object and each string, the program must reserve memory. For its result, `tiktoken` creates only a
# list of ids.
#
# In `tiktoken`, the pattern needed about as many seconds as in `tokenizers`. But the whole time of `tiktoken` is much shorter,
# so the pattern was 47 % of it.
#
# ### One thread and several threads
#
# The figures above show CPU time. It adds the times of all threads. So the next cell measures the time that passes, the
# *wall-clock time*. `encode_batch_fast` distributes the texts of a batch to threads. Predict the bar for several threads.


# %% tags=["nbval-ignore-output"]
from unittest.mock import patch


def encode_lines(parallel):
    with patch.dict(os.environ, TOKENIZERS_PARALLELISM=parallel):  # for this run only
        hf.encode_batch_fast(lines)


bars = {"one thread": lambda: encode_lines("false"), "several threads": lambda: encode_lines("true")}
plot_ratios(measure(bars, clock="wall"))

# %% [markdown]
# If other programs use the processor, the second bar can be close to 1. Neither library distributes one text to threads.
# So divide a large file into many texts.
#
# ### A warm cache
#
# How much better does the result of a benchmark look with a warm cache? The next cell measures this kit's `tiktoken`. For
# the first bar, the set-up creates a new `Encoding` for each run. For the second bar, all runs use an `Encoding` that has
# encoded the same text before. For the third bar, creating the `Encoding` is a part of the time. Then write the longer
# `text` in place of `part`, and run the cell again. Why does the third bar change?

# %% tags=["nbval-ignore-output"]
warm = Encoding("warm", **options)
warm.encode_ordinary(part)
bars = {"cold": (lambda: Encoding("new", **options), lambda encoding: encoding.encode_ordinary(part))}
bars |= {"warm": lambda: warm.encode_ordinary(part)}
plot_ratios(measure(bars | {"with set-up": lambda: Encoding("new", **options).encode_ordinary(part)}))

# %% [markdown]
# With a warm cache, this kit looks much faster than it is for a new text. For `tokenizers`, a warm cache saved
# nothing or little. One reason for the difference: `part` is shorter than `text`, so a larger share of its pre-tokens is new
# in a cold run. The set-up is the same work for a short and for a long text. So its
# share of the time is smaller for a long text.
#
# ### Goals
#
# This kit has goals for its own speed. Each goal in the table compares the kit with a second program. In each row, the two
# programs were measured in the same run. The table contains the last measurements: 24 November 2026, a machine with 2 cores, medians of 3 turns or more. The rows marked
# with \* were measured while other programs used the machine. The programs are in the folder `benchmarks` of the kit, and
# `make bench` runs them.
#
# | work of this kit | compared with | goal | measured | result |
# |---|---|---|---|---|
# | BPE encoding, Japanese novel, cold | `encode` of tokenizers | at least 1.2 times its speed | 1.69 | met |
# | BPE encoding, English, cold | `encode_batch_fast` of tokenizers | at least 2.5 times its speed | 2.69 | met |
# | WordPiece encoding, Japanese, cold | `encode_batch_fast` of tokenizers | at least 1.7 times its speed | 1.76 | met |
# | WordPiece training, Japanese, by count | tokenizers | at most 3 times its time | 2.36 | met |
# | WordPiece training, Japanese, by score | tokenizers, by count | at most 3 times its time | 2.45 | met |
# | SentencePiece BPE encoding, English / code, cold | sentencepiece | at least 0.4 times its speed | 0.67 / 0.59 | met |
# | SentencePiece Unigram encoding, English / code, cold | sentencepiece | at least 0.3 times its speed | 0.35 / 0.30 | met |
# | BPE training, 100 kB of English / of code \* | tokenizers | at most 2.2 times its time | 1.88 / 1.69 | met |
# | BPE training, 100 kB, with steps that the caller does not use \* | the same program without steps | at most 1.10 times its time | 0.99 | met |
# | `import tokenlab.libraries.tiktoken`, with the start of Python \* | `import tiktoken` | at most 1.2 times its time | 0.93 | met |
# | forward pass of a tiny T5 \* | transformers 4.26.1 | at most 1.0 times its time | 0.97 | met |
# | greedy generation, tiny T5 \* | transformers 4.26.1 | at least 4.5 times its speed | 4.76 | met |
#
# T5 is the model of `13_t5_in_one_picture`. A *forward pass* is one computation of the model. *Greedy generation* always
# adds the most probable token to the output (`17_greedy_and_sampling`).
#
# The import is fast because it loads the library `regex` only when it is needed. With a first encoding, the kit needs 1.24
# times the time of `import tiktoken`.
#
# Two more goals were missed. The first is the speed of greedy generation. Most of its time is spent on products of matrices. A
# second program computes only these products. With the model T5-small, the generation should have at least 0.97 times the
# speed of this program. It has 0.88 to 0.91 times its speed, and 0.84 times the speed of CTranslate2, a library for fast
# generation. The other goal is a time. A player with a text box shows a new figure after each key. 95 % of the new figures
# should appear less than 25 ms after the key is pressed. Depending on the player, 95 % of the figures appeared within 36
# to 98 ms. In JupyterLab, this goal cannot be met on this machine: a text box without this kit needs 35 ms.
#
# You can measure two of the goals again here. The next two cells measure the training of BPE on 100 kB of the documentation, with
# `tokenizers` and with this kit. Both use one thread, because an earlier cell has set `TOKENIZERS_PARALLELISM`. Each
# training runs in a new *process*: Python is started again for it. The memory of this notebook is full of earlier results,
# and this can make allocations slower.

# %% tags=["nbval-ignore-output"]
setup = """
from pydoc_data.topics import topics
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.laboratory.speed.libraries import train_tokenizers
import tokenizers
small = "\\n".join(topics.values())[:100_000]
"""
print(setup)

# %% tags=["nbval-ignore-output"]
import subprocess, sys


def seconds(work):
    code = f"import time, timeit; print(timeit.timeit({work!r}, {setup!r}, time.process_time, number=1))"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)


kit = "train_indexed(count_words(small, split='gpt2', symbols='bytes'), 5000, 'lowest_id')"
[round(seconds(kit) / seconds("train_tokenizers(small)"), 2) for turn in range(5)]

# %% [markdown]
# The output contains the ratio of each turn. The goal is a ratio of at most 2.2. The table was measured with other
# texts, so its ratio can differ. Do not measure `tokenizers` with several threads here: in total,
# several threads need more CPU time than one thread. So the time of `tokenizers` would be too long, and the ratio too small.
#
# The last cell starts Python without an import, with `import tiktoken`, and with `import tokenlab.libraries.tiktoken`. The time of
# Python without an import is 1.


# %% tags=["nbval-ignore-output"]
def starts(program):
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}  # stores compiled files, as usual
    return lambda: subprocess.run([sys.executable, "-c", program], check=True, env=environment)


programs = ("pass", "import tiktoken", "import tokenlab.libraries.tiktoken")
plot_ratios(measure({program: starts(program) for program in programs}, clock="wall"))

# %% [markdown]
# For the goal, divide the third bar by the second bar. The quotient should be at most 1.2.
