# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Real tokenizers, seven families, and a museum of errors
#
# > **You will be able to** compare tokenizers with five measures; compute fertility, precision and recall; explain with small tokenizers
# > why real ones differ; say why no tokenizer is the best one.
# >
# > **Time:** core 40 minutes, practice 41 minutes (and 6 in *Go further*). **Before this:** `08_sentencepiece`; one of the seven families is from the optional
# > `09_subword_text_encoder`.
#
# <details><summary>Two questions from earlier lessons: What does WordPiece do with an unknown character? What does SentencePiece do before it segments a text?</summary>
#
# WordPiece replaces the whole word by one unknown token. SentencePiece normalizes the text: it replaces some characters
# and removes extra spaces.
# </details>
#
# Twelve published tokenizers split a short Python program. Which of them cannot restore the program from its tokens?
# Then choose a Japanese text, numbers and emoji. Does the same tokenizer always need the fewest tokens?

# %%
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers

explore_real_tokenizers("Python, 4 spaces")

# %% [markdown]
# One text is only one example, so we now measure all 120 texts, grouped by kind. The more **bytes per token**, the
# fewer tokens a text has, and the less time a model needs.

# %%
from tokenlab.laboratory.real_tokenizers import real_tokenizer, texts

real = {name: real_tokenizer(name) for name in ("GPT-2", "GPT-4o", "Llama 3", "Gemma 3", "BERT, uncased", "T5")}
print(f"{'bytes per token':28}", *real)
for kind, named in texts().items():
    size = sum(len(text.encode()) for text in named.values())
    print(f"{kind:28}", *(f"{size / sum(len(one.tokens(n)) for n in named):{len(m)}.1f}" for m, one in real.items()))

# %% [markdown]
# No column is best in all rows. BERT seems best on emoji, and T5 beats Llama 3 on twenty languages. Few tokens are
# worth little if text is lost, so we also count restored texts and unknown tokens.

# %%
every = {name: text for named in texts().values() for name, text in named.items()}
for name, one in real.items():
    restored = sum(one.decoded(each) == text for each, text in every.items())
    unknown = sum(token.id == one.unknown for each in every for token in one.tokens(each))
    print(f"{name:14} restores {restored} of {len(every)} texts; {unknown} unknown tokens")

# %% [markdown]
# BERT and T5 lose most texts. But real tokenizers differ in family, training text and vocabulary size at once, so we
# cannot tell which difference matters. Therefore we train seven small tokenizers on the same English text, with at
# most 1,000 entries each. So they differ only in the family, and a little in size: not every family uses all 1,000.

# %%
from tokenlab import data
from tokenlab.laboratory.comparison.families import train_all

lines = data.text("english").splitlines()
training, new = "\n".join(line for n, line in enumerate(lines) if n % 5), "\n".join(lines[::5])
tokenizers = train_all(training, 1000)
program = "def double(x):\n    return 2 * x"
{family: one.decode(one.encode(program)) for family, one in tokenizers.items()}

# %% [markdown]
# Three families restore the program, because they can write every byte or code point. The other four lose the line
# break and the indentation, because they split at whitespace or normalize it; they also lose the unknown `*`.
# `WordPiece` is the family of BERT, `Unigram` that of T5, and `byte-level BPE` that of GPT-2. `bytes` has one token for
# each byte, and learns nothing.
#
# Step through the families, then type your own text. Tokens for the same part of the text are in the same column.

# %%
from tokenlab.show.explorers.explore_families import explore_families

explore_families("if ok:\n    print('The keeper wrote unhappily, 日本')", training)

# %% [markdown]
# ## Measures 1 to 3: length, unknown bytes, losslessness
#
# The [**fertility**](../docs/glossary.md#fertility) is the mean number of tokens per word. The text `new` is every
# fifth line, which no tokenizer has seen.
#
# $$\text{fertility}=\frac{\text{tokens}}{\text{words}}$$

# %%
from tokenlab.laboratory.comparison.measures import bytes_per_token, fertility

{family: round(fertility(new, len(one.encode(new))), 2) for family, one in tokenizers.items()}

