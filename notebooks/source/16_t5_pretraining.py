# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # T5's pre-training
#
# > **You will be able to** corrupt a text by hand as in T5's pre-training; compute the lengths of its input and target; run and
# > explain a training loop; use one model for several tasks.
# >
# > **Time:** core 35 minutes, practice 57 minutes. **Before this:** `15_t5_model`.
#
# <details><summary>Two questions from the last lesson: what does the decoder read during training? What prevents it from copying the label?</summary>
#
# The decoder reads the labels shifted right by one position, with the start token in front. The causal mask hides the later positions, so no position can copy its label.
# </details>
#
# ## A gap in a sentence
#
# BERT fills a gap that is marked by `[MASK]`. Users [want the same from a T5](https://github.com/huggingface/transformers/issues/3985). The
# cell asks the tiny T5 to fill a gap, first with `[MASK]` and then with T5's own token:

# %%
from tokenlab import data, show
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode_texts

# For a T5 of your own, replace data.t5_tiny() by the path of its folder, in both lines, for example "my-t5".
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
gaps = [f"The boy is buying a {gap} umbrella." for gap in ("[MASK]", "<extra_id_0>")]
dict(zip(gaps, greedy_decode_texts(model, tokenizer, gaps, skip_special_tokens=False), strict=True))

# %% [markdown]
# The first output is German for "The boy is buying a red umbrella". The second output fills the gap with `new`.
# The model knows `<extra_id_0>` from its [**pre-training**](../docs/glossary.md#pre-training): before any task, it learned from texts that nobody had labelled. Later it
# learned tasks from pairs of texts, which is [**fine-tuning**](../docs/glossary.md#fine-tuning).
#
# T5's pre-training is [**span corruption**](../docs/glossary.md#span-corruption). It does not change the model. It changes the source ids, which the map marks, and
# the labels.

# %%
show.you_are_here("source ids")

# %% [markdown]
# Type a text and move the sliders. Then step and guess.

# %%
from tokenlab.show.explorers.explore_pretraining import explore_span_corruption

text = "My sister is buying a red umbrella. The boy gave her a flower."
explore_span_corruption(text, tokenizer, noise_density=0.3, mean_span_length=2.0)

# %% [markdown]
# **Span corruption makes an input and a target from any text.** The removed tokens are the **noise**. A **span** is a run of adjacent noise
# tokens. In the input, one [**sentinel**](../docs/glossary.md#sentinel) replaces each span. A sentinel is a token that occurs in no text. The target contains the
# spans. In the target, one sentinel replaces each run of kept tokens.
#
# ## The lengths
#
# Let $n$ be the number of tokens of a text. The [**noise density**](../docs/glossary.md#noise-density) $r$ is the share of noise, and $\mu$ is the mean length of a span. A text has $m$
# noise tokens in $s$ spans:
#
# $$ m=\mathrm{round}(rn),\quad s=\mathrm{round}(m/\mu),\quad n_{input}=n-m+s+1,\quad n_{target}=m+s+1 $$
#
# The 1 is for `</s>`. T5 uses $r=0.15$, $\mu=3$ and inputs of 512 tokens. How long is the text that fills the input, and how long is its target?

# %%
from tokenlab.algorithms.training_data.span_corruption import source_length

source_length.record(512)

# %% [markdown]
# The text is longer than the input, because one sentinel replaces several tokens. The target is short, so the decoder has little to compute. In the pre-training of the
# model BART, the target is the whole text.
#
# ## The function itself
#
# Only the lengths of the spans are random. The numbers of noise tokens and of spans follow from the length of the text.
# Kept tokens come first and noise comes last, so the last token of the text is always noise ("Go further" shows T5's solution).

# %%
from tokenlab.algorithms.training_data.span_corruption import corrupt, noise_mask

show.source(noise_mask, corrupt)

# %% [markdown]
# ## Ids, and the same call on the production library
#
# The SentencePiece model of a T5 has no sentinels. The tokenizer adds 100 of them after its other ids, and their ids **count down**: `<extra_id_0>` has the highest
# id. A training script of `transformers` [used the opposite order](https://github.com/huggingface/transformers/issues/14282). The stored ids come from its tokenizer, version
# 4.26.1.

# %%
import json

