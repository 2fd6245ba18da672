# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Attention in T5
#
# > **You will be able to** compute the output of one attention head by hand; find the stored bias for the distance of two
# > tokens; say how a T5 knows the order of the words.
# >
# > **Time:** core 45 minutes, practice 45 minutes. **Before this:** `13_t5_in_one_picture`.
#
# <details><summary>Two questions from the last lesson: which operation combines different rows? What does one attention head compute?</summary>
#
# Only attention combines rows. A head computes <code>softmax(QKᵀ + B + M) V</code>, where <code>B</code> is a bias for distances and
# <code>M</code> is a mask.
# </details>
# <details><summary>Are you ready? A matrix has 3 rows and 4 columns. You multiply it by a matrix with 4 rows and 5 columns. What is the shape of the product?</summary>The product has 3 rows and 5 columns. Each of its numbers is a sum of 4 products.</details>
# <details><summary>What is the softmax of two equal numbers? What is the softmax of 0 and -1000000?</summary>The softmax of two equal numbers is 0.5 and 0.5. The softmax of 0 and -1000000 is 1 and 0, up to rounding.</details>
# <details><summary>You add the same number to all numbers of a row. How does their softmax change?</summary>The softmax does not change. Each exponential exp(x) is multiplied by the same factor. The sum of the exponentials is multiplied by this factor as well.</details>
#
# In *The boy gave the teacher a book*, only the word order shows who got the book, so the model must know the order. The
# tiny T5 translates this sentence, and one with the persons exchanged:

# %%
from itertools import permutations
from tokenlab import data, show
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer, watch
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts

# For a T5 of your own, replace data.t5_tiny() by the path of its folder, in both lines, for example "my-t5".
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
gave = [f"translate English to German: The {a} gave the {b} a book." for a, b in permutations(["boy", "teacher"])]
greedy_decode_texts(model, tokenizer, gave)

# %% [markdown]
# Both translations are correct: `Der Junge` is "the boy", and `dem Lehrer` is "to the teacher". Attention adds a
# [**position bias**](../docs/glossary.md#position-bias) $B$ to each score. `watch`
# replaces numbers inside the model: here, it sets this bias to 0 in the encoder.

# %%
with watch(model, "encoder.block.0.self_attention.bias", lambda name, bias: 0 * bias):
    print(*greedy_decode_texts(model, tokenizer, gave), sep="\n")
show.you_are_here("encoder self-attention")

# %% [markdown]
# Now both translations are the same, because the [embedding](../docs/glossary.md#embedding) of a token does not
# depend on its position, and no other step of the encoder uses positions. Without the bias, the encoder sees which
# words a text has, but not their order.
#
# ## One head
#
# An [**attention head**](../docs/glossary.md#attention-head) multiplies the normalized hidden state of each token by
# 3 matrices. These [**projections**](../docs/glossary.md#projection) give a [**query**](../docs/glossary.md#query)
# $q$, a
# [**key**](../docs/glossary.md#key) $k$ and a [**value**](../docs/glossary.md#value) $v$. In
# [self-attention](../docs/glossary.md#self-attention), all of them come from the same text.
#
# The **score** $s_{ij}$ is the [dot product](../docs/glossary.md#dot-product) of query $i$ and key $j$. The
# [softmax](../docs/glossary.md#softmax) of score plus bias $b_{ij}$ gives the [**attention weight**](../docs/glossary.md#attention-weight)
# $w_{ij}$, and the output $o_i$ is the sum of the values with these weights:
#
# $$ s_{ij}=q_i\cdot k_j,\qquad w_{ij}=\frac{\exp(s_{ij}+b_{ij})}{\sum_m \exp(s_{im}+b_{im})},\qquad o_i=\sum_j w_{ij}v_j $$
#
# The first transformer (*Attention Is All You Need*) divides each score by $\sqrt{d_{kv}}$, with $d_{kv}$ the
# dimension of a query. **A T5 does not divide.**
#
# Type a sentence, choose a head, and step to the end.

