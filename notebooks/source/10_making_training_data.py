# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Making training data
#
# > **You will be able to** follow a corpus from its text to the files for training; explain how an interrupted run can
# > lose examples; find by hand the lines from which a vocabulary is built.
# >
# > **Time:** core 40 minutes, practice 50 minutes. **Before this:** `09_subword_text_encoder`.
#
# <details><summary>Two questions from the last lesson: from which data does SubwordTextEncoder learn its vocabulary? How is a character encoded that is not in its alphabet?</summary>
#
# It learns the vocabulary from the counts of the tokens in a text. A character outside the alphabet is escaped: a
# backslash, its code point, and a semicolon.
# </details>
#
# Training data can get lost without any message. To see how, we follow 1,424 English sentences with Chinese translations.
# tensor2tensor prepares such a corpus in 4 stages:
#
# 1. Build a vocabulary for each language.
# 2. Encode each pair of sentences. The result is an *example*: two lists of ids.
# 3. Distribute the examples to several files, the [**shards**](../docs/glossary.md#shard).
# 4. Shuffle the examples of each shard, and write them to a new file.
#
# Suppose that the computer is switched off during stage 4, after 3 of 4 shards. Which files exist?

# %%
import os
from tempfile import mkdtemp
from tokenlab import data
from tokenlab.libraries.tensor2tensor.generator_utils import generate_files, outputs_exist
from tokenlab.libraries.tensor2tensor.generator_utils import read_records, shuffle_dataset
from tokenlab.libraries.tensor2tensor.translate_enzh import TranslateEnzhSmall

problem, folder, scratch = TranslateEnzhSmall(), mkdtemp(), mkdtemp()  # a problem describes a data set
shards = problem.training_filepaths(folder, 4, shuffled=False)
generate_files(problem.generate_encoded_samples(folder, scratch, "train"), shards)  # stages 1 to 3
shuffle_dataset(shards[:3])  # stage 4 stops after 3 shards
print(*sorted(os.listdir(folder)), sep="\n")

# %% [markdown]
# A user then starts tensor2tensor again. First, the library calls `outputs_exist`, which looks for each shard under
# its name without `-unshuffled`. As soon as it
# finds one, tensor2tensor skips
# stages 2 to 4. The training then reads all files whose names begin with `translate_enzh_small-train`, and the unshuffled
# shard is not one of them. How many examples does it read?


# %%
from glob import glob


def examples_read():
    return sum(len(read_records(path)) for path in glob(problem.filepattern(folder, "train")))


{"found": os.path.basename(outputs_exist(shards)), "examples read": examples_read(), "of": len(data.pairs())}

# %% [markdown]
# **A quarter of the examples is missing, and there is no error message.** `outputs_exist` is in the [source of
# tensor2tensor](https://github.com/tensorflow/tensor2tensor/blob/master/tensor2tensor/data_generators/generator_utils.py).
#
# ## Check every shard
#
# With several shards, several machines can read at once. The player distributes 9 examples to 3 shards. Which examples does
# each shard get? When do the files get their names?

# %%
examples = [{"inputs": [10 + number, 1], "targets": [20 + number, 1]} for number in range(9)]
toy = [f"{mkdtemp()}/toy-train-{shard}" for shard in range(3)]
generate_files.record(examples, toy)

# %% [markdown]
# Examples are distributed in turn (*round-robin*), so with 4 shards, each shard gets every fourth example. In stage
# 3, both our version and tensor2tensor give each file a temporary name until the last example is written. So after an
# interruption, an incomplete shard is never taken for a complete one. But stage 4 of tensor2tensor is unsafe, because
# `outputs_exist` accepts a single shuffled shard. Our `generate_data` checks every shard instead. If a shard has only
# its unshuffled file, this file is shuffled. If a shard has no file, all shards are made again, because stage 3
# writes them together. We continue the interrupted run, then delete a shard and run again.

# %%
problem.generate_data(folder, scratch)
after_interruption = examples_read()
os.remove(problem.training_filepaths(folder, 4, shuffled=True)[2])
problem.generate_data(folder, scratch)
{"after the interruption": after_interruption, "after a deleted shard": examples_read()}

# %% [markdown]
# ## Every text ends in the same id
#
# A translation model reads *inputs* (here English) and learns to generate *targets* (here Chinese). With which
# subtoken do both lists of the first example end?

