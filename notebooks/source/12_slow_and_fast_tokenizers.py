# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Slow and fast tokenizers
#
# > **You will be able to** follow one call of a tokenizer through all of its stages; say where a slow and a fast tokenizer
# > differ, and by which rules; turn pairs of texts into a batch for a model.
# >
# > **Time:** 45 minutes for the core, which ends with *A real task*; 30 minutes for the rest. **Before this:**
# > `11_tokenizer_pipeline`.
#
# <details><summary>Two questions from before: which five parts does a pipeline have? What are the offsets of a token?</summary>
#
# Added tokens, normalizer, pre-tokenizer, model, post-processor. The offsets are the span of the original text that the token
# came from.
# </details>
#
# `transformers` has most tokenizers twice. A **slow tokenizer** is written in Python. A **fast tokenizer** is a pipeline of
# lesson 11, which runs in Rust. Here both are called with the same arguments. The player is open at the first stage where they differ. Step on, then
# type your own text, and try another family or `max_length`.

# %%
from tokenlab.show.explorers.explore_slow_and_fast import explore_slow_and_fast

explore_slow_and_fast("Hello [MASK] wörld", "second text")

# %% [markdown]
# They differ inside, agree on the tokens, and truncate differently. **Two implementations share one contract, but only one
# has offsets.**
#
# ## The contract
#
# The contract is what a caller may rely on: `tokenizer(text, pair, ...)` does these steps, in this order.
#
# 1. `tokenize`: split off added tokens, and split the rest into tokens.
# 2. `convert_tokens_to_ids`: look up the id of each token.
# 3. Truncate, so that the texts and the special tokens have at most `max_length` tokens. Tokens are removed, not characters.
# 4. Add special tokens. BERT also gives each token a type id: 0 up to the first `[SEP]`, 1 after it.
# 5. Pad. The **attention mask** is 1 for every token, also for special ones, and 0 for padding, which the model ignores.
#
# The slow BERT lowercases a text before it looks for added tokens; the fast one leaves that to its normalizer. Even so, the
# ids may be equal.
#
# ## Only one has offsets
#
# A slow tokenizer passes on plain strings, so the place of a token in the text is lost after the first stage. Before you run:
# which tokens belong to no text, and to no word?

# %%
import logging
from tokenlab.show.explorers.slow_and_fast_pairs import small_tokenizers

logging.getLogger("tokenlab.transformers").setLevel("ERROR")  # no advice
slow, fast = small_tokenizers("BERT")
encoding = fast("Zoë sat", "Why?", return_offsets_mapping=True)
list(zip(encoding.tokens(), encoding.sequence_ids(), encoding.word_ids(), encoding["offset_mapping"], strict=True))

# %% [markdown]
# A special token belongs to no text and no word: both are `None`. The result of `slow` raises an error for each of these.
#
# ## Three numbers of tokens
#
# `add_tokens` gives new ids to strings that the vocabulary lacks; they are then never split. Predict `vocab_size` and `len`
# afterwards. The vocabulary has one of the two: `the`.

# %%
for tokenizer in (slow, fast):
    tokenizer.add_tokens(["Zoë", "the"])
    print(tokenizer.vocab_size, len(tokenizer), tokenizer.get_added_vocab(), tokenizer.tokenize("Zoë, zoë and zoe"))

# %% [markdown]
# `vocab_size` counts all tokens but the added ones, and never changes. `len` counts both: the embedding, the model's table with a
# row for each id, needs `len(tokenizer)` rows. `get_added_vocab` lists the difference; `the` is not in it.
#
# ## Where it breaks: three disagreements
#
# The last cell showed one of them.
#
# 1. *Added tokens in lower case.* The slow tokenizer lowercases the added token and the text, then compares. The fast one
#    normalizes both, and its normalizer also removes accents: `zoe` matches as well.
# 2. *Truncation of pairs.* `truncation=True` (`"longest_first"`) halves what may stay. If one place is left over, the slow one
#    gives it to the first text; the fast one to the longer text, or to the second if both are equally long.
# 3. *Spaces at added tokens.* The slow tokenizer removes them on both sides. The fast T5 keeps one of the two.
#
# Predict the second and the third before you run the cell. The texts have 3 tokens each, and special tokens take 3 of the 8.

