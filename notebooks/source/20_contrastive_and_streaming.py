# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Contrastive search and streaming
#
# > **You will be able to** explain why a generated text repeats itself; compute the score of a candidate in contrastive search; say
# > what a larger `penalty_alpha` changes, and what it costs; in *Go further*, show a text while it is generated.
# >
# > **Time:** core 30 minutes, practice 54 minutes. **Before this:** `17_greedy_and_sampling` and `18_beam_search`.
#
# <details><summary>Two questions from earlier lessons: Which token does greedy search select? What is the dot product of (3, 4) and (6, 8)?</summary>
#
# Greedy search always selects the most probable token. The dot product is 3 × 6 + 4 × 8 = 50.
# </details>
#
# This kit's tiny T5 has learned to translate sentences. Here it gets a list of nouns without a verb:

# %%
from tokenlab import data, show
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
nouns = "translate English to German: A dog and a teacher and an apple."
ids = tokenizer(nouns, return_tensors="pt").input_ids
tokenizer.decode(model.generate(ids, max_length=30)[0], skip_special_tokens=True)

# %% [markdown]
# "The teacher has has has has ...": the German word `hat` means *has*. Greedy search repeats this token until `max_length` stops the
# search. A user of a much larger T5 [reported](https://github.com/AIRC-KETI/long-ke-t5/issues/2) the same: its translation repeats the word *Disciplinary* without end.
#
# ## Follow the repetition
#
# [**Contrastive search**](../docs/glossary.md#contrastive-search) avoids the repetition. Step through the player. At which token does it
# first select another token than greedy search? Then move `penalty_alpha` and look at the last step. For which values does the text repeat itself?
# For which values does it say something wrong?

# %%
from tokenlab.show.explorers.explore_generation import explore_contrastive_search

explore_contrastive_search(nouns, model, tokenizer)

# %% [markdown]
# <details><summary>What does it generate with each <code>penalty_alpha</code>?</summary>
#
# With 0.6, token 4 is <code>▁einen</code>, and greedy search selects <code>▁hat</code>, "has". With values up to 0.4, the text repeats
# <code>▁hat</code>. With 0.5 and 0.6, it is <i>Der Lehrer hat einen Apfel</i>, "The teacher has an apple". From 0.7 on, it starts with <i>Die Lehrerin</i>, the female teacher, and its grammar is wrong: <i>ein Hund</i> instead of <i>einen Hund</i>. With 1.0,
# it starts with <i>Die Ärztin</i>, the female doctor.
# </details>
#
# Contrastive search compares the [**hidden states**](../docs/glossary.md#hidden-state) after the last layer of the decoder. They are the
# input of this block:

# %%
show.you_are_here("output layer")

# %% [markdown]
# ## Similar states repeat
#
# The model computes the next token from the hidden state of the token before it. If two hidden states are nearly equal, they give nearly
# equal probabilities for the next token. So a loop starts when a token has nearly the same hidden state as an earlier token. In the player, set
# `penalty_alpha` to 0: from token 5 on, `▁hat` has a similarity of 1.00 to an earlier `▁hat`.
#
# The measure is the [**cosine similarity**](../docs/glossary.md#cosine-similarity) of two vectors, the cosine of the angle between them:
#
# $$s(u,v)=\frac{u\cdot v}{\lVert u\rVert\,\lVert v\rVert},\qquad\lVert u\rVert=\sqrt{u\cdot u}$$
#
# Here, $\lVert u\rVert$ is the **norm** of $u$, the length of the vector. The similarity is 1 for the same direction, 0 for a right angle, and -1
# for opposite directions. The norms do not change the similarity. For $(3,4)$ and $(6,8)$, it is $50/(5\cdot10)=1$.
#
# ## The score
#
# At each step, the candidates are the `top_k` most probable tokens. The model reads each candidate as if it were selected, and computes
# its hidden state $h_v$. The largest similarity to an earlier hidden state $h_j$ is the [**degeneration
# penalty**](../docs/glossary.md#degeneration-penalty). The first earlier state is that of the start token. The candidate with the highest
# score is selected:
#
# $$\text{score}(v)=(1-\alpha)\,p(v)-\alpha\max_{j}s(h_v,h_j)$$
#
# Here, $\alpha$ is `penalty_alpha`. The paper on contrastive search (see Reference) calls the probability $p(v)$ the model **confidence**.
# Look at token 4 of the player, with $\alpha=0.6$. The candidate `▁hat` has the probability 0.583 and the penalty 0.959. Its score
# is $0.4\cdot0.583-0.6\cdot0.959=-0.342$. The candidate `▁einen` has a probability of only 0.097, but its penalty is also only 0.275. Its score
# is $0.4\cdot0.097-0.6\cdot0.275=-0.126$, so `▁einen` is selected. (The player shows 2 decimal places.)
#
# The next cell has two candidates with hidden states of 2 numbers. Which candidate is selected?

