# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Beam search
#
# > **You will be able to** follow the beams of a search; compute which finished text wins and what `length_penalty` changes; say when
# > to sample instead.
# >
# > **Time:** core 35 minutes, practice 47 minutes. **Before this:** `17_greedy_and_sampling`.
#
# <details><summary>Two questions from the last lesson: what does the model give for the next token? Which token does greedy search select?</summary>
#
# The model gives a distribution: a probability for each token. Greedy search selects the most probable token.
# </details>
# <details><summary>Are you ready? A text has three tokens with the probabilities 0.5, 0.5 and 1. What is its probability, and what is the logarithm of its probability?</summary>
#
# The probability is the product, 0.25. Its logarithm is the sum of the three logarithms: ln 0.5 + ln 0.5 + ln 1 = -1.39.
# </details>
# <details><summary>Which number is larger, -6 or -7? Which one is larger, -6/3 or -7/7?</summary>
#
# -6 is larger than -7. But -7/7 = -1 is larger than -6/3 = -2.
# </details>
#
# ## One search, three answers
#
# The tiny T5 fills the gap in *We ___ week*. Greedy search gives no correct sentence, but beam search with 2 beams
# does, unless one of two settings is
# changed:

# %%
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer

model, tokenizer = (kind.from_pretrained(data.t5_tiny()) for kind in (T5ForConditionalGeneration, T5Tokenizer))
gap, two, g = "We <extra_id_0> week.", {"num_beams": 2}, data.grammar()
for rules in {"num_beams": 1}, two, two | {"early_stopping": True}, two | {"length_penalty": 0.0}:
    ids = model.generate(**tokenizer(gap, return_tensors="pt"), **rules, max_length=20)
    print(rules, gap.replace("<extra_id_0>", f"[{tokenizer.decode(ids[0], skip_special_tokens=True)}]"), sep=": ")

# %% [markdown]
# Greedy search takes the best token of each step, although another may lead to a better text.
#
# [**Beam search**](../docs/glossary.md#beam-search) follows $B$ unfinished texts, the [**beams**](../docs/glossary.md#beam) ($B$ is
# `num_beams`). A step extends each beam by every token of the vocabulary. Each extended text $y$ gets its [**cumulative
# log-probability**](../docs/glossary.md#cumulative-log-probability), the sum of the log-probabilities of its tokens:
#
# $$s(y)=\sum_t\ln p(y_t\mid y_{<t},x)$$
#
# ($x$ is the source, and $y_{<t}$ are the tokens before $y_t$.) The $2B$ extended texts with the highest sums are the
# [**candidates**](../docs/glossary.md#candidate). A step needs $2B$, because each beam has one extension by `</s>`,
# and $B$ others have to continue. **The best $B$ candidates that do not end with `</s>` are the beams of the next
# step.** Each new beam copies the tokens and the KV cache of its **parent** beam.
#
# All beams start with the same token, so they would make the same choices. Therefore the first step uses only one
# beam, and the others are **masked** with a sum too low to win.
#
# A text that ends becomes a *hypothesis*, and a *pool* keeps the best. Tick *Predict* and step to the end. Then move
# *num_beams*.

# %%
from tokenlab.show.explorers.explore_generation import explore_beam_search

explore_beam_search(gap, model, tokenizer, num_beams=2, guess=True)

# %% [markdown]
# In step 2, `▁have` is ahead of `▁bought`, and greedy search would only keep `▁have`. But after step 4, `▁bought` is the first word of both
# beams. **A token that is second at one step can be part of the best text.**
#
# ## Finished hypotheses
#
# The lower $B$ candidates are only a reserve. So a candidate that ends with `</s>` becomes a [**finished
# hypothesis**](../docs/glossary.md#finished-hypothesis) only if it is among the best $B$. The **pool** keeps the $B$
# best hypotheses.
#
# ## The length penalty
#
# Each token lowers the sum, so sums favour short texts. Therefore the pool ranks hypotheses by a score, the sum
# divided by a power of the length. The exponent is the [**length penalty**](../docs/glossary.md#length-penalty)
# $\alpha$ (`length_penalty`):
#
# $$\text{score}(y)=\frac{s(y)}{\text{length}(y)^{\alpha}}$$
#
# The length counts the start token and the generated tokens without `</s>`: 5 for *bought two* and its two sentinels.
# Which text has the best sum, and which has the best score ($\alpha=1$)?

