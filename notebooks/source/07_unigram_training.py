# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Unigram: learning the pieces
#
# > **You will be able to** compute the expected counts of pieces; turn expected counts into probabilities; say which piece
# > is removed from a vocabulary, and why a frequent piece may be removed.
# >
# > **Time:** core 35 minutes, practice 48 minutes. **Before this:** `06_unigram_segmenting`.
#
# <details><summary>Two questions from the last lesson: which segmentation does Unigram choose? What does the Viterbi algorithm store for each position?</summary>
#
# Unigram chooses the segmentation with the largest product of probabilities. For each position, Viterbi stores the score and the last piece of the best path.
# </details>
#
# Each entry of a vocabulary costs a model memory. Some entries are never used. The next cell trains BPE and Unigram with the same size on the English corpus. Then it
# encodes the same corpus and counts the learned tokens that never occur.

# %%
from tokenlab import data
from tokenlab.algorithms.bpe.encode import merge_ranks
from tokenlab.algorithms.bpe.encode_priority_queue import encode_with_priority_queue
from tokenlab.algorithms.bpe.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.unigram.encode import UnigramEncoder
from tokenlab.algorithms.unigram.train_arrays import train_arrays

story = count_words(data.text("english"))
ranks, unigram = merge_ranks(train_indexed(story, 800)), UnigramEncoder(train_arrays(story, 800))
by_bpe = {token for word in story for token in encode_with_priority_queue("".join(word), ranks)}
by_unigram = {piece for word in story for piece in unigram.encode_word("".join(word))}
{"BPE, not used": len(set(ranks) - by_bpe), "Unigram, not used": len(set(unigram.vocabulary) - by_unigram)}

# %% [markdown]
# BPE starts with characters and adds tokens. Some tokens were only needed on the way to longer tokens. Unigram works in the opposite direction: it starts
# with too many pieces and removes those that are needed least. Step through a training. Then type a text of your own,
# or move the slider. Which pieces remain in a small vocabulary?

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_unigram_training

explore_unigram_training(data.text("english")[:1500], vocab_size=90)

# %% [markdown]
# Three stages repeat:
#
# - **E-step** (expectation): count how often each piece is used.
# - **M-step** (maximization): turn the counts into probabilities.
# - **Pruning**: remove the pieces whose removal costs least.
#
# The player also shows the **objective**: the average negative log probability of a word, summed over all its segmentations. Lower is better.
#
# ## The E-step: expected counts
#
# The E-step counts pieces, but each word has many segmentations. So it counts all of them. Each segmentation $s$ of a word $w$ gets a weight, its
# **posterior probability**:
#
# $$P(s \mid w) = \frac{P(s)}{\text{sum of } P \text{ over all segmentations of } w}$$
#
# The **expected count** of a piece is the sum of these weights over all segmentations that contain the piece, multiplied by the count of the word. Expected counts
# are not integers. In the next cell, the pieces are the substrings of five words. Step and make guesses.

# %%
from tokenlab.algorithms.unigram.expectation_maximization import expectation_step
from tokenlab.algorithms.unigram.train_by_counting import count_substrings
from tokenlab.algorithms.unigram.vocabulary import log_probabilities

words = {"this": 9, "his": 3, "is": 12, "hit": 4, "sits": 3}
pieces = log_probabilities(count_substrings(words))
expectation_step.record(words, pieces)

# %% [markdown]
# ## The M-step: new probabilities
#
# The M-step divides each expected count by the sum of all expected counts. Before this, it removes pieces with an expected count below
# 0.5, except single characters. The new probabilities change the posterior probabilities, so the
# E-step runs again. This alternation is **expectation maximization (EM)**. The division never makes the words less probable.
#
# ## Pruning: a frequent piece can be useless
#
# Which pieces should be removed first? Not the rarest pieces, but those that the words need least. If a piece is removed, the words that use it need another
# segmentation. The **loss** of a piece is the resulting decrease of the log probability, divided by the number of words.

# %%
from tokenlab.algorithms.unigram.prune import piece_losses

piece_losses.record(words, pieces)