# %% [markdown]
# BPE has the lowest fertility, by a small margin. Japanese has no spaces between words, so we count bytes per token
# again. **Predict:** which families, trained on English, have the most bytes per Japanese token? The second number is
# that of the bytes in unknown tokens.

# %%
from tokenlab.laboratory.comparison.measures import unknown_bytes

japanese = data.text("japanese").splitlines()[2]
for family, one in tokenizers.items():
    tokens = one.encode(japanese)
    print(f"{family:20} {bytes_per_token(japanese, len(tokens)):6.1f} {unknown_bytes(tokens):4}")
print(*(f"{name}: {len(real[name].tokens('Japanese'))} tokens;" for name in ("T5", "GPT-4o")), every["Japanese"])

# %% [markdown]
# Unigram and SentencePiece BPE have 102 bytes per token, although 3 to 9 bytes (1 to 3 characters) would be normal.
# But a model sees none of the 204 bytes, because all characters are unknown. Both are SentencePiece's, which joins
# neighbouring unknown characters, so the whole text has only 2 tokens: `▁` and one unknown token. The real T5 has 2 tokens
# for a Japanese sentence as well. **When you compare lengths, also compare the unknown bytes.**
#
# <details><summary>Why do BPE, WordPiece and SubwordTextEncoder have 3.0, 5.2 and 0.4 bytes per token?</summary>
# BPE has one unknown token for each character, and each of these characters has 3 bytes. WordPiece has one unknown
# token for each pre-token: one Chinese character (Japanese uses them too), one punctuation mark, or a run of other
# Japanese letters.
# SubwordTextEncoder writes each character as its code point, such as <code>\22338;</code>. This string has 7
# tokens, but the character has only 3 bytes.
# </details>
#
# A tokenizer is [**lossless**](../docs/glossary.md#losslessness) if `decode(encode(text)) == text` for every text.
# Byte-level BPE and `bytes` are lossless, because they have a token for every byte. `SubwordTextEncoder` is also
# lossless, because it writes the code point of each unknown character.
#
# ## Measure 4: morphemes
#
# A [**morpheme**](../docs/glossary.md#morpheme) is the smallest part of a word that has a meaning, such as *friend*,
# *li* and *ness* in *friendliness*. It means something similar in many words, so it is useful as a token. We have
# a list of words with their morphemes. How many of these words does each family split exactly into morphemes?

# %%
from tokenlab.laboratory.comparison.measures import boundary_scores, read_morphemes, split_word

for family, one in tokenizers.items():
    exact = sum(split_word(one, "".join(morphemes)) == morphemes for morphemes in read_morphemes())
    print(f"{family:20} {exact:3} of {len(read_morphemes())} words", "|".join(split_word(one, "friendliness")))

# %% [markdown]
# A split can also be partly right. A boundary is the index in the word at which the next part starts: *un|happi|ness*
# has the boundaries 2 and 7, and the end of the word does not count. [**Precision and
# recall**](../docs/glossary.md#precision-and-recall) compare the boundaries of tokens and morphemes:
#
# $$\text{precision}=\frac{\text{common boundaries}}{\text{token boundaries}}\qquad\text{recall}=\frac{\text{common
# boundaries}}{\text{morpheme boundaries}}$$
#
# `bytes` has a boundary at every index, so its recall is 1, but its precision is low. The F1 score combines both:
# $2PR/(P+R)$.
#
# ## Measure 5, and the scoreboard
#
# A typo should change few tokens. For measure 5, we swap two neighbouring letters, as in *lighthosue*, and compute
# the share of tokens that change. The figure below shows all five measures, and a star marks the best value. Measure
# 1 uses the text `new`. Measures 2 and 3 use harder lines, `hard`, with emoji, code and other writing systems.
# Measures 4 and 5 use the list of words.
#
# <details><summary>How are measures 3, 4 and 5 computed for a list?</summary>
# "Texts restored" is the share of the lines that decoding restores. For measure 4, the figure shows the F1 score of the
# boundaries of all words together. For measure 5, each word of at least 6 letters is tested with three typos, one at a
# time: near the beginning, in the middle and near the end. The figure shows the mean share of changed tokens.
# </details>

# %%
from tokenlab.laboratory.comparison.measures import scoreboard, winners
from tokenlab.show.plots import plot_measures

