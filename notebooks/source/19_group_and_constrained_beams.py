# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Constraints: what a text must contain, and what it may be
#
# > **You will be able to** restrict an output to a JSON shape or to a list of texts with a mask of allowed tokens; require a word in an
# > output; say why a constrained search can still return a bad text; in *Go further*, compute the bank of a beam, and use groups of beams.
# >
# > **Time:** core 35 minutes, practice 44 minutes (and 21 in *Go further*). **Before this:** `18_beam_search`.
#
# <details><summary>Two questions from earlier lessons: Which candidates continue in beam search? How does a beam end?</summary>
#
# The candidates with the highest sums of log-probabilities continue. A beam that generates <code>&lt;/s&gt;</code> ends
# and becomes a finished hypothesis.
# </details>
#
# German has three words for *you*: `du` for one friend, `ihr` for several friends, and the formal `Sie`. You write a
# sentence to one friend, and this kit's tiny T5 translates it with beam search:

# %%
from tokenlab import data, show
from tokenlab.libraries.transformers import T5ForConditionalGeneration, T5Tokenizer

model = T5ForConditionalGeneration.from_pretrained(data.t5_tiny())
tokenizer = T5Tokenizer.from_pretrained(data.t5_tiny())
source = "translate English to German: You are eating fresh bread in the kitchen."
ids = tokenizer(source, return_tensors="pt").input_ids
tokenizer.batch_decode(model.generate(ids, num_beams=4, num_return_sequences=4, max_length=20), True)

# %% [markdown]
# All outputs are correct German, but none is for one friend, because the model does not know to whom you write. So we
# require the words `Du isst`, "you eat". The search also tries these words where they are improbable, as **forced
# candidates**. Step through the player: beams with more of the required words are in a higher lane
# ([**bank**](../docs/glossary.md#bank)). At token 2, which beams change lanes? Would they continue without the
# constraint?

# %%
from tokenlab.show.explorers.explore_generation import explore_constrained_beam_search

explore_constrained_beam_search(source, "Du isst", model, tokenizer)

# %% [markdown]
# The output now has the right form. Type other words into *words*. A comma separates two constraints, and `|`
# separates alternatives, as in `Du | Ihr`.
#
# ## Require a phrase
#
# A [**constraint**](../docs/glossary.md#constraint) is a condition that the output has to **fulfil**. A [**phrasal
# constraint**](../docs/glossary.md#phrasal-constraint) is a sequence of tokens that the output must contain. (The
# capital letter matters, because `▁Du` and `▁du` are two tokens.) Forced candidates alone are not enough, because their
# sums are usually low: at token 2, `▁In ▁Du` (-26) would lose to `▁Sie ▁essen` (-0.88).
#
# Therefore candidates compete only within their bank: all candidates that have made equal **progress** on the
# constraints. A higher bank has made more progress. The banks fill the beams in rounds: in each round, every bank
# selects its best remaining candidate, and the highest bank selects first. Here are 5 candidates with their banks and
# sums. Which 3 continue with 3 beams?

# %%
from tokenlab.algorithms.decoding.constraints import order_by_banks

print(order_by_banks.record(banks=[0, 0, 2, 2, 1], scores=[-0.9, -1.4, -2.2, -4.2, -25.5]))

# %% [markdown]
# The candidates 2, 4 and 0 continue: one from each bank. Candidate 4 has by far the lowest sum, and continues because
# it competes only within its bank. Candidate 1 has a much higher sum, but no beam is left for it. So a bank
# gets a beam even if other candidates are more probable. These beams are [**reserved beam
# slots**](../docs/glossary.md#reserved-beam-slots).
#
# ## Where it breaks: the price of a constraint
#
# A constraint can lower the sum of the log-probabilities of the output. The cell prints this price for 4 words, with 4
# and 16 beams. Which outputs are correct translations?

# %%
from tokenlab.traces.generation.trace_beam_search import trace_constrained_beam_search

for word in ("Küche", "Du", "Ihr", "trinkt"):
    for beams in (4, 16):
        search = trace_constrained_beam_search.record(model, tokenizer, source, word, num_beams=beams)
        price = search[0].total - search[-1].hypotheses[0].total
        print(f"{price:5.2f} {word:6} {beams:2} beams: {search.result.texts[0]}")

