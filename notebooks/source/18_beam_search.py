# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Beam search
#
# > **You will be able to** follow the beams of a search, and say which candidates live on, which end and which are dropped; say
# > which of the finished texts wins, and what `length_penalty` does to that; say when a search is done, and why not earlier.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `17_greedy_and_sampling`.
#
# <details><summary>Two questions from before: what does a model give for the next token? What does greedy decoding make of that?</summary>
#
# A distribution: a probability for each token. And it writes the likeliest one, each time, whatever may come after it.
# </details>
# <details><summary>Are you ready? A text has three tokens, with the probabilities one half, one half and one. How probable is it? And its logarithm?</summary>The product: one quarter. Its logarithm is the sum of the three logarithms, so nobody has to multiply.</details>
# <details><summary>Which is higher, minus six or minus seven? And minus six thirds, or minus seven sevenths?</summary>Minus six. And minus seven sevenths: that is minus one, and the other is minus two.</details>
#
# The likeliest text need not begin with the likeliest token. **Beam search** follows several texts at once, the **beams**. Each
# step tries every beam with every next token; of these **candidates** the best go on, by their sums of log-probabilities.
# All beams begin with the same start, so at first only one of them writes; the others are switched off. Step until two columns
# stand there: which beam will win? Then step to the end, type a sentence of your own after the colon, and move `num_beams`; penalty
# and stopping come below.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_beam_search import explore_beam_search
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
horse = "translate English to German: They drew the horse."
explore_beam_search(horse, model, tokenizer, num_beams=2, guess=True)

# %% [markdown]
# <details><summary>In the second step <code>▁haben</code> is ahead of <code>▁malte</code>. Why does it lose?</summary>
# What follows <code>▁haben</code> is still open: <code>gemalt</code> and <code>gezeichnet</code> share its probability. After
# <code>▁malte</code> nearly all is certain, so its sum hardly falls.
# </details>
#
# Here are the sums of what greedy decoding writes, and of the winner:
#
# <details><summary>Why is a sum minus a count times <code>score_target</code>?</summary>
# That function gives the loss of lesson <code>14</code>: the mean of the tokens' log-probabilities, with its sign turned. Times
# their number, with <code>&lt;/s&gt;</code>, it is their sum.
# </details>

# %%
from tokenlab.transformers.generation.trace.trace_beam_search import trace_beam_search
from tokenlab.transformers.models.t5.greedy_decode import greedy_decode_texts
from tokenlab.transformers.models.t5.trace.trace_token_losses import trace_token_losses

for german in (
    greedy_decode_texts(model, tokenizer, [horse])[0],
    *trace_beam_search(model, tokenizer, horse, num_beams=2).texts,
):
    print(f"{-len(tokenizer(german)['input_ids']) * trace_token_losses(model, tokenizer, horse, german):.2f}", german)

# %% [markdown]
# **What is second at one step can be first in the end**, if there is a beam that remembers it.
#
# ## Out of the search, into the pool
#
# A candidate that writes `</s>` is finished: a **hypothesis**. It leaves for the **pool**, which has as many places as there are
# beams; a better one pushes out the worst. As many beams as before have to go on, though: so twice as many candidates are looked
# at. Only the better half may send hypotheses to the pool; an end in the lower half is dropped. Step, and guess who wins.

# %%
houses = "translate English to German: I will draw three houses tomorrow."
trace_beam_search.record(model, tokenizer, houses)

# %% [markdown]
# Each token makes a sum lower, so by sums short texts would win. A hypothesis is ranked by its sum *divided by its length to the
# power of* `length_penalty`. Sums are negative, and dividing by more brings them nearer to zero. So a higher
# penalty favours the long, whatever its name says; at zero the sum decides. Length counts tokens, here with the start and
# without `</s>`. Texts with `zeichne` are long: this model spells it letter by letter.
#
# **The final ranking is not the search's ranking.** Type the sentence about the houses, with its prefix, into the first
# explorer, take four beams, and find three winners with `length_penalty`, also near zero.
#
# ## When is it done?
#
# The pool is full. Can something better come? The library divides the best sum of this step like a hypothesis', by the length so
# far: that is the **best hope**. In `4.26.1` all candidates count for it, also those that have just ended; so the step in which a
# good text ends is often not the last. If the worst in the pool is no worse, the search ends. With `early_stopping=True` a full pool
# is enough. And `"never"`?

