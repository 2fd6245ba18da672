# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Streaming a text, and texts that repeat
#
# > **You will be able to** show a text while it is generated, without wrong characters; say why a model enters a loop and why the loop
# > goes on; compute the score of a candidate in contrastive search, and say when this score cannot help.
# >
# > **Time:** core 40 minutes, practice 40 minutes (and 19 in *Go further*). **Before this:** `17_greedy_and_sampling` and `18_beam_search`.
#
# <details><summary>Two questions from earlier lessons: Which token does greedy search select? What is the dot product of (3, 4) and (6, 8)?</summary>
#
# Greedy search always selects the most probable token. The dot product is 3 × 6 + 4 × 8 = 50.
# </details>
#
# A chat program shows each token as soon as it is generated. But a token of a byte-level tokenizer may end in
# the middle of a character. For how many of 120 stored texts does this happen with real
# tokenizers?

# %%
from tokenlab.laboratory.real_tokenizers import real_tokenizer, texts

names = [name for group in texts().values() for name in group]
for one in ("GPT-2", "GPT-4", "GPT-4o", "Llama 3", "Qwen 3"):
    decoded = [[token.symbol.decode(errors="replace") for token in real_tokenizer(one).tokens(n)] for n in names]
    print(f"{one:8}", sum("�" in "".join(tokens) for tokens in decoded), "of", len(names), "texts show �")

# %% [markdown]
# A program that decodes each token separately shows `�` in all these texts. (The program exo [had this
# bug](https://github.com/exo-explore/exo/pull/1691).) A [**streamer**](../docs/glossary.md#streamer), which receives
# tokens and shows their text, has to do better. Predict what it may show after the first token of an emoji. Then step
# through the player, or type your own text.

# %%
from tokenlab import data, show
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.show.explorers.explore_text import explore_streaming

small = load_local_encoding(data.FOLDER / "small.tiktoken")
explore_streaming("naïve 日本語 🙂 � ok �", small)

# %% [markdown]
# The first row is right: it keeps the bytes of an incomplete character as [**pending
# bytes**](../docs/glossary.md#pending-bytes) until another token completes the character. The third row waits while the
# decoded text ends in `�`. But it also holds back a real `�` of the text, and shows it too late or never. Therefore
# **incremental UTF-8 decoding** looks at the bytes, and not at the decoded text. `split_complete` returns the text that
# may be shown, and the pending bytes (at most 3, because a character has at most 4):

# %%
from tokenlab.algorithms.decoding.incremental_utf8 import is_incomplete, split_complete

show.source(split_complete, is_incomplete)

# %% [markdown]
# ## A text that repeats
#
# Sometimes a stream does not end. This kit's tiny T5 has learned to translate sentences, and here it gets three nouns
# without a verb:

# %%
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer
from tokenlab.traces.generation.trace_contrastive import trace_contrastive_search

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
nouns = "translate English to German: A dog and a teacher and an apple."
print(trace_contrastive_search.record(model, tokenizer, nouns, penalty_alpha=0.0, top_k=4, max_length=8))

# %% [markdown]
# "The teacher has has has ...": the German word `hat` means *has*. The output shows the probability of each token,
# and its *similarity*: how close the decoder's [hidden state](../docs/glossary.md#hidden-state) after this token is
# to the most similar earlier one (1 means the same direction).
#
# **Why does the loop go on?** The output layer computes the next token from this state alone. After the second
# `▁hat`, the similarity to the state after the first one is 0.959. Similar states give similar predictions, so `▁hat`
# leads again, with 0.99.
#
# **Why does the model enter the loop?** The similarity does not explain this: after the first `▁hat`, it is 0.329,
# but a second `▁hat` has the probability 0.58. To find a cause, we change the source, and keep the beginning `Der
# Lehrer hat`:

# %%
from tokenlab.traces.generation.trace_next_token import trace_next_token