# %%
from tokenlab.show.explorers.explore_t5 import explore_t5_attention

explore_t5_attention("The girl gave the teacher a book.", model, tokenizer)

# %% [markdown]
# The matrices of scores, biases and weights have a row for each query and a column for each key. Replace `teacher` by `doctor`. In the
# first layer, one row and one column of the scores change, but the bias does not. **A T5 encoder knows positions only through a
# number that is added to each score.** This number depends on the head and the relative position $j-i$.
#
# <details><summary>Why are the biases on each diagonal the same?</summary>
# From one cell of a diagonal to the next, the query and the key both move by 1 position. So j-i stays the same.
# </details>
#
# ## Distances share buckets
#
# The biases are stored in a table with a fixed number of rows, but a text may have any length. Therefore several distances $|j-i|$
# share one row, a [**relative position bucket**](../docs/glossary.md#relative-position-bucket). Find distance 9 in the encoder. Then set
# *stack* to the decoder, and find it again.

# %%
from tokenlab.show.explorers.explore_t5 import explore_t5_buckets

explore_t5_buckets()

# %% [markdown]
# $N$ is the number of buckets for one direction: 32 in a decoder, which only looks back, and 16 in an encoder, which
# looks both ways. There, distance 1 has bucket 1 before the query, and 1 + 16 = 17 after it.
#
# Short distances are kept apart: with $h=\lfloor N/2\rfloor$ ($\lfloor\,\rfloor$ rounds down), each distance $d<h$
# has its own bucket. The larger distances share the other $N-h$ buckets, on a logarithmic scale. For $d\ge h$, the
# bucket is
#
# $$ \min\left(N-1,\;h+\left\lfloor (N-h)\,\frac{\ln(d/h)}{\ln(D/h)}\right\rfloor\right),\qquad D=128. $$
#
# $D$ is a setting of the model: all distances from $D$ on are in the last bucket, $N-1$.
#
# <details><summary>Why does the encoder's last bucket already begin at distance 91, and not at 128?</summary>
# Here N is 16 and h is 8. The last bucket, 8 + 7 = 15, begins at the first distance where the brackets give 7. At 91,
# 8 · ln(91/8) / ln(128/8) is 7.02; at 128, it is already 8.
# </details>
# <details><summary>Why does the encoder's player have no bucket 16?</summary>
# The bucket 0 + 16 would be for a key after the query at distance 0. But the key at distance 0 is the query's own position, with bucket 0.
# </details>
# <details><summary>In the encoder, which bucket does a key 9 positions before its query have?</summary>
# Here N is 16 and h is 8, so N - h is 8 as well, and 8 · ln(9/8) / ln(128/8) is 0.34. This number is rounded down to 0. So the bucket is 8 + 0 = 8.
# </details>
#
# ## Each head has a curve
#
# The table of biases has a row for each bucket and a column for each head, so each head can prefer its own distances. Only the *first*
# layers of encoder and decoder store such a table, and all later layers add the same biases. The cell prints both shapes and draws a
# curve for each head.

# %%
from tokenlab.show.plots import plot_position_biases

print({name: tuple(weight.shape) for name, weight in model.state_dict().items() if "relative" in name})
plot_position_biases(model)

# %% [markdown]
# Distances that share a bucket give a flat piece of the curve.
#
# <details><summary>Why does cross-attention have no table?</summary>
# In cross-attention, the queries and the keys come from two texts, so they have no distance.
# </details>
#
# ## One query, three keys
#
# A decoder may not look at the tokens that it still has to predict, so it has a [**causal
# mask**](../docs/glossary.md#causal-mask), which adds the lowest floating-point number, about $-3.4\cdot10^{38}$, to the score of
# each key after the query. Which key has the highest score before the bias, after it, and after the mask?

# %%
import torch
from tokenlab.algorithms.attention.attention_output import attention_output