# %% [markdown]
# The piece `th` occurs in every *this*, but the best segmentation of *this* does not contain it. Its removal costs nothing, so it is removed first. `his` occurs more often than
# `its`, but its loss is smaller, because `hi s` is almost as probable as `his`. **A frequent piece can be useless.** Single
# characters are never removed. Without them, some words would have no segmentation.
#
# ## The function itself
#
# The training starts with a **seed**, a large set of frequent substrings. It repeats two rounds of E-step and M-step and one pruning, which keeps 75 % of the
# pieces. It stops when at most 10 % more pieces than requested are left. A last step removes the rest.

# %%
from tokenlab import show
from tokenlab.algorithms.unigram.train import train

show.source(train)

# %% [markdown]
# ## The same call on a production library
#
# `sentencepiece` introduced this algorithm. The next cell trains both on 80 % of the lines and encodes the other 20 %. `train_arrays` is
# `train` in numpy, with the same stages. Both vocabularies have 500 pieces; sentencepiece adds three special pieces. (The symbol `▁` stands for the space before a word.) Which one needs fewer
# pieces for the new text?

# %%
import io

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

lines, model = data.text("english").lower().splitlines(), io.BytesIO()
training, new = [line for n, line in enumerate(lines) if n % 5], " ".join(lines[::5])
SentencePieceTrainer.train(sentence_iterator=iter(training), model_writer=model, vocab_size=503, minloglevel=2)
ours = UnigramEncoder(train_arrays(count_words(training, lambda line: [f"▁{word}" for word in line.split()]), 500))
{"ours": len(ours.encode(new)), "sentencepiece": len(SentencePieceProcessor(model_proto=model.getvalue()).encode(new))}

# %% [markdown]
# The results differ a little, because the two programs build the seed differently. `sentencepiece` takes it from whole lines. It also allows no piece that
# contains both letters and a comma.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. Run it again to see the rule, and a third time to see your steps next
# to the correct steps.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# The word *ab* has the count 8, and the word *a* has the count 3. The probabilities are: `a` 0.5, `b` 0.2, `ab` 0.3. What are the expected counts of
# `ab` and of `a`? Give two numbers with 2 decimal places.

# %% tags=["practice"]
from tokenlab import check

my_ab, my_a = ..., ...  # two numbers; 2 decimal places are enough

check.expected_by_hand(my_ab, my_a)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which segmentations does <i>ab</i> have, and what is the probability of each?</details>
# <details><summary>Hint: a smaller example</summary>If two segmentations have the probabilities 0.1 and 0.1, the posterior probability of each is 0.5.</details>
# <details><summary>Hint: the shape</summary>The two probabilities are 0.1 and 0.3, with the sum 0.4. Compute both posterior probabilities and multiply them by 8. For <i>a</i>, add the count from the word <i>a</i>.</details>
#
# ### Find the bug · medium · 8 minutes · importance 5 of 5
#
# `prune_by_prob` keeps the most probable pieces instead of the pieces with the largest loss. It keeps all characters and one longer piece. Find word counts, and pieces with their
# probabilities, for which it keeps the wrong piece. Exactly two pieces must be longer than one character. Every character needs a probability, and the sum of all probabilities must be at most 1.

# %% tags=["practice"]
from tokenlab.misconceptions.unigram_training import prune_by_prob

my_words, my_pieces = ..., ...  # for example {"ab": 3}, {"a": 0.2, "b": 0.2, "ab": 0.3, "ba": 0.1}

check.bug(prune_by_prob, my_words, my_pieces)

