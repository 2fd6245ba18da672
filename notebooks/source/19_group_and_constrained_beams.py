# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Groups of beams, and words that are forbidden or demanded
#
# > **You will be able to** say why beams are alike, and what makes groups of them differ; forbid a word in all its spellings;
# > demand one, and say what that cost.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `18_beam_search`.
#
# <details><summary>Two questions from before: by what does beam search rank while it goes on? And in the end?</summary>
#
# By sums of log-probabilities. And by these sums, each divided by a power of its length.
# </details>
# <details><summary>Are you ready? A number is subtracted from the logarithm of a probability. What happens to the probability? And if that number grows without end?</summary>It is divided: by <code>e</code>, if one is subtracted. And it comes to nothing: the logarithm of zero is minus infinity.</details>
#
# Each of these four beams is a **group** of its own, and groups choose in turn. Look at the table, step, guess. Then move the
# penalty: from where on do all four differ? Where does the mean suffer?

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_group_beam_search import explore_group_beam_search
from tokenlab.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
source = "translate English to German: My friend will draw the flower this evening."
ids = tokenizer(source, return_tensors="pt").input_ids
explore_group_beam_search(source, model, tokenizer)

# %% [markdown]
# <details><summary>From where on do they differ?</summary>From the first stop above zero on. The mean falls little by little, and suddenly past four: from there on a group has to write <i>eine Blume</i>, a flower. Eight beams can be four groups, too.</details>
#
# Why are plain beams alike? A text that differs in one word has nearly the same sum, so variants of the best one push out what
# is different. Groups alone do not help: each would find the same (second row).
#
# **So at each step a token costs a group the penalty once for every beam of an earlier group that has just chosen it.** It is not
# forbidden: what is likely enough is still chosen. And the next step begins without it.
#
# <details><summary>The last group has by far the lowest score, and a right translation. How can that be?</summary>
# What it has paid stays in its sum, and is divided by the length with it. The last frames have the model's own score, too.
# </details>
#
# ## The function itself
#
# Only the token at this place counts: *Hamming* compared words place by place.

# %%
from tokenlab import show
from tokenlab.transformers.generation import HammingDiversityLogitsProcessor

show.source(HammingDiversityLogitsProcessor.__call__)

# %% [markdown]
# ## To forbid is to take all
#
# `bad_words_ids` has a list of ids for each word. Where the next token would end one, its score becomes minus infinity; for a
# word of one token, always.
#
# 老师 is *teacher*, 医生 *doctor*. 老师 is forbidden as the tokenizer writes it, then also as a bare token. Which of the three
# translations still has it?

# %%
given = tokenizer("translate English to Chinese: The teacher has a cat.", return_tensors="pt").input_ids
spellings = [tokenizer("老师", add_special_tokens=False).input_ids, [tokenizer.convert_tokens_to_ids("老师")]]
for words in (None, spellings[:1], spellings):
    written = model.generate(given, bad_words_ids=words, max_length=20)[0]
    print(words, tokenizer.convert_ids_to_tokens(written.tolist()))

# %% [markdown]
# The first list forbids nothing here. The tokenizer puts a blank in front, and `▁老师` has another id than `老师`. **A word is a
# text; what is forbidden is a list of ids.** Every spelling has to be forbidden, and one is still missing.
#
# <details><summary>Which spelling is missing?</summary><code>[779, 743]</code>: 老 and 师 are tokens, too. The model could still write the word with these two. Here it did not: the next best was another word, 医生. Add the list to <code>spellings</code>, and run the cell again: nothing changes. (The blank is a token, too, and may stand in front of each; but a list also forbids what ends in it.)</details>
#
# ## To demand is to keep a place
#
# A demanded word may be unlikely at every step, so each beam is also offered what goes on with the demand. By score this would lose.
# So candidates that have come equally far compete only with one another, in a **bank**, and banks take turns, the fullest first. A
# whole demand counts as much as the longest has tokens; a begun one, that less what is missing.
#
# A comma parts demands; with `|` between words, one is enough. Step and guess until a text is in the pool. Will it win?
#
# <details><summary>Does it win, and why does the search go on?</summary>It does: what comes later is far less likely. But the pool wants as many texts as there are beams, each with all that is demanded.</details>

# %%
from tokenlab.show.explorers.explore_constrained_beam_search import explore_constrained_beam_search

explore_constrained_beam_search(source, "Freund, zeichnen | malt", model, tokenizer)

