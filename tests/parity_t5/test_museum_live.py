"""Exhibits about T5 and generation: the actual results are those of transformers 4.26.1."""

from __future__ import annotations

import json
import os
import subprocess

from tests.parity.t5_original import PYTHON
from tokenlab.laboratory import museum
from tokenlab.laboratory.museum import exhibits

PROGRAM = """
import json, sys
import torch
from transformers.generation.beam_search import BeamHypotheses
from transformers.generation.logits_process import TemperatureLogitsWarper, TopPLogitsWarper
from transformers.models.t5.modeling_t5 import T5Attention

given = json.loads(sys.argv[1])
buckets = T5Attention._relative_position_bucket(torch.tensor(given["distances"]), bidirectional=False)
scores = TemperatureLogitsWarper(given["temperature"])(None, torch.tensor([given["logits"]]))
kept = TopPLogitsWarper(given["top_p"])(None, scores)[0].isfinite().nonzero()[:, 0]
pool = BeamHypotheses(2, 1.0, False)
for total, length in given["hypotheses"]:
    pool.add(torch.zeros(length), total)
full = BeamHypotheses(2, 1.0, False)
for score in given["pool"]:
    full.add(torch.zeros(1), score)
print(json.dumps({
    "buckets": buckets.tolist(),
    "kept": kept.tolist(),
    "scores": [score for score, *_ in pool.beams],
    "done": bool(full.is_done(given["best_sum"], given["length"])),
}))
"""


def test_the_actual_results_are_the_librarys() -> None:
    given = {
        "distances": exhibits.DISTANCES,
        "logits": exhibits.LOGITS,
        "temperature": exhibits.TEMPERATURE,
        "top_p": exhibits.TOP_P,
        "hypotheses": (exhibits.SHORT, exhibits.LONG),
        "pool": exhibits.POOL,
        "best_sum": exhibits.BEST_SUM,
        "length": exhibits.LENGTH,
    }
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone |= {"HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8"}
    asked = [str(PYTHON), "-c", PROGRAM, json.dumps(given)]
    theirs = json.loads(subprocess.run(asked, env=alone, check=True, capture_output=True, encoding="utf-8").stdout)
    assert museum.visit("the buckets of the other stack").actual == theirs["buckets"]
    assert museum.visit("temperature after top-p").actual == tuple(theirs["kept"])
    best = (exhibits.SHORT, exhibits.LONG)[theirs["scores"].index(max(theirs["scores"]))]
    assert museum.visit("the penalty that rewards").actual == best
    assert museum.visit("the search that is not exhaustive").actual == ("done" if theirs["done"] else "not done")
