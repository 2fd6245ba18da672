# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Bytes and splitting
#
# > **You will be able to** read the strange characters in a byte-level vocabulary; explain why no text is unknown to such a
# > vocabulary; predict where a pattern splits a text, and explain why no token crosses these boundaries.
# >
# > **Time:** core 30 minutes, practice 50 minutes. **Before this:** `02_bpe_encoding`.
#
# <details><summary>Two questions from the last lesson: which pair is merged first? Does BPE find the fewest tokens?</summary>
#
# The pair with the lowest rank is merged first. BPE does not search for the fewest tokens.
# </details>
#
# Chat programs print a model's output token by token. Sometimes the character � appears for a moment in the middle of a Japanese word.
# The next cell loads a ready-made tokenizer and prints the tokens of a text, each decoded alone. (Lesson `04_tiktoken` explains the
# file.) Two tokens cannot be decoded alone. The figure shows the reason: click on the player and step with → and ←. Then point at a
# unit with the mouse. The units of the other rows that belong to it are highlighted.

# %%
from tokenlab import data
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.tiktoken.local_encoding import load_local_encoding

small = load_local_encoding(data.FOLDER / "small.tiktoken")
print([small.decode([id]) for id in small.encode("The 日本語!")])
representation_levels.record("The 日本語!", lambda text: small.decode_tokens_bytes(small.encode(text)))

# %% [markdown]
# The token `The` contains three characters. The character 語 is split into two tokens. **A token is a sequence of bytes.**
#
# A computer stores a text as **bytes**, numbers from 0 to 255. **UTF-8** is the rule that maps characters to bytes: one byte for an English
# letter, two to four bytes for most other characters. The player writes a byte in **hexadecimal** notation: two digits from 0-9
# and a-f, from `00` (0) to `ff` (255).
#
# A **byte-level** vocabulary starts from the 256 bytes, not from characters. Every text is a sequence of bytes, so no text is unknown.
#
# ## Byte symbols
#
# Vocabularies are often stored as text files, but some bytes are not printable characters. So GPT-2 uses a **byte symbol**, a printable stand-in
# character for each byte. A byte whose Unicode character is printable keeps that character. The other bytes get the characters from
# U+0100 (Ā) on. For example, the space becomes `Ġ`. The bytes of the text do not change.

# %%
from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes, bytes_to_symbols

bytes_to_symbols("Hi 日本!".encode()), symbols_to_bytes("Ġæľ¬").decode()

# %% [markdown]
# ## Your own text
#
# Type Chinese, Arabic, Hebrew or an emoji. How many tokens does one visible character become? The emoji of a family consists of several
# characters with invisible joiners between them.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_text_levels

explore_text_levels("naïve 中文 👩‍👧 שלום", small)

# %% [markdown]
# ## Before any merge, the text is split
#
# BPE does not merge across the whole text. A **pre-tokenizer** first splits the text with a pattern. The results are **pre-tokens**. **No
# merge crosses a boundary between pre-tokens**, so the pattern decides which tokens can exist.
#
# A pattern is a list of rules. At each position, the first rule that matches is used. Step through the pattern of GPT-2.
#
# | in a rule | meaning |
# |---|---|
# | `\p{L}`, `\p{N}` | any letter, any digit |
# | `\s`, `\S` | whitespace, anything except whitespace |
# | `+`, `?` | one or more, zero or one |
# | `[^...]` | any character except these |
# | `(?!\S)` | whitespace or the end of the text must follow |

# %%
from tokenlab.algorithms.text.pretokenize import pretokenize, split_gpt2

pretokenize.record("I'll say: don't  go 42 times!")

# %% [markdown]
# The text has two spaces before *go*. The first space is a pre-token of its own. The second space belongs to the next pre-token, ` go`. For
# GPT-2, ` go` and `go` are different tokens. No character is lost: the joined pre-tokens are the text.
#
# ## The function itself
#
# The first function goes through the 256 bytes in order and yields one byte symbol for each.

# %%
from tokenlab import show
from tokenlab.algorithms.text import byte_symbols as byte_alphabet

show.source(byte_alphabet._byte_symbols, byte_alphabet.bytes_to_symbols)

# %% [markdown]
# ## The same call on a production library
#
# The library `tokenizers` uses the same byte symbols and the same pattern. The next cell compares its pre-tokens with ours.

# %%
from tokenizers import pre_tokenizers

text = "Don't panic:  日本 costs 3,000 naïve\n\tlines"
theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
[pretoken for pretoken, _ in theirs] == [bytes_to_symbols(pretoken.encode()) for pretoken in split_gpt2(text)]

# %% [markdown]
# ## Where it breaks
#
# A pattern is part of the tokenizer. In 2024, OpenAI changed the pattern of GPT-4 (`cl100k`) in tiktoken. Since then, spaces after a line break at the
# end of a text are split differently. Older tutorials contain the old pattern, here called `cl100k_2024`. The player opens at the first difference.
# These patterns use two more signs: `(?i:...)` ignores upper and lower case, and `++` matches like `+` but never gives back a character
# (a *possessive* quantifier).

# %%
now = pretokenize.record("hi\n ", "cl100k")
now.diff(pretokenize.record("hi\n ", "cl100k_2024"))

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. Run it again to see the rule, and a third time to see your steps next
# to the correct steps.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# How many pre-tokens does GPT-2's pattern make from `we've 2 cats`? What is the second pre-token? Give an integer and a string.

# %% tags=["practice"]
from tokenlab import check

my_number, my_second = ..., ...

