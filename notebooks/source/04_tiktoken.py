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
# > spelled like a special token, and who decides.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `03_bytes_and_splitting`.
#
# <details><summary>Two questions from before: what are tokens made of? What comes before all merges?</summary>
#
# Tokens are runs of bytes. Before all merges a pattern cuts the text into pieces.
# </details>
#
# Run each cell as you reach it. Click on the player, and step from the text to the ids.

# %%
from tokenlab import data, tiktoken
from tokenlab.algorithms.text.pretokenize import split_gpt2

ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
special = {"<|endoftext|>": len(ranks), "<|endofprompt|>": len(ranks) + 1}
small = tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
small.encode.record("The player was unhappy: 日本")

# %% [markdown]
# Three things happened, again and again: a pattern cut off a piece; if the whole piece was a token, it was taken at once; if
# not, its bytes were merged by rank. There is no more to it. The rest of this lesson is about the file, and about
# permissions.
#
# ## The file is ranks alone
#
# A `.tiktoken` file has one line for each token: its bytes (written in *base64*: letters, digits and a few signs), and its rank.
# **No merges are stored.** Two neighbours may merge if what they make together is a token, and the lower rank comes first. (You
# have used this before: the encoder never looked a pair up, only what the pair makes.) The rank is also the token's id.

# %%
lines = (data.FOLDER / "small.tiktoken").read_text(encoding="utf-8").splitlines()
lines[:2], lines[300:303], [small.decode_single_token_bytes(id) for id in (300, 301, 302)]

# %% [markdown]
# ## With real ranks, on your own text
#
# We may not include OpenAI's files. If you have one, write its path: a `.tiktoken` file, or a folder with GPT-2's
# `merges.txt` and `vocab.json`. Without one, the small vocabulary of this lesson is used. Type your own text, and step.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_tiktoken
from tokenlab.tiktoken.local_encoding import load_local_encoding

my_files = data.FOLDER / "small.tiktoken"
explore_tiktoken("Your own text, with naïve 日本語 and 👩‍👧.", load_local_encoding(my_files))

# %% [markdown]
# ## A special token is a permission, not a spelling
#
# Some ids have no bytes in the file: **special tokens**, such as the end of a text. A model obeys them. So what if a user
# *types* one? The same text, through three doors.

# %%
from tokenlab.tiktoken.special_token_policy import compare_special_token_policies

compare_special_token_policies.record("Bye.<|endoftext|>", small)

# %% [markdown]
# By default tiktoken raises an error, because somebody may be trying to steer your model. You decide: everything is only text
# (`disallowed_special=()`), or this text may hold special tokens (`allowed_special`). The spelling itself means nothing.
#
# ## The function itself
#
# `encode` first cuts the text at the special tokens that you allowed, so that every second part is one. The rest is this.

# %%
from tokenlab import show
from tokenlab.tiktoken.encode_steps import encode_parts, encode_piece

show.source(encode_parts, encode_piece)

# %% [markdown]
# ## The same call on the production library
#
# Swap one import, and the same cell runs on OpenAI's library, which is written in Rust.

# %%
import tiktoken as production

theirs = production.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
texts = [data.text(name) for name in ["english", "german", "chinese", "japanese", "mixed"]]
[theirs.encode(text) == small.encode(text) for text in texts], small.decode(small.encode(texts[0])) == texts[0]

# %% [markdown]
# ## Where it breaks
#
# *A token that no merge reaches.* Here `abc` has a rank, but neither `ab` nor `bc` has one. Merging alone would never find it. tiktoken
# looks the whole piece up first.
#
# *A token cut off.* Text comes back from all of its tokens. From a part of them it may not: half a character is no text. Decode
# the last id of this vocabulary's `日` alone, and you will see the sign for "unreadable".

# %%
letters = {bytes([byte]): byte for byte in range(256)} | {b"abc": 256}
whole = tiktoken.Encoding("whole", pat_str=r"\w+|\W+", mergeable_ranks=letters, special_tokens={})
print(whole.encode("日"), whole.decode(whole.encode("日")), whole.decode(whole.encode("日")[-1:]))
whole.encode.record("a abc")

# %% [markdown]
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# Besides the single letters there are three tokens. In the order of their ranks: `bc`, `ab`, `bcb`. Into which tokens is the piece
# `abcb` cut?

# %% tags=["practice"]
from tokenlab import check

my_tokens = ...  # for example ["a", "b", "cb"]

