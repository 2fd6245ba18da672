# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # The T5 model
#
# > **You will be able to** say what a decoder reads while it learns, and which of its guesses count; explain why one pass
# > learns what is later written token by token, and what a missing causal mask does to that; say what a cache holds, and
# > what a step with it computes.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `14_t5_attention`.
#
# <details><summary>Two questions from before: where does a T5 keep the order of words? What does softmax make of a score that is a million lower than the others?</summary>
#
# In a number that is added to each score, for each head and each class of distances. And nothing: zero.
# </details>
# <details><summary>Are you ready? A model gives the right token the probability one. What is minus the logarithm of it? And if the probability is nearly zero?</summary>Zero: nothing was lost. And a large number: the model was sure of something else.</details>
# <details><summary>How does a model learn?</summary>Its numbers are changed a little, again and again, each time so that the loss of what was just read falls. The loss says how badly it guessed.</details>
#
# An **encoder** reads a text. A **decoder** writes the answer, and looks at what the encoder has read. Here is a T5 with a
# sentence and its translation. Step, and guess; then change a word of the target.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_t5_model import explore_token_losses
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
source = "translate English to German: The teacher gave the child a red book."
target = "Die Lehrerin gab dem Kind ein rotes Buch."
explore_token_losses(source, target, model, tokenizer)

# %% [markdown]
# The tokenizer gives the target with `</s>` at its end and nothing in front: those are the **labels**. The model itself
# *shifts them right*. A start comes in front (in a T5, padding), and the last one drops out; so each place reads what
# stands before its label.
#
# The right answer is known, so one pass reads all places at once. The **causal mask** hides what is later: each place sees the
# target before its label, as if the model had written that, and both columns agree. (This is *teacher forcing*: a model that
# writes another word goes on from that.) **The decoder learns in one parallel pass what it later does token by token.**
#
# A bar is minus the logarithm of a label's probability: long where the model expected another word. Their mean is the loss.
#
# <details><summary>The targets of a batch are not equally long. What are the labels behind the end of a short one?</summary>
# All <code>-100</code>, which does not count. The tokenizer fills up with padding; whoever makes the labels puts <code>-100</code>
# in its place. Choose a length beyond your target, and see.
# </details>
#
# ## Take the mask away
#
# Two T5s are born alike, and learn the same sentences in the same order; but in one, `watch` makes the causal mask zero. Before
# you run it (some seconds): whose loss will be lower? Which will translate better?

# %% tags=["nbval-ignore-output"]
from tokenlab.transformers import watch
from tokenlab.transformers.models.t5.untrained_t5 import train_untrained_t5, untrained_t5, possession_sentence_pairs

sentences, masked, peeking = possession_sentence_pairs(), untrained_t5(tokenizer), untrained_t5(tokenizer)
losses = {"with the mask": train_untrained_t5(masked, tokenizer, sentences)}
with watch(peeking, "decoder.block.0.self_attention.mask", lambda name, mask: 0 * mask, keep=0):
    losses["without it"] = train_untrained_t5(peeking, tokenizer, sentences)
{name: [round(loss, 1) for loss in course[9::38]] for name, course in losses.items()}

# %% [markdown]
# From left to right training goes on: without the mask the loss falls lower. Now let both write: first comes the right answer,
# then with the mask (mostly right), then without; below, the guesses without it, place by place.

# %% tags=["nbval-ignore-output"]
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode_texts
from tokenlab.transformers.models.t5.trace.trace_token_losses import trace_token_losses

for english, german in sentences[100::400]:
    written = [greedy_decode_texts(m, tokenizer, [english], max_length=8)[0] for m in (masked, peeking)]
    print(*(f"{text:<32}" for text in (german, *written)))
trace_token_losses.record(peeking, tokenizer, *sentences[100], causal=False)

# %% [markdown]
# The last column is rubbish. Why? The next place reads the very token that this one should write. Without a mask a place can look
# there, and copying is easier than translating. When the model writes by itself, there is nothing yet to copy.
#
# ## The function itself
#
# The second function, the model's *head* (none of attention), takes a *state*, the vector that the last layer gives for a place,
# and scores each id by its row of the table that gave ids their vectors: the same numbers, **tied**. They begin with a spread of
# one, so states are first made smaller, or scores would grow with the width of the model.

# %%
from tokenlab import show
from tokenlab.transformers.models.t5.modeling_t5 import mean_cross_entropy

show.source(T5ForConditionalGeneration._shift_right, T5ForConditionalGeneration.compute_logits, mean_cross_entropy)

# %% [markdown]
# ## Token by token, without doing it all again
#
# Nothing that comes later changes an earlier place: that, too, is the mask. So what a place has made can be kept. The
# **cache** holds keys and values, of all places so far and of the source. The bias goes by the new token's distance to each key.
# What about queries? Step, and guess.

# %%
from tokenlab.transformers.models.t5.trace.trace_kv_cache import trace_kv_cache

