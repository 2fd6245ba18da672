# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Capstone: a language model from an empty file
#
# > **You will be able to** build and train a decoder-only language model: an n-gram baseline, batches, rotary positions, shared key-value heads, SwiGLU, a
# > cache, the training loop and sampling. Your model will write stories, and a checker will tell you how many of them make sense.
# >
# > **Time:** core 10 minutes, practice 152 minutes. **Before this:** `24_decoder_only`, `capstone_gpt2_tokenizer`, `capstone_t5`.
# >
# > The minutes are those of a reader who has built the T5 of `capstone_t5`. The training at the end takes 10 more minutes of your computer's time, and
# > the experiment takes 20 to 30 more minutes of yours, plus the computing.
#
# The models behind today's chats are decoder-only: they have no encoder, and prompt and answer are one sequence. Nevertheless, you already know most
# of their parts, because your T5 has them as well. Here you write all of them into an empty file, train the model on short stories, and measure what
# it has learned. There are 16 steps. Each step has one or more functions of about 1 to 20 lines, and each function has a check.
#
# The training texts come from a generator of stories. The cell writes 2,000 of them and prints the first.

# %%
from random import Random
from tokenlab import data

stories = [data.stories().story(Random(number)) for number in range(2000)]
print(stories[0])

# %% [markdown]
# The generator can also read. For any text, it tells whether all sentences are grammatical, and it lists the contradictions. In the next text, Mia
# finds a ring that nobody has mentioned. In the end, the same two functions will judge the stories of your model.

# %%
text = "Once upon a time, there was a girl named Mia. Mia found the ring under a bench."
data.stories().grammatical(text), data.stories().consistent(text)

# %% [markdown]
# The kit has a trained model of this kind. Step through its work on a prompt: it reads the whole prompt at once, and then each new token alone. You
# will write all of its parts.

# %%
from tokenlab.minimal import decoder, gpt2_tokenizer
from tokenlab.traces.generation.trace_decoder import trace_decoder

kit_ranks = gpt2_tokenizer.load(data.decoder_tiny() / "vocabulary.tiktoken")
kit_tokenizer = gpt2_tokenizer.Tokenizer(kit_ranks, {"<|endoftext|>": len(kit_ranks)})
kit_model = decoder.Decoder.from_folder(data.decoder_tiny())
trace_decoder.record(kit_model, kit_tokenizer, "Once there was a girl", temperature=0, max_new=6)

# %% [markdown]
# ## How to work
#
# Replace the three dots in each cell and run the cell. Each cell ends with its check, which runs your function on random inputs. Numbers of tensors
# may be off by 0.0001. After a mistake, the check shows an input for which your result is wrong. Run the cell again to see the rule. A third run with
# the same mistake reveals the correct results next to yours, and offers a worked solution. A new kind of mistake starts again without the rule.
#
# You may use `torch` and Python's own modules, such as `math`. Do not use `tokenlab` or `transformers`, except where a cell imports them. The tables
# of shapes and of operations in `capstone_t5` are useful here as well. Steps use functions of earlier steps. If you cannot write one, copy its worked
# solution, such as `print(check.solution("lm_rotate"))`, once the check has offered it.
#
# ## The tokenizer
#
# A byte-level BPE vocabulary of 1,799 tokens is learned from the stories. One more id, the last one, means the end of a story, `<|endoftext|>`.
# `encode` remembers the ids of each pre-token, so that it is fast. If you have solved `capstone_gpt2_tokenizer`, you may use your own functions:
# `encode = MyTokenizer(ranks, {}).encode` is slower. `my_fast_train(word_counts, 1543)` returns the tokens after the 256 bytes, where the words are
# `bytes`: `word_counts = {b"".join(word): count for word, count in words.items()}`.

# %%
from functools import cache
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.minimal.gpt2_tokenizer import Tokenizer, load, save

symbols = [bytes([byte]) for byte in range(256)]
words = count_words(stories, split="gpt2", symbols="bytes")
merges = train_indexed(words, 1799, tie_break="lowest_id", initial_alphabet=symbols)
ranks = {token: rank for rank, token in enumerate([*symbols, *(left + right for left, right in merges)])}
len(ranks)

# %%
tokenizer = Tokenizer(ranks, {})
ids_of = cache(tokenizer.encode_ordinary)


def encode(text):
    return [id for piece in tokenizer.pattern.findall(text) for id in ids_of(piece)]


print(encode("Once upon a time, there was a girl named Mia."))

# %% [markdown]
# ## The model's sizes and weights
#
# The model has the form of Llama, with its names. `weight_shapes` returns the shape of each weight. All weights are matrices or vectors, and a matrix
# has a row for each output number, as in a T5. There are 4 query heads, but only 2 key-value heads: this is [**grouped-query
# attention**](../docs/glossary.md#grouped-query-attention).

# %%
import torch
from tokenlab.minimal.decoder import SMALL, weight_shapes

config = SMALL | {"vocab_size": len(ranks) + 1}
print(config)
{name: shape for name, shape in weight_shapes(config).items() if "layers.0" in name or "layers" not in name}

# %% [markdown]
# Before training, matrices are random and small, and the weights of norms are 1. Two functions are given. `layer_weights` returns the weights of one
# layer with short names. `empty_cache` returns the [cache](../docs/glossary.md#kv-cache) before the first token: for each layer a pair of tensors,
# keys and values, whose length is 0.

# %%
torch.manual_seed(0)
untrained = {name: torch.ones(s) if len(s) == 1 else torch.randn(s) * 0.1 for name, s in weight_shapes(config).items()}
sum(weight.numel() for weight in untrained.values())


# %%
def layer_weights(weights, n):
    start = f"model.layers.{n}."
    return {name.split(".")[-2]: weight for name, weight in weights.items() if name.startswith(start)}


{name: tuple(weight.shape) for name, weight in layer_weights(untrained, 0).items()}