for english in ("A dog and a teacher and an apple.", "A dog and a teacher.", "A teacher has an apple."):
    shares = trace_next_token.record(model, tokenizer, data.grammar().TO_GERMAN + english, "Der Lehrer hat")[0]
    top = [f"{token} {share:.2f}" for token, share in zip(shares.tokens[:4], shares.probabilities, strict=False)]
    print(f"{english:34}", *top, f" entropy {shares.entropy:.1f}")

# %% [markdown]
# With a verb in the source, the model is certain of `▁einen`. With two nouns, `▁einen` leads. With three, the
# [entropy](../docs/glossary.md#entropy) is high, and a second `▁hat` leads with 0.58. So the model may **enter** a
# loop when it is uncertain and a repetition happens to lead. The loop **goes on** because each repetition nearly
# reproduces the state.
#
# But we chose this list because of its loop. Five nouns give 60 lists of three and 20 of two: how many outputs repeat
# themselves?

# %%
from itertools import permutations

five = ("a dog", "a teacher", "an apple", "a cat", "a book")
for size, settings in [(2, {}), (3, {}), (3, {"num_beams": 4}), (3, {"penalty_alpha": 0.6, "top_k": 4})]:
    lists = [data.grammar().TO_GERMAN + " and ".join(some).capitalize() + "." for some in permutations(five, size)]
    found = model.generate(**tokenizer(lists, padding=True, return_tensors="pt"), max_length=30, **settings)
    print(sum("hat hat hat" in text for text in tokenizer.batch_decode(found, True)), "of", len(lists), size, settings)

# %% [markdown]
# So most of these lists cause no loop. Beam search does not help, because the repetition is probable. The
# last row is [**contrastive search**](../docs/glossary.md#contrastive-search), which avoids the loop. At which token
# does it first differ from greedy search? For which `penalty_alpha` does it repeat itself, and for which is its grammar wrong?

# %%
from tokenlab.show.explorers.explore_generation import explore_contrastive_search

explore_contrastive_search(nouns, model, tokenizer)

# %% [markdown]
# <details><summary>What does it generate with each <code>penalty_alpha</code>?</summary>
#
# With 0.6, token 4 is <code>▁einen</code>, while greedy search selects <code>▁hat</code>, "has". With values up to 0.4,
# the text repeats
# <code>▁hat</code>. With 0.5 and 0.6, it is <i>Der Lehrer hat einen Apfel</i>, "The teacher has an apple": no loop, but the dog is lost. From 0.7 to 0.9, it starts with <i>Die Lehrerin</i>, the female teacher, and its grammar is wrong: <i>ein Hund</i> instead of <i>einen Hund</i>. With 1.0,
# it starts with <i>Die Ärztin</i>, the female doctor.
# </details>
#
# ## The score
#
# Similarity is measured by the [**cosine similarity**](../docs/glossary.md#cosine-similarity), the cosine of the angle
# between two vectors:
#
# $$s(u,v)=\frac{u\cdot v}{\lVert u\rVert\,\lVert v\rVert},\qquad\lVert u\rVert=\sqrt{u\cdot u}$$
#
# Here, $\lVert u\rVert$ is the **norm** of $u$, the length of the vector. For $(3,4)$ and $(6,8)$, the similarity is
# $50/(5\cdot10)=1$. It is 0 for a right angle, and -1 for opposite directions.
#
# The candidates are the `top_k` most probable tokens. The model reads each candidate $v$ as if it were selected, and so
# gets its hidden state $h_v$. The largest similarity to an earlier state $h_j$ is the [**degeneration
# penalty**](../docs/glossary.md#degeneration-penalty). (A mean would hide one
# similar state, but one is enough for a loop.) The candidate with the highest score is selected:
#
# $$\text{score}(v)=(1-\alpha)\,p(v)-\alpha\max_{j}s(h_v,h_j)$$
#
# At token 4, $\alpha=0.6$ (`penalty_alpha`) gives `▁hat` the score $0.4\cdot0.583-0.6\cdot0.959=-0.342$, and `▁einen`
# the score $0.4\cdot0.097-0.6\cdot0.275=-0.126$. So `▁einen` wins, although it is less probable. Which candidate wins
# in each call below? In the second, all states are similar.

