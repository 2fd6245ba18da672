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
# > **Time:** forty-five minutes for the core, up to *Find the bug*; thirty minutes for the rest of the practice. **Before
# > this:** `05_wordpiece` and `08_sentencepiece`.
#
# <details><summary>Two questions from before: how does WordPiece encode a word? Why is the decoded text not always the
# original text?</summary>
#
# It takes the longest prefix in the vocabulary, again and again; if none fits, the whole word becomes `[UNK]`. Normalization
# replaces and removes characters before the text is split, and decoding cannot restore them.
# </details>
#
# Run the cell. It trains a small BERT-style tokenizer and shows every stage of its work. **Click a character**, for example
# the `…`, then a token: all parts that came from the same characters light up, in every row and in both directions. Type your
# own text: emoji, accents, full-width letters, `[MASK]`.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_pipeline import explore_pipeline, train_bert_tokenizer

corpora = [data.text(name) for name in ("english", "chinese", "mixed")]
tokenizer = train_bert_tokenizer(corpora, vocab_size=2000)
explore_pipeline("The ﬁsh…  [MASK] Café ①", tokenizer)

# %% [markdown]
# Nothing was lost on the way: **every token knows which characters it came from.** And each row was made by a separate part
# that knows nothing of the others.
#
# ## The stages
#
# A **pipeline** sends the text through five parts:
#
# 1. **Added tokens** such as `[MASK]` are split off. Tokens with `normalized=False` match in the original text, all others
#    in the normalized text, so there are two passes.
# 2. The **normalizer** rewrites the text between them.
# 3. The **pre-tokenizer** splits it. No token crosses a boundary between pre-tokens.
# 4. The **model** (WordPiece, BPE, Unigram) splits each pre-token into tokens.
# 5. The **post-processor** inserts special tokens such as `[CLS]`, and sets type ids.
#
# Step through a short text, and predict what each stage does.

# %%
tokenizer.encode.record("Wait… at [MASK]")

# %% [markdown]
# ## Offsets
#
# The normalizer keeps an **alignment**: for the character $j$ of the normalized text, the span $(s_j, e_j)$ of the original
# text that it came from. The end of a span is exclusive. A token that covers the normalized characters from $i$ up to, but
# not including, $k$ has the **offsets**
#
# $$\text{offsets} = (s_i,\; e_{k-1})$$
#
# So there are two coordinate systems, and offsets always refer to the original text. All three dots of `…` have the offsets
# of one character. An inserted token such as `[CLS]` came from no character; its offsets are `(0, 0)`.
#
# ## Each stage is a replaceable part
#
# Here are two other parts: a byte-level pre-tokenizer, as in GPT-2, and a BPE model that knows single bytes only. The arrow
# has three bytes in UTF-8. Before you step to the model: which offsets do its tokens have?

# %%
from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.tokenizers import Tokenizer, models, pre_tokenizers

byte_level = Tokenizer(models.BPE(SYMBOL_TO_BYTE, []))
byte_level.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
byte_level.encode.record("i ⭢ j")

# %% [markdown]
# Offsets count characters, so several tokens can share one span. `tokenizer.normalizer`, `.pre_tokenizer`, `.model` and
# `.post_processor` can all be set, at any time: the next call uses the new part.
#
# ## The function itself
#
# One text on its way to tokens, in three short methods. The text is a list of *splits*, each with its own alignment. An added
# token already has its token, so later stages skip it.

# %%
from tokenlab import show
from tokenlab.tokenizers.added_vocabulary import Patterns
from tokenlab.tokenizers.pipeline import Pipeline

show.source(Patterns.extract_and_normalize, Pipeline.words, Pipeline.tokenize)

# %% [markdown]
# ## The same call on the production library
#
# `to_str` writes the format of `tokenizer.json`, with all parts. The library reads it. On how many lines do the ids or the
# offsets differ?

# %%
import tokenizers

theirs, lines = tokenizers.Tokenizer.from_str(tokenizer.to_str()), "\n".join(corpora).splitlines()
pairs = [(tokenizer.encode(line), theirs.encode(line)) for line in lines]
{"lines": len(lines), "different": sum((a.ids, a.offsets) != (b.ids, b.offsets) for a, b in pairs)}

# %% [markdown]
# ## Where it breaks
#
# Named-entity labels are given for characters, but a model labels tokens. A common way to connect them is to search for each
# token: `text.find(token)`. Here is what that finds, beside the offsets.

# %%
text = "👩‍🚀 Zoë left 上海 for Ａｄａ's ﬁrst café in Ma\u0301laga…"
encoding = tokenizer.encode(text)
[(token, text.find(token), offsets[0]) for token, offsets in zip(encoding.tokens, encoding.offsets, strict=True)]

