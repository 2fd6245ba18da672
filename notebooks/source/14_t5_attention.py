# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Attention in T5
#
# > **You will be able to** follow one head of attention from queries and keys to what it takes; say into which bucket a
# > distance falls, in the encoder and in the decoder; say where a T5 keeps the order of words, and how often it stores that.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `13_t5_in_one_picture`, and `08_sentencepiece`, whose tokens a T5
# > reads.
#
# <details><summary>Two questions from before: which id ends every text that a T5 reads? What does SentencePiece put before a word?</summary>
#
# One, the id of <code>&lt;/s&gt;</code>. And <code>▁</code>, a blank that can be seen.
# </details>
# <details><summary>Are you ready? You multiply a matrix of three rows and four columns by one of four rows and five columns. What shape has the result?</summary>Three rows and five columns. Each of its numbers is the sum of four products: a row of the first, with a column of the second.</details>
# <details><summary>What does softmax make of two scores that are equal? And of one that is a million lower than the others?</summary>One half each; and zero. It takes e to the power of each score, and divides by their sum.</details>
# <details><summary>You add the same number to all scores of a row. What does softmax say now?</summary>The same as before: each power is multiplied by the same number, and so is their sum. Only differences count.</details>
#
# <details><summary>Read this first if you have never seen attention: what are encoder and decoder; query, key and value?</summary>
#
# A T5 turns one text into another. Its **encoder**, a part of the model and no tokenizer, reads the first; its **decoder** writes the
# second, token by token. Each is a stack of layers (<code>block</code> in the code).
#
# In a layer, tokens take from one another. Three matrices make three rows of numbers of each token: a **query**, what it looks for; a
# **key**, by which it is found; a **value**, what it gives. Query times key, number by number and summed, is a **score**. A **bias** is
# added to it. Softmax makes weights of a row of scores, and the weights mix the values.
# </details>
#
# Attention compares tokens, and comparing does not care who stands where: *the dog bites the man* would be *the man bites the dog*. So
# where does a T5 keep the order? Here is one, trained for this kit. Type a sentence, choose a head, go to the first step, and guess.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_t5_attention import explore_t5_attention
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
explore_t5_attention("The girl gave the teacher a book.", model, tokenizer)

# %% [markdown]
# Rows are queries, columns keys. Change `teacher` to `doctor`: its row and column of scores change, the bias stays. It is the
# same along each diagonal, for it only asks how far apart two tokens are. Another *head*, attention with numbers of its own, has
# another bias. **Position is a number that is added to a score, for each head and each class of
# distances.**
#
# ## Distances share buckets
#
# Texts have any length, so not every distance can have a number. Near ones have a **bucket** of their own; farther ones
# share, the more the farther. Go to the first step, and through the map. Find distance nine; choose the decoder as *stack*, and
# find it again.

# %%
from tokenlab.show.explorers.explore_t5_attention import explore_t5_buckets

explore_t5_buckets()

# %% [markdown]
# Of the $n$ buckets for one direction, half, $e$, have one distance each: below $e$ a distance is its own bucket. A farther one, $d$,
# falls into
#
# $$ e + \left\lfloor (n - e)\,\frac{\log(d / e)}{\log(D / e)} \right\rfloor $$
#
# but never beyond the last; $D$ is the maximum distance. The encoder looks both ways: there $n$ is half of its buckets, and keys
# after the query start at $n$.
#
# ## Each head has a curve
#
# Each head learns a number for each bucket. The table is stored in the *first* layer of a stack, and added in *every* layer.
# Which tables does our T5 have? Their shape is buckets, heads.

# %%
from tokenlab.show.plots import plot_position_biases

print({name: tuple(weight.shape) for name, weight in model.state_dict().items() if "relative" in name})
plot_position_biases(model)

# %% [markdown]
# Where a curve is flat, distances share a bucket. Where it is high, keys start with an advantage; words can outweigh it.
# **Cross attention**, from the decoder to what the encoder read, has no table: places of two texts have no distance.
#
# ## One query, three keys
#
# A decoder adds a *mask*, too: the lowest number that there is, wherever a key comes later. Which key has the highest score by the
# words alone? Which with the bias? And with the mask?

# %%
import torch
from tokenlab.algorithms.attention.attention_output import attention_output

