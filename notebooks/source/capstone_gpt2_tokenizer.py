# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Capstone: build a GPT-2 tokenizer
#
# > **You will be able to** build a complete byte-level BPE tokenizer: train it, encode, decode, stream, save and load. Your class will give the same
# > ids as OpenAI's tiktoken.
# >
# > **Time:** core 10 minutes, practice 154 minutes. **Before this:** `04_tiktoken`.
#
# In lessons 01 to 04, you wrote small parts of a tokenizer. Here you write all the parts, without the package. There are ten steps. Each step has
# one or two functions, and each function has a check. The last task joins your functions in a class.
#
# The next cell shows the goal. It uses the vocabulary `small.tiktoken`, which this kit ships. Your class will return these ids.

# %%
from tokenlab import data
from tokenlab.libraries import tiktoken
from tokenlab.algorithms.text.pretokenize import split_gpt2

ranks = tiktoken.load.load_tiktoken_bpe(str(data.FOLDER / "small.tiktoken"))
goal = tiktoken.Encoding(
    "goal", pat_str=split_gpt2.pattern, mergeable_ranks=ranks, special_tokens={"<|endoftext|>": len(ranks)}
)
goal.encode("The player was unhappy: 日本<|endoftext|>", allowed_special="all")

# %% [markdown]
# The player shows the same call step by step. Come back to it when a step below is not clear.

# %%
goal.encode.record("The player was unhappy: 日本")

# %% [markdown]
# ## How to work
#
# Replace the three dots in each cell and run the cell. Each cell ends with its check. A check runs your function on 100 to 300 inputs: usual texts, and
# texts that break many tokenizers. If an answer is wrong, the check shows the smallest input that it found. Run the cell again to see the rule. A third
# run with the same mistake reveals the correct results next to yours, and offers a worked solution. A new kind of mistake starts again without the rule.
#
# The checks are your test suite, and it grows with each step. If you change a function later, choose **Run > Run All Cells** to run all checks again.
#
# Some tasks use functions of earlier tasks. You may use Python's standard library and `regex`, but not `tokenlab`, `tiktoken` or `tokenizers`.
#
# ## Practice
#
# ### Step 1: bytes · medium · 12 minutes · importance 4 of 5
#
# A byte-level tokenizer starts from the UTF-8 bytes of a text. Python strings can also contain **surrogates**: the code points U+D800 to U+DFFF.
# The encoding UTF-16 uses them in pairs. A surrogate without its partner has no UTF-8 bytes. tiktoken joins each pair into one character and replaces a
# surrogate without its partner by U+FFFD (�). Write
# `my_utf8`. It takes a text (`str`) and returns `bytes`. Examples: `"é"` gives `b"\xc3\xa9"`, and `"\ud800"` gives `b"\xef\xbf\xbd"`. An
# **error handler** is the second argument of `encode` and `decode`: it says what Python does with characters or bytes that it cannot convert.

# %% tags=["practice"]
from tokenlab import check


def my_utf8(text):
    return ...


check.utf8_bytes(my_utf8)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which encoding knows pairs of surrogates?</details>
# <details><summary>Hint: a smaller example</summary><code>"\ud83d\ude00"</code> is one emoji. Its UTF-8 bytes are those of <code>"😀"</code>.</details>
# <details><summary>Hint: the structure</summary>Encode as UTF-16 with the error handler <code>surrogatepass</code>. Decode it again with <code>replace</code>. Then encode as UTF-8.</details>
#
# ### Step 2: the pattern · medium · 12 minutes · importance 4 of 5
#
# Lesson 03 showed the pattern that splits a text into pre-tokens. Complete GPT-2's pattern, `PATTERN`, and the function. The alternatives, in this order:
#
# 1. one of the contractions `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll`, `'d`;
# 2. letters (`\p{L}`), with at most one space before them;
# 3. digits (`\p{N}`), with at most one space before them;
# 4. other visible characters, with at most one space before them;
# 5. white space, without its last character if a visible character follows;
# 6. other white space.
#
# `my_pieces` takes a text and returns a list of strings. Example: `"we've 42  cats"` gives `["we", "'ve", " 42", " ", " cats"]`.

# %% tags=["practice"]
import regex

PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+"  # the first two alternatives


def my_pieces(text):
    return regex.findall(PATTERN, ...)


check.gpt2_pieces(my_pieces)

