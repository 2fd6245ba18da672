# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # SentencePiece
#
# > **You will be able to** follow a text to its ids and back; say which characters are lost, and at which step; explain
# > what byte fallback saves.
# >
# > **Time:** core 50 minutes, practice 45 minutes (and 8 in *Go further*). **Before this:** `07_unigram_training`.
#
# <details><summary>Two questions from earlier lessons: which pair does a BPE encoder merge first? Which segmentation does Unigram choose?</summary>
#
# A BPE encoder merges the pair with the lowest rank first. Unigram chooses the segmentation with the largest product
# of probabilities.
# </details>
#
# SentencePiece is the tokenizer library of T5, mT5, Llama 2, Mistral 7B and many other models. Some of them cannot
# distinguish E = mc² from E = mc2. Predict which ones, and step once. Then choose *one emoji* and the Python code from
# the menu. (The piece `<0x0A>` is the byte 10, a line break.)

# %%
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers

explore_real_tokenizers("a formula", ["T5", "mT5", "Llama 2", "Mistral 7B"])

# %% [markdown]
# The menu has 120 texts. How many of them are changed by encoding and decoding, and how many contain unknown pieces?

# %%
from tokenlab.laboratory.real_tokenizers import real_tokenizer, text, texts

names, rows = [name for group in texts().values() for name in group], {}
for one in map(real_tokenizer, ("T5", "mT5", "Llama 2", "Mistral 7B")):
    unknown = sum(one.unknown in [token.id for token in one.tokens(name)] for name in names)
    rows[one.name] = {"changed": sum(one.decoded(name) != text(name) for name in names), "with unknown": unknown}
rows

# %% [markdown]
# A character can be lost in two ways. **Before** the segmentation,
# [**normalization**](../docs/glossary.md#normalization) can replace it: in T5 and mT5, ² becomes 2. **During** the
# segmentation, a character that is in no piece becomes the unknown piece. One loss can occur without the other: mT5
# has no unknown pieces, but it still changes 37 texts. (Llama 2 changes only the text with its special piece `<s>`,
# because decoding adds a space after it.)
#
# To look inside, we train a small tokenizer with the default settings, in this kit's version of the library.
#
# <details><summary>What do <code>BytesIO</code> and the arguments mean?</summary>
#
# `BytesIO` is a file in memory. The trainer writes the *model file* into `model_writer`.
# `model_proto` is the content of this file. `hard_vocab_limit=False` allows fewer than 400 pieces.
# </details>

# %%
from io import BytesIO

from tokenlab import data
from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer

lines, file, size = data.text("english").splitlines(), BytesIO(), {"vocab_size": 400, "hard_vocab_limit": False}
SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=file, **size)
processor = SentencePieceProcessor(model_proto=file.getvalue())
print("10²:", processor.encode("10²"), "| 102:", processor.encode("102"))
{shown: processor.decode(processor.encode(shown)) for shown in ["10² is 100", "two  spaces", "the ﬁsh"]}

# %% [markdown]
# 10² and 102 get the same ids, so no model can distinguish them. The figure names the step at which each character is
# lost. There, ␣ is a space and ⁇ is the text of an unknown piece. The first step, `nmt_nfkc`, looks up characters in
# the default table of replacements. [**NFKC**](../docs/glossary.md#nfkc), a normalization form of Unicode, replaces a
# special form of a character by the usual one, for example ① by 1. For *neural machine translation* (`nmt`), the
# table also replaces line breaks and some other characters. Type your own text.

# %%
from tokenlab.show.explorers.explore_sentencepiece import explore_round_trip

explore_round_trip("The ﬁshing  boats left… at ① km² ▁ 北", processor)

# %% [markdown]
# The library writes `▁` (not the underscore `_`) for a space. It could not distinguish a typed `▁` from its own, so
# normalization turns a typed `▁` into a space.
#
# **With the default settings, the model sees the normalized text, not the text that you typed.**
#
# ## Byte fallback
#
# T5 loses an emoji because the emoji is in no piece. Llama 2 has [**byte
# fallback**](../docs/glossary.md#byte-fallback): its vocabulary contains a piece for each of the 256 bytes, and a
# character that is in no other piece becomes its UTF-8 bytes.