# %%
from tokenlab.algorithms.decoding.contrastive import contrastive_select

contrastive_select.record(probabilities=[0.6, 0.4], states=[[3, 4], [4, -3]], past=[[6, 8], [1, 0]], alpha=0.6)

# %% [markdown]
# Candidate 0 is more probable, but its state has exactly the direction of the first earlier state, `[6, 8]`. **A repetition can be measured before the
# token is generated: the hidden state of the candidate is similar to an earlier one.**
#
# ## The function itself
#
# With `max`, one similar earlier state is enough for a high penalty. In a long text, the mean would be low in spite of this one state.

# %%
from tokenlab.algorithms.decoding.contrastive import cosine_similarity, degeneration_penalty

show.source(contrastive_select, degeneration_penalty, cosine_similarity)

# %% [markdown]
# ## The same call on the production library
#
# In `generate`, `penalty_alpha` above 0 and `top_k` above 1 select contrastive search. The kit stores outputs of `transformers` 4.26.1 for
# this model. How many of our outputs have the same ids?

# %%
import json

calls = json.loads((data.FOLDER / "t5_contrastive.json").read_text(encoding="utf-8"))
read = [tokenizer(call["text"], return_tensors="pt").input_ids for call in calls]
ours = [model.generate(ids, max_length=40, **call["settings"]) for ids, call in zip(read, calls, strict=True)]
[ids.tolist() == call["ids"] for ids, call in zip(ours, calls, strict=True)].count(True), len(calls)

# %% [markdown]
# ## Where it breaks: a necessary token is similar
#
# Also in a correct text, a token can have a hidden state that is similar to an earlier one. The cell translates 35 sentences with 3 values
# of $\alpha$ and counts the correct outputs. It also prints the translation of *The boy found the old hat yesterday*. (The German word
# for this *hat* is `Hut`.)

# %%
g, asked = data.grammar(), list(data.grammar().sentences())[::5000]
batch = tokenizer([g.TO_GERMAN + english for english in asked], padding=True, return_tensors="pt")
for alpha in (0.3, 0.6, 0.8):
    answers = tokenizer.batch_decode(model.generate(**batch, max_length=20, penalty_alpha=alpha, top_k=4), True)
    print(alpha, sum(map(g.is_right, asked, [g.TO_GERMAN] * len(asked), answers)), "of", len(asked), answers[10])

# %% [markdown]
# With 0.6, the translation is "Yesterday has found the old hat": the boy is missing. Why can a wrong token win? Suppose that the
# necessary token has the probability 1 and the penalty $s_1$, and a wrong candidate has the probability 0 and the penalty $s_2$. With
# $\alpha=0.6$, their scores are $0.4-0.6\,s_1$ and $-0.6\,s_2$. The wrong candidate has the higher score if
# $s_1-s_2>0.4/0.6\approx0.67$. With $\alpha=0.8$, a difference of $0.2/0.8=0.25$ is enough, and only 16 outputs are correct.
#
# ## Practice
#
# Replace each `...` and run the cell. A second run with the same mistake shows the rule, and a third reveals the
# answers and a worked solution.
#
# ### Trace it · easy · 6 minutes · importance 5 of 5
#
# Two tokens are generated. Their hidden states are `[0, 1]` and `[1, 0]`. Candidate 0 has the probability 0.7 and the state
# `[3, 4]`. Candidate 1 has 0.2 and `[-1, 0]`. The weight `alpha` is 0.5. What is the degeneration penalty of candidate 0? Which candidate is
# selected?

