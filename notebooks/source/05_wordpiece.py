# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # WordPiece
#
# > **You will be able to** compute the score of a pair by hand; encode a word with a vocabulary alone; say what one letter
# > that is missing from the vocabulary costs.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `02_bpe_encoding`.
#
# <details><summary>Two questions from before: which pair does BPE merge next? What does its encoder need to remember?</summary>
#
# The pair that stands together most often, counted anew after each merge. It needs the merges, in their order.
# </details>
#
# BERT, a language model by Google, gets its tokens from WordPiece. It looks like BPE, but which pair is merged, and how a word is encoded, are different.
# Run the cell and step through the training: a few *hugs*, *pugs* and *buns*. Then change the words, or merge by count instead
# of by score, and see which merges stay.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_wordpiece_training

hugs = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
explore_wordpiece_training(" ".join(word for word, count in hugs.items() for _ in range(count)), vocab_size=16)

# %% [markdown]
# A letter inside a word bears `##`, so `u` and `##u` are two different **pieces**. When two become one, the left piece stays
# as it is, and the right one loses its mark: `h` and `##u` make `hu`, `##g` and `##s` make `##gs`.
#
# ## The score
#
# In the *hugs*, `##u` and `##g` stand together more often than any other pair. Yet `##g` and `##s` are merged first. WordPiece does not
# ask *how often together?* It asks **surprisingly often together?** The **score** is
#
# $$\text{score} = \frac{\text{how often the two stand together}}{\text{how often the left occurs} \times \text{how often the right occurs}}$$
#
# Every word here has a `##u`, so to find one beside `##g` is no news. But `##s` never occurs without `##g` before it.
#
# What does that do to real text? Here are the first merges by each rule, on the same corpus.

# %%
from itertools import islice

from tokenlab import data
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency
from tokenlab.algorithms.wordpiece.train_indexed import train_indexed
from tokenlab.algorithms.text.count_words import count_words

words = count_words(data.text("english"), "bert")
runs = {"by count": train_by_frequency.steps(words, 900), "by score": train_indexed.steps(words, 900, min_frequency=5)}
{rule: " ".join(step.piece for step in islice(steps, 14)) for rule, steps in runs.items()}

# %% [markdown]
# The count finds what is common: `the`, `##in`, `##ed`. The score finds what keeps together: `qu` comes early, for behind every *q* of
# this corpus stands a *u*. (Pairs that occur less than five times were left out here. What happens without that, you see under "Go further".)
#
# ## Encoding: the longest piece first
#
# Training keeps the pieces and forgets the merges. The encoder needs nothing else: it looks up the whole word. If that is no
# piece, the window gets one letter shorter, from the right, until it is one. Then it starts anew behind it. Step, and then
# type words of your own: what becomes of a word with an accent, a foreign letter, a smiley?

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_wordpiece_encoding

vocabulary = train_by_frequency(words, 900)
explore_wordpiece_encoding("lighthousé", vocabulary)

# %% [markdown]
# **One bad letter loses the whole word.** The encoder had `light` in its hand, and threw it away: the word becomes one
# **unknown token**, `[UNK]`. It is not a gap in the word. All that the model will ever know is that some word stood there.
#
# ## The function itself
#
# A window that shrinks, inside a loop over what is left. `check` and `longest` only refuse what is no word, or too long; the
# `else` of the `for` is reached where no window was a piece.

# %%
from tokenlab import show
from tokenlab.algorithms.wordpiece.encode import encode_word

show.source(encode_word)

# %% [markdown]
# ## The same call on a production library
#
# `tokenizers` takes the same vocabulary. On how many words of the corpus, and on the same words with an *é* behind them, do the
# two differ?

# %%
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

ids = {piece: id for id, piece in enumerate(["[UNK]", *vocabulary])}
theirs = models.WordPiece(ids, unk_token="[UNK]")
spelled = ["".join(word) + end for word in words for end in ("", "é")]
differ = [word for word in spelled if [t.value for t in theirs.tokenize(word)] != list(encode_word(word, ids))]
{"words": len(spelled), "differ": len(differ)}

# %% [markdown]
# ## Where it breaks
#
# The encoders agree. The trainers do not. Google has not published how it trained WordPiece; the score is what Hugging Face's course and
# many tutorials teach. Now let their own `WordPieceTrainer` learn from our corpus. What does it merge first?

# %%
live = Tokenizer(models.WordPiece())
live.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
live.train_from_iterator([data.text("english")], trainers.WordPieceTrainer(vocab_size=900, show_progress=False))
in_order = sorted(live.get_vocab(), key=live.get_vocab().get)
" ".join([piece for piece in in_order if len(piece.removeprefix("##")) > 1][:14])