lowest, words = torch.finfo(torch.float32).min, ["dogs", "chase", "cats"]
keys, values = [[2, 2], [1, 0], [3, 1]], [[4, 0], [0, 4], [8, 8]]
attention_output.record([[2, 1]], keys, values, [[-4, 1, 0]], [[0, 0, lowest]], ["chase"], words)

# %% [markdown]
# ## The division that T5 omits
#
# The tiny T5 has $d_{kv}=24$. What does it write if every score is divided by $\sqrt{24}$?

# %%
with watch(model, "*.scores", lambda name, scores: scores / model.config.d_kv**0.5):
    print(*greedy_decode_texts(model, tokenizer, gave), sep="\n")

# %% [markdown]
# The first output, "the boy has help the teacher", is wrong: the model was trained without the division.
#
# ## The function itself
#
# The player with three keys shows this function. In which line would the first transformer divide?

# %%
show.source(attention_output)

# %% [markdown]
# ## Where it breaks
#
# The library TransformerLens used the encoder's buckets in the decoder of its T5, and [no test found the
# mistake](https://github.com/TransformerLensOrg/TransformerLens/pull/1681). The cell repeats the mistake with targets of
# different lengths. `True` means that the wrong buckets give the same [logits](../docs/glossary.md#logit)
# as the right ones.

# %%
attention, ids = model.decoder.block[0].layer[0].SelfAttention, torch.tensor([range(3, 15)])


def logits(length, is_decoder):
    attention.is_decoder = is_decoder  # selects the buckets
    return model(input_ids=ids, decoder_input_ids=ids[:, :length], use_cache=False).logits


{n: logits(n, is_decoder=False).equal(logits(n, is_decoder=True)) for n in (1, 2, 8, 9, 10, 11)}

# %% [markdown]
# Up to distance 8, encoder and decoder have the same buckets for earlier keys. Distance 9 needs 10 tokens, so a test with a shorter text cannot find
# the mistake.
#
# ## Practice
#
# Replace the three dots and run the cell. A second run shows the rule, and a third the whole solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# A T5 has 2 encoder layers, 2 decoder layers and 32 buckets. How many tables of biases does it store? A key is 9 positions
# before its query. Which bucket does this key have in the encoder, and which in the decoder? Give 3 integers.

# %% tags=["practice"]
from tokenlab import check

my_tables, my_encoder_bucket, my_decoder_bucket = ..., ..., ...  # for example 4, 9, 0

check.tables_and_buckets(my_tables, my_encoder_bucket, my_decoder_bucket)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which layers store a table? In the encoder, half of the buckets are for keys after the query. From which distance on do several distances share a bucket?</details>
# <details><summary>Hint: a smaller example</summary>For keys before the query, distance 7 has bucket 7 in the encoder, and distance 12 has bucket 9. In the decoder, distance 12 has bucket 12.</details>
# <details><summary>Hint: the structure</summary>Each stack has one table, and cross-attention has none. In the encoder, distances below 8 have their own bucket. In the decoder, distances below 16 have their own bucket. Use the formula for larger distances.</details>
#
# ### Find the bug · medium · 5 minutes · importance 4 of 5
#
# `scale_sqrt_d` divides each score by the square root of the query's dimension. Find one query and a list of keys for which
# `scale_sqrt_d` gives wrong attention weights. There is no bias and no mask.

# %% tags=["practice"]
from tokenlab.misconceptions.t5_attention import scale_sqrt_d

my_query, my_keys = ..., ...  # for example [1], [[0], [1]]

check.bug(scale_sqrt_d, my_query, my_keys)