# %%
from tokenlab.traces.generation.trace_beam_search import trace_beam_search

found = trace_beam_search.record(model, tokenizer, gap, num_beams=4, num_return_sequences=4)
final, texts = found[-1], found.result.texts
for text, ids, total, score in zip(texts, final.ids, final.totals, final.scores, strict=True):
    print(f"{text:<20} {total:.2f} / {len(ids)} = {score:.2f}")

# %% [markdown]
# *Bought two* has the best sum, but the sentence is wrong. *Bought two hats last* has the best score, because its
# larger divisor brings the negative sum nearer to 0. This advantage of longer texts grows with $\alpha$: **a higher
# `length_penalty` favours longer texts**.
#
# ## When does the search stop?
#
# With `early_stopping=True`, the search is **done** when the pool is full, so *bought two hats last* came too late.
# Otherwise, the search estimates the [**best attainable score**](../docs/glossary.md#best-attainable-score) of its
# beams. It is done when this estimate does not beat the worst score of a full pool.
#
# <details><summary>How does the search estimate what a beam can still reach?</summary>
# It divides the highest sum among the candidates of this step by a power of a length. The length is that of the beams before this step, and the exponent is the length penalty. If the worst score in the pool is at least as high, the search is done. Despite its name, the best attainable score is only an estimate: with a penalty above 0, a beam that grows longer could still get a higher one, but the search does not wait for it.
# </details>
#
# ## The functions themselves
#
# <details><summary>What do the names in the code of beam search mean?</summary><code>eos</code> is the id of <code>&lt;/s&gt;</code>, and <code>running</code> contains the beams of the next step. <code>parent</code> is the number of the beam that a candidate extends, and <code>rank</code> is its place, with 0 for the best candidate. A candidate has one of 4 states. <code>KEPT</code>: it continues. <code>FINISHED</code>: it may enter the pool. <code>EOS_RANK_TOO_LOW</code>: it ends, but it is not among the best <i>B</i>. <code>NOT_NEEDED</code>: <i>B</i> better candidates already continue.</details>
# <details><summary>A candidate ends, is not among the best B, and B better candidates already continue. Two states fit. Which one does it get?</summary><code>NOT_NEEDED</code>, because <code>candidate_status</code> asks first whether <i>B</i> candidates already continue, and only then whether the candidate ends. For the search, both states mean the same: the candidate is dropped.</details>

# %%
from tokenlab import show
from tokenlab.algorithms.decoding.beam_search import candidate_status, select_beams
from tokenlab.algorithms.decoding.stopping_rule import hypothesis_score, stopping_reason

show.source(select_beams, candidate_status, hypothesis_score, stopping_reason)

# %% [markdown]
# ## Where it breaks: more beams, no penalty
#
# We replace all but the first and the last word of a sentence by a gap. An answer is right if the grammar lists the
# filled sentence.
#
# <details><summary>The cell draws 1,000 sentences. Why do fewer gaps remain?</summary>Sentences with the same first and last word become the same text with a gap. The dictionary <code>cut</code> keeps one sentence for each of these texts.</details>

# %%
from random import Random
from re import sub

cut = {sub(" .* ", " <extra_id_0> ", text): text for text in Random(0).sample(sorted(g.sentences()), 1000)}
gaps = sorted(cut)
inputs = tokenizer(gaps, return_tensors="pt", padding=True)
len(gaps), gaps[0], cut[gaps[0]]

# %%
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts


def right(answers):
    return [gap.replace("<extra_id_0>", answer) in g.sentences() for gap, answer in zip(gaps, answers, strict=True)]