# %% [markdown]
# <details><summary>Hint: a question</summary>How does a pattern say “a character that is not white space, not a letter and not a digit”?</details>
# <details><summary>Hint: a smaller example</summary>In <code>a&nbsp;&nbsp;b</code>, the second space belongs to <code>b</code>. So the first space is a piece of its own.</details>
# <details><summary>Hint: the structure</summary>The last four alternatives are <code> ?\p{N}+</code> (with a space at the start), <code> ?[^\s\p{L}\p{N}]+</code>, <code>\s+(?!\S)</code> and <code>\s+</code>.</details>
#
# ### Step 3: count the pairs · easy · 8 minutes · importance 5 of 5
#
# Training starts with words that are split into single bytes. A word is a tuple of `bytes`. `word_counts` is a dictionary from words to their counts.
# Write `my_pair_counts`. It returns a dictionary from pairs of neighbours to their counts. Example: `{(b"a", b"b", b"a"): 2}` gives
# `{(b"a", b"b"): 2, (b"b", b"a"): 2}`.


# %% tags=["practice"]
def my_pair_counts(word_counts):
    counts = {}
    return ...


check.count_byte_pairs(my_pair_counts)

# %% [markdown]
# <details><summary>Hint: a question</summary>How often does a pair count, if its word occurs five times?</details>
# <details><summary>Hint: a smaller example</summary>In <code>(b"a", b"a", b"a")</code>, the pair <code>(b"a", b"a")</code> occurs at two places.</details>
# <details><summary>Hint: the structure</summary>Two loops: over the words and their counts, and over the neighbours in a word.</details>
#
# ### Step 4: merge one pair · medium · 10 minutes · importance 5 of 5
#
# Write `my_merge`. It takes a word (a tuple of `bytes`) and a pair (a tuple of two `bytes`). It returns the word, as a tuple, in which each occurrence of
# the pair is joined, from left to right. Example: `(b"a", b"a", b"a")` and `(b"a", b"a")` give `(b"aa", b"a")`.


# %% tags=["practice"]
def my_merge(word, pair):
    merged = []
    return ...


check.merge_byte_pair(my_merge)

# %% [markdown]
# <details><summary>Hint: a question</summary>After a merge, where does the search continue?</details>
# <details><summary>Hint: a smaller example</summary><code>(b"a", b"b", b"a", b"b")</code> and <code>(b"a", b"b")</code> give <code>(b"ab", b"ab")</code>.</details>
# <details><summary>Hint: the structure</summary>A <code>while</code> loop with a position that grows by 2 after a merge and by 1 otherwise.</details>
#
# ### Step 5: train · medium · 15 minutes · importance 5 of 5
#
# Write `my_train`. `word_counts` is a dictionary from words (`bytes`, not split yet) to counts. Split the words into single bytes. Then merge the pair
# with the highest count everywhere, again and again. If several pairs have the highest count, merge the smallest pair (Python compares tuples). Return the
# list of new tokens (`bytes`) in the order of their creation. Stop when there are `num_tokens` tokens, or
# when no pair is left. (No token is created twice, so you need not check for this.) Example: `{b"ab": 2, b"abc": 1}` and 5 give `[b"ab", b"abc"]`.


# %% tags=["practice"]
def my_train(word_counts, num_tokens):
    words = {tuple(word[at : at + 1] for at in range(len(word))): count for word, count in word_counts.items()}
    tokens = []
    return ...


check.train_bytes(my_train)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two functions of yours does one round of the loop call?</details>
# <details><summary>Hint: a smaller example</summary><code>{b"ba": 1, b"ab": 1}</code> has a tie. The smaller pair is <code>(b"a", b"b")</code>.</details>
# <details><summary>Hint: the structure</summary>Each round: count the pairs, choose one, append its token, and build <code>words</code> again from merged words.</details>
#
# ### Step 6: train fast · hard · 35 minutes · importance 4 of 5
#
# `my_train` counts all pairs again before each merge. With many different words, this is slow. But a merge changes only the words that contain the pair.
# Write `my_fast_train`, which returns the same tokens. Keep the counts of all pairs. For each pair, keep also the positions of the words that contain it (0, 1, 2, …). After a
# merge, update only these words: subtract their old pairs and add their new pairs. The check also calls your function with about 2,000 words. When the function is right, the
# check measures its time on 1 MB.


# %% tags=["practice"]
def my_fast_train(word_counts, num_tokens):
    words = [tuple(word[at : at + 1] for at in range(len(word))) for word in word_counts]
    how_many = list(word_counts.values())  # how_many[n] is the count of words[n]
    tokens = []
    return ...


