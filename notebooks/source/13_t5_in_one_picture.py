# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # T5 in one picture
#
# > **You will be able to** follow a sentence through a T5, from ids to the loss; give the shape of each table; measure how much each
# > sublayer favours one of two words.
# >
# > **Time:** core 30 minutes, practice 40 minutes. **Before this:** `08_sentencepiece`, whose tokens a T5 reads.
#
# <details><summary>Two questions from before: what does SentencePiece put before a word? Which id ends every text that a T5 reads?</summary>
#
# The symbol <code>▁</code>, a visible space. The id 1, <code>&lt;/s&gt;</code>.
# </details>
# <details><summary>Are you ready? The <b>softmax</b> turns numbers into shares of 1: apply exp to each number, and divide each result by their sum. What are the shares of 0, 0 and -1000000?</summary>
#
# 0.5, 0.5 and 0: exp(0) is 1, and exp(-1000000) is 0 up to rounding.
# </details>
#
# ## A missing word
#
# This kit's tiny T5 translates 1,997 of 2,000 new sentences correctly and 3 wrongly. The first translation below is correct. The second one is one of these 3.

# %%
from tokenlab import data
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode_texts

TASK = "translate English to German: "
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
greedy_decode_texts(model, tokenizer, [TASK + "I drew a tree.", TASK + "I drew two trees."])

# %% [markdown]
# The second translation lacks `gezeichnet`, "drawn".
#
# A T5 has two halves. The [**encoder**](../docs/glossary.md#encoder) reads the **source**, the text to translate. The
# [**decoder**](../docs/glossary.md#decoder) predicts the **target**, the translation. Each half is a stack of **layers** (`block` in the
# code), and each layer consists of **sublayers**.
# A table with one row for each token passes through all of them. A row is called a [**hidden state**](../docs/glossary.md#hidden-state). The first rows are
# [**embeddings**](../docs/glossary.md#embedding): 96 numbers that the model stores for each token.
#
# Below, the decoder reads the correct target, shifted by one position: `<pad>` comes first. Each position (counted from 0) predicts the next token.

# %%
from tokenlab.show.explorers.explore_t5_map import explore_t5_map

source, target = TASK + "I drew two trees.", "Ich habe zwei Bäume gezeichnet."
explore_t5_map(source, target, model, tokenizer, source_position=6, target_position=9)

# %% [markdown]
# Click on a box, or press →. The text next to the table explains the framed number.
#
# The last box is the [**loss**](../docs/glossary.md#loss). It is the mean of $-\ln p$ over all tokens of the correct translation, where $p$
# is the probability of the token.
#
# <details><summary>Click on the loss. Which token of the correct translation has the lowest probability?</summary>
# <code>▁gezeichnet</code>, with 0.09.
# </details>
#
# **A model is a sequence of small operations on a table. Only [attention](../docs/glossary.md#attention) computes a row from other rows.**
#
# ## Where rows are combined
#
# Attention computes three rows from each row: its [**query**](../docs/glossary.md#query), [**key**](../docs/glossary.md#key) and
# [**value**](../docs/glossary.md#value). A **score** is the dot product of a query and a key. The
# [softmax](../docs/glossary.md#softmax) turns the scores of a
# query into [**weights**](../docs/glossary.md#attention-weight). The output for the query is the sum of all values, each times its weight.
#
# Now `drew` is replaced by `saw`. Which is the first box of the encoder in which more than one row changes?

# %%
from tokenlab.transformers.models.t5.trace.trace_model_map import trace_model_map

texts = source, source.replace("drew", "saw")
runs = [trace_model_map.record(model, tokenizer, text, target) for text in texts]
for drew, saw in zip(*runs, strict=True):
    if drew.stack == "encoder" and drew.layer in (0, None):
        print(sum(a != b for a, b in zip(drew.values, saw.values, strict=True)), "rows changed:", drew.block)

