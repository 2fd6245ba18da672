# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # tiktoken
#
# > **You will be able to** read a `.tiktoken` file; follow a text from characters to ids; say what happens to text that is
# > spelled like a special token, and who decides it.
# >
# > **Time:** core 25 minutes, practice 50 minutes. **Before this:** `03_bytes_and_splitting`.
#
# <details><summary>Two questions from the last lesson: what is a token made of? What happens to a text before any merge?</summary>
#
# A token is a sequence of bytes. Before any merge, a pattern splits the text into pre-tokens.
# </details>
#
# A prompt that ends with a space often gives a worse answer. The next cell shows why. **tiktoken** is OpenAI's tokenizer library; `tokenlab.tiktoken`
# has the same functions. The cell encodes a sentence, and then the same sentence in two parts: a prompt that ends with a
# space, and a continuation.

# %%
from tokenlab import data, tiktoken
from tokenlab.algorithms.text.pretokenize import split_gpt2

ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
special = {"<|endoftext|>": len(ranks), "<|endofprompt|>": len(ranks) + 1}
small = tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
{"whole": small.encode("The player was"), "in parts": small.encode("The player ") + small.encode("was")}

# %% [markdown]
# The text is the same, but the ids differ. In its training texts, a model has seen `␣was` as one token, with the space (written ␣
# here). After a prompt that ends with a space, it must continue with tokens that it has rarely seen in this place.
#
# Click on the player and step from the text to the ids.

# %%
small.encode.record("The player was unhappy: 日本")

# %% [markdown]
# Three steps repeat for each part of the text:
#
# 1. The pattern splits off a pre-token. (The source code of tiktoken calls it a *piece*.)
# 2. If the whole pre-token is in the vocabulary, it becomes one token.
# 3. Otherwise, its bytes are merged by rank.
#
# ## The file contains only ranks
#
# A `.tiktoken` file has one line per token: its bytes and its rank. The bytes are written in **base64**, a notation with 64 printable characters.
# **The file contains no merges.** Two adjacent tokens are merged if their joined bytes are a token, lowest rank first. The rank is also
# the id of the token.

# %%
lines = (data.FOLDER / "small.tiktoken").read_text(encoding="utf-8").splitlines()
lines[:2], lines[300:303], [small.decode_single_token_bytes(id) for id in (300, 301, 302)]

# %% [markdown]
# ## Your own text, with real ranks
#
# The kit does not include OpenAI's files. If you have such a file, change `my_files` to its path. It can be a `.tiktoken` file or a folder
# with GPT-2's `merges.txt` and `vocab.json`. Otherwise, the cell uses the small vocabulary of this lesson. Type a text of your own.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_tiktoken
from tokenlab.tiktoken.local_encoding import load_local_encoding

my_files = data.FOLDER / "small.tiktoken"
explore_tiktoken("Your own text, with naïve 日本語 and 👩‍👧.", load_local_encoding(my_files))

# %% [markdown]
# ## Special tokens: the caller decides
#
# Some ids have no bytes in the file. They belong to **special tokens**, such as the end of a text. A model reacts to them. What if a
# user *types* the text of a special token? The next cell encodes such a text with three settings.

# %%
from tokenlab.tiktoken.special_token_policy import compare_special_token_policies

compare_special_token_policies.record("Bye.<|endoftext|>", small)

# %% [markdown]
# - By default, tiktoken raises an error. A user may be trying to control your model.
# - With `disallowed_special=()`, the text of a special token is ordinary text.
# - With `allowed_special="all"`, it becomes the special token. Use this only for text that you wrote yourself.
#
# **The caller decides whether the text of a special token becomes the special token.**
#
# ## The function itself
#
# These two functions produce the steps of the player. Before them, `encode` splits the text at the allowed special tokens. In the list of parts,
# every second part is a special token. Called without `.record`, `encode` runs shorter code with a cache; a test compares the
# results of both.

# %%
from tokenlab import show
from tokenlab.tiktoken.encode_steps import encode_parts, encode_piece