# %% tags=["practice"]
from tokenlab import check

# A number (2 decimal places are enough), and 0 or 1. Example: 0.5, 0
my_penalty, my_choice = ..., ...

check.choice_by_hand(my_penalty, my_choice)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the norm of <code>[3, 4]</code>? Which two similarities does candidate 0 have?</details>
# <details><summary>Hint: a smaller example</summary><code>[5, 12]</code> has the norm 13, the similarity 5/13 to <code>[1, 0]</code> and 12/13 to <code>[0, 1]</code>. Its penalty is 12/13, or 0.92.</details>
# <details><summary>Hint: the structure</summary>The penalty is the larger of two similarities. The score is half the probability minus half the penalty.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `mean_similarity` uses the mean similarity as penalty, not the largest one. Two candidates have the probabilities 0.5 and 0.4 and
# the states `[1, 0]` and `[0, 1]`, and `alpha` is 0.5. Find hidden states of earlier tokens for which `mean_similarity` selects the wrong candidate.

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
# Write the selection. `states` has a vector for each candidate, and `past` a vector for each token so far. Return the index of the
# candidate with the highest score, counted from 0.


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
# ## Exit questions
#
# <details><summary>Which search is contrastive search with <code>penalty_alpha=0</code>? Which search is it with one candidate?</summary>
# Greedy search in both cases. With 0, only the probability counts. With one candidate, there is nothing to select.
# </details>
# <details><summary>Why is the penalty the largest similarity, and not the mean?</summary>
# One similar earlier state is enough to start a repetition. In a long text, the mean would be low in spite of this one state.
# </details>
# <details><summary>A token must appear twice in a correct text. Does contrastive search forbid the second time?</summary>
# No. It compares hidden states, not tokens. The penalty lowers the score, and a token of high probability can still win.
# </details>
#
# **Summary.** Contrastive search selects among the `top_k` most probable tokens. The score is the weighted probability minus the weighted
# degeneration penalty. This penalty is the largest cosine similarity to an earlier hidden state. A large `penalty_alpha` also removes necessary tokens.
#
# **Reference.** Yixuan Su and others, *A Contrastive Framework for Neural Text Generation*, 2022. Next lesson: `21_auto_classes`. "Go
# further" has the second topic of this lesson: how to show a text while it is generated.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Streaming: a token is not a character
#
# A [**streamer**](../docs/glossary.md#streamer) shows a text while it is generated. Chat programs do this, and some of them show `�`
# instead of an emoji, or inside a Chinese word. A [fix](https://github.com/exo-explore/exo/pull/1691) in exo, a program that runs
# language models, names the cause: exo decoded each token separately. A byte-level tokenizer may split a character into several tokens.
# The next cell uses a small byte-level tokenizer:

# %%
from tokenlab.libraries.tiktoken.registry import load_local_encoding

small = load_local_encoding(data.FOLDER / "small.tiktoken")
sentence = "Good morning 🙂 日本語"
"".join(small.decode([id]) for id in small.encode_ordinary(sentence)), small.decode(small.encode_ordinary(sentence))

# %% [markdown]
# In **incremental UTF-8 decoding**, the bytes of an incomplete character are
# [**pending bytes**](../docs/glossary.md#pending-bytes) until the character is complete. What may be shown after the first token of an
# emoji? Before each step, predict what will be shown. Then type your own text, or choose *one byte a token* under *tokens*.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_streaming