# %%
def empty_cache(config, rows):
    empty = torch.zeros(rows, config["num_key_value_heads"], 0, config["head_dim"])
    return [(empty, empty)] * config["num_hidden_layers"]


empty_cache(config, 1)[0][0].shape

# %% [markdown]
# ## Practice
#
# ### Step 1: documents · easy · 4 minutes · importance 3 of 5
#
# Write `my_documents`. `texts` is a list of strings. `encode` is a function from a string to a list of ids. `end` is the id of the end. Return a list
# of documents, one for each text. A document is the list of the text's ids, with `end` in front and `end` after it. The model predicts the first word
# of a story from the end of another one, which is why the end comes first. Example: if `encode("ab")` is `[0, 1]`, then `["ab"]` and the end 8 give
# `[[8, 0, 1, 8]]`.

# %% tags=["practice"]
from tokenlab import check


def my_documents(texts, encode, end):
    return ...


check.lm_documents(my_documents)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many lists does the result contain, and what does each of them start with?</details>
# <details><summary>Hint: a smaller example</summary>An empty text gives <code>[end, end]</code>.</details>
# <details><summary>Hint: the structure</summary>A list comprehension over the texts. <code>[end, *ids, end]</code> puts a list between two numbers.</details>
#
# ### Step 2a: counts of n-grams · medium · 7 minutes · importance 4 of 5
#
# A loss means little without a baseline. Ours is a 4-gram model, an [n-gram model](../docs/glossary.md#n-gram) with $n=4$: it predicts an id from the
# three ids before it, by counting. Write `my_counts`. `documents` is a list of lists of ids. For each position of a document but the first, and for
# each length from 0 to `order - 1`, the **context** is the tuple of that number of ids just before the position. A context that would begin before
# the document is left out. Return a dictionary from each context to a dictionary from each id that follows it to its count. Example: `[[0, 1, 0]]`
# and the order 2 give `{(): {1: 1, 0: 1}, (0,): {1: 1}, (1,): {0: 1}}`.


# %% tags=["practice"]
def my_counts(documents, order):
    counts = {}
    return ...


check.lm_counts(my_counts)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which contexts does the second id of a document have, and which does the fifth have, with the order 4?</details>
# <details><summary>Hint: a smaller example</summary>In <code>[0, 1, 0]</code>, the id at position 2 is 0. With the order 3, its contexts are <code>()</code>, <code>(1,)</code> and <code>(0, 1)</code>.</details>
# <details><summary>Hint: the structure</summary>Three loops: documents, positions <code>at</code> from 1 on, lengths up to <code>min(order - 1, at)</code>. The context is <code>tuple(document[at - length : at])</code>. <code>counts.setdefault(context, {})</code> returns its dictionary, and makes it first if necessary.</details>
#
# ### Step 2b: the probability of an id · medium · 8 minutes · importance 4 of 5
#
# Most contexts of three ids were seen rarely or never, so their counts alone would give many ids the probability 0. Therefore they are mixed with the
# probability after a shorter context (Witten and Bell's interpolation):
#
# $$ p(id\mid context)=\frac{count + D\cdot p(id\mid shorter)}{N+D} $$
#
# $count$ is the number of times that `id` followed the context. $N$ is the number of ids that were counted after the context, with repetitions, and
# $D$ is the number of different ones. The shorter context leaves out the first id. Below the empty context, each id has the probability `1 /
# vocab_size`. If a context was never seen, the probability is that after the shorter context. Write `my_probability`. `context` is a tuple, and
# `counts` is a result of step 2a. Return a number. Example: with the counts `{(): {7: 3}}`, the id 7, the empty context and 10 ids, the result is
# $(3 + 1\cdot 0.1) / (3 + 1) = 0.775$.


# %% tags=["practice"]
def my_probability(id, context, counts, vocab_size):
    # Floats may be off by a millionth.
    return ...


check.lm_probability(my_probability)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which argument becomes smaller when the function calls itself, and when does this end?</details>
# <details><summary>Hint: a smaller example</summary>With the counts above, the id 5 has the probability <code>(0 + 1 * 0.1) / 4</code> after the empty context, and the same after the unseen context <code>(2,)</code>.</details>
# <details><summary>Hint: the structure</summary>First compute the probability after <code>context[1:]</code>, or <code>1 / vocab_size</code> if the context is empty. Then look up <code>counts.get(context, {})</code>. D is the length of this dictionary, and N the sum of its values.</details>
#
# ### Step 2c: the loss of a document · easy · 5 minutes · importance 4 of 5
#
# Write `my_ngram_nats`. Each id of `document` but the first is predicted from the `order - 1` ids before it, or from all ids before it if there are
# fewer. Return the sum of $-\ln p$. With the natural logarithm, its unit is the **nat**. Example: `[0, 7]`, the counts `{(): {7: 3}}`, the order 4
# and 10 ids give $-\ln 0.775$, about 0.2549.

# %% tags=["practice"]
import math


def my_ngram_nats(document, counts, order, vocab_size):
    # Floats may be off by a millionth.
    return ...


check.lm_ngram_nats(my_ngram_nats)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does a slice with a negative start return?</details>
# <details><summary>Hint: a smaller example</summary>In <code>[0, 1, 2, 3, 4]</code> with the order 3, the contexts are <code>(0,)</code>, <code>(0, 1)</code>, <code>(1, 2)</code> and <code>(2, 3)</code>.</details>
# <details><summary>Hint: the structure</summary>For each position from 1 on, the context starts at <code>max(0, at - order + 1)</code>. Add <code>-math.log(...)</code>.</details>
#
# ### Step 2d: nats per byte · easy · 3 minutes · importance 5 of 5
#
# The loss per token says little about models with different tokenizers, because longer tokens are fewer and harder to predict. The bytes of a text
# are always the same. Write `my_per_byte`. `nats` has the loss of each text, and `texts` has the texts. Return the loss of all texts together,
# divided by the number of all their UTF-8 bytes. Example: `[1.0, 3.0]` and `["a", "bcd"]` give 1.0.


