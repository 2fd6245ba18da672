# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Start here: why subwords?
#
# > **You will be able to** say why language models read neither words nor letters, and work the player that all
# > lessons share.
# >
# > **Time:** ten minutes. **Before this:** nothing; a little Python helps.
#
# Below, one sentence is cut in three ways. Press the arrow keys, or the buttons, and look at the dashed pieces.

# %%
from tokenlab import data
from tokenlab.algorithms.three_ways import cut_three_ways

cut_three_ways.record("The lighthouse keepers were whispering unhappily.", corpus=data.text("english"))

# %% [markdown]
# A model knows a fixed list of pieces, its **vocabulary**. A piece of text that stands in that list is a **token**.
# Both were learned from a *corpus*, which here is a handful of short stories.
#
# - **Words** make short sequences. But a word that the corpus does not have is unknown (dashed), and its meaning is lost.
# - **Characters** are never a surprise. But the sequence becomes long, and the model works for every token.
# - **Subwords** are the middle way: frequent words stay whole, rare ones fall into parts that still say something.
#
# ## Your own sentence
#
# Run the next cell (Shift and Enter), then change the sentence. Try a name, a typing error, another language.

# %%
from tokenlab.show.explore import explore_three_ways

explore_three_ways("Yesterday I unboxed my grandmother's teapot", corpus=data.text("english"))

# %% [markdown]
# Where do characters fail, too? Type an emoji or a Chinese word: the corpus has none, so even its alphabet does not
# know them. How that is solved is a later story, of bytes.
#
# ## The player in two minutes
#
# Every algorithm in these lessons plays like the one below, which trains a tokenizer.
#
# | to do this | press |
# |---|---|
# | a step on, a step back | → and ←, or the buttons |
# | to the start, to the end | Home and End |
# | play, pause | the space bar; the box beside the slider sets the speed |
# | hear where you are | the slider says its step in words to a screen reader |
#
# Click on the player first, so that it gets the keys. Sometimes it stops and asks what comes next. **Guess**: a wrong
# guess that you understand is worth more than a right answer that you read. Nobody keeps the score but you. If you do
# not want to be asked, switch *Predict* off.

# %%
from tokenlab.algorithms.bpe_train import train

train.record({"bun": 15, "pup": 11, "pun": 10}, vocab_size=9)

# %% [markdown]
# What you saw can be had in plain text as well: `print` it, and each step is one sentence. Every player is a
# *recording*, made by a plain Python function.

# %%
recording = train.record({"bun": 15, "pup": 11, "pun": 10}, vocab_size=9)
print(recording)
recording.result

# %% [markdown]
# ## Does everything work on your machine?
#
# A tick means that a part is there. The text box above is alive if the chips followed your typing.

# %% tags=["nbval-ignore-output"]
from tokenlab import show

show.check_machine()

# %% [markdown]
# ## The map
#
# The lessons are numbered, and each stands on its own data. These are ready:
#
# - `01_bpe_training`: how a vocabulary is learned, one merge at a time. **Go there next.**
#
# These follow, in this order: encoding with BPE, bytes and splitting, tiktoken, WordPiece, Unigram, SentencePiece, the
# encoder of tensor2tensor, the tokenizers of Hugging Face, the T5 model, and every way to generate text with it.
#
# ## What stays
#
# - A vocabulary is a fixed list of pieces; a token is a piece of text that stands in it.
# - Words are short but break on the unknown; characters never break but are many; subwords are between.
# - A player steps both ways, asks, and can be printed.
#
# <details><summary>Three questions before you leave</summary>
#
# 1. *Which of the three vocabularies makes the longest sequence?* Characters: one token for each.
# 2. *What happens to a word that a word vocabulary does not have?* It becomes "unknown", and its text is lost.
# 3. *Why do subwords rarely meet an unknown?* They fall back on shorter pieces, down to single characters.
#
# </details>