was = right(greedy_decode_texts(model, tokenizer, gaps))
f"greedy search: {sum(was)} of {len(gaps)} are right"

# %% [markdown]
# The columns are $\alpha$, the beams, the mean score, the number of tokens, and two comparisons with greedy search:
# how many right answers became wrong, and how many wrong answers became right.

# %%
from itertools import product
from operator import gt, lt

call = dict(inputs, max_length=25, return_dict_in_generate=True, output_scores=True)
for alpha, beams in product((0.0, 1.0), (2, 4, 8)):
    out = model.generate(**call, num_beams=beams, length_penalty=alpha)
    now, length = right(tokenizer.batch_decode(out.sequences, True)), (out.sequences > 1).sum().item()
    print(alpha, beams, f"{out.sequences_scores.mean():.2f}", length, sum(map(gt, was, now)), sum(map(lt, was, now)))

# %% [markdown]
# <details><summary>What do the settings mean?</summary>With <code>return_dict_in_generate=True</code>, <code>generate</code> returns more than the ids. <code>sequences_scores</code> contains the scores of the outputs. With the length penalty 0, they are the sums. To count the tokens, the cell counts the ids above 1, because 0 is the padding and 1 is <code>&lt;/s&gt;</code>.</details>
#
# Without the length penalty, 4 beams find higher sums than 2, but shorter texts, and more answers became wrong than
# right. How often would chance alone give such a difference?
#
# <details><summary>How does the cell compute this?</summary>Suppose that a fair coin decides for each of the 14 changed answers whether it became wrong or right. <code>comb(14, k)</code> of the 2<sup>14</sup> equally probable results have <i>k</i> heads. The cell adds the probabilities of at most 3 heads. The factor 2 is for at most 3 tails, which is just as uneven.</details>

# %%
from math import comb

for lost, won in (11, 3), (6, 21):
    print(lost, won, f"{2 * sum(comb(lost + won, k) for k in range(min(lost, won) + 1)) / 2 ** (lost + won):.3f}")

# %% [markdown]
# Chance alone gives 11 to 3 or more in 6 % of cases. With α = 1, 4 beams lose 6 and win 21: 0.6 %, so this gain is
# hardly chance.
#
# ## Why chat models sample
#
# We compare the texts of beams and samples with the words that were cut.

# %%
import torch

_, written = torch.manual_seed(0), {"beams": model.generate(**inputs, num_beams=4, max_length=25)[:, 1:]}
written["samples"] = model.generate(**inputs, do_sample=True, top_k=0, max_length=25)[:, 1:]
answers = [f"<extra_id_0> {' '.join(cut[gap].split()[1:-1])} <extra_id_1>" for gap in gaps]
written["grammar"] = tokenizer(answers, return_tensors="pt", padding=True).input_ids
{name: tokenizer.batch_decode(ids[:4], True) for name, ids in written.items()}

# %% [markdown]
# The cell prints the mean log-probability of a token, and a rounded number of different words.

# %%
for name, ids in written.items():
    log_p = -model(**inputs, labels=ids.masked_fill(ids == 0, -100)).loss.item()
    words = {word for text in tokenizer.batch_decode(ids, True) for word in text.split()}
    print(f"{name}: {log_p:.1f}, {round(len(words), -1)} words")