# %% tags=["practice"]
def my_per_byte(nats, texts):
    # Floats may be off by a millionth.
    return ...


check.lm_per_byte(my_per_byte)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many bytes has <code>"é"</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>[1.0, 3.0]</code> and <code>["a", "bc"]</code> give 4 / 3, not the mean of 1 and 1.5.</details>
# <details><summary>Hint: the structure</summary>One sum divided by another. <code>text.encode()</code> returns the bytes of a text.</details>
#
# Now measure the baseline. Insert a cell with these lines. The stories with the numbers from 1,000,000 on are
# [held out](../docs/glossary.md#held-out): no model has seen them.
#
# ```python
# documents = my_documents(stories, encode, len(ranks))
# held_out = [data.stories().story(Random(1_000_000 + number)) for number in range(24)]
# for order in (1, 2, 3, 4):
#     counts = my_counts(documents, order)
#     nats = [my_ngram_nats(one, counts, order, len(ranks) + 1) for one in my_documents(held_out, encode, len(ranks))]
#     print(order, my_per_byte(nats, held_out))
# ```
#
# With 2,000 stories, the 4-gram model needs about 0.26 nats per byte. When we counted 20,000, it needed 0.22. Your language model will read the same 20,000 stories,
# and its loss should be clearly below this number.
#
# ### Step 3: a batch without leaks · medium · 7 minutes · importance 5 of 5
#
# A row of a batch contains one document, because in a row with several, a token would be predicted from a story that has nothing to do with it. Write
# `my_batch`. `documents` are those of step 1. Return a pair of tensors of integers, both of the shape `(len(documents), width)`:
#
# - A row of the **inputs** has the first `width` ids of its document. A shorter document is followed by `end` in the rest of the row.
# - The **label** of a position is the id that follows in the document. If none follows, the label is -100, and the loss will ignore the position.
#
# So a document of `width + 1` or more ids has a label at every position. Example: `[[8, 5, 8]]` and the width 4 give the inputs `[[8, 5, 8, 8]]` and
# the labels `[[5, 8, -100, -100]]`.


# %% tags=["practice"]
def my_batch(documents, width, end):
    return ...


check.lm_batch(my_batch)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which id of a document has no label, because nothing follows it? Which id is no label, because nothing precedes it?</details>
# <details><summary>Hint: a smaller example</summary><code>[[8, 1, 2, 3, 8]]</code> and the width 2 give the inputs <code>[[8, 1]]</code> and the labels <code>[[1, 2]]</code>.</details>
# <details><summary>Hint: the structure</summary>Make two tensors with <code>torch.full</code>: one of <code>end</code>, one of -100. For each row, take <code>ids = document[: width + 1]</code>. Write all but the last id into the inputs, and all but the first into the labels. (The last id need not be written: it is <code>end</code>, which fills the row already.)</details>
#
# ### Step 4: RMS norm · easy · 3 minutes · importance 4 of 5
#
# Now the model. Its norm is that of a T5, so you may copy `my_norm` from `capstone_t5`. `x` has the shape `(batch, length, size)`. `weight` has the
# shape `(size,)`. For each vector, add $10^{-6}$ to the mean of its squares. Take the square root of this sum, and divide the vector by it. Then
# multiply it by the weights. Example: `[[[3.0, 4.0]]]` and `[1.0, 2.0]` give about `[[[0.849, 2.263]]]`.


# %% tags=["practice"]
def my_norm(x, weight):
    return ...


check.lm_norm(my_norm)

# %% [markdown]
# <details><summary>Hint: a question</summary>Over which dimension is the mean?</details>
# <details><summary>Hint: a smaller example</summary>For <code>[3, 4]</code>, the mean of the squares is 12.5.</details>
# <details><summary>Hint: the structure</summary><code>x.pow(2).mean(-1, keepdim=True)</code> has the shape <code>(batch, length, 1)</code>. Add 1e-6 to it, and only then call <code>.sqrt()</code>.</details>
#
# ### Step 5: rotary positions · hard · 11 minutes · importance 5 of 5
#
# A T5 adds a bias to the scores for each distance. Here, positions **rotate** the queries and keys instead ([rotary position
# embedding](../docs/glossary.md#rotary-position-embedding)). The dot product of two rotated vectors
# depends on the difference of their angles, so a score knows the distance. Write `my_rotate`. `x` has the shape `(batch, heads, length, head_dim)`.
# `positions` is a tensor of integers of the shape `(length,)`. `theta` is a number, $\theta$ in the formula. If the numbers of a vector are counted
# from 0, numbers $i$ and $i+\frac{head\_dim}{2}$ are a pair $(a, b)$, for each $i$ below $\frac{head\_dim}{2}$. At the position $p$, its angle in
# radians is
#
# $$ \varphi = p\cdot\theta^{-2i/head\_dim}, $$
#
# and the pair becomes $(a\cos\varphi-b\sin\varphi,\; b\cos\varphi+a\sin\varphi)$, at the same two places. Return a tensor of the shape of `x`.
# Example: `[[[[1.0, 0.0]]]]` at the position 2 gives about `[[[[-0.416, 0.909]]]]`, the cosine and the sine of 2.


# %% tags=["practice"]
def my_rotate(x, positions, theta):
    return ...