# %% [markdown]
# - `Küche`, "kitchen", is in the best output anyway, so it costs nothing.
# - `Du` costs little, because a probable translation contains it.
# - `Ihr` needs more beams. With 4 beams, the verb has the wrong form, and `frisches`, "fresh", is missing.
# - `trinkt`, "drink", is in no correct translation, because the source says *eating*. More beams do not help.
#
# So the constraint brings the word into the output (unless the search reaches its maximum length first), but it does
# not make the output good.
#
# <details><summary>The constraint <code>Ihr</code> is complete after one token. Why is the beam <code>▁Ihr</code> lost with 4 beams?</summary>
#
# Type <code>Ihr</code> into <i>words</i> and step to token 4. The banks choose only among the forced candidates and
# the 4 that would continue without constraints. The beam <code>▁Ihr</code> has completed its constraint, so it has no
# forced candidates, and its bank helps only if one of its candidates is among these 4. But the model spells
# <i>esst</i> in 5 tokens, and the candidate <code>▁Ihr ▁ e s</code> has only the fifth-highest sum. In the paper on
# this method (Post and Vilar, see References), the best continuation of every beam is also a candidate. In the
# library, it is not.
# </details>
#
# ## Allow only some tokens: a mask
#
# Often a program reads the output, and then the whole text must have a certain form, such as JSON. This is called
# **structured output**. Before each step, a [**mask**](../docs/glossary.md#mask-of-allowed-tokens) sets the logits of
# all tokens that would break the form to minus infinity. Here the form is `{"name": "..."}` with 1 to 8 lower-case
# letters. How many tokens of a small vocabulary may follow each prefix?

# %%
import regex
from tokenlab.libraries.tiktoken.registry import load_local_encoding

small, shape = load_local_encoding(data.FOLDER / "small.tiktoken"), regex.compile(r'\{"name": "[a-z]{1,8}"\}')
vocabulary = [token.decode(errors="replace") for token in small.token_byte_values()]
for text in ("", "{", '{"name": "', '{"name": "keep', '{"name": "keepsafe'):
    allowed = [token for token in vocabulary if shape.fullmatch(text + token, partial=True)]
    print(f"{text:19} {len(allowed):3} of {len(vocabulary)} tokens:", *map(repr, allowed[:9]))

# %% [markdown]
# (`partial=True` accepts a text that can still become a full match.) The mask compares whole tokens with the form:
# after `keep`, `able` is still allowed, but a token of 5 letters is too long.
#
# A mask can also allow only the texts of a list. Then it comes from a [**trie**](../docs/glossary.md#trie), a tree in
# which texts with the same prefix share a path: only the children of the current node are allowed. Here are the sums of
# the log-probabilities of 3 allowed texts. Can these sums tell which text greedy search returns?

# %%
from tokenlab.libraries.transformers.generation.beam_constraints import DisjunctiveTrie
from tokenlab.traces.t5.trace_decoding import trace_token_losses

answers = ["In der Küche isst du Brot.", "Du isst frisches Brot in der Küche."]
answers += ["Ihr esst frisches Brot in der Küche."]
trie = DisjunctiveTrie([tokenizer(answer).input_ids for answer in answers])
print([f"{-len(tokenizer(one).input_ids) * trace_token_losses(model, tokenizer, source, one):.2f}" for one in answers])

# %% [markdown]
# In `generate`, the mask is the function `prefix_allowed_tokens_fn`. It gets the ids so far, and returns the ids that
# may follow.


# %%
from contextlib import suppress


def listed(number, generated):
    with suppress(KeyError):  # ignore the error if the prefix of this beam is not in the trie
        return trie.next_tokens(generated[1:].tolist())
    return [tokenizer.eos_token_id]


print(tokenizer.convert_ids_to_tokens(listed(0, ids.new_tensor([0]))), "may follow the start token")

# %%
for n in (1, 3):
    found = model.generate(ids, max_length=20, num_beams=n, prefix_allowed_tokens_fn=listed)
    print(n, tokenizer.decode(found[0], skip_special_tokens=True))

