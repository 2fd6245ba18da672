# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Capstone: build a T5
#
# > **You will be able to** build a complete T5 from tensors: embeddings, attention, encoder, decoder, loss, cache, greedy search and beam
# > search. With the tiny T5's weights, your class will generate the same ids as `transformers` 4.26.1.
# >
# > **Time:** core 10 minutes, practice 189 minutes. **Before this:** `18_beam_search`.
# >
# > The minutes are those of a reader who writes PyTorch fluently. If you do not, expect 4 to 6 hours, in several sittings.
#
# In lessons 13 to 18, you wrote small parts of a T5 with lists of numbers. Here you write all the parts with tensors. There are 18 steps. Each step
# has one or more functions of about 1 to 10 lines, and each function has a check. In the last step, you write a class that translates with your
# functions.
#
# The next cell translates a sentence with this kit's tiny T5. Your class will return the same ids.

# %%
import torch
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer

model, tokenizer = (kind.from_pretrained(data.t5_tiny()) for kind in (T5ForConditionalGeneration, T5Tokenizer))
source = "translate English to German: Anna gave the boy two red flowers."
goal = model.generate(torch.tensor([tokenizer(source).input_ids]), num_beams=4, max_length=40)[0].tolist()
goal, tokenizer.decode(goal, skip_special_tokens=True)

# %% [markdown]
# The German words mean, one by one, "Anna has the boy two red flowers given".
#
# The next cell shows the map of lesson 13. Your functions will compute the numbers of almost all boxes. Come back to the map when a step below is not
# clear.

# %%
from tokenlab.show.explorers.explore_t5 import explore_t5_map

explore_t5_map(source, "Anna hat dem Jungen zwei rote Blumen gegeben.", model, tokenizer)

# %% [markdown]
# ## How to work
#
# Replace the three dots in each cell and run the cell. Each cell ends with its check. A check runs your function on random inputs, usually tensors of
# several shapes. Most checks also use the tiny T5: your function gets the input of a part of the model, and must give the output of this part.
# Numbers may be off by 0.0001.
#
# After a mistake, the check shows an input, usually a small one, for which your result is wrong. Run the cell again to see the rule. A third run with
# the same mistake reveals the correct results next to yours, and offers a worked solution. A new kind of mistake starts again without the rule.
#
# A check first looks at the type and the shape of your result. Many mistakes with tensors are mistakes with shapes. So print `x.shape` when a line
# does not work.
#
# You may use `torch` and Python's own modules, such as `math`. Do not use `tokenlab` or `transformers`.
#
# Some steps use functions of earlier steps. If you cannot write a function, copy its worked solution. For example,
# `print(check.solution("t5_embed"))` prints the solution for `check.t5_embed`, once the check has offered it: after a right answer, or after the third
# run with the same wrong answer.
#
# In lessons 15 to 18, the computation of one new token was called a step. Here it is called a **round**, because *step* is the name of a task.
#
# ## Shapes and weights
#
# A **tensor** is an array of numbers with any number of dimensions. The **shape** lists the sizes of its dimensions. These names of sizes are used
# below:
#
# | name | meaning | tiny T5 |
# |---|---|---|
# | `batch` | number of texts that are computed at once | 1 or more |
# | `length` | number of tokens of each text, with padding | |
# | `queries`, `keys` | number of queries; number of keys | |
# | `d_model` | how many numbers a hidden state has | 96 |
# | `heads` | number of attention heads | 4 |
# | `d_kv` | how many numbers a query, key or value of one head has | 24 |
# | `d_ff` | how many numbers a hidden state has inside the feed-forward sublayer | 192 |
# | `vocab_size` | number of ids | 900 |
#
# These operations of PyTorch are useful. Dimensions are counted from 0, and -1 is the last dimension.
#
# | operation | result |
# |---|---|
# | `table[ids]` | for each number in `ids`, the row of `table` with this number; the shape is that of `ids` with one more dimension |
# | `x[condition]` | `x` at the positions where `condition`, a tensor of truth values, is `True` |
# | `x[rows, columns]` | the numbers at these positions, for two tensors of integers: `x[rows[0], columns[0]]`, `x[rows[1], columns[1]]`, ... |
# | `x @ y`, `y.T` | the matrix product over the last two dimensions; the **transpose**: a matrix with rows and columns exchanged |
# | `x.transpose(1, 2)`, `x.permute(2, 0, 1)` | two dimensions exchanged; all dimensions in a new order |
# | `x.reshape(a, b, -1)` | the same numbers in the shape `(a, b, ...)`; PyTorch computes the size that is written as -1 |
# | `x.flatten(2)` | dimension 2 and all later dimensions joined into one |
# | `x[None]`, `x[:, None]` | `x` with a new dimension 0 of size 1; `x` with a new dimension 1 of size 1 |
# | `x.mean(-1)`, `x.mean(-1, keepdim=True)` | the mean over the last dimension; the same, with the last dimension kept as a dimension of size 1 |
# | `x.softmax(-1)`, `x.log_softmax(-1)` | probabilities over the last dimension; their logarithms |
# | `x.log()`, `x.abs()`, `x.sqrt()` | the natural logarithm, the absolute value and the square root of each number |
# | `torch.arange(5)`, `torch.full(shape, number)` | 0, 1, 2, 3, 4; a tensor of equal numbers |
# | `torch.where(condition, a, b)`, `x.clamp(min=0, max=9)` | the numbers of `a` where the condition is `True`, and those of `b` elsewhere; numbers below 0 replaced by 0, and numbers above 9 by 9 |
# | `torch.cat([a, b], dim=2)` | two tensors, joined along dimension 2 |
# | `x.tolist()`, `x.item()` | nested lists of numbers; the number of a tensor that has only one |
#
# **Broadcasting**: for `+`, `-`, `*`, `/` and `torch.where`, PyTorch puts sizes of 1 in front of the shorter shape, and then repeats each dimension
# of size 1 as often as needed. So the shapes `(2, 1, 1, 5)` and `(4, 3, 5)` give `(2, 4, 3, 5)`. `@` does the same with all dimensions but the last
# two.
#
# The weights of the tiny T5 are tensors in a file of the format `safetensors`. Each tensor has a name. The cell loads all weights. It prints the
# names and shapes of the weights in the encoder's first layer. `config` contains the sizes of the model.

