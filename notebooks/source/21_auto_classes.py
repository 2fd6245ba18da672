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
# > **Time:** core 25 minutes, practice 30 minutes. **Before this:** `12_slow_and_fast_tokenizers` and `15_t5_model`.
#
# <details><summary>Two questions from earlier lessons: Which file contains T5's vocabulary? What does the last layer of a T5 compute?</summary>
#
# The SentencePiece model `spiece.model` contains the vocabulary. The last layer computes the logits: one number for
# each token of the
# vocabulary, at each position of the target.
# </details>
#
# `AutoTokenizer` selects a tokenizer class for the files in a folder, and loads a tokenizer of this class. In 2023,
# many users could not load the language model LLaMA. `AutoTokenizer` raised the error ["Tokenizer class LLaMATokenizer
# does not exist"](https://github.com/huggingface/transformers/issues/22222). A JSON file in the model's folder
# contained this string, but the class was called `LlamaTokenizer`.
#
# Other wrong strings raise no error. The next cell copies the folder of this kit's small T5 model. It loads the copy twice,
# with two different strings in one file.

# %%
import json, logging, shutil, tempfile
from pathlib import Path
from tokenlab import data
from tokenlab.libraries.transformers import AutoTokenizer

folder = Path(shutil.copytree(data.t5_tiny(), Path(tempfile.mkdtemp()) / "copy"))
logging.getLogger("tokenlab.libraries.transformers").setLevel("ERROR")  # hides a warning about special tokens
for name in ("T5Tokenizer", "AlbertTokenizer"):
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}), encoding="utf-8")
    print(name, AutoTokenizer.from_pretrained(folder, use_fast=False).tokenize("The boy."))

# %% [markdown]
# `AlbertTokenizer`, the tokenizer of the model ALBERT, can read T5's files. But it converts text to lower case. So a T5
# would get the
# token `▁the` instead of `▁The`. There is one warning, about special tokens, which the first cell hides. It does not
# mention the class.
#
# The next player shows each decision of `AutoTokenizer`. The player also shows `auto_map`, an entry of the JSON file.
# You can ignore it here ("Go further"). Step to the end. Then change the strings or delete them. Try `BertTokenizer`,
# `T5TokenizerFast` and `NoTokenizer`.

# %%
from tokenlab.show.explorers.explore_transformers import explore_tokenizer_choice

explore_tokenizer_choice("T5Tokenizer", model_type="bert")

# %% [markdown]
# **A string in a JSON file selects the class.** `AutoTokenizer` does not check whether the vocabulary in the folder
# fits this class.
#
# ## The rule
#
# An [**Auto class**](../docs/glossary.md#auto-class) reads strings from files, looks up a class, and calls the
# `from_pretrained` of this
# class. You cannot create an instance of an Auto class. `AutoTokenizer` uses the first of these entries that exists:
#
# 1. `tokenizer_class` in `tokenizer_config.json`;
# 2. `tokenizer_class` in `config.json`;
# 3. `model_type` in `config.json`.
#
# A [**model type**](../docs/glossary.md#model-type), such as `"t5"`, selects a *configuration class*, such as
# `T5Config`. Its objects store the sizes and settings of a model. A *mapping* of the library assigns a slow and a fast
# tokenizer class to each of its configuration classes.
#
# The library can use `config.json` only if it knows the model type in this file. So entry 2 also needs a known model
# type. If `config.json` has no `model_type`, the library searches the folder's name for one.
#
# The entries 1 and 2 are names. With `use_fast=True`, the default, `AutoTokenizer` appends `Fast` to a name that does
# not end in `Fast`. If this class does not exist, it looks up the name without `Fast`. So a file with `T5Tokenizer`
# usually leads to a `T5TokenizerFast`. Entry 3 leads to the two classes of the mapping, and `use_fast` selects one of
# them. If only one exists, it is loaded.
#
# ## The Auto class selects the head
#
# For a model, `model_type` selects the configuration class. The name of the Auto class says which **head**, or output
# layer, you need. Each Auto class has a mapping. It assigns a model class with this head to each configuration class.
# Which class does the next call select?

# %%
from tokenlab.libraries.transformers import AutoModelForSeq2SeqLM

AutoModelForSeq2SeqLM.from_pretrained.record(data.t5_tiny())