# %% [markdown]
# The grammar's own words are much less probable than those of beams, but more varied. So the most probable texts are
# not typical. In a chat, many answers are good, so models sample. A sentence has few good translations, so beams suit
# translation.
#
# <details><summary>Are the texts that people write also less probable than those of beam search?</summary>Holtzman and others (2020) report that they are: their language model gave the texts of people a lower probability than the texts of beam search. The texts of beam search even repeated themselves.</details>
#
# <details><summary>What do B beams cost, and what do B samples cost?</summary>
# Both feed B rows to the decoder in each step, and store the keys and values of B texts. So computing time and cache
# are nearly the same. But samples are independent: each has its own cache, may stop before the others, and may run on
# another machine. The tokens of a sample can be shown immediately. Beams depend on each other: each step compares the
# sums of B · V extended texts (V is the size of the vocabulary) and copies caches from parents. No token is certain
# before the end, since another beam may win. In the end, B samples are B answers, some of which may be equal, and
# from B beams one usually takes only the best.
# </details>
#
# ## Practice
#
# Replace each `...`. A second run with the same mistake shows the rule, and a third the answers and a worked solution.
#
# ### Trace it · easy · 8 minutes · importance 5 of 5
#
# Two beams start as `[0]`. Token 1 ends a text. After `[0]`, the log-probabilities of the tokens 1, 2 and 3 are -1.5, -1 and -2. After
# `[0, 2]`, they are -1, -2 and -3. After `[0, 3]`, they are -2, -0.5 and -6. Which two beams continue after step 1, and
# which after step 2? Give two lists, best first. What is the score of the hypothesis that finishes in step 2
# (`length_penalty` 1)? Is the search done after step 2, without early stopping?

# %% tags=["practice"]
from tokenlab import check

my_first, my_second = ..., ...  # for example [[0, 4], [0, 5]], [[0, 4, 6], [0, 5, 6]]
my_score, my_done = ..., ...  # for example -2.5, True; 2 decimal places are enough

check.beams_by_hand(my_first, my_second, my_score, my_done)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which extended texts have the highest sums in each step? Which of them end?</details>
# <details><summary>Hint: a smaller example</summary>In step 1, the second beam is masked. The first beam has 3 extended texts. They are, best first, <code>[0, 2]</code>, <code>[0, 1]</code> (it ends) and <code>[0, 3]</code>.</details>
# <details><summary>Hint: the structure</summary>In step 2, compute 6 sums: the sum of the beam plus the log-probability of the token. After step 2, the pool has two hypotheses. Compare the worse score with the highest sum of this step, divided by the length of the beams before this step.</details>
#
# ### Find the bug · medium · 6 minutes · importance 4 of 5
#
# With 2 beams, a step has 4 candidates. `top_k_only` uses only the best 2 of them. The two beams have the sums 0 and -1, and token 1 ends a
# text. Write the log-probabilities of the tokens 0, 1 and 2 for each beam, so that only one beam continues.

# %% tags=["practice"]
from tokenlab.misconceptions.beam_search import top_k_only

# A list of 2 lists with 3 numbers. [[-1, -9, -2], [-5, -9, -6]] is no solution: two beams continue.
my_rows = ...

check.bug(top_k_only, my_rows)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many beams continue if one of the two best candidates ends?</details>
# <details><summary>Hint: a smaller example</summary>If token 1 is improbable for both beams, the two best candidates continue.</details>
# <details><summary>Hint: the structure</summary>In the first row, the number in the middle should be the highest number of both rows.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 4 of 5
#
# `my_candidates` puts the sums of all extended texts into one long list: first those of beam 0, then those of beam 1, and so on. `sums` has the
# sum of each beam, and `rows` the log-probabilities of its next tokens. The function returns the candidates, best first, as tuples of beam, token and
# sum. Fill two gaps: the number of candidates, and the beam and the token that belong to an index of the long list.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_candidates(sums: list[float], rows: list[list[float]]) -> list[tuple[int, int, float]]:
    """Example: my_candidates([0], [[-1, -2]]) returns [(0, 0, -1), (0, 1, -2)]."""
    totals = [before + log_p for before, row in zip(sums, rows, strict=True) for log_p in row]
    best = sorted(range(len(totals)), key=lambda index: -totals[index])[:...]
    return [(..., totals[index]) for index in best]


check.beam_candidates(my_candidates)

