# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # The T5 model
#
# > **You will be able to**
# >
# > - say what the decoder reads in training, and which tokens the loss includes;
# > - explain what a missing causal mask does to the loss and to the generated text;
# > - say what a program stores to generate a text faster.
# >
# > **Time:** core 40 minutes, practice 42 minutes. **Before this:** `14_t5_attention`.
#
# <details><summary>Two questions from the last lesson: how does a T5 encoder know the order of the words? What is the weight of a key that a mask hides?</summary>
#
# The encoder adds a position bias to each score. The position bias depends on the head and on the bucket of the distance. The weight of a
# hidden key is 0.
# </details>
# <details><summary>Are you ready? A model gives the correct token the probability 1. What is the negative logarithm of this probability? And if the probability is nearly 0?</summary>It is 0 for the probability 1. It is a large number if the probability is nearly 0.</details>
# <details><summary>Training repeats one step many times. What could a step change so that the predictions become better?</summary>The loss measures how wrong the predictions are. The numbers in the model's matrices are the <b>weights</b> of the model. Each step changes these numbers a little. After the change, the loss on the current texts is usually smaller.</details>
#
# ## The lower loss
#
# Two models, A and B, start with the same random weights. They learn to translate 2,048 sentences, for example
# these 5:

# %%
from tokenlab import data, show
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer, watch
from tokenlab.libraries.transformers.training_loop import possession_sentence_pairs, train_untrained_t5, untrained_t5

tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
sentences, a, b = possession_sentence_pairs(), untrained_t5(tokenizer), untrained_t5(tokenizer)
sentences[100::400]

# %% [markdown]
# Both read the same sentences in the same order, but one part of B is switched off. The cell trains both models for
# 200 steps (about 10 seconds), and prints 6 losses of each. Which loss is lower at the end?

# %% tags=["nbval-ignore-output"]
losses = {"A": train_untrained_t5(a, tokenizer, sentences)}
with watch(b, "decoder.block.0.self_attention.mask", lambda name, mask: 0 * mask, keep=0):
    losses["B"] = train_untrained_t5(b, tokenizer, sentences)
{name: [round(loss, 1) for loss in course[9::38]] for name, course in losses.items()}

# %% [markdown]
# B has the lower loss. Now both translate with [greedy search](../docs/glossary.md#greedy-search), which
# writes the most probable next token. Each line shows the correct translation, then the outputs of A and B.

# %% tags=["nbval-ignore-output"]
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts

for english, german in sentences[100::400]:
    written = [greedy_decode_texts(m, tokenizer, [english], max_length=8)[0] for m in (a, b)]
    print(*(f"{text:<32}" for text in (german, *written)))
show.you_are_here("causal mask")

# %% [markdown]
# A is correct for most sentences, but B writes only a full stop. B was trained without the causal mask, which the
# map marks. The T5 of TransformerLens [also lacked this
# mask](https://github.com/TransformerLensOrg/TransformerLens/pull/1681).
#
# ## What the decoder reads
#
# The tokenizer encodes the target and adds `</s>`. These ids are the [**labels**](../docs/glossary.md#labels)
# $y_1,\dots,y_n$, which the decoder should predict. A position must not read the label that it predicts. So the
# model [**shifts the labels right**](../docs/glossary.md#shift-right): it puts a start token (`<pad>` for a T5) in
# front and drops the last label. The result is the [**decoder input**](../docs/glossary.md#decoder-input).
# **Positions** are counted from 0: position 0 reads `<pad>` and should predict $y_1$, and each later position $t$
# reads $y_t$ and should predict $y_{t+1}$.
#
# So in training, the decoder reads the correct earlier tokens instead of its predictions. This is [**teacher
# forcing**](../docs/glossary.md#teacher-forcing). All inputs are known in advance, so one call of the model, a
# **parallel pass**, can compute all positions. Generation goes step by step, because each prediction becomes the
# next input.
#
# The player computes both ways, and gives both the correct tokens. Compare them, then change a target word.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_t5 import explore_token_losses
from tokenlab.libraries.transformers import T5ForConditionalGeneration

