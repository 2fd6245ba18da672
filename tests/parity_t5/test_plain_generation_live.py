"""The plain functions of generation beside transformers 4.26.1, which answers from a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

from tests.parity import generation_answers, logits_process_answers
from tests.parity.plain_generation_cases import beam_call, compare_beams, compare_sampling, sampling_case
from tests.parity.t5_original import Original


def test_the_rules_leave_what_the_library_leaves() -> None:
    with Original(Path(logits_process_answers.__file__)) as original:
        for seed in range(150):
            case = sampling_case(seed)
            compare_sampling(case, original.ask(json.dumps(case)))


def test_plain_beam_search_finds_what_the_library_finds() -> None:
    with Original(Path(generation_answers.__file__)) as original:
        for seed in range(60):
            call = beam_call(seed)
            compare_beams(call, original.ask(json.dumps(call)))
