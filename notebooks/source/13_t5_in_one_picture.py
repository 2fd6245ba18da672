# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # T5 in one picture
#
# > **You will be able to** follow a sentence through a T5, from ids to the loss; give the shape of each table
# > and compute one of its numbers; find the block that decided between two words.
# >
# > **Time:** core 30 minutes, practice 40 minutes. **Before this:** `08_sentencepiece`, whose tokens a T5 reads.
#
# <details><summary>Two questions from before: what does SentencePiece put before a word? Which id ends every text that a T5 reads?</summary>
#
# The symbol <code>▁</code>, a visible space. The id 1, <code>&lt;/s&gt;</code>.
# </details>
# <details><summary>Are you ready? What does the softmax make of the scores 0, 0 and -1000000?</summary>
#
# 0.5, 0.5 and 0. The softmax applies the exponential function to each score and divides by the sum. The results are positive and sum to 1.
# </details>
#
# ## A missing word
#
# This kit's tiny T5 translates 1,997 of 2,000 new sentences correctly. Here is one of the other three, after a similar one:

# %%
from tokenlab import data
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode_texts

TASK = "translate English to German: "
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
greedy_decode_texts(model, tokenizer, [TASK + "I drew a tree.", TASK + "I drew two trees."])

# %% [markdown]
# The second translation lacks `gezeichnet`, "drawn". The texts do not tell why. Look inside:

# %%
from tokenlab.show.explorers.explore_t5_map import explore_t5_map

source, target = TASK + "I drew two trees.", "Ich habe zwei Bäume gezeichnet."
explore_t5_map(source, target, model, tokenizer, source_position=6, target_position=9)

# %% [markdown]
# This is the whole model. Click on a block, or press → and ←. Below the model you see the inside of the marked layer, then the
# inside of its marked part, then the numbers for this sentence. The text beside the table says how the framed number is made.
# Type your own sentence, and choose another layer, head or row.
#
# Click on the last block, the **loss**. The target is the correct translation. Which of its tokens has the lowest
# probability?
#
# **A model is a sequence of small, known operations on a table of numbers, one row per token. Attention is the only place where
# rows meet.**
#
# ## Where rows meet
#
# Replace `drew` by `saw`: one token of the source changes. Before you run the cell: in which block of the encoder does a second
# row change?

# %%
from tokenlab.transformers.models.t5.trace.trace_model_map import trace_model_map

texts = source, source.replace("drew", "saw")
runs = [trace_model_map.record(model, tokenizer, text, target) for text in texts]
for drew, saw in zip(*runs, strict=True):
    if drew.stack == "encoder" and drew.layer in (0, None):
        print(sum(a != b for a, b in zip(drew.values, saw.values, strict=True)), "rows changed:", drew.block)

# %% [markdown]
# In the **scores**: a score is made of two rows, the query of one and the key of another. Only the weighted
# values mix rows again.
#
# ## One number: the matrix product
#
# Most blocks are a matrix product. Each number of the result is a **dot product** of a row of the first matrix and a column of the
# second: multiply the numbers in pairs, and add the products.
#
# $$ (XW)_{ij} = \sum_k X_{ik} W_{kj} $$
#
# The row $(2, 1)$ and the column $(1, 3)$ give $2 \cdot 1 + 1 \cdot 3 = 5$; the column $(0, -1)$ gives $-1$.
# The same in PyTorch; and then one score of the model, a row of $Q$ times a column of $K^\top$:

# %%
import torch

print(torch.tensor([[2, 1]]) @ torch.tensor([[1, 0], [3, -1]]))
score = next(step for step in runs[0] if step.kind == "scores").example
print(len(score.left), "products, sum", round(sum(q * k for q, k in zip(score.left, score.right, strict=True)), 4))
print("in the model:", round(score.value, 4))

# %% [markdown]
# ## The blocks and their formulas
#
# The table of **hidden states** $x$ has the shape $(n, d_{model})$ for $n$ tokens. Each sublayer $f$ reads a normed copy of it, and adds
# its output to the unchanged $x$. This sum is the **residual stream**:
#
# $$ x \leftarrow x + f(\mathrm{norm}(x)), \qquad \mathrm{norm}(x) = \frac{x}{\mathrm{rms}(x)} \odot w $$
#
# Here $\mathrm{rms}$ is the root mean square of a row; $\odot$ multiplies number by number. In attention, each **head** computes
#
# $$ \mathrm{softmax}(QK^\top + B + M)\,V, $$
#
# where $Q$, $K$ and $V$ have the shape $(n, d_{kv})$, $B$ is a bias for distances, and $M$ hides later keys in the decoder. The outputs of
# all heads are concatenated and multiplied by $W_O$. In cross-attention, $K$ and $V$ come from the encoder. The feed-forward
# layer is $\max(0, xW_i)W_o$.
#
# ## Which block decided?
#
# The residual stream is a sum, so a logit is a sum too, with one part for each block. The model wrote a full stop instead of
# `▁gezeichnet`. Which block favours each of them most? Step to the end:

# %%
from tokenlab.transformers.models.t5.trace.trace_logit_difference import trace_logit_difference

decided = trace_logit_difference.record(model, tokenizer, source, target, 9, ("▁gezeichnet", "."))
decided

# %% [markdown]
# In layer 1, self-attention reads the German words, and favours the full stop. Cross-attention reads the English words, and
# favours `▁gezeichnet`. To which of them does it attend?

# %%
run = trace_model_map.record(model, tokenizer, source, target, layer=1, target_position=9)
weights = next(step for step in run if step.block == "decoder.block.1.cross_attention.weights")
{token: round(weight, 2) for token, weight in zip(weights.columns, weights.values[9], strict=True)}

# %% [markdown]
# So the model did find `drew`, but the parts that favour the full stop are larger together.
#
# ## The function itself
#
# One sublayer of the real model. Which line is the residual connection?

# %%
from tokenlab import show
from tokenlab.transformers.models.t5.feed_forward_layers import T5LayerFF

show.source(T5LayerFF)

# %% [markdown]
# ## The same call on the production library
#
# An ordinary call gives the same logits. Tests compare them with `transformers` 4.26.1.

# %%
ids = {"input_ids": tokenizer(source).input_ids, "labels": tokenizer(target).input_ids}
logits = model(**{name: torch.tensor([row]) for name, row in ids.items()}).logits
logits.shape, logits[0].equal(torch.tensor(run.result))

# %% [markdown]
# ## Where it breaks
#
# Many mistakes keep the shapes, so nothing fails: for example, a softmax over the wrong axis. The weights of each query must sum
# to 1. Which line shows the sums of the wrong program?

# %%
from tokenlab.algorithms.attention.attention_weights import attention_weights
from tokenlab.misconceptions.t5_map import softmax_over_queries

queries, keys = [[1, 0], [0, 1], [1, 1]], [[1, 0], [2, 1], [0, 1]]
for weigh in attention_weights, softmax_over_queries:
    print([round(sum(row), 2) for row in weigh(queries, keys)])

# %% [markdown]
# ## Practice
#
# Replace the three dots and run the cell: it checks itself. If your answer is wrong, a second run shows the rule, and a third one
# shows the steps.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# Our T5 has $d_{model} = 96$, 4 heads with $d_{kv} = 24$, $d_{ff} = 192$ and 900 tokens in its vocabulary. For a source of 7 tokens and a
# target of 5, give four shapes: the queries of one encoder head, the scores of one cross-attention head, the activations of
# the decoder, and the logits.

# %% tags=["practice"]
from tokenlab import check

my_queries, my_scores, my_activations, my_logits = ..., ..., ..., ...  # for example (7, 96), ...