# %%
for name in ("T5", "Llama 2"):
    one = real_tokenizer(name)
    print(name, [token.shown for token in one.tokens("one emoji")], "is decoded to", repr(one.decoded("one emoji")))

# %% [markdown]
# With byte fallback, a text may need more tokens, but no piece is unknown. However, byte fallback cannot undo
# normalization: mT5 has byte fallback and still turns ² into 2.
#
# ## One library, four ways to segment
#
# SentencePiece is a library, not an algorithm. Training writes a model file with the normalization rules, the pieces
# with their ids, and the name of one of four segmentation algorithms. You know Unigram and BPE; `char` splits a text
# into characters, and `word` splits at spaces. Which algorithm returns unknown pieces (`<unk>`), although the training
# text contains every letter?


# %%
def segment(kind, new):
    SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=new, model_type=kind, **size)
    trained = SentencePieceProcessor(model_proto=new.getvalue())
    return " ".join(trained.id_to_piece(trained.encode("The old boats left the island.")))


{kind: segment(kind, BytesIO()) for kind in ("unigram", "bpe", "char", "word")}

# %% [markdown]
# With `word`, every piece is a whole word, and two words of the sentence have no piece.
#
# ## From the text to the ids
#
# SentencePiece adds a space at the start of the text, the [**dummy prefix**](../docs/glossary.md#dummy-prefix), so
# that the first word looks like all other words. Decoding joins the pieces, replaces each `▁` by a space, and removes
# the first space. Step through normalization, segmentation and ids.

# %%
processor.encode.record("The  ﬁsh")

# %% [markdown]
# ## Normalization, rule by rule
#
# Normalization has four rules. The library applies all of them in one pass, while the round-trip figure applied them
# one after the other. The first rule uses the table. How large is the default table, and what does it do with a line
# break (`\n`)?

# %%
from tokenlab.libraries.sentencepiece.builder import load_charsmap
from tokenlab.libraries.sentencepiece.normalizer import read_charsmap

table = dict(read_charsmap(load_charsmap("nmt_nfkc")).items())
print(f"{len(table):,} entries")
{key: table[key] for key in ("²", "①", "ﬁ", "\n")}

# %% [markdown]
# So the default table turns a line break into a space. The following figure uses only six of its entries
# (`EXCERPT`). At each position, the longest matching entry is used, and the inserted text is not replaced again. Then
# three rules for spaces follow, in this order:
#
# - *remove extra spaces*: keep one of several spaces in a row, and remove the spaces at the start and at the end,
# - *add dummy prefix*: add a space at the start,
# - *escape spaces*: replace each space by `▁`.
#
# <details><summary>What does <code>\u0301</code> mean?</summary>
#
# `\u0301` is an accent as a separate character, a *combining mark*. `\u3000` is a wide space, and `\u200b` is a space
# without width.
# </details>

# %%
from tokenlab.algorithms.text.normalization_rules import EXCERPT, CharMap
from tokenlab.algorithms.text.normalize import SENTENCEPIECE, normalize

for key, value in EXCERPT.items():
    print(" + ".join(map(ascii, key)), "becomes", repr(value))
normalize.record("①  cafe\u0301…", [CharMap(EXCERPT, "six entries"), *SENTENCEPIECE])

# %% [markdown]
# <details><summary>Why normalize?</summary>Some forms of a character are rare: ① for 1, the wide letter Ｔ for T, and e + \u0301 for é.
# Without normalization, each rare form would need its own pieces.</details>
#
# The [**span**](../docs/glossary.md#span) of a character in the result tells which typed characters it came from. It
# consists of two numbers: the index of the first of these characters, and the index after the last one. The span of é
# is `(6, 8)`. Open *More* to see the spans.
#
# <details><summary>What is the span of the dummy prefix?</summary>It came from no typed character, so its span is empty: <code>(0, 0)</code>.</details>
#
# ## The function itself
#
# Each rule returns its changes, and the function applies them to an `AlignedText`, the text with its spans.