# %% [markdown]
# <details><summary>Why do all 12 rows of the scores change?</summary>
# The row of a token contains its score with each of the 12 tokens. One of them is <code>drew</code>, so at least one number in each row
# changes. Only one later box combines rows, the weighted values. In all other later boxes, 12 rows change only because 12 rows of their input
# changed.
# </details>
#
# ## One number: the matrix product
#
# A **matrix** is a table of numbers. Most boxes multiply two matrices. Each number of the result is a
# [**dot product**](../docs/glossary.md#dot-product): take a row of the first matrix and a column of the second. Multiply their first numbers,
# their second numbers, and so on, and add the products.
#
# For example, the row $(2, 1)$ and the column $(1, 3)$ give $2\cdot1+1\cdot3=5$. The cell multiplies this row by a matrix with two columns
# (`@` in PyTorch). Then it computes one score of the model.
#
# <details><summary>Which row and which column give the number in row i and column j of the product?</summary>
# Row i of the first matrix and column j of the second.
# </details>

# %%
import torch

print(torch.tensor([[2, 1]]) @ torch.tensor([[1, 0], [3, -1]]))
score = next(step for step in runs[0] if step.kind == "scores").example
print(len(score.left), "products, sum", round(sum(q * k for q, k in zip(score.left, score.right, strict=True)), 4))
print("in the model:", round(score.value, 4))

# %% [markdown]
# ## The sublayers and their formulas
#
# The table $x$ of $n$ hidden states has the shape $(n, d_{model})$, here $d_{model}=96$. Each sublayer $f$ reads a normalized copy
# $\hat x=\mathrm{norm}(x)$. The output of $f$ is added to $x$ itself. This is the
# [**residual connection**](../docs/glossary.md#residual-connection): $x\leftarrow x+f(\hat x)$. The table $x$ is the **residual stream**.
#
# <details><summary>How is a row normalized?</summary>
# Square the numbers of the row, take the mean of the squares, and then the square root of this mean. Each number of the row is divided by this root.
# </details>
#
# An attention sublayer has 4 [**heads**](../docs/glossary.md#attention-head). The rows of its tables $Q$, $K$ and $V$ are the
# head's own queries, keys and values, with $d_{kv}=24$ columns. A head computes
#
# $$ \mathrm{softmax}(QK^\top + B + M)\,V. $$
#
# The bias $B$ contains a number for each distance of two tokens. In the decoder, the mask $M$ adds an extremely low number to the score of
# each key after the query, so the weight of this key is 0.
#
# <details><summary>What is the symbol after K?</summary>
# The product QKᵀ contains all scores. Kᵀ is K with rows and columns exchanged, so each of its columns is a key.
# </details>
# <details><summary>Where do the outputs of the 4 heads go?</summary>
# They are joined side by side, and the result is multiplied by another matrix.
# </details>
#
# In [**self-attention**](../docs/glossary.md#self-attention), $Q$, $K$ and $V$ come from one text. In the decoder's
# [**cross-attention**](../docs/glossary.md#cross-attention), $Q$ comes from the decoder, and $K$ and $V$ come from the encoder.
# Cross-attention has neither $B$ nor this $M$.
#
# The [**feed-forward**](../docs/glossary.md#feed-forward-layer) sublayer is $f(\hat x)=\max(0, \hat xW_i)\,W_o$. Here $\max$ replaces
# negative numbers by 0. The result, the **activations**, has $d_{ff}=192$ columns.
#
# ## Which sublayer decided?
#
# The decoder ends with [**logits**](../docs/glossary.md#logit): for each row, one number for each token of the vocabulary. Their
# softmax gives the probabilities. The last token of `Bäume` is `e`, so the row of `e` predicts the next word. In its own translation, the
# model wrote a full stop there.
#
# Up to a factor, a logit is the dot product of the last hidden state and the embedding of a token. The hidden state is a sum,
# so a logit is also a sum: one part from the embedding and one from each sublayer. The next cell shows the parts of the logit of
# `▁gezeichnet` minus the logit of the full stop.
# A negative part favours the full stop. Step to the end.

