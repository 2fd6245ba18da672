# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Start here: why subwords?
#
# > **You will be able to** say why language models read neither words nor letters, and use the player that all lessons
# > share.
# >
# > **Time:** ten minutes, and ten more for the practice. **Before this:** nothing; a little Python helps.
#
# A *language model* is a program that reads and writes text, piece by piece. Which pieces? Below, one sentence is cut in
# three ways. Click on the player, then press → until the end, and look at the dashed pieces.

# %%
from tokenlab import data
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity

sentence = "Nobody was talking unkindly to the slowest players"
tokenize_at_each_granularity.record(sentence, corpus=data.text("english"), merges=1000)

# %% [markdown]
# A model knows a fixed list of pieces, its **vocabulary**. A piece of text from that list is a **token**. All three
# vocabularies were learned from the same *corpus*, a collection of texts; here it is a handful of short stories. (Blanks
# only separate words here; later they count.)
#
# - **Words** make short sequences. But a word that the corpus does not have is unknown (dashed): the model cannot see
#   what it was.
# - **Characters** are seldom unknown. But the sequence becomes long, and every token costs the model work.
# - **Subwords** are the middle way. Frequent words stay whole; rare ones fall into shorter pieces, some of which still
#   mean something (`un`, `est`, `ing`).
#
# ## Your own sentence
#
# Run the next cell: click on it and press Shift and Enter. (Do that with every cell from here on.) Then change the
# sentence. Try a name, a typing error, another language.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_tokenizers import explore_segmentations

explore_segmentations("Yesterday I unpacked my grandmother's teapot", corpus=data.text("english"), merges=1000)

# %% [markdown]
# Did you find something that even characters do not know? A letter that the corpus lacks, perhaps a capital Z, an emoji,
# or a Chinese character, is unknown to characters *and* to subwords. A later lesson solves this with bytes.
#
# ## The player in two minutes
#
# Every algorithm in these lessons plays like this. Click on the player first, so that it gets the keys.
#
# | to do this | press |
# |---|---|
# | one step forward, one step back | → and ←, or the buttons |
# | go to the start, to the end | Home and End |
# | play, pause | the space bar; the box beside the slider sets the speed |
#
# Sometimes it asks what comes next, and hides what would give the answer away. **Guess**: a wrong guess that you
# understand is worth more than a right answer that you read. Nobody keeps the score but you. If you do not want to be
# asked, switch *Predict* off.
#
# This one learns a vocabulary from two words. How it does that is the next lesson; here, just steer it.

# %%
from tokenlab.algorithms.bpe.train import train

recording = train.record({"hi": 5, "ok": 3}, vocab_size=8)
recording

# %% [markdown]
# You can also print it, one sentence for each step. What was played is a *recording*, made by a plain Python function.

# %%
print(recording)

# %% [markdown]
# ## Practice, if you like
#
# Five small tasks; each takes two or three minutes. Write in place of the three dots and run the cell: it checks itself. Run it
# again, and it says the rule; once more, and it draws your steps beside the right ones.
#
# ### Trace it · easy
#
# How many words does `so to speak` have, and how many characters, if blanks are not counted?

# %% tags=["practice"]
from tokenlab import check

my_words, my_characters = ..., ...

check.token_counts(my_words, my_characters)

# %% [markdown]
# <details><summary>Hint: a question</summary>What separates words?</details>
# <details><summary>Hint: a smaller example</summary><code>to be</code> has two words and four characters.</details>
# <details><summary>Hint: the shape</summary>Count the letters of each word, and add up.</details>
#
# ### Find the bug · easy
#
# `spaces_plus_one` counts the blanks of a text and adds one, to know how many words it has. Find a text on which that is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.word_counting import spaces_plus_one

my_text = ...

check.bug(spaces_plus_one, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where else can blanks stand, and what else separates words?</details>
# <details><summary>Hint: a smaller example</summary>What does it say of a text without any word?</details>
# <details><summary>Hint: the shape</summary>Two blanks side by side, or one at an end.</details>
#
# ### Complete two lines · easy
#
# `my_unknown` collects the words that a vocabulary does not have. Fill in the condition, and what to return.


# %% tags=["practice"]
def my_unknown(words, vocabulary):
    unknown = []
    for word in words:
        if ...:
            unknown.append(word)
    return ...


check.unknown_words(my_unknown)

# %% [markdown]
# <details><summary>Hint: a question</summary>How does Python ask whether something is not in a list?</details>
# <details><summary>Hint: a smaller example</summary><code>"b" not in ["a"]</code> is true.</details>
# <details><summary>Hint: the shape</summary>A condition with <code>not in</code>; return the list.</details>
#
# ### Write it · medium
#
# A model gets numbers. The *id* of a token is its place in the vocabulary, counted from zero. Write the list of the ids of some
# tokens; an unknown one gets minus one.


# %% tags=["practice"]
def my_ids(tokens, vocabulary):
    return ...


check.token_ids(my_ids)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which method of a list says where something stands in it?</details>
# <details><summary>Hint: a smaller example</summary><code>["a", "b"].index("b")</code> is one.</details>
# <details><summary>Hint: the shape</summary>A list with one number for each token: its index if it is known, else minus one.</details>
#
# ### Another rule · medium
#
# Nothing should be unknown: keep the words that the vocabulary has, and put in place of each other word all of its characters.


# %% tags=["practice"]
def my_fall_back(words, vocabulary):
    return ...


check.fall_back(my_fall_back)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many tokens does one word add?</details>
# <details><summary>Hint: a smaller example</summary><code>list("to")</code> has the two characters.</details>
# <details><summary>Hint: the shape</summary>Start with an empty list; for each word add one token, or several.</details>
#
# ## What stays
#
# - A vocabulary is a fixed list of pieces; a token is a piece of text from that list.
# - Words are few, but many are unknown; characters are many, and hardly one is unknown; subwords are between.
# - A player steps both ways, asks, and can be printed.
#
# <details><summary>Which of the three makes the longest sequence?</summary>Characters: one token for each.</details>
# <details><summary>What happens to a word that a word vocabulary does not have?</summary>
# It becomes "unknown", and the model cannot see what it was.</details>
# <details><summary>Why do subwords rarely meet an unknown?</summary>
# They fall back on shorter pieces, down to single characters.</details>
#
# **Go on** with `01_bpe_training`: how a vocabulary is learned, one step at a time.
#
# ## Does everything work on your machine?
#
# A tick means that a part is there. If the tokens followed your typing above, the live parts work, too.

# %% tags=["nbval-ignore-output"]
from tokenlab import show

show.check_environment()

# %% [markdown]
# ## The map
#
# Each lesson brings its own data, so you can start anywhere.
#
# - BPE, which most models use: `01_bpe_training`, `02_bpe_encoding`, `03_bytes_and_splitting`, `04_tiktoken`.
# - Other ways to learn subwords: `05_wordpiece`; Unigram in `06_unigram_segmenting` and `07_unigram_training`;
#   `08_sentencepiece`; `09_subword_text_encoder`.
# - From a corpus to what a model is trained on: `10_making_training_data`.
#
# More lessons follow, on a model that translates with such tokens.
