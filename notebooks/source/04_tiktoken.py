# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # tiktoken
#
# > **You will be able to** read a `.tiktoken` file; explain why a prompt should not end with a space; say what special
# > tokens and glitch tokens are to a model, and who decides what a typed special token becomes.
# >
# > **Time:** core 60 minutes, practice 45 minutes (and 10 in *Go further*). **Before this:** `03_bytes_and_splitting`.
#
# <details><summary>Two questions from the last lesson: what is a token of a byte-level vocabulary made of? What happens to a text before any merge?</summary>
#
# In a byte-level vocabulary, a token is a sequence of bytes. Before any merge, a pattern splits the text into
# pre-tokens.
# </details>
#
# If a prompt, a text that a model should continue, ends with a space, the output is often worse. Where does the last
# space go? Predict, then choose *no space at the end* from the menu and compare.

# %%
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers

explore_real_tokenizers("a space at the end", ["GPT-2", "GPT-4", "Llama 3", "Qwen 3"])

# %% [markdown]
# The last space becomes a token, `␣`, whereas the others belong to the next words. Of GPT-2's 50,257 entries, 33,090
# begin with a space. Suppose that the next word is *was*. The model can no longer write `␣was`, because there would
# be two spaces, so it must write *was* after the token `␣`. How often has it seen this?
#
# We count this sequence in a text, with a small vocabulary that splits `was`, but not `␣was`.
# `tokenlab.libraries.tiktoken` has the functions of OpenAI's library **tiktoken**. Its `Encoding` takes the
# vocabulary as `mergeable_ranks` and the pattern as `pat_str`.

# %%
from itertools import pairwise

from tokenlab import data
from tokenlab.algorithms.text.pretokenize import split_gpt2
from tokenlab.libraries import tiktoken

ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
special = {"<|endoftext|>": len(ranks), "<|endofprompt|>": len(ranks) + 1}
small = tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
tokens = small.decode_tokens_bytes(small.encode_ordinary(data.text("english")))
{"␣was": tokens.count(b" was"), "␣ and then w": sum(pair == (b" ", b"w") for pair in pairwise(tokens))}

# %% [markdown]
# This sequence never occurs, because the pattern keeps a space and *was* together, and the whole pre-token is one
# token. **So a space at the end puts the model into a situation that its training hardly contains.**
#
# ## From a text to ids
#
# tiktoken repeats 3 steps until the text ends:
#
# 1. The pattern splits off the next [pre-token](../docs/glossary.md#pre-token).
# 2. If the vocabulary contains the whole pre-token, it becomes one token.
# 3. Otherwise, its bytes are merged by [rank](../docs/glossary.md#rank).

# %%
small.encode.record("The player was unhappy: 日本")

# %% [markdown]
# ## The file contains tokens and ranks
#
# A `.tiktoken` file has one line per token: its bytes and its rank, which is also its [id](../docs/glossary.md#id).
# **Here, the 256 single bytes have the ranks 0 to 255, so the first merge has rank 256, not 0.** The bytes are
# written in [**base64**](../docs/glossary.md#base64), a notation with 64 printable characters. Rank 0 is `!`, because
# the bytes with a visible character come first.

# %%
lines = (data.FOLDER / "small.tiktoken").read_text(encoding="utf-8").splitlines()
lines[:2], lines[311:313], [small.decode_single_token_bytes(id) for id in (311, 312)]

# %% [markdown]
# **The file contains no merges and no pattern.** Two adjacent tokens can be merged if their joined bytes are a token,
# and the lowest rank is merged first. So which pair made `␣on`, rank 312? Both `␣` + `on` and `␣o` + `n` are pairs of
# tokens with lower ranks. To decide, encode its bytes with the lower ranks only.

# %%
from tokenlab.algorithms.bpe.encode import encode_by_rank

lower = {token: rank for token, rank in ranks.items() if rank < 312}
encode_by_rank(b" on", lower)

# %% [markdown]
# The lower ranks merge the bytes to these two tokens. Only this pair is left, so its merge made `␣on`.
#
# ## Your own text
#
# Type a text with spaces in several places, including the end.

# %%
from tokenlab import data
from tokenlab.libraries.tiktoken.registry import load_local_encoding
from tokenlab.show.explorers.explore_tiktoken import explore_tiktoken