# %%
from tokenlab import show

show.source(normalize)

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 5 of 5
#
# Normalize the line `①  ﬁsh…` by hand, with the six entries and the three rules for spaces. Give a string. Write `▁`
# for each space.

# %% tags=["practice"]
from tokenlab import check

my_text = ...  # for example "▁① ﬁsh"; copy the symbol ▁ from here

check.normalized(my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many spaces remain between two words?</details>
# <details><summary>Hint: a smaller example</summary><code>"a  …"</code> becomes <code>"▁a▁..."</code>.</details>
# <details><summary>Hint: the structure</summary>Write the line four times: after the replacements, with single spaces, with a space at the start, with the symbol <code>▁</code>.</details>
#
# ### Find the bug · medium · 8 minutes · importance 4 of 5
#
# `normalized_offsets` uses positions in the normalized text as positions in the typed text. Find a text of at least 4
# characters. Apply the six entries to your text. The result must be as long as your text, but at least one character
# must have moved. The rules for spaces are not used here.

# %% tags=["practice"]
from tokenlab.misconceptions.sentencepiece import normalized_offsets

my_text = ...  # for example "a…bc"; write an accent alone as "\u0301"

check.bug(normalized_offsets, my_text)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which entry makes a text longer, and which makes it shorter?</details>
# <details><summary>Hint: a smaller example</summary><code>"…"</code> is 1 character and becomes 3. <code>"e\u0301"</code> is 2 characters and becomes 1.</details>
# <details><summary>Hint: the structure</summary>Use an entry that makes the text longer, and one or more that make it shorter.</details>
#
# ### Complete two lines · medium · 7 minutes · importance 3 of 5
#
# A language model may use other ids than its SentencePiece file. `my_model_id` returns an id (an integer) in the model.
#
# For `"XLM-R"` (XLM-RoBERTa), `number` is the id of a piece in the file. The file begins with the [**special
# pieces**](../docs/glossary.md#special-token) `<unk>`, `<s>`, `</s>` (ids 0 to 2). The model has `<s>`, `<pad>`, `</s>`,
# `<unk>` (ids 0 to 3) instead, so each other piece moves up by one id. Example: `my_model_id("XLM-R", 4)` is 5.
#
# For `"T5"`, `number` is the 0 in `<extra_id_0>`, the 1 in `<extra_id_1>`, and so on. These
# [**sentinels**](../docs/glossary.md#sentinel) are 100 special pieces of T5. (In T5's training texts, a sentinel replaces
# removed text.) The file of T5 has 32,000 pieces, without the sentinels. The sentinels get the next 100 ids in reverse
# order, so sentinel 0 has the last id.


# %% tags=["practice"]
def my_model_id(model, number):
    if model == "XLM-R":
        return {0: 3, 1: 0, 2: 2}.get(number, ...)
    return ...


check.model_id(my_model_id)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many special pieces come first in the file, and how many in the language model?</details>
# <details><summary>Hint: a smaller example</summary>With 10 pieces and 2 sentinels, the ids of the sentinels 0 and 1 are 11 and 10.</details>
# <details><summary>Hint: the structure</summary>For XLM-R: the number plus 1. For T5: the last id minus the number.</details>
#
# ### Write it · hard · 12 minutes · importance 4 of 5
#
# Write the normalization. `text` is a string. `replacements` is a dictionary such as `EXCERPT`, the six entries. The
# values of the dictionary may contain spaces. Apply the replacements. Then keep one of several spaces in a row, and
# remove the spaces at the start and at the end. Add a space at the start, and replace each space by `▁`. For the empty
# text, and for a text of spaces only, the result is the empty string. Do not change other whitespace, such as tabs and
# line breaks. Example: `"a  b"` and `{}` give `"▁a▁b"`.


# %% tags=["practice"]
def my_normalize(text, replacements):
    return ...


check.normalize_text(my_normalize)

# %% [markdown]
# <details><summary>Hint: a question</summary>Several keys match at one position. Which one do you use, and where do you continue?</details>
# <details><summary>Hint: a smaller example</summary>With <code>{"a": "x", "ab": "y"}</code>, <i>aab</i> becomes <i>xy</i>.</details>
# <details><summary>Hint: the structure</summary>Use a loop over positions for the replacements. Then split at spaces, remove empty parts, and join the rest with <code>▁</code>.</details>
#
# ### Another rule · hard · 8 minutes · importance 2 of 5
#
# If the model file uses BPE, a piece can be marked as *unused*. Merges may create an unused piece, but the result must not
# contain it. An unused piece is replaced by the two pieces from which it was merged. If one of the two is also
# unused, it is replaced in the same way. `pieces` is a list of strings, the result of the merges. `parts` is a
# dictionary from each merged piece to the tuple of its two pieces. `unused` is a set of strings, and each of them is a
# key of `parts`. Return a list of pieces. Example: `["ab"]`, `{"ab": ("a", "b")}` and `{"ab"}` give `["a", "b"]`.


# %% tags=["practice"]
def my_resegment(pieces, parts, unused):
    return ...


check.resegment_pieces(my_resegment)

# %% [markdown]
# <details><summary>Hint: a question</summary>What happens if one of the two pieces is unused as well?</details>
# <details><summary>Hint: a smaller example</summary>If <i>abc</i> and <i>ab</i> are unused, <i>abc</i> becomes <code>a b c</code>.</details>
# <details><summary>Hint: the structure</summary>For each piece: keep it, or call the function again with its two pieces.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A colleague says: "My tokenizer has byte fallback, so decoding always returns the text that I typed." The first
# sentence says what byte fallback guarantees. The second one says what happens before it. The third one gives an
# example. Write three sentences.
#
# <details><summary>What a good answer contains</summary>
#
# 1. With byte fallback, every character has pieces, so no piece is unknown.
# 2. Normalization comes first, and its changes cannot be undone, because different texts become the same text.
# 3. An example: 10² and 102 get the same ids with `nmt_nfkc`; or two spaces become one.
# </details>
# <details><summary>Two sample answers</summary>
#
# **Good:** “Byte fallback guarantees that no character of the normalized text becomes an unknown piece. But
# normalization comes first, and it can turn different texts into the same text. For example, mT5 has byte fallback,
# but it turns ² into 2, so 10² is decoded to 102.”
#
# **Wrong:** “With byte fallback, each character that is in no piece becomes bytes. Nothing is lost before that,
# because bytes are exact. For example, Llama 2 restores 😀.” The bytes are those of the *normalized* text. What
# normalization has replaced or removed never reaches the segmentation.
# </details>
#
# ## Exit questions
#
# <details><summary>Is SentencePiece an algorithm?</summary>
# No, it is a library. Its model file names one of four segmentation algorithms. The file also contains the
# normalization rules, and the pieces with their ids.
# </details>
# <details><summary>Why does a text sometimes not come back from its ids?</summary>
# Normalization has replaced characters or removed spaces, or a character was in no piece.
# </details>
# <details><summary>Which loss does byte fallback prevent, and which one remains?</summary>
# A character that is in no piece becomes bytes instead of an unknown piece. What normalization has changed stays changed.
# </details>
#
# **Summary.** SentencePiece normalizes a text, segments it and returns ids. By default, normalization makes different
# texts equal, so decoding cannot restore them. Byte fallback prevents unknown pieces, but not this loss.
#
# **References.** Taku Kudo and John Richardson, *SentencePiece: A Simple and Language Independent Subword Tokenizer
# and Detokenizer
# for Neural Text Processing* (2018). **Next lesson:** `09_subword_text_encoder`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### More practice: spans · hard · 8 minutes · importance 3 of 5
#
# Apply the replacements (no rules for spaces). Return a list with one span (a tuple) for each character of the
# result. Example: `"a…"` with `EXCERPT`, the six entries, gives `[(0, 1), (1, 2), (1, 2), (1, 2)]`.


# %% tags=["practice"]
def my_spans(text, replacements):
    return ...


check.spans(my_spans)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many spans does one replacement need?</details>
# <details><summary>Hint: a smaller example</summary>In the example, <code>…</code> becomes three characters. All three have the span of <code>…</code>.</details>
# <details><summary>Hint: the structure</summary>Use the loop of the task "Write it". Append the span of the key once per character of its value.</details>
#
# ### The same call on the production library
#
# The library `sentencepiece` reads the same model file. For how many of 153 lines do the kit and the library return
# different ids?

# %%
import sentencepiece

theirs = sentencepiece.SentencePieceProcessor(model_proto=processor.serialized_model_proto())
strange = [line + " ①…  ﬁ 北" for line in lines]
{"lines": len(strange), "different ids": sum(processor.encode(s) != theirs.encode(s) for s in strange)}

# %% [markdown]
# ### A tokenizer that loses almost nothing
#
# Mistral 7B restored all 120 texts. Its settings are byte fallback and the rule `identity`, which replaces nothing. If
# `remove_extra_whitespaces=False` also keeps all spaces, then only a typed `▁` is lost: it becomes a space.

# %%
options, lossless = {"vocab_size": 600, "byte_fallback": True}, {"normalization_rule_name": "identity"}
lossless, file = {**lossless, "remove_extra_whitespaces": False}, BytesIO()
SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=file, **options, **lossless)
exact = SentencePieceProcessor(model_proto=file.getvalue())
{text: exact.decode(exact.encode(text)) == text for text in ("10²  北 ①", "a▁b")}