# %% [markdown]
# `Seq2SeqLM` means a language model that converts one sequence to another. T5's class with this head has another word
# in its name: `ConditionalGeneration`. The next cell loads the same folder with two other
# Auto classes.

# %%
from tokenlab.libraries.transformers import AutoModel, AutoModelForCausalLM

try:
    print(type(AutoModel.from_pretrained(data.t5_tiny())).__name__)
    AutoModelForCausalLM.from_pretrained(data.t5_tiny())
except ValueError as error:
    print(error)

# %% [markdown]
# `T5Model` has no output layer, so it cannot generate text. `CausalLM` means a language model without an encoder. There
# is no T5 with this head.
#
# ## The function itself
#
# This part of `AutoTokenizer` looks up the names. Each `yield` gives the player one decision.

# %%
from tokenlab import show
from tokenlab.libraries.transformers.models.auto import tokenization_auto

show.source(tokenization_auto._class_of_name)

# %% [markdown]
# ## The comparison with the production library
#
# The names and rules are those of `transformers` 4.26.1, which cannot be installed together with these lessons. Tests
# write 2,400 folders with missing, damaged and contradictory files. For each folder, this kit and `transformers` 4.26.1
# load the same class, or raise the same kind of error.
#
# ## Where it breaks
#
# The next cell tries a name with a small letter in place of a capital one, and a model type that nobody has registered.

# %%
from tokenlab.traces.tokenization.trace_tokenizer_choice import trace_tokenizer_choice

for named, model_type in [("T5tokenizer", "t5"), ("", "t6")]:
    print("-", trace_tokenizer_choice.record(named, "", model_type).steps[-1])

# %% [markdown]
# A folder can also contain no string at all. In 2020, `save_pretrained` of a tokenizer wrote no `tokenizer_class`. So
# `AutoTokenizer`
# [could not load](https://github.com/huggingface/transformers/issues/6368) a folder with a tokenizer and no model. The
# next cell
# deletes the configuration files of the copy.

# %%
[path.unlink() for path in folder.glob("*config.json")]
try:
    AutoTokenizer.from_pretrained(folder)
except OSError as error:
    print(str(error).replace(str(folder), "copy"))

# %% [markdown]
# Today, `save_pretrained` writes `tokenizer_class`. Keep the file `tokenizer_config.json` when you copy a tokenizer.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 4 minutes · importance 5 of 5
#
# In a folder, `config.json` contains the `model_type` `"t5"` and the `tokenizer_class` `"GPT2Tokenizer"`. The
# `tokenizer_config.json`
# contains the `tokenizer_class` `"BertTokenizer"`. Which class does `AutoTokenizer` select by default? Which class does
# `AutoModelForSeq2SeqLM` select?

# %% tags=["practice"]
from tokenlab import check

my_tokenizer, my_model = ..., ...  # names of classes, as strings. Example: "T5Tokenizer", "T5Model"

check.auto_choices(my_tokenizer, my_model)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two files is read first? What does <code>use_fast=True</code> change?</details>
# <details><summary>Hint: a smaller example</summary>If only <code>config.json</code> had a <code>tokenizer_class</code>, the result would be <code>GPT2TokenizerFast</code>.</details>
# <details><summary>Hint: the shape</summary>The tokenizer: a string from a file, with an ending. The model: the T5 class with an output layer, as in the player above.</details>
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
# <details><summary>Hint: the shape</summary>Use a name with a model type that contains an earlier model type of the list.</details>
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
# <details><summary>Hint: the shape</summary>Combine two conditions with <code>and</code>. Return a list of two names.</details>
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
# <details><summary>Hint: the shape</summary>Use a loop over both files. After the loop, look up the model type with <code>get</code> and a default.</details>
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
# <details><summary>Hint: the shape</summary>Use a loop over <code>architectures or []</code>. Return the first match. Return the default after the loop.</details>
#
# ## Before you leave
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
# select the family of
# models. `use_fast` and the name of the Auto class select the variant.
#
# **References.** Hugging Face, documentation of `transformers`, *Auto Classes*. **Next lesson:** `22_speed_laboratory`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### With a real T5
#
# The next cell loads the small T5 of the kit. The same calls load a real T5. Download all files of a model, such as
# `t5-small`, from the Hugging Face Hub (a website with models) into a folder of that name. Put the
# folder next to this lesson, and replace the first line of the next cell by `real = Path("t5-small")`. The name of a
# model on the Hub
# works as well, if the computer has a network connection.