# %% [markdown]
# In `force_words_ids` a phrase is a list of ids, alternatives are a list of lists.
#
# **Now demand `Freund, malt`.** *Heute Abend malt mein Freund die Blume* has both. At which token is it lost? Take eight beams.
#
# <details><summary>Where is it lost, and why?</summary>
# At the fourth. The highest bank sends two that nobody would write, so a single place is left to those that have one word. It goes
# to <code>▁meine</code>; <code>▁mein</code>, the way to the right text, is second. A place that is kept is a place less for others.
# With eight beams there is room.
# </details>
#
# ## The price
#
# How much lower is the sum of the log-probabilities than without the demand? Which words become cheaper with more beams?

# %%
from tokenlab.transformers.generation.trace.trace_constrained_beam_search import trace_constrained_beam_search

for word in ("Blume", "Mein Freund", "zeichnet", "Meine", "Katze"):
    for beams in (4, 16):
        search = trace_constrained_beam_search.record(model, tokenizer, source, word, num_beams=beams)
        price = search[0].total - search[-1].hypotheses[0].total
        print(f"{price:6.2f} {word:11} {beams:2} beams: {search.result.texts[0]}")

# %% [markdown]
# What is there anyway costs nothing. A word that a right text has costs little, if that text is found: with four beams *zeichnet*
# and *Meine* were squeezed in. No right text has *Katze*, a cat: more beams do not help.

# %% [markdown]
# ## The same call on the production library
#
# The answers of `transformers` `4.26.1` with this model are stored. Do ours agree?

# %%
import json
import torch

for call in json.loads((data.FOLDER / "t5_groups.json").read_text(encoding="utf-8")):
    given = tokenizer(call["text"], return_tensors="pt").input_ids
    ours = model.generate(given, return_dict_in_generate=True, output_scores=True, **call["settings"])
    same = torch.allclose(ours.sequences_scores, torch.tensor(call["scores"]), atol=1e-4)
    print(same and ours.sequences.tolist() == call["sequences"], call["settings"])

# %% [markdown]
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# Three groups of one beam choose in turn. All see the scores `-1, -2, -4` of the ids `0, 1, 2`, and the penalty is
# `2`. What do they choose? What is the score of the third group's choice, penalty included? And: the phrases `1 2 5` and `7 8` are
# demanded, and `7` is written first. In which bank is that beam?

# %% tags=["practice"]
from tokenlab import check

my_tokens, my_score, my_bank = ..., ..., ...  # for example (0, 1, 2), -4, 1

check.groups_and_bank(my_tokens, my_score, my_bank)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is left of each score when the third group's turn comes? What is left to write of the phrase that has begun?</details>
# <details><summary>Hint: a smaller example</summary>With scores <code>-1, -9</code> all three groups choose <code>0</code>, although it costs more each time.</details>
# <details><summary>Hint: the shape</summary>Write the three scores down once for each group, and cross out two points for each choice before. A whole phrase counts as much as the longest one has tokens, and the one that is begun that number less what is left of it.</details>
#
# ### Find the bug · medium, five minutes
#
# `ban_one_tokenization` should give all lists of pieces that write a word, alone or behind a blank. It knows one. Find a word
# and a vocabulary that have more. (`▁` is the blank in front of a word.)

# %% tags=["practice"]
from tokenlab.misconceptions.constraints import ban_one_tokenization

my_word, my_pieces = ..., ...  # for example "tea", ["tea"]

check.bug(ban_one_tokenization, my_word, my_pieces)

# %% [markdown]
# <details><summary>Hint: a question</summary>In how many ways can your pieces write the word, behind a blank and without one?</details>
# <details><summary>Hint: a smaller example</summary>With the one piece <code>tea</code> there is one way. Add a piece that makes a second.</details>
# <details><summary>Hint: the shape</summary>A word in quotes, and a list of pieces in quotes; for example a whole word, and two halves of it.</details>
#
# ### Complete two lines · medium, five minutes
#
# `my_penalized_logits` gives the scores that a later group sees: each id loses `penalty` once for every beam of an earlier group
# that chose it at this step.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_penalized_logits(scores, chosen, penalty):
    counts = [... for id in range(len(scores))]
    return [... for score, count in zip(scores, counts, strict=True)]


