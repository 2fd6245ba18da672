# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # WordPiece
#
# > **You will be able to** encode a word by hand with a WordPiece vocabulary; say which words become `[UNK]`; compute
# > and explain the score of a pair.
# >
# > **Time:** core 40 minutes, practice 50 minutes. **Before this:** `02_bpe_encoding`.
#
# <details><summary>Two questions from earlier lessons: Which pair does BPE merge next? What does a BPE encoder need?</summary>
#
# BPE merges the most frequent pair and counts all pairs again after each merge. A BPE encoder needs the list of
# merges in the order in which they were learned.
# </details>
#
# [**WordPiece**](../docs/glossary.md#wordpiece) is the tokenization algorithm of Google's language model BERT. Google
# released BERT in two versions: *uncased* BERT converts a text to lower case and removes accents, while *cased* BERT
# keeps capitals and accents. Predict how each version changes and splits *Definitely Separate*, and step once. Then
# choose *capitals*, *composed* (letters with accents) and *one emoji* from the menu.

# %%
from tokenlab.show.explorers.explore_real_tokenizers import explore_real_tokenizers

explore_real_tokenizers("title case", ["BERT, uncased", "BERT, cased"])

# %% [markdown]
# A token that continues a word has the [**continuation prefix**](../docs/glossary.md#continuation-prefix) `##`, so
# `ing` and `##ing` are different tokens. If BERT cannot encode a word, it uses the [**unknown
# token**](../docs/glossary.md#unknown-token) `[UNK]`. In how many of the 120 texts of the menu does that happen?

# %%
from tokenlab.laboratory.real_tokenizers import real_tokenizer, texts

names = [name for group in texts().values() for name in group]
berts = [real_tokenizer("BERT, uncased"), real_tokenizer("BERT, cased")]
{bert.name: sum(bert.unknown in [token.id for token in bert.tokens(name)] for name in names) for bert in berts}

# %% [markdown]
# One unknown character can cost a whole word. To see why, we learn a vocabulary of 900 tokens
# from a small English corpus and encode two film reviews that end with an emoji. Like cased BERT, this tokenizer keeps
# capitals and accents.

# %%
from tokenizers import BertWordPieceTokenizer

from tokenlab import data
from tokenlab.algorithms.text.count_words import count_words
from tokenlab.algorithms.wordpiece.train_by_frequency import train_by_frequency

words = count_words(data.text("english"), "bert")
vocabulary = train_by_frequency(words, 900)
ids = {token: id for id, token in enumerate(["[UNK]", "[CLS]", "[SEP]", *vocabulary])}
bert = BertWordPieceTokenizer(ids, lowercase=False, strip_accents=False)
{text: bert.encode(text, add_special_tokens=False).tokens for text in ("That was good😊", "That was wrong😊")}

# %% [markdown]
# The two reviews have the same tokens, so a model cannot tell them apart. A BERT user
# [reported](https://github.com/google-research/bert/issues/896) the same problem with `glad😊`. (The argument
# `add_special_tokens=False` leaves out `[CLS]` and `[SEP]`, two [**special
# tokens**](../docs/glossary.md#special-token) that BERT puts around a text.)
#
# ## Encoding: longest match first
#
# BERT first splits a text at whitespace and punctuation marks into [**pre-tokens**](../docs/glossary.md#pre-token),
# which this lesson calls words. An emoji is not a punctuation mark, so `good😊` is one word. WordPiece then encodes
# each word on its own, by [**longest match first**](../docs/glossary.md#longest-match):
#
# 1. Look up the whole word in the vocabulary.
# 2. While the lookup fails, remove the last character and look up the shorter text.
# 3. The text that was found is a token. Continue with the rest of the word, with `##` in front.
#
# Step through `good😊`. Then type `lighthouse`, `Lighthouse`, `lighthousé` and your own words.

# %%
from tokenlab.show.explorers.explore_wordpiece import explore_wordpiece_encoding

explore_wordpiece_encoding("good😊", vocabulary)

