# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Greedy search and sampling
#
# > **You will be able to**
# >
# > - compute the next token from the logits, with greedy search and with sampling;
# > - say what temperature, top-k and top-p change;
# > - explain why the same prompt can give different texts.
# >
# > **Time:** core 40 minutes, practice 25 minutes (and 26 in *Go further*). **Before this:** `16_t5_pretraining`.
#
# <details><summary>Two questions from earlier lessons: what does the decoder read when it generates a token? Which probabilities does the softmax give for the logits 0 and 0?</summary>
#
# The decoder reads the start token and all tokens that it has generated so far. The softmax gives 0.5 and 0.5.
# </details>
# <details><summary>Are you ready? Three tokens have the probabilities 0.5, 0.3 and 0.2. The third token is forbidden. Which probabilities do the other two have now, if their ratio does not change?</summary>
#
# 0.625 and 0.375. Divide both by their sum, 0.8, so that they sum to 1 again.
# </details>
#
# ## One prompt, several answers
#
# A user of a chat model asked: [why does the same prompt give different
# results?](https://github.com/haotian-liu/LLaVA/issues/330) The tiny T5 fills the gap in *The boy gave ___ a
# flower* 6 times, each time with another *seed*, which fixes the random numbers:

# %%
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.traces.generation.trace_sampling import trace_sampling

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
gap = "The boy gave <extra_id_0> a flower."
[trace_sampling(model, tokenizer, gap, seed, do_sample=True, top_k=0) for seed in range(6)]

# %% [markdown]
# The model was the same in all runs. But each token was chosen at random, with the probabilities that the softmax
# computes from the logits.

# %%
from tokenlab import show

show.you_are_here("softmax of the logits")

# %% [markdown]
# The explorer shows one run, token by token. Move *seed* and read the answers. Then clear the checkbox *draw* and
# move *seed* again.

# %%
from tokenlab.show.explorers.explore_generation import explore_sampling

explore_sampling(gap, model, tokenizer, seed=3)

# %% [markdown]
# With *draw*, the program uses [**sampling**](../docs/glossary.md#sampling): it draws the tokens at random, according
# to their probabilities. Without *draw*, it uses [**greedy search**](../docs/glossary.md#greedy-search), which
# selects the most probable token, so all texts are equal.
#
# The probabilities of all possible next tokens are called a [**distribution**](../docs/glossary.md#distribution),
# and the rule that chooses a token is called the [**decoding**](../docs/glossary.md#decoding) rule. **The model
# gives the distribution, but the decoding rule makes the text.**
#
# ## From logits to probabilities
#
# For each token $i$, the model computes a [**logit**](../docs/glossary.md#logit) $z_i$, which can be any number.
# Probabilities must be positive and sum to 1, so the softmax applies the exponential function and divides by the
# sum:
#
# $$p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$
#
# The decoder has generated `<extra_id_0>`, so the next token is the first one in the gap. Here are the 5 highest
# logits:

# %%
import torch

written = torch.tensor([[model.config.decoder_start_token_id, tokenizer.convert_tokens_to_ids("<extra_id_0>")]])
logits = model(**tokenizer(gap, return_tensors="pt"), decoder_input_ids=written).logits[0, -1]
best = logits.argsort(descending=True)[:5].tolist()
for token, logit, p in zip(tokenizer.convert_ids_to_tokens(best), logits[best], logits.softmax(-1)[best], strict=True):
    print(f"{token:<5} logit {logit:.1f}, probability {p:.2f}")

# %% [markdown]
# Greedy search selects `▁the`, although its probability is only 0.17 and many other words fit.
#
# ## Temperature
#
# To change how random a draw is, all logits are divided by a [**temperature**](../docs/glossary.md#temperature) $T$
# before the softmax:
#
# $$p_i = \frac{e^{z_i/T}}{\sum_j e^{z_j/T}}$$
#
# For 4 temperatures, the cell prints the probabilities of the same 5 tokens, and the sum of all others. The last
# number is the [**entropy**](../docs/glossary.md#entropy) $H=-\sum_i p_i\ln p_i$, which measures how uncertain the
# next token is.
#
# <details><summary>When is the entropy 0?</summary>It is 0 if one token has the probability 1, because ln 1 is 0. Then the next token is certain.</details>

