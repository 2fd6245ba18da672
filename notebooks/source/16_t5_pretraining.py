# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # T5's pre-training
#
# > **You will be able to** corrupt a text by hand as T5's pre-training does, and say why that is cheap; read a training loop
# > and run it; ask one model for a translation, a past tense and a missing word, all in one form.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `15_t5_model`.
#
# <details><summary>Two questions from before: what does the decoder read while it learns? What keeps it from looking up the answer?</summary>
#
# The target, moved right by one place, with the start in front. And the causal mask: a place sees itself and what comes before it.
# </details>
#
# **Pre-training**: before any task, a model reads texts for a long time and learns from questions that cost nothing.
# Afterwards it learns a task from far fewer examples that somebody wrote: **fine-tuning**. This is how T5 makes its
# questions: move the sliders, type a text, step, and guess.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_pretraining import explore_span_corruption
from tokenlab.transformers import T5Tokenizer

tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
text = "My sister is buying a red umbrella. The boy gave her a flower."
explore_span_corruption(text, tokenizer, noise_density=0.3, mean_span_length=2.0)

# %% [markdown]
# **Corruption turns any text into a question with an answer.** What is taken out is called **noise**. It comes in **spans**.
# A **sentinel** is a token that no text has. In the input it stands where a span was taken out. In the target the same
# sentinel stands before the words of that span, in place of what was kept there.
#
# ## Why it is cheap
#
# T5 itself takes fifteen percent of the tokens, in spans of three on average, and fills inputs of `512`. How much text goes in,
# and how long is the target then?

# %%
from tokenlab.algorithms.training_data.span_corruption import source_length

source_length.record(512)

# %% [markdown]
# A span leaves a single sentinel, so the input holds more text than it has places. And the decoder
# has a short answer to learn. Others, such as BART, ask for the whole text again, most of which is copied.
#
# ## The function itself
#
# Chance draws how long the spans are, and nothing else: the number of noise tokens and of spans follows from the length.
# Kept comes first and noise last, so this mask always takes out the end (*Go further* shows T5's remedy).

# %%
from tokenlab import show
from tokenlab.algorithms.training_data.span_corruption import corrupt, noise_mask

show.source(noise_mask, corrupt)

# %% [markdown]
# ## Ids, and the library's tokenizer
#
# The SentencePiece file has no sentinels; the tokenizer adds a hundred at the top, and they **count down**:
# `<extra_id_0>` is the very last id. `transformers` has no corruption, only the tokenizer; its answers are stored.

# %%
import json

theirs = json.loads((data.FOLDER / "t5_pretraining.json").read_text(encoding="utf-8"))
print("the same ids:", tokenizer(theirs["texts"])["input_ids"] == theirs["input_ids"], "| ids in all:", len(tokenizer))
ids = tokenizer(theirs["texts"][2])["input_ids"]
dict(zip(tokenizer.convert_ids_to_tokens(ids), ids, strict=True))

# %% [markdown]
# ## Where a note goes wrong
#
# One of the notes that this kit grew out of lets the encoder's input and the target both begin with `0`, which it calls
# `<BOS>`, beginning of a sentence. What do tokenizer and model make of two texts? The shorter is filled up with
# `-100`, which the loss leaves out.

# %%
from tokenlab.transformers import T5ForConditionalGeneration
from tokenlab.transformers.training_loop import pad_batch
from torch import tensor

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
labels = pad_batch([(ids, ids) for ids in theirs["input_ids"][:2]])["labels"]
print("the texts:", *theirs["texts"][:2], "the target:", *labels.tolist(), sep="\n  ")
print("what the decoder reads:", *model._shift_right(labels).tolist(), sep="\n  ")
print("transformers agrees:", model._shift_right(tensor(theirs["labels"])).tolist() == theirs["decoder_input_ids"])

# %% [markdown]
# T5 has no such token. Every text **ends** in `</s>`, whose id is `1`. The `0` is `<pad_batch>`, and it is the model that
# puts it in front, while it shifts the target to the right; where `-100` stood, the decoder reads `<pad_batch>`, too.
#
# ## One form for all tasks
#
# A corrupted text is a text to read and a text to write. So is a translation, if a **prefix** says what is wanted. The tiny T5
# of this kit has learned both from a **grammar**, a program that lists sentences with every right answer. Change who (the
# boy, my sister, Anna), the verb (buying, reading, drawing), or what (a dog, a book); end with a full stop. A ✓ stands where the
# grammar knows the sentence and accepts the answer.

# %%
from tokenlab.show.explorers.explore_pretraining import explore_text_to_text

explore_text_to_text("The boy is buying a red umbrella.", model, tokenizer)

