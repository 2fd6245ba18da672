# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # T5's pre-training
#
# > **You will be able to** corrupt a text by hand as in T5's pre-training; compute the lengths of its input and target; write
# > one step of a training loop; show that pre-training helps.
# >
# > **Time:** core 35 minutes, practice 60 minutes (and 12 in *Go further*). **Before this:** `15_t5_model`.
#
# <details><summary>Two questions from the last lesson: what does the decoder read during training? What prevents it from copying the label?</summary>
#
# The decoder reads the labels shifted right by one position, with the start token in front. The causal mask hides the later positions, so no
# position can copy its label.
# </details>
#
# ## A gap in a sentence
#
# The model BERT fills a gap that is marked by the token `[MASK]`, and users [want the same from a
# T5](https://github.com/huggingface/transformers/issues/3985). The cell marks a gap first by `[MASK]`, then by T5's own token:

# %%
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts

# For a T5 of your own, replace data.t5_tiny() by the path of its folder, in both lines, for example "my-t5".
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
gaps = [f"The boy is buying a {gap} umbrella." for gap in ("[MASK]", "<extra_id_0>")]
dict(zip(gaps, greedy_decode_texts(model, tokenizer, gaps, skip_special_tokens=False), strict=True))

# %% [markdown]
# For a T5, `[MASK]` is ordinary text and marks no gap, so the model does a different task: it translates, and invents
# that the umbrella is red (*roten*). The second output fills the gap with `new`.
#
# In its [**pre-training**](../docs/glossary.md#pre-training), a T5 learns to fill gaps. This needs only texts,
# without answers written by people. [**Fine-tuning**](../docs/glossary.md#fine-tuning) then trains it on tasks.
#
# <details><summary>How was the tiny T5 trained?</summary>In its first 600 steps, every example was a text with gaps. In the other 9,400 steps, about a seventh of the examples had gaps, and the rest were tasks such as translation.</details>
#
# T5's pre-training is [**span corruption**](../docs/glossary.md#span-corruption). The layers and the loss are the
# same as for a translation, while the source and the labels differ.
#
# **Span corruption makes an input (the source) and a target from any text, by removing some tokens.** The removed
# tokens are the **noise**, and a **span** is a run of adjacent noise tokens. A
# [**sentinel**](../docs/glossary.md#sentinel) is a token that occurs in no ordinary text. In the input, one sentinel
# replaces each span. The target is the opposite: it contains the spans, and one sentinel replaces each run of *kept*
# tokens. For example, *is buying* and *dog* are noise in *The boy is buying a dog*:
#
# ```
# input:  The boy <extra_id_0> a <extra_id_1> </s>
# target: <extra_id_0> is buying <extra_id_1> dog </s>
# ```
#
# Type a text and move the sliders.

# %%
from tokenlab.show.explorers.explore_pretraining import explore_span_corruption

text = "My sister is buying a red umbrella. The boy gave her a flower."
explore_span_corruption(text, tokenizer, noise_density=0.3, mean_span_length=2.0)

# %% [markdown]
# <details><summary>A text begins with a kept token. In the input, <code>&lt;extra_id_0&gt;</code> marks the first gap. Where in the target are the tokens of this gap?</summary>
# They follow <code>&lt;extra_id_0&gt;</code>. In the example, these tokens are <i>is buying</i>.
# </details>
#
# ## The lengths
#
# The [**noise density**](../docs/glossary.md#noise-density) $r$ is the share of noise, and $\mu$ is the mean length
# of a span. In a text of $n\ge2$ tokens, they determine the number $m$ of noise tokens and the number $s$ of spans:
#
# $$ m=\mathrm{round}(rn),\quad s=\mathrm{round}(m/\mu),\quad n_{input}=n-m+s+1,\quad n_{target}=m+s+1 $$
#
# T5 uses $r=0.15$ and $\mu=3$. If $m$ or $s$ is 0, it becomes 1.
#
# <details><summary>Where do the two lengths come from?</summary>
# The input loses m tokens, but gets s sentinels. The target has m tokens and s sentinels, if the text begins with a
# kept token and ends with noise. Both end with <code>&lt;/s&gt;</code>, the 1 in the formulas.
# </details>
# <details><summary>In the player, 0.3 of 15 tokens are 4.5 tokens. Why are 4 tokens noise?</summary>
# 4.5 is halfway between 4 and 5. In this case, Python's <code>round</code> takes the even one of the two numbers, 4.
# </details>
# <details><summary>Why is a short target useful?</summary>
# The decoder predicts fewer tokens, so it has less to compute.
# </details>
#
# ## The function itself
#
# The **noise mask** has `True` for each noise token. With this mask, `corrupt` makes the input and the target.