# %% [markdown]
# A search returns `-1` for every token that was normalized, has a prefix such as `##`, or is `[UNK]`. Worse, it can be wrong
# without notice: the letter `a` also occurs inside other words.
#
# A second common mistake: typing `[CLS]` yourself. The post-processor inserts another one, without a warning.
#
# ## Practice
#
# Replace the three dots and run the cell: it checks itself. Run it again to see the rule, and once more to see your steps
# beside the expected ones.
#
# ### Trace · easy, five minutes
#
# A byte-level tokenizer knows single bytes only. It encodes `i ⭢ j`, without special tokens. How many tokens are there? Give
# the offsets of the tokens at the positions `2`, `3` and `4`, counted from `0`.

# %% tags=["practice"]
from tokenlab import check

my_number, my_offsets = ..., ...  # for example 4, [(0, 1), (1, 2), (1, 2)]

check.shared_spans(my_number, my_offsets)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many bytes does each of the five characters have?</details>
# <details><summary>Hint: a smaller example</summary><code>é</code> has two bytes, and both tokens have the offsets <code>(0, 1)</code>.</details>
# <details><summary>Hint: the structure</summary>Write the characters with their positions, and below each its bytes. A byte has the span of its character.</details>
#
# ### Find the bug · medium, five minutes
#
# `find_offsets` splits a text at spaces and calls `text.find(word)` for each word. Find a text of lower-case letters `a` to
# `z` and single spaces, in which no word occurs twice, and for which an offset is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.pipeline import find_offsets

my_text = ...  # for example "to be or not"