# %% [markdown]
# **One unknown character makes the whole word unknown.** The encoder had already found `good`, but no token matches
# the emoji. So the encoder discards `good` and returns `[UNK]` for the whole word.
#
# ## The function itself
#
# The inner loop shortens the text until a lookup succeeds. If every lookup fails, Python runs the `else` branch of the
# `for` loop, and the word is unknown. A word of more than 100 characters also becomes `[UNK]`. (Each `yield` reports
# one step to the figure above.)

# %%
from tokenlab import show
from tokenlab.algorithms.wordpiece.encode import encode_word

show.source(encode_word)

# %% [markdown]
# ## Training: the score
#
# Where does the vocabulary come from? Training starts like BPE, with the characters of each word as symbols, but a
# symbol inside a word has the prefix `##`. In a merge, the right symbol loses its prefix: `h` and `##u` become `hu`,
# and `##g` and `##s` become `##gs`. The vocabulary consists of the characters and the new symbol of each merge.
#
# BPE merges the pair with the highest count. However, a pair of two frequent symbols has a high count even if the two
# are neighbours only by chance. Therefore the [**score**](../docs/glossary.md#score) compares the count of the pair
# $ab$ with the counts of $a$ and $b$:
#
# $$\text{score}(a,b)=\frac{\text{count}(ab)}{\text{count}(a)\times\text{count}(b)}$$
#
# The pair with the highest score is merged. If several pairs share the highest score, a
# [**tie-break**](../docs/glossary.md#tie-break) decides: the pair that occurs first in the text wins. Step through the
# training. Then set `merge by` to the count and compare.

# %%
from tokenlab.show.explorers.explore_wordpiece import explore_wordpiece_training

hugs = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
explore_wordpiece_training(" ".join(word for word, count in hugs.items() for _ in range(count)), vocab_size=16)

# %% [markdown]
# The pair `##u ##g` has the highest count, 20. Nevertheless its score is only 20/(36×20) = 1/36, because `##u` is in
# every word and occurs 36 times. The pair `##g ##s` has the score 5/(20×5) = 1/20, so it wins.
#
# What does each rule learn from English text? Here are the first 14 merges. (The run by score leaves out pairs that
# occur fewer than 5 times; *Go further* shows why.)

# %%
from itertools import islice

from tokenlab.algorithms.wordpiece.train_indexed import train_indexed

by_score = train_indexed.steps(words, 900, min_frequency=5)
runs = {"by count": train_by_frequency.steps(words, 900), "by score": by_score}
{rule: " ".join(step.symbol for step in islice(steps, 14)) for rule, steps in runs.items()}

# %% [markdown]
# The count finds frequent symbols such as `the`. The score finds symbols that belong together, such as `qu`: each `q`
# of the corpus is followed by `##u`.
#
# ## Where it breaks: one name, several trainers
#
# Google released BERT's encoder and its vocabularies, but not the training program. Therefore public sources describe
# different algorithms under the same name:
#
# - Schuster and Nakajima (2012) merge the pair that increases the [**likelihood**](../docs/glossary.md#likelihood)
#   most. The likelihood is the probability (0 to 1) of getting the training text if tokens are drawn at random by
#   their frequencies.
# - [Hugging Face's course](https://huggingface.co/learn/llm-course/chapter6/6) teaches the score and calls it a best
#   guess.
# - [TensorFlow's text guide](https://www.tensorflow.org/text/guide/subwords_tokenizer) describes top-down training,
#   which splits whole words into parts.
#
# Which rule does `WordPieceTrainer` of the `tokenizers` library use? Compare its first merges with the two lists above.

# %%
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

live = Tokenizer(models.WordPiece())
live.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
live.train_from_iterator([data.text("english")], trainers.WordPieceTrainer(vocab_size=900, show_progress=False))
in_order = sorted(live.get_vocab(), key=live.get_vocab().get)
" ".join([token for token in in_order if len(token.removeprefix("##")) > 1][:14])

# %% [markdown]
# `WordPieceTrainer` merges by count, so it is BPE with a prefix. The vocabulary of the encoder cells above was also
# trained by count.
#
# ## Practice
#
# Replace each `...` and run the cell. A second run with the same mistake shows the rule, and a third reveals the
# answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# The words are *low* (6 times), *lot* (2 times) and *new* (3 times). Which pair has the highest score before the first
# merge, and what is its score?