theirs = json.loads((data.FOLDER / "t5_pretraining.json").read_text(encoding="utf-8"))
print("the same ids:", tokenizer(theirs["texts"])["input_ids"] == theirs["input_ids"], "| ids:", len(tokenizer))
ids = tokenizer(theirs["texts"][2])["input_ids"]
dict(zip(tokenizer.convert_ids_to_tokens(ids), ids, strict=True))

# %% [markdown]
# ## One format for all tasks
#
# A corrupted text is a pair of texts, an input and a target. A translation is also such a pair. A **prefix** of the input names the task.
# The tiny T5 learned from a **grammar**, a program that lists sentences and all their correct outputs. In the sentence below, change the person (the boy, my sister, Anna),
# the verb (buying, reading, drawing) or the thing (a dog, a book). A ✓ means that the grammar accepts the output. An accepted translation means the same as your sentence.

# %%
from tokenlab.show.explorers.explore_pretraining import explore_text_to_text

explore_text_to_text("The boy is buying a red umbrella.", model, tokenizer)

# %% [markdown]
# All tasks have the same model and the same loss. Now type *The elephant sings.* The grammar has no elephant, and only the classification is still correct.
#
# ## The training loop
#
# This loop trained the tiny T5. It is plain PyTorch.
#
# <details><summary>What does each line of the loop do?</summary>
#
# Each step computes the loss of a batch. <code>backward</code> computes the gradient: for each weight, how the loss changes if the weight changes. <code>optimizer.step</code> moves each weight in the direction in which the loss falls, by a step that depends on the learning rate. <code>zero_grad</code> deletes the gradients.
# </details>

# %%
from tokenlab.transformers.training_loop import bucketed_batches, learning_rates, pad_batch, train_model

show.source(train_model)

# %% [markdown]
# The next cell trains a model with random weights on span corruption, for a few seconds. It prints the first loss and 3 means of 15
# losses.
#
# <details><summary>Which loss do you expect at the start? How does it change?</summary>
#
# At the start, it is near the logarithm of the number of ids, here ln 900 = 6.8. This is the loss if all tokens have the same probability. It falls fast at first, then slowly.
# </details>

# %%
from statistics import mean

from torch.optim import AdamW
from tokenlab.transformers.models.t5.untrained_t5 import untrained_t5
from tokenlab.transformers.models.t5.trace.trace_text_to_text import span_corruption_pairs

pupil = untrained_t5(tokenizer)
pairs = span_corruption_pairs(list(data.grammar().sentences())[::900], tokenizer, 0.3, 2.0)
batches = bucketed_batches(pairs, size=16, seed=2)
losses = [step.loss for step in train_model.steps(pupil, AdamW(pupil.parameters()), batches, learning_rates(45, 0.01))]
print("first loss, and means of 15:", *(round(mean(losses[max(0, end - 15) : end]), 1) for end in (1, 15, 30, 45)))

# %% [markdown]
# ## Where it breaks
#
# The targets of a batch have different lengths. Labels of -100 fill the shorter rows, and the loss ignores them. In AllenNLP's T5,
# [the padding counted](https://github.com/allenai/allennlp/issues/5342). The cell prints the loss of two translations, first with labels of -100, then with the
# padding id 0.

# %%
english = [f"translate English to German: {text}" for text in ("I have a dog.", "My sister is buying a red umbrella.")]
german = ["Ich habe einen Hund.", "Meine Schwester kauft einen roten Regenschirm."]
batch = pad_batch(list(zip(tokenizer(english).input_ids, tokenizer(german).input_ids, strict=True)))
for labels in batch["labels"], batch["labels"].clamp(min=0):
    print(f"{model(**batch | {'labels': labels}).loss.item():.2f}", labels.tolist())