# %%
flowers = "translate English to German: My father gave Anna three flowers."
for rule, counts in ((True, "prompt"), (False, "prompt"), ("never", "prompt"), ("never", "eos")):
    found = trace_beam_search.record(model, tokenizer, flowers, early_stopping=rule, length_counts=counts)
    print(f"{rule!s:<6} {counts:<7} {len(found) // 2} steps: {found.result.texts[0]} {found[-1].scores[0]:.3f}")

# %% [markdown]
# <details><summary>Why does the word <code>"never"</code> stop at once in one row, and late in another?</summary>
# <code>4.26.1</code> does not know it, and any word counts as true. Later versions do: they wait for whatever could still beat the
# worst, if it grew as long as it may. <code>False</code> lies between: it waits for the best hope, which divides by the length so
# far; a text that grows longer could still score better.
# <code>length_counts</code> is ours: with <code>"eos"</code> it is as in those versions (see below).
# </details>
#
# ## The function itself

# %%
from tokenlab import show
from tokenlab.algorithms.decoding.beam_step import candidate_status, select_beams
from tokenlab.algorithms.decoding.finished_hypotheses import hypothesis_score
from tokenlab.algorithms.decoding.stopping_rule import stopping_reason

show.source(select_beams, candidate_status, hypothesis_score, stopping_reason)

# %% [markdown]
# ## The same call on the production library
#
# What `generate` of `transformers` `4.26.1` answered is stored. Does ours answer the same?

# %%
import json

calls = json.loads((data.FOLDER / "t5_beams.json").read_text(encoding="utf-8"))
read = [tokenizer(call["text"], return_tensors="pt")["input_ids"] for call in calls]
ours = [model.generate(ids, max_length=40, **call["settings"]) for ids, call in zip(read, calls, strict=True)]
[ids.tolist() == call["ids"] for ids, call in zip(ours, calls, strict=True)].count(True), len(calls)

# %% [markdown]
# ## Where it breaks
#
# More beams look at more: are the texts better? What fills the gap stands in brackets.

# %%
gap = "The boy is reading a <extra_id_0> book in the garden."
for beams in (2, 4):
    found = trace_beam_search.record(model, tokenizer, gap, num_beams=beams)
    print(beams, f"{found[-1].scores[0]:.3f}", gap.replace("<extra_id_0>", f"[{found.result.texts[0]}]"))

# %% [markdown]
# A wider search mostly finds what the *model* scores higher, also where the model is wrong or likes to repeat: scores rise, and
# texts get worse.
#
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, eight minutes
#
# Two beams start as `[0]`, and `1` ends a text. These are the log-probabilities of `1, 2, 3`: after `[0]` they are
# `-1.5, -1, -2`; after `[0, 2]` they are `-1, -2, -3`; after `[0, 3]` they are `-2, -.5, -6`. What lives on after the first step, and after the
# second, best first? What is the score of the text that ends in the second step (penalty `1.0`; its length counts the start and not the
# end)? Without early stopping, is the search over then?

# %% tags=["practice"]
from tokenlab import check

my_first, my_second = ..., ...  # for example [[0, 1], [0, 2]], [[0, 1, 2], [0, 2, 3]]
my_score, my_done = ..., ...  # for example -2.5, True; 2 decimal places are enough

check.beams_by_hand(my_first, my_second, my_score, my_done)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which candidates are the best of each step, twice as many as there are beams? Which of them end?</details>
# <details><summary>Hint: a smaller example</summary>In the first step one beam is switched off. The other one's three candidates are <code>[0, 2]</code>, the end, and <code>[0, 3]</code>, in this order; the fourth place does not matter.</details>
# <details><summary>Hint: the shape</summary>In the second step add what a beam has to what its token adds, six times. The pool has two texts then: compare its worse score with that of the best candidate.</details>
#
# ### Find the bug · medium, six minutes
#
# `top_k_only` looks at as many candidates as there are beams. Two beams have the sums `0` and `-1`; the token `1` ends a text.
# Write for each beam a row of log-probabilities of `0, 1, 2`, so that too few live on.

# %% tags=["practice"]
from tokenlab.misconceptions.beam_search import top_k_only

my_rows = ...  # for example [[-1, -9, -2], [-5, -9, -6]]