# %% [markdown]
# One model, one loss, and **all tasks share one form**. Now type *The
# elephant sings.* The grammar has no elephant, and the answers go wrong in different ways: the model has read about some dozens
# of things and people only.
#
# ## The training loop
#
# The pupil below has random weights, and for a few seconds it is shown sentences with gaps. What will its loss do? Beneath stands
# the loop, in plain PyTorch. The tiny T5 learned in the same loop.
#
# <details><summary>What each line of the loop does</summary>
#
# Each step scores a batch (`loss`). `backward` finds for each weight in which direction the loss grows, its *gradient*.
# `optimizer.step` moves the weight a little the other way, as far as the *rate* allows. `zero_grad` forgets the gradients.
# </details>
#
# <details><summary>Where does the loss begin, and how does it fall?</summary>
#
# Near the logarithm of the number of ids, which is the loss if all are equally likely. It falls fast, then slowly.
# </details>

# %%
from statistics import mean

from torch.optim import AdamW
from tokenlab.transformers.models.t5.untrained_t5 import untrained_t5
from tokenlab.transformers.models.t5.trace.trace_text_to_text import span_corruption_pairs
from tokenlab.transformers.training_loop import bucketed_batches, learning_rates, train_model

pupil = untrained_t5(tokenizer)
pairs = span_corruption_pairs(list(data.grammar().sentences())[::900], tokenizer, 0.3, 2.0)
batches = bucketed_batches(pairs, size=16, seed=2)
losses = [step.loss for step in train_model.steps(pupil, AdamW(pupil.parameters()), batches, learning_rates(45, 0.01))]
print("loss, first and of fifteen steps:", *(round(mean(losses[max(0, end - 15) : end]), 1) for end in (1, 15, 30, 45)))

# %% [markdown]
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# Of *you are kindly invited to the party tonight* three words are noise: *kindly*, *invited* and *tonight*. The sentinels are
# `X`, `Y` and `Z`. Write both sides, with blanks between the tokens, up to `</s>`.

# %% tags=["practice"]
from tokenlab import check

my_input, my_target = ..., ...  # for example "you X </s>", "X are </s>"

check.sides_by_hand(my_input, my_target)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many spans are three words of noise, if two of them are neighbours?</details>
# <details><summary>Hint: a smaller example</summary><i>a cup of tea</i> without <i>cup of</i> is <code>a X tea</code>; the target is <code>X cup of Y</code>, each with its end.</details>
# <details><summary>Hint: the shape</summary>Go from the left. What you write on one side is a sentinel on the other.</details>
#
# ### Find the bug · medium, eight minutes
#
# The target in the paper's figure ends in a sentinel, and so does every target that `always_final_sentinel` makes. Find words,
# and a mask of them, for which it is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.span_corruption import always_final_sentinel

my_words, my_mask = ..., ...  # for example ["a", "cup", "of", "tea"], [False, True, True, False]

check.bug(always_final_sentinel, my_words, my_mask)

# %% [markdown]
# <details><summary>Hint: a question</summary>For what does a sentinel stand in the target?</details>
# <details><summary>Hint: a smaller example</summary><i>a cup</i> without <i>a</i> has a target that ends in a sentinel, and rightly so.</details>
# <details><summary>Hint: the shape</summary>Two words will do. What must be the last, so that nothing that is kept follows it?</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_input_of` makes the input; the mask begins with what is kept. Where is a sentinel written, and what follows it?


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
# <details><summary>Hint: a question</summary>How can a token of noise tell that it is the first of its span?</details>
# <details><summary>Hint: a smaller example</summary><i>a b c</i> without <i>b c</i>: at <i>b</i> a sentinel is written, at <i>c</i> nothing.</details>
# <details><summary>Hint: the shape</summary>A condition on the place before, and a number.</details>
#
# ### Write it · harder, twelve minutes
#
# Now the target, in ids: `ids` are the text, `mask` says which are noise, and `top` is the id of the first sentinel. The mask
# begins with what is kept, as T5's do, and may end either way. The end has the id one.


# %% tags=["practice"]
def my_target_of(ids, mask, top):
    return ...


check.corrupted_target(my_target_of)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which id has the next sentinel, after the one with the id <code>top</code>?</details>
# <details><summary>Hint: a smaller example</summary>If all is kept, the target is one sentinel and the end.</details>
# <details><summary>Hint: the shape</summary>A loop over both; at the first token of each run that is kept a sentinel, and every token of noise.</details>
#
# ### Another rule · harder, twelve minutes
#
# Use a T5: `question` is a list of tokens with gaps, `greedy_decode_texts` what the model wrote, such as `["<extra_id_0>", "large", "</s>"]`.
# Return the question with its gaps filled. The question begins with a word that is kept, so the answer begins with a
# sentinel. It may give sentinels in any order, none twice; a gap that it does not know stays.


# %% tags=["practice"]
def my_fill(question, answer):
    return ...


