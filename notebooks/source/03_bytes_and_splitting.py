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
# > **Time:** core 55 minutes, practice 45 minutes (and 10 in *Go further*). **Before this:** `02_bpe_encoding`.
#
# <details><summary>Two questions from the last lesson: which pair is merged first? Does BPE find the fewest tokens?</summary>
#
# The pair with the lowest rank is merged first. BPE does not search for the fewest tokens.
# </details>
#
# Chat programs print the output of a model token by token. In Japanese text, the [**replacement
# character**](../docs/glossary.md#replacement-character) � sometimes appears for a moment. Why? Predict which of
# these real [tokenizers](../docs/glossary.md#tokenizer) split a character.

# %%
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers

explore_real_tokenizers("Japanese", ["GPT-2", "GPT-4", "GPT-4o", "Llama 3"])

# %% [markdown]
# GPT-2 needs 19 tokens for 12 characters. The first two, `\xe3\x81` and `\x8a`, are parts of one character, お.
#
# A computer stores a text as [**bytes**](../docs/glossary.md#byte), numbers from 0 to 255.
# [**UTF-8**](../docs/glossary.md#utf-8) is the rule that converts characters to bytes: 1 byte for an English letter, up
# to 4 bytes for other characters. Python writes most bytes in [**hexadecimal**](../docs/glossary.md#hexadecimal) notation,
# with 2 digits from 0-9 and a-f, as in `\xe3`. `some_text.encode()` returns the bytes of a text, and
# `some_bytes.decode()` the text.
#
# A [**byte-level**](../docs/glossary.md#byte-level) vocabulary starts from the 256 bytes, not from characters. **Its
# tokens are sequences of bytes**, and every text is a sequence of bytes, so no text is unknown. But a token may contain
# only a part of a character. Such a token is printed as � until the next tokens complete the character.
#
# ## Byte symbols
#
# [**Unicode**](../docs/glossary.md#unicode) gives every character a number, its [**code
# point**](../docs/glossary.md#code-point): `ord(character)` returns it, and `chr(code_point)` returns the character.
# The code points `d800` to `dfff`, the [**surrogates**](../docs/glossary.md#surrogate), are not characters: a string
# can contain one, but UTF-8 cannot convert it, so `tiktoken` (next lesson) replaces it by �.
#
# For some bytes, `chr(byte)` is invisible: `chr(10)` is a line break. Therefore GPT-2's vocabulary file contains a visible
# character for each byte, its [**byte symbol**](../docs/glossary.md#byte-symbol). If `chr(byte)` is printable and not a
# space, it is the byte symbol. The other bytes get `chr(256)`, `chr(257)` and so on, in order. The bytes 0 to 31 come
# first, so the space, byte 32, gets `chr(288)`, `Ġ`.

# %%
from tokenlab.algorithms.text.byte_symbols import symbols_to_bytes, bytes_to_symbols

bytes_to_symbols("Hi 日本!".encode()), symbols_to_bytes("Ġæľ¬").decode()

# %% [markdown]
# ## Your own text
#
# Step through the text. Type your own in the second figure, whose emoji consists of 3 characters: a woman, the
# invisible `\u200d` and a girl.

# %%
from tokenlab import data
from tokenlab.algorithms.text.representation_levels import representation_levels
from tokenlab.libraries.tiktoken.registry import load_local_encoding

small = load_local_encoding(data.FOLDER / "small.tiktoken")
representation_levels.record("Hi 日本語!", lambda text: small.decode_tokens_bytes(small.encode(text)))

# %%
from tokenlab.show.explorers.explore_text import explore_text_levels

explore_text_levels("naïve 👩‍👧 שלום", small)

