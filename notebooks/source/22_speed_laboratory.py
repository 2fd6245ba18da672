# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Speed laboratory
#
# > **You will be able to** measure what one part of a program costs; compare two programs fairly; say which parts of tokenization and of
# > generation take the time; compute how fast the time of a program grows with its input.
# >
# > **Time:** core 30 minutes, practice 39 minutes. **Before this:** `04_tiktoken`, `11_tokenizer_pipeline` and `18_beam_search`.
#
# <details><summary>Two questions from earlier lessons: What are the offsets of a token? Why does tiktoken look up a whole pre-token first?</summary>
#
# The offsets of a token are the span of the original text that the token comes from. If the vocabulary contains the
# whole pre-token, no merge is needed.
# </details>
#
# Before a language model is trained, its training texts are converted to ids. Suppose that OpenAI's library `tiktoken`
# needs 2 hours for 100 GB. How long does Hugging Face's library `tokenizers` need? We train BPE on Python's
# documentation, load the vocabulary into both libraries, check that their ids are equal, and measure.

# %% tags=["nbval-ignore-output"]
from pydoc_data.topics import topics
from tokenlab.laboratory.speed.libraries import fresh, train_both
from tokenlab.laboratory.speed.measure import measure

text = "\n".join(topics.values())
openai, hf = train_both(text)  # an Encoding of tiktoken, and a Tokenizer of tokenizers
whole = (lambda: fresh(hf), lambda new: new.encode(text))  # not timed: a new tokenizer; timed: encode
ratios = measure({"tiktoken": lambda: openai.encode_ordinary(text), "tokenizers": whole})
f"{openai.encode_ordinary(text) == hf.encode(text).ids}; {2 * ratios['tokenizers']:.0f} hours with tokenizers"

# %% [markdown]
# The ids are the same, so where does the time go? The player shows what `tokenizers` does. Click a token, then type
# your own text.

# %% tags=["nbval-ignore-output"]
from tokenlab.show.explorers.explore_tokenizers import explore_pipeline
from tokenlab.libraries.tokenizers import Tokenizer

explore_pipeline("Why is it slow? Größe", Tokenizer.from_str(hf.to_str()))

# %% [markdown]
# `tokenizers` returns a string, an id and offsets for each token, while `tiktoken` returns only ids. But the programs
# also differ in other ways, so we cannot yet say which difference costs the time. To find out, **remove one part, and
# measure again. The difference is its cost, if nothing else has changed.** This is a [**knock-out
# experiment**](../docs/glossary.md#knock-out-experiment), or *ablation*.
#
# ## Three suspects
#
# | suspect | knock-out in `tokenizers` |
# |---|---|
# | the cache, which stores the tokens of pre-tokens | `cache_capacity=0` stores nothing |
# | the merges | the model `WordLevel` looks up each whole pre-token in a vocabulary: no merges and no cache |
# | the offsets | `encode_batch_fast` does not compute offsets |
#
# In the figure, the time of the first program is 1, so a bar of 0.75 saves 25 % of the time. Differences of 0.05 can be
# chance. A cache is empty at first, and a run with an empty cache is [**cold**](../docs/glossary.md#cold-run). A later
# run on the same text is **warm**, because the cache then contains most pre-tokens of the text. Here every run but that
# of the warm cache is cold. **Predict each bar before you open a box.**
#
# <details><summary>Predict: is the bar of the warm cache much shorter than 1?</summary>
# No. Most of this long text consists of a few frequent pre-tokens. A cold run merges each of them once, and then finds
# it in its cache.
# </details>
# <details><summary>Predict: tiktoken has no cache, but tokenizers has one. Is tokenizers slower because of its cache?</summary>
# No. Without a cache, the tokenizer must merge each pre-token again. So the bar is longer than 1: the cache saves time.
# </details>
# <details><summary>Predict: is the bar without merges much shorter than 1?</summary>
# No. A frequent pre-token is merged only once. Then the cache contains its tokens.
# </details>
# <details><summary>Predict: do the offsets, two numbers for each token, cost much time?</summary>
# Yes. The tokenizer works with bytes, but offsets count characters. So it must convert each position.
# </details>