# %% [markdown]
# <details><summary>Hint: a question</summary>For which dimension is the divisor 1? If all keys have the same score, does a divisor change their weights?</details>
# <details><summary>Hint: a smaller example</summary>The query <code>[2]</code> has dimension 1, so dividing by 1 changes nothing.</details>
# <details><summary>Hint: the structure</summary>Use a query of 2 numbers and 2 keys with different scores.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 3 of 5
#
# A sublayer reads the normalized hidden state. The [residual connection](../docs/glossary.md#residual-connection) adds the sublayer's
# output to the hidden state, not to its normalized copy. The [**RMS norm**](../docs/glossary.md#layer-norm) divides a vector $x$ of
# dimension $d$ by its root mean square, and multiplies each number by a trained weight $g_i$:
#
# $$ y_i=\frac{x_i}{\sqrt{\frac{1}{d}\sum_j x_j^2+\epsilon}}\,g_i,\qquad\epsilon=10^{-6} $$
#
# $\epsilon$ is added to the mean of the squares, before the square root. `vector` and `weights` are lists of numbers of the same length.
# For example, `[3, 4]` and `[1, 2]` give about `[0.849, 2.263]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_rms_norm(vector, weights):
    mean_square = ...
    return [... for x, weight in zip(vector, weights, strict=True)]


check.rms_norm(my_rms_norm)

# %% [markdown]
# <details><summary>Hint: a question</summary>What should the function return for a vector of zeros?</details>
# <details><summary>Hint: a smaller example</summary>The mean square of <code>[3, 4]</code> is (9 + 16) / 2 = 12.5.</details>
# <details><summary>Hint: the structure</summary>The first line is a sum of squares, divided by the length. The second line divides by a square root that contains 1e-6, and multiplies by the weight.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# Write the function that takes a relative position and returns its bucket, an integer. The relative position is the position of the key
# minus the position of the query. `bidirectional` is true for an encoder. `max_distance` is $D$ in the formula. In a decoder, keys after
# the query have bucket 0. One direction may have an odd number of buckets. For example,
# `my_bucket(-9, True, 32, 128)` returns `8`, and `my_bucket(5, True, 10, 30)` returns `8` as well.


# %% tags=["practice"]
def my_bucket(relative_position, bidirectional, num_buckets, max_distance):
    return ...


check.position_bucket(my_bucket)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many buckets are there for one direction? Which of these buckets contain only one distance?</details>
# <details><summary>Hint: a smaller example</summary>With 8 buckets for one direction, the distances 0 to 3 have their own buckets, and 4 buckets are shared. With 5, only the distances 0 and 1 have their own, and 3 buckets are shared.</details>
# <details><summary>Hint: the structure</summary>If <code>bidirectional</code> is true, halve the number of buckets, and add this half to the bucket of keys after the query. In an encoder, the distance is the absolute value of the relative position. In a decoder, use the distance 0 for keys after the query. Let N be the number of buckets for one direction, and h be <code>N // 2</code>. If the distance is less than h, the distance is the bucket. Otherwise use the formula, with <code>int</code> and <code>min</code>. The logarithms are multiplied by N - h, not by h.</details>
#
# ### Another rule · hard · 10 minutes · importance 2 of 5
#
# [**ALiBi**](../docs/glossary.md#alibi) has no table and no buckets. From each score, it subtracts `slope` times the
# distance between query and key. This is the same for keys before and after the query. `queries` and `keys` are lists
# of vectors, and query `i` and key `i` belong to the same token. Return the attention weights: for each query, a list
# with the weight of each key. Do not divide the scores by $\sqrt{d_{kv}}$. For example, `[[0], [0]]`, `[[0], [0]]`
# and `0` give `[[0.5, 0.5], [0.5, 0.5]]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_line_weights(queries, keys, slope):
    return ...