check.bug(find_offsets, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where else than at its own position can a short word occur?</details>
# <details><summary>Hint: a smaller example</summary><code>"banana".find("an")</code> is the position of the first <i>an</i>.</details>
# <details><summary>Hint: the structure</summary>Put a long word first, and a part of it after it.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `alignments` has the original span of every normalized character. Return the offsets of a token that covers the normalized
# characters from `start` up to, but not including, `end`. A token has at least one character. For example,
# `[(0, 1), (1, 2), (1, 2)]`, `0` and `2` give `(0, 2)`.


# %% tags=["practice"]
def my_original_span(alignments, start, end):
    first, last = ..., ...
    return ...


check.original_span(my_original_span)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which is the last character before <code>end</code>?</details>
# <details><summary>Hint: a smaller example</summary>The third dot of <code>…</code> alone: its alignment is the answer.</details>
# <details><summary>Hint: the structure</summary>Two alignments; the start of one of them, and the end of the other.</details>
#
# ### Write it · medium, ten minutes
#
# `labels` has one label for each character, such as `"PER"`, or `"O"` for none. `offsets` has a pair for each token. Return one
# label for each token: that of the first character in its span whose label is not `"O"`, or else `"O"`. For example,
# `["O", "PER"]` and `[(0, 0), (0, 2)]` give `["O", "PER"]`.


# %% tags=["practice"]
def my_token_labels(labels, offsets):
    return ...


check.token_labels(my_token_labels)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which labels does a token with the offsets <code>(0, 0)</code> have?</details>
# <details><summary>Hint: a smaller example</summary><code>["O", "LOC"][0:2]</code> contains one label that is not <code>"O"</code>.</details>
# <details><summary>Hint: the structure</summary>For each pair, a loop over the labels from its start up to its end; stop at the first that counts.</details>
#
# ### Another rule · harder, ten minutes
#
# Split `text` at an added token with `lstrip=True`: each occurrence of `content` takes all whitespace directly on its left. Return
# the parts as a list of strings, without empty ones. For example, `"a  [M] b"` and `"[M]"` give `["a", "  [M]", " b"]`.


# %% tags=["practice"]
def my_split(text, content):
    return ...


check.split_added(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>In which part is a space between two added tokens?</details>
# <details><summary>Hint: a smaller example</summary><code>re.split("(b)", "abc")</code> keeps the delimiter: <code>["a", "b", "c"]</code>.</details>
# <details><summary>Hint: the structure</summary>Find the next occurrence, go to the left while there is whitespace, and append two parts. Or use a regular expression with a group.</details>
#
# ## Before you leave
#
# <details><summary>Which stage can make two tokens share the same offsets?</summary>
# The normalizer, if it replaces one character by several; and a byte-level model, if it splits the bytes of a character.
# </details>
# <details><summary>The space to the left of a mask token is in no other token. Where is it?</summary>
# In the span of the mask token, if that added token has <code>lstrip=True</code>.
# </details>
# <details><summary>Why does a fast tokenizer not search for its tokens in the text?</summary>
# Tokens differ from the text that they came from, and short ones occur in many places. The alignment is exact.
# </details>
#
# **Summary.** A tokenizer is a chain of replaceable parts. Each part keeps the alignment with the original text, so every token
# has offsets, and labels can be projected in both directions.
#
# **References.** The documentation of Hugging Face `tokenizers`, *The tokenization pipeline*; Jacob Devlin and others, *BERT:
# Pre-training of Deep Bidirectional Transformers for Language Understanding*, on labels of tokens. Next lesson:
# `13_t5_attention`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A real task: entity labels, there and back
#
# Give each character of the text above a label, project the labels onto the tokens, and project the labels of the tokens back
# onto characters. `text` has emoji, Chinese characters, and words that NFKC changes.

# %%
labels = ["O"] * len(text)
for entity, label in {"Zoë": "PER", "上海": "LOC", "Ａｄａ": "PER", "Ma\u0301laga": "LOC"}.items():
    labels[text.index(entity) : text.index(entity) + len(entity)] = [label] * len(entity)
onto = [next((one for one in labels[a:b] if one != "O"), "O") for a, b in encoding.offsets]
[(token, label) for token, label in zip(encoding.tokens, onto, strict=True) if label != "O"]

# %% [markdown]
# Back again: every character gets the label of the token whose span contains it. Are the labels restored?


# %%
def labels_from(spans):
    pairs = zip(onto, spans, strict=True)
    back = {place: label for label, (start, end) in pairs for place in range(start, end)}
    return [back.get(place, "O") for place in range(len(text))]


labels_from(encoding.offsets) == labels

# %% [markdown]
# And if the spans are found by searching for the tokens? Of all characters, so many get the right label:

# %%
found = [(text.find(token), text.find(token) + len(token)) if token in text else (0, 0) for token in encoding.tokens]
{"characters": len(text), "right": sum(a == b for a, b in zip(labels_from(found), labels, strict=True))}

# %% [markdown]
# The other way round, `encoding.char_to_token` gives the token of a character, and `encoding.word_to_chars` the span of a
# pre-token. Both use the offsets.

# %%
{character: encoding.char_to_token(text.index(character)) for character in "Z海Ａ…"}

# %% [markdown]
# ### Added tokens: where is the space?
#
# `[MASK]` has `lstrip=True`, as in RoBERTa. Predict how the text is split. The second pass then searches the normalized text for
# the tokens with `normalized=True`, such as the one that is added here.

# %%
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens

split_added_tokens.record("at  [MASK] [MASK]", {"[MASK]": AddedTokenRule(4, lstrip=True)})

# %%
tokenizer.add_tokens(["New York"])
tokenizer.encode.record("ＮＥＷ York [MASK]").play(opened=-1)

# %% [markdown]
# ### Replace the normalizer
#
# The same tokenizer with three normalizers. Only one part changes.

# %%
from tokenlab.tokenizers import normalizers

bert, tokens = tokenizer.normalizer, {}
for name, tokenizer.normalizer in {"none": None, "lower case": normalizers.Lowercase(), "BERT": bert}.items():
    tokens[name] = tokenizer.encode("the Boat ①", add_special_tokens=False).tokens
tokens

# %% [markdown]
# ### Two sequences
#
# A question and a text are encoded as a pair. The template of the post-processor says where each goes, and which **type id** its
# tokens get. The special-tokens mask is `1` where the post-processor inserted a token.

# %%
from tokenlab.algorithms.pipeline.template import apply_template, parse_template

apply_template.record(parse_template("[CLS] $A [SEP] $B:1 [SEP]:1"), ["where", "is", "it"], ["at", "the", "island"])

# %% [markdown]
# The whole pipeline on two texts. Type your own question.

# %%
explore_pipeline("Where is the boat?", tokenizer, pair="At the island.")

# %% [markdown]
# ### Truncation with stride
#
# A model reads a limited number of tokens. `enable_truncation` keeps the first window, and puts the rest into overflowing
# windows; neighbours share `stride` tokens, so that no answer is split in all of them.

# %%
tokenizer.enable_truncation(8, stride=2)
tokenizer.encode.record("The boat left the island in the morning.").play(opened=-2)

# %% [markdown]
# The rule for the windows, on positions alone. The special tokens are already subtracted from the length.

# %%
from tokenlab.algorithms.pipeline.truncate import kept_lengths, overflow_windows

overflow_windows.record(11, max_length=6, stride=2)

# %% [markdown]
# Of a pair, `longest_first` shortens the longer sequence first; if that is not enough, it shortens both.

# %%
kept_lengths.record(5, 11, max_length=7)

# %%
tokenizer.enable_truncation(10, strategy="longest_first")
tokenizer.encode.record("Where is the boat?", "It left the island in the morning.").play(opened=-2)

# %% [markdown]
# ### Padding
#
# A batch needs rows of the same length. `pad_to_multiple_of` rounds the length up, and `direction` selects the side. The
# attention mask is `0` for padding.

# %%
tokenizer.no_truncation()
tokenizer.enable_padding(direction="left", pad_to_multiple_of=8)
tokenizer.encode.record("The boat left.").play(opened=-1)

# %% [markdown]
# ### A start token typed by hand
#
# The text of a special token becomes its id, and the post-processor inserts another. `encode_special_tokens` treats it as text.

# %%
tokenizer.no_padding()
typed = {}
for tokenizer.encode_special_tokens in (True, False):
    typed[tokenizer.encode_special_tokens] = tokenizer.encode("[CLS] the boat").tokens
typed