# %%
from tokenlab.transformers.models.t5.trace.trace_logit_difference import trace_logit_difference

decided = trace_logit_difference.record(model, tokenizer, source, target, 9, ("▁gezeichnet", "."))
decided

# %% [markdown]
# The sum of all parts is -2.20, so the full stop wins.
#
# <details><summary>Which part is the highest, and which is the lowest?</summary>
# Layers are counted from 0. The highest part, +4.04, is the cross-attention of layer 1, which reads the English tokens. The lowest part,
# -3.65, is the self-attention of layer 1, which reads the German tokens.
# </details>
#
# ## Where it breaks
#
# Many mistakes keep the shapes, so there is no error message. For example, a program applies the softmax to each column of the scores. But
# the weights of a query are one row, which must sum to 1. Which line shows the wrong program?

# %%
from tokenlab.algorithms.attention.attention_weights import attention_weights
from tokenlab.misconceptions.t5_map import softmax_over_queries

queries, keys = [[1, 0], [0, 1], [1, 1]], [[1, 0], [2, 1], [0, 1]]
for weigh in attention_weights, softmax_over_queries:
    print([round(sum(row), 2) for row in weigh(queries, keys)])

# %% [markdown]
# ## Practice
#
# Replace the three dots and run the cell. After a wrong answer, a second run shows the rule, and a third one the steps.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# Our T5 has $d_{model}=96$, $d_{kv}=24$, $d_{ff}=192$ and a vocabulary of 900 tokens. The source has 7 tokens, and the
# target has 5. Give four shapes as (rows, columns): the queries of one encoder head, the scores of one cross-attention head, the activations of the
# decoder, and the logits.

# %% tags=["practice"]
from tokenlab import check

my_queries, my_scores, my_activations, my_logits = ..., ..., ..., ...  # for example (7, 96), ...

