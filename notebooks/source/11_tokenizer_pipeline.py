# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # The tokenizer pipeline
#
# > **You will be able to** name the stages of a Hugging Face tokenizer; give the offsets of a token;
# > convert marked spans of characters to labels of tokens and back.
# >
# > **Time:** core 40 minutes, practice 33 minutes (and 10 in *Go further*). **Before this:** `05_wordpiece` and `08_sentencepiece`.
#
# <details><summary>Two questions from earlier lessons: How does WordPiece encode a word? Why is the decoded text not always the
# original text?</summary>
#
# From the left, WordPiece takes the longest token that matches, and repeats this for the rest of the word. If no
# token matches, the whole word becomes `[UNK]`.
# Normalization
# replaces and removes characters before the text is split, and decoding cannot restore them.
# </details>
#
# PasteGuard hides personal data in a text before the text goes to a language model. A user
# [reported](https://github.com/sgasser/pasteguard/issues/145) that part of a name stayed visible if an emoji came
# before the name. The reason was that two programs counted differently. The first program counted characters, as Python
# does, but the second one took these positions for UTF-16 units, which JavaScript counts. A character has 1 or 2 of
# these units, and the
# emoji 😊 has 2.
#
# To see the effect, we train a small BERT-style tokenizer and search for the name `Zoë` in three forms of a text: as
# characters, as UTF-16 units, and as normalized characters. Starting at each position found, we hide 3 characters of
# the original text.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_pipeline import train_bert_tokenizer

corpora = [data.text(name) for name in ("english", "chinese", "mixed")]
tokenizer, text = train_bert_tokenizer(corpora, vocab_size=2000), "Wait… 😊 Zoë is here."
utf16, normalized = text.encode("utf-16-le"), tokenizer.normalizer.normalize_str(text)
starts = text.find("Zoë"), utf16.find("Zoë".encode("utf-16-le")) // 2, normalized.find("zoe")
{start: text[:start] + "***" + text[start + 3 :] for start in starts}

# %% [markdown]
# Only position 8, counted in characters, hides the name. In UTF-16 units, the name starts at 9, and in normalized
# characters at 10, because `…` has become three dots. A model that finds names sees only normalized tokens, so a
# program that hides a name in the original text must know where each token comes from.
#
# The player shows the text after each stage of the tokenizer. **Click a character**, for example `…`, or a token: in
# every row, the player marks the parts that come from the same characters. Type your own text with emoji or a
# full-width `Ａ`.

# %%
from tokenlab.show.explorers.explore_pipeline import explore_pipeline

explore_pipeline("The ﬁsh…  [MASK] Café ①", tokenizer)

# %% [markdown]
# The text changes from row to row, but **every token stores the positions of the characters that it comes from.**
#
# ## The stages
#
# A Hugging Face tokenizer is a [**pipeline**](../docs/glossary.md#pipeline) of five stages:
#
# 1. *Added tokens.* An [**added token**](../docs/glossary.md#added-token) is a string, such as `[MASK]`, that should
#    stay whole. The pipeline therefore splits the text at the added tokens, most of them before it changes anything.
# 2. *Normalizer.* It rewrites the text between the added tokens ([normalization](../docs/glossary.md#normalization)).
# 3. *Pre-tokenizer.* It splits the text into [pre-tokens](../docs/glossary.md#pre-token), whose boundaries no token
#    crosses.
# 4. *Model.* WordPiece, BPE or Unigram splits each pre-token into tokens.
# 5. *Post-processor.* The [**post-processor**](../docs/glossary.md#post-processor) inserts
#    [special tokens](../docs/glossary.md#special-token): here `[CLS]` at the start, and `[SEP]` at the end of each text.
#
# In the player, added tokens have two rows, because the pipeline searches for some of them only after normalization.
# The normalizer consists of two. The token `[MASK]` has the setting `lstrip=True`, so it includes the whitespace on
# its left.
# <details><summary>Names in the player: NFKC, <code>BertNormalizer</code>, <code>BertPreTokenizer</code>, <code>TemplateProcessing</code>, <code>[CLS]</code>, <code>[SEP]</code>, <code>[MASK]</code>, type id,
# special-tokens mask</summary>
#
# A tokenizer also has a *decoder*, which converts tokens back to text. It is not a stage of encoding.
#
# NFKC is a Unicode normalization. It replaces characters such as `ﬁ` and `①` by plain ones. `BertNormalizer` converts
# text to lower
# case, removes accents, and puts spaces around Chinese characters.
#
# `BertPreTokenizer` splits a text at whitespace, which it removes. Each punctuation mark becomes a pre-token.
# `TemplateProcessing` is a post-processor. Its template says where the special tokens are inserted.
#
# BERT computes a list of numbers for each token, and the list of `[CLS]` is used to classify the text. `[SEP]` marks
# the end of
# each text. In training, `[MASK]` replaces a
# word, and BERT predicts the word.
#
# Two texts can be encoded as a pair. The type id of a token is 0 for the first text and 1 for the second text. The
# special-tokens mask is 1 for tokens that the post-processor inserted and for padding. *Padding* tokens fill a short
# text up to a given length. The special-tokens mask is 0 for all tokens of the text, even for a `[MASK]` that you
# typed.
# </details>
#
# Step through another text. How many tokens will the result contain, including special tokens?