check.filled(my_fill)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where in the answer does that begin which belongs to a gap, and where does it end?</details>
# <details><summary>Hint: a smaller example</summary>If the answer is <code>&lt;/s&gt;</code> alone, the question comes back as it is.</details>
# <details><summary>Hint: the shape</summary>First a table from each sentinel to the tokens behind it; then walk along the question. <code>token.startswith</code> tells a sentinel.</details>
#
# ## Before you leave
#
# <details><summary>Who wrote the answers of span corruption?</summary>Nobody. They were taken out of the texts.</details>
# <details><summary>Why does a span leave one sentinel and not one for each token?</summary>
# So that how long it was is a part of the question; and the input and the target become shorter.
# </details>
# <details><summary>What must change in the model for a new task?</summary>
# Nothing but its weights. The task needs a prefix, and texts to read with texts to write.
# </details>
#
# **What stays.** Corruption turns any text into a question with an answer, and every task is a text that is read and a text that is
# written.
#
# **Read on.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### More practice: draw the mask · harder, twelve minutes
#
# Draw a mask with so many kept tokens, and with so many of noise in so many spans. Kept and noise take turns, kept first, and
# every way to cut them has the same chance. `random` has what you need, such as `sample` and `randrange`. The check draws many
# masks, and counts.


# %% tags=["practice"]
def my_mask_of(kept, noise, spans, random):
    return ...


check.masks_drawn(my_mask_of)

# %% [markdown]
# <details><summary>Hint: a question</summary>Between four tokens there are three places to cut. How many of them do you need for two spans?</details>
# <details><summary>Hint: a smaller example</summary>Three kept tokens in two spans are cut after the first or after the second, each half of the time.</details>
# <details><summary>Hint: the shape</summary>Draw the places with <code>random.sample</code>, sort them, and take differences; once for what is kept, once for the noise.</details>
#
# ### A coin for each token
#
# The simplest way is a coin for each token; T5's paper began with that. BERT fixes how many tokens are masked, but not in how
# many spans. How much noise does that make in ten texts of a hundred tokens, and in how many spans?
# What does T5 make in the end?

# %%
from itertools import groupby
from random import Random
from tokenlab.misconceptions.span_corruption import mask_each_token

for name, draw in ("coins", mask_each_token), ("spans", noise_mask):
    masks = [draw(100, Random(seed)) for seed in range(10)]
    spans = [sum(noisy for noisy, _ in groupby(mask)) for mask in masks]
    print(name, "| noise tokens:", *map(sum, masks), "| spans:", *spans)

# %% [markdown]
# With coins neither number is fixed, so inputs of one length cannot be planned. And most spans are one token long.
#
# ### The end of every text
#
# Kept and noise take turns, and kept is first. So what comes last? In how many of a hundred masks is the last token noise?

# %%
sum(noise_mask(20, Random(seed))[-1] for seed in range(100))

# %% [markdown]
# In all of them: by itself the mask takes out the end of every text. In long texts nobody notices. But a text of twenty tokens
# has one span, and that is its end; a model that sees nothing else never fills a gap in the middle. T5's code has an
# option against that, `random_roll`, which turns the mask round like a ring. The tiny T5 needed it, with more noise and shorter
# spans. A turned mask can take out the first token; then no sentinel stands before it in the target.
#
# The first T5 mixed tasks with written answers into its pre-training; T5 `1.1` learned from span corruption alone.
#
# ### Nothing is lost
#
# Both sides together are the text again. Someone who knows the answer can undo every corruption.

# %%
from tokenlab.algorithms.training_data.span_corruption import reconstruct

read, written = span_corruption_pairs(["The boy gave my sister a red umbrella."], tokenizer, 0.4, 1.5)(Random(4))
print(read, written, sep="\n")
tokenizer.decode(reconstruct(read, written, tokenizer.get_sentinel_token_ids()))

# %% [markdown]
# ### The lengths of the reference
#
# T5's own data code is not installed here. These are the lengths that its tests expect. Does our formula agree?

# %%
[(source_length(*expected[:3]), source_length(*expected[:3]) == tuple(expected[3:])) for expected in theirs["lengths"]]

# %% [markdown]
# ### What the tiny T5 knows, and what it does not
#
# A grammar writes its sentences, so what is right is listed and not guessed. The card says how it was trained, and how
# many answers to sentences that it had never seen are right. Below it, sentences from outside: what is wrong with each answer?

# %%
from IPython.display import Markdown

card = (data.t5_tiny() / "README.md").read_text(encoding="utf-8")
Markdown(card.partition("\n")[2].replace("\n## ", "\n#### "))

# %%
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode_texts

outside = ["The elephant sings.", "I love you.", "the boy has a dog", "The dog has a boy."]
answers = greedy_decode_texts(model, tokenizer, [data.grammar().TO_GERMAN + text for text in outside])
dict(zip(outside, answers, strict=True))

# %% [markdown]
# ### Several processes, or a GPU
#
# `make t5-tiny` runs the script `data/t5-tiny/train.py`. The loop is the one above. What changes on other machines is where the
# tensors are and how gradients come together. Accelerate, a library of Hugging Face that spreads training over devices, does both:
# the script gives it model, optimizer and batches, and its `backward` in place of PyTorch's.
#
# ```
# make t5-tiny                                         # one process
# accelerate launch data/t5-tiny/train.py              # a GPU, if there is one
# accelerate launch --num_processes 2 data/t5-tiny/train.py
# ```