check.penalized_logits(my_penalized_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>How often does an id stand in <code>chosen</code>?</details>
# <details><summary>Hint: a smaller example</summary>Where two beams have chosen the same id, it loses twice the penalty; all others keep their scores.</details>
# <details><summary>Hint: the shape</summary>Lists have <code>count</code>. The second line subtracts a product.</details>
#
# ### Write it · harder, ten minutes
#
# How many tokens of a demanded phrase are there after these tokens? Each token either goes on with the phrase, or the phrase begins
# anew with the **next** one. What is whole stays whole.


# %% tags=["practice"]
def my_progress(phrase, tokens):
    return ...


check.phrase_progress(my_progress)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which token of the phrase is waited for, if so many are there? And if all are there?</details>
# <details><summary>Hint: a smaller example</summary>For the phrase <code>1 2</code> and the tokens <code>1 1 2</code> nothing is there at the end: the second <code>1</code> broke it, and was not tried again.</details>
# <details><summary>Hint: the shape</summary>A number that begins at zero and a loop over the tokens: one more, or back to zero; and nothing, once it is as long as the phrase.</details>
#
# ### Another rule · harder, twelve minutes
#
# Candidates have banks and scores. In which order are they taken? In each round every bank that has one left sends its best, the
# fullest bank (the largest number) first.


# %% tags=["practice"]
def my_order(banks, scores):
    # banks[n] and scores[n] belong to candidate n. All scores differ.
    # Return a list of all candidates' numbers, counted from zero.
    return ...


check.bank_order(my_order)

# %% [markdown]
# <details><summary>Hint: a question</summary>Who is sent in the first round? How do you see that a candidate's turn comes in the second?</details>
# <details><summary>Hint: a smaller example</summary>Banks <code>1, 1, 0</code> with scores <code>-1, -2, -3</code>: first candidate zero, then the one of the other bank, and candidate one last.</details>
# <details><summary>Hint: the shape</summary>While candidates are left: for each bank, from the largest number down, take its best that is left, if it has one.</details>
#
# ## Before you leave
#
# <details><summary>Somebody takes eight groups instead of four beams, forgets the penalty, and gets one output eight times. Why?</summary>
# Groups do not see one another; only the penalty tells one what the others have chosen. Without it each finds the same.
# </details>
# <details><summary>A filter forbids ten names, and one of them still comes out. What do you look at first?</summary>
# The ids that came out, beside those that were forbidden: with a blank in front and without, with a capital, in pieces.
# </details>
# <details><summary>A word is demanded, and the answer is the usual one with the word at its end. What happened?</summary>
# Either no likely text has it, or the search lost the one that has it: too few beams. Ask with more of them, and compare the sums
# of the log-probabilities.
# </details>
#
# **What stays.** A penalty and minus infinity change what counts, a kept place who goes on: each overrules the model. What is named
# is always ids, never words. And the model's own sums say what a search has paid.
#
# **Read on.** Ashwin Vijayakumar and others, *Diverse Beam Search*; Matt Post and David Vilar, *Fast Lexically Constrained Decoding with
# Dynamic Beam Allocation for Neural Machine Translation*. Next lesson: `20_contrastive_and_streaming`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A group without an output
#
# In the first explorer, type only `Hund`, which is no task: the ranking has two outputs of one group, and none of another. In
# `4.26.1` all groups share one pool, and it takes the best, whoever sends them; later versions give each group its own. And type
# nothing at all: four equal outputs in spite of the penalty, for it does not forbid.
#
# ### A rule that does not know what it forbids
#
# `no_repeat_ngram_size` forbids every run of so many tokens that stands there already. What is repeated in a right translation?

# %%
given = tokenizer("translate English to German: They are opening the doors.", return_tensors="pt").input_ids
for size in (None, 3, 2):
    written = model.generate(given, no_repeat_ngram_size=size, max_length=20)[0]
    print(size, tokenizer.decode(written, skip_special_tokens=True), tokenizer.convert_ids_to_tokens(written.tolist()))

# %% [markdown]
# Two letters: *öffnen* has used up `e n`, so *Türen* may not end in it. `suppress_tokens` forbids ids everywhere,
# `begin_suppress_tokens` at the beginning alone; in `transformers` `5` all of these are still there.
#
# ### What is demanded is not promised
#
# If the text has to end before all is there, what is there is answered, without a warning.

# %%
phrase = tokenizer("Mein Freund malt heute Abend", add_special_tokens=False).input_ids
for most in (20, 5):
    written = model.generate(ids, num_beams=4, force_words_ids=[phrase], max_length=most)[0]
    print(most, tokenizer.decode(written, skip_special_tokens=True))

# %% [markdown]
# ### A phrase that begins within itself
#
# The phrase is `1 1 2`, and `1 1 1 2` is written. Is it there?

# %%
from tokenlab.algorithms.decoding.phrasal_constraint import constraint_progress

print(constraint_progress.record([1, 1, 2], [1, 1, 1, 2]))

# %% [markdown]
# It is, but nobody notices: the third token breaks the phrase, and is not tried as its beginning. The note says that a constraint is
# updated until it is complete. It is updated once for each token, and a phrase that breaks is waiting again.
#
# ### Banks, as they are counted
#
# The note counts for the constraint in progress what is there of it. The library counts the longest constraint less what is left.
# Two constraints, of three tokens and of two: when does that differ? `done` says how many tokens of each are there.

# %%
from tokenlab.algorithms.decoding.constraint_banks import constraint_bank
from tokenlab.misconceptions.constraints import count_generated_tokens

for done in ([1, 0], [0, 1], [3, 1]):
    print(done, "library:", constraint_bank([3, 2], done), "note:", count_generated_tokens([3, 2], done))

# %% [markdown]
# With a short one that is begun: it is nearly there, and gets into a higher bank at once.
#
# ### The order in which banks send theirs
#
# The note's example of sorted banks, two, two, one, zero, two, three, cannot come about: they are sorted by `100 * bank + score`, and a
# score would have to be lower by hundreds. Here is an order that can. (Candidates are counted from zero.)

# %%
from tokenlab.algorithms.decoding.constraint_banks import order_by_banks

print(order_by_banks.record([3, 2, 2, 2, 1, 0], [-9, -3, -4, -6, -2, -1]))

# %% [markdown]
# ### The third way: say what is allowed
#
# `prefix_allowed_tokens_fn` gets the index of the text and the ids so far, and returns the ids that may follow; all others get minus
# infinity. A trie (prefix tree) restricts the output to a list. Each entry below leaves something out. Which search returns the entry
# with the highest sum?

# %%
from tokenlab.transformers.generation.beam_constraints import DisjunctiveTrie
from tokenlab.transformers.models.t5.trace.trace_token_losses import trace_token_losses

answers = ["Heute Abend malt mein Freund.", "Meine Freundin malt die Blume.", "Mein Freund zeichnet die Blume."]
trie = DisjunctiveTrie([tokenizer(answer).input_ids for answer in answers])
print([f"{-len(tokenizer(one).input_ids) * trace_token_losses(model, tokenizer, source, one):.2f}" for one in answers])


# %%
from contextlib import suppress


def listed(number, generated):
    with suppress(KeyError):  # of a beam that left the list
        return trie.next_tokens(generated[1:].tolist())
    return [tokenizer.eos_token_id]


[tokenizer.decode(model.generate(ids, max_length=20, num_beams=n, prefix_allowed_tokens_fn=listed)[0]) for n in (1, 3)]

# %% [markdown]
# <details><summary>Why does greedy search miss the best entry? And why <code>suppress</code>?</summary>
#
# Greedy search takes the most probable first token, *Heute*, and only one entry starts with it. As many beams as entries drop none.
# But beam search always fills all its beams, if need be with ids that are not allowed, at a score of about minus a billion. The
# function is called for these beams as well, with prefixes that are not in the trie.
# </details>

# %% [markdown]
# ### What else the notes got wrong
#
# They leave the penalty out of group beam search; then its groups are copies. They give a list of lists to `PhrasalConstraint`,
# which is for one list of ids and refuses it: alternatives are a `DisjunctiveConstraint`, and none of them may begin another.
# (`force_words_ids` makes these two.) They say that a constraint tests itself when it is made: only one of your own does, if it
# calls `Constraint.__init__`.

# %%
from tokenlab.transformers import DisjunctiveConstraint, PhrasalConstraint

try:
    PhrasalConstraint([[1, 2, 5], [3, 4]])
except ValueError as error:
    print(error)
DisjunctiveConstraint([[1, 2, 5], [3, 4]]).advance()

# %% [markdown]
# In `transformers` `5` both searches have left the package: whoever asks `generate` for them is sent to a repository of their own.
# The penalty of groups and the constraints have gone with them; all that forbids has stayed.
