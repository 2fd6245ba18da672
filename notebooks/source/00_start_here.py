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
# > **Time:** core 45 minutes, practice 20 minutes. **Before this:** nothing; a little Python helps.
# >
# > **All lessons:** see the last table.
#
# A [**language model**](../docs/glossary.md#language-model) is a program that reads and writes text, but it never sees
# a letter. A [**tokenizer**](../docs/glossary.md#tokenizer) first splits the text into
# [**tokens**](../docs/glossary.md#token), pieces of text from a fixed list, and replaces each token by a number, its
# [**id**](../docs/glossary.md#id).
#
# How many times does the letter r occur in *strawberry*? Many models have answered this wrongly. To see why, look at how
# the tokenizers of 12 well-known models split the question. **To run a cell, click on it and press Shift and Enter.**
# Its output is a *player*: predict whether each letter is a token, then click on the player and press →.

# %%
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers

explore_real_tokenizers("how many letters")

# %% [markdown]
# Each row is a tokenizer, each box is a token, and the number below it is its id. (The sign `␣` or `▁` stands for a
# space.) 9 of the 12 tokenizers have one token for *strawberry*, and the others split it into 2 or 3 pieces. The
# model receives ids, and an id does not say how its token is spelled.
#
# The list of all tokens of a tokenizer is its [**vocabulary**](../docs/glossary.md#vocabulary): GPT-2's has 50,257
# entries, Gemma 3's has 262,145. The menu *text* above the player has 120 texts. Choose some, and predict which
# tokenizers need few tokens. Two examples:
#
# - The first 20 texts are translations of one sentence. For English, all tokenizers need 10 to 12 tokens. For Tamil,
#   GPT-2 needs 83 and Gemma 3 needs 8, because GPT-2 splits even one Tamil letter into several tokens, and Gemma 3
#   has thousands of Tamil tokens.
# - *code · Python, 4 spaces*: BERT and T5 lose the line breaks and the indentation. The rows are sorted by the number of
#   tokens, but tokenizers that lose a part of the text come last.
#
# ## Three ways to split a sentence
#
# Why not use words or characters as tokens? To find out, we compare a vocabulary of words, one of characters and one of
# [**subwords**](../docs/glossary.md#subword), which are whole words or parts of words. Each is learned from a
# [**corpus**](../docs/glossary.md#corpus), a collection of texts, here a few short stories. The first begins like
# this:

# %%
from tokenlab import data

data.text("english")[:150]

# %% [markdown]
# The next cell learns the 3 vocabularies and splits one sentence with each of them. Run it, click on the player and
# press → until the last step. A dashed border marks a piece of text that the vocabulary lacks. In its place, the
# model gets a special entry, the [**unknown token**](../docs/glossary.md#unknown-token).

# %%
from tokenlab.algorithms.text.granularity import tokenize_at_each_granularity

sentence = "Nobody was talking unkindly to the slowest players"
tokenize_at_each_granularity.record(sentence, corpus=data.text("english"), merges=1000)

# %% [markdown]
# The argument `merges=1000` asks for 1,000 subwords that are longer than one character.
#
# | tokens | length of the sequence | unknown tokens |
# |---|---|---|
# | words | short | Many: every word that the corpus does not contain. The model cannot see which word it was. |
# | characters | long; each token costs computing time | Few: only characters that the corpus does not contain. |
# | **subwords** | between the two | Few, as with characters. |
#
# A frequent word is one subword, while a rare word is split into shorter subwords: *slowest* becomes `slow` and `est`. In
# the extreme case, each subword is a single character. Most language models use subwords.
#
# ## Your own sentence
#
# Type a name, a word with a typing error, or a sentence in another language.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_text import explore_segmentations

explore_segmentations("Yesterday I unpacked my grandmother's teapot", corpus=data.text("english"), merges=1000)