# %%
from tokenlab.libraries.tensor2tensor.text_problems import text2text_generate_encoded

encoders = problem.feature_encoders(folder)
sample = dict(zip(("inputs", "targets"), data.pairs()[0], strict=True))
[example] = text2text_generate_encoded([sample], encoders["inputs"], encoders["targets"])
{side: list(zip(ids, encoders[side].decode_list(ids), strict=True)) for side, ids in example.items()}

# %% [markdown]
# The id 1 is the [**end of sequence**](../docs/glossary.md#end-of-sequence) (EOS). Its subtoken is the reserved token
# `<EOS>_`. Because every target ends in EOS, the model learns to generate it at the end, which stops the generation.
# A typed `<EOS>` does not get this id, because it is split into 3 tokens.
#
# ## The vocabulary is built from a sample
#
# Counting the tokens of millions of lines takes a long time, so stage 1 samples lines until it has spent a **budget**
# of characters. A user [asked](https://github.com/tensorflow/tensor2tensor/issues/155) whether about 6,000 to 10,000
# of 5 million lines are enough. Step through 80 Chinese lines, guess which line is sampled next, and change the
# budget.

# %%
from tokenlab import data
from tokenlab.show.explorers.explore_text import explore_sample_lines

english, chinese = zip(*data.pairs(), strict=True)
print("size in bytes:", sum(len(line.encode()) + 1 for line in chinese[:80]))  # with line feeds
explore_sample_lines(chinese[:80], budget=300)

# %% [markdown]
# If every line were sampled, the budget would be spent early. The file is size / budget times larger. Half that many
# lines are skipped before each sampled line:
#
# $$\text{skip}=\left\lfloor\frac{\text{size}}{2\times\text{budget}}\right\rfloor$$
#
# The size of the file is in bytes, and the brackets round down. (*Go further* explains the 2.) Each
# *character* of a sampled line costs 1, and the last line may cost more than is left. Sampling ends when the
# budget is spent or the file ends.
#
# ## The function itself
#
# This is the kit's own code, because tensor2tensor needs TensorFlow, which is not installed here. Tests compare the
# sampled lines with stored results of tensor2tensor.

# %%
from tokenlab import show
from tokenlab.algorithms.training_data.sample_lines import lines_to_skip, sample_lines

show.source(lines_to_skip, sample_lines)

# %% [markdown]
# ## A common mistake: every fifth line
#
# A file has $10^{10}$ bytes, and the budget is $10^9$, so 5 lines are skipped. Is every fifth line sampled? The lines
# here are the numbers 1 to 30.

# %%
print("skipped:", lines_to_skip(10**10, 10**9))
print("sampled:", *sample_lines(map(str, range(1, 31)), 10**10, 10**9))

# %% [markdown]
# No: after 5 skipped lines, every sixth line is sampled.
#
# ## Where it breaks: a small sample
#
# A character that is in no sampled line is not in the alphabet, so it must be escaped, which costs many subtokens.
# For two budgets, the output shows how many lines are skipped each time, how many are sampled, and how many
# subtokens a Chinese line has on average.

# %%
from tokenlab.libraries.tensor2tensor.text_encoder import SubwordTextEncoder

size = len("\n".join(chinese).encode())
samples = {budget: sample_lines(chinese, size, budget) for budget in (1_000, 10_000)}
learned = {budget: SubwordTextEncoder.build_from_generator(lines, 500) for budget, lines in samples.items()}
means = {budget: sum(len(e.encode(line)) for line in chinese) / len(chinese) for budget, e in learned.items()}
{budget: (lines_to_skip(size, budget), len(samples[budget]), round(means[budget], 1)) for budget in samples}

# %% [markdown]
# With the smaller budget, more lines are skipped and fewer are sampled. So more characters are missing
# from the alphabet, and the same text has more than twice as many ids.
#
# ## Practice
#
# Replace the three dots in each cell and run the cell. A second run with the same mistake shows the rule, and a third
# reveals the answers and a worked solution.
#
# ### Trace it · easy · 5 minutes · importance 4 of 5
#
# A file has 12 lines: *green*, *brown*, *black*, *white*, *amber*, *coral*, *olive*, *peach*, *lemon*, *beige*, *mauve*,
# *azure*. Each line has 5 characters and a line feed (the character that ends a line), so the file has 72 bytes. The
# budget is 12. Which line is sampled first, and which second?

