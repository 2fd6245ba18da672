# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # The tokenizer pipeline
#
# > **You will be able to** name the stages of a Hugging Face tokenizer and replace any of them; give the offsets of a token;
# > move labels from characters to tokens and back.
# >
# > **Time:** 45 minutes for the core, which ends with *Find the bug*; 30 minutes for the tasks after it. **Before
# > this:** `05_wordpiece` and `08_sentencepiece`.
#
# <details><summary>Two questions from before: how does WordPiece encode a word? Why is the decoded text not always the
# original text?</summary>
#
# It takes the longest prefix in the vocabulary, again and again; if none fits, the whole word becomes `[UNK]`. Normalization
# replaces and removes characters before the text is split, and decoding cannot restore them.
# </details>
#
# Run the cell: it trains a small BERT-style tokenizer and shows each stage. **Click a character**, for example the `…`, or a
# token: all parts that came from the same characters light up in every row. Type your own text: emoji, accents, `[MASK]`, or
# full-width letters such as `Ａ`.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_pipeline import explore_pipeline, train_bert_tokenizer

corpora = [data.text(name) for name in ("english", "chinese", "mixed")]
tokenizer = train_bert_tokenizer(corpora, vocab_size=2000)
explore_pipeline("The ﬁsh…  [MASK] Café ①", tokenizer)

# %% [markdown]
# The text was changed, but **every token stores which characters it came from.**
#
# ## The stages
#
# A **pipeline** sends the text through five parts:
#
# 1. Added tokens are split off: strings such as `[MASK]` that become one token. Those with `normalized=True` follow in a
#    second pass, after the normalizer.
# 2. The normalizer rewrites the text that is left between the added tokens.
# 3. The pre-tokenizer splits it. No token crosses a boundary between pre-tokens.
# 4. The model (WordPiece, BPE, Unigram) splits each pre-token into tokens.
# 5. The post-processor inserts special tokens: here `[CLS]` at the start and `[SEP]` after each text.
#
# There is one row for each normalizer, and one for each pass over added tokens. `[MASK]`, which marks a word to
# guess, has `lstrip=True`: it takes the whitespace on its left.
#
# <details><summary>Names in the player: NFKC, <code>BertNormalizer</code>, <code>[CLS]</code>, <code>[SEP]</code>, type id,
# special-tokens mask</summary>
#
# NFKC is a Unicode normalization that replaces characters such as `ﬁ` and `①` by plain ones. `BertNormalizer` writes lower case,
# removes accents, and puts spaces around Chinese characters. BERT classifies a text from its output at `[CLS]`, and `[SEP]` marks
# the end of each text. The type id of a token says to which text of a pair it belongs. A special token is a token that decoding can
# leave out; the special-tokens mask is 1 only for inserted ones, not for typed ones, and for padding: tokens that fill up a row.
# </details>
#
# Before you step: how many tokens will there be, special tokens included?

# %%
tokenizer.encode.record("Wait… at [MASK]")

# %% [markdown]
# ## Offsets
#
# The normalizer keeps an **alignment**: the span $(s_j, e_j)$ of the original text from which character $j$ of the normalized
# text came. The end of a span is exclusive. A token that covers the normalized characters from $i$ up to, but not including,
# $k$ has the **offsets**
#
# $$\text{offsets} = (s_i,\; e_{k-1})$$
#
# Offsets always refer to the original text. All three dots of `…` have the offsets of one character. An inserted token came from
# no character; its offsets are `(0, 0)`.
#
# ## Each stage is a replaceable part
#
# Here are two other parts: the pre-tokenizer of GPT-2, which also writes each byte as a byte symbol, and a BPE model of
# single bytes. Before you step: which offsets do the 3 bytes of the arrow have?

# %%
from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.tokenizers import Tokenizer, models, pre_tokenizers

byte_level = Tokenizer(models.BPE(SYMBOL_TO_BYTE, []))
byte_level.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
byte_level.encode.record("i ⭢ j")

