# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Making training data
#
# > **You will be able to** follow a corpus from its file to the examples that a model is trained on; say which lines a
# > vocabulary is built from; make a run that can be interrupted at any moment.
# >
# > **Time:** forty-five minutes; with every task of the practice, longer. **Before this:** `09_subword_text_encoder`.
#
# <details><summary>Two questions from before: what is an encoder built from? What does a trailing underscore say?</summary>
#
# From the counts of tokens in some lines of text. And the underscore says: here the token ends.
# </details>
#
# Which lines? A corpus may have millions, and counting all of them is slow. So tensor2tensor, a library that translated
# English into Chinese, gives its vocabulary a **budget** for each file. Move it, step, and guess. Which lines does the
# vocabulary see?

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_tokenizers import explore_sample_lines

english, chinese = zip(*data.pairs(), strict=True)
explore_sample_lines(chinese[:80], budget=300)

# %% [markdown]
# **The vocabulary sees a sample of each file.** Its lines stand at equal distances until the budget is spent; what comes after is
# never read. A character that stands in none of them has to be escaped later, wherever it comes up.
#
# ## The function itself
#
# How many lines are skipped before one is taken? Divide the size by the budget, and halve that. Without the half, the budget
# would last about to the end of the file; with it, an English file is left after some six lines in ten. Ours is Chinese: its
# size is in bytes, a line costs its characters, and so above the file may end first.

# %%
from tokenlab import show
from tokenlab.algorithms.training_data.sample_lines import lines_to_skip, sample_lines

show.source(lines_to_skip, sample_lines)

# %% [markdown]
# ## Where a note goes wrong
#
# One of the notes that this kit grew out of reads the same function: a file of ten gigabytes, a budget of one. It finds that
# five lines are skipped, and concludes that every fifth line is taken. Run it, with a line for each number: which is right?
# The note also takes the budget for bytes. Look at what a sample of our Chinese file weighs.

# %%
chosen = sample_lines(chinese, len("\n".join(chinese).encode()), budget=5_000)
print("skipped:", lines_to_skip(10**10, 10**9))
print("taken:", *sample_lines(map(str, range(1, 31)), 10**10, 10**9))
print("characters:", len("".join(chosen)), "bytes:", len("".join(chosen).encode()))

# %% [markdown]
# Five are skipped, and the sixth is taken. And the size of the file is in bytes, but a line costs its characters. A Chinese
# character has three bytes, so the sample may weigh more than the budget. tensor2tensor calls it `file_byte_budget` anyway.
#
# ## From a file to examples
#
# A **problem** says what the data are. This one has our small corpus, English to Chinese. It makes everything, in two
# temporary folders: first what lies on the way, then what it is all for.

# %%
import os
from tempfile import mkdtemp
from tokenlab.tensor2tensor.translate_enzh import TranslateEnzhSmall

problem, folder, scratch = TranslateEnzhSmall(), mkdtemp(), mkdtemp()
problem.generate_data(folder, scratch)
print("on the way:", *sorted(os.listdir(scratch)), "\nthe result:", *sorted(os.listdir(folder)), sep="\n  ")

# %% [markdown]
# One file with two columns became two files, `.lang1` and `.lang2`, whose lines belong together. From a sample of each
# came a vocabulary; its name ends in the size that was asked for. Then every pair became an example. `train` is what a model learns
# from; `dev` is kept apart, to test it. A model reads the *inputs*, here English, and shall write the *targets*, here Chinese.

# %%
from tokenlab.tensor2tensor.text_problems import text2text_generate_encoded

encoders = problem.feature_encoders(folder)
sample = dict(zip(("inputs", "targets"), data.pairs()[0], strict=True))
[example] = text2text_generate_encoded([sample], encoders["inputs"], encoders["targets"])
{side: list(zip(ids, encoders[side].decode_list(ids), strict=True)) for side, ids in example.items()}

# %% [markdown]
# **Every text ends in the same id**, that of `<EOS>`, end of sentence: the targets, so that a model learns to stop, and the
# inputs, too. No text of yours can have it by accident.
#
# ## Shards
#
# The examples are kept in several files, the **shards**, so that several machines can read at once. How are examples divided
# among them? Step, and guess. When do the files get their names?