my_files = data.FOLDER / "small.tiktoken"
explore_tiktoken("Two  spaces, naïve 日本語, 👩‍👧 and a space ", load_local_encoding(my_files))

# %% [markdown]
# ## Special tokens: the caller decides
#
# A [**special token**](../docs/glossary.md#special-token) is a signal to the model, not a part of the text. For
# example, `<|endoftext|>` separates the training texts of GPT-2. Special tokens are not in the file; we gave them
# the next free ids. What happens if a user *types* one?

# %%
from tokenlab.libraries.tiktoken.encode_steps import compare_special_token_policies

compare_special_token_policies.record("Bye.<|endoftext|>", small)

# %% [markdown]
# By default, tiktoken raises an error, because the user may be trying to send a signal to your model.
# `disallowed_special=()` makes it ordinary text, and `allowed_special="all"` makes it the special token.
# **The caller, the program that calls `encode`, decides.**
#
# Chat models use special tokens to mark who speaks. This is a message in Qwen's notation:

# %%
from tokenlab.laboratory.real_tokenizers import compare_real_tokenizers

compare_real_tokenizers.record("ChatML", ["Qwen 3", "Llama 3", "GPT-2"])

# %% [markdown]
# Each mark is one special token for Qwen 3, but ordinary text for the others. If you add special tokens to a trained
# model, the tokenizer only needs new ids. But the model needs a new row for each of them in its
# [embedding](../docs/glossary.md#embedding) (a table with one vector for each entry), and perhaps in a second table
# for its output. New rows are random numbers, so they must be trained on texts with these tokens.
#
# ## Glitch tokens
#
# A [**glitch token**](../docs/glossary.md#glitch-token) is an entry that was rare in the training of the model, so
# its row is hardly trained. Each string below is one token of GPT-2. How many tokens do the other tokenizers need?

# %%
from tokenlab.laboratory.real_tokenizers import texts

names = ["GPT-2", "GPT-4", "GPT-4o", "Qwen 3"]
{text: list(compare_real_tokenizers(name, names).values()) for name, text in texts()["glitch tokens"].items()}

# %% [markdown]
# `␣SolidGoldMagikarp` comes from the name of a user of Reddit, which was frequent in the texts for the tokenizer, but
# rare in the texts for the model. So models behaved strangely when they read it. Later tokenizers were trained on
# other texts, but GPT-4 and Qwen 3 still have `␣davidjl`.
#
# ## Where it breaks
#
# **Merging alone fails.** In the next vocabulary, `abc` has a rank, but `ab` and `bc` have none, so merges cannot
# create it. tiktoken looks up the whole pre-token first, which also saves time. (`\w` is a letter, a digit or `_`; `\W`
# is any other character.)
#
# **Decoding one id fails.** Here, each of the 3 bytes of `日` has its own id.

# %%
letters = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256}
whole = tiktoken.Encoding("whole", pat_str=r"\w+|\W+", mergeable_ranks=letters, special_tokens={})
print(whole.encode("日"), whole.decode(whole.encode("日")), whole.decode(whole.encode("日")[-1:]))
whole.encode.record("a abc")

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# A vocabulary contains the single letters and 3 more tokens. In the order of their ranks, these tokens are `bc`, `ab`,
# `bcb`. Encode the pre-token `abcb`. Give a list of strings.

# %% tags=["practice"]
from tokenlab import check

my_tokens = ...  # for example ["a", "b", "cb"]

