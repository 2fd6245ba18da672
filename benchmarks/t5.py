"""T5 compared with transformers 4.26.1 in one interleaved run: the same weights, the same ids, one thread each.

    .venv/bin/python benchmarks/t5.py                # both shapes; `make parity` makes the library's environment
    .venv/bin/python benchmarks/t5.py --shape tiny --repeats 100

Each library runs in a separate process, and they take turns. Seconds are CPU seconds of the process; a ratio is
ours / theirs within one turn, and its median and quartiles over all turns are printed: below 1 we are faster. Peak
memory is what PyTorch's own profiler counts: the most bytes of tensors that one call holds at once, beyond those
allocated before; it is the same in every turn. Both have to answer the same numbers, or nothing is printed at all.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from peers import LIBRARIES, PARITY, Library, seconds_a_call, take_turns

TINY = {"vocab_size": 400, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4}
SHAPES: dict[str, dict[str, Any]] = {
    "tiny": {"config": TINY, "batch": 16, "length": 16, "turns": 40},
    "t5-small": {"config": {}, "batch": 4, "length": 64, "turns": 9},  # T5Config's own sizes are those of t5-small
}
TASKS = ("forward", "training", "decoding")
A_TURN = 0.1  # seconds per turn: short, so that other load on the machine affects both
STEPS = 16  # tokens that decoding reads one at a time


class Worker:
    """One library's model and the timed calls; runs in that library's Python."""

    def __init__(self, library: Any, shape: dict[str, Any]) -> None:
        torch.set_num_threads(1)
        config = library.T5Config(**shape["config"], decoder_start_token_id=0)
        self.model = library.T5ForConditionalGeneration(config).eval()
        dice = torch.Generator().manual_seed(1)
        for _, parameter in sorted(self.model.named_parameters()):
            reach = 1.0 if parameter.dim() == 1 else parameter.shape[1] ** -0.5
            torch.nn.init.normal_(parameter, std=reach, generator=dice)
        size = (shape["batch"], shape["length"])
        self.ids, self.labels = (torch.randint(2, config.vocab_size, size, generator=dice) for _ in range(2))
        self.parameters = list(self.model.parameters())
        self.mask = torch.ones_like(self.ids)
        self.mask[1::2, -shape["length"] // 4 :] = 0  # every second sentence ends in padding
        with torch.no_grad():
            self.encoded = self.model.encoder(self.ids, self.mask)

    def forward(self) -> float:
        """Scores and loss, without anything that a backward pass would need."""
        with torch.no_grad():
            return float(self.model(self.ids, self.mask, labels=self.labels).loss)

    def training(self) -> float:
        """Scores and loss with dropout, and the gradient of every parameter."""
        torch.manual_seed(2)  # one seed, the same draws: both have to drop the same numbers
        loss = self.model(self.ids, self.mask, labels=self.labels).loss
        loss.backward()
        for parameter in self.parameters:
            parameter.grad = None
        return float(loss.detach())

    def decoding(self) -> float:
        """One token at a time with the cache, the encoder's output being there."""
        cache, total = None, 0.0
        with torch.no_grad():
            for place in range(STEPS):
                output = self.model(
                    encoder_outputs=self.encoded,
                    attention_mask=self.mask,
                    decoder_input_ids=self.labels[:, place : place + 1],
                    past_key_values=cache,
                    use_cache=True,
                )
                cache = output.past_key_values
                total += float(output.logits.max())
        return total


def peak_bytes(call: Callable[[], float]) -> int:
    """The most bytes of tensors that the call holds at once."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as profile:
        call()
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        profile.export_chrome_trace(str(trace))
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    held = peak = 0
    for event in sorted((e for e in events if e.get("name") == "[memory]"), key=lambda e: e["ts"]):
        held += event["args"]["Bytes"]
        peak = max(peak, held)
    return peak


def serve(name: str, shape: str) -> None:
    """Answer [task, calls] with the seconds of a call, and [task, 0] with what it answers and its peak memory."""
    worker = Worker(importlib.import_module(name), SHAPES[shape])
    for line in sys.stdin:
        task, calls = json.loads(line)
        worker.model.train(task == "training")
        call = getattr(worker, task)
        answer = seconds_a_call(call, calls) if calls else [call(), peak_bytes(call)]
        print(json.dumps(answer), flush=True)


def compare(shape: str, turns: int) -> None:
    """Print one line a task."""
    libraries = {name: Library(name, __file__, "--shape", shape) for name in LIBRARIES}
    sizes = SHAPES[shape]
    print(f"{shape}: batch {sizes['batch']}, length {sizes['length']}, {turns} turns")
    print(f"{'':<12}{'ours ms':>10}{'theirs ms':>11}{'ratio':>8}{'quartiles':>15}{'ours MB':>10}{'theirs MB':>11}")
    for task in TASKS:
        told = {name: library.ask(task, 0) for name, library in libraries.items()}
        (mine, my_peak), (their, their_peak) = told["ours"], told["theirs"]
        if abs(mine - their) > 1e-4 * abs(their):
            raise SystemExit(f"{task}: ours answers {mine} and theirs {their}; speeds mean nothing before they agree")
        calls = max(1, round(A_TURN / libraries["theirs"].ask(task, 3)))
        asked = {name: partial(library.ask, task) for name, library in libraries.items()}
        found = take_turns(asked, calls, turns)
        low, middle, high = found.ratios
        mine, their = found.ours * 1e3, found.theirs * 1e3
        spread, peaks = f"{low:.3f}-{high:.3f}", f"{my_peak / 1e6:>10.2f}{their_peak / 1e6:>11.2f}"
        print(f"{task:<12}{mine:>10.2f}{their:>11.2f}{middle:>8.3f}{spread:>15}{peaks}", flush=True)
    for library in libraries.values():
        library.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=SHAPES, action="append")
    parser.add_argument("--repeats", type=int, help="turns that each takes, at least 2; by default suited to the shape")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(options.serve, options.shape[0])
    if not PARITY.exists():
        return print("t5: transformers 4.26.1 is not there to compare with; `make parity` makes its environment")
    for shape in options.shape or SHAPES:
        compare(shape, max(2, options.repeats or SHAPES[shape]["turns"]))


if __name__ == "__main__":
    main()