# %%
tokenizer.encode.record("Wait… at [MASK]")

# %% [markdown]
# ## Offsets
#
# The normalizer keeps an [**alignment**](../docs/glossary.md#alignment): it stores, for each
# normalized character $j$, the
# [span](../docs/glossary.md#span) $(s_j, e_j)$ of the original text from which the character comes. The end of a span
# is exclusive. If a token covers the normalized characters $i$ to $k-1$, it starts where the span of character $i$
# starts, and ends where
# that of character $k-1$ ends. These two numbers are its [**offsets**](../docs/glossary.md#offset):
#
# $$\text{offsets}=(s_i,\;e_{k-1})$$
#
# In the last player, the character `…` at position 4 becomes three dots, and each dot is a token. Since all three come
# from the same character, they have the same offsets, (4, 5). An inserted token comes from no character, so its offsets
# are (0, 0).
#
# ## Each stage can be replaced
#
# You can assign `normalizer`, `pre_tokenizer`, `model` and `post_processor` at any time. The next tokenizer has the
# pre-tokenizer of GPT-2, which turns bytes into byte symbols, and a BPE model without merges, so each byte is a
# token. The arrow `⭢` has 3 bytes. Which offsets do its tokens have?

# %%
from tokenlab.algorithms.text.byte_symbols import SYMBOL_TO_BYTE
from tokenlab.libraries.tokenizers import Tokenizer, models, pre_tokenizers

byte_level = Tokenizer(models.BPE(SYMBOL_TO_BYTE, []))
byte_level.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
byte_level.encode.record("i ⭢ j")

# %% [markdown]
# Offsets count characters, not bytes, so each of the 3 tokens has the offsets (2, 3) of the whole arrow. In an early
# version of the library, each byte [had its own offsets](https://github.com/huggingface/tokenizers/issues/156), so
# the arrow counted as 3 characters, and all offsets after it were wrong.
#
# ## The function itself
#
# `extract_and_normalize` does stages 1 and 2. `words` calls it and then does stage 3, and `tokenize` does stage 4.
# All of them work on *splits*, parts of the text with their alignment, so that no stage loses the positions.

# %%
from tokenlab import show
from tokenlab.libraries.tokenizers.added_vocabulary import Patterns
from tokenlab.libraries.tokenizers.pipeline import Pipeline

show.source(Patterns.extract_and_normalize, Pipeline.words, Pipeline.tokenize)

# %% [markdown]
# ## Where it breaks: searching for a token
#
# A common mistake is to ignore the offsets and search for a token in the text. For example, `"sat at".find("at")`
# returns 1, a position inside `sat` ([a real bug](https://github.com/doccano/doccano-transformer/issues/24)). Each
# row contains a token,
# the result of `find`, and the start of the offsets.