# %%
import json
from safetensors.torch import load_file

weights = load_file(data.t5_tiny() / "model.safetensors")
config = json.loads((data.t5_tiny() / "config.json").read_text(encoding="utf-8"))
{name: tuple(tensor.shape) for name, tensor in weights.items() if "encoder.block.0" in name}

# %% [markdown]
# In a name, the number after `block` is the number of the layer. The number after `layer` is the number of the sublayer. `sublayer` returns the
# weights of one sublayer, with short names. Use it in your own functions from step 10 on.


# %%
def sublayer(weights, name):
    return {key.split(".")[-2]: tensor for key, tensor in weights.items() if key.startswith(name + ".")}


{name: tuple(tensor.shape) for name, tensor in sublayer(weights, "decoder.block.0.layer.2").items()}

# %% [markdown]
# ## Practice
#
# ### Step 1: embedding · easy · 5 minutes · importance 3 of 5
#
# Write `my_embed`. `ids` is a tensor of integers of the shape `(batch, length)`. `table` has the shape `(vocab_size, d_model)`. Return the embedding
# of each id, as a tensor of the shape `(batch, length, d_model)`. Example: `[[1, 0]]` and `[[3.0, 4.0], [5.0, 6.0]]` give `[[[5.0, 6.0], [3.0,
# 4.0]]]`.

# %% tags=["practice"]
from tokenlab import check


def my_embed(ids, table):
    return ...


check.t5_embed(my_embed)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does <code>table[1]</code> return? What does <code>table[torch.tensor([1, 0])]</code> return?</details>
# <details><summary>Hint: a smaller example</summary>One text with one token: <code>[[2]]</code> gives row 2 of the table, in the shape <code>(1, 1, d_model)</code>.</details>
# <details><summary>Hint: the structure</summary>A tensor of ids may be the index of a table. The result then has one dimension more than the ids.</details>
#
# ### Step 2: RMS norm · easy · 6 minutes · importance 5 of 5
#
# Write `my_norm`. `x` has the shape `(batch, length, d_model)`. `weight` has the shape `(d_model,)`. Divide each vector $v$ of `x` by the square root
# of $\frac{1}{d_{model}}\sum_j v_j^2+10^{-6}$. Then multiply it by the weights, number by number. Return a tensor of the same shape as `x`. Example:
# `[[[3.0, 4.0]]]` and `[1.0, 2.0]` give about `[[[0.849, 2.263]]]`.


# %% tags=["practice"]
def my_norm(x, weight):
    return ...


check.t5_norm(my_norm)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many means does a tensor of the shape (2, 3, 96) need?</details>
# <details><summary>Hint: a smaller example</summary>For <code>[3, 4]</code>, the mean of the squares is 12.5. With 1e-6 added, its root is about 3.536.</details>
# <details><summary>Hint: the structure</summary><code>x.pow(2).mean(-1, keepdim=True)</code> has the shape <code>(batch, length, 1)</code>. Add 1e-6 and take the square root. Then <code>x</code> can be divided by the result.</details>
#
# ### Step 3: buckets · medium · 12 minutes · importance 4 of 5
#
# Write `my_buckets`, the function of lesson 14 for whole tensors. `relative_position` is a tensor of integers: the key's position minus the query's.
# `bidirectional` is `True` for the encoder and `False` for the decoder. Return a tensor of integers of the same shape. Use 32 buckets and the maximum
# distance 128:
#
# - In the encoder, there are $N=16$ buckets for each direction. The distance $d$ is the absolute value of the relative position.
# - In the decoder, there are $N=32$ buckets. For a key before the query or at the same position, $d$ is also the absolute value. For a key after the
#   query, $d$ is 0.
# - Let $h=N/2$. A distance $d$ below $h$ has the bucket $d$. Any other distance has the bucket $\min(N-1,\;h+\lfloor(N-h)\ln(d/h)/\ln(128/h)\rfloor)$.
# - In the encoder, add 16 to the bucket of a key after the query.
#
# Example: `[[-9, 0, 9]]` gives `[[8, 0, 24]]` with `True` and `[[9, 0, 0]]` with `False`.

# %% tags=["practice"]
import math


def my_buckets(relative_position, bidirectional):
    return ...


