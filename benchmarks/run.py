"""All benchmarks, one after another, or one of them: make bench, make bench ARGS="encode --repeats 3".

train: BPE training beside tokenizers' Rust trainer and naive trainers; encode: tiktoken and tokenizers with GPT-2's
ranks; unigram: training and encoding beside tokenizers and sentencepiece;
wordpiece: both beside tokenizers; pieces: encoding with sentencepiece's bpe and unigram models;
subword_text: SubwordTextEncoder beside tensor2tensor's own code, if TENSOR2TENSOR names its folder;
t5: the T5 model, and generation: what it writes by each mode, beside transformers 4.26.1, if `make parity` has made its
environment.
Ours and the peers take turns in one run, and ratios count: seconds move from machine to machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = ("train", "encode", "unigram", "wordpiece", "pieces", "subword_text", "t5", "generation")


def main(arguments: list[str]) -> int:
    """Run the benchmark that the first argument names, with the others; without a name, all with all arguments."""
    names = NAMES
    if arguments and arguments[0] in NAMES:
        names, arguments = (arguments[0],), arguments[1:]
    return max(subprocess.call([sys.executable, str(FOLDER / f"{name}.py"), *arguments]) for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