# %% [markdown]
# ## Before any merge, the text is split
#
# A [**pre-tokenizer**](../docs/glossary.md#pre-tokenizer) splits the text into
# [**pre-tokens**](../docs/glossary.md#pre-token), and BPE encodes each of them separately. So **no merge crosses a
# boundary between pre-tokens**.
#
# GPT-2's pre-tokenizer uses a pattern, a list of rules. It tries them in order, and the first that matches the next
# characters gives the next pre-token.
#
# | in a rule | meaning |
# |---|---|
# | `\p{L}`, `\p{N}` | any letter, any digit (or number such as `½`) |
# | `\s`, `\S` | whitespace, any other character |
# | `+`, `?` | one or more, zero or one (of the preceding item) |
# | <code>a&#124;b</code> | *a* or *b* |
# | `[abc]`, `[^abc]` | one of these characters, any other character |
# | `(?!x)` | *x* must not follow. It looks ahead, but takes nothing. |

# %%
from tokenlab.algorithms.text.pretokenize import pretokenize, split_gpt2

pretokenize.record("I'll say: don't  go 42 times!")

# %% [markdown]
# Of the two spaces before *go*, the first is a pre-token, and the second belongs to `␣go`. The rule is *whitespace,
# except the last one*, `\s+(?!\S)`:
#
# 1. `\s+` takes as much as possible, both spaces. But `(?!\S)` forbids the *g* that follows.
# 2. Therefore `\s+` gives one space back. Now a space follows, so the rule matches one space.
# 3. The other space is left for ` ?\p{L}+`, which takes `␣go`.
#
# ## Real patterns
#
# How do real models split contractions such as `'ll`, digits and indentation?

# %%
import regex
from tokenlab.laboratory.real_tokenizers import compare_real_tokenizers, real_tokenizer

names = ["GPT-2", "GPT-4", "Llama 3", "Qwen 3"]
{name: "|".join(regex.findall(real_tokenizer(name).splits, "I'll DON'T 12345:\n    x = 1")) for name in names}

# %%
print({name: [token.shown for token in real_tokenizer(name).tokens("a large number")] for name in names})
compare_real_tokenizers("Python, 4 spaces", names)

# %% [markdown]
# - **Digits.** GPT-2's pattern takes any number of digits, so the merges divide 1234567890 irregularly, into 123, 45,
#   678 and 90. GPT-4 and Llama 3 take 3 digits from the left, so the first token of 1234 means 123 tens, but that of
#   12345 means 123 hundreds. This makes arithmetic hard. In Qwen 3, each digit is one token.
# - **Spaces.** All patterns keep several spaces together, but GPT-2's vocabulary has no tokens for them. It needs 31 tokens for a short Python function; the others need 20.
# - **Contractions.** GPT-2 knows them in lower case only, so it splits `DON'T` before and after the apostrophe.
#
# ## The function itself
#
# The first function yields the 256 byte symbols, which are stored in the tuple `BYTE_TO_SYMBOL`. (`count(256)` gives
# 256, 257 and so on; `x.__getitem__(i)` is `x[i]`.)

# %%
from tokenlab import show
from tokenlab.algorithms.text import byte_symbols as byte_alphabet

show.source(byte_alphabet._byte_symbols, byte_alphabet.bytes_to_symbols)

# %% [markdown]
# ## Where it breaks
#
# If the pattern changes, the ids of a text can change, although the vocabulary is the same. In 2024, OpenAI changed
# GPT-4's pattern. This kit calls the old one `cl100k_0_7` and the new one `cl100k`.

# %%
now = pretokenize.record("hi\n ", "cl100k")
now.diff(pretokenize.record("hi\n ", "cl100k_0_7"))

# %% [markdown]
# With the new pattern, the line break (↵) and the space are one pre-token and can become one token. The old pattern
# separates them.
#
# <details><summary>What do <code>++</code> and <code>$</code> mean in these rules?</summary>
#
# `++` is one or more, like `+`, but it never gives a character back. `$` is the end of the text. *Go further*
# explains all rules.
# </details>
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# GPT-2's pattern splits `we've 2 cats`. How many pre-tokens are there? What is the second pre-token? Give an integer
# and a string.