lowest, words = torch.finfo(torch.float32).min, ["dogs", "chase", "cats"]
keys, values = [[2, 2], [1, 0], [3, 1]], [[4, 0], [0, 4], [8, 8]]
attention_output.record([[2, 1]], keys, values, [[-4, 1, 0]], [[0, 0, lowest]], ["chase"], words)

# %% [markdown]
# Most transformers divide scores by $\sqrt{m}$, where $m$ is how many numbers a query has. **A T5 does not.** Its queries start
# smaller by that much: the division is in the weights before training begins.
#
# ## The function itself
#
# The player ran this. `T5Attention` does the same for all heads and texts: see *All heads at once*.

# %%
from tokenlab import show

show.source(attention_output)

# %% [markdown]
# ## The same call on the production library
#
# The notes' version of `transformers`, `4.26.1`, cannot be installed beside these lessons. Its answers, for weights drawn by chance, are
# stored. Does ours agree? (`make parity` asks it live.)

# %%
import json
from tokenlab.transformers import T5Config
from tokenlab.transformers.models.t5.attention_layers import T5Attention

for stack, theirs in json.loads((data.FOLDER / "t5_attention.json").read_text(encoding="utf-8")).items():
    ours = T5Attention(T5Config(**theirs["config"]), has_relative_attention_bias=True)
    ours.load_state_dict({name: torch.tensor(weight) for name, weight in theirs["weights"].items()})
    output = ours(torch.tensor(theirs["hidden_states"])).output
    print(stack, output.allclose(torch.tensor(theirs["output"]), atol=1e-5))

# %% [markdown]
# ## Where it breaks
#
# TransformerLens, a library for looking into models, gave its T5's decoder the encoder's buckets. Its test read one token, and
# passed. We make the same mistake. With how many tokens does a test find it? (True: it notices nothing.)

# %%
attention, ids = model.decoder.block[0].layer[0].SelfAttention, torch.tensor([range(3, 15)])


def logits(length, is_decoder):
    attention.is_decoder = is_decoder  # this chooses the buckets
    return model(input_ids=ids, decoder_input_ids=ids[:, :length], use_cache=False).logits


{n: logits(n, is_decoder=False).equal(logits(n, is_decoder=True)) for n in (1, 2, 8, 9, 10, 11)}

# %% [markdown]
# Ten tokens are the fewest with a distance of nine. The encoder puts eight to eleven into one bucket; the decoder still has one for
# each.
#
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# A T5 has two encoder layers and two decoder layers. How many tables of biases does it store? A key stands nine places before its
# query: in which of thirty-two buckets is it in the encoder, in which in the decoder?

# %% tags=["practice"]
from tokenlab import check

my_tables, my_encoder_bucket, my_decoder_bucket = ..., ..., ...  # for example 4, 9, 0

check.tables_and_buckets(my_tables, my_encoder_bucket, my_decoder_bucket)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which layers read a table, and which are handed what was read? Half of the encoder's buckets are for keys after the query: up to which distance has each its own, there and in the decoder?</details>
# <details><summary>Hint: a smaller example</summary>In the encoder a key seven places before has bucket seven; those that come next share.</details>
# <details><summary>Hint: the shape</summary>One table for each stack; cross attention has none. Then halve the buckets once for the decoder, twice for the encoder, to find where sharing begins.</details>
#
# ### Find the bug · medium, five minutes
#
# `scale_sqrt_d` divides scores by the root of how many numbers a query has. Find a query and keys whose weights it gets wrong,
# without bias or mask.

# %% tags=["practice"]
from tokenlab.misconceptions.t5_attention import scale_sqrt_d

my_query, my_keys = ..., ...  # for example [1], [[0], [1]]

check.bug(scale_sqrt_d, my_query, my_keys)

# %% [markdown]
# <details><summary>Hint: a question</summary>For how many numbers is the root one? When do all keys get the same weight, whatever the scores are divided by?</details>
# <details><summary>Hint: a smaller example</summary>Two keys, of which one agrees with the query.</details>
# <details><summary>Hint: the shape</summary>A query of two numbers, and two keys that are not alike.</details>
#
# ### Complete two lines · medium, eight minutes
#
# Before each part of a layer a **norm** brings vectors to one size. T5's does not take the mean away first: it adds a millionth
# to the mean square, divides by the square root of this sum, and multiplies by weights.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_rms_norm(vector, weights):
    mean_square = ...
    return [... for x, weight in zip(vector, weights, strict=True)]