check.toy_tokens(my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>After the first merge, which two neighbours make a token?</details>
# <details><summary>Hint: a smaller example</summary>In <i>abc</i>, <code>bc</code> comes before <code>ab</code>.</details>
# <details><summary>Hint: the shape</summary>Two merges, and the first letter is left over.</details>
#
# ### Find the bug · medium, eight minutes
#
# All special tokens are allowed, and the longest that matches is meant. Somebody looks for them in the order in which they were
# given. Find two special tokens and a text on which that goes wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.byte_level_bpe import no_longest_special

my_special, my_text = ..., ...  # for example {"<a>": 0, "<b>": 1}, "x<a>"

check.bug(no_longest_special, my_special, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can one special token be the start of another?</details>
# <details><summary>Hint: a smaller example</summary>Two tokens, and a text that is the longer one.</details>
# <details><summary>Hint: the shape</summary>The shorter one has to be given first.</details>
#
# ### Complete two lines · medium, eight minutes
#
# Fill in how a line of a `.tiktoken` file becomes a token and its rank.

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
# <details><summary>Hint: a question</summary>What stands between the two parts of a line?</details>
# <details><summary>Hint: a smaller example</summary><code>base64.b64decode("YWI=")</code></details>
# <details><summary>Hint: the shape</summary>Split the line; decode the first part for the key.</details>
#
# ### Write it · harder, twelve minutes
#
# Write `my_encode_ordinary`, which gives the list of ids: split, look up, merge. `split_gpt2(text)` gives the pieces, and `encode_by_rank(piece, ranks)` the
# tokens of a piece of bytes.

# %% tags=["practice"]
from tokenlab.algorithms.bpe.encode import encode_by_rank


def my_encode_ordinary(text, ranks):
    return ...


check.encode_ordinary(my_encode_ordinary)

# %% [markdown]
# <details><summary>Hint: a question</summary>Are the pieces text or bytes, and what do the ranks want?</details>
# <details><summary>Hint: a smaller example</summary><code>encode_by_rank("Hi".encode(), ranks)</code> gives the tokens of <i>Hi</i>.</details>
# <details><summary>Hint: the shape</summary>For each piece: its bytes; if they are in the ranks, one id; else an id for each token.</details>
#
# ### Another rule · harder, eight minutes
#
# A chat program must keep a user's text apart from its own special tokens. Write `my_chat`, which gives the ids of a user's text by `small`,
# and behind them the id of the special token, `special["<|endoftext|>"]`. Users may type whatever they like; it is text.


# %% tags=["practice"]
def my_chat(user_text):
    return ...


check.chat(my_chat)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which door makes everything text?</details>
# <details><summary>Hint: a smaller example</summary>Look at the second row of the three doors.</details>
# <details><summary>Hint: the shape</summary>Encode the user's text through that door, then add one id.</details>
#
# ## Before you leave
#
# <details><summary>What does a .tiktoken file hold, and what not?</summary>
# The bytes and the rank of each token. No merges, no pattern, no special tokens.
# </details>
# <details><summary>Why look the whole piece up before merging?</summary>
# It is quick, and some vocabularies have tokens that their merges do not reach.
# </details>
# <details><summary>A user types the text of a special token. What should happen?</summary>
# That is the caller's decision: an error, plain text, or the special token. The spelling decides nothing.
# </details>
#
# **What stays.** Split, look up, merge. A rank is the order of merging and an id. A special token is a permission that the
# caller gives.
#
# **Read on.** The source of `tiktoken`: `core.py` is a page of Python, and `src/lib.rs` the merging.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Two special tokens, one start
#
# `<a>` and `<a><b>` both match at the same place. Here the longest is meant, whatever the order. tiktoken takes the one that its
# hash map happens to list first, so its answer can differ from run to run.

# %%
both = {"<a>": 256, "<a><b>": 257}
bytes_only = {bytes([byte]): byte for byte in range(256)}
two = tiktoken.Encoding("two", pat_str=r"(?s).", mergeable_ranks=bytes_only, special_tokens=both)
compare_special_token_policies.record("x<a><b>", two)

# %% [markdown]
# ### Where is each token in the text?
#
# `decode_with_offsets` says at which character each token begins. Several tokens of one character begin at the same place.

# %%
small.decode_with_offsets(small.encode("naïve 日本"))

# %% [markdown]
# ### What could come next?
#
# A text that is still being typed may end inside a token. `encode_with_unstable` gives the tokens that are sure, and what the
# end may still become.

# %%
stable, completions = small.encode_with_unstable("the light")
small.decode(stable), sorted({small.decode_bytes(ids) for ids in completions})[:8]

# %% [markdown]
# ### How fast is readable Python?
#
# A fresh encoder, and text that it has not seen. On your machine, beside the library in Rust:

# %% tags=["nbval-ignore-output"]
from timeit import timeit

fresh = tiktoken.Encoding("fresh", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens=special)
ours = timeit(lambda: fresh.encode_ordinary(texts[0]), number=1)
rust = timeit(lambda: theirs.encode_ordinary(texts[0]), number=1)
f"tiktoken took {rust / ours:.2f} of our time; the second time, the pieces are remembered"

# %% [markdown]
# ### More practice: who is obeyed? · harder, ten minutes
#
# Cut a text at its special tokens: only at those that are `allowed`, and of two that match the longest. Give the list of parts
# that are not empty; joined, they are the text.


# %% tags=["practice"]
def my_split_special(text, special_tokens, allowed):
    return ...


check.split_special(my_split_special)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is left to do when nothing is allowed?</details>
# <details><summary>Hint: a smaller example</summary><code>regex.split("(b)", "abc")</code> keeps what it cuts at, because of the brackets.</details>
# <details><summary>Hint: the shape</summary>Sort those that are allowed by length, the longest first; <code>regex.escape</code> each; join them with bars.</details>
