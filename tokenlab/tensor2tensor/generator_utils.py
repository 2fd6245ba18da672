"""What the library's module of this name offers, gathered; each idea has a file of its own.

Source: tensor2tensor/data_generators/generator_utils.py.
"""

from tokenlab.tensor2tensor.archives import gunzip_file
from tokenlab.tensor2tensor.download import maybe_download
from tokenlab.tensor2tensor.packing import pack_examples
from tokenlab.tensor2tensor.shards import (
    UNSHUFFLED_SUFFIX,
    generate_dataset_and_shuffle,
    generate_files,
    outputs_exist,
    read_records,
    shard_filepath,
    sharded_name,
    shuffle_dataset,
    write_records,
)
from tokenlab.tensor2tensor.vocab_files import (
    generate_lines_for_vocab,
    get_or_generate_tabbed_vocab,
    get_or_generate_txt_vocab,
    get_or_generate_vocab,
    get_or_generate_vocab_inner,
)

__all__ = [
    "UNSHUFFLED_SUFFIX",
    "generate_dataset_and_shuffle",
    "generate_files",
    "generate_lines_for_vocab",
    "get_or_generate_tabbed_vocab",
    "get_or_generate_txt_vocab",
    "get_or_generate_vocab",
    "get_or_generate_vocab_inner",
    "gunzip_file",
    "maybe_download",
    "outputs_exist",
    "pack_examples",
    "read_records",
    "shard_filepath",
    "sharded_name",
    "shuffle_dataset",
    "write_records",
]