# %% [markdown]
# Offsets count characters: a byte token covers the whole character that it is a part of. You can set `normalizer`,
# `pre_tokenizer`, `model` and `post_processor` at any time; the next call uses the new part.
#
# ## The function itself
#
# Three short methods turn a text into tokens. They work on *splits*: parts with their own alignment. (A plain `encode` uses the
# faster `Pipeline.ids`; tests compare both.)

# %%
from tokenlab import show
from tokenlab.tokenizers.added_vocabulary import Patterns
from tokenlab.tokenizers.pipeline import Pipeline

show.source(Patterns.extract_and_normalize, Pipeline.words, Pipeline.tokenize)

# %% [markdown]
# ## The same call on the production library
#
# `to_str` writes the whole tokenizer as the text of a `tokenizer.json` file. On how many lines do the ids or the offsets differ?

# %%
import tokenizers

theirs, lines = tokenizers.Tokenizer.from_str(tokenizer.to_str()), "\n".join(corpora).splitlines()
pairs = [(tokenizer.encode(line), theirs.encode(line)) for line in lines]
{"lines": len(lines), "different": sum((a.ids, a.offsets) != (b.ids, b.offsets) for a, b in pairs)}

# %% [markdown]
# ## Where it breaks
#
# A common way to find a token in the text is to search for it. Each row has a token, the position found, and the start of its offsets.

# %%
text = "👩‍🚀 Zoë sat at Ａｄａ's ﬁrst café in 上海, not in Ma\u0301laga…"
encoding = tokenizer.encode(text)
searched = [(text.find(token), text.find(token) + len(token)) for token in encoding.tokens]
[(token, a[0], b[0]) for token, a, b in zip(encoding.tokens, searched, encoding.offsets, strict=True)]

# %% [markdown]
# A search often returns -1: where the text was normalized, and for `[UNK]`, special tokens, and tokens with the prefix `##`.
# Worse, it can return a wrong position: for `at`, one inside `sat`.
#
# ## Practice
#
# Replace the three dots and run the cell: it checks itself. If your answer is wrong, run it again to see the rule, and once more
# to see both traces.
#
# ### Trace it · easy, 5 minutes
#
# The tokenizer `byte_level` from above encodes `é ⭢` (3 characters). How many tokens are there? Give the list of the offsets of
# the tokens at positions 1, 2 and 3, counted from 0.

# %% tags=["practice"]
from tokenlab import check

my_number, my_offsets = ..., ...  # for example 4, [(0, 1), (0, 1), (0, 1)]

check.shared_spans(my_number, my_offsets)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many bytes does each of the three characters have?</details>
# <details><summary>Hint: a smaller example</summary>In <code>aß</code>, the letter <code>ß</code> has two bytes, and both tokens have the offsets <code>(1, 2)</code>.</details>
# <details><summary>Hint: the structure</summary>Write the characters with their positions, and below each its bytes. A byte has the span of its character.</details>
#
# ### Find the bug · medium, 5 minutes
#
# `find_offsets` splits a text at spaces and calls `text.find(word)` for each word. Find a text of letters `a` to `z`
# and single spaces, without a repeated word, for which an offset is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.pipeline import find_offsets

my_text = ...  # for example "to be or not"

