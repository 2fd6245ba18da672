# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Start here: why subwords?
#
# > **You will be able to** explain why language models read neither words nor characters; compare three ways to split a
# > text into tokens; use the player that all lessons share.
# >
# > **Time:** core 15 minutes, practice 15 minutes. **Before this:** nothing; a little Python helps.
#
# A **language model** is a program that reads and writes text. Many language models have answered this question wrongly:
# *How many times does the letter r occur in "strawberry"?* The next cell shows one reason. It prints what a model receives
# instead of the word.

# %%
from tokenlab import data
from tokenlab.tensor2tensor.text_encoder import SubwordTextEncoder

encoder = SubwordTextEncoder(str(data.FOLDER / "english.subwords"))
encoder.encode("strawberry")

# %% [markdown]
# These six numbers are all that a model with this vocabulary sees of the word. No letter is left to count. Each number is the **id** of a **token**, a
# piece of text. The next cell prints the six tokens. Which of them contain an *r*?

# %%
[encoder.decode([id]) for id in encoder.encode("strawberry")]

# %% [markdown]
# One token contains two *r*s, and its id is a single number. The ids do not tell the model how a token is spelled.
#
# A program that splits a text into tokens is a **tokenizer**. Its list of known tokens is the **vocabulary**.
#
# ## Three ways to split a sentence
#
# Why not use words or characters as tokens? The next figure splits one sentence in three ways. Click on the player and
# press → until the end. A dashed border marks an **unknown token**: the vocabulary does not contain it.

# %%
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity

sentence = "Nobody was talking unkindly to the slowest players"
tokenize_at_each_granularity.record(sentence, corpus=data.text("english"), merges=1000)

# %% [markdown]
# All three vocabularies were learned from the same **corpus** (a collection of texts), here a few short stories. Spaces
# only separate words in this example. In later lessons, spaces are part of the tokens.
#
# | tokens | length of the sequence | unknown tokens |
# |---|---|---|
# | words | short | Many: every word that the corpus does not contain. The model cannot see which word it was. |
# | characters | long; each token costs computing time | Few: only characters that the corpus does not contain. |
# | **subwords** | between the two | Few. A frequent word is one token. A rare word is split into shorter tokens, such as `un`, `est` and `ing`. |
#
# Most language models use subwords.
#
# ## Your own sentence
#
# Run the next cell: click on it and press Shift and Enter. Then change the sentence: try a name, a typing error, or
# another language.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_segmentations

explore_segmentations("Yesterday I unpacked my grandmother's teapot", corpus=data.text("english"), merges=1000)

# %% [markdown]
# Did you find a character that is unknown in all three rows? Examples are the capital letter Z and an emoji. The corpus does not
# contain them, so no token contains them. Lesson `03_bytes_and_splitting` solves this problem with bytes.
#
# ## How to use the player
#
# Every algorithm in the lessons is shown in this player. Click on the player first; otherwise it does not receive the keys.
#
# | action | key |
# |---|---|
# | one step forward, one step back | → and ←, or the buttons |
# | go to the start, go to the end | Home and End |
# | play, pause | space bar; the box next to the slider sets the speed |
#
# Sometimes the player asks what the next step is and hides the answer. **Make a guess before you continue.** A wrong
# guess that you understand teaches more than a right answer that you only read. Clear the box
# *Predict* if you do not want questions.
#
# The next player learns a vocabulary from two words. Lesson `01_bpe_training` explains the algorithm. For now, use it to
# try the keys.

# %%
from tokenlab.algorithms.bpe.train import train

recording = train.record({"hi": 5, "ok": 3}, vocab_size=8)
recording

# %% [markdown]
# The variable `recording` contains every step of the algorithm, a plain Python function. You can also print the steps.

# %%
print(recording)

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. The cell checks your answer. If the answer is wrong, the check
# shows an input on which your result is wrong. Run the cell again to see the rule. Run it a third time to see your steps
# next to the correct steps.
#
# ### Trace it · easy · 2 minutes · importance 3 of 5
#
# How many words does `so to speak` contain? How many characters does it contain, without the spaces? Give two integers.

# %% tags=["practice"]
from tokenlab import check

my_words, my_characters = ..., ...

check.token_counts(my_words, my_characters)

# %% [markdown]
# <details><summary>Hint: a question</summary>What separates two words?</details>
# <details><summary>Hint: a smaller example</summary><code>to be</code> has 2 words and 4 characters.</details>
# <details><summary>Hint: the shape</summary>Count the characters of each word and add the counts.</details>
#
# ### Find the bug · easy · 3 minutes · importance 3 of 5
#
# `spaces_plus_one` counts the words of a text. It counts the spaces and adds 1. Find a text (a string) for which its result
# is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.word_counting import spaces_plus_one