hard = [line for line in data.text("mixed").splitlines() if line]
table = scoreboard(tokenizers, new, hard, read_morphemes())
plot_measures(table, winners(table))

# %% [markdown]
# **No tokenizer is the best one.** BPE has the lowest fertility, but loses text. `bytes` is lossless and stable, but on
# English it needs more than twice as many tokens as any other family. Unigram is best on morphemes. So first choose the
# measures that matter for your task, and then the tokenizer.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# A tokenizer splits *friendliness* into `f`, `riend`, `lin` and `ess`. The morphemes are `friend`, `li` and `ness`.
# What are the precision and the recall of its boundaries?

# %% tags=["practice"]
from tokenlab import check

# Two numbers; 2 decimal places are enough. Example: un|happ|iness and un|happi|ness give 0.5, 0.5
my_precision, my_recall = ..., ...

check.precision_and_recall(my_precision, my_recall)

# %% [markdown]
# <details><summary>Hint: a question</summary>At which indices does a token end? At which indices does a morpheme end?</details>
# <details><summary>Hint: a smaller example</summary>The parts <code>un</code>, <code>happ</code> and <code>iness</code> end at the indices 2, 6 and 11. The word has 11 characters, so 11 is no boundary.</details>
# <details><summary>Hint: the shape</summary>The tokens have 3 boundaries, and the morphemes have 2. Count the common ones.</details>
#
# ### Find the bug · easy · 5 minutes · importance 4 of 5
#
# The *first loss* is the first index at which a text and the decoded text differ. `zip_stops_early` should return it,
# or −1 if the texts are equal. It compares the characters in pairs, with `zip`. Find a text and a decoded text for
# which `zip_stops_early` returns a wrong result.

# %% tags=["practice"]
from tokenlab.misconceptions.comparison import zip_stops_early

# Two strings. ("ab", "ac") is no solution: zip_stops_early returns 1, and this is right.
my_text, my_decoded = ..., ...

check.bug(zip_stops_early, my_text, my_decoded)

# %% [markdown]
# <details><summary>Hint: a question</summary>What does <code>zip</code> do if one text is longer than the other?</details>
# <details><summary>Hint: a smaller example</summary><code>list(zip("ab", "a"))</code> has one pair.</details>
# <details><summary>Hint: the shape</summary>Use a text with a space at its end. The decoded text has lost this space.</details>
#
# ### Complete two lines · easy · 4 minutes · importance 4 of 5
#
# Return the fertility. Words are separated by whitespace. If the text has no word, return 0.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_fertility(text: str, tokens: list[str]) -> float:
    """Example: my_fertility("the lighthouse", ["the", "light", "house"]) returns 1.5."""
    words = ...
    return ...


check.tokens_per_word(my_fertility)

# %% [markdown]
# <details><summary>Hint: a question</summary>How do you split a text at several spaces and at line breaks?</details>
# <details><summary>Hint: a smaller example</summary><code>"a  b".split()</code> is <code>["a", "b"]</code>.</details>
# <details><summary>Hint: the shape</summary>Divide two lengths, if the list of words is not empty: <code>... if words else 0</code>.</details>
#
# ### Write it · medium · 12 minutes · importance 5 of 5
#
# Return the precision and the recall of the boundaries. If the tokens have no boundary, the precision is 1. If the
# morphemes have no boundary, the recall is 1.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_scores(tokens: list[str], morphemes: list[str]) -> tuple[float, float]:
    """Example: my_scores(["un", "happ", "iness"], ["un", "happi", "ness"]) returns (0.5, 0.5)."""
    return ...


check.boundary_scores(my_scores)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which data type makes it easy to count what two collections have in common?</details>
# <details><summary>Hint: a smaller example</summary>The boundaries of <code>["un", "happi", "ness"]</code> are <code>{2, 7}</code>.</details>
# <details><summary>Hint: the shape</summary>Write a helper that returns the set of boundaries of a list of parts. Keep a running sum of the lengths of the parts, without the last part. Each sum is a boundary.</details>
#
# ### Another rule · medium · 10 minutes · importance 3 of 5
#
# `before` has the tokens of the correct word, and `after` has the tokens of the word with the typo. Return the share of
# the tokens of `before` that change. First remove the equal tokens at the start of both lists. Then remove the equal
# tokens at the end of the remaining lists. Divide the number of the remaining tokens of `before` by the length of
# the original `before`. If both lists are empty, return 0. If only `before` is empty, return 1.


