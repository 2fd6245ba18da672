# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Auto classes
#
# > **You will be able to** say which class `AutoTokenizer` and `AutoModelForSeq2SeqLM` load from a folder, and why;
# > register a model type and a tokenizer of your own.
# >
# > **Time:** 25 minutes for the core, which ends with *Find the bug*; 25 minutes for the other tasks. **Before this:**
# > `12_slow_and_fast_tokenizers` and `15_t5_model`.
#
# <details><summary>Two questions from before: which file holds T5's vocabulary? What does the head of a T5
# compute?</summary>
#
# The SentencePiece model `spiece.model`. The logits: a score for each token of the vocabulary, at each position of the target.
# </details>
#
# `AutoTokenizer.from_pretrained(folder)` returns a tokenizer of the right class, and the call does not name that class. Who
# decides? Run the cell and step. Then change the strings, or delete one: try `BertTokenizer`, `T5TokenizerFast` and
# `NoTokenizer`.

# %%
from tokenlab.show.explorers.explore_auto_classes import explore_tokenizer_choice

explore_tokenizer_choice("T5Tokenizer", model_type="bert")

# %% [markdown]
# **A string in a JSON file picks the class.** Nothing else in the folder matters, not even which vocabulary is in it.
#
# ## The rule
#
# An **Auto class** has no instances. It reads strings, looks up a class, and calls the `from_pretrained` of that class.
# `AutoTokenizer` stops at the first of these that is there:
#
# 1. `tokenizer_class` in `tokenizer_config.json`;
# 2. `tokenizer_class` in `config.json`;
# 3. `model_type` in `config.json`. A **model type**, such as `"t5"`, selects a configuration class (the sizes and settings
#    of a model), and that selects a slow and a fast tokenizer class.
#
# With `use_fast=True`, the default, the fast class comes first: `Fast` is appended to a name without it. If there is no such
# class, the name itself counts. So `AutoTokenizer` usually does not return the class whose name is in the file.
#
# Here is a copy of the folder of the kit's small T5. The cell loads it with two different strings in one file. What
# will be different?

# %%
import json, logging, shutil, tempfile
from pathlib import Path
from tokenlab import data
from tokenlab.transformers import AutoTokenizer

folder = Path(shutil.copytree(data.t5_tiny(), Path(tempfile.mkdtemp()) / "copy"))
logging.getLogger("tokenlab.transformers").setLevel("ERROR")  # no advice on new special tokens
for name in ("T5Tokenizer", "AlbertTokenizer"):
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": name}), encoding="utf-8")
    print(name, AutoTokenizer.from_pretrained(folder, use_fast=False).tokenize("The boy."))

# %% [markdown]
# ALBERT's class accepts T5's file without an error, but writes lower case. A wrong string does not always fail: the tokens may
# just be different ones.
#
# ## The Auto class selects the head
#
# For models, the strings select a configuration, and the name of the Auto class says which **head** (output layer) you want.
# Each Auto class has a mapping from configurations to models with its head. Step, and predict.

# %%
from tokenlab.transformers import AutoModelForSeq2SeqLM

AutoModelForSeq2SeqLM.from_pretrained.record(data.t5_tiny())

# %% [markdown]
# `AutoModel` would load `T5Model`: hidden states, no output layer, and so no `generate`. `AutoModelForCausalLM` raises a
# `ValueError`, because T5 has no model with that head.
#
# ## Your own model type
#
# Registration adds entries to the mappings. First, a configuration with a model type of its own:


# %%
from tokenlab.transformers import AutoConfig, PretrainedConfig


class ShopConfig(PretrainedConfig):
    model_type = "shop"


AutoConfig.register("shop", ShopConfig)
AutoConfig.for_model("shop", shelves=3).shelves

# %% [markdown]
# Then a tokenizer. This one replaces each digit by `#`; all else is T5's.

# %%
from tokenlab.transformers import T5Tokenizer


class ShopTokenizer(T5Tokenizer):
    def _tokenize(self, text, **kwargs):
        return super()._tokenize("".join("#" if one.isdigit() else one for one in text), **kwargs)


AutoTokenizer.register(ShopConfig, slow_tokenizer_class=ShopTokenizer)
ShopTokenizer(str(data.t5_tiny() / "spiece.model")).tokenize("12 dogs")

# %% [markdown]
# Each `save_pretrained` writes its string. There is no `ShopTokenizerFast`: predict what happens to `use_fast=True`.