trace_kv_cache.record(model, tokenizer, source)

# %% [markdown]
# A query asks once, and is never needed again. The scores are those of a run without a cache *up to rounding*: the sums are made
# in another order.
#
# ## The same call on the production library
#
# The notes' version of `transformers`, `4.26.1`, cannot be installed beside these lessons. Two small models of it are stored, with
# their answers. Does ours agree? (`make parity` asks it live.)

# %%
import json
import torch
from tokenlab.transformers import T5Config

for version, theirs in json.loads((data.FOLDER / "t5_model.json").read_text(encoding="utf-8")).items():
    ours = T5ForConditionalGeneration(T5Config(**theirs["config"])).eval()
    ours.load_state_dict({name: torch.tensor(weight) for name, weight in theirs["weights"].items()})
    output = ours(**{name: torch.tensor(rows) for name, rows in theirs["given"].items()})
    print(version, {k: torch.allclose(output[k], torch.tensor(theirs[k]), atol=1e-4) for k in ("loss", "logits")})

# %% [markdown]
# ## Where it breaks
#
# The T5 of TransformerLens once had no causal mask in its decoder. Its test read one token, and passed. At which length would it
# have failed? And a note makes its "lower triangle" like this. What may the first token look
# at? The last?

# %%
for length in (1, 2, 5):
    given = (untrained_t5(tokenizer), tokenizer, source, target, length)
    same = abs(trace_token_losses(*given, causal=True) - trace_token_losses(*given, causal=False)) < 1e-5
    print(length, "the same loss" if same else "another loss")
torch.triu(torch.ones(3, 3)).int()

# %% [markdown]
# Two are the fewest. And `triu` is the upper triangle: each would see itself and what is later.
#
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# The labels are `8, 9, 1, -100`, and the start is `0`. What does the decoder read? How many labels count? A source has five
# tokens: how many rows of the source's keys does a layer's cross attention make in the second step with a cache?

# %% tags=["practice"]
from tokenlab import check

my_inputs, my_number, my_rows = ..., ..., ...  # for example (8, 9, 1), 4, 5

check.inputs_and_projections(my_inputs, my_number, my_rows)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which label is never read? Has the source changed since the first step?</details>
# <details><summary>Hint: a smaller example</summary>For the labels <code>8, 1</code> the decoder reads <code>0, 8</code>, and both labels count.</details>
# <details><summary>Hint: the shape</summary>Write the start, then all labels but the last; cross out those of <code>-100</code> to count.</details>
#
# ### Find the bug · medium, five minutes
#
# `no_causal_mask` makes weights of a decoder's scores, a row for each query. Find scores for which they are wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.t5_model import no_causal_mask

my_scores = ...  # for example [[3]]

check.bug(no_causal_mask, my_scores)

# %% [markdown]
# <details><summary>Hint: a question</summary>With how many tokens is there a key that is later than a query?</details>
# <details><summary>Hint: a smaller example</summary>With one token there is nothing to hide, so its weight is right.</details>
# <details><summary>Hint: the shape</summary>A list of as many rows as columns; numbers that are near each other.</details>
#
# ### Complete two lines · medium, five minutes
#
# `my_shift_right` gives what a decoder reads for these labels. No table has a vector for `-100`, so padding is read in its
# place.


# %% tags=["practice"]
def my_shift_right(labels, start, pad):
    shifted = [..., *labels[:-1]]
    return [... if label == -100 else label for label in shifted]


check.shift_right(my_shift_right)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many numbers come out, if four labels go in?</details>
# <details><summary>Hint: a smaller example</summary>One label gives the start alone.</details>
# <details><summary>Hint: the shape</summary>Two of the three arguments are missing in the two lines.</details>
#
# ### Write it · harder, ten minutes
#
# Write a decoder's mask: a row for each query, with zero for a key that it may look at and `min_value` for any other.
# Nobody looks at padding.


# %% tags=["practice"]
def my_mask(attention_mask, min_value):
    # attention_mask has a 1 for each token, and a 0 for padding.
    return ...


check.decoder_mask(my_mask)

# %% [markdown]
# <details><summary>Hint: a question</summary>For which two reasons may a key be forbidden? What if both hold?</details>
# <details><summary>Hint: a smaller example</summary>For two tokens the first row is zero, `min_value`, and the second zero, zero.</details>
# <details><summary>Hint: the shape</summary>A list of lists, over queries and within them over keys; one condition with <code>and</code>.</details>
#
# ### Another rule · harder, twelve minutes
#
# One step with a cache, for one head: what does the new token take?


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_step(query, key, value, cache, biases):
    # cache is a pair: a list of keys and a list of values, oldest first.
    # biases[d] is added to the score of a key d places back.
    # Return a pair: what the new token takes, and the new cache, (keys, values).
    return ...


check.cached_step(my_step)