explore_streaming("naïve 日本語 🙂 � ok �", small)

# %% [markdown]
# Under *What has been shown*, the player has 4 rows. The first row is correct: it never takes back a character, and at the end it has shown
# the whole text. The second row decodes each token separately. The third row waits while the text ends in `�`. But some texts really
# contain `�`. The third row shows this `�` too late. If the text ends in it, the row never shows it. The fourth row is `TextStreamer` of
# `transformers`, which shows complete words (see "Spaces that move").
#
# <details><summary>A flag consists of 2 characters. The screen first shows a letter, and then a flag in its place. Did the streamer take a character back?</summary>
# No. The streamer showed the first character, which looks like a letter, and then the second. The screen draws both together as one
# flag.
# </details>
# <details><summary>A chat shows <code>�</code>, and a moment later an emoji in its place. What is the bug?</summary>
# The program decodes the whole text so far and shows it at once, with incomplete characters. It should keep their bytes pending.
# </details>
#
# No character has more than `MAX_CHARACTER_BYTES`, 4 bytes. The function `split_complete` finds the first position at which an incomplete
# character starts. It returns the text before this position and the bytes from this position on.

# %%
from tokenlab.algorithms.decoding.incremental_utf8 import is_incomplete, split_complete

show.source(split_complete, is_incomplete)

# %% [markdown]
# ### More practice: trace a stream · easy · 3 minutes · importance 4 of 5
#
# The first token has the first 2 bytes of `🙂`. The second token has the other 2 bytes. The third token is `!`. Which text does a streamer show
# for each token?

# %% tags=["practice"]
# A list of 3 strings, "" for nothing. Example: ["a", "b", "!"]
my_texts = ...

check.texts_by_hand(my_texts)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can a program show half a character?</details>
# <details><summary>Hint: a smaller example</summary>If the 2 bytes of <code>é</code> come in 2 tokens, the streamer shows <code>["", "é"]</code>.</details>
# <details><summary>Hint: the structure</summary>The first string is empty.</details>
#
# ### More practice: find the bug in a stream · easy · 5 minutes · importance 4 of 5
#
# `decode_each_token` decodes each token separately. Find tokens for which it shows a wrong text. Together, the tokens must be the
# bytes of a text.

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
# ### Another rule · hard · 12 minutes · importance 3 of 5
#
# Write the rule of a streamer. `received` has all bytes that are not shown yet: complete characters, and perhaps the first bytes of one more
# character. Return the text that is shown now, and the pending bytes. The text itself may contain `�`.


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
# ### Spaces that move
#
# A T5 has another problem: its spaces. `TextStreamer` (in `transformers` since 4.28) shows complete words, up to the last space. If the
# text ends in a Chinese character, it shows the whole text at once. Our `StablePrefixStreamer` shows a character only when later tokens
# can no longer change it. One of the two streamers shows a wrong text. Which one?

# %%
from tokenlab.libraries.transformers import StablePrefixStreamer, TextStreamer

chinese = tokenizer("translate English to Chinese: She does not have a small dog.", return_tensors="pt").input_ids
for streamer in (TextStreamer(tokenizer), StablePrefixStreamer(tokenizer)):
    print(f"{type(streamer).__name__:<21}", end=" ")
    output = model.generate(chinese, max_length=40, streamer=streamer)
print(f"{'the decoded text':<21}", tokenizer.decode(output[0]))

# %% [markdown]
# The sentence means "She has no small dog". `TextStreamer` shows 狗, "dog", twice. As soon as the output contains `</s>`, `decode` writes
# a space after `<pad>`. So every later character moves by one position. `TextStreamer` has shown $n$ characters, and continues at index
# $n$ of the new text. At this index is now the character that it has shown last: 狗. With `skip_special_tokens=True`, nothing moves here.
#
# ### Read a text while it is generated
#
# `generate` returns when the text is complete. To read the text earlier, start `generate` in a **thread**: it then runs at the same time as
# the rest of the program. A `TextIteratorStreamer` puts each new part of the text into a **queue**, and a loop takes the parts out of it. Our
# `StablePrefixIteratorStreamer` puts a part into the queue as soon as later tokens can no longer change it.