# %% [markdown]
# <details><summary>Hint: a question</summary>With 3 tokens, which beam and which token does index 4 belong to?</details>
# <details><summary>Hint: a smaller example</summary>With 3 tokens, index 0 is beam 0 and token 0. Index 3 is beam 1 and token 0.</details>
# <details><summary>Hint: the structure</summary>The second gap takes two values, or <code>*divmod(...)</code>.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# Write one step. `beams` is a list of $B$ beams, each a list of ids. `candidates` has $2B$ tuples of beam, token and sum, best first. `eos` is the
# id of `</s>`. Return two lists of pairs of ids and sum: the beams that continue, and the hypotheses that may enter the pool. A hypothesis does
# not contain `eos`.


# %% tags=["practice"]
def my_step(beams: list[list[int]], candidates: list[tuple[int, int, float]], eos: int) -> tuple[list, list]:
    """Example: my_step([[0]], [(0, 1, -1), (0, 7, -2)], 1) returns ([([0, 7], -2)], [([0], -1)])."""
    return ...


check.beam_step(my_step)

# %% [markdown]
# <details><summary>Hint: a question</summary>With 2 beams, the third-best candidate ends with <code>eos</code>. May it enter the pool?</details>
# <details><summary>Hint: a smaller example</summary>For the beam <code>[0]</code>, <code>eos</code> 1 and the candidates <code>(0, 7, -1), (0, 1, -2)</code>: <code>[0, 7]</code> continues. The candidate with <code>eos</code> is only the second-best one, so it does not enter the pool.</details>
# <details><summary>Hint: the structure</summary>Loop over <code>enumerate(candidates)</code>. First ask if the token is <code>eos</code>. If it is, compare its place with the number of beams. If not: do fewer than <code>len(beams)</code> beams continue so far?</details>
#
# ### Another rule · hard · 8 minutes · importance 3 of 5
#
# Today, the library counts the length differently. It counts the generated ids with the final `eos`. The number `prompt` says how many
# ids the decoder was given. These first ids do not count. `hypotheses` are pairs of ids and sum. Here, the ids of a hypothesis contain
# the final `eos`. Return the ids of the hypothesis with the best score.


# %% tags=["practice"]
def my_winner(hypotheses: list[tuple[list[int], float]], prompt: int, length_penalty: float) -> list[int]:
    """Example: my_winner([([0, 1], -2), ([0, 5, 6, 1], -3)], 1, 1) returns [0, 5, 6, 1], with -3/3 against -2/1."""
    return ...