check.line_weights(my_line_weights)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is subtracted from the score of the query's own position? What is subtracted two positions away?</details>
# <details><summary>Hint: a smaller example</summary>If all vectors are zeros, only the distances count. Then the weights of the first query fall from left to right.</details>
# <details><summary>Hint: the structure</summary>For each query, make a list of the scores, each minus the slope times the distance. Subtract the largest number of the list from all of them, apply <code>exp</code> from <code>math</code>, and divide by the sum.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Why can the tiny T5 not tell who gave the book once the encoder's position bias is 0? Say in the first sentence what
# a score is computed from. Say in the second what happens to the scores if two words swap their places. Say in the
# third what the bias adds. Write three sentences.
#
# <details><summary>What a good answer contains</summary>
#
# 1. A score is the dot product of a query and a key, and both are computed from tokens without their positions.
# 2. If two words swap, their scores only move to other rows and columns, so each word keeps its output.
# 3. The bias depends on the relative position of key and query, so the same two words get another sum at another
#    distance or in the other order.
# </details>
# <details><summary>Two sample answers</summary>
#
# **Good:** “Each score is the dot product of a query and a key, which come from the words alone. If "boy" and
# "teacher" swap their places, all scores stay the same and only move to other rows and columns, so the encoder's
# output for each word does not change. The bias adds a number that depends on where the key is relative to the query,
# so now "boy before gave" differs from "boy after gave".”
#
# **Wrong:** “A score is the dot product of a query and a key. If two words swap, all scores change, because a query
# depends on its place. The bias adds the distance of two words, which is the same before and after.” A query comes
# from the word alone, so no score changes; and the bias distinguishes before from after.
# </details>
#
# ## Exit questions
#
# <details><summary>You swap two words of a sentence. Which matrix changes: the scores, the bias, or both?</summary>
# Only the scores change. The bias depends on positions and not on words.
# </details>
# <details><summary>A T5 has 6 layers in each stack. How many tables of biases does it store? In how many attention sublayers does it add a bias?</summary>
# It stores 2 tables, in the first layer of each stack. It adds a bias in 12 sublayers: the self-attention of all 6 encoder layers and all 6
# decoder layers. The 6 cross-attention sublayers have no bias.
# </details>
# <details><summary>Two implementations of a T5 decoder agree on all texts that you tried. Why might they still use different buckets?</summary>
# The encoder's and the decoder's buckets are equal up to distance 8. A test needs at least 10 tokens.
# </details>
#
# **Summary.** A score is the dot product of query and key, without a division. A T5 adds a bias to each score. The bias depends on the head and
# on the bucket of the relative position. Each stack stores one table of biases and uses it in all layers.
#
# **References.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, section 2.1.
# Peter Shaw and others, *Self-Attention with Relative Position Representations*. `models/t5/modeling_t5.py` in `transformers`. **Next
# lesson:** `15_t5_model`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The same call on the production library
#
# `t5_attention.json` contains matrices, inputs and outputs of `T5Attention` from `transformers` 4.26.1. Are our outputs the same?

# %%
import json
from tokenlab.libraries.transformers import T5Config
from tokenlab.libraries.transformers.models.t5.layers import T5Attention

for stack, theirs in json.loads((data.FOLDER / "t5_attention.json").read_text(encoding="utf-8")).items():
    ours = T5Attention(T5Config(**theirs["config"]), has_relative_attention_bias=True)
    ours.load_state_dict({name: torch.tensor(weight) for name, weight in theirs["weights"].items()})
    output = ours(torch.tensor(theirs["hidden_states"])).output
    print(stack, output.allclose(torch.tensor(theirs["output"]), atol=1e-5))

# %% [markdown]
# ### Where the division went
#
# Before training, the numbers of a matrix are random. In a T5, the numbers of the query matrix are divided by
# $\sqrt{d_{kv}}$. The numbers of the key matrix are not. The next cell makes such an untrained layer with
# $d_{kv}=16$. It multiplies random vectors by the query matrix and the key matrix, and prints [**standard
# deviations**](../docs/glossary.md#standard-deviation). The standard deviation of random numbers with the mean 0 is
# their root mean square.

# %%
torch.manual_seed(1)
fresh = T5ForConditionalGeneration(T5Config(8, 256, 16, 8, 1, num_heads=1)).encoder.block[0].layer[0].SelfAttention
queries, keys = fresh.q(torch.randn(2000, 256)), fresh.k(torch.randn(2000, 256))
spread = {"keys": keys, "queries": queries, "scores": queries @ keys.T}
{name: round(numbers.std().item(), 2) for name, numbers in spread.items()}

