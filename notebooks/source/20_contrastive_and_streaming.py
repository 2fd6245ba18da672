# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Contrastive search and streaming
#
# > **You will be able to** say why a text goes in circles, and compute which candidate gets it out; choose `penalty_alpha`, and say
# > what it costs; say what a streamer may show when a token comes, and what it has to hold.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `19_group_and_constrained_beams`.
#
# <details><summary>Two questions from before: what does greedy search write? How can a token be made less likely?</summary>
#
# The likeliest token, each time. And by taking from its score before the choice: a penalty, at this step, on purpose.
# </details>
# <details><summary>Are you ready? Two arrows point the same way, one twice as long. What is the cosine of the angle between them? And at a right angle?</summary>One: the lengths do not matter. At a right angle it is zero, and minus one if they point opposite ways.</details>
#
# Here greedy search goes in circles: read what it writes. **Contrastive search** does not. Step through. Then move
# `penalty_alpha`, and look at the last step each time: where do circles begin? When is the text about nothing?

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_contrastive_search import explore_contrastive_search
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
circles = "past tense: The man sings of bread and milk of the house."
explore_contrastive_search(circles, model, tokenizer)

# %% [markdown]
# <details><summary>What does it write with each <code>penalty_alpha</code>?</summary>
#
# Up to <code>0.1</code> it goes in circles. From <code>0.2</code> to <code>0.6</code> it writes *The man was very.* At <code>0.7</code> it is *They was very.*
# At <code>0.8</code>: *They were chank fresh.* Beyond that it is about nothing. People mostly take <code>0.6</code>.
# </details>
#
# Nobody taught this model to sing. If it writes `▁` once more, its place is so like that of the last `▁` that, again, `very`
# follows. With `penalty_alpha` at zero, the bar of its *degeneration penalty* soon comes to one.
#
# ## Likeness to one's own past
#
# What the last layer gives for a place is its **state**, a vector. Where two states point the same way, the model is about to say
# the same. So contrastive search takes the `top_k` likeliest tokens, and reads each of them as if it had been chosen. Its state is
# compared with the state of *every* place so far. Their **likeness** is the cosine of their angle: the sum of products, divided by
# both lengths, as in `(3*6 + 4*8) / (5*10)`. The largest one is the **degeneration penalty**. `penalty_alpha` is the penalty's
# share: a score is the probability times `1 - penalty_alpha`, less the penalty times `penalty_alpha`. Which is written here?

# %%
from tokenlab.algorithms.decoding.contrastive import contrastive_select

contrastive_select.record(probabilities=[0.6, 0.4], states=[[3, 4], [4, -3]], past=[[6, 8], [1, 0]], alpha=0.6)

# %% [markdown]
# The first one is likelier, but its state points exactly where an earlier one did. **A text degenerates because it is like its own
# past, and that can be measured before a token is written.**
#
# ## What does it cost?
#
# A token that has to come may be like an earlier one. How many sentences are still translated rightly? Beside the number stands what
# becomes of *The boy found the old hat yesterday.*

# %%
g, asked = data.grammar(), list(data.grammar().sentences())[::5000]
batch = tokenizer([g.TO_GERMAN + english for english in asked], padding=True, return_tensors="pt")
for alpha in (0.3, 0.6, 0.8, 1.0):
    answers = tokenizer.batch_decode(model.generate(**batch, max_length=20, penalty_alpha=alpha, top_k=4), True)
    print(alpha, sum(map(g.is_right, asked, [g.TO_GERMAN] * len(asked), answers)), "of", len(asked), answers[10])

# %% [markdown]
# At `0.6` the boy is lost. Even a sure token loses if it is more like the past than its rival by more than two thirds; at `0.8`, by
# more than a quarter. With a share of one, probability only says who the candidates are.
#
# ## A token is not a character
#
# A **streamer** shows a text while it is still being written. But tokens may be parts of characters: not those of our T5, but of an
# encoding of bytes, as here. `日` is one token, and `ï`, `語` and `🙂` come in several. What may be shown after the first of several? Step, and
# guess; then type your own text, or choose *one byte a token*.

# %%
from tokenlab.show.explorers.explore_streaming import explore_streaming
from tokenlab.tiktoken.local_encoding import load_local_encoding

small = load_local_encoding(data.FOLDER / "small.tiktoken")
explore_streaming("naïve 日本語 🙂 � ok �", small)

# %% [markdown]
# Bytes that only begin a character are **held** until it is whole. What comes out is never taken back, and in the end all of it
# is the text. Two ways fail. Decoding each token by itself shows `�`, the sign for damage, where nothing is damaged. Waiting while the
# text ends in `�` shows a real `�` late, and one at the very end never. (The last row comes later.)
#
# <details><summary>A flag comes out as a letter, and a moment later as a flag. Was something taken back?</summary>
# No. What is one sign on your screen may be several characters; a flag is two. They come one by one, and the screen draws them as one.
# </details>
#
# ## The function itself
#
# `LONGEST` is four: no character has more bytes.

