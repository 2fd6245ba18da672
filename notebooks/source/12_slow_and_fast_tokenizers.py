# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Slow and fast tokenizers
#
# > **You will be able to** follow one call of a tokenizer through its steps; name three rules in which slow and fast
# > tokenizers differ; convert pairs of texts to a batch for a model.
# >
# > **Time:** core 30 minutes, practice 20 minutes (and 18 in *Go further*). **Before this:** `11_tokenizer_pipeline`.
#
# <details><summary>Two questions from the last lesson: Which five stages does a pipeline have? What are the offsets of a token?</summary>
#
# The five stages are added tokens, normalizer, pre-tokenizer, model and post-processor. The offsets of a token are the
# span of the original text that the token comes from.
# </details>
#
# Up to version 4, the library `transformers` contains most tokenizers twice. A [**slow
# tokenizer**](../docs/glossary.md#slow-tokenizer) is written in Python, while a [**fast
# tokenizer**](../docs/glossary.md#fast-tokenizer) is a compiled pipeline. (Version 5
# has one for each model; see *Go further*.) Here, both tokenizers of a small T5 (lesson 13), loaded from the same files,
# encode a text with the [added token](../docs/glossary.md#added-token) `<extra_id_0>`.

# %%
from tokenlab.show.explorers.explore_transformers import small_tokenizers

for tokenizer in small_tokenizers("T5"):
    ids = tokenizer("The <extra_id_0> dog.")["input_ids"]
    print(type(tokenizer).__name__, ids, tokenizer.convert_ids_to_tokens(ids))

# %% [markdown]
# The slow tokenizer returns 5 ids and the fast one 6, because only the fast one keeps the space before the added token, as
# the token `▁`. ([A similar difference](https://github.com/huggingface/transformers/issues/16334) was reported.) A
# model that was trained with one tokenizer gets unexpected ids from the other.
#
# The player calls both tokenizers of BERT with two texts. Step to the last stage, then try other texts, models or
# values of `max_length`.

# %%
from tokenlab.show.explorers.explore_transformers import explore_slow_and_fast

explore_slow_and_fast("Hello [MASK] wörld", "second text")

# %% [markdown]
# **Both tokenizers perform the same steps, but some rules differ, and only the fast one has offsets.**
#
# ## The steps of a call
#
# A call `tokenizer(text, pair, ...)` performs five steps in this order (the player shows more stages):
#
# 1. *Tokens.* `tokenize` finds the added tokens, which stay whole, and splits the rest into tokens.
# 2. *Ids.* `convert_tokens_to_ids` looks up the id of each token.
# 3. *Truncation.* It removes tokens until the texts and the special tokens fit into `max_length`.
# 4. *Special tokens* are inserted. A [**BERT tokenizer**](../docs/glossary.md#bert-tokenizer) also returns a
#    [**type id**](../docs/glossary.md#type-id) for each token: 0 for the first text with its `[CLS]` and `[SEP]`, and 1
#    for the second text with its `[SEP]`.
# 5. *Padding.* [**Padding**](../docs/glossary.md#padding) tokens fill the result up to a common length. The
#    [**attention mask**](../docs/glossary.md#attention-mask) is 0 for padding, which the model ignores, and 1 for all
#    other tokens.
#
# Within step 1, the slow BERT tokenizer first converts the text to lower case, except special tokens, and then looks for
# all added tokens. The fast one looks twice: for special tokens before it normalizes the text, and for other added tokens
# afterwards.
#
# ## Only one has offsets
#
# A slow tokenizer passes only strings from step to step, so the positions in the text are lost. A fast tokenizer
# keeps the alignment of lesson 11. Each output row contains a token, the number of its text,
# the number of its word, and its offsets. Which tokens belong to no text?

# %%
import logging

logging.getLogger("tokenlab.libraries.transformers").setLevel("ERROR")  # no advice
slow, fast = small_tokenizers("BERT")
encoding = fast("Zoë sat", "Why?", return_offsets_mapping=True)
list(zip(encoding.tokens(), encoding.sequence_ids(), encoding.word_ids(), encoding["offset_mapping"], strict=True))