# %% tags=["practice"]
from tokenlab import check

my_first, my_second = ..., ...  # two strings, for example "green", "brown"

check.lines_taken(my_first, my_second)

# %% [markdown]
# <details><summary>Hint: a question</summary>What is 72 / (2 × 12)?</details>
# <details><summary>Hint: a smaller example</summary>If 1 line is skipped each time, the lines 2, 4 and 6 are sampled.</details>
# <details><summary>Hint: the structure</summary>Count the skipped lines and take the next line. Then count from 0 again.</details>
#
# ### Find the bug · medium · 8 minutes · importance 3 of 5
#
# `budget_in_bytes` skips the correct number of lines. But it subtracts the bytes of a sampled line from the budget, not
# its characters. Find lines and a budget for which it samples too few lines. The size of the file includes one line
# feed per line.

# %% tags=["practice"]
from tokenlab.misconceptions.training_data import budget_in_bytes

my_lines, my_budget = ..., ...  # a list of strings and a number; ["tea", "milk"], 3 does not show the bug

check.bug(budget_in_bytes, my_lines, my_budget)

# %% [markdown]
# <details><summary>Hint: a question</summary>Which characters have more than 1 byte?</details>
# <details><summary>Hint: a smaller example</summary>If the budget is more than half of the size of the file, no line is skipped.</details>
# <details><summary>Hint: the structure</summary>Use 4 lines of one Chinese character each. With the line feeds, they have 16 bytes. Choose the budget 9.</details>
#
# ### Complete two lines · medium · 8 minutes · importance 3 of 5
#
# `my_sample` skips `skip` lines, samples one line, and repeats this. Fill in the cost of the line, and the new value
# of `skipped`.


# %% tags=["practice"]
def my_sample(lines: list[str], skip: int, budget: int) -> list[str]:
    """Example: my_sample(["tea", "milk", "rice", "fish"], 1, 9) returns ["milk", "fish"]."""
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
# <details><summary>Hint: a question</summary>A line was just sampled. How many lines have been skipped since then?</details>
# <details><summary>Hint: a smaller example</summary>With <code>skip=0</code> and a budget of 2, <i>a</i> and <i>b</i> are sampled, but not <i>c</i>.</details>
# <details><summary>Hint: the structure</summary>The first is a length. The second is a constant.</details>
#
# ### Write it · hard · 12 minutes · importance 5 of 5
#
# Encode pairs of texts and distribute them round-robin to shards. `ids` maps each character to its id. Each list of
# ids ends in
# EOS, which has the id 1. Return a list of shards. A shard is a list of examples.


# %% tags=["practice"]
def my_shards(pairs: list[tuple[str, str]], ids: dict[str, int], shards: int) -> list[list[dict]]:
    """Example: my_shards([("a", "b"), ("b", "")], {"a": 2, "b": 3}, 2) returns

    [[{"inputs": [2, 1], "targets": [3, 1]}], [{"inputs": [3, 1], "targets": [1]}]].
    """
    return ...


check.shards_of(my_shards)

# %% [markdown]
# <details><summary>Hint: a question</summary>The last shard just got an example. Which shard gets the next one?</details>
# <details><summary>Hint: a smaller example</summary>With 2 shards, the first shard gets the examples 1, 3, 5, and so on.</details>
# <details><summary>Hint: the structure</summary>First make all examples. Then use a slice with a step for each shard.</details>
#
# ### Another rule · hard · 12 minutes · importance 3 of 5
#
# A model reads lists of ids of a limited length. Several short examples can share one list, a *pack*. `lengths` are the
# lengths of the examples. Return a list with one number per example: the number of its pack. The first pack has the
# number 0. An example goes into the first pack with room for it, otherwise into a new pack. An example that is longer
# than `packed_length` gets a new pack of its own.


# %% tags=["practice"]
def my_packs(lengths: list[int], packed_length: int) -> list[int]:
    """Example: my_packs([4, 3, 1], 5) returns [0, 1, 0]."""
    return ...


check.packs_of(my_packs)