# %%
shop = Path(tempfile.mkdtemp())
ShopTokenizer(str(data.t5_tiny() / "spiece.model")).save_pretrained(shop)
ShopConfig(shelves=3).save_pretrained(shop)
AutoTokenizer.from_pretrained.record(shop)

# %% [markdown]
# ## The same call on the production library
#
# The names and rules are those of `transformers` 4.26.1, which cannot be installed together with these lessons. The kit's tests write
# 2,400 folders with missing, damaged and contradictory files, and compare both libraries: they load the same class, or raise the
# same kind of error. *Go further* shows a part of the function itself.
#
# ## Where it breaks
#
# Three folders: a name without a class; our model type, but no `tokenizer_class`; a model type that nobody registered.

# %%
from tokenlab.transformers.models.auto.trace.trace_tokenizer_choice import trace_tokenizer_choice

for named, model_type in [("Shop", "t5"), ("", "shop"), ("", "t6")]:
    print("-", trace_tokenizer_choice.record(named, "", model_type).steps[-1])

# %% [markdown]
# The second one is a trap of 4.26.1: a registered configuration does not lead to its registered tokenizer. Only the name does.
# So keep the `tokenizer_config.json` that `save_pretrained` writes.
#
# ## Practice
#
# Replace the three dots and run the cell: it checks itself. If your answer is wrong, a second run shows the rule, and a third
# one your steps beside the expected ones.
#
# ### Trace it · easy, 4 minutes
#
# In a folder, `config.json` has `model_type` `"t5"` and `tokenizer_class` `"GPT2Tokenizer"`, and `tokenizer_config.json` has
# `tokenizer_class` `"BertTokenizer"`. Give the name of the class that `AutoTokenizer` chooses by default, and of the class that
# `AutoModelForSeq2SeqLM` chooses.

# %% tags=["practice"]
from tokenlab import check

my_tokenizer, my_model = ..., ...  # for example "T5Tokenizer", "T5Model"

check.auto_choices(my_tokenizer, my_model)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which of the two files is read first? What does <code>use_fast</code> change?</details>
# <details><summary>Hint: a smaller example</summary>With <code>tokenizer_class</code> in <code>config.json</code> alone, it would be <code>GPT2TokenizerFast</code>.</details>
# <details><summary>Hint: the structure</summary>The tokenizer: one string and one ending. The model: the class of the configuration, and the head.</details>
#
# ### Find the bug · medium, 5 minutes
#
# If `config.json` has no `model_type`, the library takes the longest model type that is part of the folder's name.
# `first_model_type` takes the first one in this order: `bert`, `t5`, `roberta`, `albert`, `xlm-roberta`. Find a name for which it
# is wrong.

# %% tags=["practice"]
from tokenlab.misconceptions.auto_classes import first_model_type

my_name = ...  # for example "my-t5"

check.bug(first_model_type, my_name)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which model type contains another one?</details>
# <details><summary>Hint: a smaller example</summary>For <code>"small-bert"</code>, both take <code>bert</code>.</details>
# <details><summary>Hint: the structure</summary>A name with a model type that contains an earlier one of the list.</details>
#
# ### Complete two lines · medium, 5 minutes
#
# A file names `tokenizer_class`. Return the names of the classes that are looked up, in order. A name that ends in `Fast`
# already is the only one. For example, `"T5Tokenizer"` and `True` give `["T5TokenizerFast", "T5Tokenizer"]`.


# %% tags=["practice"]
def my_names(tokenizer_class, use_fast):
    if ...:
        return ...
    return [tokenizer_class]


check.names_to_try(my_names)

# %% [markdown]
# <details><summary>Hint: a question</summary>What should not happen to <code>"T5TokenizerFast"</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>"T5TokenizerFast"</code> gives one name, whatever <code>use_fast</code> is.</details>
# <details><summary>Hint: the structure</summary>Two conditions with <code>and</code>; then a list of two names.</details>
#
# ### Write it · medium, 8 minutes
#
# Return the name of the slow tokenizer class that the files select by the rule above, or `""` if nothing decides. (The library
# also needs a known `model_type` before it reads another string of `config.json`; ignore that.) `tokenizer_config` and `config`
# are the contents of the two files: a dictionary, or `None` if the file is missing. `mapping` has the name for each model type.
# For example, `{}`, `{"model_type": "t5"}` and `{"t5": "T5Tokenizer"}` give `"T5Tokenizer"`.