check.beam_winner(my_winner)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of two negative scores is the higher one?</details>
# <details><summary>Hint: a smaller example</summary>With 1 prompt id, <code>[0, 5, 1]</code> has the length 2. With the penalty 0, the divisor is 1.</details>
# <details><summary>Hint: the structure</summary>Use <code>max</code> with a key. The operator <code>**</code> is the power.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Why do chat models sample, although beams find texts with a higher likelihood? Say in the first sentence what beam
# search looks for, in the second what such texts look like, and in the third for which tasks this is right or wrong.
# Write three sentences.
#
# <details><summary>What a good answer contains</summary>
#
# 1. Beam search looks for the text with the highest probability (or score) under the model.
# 2. Such texts use few frequent words, are often short or repeat themselves, and are more probable than the texts
#    that people write.
# 3. That suits tasks with few right answers, such as translation; for a chat, many answers are good, so variety
#    matters more.
# </details>
# <details><summary>Two sample answers</summary>
#
# **Good:** “Beam search looks for the text to which the model gives the highest probability. Such a text is more
# probable than typical texts, so it uses few, frequent words and may repeat itself. For a translation this is right,
# because few texts are correct, but a chat has many good answers, so models sample there.”
#
# **Wrong:** “Beam search looks for the text with the highest sum. Such texts are the most typical ones, because the
# model learned from people's texts. So beams suit every task, and chat models sample only because B beams cost more
# than B samples.” The most probable texts are more probable than what people write, so they are not typical; and B
# samples cost about as much as B beams.
# </details>
#
# ## Exit questions
#
# <details><summary>A program starts all beams with the sum 0 and does not mask any. What do its beams generate?</summary>
# They all generate the same text. All beams hold the same tokens, so the same token is best for each beam. These extended texts have
# equal sums and are the best candidates. The result is that of greedy search.
# </details>
# <details><summary>The outputs are too short. Do you raise or lower length_penalty? What can this setting not repair?</summary>
# Raise it. It ranks the finished hypotheses and also decides when the search stops. But it does not choose the beams: a beam that was
# dropped because of its sum does not come back.
# </details>
# <details><summary>Why does a step with B beams have 2B candidates and not B?</summary>
# In one step, each beam has only one extended text that ends with &lt;/s&gt;. So at most B candidates end. Then B other candidates are
# left to continue.
# </details>
#
# **Summary.** Beams compete by their sums. Finished hypotheses are ranked by the sum divided by a power of the
# length. The search is done when the pool is full and no beam seems able to beat the pool's worst score. Beams find
# probable texts, and samples find varied ones.
#
# **References.** Philipp Koehn and Rebecca Knowles, *Six Challenges for Neural Machine Translation* (2017). Ari
# Holtzman and others, *The Curious Case of
# Neural Text Degeneration* (2020). Felix Stahlberg and Bill Byrne, *On NMT Search Errors and Model Errors: Cat Got
# Your Tongue?* (2019). **Next lesson:** `19_group_and_constrained_beams`. Or build the whole model: `capstone_t5`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A T5 of your own
#
# The explorer works with a real T5. Download a model from the Hugging Face Hub, for example `google-t5/t5-small`, into a folder with the files
# `config.json`, `spiece.model` and `model.safetensors`. Then write:
#
# ```python
# model = T5ForConditionalGeneration.from_pretrained("t5-small").eval()
# tokenizer = T5Tokenizer.from_pretrained("t5-small")
# explore_beam_search("translate English to German: The house is wonderful.", model, tokenizer)
# ```
#
# ### Stopping early, step by step
#
# Compare this search with the explorer. Each step has two printed lines, and beams are numbered from 0.

# %%
print(trace_beam_search.record(model, tokenizer, gap, num_beams=2, early_stopping=True))

# %% [markdown]
# This search stopped after 6 steps (line 12), before *bought two hats last* could finish. The explorer took 8 steps.
#
# ### The same call on the production library
#
# The answers of `transformers` 4.26.1 to 24 calls with beams are stored. How many of ours are equal?

# %%
import json

calls = json.loads((data.FOLDER / "t5_beams.json").read_text(encoding="utf-8"))
sources = [tokenizer(call["text"], return_tensors="pt")["input_ids"] for call in calls]
ours = [model.generate(ids, max_length=40, **call["settings"]) for ids, call in zip(sources, calls, strict=True)]
[ids.tolist() == call["ids"] for ids, call in zip(ours, calls, strict=True)].count(True), len(calls)

# %% [markdown]
# ### More beams in large models
#
# The literature reports that more beams can also harm large translation models (not measured here). Koehn and Knowles
# (2017): with very many beams, the
# quality falls, mostly because the translations become too short. Stahlberg and Byrne (2019): for more than half of
# their sentences, the most probable
# translation is empty.
#
# ### A translation
#
# *Sie werden malen* is the German future tense, "they will draw". *Sie malen* is the present tense, "they draw". With a time such as *heute
# Abend*, "this evening", both can mean *they will draw*. Greedy search and beam search choose different ones. Which text has the higher sum?

# %%
from tokenlab.traces.t5.trace_decoding import trace_token_losses

draw = g.TO_GERMAN + "They will draw a big flower this evening."
for german in greedy_decode_texts(model, tokenizer, [draw])[0], trace_beam_search(model, tokenizer, draw).texts[0]:
    print(f"{-len(tokenizer(german)['input_ids']) * trace_token_losses(model, tokenizer, draw, german):.2f}", german)

# %% [markdown]
# <details><summary>Why does the code multiply <code>trace_token_losses</code> by the negative number of tokens?</summary>
# That function returns the cross-entropy of lesson <code>15_t5_model</code>: the mean of the negative log-probabilities. The mean times the number of
# tokens (with <code>&lt;/s&gt;</code>) is the sum of the negative log-probabilities. Its negative value is the sum of the log-probabilities.
# </details>
#
# Step through the search, and answer the question below.