# %%
from threading import Thread

from tokenlab.libraries.transformers import StablePrefixIteratorStreamer, TextIteratorStreamer

for kind in (TextIteratorStreamer, StablePrefixIteratorStreamer):
    streamer = kind(tokenizer, timeout=60, skip_special_tokens=True)
    wanted = {"streamer": streamer, "penalty_alpha": 0.6, "top_k": 4, "max_length": 30}
    Thread(target=model.generate, args=(ids,), kwargs=wanted).start()
    print([part for part in streamer if part])

# %% [markdown]
# If `generate` fails in its thread, nothing fills the queue. Without a `timeout`, the loop would then wait forever. With `timeout=60`, the
# loop ends with an error after 60 seconds without a new part.
#
# ### A detokenizer for any tokenizer
#
# Some tokenizers cannot return the bytes of a token. Our `IncrementalDetokenizer` needs only the method `decode`. If the text ends in
# `�`, it waits for the next tokens, but for 3 at most: a character has at most 4 bytes, so at most 3 can be missing. The method
# `decode` of T5 removes some spaces, such as a space before a period. So a space at the end also waits for the next token. The cell sends
# a real `�` in 3 tokens, an `é` in 2 tokens, and 4 invalid bytes. The method `end` returns the rest.

# %%
from tokenlab.libraries.transformers.generation.streamers import IncrementalDetokenizer

detokenizer = IncrementalDetokenizer(small)
torn = small.encode("�") + small.encode("é") + [small.encode_single_token(b"\xff")] * 4
[detokenizer.put([id]) for id in torn], detokenizer.end()

# %% [markdown]
# The real `�` is shown with the fourth token. Only then is it clear that the text really contains `�`: with 4 tokens, every character
# would be complete. `decode` returns a `�` for each invalid byte. The first of them is shown after 3 more tokens, and `end` returns the
# other 3.
#
# ### A common mistake: streaming works for one text only
#
# This is not true. `TextStreamer` and the other streamers of this lesson accept only one text. But you can write a streamer for several
# texts: at each step, `generate` gives it the tokens of all texts. With beams, `generate` accepts no streamer, because beam search
# selects the text only at the end. (In the cell, `staticmethod` marks a method without `self`.)

# %%
from tokenlab.libraries.transformers import BaseStreamer


class Shapes(BaseStreamer):
    put = staticmethod(lambda tokens: print(tuple(tokens.shape), end=" "))
    end = staticmethod(lambda: print("end"))


model.generate(**batch, max_length=8, streamer=Shapes()).shape

# %% [markdown]
# The first call receives the start tokens of 35 texts. Each later call receives one token for each text. The last line is the shape of the
# output: 35 texts with 8 tokens each.
#
# ### A common mistake: a loop that never ends
#
# A streamer also works without `generate`: give it tokens in a loop, here 2 at a time, and then call `end`. Suppose that you write this
# loop with `while`, and write `place = 2` instead of `place = place + 2`. Then the loop sends the tokens 2 and 3 forever. The next cell
# uses `for`, which moves `place` by itself:

# %%
tokens, streamer = small.encode("the player was unhappy"), TextStreamer(small)
for place in range(0, len(tokens), 2):
    streamer.put(tokens[place : place + 2])
streamer.end()

# %% [markdown]
# ### More practice: the start token · easy · 5 minutes · importance 3 of 5
#
# A decoder needs a start token. The tokenizer of T5 adds none. `generate` adds one. If you pass your own `decoder_input_ids`, 4.26.1 takes them
# unchanged, and `transformers` 5 adds a start token unless the ids begin with one. Write the rule of version 5.


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
# You know other remedies: the repetition penalty, `no_repeat_ngram_size` and beams. What does each of them generate for the list of
# nouns?

