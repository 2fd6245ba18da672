"""CTranslate2 as a peer of `benchmarks/generation.py`, which starts this program in an environment of its own.

Adds: the same random weights, converted by CTranslate2's own TransformersConverter and run in float32 by one thread.
Leaves out: modes other than greedy; quantization, with which CTranslate2 is faster and its ids may differ.

Source: https://opennmt.net/CTranslate2/guides/transformers.html (T5), CTranslate2 4.8.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import ctranslate2
import transformers
from ctranslate2.converters import TransformersConverter
from generation import NEW, SHAPES, Worker
from peers import seconds_a_call
from tokenizers import Tokenizer
from tokenizers.models import WordLevel


class Translator:
    """A converted model; a token is written as its id, because CTranslate2 reads and returns tokens, not ids."""

    def __init__(self, shape: dict[str, Any]) -> None:
        worker = Worker(transformers, shape)
        names = ["<pad>", "</s>", "<unk>", *map(str, range(3, worker.model.config.vocab_size))]
        self.ids = {name: id for id, name in enumerate(names)}
        self.source = [[names[id] for id in worker.ids[0]]]
        with tempfile.TemporaryDirectory() as folder:
            given, converted = Path(folder, "given"), Path(folder, "converted")
            worker.model.save_pretrained(given)
            special = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
            tokenizer = Tokenizer(WordLevel(self.ids, unk_token="<unk>"))
            transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(given)
            TransformersConverter(str(given)).convert(str(converted))
            threads = {"inter_threads": 1, "intra_threads": 1}
            self.translator = ctranslate2.Translator(str(converted), compute_type="float32", **threads)

    def write(self) -> list[list[int]]:
        """Return the ids of the output, from the start token on."""
        found = self.translator.translate_batch(self.source, beam_size=1, max_decoding_length=NEW)
        return [[0, *(self.ids[token] for token in found[0].hypotheses[0])]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", required=True)
    parser.add_argument("--shape", choices=SHAPES, required=True)
    translator = Translator(SHAPES[parser.parse_args().shape])
    for line in sys.stdin:
        _, calls = json.loads(line)
        answer = seconds_a_call(translator.write, calls) if calls else translator.write()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