check.train_quickly(my_fast_train)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which words change when a pair is merged? How do you find them without looking at all words?</details>
# <details><summary>Hint: a smaller example</summary>If <code>a b</code> is merged in <code>x a b y</code>, then <code>x a</code>, <code>a b</code> and <code>b y</code> lose the count of the word. <code>x ab</code> and <code>ab y</code> gain it.</details>
# <details><summary>Hint: the structure</summary>A <code>Counter</code> of pairs, and a <code>defaultdict(set)</code> (a dictionary in which a missing key gets an empty set) from pairs to positions of words. Remove a pair from the counts when its count is 0.</details>
#
# ### Step 7: encode one piece · medium · 12 minutes · importance 5 of 5
#
# `ranks` is a dictionary from tokens (`bytes`) to their ranks, which are also their ids. Each single byte of the piece has a rank. Write
# `my_encode_piece`. It takes a piece (`bytes`, at least one byte) and the ranks, and returns a list of ids. If the whole piece is a token, return its id. Otherwise, start with
# single bytes. Find the two neighbours whose joined bytes have the lowest rank (in a tie, the leftmost). Join them. Repeat until no joined neighbours form a token.
# Example: `b"abc"` with `{b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"ab": 4}` gives `[0, 3]`.


# %% tags=["practice"]
def my_encode_piece(piece, ranks):
    parts = [piece[at : at + 1] for at in range(len(piece))]
    return ...


check.encode_piece(my_encode_piece)

# %% [markdown]
# <details><summary>Hint: a question</summary>What do you know about two neighbours if their joined bytes are not in <code>ranks</code>?</details>
# <details><summary>Hint: a smaller example</summary>In <code>aaa</code> with the token <code>aa</code>, there are two places. The first is joined.</details>
# <details><summary>Hint: the structure</summary>In a loop, list <code>(rank, position)</code> of all neighbours that form a token. If the list is empty, stop. Else join at the minimum.</details>
#
# ### Step 8: special tokens · medium · 10 minutes · importance 4 of 5
#
# Write `my_parts`. It takes a text and a list of special tokens (strings, possibly none). It returns the list of parts of the text: each special token
# is a part of its own. If two special tokens match at the same place, the longest is used. No part is empty, and the joined parts are the text. Example:
# `"a<x>b"` and `["<x>"]` give `["a", "<x>", "b"]`.


# %% tags=["practice"]
def my_parts(text, special):
    return ...


check.special_parts(my_parts)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does the pattern of an empty list of special tokens match?</details>
# <details><summary>Hint: a smaller example</summary>A special token <code>|</code> would mean “or” in a pattern.</details>
# <details><summary>Hint: the structure</summary><code>regex.split</code> with a group in the pattern also returns what matched. Escape each special token, longest first.</details>
#
# ### Step 9a: decode · easy · 5 minutes · importance 5 of 5
#
# Write `my_decode`. It takes a list of ids and `tokens`, a dictionary from ids to `bytes`. It returns the text. Bytes that are not UTF-8 become U+FFFD.
# Example: `[0, 1]` and `{0: b"\xc3", 1: b"\xa9"}` give `"é"`.


# %% tags=["practice"]
def my_decode(ids, tokens):
    return ...


check.decode_ids(my_decode)

# %% [markdown]
# <details><summary>Hint: a question</summary>Can one character be divided between two tokens?</details>
# <details><summary>Hint: a smaller example</summary><code>b"\xc3"</code> alone is not a character. <code>b"\xc3\xa9"</code> is <i>é</i>.</details>
# <details><summary>Hint: the structure</summary>Join the bytes, then decode with the error handler <code>replace</code>.</details>
#
# ### Step 9b: decode a stream · medium · 8 minutes · importance 3 of 5
#
# A chat program shows each token as soon as the model has produced it. Write `my_stream`. It takes ids and tokens as above. It returns a list with one text
# per id: the characters that are complete now. The bytes of an unfinished character wait for the next id. After the last id, nothing can follow: what is
# still unfinished becomes U+FFFD. Example: `[0, 1]` and `{0: b"a\xc3", 1: b"\xa9"}` give `["a", "é"]`.

# %% tags=["practice"]
import codecs


def my_stream(ids, tokens):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return ...