# %% [markdown]
# Try the letter Z and an emoji: the corpus does not contain these characters, so no vocabulary does. Lesson
# `03_bytes_and_splitting` solves this problem.
#
# ## How to use the player
#
# The lessons and their Python package `tokenlab` are called *the kit*. All lessons use this player.
#
# | action | key |
# |---|---|
# | one step forward, one step back | → and ←, or the buttons |
# | go to the start, go to the end | Home and End |
# | play, pause | space bar; the box next to the slider sets the speed |
#
# Sometimes the player asks what comes next. **Guess before you continue:** even a wrong guess helps. Remove the tick from
# *Predict* if you do not want questions.
#
# As an example, we learn a vocabulary from 2 words, *hi* (5 times) and *ok* (3 times). The argument `vocab_size` is the
# requested size of the vocabulary. (While a vocabulary is learned, its tokens are called *symbols*, also in the player.)
# Lesson `01_bpe_training` explains the algorithm.

# %%
from tokenlab.algorithms.bpe.train import train

recording = train.record({"hi": 5, "ok": 3}, vocab_size=8)
recording

# %% [markdown]
# Print the steps:

# %%
print(recording)

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. If your answer is wrong, the cell shows an example of the
# mistake. If you do not find the mistake, run the cell again without a change to see the rule. A third run reveals the
# correct steps with all answers, and offers a worked solution. A new kind of mistake starts again without the rule.
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
# <details><summary>Hint: the structure</summary>Count the characters of each word and add the counts.</details>
#
# ### Find the bug · easy · 3 minutes · importance 3 of 5
#
# `spaces_plus_one` should return the number of words in a text. It counts the spaces and adds 1. Find a text (a string)
# for which its result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.word_counting import spaces_plus_one

my_text = ...