# %% tags=["practice"]
from tokenlab import check

my_number, my_second = ..., ...

check.pieces(my_number, my_second)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which rule is tried first at the apostrophe?</details>
# <details><summary>Hint: a smaller example</summary><code>I'll</code> becomes two pre-tokens.</details>
# <details><summary>Hint: the structure</summary>A single space belongs to the pre-token that follows it.</details>
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
# <details><summary>Hint: the structure</summary>For the second text, use a character with a code point from 128 to 255. In UTF-8 it has two bytes.</details>
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
# <details><summary>Hint: the structure</summary>Decode the token. The last line of the traceback names the type of the error.</details>
#
# ### Write it · hard · 10 minutes · importance 3 of 5
#
# Write `my_byte_symbols`. It takes `bytes` and returns a string with one byte symbol per byte. Work in two parts:
# build the table of all 256 byte symbols in a loop, then look up each byte of `data`. (`for byte in data` yields
# integers, and `chr(byte).isprintable()` tests a
# character.) Example: `b"a b"` gives `"aĠb"`.
#
# | byte | is `chr(byte)` printable and not a space? | byte symbol |
# |---|---|---|
# | 0, 1, ..., 31 | no | the next unused ones: `chr(256)`, `chr(257)`, ..., `chr(287)` |
# | 32 | no, it is the space | the next unused one: `chr(288)` |
# | 33, 34, ..., 126 | yes | `chr(33)`, `chr(34)`, ..., `chr(126)` |
# | 127 | no | the next unused one: `chr(289)` |


# %% tags=["practice"]
def my_byte_symbols(data):
    return ...


check.byte_symbols(my_byte_symbols)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which variable tells you, at byte 127, that <code>chr(289)</code> is the next unused character?</details>
# <details><summary>Hint: a smaller example</summary>The space is byte 32. The bytes 0 to 31 all need a new character, so the space gets <code>chr(256 + 32)</code>.</details>
# <details><summary>Hint: the structure</summary>Before the loop: <code>table, unused = [], 256</code>. In the loop over <code>range(256)</code>, append <code>chr(byte)</code> or <code>chr(unused)</code>; in the second case, add 1 to <code>unused</code>. After the loop, join <code>table[byte]</code> for each byte of the data.</details>
#
# ### Another rule · hard · 10 minutes · importance 3 of 5
#
# `my_split` should split a text before each capital letter. No character may be lost. The library `regex` is like
# Python's `re`, with more notation. Write the pattern as a raw string, `r"..."`. In a raw string, Python keeps each
# backslash. In the pattern, `\p{Lu}` is a capital letter, and `\P{Lu}` is any other character. `*` means zero or more
# of the item before it. `|` separates two rules. Example: `camelCaseName` gives `["camel", "Case", "Name"]`.

# %% tags=["practice"]
import regex


def my_split(text):
    return regex.findall(..., text)