check.pieces(my_number, my_second)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which rule matches an apostrophe?</details>
# <details><summary>Hint: a smaller example</summary><code>I'll</code> becomes two pre-tokens.</details>
# <details><summary>Hint: the shape</summary>A space belongs to the pre-token that follows it.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `char_vocab_not_bytes` uses the code point of each character as its id. It knows the ids 0 to 255. Find two texts (strings): one on which
# the function raises an error, and one for which its ids are not the bytes of the text.

# %% tags=["practice"]
from tokenlab.misconceptions.byte_level_bpe import char_vocab_not_bytes

my_failing, my_different = ..., ...

check.bug(char_vocab_not_bytes, my_failing, my_different)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the code point of a Chinese character, <code>ord("日")</code>?</details>
# <details><summary>Hint: a smaller example</summary>One character is enough for each of the two texts.</details>
# <details><summary>Hint: the shape</summary>For the second text, use a character with a code point from 128 to 255. In UTF-8 it has two bytes.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 4 of 5
#
# `my_split_characters` takes a list of tokens (`bytes`) and returns how many of them cannot be decoded alone. Complete the attempt
# and the type of the error.


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
# <details><summary>Hint: a question</summary>Which method turns bytes into a string? What happens if it fails?</details>
# <details><summary>Hint: a smaller example</summary>Run <code>b"\xc3".decode()</code> in a cell of its own.</details>
# <details><summary>Hint: the shape</summary>Decode the token. The last line of the traceback names the type of the error.</details>
#
# ### Write it · hard · 10 minutes · importance 3 of 5
#
# Write `my_byte_symbols`. It takes bytes and returns a string with one byte symbol per byte. A byte whose character `chr(byte)` is
# printable keeps it. The space does not count as printable. The other bytes, in increasing order, get the characters from `chr(256)` on. Example:
# `b"a b"` gives `"aĠb"`.


# %% tags=["practice"]
def my_byte_symbols(data):
    return ...


check.byte_symbols(my_byte_symbols)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many smaller bytes are not printable? <code>str.isprintable</code> tests a character.</details>
# <details><summary>Hint: a smaller example</summary>The space is byte 32. None of the bytes 0 to 31 is printable, so the space gets <code>chr(256 + 32)</code>.</details>
# <details><summary>Hint: the shape</summary>First build a table of all 256 byte symbols, with a counter for the bytes that are not printable. Then look up each byte.</details>
#
# ### Another rule · hard · 10 minutes · importance 3 of 5
#
# Split a text before each capital letter, and lose no character. Write only the pattern, a raw string such as `r"..."`. In the pattern,
# `\p{Lu}` is a capital letter, `\P{Lu}` is any other character, `*` means zero or more, and `|` separates two rules. Example:
# `camelCaseName` gives `["camel", "Case", "Name"]`.

# %% tags=["practice"]
import regex


def my_split(text):
    return regex.findall(..., text)


check.split_at_capitals(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which character can a pre-token start with, and which characters can follow?</details>
# <details><summary>Hint: a smaller example</summary><code>\p{Lu}\P{Lu}*</code> matches <i>Case</i> and <i>Name</i>.</details>
# <details><summary>Hint: the shape</summary>Write two rules: a capital letter with the characters after it, or characters that are not capital letters.</details>
#
# ## Exit questions
#
# <details><summary>Why does a Chinese text look strange in a byte-level vocabulary?</summary>
# The file shows the byte symbols of its bytes. Converted back to bytes, they are the Chinese characters.
# </details>
# <details><summary>Can one character become several tokens?</summary>
# Yes. A token is a sequence of bytes and may contain only a part of a character.
# </details>
# <details><summary>Why does GPT-2 have no token that contains two words with a space between them?</summary>
# The pattern splits the text before the space, and no merge crosses this boundary.
# </details>
#
# **Summary.** A text has several levels of representation: characters, bytes, byte symbols and tokens. A byte-level vocabulary has no
# unknown text. The pattern splits the text before any merge.
#
# **References.** Alec Radford and others, *Language Models are Unsupervised Multitask Learners* (2019), section "Input
# Representation". **Next lesson:** `04_tiktoken`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### One text, all patterns
#
# Which patterns split numbers into groups of at most three digits? Which patterns split Hindi letters from their vowel signs? Some patterns
# have almost the same rules: `r50k` is a faster form of `gpt2`, and `cl100k_2024` differs from `cl100k` only at the end of a text.

# %%
from tokenlab.algorithms.text.pretokenize import SPLITTERS

text = "It's 12345 नमस्ते, HelloWorld!\n\n  end"
{name: split(text) for name, split in SPLITTERS.items()}

# %% [markdown]
# ### Does every text come back?
#
# Every text that UTF-8 can encode comes back exactly from its tokens. UTF-8 cannot encode a **lone surrogate**, half of a pair of code units
# that only has a meaning together. It becomes �, the replacement character U+FFFD.

# %%
hard = data.text("mixed")
small.decode(small.encode_ordinary(hard)) == hard, small.decode(small.encode_ordinary("\ud83d"))

# %% [markdown]
# ### More practice: the first ids · hard · 10 minutes · importance 2 of 5
#
# The vocabulary of GPT-2 begins with the 256 bytes: first the bytes that keep their own character, in increasing order, then the other
# bytes, in increasing order. Write a function that returns the list of ids of a text in a vocabulary of only these 256 tokens. You may call your
# `my_byte_symbols`. Example: `"!"` gives `[0]`.


# %% tags=["practice"]
def my_byte_ids(text):
    return ...


check.byte_ids(my_byte_ids)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which byte has the id 0?</details>
# <details><summary>Hint: a smaller example</summary>The id of the exclamation mark is 0, because no smaller byte is printable.</details>
# <details><summary>Hint: the shape</summary>Build the list of all bytes in this order once. The id of a byte is its index in the list.</details>