# %% [markdown]
# A special token has no text and no word: both numbers are `None`. With `slow`, this cell raises an error.
#
# ## Two sizes of a vocabulary
#
# `add_tokens` gives a new id to each string that the vocabulary lacks, and the tokenizer never splits this string. The
# cell adds `Zoë` and `the` to a vocabulary of 600 tokens, which already contains `the`. Predict `vocab_size` and
# `len(tokenizer)` after the call.

# %%
for tokenizer in (slow, fast):
    tokenizer.add_tokens(["Zoë", "the"])
    print(tokenizer.vocab_size, len(tokenizer), tokenizer.get_added_vocab(), tokenizer.tokenize("Zoë, zoë and zoe"))

# %% [markdown]
# `vocab_size` does not count the new ids, so it never changes, whereas `len(tokenizer)` counts all ids. A model's
# [embedding](../docs/glossary.md#embedding) is a table with one row per id, so it needs `len(tokenizer)` rows.
#
# ## Where it breaks: three disagreements
#
# 1. *Spaces at added tokens.* The slow tokenizer removes the spaces on both sides of an added token, while the fast T5
#    tokenizer keeps the space before it, as in the first cell.
# 2. *Added tokens in another case.* The slow BERT tokenizer lowercases the text and added token, so it searches for
#    `zoë`. The fast one normalizes both, which also removes the accent, so it searches for `zoe`. Therefore only the
#    fast one finds the added token in the word `zoe`.
# 3. *Truncation of pairs.* With `truncation=True`, the slow tokenizer removes one token at a time: from the longer
#    text, or from the second one if both are equally long. The fast tokenizer divides the *budget*, `max_length`
#    minus the special tokens, between the texts. If both texts are longer than half of the budget, each gets half of
#    it, rounded down. If the budget is odd, the longer text gets one token more, or the second if both are equally
#    long. If only one text is longer than half, the shorter text keeps all its tokens, and the longer one gets the
#    rest.
#
# Both texts have 3 tokens, and each call inserts 3 special tokens. Predict both results for `max_length=8`.

# %%
for tokenizer in (slow, fast):
    print(tokenizer.decode(tokenizer("a b c", "d e f", truncation=True, max_length=8)["input_ids"]))

# %% [markdown]
# The budget is 5. The slow tokenizer shortens the second text, while the fast one shortens the first, because the
# second gets the remaining token. Therefore, use the tokenizer with which the model was trained.
#
# ## The function itself
#
# This function performs step 1 of the slow tokenizer. `tokens_trie` splits the text at the added tokens.

# %%
from tokenlab import show
from tokenlab.libraries.transformers.tokenization_utils import PreTrainedTokenizer

show.source(PreTrainedTokenizer.tokenize)

# %% [markdown]
# ## Practice
#
# Replace the three dots in each cell and run it. A second run with the same mistake shows the rule, and a third the answers
# and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 3 of 5
#
# The call `tokenizer("a b c", "d e f g", truncation=True, max_length=8)` goes to a slow and a fast BERT tokenizer. Each
# letter is one token. For each tokenizer, how many tokens of each text remain? In the result of the slow tokenizer, how
# many tokens have the type id 0?

# %% tags=["practice"]
from tokenlab import check

# Two pairs of integers, and an integer. Example: (2, 2), (1, 3), 4
my_slow, my_fast, my_zeros = ..., ..., ...

check.both_truncations(my_slow, my_fast, my_zeros)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many of the 8 tokens are special tokens? Which special tokens have the type id 0?</details>
# <details><summary>Hint: a smaller example</summary>For <code>"a b", "c d"</code> and <code>max_length=6</code>, the slow tokenizer keeps <code>(2, 1)</code>, and the fast one keeps <code>(1, 2)</code>.</details>
# <details><summary>Hint: the structure</summary>Slow: remove one token at a time. Fast: divide by 2, then assign the remaining token. Finally, write down the result of the slow tokenizer with its special tokens.</details>
#
# ### Find the bug · easy · 4 minutes · importance 4 of 5
#
# `count_every_token` should compute `len(tokenizer)` after `add_tokens(my_tokens)`. The vocabulary contains the 4
# tokens `[UNK]`, `a`, `b` and
# `ab`. Find a list of strings for which the result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.tokenizer_calls import count_every_token