# %% [markdown]
# <details><summary>Hint: a question</summary>When does the removal of a probable piece cost nothing?</details>
# <details><summary>Hint: a smaller example</summary>If <code>this</code> is a piece, the best segmentation of <i>this</i> does not need <code>his</code>.</details>
# <details><summary>Hint: the shape</summary>One of the longer pieces is the word itself. The other has a higher probability, but no best segmentation contains it.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 5 of 5
#
# `my_expected` returns a dictionary from pieces to expected counts (floats, tolerance 0.000001). `words` maps words to counts. `ways` maps each word to its segmentations with
# their probabilities, as in `{"ab": [(("a", "b"), 0.1), (("ab",), 0.3)]}`. Complete the divisor, and the number that each piece gets.


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
# <details><summary>Hint: a question</summary>What is the sum of all posterior probabilities of one word?</details>
# <details><summary>Hint: a smaller example</summary>The probabilities 0.1 and 0.3 give the posterior probabilities 0.25 and 0.75.</details>
# <details><summary>Hint: the shape</summary>The divisor is the sum of all probabilities in <code>ways[word]</code>. Each piece gets the count of the word times the posterior probability.</details>
#
# ### Write it · hard · 12 minutes · importance 4 of 5
#
# Write the M-step. It takes a dictionary of expected counts and returns a dictionary of probabilities (floats, tolerance 0.000001). Remove longer pieces with an expected count
# below 0.5. If the expected count of a character is below 0.5, use 0.5. Then divide each count by the sum of the remaining counts. Example:
# `{"a": 0.25, "ab": 0.25, "abc": 1.5}` gives `{"a": 0.25, "abc": 0.75}`.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_probabilities(counts):
    return ...


check.estimate(my_probabilities)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which sum is the divisor: the sum before or after the removal?</details>
# <details><summary>Hint: a smaller example</summary>In the example, <i>ab</i> is removed, and <i>a</i> gets the count 0.5. The sum is 2.</details>
# <details><summary>Hint: the shape</summary>Build a dictionary of the remaining counts, with <code>max</code> for characters. Then build a second dictionary with the quotients.</details>
#
# ### Another rule · hard · 8 minutes · importance 3 of 5
#
# Long pieces need more memory. So rank each piece by its loss *divided by its number of characters*. `pieces` maps each piece to a tuple of its probability and its
# loss. Return a sorted list of the pieces that stay: all characters, and the longer pieces with the highest rank, `size` pieces in all (only the characters if there are more). If two pieces are equal, keep the first in alphabetical order. Never keep a longer
# piece with a loss of 0.


# %% tags=["practice"]
def my_kept(pieces, size):
    return ...


check.keep_pieces(my_kept)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two numbers in the tuple do you need?</details>
# <details><summary>Hint: a smaller example</summary>A loss of 4 for <i>ab</i> is 2 per character. A loss of 6 for <i>abcd</i> is 1.5 per character.</details>
# <details><summary>Hint: the shape</summary>Collect the characters. Sort the longer pieces with a loss above 0 by the negative loss per character, then by name. Keep as many as there is room for (at least 0). Sort both lists together.</details>
#
# ## Exit questions
#
# <details><summary>Why is an expected count usually not an integer?</summary>
# All segmentations of a word are counted, each with its posterior probability as a weight.
# </details>
# <details><summary>How can a piece be frequent and useless?</summary>
# It occurs in many words, but their best segmentations use other pieces.
# </details>
# <details><summary>What do the E-step, the M-step and pruning do?</summary>The E-step computes expected counts with the current probabilities. The M-step computes new probabilities from these counts. Pruning removes the pieces with the smallest loss.</details>
#
# **Summary.** Unigram computes expected counts over all segmentations and turns them into probabilities. It removes the pieces that the words need least. A frequent piece may be
# removed.
#
# **References.** Taku Kudo, *Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
# Candidates* (2018). **Next lesson:** `08_sentencepiece`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Two common mistakes
#
# A widely read course trains Unigram without EM: it counts every substring once. Its text prints a count for *p* that belongs to *pug* alone, although *p* occurs in two of the five words.
# Another explanation removes the pieces with the *largest* loss. The next cell counts again, and prints the loss of all words and its increase without two of the pieces.

# %%
from tokenlab.algorithms.unigram.train_by_counting import loss, loss_increase
from tokenlab.misconceptions.unigram_training import word_count_not_occurrences

course = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
once = log_probabilities(counts := count_substrings(course))
print("p, printed:", word_count_not_occurrences(course)["p"], "| counted:", counts["p"], "of", sum(counts.values()))
more = {p: round(loss_increase(course, once, p), 2) for p in ("hu", "hug")}
{"loss": round(loss(course, once), 2), "increase without": more}