# %% tags=["practice"]
# Floats may be off by a millionth.
def my_share(before: list[str], after: list[str]) -> float:
    """Example: my_share(["light", "house", "s"], ["lig", "th", "house", "s"]) returns 1/3."""
    return ...


check.changed_share(my_share)

# %% [markdown]
# <details><summary>Hint: a question</summary>Why must the program not count the same token twice, once at the start and once at the end?</details>
# <details><summary>Hint: a smaller example</summary><code>["a", "a"]</code> and <code>["a"]</code> have one equal token at the start. After its removal, the second list is empty. The result is 1/2.</details>
# <details><summary>Hint: the shape</summary>Copy both lists. Use one loop that removes first tokens, and one loop that removes last tokens.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 5 of 5
#
# A blog says: "T5 needs 2 tokens for a Japanese sentence, and GPT-4o needs 7, so T5's tokenizer is better for
# Japanese." Say in three sentences what the 2 tokens are, why the numbers of tokens cannot be compared here, and what
# you would measure in addition.
#
# <details><summary>What a good answer contains</summary>
# 1. One of the 2 tokens is the unknown token: SentencePiece joins neighbouring unknown characters to one.<br>
# 2. The model sees no character of the sentence, while the 7 tokens of GPT-4o restore the text.<br>
# 3. Count the unknown bytes, or the texts that decoding restores, beside the number of tokens.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “One of the two tokens is the unknown token, which stands for all the Japanese characters together. So T5 cannot tell this sentence from another Japanese sentence, while the tokens of GPT-4o give the text back. I would report the share of unknown bytes and the share of restored texts together with the length.”<br>
# <b>Wrong:</b> “The 2 tokens are long pieces, as Unigram had 102 bytes per token on Japanese. The numbers cannot be compared, because GPT-4o has a different vocabulary size. I would measure bytes per token, which does not depend on the vocabulary.” T5's vocabulary has no Japanese characters, and bytes per token repeats the same number in another form.
# </details>
#
# ## Before you leave
#
# <details><summary>A tokenizer needs 2 tokens for a paragraph of 204 bytes. Is it a good tokenizer for this text?</summary>
# Look at the unknown tokens first. If one unknown token covers the paragraph, the model sees nothing of it.
# </details>
# <details><summary>Which three families are lossless, and why?</summary>
# Byte-level BPE and <code>bytes</code> have a token for every byte. SubwordTextEncoder writes the code point of a
# character that is not in its alphabet.
# </details>
# <details><summary>Why does the family <code>bytes</code> have the recall 1 and a low precision?</summary>
# Its tokens have a boundary at every index. So they find every morpheme boundary, and most of their boundaries are
# wrong.
# </details>
#
# **Summary.** No real tokenizer and no family wins everywhere. Fertility and bytes per token mean little if you
# do not know how much of the text is unknown. In this comparison, the three lossless families needed more tokens for
# the English text than the other four. The task decides which measure matters.
#
# **References.** Judit Ács, *Exploring BERT's Vocabulary*, 2019 (fertility). Linting Xue and others, *ByT5*, 2022
# (bytes). **Next lesson:** `24_decoder_only`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### A boundary at a time, and a typo
#
# Step through the boundaries of WordPiece's tokens of *friendliness*.

# %%
wordpiece = split_word(tokenizers["WordPiece"], "friendliness")
recording = boundary_scores.record(wordpiece, ["friend", "li", "ness"])
print("precision, recall:", recording.result)
recording

# %% [markdown]
# A typo is a typing error, such as two swapped letters. How do the tokens of *lighthouse* change?

# %%
words = ("lighthouse", "lighthosue")
{family: ["|".join(split_word(one, word)) for word in words] for family, one in tokenizers.items()}

