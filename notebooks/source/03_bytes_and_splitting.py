# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Bytes and splitting
#
# > **You will be able to** read the strange characters in GPT-2's vocabulary file; explain why no text is unknown to a
# > byte-level vocabulary; predict at which places a pattern splits a text, and explain why no token crosses such a place.
# >
# > **Time:** core 30 minutes, practice 50 minutes. **Before this:** `02_bpe_encoding`.
#
# <details><summary>Two questions from the last lesson: which pair is merged first? Does BPE find the fewest tokens?</summary>
#
# The pair with the lowest rank is merged first. BPE does not search for the fewest tokens.
# </details>
#
# Chat programs print the output of a model token by token. In Japanese text, the [**replacement
# character**](../docs/glossary.md#replacement-character) � sometimes appears for a moment. The next cell loads a
# [tokenizer](../docs/glossary.md#tokenizer) from the file `small.tiktoken`, encodes a text, and prints the text of each
# token.
#
# Two tokens are printed as �. In the player, ␣ is a space.

# %%
from tokenlab import data
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.libraries.tiktoken.registry import load_local_encoding

small = load_local_encoding(data.FOLDER / "small.tiktoken")
print([small.decode([id]) for id in small.encode("The 日本語!")])
representation_levels.record("The 日本語!", lambda text: small.decode_tokens_bytes(small.encode(text)))

# %% [markdown]
# The token `The` contains 3 characters. But 語 is split into 2 tokens. The player writes these 2 tokens as bytes:
# `\xe8\xaa` and `\x9e`.
#
# A computer stores a text as [**bytes**](../docs/glossary.md#byte), numbers from 0 to 255.
# [**UTF-8**](../docs/glossary.md#utf-8) is the rule that converts characters to bytes: 1 byte for an English letter, up
# to 4 bytes for other characters. The player writes bytes in [**hexadecimal**](../docs/glossary.md#hexadecimal)
# notation: 2 digits from 0-9 and a-f, from `00` (0) to `ff` (255). Python writes the byte `e8` as `\xe8`, and a
# sequence of bytes as `b"\xe8\xaa"`. `some_text.encode()` returns the UTF-8 bytes of a text, and `some_bytes.decode()`
# converts bytes to text.
#
# A [**byte-level**](../docs/glossary.md#byte-level) vocabulary starts from the 256 bytes, not from characters. **Its
# tokens are sequences of bytes.** Every text is a sequence of bytes, so no text is unknown. A token may contain only a
# part of a character. For such a token, `small.decode` returns �. (`some_bytes.decode()` raises an error.) A chat program
# prints � until the next tokens complete the character.
#
# ## Byte symbols
#
# [**Unicode**](../docs/glossary.md#unicode) gives every character a number, its
# [**code point**](../docs/glossary.md#code-point). `ord(character)` returns the code point, and `chr(code_point)`
# returns the character.
#
# Vocabularies are often stored as text files. But for some bytes, the character `chr(byte)` is invisible. For example,
# `chr(10)` is a line break. So the vocabulary file of OpenAI's language model GPT-2 contains a visible character for
# each byte, its [**byte symbol**](../docs/glossary.md#byte-symbol). If the character `chr(byte)` is printable and not a space, this character is
# the byte symbol. The other bytes get `chr(256)`, `chr(257)` and so on, in order. The bytes 0 to 31 get `chr(256)` to
# `chr(287)`. So the space, byte 32, gets `chr(288)`, `Ġ`.

# %%
from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes, bytes_to_symbols

bytes_to_symbols("Hi 日本!".encode()), symbols_to_bytes("Ġæľ¬").decode()

# %% [markdown]
# ## Your own text
#
# Type Chinese, Arabic, Hebrew or an emoji. How many tokens does one visible character become? The emoji in the box
# consists of 3 characters: a woman, an invisible character and a girl. The player writes the invisible character as
# `\u200d`. Its code point is `200d` in hexadecimal.

