# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # From T5 to a decoder-only model
#
# > **You will be able to** say how a chat model differs from a T5; rotate a query by its position; compute the bytes of a
# > KV cache; say which tokens of a text have a loss.
# >
# > **Time:** core 55 minutes, practice 40 minutes (and 8 in *Go further*). **Before this:** `18_beam_search`.
#
# <details><summary>Two questions from earlier lessons: what does the KV cache of a T5 hold? Which tokens have a loss in span corruption?</summary>
#
# The cache holds the keys and values of the tokens that the decoder has read, and those of the source. Only the tokens
# of the target have a loss: the removed spans, the sentinels and the end.
# </details>
# <details><summary>Are you ready? The point (1, 0) is rotated about the origin by 90 degrees, counterclockwise. Where is it now?</summary>
#
# At (0, 1). A point (x, y) goes to (x cos α − y sin α, y cos α + x sin α).
# </details>
#
# Chat models such as Llama and Qwen have no encoder, and neither has the tiny model of this lesson, which writes short
# stories. The prompt begins with `<|endoftext|>`, which separates two stories:

# %%
from tokenlab import data, show
from tokenlab.minimal.decoder import Decoder
from tokenlab.minimal.gpt2_tokenizer import Tokenizer, load

ranks = load(data.decoder_tiny() / "vocabulary.tiktoken")
tokenizer = Tokenizer(ranks, {"<|endoftext|>": len(ranks)})
model = Decoder.from_folder(data.decoder_tiny())
[found] = model.generate([tokenizer.encode("<|endoftext|>Once upon a time, there was a clever girl")], max_new=40)
tokenizer.decode(found)

# %% [markdown]
# Each token was the most probable one, as at temperature 0. Type your own prompt (`<|endoftext|>` is added), and move the
# sliders. The table shows the distribution of the next token, before and after temperature and filters. The new filter
# [**min-p**](../docs/glossary.md#min-p), applied last, keeps each token with at least `min_p` times the highest
# probability.

# %%
from tokenlab.show.explorers.explore_decoder import explore_decoder

explore_decoder("Once upon a time, there was a clever girl", model, tokenizer, seed=18, temperature=0.8, min_p=0.1)

# %% [markdown]
# Chat models sample, because the most probable text is often dull or repetitive, and a user who asks again hopes for
# another answer.
#
# ## What is gone, and what remains
#
# A T5's encoder reads the prompt, and its decoder attends to it through cross-attention. Here, **prompt and answer are
# one sequence**, so self-attention is enough. The weights of a decoder layer of the tiny T5, and of a layer of this model:

# %%
from safetensors.torch import load_file

t5 = load_file(data.t5_tiny() / "model.safetensors")
for w, layer in ((t5, "decoder.block.0.layer."), (model.weights, "model.layers.0.")):
    print(layer, *(f"  {name[len(layer) :]} {[*w[name].shape]}" for name in sorted(w) if layer in name), sep="\n")

# %% [markdown]
# Self-attention, RMS norms and a feed-forward layer remain, without cross-attention. What changed:
#
# - **Position.** No `relative_attention_bias`: queries and keys are rotated instead.
# - **Feed-forward layer.** **SwiGLU** has three matrices instead of two. Each output of `up_proj` is multiplied by a
#   [gate](../docs/glossary.md#gated-activation): $\text{SiLU}(z)=z/(1+e^{-z})$, with $z$ from `gate_proj`.
# - **Keys and values.** They have 2 heads of 32 numbers, so `k_proj` has 64 rows. Queries have 4 heads, so `q_proj` has 128.
#
# Scores are divided by $\sqrt K$; here, a head has $K=32$ numbers.
#
# ## Rotated positions
#
# [**Rotary position embedding**](../docs/glossary.md#rotary-position-embedding) (RoPE) divides a query or key into
# pairs. Pair $i$ consists of the numbers $i$ and $i+K/2$, counted from 0. It is drawn as an arrow to the point $(x,y)$. At
# position $p$, the arrow is rotated by $\alpha$ radians:
#
# $$(x,\,y)\;\to\;(x\cos\alpha-y\sin\alpha,\;\;y\cos\alpha+x\sin\alpha),\qquad\alpha=p\,\theta^{-2i/K}$$
#
# Usually, $\theta$ is 10,000 or more; here it is 100, so pair 1 turns visibly. The score (not yet divided by $\sqrt K$) is
# the sum of the pairs' dot products:

# %%
from tokenlab.algorithms.attention.rotary_positions import rotary_scores