# %% [markdown]
# Unigram has `house` as one token. With the typo, this token is gone. A swap changes only 2 of the many tokens of
# `bytes`, so its share is always low: here 2/10.
#
# <details><summary>How are the changed tokens counted?</summary>
# Take the tokens of the correct word and the tokens of the word with the typo. Remove the tokens that are equal at the
# start of both lists, then those at the end. Count the remaining tokens of the correct word. Divide this number by the
# number of all tokens of the correct word.
# </details>
#
# ### More practice: the first loss · medium · 6 minutes · importance 3 of 5
#
# Return the first loss, the first index at which the text and the decoded text differ. If the shorter text is the
# beginning of the longer text, return the length of the shorter text. If the texts are equal, return −1.


# %% tags=["practice"]
def my_loss(text: str, decoded: str) -> int:
    """Example: my_loss("a  b", "a b") returns 2."""
    return ...


check.first_loss(my_loss)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many indices must the loop visit?</details>
# <details><summary>Hint: a smaller example</summary><code>my_loss("ab", "a")</code> and <code>my_loss("a", "ab")</code> return 1.</details>
# <details><summary>Hint: the shape</summary>A slice such as <code>text[index:index + 1]</code> is empty after the end of the text, and raises no error.</details>
#

# %% [markdown]
# ### Your own training text
#
# `read_corpus` returns the text of a file. The kit has some texts, such as `german`; for these, give the name. This
# cell trains on the German text. To train on your own file, replace `"german"` by the path of the file, such as
# `"my.txt"`. To step through the families, write `explore_families("Leuchtturm", my_training)` in a new cell
# below the next cell.

# %%
from tokenlab.laboratory.comparison.families import read_corpus

my_training = read_corpus("german")
{family: "|".join(split_word(one, "Leuchtturm")) for family, one in train_all(my_training, 1000).items()}

# %% [markdown]
# ### The same tokens from the production libraries
#
# The tokenizers above are programs of this kit. Do the production libraries return the same tokens and the same decoded
# texts? This cell gives two of the vocabularies to `tiktoken` and `sentencepiece`. (`_pat_str` is the pattern for
# the pre-tokens, and `_mergeable_ranks` is the vocabulary. `model_proto` is a SentencePiece model, as bytes.)

# %%
import sentencepiece, tiktoken

ours, model = tokenizers["byte-level BPE"].encoding, tokenizers["Unigram"].processor.serialized_model_proto()
settings = {"pat_str": ours._pat_str, "mergeable_ranks": ours._mergeable_ranks, "special_tokens": {}}
bpe, unigram = tiktoken.Encoding("live", **settings), sentencepiece.SentencePieceProcessor(model_proto=model)
{"tiktoken": bpe.n_vocab, "sentencepiece": unigram.get_piece_size()}

# %% [markdown]
# The texts are those of all five measures: the English and the Japanese text, the lines `hard`, the words of the list,
# and the words with typos. How many are they?

# %%
from tokenlab.laboratory.comparison.measures import PLACES, typo

listed = ["".join(morphemes) for morphemes in read_morphemes()]
listed += [typo(word, place) for word in listed if len(word) >= 6 for place in PLACES]
texts = [new, japanese, *hard, *(f" {word}" for word in listed)]
len(texts)

# %% [markdown]
# `results` returns the tokens and the decoded text of each text. The output is the result for the last word with a
# typo.


# %%
def results(one):
    return [([token.entry for token in tokens], one.decode(tokens)) for tokens in map(one.encode, texts)]


results(tokenizers["Unigram"])[-1]

# %%
live = [(bpe.decode_tokens_bytes(ids), bpe.decode(ids)) for ids in map(bpe.encode_ordinary, texts)]
print("tiktoken:", live == results(tokenizers["byte-level BPE"]))
live = [(unigram.encode(text, out_type=str), unigram.decode(unigram.encode(text))) for text in texts]
print("sentencepiece:", live == results(tokenizers["Unigram"]))

# %% [markdown]
# For all these texts, the tokens and the decoded texts are equal. So for these two families, the measures also describe
# the libraries.
#
# ### A museum of errors
#
# Well-known courses and libraries contain errors, or contained them in earlier versions. Each exhibit of the museum has
# a claim, an input that refutes the claim, and a public source. In a source, `huggingface/tokenizers#1065` is issue
# 1065 of the GitHub repository `huggingface/tokenizers`. Here is the list of the exhibits. The left column names the
# lesson that explains the terms of the exhibit. Leave out the exhibits of lessons that you have not read.