check.bug(top_k_only, my_rows)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many beams go on, if one of the two best candidates ends?</details>
# <details><summary>Hint: a smaller example</summary>If the token <code>1</code> is unlikely for both, the two best go on, and nothing is wrong.</details>
# <details><summary>Hint: the shape</summary>The middle number of a row should be the nearest to zero.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_candidates` puts the sums of all beams with all tokens in one long list, first those of the beam `0`. It takes the best
# places, and says of each its beam, its token and its sum.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_candidates(sums, rows):
    totals = [before + log_p for before, row in zip(sums, rows, strict=True) for log_p in row]
    best = sorted(range(len(totals)), key=lambda place: -totals[place])[:...]
    return [(..., totals[place]) for place in best]


check.beam_candidates(my_candidates)

# %% [markdown]
# <details><summary>Hint: a question</summary>With three tokens, whose candidate stands at the place four? Which token is it?</details>
# <details><summary>Hint: a smaller example</summary>One beam with the rows <code>[[-1, -2]]</code> and the sum <code>0</code> has the candidates <code>(0, 0, -1)</code> and <code>(0, 1, -2)</code>.</details>
# <details><summary>Hint: the shape</summary>The second gap takes two values, or <code>*divmod(...)</code>.</details>
#
# ### Write it · harder, twelve minutes
#
# Now the step. `beams` are lists of ids. `candidates` are `(beam, token, sum)`, best first, twice as many as there are beams.
# Return two lists of pairs `(ids, sum)`: what lives on, and what ends, without its end.


# %% tags=["practice"]
def my_step(beams, candidates, eos):
    # Return a pair of lists, (living, ended).
    return ...


check.beam_step(my_step)

# %% [markdown]
# <details><summary>Hint: a question</summary>Does an ending count that is among the candidates, but not among the best, as many as there are beams?</details>
# <details><summary>Hint: a smaller example</summary>One beam <code>[0]</code>, the end <code>1</code>, and the candidates <code>(0, 1, -1), (0, 7, -2)</code>: <code>[0, 7]</code> lives on with its sum, and <code>[0]</code> ends with its own.</details>
# <details><summary>Hint: the shape</summary>A loop over <code>enumerate(candidates)</code>. The first question is whether the token is <code>eos</code>; then each side has a limit of its own.</details>
#
# ### Another rule · harder, eight minutes
#
# Today the library counts differently: a length is that of what was *written*, with the end and without the `prompt`, the ids
# that stood there before. `hypotheses` are pairs `(ids, sum)`; the ids have the prompt in front and the end behind. Return the
# ids of the one that wins.


# %% tags=["practice"]
def my_winner(hypotheses, prompt, length_penalty):
    # prompt says how many ids stood there before.
    return ...


check.beam_winner(my_winner)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of two negative scores is the higher one?</details>
# <details><summary>Hint: a smaller example</summary>After a prompt of one id, <code>[0, 5, 1]</code> has the length two. With the penalty <code>0</code> nothing is divided.</details>
# <details><summary>Hint: the shape</summary><code>max</code> with a key; <code>**</code> is the power.</details>
#
# ## Before you leave
#
# <details><summary>Somebody starts all beams with the sum zero. What do they write?</summary>
# All the same, for they read the same: each step's candidates come in equal copies. It is one greedy run, paid for several times.
# </details>
# <details><summary>Outputs are too short. Which way do you move length_penalty, and what can that not mend?</summary>
# Up. It ranks what has ended; it lets no beam live that the sums have dropped, and the sums know no length.
# </details>
# <details><summary>Why are twice as many candidates looked at as there are beams?</summary>
# Each beam has one candidate that ends it. Even if all of these are the best, as many are left to go on.
# </details>
#
# **What stays.** Beams compete by their sums, so what is second now may win later. What ends goes to a pool, and is ranked by its
# sum over a power of its length. The search ends when the pool is full and its worst no worse than the best hope.
#
# **Read on.** Felix Stahlberg and Bill Byrne, *On NMT Search Errors and Model Errors: Cat Got Your Tongue?*. Next lesson:
# `19_group_and_constrained_beams`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### How long is a text?
#
# `4.26.1` counts what was written and what stood there before, the *prompt*, but no `</s>`. With a start alone that comes to the
# same as today's rule, which counts what was written, and `</s>`. But let the model go on from a first word, as you would from a
# long prompt: each text gains the same length, so its sum is divided by too much, and the long ones lose what made them better.

# %%
import torch