# %% [markdown]
# The queries are smaller by the factor 4. A score is a sum of 16 products. Each product has two factors: a number of
# the query and a number of the key. The two factors are *independent*: one of them gives no information about the
# other. Their means are 0. So the standard deviation of the product is the product of the two standard deviations,
# about $0.25\cdot1$. The 16 products are nearly independent. So the standard deviation of their sum is $\sqrt{16}=4$
# times the standard deviation of one product, here about 1. In the library GluonNLP, a reviewer [explains the same
# step](https://github.com/dmlc/gluon-nlp/pull/1482). If the scores were also divided by 4, they would be small. Then
# all attention weights of the untrained layer would be nearly equal.
#
# ### The decoder without its bias
#
# The decoder still has its causal mask. What does the model write if only the decoder's bias is 0?

# %%
with watch(model, "decoder.block.0.self_attention.bias", lambda name, bias: 0 * bias):
    print(*greedy_decode_texts(model, tokenizer, gave), sep="\n")

# %% [markdown]
# Both translations are still correct; `der Lehrerin` is "to the female teacher". Without its bias, the decoder still knows something about
# positions, because of the causal mask. The first query attends to 1 key, the second query to 2 keys, and so on.
#
# ### In every layer
#
# The table of biases is stored in the first layer. A common mistake is to add the bias only in the first layer. A layer adds the sum of
# bias and mask to its scores. `watch` records this sum under the name `added`. The cell compares the sum in each layer with the sum in the
# first layer of the same stack (encoder or decoder).

# %%
ids = tokenizer(gave[0], return_tensors="pt").input_ids
with watch(model, "*.self_attention.added") as seen:
    model(input_ids=ids, decoder_input_ids=ids)
{name: added.equal(seen[f"{name[:7]}.block.0.self_attention.added"]) for name, added in seen.items()}

# %% [markdown]
# ### Eight tokens, and 64 tokens
#
# The next two cells show the steps of "One query, three keys" without a mask, with vectors of the tiny T5. The first
# player has 8 tokens. The second player shows one step, with one query and 64 keys. A small ₃ marks the third
# occurrence of a token.

# %%
from tokenlab.traces.t5.trace_attention_head import trace_attention_head

ids = tokenizer(gave[0]).input_ids
trace_attention_head(model, tokenizer, ids[-8:])

# %%
trace_attention_head(model, tokenizer, (ids * 8)[:64], query=32).play(start=2, steps=1, opened=-1)

# %% [markdown]
# ### Which word is translated
#
# In cross-attention, the queries come from the decoder, and the keys come from the encoder. Each position of the decoder reads one token of
# the German sentence and predicts the next one. The first position reads `<pad>`. The German sentence means "Anna has given the boy two red
# flowers". The row of `▁dem` predicts `Jungen`, "boy".
#
# <details><summary>Which English word has the largest weight in the row of <code>▁dem</code>?</summary>
# <code>▁boy</code>, with 0.95.
# </details>

# %%
english, german = "Anna gave the boy two red flowers.", "Anna hat dem Jungen zwei rote Blumen gegeben."
question, place = f"translate English to German: {english}", "decoder.block.1.cross_attention"
trace_attention_head(model, tokenizer, question, place, head=1, target=german).play(start=1, steps=1)

# %% [markdown]
# ### All heads at once
#
# In the real layer, each matrix product computes all heads and all texts of a [batch](../docs/glossary.md#batch), a
# group of texts, at once. An array of numbers with any number of dimensions is called a
# [**tensor**](../docs/glossary.md#tensor). The functions below are in `tokenlab/minimal/t5.py`, a whole T5 in one file.
# Their hidden states have the shape (texts, tokens, 96). `split_heads` cuts each row of 96 numbers into 4 heads of 24
# numbers, so the new shape is (texts, 4, tokens, 24). In `bias`, `queries` and `keys` are counts. `attention` adds
# `added` to the scores: in self-attention the sum of the bias and a mask, in cross-attention only a mask. Such a mask
# hides later tokens, or the [padding](../docs/glossary.md#padding), which makes all texts of a batch equally long.