# For a T5 of your own, load the model here and the tokenizer above from its folder, for example from "my-t5".
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
source = "translate English to German: The teacher gave the child a red book."
target = "Die Lehrerin gab dem Kind ein rotes Buch."
explore_token_losses(source, target, model, tokenizer)

# %% [markdown]
# In generation, later tokens do not exist yet. In a parallel pass they exist, but the causal mask hides them. **So
# with the mask, both ways give the same probabilities for the same tokens.**
#
# Each bar in the player shows $-\ln p$ of one label. The mean of these numbers is the
# [**loss**](../docs/glossary.md#loss), which is called [**cross-entropy**](../docs/glossary.md#cross-entropy):
#
# $$ L=-\frac1n\sum_{t=1}^n\ln p(y_t\mid y_1,\dots,y_{t-1},x) $$
#
# <details><summary>What do <i>x</i> and the vertical bar mean?</summary><i>x</i> is the source. The bar means "given": when the model predicts the token to the left of the bar, it has read everything to the right of it.</details>
#
# In training, the model reads a group of texts at once, a [**batch**](../docs/glossary.md#batch). Its texts need
# the same number of labels, so the shorter texts get additional labels of -100, which the loss leaves out.
#
# <details><summary>How can you see labels of -100 in the player above? Does the tokenizer write them?</summary>
# Set <i>length</i> to 16. The target has only 10 labels, so labels of -100 fill the rest. The tokenizer never writes -100, because it
# pads with 0. So a training program must replace each 0 in the labels by <code>-100</code>.
# </details>
#
# ## Why B fails
#
# This player, opened at its last step, shows B with a sentence from its training. Why is the loss lower in the
# parallel pass?

# %% tags=["nbval-ignore-output"]
from tokenlab.traces.t5.trace_decoding import trace_token_losses

trace_token_losses.record(b, tokenizer, *sentences[100], causal=False).play(opened=-1)

# %% [markdown]
# In B's parallel pass, a position also attends to later positions. For example, position 2 reads the label that
# position 1 should predict, so position 1 can copy it. In the step-by-step computation, position 2 does not exist
# yet, so B has nothing to copy. B has learned little else, so it writes only a full stop, which is in every target.
#
# ## The function itself
#
# These functions come from `tokenlab/minimal/t5.py`, which contains a whole T5. At each position, `tied_logits`
# computes a [logit](../docs/glossary.md#logit) for every token of the vocabulary: the dot product of the token's
# embedding and the scaled hidden state.
#
# <details><summary>What do the names mean?</summary>
# <code>shifted</code> is the decoder input, and <code>table</code> contains the embeddings. The same table converts the ids of the decoder input to vectors, so the logits are <i>tied</i> to the embeddings (<b>weight tying</b>). <code>START</code> is 0, the id of <code>&lt;pad&gt;</code>. In <code>shifted</code>, each -100 becomes this id as well, because the table has no row for -100. <code>decoder</code> returns the hidden states after the last layer and the final norm. <code>gather</code> selects the log-probability of each label, and the label -100 is left out.
# </details>

# %%
from tokenlab import show
from tokenlab.minimal import t5

show.source(t5.T5.loss, t5.tied_logits, t5.mean_loss)

# %% [markdown]
# <details><summary>Why is the hidden state scaled before the dot product?</summary>
# It is divided by the square root of the dimension 96. This keeps the logits small. With large logits, the
# probabilities of an untrained model would already be close to 0 and 1.
# </details>
#
# ## Token by token, with a cache
#
# With the mask, the hidden state of a token depends only on the source, this token and earlier ones. So its key and
# value stay the same when a token is added, and the [**KV cache**](../docs/glossary.md#kv-cache) can store them. For
# cross-attention, it also stores the keys and values of the source. In the player, a *row* is one query, key or
# value. How many keys does each step use?

# %%
from tokenlab.traces.t5.trace_decoding import trace_kv_cache

trace_kv_cache.record(model, tokenizer, source)