# %%
from tokenlab.show.explorers.explore_tokenizers import explore_text_levels

explore_text_levels("naïve 中文 👩‍👧 שלום", small)

# %% [markdown]
# ## Before any merge, the text is split
#
# A [**pre-tokenizer**](../docs/glossary.md#pre-tokenizer) splits the text before BPE starts. The parts are called
# [**pre-tokens**](../docs/glossary.md#pre-token). BPE encodes each pre-token separately. So **no merge crosses a boundary between
# pre-tokens**.
#
# The pre-tokenizer of GPT-2 uses a pattern, a list of rules. For each pre-token, the pre-tokenizer
# tries the rules in order. The first rule that matches the next characters of the text gives the pre-token.
#
# | in a rule | meaning |
# |---|---|
# | `\p{L}`, `\p{N}` | any letter, any digit (or number such as `½`) |
# | `\s`, `\S` | whitespace, any other character |
# | `+`, `?` | one or more, zero or one (of the preceding item) |
# | <code>a&#124;b</code> | *a* or *b* |
# | `[abc]`, `[^abc]` | one of these characters, any other character |
# | `(?!x)` | *x* must not follow. So after `(?!\S)`, there is whitespace or the end of the text. |

# %%
from tokenlab.algorithms.text.pretokenize import pretokenize, split_gpt2

pretokenize.record("I'll say: don't  go 42 times!")

# %% [markdown]
# A *contraction* is an ending such as `'ll`. Of the two spaces before *go*, the first is a pre-token. The
# second belongs to `␣go`. For GPT-2, `␣go` and `go` are different tokens. No character is lost.
#
# <details><summary>Why does the rule <code>\s+(?!\S)</code> match only the first of the two spaces?</summary>
#
# `+` takes as many characters as possible. If the rest of the rule then does not match, `+` gives characters back, one by
# one. Here, `\s+` first takes both spaces. The next character is *g*, so `(?!\S)` does not match. Then `\s+` gives the
# second space back. Now the next character is a space, and `(?!\S)` matches.
# </details>
#
# ## The function itself
#
# The first function yields the 256 byte symbols. `count(256)` gives 256, 257 and so on. `BYTE_TO_SYMBOL` is the
# tuple of the byte symbols. The second function looks up each byte in this tuple. (`x.__getitem__(i)` is `x[i]`.)

# %%
from tokenlab import show
from tokenlab.algorithms.text import byte_symbols as byte_alphabet

show.source(byte_alphabet._byte_symbols, byte_alphabet.bytes_to_symbols)

# %% [markdown]
# ## The same call on a production library
#
# The library `tokenizers` returns pre-tokens in byte symbols. Are the kit's pre-tokens the same?

# %%
from tokenizers import pre_tokenizers

# add_prefix_space=False: add no space before the text.
text = "Don't panic:  日本 costs 3,000 naïve\n\tlines"
theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
[pretoken for pretoken, _ in theirs] == [bytes_to_symbols(pretoken.encode()) for pretoken in split_gpt2(text)]

# %% [markdown]
# ## Where it breaks
#
# If the pattern changes, the ids of a text can change, although the vocabulary is the same. In 2024, OpenAI changed the
# pattern of GPT-4. `cl100k` is the pattern of today. `cl100k_2024` is the older pattern, before this change. The next cell splits
# one text with both patterns. The text ends with a line break and a space. (*Go further* explains the rules.)

# %%
now = pretokenize.record("hi\n ", "cl100k")
now.diff(pretokenize.record("hi\n ", "cl100k_2024"))

# %% [markdown]
# With the new pattern, the line break (↵) and the space are one pre-token and can become one token. With the old
# pattern, they are two pre-tokens, so at least two tokens.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# GPT-2's pattern splits `we've 2 cats`. How many pre-tokens are there? What is the second pre-token? Give an integer and a
# string.