# %%
from tokenlab import show
from tokenlab.algorithms.training_data.span_corruption import corrupt, noise_mask

show.source(noise_mask, corrupt)

# %% [markdown]
# ## One format for all tasks
#
# Span corruption makes a pair of texts, and a translation is also such a pair. So one T5 can learn all tasks with one loss: a **prefix** of
# the input, such as `translate English to German:`, names the task.
#
# ## One step of training
#
# A model's parameters, here called **weights**, are random at first. Training moves them so that the loss falls. The
# [**gradient**](../docs/glossary.md#gradient) contains one number for each weight: how fast the loss grows if this
# weight grows. So the [**optimizer**](../docs/glossary.md#optimizer) moves each weight in the opposite direction: it
# subtracts this number, times a small factor, the [**learning rate**](../docs/glossary.md#learning-rate). The cell
# shows a step for one weight $w$ and the loss $(2w-2)^2$, which is 0 at $w=1$.

# %%
import torch

weight = torch.tensor(3.0, requires_grad=True)
loss = (2 * weight - 2) ** 2
loss.backward()  # computes the gradient
new = weight.item() - 0.1 * weight.grad.item()  # the learning rate is 0.1
print(f"loss {loss.item():.1f}, gradient {weight.grad.item():.1f}, weight {new:.1f}, loss {(2 * new - 2) ** 2:.2f}")

# %% [markdown]
# <details><summary>What is the new loss with the learning rate 0.3? What does this say about learning rates?</summary>
# The new weight is 3 - 0.3 · 16 = -1.8, and the loss grows to 31.4. With too high a rate, a step goes too far. With
# too low a rate, training takes too long.
# </details>
#
# The loop below trained the tiny T5. It adds [**clipping**](../docs/glossary.md#gradient-clipping): one strange batch
# may have a huge gradient, so a gradient vector longer than 1 is shortened to 1.
#
# <details><summary>What does each line of the loop do?</summary>
#
# <code>model.train()</code> tells the model that it is being trained. Each round of the loop takes one batch and one learning rate, and sets this
# rate in the optimizer. <code>.loss</code> is the loss of the batch, and <code>backward</code> computes the gradient.
# <code>clip_grad_norm_</code> clips it. <code>optimizer.step</code> moves the weights. <code>zero_grad</code> deletes the gradient, because <code>backward</code> of the
# next round would add to it. <code>yield</code> reports the step.
# </details>

# %%
from tokenlab.libraries.transformers.training_loop import pad_batch, train_model

show.source(train_model)

# %% [markdown]
# ## Does pre-training help?
#
# In our experiment, the source is a German noun, and the target is its article: *einen*, *eine* or *ein*. Only 6 of 15 nouns are
# labelled, so the other 9 can test a model. All 15 nouns occur in German texts without labels. Two **pupils**, small T5s with the same
# random weights, learn the 6 labelled nouns. Before that, one of them trains on span corruption of these texts.

# %% tags=["nbval-ignore-output"]
from re import search
from statistics import mean
from tokenlab.libraries.transformers.training_loop import possession_sentence_pairs, train_on, untrained_t5
from tokenlab.traces.t5.trace_text_to_text import span_corruption_pairs

texts = [german for _, german in possession_sentence_pairs() if not search("zwei|drei|vier", german)]
starts = {"random": untrained_t5(tokenizer), "pre-trained": untrained_t5(tokenizer)}
gaps = span_corruption_pairs(texts, tokenizer, 0.3, 2.0, random_roll=True)
losses = train_on(starts["pre-trained"], gaps, steps=600, seed=2)
print(texts[1], *(f"{mean(losses[first : first + 100]):.1f}" for first in range(0, 600, 100)), sep=" | ")