# %% [markdown]
# In step $n$, a head of self-attention computes 1 query, 1 key and 1 value. The query attends to $n$ keys: the new
# one and the cached ones. The cache contains no queries, because a query is used only in its own step.
#
# <details><summary>Are the logits the same as without a cache?</summary>
# They agree up to rounding.
# </details>
#
# ## Where it breaks
#
# The test of TransformerLens did not find the missing mask, because it gave the decoder only one token. The cell
# truncates a target to 1, 2 and 5 tokens. When does the missing mask change the loss?

# %%
for length in (1, 2, 5):
    given = (untrained_t5(tokenizer), tokenizer, source, target, length)
    same = abs(trace_token_losses(*given, causal=True) - trace_token_losses(*given, causal=False)) < 1e-5
    print(length, "the same loss" if same else "another loss")

# %% [markdown]
# A single token has no later token to hide, so a test needs at least 2.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# The labels are `8, 9, 1, -100`, and both the start id and the padding id are `0`. Give the decoder input as a tuple of ids, and the number
# of labels that the loss includes.
# A source has 5 tokens. With a cache, how many keys of the source does one cross-attention head compute in the *second* step?

# %% tags=["practice"]
from tokenlab import check

my_inputs, my_number, my_keys = ..., ..., ...  # for example (8, 9, 1), 4, 5

check.inputs_and_projections(my_inputs, my_number, my_keys)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which label does the decoder never read? Does the source change between the first and the second step?</details>
# <details><summary>Hint: a smaller example</summary>For the labels <code>8, 1</code>, the decoder input is <code>0, 8</code>, and the loss includes both labels.</details>
# <details><summary>Hint: the structure</summary>Write the start id, then all labels except the last one. For the second answer, do not count the label <code>-100</code>.</details>
#
# ### Find the bug · easy · 5 minutes · importance 5 of 5
#
# `no_causal_mask` turns the scores of a decoder into attention weights. Find scores for which the weights are
# wrong. Write a list of rows, one for each query, with one number for each key.

# %% tags=["practice"]
from tokenlab.misconceptions.t5_model import no_causal_mask

my_scores = ...  # for example [[3]]

check.bug(no_causal_mask, my_scores)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many tokens must a text have so that a key comes after a query?</details>
# <details><summary>Hint: a smaller example</summary>With one token, there is nothing to hide, so the weight is correct.</details>
# <details><summary>Hint: the structure</summary>Use 2 rows of 2 numbers. In the first row, the second number should not be much smaller than the first. Otherwise its weight is near 0 even without a mask.</details>
#
# ### Complete two lines · easy · 5 minutes · importance 4 of 5
#
# `my_shift_right` returns the decoder input for a list of labels. `start` is the start id, and `pad` is the padding id. The table of embeddings has no
# row for `-100`, so the decoder reads padding there. For example, `my_shift_right([8, -100, -100], 0, 3)` returns `[0, 8, 3]`.


# %% tags=["practice"]
def my_shift_right(labels, start, pad):
    shifted = [..., *labels[:-1]]
    return [... if label == -100 else label for label in shifted]


check.shift_right(my_shift_right)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many ids does the decoder read if there are 4 labels?</details>
# <details><summary>Hint: a smaller example</summary>For a single label, the decoder input is the start id alone.</details>
# <details><summary>Hint: the structure</summary>In both places, write one of the arguments of the function.</details>
#
# ### Write it · medium · 10 minutes · importance 4 of 5
#
# Write the mask of a decoder, a list with one row for each query. A row has one number for each key: 0 if the query may attend to the key, and
# `min_value` if not. `attention_mask` is a list with a 1 for each token and a 0 for padding. No query attends to padding.
# For example, `my_mask([1, 1], -9)` returns `[[0, -9], [0, 0]]`.


# %% tags=["practice"]
def my_mask(attention_mask, min_value):
    return ...


check.decoder_mask(my_mask)

