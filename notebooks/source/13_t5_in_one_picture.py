# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # T5 in one picture
#
# > **You will be able to** follow a sentence through a T5, from ids to the translation; give the size of each table; find the part
# > of the model that prefers one of two words.
# >
# > **Time:** core 35 minutes, practice 30 minutes (and 23 in *Go further*). **Before this:** `08_sentencepiece`. A second part, below
# > *Go further*, takes 35 minutes more.
#
# <details><summary>Two questions from before: what does SentencePiece put before a word? Which id ends every text that a T5 reads?</summary>
#
# It puts <code>▁</code>, a visible space, before a word. The id 1 is <code>&lt;/s&gt;</code>.
# </details>
# <details><summary>Are you ready? The <b>softmax</b> applies exp to each number of a list, and divides each result by the sum of the results. What is the softmax of the list 0, 0, -1000000?</summary>
#
# It is 0.5, 0.5, 0, because exp(0) is 1, and exp(-1000000) is almost 0.
# </details>
#
# ## A missing word
#
# This kit's tiny T5 translates 1,997 of 2,000 new sentences correctly. Here is a correct translation, and a wrong one.

# %%
from tokenlab import data
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.libraries.transformers.models.t5.greedy_decode import greedy_decode_texts

TASK = "translate English to German: "
model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
greedy_decode_texts(model, tokenizer, [TASK + "I drew a tree.", TASK + "I drew two trees."])

# %% [markdown]
# The second translation lacks `gezeichnet`, "drawn". The model writes token by token, so the word was lost after *Ich habe zwei Bäume*. How probable are the missing word and the full stop there?

# %%
import torch

source, target = TASK + "I drew two trees.", "Ich habe zwei Bäume gezeichnet."
word, stop = tokenizer.convert_tokens_to_ids(["▁gezeichnet", "."])
given = {"input_ids": torch.tensor([tokenizer(source).input_ids])}
given["labels"] = torch.tensor([tokenizer(target).input_ids])
[round(p, 2) for p in model(**given).logits[0, 9].softmax(0)[[word, stop]].tolist()]

# %% [markdown]
# The model knows the word, but prefers the full stop. To find which part decided this, we need a map.
#
# ## The map
#
# A T5 has two halves. The [**encoder**](../docs/glossary.md#encoder) reads the **source**, the text to translate. The
# [**decoder**](../docs/glossary.md#decoder) predicts the **target**, the translation. Each half is a stack of **layers** (`block` in the
# code). An encoder layer has 2 **sublayers**: self-attention and a feed-forward layer. A decoder layer has
# cross-attention between them.
#
# The model stores $d_{model}=96$ numbers for each token of its vocabulary, the token's
# [**embedding**](../docs/glossary.md#embedding). The embeddings of a text form a table with one row for each token,
# and each sublayer changes these rows, the [**hidden states**](../docs/glossary.md#hidden-state). The embeddings and
# all other stored numbers are the **parameters**. *Training* changed them in small steps. The boxes of the map are:
#
# - The **RMS norm** divides a row by its root mean square.
# - [**Attention**](../docs/glossary.md#attention) fetches information from other rows: *self-attention* from the same
#   half, and *cross-attention* from the encoder. It has 4 [**heads**](../docs/glossary.md#attention-head), which work
#   with short rows of $d_{kv}=24$ numbers. A **bias** depends on the distance of two tokens, and a **mask** hides
#   later tokens.
# - The [**feed-forward layer**](../docs/glossary.md#feed-forward-layer) changes each row without reading others, with $d_{ff}=192$ intermediate numbers.
# - The box **+** is a [residual connection](../docs/glossary.md#residual-connection): it adds a sublayer's output to its input.
# - The **output layer** computes one [**logit**](../docs/glossary.md#logit) for each of the 900 tokens, and the softmax gives their probabilities.
#
# <details><summary>In the player, the decoder reads the correct translation, and each row predicts the next token. Which row predicts the first token of the target?</summary>
# The row at position 0. No token of the target comes before the first one, so the decoder reads a special token, <code>&lt;pad&gt;</code>, there.
# Position 1 contains the first token of the target.
# </details>

# %%
from tokenlab.show.explorers.explore_t5 import explore_t5_map

explore_t5_map(source, target, model, tokenizer, source_position=6, target_position=9)