check.split_at_capitals(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which character can a pre-token start with? Which characters can follow?</details>
# <details><summary>Hint: a smaller example</summary><code>\p{Lu}\P{Lu}*</code> matches <i>Case</i> and <i>Name</i>.</details>
# <details><summary>Hint: the structure</summary>Write two rules. The first matches a capital letter and the other characters after it. The second matches characters at the start of the text that are not capital letters.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A friend opens GPT-2's vocabulary file, finds `Ġæľ¬` and says: “This file is broken, and it has no Japanese.” Say in
# three sentences what such an entry consists of, how to read it, and what this means for a character that has no entry
# of its own.
#
# <details><summary>What a good answer contains</summary>
# 1. A token of a byte-level vocabulary is a sequence of bytes, and the file shows each byte as one visible byte symbol.<br>
# 2. To read it, replace each byte symbol by its byte and decode the bytes with UTF-8: here a space and 本.<br>
# 3. A character without an entry is split into several tokens, down to single bytes, so no character is unknown.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The entry is a sequence of 4 bytes, and the file writes each byte as a visible character. If you replace these characters by their bytes and decode them, you get a space and 本. A character that is no entry becomes several tokens, because the vocabulary has all 256 bytes.”<br>
# <b>Wrong:</b> “The file was saved with a wrong encoding, so the Japanese is damaged. Ġ marks the start of a word and is a part of the text that GPT-2 reads. A character without an entry becomes the unknown token, as in every vocabulary.” The text contains a space and no Ġ: byte symbols only write bytes visibly, nothing is lost, and the 256 bytes can write every character.
# </details>
#
# ## Exit questions
#
# <details><summary>Why do Chinese tokens look strange in GPT-2's vocabulary file?</summary>
# The file contains one byte symbol per byte. To read a token, replace each byte symbol by its byte, and decode the
# bytes with UTF-8.
# </details>
# <details><summary>Can one character become several tokens?</summary>
# Yes. In a byte-level vocabulary, a token is a sequence of bytes. It may contain only a part of a character.
# </details>
# <details><summary>Can every Python string be encoded and decoded without a change?</summary>
# Yes, except for a lone surrogate. It is no character, so UTF-8 cannot convert it, and tiktoken replaces it
# by �.
# </details>
# <details><summary>Why is 12345 + 1234 harder for a model that takes three digits from the left?</summary>
# The tokens are 123, 45 and 123, 4. The same token 123 means hundreds in one number and tens in the other.
# </details>
# <details><summary>Why does GPT-2 have no token that contains two words with a space between them?</summary>
# The pattern splits the text before the space, and no merge crosses this boundary.
# </details>
#
# **Summary.** UTF-8 converts the characters of a text to bytes. A token of a byte-level vocabulary is a sequence of
# bytes, so no text is unknown. The pattern splits the text into pre-tokens before any merge, and real patterns split
# digits, whitespace and contractions differently.
#
# **References.** Alec Radford and others, *Language Models are Unsupervised Multitask Learners* (2019), section "Input
# Representation". **Next lesson:** `04_tiktoken`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The same call on a production library
#
# The library `tokenizers` returns pre-tokens in byte symbols. Are the kit's pre-tokens the same?

# %%
from tokenizers import pre_tokenizers

# add_prefix_space=False: add no space before the text.
text = "Don't panic:  日本 costs 3,000 naïve\n\tlines"
theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
[pretoken for pretoken, _ in theirs] == [bytes_to_symbols(pretoken.encode()) for pretoken in split_gpt2(text)]

# %% [markdown]
# ### One text, all patterns
#
# The next cell splits a text with all patterns of this kit. `whitespace` splits only at whitespace. `gpt2` and its
# faster form `r50k` belong to GPT-2, `cl100k` belongs to GPT-4, and `o200k` to GPT-4o, a later model of OpenAI. `bert`
# belongs to the model BERT (lesson `05_wordpiece`). `cl100k_0_7`, the older pattern, differs from `cl100k` only at the
# end of a text. Which patterns split numbers into groups of at most 3 digits? Which patterns split the Hindi word
# *नमस्ते*?
#
# The players of this lesson show the name of each rule. For example, the rule *letters, a symbol before them* matches
# letters and at most one other character before them. The patterns after GPT-2's are long, so their players write out
# only the rule that matched; `SPLITTERS["cl100k"].rules` contains all of them. They use new notation:
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
# Encode a text to ids, then decode the ids. The result is the same text, with the one exception of surrogates.
# (`encode_ordinary` is `encode` without special tokens, which lesson `04_tiktoken` explains.)
#
# Only UTF-16, another rule for storing characters, uses the surrogates, the code points from `d800` to `dfff`
# (hexadecimal): it writes some characters as two of them. Python writes the surrogate `d83d` as `"\ud83d"`.

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
# <details><summary>Hint: the structure</summary>Build the list of all bytes in this order once. The id of a byte is its index in the list.</details>
