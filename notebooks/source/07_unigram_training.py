# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # How Unigram learns its pieces
#
# > **You will be able to** hand out a word's count to the pieces of all its segmentations; make probabilities from such
# > counts; say which piece a training removes, and why a frequent one may go.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `06_unigram_segmenting`.
#
# <details><summary>Two questions from before: what makes one segmentation better than another? What does alpha one do when a segmentation is drawn?</summary>
#
# The product of its pieces' probabilities. And each is drawn as often as its share says: its own probability, divided by the sum
# over all segmentations. This lesson needs exactly these shares.
# </details>
#
# BPE begins with characters and adds. Unigram begins with far too many pieces and removes. Run the cell and step. Then type a text
# of your own, or move the slider: which pieces are left when there is room for few?

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_tokenizers import explore_unigram_training

explore_unigram_training(data.text("english")[:1500], vocab_size=90)

# %% [markdown]
# Three things repeat. **E**: count the pieces. **M**: make probabilities of the counts. **Prune**: remove the pieces that would
# be missed least.
#
# <details><summary>What is the objective that the player shows?</summary>What a word costs on average: the log probability of all its
# segmentations together, without the minus sign. Lower is better; pruning usually costs some of it.</details>
#
# Where do the counts come from, if nobody knows yet how a word is cut? From *all* ways to cut it.
#
# ## Counts are fractions
#
# Here are five short words; the pieces are their substrings. Each word hands out its count. Every segmentation gets its
# share: its probability, divided by that of all segmentations of the word. Every piece gets the share of each segmentation
# that has it. What a piece gets from all words is its **expected count**. Step, and guess.

# %%
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.vocabulary import log_probabilities

words = {"this": 9, "his": 3, "is": 12, "hit": 4, "sits": 3}
pieces = log_probabilities(count_substrings(words))
expectation_step.record(words, pieces)

# %% [markdown]
# In its plain form the M-step is simple. A piece that was expected less than half a time is dropped, unless it is a character. Then
# each count is divided by the sum of what is left. With new probabilities the shares and the counts change. Dividing
# never makes the words less probable: this is **expectation maximization**.
#
# <details><summary>Is that what the training above did?</summary>Nearly: like sentencepiece, it takes a little more from rare pieces.
# See "The digamma step".</details>
#
# ## What is frequent may still be useless
#
# A training must get rid of most pieces. Which go first: the rarest? Ask what the words would lose. Wherever it was
# used, its own best other segmentation has to do. The **loss** of a piece is what that costs a word, on average, in log probability.

# %%
from tokenlab.algorithms.unigram.prune import piece_losses

piece_losses.record(words, pieces)

# %% [markdown]
# `th` is in every *this*, and `it` in *hit* and *sits*. Yet no best segmentation has them: removing them costs nothing, so they
# go first. And `his` occurs much more often than `its`, but costs less: `hi s` is nearly as good. A character is
# never judged: without it, some word could not be spelled.
#
# ## The function itself
#
# A seed of frequent substrings, two rounds of E and M, a pruning that keeps three quarters, and again,
# until there are at most a tenth more pieces than you want. The final cut takes the rest.

# %%
from tokenlab import show
from tokenlab.algorithms.unigram.train import train

show.source(train)

# %% [markdown]
# ## The same call on production libraries
#
# Vocabularies of one size can be compared: how many pieces do they need for new text? Train on four lines in five, count on the
# fifth. `train_arrays` is `train` in numpy: the same stages, much sooner. First `sentencepiece`, which invented all of this;
# three of its pieces are special. (`▁` stands for the blank before a word.)

# %%
import io

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.train_arrays import train_arrays
from tokenlab.algorithms.text.count_words import count_words

lines, model = data.text("english").lower().splitlines(), io.BytesIO()
training, new = [line for n, line in enumerate(lines) if n % 5], " ".join(lines[::5])
SentencePieceTrainer.train(sentence_iterator=iter(training), model_writer=model, vocab_size=503, minloglevel=2)
ours = UnigramEncoder(train_arrays(count_words(training, lambda line: [f"▁{word}" for word in line.split()]), 500))
{"ours": len(ours.encode(new)), "sentencepiece": len(SentencePieceProcessor(model_proto=model.getvalue()).encode(new))}

# %% [markdown]
# `sentencepiece` looks for its seed in whole lines, and allows no piece with letters and a comma. Now `tokenizers`, which takes each
# different word once for its seed.

# %% tags=["nbval-ignore-output"]
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

theirs = Tokenizer(models.Unigram())
theirs.pre_tokenizer = pre_tokenizers.Metaspace()
special = {"unk_token": "<unk>", "special_tokens": ["<unk>"]}
theirs.train_from_iterator(training, trainers.UnigramTrainer(vocab_size=501, show_progress=False, **special))
{"tokenizers": len(theirs.encode(new).tokens)}