# %% tags=["practice"]
from tokenlab import check

# A tuple of two strings, and a number (2 decimal places are enough). Example: ("l", "##o"), 8 / (8 * 8)
my_pair, my_score = ..., ...

check.first_score(my_pair, my_score)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which pairs have two symbols that always occur together? Which of these pairs is the rarest?</details>
# <details><summary>Hint: a smaller example</summary>In <i>low</i> and <i>lot</i>, <code>##o</code> occurs 8 times and <code>##t</code> 2 times. The pair <code>##o ##t</code> occurs 2 times, so its score is 2/(8 × 2).</details>
# <details><summary>Hint: the structure</summary>First count the 6 symbols. Then count the 5 pairs. The symbol <code>##w</code> occurs in two words.</details>
#
# ### Find the bug · medium · 10 minutes · importance 3 of 5
#
# `frequency_score` merges the pair with the highest count. Find words for which its first merge differs from that of
# the score.

# %% tags=["practice"]
from tokenlab.misconceptions.wordpiece import frequency_score

# A dict from words to counts (positive integers). {"ab": 3, "b": 2} is no solution: it has only one pair.
my_words = ...

check.bug(frequency_score, my_words)

# %% [markdown]
# <details><summary>Hint: a question</summary>When does a pair with a high count have a low score?</details>
# <details><summary>Hint: a smaller example</summary>All of the words <i>ab</i>, <i>ac</i> and <i>ad</i> contain <code>a</code>. A high count of <code>a</code> lowers the score of every pair with <code>a</code>.</details>
# <details><summary>Hint: the structure</summary>Use two words that share a letter. Add a third, rare word with two letters of its own.</details>
#
# ### Complete two lines · easy · 5 minutes · importance 2 of 5
#
# Write a function that joins two symbols. The right symbol always starts with `##`.


# %% tags=["practice"]
def my_join(left: str, right: str) -> str:
    """Example: my_join("##g", "##s") returns "##gs"."""
    prefix_length = ...
    return ...


check.join_symbols(my_join)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two symbols keeps its prefix?</details>
# <details><summary>Hint: a smaller example</summary><code>my_join("h", "##u")</code> returns <code>"hu"</code>.</details>
# <details><summary>Hint: the structure</summary><code>right[2:]</code> is <code>right</code> without its first 2 characters. Do not use <code>replace</code>: it removes every <code>##</code>, not only the prefix.</details>
#
# ### Write it · hard · 15 minutes · importance 5 of 5
#
# Write the encoder. Return the tokens of a word, or `("[UNK]",)` if a part of the word has no token.


# %% tags=["practice"]
def my_encode(word: str, vocabulary: list[str]) -> tuple[str, ...]:
    """Example: my_encode("hugs", ["h", "hug", "##s"]) returns ("hug", "##s"). An empty word gives ()."""
    return ...


check.encode_wordpiece(my_encode)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which two positions in the word must your program remember?</details>
# <details><summary>Hint: a smaller example</summary>Suppose that the vocabulary contains <code>hug</code> and <code>##s</code>. For <i>hugs</i>, look up <code>hugs</code>, <code>hug</code> and <code>##s</code>.</details>
# <details><summary>Hint: the structure</summary>Repeat while <code>start</code> is before the end of the word. Inside this loop, <code>end</code> moves from the end of the word to the left. If <code>end</code> reaches <code>start</code>, return the unknown token.</details>
#
# ### Another rule · hard · 10 minutes · importance 3 of 5
#
# Write a rule that ignores rare pairs. Of all pairs with a count of at least `min_frequency`, return the pair with the
# highest score. If several pairs have the highest score, return the first of them. If no pair is left, return `()`.


# %% tags=["practice"]
def my_best_pair(pair_counts: dict, symbol_counts: dict, min_frequency: int) -> tuple:
    """Example: pair_counts is {("a", "##b"): 2, ("c", "##d"): 1}, symbol_counts is {"a": 3, "##b": 2, "c": 1, "##d": 1}.

    With min_frequency=1, return ("c", "##d"). With min_frequency=2, return ("a", "##b").
    """
    return ...