# %% [markdown]
# The numbers are mean losses of 100 steps each. Now both pupils learn 6 labelled nouns, in 4 separate runs that draw different nouns. Which
# articles do they write for the 9 new nouns of the first run? (Details depend on the processor.)

# %% tags=["nbval-ignore-output"]
from tokenlab.traces.t5.article_task import ARTICLES, articles_after

answers = {name: [articles_after(start, tokenizer, seed) for seed in range(4)] for name, start in starts.items()}
right = {name: sum(run[n] == ARTICLES[n] for run in runs for n in run) for name, runs in answers.items()}
for name, runs in answers.items():
    print(f"{name}, {right[name]} of 36 right", *(f"{article} {noun}" for noun, article in runs[0].items()), sep=", ")

# %%
"pre-training gives at least 8 more right answers of 36:", right["pre-trained"] >= right["random"] + 8

# %% [markdown]
# Guessing would give 12 of 36, so only the pre-trained pupil is better than chance. The reason may be the texts, or only its 600 additional
# steps. A third pupil, trained on the same texts with shuffled articles, could show which.
#
# <details><summary>Which other kinds of pre-training exist, and how do they differ from span corruption?</summary>
# With <i>span corruption</i>, the model reads both sides of a gap and writes only the spans, so the targets are short. It needs an
# encoder and a decoder. <i>Masked language modelling</i> (BERT) replaces single tokens by <code>[MASK]</code>, and an encoder alone
# predicts each of them in its place. Such a model is not made to generate a text token by token. <i>Causal language modelling</i> (GPT)
# predicts each token from the tokens before it. Every token contributes to the loss, and the model can generate texts, but no token
# sees what follows. To compare them, keep texts, parameters and computing time equal, and measure the same task after the same
# fine-tuning.
# </details>
#
# ## Where it breaks
#
# Labels of -100 fill the shorter targets of a batch, and the loss ignores them. But in AllenNLP's T5, [the padding was part of the
# loss](https://github.com/allenai/allennlp/issues/5342). The cell prints the loss of two translations, first with labels of -100, then
# with the padding id 0.

# %%
english = [f"translate English to German: {text}" for text in ("I have a dog.", "My sister is buying a red umbrella.")]
german = ["Ich habe einen Hund.", "Meine Schwester kauft einen roten Regenschirm."]
batch = pad_batch(list(zip(tokenizer(english).input_ids, tokenizer(german).input_ids, strict=True)))
for labels in batch["labels"], batch["labels"].clamp(min=0):
    print(f"{model(**batch | {'labels': labels}).loss.item():.2f}", labels.tolist())

# %% [markdown]
# The second loss includes two labels of 0, which the model was never trained to predict. So this loss depends on the amount of padding.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# The text is *you are kindly invited to the party tonight*. The words *kindly*, *invited* and *tonight* are noise. The sentinels are
# `X`, `Y` and `Z`, in this order. Give the input and the target: two strings, with a space between tokens and `</s>` at the end.

# %% tags=["practice"]
from tokenlab import check

my_input, my_target = ..., ...  # for example "you X </s>", "X are </s>"

check.sides_by_hand(my_input, my_target)

# %% [markdown]
# <details><summary>Hint: a question</summary>Two of the three noise words are adjacent. How many spans are there?</details>
# <details><summary>Hint: a smaller example</summary>The text is <i>a cup of tea</i>, and <i>cup of</i> is noise. The input is <code>a X tea &lt;/s&gt;</code>, and the target is <code>X cup of Y &lt;/s&gt;</code>.</details>
# <details><summary>Hint: the structure</summary>Go through the text from left to right. For each kept run, write the run to the input and one sentinel to the target. For each noise run, do the opposite.</details>
#
# ### Find the bug · medium · 8 minutes · importance 3 of 5
#
# If the text ends with kept words, the target ends with a sentinel and `</s>`, as in the figure of T5's paper.
# `always_final_sentinel` writes this sentinel into every target. Find a list of words and a mask
# for which the target of this function is wrong. The mask is a list with `True` for noise and `False` for a kept word.