# %%
from tokenlab.algorithms.decoding.next_token import softmax_with_temperature
from tokenlab.algorithms.decoding.filters import entropy

for temperature in (0.1, 0.5, 1.0, 2.0):
    p = softmax_with_temperature(logits.tolist(), temperature)
    shown = [round(p[token], 2) for token in best]
    print(f"T = {temperature}:", *shown, f"| others {1 - sum(shown):.2f} | entropy {entropy(p):.2f}")

# %% [markdown]
# A temperature below 1 makes the distribution sharper, so the most probable token becomes more probable. A
# temperature above 1 makes it flatter. The order of the tokens never changes, so greedy search ignores the
# temperature.
#
# ## Top-k and top-p
#
# At temperature 2, the 895 other tokens together have the probability 0.60. This sum is their [**probability
# mass**](../docs/glossary.md#probability-mass). Most of these tokens do not fit into the gap, so two filters remove
# improbable tokens:
#
# - [**Top-k**](../docs/glossary.md#top-k) keeps the $k$ most probable tokens.
# - [**Top-p**](../docs/glossary.md#top-p) keeps the most probable tokens, one after another, until the sum of their probabilities is at
#   least $p$. These tokens are the [**nucleus**](../docs/glossary.md#nucleus). If the model is certain, the nucleus is small.
#
# Then the kept probabilities are divided by their sum. The model's method `generate` applies the temperature first,
# then top-k, then top-p. For sampling, the default of `top_k` is 50, so the first cell turned top-k off with
# `top_k=0`.
#
# Step until the player asks a question. To answer it, add the probabilities, beginning with the highest. The player
# calls top-p by its name in `transformers`, `TopPLogitsWarper`.

# %%
from tokenlab.traces.generation.trace_next_token import trace_next_token

trace_next_token.record(model, tokenizer, gap, "<extra_id_0>", top_k=0, top_p=0.7)

# %% [markdown]
# ## Drawing a token
#
# The kept tokens divide the line from 0 to 1 into intervals, each as long as the probability of its token. A random
# number between 0 and 1 draws the token in whose interval it lies. Which token does the number 0.6 draw, if tokens
# are counted from 0?

# %%
from tokenlab.algorithms.decoding.next_token import sample_token

nucleus = trace_next_token(model, tokenizer, gap, "<extra_id_0>", top_k=0, top_p=0.7)
print(list(nucleus), sample_token.record(list(nucleus.values()), number=0.6), sep="\n")

# %% [markdown]
# The number lies in the interval of token 2, `▁you`.
#
# ## The functions themselves
#
# Here, `scores` are logits, and `by_probability` puts the most probable token first.

# %%
from tokenlab.algorithms.decoding.filters import top_k_filter, top_p_filter

show.source(softmax_with_temperature, top_k_filter, top_p_filter, sample_token)

# %% [markdown]
# ## Where it breaks
#
# The grammar that generated the training sentences accepts 4 translations of *The doctor is reading a book*, with
# *Arzt* (a man) or *Ärztin* (a woman), and with *liest* or *liest gerade*. Greedy search generates one answer, and
# three settings of sampling generate 100 each (`top_p=1.0` keeps all tokens). Which rules find all 4? Which
# makes mistakes?

# %%
from tokenlab.traces.generation.trace_sampling import sample_many

doctor, task, hot = "The doctor is reading a book.", data.grammar().TO_GERMAN, {"temperature": 2.0}
for rules in {"do_sample": False, "answers": 1}, {"top_p": 1.0}, hot, hot | {"top_p": 0.7}:
    answers = sample_many(model, tokenizer, task + doctor, **({"top_k": 0} | rules))
    right = [answer for answer in answers if data.grammar().is_right(doctor, task, answer)]
    print(f"{len(right)} of {len(answers)} right, {len({*right})} different: {rules}")