# %% [markdown]
# <details><summary>Hint: a question</summary>How do you know whether a pack has room?</details>
# <details><summary>Hint: a smaller example</summary>In the example, pack 0 has 4 of 5 ids and pack 1 has 3 of 5. The third example fits into both and goes into pack 0.</details>
# <details><summary>Hint: the structure</summary>Keep a list of the filled lengths. Search it from the start. Append a new pack if no pack has room.</details>
#
# ### Explain in three sentences · easy · 5 minutes · importance 4 of 5
#
# A run that shuffles 4 shards is interrupted after the second one, and the next run skips all stages. Say in three
# sentences
# what the program checked, what is lost, and what it should check instead.
#
# <details><summary>What a good answer contains</summary>
# 1. The program checked that one shard exists, and took it for all of them.<br>
# 2. The examples of the missing shards are never trained on, and nothing reports it.<br>
# 3. It should check every shard, and make what is missing.
# </details>
# <details><summary>Two sample answers</summary>
# <b>Good:</b> “The program looks for one file, finds it and stops. Half of the examples are missing from then on, and the training runs without a message. A correct program looks for each of the 4 names and generates the data again if one is missing.”<br>
# <b>Wrong:</b> “The program found the shards of the first run, so it continues where that run stopped. Nothing is lost, because the missing shards are still there unshuffled. It should only check the order of the examples.” It does not continue: one shuffled shard makes it skip the stages, and the training never reads the unshuffled files.
# </details>
#
# ## Exit questions
#
# <details><summary>5 lines are skipped. Why is every sixth line sampled?</summary>
# The 5 skipped lines and the sampled line are 6 lines.
# </details>
# <details><summary>Why do the targets end in EOS?</summary>
# The model learns to generate EOS after the last subtoken. Without EOS, the model would not learn where a text ends.
# </details>
# <details><summary>A folder contains 3 of 4 shards. What should the next run do?</summary>
# It should make the missing shards, or all shards again. If it only checks that one shard exists, a quarter of the
# examples is lost.
# </details>
#
# **Summary.** A program that makes shards must check that all of them exist. Every text ends in EOS. The vocabulary is
# built from a sample of the lines.
#
# **References.** Ashish Vaswani and others, *Tensor2Tensor for Neural Machine Translation* (2018).
# **Next lesson:** `11_tokenizer_pipeline`.

# %% [markdown] jp-MarkdownHeadingCollapsed=true
#
# ## Go further

# %% [markdown]
# ### All files of a run
#
# A class that describes a data set is a *problem* in tensor2tensor. In this lesson, it is `TranslateEnzhSmall`. The
# names of its vocabulary files contain the target size, here 500. The training reads the 4 shards whose names begin with
# `translate_enzh_small-train`. The file with `-dev-` (short for development) in its name contains other pairs. With these
# pairs, you measure how well the model translates sentences that it was not trained on.
#
# The training does not read the intermediate files. A `.tsv` file contains a pair of sentences per line, with a tab
# between them. The files `.lang1` and `.lang2` contain the English and the Chinese sentences. The files with `compiled`
# in their names contain the sentences of all source files of the data set.

# %%
print("intermediate files:", *sorted(os.listdir(scratch)), sep="\n  ")
print("result:", *sorted(os.listdir(folder)), sep="\n  ")

# %% [markdown]
# ### Where the sampling ends
#
# We sample our English file with a budget of 5,000. In which of its 1,424 lines does the sampling end? The
# second line of the output is the size of a sample in which 10 lines are skipped each time. This is the number of
# skipped lines without the factor 2 in the formula.

# %%
print(sample_lines.record(english, len("\n".join(english).encode()), budget=5_000)[-1])
print("10 lines skipped each time:", len("".join(english[10::11])), "characters until the end of the file")

# %% [markdown]
# The sampled lines are from the first 773 lines. So nearly half of the file is never read. The reason is the factor 2. It
# halves the number of skipped lines, so the budget is spent earlier. Without this factor, the file would end before the
# budget is spent.
#
# ### A common mistake: the budget is in bytes
#
# tensor2tensor calls the budget `file_byte_budget`. But a line costs its characters, and a Chinese character has 3
# bytes in UTF-8. We take a sample with a budget of 5,000. The output shows the number of characters and of bytes of
# the sample, and the end of the sampling.

# %%
chosen = "".join(sample_lines(chinese, size, budget=5_000))
{"characters": len(chosen), "bytes": len(chosen.encode()), "end": str(sample_lines.record(chinese, size, 5_000)[-1])}