# %% [markdown]
# The sums cannot tell: greedy search selects `▁In`, the most probable allowed first token, and only one text starts
# with it. So a mask guarantees an allowed text (or its beginning, at `max_length`), but not the best one. With as
# many beams as texts, beam search drops no text.
#
# ## Practice
#
# Replace each `...`. A second run with the same mistake shows the rule, a third the answers and a worked solution.
#
# ### Trace it · easy · 6 minutes · importance 4 of 5
#
# The constraints are the phrases `1 2 5` and `7 8`. Candidate 0 is `7`, candidate 1 is `1 2 5 7`, candidate 2 is `1 2`,
# and candidate 3 is `9`. Their sums are -9, -20, -4 and -1. The number of a bank measures progress: a completed phrase
# counts 3, the length of the longest phrase, and a phrase in progress counts 3 minus its missing tokens. Give the bank
# of each candidate, and the order in which the banks select them.

# %% tags=["practice"]
from tokenlab import check

# Two tuples of 4 integers. Example: (0, 1, 2, 3), (3, 2, 1, 0)
my_banks, my_order = ..., ...

check.banks_by_hand(my_banks, my_order)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many tokens has the longest phrase? Which phrase is in progress in each candidate?</details>
# <details><summary>Hint: a smaller example</summary>After <code>1</code>, 2 tokens of the first phrase are missing. The bank is 3 - 2 = 1.</details>
# <details><summary>Hint: the structure</summary>In round 1, each bank selects one candidate. Only one bank has a second candidate.</details>
#
# ### Find the bug · medium · 6 minutes · importance 4 of 5
#
# `fullest_bank_first` selects all candidates of the highest bank first, then all candidates of the next bank. Find
# banks and sums for which this order is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.constraints import fullest_bank_first

# The bank and the sum of each candidate; all sums differ. [1, 0], [-3, -2] is no solution: both orders are (0, 1).
my_banks, my_sums = ..., ...

check.bug(fullest_bank_first, my_banks, my_sums)

# %% [markdown]
# <details><summary>Hint: a question</summary>When does a bank select a second candidate?</details>
# <details><summary>Hint: a smaller example</summary>With the banks <code>[2, 1, 0]</code>, each bank has one candidate. Both orders are the same.</details>
# <details><summary>Hint: the structure</summary>Give the highest bank two candidates, and a lower bank one candidate.</details>
#
# ### Complete two lines · medium · 5 minutes · importance 3 of 5
#
# Compute the number of the bank as in *Trace it*. `lengths` has the number of tokens of each constraint, and `done` the
# number of its **matched** tokens, those that the output already contains. At most one constraint is in progress.


# %% tags=["practice"]
def my_bank(lengths: list[int], done: list[int]) -> int:
    """Example: my_bank([3, 2], [0, 1]) returns 2."""
    longest, pairs = max(lengths), list(zip(lengths, done, strict=True))
    complete = ...
    missing = [length - matched for length, matched in pairs if 0 < matched < length]
    return ...


check.bank_number(my_bank)

# %% [markdown]
# <details><summary>Hint: a question</summary>How do you see from <code>length</code> and <code>matched</code> that a constraint is complete?</details>
# <details><summary>Hint: a smaller example</summary><code>my_bank([3, 2], [3, 0])</code> returns 3, and <code>my_bank([3, 2], [3, 1])</code> returns 3 + (3 - 1) = 5.</details>
# <details><summary>Hint: the structure</summary>Count pairs with <code>sum</code>. <code>missing</code> has 0 or 1 elements, so <code>sum(longest - left for left in missing)</code> is the second term.</details>
#
# ### Write it · hard · 10 minutes · importance 3 of 5
#
# `tokens` has the ids of an output. Compare them one after another with `phrase`, and return the number of matched
# tokens of `phrase`. A token of the output continues the phrase, or it interrupts the phrase. After an interruption,
# nothing is matched: the **next** token of the output is compared with the first token of the phrase. A complete phrase
# stays complete.


# %% tags=["practice"]
def my_progress(phrase: list[int], tokens: list[int]) -> int:
    """Example: my_progress([1, 2, 5], [7, 1, 2]) returns 2."""
    return ...


check.phrase_progress(my_progress)

# %% [markdown]
# <details><summary>Hint: a question</summary>If <code>done</code> tokens are matched, which token of the phrase is next? May you still read <code>phrase[done]</code> if all tokens are matched?</details>
# <details><summary>Hint: a smaller example</summary>For the phrase <code>[1, 2]</code> and the tokens <code>[1, 1, 2]</code>, the result is 0. The second <code>1</code> interrupts the phrase and is not tried again.</details>
# <details><summary>Hint: the structure</summary>Start with 0 and loop over the tokens. While the phrase is not complete, add 1 or return to 0.</details>
#
# ### Another rule · hard · 12 minutes · importance 4 of 5
#
# Write the order of the banks, without looking at `order_by_banks`. In each round, every bank that has a candidate left
# selects its best one. The highest bank selects first.