# %% [markdown]
# ## Where it breaks
#
# A well-known course trains without E and M: it counts every substring once, and never corrects a count. In its example it
# prints for *p*, which stands in two of its five words, the count of *pug* alone. And one of the notes that this kit grew out of
# removes the pieces whose loss is *greatest*. Count again; then see what all words cost, and how much more without a piece.

# %%
from tokenlab.algorithms.unigram.train_by_counting import loss, loss_increase
from tokenlab.misconceptions.unigram_training import word_count_not_occurrences

course = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
once = log_probabilities(counts := count_substrings(course))
print("p, printed:", word_count_not_occurrences(course)["p"], "| counted:", counts["p"], "of", sum(counts.values()))
more = {p: round(loss_increase(course, once, p), 2) for p in ("hu", "hug")}
{"loss": round(loss(course, once), 2), "increase without": more}

# %% [markdown]
# Nobody misses `hu`. Who removes the greatest loss first throws the best piece away.
#
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# *ab* occurs eight times and *a* three times. The probabilities: `a` one half, `b` one fifth, `ab` three tenths. What are the
# expected counts of `ab` and of `a`?

# %% tags=["practice"]
from tokenlab import check

my_ab, my_a = ..., ...  # two numbers; 2 decimal places are enough

check.expected_by_hand(my_ab, my_a)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many ways are there to cut <i>ab</i>, and how probable is each?</details>
# <details><summary>Hint: a smaller example</summary>If two ways have one tenth and one tenth, each has half of the share.</details>
# <details><summary>Hint: the shape</summary>One tenth and three tenths make four tenths: what share of the eight is that for each? Then add what <i>a</i> alone gives.</details>
#
# ### Find the bug · medium, eight minutes
#
# `prune_by_prob` keeps the most probable pieces. There is room for all characters and one longer piece. Find words with their
# counts, and pieces with their probabilities, exactly two of them longer than a character, so that it keeps the wrong one. Every character needs a probability; all together make at most one.

# %% tags=["practice"]
from tokenlab.misconceptions.unigram_training import prune_by_prob

my_words, my_pieces = ..., ...  # for example {"ab": 3}, {"a": 0.2, "b": 0.2, "ab": 0.3, "ba": 0.1}

check.bug(prune_by_prob, my_words, my_pieces)

# %% [markdown]
# <details><summary>Hint: a question</summary>When would nobody miss a piece, though it is probable?</details>
# <details><summary>Hint: a smaller example</summary>In <i>this</i>, <code>his</code> has no chance if <code>this</code> is a piece as well.</details>
# <details><summary>Hint: the shape</summary>One longer piece is the word itself. The other has a higher probability, but no word is ever cut with it.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_expected` counts by shares. `ways` lists for each word its segmentations with their probabilities, as in
# `{"ab": [(("a", "b"), 0.1), (("ab",), 0.3)]}`. Fill in by what to divide, and what a piece gets.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_expected(words, ways):
    counts = {}
    for word, count in words.items():
        total = ...
        for cut, probability in ways[word]:
            for piece in cut:
                counts[piece] = counts.get(piece, 0) + ...
    return counts


check.count_expected(my_expected)

# %% [markdown]
# <details><summary>Hint: a question</summary>What must all shares of one word add up to?</details>
# <details><summary>Hint: a smaller example</summary>Probabilities of one tenth and three tenths are shares of one quarter and three quarters.</details>
# <details><summary>Hint: the shape</summary>The sum of the second parts of <code>ways[word]</code>; the word's count, times probability, divided by that sum.</details>
#
# ### Write it · harder, twelve minutes
#
# Write the M-step: a dict of probabilities from a dict of expected counts. A longer piece below one half is dropped; a character
# counts at least one half; then each is divided by the sum of what is left.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_probabilities(counts):
    return ...


check.estimate(my_probabilities)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which sum do you divide by: before or after dropping?</details>
# <details><summary>Hint: a smaller example</summary>From <code>{"a": 0.25, "ab": 0.25, "abc": 1.5}</code>, <i>ab</i> goes, and <i>a</i> counts one half: the sum is two.</details>
# <details><summary>Hint: the shape</summary>A first dict of what is kept, with <code>max</code> for characters; a second one, divided.</details>
#
# ### Another rule · harder, eight minutes
#
# Long pieces need memory. So remove those with the smallest loss *for each of their characters*. `pieces` maps each piece to its
# probability and its loss. Return a sorted list of what stays: all characters, and of the longer pieces the best, `size` in
# all (or only the characters, if they are more); of equals the first in the alphabet. What costs nothing goes in any case.


# %% tags=["practice"]
def my_kept(pieces, size):
    return ...