# %%
from tokenlab import show
from tokenlab.algorithms.decoding.contrastive import degeneration_penalty, cosine_similarity
from tokenlab.algorithms.decoding.incremental_utf8 import split_complete, is_incomplete

show.source(contrastive_select, degeneration_penalty, cosine_similarity, split_complete, is_incomplete)

# %% [markdown]
# ## The same call on the production library
#
# What contrastive search of `transformers` `4.26.1` wrote is stored. Does ours write the same ids?

# %%
import json

calls = json.loads((data.FOLDER / "t5_contrastive.json").read_text(encoding="utf-8"))
read = [tokenizer(call["text"], return_tensors="pt").input_ids for call in calls]
ours = [model.generate(ids, max_length=40, **call["settings"]) for ids, call in zip(read, calls, strict=True)]
[ids.tolist() == call["ids"] for ids, call in zip(ours, calls, strict=True)].count(True), len(calls)

# %% [markdown]
# ## Where it breaks
#
# A T5 has another trouble: its blanks. The library's own `TextStreamer` (since `4.28`) goes by words: it shows a text up to its last
# blank, or up to a Chinese character. Our `StablePrefixStreamer` waits for more. One goes wrong: where?

# %%
from tokenlab.transformers import StablePrefixStreamer, TextStreamer

chinese = tokenizer("translate English to Chinese: She does not have a small dog.", return_tensors="pt").input_ids
for streamer in (TextStreamer(tokenizer), StablePrefixStreamer(tokenizer)):
    print(f"{type(streamer).__name__:<14}", end=" ")
    output = model.generate(chinese, max_length=40, streamer=streamer)
print(f"{'the text':<14}", tokenizer.decode(output[0]))

# %% [markdown]
# At the end of the text, `</s>` brings a blank to its beginning, behind `<pad>`: so all of it moves by one. What was shown cannot
# move, and a character is shown twice. With `skip_special_tokens=True` nothing moves here.
#
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# Two tokens are written; their states are `0, 1` and `1, 0`. Two candidates have the probabilities `0.7` and `0.2` and the states `3, 4` and `-1, 0`;
# `alpha` is `0.5`. What is the degeneration penalty of the first candidate? Which one is written, `0` or `1`? And: the bytes of `🙂` come in
# two tokens, then comes `!`. What does each of the three tokens add to the screen?

# %% tags=["practice"]
from tokenlab import check

my_penalty, my_choice, my_texts = ..., ..., ...  # for example 0.5, 0, ["a", "b", "!"]; 2 decimal places are enough

check.choice_and_text(my_penalty, my_choice, my_texts)

# %% [markdown]
# <details><summary>Hint: a question</summary>How long is the first candidate's state? Can half a character be shown?</details>
# <details><summary>Hint: a smaller example</summary>The state <code>4, 3</code> is like <code>1, 0</code> by four fifths, and like <code>0, 1</code> by three. A text that is not there yet is <code>""</code>.</details>
# <details><summary>Hint: the shape</summary>The penalty is the largest of two likenesses. A score is half the probability less half the penalty. Three texts in quotes.</details>
#
# ### Find the bug · medium, five minutes
#
# `decode_each_token` makes text of each token by itself. Find tokens, as bytes, for which it shows something else than what was written.

# %% tags=["practice"]
from tokenlab.misconceptions.streaming import decode_each_token

my_tokens = ...  # for example [b"a", b"b"]

