# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Bytes and splitting
#
# > **You will be able to** read a token that looks like garbage; say why no text is unknown to a byte-level vocabulary;
# > predict where a pattern cuts, and why no token crosses a cut.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `02_bpe_encoding`.
#
# <details><summary>Two questions from before: what decides in encoding? What happens to a character that the corpus lacks?</summary>
#
# The lowest rank decides. A character that the corpus lacks is in no vocabulary of characters, so it is unknown.
# </details>
#
# Run each cell as you reach it. Click on the player and step; then point at a part with the mouse, and what belongs to it
# lights up.

# %%
from tokenlab import data, tiktoken
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.algorithms.text.pretokenize import split_gpt2

ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
small = tiktoken.Encoding("small", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens={})
representation_levels.record("The 日本語!", lambda text: small.decode_tokens_bytes(small.encode_ordinary(text)))

# %% [markdown]
# One token has three characters, and one character has two tokens. **Tokens are runs of bytes.** A computer stores a text as *bytes*, numbers below two hundred and fifty-six, by a rule that is
# called UTF-8: one byte for a plain letter, up to four for others. (The player writes a byte in two signs, from `00` to `ff`.) A *byte-level* vocabulary starts from all the bytes that
# exist, not from characters. So no text is unknown to it, and a token may hold a part of a character.
#
# ## Why it looks like garbage and is not
#
# A vocabulary is often stored as a text file, and some bytes have no visible sign. So GPT-2 gives every byte a **byte symbol**, a printable stand-in: a
# byte that is a visible sign in the old Latin alphabet keeps it, and the others borrow letters from further on. A blank becomes
# `Ġ`. A byte symbol is only a name. Nothing in your text has changed.

# %%
from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes, bytes_to_symbols

bytes_to_symbols("Hi 日本!".encode()), symbols_to_bytes("Ġæľ¬").decode()

# %% [markdown]
# ## Your own text
#
# Type Chinese, an emoji, Arabic or Hebrew, an accent. How many tokens can one sign become? An emoji of a family is several
# signs with invisible joiners between them.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_text_levels

explore_text_levels("naïve 中文 👩‍👧 שלום", small)

# %% [markdown]
# ## Before any merge: the text is split
#
# Merges do not run over the whole text. First a pattern cuts it into pieces, and **no merge crosses a cut**. So the pattern
# decides which tokens can exist. Step through GPT-2's pattern: the rules are tried from the top, and the first that matches
# makes the piece. In a rule, `\p{L}` is any letter and `\p{N}` any digit, `\s` white space and `\S` anything else; `+` means one
# or more, `?` one or none, `^` in brackets none of these, and `(?!\S)` that nothing visible follows.

# %%
from tokenlab.algorithms.text.pretokenize import pretokenize

pretokenize.record("I'll say: don't  go 42 times!")

# %% [markdown]
# Where did the second of the two blanks go? One stays alone, and one goes with the next word: for GPT-2 ` go` and `go` are
# different pieces, and become different tokens. And nothing is lost: the pieces, joined, are the text.
#
# ## The function itself
#
# The whole alphabet of byte symbols is derived from one question about each byte.

# %%
from tokenlab import show
from tokenlab.algorithms.text import byte_symbols as byte_alphabet

show.source(byte_alphabet._byte_symbols, byte_alphabet.bytes_to_symbols)

# %% [markdown]
# ## The same call on production libraries
#
# `tokenizers` has the same byte symbols. And its splitter cuts where ours does.

# %%
from tokenizers import pre_tokenizers

text = "Don't panic:  日本 costs 3,000 naïve\n\tlines"
theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
[piece for piece, _ in theirs] == [bytes_to_symbols(piece.encode()) for piece in split_gpt2(text)]

# %% [markdown]
# ## Where it breaks
#
# OpenAI changed the pattern of GPT-4 (`cl100k`) between two versions of its library, and texts that end in blanks after a line
# end are cut differently since. An old tutorial quotes the old one, `cl100k_2024`. The player opens where the two part.

# %%
now = pretokenize.record("hi\n ", "cl100k")
now.diff(pretokenize.record("hi\n ", "cl100k_2024"))

# %% [markdown]
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# How many pieces does GPT-2's pattern make of `we've 2 cats`, and which is the second?

# %% tags=["practice"]
from tokenlab import check

my_number, my_second = ..., ...

check.pieces(my_number, my_second)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which rule matches an apostrophe?</details>
# <details><summary>Hint: a smaller example</summary><code>I'll</code> makes two pieces.</details>
# <details><summary>Hint: the shape</summary>A blank goes with what stands behind it.</details>
#
# ### Find the bug · medium, eight minutes
#
# `char_vocab_not_bytes` takes a character's code as its id, and has an id for every byte value. Find a text on which it fails all
# the same, and one on which it gives ids that are not the text's bytes.

# %% tags=["practice"]
from tokenlab.misconceptions.byte_level_bpe import char_vocab_not_bytes