# %%
from tokenlab.tensor2tensor.generator_utils import generate_files, read_records

examples = read_records(problem.dev_filepaths(folder, 1, shuffled=True)[0])[:9]
toy = [f"{mkdtemp()}/toy-train-{shard}" for shard in range(3)]
generate_files.record(examples, toy)

# %% [markdown]
# ## Where it breaks
#
# A run of hours is interrupted, and one of four shards is missing. tensor2tensor looks whether any of the files is there; if
# one is, it believes that all is done. You train on three quarters of your data, and nothing tells you.
#
# **Shards are whole or not there.** Ours are written under hidden names, and get their own when the last example is written.
# And a set of which one is missing is made again, all of it. Remove one, run again, and count the examples.

# %%
from tokenlab.tensor2tensor.generator_utils import outputs_exist

paths = problem.training_filepaths(folder, 4, shuffled=True)
os.remove(paths[2])
print("one is there:", os.path.basename(outputs_exist(paths)))
problem.generate_data(folder, scratch)
print("examples:", *(len(read_records(path)) for path in paths), "of", len(data.pairs()))

# %% [markdown]
# ## Practice
#
# Write in place of the three dots and run the cell: it checks itself. Run it again, and it says the rule; once more, and it
# draws your steps beside the right ones.
#
# ### Trace it · easy, five minutes
#
# A file has these lines: *green*, *brown*, *black*, *white*, *amber*, *coral*, *olive*, *peach*, *lemon*, *beige*, *mauve*,
# *azure*. With its line ends it has seventy-two bytes; the budget is twelve. Which line is taken first, which second?

# %% tags=["practice"]
from tokenlab import check

my_first, my_second = ..., ...  # for example "green", "brown"

check.lines_taken(my_first, my_second)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is half of seventy-two divided by twelve?</details>
# <details><summary>Hint: a smaller example</summary>If one line is skipped, the second, the fourth and the sixth are taken.</details>
# <details><summary>Hint: the shape</summary>Count the skipped lines on your fingers; take the next; begin anew.</details>
#
# ### Find the bug · medium, eight minutes
#
# `budget_in_bytes` skips as many lines as it should, but pays for the bytes of a line. Find the lines of a file, and a budget,
# for which it takes too few.

# %% tags=["practice"]
from tokenlab.misconceptions.training_data import budget_in_bytes

my_lines, my_budget = ..., ...  # for example ["tea", "milk"], 3

check.bug(budget_in_bytes, my_lines, my_budget)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which characters have more than one byte?</details>
# <details><summary>Hint: a smaller example</summary>With a budget above half the size of the file no line is skipped.</details>
# <details><summary>Hint: the shape</summary>Four Chinese lines of one character each: with their line ends, sixteen bytes. Take a budget above half of that, and at most the bytes of three lines.</details>
#
# ### Complete two lines · medium, eight minutes
#
# `my_sample` skips as many lines as `skip` says, takes one, and so on. Fill in what a line costs, and what follows it.


# %% tags=["practice"]
def my_sample(lines, skip, budget):
    taken, skipped = [], 0
    for line in lines:
        if skipped < skip:
            skipped += 1
        elif budget > 0:
            taken.append(line)
            budget -= ...
            skipped = ...
    return taken


check.sampled_lines(my_sample)

# %% [markdown]
# <details><summary>Hint: a question</summary>How many lines have been skipped, right after one was taken?</details>
# <details><summary>Hint: a smaller example</summary>With nothing to skip and a budget of two, <i>a</i>, <i>b</i> are taken, and <i>c</i> is not.</details>
# <details><summary>Hint: the shape</summary>A length, and a number.</details>
#
# ### Write it · harder, twelve minutes
#
# `pairs` has pairs of a text to read and one to write, `ids` maps each character to its id (here every character is a token), and
# `shards` is how many shards to make. Return a list of them, each a list of examples such as
# `{"inputs": [2, 1], "targets": [3, 1]}`; every side ends in the id of `<EOS>`, which is one. Deal the examples out in turn.


# %% tags=["practice"]
def my_shards(pairs, ids, shards):
    return ...


check.shards_of(my_shards)