# %% [markdown]
# Greedy search has only one answer, while sampling finds all 4. But a high temperature alone spoils nearly half of
# the answers, because each draw may select a wrong token. With `top_p=0.7` at the same temperature, no answer is
# wrong.
#
# ## Practice
#
# Replace the three dots and run the cell. A second run with the same mistake shows the rule, a third the answers and a
# worked solution.
#
# ### Trace it · easy · 7 minutes · importance 5 of 5
#
# The tokens 0 to 4 have the probabilities 0.49, 0.25, 0.16, 0.09 and 0.01. Temperature 2 replaces $e^z$ by $e^{z/2}$, its square root. So
# you can take the square root of each probability, and divide the roots by their sum. What are the new probabilities? Which tokens does
# `top_p=0.7` keep now? Which token does the random number 0.9 draw from them?

# %% tags=["practice"]
from tokenlab import check

# A list of 5 numbers (2 decimal places are enough), a tuple of tokens, a token. Example: [0.5, 0.2, 0.1, 0.1, 0.1], (0, 1), 0
my_probabilities, my_kept, my_token = ..., ..., ...

check.drawn_by_hand(my_probabilities, my_kept, my_token)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the sum of the 5 square roots?</details>
# <details><summary>Hint: a smaller example</summary>For 0.5, 0.3 and 0.2, top-p with 0.7 keeps the first two tokens. Divided by their sum, they have 0.625 and 0.375. The number 0.9 draws token 1.</details>
# <details><summary>Hint: the structure</summary>After top-p, divide the kept probabilities by their sum. The interval of token 0 starts at 0. The interval of token 1 starts where the interval of token 0 ends.</details>
#
# ### Find the bug · medium · 5 minutes · importance 5 of 5
#
# One sentence of an [annotated implementation](https://nn.labml.ai/sampling/nucleus.html) says wrongly that the sum
# of the kept probabilities is *less* than $p$, although its formula and code are right. The program
# `exclude_crossing_token` has a similar bug: it removes the crossing token, with which the sum becomes larger than
# `top_p`, unless it is the most probable token. Find probabilities for which it does not keep the nucleus with
# `top_p=0.8`.

# %% tags=["practice"]
from tokenlab.misconceptions.token_sampling import exclude_crossing_token

# A list of numbers that sum to 1. [0.9, 0.1] is no solution: both programs keep token 0.
my_probabilities = ...

check.bug(exclude_crossing_token, my_probabilities)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the sum of the probabilities that the wrong program keeps?</details>
# <details><summary>Hint: a smaller example</summary>For 0.5, 0.3 and 0.2 with <code>top_p=0.7</code>, the nucleus has two tokens. The wrong program keeps one.</details>
# <details><summary>Hint: the structure</summary>Sort your probabilities and add them from the largest to the smallest. The largest one should be below 0.8, and no sum should be exactly 0.8.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 4 of 5
#
# `my_top_p` takes a list of probabilities and the number `top_p`. It returns the tokens of the nucleus as a list in ascending order. No two
# probabilities are equal.


# %% tags=["practice"]
def my_top_p(probabilities: list[float], top_p: float) -> list[int]:
    """Example: my_top_p([0.2, 0.5, 0.3], 0.7) returns [1, 2]."""
    kept, mass = [], 0
    for token in sorted(range(len(probabilities)), key=...):
        if ...:
            break
        kept.append(token)
        mass += probabilities[token]
    return sorted(kept)


check.keep_top_p(my_top_p)