check.bug(decode_each_token, my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which characters have more than one byte? What is half of one?</details>
# <details><summary>Hint: a smaller example</summary><code>"é".encode()</code> gives two bytes. As one token they do no harm.</details>
# <details><summary>Hint: the shape</summary>A list of bytes that together are a text, cut at a place where no character ends: <code>[data[:1], data[1:]]</code>.</details>
#
# ### Complete two lines · medium, five minutes
#
# `my_cosine_similarity` gives the cosine of the angle between two vectors, however long they are.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_cosine_similarity(left, right):
    lengths = [... for vector in (left, right)]
    return ... / (lengths[0] * lengths[1])


check.cosine_similarity(my_cosine_similarity)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which likeness should a vector and its double have?</details>
# <details><summary>Hint: a smaller example</summary>The vector <code>3, 4</code> has the length <code>5</code>. Its likeness to <code>4, 3</code> is <code>0.96</code>.</details>
# <details><summary>Hint: the shape</summary>Both lines add up products: of a number with itself, and then a root (<code>** 0.5</code>); of a number in <code>left</code> with the one at the same place in <code>right</code>.</details>
#
# ### Write it · harder, ten minutes
#
# Which candidate is written? Its score is `1 - alpha` times its probability, less `alpha` times the largest likeness to a state so far.


# %% tags=["practice"]
def my_choice(probabilities, states, past, alpha):
    # states has a vector for each candidate, past one for each token that is written.
    # Return the place of the best candidate, counted from zero.
    return ...


check.contrastive_choice(my_choice)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many likenesses does one candidate have? How many penalties?</details>
# <details><summary>Hint: a smaller example</summary>With <code>alpha</code> zero the most probable candidate is written, whatever the states are.</details>
# <details><summary>Hint: the shape</summary>A list of scores, made with <code>zip</code> and <code>max(my_cosine_similarity(...) for ...)</code>; then <code>scores.index(max(scores))</code>.</details>
#
# ### Another rule · harder, twelve minutes
#
# `held` has all bytes that are not shown yet: whole characters, and perhaps the beginning of one more. What is shown now, and what is held on? The text may
# have a `�` of its own.


# %% tags=["practice"]
def my_ready(held):
    # Return a pair: a text, and bytes.
    return ...


check.ready(my_ready)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many bytes of a character can be there at most, if one is missing? What does <code>bytes.decode</code> do with half a character?</details>
# <details><summary>Hint: a smaller example</summary>Of <code>b"a\xc3"</code> the <code>a</code> is shown and <code>b"\xc3"</code> held. Of the three bytes of <code>�</code> all are shown.</details>
# <details><summary>Hint: the shape</summary>Try to decode all bytes; if that raises <code>UnicodeDecodeError</code>, all but the last; then all but the last two, and three.</details>
#
# ## Before you leave
#
# <details><summary>With a share of zero, which search is it? And with one candidate?</summary>
# Greedy search, both times: the probability alone decides, or there is nothing to decide. (<code>generate</code> refuses to be asked for contrastive
# search with one candidate; <code>4.26.1</code> searches greedily without a word.)
# </details>
# <details><summary>Why is the largest likeness taken, and not the mean?</summary>
# One earlier place to which it is like is enough to go round again, and a long past would hide it in a mean.
# </details>
# <details><summary>A chat shows a replacement sign, and a moment later a face in its place. What does its author do wrong?</summary>
# Whole texts are decoded and shown at once, torn characters among them. They should be held until their bytes are whole.
# </details>
#
# **What stays.** Contrastive search writes, of the likeliest tokens, the one with the best score: its probability, less the largest
# likeness of its state to one so far, each by its share. A streamer holds the bytes that begin a character, and shows what is whole.
#
# **Read on.** Yixuan Su and others, *A Contrastive Framework for Neural Text Generation*. There is no lesson `20` yet.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Other ways out of the circles
#
# You know other ways: a penalty, forbidden runs, and beams. What does each make of the sentence? The repetition penalty takes from every
# token that was written, `▁` among them, which begins every word that has to be spelled. `no_repeat_ngram_size` lets no run of three
# tokens come twice, good or bad. Beams write what greedy search writes, circles and all.

# %%
ids = tokenizer(circles, return_tensors="pt").input_ids
for settings in ({"repetition_penalty": 1.5}, {"no_repeat_ngram_size": 3}, {"num_beams": 4}, {"penalty_alpha": 0.6}):
    print(f"{settings!s:<30}", tokenizer.decode(model.generate(ids, max_length=30, **settings)[0], True))

# %% [markdown]
# ### A sure token that loses
#
# After *Gestern hat* the boy has to come, with its article `▁der`. Step to its place, and see what it is like.

# %%
from tokenlab.transformers.generation.trace.trace_contrastive import trace_contrastive_search

trace_contrastive_search.record(model, tokenizer, g.TO_GERMAN + asked[10], penalty_alpha=0.6, top_k=4)

# %% [markdown]
# `▁der` is most like `▁hat`, another word altogether: states are compared, not tokens.
#
# ### When it does not help
#
# The penalty looks at the candidates and at nothing else. Where all of them are like the past, or the rest is improbable, the circles
# stay. More candidates bring something new, and hardly better: the model knows nothing about these dogs.

# %%
dogs = tokenizer("summarize: Two dogs dreams of water because the man is old.", return_tensors="pt").input_ids
for top_k in (2, 4, 16, 50):
    written = model.generate(dogs, max_length=40, penalty_alpha=0.6, top_k=top_k)
    print(f"{top_k:>2}", tokenizer.decode(written[0], skip_special_tokens=True))

# %% [markdown]
# ### The library's own loop
#
# All candidates of all texts are read in one batch, with the cache: each row of the cache is there `top_k` times, and of each of these
# groups one is kept. So a step costs one pass through the model, but with more rows. Where is the state of the start taken?
#
# <details><summary>Where?</summary><code>state.next_token_logits_and_states(input_ids)</code>, before the loop: it reads the start alone, and its state is the first that candidates are compared with.</details>

# %%
from tokenlab.transformers.generation.loops.contrastive_search_loop import contrastive_search

show.source(contrastive_search)

# %% [markdown]
# ### What is ignored
#
# The search has no chance in it and no beams. `4.26.1` ignores such settings silently; the kit warns. (Two outputs for one text
# are an error in both.)

# %%
import warnings

with warnings.catch_warnings(record=True, action="always") as caught:
    for ignored in ({"num_beams": 2}, {"do_sample": True}, {"top_k": 1}, {"penalty_alpha": 2.0}):
        model.generate(ids, max_length=30, **{"penalty_alpha": 0.6, **ignored})
print(*[warning.message for warning in caught], sep="\n")

# %% [markdown]
# ### Who reads while it is written?
#
# `generate` returns when all is done. A `TextIteratorStreamer` hands the text on meanwhile: `generate` runs in a thread of its
# own and fills a queue, and a loop here empties it. Our steady one hands on a part whenever something has become certain.

# %%
from threading import Thread
from tokenlab.transformers import StablePrefixIteratorStreamer, TextIteratorStreamer

for kind in (TextIteratorStreamer, StablePrefixIteratorStreamer):
    streamer = kind(tokenizer, timeout=60, skip_special_tokens=True)
    wanted = {"streamer": streamer, "penalty_alpha": 0.6, "max_length": 30}
    Thread(target=model.generate, args=(ids,), kwargs=wanted).start()
    print([part for part in streamer if part])

# %% [markdown]
# If `generate` fails in its thread, nobody fills the queue: without a `timeout` the loop would wait for ever.
#
# ### From tokens to text, whatever the tokens are
#
# Not every tokenizer can say which bytes a token has. Our `IncrementalDetokenizer` needs a `decode` alone: it holds signs for damage at the end of a text, but
# for three tokens at most, for no character has more bytes than four. (It also holds a blank that `decode` may still take away, as
# that of a T5 may.) Here come a real `�`, in three tokens, an `é`, in two, and four bytes that no character has; `end` gives the rest.

# %%
from tokenlab.transformers.generation.incremental_detokenizer import IncrementalDetokenizer

detokenizer = IncrementalDetokenizer(small)
torn = small.encode("�") + small.encode("é") + [small.encode_single_token(b"\xff")] * 4
[detokenizer.put([id]) for id in torn], detokenizer.end()

# %% [markdown]
# ### Whose are the tokens?
#
# A note says that streaming is for one text alone. That is what `TextStreamer` says, when it is given two. `generate` itself gives
# a streamer of yours the tokens of all texts, step by step; with beams it refuses, for nothing is certain there until the end.

# %%
from tokenlab.transformers import BaseStreamer


class Shapes(BaseStreamer):
    put = staticmethod(lambda tokens: print(tuple(tokens.shape), end=" "))
    end = staticmethod(lambda: print("end"))


model.generate(**batch, max_length=8, streamer=Shapes()).shape

# %% [markdown]
# ### What else the notes got wrong
#
# The note's own example of a streamer does not run: it asks for `token` where it made `tokens`; it goes on from the wrong place, and
# never ends; and it builds a `TextIteratorStreamer`, which prints nothing, where it promises a `TextStreamer`. This is the loop that was
# meant. (Of contrastive search the note has no formula. With the cache only the new token is read, not the whole text again.)

# %%
tokens, streamer = small.encode("the player was unhappy"), TextStreamer(small)
for place in range(0, len(tokens), 2):
    streamer.put(tokens[place : place + 2])
streamer.end()

# %% [markdown]
# Contrastive search has left `transformers` since: `5.x` fetches it as a program from the hub, if you allow that.
#
# ### More practice: who puts the start there · easy, five minutes
#
# The word *Hello* comes to a decoder through three doors. From the tokenizer: without a start, for a T5's tokenizer writes none. From `generate` itself: with one. And as `decoder_input_ids`
# of your own: as you made them. (`4.26.1` takes those as they are; `5.x` puts a start in front of what does not begin with it.) Write that rule: the start stands in
# front, once.


# %% tags=["practice"]
def my_start(ids, start):
    return ...


check.start_once(my_start)

# %% [markdown]
# <details><summary>Hint: a question</summary>What should come out if nothing is given at all?</details>
# <details><summary>Hint: a smaller example</summary>With the start <code>0</code> both <code>8, 9</code> and <code>0, 8, 9</code> become <code>0, 8, 9</code>.</details>
# <details><summary>Hint: the shape</summary>One condition on the first place; <code>ids[:1]</code> is a list, also if there is none.</details>
