# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Auto classes
#
# > **You will be able to** say which class `AutoTokenizer` and `AutoModelForSeq2SeqLM` load from a folder, and why; find the file that
# > causes a wrong class; list the names of classes that `AutoTokenizer` looks up.
# >
# > **Time:** core 20 minutes, practice 35 minutes. **Before this:** `15_t5_model`; the optional `12_slow_and_fast_tokenizers` explains the
# > two kinds of tokenizer classes.
#
# <details><summary>Two questions from earlier lessons: Which file contains T5's vocabulary? What does the last layer of a T5 compute?</summary>
#
# The SentencePiece model <code>spiece.model</code> contains the vocabulary. The last layer computes the logits: one
# number for each token of the vocabulary, at each position of the target.
# </details>
#
# This lesson is optional. It helps when a model that you have downloaded does not load, or loads as the wrong class.
# In 2023, many users could not load the language model LLaMA, because a JSON file in its folder contained the class
# name [`LLaMATokenizer`](https://github.com/huggingface/transformers/issues/22222), but the class was called
# `LlamaTokenizer`. Other wrong names raise no error. Here the tokenizer of the kit's small T5 is loaded twice, and
# between the two calls only one name in one file changes:

# %%
import json, logging, shutil, tempfile
from pathlib import Path
from tokenlab import data
from tokenlab.libraries.transformers import AutoTokenizer

folder = Path(shutil.copytree(data.t5_tiny(), Path(tempfile.mkdtemp()) / "copy"))
logging.getLogger("tokenlab.libraries.transformers").setLevel("ERROR")  # hides an unrelated warning
for name in ("T5Tokenizer", "AlbertTokenizer"):
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}), encoding="utf-8")
    print(name, AutoTokenizer.from_pretrained(folder, use_fast=False).tokenize("The boy."))

# %% [markdown]
# `AlbertTokenizer`, the tokenizer of the model ALBERT, can read T5's files, but it converts text to lower case. So a
# T5 would get the token `▁the` instead of `▁The`, and no message would say so. **A string in a JSON file selects the
# class**, and nothing checks whether the vocabulary in the folder fits this class.
#
# The player shows each decision of `AutoTokenizer`. (Ignore `auto_map`, which names Python code in the folder.) Step
# to the end, and then change the text in the boxes or delete it. Try `BertTokenizer`, `T5TokenizerFast` and
# `NoTokenizer`.

# %%
from tokenlab.show.explorers.explore_transformers import explore_tokenizer_choice

explore_tokenizer_choice("T5Tokenizer", model_type="bert")

# %% [markdown]
# ## The rule
#
# An [**Auto class**](../docs/glossary.md#auto-class) reads strings from files, looks up a class, and calls the
# `from_pretrained` of this class. `AutoTokenizer` uses the first of these entries that exists:
#
# 1. `tokenizer_class` in `tokenizer_config.json`;
# 2. `tokenizer_class` in `config.json` (if the `model_type` in this file is unknown, this is an error);
# 3. `model_type` in `config.json`. A [**model type**](../docs/glossary.md#model-type), such as `"t5"`, selects a
#    *configuration class*, such as `T5Config`. A *mapping*, a table in the library, leads from the configuration
#    class to a slow (Python) and a fast (compiled) tokenizer class.
#
# Entries 1 and 2 are names. With `use_fast=True`, the default, `AutoTokenizer` first looks up the name with `Fast` at
# its end, because a fast tokenizer is preferred, and then the name itself. So a file with `T5Tokenizer` usually leads
# to a `T5TokenizerFast`. This is the rule of `transformers` 4: **version 5 has only one class for each family**, so it
# appends nothing.
#
# ## The Auto class selects the model head
#
# For a model, `model_type` selects the configuration class, and the name of the Auto class says which [**model
# head**](../docs/glossary.md#model-head) you need: the output part, for example the layer that computes logits.
# (*Attention heads*, lesson 14, are different.)

# %%
from tokenlab.libraries.transformers import AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM

for auto in (AutoModelForSeq2SeqLM, AutoModel, AutoModelForCausalLM):
    try:
        print(f"{auto.__name__}: {type(auto.from_pretrained(data.t5_tiny())).__name__}")
    except ValueError as error:
        print(f"{auto.__name__}: {str(error)[:120]} ...")

# %% [markdown]
# `Seq2SeqLM` means a language model that converts one sequence to another; T5's class says `ConditionalGeneration`
# instead. `T5Model` has no output layer, so it cannot generate text. `CausalLM` means a language model without an
# encoder. Every T5 has an encoder, so the library has no T5 class with this head.
#
# ## Where it breaks
#
# We try a name with one wrong letter, and an unknown model type:

# %%
from tokenlab.traces.tokenization.trace_tokenizer_choice import trace_tokenizer_choice

for named, model_type in [("T5tokenizer", "t5"), ("", "t6")]:
    print("-", trace_tokenizer_choice.record(named, "", model_type).steps[-1])

# %% [markdown]
# If a folder has neither `tokenizer_config.json` nor `config.json`, there is no string to read, so [the tokenizer does
# not load](https://github.com/huggingface/transformers/issues/6368). So keep `tokenizer_config.json` when you copy a
# tokenizer.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 4 minutes · importance 5 of 5
#
# In a folder, `config.json` contains the `model_type` `"t5"` and the `tokenizer_class` `"GPT2Tokenizer"`. The
# `tokenizer_config.json` contains the `tokenizer_class` `"BertTokenizer"`. Which class does `AutoTokenizer` select by
# default (in version 4)? Which class does `AutoModelForSeq2SeqLM` select?

# %% tags=["practice"]
from tokenlab import check

my_tokenizer, my_model = ..., ...  # names of classes, as strings. Example: "T5Tokenizer", "T5Model"

check.auto_choices(my_tokenizer, my_model)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two files is read first? What does <code>use_fast=True</code> change?</details>
# <details><summary>Hint: a smaller example</summary>If only <code>config.json</code> had a <code>tokenizer_class</code>, the result would be <code>GPT2TokenizerFast</code>.</details>
# <details><summary>Hint: the structure</summary>The tokenizer: a string from a file, with an ending. The model: the T5 class with an output layer, as in the output of the three Auto classes.</details>
#
# ### Find the bug · medium · 5 minutes · importance 2 of 5
#
# If `config.json` has no `model_type`, the library searches the folder's name for model types. If it finds several, it
# takes the longest. The wrong program `first_model_type` takes the first model type of this list that it finds: `bert`,
# `t5`, `roberta`, `albert`, `xlm-roberta`. Find a name for which
# its result is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.auto_classes import first_model_type

my_name = ...  # for example "my-t5": no solution, because both rules find t5

check.bug(first_model_type, my_name)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which model type contains another model type?</details>
# <details><summary>Hint: a smaller example</summary>For <code>"small-bert"</code>, both rules find <code>bert</code>.</details>
# <details><summary>Hint: the structure</summary>Use a name with a model type that contains an earlier model type of the list.</details>
#
# ### Complete two lines · medium · 5 minutes · importance 4 of 5
#
# `tokenizer_class` is the string in a file. Return the list of the names that `AutoTokenizer` looks up, in order. With
# `use_fast=True`,
# the name with `Fast` comes first. A name that already ends in `Fast` is the only name in the list. With
# `use_fast=False`, the list contains only the given name. Example: `"T5Tokenizer"` and
# `True` give `["T5TokenizerFast", "T5Tokenizer"]`.


# %% tags=["practice"]
def my_names(tokenizer_class, use_fast):
    if ...:
        return ...
    return [tokenizer_class]


check.names_to_try(my_names)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which names should not get another <code>Fast</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>"T5TokenizerFast"</code> gives a list with one name, for both values of <code>use_fast</code>.</details>
# <details><summary>Hint: the structure</summary>Combine two conditions with <code>and</code>. Return a list of two names.</details>
#
# ### Write it · medium · 8 minutes · importance 4 of 5
#
# Return the name that the two files select. The argument `use_fast` plays no role here. `tokenizer_config` and `config`
# are the contents of
# `tokenizer_config.json` and `config.json`: a dictionary, or `None` if the file does not exist. `mapping` is a
# dictionary from model types to names. Use the three
# entries in the order of "The rule". If no entry selects a name, return `""`. (The library also needs a known model
# type for the entries 2 and 3. Ignore this here.) Example: `{}`, `{"model_type": "t5"}` and `{"t5": "T5Tokenizer"}`
# give
# `"T5Tokenizer"`.


# %% tags=["practice"]
def my_name(tokenizer_config, config, mapping):
    return ...


check.tokenizer_name(my_name)

# %% [markdown]
# <details><summary>Hint: a question</summary>What do you read if <code>tokenizer_config.json</code> exists, but has no <code>tokenizer_class</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>None</code>, <code>{"tokenizer_class": "A"}</code> and <code>{}</code> give <code>"A"</code>.</details>
# <details><summary>Hint: the structure</summary>Use a loop over both files. After the loop, look up the model type with <code>get</code> and a default.</details>
#
# ### Another rule · hard · 8 minutes · importance 3 of 5
#
# A mapping can contain several models for one configuration class. Then the entry `architectures` of `config.json`
# decides. It is a list of names, or `None` if
# the file has no such entry. Return the first name in `architectures` that is also in the list `models`. If there is no
# such name, return the
# first name in `models`. Example: `["X", "B", "A"]` and `["A", "B"]` give `"B"`.