# %%
from tokenlab.algorithms.decoding.contrastive import contrastive_select

print(contrastive_select.record(probabilities=[0.6, 0.4], states=[[3, 4], [4, -3]], past=[[6, 8], [1, 0]], alpha=0.6))
print(contrastive_select.record(probabilities=[0.6, 0.4], states=[[9, 1], [9, 4]], past=[[9, 2]], alpha=0.6))

# %% [markdown]
# If all similarities are above 0.9, two penalties differ by less than 0.1. With $\alpha=0.6$, this changes the score
# by less than $0.6\cdot0.1=0.06$. So 0.15 more in probability always wins ($0.4\cdot0.15=0.06$): the search is nearly
# greedy.
#
# ## Where it breaks: a necessary token is similar
#
# Sometimes a correct text needs a token whose state is similar to an earlier one. The cell counts the correct
# translations of 35 sentences, and prints the translation of *The boy found the old hat
# yesterday*. (This *hat* is `Hut` in German.)

# %%
g, asked = data.grammar(), list(data.grammar().sentences())[::5000]
batch = tokenizer([g.TO_GERMAN + english for english in asked], padding=True, return_tensors="pt")
for alpha in (0.0, 0.3, 0.6, 0.8):
    answers = tokenizer.batch_decode(model.generate(**batch, max_length=20, penalty_alpha=alpha, top_k=4), True)
    print(alpha, sum(map(g.is_right, asked, [g.TO_GERMAN] * len(asked), answers)), "of", len(asked), answers[10])

# %% [markdown]
# With 0.6, the boy is missing ("Yesterday has found the old hat"): in *Gestern hat der Junge*, `▁der` is too similar
# to `▁hat`.
#
# <details><summary>Why can a wrong token win against a certain one?</summary>
#
# Let the necessary token have the probability 1 and the penalty $s_1$, and a wrong candidate the probability 0 and the
# penalty $s_2$. With $\alpha=0.6$, the wrong candidate wins if $s_1-s_2>0.4/0.6\approx0.67$. With $\alpha=0.8$, a
# difference of $0.2/0.8=0.25$ is enough.
# </details>
#
# ## Practice
#
# Replace each `...`. A second run with the same mistake shows the rule, a third the answers and a worked solution.
#
# ### Trace it · easy · 3 minutes · importance 5 of 5
#
# The first token has the first 2 bytes of `🙂`. The second token has the other 2 bytes. The third token is `!`. Which
# text does a streamer show for each token?

# %% tags=["practice"]
from tokenlab import check

# A list of 3 strings, "" for nothing. Example: ["a", "b", "!"]
my_texts = ...

check.texts_by_hand(my_texts)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can a program show half a character?</details>
# <details><summary>Hint: a smaller example</summary>If the 2 bytes of <code>é</code> come in 2 tokens, the streamer shows <code>["", "é"]</code>.</details>
# <details><summary>Hint: the structure</summary>The first string is empty.</details>
#
# ### Find the bug · easy · 5 minutes · importance 4 of 5
#
# `decode_each_token` decodes each token separately. Find tokens for which it shows a wrong text. Together, the tokens
# must be the bytes of a text.

# %% tags=["practice"]
from tokenlab.misconceptions.streaming import decode_each_token

# A list of bytes. [b"a", b"b"] is no solution: every token is a complete character.
my_tokens = ...