# %%
from tokenlab.laboratory import museum

for name, exhibit in museum.EXHIBITS.items():
    print(f"{exhibit.lesson:25} {name}")

# %% [markdown]
# Each of the next five exhibits has two cells. The first cell shows the claim and the input, which ends in a question.
# **Predict** two answers:
#
# - `claimed`, the result of a program that follows the claim;
# - `actual`, the right result of the algorithm or the library.
#
# The second cell computes both results. In JupyterLab, its stored output is folded: click on the three dots below the
# cell, or run the cell. (The tests of this kit compare the results `actual` with the libraries.)
#
# #### Lesson 02: the longest match

# %%
museum.claim("the longest match")

# %% jupyter={"outputs_hidden": true}
museum.visit("the longest match")

# %% [markdown]
# #### Lesson 04: the pattern that is not loaded
#
# This error is not in an algorithm. `load` reads a tokenizer from a file. To compile a pattern means to turn it into an
# object that splits texts.

# %%
museum.claim("the pattern that is not loaded")

# %% jupyter={"outputs_hidden": true}
museum.visit("the pattern that is not loaded")

# %% [markdown]
# #### Lesson 05: the score that the trainer does not use
#
# A summary in the documentation of `transformers` 4 says that WordPiece merges the pair with the highest score. Some
# readers expected this score in Hugging Face's library `tokenizers`, whose class `WordPieceTrainer` trains WordPiece.

# %%
museum.claim("the score that the trainer does not use")

# %% jupyter={"outputs_hidden": true}
museum.visit("the score that the trainer does not use")

# %% [markdown]
# The summary also says that the pair with the highest score raises the likelihood most. Here is the gain
# of the log-likelihood for each pair, as in lesson 05. Which pair has the largest gain?

# %%
from tokenlab.algorithms.wordpiece.train import likelihood_gains