# %%
from tokenlab.minimal import t5

show.source(t5.buckets, t5.bias, t5.split_heads, t5.attention, t5.cross_attention_sublayer)

# %% [markdown]
# In `attention`, `q @ k.transpose(2, 3)` multiplies the queries and keys of all heads and all texts. At the end,
# `transpose(1, 2).flatten(2)` puts the 4 heads of a token side by side again. The encoder and the decoder of the file
# compute the sum of bias and mask once, and give it to all layers. In cross-attention, only `x` is normalized, because
# the encoder has already normalized its output `encoded`.

# %% [markdown]
# ### A common mistake: a LayerNorm in place of the RMS norm
#
# Many other transformers use a LayerNorm. It first subtracts the mean of the vector. The cell normalizes a constant vector with both norms.
# It prints each result and its length. The length of a vector is the square root of the sum of the squared numbers.

# %%
from tokenlab.libraries.transformers.models.t5.layers import T5LayerNorm

constant = torch.full((4,), -3.0)
normed = {"T5": T5LayerNorm(4)(constant).detach(), "LayerNorm": torch.nn.LayerNorm(4)(constant).detach()}
{name: (numbers.round(decimals=3).tolist(), round(numbers.norm().item(), 3)) for name, numbers in normed.items()}

# %% [markdown]
# The LayerNorm returns zeros, and the RMS norm keeps the sign. Another common mistake is to expect the length 1 after the RMS norm. If all
# trained weights $g_i$ are 1, the length is the square root of the dimension, here $\sqrt 4$.
#
# ### A common mistake: projections with a bias vector
#
# In PyTorch, `nn.Linear` multiplies by a matrix, and by default it adds a vector. This vector is also called a bias. The cell lists all
# such vectors of the tiny T5. (`state_dict` contains all its matrices and vectors by name.)

# %%
[name for name in model.state_dict() if name.endswith(".bias")]

# %% [markdown]
# There are none. All projections of a T5 have `bias=False`.
#
# ### A common mistake: the wrong triangle
#
# A mask is often written with 1 for a visible key and 0 for a hidden key. Each row belongs to a query. Later, the program replaces each 0
# by the lowest number. It replaces each 1 by 0. Then it adds this matrix to the scores. The next cell prints the results of `triu` and
# `tril`. Which of these two functions gives a causal mask?

# %%
print(torch.triu(torch.ones(3, 3)).int(), torch.tril(torch.ones(3, 3)).int(), sep="\n")

# %% [markdown]
# `tril` does. With `triu`, each query would see itself and the later keys.
#
# ### A common mistake: a mask of minus infinity
#
# Suppose that all keys of a query are hidden. This happens if a text consists only of
# [**padding**](../docs/glossary.md#padding), tokens `<pad>` that make all texts of a batch equally long. The cell
# computes the softmax of three scores of minus infinity, then of three scores that are the lowest finite number. What
# is the softmax in both cases?

# %%
[torch.full((3,), hidden).softmax(0) for hidden in (float("-inf"), torch.finfo(torch.float32).min)]

# %% [markdown]
# With minus infinity, the softmax divides 0 by 0, and the result is `nan`, "not a number". `nan` then spreads through the model. A T5 adds
# the lowest finite number.
#
# ### A common mistake: the sign of the relative position
#
# A relative position is the key's position minus the query's. Suppose that a program subtracts in the other order. These are the
# decoder's buckets for a query at position 9 and keys at positions 0 to 9, first wrong and then correct:

# %%
from tokenlab.minimal import t5

places = torch.arange(10) - 9
t5.buckets(-places, bidirectional=False), t5.buckets(places, bidirectional=False)