check.bug(decode_each_token, my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which characters have more than one byte?</details>
# <details><summary>Hint: a smaller example</summary><code>"é".encode()</code> gives 2 bytes. As one token, they are decoded correctly.</details>
# <details><summary>Hint: the structure</summary>Split the bytes of a character into two tokens: <code>[data[:1], data[1:]]</code>.</details>
#
# ### Complete two lines · easy · 5 minutes · importance 4 of 5
#
# Compute the cosine similarity of two vectors of the same dimension. No vector contains only zeros.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_cosine_similarity(left: list[float], right: list[float]) -> float:
    """Example: my_cosine_similarity([3, 4], [4, 3]) returns 0.96."""
    norms = [... for vector in (left, right)]
    return ... / (norms[0] * norms[1])


check.cosine_similarity(my_cosine_similarity)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which similarity should a vector have to its double?</details>
# <details><summary>Hint: a smaller example</summary>The norm of <code>[3, 4]</code> is 5, the root of 9 + 16.</details>
# <details><summary>Hint: the structure</summary>Both lines need a sum of products. The first line multiplies each number by itself and takes the root with <code>** 0.5</code>. The second line multiplies numbers at the same position.</details>
#
# ### Write it · hard · 10 minutes · importance 5 of 5
#
# Write the selection. `states` has a vector for each candidate, and `past` a vector for each token so far. Return the
# index of the candidate with the highest score, counted from 0.


# %% tags=["practice"]
def my_choice(probabilities: list[float], states: list, past: list, alpha: float) -> int:
    """Example: my_choice([0.5, 0.3], [[1, 0], [0, 1]], [[1, 0]], 0.5) returns 1."""
    return ...


check.contrastive_choice(my_choice)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many similarities does one candidate have? How many penalties?</details>
# <details><summary>Hint: a smaller example</summary>With <code>alpha=0</code>, the most probable candidate is selected, whatever the states are.</details>
# <details><summary>Hint: the structure</summary>Make a list of scores with <code>zip</code> and <code>max(my_cosine_similarity(...) for ...)</code>. Return <code>scores.index(max(scores))</code>.</details>
#
# ### Another rule · hard · 12 minutes · importance 3 of 5
#
# Write the rule of a streamer. `received` has all bytes that are not shown yet: complete characters, and perhaps the
# first bytes of one more character. Return the text that is shown now, and the pending bytes. The text itself may
# contain `�`.


# %% tags=["practice"]
def my_ready(received: bytes) -> tuple[str, bytes]:
    r"""Example: my_ready(b"a\xc3") returns ("a", b"\xc3")."""
    return ...


check.ready(my_ready)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many bytes can be pending at most? What does <code>bytes.decode</code> do with an incomplete character?</details>
# <details><summary>Hint: a smaller example</summary>The 3 bytes of <code>�</code> are a complete character: return <code>("�", b"")</code>.</details>
# <details><summary>Hint: the structure</summary>Try to decode all bytes. If this raises <code>UnicodeDecodeError</code>, try all bytes except the last, then except the last 2, then except the last 3.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A model generates *has has has ...* without end. Say in three sentences why it may have entered this loop, why the
# loop goes on, and how contrastive search leaves it.
#
# <details><summary>What a good answer contains</summary>
# 1. Entering: the model is uncertain, for example because the source is unlike its training, and a repetition happens
#    to be the most probable token.<br>
# 2. Going on: after the repetition, the hidden state is nearly that of one step before, so the prediction is nearly the same.<br>
# 3. Contrastive search lowers the score of a candidate whose hidden state is similar to an earlier one, so that a
#    less probable candidate can win.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The source gave the model no clear continuation, so a token that repeats the last one had the highest probability. After this token, the hidden state was almost the same as before, and so was the next prediction. Contrastive search computes the state of each candidate and subtracts its largest similarity to earlier states, so another candidate wins.”<br>
# <b>Wrong:</b> “Greedy search looks at one token at a time, so it repeats itself, and more beams would find a better text. The loop goes on because the token is already in the text. Contrastive search forbids every token that is already in the text.” Beam search repeats as well, because the repetition is probable; and contrastive search compares hidden states and forbids no token.
# </details>
#
# ## Exit questions
#
# <details><summary>A chat shows <code>�</code>, and a moment later an emoji in its place. What is the bug?</summary>
# The program decodes the whole text so far and shows it at once, with incomplete characters. It should keep their bytes
# pending.
# </details>
# <details><summary>Why does a model <i>enter</i> a loop, and why does the loop go on?</summary>
# It enters the loop if a repetition is the most probable token, which is likely when the model is uncertain. In the
# example, no earlier state was similar at this point. The loop goes on because the state after each repetition is
# similar to the state before it.
# </details>
# <details><summary>All hidden states of a model have a cosine similarity above 0.9. What does contrastive search become?</summary>
# Nearly greedy search: all penalties are nearly equal, so the probability decides. Only candidates of similar
# probability can change places.
# </details>
# <details><summary>Which search is contrastive search with <code>penalty_alpha=0</code>? Which search is it with one candidate?</summary>
# Greedy search in both cases. With 0, only the probability counts. With one candidate, there is nothing to select.
# </details>
# <details><summary>A token must appear twice in a correct text. Does contrastive search forbid the second time?</summary>
# No. It compares hidden states, not tokens. The penalty lowers the score, and a token of high probability can still
# win.
# </details>
#
# **Summary.** A streamer shows complete characters and keeps the other bytes pending. A model that is uncertain can
# enter a loop, and then each repetition leads to a similar hidden state and to the next repetition. Contrastive search
# subtracts the largest similarity to an earlier state. With a `penalty_alpha` of 0.6 or more, it also removes necessary tokens.
#
# **Reference.** Yixuan Su and others, *A Contrastive Framework for Neural Text Generation*, 2022. Next lesson:
# `21_auto_classes`, which is optional; then `22_speed_laboratory`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The functions of contrastive search
#
# They are short. A vector of zeros has no direction, so its similarity is 0 by definition.

# %%
from tokenlab.algorithms.decoding.contrastive import cosine_similarity, degeneration_penalty

show.source(contrastive_select, degeneration_penalty, cosine_similarity)

# %% [markdown]
# ### The same call on the production library
#
# In `generate`, `penalty_alpha` above 0 and `top_k` above 1 select contrastive search. The kit stores outputs of
# `transformers` 4.26.1 for this model. How many of our outputs have the same ids?

# %%
import json

ids = tokenizer(nouns, return_tensors="pt").input_ids
calls = json.loads((data.FOLDER / "t5_contrastive.json").read_text(encoding="utf-8"))
inputs = [tokenizer(call["text"], return_tensors="pt").input_ids for call in calls]
ours = [model.generate(ids, max_length=40, **call["settings"]) for ids, call in zip(inputs, calls, strict=True)]
[ids.tolist() == call["ids"] for ids, call in zip(ours, calls, strict=True)].count(True), len(calls)

# %% [markdown]
# ### More practice: trace a choice · easy · 6 minutes · importance 4 of 5
#
# Two tokens are generated. Their hidden states are `[0, 1]` and `[1, 0]`. Candidate 0 has the probability 0.7 and the
# state `[3, 4]`. Candidate 1 has 0.2 and `[-1, 0]`. The weight `alpha` is 0.5. What is the degeneration penalty of
# candidate 0? Which candidate is selected?

# %% tags=["practice"]
# A number (2 decimal places are enough), and 0 or 1. Example: 0.5, 0
my_penalty, my_choice = ..., ...

check.choice_by_hand(my_penalty, my_choice)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the norm of <code>[3, 4]</code>? Which two similarities does candidate 0 have?</details>
# <details><summary>Hint: a smaller example</summary><code>[5, 12]</code> has the norm 13, the similarity 5/13 to <code>[1, 0]</code> and 12/13 to <code>[0, 1]</code>. Its penalty is 12/13, or 0.92.</details>
# <details><summary>Hint: the structure</summary>The penalty is the larger of two similarities. The score is half the probability minus half the penalty.</details>
#
# ### More practice: find the bug in a mean · medium · 8 minutes · importance 4 of 5
#
# `mean_similarity` uses the mean similarity as penalty, not the largest one. Two candidates have the probabilities 0.5
# and 0.4 and the states `[1, 0]` and `[0, 1]`, and `alpha` is 0.5. Find hidden states of earlier tokens for which
# `mean_similarity` selects the wrong candidate.

# %% tags=["practice"]
from tokenlab.misconceptions.streaming import mean_similarity

# A list of vectors of 2 numbers. [[1, 0]] is no solution: both programs select candidate 1.
my_past = ...

check.bug(mean_similarity, my_past)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which earlier state gives candidate 0 the penalty 1? Which second state lowers its mean to 0?</details>
# <details><summary>Hint: a smaller example</summary>The similarities of <code>[1, 0]</code> to <code>[1, 0]</code> and <code>[0, 1]</code> are 1 and 0. The largest is 1, and the mean is 0.5.</details>
# <details><summary>Hint: the structure</summary>Use two vectors of opposite directions.</details>
#
# ### Two questions on streams
#
# <details><summary>A flag consists of 2 characters. The screen first shows a letter, and then a flag in its place. Did the streamer take a character back?</summary>
# No. The streamer showed the first character, which looks like a letter, and then the second. The screen draws both
# together as one flag.
# </details>
# <details><summary>What are rows 2 and 4 of the streaming player?</summary>
# Row 2 decodes each token separately. Row 4 is <code>TextStreamer</code> of <code>transformers</code>, which shows
# complete words; its error is explained next.
# </details>
#
# ### Spaces that move
#
# A T5 has another problem: its spaces. `TextStreamer` (in `transformers` since 4.28) shows complete words, up to the
# last space. If the text ends in a Chinese character, it shows the whole text at once. Our `StablePrefixStreamer` shows
# a character only when later tokens can no longer change it. One of the two streamers shows a wrong text. Which one?

# %%
from tokenlab.libraries.transformers import StablePrefixStreamer, TextStreamer

chinese = tokenizer("translate English to Chinese: She does not have a small dog.", return_tensors="pt").input_ids
for streamer in (TextStreamer(tokenizer), StablePrefixStreamer(tokenizer)):
    print(f"{type(streamer).__name__:<21}", end=" ")
    output = model.generate(chinese, max_length=40, streamer=streamer)
print(f"{'the decoded text':<21}", tokenizer.decode(output[0]))

# %% [markdown]
# The sentence means "She has no small dog". `TextStreamer` shows 狗, "dog", twice. As soon as the output contains
# `</s>`, `decode` writes a space after `<pad>`. So every later character moves by one position. `TextStreamer` has
# shown $n$ characters, and continues at index $n$ of the new text. At this index is now the character that it has shown
# last: 狗. With `skip_special_tokens=True`, nothing moves here.
#
# ### Read a text while it is generated
#
# `generate` returns when the text is complete. To read the text earlier, start `generate` in a **thread**: it then runs
# at the same time as the rest of the program. A `TextIteratorStreamer` puts each new part of the text into a **queue**,
# and a loop takes the parts out of it. Our `StablePrefixIteratorStreamer` puts a part into the queue as soon as later
# tokens can no longer change it.

# %%
from threading import Thread

from tokenlab.libraries.transformers import StablePrefixIteratorStreamer, TextIteratorStreamer

for kind in (TextIteratorStreamer, StablePrefixIteratorStreamer):
    streamer = kind(tokenizer, timeout=60, skip_special_tokens=True)
    wanted = {"streamer": streamer, "penalty_alpha": 0.6, "top_k": 4, "max_length": 30}
    Thread(target=model.generate, args=(ids,), kwargs=wanted).start()
    print([part for part in streamer if part])

# %% [markdown]
# If `generate` fails in its thread, nothing fills the queue. Without a `timeout`, the loop would then wait forever.
# With `timeout=60`, the loop ends with an error after 60 seconds without a new part.
#
# ### A detokenizer for any tokenizer
#
# Some tokenizers cannot return the bytes of a token. Our `IncrementalDetokenizer` needs only the method `decode`. If
# the text ends in `�`, it waits for the next tokens, but for 3 at most: a character has at most 4 bytes, so at most 3
# can be missing. The method `decode` of T5 removes some spaces, such as a space before a period. So a space at the end
# also waits for the next token. The cell sends a real `�` in 3 tokens, an `é` in 2 tokens, and 4 invalid bytes. The
# method `end` returns the rest.

# %%
from tokenlab.libraries.transformers.generation.streamers import IncrementalDetokenizer

detokenizer = IncrementalDetokenizer(small)
torn = small.encode("�") + small.encode("é") + [small.encode_single_token(b"\xff")] * 4
[detokenizer.put([id]) for id in torn], detokenizer.end()

# %% [markdown]
# The real `�` is shown with the fourth token. Only then is it clear that the text really contains `�`: with 4 tokens,
# every character would be complete. `decode` returns a `�` for each invalid byte. The first of them is shown after 3
# more tokens, and `end` returns the other 3.
#
# ### A common mistake: streaming works for one text only
#
# This is not true. `TextStreamer` and the other streamers of this lesson accept only one text. But you can write a
# streamer for several texts: at each step, `generate` gives it the tokens of all texts. With beams, `generate` accepts
# no streamer, because beam search selects the text only at the end. (In the cell, `staticmethod` marks a method without
# `self`.)

# %%
from tokenlab.libraries.transformers import BaseStreamer


class Shapes(BaseStreamer):
    put = staticmethod(lambda tokens: print(tuple(tokens.shape), end=" "))
    end = staticmethod(lambda: print("end"))


model.generate(**batch, max_length=8, streamer=Shapes()).shape

# %% [markdown]
# The first call receives the start tokens of 35 texts. Each later call receives one token for each text. The last line
# is the shape of the output: 35 texts with 8 tokens each.
#
# ### A common mistake: a loop that never ends
#
# A streamer also works without `generate`: give it tokens in a loop, here 2 at a time, and then call `end`. Suppose
# that you write this loop with `while`, and write `place = 2` instead of `place = place + 2`. Then the loop sends the
# tokens 2 and 3 forever. The next cell uses `for`, which moves `place` by itself:

# %%
tokens, streamer = small.encode("the player was unhappy"), TextStreamer(small)
for place in range(0, len(tokens), 2):
    streamer.put(tokens[place : place + 2])
streamer.end()

# %% [markdown]
# ### More practice: the start token · easy · 5 minutes · importance 3 of 5
#
# A decoder needs a start token. The tokenizer of T5 adds none. `generate` adds one. If you pass your own
# `decoder_input_ids`, 4.26.1 takes them unchanged, and `transformers` 5 adds a start token unless the ids begin with
# one. Write the rule of version 5.


# %% tags=["practice"]
def my_start(ids: list[int], start: int) -> list[int]:
    """Example: my_start([8, 9], 0) and my_start([0, 8, 9], 0) both return [0, 8, 9]."""
    return ...


check.start_once(my_start)

# %% [markdown]
# <details><summary>Hint: a question</summary>What should the function return for an empty list?</details>
# <details><summary>Hint: a smaller example</summary><code>my_start([8, 0], 0)</code> returns <code>[0, 8, 0]</code>: only the first position counts.</details>
# <details><summary>Hint: the structure</summary>Use one condition on the first position. <code>ids[:1]</code> is a list, also if <code>ids</code> is empty.</details>
#
# ### Other remedies for repetition
#
# You know other remedies: the repetition penalty, `no_repeat_ngram_size` and beams. What does each of them generate for
# the list of nouns?

# %%
for settings in ({"repetition_penalty": 1.5}, {"no_repeat_ngram_size": 3}, {"num_beams": 4}, {"penalty_alpha": 0.6}):
    settings |= {"top_k": 4} if "penalty_alpha" in settings else {}
    print(f"{settings!s:<35}", tokenizer.decode(model.generate(ids, max_length=30, **settings)[0], True))

# %% [markdown]
# - The repetition penalty gives "The teacher has an apple yesterday". This is wrong, also in German. The penalty
#   lowers the score of every
#   generated token, even if the text needs this token again.
# - `no_repeat_ngram_size=3` allows the sequence `▁hat ▁hat ▁hat` once. Then it forces an unlikely token, and the text
#   ends in nonsense.
# - Beam search repeats the token as well, because the model gives the repetition a high probability.
#
# ### A certain token that loses
#
# In *The boy found the old hat yesterday*, `▁der` must follow `▁Gestern ▁hat`. Step to token 3. To which earlier token
# is `▁der` similar?

# %%
from tokenlab.traces.generation.trace_contrastive import trace_contrastive_search

boy = trace_contrastive_search.record(model, tokenizer, g.TO_GERMAN + asked[10], 0.6, top_k=4, max_length=6)
boy

# %% [markdown]
# The state of `▁der` is most similar to the state of `▁hat`, another token: the search compares states, not tokens. The
# same steps as text:

# %%
print(boy)

# %% [markdown]
# ### When it does not help
#
# The penalty can only change the order of the candidates. If every candidate is improbable or has a state similar to an
# earlier one, the repetition stays. How many candidates are necessary for another list of nouns?

# %%
lamp = tokenizer(g.TO_GERMAN + "A lamp and a cat and a woman and a father.", return_tensors="pt").input_ids
for top_k in (2, 4, 16):
    written = model.generate(lamp, max_length=40, penalty_alpha=0.6, top_k=top_k)
    print(f"{top_k:>2}", tokenizer.decode(written[0], skip_special_tokens=True))

# %% [markdown]
# With 2 candidates, `▁hat`, "has", is repeated, and the output ends with a horse (*ein Pferd*) that is not in the
# source. With 4, it is "The woman has a cat", a correct sentence with words of the source. With 16, it is "The woman
# has a dog", and the dog is not in the source. So here, 4 candidates are better than 2 and than 16.
#
# ### The loop of the library
#
# The library reads all candidates of all texts in one batch, with the KV cache. Each text has `top_k` rows in
# the cache, one for each candidate. After the step, the row of the selected candidate is kept and copied `top_k` times.
# So a step needs one pass of the decoder, with more rows. In which line is the first hidden state computed?

# %%
from tokenlab.libraries.transformers.generation.loops import contrastive_search

show.source(contrastive_search)

# %% [markdown]
# <details><summary>In which line?</summary><code>state.next_token_logits_and_states(input_ids)</code>, before the loop. It reads only the start token. The candidates of the first step are compared with its state.</details>
#
# ### Settings without effect
#
# Contrastive search uses neither chance nor beams, so some settings do not fit together. With `num_beams=2`, the beams
# are ignored. With `do_sample=True` or `top_k=1`, `penalty_alpha` is ignored, so contrastive search is not used.
# `transformers` 4.26.1 ignores these settings without a message. This kit warns, also if `penalty_alpha` is above 1.
# (`num_return_sequences=2` is an error in `transformers` 4.26.1 and in this kit.)

# %%
import warnings

with warnings.catch_warnings(record=True, action="always") as caught:
    for ignored in ({"num_beams": 2}, {"do_sample": True}, {"top_k": 1}, {"penalty_alpha": 2.0}):
        model.generate(ids, max_length=30, **{"penalty_alpha": 0.6, **ignored})
print(*[warning.message for warning in caught], sep="\n")

# %% [markdown]
# `transformers` 5 no longer contains contrastive search. It loads the function from a separate repository, if you allow
# it to run this code with `trust_remote_code=True`.
#
# ### The same with a real T5
#
# The player accepts any T5. You need a folder with `config.json`, the weights (`model.safetensors` or
# `pytorch_model.bin`) and `spiece.model`, for example of `t5-small`. The streaming player accepts any `tiktoken`
# encoding.
#
# ```python
# model = T5ForConditionalGeneration.from_pretrained("my-t5").eval()
# tokenizer = T5Tokenizer.from_pretrained("my-t5")
# explore_contrastive_search("summarize: Put a long text here.", model, tokenizer, max_length=60)
# ```