check.best_pair(my_best_pair)

# %% [markdown]
# <details><summary>Hint: a question</summary>Two symbols occur once, and they are neighbours. What is the score of their pair?</details>
# <details><summary>Hint: a smaller example</summary>Let <code>d = {"a": 2, "b": 3}</code>. Then <code>max(d, key=d.get)</code> returns <code>"b"</code>.</details>
# <details><summary>Hint: the structure</summary>Make a dict that maps each pair that is frequent enough to its score. If the dict is empty, return <code>()</code>. Otherwise use <code>max</code> with a key.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Why do *That was good😊* and *That was wrong😊* get the same tokens? The first sentence says which words the encoder
# gets. The second one says what it does with `good😊`. The third one says what would have to change so that the
# reviews differ. Write three sentences.
#
# <details><summary>What a good answer contains</summary>
#
# 1. The text is split at whitespace and punctuation marks, and an emoji is neither, so `good😊` is one word.
# 2. The encoder finds `good`, but no token matches the rest, so `[UNK]` replaces the whole word.
# 3. The emoji needs a token (here `##😊`), or it must be split off before encoding.
# </details>
# <details><summary>Two sample answers</summary>
#
# **Good:** “The text is split only at whitespace and punctuation marks, so the encoder gets `good😊` and `wrong😊` as
# single words. It finds `good`, but then no token matches the emoji, so it discards `good` and returns `[UNK]` for
# the whole word. If the vocabulary had the token `##😊`, the tokens would be `good ##😊` and the reviews would differ.”
#
# **Wrong:** “The encoder gets `good😊` and `wrong😊` as single words. Neither is in the vocabulary, so each becomes
# `[UNK]` at once. With a token `😊` in the vocabulary, the reviews would differ.” The encoder does not stop at once:
# it finds `good` first, and only then fails at the emoji. The token would have to be `##😊`, because the emoji
# continues a word.
# </details>
#
# ## Exit questions
#
# <details><summary>Why does the pair with the highest count not always have the highest score?</summary>
# The score divides by the counts of both symbols. Symbols that occur often give the pair a low score.
# </details>
# <details><summary>The last letter of a word is in no token of the vocabulary. How is the word encoded?</summary>
# The whole word becomes one <code>[UNK]</code> token.
# </details>
# <details><summary>Why does the encoder not need the merges?</summary>
# The encoder looks up texts in the vocabulary and takes the longest match. It does not use the merges that produced a
# token.
# </details>
#
# **Summary.** The encoder takes the longest matching token, so it needs only the vocabulary and not the merges. If a
# part of a word has no token, the whole word becomes `[UNK]`. The score divides the count of a pair by the counts of
# its symbols, so that frequent symbols are not merged just because they are frequent.
#
# **Reference.** Mike Schuster and Kaisuke Nakajima, *Japanese and Korean Voice Search*, 2012.
# Next lesson: `06_unigram_segmenting`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The same call on a production library
#
# The `tokenizers` library calls this encoder `models.WordPiece`. We encode every word of the corpus with the library
# and with `encode_word`: once as it is, and once with `é` at the end. How many results differ?

# %%
library = models.WordPiece(ids, unk_token="[UNK]")
variants = ["".join(word) + end for word in words for end in ("", "é")]
differ = [text for text in variants if [t.value for t in library.tokenize(text)] != list(encode_word(text, ids))]
{"texts": len(variants), "differ": len(differ)}

# %% [markdown]
# ### The score and pointwise mutual information
#
# Let $N$ be the sum of the counts of all symbols. The *probability* of a symbol or a pair is its share of this sum,
# $p=\text{count}/N$. If two symbols occurred independently of each other, the probability of the pair would be
# $p(a)\,p(b)$. The [**pointwise mutual information**](../docs/glossary.md#pointwise-mutual-information) (PMI) compares
# the real probability of the pair with this product:
#
# $$\text{PMI}(a,b)=\ln\frac{p(ab)}{p(a)\,p(b)}=\ln\left(N\,\text{score}(a,b)\right)$$
#
# Here, $\ln$ is the natural logarithm: $\ln x$ is the power to which the number $e \approx 2.718$ must be raised to get
# $x$. If $x$ grows, so does $\ln x$. Since $N$ is the same for all pairs, the pair with the highest score also has the
# highest PMI. A high PMI says that the two symbols occur together more often than their own counts suggest.
#
# ### Rare pairs have the highest scores
#
# Consider a pair that occurs once. If both of its symbols also occur once, the score is 1/(1 × 1) = 1, and no score can
# be higher. Here are the first merges by score if rare pairs are allowed.