# %% [markdown]
# <details><summary>Hint: a question</summary>How far back is the newest key? And the first one in the cache?</details>
# <details><summary>Hint: a smaller example</summary>With an empty cache the token takes its own value, whatever the scores are.</details>
# <details><summary>Hint: the shape</summary>First make new lists, one with the key at its end, one with the value. Scores: query times key, and a bias. <code>exp</code> of each over their sum; then a weighted sum of values.</details>
#
# ## Before you leave
#
# <details><summary>A colleague puts the start in front of the labels. What does the decoder read then?</summary>
# The start twice. And it learns to write the start first: a token that belongs to no answer.
# </details>
# <details><summary>The loss is much lower than anybody's, and the text is rubbish. What do you look at first?</summary>
# Whether a place can look at what it should write: the causal mask, and the shift. Compare one pass with token by token.
# </details>
# <details><summary>Why are no queries in the cache?</summary>
# A query asks what its own place should take. That is done once, and later places ask with queries of their own.
# </details>
#
# **What stays.** Labels, shifted right, are read in one pass, in which the causal mask leaves each place the target before its
# label. The loss is the mean over the labels that count. The cache keeps keys and values; a step adds one row.
#
# **Read on.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*. Next
# lesson: `16_t5_pretraining`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A ruler of shapes
#
# What does each stage hand on, and what does a block make on the way? A *block* is attention, in the decoder also to the source, and
# a *feed-forward layer*: a matrix makes each place's vector longer, an *activation* changes its numbers one by one (`relu` makes
# what is negative zero), and a second matrix makes it as short as before. Choose a model: the largest is looked at as fast as the
# smallest, for nothing is computed.

# %%
from tokenlab.show.explorers.explore_t5_model import explore_t5_shapes

explore_t5_shapes(model.config)

# %% [markdown]
# ### Versions
#
# The published T5s come in versions `1.0` and `1.1`. In `1.1` the feed-forward layer has a *gate*: what a third matrix makes is
# multiplied, number by number, by what comes out of the activation; and that is `gelu`, not `relu`. The head has a table of its
# own, for which states are not made smaller. Sizes differ, too; attention is alike.

# %%
from tokenlab.transformers.models.t5.modeling_t5 import T5DenseActDense, T5DenseGatedActDense

show.source(T5DenseActDense.forward, T5DenseGatedActDense.forward)

# %% [markdown]
# ### The scores that a note forgot to make smaller
#
# The note multiplies the decoder's output by the table, and that is all. Which of the two are the model's scores?

# %%
batch = tokenizer([source], text_target=[target], return_tensors="pt")
output = model(**batch, output_hidden_states=True)
states, table = output.decoder_hidden_states[-1], model.shared.weight
made = {"the note's": states @ table.T, "made smaller first": states * model.config.d_model**-0.5 @ table.T}
{name: torch.allclose(scores, output.logits, atol=1e-3) for name, scores in made.items()}

# %% [markdown]
# The most probable token is the same; all probabilities, and the loss, are not.
#
# ### A trained model, without its mask
#
# Our T5 has learned with a mask. Take it away now, and the loss does not fall: nobody taught it to copy, and what is
# later only confuses it. And what does it write by itself? Look at the last step.

# %%
trace_token_losses.record(model, tokenizer, source, target, causal=False).play(opened=-1)

# %% [markdown]
# Nothing later is there when it writes, so it hardly needs the mask then; with a cache there is nothing to hide. The mask is for
# the parallel pass.
#
# ### Nothing counts
#
# If all labels are `-100`, the loss is the mean of nothing. The library says `nan`, and nothing else; ours warns, too. It is
# better to leave such a text out of the batch.

# %%
import warnings

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    loss = model(**batch | {"labels": torch.full_like(batch["labels"], -100)}).loss
print(loss.item(), "|", said[0].message)

# %% [markdown]
# ### The lowest number, not minus infinity
#
# The note adds minus infinity. For a row that may look at nothing, padding in some batches, softmax then divides zero by zero. T5
# adds the lowest finite number, and such a row is harmless.

# %%
forbidden = torch.full((2,), 1.0)
{lowest: torch.softmax(forbidden + lowest, 0).tolist() for lowest in (float("-inf"), torch.finfo(torch.float32).min)}

# %% [markdown]
# ### Writing by itself
#
# The simplest way to choose is the most probable token, each time. With the cache that is a short loop; all others are for later
# lessons.

# %%
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode

show.source(greedy_decode)

# %% [markdown]
# ### What else the notes got wrong
#
# They leave the padding of the *decoder* unmasked. They say that the code of mT5 is that of T5: it was copied, and in `4.26.1`
# hundreds of lines differ, though none in what is computed. And they say that the tokenizer puts a zero in front, of the text as of
# the target. Does it?

# %%
tokenizer.convert_ids_to_tokens(tokenizer(target)["input_ids"])

# %% [markdown]
# It does not: T5 has no token for the beginning of a text, and the encoder reads none. The zero in front of the target is
# padding, and the *model* puts it there when it shifts.