# %% tags=["practice"]
from tokenlab.misconceptions.span_corruption import always_final_sentinel

my_words, my_mask = ..., ...  # for example ["a", "cup", "of", "tea"], [False, True, True, False]

check.bug(always_final_sentinel, my_words, my_mask)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does a sentinel in the target replace?</details>
# <details><summary>Hint: a smaller example</summary>The text is <i>a cup</i>, and <i>a</i> is noise. The target ends with a sentinel for <i>cup</i>, which is correct.</details>
# <details><summary>Hint: the structure</summary>Two words are enough. No kept word may follow the last span.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 4 of 5
#
# `my_input_of` returns the corrupted input, a list of strings. `tokens` and `sentinels` are lists of strings. `mask`
# is a list with `True` for noise, and its
# first value is `False`. For example, `["a", "b", "c"]`, `[False, True, True]` and `["X", "Y"]` give `["a", "X", "</s>"]`.


# %% tags=["practice"]
def my_input_of(tokens, mask, sentinels):
    inputs, used = [], 0
    for place, token in enumerate(tokens):
        if not mask[place]:
            inputs.append(token)
        elif ...:
            inputs.append(sentinels[used])
            used += ...
    return [*inputs, "</s>"]


check.corrupted_input(my_input_of)

# %% [markdown]
# <details><summary>Hint: a question</summary>How can you tell that a noise token is the first of its span?</details>
# <details><summary>Hint: a smaller example</summary>The text is <i>a b c</i>, and <i>b c</i> is noise. The program writes a sentinel at <i>b</i> and nothing at <i>c</i>.</details>
# <details><summary>Hint: the structure</summary>After <code>elif</code>, write a condition on the previous position of the mask. After <code>+=</code>, write a number.</details>
#
# ### Write it · medium · 12 minutes · importance 5 of 5
#
# Write the function that returns the target of a text. The target is a list of ids. `ids` is the list of the ids of
# the text. `mask` has `True` for noise, and its first value is `False`. `top` is the id
# of the first sentinel, and the
# ids of the next ones count down. The id of `</s>` is 1. For example, `my_target_of([7, 8, 9, 10], [False, True,
# True, False], 999)` returns `[999, 8, 9, 998, 1]`.


# %% tags=["practice"]
def my_target_of(ids, mask, top):
    return ...


check.corrupted_target(my_target_of)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the id of the second sentinel?</details>
# <details><summary>Hint: a smaller example</summary>If all tokens are kept, the target is <code>[top, 1]</code>.</details>
# <details><summary>Hint: the structure</summary>Loop over the ids and the mask together. Write a sentinel at the first token of each kept run, and write every noise token.</details>
#
# ### Another rule · hard · 12 minutes · importance 3 of 5
#
# Put the model's output into the gaps. `question` and `answer` are lists of tokens that end with `</s>`. The answer contains only `</s>`, or
# it begins with a sentinel. A sentinel occurs at most once in the answer. The sentinels of the answer may be in any order. In the answer, the
# tokens of a sentinel are all tokens between it and the next sentinel or `</s>`.
# Return the question, with each sentinel replaced by its tokens.
# If the answer lacks a sentinel of the question, this sentinel stays in the question. For example, `["a", "<extra_id_0>", "tea", "</s>"]` and
# `["<extra_id_0>", "large", "</s>"]` give `["a", "large", "tea", "</s>"]`.


# %% tags=["practice"]
def my_fill(question, answer):
    return ...