# %% tags=["practice"]
def my_model_class(architectures, models):
    return ...


check.chosen_model(my_model_class)

# %% [markdown]
# <details><summary>Hint: a question</summary>Suppose that both lists contain the same two names. Which list determines the order?</details>
# <details><summary>Hint: a smaller example</summary><code>None</code> and <code>["A", "B"]</code> give <code>"A"</code>.</details>
# <details><summary>Hint: the structure</summary>Use a loop over <code>architectures or []</code>. Return the first match. Return the default after the loop.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 3 of 5
#
# A friend copies a tokenizer, edits one JSON file, and gets other tokens without an error. Explain in three sentences
# how the class is selected, why there is no error, and which file to look at first.
#
# <details><summary>What a good answer contains</summary>
# 1. A string in a file names the class or the model type, and the Auto class looks it up.<br>
# 2. Another class can often read the same vocabulary file, and nothing checks whether the two belong together.<br>
# 3. Look at <code>tokenizer_class</code> in <code>tokenizer_config.json</code> first, because it comes before all
#    entries of <code>config.json</code>.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The Auto class reads a name from a JSON file and loads the class of this name. ALBERT's class can read T5's vocabulary, so it loads without an error and only lowercases the text. The first file to check is the tokenizer configuration, since its entry wins.”<br>
# <b>Wrong:</b> “The Auto class looks at the vocabulary and recognizes the model that it belongs to. So the wrong tokens mean that the vocabulary file is damaged. The friend should download the model again.” The vocabulary plays no role in the choice of the class: only strings in the JSON files do.
# </details>
#
# ## Exit questions
#
# <details><summary>A folder loads as <code>T5TokenizerFast</code>, although its file contains <code>T5Tokenizer</code>. Is this an error?</summary>
# No. With <code>use_fast=True</code>, the default, <code>AutoTokenizer</code> first looks up the name with
# <code>Fast</code> at its end.
# </details>
# <details><summary><code>AutoModel</code> loads a T5 without an error, but the model cannot generate text. Why?</summary>
# <code>AutoModel</code> selects the class without an output layer. <code>AutoModelForSeq2SeqLM</code> selects the class with an output layer.
# </details>
# <details><summary><code>AutoTokenizer</code> loads the wrong class. Which file do you check first?</summary>
# Check <code>tokenizer_config.json</code>. Its <code>tokenizer_class</code> comes before all entries of
# <code>config.json</code>.
# </details>
#
# **Summary.** An Auto class reads strings from JSON files, looks them up in a mapping, and loads a class. The strings
# select the model family. `use_fast` and the name of the Auto class select the variant.
#
# **References.** Hugging Face, documentation of `transformers`, *Auto Classes*. **Next lesson:** `22_speed_laboratory`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### With your own model
#
# If `AutoTokenizer` loads a class that you do not expect, look at its decisions. Replace `data.t5_tiny()` by the folder
# of your model, or by its name on the Hugging Face Hub (a website with models) if the computer has a network connection.

# %%
AutoTokenizer.from_pretrained.record(data.t5_tiny())

# %% [markdown]
# ### Your own model type
#
# Registration adds entries to the mappings. The first step is a configuration class with its own model type.

# %%
from tokenlab.libraries.transformers import AutoConfig, PretrainedConfig, T5Tokenizer


class ShopConfig(PretrainedConfig):
    model_type = "shop"


AutoConfig.register("shop", ShopConfig)
AutoConfig.for_model("shop", shelves=3).shelves

# %% [markdown]
# The second step is a tokenizer class for it. This one inherits everything from T5's tokenizer.


# %%
class ShopTokenizer(T5Tokenizer):
    """A tokenizer that differs from T5's only in its name."""


AutoTokenizer.register(ShopConfig, slow_tokenizer_class=ShopTokenizer)
ShopTokenizer(str(data.t5_tiny() / "spiece.model")).tokenize("two dogs")

# %% [markdown]
# `save_pretrained` writes the files. Which class does `use_fast=True` select?

# %%
shop = Path(tempfile.mkdtemp())
ShopTokenizer(str(data.t5_tiny() / "spiece.model")).save_pretrained(shop)
ShopConfig(shelves=3).save_pretrained(shop)
AutoTokenizer.from_pretrained.record(shop)

# %% [markdown]
# There is no class `ShopTokenizerFast`, so the name itself is looked up. In 4.26.1, `AutoTokenizer` finds a registered
# tokenizer only by this name in a file: it uses the mapping only for the library's own configuration classes. So the
# model type `shop` alone does not suffice:

# %%
print(trace_tokenizer_choice.record("", "", "shop").steps[-1])
