"""`generate` compared with transformers 4.26.1 in one interleaved run: same weights, same output ids, one thread each.

    .venv/bin/python benchmarks/generation.py              # all shapes; `make parity` makes the library's environment
    .venv/bin/python benchmarks/generation.py --shape tiny --mode greedy --repeats 40

Each library runs in a separate process, and they take turns. Tokens a second are those of the longest output,
over the CPU seconds of the process; a ratio is theirs / ours in seconds within one turn, with its quartiles over all
turns: above 1 we are faster. `steps` is what the steps cost a plain call, which makes them and looks at none: its
seconds over those of the same call in a process whose loops have no steps (`without_steps`), for modes without beams.
All have to write the same ids: the first mode whose ids differ ends the run. The last lines say for each goal what was
reached.

For t5-small, greedy, CTranslate2 takes turns with ours as well, if CTRANSLATE2 names the Python of an environment that
has it: `python -m venv FOLDER`, `FOLDER/bin/pip install ctranslate2 transformers torch`, CTRANSLATE2=FOLDER/bin/python.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peers import LIBRARIES, PARITY, Library, ctranslate2_is_there, seconds_a_call, take_turns
from without_steps import strip_steps

TINY = {"vocab_size": 400, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4}
SHAPES: dict[str, dict[str, Any]] = {
    "tiny": {"config": TINY, "read": 16, "turns": 30},
    "t5-small": {"config": {}, "read": 64, "turns": 9},  # T5Config's own sizes are those of t5-small
}
NEW = 48  # generated tokens
MODES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "sample": {"do_sample": True, "top_k": 20, "top_p": 0.9},
    "beam-4": {"num_beams": 4},
    "beam_sample": {"num_beams": 4, "do_sample": True, "top_k": 20},
    "group": {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 0.5},
    "constrained": {"num_beams": 4, "force_words_ids": [[7, 8], [9]]},
    "contrastive": {"penalty_alpha": 0.6, "top_k": 4},
}
ON = {"tiny": list(MODES), "t5-small": ["greedy", "beam-4"]}
GOALS = {  # ratios to reach
    ("tiny", "greedy"): 4.5,
    ("tiny", "beam-4"): 3.5,
    ("tiny", "group"): 1.8,
    ("tiny", "constrained"): 1.8,
    ("tiny", "contrastive"): 1.8,
    ("t5-small", "greedy"): 1.05,
    ("t5-small", "beam-4"): 1.05,
}
HAS_BARE_LOOP = ("greedy", "sample", "contrastive")
STEPS_COST = 1.1  # at most
A_TURN = 0.2  # seconds per turn: short, so that other load on the machine affects both


class Worker:
    """One library's model and the timed calls; runs in that library's Python."""

    def __init__(self, library: Any, shape: dict[str, Any]) -> None:
        torch.set_num_threads(1)
        warnings.simplefilter("ignore")
        config = library.T5Config(**shape["config"], decoder_start_token_id=0)
        self.model = library.T5ForConditionalGeneration(config).eval()
        dice = torch.Generator().manual_seed(1)
        for _, parameter in sorted(self.model.named_parameters()):
            reach = 1.0 if parameter.dim() == 1 else parameter.shape[1] ** -0.5
            torch.nn.init.normal_(parameter, std=reach, generator=dice)
        self.ids = torch.randint(2, config.vocab_size, (1, shape["read"]), generator=dice)
        self.settings = {"max_new_tokens": NEW, "attention_mask": torch.ones_like(self.ids)}

    def write(self, mode: str) -> Any:
        # One seed, the same draws; torch.manual_seed would also spend 2 % of a call on seeding absent devices.
        torch.default_generator.manual_seed(2)
        return self.model.generate(self.ids, **self.settings, **MODES[mode])


def serve(name: str, shape: str, bare: bool) -> None:
    """Answer [mode, calls] with seconds of a call, and [mode, 0] with ids."""
    if bare:
        strip_steps()
    worker = Worker(importlib.import_module(name), SHAPES[shape])
    for line in sys.stdin:
        mode, calls = json.loads(line)
        answer = seconds_a_call(partial(worker.write, mode), calls) if calls else worker.write(mode).tolist()
        print(json.dumps(answer), flush=True)


def compare(shape: str, modes: list[str], turns: int) -> list[str]:
    """Print one line per mode, and return the results for the goals."""
    libraries = {name: Library(name, __file__, "--shape", shape) for name in LIBRARIES}
    libraries["bare"] = Library("ours", __file__, "--shape", shape, "--bare")
    print(f"{shape}: 1 text of {SHAPES[shape]['read']} ids, at most {NEW} tokens, {turns} turns")
    columns = f"{'tokens':>8}{'ours /s':>9}{'theirs /s':>11}{'ratio':>8}{'quartiles':>13}{'steps':>8}"
    print(f"{'':<13}{columns}")
    reached = []
    for mode in modes:
        ids = {name: library.ask(mode, 0) for name, library in libraries.items()}
        for other in ("theirs", "bare"):
            if ids["ours"] != ids[other]:
                raise SystemExit(f"{mode}: ours writes {ids['ours']}, {other} {ids[other]}; speeds mean nothing yet")
        tokens = len(ids["ours"][0]) - 1
        calls = max(1, round(A_TURN / libraries["theirs"].ask(mode, 2)))
        asked = {name: partial(library.ask, mode) for name, library in libraries.items()}
        found = take_turns({name: asked[name] for name in LIBRARIES}, calls, turns)
        high, middle, low = (1 / ratio for ratio in found.ratios)
        speeds = f"{tokens / found.ours:>9.0f}{tokens / found.theirs:>11.0f}"
        line = f"{mode:<13}{tokens:>8}{speeds}{middle:>8.2f}{f'{low:.2f}-{high:.2f}':>13}"
        if (shape, mode) in GOALS:
            goal = GOALS[shape, mode]
            reached.append(f"{shape} {mode}: {middle:.2f} of {goal} {'reached' if middle >= goal else 'NOT REACHED'}")
        if mode in HAS_BARE_LOOP:
            # "theirs" are our own loops without steps: turns are taken by these two names.
            steps = take_turns({"ours": asked["ours"], "theirs": asked["bare"]}, calls, turns).ratios[1]
            line += f"{steps:>8.3f}"
            is_cheap = "not above" if steps <= STEPS_COST else "ABOVE"
            reached.append(f"{shape} {mode}: steps cost {steps - 1:+.1%}, {is_cheap} {STEPS_COST - 1:.0%}")
        print(line, flush=True)
        if (shape, mode) == ("t5-small", "greedy"):
            compare_with_ctranslate2(shape, ids["ours"], asked["ours"], calls, turns)
    for library in libraries.values():
        library.end()
    return reached


def compare_with_ctranslate2(shape: str, ids: list[list[int]], ask_ours: Any, calls: int, turns: int) -> None:
    """Print a line with the speed of greedy generation by CTranslate2, or a sentence that it is not there."""
    if not ctranslate2_is_there():
        return print("CTranslate2 is not there to compare with; CTRANSLATE2 has to name a Python that has it")
    library = Library("ctranslate2", str(Path(__file__).with_name("ctranslate2_worker.py")), "--shape", shape)
    found = library.ask("greedy", 0)
    if found != ids:
        raise SystemExit(f"greedy: ours writes {ids}, CTranslate2 {found}; speeds mean nothing yet")
    library.ask("greedy", 2)
    compared = take_turns({"ours": ask_ours, "theirs": partial(library.ask, "greedy")}, calls, turns)
    high, middle, low = (1 / ratio for ratio in compared.ratios)
    tokens = len(ids[0]) - 1
    speeds = f"{tokens / compared.ours:>9.0f}{tokens / compared.theirs:>11.0f}"
    print(f"{'  CTranslate2':<13}{tokens:>8}{speeds}{middle:>8.2f}{f'{low:.2f}-{high:.2f}':>13}", flush=True)
    library.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, action="append")
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument("--repeats", type=int, help="turns that each takes, at least 2; by default suited to the shape")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve, options.shape[0], options.bare)
    if not PARITY.exists():
        return print("generation: transformers 4.26.1 is not there to compare with; `make parity` makes it")
    reached = []
    for shape in options.shape or SHAPES:
        turns = max(2, options.repeats or SHAPES[shape]["turns"])
        reached += compare(shape, options.mode or ON[shape], turns)
    print("goals, by the median of the turns:", *reached, sep="\n  ")


if __name__ == "__main__":
    main()