# %%
text = "👩‍🚀 Zoë sat at Ａｄａ's ﬁrst café in 上海, not in Ma\u0301laga…"
encoding = tokenizer.encode(text)
searched = [(text.find(token), text.find(token) + len(token)) for token in encoding.tokens]
[(token, a[0], b[0]) for token, a, b in zip(encoding.tokens, searched, encoding.offsets, strict=True)]

# %% [markdown]
# The search fails (-1) if the pipeline changed the token or inserted something, such as `[CLS]` or `##`.
# Sometimes it succeeds and is wrong: `at` is found inside `sat`.
#
# ## Practice
#
# Replace the three dots in each cell and run it. A second run with the same mistake shows the rule, and a third the answers
# and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# The tokenizer `byte_level` from above encodes `é ⭢` (3 characters). How many tokens does it return? Which offsets do
# the tokens
# at positions 1, 2 and 3 have? Positions start at 0.

# %% tags=["practice"]
from tokenlab import check

# An integer, and a list of 3 pairs of integers. Example: 4, [(0, 1), (0, 1), (0, 1)]
my_number, my_offsets = ..., ...

check.shared_spans(my_number, my_offsets)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many bytes does each of the 3 characters have?</details>
# <details><summary>Hint: a smaller example</summary>In <code>aß</code>, the letter <code>ß</code> has 2 bytes. Both tokens of <code>ß</code> have the offsets <code>(1, 2)</code>.</details>
# <details><summary>Hint: the structure</summary>Write the characters with their positions. Write the bytes of each character below it. Each byte has the span of its character.</details>
#
# ### Find the bug · medium · 5 minutes · importance 4 of 5
#
# `find_offsets` splits a text at spaces. It calls `text.find(word)` for each word and returns the spans of the words.
# Find a text for
# which a span is wrong. The text contains only letters `a` to `z` and single spaces between words. No word occurs twice.

# %% tags=["practice"]
from tokenlab.misconceptions.pipeline import find_offsets

my_text = ...  # for example "to be or not": no solution, because all 4 spans are right