# %%
" ".join(step.symbol for step in islice(train_indexed.steps(words, 900), 14))

# %% [markdown]
# These symbols come from rare words. Each of them uses an entry of the vocabulary although it occurs in few words, so
# fewer entries are left for frequent words, and the text needs more tokens. To measure this, we train 3 vocabularies
# with 800 entries each and encode the corpus. How many tokens does each vocabulary need?

# %%
from tokenlab.algorithms.wordpiece.encode_cached import WordPieceEncoder

learned = {"score": train_indexed(words, 800), "score, min_frequency=5": train_indexed(words, 800, min_frequency=5)}
learned["count"] = train_by_frequency(words, 800)
{rule: len(WordPieceEncoder(tokens, split="bert").encode(data.text("english"))) for rule, tokens in learned.items()}

# %% [markdown]
# The vocabulary trained by count needs the fewest tokens. With `min_frequency=5`, the vocabulary trained by score needs
# only a few more, but with rare pairs it needs nearly twice as many.
#
# ### The score and the likelihood
#
# A [**unigram model**](../docs/glossary.md#unigram-language-model) multiplies the probabilities of all symbols of a
# text. The [**log-likelihood**](../docs/glossary.md#log-likelihood) of a corpus is the logarithm of this product, which
# is the sum of $\ln p(a)$ over all its symbols $a$. Before the merge of $ab$, each occurrence of $ab$ contributes
# $p(a)\,p(b)$ to the product. After the merge, it is one symbol and contributes $p(ab)$. So the merge increases the
# log-likelihood by approximately
#
# $$\text{count}(ab) \times \text{PMI}(a, b)$$
#
# This means that the score ranks pairs by the gain *per occurrence*, while Schuster and Nakajima rank them by the
# *total* gain. We evaluate the formula for `##u ##g` in the words of the training figure, which have $N = 113$ symbols;
# the pair has the count 20 and the score 1/36. Below it are the exact total gains of every possible first merge. (The
# paper may use another language model than the unigram model.)

# %%
from math import log

from tokenlab.algorithms.wordpiece.train import likelihood_gains

print("formula for ##u ##g:", round(20 * log(113 * 1 / 36), 1))
{" ".join(pair): round(gain, 1) for pair, gain in likelihood_gains(hugs).items()}

# %% [markdown]
# The exact gain of `##u ##g` is larger than the result of the formula, because a merge also changes the probabilities
# of the other symbols. Here the pair with the largest total gain is also the pair with the highest count, while the
# score chooses another pair, `##g ##s`.
#
# ### The training function
#
# `train` counts all pairs and symbols again before every merge. The scores are exact fractions, because floating-point
# numbers are rounded, so that two equal scores could become different numbers. With `tie_break="first_seen"`, the pair
# that occurs first wins a tie.

# %%
from tokenlab.algorithms.wordpiece.train import train

show.source(train)

# %% [markdown]
# ### A common mistake: the wrong pair count
#
# The words are *hug* (10 times), *pug* (5 times) and *pun* (12 times). The first merge is `h ##u`. A student then
# computes these scores: `hu ##g: 10/(10*15)`, `p ##u: 17/(17*17)`, `##u ##g: 5/(17*15)`, `##u ##n: 17/(17*12)`. The
# student merges `##u ##n`. Which number is wrong? Which pair is merged?

# %%
train.record({"hug": 10, "pug": 5, "pun": 12}, vocab_size=10)

