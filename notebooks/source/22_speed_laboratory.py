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
# > **Time:** core 25 minutes, practice 39 minutes. **Before this:** `04_tiktoken`, `11_tokenizer_pipeline` and `18_beam_search`.
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
from tokenlab.show.explorers.explore_pipeline import explore_pipeline
from tokenlab.libraries.tokenizers import Tokenizer

explore_pipeline("Why is it slow? Größe", Tokenizer.from_str(hf.to_str()))

# %% [markdown]
# `tokenizers` also returns a string and offsets for each token, while `tiktoken` returns only ids. But the programs
# differ in other ways as well. To find out which difference costs the time, **remove one part, and measure again. The
# change of the time is the cost of this part, if nothing else has changed.** This is a [**knock-out
# experiment**](../docs/glossary.md#knock-out-experiment), or *ablation*.
#
# ## Three suspects
#
# | suspect | knock-out in `tokenizers` |
# |---|---|
# | the cache, which stores the tokens of pre-tokens | `cache_capacity=0` stores nothing |
# | the merges | the model `WordLevel` only looks up whole pre-tokens: no merges, and as a side effect no cache |
# | the offsets | `encode_batch_fast` does not compute offsets |
#
# In the figure, the time of `tokenizers` is 1, so a bar of 0.75 means 25 % less time. Differences of 0.05 can be
# chance. A run with an empty cache is [**cold**](../docs/glossary.md#cold-run). A later run on the same text is
# **warm**, because the cache already contains pre-tokens of this text. **Predict each bar before you open a box.**
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
from tokenlab.show.plots import plot_ratios
from tokenlab.laboratory.speed.libraries import every_word_a_token, without_cache

uncached, words = without_cache(hf), every_word_a_token(text)
bars = {"tokenizers": whole, "warm cache": lambda: hf.encode(text), "without the cache": lambda: uncached.encode(text)}
bars |= {"without merges": lambda: words.encode(text)}
bars |= {"without offsets": (lambda: fresh(hf), lambda new: new.encode_batch_fast([text]))}
plot_ratios(measure(bars | {"tiktoken": lambda: openai.encode_ordinary(text)}, repeats=7))

# %% [markdown]
# Only the offsets cost much. But even without offsets, `tokenizers` takes several times as long as `tiktoken`, as the
# last two bars show. **A knock-out shows the cost of one part. It does not explain the time that remains.**
#
# ## Generation
#
# The same method works for a model. The [KV cache](../docs/glossary.md#kv-cache) of lesson 15 stores the keys and
# values of earlier tokens, and `use_cache=False` knocks it out. The kit's tiny T5 always generates 80 tokens here,
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
# Without the cache, every step computes the keys and values of all earlier tokens again. 16 texts do not take 16
# times as long as one: a part of the work in each step is done only once, for all texts together. Beams share it in
# the same way.
#
# ## A fair comparison
#
# The function `measure` follows 4 rules. The programs take turns, so that other work on the machine affects all of
# them equally. The *set-up* before a run, such as creating a new tokenizer, is not timed. Each time is divided by the
# time of the first program in the same turn, because such a ratio depends less on the machine than seconds do. The
# result is the median (the middle one of the sorted ratios), because one bad turn hardly changes it. "Go further"
# shows the code.
#
# ## Where it breaks
#
# A knock-out can also add a cost. In `tiktoken`, `encode_ordinary_batch` removes the Python loop over the texts, but
# hands each text to a *thread*, a part of a program that can run at the same time as other parts. Is a batch faster
# than a loop? In the figure, the time of the loop over lines is 1. Predict the bars for a batch of lines, and for a
# batch of parts of 500 lines.

# %% tags=["nbval-ignore-output"]
lines = text.splitlines(keepends=True)
parts = ["".join(lines[start : start + 500]) for start in range(0, len(lines), 500)]
bars = {"a loop over lines": lambda: [openai.encode_ordinary(line) for line in lines]}
bars |= {"a batch of lines": lambda: openai.encode_ordinary_batch(lines, num_threads=1)}
plot_ratios(measure(bars | {"a batch of long parts": lambda: openai.encode_ordinary_batch(parts, num_threads=1)}))

# %% [markdown]
# The batch of lines is much slower than the loop, because a batch has to hand over each text to the thread. The batch
# of long parts has only a few texts, and it is not slower. So measure with texts of the size that you use.
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
# <details><summary>Hint: the structure</summary>For each of the two shares, divide a difference by 50. For the factor, divide one time by another.</details>
#
# ### Find the bug · easy · 5 minutes · importance 5 of 5
#
# An encoder with a cache encodes only words that its cache does not contain. A *benchmark*, a program that measures
# another program, runs the encoder several times on the same words, and returns the median number of words that the
# encoder encoded in a run. Each run needs a new encoder, but `warm_cache_cost` uses the same one for all runs. Find a
# list of words and a number of runs for which the result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.measuring import warm_cache_cost

my_words, my_repeats = ..., ...  # for example ["the", "cat"], 1: no solution, because the first run is correct