check.bug(find_offsets, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Where else can the letters of a short word occur?</details>
# <details><summary>Hint: a smaller example</summary><code>"banana".find("an")</code> returns 1, the position of the first <i>an</i>.</details>
# <details><summary>Hint: the structure</summary>Use a long word first. Then use a short word whose letters occur inside the long word.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 5 of 5
#
# `alignments` is a list with the original span of each normalized character. A token covers the normalized characters
# `start` to
# `end - 1`, and `start < end`. Return the offsets of the token, as a pair of integers. Example: `[(0, 1), (1, 2), (1,
# 2)]`, `0` and `2`
# give `(0, 2)`.


# %% tags=["practice"]
def my_original_span(alignments, start, end):
    first, last = ..., ...
    return ...


check.original_span(my_original_span)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which is the last character of the token?</details>
# <details><summary>Hint: a smaller example</summary>The offsets of a token with one character are the span of this character.</details>
# <details><summary>Hint: the structure</summary>Take two spans from the list. Return the start of one span and the end of the other span.</details>
#
# ### Write it · medium · 10 minutes · importance 5 of 5
#
# `labels` contains a string for each character, such as `"PER"` for a character of a person's name. The string `"O"`
# marks all characters
# outside names. `offsets` contains a pair of integers for each token. Return a list with one label per token: the first
# label in the token's
# span that is not `"O"`. If there is no such label, or the span is empty, the label is `"O"`. Example: `["O", "PER"]` and
# `[(0, 0), (0, 2)]` give `["O", "PER"]`.


# %% tags=["practice"]
def my_token_labels(labels, offsets):
    return ...


check.token_labels(my_token_labels)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which characters does a token with the offsets <code>(0, 0)</code> have?</details>
# <details><summary>Hint: a smaller example</summary><code>["O", "LOC"][0:2]</code> contains one label that is not <code>"O"</code>.</details>
# <details><summary>Hint: the structure</summary>Use a loop over the pairs. For each pair, look at the labels from its start up to its end. Stop at the first label that is not <code>"O"</code>.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A colleague finds the names in a text by searching for each decoded token in it. Say in three sentences what goes wrong,
# what offsets are, and why the pipeline can give them although the normalizer changes the text.
#
# <details><summary>What a good answer contains</summary>
# 1. The search fails if the normalizer changed the token, and it finds the wrong place if the token occurs several
#    times.<br>
# 2. The offsets of a token are the start and the end of its span in the original text.<br>
# 3. Each stage keeps the alignment between its text and the original, so every change of the normalizer is traced back.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “A token such as <code>lower</code> may come from <code>LOWER</code>, and a short token occurs in many places, so a search fails or finds another place. Offsets are the span of a token in the text that the user typed. The pipeline stores for each character of the changed text where it came from, so it can report this span.”<br>
# <b>Wrong:</b> “The search is only slow. Offsets are the positions of the token in the normalized text. The pipeline knows them because it normalizes before it splits.” Offsets belong to the original text, not to the normalized one; and the search is not only slow but wrong.
# </details>
#
# ## A real task: labels of names
#
# Named-entity recognition finds names in a text. The labels of its training data belong to characters: `PER` for a
# person, `LOC` for
# a place, `O` for all other characters. But a model predicts a label for each token. So training needs labels of
# tokens. The cell below contains a solution of "Write it", so solve that task first. It labels the tokens of the text
# above.

# %%
labels = ["O"] * len(text)
for entity, label in {"Zoë": "PER", "上海": "LOC", "Ａｄａ": "PER", "Ma\u0301laga": "LOC"}.items():
    labels[text.index(entity) : text.index(entity) + len(entity)] = [label] * len(entity)
token_labels = [next((label for label in labels[start:end] if label != "O"), "O") for start, end in encoding.offsets]
[(token, label) for token, label in zip(encoding.tokens, token_labels, strict=True) if label != "O"]

# %% [markdown]
# To convert the labels back, each character gets the label of a token whose span contains it. The next cell does this
# twice: with the offsets, and with the spans of the search. If a search returned -1, its span is wrong as well. It
# counts the characters with a wrong label.


# %%
def count_wrong_labels(spans):
    back = {place: label for label, span in zip(token_labels, spans, strict=True) for place in range(*span)}
    return sum(back.get(place, "O") != label for place, label in enumerate(labels))


{"offsets": count_wrong_labels(encoding.offsets), "searched": count_wrong_labels(searched)}

# %% [markdown]
# With the offsets, all labels are correct again. This does not hold for every text: "Go further" shows characters that
# are in no span.
#
# ## Exit questions
#
# <details><summary>Two tokens are not special, and they have the same offsets. How can this happen?</summary>
# The normalizer replaced one character by several characters, or a byte-level tokenizer split the bytes of one character.
# </details>
# <details><summary>Which token contains the space to the left of <code>[MASK]</code>?</summary>
# The token <code>[MASK]</code>, if it has <code>lstrip=True</code>. Otherwise no token contains the space, because this
# pre-tokenizer removes spaces.
# </details>
# <details><summary>Why does a tokenizer not search for its tokens in the text?</summary>
# Normalization can change a token, and a short token can occur in many places. The alignment stores the correct span
# while the text changes.
# </details>
#
# **Summary.** A tokenizer is a pipeline of replaceable stages. Each stage keeps the alignment with the original text,
# so each token has
# offsets. With the offsets, you can convert labels of characters to labels of tokens and back.
#
# **References.** Hugging Face, documentation of `tokenizers`, *The tokenization pipeline*. Jacob Devlin and others,
# *BERT: Pre-training
# of Deep Bidirectional Transformers for Language Understanding*, 2019. **Next lesson:** `12_slow_and_fast_tokenizers`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
#
# ## Go further

# %% [markdown]
# ### The same call on the production library
#
# `to_str` returns the whole tokenizer as the text of a `tokenizer.json` file, which the library `tokenizers` can read. Both
# tokenizers then encode each line of the corpora. How many lines have different ids or offsets?

# %%
import tokenizers

theirs, lines = tokenizers.Tokenizer.from_str(tokenizer.to_str()), "\n".join(corpora).splitlines()
pairs = [(tokenizer.encode(line), theirs.encode(line)) for line in lines]
{"lines": len(lines), "different": sum((a.ids, a.offsets) != (b.ids, b.offsets) for a, b in pairs)}

# %% [markdown]
# ### Characters in no span
#
# Some characters are in no span, so they get the label `O`. Here they are for one text. The three spaces are
# in no span, and the third space is inside a name. The character at position 3 is a combining accent. NFKC composes the
# letter and the accent into one character. The alignment assigns only the letter to this character. The span of a token
# ends where the span of its last character ends. Here, the last character is `ë`, and its span contains only the letter
# `e`. So the accent is in no span.

# %%
other = "Zoe\u0308 in New York"
spans = tokenizer.encode(other).offsets
[(place, other[place]) for place in range(len(other)) if not any(start <= place < end for start, end in spans)]

# %% [markdown]
# The method `char_to_token` uses the offsets. Its argument is the position of a character. It returns the position of
# the first token that contains this
# character, or `None` if no token contains it.

# %%
{character: encoding.char_to_token(text.index(character)) for character in "Z海Ａ… "}

# %% [markdown]
# ### Added tokens: where is the space?
#
# `[MASK]` has `lstrip=True` here. The token `<mask>` of RoBERTa, a model similar to BERT, has the same setting. Predict
# how the text
# is split.

# %%
from tokenlab.algorithms.pipeline.added_tokens import AddedTokenRule, split_added_tokens

split_added_tokens.record("at  [MASK] [MASK]", {"[MASK]": AddedTokenRule(4, lstrip=True)})

# %% [markdown]
# ### Another rule · hard · 10 minutes · importance 3 of 5
#
# Split the string `text` at the added token `content`, which has `lstrip=True`. Each occurrence of `content` becomes a
# part, together with
# all spaces and tabs directly on its left. `content` is plain text, not a regular expression. Return the list of the
# parts, without empty
# strings. Example: `"a  [M] b"` and `"[M]"` give `["a", "  [M]", " b"]`.


# %% tags=["practice"]
def my_split(text, content):
    return ...


check.split_added(my_split)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which part contains a space between two added tokens?</details>
# <details><summary>Hint: a smaller example</summary><code>re.split("(b)", "abc")</code> returns the delimiter as well: <code>["a", "b", "c"]</code>.</details>
# <details><summary>Hint: the structure</summary>Find the next occurrence. Move to the left while there are spaces and tabs. Append two parts. You can also use a regular expression with a group and <code>re.escape(content)</code>.</details>
#
# ### Two passes for added tokens
#
# An added token with `normalized=False` is searched for in the original text. An added token with `normalized=True` is
# searched for in a
# second pass, after the normalizer. The pipeline normalizes this token as well. So the added token `New York` also
# matches `ＮＥＷ York` with
# full-width letters. With `single_word=True`, it would not match a part of `New Yorker`.
#
# `add_tokens` sets `normalized=True` by default. `add_special_tokens` sets `normalized=False`. It also marks the tokens
# as special, so
# that `decode` can leave them out.

# %%
tokenizer.add_tokens(["New York"])
tokenizer.encode.record("ＮＥＷ York, New Yorker [MASK]").play(opened=-1, predict=False)

# %% [markdown]
# ### Splits: five behaviours
#
# Most pre-tokenizers search for a pattern. They split the text at the matches, which are called delimiters.
# `pre_tokenizers.Split(pattern, behavior, invert)` has five behaviours for delimiters:
#
# - `removed`: the delimiters are removed.
# - `isolated`: each delimiter is a part.
# - `merged_with_previous`: each delimiter is added to the part before it.
# - `merged_with_next`: each delimiter is added to the part after it.
# - `contiguous`: a run of delimiters is one part.
#
# With `invert=True`, the matches are the text, and
# everything between two matches is a delimiter. Change the behaviour. Which two behaviours differ only if two
# delimiters are neighbours?

# %%
from tokenlab.show.explorers.explore_pipeline import explore_split

explore_split("the-final--countdown", "-", behavior="merged_with_next")

# %% [markdown]
# These are `isolated` and `contiguous`. For `merged_with_next`, the player says that the *text* is merged with the
# previous part. This means the same: the delimiter before the text is added to it. If two delimiters are neighbours,
# `merged_with_previous` merges only the first one with the text, and `merged_with_next` only the second one.
#
# The pre-tokenizer `Whitespace` gives the same result as the next `Split`. Its pattern matches words and punctuation. With
# `invert=True`, these matches are the text. With `removed`, everything else is removed.

# %%
from tokenlab.libraries.tokenizers import Regex

split = pre_tokenizers.Split(Regex(r"\w+|[^\w\s]+"), "removed", invert=True)
parts = split.pre_tokenize_str("It's 3 o'clock…")
parts, parts == pre_tokenizers.Whitespace().pre_tokenize_str("It's 3 o'clock…")

# %% [markdown]
# ### Replace the normalizer
#
# We use the same tokenizer without a normalizer, and then with two different normalizers. All other stages
# stay the same.

# %%
from tokenlab.libraries.tokenizers import normalizers

bert, tokens = tokenizer.normalizer, {}
for name, tokenizer.normalizer in {"none": None, "lower case": normalizers.Lowercase(), "BERT": bert}.items():
    tokens[name] = tokenizer.encode("the Boat ①", add_special_tokens=False).tokens
tokens

# %% [markdown]
# ### Trim offsets
#
# A post-processor can also change offsets. `processors.ByteLevel(trim_offsets=True)` removes spaces from the spans. A
# token that is
# only a space then has an empty span.

# %%
from tokenlab.libraries.tokenizers import processors

trim = processors.ByteLevel(trim_offsets=True)
{"before": byte_level.encode("i ⭢").offsets, "trimmed": trim.process(byte_level.encode("i ⭢")).offsets}

# %% [markdown]
# ### Two sequences
#
# A question and a text are encoded as a pair. The template of the post-processor contains the order of the sequences
# and the type ids. `$A` is the first sequence, and `$B` is the second.
# The number after a colon is the type id. Without a number, the type id is 0.

# %%
from tokenlab.algorithms.pipeline.template import apply_template, parse_template

apply_template.record(parse_template("[CLS] $A [SEP] $B:1 [SEP]:1"), ["where", "is", "it"], ["at", "the", "island"])

# %% [markdown]
# Here is the whole pipeline for two texts. Type your own question.

# %%
from tokenlab.show.explorers.explore_pipeline import explore_pipeline

explore_pipeline("Where is the boat?", tokenizer, pair="At the island.")

# %% [markdown]
# ### Truncation with stride
#
# A model accepts a limited number of tokens. [**Truncation**](../docs/glossary.md#truncation) with `enable_truncation`
# keeps the first tokens of a text. These tokens are the first *window*. The other tokens go into further windows, which
# the library calls *overflowing*. Each of them begins with the last tokens of the window before it. The number of these
# shared tokens is the [**stride**](../docs/glossary.md#stride). So every run of at most `stride + 1` adjacent tokens is
# complete in at least one window. This helps a program that searches for a short answer in a long text: it searches
# every window.

# %%
tokenizer.enable_truncation(8, stride=2)
tokenizer.encode.record("The boat left the island in the morning.").play(opened=-2)

# %% [markdown]
# Every window also gets the 2 tokens `[CLS]` and `[SEP]`, so 8 - 2 = 6 tokens of the text remain. The next player shows
# the rule
# on positions alone, with `max_length=6`.

# %%
from tokenlab.algorithms.pipeline.truncate import kept_lengths, overflow_windows

overflow_windows.record(11, max_length=6, stride=2)

# %% [markdown]
# For a pair, the strategy `longest_first` shortens the longer sequence first. If the pair is still too long, the
# strategy shortens both sequences.

# %%
kept_lengths.record(5, 11, max_length=7)

# %% [markdown]
# If both texts of a pair are truncated, the pipeline combines each window of the first text with each window of the
# second text.

# %%
tokenizer.enable_truncation(10, strategy="longest_first")
tokenizer.encode.record("Where is the boat?", "It left the island in the morning.").play(opened=-2)

# %% [markdown]
# ### Padding
#
# Each row of a [batch](../docs/glossary.md#batch) is an encoded text. All rows need the same length.
# [Padding](../docs/glossary.md#padding) adds tokens to shorter rows. `pad_to_multiple_of` rounds the length up.
# `direction` selects the side. The [attention mask](../docs/glossary.md#attention-mask) is 1 for the tokens that the
# model should read, and 0 for padding.

# %%
tokenizer.no_truncation()
tokenizer.enable_padding(direction="left", pad_to_multiple_of=8)
tokenizer.encode.record("The boat left.").play(opened=-1, predict=False)

# %% [markdown]
# The longest row of a batch determines the length, unless `enable_padding` has a fixed `length`. How long are the rows
# of this batch?

# %%
from tokenlab.algorithms.pipeline.pad import pad_batch

tokenizer.no_padding()
batch = [tokenizer.encode(line).tokens for line in ("The boat left.", "Yes", "At sea")]
pad_batch.record(batch, multiple=4, direction="right")

# %% [markdown]
# ### A common mistake: typing the start token
#
# By default, a typed `[CLS]` becomes the special token. The post-processor then inserts a second `[CLS]` without a
# warning. With
# `encode_special_tokens=True`, the typed `[CLS]` is ordinary text.

# %%
typed = {}
for tokenizer.encode_special_tokens in (True, False):
    typed[tokenizer.encode_special_tokens] = tokenizer.encode("[CLS] the boat").tokens
typed

# %% [markdown]
# ### What changed recently
#
# This kit follows version 0.23.3 of `tokenizers`. Older programs use older versions: transformers 4.26.1 needs a
# version below 0.14. Both 0.13.3 and
# 0.23.3 were run to find these differences:
#
# - 0.13.3 writes a merge as one string, `"a b"`. 0.23.3 writes a pair, `["a", "b"]`, and reads both forms. 0.13.3
#   cannot read pairs. It
#   also cannot read its own file if a token of a merge contains a space.
# - The pre-tokenizer `Metaspace`, which replaces spaces by `▁`, had the argument `add_prefix_space`. Now it has
#   `split`, and `prepend_scheme` with the values `always`, `first` and `never`. The new version still reads a file with
#   the old setting. But the call `Metaspace(add_prefix_space=True)` raises a `TypeError`.
# - `enable_truncation` and `enable_padding` have the same arguments as before.
# - `DecodeStream` is new. It decodes a text while its tokens are generated.
# - `encode_batch_fast` is new. It encodes several texts without offsets. The methods whose names begin with `async_`
#   are new. They are for
#   programs that do other work while they wait.
# - `encode_special_tokens` and the option `ignore_merges` of BPE are new. With `ignore_merges`, a pre-token that is in
#   the vocabulary becomes one token.
# - The normalizer `ByteLevel` is new. It writes bytes as byte symbols. The pre-tokenizer `FixedLength` is new. It
#   splits a text into parts of equal length.
#
# The next cell reads a file in the old format. In which form does `to_str` write the merge and `Metaspace`?

# %%
import json

metaspace = {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}
model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
old = Tokenizer.from_str(json.dumps({"version": "1.0", "pre_tokenizer": metaspace, "model": model}))
new = json.loads(old.to_str())
new["model"]["merges"], new["pre_tokenizer"]["prepend_scheme"]