check.t5_buckets(my_buckets)

# %% [markdown]
# <details><summary>Hint: a question</summary>The logarithm of 0 is minus infinity. Which distances do not need the logarithm?</details>
# <details><summary>Hint: a smaller example</summary>In the encoder, h is 8 and N - h is 8. For the distance 20, 8 · ln(20/8) / ln(16) is 2.64, so the bucket is 8 + 2 = 10.</details>
# <details><summary>Hint: the structure</summary>First compute the distances. Then apply the formula to <code>distance.clamp(min=h)</code>. <code>torch.log</code> takes a tensor, <code>math.log</code> takes a number, and <code>.long()</code> removes the fraction. <code>torch.where(distance &lt; h, ..., ...)</code> selects the distance or the result of the formula.</details>
#
# ### Step 4: bias · medium · 10 minutes · importance 4 of 5
#
# Write `my_bias`. `table` has the shape `(32, heads)`. `queries` is the number of queries. `keys` is the number of keys, and is never smaller than
# `queries`. The keys are at the positions 0 to `keys` - 1, and the queries are at the last ones of these: with 5 keys and 2 queries, the queries are at 3 and
# 4. (With a cache, step 15b, the only query is the newest token.) Return the bias of each head, query and key, as a tensor of the shape `(1, heads, queries, keys)`. `bidirectional`
# is as in step 3. Example: with 1 query, 2 keys and `bidirectional=False`, head 0 has `[[table[1, 0], table[0, 0]]]`.


# %% tags=["practice"]
def my_bias(table, queries, keys, bidirectional):
    return ...


check.t5_bias(my_bias)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the position of the first query, with 2 queries and 5 keys?</details>
# <details><summary>Hint: a smaller example</summary>With 2 queries and 3 keys, the relative positions are <code>[[-1, 0, 1], [-2, -1, 0]]</code>.</details>
# <details><summary>Hint: the structure</summary><code>torch.arange(keys)</code> minus a column of query positions has the shape <code>(queries, keys)</code>. Its buckets are an index of the table. Then <code>permute</code> moves the heads to the front.</details>
#
# ### Step 5: heads · medium · 6 minutes · importance 5 of 5
#
# Write `my_split`. `x` has the shape `(batch, length, heads * d_kv)`. The first `d_kv` numbers of each vector belong to head 0, the next ones to head
# 1, and so on. Return a tensor of the shape `(batch, heads, length, d_kv)`. Example: `[[[1.0, 2.0], [3.0, 4.0]]]` and 2 heads give `[[[[1.0], [3.0]],
# [[2.0], [4.0]]]]`.


# %% tags=["practice"]
def my_split(x, heads):
    return ...