# %% tags=["practice"]
def my_order(banks: list[int], scores: list[float]) -> list[int]:
    """Return all candidates, numbered from 0. All scores differ.

    Example: my_order([1, 1, 0], [-1, -2, -3]) returns [0, 2, 1].
    """
    return ...


check.bank_order(my_order)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which candidates are selected in round 1? How do you know that a candidate is selected in round 2?</details>
# <details><summary>Hint: a smaller example</summary>The banks <code>[0, 3, 0, 3]</code> with the scores <code>[-1, -5, -2, -4]</code> give the order <code>[3, 0, 1, 2]</code>.</details>
# <details><summary>Hint: the structure</summary>While candidates are left: for each bank, from the highest to the lowest, select its best remaining candidate.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A program needs an answer in JSON that contains a certain name. Say in three sentences what a mask of allowed tokens
# guarantees, what a phrasal constraint guarantees, and what neither of them guarantees.
#
# <details><summary>What a good answer contains</summary>
# 1. The mask forbids every token that would break the form, so that each generated text has the form, or at least its
#    beginning.<br>
# 2. The constraint forces the tokens of the name into some beam and reserves beams for it, so that the output
#    contains the name if the search does not run out of length.<br>
# 3. Neither makes the text probable or true: if no probable text fulfils the condition, the output is a bad text that fulfils it.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The mask removes all tokens after which the text could not become JSON, so only JSON can be generated. The phrasal constraint adds the tokens of the name as forced candidates, and the banks keep such beams alive until the name is complete. Whether the JSON makes sense still depends on the model, because both methods only choose among texts.”<br>
# <b>Wrong:</b> “The mask tells the model that JSON is wanted, so its probabilities change. The constraint tells the model the name. So the model now knows both, and writes the best JSON text with this name.” The model is told nothing: its probabilities stay the same, and only the choice among tokens is restricted.
# </details>
#
# ## Exit questions
#
# <details><summary>Why are forced candidates without banks not enough?</summary>
# A forced candidate usually has a low sum. Without banks, more probable candidates replace it at the same step.
# </details>
# <details><summary>You require a word. The output is the usual text with the word at its end. What are the two possible reasons?</summary>
# Either no probable text contains the word, or the search lost such a text because it had too few beams. Try more beams
# and compare the sums.
# </details>
# <details><summary>A mask allows only two texts. Does greedy search return the more probable one?</summary>
# Not always. It selects the more probable first token, and the rest of this text may be improbable.
# </details>
# <details><summary>A search has 2 beams, and candidates exist in the banks 0, 1 and 2. Which bank gets no beam?</summary>
# Bank 0. The highest banks select first, and no beam is left for bank 0.
# </details>
#
# **Summary.** A mask of allowed tokens restricts the output to a form or to a list of texts. Constrained beam search
# requires words: it adds forced candidates, which compete only within their bank, and the banks take turns. Both
# restrict the choice, and neither makes the model better.
#
# **References.** Matt Post and David Vilar, *Fast Lexically Constrained Decoding with Dynamic Beam Allocation for
# Neural Machine Translation*, 2018. Chris Hokamp and Qun Liu, *Lexically Constrained Decoding for Sequence Generation
# Using Grid Beam Search*, 2017. Brandon Willard and Rémi Louf, *Efficient Guided Generation for Large Language Models*,
# 2023 (masks for regular expressions). Next lesson: `20_contrastive_and_streaming`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The number of a bank, and the code
#
# The number of the bank measures the progress:
#
# $$\text{bank}=L\cdot c+(L-m)$$
#
# Here, $L$ is the length of the longest constraint in tokens, and $c$ is the number of completed constraints. A
# constraint is **in progress** if the candidate ends with the beginning of the constraint, and then $m$ of its tokens
# are missing. At most one constraint is in progress. If no constraint is in progress, the second term $(L-m)$ is left
# out. For `Du isst`, $L=2$. The beam `▁Du` is in bank $2\cdot0+(2-1)=1$, and the beam `▁Du ▁isst` is in bank
# $2\cdot1=2$. In the code, `waiting` contains the candidates of each bank, the best one first.