# %%
for settings in ({"repetition_penalty": 1.5}, {"no_repeat_ngram_size": 3}, {"num_beams": 4}, {"penalty_alpha": 0.6}):
    settings |= {"top_k": 4} if "penalty_alpha" in settings else {}
    print(f"{settings!s:<35}", tokenizer.decode(model.generate(ids, max_length=30, **settings)[0], True))

# %% [markdown]
# - The repetition penalty gives "The teacher has an apple yesterday". This is wrong, also in German. The penalty lowers the score of every
#   generated token, even if the text needs this token again.
# - `no_repeat_ngram_size=3` allows the sequence `▁hat ▁hat ▁hat` once. Then it forces an unlikely token, and the text ends in nonsense.
# - Beam search repeats the token as well, because the model gives the repetition a high probability.
#
# ### A certain token that loses
#
# In *The boy found the old hat yesterday*, `▁der` must follow `▁Gestern ▁hat`. Step to token 3. To which earlier token is `▁der`
# similar?

# %%
from tokenlab.traces.generation.trace_contrastive import trace_contrastive_search

boy = trace_contrastive_search.record(model, tokenizer, g.TO_GERMAN + asked[10], 0.6, top_k=4, max_length=6)
boy

# %% [markdown]
# The state of `▁der` is most similar to the state of `▁hat`, another token: the search compares states, not tokens. The same steps
# as text:

# %%
print(boy)

# %% [markdown]
# ### When it does not help
#
# The penalty can only change the order of the candidates. If every candidate is improbable or has a state similar to an earlier one, the
# repetition stays. How many candidates are necessary for another list of nouns?

# %%
lamp = tokenizer(g.TO_GERMAN + "A lamp and a cat and a woman and a father.", return_tensors="pt").input_ids
for top_k in (2, 4, 16):
    written = model.generate(lamp, max_length=40, penalty_alpha=0.6, top_k=top_k)
    print(f"{top_k:>2}", tokenizer.decode(written[0], skip_special_tokens=True))

# %% [markdown]
# With 2 candidates, `▁hat`, "has", is repeated, and the output ends with a horse (*ein Pferd*) that is not in the source. With 4, it is
# "The woman has a cat", a correct sentence with words of the source. With 16, it is "The woman has a dog", and the dog is not in the
# source. So here, 4 candidates are better than 2 and than 16.
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
# Contrastive search uses neither chance nor beams, so some settings do not fit together. With `num_beams=2`, the beams are ignored. With
# `do_sample=True` or `top_k=1`, `penalty_alpha` is ignored, so contrastive search is not used. `transformers` 4.26.1 ignores these
# settings without a message. This kit warns, also if `penalty_alpha` is above 1. (`num_return_sequences=2` is an error in `transformers`
# 4.26.1 and in this kit.)

# %%
import warnings

with warnings.catch_warnings(record=True, action="always") as caught:
    for ignored in ({"num_beams": 2}, {"do_sample": True}, {"top_k": 1}, {"penalty_alpha": 2.0}):
        model.generate(ids, max_length=30, **{"penalty_alpha": 0.6, **ignored})
print(*[warning.message for warning in caught], sep="\n")

# %% [markdown]
# `transformers` 5 no longer contains contrastive search. It loads the function from a separate repository, if you allow it to run this code
# with `trust_remote_code=True`.
#
# ### The same with a real T5
#
# The player accepts any T5. You need a folder with `config.json`, the weights (`model.safetensors` or `pytorch_model.bin`) and
# `spiece.model`, for example of `t5-small`. The streaming player accepts any `tiktoken` encoding.
#
# ```python
# model = T5ForConditionalGeneration.from_pretrained("my-t5").eval()
# tokenizer = T5Tokenizer.from_pretrained("my-t5")
# explore_contrastive_search("summarize: Put a long text here.", model, tokenizer, max_length=60)
# ```