# %% tags=["nbval-ignore-output"]
import os
from tokenlab.show.plots import plot_ratios
from tokenlab.laboratory.speed.libraries import every_word_a_token, without_cache

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # tokenizers does not divide its work
uncached, (openai_words, hf_words) = without_cache(hf), every_word_a_token(text)
bars = {"tokenizers": whole, "warm cache": lambda: hf.encode(text), "without the cache": lambda: uncached.encode(text)}
fast = (lambda: fresh(hf), lambda new: new.encode_batch_fast([text]))
plot_ratios(measure(bars | {"without merges": lambda: hf_words.encode(text), "without offsets": fast}, repeats=7))

# %% [markdown]
# Only the offsets cost much. But without offsets, is `tokenizers` as fast as `tiktoken`? And what do the merges cost in
# `tiktoken`, which does little other work?

# %% tags=["nbval-ignore-output"]
lines = text.splitlines(keepends=True)  # for later
bars = {"tiktoken": lambda: openai.encode_ordinary(text)}
bars |= {"tiktoken without merges": lambda: openai_words.encode_ordinary(text)}
plot_ratios(measure(bars | {"tokenizers": whole, "tokenizers without offsets": fast}))

# %% [markdown]
# The merges are a large part of the short time of `tiktoken`, but cost `tokenizers` almost nothing. And without
# offsets, `tokenizers` is still several times slower. **A knock-out shows the cost of one part. It does not explain the
# time that remains.** "Go further" shows where it goes.
#
# ## Generation
#
# The same method works for a model. The [KV cache](../docs/glossary.md#kv-cache) of lesson 15 stores the keys and
# values of earlier tokens, and `use_cache=False` knocks it out. The kit's tiny T5 generates 80 tokens, always as many
# because `min_length` equals `max_length`. Predict the bars: without the cache, with 4 beams, and with 16 texts at
# once.

# %% tags=["nbval-ignore-output"]
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
ids = T5Tokenizer.from_pretrained(data.t5_tiny()).encode("translate English to German: I see it.", return_tensors="pt")
settings = {"greedy search": {}, "without the KV cache": {"use_cache": False}, "4 beams": {"num_beams": 4}}
bars = {name: lambda s=s: model.generate(ids, min_length=80, max_length=80, **s) for name, s in settings.items()}
plot_ratios(measure(bars | {"16 texts": lambda: model.generate(ids.repeat(16, 1), min_length=80, max_length=80)}))

# %% [markdown]
# Without the cache, every step computes all earlier tokens again. In contrast, 16 texts do not need 16 times the time
# of one, because much of the work of a step does not depend on the number of texts, and all texts of a batch share it.
# Beams share it in the same way.
#
# ## The function itself
#
# A fair comparison has 4 rules, and `measure` follows them:
#
# - The programs take turns, so that other work on the machine slows down all of them.
# - The *set-up* before a run, such as creating a new tokenizer, is not timed.
# - Each turn gives a ratio, because seconds depend on the machine, but ratios much less.
# - The result is the median, the middle one of the sorted ratios, because one bad turn hardly changes a median.
#
# Its clock measures **CPU time**: how long the processor works.

# %%
from tokenlab import show
from tokenlab.laboratory.speed.measure import run_time, times

show.source(measure, times, run_time)

# %% [markdown]
# ## Where it breaks
#
# A knock-out can also add a cost. `encode_ordinary_batch` removes the Python loop over the texts, but hands them to a
# **thread**, a part of a program that can run at the same time as other parts. Predict a bar for the lines, and a bar
# for parts of 500 lines.


# %% tags=["nbval-ignore-output"]
def time_of_batch(texts):
    bars = {"loop": lambda: [openai.encode_ordinary(text) for text in texts]}
    return measure(bars | {"batch": lambda: openai.encode_ordinary_batch(texts, num_threads=1)})["batch"]


parts = ["".join(lines[start : start + 500]) for start in range(0, len(lines), 500)]
plot_ratios({"a loop": 1.0, "a batch of lines": time_of_batch(lines), "a batch of long parts": time_of_batch(parts)})

