"""All benchmarks, one after another, or one of them: make bench, make bench ARGS="encode --repeats 3".

train: BPE training, compared with tokenizers' Rust trainer and naive trainers;
encode: encoding with GPT-2's ranks, compared with tiktoken and tokenizers;
tokenizer_pipelines: GPT-2's and BERT's pipelines, compared with tokenizers;
slow_and_fast: slow and fast tokenizers of six families, compared with transformers 4.26.1;
unigram: training and encoding, compared with tokenizers and sentencepiece;
wordpiece: both, compared with tokenizers;
pieces: encoding with sentencepiece's bpe and unigram models;
subword_text: SubwordTextEncoder, compared with tensor2tensor's own code, if TENSOR2TENSOR names its folder;
t5: the T5 model, and generation: each mode of `generate`, compared with transformers 4.26.1, if `make parity` has
created its environment;
keys: the time from a key to the new figure of an explorer, in JupyterLab and a browser, without a peer.
Ours and the peers take turns in one run. Ratios are reported, because seconds depend on the machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = (
    *("train", "encode", "tokenizer_pipelines", "slow_and_fast", "unigram", "wordpiece", "pieces", "subword_text"),
    *("t5", "generation", "keys"),
)


def main(arguments: list[str]) -> int:
    """Run the benchmark that the first argument names, with the others; without a name, all with all arguments."""
    names = NAMES
    if arguments and arguments[0] in NAMES:
        names, arguments = (arguments[0],), arguments[1:]
    return max(subprocess.call([sys.executable, str(FOLDER / f"{name}.py"), *arguments]) for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