check.bug(spaces_plus_one, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can a text contain a space that is not between two words? Can anything else separate two words?</details>
# <details><summary>Hint: a smaller example</summary>What is the result for the empty text?</details>
# <details><summary>Hint: the structure</summary>Use two spaces in a row, or a space at the start or the end.</details>
#
# ### Complete two lines · easy · 3 minutes · importance 3 of 5
#
# `my_unknown` should return the list of all words that are not in the vocabulary. Both arguments are lists of strings.
# Complete the condition and the return value. Example: the result for `["to", "be"]` and `["be"]` is `["to"]`.


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
# <details><summary>Hint: the structure</summary>Use <code>not in</code> in the condition. Return the list.</details>
#
# ### Write it · medium · 3 minutes · importance 5 of 5
#
# Write `my_ids`. Its arguments are two lists of strings, the pieces of a text and a vocabulary. It returns a list with
# one id per piece. Here, the id of a token is its index in the vocabulary, starting at 0. A piece that the vocabulary
# lacks becomes the unknown token, which has the id -1 here. Example: the result for `["b", "x"]` and `["a", "b"]` is
# `[1, -1]`.


# %% tags=["practice"]
def my_ids(pieces, vocabulary):
    return ...


check.token_ids(my_ids)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which method of a list returns the index of a value?</details>
# <details><summary>Hint: a smaller example</summary><code>["a", "b"].index("b")</code> is 1.</details>
# <details><summary>Hint: the structure</summary>Build a list with one number per piece: the index if the vocabulary contains the token, otherwise -1.</details>
#
# ### Another rule · medium · 4 minutes · importance 4 of 5
#
# Write `my_fall_back`. Both arguments are lists of strings. It keeps each word that the vocabulary contains, and it
# replaces
# every other word by its characters. It returns a list of strings. Example: the result for `["to", "be"]` and `["be"]`
# is `["t", "o", "be"]`.


# %% tags=["practice"]
def my_fall_back(words, vocabulary):
    return ...


check.fall_back(my_fall_back)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many tokens does one word add to the result?</details>
# <details><summary>Hint: a smaller example</summary><code>list("to")</code> is <code>["t", "o"]</code>.</details>
# <details><summary>Hint: the structure</summary>Start with an empty list. For each word, add one token or several tokens.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A friend asks: “Why not simply give a language model whole words, or letters?” Say in three sentences what goes wrong with
# words, what goes wrong with characters, and what subwords do instead.
#
# <details><summary>What a good answer contains</summary>
# 1. With words, every word outside the vocabulary becomes the unknown token, and the model cannot see which word it
#    was.<br>
# 2. With characters, hardly anything is unknown, but the sequence is long, and each token costs computing time.<br>
# 3. With subwords, a frequent word is one token, and a rare word is split into shorter ones, so little is unknown and
#    the sequence is short.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “A vocabulary of words cannot contain every word, and the model gets the unknown token for the others. Characters avoid this, but a text then has several times as many tokens. Subwords keep frequent words whole and split rare ones, in the extreme case into characters.”<br>
# <b>Wrong:</b> “Words are too long for a model, because it reads letter by letter. Characters are unknown to it, because they have no meaning. Subwords have a meaning, so the model understands every word.” The model reads no letters, only ids; and subwords are chosen because they are frequent, not because they have a meaning.
# </details>
#
# ## Exit questions
#
# <details><summary>Which of the three kinds of tokens gives the longest sequence?</summary>Characters: each character is one token.</details>
# <details><summary>What happens to a word that is not in a vocabulary of words?</summary>
# It becomes an unknown token. The model cannot see which word it was.</details>
# <details><summary>A vocabulary of subwords does not contain the word slowest. Is the word unknown?</summary>
# No. It is split into shorter subwords, here <code>slow</code> and <code>est</code>. In the extreme case, a subword
# is a single character.</details>
#
# **Summary**
#
# - A tokenizer splits a text into tokens and converts them to ids. The vocabulary is the list of all its tokens. A model
#   sees only the ids.
# - Words give short sequences with many unknown tokens. Characters give long sequences with few unknown tokens.
#   Subwords are between the two.
# - You can step through every algorithm forwards and backwards, and you can print its steps.
#
# **Next lesson:** `01_bpe_training` shows how a vocabulary is learned, one step at a time.

# %% [markdown]
# ## Go further
#
# ### Check your installation
#
# The next cell lists the programs and libraries that the kit uses. A tick (✓) means that the program or library is
# installed.

# %% tags=["nbval-ignore-output"]
from tokenlab import show

show.check_environment()

# %% [markdown]
# ### All lessons
#
# The lessons build on each other. The line *Before this* at the top of a lesson names the lesson that you should read
# first. No
# lesson needs the variables of another lesson.
#
# | topic | lessons |
# |---|---|
# | byte pair encoding (BPE), the most common way to learn subwords | `01_bpe_training`, `02_bpe_encoding`, `03_bytes_and_splitting`, `04_tiktoken` |
# | other ways to learn subwords | `05_wordpiece`, `06_unigram_segmenting`, `07_unigram_training`, `08_sentencepiece`, `09_subword_text_encoder` |
# | from a corpus to training data | `10_making_training_data` |
# | tokenizers as libraries | `11_tokenizer_pipeline`, `12_slow_and_fast_tokenizers`, `21_auto_classes` |
# | T5, a model that translates | `13_t5_in_one_picture`, `14_t5_attention`, `15_t5_model`, `16_t5_pretraining` |
# | generating text | `17_greedy_and_sampling`, `18_beam_search`, `19_group_and_constrained_beams`, `20_contrastive_and_streaming` |
# | why one tokenizer is faster than another one | `22_speed_laboratory` |
# | seven tokenizers compared, and famous errors | `23_seven_tokenizers` |
# | from T5 to a model such as Llama | `24_decoder_only` |
# | capstones: your own tokenizer, your own T5, and your own language model | `capstone_gpt2_tokenizer`, `capstone_t5`, `capstone_decoder` |