my_tokens = ...  # for example ["c", "d"]: no solution, because the program returns 6, which is correct

check.bug(count_every_token, my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which strings do not get a new id?</details>
# <details><summary>Hint: a smaller example</summary>For <code>["c"]</code>, the program returns 5, which is correct.</details>
# <details><summary>Hint: the structure</summary>Use a list with a token that the vocabulary contains, or with a token that occurs twice.</details>
#
# ### Complete two lines · medium · 6 minutes · importance 5 of 5
#
# Add `pad_id` on the right of the list `ids` until it contains `length` ids. Return a pair of lists: the padded ids and
# the attention mask. If
# `ids` already contains `length` ids or more, return it without padding. Example: `[5, 6]`, `3` and `0` give `([5, 6,
# 0], [1, 1, 0])`.


# %% tags=["practice"]
def my_pad(ids, length, pad_id):
    missing = ...
    return ...


check.padded_ids(my_pad)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is the mask if one of the <code>ids</code> equals <code>pad_id</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>[0]</code>, <code>2</code> and <code>0</code> give <code>([0, 0], [1, 0])</code>.</details>
# <details><summary>Hint: the structure</summary>First compute the number of missing ids, which is at least 0. Then return two sums of lists. <code>[x] * number</code> repeats an element.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# Your model was trained with a slow tokenizer, and you want to use the fast one. Say in three sentences why most ids
# stay the same, for
# which kinds of texts they may differ, and what only the fast tokenizer can tell you.
#
# <details><summary>What a good answer contains</summary>
# 1. Both perform the same steps with the same vocabulary, so most texts give the same ids.<br>
# 2. They follow different rules for some texts, for example for truncated pairs, for added tokens next to spaces, and
#    for added tokens in another case.<br>
# 3. Only the fast tokenizer keeps the alignment, so only it returns the offsets of the tokens.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The two programs have the same vocabulary and the same steps, so they nearly always agree. They may differ where a rule differs: pairs that are truncated, and added tokens next to spaces or in capitals. The fast one also returns the offsets of each token, because it keeps the alignment with the text.”<br>
# <b>Wrong:</b> “The fast tokenizer is the same program, only compiled. So all ids are equal for all texts. It is only faster.” It is another program with its own rules, which disagree for some texts; and it also has the offsets.
# </details>
#
# ## A real task: a batch of sentence pairs
#
# Does the second sentence of a pair follow from the first one? A model learns this from pairs with labels (1: yes, 0:
# no). A data set
# usually stores each pair without padding.

# %%
pairs = [("The cat sat down.", "A cat is here.", 1), ("It is late.", "It is early.", 0), ("He sang.", "He did.", 1)]
examples = [{**fast(one, two, truncation=True, max_length=24), "labels": label} for one, two, label in pairs]
[len(example["input_ids"]) for example in examples]

# %% [markdown]
# A model processes several examples together, as a [**batch**](../docs/glossary.md#batch). The conversion of several
# examples to arrays is called
# [**collating**](../docs/glossary.md#collate). Here, `pad` collates the batch: it fills every example up to the length
# of the longest example. It does
# not pad the labels. With `return_tensors="np"`, the arrays are NumPy arrays.

# %%
batch = fast.pad(examples, return_tensors="np")
batch.data

# %% [markdown]
# Each row of the attention mask contains a 1 for each token of the example. With `return_tensors="pt"`, the arrays are
# PyTorch tensors.
#
# ## Exit questions
#
# <details><summary>A model was trained with a slow tokenizer, and you load the fast one. Which inputs do you test?</summary>
# Test pairs that are truncated, added tokens next to spaces, and added tokens in another case or without an accent.
# </details>
# <details><summary>Why can an embedding have more than <code>vocab_size</code> rows?</summary>
# The ids of added tokens start at <code>vocab_size</code>. The embedding needs a row for each id, so it needs
# <code>len(tokenizer)</code> rows.
# </details>
# <details><summary>Is the attention mask 0 for <code>[SEP]</code>?</summary>
# No. The attention mask is 0 only for padding.
# </details>
#
# **Summary.** Slow and fast tokenizers perform the same steps. For most texts, they return the same ids, and the
# exceptions follow rules. Only a fast
# tokenizer knows the positions of tokens in the text.
#
# **References.** Hugging Face, documentation of `transformers`, *Tokenizer*. **Next lesson:** `13_t5_in_one_picture`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
#
# ## Go further

# %% [markdown]
# ### The same call on the production library
#
# Tests compare this kit with `transformers` 4.26.1, which needs an older `tokenizers`. Here, the pipeline
# of a fast tokenizer, `backend_tokenizer`, runs in the installed library `tokenizers`. On how many lines do the ids
# differ?

# %%
import tokenizers

from tokenlab import data

lines, (_, new) = data.text("mixed").splitlines(), small_tokenizers("BERT")
ours = new(lines)["input_ids"]
theirs = tokenizers.Tokenizer.from_str(new.backend_tokenizer.to_str())
{"lines": len(lines), "different": sum(ids != theirs.encode(line).ids for ids, line in zip(ours, lines, strict=True))}

# %% [markdown]
# ### Write it · medium · 8 minutes · importance 3 of 5
#
# Write the truncation of the **slow** tokenizer. `first` and `second` are the numbers of tokens of two texts. At most
# `budget` tokens may remain. While too many
# tokens are left, remove one token from the longer text, or from the second text if both are equally long. Return the
# two numbers of
# remaining tokens as a pair of integers. Example: `3`, `4` and `5` give `(3, 2)`.


# %% tags=["practice"]
def my_slow_lengths(first, second, budget):
    return ...


check.slow_truncation(my_slow_lengths)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which text loses a token if both have 3 tokens?</details>
# <details><summary>Hint: a smaller example</summary><code>1</code>, <code>9</code> and <code>5</code> give <code>(1, 4)</code>.</details>
# <details><summary>Hint: the structure</summary>Use a <code>while</code> loop that contains one <code>if</code> and one <code>else</code>.</details>
#
# ### Another rule · hard · 10 minutes · importance 3 of 5
#
# Now write the truncation of the **fast** tokenizer, with the same arguments and the same kind of result:
#
# - If both texts fit into the budget together, nothing changes.
# - Otherwise, compare the shorter text with half of the budget (rounded down). If it is not longer, keep it whole. The
#   other text gets the rest of the budget.
# - Otherwise, each text gets half of the budget (rounded down). A remaining token goes to the longer text, or to the
#   second text if both are equally long.
#
# Example: `3`, `4` and `5` give `(2, 3)`.


# %% tags=["practice"]
def my_fast_lengths(first, second, budget):
    return ...


check.fast_truncation(my_fast_lengths)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is <code>budget - budget // 2</code> for an odd budget?</details>
# <details><summary>Hint: a smaller example</summary><code>4</code>, <code>3</code> and <code>5</code> give <code>(3, 2)</code>.</details>
# <details><summary>Hint: the structure</summary>Write one <code>return</code> per rule, in the order of the list.</details>
#
# ### Your own slow tokenizer
#
# A slow tokenizer usually defines six members: `vocab_size`, `get_vocab`, `_tokenize`, `_convert_token_to_id`,
# `_convert_id_to_token` and `save_vocabulary`. The base class does the rest of the work. In the next class, every
# character is a token, and its code point is its id. The class defines only four members. It does not need `get_vocab`
# and `save_vocabulary`, because it has no list of tokens.
#
# `_tokenize` can be the type `list`, because `list("ab")` returns `["a", "b"]`. Usually, Python passes `self` to the
# functions of a class. But it passes no `self` to a type such as `list`, or to a built-in function such as `ord`. So
# these get only their argument.


# %%
class CharacterTokenizer(PreTrainedTokenizer):
    vocab_size, _tokenize = 0x110000, list
    _convert_token_to_id, _convert_id_to_token = ord, chr


dict(CharacterTokenizer()("Zoë", "sat"))

# %% [markdown]
# The base class adds the type ids and the attention mask. It adds no special tokens, because the class does not define
# any. Many tokenizers override more
# methods. For example, `BertTokenizer` also overrides `convert_tokens_to_string`, which removes `##`.
#
# ### The converter
#
# `convert_slow_tokenizer` builds a pipeline from a slow tokenizer. Each component of the pipeline replaces lines of
# Python. Which component
# replaces the search for added tokens?

# %%
from tokenlab.libraries.transformers.convert_slow_tokenizer import SLOW_TO_FAST_CONVERTERS

SLOW_TO_FAST_CONVERTERS["BertTokenizer"](slow).converted.record()

# %% [markdown]
# No component replaces this search. The decoder is a component, but not one of the five stages: it converts tokens to
# text. The converter leaves out the added tokens, and the fast tokenizer adds them to its pipeline later.
#
# ### Added tokens: a trie and two passes
#
# The slow tokenizer searches for all added tokens at once. It uses a [**trie**](../docs/glossary.md#trie), a tree of
# characters. In the output, the key `''` marks the end of an added token. If several added tokens match at one
# position, the tokenizer takes the longest.

# %%
from tokenlab.libraries.transformers.tokenization_utils import Trie

trie = Trie(["<a>", "<a><b>"])
print(trie.data)
trie.split("x <a><b> <a>y")

# %% [markdown]
# The fast tokenizer searches twice. It searches for special tokens in the original text, and for other added tokens in
# the normalized text.

# %%
fast.backend_tokenizer.no_truncation()
fast.backend_tokenizer.encode.record("ZOË [MASK]").play(opened=1, predict=False)

# %% [markdown]
# ### Special tokens that are added tokens
#
# A special token that the vocabulary does not contain is also an added token. It gets a new id, and `vocab_size` does
# not count it. Here, `[BOS]` and
# `[X]` are both special tokens and added tokens.

# %%
slow.add_special_tokens({"bos_token": "[BOS]", "additional_special_tokens": ["[X]"]})
slow.vocab_size, len(slow), slow.get_added_vocab(), slow.all_special_tokens

# %% [markdown]
# ### Never split, but without a new id
#
# In 4.26.1, the slow `add_tokens` ignores a token that the vocabulary contains. With `special_tokens=True`, the token
# still gets no new id, but from then on it is an added token. It is cut out of every text, also out of a word such as
# `hands`. The vocabulary contains `an`. The first number of each output is the number of new ids.

# %%
for special in (False, True):
    print(slow.add_tokens(["an"], special_tokens=special), slow.tokenize("hands"))

# %% [markdown]
# ### A common mistake: a slow tokenizer without `from_pretrained`
#
# Suppose that you build a slow T5 tokenizer with its class, and not with `from_pretrained`. Then it splits its special
# tokens. Predict how
# it splits `</s>`.

# %%
from tokenlab.libraries.transformers import T5Tokenizer

path = data.t5_tiny()
T5Tokenizer(str(path / "spiece.model")).tokenize("a</s>b"), T5Tokenizer.from_pretrained(path).tokenize("a</s>b")

# %% [markdown]
# ### Overflowing tokens
#
# With `return_overflowing_tokens=True`, the fast tokenizer returns more windows of the text, each with special tokens.
# The slow tokenizer
# returns the removed ids as one list. Both repeat `stride` tokens.

# %%
long = {"max_length": 6, "truncation": True, "stride": 1, "return_overflowing_tokens": True}
windows, rest = fast("a b c d e f g", **long), slow("a b c d e f g", **long)
kept, removed = slow.decode(rest["input_ids"]), slow.decode(rest["overflowing_tokens"])
[fast.decode(ids) for ids in windows["input_ids"]], kept, removed

# %% [markdown]
# ### Only one of them raises an error
#
# `truncation="only_first"` shortens only the first text. This may not be enough. Then the slow tokenizer logs an error
# and removes nothing. The
# fast tokenizer raises an error.

# %%
from tokenlab.traces.tokenization.trace_tokenizer_call import trace_tokenizer_call

options = {"truncation": "only_first", "max_length": 4}
trace_tokenizer_call.record(slow, fast, "Hello", "second text", options).play(opened=-1, predict=False)

# %% [markdown]
# The next call sets `add_special_tokens=False` and `return_token_type_ids=True`. The slow tokenizer rejects this
# combination of arguments. The fast tokenizer accepts it.

# %%
try:
    slow("a b", add_special_tokens=False, return_token_type_ids=True)
except ValueError as error:
    print(error)
fast("a b", add_special_tokens=False, return_token_type_ids=True)

# %% [markdown]
# ### A list: a batch, or words?
#
# A list of strings can mean a batch of texts, or one text that was split into words before. Only the argument
# `is_split_into_words` decides. The tokenizer
# still splits each word into tokens. No token crosses the boundary of a word.

# %%
words = ["12", "oaks"]
[fast.convert_ids_to_tokens(ids) for ids in fast(words)["input_ids"]], fast(words, is_split_into_words=True).tokens()

# %% [markdown]
# ### When nothing is truncated
#
# Without the argument `max_length`, the tokenizer uses its attribute `model_max_length`. If no `model_max_length` is
# set, the tokenizer does not truncate. The first result of the next cell shows `truncation_side="left"`, which removes
# the first tokens. The second result is the number of ids of a text of 600 words, without `max_length`.

# %%
fast.truncation_side = "left"
sides = fast("a b c d", truncation=True, max_length=4).tokens(), len(fast("a " * 600, truncation=True)["input_ids"])
fast.truncation_side = "right"
sides

# %% [markdown]
# ### A result that is no `dict`
#
# A tokenizer returns a `BatchEncoding`. It has the methods of a dictionary, but it is no subclass of `dict`. Code
# that checks
# `isinstance(x, dict)` needs the attribute `data`.

# %%
isinstance(encoding, dict), isinstance(encoding.data, dict), list(encoding)

# %% [markdown]
# ### A tokenizer for your own pipeline
#
# `PreTrainedTokenizerFast(tokenizer_object=...)` wraps a pipeline. It does not know which special token has which role.
# Give the roles as
# arguments.

# %%
from tokenlab.libraries.transformers import PreTrainedTokenizerFast

plain = PreTrainedTokenizerFast(tokenizer_object=fast.backend_tokenizer)
named = PreTrainedTokenizerFast(tokenizer_object=fast.backend_tokenizer, pad_token="[PAD]", cls_token="[CLS]")
plain.special_tokens_map, named.special_tokens_map

# %% [markdown]
# ### What transformers 5 changed
#
# This kit follows version 4.26.1. These points are different in version 5:
#
# - Most models have only one tokenizer class, and it has a pipeline. For example, `T5Tokenizer` is `T5TokenizerFast`.
# - `encode_plus` and `batch_encode_plus`, older names for a call of the tokenizer, no longer exist.
#   `as_target_tokenizer`, which prepared the tokenizer for the target texts, no longer exists.
# - `save_pretrained`, which saves a tokenizer in a folder, writes only `tokenizer.json` and `tokenizer_config.json`.
# - `decode` also accepts a batch. By default, it does not remove spaces before punctuation.
# - A token that the vocabulary contains can be added as well. It is then cut out of longer words.
#
# The last point is a change of `tokenizers`. Above, `the` was passed to `add_tokens` of `fast`. It got no new id, but
# the pipeline stores it as an added token. The next cell encodes a text with this kit's version and
# with the installed version of `tokenizers`. Predict how each of them splits `other`.

# %%
later = tokenizers.Tokenizer.from_str(fast.backend_tokenizer.to_str())
fast.tokenize("the other"), later.encode("the other", add_special_tokens=False).tokens