# %%
trace_beam_search.record(model, tokenizer, draw)

# %% [markdown]
# <details><summary>At which step does the beam that wins become the best one?</summary>At step 8. The beam with <i>werden</i> is the best one before it. Then this beam needs a verb. The model is not sure if it is <i>malen</i> or <i>zeichnen</i>, which both mean "draw". So its sum falls. The beam with <i>Sie malen</i> already has its verb.</details>
#
# ### Three settings of `early_stopping`
#
# `transformers` 4.26.1 does not know `early_stopping="never"`. In Python, a non-empty string such as `"never"` counts as true. So 4.26.1
# treats it like `True`. With `"never"` and $\alpha>0$, later versions divide the best sum by a power of the *maximum* length. They stop
# when even this score would not beat the worst hypothesis. The setting `length_counts="eos"` of this kit selects the rules of these
# versions. The authors of the library [describe](https://github.com/huggingface/transformers/pull/21368) the three settings.

# %%
for rule, counts in ((True, "prompt"), (False, "prompt"), ("never", "prompt"), ("never", "eos")):
    run = trace_beam_search.record(model, tokenizer, gap, num_beams=2, early_stopping=rule, length_counts=counts)
    print(f"{rule!s:<6} {counts:<7} {len(run) // 2} steps: {run.result.texts[0]} {run[-1].scores[0]:.3f}")

# %% [markdown]
# `False` is a middle way: the best sum is divided by a power of the current length. A longer text could still get a better score, but `False`
# does not wait for it.
#
# ### How long is a text?
#
# Version 4.26.1 counts the generated tokens and the **prompt**, the tokens that the decoder is given, but not `</s>`.
# Since version 4.36, `transformers` counts the generated tokens and `</s>`, but not the prompt. With the start token
# alone, both
# give the same length. With a longer prompt, the lengths of 4.26.1 are too large. Here the decoder starts with *Die*.
# Both outputs say *the teacher repaired the
# black bicycle last week*. German can say *repaired* with one word (*reparierte*) or with two (*hat ... repariert*).

# %%
black = g.TO_GERMAN + "The teacher repaired the black bicycle last week."
start = torch.tensor([[model.config.decoder_start_token_id, tokenizer.convert_tokens_to_ids("▁Die")]])
for counts in ("prompt", "eos"):
    run = trace_beam_search.record(model, tokenizer, black, length_counts=counts, decoder_input_ids=start)
    print(f"{counts:<7}", [f"{score:.4f}" for score in run[-1].scores[:2]], run.result.texts[0])

# %% [markdown]
# Compare both searches. The candidates and sums are equal, and the scores in the pool differ. Today's versions compute the best attainable score
# only from the beams that continue. Version 4.26.1 also uses candidates that have just ended. So the search with the rules of today is done one
# step earlier.

# %%
run.diff(trace_beam_search.record(model, tokenizer, black, decoder_input_ids=start))

# %% [markdown]
# ### Padding
#
# The outputs of several texts are rows of one table. So shorter outputs are padded. Version 4.26.1 pads with `<pad>`,
# which has the id 0 in a T5. For beams, `transformers` 5 computes `pad_token_id or eos_token_id`. In Python,
# `0 or 1` is 1. The first line below is our output, the second one shows the padding of version 5. The German tokens mean *we are reading the books*.

# %%
both = tokenizer([g.TO_GERMAN + "We are reading the books.", black], return_tensors="pt", padding=True)
shorter = model.generate(**both, num_beams=2, max_length=40)[0].tolist()
end = shorter.index(tokenizer.eos_token_id) + 1
for fill in (tokenizer.pad_token_id, tokenizer.pad_token_id or tokenizer.eos_token_id):
    print(*tokenizer.convert_ids_to_tokens(shorter[1:end] + [fill] * len(shorter[end:])))