# %% [markdown]
# The texts are the same. In the second line, the two labels of 0 count, so the loss depends on the amount of padding. There is no error
# message.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. Run it again to see the rule, and a third time to see your steps next
# to the correct steps.
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
# <details><summary>Hint: a question</summary>Two of the three noise words are adjacent. So how many spans are there?</details>
# <details><summary>Hint: a smaller example</summary>The text is <i>a cup of tea</i>, and <i>cup of</i> is noise. The input is <code>a X tea &lt;/s&gt;</code>, and the target is <code>X cup of Y &lt;/s&gt;</code>.</details>
# <details><summary>Hint: the shape</summary>Go through the text from left to right. Each run of words goes to one side, and a sentinel replaces it on the other side.</details>
#
# ### Find the bug · medium · 8 minutes · importance 3 of 5
#
# The target in the paper's figure ends with a sentinel. `always_final_sentinel` makes every target end with a sentinel before `</s>`. Find a list of words and a mask
# for which its target is wrong. The mask is a list with `True` for noise and `False` for a kept word.

# %% tags=["practice"]
from tokenlab.misconceptions.span_corruption import always_final_sentinel

my_words, my_mask = ..., ...  # for example ["a", "cup", "of", "tea"], [False, True, True, False]

check.bug(always_final_sentinel, my_words, my_mask)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does a sentinel in the target replace?</details>
# <details><summary>Hint: a smaller example</summary>The text is <i>a cup</i>, and <i>a</i> is noise. The target ends with a sentinel for <i>cup</i>, which is correct.</details>
# <details><summary>Hint: the shape</summary>Two words are enough. No kept word may follow the last span.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 4 of 5
#
# `my_input_of` returns the corrupted input, a list of strings. `tokens` and `sentinels` are lists of strings. `mask` is a list with `True` for noise, and its
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
# <details><summary>Hint: the shape</summary>The first gap is a condition on the position before. The second gap is a number.</details>
#
# ### Write it · medium · 12 minutes · importance 5 of 5
#
# Write the function for the target, with ids. `ids` is the text. `mask` has `True` for noise, and its first value is `False`. `top` is the id of the first sentinel, and the
# ids of the next ones count down. The id of `</s>` is 1. For example, `my_target_of([7, 8, 9, 10], [False, True, True, False], 999)` returns `[999, 8, 9, 998, 1]`.


# %% tags=["practice"]
def my_target_of(ids, mask, top):
    return ...


check.corrupted_target(my_target_of)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which id has the second sentinel?</details>
# <details><summary>Hint: a smaller example</summary>If all tokens are kept, the target is <code>[top, 1]</code>.</details>
# <details><summary>Hint: the shape</summary>Loop over the ids and the mask together. Write a sentinel at the first token of each kept run, and write every noise token.</details>
#
# ### Another rule · hard · 12 minutes · importance 3 of 5
#
# Put the model's output into the gaps. `question` and `answer` are lists of tokens that end with `</s>`. The answer contains only `</s>`, or it begins with a sentinel. Its sentinels are in any
# order, and each occurs once. Return the question with each sentinel replaced by the tokens that follow it in the answer. A sentinel that the answer lacks stays. For
# example, `["a", "<extra_id_0>", "tea", "</s>"]` and `["<extra_id_0>", "large", "</s>"]` give `["a", "large", "tea", "</s>"]`.


# %% tags=["practice"]
def my_fill(question, answer):
    return ...


check.filled(my_fill)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where do the tokens for one gap begin in the answer, and where do they end?</details>
# <details><summary>Hint: a smaller example</summary>If the answer is only <code>&lt;/s&gt;</code>, the function returns the question unchanged.</details>
# <details><summary>Hint: the shape</summary>First make a dict from each sentinel to the list of tokens after it. Then go through the question. <code>token.startswith("&lt;extra_id_")</code> is true for a sentinel.</details>
#
# ## Before you leave
#
# <details><summary>Who wrote the targets of span corruption?</summary>
# Nobody wrote them. They are parts of the texts.
# </details>
# <details><summary>Why does one sentinel replace a whole span, and not each token?</summary>
# The model must also predict the length of the span. And the input and the target become shorter.
# </details>
# <details><summary>You want to fine-tune a T5 for a new task. What changes in the architecture?</summary>
# Nothing changes in the architecture. You need a prefix and pairs of input and target. Training changes only the weights.
# </details>
#
# **Summary.** Span corruption replaces each span of a text by one sentinel. The target contains the spans. Every task of a T5 has the same format: an input text and a
# target text.
#
# **References.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, sections 3.1.4 and 3.3.4. **Next
# lesson:** `17_greedy_and_sampling`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### More practice: draw the mask · hard · 12 minutes · importance 2 of 5
#
# Draw a noise mask. `kept`, `noise` and `spans` are the numbers of kept tokens, noise tokens and spans. Return a list with `True` for noise. It has `spans` runs of kept tokens
# and `spans` runs of noise in turn, the kept ones first. All ways to divide the tokens into runs have the same probability. `random` is a `random.Random`. For
# example, `my_mask_of(2, 1, 1, random)` returns `[False, False, True]`. The check draws many masks and compares their counts.