# %% [markdown]
# <details><summary>Hint: a question</summary>For which two reasons is a key hidden? What if both apply?</details>
# <details><summary>Hint: a smaller example</summary><code>my_mask([0, 1], -9)</code> returns <code>[[-9, -9], [-9, 0]]</code>.</details>
# <details><summary>Hint: the structure</summary>Use one list comprehension over the queries, and inside it one over the keys. One condition with <code>and</code> decides.</details>
#
# ### Another rule · hard · 12 minutes · importance 3 of 5
#
# Write one step with a KV cache, for one attention head. `query`, `key` and `value` are the vectors of the new token. `cache` is a pair: a list of keys and a
# list of values, oldest first. Add `biases[d]` to the score of the key that is `d` positions before the new token. Add `biases[0]` to the score of the
# new key. Return a pair: the output of the new token, and the new
# cache, which is a pair `(keys, values)`. For example, `my_step([1], [1], [4], ([], []), [0])` returns `([4.0], ([[1]], [[4]]))`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_step(query, key, value, cache, biases):
    return ...


check.cached_step(my_step)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which bias is added to the score of the new key? Which one is added to the score of the first key in the cache?</details>
# <details><summary>Hint: a smaller example</summary>With an empty cache, the output is the value of the new token, for every possible score.</details>
# <details><summary>Hint: the structure</summary>First make new lists with the new key and the new value at the end. A score is the dot product of the query and a key. Add the bias, and apply <code>exp</code>. Divide each result by the sum of all results: these are the weights. Then compute the weighted sum of the values.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Model B has the lower training loss, but it generates only full stops. Say in three sentences what its decoder could read in
# training, why this lowers the loss, and why it does not help when the model generates.
#
# <details><summary>What a good answer contains</summary>
# 1. Without a causal mask, each position also reads the later tokens of the shifted labels, and among them the token that it should predict.<br>
# 2. The position can copy the answer, so its probability is close to 1 and the loss is low.<br>
# 3. In generation, the later tokens do not exist yet, so there is nothing to copy, and the model has not learned to predict.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The causal mask is missing, so a position reads the next token, which is its own label. It learns to copy this token, and the loss becomes very small. In generation there is no next token to copy, so what it has learned is useless.”<br>
# <b>Wrong:</b> “In training, the decoder of B read the correct earlier tokens and not its own predictions. This makes the next token easy to predict, so the loss is low. In generation it reads its own predictions, and since its first token is already wrong, the rest of the text becomes wrong as well.” Model A was trained with the correct earlier tokens as well, and it translates; what only B could read are the <i>later</i> labels, among them the token that it should predict.
# </details>
#
# ## Exit questions
#
# <details><summary>A colleague puts the start token in front of the labels. What does the decoder read then? What does it learn?</summary>
# The decoder reads the start token twice, because the model shifts the labels as well. Its first label is the start token, so it learns to
# generate the start token before the text.
# </details>
# <details><summary>A model has a very low loss, and its text is useless. What do you check first?</summary>
# Check whether a position can read the token that it should predict. This happens if the causal mask is missing, or if the program forgets to
# shift the labels. To find such a mistake, compare a parallel pass with the computation step by step.
# </details>
# <details><summary>Why does the cache not contain queries?</summary>
# A query is used only in the step of its own token. Later tokens have their own queries.
# </details>
#
# **Summary.** In training, the decoder reads the labels, shifted right, in one pass. The causal mask hides the later tokens. The loss is the mean of
# $-\ln p$ over all labels except -100. The KV cache stores keys and values. In each step, every head of self-attention adds one key and one value.
#
# **References.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, section 2.1. Ashish Vaswani
# and others, *Attention Is All You Need*, section 3.2.3. **Next lesson:** `16_t5_pretraining`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The same call on the production library
#
# `t5_model.json` contains two small models, of the versions 1.0 and 1.1 of T5, with inputs and the results of `transformers` 4.26.1. Do our
# models compute the same loss and the same logits?

# %%
import json
import torch
from tokenlab.libraries.transformers import T5Config

for version, theirs in json.loads((data.FOLDER / "t5_model.json").read_text(encoding="utf-8")).items():
    ours = T5ForConditionalGeneration(T5Config(**theirs["config"])).eval()
    ours.load_state_dict({name: torch.tensor(weight) for name, weight in theirs["weights"].items()})
    output = ours(**{name: torch.tensor(rows) for name, rows in theirs["given"].items()})
    print(version, {k: torch.allclose(output[k], torch.tensor(theirs[k]), atol=1e-4) for k in ("loss", "logits")})