# %%
from tokenlab.algorithms.decoding.constraints import constraint_bank

show.source(order_by_banks, constraint_bank)

# %% [markdown]
# ### The same call on the production library
#
# In `generate`, the argument is `force_words_ids`, a list with one element for each constraint. The element of a phrase
# is a list of ids, such as `[51, 257]`. For alternatives, the element is a list of phrases, such as `[[391], [468]]`.
# The kit stores results of `transformers` 4.26.1 for this model. Does our `generate` return the same ids?

# %%
import json

for call in json.loads((data.FOLDER / "t5_groups.json").read_text(encoding="utf-8")):
    if "force_words_ids" in call["settings"]:
        ours = model.generate(tokenizer(call["text"], return_tensors="pt").input_ids, **call["settings"])
        print(ours.tolist() == call["sequences"], call["settings"])

# %% [markdown]
# ### Diverse beam search: groups that differ
#
# The outputs of beam search often differ in a single word: a text with one other word has nearly the same sum.
# **Diverse beam search** splits the beams into **groups**. At each step, the groups choose one after another. If an
# earlier group has chosen a token at this step, a later group gets a lower score for this token. Each beam that has
# chosen the token lowers the score by the **diversity penalty** $\lambda$:
#
# $$\text{score}(v)=\ln p(v)-\lambda\cdot\text{count}(v)$$
#
# Here, $\text{count}(v)$ is the number of beams of earlier groups that have chosen the token $v$ at this step. The
# player has 4 groups of one beam. Step through it. Then move `diversity_penalty` and look at the comparison in the
# first step. From which value on do all 4 outputs differ? At which value does their mean score without penalties (the
# column *mean*) fall suddenly?

# %%
from tokenlab.show.explorers.explore_generation import explore_group_beam_search

friend = "translate English to German: My friend will draw the flower this evening."
explore_group_beam_search(friend, model, tokenizer)

# %% [markdown]
# <details><summary>From which value on do they differ?</summary>From 0.25, the first value above 0. Up to 4, the mean falls slowly. At 4.25, it falls suddenly: group 4 then writes <i>eine Blume</i>, "a flower", instead of <i>die Blume</i>, "the flower".</details>
# <details><summary>Group 4 takes a token that has a penalty. How is this possible?</summary>The penalty does not forbid a token. A token that is probable enough still has the highest score. At the next step, the counts start again at 0.</details>
# <details><summary>The last group has the lowest score, and its translation is correct. Why?</summary>The penalties that were subtracted stay in its sum. In the player, the table of the outputs also has the scores without penalties.</details>
# <details><summary>A user sets 8 groups and no penalty, and gets the same output 8 times. Why?</summary>The groups influence each other only through the penalty. Without a penalty, each group chooses the same tokens.</details>
#
# `HammingDiversityLogitsProcessor` subtracts the penalty. The Hamming distance of two texts counts the positions at
# which they differ, and the penalty compares tokens of the same position. In the code, `view` puts the beams of a text
# into one row, `scatter_add` counts the chosen tokens, and `repeat_interleave` copies the counts for each beam of the
# group. The second cell compares our results with the stored results of `transformers` 4.26.1.

# %%
from tokenlab.libraries.transformers.generation import HammingDiversityLogitsProcessor

show.source(HammingDiversityLogitsProcessor.__call__)

# %%
import torch

for call in json.loads((data.FOLDER / "t5_groups.json").read_text(encoding="utf-8")):
    given = tokenizer(call["text"], return_tensors="pt").input_ids
    ours = model.generate(given, return_dict_in_generate=True, output_scores=True, **call["settings"])
    same = torch.allclose(ours.sequences_scores, torch.tensor(call["scores"]), atol=1e-3)
    print(same and ours.sequences.tolist() == call["sequences"], call["settings"])

# %% [markdown]
# The paper is *Diverse Beam Search* by Ashwin Vijayakumar and others, 2018.
#
# ### More practice: trace three groups · easy · 4 minutes · importance 3 of 5
#
# Three groups of one beam choose one after another. All groups have the scores -1, -2 and -4 for the ids 0, 1 and 2.
# The diversity penalty is 2. Which id does each group choose? What is the score of the third group's choice, with its
# penalty?