# %% tags=["practice"]
from tokenlab import check

my_number, my_second = ..., ...

check.pieces(my_number, my_second)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which rule is tried first at the apostrophe?</details>
# <details><summary>Hint: a smaller example</summary><code>I'll</code> becomes two pre-tokens.</details>
# <details><summary>Hint: the shape</summary>A single space belongs to the pre-token that follows it.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `char_vocab_not_bytes` should return the bytes of a text as a list of numbers. But it returns the code points of the
# characters, and it knows only the code points 0 to 255. Find two texts (strings). For `my_failing`, the function must
# raise an error. For `my_different`, it must return a wrong list.

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
# `my_split_characters` takes a list of tokens (`bytes`). It should return the number of tokens that cannot be
# decoded alone. Complete the line below `try` and the type of the error. Example: `[b"a", b"\xc3"]` gives 1.


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
# <details><summary>Hint: a question</summary>Which method turns bytes into a string? Which error does it raise?</details>
# <details><summary>Hint: a smaller example</summary>Run <code>b"\xc3".decode()</code> in a new cell.</details>
# <details><summary>Hint: the shape</summary>Decode the token. The last line of the traceback names the type of the error.</details>
#
# ### Write it · hard · 10 minutes · importance 3 of 5
#
# Write `my_byte_symbols`. It takes `bytes` and returns a string with one byte symbol per byte. If the character
# `chr(byte)` is printable and not a space, this character is the byte symbol. The first of the other bytes gets `chr(256)`, the
# second gets `chr(257)`, and so on. Example: `b"a b"` gives `"aĠb"`.


# %% tags=["practice"]
def my_byte_symbols(data):
    return ...


check.byte_symbols(my_byte_symbols)

# %% [markdown]
# <details><summary>Hint: a question</summary>Take a byte that needs a new character. How many bytes with a smaller number also need one? <code>str.isprintable</code> tests a character.</details>
# <details><summary>Hint: a smaller example</summary>The space is byte 32. The bytes 0 to 31 all need a new character, so the space gets <code>chr(256 + 32)</code>.</details>
# <details><summary>Hint: the shape</summary>First build a table of all 256 byte symbols, with a counter for the bytes that need a new character. Then look up each byte.</details>
#
# ### Another rule · hard · 10 minutes · importance 3 of 5
#
# `my_split` should split a text before each capital letter. No character may be lost. The library `regex` is like
# Python's `re`, with more notation. Write the pattern as a raw string, `r"..."`. In a raw string, Python keeps each
# backslash. In the pattern, `\p{Lu}` is a capital letter, and `\P{Lu}` is any other character. `*` means zero or more of
# the item before it. `|` separates two rules. Example: `camelCaseName` gives `["camel", "Case", "Name"]`.

# %% tags=["practice"]
import regex


def my_split(text):
    return regex.findall(..., text)