show.source(encode_parts, encode_piece)

# %% [markdown]
# ## The same call on the production library
#
# The next cell runs OpenAI's library, whose core is written in Rust. Only the import differs. It compares the ids of five texts.

# %%
import tiktoken as production

theirs = production.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
texts = [data.text(name) for name in ["english", "german", "chinese", "japanese", "mixed"]]
[theirs.encode(text) == small.encode(text) for text in texts], small.decode(small.encode(texts[0])) == texts[0]

# %% [markdown]
# ## Where it breaks
#
# **A token that no merge reaches.** In the next vocabulary, `abc` has a rank, but neither `ab` nor `bc` has one. Merging alone cannot
# create `abc`. tiktoken finds it, because it first looks up the whole pre-token.
#
# **A part of a character.** The cell also decodes the last id of `日` alone. Its byte is not a complete character, so the result is �.

# %%
letters = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256}
whole = tiktoken.Encoding("whole", pat_str=r"\w+|\W+", mergeable_ranks=letters, special_tokens={})
print(whole.encode("日"), whole.decode(whole.encode("日")), whole.decode(whole.encode("日")[-1:]))
whole.encode.record("a abc")

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. Run it again to see the rule, and a third time to see your steps next
# to the correct steps.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# A vocabulary contains the single letters and three more tokens. In the order of their ranks, these are `bc`, `ab`, `bcb`. Encode the
# pre-token `abcb`. Give a list of strings.

# %% tags=["practice"]
from tokenlab import check

my_tokens = ...  # for example ["a", "b", "cb"]