# %% [markdown]
# Click a box, or press →. The last box is the [**loss**](../docs/glossary.md#loss), which training lowers: the mean
# of $-\ln p$, where $p$ is the probability of each correct token.
#
# <details><summary>Click on the loss. Which token of the correct translation has the lowest probability?</summary>
# It is <code>▁gezeichnet</code>, with 0.09.
# </details>
#
# **A model is a sequence of small operations on tables. Before the loss, only attention combines different rows.**
#
# ## Where rows are combined
#
# Attention computes three rows from each hidden state: a [**query**](../docs/glossary.md#query) (what the row looks for), a
# [**key**](../docs/glossary.md#key), with which queries are compared, and a [**value**](../docs/glossary.md#value) (what the row passes on). A **score** is the
# [**dot product**](../docs/glossary.md#dot-product) of a query and a key: multiply their numbers in pairs, and add
# the products. The softmax of a query's scores gives its [**attention
# weights**](../docs/glossary.md#attention-weight). Each value
# is multiplied by its weight, and the sum is the output for the query.
#
# We replace `drew` by `saw`, and count the changed rows in the encoder's first layer. In which box do several rows change first?

# %%
from tokenlab.traces.t5.trace_model_map import trace_model_map

texts = source, source.replace("drew", "saw")
runs = [trace_model_map.record(model, tokenizer, text, target) for text in texts]
for drew, saw in zip(*runs, strict=True):
    if drew.stack == "encoder" and drew.layer in (0, None):
        print(sum(a != b for a, b in zip(drew.values, saw.values, strict=True)), "changed rows:", drew.block)

# %% [markdown]
# <details><summary>Why do all 12 rows of the scores change?</summary>
# The row of a token contains its scores with all 12 tokens. One of these tokens was replaced, so each row contains a changed score.
# </details>
# <details><summary>Which later box also combines different rows?</summary>
# Only the box of the weighted values: it combines the values of all tokens. In the other later boxes, each row is computed from the same row of
# earlier boxes.
# </details>
#
# ## Which sublayer decided?
#
# The last token of `Bäume` is `e`, so the row of `e` predicts the next token. Each logit is a dot product of this row and the embedding of a
# token. The row is a sum, because each sublayer adds its output. So the logit is also a sum of parts: each
# sublayer's part is its [**attribution**](../docs/glossary.md#attribution).
#
# The player splits a difference into such parts: the logit of `▁gezeichnet` minus that of the full stop. Step to the end.

# %%
from tokenlab.traces.t5.trace_logit_difference import trace_logit_difference

decided = trace_logit_difference.record(model, tokenizer, source, target, 9, ("▁gezeichnet", "."))
decided

# %% [markdown]
# The parts sum to -2.20, so the full stop wins. The lowest part, -3.65, comes from self-attention in layer 1. Is it
# the cause? Attribution cannot say, because later sublayers *read* its output.
#
# [**Ablation**](../docs/glossary.md#ablation) replaces a sublayer's output by zeros, and reruns the model. The
# **effect** is -2.20 minus the difference that the model has without the sublayer.

# %%
from tokenlab.libraries.transformers.hook_points import ablate

for step in decided[1:]:
    with ablate(model, f"{step.block}.output"):
        row = model(**given).logits[0, 9]
    best, effect = tokenizer.convert_ids_to_tokens(row.argmax().item()), decided.result - (row[word] - row[stop]).item()
    print(f"{step.block:31} part {step.part:+.2f}, effect {effect:+5.1f}, then best: {best}")

# %% [markdown]
# Self-attention in layer 0 has a part of -0.63, but an effect of -6.9: without it, the difference is +4.7. It favours
# the full stop most. The sublayer with the lowest part has an effect of -1.0. Part and effect differ:
#
# - The part says *how much of the difference a sublayer added directly*. Parts sum to the difference.
# - The effect says *how much a sublayer changes the difference in total*, also through later sublayers, so it says
#   more about causes. But effects do not sum to the difference, and zeros never occurred in training, so even `n` can
#   become the best token.
#
# ## Where it breaks
#
# Many mistakes change no shape, so no error appears. One of two
# programs applies the softmax to each column, not to each row. Which line shows its row sums?

# %%
from tokenlab.algorithms.attention.attention_weights import attention_weights
from tokenlab.misconceptions.t5_map import softmax_over_queries

queries, keys = [[1, 0], [0, 1], [1, 1]], [[1, 0], [2, 1], [0, 1]]
for weigh in attention_weights, softmax_over_queries:
    print([round(sum(row), 2) for row in weigh(queries, keys)])