check.filled(my_fill)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where do the tokens for one gap begin in the answer, and where do they end?</details>
# <details><summary>Hint: a smaller example</summary>If the answer is only <code>&lt;/s&gt;</code>, the function returns the question unchanged.</details>
# <details><summary>Hint: the structure</summary>First make a dict from each sentinel to the list of tokens after it. Then go through the question. <code>token.startswith("&lt;extra_id_")</code> is true for a sentinel.</details>
#
# ### More practice: one training step · medium · 10 minutes · importance 5 of 5
#
# Write one step of the loop. `model(**batch).loss` is the loss of a batch, a tensor. `optimizer` is an optimizer of PyTorch with
# `param_groups`, `step()` and `zero_grad()`. Use the learning rate `rate`, and clip the gradient of all parameters to the length 1. Change the
# model, and return the loss before the step as a number. Example: the weight is 1, the loss $w^2$, and the optimizer
# subtracts rate times gradient. The gradient 2 is clipped to 1, so the rate 0.1 gives the weight 0.9, and the call
# returns 1.


# %% tags=["practice"]
from torch.nn.utils import clip_grad_norm_


def my_train_step(model, optimizer, batch, rate):
    return ...


check.train_step(my_train_step)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which lines need the gradient? When may it be deleted?</details>
# <details><summary>Hint: a smaller example</summary>If <code>zero_grad</code> is missing, the second call uses the sum of two gradients.</details>
# <details><summary>Hint: the structure</summary>Write six lines: set <code>group["lr"]</code> of each group in <code>optimizer.param_groups</code>; compute the loss; <code>loss.backward()</code>; <code>clip_grad_norm_(model.parameters(), max_norm=1.0)</code>; <code>optimizer.step()</code>; <code>optimizer.zero_grad()</code>. Return <code>loss.item()</code>.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A colleague doubts that pre-training helps. Say in the first sentence which two models you would compare, in the
# second what must be equal for both, and in the third which result would convince you. Write three sentences.
#
# <details><summary>What a good answer contains</summary>
#
# 1. One model starts from random weights, the other from weights pre-trained on unlabelled texts; both are then
#    fine-tuned on the same few labelled pairs.
# 2. Equal are the size, the labelled pairs, the fine-tuning steps and the test examples, which neither model has seen
#    with a label.
# 3. In several runs, the pre-trained model is right clearly more often on new examples, by more than the runs differ.
# </details>
# <details><summary>Two sample answers</summary>
#
# **Good:** “I compare a model with random weights and one pre-trained with span corruption, and fine-tune both on the
# same 6 labelled nouns. Both have the same layers, labels, number of fine-tuning steps and new nouns for the test. If
# the pre-trained one is right much more often in every run, pre-training helps.”
#
# **Wrong:** “I compare the losses of both models while they learn the labelled pairs. They must have the same
# learning rate. If the loss of the pre-trained model reaches 0, pre-training helps.” A low loss on the 6 labelled
# nouns only says that they were learned by heart; new nouns are the test.
# </details>
#
# ## Exit questions
#
# <details><summary>Who wrote the targets of span corruption?</summary>
# Nobody wrote them. They are parts of the texts.
# </details>
# <details><summary>Why is there one sentinel for a whole span, and not one for each of its tokens?</summary>
# The model must also predict the length of the span. And the input becomes shorter, because it has one token for the whole span.
# </details>
# <details><summary>You want to fine-tune a T5 for a new task. Does the model need other layers?</summary>
# No, it keeps its layers. You need a prefix and pairs of input and target. Training changes only the weights of the
# model.
# </details>
#
# **Summary.** Span corruption replaces each span of a text by one sentinel, and the target contains the spans. Every task of a T5 has the same
# format: an input text and a target text. A training step moves the weights against the gradient of the loss. After
# pre-training, a few labels help more.
#
# **References.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text
# Transformer*, sections 3.1.4 and 3.3.4. **Next
# lesson:** `17_greedy_and_sampling`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### More practice: draw the mask · hard · 12 minutes · importance 2 of 5
#
# Draw a noise mask. `kept`, `noise` and `spans` are the numbers of kept tokens, noise tokens and spans. Return a list with `True` for noise.
# It has `spans` runs of kept tokens
# and `spans` runs of noise. The runs alternate: kept, noise, kept, noise, and so on. All ways to divide the tokens into runs have the same
# probability. `random` is a `random.Random`. For
# example, `my_mask_of(2, 1, 1, random)` returns `[False, False, True]`. The check draws many masks and counts how often each mask occurs.


# %% tags=["practice"]
def my_mask_of(kept, noise, spans, random):
    return ...