# %% [markdown]
# <details><summary>Hint: a question</summary>Does the loop end when the mass is above <code>top_p</code>, or already when it is equal?</details>
# <details><summary>Hint: a smaller example</summary>For <code>[0.5, 0.375, 0.125]</code>, <code>top_p=0.5</code> keeps one token, and <code>top_p=0.625</code> keeps two.</details>
# <details><summary>Hint: the structure</summary>The key is a function of a token. <code>sorted</code> puts the smallest key first. The condition compares two numbers.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Someone sets a temperature of 2 and gets a text with mistakes, although the model is good. Say in three sentences what the temperature changes,
# why this leads to mistakes, and how top-p prevents them.
#
# <details><summary>What a good answer contains</summary>
# 1. Temperature 2 halves all logits, so the distribution becomes flatter, while the order of the tokens stays the same.<br>
# 2. Together, the many improbable tokens get a large mass, and every token of a text is drawn, so one of them is drawn sooner or later.<br>
# 3. Top-p keeps the most probable tokens until their mass reaches $p$, and removes the rest, so that no such token can be drawn.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The logits are divided by 2, so the probabilities come closer together. Hundreds of unsuitable tokens then have a large share together, and with many draws one of them is selected. Top-p removes this tail: it keeps only the most probable tokens whose mass reaches p.”<br>
# <b>Wrong:</b> “A temperature of 2 makes the model more creative, so it prefers rare words to the usual ones. Rare words often do not fit, so the text gets mistakes. Top-p prevents this, because it removes all tokens whose probability is below p, for example below 0.7.” The order of the tokens never changes, so a rare token stays less probable than a usual one, and top-p compares p with a sum: in this lesson, <code>top_p=0.7</code> kept 6 tokens, although each of them has less than 0.7.
# </details>
#
# ## Exit questions
#
# <details><summary>Two people ask the same model the same question and get different texts. Is one of the texts a mistake of the program?</summary>
# Not necessarily. The model gives a distribution. The two people may use different decoding rules or, when sampling, different seeds.
# </details>
# <details><summary>You raise the temperature and keep top_p. Does the nucleus get more or fewer tokens?</summary>
# More, or the same number. The distribution is flatter, so more tokens are needed for the same mass.
# </details>
# <details><summary>You set temperature=0.2 but the output does not change from run to run. Which setting may be missing?</summary>
# do_sample=True. Without it, generate uses greedy search, which ignores the temperature.
# </details>
#
# **Summary.** The softmax turns the logits into probabilities. Greedy search takes the most probable token, and sampling draws a token. Temperature,
# top-k and top-p change the distribution before the draw.
#
# **References.** Ari Holtzman and others, *The Curious Case of Neural Text Degeneration* (2020), introduced nucleus sampling. Angela Fan
# and others, *Hierarchical Neural Story Generation* (2018), used top-k. **Next lesson:** `18_beam_search`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The same call on the production library
#
# A file contains the answers of `transformers` 4.26.1, which filled the gap with 8 seeds. It used its default, a `top_k` of 50. Are our answers
# equal?

# %%
import json

theirs = json.loads((data.FOLDER / "t5_sampling.json").read_text(encoding="utf-8"))["drawn"]
ours = [trace_sampling(model, tokenizer, gap, seed, do_sample=True) for seed in range(len(theirs))]
ours == theirs, theirs

# %% [markdown]
# They are equal. The first cell of this lesson turned top-k off, but for its 6 seeds it gave the same answers as the first 6 here.

# %% [markdown]
# ### A T5 of your own
#
# The explorers of this lesson also work with a real T5. Download a model from the Hugging Face Hub, for example `google-t5/t5-small`, into a folder. The
# explorers need the files `config.json`, `spiece.model` and `model.safetensors`. Then write:
#
# ```python
# model = T5ForConditionalGeneration.from_pretrained("t5-small").eval()
# tokenizer = T5Tokenizer.from_pretrained("t5-small")
# explore_sampling("translate English to German: The house is wonderful.", model, tokenizer)
# ```
#
# The other explorers take the same text. The section *The order of the rules* below shows `explore_next_token`. In its field *written*,
# type the beginning of the output, for example `Das`.
#
# ### A thousand draws
#
# In $n$ draws, a token with the probability $p$ should come about $n p$ times. The counts differ from $n p$ by chance. The **standard
# deviation** measures the usual size of this difference. It is $\sqrt{n p (1 - p)}$: for 100 draws and $p = 0.5$ it is 5. About 95 % of
# all counts differ from $n p$ by at most 2 standard deviations. Step to 100 draws. A `!` marks each count that differs by more. Is the
# sampler wrong?