# %% [markdown]
# The sample has more than 5,000 bytes, so a budget in bytes would be spent. But the sample has fewer than 5,000
# characters, so the sampling continues to the end of the file.

# %% [markdown]
# ### Which lines become pairs?
#
# In a `.tsv` file, a tab separates the two sentences of a line. Real files have lines without a tab, lines with an
# empty sentence, and Windows line ends (`\r\n` instead of `\n`). In the next cell,
# `("tsv", 0, 1, ...)` selects the columns 0 and 1 of the file. Which of these 4 lines become pairs?

# %%
from pathlib import Path
from tokenlab.libraries.tensor2tensor.translate import compile_data

table = Path(mkdtemp(), "mine.tsv")
table.write_bytes("tea\t茶\r\nno tab here\n\t只有中文\nmilk\t 奶 \n".encode())
source = [str(table), ("tsv", 0, 1, "mine.tsv")]
print(compile_data.record(str(table.parent), [source], "mine"))

# %% [markdown]
# ### Packing
#
# A model reads several examples at once, a *batch*. The shorter ones are filled up to a common length with the id 0
# (*padding*). [**Packing**](../docs/glossary.md#packing) puts several examples into one sequence. Two more numbers are
# stored for each id. The *segment* says to which example of the pack the id belongs: 1 for the first, 2 for the second.
# The *position* is counted from the start of this example. With the segments, a program can prevent the model from
# mixing the examples of one pack.
#
# An *open* pack can still get examples, and a *closed* pack cannot. In the next player, at most 2 packs are open. If
# another pack is needed, the oldest open pack is closed. The argument `spacing=0` means that no positions stay empty
# between two examples. The player counts packs from 1. Which pack does the next example go into?

# %%
from tokenlab.algorithms.training_data.pack import pack

dev = read_records(problem.dev_filepaths(folder, 1, shuffled=True)[0])
pack.record([(example["targets"],) for example in dev[:9]], packed_length=24, spacing=0, queue_size=2)

# %% [markdown]
# How much of a batch is padding? Suppose that all targets are filled up to the length of the longest one. The next cell
# compares one example per sequence with packed examples.

# %%
lengths = [len(example["targets"]) for example in dev]
packs = pack([(example["targets"],) for example in dev], packed_length=max(lengths), spacing=0)
sequences = {"one example per sequence": len(dev), "packed": packs}
{name: f"{1 - sum(lengths) / (number * max(lengths)):.0%} padding" for name, number in sequences.items()}

# %% [markdown]
# ### Unsafe archives
#
# A corpus is often published as an archive. An archive can contain a path that leads out of the folder in
# which it is unpacked. It can also contain a link, which is a file that refers to another path. tensor2tensor unpacks
# an archive without a check. Our version checks all paths first.

# %%
import tarfile

with tarfile.open(f"{scratch}/trap.tar", "w") as archive:
    archive.addfile(tarfile.TarInfo("../.bashrc"))
    print(archive.getnames())

# %%
from tokenlab.libraries.tensor2tensor.archives import unpack

try:
    unpack(f"{scratch}/trap.tar", scratch)
except ValueError as error:
    print(str(error).replace(scratch, "..."))

# %% [markdown]
# ### A common mistake: `strip` for a file ending
#
# tensor2tensor removes the ending of a file name with `strip(".gz")`. But `strip` removes each of the characters `.`,
# `g` and `z` at both ends. `removesuffix` removes only the ending.

# %%
"./tmp/blog.gz".strip(".gz"), "./tmp/blog.gz".removesuffix(".gz")

# %% [markdown]
# ### Other file formats
#
# tensor2tensor writes TFRecord files, which TensorFlow reads. Our shards contain one example per line in JSON, a text
# format. The library `datasets` loads all shards of a *split*, which is a part of the data such as `train`. It is not
# installed with the kit.
#
# ```python
# from datasets import load_dataset
# load_dataset("json", data_files={"train": problem.filepattern(folder, "train")})
# ```
#
# In our version, the random order of the examples in a shard depends only on the name of the shard. So a repeated run
# gives the same files, even after an interruption. Here are 3 examples.

# %%
first = problem.training_filepaths(folder, 4, shuffled=True)[0]
print(*Path(first).read_text(encoding="utf-8").splitlines()[:3], sep="\n")