# %% [markdown]
# Compare with the two rows above: it is the count. `WordPieceTrainer` is BPE with a prefix. So there are two algorithms of one
# name; when a paper says that it "trained WordPiece", ask which.
#
# Before the pieces, BERT cleans the text. Google's own code and `tokenizers` disagree there, too. Here is what each makes of a
# Greek word in capitals, and of a character that Unicode leaves to private use; and how many pieces a very long word has.

# %%
from tokenizers import normalizers

from tokenlab.bert import tokenization

google, fast, long = tokenization.BasicTokenizer(), normalizers.BertNormalizer(), "a" * 150
pieces = tokenization.WordpieceTokenizer(["a", "##a"]).tokenize(long)
hf = models.WordPiece({"[UNK]": 0, "a": 1, "##a": 2}, unk_token="[UNK]").tokenize(long)
cleaned = {text: (*google.tokenize(text), fast.normalize_str(text)) for text in ("ΟΔΟΣ", "a\ue000b")}
{"cleaned by Google, by tokenizers": cleaned, "pieces of a long word": (len(pieces), len(hf))}

# %% [markdown]
# Python lower-cases a word as a whole, and knows that a sigma at its end looks different; `tokenizers` goes letter by letter.
# Google keeps private characters, `tokenizers` drops them. And Google gives up on words of more than two hundred letters,
# `tokenizers` already beyond one hundred.
#
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# The words are *low* (six times), *lot* (twice) and *new* (three times). Which pair has the highest score, and what is it?

# %% tags=["practice"]
from tokenlab import check

my_pair, my_score = ..., ...  # for example ("l", "##o"), 8 / (8 * 8); 2 decimal places are enough

check.first_score(my_pair, my_score)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two letters occur hardly ever without each other?</details>
# <details><summary>Hint: a smaller example</summary>In <i>lot</i> alone, <code>##o ##t</code> stands together twice; but <code>##o</code> is also in <i>low</i>.</details>
# <details><summary>Hint: the shape</summary>Count the six letters first, then the five pairs; <code>##w</code> occurs in two words.</details>
#
# ### Find the bug · medium, eight minutes
#
# `frequency_score` calls itself WordPiece, but merges the pair that stands together most often. Find words and counts for which
# its first merge is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.wordpiece import frequency_score

my_words = ...  # for example {"ab": 3, "ac": 2}

check.bug(frequency_score, my_words)

# %% [markdown]
# <details><summary>Hint: a question</summary>When is a pair frequent, and yet no surprise?</details>
# <details><summary>Hint: a smaller example</summary>In <i>ab</i>, <i>ac</i> and <i>ad</i> the <i>a</i> is everywhere: each pair with it has a low score.</details>
# <details><summary>Hint: the shape</summary>Two words share a letter, and a third word has a pair of its own.</details>
#
# ### Complete two lines · easy, five minutes
#
# `my_join` makes one piece of two. Fill in how much of the right piece its mark takes up, and what is put together.


# %% tags=["practice"]
def my_join(left, right):
    marked = ...
    return ...


check.join_pieces(my_join)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two marks must still be there in the end?</details>
# <details><summary>Hint: a smaller example</summary><code>##a</code> and <code>##b</code> make <code>##ab</code>.</details>
# <details><summary>Hint: the shape</summary>A length, and a sum: <code>text[2:]</code> leaves out two characters; <code>replace</code> could take out too many.</details>
#
# ### Write it · harder, fifteen minutes
#
# Write the encoder: the pieces of a word as a tuple, the longest first, or `("[UNK]",)` for a word that cannot be cut.


# %% tags=["practice"]
def my_encode(word, vocabulary):
    return ...


check.encode_wordpiece(my_encode)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two places in the word do you have to remember?</details>
# <details><summary>Hint: a smaller example</summary>With <i>hug</i> and <code>##s</code>: look up <i>hugs</i>, then <i>hug</i>; then, behind it, <code>##s</code>.</details>
# <details><summary>Hint: the shape</summary>A loop while the start is inside the word; within it the end goes down from the end of the word. If it reaches the start, return the unknown token.</details>
#
# ### Another rule · harder, ten minutes
#
# Rare pairs have the highest scores of all. Write a choice that leaves out pairs with a count below `least`. `pair_counts`
# maps pairs to counts, `piece_counts` pieces to counts. Of equal scores take the first; return `()` if no pair is left.


# %% tags=["practice"]
def my_best_pair(pair_counts, piece_counts, least):
    return ...