# %% [markdown]
# ## Practice
#
# Replace the three dots and run the cell. A second run shows the rule, a third the whole solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# Our T5 has $d_{model}=96$, $d_{kv}=24$, $d_{ff}=192$ and a vocabulary of 900 tokens. The source has 7 tokens, the
# target 5. Give the shapes of 4 tables as (rows, columns): the queries of one encoder head, the scores of one
# cross-attention head, the activations of the decoder, and the logits.

# %% tags=["practice"]
from tokenlab import check

my_queries, my_scores, my_activations, my_logits = ..., ..., ..., ...  # for example (7, 96), ...

check.table_shapes(my_queries, my_scores, my_activations, my_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which text do the rows of this table belong to, the source or the target?</details>
# <details><summary>Hint: a smaller example</summary>With a source of 3 tokens and a target of 2, the cross-attention scores have the shape <code>(2, 3)</code>.</details>
# <details><summary>Hint: the structure</summary>Encoder tables have 7 rows, decoder tables 5. Scores have a row for each query and a column for each key.</details>
#
# ### Find the bug · easy · 4 minutes · importance 4 of 5
#
# `softmax_over_queries` is the wrong program above. Find queries and keys for which its weights are wrong.

# %% tags=["practice"]
my_queries, my_keys = ..., ...  # for example [[1]], [[2]]

check.bug(softmax_over_queries, my_queries, my_keys)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the softmax of a single score?</details>
# <details><summary>Hint: a smaller example</summary>With one query and one key, the weight is 1 in both programs.</details>
# <details><summary>Hint: the structure</summary>Use one query and two different keys.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 4 of 5
#
# Compute the feed-forward sublayer for one row. The row is normalized to $\hat x$, and the output $\max(0, \hat xW_i)\,W_o$ is added
# to the row: each number of $\hat xW_i$ is the dot product of $\hat x$ and a column of $W_i$, and negative numbers become 0. `w_in` is a
# list of the columns of $W_i$, and `w_out` is a list of the columns of $W_o$. All parameters of the norm are 1, so `rms_norm` gets a list
# of ones. For example, the row `[2, 2]` with `[[1, 0]]` and `[[3], [4]]` gives `[5, 6]`.

# %% tags=["practice"]
from tokenlab.algorithms.attention.attention_weights import dot
from tokenlab.algorithms.attention.sublayers import rms_norm


# Floats may be off by a millionth.
def my_sublayer(row, w_in, w_out):
    normed = rms_norm(row, [1] * len(row))
    hidden = ...
    return ...


check.one_sublayer(my_sublayer)

# %% [markdown]
# <details><summary>Hint: a question</summary>To which row is the output added: to <code>row</code> or to <code>normed</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>[3]</code> is normalized to <code>[1]</code>. With <code>[[-1]]</code> and <code>[[2]]</code>, the activation is max(0, -1) = 0, and the result is <code>[3]</code>.</details>
# <details><summary>Hint: the structure</summary>The first line is a list with <code>max(0, dot(...))</code> for each column of <code>w_in</code>. Then pair each number <code>x</code> of <code>row</code> with a column of <code>w_out</code>, and compute <code>x + dot(...)</code>.</details>
#
# ### More practice: part and effect · medium · 8 minutes · importance 5 of 5
#
# In this model, a row of 2 or 3 numbers goes through a few sublayers. A sublayer is a matrix, a list of rows. The dot
# products of its rows with the current row are added to the current row. At the end, the difference of two logits is
# the dot
# product of the last row and `direction`. Return two numbers for the sublayer with the index `number`: its part of the difference, and its
# effect, the difference minus the difference without this sublayer. For example, `[1, 0]`, `[[[0, 0], [1, 0]], [[0, 3], [0, 0]]]`,
# `[1, 0]` and `0` give `(0, 3)`: the first sublayer writes `[0, 1]`, which only the second sublayer turns into a difference.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_part_and_effect(row, sublayers, direction, number):
    return ...


check.part_and_effect(my_part_and_effect)

# %% [markdown]
# <details><summary>Hint: a question</summary>If a sublayer is removed, do the later sublayers still read the same row?</details>
# <details><summary>Hint: a smaller example</summary>Nothing follows the last sublayer here, not even a norm as in the T5, so its effect equals its part. In the example, the second sublayer reads <code>[1, 1]</code> and writes <code>[3, 0]</code>: part and effect are 3.</details>
# <details><summary>Hint: the structure</summary>Write a function that runs the row through a list of sublayers and returns the last row. Run it with all sublayers and without one of them: <code>sublayers[:number] + sublayers[number + 1:]</code>. For the part, run only <code>sublayers[:number]</code>, and compute the output of the next sublayer for the result.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 5 of 5
#
# Attribution gives self-attention in layer 0 the part -0.63, and setting its output to zeros changes the decision.
# Say in the first sentence what the part answers, in the second what the effect answers, and in the third which of
# them you would use for "which sublayer decided", and why. Write three sentences.
#
# <details><summary>What a good answer contains</summary>
#
# 1. The part says how much of the final difference this sublayer's own output contributes in the last row.
# 2. The effect says how the difference changes if the output is replaced by zeros, so it includes what later
#    sublayers make of the output.
# 3. For "which decided", the effect is closer, because it comes from an intervention; its limits are that effects do
#    not sum, and that zeros are unusual inputs.
# </details>
# <details><summary>Two sample answers</summary>
#
# **Good:** “The part -0.63 is what the output of this sublayer itself adds to the difference of the two logits. The
# effect -6.9 is the change of the difference when the output is set to zeros and all later sublayers are computed
# again. I would use the effect, because later sublayers read the output, although zeros are an input that the model
# never saw in training.”
#
# **Wrong:** “The part -0.63 says that the sublayer caused a small share of the decision. The effect should be the
# same number, because a logit is the sum of all parts. So the sublayer with the part -3.65 decided.” A part is no
# cause: removing a sublayer also changes the outputs of all later sublayers.
# </details>
#
# ## Exit questions
#
# <details><summary>You remove the last token of the source. Which tables of the encoder lose a row? Which of them also lose a column?</summary>
# All tables of hidden states lose a row. The scores, the bias and the attention weights also lose a column, because they have a column for each key.
# </details>
# <details><summary>Could a model without attention use the other words of a sentence?</summary>
# No: without attention each row is computed from its own token alone.
# </details>
# <details><summary>Cross-attention in layer 0 has the part +0.81 and the effect -2.0. How can the signs differ?</summary>
# What it adds to the last row itself favours <code>▁gezeichnet</code>. But later sublayers read its output, and then favour the full stop even more.
# </details>
#
# **Summary.** Every box of the map is a small operation on a table. Only attention combines different rows. The outputs of all sublayers
# are added to the same rows, so a logit is a sum of parts. A part says who wrote the logit, and an ablation says what would change.
#
# **References.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*, section 2.1.
# Ashish Vaswani and others, *Attention Is All You Need*. **Next lesson:** `14_t5_attention`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Part two: the formulas (35 minutes)
#
# The table $x$ of all hidden states is the **residual stream**. It has a row for each of the $n$ tokens and $d_{model}=96$ columns, so its
# **shape** is $(n, 96)$. Each sublayer $f$ reads a normalized copy $\hat x$ of this table, and its output is added to
# $x$ itself. This addition is the
# [**residual connection**](../docs/glossary.md#residual-connection): $x\leftarrow x+f(\hat x)$.
#
# <details><summary>How is a row normalized?</summary>
# Square the numbers of the row, and take the mean of the squares. Each number is divided by the square root of this mean. Then it is
# multiplied by a parameter. Each column has its own parameter.
# </details>
# <details><summary>What do residual connections do for training?</summary>
# Training asks how the loss changes if an early number changes a little. Without the addition, this change would have to pass through every
# later sublayer, and could shrink in each of them. In <code>x + f(x)</code>, the <code>x</code> passes the change on
# unchanged, so parameters of early layers learn from the start. And a sublayer that has learned nothing yet does
# little harm, because the row stays in the sum.
# </details>
# <details><summary>What do norms do for training?</summary>
# Each addition may enlarge the rows. The norm gives every sublayer rows of the same size, whatever came before, so
# one learning rate suits all layers. Without norms, large rows would give large scores. Their softmax has one weight
# near 1 that hardly changes, so attention would learn slowly.
# </details>
#
# An attention sublayer has 4 [**heads**](../docs/glossary.md#attention-head). Each head has its own queries, keys and values. They are the
# rows of its tables $Q$, $K$ and $V$, which have $d_{kv}=24$ columns. A head computes
#
# $$ \mathrm{softmax}(QK^\top + B + M)\,V. $$
#
# The bias $B$ contains a number for each pair of query and key. The number depends on their distance. The mask $M$
# hides later tokens in the decoder's self-attention. In a batch of texts, it also hides the padding, in every
# attention.
# The map has one text, so only the decoder's self-attention has a mask.
#
# <details><summary>What does the mask do?</summary>
# No token of the decoder may read later tokens. The mask adds an extremely low number to the scores of all later
# tokens. So their attention weights are 0.
# </details>
# <details><summary>What is the symbol after K?</summary>
# The product QKᵀ contains all scores. Kᵀ is K with rows and columns exchanged, so each of its columns is a key.
# </details>
# <details><summary>Why several heads, and not one with longer rows?</summary>
# The attention weights of a query sum to 1, so one head gives one mixture of values. A token often needs several
# things, for example its subject and its
# object. Two heads can look at two places at once, and hand over two separate values. The cost is about the same,
# because each head has 96 / 4 = 24 columns.
# </details>
# <details><summary>Where do the outputs of the 4 heads go?</summary>
# They are joined side by side, and the result is multiplied by another matrix.
# </details>
#
# In [**self-attention**](../docs/glossary.md#self-attention), $Q$, $K$ and $V$ come from one text. The decoder also has
# [**cross-attention**](../docs/glossary.md#cross-attention): $Q$ comes from the decoder, and $K$ and $V$ come from the encoder.
# Cross-attention has no bias.
#
# The [**feed-forward**](../docs/glossary.md#feed-forward-layer) sublayer is $f(\hat x)=\max(0, \hat xW_i)\,W_o$, where the matrices
# $W_i$ and $W_o$ are parameters. The table $\max(0, \hat xW_i)$ contains the **activations**. It has $d_{ff}=192$ columns.
#
# <details><summary>What does max(0, …) change?</summary>
# Each negative number becomes 0. The other numbers stay the same.
# </details>
#
# ### One number: the matrix product
#
# Many boxes multiply two **matrices**, tables of numbers. Each number of the result is the dot product of a row of the first matrix
# and a column of the second. For example, the row $(2, 1)$ and the column $(1, 3)$ give $2\cdot1+1\cdot3=5$.
#
# The cell multiplies this row by a matrix with two columns (`@` in PyTorch). Then it computes one score of the model.
#
# <details><summary>Which row and which column give the number in row i and column j of the product?</summary>
# Row i of the first matrix and column j of the second.
# </details>

# %%
print(torch.tensor([[2, 1]]) @ torch.tensor([[1, 0], [3, -1]]))
score = next(step for step in runs[0] if step.kind == "scores").example
print(len(score.left), "products, sum", round(sum(q * k for q, k in zip(score.left, score.right, strict=True)), 4))
print("in the model:", round(score.value, 4))

# %% [markdown]
# ### More practice: trace one query · easy · 4 minutes · importance 4 of 5
#
# The query is `[2, 1]`. The keys are `[1, 0]`, `[0, 3]` and `[2, -2]`. Their biases are 0, -2 and 1. Give a list of the 3 scores, a list of
# the 3 sums of score and bias, and the index of the key with the largest weight. The first key has the index 0.

# %% tags=["practice"]
my_scores, my_sums, my_key = ..., ..., ...  # for example [2, 0, 1], [2, -2, 2], 0

check.one_query(my_scores, my_sums, my_key)

# %% [markdown]
# <details><summary>Hint: a question</summary>The dot product of two lists of 2 numbers is a sum. How many products does the sum have?</details>
# <details><summary>Hint: a smaller example</summary><code>[3, 1]</code> and <code>[2, -1]</code> have the dot product 6 - 1 = 5.</details>
# <details><summary>Hint: the structure</summary>Compute three dot products. Add the biases. Find the largest sum.</details>
#
# ### Write it · medium · 11 minutes · importance 5 of 5
#
# Write one attention head on plain lists. `queries`, `keys` and `values` are lists of rows. `bias` has a row for each query, with a number
# for each key. Return one output row for each query. For example, `[[0]]`, `[[0], [0]]`, `[[2], [4]]` and `[[0, 0]]` give `[[3]]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_head(queries, keys, values, bias):
    return ...


check.whole_head(my_head)

# %% [markdown]
# <details><summary>Hint: a question</summary>For one query: how many scores, how many weights, and how many numbers in the output?</details>
# <details><summary>Hint: a smaller example</summary>With one key, the weight is 1, and every output is the value of this key.</details>
# <details><summary>Hint: the structure</summary>For each query, compute the score of each key with <code>dot</code>, and add the bias. Subtract the largest of these sums from all of them, apply <code>exp</code> from <code>math</code>, and divide by the total. This gives the weights. Each number of the output is <code>dot</code> of the weights and a column of the values. <code>zip(*values)</code> yields the columns.</details>
#
# ### Another rule · medium · 8 minutes · importance 3 of 5
#
# In *multi-query attention* (Shazeer 2019), all heads share the same keys and values. Each head has its own queries. This makes generation
# faster. `heads` is a list with the queries of each head. There is no bias. Return one row for each position. It contains the outputs of all
# heads for this position, joined in the order of the heads. For example, `[[[0]], [[0]]]`, `[[1]]` and `[[5]]` give `[[5, 5]]`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_shared_heads(heads, keys, values):
    return ...


check.shared_heads(my_shared_heads)

# %% [markdown]
# <details><summary>Hint: a question</summary>Does the result have one row for each head, or one row for each position?</details>
# <details><summary>Hint: a smaller example</summary>2 heads, 3 positions and values with 4 columns give 3 rows with 8 columns.</details>
# <details><summary>Hint: the structure</summary>Make a list with the output of each head. For each position, <code>zip(*outputs)</code> yields a tuple with one row from each head. Join these rows with <code>sum(rows, [])</code>.</details>
#
# ### The function itself
#
# The file `tokenlab/minimal/t5.py` contains a whole T5 in 260 lines. It runs with the parameters of the tiny T5. Below are its feed-forward
# sublayer and its norm. `x` is the table of hidden states, and `w` contains the sublayer's parameters. `w["wi"].T` is $W_i$, `relu`
# replaces negative numbers by 0, and 1e-6 prevents a division by 0. Which part is the residual connection?

# %%
from tokenlab import show
from tokenlab.minimal import t5

show.source(t5.feed_forward_sublayer, t5.rms_norm)

# %% [markdown]
# <details><summary>The residual connection</summary><code>x +</code>: the sublayer adds its output to the hidden states.</details>
#
# ### Did the model find the word?
#
# The cell prints the attention weights of one head of cross-attention in layer 1, for the row of `e`. Which English token has the largest weight?

# %%
run = trace_model_map.record(model, tokenizer, source, target, layer=1, head=0, target_position=9)
weights = next(step for step in run if step.block == "decoder.block.1.cross_attention.weights")
{token: round(weight, 2) for token, weight in zip(weights.columns, weights.values[9], strict=True)}

# %% [markdown]
# So head 0 did find `drew`. The other 3 heads have most of their weight on other tokens. Replace `head=0` to see them.
#
# ### The same call without a recording
#
# The cell calls the model without recording any steps. Are the logits the same as in the recording above? (The first number of the shape is
# the number of texts.) The tests of this kit compare the logits with the logits of `transformers` 4.26.1.

# %%
logits = model(**given).logits
logits.shape, logits[0].equal(torch.tensor(run.result))

# %% [markdown]
# ### Why an effect is not the part
#
# Cross-attention in layer 1 has the part +4.04. Without this sublayer, one may expect the difference -2.2 - 4.0 = -6.2. But the
# effect is +10.3, so the difference is -12.5, for two reasons:
#
# - The next sublayer reads the changed hidden states, so its output also changes.
# - Before the logits are computed, a last norm divides each row by its root mean square. The parts were computed with the root mean
#   square of the row in the complete model. Without the sublayer, the root mean square is another number.
#
# ### A page that works without Jupyter
#
# `save` writes a recording to a web page that opens in any browser. With `layer=None`, the recording has a step for every box of every layer.

# %%
import tempfile
from pathlib import Path

whole = trace_model_map.record(model, tokenizer, source, target, layer=None)
page = whole.save(Path(tempfile.mkdtemp()) / "t5.html")
f"{len(run)} steps with one layer in detail, {len(whole)} with all; a page of {page.stat().st_size / 1e6:.1f} MB"

# %% [markdown]
# ### You are here
#
# `show.you_are_here` draws a small map and marks one box. You can use it in your own notebooks.

# %%
show.you_are_here("cross-attention scores")