# %% tags=["practice"]
# A tuple of 3 ids, and a number. Example: (0, 1, 2), -4
my_ids, my_score = ..., ...

check.groups_in_turn(my_ids, my_score)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which scores are left for group 3 after the choices of groups 1 and 2?</details>
# <details><summary>Hint: a smaller example</summary>With the scores -1 and -9, all three groups choose 0. For group 3, the score of 0 is -5.</details>
# <details><summary>Hint: the structure</summary>Write the three scores once for each group. Subtract 2 for each earlier choice.</details>
#
# ### More practice: the penalty in two lines · easy · 4 minutes · importance 3 of 5
#
# Return the scores of a later group. `scores[id]` is the score of an id before the penalty. `chosen` has the ids that
# beams of earlier groups have chosen at this step. Subtract `penalty` from the score of an id once for each time the id
# was chosen.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_penalized_logits(scores: list[float], chosen: list[int], penalty: float) -> list[float]:
    """Example: my_penalized_logits([-1, -2, -4], [0, 0, 2], 0.5) returns [-2, -2, -4.5]."""
    counts = [... for id in range(len(scores))]
    return [... for score, count in zip(scores, counts, strict=True)]


check.penalized_logits(my_penalized_logits)

# %% [markdown]
# <details><summary>Hint: a question</summary>How often does an id occur in <code>chosen</code>?</details>
# <details><summary>Hint: a smaller example</summary>If 2 beams have chosen the same id, the id loses the penalty twice. All other ids keep their scores.</details>
# <details><summary>Hint: the structure</summary>Lists have the method <code>count</code>. The second line subtracts a product.</details>
#
# ### A group without an output
#
# Type only `Hund` into the player of the groups. The table of the outputs has two outputs of group 1 and none of group
# 4. In `transformers` 4.26.1, all groups share one pool of finished hypotheses, and the pool keeps the best. Later
# versions give each group its own pool.
#
# Then delete the text. All 4 outputs are equal, because the model is very certain. In group 4, the score of the best
# token is lowered by 3 × 1, and it is still the highest. With the penalty 2, some outputs differ.
#
# ### Forbid a word
#
# `bad_words_ids` takes a list of ids for each word. If the next token would complete such a list, its score becomes
# minus infinity. 老师 is *teacher*, and 医生 is *doctor*. The cell generates three times: without forbidden words; with the
# ids that the tokenizer gives for the word; and with the token `老师` (without `▁`) in addition. Which outputs contain
# 老师?

# %%
given = tokenizer("translate English to Chinese: The teacher has a cat.", return_tensors="pt").input_ids
spellings = [tokenizer("老师", add_special_tokens=False).input_ids, [tokenizer.convert_tokens_to_ids("老师")]]
for words in (None, spellings[:1], spellings):
    written = model.generate(given, bad_words_ids=words, max_length=20)[0]
    print(words, tokenizer.convert_ids_to_tokens(written.tolist()))

# %% [markdown]
# The first list has no effect. The tokenizer puts `▁` before the word, and `▁老师` is another token than `老师`. A word is
# a text, but `bad_words_ids` forbids lists of ids. So you have to forbid every
# [**tokenization**](../docs/glossary.md#segmentation) of the word. A user of vLLM, a program that runs language models,
# [reported](https://github.com/vllm-project/vllm/issues/32557) a similar problem.
#
# <details><summary>Which tokenization is still allowed?</summary><code>[779, 743]</code>: 老 and 师 are tokens as well. Add this list to <code>spellings</code> and run the cell again. The output stays the same, because the model now prefers another word, 医生.</details>
# <details><summary>A filter forbids 10 names, and one name still appears. What do you check first?</summary>Compare the ids of the output with the forbidden ids: with and without a space before the name, with a capital letter, and in several tokens.</details>
#
# ### More practice: find the bug in a filter · medium · 5 minutes · importance 3 of 5
#
# `ban_one_tokenization` should return all tokenizations of a word, at the start of a text and after a space. It returns
# only one. Find a word and a vocabulary with more tokenizations. The character `▁` represents the space before the
# word.

# %% tags=["practice"]
from tokenlab.misconceptions.constraints import ban_one_tokenization