# %% [markdown]
# The batch is much slower than the loop for lines, but only a little slower for long parts. So most of its cost is paid
# once for each text. Measure with texts of the size that you use.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# A tokenizer needs 50 ms for a text. Without offsets, it needs 30 ms. Without its cache, it needs 60 ms. Which share of
# the 50 ms does each knock-out save? A share is negative if the program becomes slower. By which factor is the
# tokenizer faster without offsets?

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
# another program, runs the encoder several times on the same words. In each run, the benchmark should create a new
# encoder and count the words that it encodes. The result is the median of these counts. But `warm_cache_cost` uses the
# same encoder for all runs. Find a list of words and a number of runs for which the result is wrong.

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
# The time of a program often grows as a power of the size of its input: $t=c\cdot n^k$. Here $t$ is the time, $n$ is
# the size, and $c$ is a constant. The number $k$ is the [**growth exponent**](../docs/glossary.md#growth-exponent). If
# twice the size takes 4 times the time, $k=2$. Compute $k$ from two measurements: `size` and `time`, `larger_size` and
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
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Without its cache, `tokenizers` becomes slower; without merges, it becomes hardly faster. Someone concludes: "So
# merges are free." Say in three sentences what each of the two knock-outs shows, and why the conclusion is wrong.
#
# <details><summary>What a good answer contains</summary>
# 1. Without the cache, every pre-token is merged again, so this knock-out adds merges: their cost becomes visible.<br>
# 2. Without merges, little is saved, because the cache had already avoided most of them.<br>
# 3. A knock-out gives the cost of a part in this program and on this text: with another program, such as tiktoken, or with other texts, merges can be a large share.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “Without the cache, each occurrence of a word is merged again, and this costs time. Without merges, almost nothing is saved, because with a cache each frequent word is merged only once. So merges are not free, the cache hides their cost, and in tiktoken, which has no cache, they take a large share.”<br>
# <b>Wrong:</b> “The cache costs time, because it must be filled. The merges cost nothing, because the bar without merges is close to 1. So the time of tokenizers is spent in the pattern.” The cache saves time, and what one knock-out does not save is not proved to be somewhere else.
# </details>
#
# ## Before you leave
#
# <details><summary>A program is not faster without a part. What do you conclude?</summary>
# The part costs little time, so removing it does not help. But first check that the knock-out added no other cost. For
# example, without the cache, more merges are needed.
# </details>
# <details><summary>A benchmark encodes the same text 100 times with one tokenizer. What does it measure?</summary>
# If the tokenizer has a cache, all runs after the first run are warm. They look up most pre-tokens in the cache, so
# they need few merges. The benchmark measures the other parts of the tokenizer, but almost no merges.
# </details>
# <details><summary>A model generates one text at a time. What do you change first to generate 1,000 texts?</summary>
# Generate many texts in a batch, with the KV cache: the work of a step that does not depend on the number of texts is
# then shared.
# </details>
# <details><summary>Why does this lesson report ratios and no seconds?</summary>
# Seconds depend on the machine and on the other programs that run on it. Both programs of a ratio share these
# conditions.
# </details>
#
# **Summary: what to take with you.** First check that the results are equal, then compare. Remove one part at a time,
# and ask what else the removal changes. Say whether a run is cold or warm. Let the programs take turns, and report a
# median of ratios. Measure with inputs of the size that you use, because the share of a part depends on it.
#
# **References.** Brendan Gregg, *Systems Performance*, 2020. Python documentation, *The Python Profilers*.
# **Next lesson:** `23_seven_tokenizers`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Two more suspects: the pattern and the long text
#
# <details><summary>Predict: one program has a short pattern, <code>\s*\S+</code>, and no offsets. Does the pattern save more than the offsets?</summary>
# No. The short pattern is simpler, and it makes fewer pre-tokens. But to leave out the offsets saves more.
# </details>
# <details><summary>Predict: is it faster to encode many lines than one long text?</summary>
# Yes. Lines save much time if the tokenizer computes offsets, and less if it does not.
# </details>

# %% tags=["nbval-ignore-output"]
from tokenlab.laboratory.speed.libraries import simple_pattern

bars = {"tokenizers": whole, "without offsets": fast, "lines": (lambda: fresh(hf), lambda new: new.encode_batch(lines))}
bars |= {"without offsets, short pattern": (lambda: simple_pattern(hf), lambda new: new.encode_batch_fast([text]))}
plot_ratios(measure(bars | {"lines, without offsets": (lambda: fresh(hf), lambda new: new.encode_batch_fast(lines))}))

# %% [markdown]
# The short pattern makes other pre-tokens, so its bar is only an estimate. Lines save more time with offsets than
# without them. So splitting the text into lines mostly reduces the cost of the offsets: to convert positions, the
# tokenizer builds a table for each text, and a position is probably found faster in the small table of a line.

# %% [markdown]
# ### How does the time grow?
#
# A text can have very long words, for example a line of letters without spaces. The cache of `tokenizers` does not
# store such long words. We compare four encoders:
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
# Each time is the shortest of 3 runs, because other work can only make a run longer. In the next figure, the shortest
# time of all is 1. Both axes are logarithmic: from each mark, such as $10^3$, to the next one, the value becomes 10
# times as large. If a line rises by $k$ marks for one mark to the right, its growth exponent is $k$. On the horizontal
# axis, the marks are farther apart, so a line with the exponent 1 rises slowly.