check.lm_rotate(my_rotate)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many different angles does one position have, and what shape have all angles together?</details>
# <details><summary>Hint: a smaller example</summary>With head_dim 4, the pairs are the numbers 0 and 2, and the numbers 1 and 3. With theta 100, their angles per position are 1 and 0.1.</details>
# <details><summary>Hint: the structure</summary>With <code>half = x.shape[-1] // 2</code>, the exponents are <code>-torch.arange(half) / half</code>. A column of positions times a row of powers of theta has the shape <code>(length, half)</code>. <code>x[..., :half]</code> and <code>x[..., half:]</code> are the first and second numbers of all pairs; <code>torch.cat(..., dim=-1)</code> joins the results.</details>
#
# ### Step 6a: visible keys · easy · 4 minutes · importance 5 of 5
#
# Each token sees itself and the tokens before it. With a cache, there are more keys than queries. Write `my_visible`. The keys are at the positions 0
# to `keys` - 1, and the queries are at the last `queries` of them. Return a tensor of truth values of the shape `(queries, keys)`: `True` where the
# query sees the key. Example: 2 queries and 3 keys give `[[True, True, False], [True, True, True]]`.


# %% tags=["practice"]
def my_visible(queries, keys):
    return ...


check.lm_visible(my_visible)

# %% [markdown]
# <details><summary>Hint: a question</summary>With 2 queries and 5 keys, what is the position of the first query?</details>
# <details><summary>Hint: a smaller example</summary>A single query sees all keys, because it is the last position.</details>
# <details><summary>Hint: the structure</summary>Compare a row of key positions with a column of query positions: <code>... &lt;= ...[:, None]</code>.</details>
#
# ### Step 6b: grouped-query attention · medium · 9 minutes · importance 5 of 5
#
# Write `my_attention`. `q` has the shape `(batch, heads, queries, head_dim)`. `k` and `v` have the shape `(batch, kv_heads, keys, head_dim)`.
# `visible` is the result of step 6a. `heads` is a multiple of `kv_heads`, and query heads that share a key-value head are neighbours: with 4 heads
# and 2 key-value heads, the query heads 0 and 1 use the key-value head 0. For each query head, compute
#
# $$ \mathrm{softmax}\left(\frac{QK^\top}{\sqrt{head\_dim}}\right)V, $$
#
# where keys that the query does not see get the weight 0. Return a tensor of the shape `(batch, queries, heads * head_dim)`, with head 0 first, as in
# your T5. Example: if a query sees only one key, each head returns the value of this key in its key-value head.


# %% tags=["practice"]
def my_attention(q, k, v, visible):
    return ...


check.lm_attention(my_attention)

# %% [markdown]
# <details><summary>Hint: a question</summary>How often must each key-value head be repeated, and should its copies be neighbours?</details>
# <details><summary>Hint: a smaller example</summary><code>torch.tensor([5, 6]).repeat_interleave(2)</code> is <code>[5, 5, 6, 6]</code>, and <code>torch.tensor([5, 6]).repeat(2)</code> is <code>[5, 6, 5, 6]</code>.</details>
# <details><summary>Hint: the structure</summary>Repeat keys and values with <code>repeat_interleave(..., dim=1)</code>. Before the softmax, replace the scores of hidden keys: <code>scores.masked_fill(~visible, torch.finfo(scores.dtype).min)</code>. The last line is that of your T5: <code>transpose(1, 2).flatten(2)</code>.</details>
#
# ### Step 7: SwiGLU · easy · 4 minutes · importance 4 of 5
#
# The feed-forward part has three matrices and a [gated activation](../docs/glossary.md#gated-activation). Write `my_swiglu`. `x` has the shape
# `(batch, length, size)`. `gate` and `up` have the shape `(wide, size)`, and `down` has the shape `(size, wide)`. Multiply `x` by the transpose of
# `gate`, and apply SiLU, $\mathrm{silu}(z)=z\cdot\mathrm{sigmoid}(z)$, to each number. Also multiply `x` by the transpose of `up`. Multiply both
# results, number by number. Then multiply by the transpose of `down`. Example: `x` is `[[[2.0]]]`, `gate` is `[[9.0]]`, and `up` and `down` are
# `[[1.0]]`. Then the result is about `[[[36.0]]]`, which is $18\cdot 2$.


# %% tags=["practice"]
def my_swiglu(x, gate, up, down):
    return ...


check.lm_swiglu(my_swiglu)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the three products goes through SiLU?</details>
# <details><summary>Hint: a smaller example</summary>If <code>gate</code> is 0 everywhere, the result is 0, because silu(0) is 0.</details>
# <details><summary>Hint: the structure</summary><code>torch.nn.functional.silu</code> takes a tensor. <code>*</code> multiplies number by number, and <code>@</code> is the product of matrices.</details>
#
# ### Step 8: a layer with its cache · hard · 13 minutes · importance 5 of 5
#
# Write `my_layer`. `x` has the shape `(batch, length, size)`: the hidden states of the new tokens. `w` has the weights that `layer_weights` returns.
# `cache` is the pair (keys, values) of the tokens before, both of the shape `(batch, kv_heads, cached, head_dim)`. `cached` may be 0. In training and
# for a prompt (the [**prefill**](../docs/glossary.md#prefill)), all tokens are new; later, only one is.
#
# 1. Normalize `x` with `input_layernorm`. Multiply it by the transposes of `q_proj`, `k_proj` and `v_proj`. Split each product into heads of
#    `config["head_dim"]` numbers, as in your T5. There are fewer heads of keys and values than of queries.
# 2. The new tokens have the positions `cached`, `cached + 1`, and so on. Rotate the queries and the new keys with `config["rope_theta"]`. The keys in
#    the cache are already rotated.
# 3. Append the new keys and values to those of the cache, along the length. The queries attend to all keys that they see. Multiply the result by the
#    transpose of `o_proj`, and add `x`.
# 4. Normalize the sum with `post_attention_layernorm`. Apply SwiGLU with `gate_proj`, `up_proj` and `down_proj`, and add the sum.
#
# Return a pair: the output, of the shape of `x`, and the new cache, a pair (keys, values). Example: with the config above, `x` of the shape `(1, 3,
# 128)` and a cache of the length 5 give an output of the shape `(1, 3, 128)` and keys of the shape `(1, 2, 8, 32)`.


# %% tags=["practice"]
def my_layer(x, w, config, cache):
    return ...