black = "translate English to German: The teacher repaired the black bicycle last week."
start = torch.tensor([[model.config.decoder_start_token_id, tokenizer.convert_tokens_to_ids("▁Die")]])
for counts in ("prompt", "eos"):
    found = trace_beam_search.record(model, tokenizer, black, length_counts=counts, decoder_input_ids=start)
    print(f"{counts:<7}", [f"{score:.4f}" for score in found[-1].scores[:2]], found.result.texts[0])

# %% [markdown]
# Since `4.36`, `transformers` counts as in the second row. Look at both searches side by side: candidates and sums are the same, the
# pool is not. Nor is the best hope: today only beams that go on count for it, so one search is done a step earlier.

# %%
found.diff(trace_beam_search.record(model, tokenizer, black, decoder_input_ids=start))

# %% [markdown]
# ### What fills up the shorter text?
#
# Outputs of several texts are rows of one table, so the shorter ones are filled up: with `<pad>`, whose id is `0` in a T5. For beams,
# `5.x` takes `pad_token_id or eos_token_id`. What does that give, where the left one is `0`? The two rows are ours, and theirs.

# %%
both = tokenizer([horse, black], return_tensors="pt", padding=True)
shorter = model.generate(**both, num_beams=2, max_length=40)[0].tolist()
end = shorter.index(tokenizer.eos_token_id) + 1
for fill in (tokenizer.pad_token_id, tokenizer.pad_token_id or tokenizer.eos_token_id):
    print(*tokenizer.convert_ids_to_tokens(shorter[1:end] + [fill] * len(shorter[end:])))

# %% [markdown]
# A zero counts as nothing there, so the text ends again and again. Whoever looks for `<pad>` to find its end does not find it;
# the first `</s>` is the end in both.
#
# ### A penalty that goes too far
#
# With a high penalty and nobody who ends the search, what is long always wins. How does that read?

# %%
for penalty in (1.0, 5.0):
    print(penalty, trace_beam_search(model, tokenizer, horse, 4, penalty, "never", length_counts="eos").texts)

# %% [markdown]
# ### Repeating is likely
#
# Once a model has said something twice, it expects it a third time; a sentence that it does not know brings that out. Each repetition is
# cheap, so a wide search likes it. The text of eight beams never ends: it is cut off at forty tokens, and dividing
# by forty makes it win. A `repetition_penalty` makes less likely what was already written.

# %%
love = "translate English to Chinese: I love you."
for beams, penalty in ((2, 1.0), (8, 1.0), (8, 3.0)):
    found = trace_beam_search.record(model, tokenizer, love, num_beams=beams, repetition_penalty=penalty)
    total, length = found[-1].totals[0], len(found[-1].ids[0])
    print(beams, penalty, f"{total:.2f} / {length} = {total / length:.3f}", found.result.texts[0])

# %% [markdown]
# ### A beam goes on from its parent
#
# The note's loop puts the new tokens behind the beams *as they stand*. But two candidates may come from the same beam, and none from
# another: ids and cache have to be the parent's. Here both come from the second beam; what do the notes write?

# %%
from tokenlab.algorithms.decoding.beam_candidates import Candidate
from tokenlab.misconceptions.beam_search import no_reorder

given = [("Sie", "haben"), ("Sie", "malten")], [Candidate(1, "das", -1.0), Candidate(1, "ein", -2.0)], "</s>"
{program.__name__: program(*given)[0] for program in (no_reorder, select_beams)}

# %% [markdown]
# ### The library's own loop
#
# All beams are rows of one batch. Sums are added, all candidates laid in one row, the best taken; a place in that row is a beam times
# the size of the vocabulary, plus a token. Where is the parent's cache taken?

# %%
from tokenlab.transformers.generation.loops.beam_decoding_state import BeamDecodingState
from tokenlab.transformers.generation.loops.beam_search_loop import beam_loop, beam_search

show.source(beam_search, BeamDecodingState.best_candidates, beam_loop)

# %% [markdown]
# ### What else the notes got wrong
#
# What is switched off begins with minus a billion, not with minus infinity: that, taken from itself, or a whole row of it in a
# softmax, gives `nan`. With two eos ids twice the candidates may be too few; `4.26.1` then raises an error. The search is not done while the pool
# has a free place; a tie between the worst and the best hope ends it. Beams that have not ended join the pool only if the search
# was cut off before it was done. And the scorer refuses a single beam, though that would be greedy decoding:

# %%
from tokenlab.transformers.generation.beams.beam_scorer import BeamSearchScorer

try:
    BeamSearchScorer(batch_size=1, num_beams=1, device="cpu")
except ValueError as error:
    print(error)