# %%
from tokenlab.algorithms.decoding.sample_counts import count_samples

count_samples.record(trace_next_token(model, tokenizer, gap, "<extra_id_0>", top_k=8), draws=1000, seed=5)

# %% [markdown]
# Not necessarily. After 100 draws, the player shows a `!` for `▁you`. On average, 1 count in 20 has one by chance. Step to
# 1,000 draws: no count has a `!`. With a wrong sampler, some counts would keep it. So a test of a sampler must not fail because of one
# such count.
#
# ### The order of the rules
#
# Each filter reads the probabilities that the earlier rules have made. So the order of the rules matters. In `generate`, the rules that
# lower or forbid single tokens come first (see *Repetition* below). Then come temperature, top-k and top-p. `transformers` 3.5 applied the
# temperature after the filters by mistake. A user [corrected](https://github.com/huggingface/transformers/pull/8686) this order. Choose *temperature last*: are more or fewer tokens kept?

# %%
from tokenlab.show.explorers.explore_generation import explore_next_token

explore_next_token(gap, model, tokenizer, "<extra_id_0> my", temperature=1.9, top_p=0.5)

# %% [markdown]
# With *temperature last*, 2 tokens are kept instead of 5. In this order, top-p comes before the temperature. It reads the original
# distribution, which is sharper: 2 tokens already have the mass 0.5.
#
# The function `sample_next_token` applies the common rules in the order of `generate`. The sections below explain `repetition_penalty` and
# `typical_p`. `renormalized` divides the kept probabilities by their sum. This function works on lists. `generate` applies the same
# rules to tensors, in classes such as `TopPLogitsWarper`, and its decoder is `T5IncrementalDecoder`, which has a KV cache:

# %%
from tokenlab.algorithms.decoding.next_token import sample_next_token

show.source(sample_next_token)

# %% [markdown]
# ### More practice: find the bug in the order · medium · 6 minutes · importance 3 of 5
#
# `temperature_last` applies top-p before the temperature. The temperature is 3 and `top_p` is 0.8. Find logits for which it keeps other tokens than
# the correct order.

# %% tags=["practice"]
from tokenlab.misconceptions.token_sampling import temperature_last

# A list of numbers. [1, 0] is no solution: both programs keep both tokens.
my_logits = ...