check.bug(find_offsets, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where else than at its own position can a short word occur?</details>
# <details><summary>Hint: a smaller example</summary><code>"banana".find("an")</code> is the position of the first <i>an</i>.</details>
# <details><summary>Hint: the structure</summary>Put a long word first, and a part of it after it.</details>
#
# ### Complete two lines · medium, 8 minutes
#
# `alignments` has the original span of every normalized character. Return the offsets of a token that covers the normalized
# characters from `start` up to, but not including, `end`, where `start < end`. For example,
# `[(0, 1), (1, 2), (1, 2)]`, `0` and `2` give `(0, 2)`.


# %% tags=["practice"]
def my_original_span(alignments, start, end):
    first, last = ..., ...
    return ...


check.original_span(my_original_span)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which is the last character before <code>end</code>?</details>
# <details><summary>Hint: a smaller example</summary>A token of one character has the span of that character as its offsets.</details>
# <details><summary>Hint: the structure</summary>Take two spans of the list: the start of one of them, and the end of the other.</details>
#
# ### Write it · medium, 10 minutes
#
# `labels` has a label for each character; `"O"` marks a character outside all names. `offsets` has a pair for each token. Return
# one label for each token: the first label in its span that is not `"O"`. If there is none, or the span is empty, the label
# is `"O"`. For example, `["O", "PER"]` and `[(0, 0), (0, 2)]` give `["O", "PER"]`.


# %% tags=["practice"]
def my_token_labels(labels, offsets):
    return ...


check.token_labels(my_token_labels)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which characters does a token with the offsets <code>(0, 0)</code> have?</details>
# <details><summary>Hint: a smaller example</summary><code>["O", "LOC"][0:2]</code> contains one label that is not <code>"O"</code>.</details>
# <details><summary>Hint: the structure</summary>For each pair, loop over the labels from its start up to its end; stop at the first that is not <code>"O"</code>.</details>
#
# ## A real task: entity labels, there and back
#
# Named-entity labels (`PER`: person, `LOC`: place, `O`: neither) belong to characters, but a model labels tokens. Label the text
# from *Where it breaks* by the rule of *Write it*.

# %%
labels = ["O"] * len(text)
for entity, label in {"Zoë": "PER", "上海": "LOC", "Ａｄａ": "PER", "Ma\u0301laga": "LOC"}.items():
    labels[text.index(entity) : text.index(entity) + len(entity)] = [label] * len(entity)
token_labels = [next((label for label in labels[start:end] if label != "O"), "O") for start, end in encoding.offsets]
[(token, label) for token, label in zip(encoding.tokens, token_labels, strict=True) if label != "O"]

# %% [markdown]
# On the way back, a character gets the label of the token whose span contains it. How many labels are wrong with the offsets as
# spans, and with the results of the search?


# %%
def count_wrong_labels(spans):
    back = {place: label for label, span in zip(token_labels, spans, strict=True) for place in range(*span)}
    return sum(back.get(place, "O") != label for place, label in enumerate(labels))


{"offsets": count_wrong_labels(encoding.offsets), "searched": count_wrong_labels(searched)}

# %% [markdown]
# The offsets restore all these labels. *Go further* shows characters that are in no span.
#
# ## Before you leave
#
# <details><summary>How can two tokens that are not special share the same offsets?</summary>
# The normalizer replaced one character by several, or a byte-level tokenizer split the bytes of one character.
# </details>
# <details><summary>Which token has the space to the left of <code>[MASK]</code> in its span?</summary>
# The mask token, if it has <code>lstrip=True</code>; otherwise, with this pre-tokenizer, none.
# </details>
# <details><summary>Why does a tokenizer not search for its tokens in the text?</summary>
# Tokens differ from the text that they came from, and short ones occur in many places. The alignment is kept while the text changes.
# </details>
#
# **What stays.** A tokenizer is a chain of replaceable parts that keep the alignment with the original text. So every token has
# offsets, and labels can be moved to tokens and back if names consist of whole spans.
#
# **Read on.** The documentation of Hugging Face `tokenizers`, *The tokenization pipeline*; Jacob Devlin and others, *BERT:
# Pre-training of Deep Bidirectional Transformers for Language Understanding*. Next lesson: `12_slow_and_fast_tokenizers`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Characters in no span
#
# A character that is in no span gets the label `O`. The next cell lists such characters: the spaces, one of which is inside a name,
# and a separate accent. NFKC composes the letter and the accent into one character, and the span of a composed character may
# omit the accent.

# %%
other = "Zoe\u0308 in New York"
spans = tokenizer.encode(other).offsets
[(place, other[place]) for place in range(len(other)) if not any(start <= place < end for start, end in spans)]

# %% [markdown]
# `encoding.char_to_token` gives the first token of a character, or `None` if no token contains it. `encoding.word_to_chars`
# gives the span of a pre-token. Both use the offsets.

# %%
{character: encoding.char_to_token(text.index(character)) for character in "Z海Ａ… "}

# %% [markdown]
# ### Added tokens: where is the space?
#
# `[MASK]` has `lstrip=True` here, as `<mask>` has in RoBERTa, a model like BERT. Predict how the text is split.

# %%
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens

split_added_tokens.record("at  [MASK] [MASK]", {"[MASK]": AddedTokenRule(4, lstrip=True)})

# %% [markdown]
# ### Another rule · harder, 10 minutes
#
# Split `text` at an added token with `lstrip=True`: every occurrence of `content` is split off, with the spaces and tabs directly
# on its left. `content` is text, not a pattern. Return a list of the non-empty parts. For
# example, `"a  [M] b"` and `"[M]"` give `["a", "  [M]", " b"]`.


# %% tags=["practice"]
def my_split(text, content):
    return ...


check.split_added(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>In which part is a space between two added tokens?</details>
# <details><summary>Hint: a smaller example</summary><code>re.split("(b)", "abc")</code> keeps the delimiter: <code>["a", "b", "c"]</code>.</details>
# <details><summary>Hint: the structure</summary>Find the next occurrence, go to the left while there are spaces and tabs, and append two parts. Or use a regular expression with a group, and <code>re.escape(content)</code> in it.</details>
#
# ### Both passes
#
# Decoding can leave out an added token that is also *special*. The default of `normalized` differs: `add_tokens` sets it to
# `True`, and `add_special_tokens` to `False`. If it is `True`, the content of the token is normalized, and the second pass searches
# the normalized text for this normalized content. So `New York` also matches the full-width `ＮＥＷ York`. With
# `single_word=True` it would not match a part of `New Yorker`.

# %%
tokenizer.add_tokens(["New York"])
tokenizer.encode.record("ＮＥＷ York, New Yorker [MASK]").play(opened=-1, predict=False)

# %% [markdown]
# ### Splits: five behaviours
#
# Most pre-tokenizers split a text at delimiters, the matches of a pattern. `pre_tokenizers.Split(pattern, behavior, invert)` has five
# behaviours, which say what becomes of a delimiter. With `invert=True`, the matches are the text, and everything between them is a
# delimiter. Change the behaviour: which two differ only where delimiters are neighbours?

# %%
from tokenlab.show.explorers.explore_pipeline import explore_split

explore_split("the-final--countdown", "-", behavior="merged_with_next")

# %% [markdown]
# The two are `isolated` and `contiguous`. Of two delimiters in a row, `merged_with_previous` merges only the first with the text,
# and `merged_with_next` only the last.
#
# `Whitespace` is a `Split` with `removed` and `invert=True`, whose pattern matches words and punctuation. Does it
# return the same parts and offsets?

# %%
from tokenlab.tokenizers import Regex

split = pre_tokenizers.Split(Regex(r"\w+|[^\w\s]+"), "removed", invert=True)
parts = split.pre_tokenize_str("It's 3 o'clock…")
parts, parts == pre_tokenizers.Whitespace().pre_tokenize_str("It's 3 o'clock…")

# %% [markdown]
# ### Replace the normalizer
#
# The same tokenizer works with three normalizers. Only one part changes.

# %%
from tokenlab.tokenizers import normalizers

bert, tokens = tokenizer.normalizer, {}
for name, tokenizer.normalizer in {"none": None, "lower case": normalizers.Lowercase(), "BERT": bert}.items():
    tokens[name] = tokenizer.encode("the Boat ①", add_special_tokens=False).tokens
tokens

# %% [markdown]
# ### Trim offsets
#
# A post-processor can also change offsets: `processors.ByteLevel(trim_offsets=True)` removes spaces from the spans. The span of a
# token that is only a space becomes empty.

# %%
from tokenlab.tokenizers import processors

trim = processors.ByteLevel(trim_offsets=True)
{"before": byte_level.encode("i ⭢").offsets, "trimmed": trim.process(byte_level.encode("i ⭢")).offsets}

# %% [markdown]
# ### Two sequences
#
# A question and a text are encoded as a pair. The template of the post-processor says where each goes, and which type id its
# tokens get. Here, `$B:1` and `[SEP]:1` get the type id 1.

# %%
from tokenlab.algorithms.pipeline.template import apply_template, parse_template

apply_template.record(parse_template("[CLS] $A [SEP] $B:1 [SEP]:1"), ["where", "is", "it"], ["at", "the", "island"])

# %% [markdown]
# Here is the whole pipeline on two texts. Type your own question.

# %%
explore_pipeline("Where is the boat?", tokenizer, pair="At the island.")

# %% [markdown]
# ### Truncation with stride
#
# A model reads a limited number of tokens. `enable_truncation` keeps the first window, and puts the other tokens into overflowing
# windows. Neighbouring windows share `stride` tokens, so every run of up to `stride + 1` tokens, for example an
# answer, is whole in some window.

# %%
tokenizer.enable_truncation(8, stride=2)
tokenizer.encode.record("The boat left the island in the morning.").play(opened=-2)

# %% [markdown]
# The next player shows the rule for the windows on positions alone. Here `max_length` is 6: 8 minus the 2 tokens `[CLS]` and `[SEP]`,
# which every window gets.

# %%
from tokenlab.algorithms.pipeline.truncate import kept_lengths, overflow_windows

overflow_windows.record(11, max_length=6, stride=2)

# %% [markdown]
# Of a pair, `longest_first` shortens the longer sequence first; if that is not enough, it shortens both.

# %%
kept_lengths.record(5, 11, max_length=7)

# %% [markdown]
# The windows of a pair are combined: each window of one text occurs with each window of the other.

# %%
tokenizer.enable_truncation(10, strategy="longest_first")
tokenizer.encode.record("Where is the boat?", "It left the island in the morning.").play(opened=-2)

# %% [markdown]
# ### Padding
#
# All rows of a batch need the same length, so shorter rows get padding tokens. `pad_to_multiple_of` rounds the length up, and
# `direction` selects the side. The attention mask tells the model which tokens to read: it is 0 for padding.

# %%
tokenizer.no_truncation()
tokenizer.enable_padding(direction="left", pad_to_multiple_of=8)
tokenizer.encode.record("The boat left.").play(opened=-1, predict=False)

# %% [markdown]
# In a batch, the longest row gives the length, unless `enable_padding` has a fixed `length`. Step: how long are the rows?

# %%
from tokenlab.algorithms.pipeline.pad import pad_batch

tokenizer.no_padding()
batch = [tokenizer.encode(line).tokens for line in ("The boat left.", "Yes", "At sea")]
pad_batch.record(batch, multiple=4, direction="right")

# %% [markdown]
# ### A start token typed by hand
#
# By default, a typed `[CLS]` becomes the id of that token, and the post-processor inserts another one
# without a warning. With `encode_special_tokens=True`, the typed one is ordinary text.

# %%
typed = {}
for tokenizer.encode_special_tokens in (True, False):
    typed[tokenizer.encode_special_tokens] = tokenizer.encode("[CLS] the boat").tokens
typed

# %% [markdown]
# ### What changed recently
#
# The kit follows tokenizers 0.23.3. Older programs use older versions: transformers 4.26.1 needs `tokenizers` below 0.14. These
# differences were found by running 0.13.3 and 0.23.3:
#
# - 0.13.3 writes a merge as one string, `"a b"`; 0.23.3 writes a pair, `["a", "b"]`. 0.23.3 reads both; 0.13.3 cannot read pairs. It
#   also cannot read its own file if a token of a merge contains a space.
# - `Metaspace` had the argument `add_prefix_space`. Now it has `split`, and `prepend_scheme` with the values `always`, `first` and
#   `never`. A file with the old setting can still be read; the old argument raises a `TypeError`.
# - `enable_truncation` and `enable_padding` kept their arguments. New are `DecodeStream`, `encode_batch_fast`, the methods whose
#   names begin with `async_`, `encode_special_tokens`, the option `ignore_merges` of BPE, the normalizer `ByteLevel`, and the
#   pre-tokenizer `FixedLength`.
#
# The next cell reads a file with the old notation of a merge and of `Metaspace`. How does `to_str` write them?

# %%
import json

metaspace = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
old = Tokenizer.from_str(json.dumps({"version": "1.0", "pre_tokenizer": metaspace, "model": model}))
new = json.loads(old.to_str())
new["model"]["merges"], new["pre_tokenizer"]["prepend_scheme"]