# A string without spaces, and a list of strings. "tea", ["tea"] is no solution: it has one tokenization.
my_word, my_tokens = ..., ...

check.bug(ban_one_tokenization, my_word, my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>In how many ways can your tokens form the word, with and without <code>▁</code>?</details>
# <details><summary>Hint: a smaller example</summary>The vocabulary <code>["tea"]</code> gives one tokenization. Add a token that gives a second one.</details>
# <details><summary>Hint: the structure</summary>Use the whole word and two halves of it as tokens.</details>
#
# ### More practice: the mask of a filter · medium · 8 minutes · importance 4 of 5
#
# Write the rule of `bad_words_ids`. `written` is the list of ids so far, and `bad_words` is a list of words, each a list
# of at least one id. Return the set of ids that are forbidden next: the last id of each word whose other ids are the last
# ids of `written`, in order. Example: for `[5, 0]` and `[[0, 3], [2], [0, 5, 1]]`, the result is `{2, 3}`.


# %% tags=["practice"]
def my_forbidden(written: list[int], bad_words: list[list[int]]) -> set[int]:
    return ...


check.forbidden_next(my_forbidden)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which ids must <code>written</code> end with, before the last id of a word may not follow?</details>
# <details><summary>Hint: a smaller example</summary>The word <code>[2]</code> has no other ids, so 2 is always forbidden, also if <code>written</code> is empty.</details>
# <details><summary>Hint: the structure</summary>For each word, compare <code>word[:-1]</code> with the last <code>len(word) - 1</code> ids of <code>written</code>. Python's <code>written[-0:]</code> is the whole list, so count from the front: <code>written[len(written) - n:]</code>, if <code>written</code> is long enough.</details>
#
# ### A rule that forbids a correct word
#
# `no_repeat_ngram_size=n` forbids every sequence of $n$ tokens that the output already contains. *They are opening the
# doors* contains no repeated word. What is repeated in the correct translation, *Sie öffnen die Türen*?

# %%
given = tokenizer("translate English to German: They are opening the doors.", return_tensors="pt").input_ids
for size in (None, 3, 2):
    written = model.generate(given, no_repeat_ngram_size=size, max_length=20)[0]
    print(size, tokenizer.decode(written, skip_special_tokens=True), tokenizer.convert_ids_to_tokens(written.tolist()))

# %% [markdown]
# The tokens `e n` are repeated. *öffnen* ends in them, so `no_repeat_ngram_size=2` forbids them at the end of *Türen*.
# Two related arguments forbid ids: `suppress_tokens` at every position, and `begin_suppress_tokens` at the first
# position.
#
# ### A constraint is no guarantee
#
# A beam that ends before it fulfils the constraints is dropped. But at `max_length`, the search has to stop. If no beam
# fulfils the constraints, the search returns a beam that does not fulfil them, without a warning. The required phrase
# is *Du isst frisches Brot*, "you eat fresh bread".

# %%
phrase = tokenizer("Du isst frisches Brot", add_special_tokens=False).input_ids
for most in (20, 4):
    written = model.generate(ids, num_beams=4, force_words_ids=[phrase], max_length=most)[0]
    print(most, tokenizer.decode(written, skip_special_tokens=True))

# %% [markdown]
# ### A phrase that starts inside itself
#
# The phrase is `1 1 2`. The output `1 1 1 2` contains it. Does the constraint notice this?

# %%
from tokenlab.algorithms.decoding.constraints import constraint_progress

print(constraint_progress.record([1, 1, 2], [1, 1, 1, 2]))

# %% [markdown]
# No. The phrase begins at the second token of the output. The constraint starts to match at the first token. The third
# token does not fit, so the number of matched tokens becomes 0. But the second and third tokens, `1 1`, match the
# beginning of the phrase. To find the phrase, the library would have to go back to the second token, and it does not.
#
# ### A greedy walk through a trie
#
# A [`DisjunctiveConstraint`](../docs/glossary.md#disjunctive-constraint) requires one of several phrases. It stores the
# phrases in a trie. Each token moves one step down. If no step fits, the walk starts again at the top of the tree, the
# **root**. The walk is greedy: it follows only one path. The phrases are `1 2 5` and `2 3`. Do the outputs `2 3` and `1
# 2 3` complete the constraint? The method `update` returns three values for a token: whether the walk made a step down
# (*stepped*), whether the constraint is complete (*completed*), and whether the walk starts again (*reset*).

# %%
from tokenlab.libraries.transformers import DisjunctiveConstraint, PhrasalConstraint

for tokens in ((2, 3), (1, 2, 3)):
    either = DisjunctiveConstraint([[1, 2, 5], [2, 3]])
    updates = [either.update(token) for token in tokens]
    print(tokens, "(stepped, completed, reset):", updates[-1])

# %% [markdown]
# The output `1 2 3` contains `2 3`, but the walk does not complete it. After `1 2`, the tree has no `3`. The walk
# returns to the root, but the `3` is already used. So a greedy walk can miss a phrase that the output contains. The
# walk also does not choose among the phrases: the constraint is complete after the first complete phrase, even if
# another phrase would give a higher sum. And no phrase may be a prefix of another one, because the walk would always
# stop at the shorter phrase.
#
# ### A common mistake: a bank counts matched tokens
#
# Two constraints have 3 and 2 tokens. `done` has the number of matched tokens of each. The wrong program counts the
# matched tokens of the constraint in progress. The library subtracts the missing tokens from the length of the longest
# constraint.

# %%
from tokenlab.misconceptions.constraints import count_generated_tokens

for done in ([1, 0], [0, 1], [3, 1]):
    print(done, "library:", constraint_bank([3, 2], done), "wrong program:", count_generated_tokens([3, 2], done))

# %% [markdown]
# The results differ for the shorter constraint. In the library, its first token leads to bank 2, because only one token
# is missing.
#
# ### One number for bank and sum
#
# Inside a round, the library does not compare the banks exactly. It first sorts all candidates by `100 * bank + sum`,
# and then forms the rounds from the sorted list. Suppose that candidates A and B are in the same round, and B is in the
# next higher bank. A comes first if its sum is more than 100 higher. The cell prints the order of the banks, and then
# the sorted list. Here every bank has one candidate, so the sorted list is also the library's order.

# %%
banks, sums = [2, 1, 0], [-150, -3, -1]
print(order_by_banks(banks, sums))
print(tuple(sorted(range(3), key=lambda candidate: -(100 * banks[candidate] + sums[candidate]))))

# %% [markdown]
# The sum of candidate 1 is 147 higher than the sum of candidate 0. So candidate 1 comes first in the library. If all
# sums differ by less than 100, both orders are equal.

# %% [markdown]
# ### Two questions on the example with the trie
#
# <details><summary>Why is <code>suppress</code> necessary?</summary>
# Sometimes fewer allowed candidates exist than beams. Then beam search fills the other beams with forbidden ids, which
# have a very low score. The function <code>listed</code> is also called for these beams, and their prefixes are not in
# the trie. <code>suppress</code> ignores the error that follows.
# </details>
# <details><summary>A user reports that required words appear only at the beginning or at the end of the text. Which part of the lesson shows this?</summary>
# The price of a constraint: with <code>trinkt</code>, the word is in no probable text, so it is placed where it costs
# least. (The <a href="https://github.com/huggingface/transformers/issues/19070">report</a>.)
# </details>
#
# ### A common mistake: alternatives in a `PhrasalConstraint`
#
# `PhrasalConstraint` takes one list of ids. For alternatives, use `DisjunctiveConstraint`. Its method `advance` returns
# the ids that may follow.

# %%
try:
    PhrasalConstraint([[1, 2, 5], [3, 4]])
except ValueError as error:
    print(error)
DisjunctiveConstraint([[1, 2, 5], [3, 4]]).advance()

# %% [markdown]
# In `transformers` 5, group beam search and constrained beam search are no longer part of the package. `generate` loads
# them from separate repositories, if you allow it to run this code with `trust_remote_code=True`. The arguments that
# forbid tokens are still there.
#
# ### The same with a real T5
#
# All players of this lesson accept any T5. You need a folder with `config.json`, the weights (`model.safetensors` or
# `pytorch_model.bin`) and `spiece.model`, for example of `t5-small`. Write the name of your folder in place of `my-t5`,
# and run the players again:
#
# ```python
# model = T5ForConditionalGeneration.from_pretrained("my-t5").eval()
# tokenizer = T5Tokenizer.from_pretrained("my-t5")
# explore_constrained_beam_search("translate English to German: How old are you?", "Sie", model, tokenizer)
# ```