check.rms_norm(my_rms_norm)

# %% [markdown]
# <details><summary>Hint: a question</summary>What becomes of a vector whose numbers are all the same? And of zeros?</details>
# <details><summary>Hint: a smaller example</summary>Three and four have the mean square twelve and a half.</details>
# <details><summary>Hint: the shape</summary>A sum of squares over how many there are; then a number over a root, times its weight.</details>
#
# ### Write it · harder, twelve minutes
#
# Write the bucket of a relative position: the key's place less the query's.


# %% tags=["practice"]
def my_bucket(relative_position, bidirectional, num_buckets, max_distance):
    return ...


check.position_bucket(my_bucket)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which distances have a bucket of their own, and where do those that share begin? Is that the same in both directions?</details>
# <details><summary>Hint: a smaller example</summary>With eight buckets in one direction, the distances from zero to three have their own.</details>
# <details><summary>Hint: the shape</summary>If it looks both ways, halve the buckets, and start keys after the query at that half. Then a distance: below half of what is left it is the bucket; else the formula above, cut off by <code>int</code>, and at most the last bucket.</details>
#
# ### Another rule · harder, ten minutes
#
# *ALiBi*, of later models, has neither table nor buckets: a score falls by `slope` for each place that the key is away from the
# query, before or after. Return, for each query, its weights over all keys, without dividing scores.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_line_weights(queries, keys, slope):
    return ...


check.line_weights(my_line_weights)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is added to the score of the query's own place? And two places further?</details>
# <details><summary>Hint: a smaller example</summary>If all vectors are zeros, only distances decide, and the first row falls from left to right.</details>
# <details><summary>Hint: the shape</summary>For each query a list of scores, each less slope times distance; take the largest away from all; <code>exp</code> from <code>math</code>; divide by their sum.</details>
#
# ## Before you leave
#
# <details><summary>You swap two words of a sentence. Which changes: the scores, the bias, or both?</summary>
# The scores. The bias knows places, and no words.
# </details>
# <details><summary>A T5 has six layers in each stack. How many tables of biases does it store, and in how many of its attentions is one added?</summary>
# Two tables, one in the first layer of each stack; a bias is added in twelve attentions, all six self attentions of each stack. The six cross attentions add none.
# </details>
# <details><summary>Encoder and decoder agree on all texts that you tried. Why is that no proof that they use the right buckets?</summary>
# Near distances have the same buckets in both. The texts need at least ten tokens: nine is the first distance with different ones.
# </details>
#
# **What stays.** A score is query times key, undivided. Position is added to it: a number for each head and each bucket of distances, stored
# once in a stack, used in all its layers.
#
# **Read on.** Colin Raffel and others, *Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer*. Peter Shaw and
# others, *Self-Attention with Relative Position Representations*. In the library: `models/t5/modeling_t5.py`. Next lesson: `15_t5_model`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Nothing else in the encoder knows the order
#
# `watch` shows what goes on inside a model, and can change it. Two sentences of the same words: who gave, and who got? Our T5
# translates them as it is, and then with the encoder's bias switched off.

# %%
from itertools import permutations
from tokenlab.transformers import watch
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode_texts

texts = [f"translate English to German: The {a} gave the {b} a book." for a, b in permutations(["girl", "teacher"])]
for change in None, lambda name, bias: 0 * bias:
    with watch(model, "encoder.block.0.self_attention.bias", change):
        print(*greedy_decode_texts(model, tokenizer, texts), sep="\n")

# %% [markdown]
# Without the bias, the encoder reads a bag of words, and both sentences are the same bag. (A decoder still has its mask: from how
# many keys a query may look at, it can tell where it stands.)
#
# ### In every layer
#
# One of the notes that this kit grew out of says that the bias is added in the first layer of each stack. Is it not added in the
# others?

# %%
ids = tokenizer(texts[0], return_tensors="pt").input_ids
with watch(model, "*.self_attention.added") as seen:
    model(input_ids=ids, decoder_input_ids=ids)
{name: added.equal(seen[f"{name[:7]}.block.0.self_attention.added"]) for name, added in seen.items()}