my_text = ...

check.bug(spaces_plus_one, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can a text contain a space that is not between two words? Can anything else separate two words?</details>
# <details><summary>Hint: a smaller example</summary>What is the result for the empty text?</details>
# <details><summary>Hint: the shape</summary>Use two spaces in a row, or a space at the start or the end.</details>
#
# ### Complete two lines · easy · 3 minutes · importance 3 of 5
#
# `my_unknown` returns the list of all words that are not in the vocabulary. Both arguments are lists of strings. Complete
# the condition and the return value. Example: the result for `["to", "be"]` and `["be"]` is `["to"]`.


# %% tags=["practice"]
def my_unknown(words, vocabulary):
    unknown = []
    for word in words:
        if ...:
            unknown.append(word)
    return ...


check.unknown_words(my_unknown)

# %% [markdown]
# <details><summary>Hint: a question</summary>How do you test in Python that a list does not contain a value?</details>
# <details><summary>Hint: a smaller example</summary><code>"b" not in ["a"]</code> is <code>True</code>.</details>
# <details><summary>Hint: the shape</summary>Use <code>not in</code> in the condition. Return the list.</details>
#
# ### Write it · medium · 3 minutes · importance 5 of 5
#
# A model receives ids. Here the id of a token is its index in the vocabulary, starting at 0. Both arguments are lists of
# strings. Return the list of the ids; the id of an unknown token is -1. Example: the result for `["b", "x"]` and
# `["a", "b"]` is `[1, -1]`.


# %% tags=["practice"]
def my_ids(tokens, vocabulary):
    return ...


check.token_ids(my_ids)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which method of a list returns the index of a value?</details>
# <details><summary>Hint: a smaller example</summary><code>["a", "b"].index("b")</code> is 1.</details>
# <details><summary>Hint: the shape</summary>Build a list with one number per token: the index if the vocabulary contains the token, otherwise -1.</details>
#
# ### Another rule · medium · 4 minutes · importance 4 of 5
#
# Now no word should be unknown. Keep each word that the vocabulary contains. Replace every other word by its characters.
# Return a list of strings. Example: the result for `["to", "be"]` and `["be"]` is `["t", "o", "be"]`.


# %% tags=["practice"]
def my_fall_back(words, vocabulary):
    return ...


check.fall_back(my_fall_back)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many tokens does one word add to the result?</details>
# <details><summary>Hint: a smaller example</summary><code>list("to")</code> is <code>["t", "o"]</code>.</details>
# <details><summary>Hint: the shape</summary>Start with an empty list. For each word, add one token or several tokens.</details>
#
# ## Exit questions
#
# <details><summary>Which of the three kinds of tokens gives the longest sequence?</summary>Characters: each character is one token.</details>
# <details><summary>What happens to a word that is not in a vocabulary of words?</summary>
# It becomes an unknown token. The model cannot see which word it was.</details>
# <details><summary>Why is a subword rarely unknown?</summary>
# A rare word is split into shorter tokens, in the worst case into single characters.</details>
#
# **Summary**
#
# - A tokenizer splits a text into tokens. The vocabulary is the list of all known tokens. A model receives token ids.
# - Words give short sequences with many unknown tokens. Characters give long sequences with few unknown tokens. Subwords are between the two.
# - You can step through every algorithm forwards and backwards, and you can print its steps.
#
# **Next lesson:** `01_bpe_training` shows how a vocabulary is learned, one step at a time.

# %% [markdown]
# ## Go further
#
# ### Check your installation
#
# The next cell lists the parts of the kit. A tick means that the part is installed.

# %% tags=["nbval-ignore-output"]
from tokenlab import show

show.check_environment()

# %% [markdown]
# ### The lessons
#
# Each lesson starts from its own data, so you can start with any of them.
#
# | topic | lessons |
# |---|---|
# | BPE, used by most models | `01_bpe_training`, `02_bpe_encoding`, `03_bytes_and_splitting`, `04_tiktoken` |
# | other ways to learn subwords | `05_wordpiece`, `06_unigram_segmenting`, `07_unigram_training`, `08_sentencepiece`, `09_subword_text_encoder` |
# | from a corpus to training data | `10_making_training_data` |
# | tokenizers as libraries | `11_tokenizer_pipeline`, `12_slow_and_fast_tokenizers`, `21_auto_classes` |
# | T5, a model that translates | `14_t5_attention`, `15_t5_model`, `16_t5_pretraining` |
# | generating text | `17_greedy_and_sampling`, `18_beam_search`, `19_group_and_constrained_beams`, `20_contrastive_and_streaming` |