check.best_pair(my_best_pair)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the score of a pair that occurs once, made of pieces that occur once?</details>
# <details><summary>Hint: a smaller example</summary><code>max({"a": 2, "b": 3}, key={"a": 2, "b": 3}.get)</code> is <code>"b"</code>.</details>
# <details><summary>Hint: the shape</summary>A dict of scores for the pairs that are frequent enough; then <code>max</code> with a key, unless it is empty.</details>
#
# ## Before you leave
#
# <details><summary>Why is the most frequent pair not always merged?</summary>
# Its pieces may be frequent everywhere. The score divides by how often each of them occurs.
# </details>
# <details><summary>What are the tokens of a word whose last letter is in no piece?</summary>One unknown token, and nothing else.</details>
# <details><summary>Why does the encoder need no merges?</summary>
# It takes the longest piece that fits, from the left. Which merges made that piece does not matter.
# </details>
#
# **What stays.** The score asks for pairs that stand together surprisingly often. The encoder takes the longest piece first, and a
# word has all its pieces, or none.
#
# **Read on.** Mike Schuster and Kaisuke Nakajima, *Japanese and Korean Voice Search*. Next lesson: `06_unigram_segmenting`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Surprise is cheap where little is known
#
# A pair that occurs once, of letters that occur once, has the score one: nothing can be higher. Train without a least
# frequency, and see what the score finds surprising.

# %%
" ".join(step.piece for step in islice(train_indexed.steps(words, 900), 14))

# %% [markdown]
# Capitals inside of words, and numbers. Each spends an entry of the vocabulary on one word. How many pieces does the corpus need
# with vocabularies of the same size?

# %%
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder

learned = {"score": train_indexed(words, 800), "score, from 5 times on": train_indexed(words, 800, min_frequency=5)}
learned["count"] = train_by_frequency(words, 800)
{rule: len(WordPieceEncoder(pieces, split="bert").encode(data.text("english"))) for rule, pieces in learned.items()}

# %% [markdown]
# Here the plain count needs the fewest pieces, and the score without a least frequency nearly twice as many.
#
# ### The training function
#
# All pairs and pieces are counted anew before every merge. The scores are fractions, not floats, so that two that are equal
# are equal.

# %%
from tokenlab.algorithms.wordpiece.train import train

show.source(train)

# %% [markdown]
# ### Find the step where a note goes wrong
#
# One of the notes that this kit grew out of trains on *hug* (ten times), *pug* (five times) and *pun* (twelve times). After the first
# merge, `h ##u`, it lists these scores: `hu ##g: 10/(10*15)`, `p ##u: 17/(17*17)`, `##u ##g: 5/(17*15)`,
# `##u ##n: 17/(17*12)`. So it merges `##u ##n`. Run it: which number is wrong, and what is merged?

# %%
train.record({"hug": 10, "pug": 5, "pun": 12}, vocab_size=10)

# %% [markdown]
# `##u ##n` stands in *pun* alone, twelve times. Its score is that of `p ##u`, and `hu ##g` wins.
#
# The same note says that where the encoder finds nothing, *the rest* of the word becomes unknown. That is a program, too:

# %%
from tokenlab.misconceptions.wordpiece import piecewise_unk, rest_unk

pieces = ["un", "##want", "##ed"]
{program.__name__: program("unxwanted", pieces) for program in (rest_unk, piecewise_unk, encode_word)}

# %% [markdown]
# The first two look reasonable until one compares: in BERT, `[UNK]` takes the place of the whole word.
#
# And its loop? Here are the first windows that it looks up, word for word as it is written. What is missing?

# %%
from tokenlab.misconceptions.wordpiece import windows_of_common_code

list(islice(windows_of_common_code("hugs", ["hug", "##s"]), 5)), list(islice(windows_of_common_code("hug", ["hug"]), 5))

# %% [markdown]
# Nothing shortens a window that is no piece. And behind a piece the end stays where it was: the next window is empty, and
# so are all that follow. `encode_word` sets the end anew for each piece, and takes one off where it finds nothing.
#
# ### A dead end
#
# The longest piece may lead where nothing fits. The encoder never goes back, although another cut exists. Which?

# %%
encode_word.record("abc", ["ab", "a", "##bc"])

# %% [markdown]
# ### Two runs, two vocabularies
#
# `tokenizers` numbers the letters inside words in the order of a hash map, which is another one in every run, and lower numbers
# win ties. How many entries of a vocabulary does a second run not have? Run the cell again: the answer changes.

# %% tags=["nbval-ignore-output"]
again = Tokenizer(models.WordPiece())
again.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
again.train_from_iterator([data.text("english")], trainers.WordPieceTrainer(vocab_size=900, show_progress=False))
len(set(live.get_vocab()) - set(again.get_vocab()))