# %% [markdown]
# ### Eight tokens, and sixty-four
#
# The same steps, from our T5. Where is the bias stronger than what the words say? First eight tokens; then one query among sixty-four,
# where a small ₃ marks the third of its kind. (All queries of such a text fit into the player at the top: type a long one.)

# %%
from tokenlab.transformers.models.t5.trace.trace_attention_head import trace_attention_head

ids = tokenizer(texts[0]).input_ids
trace_attention_head(model, tokenizer, ids[-8:])

# %%
trace_attention_head(model, tokenizer, (ids * 8)[:64], query=32).play(start=2, steps=1, opened=-1)

# %% [markdown]
# ### Which word is translated
#
# In cross attention the decoder's queries look at what the encoder read. A query has the token that was written last, and decides on
# the next; the first one, `<pad>`, is what a decoder starts with. At which English word does this head look, when *Jungen*, *rote* and
# *Blumen* come next? For *Jungen*, that is the row of `▁dem`. And other heads, of the last layer and of the first?

# %%
english, german = "Anna gave the boy two red flowers.", "Anna hat dem Jungen zwei rote Blumen gegeben."
question, place = f"translate English to German: {english}", "decoder.block.1.cross_attention"
trace_attention_head(model, tokenizer, question, place, head=1, target=german).play(start=1, steps=1)

# %% [markdown]
# ### All heads at once
#
# `at` names a point where `watch` can look. The first layer of a stack makes what is added to scores, and hands it on.

# %%
from tokenlab.transformers.models.t5.attention_layers import relative_position_bucket

show.source(relative_position_bucket, T5Attention.compute_bias, T5Attention.position_bias_and_mask, T5Attention.forward)

# %% [markdown]
# ### Where the division went
#
# A T5 that knows nothing yet has queries of sixteen numbers. How far do its keys, queries and scores spread, for vectors drawn by
# chance? Divide these scores once more, and softmax would make nearly equal weights of them.

# %%
torch.manual_seed(1)
fresh = T5ForConditionalGeneration(T5Config(8, 256, 16, 8, 1, num_heads=1)).encoder.block[0].layer[0].SelfAttention
queries, keys = fresh.q(torch.randn(2000, 256)), fresh.k(torch.randn(2000, 256))
spread = {"keys": keys, "queries": queries, "scores": queries @ keys.T}
{name: round(numbers.std().item(), 2) for name, numbers in spread.items()}

# %% [markdown]
# ### The norm
#
# A norm that takes the mean away first makes zeros of a constant vector; T5's keeps its sign. One of the notes says that the result
# has the length one. Which length has it?

# %%
from tokenlab.transformers.models.t5.feed_forward_layers import T5LayerNorm

constant = torch.full((4,), -3.0)
normed = {"T5": T5LayerNorm(4)(constant).detach(), "LayerNorm": torch.nn.LayerNorm(4)(constant).detach()}
{name: (numbers.round(decimals=3).tolist(), round(numbers.norm().item(), 3)) for name, numbers in normed.items()}

# %% [markdown]
# Its length is the root of how many numbers it has.
#
# ### Another kind of bias
#
# One note gives each matrix of an attention a bias of the other kind: a vector that is added to what comes out. Which of those does
# our T5 have, in all its layers?

# %%
[name for name in model.state_dict() if name.endswith(".bias")]

# %% [markdown]
# ### Masks in the notes
#
# One says that `triu` gives ones on and below the diagonal. Each row is a query: whom does it see?

# %%
print(torch.triu(torch.ones(3, 3)).int(), torch.tril(torch.ones(3, 3)).int(), sep="\n")

# %% [markdown]
# Each would see itself and the future. Another line adds minus infinity where nobody may look. But what if a row, of padding,
# may look nowhere?

# %%
[torch.full((3,), hidden).softmax(0) for hidden in (float("-inf"), torch.finfo(torch.float32).min)]

# %% [markdown]
# ### A formula with its sides swapped
#
# In one formula of the notes the decoder's keys before the query get bucket zero, and those after it a distance. Which buckets would
# its query at place nine see, and which should it?

# %%
places = torch.arange(10) - 9
relative_position_bucket(-places, bidirectional=False), relative_position_bucket(places, bidirectional=False)