# %% [markdown]
# A program that looks for `<pad>` to find the end fails with version 5. The first `</s>` is the end in both.
#
# ### A penalty that goes too far
#
# With a high length penalty and `early_stopping="never"` (here with the rules of today), a text can win just because it is long:

# %%
for penalty in (1.0, 5.0):
    texts = trace_beam_search(model, tokenizer, gap, 4, penalty, "never", length_counts="eos", max_length=20).texts
    print(penalty, texts)

# %% [markdown]
# ### Repetition
#
# After some repetitions, a model predicts the next repetition with a high probability. Each repeated token lowers the sum only a little, and
# increases the length. So a repeated text can have the best score. Here the source is not a sentence of the training
# data. The last row uses a `repetition_penalty` (lesson
# `17_greedy_and_sampling`).

# %%
strange = "<extra_id_0> My big horse. my in"
for beams, penalty in ((2, 1.0), (8, 1.0), (8, 3.0)):
    run = trace_beam_search.record(model, tokenizer, strange, beams, repetition_penalty=penalty, max_length=30)
    total, length = run[-1].totals[0], len(run[-1].ids[0])
    print(beams, penalty, f"{total:.2f} / {length} = {total / length:.3f}", run.result.texts[0])

# %% [markdown]
# ### A common mistake: tokens are appended to the wrong beam
#
# Two candidates may extend the same beam. Then another beam has no candidate that continues. A new beam must copy the ids and the KV cache of
# the beam that it extends, its **parent**. Here both candidates extend the second beam. The program `no_reorder`
# appends the tokens to the beams in their old order.

# %%
from tokenlab.algorithms.decoding.beam_search import Candidate
from tokenlab.misconceptions.beam_search import no_reorder

given = [("We", "have"), ("We", "bought")], [Candidate(1, "two", -1.0), Candidate(1, "three", -2.0)], "</s>"
{program.__name__: program(*given)[0] for program in (no_reorder, select_beams)}

# %% [markdown]
# ### The library's loop
#
# All beams are rows of one batch. For each source, the sums of all extended texts are in one long list. An index in this list is the
# number of the beam times the size of the vocabulary, plus the id of the token. The [**beam scorer**](../docs/glossary.md#beam-scorer)
# selects the beams and keeps the finished hypotheses. `model.generate` runs this loop if `num_beams` is above 1, and the decoder in it is
# `T5IncrementalDecoder`. A **stopping criterion**, such as a maximum length, can end the search before it is
# done.
#
# <details><summary>Where does the loop give each new beam the KV cache of its parent?</summary>In the line with <code>state.reorder_cache(parents)</code>.</details>

# %%
from tokenlab.libraries.transformers.generation.beam_loops import BeamDecodingState, beam_loop, beam_search

show.source(beam_search, BeamDecodingState.best_candidates, beam_loop)

# %% [markdown]
# ### Details of 4.26.1
#
# - A masked beam starts with the sum -1,000,000,000, not with minus infinity. With minus infinity, a later subtraction could give `nan`
#   ("not a number").
# - With two `eos` ids, $2B$ candidates may be too few. Then 4.26.1 raises an error.
# - If the worst score equals the best attainable score, the search is done.
# - If a stopping criterion ends the search, the unfinished beams also enter the pool.
# - With one beam, beam search is greedy search. But the beam scorer refuses one beam:

# %%
from tokenlab.libraries.transformers.generation.beam_scorer import BeamSearchScorer

try:
    BeamSearchScorer(batch_size=1, num_beams=1, device="cpu")
except ValueError as error:
    print(error)

# %% [markdown]
# ### The whole algorithm on one page
#
# The file `tokenlab/minimal/beam_search.py` contains the whole search, with the pool of hypotheses and the length penalty. It works with
# any function that returns the log-probabilities of the next token, so it needs no model.

# %%
from tokenlab import show
from tokenlab.minimal import beam_search

show.source(beam_search)