# %% [markdown]
# Here is the same text with `byte_fallback` and the default normalization. What is still lost?

# %%
from io import BytesIO

from tokenlab.libraries.sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from tokenlab.show.explorers.explore_sentencepiece import explore_round_trip

file = BytesIO()
SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=file, **options)
explore_round_trip("10²  北 ①", SentencePieceProcessor(model_proto=file.getvalue()))

# %% [markdown]
# Normalization still loses ² and ①, and one of the two spaces. But 北 comes back, because its 3 bytes are pieces.
#
# ### Two kinds of ids
#
# The id of a piece in the model file may differ from its id in a language model. For example, XLM-RoBERTa was trained
# with fairseq, a library with its own order of the special pieces: `<s>`, `<pad>`, `</s>` and `<unk>` have the ids 0 to
# 3. The file has only three of them (no `<pad>`), in another order. Therefore, for each remaining piece, the id in the
# language model is the id in the file plus 1, and `<mask>` gets the last id. The figure asks for the ids in the language
# model, beginning with the piece `▁`. Guess each of them.
#
# <details><summary>What are the special pieces?</summary><code>&lt;s&gt;</code> is the start of a text, <code>&lt;/s&gt;</code> its end, <code>&lt;unk&gt;</code> an unknown piece. <code>&lt;pad&gt;</code> fills
# short texts up to a common length. <code>&lt;mask&gt;</code> hides a piece that the model must predict.</details>