# %% [markdown]
# <details><summary>Hint: a question</summary>To which shard does the example go that comes after the last shard's turn?</details>
# <details><summary>Hint: a smaller example</summary>With two shards, the first gets every other example, and begins with the first.</details>
# <details><summary>Hint: the shape</summary>Make all examples first. Then take slices with a step, or a remainder.</details>
#
# ### Another rule · harder, twelve minutes
#
# Short examples can share a **pack**. Given the lengths of some examples, say for each which pack it goes into, counted from
# zero: the first with room for it, or a new one. What is longer than a pack stands alone.


# %% tags=["practice"]
def my_packs(lengths, packed_length):
    return ...


check.packs_of(my_packs)

# %% [markdown]
# <details><summary>Hint: a question</summary>What must you know of each pack to tell whether it has room?</details>
# <details><summary>Hint: a smaller example</summary>Lengths <code>4 3 1</code> in packs of <code>5</code>: the third goes back to the first pack.</details>
# <details><summary>Hint: the shape</summary>A list of how full each pack is; look through it from the front; append if none fits.</details>
#
# ## Before you leave
#
# <details><summary>Why is every sixth line taken where five are skipped?</summary>The five come before the one: together they are six.</details>
# <details><summary>Why do the inputs end in an id of their own, too?</summary>
# So that the end of a text is something that a model can see; and both sides are made by the same rule.
# </details>
# <details><summary>A folder has three of four shards. What should a second run do?</summary>
# Make the set again. Files that were made by different runs need not belong together.
# </details>
#
# **What stays.** The vocabulary sees a sample of each file, every text ends in the same id, and shards are whole or not there.
#
# **Read on.** Ashish Vaswani and others, *Tensor2Tensor for Neural Machine Translation*. Next lesson: `11_tokenizer_pipeline`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
# ## Go further

# %% [markdown]
# ### What is left out of a corpus
#
# Files that people made have lines without a tab, lines with an empty side, and line ends of Windows. Which of these become
# pairs?

# %%
from pathlib import Path
from tokenlab.tensor2tensor.translate import compile_data

table = Path(mkdtemp(), "mine.tsv")
table.write_bytes("tea\t茶\r\nno tab here\n\t只有中文\nmilk\t 奶 \n".encode())
source = [str(table), ("tsv", 0, 1, "mine.tsv")]
print(compile_data.record(str(table.parent), [source], "mine"))

# %% [markdown]
# ### Packs
#
# A model reads several examples at once, a batch, and all are filled up to the length of the longest. Packing puts several examples
# into one row; at most three rows are open at a time here. Two more rows say
# which example each id belongs to, its segment, and at which place, so that a model can keep them apart. Which pack takes the
# next example?

# %%
from tokenlab.algorithms.training_data.pack import pack

targets = [(example["targets"],) for example in examples]
pack.record(targets, packed_length=24, spacing=0, queue_size=3)

# %% [markdown]
# ### Archives
#
# Corpora come as archives, and tensor2tensor unpacks whatever is in them. An archive can name a path that leads out of the
# folder, or a link. Ours is looked through first.

# %%
import tarfile

with tarfile.open(f"{scratch}/trap.tar", "w") as archive:
    archive.addfile(tarfile.TarInfo("../.bashrc"))
    print(archive.getnames())

# %%
from tokenlab.tensor2tensor.archives import unpack

try:
    unpack(f"{scratch}/trap.tar", scratch)
except ValueError as error:
    print(str(error).replace(scratch, "..."))

# %% [markdown]
# ### An ending that takes too much
#
# tensor2tensor names an unpacked file by `strip(".gz")`. What becomes of this path? `strip` takes away any of the three
# characters, at both ends.

# %%
"./tmp/blog.gz".strip(".gz"), "./tmp/blog.gz".removesuffix(".gz")

# %% [markdown]
# ### The examples elsewhere
#
# tensor2tensor keeps examples in TFRecord files, which TensorFlow reads. Ours are lines of JSON, which people read. The
# library `datasets`, which the kit does not need, loads all shards of a split:
#
# ```python
# from datasets import load_dataset
# load_dataset("json", data_files={"train": problem.filepattern(folder, "train")})
# ```
#
# The order of each shard was shuffled. It depends on the name of the shard alone, so that a run which was interrupted, and run
# again, ends as one that was not.

# %%
print(*Path(paths[0]).read_text(encoding="utf-8").splitlines()[:3], sep="\n")