check.t5_split(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which dimension is divided into two, and which two dimensions are then in the wrong order?</details>
# <details><summary>Hint: a smaller example</summary>One position with 4 numbers and 2 heads: <code>[[[1, 2, 3, 4]]]</code> gives <code>[[[[1, 2]], [[3, 4]]]]</code>.</details>
# <details><summary>Hint: the structure</summary>First make the shape <code>(batch, length, heads, d_kv)</code> with <code>reshape</code>. Then use <code>transpose</code>.</details>
#
# ### Step 6: attention · medium · 10 minutes · importance 5 of 5
#
# Write `my_attention`. `q` has the shape `(batch, heads, queries, d_kv)`. `k` and `v` have the shape `(batch, heads, keys, d_kv)`. `added` is the sum
# of bias and mask. Its shape is `(batch, heads, queries, keys)`, where each of the first three sizes may also be 1. For each head, compute
#
# $$ \mathrm{softmax}(QK^\top + \mathrm{added})\,V. $$
#
# For each query, put the results of the heads side by side, with head 0 first. Return a tensor of the shape `(batch, queries, heads * d_kv)`. A T5
# does not divide the scores by $\sqrt{d_{kv}}$. Example: with one head and one key, the result of each query is the value of this key.


# %% tags=["practice"]
def my_attention(q, k, v, added):
    return ...


check.t5_attention(my_attention)

# %% [markdown]
# <details><summary>Hint: a question</summary>The scores have the shape <code>(batch, heads, queries, keys)</code>. Which two dimensions of <code>k</code> must you exchange before you multiply <code>q</code> by it?</details>
# <details><summary>Hint: a smaller example</summary>With 2 heads, 3 queries and d_kv 4, the weighted values have the shape <code>(1, 2, 3, 4)</code>. The result has the shape <code>(1, 3, 8)</code>.</details>
# <details><summary>Hint: the structure</summary>The weights are a softmax over the last dimension. Multiply them by the values. The last line is the inverse of step 5: <code>transpose</code>, then <code>flatten(2)</code>.</details>
#
# ### Step 7a: causal mask · easy · 5 minutes · importance 5 of 5
#
# Write `my_causal_mask`. `length` is an integer. Return a tensor of the shape `(1, 1, length, length)`. Each row belongs to a query, and each column
# to a key. The number in row i and column j is `lowest` if j is larger than i, and 0 otherwise. Here `lowest` is the lowest 32-bit float,
# `torch.finfo(torch.float32).min`. Example: for `length` 2, the rows are `[0.0, lowest]` and `[0.0, 0.0]`.


# %% tags=["practice"]
def my_causal_mask(length):
    return ...


check.t5_causal_mask(my_causal_mask)

# %% [markdown]
# <details><summary>Hint: a question</summary>Are the hidden keys above or below the diagonal?</details>
# <details><summary>Hint: a smaller example</summary>For <code>length</code> 1, nothing is hidden: <code>[[[[0.0]]]]</code>.</details>
# <details><summary>Hint: the structure</summary><code>x.triu(1)</code> keeps the numbers above the diagonal and sets all others to 0. Add two dimensions at the front.</details>
#
# ### Step 7b: padding mask · easy · 5 minutes · importance 4 of 5
#
# Write `my_padding_mask`. `attention_mask` is a tensor of integers of the shape `(batch, keys)`, with a 1 for a token and a 0 for padding. Return a
# tensor of the shape `(batch, 1, 1, keys)`: 0 for a token and `lowest` (step 7a) for padding. Example: `[[1, 0]]` gives `[[[[0.0, lowest]]]]`.


# %% tags=["practice"]
def my_padding_mask(attention_mask):
    return ...


check.t5_padding_mask(my_padding_mask)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which comparison is true for padding and false for a token?</details>
# <details><summary>Hint: a smaller example</summary>For a text without padding, the mask contains only zeros.</details>
# <details><summary>Hint: the structure</summary><code>x[:, None, None]</code> adds the two dimensions. <code>x == 0</code> is true for padding. Multiply the result by <code>lowest</code>.</details>
#
# ### Step 8: self-attention · medium · 10 minutes · importance 5 of 5
#
# Write `my_self_attention`, a sublayer with its norm and its [residual connection](../docs/glossary.md#residual-connection). `x` has the shape
# `(batch, length, d_model)`. `w` is a dictionary with the weights of the sublayer: `w["layer_norm"]` for the norm, and the matrices `w["q"]`,
# `w["k"]`, `w["v"]` and `w["o"]`. Each matrix has a row for each number of the vector that the product gives. So you multiply by its transpose, for example `y @
# w["q"].T`. The projections have no bias vectors. `heads` is the number of heads, and `added` is as in step 6.
#
# The norm comes first. The queries, keys and values are projections of the normalized vectors. The matrix `o` projects the result of attention. Add
# this projection to `x` itself. Return a tensor of the shape of `x`. Example: `x` is `[[[2.0]]]`, there is one head, each matrix is `[[1.0]]`, the
# norm's weight is `[1.0]` and `added` is `[[[[0.0]]]]`. Then the result is about `[[[3.0]]]`.


# %% tags=["practice"]
def my_self_attention(x, w, heads, added):
    return ...


check.t5_self_attention(my_self_attention)

# %% [markdown]
# <details><summary>Hint: a question</summary>In which order do steps 2, 5 and 6 run?</details>
# <details><summary>Hint: a smaller example</summary>If <code>w["o"]</code> contains only zeros, the result is <code>x</code>.</details>
# <details><summary>Hint: the structure</summary>Four lines are enough: the norm; <code>q</code>, <code>k</code> and <code>v</code>, each split into heads; attention; <code>x</code> plus a matrix product.</details>
#
# ### Step 9: feed-forward · easy · 5 minutes · importance 4 of 5
#
# Write `my_feed_forward`, the other sublayer of the encoder. `x` has the shape `(batch, length, d_model)`. `w["wi"]` has the shape `(d_ff, d_model)`,
# and `w["wo"]` has the shape `(d_model, d_ff)`. Normalize `x` with `w["layer_norm"]`, and multiply by the transpose of `wi`. Then apply **ReLU**
# (rectified linear unit): it replaces negative numbers by 0. Multiply by the transpose of `wo`, and add `x`. Return a tensor of the shape of `x`.
# Example: `x` is `[[[2.0]]]`, each matrix is `[[1.0]]` and the norm's weight is `[1.0]`. Then the result is about `[[[3.0]]]`.


# %% tags=["practice"]
def my_feed_forward(x, w):
    return ...


check.t5_feed_forward(my_feed_forward)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which shape does the result of the first product have?</details>
# <details><summary>Hint: a smaller example</summary>If all numbers before the ReLU are negative, the result is <code>x</code>.</details>
# <details><summary>Hint: the structure</summary><code>y.relu()</code> replaces negative numbers by 0. One line is enough.</details>
#
# ### Step 10: encoder · medium · 10 minutes · importance 5 of 5
#
# Write `my_encoder`. `ids` and `attention_mask` have the shape `(batch, length)`. `weights` and `config` are dictionaries as in the cells above. You
# need `config["num_layers"]` and `config["num_heads"]`.
#
# 1. Look up the embeddings of the ids in `weights["shared.weight"]`.
# 2. Compute `added`, the sum of the bias and the padding mask. The table of biases is the entry `"relative_attention_bias"` of the sublayer
#    `encoder.block.0.layer.0`. All layers use the same `added`.
# 3. In layer `n`, call `my_self_attention` with the weights of the sublayer `encoder.block.{n}.layer.0`. Then call `my_feed_forward` with the weights
#    of the sublayer `encoder.block.{n}.layer.1`.
# 4. Normalize the result with `weights["encoder.final_layer_norm.weight"]`.
#
# Return a tensor of the shape `(batch, length, d_model)`. Example: with the tiny T5, ids of the shape `(2, 14)` give a tensor of the shape `(2, 14,
# 96)`.


# %% tags=["practice"]
def my_encoder(ids, attention_mask, weights, config):
    return ...


check.t5_encoder(my_encoder)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which three of the four points are computed once, and which one is computed for each layer?</details>
# <details><summary>Hint: a smaller example</summary><code>sublayer(weights, "encoder.block.0.layer.0")["relative_attention_bias"]</code> has the shape <code>(32, 4)</code> in the tiny T5.</details>
# <details><summary>Hint: the structure</summary>Write three lines before a loop over <code>range(config["num_layers"])</code>, two lines in the loop, and one line after it.</details>
#
# ### Step 11: cross-attention · medium · 6 minutes · importance 5 of 5
#
# Write `my_cross_attention`. `x` has the shape `(batch, length, d_model)`. `encoded`, the encoder's output, has the shape `(batch, keys, d_model)`.
# The queries come from the normalized `x`. The keys and values come from `encoded`, which is already normalized. `mask` is the padding mask of the
# source. There is no position bias. Everything else is as in step 8. Return a tensor of the shape of `x`. Example: `x` is `[[[2.0]]]` and `encoded`
# is `[[[5.0]]]`. There is one head, each matrix is `[[1.0]]`, the norm's weight is `[1.0]` and `mask` is `[[[[0.0]]]]`. Then the result is about
# `[[[7.0]]]`.


# %% tags=["practice"]
def my_cross_attention(x, encoded, w, heads, mask):
    return ...


check.t5_cross_attention(my_cross_attention)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of <code>q</code>, <code>k</code> and <code>v</code> are computed from <code>encoded</code>?</details>
# <details><summary>Hint: a smaller example</summary>With 2 target tokens and 3 source tokens, the scores have the shape <code>(batch, heads, 2, 3)</code>.</details>
# <details><summary>Hint: the structure</summary>Copy step 8. Compute the keys and values from <code>encoded</code>.</details>
#
# ### Step 12: decoder · medium · 10 minutes · importance 5 of 5
#
# Write `my_decoder`. `ids` has the shape `(batch, length)`: the ids that the decoder reads. `encoded` is the encoder's output, and `attention_mask`
# is the attention mask of the *source*. `config["num_decoder_layers"]` is the number of layers.
#
# Look up the embeddings in the same table as in step 10. Layer `n` has three sublayers: self-attention (`decoder.block.{n}.layer.0`), cross-attention (`.layer.1`) and
# feed-forward (`.layer.2`). In all layers, self-attention adds the same sum of bias and causal mask, without a padding mask. Cross-attention adds the
# padding mask of the source. The table of biases is the entry `"relative_attention_bias"` of the sublayer `decoder.block.0.layer.0`. The weights of
# the final norm are `decoder.final_layer_norm.weight`.
#
# Return a tensor of the shape `(batch, length, d_model)`. Example: with the tiny T5, ids of the shape `(2, 11)` give a tensor of the shape `(2, 11,
# 96)`.


# %% tags=["practice"]
def my_decoder(ids, encoded, attention_mask, weights, config):
    return ...


check.t5_decoder(my_decoder)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which arguments of <code>my_bias</code> differ from those in the encoder?</details>
# <details><summary>Hint: a smaller example</summary>For one id, the causal mask contains one 0, and self-attention has one key.</details>
# <details><summary>Hint: the structure</summary>Copy step 10. Change <code>added</code>, the names and the number of layers. Add the line for cross-attention between the other two lines.</details>
#
# ### Step 13: logits · easy · 4 minutes · importance 4 of 5
#
# Write `my_logits`. `x`, the decoder's output, has the shape `(batch, length, d_model)`. `table` is the table of embeddings, of the shape
# `(vocab_size, d_model)`. Multiply `x` by $d_{model}^{-1/2}$. The logit of an id is the dot product of the result and the id's embedding. Return a
# tensor of the shape `(batch, length, vocab_size)`. Example: `[[[2.0, 0.0, 0.0, 0.0]]]` and `[[3.0, 0.0, 0.0, 0.0]]` give `[[[3.0]]]`.


# %% tags=["practice"]
def my_logits(x, table):
    return ...


check.t5_logits(my_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which number is d_model? Is it in the shape of <code>x</code>?</details>
# <details><summary>Hint: a smaller example</summary>With d_model 4, the factor is 0.5.</details>
# <details><summary>Hint: the structure</summary><code>x.shape[-1] ** -0.5</code> is the factor. The matrix product needs the transpose of the table.</details>
#
# ### Step 14: loss · medium · 8 minutes · importance 4 of 5
#
# Write `my_loss`. `logits` has the shape `(batch, length, vocab_size)`. `labels` is a tensor of integers of the shape `(batch, length)`. `logits[:, t]`
# predicts `labels[:, t]`, so do not shift anything. (Lesson 15 counts the labels from 1: there, position $t$ predicts $y_{t+1}$.) The softmax of the logits gives the label a probability $p$. A label of -100 is ignored. At least one label is not -100. Return the
# mean of $-\ln p$ over all labels that are not ignored. It is a tensor with a single number, of the shape `()`. Write it with `log_softmax`, without
# PyTorch's `cross_entropy`. Example: logits `[[[0.0, 0.0], [5.0, 0.0]]]` and labels `[[1, -100]]` give 0.6931.


# %% tags=["practice"]
def my_loss(logits, labels):
    return ...


check.t5_loss(my_loss)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is -ln 0.5? By how many labels is the sum divided in the example?</details>
# <details><summary>Hint: a smaller example</summary>For one label, <code>logits.log_softmax(-1)[0, 0, label]</code> is ln p.</details>
# <details><summary>Hint: the structure</summary><code>kept = labels != -100</code> is True for each label that counts. <code>logits[kept]</code> is a matrix with a row for each of these labels. Let <code>y</code> be its <code>log_softmax</code>. <code>y[torch.arange(len(y)), labels[kept]]</code> takes ln p of the label from each row.</details>
#
# ### Step 15a: self-attention with a cache · medium · 8 minutes · importance 5 of 5
#
# With a [KV cache](../docs/glossary.md#kv-cache), a round computes only the newest position. Write `my_cached_sublayer`, the self-attention sublayer
# for this position. The norm, the residual connection, `w` and `heads` are as in step 8.
#
# `x` has the shape `(batch, 1, d_model)`: the hidden state of the newest token. `cache` is a pair (keys, values). Both tensors have the shape
# `(batch, heads, past, d_kv)`. Here `past` is the number of earlier tokens, so it is 0 for the first token. `added`, the bias, has the shape `(1,
# heads, 1, past + 1)`.
#
# Append the new key and the new value to the cache, and attend to all keys. Return a pair: the output, of the shape of `x`, and the new cache `(keys,
# values)`. Example: in the tiny T5, keys of the shape `(1, 4, 6, 24)` become keys of the shape `(1, 4, 7, 24)`.


# %% tags=["practice"]
def my_cached_sublayer(x, w, heads, added, cache):
    return ...


check.t5_cached_sublayer(my_cached_sublayer)

# %% [markdown]
# <details><summary>Hint: a question</summary>Along which dimension does the cache become longer?</details>
# <details><summary>Hint: a smaller example</summary>A cache of the shape <code>(1, 4, 0, 24)</code> becomes <code>(1, 4, 1, 24)</code>. Then the query attends to one key.</details>
# <details><summary>Hint: the structure</summary>Copy step 8. Add a line with <code>torch.cat</code> for the keys, and one for the values.</details>
#
# ### Step 15b: the decoder with a cache · hard · 12 minutes · importance 5 of 5
#
# Write `my_cached_logits`, the decoder for one round. `ids` has the shape `(batch, 1)`: the newest id of each text. `cache` is a list with one pair
# (keys, values) for each layer. The other arguments are those of step 12. Self-attention has one query, at the last position. There is no causal
# mask, because no key is later. The final norm is that of step 12, and the logits are those of step 13.
#
# Return a pair: the logits of the next token, of the shape `(batch, vocab_size)`, and the new cache, a list of pairs. They must be equal to the
# logits that `my_decoder` and `my_logits` give at the last position if they read all ids of the text so far, without a cache. Example: with the
# tiny T5, one text gives logits of the shape `(1, 900)` and a list of 2 pairs.


# %% tags=["practice"]
def my_cached_logits(ids, cache, encoded, attention_mask, weights, config):
    return ...


check.t5_cached_logits(my_cached_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many keys does self-attention have, if the cached keys have the shape <code>(1, 4, 6, 24)</code>?</details>
# <details><summary>Hint: a smaller example</summary>For the first id, the cache has the length 0, and <code>my_bias(table, 1, 1, False)</code> is the bias.</details>
# <details><summary>Hint: the structure</summary>Copy step 12. Before the loop, make an empty list. In the loop, call step 15a with <code>cache[n]</code>. It returns two values: append the second one, the new pair, to the list. After the norm and the logits, <code>[:, -1]</code> removes the dimension of the length.</details>
#
# ### Step 16: greedy search · medium · 8 minutes · importance 4 of 5
#
# Write `my_greedy`. `next_logits` is a function. It takes the newest id, as a tensor of the shape `(1, 1)`, and a cache. It returns the logits, of
# the shape `(1, vocab_size)`, and the new cache. Start with the id 0. In each round, append the id with the highest logit. Stop after the id 1, or
# when there are `max_length` ids. Return the list of all ids, as integers. It starts with 0, and it ends with 1 if the search found a 1. Example: if
# the ids 5, 7 and 1 have the highest logits in the first three rounds, the result is `[0, 5, 7, 1]`.


# %% tags=["practice"]
def my_greedy(next_logits, cache, max_length):
    ids = [0]
    return ...


check.t5_greedy(my_greedy)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which ids does <code>next_logits</code> not need, because their keys and values are in the cache?</details>
# <details><summary>Hint: a smaller example</summary>The first call is <code>next_logits(torch.tensor([[0]]), cache)</code>.</details>
# <details><summary>Hint: the structure</summary>Use a <code>while</code> loop with two conditions. <code>logits.argmax().item()</code> is an integer.</details>
#
# ### Step 17a: candidates · medium · 8 minutes · importance 4 of 5
#
# In steps 17a to 17d, you write a beam search with $B$ beams. Write `my_candidates`. `sums` has the shape `(B,)`: the [cumulative
# log-probability](../docs/glossary.md#cumulative-log-probability) of each beam. `logits` has the shape `(B, vocab_size)`: the logits of each beam's
# next token. The sum of an extended text is the sum of its beam, plus the log-probability of the new token. The candidates are the $2B$ extended
# texts with the highest sums, best first. Return three tensors of the shape `(2B,)`: the sum of each candidate, its parent and its new token. The
# **parent** is the number of the beam that the candidate extends, counted from 0. Parents and tokens are integers. Example: `[0.0]` and `[[0.0, -1.0,
# -99.0]]` give the sums `[-0.3133, -1.3133]`, the parents `[0, 0]` and the tokens `[0, 1]`.


# %% tags=["practice"]
def my_candidates(sums, logits):
    return ...


check.t5_candidates(my_candidates)

# %% [markdown]
# <details><summary>Hint: a question</summary>Put the sums of all extended texts into one tensor: first those of beam 0, then those of beam 1. With 900 ids, which beam and which token belong to index 905?</details>
# <details><summary>Hint: a smaller example</summary>Index 905 belongs to beam 1 and token 5: <code>905 // 900</code> and <code>905 % 900</code>.</details>
# <details><summary>Hint: the structure</summary>Add <code>sums[:, None]</code> to the <code>log_softmax</code>, and use <code>flatten</code>. <code>x.topk(n)</code> returns the n highest numbers and their indices.</details>
#
# ### Step 17b: the next beams · hard · 10 minutes · importance 5 of 5
#
# Write `my_select`. `beams` contains the $B$ old beams, lists of ids of the same length. `sums`, `parents` and `tokens` are the three results of step
# 17a. Return two lists:
#
# - The beams that continue: the first $B$ candidates whose token is not 1. Each is a tuple of sum, parent and ids. The ids are those of the old beam,
#   with the new token at the end.
# - The [finished hypotheses](../docs/glossary.md#finished-hypothesis): the candidates with the token 1 that are among the best $B$ candidates. Each
#   is a tuple of score and ids. The ids are those of the old beam, with 1 at the end. The score is the sum divided by the length of the old beam.
#
# All numbers are Python numbers, not tensors. Example: beams `[[0]]`, sums `[-1.0, -2.0]`, parents `[0, 0]` and tokens `[1, 5]` give `[(-2.0, 0, [0,
# 5])]` and `[(-1.0, [0, 1])]`.


# %% tags=["practice"]
def my_select(beams, sums, parents, tokens):
    found = list(zip(sums.tolist(), parents.tolist(), tokens.tolist(), strict=True))
    return ...


check.t5_select(my_select)

# %% [markdown]
# <details><summary>Hint: a question</summary>With 2 beams, the third-best candidate has the token 1. Is it a hypothesis?</details>
# <details><summary>Hint: a smaller example</summary>A candidate extends the beam <code>[0, 5]</code> by the token 1. Its sum is -3. The length of the old beam is 2, so the score is -1.5. The ids are <code>[0, 5, 1]</code>.</details>
# <details><summary>Hint: the structure</summary>Write two list comprehensions. For the hypotheses, go through <code>found[:len(beams)]</code> with <code>if token == 1</code>. For the beams, go through <code>found</code> with <code>if token != 1</code>, and keep the first <code>len(beams)</code>.</details>
#
# ### Step 17c: reorder the cache · easy · 4 minutes · importance 4 of 5
#
# Row `i` of the cache belongs to beam `i`. Each new beam needs the row of the old beam that it extends. Write `my_reorder`. `cache` is a list of
# pairs (keys, values), with the beams as the first dimension. `parents` is a list of $B$ integers, the parent of each beam that continues. They
# are in the first list of step 17b. (The tensor of step 17a has $2B$ parents.) Row `i` of each new tensor is the old row `parents[i]`. Return a list of pairs. Example: with `parents` `[1, 1]`, both
# rows of each tensor are the old row 1.


# %% tags=["practice"]
def my_reorder(cache, parents):
    return ...


check.t5_reorder(my_reorder)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does <code>keys[[1, 1]]</code> return?</details>
# <details><summary>Hint: a smaller example</summary>With <code>parents</code> <code>[0, 1, 2]</code>, nothing changes.</details>
# <details><summary>Hint: the structure</summary>Use a list comprehension over the pairs. A list of integers may be the index of a tensor.</details>
#
# ### Step 17d: beam search · hard · 15 minutes · importance 5 of 5
#
# Write `my_beam_search`, as in lesson 18 with `length_penalty` 1 and without early stopping. `next_logits` takes ids of the shape `(num_beams, 1)`
# and a cache with `num_beams` rows. It returns the logits, of the shape `(num_beams, vocab_size)`, and the new cache. At the start, all beams are
# `[0]`. The first beam has the sum 0. The others are masked: they have the sum -1e9. The pool is a list of hypotheses, tuples of score and ids. It is
# full when it contains `num_beams` hypotheses. Repeat these points while the beams are shorter than `max_length`:
#
# 1. Call `next_logits` with the newest id of each beam. Find the candidates, the beams that continue, and the new hypotheses.
# 2. Add the new hypotheses to the pool. Keep only the `num_beams` best hypotheses of the pool.
# 3. Take the highest sum of *all* candidates, also of those that end with 1. Divide it by the length of the beams before this round. The result is
#    the best attainable score. If the pool is full, and its worst score is at least the best attainable score, return the ids of the best hypothesis.
# 4. Otherwise, reorder the new cache, and continue with the new beams.
#
# If point 3 never returned a result, the beams now have the length `max_length`. Then they become hypotheses without a 1 at the end. Their scores are
# their sums divided by `max_length`. Return the ids of the best hypothesis: one of the pool, or one of these. Example: there is 1 beam. In the first round, the id 5 has the
# probability 1. In the second round, the id 1 has the probability 1. Then the result is `[0, 5, 1]`.


# %% tags=["practice"]
def my_beam_search(next_logits, cache, num_beams, max_length):
    beams, sums, pool = [[0]] * num_beams, [0.0] + [-1e9] * (num_beams - 1), []
    return ...


check.t5_beam_search(my_beam_search)

# %% [markdown]
# <details><summary>Hint: a question</summary>In which order do steps 17a, 17b and 17c run? Which of their results does the next round need?</details>
# <details><summary>Hint: a smaller example</summary>With one beam, the search stops after the first round in which the best candidate ends with 1.</details>
# <details><summary>Hint: the structure</summary><code>sorted(pool)[-num_beams:]</code> keeps the best hypotheses. The worst of them comes first. <code>torch.tensor([ids[-1:] for ids in beams])</code> has the shape <code>(num_beams, 1)</code>. Step 17a needs a tensor: <code>torch.tensor(sums)</code>. The first list of step 17b contains the new <code>beams</code>, the new <code>sums</code> and the parents.</details>
#
# ### Step 18: the whole T5 · medium · 12 minutes · importance 5 of 5
#
# Write a class that translates with your functions. `weights` and `config` are those of the cells above. `translate` takes two arguments: the list of the
# ids of one source, and the number of beams. It uses greedy search if `num_beams` is 1, and beam search otherwise. It returns the list of generated
# ids, with the start id 0. `max_length` is 40. The encoder runs once. At the start, each layer has a cache of two tensors of the shape `(num_beams,
# heads, 0, d_kv)`. Example: the ids of `source` and 4 beams give `goal`. The check compares your ids with those of the tiny T5. If they are equal,
# the check also compares the time of your class with the time of this kit's T5.


# %% tags=["practice"]
class MyT5:
    def __init__(self, weights, config):
        self.weights = weights
        self.config = config

    def translate(self, ids, num_beams):
        return ...


check.t5_translation(MyT5)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two arguments of <code>my_cached_logits</code> change from round to round?</details>
# <details><summary>Hint: a smaller example</summary>The source is <code>torch.tensor([ids])</code>. It has no padding, so its attention mask is <code>torch.ones_like(source)</code>. The encoder's output has the shape <code>(1, length, d_model)</code>. In cross-attention, <code>@</code> repeats the keys and values of the source for all beams.</details>
# <details><summary>Hint: the structure</summary>Define a function <code>next_logits(newest, cache)</code> inside <code>translate</code> that calls <code>my_cached_logits</code>. The cache is <code>[(empty, empty)] * config["num_decoder_layers"]</code>, with <code>empty = torch.zeros(num_beams, config["num_heads"], 0, config["d_kv"])</code>.</details>
#
# ## What you have built
#
# Your class is a complete T5 for generation. Try `MyT5(weights, config).translate(tokenizer(source).input_ids, 4) == goal`. Published models of
# version 1.0, such as `t5-small`, have the same parts. Version 1.1 has another feed-forward sublayer and a separate matrix for the logits (lesson
# `15_t5_model`, "Go further"). So it needs other versions of steps 9 and 13, and step 15b must pass the other matrix.
#
# `transformers` avoids work that your class repeats. For example, it stores the keys and values of cross-attention. Your decoder computes them again
# in each round. `transformers` also translates several texts at once.
#
# ## Exit questions
#
# <details><summary>Your encoder gives correct values for a single text and wrong values for a batch of two texts of different lengths. Which step do you check first?</summary>
# The padding mask, step 7b. A single text has no padding, so its mask contains only zeros.
# </details>
# <details><summary>Why does the decoder with a cache need no causal mask?</summary>
# The newest token is the only query, and it is the last position. All keys belong to earlier tokens or to the token itself.
# </details>
# <details><summary>Why must the cache be reordered in beam search, but not in greedy search?</summary>
# In beam search, the new beam <code>i</code> may extend the old beam <code>j</code>, where <code>j</code> is not <code>i</code>. Then row
# <code>i</code> of the cache must contain the keys and values of beam <code>j</code>. In greedy search, there is only one row.
# </details>
# <details><summary>A matrix of the tiny T5 has 96 rows and 96 columns. Which mistake in a product with this matrix gives no error message?</summary>
# A product without the transpose. The shapes fit, but the numbers are wrong.
# </details>
#
# **Summary.** A T5 consists of a table of embeddings, three kinds of sublayers, a norm at the end of each stack, and a product with the table of
# embeddings. Masks and biases are added to scores. Generation needs a function for one round, a cache and a search.
#
# **References.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, section 2.1.
# `models/t5/modeling_t5.py` and `generation/beam_search.py` in `transformers` 4.26.1. **Next lesson:** `19_group_and_constrained_beams`.