my_failing, my_different = ..., ...

check.bug(char_vocab_not_bytes, my_failing, my_different)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the code of a Chinese character, <code>ord("日")</code>?</details>
# <details><summary>Hint: a smaller example</summary>One character is enough for each.</details>
# <details><summary>Hint: the shape</summary>For the second: a letter with an accent has a small code, and two bytes.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_split_characters` counts the tokens that cannot be decoded by themselves. Fill in what to try, and which error says no.


# %% tags=["practice"]
def my_split_characters(tokens):
    cut = 0
    for token in tokens:
        try:
            ...
        except ...:
            cut += 1
    return cut


check.split_characters(my_split_characters)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which method makes a text of bytes, and what does it do when it cannot?</details>
# <details><summary>Hint: a smaller example</summary>Try <code>b"\xc3".decode()</code> in a cell of its own.</details>
# <details><summary>Hint: the shape</summary>Decode the token; the error's name stands in the last line of the traceback.</details>
#
# ### Write it · harder, ten minutes
#
# Write `my_byte_symbols` from the description above: a byte whose character can be seen keeps it, the others get, in their order,
# the characters from `chr(256)` on. `str.isprintable` helps, and the blank is an exception.


# %% tags=["practice"]
def my_byte_symbols(data):
    return ...


check.byte_symbols(my_byte_symbols)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many bytes smaller than this one are not visible?</details>
# <details><summary>Hint: a smaller example</summary>The blank is the byte with the number thirty-two; none before it can be seen, so it gets <code>chr(256 + 32)</code>.</details>
# <details><summary>Hint: the shape</summary>First a table of all byte symbols, with a counter for the invisible ones; then look each byte up.</details>
#
# ### Another rule · harder, ten minutes
#
# Cut a text before each capital letter, as in `camelCaseName`, and lose nothing. What is missing is a pattern, a raw string such as `r"..."`:
# `\p{Lu}` is a capital letter, `\P{Lu}` anything else, `*` means any number of them, and a bar separates two rules.

# %% tags=["practice"]
import regex


def my_split(text):
    return regex.findall(..., text)


check.split_at_capitals(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>What may a piece begin with, and what may follow?</details>
# <details><summary>Hint: a smaller example</summary><code>\p{Lu}\P{Lu}*</code> matches <i>Case</i> and <i>Name</i>.</details>
# <details><summary>Hint: the shape</summary>Two rules with a bar between them: a capital and what follows, or what has no capital.</details>
#
# ## Before you leave
#
# <details><summary>Why does Chinese look like garbage in a byte-level vocabulary?</summary>
# The file shows the byte symbols of its bytes. Read as bytes, they are the characters.
# </details>
# <details><summary>Can one character become several tokens?</summary>
# Yes: a token is a run of bytes, and may hold a part of a character.
# </details>
# <details><summary>Why is there no token for two words with a blank between them?</summary>
# The pattern cuts before the blank, and no merge crosses a cut.
# </details>
#
# **What stays.** Text, bytes, byte symbols, tokens: four layers of the same thing. The pattern comes before all merges.
#
# **Read on.** Alec Radford and others, *Language Models are Unsupervised Multitask Learners*, the section on input
# representation. Next lesson: `04_tiktoken`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### One text, every pattern
#
# Which patterns keep numbers together, which cuts at every punctuation mark, and which cut Hindi letters from their vowel
# signs? Some patterns have two names: one was rewritten to be faster, the other in a way that shows only at the end of a text.

# %%
from tokenlab.algorithms.text.pretokenize import SPLITTERS

text = "It's 12345 नमस्ते, HelloWorld!\n\n  end"
{name: split(text) for name, split in SPLITTERS.items()}

# %% [markdown]
# ### Does every text come back?
#
# Every text that UTF-8 can write comes back from its byte symbols, and from its tokens. What UTF-8 cannot write is a *lone
# surrogate*, half of a pair that only makes sense together. It becomes the sign for "unreadable".

# %%
hard = data.text("mixed")
small.decode(small.encode_ordinary(hard)) == hard, small.decode(small.encode_ordinary("\ud83d"))

# %% [markdown]
# ### More practice: the first ids · harder, ten minutes
#
# GPT-2's vocabulary begins with the bytes: first those that keep their own character, in their order, then the others, in theirs.
# Write the ids of a text in a vocabulary that has nothing but these. You may use your `my_byte_symbols`.


# %% tags=["practice"]
def my_byte_ids(text):
    return ...


check.byte_ids(my_byte_ids)

# %% [markdown]
# <details><summary>Hint: a question</summary>Is the first byte that can be seen the byte zero?</details>
# <details><summary>Hint: a smaller example</summary>The id of the exclamation mark is zero: no byte before it can be seen.</details>
# <details><summary>Hint: the shape</summary>Make the list of all bytes in that order once; the id of a byte is its place there.</details>