check.stream_texts(my_stream)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where are the bytes kept that wait for the next id?</details>
# <details><summary>Hint: a smaller example</summary><code>decoder.decode(b"\xc3")</code> returns an empty text. <code>decoder.decode(b"\xa9")</code> then returns <i>é</i>.</details>
# <details><summary>Hint: the structure</summary>One call of <code>decoder.decode(data, final)</code> per id. <code>final</code> is true for the last id.</details>
#
# ### Step 10a: save · easy · 6 minutes · importance 3 of 5
#
# Write `my_save`. It takes ranks (a dictionary from `bytes` to integers) and returns the text of a `.tiktoken` file. In the order of the ranks, each token
# has a line: its bytes in base64, a space, the rank, and a line end. Example: `{b"b": 1, b"a": 0}` gives `"YQ== 0\nYg== 1\n"`.

# %% tags=["practice"]
import base64


def my_save(ranks):
    return ...


check.save_ranks(my_save)

# %% [markdown]
# <details><summary>Hint: a question</summary>Does a dictionary keep the order of the ranks?</details>
# <details><summary>Hint: a smaller example</summary><code>base64.b64encode(b"a")</code> returns <code>b"YQ=="</code>, which is <code>bytes</code>.</details>
# <details><summary>Hint: the structure</summary>Sort the items by rank, format one line for each, and join the lines.</details>
#
# ### Step 10b: load · easy · 6 minutes · importance 3 of 5
#
# Write `my_load`. It takes the text of a `.tiktoken` file and returns the ranks. Skip empty lines. Lines may end with `\n` or `\r\n`. Example:
# `"YQ== 0\n"` gives `{b"a": 0}`.


# %% tags=["practice"]
def my_load(text):
    ranks = {}
    return ...


check.read_ranks(my_load)

# %% [markdown]
# <details><summary>Hint: a question</summary>Is the rank always the number of the line?</details>
# <details><summary>Hint: a smaller example</summary><code>"YQ== 0".split()</code> returns the two parts of a line.</details>
# <details><summary>Hint: the structure</summary><code>text.splitlines()</code> knows both line ends. Skip lines that are empty.</details>
#
# ### The whole tokenizer · medium · 15 minutes · importance 5 of 5
#
# Join your functions in a class. `ranks` is a dictionary from tokens (`bytes`) to ids. `special` is a dictionary from special tokens (`str`) to ids.
# `encode(text)` returns a list of ids. In it, the text of a special token always becomes the id of the special token. `decode(ids)` returns the text, also
# for ids of special tokens. The check compares your class with tiktoken's algorithm on the vocabulary `small.tiktoken`. When it is right, the check
# compares its speed with the speed of `tiktoken` and `tokenizers`.


# %% tags=["practice"]
class MyTokenizer:
    def __init__(self, ranks, special):
        self.ranks = ranks
        self.special = special

    def encode(self, text):
        return ...

    def decode(self, ids):
        return ...


check.gpt2_tokenizer(MyTokenizer)

# %% [markdown]
# <details><summary>Hint: a question</summary>In which order do the steps 1, 2, 7 and 8 run?</details>
# <details><summary>Hint: a smaller example</summary><code>a&lt;|endoftext|&gt;</code> has two parts. The second is a special token and is not split further.</details>
# <details><summary>Hint: the structure</summary>For each part: a special token gives one id. Otherwise, each piece gives the ids of its bytes.</details>
#
# ## What you have built
#
# Your class is a complete byte-level BPE tokenizer. With `my_load`, it can use every `.tiktoken` file whose tokenizer has GPT-2's pattern. To test it on
# your own text, compare `MyTokenizer(ranks, {}).encode(text)` with `goal.encode(text)`.
#
# `tiktoken` and `tokenizers` are faster: they are written in Rust, and they merge without copying lists. Which function of yours takes the most time? The command
# `%prun MyTokenizer(ranks, {}).encode(data.text("english"))` lists the time of each function.
#
# ## Exit questions
#
# <details><summary>Why does the tokenizer split at special tokens before it uses the pattern?</summary>
# The pattern would cut the text of a special token into several pieces.
# </details>
# <details><summary>Why is the second trainer faster?</summary>
# It updates the counts of only those words that contain the merged pair. The first trainer counts all pairs of all words before each merge.
# </details>
# <details><summary>Why can the text of one id be empty in a stream?</summary>
# Its bytes may be the beginning of a character. They wait for the next id.
# </details>
#
# **Summary.** Bytes, a pattern, merges by rank, special tokens: these four parts make a GPT-2 tokenizer. Training only decides which ranks there are.
#
# **References.** Sennrich, Haddow and Birch 2016, section 3.2, for the merges. Radford et al. 2019, section 2.2, for bytes. The source code of `tiktoken`. **Next
# lesson:** `05_wordpiece`.