# %%
from tokenlab.algorithms.text.id_mapping import fairseq_id_mapping

fairseq_id_mapping.record([processor.id_to_piece(id) for id in range(8)])

# %% [markdown]
# If a program gives the ids of the file to the language model, the model reads a different text, without an error message.
#
# `FairseqProcessor` converts the ids of a file to those of a language model that was trained with fairseq. Compare the ids
# of a text in both: in the language model, each id is larger by 1.

# %%
from tokenlab.algorithms.text.id_mapping import FairseqProcessor

boats = "The old boats"
{"in the file": processor.encode(boats), "in the model": FairseqProcessor(theirs).encode(boats)}

# %% [markdown]
# ### The ids of T5
#
# T5 uses the ids of its file and adds the sentinels after these ids, in reverse order. The model stores one row of numbers
# for each id, its [**embedding**](../docs/glossary.md#embedding). The number of rows is often rounded up, for example to a
# multiple of 128, because hardware computes faster with such sizes. Here, 9 ids (0 to 8) are rounded up to a multiple of
# 4, so there are 12 rows. Rows 9 to 11 have no id, as the last step of the player shows.

# %%
from tokenlab.algorithms.text.id_mapping import t5_id_mapping

t5_id_mapping.record(["<pad>", "</s>", "<unk>", "▁the", "s"], sentinels=4, rows_multiple=4)