gains = likelihood_gains({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
{" ".join(pair): round(gain, 1) for pair, gain in gains.items()}

# %% [markdown]
# `##u ##g` has the largest gain, 28.0. `##g ##s` has the highest score, but only the gain 9.2. So the statement
# about the likelihood is also wrong.
#
# #### Lesson 14: the test with one token
#
# The next decoder has an error. Its test did not find the error, because the test had only one token.

# %%
museum.claim("the test with one token")

# %% jupyter={"outputs_hidden": true}
museum.visit("the test with one token")

# %% [markdown]
# #### Lesson 18: the penalty that rewards
#
# Beam search divides the sum of the log-probabilities by a power of the length. `length_penalty` is the exponent.

# %%
museum.claim("the penalty that rewards")

# %% jupyter={"outputs_hidden": true}
museum.visit("the penalty that rewards")

# %% [markdown]
# #### The other exhibits
#
# The first cell shows the claims and the inputs. The second cell also shows the results.

# %%
visited = ("the longest match", "the pattern that is not loaded", "the test with one token", "the penalty that rewards")
others = [name for name in museum.EXHIBITS if name not in (*visited, "the score that the trainer does not use")]
print(*map(museum.claim, others), sep="\n\n")

# %% jupyter={"outputs_hidden": true}
print(*map(museum.visit, others), sep="\n\n")

# %% [markdown]
# **Add an exhibit.** The easiest way is to change an exhibit. The next cell replaces the input of "the replaced text".
# The input is called `given`. `claimed` and `actual` are functions without arguments.

# %%
from dataclasses import replace
from tokenlab.algorithms.bpe.train import merge

mine = replace(
    museum.claim("the replaced text"), given="The symbols are ab and c. The merge is (b, c). Which symbols result?"
)
replace(mine, claimed=lambda: ("abc",), actual=lambda: merge(("ab", "c"), ("b", "c"))).visit()

# %% [markdown]
# Now also change the claim, the source and the rule. Choose an input on which the two results differ. Make the input
# as small as possible.
#
# ### The price of a language
#
# The families learn again, from English, German, Chinese and Japanese texts, with about 2,000 entries. The cell prints
# the bytes per token on lines that no tokenizer has seen.

# %%
from tokenlab.laboratory.comparison.measures import bytes_per_token_by_language

corpora = {name: data.text(name).splitlines() for name in ("english", "german", "chinese", "japanese")}
four = train_all("\n".join(line for text in corpora.values() for n, line in enumerate(text) if n % 5), 2000)
unseen = {name: "\n".join(text[::5]) for name, text in corpora.items()}
for family, row in bytes_per_token_by_language(four, unseen).items():
    print(f"{family:20}", {name: round(value, 2) for name, value in row.items()})

# %% [markdown]
# Most Chinese and Japanese characters have 3 bytes in UTF-8, and an English letter has 1. So bytes per token do not
# compare languages fairly. Translations are a fair comparison: the next Chinese and English sentences have the
# same meaning.
#
# Users of a model often pay for each token. So divide the number of Chinese tokens by the number of English tokens. The
# ratio 2 means that Chinese costs twice as much. The cell prints two ratios: after the training on English, and after
# the training on four languages. Which families have a ratio above 1 both times? The cell also prints how much of the
# Chinese text is unknown.

# %%
english, chinese = ("\n".join(side) for side in zip(*data.pairs("english_chinese_dev"), strict=True))
size = len(chinese.encode())
for family in four:
    both = ((one[family].encode(chinese), len(one[family].encode(english))) for one in (tokenizers, four))
    print(f"{family:20}", *(f"{len(zh) / en:.2f} ({unknown_bytes(zh) / size:.0%} unknown) " for zh, en in both))

# %% [markdown]
# Byte-level BPE and `SubwordTextEncoder` have a ratio above 1 both times. The training on four languages lowers their
# ratios. `bytes` has the ratio 0.89 both times, and nothing is unknown: the Chinese sentences have fewer bytes than the
# English sentences. So for `bytes`, Chinese is cheaper.
#
# BPE, WordPiece, Unigram and SentencePiece BPE know no Chinese character after the training on English. The known part
# consists of digits, line breaks and some punctuation marks. (A line break that decoding does not restore is not an
# unknown byte.) So their small first ratios do not mean that Chinese is cheap: one would hope for a small ratio with
# nothing unknown. Unigram and SentencePiece BPE also join neighbouring unknown characters, so their first ratios are
# the smallest. After the training on four languages, 24 % of the Chinese text is still unknown to these four families.
#
# ### The overlap of the vocabularies
#
# Do the families learn the same tokens? The [**Jaccard index**](../docs/glossary.md#jaccard-index) of two sets is the
# number of common elements, divided by the number of elements that are in at least one of the sets. The cell removes
# the markers of each family first, such as `##` and `▁`. The columns have the same order as the rows.

# %%
from tokenlab.laboratory.comparison.measures import overlap_matrix

for family, row in overlap_matrix(tokenizers).items():
    print(f"{family:20}", "  ".join(f"{value:.2f}" for value in row.values()))

# %% [markdown]
# WordPiece and SentencePiece BPE have the highest Jaccard index (0.70). Both merge the pair with the highest count. But
# BPE and byte-level BPE use the same rule, and their index is only 0.39. One reason: in BPE, punctuation can be a part
# of a word, such as `y,</w>`. So the same rule is not enough for a high overlap.
#
# ### Precision, recall and typos in detail
#
# The cell prints precision, recall and F1 for the boundaries of all words together. `beginning` is the mean share of
# changed tokens for a typo near the beginning of the word. `middle` and `end` are the same for the other two places.

# %%
from tokenlab.laboratory.comparison.measures import score_boundaries, typo_changes

for family, one in tokenizers.items():
    numbers = score_boundaries(one, read_morphemes()) | typo_changes(one, map("".join, read_morphemes()))
    print(f"{family:20}", {name: round(value, 2) for name, value in numbers.items()})

# %% [markdown]
# The list of morphemes is in the file `data/english.morphemes`. The list is small, and written by hand. Change it, or
# write a list for another language.
#
# ### The common interface of the families
#
# The measures need the same methods from every family. So each family has a class that calls functions of the earlier
# lessons. `__init__` trains the tokenizer. `encode` returns tokens with their positions in the text. `decode` returns a
# text. `without_marker` returns an entry without the marker of the family.

# %%
from tokenlab import show
from tokenlab.laboratory.comparison.families import WordPiece

show.source(WordPiece)