# %%
for tokenizer in (slow, fast):
    print(tokenizer.decode(tokenizer("a b c", "d e f", truncation=True, max_length=8)["input_ids"]))
for tokenizer in small_tokenizers("T5"):
    print(tokenizer.tokenize("The <extra_id_0> dog."))

# %% [markdown]
# So a model can get ids that it was not trained with. Use the tokenizer of its training.
#
# ## The function itself
#
# This is step 1 of the slow tokenizer.

# %%
from tokenlab import show
from tokenlab.transformers.tokenization_utils import PreTrainedTokenizer

show.source(PreTrainedTokenizer.tokenize)

# %% [markdown]
# ## The same call on the production library
#
# The rules are those of `transformers` 4.26.1, which cannot be installed together with these lessons. Tests compare both
# libraries on random calls; 4.26.1 has the three disagreements, too. Here, `tokenizers` runs
# the pipeline of a new fast tokenizer: on how many lines do the ids differ?

# %%
import tokenizers
from tokenlab import data

lines, (_, new) = data.text("mixed").splitlines(), small_tokenizers("BERT")
ours = new(lines)["input_ids"]
theirs = tokenizers.Tokenizer.from_str(new.backend_tokenizer.to_str())
{"lines": len(lines), "different": sum(ids != theirs.encode(line).ids for ids, line in zip(ours, lines, strict=True))}

# %% [markdown]
# ## Practice
#
# Replace the three dots and run the cell: it checks itself. If your answer is wrong, a second run shows the rule, and a third
# one shows the steps.
#
# ### Trace it · easy, 5 minutes
#
# `tokenizer("a b c", "d e f g", truncation=True, max_length=8)` is called on a slow and a fast BERT tokenizer; every letter is a
# token. How many tokens of each text does the slow one keep, and the fast one? How many tokens of the slow one's result have the
# type id 0?

# %% tags=["practice"]
from tokenlab import check

my_slow, my_fast, my_zeros = ..., ..., ...  # for example (2, 2), (1, 3), 4

check.both_truncations(my_slow, my_fast, my_zeros)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many of the 8 are special tokens, and which of them have the type id 0?</details>
# <details><summary>Hint: a smaller example</summary>Of <code>"a b", "c d"</code> and <code>max_length=6</code>, the slow one keeps <code>(2, 1)</code> and the fast one <code>(1, 2)</code>.</details>
# <details><summary>Hint: the structure</summary>Slow: remove one token at a time. Fast: divide, and give away what is left over. Then write the result with its special tokens.</details>
#
# ### Find the bug · easy, 4 minutes
#
# `count_every_token` computes `len(tokenizer)` after `add_tokens(my_tokens)`. The vocabulary has the tokens `[UNK]`, `a`, `b` and
# `ab`. Find a list of tokens for which the result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.tokenizer_calls import count_every_token

my_tokens = ...  # for example ["c", "d"]

check.bug(count_every_token, my_tokens)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which strings do not get a new id?</details>
# <details><summary>Hint: a smaller example</summary>For <code>["c"]</code>, the program is right: 5.</details>
# <details><summary>Hint: the structure</summary>A list in which one token is known, or occurs twice.</details>
#
# ### Complete two lines · medium, 6 minutes
#
# Pad `ids` on the right with `pad_id`, until there are `length` ids. Return them and the attention mask. Longer lists stay as they
# are. For example, `[5, 6]`, `3` and `0` give `([5, 6, 0], [1, 1, 0])`.


# %% tags=["practice"]
def my_pad(ids, length, pad_id):
    missing = ...
    return ...


check.padded_ids(my_pad)

# %% [markdown]
# <details><summary>Hint: a question</summary>What if one of the <code>ids</code> equals <code>pad_id</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>[0]</code>, <code>2</code> and <code>0</code> give <code>([0, 0], [1, 0])</code>.</details>
# <details><summary>Hint: the structure</summary>A number that is at least 0; then two sums of lists, <code>[x] * number</code>.</details>
#
# ## A real task: from sentence pairs to a model's batch
#
# Does the second sentence follow from the first? A model for this task takes pairs, and learns from labels (1: yes, 0: no). A
# data set stores each pair without padding:

# %%
pairs = [("The cat sat down.", "A cat is here.", 1), ("It is late.", "It is early.", 0), ("He sang.", "He did.", 1)]
examples = [{**fast(one, two, truncation=True, max_length=24), "labels": label} for one, two, label in pairs]
[len(example["input_ids"]) for example in examples]

# %% [markdown]
# A data loader then takes some of them, and pads each batch to its own longest example. `pad` does not pad the labels; it
# turns them into an array.

# %%
batch = fast.pad(examples, return_tensors="np")
batch.data

# %% [markdown]
# Each row of the mask contains as many ones as the example had tokens. With `"pt"`, the arrays are PyTorch tensors.
#
# ## Before you leave
#
# <details><summary>A colleague trained with a slow tokenizer, and you load the fast one. Which inputs would you test?</summary>
# Pairs that are truncated, added tokens next to spaces, and added tokens in another case or without an accent.
# </details>
# <details><summary>Why is <code>vocab_size</code> not the number of rows of an embedding?</summary>
# Added tokens have ids from <code>vocab_size</code> on. The embedding needs a row for each id: <code>len(tokenizer)</code>.
# </details>
# <details><summary>Is the attention mask 0 for <code>[SEP]</code>?</summary>
# No. It is 0 for padding only.
# </details>
#
# **What stays.** Slow and fast tokenizers are called in the same way, and usually give the same ids. The exceptions
# have rules. For anything about places in the text, take the fast one.
#
# **Read on.** The documentation of Hugging Face `transformers`, *Tokenizer*. Next lesson: `13_t5_in_one_picture`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### Write it · medium, 8 minutes
#
# Two texts have `first` and `second` tokens; together at most `budget` may remain. Return how many the **slow** tokenizer keeps of
# each: while there are too many, it removes one from the longer text, or from the second if both are equally long. For example,
# `3`, `4` and `5` give `(3, 2)`.


# %% tags=["practice"]
def my_slow_lengths(first, second, budget):
    return ...


check.slow_truncation(my_slow_lengths)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which text is shortened if both have 3 tokens?</details>
# <details><summary>Hint: a smaller example</summary><code>1</code>, <code>9</code> and <code>5</code> give <code>(1, 4)</code>.</details>
# <details><summary>Hint: the structure</summary>A <code>while</code> loop with one <code>if</code> and one <code>else</code>.</details>
#
# ### Another rule · harder, 10 minutes
#
# Now the **fast** tokenizer. If both texts fit together, nothing changes. If the shorter text has at most half of the budget, it is kept whole, and the other one gets the
# rest. Otherwise each gets half, and a token that is left over goes to the longer text, or to the second if both are equally long.
# For example, `3`, `4` and `5` give `(2, 3)`.


# %% tags=["practice"]
def my_fast_lengths(first, second, budget):
    return ...


check.fast_truncation(my_fast_lengths)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is <code>budget - budget // 2</code> for an odd budget?</details>
# <details><summary>Hint: a smaller example</summary><code>4</code>, <code>3</code> and <code>5</code> give <code>(3, 2)</code>.</details>
# <details><summary>Hint: the structure</summary>Three cases with a <code>return</code> each: nothing to remove; a short text; two halves.</details>
#
# ### The converter
#
# `convert_slow_tokenizer` builds the pipeline from a slow tokenizer. Each component replaces lines of Python. Before you
# step: which component replaces the search for added tokens?

# %%
from tokenlab.transformers.convert_slow_tokenizer import SLOW_TO_FAST_CONVERTERS

SLOW_TO_FAST_CONVERTERS["BertTokenizer"](slow).converted.record()

# %% [markdown]
# None of them: the converter leaves them out. The fast tokenizer adds them to its pipeline afterwards.
#
# ### Added tokens: a trie, and two passes
#
# The slow tokenizer looks for all added tokens at once, in a trie: a tree of characters. At each place it takes the longest.

# %%
from tokenlab.transformers.tokenization_utils import Trie

trie = Trie(["<a>", "<a><b>"])
print(trie.data)
trie.split("x <a><b> <a>y")

# %% [markdown]
# The fast tokenizer searches twice: for special tokens in the original text, and for the others in the normalized text.

# %%
fast.backend_tokenizer.encode.record("ZOË [MASK]").play(opened=1, predict=False)

# %% [markdown]
# ### Special tokens that are added tokens
#
# A special token that the vocabulary lacks is an added token as well. It is not in `vocab_size`.