# %% tags=["practice"]
def my_name(tokenizer_config, config, mapping):
    return ...


check.tokenizer_name(my_name)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is read if <code>tokenizer_config.json</code> is there, but has no <code>tokenizer_class</code>?</details>
# <details><summary>Hint: a smaller example</summary><code>None</code>, <code>{"tokenizer_class": "A"}</code> and <code>{}</code> give <code>"A"</code>.</details>
# <details><summary>Hint: the structure</summary>A loop over both files; after it, one look-up in the mapping, with <code>get</code> and a default.</details>
#
# ### Another rule · harder, 8 minutes
#
# An entry of a mapping can have several models. Then `architectures` in `config.json`, a list of names or `None`, decides. Return
# the first of these names that is in `models`, or else the first of `models`. For example, `["X", "B", "A"]` and `["A", "B"]` give
# `"B"`.


# %% tags=["practice"]
def my_model_class(architectures, models):
    return ...


check.chosen_model(my_model_class)

# %% [markdown]
# <details><summary>Hint: a question</summary>Whose order counts if both lists have the same two names?</details>
# <details><summary>Hint: a smaller example</summary><code>None</code> and <code>["A", "B"]</code> give <code>"A"</code>.</details>
# <details><summary>Hint: the structure</summary>Loop over <code>architectures or []</code>, return at the first match; after the loop, return the default.</details>
#
# ## Before you leave
#
# <details><summary>A colleague's folder loads as <code>T5TokenizerFast</code>, although its file says <code>T5Tokenizer</code>. Is that an error?</summary>
# No. With <code>use_fast=True</code>, the default, the name with <code>Fast</code> at its end comes first.
# </details>
# <details><summary><code>AutoModel</code> loads a T5 without an error, but <code>generate</code> does not work. Why?</summary>
# <code>AutoModel</code> selects the model without a head. <code>AutoModelForSeq2SeqLM</code> selects the one with an output layer.
# </details>
# <details><summary>Which file do you look at first if the wrong tokenizer is loaded?</summary>
# <code>tokenizer_config.json</code>: its <code>tokenizer_class</code> decides before everything in <code>config.json</code>.
# </details>
#
# **What stays.** An Auto class reads strings from JSON files, looks them up in a mapping, and calls a class. The strings select the
# family; `use_fast` and the name of the Auto class select the variant. Registration adds entries.
#
# **Read on.** The documentation of Hugging Face `transformers`, *Auto Classes*.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### The function itself
#
# This part tries the names. It is a generator, so the same code returns the class and yields the decisions.

# %%
from tokenlab import show
from tokenlab.transformers.models.auto import tokenization_auto

show.source(tokenization_auto._class_of_name)

# %% [markdown]
# ### Only the chosen class is imported
#
# The mappings contain names, not classes. A class is imported when its name is looked up, so a tokenizer does not load PyTorch.
# A new interpreter shows it: which families were imported?

# %%
import subprocess, sys

program = f"""import sys; from tokenlab.transformers import AutoTokenizer
AutoTokenizer.from_pretrained({str(data.t5_tiny())!r}, use_fast=False)
names = {{name.split(".")[3] for name in sys.modules if name.startswith("tokenlab.transformers.models.")}}
print(sorted(names), "torch" in sys.modules)"""
subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

# %% [markdown]
# The packages do the same: `_LazyModule` imports a name's file when the name is first read.

# %%
from tokenlab.transformers.utils.import_utils import _LazyModule

show.source(_LazyModule.__getattr__)

# %% [markdown]
# ### Code in a folder
#
# The key `auto_map` names Python code in the folder. The library runs it only with `trust_remote_code=True`; this kit never
# runs it. Read such code, import its classes yourself, and register them.

# %%
(shop / "tokenizer_config.json").write_text('{"tokenizer_class": "A", "auto_map": {"AutoTokenizer": ["a.A", null]}}')
try:
    AutoTokenizer.from_pretrained(shop, trust_remote_code=True)
except ValueError as error:
    print(str(error).replace(str(shop), "shop"))

# %% [markdown]
# ### Registered twice
#
# A model type of the library cannot be replaced. Your own can: the second registration counts, without a warning. Later
# versions ask for `exist_ok=True`.

# %%
try:
    AutoConfig.register("t5", type("Mine", (PretrainedConfig,), {"model_type": "t5"}))
except ValueError as error:
    print(error)