check.table_shapes(my_queries, my_scores, my_activations, my_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which text do the rows of this table belong to, the source or the target?</details>
# <details><summary>Hint: a smaller example</summary>With a source of 3 tokens and a target of 2, the cross-attention scores have the shape <code>(2, 3)</code>.</details>
# <details><summary>Hint: the structure</summary>Encoder: 7 rows. Decoder: 5 rows. Scores: a row for each query, a column for each key.</details>
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
# ### Complete two lines · medium · 8 minutes · importance 4 of 5
#
# Compute the feed-forward sublayer for one row, with its norm and residual connection. `w_in` is a list of the columns of $W_i$. `w_out` is a list of
# the columns of $W_o$. For example, the row `[2, 2]` with `[[1, 0]]` and `[[3], [4]]` gives `[5, 6]`.

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
# <details><summary>Hint: the structure</summary>First a list with <code>max(0, dot(...))</code> for each column of <code>w_in</code>. Then pair each number <code>x</code> of <code>row</code> with a column of <code>w_out</code>, and compute <code>x + dot(...)</code>.</details>
#
# ## Before you leave
#
# <details><summary>You remove the last token of the source. Which tables of the encoder lose a row, and which also lose a column?</summary>
# All lose a row. The scores, the bias and the weights also lose a column, because each token has a key.
# </details>
# <details><summary>Could a model without attention use the other words of a sentence?</summary>
# No: without attention each row is computed from its own token alone.
# </details>
# <details><summary>Why can a logit be divided into one part for each sublayer?</summary>
# The outputs of all sublayers are added to the residual stream. A logit is a dot product with this sum, so it is also a sum.
# </details>
#
# **Summary.** Every box of the map is a small operation with a known shape. Rows are combined only in attention. The outputs of all sublayers are added to the
# residual stream.
#
# **References.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, section 2.1. Ashish
# Vaswani and others, *Attention Is All You Need*. **Next lesson:** `14_t5_attention`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
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
# <details><summary>Hint: the structure</summary>For each query: a score for each key with <code>dot</code>, plus its bias. Subtract the largest of these sums from all of them, apply <code>exp</code> from <code>math</code>, and divide by the total. This gives the weights. For each column of the values: <code>dot</code> of the column and the weights. <code>zip(*values)</code> yields the columns.</details>
#
# ### Another rule · medium · 8 minutes · importance 3 of 5
#
# In *multi-query attention* (Shazeer 2019), which makes generation faster, all heads share the keys and values; only the queries differ.
# `heads` is a list with the queries of each head. There is no bias. Return one row for each query position: the outputs of all heads for this position,
# joined in the order of the heads. For example, `[[[0]], [[0]]]`, `[[1]]` and `[[5]]` give `[[5, 5]]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_shared_heads(heads, keys, values):
    return ...


check.shared_heads(my_shared_heads)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many rows has the result: one for each head, or one for each position?</details>
# <details><summary>Hint: a smaller example</summary>2 heads, 3 positions and values with 4 columns give 3 rows with 8 columns.</details>
# <details><summary>Hint: the structure</summary>Make a list with the output of each head. <code>zip(*outputs)</code> yields the rows of one position. Join them with <code>sum(rows, [])</code>.</details>
#
# ### The function itself
#
# This is the feed-forward sublayer of the real model. Which line is the residual connection?

# %%
from tokenlab import show
from tokenlab.transformers.models.t5.feed_forward_layers import T5LayerFF

show.source(T5LayerFF)

# %% [markdown]
# ### Did the model find the word?
#
# The cell prints the weights of one head of cross-attention in layer 1, for the row of `e`. Which English token has the largest weight?

# %%
run = trace_model_map.record(model, tokenizer, source, target, layer=1, head=0, target_position=9)
weights = next(step for step in run if step.block == "decoder.block.1.cross_attention.weights")
{token: round(weight, 2) for token, weight in zip(weights.columns, weights.values[9], strict=True)}

# %% [markdown]
# So head 0 did find `drew`. The other 3 heads have most of their weight on other tokens; replace `head=0` to see them.
#
# ### The same call without the recorder
#
# The cell calls the model as a program would. Are the logits the same as those of the steps above? (The first number of the shape is
# the number of texts.) The tests of this kit compare them with `transformers` 4.26.1.

# %%
ids = {"input_ids": tokenizer(source).input_ids, "labels": tokenizer(target).input_ids}
logits = model(**{name: torch.tensor([row]) for name, row in ids.items()}).logits
logits.shape, logits[0].equal(torch.tensor(run.result))

# %% [markdown]
# ### What happens without a sublayer
#
# `ablate` replaces the output of a sublayer by zeros. The cell prints its part of the difference of the two logits, then the difference
# without it.

# %%
from tokenlab.transformers.hook_points import ablate

given = {name: torch.tensor([row]) for name, row in ids.items()}
for step in decided[1:]:
    with ablate(model, f"{step.block}.output"):
        word, stop = model(**given).logits[0, 9, tokenizer.convert_tokens_to_ids(["▁gezeichnet", "."])].tolist()
    print(f"{step}; without this sublayer {word - stop:+.2f}")

# %% [markdown]
# With all sublayers, the difference is -2.20. The part of cross-attention in layer 1 is +4.04. So one may expect -2.20 - 4.04 = -6.24 without
# this sublayer. The cell prints -12.49, for two reasons.
# The feed-forward sublayer after it also reads other numbers. And before the logits, a last norm divides the hidden state by one number. The
# parts use this number of the complete model. Without the
# sublayer, the number is another one.
#
# ### A page that works without Jupyter
#
# A recording saves itself as a page that anyone can open. With `layer=None`, it has a step for every box of every layer.

# %%
import tempfile
from pathlib import Path

whole = trace_model_map.record(model, tokenizer, source, target, layer=None)
page = whole.save(Path(tempfile.mkdtemp()) / "t5.html")
f"{len(run)} steps with one layer in detail, {len(whole)} with all; a page of {page.stat().st_size / 1e6:.1f} MB"

# %% [markdown]
# ### You are here
#
# A small map marks a box; use it in your own notebooks.

# %%
show.you_are_here("cross-attention scores")