# %% tags=["nbval-ignore-output"]
sizes = dict.fromkeys(encoders, (2000, 8000, 32000)) | {"textbook": (500, 1000, 2000)}
points = measure_growth(encoders, letters, sizes)
plot_growth(points)

# %% tags=["nbval-ignore-output"]
from tokenlab.laboratory.speed.measure import growth_exponent

{name: round(growth_exponent(*curve[0], *curve[-1]), 2) for name, curve in points.items()}

# %% [markdown]
# The output contains the growth exponents, from the smallest and the largest size. For `textbook`, twice the length
# takes about 4 times the time. The exponent of the priority queue is close to 1. The exponents of the libraries are
# about 1 or less. An exponent below 1 is possible if a part of the time does not depend on the length. Then twice the
# length takes less than twice the time. Compare `textbook` and `priority queue` at the length 2000. Both are written in
# Python, but their algorithms differ.
#
# ### Find the slow function
#
# A simple encoder in Python is slow, but where? A [**profiler**](../docs/glossary.md#profiler) measures the time in
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
# Did you predict `Random.seed`? It sets the first state of a *random number generator*, an object that draws random
# numbers. `encode_by_rank` has an option for [BPE-dropout](../docs/glossary.md#bpe-dropout), which leaves out merges at
# random. So it creates a generator for each word, and each new generator calls `Random.seed`. Without dropout,
# `encode_by_rank` never uses the generator.
#
# `Random.seed` is called once for each word. The number of calls of `encode_by_rank` is larger, because
# `encode_by_rank` pauses after each merge to report a step. Each time the function continues, the profiler counts one
# more call. `<listcomp>` stands for the list comprehension inside `encode_by_rank`; since Python 3.12, it has no row of
# its own. `merged_symbol` joins the two symbols of a pair.
#
# We change one thing: this version creates one random number generator for all words. The argument `0.0` is the
# probability that a merge is left out.

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
# The `assert` is important: these three programs should do the same work, so their results must be equal. The
# difference between the first two bars is the cost of the generators. It can be larger than the share of `Random.seed`
# in the table, because a new generator costs more than this call. A profiler also makes calls of Python functions
# slower, so its shares are only a guide. Measure again after each change.
#
# <details><summary>Which function of <code>encode_cached</code> would you change next?</summary>
# <code>encode_by_rank</code> and its list comprehension: after each merge, they look at all pairs of the word again. With a
# priority queue, only the pairs next to the merge are looked at.
# </details>
#
# ### What a profiler of the processor counts
#
# `cProfile` measures only calls from Python. It does not see the functions inside `tokenizers`, which is written in
# Rust. On Linux, the profiler `perf` can measure them. On the machine where this lesson was written, with GPT-2's
# vocabulary and 1 MB of English, `perf` measured these shares of the time of `encode`:
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
# different, and a knock-out can also save work in other parts. `encode` spends most of its time on positions and
# memory. The largest share, the conversion of positions, is needed only for offsets. Even without offsets, `tokenizers`
# needs many allocations. Its source code shows why. It creates an object for each pre-token, with the position of each
# byte. It also creates a string for each token. For each object and each string, the program must reserve memory. For
# its result, `tiktoken` creates only a list of ids.
#
# In `tiktoken`, the pattern needed about as many seconds as in `tokenizers`. But the whole time of `tiktoken` is much
# shorter, so the pattern was 47 % of it.
#
# ### One thread and several threads
#
# The figures above show CPU time. It adds the times of all threads. So this cell measures the time that passes, the
# *wall-clock time*. `encode_batch_fast` distributes the texts of a batch to threads. Predict the bar for several
# threads.


# %% tags=["nbval-ignore-output"]
from unittest.mock import patch


def encode_lines(parallel):
    with patch.dict(os.environ, TOKENIZERS_PARALLELISM=parallel):  # for this run only
        hf.encode_batch_fast(lines)


bars = {"one thread": lambda: encode_lines("false"), "several threads": lambda: encode_lines("true")}
plot_ratios(measure(bars, clock="wall"))

# %% [markdown]
# If other programs use the processor, the second bar can be close to 1. Neither library distributes one text to
# threads. So divide a large file into many texts.
