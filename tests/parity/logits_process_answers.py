"""What processors, warpers and stopping criteria answer to one case, as JSON can hold it.

    .parity/bin/python tests/parity/logits_process_answers.py < cases, one JSON object a line

Run by transformers' own Python it asks transformers. It imports nothing of tokenlab, which is asked by the same
function.
"""

from __future__ import annotations

import json
import sys
import warnings
from types import SimpleNamespace
from typing import Any

import torch


def answer(library: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The scores after all changes, or when a search stops; the kind of error where there is one."""
    torch.set_num_threads(1)
    try:
        return stopping(library, case) if "criteria" in case else changed(library, case)
    except Exception as error:
        return {"error": type(error).__name__}


def changed(library: Any, case: dict[str, Any]) -> dict[str, Any]:
    changes = library.LogitsProcessorList([made(library, *change) for change in case["changes"]])
    ids, scores = torch.tensor(case["input_ids"]), torch.tensor(case["scores"])
    given = scores.clone()
    call = {name: argument(value) for name, value in case.get("call", {}).items()}
    after = changes(ids, scores, **call)
    return {"scores": after.tolist(), "given is as it was": str(given.tolist()) == str(scores.tolist())}


def stopping(library: Any, case: dict[str, Any]) -> dict[str, Any]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        criteria = library.StoppingCriteriaList([made(library, *each) for each in case["criteria"]])
        valid = library.validate_stopping_criteria(criteria, case["max_length"])
    lengths = [torch.zeros(1, length, dtype=torch.long) for length in range(1, 10)]
    return {
        "stops": [bool(criteria(ids, None)) for ids in lengths],
        "max_length": criteria.max_length,
        "valid": [len(valid), valid.max_length, [bool(valid(ids, None)) for ids in lengths]],
        "warnings": [each.category.__name__ for each in said],
    }


def made(library: Any, name: str, *arguments: Any) -> Any:
    return getattr(library, name)(*map(argument, arguments))


def argument(value: Any) -> Any:
    """JSON has neither tensors nor functions."""
    if isinstance(value, dict) and "tensor" in value:
        return torch.tensor(value["tensor"])
    if isinstance(value, dict) and "allowed" in value:
        return lambda batch, ids: value["allowed"][(batch + int(ids[-1])) % len(value["allowed"])]
    return value


if __name__ == "__main__":
    from transformers.generation import logits_process, stopping_criteria

    # its package does not export all of them
    library = SimpleNamespace(**{**vars(logits_process), **vars(stopping_criteria)})
    for line in sys.stdin:
        print(json.dumps(answer(library, json.loads(line))), flush=True)