check.masks_drawn(my_mask_of)

# %% [markdown]
# <details><summary>Hint: a question</summary>You can split 4 tokens at 3 positions. How many of these positions do you need for 2 runs?</details>
# <details><summary>Hint: a smaller example</summary>To divide 3 kept tokens into 2 runs, split after the first or after the second token, each with probability 1/2.</details>
# <details><summary>Hint: the structure</summary>Draw positions with <code>random.sample</code>, sort them, and take the differences. Do this once for the kept tokens and once for the noise.</details>
#
# ### A random decision for each token
#
# A simpler method decides for each token independently whether it is noise. The experiments of T5's paper start with this method. BERT fixes
# the number of masked tokens, but not
# the number of spans. The cell draws 10 masks of 100 tokens with each method, and prints the number of noise tokens and of spans.

# %%
from itertools import groupby
from random import Random
from tokenlab.misconceptions.span_corruption import mask_each_token

for name, draw in ("each token", mask_each_token), ("spans", noise_mask):
    masks = [draw(100, Random(seed)) for seed in range(10)]
    spans = [sum(noisy for noisy, _ in groupby(mask)) for mask in masks]
    print(name, "| noise tokens:", *map(sum, masks), "| spans:", *spans)

# %% [markdown]
# With the first method, both numbers vary, so the input length cannot be fixed in advance. And most spans of this method have a single token.
#
# ### The end of every text
#
# Kept runs and noise runs alternate, and a kept run is first. In how many of 100 masks is the last token noise?

# %%
sum(noise_mask(20, Random(seed))[-1] for seed in range(100))

# %% [markdown]
# The last token is noise in all of them. A text of 20 tokens has 3 noise tokens in one span, at the end. All short
# texts have their only gap at the end. A model that is trained only on such texts never practises a gap in the
# middle. T5's code has an option against this, `random_roll`: it moves the mask to the right by a random number of
# positions. The values that are pushed out at the end are put at the start. The tiny T5 was trained with this option,
# with a noise density of 0.3 and with a mean span of 2.
#
# After such a move, one of the two formulas for the lengths may not hold. If the first and the last token are both kept, the text has $s+1$
# kept runs. Then the target has one sentinel more than the formula says. If the first and the last token are both noise, the move has split a
# span into two parts. Then the input has one sentinel more than the formula says.
#
# The pre-training of T5's first version also included tasks with answers. Version 1.1 was pre-trained on span corruption only.
#
# ### The text can be reconstructed
#
# The input and the target together contain the whole text:

# %%
from tokenlab.algorithms.training_data.span_corruption import reconstruct

read, written = span_corruption_pairs(["The boy gave my sister a red umbrella."], tokenizer, 0.4, 1.5)(Random(4))
print(read, written, sep="\n")
tokenizer.decode(reconstruct(read, written, tokenizer.get_sentinel_token_ids()))

# %% [markdown]
# ### One model, several tasks
#
# The tiny T5 learned from a **grammar**, a program that lists sentences and all their correct outputs. Change the person (my sister, Anna),
# the verb (reading, drawing) or the thing (a dog, a book). A ✓ means that the grammar lists the output.

# %%
from tokenlab.show.explorers.explore_pretraining import explore_text_to_text

explore_text_to_text("The boy is buying a red umbrella.", model, tokenizer)

# %% [markdown]
# Now type *The elephant sings.* The grammar has no elephant, so the outputs get no ✓. Only `statement` is right.
#
# <details><summary>For the task <i>which is it</i>, the model reads the sentence without its last character. Why?</summary>
# The last character is a full stop or a question mark. It would tell the model the answer.
# </details>
#
# ### Which text gives an input of 512 tokens?
#
# The text is longer than the input, because one sentinel replaces several tokens.

# %%
from tokenlab.algorithms.training_data.span_corruption import source_length

source_length.record(512)

# %% [markdown]
# ### Ids, and the same call on the production library
#
# The SentencePiece model of a T5 has no sentinels. The tokenizer adds 100 sentinels with the 100 highest ids. The ids
# **count down**: `<extra_id_0>` has the highest id, and `<extra_id_1>` the next lower id. A training script of
# `transformers` [used the opposite order](https://github.com/huggingface/transformers/issues/14282). Does
# `transformers` 4.26.1 give the same ids as our tokenizer?