check.bug(warm_cache_cost, my_words, my_repeats)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does the cache contain after the first run?</details>
# <details><summary>An even number of runs</summary>Two counts are in the middle. The result is the smaller one.</details>
# <details><summary>Hint: a smaller example</summary>For 1 run and the words <code>["the", "cat"]</code>, the result 2 is correct.</details>
# <details><summary>Hint: the structure</summary>Use at least one word and more than one run.</details>
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
# <details><summary>Hint: the structure</summary>First divide the sizes, and divide the times. Then divide one logarithm by the other.</details>
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
# <details><summary>Hint: the structure</summary>Use a dictionary, a loop with one <code>if</code>, and <code>extend</code>.</details>
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
# <details><summary>Hint: the structure</summary>Make a list with one ratio for each turn. The median of an odd number of ratios is in the middle of the sorted list.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Without its cache, `tokenizers` becomes slower; without merges, it becomes hardly faster. Someone concludes: "So
# merges are free." Say in three sentences what each of the two knock-outs shows, and why the conclusion is wrong.
#
# <details><summary>What a good answer contains</summary>
# 1. Without the cache, every pre-token is merged again, so this knock-out adds merges: their cost becomes visible.<br>
# 2. Without merges, little is saved, because the cache had already avoided most of them.<br>
# 3. A knock-out gives the cost of a part in this program and on this text: in a program without a cache, or with other
#    texts, merges can be a large share.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “Without the cache, each occurrence of a word is merged again, and this costs time. Without merges, almost nothing is saved, because with a cache each frequent word is merged only once. So merges are not free: the cache hides their cost, and a program without a cache pays it.”<br>
# <b>Wrong:</b> “The cache costs time, because it must be filled. The merges cost nothing, because the bar without merges is close to 1. So the time of tokenizers is spent in the pattern.” The cache saves time, and what one knock-out does not save is not proved to be somewhere else.
# </details>
#
# ## Exit questions
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
# ### The function that measures
#
# The clock of `measure` is *CPU time*: how long the processor works.

# %%
from tokenlab import show
from tokenlab.laboratory.speed.measure import run_time, times

show.source(measure, times, run_time)

# %% [markdown]
# ### How does the time grow?
#
# A text can have very long words, for example a line of letters without spaces. The cache of `tokenizers` does not
# store such words. We compare both libraries with two encoders of lesson 02: `textbook` (`encode_by_rank`) looks at
# all pairs again after each merge; `priority queue` stores the possible merges so that the merge with the lowest rank
# is always first. Predict the growth exponent of each encoder.

# %% tags=["nbval-ignore-output"]
from tokenlab.algorithms.bpe.encode import encode_by_rank
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue as queue
from tokenlab.laboratory.speed.measure import growth_exponent, measure_growth
from tokenlab.show.plots import plot_growth

ranks = {openai.decode_single_token_bytes(id): id for id in range(openai.n_vocab)}
encoders = {"textbook": lambda word: encode_by_rank(word.encode(), ranks), "tokenizers": hf.encode}
encoders |= {"priority queue": lambda word: queue(word.encode(), ranks), "tiktoken": openai.encode_ordinary}
letters = "".join(filter(str.isalpha, text))
f"{len(letters):,} letters without spaces: {letters[:60]} ..."

# %% tags=["nbval-ignore-output"]
sizes = dict.fromkeys(encoders, (2000, 8000, 32000)) | {"textbook": (500, 1000, 2000)}
points = measure_growth(encoders, letters, sizes)
print({name: round(growth_exponent(*curve[0], *curve[-1]), 2) for name, curve in points.items()})
plot_growth(points)

# %% [markdown]
# Both axes are logarithmic, so a straight line is a power of the length. For `textbook`, twice the length takes about 4
# times the time; for the priority queue, about twice. An exponent below 1 is possible if a part of the time does not
# depend on the length. Compare `textbook` and `priority queue` at the length 2000: both are written in Python, but
# their algorithms differ.
#
# ### Find the slow function
#
# A simple encoder in Python is slow, but where? A [**profiler**](../docs/glossary.md#profiler) measures the time in
# each function of a program, without the time of the functions that it calls. `hot_functions` runs Python's profiler
# `cProfile`, and returns the functions with the largest shares. Predict one of them.

# %% tags=["nbval-ignore-output"]
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.laboratory.speed.measure import hot_functions

part = text[:50_000]


def encode_text(text):
    return [ranks[token] for word in split_gpt2(text) for token in encode_by_rank(word.encode(), ranks)]


print(hot_functions(lambda: encode_text(part)))

# %% [markdown]
# Did you predict `Random.seed`? `encode_by_rank` has an option for [BPE-dropout](../docs/glossary.md#bpe-dropout),
# which leaves out merges at random. So it creates a random number generator for each word, although it never uses the
# generator without dropout. (`encode_by_rank` has more calls than words, because it pauses after each merge to report
# a step.) We give it one generator for all words:

# %% tags=["nbval-ignore-output"]
from random import Random

chance = Random(0)


def encode_with_one_generator(text):
    return [ranks[token] for word in split_gpt2(text) for token in encode_by_rank(word.encode(), ranks, 0.0, chance)]


print(hot_functions(lambda: encode_with_one_generator(part)))

# %% [markdown]
# Now `Random.seed` is no longer near the top. The same words occur again and again in the text, so the next change is
# a cache for the tokens of each word.

# %% tags=["nbval-ignore-output"]
from functools import cache


def encode_cached(text):
    encode = cache(lambda word: encode_by_rank(word.encode(), ranks, 0.0, chance))
    return [ranks[token] for word in split_gpt2(text) for token in encode(word)]


assert encode_cached(part) == encode_with_one_generator(part) == encode_text(part)
plot_ratios(measure({f.__name__: lambda f=f: f(part) for f in (encode_text, encode_with_one_generator, encode_cached)}))

# %% [markdown]
# The `assert` is important, because programs can be compared only if their results are equal. A profiler makes calls of
# Python functions slower, so its shares are only a guide: measure again after each change.