# %% [markdown]
# The removal of `hu` costs nothing. Removing the piece with the largest loss would remove the most useful piece.
#
# ### The same training in tokenizers
#
# The library `tokenizers` counts each different word only once when it builds the seed. The next cell trains it on the same lines as above and encodes the same new text.

# %% tags=["nbval-ignore-output"]
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

theirs = Tokenizer(models.Unigram())
theirs.pre_tokenizer = pre_tokenizers.Metaspace()
special = {"unk_token": "<unk>", "special_tokens": ["<unk>"]}
theirs.train_from_iterator(training, trainers.UnigramTrainer(vocab_size=501, show_progress=False, **special))
{"tokenizers": len(theirs.encode(new).tokens)}

# %% [markdown]
# ### The M-step of sentencepiece: digamma
#
# `sentencepiece`, and `train` by default, do not simply divide counts. They first apply $\exp(\psi(c))$ to each count $c$, where $\psi$ is the **digamma function**. For
# large counts, $\exp(\psi(c)) \approx c - 0.5$. So large counts hardly change, and small counts become much smaller. Rare pieces are removed sooner. The next cell compares both M-steps.

# %%
from math import exp, log

from tokenlab.algorithms.unigram.expectation_maximization import digamma, maximization_step

expected = {"often": 100.0, "twice": 2.0, "once": 1.0}
rows = {name: maximization_step(expected, estimate) for name, estimate in (("divide", log), ("digamma", digamma))}
{name: {piece: round(exp(value), 4) for piece, value in row.items()} for name, row in rows.items()}

# %% [markdown]
# ### How the seed is found
#
# The seed contains the substrings that occur more than once. To find them, sort all suffixes of all words. Suffixes with the same start become neighbours, and their common start is a repeated substring.
# If a substring always has the same character before it or after it, only the longer substring is kept.

# %%
from tokenlab.algorithms.unigram.seed import maximal_repeats, repeats

maximal_repeats({"banana": 1, "bandana": 1})

# %%
show.source(repeats)

# %% [markdown]
# ### Training by counting once
#
# The training of the course has no EM, but it computes the loss exactly. In the next text, *his* and *This* occur equally often. How much does each of them reduce the loss?

# %%
from tokenlab.algorithms.unigram.train_by_counting import train_by_counting

text = "This lamp turns all night. This keeper sleeps by day, for the lamp is lit at dusk. This bell rings where fog hides the sea."
recording = train_by_counting.record(count_words(text), 60, whole_words=True)
print("his:", recording[0].loss_increases["his"], "| This:", round(recording[0].loss_increases["This"], 2))
recording

# %% [markdown]
# ### Time
#
# `train` builds a lattice for each word in each round. `train_arrays` computes one position of all words at once, with numpy arrays.

# %% tags=["nbval-ignore-output"]
from timeit import timeit

sample = count_words(data.text("english")[:6000])
slow = timeit(lambda: train(sample, 200), number=1)
quick = timeit(lambda: train_arrays(sample, 200), number=1)
f"train_arrays was {slow / quick:.0f} times as fast as train, on {len(sample)} words"

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
# ### More practice: count all substrings · medium · 8 minutes · importance 2 of 5
#
# Write a function that takes word counts and returns a dictionary from substrings to counts. Each occurrence of a substring in a word adds the count of the word. Example:
# `{"aa": 3}` gives `{"a": 6, "aa": 3}`.


# %% tags=["practice"]
def my_occurrences(words):
    return ...


check.count_occurrences(my_occurrences)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many times does <i>aa</i> occur in <i>aaa</i>?</details>
# <details><summary>Hint: a smaller example</summary>In <i>aba</i> with the count 2, <i>a</i> gets 4, and <i>ab</i>, <i>ba</i>, <i>b</i> and <i>aba</i> get 2.</details>
# <details><summary>Hint: the shape</summary>Use three loops: words, starts, ends. Add the count of the word each time.</details>