# %%
import json

theirs = json.loads((data.FOLDER / "t5_pretraining.json").read_text(encoding="utf-8"))
print("the same ids:", tokenizer(theirs["texts"])["input_ids"] == theirs["input_ids"], "| ids:", len(tokenizer))
ids = tokenizer(theirs["texts"][2])["input_ids"]
dict(zip(tokenizer.convert_ids_to_tokens(ids), ids, strict=True))

# %% [markdown]
# ### The lengths in T5's own tests
#
# T5's data code is not installed here. The stored numbers are the lengths that its tests expect. Does our formula give the same ones?

# %%
ours = [source_length(*expected[:3]) for expected in theirs["lengths"]]
[(each, each == tuple(expected[3:])) for each, expected in zip(ours, theirs["lengths"], strict=True)]

# %% [markdown]
# ### A common mistake: a token for the beginning of the text
#
# Some tokenizers add a token `<BOS>`, "beginning of sentence". Suppose that somebody expects this token, with the id 0, from a T5. Which ids
# do the tokenizer and the model give for two texts?

# %%
labels = pad_batch([(ids, ids) for ids in theirs["input_ids"][:2]])["labels"]
print("the texts and their labels:", *theirs["texts"][:2], *labels.tolist(), sep="\n  ")
print("the decoder input:", *model._shift_right(labels).tolist(), sep="\n  ")
shifted = model._shift_right(labels.new_tensor(theirs["labels"])).tolist()
print("the same in transformers:", shifted == theirs["decoder_input_ids"])

# %% [markdown]
# The tokenizer adds no 0. Every text ends with `</s>`, the id 1. The id 0 is `<pad>`. The model puts `<pad>` in front of the shifted labels.
# It also reads `<pad>` where a label is -100.
#
# ### What the tiny T5 knows
#
# The grammar lists all correct outputs, so a program can count the errors. The **model card**, a text that comes with a model, says how the
# model was trained. The card also says how many outputs were correct for sentences that the model had never read.
# The card calls the weights *parameters*. The *seed* determines the random numbers, *Adafactor* is an optimizer, and
# *float32* is a number of 32 bits.

# %%
from IPython.display import Markdown

card = (data.t5_tiny() / "README.md").read_text(encoding="utf-8")
Markdown(card.partition("\n")[2].replace("\n## ", "\n#### "))

# %% [markdown]
# Here are sentences that are not in the grammar:

# %%
outside = ["The elephant sings.", "I love you.", "the boy has a dog", "The dog has a boy."]
answers = greedy_decode_texts(model, tokenizer, [data.grammar().TO_GERMAN + text for text in outside])
dict(zip(outside, answers, strict=True))

# %% [markdown]
# `Der Mann macht müde.` means "The man makes tired". The second output contains words that do not exist. `Der Junge
# hat einen Hund.` means "The boy has a dog". It is correct for
# the third sentence and wrong for the fourth.
#
# ### Several processes, or a GPU
#
# `make t5-tiny` runs the script `data/t5-tiny/train.py`, which uses the same training loop. A **GPU** is a processor
# that computes many numbers at the same time. A **device** is a usual processor or a GPU. Each device computes the
# gradients of its own part of the batch, and their mean must then be computed. Accelerate, a library of Hugging Face,
# computes this mean. The script passes the model and the optimizer to Accelerate, and uses its `backward`. A part with
# few tokens must not count as much as a part with many tokens. So `WholeBatchLoss` multiplies the loss of each part by
# its share of the tokens, and several processes learn the same as one.
#
# ```
# make t5-tiny                                                 # one process
# accelerate launch data/t5-tiny/train.py                      # a GPU, if there is one
# accelerate launch --num_processes 2 data/t5-tiny/train.py    # two GPUs
# ACCELERATE_USE_CPU=1 torchrun --standalone --nproc-per-node 2 data/t5-tiny/train.py    # two processes without a GPU
# ```