check.toy_tokens(my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>After the first merge, which two adjacent tokens form a token together?</details>
# <details><summary>Hint: a smaller example</summary>In <i>abc</i>, <code>bc</code> is merged before <code>ab</code>.</details>
# <details><summary>Hint: the structure</summary>There are two merges. The first letter stays alone.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `no_longest_special` splits a text at its special tokens. If two special tokens match at the same position, this kit
# uses the longer one. But `no_longest_special` uses the first one in the dictionary. Find special tokens (a dictionary
# from strings to ids) and a text (a string) for which the result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.byte_level_bpe import no_longest_special

my_special, my_text = ..., ...  # for example {"<a>": 0, "<b>": 1}, "x<a>"

check.bug(no_longest_special, my_special, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can one special token be the start of another special token?</details>
# <details><summary>Hint: a smaller example</summary>Use two special tokens, and the longer one as the text.</details>
# <details><summary>Hint: the structure</summary>The shorter special token must come first in the dictionary.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 4 of 5
#
# `my_load` takes the lines of a `.tiktoken` file (a list of strings). It should return a dictionary from tokens
# (`bytes`) to ranks (integers). Split the line into its two parts, and complete the key. Example: `["YWI= 7"]` gives
# `{b"ab": 7}`.

# %% tags=["practice"]
import base64


def my_load(lines):
    loaded = {}
    for line in lines:
        encoded, rank = ...
        loaded[...] = int(rank)
    return loaded


check.load_ranks(my_load)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which character separates the two parts of a line?</details>
# <details><summary>Hint: a smaller example</summary><code>base64.b64decode("YWI=")</code> is <code>b"ab"</code>.</details>
# <details><summary>Hint: the structure</summary>Split the line. Decode the first part; it is the key.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# `encode_ordinary` encodes every text as ordinary text, without special tokens. Write `my_encode_ordinary`. Your
# function takes a text (a string) and the ranks (a dictionary from `bytes` to integers). It returns the list of ids.
# Split the text and look up the bytes of each pre-token. If the ranks do not contain these bytes, merge the bytes.
# `split_gpt2(text)` returns the pre-tokens as strings. `encode_by_rank(data, ranks)` takes `bytes` and returns the
# tokens. Example: for `"a b"` and `{b"a": 0, b"b": 1, b" ": 2}`, the result is `[0, 2, 1]`.

# %% tags=["practice"]
from tokenlab.algorithms.bpe.encode import encode_by_rank


def my_encode_ordinary(text, ranks):
    return ...


check.encode_ordinary(my_encode_ordinary)

# %% [markdown]
# <details><summary>Hint: a question</summary>The pre-tokens are strings. Which type are the keys of the ranks?</details>
# <details><summary>Hint: a smaller example</summary><code>encode_by_rank("Hi".encode(), ranks)</code> returns the tokens of <i>Hi</i>.</details>
# <details><summary>Hint: the structure</summary>For each pre-token, take its bytes. If the ranks contain them, append one id. Otherwise, append one id per token.</details>
#
# ### Another rule · hard · 8 minutes · importance 4 of 5
#
# Write `my_chat` for a chat program. It takes a user's text (a string) and returns a list of ids. First come the ids of
# the text, encoded with `small`. Then comes the id `special["<|endoftext|>"]`. Everything that the user types is
# ordinary text. Example: for the empty text, the list contains only the last id.


# %% tags=["practice"]
def my_chat(user_text):
    return ...


check.chat(my_chat)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the three settings treats special tokens as ordinary text?</details>
# <details><summary>Hint: a smaller example</summary>Look at the second row of the figure with the three settings.</details>
# <details><summary>Hint: the structure</summary>Encode the text with this setting, then append one id.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A colleague adds the special token `<|user|>` to the tokenizer of a trained model, changes nothing else, and wonders
# why the model fails. Say in three sentences what the tokenizer now does, what the model lacks, and what must be
# done.
#
# <details><summary>What a good answer contains</summary>
# 1. The tokenizer gives <code>&lt;|user|&gt;</code> one new id, if the caller allows it, instead of the ids of its
#    characters.<br>
# 2. The model has no trained row for this id, neither in the embedding nor in the output.<br>
# 3. Both need a new row, and the rows must be trained on texts that contain the token.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The tokenizer writes the mark as one new id. The embedding and the output of the model have no row for this id. We must add both rows and continue the training with texts that contain the mark.”<br>
# <b>Wrong:</b> “The tokenizer turns the mark into one new id. The model lacks nothing, because it already knows the word user in it. We must only write the mark in every prompt, so that the model gets used to it.” The model never sees the text of a token, only its id, and a row without training carries no meaning.
# </details>
#
# ## Exit questions
#
# <details><summary>What does a .tiktoken file contain, and what does it not contain?</summary>
# It contains the bytes and the rank of each token. It does not contain merges, a pattern or special tokens.
# </details>
# <details><summary>Can you recover the pair that made the token of rank 300? Is it unique?</summary>
# Yes. Encode its bytes with the ranks below 300: two tokens are left, and training learned their merge. (A token that
# no merges reach, such as <code>abc</code> in <i>Where it breaks</i>, has no such pair.)
# </details>
# <details><summary>Why should a prompt not end with a space?</summary>
# The space becomes a token of its own. In the training texts, a space belongs to the word after it, so no word follows
# this token.
# </details>
# <details><summary>You add five special tokens to a trained model. What must change?</summary>
# The tokenizer gets five ids. The model gets five rows in the embedding, and five in the output if it has rows of its
# own; these rows must be trained.
# </details>
# <details><summary>Why does tiktoken look up the whole pre-token before merging?</summary>
# Some vocabularies contain tokens that merging cannot create. The lookup also saves time: if it finds the pre-token, no
# merge is needed.
# </details>
# <details><summary>A user types the text of a special token. What happens?</summary>
# The program that calls <code>encode</code> decides. The text gives an error (by default), becomes ordinary text, or
# becomes the special token.
# </details>
#
# ## The oddities of language models
#
# Lessons 00 to 04 explain these oddities. Each has a rule of the tokenizer behind it.
#
# | oddity | rule that explains it | shown in |
# |---|---|---|
# | A model miscounts the letters of a word. | It receives an id for the whole token, and an id does not say how the token is spelled. | `00_start_here` |
# | The same text costs more in German or Japanese. | Long tokens are the strings that were frequent in the training corpus. | `01_bpe_training` |
# | A model adds long numbers badly. | The pattern groups digits from the left, or merges split them irregularly. | [Real patterns](03_bytes_and_splitting.ipynb#Real-patterns) |
# | Old models are bad and expensive at indented code. | The pattern and the vocabulary decide whether several spaces are one token. | [Real patterns](03_bytes_and_splitting.ipynb#Real-patterns) |
# | � appears for a moment. | A token may contain only a part of a character. | `03_bytes_and_splitting` |
# | A space at the end of a prompt makes the output worse. | A space belongs to the token of the word after it. | [the first cells of this lesson](04_tiktoken.ipynb#tiktoken) |
# | A string such as `␣SolidGoldMagikarp` confuses a model. | The tokenizer and the model were trained on different texts. | [Glitch tokens](04_tiktoken.ipynb#Glitch-tokens) |
#
# **Summary.** tiktoken splits the text and looks up each pre-token. If the vocabulary does not contain the pre-token,
# its bytes are merged by rank. The rank of a token decides the order of merging, and it is also the id. The caller
# decides what the text of a special token becomes. For the model, a token is a row of numbers that training must reach.
#
# **References.** The source code of `tiktoken`: `core.py` for the Python part, `src/lib.rs` for the merges. Jessica
# Rumbelow and Matthew Watkins, *SolidGoldMagikarp (plus, prompt generation)* (2023), and Sander Land and Max Bartolo,
# *Fishing for Magikarp* (2024), found glitch tokens. **Next lesson:** `05_wordpiece`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The function itself
#
# First, `encode` splits the text at the allowed special tokens. The result is the list `parts`. The parts at the
# indices 1, 3, 5 and so on are special tokens. Then `encode_parts` splits the other parts into pre-tokens, each with
# the name of its rule (`splitter.explain`). `encode_piece` encodes one pre-token, which the source code of tiktoken
# calls a *piece*. For speed, pre-tokens of 100 bytes or more (`LONG_PIECE`) are merged by another program, with the
# same result. `yield` hands a step to the player. `yield from f()` hands over the steps of `f` and returns its result.
#
# <details><summary>Why does <code>encode_piece</code> merge the bytes although the ranks contain the pre-token?</summary>
#
# These merges are only for the player, which shows the ids that merging alone would give. Without `.record`, a faster
# program runs. It does not merge here.
# </details>

# %%
from tokenlab import show
from tokenlab.libraries.tiktoken.encode_steps import encode_parts, encode_piece

show.source(encode_parts, encode_piece)


# %% [markdown]
# ### The same call on the production library
#
# The cell encodes 5 texts with the kit and with OpenAI's library, and compares the ids. It also tests if the first text
# comes back.

# %%
import tiktoken as production

theirs = production.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
texts = [data.text(name) for name in ["english", "german", "chinese", "japanese", "mixed"]]
[theirs.encode(text) == small.encode(text) for text in texts], small.decode(small.encode(texts[0])) == texts[0]

# %% [markdown]
# ### The files of OpenAI
#
# This part is optional, because the kit does not include OpenAI's files. If you have a `.tiktoken` file of OpenAI,
# change `my_files` in *Your own text* to the path of this file. GPT-2 has two files instead: `merges.txt`, the list of
# merges, and `vocab.json`, the ids of the tokens. If you have both in one folder, change `my_files` to the path of this
# folder.
#
# ### Two special tokens with the same start
#
# In the text `x<a><b>`, both `<a>` and `<a><b>` match at index 1. This kit uses the longer one. OpenAI's tiktoken may
# use either of them. The order in your dictionary does not decide. (The pattern `(?s).` matches any single character.)

# %%
both = {"<a>": 256, "<a><b>": 257}
bytes_only = {bytes([byte]): byte for byte in range(256)}
two = tiktoken.Encoding("two", pat_str=r"(?s).", mergeable_ranks=bytes_only, special_tokens=both)
compare_special_token_policies.record("x<a><b>", two)

# %% [markdown]
# ### The position of each token in the text
#
# `decode_with_offsets` returns the text and a list with one index per token. The index says at which character the
# token starts. If one character is split into several tokens, these tokens have the same index.

# %%
small.decode_with_offsets(small.encode("naïve 日本"))

# %% [markdown]
# ### Unfinished text
#
# The last tokens of a text may change when more text follows. For example, *the light* may become *the lighter*.
# `encode_with_unstable` returns two results. The first is the *stable* ids: no following text can change them. The
# second is a list of possible endings. Each ending is a list of ids. The stable ids cover only the start of the text,
# here `the`. Each ending starts with the rest of the text, here `␣light`. The text that follows decides which ending is
# right. The next cell prints the text of the stable ids and the texts of the endings.

# %%
stable, completions = small.encode_with_unstable("the light")
small.decode(stable), sorted({small.decode_bytes(ids) for ids in completions})[:8]

# %% [markdown]
# ### How fast is readable Python?
#
# The next cell measures the time of `encode_ordinary` on the English corpus, for OpenAI's tiktoken and for this kit.
# Without `.record`, `encode` and `encode_ordinary` run a faster program than `encode_parts`, with the same results. The
# faster program also stores the ids of each pre-token. `fresh` is a new encoder without stored ids. A result below 1
# means that tiktoken is faster.

# %% tags=["nbval-ignore-output"]
from timeit import timeit

fresh = tiktoken.Encoding("fresh", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
ours = timeit(lambda: fresh.encode_ordinary(texts[0]), number=1)
openai = timeit(lambda: theirs.encode_ordinary(texts[0]), number=1)
f"time of tiktoken / time of this kit: {openai / ours:.2f}"

# %% [markdown]
# ### More practice: split at special tokens · hard · 10 minutes · importance 3 of 5
#
# Write `my_split_special`. It splits a text (a string) at its special tokens and returns the list of parts, without
# empty parts. `special_tokens` is a dictionary from strings to ids. `allowed` is a set of strings. Split only at
# special tokens that are in `allowed`. If several match at the same position, use the longest. The parts, joined, must
# be the text. Example: for `"x<a>"`, `{"<a>": 0}` and `{"<a>"}`, the result is `["x", "<a>"]`.


# %% tags=["practice"]
def my_split_special(text, special_tokens, allowed):
    return ...


check.split_special(my_split_special)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the result if no special token is allowed?</details>
# <details><summary>Hint: a smaller example</summary>First run <code>import regex</code>. Then <code>regex.split("(b)", "abc")</code> is <code>["a", "b", "c"]</code>: the parentheses keep the separator.</details>
# <details><summary>Hint: the structure</summary>Sort the allowed tokens by length, the longest first. Apply <code>regex.escape</code> to each, and join them with <code>|</code>.</details>

# %% [markdown]
# ### The whole algorithm on one page
#
# The file `tokenlab/minimal/gpt2_tokenizer.py` is a whole tokenizer: bytes, the pattern, ranks, special tokens and
# `.tiktoken` files. It returns the same ids as `tiktoken`, but it needs more time, because it looks at all pairs of a
# piece before each merge.

# %%
from tokenlab import show
from tokenlab.minimal import gpt2_tokenizer

show.source(gpt2_tokenizer)