# %% [markdown]
# ### Common mistakes
#
# **"XLM-RoBERTa has 250,000 ordinary pieces and 5 special pieces."** Then the model would have 250,005 ids. But the file
# has 250,000 pieces in all, and 3 of them are special. Only `<pad>` and `<mask>` are added, which gives 250,002 ids.

# %%
file_of_xlm_r = ["<unk>", "<s>", "</s>", *map(str, range(250_000 - 3))]
len(fairseq_id_mapping(file_of_xlm_r))

# %% [markdown]
# **"A dictionary could replace SentencePiece."** Here a text is split at spaces, and each word is looked up. (The id 0 is
# `<unk>`.) The dictionary fails for the first word, because the word is typed with wide letters. It fails for the other
# two words, because no piece contains the whole word. `encode`, in contrast, normalizes the text and splits words into
# several pieces.

# %%
wide = "Ｔｈｅ ﬁshing boats"
{"dictionary": [processor.piece_to_id("▁" + word) for word in wide.split()], "encode": processor.encode(wide)}

# %% [markdown]
# **"An unknown piece has a negative id."** Some published code tests if an id is negative. But the library returns the id
# of `<unk>`, here 0.

# %%
{"id of a piece that does not exist": processor.piece_to_id("龘"), "id of <unk>": processor.unk_id()}

# %% [markdown]
# **"Each word gets a symbol at its end, and BPE training stops when every pair occurs once."** In this text, every pair
# occurs once, but training does not stop: it makes merges such as `ab`. And the vocabulary has no symbol for the end of a
# word.

# %%
line, options, file = ["abcdefgh ijklmnop"], {"vocab_size": 26, "model_type": "bpe"}, BytesIO()
SentencePieceTrainer.train(sentence_iterator=iter(line), model_writer=file, **options)
tiny = SentencePieceProcessor(model_proto=file.getvalue())
" ".join(tiny.id_to_piece(id) for id in range(tiny.get_piece_size()))

# %% [markdown]
# **"By default, encoding skips one merge in ten at random."** We encode a word 200 times with the default settings and
# count the different results. Then we encode it 200 times with `enable_sampling=True`, which skips each merge with the
# probability `alpha`. Only sampling gives several results.

# %%
many = [tuple(tiny.encode("abcdefgh", out_type=str)) for _ in range(200)]
drawn = [tuple(tiny.encode("abcdefgh", out_type=str, enable_sampling=True, alpha=0.1)) for _ in range(200)]
{"segmentations by default": len(set(many)), "several with sampling": len(set(drawn)) > 1}

# %% [markdown]
# ### How much is lost?
#
# Which step loses more characters, the normalization or the vocabulary? The cell prints, for five texts, the percentage
# of characters that each step loses. `nmt_nfkc` and `remove extra spaces` belong to the normalization. The text `mixed`
# contains difficult lines, for example with emoji, accents and program code. In all five texts, the vocabulary loses
# more: this tokenizer was trained on English and has at most 400 pieces, so it has no piece for `ä` and for Chinese and
# Japanese characters. Even some rare characters of the English text have no piece.

# %%
from collections import Counter
from tokenlab.libraries.sentencepiece.encode_steps import round_trip


def lost_by(text):
    lost = [part for line in text.splitlines() for part in round_trip.record(line, processor)[-1].lost]
    by_rule = Counter(part.rule.split(",")[0] for part in lost for _ in part.text)
    return {rule: f"{count / len(text):.1%}" for rule, count in by_rule.items()}


{name: lost_by(data.text(name)[:2000]) for name in ("english", "german", "chinese", "japanese", "mixed")}