check.toy_tokens(my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>After the first merge, which two adjacent tokens form a token together?</details>
# <details><summary>Hint: a smaller example</summary>In <i>abc</i>, <code>bc</code> is merged before <code>ab</code>.</details>
# <details><summary>Hint: the shape</summary>There are two merges. The first letter stays alone.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# A text may contain several special tokens, and all of them are allowed. If two of them match at the same position, the longest should be
# used. `no_longest_special` uses the first in the dictionary. Find two special tokens (a dictionary from text to id) and a text for which its result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.byte_level_bpe import no_longest_special

my_special, my_text = ..., ...  # for example {"<a>": 0, "<b>": 1}, "x<a>"

check.bug(no_longest_special, my_special, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can one special token be the start of another special token?</details>
# <details><summary>Hint: a smaller example</summary>Use two special tokens, and the longer one as the text.</details>
# <details><summary>Hint: the shape</summary>The shorter special token must come first in the dictionary.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 4 of 5
#
# `my_load` takes the lines of a `.tiktoken` file (strings) and returns a dictionary from tokens (`bytes`) to ranks. Complete how a line is split and which
# key is stored. Example: `["YWI= 7"]` gives `{b"ab": 7}`.

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
# <details><summary>Hint: the shape</summary>Split the line. Decode the first part; it is the key.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# Write `my_encode_ordinary`. It takes a text and the ranks of tokens (`bytes`), and returns the list of ids. Split the text, look up each pre-token,
# and merge if necessary. `split_gpt2(text)` returns the pre-tokens. `encode_by_rank(data, ranks)` returns the tokens of `bytes`.

# %% tags=["practice"]
from tokenlab.algorithms.bpe.encode import encode_by_rank


def my_encode_ordinary(text, ranks):
    return ...


check.encode_ordinary(my_encode_ordinary)

# %% [markdown]
# <details><summary>Hint: a question</summary>The pre-tokens are strings. Which type are the keys of the ranks?</details>
# <details><summary>Hint: a smaller example</summary><code>encode_by_rank("Hi".encode(), ranks)</code> returns the tokens of <i>Hi</i>.</details>
# <details><summary>Hint: the shape</summary>For each pre-token, take its bytes. If the ranks contain them, append one id. Otherwise, append one id per token.</details>
#
# ### Another rule · hard · 8 minutes · importance 4 of 5
#
# A chat program must not confuse a user's text with its own special tokens. Write `my_chat`. It takes a user's text and returns the ids of
# the text by `small`, followed by the id of the special token, `special["<|endoftext|>"]`. Everything that the user types is ordinary text.


# %% tags=["practice"]
def my_chat(user_text):
    return ...


check.chat(my_chat)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the three settings treats special tokens as ordinary text?</details>
# <details><summary>Hint: a smaller example</summary>Look at the second row of the figure with the three settings.</details>
# <details><summary>Hint: the shape</summary>Encode the text with this setting, then append one id.</details>
#
# ## Exit questions
#
# <details><summary>What does a .tiktoken file contain, and what does it not contain?</summary>
# It contains the bytes and the rank of each token. It does not contain merges, a pattern or special tokens.
# </details>
# <details><summary>Why does tiktoken look up the whole pre-token before merging?</summary>
# The lookup is fast, and some vocabularies contain tokens that merging cannot create.
# </details>
# <details><summary>A user types the text of a special token. What happens?</summary>
# The caller decides: an error, ordinary text, or the special token.
# </details>
#
# **Summary.** tiktoken splits the text, looks up each pre-token, and merges bytes by rank. The rank is the order of merging and also the id. The
# caller decides whether the text of a special token becomes the special token.
#
# **References.** The source code of `tiktoken`: `core.py` for the Python part, `src/lib.rs` for the merges. **Next
# lesson:** `05_wordpiece`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Two special tokens with the same start
#
# `<a>` and `<a><b>` both match at the same position. This kit uses the longest. In tiktoken, the result depends on the order of a
# hash map, not on the order that you give.

# %%
both = {"<a>": 256, "<a><b>": 257}
bytes_only = {bytes([byte]): byte for byte in range(256)}
two = tiktoken.Encoding("two", pat_str=r"(?s).", mergeable_ranks=bytes_only, special_tokens=both)
compare_special_token_policies.record("x<a><b>", two)

# %% [markdown]
# ### The position of each token in the text
#
# `decode_with_offsets` returns the text and, for each token, the index of the character at which it starts. If one character has several
# tokens, they have the same index.

# %%
small.decode_with_offsets(small.encode("naïve 日本"))

# %% [markdown]
# ### Unfinished text
#
# A text that is still being typed may end inside a token. `encode_with_unstable` returns two results: the ids that cannot change any more,
# and the possible continuations of the rest.

# %%
stable, completions = small.encode_with_unstable("the light")
small.decode(stable), sorted({small.decode_bytes(ids) for ids in completions})[:8]

# %% [markdown]
# ### How fast is readable Python?
#
# The next cell measures `encode_ordinary` of this kit and of tiktoken on the English corpus. Our encoder is new, so its cache is empty.

# %% tags=["nbval-ignore-output"]
from timeit import timeit

fresh = tiktoken.Encoding("fresh", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
ours = timeit(lambda: fresh.encode_ordinary(texts[0]), number=1)
rust = timeit(lambda: theirs.encode_ordinary(texts[0]), number=1)
f"time of tiktoken / time of our encode_ordinary with an empty cache: {rust / ours:.2f}"

# %% [markdown]
# ### More practice: split at special tokens · hard · 10 minutes · importance 3 of 5
#
# Write a function that splits a text at its special tokens and returns the list of parts, without empty parts. `special_tokens` is a dictionary,
# `allowed` a set; split only at special tokens in `allowed`. If two match at the same position, use the longest. The joined parts must be the text.


# %% tags=["practice"]
def my_split_special(text, special_tokens, allowed):
    return ...


check.split_special(my_split_special)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the result if no special token is allowed?</details>
# <details><summary>Hint: a smaller example</summary><code>regex.split("(b)", "abc")</code> is <code>["a", "b", "c"]</code>: the parentheses keep the separator.</details>
# <details><summary>Hint: the shape</summary>Sort the allowed tokens by length, the longest first. Apply <code>regex.escape</code> to each, and join them with <code>|</code>.</details>