# %%
slow.add_special_tokens({"bos_token": "[BOS]", "additional_special_tokens": ["[X]"]})
slow.vocab_size, len(slow), slow.get_added_vocab(), slow.all_special_tokens

# %% [markdown]
# A slow T5 tokenizer that is built with its class, and not by `from_pretrained`, splits its special tokens. Predict how
# `</s>` is split.

# %%
from tokenlab.transformers import T5Tokenizer

path = data.t5_tiny()
T5Tokenizer(str(path / "spiece.model")).tokenize("a</s>b"), T5Tokenizer.from_pretrained(path).tokenize("a</s>b")

# %% [markdown]
# ### Texts that are too long: windows
#
# With `return_overflowing_tokens=True`, the fast tokenizer returns further windows, each with special tokens. The slow one returns
# a list of the ids that were removed. `stride` is the number of tokens that are repeated.

# %%
long = {"max_length": 6, "truncation": True, "stride": 1, "return_overflowing_tokens": True}
windows, rest = fast("a b c d e f g", **long), slow("a b c d e f g", **long)
kept, removed = slow.decode(rest["input_ids"]), slow.decode(rest["overflowing_tokens"])
[fast.decode(ids) for ids in windows["input_ids"]], kept, removed

# %% [markdown]
# `truncation="only_first"` shortens the first text only, which may not be enough. The slow tokenizer logs an error and removes nothing. The fast one raises an error.

# %%
from tokenlab.transformers.tokenization.trace.trace_tokenizer_call import trace_tokenizer_call

options = {"truncation": "only_first", "max_length": 4}
trace_tokenizer_call.record(slow, fast, "Hello", "second text", options).play(opened=-1, predict=False)

# %% [markdown]
# ### A list: a batch, or words?
#
# The same list of strings is a batch of two texts, or one text that was split before. Only `is_split_into_words` decides. A word is
# still split into tokens, but no token crosses its boundary.

# %%
words = ["12", "oaks"]
[fast.convert_ids_to_tokens(ids) for ids in fast(words)["input_ids"]], fast(words, is_split_into_words=True).tokens()

# %% [markdown]
# ### When nothing is truncated
#
# Without `max_length`, the tokenizer's `model_max_length` counts. If that is not set either, truncation and padding to
# `max_length` are switched off. `truncation_side="left"` removes the first tokens.

# %%
fast.truncation_side = "left"
sides = fast("a b c d", truncation=True, max_length=4).tokens(), len(fast("a " * 600, truncation=True)["input_ids"])
fast.truncation_side = "right"
sides

# %% [markdown]
# ### A dictionary that is not a dict
#
# `BatchEncoding` has the methods of a dictionary, but is no subclass of `dict`. Code that asks `isinstance(x, dict)` needs `.data`.

# %%
isinstance(encoding, dict), isinstance(encoding.data, dict), list(encoding)

# %% [markdown]
# ### A tokenizer around a pipeline
#
# `PreTrainedTokenizerFast(tokenizer_object=...)` takes the pipeline, but neither the roles of its special tokens
# nor its padding. Give them by name.

# %%
from tokenlab.transformers import PreTrainedTokenizerFast

plain = PreTrainedTokenizerFast(tokenizer_object=fast.backend_tokenizer)
named = PreTrainedTokenizerFast(tokenizer_object=fast.backend_tokenizer, pad_token="[PAD]", cls_token="[CLS]")
plain.special_tokens_map, named.special_tokens_map

# %% [markdown]
# ### What transformers 5 changed
#
# This kit follows version 4.26.1. In version 5, each of these families has one class, with a pipeline: `T5Tokenizer` is
# `T5TokenizerFast`. `encode_plus`, `batch_encode_plus` and `as_target_tokenizer` are gone; the call remains. `save_pretrained` writes
# only `tokenizer.json` and `tokenizer_config.json`. `decode` also takes a batch, and does not clean up spaces by default.
#
# Now a token that the vocabulary has can be added, too, and is split off. Above, `the` was added to `fast`. The installed
# `tokenizers` does so: predict what becomes of `other`.

# %%
later = tokenizers.Tokenizer.from_str(fast.backend_tokenizer.to_str())
fast.tokenize("the other"), later.encode("the other", add_special_tokens=False).tokens