# %%
real = data.t5_tiny()
loaded = AutoTokenizer.from_pretrained(real), AutoModelForSeq2SeqLM.from_pretrained(real)
[type(one).__name__ for one in loaded], f"{loaded[1].num_parameters():,} parameters"

# %% [markdown]
# If you do not expect one of the classes, look at the decisions: `AutoTokenizer.from_pretrained.record(real)`.
#
# ### Your own model type
#
# Registration adds entries to the mappings. The first step is a configuration class with its own model type.


# %%
from tokenlab.libraries.transformers import AutoConfig, PretrainedConfig


class ShopConfig(PretrainedConfig):
    model_type = "shop"


AutoConfig.register("shop", ShopConfig)
AutoConfig.for_model("shop", shelves=3).shelves

# %% [markdown]
# The second step is a tokenizer. The next class replaces each digit by `9`. It inherits everything else from the
# tokenizer of T5.

# %%
from tokenlab.libraries.transformers import T5Tokenizer


class ShopTokenizer(T5Tokenizer):
    def _tokenize(self, text, **kwargs):
        return super()._tokenize("".join("9" if one.isdigit() else one for one in text), **kwargs)


AutoTokenizer.register(ShopConfig, slow_tokenizer_class=ShopTokenizer)
ShopTokenizer(str(data.t5_tiny() / "spiece.model")).tokenize("12 dogs")

# %% [markdown]
# The `save_pretrained` of the tokenizer writes `tokenizer_class`. The `save_pretrained` of the configuration writes
# `model_type`. There is no class `ShopTokenizerFast`. Which class does `use_fast=True` select?

# %%
shop = Path(tempfile.mkdtemp())
ShopTokenizer(str(data.t5_tiny() / "spiece.model")).save_pretrained(shop)
ShopConfig(shelves=3).save_pretrained(shop)
AutoTokenizer.from_pretrained.record(shop)

# %% [markdown]
# `AutoTokenizer.register(ShopConfig, ...)` adds the tokenizer class to the mapping for `ShopConfig`. But in 4.26.1,
# `AutoTokenizer` uses the mapping only for the library's own configuration classes. It finds a registered tokenizer
# only by its name in a file. The next cell uses the model type `shop` without a `tokenizer_class`.

# %%
print(trace_tokenizer_choice.record("", "", "shop").steps[-1])

# %% [markdown]
# ### Only the selected class is imported
#
# The mappings contain names, not classes. A class is imported only when its name is looked up. So a tokenizer does not
# import PyTorch. The next cell loads a tokenizer in a new Python process. It prints the imported parts of the package
# `models`, and whether PyTorch was imported. The part `auto` contains the Auto classes. Each other part is a family of
# models, such as `t5`.

# %%
import subprocess, sys

program = f"""import sys; from tokenlab.libraries.transformers import AutoTokenizer
AutoTokenizer.from_pretrained({str(data.t5_tiny())!r}, use_fast=False)
names = {{name.split(".")[4] for name in sys.modules if name.startswith("tokenlab.libraries.transformers.models.")}}
print(sorted(names), "torch" in sys.modules)"""
subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True).stdout

# %% [markdown]
# The packages of the library import their files in the same way. When a program uses a name of a package for the first
# time, `_LazyModule` imports the file that defines the name.

# %%
from tokenlab.libraries.transformers.utils import _LazyModule

show.source(_LazyModule.__getattr__)

# %% [markdown]
# ### Code in a folder
#
# The entry `auto_map` names Python code in the folder. The library runs this code only with `trust_remote_code=True`.
# This kit never runs
# it. Read the code, import its classes yourself, and register them.

# %%
(shop / "tokenizer_config.json").write_bytes(b'{"tokenizer_class": "A", "auto_map": {"AutoTokenizer": ["a.A", null]}}')
try:
    AutoTokenizer.from_pretrained(shop, trust_remote_code=True)
except ValueError as error:
    print(str(error).replace(str(shop), "shop"))

# %% [markdown]
# ### Registered twice
#
# You cannot replace a model type of the library. You can replace your own model type: the second registration wins,
# without a warning. Later
# versions of the library require the argument `exist_ok=True` for this.

# %%
try:
    AutoConfig.register("t5", type("Mine", (PretrainedConfig,), {"model_type": "t5"}))
except ValueError as error:
    print(error)