check.lm_layer(my_layer)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many keys are there after this layer, and how many queries? Which step needs both numbers?</details>
# <details><summary>Hint: a smaller example</summary>With a cache of the length 5 and 3 new tokens, the positions are 5, 6 and 7, and <code>my_visible(3, 8)</code> is the mask.</details>
# <details><summary>Hint: the structure</summary>Write a small function that multiplies the normalized states by one matrix and splits the heads: <code>.unflatten(-1, (-1, config["head_dim"])).transpose(1, 2)</code>. The positions are <code>cache[0].shape[2] + torch.arange(x.shape[1])</code>. Then follow points 2 to 4.</details>
#
# ### Step 9: the logits · medium · 6 minutes · importance 5 of 5
#
# Write `my_logits`. `ids` has the shape `(batch, length)`: the new ids. `cache` is a list with one pair for each layer. Look up the embeddings in
# `weights["model.embed_tokens.weight"]`. Call each of the `config["num_hidden_layers"]` layers. Normalize with `weights["model.norm.weight"]`.
# Multiply by the transpose of the table of embeddings, without a factor. Return a pair: the logits after each new id, of the shape `(batch, length,
# vocab_size)`, and the new cache, a list of pairs. Example: `torch.tensor([[5, 6, 7]])` and `empty_cache(config, 1)` give logits of the shape `(1, 3,
# 1800)`.


# %% tags=["practice"]
def my_logits(ids, weights, config, cache):
    return ...