# %% tags=["practice"]
def my_mask_of(kept, noise, spans, random):
    return ...


check.masks_drawn(my_mask_of)

# %% [markdown]
# <details><summary>Hint: a question</summary>You can split 4 tokens at 3 positions. How many of these positions do you need for 2 runs?</details>
# <details><summary>Hint: a smaller example</summary>To divide 3 kept tokens into 2 runs, split after the first or after the second token, each with probability 1/2.</details>
# <details><summary>Hint: the shape</summary>Draw positions with <code>random.sample</code>, sort them, and take the differences. Do this once for the kept tokens and once for the noise.</details>
#
# ### A random decision for each token
#
# A simpler method decides for each token independently whether it is noise. T5's paper starts with it. BERT fixes the number of masked tokens, but not
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
# With the first method, both numbers vary, so the input length cannot be fixed in advance. And most of its spans have a single token.
#
# ### The end of every text
#
# Kept runs and noise runs alternate, and a kept run is first. In how many of 100 masks is the last token noise?

# %%
sum(noise_mask(20, Random(seed))[-1] for seed in range(100))

# %% [markdown]
# The last token is noise in all of them. A text of 20 tokens has 3 noise tokens in one span, at the end. So a model that is trained on short texts never fills a
# gap in the middle. T5's code has an option against this, `random_roll`: it rotates the mask. The tiny T5 was trained with this option, a noise density of 0.3 and a mean span of 2.
# After a rotation, the first token may be noise. Then the target begins without a sentinel.
#
# The first version of T5 mixed tasks into its pre-training. Version 1.1 was pre-trained on span corruption only.
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
# ### The lengths in T5's own tests
#
# T5's data code is not installed here. The stored numbers are the lengths that its tests expect. Does our formula give the same ones?

# %%
[(source_length(*expected[:3]), source_length(*expected[:3]) == tuple(expected[3:])) for expected in theirs["lengths"]]

# %% [markdown]
# ### A common mistake: a token for the beginning of the text
#
# Suppose that somebody expects the id 0 at the beginning of the input and of the labels, as a token `<BOS>`, "beginning of sentence". Which ids do the tokenizer and
# the model give for two texts?

# %%
from torch import tensor

labels = pad_batch([(ids, ids) for ids in theirs["input_ids"][:2]])["labels"]
print("the texts:", *theirs["texts"][:2], "the labels:", *labels.tolist(), sep="\n  ")
print("the decoder input:", *model._shift_right(labels).tolist(), sep="\n  ")
print("the same in transformers:", model._shift_right(tensor(theirs["labels"])).tolist() == theirs["decoder_input_ids"])

# %% [markdown]
# The tokenizer adds no 0. Every text ends with `</s>`, the id 1. The id 0 is `<pad>`. The model puts it in front of the labels when it shifts them, and also reads it in place of -100.
#
# ### What the tiny T5 knows
#
# The grammar lists all correct outputs, so a program can count the errors. The model card says how the model was trained, and how many outputs are correct for sentences that it had never read.

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
# `Der Mann macht müde.` means "The man makes tired". The second output is not German. `Der Junge hat einen Hund.` means "The boy has a dog". It is correct for
# the third sentence and wrong for the fourth.
#
# ### Several processes, or a GPU
#
# `make t5-tiny` runs the script `data/t5-tiny/train.py`, which uses the same training loop. On several devices, the tensors must be moved, and the gradients must be combined. Accelerate, a library of
# Hugging Face, does both. The script passes the model, the optimizer and the batches to Accelerate, and uses its `backward`.
#
# ```
# make t5-tiny                                         # one process
# accelerate launch data/t5-tiny/train.py              # a GPU, if there is one
# accelerate launch --num_processes 2 data/t5-tiny/train.py
# ```