check.table_shapes(my_queries, my_scores, my_activations, my_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which text has one row for each of its tokens, the source or the target?</details>
# <details><summary>Hint: a smaller example</summary>With a source of 3 tokens and a target of 2, the cross-attention scores have the shape <code>(2, 3)</code>.</details>
# <details><summary>Hint: the structure</summary>Encoder: 7 rows. Decoder: 5 rows. Scores: a row for each query, a column for each key.</details>
#
# ### More practice: trace one query · easy · 4 minutes · importance 4 of 5
#
# The query is `[2, 1]`, the keys are `[1, 0]`, `[0, 3]` and `[2, -2]`, the biases `0`, `-2` and `1`. Give the scores, the sums of score and
# bias, and the number of the key with the largest weight, counted from 0.

# %% tags=["practice"]
my_scores, my_sums, my_key = ..., ..., ...  # for example [2, 0, 1], [2, -2, 2], 0

check.one_query(my_scores, my_sums, my_key)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many products has the dot product of two lists of 2 numbers?</details>
# <details><summary>Hint: a smaller example</summary><code>[3, 1]</code> and <code>[2, -1]</code> have the dot product 6 - 1 = 5.</details>
# <details><summary>Hint: the structure</summary>Three dot products; add the biases; find the largest sum.</details>
#
# ### Find the bug · easy · 4 minutes · importance 4 of 5
#
# Find queries and keys for which the weights of `softmax_over_queries`, the wrong program above, are wrong.

# %% tags=["practice"]
my_queries, my_keys = ..., ...  # for example [[1]], [[2]]

check.bug(softmax_over_queries, my_queries, my_keys)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the softmax of a single score?</details>
# <details><summary>Hint: a smaller example</summary>One query and one key have the weight 1 in both programs.</details>
# <details><summary>Hint: the structure</summary>One query and two different keys.</details>
#
# ## Before you leave
#
# <details><summary>You remove the last token of the source. Which tables of the encoder lose a row, and which also lose a column?</summary>
# All lose a row. The scores, the bias and the weights also lose a column, because each token has a key.
# </details>
# <details><summary>Could a model without attention use the word order? Could it use other words at all?</summary>
# Neither: without attention each row is computed from its own token alone.
# </details>
# <details><summary>A block adds +4 to a logit. Does the logit fall by 4 if you remove this block?</summary>
# Not exactly: later blocks then read another residual stream, so their parts change too. "Go further" tries it.
# </details>
#
# **What stays.** Every block is a small operation with a known shape. Rows meet only in attention. All outputs are added to the
# residual stream.
#
# **Read on.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, section 2.1. Ashish
# Vaswani and others, *Attention Is All You Need*. Next lesson: `14_t5_attention`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Complete two lines · medium · 8 minutes · importance 4 of 5
#
# Compute the feed-forward sublayer for one row, with its norm and residual connection. `w_in` has the columns of $W_i$, and `w_out` those
# of $W_o$. For example, the row `[2, 2]` with `[[1, 0]]` and `[[3], [4]]` gives `[5, 6]`.

# %% tags=["practice"]
from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.attention.rms_norm import rms_norm


# Floats may be off by a millionth.
def my_sublayer(row, w_in, w_out):
    normed = rms_norm(row, [1] * len(row))
    hidden = ...
    return ...


check.one_sublayer(my_sublayer)

# %% [markdown]
# <details><summary>Hint: a question</summary>To which row is the output added: to <code>row</code> or to <code>normed</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>[3]</code> is normed to <code>[1]</code>. With <code>[[-1]]</code> and <code>[[2]]</code>, the activation is max(0, -1) = 0, and the result is <code>[3]</code>.</details>
# <details><summary>Hint: the structure</summary>A list with <code>max(0, dot(...))</code> for each column of <code>w_in</code>; then <code>x + dot(...)</code> for each number of the row and column of <code>w_out</code>.</details>
#
# ### Write it · medium · 11 minutes · importance 5 of 5
#
# Write one attention head on plain lists. `queries`, `keys` and `values` are lists of rows; `bias` has a row for each query and a number
# for each key. Return one output row for each query. For example, `[[0]]`, `[[0], [0]]`, `[[2], [4]]` and `[[0, 0]]` give `[[3]]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_head(queries, keys, values, bias):
    return ...


check.whole_head(my_head)

# %% [markdown]
# <details><summary>Hint: a question</summary>For one query: how many scores, how many weights, and how many numbers in the output?</details>
# <details><summary>Hint: a smaller example</summary>With one key, the weight is 1, and every output is the value of this key.</details>
# <details><summary>Hint: the structure</summary>For each query: scores with <code>dot</code> plus the bias; <code>exp</code> from <code>math</code> of each score minus the largest; divide by the sum; for each column of the values, <code>dot</code> with the weights. <code>zip(*values)</code> yields the columns.</details>
#
# ### Another rule · medium · 8 minutes · importance 3 of 5
#
# In *multi-query attention* (Shazeer 2019), which makes generation faster, all heads share the keys and values; only the queries differ.
# `heads` is a list with the queries of each head. Return one row for each query position: the outputs of all heads, concatenated
# in the order of the heads, without a bias. For example, `[[[0]], [[0]]]`, `[[1]]` and `[[5]]` give `[[5, 5]]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_shared_heads(heads, keys, values):
    return ...


check.shared_heads(my_shared_heads)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many rows has the result: as many as heads, or as many as positions?</details>
# <details><summary>Hint: a smaller example</summary>2 heads, 3 positions and values with 4 columns give 3 rows with 8 columns.</details>
# <details><summary>Hint: the structure</summary>A list with the output of each head; <code>zip(*outputs)</code> yields the rows of one position; join them with <code>sum(rows, [])</code>.</details>
#
# ### What happens without a block
#
# `ablate` replaces the output of a block by zeros. How does the difference of the two logits change? Without cross-attention in
# layer 1, it falls by more than the part of this block: the feed-forward layer after it then reads another row.

# %%
from tokenlab.transformers.hook_points import ablate

given = {name: torch.tensor([row]) for name, row in ids.items()}
for step in decided[1:]:
    with ablate(model, f"{step.block}.output"):
        word, stop = model(**given).logits[0, 9, tokenizer.convert_tokens_to_ids(["▁gezeichnet", "."])].tolist()
    print(f"{step}; without this block {word - stop:+.2f}")

# %% [markdown]
# ### A page without a kernel
#
# A recording saves itself as a page that anyone can open. With `layer=None`, it has a step for every block of every layer.

# %%
import tempfile
from pathlib import Path

whole = trace_model_map.record(model, tokenizer, source, target, layer=None)
page = whole.save(Path(tempfile.mkdtemp()) / "t5.html")
f"{len(run)} steps with one layer in detail, {len(whole)} with all; a page of {page.stat().st_size / 1e6:.1f} MB"

# %% [markdown]
# ### You are here
#
# A small map marks a block; use it in your own notes.

# %%
show.you_are_here("cross-attention scores")