check.lm_logits(my_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two things does layer n need that have the number n?</details>
# <details><summary>Hint: a smaller example</summary>With one layer, there is one call of <code>my_layer</code>, with <code>layer_weights(weights, 0)</code> and <code>cache[0]</code>.</details>
# <details><summary>Hint: the structure</summary>Before the loop, make an empty list. In the loop, <code>my_layer</code> returns two values: the next <code>x</code>, and a pair to append.</details>
#
# ### Step 10: the loss · easy · 4 minutes · importance 5 of 5
#
# Write `my_loss`. `logits` has the shape `(batch, length, vocab_size)`, and `labels` has the shape `(batch, length)`. The loss of a position is minus
# the natural logarithm of the probability of its label. `my_batch` has already shifted the labels. Return the mean over all positions whose label is
# not -100, as a tensor with one number. It is the function of your T5. Example: `[[[0.0, 0.0], [5.0, 0.0]]]` and `[[1, -100]]` give $\ln 2$, about
# 0.693.


# %% tags=["practice"]
def my_loss(logits, labels):
    return ...


check.lm_loss(my_loss)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which position of the labels belongs to position 0 of the logits?</details>
# <details><summary>Hint: a smaller example</summary>Two logits of 0 are two probabilities of 0.5.</details>
# <details><summary>Hint: the structure</summary><code>kept = labels != -100</code> selects rows of <code>logits</code> and numbers of <code>labels</code>. Index the log-probabilities with two tensors: <code>torch.arange(...)</code> and the labels that are kept.</details>
#
# ### Step 11: the learning rate · medium · 6 minutes · importance 4 of 5
#
# At the start, gradients are large and unreliable, so the first steps are short. In the end, short steps let the loss settle. The [learning
# rate](../docs/glossary.md#learning-rate) decides how long a step is. Write `my_rate`. `step` counts from 0 to `steps - 1`. `warm` is a tenth of the
# steps, rounded down, but at least 1. In the [**warm-up**](../docs/glossary.md#warm-up), while `step` is below `warm`, return
# $peak\cdot\frac{step+1}{warm}$. After it, the rate falls along a cosine to a tenth of its peak:
#
# $$ peak\cdot(0.55+0.45\cos(\pi\cdot share)),\qquad share=\frac{step+1-warm}{steps-warm}. $$
#
# Example: with 20 steps and the peak 1, step 0 has the rate 0.5, and step 19 has the rate 0.1.

# %% tags=["practice"]
import math


def my_rate(step, steps, peak):
    # Floats may be off by a millionth.
    return ...


check.lm_rate(my_rate)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the share in the last step, and what is the cosine of pi?</details>
# <details><summary>Hint: a smaller example</summary>With 3 steps, <code>warm</code> is 1: only step 0 belongs to the warm-up, and its rate is the peak.</details>
# <details><summary>Hint: the structure</summary><code>warm = max(1, steps // 10)</code>, an <code>if</code> for the warm-up, and the formula.</details>
#
# ### Step 12: clipping · easy · 4 minutes · importance 4 of 5
#
# One unusual batch can have a gradient that destroys the weights. Therefore long gradients are shortened ([gradient
# clipping](../docs/glossary.md#gradient-clipping)). Write `my_clip`. `gradients` is a list of
# tensors. Their common norm is the square root of the sum of the squares of all numbers in all of them. If the norm is greater than `limit`, multiply
# all gradients by `limit` divided by the norm. Return a list of tensors. Example: `[torch.tensor([3.0]), torch.tensor([4.0])]` and the limit 1 give
# `[0.6]` and `[0.8]`.


# %% tags=["practice"]
def my_clip(gradients, limit):
    return ...


check.lm_clip(my_clip)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many factors are there?</details>
# <details><summary>Hint: a smaller example</summary>With the limit 100, the gradients of the example stay as they are: their norm is 5.</details>
# <details><summary>Hint: the structure</summary>Add <code>gradient.pow(2).sum()</code> over all gradients. The factor is <code>min(1.0, limit / norm)</code>, where <code>.item()</code> makes a number of the norm.</details>
#
# ### Step 13: a step of AdamW · medium · 8 minutes · importance 4 of 5
#
# [AdamW](../docs/glossary.md#adamw) keeps two running means for each number $w$ of a weight: $m$ of its gradient $g$ and $v$ of the square of the
# gradient. Write `my_adamw`. `weight`, `gradient`, `m` and `v` are tensors of the same shape. `step` counts from 1. Compute, in this order,
#
# $$ m\leftarrow 0.9\,m+0.1\,g,\qquad v\leftarrow 0.95\,v+0.05\,g^2, $$
# $$ w\leftarrow w\,(1-0.1\cdot rate)-rate\cdot\frac{m\,/\,(1-0.9^{step})}{\sqrt{v\,/\,(1-0.95^{step})}+10^{-8}}. $$
#
# The factor $1-0.1\cdot rate$ makes each weight a little smaller ([**weight decay**](../docs/glossary.md#weight-decay)). Return the new `weight`,
# `m` and `v`, as three tensors. The divisors correct the means in the first steps, when they are still near 0; the `m` and
# `v` that you return are not corrected. Example: the weight `[1.0]`, the gradient `[2.0]`, `m` and `v` `[0.0]`, step 1 and the rate 0.1 give about
# `[0.89]`, `[0.2]` and `[0.2]`.


# %% tags=["practice"]
def my_adamw(weight, gradient, m, v, step, rate):
    return ...


check.lm_adamw(my_adamw)

# %% [markdown]
# <details><summary>Hint: a question</summary>In the example, what are the corrected <code>m</code> and the root of the corrected <code>v</code>?</details>
# <details><summary>Hint: a smaller example</summary>In the first step, the quotient is the sign of the gradient: 2 / 2 in the example. So the weight becomes 1 · 0.99 - 0.1 · 1.</details>
# <details><summary>Hint: the structure</summary>One line for <code>m</code>, one for <code>v</code>, and one for the new weight. Do not change the arguments in place.</details>
#
# ### Step 14: the training loop · hard · 17 minutes · importance 5 of 5
#
# Write `my_train`. `batches` is a list of pairs (inputs, labels). A training step uses the next `parts` batches: their gradients are added up
# ([**accumulation**](../docs/glossary.md#gradient-accumulation)), so that a step sees more text than the memory holds at once. There are
# `len(batches) // parts` steps; left-over batches are not used. Work on copies of the weights that need a gradient,
# `weight.clone().requires_grad_()`, and start with an `m` and a `v` of zeros for each weight. In each training step:
#
# 1. For each of its batches, compute the logits with `empty_cache(config, len(inputs))`, and the loss divided by `parts`. `loss.backward()` adds the gradient of each
#    weight to `weight.grad`.
# 2. Call `my_clip` on the gradients of all weights, with the limit 1. Point 3 uses its results.
# 3. Change each weight with `my_adamw`. `my_rate` counts the steps from 0, and `my_adamw` from 1. Do this inside `with torch.no_grad():`, where
#    PyTorch does not record the computation; `weight.copy_(new)` copies numbers into a weight. Then set `weight.grad = None`.
#
# Return a pair: a dictionary of the trained weights, without gradients (`weight.detach()`), and the list of the losses, one number for each training
# step: the sum over its parts. Example: with 6 batches and 2 parts, there are 3 losses.


# %% tags=["practice"]
def my_train(weights, config, batches, parts, peak):
    return ...


check.lm_train(my_train)

# %% [markdown]
# <details><summary>Hint: a question</summary>What happens in the second training step if <code>weight.grad</code> still has the gradient of the first?</details>
# <details><summary>Hint: a smaller example</summary>With <code>parts</code> 2, the second training step uses <code>batches[2:4]</code>.</details>
# <details><summary>Hint: the structure</summary>Outside: two dictionaries, for the weights and for the pairs (m, v), and a list for the losses. Inside the loop over the steps: a loop over the parts, a call of <code>my_clip</code> with <code>[weight.grad for weight in weights.values()]</code>, and a loop over the weights. <code>new, *moments[name] = my_adamw(...)</code> stores both means.</details>
#
# ### Train the model
#
# Insert a cell with these lines and run it. It makes the batches of 20,000 stories. About 1 % of the stories have more ids than the width 192, and
# lose their end.
#
# ```python
# stories = [data.stories().story(Random(number)) for number in range(20_000)]
# documents = my_documents(stories, encode, len(ranks))
# batches = [my_batch(documents[at : at + 8], 192, len(ranks)) for at in range(0, len(documents), 8)]
# print(my_train(untrained, config, batches[:20], 1, 0.003)[1])
# ```
#
# The last line tries your loop on 20 batches. An untrained model takes all tokens to be about equally probable, so the losses should begin a little
# above $\ln 1800$, which is 7.5, and fall. A missing mask shows only later: then the loss falls to nearly 0.
#
# A model learns which words follow each other long before it learns to look back for a name or a thing, because few tokens require that. The next
# lines help it: half of the first 1,000 batches keep only the labels of ids that are rare in the stories, but have already occurred in the same
# story. (When we trained without them, the models still mixed up all names in the end.)
#
# ```python
# ids = torch.cat([inputs.flatten() for inputs, labels in batches])
# counts = ids.bincount(minlength=config["vocab_size"])
# rare = counts < 0.004 * counts.sum()
# for number in range(0, 1000, 2):
#     inputs, labels = batches[number]
#     again = (labels[:, :, None] == inputs[:, None, :]).tril().any(-1)
#     batches[number] = inputs, labels.where(again & rare[labels.clamp(min=0)], -100)
# ```
#
# Now train. This takes about 10 minutes on two cores. To see a progress bar, write `for step in tqdm(range(steps)):` in your loop, after `from tqdm.auto
# import tqdm` (tqdm draws progress bars). While it runs, you can read on and write steps 15a and 15b. But the notebook runs one cell at a time, so
# their checks wait until the training is over.
#
# ```python
# import json
# from pathlib import Path
# from safetensors.torch import save_file
#
# trained, losses = my_train(untrained, config, batches, 1, 0.003)
# print(losses[-1])
#
# folder = Path("my_decoder")
# folder.mkdir(exist_ok=True)
# save_file({name: weight.half() for name, weight in trained.items()}, folder / "model.safetensors", {"format": "pt"})
# (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
# save(ranks, folder / "vocabulary.tiktoken")
# ```
#
# The losses are per token. A story has about four bytes per token, so a loss of 1 nat per token is about 0.25 nats per byte.
#
# ### Step 15a: the probabilities for sampling · medium · 11 minutes · importance 4 of 5
#
# Write `my_probabilities`. `logits` has the shape `(vocab_size,)`. Return the probabilities from which the next id is drawn, in the same order:
#
# 1. Divide the logits by `temperature`, and apply the softmax.
# 2. [**top-k**](../docs/glossary.md#top-k): if `top_k` is not 0, only the `top_k` most probable ids keep their probability; the others get 0. (If
#    there are no more than `top_k` ids, all keep it.) Divide all by their sum.
# 3. [**top-p**](../docs/glossary.md#top-p): an id gets 0 if the ids that are more probable already have the sum `top_p` or more. So the best id
#    always stays.
# 4. [**min-p**](../docs/glossary.md#min-p): an id gets 0 if its probability is below `min_p` times the highest probability. Divide all by their sum.
#
# No two logits are equal. Example: logits whose softmax is 20, 50 and 30 percent, with the temperature 1, `top_k` 0, `top_p` 0.65 and `min_p` 0, give
# `[0.0, 0.625, 0.375]`.


# %% tags=["practice"]
def my_probabilities(logits, temperature, top_k, top_p, min_p):
    return ...


check.lm_probabilities(my_probabilities)

# %% [markdown]
# <details><summary>Hint: a question</summary>In which order do you have to look at the ids, and in which order is the result?</details>
# <details><summary>Hint: a smaller example</summary>For 50, 30 and 20 percent, the sums of the more probable ids are 0, 0.5 and 0.8. With <code>top_p</code> 0.65, the first two stay.</details>
# <details><summary>Hint: the structure</summary><code>p, order = p.sort(descending=True)</code>. In this order, <code>p[top_k:] = 0</code> is top-k if <code>top_k</code> is not 0, and <code>p.cumsum(-1) - p</code> is the sum of the more probable ids. In the end, <code>torch.zeros_like(p).scatter(0, order, p)</code> puts each number back to its id.</details>
#
# ### Step 15b: generation · medium · 6 minutes · importance 5 of 5
#
# Write `my_generate`. `next_logits` is a function. It takes new ids of the shape `(1, length)` and a cache. It returns the logits after each of them,
# of the shape `(1, length, vocab_size)`, and the new cache. `prompt` is a list of at least one id. `choose` is a function from logits of the shape
# `(vocab_size,)` to an id. First, read the whole prompt, and choose an id from the logits in the last row. Then read only the id that was chosen, and
# so on. Stop after the id `end`, or when there are `max_new` new ids. Return the list of the new ids, with `end` if it was chosen. Example: if 5 and
# then the end 8 are chosen, the result is `[5, 8]`.


# %% tags=["practice"]
def my_generate(next_logits, cache, prompt, end, max_new, choose):
    return ...


check.lm_generate(my_generate)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does the cache know after the first call, and which id does it not know?</details>
# <details><summary>Hint: a smaller example</summary>For the prompt <code>[4, 6]</code>, the first call has <code>torch.tensor([[4, 6]])</code>. If 5 is chosen, the second call has <code>torch.tensor([[5]])</code>.</details>
# <details><summary>Hint: the structure</summary>A <code>while</code> loop with two conditions. <code>logits[0, -1]</code> is the last row.</details>
#
# ### Step 16: the storyteller · medium · 12 minutes · importance 5 of 5
#
# The class loads a folder. Write its two methods with your functions.
#
# - `nats(text)` returns the loss of the whole text and its end, in nats, as a number: the sum, not the mean. The first id is predicted from `end`.
#   Encode with `self.tokenizer.encode`, because the folder has its own vocabulary.
# - `story(temperature, seed)` returns a story as a string, without the end. First call `torch.manual_seed(seed)`. The prompt is `[self.end]`. For
#   each id, call `my_probabilities` at this temperature, with `top_k` 0, `top_p` 1.0 and `min_p` 0.0. `.multinomial(1).item()` of the result is the
#   id. Stop after 400 ids.
#
# The check loads your model from the folder `my_decoder`. If there is none yet, it uses a model of this kit. It compares `nats` with the right
# number. Then it measures the model. On 24 held-out stories, the loss must be at most 0.20 nats per byte, which the baseline does not reach. At the
# temperature 0.7, at least 80 % of the sentences of 16 stories must be grammatical, and at least 14 stories must differ. Consistent stories are
# counted as well, but no number is required. Example: `MyLanguageModel(folder).nats("")` is the loss of the end alone.

# %% tags=["practice"]
import json
from safetensors.torch import load_file


class MyLanguageModel:
    def __init__(self, folder):
        self.weights = {name: weight.float() for name, weight in load_file(folder / "model.safetensors").items()}
        self.config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        ranks = load(folder / "vocabulary.tiktoken")
        self.tokenizer, self.end = Tokenizer(ranks, {}), len(ranks)

    def nats(self, text):
        return ...

    def story(self, temperature, seed):
        return ...


check.lm_result(MyLanguageModel)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which functions turn a text into inputs and labels, and how many labels are there?</details>
# <details><summary>Hint: a smaller example</summary>The empty text is the document <code>[end, end]</code>: one input and one label.</details>
# <details><summary>Hint: the structure</summary>For <code>nats</code>: <code>my_documents</code>, <code>my_batch</code> with the width <code>len(document) - 1</code>, <code>my_logits</code>, and <code>my_loss</code> times the number of labels. For <code>story</code>: define <code>next_logits(ids, cache)</code> and <code>choose(logits)</code> inside the method. <code>self.tokenizer.decode</code> takes a list of ids.</details>
#
# ## One experiment
#
# Choose one of the three, and predict the result before you run it. Change one thing only, and keep everything else: stories, steps, seeds. The
# experiment takes 20 to 30 minutes of your time, plus the computing. Experiments 1 and 2 need two more trainings of about 10 minutes each (the one
# with 400 tokens: 20). Save each model into a folder of its own, because `my_decoder` would be overwritten, and pass this folder to `MyLanguageModel`.
#
# 1. **Vocabulary size.** Compare 400 and 1,000 tokens with your 1,800, after the same number of steps: the loss per byte, `my_per_byte([model.nats(one) for
#    one in held_out], held_out)`, and the loss per token, which has the same sum, divided by the number of all labels. For each size, replace the number 1799 by 399 or 999. Then run the first cell and the cells from the tokenizer to `untrained` again. With fewer
#    tokens, stories have more ids: with the widths 375 and 225, again about 1 % of them lose their end.
# 2. **With and without [byte fallback](../docs/glossary.md#byte-fallback).** Your vocabulary contains all 256 bytes, so it can encode every name.
#    Train a model on stories in which `Mia` (in 45 % of them) is replaced by `Zoë`. Train another one with an unknown token in place of all bytes that
#    the stories before the replacement do not contain. If `unseen` is the set of these bytes, the ids of a text are now
#    `[35 if id in unseen else id for id in encode(text)]`. (35 is the id of `#`, which is one of these bytes.) What text comes out when the ids of a
#    story with *Zoë* are decoded, with and without byte fallback? Compare the loss per byte on 24 held-out stories that contain *Mia*, replaced in
#    the same way: `found = (data.stories().story(Random(number)) for number in range(1_000_000, 1_002_000))`, then
#    `mias = [one for one in found if "Mia" in one][:24]`. (After `model.tokenizer.encode = ...`, `nats` encodes in another way.) The second model does not tell which byte an unknown token was. So a
#    fair comparison adds to its loss the natural logarithm of `len(unseen)` for each unknown token.
# 3. **Temperature.** With one trained model, write 40 stories each at the temperatures 0.3, 0.7, 1.0 and 1.3. Count the grammatical sentences, the
#    contradictions, divided by the number of grammatical sentences (`consistent` ignores the others), and the different stories. `data.stories().sentences(line)` splits
#    one line of a story. If none of your stories is consistent, repeat it with the kit's model, which was trained for longer:
#    `MyLanguageModel(data.decoder_tiny())`.
#
# Then write five sentences: what you expected, what you changed and what you kept, the numbers, what they mean, and how far they may be trusted.
#
# A good report has the expectation, with a reason, from before the run; the numbers of all runs, with their unit, and the one thing that differs
# between them; a cause that the numbers support; and a limit of the experiment, such as one seed, few stories or a short training. Here is one
# about the temperature:
#
# > “I expected fewer grammatical sentences at higher temperatures, because a single improbable token is enough to spoil a sentence. I wrote 40
# > stories at each of four temperatures with the model of the kit, so only the temperature differs. The share of grammatical sentences fell from
# > 100 % at the two lower temperatures to 90 % and 45 %, and the contradictions for each of them rose from 0.00 and 0.01 to 0.23 and 0.64. At
# > 0.3, 38 of the 40 stories differed, and at the others, all. So a low temperature costs little variety here, which surprised me: a story makes
# > dozens of choices, and even if most of them become nearly certain, the others suffice to make it different. With one model and 40 stories, I
# > would not trust a difference of one or two percent.”
#
# ## What you have built
#
# Your model has all the parts of a Llama. Real ones are larger, were trained on more text, and continue with other data, such as conversations. Your
# folder has their format, so `transformers` 5 (not part of this kit) loads it with `LlamaForCausalLM.from_pretrained("my_decoder")`.
#
# The checker of the stories shows what a loss cannot. When we trained this model on 20,000 stories, it needed 0.11 nats per byte, and 97 % of its
# sentences were grammatical. But only 30 of 96 stories were consistent. In one of the others, Mia buys a kite for Oscar's birthday, and gives it
# to Max. The model of this kit was trained for longer, and it makes fewer such mistakes.
#
# ## Exit questions
#
# <details><summary>A loss of 0.01 nats per byte after 50 steps: a success?</summary>
# No. Not even a perfect model can know which name or which thing comes next. The labels are probably not shifted, or the causal mask is missing, so
# the model sees the token that it predicts.
# </details>
# <details><summary>Two models have 0.9 and 1.1 nats per token. Which is better?</summary>
# Nobody can tell, if they have different tokenizers. Compare nats per byte.
# </details>
# <details><summary>Why does the cache contain keys and values, but no queries?</summary>
# A query is used once, for its own token. Keys and values are used again by all later tokens.
# </details>
# <details><summary>With 4 query heads and 2 key-value heads, what becomes smaller: the number of scores, or the cache?</summary>
# The cache has half the size. The number of scores stays the same, because each query head has its own.
# </details>
# <details><summary>Why is the label of a padded position -100, and not the id of the end?</summary>
# Otherwise most labels of a short story would be trivial to predict, and the mean loss would look better than the model is.
# </details>
#
# **Summary.** A decoder-only model is one stack of layers with rotary positions, shared key-value heads and SwiGLU. Training needs batches without
# leaks, shifted labels, a schedule, clipping and AdamW. A baseline says what a loss is worth, and a checker says what the text is worth.
#
# **References.** Hugo Touvron and others, *LLaMA: Open and Efficient Foundation Language Models*, section 2. Jianlin Su and others, *RoFormer*,
# section 3. Joshua Ainslie and others, *GQA*, section 2. Ilya Loshchilov and Frank Hutter, *Decoupled Weight Decay Regularization*, section 2.
# Stanley Chen and Joshua Goodman, *An Empirical Study of Smoothing Techniques for Language Modeling*, section 2. Ronen Eldan and Yuanzhi Li,
# *TinyStories*.