check.keep_pieces(my_kept)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two numbers do you need?</details>
# <details><summary>Hint: a smaller example</summary>A loss of four for <i>ab</i> is two for each character; six for <i>abcd</i> is one and a half.</details>
# <details><summary>Hint: the shape</summary>Characters in one list. The others: only those with a loss above zero, sorted by minus loss over length, then by name, cut to the room that is left, which is never below zero. Both together, sorted.</details>
#
# ## Before you leave
#
# <details><summary>Why is an expected count a fraction?</summary>
# All segmentations of a word share its count, each by its probability; a piece gets the shares of those that have it.
# </details>
# <details><summary>How can a piece that occurs often be useless?</summary>
# Wherever it occurs, another cut may win. Then no best segmentation uses it, and nobody misses it.
# </details>
# <details><summary>What do E, M and pruning each do?</summary>E counts with the probabilities that there are; M makes new probabilities of the counts; pruning removes what costs least.</details>
#
# **What stays.** Counts are fractions of all paths, and what is frequent may still be useless.
#
# **Read on.** Taku Kudo, *Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
# Candidates*. Next lesson: `08_sentencepiece`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The digamma step
#
# `sentencepiece`, and `train` if you do not say otherwise, does not divide counts. It takes a function called *digamma* of each: nearly the logarithm of the count less
# one half. For a large count that half is nothing, for a small one it is much. So the rare become rarer, and fall below the
# threshold sooner: a Bayesian way to say that most pieces should not exist. What does each make of three counts?

# %%
from math import exp, log

from tokenlab.algorithms.unigram.expectation_maximization import digamma, maximization_step

expected = {"often": 100.0, "twice": 2.0, "once": 1.0}
rows = {name: maximization_step(expected, estimate) for name, estimate in (("divide", log), ("digamma", digamma))}
{name: {piece: round(exp(value), 4) for piece, value in row.items()} for name, row in rows.items()}

# %% [markdown]
# ### Where the seed comes from
#
# Sort all endings of all words. Endings that begin alike become neighbours, and what neighbours share is a substring that occurs
# more than once. What always has the same letter before or behind it is left to the longer substring.

# %%
from tokenlab.algorithms.unigram.seed import maximal_repeats, repeats

maximal_repeats({"banana": 1, "bandana": 1})

# %%
show.source(repeats)

# %% [markdown]
# ### Counting once
#
# The course's training: no E, no M, but an exact loss. *his* occurs as often as *This* here. What is it worth?

# %%
from tokenlab.algorithms.unigram.train_by_counting import train_by_counting

text = "This lamp turns all night. This keeper sleeps by day, for the lamp is lit at dusk. This bell rings where fog hides the sea."
word_counts = count_words(text)
recording = train_by_counting.record(word_counts, 60, whole_words=True)
print("his:", recording[0].loss_increases["his"], "| This:", round(recording[0].loss_increases["This"], 2))
recording

# %% [markdown]
# ### How fast?
#
# The textbook makes a lattice for each word, in each round. In numpy all words take one step together.

# %% tags=["nbval-ignore-output"]
from timeit import timeit

sample = count_words(data.text("english")[:6000])
slow = timeit(lambda: train(sample, 200), number=1)
quick = timeit(lambda: train_arrays(sample, 200), number=1)
f"numpy was {slow / quick:.0f} times as fast, on {len(sample)} words"

# %% [markdown]
# ### Byte-level Unigram
#
# So far the pieces are strings, and a character that the training text lacks is unknown. A **byte-level** tokenizer, such as GPT-2's,
# segments the UTF-8 bytes of a text. Its vocabulary contains every single byte, so it encodes every text without an unknown token.
# The training algorithm is the same: here its words are bytes. GPT-2's pre-tokenizer keeps the space before a word, so
# decoding restores the text exactly. The training text contains no fox emoji. How many tokens does it become?

# %%
from tokenlab.algorithms.unigram.byte_level import ALL_BYTES, ByteLevelEncoder

byte_words = count_words([data.text("english"), data.text("japanese")], split="gpt2", symbols="bytes")
byte_encoder = ByteLevelEncoder(train_arrays(byte_words, 1000, initial_alphabet=ALL_BYTES))
tokens = byte_encoder.encode("see the 🦊 それは")
print(byte_encoder.decode(tokens))
tokens

# %% [markdown]
# A piece may start or end inside a character. The player displays a piece as text if it is valid UTF-8, and otherwise as bytes, such as
# `\xe3\x81`. Step through the lattice and predict which piece is the best one to end at a position.

# %%
from tokenlab.algorithms.unigram.viterbi import viterbi

viterbi.record("それは".encode(), byte_encoder.vocabulary)

# %% [markdown]
# ### More practice: where a piece stands · medium, eight minutes
#
# Count every substring of the words, at each place where it stands, times the word's count. The course printed a probability
# with the count of one word; be more careful.


# %% tags=["practice"]
def my_occurrences(words):
    return ...


check.count_occurrences(my_occurrences)

# %% [markdown]
# <details><summary>Hint: a question</summary>How often does <i>aa</i> stand in <i>aaa</i>?</details>
# <details><summary>Hint: a smaller example</summary><code>{"aa": 3}</code> gives six for <i>a</i> and three for <i>aa</i>.</details>
# <details><summary>Hint: the shape</summary>Three loops: words, starts, ends. Add the word's count for each.</details>