# %% [markdown]
# ### The shapes of all tensors
#
# A **tensor** is an array of numbers with any number of dimensions. In the next player, each bar shows the shape of
# one table: the ids, the embeddings, the output of a layer or a norm, or the logits. (The code calls a layer
# `block`.) The player also shows the tensors inside a layer. In the [**feed-forward
# layer**](../docs/glossary.md#feed-forward-layer), a vector of 96 numbers is multiplied by a matrix. The result has
# 192 numbers. The function `relu` replaces negative numbers by 0. The product with a second matrix has 96 numbers
# again. Choose a published model, such as `t5-base`. Large models are as fast as small ones here, because the player
# computes only shapes.

# %%
from tokenlab.show.explorers.explore_t5 import explore_t5_shapes

explore_t5_shapes(model.config)

# %% [markdown]
# ### Versions 1.0 and 1.1
#
# In version 1.1 of T5, the feed-forward layer has a [**gated activation**](../docs/glossary.md#gated-activation). Two matrices give two long vectors. The function
# `gelu`, a smooth form of `relu`, is applied to the first vector. Then the two vectors are multiplied number by number. There is no [**weight tying**](../docs/glossary.md#weight-tying): the logits have their own matrix, and
# the hidden states are not scaled. The attention is the same.

# %%
from tokenlab.libraries.transformers.models.t5.modeling_t5 import T5DenseActDense, T5DenseGatedActDense

show.source(T5DenseActDense.forward, T5DenseGatedActDense.forward)

# %% [markdown]
# The code also contains [**dropout**](../docs/glossary.md#dropout), which sets random numbers of a tensor to 0 during training. A call of
# `model.eval()` switches it off.
#
# ### A common mistake: logits without the scaling
#
# Suppose that a program multiplies the last hidden states by the table of embeddings and omits the factor $d_{model}^{-1/2}$. The cell computes
# the logits without the factor and with it. Each time, it answers two questions: are the logits those of the
# model? Are the most probable tokens those of the model?

# %%
batch = tokenizer([source], text_target=[target], return_tensors="pt")
output = model(**batch, output_hidden_states=True)
states, table = output.decoder_hidden_states[-1], model.shared.weight
made = {"without the factor": states @ table.T, "with the factor": states * model.config.d_model**-0.5 @ table.T}
{k: (z.allclose(output.logits, atol=1e-3), z.argmax(-1).equal(output.logits.argmax(-1))) for k, z in made.items()}

# %% [markdown]
# The factor multiplies all logits of a row by the same positive number, so the order of the tokens stays the same. The probabilities and the loss change.
#
# ### Perplexity
#
# The loss $L$ is also called the mean **negative log-likelihood** of the labels, and $e^L$ is the
# [**perplexity**](../docs/glossary.md#perplexity). Suppose that a model gives $k$ tokens the probability $1/k$, and all other tokens 0. One
# of the $k$ tokens is the correct one. Then the perplexity is $k$. The cell computes the perplexity of the trained model and of an
# [**untrained model**](../docs/glossary.md#untrained-model), for a vocabulary of 900 tokens.

# %%
models = {"trained": model, "untrained": untrained_t5(tokenizer)}
{name: round(one(**batch).loss.exp().item(), 1) for name, one in models.items()}

# %% [markdown]
# If all 900 tokens had the same probability, the perplexity would be 900. The untrained model is a little worse.
#
# ### A common mistake: the start token in the labels
#
# The model puts the start token in front. Suppose that the labels already begin with it. The cell prints the loss for the correct labels and for
# these labels.

# %%
labels = tokenizer("Meine Schwester kauft einen roten Regenschirm.", return_tensors="pt").input_ids
bought = tokenizer("translate English to German: My sister is buying a red umbrella.", return_tensors="pt")
twice = torch.cat([torch.tensor([[0]]), labels], dim=1)
[round(model(**bought, labels=given).loss.item(), 2) for given in (labels, twice)]