check.split_at_capitals(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which character can a pre-token start with? Which characters can follow?</details>
# <details><summary>Hint: a smaller example</summary><code>\p{Lu}\P{Lu}*</code> matches <i>Case</i> and <i>Name</i>.</details>
# <details><summary>Hint: the shape</summary>Write two rules. The first matches a capital letter and the other characters after it. The second matches characters at the start of the text that are not capital letters.</details>
#
# ## Exit questions
#
# <details><summary>Why do Chinese tokens look strange in GPT-2's vocabulary file?</summary>
# The file contains one byte symbol per byte. To read a token, replace each byte symbol by its byte, and decode the bytes with UTF-8.
# </details>
# <details><summary>Can one character become several tokens?</summary>
# Yes. In a byte-level vocabulary, a token is a sequence of bytes. It may contain only a part of a character.
# </details>
# <details><summary>Why does GPT-2 have no token that contains two words with a space between them?</summary>
# The pattern splits the text before the space, and no merge crosses this boundary.
# </details>
#
# **Summary.** UTF-8 converts the characters of a text to bytes. A token of a byte-level vocabulary is a sequence of bytes, so no
# text is unknown. The pattern splits the text into pre-tokens before any merge.
#
# **References.** Alec Radford and others, *Language Models are Unsupervised Multitask Learners* (2019), section "Input
# Representation". **Next lesson:** `04_tiktoken`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### One text, all patterns
#
# The next cell splits a text with all patterns of this kit. `whitespace` splits only at whitespace. `gpt2` and its
# faster form `r50k` belong to GPT-2, `cl100k` belongs to GPT-4, and `o200k` to GPT-4o, a later model of OpenAI. `bert`
# belongs to the model BERT (lesson `05_wordpiece`). `cl100k_2024` differs from `cl100k` only at the end of a text.
# Which patterns split numbers into groups of at most 3 digits? Which patterns split the Hindi word *नमस्ते*?
#
# The players of this lesson show the name of each rule. For example, the rule *letters, a symbol before them* matches
# letters and at most one other character before them. The rules of `cl100k` are in the player of *Where it breaks*. The
# rules of `o200k` are in the player at the end of this section. Both patterns use notation that is new:
#
# | in a rule | meaning |
# |---|---|
# | `*`, `{1,3}` | zero or more, one to three (of the preceding item) |
# | `\r`, `\n` | the two characters that end a line |
# | `$` | the end of the text |
# | `(?i:...)` | the part in the parentheses matches upper and lower case |
# | `++`, `?+`, `*+`, `{1,3}+` | as `+`, `?`, `*`, `{1,3}`, but they never give characters back |
# | `\p{Lu}`, `\p{Ll}` | any capital letter, any small letter |
# | `\p{Lt}`, `\p{Lm}`, `\p{Lo}` | three other kinds of letters |
# | `\p{M}` | any mark that changes the character before it |

# %%
from tokenlab.algorithms.text.pretokenize import SPLITTERS

text = "It's 12345 नमस्ते, HelloWorld!\n\n  end"
{name: split(text) for name, split in SPLITTERS.items()}

# %%
pretokenize.record(text, "o200k")

# %% [markdown]
# ### Does every text come back?
#
# Encode a text to ids, then decode the ids. The result is the same text, with one exception: text with
# [**surrogates**](../docs/glossary.md#surrogate). (`encode_ordinary` is `encode` without special tokens, which lesson
# `04_tiktoken` explains.)
#
# The surrogates are the code points from `d800` to `dfff` (hexadecimal). They do not belong to any character, so UTF-8
# cannot convert them. Only UTF-16, another rule for storing characters, uses them: it writes some characters as two
# surrogates. Python writes the surrogate `d83d` as `"\ud83d"`. If a text contains one surrogate alone, tiktoken replaces
# it by �.

# %%
hard = data.text("mixed")
small.decode(small.encode_ordinary(hard)) == hard, small.decode(small.encode_ordinary("\ud83d"))

# %% [markdown]
# ### More practice: the first ids · hard · 10 minutes · importance 2 of 5
#
# The first 256 tokens of GPT-2's vocabulary are the single bytes. First come the bytes 33 to 126, 161 to 172 and 174 to
# 255, in increasing order. (Their byte symbol is `chr(byte)`.) Then come the other bytes, in increasing order. Write
# `my_byte_ids`. It takes a text (a string) and returns the list of the ids of its bytes. You may call your
# `my_byte_symbols`. Example: `"!"` gives `[0]`.


# %% tags=["practice"]
def my_byte_ids(text):
    return ...


check.byte_ids(my_byte_ids)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which byte has the id 0?</details>
# <details><summary>Hint: a smaller example</summary>The exclamation mark is byte 33. Its id is 0, because 33 is the smallest byte whose byte symbol is <code>chr(byte)</code>.</details>
# <details><summary>Hint: the shape</summary>Build the list of all bytes in this order once. The id of a byte is its index in the list.</details>