check.bug(temperature_last, my_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does a high temperature do to the most probable token? How many tokens does top-p need then?</details>
# <details><summary>Hint: a smaller example</summary>For the logits 1 and 0, the first token has less than 0.8, with the temperature 3 and also without it. So both programs keep both tokens.</details>
# <details><summary>Hint: the structure</summary>Take two logits. Without the temperature, the first token alone must have at least 0.8. With both logits divided by 3, it must have less.</details>
#
# ### Repetition
#
# Greedy search can run into a loop. Here the source is not a sentence of the training data. Once `sell the table to` is generated, the
# model predicts it again. A [**repetition penalty**](../docs/glossary.md#repetition-penalty) $\theta>1$ lowers the logits of all
# generated tokens. A positive logit is divided by $\theta$, and a negative logit is multiplied by $\theta$. An **n-gram** is a sequence
# of $n$ tokens. `no_repeat_ngram_size=3` forbids every sequence of 3 tokens that is already in the text.

# %%
strange = "<extra_id_0> You the new car. You read three letters."
for rules in {}, {"repetition_penalty": 1.3}, {"no_repeat_ngram_size": 3}:
    print(rules, trace_sampling(model, tokenizer, strange, max_new_tokens=25, **rules), sep=": ")

# %% [markdown]
# Both rules end the loop. They do not make the text better, because the model does not know what belongs there.
#
# Go back to the explorer of *The order of the rules*. Type `<extra_id_0> the doctor and the` into its field *written*. Set *temperature* and
# *top_p* to 1, and *repetition_penalty* to 1.1.
#
# <details><summary>Which token of the table has a lower probability than with <i>repetition_penalty</i> 1? Why do the other tokens have a higher one?</summary><i>doctor</i>, because the text contains it. The other tokens keep their logits. All probabilities sum to 1, so they get the mass that <i>doctor</i> loses.</details>
#
# ### Write it · medium · 8 minutes · importance 3 of 5
#
# Write the repetition penalty. `logits` is a list with a number for each token, `generated` is a list of tokens, and `penalty` is a
# positive number. Return the new list of logits. A token that occurs twice in `generated` is penalized once.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_penalty(logits: list[float], generated: list[int], penalty: float) -> list[float]:
    """Example: my_penalty([4, -4, 3], [0, 1, 1], 2) returns [2, -8, 3]."""
    return ...


check.repetition_penalty(my_penalty)

# %% [markdown]
# <details><summary>Hint: a question</summary>Is -4 divided by 2 a higher or a lower logit than -4?</details>
# <details><summary>Hint: a smaller example</summary>With the penalty 2, the logit 4 becomes 2, and the logit -4 becomes -8.</details>
# <details><summary>Hint: the structure</summary>A list over <code>enumerate(logits)</code> with three cases: the token was not generated; its logit is negative; its logit is positive or 0.</details>
#
# ### Typical sampling
#
# The [**surprisal**](../docs/glossary.md#surprisal) of a token is $-\ln p$: improbable tokens have a high surprisal. The entropy is the mean of all surprisals, each
# weighted by its probability. This mean is also called the expected surprisal.
# [**Typical sampling**](../docs/glossary.md#typical-sampling) keeps the tokens whose surprisal is nearest to the entropy, until they have the mass
# `typical_p`. So it may remove the most probable token. Here it removes `▁the`. The cell prints the kept tokens, and `opened=-1` opens the player at
# the last step:

# %%
found = trace_next_token.record(model, tokenizer, gap, "<extra_id_0>", top_k=0, typical_p=0.5)
print(*found.result)
found.play(opened=-1)

# %% [markdown]
# ### Another rule · hard · 12 minutes · importance 2 of 5
#
# Write the filter of typical sampling. It takes a list of probabilities and the number `mass`. It returns the kept tokens as a list in ascending
# order. No two tokens have the same distance from the entropy.


# %% tags=["practice"]
def my_typical(probabilities: list[float], mass: float) -> list[int]:
    """Example: my_typical([0.6, 0.3, 0.1], 0.2) returns [1]."""
    return ...


check.keep_typical(my_typical)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which line of <code>my_top_p</code> decides which tokens come first?</details>
# <details><summary>Hint: a smaller example</summary>For <code>[0.6, 0.3, 0.1]</code>, the surprisals are 0.51, 1.20 and 2.30, and the entropy is 0.90. The second token is the nearest.</details>
# <details><summary>Hint: the structure</summary>Import <code>log</code> from <code>math</code>. First compute the surprisals, then the entropy, a sum with weights. Then use the loop of <code>my_top_p</code> with another key: the <code>abs</code> of a difference.</details>
#
# ### All rules together
#
# A [**logits processor**](../docs/glossary.md#logits-processor) changes the logits before the choice of a token. In `transformers`
# 4.26.1, the processors that only sampling uses are called **warpers**. The next cell uses nearly all processors and prints the number of
# tokens that each one keeps. With `no_repeat_ngram_size=1`, no token may be generated again. These settings are new:
#
# - `bad_words_ids` forbids tokens or sequences of tokens, here the token `▁child`.
# - `min_length=9` forbids `</s>` until the output has 9 tokens. The start token is one of the 9.
# - `epsilon_cutoff` removes the tokens below a fixed probability.
# - `eta_cutoff` does the same, but its limit is lower if the entropy is high.

# %%
child = tokenizer.convert_tokens_to_ids("▁child")
filters = {"top_k": 40, "top_p": 0.9, "typical_p": 0.9, "epsilon_cutoff": 0.05, "eta_cutoff": 0.4}
filters["temperature"] = 1.5
bans = {"repetition_penalty": 1.2, "no_repeat_ngram_size": 1, "bad_words_ids": [[child]], "min_length": 9}
print(trace_next_token.record(model, tokenizer, gap, "<extra_id_0> the doctor and the", **bans, **filters))

# %% [markdown]
# `transformers` 4.26.1 computed the distribution of the next token with 7 sets of rules. Are our probabilities equal?

# %%
theirs = json.loads((data.FOLDER / "t5_sampling.json").read_text(encoding="utf-8"))["possible"]
for each in theirs:
    ours = trace_next_token(model, tokenizer, gap, "<extra_id_0>", **each["rules"])
    print(all(abs(ours[token] - p) < 1e-4 for token, p in each["next"].items()), each["rules"])

# %% [markdown]
# ### Where the tiny T5 is uncertain
#
# For most tokens, the tiny T5 is nearly certain. Greedy search selects one token at each step. For each source text, the next cell finds
# the step at which the selected token is least probable. It prints the 4 most probable tokens of this step. In the Chinese translation,
# `一` starts *one cup* (一个杯子), and `杯子` is *cup* without a number.

# %%
g, letters = data.grammar(), "You read three <extra_id_0>."
for text in task + "The boy has a dog.", task + doctor, g.TO_CHINESE + "She is buying a cup.", gap, letters:
    step = min(trace_sampling.record(model, tokenizer, text), key=lambda step: step.max_probability)
    print(text, *map("{} {:.2f}".format, step.tokens[:4], step.probabilities), sep=" | ")

# %% [markdown]
# ### Is one rule the best?
#
# It depends on what you count. The last row below combines random draws with beam search (lesson `18_beam_search`).
#
# <details><summary>Which rules make no mistake? Which rule finds the most different right answers?</summary>Greedy search, top-p, and beam search with random draws make no mistake here. Sampling without a filter finds the most different right answers, but it also makes mistakes. Beam search with random draws finds only one answer, like greedy search.</details>

# %%
teacher, both = "My friend helped the teacher.", {"top_k": 50, "top_p": 0.7}
for rules in {"answers": 1, "do_sample": False}, {"top_k": 0}, both, {"num_beams": 4} | both:
    answers = sample_many(model, tokenizer, task + teacher, **rules)
    right = [answer for answer in answers if g.is_right(teacher, task, answer)]
    print(f"{len(right)} of {len(answers)} right, {len({*right})} different: {rules}")

# %% [markdown]
# ### To which words the decoder attends
#
# To generate a token, each head of the cross-attention attends to the source. The player below shows head 1 of the last layer, layer 1.
# For `▁Der`, this head attends most to `▁doctor`, and not to `▁The`. For each later token, it attends most to the corresponding source
# token.
#
# <details><summary>Which other heads do this? What does the mean of all heads hide?</summary>In the same layer, head 3 does this for each word after <i>Der</i>. Heads 0 and 2 do it for some words. After <i>Der</i>, the mean of all heads of the last layer also has its largest weight at the corresponding token, but this weight is mostly lower. The mean hides that some heads attend to other tokens, such as the full stop.</details>

# %%
from tokenlab.show.explorers.explore_generation import explore_cross_attention

explore_cross_attention(task + "The doctor is reading a red book.", model, tokenizer, head=1)