# %% [markdown]
# The pair `##u ##n` occurs only in *pun*, 12 times. Its score is 12/(17 × 12) = 1/17. The pair `hu ##g` wins with 1/15.
#
# ### A common mistake: `[UNK]` for a part of the word
#
# In [issue 763](https://github.com/google-research/bert/issues/763) of the BERT repository, a user expected `[UNK]`
# only for the unknown part of a word. Two wrong programs work this way: `rest_unk` replaces the rest of the word, and
# `piecewise_unk` replaces one character.

# %%
from tokenlab.misconceptions.wordpiece import piecewise_unk, rest_unk

tokens = ["un", "##want", "##ed"]
{program.__name__: program("unxwanted", tokens) for program in (rest_unk, piecewise_unk, encode_word)}

# %% [markdown]
# Only `encode_word` agrees with BERT: `[UNK]` replaces the whole word.
#
# ### A common mistake: an encoder that never stops
#
# Here are the first lookups of a wrong encoder for *hugs* and for *hug*. Why does this encoder never stop?

# %%
from tokenlab.misconceptions.wordpiece import windows_of_common_code

list(islice(windows_of_common_code("hugs", ["hug", "##s"]), 5)), list(islice(windows_of_common_code("hug", ["hug"]), 5))

# %% [markdown]
# The wrong encoder lacks two steps. After a failed lookup it does not shorten the text, so it looks up `hugs` forever.
# After a match, `start` must move to the end of the token, and `end` must move back to the end of the word. Instead, the
# wrong encoder sets both to the same position, so the text between them is empty.
#
# ### A dead end
#
# The longest match can lead to a dead end, where no token matches the rest of the word. Even then the encoder never
# goes back. Which other tokens would encode *abc*?

# %%
encode_word.record("abc", ["ab", "a", "##bc"])

# %% [markdown]
# The tokens `a` and `##bc` would encode *abc*, but the encoder never tries `a`.
#
# ### How BERT cleans a text
#
# Uncased BERT cleans a text before it splits the text into words, and Google's code and the `tokenizers` library clean
# some texts differently. Compare both results for a Greek word in capital letters and for `U+E000`, a private-use
# character (a code point without a fixed meaning). The last entry counts the tokens of a word with 150 letters.

# %%
from tokenizers import normalizers

from tokenlab.libraries.bert import tokenization

google, fast, long = tokenization.BasicTokenizer(), normalizers.BertNormalizer(), "a" * 150
by_google = tokenization.WordpieceTokenizer(["a", "##a"]).tokenize(long)
by_library = models.WordPiece({"[UNK]": 0, "a": 1, "##a": 2}, unk_token="[UNK]").tokenize(long)
cleaned = {text: (*google.tokenize(text), fast.normalize_str(text)) for text in ("ΟΔΟΣ", "a\ue000b")}
{"cleaned by Google, by tokenizers": cleaned, "tokens of a long word": (len(by_google), len(by_library))}

# %% [markdown]
# - Google's code converts a whole word to lower case, so Python writes a Greek sigma at the end of a word as `ς`. The
#   library converts each letter separately.
# - Google's code keeps private-use characters, while the library removes them.
# - Google's code returns `[UNK]` only for a word of more than 200 characters. The library's limit is 100 characters.
#
# ### Two runs, two vocabularies
#
# `WordPieceTrainer` assigns ids to characters inside words in the order of a hash map, a data structure without a
# fixed order, so the ids change from run to run. This matters because among pairs with equal counts, the pair with the
# lower ids is merged. The next cell trains again and counts the tokens that only the first vocabulary contains. Run it
# several times: the number changes.

# %% tags=["nbval-ignore-output"]
again = Tokenizer(models.WordPiece())
again.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
again.train_from_iterator([data.text("english")], trainers.WordPieceTrainer(vocab_size=900, show_progress=False))
len(set(live.get_vocab()) - set(again.get_vocab()))

# %% [markdown]
# ### The whole algorithm on one page
#
# The file `tokenlab/minimal/wordpiece.py` contains training by the likelihood score, encoding and decoding without
# the steps. For each word, it
# returns the same pieces as the library `tokenizers`.

# %%
from tokenlab import show
from tokenlab.minimal import wordpiece

show.source(wordpiece)