# %% [markdown]
# The text is the same, but the loss is much higher. The model was never trained to predict `<pad>`.
#
# ### A common mistake: another start token
#
# The first input of the decoder must be the token with which the model was trained. What does the tiny T5 write if `</s>` is the
# start token?

# %%
model.config.decoder_start_token_id = 1
wrong = greedy_decode_texts(model, tokenizer, [source])
model.config.decoder_start_token_id = 0
wrong, greedy_decode_texts(model, tokenizer, [source])

# %% [markdown]
# The first output mixes German, English and Chinese. The second output means "The teacher has given the child a red book".
#
# ### A trained model without its mask
#
# The tiny T5 was trained with the mask. If the mask is switched off now, the loss of the parallel pass rises from 0.22 to 2.14. The model
# never learned what to do with later tokens: they disturb it, and it does not copy
# them. The last step of the player below shows the text that the model generates without the mask.

# %%
trace_token_losses.record(model, tokenizer, source, target, causal=False).play(opened=-1)

# %% [markdown]
# Generation is [**autoregressive**](../docs/glossary.md#autoregressive): each token is predicted from the tokens before it. With a cache, the
# decoder reads one token at a
# time, so there are no later tokens to hide. The parallel pass needs the mask.
#
# ### No label counts
#
# If all labels are `-100`, the loss is the mean of no numbers. `transformers` returns `nan`, "not a number", without
# a message. Our version returns `nan` as well, and it warns.

# %%
import warnings

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    loss = model(**batch | {"labels": torch.full_like(batch["labels"], -100)}).loss
print(loss.item(), "|", said[0].message)

# %% [markdown]
# ### The lowest number, not minus infinity
#
# A decoder's mask has a row for each query. Suppose that all keys of a row are hidden. What is the softmax of this row if the mask contains
# minus infinity? And if the mask contains the lowest finite number?

# %%
forbidden = torch.full((2,), 1.0)
{lowest: torch.softmax(forbidden + lowest, 0).tolist() for lowest in (float("-inf"), torch.finfo(torch.float32).min)}

# %% [markdown]
# ### Greedy search
#
# Greedy search takes the most probable token in each step. With the cache, it is a short loop for one text. `START` is the id of `<pad>`,
# and `END` is the id of `</s>`. `next_logits` is a function of the newest id and the cache. In the file, it calls `cached_logits` with the
# encoded source and the weights. The cache has a pair of tensors for each layer: the keys and the values of self-attention, which have the
# length 0 at first. `extend` runs the layers of the decoder on the new ids. In each layer, `cached_sublayer` returns its output, and a pair
# in which the new keys and values follow the cached ones. `past` is the number of tokens that are cached.

# %%
from tokenlab import show
from tokenlab.minimal import t5

show.source(t5.greedy_search, t5.cached_logits, t5.extend)

# %% [markdown]
# For one new id, the causal mask in `extend` hides nothing. In training, `decoder` gives `extend` all ids at once, with an empty cache, so
# the mask is needed there.
#
# `cross_attention_sublayer` computes the keys and values of the source again in each step. `model.generate` computes the same logits with
# other code, the class `T5IncrementalDecoder` in `tokenlab.libraries.transformers`. It stores the keys and values of the source as well, so
# it is faster. A test compares the ids of both. Lessons 17 to 20 use `model.generate`, also with other ways of choosing the next token.

# %% [markdown]
# ### A common mistake: a token for the beginning of the text
#
# BERT's tokenizer puts `[CLS]` in front of a text. Which tokens does T5's tokenizer add?

# %%
tokenizer.convert_ids_to_tokens(tokenizer(target)["input_ids"])

# %% [markdown]
# It adds only `</s>`, at the end. A T5 has no token for the beginning of a text. The *model* puts `<pad>` in front of the labels when it shifts them.

# %% [markdown]
# ### The whole algorithm on one page
#
# The file `tokenlab/minimal/t5.py` is a whole T5: the encoder, the decoder, the cache, the loss and greedy search. It loads the weights
# of the tiny T5 and translates. `generate` of this kit runs faster code, `T5IncrementalDecoder`, which returns the same ids.

# %%
from tokenlab import show
from tokenlab.minimal import t5

show.source(t5)