query, key = [1, 0.5, 0.3, 1], [0.8, 1, 1, -0.2]
rotary_scores.record(query, key, [(2, 0), (3, 1), (9, 7), (3, 3), (7, 2), (8, 3)], theta=100)

# %% [markdown]
# If both positions grow by 1, query and key turn by the same angle, so their dot product stays the same. **The position changes a score only through the distance**, as in a T5, but without a table.
#
# ## Fewer keys and values
#
# A large cache costs memory and time. With [**grouped-query attention**](../docs/glossary.md#grouped-query-attention)
# (GQA), a group of neighbouring query heads reads the same keys and values:

# %%
from tokenlab.algorithms.attention.grouped_queries import group_heads, kv_cache_bytes

group_heads.record(num_heads=4, num_kv_heads=2)

# %% [markdown]
# With $L$ layers, $G$ key-value heads and $n$ tokens, a cache holds $2\,L\,G\,K\,n$ numbers (2: keys and values). The cell prints
# the MiB ($2^{20}$ bytes) for 8,192 tokens (T5: source and target together), at 2 bytes per number. 4
# [beams](../docs/glossary.md#beam-search) need 4 caches.

# %%
# Layers, key-value heads and the dimension of a key, from the config.json of each model.
sizes = {"T5 large": (24, 16, 64), "Llama 3 8B": (32, 8, 128), "... without groups": (32, 32, 128), "ours": (4, 2, 32)}
for name, (layers, kv_heads, head_dim) in sizes.items():
    one, four = (kv_cache_bytes(layers, kv_heads, head_dim, 8192, beams) // 2**20 for beams in (1, 4))
    print(f"{name:18} {one:6,} MiB, with 4 beams {four:6,} MiB")

# %% [markdown]
# Llama 3 8B needs only a third more than T5 large. Without groups, or with 4 beams, its cache would be four times as large.
#
# ## Prefill, and single steps
#
# The first pass, [**prefill**](../docs/glossary.md#prefill), reads the whole prompt at once, with a causal mask. Each
# later pass, a single step, reads the newest token and finds the keys of all others in the cache.

# %%
from tokenlab.traces.generation.trace_decoder import trace_decoder

trace_decoder.record(model, tokenizer, "Once upon a time, there was", temperature=0, max_new=6)

# %% [markdown]
# All tokens of the prompt share one pass. Each further token needs its own, which moves all weights from memory to the processor again.
#
# ## Every position learns
#
# From one text, a masked model such as BERT learns to predict the masked tokens, a T5 the removed spans with their
# sentinels, and a decoder-only model every next token:

# %%
from tokenlab.algorithms.training_data.training_signal import compare_objectives

sentence = "The owl spread its wings and flew over the old mill ."
masked = [word in ("its", "wings") for word in sentence.split()]
compare_objectives.record(sentence.split(), masked, ["<X>", "<Y>", "<Z>"], "</s>")

# %% [markdown]
# **All tokens but the first have a loss.** The price: no token sees later ones.
#
# In fine-tuning, the prompt often gets the label -100: only the answer has a loss.
#
# ## The functions themselves
#
# `attention` repeats the keys and values of a group for each of its query heads. `visible_keys` is the mask.

# %%
from tokenlab.minimal import decoder

show.source(decoder.rotate, decoder.attention, decoder.swiglu, decoder.visible_keys)

# %% [markdown]
# ## Where it breaks
#
# The last token of a prompt has no later tokens to see. Do we still need the mask? The most probable tokens, with the
# mask and without it (`Hugo` is right):

# %%
import torch
from unittest.mock import patch

prompt = tokenizer.encode('<|endoftext|>Lily was a girl.\nHer friend Hugo had a red kite. "May I borrow your kite,')
for visible in (decoder.visible_keys, lambda mask, new: mask[:, None, None] > 0):
    with patch.object(decoder, "visible_keys", visible):
        p, ids = model(torch.tensor([prompt]))[0][0, -1].softmax(-1).topk(2)
        print({tokenizer.decode([id]): round(p, 2) for p, id in zip(p.tolist(), ids.tolist(), strict=True)})

# %% [markdown]
# Without the mask, the tokens of the prompt also attend to later ones. So from the second layer on, their keys and values
# are unlike those of training, and the wrong name comes first.
#
# ## Practice
#
# Replace the three dots and run the cell. A second run shows the rule, and a third the solution.
#
# ### Trace it · easy · 6 minutes · importance 5 of 5
#
# A model has 5 layers with 6 query heads and 3 key-value heads of 32 numbers each, at 2 bytes per number. Which
# key-value head does query head 1 read, if heads are counted from 0? How many query vectors does a token have in a layer? A
# prompt has 6 tokens. When the fourth new token has been selected, how many rows of keys
# does the cache hold for a key-value head, and how many bytes does the whole cache have?

# %% tags=["practice"]
from tokenlab import check

my_head, my_queries, my_rows, my_bytes = ..., ..., ..., ...  # for example 3, 8, 12, 1000

check.heads_and_cache(my_head, my_queries, my_rows, my_bytes)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which tokens has the model read when it selects the fourth new token?</details>
# <details><summary>Hint: a smaller example</summary>With a prompt of 2 tokens and 1 new token, only prefill runs. So there are 2 rows of keys, and the new token is not one of them.</details>
# <details><summary>Hint: the structure</summary>The bytes are a product: keys and values (2), layers, key-value heads, numbers in a head, rows, and bytes of a number.</details>
#
# ### Find the bug · easy · 4 minutes · importance 4 of 5
#
# `interleaved_groups` should return the key-value head of each query head, but it assigns key-value heads in turn
# (0, 1, 0, 1). Find numbers of query heads and key-value heads for which it is wrong. The first must be a multiple of the
# second.

# %% tags=["practice"]
from tokenlab.misconceptions.decoder_only import interleaved_groups

# Query heads, and key-value heads. 4, 4 is no solution: each query head has its own keys.
my_heads, my_kv_heads = ..., ...

check.bug(interleaved_groups, my_heads, my_kv_heads)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two query heads share a key-value head, by the right rule and by turns?</details>
# <details><summary>Hint: a smaller example</summary>With 2 query heads and 1 key-value head, both rules give (0, 0).</details>
# <details><summary>Hint: the structure</summary>There have to be at least 2 groups, and at least 2 query heads in each.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 5 of 5
#
# `my_rotate` rotates a query or a key. Number `i` forms a pair with number `i + half`. The first number of the pair is
# $x$ and the second is $y$ in the formula of the lesson, and $K$ is the length of the vector. Angles are in radians.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_rotate(vector: list[float], position: int, theta: float) -> list[float]:
    """Example: my_rotate([1, 0], 2, 100) returns about [-0.416, 0.909]."""
    from math import cos, sin

    half, rotated = len(vector) // 2, list(vector)
    for i in range(half):
        angle = ...
        x, y = vector[i], vector[i + half]
        rotated[i], rotated[i + half] = ...
    return rotated


check.rotate_pairs(my_rotate)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pair turns fastest? Which power of theta is in its angle?</details>
# <details><summary>Hint: a smaller example</summary>With 4 numbers and theta 100, pair 1 turns by 0.1 radians for each position.</details>
# <details><summary>Hint: the structure</summary>The angle is <code>position * theta ** (-2 * i / len(vector))</code>. The last line of the loop assigns a difference and a sum, with <code>cos</code> and <code>sin</code>.</details>
#
# ### Write it · medium · 10 minutes · importance 4 of 5
#
# In a batch, short prompts get padding on the left. So all prompts end at the last place, which predicts the next
# token. `attention_mask` has a 0 for padding and a 1 for a token; the padding comes first. With the causal mask, to
# which places does the query of each place attend? Return a list for each place, ascending, or `[]` for padding. Places
# are counted from 0, and padding counts too.


# %% tags=["practice"]
def my_keys(attention_mask: list[int]) -> list[list[int]]:
    """Example: my_keys([0, 1, 1]) returns [[], [1], [1, 2]]."""
    return ...


check.keys_of_each_place(my_keys)

# %% [markdown]
# <details><summary>Hint: a question</summary>Does a token attend to itself? Does it attend to padding before it?</details>
# <details><summary>Hint: a smaller example</summary><code>[1, 1]</code> gives <code>[[0], [0, 1]]</code>.</details>
# <details><summary>Hint: the structure</summary>For each place, take the places up to it whose mask is 1. If the mask of the place itself is 0, take none.</details>
#
# ### Another rule · easy · 7 minutes · importance 3 of 5
#
# Write the filter min-p. It takes a list of probabilities and the number `min_p`. It returns the ids of the kept tokens
# (their indices) in ascending order. A token is kept if it has at least `min_p` times the highest probability.


# %% tags=["practice"]
def my_min_p(probabilities: list[float], min_p: float) -> list[int]:
    """Example: my_min_p([0.2, 0.5, 0.3], 0.5) returns [1, 2]."""
    return ...


check.keep_min_p(my_min_p)

# %% [markdown]
# <details><summary>Hint: a question</summary>With which number is each probability compared?</details>
# <details><summary>Hint: a smaller example</summary>If all tokens are equally probable, all are kept, for every <code>min_p</code> up to 1.</details>
# <details><summary>Hint: the structure</summary>Compute <code>min_p * max(probabilities)</code> once. Then go through <code>enumerate(probabilities)</code>.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 5 of 5
#
# A colleague says: "A decoder-only model cannot understand a prompt, because it has no encoder." Say in three sentences
# how the tokens of the answer get information from the prompt, what an encoder would do differently, and what is gained by one sequence.
#
# <details><summary>What a good answer contains</summary>
# 1. Prompt and answer are one sequence, so each token of the answer attends to the keys and values of the whole prompt in every layer.<br>
# 2. In an encoder, a token of the source also attends to later tokens of the source, while the causal mask hides them here.<br>
# 3. One stack of layers does both jobs, and every token of a training text but the first has a loss.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The answer follows the prompt in one sequence, so every new token attends to the prompt's keys and values. An encoder would let the tokens of the prompt look both ways, but here they see nothing that is after them. In return there is only one stack of layers, and each token of a text but the first is a training example.”<br>
# <b>Wrong:</b> “The model reads the prompt during training and stores it in its weights. An encoder would read the prompt again for each new token. One sequence is faster, because the prompt does not have to be computed.” The prompt is read by prefill, whose keys and values stay in the cache; and an encoder also reads the source only once.
# </details>
#
# ## Exit questions
#
# <details><summary>With RoPE, all positions of a text grow by 100. Which scores change?</summary>
# None. A score depends on the positions only through the distance of query and key, and all distances stay the same.
# </details>
# <details><summary>A model has 32 query heads and 8 key-value heads. What do groups change in its cache, and what in its number of queries?</summary>
# The cache becomes smaller by the factor 4. The number of queries does not change.
# </details>
# <details><summary>A prompt of 1,000 tokens gets an answer of 100 tokens. How many passes does the model need?</summary>
# It needs 100. Prefill reads the prompt and selects the first token of the answer, and 99 single steps select the others.
# </details>
#
# **Summary.** A decoder-only model has no encoder and no cross-attention, because prompt and answer are one sequence.
# RoPE rotates queries and keys, so positions change a score only through their distance. Grouped-query attention shares
# keys and values, which makes the cache smaller. Prefill reads the prompt in one pass, then each pass reads one token.
# All tokens but the first have a loss.
#
# **References.** Jianlin Su and others, *RoFormer* (2021), introduced RoPE. Joshua Ainslie and others, *GQA* (2023). Noam
# Shazeer, *GLU Variants Improve Transformer* (2020), for SwiGLU. Hugo Touvron and others, *LLaMA* (2023). Minh Nguyen and
# others, *Turning Up the Heat* (2024), for min-p.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A public model
#
# `Decoder.from_folder` reads folders in the format of Llama and of Qwen 3: `config.json`, and the weights in
# `model.safetensors` or in several files (*shards*) with an index. Download such a folder from the Hugging Face Hub, for
# example `HuggingFaceTB/SmolLM2-135M` or `Qwen/Qwen3-0.6B`, and write:
#
# ```python
# from pathlib import Path
# from tokenizers import Tokenizer
#
# public = Decoder.from_folder(Path("SmolLM2-135M"))
# its_tokenizer = Tokenizer.from_file("SmolLM2-135M/tokenizer.json")
# [found] = public.generate([its_tokenizer.encode("The owl").ids], max_new=20)
# its_tokenizer.decode(found)
# ```
#
# These lines were not run here, so they have no output. If `config.json` asks for something that the program leaves out,
# such as other angles for long texts (`rope_type`), `from_folder` raises an error that names it. The following cell was run: it saves the
# tiny model in 3 shards, reads them again, and compares how both continue the
# prompt about Mia.

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

with TemporaryDirectory() as place:
    model.save(Path(place), shards=3)
    print(*sorted(file.name for file in Path(place).iterdir()), sep="\n")
    again = Decoder.from_folder(Path(place))
again.generate([prompt], max_new=20) == model.generate([prompt], max_new=20)

# %% [markdown]
# ### Prefill against single steps
#
# The cell times both, in milliseconds for each token, for a prompt of about 100 tokens. (Your numbers will differ.)

# %% tags=["nbval-ignore-output"]
from functools import partial
from timeit import timeit

read = torch.tensor([tokenizer.encode("<|endoftext|>" + 10 * "Once upon a time, there was a clever girl.")])
_, cache = model(read)
for name, ids, past in (("prefill", read, []), ("single steps", read[:, 1:2], cache)):
    seconds = timeit(partial(model, ids, past), number=20) / 20
    print(f"{name:12} {1000 * seconds / ids.shape[1]:.2f}")

# %% [markdown]
# In single steps, a token takes many times as long as in prefill. Without a cache, each step would read all tokens so far
# again.
#
# ### Temperature against consistency
#
# The training stories were written by a program that can also read stories. It says whether each sentence follows
# the grammar of the program. It also finds sentences that contradict earlier ones, or speak of something that was not
# mentioned. So the text of the model can be scored. In this text, nobody has lost a ring. That is one error, but it
# breaks several rules of the program:

# %%
checker = data.stories()
checker.consistent("Once upon a time, there was a girl named Mia. Mia found the ring under a bench.")

# %% [markdown]
# For each temperature, the model writes 20 stories. The cell prints three numbers: the grammatical
# stories, the consistent ones among these, and the different words in all 20. (Another computer may draw other stories.) Which temperature would
# you choose for stories that a child reads every evening, and what would you lose at a lower one?

# %% tags=["nbval-ignore-output"]
for temperature in (0.4, 0.7, 1.0):
    torch.manual_seed(1)
    drawn = model.generate([[len(ranks)]] * 20, 400, end=len(ranks), temperature=temperature)
    right = [*filter(checker.grammatical, texts := [tokenizer.decode(ids[:-1]) for ids in drawn])]
    print(temperature, len(right), sum(not checker.consistent(text) for text in right), len({*" ".join(texts).split()}))

# %% [markdown]
# <details><summary>What is lost?</summary>
# Variety: at a lower temperature, the stories have fewer different words. At temperature 0, the most probable token is always chosen, so all 20 would be the same story. A
# high temperature costs grammar above all, because a single improbable token spoils a sentence.
# </details>
#
# ### Prompts of different lengths
#
# A T5 pads its source on the right. But a decoder-only model continues the prompt, so there, padding would come between
# prompt and answer. Therefore prompts are padded on the left. Padding is hidden by the mask, and it does not count as a
# position:

# %%
from tokenlab.algorithms.attention.left_padding import padded_keys

padded_keys.record([0, 0, 1, 1, 1])

# %% [markdown]
# Two prompts are continued in one batch, so the shorter one is padded. Does the model write the same texts as for each
# prompt alone?

# %%
prompts = [prompt, tokenizer.encode("<|endoftext|>Once upon a time")]
model.generate(prompts, max_new=12) == [model.generate([one], max_new=12)[0] for one in prompts]

# %% [markdown]
# ### What a tokenizer does to a model
#
# A small model with three layers was trained on the stories eight times from scratch: with four tokenizers (single bytes,
# byte-level BPE of two sizes, and byte-level Unigram) and two seeds. Each run processed the same number of tokens, in pieces of text (windows) that are long enough for almost every story.

# %%
import json

effects = json.loads((data.FOLDER / "tokenizer_effects.json").read_text(encoding="utf-8"))
print(f"{'':26}", *(f"{name:>14}" for name in effects["stories"]))
for key in ("tokens", "tokens_used", "bytes_per_token", "parameters", "multiplications_per_token"):
    print(f"{key:26}", *(f"{row[key]:14,}" for row in effects["stories"].values()))

# %% [markdown]
# BPE and Unigram were asked for 4,000 tokens, but the stories have too few different words. Once each word is one token,
# BPE has no pair left to merge. Unigram starts from a list of pieces that is shorter than 4,000, and only removes some. Many tokens are
# not used in the stories. Some are bytes that no story has. Others are only steps on BPE's way to a word; Unigram removes
# most such pieces. Both use almost the same tokens: about 1,550, with 4.1 bytes on average in a story. (The token that ends a
# story has no bytes, so `bytes` has slightly less than 1.)
#
# Longer tokens let a model read more stories with the same number of tokens, and write a story in fewer steps. But a long
# token is rarer than a byte, so its embedding has fewer examples to learn from. A larger vocabulary also needs a larger
# table of embeddings, and each row costs multiplications, because it gives a logit. With single bytes, the model has to form the
# words itself, and attention over long windows costs more multiplications.
#
# The loss of a token says little here, because tokens have different lengths. The loss in **nats per byte** can be
# compared: it is the summed loss (with the natural logarithm) of a story and its end, divided by the bytes of the story. A lower loss is better. Which
# tokenizer has the lowest one? Which finishes the most stories in a minute (`stories_per_minute`), and which ends its stories at all (`ended`)? Do the two that were asked for 4,000 tokens
# differ? The cell prints the lowest and the highest result of the seeds.

# %%
print(f"{'':22}", *(f"{name:>15}" for name in effects["stories"]))
shown = {"nats_per_byte": ".3f", "grammatical_sentences": ".0%", "ended": ".0%", "stories_per_minute": ".0f"}
for key, form in shown.items():
    found = [row["summary"][key] for row in effects["stories"].values()]
    print(f"{key:22}", *(f"{format(one['lowest'], form)} to {format(one['highest'], form)}".rjust(15) for one in found))

# %% [markdown]
# The longer the tokens, the lower the loss; the seed changes the loss much less. The two that
# were asked for 4,000 tokens have nearly the same loss, because they cut the stories into almost the same tokens. The
# unused embeddings of BPE hardly change it, but they cost parameters and time, so Unigram finishes more stories in a
# minute. With single bytes, the model has read only
# a quarter of the text that it has read with the longest tokens, and by far the fewest of its sentences are grammatical. It also
# finishes the fewest stories in a minute: a story takes four times as many steps as with the longest tokens, each step
# attends to more tokens, and many stories reach the limit of their length without an end.
#
# ### Digits of a sum
#
# Now a model with the same layers is trained from scratch on sums of two numbers below 100. One tokenizer divides a number into single digits, the other into groups of up to three
# digits from the left, as GPT-4's pattern `\p{N}{1,3}` does. With single digits, the model has only 10 number tokens to learn.
# But it writes the answer from the left, while a 1 may be carried from the right. With
# groups, it writes each answer as one token, and it sees more sums with the same number of tokens. But it has to learn
# the value of each number from examples. Which model is right more often, on sums that were not in training?

# %%
for name, row in effects["sums"].items():
    print(name, *("|".join(tokens) for tokens in row["examples"].values()), sep="  ")
    for key in ("right", "right_below_100", "right_from_100", "off_by_10_at_most"):
        print(f"  {key:18}", "{lowest:.0%} to {highest:.0%}".format(**row["summary"][key]))

# %% [markdown]
# With single digits, the model is right more often, although it has seen fewer sums. But two seeds are few.
# `right_below_100` counts only sums below 100, and `right_from_100` only the others. The last row counts the answers that are right or off by 10 at most: nearly all of them. So a wrong answer still
# has about the right size.
#
# `make tokenizer-effects` trains and measures all of these models again, which took 27 minutes on one core. They are very
# small, and their training is short. Longer training, other texts or larger models may rank the tokenizers
# differently.

# %% [markdown]
# ### More practice: the loss of a text · medium · 8 minutes · importance 4 of 5
#
# `ids` are the ids of a text, at least two. Row `t` of `probabilities` is the distribution of the id that follows
# `ids[t]`: a probability for each id of the vocabulary. The last row is not needed. No probability is 0. Return the mean loss in nats:
# the mean of $-\ln p$ over all ids but the first, where $p$ is the probability of the id.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_loss(probabilities: list[list[float]], ids: list[int]) -> float:
    """Example: my_loss([[0.5, 0.5], [0.25, 0.75]], [1, 0]) returns about 0.693."""
    return ...


check.shifted_loss(my_loss)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which row predicts the second id? What does the last row predict?</details>
# <details><summary>Hint: a smaller example</summary>In the example, only the first row counts. It gives the id 0 the probability 0.5, and -ln 0.5 is 0.693.</details>
# <details><summary>Hint: the structure</summary>Pair each row with the id after it, import <code>log</code> from <code>math</code>, and divide the sum of the losses by their number.</details>
#
# ### The whole model on one page
#
# `python -m tokenlab.minimal.decoder` trains such a model for two minutes, and continues a sentence that you type. This
# is the program, with the training loop and the sampling:

# %%
show.source(decoder)

# %% [markdown]
# This is the last lesson. To practise more, open one of the capstones. In `capstone_gpt2_tokenizer`, you write the
# tokenizer of GPT-2. In `capstone_t5`, you write a T5. In `capstone_decoder`, you write a model like the one of this
# lesson, and train it.
